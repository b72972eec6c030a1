/* runs.c - records in time order over very many lanes, in memory that does not grow with them: 256 lanes at a time are
 * merged by an iterator (iter.c) into a run, a stretch of a temporary file, and the runs are merged from there. So a
 * block is unpacked once, where one piece of a block for each of 100,000 lanes would be made of the whole block again
 * and again.
 *
 * The file is bounded: a query of many records is taken in slabs, stretches of time of some 16 million records, one
 * after another; where records crowd, slabs are halved. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "error.h"
#include "iter.h"
#include "native/bytes.h"
#include "native/log.h"
#include "native/tournament.h"
#include "packed.h"

enum { AT_ONCE = 256, OUT_BYTES = 1 << 20, BUFFERS_BYTES = 16 << 20, BUFFER_LEAST = 4096, BUFFER_MOST = 65536 };
#define FILE_MOST (UINT64_C(1) << 30)

struct run {
    struct pithi_player player; /* its key: of the record it stands at */
    uint64_t at, end;           /* in the file: what is still to be read */
    unsigned char *buffer;
    size_t room, have, used;
    struct pithi_packing packing;
    struct pithlog_record record; /* where it stands */
};

struct pithi_runs {
    struct pithlog *log;
    struct pithlog_query query; /* its lanes are a copy */
    uint32_t *lanes;
    int64_t first_ns, last_ns; /* records lie between these */
    int fd;
    uint64_t length_ns; /* of a slab */
    int64_t from_ns, to_ns;
    struct pithlog_iter *sub; /* of the run being made */
    struct pithi_buffer out;
    struct pithi_packing packing;
    uint64_t written;
    struct run *runs;
    uint32_t run_count, made; /* all; of this slab so far */
    struct pithi_match *tree;
    uint32_t leaves;
    int merging;   /* the slab's runs are made, and being merged */
    int delivered; /* the record of the winner was */
    int over;
};

/* ---- Slabs ------------------------------------------------------------------------------------------------------- */

static int is_first(const struct pithi_runs *m) { return m->from_ns == m->query.from_ns; }
static int is_last(const struct pithi_runs *m) { return m->to_ns == m->query.to_ns; }

/* The next slab begins at `from_ns`: its runs are to be made. */
static void begin_slab(struct pithi_runs *m, int64_t from_ns)
{
    int64_t begin_ns = from_ns > m->first_ns ? from_ns : m->first_ns;
    m->from_ns = from_ns;
    m->to_ns = m->query.to_ns;
    if (begin_ns < m->last_ns && (uint64_t)m->last_ns - (uint64_t)begin_ns >= m->length_ns)
        m->to_ns = (int64_t)((uint64_t)begin_ns + m->length_ns - 1);
    m->merging = m->delivered = 0;
    m->made = 0;
    m->written = 0;
    m->out.size = 0;
}

/* Slabs of so many records, if they lay evenly. */
static void set_length(struct pithi_runs *m, uint64_t slab_records)
{
    const struct pithlog_info *info = &m->log->info;
    m->first_ns = m->query.from_ns > info->start_ns ? m->query.from_ns : info->start_ns;
    m->last_ns = m->query.to_ns < info->end_ns ? m->query.to_ns : info->end_ns;
    double all = (double)((uint64_t)info->end_ns - (uint64_t)info->start_ns) + 1;
    double window = m->first_ns <= m->last_ns ? (double)((uint64_t)m->last_ns - (uint64_t)m->first_ns) + 1 : 1;
    double records = (double)info->records * m->query.lane_count / info->lanes * (window / all);
    double slabs = records / (double)slab_records;
    m->length_ns = slabs > 1 ? (uint64_t)(window / slabs) + 1 : UINT64_MAX;
}

static int no_memory(const struct pithi_runs *m)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read %u lanes", m->log->path, m->query.lane_count);
}

int pithi_runs_new(struct pithlog *log, const struct pithlog_query *query, uint64_t slab_records,
                   struct pithi_runs **runs)
{
    struct pithi_runs *m = *runs = calloc(1, sizeof *m);
    if (!m)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to read it", log->path);
    m->log = log;
    m->query = *query;
    m->query.flags |= query->flags & PITHLOG_CLIP ? PITHLOG_NEST : 0;
    m->fd = pithi_temporary_file();
    m->run_count = (query->lane_count + PITHI_ITER_LANES - 1) / PITHI_ITER_LANES;
    m->leaves = pithi_tournament_leaves(m->run_count);
    m->runs = calloc(m->run_count, sizeof *m->runs);
    m->tree = malloc(m->leaves * sizeof *m->tree);
    m->lanes = malloc(query->lane_count * sizeof *m->lanes);
    if (!m->runs || !m->tree || !m->lanes)
        return no_memory(m);
    memcpy(m->lanes, query->lanes, query->lane_count * sizeof *m->lanes);
    if (m->fd < 0)
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", log->path, strerror(errno));
    set_length(m, slab_records);
    begin_slab(m, query->from_ns);
    return PITH_OK;
}

void pithi_runs_free(struct pithi_runs *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; m->runs && i < m->run_count; i++)
        free(m->runs[i].buffer);
    pithlog_iter_close(m->sub);
    if (m->fd >= 0)
        close(m->fd);
    free(m->out.data);
    free(m->runs);
    free(m->tree);
    free(m->lanes);
    free(m);
}

/* ---- Making runs ------------------------------------------------------------------------------------------------- */

/* Nothing comes after this. */
static int give_up(struct pithi_runs *m)
{
    m->over = 1;
    return -1;
}

static int no_file(struct pithi_runs *m, const char *done)
{
    pithi_fail(PITH_ERR_IO, "%s: a temporary file cannot be %s: %s; set TMPDIR", m->log->path, done, strerror(errno));
    return give_up(m);
}

static int write_out(struct pithi_runs *m)
{
    for (size_t done = 0; done < m->out.size;) {
        ssize_t n = pwrite(m->fd, m->out.data + done, m->out.size - done, (off_t)(m->written + done));
        if (n < 0 && errno != EINTR)
            return no_file(m, "written");
        done += n > 0 ? (size_t)n : 0;
    }
    m->written += m->out.size;
    m->out.size = 0;
    return 1;
}

static int put(struct pithi_runs *m, const struct pithlog_record *r, enum pithi_iter_part part)
{
    if (!pithi_buffer_reserve(&m->out, PITHI_PACKED_MAX + (size_t)r->payload_bytes)) {
        no_memory(m);
        return give_up(m);
    }
    unsigned char *p = pithi_pack(&m->packing, r, part, m->out.data + m->out.size);
    if (r->payload_bytes)
        memcpy(p, r->payload, r->payload_bytes);
    m->out.size = (size_t)(p + r->payload_bytes - m->out.data);
    return m->out.size < OUT_BYTES ? 1 : write_out(m);
}

/* What CLIP adds belongs to the ends of the query, not to those of each slab. */
static int open_sub(struct pithi_runs *m)
{
    struct pithlog_query query = m->query;
    query.from_ns = m->from_ns;
    query.to_ns = m->to_ns;
    query.lanes = m->lanes + (size_t)m->made * PITHI_ITER_LANES;
    query.lane_count = m->query.lane_count - m->made * PITHI_ITER_LANES;
    if (query.lane_count > PITHI_ITER_LANES)
        query.lane_count = PITHI_ITER_LANES;
    if (!is_first(m) && !is_last(m))
        query.flags &= ~(uint32_t)PITHLOG_CLIP;
    m->packing = (struct pithi_packing){0, 0};
    m->runs[m->made].at = m->written + m->out.size;
    return pithlog_iter_open(m->log, &query, &m->sub) == PITH_OK ? 1 : give_up(m);
}

static int put_all(struct pithi_runs *m, const struct pithlog_record *records, int count)
{
    enum pithi_iter_part part = pithi_iter_part(m->sub);
    if ((part == PITHI_PART_BEFORE && !is_first(m)) || (part == PITHI_PART_AFTER && !is_last(m)))
        return 1;
    for (int i = 0; i < count; i++)
        if (put(m, &records[i], part) < 0)
            return -1;
    return 1;
}

/* The runs of the slab, from where making them was left: 1; -1: an error, call again to go on. */
static int make_runs(struct pithi_runs *m)
{
    struct pithlog_record records[AT_ONCE];
    while (m->made < m->run_count) {
        if (!m->sub && open_sub(m) < 0)
            return -1;
        int n = pithlog_iter_next_many(m->sub, records, AT_ONCE);
        if (n < 0 || put_all(m, records, n) < 0)
            return -1;
        if (m->written > FILE_MOST && m->length_ns > 1 && m->to_ns > m->first_ns) {
            uint64_t length_ns = (uint64_t)m->to_ns - (uint64_t)(m->from_ns > m->first_ns ? m->from_ns : m->first_ns);
            m->length_ns = (length_ns < m->length_ns ? length_ns : m->length_ns) / 2 + 1;
            pithlog_iter_close(m->sub);
            m->sub = NULL;
            begin_slab(m, m->from_ns);
        } else if (n == 0) {
            pithlog_iter_close(m->sub);
            m->sub = NULL;
            m->runs[m->made++].end = m->written + m->out.size;
        }
    }
    return write_out(m);
}

/* ---- Merging them ------------------------------------------------------------------------------------------------ */

/* More of the run's bytes into its buffer; -1: an error. */
static int refill(struct pithi_runs *m, struct run *run)
{
    memmove(run->buffer, run->buffer + run->used, run->have - run->used);
    run->have -= run->used;
    run->used = 0;
    if (run->have == run->room) { /* a large payload */
        unsigned char *buffer = realloc(run->buffer, run->room * 2);
        if (!buffer) {
            no_memory(m);
            return give_up(m);
        }
        run->buffer = buffer;
        run->room *= 2;
    }
    uint64_t left = run->end - run->at;
    ssize_t n = pread(m->fd, run->buffer + run->have, left < run->room - run->have ? left : run->room - run->have,
                      (off_t)run->at);
    if (n <= 0)
        return no_file(m, "read");
    run->have += (size_t)n;
    run->at += (uint64_t)n;
    return 1;
}

/* Goes to the run's next record: 1, also at its end; 0: its buffer must be filled first. */
static int go_on(struct run *run)
{
    unsigned part;
    const unsigned char *p =
        pithi_unpack(&run->packing, run->buffer + run->used, run->buffer + run->have, &run->record, &part);
    if (!p && run->at < run->end)
        return 0;
    run->used = p ? (size_t)(p - run->buffer) : run->have;
    run->player.key = !p                          ? PITHI_KEY_DONE
                      : part == PITHI_PART_WITHIN ? pithi_key_of(run->record.time_ns)
                      : part == PITHI_PART_BEFORE ? 0
                                                  : PITHI_KEY_LAST;
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
    room = room < BUFFER_LEAST ? BUFFER_LEAST : room > BUFFER_MOST ? BUFFER_MOST : room;
    for (uint32_t i = 0; i < m->run_count; i++) {
        struct run *run = &m->runs[i];
        if (!run->buffer && (run->room = room, run->buffer = malloc(room)) == NULL) {
            no_memory(m);
            return give_up(m);
        }
        run->player.leaf = m->leaves + i;
        run->have = run->used = 0;
        run->packing = (struct pithi_packing){0, 0};
        if (go_on_surely(m, run) < 0)
            return -1;
    }
    m->tree[0] = pithi_tournament_play(m->tree, m->leaves, 1, m->runs, m->run_count, sizeof *m->runs);
    m->merging = 1;
    return 1;
}

/* Past the record delivered last: 1; 0: that takes reading, which would end payloads; -1: an error. */
static int pass(struct pithi_runs *m, int may_read)
{
    struct run *run = (struct run *)m->tree[0].player; /* which begins with its player */
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

/* Records of the slab: how many, 0: at its end, -1. */
static int merge(struct pithi_runs *m, struct pithlog_record *records, uint32_t count)
{
    uint32_t n = 0;
    while (n < count) {
        int status = pass(m, n == 0);
        if (status < 0)
            return -1;
        if (status == 0 || m->tree[0].key == PITHI_KEY_DONE)
            break;
        records[n++] = ((const struct run *)m->tree[0].player)->record;
        m->delivered = 1;
    }
    return (int)n;
}

/* Its run's key is as it was: the next record is looked for when it is asked for. */
enum pithi_iter_part pithi_runs_part(const struct pithi_runs *m)
{
    return m->tree[0].key == 0                ? PITHI_PART_BEFORE
           : m->tree[0].key >= PITHI_KEY_LAST ? PITHI_PART_AFTER
                                              : PITHI_PART_WITHIN;
}

int pithi_runs_next(struct pithi_runs *m, struct pithlog_record *records, uint32_t count)
{
    while (!m->over) {
        if (!m->merging && (make_runs(m) < 0 || begin_merging(m) < 0))
            return -1;
        int n = merge(m, records, count);
        if (n != 0)
            return n;
        m->over = is_last(m);
        if (!m->over)
            begin_slab(m, m->to_ns + 1);
    }
    return 0;
}
