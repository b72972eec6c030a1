/* pith_tool.h - for wrappers of an API: communicators, matched messages, and the job of many processes.
 *
 * libpith-mpi uses this header and pith.h alone. Functions may be called from any thread unless said otherwise. They
 * never abort, exit or print, except for one line of pith_job_finish or of a failure to start.
 *
 * liblog knows no MPI: a struct of function pointers, pith_transport, connects the processes of a job. */
#ifndef PITH_TOOL_H
#define PITH_TOOL_H

#include "pith.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* Like pith_state_define, in the group `group` ("MPI collective", "MPI point-to-point", "user" ...) of the legend. A
 * state is identified by its name alone: the first colour and group stay. */
PITH_API uint32_t pith_state_define_group(const char *name, const char *colour, const char *group);
/* Like pith_event_define, with a group. */
PITH_API uint32_t pith_event_define_group(const char *name, const char *colour, const char *format, const char *group);

/* Returns 1 if records of this name and group (NULL: none) are wanted; 0 if PITH_ONLY or PITH_SKIP (pith(7)) excludes
 * them. The calls that define states and events check this themselves; wrappers call it to skip work that only serves
 * records. Cost: a pattern match for each word of the lists, so keep the answer. Uses no other part of the library. */
PITH_API int pith_selected(const char *name, const char *group);

/* Like pith_selected, for messages, collectives and communicators, which are recorded all or none; PITH_ONLY and
 * PITH_SKIP name them `messages`. The answer never changes and is the same in all processes of a job. If it is 0, the
 * calls of the next two sections do nothing, so a wrapper need not call them, nor keep track of requests. */
PITH_API int pith_messages(void);

/* A communicator as one process sees it. `key` is the same number in all its members, and different for every other
 * communicator of the job; the wrapper computes it without communication (see wrappers/README.md). MPI_COMM_WORLD has
 * key 0 and id 0, and needs no definition.
 * `world_ranks[size]`: the members' world ranks in the order of their ranks in the communicator; for an
 * intercommunicator the local group's, then `remote_ranks[remote_size]`. The arrays are copied. */
struct pith_comm {
    uint64_t key;     /* the same in all members, see above */
    const char *name; /* NULL: none */
    int32_t rank;     /* the caller's rank in the communicator */
    int32_t size;     /* number of members; in an intercommunicator, of the local group's members */
    const int32_t *world_ranks;
    int32_t remote_size; /* 0: an intracommunicator */
    const int32_t *remote_ranks;
};

/* Records the creation of the communicator now, and returns this process's id for it (1 to 1048574; 0 if no ids are
 * left). pith_comm_free records its end; the id is not used again. */
PITH_API uint32_t pith_comm_define(const struct pith_comm *comm);
PITH_API void pith_comm_free(uint32_t comm);
PITH_API void pith_comm_name(uint32_t comm, const char *name);

/* Like pith_event_data, for an event on communicator `comm`. `size_bytes` may be 0. */
PITH_API void pith_comm_event(uint32_t comm, uint32_t id, const void *payload, size_t size_bytes);

/* Call sites, the places in the program that call a wrapped library. pith_call_sites returns 1 if the sites of all
 * calls are wanted (PITH_CALLSITES=1, PITH_SAMPLE, PITH_HANG), -1 if only the sites of long calls, 0 if none; call it
 * after the first record. pith_call_site records a call site inside the state of the call. `caller` is the return
 * address of the wrapper. If it is in a library of MPI (a Fortran binding) or OpenMP, the nearest caller outside of
 * these is recorded. NULL has no effect. */
PITH_API int pith_call_sites(void);
PITH_API void pith_call_site(const void *caller);

/* A call is long from about 10 us on: more ticks than pith_long_call returns (UINT64_MAX unless pith_call_sites is -1).
 * pith_call_site_late records the site of a long call after the end of its state `state`. `record` is the value that
 * pith_buffer_.next had before that end was stored. No site is recorded if the thread has stored other records since
 * then, or if the log does not know yet in which library the site is. */
PITH_API uint64_t pith_long_call(void);
PITH_API void pith_call_site_late(uint32_t state, const void *caller, uint64_t *record);

/* Registers a function that wrappers call in each recorded call, inside its state and in its thread. It is for a
 * library that looks at the process from time to time, which registers the function before the first record. Wrappers
 * call it by pith_watched_call; if that returns 0, there is no such function, and wrappers need not call
 * pith_watched_call again. */
PITH_API void pith_watch_calls(void (*watch)(void));
PITH_API int pith_watched_call(void);

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* Takes the order number of a receive among those posted by this process. Call it when the receive is posted, and pass
 * the number to pith_comm_recv when the receive is complete. So matching is right even if completions come out of order
 * (MPI 4.0, 3.5: messages do not overtake, receives match in the order of posting). Pass each number once, with peer
 * PITH_NOBODY if the receive was cancelled or failed. */
PITH_API uint64_t pith_recv_post(void);
#define PITH_NOBODY (-1)
/* Takes `count` consecutive numbers and returns the first. The caller then assigns them to receives in the order of
 * posting. Numbers not yet passed on delay the matching of receives posted later. */
PITH_API uint64_t pith_recv_post_many(uint32_t count);

/* Record a message on communicator `comm` to or from world rank `peer`. They are inline, like all other calls of this
 * section. */
static inline void pith_comm_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes);
static inline void pith_comm_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted);

/* Records a collective operation on `comm` with root `root` (a world rank; PITH_NOBODY: no root), and the bytes that
 * this process sent and received. Call it inside the state of the operation. */
static inline void pith_comm_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes);

/* Like the calls above, for records that belong to the record that this thread stored last, such as a send right after
 * the state's begin. They use the time of that record, which saves a read of the clock, most of a record's cost. */
static inline void pith_same_begin(uint32_t id);
static inline void pith_same_end(uint32_t id);
static inline void pith_same_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes);
static inline void pith_same_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted);
static inline void pith_same_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes);
/* Begins a state that may be removed later, for example because it is short. `record` in the result is NULL if the
 * begin cannot be removed. To remove it, call pith_begin_undo at the state's end, in the same thread, instead of
 * pith_end. pith_begin_undo returns 1 if the begin is removed; 0 if it stays, because this thread has recorded
 * something since; then call pith_end. */
struct pith_tentative {
    uint64_t *record, word; /* the place of the record's word, and the word's value */
};
static inline struct pith_tentative pith_begin_tentative(uint32_t id);
static inline int pith_begin_undo(const struct pith_tentative *begun);
/* Later pith_same_* records use the current time, until this thread stores another record. Call it before work
 * whose time they should not include. */
static inline void pith_same_from_now(void);
/* Like pith_same_from_now, with an earlier time: `ticks` is what pith_clock_ticks returned in any thread. The time of
 * this thread's last record stays if that is later. */
static inline void pith_same_from(uint64_t ticks);
/* Returns the time in ticks of the clock with which this process records: the counter of pith_ticks_, or nanoseconds
 * where that counter cannot be trusted. */
static inline uint64_t pith_clock_ticks(void);

/* A thread calls pith_late when it begins a wait after which it may never run again, while another thread finds out
 * when the wait is over. The other thread then sets *late->ticks to that time (pith_clock_ticks). If *late->ticks is
 * not 0 when recording ends, the end of the wait is stored in the lane of the thread that called pith_late, at the time
 * *late->ticks: LEAVEs of the states late->ends in this order, then an ENTER of late->begins. An id of 0 stands for no
 * state. A call with NULL says that the thread no longer waits. *late and its ticks must stay valid until a call with
 * NULL or until the thread ends. Costs 2 ns. */
struct pith_wait_end {
    const uint64_t *ticks; /* atomic */
    uint32_t ends[4];
    uint32_t begins; /* the state in which the thread is after its wait */
};
PITH_API void pith_late(const struct pith_wait_end *late);

/* ---- The job ----------------------------------------------------------------------------------------------------- */

/* The version of the data that the processes of a job send to each other for the log, here and in the wrappers. Raise
 * it with every change of the data: processes with different versions record no common log, but one log for each
 * version. */
#ifndef PITH_PROTOCOL
#define PITH_PROTOCOL 3
#endif

/* The communication of a job. Every function returns 0, or non-zero if it failed; after a failure pith_job_finish
 * leaves the spill files for `pith recover`. All functions except send, recv and wait are collective. Files: the
 * processes that pass the same rank as `maker` get handles to one file, `path`, which that rank creates. Rank `maker`
 * is one of these processes. A process that passes -1 gets no file (NULL). file_open fails in all processes or in none.
 * file_write_at writes anywhere in the file, independently of other processes; file_close need not wait for the disk.
 */
struct pith_transport {
    void *context;
    int rank, size;       /* in the job */
    int sharing;          /* number of processes of the job that share its cores, itself included; 0: unknown */
    const char *affinity; /* the cores of the ranks of this host, for `pith info`; NULL: unknown */
    int (*send)(void *context, int to, const void *data, size_t size_bytes);
    int (*recv)(void *context, int from, void *data, size_t size_bytes);
    int (*wait)(void *context, int from, int nap); /* returns when recv has a message; meanwhile yields its core, or
                                                      sleeps if `nap` is set. NULL: recv does this */
    int (*bcast)(void *context, int root, void *data, size_t size_bytes);
    int (*sum_before)(void *context, uint64_t *value);                 /* exclusive prefix sum; rank 0 gets 0 */
    int (*reduce)(void *context, uint64_t *values, int count, int op); /* result in all; op: enum pith_reduce */
    int (*barrier)(void *context);
    int (*file_open)(void *context, const char *path, int maker, void **file);
    int (*file_write_at)(void *context, void *file, uint64_t offset, const void *data, size_t size_bytes);
    int (*file_close)(void *context, void *file);
};
enum pith_reduce { PITH_SUM, PITH_MIN, PITH_MAX };

/* Writes the cores that the calling thread may run on to `text`, such as "0-3,8"; "" if they are unknown. Cut after
 * `size` - 1 bytes. Uses no other part of the library. */
PITH_API void pith_affinity(char *text, size_t size);

/* Announces, before MPI_Init, that this process will join a job. A snapshot by signal then waits until it has joined,
 * so that the job makes one snapshot and not each process its own. pith_job_alone announces that this process will not
 * join, for example because MPI_Init failed; not needed after pith_job_join. */
PITH_API void pith_job_expect(void);
PITH_API void pith_job_alone(void);

/* Joins a job (after MPI_Init; collective): its processes agree on the name of the log and mark their spill files with
 * the job's number, by which `pith recover` finds them. From now on pith_finish and the end of the process leave the
 * log to pith_job_finish. Returns 0, or -1 if recording is off. */
PITH_API int pith_job_join(const struct pith_transport *transport);

/* Merges the buffers of all processes into one log (collective; in MPI_Finalize before PMPI_Finalize) and ends
 * recording. Rank 0 prints one line on stderr: log, ranks, events, size, how to open it (PITH_QUIET=1: none).
 * With PITH_ANALYZE, it also prints the page of `pith analyze`, while the others sleep.
 * A state "pith:flush" covers the time spent, up to the moment the buffers were read. */
PITH_API void pith_job_finish(const struct pith_transport *transport);

/* Returns the transport with which this process joined its job; NULL if it has not joined, or if the log is written. A
 * second wrapper library in the process uses it: it must not join again, but may end the recording. */
PITH_API const struct pith_transport *pith_job_joined(void);

/* Names the log of the job: an absolute or relative path whose suffix gives the format. Call it before pith_job_finish,
 * first in rank 0; if that returns 0, in all others with the path that pith_where gives in rank 0. Returns -1 if the
 * user has chosen a name (rank 0's PITH_LOG), if the process is in no job, or if the name is invalid. */
PITH_API int pith_job_log(const char *name);

/* After pith_job_finish: makes this process ready to record, and to join its job, for another log. Definitions keep
 * their ids, and so do communicators; their members are kept if they are 64 or fewer. All processes of the job must
 * call it. Returns 0, or -1 if recording is not over or never began. */
PITH_API int pith_job_again(void);

/* Returns, in rank 0, the path of the log written last; "" in other processes. */
PITH_API const char *pith_job_written(void);

/* Returns the transport of a job of one process. */
PITH_API const struct pith_transport *pith_transport_alone(void);

/* Call it after a successful collective call of all processes of the job. With PITH_SYNC, it compares the clocks when
 * that is due. */
PITH_API void pith_job_turn(void);

/* Sets *offset_ns to the offset of rank 0's CLOCK_MONOTONIC from this process's CLOCK_MONOTONIC at local_ns (0 on the
 * same machine), by the comparisons so far; PITH_SYNC makes more of them. Returns 0, or -1 if the offset is unknown.
 * May be called in any thread at any time. (During a comparison it may use the new offset with the old drift.) */
PITH_API int pith_job_clock(int64_t local_ns, int64_t *offset_ns);

/* For libraries that keep no log and join no job: compares the clocks of the transport's processes (collective), for
 * pith_job_clock. On one machine this costs two small collective calls the first time, then nothing; with several some
 * tenths of a second. Uses no files of the transport, and not `sharing`. Returns 0, or -1 if it failed. */
PITH_API int pith_clocks_compare(const struct pith_transport *transport);
/* Like pith_job_turn, for libraries that called pith_clocks_compare. Returns 1 if clocks were compared. */
PITH_API int pith_clocks_turn(const struct pith_transport *transport);

/* Requests the drift of clocks while the job runs: without PITH_SYNC, clocks are then compared after 0.1, 0.2, 0.4 ...
 * seconds. Call it in all processes, after the first comparison. */
PITH_API void pith_clocks_follow(void);

/* Call it if the job will end without pith_job_finish (MPI_Abort): one of its processes prints on stderr how to recover
 * the records. They are stored in any case. */
PITH_API void pith_job_abandon(void);

/* Returns 1 if this process has recorded, or has reported why it could not; still returns 1 after the end of
 * recording. */
PITH_API int pith_recorded(void);

/* Returns 1 if records of this thread would be stored now, that is, if recording is not off, paused or over. If it
 * returns 0, a wrapper may skip work that only serves recording, but must still keep track of requests and
 * communicators. */
PITH_API int pith_recording(void);

/* Starts recording now instead of with the first record. Records never call malloc; the start calls it only if it makes
 * threads of the recorder (PITH_SAMPLE, PITH_SNAPSHOT, PITH_HANG). So a library must call pith_start early if it wraps
 * calls that allocators make: before the first such call. */
PITH_API void pith_start(void);

/* Runs another program, which writes the names of the functions in `files` (a list that ends with NULL) to the
 * descriptor `out`, 3 or more, in the form of wrappers/also/functions/names. The recorded program sees neither a signal
 * nor a child. Never calls malloc; calls after the first may be made in a signal handler. Returns 0, or an errno. */
enum { PITH_NAMES_FILES = 256 };
PITH_API int pith_function_names(const char *const *files, int out);

/* Adds `ns` to the own cost of this thread: time that the wrapper itself took since its last such call, besides the
 * cost of records. Records the sum as the counter pith:own, beginning with 0; `pith compensate` removes this time. */
PITH_API void pith_own_cost(uint64_t ns);

/* Returns the cost of recording on this thread so far, in ns: its records, each at the cost of its kind, and the sum of
 * pith_own_cost. It counts from the thread's first record, or from a later chunk if the thread filled chunks before its
 * first call of this function. Before pith_own_cost_probe has measured costs, records cost nothing. Takes about 10 ns,
 * and 1 ns for each record since the last call. */
PITH_API int64_t pith_own_cost_sum(void);

/* The library measures the cost of its own records at the end. A wrapper that does more work for each record passes
 * call(), which the library measures instead: call() makes a record of that kind with all the wrapper's work. For
 * PITH_OWN_CALL, call() makes a wrapped call that does nothing (the cost of the state's two records is subtracted). The
 * library runs call() 960 times and drops its records. The records of one call() must have at most 8 words, as have
 * two sends, receives or collectives. Call pith_own_cost_probe in one thread, just before pith_job_finish; or right
 * after pith_job_join, if pith_own_cost_sum is to use the result. */
enum { PITH_OWN_CALL = 0, PITH_OWN_SEND = 5, PITH_OWN_RECV = 6, PITH_OWN_COLL = 7 };
PITH_API void pith_own_cost_probe(uint32_t kind, void (*call)(void));

/* Sets the paths of this process's future log and of its spill file, which pithlog_follow reads while it grows. Returns
 * 0, or -1 if the process does not record. The strings stay valid as long as the process. */
PITH_API int pith_where(const char **log, const char **spill);

/* Like pith_thread_name, for a name that the wrapper found. A name that the program gives by pith_thread_name, before
 * or after, replaces it. */
PITH_API void pith_thread_name_default(const char *name);

/* Sets a property for `pith info`, e.g. ("mpi", "Open MPI 4.1.4"); the last value of a key counts. */
PITH_API void pith_property(const char *key, const char *value);

/* ---- Internals of the inline functions; do not use them ---------------------------------------------------------- */

#define PITH_KIND_CLAIMED_ 15u
#define PITH_KIND_SEND_ 6u
#define PITH_KIND_RECV_ 7u
#define PITH_KIND_COLL_ 8u

/* Stores a record of one word and `count` (0 to 3) more by the slow path. */
PITH_API void pith_slow_words_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count);
/* Like pith_slow_words_, with the time of this thread's last record. pith_slow_same_from_: the slow path of
 * pith_same_from. pith_slow_undo_: the slow path of pith_begin_undo. */
PITH_API void pith_slow_same_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count);
PITH_API void pith_slow_same_from_(uint64_t ticks);
PITH_API int pith_slow_undo_(uint64_t *record, uint64_t word);
/* Returns the time, whichever clock is used. May be called before the first record. */
PITH_API uint64_t pith_slow_ticks_(void);

/* Stores up to 4 words; words beyond the limit go into the slack after it. */
static inline __attribute__((always_inline)) void pith_words_(int same, uint32_t kind, uint32_t id, uint32_t count,
                                                              uint64_t first, uint64_t second, uint64_t third)
{
#ifndef PITH_NULL
    uint64_t words[3] = {first, second, third};
    uint64_t **limit = kind < PITH_KIND_SEND_ ? &pith_buffer_.limit : &pith_buffer_.message_limit;
    uint64_t **call_limit = kind < PITH_KIND_SEND_ ? &pith_buffer_.call_limit : &pith_buffer_.call_message_limit;
    int is_inline = PITH_TICKS_INLINE_ && pith_buffer_.next < __atomic_load_n(limit, __ATOMIC_RELAXED);
    if (__builtin_expect(is_inline, 1) || pith_buffer_.next < __atomic_load_n(call_limit, __ATOMIC_RELAXED)) {
        uint64_t ticks = same ? pith_buffer_.last_ticks : is_inline ? pith_ticks_() : pith_call_ticks_();
        if (__builtin_expect((ticks - pith_buffer_.last_ticks) >> 38 == 0, 1)) {
            uint64_t *word;
            pith_buffer_.last_ticks = ticks;
            word = pith_claim_(1 + count);
            /* marks the words as claimed, not yet a record, until all are stored; each is seen after the mark */
            if (count > 0)
                __atomic_store_n(word, PITH_WORD_(0, 1 + count, PITH_KIND_CLAIMED_), __ATOMIC_RELEASE);
            if (count > 0)
                __atomic_store_n(word + 1, first, __ATOMIC_RELEASE);
            if (count > 1)
                __atomic_store_n(word + 2, second, __ATOMIC_RELEASE);
            if (count > 2)
                __atomic_store_n(word + 3, third, __ATOMIC_RELEASE);
            __atomic_store_n(word, PITH_WORD_(ticks, id, kind), __ATOMIC_RELEASE);
            return;
        }
    }
    if (same)
        pith_slow_same_(kind, id, words, count);
    else
        pith_slow_words_(kind, id, words, count);
#else
    (void)same, (void)kind, (void)id, (void)count, (void)first, (void)second, (void)third;
#endif
}

static inline uint64_t pith_peer_and_tag_(int32_t peer, int32_t tag)
{
    return (uint32_t)peer | (uint64_t)(uint32_t)tag << 32;
}

static inline void pith_comm_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes)
{
    pith_words_(0, PITH_KIND_SEND_, comm, 2, pith_peer_and_tag_(peer, tag), size_bytes, 0);
}
static inline void pith_same_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes)
{
    pith_words_(1, PITH_KIND_SEND_, comm, 2, pith_peer_and_tag_(peer, tag), size_bytes, 0);
}
static inline void pith_comm_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted)
{
    pith_words_(0, PITH_KIND_RECV_, comm, 3, pith_peer_and_tag_(peer, tag), size_bytes, posted);
}
static inline void pith_same_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted)
{
    pith_words_(1, PITH_KIND_RECV_, comm, 3, pith_peer_and_tag_(peer, tag), size_bytes, posted);
}
static inline void pith_comm_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes)
{
    pith_words_(0, PITH_KIND_COLL_, comm, 3, (uint32_t)root, sent_bytes, received_bytes);
}
static inline void pith_same_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes)
{
    pith_words_(1, PITH_KIND_COLL_, comm, 3, (uint32_t)root, sent_bytes, received_bytes);
}
static inline void pith_same_state_(int is_end, uint32_t id)
{
#ifndef PITH_NULL
    if (__builtin_expect(PITH_ID_IN_(id), 1))
        pith_words_(1, is_end ? PITH_KIND_LEAVE_ : PITH_KIND_ENTER_, id, 0, 0, 0, 0);
    else if (is_end)
        pith_end(id);
    else
        pith_begin(id);
#else
    (void)is_end, (void)id;
#endif
}
static inline void pith_same_begin(uint32_t id) { pith_same_state_(0, id); }
static inline void pith_same_end(uint32_t id) { pith_same_state_(1, id); }
static inline struct pith_tentative pith_begin_tentative(uint32_t id)
{
    struct pith_tentative begun = {0, 0};
#ifndef PITH_NULL
    uint64_t *record = pith_buffer_.next;
    pith_begin(id);
    if (record && pith_buffer_.next == record + 1) {
        begun.record = record;
        begun.word = *record;
    }
#else
    (void)id;
#endif
    return begun;
}
/* Removes the record only if it is still the thread's last word. The thread reuses its buffer, so another record may be
 * at the same address by now; so the word must still have the same value. A signal handler may record at any point, so
 * `next` and the word are exchanged atomically. */
static inline int pith_begin_undo(const struct pith_tentative *begun)
{
#ifndef PITH_NULL
    uint64_t *record = begun->record, *after, word = begun->word;
    if (!record)
        return 0;
    if (!__atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED))
        return pith_slow_undo_(record, word);
    after = record + 1;
    if (pith_buffer_.next != after || after > __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED) ||
        *record != word ||
        !__atomic_compare_exchange_n(&pith_buffer_.next, &after, record, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return 0;
    __atomic_compare_exchange_n(record, &word, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return 1;
#else
    (void)begun;
    return 0;
#endif
}
static inline uint64_t pith_clock_ticks(void)
{
#ifndef PITH_NULL
    return __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED) ? pith_ticks_() : pith_slow_ticks_();
#else
    return 0;
#endif
}
static inline void pith_same_from(uint64_t ticks)
{
#ifndef PITH_NULL
    if ((pith_buffer_.next < __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED) ||
         pith_buffer_.next < __atomic_load_n(&pith_buffer_.call_limit, __ATOMIC_RELAXED)) &&
        (ticks - pith_buffer_.last_ticks) >> 38 == 0)
        pith_buffer_.last_ticks = ticks;
    else
        pith_slow_same_from_(ticks);
#else
    (void)ticks;
#endif
}
static inline void pith_same_from_now(void)
{
#ifndef PITH_NULL
    pith_same_from(pith_clock_ticks());
#endif
}

#ifdef __cplusplus
}
#endif
#endif /* PITH_TOOL_H */
