/* spill_walk.h - one spill file from inside: its chunks, definitions and lanes, and the walk over a lane's records.
 *
 * Used by the merge at the end of a run (liblog/merge.c) and by the reader of what dead runs left (spill_read.c). The
 * file may still be written to while it is read, and may hold any bytes: every length is checked once, on a copy.
 */
#ifndef PITHI_SPILL_WALK_H
#define PITHI_SPILL_WALK_H

#include "pithlog.h"
#include "spill/clock_sync.h"
#include "spill/spill.h"
#include "spill/spill_time.h"

struct pithi_spill_chunk {
    uint64_t offset, size; /* in the file; of the part that is there */
    uint64_t base_ticks, lost, overwritten;
    uint64_t whole, words_before, words, check; /* its size by its header; the others as there */
    uint32_t lane, seq;
    uint32_t open_bytes; /* between header and words; not 0: of a ring, which uses it again without a copy */
    int kept;            /* what is read stays as it is (pithi_spill_open_still) */
};

struct pithi_spill_lane {
    uint32_t lane;         /* thread number */
    uint32_t first, count; /* its chunks */
    const char *name;      /* "" if the program gave none */
    uint64_t lost, overwritten;
};

/* A communicator of the process; its strings and members lie in the mapped file (size 0: members not in this file). */
struct pithi_spill_comm_def {
    struct pithlog_comm comm;
    int32_t rank;
    int defined;
};

struct pithi_spill_property {
    const char *key, *value;
};

struct pithi_spill {
    const char *path;
    const unsigned char *data;
    size_t size;
    int mapped;                       /* data is ours to unmap */
    int still, fd;                    /* opened by pithi_spill_open_still, from this descriptor */
    int settled;                      /* so opened: the chunks are those of one moment */
    struct pithi_spill_page page;     /* a copy, its strings ended */
    struct pithi_spill_chunk *chunks; /* sorted by lane and seq */
    uint32_t chunk_count;
    struct pithi_spill_lane *lanes;
    uint32_t lane_count;
    struct pithlog_def *defs;           /* by id; name NULL: not defined */
    uint32_t def_count;                 /* highest id + 1 */
    struct pithi_spill_comm_def *comms; /* by id; 0 is the world */
    uint32_t comm_count;
    struct pithi_spill_property *properties;
    uint32_t property_count;
    uint64_t definitions, definitions_wrong; /* records of definitions read; of these, with a wrong check value */
    struct pithi_anchor *anchors; /* the page's and the chunks' */
    uint32_t anchor_count;
    struct pithi_sync *syncs; /* sync points; after pithi_spill_fit sorted, and those that count */
    uint32_t sync_count;
    uint32_t clock_number;        /* where there are any: the number of the clock in the job */
    struct pithi_spill_time time; /* after pithi_spill_fit; the reference's time where there are sync points */
};

/* Maps and scans the file. Fails when it is no spill file. */
int pithi_spill_open(struct pithi_spill *spill, const char *path);
/* The same for the file of a process that may be running: what is in the chunks that it stores into is kept as it is
 * now; of a ring, what is not used again before the walk comes to it. */
int pithi_spill_open_still(struct pithi_spill *spill, const char *path);
/* Sees to it that a chunk of a file so opened stays as it is while it is read: 1; 0: it is another one by now. */
int pithi_spill_keep(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* 1: it holds something else by now, the process runs on. */
int pithi_spill_used_again(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* Gives back the memory that pithi_spill_keep took. */
void pithi_spill_let_go(const struct pithi_spill *spill, const struct pithi_spill_chunk *chunk);
/* The same with bytes that are in memory already. */
int pithi_spill_scan(struct pithi_spill *spill, const char *path, const void *data, size_t size);
/* Fits the clock; to be called once, before any time is asked for. `base`: see pithi_time_fit; NULL. */
int pithi_spill_fit(struct pithi_spill *spill, const struct pithi_anchor_pair *base);
void pithi_spill_close(struct pithi_spill *spill);

/* The definitions in [*at, end): taken, and *at moved behind the last one that is whole. What they point to stays in
 * the bytes. */
int pithi_spill_take_defs(struct pithi_spill *spill, const char **at, const char *end);

/* The page of a spill file alone: returns PITH_OK when it is one. */
int pithi_spill_page_read(struct pithi_spill_page *page, const char *path, const void *data, size_t size);

/* Where a lane's reader stands. The maps translate ids of the process to those of the log; a record whose id they do
 * not hold (UINT32_MAX, or past the end; at most the spill's def_count), or that is of another kind than what the id
 * was defined as, is dropped and counted. */
struct pithi_spill_walk {
    const uint32_t *ids, *comms;
    uint32_t id_count, comm_count;
    const struct pithi_spill_number *numbers; /* what ids from PITHI_NUMBER_ID on are (spill_numbers.h) */
    uint32_t lane_id;   /* what record->lane is set to */
    int64_t shift_ns;   /* added to spill->time */
    uint64_t dropped;   /* records under ids that were never defined, or as something else */
    uint64_t damaged;   /* chunks that ended in bytes which are no record */
    int cut;            /* set when a chunk is begun and the records before it are not there; the caller's to reset */
    uint64_t cut_ticks; /* the time of it */
    const struct pithi_spill_open *open; /* the states open there; NULL: not known */
    int by_number; /* set when a state's record was one by number; the caller's to reset */
    int live;      /* 1: a word of 0 is not the end of the chunk, but where it ends so far; 0 is returned, and the
                         walk goes on there later */
    int zero_ends; /* 1: nothing is looked for behind a word of 0, for the chunk may be emptied at this moment */
    /* private */
    const struct pithi_spill *spill;
    const struct pithi_spill_lane *lane;
    const uint64_t *word, *end;
    const struct pithi_span *span;
    uint64_t ticks, lost;
    int64_t last_ns;
    uint32_t chunk, seq; /* the next ones */
    struct pithlog_record second; /* of a number that is two records; kind 0: none */
    unsigned char text[2 + 32];   /* its payload, as a string */
};
void pithi_spill_walk(struct pithi_spill_walk *walk, const struct pithi_spill *spill, uint32_t lane_index);
/* Sets the fields of the next record that its kind uses; the others must be 0 (peer: -1) from the start, and stay so.
 * 1; 0 at the end. Times do not fall. */
int pithi_spill_next(struct pithi_spill_walk *walk, struct pithlog_record *record);

/* A moment of the lane, in log time. */
int64_t pithi_spill_walk_ns(const struct pithi_spill_walk *walk, uint64_t ticks);

/* When the log begins that is made of this process, CLOCK_MONOTONIC (of the reference, where
 * there are sync points); INT64_MAX: there is nothing to be in it. After
 * pithi_spill_fit. */
int64_t pithi_spill_begin_ns(const struct pithi_spill *spill);

/* How many words the record beginning with `word` takes; `room` are there. 0: none begins here. */
uint64_t pithi_spill_record_words(const uint64_t *word, uint64_t room);

/* The way from `ticks` to the nearest time that has the low 40 bits of a record's first word. */
static inline uint64_t pithi_spill_step(uint64_t first, uint64_t ticks)
{
    return (uint64_t)((int64_t)(((first >> 24) - ticks) << 24) >> 24);
}

/* The first word that is not 0; `end`: there is none. */
const uint64_t *pithi_spill_behind_hole(const uint64_t *word, const uint64_t *end);

#endif
