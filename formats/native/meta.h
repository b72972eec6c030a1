/* meta.h - reads META chunks: a rank's host, the names of its lanes, its communicators. */
#ifndef PITHI_META_H
#define PITHI_META_H

#include "base/bytes.h"
#include "native/layout.h"
#include "pithlog.h"

/* A description. The caller frees `name`. */
struct pithi_meta {
    uint32_t type;                      /* enum pithi_meta_type, or a type of a later version */
    char *name;                         /* name of the host, lane or communicator */
    uint64_t pid;                       /* in a host's description: id of the process */
    uint32_t number;                    /* thread; the rank's number of the communicator */
    uint64_t key;                       /* key of a communicator */
    int32_t size, remote_size;          /* 0, 0: the members are listed elsewhere */
    const unsigned char *members, *end; /* `end`: the byte after the members */
};

/* Reads the next description of a payload. Returns the byte after it; NULL if the description is damaged or there is no
 * memory (meta->name is then NULL, too). */
const unsigned char *pithi_meta_next(const unsigned char *p, const unsigned char *end, struct pithi_meta *meta);
/* Returns the members listed, malloc'ed; NULL if they are damaged or there is no memory. */
int32_t *pithi_meta_members(const struct pithi_meta *meta);

#endif
