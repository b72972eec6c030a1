/* page_path.c - the critical path of a page: exact, or, if it has too many steps, by columns. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/waiting.h"
#include "draw/draw.h"
#include "draw/page_text.h"

/* The most steps, and the columns of a path that has more. */
enum { PATH_COLUMNS = 8192 };

/* A stretch of the critical path on one row, or PITHI_NONE. */
struct path_step {
    int64_t length;
    uint32_t row;
};

static uint32_t add_step(struct path_step *steps, uint32_t count, int64_t length, uint32_t row)
{
    if (length <= 0)
        return count;
    if (count && steps[count - 1].row == row) {
        steps[count - 1].length += length;
        return count;
    }
    steps[count] = (struct path_step){length, row};
    return count + 1;
}

/* The steps in nanoseconds; 0: there are more than `most`. */
static uint32_t exact_steps(const struct pithi_draw *draw, const uint32_t *row_of_lane, struct path_step *steps,
                            uint32_t most)
{
    const struct pithlog_path_part *parts;
    size_t part_count = pithlog_analysis_path(draw->analysis, &parts);
    int64_t at_ns = draw->t0_ns;
    uint32_t count = 0;

    for (size_t i = 0; i < part_count && at_ns < draw->t1_ns; i++) {
        int64_t to_ns = parts[i].to_ns < draw->t1_ns ? parts[i].to_ns : draw->t1_ns;
        int64_t from_ns = parts[i].from_ns > at_ns ? parts[i].from_ns : at_ns;
        if (to_ns <= from_ns)
            continue;
        if (count + 3 > most) /* two steps more, and one behind the last part */
            return 0;
        count = add_step(steps, count, from_ns - at_ns, PITHI_NONE);
        count = add_step(steps, count, to_ns - from_ns, row_of_lane[parts[i].lane]);
        at_ns = to_ns;
    }
    return add_step(steps, count, draw->t1_ns - at_ns, PITHI_NONE);
}

/* The steps in columns. */
static uint32_t coarse_steps(const struct pithi_draw *draw, const uint32_t *row_of_lane, struct path_step *steps)
{
    struct pithi_analysis_window window = {draw->analysis, draw->t0_ns, draw->t1_ns, PATH_COLUMNS};
    uint32_t *row = pithi_alloc(PATH_COLUMNS, sizeof *row), count = 0;

    pithi_path_columns(&window, row_of_lane, row);
    for (uint32_t c = 0; c < PATH_COLUMNS; c++)
        count = add_step(steps, count, 1, row[c]);
    free(row);
    return count;
}

void pithi_page_path(const struct pithi_draw *draw, struct pithi_text *text)
{
    uint32_t *row_of_lane = pithi_rows_of_lanes(draw->log, draw->rows, draw->row_count);
    struct path_step *steps = pithi_alloc(PATH_COLUMNS, sizeof *steps);
    uint32_t count = exact_steps(draw, row_of_lane, steps, PATH_COLUMNS);

    pithi_text_add(text, "pathColumns: %d, path: \"", count ? 0 : PATH_COLUMNS);
    if (!count)
        count = coarse_steps(draw, row_of_lane, steps);
    for (uint32_t i = 0; i < count; i++) {
        pithi_code_number(text, steps[i].length);
        pithi_code_number(text, steps[i].row == PITHI_NONE ? -1 : (int64_t)steps[i].row);
    }
    pithi_text_add(text, "\",\n");
    free(row_of_lane);
    free(steps);
}
