/* intercolls.c - every collective between two groups, blocking, nonblocking and persistent where the MPI has it.
 *     intercolls FIRST
 * The first group has FIRST processes. Each call's result is checked. Where an argument does not count (the counts and
 * buffers of those who do not take part), it is a wrong one. Prints what must be recorded, a line a call, in order:
 * "RANK FUNCTION root=R given=G got=B", given and got in bytes; of a persistent call FUNCTION is MPI_Start. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 256 };
static int rank, group, me, local, remote, first; /* me: in the own group, of `local`; first: of the first group */
static MPI_Comm between;
static int a[ROOM], b[ROOM], counts[ROOM], displs[ROOM], bytes[ROOM], shares[ROOM];
static MPI_Datatype types[ROOM];

/* The world rank of a rank of the other group. */
static int other(int i) { return group ? i : first + i; }

static void expect(const char *name, int root, long given, long got)
{
    char line[128];
    int size = snprintf(line, sizeof line, "%d %s root=%d given=%ld got=%ld\n", rank, name, root, given, got);
    if (write(1, line, (size_t)size) != size)
        exit(1);
}

/* ---- data: element i that a process of world rank r gives is 1000 r + i ------------------------------------------ */

static void prepare(void)
{
    for (int i = 0; i < ROOM; i++) {
        a[i] = 1000 * rank + i;
        b[i] = -1;
    }
}

static void want(const char *name, int at, int value)
{
    if (b[at] != value)
        printf("rank %d: %s: place %d is %d and not %d\n", rank, name, at, b[at], value);
}

/* The sum of what the other group gives as its element i. */
static int sum(int i)
{
    int all = 0;

    for (int from = 0; from < remote; from++)
        all += 1000 * other(from) + i;
    return all;
}

/* ---- a call in its forms ----------------------------------------------------------------------------------------- */

static void completed(int result, const char *name, MPI_Request *request)
{
    if (result != MPI_SUCCESS || MPI_Wait(request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        printf("rank %d: %s fails\n", rank, name);
}

#define BLOCKING(name, args, result, ...)                                                                              \
    do {                                                                                                               \
        prepare();                                                                                                     \
        if (MPI_##name(args between) != MPI_SUCCESS)                                                                   \
            printf("rank %d: MPI_" #name " fails\n", rank);                                                            \
        expect("MPI_" #name, __VA_ARGS__);                                                                             \
        result("MPI_" #name);                                                                                          \
    } while (0)
#define NONBLOCKING(name, args, result, ...)                                                                           \
    do {                                                                                                               \
        MPI_Request request_;                                                                                          \
        prepare();                                                                                                     \
        completed(MPI_I##name(args between, &request_), "MPI_I" #name, &request_);                                     \
        expect("MPI_I" #name, __VA_ARGS__);                                                                            \
        result("MPI_I" #name);                                                                                         \
    } while (0)
#if MPI_VERSION >= 4
#define PERSISTENT(name, args, result, ...)                                                                            \
    do {                                                                                                               \
        MPI_Request request_;                                                                                          \
        if (MPI_##name##_init(args between, MPI_INFO_NULL, &request_) != MPI_SUCCESS)                                  \
            printf("rank %d: MPI_" #name "_init fails\n", rank);                                                       \
        for (int n_ = 0; n_ < 2; n_++) {                                                                               \
            prepare();                                                                                                 \
            completed(MPI_Start(&request_), "MPI_" #name "_init", &request_);                                          \
            expect("MPI_Start", __VA_ARGS__);                                                                          \
            result("MPI_" #name "_init");                                                                              \
        }                                                                                                              \
        MPI_Request_free(&request_);                                                                                   \
    } while (0)
#else
#define PERSISTENT(name, args, result, ...)
#endif
#define ALL(name, iname, args, result, ...)                                                                            \
    do {                                                                                                               \
        BLOCKING(name, ARGS(args), result, __VA_ARGS__);                                                               \
        NONBLOCKING(iname, ARGS(args), result, __VA_ARGS__);                                                           \
        PERSISTENT(name, ARGS(args), result, __VA_ARGS__);                                                             \
    } while (0)
/* Without the persistent form: that of scatter fails in MPICH 4.0.2. */
#define SOME(name, iname, args, result, ...)                                                                           \
    do {                                                                                                               \
        BLOCKING(name, ARGS(args), result, __VA_ARGS__);                                                               \
        NONBLOCKING(iname, ARGS(args), result, __VA_ARGS__);                                                           \
    } while (0)
#define ARGS(...) __VA_ARGS__
#define NONE

/* ---- with a root: rank `root` of group `of` ---------------------------------------------------------------------- */

static int is_root, takes; /* takes: is of the group that the root gives to or gets from */

static void bcast(const char *name)
{
    for (int i = 0; i < 5; i++)
        if (takes && a[i] != a[0] + i)
            printf("rank %d: %s: not the root's data\n", rank, name);
}
static void gather(const char *name)
{
    for (int i = 0; is_root && i < 3 * remote; i++)
        want(name, i, 1000 * other(i / 3) + i % 3);
}
static void gatherv(const char *name)
{
    for (int from = 0; is_root && from < remote; from++)
        for (int i = 0; i <= from; i++)
            want(name, displs[from] + i, 1000 * other(from) + i);
}
static int root_rank;
static void scatter(const char *name)
{
    for (int i = 0; takes && i < 2; i++)
        want(name, i, 1000 * root_rank + 2 * me + i);
}
static void scatterv(const char *name)
{
    for (int i = 0; takes && i <= me; i++)
        want(name, i, 1000 * root_rank + displs[me] + i);
}
static void reduce(const char *name)
{
    for (int i = 0; is_root && i < 6; i++)
        want(name, i, sum(i));
}

static void rooted(int of, int root)
{
    int given = is_root = group == of && me == root, whom = is_root ? MPI_ROOT : MPI_PROC_NULL, all = 0;
    int *from = is_root ? a : NULL, *to = is_root ? b : NULL, *list = is_root ? counts : NULL;
    int *places = is_root ? displs : NULL, record;

    takes = group != of;
    root_rank = of ? first + root : root;
    if (takes) {
        whom = root;
        from = to = NULL;
    }
    record = is_root || takes ? root_rank : -1;
    for (int i = 0; i < remote; i++)
        all += i + 1;
    ALL(Bcast, bcast, ARGS(a, is_root || takes ? 5 : 9, MPI_INT, whom, ), bcast, record, given ? 20 : 0,
        takes ? 20 : 0);
    ALL(Gather, gather, ARGS(takes ? a : NULL, takes ? 3 : 7, MPI_INT, to, is_root ? 3 : 7, MPI_INT, whom, ), gather,
        record, takes ? 12 : 0, is_root ? 12 * remote : 0);
    ALL(Gatherv, gatherv, ARGS(takes ? a : NULL, takes ? me + 1 : 7, MPI_INT, to, list, places, MPI_INT, whom, ),
        gatherv, record, takes ? 4 * (me + 1) : 0, is_root ? 4 * all : 0);
    SOME(Scatter, scatter, ARGS(from, is_root ? 2 : 7, MPI_INT, takes ? b : NULL, takes ? 2 : 7, MPI_INT, whom, ),
         scatter, record, is_root ? 8 * remote : 0, takes ? 8 : 0);
    ALL(Scatterv, scatterv, ARGS(from, list, places, MPI_INT, takes ? b : NULL, takes ? me + 1 : 7, MPI_INT, whom, ),
        scatterv, record, is_root ? 4 * all : 0, takes ? 4 * (me + 1) : 0);
    ALL(Reduce, reduce, ARGS(a, to, is_root || takes ? 6 : 9, MPI_INT, MPI_SUM, whom, ), reduce, record, takes ? 24 : 0,
        is_root ? 24 : 0);
}

/* ---- without a root ---------------------------------------------------------------------------------------------- */

static int mine(void) { return 1 + group; } /* what each of this group gives to each of the other one, in elements */
static int theirs(void) { return 2 - group; }

static void nothing(const char *name) { (void)name; }
static void allgather(const char *name)
{
    for (int i = 0; i < theirs() * remote; i++)
        want(name, i, 1000 * other(i / theirs()) + i % theirs());
}
static void allgatherv(const char *name)
{
    for (int from = 0; from < remote; from++)
        for (int i = 0; i <= from; i++)
            want(name, displs[from] + i, 1000 * other(from) + i);
}
static void alltoall(const char *name)
{
    for (int i = 0; i < theirs() * remote; i++)
        want(name, i, 1000 * other(i / theirs()) + theirs() * me + i % theirs());
}
static void alltoallv(const char *name)
{
    for (int from = 0; from < remote; from++)
        for (int i = 0; i <= me + from; i++)
            want(name, displs[from] + i, 1000 * other(from) + displs[me] + i);
}
static void allreduce(const char *name)
{
    for (int i = 0; i < 6; i++)
        want(name, i, sum(i));
}
static void reduce_scatter(const char *name)
{
    int at = 0;

    for (int i = 0; i < me; i++)
        at += shares[i];
    for (int i = 0; i < shares[me]; i++)
        want(name, i, sum(at + i));
}
static void reduce_scatter_block(const char *name)
{
    for (int i = 0; i < 2 * remote; i++)
        want(name, i, sum(2 * remote * me + i));
}

static void unrooted(void)
{
    int all = 0, every = 0, total = 2 * local * remote, lists[ROOM];

    for (int i = 0; i < remote; i++) {
        all += i + 1;
        every += i + me + 1;
        lists[i] = i + me + 1;
    }
    for (int i = 0; i < local; i++) /* unequal, and their sum is the same in both groups */
        shares[i] = 2 * remote + (local > 1 && i == 0 ? -1 : local > 1 && i == 1);
    ALL(Barrier, barrier, NONE, nothing, -1, 0, 0);
    ALL(Allgather, allgather, ARGS(a, mine(), MPI_INT, b, theirs(), MPI_INT, ), allgather, -1, 4 * mine(),
        4 * theirs() * remote);
    ALL(Allgatherv, allgatherv, ARGS(a, me + 1, MPI_INT, b, counts, displs, MPI_INT, ), allgatherv, -1, 4 * (me + 1),
        4 * all);
    ALL(Alltoall, alltoall, ARGS(a, mine(), MPI_INT, b, theirs(), MPI_INT, ), alltoall, -1, 4 * mine() * remote,
        4 * theirs() * remote);
    ALL(Alltoallv, alltoallv, ARGS(a, lists, displs, MPI_INT, b, lists, displs, MPI_INT, ), alltoallv, -1, 4 * every,
        4 * every);
    ALL(Alltoallw, alltoallw, ARGS(a, lists, bytes, types, b, lists, bytes, types, ), alltoallv, -1, 4 * every,
        4 * every);
    ALL(Allreduce, allreduce, ARGS(a, b, 6, MPI_INT, MPI_SUM, ), allreduce, -1, 24, 24);
    ALL(Reduce_scatter, reduce_scatter, ARGS(a, b, shares, MPI_INT, MPI_SUM, ), reduce_scatter, -1, 4 * total,
        4 * shares[me]);
    SOME(Reduce_scatter_block, reduce_scatter_block, ARGS(a, b, 2 * remote, MPI_INT, MPI_SUM, ), reduce_scatter_block,
         -1, 4 * total, 8 * remote);
    /* MPICH 4.0.2 computes wrong results when it is started, and fails with groups of unequal size. */
#if MPI_VERSION >= 4
    MPI_Request request;
    MPI_Reduce_scatter_block_init(a, b, 2 * remote, MPI_INT, MPI_SUM, between, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
#endif
    if (local == remote)
        PERSISTENT(Reduce_scatter_block, ARGS(a, b, 2 * remote, MPI_INT, MPI_SUM, ), nothing, -1, 4 * total,
                   8 * remote);
}

/* ---- what makes communicators of one that has two groups --------------------------------------------------------- */

static void communicators(void)
{
    MPI_Comm inter = between, made;
    MPI_Request request;

    MPI_Comm_dup(inter, &between);
    ALL(Barrier, barrier, NONE, nothing, -1, 0, 0);
    MPI_Comm_free(&between);
    MPI_Comm_idup(inter, &between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    BLOCKING(Allreduce, ARGS(a, b, 6, MPI_INT, MPI_SUM, ), allreduce, -1, 24, 24);
    MPI_Comm_free(&between);
    MPI_Comm_split(inter, 0, me, &between);
    BLOCKING(Allreduce, ARGS(a, b, 6, MPI_INT, MPI_SUM, ), allreduce, -1, 24, 24);
    MPI_Comm_disconnect(&between);
    MPI_Intercomm_merge(inter, group, &made);
    between = made;
    prepare();
    BLOCKING(Bcast, ARGS(a, 5, MPI_INT, 0, ), nothing, 0, rank ? 0 : 20, rank ? 20 : 0);
    MPI_Comm_free(&made);
    between = inter;
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = argc > 1 ? atoi(argv[1]) : 1;
    group = rank >= first;
    MPI_Comm_split(MPI_COMM_WORLD, group, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, group ? 0 : first, 7, &between);
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    MPI_Comm_rank(between, &me);
    MPI_Comm_size(between, &local);
    MPI_Comm_remote_size(between, &remote);
    for (int i = 0; i < ROOM; i++) {
        counts[i] = i + 1;
        displs[i] = 8 * i;
        bytes[i] = (int)sizeof(int) * displs[i];
        types[i] = MPI_INT;
    }
    rooted(0, 0);
    rooted(1, (group ? local : remote) - 1);
    unrooted();
    communicators();
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
