/* picl_numbers.h - definitions of a log as PICL has them: states and events by number. */
#ifndef PITHI_PICL_NUMBERS_H
#define PITHI_PICL_NUMBERS_H

#include "picl/picl.h"

/* How a trace_message at the start of our own files explains a number: "block" or "mark", number, name with the escapes
 * of `pith print`. */
#define PITHI_PICL_EXPLAINS "%s %d is %s"

/* By definition. */
struct pithi_picl_numbers {
    int32_t *of; /* a block's type; a mark's */
    /* PITHI_PICL_SEND, _RECV, _SYNC, _RECV_BLOCKING: the state that our reader makes of such records; _MARK, _TEXT: the
     * event; 0: any other. */
    enum pithi_picl_type *own;
};

/* "block 7" is 7, PICL's own blocks have their numbers, other definitions get the next free one. */
int pithi_picl_numbers_make(struct pithi_picl_numbers *numbers, const struct pithlog *log);
void pithi_picl_numbers_free(struct pithi_picl_numbers *numbers);

/* The name of a block that nothing explains. */
void pithi_picl_block_name(int32_t type, char name[32]);

#endif
