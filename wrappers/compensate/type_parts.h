/* type_parts.h - puts a header in front of a message, by a struct datatype or by a copy, and subtracts it from the size
 * in a status. */
#ifndef PITHI_TYPE_PARTS_H
#define PITHI_TYPE_PARTS_H

#include "piggyback.h"
#include "datatype.h"

/* Call it at the beginning. `mode`: as in enum pithi_compensate. If it is AUTO, this function measures from which size
 * on a datatype is faster than a copy. */
void pithi_part_begin(int mode);
/* Sets the fields of *part to the message that the program passes. */
void pithi_part_user(struct pithi_part *part, void *buf, MPI_Count count, MPI_Datatype type);
/* Returns 1 if MPI will refuse the message, which is then passed on unchanged. */
int pithi_part_is_bad(const struct pithi_part *part);
/* Returns the message's size without a header. */
uint64_t pithi_part_bytes(const struct pithi_part *part);
/* Makes one element of a new struct type, at MPI_BOTTOM, out of the header and the message. */
void pithi_part_join(struct pithi_part *part, struct pithi_header *header);
/* Join header and message by a copy if that is faster, else by a type. A blocking call copies to this thread's buffers;
 * a nonblocking call copies to new memory and stores it in *memory. A call has at most one sent and one received
 * part. */
void pithi_part_send(struct pithi_part *part, struct pithi_header *header, enum pithi_piggyback_call call,
                     void **memory);
void pithi_part_recv(struct pithi_part *part, struct pithi_header *header);
/* Call these after the call. If the message was received into a copy, pithi_part_received copies the header to its
 * place, and `size_bytes` bytes of data to the program's buffer. pithi_part_end frees the type. */
void pithi_part_end(struct pithi_part *part);
void pithi_part_received(struct pithi_part *part, uint64_t size_bytes);

/* Prepares a receive into a copy, for any datatype. It is for calls in which a struct type fails in MPICH 4.0:
 * MPI_Isendrecv does not keep its type, and MPI_Isendrecv_replace copies its data wrongly. */
void pithi_part_arriving(struct pithi_part *part, struct pithi_arriving *arriving);
/* Like pithi_part_arriving, for one buffer that is both sent from and received into. */
void pithi_part_replace(struct pithi_part *part, struct pithi_header *header, struct pithi_arriving *arriving);
/* Call it when the message has arrived. Copies the data to the program's buffer, and the header to *header. */
void pithi_part_arrived(const struct pithi_arriving *arriving, struct pithi_header *header);
void pithi_part_arriving_end(struct pithi_arriving *arriving);

/* Subtracts the header from the size in a status. */
void pithi_status_without_header(MPI_Status *status);

#endif
