/* hybrid_model.c - the efficiencies of programs with MPI and threads, by POP's hybrid model, in which the efficiency of
 * all threads is the product of those of MPI and of threads. A thread is useful outside MPI while it does not wait for
 * others. For example, T is 10, and each of two ranks has two threads:
 *
 *     rank 0: useful 6 and 3, rank 1: 10 and 3     all threads: mean 5.5 of 10, so 0.55
 *     outside MPI: rank 0: 8, rank 1: 10           MPI: mean 9 of 10, so 0.9; threads: 0.55 / 0.9 = 0.61 */
#include "analysis/hybrid_model.h"

#include <string.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/thread_counters.h"
#include "base/error.h"

/* The wrappers of OpenMP and pthread put states in which a thread waits for another one into groups of their own. Only
 * by its group, such a state differs from other states. */
int pithi_is_thread_wait(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_STATE && def->group &&
           (strcmp(def->group, PITHI_OPENMP_WAITS) == 0 || strcmp(def->group, PITHI_PTHREAD_WAITS) == 0);
}

int64_t pithi_thread_wait_ns(const struct pithlog_analysis *a, uint32_t lane)
{
    const struct pithlog_def *def;
    int64_t sum = 0;

    for (uint32_t i = 0; (def = pithlog_get_def(a->graph.log, i)); i++)
        if (pithi_is_thread_wait(def))
            sum += pithlog_analysis_state_ns(a, lane, i);
    return sum;
}

double pithi_thread_wait_share(const struct pithlog_analysis *a)
{
    double sum = 0;

    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++)
        /* Counts only threads that call MPI, because the hybrid model itself judges the others. */
        sum += pithlog_analysis_calls_mpi(a, lane) ? (double)pithi_thread_wait_ns(a, lane) : 0;
    return pithi_analysis_percent(a, sum) / 100;
}

/* Adds the time of a lane by state to of[definitions + 1]; the last entry is for computing. Only time during the waits
 * of the lane `waiting` in `state` counts. For a thread without MPI calls, time outside its states is left out, because
 * it is not known what the thread does there. */
static void add_meanwhile(struct pithlog_analysis *a, uint32_t lane, uint32_t waiting, uint32_t state, double *of)
{
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    int is_known = pithlog_analysis_calls_mpi(a, lane);
    int64_t from_ns, to_ns, wait_from_ns, wait_to_ns;
    struct pithi_pieces p, w;

    pithi_pieces_begin(&p, a, lane);
    pithi_pieces_begin(&w, a, waiting);
    /* Merges the pieces of both lanes, which are in order of time: takes the time that two pieces share, then goes on
     * to the next piece of the lane whose piece ends first. Example: a piece 0 to 10 and a wait 4 to 12 share 4 to
     * 10. */
    while (p.index < p.end && w.index < w.end) {
        pithi_pieces_part(a, &p, &from_ns, &to_ns);
        pithi_pieces_part(a, &w, &wait_from_ns, &wait_to_ns);
        int is_first = to_ns < wait_to_ns;
        from_ns = from_ns > wait_from_ns ? from_ns : wait_from_ns;
        to_ns = is_first ? to_ns : wait_to_ns;
        if (w.piece->state == state && to_ns > from_ns && (is_known || p.piece->state != PITHLOG_COMPUTING))
            of[p.piece->state == PITHLOG_COMPUTING ? defs : p.piece->state] += (double)(to_ns - from_ns);
        pithi_pieces_next(is_first ? &p : &w);
    }
}

/* Finds what another thread of the same rank did most while `lane` was in `state`. Returns 0 if there is no memory;
 * meanwhile->lane is PITHI_NO_LANE if nothing is known. */
int pithi_meanwhile_find(struct pithlog_analysis *a, uint32_t lane, uint32_t state, struct pithi_meanwhile *meanwhile)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    int32_t rank = pithlog_get_lane(a->graph.log, lane)->rank;
    double most = 0, all_ns = (double)pithlog_analysis_state_ns(a, lane, state), *of;

    *meanwhile = (struct pithi_meanwhile){PITHI_NO_LANE, PITHLOG_COMPUTING, 0};
    for (uint32_t k = 0; k < info->lanes; k++) {
        if (k == lane || pithlog_get_lane(a->graph.log, k)->rank != rank)
            continue;
        if (!(of = calloc(info->defs + (size_t)1, sizeof *of)))
            return 0;
        add_meanwhile(a, k, lane, state, of);
        for (uint32_t i = 0; i <= info->defs; i++) {
            /* A thread that also waits explains little, so its waiting counts a tenth: 50 ms in a barrier count less
             * than 6 ms in a loop. */
            int is_wait = i < info->defs && pithi_is_thread_wait(pithlog_get_def(a->graph.log, i));
            double counts = is_wait ? of[i] / 10 : of[i];
            if (counts <= most)
                continue;
            most = counts;
            *meanwhile = (struct pithi_meanwhile){k, i == info->defs ? PITHLOG_COMPUTING : i, of[i] / all_ns};
        }
        free(of);
    }
    return 1;
}

/* Returns the useful time of a lane. For a thread without MPI calls, time outside its states does not count, because it
 * is not known what the thread does there. */
static int64_t useful_of(const struct pithlog_analysis *a, uint32_t lane)
{
    int64_t outside = pithlog_analysis_useful_ns(a, lane);

    if (!pithlog_analysis_calls_mpi(a, lane))
        outside -= pithlog_analysis_state_ns(a, lane, PITHLOG_COMPUTING);
    return outside - pithi_thread_wait_ns(a, lane);
}

uint32_t pithlog_analysis_hybrid(const struct pithlog_analysis *a, struct pithlog_efficiency all[PITHLOG_HYBRID])
{
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes;
    double length = (double)(a->info.to_ns - a->info.from_ns), sum = 0, most = 0;
    int has_workers = 0;

    for (uint32_t i = 0; i < lanes; i++) {
        double useful = (double)useful_of(a, i);
        sum += useful;
        most = useful > most ? useful : most;
        /* A worker is a thread without MPI that works or waits for others; without workers, the hybrid model says no
         * more than MPI's efficiencies. */
        has_workers |= !pithlog_analysis_calls_mpi(a, i) && (useful > 0 || pithi_thread_wait_ns(a, i) > 0);
    }
    if (!a->info.lanes || !has_workers || most <= 0 || a->info.parallel <= 0)
        return 0;
    /* The product: parallel = load_balance * communication, as `most` cancels out. */
    double parallel = sum / lanes / length, load_balance = sum / lanes / most, communication = most / length;
    const struct pithlog_efficiency tree[PITHLOG_HYBRID] = {
        {"all threads", "mean time of a thread at work / run time", 0, parallel},
        {"MPI", "parallel, above: of the threads that call MPI", 1, a->info.parallel},
        {"threads", "all threads / MPI; low: other threads are idle", 1, parallel / a->info.parallel},
        {"load balance", "of all threads / load balance of MPI, above", 2, load_balance / a->info.load_balance},
        {"communication", "of all threads / communication of MPI, above", 2, communication / a->info.communication},
    };
    memcpy(all, tree, sizeof tree);
    return PITHLOG_HYBRID;
}

/* ---- Instructions, IPC and frequency ----------------------------------------------------------------------------- */

/* Values of the hardware counters of ranks outside MPI: POP's instructions, IPC and frequency. */

static int has_counter(const struct pithlog *log, const char *name)
{
    const struct pithlog_def *def;

    for (uint32_t i = 0; (def = pithlog_get_def(log, i)); i++)
        if (def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, name) == 0)
            return 1;
    return 0;
}

/* Returns 1 if a processor can have such a sum, and ratios of the sum are finite. A log may contain any values. */
static int is_sane(double sum) { return sum >= 1 && sum <= 1e24; }

int pithlog_analysis_computation(const struct pithlog_analysis *a, struct pithlog_computation *computation)
{
    struct pithlog *log = a->graph.log;
    uint32_t all = pithlog_get_info(log)->lanes, *lanes;
    struct pithlog_query part = {.from_ns = a->info.from_ns, .to_ns = a->info.to_ns};
    struct pithi_counter_sums sums = {0};
    const double *instructions, *cycles;
    int err;

    *computation = (struct pithlog_computation){0};
    /* without the counters all numbers are 0, which is no error */
    if (!has_counter(log, PITHI_COUNTER_INSTRUCTIONS) || !has_counter(log, PITHI_COUNTER_CYCLES))
        return PITH_OK;
    part.lanes = lanes = malloc((all + (size_t)1) * sizeof *lanes);
    if (!lanes)
        return pithi_analysis_no_memory(a);
    /* Threads without MPI calls have no known time outside states, so they do not count here, as in useful_ns. */
    for (uint32_t i = 0; i < all; i++)
        if (pithlog_analysis_calls_mpi(a, i))
            lanes[part.lane_count++] = i;
    if (part.lane_count)
        TRY(pithi_counter_sums_computing(log, &part, &sums));
    instructions = pithi_counter_sums_of(log, &sums, PITHI_COUNTER_INSTRUCTIONS);
    cycles = pithi_counter_sums_of(log, &sums, PITHI_COUNTER_CYCLES);
    err = PITH_OK;
    if (instructions && cycles && is_sane(instructions[sums.states]) && is_sane(cycles[sums.states]) &&
        a->info.useful_ns > 0)
        *computation = (struct pithlog_computation){
            .instructions = instructions[sums.states],
            .ipc = instructions[sums.states] / cycles[sums.states],
            .cycles_a_second = cycles[sums.states] / ((double)a->info.useful_ns / 1e9),
        };
out:
    pithi_counter_sums_free(&sums);
    free(lanes);
    return err;
}
