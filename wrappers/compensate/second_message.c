/* second_message.c - see second_message.h. */
#include "second_message.h"

#include "lock.h"
#include "real.h"

#include <stdlib.h>

enum { NUMBERS = sizeof(struct pithi_header) / sizeof(int64_t) };

/* A message under way and its buffer. */
struct letter {
    struct pithi_header header;
    MPI_Request request;
    struct letter *next;
};

static struct letter *under_way, *unused; /* under the mutex */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int is_done(struct letter *letter)
{
    int done = 0;
    return REAL(MPI_Test)(&letter->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

/* Looks at some of those under way, the newest first. */
static void sweep(int most)
{
    struct letter **at = &under_way;
    while (*at && most-- > 0) {
        struct letter *letter = *at;
        if (!is_done(letter)) {
            at = &letter->next;
            continue;
        }
        *at = letter->next;
        letter->next = unused;
        unused = letter;
    }
}

void pithi_second_send(const struct pithi_shadow *comm, const struct pithi_header *header, int to, int tag)
{
    pithi_lock(&mutex);
    sweep(4);
    struct letter *letter = unused;
    if (letter)
        unused = letter->next;
    else
        letter = malloc(sizeof *letter);
    if (!letter) { /* so short a message libraries send at once; its receiver must not miss it */
        REAL(MPI_Send)(header, NUMBERS, MPI_INT64_T, to, tag, comm->comm);
        goto out;
    }
    letter->header = *header;
    if (REAL(MPI_Isend)(&letter->header, NUMBERS, MPI_INT64_T, to, tag, comm->comm, &letter->request) != MPI_SUCCESS)
        letter->request = MPI_REQUEST_NULL; /* as the program's own will fail */
    letter->next = under_way;
    under_way = letter;
    sweep(1);
out:
    pithi_unlock(&mutex);
}

int pithi_second_recv(const struct pithi_shadow *comm, struct pithi_header *header, int from, int tag)
{
    return REAL(MPI_Recv)(header, NUMBERS, MPI_INT64_T, from, tag, comm->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void pithi_second_end(void)
{
    sweep(1 << 20);
    while (unused) {
        struct letter *letter = unused;
        unused = letter->next;
        free(letter);
    }
}
