/* lane_blocks.c - reads the blocks of one lane in order, without an iterator (lane_blocks.h).
 *
 * A block begins with the stack of open states, as the writer saw them. If all LOST records of a lane have the number
 * of states that ended in their holes, these stacks are right, and only the blocks with LOST records are read. Else the
 * stacks after a hole still have the states that ended in the hole, because the writer never saw their LEAVEs. Then the
 * lane is read once, from its first LOST record on, to find these states (native/lost_states.h). `take_stack` removes
 * them whenever the stack of a block is used. It finds them by time and id; of several with the same time and id, the
 * innermost one ended first.
 *
 * The list of these states belongs to the log and never changes, so threads share it without a lock: the first thread
 * that has made it stores it. */
#include "reader/read/lane_blocks.h"

#include "base/error.h"
#include "native/chunk.h"
#include "reader/read/match.h"

void pithi_unpacking_free(struct pithi_unpacking *u)
{
    pithi_zip_free(&u->zip);
    free(u->chunk.data);
    free(u->opened.states);
}

/* Returns 1 if the head of a block agrees with the index. */
static int as_indexed(const struct pithi_block_head *h, const struct pithi_log_lane *lane,
                      const struct pithi_log_block *at)
{
    return h->first_ns == at->first_ns && h->last_ns == at->last_ns && h->count == at->count && h->kinds == at->kinds &&
           h->thread == lane->seen.thread;
}

int pithi_unpack(struct pithi_unpacking *u, const struct pithi_log_lane *lane, uint32_t number,
                 const struct pithi_log_block *at, struct pithi_block *block, int wants_opened, const char **why)
{
    const struct pithi_log_part *part = lane->part;
    struct pithi_chunk_head head;
    CHECK(pithi_files_chunk(&u->log->files, at->offset, &head, &u->chunk, why));
    *why = "its header is not there";
    if (head.type != PITHI_C_EVENTS || head.rank != part->rank)
        return PITH_ERR_DAMAGED;
    block->lane = number;
    block->def_count = u->log->info.defs;
    block->comms = part->comms;
    block->comm_count = part->comm_count;
    block->allowance = u->allowance;
    u->opened.count = 0;
    CHECK(pithi_block_load(block, &u->zip, u->chunk.data, u->chunk.size, wants_opened ? &u->opened : NULL, why));
    *why = "it contradicts the index";
    return as_indexed(&block->head, lane, at) ? PITH_OK : PITH_ERR_DAMAGED;
}

/* ---- The states that ended in holes of LOST records -------------------------------------------------------------- */

/* A state that ended in a hole. */
struct pithi_gone {
    int64_t enter_ns;
    uint32_t id, hole; /* its definition; index of the hole in which it ended */
};

/* Reads the lane from its first block with a LOST record on. With `only_holes`, reads only the blocks with LOST records
 * and the records that end holes, and stops at a hole for which the log does not have the number of states that ended
 * in it. */
static int pass(struct pithi_lost_pass *p, struct pithi_unpacking *u, uint32_t number,
                const struct pithi_log_lane *lane, int only_holes)
{
    struct pithi_block block = {0};
    struct pithi_log_block at;
    int is_behind = 1, good = 1; /* is_behind: 1: the stack that is followed here is not the writer's */
    const char *why;
    p->begin_ns = lane->seen.first_ns;
    for (uint32_t i = 0; good && i < lane->block_count; i++) {
        int is_known = pithi_log_block(u->log, lane, i, &u->window, &at) == PITH_OK;
        int is_in_hole = p->hole_count > 0 && p->holes[p->hole_count - 1].to_ns == INT64_MAX;
        if (only_holes && p->numbered < p->hole_count && !is_in_hole)
            break;
        int is_needed = is_in_hole || (!only_holes && p->hole_count + p->open_count > 0);
        if (is_known && !(at.kinds >> PITHLOG_LOST & 1) && !is_needed) {
            is_behind = 1;
            continue;
        }
        /* the stack followed here is not the writer's if records are missing before this block, or if it cannot be
         * read */
        is_behind |= !is_known || at.is_after_hole;
        if (is_in_hole && is_behind)
            p->holes[p->hole_count - 1].is_wider = 1;
        if (!is_known || pithi_unpack(u, lane, number, &at, &block, 1, &why) != PITH_OK) {
            is_behind = 1;
            continue;
        }
        good = !is_behind || only_holes || pithi_lost_writer(p, &u->opened);
        is_behind = 0;
        struct pithlog_record r;
        int status = 0;
        while (good && (status = pithi_block_step(&block)) > 0) {
            pithi_block_take(&block, &r);
            if (!only_holes || is_in_hole || r.kind == PITHLOG_LOST)
                good = pithi_lost_record(p, &r, i);
            is_in_hole = p->hole_count > 0 && p->holes[p->hole_count - 1].to_ns == INT64_MAX;
        }
        is_behind = good && status < 0;
    }
    struct pithi_lost_hole *last = p->hole_count > 0 ? &p->holes[p->hole_count - 1] : NULL;
    if (last && is_behind && last->to_ns == INT64_MAX)
        last->is_wider = 1;
    pithi_block_free(&block);
    return good ? PITH_OK : pithi_no_memory();
}

/* Returns 1 if the number of states that ended in each hole is known. It is not needed for a hole at the end of the
 * lane, because all states end there. */
static int is_numbered(const struct pithi_lost_pass *p)
{
    return p->numbered == p->hole_count ||
           (p->numbered + 1 == p->hole_count && p->holes[p->numbered].to_ns == INT64_MAX);
}

static int read_lane(struct pithi_lost_pass *p, struct pithi_unpacking *u, uint32_t number,
                     const struct pithi_log_lane *lane)
{
    CHECK(pass(p, u, number, lane, 1));
    if (!is_numbered(p)) {
        pithi_lost_free(p);
        *p = (struct pithi_lost_pass){0};
        CHECK(pass(p, u, number, lane, 0));
        pithi_lost_end(p);
    }
    struct pithi_lost_hole *last = p->hole_count > 0 ? &p->holes[p->hole_count - 1] : NULL;
    if (last && last->to_ns == INT64_MAX)
        last->gone = PITHI_OPEN_MAX;
    return PITH_OK;
}

static int by_time(const void *a, const void *b)
{
    const struct pithi_gone *x = a, *y = b;
    if (x->enter_ns != y->enter_ns)
        return x->enter_ns < y->enter_ns ? -1 : 1;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->hole > y->hole) - (x->hole < y->hole);
}

/* Returns the result of a pass over the lane, as one piece of memory; NULL if there is no memory. */
static struct pithi_lost_states *result_of(const struct pithi_lost_pass *p)
{
    uint32_t open_count = is_numbered(p) ? 0 : p->open_count;
    struct pithi_lost_states *lost =
        malloc(sizeof *lost + open_count * sizeof *lost->gone + p->hole_count * sizeof *lost->holes);
    if (!lost)
        return NULL;
    *lost = (struct pithi_lost_states){
        .hole_count = p->hole_count, .is_numbered = is_numbered(p), .gone = (struct pithi_gone *)(lost + 1)};
    lost->holes = (struct pithi_lost_hole *)(lost->gone + open_count);
    if (p->hole_count > 0)
        memcpy(lost->holes, p->holes, p->hole_count * sizeof *lost->holes);
    for (uint32_t i = 0; i < p->hole_count; i++)
        lost->is_wider |= p->holes[i].is_wider;
    for (uint32_t i = 0; i < open_count; i++) {
        const struct pithi_lost_follow *state = &p->open[i];
        if (state->passed < p->hole_count)
            lost->gone[lost->gone_count++] = (struct pithi_gone){state->enter_ns, state->id, state->passed};
    }
    qsort(lost->gone, lost->gone_count, sizeof *lost->gone, by_time);
    return lost;
}

int pithi_lost_states_get(struct pithlog *log, uint32_t number, const struct pithi_lost_states **found)
{
    struct pithi_lost_states *lost = __atomic_load_n(&log->lost[number], __ATOMIC_ACQUIRE), *none = NULL;
    struct pithi_unpacking unpacking = {.log = log};
    struct pithi_lost_pass p = {0};
    const struct pithi_log_lane *lane;
    int err = PITH_OK;
    *found = NULL;
    if (!lost) {
        pithi_log_lane(log, number, &lane);
        if (!lane || lane->lost == 0)
            return PITH_OK;
        err = read_lane(&p, &unpacking, number, lane);
        if (err == PITH_OK && !(lost = result_of(&p)))
            err = pithi_no_memory();
        if (lost &&
            !__atomic_compare_exchange_n(&log->lost[number], &none, lost, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(lost); /* another thread stored its result first */
            lost = none;
        }
        pithi_unpacking_free(&unpacking);
        pithi_lost_free(&p);
    }
    *found = lost && lost->hole_count > 0 ? lost : NULL;
    return err;
}

/* Returns the number of holes of the lane that begin in blocks before `block`. */
static uint32_t holes_before(const struct pithi_lost_states *lost, uint32_t block)
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

/* Returns how many states with the id and begin of `state` ended in the first `holes` holes. */
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

/* ---- The states open at a time ----------------------------------------------------------------------------------- */

/* A lane whose blocks are read in order. */
struct scanning {
    struct pithi_unpacking *u;            /* memory */
    struct pithi_block *block;            /* the block read last */
    const struct pithi_log_lane *lane;    /* NULL: the lane cannot be read */
    uint32_t number;                      /* of the lane */
    const struct pithi_lost_states *lost; /* NULL: no holes of LOST records */
    uint32_t hole;                        /* index of the next hole in `lost` */
};

static int begin_scan(struct scanning *s, struct pithi_open_at *at)
{
    at->stack.count = 0;
    at->is_hole = 0;
    at->to_ns = INT64_MAX;
    pithi_log_lane(s->u->log, s->number, &s->lane);
    return s->lane && s->lane->lost > 0 ? pithi_lost_states_get(s->u->log, s->number, &s->lost) : PITH_OK;
}

/* Loads block i. Returns PITH_OK; PITH_ERR_MEMORY; or another error if the block is damaged. */
static int load(const struct scanning *s, uint32_t i, struct pithi_log_block *place)
{
    const char *why;
    CHECK(pithi_log_block(s->u->log, s->lane, i, &s->u->window, place));
    return pithi_unpack(s->u, s->lane, s->number, place, s->block, 1, &why);
}

/* Sets at->stack to the states that are open at the start of the loaded block. */
static void take_stack(struct scanning *s, uint32_t block, struct pithi_open_at *at)
{
    struct pithi_stack before = at->stack;
    at->stack = s->u->opened;
    s->u->opened = before;
    s->hole = s->lost ? holes_before(s->lost, block) : 0;
    if (s->lost) {
        /* removes states that ended in an earlier hole, which are still on the writer's stack */
        uint32_t kept = 0;
        const int64_t dropped = INT64_MIN; /* a mark in nested_ns: the state has ended */
        for (uint32_t i = at->stack.count; i-- > 0;) {
            /* of several states with the same id and time, the innermost one ended first */
            uint32_t gone = count_gone(s->lost, s->hole, &at->stack.states[i]);
            for (uint32_t k = i + 1;
                 gone > 0 && k < at->stack.count && at->stack.states[k].enter_ns == at->stack.states[i].enter_ns; k++)
                gone -= at->stack.states[k].id == at->stack.states[i].id && at->stack.states[k].nested_ns == dropped;
            if (gone > 0)
                at->stack.states[i].nested_ns = dropped;
        }
        for (uint32_t i = 0; i < at->stack.count; i++)
            if (at->stack.states[i].nested_ns != dropped)
                at->stack.states[kept++] = at->stack.states[i];
        at->stack.count = kept;
    }
}

/* Follows the records of the loaded block up to time_ns. Returns 1 if there is a record at or after time_ns; 0 if the
 * block ends before; -1 if the block is damaged or there is no memory. */
static int follow(struct scanning *s, int64_t time_ns, struct pithi_open_at *at)
{
    struct pithi_open_state ended;
    struct pithlog_record r;
    uint32_t depth;
    int status;
    while ((status = pithi_block_step(s->block)) > 0) {
        pithi_block_take(s->block, &r);
        if (r.time_ns >= time_ns) {
            at->is_hole &= r.time_ns > time_ns;
            at->to_ns = r.time_ns;
            return 1;
        }
        at->is_hole = 0;
        if (r.kind == PITHLOG_ENTER && !pithi_stack_enter(&at->stack, r.id, r.time_ns))
            return -1;
        if (r.kind == PITHLOG_LEAVE)
            pithi_stack_leave(&at->stack, r.id, r.time_ns, &ended, &depth);
        if (!s->lost || s->hole == s->lost->hole_count || !pithi_is_hole(s->u->log, &r))
            continue;
        pithi_stack_drop(&at->stack, s->lost->holes[s->hole++].gone);
        at->is_hole = 1;
    }
    return status;
}

int pithi_open_at(struct pithi_unpacking *u, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                  struct pithi_open_at *at)
{
    struct scanning s = {.u = u, .block = block, .number = lane};
    struct pithi_log_block place;
    int is_after_hole = 0;
    CHECK(begin_scan(&s, at));
    uint32_t count = s.lane ? s.lane->block_count : 0;
    uint32_t i = s.lane ? pithi_log_block_at(u->log, s.lane, time_ns, &u->window) : 0;
    /* if the time lies between two blocks, begins with the first, whose end shows whether a hole begins there */
    if (i > 0 &&
        (i == count || (pithi_log_block(u->log, s.lane, i, &u->window, &place) == PITH_OK && place.first_ns > time_ns)))
        i--;
    for (uint32_t first = i; i < count; i++) {
        int err = load(&s, i, &place);
        if (err == PITH_ERR_MEMORY)
            return pithi_no_memory();
        is_after_hole |= err != PITH_OK || place.is_after_hole;
        if (err != PITH_OK)
            continue;
        /* This block begins at or after the time, so its stack is the answer. If the block before was read to its end,
         * the answer is already in at->stack. */
        if (place.first_ns >= time_ns) {
            if (is_after_hole || i == first)
                take_stack(&s, i, at);
            at->is_hole = (at->is_hole || is_after_hole) && place.first_ns > time_ns;
            at->to_ns = place.first_ns;
            return PITH_OK;
        }
        take_stack(&s, i, at);
        at->is_hole = 0;
        int status = follow(&s, time_ns, at);
        if (status > 0)
            return PITH_OK;
        is_after_hole = status < 0;
    }
    if (is_after_hole) {
        at->is_hole = 1;
        at->stack.count = 0;
    }
    return PITH_OK;
}

int pithi_open_after_hole(struct pithi_unpacking *u, struct pithi_block *block, uint32_t lane, int64_t time_ns,
                          struct pithi_open_at *at)
{
    struct scanning s = {.u = u, .block = block, .number = lane};
    struct pithi_log_block place;
    int is_after_hole = 0;
    CHECK(begin_scan(&s, at));
    at->is_hole = 1;
    if (!s.lane)
        return PITH_OK;
    uint32_t first = pithi_log_block_at(u->log, s.lane, time_ns, &u->window);
    for (uint32_t i = first; i < s.lane->block_count; i++) {
        int err = load(&s, i, &place);
        if (err == PITH_ERR_MEMORY)
            return pithi_no_memory();
        is_after_hole |= err != PITH_OK || (place.is_after_hole && i > first);
        if (err != PITH_OK)
            continue;
        if (is_after_hole) {
            take_stack(&s, i, at);
            at->to_ns = place.first_ns;
            return PITH_OK;
        }
        if (place.first_ns > time_ns) /* there is no hole: the block is intact */
            return PITH_OK;
        while ((err = pithi_block_step(block)) > 0)
            continue;
        is_after_hole = err < 0;
    }
    return PITH_OK;
}
