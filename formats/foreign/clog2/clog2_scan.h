/* clog2_scan.h - the first pass over a CLOG-2 file: definitions (MPE writes the definitions of MPI's states last),
 * communicators, and whether times are in order. The second pass (clog2_read.c) makes the records.
 *
 * Lines. Every record has a communicator and a rank in it; COMMEVT records map that rank to a world rank. An
 * intercommunicator is three communicators in the file: itself (INTER), the local group and the remote group. Messages
 * go from a rank in one group to a rank in the other. The first pass maps each group to its intercommunicator. */
#ifndef PITHI_CLOG2_SCAN_H
#define PITHI_CLOG2_SCAN_H

#include "base/map.h"
#include "foreign/clog2/clog2_file.h"
#include "foreign/clog2/clog2_made.h"

enum { PITHI_CLOG2_RANKS_MAX = 1 << 17, PITHI_CLOG2_THREADS_MAX = 1 << 16 }; /* larger numbers count as damage */

/* The meaning of an event number. All fields but `def` are definitions of the log + 1; 0: none. */
struct pithi_clog2_event {
    uint32_t starts, ends, solo; /* `starts`: the state that it begins; `ends`: the state that it ends; `solo`: its
                                    event type */
    uint32_t info;               /* event type for the payloads of a state's start or end */
    const unsigned char *def;    /* body of its definition; NULL: not in the file */
};

struct pithi_clog2_comm {
    int32_t number;                       /* in the file */
    int32_t type;                         /* enum pithi_clog2_comm_event */
    unsigned char uuid[PITHI_CLOG2_UUID]; /* big-endian */
    int32_t groups[2];                    /* INTER: the numbers of its two groups, -1: unknown */
    int32_t inter;                        /* a group: the number of its INTER; -1: none */
    int32_t size;                         /* number of members if all ranks from 0 on are known, else -1 */
    int32_t top;                          /* highest known rank */
    uint32_t index;                       /* index in the log, + 1; 0: not used yet */
};

/* A lane of the log. */
struct pithi_clog2_track {
    int32_t rank, thread; /* world rank and thread */
    uint32_t lane;        /* lane + 1; 0 if not made yet */
    int64_t last_ns;      /* last time in the first pass */
};

/* A cache that gives the lane for a communicator, rank and thread of the file. Nearly every record finds its lane here.
 * The hash of the three numbers selects the entry. */
enum { PITHI_CLOG2_PLACES = 256 };
struct pithi_clog2_place {
    int32_t comm, rank, thread;
    uint32_t track; /* index + 1; 0: empty */
};

/* Event numbers below this need no hash table. */
enum { PITHI_CLOG2_NEAR = 8192 };

struct pithi_clog2_scan {
    struct pithi_clog2_file file;
    struct pithi_writer *writer;
    struct pithi_clog2_event *events; /* [event_count] */
    uint32_t event_count, event_size;
    struct pithi_map event_of;       /* number -> index + 1 */
    uint32_t near[PITHI_CLOG2_NEAR]; /* index + 1 of numbers below PITHI_CLOG2_NEAR */
    struct pithi_clog2_comm *comms;  /* [comm_count] */
    uint32_t comm_count, comm_size;
    struct pithi_map comm_of;         /* number -> index + 1 */
    struct pithi_map world_of;        /* (communicator, rank) -> world rank + 1 */
    struct pithi_map track_of;        /* (world rank, thread) -> index + 1 */
    struct pithi_clog2_track *tracks; /* [track_count] */
    uint32_t track_count, track_room;
    struct pithi_clog2_place places[PITHI_CLOG2_PLACES]; /* recently used */
    struct pithi_map inter_of;                           /* world rank -> number of its last INTER + 1; the records
                                                            after an INTER name its groups */
    int disorder;                                        /* 1: times of a line decrease */
    uint32_t made;                /* as `what` in struct pithi_clog2_made: records that the Pith writer added */
    uint32_t numbers_told;        /* number of event numbers kept as properties (event_numbers.h) */
    struct pithi_clog_cursor end; /* the cursor at the end of the walk */
};

int pithi_clog2_scan(struct pithi_clog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer);
void pithi_clog2_scan_free(struct pithi_clog2_scan *scan);

/* Returns the world rank of a rank in a communicator, or -1 if it is unknown or out of range. */
int32_t pithi_clog2_world_rank(const struct pithi_clog2_scan *scan, int32_t comm, int32_t rank);

/* Finds or makes the lane of a thread, by world rank or by rank in a communicator. *track NULL: there is no such lane.
 * The pointer is valid until the next lane is made. */
int pithi_clog2_track_of(struct pithi_clog2_scan *scan, int32_t rank, int32_t thread, struct pithi_clog2_track **track);
int pithi_clog2_track_find(struct pithi_clog2_scan *scan, struct pithi_clog2_place *place, int32_t comm, int32_t rank,
                           int32_t thread, struct pithi_clog2_track **track);
static inline int pithi_clog2_track(struct pithi_clog2_scan *scan, const struct pithi_clog2_record *record,
                                    struct pithi_clog2_track **track)
{
    uint32_t hash = (uint32_t)record->comm * 61 + (uint32_t)record->rank + (uint32_t)record->thread * 17;
    struct pithi_clog2_place *place = &scan->places[hash % PITHI_CLOG2_PLACES];
    if (place->comm == record->comm && place->rank == record->rank && place->thread == record->thread && place->track) {
        *track = &scan->tracks[place->track - 1];
        return PITH_OK;
    }
    return pithi_clog2_track_find(scan, place, record->comm, record->rank, record->thread, track);
}

/* Returns the entry of an event number. If the file does not define it, the definition is made from the known numbers
 * or from its range. NULL: out of memory. */
struct pithi_clog2_event *pithi_clog2_event(struct pithi_clog2_scan *scan, int32_t number);

/* Finds the event type for payloads of a state's events, and makes it at first use. */
int pithi_clog2_info_event(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, uint32_t *id);

/* Finds the log's communicator for a communicator of the file (for a group: its intercommunicator). Defines it with its
 * members at first use. */
int pithi_clog2_comm_index(struct pithi_clog2_scan *scan, int32_t number, uint32_t *index);

/* Finds a communicator by its number in the file. NULL: there is no COMMEVT for it. */
struct pithi_clog2_comm *pithi_clog2_comm(const struct pithi_clog2_scan *scan, int32_t number);

#endif
