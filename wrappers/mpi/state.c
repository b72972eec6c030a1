/* state.c - defines the states of MPI calls, and handles nested calls.
 *
 * An MPI library may call its own MPI functions, and these wrappers then see calls that the program did not make. Each
 * thread counts the calls that it is in, and inner calls count only if the program's code made them:
 *
 *     MPI_Allreduce                        depth 1: recorded
 *         MPI_Isend, by the library        depth 2: not recorded
 *         MPI_Comm_rank, by an MPI_Op      depth 2: recorded, as the operation is the program's
 *
 * The usual call (depth 1, recording on, no call sites) is inline in state.h. All others come here, where they may cost
 * more. A state gets its id at its first call, so a program that uses 8 of some 400 functions defines 8 states. */
#include "state.h"

#include "binding.h"
#include "group.h"
#include "pith_tool.h"

int pithi_calls_unusual;
uint64_t pithi_long_call = UINT64_MAX;
struct pithi_state pithi_state_off = {"", "", "", PITH_LEFT_OUT_};

int pithi_state_first(struct pithi_state *state, const void *caller)
{
    const char *colour = *state->colour ? state->colour : pithi_group_colour(state->name, state->classes);
    pithi_state_mpi();
    uint32_t id = pith_state_define_group(state->name, colour, pithi_group_of(state->name, state->classes));
    int sites, has_site;

    __atomic_store_n(&state->id, id, __ATOMIC_RELAXED);
    pith_begin(id);
    sites = pith_call_sites();
    if (sites > 0)
        __atomic_fetch_or(&pithi_calls_unusual, PITHI_CALLS_SITED, __ATOMIC_RELAXED);
    __atomic_store_n(&pithi_long_call, pith_long_call(), __ATOMIC_RELAXED);
    /* The first call of each function is recorded with its call site. So the log shows early in which module the
     * program's call sites are. */
    has_site = PITH_ID_IN_(id) && sites != 0;
    if (has_site)
        pith_call_site(caller);
    if (pith_watched_call())
        __atomic_fetch_or(&pithi_calls_unusual, PITHI_CALLS_WATCHED, __ATOMIC_RELAXED);
    return PITH_ID_IN_(id) ? 1 + has_site : 0;
}

void pithi_enter_unusual(struct pithi_call *call, struct pithi_state *state, const void *caller)
{
    struct pithi_self *self = &pithi_self;
    int unusual = __atomic_load_n(&pithi_calls_unusual, __ATOMIC_RELAXED);
    uint32_t id;

    call->state = state = unusual & PITHI_CALLS_OFF ? &pithi_state_off : state;
    if (!self->recorded)
        return;
    id = __atomic_load_n(&state->id, __ATOMIC_RELAXED);
    self->begun = PITH_ID_IN_(id);
    if (self->begun) {
        pith_begin(id);
        if (unusual & PITHI_CALLS_SITED)
            pith_call_site(caller);
        if (unusual & PITHI_CALLS_WATCHED)
            pith_watched_call();
    } else if (id != PITH_LEFT_OUT_) {
        self->begun = pithi_state_first(state, caller);
    }
}

/* Records the begin of a call whose state may not be defined yet. If the program computed for long before the call,
 * also records the call site. */
void pithi_enter_record(struct pithi_state *state, const void *caller)
{
    uint32_t id = __atomic_load_n(&state->id, __ATOMIC_RELAXED);

    pithi_self.begun = 1;
    if (PITH_ID_IN_(id)) {
        uint64_t before = pith_buffer_.last_ticks;
        pith_begin(id);
        if (pithi_took_long(before))
            pithi_site_early(caller);
    } else
        pithi_self.begun = id == PITH_LEFT_OUT_ ? 0 : pithi_state_first(state, caller);
}

void pithi_enter_other(struct pithi_call *call, struct pithi_state *state, const void *caller)
{
    struct pithi_self *self = &pithi_self;

    if (self->depth++ == 0)
        self->recorded = 1;
    else
        state = pithi_state_nested(state, caller);
    call->state = state;
    if (__atomic_load_n(&pithi_calls_unusual, __ATOMIC_RELAXED))
        pithi_enter_unusual(call, state, caller);
    else if (self->recorded)
        pithi_enter_record(state, caller);
}

void pithi_leave_record(const struct pithi_call *call, const void *caller)
{
    struct pithi_self *self = &pithi_self;
    uint32_t id = __atomic_load_n(&call->state->id, __ATOMIC_RELAXED);

    if (id != PITH_LEFT_OUT_) {
        uint64_t *record = pith_buffer_.next, before = pith_buffer_.last_ticks;
        if (self->stamped)
            pith_same_end(id);
        else
            pith_end(id);
        if ((self->stamped > 1 || pithi_took_long(before)) && self->begun < 2)
            pith_call_site_late(id, caller, record);
    }
    self->stamped = 0;
    self->recorded = call->outer_recorded;
    self->depth--;
}

void pithi_site_early(const void *caller)
{
    pithi_self.begun = 2;
    pith_call_site(caller);
}

struct pithi_state *pithi_state_nested(struct pithi_state *state, const void *caller)
{
    struct pithi_self *self = &pithi_self;

    if (self->binding && self->binding->depth == self->depth - 1)
        return pithi_binding_inner(self->binding, state);
    self->recorded = pithi_nested_counts(caller);
    return state;
}
