/* paraver.h - traces of Paraver: NAME.prv with the records, and beside it NAME.pcf (what numbers are called, colours)
 * and NAME.row (what threads and nodes are called). README.md has the rules by which records of the one become the
 * other's.
 *
 *     #Paraver (20/11/2026 at 12:00):9000_ns:1(2):1:2(1:1,1:1),1
 *                                              time, nodes(cpus), applications: tasks(threads:node), communicators
 *     c:1:1:2:1:2                              application 1, communicator 1, 2 tasks: 1, 2
 *     1:cpu:application:task:thread:begin:end:state
 *     2:cpu:application:task:thread:time:type:value[:type:value ...]
 *     3:cpu:application:task:thread:logical send:physical send:cpu:application:task:thread:logical receive:
 *         physical receive:bytes:tag                                  (one line)
 *     4:cpu:application:task:thread:time:communicator:bytes sent:bytes received:operation:is root     (old traces)
 */
#ifndef PITHI_PARAVER_H
#define PITHI_PARAVER_H

#include "format.h"

int pithi_paraver_probe(const struct pithi_input *input);
int pithi_paraver_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_paraver_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* Types of events. Those that Extrae writes, too: */
enum {
    PITHI_PRV_TRACING = 40000012, /* 1: recording goes on, 0: paused */
    PITHI_PRV_MPI_POINT = 50000001,
    PITHI_PRV_MPI_COLLECTIVE,
    PITHI_PRV_MPI_OTHER,
    PITHI_PRV_MPI_ONE_SIDED,
    PITHI_PRV_MPI_IO,
    PITHI_PRV_COLL_SENT = 50100001, /* of a collective: bytes given, bytes got, 1 on the root, communicator */
    PITHI_PRV_COLL_GOT,
    PITHI_PRV_COLL_ROOT,
    PITHI_PRV_COLL_COMM,
    PITHI_PRV_USER = 60000019
};
/* Pith's own: a base and the number of a definition, or one alone. */
enum {
    PITHI_PRV_EVENT = 10000000,        /* value 1: no payload, others: one that the value's label tells */
    PITHI_PRV_EVENT_NUMBER = 11000000, /* the value is the payload, a whole number */
    PITHI_PRV_COUNTER = 12000000,      /* the whole part */
    PITHI_PRV_COUNTER_BITS = 13000000, /* all of it, as the bits of a double, when that is not whole */
    PITHI_PRV_OWN_END = 14000000,
    PITHI_PRV_ROOT = 14000001, /* of a collective: world rank of the root + 1 */
    PITHI_PRV_COMM_MADE,       /* number of the communicator, from 1 */
    PITHI_PRV_COMM_FREED,
    PITHI_PRV_LOST
};

/* Values of states that have no number of Extrae's, and their places among STATES: this and the definition's number. */
enum { PITHI_PRV_NAMED = 1000 };

/* The second line of a .prv that Pith wrote: its states are told by events, state records only repeat them. */
/* Where it stands before the records, the last line is PITHI_PRV_END. */
#define PITHI_PRV_PROMISE "# the last line is \"# end\""
#define PITHI_PRV_END "# end"
#define PITHI_PRV_MARK "# Pith 1"

/* A state as an event: the type, and the value or 0: none is set aside for this name. */
int pithi_prv_call_type(const char *name, int *value);
/* The name of a value of the MPI types; NULL: unknown. */
const char *pithi_prv_call_name(int64_t value);

/* What a thread does as a whole, for state records. */
struct pithi_prv_state {
    const char *name;
    unsigned rgb;
};
enum { PITHI_PRV_STATES = 21, PITHI_PRV_RUNNING = 1 };
extern const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES];
/* The one that a thread is in inside the state of that name. */
int pithi_prv_state_in(const char *name);

#endif
