/* spill_trim.c - completes a lane whose beginning is missing (spill_trim.h). It follows the open states by their ids in
 * the log.
 *
 * At a cut, two lists of states are compared from the outermost state inwards: the states that are open after the
 * records before the cut, and the states that the chunk after the cut lists as open at its start.
 *
 *     by the records          main solve write
 *     by the next chunk       main solve read          so: leave write, enter read; main and solve stay open
 *
 * So a state that is open on both sides of a cut stays one state with its whole length. Only states on which the lists
 * differ are left and entered, at the time of the cut.
 */
#include "spill/spill_trim.h"

#include <stdio.h>

#include "base/error.h"
#include "spill/spill_chunk.h"

void pithi_spill_window_text(const struct pithi_spill_page *page, char *text, size_t size)
{
    double from = page->from_ns > page->zero_ns ? (double)pithi_ns_apart(page->from_ns, page->zero_ns) / 1e9 : 0;
    if (page->zero_ns == 0)
        snprintf(text, size, "%s", "");
    else if (page->to_ns == INT64_MAX)
        snprintf(text, size, "%.9g to end", from);
    else
        snprintf(text, size, "%.9g to %.9g", from, (double)pithi_ns_apart(page->to_ns, page->zero_ns) / 1e9);
}

int pithi_spill_is_cut(const struct pithi_spill *spill, const struct pithi_spill_lane *lane)
{
    uint32_t i;
    if (spill->still || spill->page.zero_ns != 0)
        return 1;
    for (i = 0; i < lane->count; i++)
        if (spill->chunks[lane->first + i].seq != i)
            return 1;
    return 0;
}

/* Passes a record to the caller. */
static int give(struct pithi_spill_trim *trim, const struct pithlog_record *record)
{
    trim->added++;
    trim->last_ns = record->time_ns;
    return trim->add(trim->context, record);
}

static int give_state(struct pithi_spill_trim *trim, uint32_t kind, uint32_t id, int64_t time_ns)
{
    struct pithlog_record record = {
        .kind = kind, .lane = trim->walk->lane_id, .id = id, .peer = -1, .time_ns = time_ns};
    return give(trim, &record);
}

/* Enters the states that are open where the lane's first record or cut in the window lies. */
static int enter_window(struct pithi_spill_trim *trim)
{
    uint32_t i;
    int err = PITH_OK;
    trim->entered = 1;
    for (i = 0; i < trim->open.count && err == PITH_OK; i++)
        err = give_state(trim, PITHLOG_ENTER, trim->open.states[i].id, trim->from_ns);
    return err;
}

/* Leaves states, innermost first, until `keep` are open. */
static int leave_states(struct pithi_spill_trim *trim, uint32_t keep, int64_t time_ns)
{
    int err = PITH_OK;
    for (; trim->open.count > keep && err == PITH_OK; trim->open.count--)
        if (trim->entered)
            err = give_state(trim, PITHLOG_LEAVE, trim->open.states[trim->open.count - 1].id, time_ns);
    trim->above = 0;
    return err;
}

/* Leaves the states that are open at the end of the window. */
static int leave_window(struct pithi_spill_trim *trim)
{
    int err = PITH_OK;
    trim->over = 1;
    if (!trim->entered)
        err = enter_window(trim);
    return err != PITH_OK ? err : leave_states(trim, 0, trim->to_ns);
}

static int enter_state(struct pithi_spill_trim *trim, uint32_t id, int64_t time_ns)
{
    if (!pithi_stack_enter(&trim->open, id, time_ns))
        return pithi_no_memory();
    return trim->entered ? give_state(trim, PITHLOG_ENTER, id, time_ns) : PITH_OK;
}

/* Returns 1 if the open state with index `at` has this id. The outermost state has index 0. */
static int is_open(const struct pithi_spill_trim *trim, uint32_t at, uint32_t id)
{
    return at < trim->open.count && trim->open.states[at].id == id;
}

/* Adjusts the list of open states to the states that are known to be open at a cut (NULL: not known): leaves states
 * that are not in `known`, and enters states that are only in `known`. */
static int take_open(struct pithi_spill_trim *trim, const struct pithi_spill_open *known, int64_t time_ns)
{
    const struct pithi_spill_walk *walk = trim->walk;
    uint32_t i, times, same = 1, count = trim->before.count, at = 0;
    int err = PITH_OK;
    /* at the first cut, enters the states that event numbers began before it; they are outside of all other states */
    for (i = trim->cuts++ == 0 ? count : 0; i > 0 && err == PITH_OK; i--)
        err = enter_state(trim, trim->before.states[i - 1].id, time_ns);
    while (at < count && is_open(trim, at, trim->before.states[count - 1 - at].id))
        at++;
    for (i = 0; known != NULL && i < known->count && err == PITH_OK; i++) {
        uint32_t id = pithi_open_id(known->entries[i]);
        if (id >= walk->id_count || walk->ids[id] == UINT32_MAX || walk->spill->defs[id].kind != PITHLOG_STATE)
            continue;
        times = pithi_open_times(known->entries[i]);
        for (; times > 0 && at < PITHI_OPEN_MAX && err == PITH_OK; times--, at++) {
            if (same && is_open(trim, at, walk->ids[id]))
                continue;
            if (same)
                err = leave_states(trim, at, time_ns);
            same = 0;
            if (err == PITH_OK)
                err = enter_state(trim, walk->ids[id], time_ns);
        }
    }
    if (same && err == PITH_OK)
        err = leave_states(trim, at, time_ns);
    if (known != NULL)
        trim->above += known->above;
    return err;
}

/* Handles a cut; the first record after the cut is at `before_ns`. */
static int take_cut(struct pithi_spill_trim *trim, int64_t before_ns)
{
    int64_t time_ns = pithi_spill_walk_ns(trim->walk, trim->walk->cut_ticks);
    int err = PITH_OK;
    trim->walk->cut = 0;
    if (time_ns > before_ns)
        time_ns = before_ns;
    if (time_ns < trim->last_ns)
        time_ns = trim->last_ns;
    if (time_ns > trim->to_ns)
        return leave_window(trim);
    if (time_ns >= trim->from_ns && !trim->entered)
        err = enter_window(trim);
    return err != PITH_OK ? err : take_open(trim, trim->walk->open, time_ns);
}

/* Takes a record. A record before the window only changes the list of open states. At the first record in the window,
 * the states that are open are entered. */
static int take(struct pithi_spill_trim *trim, struct pithlog_record *record)
{
    struct pithi_open_state ended;
    uint32_t depth;
    if (record->time_ns > trim->to_ns)
        return leave_window(trim);
    if (record->time_ns >= trim->from_ns && !trim->entered)
        CHECK(enter_window(trim));
    if (record->kind == PITHLOG_ENTER && !pithi_stack_enter(&trim->open, record->id, record->time_ns))
        return pithi_no_memory();
    if (record->kind == PITHLOG_LEAVE &&
        (trim->above > 0 || !pithi_stack_leave(&trim->open, record->id, record->time_ns, &ended, &depth))) {
        trim->above -= trim->above > 0;
        trim->dropped += trim->entered;
        return PITH_OK;
    }
    if (!trim->entered) {
        /* The order number of the first receive that is kept becomes 0. A receive that was posted later, but completed
         * before the window, is left out; an empty receive gets its order number, so that no number is missing
         * (match.c). */
        struct pithlog_record filler = {.kind = PITHLOG_RECV, .lane = record->lane, .comm = record->comm, .peer = -1};
        if (record->kind != PITHLOG_RECV || record->posted <= trim->first_posted || record->time_ns >= trim->from_ns)
            return PITH_OK;
        filler.posted = record->posted - trim->first_posted;
        filler.time_ns = trim->from_ns;
        return give(trim, &filler);
    }
    if (record->kind == PITHLOG_RECV && record->posted >= trim->first_posted)
        record->posted -= trim->first_posted;
    return give(trim, record);
}

uint64_t pithi_spill_first_posted(struct pithi_spill_walk *walk, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_record record = {.peer = -1};
    uint64_t first = UINT64_MAX;
    while (pithi_spill_next(walk, &record) && record.time_ns <= to_ns)
        if (record.kind == PITHLOG_RECV && record.time_ns >= from_ns && record.posted < first)
            first = record.posted;
    return first;
}

int pithi_spill_before(struct pithi_spill_walk *walk, struct pithi_stack *before)
{
    struct pithlog_record record = {.peer = -1};
    struct pithi_open_state ended;
    struct pithi_stack open = {0};
    uint32_t depth;
    int good = 1;
    while (good && pithi_spill_next(walk, &record)) {
        if (!walk->by_number || record.kind > PITHLOG_LEAVE)
            continue;
        walk->by_number = 0;
        if (record.kind == PITHLOG_ENTER)
            good = pithi_stack_enter(&open, record.id, record.time_ns);
        else if (!pithi_stack_leave(&open, record.id, record.time_ns, &ended, &depth))
            good = pithi_stack_enter(before, record.id, record.time_ns);
    }
    free(open.states);
    return good ? PITH_OK : pithi_no_memory();
}

int pithi_spill_trim(struct pithi_spill_trim *trim)
{
    struct pithlog_record record = {.peer = -1};
    int err = PITH_OK;
    trim->last_ns = INT64_MIN;
    trim->entered = trim->from_ns == INT64_MIN;
    while (err == PITH_OK && pithi_spill_next(trim->walk, &record)) {
        if (record.kind == PITHLOG_LOST)
            trim->told += record.bytes;
        if (trim->walk->cut && !trim->over)
            err = take_cut(trim, record.time_ns);
        if (err == PITH_OK && !trim->over)
            err = take(trim, &record);
    }
    if (err == PITH_OK && trim->walk->cut && !trim->over)
        err = take_cut(trim, INT64_MAX);
    if (err == PITH_OK && trim->alive_at_end && !trim->over)
        err = leave_window(trim);
    free(trim->open.states);
    trim->open = (struct pithi_stack){0};
    return err;
}
