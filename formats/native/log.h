/* log.h - an open native log, as the reading side sees it: load.c fills it, iterators read it. It does not change
 * after opening, so threads may share it.
 */
#ifndef PITHI_LOG_H
#define PITHI_LOG_H

#include "native/defs.h"
#include "native/map.h"

struct pithi_log_block {
    uint64_t offset; /* of the chunk */
    int64_t first_ns, last_ns;
    uint32_t count, kinds;
};

struct pithi_log_lane {
    struct pithlog_lane seen; /* what pithlog_get_lane gives; name and host belong to the log */
    uint32_t rank_index;
    struct pithi_log_block *blocks;
    uint32_t block_count, block_room;
    struct pithi_totals totals;
};

struct pithi_log_rank {
    int32_t rank;
    char *host;
    uint64_t pid;
    uint32_t *comms; /* of the rank's own numbers: the log's; UINT32_MAX: never described */
    uint32_t comm_count, comm_room;
};

struct pithlog {
    char *path;
    int fd;
    const unsigned char *data;
    size_t size;
    struct pithlog_info info;
    struct pithi_defs *defs;
    struct pithi_log_rank *ranks;
    uint32_t rank_count, rank_room;
    struct pithi_log_lane *lanes;
    uint32_t lane_count, lane_room;
    struct pithlog_comm *comms; /* strings and members are the log's */
    uint32_t comm_count, comm_room;
    struct pithi_map rank_map, lane_map, comm_map;
    /* While loading: told of each damage; may be NULL. */
    void (*say)(void *context, const char *text);
    void *say_context;
    uint32_t damages;
};

/* ---- What readers of blocks ask for ------------------------------------------------------------------------------ */

/* The lane and what is known of it, loaded when it is first asked for; valid until the log is closed. Any thread.
 * Not PITH_OK: some of it is lost, told in pithlog_error(); *found is what is left, or NULL. */
int pithi_log_lane(struct pithlog *log, uint32_t lane, const struct pithi_log_lane **found);

/* The rank that a lane belongs to, its index among the log's ranks. */
const struct pithi_log_rank *pithi_log_rank_of(const struct pithlog *log, uint32_t lane, uint32_t *index);
uint32_t pithi_log_ranks(const struct pithlog *log);
const struct pithi_log_rank *pithi_log_rank(const struct pithlog *log, uint32_t index);

/* Part of a lane's list of blocks; lists are read in such parts. All zero is an empty one; one a thread, for any
 * lanes. */
struct pithi_log_window {
    const struct pithi_log_lane *lane;
    uint32_t first, count;
    struct pithi_log_block blocks[16];
};

/* Block `index` (less than lane->block_count) of a lane, with pithlog_error() when it cannot be read. */
int pithi_log_block(struct pithlog *log, const struct pithi_log_lane *lane, uint32_t index,
                    struct pithi_log_window *window, struct pithi_log_block *block);

/* The first block that ends at or behind `from_ns`; block_count: none. */
int pithi_log_block_at(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns,
                       struct pithi_log_window *window, uint32_t *index);

/* pithlog_open, with each damage that it finds told. */
int pithi_log_open(const char *path, void (*say)(void *context, const char *text), void *context, struct pithlog **log);

/* A nameless file to read and write, in TMPDIR, /tmp, /var/tmp, else in memory; -1 and errno. */
int pithi_temporary_file(void);

/* The bytes of a chunk were read and will hardly be again: they need not stay mapped (they stay in the page cache), so
 * that memory does not grow with what was read. */
void pithi_log_release(const struct pithlog *log, uint64_t offset, uint64_t size);

/* 1: the bytes are those of a native log, whole or damaged. */
int pithi_native_is(const unsigned char *data, size_t size);

/* Loads log->data (path, data and size are set, the rest is 0). */
int pithi_log_load(struct pithlog *log);
void pithi_log_unload(struct pithlog *log);

/* Loads by scanning, whatever the footer says. */
int pithi_log_rebuild(struct pithlog *log);

/* Notes a damage found: counts it and tells log->say. Returns PITH_ERR_DAMAGED, with pithlog_error() set. */
int pithi_log_damage(struct pithlog *log, uint64_t offset, const char *what);

/* ---- Parts of loading, shared by load.c and rebuild.c ------------------------------------------------------------ */

int pithi_log_find_rank(struct pithlog *log, int32_t rank, uint32_t *index);
int pithi_log_find_lane(struct pithlog *log, uint32_t rank_index, uint32_t thread, uint32_t *index);
int pithi_log_add_block(struct pithlog *log, uint32_t lane, const struct pithi_log_block *block);
int pithi_log_read_meta(struct pithlog *log, int32_t rank, const unsigned char *p, uint64_t size);
/* The rank's communicator `local` is the one with `key`, made if it is new; 0: no memory. */
int pithi_log_map_comm(struct pithlog *log, uint32_t rank_index, uint32_t local, uint64_t key, uint32_t *index);
/* Lanes sorted, totals summed, names filled in; the members of the world too if the log is `whole`. */
int pithi_log_complete(struct pithlog *log, int whole);

#endif
