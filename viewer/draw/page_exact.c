/* page_exact.c - the states and events of a small log with their exact times, so that a page is right at every zoom. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "draw/draw.h"
#include "draw/page_text.h"

/* The open states of a lane, and by level the parts of instances that are open or written. If a state ends before a
 * state inside it, the inner one moves up a level: its part at the old level ends, and one at the new level begins. */
struct exact {
    const struct pithi_draw *draw;
    const int *sign_of;
    uint32_t *stack, depth, capacity;
    struct level {
        int is_open, begins; /* begins: 0: the instance began before this part, elsewhere or before t0 */
        uint32_t id;
        int64_t from_ns, last_ns; /* last_ns: where the last part of the line begins */
        struct pithi_text line;
    } * levels;
    uint32_t level_count, level_capacity;
    struct pithi_text events;
    int64_t last_event_ns;
};

static void end_part(const struct exact *exact, struct level *level, int64_t time_ns)
{
    if (level->is_open) {
        if (!level->begins)
            pithi_text_bytes(&level->line, "^", 1);
        pithi_code_run(&level->line, exact->sign_of[level->id], 0, 1);
        pithi_code_number(&level->line, level->from_ns - level->last_ns);
        pithi_code_number(&level->line, time_ns - level->from_ns);
        level->last_ns = level->from_ns;
    }
    level->is_open = 0;
}

/* Brings the parts up to date after the stack changed from the level `from` on. */
static void follow(struct exact *exact, uint32_t from, int64_t time_ns, int began)
{
    exact->levels = pithi_view_grow(exact->levels, &exact->level_capacity, exact->depth, sizeof *exact->levels);
    for (; exact->level_count < exact->depth; exact->level_count++)
        exact->levels[exact->level_count] = (struct level){.last_ns = exact->draw->t0_ns};
    for (uint32_t i = from; i <= exact->depth && i < exact->level_count; i++) {
        struct level *level = &exact->levels[i];
        end_part(exact, level, time_ns);
        if (i == exact->depth)
            break;
        level->is_open = 1;
        level->begins = began;
        level->id = exact->stack[i];
        level->from_ns = time_ns;
    }
}

static int64_t clamped(const struct exact *exact, int64_t time_ns)
{
    return time_ns < exact->draw->t0_ns   ? exact->draw->t0_ns
           : time_ns > exact->draw->t1_ns ? exact->draw->t1_ns
                                          : time_ns;
}

static void take(struct exact *exact, const struct pithlog_record *record)
{
    int64_t time_ns = clamped(exact, record->time_ns);

    if (exact->sign_of[record->id] < 0) /* hidden */
        return;
    if (record->kind == PITHLOG_EVENT) {
        pithi_code_run(&exact->events, exact->sign_of[record->id], 0, 1);
        pithi_code_number(&exact->events, time_ns - exact->last_event_ns);
        exact->last_event_ns = time_ns;
    } else if (record->kind == PITHLOG_ENTER) {
        exact->stack = pithi_view_grow(exact->stack, &exact->capacity, exact->depth + 1, sizeof *exact->stack);
        exact->stack[exact->depth++] = record->id;
        int begins = record->time_ns >= exact->draw->t0_ns && record->start_ns == record->time_ns;
        follow(exact, exact->depth - 1, time_ns, begins);
    } else {
        uint32_t at = exact->depth;
        while (at && exact->stack[at - 1] != record->id)
            at--;
        if (!at)
            return;
        memmove(&exact->stack[at - 1], &exact->stack[at], (exact->depth - at) * sizeof *exact->stack);
        exact->depth--;
        follow(exact, at - 1, time_ns, 0);
    }
}

static uint32_t size_of(const struct exact *exact)
{
    uint32_t size = exact->events.size;

    for (uint32_t level = 0; level < exact->level_count; level++)
        size += exact->levels[level].line.size;
    return size;
}

/* 1: records of the lane are missing: exact times would hide where. */
static int lacks_records(const struct pithi_draw *draw, uint32_t lane)
{
    struct pithlog_sum *sums = pithi_alloc(pithlog_get_info(draw->log)->defs, sizeof *sums);
    struct pithlog_rest rest;
    int err = pithlog_sums(draw->log, NULL, lane, draw->t0_ns, draw->t1_ns, sums, &rest);

    free(sums);
    return err || rest.missing_ns > 0;
}

/* Reads a lane; -1: its text is longer than `most`, or records are missing. */
static int read_lane(struct exact *exact, uint32_t lane, uint32_t most)
{
    struct pithlog_query query = {.from_ns = exact->draw->t0_ns,
                                  .to_ns = exact->draw->t1_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE | 1u << PITHLOG_EVENT,
                                  .flags = PITHLOG_NEST | PITHLOG_CLIP};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, fits = 1;

    exact->depth = 0;
    exact->last_event_ns = exact->draw->t0_ns;
    exact->events.size = 0;
    for (uint32_t level = 0; level < exact->level_count; level++) {
        exact->levels[level].line.size = 0;
        exact->levels[level].is_open = 0;
        exact->levels[level].last_ns = exact->draw->t0_ns;
    }
    if (pithlog_iter_open(exact->draw->log, &query, &iter))
        return -1;
    for (uint32_t i = 1; (more = pithlog_iter_next(iter, &record)) == 1 && fits; i++) {
        if (record.kind != PITHLOG_EVENT || record.time_ns < exact->draw->t1_ns)
            take(exact, &record);
        fits = i % 4096 || size_of(exact) <= most;
    }
    pithlog_iter_close(iter);
    return more || !fits || size_of(exact) > most || lacks_records(exact->draw, lane) ? -1 : 0;
}

/* Writes the waiting parts of a lane's calls. A part that overlaps those before it begins at their end. */
static void write_waits(const struct exact *exact, uint32_t lane, struct pithi_text *text)
{
    const struct pithi_draw *draw = exact->draw;
    const struct pithlog_wait_state *waits = NULL;
    size_t count = draw->analysis && draw->waits ? pithlog_analysis_waits(draw->analysis, lane, &waits) : 0;
    int64_t last_ns = draw->t0_ns, end_ns = draw->t0_ns;

    for (size_t i = 0; i < count; i++) {
        int64_t from_ns = waits[i].from_ns > end_ns ? waits[i].from_ns : end_ns;
        int64_t to_ns = clamped(exact, waits[i].to_ns);
        if (exact->sign_of[waits[i].state] < 0 || to_ns <= from_ns)
            continue;
        pithi_code_run(text, exact->sign_of[waits[i].state], 0, 1);
        pithi_code_number(text, from_ns - last_ns);
        pithi_code_number(text, to_ns - from_ns);
        last_ns = from_ns;
        end_ns = to_ns;
    }
}

/* Writes a row's lines into `text`, up to its deepest level, and an empty line. A band has only its level; the band
 * PITHI_LEVELS also has all deeper levels, and the first band has the events and the waiting. */
static void write_row(const struct exact *exact, const struct pithi_row *row, struct pithi_text *text)
{
    uint32_t band = row->band, from = band ? band - 1 : 0, used = exact->level_count;

    if (band && band < PITHI_LEVELS && used > band)
        used = band;
    while (used > from && !exact->levels[used - 1].line.size)
        used--;
    if (band <= 1)
        pithi_text_bytes(text, exact->events.data, exact->events.size);
    pithi_text_bytes(text, "\n", 1);
    if (band <= 1)
        write_waits(exact, row->lane, text);
    pithi_text_bytes(text, "\n", 1);
    for (uint32_t level = from; level < used; level++) {
        pithi_text_bytes(text, exact->levels[level].line.data, exact->levels[level].line.size);
        pithi_text_bytes(text, "\n", 1);
    }
    pithi_text_bytes(text, "\n", 1);
}

int pithi_page_exact(const struct pithi_draw *draw, const int *sign_of, uint32_t most, struct pithi_text *text)
{
    struct exact *exact = pithi_alloc(1, sizeof *exact);
    uint32_t lanes;
    int fits = 1;

    exact->draw = draw;
    exact->sign_of = sign_of;
    text->size = 0;
    for (uint32_t i = 0; i < draw->row_count && fits; i++) {
        const struct pithi_row *row = &draw->rows[i];
        pithi_row_lanes(row, &lanes);
        if (row->counter != PITHI_NONE) {
            pithi_text_bytes(text, "\n\n\n", 3);
            continue;
        }
        /* Further bands follow the first band of their lane. If the first band was joined with others to a row of all
         * levels, the page would count states twice. */
        fits = lanes == 1 && text->size < most &&
               (row->band > 1 ? draw->rows[i - 1].band != 0 : read_lane(exact, row->lane, most - text->size) == 0);
        if (fits)
            write_row(exact, row, text);
    }
    for (uint32_t level = 0; level < exact->level_count; level++)
        free(exact->levels[level].line.data);
    free(exact->levels);
    free(exact->events.data);
    free(exact->stack);
    free(exact);
    return fits;
}
