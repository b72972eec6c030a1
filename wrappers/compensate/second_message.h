/* second_message.h - sends headers as messages of their own, on a shadow communicator. */
#ifndef PITHI_SECOND_MESSAGE_H
#define PITHI_SECOND_MESSAGE_H

#include "delay.h"
#include "shadow.h"

/* Does not block. */
void pithi_second_send(const struct pithi_shadow *comm, const struct pithi_header *header, int to, int tag);
/* Receives the header of a message that has been received. 0: it failed. */
int pithi_second_recv(const struct pithi_shadow *comm, struct pithi_header *header, int from, int tag);
/* In MPI_Finalize: releases the buffers. */
void pithi_second_end(void);

#endif
