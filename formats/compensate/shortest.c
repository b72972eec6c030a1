/* shortest.c - see shortest.h. */
#include "compensate/shortest.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 65 };

struct least {
    double ready_ns, waited_ns, way_ns; /* INFINITY: none seen */
    double flight_ns;                   /* the way of messages that came while a call waited, though sent before it */
};

struct pithi_shortest {
    uint32_t states; /* the rows behind the last one: messages from point to point, and as `ready_ns` the sends */
    struct least rows[];
};

struct pithi_shortest *pithi_shortest_new(uint32_t states)
{
    size_t count = ((size_t)states + 1) * SIZES;
    struct pithi_shortest *s = malloc(sizeof *s + count * sizeof *s->rows);
    if (!s)
        return NULL;
    s->states = states;
    for (size_t i = 0; i < count; i++)
        s->rows[i] = (struct least){INFINITY, INFINITY, INFINITY, INFINITY};
    return s;
}

void pithi_shortest_free(struct pithi_shortest *s) { free(s); }

static size_t row(const struct pithi_shortest *s, uint32_t state, uint64_t size_bytes)
{
    return (size_t)(state < s->states ? state : s->states) * SIZES +
           (size_bytes ? 64 - (size_t)__builtin_clzll(size_bytes) : 0);
}

static void lower(double *least, double value)
{
    value = value > 0 ? value : 0; /* clocks that do not agree */
    if (value < *least)
        *least = value;
}

void pithi_shortest_add(struct pithi_shortest *s, uint32_t state, uint64_t size_bytes, uint32_t way_of, double begin_ns,
                        double sent_ns, double end_ns)
{
    struct least *call = &s->rows[row(s, state, size_bytes)];
    struct least *way = &s->rows[row(s, way_of, size_bytes)];
    lower(&way->way_ns, end_ns - sent_ns);
    if (sent_ns > begin_ns && way != call)
        lower(&way->waited_ns, end_ns - begin_ns);
    if (begin_ns - sent_ns < end_ns - begin_ns)
        lower(&way->flight_ns, end_ns - sent_ns);
    if (state < s->states) /* one sent before may have been under way still: then the call tells of that */
        lower(sent_ns + way->way_ns <= begin_ns ? &call->ready_ns : &call->waited_ns, end_ns - begin_ns);
}

void pithi_shortest_sent(struct pithi_shortest *s, uint64_t size_bytes, double ns)
{
    lower(&s->rows[row(s, s->states, size_bytes)].ready_ns, ns);
}

/* A call may be long for other reasons than its message; then others that lay there came sooner than that. */
#define FLIGHT_MOST 1.5

double pithi_shortest_way(const struct pithi_shortest *s, uint64_t size_bytes, uint32_t way_of)
{
    const struct least *way = &s->rows[row(s, way_of, size_bytes)];
    return way->waited_ns < INFINITY || (way->flight_ns < INFINITY && way->flight_ns <= way->way_ns * FLIGHT_MOST)
               ? way->way_ns
               : 0;
}

double pithi_shortest_call(const struct pithi_shortest *s, uint32_t state, uint64_t size_bytes, uint32_t way_of)
{
    const struct least *call = &s->rows[row(s, state, size_bytes)];
    double least = pithi_shortest_way(s, size_bytes, way_of);
    if (call->ready_ns < INFINITY)
        return call->ready_ns;
    if (call->waited_ns < least)
        least = call->waited_ns;
    if (way_of == PITHI_ANY_WAY && s->rows[row(s, s->states, size_bytes)].ready_ns < least)
        least = s->rows[row(s, s->states, size_bytes)].ready_ns;
    return least;
}
