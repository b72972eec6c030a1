/* spill.h - the layout of a spill file: what a running process has recorded, readable at any moment.
 *
 * One file a process, "HOST-PID-NANOSECONDS.spill", in the folder "LOG.spill/". It is mapped and stored into by
 * liblog/, and read back by MPI_Finalize's merge, by `pith recover`, and by whoever wants to look at a running program.
 * It is of one machine and one version of Pith: native byte order, no conversion. Nothing is promised to outlive a
 * version; a reader refuses another magic.
 *
 *     [process page 4096][chunk][chunk] ...
 *
 * A chunk belongs to one lane (thread), or holds definitions (lane PITHI_SPILL_DEFS). Chunks of a lane are numbered by
 * `seq` from 0. Its size is in its header; the next chunk begins there, or behind a hole of zero pages: one of
 * PITHI_SPILL_ALIGN bytes or more begins at a multiple of that, so that it can be mapped by large pages.
 *
 * A lane has two chunks that its thread stores into in turn, its windows. Before one is used again, as the chunk of a
 * higher seq, it is copied to the end of the file, where it never changes any more (magic stored last); then its lane
 * is set to PITHI_SPILL_FREE, its words to 0, and its header is filled anew (lane, then magic, last). So a chunk of the
 * same lane and seq may be there twice, for a moment or because the process died then: both are whole. Who follows a
 * running process looks at the window's lane and seq after reading from it; if they are others, he goes on in the copy,
 * at the same word.
 *
 * A ring (a flight recorder, and any recording before its window begins) has more and smaller chunks, and uses the
 * oldest again without a copy. What its records left open must not be lost with them, so each chunk of a ring has,
 * between header and words, room for the states that were open at its start (struct pithi_spill_open). Chunk 0 knows
 * from the start that there are none. When chunk S + 2 is begun, S is settled: its states, taken through its records,
 * are stored in S + 1, `known` last. Only a settled chunk is set to PITHI_SPILL_FREE, so at any moment all chunks of a
 * lane but the newest know their states, and so does the newest if it is the only one.
 *
 * The file tells whether something is missing in it. The page counts chunks and definitions and says how far the file
 * reaches; each count goes up when what it counts is there, so a death in between is no loss. Chunks of a lane have no
 * gap in their `seq`, and each says how many words were stored before it. A chunk that its thread left two chunks
 * behind is sealed: `words` and `check` tell what it must hold. (spill_missing.h finds what it does not.)
 *
 * Words after the last stored one are 0, and no stored record begins with a word of 0; so a record is there when its
 * first word is neither 0 nor PITHI_W_CLAIMED (it is stored last). Records behind such words are good.
 */
#ifndef PITHI_SPILL_H
#define PITHI_SPILL_H

#include <stdint.h>

#define PITHI_SPILL_MAGIC UINT64_C(0x31304c4c49505350) /* "PSPILL01" */
#define PITHI_CHUNK_MAGIC UINT64_C(0x31304b4e48435350) /* "PSCHNK01" */
#define PITHI_SPILL_PAGE 4096u
#define PITHI_SPILL_ALIGN (2u << 20)
#define PITHI_SPILL_DEFS UINT32_MAX
#define PITHI_SPILL_FREE (UINT32_MAX - 1) /* a chunk that is being emptied for use again: skip it */

/* Two readings of one moment. */
struct pithi_anchor {
    uint64_t ticks;
    int64_t mono_ns; /* CLOCK_MONOTONIC */
    int64_t real_ns; /* CLOCK_REALTIME */
};

struct pithi_spill_page {
    uint64_t magic;     /* stored last */
    uint32_t clock;     /* enum pithi_spill_clock */
    int32_t rank, size; /* in the job; -1, 0 before pith_job_join */
    uint32_t pid;
    uint64_t job;      /* the same in all processes of a job; until joined, a number of the process's own */
    uint64_t lost;     /* records not stored, so far */
    uint64_t finished; /* 1: the log was written, the file may go */
    char host[256];
    char boot_id[64]; /* processes with the same one share CLOCK_MONOTONIC and the ticks */
    char program[1024];
    char log[1024];                  /* name of the log to be */
    struct pithi_anchor first, last; /* at the start; at the newest chunk or definition */
    uint64_t last_version;           /* odd while `last` is being stored */
    /* PITH_FROM and PITH_TO, as CLOCK_MONOTONIC: readers leave out what lies before or after (spill_trim.h). `zero_ns`
     * is the moment that they count from, and time 0 of the log; 0: there is no window. */
    int64_t zero_ns, from_ns, to_ns;
    uint64_t first_posted; /* order number of the first receive posted for this log */
    /* For finding missing data (spill_missing.h). Counted after the data are stored: all that is counted was there. */
    uint64_t end_bytes;   /* size of the file; 0: this and the following are unknown */
    uint64_t chunks;      /* those of PITHI_SPILL_FREE not counted */
    uint64_t most_words;  /* the lanes have stored so many at most, with those in chunks that were used again */
    uint64_t definitions; /* records of definitions */
};
_Static_assert(sizeof(struct pithi_spill_page) <= PITHI_SPILL_PAGE, "the process page holds all of it");

enum pithi_spill_clock { PITHI_CLOCK_NS, PITHI_CLOCK_TSC, PITHI_CLOCK_ARM64 };

/* The words of a chunk begin after its header. The last PITHI_CHUNK_SLACK of them are only used when a signal handler
 * records between another record's look at the limit and its claim of a word. */
#define PITHI_CHUNK_SLACK 64

struct pithi_chunk {
    uint64_t magic;      /* stored last */
    uint64_t size_bytes; /* with this header; a multiple of 4096 */
    uint32_t lane;
    uint32_t seq;
    uint64_t base_ticks; /* full time at the chunk's start; the first record is not more than 2^38 ticks away */
    struct pithi_anchor anchor;
    uint64_t lost;         /* records lost after this chunk's last one: there was no room for another chunk */
    uint64_t overwritten;  /* records of this lane, all in all, whose chunks were used again (PITH_WHEN_FULL=ring) */
    uint64_t newer;        /* not 0: the lane goes on in another chunk (its address, the process's own matter) */
    uint64_t open_bytes;   /* of a struct pithi_spill_open behind the header, then the words begin; 0: not of a ring */
    uint64_t records;      /* of a ring: how many it holds, when its owner has left it and the next one */
    uint64_t words_before; /* stored by this lane in all chunks before; a store that was late may be missing */
    uint64_t words, check; /* of a sealed chunk: its words, and pithi_spill_sum() of them; words 0: not sealed */
    uint64_t reserved;
};
_Static_assert(sizeof(struct pithi_chunk) == 128, "words start at byte 128");

/* The states open at one moment of a lane, outermost first. A LEAVE ends the innermost open state of its id, wherever
 * that stands. States beyond PITHI_OPEN_ROOM entries are only counted, and as many LEAVEs then end none: the outer
 * ones, such as `main`, are the ones that would be missed. The same state entered n times in a row is one entry. */
#define PITHI_OPEN_ROOM 252
struct pithi_spill_open {
    uint32_t known;                    /* 1: this was found out; stored last */
    uint32_t count;                    /* of entries */
    uint64_t above;                    /* states open beyond those */
    uint32_t entries[PITHI_OPEN_ROOM]; /* id | (n - 1) << 20 */
};
_Static_assert(sizeof(struct pithi_spill_open) == 1024, "1 KiB of each chunk of a ring");

/* ---- Records of a lane ------------------------------------------------------------------------------------------- */

/* First word: ticks 40 bits | id 20 bits | kind 4 bits (PITH_WORD_ in pith.h). Full time: the value nearest to the time
 * of the record before that has these low 40 bits (so a step back of less than 2^39 ticks is understood). */
enum pithi_word {
    PITHI_W_NONE,
    PITHI_W_ENTER, /* id = state */
    PITHI_W_LEAVE,
    PITHI_W_EVENT,       /* id = event */
    PITHI_W_EVENT_DATA,  /* + word: size_bytes | (uint64_t)comm << 32; + (size_bytes + 7) / 8 words of payload */
    PITHI_W_COUNTER,     /* + word: the double */
    PITHI_W_SEND,        /* id = comm; + word: peer | (uint64_t)tag << 32; + word: bytes */
    PITHI_W_RECV,        /* id = comm; + word: peer | tag << 32; + word: bytes; + word: posted */
    PITHI_W_COLL,        /* id = comm; + word: root (low 32 bits); + word: bytes given; + word: bytes received */
    PITHI_W_COMM_CREATE, /* id = comm */
    PITHI_W_COMM_FREE,
    PITHI_W_PAUSE,
    PITHI_W_RESUME,
    PITHI_W_LOST,    /* + word: how many records were lost here (a payload cut, a handler that came at a bad moment) */
    PITHI_W_TIME,    /* + word: full ticks, for the records after it (a gap of more than 2^38 ticks) */
    PITHI_W_CLAIMED, /* id = words: what a record of several words begins with until it is stored. It stays when a
                        signal handler jumps out of the recording call (siglongjmp), as does a word of 0 in an even
                        worse moment */
};
#define PITHI_WORD_TICKS_BITS 40
#define PITHI_WORD_ID_MASK 0xfffffu
#define PITHI_WORD_ID_MAX 0xffffeu /* the one above it stands for what is left out, and is never stored */

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

/* In chunks of lane PITHI_SPILL_DEFS, after the header: records of multiples of 8 bytes, the size stored last. Ids of
 * states, events and counters come from one series (1, 2, ...). Strings are NUL-terminated, one after another. */
struct pithi_spill_def {
    uint32_t size_bytes; /* of this record with its strings; 0: no more in this chunk */
    uint16_t type;       /* enum pithi_spill_def_type */
    uint16_t reserved;
    uint32_t id;    /* of the definition, communicator or lane */
    uint32_t check; /* pithi_spill_def_check(); 0: not told */
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
    uint64_t key;
    int32_t rank, size, remote_size;
    int32_t reserved;
};

/* A sync point: the clock of this process's machine compared with the reference's, that of rank 0's machine (number 0,
 * whose own points have offset and round trip 0). clock_sync.h says what is made of them. */
struct pithi_sync {
    int64_t local_ns;  /* CLOCK_MONOTONIC here */
    int64_t offset_ns; /* what the reference's showed more at that moment, give or take round_ns / 2 */
    int64_t round_ns;  /* the round trip that told so */
    int64_t shift_ns;  /* the reference's CLOCK_REALTIME - CLOCK_MONOTONIC */
};

#endif
