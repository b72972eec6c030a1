/* second_message.c - sends headers as messages of their own (piggyback.h). Each header is sent from a buffer that is
 * kept until the header is sent. */
#include "piggyback.h"

#include "lock.h"
#include "real.h"

#include <stdlib.h>

/* numbers of 64 bits in a header, sent as MPI_INT64_T */
enum { NUMBERS = sizeof(struct pithi_header) / sizeof(int64_t) };

/* A header that is being sent. */
struct outgoing {
    struct pithi_header header; /* the bytes that are sent */
    MPI_Request request;
    struct outgoing *next;
};

static struct outgoing *under_way, *unused; /* lists of headers that are being sent, and of unused buffers */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns 1 if the header is sent, so that its buffer can be reused. */
static int is_done(struct outgoing *outgoing)
{
    int done = 0;
    return REAL(MPI_Test)(&outgoing->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

/* Tests up to `most` of the active sends, the newest first. Buffers of completed sends become unused. */
static void sweep(int most)
{
    struct outgoing **at = &under_way;
    while (*at && most-- > 0) {
        struct outgoing *outgoing = *at;
        if (!is_done(outgoing)) {
            at = &outgoing->next;
            continue;
        }
        *at = outgoing->next;
        outgoing->next = unused;
        unused = outgoing;
    }
}

void pithi_second_send(MPI_Comm shadow, const struct pithi_header *header, int to, int tag)
{
    pithi_lock(&mutex);
    sweep(4);
    struct outgoing *outgoing = unused;
    if (outgoing)
        unused = outgoing->next;
    else
        outgoing = malloc(sizeof *outgoing);
    if (!outgoing) {
        /* There is no memory for a copy of the header. A blocking send needs no copy. It returns soon, because MPI
         * libraries send so short a message without waiting for the receiver. */
        REAL(MPI_Send)(header, NUMBERS, MPI_INT64_T, to, tag, shadow);
        goto out;
    }
    outgoing->header = *header;
    if (REAL(MPI_Isend)(&outgoing->header, NUMBERS, MPI_INT64_T, to, tag, shadow, &outgoing->request) != MPI_SUCCESS)
        outgoing->request = MPI_REQUEST_NULL; /* counts as sent; the program's send will fail, too */
    outgoing->next = under_way;
    under_way = outgoing;
    sweep(1);
out:
    pithi_unlock(&mutex);
}

int pithi_second_recv(MPI_Comm shadow, struct pithi_header *header, int from, int tag)
{
    return REAL(MPI_Recv)(header, NUMBERS, MPI_INT64_T, from, tag, shadow, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void pithi_second_end(void)
{
    sweep(1 << 20);
    while (unused) {
        struct outgoing *outgoing = unused;
        unused = outgoing->next;
        free(outgoing);
    }
}
