/* buffer.h - the buffers of this process's threads, and storing a record that pith.h does not store inline. */
#ifndef PITHI_BUFFER_H
#define PITHI_BUFFER_H

#include <stdint.h>

#include "chunks.h"
#include "pith.h"

/* Stores one record: first word and `count` more. If there is no room it is counted as lost; while recording is paused
 * or over it is nothing. From any thread and any signal handler. */
void pithi_record(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count);

/* Room for a record of `words` words; *first gets its first word, which the caller stores last (pithi_buffer_store).
 * NULL: no room, and counted. */
uint64_t *pithi_buffer_claim(uint32_t kind, uint32_t id, uint64_t words, uint64_t *first);
extern __thread int pithi_buffer_ended __attribute__((tls_model("initial-exec"))); /* this thread's exit was seen */
void pithi_buffer_leave(void); /* such a thread has stored what it claimed */
static inline void pithi_buffer_store(uint64_t *word, uint64_t first)
{
    __atomic_store_n(word, first, __ATOMIC_RELEASE);
    if (__builtin_expect(pithi_buffer_ended, 0))
        pithi_buffer_leave();
}

/* The number of this thread's lane; PITHI_SPILL_DEFS: it has none and cannot get one. From now on the lane stays this
 * thread's own, even when it ends (it has a name). */
uint32_t pithi_buffer_lane_own(void);

/* Under the guard: of the lanes of threads that are there, and of those that wait for another thread, the one that
 * keeps the most chunks. NULL: there is none. */
struct pithi_lane *pithi_buffer_richest(void);

/* Under the guard: what this thread records goes to the words from `begin` to `end` (and 16 behind it), which no log
 * will see, until pithi_buffer_back; more than fits is counted as lost. */
struct pithi_aside {
    struct pith_buffer buffer;
    struct pithi_lane lane;
};
void pithi_buffer_aside(struct pithi_aside *aside, uint64_t *begin, uint64_t *end);
void pithi_buffer_back(const struct pithi_aside *aside);

/* What this thread has stored since it was asked before is counted (own_sum.h). */
void pithi_buffer_sum(void);

/* Under the guard: all threads take the slow road from now on. */
void pithi_buffer_stop_all(void);
/* Under the guard, after the end of recording: threads get new buffers when they record again. */
void pithi_buffer_again(void);
/* In a forked child: it has no buffers. */
void pithi_buffer_forked(void);
#endif
