/* top.h - `pith top`: what the ranks of a running job do now, and which ranks wait for which.
 *
 *     top_ranks.c   takes the records of a follower, and keeps of each lane only the present: open states, the facts of
 *                   the present MPI call, the time in MPI lately. Memory: about 1 KiB for a lane, 32 bytes for each
 *                   member of a communicator that had a collective.
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

enum { PITHI_TOP_STEPS = 32 }; /* the recent time is known to this part of it */
enum { PITHI_TOP_EXPECTED = 32 };

/* What was recorded in an MPI call so far. A send and a collective are recorded when the call begins. A receive is
 * recorded at its end, so its source is unknown before. */
struct pithi_top_call {
    uint32_t state;
    uint64_t site; /* the return address of the call; 0: not recorded */
    int has_send, has_coll;
    int32_t peer, tag;          /* of the send */
    int has_source;             /* where the receive expects its message from: */
    int32_t source, source_tag; /* -1: any */
    int32_t root;               /* of the collective; -1: none */
    uint32_t comm;
    uint64_t number; /* the collective's, from 1, among those of this rank on `comm`. Members call them in one order */
};

struct pithi_top_lane {
    struct pithi_stack open;
    uint32_t calls;                /* number of MPI calls in `open` */
    int64_t first_ns, since_ns;    /* the first record; the last begin or end of a state */
    int64_t inside_ns, outside_ns; /* begin of the present MPI call; end of the last one, or the first record */
    uint64_t records;
    int is_paused;                 /* the program recorded nothing since then of its own will */
    int is_partial, has_finalized; /* records are missing; MPI_Finalize was called */
    int has_other_requests;        /* of collectives, files, windows: MPI_Wait may wait for them */
    int has_sent_later;            /* MPI_Isend: MPI_Wait may wait for it */
    struct pithi_top_expected {
        uint64_t posted;
        int32_t source, tag;        /* -1: any */
    } expected[PITHI_TOP_EXPECTED]; /* receives posted and not complete */
    uint32_t expected_count;
    int has_more_expected;      /* there were more than that */
    struct pithi_top_call call; /* the present one, or the last one */
    struct {
        int64_t number, ns; /* of the step of time; time in MPI */
    } steps[PITHI_TOP_STEPS + 1];
};

/* A rank: the thread that recorded first. */
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
    int64_t young_ns;                   /* a call that began later may be about to end */
    int64_t recent_ns, last_ns, now_ns; /* length of the recent time; the newest record; the present */
    int64_t progress_ns;                /* the newest record that is no sample */
    struct pithi_top_lane *lanes;
    uint32_t lane_count;
    uint32_t expect_id; /* the event pith:expect; UINT32_MAX: there is none */
    unsigned *traits;   /* of each definition: PITHI_CALL ... */
    struct pithi_coll_rule *rules;
    uint32_t def_count;
    int has_strangers; /* processes of other jobs may send messages, which are not recorded: MPI_Comm_spawn ... */
    struct pithi_map entered;        /* communicator, rank: number of collectives that the rank has begun */
    struct pithi_map sent, received; /* rank: messages to it; messages that it has received */
    struct pithi_top_rank *ranks;    /* by rank */
    uint32_t rank_count, rank_room;
};

int pithi_top_open(struct pithi_top *top, const char *path, int64_t recent_ns);
/* Takes the new records. */
int pithi_top_look(struct pithi_top *top);
void pithi_top_close(struct pithi_top *top);

/* The rank; NULL: it has no records here. */
const struct pithi_top_rank *pithi_top_find(const struct pithi_top *top, int32_t rank);
static inline const struct pithi_top_lane *pithi_top_lane_of(const struct pithi_top *top,
                                                             const struct pithi_top_rank *rank)
{
    return &top->lanes[rank->lane];
}
/* The innermost open state; NULL: none. */
const struct pithlog_def *pithi_top_state(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* Its name, or what the rank does outside all states. Valid until the next look. */
const char *pithi_top_state_text(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* How long the rank has been in this state: since it began, or since a state inside it ended. */
int64_t pithi_top_for_ns(const struct pithi_top *top, const struct pithi_top_rank *rank);
/* 1: no rank has recorded anything for that long, and all could have: none of them pauses or lost records. */
int pithi_top_hangs(const struct pithi_top *top, int64_t for_ns);
/* The part of the recent time that the rank spent in MPI, 0 to 1. */
double pithi_top_share(const struct pithi_top *top, const struct pithi_top_rank *rank);

/* "0-2,5", of ascending ranks; a long list is cut: "0-2,5,9... (120 ranks)". Returns `text`. */
enum { PITHI_TOP_RANKS_TEXT = 64 };
const char *pithi_top_ranks_text(char text[PITHI_TOP_RANKS_TEXT], const int32_t *ranks, uint32_t count);

/* Writes the page as OpenMetrics text. `job`: the label `log`. The second one replaces a file as a whole. */
int pithi_top_metrics(const struct pithi_top *top, const char *job, FILE *file);
int pithi_top_metrics_file(const struct pithi_top *top, const char *job, const char *path);

/* ---- Which ranks wait for which ---------------------------------------------------------------------------------- */

struct pithi_json_out;
/* Prints which ranks wait for which, and which ranks keep the others waiting (top_why.c); as text, or as a member of an
 * object. */
int pithi_top_why_print(const struct pithi_top *top);
int pithi_top_why_json(const struct pithi_top *top, struct pithi_json_out *j);

#endif
