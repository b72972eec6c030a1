/* findings.c - what makes a run slow, each with its cost: wait states with their causes, load imbalance, transfers,
 * slow hosts and collectives, descheduled ranks, small messages, I/O, recording.
 *
 * A cost is a time of all lanes together, so that costs can be compared. Example: of three ranks, one takes 1.2 s in a
 * state, and the two others 0.4 s. The mean is 0.67 s, so this costs 3 x (1.2 - 0.67) = 1.6 s, which is 44 % of a run
 * of 1.2 s. Costs overlap (the waiting of the two others is a finding as well), so they cannot be summed. A finding
 * below PITHLOG_FINDING_LEAST of the run is left out; the rest is sorted by cost. */
#include "analysis/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/hybrid_model.h"
#include "analysis/replay/even_phases.h"
#include "analysis/thread_counters.h"
#include "base/decimal.h"
#include "base/error.h"

enum { NAME = PITHI_NAME_COLUMNS };

struct pithi_finding_list {
    struct pithi_wait_group groups[PITHLOG_WAIT_KINDS]; /* [by kind] */
    struct pithlog_finding *list;                       /* [count] largest first, once complete */
    unsigned char *is_guess;                            /* [count] */
    uint32_t count, room;
    char *text; /* text of the last finding */
    size_t text_size;
    double no_core_ns;         /* time without a core in the window, as the system counted it; 0: not counted */
    double threads_no_core_ns; /* time without a core of threads that do not call MPI_Init, in the whole run */
    struct pithi_lane_run_delay *of_lanes; /* [lanes] time without a core of each rank; NULL: only the sums are known */
    int is_complete;                       /* 1: all findings have been found */
};

/* The words for each finding: what it is, and what to do about it. */
static const struct words {
    const char *name, *is, *try;
} words[] = {
#define WAIT_KIND(kind, name, colour, is, try, meaning) {name, is, try},
#include "analysis/wait_kinds.def"
#undef WAIT_KIND
    {"load imbalance", NULL, "try: give a part of its work to other ranks"},
    {"OpenMP waiting", "threads that call MPI wait for the other threads of their teams",
     "try: give all threads equal parts (schedule), or fewer barriers (nowait)"},
    {"thread waiting", "threads that call MPI wait for other threads of their ranks",
     "try: let the thread that waits do a part of that work, or divide the work among more threads"},
    {"transfer", "the time in MPI calls without waiting for other ranks",
     "try: send less, fewer messages, or compute while they are under way"},
    {"files", NULL, "try: write less often, larger pieces, all ranks at the same time"},
    {"serialised MPI-IO", NULL,
     "try: write to different places at the same time, or use collective calls (MPI_File_write_all)"},
    {"slow collectives", NULL, "try: look at what else used the network or the cores at that time"},
    {"slow hosts", NULL, "try: keep ranks that talk much on one host, and look at the network"},
    {"small messages", NULL, "try: collect them in a buffer and send them as one"},
    {"descheduled ranks", NULL, "try: no more ranks than free cores; PITH_COUNTERS=run-delay measures it"},
    {"no core", NULL,
     "try: as many ranks and threads as cores, not bound to few of them (mpirun "
     "--bind-to none), and no other programs"},
    {"recording", NULL, "try: record less (PITH_SKIP); `pith compensate` removes this from the log"},
};

static const struct words *words_of(const char *name)
{
    static const struct words none;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return &none;
}

/* Begins a finding about a state and a lane; `lane` PITHI_NO_LANE: about no lane. Returns a stream for its text, or
 * NULL if there is no memory. The caller writes the text and calls `end`, which adds the finding to the list. Until
 * then it is not counted. */
static FILE *begin(struct pithlog_analysis *a, const char *name, double ns, uint32_t state, uint32_t lane)
{
    struct pithi_finding_list *found = a->found;

    if (!pithi_grow(&found->list, found->count, &found->room, sizeof *found->list))
        return NULL;
    found->list[found->count] =
        (struct pithlog_finding){.name = name,
                                 .ns = ns,
                                 .share = pithi_analysis_percent(a, ns) / 100,
                                 .state = state,
                                 .lane = lane,
                                 /* where to look, unless the finding sets a better place: the whole run */
                                 .place = {a->info.from_ns, a->info.to_ns, lane, PITHI_NO_LANE}};
    return open_memstream(&found->text, &found->text_size);
}

/* Completes the finding: appends its advice to the text, and adds it to the list. Returns 0 if there is no memory. */
static int end(struct pithlog_analysis *a, FILE *text)
{
    /* the advice is the last part of each text */
    const char *advice = words_of(a->found->list[a->found->count].name)->try;

    if (advice)
        fprintf(text, "%s\n", advice);
    if (fclose(text) != 0)
        return 0;
    a->found->list[a->found->count++].text = a->found->text;
    return 1;
}

/* Returns the place of the finding that `begin` has begun, for the caller to set. */
static struct pithlog_finding_place *place(struct pithlog_analysis *a)
{
    return &a->found->list[a->found->count].place;
}

/* Returns 1 if `ns` is below the fraction PITHLOG_FINDING_LEAST of the time of all lanes with MPI calls. */
static int is_small(const struct pithlog_analysis *a, double ns)
{
    return pithi_analysis_percent(a, ns) < 100 * PITHLOG_FINDING_LEAST;
}

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

/* Sums the wait states by kind, and of each kind by state and lane. Returns 0 if there is no memory. */
static int make_groups(struct pithlog_analysis *a)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    const struct pithlog_wait_state *waits;

    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++) {
        struct pithi_wait_group *group = &a->found->groups[kind];
        group->kind = kind;
        group->of_state = calloc(info->defs + (size_t)1, sizeof *group->of_state);
        group->of_lane = calloc(info->lanes + (size_t)1, sizeof *group->of_lane);
        group->state_counts = calloc(info->defs + (size_t)1, sizeof *group->state_counts);
        if (!group->of_state || !group->of_lane || !group->state_counts)
            return 0;
    }
    for (uint32_t lane = 0; lane < info->lanes; lane++) {
        size_t count = pithlog_analysis_waits(a, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            /* lets the system drop pages of a mapped file that were read */
            pithi_scratch_passed(&a->graph.scratch, sizeof *waits);
            struct pithi_wait_group *group = &a->found->groups[waits[i].kind];
            int64_t ns = waits[i].to_ns - waits[i].from_ns;
            if (!group->instances++ || ns > group->worst->to_ns - group->worst->from_ns)
                group->worst = &waits[i];
            group->ns += ns;
            group->of_state[waits[i].state] += ns;
            group->of_lane[lane] += ns;
            group->state_counts[waits[i].state]++;
            group->wrong_order += waits[i].order != PITHLOG_IN_ORDER;
            group->wrong_order_ns += waits[i].order != PITHLOG_IN_ORDER ? ns : 0;
        }
    }
    return 1;
}

/* Returns the groups, which the first call makes. All texts about waiting use them. */
const struct pithi_wait_group *pithi_wait_groups(struct pithlog_analysis *a)
{
    if (a->found)
        return a->found->groups;
    if (!(a->found = calloc(1, sizeof *a->found)) || !make_groups(a)) {
        pithi_findings_free(a);
        pithi_analysis_no_memory(a);
        return NULL;
    }
    return a->found->groups;
}

static uint32_t index_of_most(const int64_t *values, uint32_t count)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < count; i++)
        most = values[i] > values[most] ? i : most;
    return most;
}

/* Writes "ranks 1-3,7", of the lanes whose entry in `lanes` is not 0, in at most about 30 characters. */
static void put_ranks(const struct pithlog_analysis *a, const int64_t *lanes, FILE *out)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    size_t used = 0;
    int32_t first = -1, last = -1;
    char text[64] = "";
    int is_cut = 0;

    /* After the last lane, one more round ends the last range, because rank -2 follows no rank. */
    for (uint32_t i = 0; i <= info->lanes; i++) {
        int32_t rank = i < info->lanes ? pithlog_get_lane(a->graph.log, i)->rank : -2;
        if (i < info->lanes && !lanes[i])
            continue;
        /* A lane that is not the next rank ends a range; another thread of the same rank does not. */
        if (first >= 0 && rank != last && rank != last + 1) {
            if (used > 24) {
                is_cut = 1;
                break;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? "," : "", (int)first);
            if (last > first)
                used += (size_t)snprintf(text + used, sizeof text - used, "-%d", (int)last);
            first = rank;
        }
        first = first < 0 ? rank : first;
        last = rank;
    }
    fprintf(out, "%s %s%s", strpbrk(text, ",-") ? "ranks" : "rank", text, is_cut ? ",..." : "");
}

static void put_states(const struct pithlog_analysis *a, const struct pithi_wait_group *group, FILE *out)
{
    uint32_t defs = pithlog_get_info(a->graph.log)->defs, best = index_of_most(group->of_state, defs), count = 0;

    for (uint32_t i = 0; i < defs; i++)
        count += group->of_state[i] > 0;
    fprintf(out, "%.*s", NAME, pithi_state_text(a->graph.log, best));
    if (count > 1)
        /* "MPI_Recv (80 %) and 2 more" */
        fprintf(out, " (%.0f %%) and %u more", 100.0 * (double)group->of_state[best] / (double)group->ns, count - 1);
}

static int is_file(const struct pithlog_analysis *a, uint32_t state)
{
    return state != PITHLOG_COMPUTING && pithi_is_file_state(pithlog_get_def(a->graph.log, state));
}

/* Writes the causes that the analysis found for this kind of waiting, largest first. Returns 0 if there is no
 * memory. */
static int put_causes(const struct pithlog_analysis *a, const struct pithi_wait_group *group, FILE *out)
{
    uint32_t count;
    struct pithi_state_sum *sums = pithi_cause_sums(a, group, &count);

    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s ", i ? "         " : "caused by");
        if (pithlog_analysis_is_call(a, sums[i].state))
            fprintf(out, "transfer in ");
        pithi_state_sum_put(a, &sums[i], (double)group->ns, out);
    }
    /* If transfers cause at least half of the waiting, no rank is late, but the messages themselves take long. */
    if (count && pithlog_analysis_is_call(a, sums[0].state) && !is_file(a, sums[0].state) &&
        2 * sums[0].ns >= (double)group->ns)
        fprintf(out, "latency-bound: most of it is for data under way, not for a late rank\n");
    free(sums);
    return sums != NULL;
}

/* Returns the lane that causes most of a kind of waiting, or `worst` if no lane causes any. */
static uint32_t main_cause(const struct pithlog_analysis *a, uint32_t kind, uint32_t worst)
{
    double most = 0;

    for (size_t i = 0; i < a->delay_count; i++)
        /* the delay's direct cost, and its cost through ranks that waited in turn */
        if (a->delays[i].kind == kind && a->delays[i].direct_ns + a->delays[i].indirect_ns > most) {
            most = a->delays[i].direct_ns + a->delays[i].indirect_ns;
            worst = a->delays[i].lane;
        }
    return worst;
}

static int find_waits(struct pithlog_analysis *a)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    char text[PITHI_NS_TEXT], lane[32];

    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++) { /* kind 0 is no wait state */
        const struct pithi_wait_group *group = &a->found->groups[kind];
        const struct pithlog_wait_state *worst = group->worst;
        if (!worst || is_small(a, (double)group->ns))
            continue;
        FILE *out = begin(a, pithlog_wait_kind_name(kind), (double)group->ns,
                          /* the finding is about the state and the lane with most of the waiting */
                          index_of_most(group->of_state, info->defs), index_of_most(group->of_lane, info->lanes));
        if (!out)
            return 0;
        a->found->list[a->found->count].kind = kind;
        a->found->list[a->found->count].worst = worst;
        *place(a) = (struct pithlog_finding_place){worst->from_ns, worst->to_ns, worst->lane, worst->cause_lane};
        const char *is = words_of(pithlog_wait_kind_name(kind))->is;
        fprintf(out, "%s%sin ", is ? is : "", is ? ":\n" : "");
        put_states(a, group, out);
        fprintf(out, ", %llu time%s, ", (unsigned long long)group->instances, group->instances == 1 ? "" : "s");
        put_ranks(a, group->of_lane, out);
        fprintf(out, "\n");
        /* The program receives messages in another order than they are sent. The log does not show whether the program
         * could use that order. */
        if (group->wrong_order)
            fprintf(out,
                    "wrong order: %s in %llu of them: another message was there, which is received later, "
                    "perhaps for a later step\n",
                    pithi_ns_text(text, (double)group->wrong_order_ns), (unsigned long long)group->wrong_order);
        if (kind == PITHLOG_WAIT_FOR_PROGRESS)
            fprintf(out, "%s computes meanwhile, without calling MPI\n",
                    pithi_lane_text(a->graph.log, main_cause(a, kind, worst->cause_lane), lane));
        if (kind == PITHLOG_LATE_INNER_RANK)
            fprintf(out, "the tree is concluded from the times of these %llu calls\n",
                    (unsigned long long)group->instances);
        int good = put_causes(a, group, out);
        fprintf(out, "worst: %s on %s", pithi_ns_text(text, (double)(worst->to_ns - worst->from_ns)),
                pithi_lane_text(a->graph.log, worst->lane, lane));
        fprintf(out, ", waiting for %s\n", pithi_lane_text(a->graph.log, worst->cause_lane, lane));
        if (!end(a, out) || !good)
            return 0;
    }
    return 1;
}

/* ---- Other findings ---------------------------------------------------------------------------------------------- */

/* Finds the longest interval without a break that a lane spends in a state. If there is none, only at->lane is set. */
void pithi_longest_piece(struct pithlog_analysis *a, uint32_t lane, uint32_t state, struct pithlog_finding_place *at)
{
    int64_t longest_ns = -1, from_ns, to_ns;
    struct pithi_pieces p;

    at->lane = lane;
    for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        uint32_t of = p.piece->state;
        pithi_pieces_part(a, &p, &from_ns, &to_ns);
        if (of != state || to_ns - from_ns <= longest_ns)
            continue;
        longest_ns = to_ns - from_ns;
        at->from_ns = from_ns;
        at->to_ns = to_ns;
    }
}

/* Finds the interval of a lane in a state for which another lane waits longest. If no lane waits for such an interval,
 * takes the longest one. Example: all lanes compute for 30 ms up to a barrier, then this lane computes for 25 ms and
 * the others for 5. They wait for the second interval, not for the first. An interval before MPI_Finalize is taken only
 * if others wait for it END times as long as for any other interval. */
void pithi_costliest_piece(struct pithlog_analysis *a, uint32_t lane, uint32_t state, struct pithlog_finding_place *at)
{
    enum {
        BACK = 16, /* pieces that are looked at for each wait state */
        END = 4    /* a wait at MPI_Finalize counts 1 / END */
    };
    const struct pithi_graph *g = &a->graph;
    int64_t most_ns = 0;

    pithi_longest_piece(a, lane, state, at);
    for (uint32_t other = 0; other < pithlog_get_info(g->log)->lanes; other++)
        for (size_t i = 0; i < a->lanes[other].wait_count; i++) {
            const struct pithlog_wait_state *wait = &a->lanes[other].waits[i];
            int64_t part = wait->kind == PITHLOG_WAIT_AT_FINALIZE ? END : 1;
            pithi_scratch_passed(&a->graph.scratch, sizeof *wait);
            if (wait->cause_lane != lane || other == lane || (wait->to_ns - wait->from_ns) / part <= most_ns)
                continue;
            uint32_t index = pithi_graph_find(g, lane, wait->to_ns - 1);
            for (uint32_t back = 0; back < BACK; back++) {
                const struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, index);
                int64_t from_ns, to_ns, begin_ns, end_ns;
                pithi_analysis_part(a, piece, pithi_graph_next(g, lane, piece, index), &from_ns, &to_ns);
                begin_ns = from_ns > wait->from_ns ? from_ns : wait->from_ns;
                end_ns = to_ns < wait->to_ns ? to_ns : wait->to_ns;
                if (piece->state == state && (end_ns - begin_ns) / part > most_ns) {
                    most_ns = (end_ns - begin_ns) / part;
                    at->from_ns = from_ns;
                    at->to_ns = to_ns;
                }
                if (from_ns <= wait->from_ns || index-- == 0)
                    break;
            }
        }
}

/* Returns the most that recording may cost in a state on a lane. Pieces lie between records, so each piece contains the
 * cost of one record. A piece may also contain the time to get new memory for records, which for each call is about as
 * long as writing its records. Example: of 240,000 receives with records of 8, 8 and 9 ns, every 5100th is followed by
 * a piece of 100 us, which is 20 ns for each receive. */
static double recording_in(struct pithlog_analysis *a, uint32_t lane, uint32_t state)
{
    static const uint32_t kinds[] = {PITHLOG_ENTER, PITHLOG_ENTER, PITHLOG_RECV, PITHLOG_LEAVE};
    uint64_t count = 0;
    double ns = 0;
    struct pithi_pieces p;

    for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p))
        count += p.piece->state == state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        ns += (double)count * pithlog_own_cost_ns(a->graph.log, lane, kinds[i]);
    return ns;
}

uint32_t pithi_lanes_that_count(const struct pithlog_analysis *a, unsigned char *counts)
{
    enum { HARDLY = 10 }; /* a lane with less computing than 1 / HARDLY of its rank's busiest lane does not count */
    const struct pithlog *log = a->graph.log;
    uint32_t lanes = pithlog_get_info(log)->lanes, count = 0;

    for (uint32_t first = 0, end; first < lanes; first = end) { /* the lanes of a rank are neighbours */
        int64_t most_ns = 0;
        for (end = first; end < lanes && pithlog_get_lane(log, end)->rank == pithlog_get_lane(log, first)->rank; end++)
            if (pithlog_analysis_calls_mpi(a, end) && pithlog_analysis_useful_ns(a, end) > most_ns)
                most_ns = pithlog_analysis_useful_ns(a, end);
        for (uint32_t i = first; i < end; i++) {
            counts[i] = pithlog_analysis_calls_mpi(a, i) && HARDLY * pithlog_analysis_useful_ns(a, i) >= most_ns;
            count += counts[i];
        }
    }
    return count;
}

/* The states in which a lane spends more time than any other lane. A state's excess is the lane's time in it minus the
 * mean time of the lanes that count. */
struct excess {
    /* ns: the sum of the excesses of these states. most_ns, most and mean are about the state with the largest excess:
     * this excess, the lane's time in the state, and the mean time of the lanes in the state. */
    double ns, most_ns, most, mean;
    double waited_ns; /* time that other lanes waited for this lane while it was in these states */
    /* state: the state with the largest excess; states: the number of these states */
    uint32_t state, states;
};

/* Returns how long others waited for a lane because of its time in a state. */
static double waited_for(const struct pithlog_analysis *a, uint32_t lane, uint32_t state)
{
    double ns = 0;

    for (size_t i = 0; i < a->delay_count; i++)
        if (a->delays[i].lane == lane && a->delays[i].state == state)
            ns += a->delays[i].direct_ns + a->delays[i].indirect_ns;
    return ns;
}

/* Sets more_ns[lane] to how much longer each lane computes than the mean of the lanes that count. Only the phases
 * between collectives (even_phases.h) in which the lane computes longer are summed. Returns 0 if there is no memory.
 *
 *     rank 0   computes 20   barrier   computes 10   barrier      5 less, then 3 more: sum 3
 *     rank 1   computes 30   barrier   computes  4   barrier      5 more, then 3 less: sum 5 */
static int sum_more_in_phases(struct pithlog_analysis *a, const unsigned char *counts, uint32_t counting,
                              double *more_ns)
{
    struct pithi_scratch scratch = pithi_scratch_beside(&a->graph.scratch);
    struct pithi_phases phases;
    double *sums = NULL; /* [phases], over all lanes */
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes;

    if (pithi_phases_of_collectives(a, &scratch, &phases))
        sums = pithi_scratch_get(&scratch, phases.count * sizeof *sums);
    for (int is_summed = 0; sums && is_summed < 2; is_summed++)
        for (uint32_t i = 0; i < lanes; i++) {
            uint32_t piece = a->lanes[i].first, end = phases.first[i];
            while (counts[i] && piece < a->lanes[i].last) {
                pithi_phase_passed(&phases, i, piece, &end);
                double *sum = &sums[pithi_phase_at(&phases, i, end)];
                double ns = pithi_phase_rest(a, &phases, i, &piece, &end);
                if (is_summed)
                    more_ns[i] += fmax(0, ns - *sum / counting);
                else
                    *sum += ns;
            }
        }
    pithi_scratch_free(&scratch);
    return sums != NULL;
}

/* Finds states in which one lane spends more time than the mean of all lanes that count. The lane may spend less time
 * in other states (one lane computes the ocean, another the atmosphere), so the cost is at most what it computes more
 * than the mean in all states together. But if a barrier lies between the states, others have already waited when the
 * lane saves time in another state. So if others waited longer for these states, their waiting is the cost. It is at
 * most what the lane computes more than the mean in single phases between barriers. (Ranks that work one after another
 * also wait for states of one lane, but in each phase a rank computes as much as the mean.)
 *
 * An excess that the cost of recording may explain is no imbalance. Example: a rank computes 240,000 times for 22 ns
 * between calls, and the mean is 17 ns. As a record costs 9 ns, this says nothing about the program. */
static int find_imbalance(struct pithlog_analysis *a)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    char most_text[PITHI_NS_TEXT], mean_text[PITHI_NS_TEXT], name[32];
    struct excess *excess = calloc(info->lanes + (size_t)1, sizeof *excess);
    double *in_phases = calloc(info->lanes + (size_t)1, sizeof *in_phases), useful_ns = 0;
    unsigned char *counts = calloc(info->lanes + (size_t)1, 1);
    int good = excess && in_phases && counts, is_summed = 0;
    uint32_t lanes = good ? pithi_lanes_that_count(a, counts) : 0;

    for (uint32_t i = 0; good && i < info->lanes; i++)
        useful_ns += counts[i] ? (double)pithlog_analysis_useful_ns(a, i) : 0;
    for (uint32_t i = 0; good && i <= info->defs && lanes > 1; i++) {
        uint32_t state = i == info->defs ? PITHLOG_COMPUTING : i, most = 0;
        double sum = 0, most_ns = -1;
        /* Other findings are about MPI calls, files and waiting for threads. */
        if (state != PITHLOG_COMPUTING && (pithlog_analysis_is_call(a, state) || is_file(a, state) ||
                                           pithi_is_thread_wait(pithlog_get_def(a->graph.log, state))))
            continue;
        for (uint32_t lane = 0; lane < info->lanes; lane++) {
            double ns = (double)pithlog_analysis_state_ns(a, lane, state);
            if (!counts[lane])
                continue;
            sum += ns;
            if (ns > most_ns) {
                most_ns = ns;
                most = lane;
            }
        }
        /* Assigns each state to the lane with most time in it; `excess` sums the states by lane. */
        double mean = sum / lanes, more = most_ns - mean;
        /* the lane takes longer by `more`, and all lanes lose this time, as the others wait */
        if (is_small(a, more * lanes) || more < recording_in(a, most, state))
            continue;
        struct excess *of = &excess[most];
        of->ns += more;
        of->states++;
        of->waited_ns += waited_for(a, most, state);
        if (more > of->most_ns)
            *of = (struct excess){of->ns, more, most_ns, mean, of->waited_ns, state, of->states};
    }
    for (uint32_t lane = 0; good && lane < info->lanes; lane++) {
        const struct excess *of = &excess[lane];
        /* If the lane is in `ocean` 60 ms longer than the mean, and in `atmosphere` 50 ms shorter, the cost is 10 ms
         * for each lane. */
        double all_more = (double)pithlog_analysis_useful_ns(a, lane) - useful_ns / lanes;
        double cost = fmin(of->ns, all_more) * lanes, waited_ns = fmin(of->ns * lanes, of->waited_ns);
        FILE *out;
        if (waited_ns > cost && !is_small(a, waited_ns)) {
            if (!is_summed++ && !sum_more_in_phases(a, counts, lanes, in_phases)) {
                good = 0;
                break;
            }
            cost = fmax(cost, fmin(waited_ns, in_phases[lane] * lanes));
        }
        if (!of->states || is_small(a, cost))
            continue;
        if (!(out = begin(a, "load imbalance", cost, of->state, lane))) {
            good = 0;
            break;
        }
        pithi_costliest_piece(a, lane, of->state, place(a));
        fprintf(out, "%.*s takes %s on %s and %s on average", NAME, pithi_state_text(a->graph.log, of->state),
                pithi_ns_text(most_text, of->most), pithi_lane_text(a->graph.log, lane, name),
                pithi_ns_text(mean_text, of->mean));
        /* the lane is longer than the mean in other states as well */
        if (of->states > 1)
            fprintf(out, ";\nso do%s %u other state%s, less", of->states == 2 ? "es" : "", of->states - 1,
                    of->states == 2 ? "" : "s");
        fprintf(out, "\n");
        good = end(a, out);
    }
    free(excess);
    free(in_phases);
    free(counts);
    return good;
}

/* Finds how long threads that call MPI wait for other threads of their ranks, in the states of a group. Waits of
 * threads without MPI calls do not count, because such threads wait for work. */
static int find_thread_waits(struct pithlog_analysis *a, const char *name, const char *group)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    double sum_ns = 0, most_ns = 0;
    uint32_t state = 0, lane = 0;
    char text[PITHI_NS_TEXT], lane_text[32];
    struct pithi_meanwhile meanwhile;
    FILE *out;

    for (uint32_t i = 0; i < info->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(a->graph.log, i);
        for (uint32_t k = 0; pithi_is_thread_wait(def) && strcmp(def->group, group) == 0 && k < info->lanes; k++) {
            double ns = pithlog_analysis_calls_mpi(a, k) ? (double)pithlog_analysis_state_ns(a, k, i) : 0;
            sum_ns += ns;
            if (ns > most_ns) {
                most_ns = ns;
                state = i;
                lane = k;
            }
        }
    }
    if (is_small(a, sum_ns))
        return 1;
    if (!pithi_meanwhile_find(a, lane, state, &meanwhile) || !(out = begin(a, name, sum_ns, state, lane)))
        return 0;
    pithi_longest_piece(a, lane, state, place(a));
    fprintf(out, "%s:\nmost in %.*s, %s on %s (%.0f %%)\n", words_of(name)->is, NAME,
            pithi_state_text(a->graph.log, state), pithi_ns_text(text, most_ns),
            pithi_lane_text(a->graph.log, lane, lane_text), 100 * most_ns / (double)(a->info.to_ns - a->info.from_ns));
    if (meanwhile.share > 0)
        fprintf(out, "meanwhile thread %u is in %.*s, %.0f %% of it\n",
                (unsigned)pithlog_get_lane(a->graph.log, meanwhile.lane)->thread, NAME,
                pithi_state_text(a->graph.log, meanwhile.state), 100 * meanwhile.share);
    else
        fprintf(out, "what its other threads do meanwhile is not in the log\n");
    return end(a, out);
}

static void set_longest(struct pithlog_analysis *a, const struct pithlog_call_sum *sum)
{
    *place(a) =
        (struct pithlog_finding_place){sum->longest_from_ns, sum->longest_to_ns, sum->longest_lane, PITHI_NO_LANE};
}

int pithi_is_file_state(const struct pithlog_def *def)
{
    return strncmp(def->name, "MPI_File_", 9) == 0 || strncmp(def->name, "io:", 3) == 0;
}

/* Returns the bytes that a lane reads and writes within the window. They are summed from the events that wrappers
 * record in file calls: in those of MPI if `state` is one of these, else in those of POSIX. Returns 0 if the log has no
 * such events. */
static double accessed_bytes(struct pithlog_analysis *a, uint32_t lane, uint32_t state)
{
    const struct pithlog *log = a->graph.log;
    int is_mpi = strncmp(pithi_state_text(log, state), "MPI_", 4) == 0;
    const char *wanted = is_mpi ? "MPI file access" : "io:access", *bytes;
    struct pithlog_query query = {.from_ns = a->info.from_ns,
                                  .to_ns = a->info.to_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    double sum = 0;
    char text[512];

    if (pithlog_iter_open(a->graph.log, &query, &iter) != PITH_OK)
        return 0;
    while (pithlog_iter_next(iter, &record) > 0)
        if (strcmp(pithlog_get_def(log, record.id)->name, wanted) == 0) {
            pithlog_payload_text(log, &record, text, sizeof text);
            /* Formats differ, but the text of each payload contains "bytes=". */
            bytes = strstr(text, "bytes=");
            sum += bytes ? strtod(bytes + strlen("bytes="), NULL) : 0;
        }
    pithlog_iter_close(iter);
    return sum;
}

/* Finds the time that ranks spend with files: in MPI_File_*, and in POSIX calls (pith run --also io), without waiting
 * for other ranks. */
static int find_files(struct pithlog_analysis *a)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    double all_ns = 0, most_ns = 0, state_ns = 0;
    uint32_t most = 0, state = 0, ranks = 0;
    char text[PITHI_NS_TEXT], name[32];
    FILE *out;

    for (uint32_t lane = 0; lane < info->lanes; lane++) {
        double ns = 0;
        for (uint32_t i = 0; i < info->defs; i++)
            ns += is_file(a, i) ? (double)pithlog_analysis_state_ns(a, lane, i) : 0;
        all_ns += ns;
        ranks += ns > 0;
        if (ns > most_ns) {
            most_ns = ns;
            most = lane;
        }
    }
    if (is_small(a, all_ns))
        return 1;
    /* Finds the file call in which the lane with the longest time in files spends most of this time. */
    for (uint32_t i = 0; i < info->defs; i++) {
        double ns = is_file(a, i) ? (double)pithlog_analysis_state_ns(a, most, i) : 0;
        if (ns > state_ns) {
            state_ns = ns;
            state = i;
        }
    }
    if (!(out = begin(a, "files", all_ns, state, most)))
        return 0;
    pithi_longest_piece(a, most, state, place(a));
    double bytes = accessed_bytes(a, most, state);
    /* if one lane has nine tenths of the time, this is no parallel I/O */
    if (most_ns >= 0.9 * all_ns && a->info.lanes > 1)
        fprintf(out, "%s alone spends %s in files", pithi_lane_text(a->graph.log, most, name),
                pithi_ns_text(text, most_ns));
    else
        fprintf(out, "%u rank%s read%s or write%s files; %s for %s", ranks, ranks == 1 ? "" : "s",
                ranks == 1 ? "s" : "", ranks == 1 ? "s" : "", pithi_lane_text(a->graph.log, most, name),
                pithi_ns_text(text, most_ns));
    fprintf(out, ", most in %.*s", NAME, pithi_state_text(a->graph.log, state));
    if (bytes > 0)
        fprintf(out, ":\n%.4g MB, %.4g MB/s", bytes / 1e6, bytes / most_ns * 1e3); /* bytes / ns * 1000 is MB/s */
    fprintf(out, "\n");
    return end(a, out);
}

/* Returns 1 if the system counted that ranks had no core at times. */
static int lacked_cores(const struct pithlog *log)
{
    struct pithi_run_delay delay;

    return pithi_run_delay_find(log, &delay) && delay.delay_ns >= PITHI_CROWDED * delay.time_ns;
}

/* Finds the time of MPI calls outside wait states, except calls for files. In this time data moves, calls have
 * overhead, or a rank is descheduled. Waiting that no rule recognises counts as transfer, too. */
static int find_transfer(struct pithlog_analysis *a, const struct pithi_counter_sums *counters)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    struct pithlog_call_sum *sums = calloc(info->defs + (size_t)1, sizeof *sums);
    int64_t all_ns = 0, long_ns = 0;
    uint64_t long_calls = 0;
    uint32_t most = 0, longest = 0;
    char text[PITHI_NS_TEXT];
    struct pithi_run_delay delay;
    FILE *out;
    int good = sums && pithlog_analysis_calls(a, sums) == PITH_OK;

    for (uint32_t i = 0; good && i < info->defs; i++) {
        if (is_file(a, i))
            continue;
        all_ns += sums[i].transfer_ns;
        if (is_file(a, most) || sums[i].transfer_ns > sums[most].transfer_ns)
            most = i;
        /* long calls: longer than 1 ms and than 20 times the 10th percentile */
        if (sums[i].long_calls && (!long_calls || sums[i].longest_ns > sums[longest].longest_ns))
            longest = i;
        long_ns += sums[i].long_ns;
        long_calls += sums[i].long_calls;
    }
    if (good && !is_small(a, (double)all_ns)) {
        if (!(out = begin(a, "transfer", (double)all_ns, most, PITHI_NO_LANE)))
            good = 0;
        else {
            set_longest(a, &sums[most]);
            fprintf(out, "%s:\nmost of it in %.*s (%s, %llu call%s)\n", words_of("transfer")->is, NAME,
                    pithi_state_text(a->graph.log, most), pithi_ns_text(text, (double)sums[most].transfer_ns),
                    (unsigned long long)sums[most].calls, sums[most].calls == 1 ? "" : "s");
            good = end(a, out);
        }
    }
    /* Some calls took very long for the bytes that they move, because a rank had no core. Limits their sum to the time
     * without a core that the system counted. If the log has counters of this time, find_no_core uses these instead. */
    if (pithi_run_delay_find(a->graph.log, &delay) && (double)long_ns > delay.delay_ns + delay.threads_ns)
        long_ns = (int64_t)(delay.delay_ns + delay.threads_ns);
    if (good && !is_small(a, (double)long_ns) &&
        !pithi_counter_sums_of(a->graph.log, counters, PITHI_COUNTER_NO_CORE)) {
        if (!(out = begin(a, "descheduled ranks", (double)long_ns, PITHLOG_COMPUTING, PITHI_NO_LANE)))
            good = 0;
        else {
            uint32_t cores = pithi_cores_of(a->graph.log, NULL);
            set_longest(a, &sums[longest]);
            fprintf(out,
                    "in %llu call%s, transfer took over 1 ms and over 20 times as long as "
                    "in the fastest tenth (part of transfer): the system ran something else on "
                    "the core of the rank or of its partner; ",
                    (unsigned long long)long_calls, long_calls == 1 ? "" : "s");
            if (cores && a->info.lanes > cores)
                fprintf(out, "%u ranks share %u core%s\n", a->info.lanes, cores, cores == 1 ? "" : "s");
            else if (cores && lacked_cores(a->graph.log))
                fprintf(out, "other programs were running\n");
            else
                /* texts with "?" where the log does not show the reason */
                fprintf(out, cores ? "were other programs running?\n" : "are there more ranks than cores?\n");
            good = end(a, out);
        }
    }
    free(sums);
    return good;
}

/* Estimates how long a lane computes while it has a core. A lane may lose its core at any time, also while it waits
 * busily. So the same fraction of its computing is without a core as of the whole window. */
static double computing_with_core(const struct pithlog_analysis *a, uint32_t lane)
{
    const struct pithi_lane_run_delay *delay = &a->found->of_lanes[lane];
    double part = (delay->delay_ns + delay->threads_ns) / (double)(a->info.to_ns - a->info.from_ns);

    return (double)pithlog_analysis_useful_ns(a, lane) * (1 - fmin(part, 1));
}

/* Returns 1 if a lane computes longer than the others mostly because it had no core.
 *
 *     rank 2 computes 20 ms, 10 ms of it without a core; the others 10 ms. With a core, all are equal: returns 1
 *     each rank has no core half of the time; rank 2 computes 12 ms, the others 4. With a core, 6 and 2: returns 0 */
static int lacked_core(const struct pithlog_analysis *a, uint32_t lane)
{
    /* more_ns: by how much the lane computes longer than each other lane, summed; left_ns: the same, counting only time
     * with a core. */
    double more_ns = 0, left_ns = 0;

    for (uint32_t i = 0; i < pithlog_get_info(a->graph.log)->lanes; i++)
        if (i != lane && pithlog_analysis_calls_mpi(a, i)) {
            more_ns += (double)(pithlog_analysis_useful_ns(a, lane) - pithlog_analysis_useful_ns(a, i));
            left_ns += computing_with_core(a, lane) - computing_with_core(a, i);
        }
    return left_ns <= 0.2 * more_ns;
}

/* Returns how long others waited for ranks that computed longer only because they had no core. */
static double caused_by_lack(const struct pithlog_analysis *a)
{
    double ns = 0;

    for (uint32_t i = 0; a->found->of_lanes && i < a->found->count; i++)
        if (strcmp(a->found->list[i].name, "load imbalance") == 0 && lacked_core(a, a->found->list[i].lane))
            ns += a->found->list[i].ns;
    return ns;
}

/* Finds the least time that was lost because ranks had no core, in a log without counters of threads.
 *
 * A rank that waits for others loses nothing if it has no core meanwhile. The system counts this time all the same,
 * because MPI libraries poll while they wait. So the waiting time is subtracted. Example: four ranks run for 1 s each.
 * In sum, they have no core for 2 s, and wait for others for 0.5 s. So at least 1.5 s are lost. The system counts over
 * the whole run. If the whole run is 4 x 1.1 s, up to 0.4 s of the 2 s may lie outside the analysed part, so at least
 * 1.1 s are lost.
 *
 * If the log has the time without a core of each rank, this is done for each rank, and the waiting time of other ranks
 * that the loss caused is added. */
static int find_run_delay(struct pithlog_analysis *a)
{
    uint32_t cores = pithi_cores_of(a->graph.log, NULL), lanes = pithlog_get_info(a->graph.log)->lanes, worst = 0;
    struct pithi_run_delay delay;
    double window_ns = (double)(a->info.to_ns - a->info.from_ns), all_ns = window_ns * a->info.lanes;
    double least_ns, worst_ns = 0, caused_ns = caused_by_lack(a), shown_ns = 0; /* shown_ns: by single calls */
    char text[PITHI_NS_TEXT], name[32];
    FILE *out;

    if (!a->info.has_init || !a->info.has_finalize || !pithi_run_delay_find(a->graph.log, &delay))
        return 1;
    for (uint32_t i = 0; i < a->found->count; i++)
        /* the finding "descheduled ranks", on single long calls, has this part already */
        if (strcmp(a->found->list[i].name, "descheduled ranks") == 0)
            shown_ns = a->found->list[i].ns;
    /* The system counts over the whole run. In the worst case, ranks had no core in all of the run outside the analysed
     * part, so this time is subtracted. */
    a->found->no_core_ns = fmax(0, delay.delay_ns - fmax(0, delay.time_ns - all_ns));
    a->found->threads_no_core_ns = delay.threads_ns;
    least_ns = a->found->no_core_ns - (double)a->info.wait_ns;
    for (uint32_t i = 0, first = 1; a->found->of_lanes && i < lanes; i++, first = 0) {
        double outside_ns = fmax(0, delay.time_ns / delay.ranks - window_ns);
        double lost_ns = fmax(0, a->found->of_lanes[i].delay_ns - outside_ns);
        for (size_t k = 0; k < a->lanes[i].wait_count; k++)
            lost_ns -= (double)(a->lanes[i].waits[k].to_ns - a->lanes[i].waits[k].from_ns);
        lost_ns = fmax(0, lost_ns);
        least_ns = first ? lost_ns : least_ns + lost_ns;
        worst = lost_ns > worst_ns ? i : worst;
        worst_ns = fmax(worst_ns, lost_ns);
    }
    if (least_ns <= shown_ns || is_small(a, least_ns))
        return 1;
    int is_one =
        delay.ranks > 1 && worst_ns > 0.6 * least_ns && a->found->of_lanes[worst].delay_ns > 0.6 * delay.delay_ns;
    if (!(out = begin(a, "no core", least_ns + caused_ns, PITHLOG_COMPUTING, is_one ? worst : PITHI_NO_LANE)))
        return 0;
    if (is_one)
        fprintf(out, "%s could run, but the system gave it no core for %s while it did not wait for others",
                pithi_lane_text(a->graph.log, worst, name), pithi_ns_text(text, worst_ns));
    else
        fprintf(out, "%u rank%s", delay.ranks, delay.ranks == 1 ? "" : "s");
    if (!is_one && cores)
        fprintf(out, " on %u core%s", cores, cores == 1 ? "" : "s");
    if (!is_one)
        fprintf(out, " could run, but the system gave them no core, at "
                     "least so long while they did not wait for others");
    if (caused_ns > 0)
        fprintf(out, "; others waited %s for %s", pithi_ns_text(text, caused_ns), is_one ? "it" : "them");
    fprintf(out, "\n");
    return end(a, out);
}

/* Finds the time in which threads could run but had no core, as the system counted it. The text gives the sum, the time
 * in the call with most of it, and the time outside MPI calls. */
static int find_no_core(struct pithlog_analysis *a, const struct pithi_counter_sums *counters)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    const double *no_core = pithi_counter_sums_of(a->graph.log, counters, PITHI_COUNTER_NO_CORE);
    struct pithlog_call_sum *sums;
    struct pithi_run_delay delay;
    double all_ns = 0, outside_ns = 0;
    uint32_t worst = info->defs, cores = pithi_cores_of(a->graph.log, NULL);
    char text[PITHI_NS_TEXT];
    FILE *out;

    if (pithi_run_delay_find(a->graph.log, &delay))
        a->found->of_lanes = pithi_run_delay_of_lanes(a->graph.log);
    if (!no_core)
        return find_run_delay(a);
    for (uint32_t i = 0; i <= info->defs; i++) {
        int is_call = i < info->defs && pithi_graph_is_call(&a->graph, i);
        /* outside MPI calls, a lack of a core stops work; inside, the thread may have waited anyway */
        all_ns += no_core[i];
        outside_ns += is_call ? 0 : no_core[i];
        if (is_call && (worst == info->defs || no_core[i] > no_core[worst]))
            worst = i;
    }
    a->found->no_core_ns = all_ns;
    if (is_small(a, all_ns))
        return 1;
    if (!(sums = calloc(info->defs + (size_t)1, sizeof *sums)) || pithlog_analysis_calls(a, sums) != PITH_OK ||
        !(out = begin(a, "no core", all_ns + caused_by_lack(a), PITHLOG_COMPUTING, PITHI_NO_LANE))) {
        free(sums);
        return 0;
    }
    fprintf(out, "%u rank%s", a->info.lanes, a->info.lanes == 1 ? "" : "s");
    if (cores)
        fprintf(out, " on %u core%s", cores, cores == 1 ? "" : "s");
    fprintf(out, ": threads could run, but the system gave them no core;\n");
    if (worst < info->defs && no_core[worst] > 0) {
        double call_ns = (double)(sums[worst].wait_ns + sums[worst].transfer_ns);
        /* the counter is read at other moments than the call's times, so it may exceed the call */
        double share = call_ns > no_core[worst] ? 100 * no_core[worst] / call_ns : 100;
        fprintf(out, "%.0f %% of %.*s (%s) is waiting for a core, and ", share, NAME,
                pithi_state_text(a->graph.log, worst), pithi_ns_text(text, no_core[worst]));
    }
    fprintf(out, "%s of the time outside MPI calls\n", pithi_ns_text(text, outside_ns));
    free(sums);
    return end(a, out);
}

static int find_slow_transfers(struct pithlog_analysis *a)
{
    struct pithi_slow_transfers slow = {0};
    char mean[PITHI_NS_TEXT], typical[PITHI_NS_TEXT], lane[32];
    int good = pithi_slow_transfers_find(a, &slow);

    for (uint32_t i = 0; good && i < slow.count; i++) {
        const struct pithi_slow_transfer *of = &slow.list[i];
        FILE *out;
        if (is_small(a, of->ns))
            continue;
        if (!(out = begin(a, of->is_coll ? "slow collectives" : "slow hosts", of->ns, of->state,
                          of->is_coll ? of->lane : PITHI_NO_LANE)))
            good = 0;
        else {
            *place(a) = (struct pithlog_finding_place){of->at_ns, of->end_ns, of->lane,
                                                       of->is_coll ? PITHI_NO_LANE : of->other};
            pithi_ns_text(mean, of->slowest_ns);
            pithi_ns_text(typical, of->typical_ns);
            if (of->is_coll)
                fprintf(out,
                        "%.*s: %llu of %llu calls took over 3 times the median of "
                        "calls of its size, though all ranks had come; slowest: %s, median %s, on %s at %.6fs\n",
                        NAME, pithi_state_text(a->graph.log, of->state), (unsigned long long)of->calls,
                        (unsigned long long)of->of, mean, typical, pithi_lane_text(a->graph.log, of->lane, lane),
                        (double)of->at_ns / 1e9);
            else
                fprintf(out,
                        "%llu messages between hosts %.*s and %.*s take longer than "
                        "those of their size between other hosts; in %.*s %s, not %s\n",
                        (unsigned long long)of->calls, NAME / 2, pithlog_get_lane(a->graph.log, of->lane)->host,
                        NAME / 2, pithlog_get_lane(a->graph.log, of->other)->host, NAME,
                        pithi_state_text(a->graph.log, of->state), mean, typical);
            good = end(a, out);
        }
    }
    free(slow.list);
    return good;
}

static int find_serial_io(struct pithlog_analysis *a)
{
    struct pithi_serial_io io = {0};
    char text[PITHI_NS_TEXT], lane[32];
    FILE *out;

    if (!pithi_serial_io_find(a, &io))
        return 0;
    if (is_small(a, io.waited_ns + io.in_turn_ns))
        return 1;
    /* Serial I/O shows in two ways: other ranks wait for the rank that writes, or calls that begin together end in
     * turn. The way with the larger cost gives the place. */
    int waits = io.waited_ns > io.in_turn_ns;
    if (!(out = begin(a, "serialised MPI-IO", io.waited_ns + io.in_turn_ns, waits ? io.cause_state : io.state,
                      waits ? io.cause_lane : io.lane)))
        return 0;
    if (waits)
        pithi_longest_piece(a, io.cause_lane, io.cause_state, place(a));
    else
        *place(a) = (struct pithlog_finding_place){io.at_ns, io.end_ns, io.lane, io.other};
    fprintf(out, "ranks read or write files one after another:\n");
    if (!is_small(a, io.waited_ns))
        fprintf(out, "other ranks wait %s for calls like %.*s on %s\n", pithi_ns_text(text, io.waited_ns), NAME,
                pithi_state_text(a->graph.log, io.cause_state), pithi_lane_text(a->graph.log, io.cause_lane, lane));
    if (!is_small(a, io.in_turn_ns))
        fprintf(out,
                "%llu time%s, calls of several ranks began together but ended one after another; "
                "their time beyond that of the quickest is %s; most of it in %.*s\n",
                (unsigned long long)io.batches, io.batches == 1 ? "" : "s", pithi_ns_text(text, io.in_turn_ns), NAME,
                pithi_state_text(a->graph.log, io.state));
    return end(a, out);
}

static int find_small_messages(struct pithlog_analysis *a)
{
    char text[PITHI_NS_TEXT];
    int64_t ns;
    uint64_t count = pithlog_analysis_small_messages(a, &ns), sends = 0;
    uint32_t most = 0;
    FILE *out;

    if (is_small(a, (double)ns))
        return 1;
    for (uint32_t i = 0; i < pithlog_get_info(a->graph.log)->lanes; i++) {
        /* finds the lane that spends most time on small messages */
        most = a->graph.lanes[i].small_ns > a->graph.lanes[most].small_ns ? i : most;
        sends += a->graph.lanes[i].sends;
    }
    if (!(out = begin(a, "small messages", (double)ns, PITHLOG_COMPUTING, most)))
        return 0;
    fprintf(out,
            "%llu of %llu messages could be part of the message before them: at most "
            "1 KiB, to the same rank, with no receive in between; %s each\n",
            (unsigned long long)count, (unsigned long long)sends, pithi_ns_text(text, (double)ns / (double)count));
    return end(a, out);
}

/* Finds the cost of recording: the measured cost of a record times the number of records. The measured cost of a
 * state's begin or end includes the reading of the thread counters. If only a part of the log is read, the records of a
 * lane are estimated in proportion to its time, and those in the window in proportion to its pieces. */
static int find_own_cost(struct pithlog_analysis *a, const struct pithi_counter_sums *counters)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    double ns = 0;
    FILE *out;

    for (uint32_t i = 0; i < info->lanes; i++) {
        const struct pithi_graph_lane *read = &a->graph.lanes[i];
        const struct pithlog_lane *lane = pithlog_get_lane(a->graph.log, i);
        /* fraction of this lane's pieces that lie within the window */
        double part = (double)(a->lanes[i].last - a->lanes[i].first) / read->pieces.count;
        if (read->last_ns > read->first_ns) /* otherwise the lane has no time or no records */
            part *= (double)(read->last_ns - read->first_ns) / (double)(lane->last_ns - lane->first_ns);
        double records = (double)lane->records * part - (counters->count ? (double)counters->records[i] : 0);
        /* an enter and a leave share one cost of a call, so each record has half */
        ns += (records > 0 ? records : 0) * (pithlog_own_cost_ns(a->graph.log, i, PITHLOG_ENTER) +
                                             pithlog_own_cost_ns(a->graph.log, i, PITHLOG_OWN_CALL) / 2);
    }
    if (pithi_analysis_percent(a, ns) < 1)
        return 1;
    if (!(out = begin(a, "recording", ns, PITHLOG_COMPUTING, PITHI_NO_LANE)))
        return 0;
    fprintf(out, "writing the records\n");
    return end(a, out);
}

/* Sorts by cost, largest first; equal costs by name, so that the order is always the same. */
static int by_cost(const void *a, const void *b)
{
    const struct pithlog_finding *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->name, y->name);
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if another finding (a load imbalance, files or transfers) causes at least half of the waiting of a
 * finding. */
static int is_caused_by(const struct pithlog_analysis *a, const struct pithlog_finding *waits,
                        const struct pithlog_finding *by)
{
    int is_imbalance = strcmp(by->name, "load imbalance") == 0, is_files = strcmp(by->name, "files") == 0;
    double ns = 0;

    if (!waits->kind || (!is_imbalance && !is_files && strcmp(by->name, "transfer") != 0))
        return 0;
    for (size_t i = 0; i < a->delay_count; i++) {
        const struct pithlog_delay *delay = &a->delays[i];
        int in_files = is_file(a, delay->state);
        int in_call = delay->state != PITHLOG_COMPUTING && pithlog_analysis_is_call(a, delay->state);
        if (delay->kind == waits->kind && (is_imbalance ? delay->lane == by->lane && !in_call
                                           : is_files   ? in_files
                                                        : in_call && !in_files))
            ns += delay->direct_ns + delay->indirect_ns;
    }
    return 2 * ns >= waits->ns;
}

static int makes_transfers_long(const char *name)
{
    return strcmp(name, "slow collectives") == 0 || strcmp(name, "slow hosts") == 0 ||
           strcmp(name, "small messages") == 0 || strcmp(name, "descheduled ranks") == 0;
}

/* Returns 1 if the time of a finding is part of the time of another finding:
 *     a guess, perhaps lack of cores   part of "no core"
 *     waiting                          part of the imbalance, the files or the transfers that cause it
 *     what makes transfers long        part of the transfers
 *     files that are written in turn   part of the files
 * Waiting may cost up to a tenth more than its cause, and what makes transfers long up to a hundredth, because they are
 * summed in different ways. */
static int is_part_of(const struct pithlog_analysis *a, const struct pithlog_finding *part,
                      const struct pithlog_finding *of)
{
    /* A guess, which may be only a lack of cores, is listed below "no core" if that finding is listed. */
    if (pithi_finding_is_guess(a, part) && strcmp(of->name, "no core") == 0 && of->share >= PITHI_FINDING_LISTED)
        return part->ns <= of->ns;
    if (makes_transfers_long(part->name))
        return strcmp(of->name, "transfer") == 0 && part->ns <= 1.01 * of->ns;
    if (strcmp(part->name, "serialised MPI-IO") == 0)
        return strcmp(of->name, "files") == 0;
    /* waiting may be a little longer than the imbalance that causes it */
    return is_caused_by(a, part, of) && part->ns <= 1.1 * of->ns;
}

const struct pithlog_finding *pithi_crowded(struct pithlog_analysis *a)
{
    uint32_t cores = pithi_cores_of(a->graph.log, NULL);

    for (uint32_t i = 0; a->found && i < a->found->count; i++) {
        const struct pithlog_finding *of = &a->found->list[i];
        if ((strcmp(of->name, "no core") == 0 || strcmp(of->name, "descheduled ranks") == 0) && cores &&
            pithlog_get_info(a->graph.log)->lanes > cores && of->share >= PITHI_CROWDED)
            return of;
    }
    return NULL;
}

int pithi_has_larger_cause(const struct pithlog_analysis *a, const struct pithlog_finding *lack)
{
    for (uint32_t i = 0; i < a->found->count; i++) {
        const struct pithlog_finding *of = &a->found->list[i];
        if (of->ns >= 2 * lack->ns && !a->found->is_guess[i] &&
            (strcmp(of->name, "load imbalance") == 0 || strcmp(of->name, "files") == 0))
            return 1;
    }
    return 0;
}

const struct pithlog_finding *pithi_crowded_first(struct pithlog_analysis *a)
{
    const struct pithlog_finding *crowded = pithi_crowded(a);
    return crowded && !pithi_has_larger_cause(a, crowded) ? crowded : NULL;
}

const struct pithlog_finding *pithi_lack_of_cores(struct pithlog_analysis *a)
{
    const struct pithlog_finding *least = NULL;
    int is_counted = lacked_cores(a->graph.log);

    for (uint32_t i = 0; a->found && i < a->found->count; i++) {
        const struct pithlog_finding *of = &a->found->list[i];
        if (of->share >= PITHI_CROWDED &&
            (strcmp(of->name, "no core") == 0 || (strcmp(of->name, "descheduled ranks") == 0 && is_counted && !least)))
            least = of;
    }
    return least;
}

/* Returns 1 if most waiting of a kind may be for ranks that had no core, and the system counted this time for each
 * rank. If rank A waits for rank B because B had no core, A waits at most as long as B had none. Times below 1 % of the
 * run are below the resolution of the counters, so they count as 1 %. */
static int may_be_for_cores(const struct pithlog_analysis *a, uint32_t kind)
{
    const struct pithi_lane_run_delay *of_lanes = a->found->of_lanes;
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes;
    double *costs = of_lanes ? calloc(lanes + (size_t)1, sizeof *costs) : NULL, all_ns = 0, for_cores_ns = 0;
    double unsaid_ns = 0.01 * (double)(a->info.to_ns - a->info.from_ns);

    for (size_t i = 0; costs && i < a->delay_count; i++)
        if (a->delays[i].kind == kind)
            costs[a->delays[i].lane] += a->delays[i].direct_ns + a->delays[i].indirect_ns;
    for (uint32_t i = 0; costs && i < lanes; i++) {
        double delay_ns = fmax(of_lanes[i].delay_ns + of_lanes[i].threads_ns, unsaid_ns);
        all_ns += costs[i];
        for_cores_ns += fmin(costs[i], delay_ns * (a->info.lanes - 1.0));
    }
    free(costs);
    return 2 * for_cores_ns >= all_ns;
}

/* Marks the guesses, that is, findings for which a lack of cores may be the only reason. A lack of cores that costs
 * less than PITHLOG_FINDING_LEAST explains nothing. The time without a core of a rank's other threads counts, too,
 * because the rank may wait for one of these.
 *
 *     Of four ranks, one has no core for 10 ms, and three wait for it: 30 ms. So up to three times the time without a
 *     core may be waiting for this reason. But waiting caused by an imbalance or by files is a guess only if that
 *     imbalance or files finding is one.
 *
 *     An imbalance of 10 ms on one of four ranks costs 30 ms, too, but it is on the same rank in the whole run. It is a
 *     guess if ranks had no core, on average, for as long as this rank computes longer than the mean. If the log has
 *     the time without a core of each rank, it is a guess if this rank computes longer for lack of a core.
 *
 * Returns 0 if there is no memory. */
static int find_guesses(struct pithlog_analysis *a)
{
    static const char *const may_lack_cores[] = {"load imbalance", "transfer",       "slow collectives",
                                                 "slow hosts",     "OpenMP waiting", "thread waiting"};
    struct pithi_finding_list *found = a->found;
    double no_core_ns = found->no_core_ns + found->threads_no_core_ns;

    no_core_ns = is_small(a, no_core_ns) ? 0 : no_core_ns;
    if (!(found->is_guess = calloc(found->count + (size_t)1, 1)))
        return 0;
    for (uint32_t i = 0; i < found->count; i++) {
        for (size_t k = 0; k < sizeof may_lack_cores / sizeof *may_lack_cores; k++)
            if (strcmp(found->list[i].name, may_lack_cores[k]) == 0 && found->list[i].ns <= no_core_ns)
                found->is_guess[i] = 1;
        if (found->of_lanes && strcmp(found->list[i].name, "load imbalance") == 0)
            found->is_guess[i] = (unsigned char)(no_core_ns > 0 && lacked_core(a, found->list[i].lane));
    }
    for (uint32_t i = 0; i < found->count; i++) {
        int may_be = found->list[i].kind && found->list[i].ns <= no_core_ns * (a->info.lanes - 1.0) &&
                     may_be_for_cores(a, found->list[i].kind);
        for (uint32_t k = 0; k < found->count && may_be; k++)
            may_be = found->is_guess[k] || !is_caused_by(a, &found->list[i], &found->list[k]);
        found->is_guess[i] |= may_be;
    }
    return 1;
}

int pithi_finding_is_guess(const struct pithlog_analysis *a, const struct pithlog_finding *finding)
{
    return a->found->is_guess[finding - a->found->list];
}

/* Returns the line of `text` that begins with the words `first`, or NULL if there is no such line. Only the begin of a
 * line counts, because the words may also stand in the name of a state. */
static const char *line_of(const char *text, const char *first)
{
    while (text && strncmp(text, first, strlen(first)) != 0)
        text = (text = strchr(text, '\n')) && text[1] ? text + 1 : NULL;
    return text;
}

/* Changes the advice of findings where ranks lack cores. Then transfers, and waiting for them, take long because of
 * this lack, and changing messages would not help. Moving work would not help either if a rank may be late only because
 * it had no core. In addition, a finding on waiting gets the advice on transfers if most of its waiting is for data
 * under way. Returns 0 if there is no memory. */
static int advise_again(struct pithlog_analysis *a)
{
    static const char part[] = "try: first give each rank a core; part of this waits for one\n";
    static const char all[] = "a guess: that ranks had no core at times may be the only reason\n"
                              "try: first give each rank a core\n";
    const struct pithlog_finding *lack = pithi_lack_of_cores(a);

    for (uint32_t i = 0; i < a->found->count; i++) {
        struct pithlog_finding *of = &a->found->list[i];
        const char *try = line_of(of->text, "try: ");
        const char *latency = line_of(of->text, "latency-bound");
        int is_guess = a->found->is_guess[i];
        int is_partly = lack && 2 * lack->share >= of->share && (latency || strcmp(of->name, "transfer") == 0);
        int lacks_cores = is_guess || is_partly;
        if (!try || (!lacks_cores && !latency))
            continue;
        /* Where cores are lacking, the line "latency-bound" is left out, because the latency is then not known. */
        const char *before = lacks_cores && latency ? latency : try;
        const char *next = lacks_cores && latency ? strchr(latency, '\n') + 1 : try;
        const char *advice = is_guess ? all : is_partly ? part : words_of("transfer")->try;
        size_t size = (size_t)(try - of->text) + strlen(advice) + 2;
        char *text = malloc(size);
        if (!text)
            return 0;
        snprintf(text, size, "%.*s%.*s%s%s", (int)(before - of->text), of->text, (int)(try - next), next, advice,
                 lacks_cores ? "" : "\n");
        free((char *)of->text);
        of->text = text;
    }
    return 1;
}

/* Reorders the findings, which are sorted by cost, so that each finding is followed by all findings that are parts of
 * it. Waiting for a core comes first if pithi_crowded_first returns it. Returns 0 if there is no memory. */
static int sort_findings(struct pithlog_analysis *a)
{
    struct pithi_finding_list *found = a->found;
    struct pithlog_finding *sorted = calloc(found->count + (size_t)1, sizeof *sorted);
    uint32_t *parent = calloc(found->count + (size_t)1, sizeof *parent), count = 0;
    unsigned char *is_guess = calloc(found->count + (size_t)1, 1);

    if (!sorted || !parent || !is_guess) {
        free(sorted);
        free(parent);
        free(is_guess);
        return 0;
    }
    const struct pithlog_finding *crowded = pithi_crowded(a), *put_first = pithi_crowded_first(a);
    /* The parent of a finding is the first finding of which it is a part. */
    for (uint32_t i = 0; i < found->count; i++)
        for (uint32_t k = 0; k < found->count && !parent[i] && &found->list[i] != crowded; k++)
            if (i != k && is_part_of(a, &found->list[i], &found->list[k]))
                parent[i] = k + 1;
    /* The list has only two levels: if late sender is part of an imbalance, and the imbalance part of no core, both are
     * shown as parts of no core. Parents form no cycle. Waiting can be part of an imbalance or of files, these can be
     * part only of "no core", and "no core" is part of nothing. */
    for (uint32_t i = 0; i < found->count; i++)
        while (parent[i] && parent[parent[i] - 1])
            parent[i] = parent[parent[i] - 1];
    uint32_t first = put_first ? (uint32_t)(put_first - found->list) : 0;
    for (uint32_t n = 0; n < found->count; n++) {
        /* the finding `first` goes to the front; those before it follow in their order */
        uint32_t i = n == 0 ? first : n <= first ? n - 1 : n;
        if (parent[i])
            continue;
        uint32_t top = count;
        is_guess[count] = found->is_guess[i];
        sorted[count++] = found->list[i];
        for (uint32_t k = 0; k < found->count; k++)
            if (parent[k] == i + 1) {
                is_guess[count] = found->is_guess[k];
                sorted[count] = found->list[k];
                sorted[count++].part_of = top + 1;
            }
    }
    free(found->is_guess);
    found->is_guess = is_guess;
    free(parent);
    free(found->list);
    found->list = sorted;
    found->room = found->count + 1;
    return 1;
}

int pithlog_analysis_findings(struct pithlog_analysis *a, const struct pithlog_finding **findings, uint32_t *count)
{
    *findings = NULL;
    *count = 0;
    if (!pithi_wait_groups(a))
        return PITH_ERR_MEMORY;
    if (!a->found->is_complete) {
        struct pithi_counter_sums counters;
        struct pithlog_query window = {.from_ns = a->info.from_ns, .to_ns = a->info.to_ns};
        /* Without MPI calls, it is not known which states compute. */
        int good =
            pithi_counter_sums_make(a->graph.log, &window, &counters) == PITH_OK && find_waits(a) &&
            find_own_cost(a, &counters) &&
            (!a->graph.has_mpi || (find_imbalance(a) && find_thread_waits(a, "OpenMP waiting", PITHI_OPENMP_WAITS) &&
                                   find_thread_waits(a, "thread waiting", PITHI_PTHREAD_WAITS) &&
                                   find_transfer(a, &counters) && find_no_core(a, &counters) && find_files(a) &&
                                   find_slow_transfers(a) && find_serial_io(a) && find_small_messages(a)));
        pithi_counter_sums_free(&counters);
        /* sorted before find_guesses sets is_guess, because is_guess[i] belongs to list[i] */
        if (good && a->found->count)
            qsort(a->found->list, a->found->count, sizeof *a->found->list, by_cost);
        if (!good || !find_guesses(a) || !advise_again(a) || !sort_findings(a)) {
            pithi_findings_free(a);
            return pithi_analysis_no_memory(a);
        }
        a->found->is_complete = 1;
    }
    *findings = a->found->list;
    *count = a->found->count;
    return PITH_OK;
}

void pithi_findings_free(struct pithlog_analysis *a)
{
    if (!a->found)
        return;
    for (uint32_t i = 0; i < a->found->count; i++)
        free((char *)a->found->list[i].text);
    free(a->found->list);
    free(a->found->is_guess);
    free(a->found->of_lanes);
    for (uint32_t kind = 0; kind < PITHLOG_WAIT_KINDS; kind++) {
        free(a->found->groups[kind].of_state);
        free(a->found->groups[kind].of_lane);
        free(a->found->groups[kind].state_counts);
    }
    free(a->found);
    a->found = NULL;
}

/* ---- Where in the run -------------------------------------------------------------------------------------------- */

/* The functions below find the iterations in which the cost of a finding lies. The cost is the time of wait states, or
 * the time by which a rank is longer in a state than the mean of all ranks in the same iteration. */

void pithi_iteration_sums_add(struct pithi_iteration_sums *costs, int64_t from_ns, int64_t to_ns, double factor)
{
    const struct pithlog_iteration *all = costs->in->all;

    /* Skips iterations that end before the interval: the intervals of a lane come in order of time. */
    while (costs->at < costs->in->count && all[costs->at].to_ns <= from_ns)
        costs->at++;
    for (size_t i = costs->at; i < costs->in->count && all[i].from_ns < to_ns; i++) {
        int64_t begin_ns = from_ns > all[i].from_ns ? from_ns : all[i].from_ns;
        int64_t end_ns = to_ns < all[i].to_ns ? to_ns : all[i].to_ns;
        costs->of[i] += end_ns > begin_ns ? factor * (double)(end_ns - begin_ns) : 0;
    }
    /* includes time outside all iterations, so that the caller can compare it with the time inside */
    costs->all += factor * (double)(to_ns - from_ns);
}

static void add_waits(struct pithlog_analysis *a, uint32_t kind, struct pithi_iteration_sums *costs)
{
    const struct pithlog_wait_state *waits;

    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(a, lane, &waits);
        costs->at = 0; /* each lane begins with the first iteration again */
        for (size_t i = 0; i < count; i++) {
            pithi_scratch_passed(&a->graph.scratch, sizeof *waits);
            if (waits[i].kind == kind)
                pithi_iteration_sums_add(costs, waits[i].from_ns, waits[i].to_ns, 1);
        }
    }
}

static void add_state(struct pithlog_analysis *a, uint32_t lane, uint32_t state, double factor,
                      struct pithi_iteration_sums *costs)
{
    int64_t from_ns, to_ns;
    struct pithi_pieces p;

    for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        if (p.piece->state != state)
            continue;
        pithi_pieces_part(a, &p, &from_ns, &to_ns);
        if (to_ns > from_ns)
            pithi_iteration_sums_add(costs, from_ns, to_ns, factor);
    }
}

/* Adds the cost of an imbalance to the iterations: the lane's time in the state beyond the mean of the lanes that
 * count. Returns 0 if there is no memory. */
static int add_imbalance(struct pithlog_analysis *a, const struct pithlog_finding *finding,
                         struct pithi_iteration_sums *costs)
{
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes;
    unsigned char *counts = calloc(lanes + (size_t)1, 1);
    uint32_t counting = counts ? pithi_lanes_that_count(a, counts) : 0;

    for (uint32_t lane = 0; counts && lane < lanes; lane++) {
        costs->at = 0;
        if (counts[lane])
            /* Sums the lane's time minus the mean. With 4 lanes, the lane's own time counts 1 - 1/4, and the time of
             * each other lane -1/4. */
            add_state(a, lane, finding->state, (lane == finding->lane) - 1.0 / counting, costs);
    }
    int good = counts != NULL;
    free(counts);
    /* An iteration in which the lane was faster than the mean costs nothing. */
    for (size_t i = 0; i < costs->in->count; i++)
        costs->of[i] = costs->of[i] > 0 ? costs->of[i] : 0;
    return good;
}

#define NEARLY_ALL 0.95

static int by_most(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

int pithi_finding_iterations(struct pithlog_analysis *a, const struct pithlog_finding *finding, size_t *first,
                             size_t *last, size_t *costly)
{
    struct pithi_iteration_sums costs = {.in = &a->iterations};
    double inside = 0, left = 0;

    if (!costs.in->count || (!finding->kind && strcmp(finding->name, "load imbalance") != 0))
        return 0;
    if (!(costs.of = calloc(costs.in->count, sizeof *costs.of)))
        return -pithi_analysis_no_memory(a);
    if (finding->kind)
        add_waits(a, finding->kind, &costs);
    else if (!add_imbalance(a, finding, &costs)) {
        free(costs.of);
        return -pithi_analysis_no_memory(a);
    }
    for (size_t i = 0; i < costs.in->count; i++)
        inside += costs.of[i];
    *first = 0;
    *last = costs.in->count - 1;
    /* Leaves out iterations at the begin, then at the end, as long as those left out together have little of the
     * cost. */
    for (; *first < *last && (left + costs.of[*first]) * PITHI_RARE < inside; ++*first)
        left += costs.of[*first];
    for (left = 0; *last > *first && (left + costs.of[*last]) * PITHI_RARE < inside; --*last)
        left += costs.of[*last];
    /* At least half of the cost must lie in iterations, because otherwise it would mislead to name some. A range would
     * mislead, too, if the cost lies in scattered iterations. */
    size_t few = 0;
    qsort(costs.of, costs.in->count, sizeof *costs.of, by_most);
    for (left = 0; few < costs.in->count && 2 * left < inside; few++)
        left += costs.of[few];
    for (*costly = few; *costly < costs.in->count && left < NEARLY_ALL * inside; ++*costly)
        left += costs.of[*costly];
    free(costs.of);
    if (2 * inside < costs.all || inside <= 0)
        return 0;
    return 2 * *costly <= *last - *first + 1 || (10 * few <= costs.in->count && *last - *first >= 2 * few) ? 2 : 1;
}
