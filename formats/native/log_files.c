/* log_files.c - reads the file or files of a native log, and finds chunks without an index.
 *
 * An offset names a place in the whole log: the number of the volume in the bits from 48 on, the position below. Byte
 * 4,096 of NAME.pith.2 is 0x0002000000001000. So all other code deals with one number; only this file knows whether a
 * log is in one file or in several. */
#include "native/log_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/far.h"
#include "base/file_at.h"
#include "base/open_file.h"
#include "base/zip.h"

/* Returns 1 and fills in *volume if the header is intact and belongs to a native log. Volume 0 is the first file, whose
 * name does not end with a number. */
int pithi_volume_get(const unsigned char h[PITHI_HEADER_SIZE], struct pithi_volume *volume)
{
    if (memcmp(h, PITHI_FILE_MAGIC, 8) != 0 || pithi_get32(h + 60) != pithi_crc(h, 60))
        return 0;
    *volume = (struct pithi_volume){pithi_get32(h + 16), pithi_get32(h + 20), pithi_get64(h + 24)};
    return volume->count <= PITHI_VOLUMES_MAX && volume->number <= volume->count;
}

void pithi_files_name(const struct pithi_files *files, uint64_t offset, char *name, size_t size)
{
    uint32_t number = pithi_place_volume(offset);
    if (number)
        snprintf(name, size, "%s.%u", files->path, number);
    else
        snprintf(name, size, "%s", files->path);
}

/* Reports that a volume cannot be opened and which part of the log is missing, because a log of several files is often
 * copied without some of them. */
static int no_volume(const struct pithi_files *files, const char *name, uint32_t number)
{
    return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s; part %u of %s stands in it", name, strerror(errno),
                      number, files->path);
}

int pithi_files_begin(struct pithi_files *files, const struct pithi_volume *volume, int any)
{
    char name[4096];
    struct stat st;
    files->volume = *volume;
    /* One entry more than needed, as malloc(0) may return NULL. */
    if (!(files->more = malloc((volume->count + (size_t)1) * sizeof *files->more)))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to open it", files->path);
    for (uint32_t i = 0; i < volume->count; i++) {
        pithi_files_name(files, (uint64_t)(i + 1) << PITHI_VOLUME_SHIFT, name, sizeof name);
        int there = stat(name, &st) == 0;
        /* The file is opened later, when a record in it is needed: most readers need few files of a log. */
        files->more[i].fd = -1;
        files->more[i].size = there && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
        /* With `any`, which `pith recover` sets, a missing volume counts as empty. */
        if (!there && !any) {
            files->volume.count = i;
            return no_volume(files, name, i + 1);
        }
    }
    return PITH_OK;
}

void pithi_files_end(struct pithi_files *files)
{
    for (uint32_t i = 0; files->more && i < files->volume.count; i++)
        if (files->more[i].fd >= 0)
            close(files->more[i].fd);
    free(files->more);
    files->more = NULL;
    files->volume = (struct pithi_volume){0};
}

uint64_t pithi_files_bytes(const struct pithi_files *files)
{
    uint64_t bytes = files->size;
    for (uint32_t i = 0; i < files->volume.count; i++)
        bytes += files->more[i].size;
    return bytes;
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

static int read_at(int fd, uint64_t offset, void *data, size_t size)
{
    if (pithi_read_at(fd, data, size, offset) == size)
        return PITH_OK;
    return errno ? PITH_ERR_IO : PITH_ERR_DAMAGED;
}

/* Opens a volume and checks that it belongs to this log.
 * A volume has the number and the log's id in its own header, so a file of another log with the same name is refused.
 */
static int open_volume(const struct pithi_files *files, uint32_t number, int *fd)
{
    char name[4096];
    unsigned char header[PITHI_HEADER_SIZE];
    struct pithi_volume volume;
    pithi_files_name(files, (uint64_t)number << PITHI_VOLUME_SHIFT, name, sizeof name);
    *fd = pithi_open_input(name, 0);
    if (*fd < 0)
        return no_volume(files, name, number);
    if (read_at(*fd, 0, header, sizeof header) == PITH_OK && pithi_volume_get(header, &volume) &&
        volume.number == number && volume.id == files->volume.id)
        return PITH_OK;
    close(*fd);
    return pithi_fail(PITH_ERR_OPEN, "%s: byte 0: this is not part %u of %s; keep the files of a log together", name,
                      number, files->path);
}

int pithi_files_find(struct pithi_files *files, uint64_t offset, int *fd, uint64_t *size)
{
    uint32_t number = pithi_place_volume(offset);
    *fd = files->fd;
    *size = files->size;
    if (number == 0)
        return PITH_OK;
    if (number > files->volume.count)
        /* A damaged offset may name any volume. */
        return pithi_fail(PITH_ERR_DAMAGED, "%s: a part %u is named, and there are %u", files->path, number,
                          files->volume.count);
    struct pithi_more_file *file = &files->more[number - 1];
    *size = file->size;
    if ((*fd = __atomic_load_n(&file->fd, __ATOMIC_ACQUIRE)) >= 0)
        return PITH_OK;
    /* Threads may open the volume at the same time: the first descriptor stays, the other threads close theirs. */
    int opened, none = -1, err = open_volume(files, number, &opened);
    if (err != PITH_OK)
        return err;
    *fd = opened;
    if (!__atomic_compare_exchange_n(&file->fd, &none, opened, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        close(opened); /* another thread has opened it first */
        *fd = none;
    }
    return PITH_OK;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

int pithi_files_read(struct pithi_files *files, uint64_t offset, void *data, size_t size)
{
    uint64_t file_size;
    char name[4096];
    int fd, err = pithi_files_find(files, offset, &fd, &file_size);
    if (err != PITH_OK)
        return err;
    pithi_far_now(fd, pithi_place(offset), size);
    if ((err = read_at(fd, pithi_place(offset), data, size)) == PITH_OK)
        return err;
    pithi_files_name(files, offset, name, sizeof name);
    /* short reads and errors of the system have different causes, so the texts differ */
    return pithi_fail(err, "%s: byte %llu: %s", name, (unsigned long long)pithi_place(offset),
                      err == PITH_ERR_IO ? strerror(errno) : "the file ends before");
}

void pithi_files_soon(struct pithi_files *files, uint64_t offset, uint64_t size)
{
    uint64_t file_size;
    int fd;
    if (pithi_files_find(files, offset, &fd, &file_size) == PITH_OK)
        pithi_far_soon(fd, pithi_place(offset), size);
}

int pithi_files_chunk(struct pithi_files *files, uint64_t offset, struct pithi_chunk_head *head,
                      struct pithi_buffer *payload, const char **why)
{
    uint64_t size;
    int fd, no_memory;
    *why = NULL;
    payload->size = 0;
    int err = pithi_files_find(files, offset, &fd, &size);
    if (err == PITH_ERR_DAMAGED)
        *why = "it is said to be in a file that the log does not have";
    if (err != PITH_OK)
        return err;
    *why = pithi_chunk_read(fd, size, pithi_place(offset), head, payload, &no_memory);
    if (!*why) {
        pithi_far_now(fd, pithi_place(offset), PITHI_CHUNK_HEAD + head->size);
        return PITH_OK;
    }
    if (!no_memory)
        return PITH_ERR_DAMAGED;
    *why = NULL;
    return pithi_fail(PITH_ERR_MEMORY, "%s: byte %llu: no memory to read a chunk", files->path,
                      (unsigned long long)offset);
}

/* ---- All chunks of a file ---------------------------------------------------------------------------------------- */

/* Prepares a search for chunks from `from` on, without an index. */
void pithi_scan_begin(struct pithi_scan *scan, struct pithi_files *files, uint64_t from, uint64_t end)
{
    scan->files = files;
    scan->at = from;
    scan->end = end;
    scan->bare = UINT64_MAX;
    scan->buffered = 0;
    scan->buffer_size = 0;
}

/* Returns the bytes at `at`, buffered, at least as many as a chunk's header has; NULL if they cannot be read. Right
 * after a chunk, it reads only the size of a header, because no more is likely to be needed. Where no chunk was found,
 * one may begin at every 8th byte, so it fills the whole buffer. */
static const unsigned char *bytes_at(struct pithi_scan *scan, uint64_t at)
{
    if (at < scan->buffered || at - scan->buffered + PITHI_CHUNK_HEAD > scan->buffer_size) {
        size_t want = scan->bare == UINT64_MAX ? PITHI_CHUNK_HEAD : sizeof scan->buffer;
        if (want > scan->end - at)
            want = (size_t)(scan->end - at);
        scan->buffer_size = 0;
        if (pithi_files_read(scan->files, at, scan->buffer, want) != PITH_OK)
            return NULL;
        scan->buffered = at;
        scan->buffer_size = want;
    }
    return scan->buffer + (at - scan->buffered);
}

/* Returns 1 with the next chunk, 0 at the end, -1 if the file cannot be read. scan->bare gets the offset of the bytes
 * without a chunk that were passed just before this chunk; UINT64_MAX if there were none. */
int pithi_scan_next(struct pithi_scan *scan, uint64_t *offset, struct pithi_chunk_head *head)
{
    /* Chunks begin at multiples of 8. After damage, each such place is tried until a head fits. */
    for (scan->bare = UINT64_MAX; scan->at < scan->end && scan->end - scan->at >= PITHI_CHUNK_HEAD; scan->at += 8) {
        const unsigned char *p = bytes_at(scan, scan->at);
        if (!p)
            return -1;
        if (pithi_chunk_head_get(p, scan->end - scan->at, 0, head)) {
            *offset = scan->at;
            scan->at += PITHI_CHUNK_HEAD + pithi_pad8(head->size);
            return 1;
        }
        if (scan->bare == UINT64_MAX)
            scan->bare = scan->at;
    }
    /* The remaining bytes are too short for a head. */
    if (scan->at < scan->end && scan->bare == UINT64_MAX)
        scan->bare = scan->at;
    return 0;
}
