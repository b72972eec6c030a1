/* peak.c FILE COMMAND... - runs COMMAND and writes to FILE how many seconds it took and how many MiB it had in memory
 * at most, on one line; how many seconds of processor time, on another; how many page faults, on a third. Exits as
 * COMMAND does. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

int main(int argc, char **argv)
{
    double begin = now_s();
    struct rusage used;
    FILE *out;
    int status;
    pid_t pid = argc > 2 ? fork() : -1;

    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid || (out = fopen(argv[1], "w")) == NULL)
        return 1;
    fprintf(out, "%.4f %.1f\n", now_s() - begin, (double)used.ru_maxrss / 1024);
    fprintf(out, "%.4f\n", seconds(used.ru_utime) + seconds(used.ru_stime));
    fprintf(out, "%ld\n", used.ru_minflt + used.ru_majflt);
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
