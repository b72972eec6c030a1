/* pith.h - records what a program does, and when.
 *
 * Include this, link with -lpith (flags: `pkg-config --cflags --libs pith`), and call:
 *
 *     uint32_t work = pith_state_define("work", "red");
 *     pith_begin(work);
 *     ...
 *     pith_end(work);
 *
 * No call to start is needed: the first use starts recording, and the end of the process finishes it (in an MPI program
 * recorded by libpith-mpi, MPI_Finalize does). The environment variable PITH_LOG names the log; by default it is named
 * after the program. If a program is linked with -lpith-null instead, or compiled with -DPITH_NULL, every call does
 * nothing.
 *
 * Threads: every function may be called from any thread at any time; each thread records into a buffer of its own,
 * without locks. Nothing here ever aborts, exits or blocks the program. Records that could not be stored are counted by
 * pith_lost().
 *
 * Cost: pith_begin, pith_end and pith_event are inline: a branch, one read of the clock, one store. Where the time
 * stamp counter cannot be used, the clock is read by a call.
 */
#ifndef PITH_H
#define PITH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PITH_VERSION_MAJOR 0
#define PITH_VERSION_MINOR 1
#define PITH_VERSION_PATCH 0

#if defined(__GNUC__)
#define PITH_API __attribute__((visibility("default")))
#else
#define PITH_API
#endif

/* ---- Definitions -------------------------------------------------------------------------------------------------
 * The same name gives the same id, in every thread, at any time; so a definition may stand at its first use.
 * `colour` is an X11 colour name ("red", "SeaGreen") or "#rrggbb"; NULL or "" lets the viewer choose. Ids are dense,
 * from 1 to 1048574. A NULL or empty name gives 0, as does a definition when ids run out; records with id 0 are not
 * stored, and count as lost. Names that the user excludes by PITH_ONLY or PITH_SKIP (pith(7)) get an id whose records
 * are not stored and not counted. Strings are copied. Cost: a lock and a hash look-up, so keep the id. */
PITH_API uint32_t pith_state_define(const char *name, const char *colour);

/* `format` says how to show the payload: text with the tokens of MPE_Log_pack, e.g. "iter=%d size=%l val=%E":
 * %s string (16-bit length, then bytes), %h int16, %d int32, %x int32 in hex, %l int64, %X int64 in hex, %e float,
 * %E double; values lie one after another, big-endian, without padding. NULL: no payload, or opaque bytes. */
PITH_API uint32_t pith_event_define(const char *name, const char *colour, const char *format);

/* A counter is a value over time, drawn as a graph; `unit` ("bytes", "1/s") may be NULL. */
PITH_API uint32_t pith_counter_define(const char *name, const char *unit);

/* ---- Recording --------------------------------------------------------------------------------------------------- */

/* The state `id` begins or ends now on the calling thread. States nest; one may nest in itself. */
static inline void pith_begin(uint32_t id);
static inline void pith_end(uint32_t id);

/* The event `id` happens now. */
static inline void pith_event(uint32_t id);

/* Like pith_event, with `size_bytes` bytes of payload, which are copied. A longer payload than 65535 bytes is cut, and
 * the cut is counted (pith_lost). */
PITH_API void pith_event_data(uint32_t id, const void *payload, size_t size_bytes);

/* The counter `id` has the value `value` from now on. */
PITH_API void pith_count(uint32_t id, double value);

/* Records that a message of `size_bytes` leaves for, or has come from, the process with world rank `peer`. For programs
 * that send by means unknown to Pith; libpith-mpi records MPI's messages. Sends and receives with the same pair of
 * ranks and the same tag are matched in order. Call pith_send before sending, pith_recv after receiving. */
PITH_API void pith_send(int32_t peer, int32_t tag, uint64_t size_bytes);
PITH_API void pith_recv(int32_t peer, int32_t tag, uint64_t size_bytes);

/* ---- Control ----------------------------------------------------------------------------------------------------- */

/* Pauses or resumes recording in all threads of this process; both moments are in the log. Pauses do not nest. */
PITH_API void pith_pause(void);
PITH_API void pith_resume(void);

/* Writes the records so far to the disk (msync), so that they survive a crash of the machine. A crash of the process
 * loses nothing in any case. The state pith:flush shows how long this took. */
PITH_API void pith_flush(void);

/* Compares the clocks of the job's machines, in addition to the comparisons at its start and end (MPI_Init and
 * MPI_Finalize): for long runs, in which clocks do not drift evenly. Collective over all processes of the job; the
 * calling thread must be allowed to call MPI. On one machine, and without a job, it does nothing. It takes some 100 us
 * for each machine, 20 ms * log2(processes) at most. See pith(7), "Clocks". */
PITH_API void pith_sync(void);

/* Writes a log of the records so far of this process, and of the other processes of its job whose spill files it can
 * see; all continue to record. `path`: its name (the suffix gives the format; a file of that name is replaced); NULL:
 * the log's name with .snapshot-1, .snapshot-2 ... before the suffix. Returns 0, or -1 if there is nothing to write or
 * the log cannot be written; a line says why. Takes as long as writing the log so far. Not for signal handlers: set
 * PITH_SNAPSHOT=USR1 and send that signal. In a job, one process calls this for all. */
PITH_API int pith_snapshot(const char *path);

/* Names the calling thread in the log (copied; cut after 255 bytes). */
PITH_API void pith_thread_name(const char *name);

/* Returns the number of records of this process that were not stored: buffers full, disk full, id 0, payload cut. */
PITH_API uint64_t pith_lost(void);

/* Writes the log now and ends recording in this process. Called automatically at exit; later calls do nothing.
 * In an MPI program recorded by libpith-mpi it does nothing: MPI_Finalize writes the log of all ranks. */
PITH_API void pith_finish(void);

/* ---- Internals of the inline functions; do not use them ---------------------------------------------------------- */

#if defined(PITH_NULL)
static inline void pith_begin(uint32_t id) { (void)id; }
static inline void pith_end(uint32_t id) { (void)id; }
static inline void pith_event(uint32_t id) { (void)id; }
#define pith_state_define(name, colour) ((void)(name), (void)(colour), (uint32_t)0)
#define pith_event_define(name, colour, format) ((void)(name), (void)(colour), (void)(format), (uint32_t)0)
#define pith_counter_define(name, unit) ((void)(name), (void)(unit), (uint32_t)0)
#define pith_event_data(id, payload, size_bytes) ((void)(id), (void)(payload), (void)(size_bytes))
#define pith_count(id, value) ((void)(id), (void)(value))
#define pith_send(peer, tag, size_bytes) ((void)(peer), (void)(tag), (void)(size_bytes))
#define pith_recv(peer, tag, size_bytes) ((void)(peer), (void)(tag), (void)(size_bytes))
#define pith_pause() ((void)0)
#define pith_resume() ((void)0)
#define pith_flush() ((void)0)
#define pith_sync() ((void)0)
#define pith_snapshot(path) ((void)(path), -1)
#define pith_thread_name(name) ((void)(name))
#define pith_lost() ((uint64_t)0)
#define pith_finish() ((void)0)
#else

/* A thread's buffer: words are stored at next[0], next[1] ... while next < limit. `limit` is 0 while the thread has no
 * buffer, recording is paused or over, or the clock cannot be read inline: then each record calls the library.
 * Another thread may set `limit` to 0 (pause), so it is read atomically. */
struct pith_buffer {
    uint64_t *next;          /* where the next word is stored */
    uint64_t *limit;         /* end of the buffer, or 0 (see above) */
    uint64_t *message_limit; /* limit for messages and collectives; 0 also if the user leaves them out */
    uint64_t last_ticks;     /* time of the last record, to detect a wrap of the 40 bits in a word */
    /* New members come last: programs compiled with an older pith.h use the members above. */
    uint64_t *call_limit, *call_message_limit; /* the two limits where the clock needs a call; else 0 */
};
extern PITH_API __thread struct pith_buffer pith_buffer_ __attribute__((tls_model("initial-exec")));

/* Stores a record by the slow path: gets a buffer, or counts the record as lost. */
PITH_API void pith_slow_(uint32_t kind, uint32_t id);

/* A record's first word: the low 40 bits of the ticks, 20 bits of id, 4 bits of kind (never 0, so that a word of zero
 * is where the stored records end). */
#define PITH_WORD_(ticks, id, kind) ((uint64_t)(ticks) << 24 | (uint64_t)(id) << 4 | (uint64_t)(kind))
/* The id of all definitions that are left out. PITH_ID_IN_: 1 if records of an id are stored, that is, if it is neither
 * 0 nor PITH_LEFT_OUT_. */
#define PITH_LEFT_OUT_ 0xfffffu
#define PITH_ID_IN_(id) ((uint32_t)(id)-1u < PITH_LEFT_OUT_ - 1u)
#define PITH_KIND_ENTER_ 1u
#define PITH_KIND_LEAVE_ 2u
#define PITH_KIND_EVENT_ 3u

#if defined(__x86_64__)
#define PITH_TICKS_INLINE_ 1
static inline uint64_t pith_ticks_(void) { return __builtin_ia32_rdtsc(); }
#elif defined(__aarch64__)
#define PITH_TICKS_INLINE_ 1
static inline uint64_t pith_ticks_(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
#define PITH_TICKS_INLINE_ 0
static inline uint64_t pith_ticks_(void) { return 0; }
#endif

/* Claims the next `count` words, in such a way that a signal handler which records at any moment gets words of its own.
 * On x86-64 and i386 one instruction claims them (without lock prefix, since other threads never claim here). On ARM64
 * the store fails if a handler has run since the load. (The compiler's atomic addition would be a call there.) */
static inline uint64_t *pith_claim_(uint64_t count)
{
#if defined(__x86_64__) || defined(__i386__)
    uintptr_t word = (uintptr_t)(count * sizeof(uint64_t));
    __asm__ volatile("xadd %0, %1" : "+r"(word), "+m"(pith_buffer_.next));
    return (uint64_t *)word;
#elif defined(__aarch64__)
    uint64_t *word, *next;
    uint32_t failed;
    __asm__ volatile("1:\tldxr %0, %3\n\tadd %1, %0, %4\n\tstxr %w2, %1, %3\n\tcbnz %w2, 1b"
                     : "=&r"(word), "=&r"(next), "=&r"(failed), "+Q"(pith_buffer_.next)
                     : "Ir"(count * sizeof(uint64_t)));
    return word;
#else
    return __atomic_fetch_add(&pith_buffer_.next, (uintptr_t)count * sizeof(uint64_t), __ATOMIC_RELAXED);
#endif
}

/* Reads the clock by a call, where it cannot be read inline. */
PITH_API uint64_t pith_call_ticks_(void);

/* Stores a record if there is room, and returns 1. Returns 0 if the slow path must store it. With `calls` 0 it stores
 * only if the clock can be read inline. A word has 40 bits of the time, so a step of 2^38 ticks or more, or back, takes
 * the slow path, which stores the full time first. */
static inline int pith_try_(int calls, uint32_t kind, uint32_t id)
{
    if (__builtin_expect(PITH_ID_IN_(id), 1)) {
        uint64_t ticks;
        if (__builtin_expect(
                PITH_TICKS_INLINE_ && pith_buffer_.next < __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED), 1))
            ticks = pith_ticks_();
        else if (calls && pith_buffer_.next < __atomic_load_n(&pith_buffer_.call_limit, __ATOMIC_RELAXED))
            ticks = pith_call_ticks_();
        else
            return 0;
        if (__builtin_expect((ticks - pith_buffer_.last_ticks) >> 38 == 0, 1)) {
            pith_buffer_.last_ticks = ticks;
            /* release: whoever reads the file meanwhile must not see a record before the words ahead of it */
            __atomic_store_n(pith_claim_(1), PITH_WORD_(ticks, id, kind), __ATOMIC_RELEASE);
            return 1;
        }
    }
    return 0;
}

static inline void pith_word_(uint32_t kind, uint32_t id)
{
    if (!pith_try_(1, kind, id))
        pith_slow_(kind, id);
}

static inline void pith_begin(uint32_t id) { pith_word_(PITH_KIND_ENTER_, id); }
static inline void pith_end(uint32_t id) { pith_word_(PITH_KIND_LEAVE_, id); }
static inline void pith_event(uint32_t id) { pith_word_(PITH_KIND_EVENT_, id); }
#endif /* PITH_NULL */

#ifdef __cplusplus
}
#endif
#endif /* PITH_H */
