/* findings.h - sums of an analysis, and texts about them. The findings and `pith analyze` use both. */
#ifndef PITHI_FINDINGS_H
#define PITHI_FINDINGS_H

#include <stdio.h>

#include "pithlog_findings.h"

/* A kind of wait state, summed over all lanes. */
struct pithi_wait_group {
    uint32_t kind; /* enum pithlog_wait_kind */
    int64_t ns;    /* sum over all instances */
    uint64_t instances;
    const struct pithlog_wait_state *worst; /* NULL: none */
    int64_t wrong_order_ns;                 /* late senders in the wrong order */
    uint64_t wrong_order;                   /* number of late senders in the wrong order */
    int64_t *of_state, *of_lane;            /* ns by state and by lane: [definitions], [lanes] */
    uint64_t *state_counts;                 /* number of instances by state: [definitions] */
};
/* Returns the groups [PITHLOG_WAIT_KINDS], by kind, valid as long as the analysis; or NULL if there is no memory. */
const struct pithi_wait_group *pithi_wait_groups(struct pithlog_analysis *analysis);
void pithi_findings_free(struct pithlog_analysis *analysis);

/* Finds the iterations *first to *last, counted from 0, in which the cost of a finding lies. The finding is a kind of
 * waiting or a load imbalance. Less than 1 / PITHI_RARE of the cost lies before iteration *first, and less than that
 * after *last. Sets *costly to the number of iterations that have nearly all of the cost. Call
 * pithlog_analysis_iterations before. Returns 1 if it finds them. Returns 2 if the *costly iterations are scattered, so
 * that a range says little. Returns 0 if there are none, or if most of the cost is outside all iterations. Returns the
 * negated error if it fails. */
enum { PITHI_RARE = 40 };
int pithi_finding_iterations(struct pithlog_analysis *analysis, const struct pithlog_finding *finding, size_t *first,
                             size_t *last, size_t *costly);
/* Returns 1 if the iterations `first` to `last` are nearly all, by number or by time. A text names a range of
 * iterations only if a fifth of the time lies outside the range. The borders of iterations are inexact, because an
 * iteration is measured on one lane and may lie elsewhere on other lanes. If ranks synchronise only in every fifth
 * iteration, the cost of five iterations lies in the fifth, and the four before it seem to have none. */
static inline int pithi_are_nearly_all(const struct pithlog_iterations *iterations, size_t first, size_t last)
{
    const struct pithlog_iteration *all = iterations->all;
    double time = (double)(all[iterations->count - 1].to_ns - all[0].from_ns);
    return (last - first + 1) * 10 >= iterations->count * 9 ||
           (double)(all[last].to_ns - all[first].from_ns) > 0.8 * time;
}

/* A step in the lengths of iterations: from iteration `first` on, their mean length is another one. `first` 0: there is
 * no step. */
struct pithi_step {
    size_t first;
    double before_ns, after_ns;
};
/* Returns the step in the iterations that the last search found. Iterations with a step have no drift. */
struct pithi_step pithi_iterations_step(const struct pithlog_analysis *analysis);

/* Sums of times by iteration. For each lane, set at = 0, then add its times in order. */
struct pithi_iteration_sums {
    const struct pithlog_iterations *in; /* the caller's */
    double *of;                          /* [in->count] */
    size_t at;                           /* the iteration that the last time began in */
    double all;                          /* sum of all times, within and outside iterations */
};
void pithi_iteration_sums_add(struct pithi_iteration_sums *sums, int64_t from_ns, int64_t to_ns, double factor);

/* Sets *place to the longest piece of a lane in a state. */
void pithi_longest_piece(struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                         struct pithlog_finding_place *place);
/* Sets *place to the piece of a lane in a state for which another lane waits longest. If no lane waits for such a
 * piece, sets *place to the longest piece. */
void pithi_costliest_piece(struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                           struct pithlog_finding_place *place);
/* Sets counts[lane] to 1 for the lanes that count in findings, else to 0. A lane counts if it has MPI calls, unless it
 * computes far less than another lane of its rank with MPI calls. Such a thread only serves others
 * (MPI_THREAD_MULTIPLE), and its waiting costs nothing. Returns the number of lanes that count. */
uint32_t pithi_lanes_that_count(const struct pithlog_analysis *analysis, unsigned char *counts);
/* Returns 1 if files are read or written in this state, that is, for MPI_File_* and io:* (pith run --also io). */
int pithi_is_file_state(const struct pithlog_def *def);

/* Returns the finding on waiting for a core, if it costs at least the fraction PITHI_CROWDED of the run and more
 * threads have records than there are cores; otherwise NULL. Call pithlog_analysis_findings before. */
#define PITHI_CROWDED 0.10
const struct pithlog_finding *pithi_crowded(struct pithlog_analysis *analysis);
/* Like pithi_crowded, but only if this finding comes before all others and is the answer. Also returns NULL if an
 * imbalance or files cost at least twice as much, because a lack of cores does not explain these. */
const struct pithlog_finding *pithi_crowded_first(struct pithlog_analysis *analysis);
/* Like pithi_crowded, but also finds a lack of cores because of other programs: "no core", or "descheduled ranks" if
 * the system counted that ranks had no core for the fraction PITHI_CROWDED of the time. Returns NULL if there is
 * none. */
const struct pithlog_finding *pithi_lack_of_cores(struct pithlog_analysis *analysis);

/* Returns 1 if an imbalance or files cost at least twice as much as this lack of cores, so that the lack does not
 * explain them. */
int pithi_has_larger_cause(const struct pithlog_analysis *analysis, const struct pithlog_finding *lack);

#define PITHI_FINDING_LISTED 0.01 /* if findings cost a smaller fraction, texts for people give only their number */

/* Returns 1 if the system counted times in which ranks had no core, and these may be the only reason for a finding of
 * pithlog_analysis_findings. */
int pithi_finding_is_guess(const struct pithlog_analysis *analysis, const struct pithlog_finding *finding);

enum { PITHI_NAME_COLUMNS = 28 }; /* longer names of states are cut in the text of a finding */
/* Returns `ns` in percent of the time of all lanes with MPI calls. */
double pithi_analysis_percent(const struct pithlog_analysis *analysis, double ns);
/* Returns `text` with "rank 3", or "rank 3.1" if the rank has several threads. */
const char *pithi_lane_text(const struct pithlog *log, uint32_t lane, char text[32]);
/* Returns the number of cores that ranks may use (their affinity), on all hosts, or 0 if it is not known. Sets *all,
 * unless `all` is NULL, to the number of all cores of the hosts. */
uint32_t pithi_cores_of(const struct pithlog *log, uint32_t *all);
/* Returns the name of a state; "computing" for time outside all states. */
const char *pithi_state_text(const struct pithlog *log, uint32_t state);

/* The time of the calls of an MPI function, less their waiting, in the log and in a replay. */
struct pithi_replay_state {
    uint32_t state;
    uint64_t calls;           /* of all lanes */
    double log_ns, replay_ns; /* sums of all lanes */
};

enum { PITHI_WORST_STATES = 5 }; /* functions whose calls differ most in a replay */
/* Predictions are withheld if calls whose needs are unknown take more than this fraction of the time of all lanes. */
#define PITHI_UNKNOWN_MOST 0.1
#define PITHI_TRUSTED 0.02 /* a replay is trusted if its length differs from the run by at most this fraction */
/* How far an analysis can be trusted. */
struct pithi_trust {
    /* Receives in the log whose send is known; all receives or sends, whichever are more. */
    uint64_t messages, of_messages;
    /* Calls of collectives whose members are all known; all calls of collectives. */
    uint64_t collectives, of_collectives;
    int has_no_messages, has_no_collectives; /* 1: the log has such calls, but does not record their transfers */
    /* Time of calls whose needs the log does not have; the part of it on the critical path. */
    double unknown_ns, path_unknown_ns;
    double replay_ns; /* length of a replay on the fitted network; 0: no message or collective is known */
    struct pithi_replay_state worst[PITHI_WORST_STATES]; /* the largest differences in this replay */
    uint32_t worst_count;
};
/* Fills `trust`. This takes as long as a replay. Returns PITH_OK or an error. */
int pithi_trust_find(struct pithlog_analysis *analysis, struct pithi_trust *trust);
/* Starts pithi_trust_find in a thread, so the caller may use the analysis meanwhile. Without threads, pithi_trust_end
 * does the work. Returns NULL if there is no memory. */
struct pithi_trusting *pithi_trust_begin(struct pithlog_analysis *analysis);
/* Waits for the result; without a thread, finds it now. `trust` is NULL if the result is not wanted any more. No other
 * thread may use the analysis during this call. Returns PITH_OK or an error. */
int pithi_trust_end(struct pithi_trusting *trusting, struct pithi_trust *trust);

/* Transfers that are slow against their peers (slow_transfers.c): calls of one collective, or messages of two hosts. */
struct pithi_slow_transfers {
    struct pithi_slow_transfer {
        int is_coll;                            /* 1: calls of one collective; 0: messages */
        uint32_t state, with;                   /* with: ranks of a collective, or two hosts, 16 bits each */
        uint64_t calls, of;                     /* calls: slow calls or messages; of: all calls of the collective */
        double ns;                              /* cost: sum of the times beyond the typical time */
        double most_ns, slowest_ns, typical_ns; /* of the slowest call, or of the messages with most of the cost */
        uint32_t lane, other;                   /* lanes of the slowest call or message */
        int64_t at_ns, end_ns;                  /* begin and end of that call */
    } * list;
    uint32_t count, room;
};
/* Fills `slow`, which is all zero; the caller frees its list. Returns 0 if there is no memory. */
int pithi_slow_transfers_find(struct pithlog_analysis *analysis, struct pithi_slow_transfers *slow);

/* Ranks that read or write files one after another (serial_io.c). */
struct pithi_serial_io {
    double waited_ns;                 /* waiting of other ranks that MPI_File_* calls cause */
    uint32_t cause_lane, cause_state; /* the lane and state that cause most of it */
    double in_turn_ns;                /* calls that end one after another: their time beyond the quickest one */
    uint64_t batches;                 /* number of groups of such calls */
    int64_t worst_ns, at_ns, end_ns;  /* group with most of in_turn_ns: its part of it, begin, end; 0: none */
    uint32_t lane, other, state;      /* of this group: the lanes that end first and last, and the state */
};
/* Fills `found`, which is all zero. Returns 0 if there is no memory. */
int pithi_serial_io_find(struct pithlog_analysis *analysis, struct pithi_serial_io *found);

/* How long ranks could run but had no core, from MPI_Init to MPI_Finalize, summed over `ranks` (run_delay.c). */
struct pithi_run_delay {
    double delay_ns, cpu_ns, time_ns; /* sums over the threads that called MPI_Init */
    uint32_t ranks;                   /* ranks with run-delay counters */
    double threads_ns;                /* time without a core, summed over all other threads of these ranks */
};
/* Returns 1 and fills `delay`, or 0 if the log does not have the run delay. */
int pithi_run_delay_find(const struct pithlog *log, struct pithi_run_delay *delay);
/* Returns an array [lanes] with the run delay of each rank, which the caller frees. For the lane of thread 0 of each
 * rank: how long this thread had no core, and how long the other threads of the rank had none. 0 for other lanes, and
 * for ranks with less than 1 %. Returns NULL if the log does not have the run delay of single ranks, or there is no
 * memory. */
struct pithi_lane_run_delay {
    double delay_ns, threads_ns;
};
struct pithi_lane_run_delay *pithi_run_delay_of_lanes(const struct pithlog *log);
/* Names what may have used the cores, where there are enough cores for all ranks: "other programs", or "other threads
 * or programs" if other threads of the ranks had no core at times either. */
const char *pithi_run_delay_others(const struct pithi_run_delay *delay);
/* Writes a line, if the run delay is at least 1 % of the time. */
void pithi_run_delay_put(const struct pithlog *log, FILE *out);

/* Messages by pair and by rank, collectives by function (communication.c). */
enum { PITHI_TOP_PAIRS = 3 };
struct pithi_communication {
    /* Messages received in the window. If 0, so are all fields up to `colls`, except run_ns and ranks. */
    uint64_t messages;
    double bytes, run_ns;                /* bytes: sent in all; run_ns: length of the analysed time */
    uint32_t ranks, pair_count, senders; /* ranks: of the log; senders: ranks that send */
    struct pithi_rank_traffic {
        int32_t from, to;  /* ranks; -1: sums over all ranks */
        uint64_t messages; /* from `from` to `to` */
        double bytes;
    } pairs[PITHI_TOP_PAIRS],  /* the pairs with most bytes */
        sender, busiest,       /* the ranks that send most bytes, and most messages */
        receiver;              /* the rank that receives most bytes */
    uint32_t receiver_senders; /* other ranks that send to `receiver` */
    /* Bytes that were sent to `receiver` before it received a message of another rank, but received after that. */
    double receiver_late_bytes;
    /* The number of messages of pairs[0] whose speed is known. If 0, their speed and the fitted speed are 0. */
    uint64_t timed;
    double bytes_a_second, fitted_bytes_a_second, fitted_latency_ns;
    struct pithi_send_sizes {
        uint32_t least, most; /* bytes */
        /* calls: of this size; waited: how many of them waited. */
        uint64_t calls, waited;
    } waiting_sends, free_sends; /* blocking sends to a late receiver that waited for it, and smaller ones that did
                                    not; if `calls` is 0, the size does not decide which sends wait */
    struct pithi_overlap {
        int32_t rank;      /* -1: all */
        uint64_t messages; /* receives that overlap */
        /* ns: time in which the receives are under way; computing_ns, waiting_ns: how much of this time the rank
         * computes, and waits. */
        int64_t ns, computing_ns, waiting_ns;
    } overlap,     /* receives posted by an earlier call, from its begin to the completing call's end */
        *overlaps; /* [overlap_count] by rank */
    uint32_t overlap_count;
    struct pithi_coll_traffic {
        const char *function; /* valid as long as the log */
        /* calls: of all ranks; without_bytes: how many of these have no byte count in the log. */
        uint64_t calls, without_bytes;
        double bytes, got_bytes; /* sent and received, as the callers give them */
        uint32_t ranks;          /* number of ranks that call it */
        int32_t sender;          /* the rank that sends most bytes */
        double sender_bytes;     /* bytes that it sends */
    } * colls;                   /* [coll_count] functions that move data, and barriers; by bytes, calls and name */
    uint32_t coll_count;
};
/* Fills `found`. Leaves out the speeds if the replay in `trust` is missing. Returns PITH_OK or an error; free `found`
 * in both cases. */
int pithi_communication_find(struct pithlog_analysis *analysis, const struct pithi_trust *trust,
                             struct pithi_communication *found);
void pithi_communication_free(struct pithi_communication *found);
/* Writes a section of the page, unless both messages and collectives are below 1 MB. */
void pithi_communication_put(const struct pithi_communication *of, FILE *out);

/* Sums of one state over lanes, and the lane with most of it. */
struct pithi_state_sum {
    /* ns: sum over all lanes; most_ns: time of the lane `most`. */
    double ns, most_ns;
    uint32_t state, most; /* state: its definition; most: the lane with most of it */
};
/* Both return an array [*count], which the caller frees, or NULL if there is no memory. pithi_cause_sums: the few
 * states that cause most of the waiting of a group; pithi_path_sums: the few states with most time on the critical
 * path. The state with the most comes first. */
struct pithi_state_sum *pithi_cause_sums(const struct pithlog_analysis *analysis, const struct pithi_wait_group *group,
                                         uint32_t *count);
struct pithi_state_sum *pithi_path_sums(const struct pithlog_analysis *analysis, uint32_t *count);
/* Writes "refine: 4.000 ms (67 %), on rank 0" and a newline. */
void pithi_state_sum_put(const struct pithlog_analysis *analysis, const struct pithi_state_sum *sum, double all_ns,
                         FILE *out);
/* Returns the time of a state on the critical path beyond its mean time in the lanes with MPI calls. */
double pithi_path_imbalance(const struct pithlog_analysis *analysis, uint32_t state, double path_ns);
/* Writes "on rank 0", or "most on rank 3 (40 %)". */
void pithi_state_sum_place(const struct pithlog_analysis *analysis, const struct pithi_state_sum *sum, FILE *out);

/* ---- All findings of a log --------------------------------------------------------------------------------------- */

struct pithi_findings {
    struct pithlog *log;               /* not owned; NULL: none */
    const char *path;                  /* as the user gave it */
    int no_commands;                   /* 1: texts name no command that opens the log */
    struct pithlog_analysis *analysis; /* owned by the command */
    const struct pithlog_analysis_info *info;
    const struct pithi_wait_group *groups; /* by kind */
    const struct pithlog_finding *list;    /* largest first */
    uint32_t count, ranks, hosts;          /* number of findings, of ranks in the log, of different hosts */
    uint32_t cores, all_cores;             /* number of cores that ranks may use, of all cores; 0: not known */
    char **functions;                /* [count]: function that takes longer on a rank, by samples; NULL: not known */
    struct pithi_trusting *trusting; /* under way; NULL: not begun, or over */
    struct pithi_trust trust;        /* how far the analysis can be trusted, for the page */
    struct pithlog_computation computation;      /* all 0 without counters */
    const struct pithlog_iterations *iterations; /* of `analysis`; NULL: not asked for yet */
    const char *iterations_of;                   /* the state whose instances are the iterations; NULL: none */
    const struct pithlog_answer *answer;         /* of `analysis`; NULL: not asked for yet */
    char **sites, *answer_site; /* sites: [count]; where the worst instances are; NULL: not known (analyze_sites.c) */
};

/* Sets the error for an analysis whose window is empty, and returns PITH_ERR_UNSUPPORTED. */
int pithi_findings_none(const struct pithi_findings *findings, int is_damaged);
/* Fills `groups`, `list`, `count`, `ranks`, `hosts` and `cores` from log, analysis and info. Returns PITH_OK or an
 * error. */
int pithi_findings_gather(struct pithi_findings *findings);
/* Sets *from_ns and *to_ns to the place of a finding, with half of its length added on each side. */
void pithi_findings_around(const struct pithi_findings *findings, const struct pithlog_finding_place *place,
                           int64_t *from_ns, int64_t *to_ns);
/* Returns the command that shows the place in the viewer, "pith view LOG --from 1.2s --to 1.3s --rows 1,2", which the
 * caller frees. Returns NULL if `no_commands` is set, or if there is no memory. */
char *pithi_findings_command(const struct pithi_findings *findings, const struct pithlog_finding_place *place);
/* Returns the number of ranks of MPI_COMM_WORLD without records in the log. */
uint32_t pithi_findings_absent(const struct pithi_findings *findings);
/* Writes the object of `pith analyze --json`, with all wait states if `with_waits`. Returns PITH_OK or an error. */
int pithi_findings_json(const struct pithi_findings *findings, FILE *out, int with_waits);

#endif
