/* what_if.c - how long the window would have taken if calls or states were faster: a replay, as Dimemas does it.
 *
 *     rank 0   computes 0-50    MPI_Send 50-51
 *     rank 1   computes 0-30    MPI_Recv 30-53         released at 50, so its transfer is 3
 *
 *     as it was                    MPI_Recv ends at 50 + 3 = 53
 *     computing twice as fast      the send begins at 25, MPI_Recv at 15, and ends at 25 + 3 = 28
 *     only that of rank 0          the send begins at 25, MPI_Recv at 30, and ends at 33; more speed gains nothing
 *     ideal network                transfers take no time, so MPI_Recv ends at 50
 *
 * Each lane goes through its pieces again. Computing takes its measured time. A call ends when its needs are released
 * in the replay, plus its transfer: the part of the measured call after its release. So a replay without a change gives
 * the measured times. On a fitted network, the model of network.h gives the time from the release of a message or
 * collective to its arrival. A call without a transfer of its own keeps its measured time. A lane stops as long as a
 * need of its call is not released.
 *
 * If a lane waits for threads of its rank (OpenMP, pthreads), its wait ends some time after the last of these threads
 * has done its work in the replay. This additional time is the same as in the log:
 *
 *     thread 0     solve 0-20    omp:barrier 20-62
 *     thread 1     solve 0-60                             its work ends at 60, so the additional time is 2
 *     solve three times as fast    thread 0 is at its barrier at 7, thread 1 has done its work at 20; wait until 22 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/hybrid_model.h"
#include "analysis/replay/network.h"
#include "analysis/replay/even_phases.h"
#include "base/error.h"
#include "native/log.h"

#define NONE UINT32_MAX

enum { REPORT_WALKS = 4096 }; /* walks of a lane between two reports of progress */

/* The begins, in the replay, of those pieces of a lane that other lanes wait for. Bit n is set if other lanes wait for
 * piece first + n of the lane.
 *
 * Of a million pieces in a lane, other lanes may wait for a thousand, and only the begins of these are kept. The index
 * of a begin is the number of set bits before the piece's bit; `before` has this number for the first bit of each
 * word. */
struct begins {
    uint64_t *bits;
    uint32_t *before;          /* [words of `bits`]: bits set in earlier words */
    struct pithi_chunks at_ns; /* double, by this index, as far as the lane has come */
};

struct walker {
    uint32_t piece, member; /* the next piece; the next entry in the lane's list of collective parts */
    double now;             /* ns from the start of the window */
    uint32_t waiters;       /* 1 + first lane that waits for a piece of this lane */
    uint32_t next;          /* 1 + the next lane in the same list of waiters */
    uint32_t needed;        /* the piece of the other lane for which this lane waits */
    uint32_t *list;         /* the list of waiters that has this lane; NULL: it is not blocked */
    int is_begun;           /* its next piece has begun */
    uint32_t synced;        /* the piece after the lane's last MPI call or wait for threads */
    /* Begin of the piece `synced` in the replay. */
    double synced_ns;
    uint32_t end; /* the next end of a phase of this lane, in `phases`, when computing is balanced */
    /* The lane's measured computing in the rest of its phase, summed when the phase begins; below 0: not summed yet. */
    double phase_ns;
};

struct instance {
    double last, root;      /* latest begin of a member so far; begin of the root, below 0: not begun */
    uint32_t arrived, come; /* come: scan positions whose members have all begun */
    uint32_t waiters;
};

struct replay {
    struct pithlog_analysis *a;
    const struct pithi_graph *g;
    const struct pithlog_what_if *what;
    struct walker *walkers;
    struct instance *instances;
    double *positions;     /* begin at each scan position; NAN: not begun */
    struct begins *begins; /* [lanes] */
    struct pithi_scratch scratch;
    uint32_t *ready, ready_count;
    uint64_t given_up;
    int is_full;                       /* 1: no memory while a lane went on */
    double walked;                     /* pieces walked so far, for the progress */
    const struct pithi_phases *phases; /* balanced computing; NULL: as measured */
    struct phase *of_phases;           /* [phases->count] */
    struct pithi_replay_state *states; /* [definitions]; NULL: not asked for */
    /* [definitions]: 1: in this state, a lane waits for threads of its rank; 2: its team also leaves it together. */
    unsigned char *thread_waits;
};

/* The computing of all lanes in a phase (even_phases.h). To balance a phase, each lane gets the mean: if rank 0
 * computes 60 and rank 1 computes 20, each gets 40, so their pieces are scaled by 2/3 and by 2. Work cannot move from
 * one phase to another, because other lanes need its results at the end of the phase. */
struct phase {
    double ns;
    uint32_t lanes;
};

static int is_kept(const struct begins *begins, uint32_t piece) { return begins->bits[piece / 64] >> piece % 64 & 1; }

static double begin_of(const struct begins *begins, uint32_t piece)
{
    uint64_t lower = begins->bits[piece / 64] & ((UINT64_C(1) << piece % 64) - 1);
    uint32_t number = begins->before[piece / 64] + (uint32_t)__builtin_popcountll(lower);
    return *(const double *)pithi_chunks_at(&begins->at_ns, number, sizeof(double));
}

/* Sets *at to the release of the need in the replay. Returns 0 if the release is not known yet; then *lane or *instance
 * is what the release depends on. */
static int released(struct replay *r, const struct pithi_need *need, double *at, uint32_t *lane, uint32_t *instance)
{
    const struct pithi_graph *g = r->g;
    *lane = *instance = NONE;
    *at = 0;

    if (need->release_ns <= g->from_ns || need->release_ns >= g->to_ns)
        return 1;
    if (need->of == PITHI_NEED_LANE) {
        const struct pithi_analysis_lane *of = &r->a->lanes[need->lane];
        const struct pithi_lane_piece *piece = pithi_graph_piece(g, need->lane, need->position);
        struct walker *w = &r->walkers[need->lane];
        *lane = need->lane;
        if (w->piece < need->position || (w->piece == need->position && !w->is_begun))
            return 0;
        int64_t begin_ns = piece->begin_ns > g->from_ns ? piece->begin_ns : g->from_ns;
        *at = begin_of(&r->begins[need->lane], need->position - of->first) + (double)(need->release_ns - begin_ns);
        return 1;
    }
    struct instance *coll = &r->instances[need->instance];
    const struct pithi_graph_coll *of = pithi_graph_coll(g, need->instance);
    *instance = need->instance;
    if (need->of == PITHI_NEED_ROOT) {
        *at = coll->root;
        return coll->root >= 0;
    }
    if (need->of == PITHI_NEED_ALL) {
        *at = coll->last;
        return coll->arrived >= of->members;
    }
    double *positions = r->positions + of->positions - 1;
    for (; coll->come < need->position && !isnan(positions[coll->come]); coll->come++)
        if (coll->come > 0 && positions[coll->come] < positions[coll->come - 1])
            positions[coll->come] = positions[coll->come - 1];
    *at = need->position ? positions[need->position - 1] : 0;
    return coll->come >= need->position;
}

static void wake_all(struct replay *r, uint32_t *waiters)
{
    while (*waiters) {
        uint32_t lane = *waiters - 1;
        *waiters = r->walkers[lane].next;
        r->walkers[lane].list = NULL;
        r->ready[r->ready_count++] = lane;
    }
}

/* Counts the phases, and sums the computing in each. Returns 0 if there is no memory. */
static int sum_phases(struct replay *r, uint32_t lanes)
{
    if (!(r->of_phases = calloc(r->phases->count, sizeof *r->of_phases)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t piece = r->a->lanes[i].first, end = r->phases->first[i];
        while (r->g->lanes[i].calls && piece < r->a->lanes[i].last) {
            pithi_phase_passed(r->phases, i, piece, &end);
            struct phase *phase = &r->of_phases[pithi_phase_at(r->phases, i, end)];
            double ns = pithi_phase_rest(r->a, r->phases, i, &piece, &end);
            phase->ns += ns;
            phase->lanes += ns > 0;
        }
    }
    return 1;
}

/* Stores the begin of the lane's present piece as its arrival in the collectives that it enters there. */
static void arrive(struct replay *r, uint32_t lane, struct walker *w)
{
    const struct pithi_chunks *members = &r->g->lanes[lane].members;

    for (; w->member < members->count; w->member++) {
        const struct pithi_graph_member *member = pithi_chunks_at(members, w->member, sizeof *member);
        if (member->piece > w->piece)
            break;
        struct instance *coll = &r->instances[member->instance];
        coll->arrived++;
        coll->last = w->now > coll->last ? w->now : coll->last;
        coll->root = member->is_root ? w->now : coll->root;
        if (pithi_graph_coll(r->g, member->instance)->positions)
            r->positions[pithi_graph_coll(r->g, member->instance)->positions - 1 + member->position] = w->now;
        wake_all(r, &coll->waiters);
    }
}

static void block(struct replay *r, uint32_t lane, uint32_t other, uint32_t instance, uint32_t needed)
{
    struct walker *w = &r->walkers[lane];
    uint32_t *list = other != NONE ? &r->walkers[other].waiters : &r->instances[instance].waiters;

    w->needed = needed;
    w->next = *list;
    w->list = list;
    *list = lane + 1;
}

/* Returns when the transfer of a need ends, if the need is released at `at`. `is_in_call`: the transfer begins within
 * the call. If not, the transfer had ended by the end of the call, whatever the model says.
 *
 * If a message had arrived before its receive began, its transfer time is unknown, but at most the time from its send
 * to the end of the call. So the model's time is limited to this. Example: the model gives 8, but only 5 passed. On a
 * network of half the speed, the transfer takes 10, not 16. */
static double arrival(const struct replay *r, uint32_t lane, uint32_t state, const struct pithi_need *need, double at,
                      int is_in_call, int64_t end_ns)
{
    double ns = pithi_network_ns(r->a, lane, state, need, r->what->network, r->what->bytes);
    double model_ns = is_in_call ? 0 : pithi_network_ns(r->a, lane, state, need, 1, 1);
    double most_ns = (double)(end_ns - need->release_ns);

    if (is_in_call)
        return (at > r->walkers[lane].now ? at : r->walkers[lane].now) + ns;
    return at + (model_ns > most_ns ? ns * most_ns / model_ns : ns);
}

/* Returns 1 if the factor applies to this state on this lane. A change of the thread that calls MPI also applies to the
 * other threads of its rank. */
static int is_changed(const struct replay *r, uint32_t lane, uint32_t state)
{
    const struct pithlog_what_if *what = r->what;

    return what->factor != 1 && state == what->state &&
           (what->lane == PITHI_NO_LANE ||
            pithi_log_rank_of(r->g->log, what->lane) == pithi_log_rank_of(r->g->log, lane));
}

/* Sets *end to the end of a call in the replay. Returns 0 if the end is not known yet; then the lane is blocked.
 *
 * The end is the later of the release and the call's begin, both in the replay, plus the measured transfer. If in the
 * log the release came before the begin (the message had arrived), all of the call counts as transfer. On the fitted
 * network, the last arrival decides instead of the last release: an early large message may arrive after a late small
 * one. */
static int end_of_call(struct replay *r, uint32_t lane, const struct pithi_lane_piece *piece,
                       const struct pithi_lane_piece *next, int may_give_up, double *end)
{
    const struct pithlog_what_if *what = r->what;
    int is_first = r->g->is_call[piece->state] == PITHI_CALL_FIRST, moves = 0;
    double begin = r->walkers[lane].now, now = begin, release = is_first ? INFINITY : 0, come = release, at;
    int64_t begin_ns, end_ns, decisive_ns = INT64_MIN; /* decisive_ns: release of the decisive need in the log */
    uint32_t other, instance;

    for (const struct pithi_need *need = pithi_graph_need(r->g, piece->needs); need;
         need = pithi_graph_need(r->g, need->next)) {
        if (need->release_ns == INT64_MIN)
            continue;
        int is_in_call = what->is_fitted && pithi_network_is_in_call(r->a, lane, need, piece->begin_ns);
        if (decisive_ns == INT64_MIN || (need->release_ns > decisive_ns) != is_first) {
            decisive_ns = need->release_ns;
            moves = is_first ? is_in_call : moves;
        }
        moves |= is_in_call && !is_first;
        if (what->is_fitted && need->release_ns >= r->g->to_ns)
            continue; /* the call waits to the end of the window */
        if (!released(r, need, &at, &other, &instance)) {
            if (!may_give_up) {
                block(r, lane, other, instance, need->position);
                return 0;
            }
            r->given_up++;
            continue;
        }
        release = (at < release) == is_first ? at : release;
        if (what->is_fitted)
            at = arrival(r, lane, piece->state, need, at, is_in_call, next->begin_ns);
        come = (at < come) == is_first ? at : come;
    }
    pithi_analysis_part(r->a, piece, next, &begin_ns, &end_ns);
    int64_t moves_ns = end_ns - begin_ns; /* the part of the measured call after its release */
    if (decisive_ns > begin_ns)
        moves_ns = decisive_ns < end_ns ? end_ns - decisive_ns : 0;
    if (what->is_fitted) {
        now += moves ? 0 : (double)moves_ns;
        *end = come > now && come < INFINITY ? come : now;
    } else {
        double factor = what->network * (is_changed(r, lane, piece->state) ? what->factor : 1);
        *end = (release > now && release < INFINITY ? release : now) + (double)moves_ns * factor;
    }
    if (r->states) {
        struct pithi_replay_state *of = &r->states[piece->state];
        of->calls++;
        of->log_ns += (double)moves_ns;
        of->replay_ns += *end - (release > begin && release < INFINITY ? release : begin);
    }
    return 1;
}

static double computing(const struct replay *r, uint32_t lane, struct walker *w, uint32_t state, double ns)
{
    if (r->phases && r->g->lanes[lane].calls && ns > 0) {
        uint32_t piece = w->piece, end;
        if (pithi_phase_passed(r->phases, lane, piece, &w->end))
            w->phase_ns = -1;
        end = w->end;
        if (w->phase_ns < 0)
            w->phase_ns = pithi_phase_rest(r->a, r->phases, lane, &piece, &end);
        const struct phase *phase = &r->of_phases[pithi_phase_at(r->phases, lane, w->end)];
        ns *= phase->ns / phase->lanes / w->phase_ns;
    }
    return is_changed(r, lane, state) ? ns * r->what->factor : ns;
}

/* Returns how much less time a lane spends in the changed state within [from_ns, to_ns) than in the log. *work: begin
 * and end of its work in this interval. Waiting for others is no work. Time outside all states is no work either on a
 * thread without MPI calls. The interval ends early if the lane is in the state `barrier` after met_ns. With
 * PITHLOG_COMPUTING, there is no such state. */
static double gained(const struct replay *r, uint32_t lane, int64_t from_ns, int64_t to_ns, uint32_t barrier,
                     int64_t met_ns, int64_t work[2])
{
    uint32_t piece = pithi_graph_find(r->g, lane, from_ns);
    double ns = 0;

    work[0] = work[1] = INT64_MIN;
    for (; piece < r->g->lanes[lane].pieces.count - 1; piece++) {
        const struct pithi_lane_piece *of = pithi_graph_piece(r->g, lane, piece);
        int64_t begin_ns = of->begin_ns > from_ns ? of->begin_ns : from_ns;
        int64_t end_ns = pithi_graph_next(r->g, lane, of, piece)->begin_ns;
        end_ns = end_ns < to_ns ? end_ns : to_ns;
        if (of->begin_ns >= to_ns || (barrier != PITHLOG_COMPUTING && of->state == barrier && end_ns > met_ns))
            break;
        int is_work = of->state == PITHLOG_COMPUTING ? r->g->lanes[lane].calls > 0 : !r->thread_waits[of->state];
        if (end_ns <= begin_ns || !is_work)
            continue;
        work[0] = work[0] > INT64_MIN ? work[0] : begin_ns;
        work[1] = end_ns;
        uint32_t state = of->state;
        ns += is_changed(r, lane, state) ? (double)(end_ns - begin_ns) * (1 - r->what->factor) : 0;
    }
    return ns;
}

/* Returns how long a lane waits for the threads of its rank in the replay. Each thread begins its work as in the log,
 * but earlier by the time that `lane` has gained up to then. The threads of a team leave a barrier together, but some
 * leave it microseconds before others. What a thread does after it has left the barrier does not count, because the
 * lane does not wait for that. */
static double wait_for_threads(const struct replay *r, uint32_t lane, const struct walker *w, uint32_t state,
                               int64_t from_ns, int64_t to_ns)
{
    uint32_t barrier = r->thread_waits[state] == 2 ? state : PITHLOG_COMPUTING;
    const struct pithi_log_rank *rank = pithi_log_rank(r->g->log, pithi_log_rank_of(r->g->log, lane));
    int64_t since_ns = pithi_graph_piece(r->g, lane, w->synced)->begin_ns, last_ns = from_ns, work[2], own[2];
    double done = w->now;

    since_ns = since_ns > r->g->from_ns ? since_ns : r->g->from_ns;
    for (uint32_t i = rank->first_lane; i < rank->first_lane + rank->lane_count; i++) {
        if (i == lane || r->g->lanes[i].calls)
            continue;
        double gain = gained(r, i, since_ns, to_ns, barrier, from_ns, work);
        if (work[1] == INT64_MIN)
            continue;
        gain += gained(r, lane, since_ns, work[0] < from_ns ? work[0] : from_ns, PITHLOG_COMPUTING, 0, own);
        double at = w->synced_ns + (double)(work[1] - since_ns) - gain;
        done = at > done ? at : done;
        last_ns = work[1] > last_ns ? work[1] : last_ns;
    }
    return done - w->now + (double)(to_ns - last_ns);
}

/* Replays a lane until a call needs something that is not known yet. Then the lane is in the list of waiters of the
 * lane or instance that it needs. The order in which lanes are replayed does not change the result, because a begin
 * depends only on releases, and a known release does not change. */
static void walk(struct replay *r, uint32_t lane, int may_give_up)
{
    const struct pithi_analysis_lane *of = &r->a->lanes[lane];
    struct walker *w = &r->walkers[lane];
    uint32_t first = w->piece;
    struct pithi_pieces p;

    for (pithi_pieces_from(&p, r->a, lane, first); p.index < p.end; pithi_pieces_next(&p)) {
        int64_t from_ns, to_ns;
        if (!w->is_begun) {
            if (is_kept(&r->begins[lane], p.index - of->first)) {
                double *at_ns = pithi_chunks_add(&r->begins[lane].at_ns, &r->scratch, sizeof *at_ns);
                if (!at_ns) {
                    r->is_full = 1;
                    break;
                }
                *at_ns = w->now;
            }
            if (w->member < r->g->lanes[lane].members.count)
                arrive(r, lane, w);
        }
        w->is_begun = 1;
        int is_call = pithi_graph_is_call(r->g, p.piece->state);
        int is_wait = p.piece->state != PITHLOG_COMPUTING && r->thread_waits[p.piece->state];
        pithi_pieces_part(r->a, &p, &from_ns, &to_ns);
        if (is_call && !end_of_call(r, lane, p.piece, p.next, may_give_up, &w->now))
            break;
        if (!is_call && is_wait && r->what->factor != 1 && r->g->lanes[lane].calls)
            w->now += wait_for_threads(r, lane, w, p.piece->state, from_ns, to_ns);
        else if (!is_call)
            w->now += computing(r, lane, w, p.piece->state, (double)(to_ns - from_ns));
        w->piece++;
        if (is_call || is_wait) {
            w->synced = w->piece;
            w->synced_ns = w->now;
        }
        w->is_begun = may_give_up = 0;
    }
    r->walked += w->piece - first;
    pithi_scratch_passed(&r->scratch, (w->piece - first) * sizeof(double));
    /* Wake the lanes that waited for a piece that has begun. */
    uint32_t *at = &w->waiters;
    while (*at) {
        struct walker *other = &r->walkers[*at - 1];
        if (other->needed < w->piece || (other->needed == w->piece && w->is_begun) || w->piece == of->last) {
            r->ready[r->ready_count++] = *at - 1;
            other->list = NULL;
            *at = other->next;
        } else {
            at = &other->next;
        }
    }
}

/* If all lanes that have not ended wait for one another, the log's times and matches contradict each other. Then lets
 * the lane that waits since the earliest time go on, as if its wait were over. Returns 0 if no lane waits. */
static int give_up_one(struct replay *r, uint32_t lanes)
{
    uint32_t earliest = NONE;
    int64_t earliest_ns = INT64_MAX;

    for (uint32_t i = 0; i < lanes; i++) {
        struct walker *w = &r->walkers[i];
        int64_t begin_ns = w->list ? pithi_graph_piece(r->g, i, w->piece)->begin_ns : INT64_MAX;
        if (begin_ns < earliest_ns) {
            earliest_ns = begin_ns;
            earliest = i;
        }
    }
    if (earliest == NONE)
        return 0;
    uint32_t *at = r->walkers[earliest].list;
    while (*at != earliest + 1)
        at = &r->walkers[*at - 1].next;
    *at = r->walkers[earliest].next;
    r->walkers[earliest].list = NULL;
    walk(r, earliest, 1);
    return 1;
}

/* Finds the pieces that other lanes wait for. Returns 0 if there is no memory. */
static int prepare_begins(struct replay *r, uint32_t lanes)
{
    const struct pithi_graph *g = r->g;

    if (!(r->begins = calloc(lanes + (size_t)1, sizeof *r->begins)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        size_t words = (r->a->lanes[i].last - r->a->lanes[i].first) / 64 + (size_t)1;
        r->begins[i].bits = pithi_scratch_get(&r->scratch, words * sizeof *r->begins[i].bits);
        r->begins[i].before = pithi_scratch_get(&r->scratch, words * sizeof *r->begins[i].before);
        if (!r->begins[i].bits || !r->begins[i].before)
            return 0;
    }
    for (uint32_t i = 0; i < g->needs.count; i++) {
        const struct pithi_need *need = pithi_chunks_at(&g->needs, i, sizeof *need);
        pithi_scratch_passed(&r->a->graph.scratch, sizeof *need);
        if (!need->kind || need->of != PITHI_NEED_LANE || need->position < r->a->lanes[need->lane].first ||
            need->position >= r->a->lanes[need->lane].last)
            continue;
        uint32_t piece = need->position - r->a->lanes[need->lane].first;
        r->begins[need->lane].bits[piece / 64] |= UINT64_C(1) << piece % 64;
    }
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k <= (r->a->lanes[i].last - r->a->lanes[i].first) / 64; k++) {
            r->begins[i].before[k] = count;
            count += (uint32_t)__builtin_popcountll(r->begins[i].bits[k]);
        }
    }
    return 1;
}

static int run(struct replay *r, uint32_t lanes, double *run_ns)
{
    uint32_t defs = pithlog_get_info(r->g->log)->defs;
    double pieces = 1;

    r->walkers = calloc(lanes + (size_t)1, sizeof *r->walkers);
    r->ready = malloc((lanes + (size_t)1) * sizeof *r->ready);
    r->instances = calloc(r->g->colls.count + (size_t)1, sizeof *r->instances);
    r->positions = malloc((r->g->positions.count + (size_t)1) * sizeof *r->positions);
    r->thread_waits = calloc(defs + (size_t)1, 1);
    for (uint32_t i = 0; r->thread_waits && i < defs; i++)
        if (pithi_is_thread_wait(pithlog_get_def(r->g->log, i)))
            r->thread_waits[i] = strcmp(pithlog_get_def(r->g->log, i)->group, PITHI_OPENMP_WAITS) == 0 ? 2 : 1;
    if (!r->thread_waits || !r->walkers || !r->ready || !r->instances || !r->positions || !prepare_begins(r, lanes) ||
        (r->phases && !sum_phases(r, lanes)))
        return 0;
    for (uint32_t i = 0; i < lanes; i++) {
        r->walkers[i] = (struct walker){.piece = r->a->lanes[i].first, .synced = r->a->lanes[i].first, .phase_ns = -1};
        r->walkers[i].end = r->phases ? r->phases->first[i] : 0;
        pieces += r->a->lanes[i].last - r->a->lanes[i].first;
    }
    for (uint32_t i = 0; i < r->g->positions.count; i++)
        r->positions[i] = NAN;
    for (uint32_t i = 0; i < r->g->colls.count; i++)
        r->instances[i].root = -1;
    /* Members that began before the window arrive at its start. */
    for (uint32_t i = lanes; i > 0; i--) {
        struct walker *w = &r->walkers[i - 1];
        uint32_t first = w->piece;
        if (first > 0) {
            w->piece = first - 1;
            arrive(r, i - 1, w);
            w->piece = first;
        }
        r->ready[r->ready_count++] = i - 1;
    }
    do {
        while (r->ready_count > 0 && !r->is_full && !pithi_stage_part(&r->a->stage, r->walked / pieces))
            for (uint32_t i = 0; i < REPORT_WALKS && r->ready_count > 0; i++)
                walk(r, r->ready[--r->ready_count], 0);
    } while (!r->is_full && !r->a->stage.is_stopped && give_up_one(r, lanes));
    *run_ns = 0;
    for (uint32_t i = 0; i < lanes; i++) /* leaves out lanes without MPI calls, which last as long as the window */
        if ((r->g->lanes[i].calls || r->a->info.lanes == 0) && r->walkers[i].now > *run_ns)
            *run_ns = r->walkers[i].now;
    return !r->is_full;
}

/* Replays the window. `phases` is NULL if computing is not balanced. */
static int replay(struct pithlog_analysis *a, const struct pithlog_what_if *what, const struct pithi_phases *phases,
                  double *run_ns, struct pithi_replay_state *states)
{
    struct replay r = {.a = a, .g = &a->graph, .what = what, .states = states, .phases = phases};

    r.scratch = pithi_scratch_beside(&a->graph.scratch);
    int good = (!what->is_fitted || pithi_network_of(a)) && run(&r, pithlog_get_info(a->graph.log)->lanes, run_ns);

    if (!what->is_fitted)
        a->info.given_up = r.given_up;
    free(r.walkers);
    free(r.of_phases);
    free(r.ready);
    for (uint32_t i = 0; r.begins && i < pithlog_get_info(a->graph.log)->lanes; i++)
        pithi_chunks_free(&r.begins[i].at_ns);
    free(r.begins);
    pithi_scratch_free(&r.scratch);
    free(r.instances);
    free(r.positions);
    free(r.thread_waits);
    return good ? PITH_OK : pithi_analysis_no_memory(a);
}

/* Replays with balanced computing in two ways, by stops and by collectives, and takes the shorter run. Phases by stops
 * are shorter than phases by collectives. But where only some lanes stop for one another, as in a pipeline, balancing
 * by stops may move work to a lane that has no time for it. */
static int balanced(struct pithlog_analysis *a, const struct pithlog_what_if *what, double *run_ns)
{
    struct pithi_scratch scratch = pithi_scratch_beside(&a->graph.scratch);
    struct pithi_phases phases;
    double by_stops;
    int err = PITH_OK;

    if (!pithi_phases_of_collectives(a, &scratch, &phases))
        TRY(pithi_analysis_no_memory(a));
    TRY(replay(a, what, &phases, run_ns, NULL));
    if (!pithi_phases_of_stops(a, &scratch, &phases))
        TRY(pithi_analysis_no_memory(a));
    TRY(replay(a, what, &phases, &by_stops, NULL));
    *run_ns = by_stops < *run_ns ? by_stops : *run_ns;
out:
    pithi_scratch_free(&scratch);
    return err;
}

int pithlog_analysis_what_if(struct pithlog_analysis *a, const struct pithlog_what_if *what, double *run_ns)
{
    return what->is_balanced ? balanced(a, what, run_ns) : replay(a, what, NULL, run_ns, NULL);
}

int pithi_analysis_replay(struct pithlog_analysis *a, const struct pithlog_what_if *what, double *run_ns,
                          struct pithi_replay_state *states)
{
    return replay(a, what, NULL, run_ns, states);
}
