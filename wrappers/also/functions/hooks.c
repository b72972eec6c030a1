/* hooks.c - the two functions that an instrumented program calls at the begin and the end of each of its functions.
 *
 * Each thread has a stack of the functions that it is in. If a function ends soon and nothing else was recorded in it,
 * pith_begin_undo removes its enter record, before this record gets into the spill file. If longjmp leaves a function,
 * the program does not call the hook for its end. The function's state then ends when a function below it on the stack
 * ends. */
#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/launcher.h"
#include "base/say.h"
#include "pith_tool.h"

#define INITIAL __attribute__((tls_model("initial-exec")))

struct frame {
    const struct pithi_traced *function;
    uint32_t id;                 /* the id of the function's state; 0: this call is not recorded */
    struct pith_tentative begun; /* the state's enter record */
    uint64_t ticks;              /* when the state began */
};
enum { FRAMES = 512 }; /* functions nested deeper than this are recorded even if they are short */
static __thread unsigned depth INITIAL;
static __thread struct frame frames[FRAMES] INITIAL;

static int is_called; /* 1: a hook was called, in any thread */

static uint64_t least_ticks; /* shorter calls are not recorded; 0: all calls are recorded */

/* What the hooks cost in a call of a function, besides writing records, in ns. kept_ns: if the call stays recorded;
 * dropped_ns: if its record is removed. pith_own_cost adds such costs to the log, but each call of pith_own_cost writes
 * a record. So the costs of many function calls are passed to it at once. */
static double kept_ns, dropped_ns;
static __thread double untold_ns INITIAL; /* cost that was not yet passed to pith_own_cost */
enum { OFTEN_NS = 100000 };               /* the least sum for a call of pith_own_cost */

static void add_cost(double ns)
{
    untold_ns += ns;
    if (untold_ns < OFTEN_NS)
        return;
    pith_own_cost((uint64_t)untold_ns);
    untold_ns = 0;
}

/* ---- The hooks --------------------------------------------------------------------------------------------------- */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

PITHI_ALSO_API void __cyg_profile_func_enter(void *address, void *caller)
{
    struct pithi_traced *function = pithi_traced_find((uintptr_t)address);
    struct frame *frame;
    uint32_t id;

    (void)caller;
    if (!__atomic_load_n(&is_called, __ATOMIC_RELAXED))
        __atomic_store_n(&is_called, 1, __ATOMIC_RELAXED);
    if (!function->name)
        return;
    id = pithi_also_wanted(NULL) ? pithi_also_state(&function->id, function->name, NULL, "function") : 0;
    if (depth >= FRAMES) {
        depth++;
        if (id)
            pith_begin(id);
        return;
    }
    frame = &frames[depth++]; /* depth grows before the frame is filled, so that a signal handler uses the next frame */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    frame->function = function;
    frame->id = id;
    frame->begun.record = NULL;
    if (!id)
        return;
    frame->begun = pith_begin_tentative(id);
    frame->ticks = pith_buffer_.last_ticks;
}

static void end(const struct frame *frame)
{
    if (!frame->id)
        return;
    if (least_ticks && pith_clock_ticks() - frame->ticks < least_ticks && pith_begin_undo(&frame->begun)) {
        add_cost(dropped_ns);
        return;
    }
    pith_end(frame->id);
    add_cost(kept_ns);
}

PITHI_ALSO_API void __cyg_profile_func_exit(void *address, void *caller)
{
    struct pithi_traced *function = pithi_traced_find((uintptr_t)address);
    unsigned found = depth;
    struct frame frame;

    (void)caller;
    if (!function->name)
        return;
    if (depth > FRAMES) {
        depth--;
        if (function->id && pithi_also_wanted(NULL))
            pith_end(function->id);
        return;
    }
    while (found > 0 && frames[found - 1].function != function)
        found--;
    while (found > 0 && depth >= found) {
        frame = frames[depth - 1];
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        depth--;
        end(&frame);
    }
}

/* ---- The start and the end --------------------------------------------------------------------------------------- */

/* Measures kept_ns and dropped_ns by doing what the two hooks do besides writing records. */
static void measure(uintptr_t address)
{
    /* TRIES: measurements, of which the shortest counts; CALLS: pairs of calls in a measurement */
    enum { TRIES = 20, CALLS = 50 };
    static volatile uint64_t ticks;
    double best = 1e9;

    for (int try = 0; try < TRIES; try++) {
        int64_t from = pithi_also_now_ns(), took;
        for (int i = 0; i < CALLS; i++) {
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            ticks += pithi_traced_find(address)->id + (unsigned)pithi_also_wanted(NULL);
            ticks += pithi_traced_find(address)->id + (least_ticks ? pith_clock_ticks() : 0);
        }
        took = pithi_also_now_ns() - from;
        if ((double)took / CALLS < best)
            best = (double)took / CALLS;
    }
    kept_ns = best;
    dropped_ns = best;
    int64_t from = pithi_also_now_ns(); /* a removed record has cost one read of the clock, too */
    for (int i = 0; i < CALLS; i++)
        ticks += pith_clock_ticks();
    dropped_ns += (double)(pithi_also_now_ns() - from) / CALLS;
    (void)ticks;
}

__attribute__((constructor)) static void begin(void)
{
    const char *least = secure_getenv("PITH_FUNCTIONS_MIN_US"), *preload = secure_getenv("LD_PRELOAD");
    double least_us = least ? strtod(least, NULL) : 0;

    pithi_traced_filter_read();
    pithi_traced_read();
    if (least_us > 0)
        least_ticks = pithi_also_ticks_of(least_us * 1000);
    measure((uintptr_t)&begin);
    if (!preload || !strstr(preload, "libpith-functions"))
        pithi_also_begin_early(); /* the program is linked with this library */
}

__attribute__((destructor)) static void end_of_program(void)
{
    if (!is_called && pith_recorded() && !pithi_also_is_guest() && !pithi_is_quiet() && pithi_launcher_rank(0) == 0)
        pithi_say("--also functions: the program called no function that was compiled with "
                  "-finstrument-functions");
}
