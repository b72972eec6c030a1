/* also_memory.c - allocates and frees memory in all ways that libpith-memory knows, and prints what it did:
 *
 *     THREAD alloc|free CALL BYTES ADDRESS
 *     THREAD resident - BYTES 0                       (what the system says, just before MPI_Barrier)
 *
 * The test knows these blocks by their sizes, which end in 777. Only a part of such a block has another size.
 * `also_memory DIR` */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "must.h"

enum { MEGA = 1000000, SMALL = 500777 };

static __thread int thread;
static char said[1 << 14]; /* what it did */
static size_t said_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void did(const char *what, const char *call, size_t bytes, const void *block)
{
    pthread_mutex_lock(&lock);
    said_bytes += (size_t)snprintf(said + said_bytes, sizeof said - said_bytes, "%d %s %s %zu %lx\n", thread, what,
                                   call, bytes, (unsigned long)block);
    pthread_mutex_unlock(&lock);
}
static void *got(const char *call, void *block, size_t bytes)
{
    must(block && block != MAP_FAILED);
    did("alloc", call, bytes, block);
    return block;
}
static void release(void *block, size_t bytes)
{
    did("free", "free", bytes, block);
    free(block);
}

/* The same block with another size. */
static void *moved(const char *call, void *before, size_t old, void *block, size_t bytes)
{
    if (old)
        did("free", call, old, before);
    return got(call, block, bytes);
}

static void allocate(void)
{
    volatile size_t most = SIZE_MAX / 4; /* more than there is */
    size_t s = 2 * MEGA + 777, larger = 5 * MEGA + 777, third = 3000777;
    char *block, *before;

    block = got("malloc", malloc(s), s);
    memset(block, 1, s);
    release(block, s);
    block = got("calloc", calloc(third / 3, 3), third);
    for (size_t i = 0; i < third; i++)
        must(block[i] == 0);
    release(block, third);

    /* larger twice, as large as cannot be, and small again */
    before = malloc(SMALL);
    memset(before, 2, SMALL);
    block = moved("realloc", NULL, 0, realloc(before, s), s);
    must(block[SMALL - 1] == 2);
    before = block;
    block = moved("realloc", before, s, realloc(block, larger), larger);
    errno = 0;
    must(realloc(block, most) == NULL && errno == ENOMEM);
    errno = 0;
    must(reallocarray(block, most, 8) == NULL && errno == ENOMEM);
    before = block;
    block = moved("reallocarray", before, larger, reallocarray(block, third / 3, 3), third);
    must(block[SMALL - 1] == 2);
    did("free", "realloc", third, block);
    block = realloc(block, SMALL);
    free(block); /* of this size it is not recorded */
    block = got("realloc", realloc(NULL, s), s);
    did("free", "realloc", s, block);
    must(realloc(block, 0) == NULL);
    errno = 77;
    free(malloc(s / 1000 * 1000)); /* recorded, but not in the account, by its size */
    must(errno == 77);
}

static void aligned_blocks(void)
{
    size_t s = 4 * MEGA + 777;
    void *block;

    block = got("aligned_alloc", aligned_alloc(64, s), s);
    must((uintptr_t)block % 64 == 0);
    release(block, s);
    must(posix_memalign(&block, 4096, s) == 0 && (uintptr_t)block % 4096 == 0);
    release(got("posix_memalign", block, s), s);
    must(posix_memalign(&block, 3, s) == EINVAL);
    release(got("memalign", memalign(256, s), s), s);
    release(got("valloc", valloc(s), s), s);
}

static void mappings(void)
{
    size_t s = 4 * MEGA + 777, page = 4096, larger = 8 * MEGA + 777;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *block = got("mmap", mmap(NULL, s, PROT_READ | PROT_WRITE, flags, -1, 0), s), *before = block;

    block = moved("mremap", before, s, mremap(block, s, larger, MREMAP_MAYMOVE), larger);
    must(munmap(block + 1, s) == -1 && errno == EINVAL);
    did("free", "munmap", page, block);
    must(munmap(block, page) == 0);
    did("free", "munmap", larger - page, block + page);
    must(munmap(block + page, larger - page) == 0);
    must(mmap(NULL, 0, PROT_READ, flags, -1, 0) == MAP_FAILED && errno == EINVAL);
}

/* A child uses its copies, which is not recorded. */
static void child(void)
{
    size_t s = 6 * MEGA + 777;
    void *block = got("malloc", malloc(s), s);
    pid_t process = fork();
    int status;

    if (process == 0) {
        free(block);
        free(malloc(s));
        _exit(0);
    }
    must(waitpid(process, &status, 0) == process && status == 0);
    release(block, s);
}

/* What the system says, when the counter is due, and MPI is called. */
static void resident(void)
{
    long pages;
    FILE *file;

    nanosleep(&(struct timespec){0, 30000000}, NULL);
    must((file = fopen("/proc/self/statm", "r")));
    must(fscanf(file, "%*d %ld", &pages) == 1);
    fclose(file);
    did("resident", "-", (size_t)(pages * sysconf(_SC_PAGESIZE)), NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void use_much(void)
{
    size_t s = 100 * MEGA + 777;
    char *block;

    resident();
    block = got("malloc", malloc(s), s);
    memset(block, 1, s);
    resident();
    release(block, s);
    resident();
}

static void *work(void *unused)
{
    thread = 1;
    allocate();
    aligned_blocks();
    return unused;
}

int main(int argc, char **argv)
{
    char name[4096];
    pthread_t other;
    FILE *account;
    int given, rank;

    mappings(); /* again after MPI_Init, in which libraries of networks may change these functions */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    must(pthread_create(&other, NULL, work, NULL) == 0);
    allocate();
    aligned_blocks();
    must(pthread_join(other, NULL) == 0);
    mappings();
    child();
    use_much();
    snprintf(name, sizeof name, "%s/did.%d", argv[1], rank);
    must((account = fopen(name, "w")));
    fwrite(said, 1, said_bytes, account);
    fclose(account);
    MPI_Finalize();
    printf("also_memory: rank %d, well\n", rank);
    return 0;
}
