/* reading.c - shared helpers for readers and writers of foreign files. A binary heap sorts records by time and then by
 * arrival. */
#include "foreign/reading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

size_t pithi_whole_lines(const struct pithi_input *input)
{
    const unsigned char *newline = input->size ? memrchr(input->data, '\n', input->size) : NULL;
    return newline ? (size_t)(newline + 1 - input->data) : 0;
}

int pithi_ends_here(struct pithi_writer *writer, const struct pithi_input *input, const char *where)
{
    return pithi_incomplete(pithi_writer_defs(writer), "byte %zu: the file ends here, %s", input->size, where);
}

void pithi_passed_drop(const struct pithi_input *input, size_t *passed, size_t at)
{
    size_t end = at & ~(size_t)(PITHI_PASSED_STEP - 1); /* whole pages, whatever their size */
    if (input->mapped && at > *passed)
        madvise((void *)(input->data + *passed), end - *passed, MADV_DONTNEED);
    else if (input->mapped) /* the reader starts again at a lower byte */
        madvise((void *)input->data, input->size, MADV_DONTNEED);
    *passed = end;
}

static int copy(FILE *from, FILE *to)
{
    char bytes[65536];
    size_t size;

    rewind(from);
    while ((size = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, size, to) != size)
            break;
    if (ferror(from) || ferror(to) || fflush(to) != 0)
        return pithi_fail(PITH_ERR_IO, "the log cannot be written");
    return PITH_OK;
}

int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how))
{
    FILE *whole;
    int err;

    if (fseeko(out, 0, SEEK_CUR) == 0 && ftello(out) == 0)
        return write(log, out, how);
    whole = tmpfile();
    if (!whole)
        return pithi_fail(PITH_ERR_IO, "no temporary file can be made");
    TRY(write(log, whole, how));
    TRY(copy(whole, out));
out:
    fclose(whole);
    return err;
}

struct waiting {
    struct pithlog_record record; /* the payload is malloc'ed */
    uint64_t order;
};

struct pithi_reorder {
    int (*emit)(void *context, const struct pithlog_record *record);
    void *context;
    uint64_t order, late;
    int64_t last_ns; /* time of the last record emitted */
    uint32_t count, size;
    struct waiting *heap;
};

int pithi_reorder_new(struct pithi_reorder **reorder, int (*emit)(void *, const struct pithlog_record *), void *context)
{
    *reorder = calloc(1, sizeof **reorder);
    if (!*reorder)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    (*reorder)->emit = emit;
    (*reorder)->context = context;
    (*reorder)->last_ns = INT64_MIN;
    return PITH_OK;
}

static int before(const struct waiting *a, const struct waiting *b)
{
    return a->record.time_ns != b->record.time_ns ? a->record.time_ns < b->record.time_ns : a->order < b->order;
}

static void sift_up(struct waiting *heap, uint32_t place, struct waiting w)
{
    while (place > 0 && before(&w, &heap[(place - 1) / 2])) {
        heap[place] = heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    heap[place] = w;
}

static void sift_down(struct waiting *heap, uint32_t count, struct waiting w)
{
    uint32_t place = 0, child;

    while ((child = 2 * place + 1) < count) {
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &w))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = w;
}

static int give_one(struct pithi_reorder *reorder)
{
    struct pithlog_record record = reorder->heap[0].record;
    int err;

    reorder->count--;
    if (reorder->count)
        sift_down(reorder->heap, reorder->count, reorder->heap[reorder->count]);
    reorder->late += record.time_ns < reorder->last_ns;
    reorder->last_ns = record.time_ns > reorder->last_ns ? record.time_ns : reorder->last_ns;
    err = reorder->emit(reorder->context, &record);
    free((void *)record.payload);
    return err;
}

static int make_room(struct pithi_reorder *reorder)
{
    uint32_t size = reorder->size ? 2 * reorder->size : 1024;
    struct waiting *heap;

    if (reorder->count < reorder->size)
        return PITH_OK;
    if (reorder->size >= PITHI_REORDER_WINDOW)
        return give_one(reorder);
    heap = realloc(reorder->heap, size * sizeof *heap);
    if (!heap)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    reorder->heap = heap;
    reorder->size = size;
    return PITH_OK;
}

int pithi_reorder_add(struct pithi_reorder *reorder, const struct pithlog_record *record)
{
    struct waiting w = {*record, reorder->order++};
    int err;

    TRY(make_room(reorder));
    w.record.payload = NULL;
    if (record->payload_bytes) {
        void *copy = malloc(record->payload_bytes);
        if (!copy)
            return pithi_fail(PITH_ERR_MEMORY, "out of memory");
        w.record.payload = memcpy(copy, record->payload, record->payload_bytes);
    }
    sift_up(reorder->heap, reorder->count++, w);
out:
    return err;
}

int pithi_reorder_end(struct pithi_reorder *reorder)
{
    int err = PITH_OK;

    while (reorder->count && !err)
        err = give_one(reorder);
    return err;
}

uint64_t pithi_reorder_late(const struct pithi_reorder *reorder) { return reorder->late; }

void pithi_reorder_free(struct pithi_reorder *reorder)
{
    if (!reorder)
        return;
    for (uint32_t i = 0; i < reorder->count; i++)
        free((void *)reorder->heap[i].record.payload);
    free(reorder->heap);
    free(reorder);
}
