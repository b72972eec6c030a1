/* page_text.c - cells, numbers and names as letters. */
#include "draw/page_text.h"

#include <inttypes.h>
#include <math.h>

#include "core/words.h"
#include "draw/draw.h"

/* Leaves out digits, blank, & and ', and the characters with a meaning in a script's string: ` $ \ < */
static const char signs[PITHI_SIGNS + 1] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=?@[]";

/* Only bars at least this wide get a dividing line; shorter neighbouring bars of one state are joined. */
enum { DIVIDED_FROM = 4 };

void pithi_code_run(struct pithi_text *text, int number, int low, uint32_t length)
{
    if (number < 0)
        pithi_text_bytes(text, " ", 1);
    else if (number < PITHI_SIGNS)
        pithi_text_add(text, "%s%c", low ? "'" : "", signs[number]);
    else
        pithi_text_add(text, "%s&%c%c", low ? "'" : "", signs[number / PITHI_SIGNS], signs[number % PITHI_SIGNS]);
    if (length > 1)
        pithi_text_add(text, "%" PRIu32, length);
}

static int is_low(const struct pithi_cell *cell) { return cell->state != PITHI_NONE && cell->cover < 128; }

static uint32_t run_end(const struct pithi_cell *cells, uint32_t width, uint32_t from)
{
    uint32_t c = from + 1;

    while (c < width && cells[c].state == cells[from].state && is_low(&cells[c]) == is_low(&cells[from]) &&
           !(cells[c].flags & PITHI_CELL_BEGIN && c - from >= DIVIDED_FROM))
        c++;
    return c;
}

/* Tells whether a run may have several instances: it joins them, or comes from pieces of a summary. */
static int has_many(const struct pithi_cell *cells, uint32_t from, uint32_t end)
{
    for (uint32_t c = from; c < end; c++)
        if (cells[c].flags & PITHI_CELL_PIECE || (c > from && cells[c].flags & PITHI_CELL_BEGIN))
            return 1;
    return 0;
}

void pithi_code_cells(struct pithi_text *text, const struct pithi_cell *cells, uint32_t width, const int *sign_of,
                      int group)
{
    for (uint32_t c = 0, end; c < width; c = end) {
        end = run_end(cells, width, c);
        if (cells[c].state != PITHI_NONE && sign_of[cells[c].state] >= 0) {
            if (!(cells[c].flags & PITHI_CELL_BEGIN))
                pithi_text_bytes(text, "^", 1);
            if (end - c > 2 && (group || has_many(cells, c, end)))
                pithi_text_bytes(text, "~", 1);
        }
        if (end < width || cells[c].state != PITHI_NONE)
            pithi_code_run(text, cells[c].state == PITHI_NONE ? -1 : sign_of[cells[c].state], is_low(&cells[c]),
                           end - c);
    }
}

void pithi_code_numbers(struct pithi_text *text, const int *numbers, uint32_t columns)
{
    for (uint32_t c = 0, end; c < columns; c = end) {
        for (end = c + 1; end < columns && numbers[end] == numbers[c]; end++)
            continue;
        pithi_code_run(text, numbers[c], 0, end - c);
    }
    pithi_text_bytes(text, "\n", 1);
}

int64_t pithi_page_base(const struct pithi_draw *draw)
{
    return draw->t0_ns < 0 ? 0 : draw->t0_ns - draw->t0_ns % INT64_C(1000000000000000);
}

void pithi_code_lane(struct pithi_text *text, const struct pithi_draw *draw, uint32_t lane, uint32_t lanes)
{
    const struct pithi_gaps *gaps = &draw->gaps;
    int64_t base_ns = pithi_page_base(draw);

    pithi_text_add(text, ", lanes: %" PRIu32 ", gaps: [", lanes);
    for (uint32_t i = pithi_gaps_of(gaps, lane); lanes == 1 && i < gaps->count && gaps->items[i].lane == lane; i++)
        pithi_text_add(text, "%" PRId64 ", %" PRId64 ", %" PRIu64 ", ", gaps->items[i].from_ns - base_ns,
                       gaps->items[i].to_ns - base_ns, gaps->items[i].lost);
    pithi_text_add(text, "]");
}

void pithi_code_counter(struct pithi_text *text, const struct pithi_draw *draw, const struct pithi_row *row)
{
    const struct pithlog_series *series;
    uint32_t i = 0;

    while ((series = pithlog_digest_series(draw->digest, i)) &&
           (series->lane != row->lane || series->counter != row->counter))
        i++;
    if (series)
        pithi_text_add(text, ", colour: \"#%06x\", low: %.9g, high: %.9g", draw->rgb[row->counter],
                       fmin(series->low, 0), fmax(series->high, 0));
}

void pithi_code_empty(struct pithi_text *text, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        pithi_text_bytes(text, "\n", 1);
}

void pithi_code_number(struct pithi_text *text, int64_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[16];
    size_t place = sizeof digits;

    digits[--place] = ' ';
    do {
        digits[--place] = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
        rest /= 36;
    } while (rest);
    if (number < 0)
        digits[--place] = '-';
    pithi_text_bytes(text, digits + place, sizeof digits - place);
}

void pithi_code_string(struct pithi_text *text, const char *string)
{
    char clean[512];

    pithi_clean(clean, sizeof clean, string, 0);
    pithi_text_bytes(text, "\"", 1);
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\' || *c == '<' || *c == '&')
            pithi_text_add(text, "\\x%02x", (unsigned)*c);
        else
            pithi_text_bytes(text, c, 1);
    }
    pithi_text_bytes(text, "\"", 1);
}
