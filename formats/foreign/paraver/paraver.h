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
    PITHI_PRV_SAMPLED_LINES_END = 30000200, /* from SAMPLED_END on: the lines of the sampled functions */
    PITHI_PRV_TRACING = 40000012,           /* 1: recording is on; 0: paused */
    PITHI_PRV_MPI_POINT = 50000001,
    PITHI_PRV_MPI_COLLECTIVE,       /* MPI_Bcast ...: the value is the function */
    PITHI_PRV_MPI_OTHER,            /* other functions of MPI */
    PITHI_PRV_MPI_ONE_SIDED,        /* MPI_Put ... */
    PITHI_PRV_MPI_IO,               /* MPI_File_read ... */
    PITHI_PRV_COLL_SENT = 50100001, /* collectives: bytes sent, bytes received, 1 on the root, communicator */
    PITHI_PRV_COLL_GOT,
    PITHI_PRV_COLL_ROOT, /* 1 on the root */
    PITHI_PRV_COLL_COMM,
    PITHI_PRV_USER = 60000019,  /* functions of the program */
    PITHI_PRV_CALLER = 70000001 /* the call site of an MPI call */
};
/* Pith's own types: a base plus the number of a definition, or a single type. */
enum {
    PITHI_PRV_EVENT = 10000000,        /* value 1: no payload; for all others the value's label is the payload */
    PITHI_PRV_EVENT_NUMBER = 11000000, /* the value is the payload, a whole number */
    PITHI_PRV_COUNTER = 12000000,      /* the integer part of the value */
    PITHI_PRV_COUNTER_BITS = 13000000, /* the bits of the value, a double, unless it is a whole number */
    PITHI_PRV_OWN_END = 14000000,
    PITHI_PRV_ROOT = 14000001, /* collectives: world rank of the root + 1 */
    PITHI_PRV_COMM_MADE,       /* number of the communicator, from 1 */
    PITHI_PRV_COMM_FREED,
    PITHI_PRV_LOST
};

/* A state for which Extrae has no value has PITHI_PRV_NAMED + its definition, as a value of its type and under STATES
 * of the .pcf. */
enum { PITHI_PRV_NAMED = 1000 };

/* The second line of a trace by Pith is PITHI_PRV_MARK. In such a trace the states of the log are events; state records
 * only repeat them, for Paraver, and are not read. */
/* If the third line is PITHI_PRV_PROMISE, the last line is PITHI_PRV_END. If it is missing, the file was cut. */
#define PITHI_PRV_PROMISE "# the last line is \"# end\""
#define PITHI_PRV_END "# end"
#define PITHI_PRV_MARK "# Pith 1"
/* The fourth line, if the log has samples: PITHI_PRV_SAMPLING and pithi_sampling_text. */
#define PITHI_PRV_SAMPLING "# "

/* The type of a state's event; *value is 0 if Extrae has no value for the name. */
int pithi_prv_call_type(const char *name, int *value);
/* The name of a value of the MPI types; NULL if unknown. */
const char *pithi_prv_call_name(int64_t value);

/* A state for state records: the kind of work that a thread does. */
struct pithi_prv_state {
    const char *name;
    unsigned rgb;
};
/* STATES: number of states that Paraver itself has; RUNNING: the number of "Running" */
enum { PITHI_PRV_STATES = 21, PITHI_PRV_RUNNING = 1 };
extern const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES];
/* The thread's state while it is inside the state `name`. */
int pithi_prv_state_in(const char *name);

#endif
