/* writer.c - a log written by one process. The segments of all ranks go into one file; each of their blocks is appended
 * when it is full, so the segments are mixed.
 *
 * The caller has one number for each lane and communicator of the log. In its segment, each rank numbers its own lanes
 * and communicators, as in a job whose ranks write their segments themselves (liblog/merge.c). So logs of both origins
 * look the same to a reader:
 *
 *     log's lanes       0: rank 0 thread 0     1: rank 1 thread 0     2: rank 0 thread 1
 *     (segment, lane)   (0, 0)                 (1, 0)                 (0, 1)
 *
 * Definitions may come at any time. New definitions are written before the first block that may use them, so a cut file
 * has them. At the end, all definitions are written once more in one chunk, to which the footer refers.
 *
 * The file has the name PATH.part until it is complete: a reader never takes a log that is half written for a whole
 * one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_at.h"
#include "base/map.h"
#include "base/open_file.h"
#include "base/zip.h"
#include "native/block.h"
#include "native/chunk.h"
#include "native/defs.h"

/* OUT_ROOM: bytes that are collected before they are written. With more than MANY_LANES lanes, a lane gets shorter
 * sheets; with more than TOO_MANY_LANES, it gets no summary (`expect`). */
enum { OUT_ROOM = 1 << 20, MANY_LANES = 512, TOO_MANY_LANES = 4096 };

/* Where a lane is: its segment, and its number in this segment. */
struct place {
    uint32_t segment, index; /* index in `segments`; the lane's number in this segment */
};

/* A communicator of the log; it is described to a rank at its first use there. */
struct log_comm {
    uint64_t key; /* of the communicator */
    char *name;   /* malloc'ed */
    int32_t size, remote_size, *world_ranks;
    int used;       /* 1: it is described to some rank */
    int told;       /* 1: some rank lists the members */
    int32_t teller; /* the rank that lists them, if `told` */
};

struct log_segment {
    int32_t rank; /* the world rank */
    struct pithi_segment *segment;
    struct pithi_map comms; /* from the log's communicators to the segment's */
    uint32_t *lanes;        /* [lanes of the segment] the log's number of each */
    uint32_t lane_count, lane_room;
};

struct pithi_writer {
    char *path, *part;       /* part NULL: the caller opened the file */
    int fd;                  /* of the file being written */
    uint64_t offset;         /* where the file ends, counting the bytes in `out` */
    struct pithi_buffer out; /* bytes that are not written yet */
    int failed;              /* the first error; later calls return it */
    int plain;               /* 1: no summaries of lanes */
    struct pithi_defs *defs;
    uint32_t def_count;    /* number of definitions in `defs` when an id was last checked */
    uint32_t defs_written; /* number of definitions in DEFS chunks so far */
    struct log_segment *segments;
    uint32_t segment_count, segment_room;
    uint32_t rested;     /* the first `rested` segments get no more records */
    struct place *lanes; /* [lane_count] by number of the lane in the log */
    uint32_t lane_count, lane_room;
    struct log_comm *comms; /* [comm_count] */
    uint32_t comm_count, comm_room;
    struct pithi_zip zip;                /* working memory for packing, shared by all segments */
    struct pithi_map rank_map, comm_map; /* from rank to index in `segments`; from key to index in `comms` */
};

static int no_memory(const struct pithi_writer *w)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to write it", w->path);
}

/* ---- Bytes out --------------------------------------------------------------------------------------------------- */

static int flush(struct pithi_writer *w)
{
    uint64_t at = w->offset - w->out.size;
    size_t done = pithi_write_at(w->fd, w->out.data, w->out.size, at);
    if (done < w->out.size) {
        w->failed = 1;
        return pithi_fail(PITH_ERR_IO, "%s: byte %llu: cannot write: %s; make room or choose another place", w->path,
                          (unsigned long long)(at + done), errno ? strerror(errno) : "nothing was taken");
    }
    w->out.size = 0;
    return PITH_OK;
}

static int append_raw(struct pithi_writer *w, const void *data, size_t size, uint64_t *offset)
{
    if (w->failed)
        return pithi_fail(PITH_ERR_IO, "%s: writing failed before", w->path);
    if (!pithi_buffer_add(&w->out, data, size))
        return no_memory(w);
    *offset = w->offset;
    w->offset += size;
    return w->out.size >= OUT_ROOM ? flush(w) : PITH_OK;
}

/* Writes a DEFS chunk with the definitions from id `first` on. */
static int write_defs(struct pithi_writer *w, uint32_t first, uint64_t *offset)
{
    void *payload;
    size_t size, chunk_size;
    int err = pithi_defs_pack_from(w->defs, first, &payload, &size);
    if (err != PITH_OK)
        return err;
    unsigned char *chunk = pithi_chunk_make(PITHI_C_DEFS, 0, payload, size, &chunk_size);
    free(payload);
    err = chunk ? append_raw(w, chunk, chunk_size, offset) : no_memory(w);
    free(chunk);
    w->defs_written = pithi_defs_count(w->defs);
    return err;
}

/* The sink of all segments. New definitions go into the file before the first block that may use them. */
static int append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_writer *w = context;
    uint64_t ignored;
    int err = PITH_OK;
    if (pithi_defs_count(w->defs) > w->defs_written)
        err = write_defs(w, w->defs_written, &ignored);
    return err == PITH_OK ? append_raw(w, data, size, offset) : err;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static int open_part(struct pithi_writer *w)
{
    struct stat st;
    if (stat(w->path, &st) == 0 && S_ISDIR(st.st_mode))
        return pithi_fail(PITH_ERR_OPEN, "%s: is a directory; give the name of a file", w->path);
    if (asprintf(&w->part, "%s.part", w->path) < 0) {
        w->part = NULL;
        return no_memory(w);
    }
    w->fd = pithi_make_output(w->part, O_WRONLY);
    if (w->fd < 0) {
        int err = pithi_fail(PITH_ERR_OPEN, "%s: cannot be made: %s", w->part, strerror(errno));
        free(w->part);
        w->part = NULL;
        return err;
    }
    return PITH_OK;
}

int pithi_writer_open(struct pithi_writer **writer, const char *path, int fd)
{
    struct pithi_writer *w = *writer = calloc(1, sizeof *w);
    unsigned char header[PITHI_HEADER_SIZE];
    uint64_t offset;
    uint32_t world;
    int err;
    if (!w)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to write it", path ? path : "log");
    w->fd = fd;
    if (!(w->path = strdup(path ? path : "temporary file"))) {
        free(w);
        *writer = NULL;
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to write it", path ? path : "log");
    }
    if (fd < 0)
        TRY(open_part(w));
    TRY(pithi_defs_new(&w->defs));
    pithi_file_header(header, NULL);
    TRY(append_raw(w, header, sizeof header, &offset));
    TRY(pithi_writer_comm(w, &(struct pithlog_comm){.name = "MPI_COMM_WORLD"}, &world));
    return PITH_OK;
out:
    pithi_writer_close(w);
    *writer = NULL;
    return err;
}

void pithi_writer_close(struct pithi_writer *w)
{
    if (!w)
        return;
    if (w->part) {
        close(w->fd);
        unlink(w->part);
    }
    for (uint32_t i = 0; i < w->segment_count; i++) {
        pithi_segment_free(w->segments[i].segment);
        pithi_map_free(&w->segments[i].comms);
        free(w->segments[i].lanes);
    }
    for (uint32_t i = 0; i < w->comm_count; i++) {
        free(w->comms[i].name);
        free(w->comms[i].world_ranks);
    }
    pithi_defs_free(w->defs);
    free(w->segments);
    free(w->lanes);
    free(w->comms);
    pithi_map_free(&w->rank_map);
    pithi_map_free(&w->comm_map);
    pithi_zip_free(&w->zip);
    free(w->out.data);
    free(w->path);
    free(w->part);
    free(w);
}

void pithi_writer_plain(struct pithi_writer *w) { w->plain = 1; }

struct pithi_defs *pithi_writer_defs(struct pithi_writer *w) { return w->defs; }

/* ---- Ranks, lanes, communicators --------------------------------------------------------------------------------- */

static int segment_of(struct pithi_writer *w, int32_t rank, uint32_t *index)
{
    struct pithi_sink sink = {append, w};
    if (pithi_map_get(&w->rank_map, (uint32_t)rank, index))
        return PITH_OK;
    if (!pithi_grow(&w->segments, w->segment_count, &w->segment_room, sizeof *w->segments) ||
        !pithi_map_put(&w->rank_map, (uint32_t)rank, w->segment_count))
        return no_memory(w);
    *index = w->segment_count;
    w->segments[w->segment_count++] = (struct log_segment){.rank = rank};
    int err = pithi_segment_open(&w->segments[*index].segment, &(struct pithi_rank){.rank = rank, .host = ""}, &sink);
    if (err != PITH_OK) { /* takes the segment out of the array again */
        w->segment_count--;
        pithi_map_free(&w->rank_map);
        w->failed = 1;
        return err;
    }
    pithi_segment_share_zip(w->segments[*index].segment, &w->zip);
    return PITH_OK;
}

int pithi_writer_rank(struct pithi_writer *w, const struct pithi_rank *rank)
{
    uint32_t index;
    int err = segment_of(w, rank->rank, &index);
    if (err == PITH_OK)
        err = pithi_defs_host(w->defs, rank->host);
    return err == PITH_OK ? pithi_segment_describe(w->segments[index].segment, rank) : err;
}

/* Limits the size of blocks and sheets by the number of lanes, as each lane takes memory for them until its last
 * record. */
static void expect(const struct pithi_writer *w, struct pithi_segment *segment)
{
    pithi_segment_expect(segment, w->lane_count);
    if (w->plain || w->lane_count > MANY_LANES)
        pithi_segment_sheets(segment, w->plain || w->lane_count > TOO_MANY_LANES ? 0 : 32768);
}

int pithi_writer_lane(struct pithi_writer *w, int32_t rank, uint32_t thread, const char *name, uint32_t *lane)
{
    struct place place;
    int err;
    if ((err = segment_of(w, rank, &place.segment)) != PITH_OK ||
        (err = pithi_segment_lane(w->segments[place.segment].segment, thread, name, &place.index)) != PITH_OK)
        return err;
    struct log_segment *s = &w->segments[place.segment];
    if (place.index < s->lane_count) {
        *lane = s->lanes[place.index];
        return PITH_OK;
    }
    if (!pithi_grow(&s->lanes, s->lane_count, &s->lane_room, sizeof *s->lanes) ||
        !pithi_grow(&w->lanes, w->lane_count, &w->lane_room, sizeof *w->lanes))
        return no_memory(w);
    *lane = s->lanes[s->lane_count++] = w->lane_count; /* a segment numbers its lanes in order of addition */
    w->lanes[w->lane_count++] = place;
    if (w->lane_count % PITHI_BLOCK_LANES == 0)
        for (uint32_t i = 0; i < w->segment_count; i++)
            expect(w, w->segments[i].segment);
    else
        expect(w, s->segment);
    return PITH_OK;
}

/* Keeps the name and members of a communicator if they were unknown. */
static int keep_comm(struct pithi_writer *w, struct log_comm *c, const struct pithlog_comm *comm)
{
    if (comm->name && *comm->name) {
        char *copy = strdup(comm->name);
        if (!copy)
            return no_memory(w);
        free(c->name);
        c->name = copy;
    }
    if (comm->size > 0 && comm->world_ranks && c->size == 0) {
        size_t n = (size_t)comm->size + (size_t)comm->remote_size;
        if (!(c->world_ranks = malloc(n * sizeof *c->world_ranks)))
            return no_memory(w);
        memcpy(c->world_ranks, comm->world_ranks, n * sizeof *c->world_ranks);
        c->size = comm->size;
        c->remote_size = comm->remote_size;
    }
    return PITH_OK;
}

/* Adds a communicator's description to the segment of a rank that uses it, or adds a newer description. Only the first
 * such rank lists the members. */
static int tell_comm(struct pithi_writer *w, struct log_segment *s, uint32_t index)
{
    struct log_comm *c = &w->comms[index];
    struct pithlog_comm told = {.key = c->key, .name = c->name};
    uint32_t local;
    if (!c->told) {
        told.size = c->size;
        told.remote_size = c->remote_size;
        told.world_ranks = c->world_ranks;
        c->told = c->size > 0;
        c->teller = s->rank;
    }
    c->used = 1;
    int err = pithi_segment_comm(s->segment, &told, &local);
    if (err != PITH_OK)
        return err;
    return pithi_map_put(&s->comms, index, local) ? PITH_OK : no_memory(w);
}

int pithi_writer_comm(struct pithi_writer *w, const struct pithlog_comm *comm, uint32_t *index)
{
    int err;
    if (comm->size < 0 || comm->remote_size < 0)
        return pithi_fail(PITH_ERR_USAGE, "a communicator of negative size");
    int known = pithi_map_get(&w->comm_map, comm->key, index);
    if (!known) {
        if (!pithi_grow(&w->comms, w->comm_count, &w->comm_room, sizeof *w->comms) ||
            !pithi_map_put(&w->comm_map, comm->key, w->comm_count))
            return no_memory(w);
        *index = w->comm_count;
        w->comms[w->comm_count++] = (struct log_comm){.key = comm->key};
    }
    if ((err = keep_comm(w, &w->comms[*index], comm)) != PITH_OK || !known)
        return err;
    uint32_t local;
    for (uint32_t i = 0; i < w->segment_count; i++) /* update the ranks that use it */
        if (pithi_map_get(&w->segments[i].comms, *index, &local) &&
            (err = tell_comm(w, &w->segments[i], *index)) != PITH_OK)
            return err;
    return PITH_OK;
}

/* ---- Records and the end ----------------------------------------------------------------------------------------- */

int pithi_writer_add(struct pithi_writer *w, const struct pithlog_record *record)
{
    if (record->lane >= w->lane_count || record->comm >= w->comm_count)
        return pithi_fail(PITH_ERR_USAGE, "%s: a record of a lane or communicator that was not made", w->path);
    struct place place = w->lanes[record->lane];
    struct log_segment *s = &w->segments[place.segment];
    uint32_t comm = 0;
    int err;
    if (record->kind <= PITHLOG_COUNTER && record->id >= w->def_count &&
        record->id >= (w->def_count = pithi_defs_count(w->defs)))
        return pithi_fail(PITH_ERR_USAGE, "%s: a record of definition %u, which was not made", w->path, record->id);
    if (record->comm && !pithi_map_get(&s->comms, record->comm, &comm)) {
        if ((err = tell_comm(w, s, record->comm)) != PITH_OK)
            return err;
        pithi_map_get(&s->comms, record->comm, &comm);
    }
    return pithi_segment_add_to(s->segment, record, place.index, comm);
}

/* The records still to be added. `id_end`: ids below it are known to exist. `added`: the number that add_states
 * took. */
struct batch {
    const struct pithlog_record *records; /* [count] the caller's */
    uint32_t count, id_end, added;
};

/* Puts records straight into a block, as long as they are on the lane of the first record, in communicator 0, and enter
 * or leave a state or are messages. */
static void add_states(void *context, struct pithi_states *states)
{
    struct batch *batch = context;
    const struct pithlog_record *records = batch->records;
    uint32_t *said = states->said, lane = records->lane, id_end = batch->id_end, n = 0;
    uint32_t most = batch->count < states->room ? batch->count : states->room;
    uint64_t *steps = states->steps;
    int64_t last_ns = states->last_ns;
    for (; n < most; n++) {
        const struct pithlog_record *r = &records[n];
        if (r->lane != lane || r->comm != 0 || r->time_ns < last_ns)
            break;
        if (r->kind - PITHLOG_ENTER <= 1 && r->id < id_end)
            said[n] = pithi_said(r->kind, r->id);
        else if ((r->kind == PITHLOG_SEND || r->kind == PITHLOG_RECV) && pithi_encoder_message(states->encoder, r))
            said[n] = pithi_said(r->kind, 0);
        else
            break;
        steps[n] = (uint64_t)r->time_ns - (uint64_t)last_ns;
        last_ns = r->time_ns;
    }
    states->last_ns = last_ns;
    states->count = batch->added = n;
}

int pithi_writer_add_many(struct pithi_writer *w, const struct pithlog_record *records, uint32_t count)
{
    struct batch batch = {records, count, w->def_count <= PITHI_SAID_MAX ? w->def_count : PITHI_SAID_MAX + 1, 0};
    int err = PITH_OK;
    while (batch.count > 0 && err == PITH_OK) {
        batch.added = 0;
        if (batch.records->lane < w->lane_count) {
            struct place place = w->lanes[batch.records->lane];
            pithi_segment_fill(w->segments[place.segment].segment, place.index, add_states, &batch);
        }
        if (batch.added == 0) {
            err = pithi_writer_add(w, batch.records);
            batch.added = 1;
        }
        batch.records += batch.added;
        batch.count -= batch.added;
    }
    return err;
}

int pithi_writer_rest(struct pithi_writer *w)
{
    int err = PITH_OK;
    for (; err == PITH_OK && w->rested < w->segment_count; w->rested++)
        err = pithi_segment_rest(w->segments[w->rested].segment);
    return err;
}

/* Writes the rank table and the footer. */
static int write_end(struct pithi_writer *w, uint64_t defs_offset)
{
    struct pithi_totals sum = {.start_ns = INT64_MAX, .end_ns = INT64_MIN}, t;
    unsigned char bytes[PITHI_FOOTER_SIZE]; /* the footer is larger than a table's head or entry */
    uint64_t table, ignored;
    size_t size;
    pithi_rank_table_head(w->segment_count, bytes, &size);
    int err = append_raw(w, bytes, size, &table);
    for (uint32_t i = 0; err == PITH_OK && i < w->segment_count; i++) {
        pithi_segment_totals(w->segments[i].segment, &t);
        sum.records += t.records;
        sum.states += t.states;
        sum.events += t.events;
        sum.messages += t.messages;
        sum.lost += t.lost;
        sum.lanes += t.lanes;
        sum.start_ns = t.start_ns < sum.start_ns ? t.start_ns : sum.start_ns;
        sum.end_ns = t.end_ns > sum.end_ns ? t.end_ns : sum.end_ns;
        pithi_rank_entry(w->segments[i].segment, 0, w->defs, bytes);
        err = append_raw(w, bytes, PITHI_RANK_ENTRY_SIZE, &ignored);
    }
    if (err != PITH_OK)
        return err;
    pithi_file_footer(defs_offset, table, w->segment_count, &sum, bytes);
    err = append_raw(w, bytes, PITHI_FOOTER_SIZE, &ignored);
    return err == PITH_OK ? flush(w) : err;
}

/* Gives the finished file its final name. */
static int appear(struct pithi_writer *w)
{
    int err = PITH_OK;
    if (!w->part)
        return PITH_OK;
    if (close(w->fd) != 0)
        err = pithi_fail(PITH_ERR_IO, "%s: cannot write: %s", w->path, strerror(errno));
    else if (rename(w->part, w->path) != 0)
        err = pithi_fail(PITH_ERR_IO, "%s: cannot be renamed to %s: %s", w->part, w->path, strerror(errno));
    if (err != PITH_OK)
        unlink(w->part);
    free(w->part);
    w->part = NULL;
    return err;
}

int pithi_writer_finish(struct pithi_writer *w)
{
    uint64_t defs_offset;
    int err;
    if (w->failed)
        return pithi_fail(PITH_ERR_IO, "%s: writing failed before", w->path);
    /* The first rank describes communicators that no record uses; otherwise they would be lost. */
    for (uint32_t i = 0; w->segment_count > 0 && i < w->comm_count; i++)
        if (!w->comms[i].used)
            TRY(tell_comm(w, &w->segments[0], i));
    /* The last DEFS chunk has all communicators, with their sizes if some rank listed the members. */
    for (uint32_t i = 0; i < w->comm_count; i++) {
        const struct log_comm *c = &w->comms[i];
        struct pithlog_comm comm = {.key = c->key, .name = c->name};
        if (c->told) {
            comm.size = c->size;
            comm.remote_size = c->remote_size;
        }
        TRY(pithi_defs_comm(w->defs, &comm, c->teller));
    }
    for (uint32_t i = 0; i < w->segment_count; i++)
        TRY(pithi_segment_finish(w->segments[i].segment));
    TRY(write_defs(w, 0, &defs_offset));
    for (uint32_t i = 0; i < w->segment_count; i++)
        TRY(pithi_segment_index(w->segments[i].segment, 0, w->defs));
    TRY(write_end(w, defs_offset));
    TRY(appear(w));
out:
    return err;
}
