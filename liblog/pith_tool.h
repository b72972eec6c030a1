/* pith_tool.h - for those who wrap an API with Pith: communicators, matched messages, and the job of many processes.
 *
 * libpith-mpi is made with this header and pith.h alone. Everything here may be called from any thread unless said
 * otherwise, and never aborts, exits or prints, but for the one line that pith_job_finish and set-up failures give.
 *
 * liblog knows no MPI: what it needs of the job comes as a struct of function pointers, pith_transport.
 */
#ifndef PITH_TOOL_H
#define PITH_TOOL_H

#include "pith.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* As pith_state_define, in the group `group` ("MPI collective", "MPI point-to-point", "user" ...) of the legend. A
 * state is known by its name alone: the first colour and group given stay. */
PITH_API uint32_t pith_state_define_group(const char *name, const char *colour, const char *group);
/* As pith_event_define, likewise. */
PITH_API uint32_t pith_event_define_group(const char *name, const char *colour, const char *format, const char *group);

/* Whether the user wants to see what has this name or is of this group (NULL: none): 1, or 0 where PITH_ONLY or
 * PITH_SKIP (pith(7)) leave it out. The calls that define something ask by themselves; this is for work that only
 * serves records. Cost: a pattern match for each word of the lists, so keep the answer. Needs no other call of the
 * library. */
PITH_API int pith_selected(const char *name, const char *group);

/* The same for messages, collectives and communicators, which are recorded all or not at all: the word `messages` in
 * the lists stands for them. The answer is the same as long as the process lives, and the same in all processes of a
 * job. When it is 0, the calls of the next two sections do nothing; a wrapper need not call them, nor keep track of
 * requests. */
PITH_API int pith_messages(void);

/* A communicator as one process sees it. `key` is the same number in all its members and different for every other
 * communicator of the job; the wrapper makes it up without communication (see wrappers/README.md). 0 is kept for
 * MPI_COMM_WORLD, which needs no definition and has id 0.
 * `world_ranks[size]`: the members' world ranks in the order of their ranks here; for an intercommunicator the local
 * group's, then `remote_ranks[remote_size]`. The arrays are copied. */
struct pith_comm {
    uint64_t key;
    const char *name; /* NULL: none */
    int32_t rank;     /* the caller's rank in it */
    int32_t size;
    const int32_t *world_ranks;
    int32_t remote_size; /* 0: an intracommunicator */
    const int32_t *remote_ranks;
};

/* Gives the id of this process for the communicator (1 to 1048574; 0 when ids run out) and records its creation now.
 * pith_comm_free records that it is gone; the id is not used again. */
PITH_API uint32_t pith_comm_define(const struct pith_comm *comm);
PITH_API void pith_comm_free(uint32_t comm);
PITH_API void pith_comm_name(uint32_t comm, const char *name);

/* As pith_event_data, of an event that happened on communicator `comm`. `size_bytes` may be 0. */
PITH_API void pith_comm_event(uint32_t comm, uint32_t id, const void *payload, size_t size_bytes);

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* The order number of a receive among those posted by this process: take it when the receive is posted, give it to
 * pith_comm_recv when it is complete. So matching is right when completions come out of order (MPI 4.0, 3.5: messages
 * do not overtake, receives are served in the order of posting). A number taken must come back, with peer
 * PITH_NOBODY if the receive was cancelled or failed. */
PITH_API uint64_t pith_recv_post(void);
#define PITH_NOBODY (-1)
/* `count` numbers in a row, the first of which is returned: for one who gives them out himself, in the order of
 * posting. Those that he keeps hold back the matching of receives that others post later. */
PITH_API uint64_t pith_recv_post_many(uint32_t count);

/* A message on communicator `comm` to or from world rank `peer`. Inline, like all of the rest of this section. */
static inline void pith_comm_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes);
static inline void pith_comm_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted);

/* A collective operation on `comm` with root `root` (a world rank, PITH_NOBODY: no root), and the bytes this process
 * gave and got. To be called inside the state of the call. */
static inline void pith_comm_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes);

/* The same at the time of the record that this thread stored last: for what belongs to it, such as a send right after
 * the state's begin. Saves reading the clock, which is most of a record's cost. */
static inline void pith_same_end(uint32_t id);
static inline void pith_same_send(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes);
static inline void pith_same_recv(uint32_t comm, int32_t peer, int32_t tag, uint64_t size_bytes, uint64_t posted);
static inline void pith_same_coll(uint32_t comm, int32_t root, uint64_t sent_bytes, uint64_t received_bytes);
/* Until this thread stores another one, they are to have the time now: for what took place before other work. */
static inline void pith_same_from_now(void);

/* ---- The job ----------------------------------------------------------------------------------------------------- */

/* How the processes of a job reach each other. Every function returns 0, or non-zero when it failed; a failure makes
 * pith_job_finish leave the spill files for `pith recover`. All but send, recv and wait are collective.
 * Files: the processes that name the same `maker` get handles to one file, `path`, which that rank (one of them) makes
 * new; who names -1 gets none (NULL); open fails in all processes or in none. write_at writes wherever it likes in it
 * (independent), close leaves the bytes on their way to the disk. */
struct pith_transport {
    void *context;
    int rank, size; /* in the job */
    int sharing;    /* processes of the job, with this one, that run on the same cores; 0: not known */
    int (*send)(void *context, int to, const void *data, size_t size_bytes);
    int (*recv)(void *context, int from, void *data, size_t size_bytes);
    int (*wait)(void *context, int from, int nap); /* until there is something to receive: gives its core to others in
                                                      between; with `nap` it sleeps. NULL: recv alone does so */
    int (*bcast)(void *context, int root, void *data, size_t size_bytes);
    int (*sum_before)(void *context, uint64_t *value);                 /* exclusive prefix sum, rank 0: 0 */
    int (*reduce)(void *context, uint64_t *values, int count, int op); /* to all; op: enum pith_reduce */
    int (*barrier)(void *context);
    int (*file_open)(void *context, const char *path, int maker, void **file);
    int (*file_write_at)(void *context, void *file, uint64_t offset, const void *data, size_t size_bytes);
    int (*file_close)(void *context, void *file);
};
enum pith_reduce { PITH_SUM, PITH_MIN, PITH_MAX };

/* This process is about to join a job (before MPI_Init): a snapshot that a signal asks for waits until it has, so that
 * there is one of the job and not one of each process. pith_job_alone: nothing came of it, as where MPI_Init failed;
 * needless after pith_job_join. */
PITH_API void pith_job_expect(void);
PITH_API void pith_job_alone(void);

/* This process is one of a job (after MPI_Init; collective): the log's name is agreed on, and the spill files are
 * marked as of one job, so that `pith recover` finds what belongs together. From now on pith_finish and the end of the
 * process leave the log to pith_job_finish. Returns 0, or -1 when recording is off. */
PITH_API int pith_job_join(const struct pith_transport *transport);

/* Merges the buffers of all processes into one log (collective; in MPI_Finalize before PMPI_Finalize) and ends
 * recording. Rank 0 prints one line on stderr: log, ranks, events, size, how to open it (PITH_QUIET=1: none).
 * A state "pith:flush" covers the time spent, up to the moment the buffers were read. */
PITH_API void pith_job_finish(const struct pith_transport *transport);

/* The transport with which this process joined its job; NULL: it has not, or the log is written. For a second wrapper
 * in the process, which must not join again, but may end the recording with it. */
PITH_API const struct pith_transport *pith_job_joined(void);

/* The log of the job shall have this name, an absolute or relative path whose suffix says the format: first in rank 0,
 * then, if it gives 0 there, in all others with the path that rank 0's pith_where tells, before pith_job_finish. -1:
 * the user has chosen one (rank 0's PITH_LOG), the process is in no job, or the name cannot be. */
PITH_API int pith_job_log(const char *name);

/* After pith_job_finish: this process may record again, and join its job again, for another log. Definitions stay, with
 * their ids; communicators do too, with their members if there are no more than 64. 0; -1: recording is not over, or
 * could not begin. To be called by all processes of the job. */
PITH_API int pith_job_again(void);

/* The path of the log that was written last, where this process gave it its name (rank 0); else "". */
PITH_API const char *pith_job_written(void);

/* The transport of a process that is a job by itself. */
PITH_API const struct pith_transport *pith_transport_alone(void);

/* All processes of the job are at the same place: after a collective call of all, counted only where it succeeded.
 * Where the user wants clocks to be compared now and then (PITH_SYNC), this is done here when it is time. */
PITH_API void pith_job_turn(void);

/* What is to be added to CLOCK_MONOTONIC of this process, when it shows local_ns, for that of rank 0's machine (0 on
 * the same), as far as clocks were compared up to now: PITH_SYNC has it done more often. 0; -1: not known. Any thread,
 * any time (while clocks are compared: perhaps the old drift with the new offset). */
PITH_API int pith_job_clock(int64_t local_ns, int64_t *offset_ns);

/* For libraries that keep no log and join no job: compares the clocks of the transport's processes (collective), so
 * that pith_job_clock knows. On one machine two small collective calls the first time, then nothing; between several
 * some tenths of a second. Needs no files of the transport, and no sharing. 0; -1: it failed. */
PITH_API int pith_clocks_compare(const struct pith_transport *transport);
/* Since then, what pith_job_turn is to others: 1: they were compared now. */
PITH_API int pith_clocks_turn(const struct pith_transport *transport);

/* Clocks are needed while the job runs: if PITH_SYNC does not say how often they are to be compared, this is done at
 * turns after 0.1, 0.2, 0.4 ... seconds, so that their drift is known. In all processes, when they were compared first.
 */
PITH_API void pith_clocks_follow(void);

/* The job is about to end without pith_job_finish (MPI_Abort): one of its processes says on stderr how to get at what
 * was recorded. What is stored stays in any case. */
PITH_API void pith_job_abandon(void);

/* 1 when this process has recorded something, began to, or could not and said why; stays 1 after the end of recording.
 * */
PITH_API int pith_recorded(void);

/* 1 when an earlier program of this process, called `program`, recorded something and then called exec: what it stored
 * lies in `folder` (of `size` bytes), for `pith recover`. Looks into the folder: some system calls. */
PITH_API int pith_recorded_before(const char *program, char *folder, size_t size);

/* 1 while records of this thread would be stored: recording is neither off, paused nor over. A wrapper may skip what
 * only serves recording when it is 0, but must go on keeping track of requests and communicators. */
PITH_API int pith_recording(void);

/* A wrapper has spent `ns` nanoseconds on this thread that the program would not have spent without it, besides what
 * its records cost: it was measured by the wrapper, and lies between the thread's last such call and this one. Adds to
 * the thread's sum and records it as the counter pith:own, at first 0, which `pith compensate` takes out. */
PITH_API void pith_own_cost(uint64_t ns);

/* What recording has cost this thread so far, in ns: its records, each as much as one of its kind costs, and what
 * pith_own_cost told. It counts from the thread's first record on, or, if the thread went on to another buffer before
 * anybody asked, from there. Without pith_own_cost_probe, which has the costs measured, records cost nothing. About
 * 10 ns, and 1 ns for each record since it was called before. */
PITH_API int64_t pith_own_cost_sum(void);

/* What records cost is measured by the library itself, at the end. A wrapper that spends more on each of them lets
 * it measure call(): a record of that kind with all that the wrapper does around it; or, PITH_OWN_CALL, a wrapped call
 * that does nothing in between (of which a state's two records are taken off). Runs call() 960 times and what it
 * records goes nowhere; it must not record more than 8 words (two of the records above). By one thread, just before
 * pith_job_finish; or, for pith_own_cost_sum to know it, right after pith_job_join. */
enum { PITH_OWN_CALL = 0, PITH_OWN_SEND = 5, PITH_OWN_RECV = 6, PITH_OWN_COLL = 7 };
PITH_API void pith_own_cost_probe(uint32_t kind, void (*call)(void));

/* Where this process records: the log to be, and its spill file, which pithlog_follow reads while it grows. 0; -1 when
 * it does not record. The strings live as long as the process. */
PITH_API int pith_where(const char **log, const char **spill);

/* Facts for `pith info`, e.g. ("mpi", "Open MPI 4.1.4"); the last value of a key wins. */
PITH_API void pith_property(const char *key, const char *value);

/* ---- What the inline functions need; not to be used directly ----------------------------------------------------- */

#define PITH_KIND_CLAIMED_ 15u
#define PITH_KIND_SEND_ 6u
#define PITH_KIND_RECV_ 7u
#define PITH_KIND_COLL_ 8u

/* Stores a record of a first word and `count` (0 to 3) more by the slow road. */
PITH_API void pith_slow_words_(uint32_t kind, uint32_t id, const uint64_t *words, uint32_t count);

/* Up to 4 words: where they reach beyond the limit, the slack behind it takes them. */
static inline __attribute__((always_inline)) void pith_words_(int same, uint32_t kind, uint32_t id, uint32_t count,
                                                              uint64_t first, uint64_t second, uint64_t third)
{
#ifndef PITH_NULL
    uint64_t words[3] = {first, second, third};
    uint64_t **limit = kind == PITH_KIND_LEAVE_ ? &pith_buffer_.limit : &pith_buffer_.message_limit;
    if (__builtin_expect(PITH_TICKS_INLINE_ && pith_buffer_.next < __atomic_load_n(limit, __ATOMIC_RELAXED), 1)) {
        uint64_t ticks = same ? pith_buffer_.last_ticks : pith_ticks_();
        if (__builtin_expect((ticks - pith_buffer_.last_ticks) >> 38 == 0, 1)) {
            uint64_t *word;
            pith_buffer_.last_ticks = ticks;
            word = pith_claim_(1 + count);
            if (count > 0) { /* until it is stored: so many words are no record */
                __atomic_store_n(word, PITH_WORD_(0, 1 + count, PITH_KIND_CLAIMED_), __ATOMIC_RELAXED);
                __atomic_signal_fence(__ATOMIC_SEQ_CST);
            }
            if (count > 0)
                __atomic_store_n(word + 1, first, __ATOMIC_RELAXED);
            if (count > 1)
                __atomic_store_n(word + 2, second, __ATOMIC_RELAXED);
            if (count > 2)
                __atomic_store_n(word + 3, third, __ATOMIC_RELAXED);
            __atomic_store_n(word, PITH_WORD_(ticks, id, kind), __ATOMIC_RELEASE);
            return;
        }
    }
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
static inline void pith_same_end(uint32_t id)
{
#ifndef PITH_NULL
    if (__builtin_expect(PITH_ID_IN_(id), 1))
        pith_words_(1, PITH_KIND_LEAVE_, id, 0, 0, 0, 0);
    else
        pith_end(id);
#else
    (void)id;
#endif
}
static inline void pith_same_from_now(void)
{
#ifndef PITH_NULL
    if (PITH_TICKS_INLINE_ && pith_buffer_.next < __atomic_load_n(&pith_buffer_.limit, __ATOMIC_RELAXED)) {
        uint64_t ticks = pith_ticks_();
        if ((ticks - pith_buffer_.last_ticks) >> 38 == 0)
            pith_buffer_.last_ticks = ticks;
    }
#endif
}

#ifdef __cplusplus
}
#endif
#endif /* PITH_TOOL_H */
