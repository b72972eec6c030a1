/* merge_file.c - where everybody's bytes stand, and writing them.
 *
 * Volumes. A file that 100,000 processes write to is one more lock of the file system than a file of 1,000, so the
 * segments may be spread over some files: rank r's is in volume 1 + r * volumes / ranks, and the main file has the
 * rest.
 *
 *     10 ranks, 3 volumes: ranks 0 to 3 in PART.1, 4 to 6 in PART.2, 7 to 9 in PART.3
 *
 * The rank table has 80 bytes a rank; so that the file system does not see so many tiny writes, the first of each 64
 * ranks in a row writes for all of them.
 *
 * Ranks that do not see the log's folder (far.h) send their bytes to rank 0, first their segments, then their entries
 * of the rank table. Then there are no volumes, whatever was asked for.
 */
#include "merge_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

enum { GROUP = 64 };

/* ---- Where ------------------------------------------------------------------------------------------------------- */

/* The volume, from 0 on, and its first rank. */
static uint32_t volume_of(const struct merge *merge, int rank)
{
    return (uint32_t)((uint64_t)rank * merge->volumes / (uint64_t)merge->t->size);
}
static int first_of(const struct merge *merge, uint32_t volume)
{
    return (int)(((uint64_t)volume * (uint64_t)merge->t->size + merge->volumes - 1) / merge->volumes);
}

/* A prefix sum over all ranks, less what it was at the volume's first rank. */
static int place_in_volume(struct merge *merge)
{
    uint64_t starts[PITHI_FILES_MAX] = {0};
    uint32_t own = volume_of(merge, merge->t->rank);
    if (merge->t->rank == first_of(merge, own))
        starts[own] = merge->before;
    if (merge->t->reduce(merge->t->context, starts, (int)merge->volumes, PITH_SUM) != 0)
        return 0;
    merge->volume = own + 1;
    merge->base = PITHI_HEADER_SIZE + merge->before - starts[own];
    return 1;
}

/* Signed order in an unsigned reduction. */
static uint64_t biased(int64_t value) { return (uint64_t)value ^ UINT64_C(1) << 63; }
static int64_t unbiased(uint64_t value) { return (int64_t)(value ^ UINT64_C(1) << 63); }

int pithi_merge_sum(struct merge *merge, int good)
{
    const struct pith_transport *t = merge->t;
    struct pithi_totals *all = &merge->totals;
    uint64_t bytes = good ? pithi_encode_size(&merge->encode) : 0;
    uint64_t sums[] = {bytes,         all->records, all->states, all->events,
                       all->messages, all->lost,    all->lanes,  merge->encode.states_left_out};
    uint64_t least[] = {biased(all->start_ns), ~biased(all->end_ns), good != 0}; /* ~: the latest, in the same way */
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
    if (merge->volumes > 1)
        return place_in_volume(merge);
    merge->volumes = 0;
    merge->base += merge->before;
    merge->table += merge->bytes;
    return 1;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static int group_first(const struct merge *merge) { return merge->t->rank - merge->t->rank % GROUP; }

/* 1, or in all processes 0, with errno. Collective. */
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

static int close_files(struct merge *merge)
{
    const struct pith_transport *t = merge->t;
    int good = t->file_close(t->context, merge->main_file) == 0;
    if (merge->volumes != 0)
        good &= t->file_close(t->context, merge->own_file) == 0;
    return good;
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

/* Also in a process that failed: others wait for its entry. */
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

/* The header of the own volume, by its first rank. */
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

/* All that is no rank's own, by rank 0. */
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

/* Rank 0 writes what the far ranks that `step` divides put between these two. */
static int begin_puts(const struct merge *merge)
{
    return !merge->far.own || pithi_far_begin(merge->t) == 0;
}
static int end_puts(const struct merge *merge, int step)
{
    if (merge->far.own)
        return pithi_far_end(merge->t) == 0;
    return merge->t->rank != 0 || pithi_far_take(merge->t, &merge->far, step, merge->main_file);
}

static int write_segments(struct merge *merge, int good, unsigned char *entry)
{
    int begun = begin_puts(merge);
    good = begun && good && write_segment(merge, entry) && write_volume_header(merge);
    return begun && end_puts(merge, 1) && good;
}

static int write_entries(struct merge *merge, const unsigned char *entry)
{
    int first = group_first(merge) == merge->t->rank;
    int good = !first || begin_puts(merge);
    good = write_entry(merge, entry) && good;
    return (!first || end_puts(merge, GROUP)) && good;
}

/* errno tells of the first failure, whatever the transport did after it. */
static int write_all(struct merge *merge, int good)
{
    unsigned char entry[PITHI_RANK_ENTRY_SIZE] = {0};
    int saved;
    good = write_segments(merge, good, entry);
    saved = good ? 0 : errno;
    good &= write_entries(merge, entry);
    if (saved != 0)
        errno = saved;
    return good && (merge->t->rank != 0 || write_frame(merge));
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
    good = write_all(merge, good);
    saved = errno;
    if (!close_files(merge))
        good = 0;
    if (!good)
        fail_at("written", saved != 0 ? saved : EIO);
    return good;
}
