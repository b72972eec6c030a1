/* spill_chunk.c - open states as run lengths in a fixed place, and check values of chunks and definitions.
 *
 * Open states: recursion enters the same state again and again, so an entry has an id and a count. If `main` is entered
 * once and then `walk` 100 times, there are two entries: (main, 1) and (walk, 100). 252 entries are enough for most
 * programs. Deeper states are only counted (spill.h), because a signal handler or a hook may not allocate memory.
 *
 * Check values: they show whether the words of a chunk or definition are as they were stored. A plain sum of the words
 * would stay the same if two words were exchanged. So the sums after each word are added up, too:
 *
 *     words 3, 5: sum 8, sum of the sums 3 + 8 = 11          words 5, 3: sum 8, sum of the sums 5 + 8 = 13 */
#include "spill/spill_chunk.h"

#include <string.h>

#include "base/hash.h"
#include "spill/spill_walk.h"

/* ---- Open states ------------------------------------------------------------------------------------------------- */

/* pithi_open_enter and pithi_open_leave are called once for every ENTER and LEAVE of a ring, so each tests the usual
 * case first: the state is the innermost one. */

#define ONE_MORE (UINT32_C(1) << 20) /* added to an entry, raises its count (the upper 12 bits) by 1 */

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

/* ---- Check values ------------------------------------------------------------------------------------------------ */

/* A reader computes the check value of a chunk or definition again, to verify that its words are as they were stored.
 * The function sum_of adds up these words, and also adds up the sum after each word, so that the check value depends on
 * the order of the words. It deals the words in turn to eight columns, each with two such sums (a, b, c and d have two
 * columns each), because a processor can add several words at the same time. */

typedef uint64_t pair __attribute__((vector_size(16)));
struct pairs {
    pair a, b, c, d;
};

static uint64_t mix(uint64_t value, uint64_t more)
{
    value = pithi_hash_number(value, more);
    return value ^ value >> 32;
}

static uint64_t mix_pair(uint64_t value, pair sum, pair sum_of_sums)
{
    return mix(mix(mix(mix(value, sum[0]), sum[1]), sum_of_sums[0]), sum_of_sums[1]);
}

/* Returns the check value of `count` words, which also depends on `seed`. The loop is unrolled by hand, because at -O2
 * compilers keep arrays of sums in memory, which is 5 times slower. */
static uint64_t sum_of(const uint64_t *words, uint64_t count, uint64_t seed)
{
    pair a = {0}, b = {0}, c = {0}, d = {0}, a_sum = {0}, b_sum = {0}, c_sum = {0}, d_sum = {0};
    uint64_t result = mix(seed, count);
    for (; count >= 8; count -= 8, words += 8) {
        struct pairs next;
        memcpy(&next, words, sizeof next);
        a += next.a;
        b += next.b;
        c += next.c;
        d += next.d;
        a_sum += a;
        b_sum += b;
        c_sum += c;
        d_sum += d;
    }
    result = mix_pair(mix_pair(result, a, a_sum), b, b_sum);
    result = mix_pair(mix_pair(result, c, c_sum), d, d_sum);
    while (count-- > 0)
        result = mix(result, *words++);
    return result;
}

uint64_t pithi_spill_chunk_check(const struct pithi_chunk *header, const uint64_t *begin, uint64_t words)
{
    return sum_of(begin, words, header->base_ticks ^ ((uint64_t)header->lane << 32 | header->seq));
}

uint32_t pithi_spill_def_check(const struct pithi_spill_def *def, uint32_t size_bytes)
{
    uint64_t sum = sum_of((const uint64_t *)(const void *)(def + 1), (size_bytes - sizeof *def) / 8,
                          (uint64_t)def->id << 16 | def->type);
    return (uint32_t)(sum ^ sum >> 32) | 1;
}

uint64_t pithi_spill_stored(const uint64_t *begin, const uint64_t *end)
{
    while (end > begin && __atomic_load_n(end - 1, __ATOMIC_RELAXED) == 0)
        end--;
    return (uint64_t)(end - begin);
}
