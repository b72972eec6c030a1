/* own_sum.c - see own_sum.h. */
#include "own_sum.h"

#include "buffer.h"
#include "calibrate.h"
#include "own_cost.h"
#include "pith_tool.h"
#include "spill/spill_walk.h"

int pithi_own_summing;

static __thread struct {
    const uint64_t *seen; /* counted up to here; NULL: nothing in this chunk */
    double ns;
} own __attribute__((tls_model("initial-exec")));

/* States of wrapped calls by id, a bit each. Those beyond are taken for others: their calls seem 1 ns cheaper. */
enum { IDS = 4096 };
static uint64_t wrapped[IDS / 64];

void pithi_own_sum_wrapped(uint32_t id)
{
    if (id < IDS)
        __atomic_or_fetch(&wrapped[id / 64], UINT64_C(1) << id % 64, __ATOMIC_RELAXED);
}

static int is_wrapped(uint64_t word)
{
    uint64_t id = word >> 4 & PITHI_WORD_ID_MASK;
    return id < IDS && (__atomic_load_n(&wrapped[id / 64], __ATOMIC_RELAXED) >> id % 64 & 1) != 0;
}

static double cost_of(const struct pithi_own_cost *costs, uint64_t word)
{
    static const unsigned char kinds[16] = {
        [PITHI_W_ENTER] = PITHLOG_ENTER,     [PITHI_W_LEAVE] = PITHLOG_LEAVE,      [PITHI_W_EVENT] = PITHLOG_EVENT,
        [PITHI_W_COUNTER] = PITHLOG_COUNTER, [PITHI_W_EVENT_DATA] = PITHLOG_EVENT, [PITHI_W_SEND] = PITHLOG_SEND,
        [PITHI_W_RECV] = PITHLOG_RECV,       [PITHI_W_COLL] = PITHLOG_COLL};
    unsigned kind = kinds[word & 15];
    double ns = kind ? costs->ns[kind] : 0;
    return kind == PITHLOG_LEAVE && is_wrapped(word) ? ns + costs->ns[PITHLOG_OWN_CALL] : ns;
}

void pithi_own_sum_to(const struct pithi_lane *lane, const uint64_t *next)
{
    const struct pithi_own_cost *costs = pithi_calibrate_costs();
    const uint64_t *word = own.seen ? own.seen : lane->entered ? lane->entered : lane->begin;
    uint64_t words;
    while (word < next && (words = pithi_spill_record_words(word, (uint64_t)(next - word))) != 0) {
        own.ns += cost_of(costs, *word);
        word += words;
    }
    own.seen = word;
}

void pithi_own_sum_left(void) { own.seen = NULL; }

void pithi_own_sum_add(uint64_t ns) { own.ns += (double)ns; }

int64_t pith_own_cost_sum(void)
{
    __atomic_store_n(&pithi_own_summing, 1, __ATOMIC_RELAXED);
    pithi_buffer_sum();
    return (int64_t)own.ns;
}
