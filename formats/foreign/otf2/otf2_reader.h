/* otf2_reader.h - the state of the OTF2 reader, and the functions that its files share. */
#ifndef PITHI_OTF2_READER_H
#define PITHI_OTF2_READER_H

#include "base/input.h"
#include "foreign/otf2/otf2_defs.h"
#include "foreign/otf2/otf2_requests.h"
#include "foreign/reading.h"
#include "native/segment.h"

struct otf2_reader {
    const char *path;              /* of the anchor file */
    const struct pithi_otf2 *otf2; /* loaded */
    OTF2_Reader *reader;
    struct pithi_watched *watched; /* the caller's callback for progress, which can end the reading; may be NULL */
    struct pithi_writer *writer;
    struct otf2_defs defs;
    int own;                /* 1: Pith wrote the archive, so definitions keep their order, and payloads their formats */
    int32_t *world;         /* world rank of each member of defs.ranks */
    uint32_t *order, lanes; /* locations in lane order, and their number */
    uint64_t comm_members;  /* members of all communicators so far */
    /* Used while the events of one rank are read: */
    struct otf2_location *at; /* the location of the last event */
    struct otf2_requests requests;
    struct pithi_leaves leaves;
    uint64_t posted; /* number of receives so far, which is the number of the next receive */
    int sampled;     /* 1: the rank has samples */
    int err;         /* the error of a callback; kept here because libotf2 only reports that a callback failed */
    char cause[256]; /* why some events cannot be read; "" if all can */
    /* Counts for progress and for properties of the log. total: events that the definitions count; read: events that
     * libotf2 has read; seen: events for which a callback was called; unposted: receives without a request; unended:
     * requests without a receive; odd_peers: messages with unknown ranks; odd_payloads: payloads that were left out;
     * late: records whose time was before that of the record before */
    uint64_t total, seen, read, unposted, unended, odd_peers, odd_payloads, late;
};

/* Adds the lanes of all locations to the log, except metric locations without events. */
int pithi_otf2_places_make(struct otf2_reader *r);
/* Gets the index of a communicator in the log, and adds the communicator at its first use. `comm` NULL is the world. */
int pithi_otf2_comm_index(struct otf2_reader *r, struct otf2_comm *comm, uint32_t *index);
/* Returns the world rank of rank `peer` in a communicator, as seen from world rank `rank`, or -1 if it is unknown. */
int32_t pithi_otf2_comm_peer(const struct otf2_reader *r, struct otf2_comm *comm, uint32_t peer, int32_t rank);

/* Get the log's id of a definition that an event refers to, adding it at first use. */
int pithi_otf2_state_id(struct otf2_reader *r, struct otf2_region *region, uint32_t *id);
int pithi_otf2_event_id(struct otf2_reader *r, struct otf2_parameter *parameter, uint32_t *id);
int pithi_otf2_counter_id(struct otf2_reader *r, struct otf2_metric *metric, uint32_t member, uint32_t *id,
                          double *factor);
int pithi_otf2_own_id(struct otf2_reader *r, enum pithlog_def_kind kind, const char *name, const char *format,
                      uint32_t *id);
/* Adds the properties and, if Pith wrote the archive, all its definitions. */
int pithi_otf2_facts_make(struct otf2_reader *r);

/* Registers the callbacks that turn the events of libotf2 into records. */
void pithi_otf2_events_register(const struct pithi_otf2 *otf2, OTF2_GlobalEvtReaderCallbacks *callbacks);
/* Call after the events of each rank. Records the receives that are still pending, as receives without a message, and
 * names the functions in the samples of the rank. */
int pithi_otf2_events_end_rank(struct otf2_reader *r);

#endif
