/* delay_rule.h - when a call would have ended had nothing been recorded: the rule of `pith compensate`, for a log, and
 * of PITH_COMPENSATE, for a running program. Integer ns. It includes no header of the tree, so that both can use it.
 *
 * As measured, a call ended when its process had done its part and its message was there, whichever was later. The one
 * that decided is known exactly; the other one is taken to be as short as it can be. So the shortest times of calls and
 * latencies are learned, by size (1 byte, 2 to 3, 4 to 7 ...). (Malony, Shende, Morris, Wolf: Euro-Par 2005,
 * IJHPCA 2007) */
#ifndef PITHI_DELAY_RULE_H
#define PITHI_DELAY_RULE_H

#include <stdint.h>

enum { PITHI_SIZES = 65 }; /* classes of size: 0, and a power of two each */

/* Of one size; each is ns + 1, 0: none seen. Threads may share it: a shorter time that is lost comes again. */
struct pithi_least {
    int64_t ready_ns, waited_ns; /* of calls whose message was there before they began; of the others */
    int64_t latency_ns;          /* of messages, including those that arrived before their receive began */
    int64_t flight_ns;           /* latency of messages that came while a call waited, though sent before it */
};

static inline unsigned pithi_size_class(uint64_t size_bytes)
{
    return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0;
}

/* INT64_MAX: none seen. */
static inline int64_t pithi_least_get(const int64_t *least)
{
    int64_t known = __atomic_load_n(least, __ATOMIC_RELAXED);
    return known ? known - 1 : INT64_MAX;
}

static inline void pithi_least_lower(int64_t *least, int64_t ns)
{
    ns = ns > 0 ? ns : 0; /* clocks that do not agree */
    if (ns < pithi_least_get(least))
        __atomic_store_n(least, ns + 1, __ATOMIC_RELAXED);
}

/* The shortest latency; 0: not known, for how long messages lay there tells nothing, unless they came nearly as soon as
 * one that came while a call took its time. */
static inline int64_t pithi_least_latency(const struct pithi_least *messages)
{
    int64_t least = pithi_least_get(&messages->latency_ns), flight = pithi_least_get(&messages->flight_ns);
    return pithi_least_get(&messages->waited_ns) < INT64_MAX || (flight < INT64_MAX && flight - least <= least / 2)
               ? least
               : 0;
}

/* Learns from a call that ended with a message sent at sent_ns (call NULL: it was received in no call). A message sent
 * before the call may still have been under way; then the call shows its latency. A call counts as ready, that is, its
 * message was there before it began, if the message was sent `latency` before it; see the two functions below. */
static inline void pithi_least_learn(struct pithi_least *call, struct pithi_least *messages, int64_t sent_ns,
                                     int64_t begin_ns, int64_t end_ns,
                                     int64_t (*latency)(const struct pithi_least *messages, int64_t took_ns))
{
    int64_t took = end_ns - begin_ns;
    pithi_least_lower(&messages->latency_ns, end_ns - sent_ns);
    if (sent_ns > begin_ns)
        pithi_least_lower(&messages->waited_ns, took);
    if (begin_ns - sent_ns < took)
        pithi_least_lower(&messages->flight_ns, end_ns - sent_ns);
    if (call)
        pithi_least_lower(sent_ns + latency(messages, took) <= begin_ns ? &call->ready_ns : &call->waited_ns, took);
}

/* In a log, which is read twice: the shortest latency of all messages. */
static inline int64_t pithi_least_of_log(const struct pithi_least *messages, int64_t took_ns)
{
    (void)took_ns;
    return pithi_least_get(&messages->latency_ns);
}

/* While the program runs: the latency, if it is known by now; else the call's own duration. */
static inline int64_t pithi_least_so_far(const struct pithi_least *messages, int64_t took_ns)
{
    int64_t latency = pithi_least_latency(messages);
    return latency ? latency : took_ns;
}

/* As little as a call takes. Where all of them waited, it is no longer than the shortest of them, than a message was
 * under way, and than a call that sent one (`sends`: as ready_ns; NULL: of a collective). */
static inline int64_t pithi_least_call(const struct pithi_least *call, const struct pithi_least *messages,
                                       const struct pithi_least *sends)
{
    int64_t least = pithi_least_latency(messages), ready = pithi_least_get(&call->ready_ns);
    int64_t waited = pithi_least_get(&call->waited_ns), sent = sends ? pithi_least_get(&sends->ready_ns) : INT64_MAX;
    if (ready < INT64_MAX)
        return ready;
    least = waited < least ? waited : least;
    return sent < least ? sent : least;
}

/* A moment as it was measured, and as it would have been. */
struct pithi_both_ns {
    int64_t at, without; /* as measured; without recording */
};

/* When the call would have ended. `end`: as it would have been had it not waited. `least`: as little as it takes;
 * `latency`: of its message. */
static inline int64_t pithi_delay_rule(struct pithi_both_ns begin, struct pithi_both_ns sent, struct pithi_both_ns end,
                                       int64_t least, int64_t latency)
{
    int has_waited = sent.at + latency > begin.at + least;
    int64_t own = has_waited ? begin.without + least : end.without;
    int64_t message = sent.without + (has_waited ? end.at - sent.at : latency);
    return own > message ? own : message;
}

/* When another message of the call would have been there: it was under way no longer than until now. */
static inline int64_t pithi_delay_other(struct pithi_both_ns sent, int64_t now_ns, int64_t latency)
{
    int64_t passed = now_ns - sent.at;
    return sent.without + (passed < latency ? passed : latency);
}

#endif
