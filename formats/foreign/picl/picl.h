/* picl.h - the trace format of PICL, version 1, which ParaGraph and upshot read. Each line is a record, in numbers or
 * in words.
 *
 *     4 0 480 0 8 30008 1        or        send clock 0 480 node 0 to 8 type 30008 lth 1
 *
 * The records of sends, receives and syncs have no duration. The record begins a state. The node's next compstats, at
 * the same time, belongs to the record; the second compstats ends the state and gives the time of the message. A send
 * or receive that takes no time is a message without a state. Files by Pith begin with trace_messages that give names
 * to the numbers of blocks and marks, "block 3 is MPI_Send", which the reader uses. */
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
    PITHI_PICL_RECV_BLOCKING, /* begins to wait; type */
    PITHI_PICL_RECV_WAKING,   /* has waited; from node, type, length */
    PITHI_PICL_MESSAGE,
    PITHI_PICL_SYNC,      /* synchronises the nodes */
    PITHI_PICL_COMPSTATS, /* ends a record before it, or gives the time that a node computed */
    PITHI_PICL_COMMSTATS,
    PITHI_PICL_CLOSE, /* a file is closed */
    PITHI_PICL_LEVEL,
    PITHI_PICL_MARK,        /* a number of the program */
    PITHI_PICL_TEXT,        /* a text */
    PITHI_PICL_STOP,        /* recording is switched off */
    PITHI_PICL_FLUSH,       /* records are written out */
    PITHI_PICL_EXIT,        /* the program ends */
    PITHI_PICL_BLOCK_BEGIN, /* a block of the program begins; its type */
    PITHI_PICL_BLOCK_END,   /* the block ends; its type */
    PITHI_PICL_MARKS,
    PITHI_PICL_TYPES
};
enum { PITHI_PICL_HOST = -32768, PITHI_PICL_ALL = -1 }; /* special node numbers */

/* A parsed line. */
struct pithi_picl_line {
    enum pithi_picl_type type;
    int64_t time_ns;  /* ns since the trace began */
    int32_t node;     /* becomes a rank */
    int32_t value[3]; /* partner, type, length; or the type of a mark or block in [0] */
    const char *text; /* of PITHI_PICL_TEXT; no NUL at the end */
    size_t text_size; /* bytes */
};

/* Parses a line without its newline. 1: a record; 0: an empty line; -1: an error, described in *wrong. */
int pithi_picl_line(const char *line, size_t size, struct pithi_picl_line *got, const char **wrong);

/* The trace_message that explains a number at the start of Pith's own files: "block" or "mark", number, name with the
 * escapes of `pith print`. */
#define PITHI_PICL_EXPLAINS "%s %d is %s"

/* Arrays by definition id. */
struct pithi_picl_numbers {
    int32_t *of; /* type of a block or mark */
    /* The record of PICL that a definition stands for: a state that the reader makes of PITHI_PICL_SEND, _RECV, _SYNC
     * or _RECV_BLOCKING, an event of _MARK or _TEXT; 0: none. */
    enum pithi_picl_type *own;
};

/* The state "block 7" gets 7, PICL's own blocks get their numbers, and other definitions get the next free number. */
int pithi_picl_numbers_make(struct pithi_picl_numbers *numbers, const struct pithlog *log);
void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers);

/* The name of a block without an explanation. */
void pithi_picl_block_name(int32_t type, char name[32]);

#endif
