/* communication.c - measures the messages between ranks: their bytes for each pair of ranks, their rate and bandwidth,
 * and the message size from which sends wait for their receiver. It also counts the bytes of collectives. For example:
 *
 *     Communication: 1010 messages, 12 MB, 11.9 kB each
 *       most between two ranks: 0 to 1, 10 MB (83 %); 0 to 2, 2 MB (17 %)
 *       collectives: 96 MB sent by 320 calls
 *         MPI_Alltoall: 80 calls, 96 MB, 24 MB a rank, most from rank 3 (40 %)
 *
 * Messages are those of the dependency graph: both ends are known, and the receive is in the window. A message that
 * MPI_Probe finds is counted where it is received.
 *
 * The speed of a message is known only if both sides become ready inside the call that receives it, and the call does
 * nothing else. Then the transfer lasts from the moment when both are ready to the end of the call:
 *
 *     rank 0   computes 0-50    MPI_Send 50-53     1 MB from 50 to 55 us, 200 GB/s
 *     rank 1   MPI_Recv 10-55
 *
 * Whether sends wait for their receiver shows where the receiver is late. Only receives by MPI_Recv and MPI_Sendrecv
 * count, because these are posted when their call begins. When an MPI_Irecv was posted is not in the graph.
 *
 *     rank 0   MPI_Send 0-100   of 64 kB           it waited: it ended after the receive had begun
 *     rank 1   computes 0-99    MPI_Recv 99-101
 *
 * Overlap is what a rank computes while a receive that it posted is under way. At a lane's first such receive, its time
 * outside MPI is summed up to the begin of each piece. Then each further receive only takes a search for the piece in
 * which it was posted:
 *
 *     MPI_Irecv 0-2   computes 2-62   MPI_Wait 62-100      under way 100, computing 60, waiting 38
 *
 * Sends are counted by size, in eight steps for each power of two. A size is the limit if nearly all sends above it
 * waited, and nearly none below.
 *
 * The bytes of a collective are those that its caller gives: the root of a broadcast sends its data once. How often the
 * library sends them is not in the log. A call has no bytes if it moves none, like a barrier, or if the log does not
 * say: the two look the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/graph/bins.h"
#include "analysis/mpi_calls.h"
#include "analysis/replay/network.h"
#include "analysis/coll_rules.h"

enum {
    LEAST_BYTES = 1000000, /* less is not worth a section */
    LEAST_MESSAGES = 100,  /* fewer have no rate */
    LEAST_CALLS = 3,       /* on each side of a limit */
    LATE_NS = 10000,       /* a late receiver is at least this late, which is longer than a short send takes */
    STEPS = 8,             /* steps of send sizes, for each power of two */
    SIZES = 33,            /* powers of two, and 0 */
    SOME = 3,              /* "receives from many": from at least this number of ranks, */
    MUCH = 2,              /* and at least this many times the mean of all ranks */
    TOP_COLLS = 3,         /* collectives with a line of their own */
    COLL_CALL = 2,         /* a value of is_coll */
    COLUMNS = 79
};
#define NEARLY_ALL                                                                                                     \
    0.9 /* above a limit, at least this fraction of the calls waited; below it, at least this fraction did not */

struct sum {
    int32_t from, to;     /* to: only for a pair */
    uint32_t lane, other; /* lanes of the last message */
    uint64_t messages;    /* number of messages; for collectives: of calls */
    /* `late_bytes`: bytes of messages that were sent before the receiver received its last message from another
     * rank. */
    double bytes, late_bytes;
    uint64_t timed;               /* messages whose speed is known */
    double timed_bytes, timed_ns; /* sums over these messages: sizes, and times of their transfers */
};

struct sums {
    struct pithi_map map; /* (from, to): index + 1 */
    struct sum *all;      /* malloc'ed */
    uint32_t count, room;
};

struct finding_sums {
    struct pithlog_analysis *a;            /* not owned */
    struct sums pairs, senders, receivers; /* by pair of ranks; by sender; by receiver */
    struct sums colls;                     /* from: the state; to: a rank */
    struct pithi_map function_of;          /* state: index + 1 in c->colls */
    uint32_t coll_room;
    unsigned *traits;       /* [definitions] */
    unsigned char *is_coll; /* [definitions]: 0: none; 1: MPI_Bcast_init and the like; COLL_CALL: others */
    unsigned char *finds;   /* [definitions]: 1: finds messages without receiving them */
    struct pithi_send_sizes sizes[SIZES * STEPS]; /* by size: eight for each power of two */
    int with_speed;                               /* 1: speeds are asked for */
    struct pithi_communication *c;                /* the result */
    struct computed *computed;                    /* [room]: the pieces of lane computed_lane, by time */
    uint32_t computed_count, computed_room, computed_lane;
    struct pithi_map overlap_of; /* rank: index + 1 in c->overlaps */
    uint32_t overlap_room;
};

/* A piece of a lane, with the time outside MPI from the begin of the window to the begin of the piece. */
struct computed {
    int64_t begin_ns, ns; /* begin of the piece; time outside MPI before the piece */
    int is_outside;       /* 1: the piece is outside MPI */
};

/* The last message of a lane: its sender, and when it was received; also when the last message of any other sender was
 * received. */
struct before {
    int32_t from; /* rank */
    /* end_ns: end of the last receiving call; other_end_ns: end of the last such call for another sender. */
    int64_t end_ns, other_end_ns;
};

static struct sum *sum_of(struct sums *s, int32_t from, int32_t to, double bytes)
{
    struct sum *sum = pithi_item_at(&s->map, pithi_map_pair((uint32_t)from, (uint32_t)to), &s->all, &s->count, &s->room,
                                    sizeof *sum, NULL);
    if (!sum)
        return NULL;
    sum->from = from;
    sum->to = to;
    sum->bytes += bytes;
    sum->messages++;
    return sum;
}

static int is_message(const struct finding_sums *f, uint32_t state, const struct pithi_need *need)
{
    if (need->of != PITHI_NEED_LANE || need->lane == PITHI_NO_LANE || (state != PITHLOG_COMPUTING && f->finds[state]))
        return 0;
    return need->kind == PITHLOG_LATE_SENDER ||
           (need->kind == PITHLOG_POLLING && need->instance == PITHI_NEED_RECEIVED);
}

/* Adds the speed of a message, if it is the only need of its call and its transfer begins within the call. */
static void add_speed(const struct finding_sums *f, const struct pithi_pieces *p, const struct pithi_need *need,
                      struct sum *pair)
{
    const struct pithi_graph *g = &f->a->graph;
    int64_t begin_ns = p->piece->begin_ns, end_ns = p->next->begin_ns;
    int64_t from_ns = need->release_ns > begin_ns ? need->release_ns : begin_ns;
    uint32_t state = p->piece->state;

    if (need->kind != PITHLOG_LATE_SENDER || need->next || !pithi_graph_is_call(g, state) || p->piece->needs == 0 ||
        pithi_graph_need(g, p->piece->needs) != need || begin_ns < g->from_ns || end_ns > g->to_ns || from_ns >= end_ns)
        return;
    if (need->release_ns < begin_ns &&
        !(f->traits[state] & PITHI_RECEIVES && pithi_network_is_in_call(f->a, p->lane, need, begin_ns)))
        return;
    pair->timed++;
    pair->timed_bytes += need->bytes;
    pair->timed_ns += (double)(end_ns - from_ns);
}

/* If the receive of a message is late, counts the send, and whether it waited for the receive. */
static void add_send(struct finding_sums *f, const struct pithi_pieces *p, const struct pithi_need *need)
{
    const struct pithi_graph *g = &f->a->graph;
    int64_t posted_ns = p->piece->begin_ns;

    if (p->piece->state == PITHLOG_COMPUTING || !(f->traits[p->piece->state] & PITHI_RECEIVES) ||
        need->kind != PITHLOG_LATE_SENDER || need->release_ns > posted_ns - LATE_NS || need->release_ns < g->from_ns ||
        need->position == UINT32_MAX || need->position + 1 >= g->lanes[need->lane].pieces.count)
        return;
    const struct pithi_lane_piece *send = pithi_graph_piece(g, need->lane, need->position);
    if (send->state == PITHLOG_COMPUTING || !(f->traits[send->state] & PITHI_SENDS))
        return;
    unsigned log2 = need->bytes ? pithi_log2(need->bytes) : 0;
    unsigned step = need->bytes ? (unsigned)(((uint64_t)need->bytes << 3 >> log2) & (STEPS - 1)) : 0;
    struct pithi_send_sizes *of = &f->sizes[need->bytes ? (log2 + 1) * STEPS + step : 0];
    of->least = !of->calls || need->bytes < of->least ? need->bytes : of->least;
    of->most = need->bytes > of->most ? need->bytes : of->most;
    of->calls++;
    of->waited += pithi_graph_next(g, need->lane, send, need->position)->begin_ns >= posted_ns;
}

/* Sums what a lane computes inside the window. Returns 0 if there is no memory. */
static int sum_computing(struct finding_sums *f, uint32_t lane)
{
    struct pithi_pieces p;
    int64_t ns = 0;

    f->computed_count = 0;
    f->computed_lane = lane;
    for (pithi_pieces_begin(&p, f->a, lane); p.index < p.end; pithi_pieces_next(&p)) {
        int64_t from_ns, to_ns;
        int is_outside = !pithi_graph_is_call(&f->a->graph, p.piece->state);
        if (!pithi_grow(&f->computed, f->computed_count, &f->computed_room, sizeof *f->computed))
            return 0;
        pithi_pieces_part(f->a, &p, &from_ns, &to_ns);
        f->computed[f->computed_count++] = (struct computed){from_ns, ns, is_outside};
        ns += is_outside && to_ns > from_ns ? to_ns - from_ns : 0;
    }
    return 1;
}

/* Returns how long the lane has computed from the begin of the window to a moment in it. */
static int64_t computed_until(const struct finding_sums *f, int64_t time_ns)
{
    uint32_t first = 0, end = f->computed_count;

    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (f->computed[middle].begin_ns <= time_ns)
            first = middle;
        else
            end = middle;
    }
    const struct computed *at = &f->computed[first];
    return at->ns + (at->is_outside && time_ns > at->begin_ns ? time_ns - at->begin_ns : 0);
}

static int add_overlap(struct finding_sums *f, const struct pithi_pieces *p, const struct pithi_need *need)
{
    struct pithi_communication *c = f->c;
    const struct pithi_graph *g = &f->a->graph;
    int32_t rank = pithlog_get_lane(g->log, p->lane)->rank;
    int64_t posted_ns = need->posted_ns > g->from_ns ? need->posted_ns : g->from_ns, begin_ns, end_ns;

    if (need->posted_ns >= p->piece->begin_ns)
        return 1;
    if (f->computed_lane != p->lane && !sum_computing(f, p->lane))
        return 0;
    pithi_pieces_part(f->a, p, &begin_ns, &end_ns);
    struct pithi_overlap *of = pithi_item_at(&f->overlap_of, (uint32_t)rank, &c->overlaps, &c->overlap_count,
                                             &f->overlap_room, sizeof *of, NULL);
    if (!of)
        return 0;
    of->rank = rank;
    of->messages++;
    of->ns += end_ns - posted_ns;
    of->computing_ns += computed_until(f, begin_ns) - computed_until(f, posted_ns);
    of->waiting_ns += end_ns - begin_ns;
    return 1;
}

static int by_rank(const void *a, const void *b)
{
    int32_t x = ((const struct pithi_overlap *)a)->rank, y = ((const struct pithi_overlap *)b)->rank;
    return (x > y) - (x < y);
}

static void sum_overlaps(struct pithi_communication *c)
{
    if (c->overlap_count)
        qsort(c->overlaps, c->overlap_count, sizeof *c->overlaps, by_rank);
    for (uint32_t i = 0; i < c->overlap_count; i++) {
        c->overlap.messages += c->overlaps[i].messages;
        c->overlap.ns += c->overlaps[i].ns;
        c->overlap.computing_ns += c->overlaps[i].computing_ns;
        c->overlap.waiting_ns += c->overlaps[i].waiting_ns;
    }
}

static int add_message(struct finding_sums *f, const struct pithi_pieces *p, const struct pithi_need *need,
                       struct before *before)
{
    const struct pithlog *log = f->a->graph.log;
    int32_t from = pithlog_get_lane(log, need->lane)->rank, to = pithlog_get_lane(log, p->lane)->rank;
    struct sum *pair = sum_of(&f->pairs, from, to, need->bytes);
    struct sum *receiver = sum_of(&f->receivers, to, 0, need->bytes);

    if (!pair || !receiver || !sum_of(&f->senders, from, 0, need->bytes))
        return 0;
    pair->lane = p->lane;
    pair->other = need->lane;
    f->c->messages++;
    f->c->bytes += need->bytes;
    if (need->release_ns < (from == before->from ? before->other_end_ns : before->end_ns))
        receiver->late_bytes += need->bytes;
    if (from != before->from)
        before->other_end_ns = before->end_ns;
    before->from = from;
    before->end_ns = p->next->begin_ns;
    if (f->with_speed)
        add_speed(f, p, need, pair);
    add_send(f, p, need);
    return add_overlap(f, p, need);
}

/* Adds a collective call. `moved` is NULL if the log does not have its bytes. Returns 0 if there is no memory. */
static int add_coll(struct finding_sums *f, int32_t rank, uint32_t state, const struct pithi_graph_moved *moved)
{
    double sent = moved ? (double)moved->bytes : 0, got = moved ? (double)moved->got_bytes : 0;
    struct pithi_coll_traffic *of =
        pithi_item_at(&f->function_of, state, &f->c->colls, &f->c->coll_count, &f->coll_room, sizeof *of, NULL);
    struct sum *by_rank = of ? sum_of(&f->colls, (int32_t)state, rank, sent) : NULL;

    if (!by_rank)
        return 0;
    of->function = pithlog_get_def(f->a->graph.log, state)->name;
    of->calls++;
    of->without_bytes += sent + got <= 0;
    of->bytes += sent;
    of->got_bytes += got;
    of->ranks += by_rank->messages == 1;
    if (by_rank->bytes > of->sender_bytes || (by_rank->bytes == of->sender_bytes && rank < of->sender)) {
        of->sender_bytes = by_rank->bytes;
        of->sender = rank;
    }
    return 1;
}

/* Adds the collectives of a piece. *at is an index in the lane's list `moved`, and moves on to the first entry of a
 * later piece. Returns 0 if there is no memory. */
static int add_colls(struct finding_sums *f, const struct pithi_pieces *p, uint32_t *at)
{
    struct pithi_chunks *all = &f->a->graph.lanes[p->lane].moved;
    int32_t rank = pithlog_get_lane(f->a->graph.log, p->lane)->rank;
    int is_told = 0;

    for (; *at < all->count; ++*at) {
        const struct pithi_graph_moved *moved = pithi_chunks_at(all, *at, sizeof *moved);
        if (moved->piece > p->index)
            break;
        if (moved->piece < p->index)
            continue;
        is_told = 1;
        if (f->is_coll[moved->state] && !add_coll(f, rank, moved->state, moved))
            return 0;
    }
    return is_told || p->piece->state == PITHLOG_COMPUTING || f->is_coll[p->piece->state] != COLL_CALL ||
           add_coll(f, rank, p->piece->state, NULL);
}

static int by_traffic(const void *x, const void *y)
{
    const struct pithi_coll_traffic *a = x, *b = y;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    if (a->calls != b->calls)
        return a->calls < b->calls ? 1 : -1;
    return strcmp(a->function, b->function);
}

/* Returns 1 if `a` has more bytes, or as many bytes and lower ranks. */
static int is_more(const struct sum *a, const struct sum *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static const struct sum *largest(const struct sums *s)
{
    const struct sum *most = s->all;
    for (uint32_t i = 1; i < s->count; i++)
        if (is_more(&s->all[i], most))
            most = &s->all[i];
    return most;
}

static void find_pairs(const struct finding_sums *f)
{
    struct pithi_communication *c = f->c;
    const struct sum *top[PITHI_TOP_PAIRS + 1];

    for (uint32_t i = 0; i < f->pairs.count; i++) {
        uint32_t at = c->pair_count;
        for (top[at] = &f->pairs.all[i]; at && is_more(top[at], top[at - 1]); at--) {
            const struct sum *less = top[at - 1];
            top[at - 1] = top[at];
            top[at] = less;
        }
        c->pair_count += c->pair_count < PITHI_TOP_PAIRS;
    }
    for (uint32_t i = 0; i < c->pair_count; i++)
        c->pairs[i] = (struct pithi_rank_traffic){top[i]->from, top[i]->to, top[i]->messages, top[i]->bytes};
    if (f->with_speed && top[0]->timed) {
        unsigned class = pithi_host_of(f->a->graph.log, top[0]->lane) == pithi_host_of(f->a->graph.log, top[0]->other)
                             ? PITHI_SAME_HOST
                             : PITHI_OTHER_HOST;
        const struct pithi_network_line *fitted = &f->a->network->classes[class];
        if (!fitted->messages || fitted->byte_ns <= 0)
            return;
        c->timed = top[0]->timed;
        c->bytes_a_second = top[0]->timed_bytes / top[0]->timed_ns * 1e9;
        c->fitted_bytes_a_second = 1e9 / fitted->byte_ns;
        c->fitted_latency_ns = fitted->latency_ns;
    }
}

static void find_ranks(const struct finding_sums *f)
{
    struct pithi_communication *c = f->c;
    const struct sum *most = largest(&f->senders), *receiver = largest(&f->receivers), *busiest = f->senders.all;

    c->senders = f->senders.count;
    c->sender = (struct pithi_rank_traffic){most->from, -1, most->messages, most->bytes};
    for (uint32_t i = 1; i < f->senders.count; i++) {
        const struct sum *sum = &f->senders.all[i];
        if (sum->messages > busiest->messages || (sum->messages == busiest->messages && sum->from < busiest->from))
            busiest = sum;
    }
    c->busiest = (struct pithi_rank_traffic){busiest->from, -1, busiest->messages, busiest->bytes};
    c->receiver = (struct pithi_rank_traffic){-1, receiver->from, receiver->messages, receiver->bytes};
    c->receiver_late_bytes = receiver->late_bytes;
    for (uint32_t i = 0; i < f->pairs.count; i++)
        c->receiver_senders += f->pairs.all[i].to == receiver->from && f->pairs.all[i].from != receiver->from;
}

static void add_sizes(struct pithi_send_sizes *to, const struct pithi_send_sizes *of)
{
    if (!of->calls)
        return;
    to->least = !to->calls || of->least < to->least ? of->least : to->least;
    to->most = of->most > to->most ? of->most : to->most;
    to->calls += of->calls;
    to->waited += of->waited;
}

/* Finds the limit with the fewest calls on the wrong side: sends of larger messages that did not wait, and sends of
 * smaller messages that did. */
static void find_limit(const struct finding_sums *f)
{
    struct pithi_send_sizes above = {0}, below = {0}, none = {0};
    uint64_t wrong, least = UINT64_MAX, waited_below = 0, free_above = 0;
    size_t limit = 0;

    for (size_t i = 0; i < SIZES * STEPS; i++)
        free_above += f->sizes[i].calls - f->sizes[i].waited;
    for (size_t i = 0; i < SIZES * STEPS; i++) { /* tries each limit; sizes[i] is the first size above it */
        wrong = waited_below + free_above;
        if (f->sizes[i].calls && wrong < least) {
            least = wrong;
            limit = i;
        }
        waited_below += f->sizes[i].waited;
        free_above -= f->sizes[i].calls - f->sizes[i].waited;
    }
    for (size_t i = 0; i < SIZES * STEPS; i++)
        add_sizes(i < limit ? &below : &above, &f->sizes[i]);
    int is_clear = above.calls >= LEAST_CALLS && below.calls >= LEAST_CALLS &&
                   (double)above.waited >= NEARLY_ALL * (double)above.calls &&
                   (double)below.waited <= (1 - NEARLY_ALL) * (double)below.calls;
    f->c->waiting_sends = is_clear ? above : none;
    f->c->free_sends = is_clear ? below : none;
}

static int prepare(struct finding_sums *f)
{
    uint32_t defs = pithlog_get_info(f->a->graph.log)->defs;

    f->traits = calloc(defs + (size_t)1, sizeof *f->traits);
    f->finds = calloc(defs + (size_t)1, 1);
    f->is_coll = calloc(defs + (size_t)1, 1);
    if (!f->traits || !f->finds || !f->is_coll)
        return 0;
    for (uint32_t i = 0; i < defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(f->a->graph.log, i);
        size_t length = 0;
        const char *call = pithi_mpi_call(def->name, &length);
        f->traits[i] = pithi_mpi_call_traits(def);
        f->finds[i] = f->traits[i] && call && length >= 5 && strncasecmp(call + length - 5, "probe", 5) == 0;
        struct pithi_coll_rule rule = pithi_coll_rule(def->name);
        if (rule.shape != PITHI_COLL_NONE && (rule.flags & PITHI_COLL_MAY_WAIT) != PITHI_COLL_MAY_WAIT)
            f->is_coll[i] = rule.flags & PITHI_COLL_KEEPS ? 1 : COLL_CALL;
    }
    return 1;
}

int pithi_communication_find(struct pithlog_analysis *a, const struct pithi_trust *trust, struct pithi_communication *c)
{
    const struct pithi_graph *g = &a->graph;
    struct finding_sums f = {.a = a, .c = c, .computed_lane = PITHI_NO_LANE};
    double run_ns = (double)(g->to_ns - g->from_ns);
    int good = prepare(&f);

    *c = (struct pithi_communication){
        .run_ns = run_ns, .ranks = pithlog_get_info(g->log)->ranks, .overlap = {.rank = -1}};
    f.with_speed = trust->replay_ns > 0 && fabs(trust->replay_ns / run_ns - 1) <= PITHI_TRUSTED;
    good = good && (!f.with_speed || pithi_network_of(a));
    /* One walk over the pieces of all lanes adds every message, at its receive, and every collective to the sums by
     * pair, rank and function. The findings are then chosen from these sums. */
    for (uint32_t lane = 0; good && lane < pithlog_get_info(g->log)->lanes; lane++) {
        struct before before = {-1, INT64_MIN, INT64_MIN};
        struct pithi_pieces p;
        uint32_t at = 0;
        for (pithi_pieces_begin(&p, a, lane); good && p.index < p.end; pithi_pieces_next(&p)) {
            for (const struct pithi_need *need = pithi_graph_need(g, p.piece->needs); need && good;
                 need = pithi_graph_need(g, need->next))
                good = !is_message(&f, p.piece->state, need) || add_message(&f, &p, need, &before);
            good = good && add_colls(&f, &p, &at);
        }
    }
    if (good && c->coll_count)
        qsort(c->colls, c->coll_count, sizeof *c->colls, by_traffic);
    if (good && c->messages) {
        find_pairs(&f);
        find_ranks(&f);
        find_limit(&f);
        sum_overlaps(c);
    }
    struct sums *all[] = {&f.pairs, &f.senders, &f.receivers, &f.colls};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pithi_map_free(&all[i]->map);
        free(all[i]->all);
    }
    pithi_map_free(&f.overlap_of);
    pithi_map_free(&f.function_of);
    free(f.computed);
    free(f.traits);
    free(f.finds);
    free(f.is_coll);
    return good ? PITH_OK : pithi_analysis_no_memory(a);
}

void pithi_communication_free(struct pithi_communication *c)
{
    free(c->overlaps);
    free(c->colls);
    c->overlaps = NULL;
    c->colls = NULL;
}

/* ---- The section ------------------------------------------------------------------------------------------------- */

static const char *bytes_text(char text[24], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;

    for (; bytes >= 999.5 && unit < 4; bytes /= 1000)
        unit++;
    snprintf(text, 24, "%.3g %s", bytes, units[unit]);
    return text;
}

/* Writes "8.19 to 16.4 kB", or a single size. */
static const char *range_text(char text[56], const struct pithi_send_sizes *sizes)
{
    char least[24], most[24];

    bytes_text(least, sizes->least);
    bytes_text(most, sizes->most);
    if (strcmp(least, most) == 0)
        snprintf(text, 56, "%s", most);
    else
        snprintf(text, 56, "%s to %s", least, most);
    return text;
}

static const char *rate_text(char text[24], double a_second)
{
    snprintf(text, 24, a_second < 100 ? "%.3g/s" : "%.0f/s", a_second);
    return text;
}

static void put_pairs(const struct pithi_communication *c, FILE *out)
{
    int column = fprintf(out, "  most between two ranks: ");

    for (uint32_t i = 0; i < c->pair_count; i++) {
        char pair[80], text[24];
        int length =
            snprintf(pair, sizeof pair, "%s%d to %d, %s (%.0f %%)", i ? "; " : "", (int)c->pairs[i].from,
                     (int)c->pairs[i].to, bytes_text(text, c->pairs[i].bytes), 100 * c->pairs[i].bytes / c->bytes);
        if (column + length > COLUMNS)
            break;
        column += fprintf(out, "%s", pair);
    }
    fprintf(out, "\n");
}

static void put_overlap(const struct pithi_communication *c, FILE *out)
{
    const struct pithi_overlap *all = &c->overlap, *least = c->overlaps;

    if (all->ns <= 0)
        return;
    for (uint32_t i = 1; i < c->overlap_count; i++)
        if ((double)c->overlaps[i].computing_ns * (double)least->ns <
            (double)least->computing_ns * (double)c->overlaps[i].ns)
            least = &c->overlaps[i];
    fprintf(out, "  overlap: %.0f %% of the time in which receives were under way was computing,\n    %.0f %% waiting",
            100 * (double)all->computing_ns / (double)all->ns, 100 * (double)all->waiting_ns / (double)all->ns);
    if (c->overlap_count > 1 && least->ns > 0)
        fprintf(out, "; least computing on rank %d, %.0f %%", (int)least->rank,
                100 * (double)least->computing_ns / (double)least->ns);
    fprintf(out, "\n");
}

static void put_colls(const struct pithi_communication *c, FILE *out)
{
    unsigned long long calls = 0, without_bytes = 0;
    double bytes = 0;
    char text[56];

    for (uint32_t i = 0; i < c->coll_count; i++) {
        bytes += c->colls[i].bytes;
        calls += c->colls[i].calls;
        without_bytes += c->colls[i].without_bytes;
    }
    if (bytes < LEAST_BYTES)
        return;
    fprintf(out, "  collectives: %s sent by %llu calls", bytes_text(text, bytes), calls - without_bytes);
    if (without_bytes)
        fprintf(out, "; %llu calls without bytes", without_bytes);
    fprintf(out, "\n");
    for (uint32_t i = 0; i < c->coll_count && i < TOP_COLLS && c->colls[i].bytes > 0; i++) {
        const struct pithi_coll_traffic *of = &c->colls[i];
        char sender[64];
        int column = fprintf(out, "    %s: %llu call%s, %s", of->function, (unsigned long long)of->calls,
                             of->calls == 1 ? "" : "s", bytes_text(text, of->bytes));
        column += fprintf(out, ", %s a rank", bytes_text(text, of->bytes / of->ranks));
        int length = snprintf(sender, sizeof sender, "most from rank %d (%.0f %%)", (int)of->sender,
                              100 * of->sender_bytes / of->bytes);
        fprintf(out, "%s%s\n", column + 2 + length > COLUMNS ? ",\n      " : ", ", sender);
    }
}

static void put_messages(const struct pithi_communication *c, FILE *out)
{
    char text[56], other[56];

    put_pairs(c, out);
    fprintf(out, "  most from one rank: %d, %s (%.0f %%)", (int)c->sender.from, bytes_text(text, c->sender.bytes),
            100 * c->sender.bytes / c->bytes);
    if (c->senders > 1)
        fprintf(out, "; mean of %u senders %s", c->senders, bytes_text(text, c->bytes / c->senders));
    fprintf(out, "\n");
    if (c->messages >= LEAST_MESSAGES && c->run_ns > 0)
        fprintf(out, "  messages: %s; most from rank %d, %s\n", rate_text(text, 1e9 * (double)c->messages / c->run_ns),
                (int)c->busiest.from, rate_text(other, 1e9 * (double)c->busiest.messages / c->run_ns));
    if (c->timed) {
        char fitted[80];
        int column =
            fprintf(out, "  bandwidth %d to %d: %s/s in %llu message%s", (int)c->pairs[0].from, (int)c->pairs[0].to,
                    bytes_text(text, c->bytes_a_second), (unsigned long long)c->timed, c->timed == 1 ? "" : "s");
        int length = snprintf(fitted, sizeof fitted, "fitted network %s/s, latency %.3g us",
                              bytes_text(text, c->fitted_bytes_a_second), c->fitted_latency_ns / 1000);
        fprintf(out, "%s%s\n", column + 2 + length > COLUMNS ? ";\n    " : "; ", fitted);
    }
    if (c->waiting_sends.calls)
        fprintf(out,
                "  sends to late receivers: %s waited in %llu of %llu calls,\n"
                "    %s in %llu of %llu\n",
                range_text(text, &c->waiting_sends), (unsigned long long)c->waiting_sends.waited,
                (unsigned long long)c->waiting_sends.calls, range_text(other, &c->free_sends),
                (unsigned long long)c->free_sends.waited, (unsigned long long)c->free_sends.calls);
    put_overlap(c, out);
    if (c->receiver_senders >= SOME && c->receiver.bytes * c->ranks >= MUCH * c->bytes &&
        c->receiver_late_bytes * 2 >= c->receiver.bytes)
        fprintf(out, "  most to one rank: %d, %s (%.0f %%) from %u ranks, often at the same time\n",
                (int)c->receiver.to, bytes_text(text, c->receiver.bytes), 100 * c->receiver.bytes / c->bytes,
                c->receiver_senders);
}

void pithi_communication_put(const struct pithi_communication *c, FILE *out)
{
    double coll_bytes = 0;
    char text[56];

    for (uint32_t i = 0; i < c->coll_count; i++)
        coll_bytes += c->colls[i].bytes;
    if (c->bytes < LEAST_BYTES && coll_bytes < LEAST_BYTES)
        return;
    fprintf(out, "\nCommunication: %llu messages, %s", (unsigned long long)c->messages, bytes_text(text, c->bytes));
    if (c->messages)
        fprintf(out, ", %s each", bytes_text(text, c->bytes / (double)c->messages));
    fprintf(out, "\n");
    if (c->bytes >= LEAST_BYTES)
        put_messages(c, out);
    put_colls(c, out);
}
