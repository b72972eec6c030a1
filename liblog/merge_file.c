/* merge_file.c - places the bytes of all processes in the log, and writes them.
 *
 * Volumes. If 100,000 processes write to one file, locks in the file system are a bottleneck. So PITH_FILES spreads the
 * segments over several files: the segment of rank r is in volume 1 + r * volumes / ranks, the main file has the rest.
 *
 *     10 ranks, 3 volumes: ranks 0 to 3 in PART.1, 4 to 6 in PART.2, 7 to 9 in PART.3
 *
 * The rank table has 80 bytes a rank. The first of each 64 ranks writes the entries of all 64, so that the file system
 * does not get many tiny writes.
 *
 * Far processes do not see the folder of the log. They send their bytes to rank 0, first their segments, then their
 * entries of the rank table; a log with far processes has no volumes. To find far processes, rank 0 makes a test file
 * that the others try to open. Comparing hosts would not do: two hosts may share a file system, and two containers on
 * one machine may share none. The test file has the number of the job in its name. So no process has looked for this
 * name before, and no cache of a network file system holds that it does not exist. A far process sends a head of 16
 * bytes before each range of bytes, and a head of size 0 at its end:
 *
 *     rank 0 -> 5: go    5 -> rank 0: {offset 4096, size 100000}, 65536 bytes, 34464 bytes, {0, 0} */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "session.h"

enum { GROUP = 64 }; /* ranks in a group; its first rank writes the table entries of all */

/* ---- Places in the log ------------------------------------------------------------------------------------------- */

/* Returns the first rank of a volume. Volumes are counted from 0 here. */
static int first_of(const struct merge *merge, uint32_t volume)
{
    return (int)(((uint64_t)volume * (uint64_t)merge->t->size + merge->volumes - 1) / merge->volumes);
}

int pithi_merge_sum(struct merge *merge, int good)
{
    const struct pith_transport *t = merge->t;
    struct pithi_totals *all = &merge->totals;
    uint64_t bytes = good ? pithi_encode_size(&merge->encode) : 0;
    uint64_t sums[] = {bytes,         all->records, all->states, all->events,
                       all->messages, all->lost,    all->lanes,  merge->encode.states_left_out};
    /* the minimum of ~x gives the latest end */
    uint64_t least[] = {biased(all->start_ns), ~biased(all->end_ns), good != 0};
    merge->before = bytes;
    if (all->start_ns > all->end_ns)
        least[0] = least[1] = UINT64_MAX;
    if (t->sum_before(t->context, &merge->before) != 0 ||
        t->reduce(t->context, sums, sizeof sums / sizeof sums[0], PITH_SUM) != 0 ||
        t->reduce(t->context, least, 3, PITH_MIN) != 0)
        return 0;
    merge->bytes = sums[0];
    merge->states_left_out = sums[7];
    *all = (struct pithi_totals){sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], 0, -1};
    if (least[0] != UINT64_MAX || least[1] != UINT64_MAX) {
        all->start_ns = unbiased(least[0]);
        all->end_ns = unbiased(~least[1]);
    }
    return least[2] == 1;
}

int pithi_merge_lay_out(struct merge *merge)
{
    uint32_t ranks = (uint32_t)merge->t->size;
    char path[sizeof merge->part + 16];
    pithi_place_part(merge->part, sizeof merge->part, pithi_session.log, pithi_session.job, ".part");
    snprintf(path, sizeof path, "%s.probe", merge->part);
    if (!pithi_far_find(merge->t, path, &merge->far))
        return 0;
    merge->volumes = merge->far.any ? 1 : merge->files < ranks ? merge->files : ranks;
    merge->base = merge->table = PITHI_HEADER_SIZE + merge->defs_size;
    if (merge->volumes > 1) {
        /* A segment's offset in its volume: the bytes before this rank, minus those before the first rank of the
         * volume. */
        uint64_t starts[PITHI_FILES_MAX] = {0};
        /* This rank's volume, counted from 0. */
        uint32_t own = (uint32_t)((uint64_t)merge->t->rank * merge->volumes / (uint64_t)merge->t->size);
        if (merge->t->rank == first_of(merge, own))
            starts[own] = merge->before;
        if (merge->t->reduce(merge->t->context, starts, (int)merge->volumes, PITH_SUM) != 0)
            return 0;
        merge->volume = own + 1;
        merge->base = PITHI_HEADER_SIZE + merge->before - starts[own];
        return 1;
    }
    merge->volumes = 0;
    merge->base += merge->before;
    merge->table += merge->bytes;
    return 1;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static int group_first(const struct merge *merge) { return merge->t->rank - merge->t->rank % GROUP; }

/* Collective: opens the files of the log. Returns 1; or 0 (errno), in all processes, if one cannot be opened. */
static int open_files(struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    char path[sizeof merge->part + 16];
    int writes = !merge->far.own && (merge->volumes == 0 || group_first(merge) == t->rank), saved;
    if (t->file_open(t->context, merge->part, writes ? 0 : -1, &merge->main_file) != 0)
        return 0;
    merge->own_file = merge->main_file;
    if (merge->volumes == 0)
        return 1;
    snprintf(path, sizeof path, "%s.%u", merge->part, (unsigned)merge->volume);
    if (t->file_open(t->context, path, first_of(merge, merge->volume - 1), &merge->own_file) == 0)
        return 1;
    saved = errno;
    t->file_close(t->context, merge->main_file);
    errno = saved;
    return 0;
}

void pithi_merge_unlink(const struct merge *merge)
{
    uint32_t i;
    for (i = 1; i <= merge->volumes; i++) {
        char path[sizeof merge->part + 16];
        snprintf(path, sizeof path, "%s.%u", merge->part, (unsigned)i);
        unlink(path);
    }
    if (merge->part[0] != '\0')
        unlink(merge->part);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static int put(const struct merge *merge, uint64_t offset, const void *data, size_t size)
{
    if (merge->far.own)
        return pithi_far_put(merge->t, offset, data, size);
    return merge->t->file_write_at(merge->t->context, merge->main_file, offset, data, size);
}

static int put_own(void *context, uint64_t offset, const void *data, size_t size)
{
    const struct merge *merge = context;
    if (merge->far.own)
        return put(merge, merge->base + offset, data, size);
    return merge->t->file_write_at(merge->t->context, merge->own_file, merge->base + offset, data, size);
}

/* Writes this rank's entry of the rank table. Also called by a process that failed, because the first rank of its group
 * waits for the entry. */
static int write_entry(struct merge *merge, const unsigned char *entry)
{
    const struct pith_transport *t = merge->t;
    unsigned char entries[GROUP * PITHI_RANK_ENTRY_SIZE];
    int first = group_first(merge), count = t->size - first < GROUP ? t->size - first : GROUP, i, good = 1;

    if (t->rank != first)
        return t->send(t->context, first, entry, PITHI_RANK_ENTRY_SIZE) == 0;
    memcpy(entries, entry, PITHI_RANK_ENTRY_SIZE);
    for (i = 1; i < count; i++)
        good &= t->recv(t->context, first + i, entries + (size_t)i * PITHI_RANK_ENTRY_SIZE, PITHI_RANK_ENTRY_SIZE) == 0;
    return good && put(merge, merge->table + pithi_rank_entry_offset((uint32_t)first), entries,
                       (size_t)count * PITHI_RANK_ENTRY_SIZE) == 0;
}

static int write_segment(struct merge *merge, unsigned char *entry)
{
    uint64_t base = (uint64_t)merge->volume << PITHI_VOLUME_SHIFT | merge->base;
    if (pithi_segment_index(merge->encode.segment, base, merge->defs) != PITH_OK ||
        pithi_encode_write(&merge->encode, put_own, merge) != 0)
        return 0;
    pithi_rank_entry(merge->encode.segment, base, merge->defs, entry);
    return 1;
}

/* The first rank of a volume writes its header. */
static int write_volume_header(const struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    struct pithi_volume volume = {merge->volume, merge->volumes, pithi_session.job};
    unsigned char header[PITHI_HEADER_SIZE];
    if (merge->volumes == 0 || t->rank != first_of(merge, merge->volume - 1))
        return 1;
    pithi_file_header(header, &volume);
    return t->file_write_at(t->context, merge->own_file, 0, header, sizeof header) == 0;
}

/* In rank 0: writes header, definitions, the head of the rank table and footer, which belong to no rank. */
static int write_frame(const struct merge *merge)
{
    uint32_t ranks = (uint32_t)merge->t->size;
    struct pithi_volume volume = {0, merge->volumes, pithi_session.job};
    unsigned char header[PITHI_HEADER_SIZE], head[PITHI_RANK_ENTRY_SIZE], footer[PITHI_FOOTER_SIZE];
    size_t head_size;

    pithi_file_header(header, &volume);
    pithi_rank_table_head(ranks, head, &head_size);
    pithi_file_footer(PITHI_HEADER_SIZE, merge->table, ranks, &merge->totals, footer);
    return put(merge, 0, header, sizeof header) == 0 &&
           put(merge, PITHI_HEADER_SIZE, merge->defs_chunk, merge->defs_size) == 0 &&
           put(merge, merge->table, head, head_size) == 0 &&
           put(merge, merge->table + pithi_rank_table_size(ranks), footer, sizeof footer) == 0;
}

/* begin_puts begins the puts of a far process, and end_puts ends them. In rank 0, end_puts writes the bytes of the far
 * ranks that are multiples of `step`. */
static int begin_puts(const struct merge *merge) { return !merge->far.own || pithi_far_begin(merge->t) == 0; }
static int end_puts(const struct merge *merge, int step)
{
    if (merge->far.own)
        return pithi_far_end(merge->t) == 0;
    return merge->t->rank != 0 || pithi_far_take(merge->t, &merge->far, step, merge->main_file);
}

static void fail_at(const char *what, int number)
{
    char text[PITHI_PATH_MAX + 128];
    snprintf(text, sizeof text, "%s: cannot be %s%s%s", pithi_session.log, what, number != 0 ? ": " : "",
             number != 0 ? strerror(number) : "");
    pithi_merge_fail(text);
}

int pithi_merge_write(struct merge *merge, int good)
{
    int saved;
    errno = 0;
    if (!open_files(merge)) {
        if (merge->t->rank == 0)
            fail_at("made", errno);
        return 0;
    }
    errno = 0;
    /* Writes first all segments, then the rank table. `saved` is the errno of the first failure. */
    unsigned char entry[PITHI_RANK_ENTRY_SIZE] = {0};
    int begun = begin_puts(merge);
    good = begun && good && write_segment(merge, entry) && write_volume_header(merge);
    good = begun && end_puts(merge, 1) && good;
    saved = good ? 0 : errno;
    int first = group_first(merge) == merge->t->rank;
    int wrote = !first || begin_puts(merge);
    wrote = write_entry(merge, entry) && wrote;
    good &= (!first || end_puts(merge, GROUP)) && wrote;
    if (saved != 0)
        errno = saved;
    good = good && (merge->t->rank != 0 || write_frame(merge));
    saved = errno;
    const struct pith_transport *t = merge->t;
    good &= t->file_close(t->context, merge->main_file) == 0;
    if (merge->volumes != 0)
        good &= t->file_close(t->context, merge->own_file) == 0;
    /* If a rank cannot write, others fail with it without an errno of their own. The lowest rank with an errno
     * reports. */
    uint64_t speaker = good ? UINT64_MAX : (uint64_t)t->rank + (saved != 0 ? 0 : (uint64_t)t->size);
    if (t->reduce(t->context, &speaker, 1, PITH_MIN) != 0)
        speaker = (uint64_t)t->rank;
    if (!good && speaker % (uint64_t)t->size == (uint64_t)t->rank)
        fail_at("written", saved != 0 ? saved : EIO);
    pithi_session.failed |= !good;
    return good;
}

/* ---- Far processes ----------------------------------------------------------------------------------------------- */

/* PIECE: the most bytes that a far process sends at once; WORDS: number of words in one reduction. Each word has a bit
 * for each of 64 ranks. */
enum { PIECE = 65536, WORDS = 64 };

struct head {
    uint64_t offset, size; /* the range of bytes in the file that a far process sends next */
};

/* ---- Finding far processes --------------------------------------------------------------------------------------- */

static int opens(const char *path, int flags)
{
    int fd = pithi_descriptor_open(path, flags | O_WRONLY | O_NOFOLLOW, 0666);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Rank 0 collects which ranks are far, 4096 at a time: each far rank contributes its bit to a sum. If rank 0 has no
 * memory for the list, all stop, so that no process waits. */
static int collect(const struct pith_transport *t, struct pithi_far *far)
{
    uint64_t listed;
    int first, i;
    if (t->rank == 0)
        far->ranks = calloc(((size_t)t->size + 63) / 64, sizeof *far->ranks);
    listed = t->rank != 0 || far->ranks != NULL;
    if (t->reduce(t->context, &listed, 1, PITH_MIN) != 0 || !listed)
        return 0;
    for (first = 0; first < t->size; first += 64 * WORDS) {
        uint64_t words[WORDS] = {0};
        if (far->own && t->rank / (64 * WORDS) == first / (64 * WORDS))
            words[t->rank / 64 % WORDS] = UINT64_C(1) << t->rank % 64;
        if (t->reduce(t->context, words, WORDS, PITH_SUM) != 0)
            return 0;
        for (i = 0; far->ranks != NULL && i < WORDS && first + 64 * i < t->size; i++)
            far->ranks[first / 64 + i] = words[i];
    }
    return 1;
}

int pithi_far_find(const struct pith_transport *t, const char *path, struct pithi_far *far)
{
    uint64_t made = 0, any;
    int good;
    *far = (struct pithi_far){0, 0, NULL};
    if (t->size == 1)
        return 1;
    if (t->rank == 0)
        made = (uint64_t)opens(path, O_CREAT | O_EXCL);
    if (t->bcast(t->context, 0, &made, sizeof made) != 0)
        return 0;
    any = made && t->rank != 0 && !opens(path, 0);
    far->own = any != 0;
    good = t->reduce(t->context, &any, 1, PITH_MAX) == 0;
    if (t->rank == 0 && made)
        unlink(path);
    far->any = good && any != 0;
    return far->any ? collect(t, far) : good;
}

void pithi_far_close(struct pithi_far *far)
{
    free(far->ranks);
    *far = (struct pithi_far){0, 0, NULL};
}

/* ---- Sending ----------------------------------------------------------------------------------------------------- */

int pithi_far_begin(const struct pith_transport *t)
{
    char go;
    if (t->wait != NULL && t->wait(t->context, 0, 1) != 0)
        return -1;
    return t->recv(t->context, 0, &go, sizeof go);
}

int pithi_far_put(const struct pith_transport *t, uint64_t offset, const void *data, size_t size)
{
    struct head head = {offset, size};
    size_t at;
    if (size == 0)
        return 0;
    if (t->send(t->context, 0, &head, sizeof head) != 0)
        return -1;
    for (at = 0; at < size; at += PIECE)
        if (t->send(t->context, 0, (const char *)data + at, size - at < PIECE ? size - at : PIECE) != 0)
            return -1;
    return 0;
}

int pithi_far_end(const struct pith_transport *t)
{
    struct head head = {0, 0};
    return t->send(t->context, 0, &head, sizeof head);
}

/* ---- Writing for others ------------------------------------------------------------------------------------------ */

/* Receives the bytes of the far rank `rank` and writes them into `file`. Receives all of them even after a write error,
 * so that the sender does not hang. *wrong gets the errno of the first error. Returns -1 if the transport failed. */
static int take_from(const struct pith_transport *t, int rank, void *file, int *wrong)
{
    static char data[PIECE]; /* static, because the caller's stack may be small */
    struct head head;
    uint64_t at;
    if (t->send(t->context, rank, data, 1) != 0)
        return -1;
    while (t->recv(t->context, rank, &head, sizeof head) == 0) {
        if (head.size == 0)
            return 0;
        for (at = 0; at < head.size; at += PIECE) {
            size_t size = head.size - at < PIECE ? (size_t)(head.size - at) : PIECE;
            if (t->recv(t->context, rank, data, size) != 0)
                return -1;
            if (*wrong == 0 && t->file_write_at(t->context, file, head.offset + at, data, size) != 0)
                *wrong = errno != 0 ? errno : EIO;
        }
    }
    return -1;
}

int pithi_far_take(const struct pith_transport *t, const struct pithi_far *far, int step, void *file)
{
    int wrong = 0, rank;
    for (rank = step; far->ranks != NULL && rank < t->size; rank += step)
        if ((far->ranks[rank / 64] >> rank % 64 & 1) != 0 && take_from(t, rank, file, &wrong) != 0)
            return 0;
    if (wrong != 0) /* otherwise errno stays that of an earlier failure */
        errno = wrong;
    return wrong == 0;
}
