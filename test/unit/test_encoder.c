/* test_encoder.c - blocks of random records, encoded and decoded: every record comes back, and each block begins with
 * the states that are open by a stack kept record by record, with the same times. Programs that nest, that do not, that
 * leak states, that have some open all along; a clock that ticks in microseconds; more ids than there are codes; times
 * before the log's start, and steps of minutes. */
#include <stdio.h>

#include "common/random.h"
#include "native/block.h"
#include "tap.h"

enum { RECORDS = 40000, LARGEST_BLOCK = 3000 };

struct program {
    const char *what;
    uint32_t ids, deepest;
    unsigned always;   /* this many states stay open */
    unsigned in_order; /* of 1000 LEAVEs, so many are of the innermost state */
    unsigned enters;   /* of 100 records that could be either, so many are ENTERs */
    unsigned messages; /* of 100 records */
    int64_t start_ns, unit_ns;
    unsigned shift; /* steps are below 2^shift units, rarely 2^(2 shift) */
};

static uint64_t chance(uint64_t below) { return random_u64() % below; }

struct run {
    const struct program *program;
    struct pithi_stack open; /* the model */
    int64_t time_ns;
    uint64_t posted;
    struct pithlog_record records[LARGEST_BLOCK];
    uint32_t states; /* that the block's LEAVEs ended */
};

static void make_message(struct run *run, struct pithlog_record *r)
{
    r->kind = chance(2) ? PITHLOG_SEND : PITHLOG_RECV;
    r->peer = (int32_t)chance(200) - 1;
    r->tag = chance(50) ? 7 : -70000;
    r->bytes = chance(UINT64_C(1) << chance(40));
    if (r->kind == PITHLOG_RECV)
        r->posted = run->posted += chance(20) ? 1 : chance(1000);
}

static void make_record(struct run *run, struct pithlog_record *r)
{
    const struct program *p = run->program;
    unsigned shift = chance(200) ? p->shift : 2 * p->shift;
    run->time_ns += (int64_t)chance(UINT64_C(1) << shift) * p->unit_ns;
    *r = (struct pithlog_record){.time_ns = run->time_ns, .peer = -1};
    uint32_t open = run->open.count;
    if (chance(100) < p->messages) {
        make_message(run, r);
    } else if (open <= p->always || (open < p->deepest && chance(100) < p->enters)) {
        r->kind = PITHLOG_ENTER;
        r->id = (uint32_t)chance(p->ids);
        pithi_stack_enter(&run->open, r->id, r->time_ns);
    } else {
        struct pithi_open_state ended;
        uint32_t depth;
        r->kind = PITHLOG_LEAVE;
        r->id = chance(1000) < p->in_order ? run->open.states[open - 1].id : (uint32_t)chance(p->ids);
        run->states += (uint32_t)pithi_stack_leave(&run->open, r->id, r->time_ns, &ended, &depth);
    }
}

static int add(struct pithi_encoder *e, const struct pithlog_record *r)
{
    return pithi_encoder_quick(e, r) || pithi_encoder_add(e, r, 0) == PITH_OK;
}

static int same_stack(const struct pithi_stack *a, const struct pithi_stack *b)
{
    int same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->states[i].id == b->states[i].id && a->states[i].enter_ns == b->states[i].enter_ns &&
               a->states[i].nested_ns == b->states[i].nested_ns;
    return same;
}

static int same_record(const struct pithlog_record *a, const struct pithlog_record *b)
{
    return a->time_ns == b->time_ns && a->kind == b->kind && a->id == b->id && a->peer == b->peer && a->tag == b->tag &&
           a->bytes == b->bytes && a->posted == b->posted;
}

static void test_program(const struct program *p)
{
    struct run *run = calloc(1, sizeof *run);
    struct pithi_encoder *e = pithi_encoder_new(0);
    struct pithi_block b = {.def_count = UINT32_MAX, .comm_count = UINT32_MAX};
    struct pithi_stack before = {0}, opened = {0};
    struct pithi_zip zip = {0};
    struct pithi_buffer payload = {0};
    struct pithi_block_head head;
    struct pithlog_record r;
    const char *why = "";
    unsigned bad_stacks = 0, bad_records = 0, bad_heads = 0;
    run->program = p;
    run->time_ns = p->start_ns;
    for (uint32_t done = 0, count; done < RECORDS; done += count) {
        count = 1 + (uint32_t)chance(chance(4) ? LARGEST_BLOCK : 20);
        pithi_stack_reserve(&before, run->open.count);
        if (run->open.count > 0)
            memcpy(before.states, run->open.states, run->open.count * sizeof *before.states);
        before.count = run->open.count;
        run->states = 0;
        for (uint32_t i = 0; i < count; i++) {
            make_record(run, &run->records[i]);
            bad_records += !add(e, &run->records[i]);
        }
        payload.size = 0;
        if (pithi_encoder_end(e, &zip, &payload, &head) ||
            pithi_block_load(&b, &zip, payload.data, payload.size, &opened, &why) != PITH_OK) {
            bad_heads++;
            break;
        }
        bad_heads += head.count != count || head.states != run->states || head.first_ns != run->records[0].time_ns ||
                     head.last_ns != run->time_ns || head.before != done;
        bad_stacks += !same_stack(&before, &opened);
        for (uint32_t i = 0; i < count && pithi_block_step(&b) == 1; i++) {
            pithi_block_take(&b, &r);
            bad_records += !same_record(&r, &run->records[i]);
        }
        bad_records += pithi_block_step(&b) != 0;
    }
    OK(bad_heads == 0, "%s: blocks and their totals (%u bad) %s", p->what, bad_heads, why);
    OK(bad_stacks == 0, "%s: the states open where a block begins (%u bad)", p->what, bad_stacks);
    OK(bad_records == 0, "%s: every record (%u bad)", p->what, bad_records);
    pithi_block_free(&b);
    pithi_encoder_free(e);
    pithi_zip_free(&zip);
    free(payload.data);
    free(before.states);
    free(opened.states);
    free(run->open.states);
    free(run);
}

/* An id that has no place beside its kind is refused, not cut. */
static void test_large_id(void)
{
    struct pithi_encoder *e = pithi_encoder_new(0);
    const struct pithlog_record last = {.kind = PITHLOG_ENTER, .id = PITHI_SAID_MAX, .peer = -1},
                                beyond = {.kind = PITHLOG_ENTER, .id = PITHI_SAID_MAX + 1u, .peer = -1};
    OK(add(e, &last) && !add(e, &beyond) && pithi_encoder_count(e) == 1, "the largest id, and none beyond: %s",
       pithlog_error());
    pithi_encoder_free(e);
}

/* Columns of one value, of many lengths. */
static void test_equal_records(void)
{
    struct pithi_encoder *e = pithi_encoder_new(0);
    struct pithi_block b = {.def_count = UINT32_MAX, .comm_count = UINT32_MAX};
    struct pithi_zip zip = {0};
    struct pithi_buffer payload = {0};
    struct pithi_block_head head;
    struct pithlog_record r = {.kind = PITHLOG_SEND, .peer = 3, .tag = 7, .bytes = 60}, read;
    const char *why = "";
    unsigned bad = 0, large = 0;
    for (uint32_t count = 1; count <= 20000; count += 1 + count / 10) {
        for (uint32_t i = 0; i < count; i++, r.time_ns += 1000)
            bad += !add(e, &r);
        r.time_ns -= 1000 * (int64_t)count;
        payload.size = 0;
        if (pithi_encoder_end(e, &zip, &payload, &head) ||
            pithi_block_load(&b, &zip, payload.data, payload.size, NULL, &why) != PITH_OK) {
            bad++;
            break;
        }
        large += count > 32 && payload.size > PITHI_EVENTS_HEAD + 7 * (PITHI_COLUMN_ENTRY + 16) +
                                                  count / 6; /* the first step differs */
        for (uint32_t i = 0; i < count && pithi_block_step(&b) == 1; i++, r.time_ns += 1000) {
            pithi_block_take(&b, &read);
            bad += !same_record(&r, &read);
        }
        bad += pithi_block_step(&b) != 0;
    }
    OK(bad == 0 && large == 0, "equal records come back (%u bad), from little space (%u large)", bad, large);
    pithi_block_free(&b);
    pithi_encoder_free(e);
    pithi_zip_free(&zip);
    free(payload.data);
}

/* A message for which there is no memory leaves nothing behind: the next attempt stores it once. */
static void test_message_again(void)
{
    static const enum pithi_column columns[] = {PITHI_COL_PEER, PITHI_COL_TAG, PITHI_COL_BYTES, PITHI_COL_POSTED};
    const struct pithlog_record recv = {.kind = PITHLOG_RECV, .peer = 300, .tag = 300, .bytes = 300, .posted = 300};
    struct pithi_encoder *e = pithi_encoder_new(0), *once = pithi_encoder_new(0);
    int failed = 0, same = add(once, &recv);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) { /* this column cannot grow */
        struct pithi_buffer *column = &e->column[columns[i]], kept = *column;
        column->size = column->room = SIZE_MAX / 2;
        failed += !pithi_encoder_message(e, &recv);
        *column = kept;
    }
    same = same && add(e, &recv) && e->head.messages == once->head.messages && e->posted == once->posted;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        same = same && e->column[columns[i]].size == once->column[columns[i]].size;
    OK(failed == 4 && same, "a message stored after attempts without memory");
    pithi_encoder_free(e);
    pithi_encoder_free(once);
}

int main(void)
{
    static const struct program programs[] = {
        {"one state after another", 20, 1, 0, 1000, 50, 0, 0, 1, 9},
        {"states inside each other", 20, 6, 0, 1000, 52, 9, 0, 1, 9},
        {"two states open all along", 20, 6, 2, 1000, 52, 9, -5000000, 1, 9},
        {"a clock of microseconds", 20, 4, 1, 1000, 52, 30, 7, 1000, 12},
        {"states that do not nest", 5, 6, 0, 900, 52, 9, 0, 1, 9},
        {"states rarely not nested", 20, 9, 1, 999, 52, 5, 0, 1, 9},
        {"many ids, most escaped", 3000, 40, 3, 1000, 52, 3, 0, 1, 9},
        {"states that leak", 300, 9000, 0, 1000, 80, 1, 0, 1, 9},
        {"long steps", 20, 3, 1, 1000, 52, 10, INT64_MIN / 2, 3, 20},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        test_program(&programs[i]);
    test_large_id();
    test_equal_records();
    test_message_again();
    return tap_done();
}
