/* shortest.h - what calls and messages take at least, by a log: how long a call lasts that need not wait, and how soon
 * a message is there.
 *
 * By state and size (1 byte, 2 to 3, 4 to 7 ...). Of calls those count whose message was there before they began, by
 * the shortest way known until then; where there were none, the least of: the shortest of the others, the shortest way
 * of such a message, the shortest call that sent one. The way of a message is known where any was sent while its
 * receiver waited, or shortly before; how long others lay there says nothing. */
#ifndef PITHI_SHORTEST_H
#define PITHI_SHORTEST_H

#include <stdint.h>

struct pithi_shortest;

struct pithi_shortest *pithi_shortest_new(uint32_t states); /* NULL: no memory */
void pithi_shortest_free(struct pithi_shortest *shortest);

#define PITHI_ANY_WAY UINT32_MAX /* that of messages from point to point, in all calls the same */

/* A message of `size_bytes`, left at sent_ns, was received at end_ns in a call of `state` that began at begin_ns. The
 * way of a collective is that of the state that began it. */
void pithi_shortest_add(struct pithi_shortest *shortest, uint32_t state, uint64_t size_bytes, uint32_t way,
                        double begin_ns, double sent_ns, double end_ns);
/* A call that sent a message took so long. */
void pithi_shortest_sent(struct pithi_shortest *shortest, uint64_t size_bytes, double ns);
/* As little as such a call takes, and such a message; 0 where nothing is known. */
double pithi_shortest_call(const struct pithi_shortest *shortest, uint32_t state, uint64_t size_bytes, uint32_t way);
double pithi_shortest_way(const struct pithi_shortest *shortest, uint64_t size_bytes, uint32_t way);

#endif
