/* carry_coll.c - what collectives carry: a small one of the same kind on the shadow communicator, after the program's.
 *
 * The same kind, so that nobody waits who would not wait in the program's: all reduce where all wait for all, the root
 * tells where all wait for it, and gathers where it waits for all. After it, so that the waiting stays in the program's
 * call, and whoever comes to ours finds the others there. Ours follow in the order of the program's in all members,
 * so they cannot block each other; a call that failed is followed by one too, for it may have failed in one process
 * only. */
#include "carry.h"

#include "own.h"
#include "real.h"

/* A process came when it was as late as `at`, and would have come at `before`; and by how much earlier; and when it
 * ended. The largest of each is asked for. Without one clock for all, time counts from the end of each one's call, as
 * if all had ended at once; who does not wait (all but the root that gathers) is taken to have come then. */
struct arrival {
    int64_t at_ns, before_ns, minus_delay_ns, minus_end_ns;
};
enum { NUMBERS = sizeof(struct arrival) / sizeof(int64_t) };

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

void pithi_carry_coll_come(MPI_Comm comm)
{
    int64_t from = pithi_delay_clock();
    struct pithi_shadow *found = comm == MPI_COMM_NULL ? NULL : pithi_shadow_find(comm);
    if (found && !found->is_inter && found->comm != MPI_COMM_NULL)
        innermost->comm = found;
    else
        pithi_carry_alone(PITHI_ALONE_COMM);
    innermost->begin_ns = pithi_delay_spent(from);
}

/* At the root, and in a call that failed, the type may be none. */
void pithi_carry_coll_got(int result, int root, MPI_Count count, MPI_Datatype type, struct pithi_least *least)
{
    MPI_Count size = 0;
    innermost->least = least;
    if (result != MPI_SUCCESS || !innermost->comm || innermost->comm->rank == root)
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

static struct arrival arrive(const struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root,
                             int64_t end_ns)
{
    int64_t x = pithi_delay_ns(), offset = pithi_delay_offset(end_ns), at = carry->begin_ns + offset, before = at;
    if (!pithi_delay_one_clock) {
        at = shape == PITHI_CARRY_ALL ? carry->begin_ns - end_ns : 0;
        before = shape == PITHI_CARRY_ALL || carry->comm->rank == root ? carry->begin_ns - end_ns : 0;
    }
    return (struct arrival){at, before - x, -x, pithi_delay_one_clock ? -end_ns - offset : 0};
}

/* All that came: they end as long after the last would have come as they ended after the last came. Where one has ended
 * a window's operation before that it is no barrier, which a fence with MPI_MODE_NOPRECEDE need not be. */
static void together(const struct pithi_carry_coll *carry, const struct arrival *all)
{
    if (!carry->is_window || all->at_ns <= -all->minus_end_ns)
        pithi_delay_set(all->at_ns - all->before_ns);
}

static void from_root(const struct pithi_carry_coll *carry, const struct arrival *root, int64_t end_ns)
{
    struct pithi_wait wait = {
        .begin_ns = carry->begin_ns, .end_ns = end_ns, .least = carry->least, .ways = carry->least};
    struct pithi_header header = {.delay_ns = -root->minus_delay_ns, .sent_ns = root->at_ns};
    pithi_delay_message(&wait, &header, carry->got_bytes);
    pithi_delay_waited(&wait);
}

void pithi_carry_coll_end(struct pithi_carry_coll *carry, enum pithi_carry_shape shape, int root)
{
    innermost = carry->outer;
    if (!carry->comm || carry->comm->size == 1)
        return;
    int64_t end_ns = pithi_delay_clock();
    struct arrival mine = arrive(carry, shape, root, end_ns), all = mine;
    MPI_Comm comm = carry->comm->comm;
    int is_root = carry->comm->rank == root, bad = 0;
    if (shape == PITHI_CARRY_ALL)
        bad = REAL(MPI_Allreduce)(&mine, &all, NUMBERS, MPI_INT64_T, MPI_MAX, comm);
    else if (shape == PITHI_CARRY_FROM)
        bad = REAL(MPI_Bcast)(&all, NUMBERS, MPI_INT64_T, root, comm);
    else
        bad = REAL(MPI_Reduce)(&mine, &all, NUMBERS, MPI_INT64_T, MPI_MAX, root, comm);
    if (!bad && (shape == PITHI_CARRY_ALL || (shape == PITHI_CARRY_TO && is_root)))
        together(carry, &all);
    else if (!bad && shape == PITHI_CARRY_FROM && !is_root)
        from_root(carry, &all, end_ns);
    pithi_delay_spent(end_ns);
    pithi_own_waited(pithi_delay_ns());
    if (pithi_self.depth == 0)
        pithi_own_tell();
}

void pithi_carry_window_made(int result, const struct pithi_shadow *on, const MPI_Win *window)
{
    int64_t from = pithi_delay_clock();
    if (!on)
        return;
    pithi_shadow_window_made(result, on, window);
    pithi_delay_spent(from);
    if (pithi_self.depth == 0)
        pithi_own_tell();
}

void pithi_carry_made(int result, const MPI_Comm *made)
{
    int64_t from = pithi_delay_clock();
    pithi_shadow_made(result, made);
    pithi_delay_spent(from);
}
