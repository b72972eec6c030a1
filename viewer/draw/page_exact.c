/* page_exact.c - the states and events of a small log with their exact times, so that a page is right at every zoom.
 *
 * Each level of a lane is a line of parts: a sign, the time since the part before began, the length. For states A and
 * B (signs A and B, all times in ns and base 36)
 *
 *     A from 0 to 100, B in it from 20 to 50           level 0: A0 2s     level 1: Bk u
 *     then A from 120 to 150                           level 0: A3c u
 *
 * 100 is 2s, 20 is k, 30 is u, and 3c is 120, from the begin of the first A to that of the second.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "draw/draw.h"
#include "draw/page_text.h"

/* By level, the parts of a lane's instances that are open or written. If a state ends before a state inside it, the
 * inner one moves up a level: its part at the old level ends, and one at the new level begins. */
struct exact {
    const struct pithi_draw *draw;
    const int *sign_of;
    struct level {
        int is_open, begins; /* begins: 0: the instance began before this part, elsewhere or before t0 */
        uint32_t id;
        int64_t from_ns, last_ns; /* last_ns: where the last part of the line begins */
        struct pithi_text line;
    } * levels;
    uint32_t level_count, level_capacity;
    int has_begun; /* the last step began a state */
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

static int64_t clamped(const struct exact *exact, int64_t time_ns)
{
    return time_ns < exact->draw->t0_ns   ? exact->draw->t0_ns
           : time_ns > exact->draw->t1_ns ? exact->draw->t1_ns
                                          : time_ns;
}

static struct level *level_at(struct exact *exact, uint32_t index)
{
    exact->levels = pithi_view_grow(exact->levels, &exact->level_capacity, index + 1, sizeof *exact->levels);
    for (; exact->level_count <= index; exact->level_count++)
        exact->levels[exact->level_count] = (struct level){.last_ns = exact->draw->t0_ns};
    return &exact->levels[index];
}

/* Brings the parts up to date where an interval begins. Hidden states have no level. */
static void begin_interval(struct exact *exact, const struct pithlog_step *step)
{
    int64_t time_ns = clamped(exact, step->from_ns);
    uint32_t index = 0, first = 0;

    for (uint32_t i = 0; i < step->kept; i++)
        first += exact->sign_of[step->open[i].id] >= 0;
    for (uint32_t i = first; i < exact->level_count; i++)
        end_part(exact, &exact->levels[i], time_ns);
    for (uint32_t i = step->kept; i < step->depth; i++) {
        if (exact->sign_of[step->open[i].id] < 0)
            continue;
        struct level *level = level_at(exact, first + index++);
        level->is_open = 1;
        level->begins = exact->has_begun && i + 1 == step->depth;
        level->id = step->open[i].id;
        level->from_ns = time_ns;
    }
}

static void take(struct exact *exact, const struct pithlog_step *step)
{
    int64_t time_ns = clamped(exact, step->to_ns);

    begin_interval(exact, step);
    exact->has_begun = step->change == PITHLOG_BEGINS && step->why == 0;
    if (step->change != PITHLOG_HAPPENS || step->record->kind != PITHLOG_EVENT || step->to_ns >= exact->draw->t1_ns ||
        exact->sign_of[step->record->id] < 0)
        return;
    pithi_code_run(&exact->events, exact->sign_of[step->record->id], 0, 1);
    pithi_code_number(&exact->events, time_ns - exact->last_event_ns);
    exact->last_event_ns = time_ns;
}

static uint32_t size_of(const struct exact *exact)
{
    uint32_t size = exact->events.size;

    for (uint32_t level = 0; level < exact->level_count; level++)
        size += exact->levels[level].line.size;
    return size;
}

/* Reads a lane; -1: its text is longer than `most`, or records are missing. */
static int read_lane(struct exact *exact, uint32_t lane, uint32_t most)
{
    struct pithlog_query query = {.from_ns = exact->draw->t0_ns,
                                  .to_ns = exact->draw->t1_ns,
                                  .lanes = &lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int more, fits = 1;

    exact->has_begun = 0;
    exact->last_event_ns = exact->draw->t0_ns;
    exact->events.size = 0;
    for (uint32_t level = 0; level < exact->level_count; level++) {
        exact->levels[level].line.size = 0;
        exact->levels[level].is_open = 0;
        exact->levels[level].last_ns = exact->draw->t0_ns;
    }
    if (pithlog_walk_open(exact->draw->log, &query, &walk))
        return -1;
    for (uint32_t i = 1; (more = pithlog_walk_next(walk, &step)) == 1 && fits; i++) {
        take(exact, &step);
        fits = (step.is != PITHLOG_IS_HOLE || step.from_ns == step.to_ns) && (i % 4096 || size_of(exact) <= most);
    }
    pithlog_walk_close(walk);
    return more || !fits || size_of(exact) > most ? -1 : 0;
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
    free(exact);
    return fits;
}

/* ---- Call sites -------------------------------------------------------------------------------------------------- */

static void write_sites(const struct pithi_draw *draw, uint32_t lane, const uint32_t *number_of,
                        struct pithi_text *text)
{
    struct pithlog_query query = {
        .from_ns = draw->t0_ns, .to_ns = draw->t1_ns, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int64_t last_ns = draw->t0_ns;

    if (pithlog_iter_open(draw->flames->log, &query, &iter))
        return;
    while (pithlog_iter_next(iter, &record) == 1) {
        if (!pithi_flames_is_site(draw->flames, record.id))
            continue;
        pithi_code_number(text, record.time_ns - last_ns);
        pithi_code_number(text, number_of[record.id]);
        last_ns = record.time_ns;
    }
    pithlog_iter_close(iter);
}

void pithi_page_sites(const struct pithi_draw *draw, struct pithi_text *text)
{
    uint32_t defs = pithlog_get_info(draw->flames->log)->defs, count = 0;
    uint32_t *number_of = pithi_alloc(defs, sizeof *number_of);

    pithi_text_add(text, "sites: [");
    for (uint32_t id = 0; id < defs; id++)
        if (pithi_flames_is_site(draw->flames, id)) {
            pithi_code_string(text, pithlog_get_def(draw->flames->log, id)->name);
            pithi_text_add(text, ", ");
            number_of[id] = count++;
        }
    pithi_text_add(text, "], calls: `");
    for (uint32_t i = 0; i < draw->row_count; i++) {
        if (draw->rows[i].counter == PITHI_NONE && draw->rows[i].band <= 1)
            write_sites(draw, draw->rows[i].lane, number_of, text);
        pithi_text_bytes(text, "\n", 1);
    }
    pithi_text_add(text, "`,\n");
    free(number_of);
}
