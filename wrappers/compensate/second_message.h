/* second_message.h - headers as messages of their own, on a shadow communicator. */
#ifndef PITHI_SECOND_MESSAGE_H
#define PITHI_SECOND_MESSAGE_H

#include "delay.h"
#include "shadow.h"

/* Never waits: what the library cannot send at once goes when it can. */
void pithi_second_send(const struct pithi_shadow *comm, const struct pithi_header *header, int to, int tag);
/* Waits for the header of a message that was received. 1; 0: it failed. */
int pithi_second_recv(const struct pithi_shadow *comm, struct pithi_header *header, int from, int tag);
/* In MPI_Finalize: none is under way any more, or never will be. */
void pithi_second_end(void);

#endif
