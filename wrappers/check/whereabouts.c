/* whereabouts.c - maps the shared memory of the processes of a host, and reads it for reports (whereabouts.h).
 *
 * A process that waits in a collective cannot ask the missing processes by messages, because these processes are not in
 * MPI, or hang. So each process stores its present MPI call in memory that all processes of its host share:
 *
 *     rank 2 in MPI_Recv from 1, tag 7     role FROM, peer 1, tag 7, function MPI_Recv
 *     report of rank 0                     "rank 2, which is in MPI_Recv from 1, tag 7"
 *
 * Storing the call takes a few store instructions. The calls of processes on other hosts stay unknown. */
#include "whereabouts.h"

#include "check.h"
#include "base/launcher.h"
#include "host_comm.h"
#include "team.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* THREADS: how many slots for threads a process has; NAMED: the most ranks that a report names */
enum { THREADS = 8, NAMED = 4 };

struct process {
    int is_over, threads;               /* is_over: 1: the process has ended; threads: how many threads it has */
    struct pithi_where thread[THREADS]; /* the calls of its threads; further threads share the last slot */
};
static struct process *table; /* the processes of this host, by their ranks on it; NULL: no shared memory */
static struct process *self;  /* this process's element of `table`; NULL: no shared memory */
static int *local_of;         /* [world_size] the rank on this host of each world rank; -1: it is on another host */
static int world_size;

static __thread struct pithi_where nowhere; /* what pithi_where points to if there is no shared memory */
__thread struct pithi_where *pithi_where;   /* this thread's slot; NULL: not chosen yet */
int pithi_where_rank = -1;
const char *pithi_where_prefix = "";

/* ---- the memory -------------------------------------------------------------------------------------------------- */

/* Maps the shared memory. Returns NULL in all processes of the host if a process cannot map it. */
static struct process *map(MPI_Comm host, int rank, int count)
{
    char name[64] = "";
    size_t size = (size_t)count * sizeof(struct process);
    void *memory = MAP_FAILED;
    int fd = -1, good;

    /* The name of the memory is removed as soon as all processes have mapped the memory, so that nothing remains after
     * a crash. */
    if (rank == 0) {
        snprintf(name, sizeof name, "/pith-check-%ld", (long)getpid());
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
            memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    REAL(MPI_Bcast)(name, sizeof name, MPI_CHAR, 0, host);
    if (rank != 0 && (fd = shm_open(name, O_RDWR, 0)) >= 0)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    /* If one process cannot map the memory, no process uses it. Otherwise the others would conclude that this process
     * is not in MPI. */
    good = memory != MAP_FAILED;
    REAL(MPI_Allreduce)(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, host);
    if (rank == 0)
        shm_unlink(name);
    return good ? memory : NULL;
}

void pithi_where_begin(MPI_Comm ours)
{
    MPI_Comm host, parent = MPI_COMM_NULL;
    int rank, count;

    REAL(MPI_Comm_rank)(MPI_COMM_WORLD, &pithi_where_rank);
    REAL(MPI_Comm_size)(MPI_COMM_WORLD, &world_size);
    if (REAL(MPI_Comm_get_parent)(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        pithi_where_prefix = "spawned ";
    if (pithi_host_comm(ours, pithi_where_rank, &host) != MPI_SUCCESS)
        return;
    REAL(MPI_Comm_rank)(host, &rank);
    REAL(MPI_Comm_size)(host, &count);
    int *ranks = calloc((size_t)count, sizeof *ranks);

    local_of = malloc((size_t)world_size * sizeof *local_of);
    for (int i = 0; local_of && i < world_size; i++)
        local_of[i] = -1;
    if (ranks)
        REAL(MPI_Allgather)(&pithi_where_rank, 1, MPI_INT, ranks, 1, MPI_INT, host);
    for (int i = 0; ranks && local_of && i < count; i++)
        local_of[ranks[i]] = i;
    free(ranks);
    table = map(host, rank, count);
    if (table)
        self = &table[rank];
    REAL(MPI_Comm_free)(&host);
}

/* See whereabouts.h. Without this note, a process that has ended would look like a process that computes. */
void pithi_where_end(void)
{
    if (self)
        __atomic_store_n(&self->is_over, 1, __ATOMIC_RELAXED);
}

/* A destructor, so that it also runs in a process that does not call MPI_Finalize. */
__attribute__((destructor)) static void end_of_process(void) { pithi_where_end(); }

/* Chooses this thread's slot. Before MPI_Init this is a variable outside the shared memory. */
static struct pithi_where *place(void)
{
    if (!self)
        return &nowhere;
    /* If there are more than THREADS threads, several threads share the last slot, which then has the last call that
     * one of them stored. */
    int mine = __atomic_fetch_add(&self->threads, 1, __ATOMIC_RELAXED);
    return &self->thread[mine < THREADS ? mine : THREADS - 1];
}

void pithi_where_set(int function)
{
    if (!pithi_where || (pithi_where == &nowhere && self))
        pithi_where = place();
    __atomic_store_n(&pithi_where->role, PITHI_WHERE_ALONE, __ATOMIC_RELAXED);
    __atomic_store_n(&pithi_where->function, function, __ATOMIC_RELAXED);
}

void pithi_where_message(int role, int peer, int tag)
{
    pithi_where->peer = peer;
    pithi_where->tag = tag;
    /* Nothing orders these stores for readers, so a report may show the peer or tag of an earlier call. */
    __atomic_store_n(&pithi_where->role, role, __ATOMIC_RELAXED);
}

/* ---- missing processes ------------------------------------------------------------------------------------------- */

struct text {
    char *at;    /* the next byte */
    size_t left; /* bytes left, with the final 0 */
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int size = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    size_t took = size < 0 ? 0 : (size_t)size < text->left ? (size_t)size : text->left - 1;
    text->at += took;
    text->left -= took;
}

/* Returns 1 if the thread waits for others and `text` describes its present call. */
static int is_named(const struct pithi_where *where)
{
    return where->team && __atomic_load_n(&where->named, __ATOMIC_ACQUIRE) == where->call;
}

/* Adds to the text what a process does: the calls of its threads that are in MPI, or that it is not in MPI. */
static void add_process(struct text *text, const struct process *process, int rank)
{
    int known = 0, threads = process->threads < THREADS ? process->threads : THREADS;

    add(text, "%srank %d, which ", pithi_where_prefix, rank);
    if (process->is_over) {
        add(text, "has ended");
        return;
    }
    for (int i = 0; i < threads; i++)
        if (process->thread[i].function) {
            add(text, "%s", known++ ? " and " : "");
            add(text, "is in %s", pithi_check_names[process->thread[i].function - 1]);
            if (process->thread[i].role != PITHI_WHERE_ALONE) {
                const char *to = process->thread[i].role == PITHI_WHERE_TO ? "to" : "from";
                if (process->thread[i].peer == MPI_ANY_SOURCE)
                    add(text, " %s anyone", to);
                else
                    add(text, " %s %d", to, process->thread[i].peer);
                if (process->thread[i].tag == MPI_ANY_TAG)
                    add(text, ", any tag");
                else
                    add(text, ", tag %d", process->thread[i].tag);
            }
            if (is_named(&process->thread[i]))
                add(text, " %s", process->thread[i].text);
        }
    if (!known)
        add(text, "is not in MPI");
}

/* Returns 1 if a thread of the process waits in this call of this team. */
static int is_waiting(const struct process *process, uint64_t team, uint64_t call)
{
    for (int i = 0; i < THREADS; i++)
        if (process->thread[i].team == team && process->thread[i].call == call)
            return 1;
    return 0;
}

/* Returns 1 if a thread of the process waits for others and has not stored its text yet. */
static int is_vague(const struct process *process)
{
    for (int i = 0; i < THREADS; i++)
        if (process->thread[i].team && !is_named(&process->thread[i]))
            return 1;
    return 0;
}

int pithi_where_missing(struct pithi_where_call *of, char *text, size_t size)
{
    struct text out = {text, size};
    int missing = 0, unseen = 0, first = 1;

    if (!table)
        return 0;
    /* ranks: for each rank of the shadow, its rank in MPI_COMM_WORLD */
    MPI_Group group;
    int count, *ranks;

    REAL(MPI_Comm_group)(of->shadow, &group);
    ranks = pithi_team_places(group, MPI_COMM_WORLD, &count);
    REAL(MPI_Group_free)(&group);

    for (int i = 0; ranks && i < of->count; i++) {
        int rank = ranks[of->members ? of->members[i] : i];
        /* Members that are of another job or on another host are not in the table. */
        int local = local_of && rank >= 0 && rank < world_size ? local_of[rank] : -1;
        if (local < 0) {
            unseen++;
        } else if (is_waiting(&table[local], of->team, of->call)) {
            if (first && rank != pithi_where_rank)
                /* The first waiting process reports, and that is another process. This value keeps `missing` negative,
                 * so that this process does not report. */
                missing = -of->count;
            first = 0;
        } else if (++missing > 0 && missing <= NAMED) {
            add(&out, "%s", missing > 1 ? "; " : "");
            add_process(&out, &table[local], rank);
            of->vague |= is_vague(&table[local]);
        }
    }
    free(ranks);
    if (missing > NAMED)
        add(&out, "; and %d more", missing - NAMED);
    if (missing == 0 && unseen)
        add(&out, "a rank on another host");
    return missing > 0 || (missing == 0 && unseen);
}
