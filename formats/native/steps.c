/* steps.c - the table of steps, see steps.h. Where there is no memory it stays as it is: then more is worked out. */
#include "native/steps.h"

#include "native/map.h"

enum { WIDTH_BITS_FIRST = 5, WIDTH_BITS_MOST = 15, ROWS_FIRST = 16 };
#define ENTRIES_MOST (UINT64_C(1) << 20) /* 2 MiB */

void pithi_steps_free(struct pithi_steps *steps)
{
    free(steps->after);
    free(steps->symbol_of);
    free(steps->changes);
    free(steps->counts);
    *steps = (struct pithi_steps){0};
}

/* Rows get wider: the table begins anew. */
static int widen(struct pithi_steps *steps)
{
    uint32_t bits = steps->width_bits ? steps->width_bits + 1 : WIDTH_BITS_FIRST;
    size_t width = (size_t)1 << bits, from = steps->width_bits ? width / 2 : 0;
    if (bits > WIDTH_BITS_MOST || !pithi_resize(&steps->changes, from, width, sizeof *steps->changes) ||
        !pithi_resize(&steps->counts, from, width, sizeof *steps->counts))
        return 0;
    free(steps->after);
    steps->after = NULL;
    steps->rows = 0;
    steps->width_bits = bits;
    return 1;
}

uint32_t pithi_steps_make(struct pithi_steps *steps, uint32_t change)
{
    uint32_t room = steps->change_room ? steps->change_room : 128;
    while (room <= change)
        room *= 2;
    if (room > steps->change_room) {
        if (!pithi_resize(&steps->symbol_of, steps->change_room, room, sizeof *steps->symbol_of))
            return UINT32_MAX;
        steps->change_room = room;
    }
    if ((steps->width_bits == 0 || steps->symbols == 1u << steps->width_bits) && !widen(steps))
        return UINT32_MAX;
    steps->changes[steps->symbols] = change;
    steps->symbol_of[change] = (uint16_t)(steps->symbols + 1);
    return steps->symbols++;
}

void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after)
{
    uint32_t rows = steps->rows ? steps->rows : ROWS_FIRST;
    while (rows <= path)
        rows *= 2;
    if (rows > steps->rows) {
        if ((uint64_t)rows << steps->width_bits > ENTRIES_MOST ||
            !pithi_resize(&steps->after, (size_t)steps->rows << steps->width_bits, (size_t)rows << steps->width_bits,
                          sizeof *steps->after))
            return;
        steps->rows = rows;
    }
    steps->after[((uint64_t)path << steps->width_bits) + symbol] = (uint16_t)(after + 1);
}
