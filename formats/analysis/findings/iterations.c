/* iterations.c - the iterations of a program: found by the period of a lane's calls, or given as the instances of a
 * state. Also finds the lengths of iterations, and what makes slow ones slow.
 *
 * A row has a symbol for each call of a lane: the function, the communicator's members, which lanes it receives from
 * and how much. period.c finds after how many calls the row repeats. With all details, a loop over different neighbours
 * has one period; without details, each exchange in the loop would look like an iteration. But if a program receives
 * from anybody, a row with senders does not repeat. So the search tries rows with fewer and fewer details, and the
 * result of a row with fewer details must explain more:
 *
 *     Send 1, Recv 1, Send 2, Recv 2, Allreduce, repeated     with senders   period 5: the loop
 *     Send, Recv from anybody, Allreduce, repeated            with senders   none; without   period 3
 *
 * The times of iterations are those of one lane. As ranks depend on each other, the other ranks are in about the same
 * iteration at these times, so their states within these times are compared. Example: an iteration takes 14 ms, the
 * median one 10 ms. Rank 2 is in `write` for 5 ms of the slow one and for 1 ms of the median one. So `write` on rank 2
 * makes the iteration slow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/graph/bins.h"
#include "analysis/mpi_calls.h"
#include "analysis/coll_rules.h"
#include "analysis/findings/period.h"
#include "analysis/waits/records.h"
#include "base/error.h"
#include "native/log.h"

/* ---- Iterations found by their period ---------------------------------------------------------------------------- */

enum { COVERED = 10 }; /* iterations must last for at least a tenth of the window */

/* Details that distinguish calls, beside their function and the communicator of a collective. */
enum detail {
    SENDERS = 1, /* the lanes that the call receives from */
    SIZES = 2    /* how many bytes it receives from each: a power of two */
};

/* Returns 1 if rows leave out this call, because it polls, and how often a program polls depends on chance. */
static int is_left_out(const struct pithlog_def *def)
{
    static const char *const names[] = {"Test", "Iprobe", "Improbe", "Get_count", "Get_elements", "Request_get_status"};
    size_t length;
    const char *call = pithi_mpi_call(def->name, &length);

    for (size_t i = 0; call && i < sizeof names / sizeof *names; i++)
        if (strncmp(call, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

/* Returns a hash of the lanes that a call receives from and of the sizes. The order of the messages does not matter. */
static uint64_t senders(const struct pithi_graph *g, const struct pithi_lane_piece *piece, int details)
{
    uint64_t sum = 0;

    if (g->is_call[piece->state] == PITHI_CALL_FIRST)
        return 0;
    for (const struct pithi_need *need = pithi_graph_need(g, piece->needs); need;
         need = pithi_graph_need(g, need->next))
        if (need->kind == PITHLOG_LATE_SENDER)
            sum +=
                pithi_hash_mix(pithi_hash_mix(PITHI_HASH, need->lane), details & SIZES ? pithi_log2(need->bytes) : 0);
    return sum;
}

/* Returns the symbol of a communicator. Communicators with the same members have the same symbol, because a loop may
 * make a new communicator each time. */
static uint64_t comm_symbol(const struct pithi_graph *g, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(g->log, number);
    uint64_t symbol = pithi_hash_mix(PITHI_HASH, number == 0);

    if (!comm)
        return symbol;
    symbol = pithi_hash_mix(pithi_hash_mix(symbol, (uint32_t)comm->size), (uint32_t)comm->remote_size);
    for (int32_t i = 0; i < comm->size + comm->remote_size; i++)
        symbol = pithi_hash_mix(symbol, (uint32_t)comm->world_ranks[i]);
    return symbol;
}

/* Returns the calls of a lane in the window, with symbols for these details. Returns NULL if there is no memory. */
static struct pithi_row_call *make_row(struct pithlog_analysis *a, uint32_t lane, int details, const uint64_t *comms,
                                       struct pithi_scratch *scratch, uint32_t *count)
{
    const struct pithi_graph *g = &a->graph;
    const struct pithi_graph_lane *of = &g->lanes[lane];
    struct pithi_row_call *row = pithi_scratch_get(scratch, (of->calls + (size_t)1) * sizeof *row);
    unsigned char *is_out = calloc(pithlog_get_info(g->log)->defs + (size_t)1, 1);

    *count = 0;
    for (uint32_t i = 0; is_out && i < pithlog_get_info(g->log)->defs; i++)
        is_out[i] = !g->is_call[i] || is_left_out(pithlog_get_def(g->log, i));
    struct pithi_pieces p;
    uint32_t m = 0;
    for (pithi_pieces_begin(&p, a, lane); row && is_out && p.index < p.end; pithi_pieces_next(&p)) {
        const struct pithi_lane_piece *piece = p.piece;
        pithi_scratch_passed(scratch, sizeof *row);
        if (piece->state == PITHLOG_COMPUTING || is_out[piece->state])
            continue;
        uint64_t symbol =
            pithi_hash_mix(PITHI_HASH, piece->state) + (details & SENDERS ? senders(g, piece, details) : 0);
        for (; m < of->members.count; m++) {
            const struct pithi_graph_member *member = pithi_chunks_at(&of->members, m, sizeof *member);
            if (member->piece > p.index)
                break;
            if (member->piece == p.index)
                symbol += pithi_hash_mix(symbol, comms[pithi_graph_coll(g, member->instance)->comm]);
        }
        struct pithi_row_call *call = &row[(*count)++];
        *call = (struct pithi_row_call){.symbol = (uint32_t)(symbol ^ symbol >> 32), .state = piece->state};
        pithi_pieces_part(a, &p, &call->begin_ns, &call->end_ns);
    }
    free(is_out);
    return is_out ? row : NULL;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Sets the times of the iterations. Between the last call of an iteration and the first call of the next, the program
 * computes. This computing belongs to the iteration before it if the loop begins with calls, otherwise to the iteration
 * after it. For example, a row of MPI_Send and MPI_Recv, repeated, with 5 ms of computing between them and the next
 * MPI_Send:
 *
 *     5 ms  Send Recv  5 ms  Send Recv  5 ms  Send Recv               the loop computes first
 *           Send Recv  5 ms  Send Recv  5 ms  Send Recv  5 ms         the loop begins with its calls
 *
 * The loop begins with calls if the program computes after the row's last call as long as usual, and does not compute
 * before the row's first call. Otherwise the first iteration begins before its first call, by the typical computing
 * time at most. Returns 0 if there is no memory. */
static int set_times(struct pithlog_analysis *a, const struct pithi_row_call *row, uint32_t count, uint32_t lane,
                     const struct pithi_period *period, struct pithlog_iterations *found)
{
    const uint32_t *firsts = period->firsts, *ends = period->ends, n = period->count;
    struct pithlog_iteration *all = pithi_scratch_get(&a->graph.scratch, (n + (size_t)1) * sizeof *all);
    int64_t *gaps = malloc(n * sizeof *gaps);

    for (uint32_t i = 0; gaps && i < n; i++)
        gaps[i] = row[firsts[i]].begin_ns - (firsts[i] ? row[firsts[i] - 1].end_ns : a->graph.from_ns);
    if (!all || !gaps) {
        free(gaps);
        return 0;
    }
    int64_t before_ns = gaps[0], gap_ns;
    int64_t after_ns = (ends[n - 1] < count ? row[ends[n - 1]].begin_ns : a->graph.to_ns) - row[ends[n - 1] - 1].end_ns;
    qsort(gaps + 1, n - 1, sizeof *gaps, by_value);
    gap_ns = gaps[n / 2];
    int calls_first = after_ns * 2 >= gap_ns && before_ns * 2 < gap_ns;
    for (uint32_t i = 0; i < n; i++) {
        const struct pithi_row_call *first = &row[firsts[i]], *last = &row[ends[i] - 1];
        int follows = i > 0 && ends[i - 1] == firsts[i], goes_on = i + 1 < n && firsts[i + 1] == ends[i];
        int64_t idle_ns = first->begin_ns - (firsts[i] ? first[-1].end_ns : a->graph.from_ns);
        int64_t next_ns = ends[i] < count ? last[1].begin_ns : a->graph.to_ns;
        all[i] = (struct pithlog_iteration){.from_ns = first->begin_ns - (calls_first ? 0
                                                                          : follows   ? idle_ns
                                                                                      : least(idle_ns, gap_ns)),
                                            .to_ns = !calls_first ? last->end_ns
                                                     : goes_on    ? next_ns
                                                               : last->end_ns + least(next_ns - last->end_ns, gap_ns),
                                            .lane = lane};
    }
    free(gaps);
    *found = (struct pithlog_iterations){.all = all, .count = n, .state = row[period->call].state, .lane = lane};
    return 1;
}

/* The result of the search in one row of calls. */
struct found {
    struct pithlog_iterations iterations;
    /* Fraction of the row's calls that lie in iterations. Unlike times, it does not depend on the system's noise. */
    double covered;
    int64_t median_ns; /* median of the lengths */
    int64_t sum_ns;    /* sum of the lengths */
};

/* Sets the other fields of `found` from its iterations. Returns 0 if there is no memory. */
static int measure_found(struct found *found, const struct pithi_period *period, uint32_t count)
{
    const struct pithlog_iterations *all = &found->iterations;
    int64_t *lengths = malloc((all->count + 1) * sizeof *lengths);
    uint32_t covered = 0;

    if (!lengths)
        return 0;
    for (size_t i = 0; i < all->count; i++) {
        covered += period->ends[i] - period->firsts[i];
        lengths[i] = all->all[i].to_ns - all->all[i].from_ns;
        found->sum_ns += lengths[i];
    }
    qsort(lengths, all->count, sizeof *lengths, by_value);
    found->median_ns = all->count ? lengths[(all->count - 1) / 2] : 0;
    found->covered = count ? (double)covered / count : 0;
    free(lengths);
    return 1;
}

/* Returns 1 if `found`, the result of a row with fewer details, replaces the result `before`. The new result must cover
 * more of the row. If its iterations are shorter, it must cover 1.3 times as much, because without details each
 * exchange of a message looks like an iteration. */
static int is_more(const struct found *found, const struct found *before)
{
    double least = 10 * found->median_ns >= 9 * before->median_ns ? 1 : 1.3;
    return found->covered > least * before->covered;
}

/* Searches on a lane, first with all details in the row, then with fewer, because a program may receive from any
 * sender, and sizes may change. */
static int find_on(struct pithlog_analysis *a, uint32_t lane)
{
    static const int details[] = {SENDERS | SIZES, SENDERS, 0};
    int64_t row_ns = a->graph.to_ns - a->graph.from_ns;
    uint32_t comm_count = pithlog_get_info(a->graph.log)->comms;
    uint64_t *comms = malloc((comm_count + (size_t)1) * sizeof *comms);
    struct found best = {.covered = 0};
    int good = comms != NULL;

    for (uint32_t i = 0; good && i < comm_count; i++)
        comms[i] = comm_symbol(&a->graph, i);
    for (size_t i = 0; good && best.covered < 0.99 && i < sizeof details / sizeof *details; i++) {
        struct pithi_scratch scratch = {0};
        struct pithi_period period = {0};
        struct found found = {.covered = 0};
        uint32_t count;
        const struct pithi_row_call *row = make_row(a, lane, details[i], comms, &scratch, &count);
        good = row && pithi_period_find(row, count, row_ns, &period);
        if (good && period.count)
            good = set_times(a, row, count, lane, &period, &found.iterations) && measure_found(&found, &period, count);
        if (good && is_more(&found, &best))
            best = found;
        free(period.firsts);
        free(period.ends);
        pithi_scratch_free(&scratch);
    }
    free(comms);
    if (best.sum_ns >= row_ns / COVERED) /* shorter loops are, for example, tests of the network */
        a->iterations = best.iterations;
    return good ? PITH_OK : pithi_analysis_no_memory(a);
}

/* Searches on the lane with the most calls; if it has no iterations, on the first lane that has calls. */
static int find(struct pithlog_analysis *a)
{
    const struct pithi_graph *g = &a->graph;
    uint32_t most = 0, first = UINT32_MAX;
    int err;

    for (uint32_t i = 0; i < pithlog_get_info(g->log)->lanes; i++) {
        if (g->lanes[i].calls > g->lanes[most].calls)
            most = i;
        if (g->lanes[i].calls && first == UINT32_MAX)
            first = i;
    }
    if (first == UINT32_MAX)
        return PITH_OK;
    err = find_on(a, most);
    return err || a->iterations.count || first == most ? err : find_on(a, first);
}

/* ---- Iterations given by a state --------------------------------------------------------------------------------- */

struct given {
    struct pithlog_analysis *a; /* not owned */
    unsigned char *is_named;    /* [definitions] */
    struct given_lane {
        struct pithi_chunks instances; /* struct pithlog_iteration */
        uint32_t open;                 /* number of open instances of the state */
        int64_t begin_ns;              /* begin of the outermost open instance */
    } * lanes;
};

static int take_instance(void *context, const struct pithlog_step *step)
{
    struct given *given = context;
    struct pithi_graph *g = &given->a->graph;
    struct given_lane *lane = &given->lanes[step->lane];

    if (step->change == PITHLOG_BEGINS && given->is_named[step->record->id] && lane->open++ == 0)
        lane->begin_ns = step->record->time_ns;
    if (step->change != PITHLOG_ENDS || !given->is_named[step->open[step->at].id])
        return PITH_OK;
    if (--lane->open || lane->begin_ns < g->from_ns || lane->begin_ns >= g->to_ns)
        return PITH_OK;
    struct pithlog_iteration *instance = pithi_chunks_add(&lane->instances, &g->scratch, sizeof *instance);
    if (!instance)
        return pithi_analysis_no_memory(given->a);
    *instance = (struct pithlog_iteration){lane->begin_ns, least(step->to_ns, g->to_ns), step->lane};
    return PITH_OK;
}

/* Sets the iterations: iteration n is the longest among the n-th instances of all lanes. */
static int longest_instances(struct given *given, uint32_t state)
{
    struct pithlog_analysis *a = given->a;
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes, count = 0, longest = 0, filled = 0;

    for (uint32_t i = 0; i < lanes; i++)
        if (given->lanes[i].instances.count > count) {
            count = given->lanes[i].instances.count;
            longest = i;
        }
    struct pithlog_iteration *all = pithi_scratch_get(&a->graph.scratch, (count + (size_t)1) * sizeof *all);
    if (!all)
        return pithi_analysis_no_memory(a);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithi_chunks *instances = &given->lanes[i].instances;
        for (uint32_t k = 0; k < instances->count; k++) {
            const struct pithlog_iteration *instance = pithi_chunks_at(instances, k, sizeof *instance);
            if (k >= filled || instance->to_ns - instance->from_ns > all[k].to_ns - all[k].from_ns)
                all[k] = *instance;
        }
        filled = instances->count > filled ? instances->count : filled;
    }
    a->iterations = (struct pithlog_iterations){.all = all, .count = count, .state = state, .lane = longest};
    return PITH_OK;
}

static int find_instances(struct pithlog_analysis *a, uint32_t state)
{
    struct pithlog *log = a->graph.log;
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct given given = {.a = a};
    struct pithi_reading reading = {.take = take_instance, .context = &given};
    int err = PITH_OK;

    given.is_named = calloc(info->defs + (size_t)1, 1);
    given.lanes = calloc(info->lanes + (size_t)1, sizeof *given.lanes);
    if (!given.is_named || !given.lanes)
        TRY(pithi_analysis_no_memory(a));
    for (uint32_t i = 0; i < info->defs; i++)
        given.is_named[i] = pithlog_get_def(log, i)->kind == PITHLOG_STATE &&
                            strcmp(pithlog_get_def(log, i)->name, pithlog_get_def(log, state)->name) == 0;
    err = pithi_read_steps(log, &query, &reading);
    if (err != PITH_ERR_DAMAGED) /* pithlog_analyze has reported the damage */
        TRY(err);
    TRY(longest_instances(&given, state));
out:
    for (uint32_t i = 0; given.lanes && i < info->lanes; i++)
        pithi_chunks_free(&given.lanes[i].instances);
    free(given.lanes);
    free(given.is_named);
    return err;
}

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

static int64_t length_of(const struct pithlog_iteration *iteration) { return iteration->to_ns - iteration->from_ns; }

/* Finds a step, that is, an iteration from which on the lengths have another mean. Lengths of 10, 11, 10, 10, 30, 31,
 * 29 and 30 have the mean 10 at first, and 30 from the fifth on. A line through these lengths would say that each
 * iteration is 3 longer than the one before.
 *
 * The step is at the iteration where two means, one before it and one from it on, leave the least sum of squared
 * residuals. The step counts if this sum is less than half of the sum that a line leaves, and less than an eighth of
 * the sum that a single mean leaves. (For lengths on a line, two means leave a quarter of the sum of a single mean.) */
static struct pithi_step find_step(const struct pithlog_iterations *all)
{
    double n = (double)all->count, sum = 0, squares = 0, products = 0, before = 0, best = INFINITY;
    struct pithi_step step = {0};

    for (size_t i = 0; i < all->count; i++) {
        double ns = (double)(length_of(&all->all[i]) - all->median_ns);
        sum += ns;
        squares += ns * ns;
        products += ((double)i - (n - 1) / 2) * ns;
    }
    for (size_t i = 0; i + PITHI_ITERATIONS_LEAST <= all->count; i++) {
        double after = sum - before, left = n - (double)i;
        double rest = i > 0 ? squares - before * before / (double)i - after * after / left : INFINITY;
        if (i >= PITHI_ITERATIONS_LEAST && rest < best) {
            best = rest;
            step = (struct pithi_step){i, (double)all->median_ns + before / (double)i,
                                       (double)all->median_ns + after / left};
        }
        before += (double)(length_of(&all->all[i]) - all->median_ns);
    }
    double from_mean = squares - sum * sum / n;
    double from_line = from_mean - products * products * 12 / (n * (n * n - 1));
    return best * 8 < from_mean && best * 2 < from_line ? step : (struct pithi_step){0};
}

/* Returns the slope of a straight line through the lengths up to `most_ns`, by least squares. Returns 0 unless the
 * slope is four times its standard error and changes the lengths by 5 % of the median in all. Sets *first_ns to the
 * length of the first iteration on this line. */
static double drift(const struct pithlog_iterations *all, int64_t most_ns, double *first_ns)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

    for (size_t i = 0; i < all->count; i++) {
        int64_t length_ns = length_of(&all->all[i]);
        if (length_ns > most_ns)
            continue;
        double dx = (double)i - (double)all->count / 2, dy = (double)(length_ns - all->median_ns);
        n += 1;
        x += dx;
        y += dy;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if (n < 2 * PITHI_ITERATIONS_LEAST)
        return 0;
    xx -= x * x / n;
    xy -= x * y / n;
    yy -= y * y / n;
    double slope = xy / xx;
    *first_ns = (double)all->median_ns + y / n - slope * ((double)all->count / 2 + x / n);
    double rest = yy - slope * xy, error = rest > 0 ? sqrt(rest / (n - 2) / xx) : 0;
    return fabs(slope) > 4 * error && fabs(slope) * (n - 1) >= 0.05 * (double)all->median_ns ? slope : 0;
}

/* Adds `sign` times the time of a lane within an iteration: by state, without wait states, and by kind of wait
 * state. */
static void add_times(const struct pithlog_analysis *a, uint32_t lane, const struct pithlog_iteration *in, double sign,
                      double *of_state, double *of_kind)
{
    const struct pithi_graph *g = &a->graph;
    const struct pithi_analysis_lane *of = &a->lanes[lane];
    uint32_t outside = pithlog_get_info(g->log)->defs;
    size_t low = 0, high = of->wait_count;

    for (uint32_t i = pithi_graph_find(g, lane, in->from_ns); i + 1 < g->lanes[lane].pieces.count; i++) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, i);
        if (piece->begin_ns >= in->to_ns)
            break;
        int64_t from_ns = piece->begin_ns > in->from_ns ? piece->begin_ns : in->from_ns;
        int64_t to_ns = least(pithi_graph_piece(g, lane, i + 1)->begin_ns, in->to_ns);
        of_state[piece->state == PITHLOG_COMPUTING ? outside : piece->state] += sign * (double)(to_ns - from_ns);
    }
    while (low < high) { /* finds the first wait state that ends after the iteration's begin */
        size_t middle = low + (high - low) / 2;
        if (of->waits[middle].to_ns <= in->from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < of->wait_count && of->waits[low].from_ns < in->to_ns; low++) {
        const struct pithlog_wait_state *wait = &of->waits[low];
        int64_t from_ns = wait->from_ns > in->from_ns ? wait->from_ns : in->from_ns;
        double ns = sign * (double)(least(wait->to_ns, in->to_ns) - from_ns);
        of_state[wait->state] -= ns;
        of_kind[wait->kind] += ns;
    }
}

/* Compares a slow iteration with the median iteration. Finds the state, or the kind of wait state, and the lane whose
 * time grew most. A kind of wait state is named only if no state grew by a quarter of the excess, because a lane that
 * waits is not the cause: another lane is late. */
static int explain(const struct pithlog_analysis *a, const struct pithlog_iteration *median,
                   struct pithlog_slow_iteration *slow)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    size_t states = info->defs + (size_t)1;
    double *times = malloc((states + PITHLOG_WAIT_KINDS) * sizeof *times);
    struct pithlog_slow_iteration waiting = *slow;

    if (!times)
        return pithi_analysis_no_memory(a);
    for (uint32_t lane = 0; lane < info->lanes; lane++) {
        memset(times, 0, (states + PITHLOG_WAIT_KINDS) * sizeof *times);
        add_times(a, lane, &a->iterations.all[slow->index], 1, times, times + states);
        add_times(a, lane, median, -1, times, times + states);
        for (uint32_t i = 0; i < states + PITHLOG_WAIT_KINDS; i++) {
            struct pithlog_slow_iteration *best = i < states ? slow : &waiting;
            if ((int64_t)times[i] <= best->difference_ns)
                continue;
            best->difference_ns = (int64_t)times[i];
            best->lane = lane;
            best->state = i < info->defs ? i : PITHLOG_COMPUTING;
            best->kind = i < states ? 0 : (uint32_t)(i - states);
        }
    }
    if (slow->difference_ns * 4 < slow->excess_ns && waiting.difference_ns > slow->difference_ns)
        *slow = waiting;
    free(times);
    return PITH_OK;
}

static int by_excess(const void *a, const void *b)
{
    const struct pithlog_slow_iteration *x = a, *y = b;
    return x->excess_ns != y->excess_ns ? (x->excess_ns > y->excess_ns ? -1 : 1)
                                        : (x->index > y->index) - (x->index < y->index);
}

/* Returns the excess over the median from which on an iteration is slow. This is five median deviations, as is usual
 * for outliers, but at least a tenth of the median, so that among steady lengths no iteration is slow. `lengths` is
 * sorted.
 *
 * If five deviations exceed the median, lengths vary by themselves; then an excess as large as the median is enough:
 * among lengths from 15 to 60 ms, one of 92 ms stands out. But more than an eighth of the lengths may have such an
 * excess, as with tasks of all sizes. Then an iteration is slow only if its excess is three times that of the 95th
 * percentile. */
static int64_t slow_excess(const int64_t *lengths, size_t n, int64_t deviation_ns)
{
    int64_t median_ns = lengths[(n - 1) / 2];

    if (5 * deviation_ns <= median_ns)
        return 5 * deviation_ns > median_ns / 10 ? 5 * deviation_ns : median_ns / 10;
    if (lengths[n - 1 - n / 8] <= 2 * median_ns)
        return median_ns;
    return 3 * (lengths[n - 1 - n / 20] - median_ns);
}

static int measure(struct pithlog_analysis *a)
{
    struct pithlog_iterations *all = &a->iterations;
    size_t n = all->count, median = 0;
    int64_t *lengths = malloc(2 * (n + 1) * sizeof *lengths), *deviations = lengths + n;
    int err = PITH_OK;

    if (!lengths)
        return pithi_analysis_no_memory(a);
    for (size_t i = 0; i < n; i++) {
        lengths[i] = length_of(&all->all[i]);
        all->mean_ns += (double)lengths[i] / (double)n;
    }
    qsort(lengths, n, sizeof *lengths, by_value);
    all->min_ns = lengths[0];
    all->max_ns = lengths[n - 1];
    all->median_ns = lengths[(n - 1) / 2];
    for (size_t i = 0; i < n; i++)
        deviations[i] = llabs(lengths[i] - all->median_ns);
    qsort(deviations, n, sizeof *deviations, by_value);
    int64_t most_ns = all->median_ns + slow_excess(lengths, n, deviations[(n - 1) / 2]);
    free(lengths);
    a->step = find_step(all);
    all->drift_ns = a->step.first ? 0 : drift(all, most_ns, &all->drift_first_ns);
    while (length_of(&all->all[median]) != all->median_ns)
        median++;
    for (size_t i = 0; i < n; i++)
        all->slow_count += length_of(&all->all[i]) > most_ns;
    struct pithlog_slow_iteration *slow = pithi_scratch_get(&a->graph.scratch, (all->slow_count + 1) * sizeof *slow);
    if (!slow)
        return pithi_analysis_no_memory(a);
    all->slow = slow;
    for (size_t i = 0, k = 0; i < n; i++)
        if (length_of(&all->all[i]) > most_ns)
            slow[k++] = (struct pithlog_slow_iteration){.index = (uint32_t)i,
                                                        .excess_ns = length_of(&all->all[i]) - all->median_ns,
                                                        .lane = all->all[i].lane,
                                                        .state = PITHLOG_COMPUTING};
    qsort(slow, all->slow_count, sizeof *slow, by_excess);
    for (size_t i = 0; !err && i < all->slow_count && i < PITHLOG_SLOW_MOST; i++)
        err = explain(a, &all->all[median], &slow[i]);
    return err;
}

int pithlog_analysis_iterations(struct pithlog_analysis *a, uint32_t state,
                                const struct pithlog_iterations **iterations)
{
    int err;

    a->iterations = (struct pithlog_iterations){0};
    a->step = (struct pithi_step){0};
    *iterations = &a->iterations;
    err = state == UINT32_MAX ? find(a) : find_instances(a, state);
    return err || !a->iterations.count ? err : measure(a);
}

struct pithi_step pithi_iterations_step(const struct pithlog_analysis *a) { return a->step; }
