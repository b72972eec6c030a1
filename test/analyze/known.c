/* known.c - calls that wait for a known time, one case for each kind of wait state.
 *
 *     known late        the partner of a waiting call comes DELAY_MS later
 *     known in-time     the partner is there before, or (where all must meet) at the same time
 *
 * Each rank reads the clock before and after the calls in question. All ranks are on one machine and read the same
 * clock, so rank 0 can compute how long each call had to wait, also where the system delayed a rank. It prints what the
 * analysis must find, a line for each call, tab-separated:
 *
 *     KIND   STATE   rank   nanoseconds   the rank that it waited for (several if they came at nearly the same time)
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 4, DELAY_MS = 5, PERIOD_MS = 25, LONG = 1 << 18, SAME_NS = 100000, MOST_RANKS = 64 };

/* Who waits for whom. */
enum members {
    PAIR,      /* an even rank for the rank after it */
    ALL,       /* all for all */
    HALF,      /* the same in `half`, the communicator of the even or the odd ranks */
    FROM_ROOT, /* the others for rank 0 */
    TO_ROOT,   /* rank 0 for the others */
    BEFORE     /* all for the ranks before them */
};

struct times {
    int64_t begin, end;         /* of the call that waits */
    int64_t release;            /* when this rank let others go on: begin of its send, its receive, its collective */
    int64_t second, second_end; /* of a second call, which may wait instead; 0: none */
};

static int rank, size, peer, late;
static enum members members;
static struct times *times;           /* of this rank in this case and repetition */
static MPI_Comm half, between, fresh; /* fresh: made in a case */
static MPI_Group half_group, peer_group;
static MPI_Win window, fenced;
static char here[LONG], there[LONG];
static int counts[MOST_RANKS], places[MOST_RANKS];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    struct timespec then = {ns / 1000000000, ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) != 0)
        ;
}

static void sleep_ms(int ms) { sleep_until(now_ns() + ms * INT64_C(1000000)); }

/* Whether rank r has to wait in mode late. */
static int waits(int r)
{
    switch (members) {
    case PAIR:
        return r % 2 == 0;
    case ALL:
        return r < size - 1;
    case HALF:
        return r < size - 2;
    case FROM_ROOT:
        return r > 0;
    case TO_ROOT:
        return r == 0;
    case BEFORE:
        return r > 0;
    }
    return 0;
}

/* Whether rank r cannot go on before rank q. */
static int releases(int q, int r)
{
    switch (members) {
    case PAIR:
        return r % 2 == 0 && q == r + 1;
    case ALL:
        return 1;
    case HALF:
        return q % 2 == r % 2;
    case FROM_ROOT:
        return q == 0;
    case TO_ROOT:
        return r == 0;
    case BEFORE:
        return q < r;
    }
    return 0;
}

/* Lets the partner of a waiting call come late, or the waiting call. */
static void delay(void)
{
    if (late)
        sleep_ms(waits(rank) ? 0 : DELAY_MS);
    else if (members == BEFORE)
        sleep_ms(rank);
    else if (members != ALL && members != HALF)
        sleep_ms(waits(rank) ? 3 * DELAY_MS : 0);
}

/* Completes requests without waiting in a call. */
static void poll(int count, MPI_Request *requests)
{
    for (int done = 0; !done; sleep_until(now_ns() + (done ? 0 : 200000)))
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
}

/* A call that lets others go on; one that waits; and one that does both. */
#define START(call) (times->release = now_ns(), (call))
#define WAIT(call) (times->begin = now_ns(), (call), times->end = now_ns())
#define CALL(call) (times->begin = times->release = now_ns(), (call), times->end = now_ns())
#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

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

static void sendrecv_partner(void)
{
    MPI_Request request;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 1, WORLD, &request);
    send_one();
    poll(1, &request);
}

static void wait_case(void)
{
    MPI_Request request;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &request);
    delay();
    WAIT(MPI_Wait(&request, NO_STATUS));
}

/* A program that asks again and again waits in no call. */
static void test_case(void)
{
    MPI_Request request;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &request);
    delay();
    poll(1, &request);
    times->begin = times->end = now_ns();
}

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
    poll(2, requests);
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
    poll(2, requests);
}

/* ---- Messages: an even rank sends to the next, which posts its receive late ------------------------------------- */

static void post_one(int bytes)
{
    MPI_Request request;

    delay();
    START(MPI_Irecv(there, bytes, MPI_CHAR, peer, 0, WORLD, &request));
    poll(1, &request);
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
    poll(2, requests);
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

/* ---- Collectives ------------------------------------------------------------------------------------------------ */

#define COLLECTIVE(name, call)                                                                                         \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        delay();                                                                                                       \
        CALL(call);                                                                                                    \
    }
COLLECTIVE(barrier, MPI_Barrier(WORLD))
COLLECTIVE(allreduce, MPI_Allreduce(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(allgather, MPI_Allgather(here, 1, MPI_INT, there, 1, MPI_INT, WORLD))
COLLECTIVE(allgatherv, MPI_Allgatherv(here, 1, MPI_INT, there, counts, places, MPI_INT, WORLD))
COLLECTIVE(alltoall, MPI_Alltoall(here, 1, MPI_INT, there, 1, MPI_INT, WORLD))
COLLECTIVE(alltoallv, MPI_Alltoallv(here, counts, places, MPI_INT, there, counts, places, MPI_INT, WORLD))
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter_block(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(half_reduce_scatter, MPI_Reduce_scatter(here, there, counts, MPI_INT, MPI_SUM, half))
COLLECTIVE(bcast, MPI_Bcast(there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(scatter, MPI_Scatter(here, 1, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(scatterv, MPI_Scatterv(here, counts, places, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(reduce, MPI_Reduce(here, there, 1, MPI_INT, MPI_SUM, 0, WORLD))
COLLECTIVE(gather, MPI_Gather(here, 1, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(gatherv, MPI_Gatherv(here, 1, MPI_INT, there, counts, places, MPI_INT, 0, WORLD))
COLLECTIVE(scan, MPI_Scan(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(exscan, MPI_Exscan(here, there, 1, MPI_INT, MPI_SUM, WORLD))

/* Communicators */
COLLECTIVE(dup, MPI_Comm_dup(WORLD, &fresh))
COLLECTIVE(split, MPI_Comm_split(WORLD, rank % 2, rank, &fresh))
COLLECTIVE(create, MPI_Comm_create(WORLD, half_group, &fresh))
COLLECTIVE(create_group, MPI_Comm_create_group(WORLD, half_group, 1, &fresh))
COLLECTIVE(cart, MPI_Cart_create(WORLD, 1, &size, places, 0, &fresh))
COLLECTIVE(inter, MPI_Intercomm_create(half, 0, WORLD, !(rank % 2), 1, &fresh))
COLLECTIVE(merge, MPI_Intercomm_merge(between, rank % 2, &fresh))

/* In time: all start it, and complete it later. */
#define NONBLOCKING(name, call)                                                                                        \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        delay();                                                                                                       \
        START(call);                                                                                                   \
        sleep_ms(late ? 0 : DELAY_MS);                                                                                 \
        WAIT(MPI_Wait(&request, NO_STATUS));                                                                           \
    }
NONBLOCKING(ibarrier, MPI_Ibarrier(WORLD, &request))
NONBLOCKING(iallreduce, MPI_Iallreduce(here, there, 1, MPI_INT, MPI_SUM, WORLD, &request))
NONBLOCKING(ibcast, MPI_Ibcast(there, 1, MPI_INT, 0, WORLD, &request))
NONBLOCKING(ireduce, MPI_Ireduce(here, there, 1, MPI_INT, MPI_SUM, 0, WORLD, &request))
NONBLOCKING(idup, MPI_Comm_idup(WORLD, &fresh, &request))
NONBLOCKING(iscan, MPI_Iscan(here, there, 1, MPI_INT, MPI_SUM, WORLD, &request))

/* ---- One-sided: an even rank waits for the next ----------------------------------------------------------------- */

static void fence(void)
{
    delay();
    CALL(MPI_Win_fence(0, fenced));
}

/* Which of two calls waits depends on the MPI. */
#define WAIT_IN(first_call, second_call)                                                                               \
    (WAIT(first_call), times->second = now_ns(), (second_call), times->second_end = now_ns())

static void access_case(void)
{
    delay();
    WAIT_IN(MPI_Win_start(peer_group, 0, window), MPI_Win_complete(window));
}

static void post_window(void)
{
    delay();
    START(MPI_Win_post(peer_group, 0, window));
    for (int done = 0; !done; sleep_until(now_ns() + 200000))
        MPI_Win_test(window, &done);
}

static void expose_case(void)
{
    MPI_Win_post(peer_group, 0, window);
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
    delay();
    WAIT(MPI_Win_wait(window));
}

static void access_late(void)
{
    MPI_Request posted;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &posted);
    poll(1, &posted);
    delay();
    MPI_Win_start(peer_group, 0, window);
    START(MPI_Win_complete(window));
}

/* The next rank holds a lock on its own window. A message tells it to unlock; until then it makes progress in MPI. */
static void lock_case(void)
{
    MPI_Request locked;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &locked);
    poll(1, &locked);
    delay();
    WAIT_IN(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, window), MPI_Win_unlock(peer, window));
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
}

static void lock_own(void)
{
    MPI_Request unlocked;

    MPI_Irecv(there, 8, MPI_CHAR, peer, 0, WORLD, &unlocked);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    MPI_Send(here, 8, MPI_CHAR, peer, 0, WORLD);
    delay();
    START(MPI_Win_unlock(rank, window));
    poll(1, &unlocked);
}

/* ---- The cases -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *kind, *state;
    enum members members;
    void (*waits)(void), (*other)(void); /* the same for all members of a collective */
} cases[] = {
    {"late sender", "MPI_Recv", PAIR, recv_case, send_one},
    {"late sender", "MPI_Probe", PAIR, probe_case, send_one},
    {"late sender", "MPI_Mprobe", PAIR, mprobe_case, send_one},
    {"late sender", "MPI_Sendrecv", PAIR, sendrecv_case, sendrecv_partner},
    {"late sender", "MPI_Wait", PAIR, wait_case, send_one},
    {"late sender", "MPI_Wait", PAIR, start_case, send_one},
    {"late sender", "MPI_Waitall", PAIR, waitall_case, send_two},
    {"late sender", "MPI_Waitany", PAIR, waitany_case, first_of_two},
    {"late sender", "MPI_Waitsome", PAIR, waitsome_case, first_of_two},
    {"late sender", "MPI_Testall", PAIR, test_case, send_one},
    {"late receiver", "MPI_Send", PAIR, send_case, post_long},
    {"late receiver", "MPI_Ssend", PAIR, ssend_case, post_short},
    {"late receiver", "MPI_Wait", PAIR, issend_case, post_short},
    {"late receiver", "MPI_Waitall", PAIR, issends_case, post_two},
    {"wait at barrier", "MPI_Barrier", ALL, barrier, barrier},
    {"wait at barrier", "MPI_Wait", ALL, ibarrier, ibarrier},
    {"wait at N x N", "MPI_Allreduce", ALL, allreduce, allreduce},
    {"wait at N x N", "MPI_Allgather", ALL, allgather, allgather},
    {"wait at N x N", "MPI_Allgatherv", ALL, allgatherv, allgatherv},
    {"wait at N x N", "MPI_Alltoall", ALL, alltoall, alltoall},
    {"wait at N x N", "MPI_Alltoallv", ALL, alltoallv, alltoallv},
    {"wait at N x N", "MPI_Reduce_scatter_block", ALL, reduce_scatter, reduce_scatter},
    {"wait at N x N", "MPI_Reduce_scatter", HALF, half_reduce_scatter, half_reduce_scatter},
    {"wait at N x N", "MPI_Wait", ALL, iallreduce, iallreduce},
    {"wait at N x N", "MPI_Comm_dup", ALL, dup, dup},
    {"wait at N x N", "MPI_Comm_split", ALL, split, split},
    {"wait at N x N", "MPI_Comm_create", ALL, create, create},
    {"wait at N x N", "MPI_Comm_create_group", HALF, create_group, create_group},
    {"wait at N x N", "MPI_Cart_create", ALL, cart, cart},
    {"wait at N x N", "MPI_Intercomm_create", ALL, inter, inter},
    {"wait at N x N", "MPI_Intercomm_merge", ALL, merge, merge},
    {"wait at N x N", "MPI_Wait", ALL, idup, idup},
    {"late broadcast", "MPI_Bcast", FROM_ROOT, bcast, bcast},
    {"late broadcast", "MPI_Scatter", FROM_ROOT, scatter, scatter},
    {"late broadcast", "MPI_Scatterv", FROM_ROOT, scatterv, scatterv},
    {"late broadcast", "MPI_Wait", FROM_ROOT, ibcast, ibcast},
    {"early reduce", "MPI_Reduce", TO_ROOT, reduce, reduce},
    {"early reduce", "MPI_Gather", TO_ROOT, gather, gather},
    {"early reduce", "MPI_Gatherv", TO_ROOT, gatherv, gatherv},
    {"early reduce", "MPI_Wait", TO_ROOT, ireduce, ireduce},
    {"early scan", "MPI_Scan", BEFORE, scan, scan},
    {"early scan", "MPI_Exscan", BEFORE, exscan, exscan},
    {"early scan", "MPI_Wait", BEFORE, iscan, iscan},
    {"wait at N x N", "MPI_Win_fence", ALL, fence, fence},
    {"late post", "MPI_Win_start MPI_Win_complete", PAIR, access_case, post_window},
    {"early wait", "MPI_Win_wait", PAIR, expose_case, access_late},
    {"lock contention", "MPI_Win_lock MPI_Win_unlock", PAIR, lock_case, lock_own},
};
enum { CASES = sizeof cases / sizeof *cases, TIMES = CASES * REPEATS };

/* Prints how long the call of rank r had to wait, of the times of all ranks in one repetition, and for whom. Of two
 * calls (`state` has both), the one in which the rank was released, or else the second. */
static void print_wait(const char *kind, const char *state, const struct times *all, int r)
{
    const struct times *own = &all[r * TIMES];
    int64_t release = own->begin, begin = own->begin, end = own->end;
    const char *second = strchr(state, ' ');
    int length = second ? (int)(second - state) : (int)strlen(state);

    for (int q = 0; q < size; q++)
        if (releases(q, r) && all[q * TIMES].release > release)
            release = all[q * TIMES].release;
    if (second && own->second && release > own->end) {
        state = second + 1;
        length = (int)strlen(state);
        begin = own->second;
        end = own->second_end;
    }
    release = release < end ? release : end;
    printf("%s\t%.*s\t%d\t%lld\t", kind, length, state, r, (long long)(release > begin ? release - begin : 0));
    for (int q = 0; q < size; q++)
        if (releases(q, r) && all[q * TIMES].release > release - SAME_NS)
            printf(" %d", q);
    printf("\n");
}

static void print_known(const struct times *all)
{
    for (int i = 0; i < TIMES; i++) {
        members = cases[i / REPEATS].members;
        for (int r = 0; r < size; r++)
            print_wait(cases[i / REPEATS].kind, cases[i / REPEATS].state, &all[i], r);
    }
}

int main(int argc, char **argv)
{
    static struct times own[TIMES];
    int64_t start = 0;
    MPI_Group world_group;
    void *memory;

    late = argc > 1 && strcmp(argv[1], "late") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    peer = rank ^ 1;
    for (int r = 0; r < size; r++)
        counts[r] = 1, places[r] = r;

    MPI_Win_allocate(8, 1, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, WORLD, &memory, &fenced);
    MPI_Pcontrol(0); /* what the ranks agree on is not recorded */
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Comm_group(half, &half_group);
    MPI_Intercomm_create(half, 0, WORLD, !(rank % 2), 1, &between);
    MPI_Comm_group(WORLD, &world_group);
    MPI_Group_incl(world_group, 1, &peer, &peer_group);
    fresh = MPI_COMM_NULL;
    MPI_Win_fence(0, fenced);
    MPI_Barrier(WORLD);
    start = now_ns() + 50000000;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, WORLD);
    MPI_Pcontrol(1);
    for (int i = 0; i < TIMES; i++) {
        sleep_until(start + i * PERIOD_MS * INT64_C(1000000));
        times = &own[i];
        members = cases[i / REPEATS].members;
        (waits(rank) ? cases[i / REPEATS].waits : cases[i / REPEATS].other)();
        if (fresh != MPI_COMM_NULL)
            MPI_Comm_free(&fresh);
    }

    MPI_Pcontrol(0);
    struct times *all = calloc((size_t)size, sizeof own);
    MPI_Gather(own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, WORLD);
    if (rank == 0)
        print_known(all);
    free(all);
    MPI_Win_free(&window);
    MPI_Win_free(&fenced);
    MPI_Barrier(WORLD);
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
