/* reading.c - shared helpers for readers and writers of foreign files.
 *
 * If the records of a file are not in order of time, a binary heap (pithi_reorder) sorts them by time. Records with the
 * same time keep the order of the file, because their order has a meaning: leave A, then enter B, both at 20, is not
 * the same as enter B, then leave A.
 *
 * A file is mapped, and after every 4 MiB the memory of the bytes that were read is given back to the system. So
 * reading 10 GB needs no more memory than reading 10 MB. If a reader goes back to such bytes, the system reads them
 * from the file again. */
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
        /* Lets the kernel drop the pages that were read. The file still has them, so reading them again only costs
         * time. */
        madvise((void *)(input->data + *passed), end - *passed, MADV_DONTNEED);
    else if (input->mapped) /* the reader has gone back to a lower byte, so all pages may be in memory */
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

/* Calls `write`, which needs an output in which it can seek. If `out` is a pipe, `write` fills a temporary file, which
 * is then copied to `out`. */
int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how))
{
    FILE *whole;
    int err, fd;

    /* Uses `out` itself only if it is seekable and at byte 0. If it already had other data, the offsets that `write`
     * puts into the file would be wrong. */
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
    /* If `write` failed because the temporary file cannot grow, replaces its error by one that says so. */
    err = write(log, whole, how);
    if (ferror(whole) || (err == PITH_OK && fflush(whole) != 0))
        err = pithi_temporary_failed("written");
    else if (err == PITH_OK && pithi_temporary_copy(fd, out) != 0)
        err = pithi_fail(PITH_ERR_IO, "the log cannot be written: %s", strerror(errno));
    fclose(whole);
    return err;
}

/* ---- Leaves without an enter ------------------------------------------------------------------------------------- */

/* Stands in place of the number of a leave (struct pithi_leaves) if the file itself has a LOST record inside a state.
 * No LOST record need be added for this state, because it ends at the file's LOST record if it is never left. */
enum { ENDS_AT_LOST = -1 };

/* Gives `number` to all open states that have no number. The loop goes from the innermost state outwards and ends at
 * the first state with a number, because all states around it have a number, too. */
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

    /* The ends of open states may be among the records that are lost here. So no LOST record need be added for these
     * states. */
    if (record->kind == PITHLOG_LOST && record->lane < leaves->lane_count && record->bytes > 0) {
        number_states(&leaves->lanes[record->lane], ENDS_AT_LOST);
        return PITH_OK;
    }
    if (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE)
        return PITH_OK;
    /* Adds the lane at its first record. */
    for (; record->lane >= leaves->lane_count; leaves->lane_count++) {
        if (!pithi_grow(&leaves->lanes, leaves->lane_count, &leaves->lane_room, sizeof *leaves->lanes))
            return pithi_no_memory();
        leaves->lanes[leaves->lane_count] = (struct pithi_stack){0};
    }
    stack = &leaves->lanes[record->lane];
    if (record->kind == PITHLOG_ENTER)
        return pithi_stack_enter(stack, record->id, 0) ? PITH_OK : pithi_no_memory();
    /* Nothing is wrong if the leave has its enter. */
    if (pithi_stack_leave(stack, record->id, 0, &ended, &depth))
        return PITH_OK;
    /* This leave has no enter, so it gets a number. All open states that have no number get this number, because the
     * leave lies inside them. */
    number_states(stack, (int64_t)++leaves->alone);
    /* The first reading of the file has put into again->numbers the numbers of the leaves that lie inside a state that
     * is never left. In the second reading, adds a LOST record before each of these leaves. The list is sorted and the
     * leaves come in the same order again, so only the next number of the list need be compared. */
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
    /* Collects the numbers of the states that are still open at the end. Before the leave with such a number, the log
     * needs a LOST record. If there is any, the caller reads the file a second time, which adds these LOST records. */
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
    uint64_t order;               /* place of the record in the file; decides if two records have the same time */
};

static int before(const void *a, const void *b)
{
    const struct pithi_reorder_waiting *x = a, *y = b;
    return x->record.time_ns != y->record.time_ns ? x->record.time_ns < y->record.time_ns : x->order < y->order;
}

/* Adds a record to the log, unless the reader's callback `drops` leaves it out. If reorder->counts_receives is 1, also
 * numbers the receives, because only after the sort their order is known. */
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
    /* Up to this point, `posted` of a receive identifies its receiver. From here on, it is the receive's number. */
    uint64_t *count = pithi_map_at(&reorder->received, record->posted);
    if (!count)
        return pithi_no_memory();
    receive.posted = (*count)++;
    return pithi_writer_add(reorder->writer, &receive);
}

static int emit_first(struct pithi_reorder *reorder)
{
    struct pithi_reorder_waiting first;
    int err;

    /* Takes the earliest record from the heap. Counts it as late if a later record was already emitted, because then
     * the window was too small. */
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

/* Ends a state, begins a state, or does both, because in MPE's formats one event may end a state and begin the next
 * one. Adds `info` inside its state, that is, after the enter if a state begins, otherwise before the leave. */
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
