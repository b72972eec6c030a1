/* otf2_writer.h - the state of the OTF2 writer, and the functions that its files share. */
#ifndef PITHI_OTF2_WRITER_H
#define PITHI_OTF2_WRITER_H

#include "base/map.h"
#include "foreign/otf2/otf2_library.h"
#include "foreign/walk.h"
#include "reader/read/payload.h"

enum { OTF2_TEXTS = 4096 }; /* slots of the table of recent texts */
enum otf2_value { OTF2_VALUE_TEXT, OTF2_VALUE_INT, OTF2_VALUE_UINT };

struct otf2_writer {
    const struct pithi_otf2 *otf2;
    struct pithlog *log;
    const struct pithi_convert *how; /* the window to write, and where notes go */
    OTF2_Archive *archive;
    const char *folder; /* the folder in which the archive is made */
    OTF2_GlobalDefWriter *defs;
    struct otf2_chunk {
        struct otf2_chunk *next; /* in the list; the newest chunk is first */
        uint64_t size;
    } * chunks;                            /* free chunks, for the buffers of events */
    OTF2_ErrorCode code;                   /* the first error; nothing is written after it */
    int no_memory;                         /* 1: memory ran out */
    uint32_t strings, parameters, regions; /* counts of references in use; each is also the next free reference */
    uint32_t def_count;                    /* definitions of the log */
    uint64_t shift;                        /* ticks = ns + shift, so that no time is negative */
    uint64_t *events;                      /* events written, by lane */
    struct pithi_map ranks;                /* world rank -> its place among the log's ranks + 1 */
    struct pithi_map members;              /* (communicator, world rank) -> its place in the group + 1 */
    struct otf2_written {                  /* one for each definition */
        uint32_t ref;                      /* its reference in the archive; each kind counts from 0 */
        uint32_t text;                     /* for events whose parameter is a number: the parameter for payloads written
                                              as text, + 1 */
        int operation;                     /* for states: the collective operation, or -1 */
        enum otf2_value value;             /* for events: the type of the parameter */
    } * written;
    struct pithi_payload_line payload; /* text of a payload, reused */
    struct otf2_text {                 /* cache of strings written recently */
        char *text;                    /* malloc'ed; NULL: a free place */
        OTF2_StringRef ref;
    } texts[OTF2_TEXTS];
    /* For the rank being written: */
    struct otf2_lane *lanes;        /* from lane `first` on */
    uint32_t first;                 /* number of the first lane of the rank */
    int32_t rank;                   /* the world rank */
    int alone;                      /* 1: lanes are written one by one, so only the receive numbers of one lane are
                                       seen */
    uint64_t next_receive;          /* the lowest receive number without a request or receive event */
    uint32_t lost;                  /* the parameter for lost records, + 1 */
    int comm_events;                /* 1: the log has records of communicators made or freed */
    struct otf2_contexts {          /* otf2_write_contexts.c */
        int used;                   /* 1: the log has samples */
        struct pithi_map functions; /* hash of a name -> its region + 1 */
        struct pithi_map known;     /* (parent + 1, region) -> its reference + 1 */
        struct otf2_node_above {
            uint32_t parent, depth; /* parent: reference of the parent + 1; 0: none */
        } * list;
        uint32_t count, room;
    } contexts;
    struct pithi_losses losses;
    /* Counts for the notes. no_rank: messages with ranks that are not in the log; no_root: collectives whose root is
     * not in the log; unordered: receives whose order of posting is lost; strangers: members of communicators that are
     * not in the log; unknown: communicators with unknown members; sites: call sites */
    uint64_t no_rank, no_root, unordered, strangers, unknown, sites;
};

struct otf2_lane {
    OTF2_EvtWriter *events;
    uint32_t held;       /* id + 1 of a state whose Enter is held back, as a collective may follow; 0: none */
    uint64_t held_time;  /* time of this Enter */
    uint32_t open, last; /* contexts + 1: of the innermost open state; of the last event */
};

/* Keeps the first error. */
static inline void pithi_otf2_check(struct otf2_writer *w, OTF2_ErrorCode code)
{
    if (w->code == OTF2_SUCCESS)
        w->code = code;
}

/* These functions write a string and return its reference. put_text reuses the reference if the same text was written
 * recently. */
OTF2_StringRef pithi_otf2_put_string(struct otf2_writer *w, const char *text);
OTF2_StringRef pithi_otf2_put_text(struct otf2_writer *w, const char *text);

/* Writes an event of `lane`: OTF2_EvtWriter_... */
#define OTF2_PUT_EVENT(name, ...) pithi_otf2_check(w, w->otf2->EvtWriter_##name(lane->events, NULL, __VA_ARGS__))
/* Writes a definition: OTF2_GlobalDefWriter_Write... */
#define OTF2_PUT_DEF(name, ...) pithi_otf2_check(w, w->otf2->GlobalDefWriter_Write##name(w->defs, __VA_ARGS__))

/* Defines a parameter and returns its number. */
uint32_t pithi_otf2_put_parameter(struct otf2_writer *w, const char *name, OTF2_ParameterType type);

/* put_definitions writes all definitions to which events refer by number. After the events, put_places writes all other
 * definitions. Both return 0 if memory runs out. */
int pithi_otf2_put_definitions(struct otf2_writer *w);
int pithi_otf2_put_places(struct otf2_writer *w, const struct pithi_walk *window);

/* Call contexts_open before the events. If the log has samples and names of functions, samples are written as calling
 * contexts. Then states must be calling contexts, too. */
void pithi_otf2_contexts_open(struct otf2_writer *w);
void pithi_otf2_contexts_close(struct otf2_writer *w);
void pithi_otf2_put_enter(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time, OTF2_RegionRef region);
void pithi_otf2_put_leave(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time, OTF2_RegionRef region);
/* If the record is a sample, writes its functions in addition. */
void pithi_otf2_put_sample(struct otf2_writer *w, struct otf2_lane *lane, uint64_t time,
                           const struct pithlog_record *record);

/* Returns the key under which `members` has the remote group of an intercommunicator. */
static inline uint32_t otf2_remote(uint32_t comm) { return comm | UINT32_C(1) << 31; }

uint64_t pithi_otf2_location(const struct pithlog_lane *lane);

/* Writes all records of `count` lanes of one rank. */
int pithi_otf2_write_lanes(struct otf2_writer *w, uint32_t first, uint32_t count);

#endif
