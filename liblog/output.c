/* output.c - the final name and format of a log, and the line about it.
 *
 * A program always records in the native format. At the end of the run `pith convert`, in a process of its own, makes
 * another format from it if wanted. If that fails, the native log is still there:
 *
 *     PITH_LOG=run.clog2                       run.clog2;  not converted: run.clog2.pith
 *     PITH_LOG=run.pith  PITH_FORMAT=clog2     run.clog2;  not converted: run.pith
 *
 * The suffix always matches the contents, as all other commands go by it.
 *
 * The answer to why the run was slow comes in one of two ways. Usually it is one sentence, or none if that takes long.
 * With PITH_ANALYZE it is the page of `pith analyze`, which may take long. Rank 0 makes it before MPI_Finalize ends,
 * and the other ranks sleep until it is complete. If they left MPI_Finalize first and ended with a status other than 0,
 * Open MPI's launcher would kill rank 0; in PMPI_Finalize they would wait busily, on the cores that the analysis needs.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/format_names.h"
#include "base/say.h"
#include "base/shell_word.h"
#include "base/watch_file.h"
#include "host_clocks.h"
#include "place.h"
#include "process.h"
#include "session.h"

/* Returns the format that PITH_FORMAT names, else the format of the log's suffix; -1 if no format has this name or
 * suffix. */
static int wanted_format(void)
{
    const char *name = pithi_session.settings.format;
    return name != NULL ? pithi_format_name_find(name) : pithi_format_name_of_path(pithi_session.log);
}

static int is_recorded(int format, enum pithi_recorded how)
{
    return format >= 0 && pithi_format_names[format].recorded == how;
}

int pithi_output_foreign(void) { return is_recorded(wanted_format(), PITHI_CONVERTED); }

enum { WORD = 4 * PITHI_PATH_MAX + 512 }; /* bytes of a path, quoted for the shell */

/* Returns the path as the user would type it. */
static const char *short_name(const char *name)
{
    static char folder[PITHI_PATH_MAX];
    size_t length;
    if (getcwd(folder, sizeof folder) == NULL)
        return name;
    length = strlen(folder);
    return strncmp(name, folder, length) == 0 && name[length] == '/' ? name + length + 1 : name;
}

/* Returns the path as the user would type it, quoted for the shell. */
static const char *short_word(const char *name, char word[WORD])
{
    return pithi_shell_word(short_name(name), word, WORD);
}

/* Returns the suffix of the log's name if it looks like a format's suffix but no format has it; else NULL. The end of a
 * name such as run-2.5 is not taken for a suffix, because it does not begin with a letter. */
static const char *unknown_suffix(void)
{
    const char *slash = strrchr(pithi_session.log, '/'), *dot = strrchr(pithi_session.log, '.');
    if (pithi_session.settings.format != NULL || pithi_session.settings.log == NULL || wanted_format() >= 0 ||
        dot == NULL || dot <= slash + 1 || strlen(dot) < 3 || strlen(dot) > 8 || dot[1] < 'A')
        return NULL;
    return dot;
}

void pithi_output_expect(void)
{
    const struct pithi_session *s = &pithi_session;
    const char *slash = strrchr(s->log, '/'), *suffix = unknown_suffix();
    char folder[PITHI_PATH_MAX];
    if (s->forked || !pithi_speaks_for_job())
        return;
    snprintf(folder, sizeof folder, "%.*s", slash == s->log ? 1 : (int)(slash - s->log), s->log);
    if (access(folder, W_OK | X_OK) != 0)
        pithi_say("%s: %s: %s; mend this while the program runs, or its records stay in %s", short_name(s->log), folder,
                  strerror(errno), s->folder);
    if (suffix != NULL)
        pithi_say("%s: no format has the suffix %s, so the log will have Pith's own; `pith help formats` lists them",
                  short_name(s->log), suffix);
}

/* Returns the format to convert the log to; NULL if the log stays in the native format. */
static const struct pithi_format_name *foreign_format(void)
{
    const char *name = pithi_session.settings.format;
    int format = wanted_format();
    if (is_recorded(format, PITHI_NOT_RECORDED) || (format < 0 && name != NULL))
        pithi_say(
            "%s=%s: a program cannot record the format %s; the log is written in Pith's own, which `pith convert` "
            "reads",
            name != NULL ? "PITH_FORMAT" : "PITH_LOG", name != NULL ? name : short_name(pithi_session.log),
            format >= 0 ? pithi_format_names[format].name : name);
    return is_recorded(format, PITHI_CONVERTED) ? &pithi_format_names[format] : NULL;
}

/* Makes the log's name in `format`: the format's suffix takes the place of ".pith" in "run.pith", and is added to other
 * names that lack it. */
static void foreign_name(char *name, size_t size, const char *log, const struct pithi_format_name *format)
{
    const char *dot = strrchr(log, '.');
    int number = pithi_format_name_of_path(log), suffix = (int)strcspn(format->suffixes, " ");
    if (number >= 0 && &pithi_format_names[number] == format)
        snprintf(name, size, "%s", log);
    else
        snprintf(name, size, "%.*s.%.*s",
                 dot != NULL && strcmp(dot, ".pith") == 0 ? (int)(dot - log) : (int)strlen(log), log, suffix,
                 format->suffixes);
}

/* Makes the log's name in the native format. It must not have the suffix of another format, unless the user asks for
 * that by PITH_FORMAT=native. */
static void own_name(char *name, size_t size, const char *log)
{
    int format = pithi_format_name_of_path(log);
    int asked = pithi_session.settings.format != NULL && is_recorded(wanted_format(), PITHI_NATIVE);
    snprintf(name, size, "%s%s", log, format >= 0 && !is_recorded(format, PITHI_NATIVE) && !asked ? ".pith" : "");
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

static void announce(const struct pithi_output *output, const char *name, int replaced)
{
    char size[32], lost[80] = "", missing[80] = "", ranks[80], word[WORD];
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
    pithi_say("%s: %s%s, %llu events%s, %s%s; open it with: pith view %s", shown, ranks, missing,
              (unsigned long long)output->records, lost, size, replaced ? ", replaces an older log" : "",
              pithi_shell_word(shown, word, sizeof word));
}

static uint32_t volumes; /* number of volumes of the log that pithi_output_analyze will analyse */
static int is_due;       /* 1: pithi_output_analyze has a log to analyse */

int pithi_output_publish(const struct pithi_output *output)
{
    const struct pithi_format_name *format = foreign_format();
    char wanted[PITHI_PATH_MAX + 32], written[PITHI_PATH_MAX + 64], name[PITHI_PATH_MAX + 64];
    char notes[2048] = ""; /* the command's notes: what the format cannot hold */
    const char *from = output->part;

    own_name(wanted, sizeof wanted, output->log);
    if (pithi_session.settings.causal && output->volumes == 0) {
        /* Corrects the times in `part` (PITH_CAUSAL). If that fails, `part` stays as it is. */
        char corrected[PITHI_PATH_MAX + 32], text[512];
        int done;
        snprintf(corrected, sizeof corrected, "%s.causal", output->part);
        done = pithi_convert("native", "--causal", output->part, corrected, text, sizeof text) == 0;
        if (done && rename(corrected, output->part) != 0) {
            snprintf(text, sizeof text, "%s: cannot be replaced: %s", output->part, strerror(errno));
            done = 0;
        }
        if (!done || !pithi_session.settings.quiet)
            pithi_say("PITH_CAUSAL: %s%s", text, done ? "" : "; the log keeps the times that were measured");
    } else if (pithi_session.settings.causal) {
        pithi_say("PITH_CAUSAL cannot be used with PITH_FILES; run pith convert --causal on the log");
    }
    if (format != NULL) {
        snprintf(written, sizeof written, "%s.%s", output->part, format->name);
        if (pithi_convert(format->name, NULL, output->part, written, notes, sizeof notes) == 0) {
            foreign_name(wanted, sizeof wanted, output->log, format);
            from = written;
        } else {
            pithi_say("the log cannot be converted to %s: %s; it is kept in Pith's own format", format->name, notes);
        }
    }
    int replaced = access(wanted, F_OK) == 0;
    /* A log that will be removed after its analysis does not replace an existing log, because another job of the
     * program may be about to analyse that one. */
    if (pithi_place_publish(from, output->volumes, wanted,
                            pithi_session.settings.only_answer ? INT64_MIN : pithi_session.start_real_ns, name,
                            sizeof name) != 0) {
        pithi_say("%s: cannot be written: %s", wanted, strerror(errno));
        pithi_session.failed = 1;
        if (from != output->part)
            unlink(from);
        return 0;
    }
    if (from != output->part)
        unlink(output->part);
    memcpy(pithi_session.written, name, sizeof name);
    volumes = from == output->part ? output->volumes : 0;
    is_due = pithi_session.settings.analyze_ms > 0 && !pithi_session.forked;
    if (!is_due || !pithi_session.settings.only_answer)
        announce(output, name, replaced && strcmp(name, wanted) == 0);
    if (from != output->part && notes[0] != '\0' && !pithi_session.settings.quiet)
        pithi_say("%s: %s", short_name(name), notes);
    return 1;
}

/* ---- Why the run was slow ---------------------------------------------------------------------------------------- */

/* MOST_BYTES: for a log of at most this size, `pith analyze` is asked for an answer, and no notice says that an
 * analysis begins. MOST_MS: time limit of the answer. */
enum { MOST_BYTES = 8000000, MOST_MS = 200 };

int pithi_output_answer(void)
{
    const char *log = pithi_session.written;
    char text[1536];
    if (is_due) /* the page of PITH_ANALYZE will have the answer */
        return 1;
    if (!pithi_session.settings.summary || log[0] == '\0' || file_bytes(log) > MOST_BYTES ||
        pithi_answer(log, MOST_MS, text, sizeof text) != 0)
        return 0;
    pithi_say("%s", text);
    return 1;
}

/* Copies the file to stderr. Launchers mix the output of ranks, so each write has whole lines and at most 4096 bytes,
 * which a pipe takes in one piece. */
static void print_page(int page)
{
    char lines[4096];
    struct pithi_signals signals;
    struct pollfd ready = {STDERR_FILENO, POLLOUT, 0};
    off_t at = 0;
    ssize_t got, written = 0;
    pithi_signals_begin(&signals);
    while (!pithi_no_stderr && written >= 0 && (got = pread(page, lines, sizeof lines, at)) > 0) {
        const char *last = memrchr(lines, '\n', (size_t)got);
        size_t size = last != NULL ? (size_t)(last - lines) + 1 : (size_t)got;
        for (size_t done = 0; done < size; done += (size_t)written)
            if ((written = write(STDERR_FILENO, lines + done, size - done)) < 0 &&
                (errno == EINTR || (errno == EAGAIN && poll(&ready, 1, MOST_MS) > 0)))
                written = 0;
            else if (written < 0)
                break; /* nobody reads the output */
        at += (off_t)size;
    }
    pithi_signals_end(&signals);
}

/* Makes the name NAME.analysis.json for NAME.pith, or for NAME with another format's suffix. Returns 0, or -1 if the
 * name is too long. */
static int name_json(char *json, size_t size, const char *log)
{
    const char *dot = strrchr(log, '.');
    int length = pithi_format_name_of_path(log) >= 0 && dot != NULL ? (int)(dot - log) : (int)strlen(log);
    return snprintf(json, size, "%.*s.analysis.json", length, log) < (int)size ? 0 : -1;
}

void pithi_output_analyze(const char *cores)
{
    const struct pithi_settings *settings = &pithi_session.settings;
    const char *log = pithi_session.written, *shown = short_name(log);
    char json[sizeof pithi_session.written + 32], word[WORD], why[128] = "";
    int page, status = 0, error, printed = 0, saved = errno;
    if (!is_due || pithi_session.forked)
        return;
    is_due = 0;
    if (!settings->quiet && file_bytes(log) > MOST_BYTES)
        pithi_say("%s: analysing it now, for at most %g s", shown, settings->analyze_ms / 1e3);
    if (!settings->only_answer && name_json(json, sizeof json, log) == 0)
        unlink(json); /* the file may be of an older log */
    error = pithi_analyze(shown, settings->only_answer ? NULL : json, settings->analyze_ms, cores, &page, &status);
    if (page >= 0) {
        print_page(page);
        printed = lseek(page, 0, SEEK_END) > 0;
        close(page);
    }
    if (error == ENOENT && page < 0)
        snprintf(why, sizeof why, "not analysed: no command `pith` beside libpith or in PATH");
    else if (error != 0)
        snprintf(why, sizeof why, "not analysed: `pith` cannot be run: %s", strerror(error));
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, sizeof why, "the analysis took longer than %g s (PITH_ANALYZE)", settings->analyze_ms / 1e3);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the analysis was ended by signal %d", WTERMSIG(status));
    else if (status != 0 && (settings->only_answer || !printed))
        snprintf(why, sizeof why, "the analysis failed");
    if (why[0] != '\0') {
        pithi_say("%s: %s; later: pith analyze %s", shown, why, short_word(log, word));
    } else if (settings->only_answer) {
        char volume[PITHI_VOLUME_PATH_MAX];
        for (uint32_t i = 1; i <= volumes; i++)
            if (snprintf(volume, sizeof volume, "%s.%u", log, (unsigned)i) < (int)sizeof volume)
                unlink(volume);
        unlink(log);
    }
    errno = saved;
}

/* ---- A log that is not written ----------------------------------------------------------------------------------- */

/* When a process that failed ends, the launcher may kill the process that is about to print the line. So the others
 * wait until it is printed, at most this time. On a busy machine the printing process was without a core for more than
 * 50 ms in 1 of 90 jobs. Only if it was killed meanwhile do the others wait the whole time. */
enum { MOST_SPEAKING_MS = 1000 };

static void mark_path(char *path, size_t size)
{
    snprintf(path, size, "%s/.told-%llx", pithi_session.folder, (unsigned long long)pithi_session.job);
}

static int has_mark;

/* Of the processes that share a folder, only one can make the mark file. In that process, returns a descriptor for
 * has_spoken. In the others, returns -1 after that process has printed its line, or when the time is over. */
static int speak_for_folder(void)
{
    char mark[PITHI_PATH_MAX + 32];
    int fd;
    mark_path(mark, sizeof mark);
    fd = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
        const struct timespec ms = {.tv_nsec = 1000000};
        struct stat said;
        for (int i = 0; i < MOST_SPEAKING_MS && stat(mark, &said) == 0 && said.st_size == 0; i++)
            nanosleep(&ms, NULL);
    }
    has_mark |= fd >= 0;
    return fd;
}

void pithi_output_unmark(void)
{
    char mark[PITHI_PATH_MAX + 32];
    if (!has_mark)
        return;
    mark_path(mark, sizeof mark);
    unlink(mark);
    has_mark = 0;
}

/* Writes a byte to the mark file, by which the other processes see that the line is printed. */
static void has_spoken(int fd)
{
    ssize_t written = write(fd, "\n", 1); /* on a full disk the others wait until the time is over */
    (void)written;
    close(fd);
}

/* Reports a folder that rank 0 does not see, usually on the disk of another host. No single command can read both
 * folders. */
static void tell_elsewhere(const char *why)
{
    pithi_say("%sthe records of %s are kept there, in %s; copy its files into the folder of %s, then run pith "
              "recover there",
              why, pithi_session.file.page->host, pithi_session.folder, pithi_session.root_host);
}

void pithi_output_kept(int rank)
{
    int there = pithi_session.file.page != NULL;
    char word[WORD];
    int fd;
    if (there && !pithi_spill_file_is_there(&pithi_session.file))
        return; /* the spill file was removed, and the cause was reported */
    if (rank == 0) {
        pithi_say("the records are kept: pith recover %s -o LOG", short_word(pithi_session.folder, word));
        if (there && (fd = speak_for_folder()) >= 0) /* marks the folder, so that no other process prints a line */
            has_spoken(fd);
    } else if (there && !pithi_session_at_root() && (fd = speak_for_folder()) >= 0) {
        tell_elsewhere("");
        has_spoken(fd);
    }
}

enum { LINE = 4000 }; /* bytes of a line, a little less than what pithi_say writes */

static void missed_cause(char *why, size_t size)
{
    snprintf(why, size, "%s: the program ended without finishing the job; ", pithi_session.program);
}

/* Makes the line with the command that recovers the records. If the spill folder is beside the log, it has the log's
 * name, so the command needs no -o. (With -o it would replace the log of another run.) Call it under the guard, or
 * after speak_for_folder. The names are static, because the stack is small in some threads. */
static void missed_line(char *line, size_t size)
{
    static char folder[WORD], log[WORD];
    const struct pithi_session *s = &pithi_session;
    char why[sizeof s->program + 64];
    size_t length = strlen(s->log);
    int beside = strncmp(s->folder, s->log, length) == 0 && strcmp(s->folder + length, ".spill") == 0;
    missed_cause(why, sizeof why);
    snprintf(line, size, "%sthe records are kept: pith recover %s%s%s%s", why, short_word(s->folder, folder),
             beside ? "" : " -o ", beside ? "" : short_word(s->log, log),
             pithi_host_clocks_several() ? " (other hosts may keep theirs on their own disks)" : "");
}

void pithi_output_missed(void)
{
    char line[LINE];
    int fd;
    if (pithi_session.settings.quiet || (fd = speak_for_folder()) < 0)
        return;
    if (pithi_session_at_root()) {
        missed_line(line, sizeof line);
        pithi_say("%s", line);
    } else {
        missed_cause(line, sizeof line);
        tell_elsewhere(line);
    }
    has_spoken(fd);
}

/* Writes the line into the watcher's file. The variable _PITH_RUN of `pith run` contains the place of that file: -PID
 * RANK MPI PLACE PROGRAM. */
void pithi_output_watched(void)
{
    const struct pithi_session *s = &pithi_session;
    const char *note = secure_getenv("_PITH_RUN");
    static char mark[PITHI_PATH_MAX + 32], line[LINE], text[LINE + 3 * PITHI_PATH_MAX];
    char place[32], path[PITHI_WATCH_PATH];
    struct pithi_signals signals;
    int fd, size;
    if (note == NULL || s->settings.quiet || (s->file.page == NULL && !s->left_out) ||
        sscanf(note, "%*c%*d %*d %*s %31s", place) != 1 || !pithi_watch_path(path, place) ||
        (fd = pithi_descriptor_open(path, O_WRONLY | O_APPEND, 0)) < 0)
        return;
    missed_line(line, sizeof line);
    mark_path(mark, sizeof mark);
    size = snprintf(text, sizeof text, "%s%c%s%cpith: %s\n", s->left_out ? s->folder : s->file.path, 0, mark, 0, line);
    pithi_signals_begin(&signals);
    if (size < (int)sizeof text && write(fd, text, (size_t)size + 1) < 0) { /* the watcher then prints no line */
    }
    pithi_signals_end(&signals);
    close(fd);
}

/* ---- Snapshots --------------------------------------------------------------------------------------------------- */

static int name_snapshot(const struct pithi_snapshot *snapshot, const char *from,
                         const struct pithi_format_name *format, char *name, size_t size)
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
    int number = snapshot->path != NULL ? pithi_format_name_of_path(snapshot->path) : wanted_format();
    const struct pithi_format_name *format = is_recorded(number, PITHI_CONVERTED) ? &pithi_format_names[number] : NULL;
    char written[PITHI_PATH_MAX + 96], name[PITHI_PATH_MAX + 64], size[32], notes[512] = "";
    const char *from = snapshot->part;
    int good;
    if (snapshot->path != NULL && pithi_place_is_device(snapshot->path)) {
        pithi_say("no snapshot: %s: is a device or a pipe; give the name of a file", snapshot->path);
        unlink(snapshot->part);
        return -1;
    }
    if (format != NULL)
        snprintf(written, sizeof written, "%s.%s", snapshot->part, format->name);
    good = format == NULL || pithi_convert(format->name, NULL, from, written, notes, sizeof notes) == 0;
    if (!good)
        pithi_say("no snapshot: it cannot be converted to %s: %s", format->name, notes);
    else if (format != NULL)
        from = written;
    if (good && name_snapshot(snapshot, from, format, name, sizeof name) != 0) {
        pithi_say("no snapshot: %s: cannot be written: %s", snapshot->path != NULL ? snapshot->path : snapshot->log,
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
