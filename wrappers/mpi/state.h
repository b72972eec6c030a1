/* state.h - records one MPI call as a state: decides whether the call is recorded, and under which id. */
#ifndef PITHI_STATE_H
#define PITHI_STATE_H

#include "nested.h"
#include "pith_tool.h"

/* A wrapped function. Its first call defines the state. */
struct pithi_state {
    const char *name, *classes, *colour; /* classes and colour as in roles.table, or "" */
    uint32_t id;                         /* in liblog; 0: not defined yet, or liblog cannot define it */
};

/* The values that a call restores when it ends. */
struct pithi_call {
    struct pithi_state *state;
    int outer_recorded; /* `recorded` of struct pithi_self before this call */
};

/* Bits of pithi_calls_unusual, which is not 0 if calls are recorded in an unusual way. CALLS_OFF: calls are not
 * recorded, after MPI_Pcontrol(0) in a program with the MPE API (job.h); requests and communicators are still followed.
 * CALLS_SITED: calls are recorded with their call sites. CALLS_WATCHED: at each call, a function of another library is
 * called (pith_watched_call). */
enum { PITHI_CALLS_OFF = 1, PITHI_CALLS_SITED = 2, PITHI_CALLS_WATCHED = 4 };
extern int pithi_calls_unusual __attribute__((visibility("hidden"))); /* atomic */
extern struct pithi_state pithi_state_off __attribute__((visibility("hidden")));
static inline int pithi_calls_are_off(void)
{
    return __builtin_expect(__atomic_load_n(&pithi_calls_unusual, __ATOMIC_RELAXED) & PITHI_CALLS_OFF, 0);
}

/* The call site of a call that takes more ticks than this is recorded at the end of the call (pith_long_call). */
extern uint64_t pithi_long_call __attribute__((visibility("hidden"))); /* atomic */

/* Call it in the first call of a function. Defines and begins the state. Returns the value for pithi_self.begun, which
 * is 0 if the state is excluded (PITH_ONLY, PITH_SKIP). `caller`: the wrapper's return address. */
int pithi_state_first(struct pithi_state *state, const void *caller);
/* The last part of pithi_enter_other if pithi_calls_unusual is not 0. */
void pithi_enter_unusual(struct pithi_call *call, struct pithi_state *state, const void *caller);

/* For a nested call: sets pithi_self.recorded, and returns the state to record, which is the call's own or that of a
 * language's binding around the call (binding.h). */
struct pithi_state *pithi_state_nested(struct pithi_state *state, const void *caller);

/* Returns 1 if more ticks than pithi_long_call lie between the thread's last record and the one before it. `before`:
 * the time of that earlier record. */
static inline int pithi_took_long(uint64_t before)
{
    return pith_buffer_.last_ticks - before > __atomic_load_n(&pithi_long_call, __ATOMIC_RELAXED);
}

/* Records the call site at the begin of a call, after the program has computed for long. */
void pithi_site_early(const void *caller);

/* The part of pithi_enter for nested calls, and for all calls if pithi_calls_unusual is not 0. */
void pithi_enter_other(struct pithi_call *call, struct pithi_state *state, const void *caller);
/* The parts of pithi_enter and pithi_leave that are not inline. They are used if the buffer has no room, if a function
 * call reads the clock, or while recording is paused. */
void pithi_enter_record(struct pithi_state *state, const void *caller);
void pithi_leave_record(const struct pithi_call *call, const void *caller);

/* pithi_enter and pithi_leave stand around the body of a wrapper. Calls inside MPI's own call are not recorded, except
 * those made by callbacks. Operations, error handlers and copy functions of attributes are user code. Both functions
 * call other functions only as their last step, so that no registers need to be saved, which saves 1 ns of 19 in
 * MPI_Comm_rank. */
static inline void pithi_enter(struct pithi_call *call, struct pithi_state *state, const void *caller)
{
    struct pithi_self *self = &pithi_self;
    uint64_t before = pith_buffer_.last_ticks;

    call->outer_recorded = self->recorded;
    call->state = state;
    if (__builtin_expect(self->depth == 0 && !__atomic_load_n(&pithi_calls_unusual, __ATOMIC_RELAXED), 1)) {
        self->depth = self->recorded = self->begun = 1;
        if (__builtin_expect(pith_try_(0, PITH_KIND_ENTER_, __atomic_load_n(&state->id, __ATOMIC_RELAXED)), 1)) {
            if (__builtin_expect(pithi_took_long(before), 0))
                pithi_site_early(caller);
            return;
        }
        pithi_enter_record(state, caller);
        return;
    }
    pithi_enter_other(call, state, caller);
}

/* Call it after a record that was made after the library's own call: sets `stamped`. `before`: the time of the record
 * before that one. */
static inline void pithi_stamp(uint64_t before)
{
    if (pithi_took_long(before))
        pithi_self.stamped = 2;
    else if (!pithi_self.stamped)
        pithi_self.stamped = 1;
}

static inline void pithi_leave(const struct pithi_call *call, const void *caller)
{
    struct pithi_self *self = &pithi_self;
    uint64_t *record = pith_buffer_.next, before = pith_buffer_.last_ticks;

    if (__builtin_expect(self->recorded, 1)) {
        uint32_t id = __atomic_load_n(&call->state->id, __ATOMIC_RELAXED);
        if (__builtin_expect(self->stamped || !pith_try_(0, PITH_KIND_LEAVE_, id), 0)) {
            pithi_leave_record(call, caller);
            return;
        }
        self->recorded = call->outer_recorded;
        self->depth--;
        if (__builtin_expect(pithi_took_long(before), 0) && self->begun < 2)
            pith_call_site_late(id, caller, record);
        return;
    }
    self->recorded = call->outer_recorded;
    self->depth--;
}

/* Ends a program of another MPI (real.c) before anything of it is recorded, so that it leaves no folder of records.
 * Defined in job.c, as state.c does not include mpi.h. */
void pithi_state_mpi(void);

/* For wrappers. PITHI_ENTER calls pithi_enter with a static state for the wrapped function; PITHI_LEAVE calls
 * pithi_leave. */
#define PITHI_ENTER(call, name, classes, colour)                                                                       \
    do {                                                                                                               \
        static struct pithi_state state_ = {name, classes, colour, 0};                                                 \
        pithi_enter(call, &state_, __builtin_return_address(0));                                                       \
    } while (0)
#define PITHI_LEAVE(call) pithi_leave(call, __builtin_return_address(0))

#endif
