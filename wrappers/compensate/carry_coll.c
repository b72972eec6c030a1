/* carry_coll.c - what collectives carry: a small one of the same kind on the shadow communicator, after the program's.
 *
 * The same kind, so that nobody waits who would not wait in the program's: all reduce where all wait for all, the root
 * tells where all wait for it, and gathers where it waits for all; of scans each learns of those of lower rank. Between
 * two groups a reduction gives each what the other one has. After it, so that the waiting stays in the program's
 * call, and whoever comes to ours finds the others there. Ours follow in the order of the program's in all members,
 * so they cannot block each other; a call that failed is followed by one too, for it may have failed in one process
 * only. */
#include "carry.h"

#include "own.h"
#include "real.h"

static __thread struct pithi_carry_coll *innermost __attribute__((tls_model("initial-exec")));

void pithi_carry_coll_open(struct pithi_carry_coll *carry)
{
    carry->comm = NULL;
    carry->least = NULL;
    carry->got_bytes = 0;
    carry->is_window = 0;
    carry->outer = innermost;
    innermost = carry;
}

void pithi_carry_coll_come(MPI_Comm comm, struct pithi_least *least)
{
    int64_t from = pithi_delay_clock();
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    if (found && found->comm != MPI_COMM_NULL)
        innermost->comm = found;
    else
        pithi_carry_alone(PITHI_ALONE_COMM);
    innermost->least = least;
    innermost->begin_ns = pithi_delay_spent(from);
}

/* At the root, and in a call that failed, the type may be none. */
void pithi_carry_coll_got(int result, int root, MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (result != MPI_SUCCESS || !innermost->comm || (innermost->comm->rank == root && !innermost->comm->is_inter) ||
        root < 0)
        return;
    REAL(MPI_Type_size_x)(type, &size);
    innermost->got_bytes = (uint64_t)size * (uint64_t)count;
}

void pithi_carry_window_come(MPI_Win window, int gone)
{
    int64_t from = pithi_delay_clock();
    innermost->is_window = 1;
    innermost->comm = gone ? pithi_shadow_drop_window(window) : pithi_shadow_find_window(window);
    if (!innermost->comm)
        pithi_carry_alone(PITHI_ALONE_COMM);
    innermost->begin_ns = pithi_delay_spent(from);
}

static int am_root(const struct pithi_shadow *comm, int root)
{
    return comm->is_inter ? root == MPI_ROOT : root == comm->rank;
}

static struct pithi_arrival arrive(const struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root,
                                   int64_t end_ns)
{
    int64_t x = pithi_delay_ns(), offset = pithi_delay_offset(end_ns), at = carry->begin_ns + offset, before = at;
    if (!pithi_delay_one_clock) {
        at = shape == PITHI_CARRY_ALL ? carry->begin_ns - end_ns : 0;
        before = shape == PITHI_CARRY_ALL || am_root(carry->comm, root) ? carry->begin_ns - end_ns : 0;
    }
    return (struct pithi_arrival){at, before - x, -x, pithi_delay_one_clock ? -end_ns - offset : 0};
}

/* All that came: they end as long after the last would have come as they ended after the last came. Where one has ended
 * a window's operation before that it is no barrier, which a fence with MPI_MODE_NOPRECEDE need not be. */
static void together(const struct pithi_carry_coll *carry, const struct pithi_arrival *all)
{
    if (!carry->is_window || all->at_ns <= -all->minus_end_ns)
        pithi_delay_set(all->at_ns - all->before_ns);
}

int pithi_carry_waits(const struct pithi_shadow *comm, enum pithi_carry_shape shape, int root)
{
    switch (shape) {
    case PITHI_CARRY_FROM:
        return !am_root(comm, root) && root != MPI_PROC_NULL;
    case PITHI_CARRY_TO:
        return am_root(comm, root);
    case PITHI_CARRY_LOWER:
        return comm->rank > 0;
    default:
        return 1;
    }
}

void pithi_carry_came(struct pithi_wait *wait, const struct pithi_arrival *all, uint64_t size_bytes)
{
    int64_t delay_ns = pithi_delay_one_clock ? all->at_ns - all->before_ns : -all->minus_delay_ns;
    struct pithi_header header = {.delay_ns = delay_ns, .sent_ns = all->at_ns};
    pithi_delay_message(wait, &header, size_bytes);
}

/* Those who wait for others than themselves. */
static void after(const struct pithi_carry_coll *carry, const struct pithi_arrival *all, int64_t end_ns)
{
    struct pithi_wait wait = {
        .begin_ns = carry->begin_ns, .end_ns = end_ns, .least = carry->least, .ways = carry->least};
    pithi_carry_came(&wait, all, carry->got_bytes);
    pithi_delay_waited(&wait);
}

static int exchange(enum pithi_carry_shape shape, struct pithi_arrival *mine, struct pithi_arrival *all, int root,
                    MPI_Comm comm)
{
    enum { NUMBERS = PITHI_ARRIVAL_NUMBERS };
    switch (shape) {
    case PITHI_CARRY_FROM:
        return REAL(MPI_Bcast)(all, NUMBERS, MPI_INT64_T, root, comm);
    case PITHI_CARRY_TO:
        return REAL(MPI_Reduce)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm);
    case PITHI_CARRY_LOWER:
        return REAL(MPI_Exscan)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, comm);
    default:
        return REAL(MPI_Allreduce)(mine, all, NUMBERS, MPI_INT64_T, MPI_MAX, comm);
    }
}

void pithi_carry_coll_end(struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root)
{
    innermost = carry->outer;
    if (!carry->comm || (carry->comm->size == 1 && !carry->comm->is_inter))
        return;
    int64_t end_ns = pithi_delay_clock();
    struct pithi_arrival mine = arrive(carry, shape, root, end_ns), all = mine;
    int bad = exchange(shape, &mine, &all, root, carry->comm->comm);
    int is_together = !carry->comm->is_inter && (shape == PITHI_CARRY_ALL || shape == PITHI_CARRY_TO);
    if (!bad && pithi_carry_waits(carry->comm, shape, root)) {
        if (is_together)
            together(carry, &all);
        else
            after(carry, &all, end_ns);
    }
    pithi_delay_spent(end_ns);
    pithi_own_waited(pithi_delay_ns());
    if (pithi_self.depth == pithi_self.base)
        pithi_own_tell();
}

void pithi_carry_window_made(int result, const struct pithi_shadow *on, const MPI_Win *window)
{
    int64_t from = pithi_delay_clock();
    if (!on)
        return;
    pithi_shadow_window_made(result, on, window);
    pithi_delay_spent(from);
    if (pithi_self.depth == pithi_self.base)
        pithi_own_tell();
}

void pithi_carry_made(int result, const MPI_Comm *made)
{
    int64_t from = pithi_delay_clock();
    pithi_shadow_made(result, made);
    pithi_delay_spent(from);
    pithi_own_tell(); /* at once: behind the records that follow it would be more than has passed */
}

void pithi_carry_gone(int result, struct pithi_shadow *gone)
{
    int64_t from = pithi_delay_clock();
    if (!gone)
        return;
    pithi_shadow_drop_end(result, gone);
    pithi_delay_spent(from);
    pithi_own_tell();
}
