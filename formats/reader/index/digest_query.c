/* digest_query.c - opens a digest, makes it if necessary, and answers queries (digest_file.h).
 *
 * A query first looks at the entries, which are in memory, and reads a node only if its entry does not decide:
 *
 *     window        |-------------------|        wanted: the 2 longest messages, the count of all
 *     node a           <-- all 1,000 -->         longest 90: read; keep 90 and 80
 *     node b    <--- some lie before             longest 75: read only to count its messages in the window
 *     node c              <-- all 1,000 -->      longest 70: not read: 70 < 80, and all 1,000 are counted
 *
 * Nodes are visited in the order of their longest message, longest first. So once the messages found so far are longer
 * than all messages of a node, they are longer than those of all later nodes, too. From there on, a node is only read
 * to count its messages in the window, and only if it crosses an end of the window or has lanes that are not shown. */
#include <unistd.h>

#include "base/error.h"
#include "base/far.h"
#include "base/heap.h"
#include "native/log.h"
#include "reader/index/digest_file.h"

/* Digests of logs with fewer records are not kept in the cache, because making them again is quick. */
enum { KEEP_RECORDS = 100000 };

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Closes the file and frees what was read from it, so that the digest can be made anew. */
static void forget(struct pithlog_digest *d)
{
    if (d->fd >= 0)
        close(d->fd);
    free(d->nodes);
    free(d->series);
    free(d->values);
    d->nodes = NULL;
    d->series = NULL;
    d->values = NULL;
    d->node_count = d->value_node_count = 0;
    d->info = (struct pithlog_digest_info){0};
    d->fd = -1;
}

/* Reads the digest that the cache has for this log. Returns 1 if it is intact; else removes it and returns 0. */
static int find_kept(struct pithlog_digest *d)
{
    if ((d->fd = pithi_cache_find(&d->key, "digest")) < 0)
        return 0;
    if (pithi_digest_take(d))
        return d->cached = 1;
    forget(d);
    pithi_cache_remove(&d->key, "digest");
    return 0;
}

static int make(struct pithlog_digest *d, int keep, int (*progress)(void *context, double part), void *context)
{
    struct pithi_cache_part part;
    if (!(keep ? pithi_cache_begin(&part, &d->key, "digest") : pithi_cache_begin_nameless(&part)))
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file; set TMPDIR", d->log->path);
    d->fd = part.fd;
    int err = pithi_digest_make(d, progress, context);
    d->cached = pithi_cache_end(&part, err == PITH_OK); /* puts the file into the cache if it has a key */
    return err;
}

int pithlog_digest_open(struct pithlog *log, int (*progress)(void *context, double part), void *context,
                        struct pithlog_digest **digest)
{
    struct pithlog_digest *d = *digest = calloc(1, sizeof *d);
    int keep = log->info.records >= KEEP_RECORDS, err;
    if (!d)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its messages", log->path);
    d->log = log;
    d->fd = -1;
    keep = keep && pithi_cache_key(log, &d->key);
    if (keep && find_kept(d))
        return PITH_OK;
    err = make(d, keep, progress, context);
    if (err == PITH_ERR_IO && keep) { /* no room in the cache's file system: tries a temporary file */
        forget(d);
        err = make(d, 0, progress, context);
    }
    /* PITH_ERR_DAMAGED still yields a digest: of the records that could be read */
    if (err != PITH_OK && err != PITH_ERR_DAMAGED) {
        pithlog_digest_close(d);
        *digest = NULL;
    }
    return err;
}

int pithlog_digest_select(const struct pithlog_digest *from,
                          int (*wanted)(void *context, const struct pithlog_message *message),
                          int (*progress)(void *context, double part), void *context, struct pithlog_digest **digest)
{
    struct pithi_selection selection = {from, wanted, progress, context};
    struct pithlog_digest *d = *digest = calloc(1, sizeof *d);
    struct pithi_cache_part part;
    int err;
    if (!d)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its messages", from->log->path);
    d->log = from->log;
    d->fd = -1;
    if (!pithi_cache_begin_nameless(&part)) {
        err = pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file; set TMPDIR", d->log->path);
    } else {
        d->fd = part.fd;
        err = pithi_digest_copy(d, &selection);
        pithi_cache_end(&part, 0);
    }
    if (err != PITH_OK) {
        pithlog_digest_close(d);
        *digest = NULL;
    }
    return err;
}

void pithlog_digest_close(struct pithlog_digest *d)
{
    if (!d)
        return;
    forget(d);
    free(d);
}

const struct pithlog_digest_info *pithlog_digest_get_info(const struct pithlog_digest *d) { return &d->info; }

/* ---- Which nodes reach into a window ----------------------------------------------------------------------------- */

/* A node of which messages may reach into the window; `whole` is 1 if all its messages do. */
struct chosen {
    const struct pithi_message_node *node;
    int whole;
};

struct choice {
    const struct pithlog_digest *digest;
    const struct pithlog_digest_window *window;
    struct chosen *chosen;
    uint32_t count;
    uint32_t *shown;                  /* [lanes + 1] count of shown lanes below each lane; NULL: all are shown */
    struct pithlog_message *messages; /* [2 * PITHI_NODE_MESSAGES] of the node read last */
};

/* Returns how many of the lanes from `low` to `high` are shown. */
static uint32_t lanes_between(const struct choice *c, uint32_t low, uint32_t high)
{
    return c->shown ? c->shown[high + 1] - c->shown[low] : high - low + 1;
}

static void end_choice(struct choice *c)
{
    free(c->chosen);
    free(c->shown);
    free(c->messages);
}

static int begin_choice(struct choice *c, const struct pithlog_digest *d, const struct pithlog_digest_window *window)
{
    uint32_t lanes = d->log->info.lanes;
    *c = (struct choice){.digest = d, .window = window};
    CHECK(pithi_digest_nodes(d));
    c->chosen = malloc((d->node_count + (size_t)1) * sizeof *c->chosen);
    c->messages = malloc(2 * PITHI_NODE_MESSAGES * sizeof *c->messages);
    if (window->lanes)
        c->shown = malloc((lanes + (size_t)1) * sizeof *c->shown);
    if (!c->chosen || !c->messages || (window->lanes && !c->shown)) {
        end_choice(c);
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its messages", d->log->path);
    }
    /* shown[i]: how many of the lanes before i are shown */
    for (uint32_t lane = 0, sum = 0; c->shown && lane <= lanes; lane++) {
        c->shown[lane] = sum;
        sum += lane < lanes && window->lanes[lane];
    }
    for (uint32_t i = 0; i < d->node_count; i++) {
        const struct pithlog_digest_window *w = c->window;
        uint32_t senders = lanes_between(c, d->nodes[i].send_low, d->nodes[i].send_high);
        uint32_t receivers = lanes_between(c, d->nodes[i].recv_low, d->nodes[i].recv_high);
        /* skips a node if it lies outside the window, or if all its senders or all its receivers are on lanes not
         * shown */
        if (d->nodes[i].first_ns < w->to_ns && d->nodes[i].last_ns >= w->from_ns && senders && receivers) {
            c->chosen[c->count].node = &d->nodes[i];
            /* All messages of the node reach into the window if three things are true. The message that begins last
             * begins before the window ends; the message that ends first ends at or after the window's begin; all lanes
             * of the node are shown. */
            c->chosen[c->count++].whole = d->nodes[i].first_to_ns < w->to_ns &&
                                          d->nodes[i].last_from_ns >= w->from_ns &&
                                          senders == d->nodes[i].send_high - d->nodes[i].send_low + 1 &&
                                          receivers == d->nodes[i].recv_high - d->nodes[i].recv_low + 1;
        }
    }
    return PITH_OK;
}

static int reaches(const struct choice *c, const struct pithlog_message *m)
{
    const struct pithlog_digest_window *w = c->window;
    return pithi_message_first(m) < w->to_ns && pithi_message_last(m) >= w->from_ns &&
           (!w->lanes || (w->lanes[m->send_lane] && w->lanes[m->recv_lane]));
}

/* ---- The longest ------------------------------------------------------------------------------------------------- */

static int by_longest(const void *a, const void *b)
{
    const struct pithi_message_node *x = ((const struct chosen *)a)->node, *y = ((const struct chosen *)b)->node;
    if (x->longest_ns != y->longest_ns)
        return x->longest_ns < y->longest_ns ? 1 : -1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The longest messages so far are kept in a heap. Its top is the shortest of them, which is replaced when a longer
 * message is found. */
static int is_shorter(const void *a, const void *b) { return pithi_message_length(a) < pithi_message_length(b); }

static void keep(struct pithlog_message *heap, uint32_t *count, uint32_t most, const struct pithlog_message *message)
{
    if (*count < most)
        pithi_heap_add(heap, count, message, sizeof *message, is_shorter);
    else if (is_shorter(&heap[0], message))
        pithi_heap_replace(heap, *count, message, sizeof *message, is_shorter);
}

static int by_first(const void *a, const void *b)
{
    int64_t x = pithi_message_first(a), y = pithi_message_first(b);
    return (x > y) - (x < y);
}

static void expect(const struct choice *c, const struct pithi_message_node *node)
{
    pithi_far_soon(c->digest->fd, node->offset, node->size);
}

/* Announces nodes that pithlog_digest_messages will probably read, from index i on: first the next 32, then nodes that
 * are partly outside the window, up to half a MiB of them. Returns the index after the 32. */
static uint32_t expect_longest(const struct choice *c, uint32_t i)
{
    enum { NODES = 32, BYTES = 1 << 19 };
    uint64_t bytes = 0;
    for (uint32_t named = 0; i < c->count && named < NODES; i++)
        if (!c->chosen[i].node->sample) {
            expect(c, c->chosen[i].node);
            named++;
        }
    for (uint32_t k = i; k < c->count && bytes < BYTES; k++)
        if (!c->chosen[k].whole && !c->chosen[k].node->sample) {
            expect(c, c->chosen[k].node);
            bytes += c->chosen[k].node->size;
        }
    return i;
}

int pithlog_digest_messages(const struct pithlog_digest *d, const struct pithlog_digest_window *window,
                            struct pithlog_message *messages, uint32_t most, uint32_t *count, uint64_t *total)
{
    struct choice c;
    int err = begin_choice(&c, d, window);
    uint32_t expected = 0;
    *count = 0;
    *total = 0;
    if (err != PITH_OK)
        return err;
    qsort(c.chosen, c.count, sizeof *c.chosen, by_longest);
    for (uint32_t i = 0; i < c.count && err == PITH_OK; i++) {
        const struct chosen *chosen = &c.chosen[i];
        if (chosen->node->sample) /* the messages of samples are copies */
            continue;
        int beaten = !most || (*count == most && chosen->node->longest_ns <= pithi_message_length(&messages[0]));
        /* A node is beaten if it has no message longer than those found. It need not be read if all its messages are in
         * the window. In a far file, once the total exceeds `most`, it is not read even if only some of its messages
         * are in the window. Then all are added to the total, because an exact total, say 240,000 rather than 250,000,
         * is not worth reading 10 MB. */
        if (beaten && (chosen->whole || (pithi_far() && *total > most))) {
            *total += chosen->node->count;
            continue;
        }
        if (pithi_far() && i >= expected)
            expected = expect_longest(&c, i);
        err = pithi_message_node_read(d, chosen->node, c.messages);
        for (uint32_t m = 0; m < chosen->node->count && err == PITH_OK; m++)
            if (reaches(&c, &c.messages[m])) {
                ++*total;
                if (!beaten)
                    keep(messages, count, most, &c.messages[m]);
            }
    }
    if (*count)
        qsort(messages, *count, sizeof *messages, by_first);
    end_choice(&c);
    return err;
}

/* ---- Samples ----------------------------------------------------------------------------------------------------- */

/* Returns the level of the largest sample that has at most `most` messages in the nodes that reach into the window.
 * Level 0 has all messages, level 1 one in 8, level 2 one in 64, and so on. */
static uint32_t choose_sample(const struct choice *c, uint64_t most)
{
    uint64_t counts[PITHI_SAMPLE_LEVELS + 1] = {0};
    uint32_t level = 0;
    for (uint32_t i = 0; i < c->count; i++)
        counts[c->chosen[i].node->sample] += c->chosen[i].node->count;
    while (level < PITHI_SAMPLE_LEVELS && counts[level] > most)
        level++;
    return level;
}

int pithlog_digest_sample(const struct pithlog_digest *d, const struct pithlog_digest_window *window, uint64_t most,
                          void (*tell)(void *context, const struct pithlog_message *message), void *context,
                          double *weight)
{
    struct choice c;
    int err = begin_choice(&c, d, window);
    *weight = 1;
    if (err != PITH_OK)
        return err;
    uint32_t level = choose_sample(&c, most);
    *weight = (double)(UINT64_C(1) << PITHI_SAMPLE_BITS * level);
    for (uint32_t i = 0; i < c.count && pithi_far(); i++)
        if (c.chosen[i].node->sample == level)
            expect(&c, c.chosen[i].node);
    for (uint32_t i = 0; i < c.count && err == PITH_OK; i++) {
        const struct pithi_message_node *node = c.chosen[i].node;
        if (node->sample != level)
            continue;
        err = pithi_message_node_read(d, node, c.messages);
        for (uint32_t m = 0; m < node->count && err == PITH_OK; m++)
            if (reaches(&c, &c.messages[m]))
                tell(context, &c.messages[m]);
    }
    end_choice(&c);
    return err;
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

const struct pithlog_series *pithlog_digest_series(const struct pithlog_digest *d, uint32_t index)
{
    return index < d->info.series ? &d->series[index].seen : NULL;
}

/* The columns of a graph, which are filled from left to right. */
struct filling {
    int64_t from_ns, to_ns; /* the window, [from, to) */
    struct pithlog_column *columns;
    uint32_t count, at;        /* at: index of the current column */
    struct pithlog_column now; /* the current column so far */
};

/* Returns the end of a column. The last column ends exactly at the window's end, without a rounding error. */
static int64_t column_end(const struct filling *f, uint32_t column)
{
    uint64_t span = (uint64_t)f->to_ns - (uint64_t)f->from_ns;
    double part = (double)span * (column + 1) / f->count;
    return (int64_t)((uint64_t)f->from_ns + (part < (double)span ? (uint64_t)part : span));
}

/* Finishes all columns that end at or before `time_ns`. */
static void pass(struct filling *f, int64_t time_ns)
{
    while (f->at < f->count && column_end(f, f->at) <= time_ns) {
        f->columns[f->at++] = f->now;
        /* the next column begins with the value at the end of the column before */
        f->now.low = f->now.high = f->now.last;
    }
}

static void take(struct filling *f, double low, double high, double last)
{
    f->now.low = f->now.known && f->now.low < low ? f->now.low : low;
    f->now.high = f->now.known && f->now.high > high ? f->now.high : high;
    f->now.last = last;
    f->now.known = 1;
}

/* Takes a value from before the window. Each replaces the one before, so that the last one is the value at the start of
 * the first column. */
static void take_before(struct filling *f, double value) { f->now = (struct pithlog_column){value, value, value, 1}; }

static int fill_by_values(struct filling *f, const struct pithlog_digest *d, const struct pithi_value_node *node,
                          struct pithi_value *values)
{
    int err = pithi_value_node_read(d, node, values);
    for (uint32_t i = 0; i < node->count && err == PITH_OK && values[i].time_ns < f->to_ns; i++) {
        if (values[i].time_ns <= f->from_ns) {
            take_before(f, values[i].value);
            continue;
        }
        pass(f, values[i].time_ns);
        take(f, values[i].value, values[i].value, values[i].value);
    }
    return err;
}

/* Returns the last node that begins at or before the window's start, because this node has the value at the start.
 * Returns the first node if all begin later. */
static uint32_t node_before(const struct pithlog_digest *d, const struct pithi_series_entry *s, int64_t from_ns)
{
    uint32_t low = s->first_node, high = s->first_node + s->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (d->values[middle].first_ns <= from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low > s->first_node ? low - 1 : low;
}

int pithlog_digest_columns(const struct pithlog_digest *d, uint32_t series, int64_t from_ns, int64_t to_ns,
                           struct pithlog_column *columns, uint32_t count)
{
    struct filling f = {.from_ns = from_ns, .to_ns = to_ns, .columns = columns, .count = count};
    struct pithi_value values[PITHI_NODE_VALUES];
    int err = PITH_OK;
    if (series >= d->info.series || from_ns >= to_ns)
        return pithi_fail(PITH_ERR_USAGE, "%s: there is no such series or window", d->log->path);
    const struct pithi_series_entry *s = &d->series[series];
    for (uint32_t i = node_before(d, s, from_ns); i < s->first_node + s->node_count && err == PITH_OK; i++) {
        const struct pithi_value_node *node = &d->values[i];
        if (node->first_ns >= to_ns)
            break;
        pass(&f, node->first_ns);
        /* a node within one column is not read: its entry has the range and the last value */
        if (node->first_ns > from_ns && f.at < count && node->last_ns < column_end(&f, f.at))
            take(&f, node->low, node->high, node->last);
        else
            err = fill_by_values(&f, d, node, values);
    }
    /* finishes the columns after the last value */
    pass(&f, INT64_MAX);
    return err;
}
