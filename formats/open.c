/* open.c - opening a log of any format: probe by content, map, and for foreign ones read into a nameless native log.
 * Also the small questions about an open log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "native/bytes.h"
#include "native/log.h"
#include "native/native.h"

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static int map(struct pithlog *log, size_t size)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, log->fd, 0);
    if (data == MAP_FAILED)
        return pithi_fail(PITH_ERR_IO, "%s: cannot be mapped: %s", log->path, strerror(errno));
    log->data = data;
    log->size = size;
    return PITH_OK;
}

static void unmap(struct pithlog *log)
{
    if (log->data)
        munmap((void *)(uintptr_t)log->data, log->size);
    log->data = NULL;
    log->size = 0;
}

void pithi_log_release(const struct pithlog *log, uint64_t offset, uint64_t size)
{
    /* Linux maps 64 KB around each fault; what of it is still to be read just comes again, from the page cache. */
    static const uint64_t around = 65536;
    uint64_t from = offset / around * around, to = (offset + size + around - 1) / around * around;
    madvise((void *)(uintptr_t)(log->data + from), (size_t)((to < log->size ? to : log->size) - from), MADV_DONTNEED);
}

int pithi_temporary_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[4096];
        if (!folders[i] || !*folders[i])
            continue;
        int fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (fd >= 0)
            return fd;
        if (snprintf(name, sizeof name, "%s/pith-XXXXXX", folders[i]) >= (int)sizeof name)
            continue;
        if ((fd = mkostemp(name, O_CLOEXEC)) >= 0) {
            unlink(name);
            return fd;
        }
    }
    return memfd_create("pith", MFD_CLOEXEC);
}

/* ---- Foreign formats --------------------------------------------------------------------------------------------- */

static const struct pithi_format *probe(const struct pithi_input *input)
{
    for (const struct pithi_format *f = pithi_formats; f->name; f++)
        if (f->read && f->read != pithi_native_read && f->probe && f->probe(input))
            return f;
    return NULL;
}

/* Reads `input` by `format` into a nameless native log, which takes the place of the file in log->fd. */
static int import(struct pithlog *log, const struct pithi_input *input, const struct pithi_format *format)
{
    struct pithi_writer *writer = NULL;
    struct stat st;
    int err, fd = pithi_temporary_file();
    if (fd < 0)
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", log->path, strerror(errno));
    char name[512];
    snprintf(name, sizeof name, "%s (its temporary copy, see TMPDIR)", log->path);
    TRY(pithi_writer_open(&writer, name, fd));
    TRY(format->read(input, writer));
    TRY(pithi_writer_finish(writer));
    unmap(log);
    close(log->fd);
    log->fd = fd;
    fd = -1;
    if (fstat(log->fd, &st) != 0)
        err = pithi_fail(PITH_ERR_IO, "%s: %s", log->path, strerror(errno));
    else
        err = map(log, (size_t)st.st_size);
    if (err == PITH_OK)
        err = pithi_log_load(log);
out:
    if (fd >= 0)
        close(fd);
    pithi_writer_close(writer);
    return err;
}

static int open_foreign(struct pithlog *log, uint64_t bytes)
{
    struct pithi_input input = {log->path, log->data, log->size};
    const struct pithi_format *format = probe(&input);
    int err;
    if (!format && !log->data)
        return pithi_fail(PITH_ERR_OPEN, "%s: is a folder without spill files; give the name of a log", log->path);
    if (!format)
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: not a log of any known format; `pith help formats` lists them",
                          log->path);
    TRY(import(log, &input, format));
    log->info.format = format->name;
    log->info.version = 0;
    log->info.bytes = bytes;
out:
    return err;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int open_file(struct pithlog *log)
{
    struct stat st;
    int err;
    log->fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (log->fd < 0 || fstat(log->fd, &st) != 0)
        return pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", log->path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return open_foreign(log, 0);
    if (!S_ISREG(st.st_mode))
        return pithi_fail(PITH_ERR_OPEN, "%s: is no regular file; write it to a file first", log->path);
    if (st.st_size == 0)
        return pithi_fail(PITH_ERR_FORMAT, "%s: byte 0: the file is empty; nothing was recorded in it", log->path);
    TRY(map(log, (size_t)st.st_size));
    err = pithi_native_is(log->data, log->size) ? pithi_log_load(log) : open_foreign(log, (uint64_t)st.st_size);
out:
    return err;
}

int pithi_log_open(const char *path, void (*say)(void *, const char *), void *context, struct pithlog **log)
{
    int err;
    *log = NULL;
    if (!path)
        return pithi_fail(PITH_ERR_USAGE, "no name of a log was given");
    struct pithlog *l = calloc(1, sizeof *l);
    if (!l || !(l->path = strdup(path))) {
        free(l);
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to open it", path);
    }
    l->fd = -1;
    l->say = say;
    l->say_context = context;
    if ((err = open_file(l)) == PITH_OK)
        *log = l;
    else
        pithlog_close(l);
    return err;
}

int pithlog_open(const char *path, struct pithlog **log) { return pithi_log_open(path, NULL, NULL, log); }

void pithlog_close(struct pithlog *log)
{
    if (!log)
        return;
    pithi_log_unload(log);
    unmap(log);
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}

/* ---- Small questions --------------------------------------------------------------------------------------------- */

const struct pithlog_info *pithlog_get_info(const struct pithlog *log) { return &log->info; }

const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id)
{
    return pithi_defs_get(log->defs, id);
}

const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane)
{
    return lane < log->lane_count ? &log->lanes[lane].seen : NULL;
}

const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm)
{
    return comm < log->comm_count ? &log->comms[comm] : NULL;
}

const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value)
{
    return pithi_defs_get_property(log->defs, index, value);
}
