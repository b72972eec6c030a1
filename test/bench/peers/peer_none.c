/* peer_none.c - the loop of peer.h recorded by nobody, with calls of functions: compiled with -pg, `uftrace record`
 * sees each of them come and go. */
#include "peer.h"

__attribute__((noinline)) static void traced(uint32_t state) { __asm__ volatile("" : : "r"(state)); }

static inline void peer_begin(uint32_t state) { traced(state); }
static inline void peer_end(uint32_t state) { (void)state; }

int main(int argc, char **argv) { return peer_run(argc, argv, NULL); }
