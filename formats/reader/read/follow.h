/* follow.h - reads spill files while they grow. follow.c handles the job, the clocks and the order of records;
 * follow_process.c reads the file of one process.
 *
 * A snapshot (spill_scan.c) maps and scans a whole file once. A follower looks at a file again and again, so the cost
 * of a look must depend only on the new data. New chunks are found by reading headers at the places where the next
 * chunk must begin. Each lane maps only its current chunk, and has a walk (spill_walk.h) that waits at the first word
 * that is still 0.
 *
 *     chunk 0 of lane 0:  E L E L S ... 0     <- the walk waits here
 *     look: `newer` in the header is set      -> the chunk is complete: unmaps it, maps chunk 1, and continues there
 *     look: the header is of another chunk    -> the chunk was reused: maps its copy (spill.h), continues at that word
 *
 * Headers are read with pread and not from a mapping. A file that could not grow is truncated, so a header may lie
 * beyond its end, and mapped bytes beyond the end of a file must not be touched.
 */
#ifndef PITHI_FOLLOW_H
#define PITHI_FOLLOW_H

#include "base/map.h"
#include "native/segment.h"
#include "spill/spill_folder.h"
#include "spill/spill_numbers.h"
#include "spill/spill_walk.h"

/* A host. All its processes use the same fit of the clock, a line through two anchors (spill/spill.h). So no message
 * between them seems to be received before it is sent. */
struct pithi_follow_machine {
    char boot_id[64];              /* the boot id of Linux: the same for all processes until the next boot */
    uint32_t clock;                /* kind of clock: PITHI_CLOCK_... */
    int64_t shift_ns;              /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
    struct pithi_anchor_pair base; /* the two most distant anchors of the clock */
    struct pithi_span spans[2];    /* the fit through the two anchors, and an end */
};

struct pithi_follow_lane {
    struct pithlog_lane seen;       /* what the caller sees */
    uint32_t process;               /* index in `processes` */
    struct pithi_spill view;        /* the current chunk as a spill file with this lane only */
    struct pithi_spill_chunk chunk; /* header of the current chunk, as read when it was mapped */
    struct pithi_spill_lane whole;  /* the lane in `view` */
    struct pithi_spill_walk walk;   /* position of the next record */
    void *mapped;                   /* the mapped current chunk, read only; NULL: none */
    size_t mapped_size;
    uint64_t seq;           /* number of the mapped chunk, or of the next one to map */
    int is_open;            /* 1: a chunk is mapped, and the walk is in it */
    uint64_t accounted;     /* number of records delivered or reported as lost */
    unsigned char *payload; /* copy of the payload of `head` */
    size_t payload_room;
    const uint64_t *stuck;      /* the record that waits because its id was unknown at the last look */
    struct pithlog_record head; /* the next record to deliver */
    int has_head;               /* 1: `head` is set */
};

struct pithi_follow_chunk {
    struct pithi_spill_chunk chunk; /* offset and header */
    int is_copy;                    /* 1: a copy, which does not change any more */
};

struct pithi_follow_process {
    char *path;                        /* of the spill file */
    int fd;                            /* of the spill file */
    struct pithi_spill spill;          /* page, definitions and names of lanes */
    struct pithi_follow_chunk *chunks; /* all chunks found so far, in file order */
    uint32_t chunk_count, chunk_room;
    int is_ring;      /* 1: a flight recorder, which reuses all its chunks */
    uint64_t scanned; /* offset at which to look for the next chunk */
    struct pithi_follow_bare {
        uint64_t from, to;
    } * bare; /* intervals of the file before `scanned` in which no chunk was found yet */
    uint32_t bare_count, bare_room;
    struct {
        void *data;
        size_t size;
        const char *at; /* the next definition to read */
    } * defs;
    uint32_t def_chunks, def_room;
    uint32_t machine;                   /* index in `machines` */
    struct pithi_spill_numbers numbers; /* times, ids and communicators of the process */
    uint32_t *ids, *comms;              /* [id_count], [comm_count] numbers in the follower */
    uint32_t id_count, comm_count;
    int ended; /* 1: the process has ended */
};

struct pithi_follow_comm {
    struct pithlog_comm comm; /* its name and members are owned */
};

struct pithlog_follow {
    char *path;   /* of the folder or file that the caller gave */
    uint64_t job; /* key of the followed job; processes of other jobs are left out */
    struct pithlog_follow_info info;
    struct pithi_defs *defs; /* definitions of all processes, with the follower's numbers */
    struct pithi_follow_machine *machines;
    struct pithi_follow_process **processes;
    struct pithi_follow_lane **lanes; /* [info.lanes] */
    struct pithi_follow_comm *comms;
    struct pithi_map comm_map; /* key of a communicator -> index in `comms` + 1 */
    uint32_t machine_count, machine_room, process_count, process_room, lane_room, comm_room;
    int64_t horizon_ns; /* records after this time wait for the next look; INT64_MAX: no horizon */
    int started;        /* 1: info.zero_unix_ns is set */
    struct pithi_follow_head {
        int64_t time_ns;
        uint32_t lane;
    } * heap; /* lanes that have a head, ordered by the head's time */
    uint32_t heap_count, heap_room;
    uint32_t refill;                  /* the lane whose head was delivered last; UINT32_MAX: none */
    struct pithi_match *match;        /* pairs sends and receives when they are delivered */
    struct pithlog_message *messages; /* matched messages; those from message_first on are not fetched yet */
    uint32_t message_count, message_first, message_room;
    char log[1024], program[1024]; /* "" until the page of a process has them */
};

/* ---- follow_process.c -------------------------------------------------------------------------------------------- */

/* Opens the spill file at `path`. Returns PITH_ERR_OPEN or PITH_ERR_FORMAT if it cannot be followed; the caller then
 * ignores the file. */
int pithi_follow_process_open(struct pithi_follow_process **process, const char *path);
void pithi_follow_process_close(struct pithi_follow_process *process);
/* Reads the page of the spill file again. */
int pithi_follow_process_page(struct pithi_follow_process *process);
/* Finds new chunks, lanes and definitions. */
int pithi_follow_process_look(struct pithi_follow_process *process);

/* Reads the next record of a lane into lane->head. Returns 1; 0 if there is none so far. */
int pithi_follow_lane_next(struct pithi_follow_process *process, struct pithi_follow_lane *lane);
void pithi_follow_lane_close(struct pithi_follow_lane *lane);

#endif
