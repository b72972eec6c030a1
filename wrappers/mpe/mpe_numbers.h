/* mpe_numbers.h - MPE's event numbers, and what they are to this process.
 *
 * A number that this process has described is recorded as what it is. Others are recorded under definitions of the
 * names "event N", and "event N info" with a payload: the merge, which has the descriptions of all processes, makes of
 * them what they are (formats/spill/spill_numbers.h).
 */
#ifndef PITHI_MPE_NUMBERS_H
#define PITHI_MPE_NUMBERS_H

#include <stdint.h>

/* Records one; or one on a communicator (the recorder's id), with 32 bytes of payload, or NULL. */
void pithi_mpe_record(int number);
void pithi_mpe_record_more(int number, uint32_t comm, const unsigned char bytes[32]);

/* Another log begins: numbers are given out from the first on, and none is described. */
void pithi_mpe_numbers_begin(void);

/* Descriptions. Strings may be NULL. */
void pithi_mpe_describe_state(int start, int final, const char *name, const char *colour, const char *format);
void pithi_mpe_describe_event(int number, const char *name, const char *colour, const char *format);
/* They were said of a communicator, the one with this key. */
void pithi_mpe_describe_comm(int number, uint64_t key);

#endif
