/* format.c - the table of formats, and how a log becomes a file.
 *
 * To add a format: a folder with its functions and a row here. Order matters for probing only where one format's first
 * bytes could be taken for another's: the strict probes stand first.
 */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alog/alog.h"
#include "chrome/chrome.h"
#include "clog1/clog1.h"
#include "clog2/clog2.h"
#include "ctf/ctf.h"
#include "error.h"
#include "native/native.h"
#include "paje/paje.h"
#include "paraver/paraver.h"
#include "otf2/otf2_format.h"
#include "perfetto/perfetto.h"
#include "picl/picl.h"
#include "slog2/slog2.h"
#include "spill/spill_read.h"
#include "text/text_lines.h"

const struct pithi_format pithi_formats[] = {
    {.name = "native",
     .suffixes = "pith",
     .summary = "Pith's own: compact, indexed, everything is kept",
     .probe = pithi_native_probe,
     .read = pithi_native_read,
     .write = pithi_native_write},
    {.name = "spill",
     .suffixes = "spill",
     .summary = "what a running or dead program has recorded: a file, or the folder LOG.spill",
     .probe = pithi_spill_probe,
     .read = pithi_spill_read},
    {.name = "clog2",
     .suffixes = "clog2",
     .summary = "MPE2's log: no collectives, counters, pauses; names and payloads cut to fixed sizes",
     .probe = pithi_clog2_probe,
     .read = pithi_clog2_read,
     .write = pithi_clog2_write},
    {.name = "clog1",
     .suffixes = "clog clog1",
     .summary = "MPE1's log, of MPICH 1: all but source locations",
     .probe = pithi_clog1_probe,
     .read = pithi_clog1_read},
    {.name = "slog2",
     .suffixes = "slog2",
     .summary = "Jumpshot-4's log, a tree with previews: no collectives, counters, pauses, names of lanes",
     .probe = pithi_slog2_probe,
     .read = pithi_slog2_read,
     .write = pithi_slog2_write,
     .passes = 2},
    {.name = "alog",
     .suffixes = "alog log",
     .summary = "MPE's text log: microseconds; no communicators, collectives, counters, pauses",
     .probe = pithi_alog_probe,
     .read = pithi_alog_read,
     .write = pithi_alog_write,
     .passes = 2},
    {.name = "picl",
     .suffixes = "trf picl",
     .summary = "ParaGraph's text log: microseconds; states by number; no payloads, communicators, collectives, "
                "counters, pauses",
     .probe = pithi_picl_probe,
     .read = pithi_picl_read,
     .write = pithi_picl_write,
     .flows = 1},
    {.name = "paraver",
     .suffixes = "prv paraver",
     .summary =
         "Paraver's trace, with .pcf and .row beside: messages without communicator and order of receives; no groups",
     .probe = pithi_paraver_probe,
     .read = pithi_paraver_read,
     .write = pithi_paraver_write,
     .passes = 3,
     .beside = "pcf row"},
    {.name = "otf2",
     .suffixes = "otf2",
     .summary = "archives of Score-P, eztrace, Vampir (a folder): states nested, peers in the log; needs libotf2",
     .probe = pithi_otf2_probe,
     .read = pithi_otf2_read,
     .bytes = pithi_otf2_bytes,
     .write_folder = pithi_otf2_write,
     .replaceable = pithi_otf2_alone},
    {.name = "perfetto",
     .suffixes = "perfetto-trace pftrace perfetto",
     .summary = "Perfetto (ui.perfetto.dev): no collectives; messages as flows",
     .write = pithi_perfetto_write,
     .passes = 2},
    {.name = "chrome",
     .suffixes = "trace.json chrome",
     .summary = "JSON of chrome://tracing: no communicators, collectives, colours, async events; flows as messages",
     .probe = pithi_chrome_probe,
     .read = pithi_chrome_read,
     .write = pithi_chrome_write,
     .passes = 2,
     .flows = 1},
    {.name = "paje",
     .suffixes = "paje trace",
     .summary = "Paje (ViTE, PajeNG): states nested; no collectives, groups, members of communicators",
     .write = pithi_paje_write,
     .passes = 2,
     .flows = 1},
    {.name = "ctf",
     .suffixes = "ctf",
     .summary = "Common Trace Format 1.8 (babeltrace2, Trace Compass), a folder: no colours, groups, members",
     .probe = pithi_ctf_probe,
     .write_folder = pithi_ctf_write},
    {.name = "text",
     .suffixes = "txt text",
     .summary = "a tab-separated record a line, definitions in lines with '#', as `pith print`",
     .probe = pithi_text_probe,
     .read = pithi_text_read,
     .write = pithi_text_write,
     .flows = 1},
    {.name = "csv",
     .suffixes = "csv",
     .summary = "a record a line in fixed columns, no definitions, as `pith print --csv`",
     .write = pithi_csv_write,
     .flows = 1},
    {.name = "json",
     .suffixes = "json jsonl",
     .summary = "an object a line, as `pith print --json`",
     .write = pithi_json_write,
     .flows = 1},
    {.name = NULL},
};

/* Whether the word of `size` bytes is one of the blank-separated `words`. */
static int word_among(const char *words, const char *word, size_t size)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        if (length == size && strncasecmp(words, word, size) == 0)
            return 1;
        words += length + strspn(words + length, " ");
    }
    return 0;
}

const struct pithi_format *pithi_format_by_name(const char *name)
{
    for (const struct pithi_format *format = pithi_formats; format->name; format++)
        if (strcasecmp(format->name, name) == 0 || word_among(format->suffixes, name, strlen(name)))
            return format;
    return NULL;
}

/* "run.trace.json" is first tried as trace.json, then as json. */
const struct pithi_format *pithi_format_by_suffix(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');

    for (; dot; dot = strchr(dot + 1, '.'))
        for (const struct pithi_format *format = pithi_formats; dot[1] && format->name; format++)
            if (word_among(format->suffixes, dot + 1, strlen(dot + 1)))
                return format;
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* A log being written: files 0 and those beside it, or a folder. Each is made as NAME.part. */
struct output {
    const struct pithi_format *format;
    const char *path;
    int count; /* of files; 0: a folder */
    char *name[1 + PITHI_BESIDE], *part[1 + PITHI_BESIDE];
    FILE *file[1 + PITHI_BESIDE];
};

static int write_failed(const char *path)
{
    return pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

/* Until it is gone: its writer may still be at work. */
static void remove_tree(const char *path)
{
    for (int i = 0; i < 100 && access(path, F_OK) == 0; i++)
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* "run.prv" with "pcf": "run.pcf". NULL: no memory. */
static char *name_beside(const char *path, const char *suffix, size_t length)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    char *name;

    return asprintf(&name, "%.*s.%.*s", stem, path, (int)length, suffix) < 0 ? NULL : name;
}

static int output_names(struct output *output, const struct pithi_format *format, const char *path)
{
    const char *suffix = format->beside ? format->beside : "";
    int count = 1;

    *output = (struct output){.format = format, .path = path};
    output->name[0] = strdup(path);
    for (; *suffix && count <= PITHI_BESIDE; suffix += strspn(suffix, " ")) {
        size_t length = strcspn(suffix, " ");
        output->name[count++] = name_beside(path, suffix, length);
        suffix += length;
    }
    for (int i = 0; i < count; i++)
        if (!output->name[i] || asprintf(&output->part[i], "%s.part", output->name[i]) < 0) {
            output->part[i] = NULL;
            return pithi_fail(PITH_ERR_MEMORY, "out of memory");
        }
    output->count = format->write ? count : 0;
    return PITH_OK;
}

static void output_discard(const struct output *output)
{
    for (int i = 0; i < output->count; i++)
        unlink(output->part[i]);
    if (output->count == 0)
        remove_tree(output->part[0]);
}

static void output_free(struct output *output)
{
    for (int i = 0; i <= PITHI_BESIDE; i++) {
        free(output->name[i]);
        free(output->part[i]);
    }
}

void pithi_format_discard(const struct pithi_format *format, const char *path)
{
    struct output output;

    if (output_names(&output, format, path) == PITH_OK)
        output_discard(&output);
    output_free(&output);
}

/* Writes to the open files and closes them. An error of writing gets the name of the file, which the format's function
 * does not know. */
static int write_files(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    struct pithi_convert with = *how;
    int err;

    for (int i = 1; i < output->count; i++)
        with.beside[i - 1] = output->file[i];
    errno = 0;
    err = output->format->write(log, output->file[0], &with);
    if (err == PITH_ERR_IO && errno)
        write_failed(output->path);
    for (int i = 0; i < output->count; i++)
        if (fclose(output->file[i]) != 0 && !err)
            err = write_failed(output->name[i]);
    return err;
}

static int make_files(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    for (int i = 0; i < output->count; i++) {
        output->file[i] = fopen(output->part[i], "w+bx");
        if (!output->file[i]) {
            int err = write_failed(output->name[i]);
            while (i-- > 0)
                fclose(output->file[i]);
            return err;
        }
    }
    return write_files(log, output, how);
}

static int make_folder(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    return mkdir(output->part[0], 0777) != 0 ? write_failed(output->path)
                                             : output->format->write_folder(log, output->part[0], how);
}

/* The file that the log is known by comes last. */
static int name_files(const struct output *output)
{
    for (int i = output->count - 1; i >= 0; i--)
        if (rename(output->part[i], output->name[i]) != 0)
            return write_failed(output->name[i]);
    return PITH_OK;
}

/* The folder that was there goes when the new one has its name. */
static int name_folder(const struct output *output)
{
    if (renameat2(AT_FDCWD, output->part[0], AT_FDCWD, output->path, RENAME_EXCHANGE) == 0)
        remove_tree(output->part[0]);
    else if (rename(output->part[0], output->path) != 0)
        return write_failed(output->path);
    return PITH_OK;
}

/* A device or pipe (/dev/stdout, /dev/null, a fifo) is written straight: it is not ours to replace. */
static int write_device(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    if (output->count != 1)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: a log in the format %s is more than one file; give a name",
                          output->path, output->format->name);
    output->file[0] = fopen(output->path, "wb");
    return output->file[0] ? write_files(log, output, how) : write_failed(output->path);
}

/* /dev/stdout and its kin are links to open files. The link must stay, even where it leads to a regular file. */
static int is_descriptor(const char *path)
{
    struct stat status;

    return (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) && lstat(path, &status) == 0 &&
           S_ISLNK(status.st_mode);
}

/* What is there may be replaced: 0, or an error. */
static int check_folder(const struct output *output)
{
    const struct pithi_format *format = output->format;

    if (output->count == 0 &&
        (format->replaceable ? format->replaceable(output->path)
                             : format->probe && format->probe(&(struct pithi_input){.path = output->path})))
        return PITH_OK;
    return output->count ? pithi_fail(PITH_ERR_OPEN, "%s: is a directory; give the name of a file", output->path)
                         : pithi_fail(PITH_ERR_OPEN,
                                      "%s: is a directory, and no log in the format %s; remove it, or "
                                      "give another name",
                                      output->path, format->name);
}

static int write_output(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    struct stat status;
    int err = PITH_OK;

    if (stat(output->path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            TRY(check_folder(output));
        else if (!S_ISREG(status.st_mode) || is_descriptor(output->path))
            return write_device(log, output, how);
        else if (output->count == 0)
            return pithi_fail(PITH_ERR_OPEN,
                              "%s: is a file, and a log in the format %s a directory; remove it, or give "
                              "another name",
                              output->path, output->format->name);
    }
    output_discard(output); /* of a run that was killed */
    err = output->count ? make_files(log, output, how) : make_folder(log, output, how);
    if (!err)
        err = output->count ? name_files(output) : name_folder(output);
    if (err)
        output_discard(output);
out:
    return err;
}

int pithi_format_write(struct pithlog *log, const struct pithi_format *format, const char *path,
                       const struct pithi_convert *how)
{
    struct output output;
    int err;

    if (!format->write && !format->write_folder)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: the format %s cannot be written; choose another with --format",
                          path, format->name);
    err = output_names(&output, format, path);
    if (!err)
        err = write_output(log, &output, how);
    output_free(&output);
    return err;
}
