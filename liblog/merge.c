/* merge.c - all processes of a job make one log of their spill files, together and each its own part.
 *
 *     1. recording ends everywhere; each opens its own spill file
 *     2. one time: rank 0's difference of CLOCK_REALTIME and CLOCK_MONOTONIC for all on its machine; the earliest
 *     record
 *        of all is the log's time 0
 *     3. one set of definitions: united up a binomial tree, then given to all
 *     4. each encodes its own records (the long part; no communication)
 *     5. a prefix sum of the sizes tells each where its segment stands; all write
 *     6. rank 0 gives the file its name; only then do the spill files go
 *
 * After every step that can fail all agree on whether it did; if one failed, nobody goes on, the unfinished file goes
 * and the spill files stay. No process handles another's records, and the work of one grows with the number of
 * processes only by the height of the tree.
 */
#include "merge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "clock.h"
#include "encode.h"
#include "output.h"
#include "pith.h"
#include "session.h"
#include "signals.h"

struct merge {
    const struct pith_transport *t;
    int have; /* this process recorded */
    struct pithi_spill spill;
    struct pithi_defs *defs;
    struct pithi_encode encode;
    struct pithi_totals totals;   /* this process's, then all's */
    int64_t shift_ns, zero_ns;    /* CLOCK_MONOTONIC to REALTIME; REALTIME of the log's time 0 */
    uint64_t recorded, one_clock; /* processes that recorded; 1: all on one machine */
    uint64_t lanes;               /* of all */
    uint64_t base, table, defs_size;
    void *defs_chunk;
    char part[PITHI_PATH_MAX + 32];
    void *file;
};

/* ---- Failing together -------------------------------------------------------------------------------------------- */

/* This process failed; tells so if nobody here did before. */
static int fail(const char *what)
{
    if (!pithi_session.failed)
        pithi_say("%s", what);
    pithi_session.failed = 1;
    return 0;
}

/* All good? Returns 1 in every process, or 0 in every process. */
static int agree(const struct merge *merge, int good)
{
    uint64_t value = good != 0;
    return merge->t->reduce(merge->t->context, &value, 1, PITH_MIN) == 0 && value == 1;
}

static int reduce_one(const struct merge *merge, uint64_t *value, int op)
{
    return merge->t->reduce(merge->t->context, value, 1, op) == 0;
}

/* ---- 1, 2: own file, one time ------------------------------------------------------------------------------------ */

static int open_own(struct merge *merge)
{
    if (!merge->have)
        return 1;
    if (pithi_spill_open(&merge->spill, pithi_session.file.path) != PITH_OK ||
        pithi_spill_fit(&merge->spill, NULL) != PITH_OK)
        return fail(pithlog_error());
    return 1;
}

/* Signed order in an unsigned reduction. */
static uint64_t biased(int64_t value) { return (uint64_t)value ^ UINT64_C(1) << 63; }
static int64_t unbiased(uint64_t value) { return (int64_t)(value ^ UINT64_C(1) << 63); }

/* When recording began here, CLOCK_MONOTONIC: the oldest chunk is made for the first record. INT64_MAX: nothing there.
 * */
static int64_t first_record(const struct pithi_spill *spill)
{
    int64_t first = INT64_MAX;
    uint32_t i;
    for (i = 0; i < spill->lane_count; i++) {
        int64_t begin = pithi_time_ns(&spill->time, spill->chunks[spill->lanes[i].first].base_ticks);
        if (begin < first)
            first = begin;
    }
    return first;
}

struct machine {
    char boot_id[64];
    int64_t shift_ns;
};

static int align_clocks(struct merge *merge)
{
    struct machine own = {{0}, 0}, root;
    struct pithi_anchor now;
    uint64_t first;
    int64_t earliest;

    pithi_clock_anchor(&now);
    pithi_boot_id(own.boot_id, sizeof own.boot_id);
    own.shift_ns = now.real_ns - now.mono_ns;
    root = own;
    if (merge->t->bcast(merge->t->context, 0, &root, sizeof root) != 0)
        return 0;
    merge->one_clock = strcmp(root.boot_id, own.boot_id) == 0;
    merge->shift_ns = merge->one_clock ? root.shift_ns : own.shift_ns;
    earliest = merge->have ? first_record(&merge->spill) : INT64_MAX;
    first = biased(earliest != INT64_MAX ? earliest + merge->shift_ns : INT64_MAX);
    if (!reduce_one(merge, &first, PITH_MIN) || !reduce_one(merge, &merge->one_clock, PITH_MIN))
        return 0;
    merge->zero_ns = unbiased(first) != INT64_MAX ? unbiased(first) : now.real_ns;
    return 1;
}

/* ---- 3: definitions ---------------------------------------------------------------------------------------------- */

static int own_defs(struct merge *merge)
{
    uint32_t i, id;
    if (pithi_defs_new(&merge->defs) != PITH_OK)
        return fail(pithlog_error());
    for (i = 0; i < merge->spill.def_count; i++)
        if (merge->spill.defs[i].name != NULL && pithi_defs_add(merge->defs, &merge->spill.defs[i], &id) != PITH_OK)
            return fail(pithlog_error());
    for (i = 0; i < merge->spill.property_count; i++)
        if (pithi_defs_property(merge->defs, merge->spill.properties[i].key, merge->spill.properties[i].value) !=
            PITH_OK)
            return fail(pithlog_error());
    return 1;
}

static void property(struct merge *merge, const char *key, const char *format, ...)
{
    char value[PITHI_PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    if (*value != '\0')
        pithi_defs_property(merge->defs, key, value);
}

/* The facts that rank 0 states for all. */
static void root_properties(struct merge *merge)
{
    double hertz = merge->have ? merge->spill.time.ticks_per_s : 1e9;
    property(merge, "program", "%s", pithi_session.program);
    property(merge, "start_unix_s", "%lld.%09lld", (long long)(merge->zero_ns / 1000000000),
             (long long)(merge->zero_ns % 1000000000));
    if (!merge->have || merge->spill.page.clock == PITHI_CLOCK_NS)
        property(merge, "clock", "clock_gettime");
    else
        property(merge, "clock", "%s %.6g GHz", merge->spill.page.clock == PITHI_CLOCK_TSC ? "tsc" : "cntvct",
                 hertz / 1e9);
    /* On one machine all share CLOCK_MONOTONIC, and each anchor is good to the time between two readings. */
    property(merge, "clock_error_ns", merge->one_clock ? "100" : "unknown");
    property(merge, "pith", "%d.%d.%d", PITH_VERSION_MAJOR, PITH_VERSION_MINOR, PITH_VERSION_PATCH);
    if (merge->recorded != (uint64_t)merge->t->size)
        property(merge, "ranks_not_recorded", "%llu", (unsigned long long)((uint64_t)merge->t->size - merge->recorded));
}

/* Up the tree: what the ranks r + 1, r + 2, r + 4 ... have collected comes to r. A set of size 0 says that its sender
 * failed. */
static int unite(struct merge *merge, int good)
{
    const struct pith_transport *t = merge->t;
    int step;
    for (step = 1; step < t->size; step *= 2) {
        uint64_t size = 0;
        void *data = NULL;
        if ((t->rank & step) != 0) {
            size_t packed = 0;
            if (good && pithi_defs_pack(merge->defs, &data, &packed) != PITH_OK)
                good = fail(pithlog_error());
            size = good ? packed : 0;
            if (t->send(t->context, t->rank - step, &size, sizeof size) != 0 ||
                (size > 0 && t->send(t->context, t->rank - step, data, size) != 0))
                good = 0;
            free(data);
            return good;
        }
        if (t->rank + step >= t->size)
            continue;
        if (t->recv(t->context, t->rank + step, &size, sizeof size) != 0)
            return 0;
        data = size > 0 ? malloc(size) : NULL;
        if (data != NULL && t->recv(t->context, t->rank + step, data, size) != 0)
            good = 0;
        if (data == NULL || (good && pithi_defs_unpack(merge->defs, data, size, NULL) != PITH_OK))
            good = 0;
        free(data);
    }
    return good;
}

/* Down again: rank 0's set replaces everybody's. */
static int give_out(struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    uint64_t size = 0;
    size_t packed = 0;
    void *data = NULL;
    int good = 1;

    if (t->rank == 0) {
        root_properties(merge);
        if (pithi_defs_pack(merge->defs, &data, &packed) == PITH_OK)
            size = packed;
    }
    if (t->bcast(t->context, 0, &size, sizeof size) != 0 || size == 0)
        return 0;
    if (t->rank != 0)
        data = malloc(size);
    if (!agree(merge, data != NULL) || t->bcast(t->context, 0, data, size) != 0)
        good = 0;
    if (good && t->rank != 0) {
        pithi_defs_free(merge->defs);
        merge->defs = NULL;
        good = pithi_defs_new(&merge->defs) == PITH_OK && pithi_defs_unpack(merge->defs, data, size, NULL) == PITH_OK;
    }
    free(data);
    return good;
}

/* ---- 4: own records ---------------------------------------------------------------------------------------------- */

static int encode_own(struct merge *merge)
{
    char host[256] = "localhost";
    struct pithi_rank rank = {merge->t->rank, host, (uint64_t)getpid()};
    size_t size = 0;

    if (merge->have)
        memcpy(host, merge->spill.page.host, sizeof host);
    if (pithi_encode_open(&merge->encode, &rank, pithi_session.folder) != PITH_OK)
        return fail(pithlog_error());
    pithi_segment_expect(merge->encode.segment, merge->lanes);
    if ((merge->have && pithi_encode_records(&merge->encode, &merge->spill, merge->defs,
                                             merge->shift_ns - merge->zero_ns) != PITH_OK) ||
        pithi_segment_finish(merge->encode.segment) != PITH_OK ||
        pithi_defs_chunk(merge->defs, &merge->defs_chunk, &size) != PITH_OK)
        return fail(pithlog_error());
    merge->defs_size = size;
    pithi_segment_totals(merge->encode.segment, &merge->totals);
    return 1;
}

/* ---- 5: one file ------------------------------------------------------------------------------------------------- */

/* Where each stands, and what all have together. */
static int lay_out(struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    uint64_t own = pithi_encode_size(&merge->encode), before = own, sums[7], ends[2];
    struct pithi_totals *all = &merge->totals;

    if (t->sum_before(t->context, &before) != 0)
        return 0;
    sums[0] = own;
    memcpy(sums + 1, (uint64_t[]){all->records, all->states, all->events, all->messages, all->lost, all->lanes},
           6 * sizeof(uint64_t));
    ends[0] = biased(all->start_ns);
    ends[1] = ~biased(all->end_ns); /* the largest, in the same reduction */
    if (all->start_ns > all->end_ns)
        ends[0] = ends[1] = UINT64_MAX;
    if (t->reduce(t->context, sums, 7, PITH_SUM) != 0 || t->reduce(t->context, ends, 2, PITH_MIN) != 0)
        return 0;
    merge->base = PITHI_HEADER_SIZE + merge->defs_size + before;
    merge->table = PITHI_HEADER_SIZE + merge->defs_size + sums[0];
    *all = (struct pithi_totals){sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], 0, -1};
    if (ends[0] != UINT64_MAX || ends[1] != UINT64_MAX) {
        all->start_ns = unbiased(ends[0]);
        all->end_ns = unbiased(~ends[1]);
    }
    return 1;
}

static int put(struct merge *merge, uint64_t offset, const void *data, size_t size)
{
    return merge->t->file_write_at(merge->t->context, merge->file, offset, data, size);
}

static int put_segment(void *context, uint64_t offset, const void *data, size_t size)
{
    struct merge *merge = context;
    return put(merge, merge->base + offset, data, size);
}

static int write_own(struct merge *merge)
{
    unsigned char entry[PITHI_RANK_ENTRY_SIZE];
    if (pithi_segment_index(merge->encode.segment, merge->base) != PITH_OK ||
        pithi_encode_write(&merge->encode, put_segment, merge) != 0)
        return 0;
    pithi_rank_entry(merge->encode.segment, merge->base, entry);
    return put(merge, merge->table + pithi_rank_entry_offset((uint32_t)merge->t->rank), entry, sizeof entry) == 0;
}

static int write_frame(struct merge *merge)
{
    uint32_t ranks = (uint32_t)merge->t->size;
    unsigned char header[PITHI_HEADER_SIZE], head[PITHI_RANK_ENTRY_SIZE], footer[PITHI_FOOTER_SIZE];
    size_t head_size;

    pithi_file_header(header);
    pithi_rank_table_head(ranks, head, &head_size);
    pithi_file_footer(PITHI_HEADER_SIZE, merge->table, ranks, &merge->totals, footer);
    return put(merge, 0, header, sizeof header) == 0 &&
           put(merge, PITHI_HEADER_SIZE, merge->defs_chunk, merge->defs_size) == 0 &&
           put(merge, merge->table, head, head_size) == 0 &&
           put(merge, merge->table + pithi_rank_table_size(ranks), footer, sizeof footer) == 0;
}

static int write_log(struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    int good, saved;
    snprintf(merge->part, sizeof merge->part, "%s.%llx.part", pithi_session.log, (unsigned long long)pithi_session.job);
    errno = 0;
    good = t->file_open(t->context, merge->part, &merge->file) == 0;
    saved = errno;
    if (!agree(merge, good)) {
        if (t->rank == 0)
            pithi_say("%s: cannot be made%s%s", pithi_session.log, saved != 0 ? ": " : "",
                      saved != 0 ? strerror(saved) : "");
        pithi_session.failed |= t->rank == 0;
        if (good)
            t->file_close(t->context, merge->file);
        return 0;
    }
    errno = 0;
    good = write_own(merge) && (t->rank != 0 || write_frame(merge));
    saved = errno;
    if (t->file_close(t->context, merge->file) != 0)
        good = 0;
    if (!good) {
        char text[PITHI_PATH_MAX + 128];
        snprintf(text, sizeof text, "%s: cannot be written: %s", pithi_session.log, strerror(saved != 0 ? saved : EIO));
        fail(text);
    }
    return good;
}

/* ---- 6: the name, and the end ------------------------------------------------------------------------------------ */

static int publish(struct merge *merge)
{
    struct pithi_output output = {
        merge->part,        pithi_session.log,        merge->totals.records,
        merge->totals.lost, (uint32_t)merge->t->size, (uint32_t)((uint64_t)merge->t->size - merge->recorded)};
    return merge->t->rank != 0 || pithi_output_publish(&output);
}

static int merge_steps(struct merge *merge)
{
    if (!agree(merge, open_own(merge)))
        return 0;
    merge->lanes = merge->spill.lane_count;
    if (!agree(merge, reduce_one(merge, &merge->lanes, PITH_SUM) && align_clocks(merge)))
        return 0;
    if (!agree(merge, unite(merge, own_defs(merge))) || !agree(merge, give_out(merge)))
        return 0;
    if (!agree(merge, encode_own(merge)) || !agree(merge, lay_out(merge)))
        return 0;
    return agree(merge, write_log(merge)) && agree(merge, publish(merge));
}

/* Ends recording here. 1: there is something to merge. */
static int stop_recording(int flush_state)
{
    struct pithi_guard guard;
    int have;
    if (flush_state != 0)
        pith_end((uint32_t)flush_state);
    if (!pithi_guard_enter(&guard))
        return 0;
    have = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    if (have)
        pithi_buffer_anchor();
    pithi_session_over();
    pithi_guard_leave(&guard);
    return have;
}

void pithi_merge(const struct pith_transport *transport)
{
    struct merge merge = {.t = transport};
    struct pithi_signals signals;
    int state = pithi_state(), flush_state = 0, good;
    uint64_t here = (state == PITHI_RECORDING || state == PITHI_PAUSED) && pithi_session.file.page != NULL;

    if (here != 0) {
        flush_state = (int)pith_state_define_group("pith:flush", "gray50", "pith");
        pith_begin((uint32_t)flush_state);
    }
    if (!reduce_one(&merge, &here, PITH_SUM))
        here = 0;
    merge.recorded = here;
    merge.have = stop_recording(flush_state);
    merge.encode.fd = -1;
    if (here == 0)
        return;
    pithi_signals_begin(&signals);
    good = merge_steps(&merge);
    if (!good) {
        if (transport->rank == 0 && merge.part[0] != '\0')
            unlink(merge.part);
        if (transport->rank == 0)
            pithi_output_kept();
    } else if (merge.have) {
        __atomic_store_n(&pithi_session.file.page->finished, 1, __ATOMIC_RELEASE);
        pithi_spill_file_remove(&pithi_session.file);
        rmdir(pithi_session.folder); /* the last one gets it; others', or another job's, files keep it */
    }
    pithi_encode_close(&merge.encode);
    pithi_spill_close(&merge.spill);
    pithi_defs_free(merge.defs);
    free(merge.defs_chunk);
    pithi_signals_end(&signals);
}

void pithi_merge_alone(void)
{
    int saved = errno;
    pithi_merge(pithi_transport_alone());
    errno = saved;
}

void pithi_merge_missed(void)
{
    if (pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER)
        pithi_output_missed();
}
