/* graph.c - builds the dependency graph in one pass: pieces come from the open states, needs for messages from waits.c,
 * needs for collectives from collectives.c.
 *
 *     enter work 0   enter MPI_Reduce 10   enter MPI_Recv 12   leave 29   leave 30   leave work 40
 *
 *     pieces         0 work   10 MPI_Reduce   30 work   40 outside
 *
 * MPI_Recv has no piece, because an MPI state inside another one is only the library's way to do its work. The records
 * in MPI_Recv belong to MPI_Reduce, whose needs are the members that the root waits for. The releases of these needs
 * are known only when the last member has entered. So each need first has only the number of its instance, and
 * release_needs sets the times after the last record.
 *
 * A piece has 16 bytes. Its end is not stored, as it is the begin of the next piece. A search by time is a search in an
 * array. */
#include "analysis/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/waits/collectives.h"
#include "analysis/graph/infer.h"
#include "analysis/waits/epochs.h"
#include "analysis/mpi_calls.h"
#include "analysis/waits/records.h"
#include "analysis/waits/waits.h"
#include "base/error.h"
#include "base/tournament.h"
#include "native/log.h"
#include "reader/read/match.h"

enum {
    SMALL_BYTES = 1024,      /* count_small: largest small message */
    SMALL_APART_NS = 100000, /* the longest time between two sends that the program could join to one */
    SMALL_MOST_NS = 1000000, /* a longer call waits or has no core, and does not count as a small message */
    NEEDS_LEAST = 16         /* fewest places for needs that a lane reserves at once */
};

/* A lane while the log is read. */
struct building_lane {
    struct pithi_lane_piece *last; /* the lane's last piece */
    uint32_t call;                 /* 1 + index of the outermost open MPI state; 0: none is open */
    uint32_t call_state;           /* definition of the outermost open MPI state */
    int32_t last_peer;             /* receiver of its last message; -1: no message, or the lane has received since */
    int64_t sent_ns;               /* end of the call that sent the message to last_peer */
    int has_sent;                  /* 1: the open call sent a message */
    int is_small;                  /* 1: the open call sent a small message (count_small) */
    struct pithi_coll_part part;   /* open blocking collective; part.coll UINT32_MAX: none */
    uint32_t needs, next_need, need_end; /* needs: their number; next_need, need_end: its reserved places */
    /* 1 + index of the piece of MPI_Init; of MPI_Finalize; after the last record; 0: none */
    uint32_t init, finalize, ended;
};

/* A member enters or leaves a collective instance, in a piece of its lane. It enters at its COLL record. It leaves at
 * the end of its call, or of the call that completes the collective. */
struct coll_step {
    int64_t time_ns;            /* time of the record, or of the end of the call */
    uint32_t lane, piece, comm; /* piece: number in the lane */
    int leaves, is_in_call;     /* 1: the member leaves; 1: the COLL record lies within a call */
    struct pithi_coll_part part;
};

/* Steps of an interval, in order of time: all steps of one lane, or of several lanes whose times follow each other. */
struct coll_run {
    struct pithi_player player; /* must be first */
    /* indices in coll_steps: the next step of the run, and its end. */
    uint32_t next, end;
};

struct building {
    struct pithi_graph *graph;
    struct pithi_waits *waits;
    struct pithi_colls *colls;
    struct pithi_epochs *epochs; /* NULL: none */
    struct building_lane *lanes;
    unsigned char *at_init; /* [definitions]: 1: MPI_Init, 2: MPI_Finalize */
    unsigned char *serves;  /* [definitions]: 1: an MPI call that serves accesses of other ranks */
    unsigned char *clocks;  /* [definitions]: 1: MPI_Wtime or MPI_Wtick, whose time belongs to the state around it */
    unsigned *traits;       /* [definitions] */
    struct near_lanes {
        struct pithi_near pieces;     /* memory for the pieces of these lanes */
        uint32_t next_need, need_end; /* reserved places for needs that no lane has taken */
    } * near;                         /* [lanes >> near_bits]: what 1 << near_bits lanes share */
    uint32_t near_bits;
    /* The window of the query; the first and the last end of MPI_Init on any lane. */
    int64_t from_ns, to_ns, first_init_ns, init_ns;
    int64_t start_ns, end_ns;     /* of the log; if only a part is read, of that part */
    uint32_t kinds;               /* mask of the kinds of records that are read */
    int is_full;                  /* 1: a callback had no memory */
    int by_intervals;             /* 1: the steps come by intervals (records.h) */
    struct coll_step *coll_steps; /* steps of the interval that ends next */
    uint32_t coll_step_count, coll_step_room;
};

static int no_memory(const struct pithi_graph *g)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory or no room in TMPDIR for its analysis", g->log->path);
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* Begins a new piece, as the lane is in `state` from now on. If the last piece is computing without length, the new
 * piece replaces it. */
static int new_piece(struct building *b, uint32_t lane, int64_t time_ns, uint32_t state)
{
    struct pithi_graph *g = b->graph;
    struct pithi_lane_piece *last = b->lanes[lane].last;

    if (!last || last->begin_ns != time_ns || pithi_graph_is_call(g, last->state))
        last = b->lanes[lane].last = pithi_chunks_add_after(&g->lanes[lane].pieces, &g->scratch,
                                                            &b->near[lane >> b->near_bits].pieces, last, sizeof *last);
    if (!last)
        return no_memory(g);
    *last = (struct pithi_lane_piece){.begin_ns = time_ns, .state = state};
    g->lanes[lane].calls += (uint32_t)pithi_graph_is_call(g, state);
    return PITH_OK;
}

static inline void see_record(const struct building *b, const struct pithlog_record *r)
{
    struct pithi_graph_lane *lane = &b->graph->lanes[r->lane];

    lane->first_ns = r->time_ns < lane->first_ns ? r->time_ns : lane->first_ns;
    lane->last_ns = r->time_ns;
}

static void end_init(struct building *b, uint32_t state, int64_t time_ns)
{
    if (b->at_init[state] != 1)
        return;
    b->first_init_ns = time_ns < b->first_init_ns ? time_ns : b->first_init_ns;
    b->init_ns = time_ns > b->init_ns ? time_ns : b->init_ns;
}

/* Ends the outermost call, open[at]. An MPI state inside it that is still open becomes the outermost call, because
 * states need not nest: MPI_Reduce may end before an MPI_Recv that began in it. */
static void end_call(const struct pithi_graph *g, struct building_lane *lane, const struct pithlog_step *step)
{
    lane->call = 0;
    for (uint32_t i = step->at + 1; i < step->depth && !lane->call; i++)
        if (g->is_call[step->open[i].id]) {
            lane->call = i; /* 1 + its index after open[at] is removed */
            lane->call_state = step->open[i].id;
        }
}

static int begin_state(struct building *b, const struct pithlog_step *step)
{
    struct building_lane *lane = &b->lanes[step->lane];
    uint32_t state = step->record->id;

    if (lane->call || b->clocks[state])
        return PITH_OK;
    lane->call = b->graph->is_call[state] ? step->depth + 1 : 0;
    lane->call_state = state;
    int err = new_piece(b, step->lane, step->record->time_ns, state);
    if (b->at_init[state])
        *(b->at_init[state] == 1 ? &lane->init : &lane->finalize) = b->graph->lanes[step->lane].pieces.count;
    return err;
}

static int leave_coll(struct building *b, uint32_t lane, const struct pithi_coll_part *part, int64_t end_ns);
static int leave_epoch(struct building *b, uint32_t lane, int64_t end_ns);

/* Begins a new piece if the step ends the outermost call or, outside of calls, the innermost state. */
static int end_state(struct building *b, const struct pithlog_step *step)
{
    struct pithi_graph *g = b->graph;
    struct building_lane *lane = &b->lanes[step->lane];
    uint32_t at = step->at;

    if (step->record)
        end_init(b, step->record->id, step->record->time_ns);
    if (lane->call && at + 1 != lane->call) {
        lane->call -= at + 1 < lane->call;
        return PITH_OK;
    }
    if (step->why & PITHLOG_DISCARDED) {
        end_call(g, lane, step);
        return PITH_OK;
    }
    if (!lane->call && (at + 1 != step->depth || b->clocks[step->open[at].id]))
        return PITH_OK;
    int64_t time_ns = step->record->time_ns;
    if (lane->is_small && time_ns - lane->last->begin_ns < SMALL_MOST_NS)
        g->lanes[step->lane].small_ns += time_ns - lane->last->begin_ns;
    lane->is_small = 0;
    lane->sent_ns = lane->has_sent ? time_ns : lane->sent_ns;
    lane->has_sent = 0;
    if (lane->part.coll != UINT32_MAX && !leave_coll(b, step->lane, &lane->part, time_ns))
        return no_memory(g);
    lane->part.coll = UINT32_MAX;
    if (b->epochs && lane->call && !leave_epoch(b, step->lane, time_ns))
        return no_memory(g);
    if (lane->call)
        end_call(g, lane, step);
    return new_piece(b, step->lane, time_ns,
                     lane->call        ? lane->call_state
                     : step->depth > 1 ? step->open[step->depth - 1 - (at + 1 == step->depth)].id
                                       : PITHLOG_COMPUTING);
}

/* ---- Needs ------------------------------------------------------------------------------------------------------- */

/* Reserves places for needs of a lane, side by side. Returns 0 if there is no memory.
 *
 * Most passes go lane by lane. If needs were stored in the order of the records, such a pass would touch every page of
 * the temporary file. So a lane reserves many places at once: half as many as it has needs, at least NEEDS_LEAST. The
 * places of neighbouring lanes are side by side, too. */
static int reserve_needs(struct building *b, uint32_t lane)
{
    struct pithi_graph *g = b->graph;
    struct building_lane *of = &b->lanes[lane];
    struct near_lanes *near = &b->near[lane >> b->near_bits];
    /* As a rule, at most one piece in four has a need, so a chunk of pieces needs no more places than `most`. */
    uint32_t places = of->needs / 2, most = (1u << g->scratch.chunk_bits) / 4;

    places = places < NEEDS_LEAST ? NEEDS_LEAST : places > most ? most : places;
    if (near->need_end - near->next_need < places) {
        near->next_need = g->needs.count;
        for (uint32_t i = 0; i < places << b->near_bits; i++)
            if (!pithi_chunks_add(&g->needs, &g->rest_scratch, sizeof(struct pithi_need)))
                return 0;
        near->need_end = g->needs.count;
    }
    of->next_need = near->next_need;
    of->need_end = near->next_need += places;
    return 1;
}

static void add_need(struct building *b, uint32_t lane, uint32_t number, struct pithi_need need)
{
    struct pithi_graph *g = b->graph;
    struct building_lane *of = &b->lanes[lane];

    if (of->next_need == of->need_end && !reserve_needs(b, lane)) {
        b->is_full = 1;
        return;
    }
    struct pithi_lane_piece *piece = pithi_graph_piece(g, lane, number);
    need.next = piece->needs;
    of->needs++;
    piece->needs = ++of->next_need;
    *pithi_graph_need(g, piece->needs) = need;
}

static uint32_t small_bytes(uint64_t bytes) { return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX; }

static void need_message(void *context, uint32_t lane, uint32_t number, uint32_t kind, const struct pithi_release *by,
                         uint64_t bytes, int64_t posted_ns)
{
    struct building *b = context;
    struct pithi_graph_lane *of = &b->graph->lanes[lane];
    int64_t begin_ns = pithi_graph_piece(b->graph, lane, number)->begin_ns;

    if (by->lane == lane && by->time_ns > begin_ns)
        return; /* a call cannot wait for what its own lane does later */
    if (kind == PITHLOG_WAIT_FOR_PROGRESS && by->number == UINT32_MAX)
        return;
    of->largest = small_bytes(bytes) > of->largest ? small_bytes(bytes) : of->largest;
    add_need(b, lane, number,
             (struct pithi_need){.release_ns = kind == PITHLOG_WAIT_FOR_PROGRESS ? INT64_MIN : by->time_ns,
                                 .kind = (uint16_t)kind,
                                 .of = PITHI_NEED_LANE,
                                 .lane = by->lane,
                                 .position = by->number,
                                 .bytes = small_bytes(bytes),
                                 .posted_ns = posted_ns < begin_ns ? posted_ns : begin_ns});
}

static void need_epoch(void *context, uint32_t lane, uint32_t kind, const struct pithi_epoch_call *by)
{
    struct building *b = context;
    uint32_t piece = b->graph->lanes[lane].pieces.count - 1;

    if (kind == PITHLOG_LOCK_CONTENTION)
        piece = pithi_graph_find(b->graph, lane, by->begin_ns);
    if (pithi_graph_is_call(b->graph, pithi_graph_piece(b->graph, lane, piece)->state))
        add_need(b, lane, piece,
                 (struct pithi_need){.release_ns = by->begin_ns,
                                     .kind = (uint16_t)kind,
                                     .of = PITHI_NEED_LANE,
                                     .lane = by->lane,
                                     .position = by->piece});
}

static int accesses(void *context, uint32_t lane, int64_t time_ns)
{
    const struct building *b = context;
    uint32_t state = pithi_graph_piece(b->graph, lane, pithi_graph_find(b->graph, lane, time_ns))->state;
    return pithi_graph_is_call(b->graph, state) && pithi_waits_traits(b->waits, state) & PITHI_ACCESSES;
}

static int first_call(void *context, uint32_t rank, int64_t since_ns, struct pithi_epoch_call *call)
{
    const struct building *b = context;
    return pithi_graph_first_call(b->graph, b->serves, (int32_t)rank, since_ns, call);
}

static struct pithi_epoch_call epoch_call(const struct building *b, uint32_t lane)
{
    return (struct pithi_epoch_call){b->lanes[lane].last->begin_ns, lane, b->graph->lanes[lane].pieces.count - 1};
}

static int leave_epoch(struct building *b, uint32_t lane, int64_t end_ns)
{
    struct pithi_epoch_client client = {need_epoch, first_call, accesses, b};
    struct pithi_epoch_call call = epoch_call(b, lane);
    return pithi_epochs_leave(b->epochs, &call, end_ns, &client);
}

/* Called when a lane has completed its part of a collective, at the end of a blocking call or in the MPI_Wait of a
 * nonblocking collective. Adds the need of this call. On an intercommunicator, each group has an instance, and the
 * numbers of the two follow each other. A member waits for the members of the other group.
 *
 * A collective that may or may not synchronise (PITHI_COLL_MAY_WAIT: MPI_Win_create) gets its needs in any case.
 * release_needs decides at the end whether they count: if a member left before the last member came, no member
 * waited. */
static void add_coll_need(struct building *b, const struct coll_step *step)
{
    static const uint16_t of[] = {[PITHI_COLL_ALL] = PITHI_NEED_ALL,
                                  [PITHI_COLL_FROM] = PITHI_NEED_ROOT,
                                  [PITHI_COLL_TO] = PITHI_NEED_ALL,
                                  [PITHI_COLL_LOWER] = PITHI_NEED_LOWER,
                                  [PITHI_COLL_NEIGHBOURS] = PITHI_NEED_ALL};
    const struct pithi_coll_part *part = &step->part;
    uint32_t lane = step->lane, piece = step->piece, first = pithi_colls_serial(b->colls, part);
    uint32_t last = first + (part->is_inter != 0);
    int64_t end_ns = step->time_ns;
    int may_wait = (part->rule.flags & PITHI_COLL_MAY_WAIT) == PITHI_COLL_MAY_WAIT && !part->gets_of_all;
    struct pithi_moment when;
    struct pithi_need need = {.kind = (uint16_t)pithi_colls_wait_kind(b->colls, part),
                              .of = of[part->rule.shape],
                              .bytes = small_bytes(part->bytes)};

    need.position = part->place;
    for (need.instance = first; may_wait && need.instance <= last; need.instance++) {
        struct pithi_graph_coll *coll = pithi_graph_coll(b->graph, need.instance);
        coll->first_end_ns = end_ns < coll->first_end_ns ? end_ns : coll->first_end_ns;
        if (part->rule.flags & PITHI_COLL_AFTER)
            add_need(b, lane, piece, need);
    }
    need.instance = part->is_second ? first : last;
    if (!(part->rule.flags & PITHI_COLL_AFTER) &&
        (pithi_colls_last(b->colls, part, &when) != 0 || part->gets_of_all || may_wait ||
         part->rule.shape == PITHI_COLL_NEIGHBOURS)) /* for neighbours, infer.c finds the releases */
        add_need(b, lane, piece, need);
    pithi_colls_leave(b->colls, part, end_ns);
}

static struct pithi_graph_coll *new_coll(struct pithi_graph *g, uint32_t comm, uint32_t kind)
{
    struct pithi_graph_coll *coll = pithi_chunks_add(&g->colls, &g->rest_scratch, sizeof *coll);

    if (coll)
        *coll = (struct pithi_graph_coll){.last_ns = INT64_MIN,
                                          .root_ns = INT64_MIN,
                                          .last_lane = PITHI_NO_LANE,
                                          .root_lane = PITHI_NO_LANE,
                                          .comm = comm,
                                          .kind = (uint16_t)kind,
                                          .first_end_ns = INT64_MAX};
    return coll;
}

/* Adds the part that a lane begins in `piece` to a collective instance. The instance keeps the begin of the root and
 * the latest begin; among equal begins, that of the lowest lane. Returns 0 if there is no memory.
 *
 * The member begins with the call that makes or starts the collective, not at the COLL record, which is later. */
static int begin_member(struct pithi_graph *g, uint32_t lane, uint32_t piece, uint32_t instance, uint32_t position,
                        int is_root)
{
    struct pithi_graph_coll *coll = pithi_graph_coll(g, instance);
    struct pithi_graph_member *member = pithi_chunks_add(&g->lanes[lane].members, &g->rest_scratch, sizeof *member);
    int64_t begin_ns = pithi_graph_piece(g, lane, piece)->begin_ns;

    if (!member)
        return 0;
    *member =
        (struct pithi_graph_member){.instance = instance, .piece = piece, .position = position, .is_root = is_root};
    coll->members++;
    if (begin_ns > coll->last_ns || (begin_ns == coll->last_ns && lane < coll->last_lane)) {
        coll->last_ns = begin_ns;
        coll->last_lane = lane;
    }
    if (is_root) {
        coll->root_ns = begin_ns;
        coll->root_lane = lane;
    }
    if (coll->positions)
        *pithi_graph_position(g, coll, position) = (struct pithi_graph_position){begin_ns, lane};
    return 1;
}

static uint32_t comm_size(const struct pithi_graph *g, uint32_t number)
{
    const struct pithlog_comm *comm = pithlog_get_comm(g->log, number);

    return comm->size == 0 ? pithi_log_ranks(g->log) : (uint32_t)comm->size + (uint32_t)comm->remote_size;
}

/* Makes the scan positions of an instance, one for each member. Returns 0 if there is no memory. */
static int make_positions(struct pithi_graph *g, struct pithi_graph_coll *coll)
{
    uint32_t size = comm_size(g, coll->comm), first = g->positions.count + 1;

    for (uint32_t i = 0; i < size; i++) {
        struct pithi_graph_position *position = pithi_chunks_add(&g->positions, &g->rest_scratch, sizeof *position);
        if (!position)
            return 0;
        *position = (struct pithi_graph_position){INT64_MIN, PITHI_NO_LANE};
    }
    coll->positions = first;
    return 1;
}

/* Keeps the bytes of a collective's record. Returns 0 if there is no memory. */
static int add_moved(struct pithi_graph *g, const struct pithlog_record *r, uint32_t state)
{
    struct pithi_graph_lane *lane = &g->lanes[r->lane];
    struct pithi_graph_moved *moved = pithi_chunks_add(&lane->moved, &g->rest_scratch, sizeof *moved);

    if (moved)
        *moved = (struct pithi_graph_moved){lane->pieces.count - 1, state, r->bytes, r->got_bytes};
    return moved != NULL;
}

/* Takes the step in which a member enters a collective instance. Returns 0 if there is no memory. */
static int enter_coll(struct building *b, const struct coll_step *step)
{
    struct pithi_graph *g = b->graph;
    struct pithi_coll_part part = step->part;

    pithi_colls_count(b->colls, &part);
    if (!step->is_in_call)
        return 1;
    double begin_ns = (double)pithi_graph_piece(g, step->lane, step->piece)->begin_ns;
    pithi_colls_arrive(b->colls, &part, &(struct pithi_moment){begin_ns, begin_ns});
    int is_of_neighbours = part.rule.shape == PITHI_COLL_NEIGHBOURS;
    while (g->colls.count < part.serial + 1 + (part.is_inter != 0))
        if (!new_coll(g, step->comm, is_of_neighbours ? 0 : pithi_colls_wait_kind(b->colls, &part)))
            return 0;
    uint32_t instance = part.serial + (part.is_second != 0);
    struct pithi_graph_coll *coll = pithi_graph_coll(g, instance);
    coll->traits |= part.starts ? PITHI_COLL_IS_STARTED : 0;
    if (is_of_neighbours)
        coll->traits |= PITHI_COLL_IS_OF_NEIGHBOURS | (part.rule.flags & PITHI_COLL_LOOSE ? PITHI_COLL_IS_LOOSE : 0);
    int is_scan = part.rule.shape == PITHI_COLL_LOWER;
    return (!is_scan || coll->positions || make_positions(g, coll)) &&
           begin_member(g, step->lane, step->piece, instance, is_scan || is_of_neighbours ? part.place : PITHI_NO_LANE,
                        part.is_root);
}

/* Takes a step at once if steps come in the order of their times. If they come by intervals, rank by rank, keeps the
 * step until the end of the interval. Then all steps of the interval are taken in the order of their times, because
 * this order decides which members of a collective have waited. Returns 0 if there is no memory. */
static int take_coll_step(struct building *b, const struct coll_step *step)
{
    if (b->by_intervals) {
        if (!pithi_grow(&b->coll_steps, b->coll_step_count, &b->coll_step_room, sizeof *b->coll_steps))
            return 0;
        b->coll_steps[b->coll_step_count++] = *step;
        return 1;
    }
    if (!step->leaves)
        return enter_coll(b, step);
    add_coll_need(b, step);
    return 1;
}

static int leave_coll(struct building *b, uint32_t lane, const struct pithi_coll_part *part, int64_t end_ns)
{
    struct coll_step step = {.time_ns = end_ns, .lane = lane, .leaves = 1, .part = *part};

    step.piece = b->graph->lanes[lane].pieces.count - 1;
    return take_coll_step(b, &step);
}

static int take_coll(struct building *b, const struct pithlog_record *r)
{
    struct pithi_graph *g = b->graph;
    struct building_lane *lane = &b->lanes[r->lane];
    struct coll_step step = {.time_ns = r->time_ns, .lane = r->lane, .comm = r->comm, .is_in_call = lane->call != 0};
    uint32_t state = lane->call ? lane->call_state : UINT32_MAX;
    int status = pithi_colls_enter_early(b->colls, r, state, &step.part);

    if (status < 0)
        return -status;
    g->coll_calls++;
    if (lane->call && !add_moved(g, r, step.part.state))
        return no_memory(g);
    if (status > 0 || step.part.coll == UINT32_MAX)
        return PITH_OK;
    step.piece = g->lanes[r->lane].pieces.count - 1;
    if (lane->call && !step.part.starts)
        lane->part = step.part;
    return take_coll_step(b, &step) ? PITH_OK : no_memory(g);
}

/* Takes the steps of an interval in the order of their times; at equal times, the steps of lower lanes first. Returns 0
 * if there is no memory.
 *
 * The steps came lane by lane. A new run begins wherever a step is earlier than the step before, and the runs are
 * merged. */
static int take_coll_steps(struct building *b)
{
    uint32_t count = 0, leaves;

    for (uint32_t i = 0; i < b->coll_step_count; i++)
        count += i == 0 || b->coll_steps[i].time_ns < b->coll_steps[i - 1].time_ns;
    leaves = pithi_tournament_leaves(count);
    struct coll_run *runs = malloc((count + (size_t)1) * sizeof *runs);
    struct pithi_loser *tree = malloc(leaves * sizeof *tree);
    int good = runs && tree;
    count = 0;
    for (uint32_t i = 0; good && i < b->coll_step_count; i++) {
        if (i == 0 || b->coll_steps[i].time_ns < b->coll_steps[i - 1].time_ns) {
            runs[count] = (struct coll_run){{pithi_key_of(b->coll_steps[i].time_ns), leaves + count}, i, i};
            count++;
        }
        runs[count - 1].end = i + 1;
    }
    if (good)
        tree[0] = pithi_tournament_play(tree, leaves, 1, runs, count, sizeof *runs);
    b->by_intervals = 0;
    while (good && tree[0].key != PITHI_KEY_DONE) {
        struct coll_run *run = (struct coll_run *)tree[0].player;
        good = take_coll_step(b, &b->coll_steps[run->next++]);
        tree[0] = pithi_tournament_replay(
            tree, &run->player, run->next < run->end ? pithi_key_of(b->coll_steps[run->next].time_ns) : PITHI_KEY_DONE);
    }
    b->by_intervals = 1;
    b->coll_step_count = 0;
    free(runs);
    free(tree);
    return good;
}

static int interval_ends(void *context)
{
    struct building *b = context;

    b->by_intervals = 1;
    CHECK(pithi_waits_interval_ends(b->waits));
    return take_coll_steps(b) ? PITH_OK : no_memory(b->graph);
}

static int take_event(struct building *b, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    struct building_lane *lane = &b->lanes[r->lane];
    struct pithi_coll_part part;
    uint32_t state = lane->call ? lane->call_state : UINT32_MAX;
    int status = pithi_colls_event(b->colls, r, state, &part);
    struct pithi_epoch_call call = epoch_call(b, r->lane);

    if (b->epochs && lane->call && !pithi_epochs_event(b->epochs, r, &call))
        return no_memory(b->graph);

    if (status > 0 && lane->call) {
        pithi_waits_completes_coll(b->waits, step);
        if (!leave_coll(b, r->lane, &part, r->time_ns))
            return no_memory(b->graph);
    }
    return status < 0 ? no_memory(b->graph) : PITH_OK;
}

/* Counts small messages that could be sent as part of the message before: both have the same receiver, and the sender
 * does not receive in between.
 *
 * Example: of ten sends of 8 bytes to rank 1 in a row, the last nine could have been part of the first. They could not
 * if the sender receives in between, as the received data may decide what it sends. Nor could they if the sender
 * computes for longer than SMALL_APART_NS in between, as the first message would then come late. A call that takes
 * SMALL_MOST_NS or longer waits or has no core, so it does not count. */
static void count_small(struct building *b, const struct pithlog_record *r)
{
    struct building_lane *lane = &b->lanes[r->lane];

    if (r->kind == PITHLOG_SEND && r->peer >= 0 && lane->call && r->time_ns >= b->from_ns && r->time_ns < b->to_ns) {
        b->graph->lanes[r->lane].sends++;
        lane->is_small = r->peer == lane->last_peer && r->bytes <= SMALL_BYTES &&
                         lane->last->begin_ns - lane->sent_ns <= SMALL_APART_NS;
        b->graph->lanes[r->lane].small += (uint64_t)lane->is_small;
    }
    lane->last_peer = r->kind == PITHLOG_SEND ? r->peer : -1;
    lane->has_sent |= r->kind == PITHLOG_SEND;
}

/* Takes a record that begins or ends no open state. */
static int take_record(struct building *b, const struct pithlog_step *step)
{
    struct pithi_graph *g = b->graph;
    const struct pithlog_record *r = step->record;
    int err;

    if (!(b->kinds >> r->kind & 1))
        return PITH_OK;
    see_record(b, r);
    switch (r->kind) {
    case PITHLOG_LEAVE: /* a LEAVE whose ENTER is not in the log */
        end_init(b, r->id, r->time_ns);
        return PITH_OK;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        g->sends += r->kind == PITHLOG_SEND && r->peer >= 0;
        g->recvs += r->kind == PITHLOG_RECV && r->peer >= 0;
        count_small(b, r);
        return pithi_waits_take(b->waits, step, 0);
    case PITHLOG_COLL:
        b->lanes[r->lane].last_peer = -1;
        return take_coll(b, r);
    case PITHLOG_EVENT:
        err = pithi_waits_take(b->waits, step, 0);
        return err ? err : take_event(b, step);
    default:
        return PITH_OK;
    }
}

static int take_step(void *context, const struct pithlog_step *step)
{
    struct building *b = context;
    int err = PITH_OK;

    switch (step->change) {
    case PITHLOG_BEGINS:
        see_record(b, step->record);
        if ((err = begin_state(b, step)) == PITH_OK)
            err = pithi_waits_take(b->waits, step, b->graph->lanes[step->lane].pieces.count - 1);
        break;
    case PITHLOG_ENDS:
        if (step->record)
            see_record(b, step->record);
        if ((err = pithi_waits_take(b->waits, step, 0)) == PITH_OK)
            err = end_state(b, step);
        break;
    case PITHLOG_HAPPENS:
        err = take_record(b, step);
        break;
    default: /* holes need no handling, because the graph of a log with holes is not used */
        break;
    }
    return err || !b->is_full ? err : no_memory(b->graph);
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static int reads_clock(const struct pithlog_def *def)
{
    size_t length;
    const char *call = pithi_mpi_call(def->name, &length);

    return call && ((length == 5 && strncmp(call, "Wtime", 5) == 0) || (length == 5 && strncmp(call, "Wtick", 5) == 0));
}

static int prepare(struct building *b)
{
    struct pithi_graph *g = b->graph;
    const struct pithlog_info *info = pithlog_get_info(g->log);
    int err = PITH_OK;

    g->is_call = calloc(info->defs + (size_t)1, 1);
    b->at_init = calloc(info->defs + (size_t)1, 1);
    b->serves = calloc(info->defs + (size_t)1, 1);
    b->clocks = calloc(info->defs + (size_t)1, 1);
    g->lanes = calloc(info->lanes + (size_t)1, sizeof *g->lanes);
    b->lanes = calloc(info->lanes + (size_t)1, sizeof *b->lanes);
    b->traits = calloc(info->defs + (size_t)1, sizeof *b->traits);
    while (sizeof(struct pithi_lane_piece) << (b->near_bits + g->scratch.chunk_bits) < PITHI_NEAR_BYTES)
        b->near_bits++;
    b->near = calloc((info->lanes >> b->near_bits) + (size_t)1, sizeof *b->near);
    if (!b->near || !g->is_call || !b->at_init || !b->serves || !b->clocks || !b->traits || !g->lanes || !b->lanes)
        return no_memory(g);
    g->has_mpi = pithi_has_mpi_calls(g->log);
    for (uint32_t i = 0; i < info->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(g->log, i);
        unsigned traits = b->traits[i] = pithi_waits_traits(b->waits, i);
        b->clocks[i] = (unsigned char)reads_clock(def);
        g->is_call[i] = b->clocks[i] ? 0 : traits & PITHI_FIRST ? PITHI_CALL_FIRST : traits != 0;
        b->serves[i] = (traits & (PITHI_MOVES | PITHI_ACCESSES)) != 0;
        b->at_init[i] = pithlog_is_init(def) ? 1 : pithlog_is_finalize(def) ? 2 : 0;
    }
    for (uint32_t i = 0; i < info->lanes && !err; i++) {
        g->lanes[i].first_ns = INT64_MAX;
        g->lanes[i].last_ns = INT64_MIN;
        b->lanes[i].part.coll = UINT32_MAX;
        b->lanes[i].last_peer = -1;
        err = new_piece(b, i, b->start_ns, PITHLOG_COMPUTING);
    }
    return err;
}

/* Adds the needs of MPI_Init: all lanes that call it wait for the last one, or none waits. If a lane left it before the
 * last lane came, the library does not synchronise there. */
static void init_together(struct building *b)
{
    struct pithi_need need = {.release_ns = INT64_MIN, .kind = PITHLOG_WAIT_AT_INIT, .of = PITHI_NEED_LANE};
    uint32_t lanes = pithlog_get_info(b->graph->log)->lanes;
    int64_t before_ns = INT64_MIN;

    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t piece = b->lanes[i].init - 1;
        if (!b->lanes[i].init)
            continue;
        int64_t begin_ns = pithi_graph_piece(b->graph, i, piece)->begin_ns;
        if (begin_ns > need.release_ns) {
            before_ns = need.release_ns;
            need.release_ns = begin_ns;
            need.lane = i;
            need.position = piece;
        } else if (begin_ns > before_ns) {
            before_ns = begin_ns;
        }
    }
    b->graph->last_init_lane = before_ns > INT64_MIN ? need.lane : PITHI_NO_LANE;
    b->graph->late_init_ns = before_ns > INT64_MIN ? need.release_ns - before_ns : 0;
    for (uint32_t i = 0; i < lanes && need.release_ns <= b->first_init_ns; i++)
        if (b->lanes[i].init && i != need.lane)
            add_need(b, i, b->lanes[i].init - 1, need);
}

/* Makes the time after a lane's last record a part of MPI_Finalize, if the lane has called it: the rank has ended and
 * computes no more, but waits for the last rank in MPI_Finalize. If other records follow MPI_Finalize (pith:flush),
 * this time becomes another call of MPI_Finalize. */
static void has_ended(struct building *b, uint32_t lane)
{
    struct pithi_graph_lane *of = &b->graph->lanes[lane];
    uint32_t last = of->pieces.count - 1, finalize = b->lanes[lane].finalize;
    struct pithi_lane_piece *piece = pithi_graph_piece(b->graph, lane, last);

    if (!finalize || piece->begin_ns != of->last_ns || pithi_graph_is_call(b->graph, piece->state))
        return;
    if (finalize == last) {
        of->pieces.count--;
        return;
    }
    piece->state = pithi_graph_piece(b->graph, lane, finalize - 1)->state;
    b->lanes[lane].ended = last + 1;
    of->calls++;
}

/* Makes MPI_Finalize a collective of all lanes that call it. */
static int finalize_together(struct building *b)
{
    struct pithi_graph *g = b->graph;
    uint32_t instance = g->colls.count;
    struct pithi_need need = {.instance = instance, .kind = PITHLOG_WAIT_AT_FINALIZE, .of = PITHI_NEED_ALL};

    if (!new_coll(g, 0, PITHLOG_WAIT_AT_FINALIZE))
        return no_memory(g);
    for (uint32_t i = 0; i < pithlog_get_info(g->log)->lanes; i++) {
        uint32_t piece = b->lanes[i].finalize - 1;
        if (!b->lanes[i].finalize)
            continue;
        if (!begin_member(g, i, piece, instance, PITHI_NO_LANE, 0))
            return no_memory(g);
        add_need(b, i, piece, need);
        if (b->lanes[i].ended)
            add_need(b, i, b->lanes[i].ended - 1, need);
    }
    return PITH_OK;
}

/* Called after the last record. Computes the latest begin up to each scan position, the releases of needs for
 * collectives, and the pieces that contain the releases.
 *
 * Example: in MPI_Scan, position 3 waits for the latest of positions 0 to 2. If the positions begin at 10, 30, 20, 40,
 * the latest begins up to each are 10, 30, 30, 40. So position 3 is released at 30, by the lane of position 1. */
static void release_needs(struct pithi_graph *g)
{
    for (uint32_t i = 0; i < g->colls.count; i++) {
        struct pithi_graph_coll *coll = pithi_graph_coll(g, i);
        coll->kind = coll->first_end_ns < coll->last_ns ? 0 : coll->kind;
        for (uint32_t k = 1; coll->positions && k < comm_size(g, coll->comm); k++) {
            const struct pithi_graph_position *before = pithi_graph_position(g, coll, k - 1);
            struct pithi_graph_position *own = pithi_graph_position(g, coll, k);
            if (before->begin_ns > own->begin_ns || (before->begin_ns == own->begin_ns && before->lane < own->lane))
                *own = *before;
        }
    }
    for (uint32_t i = 0; i < g->needs.count; i++) {
        struct pithi_need *need = pithi_chunks_at(&g->needs, i, sizeof *need);
        pithi_scratch_passed(&g->scratch, sizeof *need);
        if (!need->kind)
            continue;
        if (need->of == PITHI_NEED_LANE) {
            if (need->position == UINT32_MAX)
                need->position = pithi_graph_find(g, need->lane, need->release_ns);
            continue;
        }
        const struct pithi_graph_coll *coll =
            need->instance < g->colls.count ? pithi_graph_coll(g, need->instance) : NULL;
        need->release_ns = INT64_MIN;
        need->lane = PITHI_NO_LANE;
        if (coll && coll->kind && need->of == PITHI_NEED_ALL) {
            need->release_ns = coll->last_ns;
            need->lane = coll->last_lane;
        } else if (coll && need->of == PITHI_NEED_ROOT) {
            need->release_ns = coll->root_ns;
            need->lane = coll->root_lane;
        } else if (coll && coll->positions && need->position > 0) {
            need->release_ns = pithi_graph_position(g, coll, need->position - 1)->begin_ns;
            need->lane = pithi_graph_position(g, coll, need->position - 1)->lane;
        }
    }
}

static int infer_need(void *building, uint32_t lane, uint32_t piece, const struct pithi_need *need)
{
    struct building *b = building;

    add_need(b, lane, piece, *need);
    return !b->is_full;
}

static void set_window(struct pithi_graph *g, const struct building *b, int64_t from_ns, int64_t to_ns)
{
    const struct pithi_graph_coll *finalize = pithi_graph_coll(g, g->colls.count - 1);

    g->has_init = from_ns == INT64_MIN && b->init_ns > INT64_MIN;
    g->has_finalize = to_ns == INT64_MAX && finalize->last_ns >= b->init_ns && finalize->members > 0;
    g->from_ns = g->has_init ? b->init_ns : from_ns > b->start_ns ? from_ns : b->start_ns;
    g->to_ns = g->has_finalize ? finalize->last_ns : to_ns < b->end_ns ? to_ns : b->end_ns;
    g->to_ns = g->to_ns < g->from_ns ? g->from_ns : g->to_ns;
}

int pithi_graph_build(struct pithi_graph *g, struct pithlog *log, int64_t from_ns, int64_t to_ns, int is_part,
                      unsigned threads, int (*progress)(void *context, double part), void *context)
{
    struct building b = {
        .graph = g, .first_init_ns = INT64_MAX, .init_ns = INT64_MIN, .from_ns = from_ns, .to_ns = to_ns};
    struct pithlog_waits_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct pithi_waits_client client = {.need = need_message, .matched = &g->matched, .context = &b};
    struct pithlog_query records;
    int damaged = PITH_OK, err;

    *g = (struct pithi_graph){.log = log, .scratch = pithi_scratch_of_lanes(pithlog_get_info(log)->lanes)};
    g->rest_scratch = pithi_scratch_beside(&g->scratch);
    b.start_ns = pithlog_get_info(log)->start_ns;
    b.end_ns = pithlog_get_info(log)->end_ns;
    pithi_part_ns(log, &b.start_ns, &b.end_ns);
    TRY(pithi_waits_open(log, &query, &client, &records, &b.waits));
    TRY(pithi_colls_open(log, 1, &b.colls));
    TRY(pithi_epochs_open(log, &b.epochs));
    TRY(prepare(&b));
    records.kinds |= 1u << PITHLOG_COLL | (b.epochs || pithi_colls_have_events(b.colls) ? 1u << PITHLOG_EVENT : 0);
    records.from_ns = is_part ? from_ns : INT64_MIN;
    records.to_ns = is_part ? to_ns : INT64_MAX;
    records.flags |= is_part ? PITHLOG_CLIP : 0;
    /* take_record also needs a LEAVE whose ENTER is not in the log. */
    b.kinds = records.kinds |= 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    struct pithi_reading reading = {
        .take = take_step, .context = &b, .progress = progress, .progress_context = context, .threads = threads};
    if (!b.epochs && !pithi_colls_need_order(b.colls)) /* epochs need the records of all ranks in order of time */
        reading.interval_ends = interval_ends;
    damaged = pithi_read_steps(log, &records, &reading);
    TRY(damaged == PITH_ERR_DAMAGED ? PITH_OK : damaged);
    b.by_intervals = 0;
    TRY(pithi_waits_end(b.waits));
    for (uint32_t i = 0; i < pithlog_get_info(log)->lanes; i++) {
        if (b.lanes[i].part.coll != UINT32_MAX)
            leave_coll(&b, i, &b.lanes[i].part, b.end_ns);
        has_ended(&b, i);
        /* The last piece is empty and ends the lane. */
        struct pithi_lane_piece *end = pithi_chunks_add(&g->lanes[i].pieces, &g->scratch, sizeof *end);
        TRY(end ? PITH_OK : no_memory(g));
        *end = (struct pithi_lane_piece){.begin_ns = b.end_ns, .state = PITHLOG_COMPUTING};
    }
    struct pithi_inferring infer = {.graph = g, .traits = b.traits, .colls = b.colls, .add = infer_need, .context = &b};
    init_together(&b);
    TRY(finalize_together(&b));
    TRY(pithi_infer_polls(&infer) ? PITH_OK : no_memory(g));
    release_needs(g);
    TRY(pithi_infer_needs(&infer) && !b.is_full ? PITH_OK : no_memory(g));
    set_window(g, &b, from_ns, to_ns);
out:
    free(b.coll_steps);
    free(b.lanes);
    free(b.at_init);
    free(b.serves);
    free(b.clocks);
    free(b.near);
    free(b.traits);
    pithi_colls_close(b.colls);
    pithi_epochs_close(b.epochs);
    pithi_waits_close(b.waits);
    return err ? err : damaged;
}

void pithi_graph_free(struct pithi_graph *g)
{
    for (uint32_t i = 0; g->lanes && i < pithlog_get_info(g->log)->lanes; i++) {
        pithi_chunks_free(&g->lanes[i].pieces);
        pithi_chunks_free(&g->lanes[i].members);
        pithi_chunks_free(&g->lanes[i].moved);
    }
    free(g->lanes);
    free(g->is_call);
    pithi_chunks_free(&g->needs);
    pithi_chunks_free(&g->colls);
    pithi_chunks_free(&g->positions);
    pithi_scratch_free(&g->rest_scratch);
    pithi_scratch_free(&g->scratch);
    *g = (struct pithi_graph){0};
}

/* ---- Searching --------------------------------------------------------------------------------------------------- */

/* The functions below find a piece of a lane by time, a call of a rank, and the need that decides when a call can
 * end. */

uint32_t pithi_graph_find(const struct pithi_graph *g, uint32_t lane, int64_t time_ns)
{
    struct pithi_graph_lane *of = &g->lanes[lane];
    uint32_t low = 0, high = of->pieces.count;

    /* Most results are near the last one, so the search begins there, in steps that double. */
    if (pithi_graph_piece(g, lane, of->found)->begin_ns <= time_ns) {
        low = of->found;
        for (uint32_t step = 1; step < high - low; step *= 2) {
            if (pithi_graph_piece(g, lane, low + step)->begin_ns > time_ns) {
                high = low + step;
                break;
            }
            low += step;
        }
    } else {
        high = of->found;
        for (uint32_t step = 1; step < high; step *= 2) {
            if (pithi_graph_piece(g, lane, high - step)->begin_ns <= time_ns) {
                low = high - step;
                break;
            }
            high -= step;
        }
    }
    while (high - low > 1) { /* piece `low` begins at or before time_ns, or is the first */
        uint32_t middle = low + (high - low) / 2;
        if (pithi_graph_piece(g, lane, middle)->begin_ns <= time_ns)
            low = middle;
        else
            high = middle;
    }
    of->found = low;
    return low;
}

static int is_of(const struct pithi_graph *g, const unsigned char *states, uint32_t lane, uint32_t piece)
{
    uint32_t state = pithi_graph_piece(g, lane, piece)->state;
    return state != PITHLOG_COMPUTING && states[state];
}

int pithi_graph_first_call(const struct pithi_graph *g, const unsigned char *states, int32_t number, int64_t since_ns,
                           struct pithi_epoch_call *call)
{
    const struct pithi_log_rank *rank = pithi_log_find_rank(g->log, number);

    *call = (struct pithi_epoch_call){.begin_ns = INT64_MAX};
    for (uint32_t i = 0; rank && i < rank->lane_count; i++) {
        uint32_t lane = rank->first_lane + i, at = pithi_graph_find(g, lane, since_ns);
        if (is_of(g, states, lane, at))
            return 0;
        do
            at++;
        while (at < g->lanes[lane].pieces.count && !is_of(g, states, lane, at));
        if (at < g->lanes[lane].pieces.count && pithi_graph_piece(g, lane, at)->begin_ns < call->begin_ns)
            *call = (struct pithi_epoch_call){pithi_graph_piece(g, lane, at)->begin_ns, lane, at};
    }
    return call->begin_ns < INT64_MAX;
}

const struct pithi_need *pithi_graph_decisive(const struct pithi_graph *g, const struct pithi_lane_piece *call)
{
    const struct pithi_need *best = NULL, *need = pithi_graph_need(g, call->needs);
    int is_first = pithi_graph_is_call(g, call->state) && g->is_call[call->state] == PITHI_CALL_FIRST;

    for (; need; need = pithi_graph_need(g, need->next)) {
        if (need->release_ns == INT64_MIN)
            continue;
        if (!best || (need->release_ns != best->release_ns ? (need->release_ns > best->release_ns) != is_first
                      : need->kind != best->kind           ? need->kind < best->kind
                                                           : need->lane < best->lane))
            best = need;
    }
    return best;
}
