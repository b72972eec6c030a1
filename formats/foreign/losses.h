/* losses.h - the parts of a log that a format cannot hold. All formats count them in the same way and report them in
 * the same words, so that each loss is reported once.
 *
 *     TRY(pithi_losses_open(&losses, log));
 *     walk.losses = &losses;                       (foreign/walk.h) sees all records of one walk
 *     pithi_losses_colour(&losses, id, written);   for each definition that is written, if colours change
 *     pithi_losses_tell(&losses, how, PITHI_LOSES(GROUPS) | PITHI_LOSES(COUNTERS) ...);
 *     pithi_losses_close(&losses);
 *
 * What only a writer knows (a name that was cut) it counts itself and tells by pithi_note. */
#ifndef PITHI_LOSSES_H
#define PITHI_LOSSES_H

#include "format.h"

/* Each with the text of its note. */
#define PITHI_LOSS_LIST(ROW)                                                                                           \
    ROW(ORIGIN, "ns: by so much all times are moved")                                                                  \
    ROW(ROUNDED, "times are rounded to whole microseconds")                                                            \
    ROW(OPEN_START, "states open at the start of the window begin there")                                              \
    ROW(OPEN_END, "states still open at the end are closed there")                                                     \
    ROW(UNMATCHED, "ends of states without a start are left out")                                                      \
    ROW(ON_COMM, "states and events on a communicator: that is left out")                                              \
    ROW(COUNTERS, "values of counters are left out")                                                                   \
    ROW(COUNTER_DEFS, "definitions of counters are left out")                                                          \
    ROW(COLLS, "collective operations: their bytes and roots are left out")                                            \
    ROW(COMM_RECORDS, "records of communicators made and freed are left out")                                          \
    ROW(MESSAGE_COMMS, "ends of messages do not tell their communicator")                                              \
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
    ROW(PROPERTIES, "properties of the run are left out")

#define PITHI_LOSS_ROW(name, text) PITHI_LOSS_##name,
enum pithi_loss { PITHI_LOSS_LIST(PITHI_LOSS_ROW) PITHI_LOSSES };
#undef PITHI_LOSS_ROW

/* Bits of a mask: one, and those that go together. */
#define PITHI_LOSES(name) (UINT64_C(1) << PITHI_LOSS_##name)
#define PITHI_LOSES_ENDS                                                                                               \
    (PITHI_LOSES(OPEN_START) | PITHI_LOSES(OPEN_END) | PITHI_LOSES(UNMATCHED) | PITHI_LOSES(ON_COMM))
#define PITHI_LOSES_COUNTERS (PITHI_LOSES(COUNTERS) | PITHI_LOSES(COUNTER_DEFS))
#define PITHI_LOSES_POSTING (PITHI_LOSES(EMPTY_RECVS) | PITHI_LOSES(POSTED))
#define PITHI_LOSES_GAPS (PITHI_LOSES(PAUSES) | PITHI_LOSES(LOST))

enum { PITHI_KEPT = 2 };
struct pithi_losses {
    struct pithlog *log;
    int64_t zero_ns; /* time 0 of the file */
    uint64_t count[PITHI_LOSSES];
    unsigned char *used; /* [definitions]: some record has it; PITHI_KEPT: it is in the file in any case */
    uint32_t *first;     /* [lanes]: the first lane of its rank */
    uint64_t *posted;    /* [lanes]: of first lanes, the highest number of posting + 1 */
    uint64_t kept_properties;
    uint64_t ends, matched; /* of messages: sends and receives; messages of which both ends are written */
};

int pithi_losses_open(struct pithi_losses *losses, struct pithlog *log);
void pithi_losses_close(struct pithi_losses *losses);

/* Sets the log's time that is 0 in the file; call it before the first record. Without it: 0. */
void pithi_losses_zero(struct pithi_losses *losses, int64_t zero_ns);

/* The walk calls it for each record. `edge`: the walk made the record, since its state is open at that edge. */
enum pithi_edge { PITHI_EDGE_NONE, PITHI_EDGE_START, PITHI_EDGE_END };
void pithi_losses_record(struct pithi_losses *losses, const struct pithlog_record *record, enum pithi_edge edge);

/* The colour that definition `id` has in the file; "": none. Not a loss: another spelling of the
 * same colour, or a colour for a definition that has none. */
void pithi_losses_colour(struct pithi_losses *losses, uint32_t id, const char *written);

/* The file has the property of that key, if the log has it. */
void pithi_losses_keep(struct pithi_losses *losses, const char *key);

/* Reports each loss in `mask` whose count is not 0. If UNUSED is in the mask, definitions that no record uses are
 * counted as unused only. */
void pithi_losses_tell(struct pithi_losses *losses, const struct pithi_convert *how, uint64_t mask);

#endif
