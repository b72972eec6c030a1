/* strict_malloc.c - an allocator that ends the program if it is entered again by a thread that is inside it, as
 * allocators with locks would hang then. Inside, it makes the calls that allocators make, for itself: mappings, files,
 * locks, waiting. Preloaded; the blocks are the C library's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

#define INITIAL __attribute__((tls_model("initial-exec")))
enum { MIB = 1 << 20, EACH = 16 };
static __thread int inside INITIAL;
static __thread unsigned calls INITIAL;
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t empty;

static void check(int good, const char *what)
{
    char text[100] = "strict_malloc: ";
    if (good)
        return;
    strcat(strcat(text, what), "\n");
    if (write(2, text, strlen(text)) < 0) {
    }
    _exit(77);
}

static void enter(const char *call)
{
    check(!inside, call);
    inside = 1;
}

/* The calls of an allocator. */
static void work(void)
{
    static const struct timespec past = {1, 0};
    char bytes[8] = "strict";
    int saved = errno, fd;
    char *block;
    if (calls++ % EACH)
        return;
    block = mmap(NULL, 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(block != MAP_FAILED, "mmap");
    block = mremap(block, 2 * MIB, 4 * MIB, MREMAP_MAYMOVE);
    check(block != MAP_FAILED && munmap(block, 4 * MIB) == 0, "mremap");
    fd = open("strict.probe", O_RDWR | O_CREAT, 0600);
    check(fd >= 0 && write(fd, bytes, 6) == 6 && pread(fd, bytes, 6, 0) == 6 && close(fd) == 0, "file");
    pthread_mutex_lock(&contended);
    pthread_mutex_unlock(&contended);
    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&condition, &lock, &past);
    pthread_mutex_unlock(&lock);
    sem_timedwait(&empty, &past);
    errno = saved;
}

#define CALL(type, name, parameters, arguments)                                                                        \
    type name parameters                                                                                               \
    {                                                                                                                  \
        enter(#name " inside an allocation");                                                                          \
        work();                                                                                                        \
        type result = __libc_##name arguments;                                                                         \
        inside = 0;                                                                                                    \
        return result;                                                                                                 \
    }
CALL(void *, malloc, (size_t size), (size))
CALL(void *, calloc, (size_t count, size_t size), (count, size))
CALL(void *, realloc, (void *block, size_t size), (block, size))
CALL(void *, memalign, (size_t alignment, size_t size), (alignment, size))

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
void free(void *block)
{
    enter("free inside an allocation");
    work();
    __libc_free(block);
    inside = 0;
}

/* An entry of the allocator that no library wraps, as C++'s new may be. */
void strict_new(void);
void strict_new(void)
{
    enter("new inside an allocation");
    calls = 0;
    work();
    inside = 0;
}

/* Calls a function of the program inside, as an allocator's hook or a signal handler may run. */
void strict_call(void (*function)(void));
void strict_call(void (*function)(void))
{
    enter("a call inside an allocation");
    function();
    inside = 0;
}

/* Holds `contended` half of the time. */
static void *contend(void *unused)
{
    static const struct timespec moment = {0, 20000};
    for (;;) {
        pthread_mutex_lock(&contended);
        nanosleep(&moment, NULL);
        pthread_mutex_unlock(&contended);
        nanosleep(&moment, NULL);
    }
    return unused;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    check(pthread_create(&thread, &small, contend, NULL) == 0, "pthread_create");
}
