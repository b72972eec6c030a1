/* log.h - an open native log for reading.
 *
 * Opening (load.c) reads header, footer, definitions, hosts, communicators and the rank table. The data of one rank,
 * its lanes and its numbers of communicators, is a *part*; it is loaded when it is first needed (part.c), and kept.
 * Lists of blocks stay in the file and are read in windows (lane.c). So memory grows only with ranks (about 60 bytes
 * each), with lanes that are read (about 200 bytes each), and with the lists of the summaries that are used
 * (lane_summary.c, shared by all users).
 *
 * Threads may share an open log: loaded data is published by one pointer and never changed. A log without an index is
 * rebuilt from its blocks (rebuild.c); then everything is loaded at once.
 */
#ifndef PITHI_LOG_H
#define PITHI_LOG_H

#include <stdio.h>

#include "native/defs.h"
#include "native/log_files.h"

struct pithi_log_block {
    uint64_t offset;           /* offset of the block's chunk */
    int64_t first_ns, last_ns; /* times of the first and last record of the block */
    uint32_t count, kinds;     /* `kinds`: a mask */
    uint32_t is_after_hole;    /* 1: the index was rebuilt, and blocks just before this one were not found */
    uint32_t size;             /* of the chunk; 0: not known */
};

struct pithi_log_part;

struct pithi_log_lane {
    struct pithlog_lane seen;          /* the result of pithlog_get_lane */
    const struct pithi_log_part *part; /* the part of its rank */
    uint64_t states, events, messages, lost;
    uint64_t list;                  /* offset of its list of blocks */
    struct pithi_log_block *blocks; /* NULL: the list is read from the file; else it was rebuilt from the blocks */
    uint32_t block_count, block_room;
    uint32_t kinds;                   /* mask over all blocks, in a log whose index was rebuilt */
    uint64_t reached;                 /* during a rebuild: records of the lane up to the end of the last block found */
    uint64_t sheets;                  /* offset of the list of its sheets; its paths follow the list */
    uint32_t sheet_count, path_bytes; /* sheet_count 0: it has no summary */
};

struct pithi_log_part {
    int32_t rank;
    struct pithi_log_lane *lanes; /* by thread */
    uint32_t lane_count, lane_room;
    uint32_t *comms; /* [comm_count] the log's number for each number of the rank; UINT32_MAX: never described */
    uint32_t comm_count, comm_room;
    uint64_t missing; /* records that the rank table counts, but a rebuild did not find */
    uint64_t base;    /* after a rebuild: offset that a message about `missing` names */
    char *host;       /* during a rebuild: the host named by the rank's META chunk */
    uint64_t pid;     /* of the process; 0: unknown */
};

/* A rank of the rank table. Ranks are sorted. */
struct pithi_log_rank {
    int32_t rank;
    uint32_t first_lane, lane_count; /* first_lane: the log's number of its first lane */
    uint32_t host, clock;            /* numbers of the host, the clock */
    uint64_t pid, records;
    uint64_t base, index, index_size; /* offset of the segment (0: mixed with others); offset and bytes of its index */
    struct pithi_log_part *part;      /* NULL: not loaded yet */
};

struct pithlog {
    char *path; /* as the user gave it; messages begin with it */
    struct pithi_files files;
    struct pithlog_info info;
    struct pithi_defs *defs;     /* read when the log is opened */
    struct pithi_places *places; /* hosts and communicators: those in `defs`; if rebuilt, `found` */
    struct pithi_places found;   /* if rebuilt: hosts and communicators in the META chunks */
    uint64_t *tellers; /* if rebuilt: by communicator, offset of the META chunk that lists its members; 0: none */
    struct pithi_log_rank *ranks;
    uint32_t rank_count;               /* number of ranks in `ranks` */
    uint32_t *lane_ranks;              /* [lanes] index of each lane's rank in `ranks` */
    struct pithlog_comm **comms;       /* [communicators] each made at its first request */
    struct pithi_lane_sheets **sheets; /* [lanes] loaded at the first request, like parts; lane_summary.h */
    struct pithi_lost_states **lost;   /* [lanes] loaded likewise, each in one allocation; reader/read/lane_blocks.h */
    uint64_t *records_read; /* iterators add the number of records of each block that they read; NULL: not counted */
    struct pithi_clock *clocks; /* clocks.h */
    uint32_t clock_count;
    int clocks_known; /* 1: the log states how well its clocks agree */
    /* Gets the text of each damage found; may be NULL. */
    void (*say)(void *context, const char *text);
    void *say_context;             /* for `say` */
    uint32_t damages;              /* reported so far */
    int rebuilt;                   /* 1: the index was missing or damaged and was rebuilt from the blocks */
    struct pithi_watched *watched; /* progress while the log is opened; or NULL */
};

/* ---- Lanes and blocks -------------------------------------------------------------------------------------------- */

/* Gets a lane, which is loaded at the first use and valid until the log is closed. Any thread may call it. On an error,
 * some of the lane's records are lost (pithlog_error() has the reason): *found still has the others, or is NULL if the
 * lane cannot be read at all. */
int pithi_log_lane(struct pithlog *log, uint32_t lane, const struct pithi_log_lane **found);

/* Returns the index of a lane's rank in the rank table. */
uint32_t pithi_log_rank_of(const struct pithlog *log, uint32_t lane);
uint32_t pithi_log_ranks(const struct pithlog *log);
const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index);
const struct pithi_log_rank *pithi_log_find_rank(const struct pithlog *log, int32_t number); /* NULL: no such rank */
const char *pithi_log_host(const struct pithlog *log, const struct pithi_log_rank *rank);

/* A lane's list of blocks is read piecewise; a window holds a few successive entries of it. All zero is an empty
 * window. Each thread needs a window of its own, which may serve any lanes, one after another. */
enum { PITHI_LOG_WINDOW = 16 };
struct pithi_log_window {
    const struct pithi_log_lane *lane;               /* the lane of these blocks */
    uint32_t first, count;                           /* index of the first block in memory; their number */
    struct pithi_log_block blocks[PITHI_LOG_WINDOW]; /* count 0: damaged */
};

/* Gets block `index` (less than lane->block_count) of a lane. On an error, this block is lost; see pithlog_error(). */
int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                    struct pithi_log_window *window, struct pithi_log_block *block);

/* Returns the index of the first block that ends at or after `from_ns`; lane->block_count if there is no such block. In
 * a damaged list, the result may be an earlier block. */
uint32_t pithi_log_block_at(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns,
                            struct pithi_log_window *window);

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* Like pithlog_open_watched; reports each damage to `say`. */
int pithi_log_open(const char *path, void (*say)(void *context, const char *text), void *context,
                   int (*progress)(void *context, double part), struct pithlog **log);

/* Opens a log by reading all blocks, without its index. In a damaged log, this finds more than any other way. */
int pithi_log_open_blocks(const char *path, struct pithlog **log);

/* Opens a native log from an open file, which the log then owns, also after an error. Error messages begin with
 * `name`. */
int pithi_log_open_file(const char *name, int fd, struct pithlog **log);

/* For programs that draw nothing: logs of other formats that this process opens later get no summaries of lanes. (If a
 * summary is needed after all, struct pithlog_summary makes it then.) */
void pithi_log_plain(void);

/* Returns 1 if a file with this beginning is a native log, intact or damaged. */
enum { PITHI_NATIVE_START = PITHI_HEADER_SIZE + PITHI_CHUNK_HEAD };
int pithi_native_is(const unsigned char *start, size_t size);

/* Loads the log from log->files, of which the caller has set path, fd and size. With `blocks` 1, it reads all blocks
 * without the index, as pithi_log_open_blocks does. */
int pithi_log_load(struct pithlog *log, int blocks);
void pithi_log_unload(struct pithlog *log);

/* Writes the first file of the log to `out`, with the present definitions and properties of log->defs in a new DEFS
 * chunk at the end. All other chunks keep their places. The old DEFS chunk stays in the file, unless an earlier call of
 * this function added it: then the new one replaces it. Not for a log that was rebuilt. */
int pithi_log_redefine(struct pithlog *log, FILE *out);

/* Loads the log by scanning its files for chunks; ignores footer and indexes. */
int pithi_log_rebuild(struct pithlog *log);

/* Fills in log->clocks from the log's properties. */
int pithi_log_clocks(struct pithlog *log);

/* Counts a damage in log->damages and reports it to log->say. Returns PITH_ERR_DAMAGED, with pithlog_error() set. */
int pithi_log_damage(struct pithlog *log, uint64_t offset, const char *what);

/* ---- Properties -------------------------------------------------------------------------------------------------- */

/* Returns the value of a log's property; NULL if the log does not have it. */
const char *pithi_property(const struct pithlog *log, const char *key);

/* The kind of an event of SPEC.md, "Samples". Both name and format of the definition must agree, because a log that was
 * converted through a format without binary payloads (Chrome JSON, ALOG) has events of these names with payloads that
 * are text. */
enum pithi_code_event { PITHI_NO_CODE, PITHI_CODE_SAMPLE, PITHI_CODE_SITE, PITHI_CODE_MODULE, PITHI_CODE_NAME };
enum pithi_code_event pithi_code_event(const struct pithlog_def *def);

/* Returns the time between two samples of a thread in ns. Sets *wall to 1 if this is wall-clock time, to 0 if it is CPU
 * time. */
int64_t pithi_sample_timing(const struct pithlog *log, int *wall);

/* ---- Parts, shared by load.c, part.c and rebuild.c ----------------------------------------------------------------
 */

/* Gets the part of a rank, loaded if necessary. Returns NULL if it cannot be read; see pithlog_error(). */
const struct pithi_log_part *pithi_log_part(struct pithlog *log, uint32_t rank);
/* Makes the part of a rank from its blocks alone. */
int pithi_part_rebuild(struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part);
/* Sorts the lanes of a part by thread, and fills in their fields that come from part and rank. */
void pithi_part_finish(const struct pithlog *log, const struct pithi_log_rank *rank, struct pithi_log_part *part);
void pithi_part_free(struct pithi_log_part *part);
/* Adds a lane at the end; returns NULL if there is no memory. The lane takes over `name`, which is malloc'ed, or the
 * constant "" for no name. */
struct pithi_log_lane *pithi_part_add_lane(struct pithi_log_part *part, uint32_t thread, const char *name);
void pithi_part_drop_lane(struct pithi_log_part *part); /* removes the last lane */
void pithi_lane_rename(struct pithi_log_lane *lane, char *name);
/* Gets the offsets of the META chunks that a rank's index names, malloc'ed. */
int pithi_part_metas(struct pithlog *log, const struct pithi_log_rank *rank, uint64_t **offsets, uint32_t *count);
/* Numbers the lanes (`first_lane` of each rank, log->lane_ranks), and allocates the log's arrays by lane and by
 * communicator. */
int pithi_log_number(struct pithlog *log);
/* Makes the public description of a communicator. Returns NULL if there is no memory. */
struct pithlog_comm *pithi_log_make_comm(struct pithlog *log, uint32_t index);
void pithi_log_free_comm(struct pithlog_comm *comm);
/* Returns the number of communicators that were requested so far and whose members cannot be read. */
uint32_t pithi_log_lost_comms(const struct pithlog *log);

/* Returns PITH_OK; PITH_ERR_UNSUPPORTED if the window is so long that sums over all lanes could overflow. */
int pithi_log_adds_up(const struct pithlog *log, int64_t from_ns, int64_t to_ns);

#endif
