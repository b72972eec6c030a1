/* picl_line.h - the numbers that PICL uses for the states and events of a log. */
#ifndef PITHI_PICL_LINE_H
#define PITHI_PICL_LINE_H

#include "foreign/picl/picl.h"

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
