/* fork_job.h - a job of many processes without MPI: forked, each pair joined by a socket pair; a pith_transport on
 * that. */
#ifndef PITH_FORK_JOB_H
#define PITH_FORK_JOB_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pith_tool.h"

enum { JOB_MAX = 16 };

struct fork_job {
    int rank, size;
    int sharing;        /* see struct pith_transport */
    int peers[JOB_MAX]; /* socket to each other rank */
    int fail_write;     /* this process's writes fail */
    int written;        /* bytes asked to be written so far */
};

/* A peer is gone: whoever waits for this process must not wait for ever. */
static inline int job_broken(struct fork_job *job)
{
    int rank;
    for (rank = 0; rank < job->size; rank++)
        if (rank != job->rank)
            shutdown(job->peers[rank], SHUT_RDWR);
    return -1;
}

static int job_send(void *context, int to, const void *data, size_t size)
{
    const char *at = data;
    struct fork_job *job = context;
    while (size > 0) {
        ssize_t put = write(job->peers[to], at, size);
        if (put <= 0)
            return job_broken(job);
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

static int job_recv(void *context, int from, void *data, size_t size)
{
    char *at = data;
    struct fork_job *job = context;
    while (size > 0) {
        ssize_t got = read(job->peers[from], at, size);
        if (got <= 0)
            return job_broken(job);
        at += got;
        size -= (size_t)got;
    }
    return 0;
}

static int job_bcast(void *context, int root, void *data, size_t size)
{
    struct fork_job *job = context;
    int rank, status = 0;
    if (job->rank != root)
        return job_recv(context, root, data, size);
    for (rank = 0; rank < job->size; rank++)
        if (rank != root)
            status |= job_send(context, rank, data, size);
    return status;
}

static int job_sum_before(void *context, uint64_t *value)
{
    struct fork_job *job = context;
    uint64_t before = 0, sum;
    if (job->rank > 0 && job_recv(context, job->rank - 1, &before, sizeof before) != 0)
        return -1;
    sum = before + *value;
    *value = before;
    return job->rank + 1 < job->size ? job_send(context, job->rank + 1, &sum, sizeof sum) : 0;
}

static int job_reduce(void *context, uint64_t *values, int count, int op)
{
    struct fork_job *job = context;
    size_t size = (size_t)count * sizeof *values;
    uint64_t others[1024];
    int rank, i;
    if (job->rank > 0) {
        if (job_send(context, 0, values, size) != 0)
            return -1;
    } else {
        for (rank = 1; rank < job->size; rank++) {
            if (job_recv(context, rank, others, size) != 0)
                return -1;
            for (i = 0; i < count; i++) {
                if (op == PITH_SUM)
                    values[i] += others[i];
                else if ((op == PITH_MIN) == (others[i] < values[i]))
                    values[i] = others[i];
            }
        }
    }
    return job_bcast(context, 0, values, size);
}

static int job_barrier(void *context)
{
    uint64_t nothing = 0;
    return job_reduce(context, &nothing, 1, PITH_SUM);
}

static int job_file_open(void *context, const char *path, int maker, void **file)
{
    struct fork_job *job = context;
    int fd = job->rank == maker ? open(path, O_CREAT | O_EXCL | O_RDWR, 0666) : -1;
    uint64_t good;
    job_barrier(context);
    *file = NULL;
    if (maker >= 0 && job->rank != maker)
        fd = open(path, O_RDWR);
    good = maker < 0 || fd >= 0;
    job_reduce(context, &good, 1, PITH_MIN);
    if (good && maker >= 0)
        *file = (void *)(intptr_t)(fd + 1);
    else if (fd >= 0)
        close(fd);
    return good ? 0 : -1;
}

static int job_file_write_at(void *context, void *file, uint64_t offset, const void *data, size_t size)
{
    struct fork_job *job = context;
    job->written += (int)size;
    if (job->fail_write)
        return -1;
    return pwrite((int)(intptr_t)file - 1, data, size, (off_t)offset) == (ssize_t)size ? 0 : -1;
}

static int job_file_close(void *context, void *file)
{
    job_barrier(context);
    return file != NULL ? close((int)(intptr_t)file - 1) : 0;
}

static inline struct pith_transport job_transport(struct fork_job *job)
{
    struct pith_transport transport = {.context = job,
                                       .rank = job->rank,
                                       .size = job->size,
                                       .sharing = job->sharing,
                                       .send = job_send,
                                       .recv = job_recv,
                                       .bcast = job_bcast,
                                       .sum_before = job_sum_before,
                                       .reduce = job_reduce,
                                       .barrier = job_barrier,
                                       .file_open = job_file_open,
                                       .file_write_at = job_file_write_at,
                                       .file_close = job_file_close};
    return transport;
}

/* A rank: it keeps its own sockets only, so that its peers notice when it is gone. */
static inline void job_rank(int rank, int size, int sockets[JOB_MAX][JOB_MAX][2], void (*body)(struct fork_job *job))
{
    struct fork_job job = {.rank = rank, .size = size};
    char said[32];
    int a, b;
    for (a = 0; a < size; a++)
        for (b = a + 1; b < size; b++) {
            if (a == rank)
                job.peers[b] = sockets[a][b][0];
            else
                close(sockets[a][b][0]);
            if (b == rank)
                job.peers[a] = sockets[a][b][1];
            else
                close(sockets[a][b][1]);
        }
    snprintf(said, sizeof said, "said.%d", rank);
    if (freopen(said, "w", stderr) == NULL)
        _exit(98);
    body(&job);
    exit(0);
}

/* Starts `size` processes that run body(job). */
static inline void job_start(int size, void (*body)(struct fork_job *job), pid_t *pids)
{
    int sockets[JOB_MAX][JOB_MAX][2], a, b;
    for (a = 0; a < size; a++)
        for (b = a + 1; b < size; b++)
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[a][b]) != 0)
                exit(97);
    for (a = 0; a < size; a++) {
        pids[a] = fork();
        if (pids[a] == 0)
            job_rank(a, size, sockets, body);
    }
    for (a = 0; a < size; a++)
        for (b = a + 1; b < size; b++) {
            close(sockets[a][b][0]);
            close(sockets[a][b][1]);
        }
}

/* Gives how many ended otherwise than by exit(0). */
static inline int job_wait(int size, const pid_t *pids)
{
    int rank, bad = 0, status;
    for (rank = 0; rank < size; rank++) {
        waitpid(pids[rank], &status, 0);
        bad += status != 0;
    }
    return bad;
}

/* Both. */
static inline int job_run(int size, void (*body)(struct fork_job *job))
{
    pid_t pids[JOB_MAX];
    job_start(size, body, pids);
    return job_wait(size, pids);
}

#endif
