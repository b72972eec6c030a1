/* picl.h - the trace format of PICL, version 1, which ParaGraph and upshot read. Each line is a record, in numbers or
 * in words.
 *
 *     4 0 480 0 8 30008 1        or        send clock 0 480 node 0 to 8 type 30008 lth 1
 *
 * PICL writes two compstats records (statistics of computing) after each record of a send, receive or sync (a
 * synchronisation of the nodes). The send, receive or sync is a state, which begins at its record. The first compstats
 * has the same time; the second one ends the state and has the time of the message. A send or receive whose second
 * compstats has the same time, too, is a message without a state. A file that Pith wrote begins with trace_message
 * records that give names to the numbers of blocks and marks, such as "block 3 is MPI_Send". The reader uses these
 * names. */
#ifndef PITHI_PICL_H
#define PITHI_PICL_H

#include "foreign/formats.h"

/* The types of records, by number. Some comments list the values of the record. The "type" of a message is its tag. */
enum pithi_picl_type {
    PITHI_PICL_START = 1, /* recording is switched on */
    PITHI_PICL_OPEN,
    PITHI_PICL_LOAD,
    PITHI_PICL_SEND, /* a message is sent: to node, type, length */
    PITHI_PICL_PROBE,
    PITHI_PICL_RECV,          /* a message is received: from node, type, length */
    PITHI_PICL_RECV_BLOCKING, /* a receive begins to wait: type */
    PITHI_PICL_RECV_WAKING,   /* that receive has its message: from node, type, length */
    PITHI_PICL_MESSAGE,
    PITHI_PICL_SYNC,      /* the nodes synchronise */
    PITHI_PICL_COMPSTATS, /* ends an earlier record, or gives the time that a node computed */
    PITHI_PICL_COMMSTATS,
    PITHI_PICL_CLOSE, /* a file is closed */
    PITHI_PICL_LEVEL,
    PITHI_PICL_MARK,        /* a trace_mark: a number that the program chose */
    PITHI_PICL_TEXT,        /* a trace_message: a text */
    PITHI_PICL_STOP,        /* recording is switched off */
    PITHI_PICL_FLUSH,       /* records are written out */
    PITHI_PICL_EXIT,        /* the program ends */
    PITHI_PICL_BLOCK_BEGIN, /* a block (a named part) of the program begins: number of the block */
    PITHI_PICL_BLOCK_END,   /* a block ends: number of the block */
    PITHI_PICL_MARKS,
    PITHI_PICL_TYPES
};
enum { PITHI_PICL_HOST = -32768, PITHI_PICL_ALL = -1 }; /* special node numbers */

/* A parsed line. */
struct pithi_picl_line {
    enum pithi_picl_type type;
    int64_t time_ns;  /* ns since the trace began */
    int32_t node;     /* becomes a rank */
    int32_t value[3]; /* of a message: partner, type, length; of a mark or block: its number in value[0] */
    const char *text; /* the text of a PITHI_PICL_TEXT; no NUL at the end */
    size_t text_size; /* bytes */
};

/* Parses a line without its newline. Returns 1 for a record, 0 for an empty line, or -1 for an error, which *wrong
 * describes. */
int pithi_picl_line(const char *line, size_t size, struct pithi_picl_line *got, const char **wrong);

/* The text of a trace_message by which Pith gives a name to a number, at the start of a file. Its values are "block" or
 * "mark", the number, and the name with the escapes of `pith print`. */
#define PITHI_PICL_EXPLAINS "%s %d is %s"

/* How PICL writes the definitions of a log. The arrays are indexed by the id of the definition. */
struct pithi_picl_numbers {
    int32_t *of; /* number of the block or mark that stands for the definition */
    /* Pith's reader of PICL makes some definitions from records of a type, such as the state "send" from
     * PITHI_PICL_SEND. `own` is the type for such a definition, 0 for any other one. For a state it is PITHI_PICL_SEND,
     * _RECV, _SYNC or _RECV_BLOCKING; for an event it is _MARK or _TEXT. */
    enum pithi_picl_type *own;
};

/* Gives numbers of blocks and marks to the definitions of a log. The state "block 7" gets 7; the states "barrier",
 * "bcast0", "bcast1" and "globalOp" get the numbers of the blocks that PICL itself writes; other definitions get the
 * next free number. */
int pithi_picl_numbers_make(struct pithi_picl_numbers *numbers, const struct pithlog *log);
void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers);

/* Writes to `name` the name of block `type` in a file in which no trace_message names it. */
void pithi_picl_block_name(int32_t type, char name[32]);

#endif
