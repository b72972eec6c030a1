/* known.c - calls that wait for a known time, one case for each kind of wait state and call.
 *
 *     known late        the partner of a waiting call comes DELAY_MS later
 *     known in-time     the partner is there before, or (where all must meet) at the same time
 *
 * Each rank reads the clock before and after the calls in question. All ranks are on one machine and read the same
 * clock, so rank 0 can compute how long each call had to wait, also where the system delayed a rank. It prints what the
 * analysis must find, a line for each call, tab-separated:
 *
 *     KIND   STATE   rank   nanoseconds   the ranks that it waited for (several if they came at nearly the same time)
 *     wrong order (same source, other source)
 *
 * For MPI_Finalize each rank prints when it calls it: "finalize", its rank, nanoseconds.
 */
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PERIOD_MS = 25, SAME_NS = 100000, CASES_MOST = 100 };

int rank, size, peer, late, repeat;
static enum members members;
struct times *times;
MPI_Comm half, pair, between, fresh = MPI_COMM_NULL, spare[REPEATS];
MPI_Group half_group, peer_group;
MPI_Win window, paired, fenced, fresh_window = MPI_WIN_NULL, spare_windows[REPEATS];
MPI_File file, fresh_file = MPI_FILE_NULL, spare_files[REPEATS];
char here[LONG], there[LONG];
int counts[MOST_RANKS], places[MOST_RANKS];
static const struct known_case *cases[CASES_MOST];
static int case_count;

int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sleep_until(int64_t ns)
{
    struct timespec then = {ns / 1000000000, ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL) != 0)
        ;
}

void sleep_ms(int ms) { sleep_until(now_ns() + ms * INT64_C(1000000)); }

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

void delay(void)
{
    if (late)
        sleep_ms(waits(rank) ? 0 : DELAY_MS);
    else if (members == BEFORE)
        sleep_ms(rank);
    else if (members != ALL && members != HALF)
        sleep_ms(waits(rank) ? 3 * DELAY_MS : 0);
}

void complete(int count, MPI_Request *requests)
{
    for (int done = 0; !done; sleep_until(now_ns() + (done ? 0 : 200000)))
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
}

void meet(void)
{
    MPI_Pcontrol(0);
    MPI_Barrier(pair);
    MPI_Pcontrol(1);
}

/* ---- Printing the waiting that must be found --------------------------------------------------------------------- */

static void print_wait(const struct known_case *of, const char *state, int length, int r, int64_t ns, const int *causes)
{
    printf("%s\t%.*s\t%d\t%lld\t", of->kind, length, state, r, (long long)ns);
    for (int q = 0; q < size; q++)
        if (causes[q])
            printf(" %d", q);
    printf("\t%s\n", of->order ? of->order : "");
}

/* Prints how long the calls of rank r had to wait, of the times of all ranks in one repetition, and for whom. A call
 * that ended before the others came has not waited for them. */
static void print_waits(const struct known_case *of, const struct times *all, int stride, int r)
{
    const struct times *own = &all[r * stride];
    const char *state = of->state;
    int64_t release = INT64_MIN;
    int causes[MOST_RANKS] = {0};

    for (int q = 0; q < size; q++)
        if (releases(q, r) && all[q * stride].release > release)
            release = all[q * stride].release;
    for (int q = 0; q < size; q++)
        causes[q] = releases(q, r) && all[q * stride].release > release - SAME_NS;
    for (int i = 0; i < MOST_CALLS && own->calls[i].begin; i++) {
        int length = (int)strcspn(state, " ");
        int64_t begin = own->calls[i].begin, end = own->calls[i].end;
        print_wait(of, state, length, r, release > begin && release < end ? release - begin : 0, causes);
        state += length + (state[length] != 0);
    }
}

/* MPI_Init: all wait for the last one. */
static void print_init(const int64_t *begins)
{
    static const struct known_case init = {"wait at init", "MPI_Init", ALL, NULL, NULL, NULL};
    int causes[MOST_RANKS] = {0}, last = 0;

    for (int r = 0; r < size; r++)
        last = begins[r] > begins[last] ? r : last;
    for (int r = 0; r < size; r++)
        causes[r] = begins[r] > begins[last] - SAME_NS;
    for (int r = 0; r < size; r++)
        print_wait(&init, init.state, (int)strlen(init.state), r, begins[last] - begins[r], causes);
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

static void add_cases(const struct known_case *some)
{
    for (; some->kind && case_count < CASES_MOST; some++)
        cases[case_count++] = some;
}

static void prepare(void)
{
    MPI_Group world_group;
    void *memory;

    MPI_Comm_rank(WORLD, &rank);
    char account[32]; /* a file for each rank: launchers mix the lines of several */
    snprintf(account, sizeof account, "known.%d.out", rank);
    if (!freopen(account, "w", stdout))
        MPI_Abort(WORLD, 1);
    MPI_Comm_size(WORLD, &size);
    peer = rank ^ 1;
    for (int r = 0; r < size; r++)
        counts[r] = 1, places[r] = r;
    MPI_Comm_split(WORLD, rank / 2, rank, &pair);
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Comm_group(half, &half_group);
    MPI_Intercomm_create(half, 0, WORLD, !(rank % 2), 1, &between);
    MPI_Comm_group(WORLD, &world_group);
    MPI_Group_incl(world_group, 1, &peer, &peer_group);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, WORLD, &memory, &window);
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, WORLD, &memory, &fenced);
    MPI_Win_create(there, 8, 1, MPI_INFO_NULL, pair, &paired);
    MPI_File_open(WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int i = 0; i < REPEATS; i++) {
        MPI_Comm_dup(WORLD, &spare[i]);
        MPI_Win_create(here, 8, 1, MPI_INFO_NULL, WORLD, &spare_windows[i]);
        MPI_File_open(WORLD, "spare", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &spare_files[i]);
    }
    MPI_Win_fence(0, fenced);
}

static void clean_up(void)
{
    MPI_Pcontrol(0);
    if (fresh != MPI_COMM_NULL)
        MPI_Comm_free(&fresh);
    if (fresh_window != MPI_WIN_NULL)
        MPI_Win_free(&fresh_window);
    if (fresh_file != MPI_FILE_NULL)
        MPI_File_close(&fresh_file);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    static struct times own[CASES_MOST * REPEATS];
    int64_t start = 0, init;
    int has_begun;

    late = argc > 1 && strcmp(argv[1], "late") == 0;
    MPI_Initialized(&has_begun); /* with the first call recording begins, which takes a while */
    init = now_ns();
    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0); /* what the ranks agree on is not recorded */
    prepare();
    add_cases(message_cases);
    add_cases(collective_cases);
    add_cases(window_cases);
    int count = case_count * REPEATS;
    MPI_Barrier(WORLD);
    start = now_ns() + 50000000;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, WORLD);
    MPI_Pcontrol(1);
    for (int i = 0; i < count; i++) {
        const struct known_case *of = cases[i / REPEATS];
        repeat = i % REPEATS;
        sleep_until(start + i * PERIOD_MS * INT64_C(1000000));
        times = &own[i];
        members = of->members;
        (waits(rank) ? of->waits : of->other)();
        clean_up();
    }

    MPI_Pcontrol(0);
    struct times *all = calloc((size_t)size, (size_t)count * sizeof *own);
    int64_t *inits = calloc((size_t)size, sizeof *inits);
    MPI_Gather(own, count * (int)sizeof *own, MPI_BYTE, all, count * (int)sizeof *own, MPI_BYTE, 0, WORLD);
    MPI_Gather(&init, 1, MPI_INT64_T, inits, 1, MPI_INT64_T, 0, WORLD);
    for (int i = 0; rank == 0 && i < count; i++) {
        members = cases[i / REPEATS]->members;
        for (int r = 0; r < size; r++)
            print_waits(cases[i / REPEATS], &all[i], count, r);
    }
    if (rank == 0)
        print_init(inits);
    free(all);
    free(inits);
    MPI_Win_free(&window);
    MPI_Win_free(&fenced);
    MPI_Win_free(&paired);
    MPI_File_close(&file);
    start = now_ns() + 20000000;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, WORLD);
    MPI_Pcontrol(1);
    sleep_until(start + (late && rank == size - 1 ? 4 * DELAY_MS * INT64_C(1000000) : 0));
    printf("finalize\t%d\t%lld\n", rank, (long long)now_ns());
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
