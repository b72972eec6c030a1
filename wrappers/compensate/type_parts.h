/* type_parts.h - puts a header in front of a message, by a struct datatype or by a copy, and subtracts it from the size
 * in a status. */
#ifndef PITHI_TYPE_PARTS_H
#define PITHI_TYPE_PARTS_H

#include "piggyback.h"
#include "datatype.h"

/* mode: enum pithi_compensate; AUTO measures the size from which a datatype is faster than a copy. */
void pithi_part_begin(int mode);
/* A message as the program gave it. */
void pithi_part_user(struct pithi_part *part, void *buf, MPI_Count count, MPI_Datatype type);
/* 1: the library will refuse the message, so it is passed on unchanged. */
int pithi_part_is_bad(const struct pithi_part *part);
/* Its size without a header. */
uint64_t pithi_part_bytes(const struct pithi_part *part);
/* Joins the header and the message to one element of a new struct type, at MPI_BOTTOM. */
void pithi_part_join(struct pithi_part *part, struct pithi_header *header);
/* The same by a copy if that is faster, else by a type. A blocking call copies to this thread's buffers; a nonblocking
 * call copies to new memory and stores it in *memory. A call has at most one part of each direction. */
void pithi_part_send(struct pithi_part *part, struct pithi_header *header, enum pithi_piggyback_call call,
                     void **memory);
void pithi_part_recv(struct pithi_part *part, struct pithi_header *header);
/* After the call: frees the type. Copies received data (`size_bytes`, without the header) to the program's buffer. */
void pithi_part_end(struct pithi_part *part);
void pithi_part_received(struct pithi_part *part, uint64_t size_bytes);

/* For calls that cannot use our datatypes in MPICH 4.0 (it does not keep that of MPI_Isendrecv, and copies that of
 * MPI_Isendrecv_replace wrongly): receives into a copy, for any datatype. */
void pithi_part_arriving(struct pithi_part *part, struct pithi_arriving *arriving);
/* The same for a message that is sent from the buffer that receives another one. */
void pithi_part_replace(struct pithi_part *part, struct pithi_header *header, struct pithi_arriving *arriving);
/* The message has arrived: copies it to the program's buffer. */
void pithi_part_arrived(const struct pithi_arriving *arriving, struct pithi_header *header);
void pithi_part_arriving_end(struct pithi_arriving *arriving);

/* Subtracts the header from the size in a status. */
void pithi_status_without_header(MPI_Status *status);

#endif
