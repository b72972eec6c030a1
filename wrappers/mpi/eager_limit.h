/* eager_limit.h - the eager limit of MPI's messages. Longer messages of MPI_Isend make no progress until their sender
 * calls MPI again, which `pith compensate` must take into account. */
#ifndef PITHI_EAGER_LIMIT_H
#define PITHI_EAGER_LIMIT_H

#include <stddef.h>

/* Limits in bytes, for messages to a process on the same host, and to other hosts; 0: no limit, or unknown. */
struct pithi_eager_limits {
    size_t same_host, network;
};
/* Call it between MPI_Init and MPI_Finalize. */
void pithi_eager_find(struct pithi_eager_limits *limits);

#endif
