/* runs.c - delivers records in time order over very many lanes, in memory that does not grow with the number of lanes.
 * An iterator (iter.c) merges 256 lanes at a time into a run, which is a part of a temporary file; then the runs are
 * merged. So each block is unpacked once. If instead only a piece of a block were kept in memory for each of 100,000
 * lanes, each block would have to be unpacked many times. (Knuth, The Art of Computer Programming 3, 5.4: external
 * sorting.)
 *
 *     100,000 lanes:  391 runs of 256 lanes (the last of 160), each in time order
 *                     the merge has 391 players, and 8 MB of buffers: 21,454 bytes for each run
 *
 * To bound the size of the file, a query with many records is handled in slabs. A slab is an interval of the log with
 * about 16 million records. This number is estimated as if records were spread evenly over the log's time and lanes; if
 * a slab turns out to have too many records, its length is halved.
 *
 * If the caller takes records interval by interval (pithi_iter_by_intervals), several threads make the runs of a slab.
 * Each run then has fewer lanes, so that all threads together need as much memory as one thread alone would. If a
 * thread meets an error or a hole, a single thread makes the slab again, and reports the error or hole.
 *
 * Holes must be reported to the caller at their place between the records. So a run also has marks for holes: packed
 * records that only say that records of their lane are missing from here on. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_at.h"
#include "base/parts.h"
#include "base/temporary.h"
#include "base/tournament.h"
#include "native/log.h"
#include "pithlog.h"
#include "reader/read/iter.h"
#include "reader/read/match.h"

/* ---- Packed records ---------------------------------------------------------------------------------------------- */

/* A packed record has a byte with kind and mark, a mask of the fields that do not have their usual values, the
 * differences of time and lane to the record before, and the masked fields as varints. For example, the ENTER of state
 * 5, 10 ns after the record before it and in the same lane, takes 6 bytes instead of 120:
 *
 *     01    01 00    14      00      05          (hexadecimal)
 *     kind  mask:    zigzag  zigzag  id
 *           ID only  of 10   of 0
 */

/* The most bytes that a packed record has without its payload. */
enum { PACKED_MAX = 128 };

/* The record before, to which differences are taken. All zero before the first record. */
struct packing {
    int64_t time_ns; /* time of the record before */
    uint32_t lane;
};

enum { ID, COMM, PEER, TAG, BYTES, GOT, POSTED, VALUE, PAYLOAD, DEPTH, START, NESTED, FIELDS };

/* Packs a record, without its payload, to `p`, with a `mark` below 16 of the caller's choice. Returns the place after
 * the record, where the caller appends the payload. */
static unsigned char *pack(struct packing *before, const struct pithlog_record *r, unsigned mark, unsigned char *p)
{
    uint64_t field[FIELDS];
    uint32_t mask = 0;
    unsigned char *mask_at = p + 1;
    *p = (unsigned char)(r->kind | mark << 4);
    p = pithi_put_varint(p + 3, pithi_zigzag((int64_t)((uint64_t)r->time_ns - (uint64_t)before->time_ns)));
    p = pithi_put_varint(p, pithi_zigzag((int64_t)r->lane - (int64_t)before->lane));
    field[ID] = r->id;
    field[COMM] = r->comm;
    field[PEER] = pithi_zigzag((int64_t)r->peer + 1);
    field[TAG] = pithi_zigzag(r->tag);
    field[BYTES] = r->bytes;
    field[GOT] = r->got_bytes;
    field[POSTED] = r->posted;
    memcpy(&field[VALUE], &r->value, sizeof r->value);
    field[PAYLOAD] = r->payload_bytes;
    field[DEPTH] = r->depth;
    field[START] = r->start_ns ? pithi_zigzag((int64_t)((uint64_t)r->time_ns - (uint64_t)r->start_ns)) + 1 : 0;
    field[NESTED] = pithi_zigzag(r->nested_ns);
    for (unsigned i = 0; i < FIELDS; i++) /* a mask first, as most fields of most records are 0 */
        mask |= (uint32_t)(field[i] != 0) << i;
    pithi_put16(mask_at, (uint16_t)mask);
    for (; mask; mask &= mask - 1)
        p = pithi_put_varint(p, field[__builtin_ctz(mask)]);
    *before = (struct packing){r->time_ns, r->lane};
    return p;
}

/* Unpacks a record and its payload. Returns the place after both; NULL if they do not end before `end` (nothing is
 * changed then). */
static const unsigned char *unpack(struct packing *before, const unsigned char *p, const unsigned char *end,
                                   struct pithlog_record *r, unsigned *mark)
{
    uint64_t time, lane, field[FIELDS] = {0};
    if (end - p < 3)
        return NULL;
    unsigned kind = *p, mask = pithi_get16(p + 1);
    if (!(p = pithi_get_varint(p + 3, end, &time)) || !(p = pithi_get_varint(p, end, &lane)))
        return NULL;
    for (; mask; mask &= mask - 1)
        if (!(p = pithi_get_varint(p, end, &field[__builtin_ctz(mask) % FIELDS])))
            return NULL;
    if (field[PAYLOAD] > (uint64_t)(end - p))
        return NULL;
    r->kind = kind & 15;
    *mark = kind >> 4;
    r->time_ns = (int64_t)((uint64_t)before->time_ns + (uint64_t)pithi_unzigzag(time));
    r->lane = (uint32_t)((int64_t)before->lane + pithi_unzigzag(lane));
    r->id = (uint32_t)field[ID];
    r->comm = (uint32_t)field[COMM];
    r->peer = (int32_t)(pithi_unzigzag(field[PEER]) - 1);
    r->tag = (int32_t)pithi_unzigzag(field[TAG]);
    r->bytes = field[BYTES];
    r->got_bytes = field[GOT];
    r->posted = field[POSTED];
    memcpy(&r->value, &field[VALUE], sizeof r->value);
    r->payload_bytes = (uint32_t)field[PAYLOAD];
    r->depth = (uint32_t)field[DEPTH];
    r->start_ns = field[START] ? (int64_t)((uint64_t)r->time_ns - (uint64_t)pithi_unzigzag(field[START] - 1)) : 0;
    r->nested_ns = pithi_unzigzag(field[NESTED]);
    r->payload = r->payload_bytes ? p : NULL;
    *before = (struct packing){r->time_ns, r->lane};
    return p + r->payload_bytes;
}

enum {
    AT_ONCE = 256,           /* records read at once */
    OUT_BYTES = 1 << 20,     /* bytes written at once */
    BUFFERS_BYTES = 8 << 20, /* bytes of all buffers of a merge */
    BUFFER_LEAST = 4096,     /* least bytes of a buffer */
    BUFFER_MOST = 65536      /* most bytes of a buffer */
};
#define FILE_MOST (UINT64_C(1) << 30) /* most bytes of the file; a slab with more is halved */

/* Marks of packed records. HOLE: it only says that records of its lane are missing from here on. */
enum { RECORD, HOLE };

struct run {
    struct pithi_player player;   /* with the key of the current record */
    uint32_t first_lane, lanes;   /* the run's lanes, in the list of the query */
    uint64_t at, end;             /* interval of the file that is still to be read */
    unsigned char *buffer;        /* a piece of the run, read from the file */
    size_t room, have, used;      /* of `buffer`: its size, bytes in it, bytes of these that are used up */
    int fd;                       /* file of the maker that made the run */
    struct packing packing;       /* fields of the record before */
    struct pithlog_record record; /* the current record */
    unsigned mark;                /* mark of `record` */
};

/* Makes runs one after another, in a file. */
struct maker {
    struct pithi_runs *of;
    struct pithlog_iter *sub; /* iterator of the run being made */
    uint32_t run;             /* index of this run */
    struct pithi_buffer out;  /* packed records, before they are written */
    struct packing packing;
    int fd, has_file; /* unnamed temporary file; 1: the maker has one */
    uint64_t written; /* bytes of the file so far */
    /* has_hole is 1 if a hole was met in this slab; is_full is 1 if a hole could not be stored. */
    int has_hole, is_full;
    char apart[64]; /* no cache line has fields of two threads, which change with each record */
};

struct pithi_runs {
    struct pithlog *log;        /* not owned */
    struct pithlog_query query; /* owns a copy of its lanes */
    uint32_t *lanes;
    int64_t first_ns, last_ns; /* all wanted records lie between these times */
    uint64_t length_ns;        /* length of a slab */
    int64_t from_ns, to_ns;    /* the current slab */
    unsigned threads;          /* threads that make runs; 1: the caller's own thread, with makers[0] */
    struct maker makers[PITHI_THREADS_MOST];
    struct run *runs;
    uint32_t run_count, made; /* runs of a slab; how many of them are made so far */
    int cuts_ranks;           /* 1: the lanes of a rank are in several runs */
    uint64_t interval_ns;     /* length of an interval; 0: all records come in time order */
    int64_t interval_end_ns;  /* end of the interval that is delivered */
    uint32_t at_run;          /* index of the run that is delivered */
    struct pithi_loser *tree; /* the tournament of runs; tree[0] has the run with the next record */
    uint32_t leaves;
    int merging;   /* 1: the slab's runs are made, and are being merged */
    int delivered; /* 1: the winner's record was delivered */
    int over;      /* 1: all slabs were delivered */
    struct pithi_holes holes;
    /* If it is 1, holes that end after the window are reported, too. */
    int all_holes;
};

/* ---- Slabs ------------------------------------------------------------------------------------------------------- */

static int is_last(const struct pithi_runs *m) { return m->to_ns == m->query.to_ns; }

/* Begins the next slab, at `from_ns`. None of its runs is made yet. */
static void begin_slab(struct pithi_runs *m, int64_t from_ns)
{
    int64_t begin_ns = from_ns > m->first_ns ? from_ns : m->first_ns;
    m->from_ns = from_ns;
    m->to_ns = m->query.to_ns;
    if (begin_ns < m->last_ns && (uint64_t)m->last_ns - (uint64_t)begin_ns >= m->length_ns)
        m->to_ns = (int64_t)((uint64_t)begin_ns + m->length_ns - 1);
    m->merging = m->delivered = 0;
    m->made = 0;
    for (unsigned i = 0; i < PITHI_THREADS_MOST; i++) {
        m->makers[i].written = 0;
        m->makers[i].out.size = 0;
        m->makers[i].has_hole = 0;
    }
}

/* Divides the lanes into runs of at most `room` lanes, and returns the number of runs. If `runs` is NULL, only counts
 * them. A run has only whole ranks if possible; *cuts_ranks is set to 1 if a rank has more than `room` lanes, so that
 * several runs share it. */
static uint32_t divide_lanes(const struct pithlog *log, const uint32_t *lanes, uint32_t count, uint32_t room,
                             struct run *runs, int *cuts_ranks)
{
    uint32_t made = 0;

    *cuts_ranks = 0;
    for (uint32_t first = 0, end; first < count; first = end, made++) {
        uint32_t most = count - first < room ? count : first + room;
        end = most;
        while (end < count && end > first &&
               pithi_log_rank_of(log, lanes[end]) == pithi_log_rank_of(log, lanes[end - 1]))
            end--;
        *cuts_ranks |= end == first;
        end = end == first ? most : end;
        if (runs) {
            runs[made].first_lane = first;
            runs[made].lanes = end - first;
        }
    }
    return made;
}

static int no_memory(const struct pithi_runs *m)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read %u lanes", m->log->path, m->query.lane_count);
}

/* Divides the lanes into runs of at most `room` lanes. Returns 0, and changes nothing, if there is no memory. */
static int set_runs(struct pithi_runs *m, uint32_t room)
{
    int cuts_ranks;
    uint32_t count = divide_lanes(m->log, m->lanes, m->query.lane_count, room, NULL, &cuts_ranks);
    uint32_t leaves = pithi_tournament_leaves(count);
    struct run *runs = calloc(count, sizeof *runs);
    struct pithi_loser *tree = malloc(leaves * sizeof *tree);

    if (!runs || !tree) {
        free(runs);
        free(tree);
        return 0;
    }
    free(m->runs);
    free(m->tree);
    m->runs = runs;
    m->tree = tree;
    m->leaves = leaves;
    m->run_count = divide_lanes(m->log, m->lanes, m->query.lane_count, room, runs, &m->cuts_ranks);
    return 1;
}

static int has_file(struct maker *maker)
{
    if (!maker->has_file)
        maker->fd = pithi_temporary_file();
    maker->has_file = maker->fd >= 0;
    return maker->has_file;
}

int pithi_runs_new(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records,
                   struct pithi_runs **runs)
{
    struct pithi_runs *m = *runs = calloc(1, sizeof *m);
    if (!m)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read it", log->path);
    m->log = log;
    m->query = *query;
    m->threads = 1;
    for (unsigned i = 0; i < PITHI_THREADS_MOST; i++)
        m->makers[i].of = m;
    m->lanes = malloc(query->lane_count * sizeof *m->lanes);
    if (!m->lanes)
        return no_memory(m);
    memcpy(m->lanes, query->lanes, query->lane_count * sizeof *m->lanes);
    if (!set_runs(m, PITHI_ITER_LANES))
        return no_memory(m);
    if (!has_file(&m->makers[0]))
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", log->path, strerror(errno));
    /* chooses the length of a slab: about slab_records records, if records are spread evenly */
    const struct pithlog_info *info = &m->log->info;
    m->first_ns = m->query.from_ns > info->start_ns ? m->query.from_ns : info->start_ns;
    m->last_ns = m->query.to_ns < info->end_ns ? m->query.to_ns : info->end_ns;
    double all = (double)((uint64_t)info->end_ns - (uint64_t)info->start_ns) + 1;
    double window = m->first_ns <= m->last_ns ? (double)((uint64_t)m->last_ns - (uint64_t)m->first_ns) + 1 : 1;
    double records = (double)info->records * m->query.lane_count / info->lanes * (window / all);
    double slabs = records / (double)slab_records;
    m->length_ns = slabs > 1 ? (uint64_t)(window / slabs) + 1 : UINT64_MAX;
    begin_slab(m, query->from_ns);
    return PITH_OK;
}

void pithi_runs_free(struct pithi_runs *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->runs && i < m->run_count; i++)
        free(m->runs[i].buffer);
    for (unsigned i = 0; i < PITHI_THREADS_MOST; i++) {
        pithlog_iter_close(m->makers[i].sub);
        if (m->makers[i].has_file)
            close(m->makers[i].fd);
        free(m->makers[i].out.data);
    }
    free(m->runs);
    free(m->tree);
    free(m->lanes);
    free(m);
}

void pithi_runs_tell_holes(struct pithi_runs *m, struct pithi_holes holes, int all)
{
    m->holes = holes;
    m->all_holes = all;
}

/* ---- Making runs ------------------------------------------------------------------------------------------------- */

/* Ends the query after an error. */
static int give_up(struct pithi_runs *m)
{
    m->over = 1;
    return -1;
}

static int no_file(const struct pithi_runs *m, const char *done)
{
    return pithi_fail(PITH_ERR_IO, "%s: a temporary file cannot be %s: %s; set TMPDIR", m->log->path, done,
                      strerror(errno));
}

/* A result of the functions below: records or holes could not be stored. The caller then ends the query. */
enum { NOT_STORED = -2 };

static int write_out(struct maker *maker)
{
    if (pithi_write_at(maker->fd, maker->out.data, maker->out.size, maker->written) != maker->out.size)
        return no_file(maker->of, "written"), NOT_STORED;
    maker->written += maker->out.size;
    maker->out.size = 0;
    return 1;
}

static uint64_t place_of(const struct maker *maker) { return maker->written + maker->out.size; }

static int put(struct maker *maker, const struct pithlog_record *r, unsigned mark)
{
    struct pithi_buffer *out = &maker->out;
    if (!pithi_buffer_reserve(out, PACKED_MAX + (size_t)r->payload_bytes)) {
        no_memory(maker->of);
        return NOT_STORED;
    }
    unsigned char *p = pack(&maker->packing, r, mark, out->data + out->size);
    if (r->payload_bytes)
        memcpy(p, r->payload, r->payload_bytes);
    out->size = (size_t)(p + r->payload_bytes - out->data);
    return out->size * maker->of->threads < OUT_BYTES ? 1 : write_out(maker);
}

static void put_hole(void *context, uint32_t lane)
{
    struct maker *maker = context;
    int is_first_record = maker->of->runs[maker->run].at == place_of(maker);
    int64_t time_ns = is_first_record ? INT64_MIN : maker->packing.time_ns;
    maker->has_hole = 1;
    maker->is_full |= put(maker, &(struct pithlog_record){.time_ns = time_ns, .lane = lane}, HOLE) < 0;
}

static int open_sub(struct maker *maker, uint32_t number)
{
    struct pithi_runs *m = maker->of;
    struct run *run = &m->runs[number];
    struct pithlog_query query = m->query;
    query.from_ns = m->from_ns;
    query.to_ns = m->to_ns;
    query.lanes = m->lanes + run->first_lane;
    query.lane_count = run->lanes;
    maker->packing = (struct packing){0, 0};
    maker->run = number;
    run->fd = maker->fd;
    run->at = place_of(maker);
    if (pithlog_iter_open(m->log, &query, &maker->sub) != PITH_OK)
        return -1;
    struct pithi_holes holes = {put_hole, maker};
    if (m->all_holes)
        pithi_iter_tell_all_holes(maker->sub, holes);
    else
        pithi_iter_tell_holes(maker->sub, holes);
    return 1;
}

static void close_sub(struct maker *maker)
{
    pithlog_iter_close(maker->sub);
    maker->sub = NULL;
}

/* Adds more records to the run that is being made. Returns their number; 0 if the run is complete; -1 on an error of
 * the iterator; or NOT_STORED. */
static int make_more(struct maker *maker)
{
    struct pithlog_record records[AT_ONCE];
    int n = pithlog_iter_next_many(maker->sub, records, AT_ONCE);
    for (int i = 0; i < n; i++)
        if (put(maker, &records[i], RECORD) < 0)
            return NOT_STORED;
    if (maker->is_full)
        return NOT_STORED;
    if (n == 0) {
        close_sub(maker);
        maker->of->runs[maker->run].end = place_of(maker);
    }
    return n;
}

/* Makes the remaining runs of the slab. Returns 1; -1 on an error; the next call continues. */
static int make_runs(struct pithi_runs *m)
{
    struct maker *maker = &m->makers[0];
    while (m->made < m->run_count) {
        if (!maker->sub && open_sub(maker, m->made) < 0)
            return give_up(m);
        int n = make_more(maker);
        if (n < 0)
            return n == NOT_STORED ? give_up(m) : -1;
        if (maker->written > FILE_MOST && m->length_ns > 1 && m->to_ns > m->first_ns) {
            uint64_t length_ns = (uint64_t)m->to_ns - (uint64_t)(m->from_ns > m->first_ns ? m->from_ns : m->first_ns);
            m->length_ns = (length_ns < m->length_ns ? length_ns : m->length_ns) / 2 + 1;
            close_sub(maker);
            begin_slab(m, m->from_ns);
        } else if (n == 0) {
            m->made++;
        }
    }
    return write_out(maker) < 0 ? give_up(m) : 1;
}

static int make_run(void *context, unsigned thread, uint32_t part)
{
    struct pithi_runs *m = context;
    struct maker *maker = &m->makers[thread];
    int n = 1;

    if (open_sub(maker, part) < 0)
        return 0;
    while (n > 0 && !maker->has_hole && maker->written < FILE_MOST / m->threads)
        n = make_more(maker);
    return n == 0 && !maker->has_hole;
}

/* Makes all runs of the slab. Returns 1; 0 if a thread met an error or a hole: the slab then begins again, without runs
 * and with one thread. */
static int make_runs_by_threads(struct pithi_runs *m)
{
    struct pithi_parts parts = {.count = m->run_count, .threads = m->threads, .work = make_run, .context = m};
    int good = pithi_parts_do(&parts);

    for (unsigned i = 0; i < m->threads; i++)
        good = good && write_out(&m->makers[i]) > 0;
    m->made = m->run_count;
    if (good)
        return 1;
    for (unsigned i = 0; i < m->threads; i++)
        close_sub(&m->makers[i]);
    m->threads = 1;
    begin_slab(m, m->from_ns);
    return 0;
}

/* ---- Merging runs ------------------------------------------------------------------------------------------------ */

/* Reads more of a run into its buffer. Returns -1 on an error. */
static int refill(struct pithi_runs *m, struct run *run)
{
    memmove(run->buffer, run->buffer + run->used, run->have - run->used);
    run->have -= run->used;
    run->used = 0;
    if (run->have == run->room) { /* a large payload fills the buffer */
        unsigned char *buffer = realloc(run->buffer, run->room * 2);
        if (!buffer) {
            no_memory(m);
            return give_up(m);
        }
        run->buffer = buffer;
        run->room *= 2;
    }
    uint64_t left = run->end - run->at;
    size_t room = run->room - run->have;
    size_t got = pithi_read_at(run->fd, run->buffer + run->have, left < room ? (size_t)left : room, run->at);
    if (got == 0) {
        no_file(m, "read");
        return give_up(m);
    }
    run->have += got;
    run->at += got;
    return 1;
}

/* Goes to the next record of a run. Returns 1 if it did, or if the run is at its end; 0 if its buffer must be filled
 * first. */
static int go_on(struct run *run)
{
    const unsigned char *p =
        unpack(&run->packing, run->buffer + run->used, run->buffer + run->have, &run->record, &run->mark);
    if (!p && run->at < run->end)
        return 0;
    run->used = p ? (size_t)(p - run->buffer) : run->have;
    run->player.key = p ? pithi_key_of(run->record.time_ns) : PITHI_KEY_DONE;
    return 1;
}

static int go_on_surely(struct pithi_runs *m, struct run *run)
{
    while (!go_on(run))
        if (refill(m, run) < 0)
            return -1;
    return 1;
}

static int begin_merging(struct pithi_runs *m)
{
    size_t room = BUFFERS_BYTES / m->run_count;
    room = room > BUFFER_MOST / m->threads ? BUFFER_MOST / m->threads : room;
    room = room < BUFFER_LEAST ? BUFFER_LEAST : room;
    for (uint32_t i = 0; i < m->run_count; i++) {
        struct run *run = &m->runs[i];
        if (!run->buffer && (run->room = room, run->buffer = malloc(room)) == NULL) {
            no_memory(m);
            return give_up(m);
        }
        run->player.leaf = m->leaves + i;
        run->have = run->used = 0;
        run->packing = (struct packing){0, 0};
        if (go_on_surely(m, run) < 0)
            return -1;
    }
    m->tree[0] = pithi_tournament_play(m->tree, m->leaves, 1, m->runs, m->run_count, sizeof *m->runs);
    m->interval_end_ns = INT64_MIN;
    m->at_run = m->run_count;
    m->merging = 1;
    return 1;
}

/* Goes past the record delivered last. Returns 1; 0 if this needs reading and may_read is 0, because reading would
 * invalidate payloads; -1 on an error. */
static int pass(struct pithi_runs *m, int may_read)
{
    struct run *run = (struct run *)m->tree[0].player; /* a run begins with its player */
    if (m->delivered && !go_on(run)) {
        if (!may_read)
            return 0;
        if (go_on_surely(m, run) < 0)
            return -1;
    }
    if (m->delivered)
        m->tree[0] = pithi_tournament_replay(m->tree, &run->player, run->player.key);
    m->delivered = 0;
    return 1;
}

/* Delivers records of the slab. Returns their number; 0 at the end of the slab; -1 on an error. */
static int merge(struct pithi_runs *m, struct pithlog_record *records, uint32_t count)
{
    uint32_t n = 0;
    while (n < count) {
        int status = pass(m, n == 0);
        if (status < 0)
            return -1;
        if (status == 0 || m->tree[0].key == PITHI_KEY_DONE)
            break;
        const struct run *run = (const struct run *)m->tree[0].player;
        if (n > 0 && run->mark == HOLE) /* delivers the records before the hole first */
            break;
        m->delivered = 1;
        if (run->mark != HOLE)
            records[n++] = run->record;
        else if (m->holes.tell)
            m->holes.tell(m->holes.context, run->record.lane);
    }
    return (int)n;
}

/* ---- By intervals ------------------------------------------------------------------------------------------------ */

/* In time order, each record is of another lane. So a reader that keeps data for each lane never finds the data of the
 * next lane in the processor's caches. A reader that does not need this order gets all records of one run in an
 * interval, then those of the next run. */
int pithi_runs_by_intervals(struct pithi_runs *m, uint64_t length_ns, unsigned threads)
{
    int may_not = 0;

    if (m->cuts_ranks)
        return 0;
    threads = threads < PITHI_THREADS_MOST ? threads : PITHI_THREADS_MOST;
    if (threads > 1)
        divide_lanes(m->log, m->lanes, m->query.lane_count, PITHI_ITER_LANES / threads, NULL, &may_not);
    for (unsigned i = 0; i < threads && !may_not; i++)
        may_not = !has_file(&m->makers[i]);
    if (threads > 1 && !may_not && set_runs(m, PITHI_ITER_LANES / threads))
        m->threads = threads;
    m->interval_ns = length_ns;
    return 1;
}

int64_t pithi_interval_end(int64_t time_ns, int64_t start_ns, uint64_t length_ns)
{
    uint64_t passed = ((uint64_t)time_ns - (uint64_t)start_ns) / length_ns,
             most = (uint64_t)INT64_MAX - (uint64_t)start_ns;
    return passed + 1 > most / length_ns ? INT64_MAX : (int64_t)((uint64_t)start_ns + (passed + 1) * length_ns - 1);
}

/* Like `merge`, but delivers the records of the slab interval by interval. */
static int give_intervals(struct pithi_runs *m, struct pithlog_record *records, uint32_t count)
{
    uint32_t n = 0;

    while (n < count) {
        struct run *run = &m->runs[m->at_run];
        if (m->at_run == m->run_count) {
            /* begins the next interval, which is that of the earliest record left */
            uint64_t key = PITHI_KEY_DONE;

            for (uint32_t i = 0; i < m->run_count; i++)
                key = m->runs[i].player.key < key ? m->runs[i].player.key : key;
            if (key == PITHI_KEY_DONE)
                break;
            m->interval_end_ns = pithi_interval_end(pithi_time_of(key), m->log->info.start_ns, m->interval_ns);
            m->at_run = 0;

            continue;
        }
        if (m->delivered && !go_on(run)) {
            if (n > 0) /* returns first, because reading would invalidate payloads */
                break;
            if (go_on_surely(m, run) < 0)
                return -1;
        }
        m->delivered = 0;
        if (run->player.key == PITHI_KEY_DONE || run->record.time_ns > m->interval_end_ns) {
            m->at_run++;
            continue;
        }
        m->delivered = 1;
        records[n++] = run->record;
    }
    return (int)n;
}

int pithi_runs_next(struct pithi_runs *m, struct pithlog_record *records, uint32_t count)
{
    while (!m->over) {
        int is_made = m->merging || (m->threads > 1 && make_runs_by_threads(m));
        if (!m->merging && ((!is_made && make_runs(m) < 0) || begin_merging(m) < 0))
            return -1;
        int n = m->interval_ns ? give_intervals(m, records, count) : merge(m, records, count);
        if (n != 0)
            return n;
        m->over = is_last(m);
        if (!m->over)
            begin_slab(m, m->to_ns + 1);
    }
    return 0;
}
