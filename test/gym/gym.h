/* gym.h - what the programs of the gym share. Each program has several modes; a mode is a small parallel program with
 * one planted cause, of known size:
 *
 *     gym_messages late_sender             the sick program
 *     gym_messages late_sender cured       the same without the cause
 *     gym_collectives tree_bcast 1         rank 1 is late
 *
 * A mode is a function that is called once for each step. Ranks sleep for SHORT_MS, the late one for LONG_MS, in a
 * state of pith.h or (name NULL) outside all states. Where n ranks meet in each step, n - 1 of them wait LONG_MS -
 * SHORT_MS, which is (n - 1) / n * 40 / 60 of all ranks' time: 0.333 for 2 ranks, 0.5 for 4.
 */
#ifndef GYM_H
#define GYM_H

#include <mpi.h>
#include <pith.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHORT_MS = 20, LONG_MS = 60, STEPS = 8 };

struct mode {
    const char *name;
    void (*step)(int i);
    int steps;
    int late; /* the rank that is late; an argument of the program may name another one */
};

static int rank, size, late, sick = 1;

static void work(const char *state, double ms)
{
    struct timespec time = {(time_t)(ms / 1000), (long)((ms - 1000 * (int)(ms / 1000)) * 1e6)};
    uint32_t id = state ? pith_state_define(state, NULL) : 0;

    if (state)
        pith_begin(id);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) != 0)
        ;
    if (state)
        pith_end(id);
}

/* The same work on all ranks, but longer on the late one. */
static inline void uneven(const char *state) { work(state, sick && rank == late ? LONG_MS : SHORT_MS); }

static inline void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* For causes whose size sleeping does not give: what this rank lost, of what it ran. Call it on all ranks. */
static inline void tell_share(double lost, double run)
{
    double mine[2] = {lost, run}, all[2];

    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("planted %.4f\n", all[0] / all[1]);
}

static int run_mode(int argc, char **argv, const struct mode *modes, int count)
{
    const struct mode *mode = NULL;

    for (int i = 0; i < count && argc > 1; i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            mode = &modes[i];
    if (!mode) {
        fprintf(stderr, "%s: no such mode\n", argv[0]);
        return 2;
    }
    late = mode->late;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "cured") == 0)
            sick = 0;
        else
            late = atoi(argv[i]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    meet(); /* ranks leave MPI_Init at different times */
    for (int i = 0; i < mode->steps; i++)
        mode->step(i);
    return 0;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* A program without threads of its own. */
#define GYM_MAIN(modes)                                                                                                \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        MPI_Init(&argc, &argv);                                                                                        \
        int status = run_mode(argc, argv, modes, COUNT(modes));                                                        \
        MPI_Finalize();                                                                                                \
        return status;                                                                                                 \
    }

#endif
