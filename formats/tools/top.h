/* top.h - `pith top`: shows what the ranks of a running job do now, and which ranks wait for which.
 *
 *     top_ranks.c   takes the records of the running job (pithlog_follow), and keeps only the present of each lane: its
 *                   open states, the facts of its present MPI call, its recent time in MPI. It needs about 1 KiB of
 *                   memory for a lane, and 32 bytes for each member of a communicator that had a collective.
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

enum { PITHI_TOP_STEPS = 32 }; /* the recent time, over which the share in MPI is computed, has so many steps */
enum { PITHI_TOP_EXPECTED = 32 };

/* What is known of an MPI call from its records so far. A send and a collective are recorded when the call begins. A
 * receive is recorded when the call ends, so its source is unknown until then. */
struct pithi_top_call {
    uint32_t state;
    uint64_t site; /* the return address of the call; 0: not recorded */
    int has_send, has_coll;
    int32_t peer, tag;          /* the receiver and the tag of the send */
    int has_source;             /* 1: source and source_tag are known */
    int32_t source, source_tag; /* -1: any */
    int32_t root;               /* the root of the collective; -1: it has none */
    uint32_t comm;
    uint64_t number; /* the number of the collective, from 1, among this rank's collectives on `comm`. All members call
                        the collectives of a communicator in the same order */
};

struct pithi_top_lane {
    struct pithi_stack open;
    uint32_t calls;                /* number of MPI calls in `open` */
    int64_t first_ns, since_ns;    /* first_ns: the first record; since_ns: the last begin or end of a state */
    int64_t inside_ns, outside_ns; /* inside_ns: begin of the present MPI call; outside_ns: end of the last MPI call, or
                                      the first record */
    uint64_t records;
    int is_paused;                 /* 1: the last record is a pause, so recording is switched off */
    int is_partial, has_finalized; /* is_partial: records are missing; has_finalized: MPI_Finalize was called */
    int has_other_requests;        /* 1: the lane has had requests of collectives, files or windows, for which MPI_Wait
                                      may wait */
    int has_sent_later;            /* 1: the lane has called MPI_Isend or the like; MPI_Wait may wait for its request */
    struct pithi_top_expected {
        uint64_t posted;
        int32_t source, tag;        /* -1: any */
    } expected[PITHI_TOP_EXPECTED]; /* receives that are posted and not complete */
    uint32_t expected_count;
    int has_more_expected; /* 1: more than PITHI_TOP_EXPECTED receives were posted, so some are not in `expected` */
    struct pithi_top_call call; /* the present MPI call, or the last call if the lane is outside MPI */
    struct {
        int64_t number, ns; /* number: that of the step; ns: the time in MPI within the step */
    } steps[PITHI_TOP_STEPS + 1];
};

/* A rank. `lane` is the lane that stands for the rank: that of thread 0 or, if thread 0 has no records, that of the
 * thread that recorded first. */
struct pithi_top_rank {
    int32_t rank;
    uint32_t lane, threads;
    uint64_t records; /* the sum over all threads */
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
    unsigned *traits;   /* [id]: bits such as PITHI_CALL (analysis/mpi_calls.h) */
    struct pithi_coll_rule *rules;
    uint32_t def_count;
    int has_strangers; /* 1: MPI_Comm_spawn or the like was called, so processes of other jobs may send messages, and
                          their sends are not in the records of this job */
    struct pithi_map entered;        /* from (communicator, rank) to how many of its collectives the rank has begun */
    struct pithi_map sent, received; /* sent: from a rank to the number of messages sent to it; received: from a rank to
                                        the number of messages that it has received */
    struct pithi_top_rank *ranks;    /* sorted by rank */
    uint32_t rank_count, rank_room;
};

int pithi_top_open(struct pithi_top *top, const char *path, int64_t recent_ns);
/* Reads the records that the job has written since the last call. */
int pithi_top_look(struct pithi_top *top);
void pithi_top_close(struct pithi_top *top);

/* Returns the entry of a rank, or NULL if the rank has no records in the folder. */
const struct pithi_top_rank *pithi_top_find(const struct pithi_top *top, int32_t rank);
static inline const struct pithi_top_lane *pithi_top_lane_of(const struct pithi_top *top,
                                                             const struct pithi_top_rank *rank)
{
    return &top->lanes[rank->lane];
}
/* Returns the definition of the rank's innermost open state, or NULL if no state is open. */
const struct pithlog_def *pithi_top_state(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* Returns the name of the rank's innermost open state, or a text that says that it is outside all states. The text is
 * valid until the next pithi_top_look. */
const char *pithi_top_state_text(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* Returns how long the rank's innermost open state has been the innermost: since it began, or since a state inside it
 * ended. */
int64_t pithi_top_for_ns(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* Returns 1 if no rank has recorded anything for the time for_ns. Returns 0 if a rank is paused or has lost records,
 * because such a rank records nothing even if it works. */
int pithi_top_hangs(const struct pithi_top *top, int64_t for_ns);
/* Returns the share of the recent time that the rank spent in MPI, 0 to 1. */
double pithi_top_share(const struct pithi_top *top, const struct pithi_top_rank *rank);

/* Writes a list of ascending ranks to `text`, as "0-2,5". A long list is cut, as in "0-2,5,9... (120 ranks)". Returns
 * `text`. */
enum { PITHI_TOP_RANKS_TEXT = 64 };
const char *pithi_top_ranks_text(char text[PITHI_TOP_RANKS_TEXT], const int32_t *ranks, uint32_t count);

/* These two functions write the page as OpenMetrics text. `job` is the value of the label `log`. pithi_top_metrics_file
 * replaces the file `path`, so that no reader sees a part of a page. */
int pithi_top_metrics(const struct pithi_top *top, const char *job, FILE *file);
int pithi_top_metrics_file(const struct pithi_top *top, const char *job, const char *path);

/* ---- Which ranks wait for which ---------------------------------------------------------------------------------- */

struct pithi_json_out;
/* These two functions print which ranks wait for which, and which ranks keep the others waiting (top_why.c): as text,
 * or as a member of a JSON object. */
int pithi_top_why_print(const struct pithi_top *top);
int pithi_top_why_json(const struct pithi_top *top, struct pithi_json_out *j);

#endif
