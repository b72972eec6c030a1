/* block_codes.c - assigns a code to each record of a block, and tracks the states that records open and end.
 *
 * One loop goes through all records of a block and keeps its variables in registers. If states nest, as they nearly
 * always do, this loop needs no times: the states open at the block's end are computed afterwards, from the few records
 * that opened them.
 */
#include "native/block.h"

enum { FIRST_SLOTS_LOG2 = 4 };

/* ---- Codes ------------------------------------------------------------------------------------------------------- */

static size_t slots_of(const struct pithi_encoder *e) { return (size_t)1 << (32 - e->code_shift); }

/* The largest number of codes in a table: one slot in eight. The largest table has room for all codes. */
static size_t codes_of(uint32_t slots_log2) { return (size_t)1 << (slots_log2 - 3); }

static inline uint32_t home_of(uint32_t said, uint32_t shift) { return said * UINT32_C(0x9e3779b1) >> shift; }

/* Makes a table of 2^slots_log2 slots and moves the existing codes to it. */
static int make_slots(struct pithi_encoder *e, uint32_t slots_log2)
{
    struct pithi_code_slot *code = calloc((size_t)1 << slots_log2, sizeof *code);
    struct pithi_dict *dict = code ? realloc(e->dict, codes_of(slots_log2) * sizeof *dict) : NULL;
    if (!dict) {
        free(code);
        return 0;
    }
    free(e->code);
    e->code = code;
    e->dict = dict;
    e->code_shift = 32 - slots_log2;
    for (uint32_t i = 0; i < e->dict_count; i++) {
        size_t at = home_of(pithi_said(dict[i].kind, dict[i].what), e->code_shift);
        while (code[at].said != 0)
            at = (at + 1) % slots_of(e);
        code[at] = (struct pithi_code_slot){pithi_said(dict[i].kind, dict[i].what), i};
    }
    return 1;
}

void pithi_encoder_forget(struct pithi_encoder *e)
{
    e->dict_count = 0;
    if (e->code)
        memset(e->code, 0, slots_of(e) * sizeof *e->code);
}

/* The code for a kind and number: a new one if any is left, else the escape. -1: no memory. */
static int code_of(struct pithi_encoder *e, const struct pithi_dict *is)
{
    uint32_t said = pithi_said(is->kind, is->what);
    size_t at = home_of(said, e->code_shift);
    for (; e->code[at].said != 0; at = (at + 1) % slots_of(e))
        if (e->code[at].said == said)
            return (int)e->code[at].code;
    e->head.kinds |= 1u << (is->kind == PITHI_LEAVE_INNERMOST ? (uint32_t)PITHLOG_LEAVE : is->kind);
    if (e->dict_count == PITHI_CODE_ESCAPE)
        return PITHI_CODE_ESCAPE;
    if (e->dict_count == codes_of(32 - e->code_shift)) {
        if (!make_slots(e, 32 - e->code_shift + 2))
            return -1;
        for (at = home_of(said, e->code_shift); e->code[at].said != 0;)
            at = (at + 1) % slots_of(e);
    }
    e->dict[e->dict_count] = *is;
    e->code[at] = (struct pithi_code_slot){said, e->dict_count};
    return (int)e->dict_count++;
}

static int put_escape(struct pithi_encoder *e, const struct pithi_dict *is)
{
    struct pithi_buffer *out = &e->column[PITHI_COL_ESCAPE];
    return pithi_buffer_varint(out, is->kind) && pithi_buffer_varint(out, is->what);
}

/* Stores a record's code, and the escape's data if it needs one. 0: no memory. (Not inlined into the loops.) */
static __attribute__((noinline, cold)) int put_code(struct pithi_encoder *e, uint32_t said, unsigned char *code_at)
{
    struct pithi_dict is = {said >> 2 & 15, said >> PITHI_SAID_BITS};
    int code = code_of(e, &is);
    *code_at = (unsigned char)code;
    return code >= 0 && (code != (int)PITHI_CODE_ESCAPE || (put_escape(e, &is)));
}

/* ---- Going through a block --------------------------------------------------------------------------------------- */

#define INNERMOST (PITHI_LEAVE_INNERMOST << 2)

/* Finds the codes of a block whose states nest, and in *least the smallest number of states that were open. 1: done; 0:
 * the states do not nest, or too many are open; -1: no memory. `ids` holds the open states from index 1 on; index 0 is
 * empty. The kind of the next record cannot be predicted, so the common path has no branch on it. */
static __attribute__((noinline)) int code_nested(struct pithi_encoder *e, unsigned char *codes, uint32_t *ids,
                                                 uint32_t *least)
{
    const uint32_t *said = e->said;
    const struct pithi_code_slot *slots = e->code;
    uint32_t count = e->head.count, shift = e->code_shift, least_open = e->open.count;
    uint32_t *top = ids + least_open, *lowest = top;
    uint32_t states = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t leaves = -(said[i] >> 1 & 1), id = said[i] >> PITHI_SAID_BITS;
        states -= leaves;
        uint32_t told = said[i] ^ ((said[i] ^ INNERMOST) & leaves);
        struct pithi_code_slot slot = slots[home_of(told, shift)];
        if (__builtin_expect(((*top ^ id) & leaves) != 0 || top == ids + PITHI_OPEN_MAX, 0))
            return 0;
        codes[i] = (unsigned char)slot.code;
        top[1] = id;
        top += (int32_t)((said[i] & 1) + leaves);
        lowest = top < lowest ? top : lowest;
        if (__builtin_expect(slot.said == told, 1))
            continue;
        if (!put_code(e, told, &codes[i]))
            return -1;
        slots = e->code;
        shift = e->code_shift;
    }
    e->head.states = states;
    *least = (uint32_t)(lowest - ids);
    e->open.count = (uint32_t)(top - ids);
    return 1;
}

/* After code_nested: computes for how long the states have been open, and the time of states directly inside them. The
 * outermost `least` states were open all along, so only the innermost of them needs an update. The others were entered
 * in this block: walks its records backwards until all their ENTERs are found; often there are none. `own` is the time
 * of the state itself: while exactly this number of states was open. 0: no memory. */
static int time_open(struct pithi_encoder *e, const uint32_t *ids, uint32_t was_open, uint32_t least)
{
    uint32_t now_open = e->open.count, depth = now_open, i = e->head.count;
    uint64_t own = 0, inner_ns = (uint64_t)e->head.last_ns, now_ns = inner_ns;
    struct pithi_open_state *states;
    e->open.count = was_open;
    if (!pithi_stack_reserve(&e->open, now_open))
        return 0;
    states = e->open.states;
    uint64_t was_inner_ns = (uint64_t)(was_open > least ? states[least].enter_ns : e->before_ns);
    for (uint32_t level = now_open; level > least; i--) { /* `depth` states are open after record i - 1 */
        uint32_t enters = e->said[i - 1] & 1, leaves = e->said[i - 1] >> 1 & 1;
        if (enters && depth == level) {
            states[level - 1] =
                (struct pithi_open_state){ids[level], (int64_t)now_ns, (int64_t)(inner_ns - now_ns - own)};
            inner_ns = now_ns;
            level--;
            own = 0;
        }
        depth += leaves - enters;
        now_ns -= e->steps[i - 1];
        own += depth == level ? e->steps[i - 1] : 0;
    }
    e->open.count = now_open;
    if (least == 0)
        return 1;
    for (; i > 0; i--) {
        depth += (e->said[i - 1] >> 1 & 1) - (e->said[i - 1] & 1);
        own += depth == least ? e->steps[i - 1] : 0;
    }
    struct pithi_open_state *s = &states[least - 1];
    uint64_t own_before = was_inner_ns - (uint64_t)s->enter_ns - (uint64_t)s->nested_ns;
    s->nested_ns = (int64_t)(inner_ns - (uint64_t)s->enter_ns - own_before - own);
    return 1;
}

/* Tracks an ENTER or LEAVE if states do not nest. 0: no memory. */
static int open_or_end(struct pithi_encoder *e, uint32_t leave, uint32_t id, int64_t time_ns)
{
    struct pithi_open_state ended;
    int64_t start_ns, nested_ns;
    uint32_t depth;
    if (!pithi_stack_quick(&e->open, leave, id, time_ns, &start_ns, &nested_ns, &depth)) {
        if (!leave)
            return pithi_stack_enter(&e->open, id, time_ns);
        leave = (uint32_t)pithi_stack_leave(&e->open, id, time_ns, &ended, &depth);
    }
    e->head.states += leave;
    return 1;
}

/* Assigns the codes of a block whose states do not nest. 0: no memory. */
static int code_any(struct pithi_encoder *e, unsigned char *codes)
{
    int64_t time_ns = e->before_ns;
    for (uint32_t i = 0; i < e->head.count; i++) {
        uint32_t said = e->said[i], leave = said >> 1 & 1, id = said >> PITHI_SAID_BITS;
        time_ns = (int64_t)((uint64_t)time_ns + e->steps[i]);
        if (leave && e->open.count && e->open.states[e->open.count - 1].id == id)
            said = INNERMOST;
        struct pithi_code_slot slot = e->code[home_of(said, e->code_shift)];
        codes[i] = (unsigned char)slot.code;
        if ((slot.said != said && !put_code(e, said, &codes[i])) ||
            (e->said[i] & 3 && !open_or_end(e, leave, id, time_ns)))
            return 0;
    }
    return 1;
}

/* 0: no memory. */
static int code_all(struct pithi_encoder *e, unsigned char *codes)
{
    uint32_t ids[PITHI_OPEN_MAX + 2], was_open = e->open.count, least;
    ids[0] = UINT32_MAX;
    for (uint32_t i = 0; i < was_open; i++)
        ids[i + 1] = e->open.states[i].id;
    int nested = code_nested(e, codes, ids, &least);
    if (nested <= 0) {
        e->column[PITHI_COL_ESCAPE].size = 0;
        return nested == 0 && code_any(e, codes);
    }
    return time_open(e, ids, was_open, least);
}

/* Writes the states open at the block's start. */
static int put_open(struct pithi_encoder *e)
{
    struct pithi_buffer *out = &e->column[PITHI_COL_OPEN];
    for (uint32_t i = 0; i < e->open.count; i++) {
        const struct pithi_open_state *s = &e->open.states[i];
        if (!pithi_buffer_varint(out, s->id) ||
            !pithi_buffer_varint(out, (uint64_t)e->head.first_ns - (uint64_t)s->enter_ns) ||
            !pithi_buffer_varint(out, (uint64_t)s->nested_ns))
            return 0;
    }
    return 1;
}

int pithi_encoder_code(struct pithi_encoder *e)
{
    struct pithi_buffer *what = &e->column[PITHI_COL_WHAT];
    if (what->size > 0 || e->head.count == 0)
        return PITH_OK;
    e->head.first_ns = (int64_t)((uint64_t)e->before_ns + e->steps[0]);
    e->head.before = e->lane_count;
    if ((!e->code && !make_slots(e, FIRST_SLOTS_LOG2)) || !put_open(e) || !pithi_buffer_reserve(what, e->head.count) ||
        !code_all(e, what->data))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    what->size = e->head.count;
    return PITH_OK;
}
