/* stacks.c - computes 20 calls deep, always the same amount; prints the CPU time that it took, in ns. Argument "floor":
 * a timer interrupts it each ms of wall-clock time with a handler that does nothing; how often, goes to stderr. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static volatile double sink;

__attribute__((noinline, noclone)) static double descend(int calls, double x)
{
    if (calls > 0)
        x = descend(calls - 1, x);
    else
        for (int i = 0; i < 2000; i++)
            x = x * 0.999999 + 1.0;
    sink = x;
    return x;
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static volatile sig_atomic_t ticks;

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    ticks++;
}

static void interrupt_each_ms(void)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX};
    struct itimerspec each_ms = {{0, 1000000}, {0, 1000000}};
    timer_t timer;
    sigfillset(&action.sa_mask);
    if (sigaction(SIGRTMAX, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &each_ms, NULL);
}

int main(int argc, char **argv)
{
    double begin;
    MPI_Init(&argc, &argv);
    if (argc > 1)
        interrupt_each_ms();
    begin = cpu_ns();
    for (int i = 0; i < 200000; i++)
        sink = descend(20, sink);
    printf("%.0f\n", cpu_ns() - begin);
    if (argc > 1)
        fprintf(stderr, "%d\n", (int)ticks);
    MPI_Finalize();
    return 0;
}
