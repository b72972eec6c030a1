/* serve_logs.c - the logs that `pith serve` shows, and the processes that prepare and analyze them.
 *
 * A request names a log by its file name, which must be in the list of the folder's logs. Names with a slash, links and
 * hidden files are not in this list, so that nothing outside of the folder can be reached. A link is followed only if
 * it is the LOG of the command line.
 *
 * The page reads a native log by ranges of the log's file. Before this, a process (`pith --prepare`) reads the whole
 * log once: it finds the messages, because a page cannot read all of a large file, and it converts a log of another
 * format. As for all commands, the messages and the converted log are kept in the user's cache. This program gets them
 * as open files without a name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pithlog.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format_names.h"
#include "base/hash.h"
#include "base/open_file.h"
#include "base/shell_word.h"
#include "base/temporary.h"
#include "serve/serve.h"

extern char **environ;

/* The most processes that work at a time. Each may need much memory, and a core. */
enum { JOBS_MOST = 2 };

/* The most logs that are kept prepared. Each has up to 11 open descriptors, and a process may usually have 1024. */
enum { KEPT_MOST = 64 };

static char *program, *served; /* program: path of bin/pith; served: the log or folder that the user named */
static int is_folder;
static struct pithi_serve_log **logs;
static size_t log_count;
static char **names;
static size_t name_count;

/* ---- Which logs there are ---------------------------------------------------------------------------------------- */

static struct pithi_serve_log *find_known(const char *name)
{
    for (size_t i = 0; i < log_count; i++)
        if (strcmp(logs[i]->name, name) == 0)
            return logs[i];
    return NULL;
}

/* Returns 1 if an entry of the folder is listed as a log. It may be a file, or a folder, as logs of some formats are
 * folders of files. As in all commands, the content decides whether it is a log. But a file with Pith's own suffix is
 * always listed; if it is no log, its page shows the error. The content of a log that was asked for before is not read
 * again, because this function is called for each request. */
static int is_listed(int folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    return *name != '.' && !strchr(name, '/') && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
           snprintf(path, sizeof path, "%s/%s", served, name) < (int)sizeof path &&
           (pithi_format_name_of_path(name) == 0 || find_known(name) || pithlog_is_log(path));
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void forget_names(void)
{
    while (name_count)
        free(names[--name_count]);
    free(names);
    names = NULL;
}

char **pithi_serve_names(size_t *count)
{
    DIR *folder = opendir(served);
    struct dirent *entry;

    forget_names();
    names = calloc(PITHI_SERVE_LISTED, sizeof *names);
    while (folder && names && name_count < PITHI_SERVE_LISTED && (entry = readdir(folder)))
        if (is_listed(dirfd(folder), entry->d_name) && (names[name_count] = strdup(entry->d_name)))
            name_count++;
    if (folder)
        closedir(folder);
    if (name_count)
        qsort(names, name_count, sizeof *names, by_name);
    *count = name_count;
    return names;
}

int pithi_serve_is_folder(void) { return is_folder; }

const char *pithi_serve_only(void) { return logs[0]->name; }

static struct pithi_serve_log *add(const char *name, const char *path)
{
    struct pithi_serve_log *log = calloc(1, sizeof *log), **more = realloc(logs, (log_count + 1) * sizeof(void *));

    if (more)
        logs = more;
    if (log && more && (log->name = strdup(name)) && (log->path = strdup(path))) {
        log->fd = log->copy_fd = log->digest_fd = log->first_fd = -1;
        return logs[log_count++] = log;
    }
    free(log);
    return NULL;
}

struct pithi_serve_log *pithi_serve_find(const char *name)
{
    static uint64_t used;
    char path[PATH_MAX];
    DIR *folder;
    int is_there;

    if (!is_folder)
        return strcmp(name, logs[0]->name) == 0 ? logs[0] : NULL;
    used++;
    if (!(folder = opendir(served)))
        return NULL;
    is_there = is_listed(dirfd(folder), name);
    closedir(folder);
    if (!is_there || snprintf(path, sizeof path, "%s/%s", served, name) >= (int)sizeof path)
        return NULL;
    struct pithi_serve_log *log = find_known(name);
    if (!log)
        log = add(name, path);
    if (log)
        log->used = used;
    return log;
}

/* Returns the path of bin/pith, found relative to this program, libexec/pith/pith-serve. */
static char *find_program(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    static const char name[] = "/../../bin/pith";

    if (length < 0)
        return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + sizeof name > sizeof path)
        return NULL;
    memcpy(slash, name, sizeof name);
    return strdup(path);
}

int pithi_serve_begin(const char *path)
{
    struct stat st;
    char *whole = realpath(path, NULL);
    const char *slash = strrchr(path, '/');

    if (!whole || stat(whole, &st) != 0)
        return pithi_serve_failed("%s: cannot be opened: %s", path, strerror(errno));
    served = whole;
    program = find_program();
    if (!program)
        return pithi_serve_failed("/proc/self/exe: %s", strerror(errno));
    is_folder = S_ISDIR(st.st_mode) && !pithlog_is_log(whole);
    if (is_folder)
        return access(whole, R_OK | X_OK) == 0 ? 0 : pithi_serve_failed("%s: %s", path, strerror(errno));
    /* Keeps the path, not an open file: if the log is written anew, there may be another file at the same path. */
    slash = slash && slash[1] ? slash : NULL;
    return add(slash ? slash + 1 : path, path) ? 0 : pithi_serve_failed("out of memory");
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

static int running;

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void end_job(struct pithi_serve_job *job)
{
    if (!job->pid)
        return;
    close_fd(&job->out_fd);
    close_fd(&job->said_fd);
    job->pid = 0;
    running--;
}

static void stop_job(struct pithi_serve_job *job)
{
    if (job->pid) {
        kill(job->pid, SIGTERM);
        waitpid(job->pid, NULL, 0);
    }
    end_job(job);
}

/* Starts the program `run`. Its output goes to the files of the job. The three files `more`, unless NULL, become its
 * descriptors 3 to 5. Returns 0, or -1 and sets errno. */
static int start_job(struct pithi_serve_job *job, const char *run, char *const *argv, const int more[3])
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int given[] = {open("/dev/null", O_RDONLY | O_CLOEXEC),
                   pithi_temporary_file(),
                   pithi_temporary_file(),
                   more ? more[0] : -1,
                   more ? more[1] : -1,
                   more ? more[2] : -1};

    job->out_fd = given[1];
    job->said_fd = given[2];
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    int high[6], count = more ? 6 : 3, err = 0;
    for (int i = 0; i < count; i++) { /* copies the files to descriptors from 10 on, so that dup2 to 0 to 5 overwrites
                                       * no file that is still needed */
        high[i] = fcntl(given[i], F_DUPFD_CLOEXEC, 10);
        err = high[i] < 0 ? errno : err;
        posix_spawn_file_actions_adddup2(&files, high[i], i);
    }
    if (!err)
        err = posix_spawn(&job->pid, run, &files, &how, argv, environ);
    for (int i = 0; i < count; i++)
        close_fd(&high[i]);
    close_fd(&given[0]);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    running++;
    if (err)
        job->pid = 0, running--, close_fd(&job->out_fd), close_fd(&job->said_fd);
    errno = err;
    return err ? -1 : 0;
}

/* Returns the state of a job: WORKING while its process runs, then READY or FAILED. In state READY, sets *out to the
 * file with the process's output, unless `out` is NULL. In state FAILED, writes the reason to `why`. */
static enum pithi_serve_state job_state(struct pithi_serve_job *job, int *out, char *why, size_t size)
{
    int status;

    if (waitpid(job->pid, &status, WNOHANG) == 0)
        return PITHI_SERVE_WORKING;
    int is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!is_good) {
        /* The reason is the first line that the process wrote to standard error, without its "pith: ". */
        ssize_t length = pread(job->said_fd, why, size - 1, 0);

        why[length < 0 ? 0 : length] = '\0';
        why[strcspn(why, "\n")] = '\0';
        if (strncmp(why, "pith: ", 6) == 0)
            memmove(why, why + 6, strlen(why + 6) + 1);
        if (!*why)
            snprintf(why, size, "the log could not be read");
    }
    if (is_good && out) {
        *out = job->out_fd;
        job->out_fd = -1;
    }
    end_job(job);
    return is_good ? PITHI_SERVE_READY : PITHI_SERVE_FAILED;
}

static void forget_answer(struct pithi_serve_answer *answer)
{
    stop_job(&answer->job);
    if (answer->state == PITHI_SERVE_READY)
        close_fd(&answer->fd);
    *answer = (struct pithi_serve_answer){.fd = -1};
}

static void close_files(struct pithi_serve_log *log)
{
    close_fd(&log->fd);
    close_fd(&log->copy_fd);
    close_fd(&log->digest_fd);
    close_fd(&log->first_fd);
}

/* Forgets all that was made from the log, because its file has changed or other logs need the room. */
static void forget(struct pithi_serve_log *log)
{
    stop_job(&log->job);
    for (int i = 0; i < PITHI_SERVE_ANSWERS; i++)
        forget_answer(&log->answers[i]);
    close_files(log);
    log->state = PITHI_SERVE_NEW;
}

void pithi_serve_retry(struct pithi_serve_log *log)
{
    if (log->state == PITHI_SERVE_FAILED)
        forget(log);
    for (int i = 0; i < PITHI_SERVE_ANSWERS; i++)
        if (log->answers[i].state == PITHI_SERVE_FAILED)
            forget_answer(&log->answers[i]);
}

void pithi_serve_end(void)
{
    for (size_t i = 0; i < log_count; i++) {
        struct pithi_serve_log *log = logs[i];
        forget(log);
        free(log->name);
        free(log->path);
        free(log);
    }
    free(logs);
    forget_names();
    free(served);
    free(program);
}

/* ---- A log ------------------------------------------------------------------------------------------------------- */

/* Returns the version of a log, a number that changes when its file changes. It is computed from the file's size, time
 * and the like. Returns 0 if the file is gone. */
static uint64_t version_of(const struct pithi_serve_log *log)
{
    struct stat st;

    if ((is_folder ? lstat : stat)(log->path, &st) != 0)
        return 0;
    uint64_t version = pithi_hash_number((uint64_t)st.st_ino, (uint64_t)st.st_size);
    version = pithi_hash_number(version, (uint64_t)st.st_mtim.tv_sec);
    return pithi_hash_number(version, (uint64_t)st.st_mtim.tv_nsec) | 1;
}

int pithi_serve_has_changed(const struct pithi_serve_log *log) { return version_of(log) != log->version; }

static enum pithi_serve_state fail(struct pithi_serve_log *log, const char *why)
{
    snprintf(log->why, sizeof log->why, "%.200s: %s", log->name, why);
    close_files(log);
    return log->state = PITHI_SERVE_FAILED;
}

/* Takes the files that the preparing process has written; the process has ended. If it made a copy in the native
 * format, the copy is used instead of the log's own file. */
static enum pithi_serve_state take(struct pithi_serve_log *log)
{
    struct stat own = {0}, copy, digest;

    if (fstat(log->copy_fd, &copy) != 0 || fstat(log->digest_fd, &digest) != 0 ||
        (log->fd >= 0 && fstat(log->fd, &own) != 0))
        return fail(log, strerror(errno));
    log->size = (uint64_t)(copy.st_size ? copy.st_size : own.st_size);
    log->digest_size = (uint64_t)digest.st_size;
    if (copy.st_size)
        close_fd(&log->fd), log->fd = log->copy_fd, log->copy_fd = -1;
    else
        close_fd(&log->copy_fd);
    return log->state = PITHI_SERVE_READY;
}

static void end_answer(struct pithi_serve_answer *answer)
{
    if (answer->state == PITHI_SERVE_WORKING)
        answer->state = job_state(&answer->job, &answer->fd, answer->why, sizeof answer->why);
}

/* If the process that prepares the log has ended, takes the files that it has written. */
static void end_preparing(struct pithi_serve_log *log)
{
    if (log->state != PITHI_SERVE_WORKING)
        return;
    log->state = job_state(&log->job, NULL, log->why, sizeof log->why);
    if (log->state == PITHI_SERVE_READY)
        take(log);
    else if (log->state == PITHI_SERVE_FAILED)
        close_files(log);
}

/* Returns 1 if another process may be started. First checks which processes have ended. This is usually noticed when a
 * page asks for the answer, but a page that was closed does not ask any more. */
static int has_room(void)
{
    for (size_t i = 0; i < log_count && running >= JOBS_MOST; i++) {
        end_preparing(logs[i]);
        for (int k = 0; k < PITHI_SERVE_ANSWERS; k++)
            end_answer(&logs[i]->answers[k]);
    }
    return running < JOBS_MOST;
}

static enum pithi_serve_state prepare(struct pithi_serve_log *log)
{
    char *argv[] = {"pith", "--prepare", log->path, NULL};
    struct stat st;

    if (!has_room())
        return PITHI_SERVE_WORKING;

    /* If KEPT_MOST logs are prepared, forgets the log that was not used for the longest time. */
    struct pithi_serve_log *oldest = NULL;
    int count = 0;
    for (size_t i = 0; i < log_count; i++) {
        if (logs[i]->state == PITHI_SERVE_NEW)
            continue;
        count++;
        if (logs[i]->state != PITHI_SERVE_WORKING && (!oldest || logs[i]->used < oldest->used))
            oldest = logs[i];
    }
    if (count >= KEPT_MOST && oldest)
        forget(oldest);

    log->version = version_of(log);
    if (stat(log->path, &st) == 0 && S_ISDIR(st.st_mode))
        log->fd = -1; /* a log of several files; the process will make a copy */
    else if ((log->fd = pithi_open_input(log->path, is_folder ? O_NOFOLLOW : 0)) < 0)
        return fail(log, pithi_open_why());
    if ((log->copy_fd = pithi_temporary_file()) < 0 || (log->digest_fd = pithi_temporary_file()) < 0 ||
        (log->first_fd = pithi_temporary_file()) < 0)
        return fail(log, strerror(errno));
    if (start_job(&log->job, program, argv, (int[]){log->copy_fd, log->digest_fd, log->first_fd}) != 0)
        return fail(log, strerror(errno));
    return log->state = PITHI_SERVE_WORKING;
}

enum pithi_serve_state pithi_serve_look(struct pithi_serve_log *log)
{
    if (log->state != PITHI_SERVE_NEW && pithi_serve_has_changed(log))
        forget(log);
    if (log->state == PITHI_SERVE_NEW)
        return prepare(log);
    end_preparing(log);
    return log->state;
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* Returns the entry for the answer named `key`. If there is none, clears an entry and returns it: among those whose
 * processes are not at work, the entry that was asked for the longest time ago. Returns NULL if the processes of all
 * entries are at work. */
static struct pithi_serve_answer *place_of(struct pithi_serve_log *log, const char *key)
{
    struct pithi_serve_answer *oldest = NULL;

    for (int i = 0; i < PITHI_SERVE_ANSWERS; i++) {
        struct pithi_serve_answer *answer = &log->answers[i];
        if (strcmp(answer->key, key) == 0)
            return answer;
        if (answer->state != PITHI_SERVE_WORKING && (!oldest || answer->asked < oldest->asked))
            oldest = answer;
    }
    if (oldest)
        forget_answer(oldest);
    return oldest;
}

static const struct pithi_serve_answer *ask(struct pithi_serve_log *log, const char *key, const char *run,
                                            char *const *argv)
{
    static uint64_t asked;
    struct pithi_serve_answer *answer = place_of(log, key);

    if (!answer || (answer->state == PITHI_SERVE_NEW && !has_room()))
        return NULL;
    answer->asked = ++asked;
    if (answer->state == PITHI_SERVE_NEW) {
        snprintf(answer->key, sizeof answer->key, "%s", key);
        answer->state = start_job(&answer->job, run, argv, NULL) == 0 ? PITHI_SERVE_WORKING : PITHI_SERVE_FAILED;
        if (answer->state == PITHI_SERVE_FAILED)
            snprintf(answer->why, sizeof answer->why, "%s", strerror(errno));
    }
    end_answer(answer);
    return answer;
}

const struct pithi_serve_answer *pithi_serve_analyze(struct pithi_serve_log *log)
{
    char *argv[] = {"pith", "analyze", "--json", log->path, NULL};

    return ask(log, "analyze", program, argv);
}

const struct pithi_serve_answer *pithi_serve_legend(struct pithi_serve_log *log, int64_t from_ns, int64_t to_ns,
                                                    const char *theme)
{
    char key[96], from[24], to[24], colours[8];
    char *argv[] = {"pith-serve", "--legend", log->path, from, to, colours, NULL};

    snprintf(from, sizeof from, "%" PRId64, from_ns);
    snprintf(to, sizeof to, "%" PRId64, to_ns);
    snprintf(colours, sizeof colours, "%s", theme);
    snprintf(key, sizeof key, "legend %s %s %s", from, to, colours);
    return ask(log, key, "/proc/self/exe", argv);
}
