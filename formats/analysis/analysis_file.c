/* analysis_file.c - keeps the analysis of a large log in the cache, beside its digest (reader/read/cache.h).
 *
 * The same functions write and read a file; the stream decides which. Most of the data are pieces, needs and wait
 * states. These are stored as differences, in about 5 bytes for each record of the log. Structures with padding between
 * their fields are stored by field. The rest is stored as it is in memory, so a file is valid only for a Pith with the
 * same structures. A file is a row of blocks, each with its CRC.
 *
 *     a piece of state 5 without needs that begins 350 ns after the one before it
 *     is stored in 3 bytes: 2 for the time, 350 << 1 | sign = 700; 1 for the state, (5 + 1) << 1 | has needs = 12
 *
 * VERSION must change whenever an analysis of the same log has another result. Otherwise users would see the old
 * result. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/bytes.h"
#include "base/worker.h"
#include "base/zip.h"
#include "native/log.h"
#include "reader/read/cache.h"

/* VERSION changes with the results of an analysis; KEEP_RECORDS: analyses of logs with fewer records are not kept. */
enum { VERSION = 11, BLOCK = 1 << 16, KEEP_RECORDS = 100000 };
static const char kind[] = "analysis"; /* names the file in the cache */

struct stream {
    /* `fd`: the file in the cache. `is_reading`: 1 if the stream reads, 0 if it writes. `has_failed`: 1 after a call
     * failed; later calls then do nothing. */
    int fd, is_reading, has_failed;
    int (*progress)(void *context, double part); /* NULL: none */
    void *context;
    uint64_t passed;       /* bytes of the file that were read or written */
    uint32_t at, size;     /* `at`: index of the next byte in `block`; `size`: number of bytes that were read into it */
    unsigned char head[8]; /* head of the block: its size and CRC */
    unsigned char block[BLOCK];
};

/* The head of a file: identifies its log and the Pith that wrote it. */
struct head {
    char magic[8];
    /* `sizes`: the sizes of the structs that are stored as they are in memory. `lanes`, `defs`: number of lanes and
     * definitions in the log. */
    uint32_t version, sizes[5], lanes, defs;
    struct pithi_cache_key key;
};

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

/* Returns 1 if all bytes were read or written. */
static int transfer(struct stream *s, void *bytes, size_t size)
{
    ssize_t n = s->is_reading ? read(s->fd, bytes, size) : write(s->fd, bytes, size);

    s->passed += size;
    return n == (ssize_t)size;
}

/* Writes the block, or reads the next one. Fails when the file becomes too large for the cache. */
static void next_block(struct stream *s)
{
    if (s->is_reading) {
        s->has_failed |= !transfer(s, s->head, sizeof s->head) || (s->size = pithi_get32(s->head)) > BLOCK ||
                         !transfer(s, s->block, s->size) || pithi_crc(s->block, s->size) != pithi_get32(s->head + 4);
    } else {
        pithi_put32(s->head, s->at);
        pithi_put32(s->head + 4, pithi_crc(s->block, s->at));
        s->has_failed |=
            s->passed > PITHI_CACHE_BYTES / 2 || !transfer(s, s->head, sizeof s->head) || !transfer(s, s->block, s->at);
    }
    s->at = 0;
}

static void raw(struct stream *s, void *data, size_t size)
{
    for (size_t done = 0; done < size && !s->has_failed;) {
        size_t part = (s->is_reading ? s->size : BLOCK) - s->at;
        if (part == 0) {
            next_block(s);
            continue;
        }
        part = part < size - done ? part : size - done;
        memcpy(s->is_reading ? (unsigned char *)data + done : s->block + s->at,
               s->is_reading ? s->block + s->at : (unsigned char *)data + done, part);
        s->at += (uint32_t)part;
        done += part;
    }
}

/* Does the work of number() when reading, and when writing near the end of a block. */
static uint64_t number_slowly(struct stream *s, uint64_t value)
{
    if (s->has_failed)
        return 0;
    if (!s->is_reading) {
        next_block(s);
        s->at = (uint32_t)(pithi_put_varint(s->block + s->at, value) - s->block);
        return value;
    }
    if (s->at == s->size)
        next_block(s);
    const unsigned char *end = s->has_failed ? NULL : pithi_get_varint(s->block + s->at, s->block + s->size, &value);
    s->has_failed |= end == NULL;
    s->at = end ? (uint32_t)(end - s->block) : 0;
    return end ? value : 0;
}

/* Writes the value and returns it; when reading, returns the value read and ignores `value`. */
static inline uint64_t number(struct stream *s, uint64_t value)
{
    if (s->is_reading || BLOCK - s->at < PITHI_VARINT_MAX)
        return number_slowly(s, value);
    s->at = (uint32_t)(pithi_put_varint(s->block + s->at, value) - s->block);
    return value;
}

/* Writes or reads a number near `to`. The file has only the difference, which takes few bytes. */
static int64_t near(struct stream *s, int64_t value, int64_t to)
{
    int64_t difference = (int64_t)((uint64_t)value - (uint64_t)to);
    return (int64_t)((uint64_t)to + (uint64_t)pithi_unzigzag(number(s, pithi_zigzag(difference))));
}

/* Writes or reads an index or UINT32_MAX. The file has the index + 1, so that both small indices and UINT32_MAX take
 * few bytes. */
static uint32_t index_or_none(struct stream *s, uint32_t value) { return (uint32_t)number(s, value + 1u) - 1u; }

/* Fails unless a value from the file is below the limit. A kept file may be damaged like any other, so each index is
 * checked before it is used. */
static void below(struct stream *s, uint64_t value, uint64_t limit) { s->has_failed |= value >= limit; }

static void below_or_none(struct stream *s, uint32_t value, uint32_t limit)
{
    s->has_failed |= value >= limit && value != UINT32_MAX;
}

/* When reading, allocates an array; when writing, does nothing. */
static void room(struct stream *s, void *items, size_t count, size_t size)
{
    void **at = items;

    if (s->is_reading && !s->has_failed)
        s->has_failed |= !(*at = calloc(count + 1, size));
}

static void array(struct stream *s, void *items, size_t count, size_t size)
{
    void **at = items;

    room(s, items, count, size);
    if (!s->has_failed)
        raw(s, *at, count * size);
}

static void chunks(struct stream *s, struct pithi_graph *g, struct pithi_chunks *items, uint32_t count, size_t size)
{
    for (uint32_t i = 0; i < count && !s->has_failed; i++) {
        void *item = s->is_reading ? pithi_chunks_add(items, &g->rest_scratch, size) : pithi_chunks_at(items, i, size);
        pithi_scratch_passed(&g->scratch, size);
        s->has_failed |= !item;
        if (item)
            raw(s, item, size);
    }
}

/* ---- The graph --------------------------------------------------------------------------------------------------- */

/* Writes or reads the needs of a piece, in the order of their list. `first`: 1 + the index of the first need.
 *
 * One function writes and reads, so that writer and reader cannot disagree on the order of fields. number() writes its
 * argument, or returns what it reads. Only when reading, its results are stored in the graph. */
static void pass_needs(struct stream *s, struct pithi_graph *g, uint32_t *first, int64_t begin_ns)
{
    struct pithi_need *need = s->is_reading ? NULL : pithi_graph_need(g, *first), copy;
    uint64_t said;

    for (uint32_t *link = first;
         (said = number(s, need ? (uint64_t)need->kind << 3 | need->of : 0)) != 0 && !s->has_failed;) {
        if (s->is_reading) {
            if (!(need = pithi_chunks_add(&g->needs, &g->rest_scratch, sizeof *need))) {
                s->has_failed = 1;
                return;
            }
            *link = g->needs.count;
            link = &need->next;
            need->kind = (uint16_t)(said >> 3);
            need->of = said & 7;
            below(s, (said >> 3) - 1, PITHLOG_WAIT_KINDS - 1);
        }
        pithi_scratch_passed(&g->scratch, sizeof *need);
        copy = *need;
        copy.release_ns = near(s, copy.release_ns, begin_ns);
        copy.lane = index_or_none(s, copy.lane);
        copy.position = index_or_none(s, copy.position);
        copy.bytes = (uint32_t)number(s, copy.bytes);
        if (copy.kind == PITHLOG_LATE_SENDER || copy.kind == PITHLOG_POLLING)
            copy.posted_ns = near(s, copy.posted_ns, begin_ns);
        below_or_none(s, copy.lane, pithlog_get_info(g->log)->lanes);
        copy.instance = (uint32_t)number(s, copy.instance);
        below(s, copy.instance, copy.of == PITHI_NEED_LANE ? PITHI_NEED_RECEIVED + 1 : g->colls.count);
        if (s->is_reading)
            *need = copy;
        need = s->is_reading ? NULL : pithi_graph_need(g, copy.next);
    }
}

/* Writes or reads the pieces of a lane. When writing, stores nothing in the pieces, because the pieces lie in a mapped
 * temporary file, where the first store into a page costs a page fault. */
static void pass_pieces(struct stream *s, struct pithi_graph *g, struct pithi_chunks *pieces, uint32_t count)
{
    struct pithi_lane_piece *piece = NULL, copy;
    int64_t before_ns = 0;

    for (uint32_t i = 0; i < count && !s->has_failed; i++) {
        piece = s->is_reading ? pithi_chunks_add(pieces, &g->scratch, sizeof *piece)
                : i > 0       ? pithi_chunks_next(pieces, piece, i - 1, sizeof *piece)
                              : pithi_chunks_at(pieces, i, sizeof *piece);
        pithi_scratch_passed(&g->scratch, sizeof *piece);
        if (!piece) {
            s->has_failed = 1;
            return;
        }
        copy = *piece;
        before_ns = copy.begin_ns = near(s, copy.begin_ns, before_ns);
        uint64_t said = number(s, (uint64_t)(copy.state + 1u) << 1 | (copy.needs != 0)); /* no state: 0 */
        copy.state = (uint32_t)(said >> 1) - 1u;
        below_or_none(s, copy.state, pithlog_get_info(g->log)->defs);
        if (said & 1)
            pass_needs(s, g, &copy.needs, copy.begin_ns);
        if (s->is_reading)
            *piece = copy;
    }
}

static void pass_moved(struct stream *s, struct pithi_graph *g, struct pithi_chunks *all, uint32_t count,
                       uint32_t pieces)
{
    struct pithi_graph_moved copy = {0};
    uint32_t before = 0;

    for (uint32_t i = 0; i < count && !s->has_failed; i++) {
        struct pithi_graph_moved *moved = s->is_reading ? pithi_chunks_add(all, &g->rest_scratch, sizeof *moved)
                                                        : pithi_chunks_at(all, i, sizeof *moved);
        pithi_scratch_passed(&g->scratch, sizeof *moved);
        s->has_failed |= !moved;
        if (!moved)
            return;
        copy = *moved;
        before = copy.piece = before + (uint32_t)number(s, copy.piece - before);
        copy.state = (uint32_t)number(s, copy.state);
        copy.bytes = number(s, copy.bytes);
        copy.got_bytes = number(s, copy.got_bytes);
        below(s, copy.piece, pieces);
        below(s, copy.state, pithlog_get_info(g->log)->defs);
        if (s->is_reading)
            *moved = copy;
    }
}

/* Returns `items` without its address, as it is written. So the same analysis always gives the same bytes. */
static struct pithi_chunks without_address(struct pithi_chunks items)
{
    items.chunks = NULL;
    return items;
}

static void pass_graph_lane(struct stream *s, struct pithi_graph *g, uint32_t index)
{
    struct pithi_graph_lane *lane = &g->lanes[index], copy = *lane;

    s->has_failed |= s->progress && s->progress(s->context, index / (double)pithlog_get_info(g->log)->lanes);
    copy.pieces = without_address(copy.pieces);
    copy.members = without_address(copy.members);
    copy.moved = without_address(copy.moved);
    raw(s, &copy, sizeof copy);
    if (s->has_failed)
        return;
    if (s->is_reading) {
        *lane = copy;
        lane->pieces = lane->members = lane->moved = (struct pithi_chunks){0};
    }
    below(s, lane->found, copy.pieces.count);
    pass_pieces(s, g, &lane->pieces, copy.pieces.count);
    chunks(s, g, &lane->members, copy.members.count, sizeof(struct pithi_graph_member));
    pass_moved(s, g, &lane->moved, copy.moved.count, copy.pieces.count);
}

static void pass_positions(struct stream *s, struct pithi_graph *g, uint32_t count)
{
    int64_t before_ns = 0;

    for (uint32_t i = 0; i < count && !s->has_failed; i++) {
        struct pithi_graph_position *position =
            s->is_reading ? pithi_chunks_add(&g->positions, &g->rest_scratch, sizeof *position)
                          : pithi_chunks_at(&g->positions, i, sizeof *position);
        pithi_scratch_passed(&g->scratch, sizeof *position);
        s->has_failed |= !position;
        if (!position)
            return;
        before_ns = position->begin_ns = near(s, position->begin_ns, before_ns);
        position->lane = index_or_none(s, position->lane);
    }
}

static void pass_graph(struct stream *s, struct pithi_graph *g)
{
    const struct pithlog_info *info = pithlog_get_info(g->log);
    struct pithi_graph copy = *g;

    copy.log = NULL;
    copy.is_call = NULL;
    copy.lanes = NULL;
    copy.needs = without_address(copy.needs);
    copy.colls = without_address(copy.colls);
    copy.positions = without_address(copy.positions);
    copy.scratch = copy.rest_scratch = (struct pithi_scratch){0};
    raw(s, &copy, sizeof copy);
    if (s->has_failed)
        return;
    if (s->is_reading) {
        struct pithlog *log = g->log;
        *g = copy;
        g->log = log;
        g->is_call = NULL;
        g->lanes = NULL;
        g->needs = g->colls = g->positions = (struct pithi_chunks){0};
        g->scratch = pithi_scratch_of_lanes(info->lanes);
        g->rest_scratch = pithi_scratch_beside(&g->scratch);
    }
    array(s, &g->is_call, info->defs, 1);
    chunks(s, g, &g->colls, copy.colls.count, sizeof(struct pithi_graph_coll));
    pass_positions(s, g, copy.positions.count);
    if (s->is_reading)
        s->has_failed |= !(g->lanes = calloc(info->lanes + (size_t)1, sizeof *g->lanes));
    for (uint32_t i = 0; i < info->lanes && !s->has_failed; i++)
        pass_graph_lane(s, g, i);
}

/* ---- The results ------------------------------------------------------------------------------------------------- */

static void pass_wait(struct stream *s, const struct pithlog_info *info, struct pithlog_wait_state *wait, uint32_t lane,
                      int64_t before_ns)
{
    wait->lane = lane;
    wait->from_ns = near(s, wait->from_ns, before_ns);
    wait->to_ns = near(s, wait->to_ns, wait->from_ns);
    wait->release_ns = near(s, wait->release_ns, wait->to_ns);
    uint64_t said = number(s, wait->kind << 3 | wait->order << 1 | (wait->handed_ns != 0));
    wait->kind = (uint32_t)(said >> 3);
    wait->order = said >> 1 & 3;
    wait->state = (uint32_t)number(s, wait->state);
    wait->cause_lane = (uint32_t)number(s, wait->cause_lane);
    if (said & 1)
        raw(s, &wait->handed_ns, sizeof wait->handed_ns);
    below(s, wait->kind, PITHLOG_WAIT_KINDS);
    below(s, wait->state, info->defs);
    below(s, wait->cause_lane, info->lanes);
}

static void pass_lane(struct stream *s, struct pithlog_analysis *a, uint32_t index)
{
    struct pithi_analysis_lane *lane = &a->lanes[index], copy = *lane;
    int64_t before_ns = 0;

    if (!s->is_reading)
        s->has_failed |= s->progress(s->context, index / (double)pithlog_get_info(a->graph.log)->lanes);
    copy.waits = NULL;
    raw(s, &copy, sizeof copy);
    if (s->is_reading && !s->has_failed) {
        *lane = copy;
        lane->waits = pithi_scratch_get(&a->graph.scratch, (lane->wait_count + 1) * sizeof *lane->waits);
        s->has_failed |= !lane->waits;
        below(s, lane->last, a->graph.lanes[index].pieces.count);
        below(s, lane->first, lane->last + UINT64_C(1));
    }
    for (size_t i = 0; !s->has_failed && i < lane->wait_count; i++) {
        pithi_scratch_passed(&a->graph.scratch, sizeof *lane->waits);
        pass_wait(s, pithlog_get_info(a->graph.log), &lane->waits[i], index, before_ns);
        before_ns = lane->waits[i].to_ns;
    }
}

static void pass_delays(struct stream *s, struct pithlog_analysis *a)
{
    a->delay_count = number(s, a->delay_count);
    room(s, &a->delays, a->delay_count, sizeof *a->delays);
    for (size_t i = 0; i < a->delay_count && !s->has_failed; i++) {
        struct pithlog_delay *delay = &a->delays[i];
        delay->lane = (uint32_t)number(s, delay->lane);
        delay->state = index_or_none(s, delay->state);
        delay->kind = (uint32_t)number(s, delay->kind);
        raw(s, &delay->direct_ns, sizeof delay->direct_ns);
        raw(s, &delay->indirect_ns, sizeof delay->indirect_ns);
    }
}

static void pass_path(struct stream *s, struct pithlog_analysis *a)
{
    int64_t before_ns = 0;

    a->path_count = number(s, a->path_count);
    room(s, &a->path, a->path_count, sizeof *a->path);
    for (size_t i = 0; i < a->path_count && !s->has_failed; i++) {
        struct pithlog_path_part *part = &a->path[i];
        part->lane = (uint32_t)number(s, part->lane);
        part->from_ns = near(s, part->from_ns, before_ns);
        before_ns = part->to_ns = near(s, part->to_ns, part->from_ns);
    }
}

static void pass_results(struct stream *s, struct pithlog_analysis *a)
{
    struct pithi_lane_sums *states = &a->states;
    uint32_t lanes = pithlog_get_info(a->graph.log)->lanes;

    raw(s, &a->info, sizeof a->info);
    if (s->is_reading)
        s->has_failed |= !(a->lanes = calloc(lanes + (size_t)1, sizeof *a->lanes));
    for (uint32_t i = 0; i < lanes && !s->has_failed; i++)
        pass_lane(s, a, i);
    pass_delays(s, a);
    pass_path(s, a);
    a->share_count = number(s, a->share_count);
    array(s, &a->shares, a->share_count, sizeof *a->shares);
    states->room = states->count = (uint32_t)number(s, states->count);
    array(s, &states->cells, states->count, sizeof *states->cells);
    for (uint32_t i = 0; s->is_reading && !s->has_failed && i < states->count; i++)
        s->has_failed |=
            !pithi_map_put(&states->map, pithi_map_pair(states->cells[i].lane, states->cells[i].state), i + 1);
}

/* ---- Finding a kept analysis ------------------------------------------------------------------------------------- */

/* Writes or reads the head. Returns 1 if this Pith wrote the file, for this log. */
static int pass_head(struct stream *s, struct pithlog *log, const struct pithi_cache_key *key)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct head own = {.magic = "PithAna",
                       /* a new kind of wait state makes kept analyses out of date */
                       .version = VERSION << 8 | PITHLOG_WAIT_KINDS,
                       .sizes = {sizeof(struct pithi_graph), sizeof(struct pithi_graph_lane),
                                 sizeof(struct pithlog_analysis_info), sizeof(struct pithlog_delay),
                                 sizeof(struct pithi_graph_coll)},
                       .lanes = info->lanes,
                       .defs = info->defs,
                       .key = *key},
                there = own;

    raw(s, &there, sizeof there);
    return !s->has_failed && memcmp(&there, &own, sizeof own) == 0;
}

/* Returns 1 if the analysis may be kept, that is, if the log is large and the query's window is the default. Then sets
 * *key to the key of the log in the cache. */
static int may_keep(struct pithlog *log, const struct pithlog_analyze_query *query, struct pithi_cache_key *key)
{
    return pithlog_get_info(log)->records >= KEEP_RECORDS && query->from_ns == INT64_MIN && query->to_ns == INT64_MAX &&
           pithi_cache_key(log, key);
}

struct pithlog_analysis *pithi_analysis_find(struct pithlog *log, const struct pithlog_analyze_query *query)
{
    struct pithi_cache_key key;
    struct stream *s = NULL;
    struct pithlog_analysis *a = NULL;
    int fd = may_keep(log, query, &key) ? pithi_cache_find(&key, kind) : -1;

    if (fd >= 0 && (s = calloc(1, sizeof *s)) != NULL && (a = calloc(1, sizeof *a)) != NULL) {
        s->fd = fd;
        s->is_reading = 1;
        s->progress = query->progress;
        s->context = query->context;
        a->graph.log = log;
        if (pass_head(s, log, &key)) {
            pass_graph(s, &a->graph);
            if (!s->has_failed)
                pass_results(s, a);
        } else {
            s->has_failed = 1;
        }
        if (s->has_failed) { /* the file is damaged, another Pith wrote it, or the user stopped the reading */
            pithlog_analysis_free(a);
            a = NULL;
        }
    }
    free(s);
    if (fd >= 0)
        close(fd);
    return a;
}

/* ---- Storing in the cache ---------------------------------------------------------------------------------------- */

/* An analysis that a thread writes into the cache. `graph` is a copy of the graph with lanes of its own, because
 * searches and loops store their position in the lanes, and the caller goes on with its searches. */
struct pithi_keeping {
    struct pithi_cache_part part; /* the file that is being written */
    struct pithi_cache_key key;
    struct pithi_graph graph;
    struct pithi_worker worker; /* writes the file while the analysis goes on */
    struct stream stream;       /* writes into `part` */
};

static int is_stopped(void *context, double part)
{
    (void)part;
    return pithi_worker_is_stopped(&((struct pithi_keeping *)context)->worker);
}

static void *keep_graph(void *context)
{
    struct pithi_keeping *k = context;

    pass_head(&k->stream, k->graph.log, &k->key);
    pass_graph(&k->stream, &k->graph);
    return NULL;
}

struct pithi_keeping *pithi_analysis_keep_graph(const struct pithlog_analysis *a,
                                                const struct pithlog_analyze_query *query)
{
    size_t lanes_bytes = pithlog_get_info(a->graph.log)->lanes * sizeof *a->graph.lanes;
    struct pithi_cache_key key;
    struct pithi_keeping *k = may_keep(a->graph.log, query, &key) ? calloc(1, sizeof *k) : NULL;
    struct pithi_graph_lane *lanes = k ? malloc(lanes_bytes + 1) : NULL;

    if (!lanes || !pithi_cache_begin(&k->part, &key, kind)) {
        free(lanes);
        free(k);
        return NULL;
    }
    k->key = key;
    k->graph = a->graph;
    k->graph.lanes = memcpy(lanes, a->graph.lanes, lanes_bytes);
    k->graph.scratch = pithi_scratch_beside(&a->graph.scratch);
    k->stream.fd = k->part.fd;
    k->stream.has_failed = !k->part.name[0]; /* the cache has no folder */
    k->stream.progress = is_stopped;
    k->stream.context = k;
    if (!pithi_worker_start(&k->worker, keep_graph, k))
        keep_graph(k);
    return k;
}

static int should_stop(void *stage) { return pithi_stage_part(stage, 0); }

void pithi_analysis_keep_results(struct pithi_keeping *k, struct pithlog_analysis *a, int is_good)
{
    if (!k)
        return;
    if (!is_good)
        pithi_worker_stop(&k->worker);
    pithi_worker_join(&k->worker, should_stop, &a->stage); /* a disk can be slow, so the user may stop the wait */
    free(k->graph.lanes);
    pithi_scratch_free(&k->graph.scratch);
    k->stream.has_failed |= !is_good;
    k->stream.progress = pithi_stage_part;
    k->stream.context = &a->stage;
    if (!k->stream.has_failed)
        pass_results(&k->stream, a);
    next_block(&k->stream);
    pithi_cache_end(&k->part, !k->stream.has_failed);
    close(k->part.fd);
    free(k);
}
