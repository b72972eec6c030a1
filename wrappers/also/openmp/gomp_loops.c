/* gomp_loops.c - wrappers as in gomp.c, for the work sharing of GNU's runtime: sections, single and loops.
 *
 * Static loops have no state: code compiled by gcc computes a thread's iterations itself, and calls the runtime only
 * for the barrier after the loop. */
#include "openmp.h"

/* Wraps the start of a loop or of sections. The state ends in one of the functions of ENDS below. */
#define SHARES(result, name, kind, parameters, arguments)                                                              \
    result name parameters;                                                                                            \
    PITHI_ALSO_API result name parameters                                                                              \
    {                                                                                                                  \
        if (pithi_gomp_wanted())                                                                                       \
            pithi_omp_begin(kind, PITHI_CALLER);                                                                       \
        return GOMP(name) arguments;                                                                                   \
    }
#define LOOP(name, parameters, arguments) SHARES(_Bool, GOMP_loop_##name, PITHI_OMP_LOOP, parameters, arguments)
#define UNSIGNED unsigned long long

/* A loop has a counter of the type long or unsigned long long. The three macros below are for loops with a chunk size,
 * without a chunk size, and with reductions. */
#define CHUNKED(name)                                                                                                  \
    LOOP(name##_start, (long start, long end, long step, long chunk, long *from, long *to),                            \
         (start, end, step, chunk, from, to))                                                                          \
    LOOP(ull_##name##_start,                                                                                           \
         (_Bool up, UNSIGNED start, UNSIGNED end, UNSIGNED step, UNSIGNED chunk, UNSIGNED * from, UNSIGNED * to),      \
         (up, start, end, step, chunk, from, to))
#define UNCHUNKED(name)                                                                                                \
    LOOP(name##_start, (long start, long end, long step, long *from, long *to), (start, end, step, from, to))          \
    LOOP(ull_##name##_start, (_Bool up, UNSIGNED start, UNSIGNED end, UNSIGNED step, UNSIGNED * from, UNSIGNED * to),  \
         (up, start, end, step, from, to))
#define REDUCING(name)                                                                                                 \
    LOOP(name,                                                                                                         \
         (long start, long end, long step, long schedule, long chunk, long *from, long *to, uintptr_t *reductions,     \
          void **memory),                                                                                              \
         (start, end, step, schedule, chunk, from, to, reductions, memory))                                            \
    LOOP(ull_##name,                                                                                                   \
         (_Bool up, UNSIGNED start, UNSIGNED end, UNSIGNED step, long schedule, UNSIGNED chunk, UNSIGNED *from,        \
          UNSIGNED *to, uintptr_t *reductions, void **memory),                                                         \
         (up, start, end, step, schedule, chunk, from, to, reductions, memory))

CHUNKED(static)
CHUNKED(dynamic)
CHUNKED(guided)
CHUNKED(nonmonotonic_dynamic)
CHUNKED(nonmonotonic_guided)
CHUNKED(ordered_static)
CHUNKED(ordered_dynamic)
CHUNKED(ordered_guided)
UNCHUNKED(runtime)
UNCHUNKED(nonmonotonic_runtime)
UNCHUNKED(maybe_nonmonotonic_runtime)
UNCHUNKED(ordered_runtime)
REDUCING(start)
REDUCING(ordered_start)

/* Loops whose iterations depend on each other. */
#define DEPENDING(name)                                                                                                \
    LOOP(doacross_##name##_start, (unsigned count, long *counts, long chunk, long *from, long *to),                    \
         (count, counts, chunk, from, to))                                                                             \
    LOOP(ull_doacross_##name##_start,                                                                                  \
         (unsigned count, UNSIGNED *counts, UNSIGNED chunk, UNSIGNED *from, UNSIGNED *to),                             \
         (count, counts, chunk, from, to))
DEPENDING(static)
DEPENDING(dynamic)
DEPENDING(guided)
LOOP(doacross_runtime_start, (unsigned count, long *counts, long *from, long *to), (count, counts, from, to))
LOOP(ull_doacross_runtime_start, (unsigned count, UNSIGNED *counts, UNSIGNED *from, UNSIGNED *to),
     (count, counts, from, to))
LOOP(doacross_start,
     (unsigned count, long *counts, long schedule, long chunk, long *from, long *to, uintptr_t *reductions,
      void **memory),
     (count, counts, schedule, chunk, from, to, reductions, memory))
LOOP(ull_doacross_start,
     (unsigned count, UNSIGNED *counts, long schedule, UNSIGNED chunk, UNSIGNED *from, UNSIGNED *to,
      uintptr_t *reductions, void **memory),
     (count, counts, schedule, chunk, from, to, reductions, memory))

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

SHARES(unsigned, GOMP_sections_start, PITHI_OMP_SECTIONS, (unsigned count), (count))
SHARES(unsigned, GOMP_sections2_start, PITHI_OMP_SECTIONS, (unsigned count, uintptr_t *reductions, void **memory),
       (count, reductions, memory))

/* ---- The end of a loop or of sections, with a barrier or without ------------------------------------------------- */

#define ENDS(result, name, kind)                                                                                       \
    result name(void);                                                                                                 \
    PITHI_ALSO_API result name(void)                                                                                   \
    {                                                                                                                  \
        __attribute__((cleanup(end_barrier))) int is_wanted = pithi_gomp_wanted();                                     \
        if (!pithi_gomp_is_other())                                                                                    \
            pithi_omp_end(kind);                                                                                       \
        if (is_wanted)                                                                                                 \
            pithi_omp_begin(PITHI_OMP_BARRIER, PITHI_CALLER);                                                          \
        return GOMP(name)();                                                                                           \
    }
#define ENDS_AT_ONCE(name, kind)                                                                                       \
    void name(void);                                                                                                   \
    PITHI_ALSO_API void name(void)                                                                                     \
    {                                                                                                                  \
        if (!pithi_gomp_is_other())                                                                                    \
            pithi_omp_end(kind);                                                                                       \
        GOMP(name)();                                                                                                  \
    }

static void end_barrier(const int *is_wanted)
{
    if (*is_wanted)
        pithi_omp_end(PITHI_OMP_BARRIER);
}

ENDS(void, GOMP_loop_end, PITHI_OMP_LOOP)
ENDS(_Bool, GOMP_loop_end_cancel, PITHI_OMP_LOOP)
ENDS_AT_ONCE(GOMP_loop_end_nowait, PITHI_OMP_LOOP)
ENDS(void, GOMP_sections_end, PITHI_OMP_SECTIONS)
ENDS(_Bool, GOMP_sections_end_cancel, PITHI_OMP_SECTIONS)
ENDS_AT_ONCE(GOMP_sections_end_nowait, PITHI_OMP_SECTIONS)

/* ---- Single ------------------------------------------------------------------------------------------------------ */

/* A single block with copyprivate, that is, a block that passes data to the other threads. GOMP_single_copy_start
 * returns NULL at once to the thread that runs the block; in the other threads, it waits until GOMP_single_copy_end
 * passes the data. A block without copyprivate has no call at its end, so no state of it can be recorded. */
void *GOMP_single_copy_start(void);
PITHI_ALSO_API void *GOMP_single_copy_start(void)
{
    int is_wanted = pithi_gomp_wanted();

    if (is_wanted)
        pithi_omp_begin(PITHI_OMP_BARRIER, PITHI_CALLER);
    void *data = GOMP(GOMP_single_copy_start)();
    if (is_wanted)
        pithi_omp_end(PITHI_OMP_BARRIER);
    if (is_wanted && !data)
        pithi_omp_begin(PITHI_OMP_SINGLE, PITHI_CALLER);
    return data;
}

void GOMP_single_copy_end(void *data);
PITHI_ALSO_API void GOMP_single_copy_end(void *data)
{
    int is_wanted = pithi_gomp_wanted();

    if (!pithi_gomp_is_other())
        pithi_omp_end(PITHI_OMP_SINGLE);
    if (is_wanted)
        pithi_omp_begin(PITHI_OMP_BARRIER, PITHI_CALLER);
    GOMP(GOMP_single_copy_end)(data);
    if (is_wanted)
        pithi_omp_end(PITHI_OMP_BARRIER);
}
