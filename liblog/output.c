/* output.c - naming the log, foreign formats, the last line. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "place.h"
#include "session.h"

/* The format asked for by PITH_FORMAT, else by the log's suffix; NULL: Pith's own. */
static const struct pithi_format *wanted_format(void)
{
    const char *name = pithi_session.settings.format;
    const struct pithi_format *format;
    if (name != NULL) {
        format = pithi_format_by_name(name);
        if (format == NULL || (format->write == NULL && strcmp(format->name, "native") != 0))
            pithi_say("PITH_FORMAT=%s: no format that can be written; the log is written in Pith's own", name);
    } else {
        format = pithi_format_by_suffix(pithi_session.log);
    }
    return format != NULL && format->write != NULL && strcmp(format->name, "native") != 0 ? format : NULL;
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

/* Writes `part` once more as `format`, under a name of this job's own. */
static int write_foreign(const char *part, const struct pithi_format *format, char *written, size_t size)
{
    struct pithi_convert all = {INT64_MIN, INT64_MAX, NULL};
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

static void size_text(char *text, size_t room, double bytes)
{
    const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (bytes /= 1e3; bytes >= 1e3 && unit < 3; unit++)
        bytes /= 1e3;
    snprintf(text, room, "%.1f %s", bytes, units[unit]);
}

static void tell(const struct pithi_output *output, const char *name)
{
    char size[32], lost[80] = "", missing[80] = "";
    const char *shown = short_name(name);
    struct stat info;
    if (pithi_session.settings.quiet || stat(name, &info) != 0)
        return;
    if (output->lost > 0)
        snprintf(lost, sizeof lost, ", %llu records lost", (unsigned long long)output->lost);
    if (output->ranks_missing > 0)
        snprintf(missing, sizeof missing, " (%u not recorded)", output->ranks_missing);
    size_text(size, sizeof size, (double)info.st_size);
    pithi_say("%s: %u rank%s%s, %llu events%s, %s; open it with: pith view %s", shown, output->ranks,
              output->ranks == 1 ? "" : "s", missing, (unsigned long long)output->records, lost, size, shown);
}

int pithi_output_publish(const struct pithi_output *output)
{
    const struct pithi_format *format = wanted_format();
    char wanted[PITHI_PATH_MAX + 32], written[PITHI_PATH_MAX + 64], name[PITHI_PATH_MAX + 64];
    const char *from = output->part;

    snprintf(wanted, sizeof wanted, "%s", output->log);
    if (format != NULL) {
        if (write_foreign(output->part, format, written, sizeof written) == PITH_OK) {
            foreign_name(wanted, sizeof wanted, output->log, format);
            from = written;
        } else {
            pithi_say("%s", pithlog_error());
            if (pithi_format_by_suffix(output->log) == format) /* Pith's own must not bear a foreign suffix */
                snprintf(wanted, sizeof wanted, "%s.pith", output->log);
        }
    }
    if (pithi_place_publish(from, wanted, pithi_session.start_real_ns, name, sizeof name) != 0) {
        pithi_say("%s: cannot be made: %s", wanted, strerror(errno));
        pithi_session.failed = 1;
        if (from != output->part)
            unlink(from);
        return 0;
    }
    if (from != output->part)
        unlink(output->part);
    tell(output, name);
    return 1;
}

void pithi_output_kept(void)
{
    pithi_say("what was recorded is kept: pith recover %s -o LOG", short_name(pithi_session.folder));
}

void pithi_output_missed(void)
{
    char mark[PITHI_PATH_MAX + 32];
    int fd;
    if (pithi_session.settings.quiet)
        return;
    /* Of many processes that end like this only one should speak: the one that makes this file. */
    snprintf(mark, sizeof mark, "%s/.told-%llx", pithi_session.folder, (unsigned long long)pithi_session.job);
    fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    close(fd);
    pithi_say("%s: the program ended without finishing the job; what was recorded is kept: pith recover %s -o %s",
              pithi_session.program, short_name(pithi_session.folder), short_name(pithi_session.log));
}
