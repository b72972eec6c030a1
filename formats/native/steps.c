/* steps.c - the table of steps, see steps.h. Where there is no memory it stays as it is: then more is worked out. */
#include "native/steps.h"

#include "native/map.h"

enum { WIDTH_FIRST = 32, WIDTH_MOST = 1 << 15, ROWS_FIRST = 16 };
#define ENTRIES_MOST (UINT64_C(1) << 20) /* 2 MiB */

void pithi_steps_free(struct pithi_steps *steps)
{
    free(steps->after);
    free(steps->symbol_of);
    free(steps->changes);
    free(steps->counts);
    *steps = (struct pithi_steps){0};
}

/* Room for more symbols: the table begins anew. */
static int widen(struct pithi_steps *steps)
{
    uint32_t from = steps->width, width = from ? from * 2 : WIDTH_FIRST;
    if (width > WIDTH_MOST || !pithi_resize(&steps->changes, from, width, sizeof *steps->changes) ||
        !pithi_resize(&steps->counts, from, width, sizeof *steps->counts))
        return 0;
    free(steps->after);
    steps->after = NULL;
    steps->rows = 0;
    steps->width = width;
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
    if (steps->symbols == steps->width && !widen(steps))
        return UINT32_MAX;
    steps->changes[steps->symbols] = change;
    steps->symbol_of[change] = (uint16_t)(steps->symbols + 1);
    return steps->symbols++;
}

/* Makes room for more paths, and moves the stored steps to their new places. 0: too many, or no memory. */
static int lengthen(struct pithi_steps *steps, uint32_t rows)
{
    uint64_t entries = (uint64_t)steps->width * rows;
    uint16_t *after = entries <= ENTRIES_MOST ? malloc(entries * sizeof *after) : NULL;
    if (!after)
        return 0;
    memset(after, 0xff, entries * sizeof *after);
    for (uint32_t i = 0; steps->rows > 0 && i < steps->width; i++)
        memcpy(after + (size_t)i * rows, steps->after + (size_t)i * steps->rows, steps->rows * sizeof *after);
    free(steps->after);
    steps->after = after;
    steps->rows = rows;
    return 1;
}

void pithi_steps_put(struct pithi_steps *steps, uint32_t path, uint32_t symbol, uint32_t after)
{
    uint32_t rows = steps->rows ? steps->rows : ROWS_FIRST;
    while (rows <= path)
        rows = rows * 2 + 96;
    if (rows > steps->rows && !lengthen(steps, rows))
        return;
    steps->after[(uint64_t)symbol * steps->rows + path] = (uint16_t)after;
}
_Static_assert((uint16_t)PITHI_PATH_NONE == UINT16_MAX, "empty places are all ones");
