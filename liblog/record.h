/* record.h - what others of liblog need to know of the recording calls. */
#ifndef PITHI_RECORD_H
#define PITHI_RECORD_H

#include <stdint.h>

/* Order numbers of receives that were given out so far. */
uint64_t pithi_recv_posted(void);

#endif
