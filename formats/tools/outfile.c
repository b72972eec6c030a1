/* outfile.c - writes a log completely or not at all.
 *
 * The writer of a format writes OUT.part, which is renamed to OUT only when it is whole (foreign/format.c). So an
 * earlier OUT stays if the work fails. If a signal ends the process, for example by Ctrl-C, OUT.part must be removed,
 * too. A signal handler cannot remove it: OUT.part may be a folder of many files, and the functions to read a folder
 * are not async-signal-safe. So all threads block the signals, and one thread waits for a signal. This thread removes
 * OUT.part and then ends the process by the same signal, as the shell expects.
 *
 * A command must not replace the log that it reads by a page or a picture, as this may be the only copy of the log. A
 * file can have several names (a link, ./OUT), so inputs are recognised by the device and the inode number.
 */
#include "tools/outfile.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/nearest.h"
#include "native/log.h"
#include "reader/read/native.h"
#include "tools/progress.h"
#include "tools/tools.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static struct {
    const struct pithi_format *format;
    const char *path; /* the name OUT that the command line gives */
    char part[4096];  /* the name OUT.part; its size is shown as progress where records are not counted */
} out;

static void *wait_for_signal(void *set)
{
    int number = 0;

    sigwait(set, &number); /* the other threads have these signals blocked */
    pithi_format_discard(out.format, out.path);
    signal(number, SIG_DFL);
    /* raise() ends the process by this signal, so that the shell sees the expected exit status. It needs the signal
     * unblocked. */
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    raise(number);
    return NULL;
}

/* Starts the thread that waits for signals. Signals that nohup or a shell has set to be ignored stay ignored. */
static void guard(void)
{
    static sigset_t set;
    static int guarded;
    struct sigaction action;
    pthread_t thread;

    /* One thread serves all outputs of a command: it removes the OUT.part that `out` names when the signal comes. */
    if (guarded++)
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        /* under nohup SIGHUP is ignored and stays ignored */
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, &set) == 0)
        pthread_detach(thread);
    else /* Goes on without the thread: then a signal leaves OUT.part behind, which is better than no output. */
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- Inputs ------------------------------------------------------------------------------------------------------ */

static struct {
    dev_t device; /* the device of a file that the command reads */
    ino_t file;   /* the inode number of this file */
} * inputs;
static uint32_t input_count; /* the number of `inputs` */

void pithi_outfile_reads(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && pithi_grow_one(&inputs, input_count, sizeof *inputs)) {
        inputs[input_count].device = status.st_dev;
        inputs[input_count++].file = status.st_ino;
    }
}

int pithi_outfile_check(const char *path)
{
    struct stat status;

    /* Checks only regular files and folders: /dev/null may be input and output. */
    if (stat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        for (uint32_t i = 0; i < input_count; i++)
            if (inputs[i].device == status.st_dev && inputs[i].file == status.st_ino)
                return pithi_fail(PITH_ERR_USAGE, "%s: is the log that is read; give the output another name", path);
    return PITH_OK;
}

/* ---- Progress ---------------------------------------------------------------------------------------------------- */

static uint64_t records_read; /* how many records were read from the input logs */

/* Assumes that records are spread evenly over time, so half of a log's time has half of its records. */
uint64_t pithi_outfile_expect(const struct pithlog *log, int64_t from_ns, int64_t to_ns)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    double all = (double)info->end_ns - (double)info->start_ns, part;

    from_ns = from_ns > info->start_ns ? from_ns : info->start_ns;
    to_ns = to_ns < info->end_ns ? to_ns : info->end_ns;
    part = from_ns > to_ns ? 0
           : all > 0       ? ((double)to_ns - (double)from_ns) / all
                           : 1; /* the fraction of the log, 0 to 1 */
    return (uint64_t)(part * (double)info->records);
}

/* From here on the reader of `log` adds the number of records that it has read to records_read. */
void pithi_outfile_count(struct pithlog *log) { log->records_read = &records_read; }

static uint64_t bytes_written(const void *context)
{
    struct stat status;

    (void)context;
    return stat(out.part, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Begins to show the progress: the number of records read so far or, if their total `records` is unknown (0), the bytes
 * written so far. */
static void begin_progress(const char *command, uint64_t records)
{
    records_read = 0;
    pithi_progress_begin(&(struct pithi_progress){.command = command,
                                                  .done = records ? pithi_progress_count : bytes_written,
                                                  .context = &records_read,
                                                  .total = records,
                                                  .unit = records ? "records" : "B"});
}

/* Writes `log` in the given format to `path` and shows the progress; if a signal comes, removes the partial file.
 * `records` is an estimate of how many records will be read. */
static int write_guarded(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                         const struct pithi_convert *how, uint64_t records)
{
    int err;

    if (strcmp(path, "-") == 0) {
        /* Text goes to standard output as it is made, without a temporary file. */
        if (!format->flows) /* formats that seek cannot be written to a pipe */
            return pithi_fail(PITH_ERR_UNSUPPORTED, "standard output: cannot hold the format %s; give a file name",
                              format->name);
        return pithi_format_print(log, format, stdout, how);
    }
    out.format = format;
    out.path = path;
    snprintf(out.part, sizeof out.part, "%s.part", path);
    guard();
    begin_progress(command, records);
    err = pithi_format_write(log, format, path, how);
    pithi_progress_end();
    return err;
}

int pithi_outfile_write(const char *command, struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how)
{
    uint64_t records = pithi_outfile_expect(log, how->from_ns, how->to_ns);

    pithi_outfile_count(log);
    /* The writers of some formats read the log several times; each pass reads all records. */
    return write_guarded(command, log, format, path, how, records * (uint64_t)(format->passes ? format->passes : 1));
}

/* ---- A new log made by a function -------------------------------------------------------------------------------- */

/* The context of write_made and write_printed. It is global, as the function `write` of a format has no parameter for a
 * context. */
static struct {
    int (*fill)(void *context, struct pithi_writer *writer);
    int (*print)(void *context, FILE *out);
    void *context;
} making;

static int write_made(struct pithlog *log, FILE *file, const struct pithi_convert *how)
{
    (void)log, (void)how;
    return pithi_native_make(file, making.fill, making.context);
}

int pithi_outfile_make(const char *command, const struct pithi_format *format, const char *path,
                       int (*fill)(void *context, struct pithi_writer *writer), void *context, uint64_t records)
{
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = pithi_outfile_note};
    struct pithi_format own = *format;

    making.fill = fill;
    making.context = context;
    if (format->write == pithi_native_write) {
        own.write = write_made; /* in the native format, `fill` writes into OUT.part itself */
        return write_guarded(command, NULL, &own, path, &how, records);
    }
    /* The writers of other formats need a complete log. So a temporary native log is written first and converted. */
    struct pithlog *log = NULL;
    int err;
    begin_progress(command, records);
    err = pithi_native_temporary("the temporary copy (see TMPDIR)", making.fill, making.context, &log);
    pithi_progress_end();
    if (err == PITH_OK)
        err = pithi_outfile_write(command, log, format, path, &how);
    pithlog_close(log);
    return err;
}

static int write_printed(struct pithlog *log, FILE *file, const struct pithi_convert *how)
{
    (void)log, (void)how;
    return making.print(making.context, file);
}

int pithi_outfile_rewrite(const char *command, const char *path, int (*print)(void *context, FILE *out), void *context)
{
    static const struct pithi_format format = {.name = "page", .write = write_printed, .flows = 1};
    struct pithi_convert how = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};

    making.print = print;
    making.context = context;
    return write_guarded(command, NULL, &format, path, &how, 0);
}

int pithi_outfile_print(const char *command, const char *path, int (*print)(void *context, FILE *out), void *context)
{
    CHECK(pithi_outfile_check(path));
    return pithi_outfile_rewrite(command, path, print, context);
}

/* Returns 1 if the path ends with a suffix of a picture that `pith draw` can make. */
static int is_picture(const char *path)
{
    static const char *const suffixes[] = {".png", ".svg", ".pdf", ".ps", ".eps", ".html"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i]) == 0)
            return 1;
    return 0;
}

int pithi_outfile_format(const char *command, const char *name, const char *path, const char *standard,
                         const struct pithi_format **format)
{
    *format = name ? pithi_format_by_name(name) : pithi_format_by_suffix(path);
    if (name && !*format) {
        struct pithi_nearest nearest;
        pithi_nearest_begin(&nearest, name, strlen(name));
        for (const struct pithi_format *one = pithi_formats; one->name; one++)
            if (one->write || one->write_folder)
                pithi_nearest_try(&nearest, one->name);
        return pithi_tool_usage(command, "no such format: %s%s", name,
                                nearest.name ? pithi_nearest_ask(&nearest) : "; `pith help formats` lists them");
    }
    if (!*format && standard)
        *format = pithi_format_by_name(standard);
    if (!*format)
        return pithi_tool_usage(command, "%s: no format has this suffix; %s", path,
                                is_picture(path) ? "`pith draw` makes pictures" : "give --format NAME");
    return 0;
}

void pithi_outfile_note(const char *text)
{
    pithi_progress_clear();
    pithi_tool_say(stderr, "pith: note: %s", text);
}
