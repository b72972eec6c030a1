/* chrome_states.c - see chrome_states.h. The ends of whole states wait in a heap a lane, so that they need not be
 * nested: times that were rounded to microseconds make neighbours overlap. */
#include "chrome/chrome_states.h"

#include <stdlib.h>

#include "error.h"
#include "native/map.h"

struct ending {
    int64_t end_ns;
    uint64_t order; /* of those that end together the one that began last comes first */
    uint32_t id;
};

struct pithi_chrome_lane {
    struct ending *heap;
    uint32_t count, room;
    uint64_t order;
    uint32_t *open; /* begun, not ended */
    uint32_t open_count, open_room;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

void pithi_chrome_states_free(struct pithi_chrome_states *states)
{
    for (uint32_t i = 0; i < states->count; i++) {
        free(states->lanes[i].heap);
        free(states->lanes[i].open);
    }
    free(states->lanes);
}

/* ---- The heap ---------------------------------------------------------------------------------------------------- */

static int before(const struct ending *a, const struct ending *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

static void push(struct pithi_chrome_lane *lane, struct ending e)
{
    uint32_t at = lane->count++;
    for (; at > 0 && before(&e, &lane->heap[(at - 1) / 2]); at = (at - 1) / 2)
        lane->heap[at] = lane->heap[(at - 1) / 2];
    lane->heap[at] = e;
}

static struct ending pop(struct pithi_chrome_lane *lane)
{
    struct ending top = lane->heap[0], last = lane->heap[--lane->count];
    uint32_t at = 0, child;
    while ((child = 2 * at + 1) < lane->count) {
        child += child + 1 < lane->count && before(&lane->heap[child + 1], &lane->heap[child]);
        if (!before(&lane->heap[child], &last))
            break;
        lane->heap[at] = lane->heap[child];
        at = child;
    }
    lane->heap[at] = last;
    return top;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t kind, uint32_t id)
{
    return pithi_writer_add(
        states->writer, &(struct pithlog_record){
                            .time_ns = time_ns - states->zero_ns, .lane = lane, .kind = kind, .id = id, .peer = -1});
}

static int end_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t until_ns)
{
    struct pithi_chrome_lane *l = &states->lanes[lane];
    int err = PITH_OK;
    while (err == PITH_OK && l->count && l->heap[0].end_ns <= until_ns) {
        struct ending e = pop(l);
        err = add(states, lane, e.end_ns, PITHLOG_LEAVE, e.id);
    }
    return err;
}

/* *l: the lane, with what ended up to now. */
static int advance(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, struct pithi_chrome_lane **l)
{
    while (states->count <= lane) {
        if (!pithi_grow(&states->lanes, states->count, &states->room, sizeof *states->lanes))
            return no_memory();
        states->lanes[states->count++] = (struct pithi_chrome_lane){0};
    }
    *l = &states->lanes[lane];
    return end_whole(states, lane, time_ns);
}

int pithi_chrome_states_begin(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t id)
{
    struct pithi_chrome_lane *l;
    int err;
    TRY(advance(states, lane, time_ns, &l));
    if (!pithi_grow(&l->open, l->open_count, &l->open_room, sizeof *l->open))
        return no_memory();
    l->open[l->open_count++] = id;
    TRY(add(states, lane, time_ns, PITHLOG_ENTER, id));
out:
    return err;
}

int pithi_chrome_states_end(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns)
{
    struct pithi_chrome_lane *l;
    int err;
    TRY(advance(states, lane, time_ns, &l));
    if (l->open_count == 0)
        states->ends_alone++;
    else
        TRY(add(states, lane, time_ns, PITHLOG_LEAVE, l->open[--l->open_count]));
out:
    return err;
}

int pithi_chrome_states_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, int64_t length_ns,
                              uint32_t id)
{
    struct pithi_chrome_lane *l;
    int err;
    TRY(advance(states, lane, time_ns, &l));
    if (!pithi_grow(&l->heap, l->count, &l->room, sizeof *l->heap))
        return no_memory();
    TRY(add(states, lane, time_ns, PITHLOG_ENTER, id));
    push(l, (struct ending){time_ns + length_ns, l->order++, id});
out:
    return err;
}

int pithi_chrome_states_other(struct pithi_chrome_states *states, struct pithlog_record *record)
{
    struct pithi_chrome_lane *l;
    int err;
    TRY(advance(states, record->lane, record->time_ns, &l));
    record->time_ns -= states->zero_ns;
    TRY(pithi_writer_add(states->writer, record));
out:
    return err;
}

int pithi_chrome_states_finish(struct pithi_chrome_states *states)
{
    int err = PITH_OK;
    for (uint32_t lane = 0; err == PITH_OK && lane < states->count; lane++)
        err = end_whole(states, lane, INT64_MAX);
    return err;
}
