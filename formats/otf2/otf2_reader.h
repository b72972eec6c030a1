/* otf2_reader.h - what the parts of the reader share. */
#ifndef PITHI_OTF2_READER_H
#define PITHI_OTF2_READER_H

#include "native/segment.h"
#include "otf2/otf2_defs.h"
#include "otf2/otf2_requests.h"
#include "watched.h"

struct otf2_reader {
    const char *path; /* of the anchor */
    const struct pithi_otf2 *otf2;
    OTF2_Reader *reader;
    struct pithi_watched *watched;
    struct pithi_writer *writer;
    struct otf2_defs defs;
    int own;                /* Pith wrote it: definitions in their order, payloads by their formats */
    int32_t *world;         /* ranks by their place in defs.ranks */
    uint32_t *order, lanes; /* locations in the order of their lanes; how many have one */
    uint64_t comm_members;  /* told so far */
    /* while events are read: of one rank at a time */
    struct otf2_location *at;
    struct otf2_requests requests;
    uint64_t posted;
    int err;
    char cause[256]; /* why some events cannot be read; "": all can */
    uint64_t total, seen, read, unposted, unended, odd_peers, odd_payloads, late;
};

/* The lanes of all locations that have one, into the log. */
int pithi_otf2_places_make(struct otf2_reader *r);
/* The log's number of a communicator, made at first use: PITH_OK. `comm` NULL: the world. */
int pithi_otf2_comm_index(struct otf2_reader *r, struct otf2_comm *comm, uint32_t *index);
/* The world rank of a communicator's rank, as `rank` sees it; -1: there is none. */
int32_t pithi_otf2_comm_peer(const struct otf2_reader *r, struct otf2_comm *comm, uint32_t peer, int32_t rank);

/* The log's numbers of what events name, made at first use: PITH_OK. */
int pithi_otf2_state_id(struct otf2_reader *r, struct otf2_region *region, uint32_t *id);
int pithi_otf2_event_id(struct otf2_reader *r, struct otf2_parameter *parameter, uint32_t *id);
int pithi_otf2_counter_id(struct otf2_reader *r, struct otf2_metric *metric, uint32_t member, uint32_t *id,
                          double *factor);
int pithi_otf2_own_id(struct otf2_reader *r, enum pithlog_def_kind kind, const char *name, const char *format,
                      uint32_t *id);
/* Properties, and all definitions of an archive that Pith wrote. */
int pithi_otf2_facts_make(struct otf2_reader *r);

/* Into the log; what it calls for the events of libotf2. */
void pithi_otf2_events_register(const struct pithi_otf2 *otf2, OTF2_GlobalEvtReaderCallbacks *callbacks);
/* The rank's receives that got nothing. */
int pithi_otf2_events_end_rank(struct otf2_reader *r);

#endif
