/* transport_alone.c - the transport of a process without others: what MPI is to a job of many. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "descriptor.h"
#include "pith_tool.h"

static int no_peer(void *context, int to, const void *data, size_t size)
{
    (void)context, (void)to, (void)data, (void)size;
    return -1;
}

static int no_peer_recv(void *context, int from, void *data, size_t size)
{
    (void)context, (void)from, (void)data, (void)size;
    return -1;
}

static int bcast(void *context, int root, void *data, size_t size)
{
    (void)context, (void)root, (void)data, (void)size;
    return 0;
}

static int sum_before(void *context, uint64_t *value)
{
    (void)context;
    *value = 0;
    return 0;
}

static int reduce(void *context, uint64_t *values, int count, int op)
{
    (void)context, (void)values, (void)count, (void)op;
    return 0;
}

static int barrier(void *context)
{
    (void)context;
    return 0;
}

static int file_open(void *context, const char *path, int maker, void **file)
{
    int fd = pithi_descriptor_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    (void)context, (void)maker;
    *file = (void *)(intptr_t)fd;
    return fd < 0 ? -1 : 0;
}

static int file_write_at(void *context, void *file, uint64_t offset, const void *data, size_t size)
{
    const char *at = data;
    (void)context;
    while (size > 0) {
        ssize_t put = pwrite((int)(intptr_t)file, at, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        at += put;
        offset += (uint64_t)put;
        size -= (size_t)put;
    }
    return 0;
}

static int file_close(void *context, void *file)
{
    (void)context;
    return close((int)(intptr_t)file);
}

const struct pith_transport *pith_transport_alone(void)
{
    static const struct pith_transport alone = {.size = 1,
                                                .sharing = 1,
                                                .send = no_peer,
                                                .recv = no_peer_recv,
                                                .bcast = bcast,
                                                .sum_before = sum_before,
                                                .reduce = reduce,
                                                .barrier = barrier,
                                                .file_open = file_open,
                                                .file_write_at = file_write_at,
                                                .file_close = file_close};
    return &alone;
}
