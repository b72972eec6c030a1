/* native.c - the native format as a row of the table: probing, reading into a writer, writing from any open log. */
#include "reader/read/native.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/temporary.h"
#include "native/log.h"
#include "reader/read/copy.h"

int pithi_native_probe(const struct pithi_input *input)
{
    return input->data &&
           pithi_native_is(input->data, input->size < PITHI_NATIVE_START ? input->size : PITHI_NATIVE_START);
}

/* ---- Recovering -------------------------------------------------------------------------------------------------- */

/* Returns 1 if the whole index can be read: the part of each rank, and each lane's list of blocks. */
static int index_whole(struct pithlog *log)
{
    struct pithi_log_window window = {0};
    const struct pithi_log_lane *lane;
    struct pithi_log_block block;
    for (uint32_t i = 0; i < log->info.lanes; i++) {
        if (pithi_log_lane(log, i, &lane) != PITH_OK)
            return 0;
        for (uint32_t k = 0; k < lane->block_count; k++)
            if (pithi_log_block(log, lane, k, &window, &block) != PITH_OK)
                return 0;
    }
    return log->damages == 0;
}

/* Opens a log. If its index is damaged, opens it without the index, because this finds more blocks. */
static int open_most(const char *path, struct pithlog **log)
{
    int err = pithlog_open(path, log);
    /* keeps the log if it was opened without an index, or if its index is intact */
    if (err == PITH_OK && ((*log)->rebuilt || index_whole(*log)))
        return err;
    if (err == PITH_OK)
        pithlog_close(*log);
    /* opens by the blocks after PITH_ERR_OPEN, too: they may be intact although the log cannot be opened */
    return err == PITH_OK || err == PITH_ERR_OPEN ? pithi_log_open_blocks(path, log) : err;
}

int pithi_native_recover(const char *path, struct pithi_writer *writer, uint64_t *damages)
{
    struct pithlog *log;
    int err = open_most(path, &log);
    if (err == PITH_OK) {
        *damages = log->damages;
        err = pithi_log_copy(log, writer, &(struct pithi_copy){INT64_MIN, INT64_MAX, .damages = damages});
        pithlog_close(log);
    }
    return err;
}

int pithi_native_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    uint64_t damages;
    return pithi_native_recover(input->path, writer, &damages);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static int fill_file(int fd, const char *name, int (*fill)(void *context, struct pithi_writer *writer), void *context)
{
    struct pithi_writer *writer = NULL;
    int err;
    TRY(pithi_writer_open(&writer, name, fd));
    TRY(fill(context, writer));
    TRY(pithi_writer_finish(writer));
out:
    pithi_writer_close(writer);
    return err;
}

static int no_place(void)
{
    return pithi_fail(PITH_ERR_IO, "no place for a temporary file: %s; set TMPDIR", strerror(errno));
}

int pithi_native_temporary(const char *name, int (*fill)(void *context, struct pithi_writer *writer), void *context,
                           struct pithlog **log)
{
    int fd = pithi_temporary_file(), err;
    *log = NULL;
    if (fd < 0)
        return no_place();
    if ((err = fill_file(fd, name, fill, context)) == PITH_OK)
        return pithi_log_open_file(name, fd, log);
    close(fd);
    return err;
}

int pithi_native_make(FILE *out, int (*fill)(void *context, struct pithi_writer *writer), void *context)
{
    int err, fd;
    /* Writes directly only if `out` is at the begin of a file. A pipe gets a copy of a temporary file, because a writer
     * writes at offsets. */
    if (lseek(fileno(out), 0, SEEK_CUR) == 0)
        return fill_file(fileno(out), "the new log", fill, context);
    fd = pithi_temporary_file();
    err = fd < 0 ? no_place() : fill_file(fd, "the temporary copy (see TMPDIR)", fill, context);
    errno = 0; /* so that the caller does not take it for an error of `out` */
    if (err == PITH_OK && pithi_temporary_copy(fd, out) != 0)
        err = pithi_fail(PITH_ERR_IO, "cannot write: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return err;
}

struct source {
    struct pithlog *log;    /* the log that is written */
    struct pithi_copy what; /* what is copied of the log: a window */
};

static int fill_by_copy(void *context, struct pithi_writer *writer)
{
    const struct source *source = context;
    return pithi_log_copy(source->log, writer, &source->what);
}

int pithi_native_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct source source = {log, {how ? how->from_ns : INT64_MIN, how ? how->to_ns : INT64_MAX, .lanes = NULL}};
    return pithi_native_make(out, fill_by_copy, &source);
}
