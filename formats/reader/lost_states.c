/* lost_states.c - one pass over a lane finds the states that ended in holes of LOST records. */
#include "reader/lost_states.h"

#include "base/error.h"
#include "base/map.h"
#include "reader/lane_cursor.h"
#include "reader/match.h"

/* A state of the writer's stack. */
struct open_state {
    int64_t enter_ns;
    uint32_t id;
    uint32_t entered; /* number of holes before its ENTER */
    uint32_t passed;  /* it is known to be open after the holes before this one */
    uint32_t is_open; /* for catch_up */
};

struct passing {
    struct open_state *open;
    uint32_t count, room;
    struct pithi_lost_hole *holes;
    uint32_t hole_count, hole_room;
    uint32_t block;     /* of the current record */
    uint32_t is_behind; /* of the writer's stack, at the first record and after other holes */
};

/* A state's LEAVE was recorded: it was open in all holes since its ENTER, and so were those around it. */
static void prove(struct passing *p, uint32_t depth)
{
    uint32_t entered = p->open[depth].entered;
    for (uint32_t i = depth; entered < p->hole_count && i-- > 0;)
        if (p->open[i].passed >= entered)
            p->open[i].passed = p->hole_count;
}

static int push(struct passing *p, uint32_t id, int64_t enter_ns)
{
    if (p->count == PITHI_OPEN_MAX) { /* as the writer does */
        struct open_state *forgotten = p->open + PITHI_OPEN_OUTER;
        p->count -= PITHI_OPEN_FORGOTTEN;
        memmove(forgotten, forgotten + PITHI_OPEN_FORGOTTEN, (p->count - PITHI_OPEN_OUTER) * sizeof *forgotten);
    }
    if (!pithi_grow(&p->open, p->count, &p->room, sizeof *p->open))
        return 0;
    p->open[p->count++] = (struct open_state){enter_ns, id, p->hole_count, p->hole_count, 1};
    return 1;
}

/* After a damaged block, the writer's stack is known again. States that it lacks were left meanwhile. */
static int catch_up(struct passing *p, const struct pithi_stack *writer)
{
    uint32_t kept = 0, good = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct pithi_open_state *next = &writer->states[kept];
        p->open[i].is_open = kept < writer->count && next->id == p->open[i].id && next->enter_ns == p->open[i].enter_ns;
        kept += p->open[i].is_open;
    }
    for (uint32_t i = p->count; i-- > 0;)
        if (!p->open[i].is_open)
            prove(p, i);
    kept = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->open[i].is_open)
            p->open[kept++] = p->open[i];
    p->count = kept;
    for (uint32_t i = kept; good && i < writer->count; i++)
        good = (uint32_t)push(p, writer->states[i].id, writer->states[i].enter_ns);
    return (int)good;
}

static int take(struct passing *p, const struct pithlog *log, const struct pithlog_record *r)
{
    if (r->kind == PITHLOG_ENTER)
        return push(p, r->id, r->time_ns);
    if (r->kind == PITHLOG_LEAVE && r->depth < p->count) {
        prove(p, r->depth);
        p->count--;
        memmove(p->open + r->depth, p->open + r->depth + 1, (p->count - r->depth) * sizeof *p->open);
    }
    if (!pithi_match_is_hole(log, r))
        return 1;
    if (!pithi_grow(&p->holes, p->hole_count, &p->hole_room, sizeof *p->holes))
        return 0;
    p->holes[p->hole_count++] = (struct pithi_lost_hole){r->time_ns, p->block, 0};
    return 1;
}

static void fall_behind(void *context, uint32_t lane)
{
    struct passing *p = context;
    (void)lane;
    p->is_behind = 1;
}

/* The time of the first block with a LOST record. */
static int64_t begin_of(struct pithlog *log, const struct pithi_log_lane *lane)
{
    struct pithi_log_window window = {0};
    struct pithi_log_block block;
    for (uint32_t i = 0; i < lane->block_count; i++)
        if (pithi_log_block(log, lane, i, &window, &block) == PITH_OK && block.kinds >> PITHLOG_LOST & 1)
            return block.first_ns;
    return lane->seen.first_ns;
}

static int pass(struct passing *p, struct pithlog *log, uint32_t number, const struct pithi_log_lane *lane)
{
    struct pithlog_query query = {.from_ns = begin_of(log, lane),
                                  .to_ns = INT64_MAX,
                                  .lanes = &number,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_LOST,
                                  .flags = PITHLOG_NEST};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    int status, good = 1;
    CHECK(pithlog_iter_open(log, &query, &iter));
    const struct pithi_cursor *c = iter->cursors;
    pithi_iter_tell_holes(iter, (struct pithi_holes){fall_behind, p});
    p->is_behind = 1;
    while (good && (status = pithlog_iter_next(iter, &r)) != 0) {
        p->block = c->next_block - 1;
        if (status < 0)
            continue;
        int is_known = p->is_behind && r.kind <= PITHLOG_LEAVE; /* the stack has it already */
        good = (!p->is_behind || catch_up(p, &c->stack)) && (is_known || take(p, log, &r));
        p->is_behind = 0;
    }
    pithlog_iter_close(iter);
    return good ? PITH_OK : pithi_no_memory();
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_gone *x = a, *y = b;
    if (x->enter_ns != y->enter_ns)
        return x->enter_ns < y->enter_ns ? -1 : 1;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->hole > y->hole) - (x->hole < y->hole);
}

/* The result, in one piece of memory. NULL: no memory. */
static struct pithi_lost_states *result_of(const struct passing *p)
{
    struct pithi_lost_states *lost =
        malloc(sizeof *lost + p->count * sizeof *lost->gone + p->hole_count * sizeof *lost->holes);
    if (!lost)
        return NULL;
    *lost = (struct pithi_lost_states){.hole_count = p->hole_count, .gone = (struct pithi_gone *)(lost + 1)};
    lost->holes = (struct pithi_lost_hole *)(lost->gone + p->count);
    if (p->hole_count > 0)
        memcpy(lost->holes, p->holes, p->hole_count * sizeof *lost->holes);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct open_state *state = &p->open[i];
        if (state->passed == p->hole_count)
            continue;
        lost->holes[state->passed].gone++;
        lost->gone[lost->gone_count++] = (struct pithi_gone){state->enter_ns, state->id, state->passed};
    }
    qsort(lost->gone, lost->gone_count, sizeof *lost->gone, by_time);
    return lost;
}

int pithi_lost_states_get(struct pithlog *log, uint32_t number, const struct pithi_lost_states **found)
{
    struct pithi_lost_states *lost = __atomic_load_n(&log->lost[number], __ATOMIC_ACQUIRE), *none = NULL;
    struct passing p = {0};
    const struct pithi_log_lane *lane;
    int err = PITH_OK;
    *found = NULL;
    if (!lost) {
        pithi_log_lane(log, number, &lane);
        if (!lane || lane->lost == 0)
            return PITH_OK;
        err = pass(&p, log, number, lane);
        if (err == PITH_OK && !(lost = result_of(&p)))
            err = pithi_no_memory();
        if (lost &&
            !__atomic_compare_exchange_n(&log->lost[number], &none, lost, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(lost); /* another thread has found them first */
            lost = none;
        }
        free(p.open);
        free(p.holes);
    }
    *found = lost && lost->hole_count > 0 ? lost : NULL;
    return err;
}

uint32_t pithi_lost_states_before(const struct pithi_lost_states *lost, uint32_t block)
{
    uint32_t low = 0, high = lost->hole_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lost->holes[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of states like this one that ended in the first `holes` holes. */
static uint32_t count_gone(const struct pithi_lost_states *lost, uint32_t holes, const struct pithi_open_state *state)
{
    struct pithi_gone key = {state->enter_ns, state->id, 0};
    uint32_t low = 0, high = lost->gone_count, first;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_time(&lost->gone[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (first = low; low < lost->gone_count && lost->gone[low].enter_ns == state->enter_ns &&
                      lost->gone[low].id == state->id && lost->gone[low].hole < holes;)
        low++;
    return low - first;
}

void pithi_lost_states_drop(const struct pithi_lost_states *lost, uint32_t holes, struct pithi_stack *s)
{
    uint32_t kept = 0;
    const int64_t dropped = INT64_MIN; /* as nested_ns */
    for (uint32_t i = s->count; i-- > 0;) {
        /* of several with the same id and time, the innermost ended first */
        uint32_t gone = count_gone(lost, holes, &s->states[i]);
        for (uint32_t k = i + 1; gone > 0 && k < s->count && s->states[k].enter_ns == s->states[i].enter_ns; k++)
            gone -= s->states[k].id == s->states[i].id && s->states[k].nested_ns == dropped;
        if (gone > 0)
            s->states[i].nested_ns = dropped;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (s->states[i].nested_ns != dropped)
            s->states[kept++] = s->states[i];
    s->count = kept;
}
