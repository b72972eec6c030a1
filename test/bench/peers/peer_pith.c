/* peer_pith.c - the loop of peer.h recorded by Pith. */
#include "peer.h"
#include "pith.h"

static uint32_t states[PEER_STATES];

static inline void peer_begin(uint32_t state) { pith_begin(states[state]); }
static inline void peer_end(uint32_t state) { pith_end(states[state]); }

int main(int argc, char **argv)
{
    char name[16];
    for (int i = 0; i < PEER_STATES; i++) {
        snprintf(name, sizeof name, "state %d", i);
        states[i] = pith_state_define(name, NULL);
    }
    return peer_run(argc, argv, pith_finish);
}
