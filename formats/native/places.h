/* places.h - what a log says once for all of its ranks: the hosts that they ran on and the communicators that they had.
 * Part of a set of definitions (pithi_defs_places), and of the DEFS chunk with it: so it is united over the ranks when
 * definitions are, and a reader knows all of it without looking at any rank. */
#ifndef PITHI_PLACES_H
#define PITHI_PLACES_H

#include "native/bytes.h"
#include "native/map.h"
#include "pithlog.h"

struct pithi_place_comm {
    uint64_t key;
    char *name;
    int32_t size, remote_size; /* 0, 0: nobody tells the members */
    int32_t teller;            /* else the rank whose descriptions have them */
};

struct pithi_places {
    char **hosts;
    uint32_t host_count, host_room;
    struct pithi_place_comm *comms;
    uint32_t comm_count, comm_room;
    struct pithi_map host_map, comm_map; /* by hash of the name; by key */
};

/* With host 0, "", and communicator 0, the world. 0: no memory. */
int pithi_places_begin(struct pithi_places *places);
void pithi_places_free(struct pithi_places *places);

/* The number of a host or communicator, added if it is new; 0: no memory. What was not known of a communicator, a name
 * or size, is filled in; `teller` goes with the size. */
int pithi_places_host(struct pithi_places *places, const char *host, uint32_t *index);
int pithi_places_comm(struct pithi_places *places, const struct pithlog_comm *comm, int32_t teller, uint32_t *index);
/* The number of one that is there; 0: it is not. */
int pithi_places_find_host(const struct pithi_places *places, const char *host, uint32_t *index);
int pithi_places_find_comm(const struct pithi_places *places, uint64_t key, uint32_t *index);

/* As bytes, behind what is in `out`; 0: no memory. And back, added to what is there: the byte after them, or NULL with
 * *err. */
int pithi_places_pack(const struct pithi_places *places, struct pithi_buffer *out);
const unsigned char *pithi_places_unpack(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                         int *err);

#endif
