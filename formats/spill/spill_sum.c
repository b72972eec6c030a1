/* spill_sum.c - a sum and the sum of its sums, so that words in another order are seen; in eight columns, which a
 * processor adds two at a time and which do not wait for each other. */
#include "spill/spill_sum.h"

#include <string.h>

typedef uint64_t pair __attribute__((vector_size(16)));
struct pairs {
    pair a, b, c, d;
};

static uint64_t mix(uint64_t value, uint64_t more)
{
    value = (value ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

static uint64_t mix_pair(uint64_t value, pair sum, pair sum_of_sums)
{
    return mix(mix(mix(mix(value, sum[0]), sum[1]), sum_of_sums[0]), sum_of_sums[1]);
}

/* Written out, as compilers do not unroll it at -O2 and then keep the sums in memory: 5 times the cost. */
uint64_t pithi_spill_sum(const uint64_t *words, uint64_t count, uint64_t seed)
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
    return pithi_spill_sum(begin, words, header->base_ticks ^ ((uint64_t)header->lane << 32 | header->seq));
}

uint32_t pithi_spill_def_check(const struct pithi_spill_def *def, uint32_t size_bytes)
{
    uint64_t sum = pithi_spill_sum((const uint64_t *)(const void *)(def + 1), (size_bytes - sizeof *def) / 8,
                                   (uint64_t)def->id << 16 | def->type);
    return (uint32_t)(sum ^ sum >> 32) | 1;
}

uint64_t pithi_spill_stored(const uint64_t *begin, const uint64_t *end)
{
    while (end > begin && __atomic_load_n(end - 1, __ATOMIC_RELAXED) == 0)
        end--;
    return (uint64_t)(end - begin);
}
