/* paraver.h - traces of Paraver: NAME.prv with the records, and beside it NAME.pcf (labels and colours) and NAME.row
 * (names of threads and nodes). README.md has the rules for conversion to and from native records.
 *
 *     #Paraver (20/11/2026 at 12:00):9000_ns:1(2):1:2(1:1,1:1),1
 *                         the first line: (date):time of the last record:nodes(processors of each node):applications:
 *                         then of each application tasks(threads:node of each task),communicators
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

/* Types of events that Extrae, the usual recorder for Paraver, uses, too. */
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
    PITHI_PRV_COLL_GOT,             /* of collectives: the bytes received */
    PITHI_PRV_COLL_ROOT,            /* of collectives: 1 if this task is the root */
    PITHI_PRV_COLL_COMM,            /* of collectives: the number of the communicator */
    PITHI_PRV_USER = 60000019,      /* functions of the program; the value gives the function */
    PITHI_PRV_CALLER = 70000001     /* the call site of an MPI call */
};
/* Types of events that only Pith writes. Below PITHI_PRV_OWN_END, a type is one of these numbers plus the id of the
 * event's or counter's definition. */
enum {
    PITHI_PRV_EVENT = 10000000,        /* an event: the value 1 means no payload; the label of any other value is the
                                          payload */
    PITHI_PRV_EVENT_NUMBER = 11000000, /* an event whose payload is a whole number, which is the value */
    PITHI_PRV_COUNTER = 12000000,      /* a counter: the integer part of its value */
    PITHI_PRV_COUNTER_BITS = 13000000, /* a counter: the bits of its value as a double; written if the integer part is
                                          not exactly the value */
    PITHI_PRV_OWN_END = 14000000,
    PITHI_PRV_ROOT = 14000001, /* of collectives: the root's rank in MPI_COMM_WORLD, + 1 */
    PITHI_PRV_COMM_MADE,       /* a communicator is created: its number, from 1 */
    PITHI_PRV_COMM_FREED,      /* a communicator is freed: its number, from 1 */
    PITHI_PRV_LOST             /* a lost record */
};

/* A state of the log is written as events, whose value is the number of the function in Extrae. If Extrae has no number
 * for the function, the value is PITHI_PRV_NAMED + the id of the state's definition. The section STATES of the .pcf
 * names each state of the log by PITHI_PRV_NAMED + its id, too. */
enum { PITHI_PRV_NAMED = 1000 };

/* The second line of a trace that Pith wrote is PITHI_PRV_MARK. Pith writes the states of the log as events. It also
 * writes state records (lines "1:"), but only for Paraver to draw, so Pith's reader ignores state records in its own
 * traces. If the third line is PITHI_PRV_PROMISE, the last line must be PITHI_PRV_END; otherwise the file was cut. */
#define PITHI_PRV_PROMISE "# the last line is \"# end\""
#define PITHI_PRV_END "# end"
#define PITHI_PRV_MARK "# Pith 1"
/* If the log has samples, the fourth line is PITHI_PRV_SAMPLING followed by the text of pithi_sampling_text. */
#define PITHI_PRV_SAMPLING "# "

/* Returns the type of the events that stand for the log's state `name`. *value becomes the number that Extrae gives to
 * the function of this name, or 0 if Extrae has no number for it. */
int pithi_prv_call_type(const char *name, int *value);
/* Returns the name of the MPI function to which Extrae gives the number `value`, or NULL if there is no such function.
 * The name is valid until the next call in this thread. */
const char *pithi_prv_call_name(int64_t value);

/* A state in Paraver's sense, as in state records: the kind of work that a thread does, such as "Running". */
struct pithi_prv_state {
    const char *name;
    unsigned rgb;
};
/* STATES: count of the states that Paraver itself has; RUNNING: the index of "Running" among them */
enum { PITHI_PRV_STATES = 21, PITHI_PRV_RUNNING = 1 };
extern const struct pithi_prv_state pithi_prv_states[PITHI_PRV_STATES];
/* Returns the index in pithi_prv_states of the state that Paraver shows while a thread is inside the log's state
 * `name`. */
int pithi_prv_state_in(const char *name);

#endif
