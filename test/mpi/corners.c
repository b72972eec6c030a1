/* corners.c - the corners of a run, one a mode: callbacks, Pcontrol, calls before MPI_Init and after MPI_Finalize, ends
 * without MPI_Finalize, threads. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

/* ---- callbacks: what they call is the user's --------------------------------------------------------------------- */

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}
static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int flag2;
    MPI_Initialized(&flag2);
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag;
    MPI_Finalized(&flag);
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS + flag;
}
static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    (void)comm;
}

/* The same, each ending in a jump to the MPI function: to return to is then MPI's own code. */
#define JUMPS __attribute__((noinline, optimize("O2")))
static int found;
JUMPS static void operation_jumps(void *in, void *inout, int *count, MPI_Datatype *type)
{
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    MPI_Type_size(*type, &found);
}
JUMPS static int copy_jumps(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_Initialized(&found);
}
JUMPS static int delete_jumps(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Finalized(&found);
}
JUMPS static void handler_jumps(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    MPI_Error_class(*code, &found);
}

static void callbacks(MPI_User_function *operation, MPI_Comm_copy_attr_function *copy_attribute,
                      MPI_Comm_delete_attr_function *delete_attribute, MPI_Comm_errhandler_function *handler)
{
    MPI_Op op;
    MPI_Comm dup;
    MPI_Errhandler own;
    int key, a[2] = {1, 2}, b[2] = {0, 0};

    MPI_Op_create(operation, 1, &op);
    MPI_Reduce_local(a, b, 2, MPI_INT, op);
    MPI_Op_free(&op);
    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, a);
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Comm_free(&dup);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    MPI_Comm_set_errhandler(dup, own);
    MPI_Send(a, 1, MPI_INT, 77, 0, dup);
    MPI_Comm_free(&dup);
    MPI_Errhandler_free(&own);
    printf("%d %d\n", b[0], b[1]);
}

static void pcontrol(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Request request;
    MPI_Comm dup;
    int out = 1, in = 0;
    MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Barrier(dup);
    MPI_Pcontrol(1);
    MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, rank, 2, &in, 1, MPI_INT, rank, 2, dup, MPI_STATUS_IGNORE);
    MPI_Pcontrol(2);
    MPI_Pcontrol(17, "what", "ever");
    MPI_Comm_free(&dup);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 100, SHORT_LIVED = 40 };
static pthread_barrier_t together; /* all threads live at once: each has a lane of its own */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static void *thread(void *number)
{
    int me = (int)(size_t)number, in[4], out[4] = {me, 0, 0, 0}, next = (rank + 1) % size;
    MPI_Request request[2];
    MPI_Comm comm;

    /* MPI_COMM_SELF itself must not be duplicated by several threads at once. */
    pthread_mutex_lock(&one);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    pthread_mutex_unlock(&one);
    pthread_barrier_wait(&together);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, me, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(out, 1 + i % 4, MPI_INT, next, me, MPI_COMM_WORLD, &request[1]);
        if (i % 2)
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        else
            for (int done = 0; done < 2; done++) {
                int index;
                MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
            }
        if (in[0] != me)
            abort();
        MPI_Barrier(comm);
    }
    MPI_Comm_free(&comm);
    pthread_barrier_wait(&together);
    return NULL;
}
/* Threads that come and go, each with a receive that another may complete. */
static MPI_Request left_over;
static int left_over_in;
static void *short_lived(void *number)
{
    int me = 100 + (int)(size_t)number, out = me;

    if (left_over != MPI_REQUEST_NULL)
        MPI_Wait(&left_over, MPI_STATUS_IGNORE);
    MPI_Irecv(&left_over_in, 1, MPI_INT, rank, me, MPI_COMM_WORLD, &left_over);
    MPI_Send(&out, 1, MPI_INT, rank, me, MPI_COMM_WORLD);
    return NULL;
}
static void come_and_go(void)
{
    pthread_t made;

    left_over = MPI_REQUEST_NULL;
    for (size_t i = 0; i < SHORT_LIVED; i++) {
        pthread_create(&made, NULL, short_lived, (void *)i);
        pthread_join(made, NULL);
    }
    MPI_Wait(&left_over, MPI_STATUS_IGNORE);
}

static void threads(void)
{
    pthread_t made[THREADS];

    pthread_barrier_init(&together, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&made[i], NULL, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(made[i], NULL);
    come_and_go();
    printf("threads done\n");
}

#if MPI_VERSION >= 4
static int sessions(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, copy;
    int x = 1, y = 0, me, all;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "corners", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    MPI_Sendrecv(&x, 1, MPI_INT, (me + 1) % all, 2, &y, 1, MPI_INT, (me + all - 1) % all, 2, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    printf("%d\n", y);
    return 0;
}
#else
static int sessions(void) { return 77; }
#endif

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int flag, provided = 0, version, subversion;

    if (!strcmp(mode, "nothing"))
        return 4;
    if (!strcmp(mode, "sessions"))
        return sessions();
    if (!strcmp(mode, "outside")) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        MPI_Initialized(&flag);
        MPI_Finalized(&flag);
        MPI_Get_version(&version, &subversion);
        MPI_Get_library_version(library, &flag);
    }
    if (!strcmp(mode, "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(mode, "callbacks"))
        callbacks(operation, copy_attribute, delete_attribute, handler);
    if (!strcmp(mode, "jumps"))
        callbacks(operation_jumps, copy_jumps, delete_jumps, handler_jumps);
    if (!strcmp(mode, "pcontrol"))
        pcontrol();
    if (!strcmp(mode, "threads")) {
        if (provided == MPI_THREAD_MULTIPLE)
            threads();
        else
            printf("no threads\n");
    }
    if (!strcmp(mode, "abort")) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == size - 1)
            MPI_Abort(MPI_COMM_WORLD, 5);
        pause();
    }
    if (!strcmp(mode, "unfinished")) {
        MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
    }
    MPI_Finalize();
    if (!strcmp(mode, "outside")) {
        MPI_Finalized(&flag);
        MPI_Initialized(&flag);
        MPI_Get_version(&version, &subversion);
    }
    return !strcmp(mode, "status") ? 40 : 0;
}
