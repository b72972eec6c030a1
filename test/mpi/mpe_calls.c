/* mpe_calls.c - calls every logging function of MPE once and more, and prints what it returned; then logs again after
 * the end, from two threads, and by communicators of all kinds. What the log must hold of it is in test_mpe_log.sh. */
#include <mpe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void say(const char *what, int result)
{
    if (rank == 0)
        printf("%s %d\n", what, result);
}
#define CALL(call) say(#call, call)

/* ---- The first log: states and events ---------------------------------------------------------------------------- */

static int state[2], info[2], quiet[2], comm_state[2], solo, comm_solo, plain, old[2];

/* Most on rank 0 alone, as programs do. */
static void describe(void)
{
    MPE_Log_get_state_eventIDs(&state[0], &state[1]);
    MPE_Log_get_state_eventIDs(&info[0], &info[1]);
    MPE_Log_get_state_eventIDs(&comm_state[0], &comm_state[1]);
    old[0] = MPE_Log_get_event_number();
    old[1] = MPE_Log_get_event_number();
    MPE_Log_get_state_eventIDs(&quiet[0], &quiet[1]);
    MPE_Log_get_solo_eventID(&solo);
    MPE_Log_get_solo_eventID(&comm_solo);
    MPE_Log_get_solo_eventID(&plain);
    if (rank != 0)
        return;
    printf("numbers %d %d %d %d %d %d %d %d %d\n", state[0], state[1], info[0], comm_state[1], old[0], old[1], solo,
           comm_solo, plain);
    CALL(MPE_Describe_state(state[0], state[1], "Broadcast", "red"));
    CALL(MPE_Describe_info_state(info[0], info[1], "Compute", "blue:vlines", "i=%d l=%l"));
    CALL(MPE_Describe_comm_state(MPI_COMM_WORLD, comm_state[0], comm_state[1], "Exchange", "SeaGreen", NULL));
    CALL(MPE_Describe_state(old[0], old[1], "a name that is longer than the thirty-one bytes of CLOG-2", "orange"));
    CALL(MPE_Describe_info_event(solo, "tick", "yellow", "%s h=%h d=%d x=%x e=%e"));
    CALL(MPE_Describe_comm_event(MPI_COMM_WORLD, comm_solo, "tock", "pink", "X=%X E=%E"));
    CALL(MPE_Describe_event(plain, "plain", NULL));
}

static void log_payloads(void)
{
    MPE_LOG_BYTES bytes;
    short h = -3;
    int pos = 0, d = 100 + rank, x = 0xbeef;
    long long l = -5000000000LL, X = 0x123456789abcLL;
    float e = 0.5f;
    double E = 1.0 / 3;

    CALL(MPE_Log_pack(bytes, &pos, 'd', 1, &d));
    CALL(MPE_Log_pack(bytes, &pos, 'l', 1, &l));
    CALL(MPE_Log_event(info[0], 0, bytes));
    pos = 0;
    CALL(MPE_Log_pack(bytes, &pos, 's', 5, "hello"));
    CALL(MPE_Log_pack(bytes, &pos, 'h', 1, &h));
    CALL(MPE_Log_pack(bytes, &pos, 'd', 1, &d));
    CALL(MPE_Log_pack(bytes, &pos, 'x', 1, &x));
    CALL(MPE_Log_pack(bytes, &pos, 'e', 1, &e));
    say("packed", pos);
    CALL(MPE_Log_info_event(solo, bytes));
    pos = 0;
    CALL(MPE_Log_pack(bytes, &pos, 'X', 1, &X));
    CALL(MPE_Log_pack(bytes, &pos, 'E', 1, &E));
    CALL(MPE_Log_comm_event(MPI_COMM_WORLD, comm_solo, bytes));
    memset(bytes, 0, sizeof bytes);
    pos = 0;
    MPE_Log_pack(bytes, &pos, 'd', 1, &pos);
    MPE_Log_pack(bytes, &pos, 'l', 1, &X);
    CALL(MPE_Log_event(info[1], 0, bytes));
}

/* A state begun and ended on a communicator, with events in it. */
static void log_on(MPI_Comm comm)
{
    MPE_LOG_BYTES bytes = {0};
    int pos = 0;

    MPE_Log_pack(bytes, &pos, 'X', 1, &(long long){17});
    CALL(MPE_Log_comm_event(comm, state[0], NULL));
    CALL(MPE_Log_comm_event(comm, comm_solo, bytes));
    CALL(MPE_Log_comm_event(comm, plain, NULL));
    CALL(MPE_Log_event(plain, 0, NULL));
    CALL(MPE_Log_comm_event(comm, state[1], "said"));
}

static void log_messages(void)
{
    MPI_Comm reversed, inter, halves;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    CALL(MPE_Log_send(next, 7, 64));
    CALL(MPE_Log_receive(before, 7, 64));
    CALL(MPE_Log_send(MPI_PROC_NULL, 7, 64));
    CALL(MPE_Log_receive(MPI_PROC_NULL, 7, 64));
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    log_on(reversed);
    CALL(MPE_Log_comm_send(reversed, size - 1 - next, 8, 128));
    CALL(MPE_Log_comm_receive(reversed, size - 1 - before, 8, 128));
    if (size % 2 == 0) { /* each to its other in the other half */
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
        MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
        CALL(MPE_Log_comm_send(inter, rank / 2, 9, 256));
        CALL(MPE_Log_comm_receive(inter, rank / 2, 9, 256));
        log_on(inter);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&halves);
    }
    MPI_Comm_free(&reversed);
}

static void log_calls(void)
{
    CALL(MPE_Init_log());
    CALL(MPE_Initialized_logging());
    describe();
    CALL(MPE_Log_event(state[0], 0, NULL));
    CALL(MPE_Log_bare_event(plain));
    CALL(MPE_Log_event(state[1], 4711, ""));
    log_payloads();
    CALL(MPE_Log_comm_event(MPI_COMM_WORLD, comm_state[0], NULL));
    log_messages();
    CALL(MPE_Log_comm_event(MPI_COMM_WORLD, comm_state[1], NULL));
    CALL(MPE_Stop_log());
    CALL(MPE_Log_event(state[0], 0, NULL));
    CALL(MPE_Describe_state(quiet[0], quiet[1], "described in a pause", "cyan"));
    CALL(MPE_Log_event(state[1], 0, NULL));
    CALL(MPE_Start_log());
    CALL(MPE_Log_event(quiet[0], 0, NULL));
    CALL(MPE_Log_sync_clocks());
    CALL(MPE_Log_event(quiet[1], 0, NULL));
    CALL(MPE_Log_event(old[0], 0, NULL));
    CALL(MPE_Log_event(old[1], 0, "a text without a format"));
    say("name before", (int)strlen(MPE_Log_merged_logfilename()));
    CALL(MPE_Finish_log("first"));
    if (rank == 0)
        printf("wrote %s\n", strrchr(MPE_Log_merged_logfilename(), '/'));
    CALL(MPE_Initialized_logging());
}

/* ---- The second: numbers that nobody has described, or each rank otherwise; unbalanced states -------------------- */

static void log_misuse(void)
{
    MPE_LOG_BYTES bytes, same;
    int pos = 29, numbers[2] = {0, 0};

    CALL(MPE_Log_event(600, 0, NULL));
    CALL(MPE_Finish_log("never"));
    CALL(MPE_Init_log());
    CALL(MPE_Log_get_state_eventIDs(numbers, NULL));
    CALL(MPE_Log_get_solo_eventID(NULL));
    say("first number", numbers[0]);
    CALL(MPE_Describe_state(700, 701, rank ? "of the others" : "of rank 0", "red"));
    CALL(MPE_Describe_state(702, 703, NULL, NULL));
    CALL(MPE_Describe_info_event(5700, "", "", ""));
    CALL(MPE_Describe_comm_state(MPI_COMM_NULL, 704, 705, "overlaps", "no such colour", NULL));
    MPE_Log_event(701, 0, NULL); /* an end without a start */
    MPE_Log_event(700, 0, NULL);
    MPE_Log_event(700, 0, NULL);
    MPE_Log_event(704, 0, NULL);
    MPE_Log_event(701, 0, NULL);
    MPE_Log_event(705, 0, NULL); /* one 700 stays open */
    MPE_Log_event(702, 0, NULL);
    MPE_Log_event(703, 0, NULL);
    MPE_Log_event(5700, 0, NULL);
    CALL(MPE_Log_event(-7, 0, NULL));
    CALL(MPE_Log_event(2147483647, 0, NULL));
    CALL(MPE_Log_event(9999, 0, "nobody knows"));
    CALL(MPE_Log_comm_send(MPI_COMM_NULL, 0, 0, 0));
    CALL(MPE_Log_send(size, 0, 0));
    CALL(MPE_Log_receive(MPI_ANY_SOURCE, MPI_ANY_TAG, -1));
    memset(bytes, 7, sizeof bytes);
    memcpy(same, bytes, sizeof same);
    CALL(MPE_Log_pack(bytes, &pos, 'd', 1, &size));
    CALL(MPE_Log_pack(bytes, &pos, 's', 2, "xx"));
    CALL(MPE_Log_pack(bytes, &pos, 'q', 1, &size));
    CALL(MPE_Log_pack(bytes, &pos, 'h', -1, &size));
    CALL(MPE_Log_pack(bytes, &pos, 'h', 2147483647, &size));
    CALL(MPE_Log_pack(bytes, NULL, 'h', 1, &size));
    CALL(MPE_Log_pack(NULL, &pos, 'h', 1, &size));
    CALL(MPE_Log_pack(bytes, &pos, 'h', 1, NULL));
    say("position", pos);
    say("bytes changed", memcmp(bytes, same, sizeof bytes) != 0);
    CALL(MPE_Finish_log("second"));
    CALL(MPE_Finish_log("second again"));
    CALL(MPE_Log_event(600, 0, NULL));
    CALL(MPE_Describe_state(1, 2, "late", "red"));
}

/* ---- The third: threads ------------------------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 1000 };

static void *run(void *number)
{
    int thread = (int)(size_t)number;

    for (int i = 0; i < ROUNDS; i++) {
        MPE_LOG_BYTES bytes;
        int pos = 0;
        MPE_Log_pack(bytes, &pos, 'd', 1, &thread);
        MPE_Log_event(600, 0, NULL);
        MPE_Log_event(5000, 0, bytes);
        MPE_Log_event(601, 0, NULL);
    }
    return NULL;
}

static void log_threads(void)
{
    pthread_t threads[THREADS];

    MPE_Init_log();
    if (rank == size - 1) {
        MPE_Describe_state(600, 601, "in a thread", "green");
        MPE_Describe_info_event(5000, "of a thread", "red", "%d");
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CALL(MPE_Finish_log("third"));
}

/* Numbers that rank 0 does not describe, and the last two ranks differently. */
static void log_differently(void)
{
    char name[32];

    snprintf(name, sizeof name, "of rank %d", rank);
    MPE_Init_log();
    if (rank >= size - 2)
        MPE_Describe_state(610, 611, name, "red");
    MPE_Log_event(610, 0, NULL);
    MPE_Log_event(611, 0, "done");
}

/* Duplicates with the same members, some of them used by rank 0 alone, before the others use any. */
static void log_duplicates(void)
{
    MPI_Comm first, second, third;

    MPE_Init_log();
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_dup(second, &third);
    if (rank == 0) {
        MPE_Describe_comm_event(third, 5000, "e", "red", NULL);
        MPE_Log_comm_event(third, 5000, NULL);
    }
    MPE_Log_comm_send(first, (rank + 1) % size, 1, 8);
    MPE_Log_comm_receive(first, (rank + size - 1) % size, 1, 8);
    MPE_Log_comm_event(second, 5000, NULL);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    MPI_Comm_free(&third);
    MPE_Finish_log("duplicates");
}

/* "forgot": a log whose end is left to MPI_Finalize; "early": before MPI_Init. */
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int provided;

    CALL(MPE_Log_event(1, 0, NULL));
    CALL(MPE_Start_log());
    CALL(MPE_Initialized_logging());
    if (strcmp(what, "early") != 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPE_Init_log();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "differ") == 0) {
        log_differently();
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(what, "duplicates") == 0) {
        log_duplicates();
    } else if (strcmp(what, "die") == 0) {
        log_differently();
        MPI_Barrier(MPI_COMM_WORLD);
        _exit(3);
    } else if (*what) {
        MPE_Init_log();
        MPE_Describe_state(600, 601, "Broadcast", "red");
        MPE_Log_event(600, 0, NULL);
        MPE_Log_event(601, 0, NULL);
    } else {
        log_calls();
        log_misuse();
        log_threads();
    }
    MPI_Finalize();
    CALL(MPE_Init_log());
    CALL(MPE_Log_event(1, 0, NULL));
    CALL(MPE_Finish_log("too late"));
    return 0;
}
