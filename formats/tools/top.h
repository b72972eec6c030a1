/* top.h - `pith top`: what the ranks of a running job do now, and which ranks wait for which.
 *
 *     top_ranks.c   takes the records of a follower, and keeps only the present state of each lane: open states, the
 *                   facts of the present MPI call, the recent time in MPI. Memory: about 1 KiB for a lane, 32 bytes for
 *                   each member of a communicator that had a collective.
 *     top_why.c     concludes which ranks wait for which
 *     top_metrics.c writes the page as metrics for Prometheus
 *     top.c         the command, its page and its JSON
 */
#ifndef PITHI_TOP_H
#define PITHI_TOP_H

#include <stdio.h>

#include "analysis/coll_rules.h"
#include "base/map.h"
#include "native/stack.h"
#include "pithlog.h"

enum { PITHI_TOP_STEPS = 32 }; /* the recent time is divided into this number of steps */
enum { PITHI_TOP_EXPECTED = 32 };

/* The records of an MPI call so far. A send and a collective are recorded when the call begins. A receive is recorded
 * at its end, so its source is unknown before. */
struct pithi_top_call {
    uint32_t state;
    uint64_t site; /* the return address of the call; 0: not recorded */
    int has_send, has_coll;
    int32_t peer, tag;          /* of the send */
    int has_source;             /* 1: source and source_tag are known */
    int32_t source, source_tag; /* -1: any */
    int32_t root;               /* of the collective; -1: none */
    uint32_t comm;
    uint64_t number; /* of the collective, from 1, among this rank's collectives on `comm`. All members call its
                        collectives in the same order */
};

struct pithi_top_lane {
    struct pithi_stack open;
    uint32_t calls;                /* number of MPI calls in `open` */
    int64_t first_ns, since_ns;    /* first_ns: the first record; since_ns: the last begin or end of a state */
    int64_t inside_ns, outside_ns; /* inside_ns: begin of the present MPI call; outside_ns: end of the last MPI call, or
                                      the first record */
    uint64_t records;
    int is_paused;                 /* the last record is a pause: the program has switched recording off */
    int is_partial, has_finalized; /* is_partial: records are missing; has_finalized: MPI_Finalize was called */
    int has_other_requests;        /* the lane has had requests of collectives, files or windows, for which MPI_Wait may
                                      wait */
    int has_sent_later;            /* the lane has called MPI_Isend or the like; MPI_Wait may wait for its request */
    struct pithi_top_expected {
        uint64_t posted;
        int32_t source, tag;        /* -1: any */
    } expected[PITHI_TOP_EXPECTED]; /* receives posted and not complete */
    uint32_t expected_count;
    int has_more_expected;      /* there were more than PITHI_TOP_EXPECTED */
    struct pithi_top_call call; /* the present MPI call, or the last call if the lane is outside MPI */
    struct {
        int64_t number, ns; /* number: of the step; ns: time in MPI within it */
    } steps[PITHI_TOP_STEPS + 1];
};

/* A rank. Its thread 0 stands for it or, if that has no records, the thread that recorded first: `lane`. */
struct pithi_top_rank {
    int32_t rank;
    uint32_t lane, threads;
    uint64_t records; /* of all threads */
    int is_running;
};

struct pithi_top {
    struct pithlog_follow *follow;
    struct pithi_sample_names *names;
    const struct pithlog_follow_info *info;
    int64_t young_ns;                   /* a call that has lasted for less than this may be about to end */
    int64_t recent_ns, last_ns, now_ns; /* recent_ns: length of the recent time; last_ns: time of the newest record;
                                           now_ns: the present */
    int64_t progress_ns;                /* time of the newest record that is no sample */
    struct pithi_top_lane *lanes;
    uint32_t lane_count;
    uint32_t expect_id; /* definition of the event pith:expect; UINT32_MAX: not defined */
    unsigned *traits;   /* of each definition: PITHI_CALL ... */
    struct pithi_coll_rule *rules;
    uint32_t def_count;
    int has_strangers; /* MPI_Comm_spawn or the like was called: processes of other jobs may send messages, and their
                          sends are not in these records */
    struct pithi_map entered;        /* (communicator, rank): number of collectives that the rank has begun on it */
    struct pithi_map sent, received; /* sent: rank to number of messages sent to it; received: rank to number of
                                        messages that it has received */
    struct pithi_top_rank *ranks;    /* by rank */
    uint32_t rank_count, rank_room;
};

int pithi_top_open(struct pithi_top *top, const char *path, int64_t recent_ns);
/* Takes the new records. */
int pithi_top_look(struct pithi_top *top);
void pithi_top_close(struct pithi_top *top);

/* Returns the rank; NULL: it has no records in the folder. */
const struct pithi_top_rank *pithi_top_find(const struct pithi_top *top, int32_t rank);
static inline const struct pithi_top_lane *pithi_top_lane_of(const struct pithi_top *top,
                                                             const struct pithi_top_rank *rank)
{
    return &top->lanes[rank->lane];
}
/* The innermost open state; NULL: none. */
const struct pithlog_def *pithi_top_state(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* The name of the innermost open state, or a text for a rank outside all states. Valid until the next look. */
const char *pithi_top_state_text(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* How long the rank has been in this state: since it began, or since a state inside it ended. */
int64_t pithi_top_for_ns(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* 1: no rank has recorded anything for the time for_ns, though each could have: no rank is paused or has lost
 * records. */
int pithi_top_hangs(const struct pithi_top *top, int64_t for_ns);
/* The share of the recent time that the rank spent in MPI, 0 to 1. */
double pithi_top_share(const struct pithi_top *top, const struct pithi_top_rank *rank);

/* "0-2,5", of ascending ranks; a long list is cut: "0-2,5,9... (120 ranks)". Returns `text`. */
enum { PITHI_TOP_RANKS_TEXT = 64 };
const char *pithi_top_ranks_text(char text[PITHI_TOP_RANKS_TEXT], const int32_t *ranks, uint32_t count);

/* Writes the page as OpenMetrics text. `job`: the label `log`. pithi_top_metrics_file replaces the file `path` as a
 * whole. */
int pithi_top_metrics(const struct pithi_top *top, const char *job, FILE *file);
int pithi_top_metrics_file(const struct pithi_top *top, const char *job, const char *path);

/* ---- Which ranks wait for which ---------------------------------------------------------------------------------- */

struct pithi_json_out;
/* Prints which ranks wait for which, and which ranks keep the others waiting (top_why.c); as text, or as a member of an
 * object. */
int pithi_top_why_print(const struct pithi_top *top);
int pithi_top_why_json(const struct pithi_top *top, struct pithi_json_out *j);

#endif
