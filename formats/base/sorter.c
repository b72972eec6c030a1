/* sorter.c - sorts runs of items into a temporary file, and merges them with a heap.
 *
 * One block of memory holds the bytes of items, which grow from its front, and their entries, which grow from its back.
 * The space between always has room for a copy of all entries, which merge sort needs:
 *
 *     | bytes of items -->      free      | scratch | <-- entries |
 *
 * An item of 40 bytes takes 40 bytes in front, an entry of 32 bytes at the back, and 32 bytes of scratch. So 32 MiB
 * hold 322,000 such items, and a million items become four runs in the file. All runs are merged at once: the heap has
 * one number for each run, and each run has a buffer of at most 256 KiB. Even a thousand runs need only 32 MB.
 *
 * Sorting moves entries, never the bytes of items, and must be stable: formats rely on the order in which items of one
 * time were added. Therefore it uses merge sort, because qsort of libc is not stable everywhere. If items of two runs
 * have equal keys, the run with the lower number comes first. Two halves that are already in order are not merged,
 * which saves time, because logs are mostly in order.
 */
#include "base/sorter.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"
#include "base/map.h"
#include "base/temporary.h"

/* OUT_BYTES: buffer of the file that is written. BUFFER_LEAST, BUFFER_MOST: bytes of the buffer of a run that is read.
 * SHORT_RUN: up to this many items, insertion sort is faster. */
enum { OUT_BYTES = 1 << 17, BUFFER_LEAST = 4096, BUFFER_MOST = 1 << 18, SHORT_RUN = 12 };

struct entry {
    struct pithi_sort_key key;
    uint32_t at, size; /* position and size of the item's bytes in the block */
};

/* Precedes the bytes of each item in the file. */
struct head {
    struct pithi_sort_key key;
    uint64_t size;
};

/* A run that is read back from the file. The buffer has `have` bytes. The run's next item is at `used` in the buffer;
 * `head` is a copy of its head. */
struct run {
    uint64_t at, end; /* the part of the file that is still to be read: [at, end) */
    unsigned char *buffer;
    size_t room, have, used;
    struct head head;
};

struct pithi_sorter {
    size_t memory;        /* bytes that may be used */
    unsigned char *block; /* [room] items of the run that is collected */
    size_t room, used;
    uint32_t count, next; /* number of entries; index of the entry to return next */
    int fd;               /* -1: all is in memory */
    unsigned char *out;   /* buffer of the file */
    size_t out_used;
    uint64_t written; /* bytes of the file */
    struct run *runs; /* [run_count] */
    uint32_t run_count, run_room;
    uint32_t *heap; /* numbers of the runs that have an item left; the run with the least item is on top */
    uint32_t heap_count;
    int given;                /* 1: the item on top was returned already */
    struct pithi_sorted kept; /* an item that pithi_sorter_before left, if `keeps` */
    int keeps;                /* 1: `kept` is the next item */
};

int pithi_sorter_new(struct pithi_sorter **sorter, size_t memory_bytes)
{
    struct pithi_sorter *s = *sorter = calloc(1, sizeof *s);
    if (!s)
        return pithi_no_memory();
    s->fd = -1;
    s->memory = memory_bytes;
    return PITH_OK;
}

void pithi_sorter_free(struct pithi_sorter *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->run_count; i++)
        free(s->runs[i].buffer);
    if (s->fd >= 0)
        close(s->fd);
    free(s->block);
    free(s->out);
    free(s->runs);
    free(s->heap);
    free(s);
}

/* ---- Sorting a run ----------------------------------------------------------------------------------------------- */

static int before(const struct pithi_sort_key *a, const struct pithi_sort_key *b)
{
    if (a->word[0] != b->word[0])
        return a->word[0] < b->word[0];
    if (a->word[1] != b->word[1])
        return a->word[1] < b->word[1];
    return a->word[2] < b->word[2];
}

/* Sorts entries. It does not merge two halves that are already in order, which saves time, because most logs are nearly
 * in order. */
static void merge_sort(struct entry *entries, uint32_t count, struct entry *scratch)
{
    uint32_t half = count / 2, left = 0, right = half, to = 0;
    if (count <= SHORT_RUN) {
        for (uint32_t i = 1; i < count; i++) {
            struct entry e = entries[i];
            uint32_t at = i;
            for (; at > 0 && before(&e.key, &entries[at - 1].key); at--)
                entries[at] = entries[at - 1];
            entries[at] = e;
        }
        return;
    }
    merge_sort(entries, half, scratch);
    merge_sort(entries + half, count - half, scratch);
    if (!before(&entries[half].key, &entries[half - 1].key))
        return;
    memcpy(scratch, entries, half * sizeof *entries);
    while (left < half)
        entries[to++] =
            right < count && before(&entries[right].key, &scratch[left].key) ? entries[right++] : scratch[left++];
}

/* Returns the entries as an array. They grow downwards from the end of the block, so the entry added last comes first.
 */
static struct entry *entries_of(const struct pithi_sorter *s)
{
    return (struct entry *)(void *)(s->block + s->room) - s->count;
}

static void sort_block(struct pithi_sorter *s)
{
    struct entry *entries = entries_of(s);
    for (uint32_t i = 0; i < s->count / 2; i++) { /* brings the entries into the order in which they were added */
        struct entry e = entries[i];
        entries[i] = entries[s->count - 1 - i];
        entries[s->count - 1 - i] = e;
    }
    merge_sort(entries, s->count, entries - s->count);
}

/* ---- Runs to the file -------------------------------------------------------------------------------------------- */

static int write_out(struct pithi_sorter *s)
{
    if (pithi_write_at(s->fd, s->out, s->out_used, s->written) != s->out_used)
        return pithi_temporary_failed("written");
    s->written += s->out_used;
    s->out_used = 0;
    return PITH_OK;
}

static int put(struct pithi_sorter *s, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t some = size - done < OUT_BYTES - s->out_used ? size - done : OUT_BYTES - s->out_used;
        memcpy(s->out + s->out_used, (const unsigned char *)data + done, some);
        s->out_used += some;
        done += some;
        if (s->out_used == OUT_BYTES)
            CHECK(write_out(s));
    }
    return PITH_OK;
}

static int write_run(struct pithi_sorter *s)
{
    struct entry *entries = entries_of(s);
    struct run run = {.at = s->written};
    if (s->fd < 0 && (s->fd = pithi_temporary_file()) < 0)
        return pithi_temporary_failed("made");
    if ((!s->out && !(s->out = malloc(OUT_BYTES))) ||
        !pithi_grow(&s->runs, s->run_count, &s->run_room, sizeof *s->runs))
        return pithi_no_memory();
    sort_block(s);
    for (uint32_t i = 0; i < s->count; i++) {
        struct head head = {entries[i].key, entries[i].size};
        CHECK(put(s, &head, sizeof head));
        CHECK(put(s, s->block + entries[i].at, entries[i].size));
    }
    CHECK(write_out(s));
    run.end = s->written;
    s->runs[s->run_count++] = run;
    s->used = s->count = 0;
    return PITH_OK;
}

/* ---- Adding ------------------------------------------------------------------------------------------------------ */

int pithi_sorter_add(struct pithi_sorter *s, const struct pithi_sort_key *key, const void *data, uint32_t size)
{
    size_t need = size + 2 * sizeof(struct entry);
    if (s->count && (s->used + need + 2 * s->count * sizeof(struct entry) > s->room || s->used > UINT32_MAX / 2))
        CHECK(write_run(s));
    if (!s->block || (s->count == 0 && need > s->room)) {
        /* Makes the size of the block a multiple of the size of an entry, so that the entries at its end are aligned.
         */
        size_t want = s->memory > need ? s->memory : need;
        want += sizeof(struct entry) - want % sizeof(struct entry);
        free(s->block);
        s->room = want;
        s->block = malloc(want);
        CHECK(s->block ? PITH_OK : pithi_no_memory());
    }
    if (size)
        memcpy(s->block + s->used, data, size);
    s->count++;
    *entries_of(s) = (struct entry){*key, (uint32_t)s->used, size};
    s->used += size;
    return PITH_OK;
}

/* ---- Giving out -------------------------------------------------------------------------------------------------- */

/* Reads until the buffer of the run has at least `want` bytes. */
static int fill(struct pithi_sorter *s, struct run *run, size_t want)
{
    if (run->have - run->used >= want)
        return PITH_OK;
    memmove(run->buffer, run->buffer + run->used, run->have - run->used);
    run->have -= run->used;
    run->used = 0;
    if (want > run->room) {
        unsigned char *buffer = realloc(run->buffer, want);
        if (!buffer)
            return pithi_no_memory();
        run->buffer = buffer;
        run->room = want;
    }
    uint64_t left = run->end - run->at;
    size_t most = left < run->room - run->have ? (size_t)left : run->room - run->have;
    size_t got = pithi_read_at(s->fd, run->buffer + run->have, most, run->at);
    run->have += got;
    run->at += got;
    return run->have < want ? pithi_temporary_failed("read") : PITH_OK;
}

/* Loads the head and bytes of the run's next item. Sets *over to 1 if the run has no further item. */
static int load(struct pithi_sorter *s, struct run *run, int *over)
{
    *over = run->used == run->have && run->at == run->end;
    if (*over)
        return PITH_OK;
    CHECK(fill(s, run, sizeof run->head));
    memcpy(&run->head, run->buffer + run->used, sizeof run->head);
    return fill(s, run, sizeof run->head + (size_t)run->head.size);
}

/* Returns 1 if the next item of run `a` comes before the next item of run `b`. If their keys are equal, the run with
 * the lower number comes first, because its items were added first. */
static int run_before(const struct pithi_sorter *s, uint32_t a, uint32_t b)
{
    const struct pithi_sort_key *x = &s->runs[a].head.key, *y = &s->runs[b].head.key;
    return before(x, y) || (!before(y, x) && a < b);
}

static void sift_down(struct pithi_sorter *s, uint32_t place)
{
    uint32_t run = s->heap[place], child;
    while ((child = 2 * place + 1) < s->heap_count) {
        child += child + 1 < s->heap_count && run_before(s, s->heap[child + 1], s->heap[child]);
        if (!run_before(s, s->heap[child], run))
            break;
        s->heap[place] = s->heap[child];
        place = child;
    }
    s->heap[place] = run;
}

int pithi_sorter_end(struct pithi_sorter *s)
{
    if (s->run_count == 0) {
        if (s->count)
            sort_block(s);
        return PITH_OK;
    }
    CHECK(write_run(s));
    free(s->block);
    free(s->out);
    s->block = s->out = NULL;
    size_t room = s->memory / s->run_count;
    int over;
    room = room < BUFFER_LEAST ? BUFFER_LEAST : room > BUFFER_MOST ? BUFFER_MOST : room;
    s->heap = malloc(s->run_count * sizeof *s->heap);
    if (!s->heap)
        return pithi_no_memory();
    for (uint32_t i = 0; i < s->run_count; i++) {
        s->runs[i].room = room;
        s->runs[i].buffer = malloc(room);
        if (!s->runs[i].buffer)
            return pithi_no_memory();
        CHECK(load(s, &s->runs[i], &over));
        if (!over)
            s->heap[s->heap_count++] = i;
    }
    for (uint32_t i = s->heap_count; i-- > 0;)
        sift_down(s, i);
    return PITH_OK;
}

/* Goes on from the item on top of the heap, which the last pithi_sorter_next returned, to the next item of its run. */
static int pass(struct pithi_sorter *s)
{
    struct run *run = &s->runs[s->heap[0]];
    int over;
    run->used += sizeof run->head + (size_t)run->head.size;
    CHECK(load(s, run, &over));
    if (over)
        s->heap[0] = s->heap[--s->heap_count];
    if (s->heap_count)
        sift_down(s, 0);
    return PITH_OK;
}

int pithi_sorter_next(struct pithi_sorter *s, struct pithi_sorted *item)
{
    if (s->run_count == 0) {
        /* All items fit into the block, so no file was made, and `data` points into the block. */
        if (s->next == s->count)
            return 0;
        const struct entry *entry = entries_of(s) + s->next++;
        *item = (struct pithi_sorted){entry->key, s->block + entry->at, entry->size};
        return 1;
    }
    if (s->given && s->heap_count && pass(s) != PITH_OK)
        return -1;
    s->given = s->heap_count > 0;
    if (!s->given)
        return 0;
    const struct run *run = &s->runs[s->heap[0]];
    *item = (struct pithi_sorted){run->head.key, run->buffer + run->used + sizeof run->head, (uint32_t)run->head.size};
    return 1;
}

int pithi_sorter_before(struct pithi_sorter *s, uint64_t first, uint64_t second, struct pithi_sorted *item)
{
    int status = s->keeps ? 1 : pithi_sorter_next(s, &s->kept);
    const uint64_t *word = s->kept.key.word;

    if (status != 1)
        return status;
    s->keeps = word[0] > first || (word[0] == first && word[1] >= second);
    *item = s->kept;
    return !s->keeps;
}
