/* log.h - an open native log, as the reading side sees it.
 *
 * Opening (load.c) reads what stands in front: header, footer, definitions, hosts, communicators, the rank table. What
 * belongs to one rank, its lanes and its numbers of communicators, is a *part*; it is loaded when something of that
 * rank is first asked for (part.c), and stays. Lists of blocks stay in the file and are read in windows (lane.c). So
 * memory grows with ranks (about 60 bytes each) and lanes looked at (about 200 bytes each), and of those of which the
 * summary is asked for with its list (sheets.c, once for all who ask), and with nothing else.
 *
 * An open log may be shared by threads: what is loaded is published by one pointer, never changed after.
 * A log without an index is made again from its blocks (rebuild.c); then everything is loaded at once.
 */
#ifndef PITHI_LOG_H
#define PITHI_LOG_H

#include "native/defs.h"
#include "native/log_files.h"

struct pithi_log_block {
    uint64_t offset; /* of the chunk */
    int64_t first_ns, last_ns;
    uint32_t count, kinds;
};

struct pithi_log_part;

struct pithi_log_lane {
    struct pithlog_lane seen; /* what pithlog_get_lane gives */
    const struct pithi_log_part *part;
    uint64_t states, events, messages, lost;
    uint64_t list;                  /* offset of its list of blocks */
    struct pithi_log_block *blocks; /* NULL: it is read from there; else made by looking at the blocks */
    uint32_t block_count, block_room;
    uint64_t sheets;                  /* offset of the list of its summary's sheets, and of its paths behind it */
    uint32_t sheet_count, path_bytes; /* 0: it has no summary */
};

struct pithi_log_part {
    int32_t rank;
    struct pithi_log_lane *lanes;
    uint32_t lane_count, lane_room;
    uint32_t *comms; /* of the rank's own numbers: the log's; UINT32_MAX: never described */
    uint32_t comm_count, comm_room;
    uint64_t missing; /* records that the rank table counts and that were not found */
    uint64_t base;    /* where they should be */
    char *host;       /* while it is made of its blocks: as described there */
    uint64_t pid;
};

/* A rank as the table has it. Ranks are sorted. */
struct pithi_log_rank {
    int32_t rank;
    uint32_t first_lane, lane_count;
    uint32_t host, clock;
    uint64_t pid, records;
    uint64_t base, index, index_size;
    struct pithi_log_part *part; /* NULL: not loaded yet */
};

struct pithlog {
    char *path;
    struct pithi_files files;
    struct pithlog_info info;
    struct pithi_defs *defs;
    struct pithi_places *places; /* hosts and communicators: the definitions', or `found` */
    struct pithi_places found;   /* by rebuilding */
    uint64_t *tellers;           /* by rebuilding: of each communicator the META chunk with its members; 0: none */
    struct pithi_log_rank *ranks;
    uint32_t rank_count;
    uint32_t *lane_ranks;        /* of each lane the index of its rank */
    struct pithlog_comm **comms; /* each made when it is first asked for */
    struct pithi_lane_sheets **sheets; /* [lanes] of those whose summary was asked for, as parts are loaded; sheets.h */
    uint64_t *records_read;      /* iterators add the records of each block that they take in; NULL: nobody asks */
    struct pithi_clock *clocks;  /* clocks.h */
    uint32_t clock_count;
    int clocks_known; /* 1: the log tells how far its ranks' clocks agree */
    /* Told of each damage that is found; may be NULL. */
    void (*say)(void *context, const char *text);
    void *say_context;
    uint32_t damages;
    int rebuilt; /* 1: the index was missing or damaged: made again from the blocks */
    struct pithi_watched *watched; /* while it is opened; NULL: by nobody */
};

/* ---- What readers of blocks ask for ------------------------------------------------------------------------------ */

/* The lane and what is known of it, loaded when it is first asked for; valid until the log is closed. Any thread.
 * Not PITH_OK: some of it is lost, told in pithlog_error(); *found is what is left, or NULL. */
int pithi_log_lane(struct pithlog *log, uint32_t lane, const struct pithi_log_lane **found);

/* The rank that a lane belongs to, its index among the log's ranks. */
uint32_t pithi_log_rank_of(const struct pithlog *log, uint32_t lane);
uint32_t pithi_log_ranks(const struct pithlog *log);
const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index);
const struct pithi_log_rank *pithi_log_find_rank(const struct pithlog *log, int32_t number); /* NULL: it has none */
const char *pithi_log_host(const struct pithlog *log, const struct pithi_log_rank *rank);

/* Part of a lane's list of blocks; lists are read in such parts. All zero is an empty one; one a thread, for any
 * lanes. */
enum { PITHI_LOG_WINDOW = 16 };
struct pithi_log_window {
    const struct pithi_log_lane *lane;
    uint32_t first, count;
    struct pithi_log_block blocks[PITHI_LOG_WINDOW]; /* count 0: damaged */
};

/* Block `index` (less than lane->block_count) of a lane. Not PITH_OK: this one is lost, told in pithlog_error(). */
int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                    struct pithi_log_window *window, struct pithi_log_block *block);

/* The first block that ends at or behind `from_ns`, block_count: none; an earlier one where the list is damaged. */
uint32_t pithi_log_block_at(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns,
                            struct pithi_log_window *window);

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* pithlog_open_watched, with each damage that it finds told. */
int pithi_log_open(const char *path, void (*say)(void *context, const char *text), void *context,
                   int (*progress)(void *context, double part), struct pithlog **log);

/* The same by looking at all blocks, whatever the index says: finds most in a damaged log. */
int pithi_log_open_blocks(const char *path, struct pithlog **log);

/* A native log in an open file, which is the log's from now on, also when it fails. `name`: for errors. */
int pithi_log_open_file(const char *name, int fd, struct pithlog **log);

/* A nameless file to read and write, in TMPDIR, /tmp, /var/tmp, else in memory; -1 and errno. */
int pithi_temporary_file(void);

/* 1: a file that begins so is a native log, whole or damaged. */
enum { PITHI_NATIVE_START = PITHI_HEADER_SIZE + PITHI_CHUNK_HEAD };
int pithi_native_is(const unsigned char *start, size_t size);

/* Loads from log->files (path, fd and size are set); `blocks`: as pithi_log_open_blocks. */
int pithi_log_load(struct pithlog *log, int blocks);
void pithi_log_unload(struct pithlog *log);

/* Loads by scanning, whatever the footer says. */
int pithi_log_rebuild(struct pithlog *log);

/* Fills in the clocks, when the properties are known. */
int pithi_log_clocks(struct pithlog *log);

/* Notes a damage found: counts it and tells log->say. Returns PITH_ERR_DAMAGED, with pithlog_error() set. */
int pithi_log_damage(struct pithlog *log, uint64_t offset, const char *what);

/* ---- Parts, shared by load.c, part.c and rebuild.c ----------------------------------------------------------------
 */

/* The part of a rank, loaded by now; NULL: it cannot be read, with pithlog_error(). */
const struct pithi_log_part *pithi_log_part(struct pithlog *log, uint32_t rank);
/* Makes the part of a rank from its blocks alone. */
int pithi_part_rebuild(struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part);
/* Its lanes sorted, and what they have of part and rank filled in. */
void pithi_part_finish(const struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part);
void pithi_part_free(struct pithi_log_part *part);
/* A new lane at the end; NULL: no memory. `name` becomes the lane's, or is "" for none. */
struct pithi_log_lane *pithi_part_add_lane(struct pithi_log_part *part, uint32_t thread, const char *name);
void pithi_part_drop_lane(struct pithi_log_part *part); /* the last */
void pithi_lane_rename(struct pithi_log_lane *lane, char *name);
/* The META chunks that a rank's index names, malloc'ed. */
int pithi_part_metas(struct pithlog *log, const struct pithi_log_rank *rank, uint64_t **offsets, uint32_t *count);
/* first_lane of all ranks, lane_ranks, room for communicators. */
int pithi_log_number(struct pithlog *log);
/* A communicator as the log tells of it. NULL: no memory. */
struct pithlog_comm *pithi_log_make_comm(struct pithlog *log, uint32_t index);
void pithi_log_free_comm(struct pithlog_comm *comm);

#endif
