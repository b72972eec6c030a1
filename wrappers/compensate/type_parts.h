/* type_parts.h - a message with a header in front, as what the library can send and receive: a struct type, or a copy.
 * And the size in a status without that header. */
#ifndef PITHI_TYPE_PARTS_H
#define PITHI_TYPE_PARTS_H

#include "carry.h"

/* mode: enum pithi_compensate; with AUTO measures from which size on making a type is faster than copying. */
void pithi_part_begin(int mode);
/* A message as the program gave it. */
void pithi_part_user(struct pithi_part *part, void *buf, MPI_Count count, MPI_Datatype type);
/* 1: the library would refuse it, whatever we do; so it gets it as it is. */
int pithi_part_is_bad(const struct pithi_part *part);
/* Without a header; of one that is not bad. */
uint64_t pithi_part_bytes(const struct pithi_part *part);
/* The header before the message, both as one element of a new struct type, from MPI_BOTTOM. */
void pithi_part_join(struct pithi_part *part, struct pithi_header *header);
/* The same by a copy where that is faster, else by a type. The copy is in this thread's own memory; of a call that does
 * not block in new memory, which *memory gets. A call has one part of each at most. */
void pithi_part_send(struct pithi_part *part, struct pithi_header *header, enum pithi_carry_call call, void **memory);
void pithi_part_recv(struct pithi_part *part, struct pithi_header *header);
/* The call is over: frees the type. Of a receive by way of a copy the data (`size_bytes`, header not counted) go where
 * they belong. */
void pithi_part_end(struct pithi_part *part);
void pithi_part_received(struct pithi_part *part, uint64_t size_bytes);

/* For the calls for which MPICH 4.0 cannot take a type of ours (it does not keep that of MPI_Isendrecv, and copies that
 * of MPI_Isendrecv_replace wrongly): the message goes by way of a copy of whatever type. */
void pithi_part_arriving(struct pithi_part *part, struct pithi_arriving *arriving);
/* The same for what is sent from where it is received. */
void pithi_part_replace(struct pithi_part *part, struct pithi_header *header, struct pithi_arriving *arriving);
/* It has come: to where it belongs. */
void pithi_part_arrived(const struct pithi_arriving *arriving, struct pithi_header *header);
void pithi_part_arriving_end(struct pithi_arriving *arriving);

/* Bytes received by a status, whatever the type; and with a header's bytes less. */
uint64_t pithi_status_bytes(const MPI_Status *status);
void pithi_status_without_header(MPI_Status *status);
/* MPI_Type_free: a handle may come again for another type. */
void pithi_part_type_gone(void);

#endif
