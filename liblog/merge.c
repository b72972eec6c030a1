/* merge.c - merges the spill files of all processes of a job into one log; each process makes its own part.
 *
 *     1. all end recording, and open their own spill files
 *     2. time: all use the difference of CLOCK_REALTIME and CLOCK_MONOTONIC of rank 0's machine (processes of other
 *        machines without sync points use their own); the earliest record of all is time 0 of the log
 *     3. definitions: united up a binomial tree, then broadcast
 *     4. each process encodes its own records (the longest step; no communication)
 *     5. a prefix sum of the sizes gives each segment its place; all write (merge_file.c)
 *     6. rank 0 gives the file its name; only then are the spill files removed
 *
 * After each step that can fail, all processes agree on the result. If a process failed, all stop: the unfinished file
 * is removed, and the spill files stay. No process handles the records of another, except rank 0, which writes the
 * encoded bytes of processes that do not see the log's folder (merge_file.c). With more processes the work of each
 * grows only with the height of the tree.
 */
#include "merge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "base/worker.h"
#include "calibrate.h"
#include "chunks.h"
#include "clock.h"
#include "counters.h"
#include "definitions.h"
#include "host_clocks.h"
#include "host_facts.h"
#include "listener.h"
#include "output.h"
#include "pith.h"
#include "process.h"
#include "sample.h"
#include "selection.h"
#include "session.h"
#include "spill/clock_sync.h"
#include "spill/spill_missing.h"
#include "spill/spill_numbers.h"
#include "spill/spill_trim.h"

/* ---- Failing together -------------------------------------------------------------------------------------------- */

int pithi_merge_fail(const char *what)
{
    if (!pithi_session.failed)
        pithi_say("%s", what);
    pithi_session.failed = 1;
    return 0;
}

/* Collective: returns 1 in all processes if all are `good`, else 0 in all. */
static int agree(const struct merge *merge, int good)
{
    uint64_t value = good != 0;
    return merge->t->reduce(merge->t->context, &value, 1, PITH_MIN) == 0 && value == 1;
}

/* ---- 1, 2: own file, one time ------------------------------------------------------------------------------------ */

static void say_missing(void *context, const char *text)
{
    (void)context;
    pithi_say("%s", text);
}

static int open_own(struct merge *merge)
{
    if (!merge->have)
        return 1;
    if (pithi_spill_open(&merge->spill, pithi_session.file.path) != PITH_OK ||
        pithi_spill_fit(&merge->spill, NULL) != PITH_OK)
        return pithi_merge_fail(pithlog_error());
    /* Records that are missing because the file was truncated or overwritten count as lost. */
    struct pithi_spill_missing missing = {.rank = merge->t->rank, .say = say_missing};
    int64_t begin_ns = pithi_spill_begin_ns(&merge->spill);
    missing.shift_ns = begin_ns != INT64_MAX ? -begin_ns : 0;
    pithi_spill_missing(&merge->spill, 0, &missing);
    merge->spill.page.lost += missing.records;
    /* the file was truncated, then extended again, so its records are zeros */
    if (pithi_spill_file_cut() && missing.places == 0)
        pithi_say("%s: was truncated while the program ran: records are missing", merge->spill.path);
    return 1;
}

/* The broadcast of rank 0: the clock of its machine, and the settings of the log. */
struct agreement {
    char boot_id[64]; /* of rank 0's machine */
    int64_t shift_ns;
    struct pithi_coarse_rules coarse;
    uint32_t files;
};

/* Step 2. Returns 1 if all processes are `good` so far; each process gets the same answer. */
static int align_clocks(struct merge *merge, int good)
{
    struct agreement own = {.coarse = {pithi_session.settings.time_unit_ns, pithi_session.settings.min_duration_ns},
                            .files = merge->t->rank != 0 || pithi_output_foreign() ? 1 : pithi_session.settings.files};
    struct agreement root;
    struct pithi_anchor now;
    /* Minima over all processes: first record; one clock; good; ~ of two clock errors, which gives their maxima. */
    uint64_t least[5];
    int64_t earliest;

    pithi_clock_anchor(&now);
    pithi_boot_id(own.boot_id, sizeof own.boot_id);
    own.shift_ns = now.real_ns - now.mono_ns;
    root = own;
    if (merge->t->bcast(merge->t->context, 0, &root, sizeof root) != 0)
        return 0;
    merge->coarse = root.coarse;
    merge->files = root.files;
    merge->one_clock = strcmp(root.boot_id, own.boot_id) == 0;
    merge->shift_ns = merge->one_clock || merge->spill.sync_count > 0 ? root.shift_ns : own.shift_ns;
    earliest = merge->have && good ? pithi_spill_begin_ns(&merge->spill) : INT64_MAX;
    least[0] = biased(earliest != INT64_MAX ? earliest + merge->shift_ns : INT64_MAX);
    least[1] = merge->one_clock;
    least[2] = good != 0;
    least[3] = ~(merge->have && good ? (uint64_t)merge->spill.time.error_ns : 0);
    least[4] = ~(merge->have && good ? (uint64_t)merge->spill.time.parted_ns : 0);
    merge->lanes = merge->spill.lane_count;
    if (merge->t->reduce(merge->t->context, least, 5, PITH_MIN) != 0 ||
        merge->t->reduce(merge->t->context, &merge->lanes, 1, PITH_SUM) != 0)
        return 0;
    merge->zero_ns = unbiased(least[0]) != INT64_MAX ? unbiased(least[0]) : now.real_ns;
    merge->one_clock = least[1];
    merge->fit_error_ns = ~least[3];
    merge->parted_ns = ~least[4];
    merge->reference_shift_ns = root.shift_ns;
    return least[2] == 1;
}

/* ---- 3: definitions ---------------------------------------------------------------------------------------------- */

/* Returns the host's name, also in a process that does not record (PITH_RANKS). */
static const char *own_host(void)
{
    return pithi_session.file.page != NULL ? pithi_session.file.page->host : "localhost";
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

/* Adds the properties of this process's clock. Every process does so, because rank 0 may not have recorded. If rank 0
 * has, its values stay. */
static void clock_property(struct merge *merge)
{
    if (!merge->have)
        return;
    char text[160], key[64 + sizeof merge->spill.page.host];
    pithi_clock_text(&merge->spill.page, &merge->spill.time, text, sizeof text);
    property(merge, "clock", "%s", text);
    property(merge, "clock_fit_ns", "%llu", (unsigned long long)merge->fit_error_ns);
    snprintf(key, sizeof key, "clock_parted %s", merge->spill.page.host);
    pithi_clock_parted_text(&merge->spill.page, merge->shift_ns - merge->zero_ns, text, sizeof text);
    property(merge, key, "%s", text);
}

static int own_defs(struct merge *merge)
{
    uint32_t i;
    if (pithi_defs_new(&merge->defs) != PITH_OK)
        return pithi_merge_fail(pithlog_error());
    if (pithi_spill_numbers_own(&merge->spill, merge->defs) != PITH_OK ||
        (!merge->have && pithi_defs_said(merge->defs) != PITH_OK))
        return pithi_merge_fail(pithlog_error());
    for (i = 0; i < merge->spill.property_count; i++)
        if (pithi_defs_property(merge->defs, merge->spill.properties[i].key, merge->spill.properties[i].value) !=
            PITH_OK)
            return pithi_merge_fail(pithlog_error());
    clock_property(merge);
    if (merge->have && (pithi_host_facts_tell(merge->defs, own_host(), merge->t->affinity) != PITH_OK ||
                        pithi_calibrate_tell(merge->defs, own_host()) != PITH_OK ||
                        pithi_core_wait_tell(merge->defs, &merge->core_wait, (unsigned)merge->core_ranks) != PITH_OK ||
                        pithi_core_wait_tell_rank(merge->defs, &merge->own_wait, merge->t->rank) != PITH_OK))
        return pithi_merge_fail(pithlog_error());
    /* Adds host and communicators, for the start of the log. The lowest rank that has the members of a communicator
     * will write them; with PITH_RANKS, the communicator's rank 0 may not have recorded. */
    for (uint32_t k = 0; k < merge->spill.comm_count; k++) {
        if (merge->spill.comms[k].defined &&
            pithi_defs_comm(merge->defs, &merge->spill.comms[k].comm, merge->t->rank) != PITH_OK)
            return pithi_merge_fail(pithlog_error());
    }
    return pithi_defs_host(merge->defs, own_host()) == PITH_OK ? 1 : pithi_merge_fail(pithlog_error());
}

static int tell_clock(struct pithi_defs *defs, uint32_t number, int64_t shift_ns)
{
    struct pithi_clock_history past = pithi_host_clocks_history(number);
    char key[32], *text = pithi_sync_text(past.leader, past.points, past.rounds, past.step, shift_ns);
    int err;
    if (text == NULL)
        return PITH_ERR_MEMORY;
    snprintf(key, sizeof key, "clock_sync_%u", number);
    err = pithi_defs_property(defs, key, text);
    free(text);
    return err;
}

/* Adds the properties of the clocks (formats/native/SPEC.md). `shift_ns`: from the reference clock to log time. */
static int tell_clocks(struct pithi_defs *defs, int64_t shift_ns, int64_t parted_ns)
{
    int64_t worst = 0;
    char text[32] = "unknown";
    int err = PITH_OK;
    for (uint32_t i = 1; i < pithi_host_clocks_count() && worst >= 0; i++) {
        int64_t round = pithi_host_clocks_history(i).worst_ns;
        worst = round < 0 || round > worst ? round : worst;
    }
    if (worst >= 0) /* plus 100 ns, the error of reading a clock */
        snprintf(text, sizeof text, "%lld", (long long)pithi_ns_sum(parted_ns, (worst + 1) / 2 + 100));
    for (uint32_t i = 1; i < pithi_host_clocks_count() && err == PITH_OK; i++)
        err = tell_clock(defs, i, shift_ns);
    return err != PITH_OK ? err : pithi_defs_property(defs, "clock_error_ns", text);
}

/* A set of definitions is sent in pieces, so that a receiver without memory for it can take and drop them; the sender
 * would hang otherwise. */
enum { PIECE = 65536 };

static int send_set(const struct pith_transport *t, int to, const char *data, uint64_t size)
{
    if (t->send(t->context, to, &size, sizeof size) != 0)
        return 0;
    for (uint64_t at = 0; at < size; at += PIECE)
        if (t->send(t->context, to, data + at, size - at < PIECE ? (size_t)(size - at) : PIECE) != 0)
            return 0;
    return 1;
}

/* Receives a set. Returns NULL if the sender failed, or if there is no memory for the set. */
static char *receive_set(const struct pith_transport *t, int from, uint64_t *size)
{
    static char passing[PIECE]; /* static, because the caller's stack may be small */
    char *data;
    int good = t->recv(t->context, from, size, sizeof *size) == 0;
    if (!good || *size == 0)
        return NULL;
    data = malloc(*size);
    for (uint64_t at = 0; good && at < *size; at += PIECE)
        good = t->recv(t->context, from, data != NULL ? data + at : passing,
                       *size - at < PIECE ? (size_t)(*size - at) : PIECE) == 0;
    if (!good) {
        free(data);
        data = NULL;
    }
    return data;
}

/* Collects definitions up the tree: rank r receives the definitions of r + 1, r + 2, r + 4 ... A set of size 0 means
 * that its sender failed. */
static int unite(struct merge *merge, int good)
{
    const struct pith_transport *t = merge->t;
    int step;
    for (step = 1; step < t->size; step *= 2) {
        uint64_t size = 0;
        char *data;
        if ((t->rank & step) != 0) {
            void *packed = NULL;
            size_t packed_size = 0;
            if (good && pithi_defs_pack(merge->defs, &packed, &packed_size) != PITH_OK)
                good = pithi_merge_fail(pithlog_error());
            good = send_set(t, t->rank - step, packed, good ? packed_size : 0) && good;
            free(packed);
            return good;
        }
        if (t->rank + step >= t->size)
            continue;
        data = receive_set(t, t->rank + step, &size);
        if (data == NULL || (good && pithi_defs_unpack(merge->defs, data, size, NULL) != PITH_OK))
            good = 0;
        free(data);
    }
    return good;
}

/* Broadcasts the definitions of rank 0, if it is `good`. They replace those of all others. Returns 1 on success. */
static int give_out(struct merge *merge, int good)
{
    const struct pith_transport *t = merge->t;
    uint64_t size = 0;
    size_t packed = 0;
    void *data = NULL;

    if (t->rank == 0 && good) {
        /* Properties that rank 0 adds for all. */
        char window[64];
        property(merge, "program", "%s", pithi_session.program);
        property(merge, "start_unix_s", "%lld.%09lld", (long long)(merge->zero_ns / 1000000000),
                 (long long)(merge->zero_ns % 1000000000));
        clock_property(merge);
        if (merge->one_clock) /* all share CLOCK_MONOTONIC, so only an anchor's error of 100 ns is added */
            property(merge, "clock_error_ns", "%llu", (unsigned long long)merge->parted_ns + 100);
        else
            tell_clocks(merge->defs, merge->reference_shift_ns - merge->zero_ns, (int64_t)merge->parted_ns);
        if (merge->coarse.unit_ns > 1)
            property(merge, "time_unit_ns", "%lld", (long long)merge->coarse.unit_ns);
        pithi_spill_window_text(&merge->spill.page, window, sizeof window);
        property(merge, "window_s", "%s", window);
        property(merge, "pith", "%d.%d.%d", PITH_VERSION_MAJOR, PITH_VERSION_MINOR, PITH_VERSION_PATCH);
        if (merge->recorded != (uint64_t)merge->t->size)
            property(merge, "ranks_not_recorded", "%llu",
                     (unsigned long long)((uint64_t)merge->t->size - merge->recorded));
        if (pithi_spill_numbers_settle(merge->defs) == PITH_OK &&
            pithi_defs_pack(merge->defs, &data, &packed) == PITH_OK)
            size = packed;
    }
    if (t->bcast(t->context, 0, &size, sizeof size) != 0 || size == 0)
        return 0;
    if (t->rank != 0)
        data = malloc(size);
    good = agree(merge, data != NULL) && t->bcast(t->context, 0, data, size) == 0;
    if (good && t->rank != 0) {
        pithi_defs_free(merge->defs);
        merge->defs = NULL;
        good = pithi_defs_new(&merge->defs) == PITH_OK && pithi_defs_unpack(merge->defs, data, size, NULL) == PITH_OK;
    }
    free(data);
    return good;
}

/* ---- 4: own records ---------------------------------------------------------------------------------------------- */

/* Returns the number of processes that share this process's cores. */
static unsigned sharing(const struct pith_transport *t) { return (unsigned)(t->sharing > 0 ? t->sharing : t->size); }

static int encode_own(struct merge *merge)
{
    struct pithi_rank rank = {merge->t->rank, own_host(), (uint64_t)getpid(), pithi_host_clocks_own()};
    struct pithi_encode_job job = {&merge->spill,  merge->defs,
                                   merge->t->rank, merge->shift_ns - merge->zero_ns,
                                   merge->coarse,  pithi_cores() / sharing(merge->t)};

    if (pithi_encode_open(&merge->encode, &rank, pithi_session.folder) != PITH_OK)
        return pithi_merge_fail(pithlog_error());
    pithi_segment_expect(merge->encode.segment, merge->lanes);
    if ((merge->have && pithi_encode_records(&merge->encode, &job) != PITH_OK) ||
        pithi_segment_finish(merge->encode.segment) != PITH_OK)
        return pithi_merge_fail(pithlog_error());
    pithi_segment_totals(merge->encode.segment, &merge->totals);
    return 1;
}

/* ---- 6: the name, and the end ------------------------------------------------------------------------------------ */

static int publish(struct merge *merge)
{
    struct pithi_output output = {merge->part,
                                  pithi_session.log,
                                  merge->volumes,
                                  merge->totals.records,
                                  merge->totals.lost,
                                  (uint32_t)merge->t->size,
                                  (uint32_t)((uint64_t)merge->t->size - merge->recorded)};
    return merge->t->rank != 0 || pithi_output_publish(&output);
}

/* Runs all steps. A process that failed still takes part in each collective step, and reports its failure in that step.
 */
static int merge_steps(struct merge *merge)
{
    int good;
    if (!align_clocks(merge, open_own(merge)) || !agree(merge, give_out(merge, unite(merge, own_defs(merge)))) ||
        !pithi_merge_sum(merge, encode_own(merge)))
        return 0;
    /* All processes pack the same bytes, because their size determines the place of the segments. */
    if (merge->coarse.least_ns > 0)
        property(merge, "states_left_out", "%llu", (unsigned long long)merge->states_left_out);
    good = pithi_defs_chunk(merge->defs, &merge->defs_chunk, &merge->defs_size) == PITH_OK
               ? 1
               : pithi_merge_fail(pithlog_error());
    return pithi_merge_lay_out(merge) && agree(merge, pithi_merge_write(merge, good)) && agree(merge, publish(merge));
}

/* Ends recording in this process. Returns 1 if the process has records to merge. */
static int stop_recording(uint32_t flush_state)
{
    struct pithi_guard guard;
    int have;
    pithi_sample_finish();
    pithi_counters_finish();
    pith_end(flush_state);
    pithi_listener_close();
    if (!pithi_guard_enter(&guard))
        return 0;
    have = pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER;
    if (have) {
        pithi_lane_anchor();
        pithi_calibrate();
    }
    pithi_session_over();
    pithi_guard_leave(&guard);
    pithi_guard_settle();
    return have;
}

/* A pattern of PITH_ONLY or PITH_SKIP that matched nothing in any process is probably misspelt. One reduction adds up
 * MATCHES values, one for each pattern, and WAITS further values. */
enum { MATCHES = 2 * PITHI_PATTERNS, WAITS = 8 };

/* Prints a line for each pattern without a match. */
static void tell_unmatched(const uint64_t counts[MATCHES])
{
    char pattern[256], plain[256];
    int is_own = secure_getenv("_PITH_LIKE_MPE") != NULL; /* 1: the MPE library made the list, not the user */
    for (int i = 0; i < MATCHES && !is_own; i++) {
        int skip = i >= PITHI_PATTERNS;
        size_t size = 0;
        if (counts[i] > 0 || !pithi_pattern(skip, i % PITHI_PATTERNS, pattern, sizeof pattern) ||
            strcmp(pattern, "messages") == 0)
            continue;
        for (const char *at = pattern; *at != '\0'; at++)
            if (*at != '*')
                plain[size++] = *at;
        plain[size] = '\0';
        const char *nearest = pithi_defs_nearest(plain);
        pithi_say("%s: nothing in this run has the name or group %s%s%s%s", skip ? "PITH_SKIP" : "PITH_ONLY", pattern,
                  nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    }
}

/* Says that records were lost because of a full disk. The line names this host's folder. Ranks on other hosts may have
 * filled another disk, in a folder of the same name or in their TMPDIR. */
static void tell_full(uint64_t full, uint64_t ranks)
{
    pithi_say("%s: no space left on its file system during the run, so %llu of %llu ranks could not store all records; "
              "give a place with more space by -o, or for the records of the run by PITH_SPILL",
              pithi_session.folder, (unsigned long long)full, (unsigned long long)ranks);
}

int pithi_merge(const struct pith_transport *transport)
{
    struct merge merge = {.t = transport};
    struct pithi_signals signals;
    int state = pithi_state(), good;
    uint32_t flush_state = 0;
    uint64_t here = state != PITHI_NEW && state != PITHI_OVER && pithi_session.file.page != NULL;

    if (here != 0) {
        flush_state = pithi_own_state();
        pith_begin(flush_state);
    }
    struct pithi_no_core own = merge.own_wait = pithi_core_wait_end();
    int knows = here != 0 && own.time_ns > 0;
    uint64_t sums[1 + MATCHES + WAITS] = {here}, *waits = sums + 1 + MATCHES;
    for (int match = 0; match < MATCHES; match++)
        sums[1 + match] = (uint64_t)pithi_pattern_matched(match >= PITHI_PATTERNS, match % PITHI_PATTERNS);
    if (knows) {
        waits[0] = own.delay_ns;
        waits[1] = own.cpu_ns;
        waits[2] = own.time_ns;
        waits[3] = 1;
        waits[4] = transport->sharing > 0 && sharing(transport) > pithi_cores();
        waits[5] = own.threads_ns;
    }
    waits[7] = here != 0 && pithi_session.file.full;
    waits[6] = transport->rank == 0 && pithi_session.settings.analyze_ms > 0;
    here = transport->reduce(transport->context, sums, 1 + MATCHES + WAITS, PITH_SUM) == 0 ? sums[0] : 0;
    merge.recorded = here;
    merge.core_wait = (struct pithi_no_core){waits[0], waits[1], waits[2], waits[5]};
    merge.core_ranks = waits[3];
    merge.sharing = waits[4];
    merge.have = stop_recording(flush_state);
    if (here == 0) {
        if (pithi_session.left_out)
            rmdir(pithi_session.folder);
        return 0;
    }
    pithi_signals_begin(&signals);
    pithi_job_sync_clocks(transport, merge.have);
    good = merge_steps(&merge);
    if (!good) {
        if (transport->rank == 0)
            pithi_merge_unlink(&merge);
        pithi_output_kept(transport->rank);
    } else if (merge.have) {
        __atomic_store_n(&pithi_session.file.page->finished, 1, __ATOMIC_RELEASE);
        pithi_spill_file_remove(&pithi_session.file);
    }
    if (good && (merge.have || pithi_session.left_out)) {
        pithi_listener_clear();
        pithi_output_unmark();
        rmdir(pithi_session.folder); /* fails, and does no harm, while files of other processes are in it */
    }
    if (transport->rank == 0 && !pithi_session.settings.quiet) {
        tell_unmatched(sums + 1);
        if (good && waits[7] > 0 && merge.totals.lost > 0)
            tell_full(waits[7], (uint64_t)transport->size);
        /* If `pith analyze` has no sentence about the run, a line says whether ranks lacked cores. */
        if (good && (transport->size == 1 || !pithi_output_answer()))
            pithi_core_wait_say(&merge.core_wait, (unsigned)merge.sharing,
                                transport->sharing == transport->size ? pithi_cores() : 0);
    }
    pithi_far_close(&merge.far);
    pithi_encode_close(&merge.encode);
    pithi_spill_close(&merge.spill);
    pithi_defs_free(merge.defs);
    free(merge.defs_chunk);
    pithi_signals_end(&signals);
    return good && waits[6];
}

void pithi_merge_alone(void)
{
    struct pithi_guard guard;
    int saved = errno;
    if (!pithi_session.left_out) {
        pithi_merge(pith_transport_alone());
    } else if (pithi_guard_enter(&guard)) {
        pithi_session_drop();
        rmdir(pithi_session.folder);
        pithi_guard_leave(&guard);
    }
    errno = saved;
}

void pithi_merge_missed(void)
{
    pithi_listener_close();
    if (pithi_session.file.page != NULL && pithi_session.state != PITHI_OVER)
        pithi_output_missed();
}
