/* hold.c - memory, then a file. */
#include "hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "descriptor.h"
#include "error.h"

enum { FIRST_ROOM = 64 << 10 };

void pithi_hold_open(struct pithi_hold *hold, const char *folder, size_t most)
{
    *hold = (struct pithi_hold){.folder = folder, .most = most, .fd = -1};
}

void pithi_hold_close(struct pithi_hold *hold)
{
    free(hold->memory);
    if (hold->fd >= 0)
        close(hold->fd);
    pithi_hold_open(hold, hold->folder, hold->most);
}

static int nameless_file(const char *folder)
{
    char path[4096];
    int fd = pithi_descriptor_open(folder, O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0 || snprintf(path, sizeof path, "%s/encode.XXXXXX", folder) >= (int)sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int file_all(struct pithi_hold *hold)
{
    size_t done = 0;
    if (hold->fd < 0)
        hold->fd = nameless_file(hold->folder);
    if (hold->fd < 0)
        return pithi_fail(PITH_ERR_IO, "%s: no file can be made: %m", hold->folder);
    while (done < hold->used) {
        ssize_t put = pwrite(hold->fd, hold->memory + done, hold->used - done, (off_t)(hold->filed + done));
        if (put < 0 && errno != EINTR)
            return pithi_fail(PITH_ERR_IO, "%s: cannot be written: %m", hold->folder);
        done += put > 0 ? (size_t)put : 0;
    }
    hold->filed += hold->used;
    hold->used = 0;
    return PITH_OK;
}

static int grow(struct pithi_hold *hold, size_t size)
{
    size_t room = hold->room == 0 ? FIRST_ROOM : hold->room;
    unsigned char *more;
    while (room < size)
        room *= 2;
    more = realloc(hold->memory, room);
    if (more == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory to encode what was recorded");
    hold->memory = more;
    hold->room = room;
    return PITH_OK;
}

int pithi_hold_append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_hold *hold = context;
    int err;
    if (hold->used + size > hold->most && hold->used > 0 && (err = file_all(hold)) != PITH_OK)
        return err;
    if (hold->used + size > hold->room && (err = grow(hold, hold->used + size)) != PITH_OK)
        return err;
    *offset = pithi_hold_size(hold);
    memcpy(hold->memory + hold->used, data, size);
    hold->used += size;
    return PITH_OK;
}

size_t pithi_hold_read(const struct pithi_hold *hold, uint64_t offset, void *data, size_t size)
{
    ssize_t got;
    if (offset >= hold->filed) {
        size_t from = (size_t)(offset - hold->filed);
        size = size < hold->used - from ? size : hold->used - from;
        memcpy(data, hold->memory + from, size);
        return size;
    }
    if (size > hold->filed - offset)
        size = (size_t)(hold->filed - offset);
    do
        got = pread(hold->fd, data, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}
