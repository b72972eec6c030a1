/* timing.h - the counters of libpith-time, which time.w updates around and after each MPI call.
 *
 *     call -> the thread's cells -> when the thread ends, or in MPI_Finalize, the process's sum (timing.c)
 *          -> one process after the other to rank 0 (job_time.c) -> table, CSV, JSON (time_table.c, files.c)
 *
 * A cell has the counts of a function on a communicator, or, without PITH_TIME_COMM, on all communicators. Memory grows
 * with the functions and communicators used, not with the calls.
 */
#ifndef PITHI_TIMING_H
#define PITHI_TIMING_H

#include "collective.h"
#include "delay.h"
#include "nested.h"
#include "real.h"

#include <stdint.h>
#include <time.h>

enum { PITHI_TIME_COMMS = 256 }; /* labels of communicators; label 0: none, or no room for it */

struct pithi_time_cell {
    uint64_t calls, ticks, least, most; /* number of calls; ticks of all, of the shortest, of the longest call */
    uint64_t messages, bytes;           /* sent */
    int64_t saved_ns;                   /* the part of the calls' time that recording caused (PITH_COMPENSATE) */
};
/* The state of a call, until it ends. */
struct pithi_time_call {
    /* begin: ticks at its begin; outer_inner: `inner` of the call around it */
    uint64_t begin, outer_inner;
    /* begin_delay_ns: delay at its begin; outer_inner_saved_ns: `inner_saved_ns` of the call around it */
    int64_t begin_delay_ns, outer_inner_saved_ns;
    int function, outer_recorded, comm, is_outermost, has_delay;
};

/* The counters of a thread. The time of a call excludes the calls inside it, so that each moment counts once. */
struct pithi_time_partner;
struct pithi_time_thread {
    struct pithi_time_cell *cells[PITHI_TIME_COMMS]; /* [label] an array of pithi_time_functions cells, or NULL */
    struct pithi_time_partner *partners;             /* partners.h */
    uint32_t partner_room, partner_count;
    uint64_t calls;                 /* MPI calls of the thread */
    struct pithi_time_thread *next; /* in the list of all threads */
};
struct pithi_time_self {
    struct pithi_time_thread *thread; /* NULL: before the first call, and when the thread has ended */
    struct pithi_time_cell *last;     /* cell of the call that has just ended; NULL: not counted */
    uint64_t inner;                   /* ticks of the calls inside the present one */
    int64_t inner_saved_ns;           /* saved_ns of the calls inside the present one */
    int comm;                         /* label for the next call */
};
extern __thread struct pithi_time_self pithi_time_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern const char *const pithi_time_names[];   /* function names, by number */
extern const char *const pithi_time_classes[]; /* their classes in roles.table */
extern const int pithi_time_functions;
extern int pithi_time_off;      /* 1: nothing is counted, after MPI_Pcontrol(0) or the report */
extern int pithi_time_counter;  /* 1: the processor's counter is reliable */
extern int pithi_time_by_comm;  /* PITH_TIME_COMM */
extern int pithi_time_partners; /* PITH_TIME_MATRIX */
extern int pithi_time_delays;   /* PITH_COMPENSATE: the time that recording caused is counted, too */

static inline uint64_t pithi_time_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(pithi_time_counter, 1))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- a call ------------------------------------------------------------------------------------------------------ */

/* Returns the cell of a label and a function, and makes it if needed; NULL if there is no memory. */
struct pithi_time_cell *pithi_time_cell_make(int comm, int function);

/* With PITH_COMPENSATE: measures by how much the delay grows in a call, to subtract that from the call's time. */
void pithi_time_delay_begin(struct pithi_time_call *call);
void pithi_time_delay_end(const struct pithi_time_call *call, struct pithi_time_cell *cell);

static inline void pithi_time_begin(struct pithi_time_call *call, int function, const void *caller)
{
    struct pithi_self *self = &pithi_self;

    call->function = function;
    call->outer_recorded = self->recorded;
    call->is_outermost = self->depth == 0;
    self->recorded = self->depth++ == 0 || pithi_nested_counts(caller);
    call->outer_inner = pithi_time_self.inner;
    call->comm = pithi_time_self.comm;
    pithi_time_self.comm = 0;
    pithi_time_self.inner = 0;
    call->has_delay = pithi_time_delays; /* 0 before MPI_Init */
    if (__builtin_expect(call->has_delay, 0))
        pithi_time_delay_begin(call);
    call->begin = pithi_time_ticks();
}

/* Adds to a number that only this thread writes. Another thread reads the number at the end of the process. */
static inline void pithi_time_add(uint64_t *to, uint64_t value) { __atomic_store_n(to, *to + value, __ATOMIC_RELAXED); }

static inline void pithi_time_end(const struct pithi_time_call *call)
{
    uint64_t whole = pithi_time_ticks() - call->begin;
    struct pithi_time_self *mine = &pithi_time_self;
    struct pithi_time_thread *thread = mine->thread;

    mine->last = 0;
    if (__builtin_expect(pithi_self.recorded && !__atomic_load_n(&pithi_time_off, __ATOMIC_RELAXED), 1)) {
        uint64_t own = whole - mine->inner;
        struct pithi_time_cell *cell = thread && thread->cells[call->comm]
                                           ? &thread->cells[call->comm][call->function]
                                           : pithi_time_cell_make(call->comm, call->function);
        mine->last = cell;
        if (__builtin_expect(cell != 0, 1)) {
            if (own < cell->least || cell->calls == 0)
                __atomic_store_n(&cell->least, own, __ATOMIC_RELAXED);
            if (own > cell->most)
                __atomic_store_n(&cell->most, own, __ATOMIC_RELAXED);
            pithi_time_add(&cell->calls, 1);
            pithi_time_add(&cell->ticks, own);
            pithi_time_add(&mine->thread->calls, 1);
        }
        mine->inner = call->outer_inner + whole;
    } else {
        mine->inner += call->outer_inner;
    }
    if (__builtin_expect(call->has_delay, 0))
        pithi_time_delay_end(call, mine->last);
    pithi_self.recorded = call->outer_recorded;
    pithi_self.depth--;
}

/* ---- the data sent: after the call (sent.c) ---------------------------------------------------------------------- */

void pithi_time_send(MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type);
void pithi_time_send_init(int result, MPI_Comm comm, int peer, MPI_Count count, MPI_Datatype type,
                          const MPI_Request *request);
void pithi_time_start(int count, const MPI_Request *requests);
/* Call it after MPI_Init, before the first request. */
void pithi_time_requests_begin(void);
void pithi_time_forget(const MPI_Request *request); /* before MPI_Request_free */

/* Counts bytes given to a collective: at once, or if the call made a persistent request, at each start. */
void pithi_time_given(uint64_t bytes, int result, const MPI_Request *request);

/* Call it after a collective. `request`: the request of a persistent collective, else NULL. Data that MPI_IN_PLACE
 * leaves where they are do not count, because they are not sent from a send buffer. */
PITHI_IN_WRAPPER void pithi_time_collective(const struct pithi_collective *call, int result, const MPI_Request *request)
{
    enum pithi_shape shape = call->shape;
    int is_to_root = shape == PITHI_SHAPE_gather || shape == PITHI_SHAPE_reduce;
    int needs_members =
        !is_to_root && shape != PITHI_SHAPE_allgather && shape != PITHI_SHAPE_allreduce && shape != PITHI_SHAPE_exscan;

    if (!pithi_time_self.last || shape == PITHI_SHAPE_barrier || (is_to_root && call->root < 0))
        return;
    if (call->sent.buf == MPI_IN_PLACE &&
        (shape == PITHI_SHAPE_gather || shape == PITHI_SHAPE_allgather || shape == PITHI_SHAPE_alltoall))
        return;
    struct pithi_members members = {.rank = -1}; /* -1: not the root, so recvtype, which may be invalid, is not read */
    if (needs_members) {
        struct pithi_handle *comm = pithi_handle_of_comm(call->comm);
        if (!comm)
            return;
        members = pithi_members_of(comm, shape);
    }
    pithi_time_given(pithi_collective_bytes(call, &members).given, result, request);
}

/* ---- the communicator (partners.c) ------------------------------------------------------------------------------- */

/* Before a call: sets the label of its communicator. Does nothing without PITH_TIME_COMM. */
void pithi_time_comm_set(MPI_Comm comm);
static inline void pithi_time_comm(MPI_Comm comm)
{
    if (__builtin_expect(pithi_time_by_comm, 0))
        pithi_time_comm_set(comm);
}
void pithi_time_comm_named(MPI_Comm comm); /* after MPI_Comm_set_name */

/* ---- the job (job_time.c) ---------------------------------------------------------------------------------------- */

void pithi_time_mark(void);          /* before MPI_Init */
void pithi_time_job(int result);     /* after MPI_Init */
void pithi_time_session(int result); /* after MPI_Session_init */
/* Call them before and after MPI_Pcontrol: level 0 stops counting after the call; other levels resume it before the
 * call. */
void pithi_time_resume(int level);
void pithi_time_pause(int level);
/* In MPI_Finalize, before the library's call: ends this call and makes the report; collective. */
void pithi_time_finish(struct pithi_time_call *call);
/* Like pithi_time_finish, in MPI_Session_finalize: the last session of a program without MPI_Init makes the report. */
void pithi_time_session_finish(struct pithi_time_call *call);

#endif
