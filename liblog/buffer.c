/* buffer.c - the buffer of each thread: a chunk of the spill file.
 *
 * Each thread owns its pith_buffer_ (the place of the next 64-bit word and the limits that pith.h uses) and its lane.
 * Of these, another thread may only set a limit to NULL. A signal handler on the same thread may record at any point.
 * So a record first checks the limit and then claims its words atomically (pith_claim_). Between the check and the
 * claim, handlers may claim a few words past the limit; each chunk has room for them after its limit, its slack. If
 * handlers have filled or replaced the chunk by then, a record of several words starts again in a new chunk.
 *
 * Nothing here calls malloc: a handler may have interrupted malloc. */
#include "buffer.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "calibrate.h"
#include "chunks.h"
#include "clock.h"
#include "core_wait.h"
#include "counters.h"
#include "pith.h"
#include "pith_tool.h"
#include "sample.h"
#include "session.h"
#include "spill/spill_walk.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* If a record is at least this number of ticks after or before the last one, a PITHI_W_TIME must precede it, because a
 * word has only 40 bits of the time. */
#define GAP_TICKS (INT64_C(1) << 38)

__thread struct pith_buffer pith_buffer_; /* of each thread; pith.h records into it */

/* A thread of this process that has a lane. */
struct thread {
    struct pithi_lane lane; /* the thread's lane, with its chunks */
    struct pith_buffer *buffer;
    /* next, link: the place in the list `threads`, which has the thread until it ends; accessed under the guard */
    struct thread *next, **link;
    uint64_t *limit; /* the thread's limit; if counters are recorded, pith.h sees NULL instead */
    int has_lane;
    unsigned number;                  /* pithi_session.number when the lane was made: the log that it belongs to */
    const struct pith_wait_end *late; /* what pith_late announced; atomic; NULL: nothing */
    int holding;                      /* number of records that an ending thread is storing; at 0 it leaves its lane */
    uint64_t refused;                 /* number of records refused since room ran out; 0: there is room */
};
static __thread struct thread self __attribute__((tls_model("initial-exec")));

__thread int pithi_buffer_ended __attribute__((tls_model("initial-exec")));

static struct thread *threads; /* under the guard */
static uint32_t lane_count;

/* Lanes of threads that ended, with room in their chunks; new threads take them over. */
enum { IDLE_MAX = 64 };
static struct idle {
    struct pithi_lane lane;
    uint64_t *next;      /* where the next thread continues in the lane's chunk */
    uint64_t last_ticks; /* time of the lane's last record */
} idle[IDLE_MAX];
static unsigned idle_count;

static pthread_key_t exit_key; /* its destructor runs when a thread ends */
static int exit_key_made;      /* 1: exit_key exists */
static void thread_exit(void *unused);

/* Makes exit_key when the library is loaded, so that it is one of the first 32 keys. Each thread has room for the
 * values of these keys; for the value of a later key, pthread_setspecific calls malloc. */
__attribute__((constructor)) static void make_exit_key(void)
{
    exit_key_made = pthread_key_create(&exit_key, thread_exit) == 0;
}

/* ---- Lanes of threads -------------------------------------------------------------------------------------------- */

/* Sets all limits of a buffer to NULL. For each record, pith.h only tests whether `next` is below the limit. With a
 * limit of NULL the record takes the slow path, which finds out the reason: a pause, the end, a full chunk, or
 * counters. There are four limits: for records of one word and for messages, each for callers that read the counter
 * inline and for callers that may not. */
static void clear_limits(struct pith_buffer *buffer)
{
    __atomic_store_n(&buffer->limit, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&buffer->message_limit, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&buffer->call_limit, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&buffer->call_message_limit, NULL, __ATOMIC_SEQ_CST);
}

/* Sets the limits to `limit`. Some stay NULL: the limit of one word if counters are recorded, the limits of messages if
 * messages are left out. */
static void open_limits(uint64_t *limit)
{
    struct pith_buffer *buffer = &pith_buffer_;
    int is_inline = __atomic_load_n(&pithi_clock_inline, __ATOMIC_ACQUIRE);
    self.limit = limit;
    __atomic_store_n(is_inline ? &buffer->limit : &buffer->call_limit, pithi_counters_on ? NULL : limit,
                     __ATOMIC_SEQ_CST);
    __atomic_store_n(is_inline ? &buffer->message_limit : &buffer->call_message_limit, pith_messages() ? limit : NULL,
                     __ATOMIC_SEQ_CST);
}

/* Sets the limits for this thread's chunk. In the first chunk of a lane, the limit rises in steps. At each step the
 * slow path stores an anchor, the values of the counter and of CLOCK_MONOTONIC at one moment. So the rate of the
 * counter is known even if the process is killed early. */
static void set_limit(void)
{
    struct pithi_lane *lane = &self.lane;
    uint64_t *limit = lane->end;
    if (lane->end == NULL || pithi_buffer_ended)
        return;
    if (pithi_clock_inline && lane->next_seq == 1 && pith_buffer_.next < lane->end) {
        ptrdiff_t step = (pith_buffer_.next - lane->begin) * 4 + 64;
        if (step < lane->end - lane->begin)
            limit = lane->begin + step;
    }
    open_limits(limit);
    if (pithi_state() != PITHI_RECORDING) { /* another thread has paused recording meanwhile */
        clear_limits(&pith_buffer_);
        self.limit = NULL;
    }
}

/* Closes this thread's limits, so that a handler which records from now on takes the slow path. */
static void close_limit(void)
{
    clear_limits(&pith_buffer_);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Returns 1 if this thread's part of the lane has more ENTERs than LEAVEs. */
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

/* Returns 1 if the log with this thread's lane is written already, so that the thread needs a new lane. */
static int is_old(void) { return self.number != __atomic_load_n(&pithi_session.number, __ATOMIC_RELAXED); }

/* Under the guard: makes this thread's lane idle, for a later thread, unless states are still open in it. So a program
 * with thousands of short threads needs only as many lanes as threads run at the same time. */
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

/* Called at the end of a thread. Destructors of other keys may record before or after this one, and it is unknown which
 * record is the last. So the thread is removed from the list, and all its later records take the slow path: each takes
 * a lane, and leaves it once it is stored (pithi_buffer_leave). */
static void thread_exit(void *unused)
{
    struct pithi_guard guard;
    (void)unused;
    if (!pithi_guard_enter(&guard))
        return;
    close_limit();
    pithi_counters_thread_end();
    pithi_core_wait_thread_end();
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

int pithi_buffer_is_listed(void) { return self.link != NULL; }

/* The address in the C library's start_thread to which the start function of a thread returns; 0: unknown. */
static uint64_t calls_function; /* atomic */

/* Stores the addresses of this thread's stack, innermost first. The two outermost ones are in start_thread and clone,
 * of the C library. Returns the number of addresses; 0 if the stack could not be followed to its end. */
static unsigned whole_stack(uint64_t *stack, unsigned most)
{
    unsigned count = pithi_own_stack(stack, most);
    return count >= 2 && count < most ? count : 0;
}

void pithi_buffer_learn_thread(void)
{
    uint64_t stack[64];
    unsigned count = whole_stack(stack, sizeof stack / sizeof stack[0]);
    if (count > 0)
        __atomic_store_n(&calls_function, stack[count - 2], __ATOMIC_RELAXED);
}

/* Returns 1 if this thread is ending, that is, if the destructors of its keys are running or have run. Even then it may
 * make its first record: the C library frees the thread's memory by calls that may be wrapped, or a sample is taken.
 * Such a thread must not be listed, because thread_exit would not remove it.
 *
 * The stack shows it in two ways. Either more than two outermost frames are in the C library, so no start function is
 * running. Or start_thread is at another place than the one from which it calls start functions, if that place is
 * known. The first sign alone is not enough: UCX, in MPICH, replaces the C library's madvise and munmap. Then
 * start_thread calls a function of UCX, and only two frames are in the C library. */
static int is_past_destructors(void)
{
    static struct pithi_module library; /* the C library */
    uint64_t stack[64], place = __atomic_load_n(&calls_function, __ATOMIC_RELAXED);
    unsigned count = whole_stack(stack, sizeof stack / sizeof stack[0]), first = count;
    if (library.end == 0 && !pithi_module_find((uint64_t)(uintptr_t)&pthread_key_delete, &library))
        return 0;
    while (first > 0 && stack[first - 1] >= library.begin && stack[first - 1] < library.end)
        first--;
    return count - first > 2 || (place != 0 && count - first == 2 && stack[count - 2] != place);
}

/* Gives this thread a lane: an idle one, or a new one. Lists the thread, unless it is ending. Under the guard. */
static void lane_get(void)
{
    if (!pithi_buffer_ended && self.link == NULL && is_past_destructors()) {
        pithi_buffer_ended = 1;
        self.holding++; /* the record that needs the lane */
    }
    if (!pithi_buffer_ended) {
        if (exit_key_made)
            pthread_setspecific(exit_key, &self);
        self.buffer = &pith_buffer_;
        self.next = threads;
        self.link = &threads;
        if (threads != NULL)
            threads->link = &self.next;
        threads = &self;
    }
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

/* Begins this thread's next chunk, with room for `words` words. Returns 0 if there is no room. */
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

/* Returns 1 if this thread should try to get room for a record. Each vain attempt costs several system calls, so
 * attempts are made only after 1, 2, 4, 8 ... refused records. Each thread counts its own refused records, because
 * another thread may still have room in chunks that it reuses. Only this thread and handlers on it change the count; if
 * a handler interrupts the increment, a step is lost, which only delays the next attempt. */
static int may_try(void)
{
    if (self.refused == 0 || is_old())
        return 1;
    self.refused++;
    return (self.refused & (self.refused - 1)) == 0;
}

static void count_lost(void)
{
    pithi_lost_add(1);
    if (self.lane.chunk != NULL)
        __atomic_add_fetch(&self.lane.chunk->lost, 1, __ATOMIC_RELAXED);
}

/* Makes room for a record of `words` 64-bit words; with `exchange`, in a new chunk in any case. Returns 0 if there is
 * no room; the record then counts as lost. */
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
        if (is_old()) {
            memset(&self.lane, 0, sizeof self.lane);
            pith_buffer_.next = NULL;
            self.has_lane = 0;
            self.number = pithi_session.number;
            self.refused = 0;
        }
        if (!self.has_lane)
            lane_get();
        before = self.lane.chunk;
        good = (!exchange && self.lane.end != NULL && pith_buffer_.next + words <= self.lane.end) || chunk_begin(words);
        set_limit();
        if (good)
            self.refused = 0;
        else if (self.refused == 0)
            /* a lane that reuses its own chunks always gets room; if it got none, only this record is too long */
            self.refused = !pithi_lane_turns(&self.lane);
        if (!good)
            count_lost();
    }
    pithi_guard_leave(&guard);
    if (good && before != self.lane.chunk && self.lane.fresh) {
        /* Lets the kernel make all pages of a new chunk at once, which is cheaper. Does so outside the guard, so that
         * handlers and other threads can record during this millisecond. Kernels before 5.14 refuse, which does no
         * harm. */
        int saved = errno;
        madvise(self.lane.chunk, self.lane.chunk->size_bytes, MADV_POPULATE_WRITE);
        errno = saved;
    }
    return good;
}

/* ---- Storing ----------------------------------------------------------------------------------------------------- */

/* Claims a record and returns the place of its first word, whose value is *first. Returns NULL if there is no room.
 * `at` is the time of the record; NULL means now. With `at`, the begin time of a new chunk may be later than the time
 * of its first record, which readers accept. */
static uint64_t *claim(uint32_t kind, uint32_t id, uint64_t words, const uint64_t *at, uint64_t *first)
{
    int tries, exchange = 0;
    for (tries = 0; tries < 4; tries++) {
        uint64_t *begin = self.lane.begin, *end = self.lane.end;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!exchange && end != NULL && !is_old() && pith_buffer_.next <= end &&
            words + 2 <= (uint64_t)(end - pith_buffer_.next)) {
            uint64_t ticks = at ? *at : pithi_ticks(), *word, more = 0;
            int64_t step = (int64_t)(ticks - pith_buffer_.last_ticks);
            if (step >= GAP_TICKS || step <= -GAP_TICKS)
                more = 2;
            pith_buffer_.last_ticks = ticks;
            word = pith_claim_(words + more);
            if (word >= begin && word + words + more <= end) {
                /* Marks the words as claimed before any of them is stored. Readers skip claimed words: until the record
                 * is complete, or for ever if a handler jumps away before that. */
                if (words + more > 1) {
                    __atomic_store_n(word, PITH_WORD_(0, words + more, PITHI_W_CLAIMED), __ATOMIC_RELEASE);
                    __atomic_thread_fence(__ATOMIC_RELEASE);
                }
                if (more != 0) {
                    __atomic_store_n(word + 1, ticks, __ATOMIC_RELAXED);
                    if (words > 1)
                        __atomic_store_n(word + more, PITH_WORD_(0, words, PITHI_W_CLAIMED), __ATOMIC_RELAXED);
                    __atomic_store_n(word, PITH_WORD_(ticks, 0, PITHI_W_TIME), __ATOMIC_RELEASE);
                }
                *first = PITH_WORD_(ticks, id & PITHI_WORD_ID_MASK, kind);
                return word + more;
            }
            exchange = 1; /* a handler has filled or replaced the chunk; the words stay 0, which ends the chunk */
        }
        if (!make_room(words + 2, exchange))
            return NULL;
        exchange = 0;
    }
    count_lost();
    return NULL;
}

uint64_t *pithi_buffer_claim(uint32_t kind, uint32_t id, uint64_t words, const uint64_t *at, uint64_t *first)
{
    uint64_t *word;
    if (__atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) > PITHI_RECORDING)
        return NULL;
    if (__builtin_expect(!pithi_buffer_ended, 1))
        return claim(kind, id, words, at, first);
    self.holding++;
    word = claim(kind, id, words, at, first);
    if (word == NULL)
        pithi_buffer_leave();
    return word;
}

static void record_at(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count, const uint64_t *at)
{
    uint64_t first, *word = pithi_buffer_claim(kind, id, 1 + (uint64_t)count, at, &first);
    uint32_t i;
    if (word == NULL)
        return;
    for (i = 0; i < count; i++)
        __atomic_store_n(word + 1 + i, words[i], __ATOMIC_RELAXED);
    pithi_buffer_store(word, first);
}

void pithi_record(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    record_at(kind, id, words, count, NULL);
}

/* Raises the limit if it is below the end of the chunk, as it is after a pause, at a step (set_limit), or after a
 * change of the clock. Then, and also if the counter has jumped since the last record, makes an anchor, which compares
 * the counter with CLOCK_MONOTONIC. */
static void look_again(void)
{
    uint64_t *limit = pithi_counters_on    ? self.limit
                      : pithi_clock_inline ? __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED)
                                           : __atomic_load_n(&pith_buffer_.call_limit, __ATOMIC_RELAXED);
    int has_jumped = pithi_clock_inline && pith_buffer_.next < limit && self.lane.end != NULL &&
                     (pith_ticks_() - pith_buffer_.last_ticks) >> 38 != 0;
    struct pithi_guard guard;
    if (pithi_buffer_ended || ((limit == self.lane.end || pith_buffer_.next < limit) && !has_jumped) ||
        !pithi_guard_enter(&guard))
        return;
    if (pithi_session.state == PITHI_RECORDING && !is_old()) {
        pithi_lane_anchor();
        set_limit();
    }
    pithi_guard_leave(&guard);
}

static __attribute__((noinline)) void slow(uint32_t kind, uint32_t id)
{
    /* Returns at once from calls that should be cheap: those with an excluded definition, in a pause, after the end. */
    if (id == PITH_LEFT_OUT_ || __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) > PITHI_RECORDING)
        return;
    if (pith_try_(0, kind, id)) /* stores the record of a caller that only lacks the inline code */
        return;
    if (!PITH_ID_IN_(id)) {
        count_lost();
        return;
    }
    if (__builtin_expect(pithi_counters_on, 0) && kind != PITH_KIND_EVENT_)
        pithi_counters_read();
    look_again();
    pithi_record(kind, id, NULL, 0);
}

/* Stores a record of one word. Where the clock is read by a call, all such records of wrappers come here. So this
 * function has only the quick path; slow() does the rest. */
void pith_slow_(uint32_t kind, uint32_t id)
{
    if (__builtin_expect(
            PITH_ID_IN_(id) && pith_buffer_.next < __atomic_load_n(&pith_buffer_.call_limit, __ATOMIC_RELAXED), 1)) {
        uint64_t ticks = pithi_ticks_at(pithi_clock_ns(CLOCK_MONOTONIC));
        if (__builtin_expect((ticks - pith_buffer_.last_ticks) >> 38 == 0, 1)) {
            pith_buffer_.last_ticks = ticks;
            __atomic_store_n(pith_claim_(1), PITH_WORD_(ticks, id, kind), __ATOMIC_RELEASE);
            return;
        }
    }
    slow(kind, id);
}

/* ---- Calls from other files -------------------------------------------------------------------------------------- */

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
    aside->limit = self.limit;
    self.holding++;
    close_limit();
    self.lane.begin = begin;
    self.lane.end = end;
    self.limit = end;
    pith_buffer_.next = begin;
    pith_buffer_.last_ticks = pithi_ticks();
    open_limits(end);
}

void pithi_buffer_back(const struct pithi_aside *aside)
{
    close_limit();
    self.lane = aside->lane;
    self.limit = aside->limit;
    pith_buffer_ = aside->buffer;
    self.holding--;
}

uint64_t pithi_buffer_latest(void)
{
    uint64_t latest = 0;
    for (struct thread *thread = threads; thread != NULL; thread = thread->next) {
        uint64_t ticks = __atomic_load_n(&thread->buffer->last_ticks, __ATOMIC_RELAXED);
        latest = ticks > latest ? ticks : latest;
    }
    return latest;
}

void pithi_buffer_stop_all(void)
{
    struct thread *thread;
    for (thread = threads; thread != NULL; thread = thread->next) {
        clear_limits(thread->buffer);
        __atomic_store_n(&thread->limit, NULL, __ATOMIC_RELAXED);
    }
}

void pith_late(const struct pith_wait_end *late) { __atomic_store_n(&self.late, late, __ATOMIC_RELEASE); }

static void end_late(struct thread *thread, const struct pith_wait_end *late)
{
    uint64_t ticks = __atomic_load_n(late->ticks, __ATOMIC_ACQUIRE), last = thread->buffer->last_ticks;
    uint64_t *next = thread->buffer->next;
    const size_t ends = sizeof late->ends / sizeof late->ends[0];
    if (ticks == 0 || next == NULL || thread->lane.end == NULL || next > thread->lane.end ||
        (uint64_t)(thread->lane.end - next) < ends + 3)
        return;
    if ((int64_t)(ticks - last) < 0) /* a handler on that thread has recorded later */
        ticks = last;
    if (ticks - last >= GAP_TICKS) {
        next[1] = ticks;
        *next = PITH_WORD_(ticks, 0, PITHI_W_TIME);
        next += 2;
    }
    for (size_t i = 0; i < ends; i++)
        if (late->ends[i] != 0)
            *next++ = PITH_WORD_(ticks, late->ends[i], PITH_KIND_LEAVE_);
    if (late->begins != 0)
        *next++ = PITH_WORD_(ticks, late->begins, PITH_KIND_ENTER_);
    thread->buffer->next = next;
}

void pithi_buffer_end_late(void)
{
    for (struct thread *thread = threads; thread != NULL; thread = thread->next) {
        const struct pith_wait_end *late = __atomic_load_n(&thread->late, __ATOMIC_ACQUIRE);
        if (late != NULL && thread->has_lane && thread->number == pithi_session.number)
            end_late(thread, late);
    }
}

void pithi_buffer_again(void)
{
    threads = NULL;
    lane_count = 0;
    idle_count = 0;
}

void pithi_buffer_forked(void)
{
    close_limit();
    pithi_counters_forked();
    memset(&self, 0, sizeof self);
    memset(&pith_buffer_, 0, sizeof pith_buffer_);
    threads = NULL;
    lane_count = 0;
    idle_count = 0;
}

int pith_recording(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) <= PITHI_RECORDING; }

/* ---- Recording calls that are not inline ------------------------------------------------------------------------- */

static uint64_t posted_count; /* atomic */

static int on(void) { return __atomic_load_n(&pithi_session.state, __ATOMIC_RELAXED) <= PITHI_RECORDING; }

/* Returns 1 if the call must store nothing. A record with id 0, which a failed definition returns, counts as lost. */
static int refuse(uint32_t id)
{
    if (id == PITH_LEFT_OUT_ || !on())
        return 1;
    if (PITH_ID_IN_(id))
        return 0;
    pithi_lost_add(1);
    return 1;
}

void pith_event_data(uint32_t id, const void *payload, size_t size_bytes)
{
    pith_comm_event(0, id, payload, size_bytes);
}

void pith_comm_event(uint32_t comm, uint32_t id, const void *payload, size_t size_bytes)
{
    uint64_t size = size_bytes <= UINT16_MAX ? size_bytes : UINT16_MAX, i, first, *word;
    const unsigned char *bytes = payload;

    if (refuse(id))
        return;
    if (payload == NULL)
        size = 0;
    word = pithi_buffer_claim(PITHI_W_EVENT_DATA, id, 2 + (size + 7) / 8, NULL, &first);
    if (word == NULL)
        return;
    __atomic_store_n(word + 1, size | (uint64_t)comm << 32, __ATOMIC_RELAXED);
    for (i = 0; i < size; i += 8) {
        uint64_t piece = 0;
        memcpy(&piece, bytes + i, size - i < 8 ? size - i : 8);
        __atomic_store_n(word + 2 + i / 8, piece, __ATOMIC_RELAXED);
    }
    pithi_buffer_store(word, first);
    if (size < size_bytes && payload != NULL) {
        uint64_t one = 1;
        pithi_lost_add(1);
        pithi_record(PITHI_W_LOST, 0, &one, 1);
    }
}

void pithi_count_at(uint32_t id, double value, const uint64_t *at)
{
    uint64_t bits;
    if (refuse(id))
        return;
    memcpy(&bits, &value, sizeof bits);
    record_at(PITHI_W_COUNTER, id, &bits, 1, at);
}

void pith_count(uint32_t id, double value) { pithi_count_at(id, value, NULL); }

static void slow_words(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count, const uint64_t *at)
{
    if (!on() || (kind >= PITH_KIND_SEND_ && !pith_messages()))
        return;
    look_again();
    if (kind <= PITH_KIND_LEAVE_)
        pithi_counters_read_at(at);
    record_at(kind, id, words, count, at);
}

void pith_slow_words_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    slow_words(kind, id, words, count, NULL);
}

/* Returns 1 if last_ticks is the time of this thread's last record in this log. */
static int has_last(void) { return self.has_lane && pith_buffer_.next != NULL && !is_old(); }

void pith_slow_same_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count)
{
    uint64_t last = pith_buffer_.last_ticks;
    slow_words(kind, id, words, count, has_last() ? &last : NULL);
}

int pith_slow_undo_(uint64_t *record, uint64_t word)
{
    uint64_t *after = record + 1;
    if (!has_last() || pithi_state() != PITHI_RECORDING || record < self.lane.begin || after > self.lane.end ||
        *record != word ||
        !__atomic_compare_exchange_n(&pith_buffer_.next, &after, record, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return 0;
    __atomic_compare_exchange_n(record, &word, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return 1;
}

/* Moves the time of the last record to `ticks`, if that is later. A step that does not fit into the 40 bits of time in
 * a record is stored as a PITHI_W_TIME. */
void pith_slow_same_from_(uint64_t ticks)
{
    int64_t step = (int64_t)(ticks - pith_buffer_.last_ticks);
    if (!on() || !has_last() || step <= 0)
        return;
    if (step < GAP_TICKS)
        pith_buffer_.last_ticks = ticks;
    else
        record_at(PITHI_W_TIME, 0, &ticks, 1, &ticks);
}

_Static_assert(PITH_KIND_SEND_ == PITHI_W_SEND && PITH_KIND_RECV_ == PITHI_W_RECV && PITH_KIND_COLL_ == PITHI_W_COLL &&
                   PITH_KIND_CLAIMED_ == PITHI_W_CLAIMED && PITH_KIND_ENTER_ == PITHI_W_ENTER &&
                   PITH_KIND_LEAVE_ == PITHI_W_LEAVE,
               "pith_tool.h names the kinds that spill.h does");

uint64_t pith_recv_post_many(uint32_t count) { return __atomic_fetch_add(&posted_count, count, __ATOMIC_RELAXED); }

uint64_t pithi_recv_posted(void) { return __atomic_load_n(&posted_count, __ATOMIC_RELAXED); }

uint64_t pith_recv_post(void) { return pith_recv_post_many(1); }

void pith_send(int32_t peer, int32_t tag, uint64_t size_bytes) { pith_comm_send(0, peer, tag, size_bytes); }

void pith_recv(int32_t peer, int32_t tag, uint64_t size_bytes)
{
    pith_comm_recv(0, peer, tag, size_bytes, pith_recv_post());
}
