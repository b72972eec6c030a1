/* spill_read.c - converts the spill files of a job to a log, in one process. It reads all files three times: for the
 * clocks of the machines, for the start of the log, and for the records.
 *
 * Three readings are needed for two reasons. To compute a record's time, the clock of its machine must be fitted
 * (spill_time.h), and the fit uses all processes on this machine. Time 0 of the log is the earliest begin of all
 * processes, in the fitted time. To keep all files open between the readings would need as many mappings as there are
 * processes. */
#include "spill/spill_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "native/defs.h"
#include "spill/spill_emit.h"
#include "spill/spill_missing.h"
#include "spill/spill_numbers.h"
#include "spill/spill_time.h"
#include "spill/spill_trim.h"

/* Data that the processes of a machine share. */
struct machine {
    char boot_id[64];              /* as Linux gives it */
    uint32_t clock;                /* the clock's number in the log */
    int64_t shift_ns;              /* CLOCK_MONOTONIC to CLOCK_REALTIME */
    struct pithi_anchor_pair base; /* the longest base line of any of its processes (spill_time.h) */
    struct pithi_sync *syncs;      /* the sync points of the process that has the most */
    uint32_t sync_count, number;   /* number: the clock's number in the job */
    int32_t rank;                  /* the lowest rank found on this machine */
};

struct reading {
    struct pithi_writer *writer;
    const struct pithi_spill_job *job; /* the job that is read */
    struct pithi_spill_result *result; /* counts, for the summary line */
    void (*say)(void *context, const char *text);
    void *context;            /* for `say` */
    struct machine *machines; /* [machine_count] */
    uint32_t machine_count;
    int64_t zero_ns;                 /* CLOCK_REALTIME of the log's time 0 */
    int64_t fit_error_ns, parted_ns; /* the largest of all processes (spill_time.h) */
    int32_t rank;                    /* of the process being read */
    uint32_t threads;                /* number of thread numbers of `rank` that are in use */
    int has_properties;              /* 1: the properties of the job are in the log */
};

/* Finds or adds the machine of a process. Here a machine is one boot of a computer with one kind of counter, because
 * both decide how ticks become time. Returns NULL if there is no memory. */
static struct machine *machine_of(struct reading *reading, const struct pithi_spill_page *page)
{
    struct machine *machine;
    uint32_t i;
    for (i = 0; i < reading->machine_count; i++)
        if (strcmp(reading->machines[i].boot_id, page->boot_id) == 0 && reading->machines[i].clock == page->clock)
            return &reading->machines[i];
    if (!pithi_grow_one(&reading->machines, reading->machine_count, sizeof *reading->machines))
        return NULL;
    machine = &reading->machines[reading->machine_count++];
    memset(machine, 0, sizeof *machine);
    memcpy(machine->boot_id, page->boot_id, sizeof machine->boot_id);
    machine->clock = page->clock;
    machine->rank = INT32_MAX;
    machine->shift_ns = (int64_t)((uint64_t)page->first.real_ns - (uint64_t)page->first.mono_ns);
    return machine;
}

/* First pass: finds the longest base line and the most sync points of each machine. */
static int look_at_clock(struct reading *reading, struct pithi_spill *spill, const struct pithi_spill_member *member)
{
    struct machine *machine = machine_of(reading, &spill->page);
    struct pithi_anchor_pair pair = pithi_spill_base(&spill->page);
    if (machine == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks");
    if (member->rank < machine->rank)
        machine->rank = member->rank;
    /* Of all processes on a machine, uses the sync points of the one that has the most. */
    if (spill->sync_count > machine->sync_count) {
        free(machine->syncs);
        machine->syncs = spill->syncs;
        machine->sync_count = spill->sync_count;
        machine->number = spill->clock_number;
        /* struct machine owns the sync points now, so pithi_spill_close must not free them */
        spill->syncs = NULL;
        spill->sync_count = 0;
    }
    pithi_anchor_longest(&machine->base, &pair);
    /* if the process ran on this computer, the present time ends the base line instead of the last anchor: it is longer
     */
    if (pithi_spill_now(&spill->page, &pair.last))
        pithi_anchor_longest(&machine->base, &pair);
    return PITH_OK;
}

/* Fits the clock of a process with the base line and the sync points of its machine. */
static int fit(const struct machine *machine, struct pithi_spill *spill)
{
    size_t size = machine->sync_count * sizeof *machine->syncs;
    /* replaces the process's own sync points by those of the machine */
    free(spill->syncs);
    spill->sync_count = 0;
    spill->syncs = malloc(size + 1);
    if (spill->syncs == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks");
    if (size > 0)
        memcpy(spill->syncs, machine->syncs, size);
    spill->sync_count = machine->sync_count;
    return pithi_spill_fit(spill, &machine->base);
}

/* Returns the shift from the fitted time of a machine to CLOCK_REALTIME. All machines with sync points use the shift of
 * the reference machine, because with shifts of their own, their records would be apart by the differences of their
 * system clocks. Each machine without sync points uses its own shift. */
static int64_t shift_of(const struct reading *reading, const struct machine *machine)
{
    uint32_t i;
    for (i = 0; machine->sync_count > 0 && i < reading->machine_count; i++)
        if (reading->machines[i].sync_count > 0)
            return reading->machines[i].syncs->shift_ns;
    return machine->shift_ns;
}

/* Second pass: finds when recording began, and collects the meanings of event numbers (spill_numbers.h). The earliest
 * begin of all processes is time 0 of the log. */
static int look_at_start(struct reading *reading, struct pithi_spill *spill, const struct pithi_spill_member *member)
{
    const struct machine *machine = machine_of(reading, &spill->page);
    int64_t begin;
    (void)member;
    if (machine == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks");
    if (fit(machine, spill))
        return PITH_ERR_MEMORY;
    if (spill->time.error_ns > reading->fit_error_ns)
        reading->fit_error_ns = spill->time.error_ns;
    if (spill->time.parted_ns > reading->parted_ns)
        reading->parted_ns = spill->time.parted_ns;
    begin = pithi_spill_begin_ns(spill);
    if (begin != INT64_MAX)
        begin = pithi_ns_sum(begin, shift_of(reading, machine));
    if (begin < reading->zero_ns)
        reading->zero_ns = begin;
    return pithi_spill_numbers_said(spill, pithi_writer_defs(reading->writer));
}

static int lane(void *context, uint32_t thread, const char *name, uint32_t *index)
{
    struct reading *reading = context;
    return pithi_writer_lane(reading->writer, reading->rank, thread, name, index);
}

static int comm(void *context, const struct pithlog_comm *definition, uint32_t *index)
{
    struct reading *reading = context;
    return pithi_writer_comm(reading->writer, definition, index);
}

static int add(void *context, const struct pithlog_record *record)
{
    struct reading *reading = context;
    return pithi_writer_add(reading->writer, record);
}

/* Sets a property, unless its value is empty. */
static void property(struct pithi_defs *defs, const char *key, const char *format, ...)
{
    char value[1100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    if (*value != '\0')
        pithi_defs_property(defs, key, value);
}

/* Returns 1 if all processes ran during one boot of one computer: then they share CLOCK_MONOTONIC, even if they read
 * different counters. */
static int is_one_clock(const struct reading *reading)
{
    uint32_t i;
    for (i = 1; i < reading->machine_count; i++)
        if (strcmp(reading->machines[i].boot_id, reading->machines->boot_id) != 0)
            return 0;
    return 1;
}

/* Returns the number of a machine's clock: 0 for the reference clock, or if there is only one clock; UINT32_MAX if the
 * clock was never compared with the reference clock. */
static uint32_t clock_number(const struct reading *reading, const struct machine *machine)
{
    return machine->sync_count > 0 ? machine->number : is_one_clock(reading) ? 0 : UINT32_MAX;
}

static int clock_properties(struct reading *reading, struct pithi_defs *defs)
{
    int64_t worst = 0;
    uint32_t i, k;
    if (is_one_clock(reading)) {
        property(defs, "clock_error_ns", "%lld", (long long)pithi_ns_sum(reading->parted_ns, 100));
        return PITH_OK;
    }
    for (i = 0; i < reading->machine_count; i++) {
        const struct machine *machine = &reading->machines[i];
        if (machine->sync_count == 0)
            worst = INT64_MAX;
        for (k = 0; k < machine->sync_count; k++)
            if (machine->syncs[k].round_ns > worst)
                worst = machine->syncs[k].round_ns;
        if (machine->sync_count == 0 || machine->number == 0)
            continue;
        int64_t shift_ns = pithi_ns_apart(shift_of(reading, machine), reading->zero_ns);
        char key[32], *text = pithi_sync_text(machine->rank, machine->syncs, machine->sync_count, 1, shift_ns);
        if (text == NULL)
            return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks");
        snprintf(key, sizeof key, "clock_sync_%u", machine->number);
        int err = pithi_defs_property(defs, key, text);
        free(text);
        CHECK(err);
    }
    /* Half a round trip is the largest possible error of a comparison of clocks, so half of the worst round trip
     * counts.
     */
    if (worst == INT64_MAX)
        property(defs, "clock_error_ns", "unknown");
    else
        property(defs, "clock_error_ns", "%lld", (long long)pithi_ns_sum(reading->parted_ns, worst / 2 + 100));
    return PITH_OK;
}

static void properties(struct reading *reading, const struct pithi_spill *first)
{
    struct pithi_defs *defs = pithi_writer_defs(reading->writer);
    int64_t zero_ns = reading->zero_ns > 0 ? reading->zero_ns : 0;
    char window[64], clock[64];
    property(defs, "program", "%s", first->page.program);
    property(defs, "log", "%s", first->page.log);
    property(defs, "start_unix_s", "%lld.%09lld", (long long)(zero_ns / 1000000000), (long long)(zero_ns % 1000000000));
    pithi_clock_text(&first->page, &first->time, clock, sizeof clock);
    property(defs, "clock", "%s", clock);
    property(defs, "clock_fit_ns", "%lld", (long long)reading->fit_error_ns);
    clock_properties(reading, defs);
    pithi_spill_window_text(&first->page, window, sizeof window);
    property(defs, "window_s", "%s", window);
    property(defs, "recovered", "%u of %u ranks%s", reading->job->ranks - reading->job->missing, reading->job->ranks,
             reading->job->running > 0 ? PITHI_STILL_RUNNING : "");
}

/* Returns 1 if the process may still be running: its number belongs to a living process, or it has changed its page
 * since the file was opened. */
static int is_live(const struct pithi_spill *spill, const struct pithi_spill_member *member)
{
    struct pithi_spill_page now;
    return member->running || pread(spill->fd, &now, sizeof now, 0) != (ssize_t)sizeof now ||
           now.last_version != spill->page.last_version || now.definitions != spill->page.definitions;
}

/* Third pass: writes the records. */
static int emit(struct reading *reading, struct pithi_spill *spill, const struct pithi_spill_member *member)
{
    struct machine *machine = machine_of(reading, &spill->page);
    struct pithi_rank rank = {member->rank, spill->page.host, spill->page.pid,
                              machine != NULL ? clock_number(reading, machine) : 0};
    struct pithi_spill_target target = {
        .context = reading, .defs = pithi_writer_defs(reading->writer), .lane = lane, .comm = comm, .add = add};
    uint32_t i;

    if (machine == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory for the clocks");
    CHECK(fit(machine, spill));
    if (reading->zero_ns == INT64_MAX) /* no process has records */
        reading->zero_ns = spill->page.first.real_ns;
    target.shift_ns = pithi_ns_apart(shift_of(reading, machine), reading->zero_ns);
    target.is_live = is_live(spill, member);
    /* looks for losses only if `say` is set, because this reads the whole file once more */
    if (reading->say != NULL) {
        struct pithi_spill_missing missing = {
            .rank = member->rank, .shift_ns = target.shift_ns, .say = reading->say, .context = reading->context};
        pithi_spill_missing(spill, PITHI_MISSING_SUMS | (target.is_live ? PITHI_MISSING_LIVE : 0), &missing);
        reading->result->losses += missing.places;
        reading->result->missing += missing.records;
    }
    /* A rank that has called exec has several spill files. The threads of a later file get numbers after those of the
     * earlier files. */
    reading->threads = member->rank == reading->rank ? reading->threads : 0;
    target.thread_base = reading->threads;
    if (spill->lane_count > 0)
        reading->threads += spill->lanes[spill->lane_count - 1].lane + 1;
    reading->rank = member->rank;
    CHECK(pithi_writer_rank(reading->writer, &rank));
    char key[64 + sizeof spill->page.host], parted[160];
    snprintf(key, sizeof key, "clock_parted %s", spill->page.host);
    pithi_clock_parted_text(&spill->page, target.shift_ns, parted, sizeof parted);
    property(target.defs, key, "%s", parted);
    for (i = 0; i < spill->property_count; i++)
        CHECK(pithi_defs_property_of_many(target.defs, spill->properties[i].key, spill->properties[i].value));
    CHECK(pithi_spill_emit(spill, &target, &reading->result->records, &reading->result->damaged));
    reading->result->lost += spill->page.lost;
    if (!reading->has_properties)
        properties(reading, spill);
    reading->has_properties = 1;
    return PITH_OK;
}

/* Opens the files of the job one after another and calls visit() with each. Counts the files that cannot be read. */
static int for_each(struct reading *reading, const struct pithi_spill_folder *folder, const struct pithi_spill_job *job,
                    int (*visit)(struct reading *reading, struct pithi_spill *spill,
                                 const struct pithi_spill_member *member))
{
    uint32_t i;
    reading->result->unreadable = 0;
    for (i = job->first; i < job->first + job->count; i++) {
        /* keeps the present contents of the file, because a running process changes it */
        struct pithi_spill spill;
        int err = pithi_spill_open_still(&spill, folder->members[i].path);
        if (err == PITH_ERR_MEMORY)
            return err;
        if (err != PITH_OK) { /* the file was removed or damaged meanwhile; the other files can still be read */
            reading->result->unreadable++;
            continue;
        }
        err = visit(reading, &spill, &folder->members[i]);
        pithi_spill_close(&spill);
        if (err != PITH_OK)
            return err;
    }
    return PITH_OK;
}

int pithi_spill_read_job(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job,
                         struct pithi_writer *writer, struct pithi_spill_result *result,
                         void (*say)(void *context, const char *text), void *context)
{
    struct pithi_spill_result own;
    struct reading reading = {
        .writer = writer, .job = job, .say = say, .context = context, .zero_ns = INT64_MAX, .rank = -1};
    char text[4096 + 400], ranks[128];
    int err;

    reading.result = result != NULL ? result : &own;
    memset(reading.result, 0, sizeof *reading.result);
    /* Reports files whose page is unreadable. Their rank is unknown, so the report adds the ranks without a file. */
    pithi_spill_ranks_missing(folder, job, ranks, sizeof ranks);
    for (uint32_t i = 0; say != NULL && i < folder->unreadable; i++) {
        if (pithi_spill_other_version(folder->unreadable_paths[i]))
            snprintf(text, sizeof text, "%s", pithlog_error());
        else
            snprintf(text, sizeof text,
                     "%s: byte 0: no spill file is left here: all that its process recorded is missing%s%s",
                     folder->unreadable_paths[i], *ranks != '\0' ? "; nothing is left of " : "", ranks);
        say(context, text);
    }
    reading.result->losses += folder->unreadable;
    TRY(for_each(&reading, folder, job, look_at_clock));
    TRY(for_each(&reading, folder, job, look_at_start));
    TRY(for_each(&reading, folder, job, emit));
    /* Marks the log as incomplete, with the reasons. Losses are only searched for if `say` is set. The unreadable files
     * of the folder are subtracted from the losses, because they are counted in `files`. */
    struct pithi_defs *defs = pithi_writer_defs(writer);
    uint64_t losses = reading.result->losses - folder->unreadable, damaged = reading.result->damaged;
    uint64_t places = losses > damaged ? losses : damaged;
    uint32_t files = reading.result->unreadable + folder->unreadable;
    if (*ranks != '\0')
        TRY(pithi_incomplete(defs, "no records of %s", ranks));
    if (files > 0)
        TRY(pithi_incomplete(defs, "%u spill file%s could not be read", files, files == 1 ? "" : "s"));
    if (places > 0)
        TRY(pithi_incomplete(defs, "records are missing in %llu place%s of the spill files", (unsigned long long)places,
                             places == 1 ? "" : "s"));
out:
    for (uint32_t i = 0; i < reading.machine_count; i++)
        free(reading.machines[i].syncs);
    free(reading.machines);
    return err;
}

/* ---- As a format ------------------------------------------------------------------------------------------------- */

int pithi_spill_probe(const struct pithi_input *input)
{
    struct pithi_spill_folder folder;
    struct stat info;
    int found;
    /* A folder is of this format if it has spill files, even of another version of Pith: the error on opening then says
     * which version. */
    if (input->data != NULL)
        return pithi_spill_is_any(input->data, input->size);
    if (stat(input->path, &info) != 0 || !S_ISDIR(info.st_mode) ||
        pithi_spill_folder_open(&folder, input->path) != PITH_OK)
        return 0;
    found = folder.member_count > 0 || (folder.unreadable > 0 && pithi_spill_other_version(folder.unreadable_paths[0]));
    pithi_spill_folder_close(&folder);
    return found;
}

int pithi_spill_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct pithi_spill_folder folder;
    int err = pithi_spill_folder_open(&folder, input->path);
    if (err != PITH_OK)
        return err;
    /* Reads the newest job of the folder, which is the last one, because jobs are sorted by their start. */
    if (folder.job_count == 0 && folder.unreadable > 0 && pithi_spill_other_version(folder.unreadable_paths[0]))
        err = PITH_ERR_UNSUPPORTED;
    else if (folder.job_count == 0)
        err = pithi_fail(PITH_ERR_FORMAT, "%s: holds nothing that was recorded and not yet made a log of", input->path);
    else
        err = pithi_spill_read_job(&folder, &folder.jobs[folder.job_count - 1], writer, NULL, input->damage,
                                   input->damage_context);
    pithi_spill_folder_close(&folder);
    return err;
}
