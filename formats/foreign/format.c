/* format.c - adds the functions to the table of formats (base/formats.def), and writes a log to a file or folder. The
 * functions of a format only fill open files. This file opens, renames and removes the files of all formats. `pith
 * convert run.pith run.prv` makes three files:
 *
 *     run.prv.part  run.pcf.part  run.row.part       if anything fails, they are removed; older files stay
 *     rename run.row, run.pcf, run.prv               the main file comes last, so if it exists, all exist
 *
 * A new folder is exchanged with the old one in one step (renameat2), so there is a whole log under the name at any
 * time. Devices and pipes are written directly: renaming a file over them would destroy them.
 */
#include "reader/read/format.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/error.h"
#include "base/format_names.h"
#include "base/open_file.h"
#include "foreign/formats.h"
#include "foreign/walk.h"
#include "reader/read/native.h"
#include "spill/spill_read.h"

const struct pithi_format pithi_formats[] = {
#define FORMAT(name_, suffixes_, recorded_, summary_, ...)                                                             \
    {.name = #name_, .suffixes = suffixes_, .summary = summary_, __VA_ARGS__},
#include "base/formats.def"
#undef FORMAT
    {.name = NULL},
};

const struct pithi_format *pithi_format_by_name(const char *name)
{
    int number = pithi_format_name_find(name);
    return number < 0 ? NULL : &pithi_formats[number];
}

const struct pithi_format *pithi_format_by_suffix(const char *path)
{
    int number = pithi_format_name_of_path(path);
    return number < 0 ? NULL : &pithi_formats[number];
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* The files of a log that is written: file 0 and its companions, or a folder. Each is made as NAME.part. */
struct output {
    const struct pithi_format *format;
    const char *path;                                      /* as the user gave it */
    int count;                                             /* number of files; 0: a folder */
    char *name[1 + PITHI_BESIDE], *part[1 + PITHI_BESIDE]; /* malloc'ed; [0]: the file itself */
    FILE *file[1 + PITHI_BESIDE];                          /* open until all is written */
};

static int write_failed(const char *path)
{
    struct pithi_cause cause;

    return pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", path, pithi_cause_of(&cause, path, errno));
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

/* Removes a folder with everything in it. Tries up to 100 times, because another process may still write into the
 * folder. */
static void remove_tree(const char *path)
{
    for (int i = 0; i < 100 && access(path, F_OK) == 0; i++)
        nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int output_names(struct output *output, const struct pithi_format *format, const char *path)
{
    const char *suffix = format->beside ? format->beside : "";
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int count = 1, stem = (int)(dot ? (size_t)(dot - path) : strlen(path));

    *output = (struct output){.format = format, .path = path};
    output->name[0] = strdup(path);
    for (; *suffix && count <= PITHI_BESIDE; suffix += strspn(suffix, " ")) {
        size_t length = strcspn(suffix, " ");
        /* "run.prv" with "pcf" gives "run.pcf" */
        if (asprintf(&output->name[count], "%.*s.%.*s", stem, path, (int)length, suffix) < 0)
            output->name[count] = NULL;
        else if (strcmp(output->name[count], path) == 0)
            return pithi_fail(PITH_ERR_USAGE, "%s: in the format %s this is a file beside the log; give %.*s.%.*s",
                              path, format->name, stem, path, (int)strcspn(format->suffixes, " "), format->suffixes);
        count++;
        suffix += length;
    }
    for (int i = 0; i < count; i++)
        if (!output->name[i] || asprintf(&output->part[i], "%s.part", output->name[i]) < 0) {
            output->part[i] = NULL;
            return pithi_no_memory();
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

/* Returns what the format loses. The names of functions are not lost if `how` has them and the format writes them. */
static uint64_t losses_of(const struct pithi_format *format, const struct pithi_convert *how)
{
    return format->names_functions && how->naming.functions ? format->loses & ~PITHI_LOSES(STACKS) : format->loses;
}

/* Returns PITH_ERR_DAMAGED if the members of a communicator could not be read. If `log` is NULL, returns PITH_OK. */
static int check_members(const struct pithlog *log) { return log ? pithlog_check_comms(log) : PITH_OK; }

int pithi_format_print(struct pithlog *log, const struct pithi_format *format, FILE *out,
                       const struct pithi_convert *how)
{
    struct pithi_convert with = *how;

    with.loses = losses_of(format, how);
    CHECK(format->write(log, out, &with));
    return check_members(log);
}

/* Writes the log to the open files and closes them. If a write fails, puts the name of the file into the error message,
 * because the format's own function does not know the name. */
static int write_files(struct pithlog *log, struct output *output, const char *path, const struct pithi_convert *how)
{
    struct pithi_convert with = *how;
    int err;

    with.loses = losses_of(output->format, how);
    with.path = path;
    for (int i = 1; i < output->count; i++)
        with.beside[i - 1] = output->file[i];
    errno = 0;
    err = output->format->write(log, output->file[0], &with);
    err = err ? err : check_members(log);
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
        output->file[i] = pithi_make_stream(output->part[i], "w+");
        if (!output->file[i]) {
            int err = write_failed(output->name[i]);
            while (i-- > 0)
                fclose(output->file[i]);
            return err;
        }
    }
    return write_files(log, output, output->part[0], how);
}

static int make_folder(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    struct pithi_convert with = *how;

    with.loses = losses_of(output->format, how);
    if (mkdir(output->part[0], 0777) != 0)
        return write_failed(output->path);
    CHECK(output->format->write_folder(log, output->part[0], &with));
    return check_members(log);
}

/* Returns 1 if the path is a link such as /dev/stdout, which leads to an open file. Such a link must not be replaced by
 * a file, even if its target is a regular file. */
static int is_descriptor(const char *path)
{
    struct stat status;

    return (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) && lstat(path, &status) == 0 &&
           S_ISLNK(status.st_mode);
}

static int write_output(struct pithlog *log, struct output *output, const struct pithi_convert *how)
{
    struct stat status;
    int err = PITH_OK;

    if (stat(output->path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            /* Only a log of this format is replaced, never another folder of the user. */
            const struct pithi_format *format = output->format;
            const struct pithi_input there = {.path = output->path};
            if (output->count)
                return pithi_fail(PITH_ERR_OPEN, "%s: is a directory; give the name of a file", output->path);
            if (format->replaceable ? !format->replaceable(output->path) : !format->probe || !format->probe(&there))
                return pithi_fail(PITH_ERR_OPEN,
                                  "%s: is a directory, and no log in the format %s; remove it, or "
                                  "give another name",
                                  output->path, format->name);
        } else if (!S_ISREG(status.st_mode) || is_descriptor(output->path)) {
            /* A device or pipe (/dev/stdout, /dev/null, a fifo) is written directly, as it must not be replaced. */
            if (output->count != 1)
                return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: a log in the format %s is more than one file; give a name",
                                  output->path, output->format->name);
            output->file[0] = fopen(output->path, "wb");
            return output->file[0] ? write_files(log, output, output->path, how) : write_failed(output->path);
        } else if (output->count == 0) {
            return pithi_fail(PITH_ERR_OPEN,
                              "%s: is a file, and a log in the format %s a directory; remove it, or give "
                              "another name",
                              output->path, output->format->name);
        }
    }
    output_discard(output); /* removes .part files that a killed process left */
    err = output->count ? make_files(log, output, how) : make_folder(log, output, how);
    /* The main file is renamed last, because the log has its name. */
    for (int i = output->count - 1; !err && i >= 0; i--)
        if (rename(output->part[i], output->name[i]) != 0)
            err = write_failed(output->name[i]);
    /* The old folder is deleted only after the new folder has its name. */
    if (!err && output->count == 0) {
        if (renameat2(AT_FDCWD, output->part[0], AT_FDCWD, output->path, RENAME_EXCHANGE) == 0)
            remove_tree(output->part[0]);
        else if (rename(output->part[0], output->path) != 0)
            err = write_failed(output->path);
    }
    if (err)
        output_discard(output);
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
    if (!*path) /* An empty name probably means that a script has not set a variable. */
        return pithi_fail(PITH_ERR_USAGE, "the name of the output is empty");
    err = output_names(&output, format, path);
    if (!err)
        err = write_output(log, &output, how);
    output_free(&output);
    return err;
}
