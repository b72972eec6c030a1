/* spill_walk.h - reads a spill file: its chunks, definitions and lanes, and then the records of a lane one by one.
 *
 * Used by the merge at the end of a run (liblog/merge.c) and to read the spill files of dead processes (spill_read.c).
 * The file may change while it is read, and may contain any bytes. So every length is copied first, and the copy is
 * checked and used.
 */
#ifndef PITHI_SPILL_WALK_H
#define PITHI_SPILL_WALK_H

#include "pithlog.h"
#include "spill/clock_sync.h"
#include "spill/spill.h"
#include "spill/spill_time.h"

struct pithi_spill_chunk {
    uint64_t offset, size;                      /* place in the file, and size of the part that exists there */
    uint64_t base_ticks, lost, overwritten;     /* as in struct pithi_chunk */
    uint64_t whole, words_before, words, check; /* from the header; whole: the full size of the chunk */
    uint32_t lane, seq;                         /* from the header */
    uint32_t open_bytes; /* bytes between header and words; not 0 in a ring, which reuses the chunk without a copy */
    int kept;            /* 1: the contents of the chunk cannot change any more (pithi_spill_open_still) */
};

struct pithi_spill_lane {
    uint32_t lane;              /* thread number */
    uint32_t first, count;      /* its chunks are chunks[first .. first + count - 1] */
    const char *name;           /* "" if the program gave none */
    uint64_t lost, overwritten; /* of all its chunks */
};

/* A communicator of the process. Its strings and the list of its members lie in the mapped file. (If the size is 0,
 * this file does not have the members.) */
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
    int mapped;                       /* 1: `data` is mapped, so pithi_spill_close unmaps it */
    int still, fd;                    /* still: 1 if pithi_spill_open_still opened the file, with descriptor fd */
    int settled;                      /* 1: the copies of all chunks are of one moment (only if `still` is set) */
    struct pithi_spill_page page;     /* a copy, with terminated strings */
    struct pithi_spill_chunk *chunks; /* sorted by lane and seq */
    uint32_t chunk_count;
    struct pithi_spill_lane *lanes; /* [lane_count] */
    uint32_t lane_count;
    struct pithlog_def *defs;           /* by id; name NULL: not defined */
    uint32_t def_count;                 /* highest id + 1 */
    struct pithi_spill_comm_def *comms; /* by id; id 0 is MPI_COMM_WORLD */
    uint32_t comm_count;
    struct pithi_spill_property *properties; /* [property_count] */
    uint32_t property_count;
    uint64_t definitions, definitions_wrong; /* number of definitions read; number of those with a wrong check value */
    struct pithi_anchor *anchors;            /* from the process page and from the headers of the chunks */
    uint32_t anchor_count;
    struct pithi_sync *syncs; /* sync points; pithi_spill_fit sorts them and removes useless points */
    uint32_t sync_count;
    uint32_t clock_number;        /* the number of this machine's clock in the job, if there are sync points */
    struct pithi_spill_time time; /* set by pithi_spill_fit; it gives reference time if there are sync points */
};

/* Maps and scans the file. Fails if it is no spill file. */
int pithi_spill_open(struct pithi_spill *spill, const char *path);
/* Opens the file of a process that may be running. It copies the present contents of the chunks into which the process
 * stores. Other chunks of a ring may be reused before a walk reaches them; the walk then leaves those chunks out. */
int pithi_spill_open_still(struct pithi_spill *spill, const char *path);
/* If the process may be running, copies a chunk that could change while it is read. Returns 0 if the process has
 * already reused the chunk, else 1. */
int pithi_spill_keep(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Returns 1 if the running process has reused the chunk. */
int pithi_spill_used_again(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Frees the memory of the copy that pithi_spill_keep made. */
void pithi_spill_let_go(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Like pithi_spill_open, for a file whose bytes are in memory. The bytes must stay until pithi_spill_close. */
int pithi_spill_scan(struct pithi_spill *spill, const char *path, const void *data, size_t size);
/* Fits the clock; call it once, before any time is needed. `base` (may be NULL): see pithi_time_fit. */
int pithi_spill_fit(struct pithi_spill *spill, const struct pithi_anchor_pair *base);
void pithi_spill_close(struct pithi_spill *spill);

/* Reads the definitions in [*at, end) and moves *at past the last complete one. The strings of the definitions stay in
 * [*at, end) and are not copied. */
int pithi_spill_take_defs(struct pithi_spill *spill, const char **at, const char *end);

/* Returns 1 if the data is a spill file of this or another version of Pith. */
int pithi_spill_is_any(const void *data, size_t size);
/* Reads only the process page. Returns PITH_ERR_UNSUPPORTED for a spill file of another version of Pith,
 * PITH_ERR_FORMAT for other files. */
int pithi_spill_page_read(struct pithi_spill_page *page, const char *path, const void *data, size_t size);
/* Reads the process page of an open file. */
int pithi_spill_page_load(struct pithi_spill_page *page, const char *path, int fd);

/* A walk through the records of a lane. The caller sets the maps `ids`, `comms` and `states`, which translate ids of
 * the process to ids of the log. A record is dropped and counted if the map has no id for it (UINT32_MAX, or past the
 * map's end) or if its id was defined as another kind. The map `ids` has at most as many entries as the spill's
 * def_count. */
struct pithi_spill_walk {
    const uint32_t *ids, *comms; /* the log's id for each id of the process */
    const uint32_t *states;      /* for pithi_spill_next_states; [id_count] */
    uint32_t id_count, comm_count;
    const struct pithi_spill_number *numbers; /* for ids from PITHI_NUMBER_ID on (spill_numbers.h) */
    uint32_t lane_id;                         /* becomes record->lane */
    int64_t shift_ns;                         /* added to the times that spill->time gives */
    uint64_t state_records;                   /* number of records taken by pithi_spill_next_states */
    uint64_t dropped;                         /* number of records that were dropped, or found incomplete */
    uint64_t damaged;                         /* number of chunks that ended with bytes that are no record */
    int cut;            /* set at the start of a chunk if the records before it are missing; the caller resets it */
    uint64_t cut_ticks; /* the time of the cut */
    const struct pithi_spill_open *open; /* the states open at the cut; NULL: not known */
    int by_number;                       /* set if a state was recorded by number; the caller resets it */
    int live;      /* 1: pithi_spill_next returns 0 at a word of 0; the next call looks there again for new records */
    int zero_ends; /* 1: a word of 0 ends the chunk, because the process may be clearing it */
    /* private */
    const struct pithi_spill *spill;
    const struct pithi_spill_lane *lane;
    const uint64_t *word, *end;    /* the next word; the end of the chunk */
    const struct pithi_span *span; /* the span of the last time */
    uint64_t ticks, lost;          /* ticks of the last record; losses for the next LOST record */
    int64_t last_ns;               /* time of the last record; if the next time is lower, it is raised to this time */
    uint32_t chunk, seq;           /* index of the next chunk in the lane; its `seq` if no chunk is missing */
    struct pithlog_record second;  /* an event number may become two records: this is the second; kind 0: none */
    unsigned char text[2 + 32];    /* a copy of the payload of an event number, with room for its length in front */
};
void pithi_spill_walk(struct pithi_spill_walk *walk, const struct pithi_spill *spill, uint32_t lane_index);
/* Reads the next record and returns 1. Returns 0 at the end. It sets only the fields that the kind of the record uses.
 * So the caller passes the same struct each time, and before the first call it sets all fields to 0 (peer: -1). Times
 * never decrease. */
int pithi_spill_next(struct pithi_spill_walk *walk, struct pithlog_record *record);

/* Reads the next records as long as they enter or leave states, and puts them into `states` (native/block.h). It needs
 * walk->states, which has for each id of the process pithi_said(0, id of the log); UINT32_MAX: not a state, or recorded
 * by number. */
struct pithi_states;
void pithi_spill_next_states(struct pithi_spill_walk *walk, struct pithi_states *states);

/* Converts ticks of the lane to log time. */
int64_t pithi_spill_walk_ns(const struct pithi_spill_walk *walk, uint64_t ticks);

/* Returns the start of a log that is made from this process, in CLOCK_MONOTONIC (of the reference clock if there are
 * sync points). Returns INT64_MAX if there are no records. Call pithi_spill_fit first. */
int64_t pithi_spill_begin_ns(const struct pithi_spill *spill);

/* Returns the number of words of the record at `word`, or 0 if no record of at most `room` words begins there. */
uint64_t pithi_spill_record_words(const uint64_t *word, uint64_t room);

/* Returns what must be added to `ticks`, the time of the record before, to get the time of the record whose first word
 * is `first`: the nearest time whose low 40 bits are those of `first`. */
static inline uint64_t pithi_spill_step(uint64_t first, uint64_t ticks)
{
    return (uint64_t)((int64_t)(((first >> 24) - ticks) << 24) >> 24);
}

/* Returns the address of the first word from `word` on that is not 0, or `end` if there is none. */
const uint64_t *pithi_spill_behind_hole(const uint64_t *word, const uint64_t *end);

#endif
