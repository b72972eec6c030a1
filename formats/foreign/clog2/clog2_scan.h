/* clog2_scan.h - the first pass over a CLOG-2 file. It reads the definitions (MPE writes the definitions of MPI states
 * last) and the communicators, and finds out whether times are in order. The second pass (clog2_read.c) makes the
 * records.
 *
 * Every record contains a communicator and the rank of the process in this communicator. COMMEVT records map such a
 * rank to a world rank. An intercommunicator is three communicators in the file: itself (INTER), the local group and
 * the remote group. Messages go from a rank in one group to a rank in the other. The first pass maps each group to its
 * intercommunicator. */
#ifndef PITHI_CLOG2_SCAN_H
#define PITHI_CLOG2_SCAN_H

#include "base/map.h"
#include "foreign/clog2/clog2_file.h"
#include "foreign/clog2/clog2_made.h"

enum { PITHI_CLOG2_RANKS_MAX = 1 << 17, PITHI_CLOG2_THREADS_MAX = 1 << 16 }; /* larger numbers count as damage */

/* The meaning of an event number. All fields but `def` are definitions of the log + 1; 0: none. */
struct pithi_clog2_event {
    uint32_t starts, ends, solo; /* starts: the state that the number begins; ends: the state that the number ends;
                                    solo: the event type of the number */
    uint32_t info;               /* event type for the payloads of a state's start or end */
    const unsigned char *def;    /* body of the number's definition; NULL: the file has none */
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
    int64_t last_ns;      /* time of its last record so far, in the first pass */
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
    uint32_t numbers_told;        /* number of event numbers stored as properties of the log (native/event_numbers.h) */
    struct pithi_clog_cursor end; /* the cursor at the end of the walk */
};

int pithi_clog2_scan(struct pithi_clog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer);
void pithi_clog2_scan_free(struct pithi_clog2_scan *scan);

/* Returns the world rank of a rank in a communicator, or -1 if it is unknown or out of range. */
int32_t pithi_clog2_world_rank(const struct pithi_clog2_scan *scan, int32_t comm, int32_t rank);

/* Find the lane of a thread, or make it. The first function takes a world rank, the second one a rank in a
 * communicator. *track becomes NULL if there is no such lane. It is valid until the next lane is made. */
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

/* Returns the entry of an event number. If the file does not define the number, its definition is taken from MPE's
 * known numbers, or follows from the range in which the number lies. Returns NULL if memory runs out. */
struct pithi_clog2_event *pithi_clog2_event(struct pithi_clog2_scan *scan, int32_t number);

/* Finds the event type for payloads that come with the begin or end of a state, and makes the event type at first
 * use. */
int pithi_clog2_info_event(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, uint32_t *id);

/* Finds the log's communicator for a communicator of the file (for a group: its intercommunicator). Defines it with its
 * members at first use. */
int pithi_clog2_comm_index(struct pithi_clog2_scan *scan, int32_t number, uint32_t *index);

/* Finds a communicator by its number in the file. NULL: there is no COMMEVT for it. */
struct pithi_clog2_comm *pithi_clog2_comm(const struct pithi_clog2_scan *scan, int32_t number);

#endif
