/* answer.c - the answer in one sentence: what costs most of the run, where, and how much.
 *
 * Each rule below proposes a *candidate* with a cost, which is a time of all lanes together, as in findings. The
 * candidates stand in the order in which a person would ask for them. The answer is the first candidate that costs 5 %
 * of the run and at least half as much as the most expensive candidate. So if transfers cost 50 % and a slow rank 6 %,
 * the slow rank is not the answer. If there are more ranks than cores, waiting for a core comes first from 10 % on,
 * because it distorts all other times. If other programs use the cores, waiting for a core comes first, too, but only
 * if it costs half as much as the most expensive candidate. In this comparison, transfers do not count if they are a
 * guess, because they may be long for the same lack of cores.
 *
 *     Four ranks, 1 s. Rank 1 is in `refine` for 1 s, the others for 0.4 s; they wait for it for 0.6 s each.
 *     The delay `refine` on rank 1 costs 1.8 s of 4 x 1 s: imbalance, 45 %.
 *
 * There are three kinds of waiting for ranks that compute. They differ by the ranks that compute more than the mean:
 *
 *     the same ranks in the whole run                              imbalance
 *     others in each state, iteration or between two collectives   moving imbalance
 *     none, but ranks wait                                          serialisation: they work one after another */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/hybrid_model.h"
#include "analysis/coll_rules.h"
#include "analysis/mpi_calls.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/map.h"

#define LEAST 0.05       /* a candidate that costs a smaller fraction of the run is no answer */
#define LEAST_RUN_NS 1e6 /* a shorter recorded run has only the system's noise */
#define LEAST_ENDS_NS 1e9
#define LEAST_LATE_NS 1e8 /* a rank that starts this much later is late; launchers start ranks less far apart */
#define MOST 0.6          /* fraction that counts as most of a cost */
#define INSIDE 0.75       /* fraction of a cost that must lie in iterations */
#define ALONE 1.15        /* lanes compute in turn if fewer than this, on average, compute at the same time */
#define ALMOST_NONE 0.02  /* a lane with less than this fraction of the slow lanes' time is not compared */
#define SMALL_NS 1e5      /* the most that handling a small message may take, by both sides together */
#define NO_STATE (UINT32_MAX - 1)

/* FEW: up to this number, iterations are listed one by one. RULES: the number of rules; each proposes at most one
 * candidate. */
enum { NAME = PITHI_NAME_COLUMNS, FEW = 5, RULES = 9 };

struct pithi_answer {
    struct pithlog_answer answer; /* its texts are in the fields below */
    char text[1280], state[256];  /* text of the answer; name of the state in it */
};

struct candidate {
    const char *kind; /* kind of the answer: "imbalance" ... */
    double ns, share; /* cost, in time of all lanes; cost as a fraction of the run */
    int is_first;     /* 1: the answer, whatever other candidates cost */
    int is_least;     /* 1: the cost may be more, so the text says "at least" */
    /* 1: a lack of cores may be the only reason, so the candidate "cores" is not compared with this one. */
    int is_guess;
    uint32_t lane, state, other;        /* PITHI_NO_LANE, NO_STATE: none */
    struct pithlog_finding_place place; /* the worst instance of the cause */
    double *by_iteration;               /* malloc'ed; NULL: not known */
    char text[800];                     /* the sentence of the answer, without the cost */
};

struct rules {
    struct pithlog_analysis *a;                     /* not owned */
    const struct pithlog *log;                      /* of the analysis */
    const struct pithlog_finding *findings;         /* largest first */
    uint32_t finding_count, all_lanes, lanes, defs; /* lanes: those that count */
    double run_ns;                                  /* length of the run times the number of lanes that count */
    /* Waiting, by its cause. by_lane [all_lanes], by_state [defs + 1]: waiting for the computing of a lane; waiting for
     * the computing in a state. by_state_of_set [defs + 1]: waiting for the computing in a state on the lanes in
     * `set`. */
    double *by_lane, *by_state, *by_state_of_set;
    /* [all_lanes]: how much longer others wait for a lane to call MPI than for its computing; 0 if more MPI calls of
     * the lane would not help. */
    double *progress_of;
    /* sums over all lanes; `most_`: of the lane that has most */
    double computing_ns, files_ns, pthreads_ns, omp_ns, transfer_ns, progress_ns, most_progress;
    uint32_t progress_lane, progress_state; /* the lane and state that have most */
    double *computing;                      /* [all_lanes], of lanes that count */
    double part_of[PITHLOG_WAIT_KINDS];     /* by kind of waiting: the fraction on lanes that count */
    unsigned char *counts;                  /* [all_lanes]: pithi_lanes_that_count */
    unsigned char *set;                     /* [all_lanes]: 1: a lane that a candidate blames */
    unsigned char *computes;                /* [defs + 1]: 1: a state in which lanes compute */
    uint32_t set_count;                     /* lanes in `set` */
    struct candidate list[RULES];           /* in the order of the rules; `count` candidates */
    uint32_t count;
};

static uint32_t index_of(const struct rules *r, uint32_t state) { return state == PITHLOG_COMPUTING ? r->defs : state; }

static const struct pithlog_finding *finding_of(const struct rules *r, const char *name)
{
    for (uint32_t i = 0; i < r->finding_count; i++)
        if (strcmp(r->findings[i].name, name) == 0)
            return &r->findings[i];
    return NULL;
}

static struct candidate *propose(struct rules *r, const char *kind, double ns)
{
    struct candidate *c = &r->list[r->count++];
    *c = (struct candidate){.kind = kind,
                            .ns = ns,
                            .share = r->run_ns > 0 ? ns / r->run_ns : 0,
                            .lane = PITHI_NO_LANE,
                            .other = PITHI_NO_LANE,
                            .state = NO_STATE,
                            .place = {r->a->info.from_ns, r->a->info.to_ns, PITHI_NO_LANE, PITHI_NO_LANE}};
    return c;
}

static int is_computing(const struct rules *r, uint32_t state) { return r->computes[index_of(r, state)]; }

static void know_states(struct rules *r)
{
    for (uint32_t i = 0; i < r->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(r->log, i);
        r->computes[i] =
            !pithi_graph_is_call(&r->a->graph, i) && !pithi_is_file_state(def) && !pithi_is_thread_wait(def);
    }
    r->computes[r->defs] = 1;
}

/* Returns what a delay costs. Threads that only serve others wait most of the time, which costs nothing. So each kind
 * of waiting counts only with the fraction that is on lanes that count. */
static double cost_of(const struct rules *r, const struct pithlog_delay *delay)
{
    return (delay->direct_ns + delay->indirect_ns) * r->part_of[delay->kind];
}

static int know_parts(struct rules *r)
{
    const struct pithi_wait_group *groups = pithi_wait_groups(r->a);

    for (uint32_t kind = 0; groups && kind < PITHLOG_WAIT_KINDS; kind++) {
        int64_t ns = 0;
        for (uint32_t lane = 0; lane < r->all_lanes; lane++)
            ns += r->counts[lane] ? groups[kind].of_lane[lane] : 0;
        r->part_of[kind] = groups[kind].ns > 0 ? (double)ns / (double)groups[kind].ns : 1;
    }
    return groups != NULL;
}

/* Returns 1 if others wait mainly because the delay's lane does not call MPI. Returns 0 if the others wait longer for
 * the lane's computing itself, or if the lane computes longer than the others: then MPI calls in between would not
 * help. */
static int is_for_progress(const struct rules *r, const struct pithlog_delay *delay)
{
    return delay->kind == PITHLOG_WAIT_FOR_PROGRESS && r->progress_of[delay->lane] > 0;
}

static double computing_of(const struct rules *r, uint32_t lane)
{
    double ns = 0;

    for (uint32_t i = 0; i <= r->defs; i++) {
        uint32_t state = i == r->defs ? PITHLOG_COMPUTING : i;
        ns += is_computing(r, state) ? (double)pithlog_analysis_state_ns(r->a, lane, state) : 0;
    }
    return ns;
}

/* Fills `computing`. Among lanes that count, sets *sum to the sum, *most to the largest and *least to the smallest time
 * of a lane. */
static void sum_computing(struct rules *r, double *sum, double *most, double *least)
{
    *sum = *most = 0;
    *least = INFINITY;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        if (!r->counts[lane])
            continue;
        double ns = r->computing[lane] = computing_of(r, lane);
        *sum += ns;
        *most = ns > *most ? ns : *most;
        *least = ns < *least ? ns : *least;
    }
}

static void sum_delays(struct rules *r)
{
    double sum, most, least;

    for (size_t i = 0; i < r->a->delay_count; i++) {
        const struct pithlog_delay *delay = &r->a->delays[i];
        double ns = cost_of(r, delay);
        if (delay->kind == PITHLOG_WAIT_FOR_PROGRESS)
            r->progress_of[delay->lane] += ns;
        else if (is_computing(r, delay->state))
            r->progress_of[delay->lane] -= ns;
    }
    /* If a lane computes longer in the whole run, others wait for its computing anyway, so the waiting is not for its
     * progress. */
    sum_computing(r, &sum, &most, &least);
    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        if (2 * (r->computing[lane] * r->lanes - sum) >= r->progress_of[lane])
            r->progress_of[lane] = 0;
    for (size_t i = 0; i < r->a->delay_count; i++) {
        const struct pithlog_delay *delay = &r->a->delays[i];
        double ns = cost_of(r, delay);
        if (is_for_progress(r, delay)) {
            r->progress_ns += ns;
            if (ns > r->most_progress) {
                r->most_progress = ns;
                r->progress_lane = delay->lane;
                r->progress_state = delay->state;
            }
        } else if (is_computing(r, delay->state)) {
            r->computing_ns += ns;
            r->by_lane[delay->lane] += ns;
            r->by_state[index_of(r, delay->state)] += ns;
        } else if (pithi_is_file_state(pithlog_get_def(r->log, delay->state))) {
            r->files_ns += ns;
        } else if (pithi_is_thread_wait(pithlog_get_def(r->log, delay->state))) {
            const char *group = pithlog_get_def(r->log, delay->state)->group;
            *(strcmp(group, PITHI_PTHREAD_WAITS) == 0 ? &r->pthreads_ns : &r->omp_ns) += ns;
        } else {
            r->transfer_ns += ns;
        }
    }
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

/* Writes " `refine`"; for computing outside all states, writes nothing. */
static void put_state(const struct rules *r, uint32_t state, FILE *out)
{
    if (state != PITHLOG_COMPUTING)
        fprintf(out, " `%.*s`", NAME, pithi_state_text(r->log, state));
}

/* Writes "Rank 1", "Ranks 1 and 3", "Ranks 1, 3 and 6 more". `r_`: "R", or "r" within a sentence. */
static void put_set(const struct rules *r, const char *r_, FILE *out)
{
    char text[32];
    uint32_t put = 0, shown = r->set_count <= 4 ? r->set_count : 3;

    fprintf(out, "%sank%s ", r_, r->set_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < r->all_lanes && put < shown; i++)
        if (r->set[i]) {
            put++;
            fprintf(out, "%s%s",
                    put == 1              ? ""
                    : put == r->set_count ? " and "
                                          : ", ",
                    pithi_lane_text(r->log, i, text) + strlen("rank "));
        }
    if (shown < r->set_count)
        fprintf(out, " and %u more", r->set_count - shown);
}

/* Writes "twice as long as", "3.5 times as long as" or "30 % longer than". */
static void put_ratio(double ratio, FILE *out)
{
    if (ratio < 1.75)
        fprintf(out, "%.0f %% longer than", 100 * (ratio - 1));
    else if (ratio < 2.2)
        fprintf(out, "twice as long as");
    else
        fprintf(out, "%.*f times as long as", ratio < 9.95, ratio);
}

/* ---- Where in the run -------------------------------------------------------------------------------------------- */

/* Adds the computing of a lane to the iterations in which it lies; `of` [iterations]. */
static void add_computing(struct rules *r, uint32_t lane, double *of)
{
    struct pithi_iteration_sums sums = {.in = &r->a->iterations, .of = of};
    struct pithi_pieces p;
    int64_t from_ns, to_ns;

    for (pithi_pieces_begin(&p, r->a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        if (!is_computing(r, p.piece->state))
            continue;
        pithi_pieces_part(r->a, &p, &from_ns, &to_ns);
        if (to_ns > from_ns)
            pithi_iteration_sums_add(&sums, from_ns, to_ns, 1);
    }
}

/* Returns the cost of imbalance in each iteration, malloc'ed. Sets *sum_ns to the sum of these costs. If the busiest
 * lane computes 60 ms and the mean of 4 lanes is 45 ms, the cost is 4 x 15 ms. Sets *moves to the number of different
 * lanes that are the busiest in iterations that cost something. Sets *busiest_of, unless it is NULL, to the busiest
 * lane of each iteration, malloc'ed. If there are lanes in `set`, only they can be the busiest. Returns NULL if there
 * are no iterations, or no memory. */
static double *imbalance_by_iteration(struct rules *r, double *sum_ns, uint32_t *moves, uint32_t **busiest_of)
{
    size_t count = r->a->iterations.count;
    double *cost = calloc(count + 1, sizeof *cost), *mine = calloc(count + 1, sizeof *mine);
    double *all = calloc(count + 1, sizeof *all);
    uint32_t *busiest = calloc(count + 1, sizeof *busiest);
    unsigned char *is_busiest = calloc(r->all_lanes + (size_t)1, 1);
    int good = cost && mine && all && busiest && is_busiest && count;

    *sum_ns = 0;
    *moves = 0;
    /* Takes one lane at a time, so that memory grows with the iterations, not with iterations times lanes. `cost` has,
     * for each iteration, the longest computing of a lane so far. */
    for (uint32_t lane = 0; good && lane < r->all_lanes; lane++) {
        if (!r->counts[lane])
            continue;
        memset(mine, 0, count * sizeof *mine);
        add_computing(r, lane, mine);
        for (size_t i = 0; i < count; i++) {
            all[i] += mine[i];
            if (mine[i] > cost[i] && (!r->set_count || r->set[lane])) {
                cost[i] = mine[i];
                busiest[i] = lane;
            }
        }
    }
    for (size_t i = 0; good && i < count; i++) {
        cost[i] = cost[i] * r->lanes > all[i] ? cost[i] * r->lanes - all[i] : 0;
        *sum_ns += cost[i];
    }
    for (size_t i = 0; good && i < count; i++)
        if (2 * cost[i] * (double)count > *sum_ns && !is_busiest[busiest[i]]) {
            is_busiest[busiest[i]] = 1;
            ++*moves;
        }
    free(mine);
    free(all);
    free(is_busiest);
    if (!good) {
        free(cost);
        cost = NULL;
    }
    if (good && busiest_of)
        *busiest_of = busiest;
    else
        free(busiest);
    return cost;
}

static int by_cost(const void *a, const void *b, void *context)
{
    const double *cost = context, x = cost[*(const size_t *)a], y = cost[*(const size_t *)b];
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Writes in which iterations the cost lies. Takes the costliest iterations, up to half of the cost, and all others that
 * cost at least half as much as the worst. If these are at most a tenth of all iterations, names or counts them.
 * Otherwise writes the first and last iteration with cost, unless the range has nearly all iterations. Returns 0 if
 * there is no memory. */
static int put_iterations(struct rules *r, const struct candidate *c, struct pithlog_answer *answer, FILE *out)
{
    size_t count = r->a->iterations.count, few = 0, first = 0, last = count - 1, *order;
    double inside = 0, all, part = 0, left = 0;

    if (!c->by_iteration || !count)
        return 1;
    if (!(order = malloc(count * sizeof *order)))
        return 0;
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
        inside += c->by_iteration[i];
    }
    all = inside > c->ns ? inside : c->ns; /* the rest of the cost lies outside all iterations */
    qsort_r(order, count, sizeof *order, by_cost, c->by_iteration);
    /* Takes the costliest iterations until they have half of the cost, and then those that cost at least half as much
     * as the worst. Of the costs 50, 30, 9, 6 and 5, these are the first two, which have 80 %. */
    while (few < count && (2 * part < all || 2 * c->by_iteration[order[few]] >= c->by_iteration[order[0]]))
        part += c->by_iteration[order[few++]];
    if (few * 10 <= count) {
        qsort(order, few, sizeof *order, by_number);
        first = order[0];
        last = order[few - 1];
        if (part >= 0.95 * all)
            fprintf(out, ", all of it in ");
        else if (part <= 0.55 * all)
            fprintf(out, ", half of it in ");
        else
            fprintf(out, ", %.0f %% of it in ", 100 * part / all);
        if (few > FEW)
            fprintf(out, "%zu of %zu iterations", few, count);
        for (size_t i = 0; few <= FEW && i < few; i++)
            fprintf(out, "%s%zu", i ? ", " : few == 1 ? "iteration " : "iterations ", order[i] + 1);
    } else if (inside >= INSIDE * all) {
        /* Many iterations share the cost. Leaves out iterations at the begin and at the end that have nearly none of
         * the cost. */
        for (; first < last && (left + c->by_iteration[first]) * PITHI_RARE < all; first++)
            left += c->by_iteration[first];
        for (left = 0; last > first && (left + c->by_iteration[last]) * PITHI_RARE < all; last--)
            left += c->by_iteration[last];
        if (pithi_are_nearly_all(&r->a->iterations, first, last)) {
            free(order);
            return 1;
        }
        fprintf(out, ", in iterations %zu to %zu of %zu", first + 1, last + 1, count);
    } else if (inside <= (1 - INSIDE) * all && c->place.lane != PITHI_NO_LANE &&
               2 * (double)(c->place.to_ns - c->place.from_ns) * r->lanes >= c->ns) { /* the place has half the cost */
        const struct pithlog_iteration *in = r->a->iterations.all;
        fprintf(out, "%s",
                c->place.to_ns <= in[0].to_ns               ? ", most of it before the iterations"
                : c->place.from_ns >= in[count - 1].from_ns ? ", most of it after the iterations"
                                                            : "");
    }
    free(order);
    if (few * 10 <= count || inside >= INSIDE * all) {
        answer->first_iteration = first + 1;
        answer->last_iteration = last + 1;
    }
    return 1;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------- */

/* Proposes waiting for a core, because there are more ranks or threads than cores, or because other programs use the
 * cores. In the second case, long transfers make other ranks wait. This waiting counts as well, in proportion to the
 * fraction of the transfers that lack of a core explains.
 *
 *     two ranks, each without a core for half of the run, inside MPI_Waitall, while the other one waits for it
 *     descheduled: 50 % of the run. This is all of the transfers, so the waiting of 50 % counts, too */
static int find_cores(struct rules *r)
{
    const struct pithlog_finding *waits = pithi_crowded(r->a);
    const struct pithlog_finding *transfer = finding_of(r, "transfer");
    const struct pithlog_finding *long_calls = finding_of(r, "descheduled ranks");
    uint32_t all, cores = pithi_cores_of(r->log, &all), ranks = pithlog_get_info(r->log)->ranks;
    int is_crowded = waits != NULL;
    struct pithi_run_delay delay = {0};
    struct candidate *c;
    char of_all[32] = "";
    const char *waiting = ranks == 1 ? "the rank waits" : "ranks wait";

    if (!is_crowded)
        waits = pithi_lack_of_cores(r->a);
    if (!waits || !cores || pithi_has_larger_cause(r->a, waits))
        return 1;
    /* If ranks together want no more cores than there are, they do not take cores from one another. Example: they run
     * for 20 % of the time and wait for a core for 15 %, so 4 ranks want 1.4 of 2 cores. (What other threads want is
     * not known.) */
    int is_counted = pithi_run_delay_find(r->log, &delay);
    if (is_counted && ranks > cores && (delay.cpu_ns + delay.delay_ns) * delay.ranks <= cores * delay.time_ns)
        is_crowded = 0;
    c = propose(r, "cores", waits->ns);
    c->is_first = is_crowded;
    /* The system also counts time in which a rank has no core while it waits busily. That costs nothing, so the loss
     * that is certain is less than the system counted. */
    c->is_least = strcmp(waits->name, "no core") == 0 && delay.delay_ns > 1.05 * c->ns;
    c->place = waits->place;
    if (!is_crowded) {
        double ns = transfer && long_calls ? long_calls->ns * (1 + r->transfer_ns / transfer->ns) : 0;
        if (ns > c->ns) {
            c->ns = ns;
            c->is_least = 0;
            c->share = ns / r->run_ns;
        }
        char rank[32];
        c->lane = waits->lane;
        if (c->lane != PITHI_NO_LANE)
            snprintf(c->text, sizeof c->text, "%s use the core of %s, which waits for it",
                     pithi_run_delay_others(&delay), pithi_lane_text(r->log, c->lane, rank));
        else
            snprintf(c->text, sizeof c->text, "%s use the %u core%s, so %s for a core", pithi_run_delay_others(&delay),
                     cores, cores == 1 ? "" : "s", waiting);
        c->text[0] = 'O';
        return 1;
    }
    if (cores < all) /* mpirun or taskset bound the ranks to fewer cores */
        snprintf(of_all, sizeof of_all, ", of %u,", all);
    if (ranks > cores)
        snprintf(c->text, sizeof c->text, "%u ranks share %u core%s%s and wait for a core", ranks, cores,
                 cores == 1 ? "" : "s", of_all);
    else /* names other programs, too, as the threads may sleep all the time */
        snprintf(c->text, sizeof c->text, "%u threads or other programs use the %u core%s%s so %s for a core",
                 r->all_lanes, cores, cores == 1 ? "" : "s", *of_all ? of_all : ",", waiting);
    return 1;
}

static int find_progress(struct rules *r)
{
    const struct pithlog_wait_state *worst = NULL;
    char cause[32], waiter[32];
    struct candidate *c;

    if (r->progress_ns <= 0)
        return 1;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        for (size_t i = 0; i < r->a->lanes[lane].wait_count; i++) {
            const struct pithlog_wait_state *wait = &r->a->lanes[lane].waits[i];
            pithi_scratch_passed(&r->a->graph.scratch, sizeof *wait);
            if (wait->kind == PITHLOG_WAIT_FOR_PROGRESS && wait->cause_lane == r->progress_lane &&
                (!worst || wait->to_ns - wait->from_ns > worst->to_ns - worst->from_ns))
                worst = wait;
        }
    c = propose(r, "progress", r->progress_ns);
    c->lane = r->progress_lane;
    c->state = r->progress_state;
    pithi_lane_text(r->log, c->lane, cause);
    cause[0] = 'R';
    FILE *out = fmemopen(c->text, sizeof c->text, "w");
    if (!out)
        return 0;
    fprintf(out, "%s computes", cause);
    put_state(r, c->state, out);
    fprintf(out, " without calling MPI, so ");
    if (worst) {
        c->other = worst->lane;
        c->place = (struct pithlog_finding_place){worst->from_ns, worst->to_ns, worst->lane, worst->cause_lane};
        fprintf(out, "%s waits in %.*s for it", pithi_lane_text(r->log, c->other, waiter), NAME,
                pithi_state_text(r->log, worst->state));
    } else {
        fprintf(out, "others wait for it");
    }
    return fclose(out) == 0;
}

/* Returns the state in which the lanes of `set` cause most of the waiting. If that is less than MOST of all_ns, sets
 * *second to the state that causes the next most. */
static uint32_t state_of_set(struct rules *r, double all_ns, uint32_t *second)
{
    uint32_t best = r->defs, next = NO_STATE;

    memset(r->by_state_of_set, 0, (r->defs + (size_t)1) * sizeof *r->by_state_of_set);
    for (size_t i = 0; i < r->a->delay_count; i++) {
        const struct pithlog_delay *delay = &r->a->delays[i];
        if (r->set[delay->lane] && !is_for_progress(r, delay) && is_computing(r, delay->state))
            r->by_state_of_set[index_of(r, delay->state)] += cost_of(r, delay);
    }
    for (uint32_t i = 0; i <= r->defs; i++)
        if (r->by_state_of_set[i] > r->by_state_of_set[best])
            best = i;
    for (uint32_t i = 0; i <= r->defs; i++)
        if (i != best && (next == NO_STATE || r->by_state_of_set[i] > r->by_state_of_set[next]))
            next = i;
    *second = r->by_state_of_set[best] < MOST * all_ns && next != NO_STATE
                  ? (next == r->defs ? PITHLOG_COMPUTING : next)
                  : NO_STATE;
    return best == r->defs ? PITHLOG_COMPUTING : best;
}

/* Sets *mine to the mean time in a state of the lanes in `set`, and *other to that of the other lanes. Lanes with
 * almost no time in the state are left out, because a rank that only gives tasks to others is no measure for the tasks.
 * *other is 0 if no other lane has the state. */
static void mean_times(const struct rules *r, uint32_t state, double *mine, double *other)
{
    uint32_t others = 0;

    *mine = *other = 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        *mine += r->set[lane] ? (double)pithlog_analysis_state_ns(r->a, lane, state) / r->set_count : 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        double ns = (double)pithlog_analysis_state_ns(r->a, lane, state);
        if (!r->counts[lane] || r->set[lane] || ns < ALMOST_NONE * *mine)
            continue;
        *other += ns;
        others++;
    }
    *other /= others ? others : 1;
}

static int propose_imbalance(struct rules *r, double ns)
{
    struct candidate *c = propose(r, "imbalance", ns);
    uint32_t second, state = state_of_set(r, ns, &second);
    double mine, other;
    FILE *out = fmemopen(c->text, sizeof c->text, "w");

    if (!out)
        return 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        if (r->set[lane] && (c->lane == PITHI_NO_LANE || r->by_lane[lane] > r->by_lane[c->lane]))
            c->lane = lane;
    c->state = state;
    mean_times(r, state, &mine, &other);
    put_set(r, "R", out);
    /* Writes "Rank 3 alone computes grow_ice, and the others wait for it" if the others are never in the state.
     * Otherwise writes how much longer the state takes on these lanes. If two states have most of the cost, names
     * both. */
    if (other <= 0) {
        fprintf(out, " %s", r->set_count == 1 ? "alone computes" : "alone compute");
        put_state(r, state, out);
        fprintf(out, ", and the others wait for %s", r->set_count == 1 ? "it" : "them");
    } else {
        fprintf(out, " %s", r->set_count == 1 ? "computes" : "compute");
        put_state(r, state, out);
        if (second != NO_STATE && second != PITHLOG_COMPUTING && state != PITHLOG_COMPUTING) {
            double mine_too, other_too;
            fprintf(out, " and");
            put_state(r, second, out);
            mean_times(r, second, &mine_too, &other_too);
            mine += mine_too;
            other += other_too;
        }
        fprintf(out, " ");
        if (other > 0 && mine > other)
            put_ratio(mine / other, out);
        else
            fprintf(out, "longer than");
        fprintf(out, " the others");
    }
    fclose(out);
    pithi_costliest_piece(r->a, c->lane, state, &c->place);
    double sum;
    uint32_t moves;
    c->by_iteration = imbalance_by_iteration(r, &sum, &moves, NULL);
    return 1;
}

/* Returns the state that causes at least the fraction MOST of the waiting that computing causes, or NO_STATE if there
 * is none. */
static uint32_t main_state(const struct rules *r)
{
    for (uint32_t i = 0; i <= r->defs; i++)
        if (r->by_state[i] >= MOST * r->computing_ns)
            return i == r->defs ? PITHLOG_COMPUTING : i;
    return NO_STATE;
}

/* Returns the largest delay, in a computing state, of a lane other than `but`. Returns NULL if there is none. */
static const struct pithlog_delay *largest_delay(const struct rules *r, uint32_t but)
{
    const struct pithlog_delay *largest = NULL;

    for (size_t i = 0; i < r->a->delay_count; i++) {
        const struct pithlog_delay *delay = &r->a->delays[i];
        if (delay->lane != but && !is_for_progress(r, delay) && is_computing(r, delay->state) &&
            (!largest || cost_of(r, delay) > cost_of(r, largest)))
            largest = delay;
    }
    return largest;
}

/* Sets the place of a candidate to the longest wait state outside MPI_Finalize, because the end of the run is no
 * example of what costs most in it. */
static void set_worst_wait(const struct rules *r, struct candidate *c)
{
    const struct pithi_wait_group *groups = pithi_wait_groups(r->a);
    const struct pithlog_wait_state *worst = NULL;

    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
        if (groups[kind].worst && kind != PITHLOG_WAIT_AT_FINALIZE &&
            (!worst || groups[kind].worst->to_ns - groups[kind].worst->from_ns > worst->to_ns - worst->from_ns))
            worst = groups[kind].worst;
    if (worst)
        c->place = (struct pithlog_finding_place){worst->from_ns, worst->to_ns, worst->lane, worst->cause_lane};
}

/* Iterations one after another in which the same lane is the busiest. */
struct turn_of_lane {
    size_t first, last;
    uint32_t lane;
    double ns; /* cost */
};

/* Finds the turns, if lanes are the busiest for several iterations in a row, such as rank 0 in 1 to 10, rank 3 in 11 to
 * 20. Iterations with little cost, and turns with little cost, do not interrupt a turn. Returns the number of turns; 0
 * if there are more than `room`, or if a turn has fewer than TURN iterations. */
static uint32_t find_turns(const double *cost, const uint32_t *busiest, size_t count, struct turn_of_lane *turns,
                           uint32_t room)
{
    enum { TURN = 3, MANY = 64 };
    struct turn_of_lane all[MANY];
    uint32_t found = 0, kept = 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += cost[i];
    for (size_t i = 0; i < count; i++) {
        if (4 * cost[i] * (double)count < sum)
            continue;
        if (found > 0 && all[found - 1].lane == busiest[i]) {
            all[found - 1].last = i;
            all[found - 1].ns += cost[i];
        } else if (found < MANY) {
            all[found++] = (struct turn_of_lane){i, i, busiest[i], cost[i]};
        } else {
            return 0;
        }
    }
    for (uint32_t i = 0; i < found; i++) {
        if (all[i].ns < 0.05 * sum)
            continue;
        if (kept > 0 && turns[kept - 1].lane == all[i].lane) {
            turns[kept - 1].last = all[i].last;
            continue;
        }
        if (kept == room)
            return 0;
        turns[kept++] = all[i];
    }
    for (uint32_t i = 0; i < kept; i++)
        if (turns[i].last - turns[i].first + 1 < TURN)
            return 0;
    return kept;
}

/* Writes "Rank 0 computes `solve` longer than the others in iterations 1 to 10, and rank 3 in 11 to 20". */
static void put_turns(const struct rules *r, const struct turn_of_lane *turns, uint32_t count, uint32_t state,
                      FILE *out)
{
    char lane[32];

    for (uint32_t i = 0; i < count; i++) {
        pithi_lane_text(r->log, turns[i].lane, lane);
        lane[0] = i == 0 ? 'R' : lane[0];
        fprintf(out, "%s%s", i == 0 ? "" : i + 1 == count ? ", and " : ", ", lane);
        if (i == 0) {
            fprintf(out, " computes");
            if (state != NO_STATE)
                put_state(r, state, out);
            fprintf(out, " longer than the others in iterations");
        } else {
            fprintf(out, " in");
        }
        fprintf(out, " %zu to %zu", turns[i].first + 1, turns[i].last + 1);
    }
    fprintf(out, " of %zu", r->a->iterations.count);
}

/* Proposes an imbalance whose slow rank changes. `by_iteration`: cost of each iteration, NULL if the iterations show no
 * change; `busiest`: the busiest lane of each iteration, used only with `by_iteration`. */
static int propose_moving(struct rules *r, uint32_t moves, double *by_iteration, const uint32_t *busiest)
{
    struct turn_of_lane turns[FEW - 1];
    uint32_t state = main_state(r), turn_count = 0;
    struct candidate *c = propose(r, "moving imbalance", r->computing_ns);
    FILE *out = fmemopen(c->text, sizeof c->text, "w");

    c->by_iteration = by_iteration;
    if (!out)
        return 0;
    c->state = state;
    set_worst_wait(r, c);
    if (by_iteration)
        turn_count = find_turns(by_iteration, busiest, r->a->iterations.count, turns, FEW - 1);
    if (turn_count > 1) {
        put_turns(r, turns, turn_count, state, out);
        return fclose(out) == 0;
    }
    if (by_iteration)
        fprintf(out, "The slowest rank changes from iteration to iteration (%u of %u ranks)", moves, r->lanes);
    else
        fprintf(out, "The slowest rank changes from one collective or message to the next");
    if (state != NO_STATE && state != PITHLOG_COMPUTING) {
        fprintf(out, " in");
        put_state(r, state, out);
    }
    fprintf(out, ", and the others wait for it");
    return fclose(out) == 0;
}

/* Puts into `set` the slow lanes: those whose time in the state is above the middle between the mean and the largest
 * time. Sets *ratio to the slow lanes' mean time in the state divided by that of the others. Returns 1 if the slow
 * lanes are at most half of all lanes, and cause most of the waiting that the state causes. In addition, with `alone`
 * the others must have no time in the state; without it, *ratio must be between 1.1 and 10. */
static int choose_slow_in(struct rules *r, uint32_t state, int alone, double *ratio)
{
    double sum = 0, most = 0, mine, other, cost = 0;

    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        double ns = r->counts[lane] ? (double)pithlog_analysis_state_ns(r->a, lane, state) : 0;
        sum += ns;
        most = ns > most ? ns : most;
    }
    r->set_count = 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        r->set[lane] =
            r->counts[lane] && (double)pithlog_analysis_state_ns(r->a, lane, state) > (sum / r->lanes + most) / 2;
        r->set_count += r->set[lane];
    }
    for (size_t i = 0; i < r->a->delay_count; i++) {
        const struct pithlog_delay *delay = &r->a->delays[i];
        if (delay->state == state && r->set[delay->lane] && !is_for_progress(r, delay))
            cost += cost_of(r, delay);
    }
    if (!r->set_count || 2 * r->set_count > r->lanes || cost < MOST * r->by_state[index_of(r, state)])
        return 0;
    mean_times(r, state, &mine, &other);
    *ratio = other > 0 ? mine / other : INFINITY;
    return alone ? other <= 0 : *ratio >= 1.1 && *ratio <= 10;
}

/* Proposes a moving imbalance if two or more states cause most of the waiting, and each state has different slow ranks,
 * although all ranks have as much to do in sum:
 *
 *     rank 0   assemble 60 | solve 20       both wait 40 of 120 at the barrier between the two
 *     rank 1   assemble 20 | solve 60
 *
 * With `alone`, a state counts only if ranks that are not slow in it are never in it. Ranks with states of their own
 * may also work one after another, without a barrier. */
static int propose_phases(struct rules *r, int alone, int *is_proposed)
{
    uint32_t states[FEW - 1], count = 0;
    double ratio, cost = 0;

    *is_proposed = 0;
    while (cost < 0.8 * r->computing_ns) {
        uint32_t best = NO_STATE; /* computing outside all states is not tried, as a text could not name it */
        for (uint32_t i = 0; i < r->defs; i++) {
            int is_new = r->by_state[i] >= 0.2 * r->computing_ns;
            for (uint32_t k = 0; k < count; k++)
                is_new &= states[k] != i;
            if (is_new && (best == NO_STATE || r->by_state[i] > r->by_state[best]))
                best = i;
        }
        if (best == NO_STATE || count == FEW - 1 || !choose_slow_in(r, best, alone, &ratio))
            return 1;
        states[count++] = best;
        cost += r->by_state[best];
    }
    if (count < 2)
        return 1;
    *is_proposed = 1;
    struct candidate *c = propose(r, "moving imbalance", r->computing_ns);
    FILE *out = fmemopen(c->text, sizeof c->text, "w");
    if (!out)
        return 0;
    c->state = states[0];
    for (uint32_t i = 0; i < count; i++) {
        choose_slow_in(r, states[i], alone, &ratio);
        for (uint32_t lane = 0; i == 0 && lane < r->all_lanes; lane++)
            if (r->set[lane] && (c->lane == PITHI_NO_LANE || r->by_lane[lane] > r->by_lane[c->lane]))
                c->lane = lane;
        fprintf(out, "%s", i == 0 ? "" : i + 1 == count ? ", and " : ", ");
        put_set(r, i == 0 ? "R" : "r", out);
        if (i == 0)
            fprintf(out, "%s compute%s", alone ? " alone" : "", r->set_count == 1 ? "s" : "");
        put_state(r, states[i], out);
        if (i == 0 && !alone) {
            fprintf(out, " ");
            put_ratio(ratio, out);
            fprintf(out, " the others");
        }
    }
    if (alone)
        fprintf(out, ", and the others wait for them");
    pithi_costliest_piece(r->a, c->lane, states[0], &c->place);
    return fclose(out) == 0;
}

struct computing_part {
    int64_t from_ns, to_ns;
};

static int by_begin(const void *a, const void *b)
{
    const struct computing_part *x = a, *y = b;
    return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Returns the mean number of lanes that are in the state at the same time, over the time in which at least one lane is
 * in it. With NO_STATE, any state in which lanes compute counts. A large log is measured only in an interval in its
 * middle. Returns -1 if there is no memory.
 *
 *     60 ms: rank 0 is in the state for 60, rank 1 for 20     80 / 60 = 1.33
 *     first rank 0 for 30, then rank 1 for 30          60 / 60 = 1 */
static double at_the_same_time(struct rules *r, uint32_t state)
{
    enum { MANY = 1 << 20 };
    int64_t from_ns = r->a->info.from_ns, to_ns = r->a->info.to_ns, part_ns, end_ns = INT64_MIN;
    struct computing_part *parts = NULL;
    uint32_t count = 0, room = 0;
    double pieces = 0, sum = 0, some = 0;

    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        pieces += r->a->lanes[lane].last - r->a->lanes[lane].first;
    part_ns = pieces > MANY ? (int64_t)((double)(to_ns - from_ns) * MANY / pieces) : to_ns - from_ns;
    from_ns += (to_ns - from_ns - part_ns) / 2;
    to_ns = from_ns + part_ns;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        struct pithi_pieces p;
        uint32_t first = pithi_graph_find(&r->a->graph, lane, from_ns), from = r->a->lanes[lane].first;
        if (!r->counts[lane])
            continue;
        for (pithi_pieces_from(&p, r->a, lane, first > from ? first : from);
             p.index < p.end && p.piece->begin_ns < to_ns; pithi_pieces_next(&p)) {
            uint32_t of = p.piece->state;
            int64_t begin_ns = p.piece->begin_ns > from_ns ? p.piece->begin_ns : from_ns;
            int64_t next_ns = p.next->begin_ns < to_ns ? p.next->begin_ns : to_ns;
            if (next_ns <= begin_ns || (state == NO_STATE ? !is_computing(r, of) : of != state))
                continue;
            if (!pithi_grow(&parts, count, &room, sizeof *parts)) {
                free(parts);
                return -1;
            }
            parts[count++] = (struct computing_part){begin_ns, next_ns};
        }
    }
    if (count > 1)
        qsort(parts, count, sizeof *parts, by_begin);
    for (uint32_t i = 0; i < count; i++) {
        int64_t begin_ns = parts[i].from_ns > end_ns ? parts[i].from_ns : end_ns;
        sum += (double)(parts[i].to_ns - parts[i].from_ns);
        some += parts[i].to_ns > begin_ns ? (double)(parts[i].to_ns - begin_ns) : 0;
        end_ns = parts[i].to_ns > end_ns ? parts[i].to_ns : end_ns;
    }
    free(parts);
    return some > 0 ? sum / some : 1;
}

/* Writes "rank 1 in `refine`". */
static void put_work(const struct rules *r, const char *rank, uint32_t state, FILE *out)
{
    fprintf(out, "%s", rank);
    if (state != PITHLOG_COMPUTING) {
        fprintf(out, " in");
        put_state(r, state, out);
    }
}

static int propose_serial(struct rules *r)
{
    const struct pithlog_delay *first = largest_delay(r, PITHI_NO_LANE), *second;
    struct candidate *c = propose(r, "serialisation", r->computing_ns);
    uint32_t state = main_state(r);
    double lanes = at_the_same_time(r, state);
    char lane[32];
    FILE *out = fmemopen(c->text, sizeof c->text, "w");

    if (!out || lanes < 0)
        return 0;
    set_worst_wait(r, c);
    c->lane = first->lane;
    c->state = state != NO_STATE ? state : first->state;
    second = largest_delay(r, first->lane);
    if (r->lanes == 2 && second && second->state != first->state && lanes <= ALONE) {
        c->other = second->lane;
        pithi_lane_text(r->log, first->lane, lane);
        lane[0] = 'R';
        put_work(r, lane, first->state, out);
        fprintf(out, " and ");
        put_work(r, pithi_lane_text(r->log, second->lane, lane), second->state, out);
        fprintf(out, " work one after the other, not at the same time");
    } else if (state == NO_STATE || lanes > ALONE) {
        fprintf(out, "The ranks wait for one another in turn, most for");
        put_state(r, first->state, out);
        fprintf(out, "%s on %s", first->state == PITHLOG_COMPUTING ? " computing" : "",
                pithi_lane_text(r->log, first->lane, lane));
    } else {
        fprintf(out, "The ranks %s", state == PITHLOG_COMPUTING ? "compute" : "are in");
        put_state(r, state, out);
        fprintf(out, " one after another, not at the same time");
    }
    return fclose(out) == 0;
}

/* Proposes waiting for locks of MPI windows, which only one rank at a time holds. The state that is named may be of the
 * window's own rank, which computes and does not call MPI while others want the lock. */
static int propose_locks(struct rules *r, const struct pithi_wait_group *locks)
{
    uint32_t count, best = 0;
    struct pithi_state_sum *causes = pithi_cause_sums(r->a, locks, &count);
    double ns = (double)locks->ns;
    struct candidate *c = propose(r, "serialisation", ns > r->computing_ns ? ns : r->computing_ns);
    FILE *out = fmemopen(c->text, sizeof c->text, "w");

    c->place = (struct pithlog_finding_place){locks->worst->from_ns, locks->worst->to_ns, locks->worst->lane,
                                              locks->worst->cause_lane};
    if (out && causes) {
        while (best < count && !is_computing(r, causes[best].state))
            best++;
        fprintf(out, "Ranks wait for the lock of a window that only one holds at a time");
        if (best < count && causes[best].state != PITHLOG_COMPUTING) {
            char lane[32];
            c->state = causes[best].state;
            fprintf(out, ", most for");
            put_state(r, c->state, out);
            if (causes[best].most_ns >= MOST * causes[best].ns)
                fprintf(out, " on %s", pithi_lane_text(r->log, causes[best].most, lane));
        }
    }
    free(causes);
    return out && fclose(out) == 0 && causes;
}

/* Proposes an imbalance in which most lanes are slow. The text is about the few lanes in `set`, which compute less and
 * wait. */
static int propose_idle(struct rules *r)
{
    const struct pithi_wait_group *groups = pithi_wait_groups(r->a);
    struct candidate *c = propose(r, "imbalance", r->computing_ns);
    double waits = 0;
    FILE *out = fmemopen(c->text, sizeof c->text, "w");

    if (!out)
        return 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        for (uint32_t kind = 1; r->set[lane] && kind < PITHLOG_WAIT_KINDS; kind++)
            waits += (double)groups[kind].of_lane[lane];
        for (size_t i = 0; r->set[lane] && i < r->a->lanes[lane].wait_count; i++) {
            const struct pithlog_wait_state *wait = &r->a->lanes[lane].waits[i];
            if (c->place.lane == PITHI_NO_LANE || wait->to_ns - wait->from_ns > c->place.to_ns - c->place.from_ns)
                c->place = (struct pithlog_finding_place){wait->from_ns, wait->to_ns, lane, wait->cause_lane};
        }
    }
    put_set(r, "R", out);
    fprintf(out, " compute%s less than the others and wait%s for them %.0f %% of the time",
            r->set_count == 1 ? "s" : "", r->set_count == 1 ? "s" : "",
            100 * waits / r->set_count / (double)(r->a->info.to_ns - r->a->info.from_ns));
    return fclose(out) == 0;
}

/* Puts into `set` the lanes whose computing is above the middle between `mean` and `most`. With `is_least`, `most` is
 * the least computing of a lane, and `set` gets the lanes below the middle. Returns the cost that the lanes in `set`
 * cause. */
static double choose_set(struct rules *r, double mean, double most, int is_least)
{
    double middle = (mean + most) / 2, ns = 0;

    r->set_count = 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        r->set[lane] = r->counts[lane] && (is_least ? r->computing[lane] <= middle : r->computing[lane] >= middle);
        r->set_count += r->set[lane];
        ns += r->set[lane] ? r->by_lane[lane] : 0;
    }
    return ns;
}

/* Proposes one candidate for the waiting that computing causes. */
static int find_computing(struct rules *r)
{
    double sum, most, least, *by_iteration;
    struct pithlog_what_if what = {.network = 1, .state = PITHLOG_COMPUTING, .lane = UINT32_MAX, .factor = 1};
    const struct pithi_wait_group *locks = &pithi_wait_groups(r->a)[PITHLOG_LOCK_CONTENTION];
    double as_it_is, balanced;
    uint32_t moves, *busiest = NULL;
    int is_proposed;

    if (r->computing_ns < LEAST * r->run_ns || r->lanes < 2)
        return 1;
    sum_computing(r, &sum, &most, &least);
    /* The same lanes are slow in the whole run, if balancing the sums of the whole run would save at least half of the
     * waiting. If most lanes are slow, the text is about the few that have nothing to do. */
    if (2 * (most * r->lanes - sum) >= r->computing_ns) {
        double cost = choose_set(r, sum / r->lanes, most, 0);
        if (2 * r->set_count > r->lanes) {
            choose_set(r, sum / r->lanes, least, 1);
            return propose_idle(r);
        }
        if (2 * cost >= r->computing_ns)
            return propose_imbalance(r, cost);
    }
    if (2 * (double)locks->ns >= r->computing_ns)
        return propose_locks(r, locks);
    /* Next, tries whether each of a few states has its own slow lanes. If not, a replay with balanced computing
     * decides. If it saves at least half of the waiting, the imbalance moves from time to time, and the text is about
     * iterations if different lanes are the busiest in them. If it saves less, the lanes work one after the other.
     * Without the replay, iterations prove nothing, because in a pipeline the lanes are in different iterations at the
     * same time. */
    if (!propose_phases(r, 0, &is_proposed))
        return 0;
    if (is_proposed)
        return 1;
    memset(r->set, 0, r->all_lanes);
    r->set_count = 0;
    if (pithlog_analysis_what_if(r->a, &what, &as_it_is) != PITH_OK)
        return 0;
    what.is_balanced = 1;
    if (pithlog_analysis_what_if(r->a, &what, &balanced) != PITH_OK)
        return 0;
    if (2 * (as_it_is - balanced) * r->lanes >= r->computing_ns) {
        if (!propose_phases(r, 1, &is_proposed))
            return 0;
        if (is_proposed)
            return 1;
        memset(r->set, 0, r->all_lanes);
        r->set_count = 0;
        by_iteration = imbalance_by_iteration(r, &sum, &moves, &busiest);
        if (2 * sum < r->computing_ns || moves < 2) {
            free(by_iteration);
            by_iteration = NULL;
        }
        int good = propose_moving(r, moves, by_iteration, busiest);
        free(busiest);
        return good;
    }
    return propose_serial(r);
}

/* Proposes the time in files, together with the waiting that it causes. */
static int find_files(struct rules *r)
{
    double own = 0, most = 0;
    uint32_t lane = 0, state = NO_STATE, most_lanes = 0;
    char text[PITHI_NS_TEXT], name[32];

    for (uint32_t i = 0; i < r->all_lanes; i++) {
        double of_lane = 0;
        for (uint32_t k = 0; k < r->defs; k++) {
            const struct pithlog_def *def = pithlog_get_def(r->log, k);
            of_lane += def->kind == PITHLOG_STATE && pithi_is_file_state(def)
                           ? (double)pithlog_analysis_state_ns(r->a, i, k)
                           : 0;
        }
        own += of_lane;
        most_lanes += of_lane > 0;
        if (of_lane > most) {
            most = of_lane;
            lane = i;
        }
    }
    for (uint32_t k = 0; k < r->defs; k++) {
        const struct pithlog_def *def = pithlog_get_def(r->log, k);
        if (def->kind == PITHLOG_STATE && pithi_is_file_state(def) &&
            (state == NO_STATE ||
             pithlog_analysis_state_ns(r->a, lane, k) > pithlog_analysis_state_ns(r->a, lane, state)))
            state = k;
    }
    if (own + r->files_ns <= 0 || state == NO_STATE)
        return 1;
    struct candidate *c = propose(r, "files", own + r->files_ns);
    c->lane = lane;
    c->state = state;
    pithi_longest_piece(r->a, lane, state, &c->place);
    pithi_lane_text(r->log, lane, name);
    name[0] = 'R';
    pithi_ns_text(text, most);
    if (most >= 0.9 * own && r->lanes > 1)
        snprintf(c->text, sizeof c->text, "%s alone spends %s in files (most in %.*s), and %u rank%s wait%s", name,
                 text, NAME, pithi_state_text(r->log, state), r->lanes - 1, r->lanes == 2 ? "" : "s",
                 r->lanes == 2 ? "s" : "");
    else
        snprintf(c->text, sizeof c->text, "%u ranks read or write files (most in %.*s, %s on %s)", most_lanes, NAME,
                 pithi_state_text(r->log, state), text, pithi_lane_text(r->log, lane, name));
    return 1;
}

static int find_transfer(struct rules *r)
{
    const struct pithlog_finding *transfer = finding_of(r, "transfer");
    struct pithlog_call_sum *sums;
    uint64_t sends = 0;
    char text[PITHI_NS_TEXT];
    int64_t small_ns;

    if (!transfer)
        return 1;
    if (!(sums = calloc(r->defs + (size_t)1, sizeof *sums)) || pithlog_analysis_calls(r->a, sums) != PITH_OK) {
        free(sums);
        return 0;
    }
    /* The time of calls outside wait states may be about as long as some ranks compute longer than the others. Then
     * these calls wait for the slow ranks in a way that the log does not show, as in the tree of MPI_Ibcast. But if
     * others wait for a lane's progress for a third of the imbalance or longer, the calls may wait for the progress
     * instead. Then the imbalance is not blamed for them. (The tests of analyze pass without this condition, too.) */
    const struct pithlog_finding *imbalance = finding_of(r, "load imbalance");
    if (imbalance && !pithi_finding_is_guess(r->a, imbalance) && 3 * r->progress_ns < imbalance->ns &&
        2 * imbalance->ns >= transfer->ns + r->transfer_ns) {
        double all_ns, most_ns, least_ns;
        sum_computing(r, &all_ns, &most_ns, &least_ns);
        choose_set(r, all_ns / r->lanes, most_ns, 0);
        if (2 * r->set_count <= r->lanes) {
            free(sums);
            return propose_imbalance(r, imbalance->ns);
        }
    }
    struct candidate *c = propose(r, "transfer", transfer->ns + r->transfer_ns);
    const struct pithlog_call_sum *sum = &sums[transfer->state];
    const struct pithlog_analysis_info *info = &r->a->info;
    c->state = transfer->state;
    c->place = transfer->place;
    c->is_guess = pithi_finding_is_guess(r->a, transfer);
    for (uint32_t i = 0; i < r->all_lanes; i++)
        sends += r->a->graph.lanes[i].sends;
    uint64_t small = pithlog_analysis_small_messages(r->a, &small_ns);
    int is_coll = pithi_coll_rule(pithi_state_text(r->log, transfer->state)).shape != PITHI_COLL_NONE;
    unsigned traits = pithi_mpi_call_traits(pithlog_get_def(r->log, transfer->state));
    int is_unknown = 2 * r->a->graph.matched <= (info->sends > info->recvs ? info->sends : info->recvs) &&
                     traits & (info->collectives ? PITHI_RECEIVES : PITHI_RECEIVES | PITHI_COMPLETES);
    if (!is_coll && 2 * small > sends && transfer->ns <= SMALL_NS * (double)small)
        snprintf(c->text, sizeof c->text, "%llu of %llu messages are small and could be sent together",
                 (unsigned long long)small, (unsigned long long)sends);
    else
        snprintf(c->text, sizeof c->text, "MPI calls take long, most %.*s (%llu of %s)%s", NAME,
                 pithi_state_text(r->log, transfer->state), (unsigned long long)sum->calls,
                 pithi_ns_text(text, sum->calls ? (double)sum->transfer_ns / (double)sum->calls : 0),
                 is_unknown ? "; the log does not have their partners" : "");
    free(sums);
    return 1;
}

/* Times of the threads of a rank in OpenMP's states. */
struct team {
    /* waits: time in waiting states except omp:idle; idles: time in omp:idle; both summed over all threads. region: the
     * longest time of one thread in waiting states and, if it does not call MPI, in computing states. */
    double waits, idles, region;
    double slow_waits;              /* waiting of the thread that waits least */
    uint32_t slow, waiter, threads; /* lanes that wait least and most; number of threads */
};

static double omp_waits(const struct rules *r, uint32_t lane, double *idles)
{
    double waits = 0;

    *idles = 0;
    for (uint32_t i = 0; i < r->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(r->log, i);
        if (pithi_is_thread_wait(def) && strcmp(def->group, PITHI_OPENMP_WAITS) == 0)
            *(strcmp(def->name, "omp:idle") == 0 ? idles : &waits) += (double)pithlog_analysis_state_ns(r->a, lane, i);
    }
    return waits;
}

/* Returns OpenMP's waiting state, other than omp:idle, in which a lane is longest. */
static uint32_t longest_wait(const struct rules *r, uint32_t lane)
{
    uint32_t longest = NO_STATE;
    int64_t most_ns = -1;

    for (uint32_t i = 0; i < r->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(r->log, i);
        int64_t ns = pithlog_analysis_state_ns(r->a, lane, i);
        if (pithi_is_thread_wait(def) && strcmp(def->group, PITHI_OPENMP_WAITS) == 0 &&
            strcmp(def->name, "omp:idle") != 0 && ns > most_ns) {
            longest = i;
            most_ns = ns;
        }
    }
    return longest;
}

/* Fills `team` for the rank that begins at lane `first`. Returns the lane after the rank's last one. */
static uint32_t team_of(const struct rules *r, uint32_t first, struct team *team)
{
    int32_t rank = pithlog_get_lane(r->log, first)->rank;
    uint32_t lane = first;

    double most_waits = -1;
    *team = (struct team){.slow_waits = INFINITY};
    for (; lane < r->all_lanes && pithlog_get_lane(r->log, lane)->rank == rank; lane++) {
        double idles, waits = omp_waits(r, lane, &idles), region = waits;
        for (uint32_t i = 0; i < r->defs && !pithlog_analysis_calls_mpi(r->a, lane); i++)
            region += is_computing(r, i) ? (double)pithlog_analysis_state_ns(r->a, lane, i) : 0;
        if (waits <= 0 && region <= 0)
            continue;
        team->threads++;
        team->waits += waits;
        team->idles += idles;
        team->region = region > team->region ? region : team->region;
        if (waits > most_waits) {
            most_waits = waits;
            team->waiter = lane;
        }
        if (waits < team->slow_waits) {
            team->slow_waits = waits;
            team->slow = lane;
        }
    }
    return lane;
}

/* Proposes OpenMP's waiting: one thread of a team is slow, or one thread works while the others have no work. The share
 * is relative to the time of all threads.
 *
 *     three threads, 80 ms: for 20 ms, only the first one works; in the region, two work 10 ms and one 60 ms
 *     waiting: 2 x 50 ms of 3 x 80 ms, 42 %;   without work: 2 x 20 ms, 17 %
 *
 * While a rank waits for the OpenMP of another rank, all its threads wait. */
static int find_threads(struct rules *r)
{
    double waits = 0, idles = 0, all_ns = (double)(r->a->info.to_ns - r->a->info.from_ns) * r->all_lanes;
    struct team team, worst = {.waits = -1};
    int is_same = 1;
    char name[32];

    for (uint32_t lane = 0, next; lane < r->all_lanes; lane = next) {
        next = team_of(r, lane, &team);
        if (team.threads < 2)
            continue;
        waits += team.waits;
        idles += team.idles;
        worst = team.waits > worst.waits ? team : worst;
    }
    if (worst.waits < 0 || waits + idles <= 0)
        return 1;
    for (uint32_t lane = 0, next; lane < r->all_lanes; lane = next) {
        next = team_of(r, lane, &team);
        is_same &= team.threads < 2 ||
                   (2 * team.waits >= worst.waits &&
                    pithlog_get_lane(r->log, team.slow)->thread == pithlog_get_lane(r->log, worst.slow)->thread);
    }
    double others = r->omp_ns * r->all_lanes / r->lanes;
    struct candidate *c = propose(r, "threads", waits + others > idles ? waits + others : idles);
    const struct pithlog_lane *slow = pithlog_get_lane(r->log, worst.slow);
    double other_waits = (worst.waits - worst.slow_waits) / (worst.threads - 1);
    c->share = c->ns / all_ns;
    /* There are three answers. The team waits until its first thread begins a parallel region; or its threads wait for
     * one another and none is slow; or they wait for one slow thread, whose work is named. */
    if (waits + others <= idles) {
        snprintf(c->text, sizeof c->text, "Other threads have no work while the first one of each rank works alone");
        return 1;
    }
    snprintf(name, sizeof name, "rank %d", (int)slow->rank);
    pithi_longest_piece(r->a, worst.waiter, longest_wait(r, worst.waiter), &c->place);
    if (worst.slow_waits > 0.5 * other_waits || worst.region <= other_waits) {
        snprintf(c->text, sizeof c->text, "Threads wait for others of their teams, most on %s", name);
        return 1;
    }
    c->lane = worst.slow;
    for (uint32_t i = 0; i < r->defs; i++)
        if (pithlog_get_def(r->log, i)->kind == PITHLOG_STATE && is_computing(r, i) &&
            (c->state == NO_STATE ||
             pithlog_analysis_state_ns(r->a, c->lane, i) > pithlog_analysis_state_ns(r->a, c->lane, c->state)))
            c->state = i;
    if (c->state != NO_STATE)
        pithi_longest_piece(r->a, c->lane, c->state, &c->place);
    FILE *out = fmemopen(c->text, sizeof c->text, "w");
    if (!out)
        return 0;
    fprintf(out, "Thread %u of %s works", (unsigned)slow->thread,
            is_same && pithlog_get_info(r->log)->ranks > 1 ? "each rank" : name);
    if (c->state != NO_STATE && strncmp(pithi_state_text(r->log, c->state), "omp:", 4) != 0) {
        fprintf(out, " in");
        put_state(r, c->state, out);
    }
    fprintf(out, " ");
    put_ratio((worst.region - worst.slow_waits) / (worst.region - other_waits), out);
    fprintf(out, " the others of its team%s", others > 0.1 * waits ? ", and other ranks wait for that" : "");
    return fclose(out) == 0;
}

/* Proposes waiting for threads: threads that call MPI wait for another thread of their rank, and other ranks wait for
 * these. The share is relative to the time of the threads that call MPI plus the time in states of the other threads,
 * which may live only briefly.
 *
 *     two ranks, 60 ms: each waits 40 ms in pthread_join for a thread that works 60 ms in `filter`
 *     2 x 40 ms of 2 x 60 + 2 x 60 ms, 33 % */
static int find_thread_waits(struct rules *r)
{
    const struct pithlog_finding *waits = finding_of(r, "thread waiting");
    double threads_ns = r->run_ns;
    struct pithi_meanwhile meanwhile;

    if (!waits)
        return 1;
    if (!pithi_meanwhile_find(r->a, waits->lane, waits->state, &meanwhile))
        return 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        for (uint32_t i = 0; i < r->defs && !pithlog_analysis_calls_mpi(r->a, lane); i++)
            threads_ns += (double)pithlog_analysis_state_ns(r->a, lane, i);
    struct candidate *c = propose(r, "threads", waits->ns + r->pthreads_ns);
    FILE *out = fmemopen(c->text, sizeof c->text, "w");
    if (!out)
        return 0;
    c->share = c->ns / threads_ns;
    c->lane = waits->lane;
    c->state = waits->state;
    c->place = waits->place;
    int is_one = (double)pithlog_analysis_state_ns(r->a, c->lane, c->state) >= 0.9 * waits->ns;
    fprintf(out, is_one ? "Rank %d waits in" : "Ranks wait for threads of their own, most rank %d in",
            (int)pithlog_get_lane(r->log, c->lane)->rank);
    put_state(r, c->state, out);
    if (meanwhile.share >= 0.5 && meanwhile.state != PITHLOG_COMPUTING) {
        fprintf(out, " while its thread %u is in", (unsigned)pithlog_get_lane(r->log, meanwhile.lane)->thread);
        put_state(r, meanwhile.state, out);
        c->state = is_computing(r, meanwhile.state) ? meanwhile.state : c->state;
    }
    if (r->pthreads_ns > 0.1 * waits->ns)
        fprintf(out, ", and other ranks wait for that");
    return fclose(out) == 0;
}

/* Proposes a late start: one rank calls MPI_Init long after all others. */
static int find_late_start(struct rules *r)
{
    const struct pithlog_info *info = pithlog_get_info(r->log);
    double late_ns = (double)r->a->graph.late_init_ns;
    char late[PITHI_NS_TEXT], rank[32];

    if (!r->a->info.has_init || late_ns < LEAST_LATE_NS)
        return 1;
    struct candidate *c = propose(r, "start and end", late_ns * (r->lanes - 1));
    c->lane = r->a->graph.last_init_lane;
    c->share = late_ns / (double)(info->end_ns - info->start_ns);
    c->place = (struct pithlog_finding_place){info->start_ns, r->a->info.from_ns, c->lane, PITHI_NO_LANE};
    pithi_lane_text(r->log, c->lane, rank);
    rank[0] = 'R';
    snprintf(c->text, sizeof c->text, "%s calls MPI_Init %s after all other ranks", rank, pithi_ns_text(late, late_ns));
    return 1;
}

/* Proposes the time before the analysed part of the run, and the time after it. */
static int find_ends(struct rules *r)
{
    const struct pithlog_info *info = pithlog_get_info(r->log);
    double start_ns = r->a->info.has_init ? (double)(r->a->info.from_ns - info->start_ns) : 0;
    double end_ns = r->a->info.has_finalize ? (double)(info->end_ns - r->a->info.to_ns) : 0;
    char start[PITHI_NS_TEXT], end[PITHI_NS_TEXT];

    if (start_ns + end_ns < LEAST_ENDS_NS)
        return 1;
    struct candidate *c = propose(r, "start and end", (start_ns + end_ns) * r->lanes);
    c->share = (start_ns + end_ns) / (double)(info->end_ns - info->start_ns);
    c->place.from_ns = info->start_ns;
    c->place.to_ns = info->end_ns;
    snprintf(c->text, sizeof c->text, "The program takes %s to start, up to the end of MPI_Init, and %s to end",
             pithi_ns_text(start, start_ns), pithi_ns_text(end, end_ns));
    return 1;
}

/* ---- The answer -------------------------------------------------------------------------------------------------- */

static const struct candidate *choose(const struct rules *r)
{
    double most = 0, most_sure = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        const struct candidate *c = &r->list[i];
        most = c->share > most ? c->share : most;
        most_sure = c->share > most_sure && !c->is_guess ? c->share : most_sure;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        const struct candidate *c = &r->list[i];
        double compared = strcmp(c->kind, "cores") == 0 ? most_sure : most;
        if (c->is_first || (c->share >= LEAST && 2 * c->share >= compared))
            return c;
    }
    return NULL;
}

static int put_chosen(struct rules *r, const struct candidate *c, struct pithi_answer *answer)
{
    struct pithlog_answer *to = &answer->answer;
    FILE *out = fmemopen(answer->text, sizeof answer->text, "w");
    int good;

    if (!out)
        return 0;
    *to = (struct pithlog_answer){.kind = c->kind,
                                  .ns = c->ns,
                                  .share = c->share < 1 ? c->share : 1,
                                  .lane = c->lane,
                                  .other = c->other,
                                  .place = c->place};
    if (c->state != NO_STATE) {
        snprintf(answer->state, sizeof answer->state, "%s", pithi_state_text(r->log, c->state));
        to->state = answer->state;
    }
    fprintf(out, "%s: %s%.0f %% of the %s is lost", c->text, c->is_least ? "at least " : "", 100 * to->share,
            strcmp(c->kind, "threads") == 0 ? "threads' time" : "run");
    good = put_iterations(r, c, to, out);
    fprintf(out, ".");
    return fclose(out) == 0 && good;
}

/* Returns 1 if the log has the records of a job that did not end by itself. */
static int is_recovered(const struct rules *r) { return pithi_property(r->log, "recovered") != NULL; }

/* Returns 1 if the run is so short that a single interrupt costs as much as anything that the program does. */
static int is_brief(const struct rules *r)
{
    const struct pithlog_analysis_info *info = &r->a->info;
    int is_recorded = info->has_finalize ? pithi_property(r->log, "pith") != NULL : is_recovered(r);

    return info->has_init && is_recorded && (double)(info->to_ns - info->from_ns) < LEAST_RUN_NS;
}

static void put_none(struct rules *r, struct pithi_answer *answer)
{
    const struct pithlog_analysis_info *info = &r->a->info;
    double compute = 0;

    for (uint32_t lane = 0; lane < r->all_lanes; lane++)
        if (r->counts[lane])
            compute += (double)(pithlog_analysis_useful_ns(r->a, lane) - pithi_thread_wait_ns(r->a, lane));

    answer->answer = (struct pithlog_answer){.kind = "balanced",
                                             .lane = PITHI_NO_LANE,
                                             .other = PITHI_NO_LANE,
                                             .place = {info->from_ns, info->to_ns, PITHI_NO_LANE, PITHI_NO_LANE}};
    if (info->is_too_short) {
        answer->answer.kind = "unknown";
        snprintf(answer->text, sizeof answer->text, "The part without missing records is too short to judge the run.");
    } else if (is_brief(r)) {
        char brief[PITHI_NS_TEXT];
        answer->answer.kind = "unknown";
        snprintf(answer->text, sizeof answer->text, "Only %s lie between MPI_Init and %s: too short to judge the run.",
                 pithi_ns_text(brief, (double)(info->to_ns - info->from_ns)),
                 info->has_finalize ? "MPI_Finalize" : "the last record");
    } else if (!info->has_mpi || !r->lanes) {
        answer->answer.kind = "unknown";
        snprintf(answer->text, sizeof answer->text, "The log has no MPI calls%s",
                 info->recvs ? ", so it is not known when ranks compute."
                             : " and no messages, so nothing can be said about waiting.");
    } else {
        snprintf(answer->text, sizeof answer->text, "Nothing is badly wrong: %s %.0f %% of the time.",
                 pithlog_get_info(r->log)->ranks == 1 ? "the rank computes" : "ranks compute",
                 r->run_ns > 0 ? 100 * compute / r->run_ns : 0);
    }
}

/* Writes the answer for a job that was killed, still runs or hangs, so that no rank has come to MPI_Finalize. The
 * answer says what most ranks do. */
static int put_unfinished(const struct rules *r, struct pithi_answer *answer)
{
    const struct pithlog_info *info = pithlog_get_info(r->log);
    uint32_t in_mpi = 0, most = 0, ranks = 0, *of_state = calloc(r->defs + (size_t)1, sizeof *of_state);
    size_t used = strlen(answer->text);

    if (!of_state)
        return 0;
    for (uint32_t lane = 0; lane < r->all_lanes; lane++) {
        const struct pithi_graph_lane *of = &r->a->graph.lanes[lane];
        if (!of->calls || of->pieces.count < 2)
            continue;
        /* the last piece is empty: it ends the lane */
        uint32_t state = pithi_graph_piece(&r->a->graph, lane, of->pieces.count - 2)->state;
        ranks++;
        if (!pithi_graph_is_call(&r->a->graph, state))
            continue;
        in_mpi++;
        of_state[state]++;
        most = of_state[state] > of_state[most] ? state : most;
    }
    if (r->a->info.has_init && !r->a->info.has_finalize && r->a->graph.to_ns >= info->end_ns && is_recovered(r)) {
        snprintf(answer->text + used, sizeof answer->text - used, " The log ends before MPI_Finalize");
        used = strlen(answer->text);
        if (in_mpi)
            snprintf(answer->text + used, sizeof answer->text - used, ", when %u of %u ranks %s in %.*s",
                     of_state[most], ranks, of_state[most] == 1 ? "is" : "are", NAME, pithi_state_text(r->log, most));
        used = strlen(answer->text);
        snprintf(answer->text + used, sizeof answer->text - used, ".");
    }
    free(of_state);
    return 1;
}

static int begin_rules(struct rules *r, struct pithlog_analysis *a)
{
    *r = (struct rules){.a = a,
                        .log = a->graph.log,
                        .all_lanes = pithlog_get_info(a->graph.log)->lanes,
                        .defs = pithlog_get_info(a->graph.log)->defs};
    r->by_lane = calloc(r->all_lanes + (size_t)1, sizeof *r->by_lane);
    r->counts = calloc(r->all_lanes + (size_t)1, 1);
    r->progress_of = calloc(r->all_lanes + (size_t)1, sizeof *r->progress_of);
    r->by_state = calloc(r->defs + (size_t)1, sizeof *r->by_state);
    r->by_state_of_set = calloc(r->defs + (size_t)1, sizeof *r->by_state_of_set);
    r->computing = calloc(r->all_lanes + (size_t)1, sizeof *r->computing);
    r->set = calloc(r->all_lanes + (size_t)1, 1);
    r->computes = calloc(r->defs + (size_t)1, 1);
    if (r->computes)
        know_states(r);
    r->lanes = r->counts ? pithi_lanes_that_count(a, r->counts) : 0;
    r->run_ns = (double)(a->info.to_ns - a->info.from_ns) * r->lanes;
    return r->by_lane && r->counts && r->progress_of && r->by_state && r->by_state_of_set && r->computing && r->set &&
           r->computes;
}

static void end_rules(struct rules *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->list[i].by_iteration);
    free(r->by_lane);
    free(r->counts);
    free(r->progress_of);
    free(r->by_state);
    free(r->by_state_of_set);
    free(r->computing);
    free(r->set);
    free(r->computes);
}

int pithlog_analysis_answer(struct pithlog_analysis *a, const struct pithlog_answer **answer)
{
    static int (*const rules[])(struct rules *) = {find_cores,        find_progress,   find_computing,
                                                   find_files,        find_transfer,   find_threads,
                                                   find_thread_waits, find_late_start, find_ends};
    _Static_assert(sizeof rules / sizeof *rules == RULES, "each rule has room for its candidate");
    const struct pithlog_iterations *iterations;
    struct rules r = {0};
    int err = PITH_OK, good = 1;

    *answer = NULL;
    if (!a->answer) {
        if (!a->iterations.count)
            CHECK(pithlog_analysis_iterations(a, UINT32_MAX, &iterations));
        if (!(a->answer = calloc(1, sizeof *a->answer)))
            return pithi_analysis_no_memory(a);
        good = begin_rules(&r, a);
        if (good)
            TRY(pithlog_analysis_findings(a, &r.findings, &r.finding_count));
        if (good && r.lanes && a->info.has_mpi && !a->info.is_too_short) {
            int brief = is_brief(&r);
            good = know_parts(&r);
            sum_delays(&r);
            for (size_t i = 0; good && i < RULES; i++)
                if (!brief || rules[i] == find_late_start || rules[i] == find_ends)
                    good = rules[i](&r);
        }
        const struct candidate *c = good ? choose(&r) : NULL;
        if (c)
            good = put_chosen(&r, c, a->answer);
        else if (good)
            put_none(&r, a->answer);
        good = good && put_unfinished(&r, a->answer);
        a->answer->answer.text = a->answer->text;
        err = good ? PITH_OK : pithi_analysis_no_memory(a);
    }
out:
    end_rules(&r);
    if (err) {
        free(a->answer);
        a->answer = NULL;
    } else
        *answer = &a->answer->answer;
    return err;
}
