/* peer_floor.c - the loop of peer.h, which stores the time stamp counter and the state, 16 bytes, into warm memory. */
#include "peer.h"
#include "pith.h"

static uint64_t warm[2 * 65536], *next = warm;

static inline void peer_begin(uint32_t state)
{
    uint64_t ticks = pith_ticks_();
    __atomic_store_n(next, ticks, __ATOMIC_RELAXED);
    __atomic_store_n(next + 1, state, __ATOMIC_RELAXED);
    next = next + 2 < warm + 2 * 65536 ? next + 2 : warm;
}
static inline void peer_end(uint32_t state) { peer_begin(state); }

int main(int argc, char **argv)
{
    for (int i = 0; i < 2 * 65536; i++)
        warm[i] = 1;
    return peer_run(argc, argv, NULL);
}
