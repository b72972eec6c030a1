/* encode.c - spill file in, bytes of a segment out. Knows no other process. */
#include "encode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "spill/spill_emit.h"

#define MEMORY_MAX ((size_t)16 << 20)

/* ---- The sink: memory, then a file ------------------------------------------------------------------------------- */

static int nameless_file(const char *folder)
{
    char path[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(path, sizeof path, "%s/encode.XXXXXX", folder) >= (int)sizeof path)
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int file_all(struct pithi_encode *encode)
{
    size_t done = 0;
    if (encode->fd < 0)
        encode->fd = nameless_file(encode->folder);
    if (encode->fd < 0)
        return pithi_fail(PITH_ERR_IO, "%s: no file can be made: %m", encode->folder);
    while (done < encode->used) {
        ssize_t put = pwrite(encode->fd, encode->memory + done, encode->used - done, (off_t)(encode->filed + done));
        if (put < 0 && errno != EINTR)
            return pithi_fail(PITH_ERR_IO, "%s: cannot be written: %m", encode->folder);
        done += put > 0 ? (size_t)put : 0;
    }
    encode->filed += encode->used;
    encode->used = 0;
    return PITH_OK;
}

static int append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_encode *encode = context;
    if (encode->used + size > encode->room) {
        size_t room = encode->room == 0 ? (size_t)64 << 10 : encode->room * 2;
        unsigned char *more;
        if (encode->used + size > MEMORY_MAX && encode->used > 0) {
            int err = file_all(encode);
            if (err)
                return err;
        }
        while (room < encode->used + size)
            room *= 2;
        if (encode->used + size > encode->room) {
            more = realloc(encode->memory, room);
            if (more == NULL)
                return pithi_fail(PITH_ERR_MEMORY, "no memory to encode what was recorded");
            encode->memory = more;
            encode->room = room;
        }
    }
    *offset = encode->filed + encode->used;
    memcpy(encode->memory + encode->used, data, size);
    encode->used += size;
    return PITH_OK;
}

int pithi_encode_open(struct pithi_encode *encode, const struct pithi_rank *rank, const char *folder)
{
    struct pithi_sink sink = {append, encode};
    memset(encode, 0, sizeof *encode);
    encode->fd = -1;
    encode->folder = folder;
    return pithi_segment_open(&encode->segment, rank, &sink);
}

uint64_t pithi_encode_size(const struct pithi_encode *encode)
{
    return encode->filed + encode->used + pithi_segment_index_size(encode->segment);
}

int pithi_encode_write(const struct pithi_encode *encode,
                       int (*put)(void *context, uint64_t offset, const void *data, size_t size), void *context)
{
    unsigned char *piece = NULL;
    uint64_t offset = 0;
    int status = 0;
    if (encode->filed > 0 && (piece = malloc(MEMORY_MAX / 4)) == NULL)
        return -1;
    while (status == 0 && offset < encode->filed) {
        uint64_t left = encode->filed - offset;
        ssize_t got = pread(encode->fd, piece, left < MEMORY_MAX / 4 ? (size_t)left : MEMORY_MAX / 4, (off_t)offset);
        if (got <= 0) {
            status = -1;
            break;
        }
        status = put(context, offset, piece, (size_t)got);
        offset += (uint64_t)got;
    }
    free(piece);
    if (status == 0 && encode->used > 0)
        status = put(context, encode->filed, encode->memory, encode->used);
    return status;
}

void pithi_encode_close(struct pithi_encode *encode)
{
    pithi_segment_free(encode->segment);
    free(encode->memory);
    if (encode->fd >= 0)
        close(encode->fd);
    memset(encode, 0, sizeof *encode);
    encode->fd = -1;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int lane(void *segment, uint32_t thread, const char *name, uint32_t *index)
{
    return pithi_segment_lane(segment, thread, name, index);
}

static int comm(void *segment, const struct pithlog_comm *definition, uint32_t *index)
{
    return pithi_segment_comm(segment, definition, index);
}

static int add(void *segment, const struct pithlog_record *record) { return pithi_segment_add(segment, record); }

int pithi_encode_records(struct pithi_encode *encode, struct pithi_spill *spill, struct pithi_defs *defs,
                         int64_t shift_ns)
{
    struct pithi_spill_target target = {encode->segment, defs, lane, comm, add, shift_ns, 0};
    uint32_t i;
    for (i = 0; i < spill->comm_count; i++)
        if (spill->comms[i].rank != 0) /* one member gives the list, lest the log holds it once a rank */
            spill->comms[i].comm.size = spill->comms[i].comm.remote_size = 0;
    return pithi_spill_emit(spill, &target, NULL, NULL);
}
