/* walk.h - gives a log to writers of foreign formats, record by record. The window is the interval of the log that is
 * converted. Records come in order of time, none is before the window, and each begin of a state has an end and each
 * end a begin. A state that is open at an edge of the window begins or ends at that edge. A state whose begin or end is
 * missing because of a hole begins or ends at the hole. A writer needs no stack, because pithlog_walk keeps the open
 * states. */
#ifndef PITHI_WALK_H
#define PITHI_WALK_H

#include <stdint.h>

#include "reader/read/format.h"

/* ---- Losses ------------------------------------------------------------------------------------------------------ */

/* A loss is something that a log has and a format cannot hold. These functions count losses, so that all formats count
 * them in the same way and report them in the same words. Each loss is reported once, with its count.
 *
 *     TRY(pithi_losses_open(&losses, log));
 *     walk.losses = &losses;                       counts all records of this walk
 *     pithi_losses_colour(&losses, id, written);   for each definition that is written, if colours change
 *     pithi_losses_tell(&losses, how);
 *     pithi_losses_close(&losses);
 *
 * A writer itself counts all other losses, such as names that were cut, and reports them by pithi_note. */

/* The kinds of losses. A loss is reported to the user as its count, followed by the text given here. */
#define PITHI_LOSS_LIST(ROW)                                                                                           \
    ROW(SPLIT, "ends of states that were not nested: the states inside are cut in two")                                \
    ROW(ORIGIN, "ns: by so much all times are moved")                                                                  \
    ROW(ROUNDED, "times are rounded to whole microseconds")                                                            \
    ROW(SECONDS, "times are rounded: seconds in doubles are exact for 50 days")                                        \
    ROW(OPEN_START, "states open at the start of the window begin there")                                              \
    ROW(OPEN_END, "states still open at the end are closed there")                                                     \
    ROW(OPEN_HOLE, "states that end where records are missing are closed there")                                       \
    ROW(DISCARDED, "states end early: too many are open at once")                                                      \
    ROW(UNMATCHED, "ends of states without a start are left out")                                                      \
    ROW(ON_COMM, "states and events on a communicator: that is left out")                                              \
    ROW(COUNTERS, "values of counters are left out")                                                                   \
    ROW(COUNTER_DEFS, "definitions of counters are left out")                                                          \
    ROW(COLLS, "collective operations: their bytes and roots are left out")                                            \
    ROW(COMM_RECORDS, "records of communicators made and freed are left out")                                          \
    ROW(MESSAGE_COMMS, "ends of messages: their communicators are left out")                                           \
    ROW(NO_PARTNER, "sends and receives of which the partner is not in the log are left out")                          \
    ROW(EMPTY_RECVS, "receives that got no message are left out")                                                      \
    ROW(POSTED, "receives ended before one posted earlier: the order of posting is not kept")                          \
    ROW(THREADS, "ends of messages of other threads are written as of their rank's first lane")                        \
    ROW(PAYLOADS, "payloads of events are left out")                                                                   \
    ROW(PAUSES, "pauses and resumes are left out")                                                                     \
    ROW(LOST, "records of lost records are left out")                                                                  \
    ROW(UNUSED, "definitions that no record uses are left out")                                                        \
    ROW(GROUPS, "groups of states, events and counters are left out")                                                  \
    ROW(COLOURS, "colours are left out")                                                                               \
    ROW(COLOURS_CHANGED, "colours became others that the format has")                                                  \
    ROW(FORMATS, "formats of payloads are left out")                                                                   \
    ROW(UNITS, "units of counters are left out")                                                                       \
    ROW(LANE_NAMES, "names of lanes are left out")                                                                     \
    ROW(HOSTS, "lanes: their hosts are left out")                                                                      \
    ROW(NODES, "lanes have other ranks and threads: each is a process of its own")                                     \
    ROW(COMMS, "communicators: their names and members are left out")                                                  \
    ROW(STACKS, "samples and call sites are events with addresses, without the names of functions")                    \
    ROW(PROPERTIES, "properties of the run are left out")

#define PITHI_LOSS_ROW(name, text) PITHI_LOSS_##name,
enum pithi_loss { PITHI_LOSS_LIST(PITHI_LOSS_ROW) PITHI_LOSSES };
#undef PITHI_LOSS_ROW

/* base/formats.def has for each format a mask of the losses that it has. PITHI_LOSES gives the bit of one loss, the
 * other macros the bits of several losses. */
#define PITHI_LOSES(name) (UINT64_C(1) << PITHI_LOSS_##name)
#define PITHI_LOSES_OPEN                                                                                               \
    (PITHI_LOSES(OPEN_START) | PITHI_LOSES(OPEN_END) | PITHI_LOSES(OPEN_HOLE) | PITHI_LOSES(DISCARDED))
#define PITHI_LOSES_ENDS (PITHI_LOSES_OPEN | PITHI_LOSES(UNMATCHED) | PITHI_LOSES(ON_COMM))
#define PITHI_LOSES_NEST (PITHI_LOSES_ENDS | PITHI_LOSES(SPLIT))
#define PITHI_LOSES_COUNTERS (PITHI_LOSES(COUNTERS) | PITHI_LOSES(COUNTER_DEFS))
#define PITHI_LOSES_POSTING (PITHI_LOSES(EMPTY_RECVS) | PITHI_LOSES(POSTED))
#define PITHI_LOSES_FACTS (PITHI_LOSES(PROPERTIES) | PITHI_LOSES(STACKS))
#define PITHI_LOSES_INTERRUPTIONS (PITHI_LOSES(PAUSES) | PITHI_LOSES(LOST))

enum { PITHI_KEPT = 2 };
struct pithi_losses {
    struct pithlog *log;
    int64_t zero_ns;              /* log time of the file's time 0 */
    uint64_t count[PITHI_LOSSES]; /* the count of each kind of loss */
    unsigned char *used;          /* by definition, bits. 1: a record uses the definition; PITHI_KEPT: the definition is
                                     in the file even if no record uses it */
    uint32_t *first;              /* by lane: index of the first lane of its rank */
    uint64_t *posted;             /* by lane, set for the first lane of each rank: the highest `posted` of the rank's
                                     receives so far, + 1 */
    uint64_t kept_properties;     /* number of properties that the format writes */
    uint32_t stack_ids[2];        /* the definitions of samples and call sites; UINT32_MAX: none */
    uint64_t ends, matched;       /* `ends`: sends and receives; `matched`: messages with both ends in the file */
};

int pithi_losses_open(struct pithi_losses *losses, struct pithlog *log);
void pithi_losses_close(struct pithi_losses *losses);

/* Sets the time of the log that is time 0 in the file; without a call it is 0. Call this function before the first
 * record. */
void pithi_losses_zero(struct pithi_losses *losses, int64_t zero_ns);

/* Counts the losses of a record. The walk calls this function for each record that it delivers. */
void pithi_losses_record(struct pithi_losses *losses, const struct pithlog_record *record);

/* Counts a loss if the colour `written` that definition `id` has in the file ("": none) differs from its colour in the
 * log. Another spelling of the same colour is no loss. A colour for a definition that has none is no loss, either. */
void pithi_losses_colour(struct pithi_losses *losses, uint32_t id, const char *written);

/* Notes that the file has the property `key`, if the log has it. */
void pithi_losses_keep(struct pithi_losses *losses, const char *key);
void pithi_losses_keep_sampling(struct pithi_losses *losses); /* for the properties in pithi_sampling_text */

/* Reports each loss of the format (how->loses) whose count is not 0. If UNUSED is among them, a definition that no
 * record uses is counted only as unused. */
void pithi_losses_tell(struct pithi_losses *losses, const struct pithi_convert *how);

/* ---- The steps of a log ------------------------------------------------------------------------------------------ */

struct pithi_walk {
    struct pithlog_walk *steps;
    struct pithi_carry *carry; /* gives, before all steps, the events outside the window that name functions of samples
                                    inside it; NULL: there is none left */
    int64_t from_ns, to_ns;    /* the window, cut to the times of the log */
    struct pithi_losses *losses; /* set it after opening to count losses; NULL: not counted */
    struct pithlog_record made;  /* the record of the last step, if it differs from the record in the log */
};

int pithi_walk_open(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how);
/* Opens a walk of `count` lanes, or of all lanes if `lanes` is NULL. `lanes` must stay valid until the walk is closed.
 * The window is cut to the times of the whole log, not only of these lanes. */
int pithi_walk_open_lanes(struct pithi_walk *walk, struct pithlog *log, const struct pithi_convert *how,
                          const uint32_t *lanes, uint32_t count);
/* Gets the next step whose change is BEGINS, ENDS or HAPPENS. step->record is set and has the time of the step. A state
 * that goes on after a hole counts as one state. Returns 1 if there is a step; 0 at the end; -1 on an error. */
int pithi_walk_next(struct pithi_walk *walk, struct pithlog_step *step);
void pithi_walk_close(struct pithi_walk *walk);

/* ---- Nested states ---- */

/* Some formats require that states nest, because in them an end always ends the state that began last. If a state A
 * ends while a state B inside it is open, pithi_nest_step ends B before A and begins B again after A. */
struct pithi_nest {
    void (*begin)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
    void (*end)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
    void *context;                                                /* passed to the callbacks */
    struct pithi_losses *losses;                                  /* counts the states that begin again */
    int (*is_apart)(void *context, uint32_t id, uint32_t ending); /* returns 1 if state `id` need not nest with the
                                                                     state `ending`; may be NULL */
};
/* Handles a step that BEGINS or ENDS a state: calls `begin` and `end`, so that states nest. */
void pithi_nest_step(const struct pithi_nest *nest, const struct pithlog_step *step);

/* ---- Writers that take steps as they come ---- */

/* The callbacks of a writer. They are called until *failed is not 0. */
struct pithi_each {
    void *context;
    void (*begin)(void *context, int64_t from_ns); /* called first, with the start of the window; or NULL */
    int (*put)(void *context, const struct pithlog_step *step);                             /* returns 0 if memory runs
                                                                                               out */
    void (*message)(void *context, const struct pithlog_message *message, uint64_t number); /* `number` counts from 1 */
    const int *failed;                                                                      /* ends the walk if not 0 */
    struct pithi_losses *losses; /* as in struct pithi_walk */
    /* If `enter` is set, `enter` and `leave` get the begins and ends of states, which are made to nest (pithi_nest),
     * and `put` gets all other records. */
    void (*enter)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
    void (*leave)(void *context, uint32_t lane, uint32_t id, int64_t time_ns);
};
int pithi_each_record(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each);
/* Calls `message` for each matched message whose send and receive lie in the window, in no particular order. */
int pithi_each_message(struct pithlog *log, const struct pithi_convert *how, const struct pithi_each *each);

#endif
