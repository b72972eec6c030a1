/* many.c - thousands of receives open at once, completed in every way; with the argument "multiple" as a program that
 * may have several threads in MPI. Each message has a size of its own, by which those of the log are told apart
 * (matched.c). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN = 1500, TAGS = 7 };
static MPI_Request requests[OPEN];
static MPI_Status statuses[OPEN];
static int indices[OPEN];
static char in[OPEN], out[OPEN];
static int rank, size, next, prev, failed, sent;

static void post(void)
{
    for (int i = 0; i < OPEN; i++)
        MPI_Irecv(in, OPEN, MPI_CHAR, i % 3 ? prev : MPI_ANY_SOURCE, i % TAGS, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < OPEN; i++)
        MPI_Send(out, i, MPI_CHAR, next, i % TAGS, MPI_COMM_WORLD);
    sent += OPEN;
}

static void some(int (*call)(int, MPI_Request *, int *, int *, MPI_Status *))
{
    int left = OPEN, count;

    post();
    while (left > 0) {
        call(OPEN, requests, &count, indices, left % 2 ? statuses : MPI_STATUSES_IGNORE);
        left -= count;
    }
    failed += left != 0;
}

/* Within windows of 64: the last ones first. */
static void any(int test)
{
    post();
    for (int done = 0, flag, index; done < OPEN;) {
        int window = (OPEN - 1 - done) / 64 * 64, count = OPEN - window < 64 ? OPEN - window : 64;
        if (test) {
            MPI_Testany(count, requests + window, &index, &flag, MPI_STATUS_IGNORE);
        } else {
            MPI_Waitany(count, requests + window, &index, MPI_STATUS_IGNORE);
            flag = 1;
        }
        done += flag && index != MPI_UNDEFINED;
    }
}

int main(int argc, char **argv)
{
    int flag = 0, provided;

    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    prev = (rank + size - 1) % size;
    post();
    MPI_Waitall(OPEN, requests, MPI_STATUSES_IGNORE);
    post();
    MPI_Waitall(OPEN, requests, statuses);
    for (int i = 0; i < OPEN; i++) {
        int bytes;
        MPI_Get_count(&statuses[i], MPI_CHAR, &bytes);
        failed += bytes != i || statuses[i].MPI_SOURCE != prev;
    }
    post();
    while (!flag)
        MPI_Testall(OPEN, requests, &flag, MPI_STATUSES_IGNORE);
    some(MPI_Waitsome);
    some(MPI_Testsome);
    any(0);
    any(1);
    post();
    for (int i = OPEN; i-- > 0;)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    printf("rank %d sent %d failed %d\n", rank, sent, failed);
    MPI_Finalize();
    return 0;
}
