/* paraver.h - traces of Paraver: NAME.prv with the records, and beside it NAME.pcf (labels and colours) and NAME.row
 * (names of threads and nodes). README.md has the rules for conversion to and from native records.
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

#include "foreign/formats.h"

/* Types of events that Extrae writes, too: */
enum {
    PITHI_PRV_SAMPLED = 30000000, /* + d: the sampled function at depth d (0: innermost) */
    PITHI_PRV_SAMPLED_END = 30000100,
    PITHI_PRV_SAMPLED_LINES_END = 30000200, /* the types from SAMPLED_END on are the source lines of the sampled
                                               functions */
    PITHI_PRV_TRACING = 40000012,           /* value 1: recording is on; 0: it is paused */
    PITHI_PRV_MPI_POINT = 50000001,
    PITHI_PRV_MPI_COLLECTIVE,       /* MPI_Bcast ... The value gives the function */
    PITHI_PRV_MPI_OTHER,            /* other functions of MPI */
    PITHI_PRV_MPI_ONE_SIDED,        /* MPI_Put ... */
    PITHI_PRV_MPI_IO,               /* MPI_File_read ... */
    PITHI_PRV_COLL_SENT = 50100001, /* of collectives: the bytes sent */
    PITHI_PRV_COLL_GOT,
    PITHI_PRV_COLL_ROOT, /* is 1 on the root */
    PITHI_PRV_COLL_COMM,
    PITHI_PRV_USER = 60000019,  /* functions of the program */
    PITHI_PRV_CALLER = 70000001 /* the call site of an MPI call */
};
/* Pith's own types: a base plus the number of a definition, or a single type. */
enum {
    PITHI_PRV_EVENT = 10000000,        /* the value 1 means no payload; the label of any other value is the payload */
    PITHI_PRV_EVENT_NUMBER = 11000000, /* the value is the payload, a whole number */
    PITHI_PRV_COUNTER = 12000000,      /* the integer part of the value */
    PITHI_PRV_COUNTER_BITS = 13000000, /* the bits of the double, written if the value is not a whole number */
    PITHI_PRV_OWN_END = 14000000,
    PITHI_PRV_ROOT = 14000001, /* collectives: world rank of the root + 1 */
    PITHI_PRV_COMM_MADE,       /* number of the communicator, from 1 */
    PITHI_PRV_COMM_FREED,
    PITHI_PRV_LOST
};

/* If Extrae has no value for a state, the value is PITHI_PRV_NAMED + the id of its definition. The same number stands
 * for the state in the section STATES of the .pcf. */
enum { PITHI_PRV_NAMED = 1000 };

/* The second line of a trace that Pith wrote is PITHI_PRV_MARK. In such a trace the states of the log are events. The
 * state records only repeat these states for Paraver, so the reader ignores them. */
/* If the third line is PITHI_PRV_PROMISE, the last line is PITHI_PRV_END. If that last line is missing, the file was
 * cut. */
#define PITHI_PRV_PROMISE "# the last line is \"# end\""
#define PITHI_PRV_END "# end"
#define PITHI_PRV_MARK "# Pith 1"
/* If the log has samples, the fourth line is PITHI_PRV_SAMPLING and the text of pithi_sampling_text. */
#define PITHI_PRV_SAMPLING "# "

/* Returns the type of the events of a state. *value becomes the value of Extrae for its name, or 0 if there is none. */
int pithi_prv_call_type(const char *name, int *value);
/* Returns the name for a value of the MPI types, or NULL if it is unknown. */
const char *pithi_prv_call_name(int64_t value);

/* A state as in state records. It says what kind of work a thread does. */
struct pithi_prv_state {
    const char *name;
    unsigned rgb;
};
/* STATES: number of states that Paraver itself has; RUNNING: the number of "Running" */
enum { PITHI_PRV_STATES = 21, PITHI_PRV_RUNNING = 1 };
extern const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES];
/* Returns the number of the state in which a thread is while it is inside the log's state `name`. */
int pithi_prv_state_in(const char *name);

#endif
