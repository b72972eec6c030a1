/* collfree.c - collective calls in which no process need wait for another: MPI_Comm_free, and setting hints.
 *     collfree right | wrong | fatal | left | late
 * Says only what went wrong. */
#include "collcalls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Info hints;

static MPI_Comm another(MPI_Comm comm)
{
    MPI_Comm made;

    MPI_Comm_dup(comm, &made);
    return made;
}

/* ---- right: those who wait for one another here hang ------------------------------------------------------------- */

/* Rank 0 goes on to a message that the others need before they make the same call. */
static void go(void)
{
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Send(a, 1, MPI_INT, i, 4, MPI_COMM_WORLD);
}
static void stop(void)
{
    if (rank > 0)
        MPI_Recv(b, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void before_a_message(MPI_Comm comm)
{
    stop();
    ok(!MPI_Comm_set_info(comm, hints), "hints of a communicator");
    go();
    MPI_Barrier(comm);
    stop();
    ok(!MPI_Comm_free(&comm) && comm == MPI_COMM_NULL, "a communicator is not freed");
    go();
}

/* In MPICH these are barriers themselves. */
#ifdef OPEN_MPI
static void hints_of_others(void)
{
    MPI_File file;
    MPI_Win window;
    int *memory;

    ok(!MPI_File_open(MPI_COMM_WORLD, "collfree.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file),
       "the file does not open");
    stop();
    ok(!MPI_File_set_info(file, hints), "hints of a file");
    go();
    MPI_File_close(&file);
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    stop();
    ok(!MPI_Win_set_info(window, hints), "hints of a window");
    go();
    MPI_Win_free(&window);
}
#endif

/* Odd ranks free them from the other end; then there must be room for as many again. */
static void other_orders(void)
{
    enum { MANY = 40, TIMES = 14 };
    MPI_Comm comms[MANY];

    for (int n = 0; n < TIMES; n++) {
        for (int i = 0; i < MANY; i++)
            comms[i] = another(MPI_COMM_WORLD);
        for (int i = 0; i < MANY; i++)
            MPI_Comm_free(&comms[rank % 2 ? MANY - 1 - i : i]);
    }
}

static void two_groups(void)
{
    MPI_Comm half, inter[2];

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 2; i++)
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter[i]);
    before_a_message(inter[0]);
    MPI_Barrier(inter[1]);
    if (rank % 2)
        MPI_Comm_free(&half);
    MPI_Comm_free(&inter[1]);
    if (rank % 2 == 0)
        MPI_Comm_free(&half);
}

/* What was begun on a freed communicator ends. (Open MPI 4.1 dies of it, also without Pith.) */
#ifndef OPEN_MPI
static void under_way(void)
{
    MPI_Comm comm = another(MPI_COMM_WORLD), other = another(MPI_COMM_WORLD);
    MPI_Request requests[2];

    MPI_Ibarrier(comm, &requests[0]);
    MPI_Iallreduce(&rank, a, 1, MPI_INT, MPI_SUM, other, &requests[1]);
    MPI_Comm_free(rank % 2 ? &comm : &other);
    MPI_Comm_free(rank % 2 ? &other : &comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    ok(a[0] == size * (size - 1) / 2, "the sum is wrong");
}
#endif

/* One that no call has shown to the check yet. */
static void unseen(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    stop();
    MPI_Comm_free(&comm);
    go();
}

static MPI_Comm kept;

static int at_the_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Comm_free(&kept);
}

/* A communicator that is freed in MPI_Finalize. */
static void by_a_callback(void)
{
    int key;

    kept = another(MPI_COMM_WORLD);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, a);
    MPI_Comm_free_keyval(&key);
}

static void right(void)
{
    MPI_Comm self = another(MPI_COMM_SELF);

    before_a_message(another(MPI_COMM_WORLD));
#ifdef OPEN_MPI
    hints_of_others();
#endif
    other_orders();
    unseen();
    if (size > 1)
        two_groups();
#ifndef OPEN_MPI
    under_way();
#endif
    MPI_Comm_free(&self);
    by_a_callback();
}

/* ---- wrong ------------------------------------------------------------------------------------------------------- */

static int handled;

static void handle(MPI_Comm *comm, int *error, ...)
{
    int there = 0, class;

    MPI_Comm_size(*comm, &there);
    MPI_Error_class(*error, &class);
    handled += there == size && class == MPI_ERR_ARG;
}

static void wrong(void)
{
    MPI_Comm comm = another(MPI_COMM_WORLD);
    MPI_Errhandler handler;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (odd)
        wrong_call(MPI_Barrier(comm));
    else
        ok(!MPI_Comm_free(&comm), "a communicator is not freed");
    MPI_Barrier(MPI_COMM_WORLD);

    comm = another(MPI_COMM_WORLD);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    if (odd)
        wrong_call(MPI_Bcast(a, 1, MPI_INT, 0, comm));
    else
        MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    ok(handled == 1, "the error handler of the communicator was not called");

    comm = another(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (odd)
        wrong_call(MPI_Barrier(comm));
    else
        ok(!MPI_Comm_set_info(comm, hints), "hints of a communicator");
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

/* Nothing but messages follows; in MPI_Finalize all meet. */
static void fatal(void)
{
    MPI_Comm comm = another(MPI_COMM_WORLD);

    if (odd)
        MPI_Barrier(comm);
    else
        MPI_Comm_free(&comm);
}

/* Rank 1 does not free it. */
static void left(void)
{
    MPI_Comm comm = another(MPI_COMM_WORLD);

    if (!odd)
        MPI_Comm_free(&comm);
}

/* The root of a broadcast need not wait, but does so for the check. */
static void late(void)
{
    MPI_Comm comm;
    MPI_Request request;

    if (odd)
        sleep(3);
    MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (odd)
        sleep(3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (odd)
        sleep(3);
    MPI_Bcast(a, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    odd = rank == 1;
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "pith_test", "1");
    if (!strcmp(what, "right"))
        right();
    else if (!strcmp(what, "wrong"))
        wrong();
    else if (!strcmp(what, "fatal"))
        fatal();
    else if (!strcmp(what, "left"))
        left();
    else
        late();
    MPI_Info_free(&hints);
    MPI_Finalize();
    return 0;
}
