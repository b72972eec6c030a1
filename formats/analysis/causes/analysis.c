/* analysis.c - pithlog_analyze: wait states, useful time, efficiencies and critical path from the dependency graph.
 *
 *     rank 0   computes 0-5                 sends to rank 1 at 5
 *     rank 1   computes 0-3, MPI_Recv 3-5,  sends to rank 2 at 5
 *     rank 2   computes 0-1, MPI_Recv 1-5
 *
 *     wait states      rank 1: 3-5, caused by rank 0; rank 2: 1-5, caused by rank 1
 *     efficiencies     T = 5, outside MPI 5, 3, 1: parallel = 3 / 5 = 0.6; load balance 3 / 5; communication 5 / 5.
 *                      Parallel efficiency is the product of the other two; here, all loss is imbalance (POP)
 *     critical path    from the end of rank 2 at 5 to its cause, rank 1 at 5, and from there to rank 0: 0-5 on rank 0.
 *                      Faster computing on rank 1 or 2 would not shorten the run
 *
 * The path is after Boehme, Wolf, de Supinski, Schulz, Geimer: Scalable critical-path based performance analysis (IPDPS
 * 2012). Each result needs only results that are listed before it, so the results are found in this order. delays.c and
 * what_if.c have the code of two further results. */
#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/graph/known_part.h"
#include "analysis/hybrid_model.h"
#include "analysis/replay/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/worker.h"
#include "native/log.h"
#include "reader/read/match.h"

/* Begins the next stage. `share`: the fraction of the whole time that the stage takes, as measured in earlier runs.
 * Returns an error if the progress callback wants to stop. */
static int next_stage(struct pithlog_analysis *a, double share)
{
    struct pithi_stage *stage = &a->stage;

    stage->begin += stage->share;
    stage->share = share;
    return pithi_stage_part(stage, 0) ? pithi_fail(PITH_ERR_STOPPED, "%s: stopped", a->graph.log->path) : PITH_OK;
}

static uint32_t lanes_of(const struct pithlog_analysis *a) { return pithlog_get_info(a->graph.log)->lanes; }

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

struct pithlog_analysis pithi_analysis_beside(const struct pithlog_analysis *a)
{
    struct pithlog_analysis beside = *a;

    beside.stage = (struct pithi_stage){0};
    beside.threads = 1;
    beside.graph.scratch = pithi_scratch_beside(&a->graph.scratch);
    return beside;
}

void pithi_analysis_end_beside(struct pithlog_analysis *beside) { pithi_scratch_free(&beside->graph.scratch); }

/* Work that is done while the caller does other work. It has a thread of its own, if one can be started. */
struct side {
    struct pithlog_analysis own; /* gets the results */
    int (*find)(struct pithlog_analysis *own);
    struct pithi_worker worker;
    int err;
};

static int is_stopped(void *context, double part)
{
    (void)part;
    return pithi_worker_is_stopped(&((struct side *)context)->worker);
}

static void *find_side(void *context)
{
    struct side *side = context;

    side->err = side->find(&side->own);
    return NULL;
}

static void begin_side(struct side *side, struct pithlog_analysis *a, int (*find)(struct pithlog_analysis *own))
{
    *side = (struct side){.own = pithi_analysis_beside(a), .find = find};
    side->own.stage = (struct pithi_stage){.progress = is_stopped, .context = side};
    if (a->threads <= 1 || !pithi_worker_start(&side->worker, find_side, side)) {
        side->own.stage = a->stage;
        find_side(side);
        a->stage = side->own.stage;
    }
}

static int should_stop(void *stage) { return pithi_stage_part(stage, 1); }

/* Waits for the thread. Returns `err`, the error of the work done meanwhile, or else the error of the thread. */
static int end_side(struct side *side, struct pithlog_analysis *a, int err)
{
    if (err)
        pithi_worker_stop(&side->worker);
    pithi_worker_join(&side->worker, should_stop, &a->stage);
    pithi_analysis_end_beside(&side->own);
    /* pithi_analysis_no_memory sets the error's text once more, because the thread set it only in its copy. */
    return err ? err : side->err ? pithi_analysis_no_memory(a) : PITH_OK;
}

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

/* Returns the need of a call with the latest release, among its needs that were not concluded from times (infer.h).
 * Returns NULL if the call has no such need. */
static const struct pithi_need *last_known(const struct pithi_graph *g, const struct pithi_lane_piece *call)
{
    const struct pithi_need *last = NULL;

    for (const struct pithi_need *need = pithi_graph_need(g, call->needs); need;
         need = pithi_graph_need(g, need->next)) {
        int is_concluded = need->of == PITHI_NEED_LANE && need->instance == PITHI_NEED_CONCLUDED;
        if (!is_concluded && need->lane != PITHI_NO_LANE && need->release_ns > INT64_MIN &&
            (!last || need->release_ns > last->release_ns ||
             (need->release_ns == last->release_ns &&
              (need->kind != last->kind ? need->kind < last->kind : need->lane < last->lane))))
            last = need;
    }
    return last;
}

/* Finds the wait states of a call within the window, by time. Returns their number, 0 to 2.
 *
 * A call waits for its decisive need, the one with the latest release, and the wait state has the kind of this need.
 * There are two wait states, one after the other, if the decisive need was concluded from times, or if a polling loop
 * sees its message late:
 *
 *     MPI_Bcast 10-61, root begins at 20, inner rank at 60      late broadcast 10-20, late inner rank 20-60 */
static uint32_t waits_of(const struct pithlog_analysis *a, const struct pithi_pieces *p,
                         struct pithlog_wait_state waits[2])
{
    const struct pithi_need *need = pithi_graph_decisive(&a->graph, p->piece), *known = need;
    int64_t from_ns, end_ns;
    uint32_t count = 0;

    if (!need || need->lane == PITHI_NO_LANE || need->lane == p->lane ||
        !pithi_graph_is_call(&a->graph, p->piece->state))
        return 0;
    pithi_pieces_part(a, p, &from_ns, &end_ns);
    if (need->of == PITHI_NEED_LANE && need->instance == PITHI_NEED_CONCLUDED)
        known = last_known(&a->graph, p->piece);
    struct pithlog_wait_state wait = {.lane = p->lane, .state = p->piece->state};
    for (const struct pithi_need *of = known ? known : need; of; of = of == need ? NULL : need) {
        wait.from_ns = from_ns;
        wait.to_ns = of->release_ns < end_ns ? of->release_ns : end_ns;
        wait.release_ns = of->release_ns;
        wait.kind = of->kind;
        wait.cause_lane = of->lane;
        if (wait.to_ns <= from_ns || of->lane == p->lane)
            continue;
        from_ns = wait.to_ns;
        waits[count++] = wait;
    }
    if (count == 1 && need->kind == PITHLOG_POLLING && end_ns > from_ns) {
        wait.from_ns = from_ns;
        wait.to_ns = wait.release_ns = end_ns;
        wait.kind = PITHLOG_LATE_NOTICE;
        wait.cause_lane = p->lane;
        waits[count++] = wait;
    }
    return count;
}

/* For each sender: the earliest release of its messages that later calls of a lane receive. */
struct later {
    int64_t release_ns;
    uint32_t lane; /* 1 + the receiving lane; another number: left over from an earlier lane, so not valid */
};

/* Marks each wait for a late sender during which the lane could have received another message, which it receives later.
 * The lane receives the two in the wrong order:
 *
 *     message A sent at 20, message B sent at 60;  MPI_Recv B 10-61, computes 61-81, MPI_Recv A 81-82
 *
 * MPI_Recv B waits until 60, although A was sent at 20. If the lane had received A first, its computing would have
 * filled most of 20-60. Without computing between the two calls, the lane has both messages at 62 in either order, so
 * the order is not marked.
 *
 * A first walk goes backwards over the calls and marks waits. A second walk follows the first one at a distance of at
 * least WORK_NS of computing. It keeps the earliest release of all messages that it passed, and in `later` [lanes] the
 * earliest release of each sender's messages. The first walk compares its waits with these times. */
enum { WORK_NS = 100000 };

struct back {
    const struct pithi_lane_piece *piece; /* the walk, going backwards, is at this piece */
    uint32_t index;                       /* index of this piece */
    int64_t computing_ns;                 /* computing after this piece */
};

/* Moves one piece back. */
static void go_back(const struct pithlog_analysis *a, uint32_t lane, struct back *b)
{
    int64_t end_ns = b->piece->begin_ns;

    b->piece = pithi_graph_before(&a->graph, lane, b->piece, b->index--);
    if (!pithi_graph_is_call(&a->graph, b->piece->state))
        b->computing_ns += end_ns - b->piece->begin_ns;
}

static void mark_order(struct pithlog_analysis *a, uint32_t lane, struct later *later)
{
    struct pithi_analysis_lane *of = &a->lanes[lane];
    size_t left = of->wait_count;
    int64_t earliest_ns = INT64_MAX;
    struct back at = {.piece = pithi_graph_piece(&a->graph, lane, of->last), .index = of->last}, behind = at;

    while (left > 0 && at.index > of->first) {
        if (at.index % PITHI_CHUNK_FIRST == 0)
            pithi_scratch_passed(&a->graph.scratch, PITHI_CHUNK_FIRST * sizeof *at.piece);
        go_back(a, lane, &at);
        if (!at.piece->needs || of->waits[left - 1].to_ns <= at.piece->begin_ns)
            continue;
        while (behind.index > at.index + 1) {
            struct back next = behind;
            go_back(a, lane, &next);
            if (at.computing_ns - next.computing_ns < WORK_NS)
                break;
            behind = next;
            for (const struct pithi_need *need = pithi_graph_need(&a->graph, behind.piece->needs); need;
                 need = pithi_graph_need(&a->graph, need->next)) {
                if (need->kind != PITHLOG_LATE_SENDER)
                    continue;
                struct later *sender = &later[need->lane];
                if (sender->lane != lane + 1 || need->release_ns < sender->release_ns)
                    *sender = (struct later){need->release_ns, lane + 1};
                earliest_ns = need->release_ns < earliest_ns ? need->release_ns : earliest_ns;
            }
        }
        for (; left > 0 && of->waits[left - 1].to_ns > at.piece->begin_ns; left--) {
            struct pithlog_wait_state *wait = &of->waits[left - 1];
            const struct later *same = &later[wait->cause_lane];
            if (wait->kind == PITHLOG_LATE_SENDER && earliest_ns < wait->to_ns)
                wait->order = same->lane == lane + 1 && same->release_ns < wait->to_ns
                                  ? PITHLOG_WRONG_ORDER_SAME_SOURCE
                                  : PITHLOG_WRONG_ORDER_OTHER_SOURCE;
        }
    }
}

/* ---- Lane by lane ------------------------------------------------------------------------------------------------ */

/* Results for a group of lanes: their wait states, the order of receives, and sums by state. One thread finds them;
 * then they are added to the analysis. */
struct lane_work {
    struct pithlog_analysis own; /* a copy for loops through pieces; its `info` has the sums of these lanes */
    struct pithlog_wait_state *waits;
    uint32_t wait_count, wait_room;
    struct state_sum {
        uint32_t lane, state;
        int64_t ns;
    } * sums; /* by lane, then state */
    uint32_t sum_count, sum_room;
    struct later *later; /* [lanes] */
    int64_t *state_ns;   /* [definitions + 1] */
};

struct lanes_work {
    struct pithlog_analysis *a;
    uint32_t lanes_of_part;
    struct lane_work of[PITHI_THREADS_MOST]; /* by thread */
};

/* Sets `first` and `last` of each lane to its pieces in the window, and counts the lanes with MPI calls. */
static void find_pieces(struct pithlog_analysis *a)
{
    const struct pithi_graph *g = &a->graph;

    for (uint32_t lane = 0; lane < lanes_of(a); lane++) {
        struct pithi_analysis_lane *of = &a->lanes[lane];
        pithi_scratch_passed(&a->graph.scratch, 2 * PITHI_SCRATCH_JUMP);
        of->first = pithi_graph_find(g, lane, g->from_ns);
        of->last = pithi_graph_find(g, lane, g->to_ns - 1) + 1;
        of->last = of->last < g->lanes[lane].pieces.count ? of->last : g->lanes[lane].pieces.count - 1;
        if (of->last < of->first) /* an empty window */
            of->last = of->first;
        a->info.lanes += g->lanes[lane].calls > 0;
    }
}

/* Appends the wait states of a lane to those of its group. Returns 0 if there is no memory. */
static int find_waits(struct lane_work *w, uint32_t lane)
{
    struct pithi_analysis_lane *of = &w->own.lanes[lane];
    uint32_t first = w->wait_count;
    struct pithi_pieces p;

    for (pithi_pieces_begin(&p, &w->own, lane); p.index < p.end; pithi_pieces_next(&p)) {
        if (!p.piece->needs)
            continue;
        if (!pithi_grow(&w->waits, w->wait_count + 1, &w->wait_room, sizeof *w->waits))
            return 0;
        for (uint32_t more = waits_of(&w->own, &p, w->waits + w->wait_count); more > 0; more--, w->wait_count++)
            w->own.info.wait_ns += w->waits[w->wait_count].to_ns - w->waits[w->wait_count].from_ns;
    }
    of->wait_count = w->wait_count - first;
    of->waits = w->waits ? w->waits + first : NULL; /* valid until add_lanes copies the wait states */
    return 1;
}

/* Appends the sums of a lane to those of its group. Returns 0 if there is no memory. */
static int sum_states(struct lane_work *w, uint32_t lane)
{
    struct pithlog_analysis *a = &w->own;
    struct pithi_analysis_lane *of = &a->lanes[lane];
    uint32_t outside = pithlog_get_info(a->graph.log)->defs;
    int64_t from_ns, to_ns, *sums = w->state_ns;
    struct pithi_pieces p;

    memset(sums, 0, (outside + (size_t)1) * sizeof *sums);
    for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        pithi_pieces_part(a, &p, &from_ns, &to_ns);
        sums[p.piece->state == PITHLOG_COMPUTING ? outside : p.piece->state] += to_ns - from_ns;
    }
    for (uint32_t i = 0; i <= outside; i++)
        if (i == outside || (!a->graph.is_call[i] && !pithi_is_file_state(pithlog_get_def(a->graph.log, i))))
            of->useful_ns += sums[i];
    for (size_t i = 0; i < of->wait_count; i++)
        sums[of->waits[i].state] -= of->waits[i].to_ns - of->waits[i].from_ns;
    for (uint32_t i = 0; i <= outside; i++) {
        if (sums[i] <= 0)
            continue;
        if (!pithi_grow(&w->sums, w->sum_count, &w->sum_room, sizeof *w->sums))
            return 0;
        w->sums[w->sum_count++] = (struct state_sum){lane, i == outside ? PITHLOG_COMPUTING : i, sums[i]};
    }
    if (a->graph.lanes[lane].calls) {
        a->info.useful_ns += of->useful_ns;
        a->info.most_useful_ns = of->useful_ns > a->info.most_useful_ns ? of->useful_ns : a->info.most_useful_ns;
    }
    return 1;
}

static uint32_t end_of_part(const struct lanes_work *all, uint32_t part)
{
    uint64_t end = (part + UINT64_C(1)) * all->lanes_of_part;
    return end < lanes_of(all->a) ? (uint32_t)end : lanes_of(all->a);
}

static int look_at_lanes(void *context, unsigned thread, uint32_t part)
{
    struct lanes_work *all = context;
    struct lane_work *w = &all->of[thread];
    uint32_t first = part * all->lanes_of_part;

    w->own.info = (struct pithlog_analysis_info){0};
    w->wait_count = w->sum_count = 0;
    for (uint32_t i = first; i < end_of_part(all, part); i++) {
        if (thread == 0 && pithi_stage_part(&all->a->stage, (double)i / lanes_of(all->a)))
            return 0;
        if (!find_waits(w, i))
            return 0;
        mark_order(&w->own, i, w->later);
        if (!sum_states(w, i))
            return 0;
    }
    return 1;
}

static int add_lanes(void *context, unsigned thread, uint32_t part)
{
    struct lanes_work *all = context;
    const struct lane_work *w = &all->of[thread];
    const struct pithlog_wait_state *next = w->waits;
    struct pithlog_analysis_info *info = &all->a->info;

    for (uint32_t i = part * all->lanes_of_part; i < end_of_part(all, part); i++) {
        struct pithi_analysis_lane *of = &all->a->lanes[i];
        if (!(of->waits = pithi_scratch_get(&all->a->graph.scratch, (of->wait_count + 1) * sizeof *of->waits)))
            return 0;
        if (of->wait_count)
            memcpy(of->waits, next, of->wait_count * sizeof *next);
        next = of->wait_count ? next + of->wait_count : next;
    }
    for (uint32_t i = 0; i < w->sum_count; i++) {
        struct pithi_lane_sum *cell = pithi_lane_sums_get(&all->a->states, w->sums[i].lane, w->sums[i].state);
        if (!cell)
            return 0;
        cell->direct = (double)w->sums[i].ns;
    }
    info->wait_ns += w->own.info.wait_ns;
    info->useful_ns += w->own.info.useful_ns;
    if (w->own.info.most_useful_ns > info->most_useful_ns)
        info->most_useful_ns = w->own.info.most_useful_ns;
    return 1;
}

/* Finds the wait states of all lanes, and their sums. */
static int look_at_all_lanes(struct pithlog_analysis *a)
{
    enum { PARTS = 1024 };
    struct lanes_work all = {.a = a, .lanes_of_part = lanes_of(a) / PARTS + 1};
    struct pithi_parts parts = {.count = (lanes_of(a) + all.lanes_of_part - 1) / all.lanes_of_part,
                                .threads = a->threads,
                                .work = look_at_lanes,
                                .finish = add_lanes,
                                .context = &all};
    int good = 1;

    for (unsigned i = 0; good && i < a->threads; i++) {
        all.of[i].state_ns = malloc((pithlog_get_info(a->graph.log)->defs + (size_t)1) * sizeof *all.of[i].state_ns);
        all.of[i].later = calloc(lanes_of(a) + (size_t)1, sizeof *all.of[i].later);
        all.of[i].own = pithi_analysis_beside(a);
        good = all.of[i].state_ns && all.of[i].later;
    }
    good = good && pithi_parts_do(&parts);
    for (unsigned i = 0; i < a->threads; i++) {
        pithi_analysis_end_beside(&all.of[i].own);
        free(all.of[i].waits);
        free(all.of[i].sums);
        free(all.of[i].later);
        free(all.of[i].state_ns);
    }
    return good || a->stage.is_stopped ? PITH_OK : pithi_analysis_no_memory(a);
}

/* Sets the efficiencies. They are POP's tree, in which each figure is the product of the two below it, so the lowest
 * leaf shows where to look. The ideal run time comes from a replay in which transfers take no time (what_if.c). The
 * ideal run time less the useful time of the busiest lane is serialisation, in which lanes wait in turn. */
static int find_efficiencies(struct pithlog_analysis *a)
{
    struct pithlog_analysis_info *info = &a->info;
    struct pithlog_what_if ideal = {.network = 0, .factor = 1};
    int err = pithlog_analysis_what_if(a, &ideal, &info->ideal_ns);
    double length = (double)(info->to_ns - info->from_ns), most = (double)info->most_useful_ns;

    if (err || length <= 0 || info->lanes == 0)
        return err;
    info->parallel = (double)info->useful_ns / info->lanes / length;
    info->load_balance = most > 0 ? (double)info->useful_ns / info->lanes / most : 1;
    info->communication = most / length;
    info->serialisation = info->ideal_ns > 0 ? most / info->ideal_ns : 1;
    info->transfer = info->ideal_ns / length;
    return PITH_OK;
}

/* ---- The critical path ------------------------------------------------------------------------------------------- */

/* Returns the lane that ends last within the window. */
static uint32_t last_lane(const struct pithlog_analysis *a)
{
    const struct pithi_graph *g = &a->graph;
    uint32_t best = 0;
    int64_t best_ns = INT64_MIN;

    for (uint32_t i = 0; i < lanes_of(a); i++) {
        int64_t end_ns = g->lanes[i].last_ns;
        if (end_ns > g->to_ns) {
            end_ns = pithi_graph_piece(g, i, pithi_graph_find(g, i, g->to_ns))->begin_ns;
        }
        if (g->lanes[i].calls && end_ns > best_ns) {
            best = i;
            best_ns = end_ns;
        }
    }
    return best;
}

static int by_share(const void *a, const void *b)
{
    const struct pithlog_path_share *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : x->lane != y->lane ? (x->lane < y->lane ? -1 : 1) : 0;
}

/* Sums the time on the path by lane and state. */
static int share_path(struct pithlog_analysis *a)
{
    struct pithi_lane_sums sums = {0};
    int good = 1;

    /* Lets each search begin at the lane's first piece, because the path begins there too. A search from the last piece
     * would touch more pages. */
    for (uint32_t i = 0; i < lanes_of(a); i++)
        a->graph.lanes[i].found = a->lanes[i].first;
    for (size_t i = 0; good && i < a->path_count; i++) {
        const struct pithlog_path_part *part = &a->path[i];
        pithi_scratch_passed(&a->graph.scratch, PITHI_SCRATCH_JUMP);
        for (uint32_t k = pithi_graph_find(&a->graph, part->lane, part->from_ns);
             good && k + 1 < a->graph.lanes[part->lane].pieces.count; k++) {
            pithi_scratch_passed(&a->graph.scratch, sizeof(struct pithi_lane_piece));
            int64_t from_ns = pithi_graph_piece(&a->graph, part->lane, k)->begin_ns;
            int64_t to_ns = pithi_graph_piece(&a->graph, part->lane, k + 1)->begin_ns;
            if (from_ns >= part->to_ns)
                break;
            from_ns = from_ns > part->from_ns ? from_ns : part->from_ns;
            to_ns = to_ns < part->to_ns ? to_ns : part->to_ns;
            struct pithi_lane_sum *cell =
                to_ns > from_ns
                    ? pithi_lane_sums_get(&sums, part->lane, pithi_graph_piece(&a->graph, part->lane, k)->state)
                    : NULL;
            good = cell || to_ns <= from_ns;
            if (cell)
                cell->direct += (double)(to_ns - from_ns);
        }
    }
    a->shares = good ? malloc((sums.count + (size_t)1) * sizeof *a->shares) : NULL;
    for (uint32_t i = 0; a->shares && i < sums.count; i++)
        a->shares[a->share_count++] =
            (struct pithlog_path_share){sums.cells[i].lane, sums.cells[i].state, (int64_t)sums.cells[i].direct};
    if (a->shares)
        qsort(a->shares, a->share_count, sizeof *a->shares, by_share);
    free(sums.cells);
    pithi_map_free(&sums.map);
    return a->shares ? PITH_OK : pithi_analysis_no_memory(a);
}

/* Returns an array [definitions] with 1 for each state in which a thread waits for others of its rank. Returns NULL if
 * the log has no such state, or there is no memory. */
static unsigned char *thread_waits(const struct pithlog_analysis *a)
{
    uint32_t defs = pithlog_get_info(a->graph.log)->defs, count = 0;
    unsigned char *waits = calloc(defs + (size_t)1, 1);

    for (uint32_t i = 0; waits && i < defs; i++)
        count += waits[i] = (unsigned char)pithi_is_thread_wait(pithlog_get_def(a->graph.log, i));
    if (!count) {
        free(waits);
        waits = NULL;
    }
    return waits;
}

/* An interval in which a lane works without a break. */
struct work {
    int64_t from_ns, to_ns; /* both in the window */
};

/* Returns the last interval of work of a lane in [from_ns, to_ns); both times are INT64_MIN if there is none. Time
 * outside all states counts as work only on lanes with MPI calls, because what other threads do in such time is not
 * known. */
static struct work last_work(const struct pithlog_analysis *a, uint32_t lane, const unsigned char *waits,
                             int64_t from_ns, int64_t to_ns)
{
    const struct pithi_graph *g = &a->graph;
    struct work work = {INT64_MIN, INT64_MIN};
    int64_t end_ns = to_ns;

    for (uint32_t index = pithi_graph_find(g, lane, to_ns - 1);; index--) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, index);
        int is_work = piece->state == PITHLOG_COMPUTING ? g->lanes[lane].calls > 0 : !waits[piece->state];
        is_work = is_work && piece->begin_ns < end_ns && index + 1 < g->lanes[lane].pieces.count;
        if (is_work && work.to_ns == INT64_MIN)
            work.to_ns = end_ns;
        else if (!is_work && work.to_ns != INT64_MIN)
            break;
        end_ns = piece->begin_ns < end_ns ? piece->begin_ns : end_ns;
        if (is_work)
            work.from_ns = end_ns > from_ns ? end_ns : from_ns;
        if (index == 0 || end_ns <= from_ns)
            break;
    }
    return work;
}

static int push_part(struct pithlog_analysis *a, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    if (from_ns >= to_ns)
        return 1;
    if (!pithi_grow(&a->path, (uint32_t)a->path_count, &a->path_room, sizeof *a->path))
        return 0;
    a->path[a->path_count++] = (struct pithlog_path_part){lane, from_ns, to_ns};
    return 1;
}

/* Adds a lane's wait [from_ns, to_ns) for other threads of its rank to the path, going backwards from to_ns. While
 * another thread of the rank works, the path is on that thread. `work` [lanes] is scratch memory.
 *
 *     thread 0   |---loop---|---barrier--------------|     the path: thread 0 in `loop`, thread 2 in `loop`,
 *     thread 1   |---loop------|---barrier-----------|     and thread 0 in `barrier` from there on
 *     thread 2   |---loop----------------|--barrier--| */
static int add_wait(struct pithlog_analysis *a, uint32_t lane, int64_t from_ns, int64_t to_ns,
                    const unsigned char *waits, struct work *work)
{
    int32_t rank = pithlog_get_lane(a->graph.log, lane)->rank;
    uint32_t first = lane, end = lane + 1;

    while (first > 0 && pithlog_get_lane(a->graph.log, first - 1)->rank == rank)
        first--;
    while (end < lanes_of(a) && pithlog_get_lane(a->graph.log, end)->rank == rank)
        end++;
    for (uint32_t k = first; k < end; k++)
        work[k] = (struct work){to_ns, to_ns};
    for (int64_t at_ns = to_ns;;) {
        uint32_t best = PITHI_NO_LANE;
        int64_t best_ns = from_ns, start_ns;
        for (uint32_t k = first; k < end; k++) {
            if (k == lane || work[k].from_ns == INT64_MIN)
                continue;
            if (work[k].from_ns >= at_ns)
                work[k] = last_work(a, k, waits, from_ns, at_ns);
            if ((work[k].to_ns < at_ns ? work[k].to_ns : at_ns) > best_ns) {
                best_ns = work[k].to_ns < at_ns ? work[k].to_ns : at_ns;
                best = k;
            }
        }
        start_ns = best == PITHI_NO_LANE ? from_ns : work[best].from_ns;
        if (!push_part(a, lane, best_ns, at_ns) || (best != PITHI_NO_LANE && !push_part(a, best, start_ns, best_ns)))
            return 0;
        if ((at_ns = start_ns) <= from_ns)
            return 1;
    }
}

/* Adds the interval [from_ns, to_ns) of a lane to the path, going backwards from to_ns. */
static int add_part(struct pithlog_analysis *a, uint32_t lane, int64_t from_ns, int64_t to_ns,
                    const unsigned char *waits, struct work *work)
{
    int64_t left_ns = to_ns, end_ns = to_ns;
    int good = 1;

    for (uint32_t index = waits ? pithi_graph_find(&a->graph, lane, to_ns - 1) : 0; waits && good; index--) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(&a->graph, lane, index);
        int64_t begin_ns = piece->begin_ns > from_ns ? piece->begin_ns : from_ns;
        if (piece->state != PITHLOG_COMPUTING && waits[piece->state] && begin_ns < end_ns) {
            good = push_part(a, lane, end_ns, left_ns) && add_wait(a, lane, begin_ns, end_ns, waits, work);
            left_ns = begin_ns;
        }
        end_ns = begin_ns;
        if (index == 0 || begin_ns <= from_ns)
            break;
    }
    return good && push_part(a, lane, from_ns, left_ns);
}

/* Finds the critical path, going backwards from the end of the window. At the end of a wait state, the path changes to
 * the lane that was waited for.
 *
 * The path is on one lane at each moment, so it is as long as the window. A wait state is never on the path: the
 * waiting lane could have come later without making the run longer. */
static int find_path(struct pithlog_analysis *a)
{
    uint32_t lane = last_lane(a);
    int64_t end_ns = a->graph.to_ns;
    size_t *left = malloc((lanes_of(a) + (size_t)1) * sizeof *left); /* [lanes]: number of wait states not passed yet */
    unsigned char *waits = thread_waits(a);
    struct work *work = malloc((lanes_of(a) + (size_t)1) * sizeof *work);
    int good = left && work;

    for (uint32_t i = 0; good && i < lanes_of(a); i++)
        left[i] = a->lanes[i].wait_count;
    while (good && lanes_of(a) > 0) {
        const struct pithlog_wait_state *wait;
        pithi_scratch_passed(&a->graph.scratch, PITHI_SCRATCH_JUMP);
        while (left[lane] > 0 && a->lanes[lane].waits[left[lane] - 1].to_ns > end_ns) {
            pithi_scratch_passed(&a->graph.scratch, sizeof *wait);
            left[lane]--;
        }
        while (left[lane] > 0 && a->lanes[lane].waits[left[lane] - 1].cause_lane == lane)
            left[lane]--; /* skips late notices, in which the lane waited for itself */
        wait = left[lane] > 0 ? &a->lanes[lane].waits[--left[lane]] : NULL;
        int64_t from_ns = wait ? wait->to_ns : a->graph.from_ns;
        if (from_ns < end_ns)
            good = add_part(a, lane, from_ns, end_ns, waits, work);
        if (!wait)
            break;
        end_ns = from_ns;
        lane = wait->cause_lane;
    }
    free(left);
    free(waits);
    free(work);
    for (size_t i = 0; i < a->path_count / 2; i++) {
        struct pithlog_path_part part = a->path[i];
        a->path[i] = a->path[a->path_count - 1 - i];
        a->path[a->path_count - 1 - i] = part;
    }
    return good ? share_path(a) : pithi_analysis_no_memory(a);
}

static int find_efficiencies_and_path(struct pithlog_analysis *a)
{
    CHECK(find_efficiencies(a));
    return find_path(a);
}

/* ---- pithlog_analyze --------------------------------------------------------------------------------------------- */

/* Builds the graph of the log, or, if the log has holes, of its longest part without a hole. Returns PITH_ERR_DAMAGED
 * if there are holes because of damage.
 *
 * Damage is noticed only when it is read. So the log is first read as if it were whole. If that fails, all damage is
 * looked for, and then the longest part without damage is read. */
static int build(struct pithlog_analysis *a, struct pithlog *log, const struct pithlog_analyze_query *query,
                 struct pithi_known_part *known)
{
    int is_damaged = pithlog_get_info(log)->incomplete || log->damages, was_read = 0, err = PITH_OK;

    *known = (struct pithi_known_part){.from_ns = query->from_ns, .to_ns = query->to_ns};
    for (;;) {
        if (is_damaged || pithlog_get_info(log)->lost)
            CHECK(pithi_known_part_find(log, query->from_ns, query->to_ns, is_damaged, pithi_stage_part, &a->stage,
                                        known));
        err = pithi_graph_build(&a->graph, log, known->from_ns, known->to_ns, known->is_part, a->threads,
                                pithi_stage_part, &a->stage);
        if (err != PITH_ERR_DAMAGED)
            return err ? err : was_read ? PITH_ERR_DAMAGED : PITH_OK;
        if (was_read) {
            if (!known->unread) /* no block shows this damage, so no part of the log is certain */
                a->graph.to_ns = a->graph.from_ns;
            return err;
        }
        pithi_graph_free(&a->graph);
        is_damaged = was_read = 1;
        __atomic_fetch_add(&log->damages, 1, __ATOMIC_RELAXED);
    }
}

/* If the known part is shorter than this fraction of the time that was asked for, it says too little about the run. */
#define JUDGED 0.01

/* Returns the window's fraction of the time that was asked for. */
static double part_of(const struct pithi_graph *g, const struct pithlog_analyze_query *query)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    int64_t from_ns = query->from_ns > info->start_ns ? query->from_ns : info->start_ns;
    int64_t to_ns = query->to_ns < info->end_ns ? query->to_ns : info->end_ns;
    double part = to_ns > from_ns ? (double)(g->to_ns - g->from_ns) / (double)(to_ns - from_ns) : 1;

    return part < 1 ? part : 1;
}

int pithi_analyze_by_threads(struct pithlog *log, const struct pithlog_analyze_query *query, unsigned threads,
                             struct pithlog_analysis **analysis)
{
    struct pithlog_analysis *a = *analysis = pithi_analysis_find(log, query);
    struct pithi_keeping *keeping = NULL;
    struct side side;
    struct pithi_known_part known;
    int damaged = PITH_OK, err = PITH_OK;

    threads = threads < PITHI_THREADS_MOST ? threads > 0 ? threads : 1 : PITHI_THREADS_MOST;
    if (a) {
        a->threads = threads;
        return PITH_OK;
    }
    if (!(a = *analysis = calloc(1, sizeof *a)))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its analysis", log->path);
    a->threads = threads;
    const struct pithlog_info *info = pithlog_get_info(log);
    TRY(pithi_log_adds_up(log, info->start_ns, info->end_ns));
    a->stage = (struct pithi_stage){.progress = query->progress, .context = query->context, .share = 0.5};
    damaged = build(a, log, query, &known);
    if (damaged && damaged != PITH_ERR_DAMAGED)
        TRY(damaged);
    pithlog_get_comm(log, 0); /* the next two lines see only communicators that were read */
    uint32_t lost_comms = pithi_log_lost_comms(log);
    damaged = damaged ? damaged : pithlog_check_comms(log);
    TRY(next_stage(a, 0.1));
    const struct pithi_graph *g = &a->graph;
    a->info = (struct pithlog_analysis_info){.from_ns = g->from_ns,
                                             .to_ns = g->to_ns,
                                             .has_init = g->has_init,
                                             .has_finalize = g->has_finalize,
                                             .has_mpi = g->has_mpi,
                                             .gaps = known.holes,
                                             .gap_lane = known.lane,
                                             .unread = known.listed,
                                             .gap_from_ns = known.hole_from_ns,
                                             .gap_to_ns = known.hole_to_ns,
                                             .lost_comms = lost_comms,
                                             .part = part_of(g, query),
                                             .sends = g->sends,
                                             .recvs = g->recvs,
                                             .collectives = g->coll_calls};
    a->info.is_too_short = known.holes > 0 && a->info.part < JUDGED;
    if (!(a->lanes = calloc(lanes_of(a) + (size_t)1, sizeof *a->lanes)))
        TRY(pithi_analysis_no_memory(a));
    find_pieces(a);
    keeping = damaged ? NULL : pithi_analysis_keep_graph(a, query);
    TRY(look_at_all_lanes(a));
    TRY(next_stage(a, 0.1));
    begin_side(&side, a, find_efficiencies_and_path);
    err = next_stage(a, 0.25);
    err = end_side(&side, a, err ? err : pithi_analysis_delays(a));
    a->info = side.own.info;
    a->path = side.own.path;
    a->path_count = side.own.path_count;
    a->shares = side.own.shares;
    a->share_count = side.own.share_count;
    TRY(err);
    TRY(next_stage(a, 0.05));
    pithi_analysis_keep_results(keeping, a, 1);
    keeping = NULL;
    TRY(next_stage(a, 0));
    a->stage = (struct pithi_stage){0};
    return damaged;
out:
    pithi_analysis_keep_results(keeping, a, 0);
    pithlog_analysis_free(a);
    *analysis = NULL;
    return err;
}

/* From this number of records on, threads are worth their cost. */
enum { THREADS_RECORDS = 100000 };

int pithlog_analyze(struct pithlog *log, const struct pithlog_analyze_query *query, struct pithlog_analysis **analysis)
{
    unsigned threads = pithlog_get_info(log)->records < THREADS_RECORDS ? 1 : pithi_threads();
    return pithi_analyze_by_threads(log, query, threads, analysis);
}

void pithlog_analysis_free(struct pithlog_analysis *a)
{
    if (!a)
        return;
    pithi_findings_free(a);
    free(a->answer);
    pithi_graph_free(&a->graph);
    free(a->lanes);
    free(a->delays);
    free(a->calls);
    pithi_network_free(a->network);
    free(a->path);
    free(a->shares);
    free(a->states.cells);
    pithi_map_free(&a->states.map);
    free(a);
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

const struct pithlog_analysis_info *pithlog_analysis_get_info(const struct pithlog_analysis *a) { return &a->info; }

void pithlog_analysis_efficiencies(const struct pithlog_analysis *a,
                                   struct pithlog_efficiency all[PITHLOG_EFFICIENCIES])
{
    const struct pithlog_analysis_info *info = &a->info;
    const struct pithlog_efficiency tree[PITHLOG_EFFICIENCIES] = {
        {"parallel", "mean time outside MPI / run time", 0, info->parallel},
        {"load balance", "mean / largest time outside MPI", 1, info->load_balance},
        {"communication", "largest time outside MPI / run time", 1, info->communication},
        {"serialisation", "largest time outside MPI / ideal-network time", 2, info->serialisation},
        {"transfer", "ideal-network time / run time", 2, info->transfer},
    };

    memcpy(all, tree, sizeof tree);
}

size_t pithlog_analysis_waits(const struct pithlog_analysis *a, uint32_t lane, const struct pithlog_wait_state **waits)
{
    *waits = lane < lanes_of(a) ? a->lanes[lane].waits : NULL;
    return *waits ? a->lanes[lane].wait_count : 0;
}

size_t pithlog_analysis_delays(const struct pithlog_analysis *a, const struct pithlog_delay **delays)
{
    *delays = a->delays;
    return a->delay_count;
}

size_t pithlog_analysis_path(const struct pithlog_analysis *a, const struct pithlog_path_part **parts)
{
    *parts = a->path;
    return a->path_count;
}

size_t pithlog_analysis_path_shares(const struct pithlog_analysis *a, const struct pithlog_path_share **shares)
{
    *shares = a->shares;
    return a->share_count;
}

int64_t pithlog_analysis_state_ns(const struct pithlog_analysis *a, uint32_t lane, uint32_t state)
{
    uint32_t at;
    return pithi_map_get(&a->states.map, (uint64_t)lane << 32 | state, &at) ? (int64_t)a->states.cells[at - 1].direct
                                                                            : 0;
}

int pithlog_analysis_is_call(const struct pithlog_analysis *a, uint32_t state)
{
    return pithi_graph_is_call(&a->graph, state) != 0;
}

int pithlog_analysis_calls_mpi(const struct pithlog_analysis *a, uint32_t lane)
{
    return a->graph.lanes[lane].calls > 0;
}

/* Returns the lane's last part in the collective `instance` that began in `piece` or before; if `instance` is
 * UINT32_MAX, the part in any instance that began in `piece` itself. Returns NULL if there is none. On a lane that is
 * no member, the search would go back through all other instances. So it ends after MOST_BACK of them. */
static const struct pithi_graph_member *member_at(const struct pithi_graph *g, uint32_t lane, uint32_t piece,
                                                  uint32_t instance)
{
    enum { MOST_BACK = 256 };
    const struct pithi_chunks *members = &g->lanes[lane].members;
    const struct pithi_graph_member *member;
    uint32_t low = 0, high = members->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        member = pithi_chunks_at(members, middle, sizeof *member);
        if (member->piece <= piece)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t back = 0; back < MOST_BACK && low > 0; back++) {
        member = pithi_chunks_at(members, --low, sizeof *member);
        if (instance == UINT32_MAX ? member->piece == piece : member->instance == instance)
            return member;
        if (instance == UINT32_MAX)
            return NULL;
    }
    return NULL;
}

/* Returns the collective instance that a call begins or, if it begins none, completes. Returns UINT32_MAX if there is
 * none. */
static uint32_t instance_of(const struct pithi_graph *g, uint32_t lane, uint32_t piece)
{
    const struct pithi_graph_member *member = member_at(g, lane, piece, UINT32_MAX);
    const struct pithi_need *need;

    if (member)
        return member->instance;
    for (need = pithi_graph_need(g, pithi_graph_piece(g, lane, piece)->needs); need;
         need = pithi_graph_need(g, need->next))
        if (need->kind && need->of != PITHI_NEED_LANE && need->instance < g->colls.count)
            return need->instance;
    return UINT32_MAX;
}

int pithlog_analysis_members(struct pithlog_analysis *a, uint32_t lane, int64_t begin_ns, int64_t *begins_ns)
{
    const struct pithi_graph *g = &a->graph;
    uint32_t piece = pithi_graph_find(g, lane, begin_ns), instance;
    const struct pithi_lane_piece *call = pithi_graph_piece(g, lane, piece);

    if (call->begin_ns != begin_ns || !pithi_graph_is_call(g, call->state))
        return 0;
    if ((instance = instance_of(g, lane, piece)) == UINT32_MAX)
        return 0;
    for (uint32_t i = 0; i < lanes_of(a); i++) {
        const struct pithi_graph_member *member =
            member_at(g, i, pithi_graph_find(g, i, pithi_graph_coll(g, instance)->last_ns), instance);
        begins_ns[i] = member ? pithi_graph_piece(g, i, member->piece)->begin_ns : INT64_MIN;
    }
    return 1;
}

int64_t pithlog_analysis_useful_ns(const struct pithlog_analysis *a, uint32_t lane)
{
    return lane < lanes_of(a) ? a->lanes[lane].useful_ns : 0;
}

const char *pithlog_wait_kind_name(uint32_t kind)
{
    static const char *const names[PITHLOG_WAIT_KINDS] = {
        "",
#define WAIT_KIND(kind, name, colour, is, try, meaning) [PITHLOG_##kind] = name,
#include "analysis/wait_kinds.def"
#undef WAIT_KIND
    };
    return kind < PITHLOG_WAIT_KINDS ? names[kind] : "";
}
