/* bsend_buffer.h - a larger buffer in place of the one given to MPI_Buffer_attach, as messages have headers. */
#ifndef PITHI_BSEND_BUFFER_H
#define PITHI_BSEND_BUFFER_H

#include <mpi.h>

struct pithi_bsend_buffer {
    void *buf;
    MPI_Count size_bytes;
};

/* The buffer to attach: a new one, or, where there is no memory or no need, the program's. */
struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes);
void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room);
/* What the program is to get back, for what the library gave back. */
struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes);

#endif
