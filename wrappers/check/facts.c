/* facts.c - builds the description of this thread's call (facts.h).
 *
 *     MPI_Bcast(buf, 10, MPI_INT, root = 0, comm)
 *
 *     facts    hash of "MPI_Bcast", then root 0, mixed in this order
 *     parts    rank 0 gives 10 MPI_INT to ranks 1 and 2; ranks 1 and 2 each expect 10 MPI_INT from rank 0
 *
 * A thread reuses its description for each call, so a call allocates no memory once the arrays are large enough. Names
 * and texts are not copied, because they are constants or arguments that live as long as the call. */
#include "facts.h"

#include "agree.h"
#include "nested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* This thread's description; NULL before the first call. */
static __thread struct pithi_check *now __attribute__((tls_model("initial-exec")));
static struct pithi_check none; /* used if there is no memory; it has no team, so nothing is checked */
int64_t pithi_fact_unchecked;   /* collective calls on communicators without a team; atomic */

struct pithi_check *pithi_check_now(void) { return now ? now : &none; }

/* ---- start and end of a call ------------------------------------------------------------------------------------- */

/* Begins the description of a call; the arrays keep their memory. */
static void begin(const char *name, const void *caller)
{
    if (!now && !(now = calloc(1, sizeof *now)))
        return;
    now->team = NULL;
    now->name = name;
    now->caller = caller;
    now->fact_count = now->part_count = now->may_have_only = now->has_only = now->is_later = now->is_wait_ours = 0;
    now->problem = NULL;
}

/* See check.h. `caller`: the call's return address, which shows whether the MPI library itself made the call. */
void pithi_check_enter(struct pithi_check_call *call, int function, const void *caller)
{
    struct pithi_self *self = &pithi_self;

    call->outer_recorded = self->recorded;
    call->outer_function = pithi_where ? pithi_where->function : 0;
    /* A call counts if it is the outermost call, or if the program makes it in a callback. */
    self->recorded = self->depth++ == 0 || pithi_nested_counts(caller);
    if (!self->recorded)
        return;
    pithi_where_set(function + 1);
    if (self->depth > 1) {
        /* A call inside another call (MPI called code of the program, such as an operation) gets a description of its
         * own, because the outer call still uses the thread's description. */
        call->outer = now;
        now = NULL;
        begin(pithi_check_names[function], caller);
    } else {
        begin(pithi_check_names[function], caller);
    }
}

void pithi_check_leave(const struct pithi_check_call *call)
{
    struct pithi_self *self = &pithi_self;

    if (self->recorded) {
        pithi_where_set(call->outer_function);
        if (self->depth > 1) {
            if (now) {
                free(now->facts);
                free(now->parts);
                free(now);
            }
            now = call->outer;
        }
    }
    self->recorded = call->outer_recorded;
    self->depth--;
}

/* ---- the team ---------------------------------------------------------------------------------------------------- */

/* Returns 1 if the program made this call and there is a description for it. */
static int is_checked(void) { return pithi_self.recorded && now; }

void pithi_check_later(void)
{
    if (is_checked())
        now->is_later = 1;
}

void pithi_check_wait(void)
{
    if (is_checked())
        now->is_wait_ours = 1;
}

/* Finds the team of a communicator. A communicator that MPI_Comm_idup made has no team yet, so this function makes it.
 * Making a team is collective, so the function first waits until all processes have entered the call. */
void pithi_check_comm(MPI_Comm comm)
{
    if (!is_checked())
        return;
    if (!now->is_later && pithi_team_is_missing(comm))
        pithi_await_all(comm, now->name); /* a call that must not wait (is_later) makes no team and is not checked */
    now->team = now->is_later ? pithi_team_of_comm(comm) : pithi_team_make_missing(comm);
    if (!now->team)
        __atomic_add_fetch(&pithi_fact_unchecked, 1, __ATOMIC_RELAXED);
}

void pithi_check_file(MPI_File file)
{
    if (is_checked())
        now->team = pithi_team_of_file(file);
}

void pithi_check_window(MPI_Win window)
{
    if (is_checked())
        now->team = pithi_team_of_window(window);
}

/* Makes the team of a new communicator. `parent`: MPI_COMM_NULL if the call has groups but no communicator as
 * argument. */
void pithi_check_comm_made(int result, MPI_Comm parent, const MPI_Comm *made)
{
    const struct pithi_team *of = pithi_team_of_comm(parent == MPI_COMM_NULL ? MPI_COMM_WORLD : parent);

    if (result == MPI_SUCCESS && is_checked() && *made != MPI_COMM_NULL && (parent == MPI_COMM_NULL || of))
        pithi_team_make_comm(*made, of, now->name);
}

void pithi_check_expect(void) { pithi_team_expect(); }

void pithi_check_comm_gone(const MPI_Comm *comm)
{
    struct pithi_team *team = is_checked() && *comm != MPI_COMM_NULL ? pithi_team_of_comm(*comm) : NULL;

    if (team)
        pithi_team_closing(team);
}

void pithi_check_file_made(int result, MPI_Comm comm, const char *name, const MPI_File *file)
{
    const struct pithi_team *of = result == MPI_SUCCESS && is_checked() ? pithi_team_of_comm(comm) : NULL;

    if (of)
        pithi_team_make_file(*file, of, now->name, name);
}

void pithi_check_window_made(int result, MPI_Comm comm, const MPI_Win *window)
{
    const struct pithi_team *of = result == MPI_SUCCESS && is_checked() ? pithi_team_of_comm(comm) : NULL;

    if (of)
        pithi_team_make_window(*window, of, now->name);
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* Returns a new fact of this call. If there is no memory, returns a fact that nothing reads; never returns NULL. */
static struct pithi_fact *add_fact(const char *argument, int index, enum pithi_fact_kind kind)
{
    if (now->fact_count == now->fact_room) {
        int room = now->fact_room ? 2 * now->fact_room : 16;
        struct pithi_fact *larger = realloc(now->facts, (size_t)room * sizeof *larger);
        if (!larger) {
            static __thread struct pithi_fact lost;
            return &lost;
        }
        now->facts = larger;
        now->fact_room = room;
    }
    struct pithi_fact *fact = &now->facts[now->fact_count++];
    *fact = (struct pithi_fact){.argument = argument, .index = index, .kind = kind};
    return fact;
}

/* Returns 1 if this call has a team, so that its facts are wanted. */
static int is_known(void) { return pithi_check_now()->team != NULL; }

void pithi_check_number(const char *argument, int64_t value)
{
    if (is_known())
        add_fact(argument, -1, PITHI_FACT_NUMBER)->value = (uint64_t)value;
}

void pithi_check_truth(const char *argument, int value) { pithi_check_number(argument, value != 0); }

void pithi_check_numbers_at(const char *argument, int index, int64_t value)
{
    if (is_known())
        add_fact(argument, index, PITHI_FACT_NUMBER)->value = (uint64_t)value;
}

void pithi_check_numbers(const char *argument, int count, const int *values)
{
    for (int i = 0; i < count; i++)
        pithi_check_numbers_at(argument, i, values[i]);
}

void pithi_check_truths(const char *argument, int count, const int *values)
{
    for (int i = 0; i < count; i++)
        pithi_check_numbers_at(argument, i, values[i] != 0);
}

static uint64_t hash_bytes(const char *text, size_t size)
{
    uint64_t hash = UINT64_C(1469598103934665603); /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t pithi_fact_hash_text(const char *text) { return hash_bytes(text, strlen(text)); }

void pithi_check_text(const char *argument, const char *text)
{
    if (!is_known())
        return;
    struct pithi_fact *fact = add_fact(argument, -1, PITHI_FACT_TEXT);
    fact->value = pithi_fact_hash_text(text);
    fact->text = text;
}

/* See check.h. */
void pithi_check_number_if(int is_stated, const char *argument, int64_t value)
{
    if (!is_known())
        return;
    now->may_have_only = 1;
    now->has_only = is_stated;
    now->only = (struct pithi_fact){.argument = argument, .index = -1, .value = (uint64_t)value};
}

/* States data that all processes must describe alike, such as the data of MPI_Allreduce. */
void pithi_fact_data(const char *argument, struct pithi_signature data)
{
    if (!is_known())
        return;
    struct pithi_fact *fact = add_fact(argument, -1, PITHI_FACT_DATA);
    fact->value = data.hash;
    fact->elements = data.elements;
    fact->text = data.element;
}

/* Adds a part to this call. A signature with the hash 0 is empty and needs no part. */
static void add_part(int peer, int is_got, struct pithi_signature data)
{
    if (!is_known() || !data.hash || peer < 0)
        return;
    if (now->part_count == now->part_room) {
        int room = now->part_room ? 2 * now->part_room : 16;
        struct pithi_fact_part *larger = realloc(now->parts, (size_t)room * sizeof *larger);
        if (!larger)
            return;
        now->parts = larger;
        now->part_room = room;
    }
    now->parts[now->part_count++] = (struct pithi_fact_part){peer, is_got, data.hash, data.elements, data.element};
}

void pithi_part_give(int peer, struct pithi_signature data) { add_part(peer, 0, data); }
void pithi_part_get(int peer, struct pithi_signature data) { add_part(peer, 1, data); }

/* Keeps the problem, unless this call has one already. */
void pithi_fact_problem(const char *what)
{
    if (is_known() && !now->problem)
        now->problem = what;
}

/* ---- the number to exchange -------------------------------------------------------------------------------------- */

/* Two multiplications spread the influence of each bit over all bits of the result. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

/* See facts.h. Hashes the name without the suffix "_c", because one process may call MPI_Bcast and another one
 * MPI_Bcast_c. */
uint64_t pithi_fact_hash_name(const char *name)
{
    size_t size = strlen(name);

    return hash_bytes(name, size > 2 && !strcmp(name + size - 2, "_c") ? size - 2 : size);
}

uint64_t pithi_fact_hash(const struct pithi_check *check)
{
    uint64_t hash = pithi_fact_hash_name(check->name);

    for (int i = 0; i < check->fact_count; i++)
        hash = mix(hash, check->facts[i].value);
    return hash;
}

/* Returns the hash of data that go from one rank to another. It also depends on these ranks and on the direction. */
static uint64_t on_way(uint64_t from, uint64_t to, uint64_t hash) { return mix(mix(from, to), hash); }

/* Returns the number that this process contributes to the sum. The sum over all processes is 0 if they agree. */
uint64_t pithi_fact_sum(const struct pithi_check *check)
{
    /* | 1: so that a problem never contributes 0 */
    uint64_t sum = check->problem ? pithi_fact_hash_name(check->problem) | 1 : 0, facts = pithi_fact_hash(check);
    uint64_t rank = (uint64_t)check->team->rank;

    /* Compares the facts of neighbouring ranks. Each process but the last adds a hash of its facts and of the pair (own
     * rank, next rank). Each process but the first subtracts a hash of its facts and of the pair (previous rank, own
     * rank). So if two neighbours have the same facts, the two hashes of their pair cancel in the sum. */
    if (check->team->rank + 1 < check->team->size)
        sum += on_way(rank, rank + 1, facts);
    if (check->team->rank > 0)
        sum -= on_way(rank - 1, rank, facts);
    for (int i = 0; i < check->part_count; i++) {
        const struct pithi_fact_part *part = &check->parts[i];
        uint64_t peer = (uint64_t)part->peer;
        sum += part->is_got ? -on_way(peer, rank, part->hash) : on_way(rank, peer, part->hash);
    }
    return sum;
}
