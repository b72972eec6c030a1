/* buffer.c - thread buffers: chunks of the spill file, one thread's at a time.
 *
 * Owns pith_buffer_ (the words and the limit that pith.h sees) and, beside it, each thread's lane. What can interrupt
 * what: another thread may only set `limit` to 0; a signal handler on the same thread may record at any point.
 * Therefore words are claimed in one instruction (pith_claim_), after the look at the limit; the chunk's slack takes
 * the few words that handlers claim in between; and a longer record that finds its chunk exchanged or overrun begins
 * again in a new one.
 *
 * No malloc: a handler may have interrupted malloc.
 */
#include "buffer.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "chunks.h"
#include "clock.h"
#include "own_sum.h"
#include "pith_tool.h"
#include "session.h"
#include "spill/spill_walk.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define GAP_TICKS (INT64_C(1) << 38)

__thread struct pith_buffer pith_buffer_;

/* A thread of this process that has a lane. */
struct thread {
    struct pithi_lane lane;
    struct pith_buffer *buffer;
    struct thread *next, **link; /* in the list, until the thread ends: under the guard */
    int has_lane;
    unsigned number; /* of the log that the lane is of (session.h) */
    int holding;     /* a thread that ends: records being stored in its lane, which it may not leave now */
};
static __thread struct thread self __attribute__((tls_model("initial-exec")));

__thread int pithi_buffer_ended __attribute__((tls_model("initial-exec")));

static struct thread *threads; /* under the guard */
static uint32_t lane_count;

/* Lanes whose threads ended, with room in their chunks, for threads to come. */
enum { IDLE_MAX = 64 };
static struct idle {
    struct pithi_lane lane;
    uint64_t *next;
    uint64_t last_ticks;
} idle[IDLE_MAX];
static unsigned idle_count;

static pthread_key_t exit_key;
static int exit_key_made;

/* ---- Lanes of threads -------------------------------------------------------------------------------------------- */

static void clear_limits(struct pith_buffer *buffer)
{
    __atomic_store_n(&buffer->limit, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&buffer->message_limit, NULL, __ATOMIC_SEQ_CST);
}

/* pith.h's limits. In a lane's first chunk it goes up in steps, so that the slow road notes an anchor now and then, and
 * a process that is killed early has still told how fast its clock runs. */
static void set_limit(void)
{
    struct pithi_lane *lane = &self.lane;
    uint64_t *limit = lane->end;
    if (!pithi_clock_inline || lane->end == NULL || pithi_buffer_ended)
        return;
    if (lane->seq == 1 && pith_buffer_.next < lane->end) {
        ptrdiff_t step = (pith_buffer_.next - lane->begin) * 4 + 64;
        if (step < lane->end - lane->begin)
            limit = lane->begin + step;
    }
    __atomic_store_n(&pith_buffer_.limit, limit, __ATOMIC_SEQ_CST);
    __atomic_store_n(&pith_buffer_.message_limit, pith_messages() ? limit : NULL, __ATOMIC_SEQ_CST);
    if (pithi_state() != PITHI_RECORDING) /* paused meanwhile by another thread */
        clear_limits(&pith_buffer_);
}

static void close_limit(void)
{
    clear_limits(&pith_buffer_);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static int has_open_states(const struct pithi_lane *lane, const uint64_t *next)
{
    const uint64_t *word = lane->entered;
    int64_t open = 0;
    uint64_t words;
    while (word < next && (words = pithi_spill_record_words(word, (uint64_t)(next - word))) != 0) {
        open += (*word & 15) == PITHI_W_ENTER;
        open -= (*word & 15) == PITHI_W_LEAVE;
        word += words;
    }
    return open != 0;
}

/* A lane of a log that is written is nobody's: the thread begins anew. */
static int is_old(void) { return self.number != __atomic_load_n(&pithi_session.number, __ATOMIC_RELAXED); }

static void forget_old(void)
{
    if (!is_old())
        return;
    memset(&self.lane, 0, sizeof self.lane);
    pith_buffer_.next = NULL;
    self.has_lane = 0;
    self.number = pithi_session.number;
}

/* Under the guard: leaves this thread's lane to a later one, unless that would mix up what they did. So programs that
 * start thousands of short threads get as many lanes as threads ran at once. */
static void leave_lane(void)
{
    const struct pithi_lane *lane = &self.lane;
    if (!self.has_lane || is_old() || lane->own || lane->entered == NULL || pith_buffer_.next >= lane->end ||
        idle_count == IDLE_MAX || has_open_states(lane, pith_buffer_.next))
        return;
    idle[idle_count++] = (struct idle){*lane, pith_buffer_.next, pith_buffer_.last_ticks};
    memset(&self.lane, 0, sizeof self.lane);
    pith_buffer_.next = NULL;
    self.has_lane = 0;
}

/* A thread ends. Its other keys' destructors may still record, before this or after it, as often as they like, and
 * nothing tells which record is the last. So from now on the thread is in no list, and all its records take the slow
 * road; each gets a lane, and leaves it when it is stored (pithi_buffer_leave). */
static void thread_exit(void *unused)
{
    struct pithi_guard guard;
    (void)unused;
    if (!pithi_guard_enter(&guard))
        return;
    close_limit();
    pithi_buffer_ended = 1;
    if (self.has_lane && !is_old()) {
        *self.link = self.next;
        if (self.next != NULL)
            self.next->link = self.link;
        leave_lane();
    }
    pithi_guard_leave(&guard);
}

void pithi_buffer_leave(void)
{
    struct pithi_guard guard;
    if (--self.holding > 0 || !pithi_guard_enter(&guard))
        return;
    leave_lane();
    pithi_guard_leave(&guard);
}

static void thread_list(void)
{
    if (!exit_key_made)
        exit_key_made = pthread_key_create(&exit_key, thread_exit) == 0;
    if (exit_key_made)
        pthread_setspecific(exit_key, &self);
    self.buffer = &pith_buffer_;
    self.next = threads;
    self.link = &threads;
    if (threads != NULL)
        threads->link = &self.next;
    threads = &self;
}

static void lane_get(void)
{
    if (!pithi_buffer_ended)
        thread_list();
    self.has_lane = 1;
    if (idle_count > 0) {
        struct idle *from = &idle[--idle_count];
        self.lane = from->lane;
        self.lane.entered = from->next;
        pith_buffer_.next = from->next;
        pith_buffer_.last_ticks = from->last_ticks;
        return;
    }
    pithi_lane_begin(&self.lane, lane_count++);
}

void pithi_buffer_sum(void)
{
    if (self.lane.chunk != NULL && pith_buffer_.next != NULL)
        pithi_own_sum_to(&self.lane, pith_buffer_.next);
}

static int chunk_begin(uint64_t words)
{
    if (__atomic_load_n(&pithi_own_summing, __ATOMIC_RELAXED))
        pithi_buffer_sum();
    if (!pithi_lane_next(&self.lane, words))
        return 0;
    pithi_own_sum_left();
    pith_buffer_.next = self.lane.begin;
    pith_buffer_.last_ticks = self.lane.chunk->base_ticks;
    return 1;
}

/* Full: trying again for every record would cost several system calls each time, so it is done ever more rarely. */
static uint64_t refused; /* records since the first one that found no room */

static int may_try(void)
{
    uint64_t count = __atomic_load_n(&refused, __ATOMIC_RELAXED);
    if (count == 0)
        return 1;
    count = __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    return (count & (count - 1)) == 0;
}

static void count_lost(void)
{
    pithi_lost_add(1);
    if (self.lane.chunk != NULL)
        __atomic_add_fetch(&self.lane.chunk->lost, 1, __ATOMIC_RELAXED);
}

/* Has the pages of a new chunk made at once, which is cheaper than one by one. Outside the guard: it takes up to a
 * millisecond, in which handlers and other threads want to record. Kernels before 5.14 do not know it, which is no
 * harm. */
static void populate(struct pithi_chunk *chunk)
{
    int saved = errno;
    madvise(chunk, chunk->size_bytes, MADV_POPULATE_WRITE);
    errno = saved;
}

/* Room for `words` words, in a new chunk if `exchange` is set. 0: there is none. */
static int make_room(uint64_t words, int exchange)
{
    struct pithi_guard guard;
    const struct pithi_chunk *before = NULL;
    int good = 0;
    if (!may_try() || !pithi_guard_enter(&guard)) {
        count_lost();
        return 0;
    }
    pithi_session_start();
    if (pithi_session.state == PITHI_RECORDING && !pithi_session_past_window()) {
        close_limit();
        forget_old();
        if (!self.has_lane)
            lane_get();
        before = self.lane.chunk;
        good = (!exchange && self.lane.end != NULL && pith_buffer_.next + words <= self.lane.end) || chunk_begin(words);
        set_limit();
        if (good)
            __atomic_store_n(&refused, 0, __ATOMIC_RELAXED);
        else if (__atomic_load_n(&refused, __ATOMIC_RELAXED) == 0)
            __atomic_store_n(&refused, 1, __ATOMIC_RELAXED);
        if (!good)
            count_lost();
    }
    pithi_guard_leave(&guard);
    if (good && before != self.lane.chunk && self.lane.fresh)
        populate(self.lane.chunk);
    return good;
}

/* The limit stands below the chunk's end: after a pause, or at a step. */
static void move_limit(void)
{
    struct pithi_guard guard;
    if (!pithi_guard_enter(&guard))
        return;
    if (pithi_session.state == PITHI_RECORDING && !is_old()) {
        pithi_lane_anchor();
        set_limit();
    }
    pithi_guard_leave(&guard);
}

/* ---- Storing ----------------------------------------------------------------------------------------------------- */

static uint64_t *claim(uint32_t kind, uint32_t id, uint64_t words, uint64_t *first)
{
    int tries, exchange = 0;
    for (tries = 0; tries < 4; tries++) {
        uint64_t *begin = self.lane.begin, *end = self.lane.end;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!exchange && end != NULL && !is_old() && pith_buffer_.next <= end &&
            words + 2 <= (uint64_t)(end - pith_buffer_.next)) {
            uint64_t ticks = pithi_ticks(), *word, more = 0;
            int64_t step = (int64_t)(ticks - pith_buffer_.last_ticks);
            if (step >= GAP_TICKS || step <= -GAP_TICKS)
                more = 2;
            pith_buffer_.last_ticks = ticks;
            word = pith_claim_(words + more);
            if (word >= begin && word + words + more <= end) {
                if (words > 1) { /* should a handler jump out of this, the words are told from records */
                    __atomic_store_n(word + more, PITH_WORD_(0, words, PITHI_W_CLAIMED), __ATOMIC_RELEASE);
                    __atomic_signal_fence(__ATOMIC_SEQ_CST);
                }
                if (more != 0) {
                    __atomic_store_n(word + 1, ticks, __ATOMIC_RELAXED);
                    __atomic_store_n(word, PITH_WORD_(ticks, 0, PITHI_W_TIME), __ATOMIC_RELEASE);
                }
                *first = PITH_WORD_(ticks, id & PITHI_WORD_ID_MASK, kind);
                return word + more;
            }
            exchange = 1; /* a handler came in between; the words claimed stay empty, so the chunk ends here */
        }
        if (!make_room(words + 2, exchange))
            return NULL;
        exchange = 0;
    }
    count_lost();
    return NULL;
}

uint64_t *pithi_buffer_claim(uint32_t kind, uint32_t id, uint64_t words, uint64_t *first)
{
    uint64_t *word;
    if (__atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) > PITHI_RECORDING)
        return NULL;
    if (__builtin_expect(!pithi_buffer_ended, 1))
        return claim(kind, id, words, first);
    self.holding++;
    word = claim(kind, id, words, first);
    if (word == NULL)
        pithi_buffer_leave();
    return word;
}

void pithi_record(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    uint64_t first, *word = pithi_buffer_claim(kind, id, 1 + (uint64_t)count, &first);
    uint32_t i;
    if (word == NULL)
        return;
    for (i = 0; i < count; i++)
        __atomic_store_n(word + 1 + i, words[i], __ATOMIC_RELAXED);
    pithi_buffer_store(word, first);
}

void pith_slow_(uint32_t kind, uint32_t id)
{
    uint64_t *limit;
    /* first what should cost nothing: left out, paused, over */
    if (id == PITH_LEFT_OUT_ || __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) > PITHI_RECORDING)
        return;
    if (pith_try_(kind, id)) /* called by a program that cannot inline */
        return;
    if (!PITH_ID_IN_(id)) {
        count_lost();
        return;
    }
    limit = __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED);
    if (pithi_clock_inline && !pithi_buffer_ended && limit != self.lane.end && pith_buffer_.next >= limit)
        move_limit();
    pithi_record(kind, id, NULL, 0);
}

/* ---- For others -------------------------------------------------------------------------------------------------- */

uint32_t pithi_buffer_lane_own(void)
{
    if (pithi_state() >= PITHI_PAUSED && !self.has_lane)
        return PITHI_SPILL_DEFS;
    if ((!self.has_lane || is_old()) && !make_room(1, 0))
        return PITHI_SPILL_DEFS;
    self.lane.own = 1;
    return self.lane.number;
}

struct pithi_lane *pithi_buffer_richest(void)
{
    struct pithi_lane *best = NULL;
    struct thread *thread;
    unsigned i;
    for (thread = threads; thread != NULL; thread = thread->next)
        if (best == NULL || thread->lane.kept > best->kept)
            best = &thread->lane;
    for (i = 0; i < idle_count; i++)
        if (best == NULL || idle[i].lane.kept > best->kept)
            best = &idle[i].lane;
    return best;
}

void pithi_buffer_aside(struct pithi_aside *aside, uint64_t *begin, uint64_t *end)
{
    aside->buffer = pith_buffer_;
    aside->lane = self.lane;
    self.holding++;
    close_limit();
    self.lane.begin = begin;
    self.lane.end = end;
    pith_buffer_.next = begin;
    pith_buffer_.last_ticks = pithi_ticks();
    if (pithi_clock_inline) {
        pith_buffer_.limit = end;
        pith_buffer_.message_limit = end;
    }
}

void pithi_buffer_back(const struct pithi_aside *aside)
{
    close_limit();
    self.lane = aside->lane;
    pith_buffer_ = aside->buffer;
    self.holding--;
}

void pithi_buffer_stop_all(void)
{
    struct thread *thread;
    for (thread = threads; thread != NULL; thread = thread->next)
        clear_limits(thread->buffer);
}

void pithi_buffer_again(void)
{
    threads = NULL;
    lane_count = 0;
    idle_count = 0;
    __atomic_store_n(&refused, 0, __ATOMIC_RELAXED);
}

void pithi_buffer_forked(void)
{
    close_limit();
    memset(&self, 0, sizeof self);
    memset(&pith_buffer_, 0, sizeof pith_buffer_);
    threads = NULL;
    lane_count = 0;
    idle_count = 0;
}

int pith_recording(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) <= PITHI_RECORDING; }
