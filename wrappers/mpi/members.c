/* members.c - sets and finds the marks of processes, and reports processes that have no mark (members.h).
 *
 * A mark is a socket in the abstract name space of Linux, which needs no file and disappears with its process. Its name
 * has the job, the protocol and the rank. The job is named after the process that started this one: by the number and,
 * since numbers are reused, the start time of that process:
 *
 *     pith-log-4711-889900--p7-0        rank 0 of the job that process 4711, started at tick 889900, has started
 *
 * To find out whether rank 5 is recorded, a process tries to connect to the name of rank 5's mark. This succeeds if
 * rank 5 has bound that name.
 */
#include "members.h"

#include "base/launcher.h"
#include "base/say.h"
#include "pith_tool.h"
#include "ranks.h"
#include "real.h"

#include <dirent.h>
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

enum { WAIT_S = 10 }; /* seconds until a wait in MPI_Init is reported */

static char job[80]; /* the common part of the marks' names; "": no marks */
static char ranks_text[200];
static int mark = -1, any_mark = -1; /* sockets bound to the marks of this protocol and of protocol 0; -1: none */
static int here;                     /* count of processes of the job on this machine; 0: unknown */
static struct starter {
    long pid;                 /* 0: unknown */
    unsigned long long start; /* ticks since boot, as in /proc/PID/stat */
    int is_near;              /* 1: it is mpiexec itself, which may have started all processes on this machine */
} launcher;

/* ---- The name of the job ----------------------------------------------------------------------------------------- */

/* Opens /proc/PID/NAME. pid 0 stands for this process: /proc may belong to another name space, in which this process
 * has another number. */
static FILE *open_of(long pid, const char *name)
{
    char path[64], number[24] = "self";
    if (pid)
        snprintf(number, sizeof number, "%ld", pid);
    snprintf(path, sizeof path, "/proc/%s/%s", number, name);
    return fopen(path, "re");
}

/* Reads fields 2 (name), 4 (parent) and 22 (start time) of /proc/PID/stat; the name may contain blanks. Returns 0 on an
 * error. */
static int look_at(long pid, char name[16], long *parent, unsigned long long *start)
{
    char text[1024];
    FILE *file = open_of(pid, "stat");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = 0;
    const char *from = strchr(text, '('), *at = strrchr(text, ')');
    if (!from || !at)
        return 0;
    snprintf(name, 16, "%.*s", (int)(at - from - 1), from + 1);
    return sscanf(at + 1, " %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", parent,
                  start) == 2;
}

/* Returns the rank that the launcher gave to a process; -1 if the process has no rank, or the rank is unknown. Stores
 * in `space` the launcher's own name of the job, which is the process's PMIX_NAMESPACE, or "". */
static int rank_of(long pid, char space[40])
{
    /* The variable in which this process has its rank; all processes of a job have the same one. */
    static const char *const variables[] = {PITHI_RANK_VARIABLES, NULL};
    const char *value, *given = pithi_launcher_variable(variables, &value);
    const char *variable = given ? given : "";
    size_t length = strlen(variable), room = 0;
    FILE *file = open_of(pid, "environ");
    char *text = NULL;
    int found = -1;
    *space = 0;
    while (file && getdelim(&text, &room, 0, file) > 0) {
        if (!strncmp(text, "PMIX_NAMESPACE=", 15))
            snprintf(space, 40, "%.39s", text + 15);
        if (!strncmp(text, variable, length) && text[length] == '=')
            found = atoi(text + length + 1);
    }
    free(text);
    if (file)
        fclose(file);
    return found;
}

/* Returns 1 if this is the name of a program that starts the processes of a job. The system gives only the first 15
 * bytes of a program's name. */
static int is_starter(const char *name)
{
    static const char *const names[] = {"hydra_pmi_proxy", "mpiexec", "mpirun", "orterun",    "orted",
                                        "prterun",         "prted",   "palsd",  "slurmstepd", "flux-shell"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcspn(name, ".") == strlen(names[i]) && !strncmp(name, names[i], strlen(names[i])))
            return 1;
    return 0;
}

/* Finds the launcher of a process. This is the nearest ancestor that has no rank or has the name of a launcher. Other
 * ancestors with a rank are scripts between the launcher and the program. A launcher may have a rank itself, because it
 * may run inside another job. Examples are an mpiexec in a batch script of Slurm or in a shell that srun started.
 * MPICH's mpiexec starts a helper (hydra_pmi_proxy) for each host name, even if several names mean this machine. So the
 * helper's parent, mpiexec, counts as the launcher. */
static struct starter launcher_of(long pid)
{
    struct starter found = {0}, none = {0};
    char space[40], name[16], above[16];
    long parent, next;
    do {
        if (!look_at(pid, name, &parent, &found.start) || parent < 1)
            return none;
        pid = parent;
        if (!look_at(pid, name, &parent, &found.start))
            return none;
    } while (!is_starter(name) && rank_of(pid, space) >= 0);
    found.pid = pid;
    if (!strcmp(name, "hydra_pmi_proxy") && look_at(parent, above, &next, &none.start) && !strncmp(above, "mpi", 3))
        found = (struct starter){parent, none.start, 1};
    return found;
}

/* Counts the processes of the job on this machine: processes with different ranks that the same process started. */
static int count_here(int size)
{
    const char *own = secure_getenv("PMIX_NAMESPACE");
    char space[40], *seen = calloc((size_t)size, 1);
    DIR *folder = seen ? opendir("/proc") : NULL;
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        long pid = atol(entry->d_name);
        int rank = pid > 0 ? rank_of(pid, space) : -1;
        if (rank < 0 || rank >= size || seen[rank] || strcmp(space, own ? own : "") != 0 ||
            launcher_of(pid).pid != launcher.pid)
            continue;
        seen[rank] = 1;
        count++;
    }
    if (folder)
        closedir(folder);
    free(seen);
    return count;
}

/* ---- Marks ------------------------------------------------------------------------------------------------------- */

/* Sets *name to the name of a rank's mark, and returns the name's length. The name contains the protocol, so processes
 * with different protocols do not find each other. Every process also has a mark of protocol 0, by which processes of
 * all protocols are found. */
static socklen_t name_mark(struct sockaddr_un *name, int protocol, int rank)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int size = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "%s-p%d-%d", job, protocol, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static int open_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }

static int open_mark(int protocol)
{
    struct sockaddr_un name;
    socklen_t size = name_mark(&name, protocol, pithi_launcher_rank(0));
    int fd = open_socket();
    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void pithi_members_end(void)
{
    if (mark >= 0)
        close(mark);
    if (any_mark >= 0)
        close(any_mark);
    mark = any_mark = -1;
}

void pithi_members_mark(const char *library)
{
    const char *local = secure_getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    local = local ? local : secure_getenv("MPI_LOCALNRANKS");
    here = local ? atoi(local) : 0;
    if (mark >= 0 || pithi_launcher_rank(-1) < 0)
        return;
    /* The job's name consists of the number and start time of the launcher's process on this machine, and of the
     * launcher's own name of the job, because a launcher may start several jobs. */
    const char *own = secure_getenv("PMIX_NAMESPACE");
    launcher = launcher_of(0);
    if (launcher.pid)
        snprintf(job, sizeof job, "pith-%s-%ld-%llu-%.30s", library, launcher.pid, launcher.start, own ? own : "");
    if (here == 1 && !launcher.is_near) /* no other process of the job is on this machine */
        job[0] = 0;
    if (job[0] && ((mark = open_mark(PITH_PROTOCOL)) < 0 || (any_mark = open_mark(0)) < 0)) {
        pithi_members_end();
        job[0] = 0;
    }
}

/* Stores in `ranks` the ranks that have a mark of this protocol. Returns their count; 0 if it cannot be found out. */
static int find_marked(int *ranks, int size, int protocol)
{
    struct sockaddr_un name;
    int probe = open_socket(), count = 0;
    for (int i = 0; i < size && probe >= 0; i++) {
        socklen_t length = name_mark(&name, protocol, i);
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
static int is_watching; /* 1: the thread runs */

/* The watcher thread: reports a long wait, unless the pipe closes first because the other processes have arrived. */
static void *watch(void *unused)
{
    struct pollfd fd = {pipe_fds[0], POLLIN, 0};
    (void)unused;
    if (poll(&fd, 1, 1000 * WAIT_S) == 0)
        fprintf(
            stderr,
            "pith: waiting in MPI_Init for processes that do not come; over several machines all processes of a job "
            "must be started with pith run of the same version\n");
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

/* ---- After MPI_Init ---------------------------------------------------------------------------------------------- */

const char *pithi_members_ranks(void) { return ranks_text; }

/* Writes a list such as "0-2,5"; ends with "..." if there is no room. */
static void describe(char *text, size_t room, const int *ranks, int count)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0, last; i < count && used + 30 < room; i = last + 1) {
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1;)
            last++;
        used += (size_t)snprintf(text + used, room - used, i == last ? "%s%d" : "%s%d-%d", i ? "," : "", ranks[i],
                                 ranks[last]);
    }
    if (used + 30 >= room)
        snprintf(text + used, room - used, "...");
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

/* Prints a line if the launcher belongs to another MPI, so that each process is a job of its own. Nothing else would
 * show the user this mistake. */
static void say_alone(void)
{
    const char *open = secure_getenv("OMPI_COMM_WORLD_SIZE"), *started = open ? open : secure_getenv("PMI_SIZE");
    const char *steps = secure_getenv("SLURM_PTY_PORT") ? NULL : secure_getenv("SLURM_STEP_NUM_TASKS");
    const char *why = "the mpiexec that of another one";
    int rank = pithi_launcher_rank(0);
    if ((!started || atoi(started) == 1) && steps) { /* (a shell that srun --pty started is not a rank) */
        /* pithi_launcher_rank may have read a variable that MPI_Init set, so this reads Slurm's own variable. */
        const char *number = secure_getenv("SLURM_PROCID");
        rank = number ? atoi(number) : 0;
        started = steps;
        why = "which srun did not connect; see srun --mpi=list";
    }
    if (started && atoi(started) > 1 && rank == 0 && !pithi_is_quiet())
        pithi_say("%d processes were started, but each is a job of its own with 1 rank: the program's MPI "
                  "is " PITHI_MPI_KIND ", %s",
                  atoi(started), why);
}

/* Prints which processes are recorded. `others`: the ranks with another version of Pith. `follows`: as in
 * pithi_members_find. */
static void say(int count, int size, const int *others, int other_count, const char *follows)
{
    char ranks[64], other[64], apart[200] = "";
    if (pithi_is_quiet())
        return;
    describe(other, sizeof other, others, other_count);
    if (other_count > 0)
        snprintf(apart, sizeof apart, " and %d with another version of it (%s), which cannot work together",
                 other_count, other);
    snprintf(ranks, sizeof ranks, "%s are ranks 0 to %d here", other_count > 0 ? "the former" : "they", count - 1);
    pithi_say("of %d processes %d were started with pith run (%s)%s; %s", size, count, ranks_text, apart,
              follows ? follows : ranks);
}

/* Compares the versions of Pith in all processes by MPI calls on a communicator of the recorder. It is used if the
 * marks do not show the versions. Stores the ranks with this process's version in `ranks`, and all other ranks in
 * `others`. Returns the count of `ranks`; `size` if all processes have this version or the comparison failed. */
static int compare_versions(int *ranks, int *others, int size)
{
    MPI_Comm comm = pithi_own_comm(MPI_GROUP_NULL);
    int own = PITH_PROTOCOL, ends[2] = {own, -own}, count = 0, other_count = 0;
    if (comm == MPI_COMM_NULL)
        return size;
    if (REAL(MPI_Allreduce)(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && ends[0] != -ends[1] &&
        REAL(MPI_Allgather)(&own, 1, MPI_INT, others, 1, MPI_INT, comm) == MPI_SUCCESS)
        for (int i = 0; i < size; i++)
            *(others[i] == own ? &ranks[count++] : &others[other_count++]) = i;
    REAL(MPI_Comm_free)(&comm);
    return count > 0 ? count : size;
}

/* Stores in `others` the ranks that have a mark of protocol 0, but none of this process's protocol, and returns their
 * count. `ranks`: those that have one of this process's protocol. */
static int find_others(int *others, int size, const int *ranks, int count)
{
    int marked = find_marked(others, size, 0), other_count = 0;
    for (int i = 0, next = 0; i < marked; i++) {
        while (next < count && ranks[next] < others[i])
            next++;
        if (next == count || ranks[next] != others[i])
            others[other_count++] = others[i];
    }
    return other_count;
}

MPI_Group pithi_members_find(const char *follows)
{
    MPI_Group members = MPI_GROUP_NULL;
    int size, rank, count, other_count = 0, *ranks, *others;
    REAL(MPI_Comm_size)(MPI_COMM_WORLD, &size);
    REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    if (size == 1) {
        say_alone();
        return MPI_GROUP_NULL;
    }
    if (!(ranks = malloc((size_t)size * 2 * sizeof *ranks)))
        return MPI_GROUP_NULL;
    others = ranks + size;
    count = job[0] ? find_marked(ranks, size, PITH_PROTOCOL) : 0;
    if (count > 0 && count < size && (here == 0 || (here < size && launcher.is_near)))
        here = count_here(size);
    /* If all processes are on this machine, the marks show everything. Otherwise the versions are compared by MPI. */
    if (count > 0 && count < size && here == size) {
        other_count = find_others(others, size, ranks, count);
    } else if (count < size) {
        if (rank == (count > 0 ? ranks[0] : 0))
            begin_watching();
        count = compare_versions(ranks, others, size);
        other_count = size - count;
        if (is_watching) {
            close(pipe_fds[1]);
            pthread_join(watcher, NULL);
            close(pipe_fds[0]);
            is_watching = 0;
        }
    }
    if (count < size) {
        describe(ranks_text, sizeof ranks_text, ranks, count);
        members = group_of(ranks, count);
        if (rank == ranks[0])
            say(count, size, others, other_count, follows);
    }
    free(ranks);
    return members;
}
