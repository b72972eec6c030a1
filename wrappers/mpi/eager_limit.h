/* eager_limit.h - how long a message may be that goes at once; longer ones that MPI_Isend has posted stay until their
 * sender waits, which `pith compensate` must know. */
#ifndef PITHI_EAGER_LIMIT_H
#define PITHI_EAGER_LIMIT_H

#include <stddef.h>

/* In bytes, to a process on the same host, and to others; 0: all go at once, or it is not known. */
struct pithi_eager_limits {
    size_t same_host, network;
};
/* Between MPI_Init and MPI_Finalize. */
void pithi_eager_find(struct pithi_eager_limits *limits);

#endif
