/* spill_open.c - open states as run lengths in a fixed place. A scan goes over every record of a ring once, so the way
 * of the innermost state is short. */
#include "spill/spill_open.h"

#include <string.h>

#include "spill/spill_walk.h"

#define ONE_MORE (UINT32_C(1) << 20)

void pithi_open_enter(struct pithi_spill_open *open, uint32_t id)
{
    uint32_t count = open->count;
    if (open->above == 0 && count > 0 && pithi_open_id(open->entries[count - 1]) == id &&
        open->entries[count - 1] < UINT32_MAX - PITHI_WORD_ID_MASK)
        open->entries[count - 1] += ONE_MORE;
    else if (open->above == 0 && count < PITHI_OPEN_ROOM)
        open->entries[open->count++] = id;
    else
        open->above++;
}

int pithi_open_leave(struct pithi_spill_open *open, uint32_t id)
{
    uint32_t i = open->count;
    if (open->above != 0) {
        open->above--;
        return 0;
    }
    do {
        if (i-- == 0)
            return 0;
    } while (pithi_open_id(open->entries[i]) != id);
    if (open->entries[i] >= ONE_MORE) {
        open->entries[i] -= ONE_MORE;
        return 1;
    }
    open->count--;
    memmove(open->entries + i, open->entries + i + 1, (open->count - i) * sizeof open->entries[0]);
    return 1;
}

uint64_t pithi_open_scan(struct pithi_spill_open *open, const uint64_t *word, const uint64_t *end)
{
    uint64_t records = 0, words;
    for (; word < end; word += words) {
        uint64_t first = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        uint32_t kind = (uint32_t)first & 15, id = (uint32_t)(first >> 4) & PITHI_WORD_ID_MASK;
        words = 1;
        if (kind == PITHI_W_ENTER)
            pithi_open_enter(open, id);
        else if (kind == PITHI_W_LEAVE)
            pithi_open_leave(open, id);
        else if (first == 0)
            words = (uint64_t)(pithi_spill_behind_hole(word, end) - word);
        else if ((words = pithi_spill_record_words(word, (uint64_t)(end - word))) == 0)
            break;
        records += first != 0 && kind != PITHI_W_TIME && kind != PITHI_W_CLAIMED;
    }
    return records;
}
