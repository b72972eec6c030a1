/* collodd.c - right programs that a check of collectives could disturb, and calls of groups and of two jobs.
 *     collodd right | many | groups | spawn | spawn checked
 * Says only what went wrong. */
#include "collcalls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5) /* Open MPI 5 says that it is 3.1 */
#define HAS_MPI4 1
#endif

static MPI_Comm another(MPI_Comm comm)
{
    MPI_Comm made;

    MPI_Comm_dup(comm, &made);
    return made;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* The pairs of MPI_MINLOC are structs. */
static void pairs(void)
{
    struct pair {
        float value;
        int place;
    } pair = {1.5f, rank};
    MPI_Datatype made;

    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, sizeof(float)}, (MPI_Datatype[]){MPI_FLOAT, MPI_INT},
                           &made);
    MPI_Type_commit(&made);
    MPI_Bcast(&pair, 1, rank % 2 ? made : MPI_FLOAT_INT, 0, *world);
    ok(pair.place == 0, "the pair did not come");
    MPI_Type_free(&made);
}

static void nothing(void)
{
    int none[8] = {0};
    MPI_Datatype types[8];

    for (int i = 0; i < 8; i++)
        types[i] = rank % 2 ? MPI_INT : MPI_CHAR;
    MPI_Bcast(NULL, 0, rank % 2 ? MPI_INT : MPI_DOUBLE, 0, *world);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, *world);
    MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_CHAR, 0, *world);
    MPI_Gatherv(a, 1, MPI_INT, rank ? NULL : b, rank ? NULL : (int[]){1, 1, 1, 1}, rank ? NULL : (int[]){0, 1, 2, 3},
                rank ? MPI_DATATYPE_NULL : MPI_INT, 0, *world);
    MPI_Scatterv(rank ? NULL : a, rank ? NULL : (int[]){1, 1, 1, 1}, rank ? NULL : (int[]){0, 1, 2, 3},
                 rank ? MPI_DATATYPE_NULL : MPI_INT, b, 1, MPI_INT, 0, *world);
    MPI_Alltoallw(a, none, none, types, b, none, none, types, *world);
    MPI_Reduce_scatter(a, b, none, MPI_INT, MPI_SUM, *world);
    MPI_Reduce(rank ? a : MPI_IN_PLACE, rank ? NULL : b, 1, MPI_INT, MPI_SUM, 0, *world);
}

/* An error that MPI finds, on all alike, and goes on. */
static void returned(void)
{
    MPI_Comm comm = another(*world);

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    ok(MPI_Bcast(a, 1, MPI_INT, 99, comm) != MPI_SUCCESS, "a wrong root is no error");
    ok(MPI_Bcast(a, 1, MPI_INT, 0, comm) == MPI_SUCCESS, "a right root is an error");
    MPI_Comm_free(&comm);
}

static void alone(void)
{
    MPI_Request request;

    MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_SELF);
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Scan(a, b, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Iallgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- calls that do not block ------------------------------------------------------------------------------------- */

/* Two communicators used in another order on each rank, completed in another order again. */
static void orders(void)
{
    MPI_Comm comms[2] = {another(*world), another(*world)};
    MPI_Request requests[6];
    int index, flag = 0, count, indices[6], left;

    for (int i = 0; i < 6; i++)
        MPI_Ibarrier(comms[(i + rank) % 2], &requests[i]);
    MPI_Wait(&requests[rank % 6], MPI_STATUS_IGNORE);
    MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    MPI_Testsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    MPI_Testany(6, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Waitsome(6, requests, &count, indices, MPI_STATUSES_IGNORE);
    do
        MPI_Testall(6, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    for (int i = left = 0; i < 6; i++)
        left += requests[i] != MPI_REQUEST_NULL;
    ok(left == 0, "requests are left");
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

/* The communicator is freed before what was begun on it ends. (Open MPI 4.1 dies of it, also without Pith.) */
#ifndef OPEN_MPI
static void freed(void)
{
    MPI_Comm comm = another(*world);
    MPI_Request requests[2];

    MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibarrier(comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
#endif

/* The first call on the new communicator does not block, and others come to it after a message of this one. */
static void first_later(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_idup(*world, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Ibarrier(comm, &request);
        for (int i = 1; i < size; i++)
            MPI_Send(a, 1, MPI_INT, i, 4, *world);
    } else {
        MPI_Recv(a, 1, MPI_INT, 0, 4, *world, MPI_STATUS_IGNORE);
        MPI_Ibarrier(comm, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

/* An operation that calls MPI, while the process is in another call. */
static void calling(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint low, extent;

    MPI_Type_get_extent(*type, &low, &extent);
    for (int i = 0; i < *count && extent == sizeof(int); i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operations(void)
{
    MPI_Request requests[20];
    MPI_Op op;
    int one[20], sum[20];

    MPI_Op_create(calling, 1, &op);
    for (int i = 0; i < 20; i++) {
        one[i] = 1;
        MPI_Iallreduce(&one[i], &sum[i], 1, MPI_INT, op, *world, &requests[i]);
    }
    for (int i = 0; i < 20; i++)
        MPI_Bcast(a, 1, MPI_INT, i % size, *world);
    MPI_Waitall(20, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 20; i++)
        ok(sum[i] == size, "the sum is wrong");
    MPI_Op_free(&op);
}

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int n;

    (void)key, (void)extra;
    MPI_Comm_size(comm, &n);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* The program's own code in MPI_Comm_dup. */
static void attributes(void)
{
    MPI_Comm comm = another(*world), other;
    int key;

    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, a);
    other = another(comm);
    MPI_Barrier(other);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&key);
}

#if HAS_MPI4
static void persistent(void)
{
    MPI_Request request, unused;

    MPI_Allreduce_init(a, b, 1, MPI_INT, MPI_SUM, *world, MPI_INFO_NULL, &request);
    MPI_Barrier_init(*world, MPI_INFO_NULL, &unused);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&unused);
    MPI_Request_free(&request);
}
#endif

/* ---- communicators ----------------------------------------------------------------------------------------------- */

/* Rank 0 gives 1100 edges to its neighbour, the others one. */
static void neighbours(void)
{
    enum { EDGES = 1100 };
    static int to[EDGES], from[EDGES], got[EDGES];
    int before = (rank + size - 1) % size, out = rank ? 1 : EDGES, in = before ? 1 : EDGES;
    MPI_Comm graph;

    for (int i = 0; i < EDGES; i++) {
        to[i] = (rank + 1) % size;
        from[i] = before;
    }
    MPI_Dist_graph_create_adjacent(*world, in, from, MPI_UNWEIGHTED, out, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph);
    ok(got[in - 1] == before, "the last neighbour's data did not come");
    MPI_Comm_free(&graph);
}

static void undefined(void)
{
    MPI_Comm made;

    MPI_Comm_split(*world, odd ? MPI_UNDEFINED : 0, 0, &made);
    if (made != MPI_COMM_NULL) {
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    MPI_Comm_create(*world, MPI_GROUP_EMPTY, &made);
    ok(made == MPI_COMM_NULL, "a communicator of nobody");
}

/* One file by two names. */
static void links(void)
{
    MPI_File file;

    if (rank == 0) {
        FILE *made = fopen("collodd.dat", "w");
        if (!made || fclose(made) || symlink("collodd.dat", "collodd.link"))
            ok(0, "no link");
    }
    MPI_Barrier(*world);
    ok(!MPI_File_open(*world, odd ? "collodd.link" : "collodd.dat", MPI_MODE_RDWR, MPI_INFO_NULL, &file), "no file");
    MPI_File_close(&file);
    if (rank == 0) {
        unlink("collodd.link");
        unlink("collodd.dat");
    }
}

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group all, made;

    MPI_Comm_group(*world, &all);
    MPI_Group_incl(all, count, ranks, &made);
    MPI_Group_free(&all);
    return made;
}

/* Only the group's members come: rank 0 alone, pairs that overlap, all in another order. */
static void groups(void)
{
    int last = size - 1, reverse[8];
    MPI_Group group;
    MPI_Comm made;

    for (int i = 0; i < size; i++)
        reverse[i] = last - i;
    for (int i = 0; i < size; i++) {
        group = group_of(i && i < last ? 2 : 1, (int[]){i, i + 1});
        if (rank == i || (i && i < last && rank == i + 1)) {
            MPI_Comm_create_group(*world, group, i, &made);
            MPI_Barrier(made);
            MPI_Comm_free(&made);
        }
        MPI_Group_free(&group);
    }
    group = group_of(size, reverse);
    MPI_Comm_create_group(*world, group, 5, &made);
    MPI_Bcast(a, 1, MPI_INT, size - 1, made);
    MPI_Comm_free(&made);
#if HAS_MPI4
    MPI_Comm_create_from_group(group, "collodd", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
#endif
    MPI_Group_free(&group);
}

/* ---- threads: each makes communicators of its own, and looks at the same datatypes for the first time ------------ */

static pthread_barrier_t all_threads;
static MPI_Datatype fresh[8];
static MPI_Group everyone;

static void *in_thread(void *number)
{
    int me = *(int *)number, in[16] = {0}, out[16];
    MPI_Comm made, own;

    pthread_barrier_wait(&all_threads);
    MPI_Comm_create_group(*world, everyone, me, &made);
    own = another(made);
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(in, 1, fresh[i % 8], i % size, own);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, made);
    }
    MPI_Comm_free(&own);
    MPI_Comm_free(&made);
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    int numbers[THREADS];

    MPI_Comm_group(*world, &everyone);
    for (int i = 0; i < 8; i++) {
        MPI_Type_contiguous(i + 1, MPI_INT, &fresh[i]);
        MPI_Type_commit(&fresh[i]);
    }
    pthread_barrier_init(&all_threads, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&thread[i], NULL, in_thread, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 8; i++)
        MPI_Type_free(&fresh[i]);
    MPI_Group_free(&everyone);
}

/* More communicators than are checked. */
static void many(void)
{
    enum { MANY = 600 };
    static MPI_Comm comms[MANY];

    for (int i = 0; i < MANY; i++)
        comms[i] = another(*world);
    for (int i = 0; i < MANY; i += 50)
        MPI_Barrier(comms[i]);
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&comms[i]);
    comms[0] = another(*world);
    ok(MPI_Bcast(a, 1 + odd, MPI_INT, 0, comms[0]) != MPI_SUCCESS, "after many, a wrong call is not seen");
    MPI_Comm_free(&comms[0]);
}

/* ---- wrong ------------------------------------------------------------------------------------------------------- */

static void wrong_groups(void)
{
    int ranks[2][8], most = size > 2 ? size - 1 : size;
    MPI_Comm made;

    /* Of more than two the last rank does not come; the others name other groups, tags, orders. */
    for (int i = 0; i < most; i++) {
        ranks[0][i] = i;
        ranks[1][i] = most - 1 - i;
    }
    MPI_Group forth = group_of(most, ranks[0]), back = group_of(most, ranks[1]), all;
    MPI_Comm_group(*world, &all);
    if (rank < most) {
        wrong_call(MPI_Comm_create_group(*world, forth, 5 + odd, &made));
        wrong_call(MPI_Comm_create_group(*world, odd ? back : forth, 5, &made));
        MPI_Comm_create_group(*world, forth, 5, &made);
        MPI_Comm_free(&made);
    }
    if (most < size) /* rank 1 forgets the last, and that one comes */
        wrong_call(MPI_Comm_create_group(*world, odd ? forth : all, 5, &made));
#if HAS_MPI4
    if (rank < most)
        wrong_call(MPI_Comm_create_from_group(forth, odd ? "two" : "one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
    MPI_Group own = group_of(1, &rank), other = group_of(1, (int[]){!rank});
    if (rank < 2)
        wrong_call(MPI_Intercomm_create_from_groups(own, 0, other, 0, odd ? "four" : "three", MPI_INFO_NULL,
                                                    MPI_ERRORS_RETURN, &made));
    if (rank < 2) {
        MPI_Intercomm_create_from_groups(own, 0, other, 0, "five", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
#endif
}

/* ---- two jobs ---------------------------------------------------------------------------------------------------- */

/* An error of one job is found among its processes. */
static void with_others(MPI_Comm inter, int parents, int is_checked)
{
    MPI_Comm merged, copy, half;
    int all, sum = 0, n, *here;
    MPI_Win window;

    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Barrier(inter);
    MPI_Bcast(a, 1, MPI_INT, parents ? (rank ? MPI_PROC_NULL : MPI_ROOT) : 0, inter);
    MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, inter);
    MPI_Intercomm_merge(inter, parents, &merged);
    MPI_Comm_size(merged, &all);
    MPI_Allreduce((int[]){1}, &sum, 1, MPI_INT, MPI_SUM, merged);
    ok(sum == all && all == 2 * size, "the merged ones are not all");
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, merged);
    MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, all - 1, merged);
    copy = another(merged);
    MPI_Comm_rank(copy, &n);
    MPI_Comm_split(copy, n % 2, 0, &half);
    MPI_Barrier(half);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, copy, &here, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&merged);
    if (parents) /* the others do not make the call, and it is not made here */
        wrong_call(MPI_Bcast(a, 1, MPI_INT, odd ? 0 : MPI_ROOT, inter));
    else if (is_checked)
        wrong_call(MPI_Allreduce(a, b, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, inter));
}

/* Those that are spawned run with the library or without. */
static void spawn(char *program, int is_checked)
{
    MPI_Comm inter;
    char *command[] = {"pith", "run", "--lib", "check", program, "spawn", "checked", NULL}, *plain[] = {"spawn", NULL};

    MPI_Comm_get_parent(&inter);
    int parents = inter == MPI_COMM_NULL;
    if (parents && MPI_Comm_spawn(is_checked ? command[0] : program, is_checked ? command + 1 : plain, size,
                                  MPI_INFO_NULL, 0, *world, &inter, MPI_ERRCODES_IGNORE)) {
        if (rank == 0)
            puts("no spawn");
        return;
    }
    with_others(inter, parents, is_checked);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    MPI_Comm comm = MPI_COMM_WORLD;
    int given;

    MPI_Init_thread(&argc, &argv, strcmp(what, "right") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    world = &comm;
    odd = rank == 1;
    if (strcmp(what, "right") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(what, "right")) {
        pairs();
        nothing();
        returned();
        alone();
        orders();
#ifndef OPEN_MPI
        freed();
#endif
        first_later();
        operations();
        attributes();
        neighbours();
        undefined();
        links();
        groups();
#if HAS_MPI4
        persistent();
#endif
        if (given == MPI_THREAD_MULTIPLE)
            threads();
    } else if (!strcmp(what, "many")) {
        many();
    } else if (!strcmp(what, "groups")) {
        wrong_groups();
    } else if (!strcmp(what, "spawn")) {
        spawn(argv[0], argc > 2);
    }
    MPI_Finalize();
    return 0;
}
