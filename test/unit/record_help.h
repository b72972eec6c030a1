/* record_help.h - for tests of recording: each scenario runs in a child process of its own (a process records once),
 * in a scratch folder, and its log is then read by the parent. */
#ifndef PITH_RECORD_HELP_H
#define PITH_RECORD_HELP_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader/read/format.h"
#include "pith.h"
#include "pith_tool.h"
#include "pithlog.h"
#include "spill/spill_read.h"
#include "tap.h"

static char help_folder[64];

static int help_remove(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)type, (void)where;
    return remove(path);
}

static inline void help_clean(void)
{
    if (chdir("/") == 0)
        nftw(help_folder, help_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* An empty scratch folder becomes the current one; the environment says nothing of Pith but PITH_QUIET. */
static inline void help_begin(void)
{
    snprintf(help_folder, sizeof help_folder, "/tmp/pith-unit.XXXXXX");
    if (mkdtemp(help_folder) == NULL || chdir(help_folder) != 0)
        exit(99);
    unsetenv("PITH_SPILL");
    unsetenv("PITH_FORMAT");
    unsetenv("PITH_MAX_MB");
    unsetenv("PITH_WHEN_FULL");
    setenv("PITH_LOG", "run.pith", 1);
    setenv("PITH_QUIET", "1", 1);
}

/* Empties the scratch folder. */
static inline void help_fresh(void)
{
    help_clean();
    mkdir(help_folder, 0755);
    setenv("PITH_SUMMARY", "no", 1);  /* test_summary.sh has it */
    setenv("TMPDIR", help_folder, 1); /* where records go that find no place beside the log */
    if (chdir(help_folder) != 0)
        exit(99);
}

static inline void help_show(void)
{
    char line[256];
    FILE *file = fopen("said", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        printf("# %s", line);
    if (file != NULL)
        fclose(file);
}

/* Runs scenario() in a child that then exits by exit(). Gives the status of waitpid; what it says on stderr goes to the
 * file "said". */
static inline int help_child(void (*scenario)(void))
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (freopen("said", "w", stderr) == NULL)
            _exit(98);
        scenario();
        fflush(stdout);
        exit(0);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (status != 0)
        help_show();
    return status;
}

/* What the child said, one string; valid until the next call. */
static inline const char *help_said(void)
{
    static char text[4096];
    FILE *file = fopen("said", "r");
    size_t got = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[got] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

static inline int help_lines(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

/* How many names in `folder` end with `suffix`. */
static inline int help_files(const char *folder, const char *suffix)
{
    int count = 0;
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        if (entry->d_name[0] != '.' && length >= end && strcmp(entry->d_name + length - end, suffix) == 0)
            count++;
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

static inline int help_nothing(void *unused) { return unused != NULL; }

/* 1: a process can be made that sends no signal when it ends, by which Pith runs `pith convert` (liblog/converter.c). A
 * test that needs it skips with HELP_NO_CONVERT else. */
#define HELP_NO_CONVERT "# SKIP qemu's user mode has no clone without a signal at the end"
static inline int help_can_convert(void)
{
#ifdef __SANITIZE_THREAD__
    return 1; /* the sanitizer cannot follow a clone that shares memory, and is not used under qemu */
#endif
    static char stack[16384] __attribute__((aligned(16)));
    int pid = clone(help_nothing, stack + sizeof stack, CLONE_VM | CLONE_VFORK, NULL);
    return pid > 0 && waitpid(pid, NULL, __WCLONE) == pid;
}

/* A log's records, in time order; payloads copied. */
struct help_log {
    struct pithlog *log;
    const struct pithlog_info *info;
    struct pithlog_record *records;
    size_t count;
};

static inline int help_read(struct help_log *read, const char *path)
{
    struct pithlog_iter *iter;
    struct pithlog_record record;
    size_t room = 0;
    int status;
    memset(read, 0, sizeof *read);
    if (pithlog_open(path, &read->log) != PITH_OK) {
        printf("# %s\n", pithlog_error());
        return 0;
    }
    read->info = pithlog_get_info(read->log);
    if (pithlog_iter_open(read->log, NULL, &iter) != PITH_OK)
        return 0;
    while ((status = pithlog_iter_next(iter, &record)) == 1) {
        if (read->count == room) {
            room = room == 0 ? 1024 : room * 2;
            read->records = realloc(read->records, room * sizeof record);
        }
        if (record.payload_bytes > 0) {
            void *copy = malloc(record.payload_bytes);
            memcpy(copy, record.payload, record.payload_bytes);
            record.payload = copy;
        }
        read->records[read->count++] = record;
    }
    pithlog_iter_close(iter);
    if (status < 0)
        printf("# %s\n", pithlog_error());
    return status == 0;
}

static inline void help_close(struct help_log *read)
{
    size_t i;
    for (i = 0; i < read->count; i++)
        if (read->records[i].payload_bytes > 0)
            free((void *)(uintptr_t)read->records[i].payload);
    free(read->records);
    pithlog_close(read->log);
    memset(read, 0, sizeof *read);
}

/* The definition's name of a record, "" if it has none. */
static inline const char *help_name(const struct help_log *read, const struct pithlog_record *record)
{
    const struct pithlog_def *def = record->kind <= PITHLOG_COUNTER ? pithlog_get_def(read->log, record->id) : NULL;
    return def != NULL ? def->name : "";
}

/* How many records of `kind` under the definition `name` (NULL: any). */
static inline uint64_t help_count(const struct help_log *read, uint32_t kind, const char *name)
{
    uint64_t count = 0;
    size_t i;
    for (i = 0; i < read->count; i++)
        if (read->records[i].kind == kind && (name == NULL || strcmp(help_name(read, &read->records[i]), name) == 0))
            count++;
    return count;
}

/* The log of a folder of spill files, newest job, through the spill reader. */
static inline int help_recover(struct help_log *read, const char *folder)
{
    struct pithi_input input = {.path = folder};
    struct pithi_writer *writer;
    int good;
    if (pithi_writer_open(&writer, "recovered.pith", -1) != PITH_OK)
        return 0;
    good = pithi_spill_read(&input, writer) == PITH_OK && pithi_writer_finish(writer) == PITH_OK;
    pithi_writer_close(writer);
    if (!good)
        printf("# %s\n", pithlog_error());
    return good && help_read(read, "recovered.pith");
}

#endif
