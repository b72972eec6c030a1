/* members.c - sets and finds the marks, and reports processes without one (members.h). */
#include "members.h"

#include "launcher.h"
#include "real.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAIT_S = 10 };

static char job[80]; /* "": unknown, or marks are not possible */
static char ranks_text[200];
static int mark = -1;
static int here; /* processes of the job on this machine; 0: the launcher gives no number */

/* ---- The name of the job ----------------------------------------------------------------------------------------- */

static FILE *open_of(const char *format, long pid)
{
    char path[64];
    snprintf(path, sizeof path, format, pid);
    return fopen(path, "re");
}

/* Reads fields 4 and 22 of /proc/PID/stat; the name in field 2 may contain blanks. */
static int look_at(long pid, long *parent, unsigned long long *start)
{
    char text[1024];
    FILE *file = open_of("/proc/%ld/stat", pid);
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *at = strrchr(text, ')');
    return at && sscanf(at + 1, " %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                        parent, start) == 2;
}

/* 1: the process has a rank too, so it is a script between the launcher and this process. */
static int has_rank(long pid)
{
    FILE *file = open_of("/proc/%ld/environ", pid);
    char *text = NULL;
    size_t room = 0;
    int found = 0;
    while (file && !found && getdelim(&text, &room, 0, file) > 0)
        found = !strncmp(text, "PMI_RANK=", 9) || !strncmp(text, "OMPI_COMM_WORLD_RANK=", 21);
    free(text);
    if (file)
        fclose(file);
    return found;
}

/* Names the job by the number and start time of the launcher's process on this machine, and the launcher's own number
 * of the job, as it may start several. */
static void name_job(const char *library)
{
    const char *own = getenv("PMIX_NAMESPACE");
    unsigned long long start;
    long pid = getpid(), parent;
    do {
        if (!look_at(pid, &parent, &start) || parent < 1)
            return;
        pid = parent;
    } while (has_rank(pid));
    if (look_at(pid, &parent, &start))
        snprintf(job, sizeof job, "pith-%s-%ld-%llu-%.30s", library, pid, start, own ? own : "");
}

/* ---- Marks ------------------------------------------------------------------------------------------------------- */

static socklen_t name_mark(struct sockaddr_un *name, int rank)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int size = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "%s-%d", job, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static int open_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

static void close_mark(void)
{
    if (mark >= 0)
        close(mark);
    mark = -1;
}

void pithi_members_mark(const char *library)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    struct sockaddr_un name;
    if (mark >= 0 || !(local = local ? local : getenv("MPI_LOCALNRANKS")) || (here = atoi(local)) < 2)
        return;
    name_job(library);
    socklen_t size = name_mark(&name, pithi_launcher_rank(0));
    if (job[0] && ((mark = open_socket()) < 0 || bind(mark, (struct sockaddr *)&name, size) != 0)) {
        close_mark();
        job[0] = 0;
    }
}

/* Finds the ranks with marks. Returns their number; 0: unknown. */
static int find_marked(int *ranks, int size)
{
    struct sockaddr_un name;
    int probe = open_socket(), count = 0;
    for (int i = 0; i < size && probe >= 0; i++) {
        socklen_t length = name_mark(&name, i);
        if (connect(probe, (struct sockaddr *)&name, length) == 0)
            ranks[count++] = i;
    }
    if (probe >= 0)
        close(probe);
    return count;
}

/* ---- Reporting a long wait --------------------------------------------------------------------------------------- */

static int pipe_fds[2];
static pthread_t watcher;
static int is_watching;

/* Reports a long wait, unless the pipe closes first because the others have arrived. */
static void *watch(void *unused)
{
    struct pollfd fd = {pipe_fds[0], POLLIN, 0};
    (void)unused;
    if (poll(&fd, 1, 1000 * WAIT_S) == 0)
        fprintf(
            stderr,
            "pith: waiting in MPI_Init for processes that do not come; over several machines all processes of a job "
            "must be started with pith run\n");
    return NULL;
}

static void begin_watching(void)
{
    sigset_t all, old;
    if (is_watching || pipe2(pipe_fds, O_CLOEXEC) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    is_watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!is_watching) {
        close(pipe_fds[0]);
        close(pipe_fds[1]);
    }
}

void pithi_members_end(void)
{
    close_mark();
    if (!is_watching)
        return;
    close(pipe_fds[1]);
    pthread_join(watcher, NULL);
    close(pipe_fds[0]);
    is_watching = 0;
}

/* ---- After MPI_Init ---------------------------------------------------------------------------------------------- */

const char *pithi_members_ranks(void) { return ranks_text; }

/* Writes "0-2,5", shortened to the room. */
static void describe(const int *ranks, int count)
{
    size_t used = 0;
    for (int i = 0, last; i < count && used + 30 < sizeof ranks_text; i = last + 1) {
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1;)
            last++;
        used += (size_t)snprintf(ranks_text + used, sizeof ranks_text - used, i == last ? "%s%d" : "%s%d-%d",
                                 i ? "," : "", ranks[i], ranks[last]);
    }
    if (used + 30 >= sizeof ranks_text)
        snprintf(ranks_text + used, sizeof ranks_text - used, "...");
}

static MPI_Group group_of(const int *ranks, int count)
{
    MPI_Group world, members = MPI_GROUP_NULL;
    if (REAL(MPI_Comm_group)(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return MPI_GROUP_NULL;
    REAL(MPI_Group_incl)(world, count, ranks, &members);
    REAL(MPI_Group_free)(&world);
    return members;
}

/* The launcher of another MPI starts many jobs of one process each; without this line nobody would notice. */
static void say_alone(void)
{
    const char *open = getenv("OMPI_COMM_WORLD_SIZE"), *started = open ? open : getenv("PMI_SIZE");
    if (started && atoi(started) > 1 && pithi_launcher_rank(0) == 0 && !pithi_is_quiet())
        fprintf(stderr,
                "pith: %d processes were started, but each is a job of its own with 1 rank: the program's MPI "
                "is " PITHI_MPI_KIND ", the mpiexec that of another one\n",
                atoi(started));
}

static void say(int count, int size, const char *follows)
{
    char ranks[64];
    snprintf(ranks, sizeof ranks, "they are ranks 0 to %d here", count - 1);
    if (!pithi_is_quiet())
        fprintf(stderr, "pith: of %d processes %d were started with pith run (%s); %s\n", size, count, ranks_text,
                follows ? follows : ranks);
}

MPI_Group pithi_members_find(const char *follows)
{
    MPI_Group members = MPI_GROUP_NULL;
    int size, rank, count, *ranks;
    REAL(MPI_Comm_size)(MPI_COMM_WORLD, &size);
    REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    if (size == 1)
        say_alone();
    if (!(ranks = malloc((size_t)size * sizeof *ranks)))
        return MPI_GROUP_NULL;
    count = job[0] ? find_marked(ranks, size) : 0;
    if (count > 0 && here == size && count < size) {
        describe(ranks, count);
        members = group_of(ranks, count);
        if (rank == ranks[0])
            say(count, size, follows);
    } else if ((here != size || count == 0) && size > 1 && rank == (count > 0 ? ranks[0] : 0)) {
        begin_watching();
    }
    free(ranks);
    return members;
}
