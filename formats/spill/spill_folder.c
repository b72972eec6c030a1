/* spill_folder.c - sorts spill files by job and rank.
 *
 * A folder may hold files of several runs: one that died yesterday, one that is running. The process page of each file
 * has the number of the job, the rank, and the number of ranks in the job. From these pages follows which files each
 * job has:
 *
 *     files            job 7 rank 0 of 4, job 7 rank 3 of 4, job 9 rank 0 of 1
 *     jobs             7: 2 files, 4 ranks, 2 missing      9: 1 file, nothing missing
 *
 * A file whose log was written (`finished`) is left out. */
#include "spill/spill_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/open_file.h"
#include "spill/spill_time.h"
#include "spill/spill_walk.h"

/* Returns 1 if the process is dead and its parent has not waited for it yet. Reads the state from /proc/PID/stat, and
 * the number of threads, which is 17 fields after the state. (The state is also Z if only the first thread has ended;
 * in that case the number of threads is more than 1.) */
static int is_zombie(uint32_t pid)
{
    char path[64], line[1024], state = ' ', *at;
    long threads = 0;
    ssize_t got;
    int fd;
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[got > 0 ? got : 0] = '\0';
    at = strrchr(line, ')'); /* the last ')', because the name of the program may also contain ')' */
    return at != NULL &&
           sscanf(at, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld", &state, &threads) ==
               2 &&
           (state == 'X' || (state == 'Z' && threads <= 1));
}

/* Reads the process page of a spill file. Refuses a link, because anybody may put a link into a folder such as /tmp. */
static int read_page(const char *path, struct pithi_spill_page *page)
{
    int fd = pithi_open_input(path, O_NOFOLLOW), err;
    if (fd < 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", path, pithi_open_why());
    err = pithi_spill_page_load(page, path, fd);
    close(fd);
    return err;
}

int pithi_spill_other_version(const char *path)
{
    struct pithi_spill_page page;
    return read_page(path, &page) == PITH_ERR_UNSUPPORTED;
}

static int add_file(struct pithi_spill_folder *folder, const char *path)
{
    struct pithi_spill_page page;
    struct pithi_spill_member *member;
    /* A file that is no spill file, or is damaged at its begin, is added to unreadable_paths, which is no error: the
     * other files can still be read. */
    if (read_page(path, &page) != PITH_OK) {
        if (!pithi_grow_one(&folder->unreadable_paths, folder->unreadable, sizeof *folder->unreadable_paths))
            return pithi_no_memory();
        folder->unreadable_paths[folder->unreadable] = strdup(path);
        if (folder->unreadable_paths[folder->unreadable] == NULL)
            return pithi_no_memory();
        folder->unreadable++;
        return PITH_OK;
    }
    if (page.finished != 0) /* the log of this process was written */
        return PITH_OK;
    if (!pithi_grow_one(&folder->members, folder->member_count, sizeof *folder->members))
        return pithi_no_memory();
    member = &folder->members[folder->member_count];
    /* The page may be damaged, so its numbers are limited: rank 7 of 4 is taken as rank 0. */
    memset(member, 0, sizeof *member);
    member->path = strdup(path);
    if (member->path == NULL)
        return pithi_no_memory();
    folder->member_count++;
    member->job = page.job;
    member->size = page.size > 0 ? page.size : 1;
    member->rank = page.size > 0 && page.rank >= 0 && page.rank < page.size ? page.rank : 0;
    member->listed =
        page.listed > 0 && page.listed < (uint64_t)member->size ? (uint32_t)page.listed : (uint32_t)member->size;
    member->pid = page.pid;
    /* only on the machine of the process can be found out whether it is alive */
    member->running = page.pid > 0 && page.pid <= INT32_MAX && pithi_spill_is_here(&page) &&
                      (kill((pid_t)page.pid, 0) == 0 || errno == EPERM) && !is_zombie(page.pid);
    member->start_real_ns = page.first.real_ns;
    return PITH_OK;
}

/* Orders the files by job, then by rank, then by start, because a rank may have several files. */
static int by_job(const void *a, const void *b)
{
    const struct pithi_spill_member *left = a, *right = b;
    if (left->job != right->job)
        return left->job < right->job ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return left->start_real_ns < right->start_real_ns ? -1 : left->start_real_ns > right->start_real_ns;
}

/* Orders jobs by their start. */
static int by_start(const void *a, const void *b)
{
    const struct pithi_spill_job *left = a, *right = b;
    return left->start_real_ns < right->start_real_ns ? -1 : left->start_real_ns > right->start_real_ns;
}

static int find_jobs(struct pithi_spill_folder *folder)
{
    struct pithi_spill_job *job = NULL;
    uint32_t i, ranks_there = 0;
    if (folder->member_count > 1)
        qsort(folder->members, folder->member_count, sizeof *folder->members, by_job);
    for (i = 0; i < folder->member_count; i++) {
        const struct pithi_spill_member *member = &folder->members[i];
        /* the list is sorted by job, so a member with another job number begins a new job */
        if (job == NULL || folder->members[job->first].job != member->job) {
            if (!pithi_grow_one(&folder->jobs, folder->job_count, sizeof *folder->jobs))
                return pithi_no_memory();
            job = &folder->jobs[folder->job_count++];
            *job = (struct pithi_spill_job){.first = i, .start_real_ns = member->start_real_ns};
            ranks_there = 0;
        }
        /* Counts each rank once, because a rank may have several files. */
        ranks_there += job->count == 0 || member->rank != folder->members[i - 1].rank;
        job->count++;
        job->running += member->running != 0;
        /* some pages may be damaged, so the job gets the largest number of ranks that any of its pages has */
        if ((uint32_t)member->size > job->ranks)
            job->ranks = (uint32_t)member->size;
        job->missing = job->ranks - ranks_there;
        /* Counts the ranks that should have a file but have none. With PITH_RANKS only some of the ranks record; their
         * number is `listed`. */
        job->gone = member->listed > ranks_there ? member->listed - ranks_there : 0;
        if (member->start_real_ns < job->start_real_ns)
            job->start_real_ns = member->start_real_ns;
    }
    if (folder->job_count > 1)
        qsort(folder->jobs, folder->job_count, sizeof *folder->jobs, by_start);
    return PITH_OK;
}

int pithi_spill_folder_open(struct pithi_spill_folder *folder, const char *path)
{
    struct stat info;
    int err = PITH_OK;
    memset(folder, 0, sizeof *folder);
    if (stat(path, &info) != 0)
        TRY(pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %m", path));
    if (S_ISDIR(info.st_mode)) {
        DIR *dir = opendir(path);
        struct dirent *entry;
        if (dir == NULL)
            TRY(pithi_fail(PITH_ERR_OPEN, "%s: cannot be read: %m", path));
        while (err == PITH_OK && (entry = readdir(dir)) != NULL) {
            size_t length = strlen(entry->d_name);
            char name[4096];
            if (length > 6 && strcmp(entry->d_name + length - 6, ".spill") == 0 &&
                snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
                err = add_file(folder, name);
        }
        closedir(dir);
        TRY(err);
    } else {
        struct pithi_spill_page page;
        TRY(read_page(path, &page)); /* a file that the user names must be a spill file */
        TRY(add_file(folder, path));
    }
    TRY(find_jobs(folder));
out:
    if (err)
        pithi_spill_folder_close(folder);
    return err;
}

void pithi_spill_ranks_missing(const struct pithi_spill_folder *folder, const struct pithi_spill_job *job, char *text,
                               size_t size)
{
    uint32_t rank, at = job->first, named = 0, end = job->first + job->count;
    size_t length = 0;
    *text = '\0';
    if (job->gone == 0)
        return;
    /* If only some ranks were to record, the missing ranks cannot be named: the pages have the number of ranks in
     * PITH_RANKS, but not which ranks these are. */
    if (job->gone < job->missing) {
        snprintf(text, size, "%u of the %u ranks in PITH_RANKS", job->gone, job->gone + job->ranks - job->missing);
        return;
    }
    /* Names at most ten missing ranks: "rank 1 2 5 and 20 more". */
    length = (size_t)snprintf(text, size, "rank");
    for (rank = 0; rank < job->ranks && named < 10 && named < job->missing && length < size; rank++) {
        /* members are sorted by rank, so `at` only moves forward */
        while (at < end && (uint32_t)folder->members[at].rank < rank)
            at++;
        if (at == end || (uint32_t)folder->members[at].rank != rank) {
            length += (size_t)snprintf(text + length, size - length, " %u", rank);
            named++;
        }
    }
    if (job->missing > named && length < size)
        snprintf(text + length, size - length, " and %u more", job->missing - named);
}

void pithi_spill_folder_close(struct pithi_spill_folder *folder)
{
    uint32_t i;
    for (i = 0; i < folder->member_count; i++)
        free(folder->members[i].path);
    for (i = 0; i < folder->unreadable; i++)
        free(folder->unreadable_paths[i]);
    free(folder->unreadable_paths);
    free(folder->members);
    free(folder->jobs);
    memset(folder, 0, sizeof *folder);
}
