/* buffer.h - the buffers of the threads, and recording where pith.h cannot do it inline. */
#ifndef PITHI_BUFFER_H
#define PITHI_BUFFER_H

#include <stdint.h>

#include "chunks.h"
#include "pith.h"

/* Stores a record of a first word and `count` more. If there is no room, the record counts as lost; while recording is
 * paused or over, the call does nothing. Any thread and any signal handler may call it. */
void pithi_record(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count);

/* Like pith_count, at the time *at (NULL: now), which must not be before the time of this thread's last record. */
void pithi_count_at(uint32_t id, double value, const uint64_t *at);

/* Claims a record of `words` words with the time *at (NULL: now). The caller stores the first word, *first, last
 * (pithi_buffer_store). Returns NULL if there is no room; the record is then counted as lost. */
uint64_t *pithi_buffer_claim(uint32_t kind, uint32_t id, uint64_t words, const uint64_t *at, uint64_t *first);
/* 1: this thread is ending; the destructors of its keys have run, or are running. */
extern __thread int pithi_buffer_ended __attribute__((tls_model("initial-exec")));
/* Returns 1 if this thread has recorded and is in the list of threads, so that its end is noticed. */
int pithi_buffer_is_listed(void);
/* Call it in the start function of one of the recorder's own threads. It finds, on the stack of that thread, the
 * address in the C library from which start functions are called. By this address the recorder recognises a record that
 * is made after a start function has returned. */
void pithi_buffer_learn_thread(void);
void pithi_buffer_leave(void); /* called after an ending thread has stored its record */
static inline void pithi_buffer_store(uint64_t *word, uint64_t first)
{
    __atomic_store_n(word, first, __ATOMIC_RELEASE);
    if (__builtin_expect(pithi_buffer_ended, 0))
        pithi_buffer_leave();
}

/* Returns the number of this thread's lane, to which the caller gives a name. So no other thread takes the lane over
 * later. Returns PITHI_SPILL_DEFS if the thread has no lane and cannot get one. */
uint32_t pithi_buffer_lane_own(void);

/* Under the guard: returns the lane with the most chunks, whose thread may run or have ended; NULL if there is no
 * lane. */
struct pithi_lane *pithi_buffer_richest(void);

/* pithi_buffer_aside, under the guard: until pithi_buffer_back, this thread records into the memory from `begin` to
 * `end` (and 16 words after it), which no log will contain. Records that do not fit are counted as lost. */
struct pithi_aside {
    struct pith_buffer buffer;
    struct pithi_lane lane;
    uint64_t *limit;
};
void pithi_buffer_aside(struct pithi_aside *aside, uint64_t *begin, uint64_t *end);
void pithi_buffer_back(const struct pithi_aside *aside);

/* Adds to this thread's sum of costs (calibrate.h) the costs of the records that it stored since the last call. */
void pithi_buffer_sum(void);

/* Under the guard: returns the highest ticks that a running thread has recorded. */
uint64_t pithi_buffer_latest(void);

/* Under the guard: all threads take the slow path from now on. */
void pithi_buffer_stop_all(void);
/* Under the guard, after recording has ended: stores the LEAVEs and ENTERs that pith_late announced. */
void pithi_buffer_end_late(void);
/* Under the guard, after the end of recording: forgets all lanes. Threads get new ones when they record again. */
void pithi_buffer_again(void);
/* Called in a forked child: forgets the buffers and lanes of the parent. */
void pithi_buffer_forked(void);

/* Returns the order number that pith_recv_post will return next. */
uint64_t pithi_recv_posted(void);

#endif
