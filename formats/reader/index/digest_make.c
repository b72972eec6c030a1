/* digest_make.c - makes the digest of a log in one pass: messages go through the matcher into slabs, values into series
 * (digest_file.h). Memory: 2.6 MB a level (16 million messages need three), at most 32 MB of values, the entries, and
 * the memory of the matcher.
 *
 * Messages are not simply sorted by length, because those of a long log do not fit into memory, and because a picture
 * of a short window needs the messages of that window to be close together in the file. So they go through slabs. A
 * slab of level 0 covers a short interval of the log, a slab of each higher level a longer one:
 *
 *     slab 0: 65,536 messages -> the 4,096 longest go up; 61,440 stay: 60 nodes of 1,024 by time
 *     slab 1: the same; after 16 slabs, the slab of level 1 is full: its 4,096 longest go up, the others stay
 *
 * Each level gets a sixteenth of the messages of the level below. That lets a query stop early: a slab keeps no message
 * that is longer than those that it sent up. So if the messages sent up are enough for a picture, the slab's nodes,
 * which are most nodes of the file, need not be read. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "native/log.h"
#include "reader/index/digest_file.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"

enum {
    SLAB = 65536,
    GO_UP = SLAB / 16,     /* number of messages that move up from a full slab: the longest ones */
    LEVELS = 12,           /* enough for any number of messages */
    FEW_LANES = 64,        /* up to this number of lanes, slabs are cut by time only */
    CUTS = 64,             /* with more lanes, slabs are cut by lanes, too, into at most this many parts */
    HELPING = 4096,        /* records read at once */
    VALUES_HELD = 2 << 20, /* most values in memory; then all are written to the file */
    MOST_DAMAGES = 10000   /* reading stops after this many errors */
};

struct slab {
    struct pithlog_message *messages; /* [SLAB]; NULL: no message reached this level */
    uint32_t count;
};

struct held_series {
    struct pithi_series_entry entry; /* is stored when all values are known */
    struct pithi_value *values;      /* [room] values that are not in a node yet */
    uint32_t count, room;
};

/* A value node, and the series that it belongs to (needed until nodes are sorted; not stored in the file). */
struct held_node {
    struct pithi_value_node node;
    uint32_t series; /* index in `series` */
};

struct making {
    struct pithlog_digest *digest; /* being filled; becomes the result */
    uint64_t size;                 /* of the file so far */
    struct pithi_buffer bytes;     /* of the node that is being encoded */
    struct slab slabs[LEVELS];
    struct slab samples[PITHI_SAMPLE_LEVELS]; /* each with messages[PITHI_NODE_MESSAGES] */
    uint64_t taken;                           /* messages found so far */
    uint64_t *lengths;                        /* [SLAB] lengths of the messages in a slab */
    uint32_t cuts, node_room;                 /* parts by lanes that slabs are cut into; room of digest->nodes */
    struct held_series *series;
    uint32_t series_room;
    struct pithi_map series_map; /* from counter << 32 | lane to the index in `series` */
    uint64_t values_held;        /* values in all series; above VALUES_HELD, all are written */
    struct held_node *nodes;     /* of values */
    uint32_t value_room;
    struct pithi_match *match;      /* pairs sends and receives */
    struct pithlog_record *records; /* [HELPING] */
    int damages;                    /* errors, at which damaged records were left out */
    char why[1024];                 /* error of the first damage */
    int (*progress)(void *context, double part);
    void *context;
};

static int no_memory(const struct making *m)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its messages", m->digest->log->path);
}

/* Appends m->bytes to the file, and sets *offset to their place. */
static int put_bytes(struct making *m, uint64_t *offset)
{
    *offset = m->size;
    CHECK(pithi_digest_put(m->digest, m->bytes.data, m->bytes.size, m->size));
    m->size += m->bytes.size;
    m->bytes.size = 0;
    return PITH_OK;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    int64_t x = pithi_message_first(a), y = pithi_message_first(b);
    return (x > y) - (x < y);
}

static int by_sender(const void *a, const void *b)
{
    uint32_t x = ((const struct pithlog_message *)a)->send_lane, y = ((const struct pithlog_message *)b)->send_lane;
    return (x > y) - (x < y);
}

static int put_node(struct making *m, struct pithlog_message *messages, uint32_t count, uint32_t sample)
{
    struct pithlog_digest *d = m->digest;
    struct pithi_message_node node;
    qsort(messages, count, sizeof *messages, by_first);
    if (!pithi_grow(&d->nodes, d->node_count, &m->node_room, sizeof *d->nodes) ||
        !pithi_message_node_put(messages, count, &m->bytes, &node))
        return no_memory(m);
    int err = put_bytes(m, &node.offset);
    node.sample = sample;
    d->nodes[d->node_count++] = node;
    d->info.messages += sample ? 0 : count;
    return err;
}

/* Returns the length that would be at index `rank` if the lengths were sorted, longest first (Hoare's "Find", 1961). It
 * reorders them. */
static uint64_t select_length(uint64_t *lengths, uint32_t count, uint32_t rank)
{
    int64_t from = 0, to = (int64_t)count - 1;
    while (from < to) {
        uint64_t pivot = lengths[from + (to - from) / 2];
        int64_t i = from, j = to;
        while (i <= j) {
            while (lengths[i] > pivot)
                i++;
            while (lengths[j] < pivot)
                j--;
            if (i <= j) {
                uint64_t kept = lengths[i];
                lengths[i++] = lengths[j];
                lengths[j--] = kept;
            }
        }
        if (rank <= j)
            to = j;
        else if (rank >= i)
            from = i;
        else
            return lengths[rank];
    }
    return lengths[rank];
}

static int add_message(struct making *m, uint32_t level, const struct pithlog_message *message);

/* Moves the longest messages of a slab up, and writes the others as nodes. `least` is the length of the shortest
 * message that moves up. Several messages may have this length; only `ties` of them move up, so that exactly `up`
 * messages move in all. */
static int empty_slab(struct making *m, uint32_t level)
{
    struct slab *slab = &m->slabs[level];
    uint32_t count = slab->count, up = level + 1 < LEVELS ? count / (SLAB / GO_UP) : 0, kept = 0, ties, longer = 0;
    int err = PITH_OK;
    slab->count = 0;
    for (uint32_t i = 0; i < count; i++)
        m->lengths[i] = pithi_message_length(&slab->messages[i]);
    /* selecting one length takes a few passes over the lengths; sorting the messages would take many */
    uint64_t least = up ? select_length(m->lengths, count, up - 1) : UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        longer += pithi_message_length(&slab->messages[i]) > least;
    ties = up > longer ? up - longer : 0;
    for (uint32_t i = 0; i < count && err == PITH_OK; i++) {
        const struct pithlog_message *message = &slab->messages[i];
        uint64_t length = pithi_message_length(message);
        if (up && (length > least || (length == least && ties > 0))) {
            ties -= length == least;
            err = add_message(m, level + 1, message);
        } else {
            slab->messages[kept++] = *message;
        }
    }
    if (err != PITH_OK)
        return err;
    /* Writes the messages that stay as nodes: first cuts them by time, then, in logs of many lanes, cuts each part by
     * lanes. */
    uint32_t pieces = (kept + PITHI_NODE_MESSAGES - 1) / PITHI_NODE_MESSAGES;
    uint32_t cuts = m->cuts < pieces ? m->cuts : pieces, times = cuts ? (pieces + cuts - 1) / cuts : 0;
    err = PITH_OK;
    if (m->cuts > 1)
        qsort(slab->messages, kept, sizeof *slab->messages, by_first);
    for (uint32_t t = 0; t < times && err == PITH_OK; t++) {
        uint32_t from = (uint32_t)((uint64_t)kept * t / times), to = (uint32_t)((uint64_t)kept * (t + 1) / times);
        if (cuts > 1)
            qsort(slab->messages + from, to - from, sizeof *slab->messages, by_sender);
        for (uint32_t c = 0; c < cuts && err == PITH_OK; c++) {
            uint32_t low = from + (uint32_t)((uint64_t)(to - from) * c / cuts);
            uint32_t high = from + (uint32_t)((uint64_t)(to - from) * (c + 1) / cuts);
            if (high > low)
                err = put_node(m, slab->messages + low, high - low, 0);
        }
    }
    return err;
}

static int add_message(struct making *m, uint32_t level, const struct pithlog_message *message)
{
    struct slab *slab = &m->slabs[level];
    int err = PITH_OK;
    if (!slab->messages && !(slab->messages = malloc(SLAB * sizeof *slab->messages)))
        return no_memory(m);
    if (slab->count == SLAB)
        err = empty_slab(m, level);
    slab->messages[slab->count++] = *message;
    return err;
}

/* Adds a message to the slab of level 0, and to each sample that it belongs to. One message in 8 belongs to the first
 * sample, one in 64 also to the second, and so on. A hash of the message's number (`chance`) decides, not a random
 * number, so that the digest of a log is always the same: the low 3 bits of the hash are 0 for one message in 8, the
 * low 6 bits for one in 64. */
static int found_message(struct making *m, const struct pithlog_message *message)
{
    uint64_t chance = pithi_hash_number(0, ++m->taken);
    int err = PITH_OK;
    chance = (chance ^ chance >> 32) * UINT64_C(0xd6e8feb86659fd93);
    chance ^= chance >> 32;
    for (uint32_t level = 0; level < PITHI_SAMPLE_LEVELS && err == PITH_OK; level++) {
        struct slab *sample = &m->samples[level];
        if (chance & ((UINT64_C(1) << PITHI_SAMPLE_BITS * (level + 1)) - 1))
            break;
        if (!sample->messages && !(sample->messages = malloc(PITHI_NODE_MESSAGES * sizeof *sample->messages)))
            return no_memory(m);
        sample->messages[sample->count++] = *message;
        if (sample->count == PITHI_NODE_MESSAGES) {
            err = put_node(m, sample->messages, sample->count, level + 1);
            sample->count = 0;
        }
    }
    return err == PITH_OK ? add_message(m, 0, message) : err;
}

static int release(struct making *m, uint32_t rank, int all)
{
    struct pithlog_message message;
    int32_t number = pithi_log_rank(m->digest->log, rank)->rank;
    int status, err = PITH_OK;
    while (err == PITH_OK && (status = pithi_match_ready(m->match, rank, number, all, &message)) != 0)
        err = status < 0 ? no_memory(m) : found_message(m, &message);
    return err;
}

static int take_message(struct making *m, const struct pithlog_record *r)
{
    struct pithlog_message message;
    uint32_t rank = pithi_log_rank_of(m->digest->log, r->lane);
    int32_t number = pithi_log_rank(m->digest->log, rank)->rank;
    int status = pithi_match_take(m->match, rank, number, r, r->lane, &message), err = PITH_OK;
    if (status < 0)
        return no_memory(m);
    if (status == 1)
        err = found_message(m, &message);
    return err == PITH_OK && r->kind == PITHLOG_RECV ? release(m, rank, 0) : err;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static int put_values(struct making *m, uint32_t index)
{
    struct held_series *s = &m->series[index];
    struct held_node held = {.series = index};
    struct pithlog_digest *d = m->digest;
    if (!s->count)
        return PITH_OK;
    if (!pithi_grow(&m->nodes, d->value_node_count, &m->value_room, sizeof *m->nodes) ||
        !pithi_value_node_put(s->values, s->count, &m->bytes, &held.node))
        return no_memory(m);
    m->values_held -= s->count;
    s->entry.node_count++;
    s->count = 0;
    int err = put_bytes(m, &held.node.offset);
    m->nodes[d->value_node_count++] = held;
    return err;
}

static int find_series(struct making *m, const struct pithlog_record *r, uint32_t *index)
{
    uint64_t key = (uint64_t)r->id << 32 | r->lane;
    uint32_t count = m->digest->info.series;
    if (pithi_map_get(&m->series_map, key, index))
        return PITH_OK;
    if (!pithi_grow(&m->series, count, &m->series_room, sizeof *m->series) ||
        !pithi_map_put(&m->series_map, key, count))
        return no_memory(m);
    m->series[count] =
        (struct held_series){.entry.seen = {.lane = r->lane, .counter = r->id, .low = r->value, .high = r->value}};
    *index = count;
    m->digest->info.series++;
    return PITH_OK;
}

/* Writes all values in memory as nodes, even if these are not full. This bounds the memory if there are very many
 * series. */
static int put_all_values(struct making *m)
{
    int err = PITH_OK;
    for (uint32_t i = 0; i < m->digest->info.series && err == PITH_OK; i++)
        err = put_values(m, i);
    return err;
}

static int take_value(struct making *m, const struct pithlog_record *r)
{
    uint32_t index = 0;
    int err = PITH_OK;
    if (r->value - r->value != 0) /* leaves out infinities and NaNs, which cannot be drawn */
        return PITH_OK;
    CHECK(find_series(m, r, &index));
    struct held_series *s = &m->series[index];
    if (!pithi_grow(&s->values, s->count, &s->room, sizeof *s->values))
        return no_memory(m);
    s->values[s->count++] = (struct pithi_value){r->time_ns, r->value};
    struct pithlog_series *seen = &s->entry.seen;
    seen->low = r->value < seen->low ? r->value : seen->low;
    seen->high = r->value > seen->high ? r->value : seen->high;
    seen->count++;
    m->digest->info.values++;
    if (s->count == PITHI_NODE_VALUES)
        err = put_values(m, index);
    if (++m->values_held > VALUES_HELD)
        err = err == PITH_OK ? put_all_values(m) : err;
    return err;
}

/* ---- Series in order --------------------------------------------------------------------------------------------- */

static int by_lane(const void *a, const void *b)
{
    return pithi_series_compare(&((const struct pithi_series_entry *)a)->seen,
                                &((const struct pithi_series_entry *)b)->seen);
}

/* Sorts the series by lane and counter. Sorts the value nodes in the same order, those of a series by time. */
static int order_series(struct making *m)
{
    struct pithlog_digest *d = m->digest;
    uint32_t count = d->info.series, *next = calloc(count + (size_t)1, sizeof *next), first = 0, index = 0;
    d->series = malloc((count + (size_t)1) * sizeof *d->series);
    d->values = malloc((d->value_node_count + (size_t)1) * sizeof *d->values);
    if (!next || !d->series || !d->values) {
        free(next);
        return no_memory(m);
    }
    for (uint32_t i = 0; i < count; i++)
        d->series[i] = m->series[i].entry;
    qsort(d->series, count, sizeof *d->series, by_lane);
    for (uint32_t i = 0; i < count; i++) {
        struct pithi_series_entry *s = &d->series[i];
        if (pithi_map_get(&m->series_map, (uint64_t)s->seen.counter << 32 | s->seen.lane, &index))
            s->first_node = next[index] = first;
        first += s->node_count;
    }
    for (uint32_t i = 0; i < d->value_node_count; i++)
        d->values[next[m->nodes[i].series]++] = m->nodes[i].node;
    free(next);
    return PITH_OK;
}

/* ---- Reading and writing the whole digest ------------------------------------------------------------------------ */

/* Reports the progress as a fraction of the log's time. */
static int tell_progress(struct making *m, int64_t time_ns)
{
    const struct pithlog_info *info = &m->digest->log->info;
    double span = (double)info->end_ns - (double)info->start_ns;
    double part = span > 0 ? ((double)time_ns - (double)info->start_ns) / span : 0;
    if (m->progress && m->progress(m->context, part < 0 ? 0 : part > 1 ? 1 : part))
        return pithi_fail(PITH_ERR_STOPPED, "%s: stopped", m->digest->log->path);
    return PITH_OK;
}

static void hole(void *context, uint32_t lane)
{
    const struct making *m = context;
    uint32_t rank = pithi_log_rank_of(m->digest->log, lane);
    pithi_match_missing(m->match, rank, pithi_log_rank(m->digest->log, rank)->rank);
}

static int read_records(struct making *m)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV | 1u << PITHLOG_COUNTER |
                                           1u << PITHLOG_LOST};
    struct pithlog_iter *iter;
    int count, err = pithlog_iter_open(m->digest->log, &query, &iter);
    if (err == PITH_OK)
        pithi_iter_tell_holes(iter, (struct pithi_holes){hole, m});
    while (err == PITH_OK && m->damages < MOST_DAMAGES &&
           (count = pithlog_iter_next_many(iter, m->records, HELPING)) != 0) {
        if (count < 0 && m->damages++ == 0)
            snprintf(m->why, sizeof m->why, "%s", pithlog_error());
        err = PITH_OK; /* after an error (counted in `damages`), reading goes on behind the damaged records */
        for (int i = 0; i < count && err == PITH_OK; i++) {
            const struct pithlog_record *r = &m->records[i];
            if (pithi_is_hole(m->digest->log, r))
                hole(m, r->lane);
            err = r->kind == PITHLOG_COUNTER ? take_value(m, r)
                  : r->kind == PITHLOG_LOST  ? PITH_OK
                                             : take_message(m, r);
        }
        if (err == PITH_OK && count > 0)
            err = tell_progress(m, m->records[count - 1].time_ns);
    }
    pithlog_iter_close(iter);
    for (uint32_t rank = 0; rank < pithi_log_ranks(m->digest->log) && err == PITH_OK; rank++)
        err = release(m, rank, 1);
    return err;
}

static int finish(struct making *m)
{
    int err = PITH_OK;
    for (uint32_t level = 0; level < LEVELS && err == PITH_OK; level++)
        if (m->slabs[level].count)
            err = empty_slab(m, level);
    for (uint32_t level = 0; level < PITHI_SAMPLE_LEVELS && err == PITH_OK; level++)
        if (m->samples[level].count)
            err = put_node(m, m->samples[level].messages, m->samples[level].count, level + 1);
    if (err == PITH_OK)
        err = put_all_values(m);
    if (err == PITH_OK)
        err = order_series(m);
    pithi_match_waiting(m->match, &m->digest->info.sends_left, &m->digest->info.recvs_left);
    return err == PITH_OK ? pithi_digest_write(m->digest, m->size) : err;
}

static void free_making(struct making *m)
{
    for (uint32_t level = 0; level < LEVELS; level++)
        free(m->slabs[level].messages);
    for (uint32_t level = 0; level < PITHI_SAMPLE_LEVELS; level++)
        free(m->samples[level].messages);
    for (uint32_t i = 0; i < m->digest->info.series && m->series; i++)
        free(m->series[i].values);
    free(m->series);
    free(m->nodes);
    free(m->lengths);
    free(m->bytes.data);
    pithi_map_free(&m->series_map);
    pithi_match_free(m->match);
    free(m->records);
}

static int begin(struct making *m)
{
    uint32_t lanes = m->digest->log->info.lanes;
    m->size = PITHI_DIGEST_HEAD;
    m->cuts = lanes <= FEW_LANES ? 1 : lanes <= 8 * FEW_LANES ? CUTS / 8 : CUTS;
    m->match = pithi_match_new();
    m->lengths = malloc(SLAB * sizeof *m->lengths);
    m->records = malloc(HELPING * sizeof *m->records);
    return m->match && m->lengths && m->records ? PITH_OK : no_memory(m);
}

int pithi_digest_make(struct pithlog_digest *d, int (*progress)(void *context, double part), void *context)
{
    struct making m = {.digest = d, .progress = progress, .context = context};
    int err = begin(&m);
    if (err == PITH_OK && pithi_match_incomplete(d->log))
        pithi_match_cut(m.match);
    if (err == PITH_OK)
        err = read_records(&m);
    if (err == PITH_OK)
        err = finish(&m);
    free_making(&m);
    return err == PITH_OK && m.damages ? pithi_fail(PITH_ERR_DAMAGED, "%s", m.why) : err;
}

/* ---- Copying a selection of another digest ----------------------------------------------------------------------- */

int pithi_digest_copy(struct pithlog_digest *d, const struct pithi_selection *selection)
{
    struct making m = {.digest = d, .progress = selection->progress, .context = selection->context};
    struct pithlog_message *messages = malloc(2 * PITHI_NODE_MESSAGES * sizeof *messages);
    int err = messages ? begin(&m) : no_memory(&m);
    if (err == PITH_OK)
        err = pithi_digest_nodes(selection->from);
    for (uint32_t i = 0; i < selection->from->node_count && err == PITH_OK; i++) {
        const struct pithi_message_node *node = &selection->from->nodes[i];
        if (node->sample)
            continue;
        err = pithi_message_node_read(selection->from, node, messages);
        for (uint32_t k = 0; k < node->count && err == PITH_OK; k++)
            if (selection->wanted(m.context, &messages[k]))
                err = found_message(&m, &messages[k]);
        if (err == PITH_OK && m.progress && m.progress(m.context, (i + 1.0) / selection->from->node_count))
            err = pithi_fail(PITH_ERR_STOPPED, "%s: stopped", d->log->path);
    }
    if (err == PITH_OK)
        err = finish(&m);
    free_making(&m);
    free(messages);
    return err;
}
