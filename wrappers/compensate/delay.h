/* delay.h - how much earlier each thread of this process would be where it is, had nothing been recorded: what
 * PITH_COMPENSATE keeps up while the program runs.
 *
 * The delay x of a thread grows by what recording costs (own.h). Where it waits for another process, the rule of
 * Malony, Shende, Morris, Wolf (Euro-Par 2005, IJHPCA 2007) is applied, told by times as `pith compensate` does it: a
 * call would have ended when the thread had done its part, and when the message was there, whichever is later. For that
 * a message carries two numbers (struct pithi_header): the sender's delay x1, and when it was sent.
 *
 *     as measured   sender       x1 = 30, sends at 130            without   sends at 100
 *                   receiver     x2 = 5, waits 60 to 140                    waits from 55; the message takes 10: to 110
 *                   waited 80: x2 = min(30, 5 + 80) = 30                    140 - 30 = 110
 *
 * A message that lay there before the call began was not waited for: x2 = min(x1 + how long it lay there, x2). Without
 * the time of sending (machines whose clocks were not compared: pithi_delay_one_clock is 0) the first line is all that
 * is known.
 */
#ifndef PITHI_DELAY_H
#define PITHI_DELAY_H

#include <stdint.h>
#include <time.h>

/* What PITH_COMPENSATE asks for, and all processes agreed on. */
enum pithi_compensate {
    PITHI_COMPENSATE_OFF,
    PITHI_COMPENSATE_LOCAL,    /* own costs only */
    PITHI_COMPENSATE_MESSAGE,  /* each message is followed by one of ours */
    PITHI_COMPENSATE_DATATYPE, /* each message begins with what it carries: by a datatype */
    PITHI_COMPENSATE_AUTO      /* the same, small ones copied */
};
extern int pithi_compensate __attribute__((visibility("hidden")));

/* For whoever wants to show it (any thread, any time; 0 while PITH_COMPENSATE is off): the delay of this thread in ns,
 * now; and of the process, the largest of its threads as far as they have told (at each MPI call that carries). A
 * stretch of time from a to b would have lasted (b - a) - (delay at b - delay at a). About 20 ns. */
int64_t pithi_delay_ns(void);
int64_t pithi_delay_total_ns(void);

/* ---- for the files beside ---------------------------------------------------------------------------------------- */

static inline int64_t pithi_delay_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* All processes share CLOCK_MONOTONIC, or know how far theirs is from that of rank 0's machine, which then all tell. */
extern int pithi_delay_one_clock __attribute__((visibility("hidden")));
extern int pithi_delay_several_clocks __attribute__((visibility("hidden")));
/* What to add to this process's clock for the one that all share. */
int64_t pithi_delay_offset(int64_t local_ns);

/* What a message carries. */
struct pithi_header {
    int64_t delay_ns, sent_ns; /* of the sender when it was sent, and then by the clock that all share */
    int64_t size_bytes;        /* of the message, where it stands before one; not all libraries tell it of all calls */
    int64_t held;              /* its number, if it stays until its sender waits (held_sends.h); else 0 */
    int64_t way_ns;            /* how soon one of its size is there, as far as the sender knows; 0: it does not */
};

/* The first two, now, of a message whose own part of the call began at from_ns: the moment of sending is now; what of
 * that part comes behind it is an own cost, and moves both. */
void pithi_delay_fill(struct pithi_header *header, int64_t from_ns);

/* When it is on: what follows goes on from here. */
void pithi_delay_begin(void);
/* Our own part of a call: what it took, from `begin_ns` to now, is an own cost. Returns now. */
int64_t pithi_delay_spent(int64_t begin_ns);
/* The delay becomes x_ns (never less than 0). */
void pithi_delay_set(int64_t x_ns);

/* How long calls of one function take at least, and how soon their messages are there: by size (1 byte, 2 to 3, 4 to 7
 * ...), as far as was seen in this process up to now; ways of messages also as far as their senders knew. As `pith
 * compensate` has it of the whole log (shortest.h). */
enum { PITHI_SIZES = 65 };
struct pithi_least {             /* ns + 1; 0: none seen */
    int64_t ready_ns, waited_ns; /* of calls whose message was there before they began; of the others */
    int64_t way_ns, flight_ns;   /* of messages; of those that came while a call waited, though sent before it */
};
/* In a wrapper: those of its function. */
#define PITHI_LEAST                                                                                                    \
    __extension__({                                                                                                    \
        static struct pithi_least least_[PITHI_SIZES];                                                                 \
        least_;                                                                                                        \
    })

/* What a call waited for. */
struct pithi_wait {
    int64_t begin_ns, end_ns;  /* of the library's own call */
    struct pithi_least *least; /* of its function; NULL: how long it takes says nothing */
    struct pithi_least
        *ways; /* of a collective, what its function's messages take; NULL: they are from point to point */
    int count; /* messages that it was for */
    struct pithi_header last; /* of these, the one sent last */
    uint64_t last_bytes;
    int64_t others_ns; /* when the others would have been there at the latest */
};
/* Begun with the first fields, and from `count` on 0; each message; and then the delay that follows from it. */
void pithi_delay_message(struct pithi_wait *wait, const struct pithi_header *header, uint64_t size_bytes);
void pithi_delay_waited(const struct pithi_wait *wait);
/* How soon a message of that size is there, for others to know; 0: it is not known. */
int64_t pithi_delay_way(uint64_t size_bytes);
/* A call that sent a message took so long. */
void pithi_delay_sent(uint64_t size_bytes, int64_t ns);

#endif
