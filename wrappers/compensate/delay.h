/* delay.h - the delay of each thread: how much earlier the thread would have reached its current point without
 * recording. PITH_COMPENSATE updates the delay while the program runs.
 *
 * The delay x of a thread grows by the cost of recording (own.h). Where the thread waits for another process, x changes
 * by the rule of Malony, Shende, Morris, Wolf (Euro-Par 2005, IJHPCA 2007), as in `pith compensate`: without recording,
 * a call would have ended when the thread had done its part or when the message had arrived, whichever is later. To
 * apply the rule, the receiver needs the sender's delay x1 and the time of sending, so a message carries both (struct
 * pithi_header).
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   waited 80: x2 = min(30, 5 + 80) = 30                    140 - 30 = 110
 *
 * In the example, the call waits for the message, so the new x2 is min(x1, x2 + the time waited). If a message arrived
 * before the call, the call does not wait for it, and the new x2 is min(x1 + the time since the message arrived, x2).
 * If the machines' clocks were not compared (pithi_delay_one_clock is 0), it is unknown whether the call waited. Then
 * the call counts as if it had waited from its begin to its end.
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
    PITHI_COMPENSATE_DATATYPE, /* each message begins with a header; a struct datatype joins header and data */
    PITHI_COMPENSATE_AUTO      /* as DATATYPE, but a small message is copied behind its header, into one buffer */
};
extern int pithi_compensate __attribute__((visibility("hidden")));

/* For tools that show the delay; may be called by any thread at any time; return 0 without PITH_COMPENSATE.
 * pithi_delay_ns returns the present delay of this thread in ns. pithi_delay_total_ns returns the present delay of the
 * process, that is, the larger one of this thread's and the first thread's delay. (The first thread's delay is as of
 * its last MPI call that sent delays.) Without recording, the time from a to b would be (b - a) - (delay at b - delay
 * at a). A call takes about 20 ns. */
int64_t pithi_delay_ns(void);
int64_t pithi_delay_total_ns(void);

/* ---- for the files of this folder -------------------------------------------------------------------------------- */

static inline int64_t pithi_delay_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* pithi_delay_one_clock: 1: all processes share CLOCK_MONOTONIC, or know the offset from theirs to that of rank 0's
 * machine. pithi_delay_several_clocks: 1: the processes are on several machines. */
extern int pithi_delay_one_clock __attribute__((visibility("hidden")));
extern int pithi_delay_several_clocks __attribute__((visibility("hidden")));
/* Returns the offset from this process's clock to the shared clock, that is, rank 0's; 0 if there is only one
 * machine. */
int64_t pithi_delay_offset(int64_t local_ns);

/* The header of a message. */
struct pithi_header {
    int64_t delay_ns, sent_ns; /* delay_ns: the sender's delay; sent_ns: the time of sending by the shared clock */
    int64_t size_bytes;        /* size of the message, because some libraries do not return it from all calls */
    /* The number of a message that stays at the sender until the sender waits (rendezvous.h); 0: it is sent at once. */
    int64_t held;
    int64_t latency_ns; /* the smallest latency that the sender has measured for this size; 0: none */
};

/* Fills in delay_ns and sent_ns for a message that is sent now. The recorder's work in this call began at from_ns, and
 * its time until now counts in the delay. The rest of this work, until the message is really sent, makes both numbers
 * too small by the same amount, so their difference is right. */
void pithi_delay_fill(struct pithi_header *header, int64_t from_ns);

/* Measures how long it takes to read the clock. */
void pithi_delay_begin(void);
/* The typical time of one section of the recorder's work in a call: an estimate of the median. */
struct pithi_typical {
    int64_t ns;     /* the estimate */
    uint32_t count; /* how often the section has run, up to LEARNS */
};
/* Counts the time from `begin_ns` to now as an own cost. This time is a section of a call in which the recorder worked.
 * If the thread lost its core in this section, only the section's typical time counts (delay.c). Returns the present
 * time. */
#define pithi_delay_spent(begin_ns)                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_typical typical_;                                                                          \
        pithi_delay_spent_of(&typical_, begin_ns);                                                                     \
    })
/* `typical` NULL: all of the time counts. This is for rare sections that make several calls, such as making a
 * communicator. */
int64_t pithi_delay_spent_of(struct pithi_typical *typical, int64_t begin_ns);
/* Notes that the present section copies `bytes` bytes. The time for copying always counts. */
void pithi_delay_copies(uint64_t bytes);
/* Sets the delay to x_ns (never below 0). */
void pithi_delay_set(int64_t x_ns);

/* The shortest times of one MPI function. The macro stands in this function's wrapper. */
#define PITHI_LEAST                                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_least least_[PITHI_SIZES];                                                                 \
        least_;                                                                                                        \
    })

/* A wait of a call for messages. */
struct pithi_wait {
    int64_t begin_ns, end_ns;      /* begin and end of the MPI library's own call */
    struct pithi_least *least;     /* shortest times of the MPI function; NULL: do not use any */
    struct pithi_least *latencies; /* latencies of a collective function; NULL: point-to-point latencies */
    int count;                     /* number of messages */
    struct pithi_header last;      /* the header of the message that was sent last */
    uint64_t last_bytes;           /* the size of this message */
    int64_t others_ns; /* the latest time at which the other messages would have arrived without recording */
};
/* After a wait for messages, set the fields of `wait` above `count`, clear the other fields, and call
 * pithi_delay_message for each message. Then call pithi_delay_waited, which sets the thread's delay. */
void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes);
void pithi_delay_waited(const struct pithi_wait *wait);
/* Returns the smallest latency measured for messages of this size, for a header; 0 if there is none. */
int64_t pithi_delay_latency(uint64_t size_bytes);
/* Notes how long a call took that sent a message. */
void pithi_delay_sent(uint64_t size_bytes, int64_t ns);

#endif
