/* block_codes.c - assigns a code to each record of a block, and tracks the states that records open and end.
 *
 * A code is a byte for "ENTER of state 7" or "SEND in communicator 0": the n-th such pair that occurs in the block is
 * code n. Nearly all LEAVEs end the innermost state. They share one code, which makes the column of codes smaller; the
 * reader finds the state in its stack.
 *
 *     records      enter A   enter B   leave B   leave A
 *     codes        0         1         2         2            0: enter A, 1: enter B, 2: leave the innermost state
 *     frames       1         2                                frame 1 is A (in frame 0, no state), 2 is B (in frame 1)
 *     innermost    1         2         1         0            the frame of the innermost state after the record
 *
 * A block has at most 255 codes; the pairs after these are written out, marked by code 255, the escape.
 *
 * One loop goes through all records of a block and keeps its variables in registers. If states nest, as they nearly
 * always do, this loop needs no times: the states open at the block's end are computed afterwards, from the few records
 * that opened them. A block in which a LEAVE ends another state than the innermost one is coded again by code_any.
 *
 * The summary (summary.c) gets the frames, so that it need not pair enters and leaves again. */
#include "native/block.h"

enum { FIRST_SLOTS_LOG2 = 4 }; /* log2 of the number of slots at first */

/* ---- Codes ------------------------------------------------------------------------------------------------------- */

static size_t slots_of(const struct pithi_encoder *e) { return (size_t)1 << (32 - e->code_shift); }

/* Returns the largest number of codes in a table with 2^slots_log2 slots: one for each eight slots. So the largest
 * table has room for all codes. */
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

/* Returns the code of a kind and number; a new code if they have none yet; the escape if no code is left; -1 if there
 * is no memory. */
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

/* Stores a record's code, and the escape's data if it needs one. Returns 0 if there is no memory. Not inlined, because
 * the loops rarely call it. */
static __attribute__((noinline, cold)) int put_code(struct pithi_encoder *e, uint32_t said, unsigned char *code_at)
{
    struct pithi_dict is = {said >> 2 & 15, said >> PITHI_SAID_BITS};
    struct pithi_buffer *escape = &e->column[PITHI_COL_ESCAPE];
    int code = code_of(e, &is);
    *code_at = (unsigned char)code;
    return code >= 0 && (code != (int)PITHI_CODE_ESCAPE ||
                         (pithi_buffer_varint(escape, is.kind) && pithi_buffer_varint(escape, is.what)));
}

/* ---- Going through a block --------------------------------------------------------------------------------------- */

#define INNERMOST (PITHI_LEAVE_INNERMOST << 2) /* pithi_said(PITHI_LEAVE_INNERMOST, 0) */

/* A state that is open, and its frame; see stack.h. */
struct open_frame {
    uint32_t id, frame;
};

/* Makes room for the frames of the block. Returns 0 if there is no memory, or if 16 bits cannot number the frames. */
static int reserve_frames(struct pithi_encoder *e)
{
    uint32_t frames = e->open.count + e->head.count + 2;
    if (frames > UINT16_MAX)
        return 0;
    if (frames <= e->frame_room)
        return 1;
    free(e->frames);
    free(e->innermost);
    e->frame_room = e->open.count + e->room + 2;
    e->frames = malloc(e->frame_room * sizeof *e->frames);
    e->innermost = malloc(e->frame_room * sizeof *e->innermost);
    if (!e->frames || !e->innermost)
        e->frame_room = 0;
    return e->frame_room > 0;
}

/* Finds the codes and frames of a block whose states nest. Returns 1 if it did; 0 if the states do not nest or too many
 * are open; -1 if there is no memory. `open` holds the open states from index 1 on; index 0 is no state. The kind of
 * the next record cannot be predicted, so the common path has no branch on it. */
static __attribute__((noinline)) int code_nested(struct pithi_encoder *e, unsigned char *codes, struct open_frame *open)
{
    const struct pithi_code_slot *slots = e->code;
    const struct open_frame *full = open + PITHI_OPEN_MAX;
    struct open_frame *top = open + e->open.count;
    struct pithi_frame *frames = e->frames;
    uint16_t *innermost = e->innermost;
    uint32_t count = e->head.count, shift = e->code_shift;
    size_t made = e->open.count + (size_t)1;
    for (size_t i = 0, end; i < count; i = end) { /* the stack has room for the records before `end` */
        end = count - i < (size_t)(full - top) ? count : i + (size_t)(full - top);
        if (i == end)
            return 0;
        for (; i < end; i++) {
            size_t said = e->said[i], enters = said & 1, leaves = said >> 1 & 1;
            uint32_t mask = -(uint32_t)leaves, id = (uint32_t)said >> PITHI_SAID_BITS;
            uint32_t told = (uint32_t)said ^ (((uint32_t)said ^ INNERMOST) & mask);
            struct pithi_code_slot slot = slots[home_of(told, shift)];
            if (__builtin_expect(((top->id ^ id) & mask) != 0, 0))
                return 0;
            codes[i] = (unsigned char)slot.code;
            frames[made] = (struct pithi_frame){(uint16_t)top->frame, (uint16_t)i};
            top[1] = (struct open_frame){id, (uint32_t)made};
            made += enters;
            top += (ptrdiff_t)(enters - leaves);
            innermost[i] = (uint16_t)top->frame;
            if (__builtin_expect(slot.said == told, 1))
                continue;
            if (!put_code(e, told, &codes[i]))
                return -1;
            slots = e->code;
            shift = e->code_shift;
        }
    }
    frames[made].record = UINT16_MAX;
    e->nested = 1;
    e->head.states = (uint32_t)(made - 1 - (size_t)(top - open)); /* all frames but those of the states still open */
    e->open.count = (uint32_t)(top - open);
    return 1;
}

/* Called after code_nested. For each state open at the block's end, computes when it began and the time of states
 * directly inside it. The outermost `least` states were open during the whole block. Of these, only the innermost can
 * have had states directly inside it in this block, because each of the others had the next one directly inside it all
 * the time. So only the innermost is updated. The other open states were entered in this block. The function walks the
 * records backwards until it has found the ENTERs of all of them; often there are none. `own` is the self time of a
 * state in this block. Returns 0 if there is no memory.
 *
 *     0 enter A   10 enter B   30 leave B   50 an event, the last record; A is open
 *     back from 50: 20 ns with one state open, 20 with two, 10 with one; own is 30, nested_ns of A: 50 - 0 - 30 = 20 */
static int time_open(struct pithi_encoder *e, const struct open_frame *open, uint32_t was_open)
{
    uint32_t now_open = e->open.count, depth = now_open, i = e->head.count, least = now_open;
    uint64_t own = 0, inner_ns = (uint64_t)e->head.last_ns, now_ns = inner_ns;
    struct pithi_open_state *states;
    while (open[least].frame > was_open)
        least--;
    e->open.count = was_open;
    if (!pithi_stack_reserve(&e->open, now_open))
        return 0;
    states = e->open.states;
    uint64_t was_inner_ns = (uint64_t)(was_open > least ? states[least].enter_ns : e->before_ns);
    for (uint32_t level = now_open; level > least; i--) { /* `depth` states are open after record i - 1 */
        uint32_t enters = e->said[i - 1] & 1, leaves = e->said[i - 1] >> 1 & 1;
        if (enters && depth == level) {
            states[level - 1] =
                (struct pithi_open_state){open[level].id, (int64_t)now_ns, (int64_t)(inner_ns - now_ns - own)};
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

/* Assigns the codes of a block whose states do not nest. Returns 0 if there is no memory. */
static int code_any(struct pithi_encoder *e, unsigned char *codes)
{
    struct pithi_open_state ended;
    int64_t time_ns = e->before_ns, start_ns, nested_ns;
    for (uint32_t i = 0, depth; i < e->head.count; i++) {
        uint32_t said = e->said[i], leave = said >> 1 & 1, id = said >> PITHI_SAID_BITS;
        time_ns = (int64_t)((uint64_t)time_ns + e->steps[i]);
        if (leave && e->open.count && e->open.states[e->open.count - 1].id == id)
            said = INNERMOST;
        struct pithi_code_slot slot = e->code[home_of(said, e->code_shift)];
        codes[i] = (unsigned char)slot.code;
        if (slot.said != said && !put_code(e, said, &codes[i]))
            return 0;
        if ((e->said[i] & 3) == 0 || pithi_stack_quick(&e->open, leave, id, time_ns, &start_ns, &nested_ns, &depth)) {
            e->head.states += leave;
        } else if (leave) {
            e->head.states += (uint32_t)pithi_stack_leave(&e->open, id, time_ns, &ended, &depth);
        } else if (!pithi_stack_enter(&e->open, id, time_ns)) {
            return 0;
        }
    }
    return 1;
}

/* Assigns the codes of a block: by code_nested, or by code_any if that fails. Returns 0 if there is no memory. */
static int code_all(struct pithi_encoder *e, unsigned char *codes)
{
    struct open_frame open[PITHI_OPEN_MAX + 2];
    uint32_t was_open = e->open.count;
    open[0] = (struct open_frame){UINT32_MAX, 0};
    for (uint32_t i = 0; i < was_open; i++)
        open[i + 1] = (struct open_frame){e->open.states[i].id, i + 1};
    e->frames_before = was_open;
    int nested = reserve_frames(e) ? code_nested(e, codes, open) : 0;
    if (nested <= 0) {
        e->column[PITHI_COL_ESCAPE].size = 0;
        return nested == 0 && code_any(e, codes);
    }
    return time_open(e, open, was_open);
}

/* Applies the block's records to `still`, in which states also end in holes. Returns 0 if there is no memory. */
static int follow_still(struct pithi_encoder *e)
{
    uint32_t states = 0;
    const struct pithi_block_hole *hole = e->holes, *end = hole + e->hole_count;
    struct pithi_open_state ended;
    int64_t time_ns = e->before_ns;
    uint32_t depth;
    for (uint32_t i = 0; i < e->head.count; i++) {
        uint32_t said = e->said[i], id = said >> PITHI_SAID_BITS;
        time_ns = (int64_t)((uint64_t)time_ns + e->steps[i]);
        if (said & 1 && !pithi_stack_enter(&e->still, id, time_ns))
            return 0;
        if (said & 2)
            states += (uint32_t)pithi_stack_leave(&e->still, id, time_ns, &ended, &depth);
        if (hole < end && hole->record == i)
            pithi_stack_drop(&e->still, (hole++)->gone);
    }
    e->head.states = states;
    return 1;
}

/* Begins to use `still` in the first block in which a state ends in a hole; before that block, it would equal `open`.
 * Returns 0 if there is no memory. */
static int begin_still(struct pithi_encoder *e)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < e->hole_count; i++)
        gone |= e->holes[i].gone;
    if (e->has_gone || gone == 0)
        return 1;
    if (!pithi_stack_reserve(&e->still, e->open.count))
        return 0;
    e->has_gone = 1;
    e->still.count = e->open.count;
    if (e->open.count > 0)
        memcpy(e->still.states, e->open.states, e->open.count * sizeof *e->open.states);
    return 1;
}

/* Writes the states open at the block's start. */
static int put_open(const struct pithi_encoder *e, const struct pithi_stack *open, struct pithi_buffer *out)
{
    for (uint32_t i = 0; i < open->count; i++) {
        const struct pithi_open_state *s = &open->states[i];
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
    struct pithi_buffer *still = &e->column[PITHI_COL_STILL];
    if ((!e->code && !make_slots(e, FIRST_SLOTS_LOG2)) || !put_open(e, &e->open, &e->column[PITHI_COL_OPEN]) ||
        (e->has_gone && (!pithi_buffer_varint(still, e->still.count) || !put_open(e, &e->still, still))) ||
        !begin_still(e) || !pithi_buffer_reserve(what, e->head.count) || !code_all(e, what->data) ||
        (e->has_gone && !follow_still(e)))
        return pithi_fail(PITH_ERR_MEMORY, "no memory for a block");
    what->size = e->head.count;
    return PITH_OK;
}
