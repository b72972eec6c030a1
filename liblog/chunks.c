/* chunks.c - chunks of the spill file for one lane: windows in turn, and the ring.
 *
 * A fresh page of a mapped file costs more than everything else about its records (0.9 ns a byte on ext4); pwrite
 * stores the same bytes in an eighth of the time. So a lane has two chunks that stay mapped, its windows, and fills
 * them in turn. Before a window is filled again it is copied to the end of the file, as a chunk of its own, and
 * cleared. If the process dies between copying and clearing, the chunk is in the file twice, which readers expect. A
 * window is not cleared when it is full, but one turn later: by then a store that a signal handler interrupted is
 * complete. A ring reuses its chunks anyway and has no windows.
 *
 *                          window a       window b       at the end of the file
 *     the first record     seq 0
 *     a is full            seq 0          seq 1
 *     b is full            seq 2          seq 1          seq 0 (copied, then a cleared)
 *     a is full            seq 2          seq 3          seq 0, seq 1
 *
 * Copying and clearing take most of the time and touch nothing that other threads use, so the guard is released
 * meanwhile. */
#include "chunks.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "buffer.h"
#include "clock.h"
#include "session.h"
#include "spill/spill_chunk.h"

#define KIB UINT64_C(1024)
/* the size of a lane's first window from lane MANY_LANES on: if there are very many threads, most of them record
 * little */
#define WINDOW_FIRST_MANY (32 * KIB)
#define WINDOW_DISK (256 * KIB)   /* size of a window on a disk; it is copied in 57 us on ext4 */
#define WINDOW_MEMORY (128 * KIB) /* size in tmpfs, where fresh pages cost twice as much; copied in 62 us */
#define WINDOW_LEAST (4 * KIB)    /* a nearly full file gets windows down to this size */
#define MANY_LANES 64             /* from this lane on, the first windows are small */

/* The size of a chunk of a ring: just enough for the longest record, so that reuse loses as few records as possible.
 * Several chunks are made at a time in one mapping, because the number of mappings is limited. */
#define RING_CHUNK (80 * KIB)
#define RING_FIRST 2u /* spare chunks of a lane at first */
#define RING_MANY 12u /* spare chunks of a lane at most */
#define RING_LEAST 3u /* other lanes take no chunk from a lane with this number of chunks or fewer */
#define RING_OWN 2u   /* a lane with this number of chunks can reuse its own oldest one and needs no other lane's */
/* The size of the chunks of a lane that begins when the ring is full and no lane can give it a chunk. A signal handler
 * records less than this. So while a handler interrupts a store, it cannot fill so many chunks that the chunk of the
 * interrupted store is reused. */
#define RING_SMALL (16 * KIB)
#define RING_BEFORE 3u /* number of chunks that a lane keeps before PITH_FROM */

static uint64_t *words_of(struct pithi_chunk *chunk)
{
    return (uint64_t *)(void *)((char *)(chunk + 1) + chunk->open_bytes);
}

static uint64_t *end_of(struct pithi_chunk *chunk)
{
    return (uint64_t *)(void *)((char *)chunk + chunk->size_bytes) - PITHI_CHUNK_SLACK;
}

static struct pithi_spill_open *open_of(struct pithi_chunk *chunk)
{
    return (struct pithi_spill_open *)(void *)(chunk + 1);
}

/* ---- Headers ----------------------------------------------------------------------------------------------------- */

/* Stores a new anchor in the process page. If the counter no longer agrees with CLOCK_MONOTONIC, all threads change to
 * CLOCK_MONOTONIC. */
static void take_anchor(struct pithi_anchor *anchor)
{
    if (pithi_clock_anchor_next(anchor)) {
        pithi_buffer_stop_all();
        pithi_clock_part(anchor, pithi_buffer_latest(), pithi_session.file.page);
    }
    struct pithi_spill_page *page = pithi_session.file.page;
    /* The version is odd while `last` is incomplete, for readers of the running program. */
    __atomic_add_fetch(&page->last_version, 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    page->last = *anchor;
    __atomic_add_fetch(&page->last_version, 1, __ATOMIC_SEQ_CST);
}

void pithi_lane_anchor(void)
{
    struct pithi_anchor anchor;
    if (pithi_session.file.page != NULL)
        take_anchor(&anchor);
}

static void fill_header(struct pithi_chunk *chunk, uint32_t lane, uint32_t seq, uint64_t size_bytes,
                        uint64_t words_before)
{
    take_anchor(&chunk->anchor);
    chunk->size_bytes = size_bytes;
    chunk->seq = seq;
    chunk->base_ticks = chunk->anchor.ticks;
    chunk->lost = 0;
    chunk->newer = 0;
    chunk->words = chunk->check = 0;
    chunk->words_before = words_before;
    __atomic_store_n(&chunk->lane, lane, __ATOMIC_RELEASE);
    __atomic_store_n(&chunk->magic, PITHI_CHUNK_MAGIC, __ATOMIC_RELEASE);
    __atomic_add_fetch(&pithi_session.file.page->chunks, 1, __ATOMIC_RELEASE);
}

/* Stores the check value of a complete chunk, while its words are still in the cache. `words` is stored last: if it is
 * not 0, the check value is valid. */
static void seal(struct pithi_chunk *chunk)
{
    uint64_t *begin = words_of(chunk), words = pithi_spill_stored(begin, end_of(chunk) + PITHI_CHUNK_SLACK);
    chunk->check = pithi_spill_chunk_check(chunk, begin, words);
    __atomic_store_n(&chunk->words, words, __ATOMIC_RELEASE);
}

/* Marks a chunk as free, so that a reader which sees anything stored into it later also sees the mark. */
static void set_free(struct pithi_chunk *chunk)
{
    __atomic_store_n(&chunk->lane, PITHI_SPILL_FREE, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void lane_header(struct pithi_chunk *chunk, const struct pithi_lane *lane, uint64_t size_bytes)
{
    fill_header(chunk, lane->number, lane->next_seq, size_bytes, lane->words_next);
}

struct pithi_chunk *pithi_chunk_definitions(uint32_t seq, uint64_t size_bytes)
{
    struct pithi_chunk *chunk = pithi_spill_file_extend(&pithi_session.file, size_bytes, PITHI_FOR_DEFINITIONS);
    if (chunk != NULL)
        fill_header(chunk, PITHI_SPILL_DEFS, seq, size_bytes, 0);
    return chunk;
}

/* ---- The ring ---------------------------------------------------------------------------------------------------- */

/* Stores in a chunk of a ring the states that are open at its begin. */
static void set_open(struct pithi_chunk *chunk, const struct pithi_spill_open *open)
{
    struct pithi_spill_open *own = open_of(chunk);
    own->above = open->above;
    own->count = open->count;
    memcpy(own->entries, open->entries, open->count * sizeof open->entries[0]);
    __atomic_store_n(&own->known, 1, __ATOMIC_RELEASE);
}

static int has_room(uint64_t size_bytes, uint64_t words)
{
    uint64_t head = sizeof(struct pithi_chunk) + sizeof(struct pithi_spill_open);
    return head + (words + PITHI_CHUNK_SLACK) * sizeof(uint64_t) <= size_bytes;
}

static void make_spare(struct pithi_lane *lane, uint32_t count, uint64_t size_bytes, enum pithi_spill_use use)
{
    size_bytes = pithi_spill_whole_pages(size_bytes);
    lane->spare = pithi_spill_file_extend(&pithi_session.file, count * size_bytes, use);
    lane->spare_count = lane->spare != NULL ? count : 0;
    lane->spare_bytes = size_bytes;
}

/* Returns the next of the chunks made ahead. `is_first`: they were just made; then the chunk that is returned gets its
 * header before the others. In the other order, a reader that scans the file could miss it for ever, because it skips
 * chunks without a header and does not return to them. */
static struct pithi_chunk *ring_new(struct pithi_lane *lane, uint64_t words, int is_first)
{
    static const struct pithi_spill_open nothing;
    struct pithi_chunk *chunk = (void *)lane->spare;
    uint32_t i;
    if (lane->spare_count == 0 || !has_room(lane->spare_bytes, words))
        return NULL;
    chunk->open_bytes = sizeof(struct pithi_spill_open);
    if (lane->next_seq == 0)
        set_open(chunk, &nothing);
    lane_header(chunk, lane, lane->spare_bytes);
    for (i = 1; is_first && i < lane->spare_count; i++) {
        struct pithi_chunk *spare = (void *)(lane->spare + i * lane->spare_bytes);
        spare->open_bytes = sizeof(struct pithi_spill_open);
        spare->size_bytes = lane->spare_bytes;
        spare->lane = PITHI_SPILL_FREE;
        __atomic_store_n(&spare->magic, PITHI_CHUNK_MAGIC, __ATOMIC_RELEASE);
    }
    lane->spare += lane->spare_bytes;
    lane->spare_count--;
    lane->fresh = 1;
    return chunk;
}

/* Takes the oldest chunk from the lane `from` and clears it. If `is_loss` is 1, the chunk's records count as lost; if
 * 0, they do not, because they are from before PITH_FROM. Returns NULL if the lane must keep its chunks, or if the
 * chunk has no room for `words`. */
static struct pithi_chunk *ring_take(struct pithi_lane *from, uint64_t words, int is_loss)
{
    struct pithi_chunk *chunk = from->oldest;
    if (chunk == NULL || chunk == from->chunk || chunk->open_bytes == 0 || !has_room(chunk->size_bytes, words))
        return NULL;
    if (is_loss) {
        pithi_lost_add(chunk->records);
        from->chunk->overwritten += chunk->records;
    }
    from->oldest = (struct pithi_chunk *)(uintptr_t)chunk->newer;
    from->kept--;
    if (from->before == chunk)
        from->before = NULL;
    __atomic_sub_fetch(&pithi_session.file.page->chunks, 1, __ATOMIC_SEQ_CST);
    set_free(chunk);
    __atomic_store_n(&open_of(chunk)->known, 0, __ATOMIC_RELAXED);
    memset(words_of(chunk), 0, (size_t)((char *)end_of(chunk) - (char *)words_of(chunk)) + PITHI_CHUNK_SLACK * 8);
    return chunk;
}

/* Reuses the oldest chunk of the lane with the most chunks, if that lane has more than its share, else the lane's own
 * oldest chunk. So a thread that starts late gets its part of the ring. A lane with more than RING_LEAST chunks has
 * filled at least two chunks since its thread stored into the oldest one, so the thread is done with that one. */
static struct pithi_chunk *ring_reuse(struct pithi_lane *lane, uint64_t words, int before_from)
{
    static const struct pithi_spill_open nothing;
    struct pithi_lane *rich = before_from ? NULL : pithi_buffer_richest();
    struct pithi_chunk *chunk = NULL;
    if (rich != NULL && rich != lane && rich->kept > RING_LEAST && rich->kept > lane->kept + 1)
        chunk = ring_take(rich, words, 1);
    if (chunk == NULL)
        chunk = ring_take(lane, words, !before_from);
    if (chunk == NULL)
        return NULL;
    if (lane->next_seq == 0)
        set_open(chunk, &nothing);
    chunk->overwritten = lane->chunk != NULL ? lane->chunk->overwritten : 0;
    lane_header(chunk, lane, chunk->size_bytes);
    return chunk;
}

/* Begins a lane's next chunk in a ring. A lane with RING_OWN chunks never needs another lane's again, so its newest
 * records stay, however many threads there are. If the file may not grow and no lane has more than its share, a new
 * lane gets RING_OWN small chunks, beyond PITH_MAX_MB.
 *
 * All this happens under the guard. Threads that store without the guard are not disturbed: a thread stores only into
 * its newest chunk, and only the oldest chunk of a lane is taken; another lane takes it only if more than RING_LEAST
 * chunks are there. RING_LEAST > RING_OWN, so other lanes leave a lane at least RING_OWN chunks; a lane therefore
 * makes small chunks at most twice. */
static struct pithi_chunk *ring_next(struct pithi_lane *lane, uint64_t words, int before_from)
{
    struct pithi_chunk *chunk = NULL;
    int is_first = lane->spare_count == 0;
    if (!has_room(RING_CHUNK, words))
        return NULL;
    /* Computes the states that are open at the end of the second newest chunk and stores them in the newest one, which
     * begins there. The second newest chunk is complete by now. */
    static struct pithi_spill_open open; /* static, because a handler's stack may be small; under the guard */
    struct pithi_chunk *settled = lane->before, *next = lane->chunk;
    if (settled != NULL && next->open_bytes != 0) {
        open = *open_of(settled);
        settled->records = pithi_open_scan(&open, words_of(settled), end_of(settled) + PITHI_CHUNK_SLACK);
        seal(settled);
        set_open(next, &open);
    }
    if (!before_from || lane->kept < RING_BEFORE) {
        if (is_first) {
            /* Makes chunks ahead, while the file may grow. */
            uint64_t most = pithi_session.file.max_bytes / 8 / pithi_spill_whole_pages(RING_CHUNK);
            uint32_t before = lane->spare_all, count = before < RING_MANY / 2 ? before * 2 : RING_MANY;
            if (before == 0)
                count = RING_FIRST;
            if (count > most && before != 0)
                count = most > 1 ? (uint32_t)most : 1;
            make_spare(lane, count, RING_CHUNK, PITHI_FOR_RECORDS);
            if (lane->spare_count > 0)
                lane->spare_all = count;
        }
        chunk = ring_new(lane, words, is_first);
    }
    if (chunk == NULL && (chunk = ring_reuse(lane, words, before_from)) != NULL)
        return chunk;
    if (chunk == NULL && is_first && lane->kept < RING_OWN && pithi_session.settings.ring) {
        make_spare(lane, RING_OWN - lane->kept, RING_SMALL, PITHI_FOR_NEWEST);
        chunk = ring_new(lane, words, 1);
    }
    if (chunk != NULL)
        chunk->overwritten = lane->chunk != NULL ? lane->chunk->overwritten : 0;
    return chunk;
}

int pithi_lane_turns(const struct pithi_lane *lane) { return pithi_session.settings.ring && lane->kept >= RING_OWN; }

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

static uint64_t window_bytes(void) { return pithi_session.file.in_memory ? WINDOW_MEMORY : WINDOW_DISK; }

/* Copies the lane's older window to the end of the file; the window then becomes the next chunk. Returns NULL if the
 * lane has no older window yet, or if there is no room. */
static struct pithi_chunk *turn_window(struct pithi_lane *lane, uint64_t words)
{
    struct pithi_chunk *chunk = lane->window;
    struct pithi_spill_place place;
    int status;

    if (chunk == NULL || chunk->open_bytes != 0 || chunk->size_bytes < lane->next_bytes ||
        words > (uint64_t)(end_of(chunk) - words_of(chunk)) ||
        pithi_spill_file_reserve(&pithi_session.file, chunk->size_bytes, &place) != 0)
        return NULL;
    pithi_guard_yield();
    seal(chunk);
    status = pithi_spill_place_write(&place, chunk, chunk->size_bytes);
    if (status == 0) {
        set_free(chunk);
        memset(words_of(chunk), 0, chunk->size_bytes - sizeof *chunk);
    }
    pithi_guard_back();
    if (status != 0)
        return NULL;
    pithi_spill_file_reaches(&pithi_session.file, place.offset + chunk->size_bytes);
    lane_header(chunk, lane, chunk->size_bytes);
    return chunk;
}

/* Makes the lane's next window. From lane MANY_LANES on, the first window of a lane is small, and each further one is
 * four times as large as the last, up to window_bytes(). If the file has no room for a window, smaller sizes are tried.
 * Returns NULL if there is no room even so. */
static struct pithi_chunk *new_window(struct pithi_lane *lane, uint64_t words)
{
    uint64_t need = sizeof(struct pithi_chunk) + (words + PITHI_CHUNK_SLACK) * sizeof(uint64_t);
    uint64_t most = pithi_session.file.max_bytes / 8, size = lane->next_bytes < most ? lane->next_bytes : most;
    struct pithi_chunk *chunk;

    size = pithi_spill_whole_pages(size > need ? size : need);
    while ((chunk = pithi_spill_file_extend(&pithi_session.file, size, PITHI_FOR_RECORDS)) == NULL &&
           size / 4 >= WINDOW_LEAST && size / 4 >= pithi_spill_whole_pages(need))
        size = pithi_spill_whole_pages(size / 4);
    if (chunk == NULL)
        return NULL;
    lane_header(chunk, lane, size);
    lane->next_bytes = lane->next_bytes * 4 < window_bytes() ? lane->next_bytes * 4 : window_bytes();
    if (lane->chunk != NULL)
        chunk->overwritten = lane->chunk->overwritten;
    lane->fresh = 1;
    return chunk;
}

/* ---- The next chunk ---------------------------------------------------------------------------------------------- */

void pithi_lane_begin(struct pithi_lane *lane, uint32_t number)
{
    memset(lane, 0, sizeof *lane);
    lane->number = number;
    lane->next_bytes = number < MANY_LANES ? window_bytes() : WINDOW_FIRST_MANY;
}

/* Returns the number of words that fit into a chunk, including its slack. */
static uint64_t room_of(struct pithi_chunk *chunk)
{
    return chunk != NULL ? (uint64_t)(end_of(chunk) + PITHI_CHUNK_SLACK - words_of(chunk)) : 0;
}

/* Begins the lane's next chunk (chunks.h). A lane may change between windows and a ring (at PITH_FROM). A chunk of a
 * ring begins with a list of open states, open_bytes long; in a window open_bytes is 0. By this test neither is reused
 * as the other. */
int pithi_lane_next(struct pithi_lane *lane, uint64_t words)
{
    struct pithi_chunk *before = lane->chunk, *chunk;
    int before_from = pithi_session_before_window(), ring = before_from || pithi_session.settings.ring;

    lane->fresh = 0;
    lane->words_next = lane->words_before;
    if (before != NULL)
        lane->words_next += pithi_spill_stored(words_of(before), end_of(before) + PITHI_CHUNK_SLACK);
    chunk = ring ? ring_next(lane, words, before_from) : turn_window(lane, words);
    if (chunk == NULL && !ring)
        chunk = new_window(lane, words);
    if (chunk == NULL)
        return 0;
    if (before != NULL)
        __atomic_store_n(&before->newer, (uintptr_t)chunk, __ATOMIC_RELEASE);
    if (!ring && chunk != lane->window) {
        /* Releases the memory of a chunk that is complete; the file keeps its bytes. */
        if (lane->window != NULL) {
            if (lane->window->words == 0)
                seal(lane->window);
            madvise(lane->window, lane->window->size_bytes, MADV_DONTNEED);
        }
    }
    lane->window = ring ? NULL : before;
    lane->before = before;
    if (lane->oldest == NULL)
        lane->oldest = chunk;
    lane->kept++;
    /* Updates the upper limit of the words in the file: `before` is counted with the words that it has, and `chunk` as
     * if it were full. */
    uint64_t more = lane->words_next - lane->words_before + room_of(chunk) - room_of(before);
    __atomic_add_fetch(&pithi_session.file.page->most_words, more, __ATOMIC_RELAXED);
    lane->chunk = chunk;
    lane->words_before = lane->words_next;
    lane->next_seq++;
    lane->begin = words_of(chunk);
    lane->end = end_of(chunk);
    lane->entered = before == NULL ? lane->begin : NULL;
    return 1;
}
