/* omp_record.c - records the states of a thread of OpenMP (openmp.h).
 *
 * A thread has a stack of its open states, because the runtime does not report the end of each state: a region may be
 * cancelled. Recording may also begin, pause or end inside a state. */
#include "openmp.h"

#include <pthread.h>
#include <string.h>

#include "pith_tool.h"

static struct {
    const char *name, *colour;
    int waits;   /* 1: the thread does no work in this state */
    uint32_t id; /* 0: not yet defined; accessed atomically */
} kinds[PITHI_OMP_KINDS] = {
    [PITHI_OMP_PARALLEL] = {"omp:parallel", "steelblue", 0, 0},
    [PITHI_OMP_IMPLICIT_TASK] = {"omp:implicit_task", "darkseagreen", 0, 0},
    [PITHI_OMP_LOOP] = {"omp:loop", "yellowgreen", 0, 0},
    [PITHI_OMP_SECTIONS] = {"omp:sections", "olivedrab", 0, 0},
    [PITHI_OMP_SINGLE] = {"omp:single", "khaki", 0, 0},
    [PITHI_OMP_TASKLOOP] = {"omp:taskloop", "turquoise", 0, 0},
    [PITHI_OMP_TASK] = {"omp:task", "cadetblue", 0, 0},
    [PITHI_OMP_BARRIER] = {"omp:barrier", "tomato", 1, 0},
    [PITHI_OMP_TASKWAIT] = {"omp:taskwait", "coral", 1, 0},
    [PITHI_OMP_TASKGROUP] = {"omp:taskgroup", "salmon", 1, 0},
    [PITHI_OMP_CRITICAL] = {"omp:critical", "goldenrod", 0, 0},
    [PITHI_OMP_CRITICAL_WAIT] = {"omp:critical_wait", "firebrick", 1, 0},
    [PITHI_OMP_ORDERED] = {"omp:ordered", "gold", 0, 0},
    [PITHI_OMP_ORDERED_WAIT] = {"omp:ordered_wait", "brown", 1, 0},
    [PITHI_OMP_LOCK_WAIT] = {"omp:lock_wait", "maroon", 1, 0},
    [PITHI_OMP_IDLE] = {"omp:idle", "gray80", 1, 0},
};

enum { LEVELS = 64 }; /* states nested deeper than this are not recorded */
static __thread struct {
    unsigned depth; /* how many states are open, including states deeper than LEVELS */
    int has_key;
    struct {
        enum pithi_omp_kind kind;
        uint32_t id; /* 0: the state is not recorded */
    } levels[LEVELS];
    struct pith_wait_end late;
} self __attribute__((tls_model("initial-exec")));

static pthread_key_t key; /* its destructor runs when a thread ends */
static int has_key;       /* 1: `key` was made */

static uint32_t id_of(enum pithi_omp_kind kind)
{
    return pithi_also_state(&kinds[kind].id, kinds[kind].name, kinds[kind].colour,
                            kinds[kind].waits ? "OpenMP waiting" : "OpenMP");
}

/* Puts a state on the stack. A state with the `id` 0 is not recorded, but it is on the stack because its end will be
 * reported. */
static void push(enum pithi_omp_kind kind, uint32_t id)
{
    if (self.depth < LEVELS) {
        self.levels[self.depth].kind = kind;
        self.levels[self.depth].id = id;
    }
    self.depth++;
    if (!self.has_key && has_key)
        self.has_key = pthread_setspecific(key, &self) == 0;
}

void pithi_omp_begin(enum pithi_omp_kind kind, const void *caller)
{
    uint32_t id = self.depth < LEVELS && pithi_also_wanted(NULL) ? id_of(kind) : 0;
    int sites;

    push(kind, id);
    if (!id)
        return;
    pith_begin(id);
    sites = pith_call_sites();
    if (sites > 0 || (sites < 0 && kind == PITHI_OMP_PARALLEL))
        pith_call_site(caller);
}

/* Ends the states from the innermost state to the state of index `level`. `end`: end_now ends them at the present time,
 * end_same at the time that pith_same_from set. */
static void end_to(unsigned level, void (*end)(uint32_t id))
{
    while (self.depth > level)
        if (--self.depth < LEVELS && self.levels[self.depth].id)
            end(self.levels[self.depth].id);
}

static void end_now(uint32_t id) { pith_end(id); }
static void end_same(uint32_t id) { pith_same_end(id); }

/* Returns the index of the innermost state of this kind, plus 1; 0 if there is no such state. */
static unsigned find(enum pithi_omp_kind kind)
{
    unsigned count = self.depth;

    while (count > 0 && (count > LEVELS || self.levels[count - 1].kind != kind))
        count--;
    return count;
}

void pithi_omp_end(enum pithi_omp_kind kind)
{
    unsigned count;

    if (self.depth > LEVELS) { /* the innermost state is too deep to be recorded */
        self.depth--;
        return;
    }
    count = find(kind);
    if (count > 0)
        end_to(count - 1, end_now);
}

void pithi_omp_idle_begin(uint64_t ticks)
{
    unsigned count = find(PITHI_OMP_IMPLICIT_TASK);

    if (ticks)
        pith_same_from(ticks);
    else
        pith_same_from_now();
    if (count > 0)
        end_to(count - 1, end_same);
    push(PITHI_OMP_IDLE, pithi_also_wanted(NULL) ? id_of(PITHI_OMP_IDLE) : 0);
    if (self.depth <= LEVELS && self.levels[self.depth - 1].id)
        pith_same_begin(self.levels[self.depth - 1].id);
}

void pithi_omp_idle_after(const uint64_t *ticks)
{
    unsigned count = find(PITHI_OMP_IMPLICIT_TASK), ends = 0;

    pith_late(NULL);
    memset(&self.late, 0, sizeof self.late);
    if (!ticks || !count || self.depth > LEVELS || self.depth - count >= sizeof self.late.ends / sizeof(uint32_t))
        return;
    self.late.ticks = ticks;
    for (unsigned i = self.depth; i >= count; i--)
        self.late.ends[ends++] = self.levels[i - 1].id;
    self.late.begins = pithi_also_wanted(NULL) ? id_of(PITHI_OMP_IDLE) : 0;
    pith_late(&self.late);
}

void pithi_omp_idle_end(void)
{
    if (self.depth > 0 && self.depth <= LEVELS && self.levels[self.depth - 1].kind == PITHI_OMP_IDLE)
        end_to(self.depth - 1, end_now);
}

/* ---- Memory of regions ------------------------------------------------------------------------------------------- */

union block {
    union block *next; /* in the list of free blocks */
    unsigned char bytes[PITHI_OMP_BLOCK];
};
enum { BLOCKS = 512 };     /* how many blocks a mapping has */
static union block *spare; /* the list of free blocks */
static int spare_busy;     /* a spinlock for this list, which is held only for a moment */

static void lock_spare(void)
{
    while (__atomic_exchange_n(&spare_busy, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock_spare(void) { __atomic_store_n(&spare_busy, 0, __ATOMIC_RELEASE); }

void *pithi_omp_take(void)
{
    union block *block;

    lock_spare();
    if (!spare) {
        union block *made = pithi_also_map(-1, BLOCKS * sizeof *block);
        for (int i = 0; made && i < BLOCKS; i++) {
            block = made + i;
            block->next = spare;
            spare = block;
        }
    }
    if ((block = spare))
        spare = block->next;
    unlock_spare();
    if (block)
        memset(block, 0, sizeof *block);
    return block;
}

void pithi_omp_give(void *given)
{
    union block *block = given;

    lock_spare();
    block->next = spare;
    spare = block;
    unlock_spare();
}

/* ---- The start and the end --------------------------------------------------------------------------------------- */

/* Called when a thread of the runtime ends. Ends the thread's open states. */
static void thread_ends(void *unused)
{
    (void)unused;
    end_to(0, end_now);
}

__attribute__((constructor)) static void begin(void) { has_key = pthread_key_create(&key, thread_ends) == 0; }
