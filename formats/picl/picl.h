/* picl.h - the trace format of PICL, version 1, that ParaGraph and upshot read: a record a line, by number or by name.
 *
 *     4 0 480 0 8 30008 1        or        send clock 0 480 node 0 to 8 type 30008 lth 1
 *
 * Sends, receives and syncs do not say how long they last: the record begins a state; the next compstats of the node,
 * of the same time, belongs to it, and the one after ends the state, and is the time of the message. A send or receive
 * that takes no time is a message without a state. Our own files explain the numbers of blocks and marks by
 * trace_messages before all other records, "block 3 is MPI_Send"; the reader takes the names from there. */
#ifndef PITHI_PICL_H
#define PITHI_PICL_H

#include "format.h"

int pithi_picl_probe(const struct pithi_input *input);
int pithi_picl_read(const struct pithi_input *input, struct pithi_writer *writer);
int pithi_picl_write(struct pithlog *log, FILE *out, const struct pithi_convert *how);

/* Records by number. */
enum pithi_picl_type {
    PITHI_PICL_START = 1,
    PITHI_PICL_OPEN,
    PITHI_PICL_LOAD,
    PITHI_PICL_SEND,
    PITHI_PICL_PROBE,
    PITHI_PICL_RECV,
    PITHI_PICL_RECV_BLOCKING,
    PITHI_PICL_RECV_WAKING,
    PITHI_PICL_MESSAGE,
    PITHI_PICL_SYNC,
    PITHI_PICL_COMPSTATS,
    PITHI_PICL_COMMSTATS,
    PITHI_PICL_CLOSE,
    PITHI_PICL_LEVEL,
    PITHI_PICL_MARK,
    PITHI_PICL_TEXT,
    PITHI_PICL_STOP,
    PITHI_PICL_FLUSH,
    PITHI_PICL_EXIT,
    PITHI_PICL_BLOCK_BEGIN,
    PITHI_PICL_BLOCK_END,
    PITHI_PICL_MARKS,
    PITHI_PICL_TYPES
};
enum { PITHI_PICL_HOST = -32768, PITHI_PICL_ALL = -1 }; /* nodes */

/* A line taken apart. */
struct pithi_picl_line {
    enum pithi_picl_type type;
    int64_t time_ns;
    int32_t node;
    int32_t value[3]; /* partner, type, length; of marks the type; of blocks the type of block */
    const char *text; /* of PITHI_PICL_TEXT, not ended by a NUL */
    size_t text_size;
};

/* Of a line without its newline: 1; 0: there is nothing on it; -1: *wrong says what is. */
int pithi_picl_line(const char *line, size_t size, struct pithi_picl_line *got, const char **wrong);

#endif
