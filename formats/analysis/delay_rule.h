/* delay_rule.h - computes when a call would have ended without recording. `pith compensate` uses this rule for a log,
 * and PITH_COMPENSATE for a running program. Times are integer ns. This header includes no other header of the tree, so
 * that log tools and the recorder can use it.
 *
 * In the recorded run, a call ended when its process had done its part and its message had arrived, whichever was
 * later. The end of the call shows how long the later of the two took. How long the earlier one took is not recorded,
 * so its shortest known time is assumed. Therefore the shortest durations of calls and the shortest latencies are
 * learned, by size (1 byte, 2 to 3, 4 to 7 ...). (Malony, Shende, Morris, Wolf: Euro-Par 2005, IJHPCA 2007) */
#ifndef PITHI_DELAY_RULE_H
#define PITHI_DELAY_RULE_H

#include <stdint.h>

enum { PITHI_SIZES = 65 }; /* classes of size: 0 bytes, and each power of two */

/* The shortest times of one size class. Each field holds the time + 1 in ns; 0: none seen. Threads share the fields
 * without a lock. If two threads store at the same time, the shorter time may be lost until it is seen again. */
struct pithi_least {
    /* Durations of calls: ready_ns if the message had arrived before the call began, waited_ns if not. In the entry of
     * messages only waited_ns is set, by calls that began before their message was sent. */
    int64_t ready_ns, waited_ns;
    int64_t latency_ns; /* shortest latency of all messages, early ones (before their receive began) included */
    int64_t flight_ns;  /* latency of messages that were sent before a call began, and arrived during it */
};

static inline unsigned pithi_size_class(uint64_t size_bytes)
{
    return size_bytes ? 64 - (unsigned)__builtin_clzll(size_bytes) : 0;
}

/* Returns a shortest time in ns; INT64_MAX: none seen. */
static inline int64_t pithi_least_get(const int64_t *least)
{
    int64_t known = __atomic_load_n(least, __ATOMIC_RELAXED);
    return known ? known - 1 : INT64_MAX;
}

static inline void pithi_least_lower(int64_t *least, int64_t ns)
{
    ns = ns > 0 ? ns : 0; /* negative if clocks disagree */
    if (ns < pithi_least_get(least))
        __atomic_store_n(least, ns + 1, __ATOMIC_RELAXED);
}

/* Returns the shortest latency, or 0 if it is not known. If all messages arrived before their receives began, the times
 * show how long the messages waited for their receives, not their latencies. So latency_ns counts only if some message
 * was sent during the call that received it, or if a message that arrived during its call (flight_ns) took at most 1.5
 * times as long as latency_ns. */
static inline int64_t pithi_least_latency(const struct pithi_least *messages)
{
    int64_t least = pithi_least_get(&messages->latency_ns), flight = pithi_least_get(&messages->flight_ns);
    return pithi_least_get(&messages->waited_ns) < INT64_MAX || (flight < INT64_MAX && flight - least <= least / 2)
               ? least
               : 0;
}

/* Updates the shortest times after a call that received a message sent at sent_ns (`call` NULL: the message was
 * received outside of calls). If the message was sent less than the call's duration before the call began, it may have
 * arrived during the call; then the time from its send to the call's end counts for flight_ns. If the message was sent
 * at least `latency` before the call began, it had arrived by then, and the call's duration counts for ready_ns.
 * `latency` is one of the two functions below. */
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

/* The argument `latency` of pithi_least_learn for a log. Returns the shortest latency of the messages so far. */
static inline int64_t pithi_least_of_log(const struct pithi_least *messages, int64_t took_ns)
{
    (void)took_ns;
    return pithi_least_get(&messages->latency_ns);
}

/* The argument `latency` of pithi_least_learn while the program runs. Returns the shortest latency if it is known by
 * now, else the call's own duration. */
static inline int64_t pithi_least_so_far(const struct pithi_least *messages, int64_t took_ns)
{
    int64_t latency = pithi_least_latency(messages);
    return latency ? latency : took_ns;
}

/* Returns the shortest duration of a call that does not wait. If all calls seen have waited, the result is an estimate.
 * The estimate is the shortest of three times: that of a call that waited, the latency of the call's messages, and that
 * of a call that sent such a message, sends->ready_ns. `sends` is NULL if the call is a collective. */
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

/* A moment in ns. */
struct pithi_both_ns {
    int64_t at, without; /* as measured; as it would have been without recording */
};

/* Returns when a call would have ended without recording. `end.without`: its measured end less the delay of its own
 * process, that is, when it would have ended without any wait. `least`: the shortest duration of the call; `latency`:
 * the shortest latency of its message. */
static inline int64_t pithi_delay_rule(struct pithi_both_ns begin, struct pithi_both_ns sent, struct pithi_both_ns end,
                                       int64_t least, int64_t latency)
{
    int has_waited = sent.at + latency > begin.at + least;
    int64_t own = has_waited ? begin.without + least : end.without;
    int64_t message = sent.without + (has_waited ? end.at - sent.at : latency);
    return own > message ? own : message;
}

/* Returns when a message would have arrived without recording, for a message that did not decide the end of its call.
 * In the recorded run, it arrived by now_ns at the latest. */
static inline int64_t pithi_delay_other(struct pithi_both_ns sent, int64_t now_ns, int64_t latency)
{
    int64_t passed = now_ns - sent.at;
    return sent.without + (passed < latency ? passed : latency);
}

#endif
