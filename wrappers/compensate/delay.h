/* delay.h - the delay of each thread: how much earlier it would have reached its current point without recording.
 * PITH_COMPENSATE updates it while the program runs.
 *
 * The delay x of a thread grows by the cost of recording (own.h). Where the thread waits for another process, it
 * changes by the rule of Malony, Shende, Morris, Wolf (Euro-Par 2005, IJHPCA 2007), computed from times as in `pith
 * compensate`: without recording, a call would have ended when the thread had done its part or when the message had
 * arrived, whichever is later. So a message carries two numbers (struct pithi_header): the sender's delay x1, and the
 * time of sending.
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   waited 80: x2 = min(30, 5 + 80) = 30                    140 - 30 = 110
 *
 * If a message arrived before the call, the call does not wait for it: x2 = min(x1 + the time since it arrived, x2). If
 * the time of sending is useless, because the machines' clocks were not compared (pithi_delay_one_clock is 0), only x2
 * = min(x1, x2 + the time waited) can be computed.
 */
#ifndef PITHI_DELAY_H
#define PITHI_DELAY_H

#include <analysis/delay_rule.h>
#include <stdint.h>
#include <time.h>

/* The mode from PITH_COMPENSATE, after all processes have agreed on it. */
enum pithi_compensate {
    PITHI_COMPENSATE_OFF,
    PITHI_COMPENSATE_LOCAL,    /* no headers: each process uses its own costs only */
    PITHI_COMPENSATE_MESSAGE,  /* each header is a message of its own */
    PITHI_COMPENSATE_DATATYPE, /* each message begins with a header, joined by a struct datatype */
    PITHI_COMPENSATE_AUTO      /* each message begins with a header; small messages are joined by copying */
};
extern int pithi_compensate __attribute__((visibility("hidden")));

/* For tools that show the delay (any thread, any time; 0 without PITH_COMPENSATE). pithi_delay_ns: the present delay of
 * this thread in ns. pithi_delay_total_ns: the present delay of the process: the larger of this thread's and the first
 * thread's, which the first thread updates at each MPI call that sends delays. Without recording, the time from a to b
 * would be (b - a) - (delay at b - delay at a). Cost: about 20 ns. */
int64_t pithi_delay_ns(void);
int64_t pithi_delay_total_ns(void);

/* ---- for the files of this folder -------------------------------------------------------------------------------- */

static inline int64_t pithi_delay_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* one_clock: 1: all processes share CLOCK_MONOTONIC, or have its offset to rank 0's machine. several_clocks: 1: the
 * processes are on several machines. */
extern int pithi_delay_one_clock __attribute__((visibility("hidden")));
extern int pithi_delay_several_clocks __attribute__((visibility("hidden")));
/* The offset from this process's clock to the shared one, rank 0's; 0 on one machine. */
int64_t pithi_delay_offset(int64_t local_ns);

/* The header of a message. */
struct pithi_header {
    int64_t delay_ns, sent_ns; /* delay_ns: the sender's delay; sent_ns: the time of sending by the shared clock */
    int64_t size_bytes;        /* size of the message: some libraries do not return it from all calls */
    /* Number of a message that stays until its sender waits (rendezvous.h); 0: sent at once. */
    int64_t held;
    int64_t latency_ns; /* the smallest latency that the sender has measured for this size; 0: none */
};

/* Fills in delay_ns and sent_ns for a message that is sent now. The recorder's part of the call began at from_ns; its
 * time until now counts in the delay. The rest of that part is an own cost, which changes both numbers alike. */
void pithi_delay_fill(struct pithi_header *header, int64_t from_ns);

/* Measures the cost of one clock read. */
void pithi_delay_begin(void);
/* The typical time of one of the recorder's parts of calls, about the median. */
struct pithi_typical {
    int64_t ns;     /* the estimate */
    uint32_t count; /* number of calls that it is from, up to LEARNS */
};
/* Counts the time from `begin_ns` to now, a part of a call that is the recorder's, as an own cost. If the part lost its
 * core, only its typical time counts (delay.c). Returns now. */
#define pithi_delay_spent(begin_ns)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_typical typical_;                                                                          \
        pithi_delay_spent_of(&typical_, begin_ns);                                                                     \
    })
/* `typical` NULL: all of the time counts; for rare parts that make several calls, such as making a communicator. */
int64_t pithi_delay_spent_of(struct pithi_typical *typical, int64_t begin_ns);
/* The present part copies this number of bytes; the time for that always counts. */
void pithi_delay_copies(uint64_t bytes);
/* Sets the delay to x_ns (never below 0). */
void pithi_delay_set(int64_t x_ns);

/* The shortest times of the function in whose wrapper this is used. */
#define PITHI_LEAST                                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_least least_[PITHI_SIZES];                                                                 \
        least_;                                                                                                        \
    })

/* The messages that a call waited for. */
struct pithi_wait {
    int64_t begin_ns, end_ns;      /* begin and end of the library's own call */
    struct pithi_least *least;     /* shortest times of the function; NULL: not known to be useful for this wait */
    struct pithi_least *latencies; /* latencies of a collective's function; NULL: point-to-point latencies */
    int count;                     /* number of messages */
    struct pithi_header last;      /* the message sent last */
    uint64_t last_bytes;           /* its size */
    int64_t others_ns; /* the latest time at which the other messages would have arrived without recording */
};
/* To apply the rule: set the fields before `count` and clear the others; add each message by pithi_delay_message; then
 * call pithi_delay_waited, which sets the delay. */
void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes);
void pithi_delay_waited(const struct pithi_wait *wait);
/* The smallest latency measured for that size, for the header; 0: none. */
int64_t pithi_delay_latency(uint64_t size_bytes);
/* Notes the time of a call that sent a message. */
void pithi_delay_sent(uint64_t size_bytes, int64_t ns);

#endif
