/* lost_states.c - see lost_states.h.
 *
 * The pass keeps for each open state how many holes it is known to have survived (`passed`). A recorded LEAVE is the
 * proof: its state was open in all holes since its ENTER, and so were the states around it.
 *
 *     enter A, enter B, enter C, LOST 0, enter D, leave D, leave B, LOST 1
 *
 *     after LOST 0      A, B, C have passed 0 holes; nothing is known yet
 *     enter, leave D    D was entered after hole 0, so its LEAVE proves nothing about hole 0
 *     leave B           prove: A has passed hole 0 (B was left, so it is no longer on the stack)
 *     the end           A has passed 1 of 2 holes: it ended in hole 1. C has passed none: it ended in hole 0
 *
 * If LOST 0 has the number 1, one state ended in hole 0: C ended there, and A and B have passed it. Then nothing about
 * hole 0 is in doubt. */
#include "native/lost_states.h"

#include "base/map.h"

/* The LEAVE of the state at `depth` was recorded: this state was open in all holes since its ENTER. So were the states
 * around it. But a state around it that may already have ended in a hole before this ENTER stays in doubt. */
static void prove(struct pithi_lost_pass *p, uint32_t depth)
{
    uint32_t entered = p->open[depth].entered;
    for (uint32_t i = depth; entered < p->hole_count && i-- > 0;)
        if (p->open[i].passed >= entered)
            p->open[i].passed = p->hole_count;
}

static int push(struct pithi_lost_pass *p, uint32_t id, int64_t enter_ns)
{
    if (p->open_count == PITHI_OPEN_MAX) { /* discards states as the writer does (stack.h) */
        struct pithi_lost_follow *forgotten = p->open + PITHI_OPEN_OUTER;
        p->open_count -= PITHI_OPEN_FORGOTTEN;
        memmove(forgotten, forgotten + PITHI_OPEN_FORGOTTEN, (p->open_count - PITHI_OPEN_OUTER) * sizeof *forgotten);
    }
    if (!pithi_grow(&p->open, p->open_count, &p->room, sizeof *p->open))
        return 0;
    p->open[p->open_count++] = (struct pithi_lost_follow){enter_ns, id, p->hole_count, p->hole_count, 1};
    return 1;
}

int pithi_lost_writer(struct pithi_lost_pass *p, const struct pithi_stack *writer)
{
    uint32_t kept = 0, good = 1;
    for (uint32_t i = 0; i < p->open_count; i++) {
        const struct pithi_open_state *next = &writer->states[kept];
        p->open[i].is_open = kept < writer->count && next->id == p->open[i].id && next->enter_ns == p->open[i].enter_ns;
        kept += p->open[i].is_open;
    }
    /* A state that the writer no longer has open was left by a LEAVE among the missing records. Like any LEAVE, this
     * one proves that the state was open in all holes since its ENTER. */
    for (uint32_t i = p->open_count; i-- > 0;)
        if (!p->open[i].is_open)
            prove(p, i);
    kept = 0;
    for (uint32_t i = 0; i < p->open_count; i++)
        if (p->open[i].is_open)
            p->open[kept++] = p->open[i];
    p->open_count = kept;
    for (uint32_t i = kept; good && i < writer->count; i++)
        good = (uint32_t)push(p, writer->states[i].id, writer->states[i].enter_ns);
    return (int)good;
}

int pithi_lost_record(struct pithi_lost_pass *p, const struct pithlog_record *r, uint32_t block)
{
    if (p->hole_count > 0 && p->holes[p->hole_count - 1].to_ns == INT64_MAX)
        p->holes[p->hole_count - 1].to_ns = r->time_ns;
    if (r->kind == PITHLOG_ENTER)
        return push(p, r->id, r->time_ns);
    uint32_t at = r->kind == PITHLOG_LEAVE ? p->open_count : 0;
    while (at > 0 && p->open[at - 1].id != r->id)
        at--;
    if (at > 0) {
        prove(p, at - 1);
        p->open_count--;
        memmove(p->open + at - 1, p->open + at, (p->open_count - (at - 1)) * sizeof *p->open);
    }
    if (!pithi_lost_is_hole(r, p->begin_ns))
        return 1;
    /* A hole begins. If the LOST record has the number of states that ended in the hole, nothing about this hole is in
     * doubt. */
    struct pithi_lost_hole hole = {r->time_ns, INT64_MAX, block, 0, 0};
    if (p->numbered == p->hole_count && r->got_bytes > 0) {
        p->numbered++;
        hole.gone = r->got_bytes - 1 < PITHI_OPEN_MAX ? (uint32_t)(r->got_bytes - 1) : PITHI_OPEN_MAX;
        p->open_count -= hole.gone < p->open_count ? hole.gone : p->open_count;
        for (uint32_t i = 0; i < p->open_count; i++)
            p->open[i].passed = p->hole_count + 1;
    }
    if (!pithi_grow(&p->holes, p->hole_count, &p->hole_room, sizeof *p->holes))
        return 0;
    p->holes[p->hole_count++] = hole;
    return 1;
}

void pithi_lost_end(struct pithi_lost_pass *p)
{
    for (uint32_t i = 0; i < p->open_count; i++)
        if (p->open[i].passed < p->hole_count)
            p->holes[p->open[i].passed].gone++;
}

void pithi_lost_free(struct pithi_lost_pass *p)
{
    free(p->open);
    free(p->holes);
}
