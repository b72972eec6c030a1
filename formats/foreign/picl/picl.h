/* picl.h - the trace format of PICL, version 1, which ParaGraph and upshot read. Each line is a record, in numbers or
 * in words.
 *
 *     4 0 480 0 8 30008 1        or        send clock 0 480 node 0 to 8 type 30008 lth 1
 *
 * A record of a send, receive or sync has no duration; it begins a state. The next compstats of the node, at the same
 * time, belongs to the record. The second compstats ends the state and gives the time of the message. A send or receive
 * that takes no time is a message without a state. A file that Pith wrote begins with trace_messages that give names to
 * the numbers of blocks and marks, such as "block 3 is MPI_Send". The reader uses these names. */
#ifndef PITHI_PICL_H
#define PITHI_PICL_H

#include "foreign/formats.h"

/* The types of records, by number. */
enum pithi_picl_type {
    PITHI_PICL_START = 1, /* recording is switched on */
    PITHI_PICL_OPEN,
    PITHI_PICL_LOAD,
    PITHI_PICL_SEND, /* to node, type, length */
    PITHI_PICL_PROBE,
    PITHI_PICL_RECV,          /* from node, type, length */
    PITHI_PICL_RECV_BLOCKING, /* a receive begins to wait; type */
    PITHI_PICL_RECV_WAKING,   /* the receive has waited; from node, type, length */
    PITHI_PICL_MESSAGE,
    PITHI_PICL_SYNC,      /* synchronises the nodes */
    PITHI_PICL_COMPSTATS, /* ends an earlier record, or gives the time that a node computed */
    PITHI_PICL_COMMSTATS,
    PITHI_PICL_CLOSE, /* a file is closed */
    PITHI_PICL_LEVEL,
    PITHI_PICL_MARK,        /* a number of the program */
    PITHI_PICL_TEXT,        /* a text */
    PITHI_PICL_STOP,        /* recording is switched off */
    PITHI_PICL_FLUSH,       /* records are written out */
    PITHI_PICL_EXIT,        /* the program ends */
    PITHI_PICL_BLOCK_BEGIN, /* a block of the program begins; type of the block */
    PITHI_PICL_BLOCK_END,   /* a block ends; type of the block */
    PITHI_PICL_MARKS,
    PITHI_PICL_TYPES
};
enum { PITHI_PICL_HOST = -32768, PITHI_PICL_ALL = -1 }; /* special node numbers */

/* A parsed line. */
struct pithi_picl_line {
    enum pithi_picl_type type;
    int64_t time_ns;  /* ns since the trace began */
    int32_t node;     /* becomes a rank */
    int32_t value[3]; /* partner, type, length; value[0] is the type of a mark or block */
    const char *text; /* the text of a PITHI_PICL_TEXT; no NUL at the end */
    size_t text_size; /* bytes */
};

/* Parses a line without its newline. Returns 1 for a record, 0 for an empty line, or -1 for an error, which *wrong
 * describes. */
int pithi_picl_line(const char *line, size_t size, struct pithi_picl_line *got, const char **wrong);

/* The trace_message by which Pith gives a number a name, at the start of a file: "block" or "mark", the number, and the
 * name with the escapes of `pith print`. */
#define PITHI_PICL_EXPLAINS "%s %d is %s"

/* Arrays by definition id. */
struct pithi_picl_numbers {
    int32_t *of; /* type of a block or mark */
    /* The type of record from which the reader of PICL makes this definition. For a state it is PITHI_PICL_SEND, _RECV,
     * _SYNC or _RECV_BLOCKING; for an event it is _MARK or _TEXT; 0: none. */
    enum pithi_picl_type *own;
};

/* Gives numbers to definitions. The state "block 7" gets 7, blocks of PICL itself get their numbers, and other
 * definitions get the next free number. */
int pithi_picl_numbers_make(struct pithi_picl_numbers *numbers, const struct pithlog *log);
void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers);

/* Writes the name of a block to which no trace_message gives a name. */
void pithi_picl_block_name(int32_t type, char name[32]);

#endif
