/* reading.c - shared helpers for readers and writers of foreign files. A binary heap sorts records by time and then by
 * arrival.
 *
 * Arrival matters, because the order of records with the same time matters: leave A, then enter B, both at 20, is not
 * the same as enter B, then leave A.
 *
 * A file is mapped, and after every 4 MiB the memory of the bytes that were read is given back to the system. So
 * reading 10 GB needs no more memory than reading 10 MB. Bytes that are read again come from the file again. */
#include "foreign/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/heap.h"
#include "base/temporary.h"
#include "native/segment.h"

/* Returns the size of the text up to its last newline. A line after this newline was cut while it was written. */
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
    size_t end = at & ~(size_t)(PITHI_PASSED_STEP - 1); /* a multiple of each page size */
    if (input->mapped && at > *passed)
        /* Lets the kernel drop these pages: they were read, and the file still has them. Reading them again only costs
         * time. */
        madvise((void *)(input->data + *passed), end - *passed, MADV_DONTNEED);
    else if (input->mapped) /* the reader has moved to a lower byte */
        madvise((void *)input->data, input->size, MADV_DONTNEED);
    *passed = end;
}

/* Gets the next line without its newline. Returns 0 at the end, and if the file has become shorter since it was
 * opened. */
int pithi_lines_next(struct pithi_lines *lines, const char **line, size_t *size)
{
    if (lines->at >= lines->size || !pithi_input_at(lines->input, lines->at))
        return 0;
    *line = (const char *)lines->input->data + lines->at;
    /* The last line may have no newline. */
    const char *newline = memchr(*line, '\n', lines->size - lines->at);
    *size = newline ? (size_t)(newline - *line) : lines->size - lines->at;
    pithi_passed(lines->input, &lines->passed, lines->at);
    lines->at += *size + 1;
    lines->number++;
    return 1;
}

int pithi_lines_wrong(const struct pithi_lines *lines, const char *what)
{
    return pithi_fail(PITH_ERR_DAMAGED, "%s: line %" PRIu64 ": %s", lines->input->path, lines->number, what);
}

/* Runs a writer that must seek. If the output is a pipe, the writer fills a temporary file, which is then copied. */
int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how))
{
    FILE *whole;
    int err, fd;

    /* `out` can be used if it is seekable and at byte 0. After other data, the offsets in the file would be wrong. */
    if (fseeko(out, 0, SEEK_CUR) == 0 && ftello(out) == 0)
        return write(log, out, how);
    fd = pithi_temporary_file();
    whole = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!whole) {
        err = pithi_temporary_failed("made");
        if (fd >= 0)
            close(fd);
        return err;
    }
    /* If `write` failed because the disk is full, the error must say that. */
    err = write(log, whole, how);
    if (ferror(whole) || (err == PITH_OK && fflush(whole) != 0))
        err = pithi_temporary_failed("written");
    else if (err == PITH_OK && pithi_temporary_copy(fd, out) != 0)
        err = pithi_fail(PITH_ERR_IO, "the log cannot be written: %s", strerror(errno));
    fclose(whole);
    return err;
}

/* ---- Leaves without an enter ------------------------------------------------------------------------------------- */

/* The number that a state gets if the file has a LOST record inside it. No LOST record need be added for such a state:
 * if it is never left, it ends at that record. */
enum { ENDS_AT_LOST = -1 };

/* Gives this number to all open states that have none. States that have a number contain those that have none, so the
 * loop ends at the first state that has one. */
static void number_states(struct pithi_stack *stack, int64_t number)
{
    for (uint32_t i = stack->count; i-- > 0 && stack->states[i].enter_ns == 0;)
        stack->states[i].enter_ns = number;
}

int pithi_leaves_look(struct pithi_leaves *leaves, const struct pithlog_record *record)
{
    struct pithi_open_state ended;
    struct pithi_stack *stack;
    uint32_t depth;

    /* Records are lost here, and the ends of open states may be among them. */
    if (record->kind == PITHLOG_LOST && record->lane < leaves->lane_count && record->bytes > 0) {
        number_states(&leaves->lanes[record->lane], ENDS_AT_LOST);
        return PITH_OK;
    }
    if (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE)
        return PITH_OK;
    /* A lane is added at its first record. */
    for (; record->lane >= leaves->lane_count; leaves->lane_count++) {
        if (!pithi_grow(&leaves->lanes, leaves->lane_count, &leaves->lane_room, sizeof *leaves->lanes))
            return pithi_no_memory();
        leaves->lanes[leaves->lane_count] = (struct pithi_stack){0};
    }
    stack = &leaves->lanes[record->lane];
    if (record->kind == PITHLOG_ENTER)
        return pithi_stack_enter(stack, record->id, 0) ? PITH_OK : pithi_no_memory();
    /* The leave has its enter, so nothing is wrong. */
    if (pithi_stack_leave(stack, record->id, 0, &ended, &depth))
        return PITH_OK;
    /* This leave has no enter, so it gets a number. All open states that have no number get this number, because the
     * leave lies inside them. */
    number_states(stack, (int64_t)++leaves->alone);
    /* In the second reading, a LOST record is added before this leave if again->numbers contains its number. Then the
     * leave lies inside a state that is never left. The numbers are sorted, and the leaves come in the same order as
     * before, so one position in the list is enough. */
    const struct pithi_again *again = leaves->input->again;
    if (!again || !again->is_second || leaves->next >= again->count || again->numbers[leaves->next] != leaves->alone)
        return PITH_OK;
    leaves->next++;
    return pithi_writer_add(
        leaves->writer,
        &(struct pithlog_record){
            .time_ns = record->time_ns, .lane = record->lane, .kind = PITHLOG_LOST, .peer = -1, .bytes = 1});
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int pithi_leaves_end(struct pithi_leaves *leaves)
{
    struct pithi_again *again = leaves->input->again;
    uint32_t kept = 0;

    if (!again || again->is_second)
        return PITH_OK;
    /* If a state that is still open at the end has a number, a LOST record is missing before the leave with this
     * number. Such numbers are collected, and the file is read again with them. */
    for (uint32_t lane = 0; lane < leaves->lane_count; lane++)
        for (uint32_t i = 0; i < leaves->lanes[lane].count; i++) {
            int64_t number = leaves->lanes[lane].states[i].enter_ns;
            if (number <= 0)
                continue;
            if (!pithi_grow(&again->numbers, again->count, &again->room, sizeof *again->numbers))
                return pithi_no_memory();
            again->numbers[again->count++] = (uint64_t)number;
        }
    if (again->count > 0)
        qsort(again->numbers, again->count, sizeof *again->numbers, by_number);
    for (uint32_t i = 0; i < again->count; i++) /* several states may have the same number */
        if (kept == 0 || again->numbers[kept - 1] != again->numbers[i])
            again->numbers[kept++] = again->numbers[i];
    again->count = kept;
    return PITH_OK;
}

void pithi_leaves_free(struct pithi_leaves *leaves)
{
    for (uint32_t i = 0; i < leaves->lane_count; i++)
        free(leaves->lanes[i].states);
    free(leaves->lanes);
    leaves->lanes = NULL;
    leaves->lane_count = leaves->lane_room = 0;
}

/* ---- Records out of order ---------------------------------------------------------------------------------------- */

struct pithi_reorder_waiting {
    struct pithlog_record record; /* the payload is malloc'ed */
    uint64_t order;               /* counts arrivals, to order records with the same time */
};

static int before(const void *a, const void *b)
{
    const struct pithi_reorder_waiting *x = a, *y = b;
    return x->record.time_ns != y->record.time_ns ? x->record.time_ns < y->record.time_ns : x->order < y->order;
}

/* Adds a record to the log, unless the reader's callback `drops` leaves it out. Receives get their numbers here,
 * because only now their order is known. */
static int emit(struct pithi_reorder *reorder, const struct pithlog_record *record)
{
    int drops = reorder->drops ? reorder->drops(reorder->context, record) : 0;

    if (drops)
        return drops < 0 ? pithi_no_memory() : PITH_OK;
    if (reorder->leaves)
        CHECK(pithi_leaves_look(reorder->leaves, record));
    if (record->kind != PITHLOG_RECV || !reorder->counts_receives)
        return pithi_writer_add(reorder->writer, record);
    struct pithlog_record receive = *record;
    uint64_t *count = pithi_map_at(&reorder->received, record->posted);
    if (!count)
        /* Up to this point, `posted` of a receive identifies its receiver. */
        return pithi_no_memory();
    receive.posted = (*count)++;
    return pithi_writer_add(reorder->writer, &receive);
}

static int emit_first(struct pithi_reorder *reorder)
{
    struct pithi_reorder_waiting first;
    int err;

    /* Takes the earliest record from the heap. If it is earlier than a record that was already emitted, the window was
     * too small for it, and it is counted. */
    pithi_heap_take(reorder->heap, &reorder->count, &first, sizeof first, before);
    if (reorder->has_last && first.record.time_ns < reorder->last_ns)
        reorder->late++;
    else
        reorder->last_ns = first.record.time_ns;
    reorder->has_last = 1;
    err = emit(reorder, &first.record);
    free((void *)first.record.payload);
    return err;
}

int pithi_reorder_add(struct pithi_reorder *reorder, const struct pithlog_record *record)
{
    struct pithi_reorder_waiting w = {*record, reorder->order++};

    if (!reorder->is_needed)
        return emit(reorder, record);
    /* If the window is full, emits its earliest record. */
    if (reorder->count == PITHI_REORDER_WINDOW)
        CHECK(emit_first(reorder));
    /* Copies the payload, which is valid during this call only. */
    w.record.payload = record->payload_bytes ? malloc(record->payload_bytes) : NULL;
    if ((record->payload_bytes && !w.record.payload) ||
        !pithi_grow(&reorder->heap, reorder->count, &reorder->room, sizeof *reorder->heap)) {
        free((void *)w.record.payload);
        return pithi_no_memory();
    }
    if (record->payload_bytes)
        memcpy((void *)w.record.payload, record->payload, record->payload_bytes);
    pithi_heap_add(reorder->heap, &reorder->count, &w, sizeof w, before);
    return PITH_OK;
}

/* Ends a state, begins a state, or does both, because a number of MPE may end a state and begin the next one. `info` is
 * added inside its state, that is, before the leave or after the enter. */
int pithi_reorder_states(struct pithi_reorder *reorder, struct pithlog_record *record, uint32_t ends, uint32_t starts,
                         const struct pithlog_record *info)
{
    if (info && !starts)
        CHECK(pithi_reorder_add(reorder, info));
    if (ends) {
        record->kind = PITHLOG_LEAVE;
        record->id = ends - 1;
        CHECK(pithi_reorder_add(reorder, record));
    }
    if (starts) {
        record->kind = PITHLOG_ENTER;
        record->id = starts - 1;
        CHECK(pithi_reorder_add(reorder, record));
    }
    return info && starts ? pithi_reorder_add(reorder, info) : PITH_OK;
}

int pithi_reorder_end(struct pithi_reorder *reorder)
{
    int err = PITH_OK;

    while (reorder->count && !err)
        err = emit_first(reorder);
    return err;
}

void pithi_reorder_free(struct pithi_reorder *reorder)
{
    for (uint32_t i = 0; i < reorder->count; i++)
        free((void *)reorder->heap[i].record.payload);
    free(reorder->heap);
    pithi_map_free(&reorder->received);
}
