/* collcheck.c - collective calls that do not agree, one kind after the other. Errors return, so that one run tells of
 * all: each wrong call must give MPI_ERR_ARG on every rank and not be made; then a right one must work.
 * And right ones that look odd. `wrong` is both.
 *     collcheck wrong | right | fatal | lost | late | orders | new | apart */
#include "collcalls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counts[8], displs[8];
static MPI_Request request;

/* The call was wrong: it returned the error. The next one is right. */
static void wrong(int result)
{
    int n = wrong_call(result);

    if (MPI_Barrier(MPI_COMM_WORLD))
        printf("rank %d: right call after wrong call %d failed\n", rank, n);
}

static void user_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

static void wrong_rooted(void)
{
    wrong(MPI_Bcast(a, 1, MPI_INT, odd, *world));
    wrong(MPI_Bcast(a, 1 + odd, MPI_INT, 0, *world));
    wrong(MPI_Bcast(a, 1, odd ? MPI_FLOAT : MPI_INT, 0, *world));
    wrong(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, odd, *world));
    wrong(MPI_Gather(a, 1 + odd, MPI_INT, b, 1, MPI_INT, 0, *world));
    wrong(MPI_Gather(odd ? MPI_IN_PLACE : (void *)a, 1, MPI_INT, b, 1, MPI_INT, 0, *world));
    counts[1] = rank ? 1 : 3;
    wrong(MPI_Gatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, 0, *world));
    wrong(MPI_Scatter(a, 2, MPI_INT, b, 2 - odd, MPI_INT, 0, *world));
    wrong(MPI_Scatterv(a, counts, displs, MPI_INT, b, 1, MPI_INT, 0, *world));
    counts[1] = 1;
    wrong(MPI_Reduce(a, b, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, 0, *world));
    wrong(MPI_Reduce(a, b, 1, odd ? MPI_LONG : MPI_INT, MPI_SUM, 0, *world));
}

static void wrong_all(void)
{
    MPI_Op op;
    MPI_Datatype type, types[8], other[8];

    if (odd)
        wrong(MPI_Barrier(*world));
    else
        wrong(MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, *world));
    MPI_Op_create(user_op, 0, &op);
    wrong(MPI_Allreduce(a, b, 1, MPI_INT, odd ? op : MPI_SUM, *world));
    MPI_Op_free(&op);
    wrong(MPI_Allreduce(odd ? MPI_IN_PLACE : (void *)a, b, 1, MPI_INT, MPI_SUM, *world));
    wrong(MPI_Allgather(a, 1, MPI_INT, b, 1 + odd, MPI_INT, *world));
    counts[0] = 1 + odd;
    wrong(MPI_Allgatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, *world));
    counts[0] = 1;
    wrong(MPI_Alltoall(a, 1 + odd, MPI_INT, b, 1, MPI_INT, *world));
    counts[0] = 1 + odd;
    wrong(MPI_Alltoallv(a, counts, displs, MPI_INT, b, displs, displs, MPI_INT, *world));
    counts[0] = 1;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < size; i++) {
        types[i] = type;
        other[i] = odd && i == 0 ? type : MPI_INT;
    }
    wrong(MPI_Alltoallw(a, counts, displs, types, b, counts, displs, other, *world));
    MPI_Type_free(&type);
    wrong(MPI_Reduce_scatter(a, b, (counts[0] = 1 + odd, counts), MPI_INT, MPI_SUM, *world));
    counts[0] = 1;
    wrong(MPI_Reduce_scatter_block(a, b, 1 + odd, MPI_INT, MPI_SUM, *world));
    wrong(MPI_Scan(a, b, 1 + odd, MPI_INT, MPI_SUM, *world));
    wrong(MPI_Exscan(a, b, 1, MPI_INT, odd ? MPI_PROD : MPI_SUM, *world));
}

static void wrong_comms(void)
{
    MPI_Comm made, half;
    MPI_Group all, less;
    int dims[2] = {size, 1}, periods[2] = {0, odd}, index[8], edges[16], neighbour = (rank + 1) % size, none = 0;

    if (odd)
        wrong(MPI_Comm_dup(*world, &made));
    else
        wrong(MPI_Comm_split(*world, 0, 0, &made));
    wrong(MPI_Comm_split_type(*world, odd ? MPI_COMM_TYPE_SHARED + 77 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    MPI_Comm_group(*world, &all);
    MPI_Group_excl(all, 1, &none, &less);
    wrong(MPI_Comm_create(*world, odd ? less : all, &made));
    MPI_Group_free(&all);
    MPI_Group_free(&less);
    wrong(MPI_Cart_create(*world, 2, dims, periods, 0, &made));
    wrong(MPI_Cart_create(*world, 1 + odd, dims, periods, 0, &made));
    for (int i = 0; i < size; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    wrong(MPI_Graph_create(*world, size, index, edges, odd, &made));
    wrong(MPI_Dist_graph_create_adjacent(*world, 0, &none, MPI_UNWEIGHTED, odd, &neighbour, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &made));
    MPI_Comm_split(*world, rank % 2, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    wrong(MPI_Intercomm_create(half, 0, *world, rank % 2 ? 0 : 1, 5 + rank % 2, &made));
    MPI_Comm_free(&half);
}

static void wrong_neighbours(void)
{
    MPI_Comm ring;
    int dims[1] = {size}, periods[1] = {1};

    MPI_Cart_create(*world, 1, dims, periods, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
    wrong(MPI_Neighbor_alltoall(a, 1 + odd, MPI_INT, b, 1, MPI_INT, ring));
    wrong(MPI_Neighbor_allgather(a, 1, odd ? MPI_SHORT : MPI_INT, b, 1, MPI_INT, ring));
    MPI_Comm_free(&ring);
}

static void wrong_files(void)
{
    MPI_File file;

    wrong(MPI_File_open(*world, "collcheck.dat", MPI_MODE_CREATE | (odd ? MPI_MODE_WRONLY : MPI_MODE_RDWR),
                        MPI_INFO_NULL, &file));
    wrong(MPI_File_open(*world, odd ? "other.dat" : "collcheck.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                        &file));
    ok(!MPI_File_open(*world, odd ? "./collcheck.dat" : "collcheck.dat",
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
       "the file does not open");
    wrong(MPI_File_set_size(file, 100 + odd));
    wrong(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, odd ? "internal" : "native", MPI_INFO_NULL));
    wrong(MPI_File_set_view(file, 0, odd ? MPI_CHAR : MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    if (odd)
        wrong(MPI_File_sync(file));
    else
        wrong(MPI_File_write_all(file, a, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&file);
}

static void wrong_windows(void)
{
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(sizeof a, 4, MPI_INFO_NULL, *world, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    wrong(MPI_Win_fence(odd ? MPI_MODE_NOPRECEDE : 0, window));
    MPI_Win_free(&window);
}

static void wrong_later(void)
{
    int flag = 0, result = 0, index;

    ok(!(odd ? MPI_Ibarrier(*world, &request) : MPI_Ibcast(a, 1, MPI_INT, 0, *world, &request)),
       "the call itself fails");
    wrong(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Ibcast(a, 1, MPI_INT, odd, *world, &request);
    while (!result && !flag)
        result = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    wrong(result);
    MPI_Iallreduce(a, b, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, *world, &request);
    wrong(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE));
}

/* MPI waits for ever to agree on the new communicator's number. Until then some MPIs (MPICH 5, Open MPI 5) make no
 * other communicator, so this comes after all that need one. With more than two ranks, MPICH 5 may then end no call at
 * all. */
static void wrong_idup(void)
{
    MPI_Comm made;

    if (odd)
        MPI_Ibarrier(*world, &request);
    else
        MPI_Comm_idup(*world, &made, &request);
    wrong(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
}

static void wrong_spawn(void)
{
    MPI_Comm made;

    wrong(MPI_Comm_spawn("nothing", MPI_ARGV_NULL, 1, MPI_INFO_NULL, odd, *world, &made, MPI_ERRCODES_IGNORE));
}

#if MPI_VERSION >= 4
static void wrong_new(void)
{
    MPI_Count count = 1 + odd;

    wrong(MPI_Bcast_c(a, count, MPI_INT, 0, *world));
    MPI_Bcast_init(a, 1, MPI_INT, odd, *world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    wrong(MPI_Wait(&request, MPI_STATUS_IGNORE));
}
#endif

/* ---- what is right, though it looks odd -------------------------------------------------------------------------- */

static void right_data(void)
{
    MPI_Datatype column, pair, mixed, resized;
    MPI_Aint offsets[2] = {0, 8};
    int lengths[2] = {2, 1}, flag = 0;

    MPI_Type_vector(4, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 32, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_create_struct(2, lengths, offsets, (MPI_Datatype[]){MPI_INT, pair}, &mixed);
    MPI_Type_commit(&mixed);
    for (int i = 0; i < 100; i++)
        MPI_Bcast(a,
                  rank % 4 == 0   ? 4
                  : rank % 4 == 1 ? 1
                                  : 2 - (rank % 4 == 3),
                  rank % 4 == 0   ? MPI_INT
                  : rank % 4 == 1 ? column
                  : rank % 4 == 2 ? resized
                                  : mixed,
                  0, *world);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
    MPI_Type_free(&mixed);
    MPI_Type_free(&resized);
    for (int i = 0; i < size; i++)
        counts[i] = i;
    MPI_Gatherv(a, rank, MPI_INT, b, counts, displs, MPI_INT, size - 1, *world);
    MPI_Gather(rank ? (void *)a : MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, *world);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, MPI_INT, *world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, MPI_INT, *world);
    MPI_Reduce(rank ? (void *)a : MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, 0, *world);
    MPI_Scan(rank ? (void *)a : MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, *world);
    MPI_Ibarrier(*world, &request);
    if (rank == 0 && size > 1)
        MPI_Send(a, 1, MPI_INT, 1, 3, *world);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (odd)
        MPI_Recv(a, 1, MPI_INT, 0, 3, *world, MPI_STATUS_IGNORE);
}

/* A receive that the other's collective call comes after: a check that waited would hang. */
static void right_order(void)
{
    if (rank == 0) {
        MPI_Ibarrier(*world, &request);
        for (int i = 1; i < size; i++)
            MPI_Send(a, 1, MPI_INT, i, 4, *world);
    } else {
        MPI_Recv(a, 1, MPI_INT, 0, 4, *world, MPI_STATUS_IGNORE);
        MPI_Ibarrier(*world, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void right_comms(void)
{
    MPI_Comm half, inter, merged, copy, some, graph;
    MPI_Group all, mine;
    MPI_Win window;
    int ranks[8], n = 0, *memory, neighbour = (rank + 1) % size, before = (rank + size - 1) % size;

    MPI_Comm_split(*world, rank % 2, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (size > 1) {
        MPI_Intercomm_create(half, 0, *world, rank % 2 ? 0 : 1, 5, &inter);
        MPI_Barrier(inter);
        MPI_Bcast(a, 2, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
        MPI_Allgather(a, 1 + rank % 2, MPI_INT, b, 2 - rank % 2, MPI_INT, inter);
        MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, inter);
        MPI_Intercomm_merge(inter, rank % 2, &merged);
        MPI_Bcast(a, 1, MPI_INT, size - 1, merged);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&inter);
    }
    MPI_Comm_idup(half, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_group(*world, &all);
    for (int i = rank % 2; i < size; i += 2)
        ranks[n++] = i;
    MPI_Group_incl(all, n, ranks, &mine);
    MPI_Comm_create(*world, mine, &some);
    MPI_Bcast(a, 1, MPI_INT, 0, some);
    MPI_Comm_free(&some);
    MPI_Comm_create_group(*world, mine, 7, &some);
    MPI_Barrier(some);
    MPI_Comm_free(&some);
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    MPI_Comm_split_type(*world, odd ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &some);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Dist_graph_create_adjacent(*world, 1, &before, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Neighbor_allgather(a, 1 + rank, MPI_INT, b, 1 + before, MPI_INT, graph);
    MPI_Comm_free(&graph);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, *world, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
}

static void right(void)
{
    right_data();
    right_order();
    right_comms();
}

/* ---- somebody does not come: until rank 0's file tells that it was said ------------------------------------------ */

static void wait_for(const char *said)
{
    char line[1024];
    FILE *file;

    for (int found = 0; !found; usleep(10000)) {
        if (!(file = fopen("late.txt", "r")))
            continue;
        while (fgets(line, sizeof line, file))
            found |= strstr(line, said) != NULL;
        fclose(file);
    }
}

/* Rank 1 waits for a message, which the last rank sends when others have been heard of that wait for both. */
static void late(void)
{
    if (rank == 0) /* by when rank 1 is as good as there */
        MPI_Recv(b, 1, MPI_INT, 1, 8, *world, MPI_STATUS_IGNORE);
    if (odd)
        MPI_Send(a, 1, MPI_INT, 0, 8, *world);
    if (odd)
        MPI_Recv(b, 1, MPI_INT, size - 1, 9, *world, MPI_STATUS_IGNORE);
    if (rank == size - 1) {
        wait_for("has waited");
        MPI_Send(a, 1, MPI_INT, 1, 9, *world);
    }
    MPI_Barrier(*world);
}

static void orders(void)
{
    MPI_Comm one, two;

    MPI_Comm_dup(*world, &one);
    MPI_Comm_dup(*world, &two);
    MPI_Comm_set_name(one, "one");
    MPI_Comm_set_name(two, "two");
    MPI_Barrier(odd ? two : one); /* hangs for ever: the test ends it when it was said */
    MPI_Barrier(odd ? one : two);
}

/* Whether MPI takes the ranks for processes of several machines, as Debian's MPICH 5 does here. */
static int are_apart(void)
{
    MPI_Comm here;
    int count;

    MPI_Comm_split_type(*world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    return count < size;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "wrong";
    MPI_Comm comm = MPI_COMM_WORLD;
    int status = 0;

    if (!strcmp(what, "new")) /* whether this MPI has the newest calls */
        return MPI_VERSION < 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    world = &comm;
    odd = rank == 1;
    for (int i = 0; i < 8; i++)
        counts[i] = 1;
    if (strcmp(what, "fatal") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(what, "wrong")) {
        wrong_rooted();
        wrong_all();
        wrong_comms();
        wrong_neighbours();
        wrong_files();
        wrong_windows();
        wrong_later();
        wrong_spawn();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* where no wrong call was begun and left */
        right();
        MPI_Comm_free(&comm);
        comm = MPI_COMM_WORLD;
        if (size == 2)
            wrong_idup();
#if MPI_VERSION >= 4
        wrong_new();
#endif
    } else if (!strcmp(what, "right")) {
        right();
    } else if (!strcmp(what, "fatal")) {
        MPI_Bcast(a, 1, MPI_INT, odd, *world); /* fatal */
    } else if (!strcmp(what, "lost")) {
        if (!odd)
            MPI_Barrier(*world);
    } else if (!strcmp(what, "late")) {
        late();
    } else if (!strcmp(what, "orders")) {
        orders();
    } else if (!strcmp(what, "apart")) {
        status = !are_apart();
    }
    MPI_Finalize();
    return status;
}
