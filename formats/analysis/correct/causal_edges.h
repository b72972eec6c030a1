/* causal_edges.h - the edges that tie ranks together: sends, receives, enters and leaves of collectives, by rank and
 * time. They are collected from a log into a mapped temporary file. Private to the causal*.c files. */
#ifndef PITHI_EDGES_H
#define PITHI_EDGES_H

#include "base/map.h"
#include "pithlog.h"

enum pithi_edge_kind {
    PITHI_EDGE_SEND = 1, /* a message leaves the rank */
    PITHI_EDGE_RECV,     /* a message has arrived */
    PITHI_EDGE_ENTER,    /* a member enters a collective */
    PITHI_EDGE_LEAVE,    /* a member leaves the collective */
    PITHI_EDGE_COMPLETE  /* LEAVE of a nonblocking collective: completes its request */
};

enum {
    PITHI_EDGE_DONE = 1,     /* the edge's new time is known */
    PITHI_EDGE_GIVES = 2,    /* ENTER: other members may have to wait for it */
    PITHI_EDGE_ROOT = 4,     /* ENTER of the root, which the others need */
    PITHI_EDGE_ALL = 8,      /* LEAVE: must come after all ENTERs with GIVES */
    PITHI_EDGE_OF_ROOT = 16, /* LEAVE: must come after the ENTER of the root */
    PITHI_EDGE_LOWER = 32,   /* LEAVE: must come after the ENTERs of all lower scan positions */
    PITHI_EDGE_NEXT = 64,    /* LEAVE in the first of two groups: waits for the second group, the next entry */
    PITHI_EDGE_BEFORE = 128, /* LEAVE in the second of two groups: waits for the first, the entry before */
    PITHI_EDGE_LATER = 8     /* bits to shift: an ENTER also holds the flags of its LEAVE or COMPLETE, shifted left */
};
#define PITHI_NO_PARTNER UINT32_MAX
#define PITHI_NO_POSITION UINT32_MAX

struct pithi_edge {
    int64_t time_ns;
    int64_t shift_ns;  /* shift from the forward pass */
    int64_t before_ns; /* SEND and ENTER, forward pass: the largest further shift allowed. Backward pass: the shift
                          added just before the edge */
    int64_t extra_ns;  /* further shift from the backward pass */
    uint32_t partner;  /* RECV: its send; SEND: its receive; ENTER, LEAVE: the collective; PITHI_NO_PARTNER: none */
    union {
        uint32_t waiter;   /* SEND: 1 + the rank that waits for it; 0: none */
        uint32_t position; /* ENTER, LEAVE: its scan position; PITHI_NO_POSITION: not a scan */
    };
    uint16_t kind, flags;
    uint32_t rank; /* index of the rank in the log */
};

/* A collective instance. An instance between two groups has two adjacent entries, one for each group. */
struct pithi_instance {
    int64_t latest_ns, root_ns; /* latest enter of an edge with GIVES; enter of the root */
    int64_t left_ns;            /* first leave of a member that waited for all */
    int64_t left_root_ns;       /* first leave of a member that waited for the root */
    uint32_t members, seen;     /* seen: members that entered */
    uint32_t waiters;           /* 1 + the first rank of the list of waiting ranks; 0: none */
    uint32_t told;              /* 1: the instance contradicts cause and effect, and has been counted */
    uint32_t positions;         /* scan: 1 + the index of its first scan position; 0: none */
    uint32_t come;              /* positions 0 .. come - 1 have all entered */
};

/* A scan position: a member of a scan, which waits for all lower positions. */
struct pithi_scan_place {
    int64_t entered_ns; /* INT64_MAX: not entered. At positions below `come`: the latest enter with GIVES up to there */
    int64_t left_ns;    /* when it left, if it had to wait. Backward pass: the first leave of a higher position */
};

struct pithi_edges {
    struct pithlog *log;
    struct pithi_edge *edges; /* mapped; rank r has first[r] to first[r] + count[r] - 1 */
    uint64_t mapped_bytes;    /* size of the mapped file */
    uint32_t *first, *count;  /* [ranks] */
    uint32_t ranks;
    struct pithi_instance *instances;       /* in the mapped file */
    uint32_t instance_count;                /* instances of collectives */
    struct pithi_scan_place *positions;     /* in the mapped file */
    uint32_t position_count, position_room; /* of scans only */
    uint32_t *group;                        /* [ranks]: ranks that share a clock have the same number */
    struct pithi_latencies *latencies;      /* one for each pair of groups */
    uint32_t latency_count, latency_room;
    struct pithi_map latency_map;
    uint64_t messages; /* messages that were received before they were sent */
};

/* Smallest latencies between two groups in both directions; INT64_MAX: no message seen. */
struct pithi_latencies {
    int64_t least_ns[2]; /* [0]: from the group with the lower number to the other */
};

/* Collects all edges of the log. Call pithi_edges_free also after an error. */
int pithi_edges_collect(struct pithi_edges *edges, struct pithlog *log);
void pithi_edges_free(struct pithi_edges *edges);

/* Returns the smallest latency between two ranks (indices in the log), or 0 if it is unknown. */
int64_t pithi_edges_latency(const struct pithi_edges *edges, uint32_t from, uint32_t to);

/* Returns how far a record of a rank moves. Call it for the rank's records in order; *at keeps the position, and is 0
 * at first. */
int64_t pithi_edges_shift(const struct pithi_edges *edges, uint32_t rank, const struct pithlog_record *record,
                          uint32_t *at);

enum {
    PITHI_CAUSAL_DECAY = 100, /* after an edge, the edge's shift falls by 1 ns every PITHI_CAUSAL_DECAY ns */
    PITHI_CAUSAL_STRETCH = 50 /* before an edge, the shift grows by 1 ns every PITHI_CAUSAL_STRETCH ns */
};

#endif
