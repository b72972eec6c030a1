/* traced.c - calls whose lines are known, for test_trace.sh; and what a trace must stand: threads, a kill. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void known(void)
{
    int numbers[4] = {0}, sent[4] = {0}, flag;
    MPI_Status status;
    MPI_Request requests[2];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    MPI_Bcast(numbers, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Irecv(numbers, 4, MPI_INT, from, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 3, MPI_INT, to, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(sent, 1, MPI_INT, to, 6, numbers, 1, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(sent, 2, MPI_INT, to, 7, MPI_COMM_WORLD, requests);
    MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    MPI_Recv(numbers + 2, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Send(numbers, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Initialized(&flag);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *many_calls(void *unused)
{
    int flag;

    (void)unused;
    for (int i = 0; i < 200; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(void)
{
    pthread_t all[8];

    for (int i = 0; i < 8; i++)
        pthread_create(&all[i], NULL, many_calls, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(all[i], NULL);
}

static void my_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;

    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    if (bytes != 4)
        printf("wrong size\n");
}

static int copied;
static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    int value;

    (void)key, (void)extra, (void)in, (void)out;
    MPI_Comm_size(comm, &value);
    copied++;
    *flag = 0;
    return value > 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* User code inside MPI calls, and a file, which MPI reads and writes by other calls of its own. */
static void callbacks(void)
{
    int key, mine = rank, all = 0;
    MPI_Op op;
    MPI_Comm other;
    MPI_File file;

    MPI_Op_create(my_sum, 1, &op);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    MPI_File_open(other, "traced.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4 * rank, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 4 * rank, &all, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&other);
}

/* Until the trace of rank 0 says that it waits for a message that never comes. */
static void await_rank_0(void)
{
    char line[1024];
    FILE *file;

    for (int found = 0; !found; usleep(10000)) {
        if (!(file = fopen("of.0", "r")))
            continue;
        while (fgets(line, sizeof line, file))
            found |= strstr(line, "Starting MPI_Recv") && strstr(line, "tag = 9");
        fclose(file);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int provided;

    if (!strcmp(what, "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(what, "threads"))
        threads();
    else if (!strcmp(what, "callbacks"))
        callbacks();
    else
        known();
    if (!strcmp(what, "kill")) {
        if (rank == size - 1) {
            await_rank_0();
            kill(getpid(), SIGKILL);
        }
        MPI_Recv(&provided, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* never comes */
    }
    MPI_Finalize();
    return 0;
}
