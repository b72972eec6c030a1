/* clog2_scan.h - the first pass over a CLOG-2 file: definitions (MPE writes those of MPI last), communicators, and
 * whether times are in order. The second pass (clog2_read.c) makes the records.
 *
 * Lines. Every record names a communicator and a rank in it; COMMEVT records say which world rank that is. An
 * intercommunicator is three communicators in the file: itself (INTER), the local and the remote group; messages go
 * from a rank in one group to a rank in the other. Here the groups lead to the one they belong to.
 */
#ifndef PITHI_CLOG2_SCAN_H
#define PITHI_CLOG2_SCAN_H

#include "clog2/clog2_file.h"
#include "clog2/clog2_made.h"
#include "foreign/lookup.h"

enum { PITHI_CLOG2_RANKS_MAX = 1 << 17, PITHI_CLOG2_THREADS_MAX = 1 << 16 }; /* larger numbers are damage */

/* What an event number is. All are definitions of the log + 1; 0: not that. */
struct pithi_clog2_event {
    uint32_t starts, ends, solo;
    uint32_t info;            /* event type of the payloads of a state's start or end */
    const unsigned char *def; /* body of its definition, NULL: none in the file */
};

struct pithi_clog2_comm {
    int32_t number;                       /* in the file */
    int32_t type;                         /* enum pithi_clog2_comm_event */
    unsigned char uuid[PITHI_CLOG2_UUID]; /* big-endian */
    int32_t groups[2];                    /* INTER: the numbers of its two groups, -1: not known */
    int32_t inter;                        /* a group: number of its INTER; -1: none */
    int32_t size;                         /* members known, if their ranks are dense, else -1 */
    int32_t top;                          /* highest rank known */
    uint32_t index;                       /* in the log being written + 1; 0: not used yet */
};

/* A line of the log. */
struct pithi_clog2_track {
    int32_t rank, thread; /* of the world */
    uint32_t lane;        /* + 1; 0: not made yet */
    int64_t last_ns;      /* of the first pass */
};

/* What was found last of a line's name in the file, by a hash of it: nearly every record's line is found here. */
enum { PITHI_CLOG2_PLACES = 256 };
struct pithi_clog2_place {
    int32_t comm, rank, thread;
    uint32_t track; /* + 1; 0: nothing */
};

/* Numbers of events up to here are found without a hash table. */
enum { PITHI_CLOG2_NEAR = 8192 };

struct pithi_clog2_scan {
    struct pithi_clog2_file file;
    struct pithi_writer *writer;
    struct pithi_clog2_event *events;
    uint32_t event_count, event_size;
    struct pithi_lookup event_of;    /* number -> index + 1 */
    uint32_t near[PITHI_CLOG2_NEAR]; /* the same */
    struct pithi_clog2_comm *comms;
    uint32_t comm_count, comm_size;
    struct pithi_lookup comm_of;  /* number -> index + 1 */
    struct pithi_lookup world_of; /* (communicator, rank) -> world rank + 1 */
    struct pithi_lookup track_of; /* (world rank, thread) -> index + 1 */
    struct pithi_clog2_track *tracks;
    uint32_t track_count, track_room;
    struct pithi_clog2_place places[PITHI_CLOG2_PLACES];
    struct pithi_lookup inter_of; /* world rank -> INTER whose groups follow, + 1 */
    int disorder;
    uint32_t made; /* struct pithi_clog2_made: what our writer added */
    uint32_t numbers_told;
    struct pithi_clog2_cursor end; /* the walk when it was over */
};

int pithi_clog2_scan(struct pithi_clog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer);
void pithi_clog2_scan_free(struct pithi_clog2_scan *scan);

/* World rank of a rank in a communicator; -1: not known, or out of range. */
int32_t pithi_clog2_world_rank(const struct pithi_clog2_scan *scan, int32_t comm, int32_t rank);

/* The line of a thread of a world rank, or of a rank in a communicator, made when new; *track NULL: there is no such.
 * Valid until the next is made. */
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

/* An event number, with a definition made up from the known numbers or its place if the file has none. NULL: out of
 * memory. */
struct pithi_clog2_event *pithi_clog2_event(struct pithi_clog2_scan *scan, int32_t number);

/* The event type for payloads of a state's events, made at first use. */
int pithi_clog2_info_event(struct pithi_clog2_scan *scan, struct pithi_clog2_event *event, uint32_t *id);

/* The log's communicator for one of the file (for a group: its intercommunicator), defined with its members at first
 * use. */
int pithi_clog2_comm_index(struct pithi_clog2_scan *scan, int32_t number, uint32_t *index);

#endif
