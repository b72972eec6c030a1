/* spill.h - the layout of a spill file: what a running process has recorded, readable at any moment.
 *
 * Each process has one file, "HOST-PID-NANOSECONDS.spill", in the folder "LOG.spill/". liblog/ maps it and stores into
 * it; the merge in MPI_Finalize, `pith recover` and programs that follow a running process read it. The layout is for
 * one machine and one version of Pith: native byte order, no conversion, no compatibility; a reader refuses another
 * magic.
 *
 *     [process page 4096][chunk][chunk] ...
 *
 * A chunk belongs to one lane (thread), or holds definitions (lane PITHI_SPILL_DEFS). Chunks of a lane are numbered by
 * `seq` from 0. A chunk's header has its size. The next chunk begins directly after it, or after some pages of zeros: a
 * chunk of PITHI_SPILL_ALIGN bytes or more begins at a multiple of PITHI_SPILL_ALIGN, so that it can be mapped by large
 * pages.
 *
 * A lane has two chunks that are mapped, called its windows, and its thread stores into them in turn. Before a window
 * is reused as the chunk of a higher seq, it is copied to the end of the file (with the magic of the copy stored last);
 * the copy never changes. Then the window's lane is set to PITHI_SPILL_FREE, its words are set to 0, and its header is
 * filled again (the lane and then the magic are stored last). So for a moment two chunks have the same lane and seq; if
 * the process dies at that moment, they stay. Both are complete. A reader that follows a running process checks the
 * window's lane and seq after reading from it; if they have changed, the reader continues in the copy at the same word.
 *
 * A ring (used by a flight recorder, and by any recording with PITH_FROM before this time) has more and smaller chunks,
 * and reuses the oldest chunk without a copy. The states that the records of a reused chunk left open must not be lost.
 * Each chunk of a ring therefore has room, between header and words, for the states open at its start (struct
 * pithi_spill_open). At the start of chunk 0 no state is open. When chunk S + 2 begins, S is settled: the states open
 * at the end of S are stored in S + 1, `known` last. Only a settled chunk is set to PITHI_SPILL_FREE, so at any moment
 * all chunks of a lane except the newest have their states. If the newest chunk is the only one left, it has its
 * states, too.
 *
 * A reader can find out whether data is missing (spill_missing.h). The page has counts of chunks and definitions, and
 * the size of the file. Each count is raised after the data is stored, so if the process dies between the two, the file
 * does not look as if data were missing. The `seq` of a lane's chunks counts up without a break, and each chunk has the
 * number of words stored in all chunks before it. A chunk is sealed when its thread has begun the second chunk after
 * it: the thread then stores `words` and `check`, by which a reader can verify the chunk.
 *
 * Words after the last stored one are 0, and no stored record begins with a word of 0. So a record is complete when its
 * first word, which is stored last, is neither 0 nor of kind PITHI_W_CLAIMED. A reader skips words of 0 and claimed
 * words, because complete records may follow them. A reader that loads a first word by __ATOMIC_ACQUIRE sees everything
 * that the thread stored before this word, also on a processor that reorders stores.
 */
#ifndef PITHI_SPILL_H
#define PITHI_SPILL_H

#include <stdint.h>

#define PITHI_SPILL_MAGIC UINT64_C(0x32304c4c49505350) /* "PSPILL02"; another number with every change of the layout */
#define PITHI_CHUNK_MAGIC UINT64_C(0x31304b4e48435350) /* "PSCHNK01" */
#define PITHI_SPILL_PAGE 4096u
#define PITHI_SPILL_ALIGN (2u << 20) /* bytes: 2 MiB, a large page */
#define PITHI_SPILL_DEFS UINT32_MAX
#define PITHI_SPILL_FREE (UINT32_MAX - 1) /* a chunk being emptied for reuse: skip it */

/* The clocks at one moment. */
struct pithi_anchor {
    uint64_t ticks;  /* of pith_clock_ticks */
    int64_t mono_ns; /* CLOCK_MONOTONIC */
    int64_t real_ns; /* CLOCK_REALTIME */
};

struct pithi_spill_page {
    uint64_t magic;     /* stored last */
    uint32_t clock;     /* enum pithi_spill_clock */
    int32_t rank, size; /* in the job; -1, 0 before pith_job_join */
    uint32_t pid;       /* of the process */
    uint64_t job;       /* the same number in all processes of a job; before pith_job_join unique to the process */
    uint64_t lost;      /* records not stored so far */
    uint64_t finished;  /* 1: the log was written, the file may be removed */
    char host[256];
    char boot_id[64]; /* processes with the same boot_id share CLOCK_MONOTONIC and the ticks */
    char program[1024];
    char log[1024];                  /* name of the future log */
    struct pithi_anchor first, last; /* taken at the start; taken with the newest chunk or definition */
    uint64_t last_version;           /* odd while `last` is being stored */
    /* from_ns, to_ns: PITH_FROM and PITH_TO as CLOCK_MONOTONIC; readers leave out records before from_ns or after to_ns
     * (spill_trim.h). zero_ns: the CLOCK_MONOTONIC from which PITH_FROM and PITH_TO count, which is time 0 of the log;
     * 0: neither is set. */
    int64_t zero_ns, from_ns, to_ns;
    uint64_t first_posted; /* order number of the first receive posted for this log */
    /* The next five fields serve to find missing data (spill_missing.h). Each count is raised after the data is stored.
     */
    uint64_t end_bytes;   /* size of the file; 0: all five fields are unknown */
    uint64_t chunks;      /* chunks of lanes and definitions, not those set to PITHI_SPILL_FREE */
    uint64_t most_words;  /* upper limit of the words stored by all lanes, including those in reused chunks */
    uint64_t definitions; /* number of struct pithi_spill_def stored */
    uint64_t listed;      /* number of ranks of the job that record (PITH_RANKS); 0: unknown, taken as all */
    /* For a tick counter that parted from CLOCK_MONOTONIC, that is, stopped agreeing with it (liblog/clock.h).
     * parted[0]: the last anchor that agreed. From parted[1] on, ticks are on the line through parted[1] and parted[2].
     */
    struct pithi_anchor parted[3];
    int64_t ahead_ns; /* how far the counter was ahead; stored last; 0: the counter has not parted */
};
_Static_assert(sizeof(struct pithi_spill_page) <= PITHI_SPILL_PAGE, "the process page has room for it");

enum pithi_spill_clock { PITHI_CLOCK_NS, PITHI_CLOCK_TSC, PITHI_CLOCK_ARM64 };

/* The words of a chunk begin after its header. The last PITHI_CHUNK_SLACK words are a reserve: they are only used if a
 * signal handler records while another record of its thread was found to fit and has not claimed its words yet. */
#define PITHI_CHUNK_SLACK 64

struct pithi_chunk {
    uint64_t magic;             /* stored last */
    uint64_t size_bytes;        /* with this header; a multiple of 4096 */
    uint32_t lane;              /* number of the lane; PITHI_SPILL_DEFS: definitions */
    uint32_t seq;               /* counts the lane's chunks, from 0 */
    uint64_t base_ticks;        /* full time at the chunk's start; the first record is at most 2^38 ticks away */
    struct pithi_anchor anchor; /* when the chunk began */
    uint64_t lost;              /* records lost after this chunk's last one, for lack of room for another chunk */
    uint64_t overwritten;       /* records of this lane in chunks that were reused so far (PITH_WHEN_FULL=ring) */
    uint64_t newer;             /* the chunk in which the lane continues (an address within the process); 0: none */
    uint64_t open_bytes;        /* size of a struct pithi_spill_open between header and words; 0: not a ring */
    uint64_t records;           /* of a ring: number of records, set when the second chunk after this one begins */
    uint64_t words_before;      /* words of this lane in all earlier chunks; words stored late may not be counted */
    uint64_t words, check;      /* number of words and pithi_spill_chunk_check() of a sealed chunk; 0: not sealed */
    uint64_t reserved;
};
_Static_assert(sizeof(struct pithi_chunk) == 128, "words start at byte 128");

/* The states open at one moment of a lane, outermost first. A LEAVE ends the innermost open state of its id, at any
 * depth. States beyond PITHI_OPEN_ROOM entries are only counted, in `above`. While `above` is not 0, a LEAVE lowers
 * `above` and ends no entry, because the outer states, such as `main`, are more important. A state entered n times in a
 * row is one entry. */
#define PITHI_OPEN_ROOM 252
struct pithi_spill_open {
    uint32_t known;                    /* 1: filled in; stored last */
    uint32_t count;                    /* number of entries */
    uint64_t above;                    /* number of open states inside those of the entries */
    uint32_t entries[PITHI_OPEN_ROOM]; /* id | (n - 1) << 20: state `id`, entered n times in a row */
};
_Static_assert(sizeof(struct pithi_spill_open) == 1024, "1 KiB of each chunk of a ring");

/* ---- Records of a lane ------------------------------------------------------------------------------------------- */

/* First word: ticks 40 bits | id 20 bits | kind 4 bits (PITH_WORD_ in pith.h). The word has only the low 40 bits of the
 * ticks; a reader takes the time with these bits that is nearest to the time of the record before, so steps of less
 * than 2^39 ticks work in both directions. Below, "+ word" stands for a further word of the record. */
enum pithi_word {
    PITHI_W_NONE,
    PITHI_W_ENTER,       /* id = state */
    PITHI_W_LEAVE,       /* id = state */
    PITHI_W_EVENT,       /* id = event */
    PITHI_W_EVENT_DATA,  /* id = event; + word: size_bytes | (uint64_t)comm << 32; + the payload, rounded up to words */
    PITHI_W_COUNTER,     /* id = counter; + word: the double */
    PITHI_W_SEND,        /* id = comm; + word: peer | (uint64_t)tag << 32; + word: bytes */
    PITHI_W_RECV,        /* id = comm; + word: peer | tag << 32; + word: bytes; + word: posted */
    PITHI_W_COLL,        /* id = comm; + word: root (low 32 bits); + word: bytes given; + word: bytes received */
    PITHI_W_COMM_CREATE, /* id = comm */
    PITHI_W_COMM_FREE,   /* id = comm */
    PITHI_W_PAUSE,       /* recording stops */
    PITHI_W_RESUME,      /* recording goes on */
    PITHI_W_LOST,        /* + word: number of records lost here (a payload cut, a signal handler at a bad moment) */
    PITHI_W_TIME,        /* + word: full ticks, for the records after it; stored after 2^38 ticks without a record */
    PITHI_W_CLAIMED,     /* id = number of words: these words are claimed for a record that is not stored yet. This kind
                        remains if a signal handler jumps out of the recording call (siglongjmp); if it jumps before the
                        words are claimed, a word of 0 remains */
};
#define PITHI_WORD_ID_MASK 0xfffffu
#define PITHI_WORD_ID_MAX 0xffffeu /* the largest id; the id 0xfffff means "left out" and is never stored */

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* After the header, a chunk of lane PITHI_SPILL_DEFS has records of this form. Their sizes are multiples of 8 bytes,
 * and a record's size is stored last. Ids of states, events and counters come from one series (1, 2, ...). Strings are
 * NUL-terminated, one after another. */
struct pithi_spill_def {
    uint32_t size_bytes; /* of this record with its strings; 0: the chunk has no further record */
    uint16_t type;       /* enum pithi_spill_def_type */
    uint16_t reserved;
    uint32_t id;    /* of the definition, communicator or lane */
    uint32_t check; /* pithi_spill_def_check(); 0: none */
    /* then: STATE EVENT COUNTER: name, colour, group, format or unit.
     *       COMM: struct pithi_spill_comm, int32_t world_ranks[size + remote_size], then the name.
     *       COMM_NAME: name.  THREAD: name.  PROPERTY: key, value.
     *       SYNC: struct pithi_sync; its id is the number of the clock. */
};
enum pithi_spill_def_type {
    PITHI_D_STATE = 1,
    PITHI_D_EVENT,
    PITHI_D_COUNTER,
    PITHI_D_COMM,
    PITHI_D_COMM_NAME,
    PITHI_D_THREAD,
    PITHI_D_PROPERTY,
    PITHI_D_SYNC
};
struct pithi_spill_comm {
    uint64_t key;                    /* identifies the communicator: the same in all members */
    int32_t rank, size, remote_size; /* rank of this process; number of members; members of the remote group */
    int32_t reserved;
};

/* A sync point: the result of comparing the clock of this process's machine with the reference clock, which is the
 * clock of rank 0's machine. (The reference clock has number 0. The sync points of rank 0's machine have offset 0 and
 * round trip 0.) clock_sync.h corrects times by these points. */
struct pithi_sync {
    int64_t local_ns;  /* CLOCK_MONOTONIC here */
    int64_t offset_ns; /* reference clock - this clock at that moment, with an error of round_ns / 2 at most */
    int64_t round_ns;  /* round trip of the comparison */
    int64_t shift_ns;  /* CLOCK_REALTIME - CLOCK_MONOTONIC of the reference */
};

/* If one of these sizes changes, the number in PITHI_SPILL_MAGIC must change, too: otherwise a reader that was built
 * for the old layout would show wrong records. */
_Static_assert(sizeof(struct pithi_spill_page) == 2624 && sizeof(struct pithi_spill_def) == 16 &&
                   sizeof(struct pithi_spill_comm) == 24 && sizeof(struct pithi_sync) == 32,
               "the layout of PSPILL02");

#endif
