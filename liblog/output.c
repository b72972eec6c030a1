/* output.c - naming the log, foreign formats, the last line. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "causal/causal.h"
#include "error.h"
#include "format.h"
#include "host_clocks.h"
#include "place.h"
#include "session.h"

static int is_foreign(const struct pithi_format *format)
{
    return format != NULL && format->write != NULL && format->beside == NULL && strcmp(format->name, "native") != 0;
}

/* The format asked for by PITH_FORMAT, else by the log's suffix. */
static const struct pithi_format *wanted_format(void)
{
    const char *name = pithi_session.settings.format;
    return name != NULL ? pithi_format_by_name(name) : pithi_format_by_suffix(pithi_session.log);
}

int pithi_output_foreign(void) { return is_foreign(wanted_format()); }

/* As the user would type it. */
static const char *short_name(const char *name)
{
    static char folder[PITHI_PATH_MAX];
    size_t length;
    if (getcwd(folder, sizeof folder) == NULL)
        return name;
    length = strlen(folder);
    return strncmp(name, folder, length) == 0 && name[length] == '/' ? name + length + 1 : name;
}

/* NULL: Pith's own. */
static const struct pithi_format *foreign_format(void)
{
    const struct pithi_format *format = wanted_format();
    const char *name = pithi_session.settings.format;
    if (!is_foreign(format) && (format != NULL ? strcmp(format->name, "native") != 0 : name != NULL))
        pithi_say(
            "%s=%s: a program cannot record the format %s; the log is written in Pith's own, which `pith convert` "
            "reads",
            name != NULL ? "PITH_FORMAT" : "PITH_LOG", name != NULL ? name : short_name(pithi_session.log),
            format != NULL ? format->name : name);
    return is_foreign(format) ? format : NULL;
}

/* The log's name in that format: "run.pith" gets the format's suffix, a name that has it stays. */
static void foreign_name(char *name, size_t size, const char *log, const struct pithi_format *format)
{
    const char *dot = strrchr(log, '.');
    int suffix = (int)strcspn(format->suffixes, " ");
    if (pithi_format_by_suffix(log) == format)
        snprintf(name, size, "%s", log);
    else
        snprintf(name, size, "%.*s.%.*s",
                 dot != NULL && strcmp(dot, ".pith") == 0 ? (int)(dot - log) : (int)strlen(log), log, suffix,
                 format->suffixes);
}

/* Pith's own format must not bear the suffix of another, unless PITH_FORMAT asks for that. */
static void own_name(char *name, size_t size, const char *log)
{
    const struct pithi_format *format = pithi_format_by_suffix(log), *wanted = wanted_format();
    int foreign = format != NULL && strcmp(format->name, "native") != 0;
    int asked = pithi_session.settings.format != NULL && wanted != NULL && strcmp(wanted->name, "native") == 0;
    snprintf(name, size, "%s%s", log, foreign && !asked ? ".pith" : "");
}

/* What the log in a foreign format could not hold, for one line. (Not of each thread: room for such things is scarce in
 * a library that a program opens while it runs.) */
static char notes[2048];

static void take_note(const char *text)
{
    static const char more[] = "; and more";
    size_t used = strlen(notes), room = sizeof notes - sizeof more;
    if (used > sizeof more && strcmp(notes + used + 1 - sizeof more, more) == 0)
        return;
    if (used + strlen(text) + 2 < room)
        snprintf(notes + used, room - used, "%s%s", used > 0 ? "; " : "", text);
    else
        memcpy(notes + used, more, sizeof more);
}

/* Writes `part` once more as `format`, under a name of this job's own. */
static int write_foreign(const char *part, const struct pithi_format *format, char *written, size_t size,
                         void (*note)(const char *text))
{
    struct pithi_convert all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .note = note};
    struct pithlog *log;
    int err;
    if (snprintf(written, size, "%s.%s", part, format->name) >= (int)size)
        return PITH_ERR_IO;
    err = pithlog_open(part, &log);
    if (err == PITH_OK) {
        err = pithi_format_write(log, format, written, &all);
        pithlog_close(log);
    }
    return err;
}

/* PITH_CAUSAL: `part` with its times mended, under the same name. It stays as it is where that fails. */
static void mend(const char *part)
{
    struct pithi_convert all = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct pithi_causal_report report;
    struct pithlog *log, *mended = NULL;
    char written[PITHI_PATH_MAX + 32], text[256];
    int err = pithlog_open(part, &log);
    if (err != PITH_OK)
        goto out;
    err = pithi_causal(log, &mended, &report);
    if (err == PITH_OK && mended != NULL) {
        snprintf(written, sizeof written, "%s.causal", part);
        err = pithi_format_write(mended, pithi_format_by_name("native"), written, &all);
        if (err == PITH_OK && rename(written, part) != 0)
            err = pithi_fail(PITH_ERR_IO, "%s: cannot be replaced: %s", part, strerror(errno));
        pithlog_close(mended);
    }
    pithlog_close(log);
out:
    if (err == PITH_OK)
        pithi_causal_text(&report, text, sizeof text);
    if (err != PITH_OK || !pithi_session.settings.quiet)
        pithi_say("PITH_CAUSAL: %s", err == PITH_OK ? text : pithlog_error());
}

static void size_text(char *text, size_t room, double bytes)
{
    const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (bytes /= 1e3; bytes >= 1e3 && unit < 3; unit++)
        bytes /= 1e3;
    snprintf(text, room, "%.1f %s", bytes, units[unit]);
}

static double file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : -1;
}

static void tell(const struct pithi_output *output, const char *name)
{
    char size[32], lost[80] = "", missing[80] = "", ranks[80];
    const char *shown = short_name(name);
    unsigned listed = (unsigned)pithi_session.listed, not_listed = output->ranks - listed;
    double bytes = file_bytes(name);
    uint32_t i;
    if (pithi_session.settings.quiet || bytes < 0)
        return;
    for (i = 1; i <= output->volumes; i++) {
        char volume[PITHI_VOLUME_PATH_MAX];
        snprintf(volume, sizeof volume, "%s.%u", name, (unsigned)i);
        bytes += file_bytes(volume);
    }
    if (output->lost > 0)
        snprintf(lost, sizeof lost, ", %llu records lost", (unsigned long long)output->lost);
    if (not_listed > 0)
        snprintf(ranks, sizeof ranks, "%u of %u ranks", listed, output->ranks);
    else
        snprintf(ranks, sizeof ranks, "%u rank%s", output->ranks, output->ranks == 1 ? "" : "s");
    if (output->ranks_missing > not_listed)
        snprintf(missing, sizeof missing, " (%u not recorded)", output->ranks_missing - not_listed);
    size_text(size, sizeof size, bytes);
    pithi_say("%s: %s%s, %llu events%s, %s; open it with: pith view %s", shown, ranks, missing,
              (unsigned long long)output->records, lost, size, shown);
}

int pithi_output_publish(const struct pithi_output *output)
{
    const struct pithi_format *format = foreign_format();
    char wanted[PITHI_PATH_MAX + 32], written[PITHI_PATH_MAX + 64], name[PITHI_PATH_MAX + 64];
    const char *from = output->part;

    own_name(wanted, sizeof wanted, output->log);
    if (pithi_session.settings.causal && output->volumes == 0)
        mend(output->part);
    else if (pithi_session.settings.causal)
        pithi_say("PITH_CAUSAL: not of several files (PITH_FILES); make one by pith convert --causal");
    if (format != NULL) {
        notes[0] = '\0';
        if (write_foreign(output->part, format, written, sizeof written, take_note) == PITH_OK) {
            foreign_name(wanted, sizeof wanted, output->log, format);
            from = written;
        } else {
            pithi_say("%s", pithlog_error());
        }
    }
    if (pithi_place_publish(from, output->volumes, wanted, pithi_session.start_real_ns, name, sizeof name) != 0) {
        pithi_say("%s: cannot be made: %s", wanted, strerror(errno));
        pithi_session.failed = 1;
        if (from != output->part)
            unlink(from);
        return 0;
    }
    if (from != output->part)
        unlink(output->part);
    memcpy(pithi_session.written, name, sizeof name);
    tell(output, name);
    if (from != output->part && notes[0] != '\0' && !pithi_session.settings.quiet)
        pithi_say("%s: %s", short_name(name), notes);
    return 1;
}

/* Of many processes with one folder only one should speak: the one that makes this file. */
static int speaks_for_folder(void)
{
    char mark[PITHI_PATH_MAX + 32];
    int fd;
    snprintf(mark, sizeof mark, "%s/.told-%llx", pithi_session.folder, (unsigned long long)pithi_session.job);
    fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Another folder than rank 0's is on another host's disk as a rule: no command there or here reaches both. */
static void tell_elsewhere(const char *why)
{
    pithi_say("%swhat was recorded on %s is kept there, in %s; copy its files into the folder of %s, then run pith "
              "recover there",
              why, pithi_session.file.page->host, pithi_session.folder, pithi_session.root_host);
}

void pithi_output_kept(int rank)
{
    int there = pithi_session.file.page != NULL;
    if (there && !pithi_spill_file_is_there(&pithi_session.file))
        return; /* somebody took it away; what went wrong was told */
    if (rank == 0)
        pithi_say("what was recorded is kept: pith recover %s -o LOG", short_name(pithi_session.folder));
    else if (there && !pithi_session_at_root() && speaks_for_folder())
        tell_elsewhere("");
}

void pithi_output_missed(void)
{
    char why[sizeof pithi_session.program + 64];
    if (pithi_session.settings.quiet || !speaks_for_folder())
        return;
    snprintf(why, sizeof why, "%s: the program ended without finishing the job; ", pithi_session.program);
    if (pithi_session_at_root())
        pithi_say("%swhat was recorded is kept: pith recover %s -o %s%s", why, short_name(pithi_session.folder),
                  short_name(pithi_session.log),
                  pithi_host_clocks_several() ? " (other hosts may keep theirs on their own disks)" : "");
    else
        tell_elsewhere(why);
}

/* ---- Snapshots --------------------------------------------------------------------------------------------------- */

static int name_snapshot(const struct pithi_snapshot *snapshot, const char *from, const struct pithi_format *format,
                         char *name, size_t size)
{
    char wanted[PITHI_PATH_MAX + 32];
    if (snapshot->path != NULL)
        return snprintf(name, size, "%s", snapshot->path) < (int)size ? rename(from, name) : -1;
    if (format != NULL)
        foreign_name(wanted, sizeof wanted, snapshot->log, format);
    else
        own_name(wanted, sizeof wanted, snapshot->log);
    return pithi_place_number(from, wanted, ".snapshot-", name, size);
}

int pithi_output_snapshot(const struct pithi_snapshot *snapshot)
{
    const struct pithi_format *format =
        snapshot->path != NULL ? pithi_format_by_suffix(snapshot->path) : wanted_format();
    char written[PITHI_PATH_MAX + 96], name[PITHI_PATH_MAX + 64], size[32];
    const char *from = snapshot->part;
    int good;
    if (!is_foreign(format))
        format = NULL;
    if (snapshot->path != NULL && pithi_place_is_device(snapshot->path)) {
        pithi_say("no snapshot: %s: is a device or a pipe; give the name of a file", snapshot->path);
        unlink(snapshot->part);
        return -1;
    }
    good = format == NULL || write_foreign(snapshot->part, format, written, sizeof written, NULL) == PITH_OK;
    if (!good)
        pithi_say("no snapshot: %s", pithlog_error());
    else if (format != NULL)
        from = written;
    if (good && name_snapshot(snapshot, from, format, name, sizeof name) != 0) {
        pithi_say("no snapshot: %s: cannot be made: %s", snapshot->path != NULL ? snapshot->path : snapshot->log,
                  strerror(errno));
        unlink(from);
        good = 0;
    }
    if (format != NULL || !good)
        unlink(snapshot->part);
    if (!good || pithi_session.settings.quiet)
        return good ? 0 : -1;
    size_text(size, sizeof size, file_bytes(name));
    pithi_say("%s: snapshot of %u of %u rank%s, %llu events so far, %s", short_name(name),
              snapshot->ranks - snapshot->ranks_missing, snapshot->ranks, snapshot->ranks == 1 ? "" : "s",
              (unsigned long long)snapshot->records, size);
    return 0;
}
