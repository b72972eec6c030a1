/* format.c - the table of formats, and how a log becomes a file.
 *
 * To add a format: a folder with its functions and a row here. Order matters for probing only where one format's first
 * bytes could be taken for another's: the strict probes stand first.
 */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alog/alog.h"
#include "chrome/chrome.h"
#include "clog2/clog2.h"
#include "error.h"
#include "native/native.h"
#include "perfetto/perfetto.h"
#include "picl/picl.h"
#include "spill/spill_read.h"
#include "text/text_lines.h"

const struct pithi_format pithi_formats[] = {
    {"native", "pith", "Pith's own: compact, indexed, everything is kept", pithi_native_probe, pithi_native_read,
     pithi_native_write, 0},
    {"spill", "spill", "what a running or dead program has recorded: a file, or the folder LOG.spill",
     pithi_spill_probe, pithi_spill_read, NULL, 0},
    {"clog2", "clog2", "MPE2's log: no collectives, counters, pauses; names and payloads cut to fixed sizes",
     pithi_clog2_probe, pithi_clog2_read, pithi_clog2_write, 0},
    {"alog", "alog log", "MPE's text log: microseconds; no communicators, collectives, counters, pauses",
     pithi_alog_probe, pithi_alog_read, pithi_alog_write, 0},
    {"picl", "trf picl", "ParaGraph's text log: microseconds; states by number; no payloads, collectives, counters",
     pithi_picl_probe, pithi_picl_read, pithi_picl_write, 1},
    {"perfetto", "perfetto-trace pftrace perfetto", "Perfetto (ui.perfetto.dev): no collectives; messages as flows",
     NULL, NULL, pithi_perfetto_write, 0},
    {"chrome", "trace.json chrome", "JSON of chrome://tracing: no collectives; messages as flows", NULL, NULL,
     pithi_chrome_write, 1},
    {"text", "txt text", "a tab-separated record a line, definitions in lines with '#', as `pith print`",
     pithi_text_probe, pithi_text_read, pithi_text_write, 1},
    {"csv", "csv", "a record a line in fixed columns, no definitions, as `pith print --csv`", NULL, NULL,
     pithi_csv_write, 1},
    {"json", "json jsonl", "an object a line, as `pith print --json`", NULL, NULL, pithi_json_write, 1},
    {NULL, NULL, NULL, NULL, NULL, NULL, 0},
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

static int write_failed(const char *path)
{
    return pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", path, strerror(errno));
}

/* Writes to the open `file` and closes it. An error of writing gets the name of the file, which the format's function
 * does not know. */
static int write_file(struct pithlog *log, const struct pithi_format *format, const char *path, FILE *file,
                      const struct pithi_convert *how)
{
    int err;

    errno = 0;
    err = format->write(log, file, how);
    if (err == PITH_ERR_IO && errno)
        write_failed(path);
    if (fclose(file) != 0 && !err)
        err = write_failed(path);
    return err;
}

/* A device or pipe (/dev/stdout, /dev/null, a fifo) is written straight: it is not ours to replace. */
static int write_device(struct pithlog *log, const struct pithi_format *format, const char *path,
                        const struct pithi_convert *how)
{
    FILE *file = fopen(path, "wb");

    return file ? write_file(log, format, path, file, how) : write_failed(path);
}

int pithi_format_write(struct pithlog *log, const struct pithi_format *format, const char *path,
                       const struct pithi_convert *how)
{
    struct stat status;
    char *part = NULL;
    FILE *file;
    int err;

    if (!format->write)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: the format %s cannot be written; choose another with --format",
                          path, format->name);
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return pithi_fail(PITH_ERR_OPEN, "%s: is a directory; give the name of a file", path);
        if (!S_ISREG(status.st_mode))
            return write_device(log, format, path, how);
    }
    if (asprintf(&part, "%s.part", path) < 0)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    unlink(part); /* of a run that was killed */
    file = fopen(part, "w+bx");
    if (!file) {
        err = write_failed(path);
        goto out;
    }
    err = write_file(log, format, path, file, how);
    if (!err && rename(part, path) != 0)
        err = write_failed(path);
    if (err)
        unlink(part);
out:
    free(part);
    return err;
}
