/* follow.h - reading spill files while they grow: what follow.c (the job, its clocks, the order of records) and
 * follow_process.c (one process's file) share.
 *
 * A snapshot (spill_scan.c) maps a whole file and takes it apart; here a file is looked at again and again, so each
 * look must cost what is new. New chunks are found by reading headers where the next one must begin; each lane has its
 * current chunk mapped, and no other, and a walk (spill_walk.h) that waits at the first word which is still 0.
 *
 *     chunk 0 of lane 0:  E L E L S ... 0     <- the walk waits here
 *     look: header's `newer` is set           -> no more comes here: unmap, map chunk 1, walk on
 *     header is that of another chunk         -> it was used again: map the copy (spill.h), walk on at the same word
 *
 * Headers are read by pread: a file that could not grow is cut back, and bytes beyond its end must not be touched.
 */
#ifndef PITHI_FOLLOW_H
#define PITHI_FOLLOW_H

#include "native/map.h"
#include "native/segment.h"
#include "spill/spill_folder.h"
#include "spill/spill_numbers.h"
#include "spill/spill_walk.h"

/* What the processes of one machine have in common: one line through two moments, the same for all of them, so that
 * messages between them do not go back in time. */
struct pithi_follow_machine {
    char boot_id[64];
    uint32_t clock;
    int64_t shift_ns; /* CLOCK_MONOTONIC to CLOCK_REALTIME */
    struct pithi_anchor_pair base;
    struct pithi_span spans[2];
};

struct pithi_follow_lane {
    struct pithlog_lane seen; /* name is ours */
    uint32_t process;
    struct pithi_spill view; /* of one chunk: `chunk`, and this lane as its only one */
    struct pithi_spill_chunk chunk;
    struct pithi_spill_lane whole;
    struct pithi_spill_walk walk;
    void *mapped;
    size_t mapped_size;
    uint64_t seq; /* of the chunk mapped, or of the one waited for, which may be one more than any chunk can have */
    int is_open;
    uint64_t accounted;     /* records given, or said to be lost */
    unsigned char *payload; /* of the head: a copy */
    size_t payload_room;
    const uint64_t *stuck; /* a word under an id that was not known at the last look */
    struct pithlog_record head;
    int has_head;
};

struct pithi_follow_chunk {
    struct pithi_spill_chunk chunk;
    int is_copy; /* it does not change any more */
};

struct pithi_follow_process {
    char *path;
    int fd;
    struct pithi_spill spill;          /* page, definitions, names of lanes */
    struct pithi_follow_chunk *chunks; /* all that were found, in their order in the file */
    uint32_t chunk_count, chunk_room;
    int is_ring;      /* a flight recorder: every chunk is used again */
    uint64_t scanned; /* where the next chunk is looked for */
    struct pithi_follow_gap {
        uint64_t from, to;
    } * gaps; /* before there, with no chunk yet */
    uint32_t gap_count, gap_room;
    struct {
        void *data;
        size_t size;
        const char *at;
    } * defs;
    uint32_t def_chunks, def_room;
    uint32_t machine;
    struct pithi_spill_numbers numbers;
    uint32_t *ids, *comms; /* to the follower's; [spill.def_count], [spill.comm_count] */
    uint32_t id_count, comm_count;
    int ended;
};

struct pithi_follow_comm {
    struct pithlog_comm comm; /* name and members are ours */
};

struct pithlog_follow {
    char *path;
    uint64_t job;
    struct pithlog_follow_info info;
    struct pithi_defs *defs;
    struct pithi_follow_machine *machines;
    struct pithi_follow_process **processes;
    struct pithi_follow_lane **lanes;
    struct pithi_follow_comm *comms;
    struct pithi_map comm_map;
    uint32_t machine_count, machine_room, process_count, process_room, lane_room, comm_room;
    int64_t horizon_ns; /* log time; records after it wait for the next look */
    int started;        /* zero_unix_ns is set */
    uint32_t *heap;     /* lanes with a head, by its time */
    uint32_t heap_count, heap_room;
    uint32_t refill; /* the lane whose head was given last; UINT32_MAX */
    struct pithi_match *match;
    struct pithlog_message *messages;
    uint32_t message_count, message_first, message_room;
    char log[1024], program[1024];
};

/* ---- follow_process.c -------------------------------------------------------------------------------------------- */

/* Opens the file at `path`. PITH_ERR_OPEN, PITH_ERR_FORMAT: none that can be followed, no harm. */
int pithi_follow_process_open(struct pithi_follow_process **process, const char *path);
void pithi_follow_process_close(struct pithi_follow_process *process);
/* Reads the page anew. */
int pithi_follow_process_page(struct pithi_follow_process *process);
/* Finds new chunks, lanes and definitions. */
int pithi_follow_process_look(struct pithi_follow_process *process);

/* The next record of a lane into its head. 1; 0: none yet. */
int pithi_follow_lane_next(struct pithi_follow_process *process, struct pithi_follow_lane *lane);
void pithi_follow_lane_close(struct pithi_follow_lane *lane);

#endif
