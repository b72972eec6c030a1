/* otf2_writer.h - what the parts of the writer share. */
#ifndef PITHI_OTF2_WRITER_H
#define PITHI_OTF2_WRITER_H

#include "foreign/lookup.h"
#include "foreign/nest.h"
#include "foreign/walk.h"
#include "otf2/otf2_library.h"

enum { OTF2_TEXTS = 4096 };
enum otf2_value { OTF2_VALUE_TEXT, OTF2_VALUE_INT, OTF2_VALUE_UINT };

struct otf2_writer {
    const struct pithi_otf2 *otf2;
    struct pithlog *log;
    const struct pithi_convert *how;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *defs;
    OTF2_ErrorCode code; /* the first that was no success: nothing is written any more */
    int no_memory;
    uint32_t strings, parameters; /* given out */
    uint32_t def_count;           /* of the log */
    uint64_t shift;               /* ticks = ns + shift: no time is negative */
    uint64_t *events;             /* by lane: how many were written */
    struct pithi_lookup ranks;    /* world rank -> its place among the ranks that the log has, + 1 */
    struct pithi_lookup members;  /* (communicator, world rank) -> its place there, + 1 */
    struct otf2_written {         /* by definition */
        uint32_t ref;             /* among those of its kind */
        uint32_t text;            /* events with a number: the parameter for those without it, + 1 */
        int operation;            /* states: the collective operation, or -1 */
        enum otf2_value value;    /* events */
    } * written;
    struct otf2_text { /* strings written not long ago */
        char *text;
        OTF2_StringRef ref;
    } texts[OTF2_TEXTS];
    /* of the rank at work: */
    struct pithi_nest nest;
    struct otf2_lane *lanes; /* from `first` on */
    uint32_t first;
    int32_t rank;
    int alone;             /* lanes come one after another: numbers of receives are those of one lane only */
    uint64_t next_receive; /* that was not posted yet */
    uint32_t lost;         /* the parameter that tells of lost records, + 1 */
    int comm_events;       /* some communicator was made or freed */
    struct pithi_losses losses;
    uint64_t no_rank, no_root, unordered, strangers, unknown, unclear;
};

struct otf2_lane {
    OTF2_EvtWriter *events;
    uint32_t held; /* a state begun, + 1, that is not written yet: a collective may follow */
    uint64_t held_time;
};

/* Keeps the first error. */
static inline void pithi_otf2_check(struct otf2_writer *w, OTF2_ErrorCode code)
{
    if (w->code == OTF2_SUCCESS)
        w->code = code;
}

/* The number of a new string, and of one that may come again. */
OTF2_StringRef pithi_otf2_put_string(struct otf2_writer *w, const char *text);
OTF2_StringRef pithi_otf2_put_text(struct otf2_writer *w, const char *text);

/* A parameter of that name; its number. */
uint32_t pithi_otf2_put_parameter(struct otf2_writer *w, const char *name, OTF2_ParameterType type);

/* What events refer to by number; then, when these are written, all else. 0: no memory. */
int pithi_otf2_put_definitions(struct otf2_writer *w);
int pithi_otf2_put_places(struct otf2_writer *w, const struct pithi_walk *window);

/* The key of a remote group in `members`. */
static inline uint32_t otf2_remote(uint32_t comm) { return comm | UINT32_C(1) << 31; }

uint64_t pithi_otf2_location(const struct pithlog_lane *lane);

/* All of some lanes of one rank. */
int pithi_otf2_write_lanes(struct otf2_writer *w, uint32_t first, uint32_t count);

#endif
