/* encode.c - encodes a spill file as the bytes of a segment. It needs no other process.
 *
 * Each thread takes the next lane that no thread has taken, until none is left, and keeps its bytes. At the end the
 * lanes are joined in order, so the bytes do not depend on which thread encoded which lane.
 *
 *     thread 0 takes lanes 0 and 2, thread 1 takes lane 1
 *     kept by thread 0: lane 0 | lane 2          kept by thread 1: lane 1
 *     the segment:      descriptions | lane 0 | lane 1 | lane 2 | index
 *
 * The bytes of a segment may need more memory than the program leaves. So when they pass 16 MiB, they go to a file
 * without a name (struct pithi_hold). */
#include "encode.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"
#include "base/zip.h"
#include "native/defs.h"
#include "process.h"
#include "sample.h"
#include "spill/spill_emit.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define AHEAD_MAX ((size_t)1 << 20) /* most bytes of memory whose pages are made before they are needed */
#define FEW_PAGES 16                /* fewer pages are not made ahead */

/* ---- Encoded bytes ----------------------------------------------------------------------------------------------- */

void pithi_hold_open(struct pithi_hold *hold, const char *folder, size_t most)
{
    *hold = (struct pithi_hold){.folder = folder, .most = most, .fd = -1};
}

void pithi_hold_close(struct pithi_hold *hold)
{
    free(hold->memory.data);
    if (hold->fd >= 0)
        close(hold->fd);
    pithi_hold_open(hold, hold->folder, hold->most);
}

int pithi_hold_append(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_hold *hold = context;
    if (hold->memory.size + size > hold->most && hold->memory.size > 0) {
        if (hold->fd < 0)
            hold->fd = pithi_descriptor_temporary(hold->folder);
        if (hold->fd < 0)
            return pithi_fail(PITH_ERR_IO, "%s: cannot make a file: %m", hold->folder);
        if (pithi_write_at(hold->fd, hold->memory.data, hold->memory.size, hold->filed) != hold->memory.size)
            return pithi_fail(PITH_ERR_IO, "%s: cannot be written: %m", hold->folder);
        hold->filed += hold->memory.size;
        hold->memory.size = 0;
    }
    *offset = pithi_hold_size(hold);
    if (!pithi_buffer_reserve(&hold->memory, size))
        return pithi_fail(PITH_ERR_MEMORY, "no memory to encode the records");
    /* Makes many pages of fresh memory at a time: a page fault for each costs 0.7 us, in some virtual machines 5 to
     * 7 us. */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t need = hold->memory.size + size, ahead = need / 2 < AHEAD_MAX ? need / 2 : AHEAD_MAX;
    size_t to = ahead < hold->memory.room - need ? need + ahead : hold->memory.room;
    uintptr_t address = (uintptr_t)hold->memory.data, begin = (address + hold->populated + page - 1) & ~(page - 1),
              end = (address + to) & ~(page - 1);
    if (need > hold->populated && end >= begin + FEW_PAGES * page) {
        madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
        hold->populated = to;
    }
    return pithi_buffer_add(&hold->memory, data, size) ? PITH_OK : PITH_ERR_MEMORY;
}

size_t pithi_hold_read(const struct pithi_hold *hold, uint64_t offset, void *data, size_t size)
{
    if (offset >= hold->filed) {
        size_t from = (size_t)(offset - hold->filed);
        size = size < hold->memory.size - from ? size : hold->memory.size - from;
        memcpy(data, hold->memory.data + from, size);
        return size;
    }
    if (size > hold->filed - offset)
        size = (size_t)(hold->filed - offset);
    return pithi_read_at(hold->fd, data, size, offset);
}

#define MEMORY_MAX ((size_t)16 << 20)      /* a segment with more bytes goes to a file */
#define PIECE ((size_t)1 << 20)            /* bytes written at a time */
#define DIRECT ((size_t)64 << 10)          /* pieces of this size and more are written without copying */
#define WORTH_A_THREAD ((uint64_t)1 << 20) /* bytes of spill file that are worth a thread: 3 ms of work */

/* Appends bytes that belong to no lane, and sets *offset to their place in the segment. Bytes appended before the lanes
 * are encoded come before them (lanes_size is still 0), later bytes come after all lanes. */
static int append_own(void *context, const void *data, size_t size, uint64_t *offset)
{
    struct pithi_encode *encode = context;
    int err = pithi_hold_append(&encode->own, data, size, offset);
    *offset += encode->lanes_size;
    return err;
}

int pithi_encode_open(struct pithi_encode *encode, const struct pithi_rank *rank, const char *folder)
{
    struct pithi_sink sink = {append_own, encode};
    unsigned i;
    memset(encode, 0, sizeof *encode);
    pithi_hold_open(&encode->own, folder, MEMORY_MAX);
    for (i = 0; i < PITHI_ENCODE_THREADS; i++)
        pithi_hold_open(&encode->by[i], folder, MEMORY_MAX);
    return pithi_segment_open(&encode->segment, rank, &sink);
}

void pithi_encode_close(struct pithi_encode *encode)
{
    unsigned i;
    if (encode->segment == NULL)
        return;
    pithi_segment_free(encode->segment);
    encode->segment = NULL;
    free(encode->lanes);
    pithi_hold_close(&encode->own);
    for (i = 0; i < PITHI_ENCODE_THREADS; i++)
        pithi_hold_close(&encode->by[i]);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

struct work {
    struct pithi_encode *encode; /* the caller's */
    const struct pithi_encode_job *job;
    struct pithi_spill_ids ids;
    struct pithi_segment **parts; /* by lane */
    uint32_t next;                /* the next lane to be taken; atomic */
};

struct worker {
    struct work *work;
    unsigned number; /* among the workers, from 0 */
    pthread_t thread;
    struct pithi_zip zip;
    struct pithi_coarse coarse;
    struct pithi_spill_counts counts; /* counts of the lanes that this worker encoded */
    int64_t first_lane_ns;            /* time of lane 0's last record; INT64_MIN: another worker has lane 0 */
    int err;
    char error[512]; /* copied, because pithlog_error() is per thread */
};

static int add(void *part, const struct pithlog_record *record) { return pithi_segment_add(part, record); }

static void fill(void *part, uint32_t lane, pithi_states_filler *filler, void *context)
{
    pithi_segment_fill(part, lane, filler, context);
}

static int encode_lane(struct worker *w, uint32_t lane)
{
    struct pithi_encode *encode = w->work->encode;
    struct pithi_hold *hold = &encode->by[w->number];
    struct pithi_sink sink = {pithi_hold_append, hold};
    struct pithi_spill_target target = {.add = add, .fill = fill, .shift_ns = w->work->job->shift_ns};
    struct pithi_segment *part;
    int err;

    TRY(pithi_segment_part(&w->work->parts[lane], encode->segment, lane, &sink));
    part = w->work->parts[lane];
    pithi_segment_share_zip(part, &w->zip);
    encode->lanes[lane] = (struct pithi_encoded_lane){w->number, pithi_hold_size(hold), 0};
    target.context = part;
    if (pithi_coarse_needed(&w->coarse.rules)) {
        w->coarse.context = part;
        target.context = &w->coarse;
        target.add = pithi_coarse_add;
        target.fill = NULL;
    }
    TRY(pithi_spill_emit_lane(w->work->job->spill, &target, &w->work->ids, lane, 0, &w->counts,
                              lane == 0 ? &w->first_lane_ns : NULL));
    TRY(pithi_coarse_flush(&w->coarse));
    if (lane != 0) /* lane 0 is ended by join_lanes, which may add the count of lost records to it */
        TRY(pithi_segment_part_end(part));
    encode->lanes[lane].size = pithi_hold_size(hold) - encode->lanes[lane].offset;
out:
    return err;
}

static void *run_worker(void *context)
{
    struct worker *w = context;
    uint32_t lane;
    w->coarse.rules = w->work->job->coarse;
    w->coarse.add = add;
    w->err = pithi_coarse_begin(&w->coarse);
    while (w->err == PITH_OK &&
           (lane = __atomic_fetch_add(&w->work->next, 1, __ATOMIC_RELAXED)) < w->work->encode->lane_count)
        w->err = encode_lane(w, lane);
    if (w->err != PITH_OK)
        snprintf(w->error, sizeof w->error, "%s", pithlog_error());
    pithi_coarse_end(&w->coarse);
    pithi_zip_free(&w->zip);
    return NULL;
}

/* Returns the number of threads to use for the work. */
static unsigned thread_count(const struct pithi_encode_job *job)
{
    uint64_t bytes = 0, most;
    uint32_t i;
    for (i = 0; i < job->spill->chunk_count; i++)
        bytes += job->spill->chunks[i].size;
    most = bytes / WORTH_A_THREAD;
    if (most > job->spill->lane_count)
        most = job->spill->lane_count;
    if (most > job->threads)
        most = job->threads;
    if (most > PITHI_ENCODE_THREADS)
        most = PITHI_ENCODE_THREADS;
    return most > 0 ? (unsigned)most : 1;
}

static void *run_thread(void *context)
{
    pithi_sample_not_here();
    return run_worker(context);
}

/* Puts the lanes together, in order, and adds up the counts. After an error lanes may be missing. */
static int join_lanes(struct work *work, const struct worker *workers, unsigned count)
{
    struct pithi_encode *encode = work->encode;
    struct pithi_spill_target target = {.context = encode->segment, .add = add};
    struct pithi_spill_counts all = {0};
    int64_t last_ns = 0;
    uint32_t i;

    encode->own_before = pithi_hold_size(&encode->own);
    for (i = 0; i < encode->lane_count; i++) {
        const struct pithi_encoded_lane *lane = &encode->lanes[i];
        if (work->parts[i] == NULL)
            continue;
        pithi_segment_join(encode->segment, i, work->parts[i], encode->own_before + encode->lanes_size - lane->offset);
        encode->lanes_size += lane->size;
    }
    for (i = 0; i < count; i++) {
        if (workers[i].err != PITH_OK)
            return pithi_fail(workers[i].err, "%s", workers[i].error);
        all.told += workers[i].counts.told;
        all.dropped += workers[i].counts.dropped;
        encode->states_left_out += workers[i].coarse.left_out;
        if (workers[i].first_lane_ns != INT64_MIN)
            last_ns = workers[i].first_lane_ns;
    }
    /* all records are lost: makes a lane 0, only to report the loss */
    if (encode->lane_count == 0 && work->job->spill->page.lost > 0) {
        int err = pithi_segment_lane(encode->segment, 0, NULL, &i);
        if (err)
            return err;
    }
    return pithi_spill_emit_lost(work->job->spill, &target, &all, 0, last_ns);
}

/* Passes a communicator on to the segment. Only the rank chosen in merge.c (teller) passes the members, too, so that
 * the log has them once. */
static int comm(void *context, const struct pithlog_comm *definition, uint32_t *index)
{
    const struct work *work = context;
    const struct pithi_places *places = pithi_defs_places(work->job->defs);
    struct pithlog_comm told = *definition;
    uint32_t place;
    if (!pithi_places_find_comm(places, told.key, &place) || places->comms[place].teller != work->job->rank)
        told.size = told.remote_size = 0;
    return pithi_segment_comm(work->encode->segment, &told, index);
}

/* Prepares what all lanes need: ids, communicators, descriptions of lanes. */
static int prepare(struct work *work)
{
    const struct pithi_spill *spill = work->job->spill;
    struct pithi_encode *encode = work->encode;
    struct pithi_spill_target target = {
        .context = work, .defs = work->job->defs, .comm = comm, .shift_ns = work->job->shift_ns};
    uint32_t i, lane;
    int err;

    TRY(pithi_spill_ids_make(spill, &target, &work->ids));
    for (i = 0; i < spill->lane_count; i++)
        TRY(pithi_segment_lane(encode->segment, spill->lanes[i].lane,
                               *spill->lanes[i].name != '\0' ? spill->lanes[i].name : NULL, &lane));
    TRY(pithi_segment_split(encode->segment));
    encode->lane_count = spill->lane_count;
    encode->lanes = calloc(encode->lane_count + 1u, sizeof *encode->lanes);
    work->parts = calloc(encode->lane_count + 1u, sizeof(struct pithi_segment *));
    if (encode->lanes == NULL || work->parts == NULL)
        err = pithi_fail(PITH_ERR_MEMORY, "no memory to encode the records");
out:
    return err;
}

int pithi_encode_records(struct pithi_encode *encode, const struct pithi_encode_job *job)
{
    struct work work = {.encode = encode, .job = job};
    unsigned i, count = thread_count(job);
    struct worker *workers = calloc(count, sizeof *workers);
    int err;

    if (workers == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory to encode the records");
    TRY(prepare(&work));
    for (i = 0; i < count; i++) {
        workers[i].work = &work;
        workers[i].number = i;
        workers[i].first_lane_ns = INT64_MIN;
        encode->by[i].most = MEMORY_MAX / count;
    }
    /* Runs the workers, in as many threads as can be made and in this one. New threads inherit that all signals are
     * blocked. */
    sigset_t all, before;
    unsigned made = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < count && pthread_create(&workers[made].thread, NULL, run_thread, &workers[made]) == 0)
        made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    run_worker(&workers[0]);
    for (i = 1; i < made; i++)
        pthread_join(workers[i].thread, NULL);
    TRY(join_lanes(&work, workers, count));
out:
    pithi_spill_ids_free(&work.ids);
    free(work.parts);
    free(workers);
    return err;
}

/* ---- The bytes --------------------------------------------------------------------------------------------------- */

uint64_t pithi_encode_size(const struct pithi_encode *encode)
{
    return pithi_hold_size(&encode->own) + encode->lanes_size + pithi_segment_index_size(encode->segment);
}

/* Collects small pieces into larger ones, so that many small lanes do not cause many small writes. */
struct gather {
    unsigned char *bytes; /* [used] not written yet */
    size_t used;
    uint64_t put;                                                                    /* bytes written so far */
    int (*put_piece)(void *context, uint64_t offset, const void *data, size_t size); /* writes a piece */
    void *context;
};

/* Writes the bytes collected so far. */
static int hand_out(struct gather *g)
{
    int status = g->used > 0 ? g->put_piece(g->context, g->put, g->bytes, g->used) : 0;
    g->put += g->used;
    g->used = 0;
    return status;
}

/* Collects `size` bytes of `hold` from `offset` on; large pieces in memory are written without copying. */
static int gather(struct gather *g, const struct pithi_hold *hold, uint64_t offset, uint64_t size)
{
    while (size > 0) {
        size_t most = size < PIECE ? (size_t)size : PIECE, got = most;
        if (offset >= hold->filed && most >= DIRECT) {
            if (hand_out(g) != 0 ||
                g->put_piece(g->context, g->put, hold->memory.data + (size_t)(offset - hold->filed), most) != 0)
                return -1;
            g->put += most;
        } else {
            got = pithi_hold_read(hold, offset, g->bytes + g->used, most < PIECE - g->used ? most : PIECE - g->used);
            if (got == 0)
                return -1;
            g->used += got;
            if (g->used == PIECE && hand_out(g) != 0)
                return -1;
        }
        offset += got;
        size -= got;
    }
    return 0;
}

int pithi_encode_write(const struct pithi_encode *encode,
                       int (*put)(void *context, uint64_t offset, const void *data, size_t size), void *context)
{
    struct gather g = {malloc(PIECE), 0, 0, put, context};
    int status = g.bytes == NULL ? -1 : gather(&g, &encode->own, 0, encode->own_before);
    uint32_t i;
    for (i = 0; status == 0 && i < encode->lane_count; i++)
        status = gather(&g, &encode->by[encode->lanes[i].by], encode->lanes[i].offset, encode->lanes[i].size);
    if (status == 0)
        status = gather(&g, &encode->own, encode->own_before, pithi_hold_size(&encode->own) - encode->own_before);
    if (status == 0)
        status = hand_out(&g);
    free(g.bytes);
    return status;
}
