/* heavy.w - a wrapper that costs too much: burns HEAVY_NS in each MPI call before anything else, and says so
 * (pith_own_cost). With HEAVY_SLEEPS in the environment it sleeps as long. Between log.w and messages.w, so that a
 * message is sent after the burning, and inside of its state:
 *
 *     wrappergen --preload -w after_call.w log.w heavy.w messages.w piggyback.w ...
 *     wrappergen --preload -w after_call.w time.w heavy.w piggyback.w ...      -DHEAVY_TIME: the time library
 *     wrappergen --preload -w after_call.w heavy.w log.w messages.w ...    -DHEAVY_PAUSE: as if the program computed as
 *                                                                       long before the call: outside, and untold
 */
#include <stdlib.h>
#include <time.h>
#include <pith_tool.h>
#ifdef HEAVY_TIME
#include "own.h"
#define pith_recording() 1
#define pith_own_cost(ns) pithi_own_add((int64_t)(ns))
#endif
#ifdef HEAVY_PAUSE
#define HEAVY_RECORDED (pithi_self.depth == 0)
#define HEAVY_TELL(ns) ((void)(ns))
#else
#define HEAVY_RECORDED pithi_self.recorded
#define HEAVY_TELL(ns) pith_own_cost((uint64_t)(ns))
#endif

static long heavy_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void heavy_burn(void)
{
    static long most_ns = -1;
    static int sleeps;
    if (most_ns < 0) {
        const char *value = getenv("HEAVY_NS");
        sleeps = getenv("HEAVY_SLEEPS") != NULL;
        most_ns = value ? atol(value) : 0;
    }
    if (most_ns == 0 || !HEAVY_RECORDED || !pith_recording())
        return;
    long begin = heavy_now(), spent = 0;
    while (spent < most_ns) {
        if (sleeps)
            nanosleep(&(struct timespec){0, most_ns - spent}, NULL);
        spent = heavy_now() - begin;
    }
    HEAVY_TELL(spent);
}

/* What begins and ends recording is not part of the run. */
{{fnall f @conversion @job_init @job_finalize @job_session @job_session_end @job_control}}
    heavy_burn();
    {{callfn}}
{{endfnall}}
