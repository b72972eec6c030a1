/* follow_process.c - reads the growing spill file of one process (follow.h).
 *
 * The program writes while its file is read here, and no lock stops it. So the program may reuse a chunk for later
 * records while a record in the chunk is read, and each record must be checked after reading. The header of a chunk has
 * its lane and its number on the lane, `seq`. If both are still the same after a record was read, the record is good:
 *
 *     read the record  ->  is_same: yes  ->  deliver it
 *                      ->  is_same: no   ->  drop it; map the copy of chunk `seq`; read at the same word again
 *
 * If a flight recorder has overwritten the chunk, there is no copy. The next chunk that is found has the number of
 * overwritten records. Those that were delivered before (`accounted`) are not counted as lost.
 *
 * A record may be found before the definition of its id, because records and definitions are in different chunks. Such
 * a record waits for the next look (`stuck`). If its id is still unknown then, the record is dropped. */
#include "reader/read/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/map.h"
#include "base/open_file.h"

static int no_memory(const struct pithi_follow_process *process)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to follow it", process->path);
}

/* ---- The page ---------------------------------------------------------------------------------------------------- */

int pithi_follow_process_page(struct pithi_follow_process *process)
{
    return pithi_spill_page_load(&process->spill.page, process->path, process->fd);
}

int pithi_follow_process_open(struct pithi_follow_process **process, const char *path)
{
    struct pithi_follow_process *p = *process = calloc(1, sizeof *p);
    int err = PITH_ERR_OPEN;
    if (p == NULL || (p->path = strdup(path)) == NULL) {
        free(p);
        *process = NULL;
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to follow it", path);
    }
    p->spill.path = p->path;
    p->scanned = PITHI_SPILL_PAGE;
    p->fd = pithi_open_input(path, O_NOFOLLOW);
    if (p->fd < 0)
        err = pithi_fail(PITH_ERR_OPEN, "%s: cannot be opened: %s", path, strerror(errno));
    else
        err = pithi_follow_process_page(p);
    if (err != PITH_OK) {
        pithi_follow_process_close(p);
        *process = NULL;
    }
    return err;
}

void pithi_follow_process_close(struct pithi_follow_process *process)
{
    uint32_t i;
    if (process == NULL)
        return;
    for (i = 0; i < process->def_chunks; i++) {
        pithi_fault_leave(process->defs[i].data);
        munmap(process->defs[i].data, process->defs[i].size);
    }
    if (process->fd >= 0)
        close(process->fd);
    pithi_spill_close(&process->spill); /* `spill` has allocated memory, but no mapped file */
    free(process->defs);
    free(process->bare);
    free(process->chunks);
    free(process->ids);
    free(process->numbers.all);
    free(process->comms);
    free(process->path);
    free(process);
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------ */

/* Reads a header at `offset` of a file of `size` bytes. Returns 1 if a chunk begins there. */
static int read_header(const struct pithi_follow_process *process, uint64_t offset, uint64_t size,
                       struct pithi_chunk *header)
{
    if (offset + sizeof *header > size ||
        pread(process->fd, header, sizeof *header, (off_t)offset) != (ssize_t)sizeof *header)
        return 0;
    return header->magic == PITHI_CHUNK_MAGIC && header->size_bytes >= PITHI_SPILL_PAGE &&
           header->size_bytes % PITHI_SPILL_PAGE == 0 && header->size_bytes <= size - offset &&
           (header->open_bytes == 0 || header->open_bytes == sizeof(struct pithi_spill_open));
}

/* Adds a lane to the spill file's lanes if it is new. Its name may be read before its first record. */
static int add_lane(struct pithi_spill *spill, uint32_t number)
{
    uint32_t i;
    for (i = 0; i < spill->lane_count; i++)
        if (spill->lanes[i].lane == number)
            return PITH_OK;
    if (!pithi_grow_one(&spill->lanes, spill->lane_count, sizeof *spill->lanes))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to follow it", spill->path);
    spill->lanes[spill->lane_count++] = (struct pithi_spill_lane){.lane = number, .name = ""};
    return PITH_OK;
}

/* Returns 1 if a chunk is a copy, which does not change any more. The program writes to those two chunks of a lane that
 * have the highest numbers; chunks with lower numbers are copies. A flight recorder has no copies. */
static int is_copy(const struct pithi_follow_process *process, const struct pithi_chunk *header)
{
    uint32_t i;
    for (i = process->chunk_count; i-- > 0;)
        if (process->chunks[i].chunk.lane == header->lane && process->chunks[i].chunk.seq > header->seq + 1)
            return !process->is_ring;
    return 0;
}

static void describe(struct pithi_spill_chunk *chunk, const struct pithi_chunk *header)
{
    chunk->size = header->size_bytes;
    chunk->lane = header->lane;
    chunk->seq = header->seq;
    chunk->base_ticks = header->base_ticks;
    chunk->overwritten = header->overwritten;
    chunk->open_bytes = (uint32_t)header->open_bytes;
}

/* Adds a new chunk. A chunk with definitions is mapped now and stays mapped. A chunk of a lane is mapped when the
 * lane's walk comes to it. */
static int add_chunk(struct pithi_follow_process *process, uint64_t offset, const struct pithi_chunk *header)
{
    struct pithi_follow_chunk *chunk;
    if (header->lane == PITHI_SPILL_DEFS) {
        uint64_t size = header->size_bytes;
        void *data;
        if (!pithi_grow(&process->defs, process->def_chunks, &process->def_room, sizeof *process->defs))
            return no_memory(process);
        data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, process->fd, (off_t)offset);
        if (data == MAP_FAILED)
            return pithi_fail(PITH_ERR_MEMORY, "%s: cannot be mapped: %s", process->path, strerror(errno));
        pithi_fault_watch(data, size, NULL);
        process->defs[process->def_chunks].data = data;
        process->defs[process->def_chunks].size = (size_t)size;
        process->defs[process->def_chunks++].at = (const char *)data + sizeof(struct pithi_chunk);
        return PITH_OK;
    }
    if (!pithi_grow(&process->chunks, process->chunk_count, &process->chunk_room, sizeof *process->chunks))
        return no_memory(process);
    process->is_ring |= header->open_bytes > 0;
    chunk = &process->chunks[process->chunk_count];
    memset(chunk, 0, sizeof *chunk);
    chunk->is_copy = is_copy(process, header);
    chunk->chunk.offset = offset;
    describe(&chunk->chunk, header);
    process->chunk_count++;
    return header->lane != PITHI_SPILL_FREE ? add_lane(&process->spill, header->lane) : PITH_OK;
}

static int note_bare(struct pithi_follow_process *process, uint64_t from, uint64_t to)
{
    if (!pithi_grow(&process->bare, process->bare_count, &process->bare_room, sizeof *process->bare))
        return no_memory(process);
    process->bare[process->bare_count++] = (struct pithi_follow_bare){from, to};
    return PITH_OK;
}

/* Finds new chunks. Looks first in the parts of the file in which no chunk was found so far, then behind the last
 * chunk. Another part without a chunk may come before the next chunk there. */
static int find_chunks(struct pithi_follow_process *process)
{
    uint64_t size, offset = process->scanned;
    struct pithi_chunk header;
    struct stat info;
    int err = PITH_OK;
    for (uint32_t i = 0; i < process->bare_count && err == PITH_OK; i++) {
        /* Looks for chunks in a part where none was found. Threads reserve space for their chunks in the file one after
         * another, but write the chunks at the same time, so a chunk may appear before the one that precedes it in the
         * file. The missing chunk later appears at the start of the part, or at an aligned offset in it. (Parts that
         * only align chunks stay in the list; looking at one costs next to nothing.) */
        struct pithi_follow_bare *part = &process->bare[i];
        uint64_t at = part->from;
        while (at < part->to && err == PITH_OK)
            if (read_header(process, at, part->to, &header)) {
                err = add_chunk(process, at, &header);
                at += header.size_bytes;
                part->from = at;
            } else {
                at = (at + PITHI_SPILL_ALIGN) & ~(uint64_t)(PITHI_SPILL_ALIGN - 1);
            }
    }
    if (err != PITH_OK || fstat(process->fd, &info) != 0)
        return err;
    for (size = (uint64_t)info.st_size; offset + PITHI_SPILL_PAGE <= size && err == PITH_OK;) {
        if (!read_header(process, offset, size, &header)) {
            offset += PITHI_SPILL_PAGE;
            continue;
        }
        if (offset > process->scanned)
            err = note_bare(process, process->scanned, offset);
        if (err == PITH_OK)
            err = add_chunk(process, offset, &header);
        process->scanned = offset += header.size_bytes;
    }
    return err;
}

/* Reads the headers of chunks that were unused at the last look (a flight recorder has such chunks), because a lane may
 * use them now. */
static int look_at_free(struct pithi_follow_process *process)
{
    struct pithi_chunk header;
    uint32_t i;
    int err = PITH_OK;
    for (i = 0; i < process->chunk_count && err == PITH_OK; i++) {
        struct pithi_spill_chunk *chunk = &process->chunks[i].chunk;
        if (chunk->lane != PITHI_SPILL_FREE || !read_header(process, chunk->offset, UINT64_MAX, &header))
            continue;
        describe(chunk, &header);
        if (header.lane != PITHI_SPILL_FREE)
            err = add_lane(&process->spill, header.lane);
    }
    return err;
}

int pithi_follow_process_look(struct pithi_follow_process *process)
{
    struct pithi_spill *spill = &process->spill;
    uint32_t i;
    CHECK(find_chunks(process));
    CHECK(look_at_free(process));
    if (spill->comm_count == 0) { /* defines communicator 0, MPI_COMM_WORLD */
        spill->comms = calloc(1, sizeof *spill->comms);
        if (spill->comms == NULL)
            return no_memory(process);
        spill->comm_count = 1;
        spill->comms[0].comm.name = "MPI_COMM_WORLD";
        spill->comms[0].defined = 1;
    }
    for (i = 0; i < process->def_chunks; i++)
        CHECK(pithi_spill_take_defs(spill, &process->defs[i].at,
                                    (const char *)process->defs[i].data + process->defs[i].size));
    return PITH_OK;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

void pithi_follow_lane_close(struct pithi_follow_lane *lane)
{
    if (lane->mapped != NULL) {
        pithi_fault_leave(lane->mapped);
        munmap(lane->mapped, lane->mapped_size);
    }
    lane->mapped = NULL;
    lane->is_open = 0;
}

/* Returns the lane's chunk with number lane->seq. If there is none and `later` is 1, returns the chunk with the next
 * higher number. Returns NULL if there is none. */
static const struct pithi_spill_chunk *find_chunk(const struct pithi_follow_process *process,
                                                  const struct pithi_follow_lane *lane, int later)
{
    const struct pithi_spill_chunk *found = NULL;
    uint32_t i;
    for (i = process->chunk_count; i-- > 0;) { /* from the end, so that copies are found first */
        const struct pithi_spill_chunk *chunk = &process->chunks[i].chunk;
        if (chunk->lane != lane->whole.lane || chunk->seq < lane->seq || (found != NULL && chunk->seq >= found->seq))
            continue;
        if (chunk->seq == lane->seq)
            return chunk;
        if (later)
            found = chunk;
    }
    return found;
}

/* Returns 1 if the program has not reused the mapped chunk. */
static int is_same(const struct pithi_follow_lane *lane)
{
    const struct pithi_chunk *header = lane->mapped;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&header->lane, __ATOMIC_ACQUIRE) == lane->whole.lane &&
           __atomic_load_n(&header->seq, __ATOMIC_ACQUIRE) == lane->chunk.seq;
}

static int map_chunk(const struct pithi_follow_process *process, struct pithi_follow_lane *lane,
                     const struct pithi_spill_chunk *chunk)
{
    struct stat info;
    if (fstat(process->fd, &info) != 0 || (uint64_t)info.st_size < chunk->offset ||
        (uint64_t)info.st_size - chunk->offset < chunk->size) /* truncated, or a wrong size */
        return 0;
    lane->mapped = mmap(NULL, (size_t)chunk->size, PROT_READ, MAP_SHARED, process->fd, (off_t)chunk->offset);
    if (lane->mapped == MAP_FAILED) {
        lane->mapped = NULL;
        return 0;
    }
    pithi_fault_watch(lane->mapped, chunk->size, NULL);
    lane->mapped_size = (size_t)chunk->size;
    lane->chunk = *chunk;
    lane->chunk.offset = lane->chunk.lost = 0;
    if (is_same(lane))
        return 1;
    pithi_follow_lane_close(lane);
    return 0;
}

/* Maps the lane's next chunk. If the chunk is not found or was reused, reads the known headers again, then looks for
 * new chunks. So the copy of a reused chunk is found. Only if there is no copy, because a flight recorder overwrote the
 * chunk, a later chunk is taken. Returns 0 if there is no chunk. */
static int map_next(struct pithi_follow_process *process, struct pithi_follow_lane *lane)
{
    const struct pithi_spill_chunk *chunk = find_chunk(process, lane, 0);
    int tries;
    if (chunk != NULL && map_chunk(process, lane, chunk))
        return 1;
    for (tries = 0; tries < 3; tries++) {
        /* reads the headers of chunks again that the program may have reused */
        struct pithi_chunk header;
        uint32_t i;
        for (i = 0; i < process->chunk_count; i++)
            if ((!process->chunks[i].is_copy || process->is_ring) &&
                read_header(process, process->chunks[i].chunk.offset, UINT64_MAX, &header)) {
                process->is_ring |= header.open_bytes > 0;
                describe(&process->chunks[i].chunk, &header);
            }
        if (find_chunks(process) != PITH_OK)
            return 0;
        chunk = find_chunk(process, lane, 1);
        if (chunk != NULL && map_chunk(process, lane, chunk))
            return 1;
    }
    return 0;
}

/* Returns the number of records that were overwritten before they were delivered. The newest chunk has the total of
 * overwritten records. */
static uint64_t skipped(const struct pithi_follow_process *process, const struct pithi_follow_lane *lane)
{
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < process->chunk_count; i++)
        if (process->chunks[i].chunk.lane == lane->whole.lane && process->chunks[i].chunk.overwritten > most)
            most = process->chunks[i].chunk.overwritten;
    return most > lane->accounted && most <= UINT64_MAX / 2 ? most - lane->accounted : 0;
}

/* Begins to walk the next chunk. Reports records as lost that were overwritten before they were delivered. Returns 0 if
 * there is no next chunk. */
static int open_chunk(struct pithi_follow_process *process, struct pithi_follow_lane *lane)
{
    struct pithi_spill_walk *walk = &lane->walk, before = *walk;
    if (!map_next(process, lane))
        return 0;
    lane->whole.first = 0;
    lane->whole.count = 1;
    lane->whole.overwritten = lane->chunk.seq > lane->seq ? skipped(process, lane) : 0;
    lane->accounted += lane->whole.overwritten;
    lane->seq = lane->chunk.seq;
    lane->view.path = process->path;
    lane->view.data = lane->mapped;
    lane->view.size = lane->mapped_size;
    lane->view.chunks = &lane->chunk;
    lane->view.lanes = &lane->whole;
    lane->view.chunk_count = lane->view.lane_count = 1;
    pithi_spill_walk(walk, &lane->view, 0);
    walk->live = 1;
    walk->zero_ends = 1;
    walk->shift_ns = before.shift_ns;
    walk->lane_id = before.lane_id;
    walk->last_ns = before.last_ns;
    lane->is_open = walk->word != NULL;
    if (!lane->is_open) /* the chunk was reused just now */
        pithi_follow_lane_close(lane);
    return lane->is_open;
}

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/* Returns 1 if there is a complete record at the position of the walk. */
static int is_stored(const struct pithi_spill_walk *walk)
{
    uint64_t first = walk->word != NULL && walk->word < walk->end ? load(walk->word) : 0;
    return first != 0 && (first & 15) != PITHI_W_CLAIMED;
}

/* Returns 1 if the record at the position of the walk would be dropped, because its definition or communicator is not
 * known yet. */
static int is_unknown(const struct pithi_spill_walk *walk)
{
    const uint64_t *word = walk->word;
    uint32_t kind, id;
    if ((load(word) & 15) == PITHI_W_TIME)
        word += 2;
    if (word >= walk->end)
        return 0;
    kind = (uint32_t)load(word) & 15;
    id = (uint32_t)(load(word) >> 4) & PITHI_WORD_ID_MASK;
    if (kind >= PITHI_W_ENTER && kind <= PITHI_W_COUNTER)
        return id >= walk->id_count || walk->ids[id] == UINT32_MAX;
    if (kind >= PITHI_W_SEND && kind <= PITHI_W_COMM_FREE)
        return id >= walk->comm_count || walk->comms[id] == UINT32_MAX;
    return 0;
}

int pithi_follow_lane_next(struct pithi_follow_process *process, struct pithi_follow_lane *lane)
{
    struct pithi_spill_walk *walk = &lane->walk;
    for (;;) {
        struct pithi_spill_walk before;
        const struct pithi_chunk *header;
        uint64_t newer, lost;
        int got = 0;
        if (!lane->is_open && !open_chunk(process, lane))
            return 0;
        header = lane->mapped;
        lane->view.defs = process->spill.defs;
        walk->ids = process->ids;
        walk->numbers = process->numbers.all;
        walk->id_count = process->id_count;
        walk->comms = process->comms;
        walk->comm_count = process->comm_count;
        /* Reads `newer` and `lost` before the record. If `newer` is set now and there is no record, none will follow in
         * this chunk. If `newer` were read after looking for a record, the program could have stored one more record
         * before setting it. */
        before = *walk;
        newer = __atomic_load_n(&header->newer, __ATOMIC_ACQUIRE);
        lost = __atomic_load_n(&header->lost, __ATOMIC_RELAXED);
        if (walk->second.kind != 0 || is_stored(walk)) {
            if (walk->second.kind == 0 && is_unknown(walk) && lane->stuck != walk->word && is_same(lane)) {
                lane->stuck = walk->word;
                return 0;
            }
            got = pithi_spill_next(walk, &lane->head);
            if (got) {
                /* copies the payload, because the program may overwrite it */
                struct pithlog_record *head = &lane->head;
                if (head->payload != NULL) {
                    if (head->payload_bytes > lane->payload_room) {
                        unsigned char *payload = realloc(lane->payload, head->payload_bytes);
                        if (payload != NULL) {
                            lane->payload = payload;
                            lane->payload_room = head->payload_bytes;
                        }
                    }
                    if (head->payload_bytes > lane->payload_room)
                        head->payload_bytes = (uint32_t)lane->payload_room;
                    if (head->payload_bytes > 0)
                        memcpy(lane->payload, head->payload, head->payload_bytes);
                    head->payload = lane->payload;
                }
            }
            newer = 0; /* there was a record, so the end of the chunk is looked for later */
            if (is_same(lane)) {
                lane->accounted += got && lane->head.kind != PITHLOG_LOST;
                if (got)
                    return 1;
                continue;
            }
        }
        if (before.live && !is_same(lane)) {
            /* The chunk was reused during the walk. Continues in its copy, at the word where `before` stood. */
            ptrdiff_t word = before.word - (const uint64_t *)lane->mapped;
            uint64_t seq = lane->seq;
            pithi_follow_lane_close(lane);
            if (!open_chunk(process, lane))
                return 0;
            if (lane->seq == seq && (size_t)word < lane->mapped_size / sizeof(uint64_t)) {
                lane->walk.word = (const uint64_t *)lane->mapped + word;
                lane->walk.ticks = before.ticks;
                lane->walk.lost = before.lost;
            }
            continue;
        }
        if (newer == 0 && !process->ended)
            return 0;
        walk->zero_ends = !process->ended;
        /* the chunk is complete: takes what is left of it, then goes to the next one */
        lane->chunk.lost = lost <= UINT64_MAX / 2 ? lost : 0; /* a higher number is damage */
        walk->live = 0;
        if (walk->word != NULL && pithi_spill_next(walk, &lane->head))
            return 1;
        pithi_follow_lane_close(lane);
        lane->seq++;
    }
}
