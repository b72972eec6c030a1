/* follow.h - reads spill files while they grow. Shared by follow.c (the job, clocks, order of records) and
 * follow_process.c (the file of one process).
 *
 * A snapshot (spill_scan.c) maps and scans a whole file. Here a file is looked at again and again, so the cost of a
 * look must depend on the new data only. New chunks are found by reading headers where the next one must begin. Each
 * lane maps only its current chunk, and has a walk (spill_walk.h) that waits at the first word that is still 0.
 *
 *     chunk 0 of lane 0:  E L E L S ... 0     <- the walk waits here
 *     look: header's `newer` is set           -> the chunk is complete: unmap, map chunk 1, continue
 *     header is that of another chunk         -> the chunk was reused: map the copy (spill.h), continue at that word
 *
 * Headers are read with pread: a file that could not grow is truncated, and bytes beyond its end must not be touched.
 */
#ifndef PITHI_FOLLOW_H
#define PITHI_FOLLOW_H

#include "base/map.h"
#include "native/segment.h"
#include "spill/spill_folder.h"
#include "spill/spill_numbers.h"
#include "spill/spill_walk.h"

/* One host: all its processes share one clock fit through two anchors, so that messages between them do not go back in
 * time. */
struct pithi_follow_machine {
    char boot_id[64];              /* as Linux gives it: the same for all processes since it was booted */
    uint32_t clock;                /* number of the clock in the log */
    int64_t shift_ns;              /* CLOCK_MONOTONIC to CLOCK_REALTIME */
    struct pithi_anchor_pair base; /* the anchors of the clock, from which times are computed */
    struct pithi_span spans[2];    /* of the two anchors */
};

struct pithi_follow_lane {
    struct pithlog_lane seen;       /* owns the name */
    uint32_t process;               /* index in `processes` */
    struct pithi_spill view;        /* a view of one chunk, `chunk`, with this lane only */
    struct pithi_spill_chunk chunk; /* its header, as read when it was mapped */
    struct pithi_spill_lane whole;  /* the lane's facts, as in a spill file that is read whole */
    struct pithi_spill_walk walk;   /* stands at the next record */
    void *mapped;                   /* the chunk, read only; NULL: none */
    size_t mapped_size;
    uint64_t seq;           /* of the mapped chunk, or of the next one; may exceed the highest possible by one */
    int is_open;            /* 1: its current chunk is mapped, and the walk stands in it */
    uint64_t accounted;     /* records delivered or reported lost */
    unsigned char *payload; /* copy of the head's payload */
    size_t payload_room;
    const uint64_t *stuck;      /* a record whose id was unknown at the last look */
    struct pithlog_record head; /* the next record to deliver */
    int has_head;               /* 1: `head` is set */
};

struct pithi_follow_chunk {
    struct pithi_spill_chunk chunk; /* offset and header */
    int is_copy;                    /* 1: it does not change any more */
};

struct pithi_follow_process {
    char *path;                        /* of the spill file */
    int fd;                            /* open until the process has ended and all is read */
    struct pithi_spill spill;          /* page, definitions, lane names */
    struct pithi_follow_chunk *chunks; /* all chunks found so far, in file order */
    uint32_t chunk_count, chunk_room;
    int is_ring;      /* a flight recorder, which reuses all chunks */
    uint64_t scanned; /* offset at which to look for the next chunk */
    struct pithi_follow_gap {
        uint64_t from, to;
    } * gaps; /* parts of the file before `scanned` in which no chunk was found yet */
    uint32_t gap_count, gap_room;
    struct {
        void *data;
        size_t size;
        const char *at; /* the next definition to read */
    } * defs;
    uint32_t def_chunks, def_room;
    uint32_t machine;                   /* index in `machines` */
    struct pithi_spill_numbers numbers; /* times, ids and communicators of the process */
    uint32_t *ids, *comms;              /* the follower's numbers of [spill.def_count], [spill.comm_count] */
    uint32_t id_count, comm_count;
    int ended; /* 1: the process does not run any more */
};

struct pithi_follow_comm {
    struct pithlog_comm comm; /* owns name and members */
};

struct pithlog_follow {
    char *path;   /* as the caller gave it: folder or file */
    uint64_t job; /* its key: processes of other jobs in the folder are left out */
    struct pithlog_follow_info info;
    struct pithi_defs *defs; /* of all processes; their numbers are the follower's */
    struct pithi_follow_machine *machines;
    struct pithi_follow_process **processes;
    struct pithi_follow_lane **lanes; /* [info.lanes] */
    struct pithi_follow_comm *comms;
    struct pithi_map comm_map; /* key of a communicator -> index in `comms` + 1 */
    uint32_t machine_count, machine_room, process_count, process_room, lane_room, comm_room;
    int64_t horizon_ns; /* log time; records after it wait for the next look */
    int started;        /* 1: zero_unix_ns is set */
    struct pithi_follow_head {
        int64_t time_ns;
        uint32_t lane;
    } * heap; /* lanes with a head, by time */
    uint32_t heap_count, heap_room;
    uint32_t refill;                  /* the lane whose head was delivered last; UINT32_MAX: none */
    struct pithi_match *match;        /* pairs sends and receives as they come */
    struct pithlog_message *messages; /* matched, not fetched yet: from message_first on */
    uint32_t message_count, message_first, message_room;
    char log[1024], program[1024]; /* "" until they are on the page of a process */
};

/* ---- follow_process.c -------------------------------------------------------------------------------------------- */

/* Opens the file at `path`. PITH_ERR_OPEN, PITH_ERR_FORMAT: it cannot be followed; ignore it. */
int pithi_follow_process_open(struct pithi_follow_process **process, const char *path);
void pithi_follow_process_close(struct pithi_follow_process *process);
/* Reads the page again. */
int pithi_follow_process_page(struct pithi_follow_process *process);
/* Finds new chunks, lanes and definitions. */
int pithi_follow_process_look(struct pithi_follow_process *process);

/* Reads the next record of a lane into its head. 1; 0: none so far. */
int pithi_follow_lane_next(struct pithi_follow_process *process, struct pithi_follow_lane *lane);
void pithi_follow_lane_close(struct pithi_follow_lane *lane);

#endif
