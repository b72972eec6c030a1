/* causal_edges.h - what ties ranks together: sends, receives, entering and leaving collectives, rank by rank in order
 * of time. Collected from a log into a mapped temporary file. Shared by the files of this folder only. */
#ifndef PITHI_EDGES_H
#define PITHI_EDGES_H

#include "native/map.h"
#include "pithlog.h"

enum pithi_edge_kind {
    PITHI_EDGE_SEND = 1,
    PITHI_EDGE_RECV,
    PITHI_EDGE_ENTER,
    PITHI_EDGE_LEAVE,
    PITHI_EDGE_COMPLETE /* LEAVE of a nonblocking collective: its request was completed */
};

enum {
    PITHI_EDGE_DONE = 1,     /* its time is known */
    PITHI_EDGE_GIVES = 2,    /* ENTER: others may have to wait for it */
    PITHI_EDGE_ROOT = 4,     /* ENTER, of the root of a collective that comes from it */
    PITHI_EDGE_ALL = 8,      /* LEAVE: not before all that give have entered */
    PITHI_EDGE_OF_ROOT = 16, /* LEAVE: not before the root has entered */
    PITHI_EDGE_LOWER = 32,   /* LEAVE: not before those on lower seats have entered */
    PITHI_EDGE_NEXT = 64,    /* LEAVE, between two groups: its meeting is the one behind that which it entered */
    PITHI_EDGE_BEFORE = 128, /* the same, the one before: each group has a meeting, and waits for the other's */
    PITHI_EDGE_LATER = 8     /* ENTER of a nonblocking one: the flags of its COMPLETE, so many bits up */
};
#define PITHI_NO_PARTNER UINT32_MAX
#define PITHI_NO_SEAT UINT32_MAX

struct pithi_edge {
    int64_t time_ns;
    int64_t shift_ns;  /* forwards: moved by so much */
    int64_t before_ns; /* SEND and ENTER, forwards: the most that it may be moved besides. Then: what is added just
                          before it, as it is to have been reached there */
    int64_t extra_ns;  /* backwards: and by so much besides */
    uint32_t partner;  /* RECV: its send; SEND: its receive; ENTER, LEAVE: the collective; PITHI_NO_PARTNER: none */
    union {
        uint32_t waiter; /* SEND: rank + 1 that waits for it; 0 */
        uint32_t seat;   /* ENTER, LEAVE: its place among the meeting's seats, if that has any */
    };
    uint16_t kind, flags;
    uint32_t rank; /* its index in the log */
};

/* A collective operation, once; between two groups once for each, next to one another. */
struct pithi_meeting {
    int64_t latest_ns, root_ns; /* when the last of those that give entered; and the root */
    int64_t left_ns;            /* when the first left that had to wait for all; for the root */
    int64_t left_root_ns;
    uint32_t members, seen; /* seen: while they are collected, members found; then, entered */
    uint32_t waiters;       /* rank + 1, the first of a list; 0 */
    uint32_t told;          /* 1: counted as backwards */
    uint32_t seats;         /* of a scan: the first of its members' seats, + 1; 0: it has none */
    uint32_t come;          /* so many seats, from the first, have entered */
};

/* A member of a scan, which waits for those on the seats before. */
struct pithi_seat {
    int64_t entered_ns; /* INT64_MAX: not yet; then, with those before: when the last of them that gives had */
    int64_t left_ns;    /* when it left, if it had to wait. Backwards: when the first of those behind did */
};

struct pithi_edges {
    struct pithlog *log;
    struct pithi_edge *edges; /* mapped; of rank r: from first[r] to first[r] + count[r] */
    uint64_t mapped_bytes;
    uint32_t *first, *count; /* [ranks] */
    uint32_t ranks;
    struct pithi_meeting *meetings; /* mapped too */
    uint32_t meeting_count;
    struct pithi_seat *seats; /* mapped too */
    uint32_t seat_count, seat_room;
    uint32_t *group;         /* [ranks]: those with one clock have one number */
    struct pithi_ways *ways; /* between two groups */
    uint32_t way_count, way_room;
    struct pithi_map way_map;
    uint64_t messages; /* that were backwards */
};

/* Messages between two groups: the shortest there and back, INT64_MAX: none was seen. */
struct pithi_ways {
    int64_t least_ns[2];
};

/* Collects. To be freed also after an error. */
int pithi_edges_collect(struct pithi_edges *edges, struct pithlog *log);
void pithi_edges_free(struct pithi_edges *edges);

/* The smallest latency between two ranks (their indices), 0 where it is not known. */
int64_t pithi_edges_latency(const struct pithi_edges *edges, uint32_t from, uint32_t to);

/* Forwards: shift_ns of all edges. 1: some time has to be moved; 0: none. */
int pithi_edges_replay(struct pithi_edges *edges, uint64_t *collectives, uint64_t *given_up);
/* Backwards: before_ns and extra_ns of all edges. */
void pithi_edges_smooth(struct pithi_edges *edges);

/* How far a record of a rank is moved, asked of all its records in their order: *at is where the last answer was
 * found, 0 at first. */
int64_t pithi_edges_shift(const struct pithi_edges *edges, uint32_t rank, const struct pithlog_record *record,
                          uint32_t *at);

enum { PITHI_CAUSAL_DECAY = 100, PITHI_CAUSAL_STRETCH = 50 }; /* 1 in so many, forwards and backwards */

#endif
