/* spill_walk.h - reads a spill file: its chunks, definitions and lanes, and then the records of a lane one by one.
 *
 * Used by the merge at the end of a run (liblog/merge.c) and to read the spill files of dead processes (spill_read.c).
 * The file may be written to meanwhile and may contain any bytes: every length is checked once, on a copy.
 */
#ifndef PITHI_SPILL_WALK_H
#define PITHI_SPILL_WALK_H

#include "pithlog.h"
#include "spill/clock_sync.h"
#include "spill/spill.h"
#include "spill/spill_time.h"

struct pithi_spill_chunk {
    uint64_t offset, size;                      /* in the file; size: of the existing part */
    uint64_t base_ticks, lost, overwritten;     /* as in struct pithi_chunk */
    uint64_t whole, words_before, words, check; /* from its header; whole: the full size of the chunk */
    uint32_t lane, seq;                         /* of the header */
    uint32_t open_bytes; /* between header and words; not 0: of a ring, which reuses it without a copy */
    int kept;            /* 1: its contents cannot change (pithi_spill_open_still) */
};

struct pithi_spill_lane {
    uint32_t lane;              /* thread number */
    uint32_t first, count;      /* its chunks are chunks[first .. first + count - 1] */
    const char *name;           /* "" if the program gave none */
    uint64_t lost, overwritten; /* of all its chunks */
};

/* A communicator of the process; its strings and members lie in the mapped file (size 0: members not in this file). */
struct pithi_spill_comm_def {
    struct pithlog_comm comm;
    int32_t rank; /* of this process in it */
    int defined;  /* 1: its definition was found */
};

struct pithi_spill_property {
    const char *key, *value;
};

struct pithi_spill {
    const char *path;          /* for messages */
    const unsigned char *data; /* the file, mapped or in memory */
    size_t size;
    int mapped;                       /* unmap data at the end */
    int still, fd;                    /* still: 1: opened by pithi_spill_open_still; fd is its descriptor */
    int settled;                      /* 1: all chunks are as they were at one moment (only if `still`) */
    struct pithi_spill_page page;     /* a copy, with terminated strings */
    struct pithi_spill_chunk *chunks; /* sorted by lane and seq */
    uint32_t chunk_count;
    struct pithi_spill_lane *lanes; /* [lane_count] */
    uint32_t lane_count;
    struct pithlog_def *defs;           /* by id; name NULL: not defined */
    uint32_t def_count;                 /* highest id + 1 */
    struct pithi_spill_comm_def *comms; /* by id; 0 is the world */
    uint32_t comm_count;
    struct pithi_spill_property *properties; /* [property_count] */
    uint32_t property_count;
    uint64_t definitions, definitions_wrong; /* records of definitions read; of these, with a wrong check value */
    struct pithi_anchor *anchors;            /* the page's and the chunks' */
    uint32_t anchor_count;
    struct pithi_sync *syncs; /* sync points; after pithi_spill_fit sorted and without useless ones */
    uint32_t sync_count;
    uint32_t clock_number;        /* if there are sync points: the number of the clock in the job */
    struct pithi_spill_time time; /* after pithi_spill_fit; reference time if there are sync points */
};

/* Maps and scans the file. Fails if it is no spill file. */
int pithi_spill_open(struct pithi_spill *spill, const char *path);
/* Opens the file of a process that may be running. It keeps the present contents of the chunks into which the process
 * stores. A ring may reuse its other chunks before a walk reaches them; the walk then leaves those chunks out. */
int pithi_spill_open_still(struct pithi_spill *spill, const char *path);
/* If the file is of a running process, keeps the contents of a chunk while the chunk is read. Returns 0 if the process
 * has already reused the chunk, else 1. */
int pithi_spill_keep(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* 1: the running process has reused the chunk. */
int pithi_spill_used_again(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Returns the memory that pithi_spill_keep took. */
void pithi_spill_let_go(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Like pithi_spill_open, for a file whose bytes are in memory. They must stay until pithi_spill_close. */
int pithi_spill_scan(struct pithi_spill *spill, const char *path, const void *data, size_t size);
/* Fits the clock; call it once, before any time is needed. `base` (may be NULL): see pithi_time_fit. */
int pithi_spill_fit(struct pithi_spill *spill, const struct pithi_anchor_pair *base);
void pithi_spill_close(struct pithi_spill *spill);

/* Reads the definitions in [*at, end) and moves *at after the last complete one. They point into the bytes. */
int pithi_spill_take_defs(struct pithi_spill *spill, const char **at, const char *end);

/* 1: a spill file of this or another version of Pith. */
int pithi_spill_is_any(const void *data, size_t size);
/* Reads only the process page: PITH_OK if it is a spill file, PITH_ERR_UNSUPPORTED if it is one of another version. */
int pithi_spill_page_read(struct pithi_spill_page *page, const char *path, const void *data, size_t size);
/* Reads the process page of an open file. */
int pithi_spill_page_load(struct pithi_spill_page *page, const char *path, int fd);

/* The position of a lane's reader. The maps translate ids of the process to ids of the log. A record is dropped and
 * counted if the map has no id for it (UINT32_MAX, or past the map's end) or if the id was defined as another kind. The
 * map `ids` has at most as many entries as the spill's def_count. */
struct pithi_spill_walk {
    const uint32_t *ids, *comms; /* by id of the process: the log's id */
    const uint32_t *states;      /* for pithi_spill_next_states; [id_count] */
    uint32_t id_count, comm_count;
    const struct pithi_spill_number *numbers; /* for ids from PITHI_NUMBER_ID on (spill_numbers.h) */
    uint32_t lane_id;                         /* becomes record->lane */
    int64_t shift_ns;                         /* added to spill->time */
    uint64_t state_records;                   /* number of records taken by pithi_spill_next_states */
    uint64_t dropped;                         /* records with ids never defined, or defined as another kind */
    uint64_t damaged;                         /* chunks that ended with bytes that are no record */
    int cut;            /* set at the start of a chunk if the records before it are missing; the caller resets it */
    uint64_t cut_ticks; /* the time of the cut */
    const struct pithi_spill_open *open; /* the states open at the cut; NULL: not known */
    int by_number;                       /* set if a state was recorded by number; the caller resets it */
    int live;      /* 1: pithi_spill_next returns 0 at a word of 0 and continues there later, as more may be stored */
    int zero_ends; /* 1: a word of 0 ends the chunk, which the process may be emptying */
    /* private */
    const struct pithi_spill *spill;
    const struct pithi_spill_lane *lane;
    const uint64_t *word, *end;    /* the next word; the end of the chunk */
    const struct pithi_span *span; /* the span of the last time */
    uint64_t ticks, lost;          /* ticks of the last record; losses for the next LOST record */
    int64_t last_ns;               /* of the last record; a lower time is raised to it */
    uint32_t chunk, seq;           /* of the next chunk: its index in the lane, the expected `seq` */
    struct pithlog_record second;  /* second record of a number that becomes two; kind 0: none */
    unsigned char text[2 + 32];    /* a copy of the payload of a number, with room for its length in front */
};
void pithi_spill_walk(struct pithi_spill_walk *walk, const struct pithi_spill *spill, uint32_t lane_index);
/* Reads the next record: 1; 0 at the end. Sets only the fields that its kind uses; the caller passes the same struct
 * each time, with all other fields 0 (peer: -1) before the first call. Times never decrease. */
int pithi_spill_next(struct pithi_spill_walk *walk, struct pithlog_record *record);

/* Reads the next records as long as they enter or leave states, and puts them into `states` (block.h). walk->states has
 * pithi_said(0, id) by id of the process; UINT32_MAX: not a state, or recorded by number. */
struct pithi_states;
void pithi_spill_next_states(struct pithi_spill_walk *walk, struct pithi_states *states);

/* Converts ticks of the lane to log time. */
int64_t pithi_spill_walk_ns(const struct pithi_spill_walk *walk, uint64_t ticks);

/* The start of a log made from this process, in CLOCK_MONOTONIC (of the reference if there are sync points); INT64_MAX:
 * there are no records. After pithi_spill_fit. */
int64_t pithi_spill_begin_ns(const struct pithi_spill *spill);

/* The number of words of the record at `word`, of at most `room`. 0: no record begins here. */
uint64_t pithi_spill_record_words(const uint64_t *word, uint64_t room);

/* The difference from `ticks` to the nearest time with the low 40 bits of a record's first word. */
static inline uint64_t pithi_spill_step(uint64_t first, uint64_t ticks)
{
    return (uint64_t)((int64_t)(((first >> 24) - ticks) << 24) >> 24);
}

/* The first word that is not 0; `end`: there is none. */
const uint64_t *pithi_spill_behind_hole(const uint64_t *word, const uint64_t *end);

#endif
