/* known_messages.c - messages that wait for a known time. */
#include "known.h"

#include <stddef.h>

/* ---- Messages: an even rank receives from the next -------------------------------------------------------------- */

static void send_one(void)
{
    delay();
    CALL(MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD));
}

/* The second message comes later; both are tag 0. */
static void send_two(void)
{
    delay();
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
    sleep_ms(DELAY_MS);
    CALL(MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD));
}

static void recv_case(void)
{
    delay();
    CALL(MPI_Recv(there, 8, MPI_CHAR, peer, 0, WORLD, NO_STATUS));
}

static void probe_case(void)
{
    delay();
    WAIT(MPI_Probe(peer, 0, WORLD, NO_STATUS));
    MPI_Recv(there, 8, MPI_CHAR, peer, 0, WORLD, NO_STATUS);
}

static void mprobe_case(void)
{
    MPI_Message message;

    delay();
    WAIT(MPI_Mprobe(MPI_ANY_SOURCE, 0, WORLD, &message, NO_STATUS));
    MPI_Mrecv(there, 8, MPI_CHAR, &message, NO_STATUS);
}

static void sendrecv_case(void)
{
    delay();
    CALL(MPI_Sendrecv(here, 8, MPI_CHAR, peer, 1, there, 8, MPI_CHAR, peer, 0, WORLD, NO_STATUS));
}

static void replace_case(void)
{
    delay();
    CALL(MPI_Sendrecv_replace(there, 8, MPI_CHAR, peer, 1, peer, 0, WORLD, NO_STATUS));
}

static void sendrecv_partner(void)
{
    MPI_Request request;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 1, WORLD, &request);
    send_one();
    complete(1, &request);
}

static void wait_case(void)
{
    MPI_Request request;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &request);
    delay();
    WAIT(MPI_Wait(&request, NO_STATUS));
}

/* A program that asks again and again waits from the first call on. Its pauses are so long that a lost core makes none
 * that is much longer. */
#define TEST(name, call)                                                                                               \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        int done = 0, index, indices[1];                                                                               \
        MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &request);                                                       \
        delay();                                                                                                       \
        (void)index, (void)indices;                                                                                    \
        times->calls[0].begin = now_ns();                                                                              \
        for (; !done; sleep_until(now_ns() + (done ? 0 : 1000000)))                                                    \
            call;                                                                                                      \
        times->calls[0].end = now_ns();                                                                                \
    }
TEST(test_case, MPI_Test(&request, &done, NO_STATUS))
TEST(testall_case, MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE))
TEST(testany_case, MPI_Testany(1, &request, &index, &done, NO_STATUS))
TEST(testsome_case, MPI_Testsome(1, &request, &done, indices, MPI_STATUSES_IGNORE))

static void start_case(void)
{
    MPI_Request request;

    MPI_Recv_init(there, 8, MPI_CHAR, peer, 0, WORLD, &request);
    MPI_Start(&request);
    delay();
    WAIT(MPI_Wait(&request, NO_STATUS));
    MPI_Request_free(&request);
}

static void two_recvs(MPI_Request requests[2])
{
    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &requests[0]);
    MPI_Irecv(there + 8, 8, MPI_CHAR, peer, 0, WORLD, &requests[1]);
}

static void waitall_case(void)
{
    MPI_Request requests[2];

    two_recvs(requests);
    delay();
    WAIT(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void waitany_case(void)
{
    MPI_Request requests[2];
    int index;

    two_recvs(requests);
    delay();
    WAIT(MPI_Waitany(2, requests, &index, NO_STATUS));
    complete(2, requests);
}

/* The first of two messages ends the wait. */
static void first_of_two(void)
{
    send_one();
    sleep_ms(DELAY_MS);
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
}

static void waitsome_case(void)
{
    MPI_Request requests[2];
    int count, indices[2];

    two_recvs(requests);
    delay();
    WAIT(MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE));
    complete(2, requests);
}

/* ---- Messages in the wrong order: another message is there ------------------------------------------------------- */

static void order_case(int source)
{
    MPI_Request request;

    if (source == rank)
        MPI_Isend(here, 8, MPI_CHAR, rank, 2, WORLD, &request);
    delay();
    WAIT(MPI_Recv(there, 8, MPI_CHAR, peer, 0, WORLD, NO_STATUS));
    sleep_ms(1); /* what it could have done while it waited */
    MPI_Recv(there, 8, MPI_CHAR, source, 2, WORLD, NO_STATUS);
    if (source == rank)
        MPI_Wait(&request, NO_STATUS);
}

static void order_of_one(void) { order_case(peer); }
static void order_of_two(void) { order_case(rank); }

static void send_in_order(void)
{
    MPI_Send(here, 8, MPI_CHAR, peer, 2, WORLD);
    send_one();
}

/* ---- Messages: an even rank sends to the next, which posts its receive late ------------------------------------- */

static void post_one(int bytes)
{
    MPI_Request request;

    delay();
    START(MPI_Irecv(there, bytes, MPI_CHAR, peer, 0, WORLD, &request));
    complete(1, &request);
}

static void post_short(void) { post_one(8); }
static void post_long(void) { post_one(LONG); }

static void post_two(void)
{
    MPI_Request requests[2];

    delay();
    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &requests[0]);
    sleep_ms(DELAY_MS);
    START(MPI_Irecv(there + 8, 8, MPI_CHAR, peer, 0, WORLD, &requests[1]));
    complete(2, requests);
}

static void send_case(void)
{
    delay();
    CALL(MPI_Send(here, LONG, MPI_CHAR, peer, 0, WORLD));
}

static void ssend_case(void)
{
    delay();
    CALL(MPI_Ssend(here, 8, MPI_CHAR, peer, 0, WORLD));
}

/* Its own message is late, that of the partner is there. */
static void exchange_case(void)
{
    delay();
    CALL(MPI_Sendrecv(here, LONG, MPI_CHAR, peer, 0, there, 8, MPI_CHAR, peer, 1, WORLD, NO_STATUS));
}

static void exchange_partner(void)
{
    MPI_Request requests[2];

    MPI_Isend(here, 8, MPI_CHAR, peer, 1, WORLD, &requests[0]);
    delay();
    START(MPI_Irecv(there, LONG, MPI_CHAR, peer, 0, WORLD, &requests[1]));
    complete(2, requests);
}

static void isend_case(void)
{
    MPI_Request request;

    MPI_Isend(here, LONG, MPI_CHAR, peer, 0, WORLD, &request);
    delay();
    WAIT(MPI_Wait(&request, NO_STATUS));
}

static void issend_case(void)
{
    MPI_Request request;

    MPI_Issend(here, 8, MPI_CHAR, peer, 0, WORLD, &request);
    delay();
    WAIT(MPI_Wait(&request, NO_STATUS));
}

static void issends_case(void)
{
    MPI_Request requests[2];

    MPI_Issend(here, 8, MPI_CHAR, peer, 0, WORLD, &requests[0]);
    MPI_Issend(here + 8, 8, MPI_CHAR, peer, 0, WORLD, &requests[1]);
    delay();
    WAIT(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

const struct known_case message_cases[] = {
    {"late sender", "MPI_Recv", PAIR, recv_case, send_one, NULL},
    {"late sender", "MPI_Probe", PAIR, probe_case, send_one, NULL},
    {"late sender", "MPI_Mprobe", PAIR, mprobe_case, send_one, NULL},
    {"late sender", "MPI_Sendrecv", PAIR, sendrecv_case, sendrecv_partner, NULL},
    {"late sender", "MPI_Sendrecv_replace", PAIR, replace_case, sendrecv_partner, NULL},
    {"late sender", "MPI_Wait", PAIR, wait_case, send_one, NULL},
    {"late sender", "MPI_Wait", PAIR, start_case, send_one, NULL},
    {"late sender", "MPI_Waitall", PAIR, waitall_case, send_two, NULL},
    {"late sender", "MPI_Waitany", PAIR, waitany_case, first_of_two, NULL},
    {"late sender", "MPI_Waitsome", PAIR, waitsome_case, first_of_two, NULL},
    {"polling", "MPI_Test", PAIR, test_case, send_one, NULL},
    {"polling", "MPI_Testall", PAIR, testall_case, send_one, NULL},
    {"polling", "MPI_Testany", PAIR, testany_case, send_one, NULL},
    {"polling", "MPI_Testsome", PAIR, testsome_case, send_one, NULL},
    {"late sender", "MPI_Recv", PAIR, order_of_one, send_in_order, "same source"},
    {"late sender", "MPI_Recv", PAIR, order_of_two, send_one, "other source"},
    {"late receiver", "MPI_Send", PAIR, send_case, post_long, NULL},
    {"late receiver", "MPI_Ssend", PAIR, ssend_case, post_short, NULL},
    {"late receiver", "MPI_Sendrecv", PAIR, exchange_case, exchange_partner, NULL},
    {"late receiver", "MPI_Wait", PAIR, issend_case, post_short, NULL},
    {"late receiver", "MPI_Wait", PAIR, isend_case, post_long, NULL},
    {"late receiver", "MPI_Waitall", PAIR, issends_case, post_two, NULL},
    {NULL, NULL, PAIR, NULL, NULL, NULL}};
