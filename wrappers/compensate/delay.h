/* delay.h - the delay of each thread: how much earlier it would have reached its current point without recording.
 * PITH_COMPENSATE updates it while the program runs.
 *
 * The delay x of a thread grows by the cost of recording (own.h). Where the thread waits for another process, the rule
 * of Malony, Shende, Morris, Wolf (Euro-Par 2005, IJHPCA 2007) applies, computed from times as in `pith compensate`:
 * without recording, a call would have ended when the thread had done its part or when the message had arrived,
 * whichever is later. So a message carries two numbers (struct pithi_header): the sender's delay x1, and the time of
 * sending.
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   waited 80: x2 = min(30, 5 + 80) = 30                    140 - 30 = 110
 *
 * A call does not wait for a message that arrived before it: x2 = min(x1 + how long the message lay there, x2). Without
 * the time of sending (machines whose clocks were not compared: pithi_delay_one_clock is 0), only x2 = min(x1, x2 +
 * time waited) is known.
 */
#ifndef PITHI_DELAY_H
#define PITHI_DELAY_H

#include <analysis/delay_rule.h>
#include <stdint.h>
#include <time.h>

/* The mode from PITH_COMPENSATE, after all processes have agreed on it. */
enum pithi_compensate {
    PITHI_COMPENSATE_OFF,
    PITHI_COMPENSATE_LOCAL,    /* own costs only */
    PITHI_COMPENSATE_MESSAGE,  /* each header is a message of its own */
    PITHI_COMPENSATE_DATATYPE, /* each message begins with a header, by a struct datatype */
    PITHI_COMPENSATE_AUTO      /* the same, but small messages are copied */
};
extern int pithi_compensate __attribute__((visibility("hidden")));

/* For tools that show the delay (any thread, any time; 0 without PITH_COMPENSATE): the current delay of this thread in
 * ns, and that of the process: the larger one of this thread's and the first thread's, which that thread updates at
 * each MPI call that sends delays. Without recording, the time from a to b would be
 * (b - a) - (delay at b - delay at a). About 20 ns. */
int64_t pithi_delay_ns(void);
int64_t pithi_delay_total_ns(void);

/* ---- for the files of this folder -------------------------------------------------------------------------------- */

static inline int64_t pithi_delay_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* 1: all processes share CLOCK_MONOTONIC, or know its offset to rank 0's machine. */
extern int pithi_delay_one_clock __attribute__((visibility("hidden")));
extern int pithi_delay_several_clocks __attribute__((visibility("hidden")));
/* The offset from this process's clock to the shared one. */
int64_t pithi_delay_offset(int64_t local_ns);

/* The header of a message. */
struct pithi_header {
    int64_t delay_ns, sent_ns; /* the sender's delay and the time of sending by the shared clock */
    int64_t size_bytes;        /* of the message: some libraries do not return it from all calls */
    int64_t held;              /* number of a message that stays until its sender waits (rendezvous.h), or 0 */
    int64_t latency_ns;        /* the smallest latency that the sender knows for this size, or 0 */
};

/* Fills in delay_ns and sent_ns for a message that is sent now. Our part of the call began at from_ns; its time up to
 * now counts in the delay. The rest of our part is an own cost, which moves both numbers. */
void pithi_delay_fill(struct pithi_header *header, int64_t from_ns);

/* Measures the cost of one clock read. */
void pithi_delay_begin(void);
/* What one of our parts of calls typically takes, about the median. */
struct pithi_typical {
    int64_t ns;     /* the estimate */
    uint32_t count; /* how many calls it is from, as long as these are few */
};
/* Counts the time from `begin_ns` to now, our own part of a call, as an own cost, at most what this part can take.
 * Returns now. */
#define pithi_delay_spent(begin_ns)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_typical typical_;                                                                          \
        pithi_delay_spent_of(&typical_, begin_ns);                                                                     \
    })
/* `typical`: NULL for a part that is rare and made of several calls, such as making a communicator: all of it
 * counts. */
int64_t pithi_delay_spent_of(struct pithi_typical *typical, int64_t begin_ns);
/* This part also copies so many bytes. */
void pithi_delay_copies(uint64_t bytes);
/* Sets the delay to x_ns (never below 0). */
void pithi_delay_set(int64_t x_ns);

/* The shortest times of a wrapper's function. */
#define PITHI_LEAST                                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_least least_[PITHI_SIZES];                                                                 \
        least_;                                                                                                        \
    })

/* The messages that a call waited for. */
struct pithi_wait {
    int64_t begin_ns, end_ns;      /* of the library's own call */
    struct pithi_least *least;     /* the function's times; NULL: they say nothing about the wait */
    struct pithi_least *latencies; /* latencies of a collective's function; NULL: point-to-point latencies */
    int count;                     /* number of messages */
    struct pithi_header last;      /* the message sent last */
    uint64_t last_bytes;
    int64_t others_ns; /* the latest time at which the other messages would have arrived */
};
/* Set the fields before `count` and clear the others; then add each message, and apply the rule. */
void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes);
void pithi_delay_waited(const struct pithi_wait *wait);
/* The smallest known latency for that size, for the header; 0: unknown. */
int64_t pithi_delay_latency(uint64_t size_bytes);
/* A call that sent a message took this time. */
void pithi_delay_sent(uint64_t size_bytes, int64_t ns);

#endif
