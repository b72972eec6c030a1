/* clock_turns.h - when clocks are compared while the program runs (PITH_SYNC).
 *
 * Some collective calls are turns: all processes take them, in the same order. At some turns, whose numbers all know,
 * rank 0 says whether the clocks are to be compared now, and the number of the turn at which it will say so next; so
 * all do the same whatever the clock of each shows. It asks for one half of the way, by how fast turns came so far, to
 * the moment at which it is due, and never for more than twice the turns so far: in an hour these are some tens. With
 * one machine nothing is sent.
 *
 * Who goes by the clocks while the program runs (pith_clocks_follow) needs their drift, and nobody may have asked for
 * this. Then they are compared after FIRST_NS, and each time when as much time again has passed: in an hour 16 times. A
 * drift that was found over some time is as good for as much time again. */
#ifndef PITHI_CLOCK_TURNS_H
#define PITHI_CLOCK_TURNS_H

#include "pith_tool.h"

/* Clocks were compared, and are to be every `every_ns` from now on; 0: never. Rank 0's word counts. */
void pithi_turns_begin(int64_t every_ns);

/* Collective: a turn. 1: they are to be compared now. */
int pithi_turns_take(const struct pith_transport *transport);

#endif
