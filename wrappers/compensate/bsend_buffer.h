/* bsend_buffer.h - attaches a larger buffer than the program's (MPI_Buffer_attach), as messages carry headers. */
#ifndef PITHI_BSEND_BUFFER_H
#define PITHI_BSEND_BUFFER_H

#include <mpi.h>

struct pithi_bsend_buffer {
    void *buf;
    MPI_Count size_bytes;
};

/* The buffer to attach: a larger one, or the program's if there is no memory or no need. */
struct pithi_bsend_buffer pithi_bsend_attach(void *buf, MPI_Count size_bytes);
void pithi_bsend_attached(int result, const struct pithi_bsend_buffer *room);
/* The program's buffer that belongs to the detached one. */
struct pithi_bsend_buffer pithi_bsend_detached(void *buf, MPI_Count size_bytes);

#endif
