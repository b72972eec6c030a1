/* native.c - the native format as a row of the table: probing, reading into a writer, writing from any open log. */
#include "native/native.h"

#include <errno.h>
#include <unistd.h>

#include "error.h"
#include "native/bytes.h"
#include "native/log.h"

int pithi_native_probe(const struct pithi_input *input)
{
    return input->data &&
           pithi_native_is(input->data, input->size < PITHI_NATIVE_START ? input->size : PITHI_NATIVE_START);
}

/* ---- Copying ----------------------------------------------------------------------------------------------------- */

/* The log's numbers in the writer. */
struct translation {
    uint32_t *defs, *lanes, *comms;
};

static void free_translation(struct translation *t)
{
    free(t->defs);
    free(t->lanes);
    free(t->comms);
}

static int copy_defs(struct pithlog *log, struct pithi_writer *writer, struct translation *t)
{
    struct pithi_defs *defs = pithi_writer_defs(writer);
    const char *key, *value;
    int err = PITH_OK;
    for (uint32_t i = 0; i < log->info.defs; i++)
        TRY(pithi_defs_add(defs, pithi_defs_get(log->defs, i), &t->defs[i]));
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        TRY(pithi_defs_property(defs, key, value));
out:
    return err;
}

static int copy_places(struct pithlog *log, struct pithi_writer *writer, struct translation *t)
{
    int err = PITH_OK;
    for (uint32_t i = 0; i < pithi_log_ranks(log); i++) {
        const struct pithi_log_rank *r = pithi_log_rank(log, i);
        struct pithi_rank rank = {r->rank, pithi_log_host(log, r), r->pid};
        TRY(pithi_writer_rank(writer, &rank));
    }
    for (uint32_t i = 0; i < log->info.lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        TRY(pithi_writer_lane(writer, lane->rank, lane->thread, lane->name, &t->lanes[i]));
    }
    for (uint32_t i = 0; i < log->info.comms; i++)
        TRY(pithi_writer_comm(writer, pithlog_get_comm(log, i), &t->comms[i]));
out:
    return err;
}

/* Records of a kind that their definition does not have are no records. */
static int is_of_kind(const struct pithlog *log, const struct pithlog_record *r)
{
    static const enum pithlog_def_kind kinds[] = {[PITHLOG_ENTER] = PITHLOG_STATE,
                                                  [PITHLOG_LEAVE] = PITHLOG_STATE,
                                                  [PITHLOG_EVENT] = PITHLOG_EVENT_TYPE,
                                                  [PITHLOG_COUNTER] = PITHLOG_COUNTER_TYPE};
    return r->kind > PITHLOG_COUNTER || pithi_defs_get(log->defs, r->id)->kind == kinds[r->kind];
}

/* `damages` NULL: the first damage ends it; else what is damaged is left out and counted. */
static int copy_records(struct pithlog *log, struct pithi_writer *writer, const struct translation *t, int64_t from_ns,
                        int64_t to_ns, uint64_t *damages)
{
    int whole = from_ns == INT64_MIN && to_ns == INT64_MAX;
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = to_ns, .flags = whole ? 0 : PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int status, err = pithlog_iter_open(log, &query, &iter);
    if (err != PITH_OK)
        return err;
    while ((status = pithlog_iter_next(iter, &r)) != 0) {
        if (status < 0 && damages) {
            ++*damages;
            continue;
        }
        if (status < 0) {
            err = PITH_ERR_DAMAGED;
            goto out;
        }
        if (damages && !is_of_kind(log, &r)) {
            ++*damages;
            continue;
        }
        if (r.time_ns < from_ns)
            r.time_ns = from_ns;
        r.lane = t->lanes[r.lane];
        r.comm = t->comms[r.comm];
        if (r.kind <= PITHLOG_COUNTER)
            r.id = t->defs[r.id];
        TRY(pithi_writer_add(writer, &r));
    }
out:
    pithlog_iter_close(iter);
    return err;
}

static int copy(struct pithlog *log, struct pithi_writer *writer, int64_t from_ns, int64_t to_ns, uint64_t *damages)
{
    struct translation t = {malloc((log->info.defs + (size_t)1) * sizeof *t.defs),
                            malloc((log->info.lanes + (size_t)1) * sizeof *t.lanes),
                            malloc((log->info.comms + (size_t)1) * sizeof *t.comms)};
    int err = PITH_ERR_MEMORY;
    if (!t.defs || !t.lanes || !t.comms) {
        pithi_fail(err, "%s: no memory to copy it", log->path);
        goto out;
    }
    TRY(copy_defs(log, writer, &t));
    TRY(copy_places(log, writer, &t));
    TRY(copy_records(log, writer, &t, from_ns, to_ns, damages));
out:
    free_translation(&t);
    return err;
}

int pithi_log_copy(struct pithlog *log, struct pithi_writer *writer, int64_t from_ns, int64_t to_ns)
{
    return copy(log, writer, from_ns, to_ns, NULL);
}

/* Every rank's part and every lane's list of blocks can be read. */
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

/* Without its index more is found of a log than with what is left of that. */
static int open_most(const char *path, struct pithlog **log)
{
    int err = pithlog_open(path, log);
    if (err == PITH_OK && (!(*log)->info.complete || index_whole(*log)))
        return err;
    if (err == PITH_OK)
        pithlog_close(*log);
    return err == PITH_OK || err == PITH_ERR_OPEN ? pithi_log_open_blocks(path, log) : err;
}

int pithi_native_recover(const char *path, struct pithi_writer *writer, uint64_t *damages)
{
    struct pithlog *log;
    int err = open_most(path, &log);
    if (err == PITH_OK) {
        *damages = log->damages;
        err = copy(log, writer, INT64_MIN, INT64_MAX, damages);
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

/* What a nameless file holds, through to a pipe. */
static int pour(int fd, FILE *out)
{
    char text[65536];
    ssize_t n;
    off_t at = 0;
    while ((n = pread(fd, text, sizeof text, at)) > 0) {
        if (fwrite(text, 1, (size_t)n, out) != (size_t)n)
            return pithi_fail(PITH_ERR_IO, "cannot write: %s", strerror(errno));
        at += n;
    }
    if (n < 0 || fflush(out) != 0)
        return pithi_fail(PITH_ERR_IO, "cannot write: %s", strerror(errno));
    return PITH_OK;
}

int pithi_native_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct pithi_writer *writer = NULL;
    int direct = lseek(fileno(out), 0, SEEK_CUR) == 0;
    int err, fd = direct ? fileno(out) : pithi_temporary_file();
    if (fd < 0)
        return pithi_fail(PITH_ERR_IO, "no place for a temporary file: %s; set TMPDIR", strerror(errno));
    TRY(pithi_writer_open(&writer, "the new log", fd));
    TRY(pithi_log_copy(log, writer, how ? how->from_ns : INT64_MIN, how ? how->to_ns : INT64_MAX));
    TRY(pithi_writer_finish(writer));
    if (!direct)
        TRY(pour(fd, out));
out:
    pithi_writer_close(writer);
    if (!direct)
        close(fd);
    return err;
}
