/* sampled_signals.c - programs that use signals in ways that could end sampling, or show them our signal. Each computes
 * for a tenth of a second in two threads. `sampled_signals HOW`:
 * reset: sets all signals to their default again and again; ignore: ignores all; blocked: blocks all before MPI_Init,
 * in all threads; wait: waits for each signal of a full set; fd: reads all signals from a descriptor; realtime: handles
 * all real-time signals and gets its own; small, tiny: its handlers run on a stack of 8 KiB, or of the least that the
 * system takes and 512 bytes; setuid: sets its user in all threads; cancel: cancels a thread; exec: replaces itself,
 * sampled, by `sampled_signals reset`. `sampled_signals HOW SECONDS`: so long. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const char *how;
static double seconds = 0.1;
static volatile double sink;
static volatile sig_atomic_t seen[65], all_seen;

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work(void)
{
    double x = 1;
    for (int i = 0; i < 100000; i++)
        x = x * 0.999999 + 1.0;
    sink = x;
}

static void on_signal(int number)
{
    seen[number]++;
    all_seen++;
    if (strcmp(how, "small") == 0 || strcmp(how, "tiny") == 0)
        work();
}

static void set_all(void (*handler)(int))
{
    for (int i = 1; i < NSIG; i++)
        signal(i, handler);
}

static int on_stack(size_t size)
{
    char *stack = malloc(size);
    stack_t own = {.ss_sp = stack, .ss_size = size}, now;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, old;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGKILL); /* the kernel does */
    sigdelset(&action.sa_mask, SIGSTOP);
    if (sigaction(SIGUSR1, &action, NULL) != 0 || sigaltstack(&own, NULL) != 0 ||
        sigaction(SIGUSR2, &action, NULL) != 0)
        return 0;
    /* What it set is what it reads. */
    return sigaltstack(NULL, &now) == 0 && now.ss_sp == stack && now.ss_size == size &&
           sigaction(SIGUSR2, NULL, &old) == 0 && old.sa_handler == on_signal && old.sa_flags & SA_ONSTACK &&
           memcmp(&old.sa_mask, &action.sa_mask, 8) == 0 && sigaction(SIGUSR1, NULL, &old) == 0 &&
           memcmp(&old.sa_mask, &action.sa_mask, 8) == 0;
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static int is_silent(void)
{
    static const struct timespec now = {0, 0};
    struct signalfd_siginfo read_info;
    siginfo_t info;
    sigset_t all, pending;
    int fd;
    sigfillset(&all);
    if (sigpending(&pending) != 0 || !sigisemptyset(&pending))
        return 0;
    if (strcmp(how, "wait") == 0)
        return sigtimedwait(&all, &info, &now) < 0;
    fd = signalfd(-1, &all, SFD_NONBLOCK);
    int got = (int)read(fd, &read_info, sizeof read_info);
    close(fd);
    return got < 0;
}

static void *second(void *unused)
{
    double until = cpu() + seconds;
    while (cpu() < until)
        work();
    return unused;
}

static void *waits(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int compute(void)
{
    double until = cpu() + seconds;
    while (cpu() < until) {
        work();
        if (strcmp(how, "reset") == 0)
            set_all(SIG_DFL);
        else if (strcmp(how, "ignore") == 0)
            set_all(SIG_IGN);
        else if (strcmp(how, "wait") == 0 || strcmp(how, "fd") == 0) {
            if (!is_silent())
                return 0;
        } else if (strcmp(how, "small") == 0 || strcmp(how, "tiny") == 0) {
            raise(SIGUSR1);
            raise(SIGUSR2);
        } else if (strcmp(how, "setuid") == 0 && (setegid(getegid()) != 0 || seteuid(geteuid()) != 0))
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int rank, provided, good = 1;
    size_t least = getauxval(51) > 2048 ? getauxval(51) : 2048; /* AT_MINSIGSTKSZ */
    pthread_t thread, other;
    void *result;
    how = argc > 1 ? argv[1] : "";
    seconds = argc > 2 ? atof(argv[2]) : seconds;
    if (strcmp(how, "exec") == 0) {
        for (int i = 0; i < 200; i++)
            work();
        execl(argv[0], argv[0], "reset", argv[2], (char *)NULL);
    }
    if (strcmp(how, "blocked") == 0)
        block_all();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "wait") == 0 || strcmp(how, "fd") == 0)
        block_all();
    if (strcmp(how, "small") == 0)
        good = on_stack(8192 > least ? 8192 : least);
    if (strcmp(how, "tiny") == 0)
        good = on_stack(least + 512);
    if (strcmp(how, "realtime") == 0)
        for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
            signal(i, on_signal);
    pthread_create(&thread, NULL, second, NULL);
    good &= compute();
    if (strcmp(how, "realtime") == 0) {
        good &= all_seen == 0;
        for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
            raise(i);
            good &= seen[i] == 1;
        }
    }
    pthread_join(thread, NULL);
    if (strcmp(how, "cancel") == 0) {
        pthread_create(&other, NULL, waits, NULL);
        good &= pthread_cancel(other) == 0 && pthread_join(other, &result) == 0 && result == PTHREAD_CANCELED;
    }
    if (strcmp(how, "small") == 0 || strcmp(how, "tiny") == 0)
        good &= seen[SIGUSR1] > 0 && seen[SIGUSR1] == seen[SIGUSR2];
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", good ? "well" : "not well");
    MPI_Finalize();
    return 0;
}
