/* eager_limit.h - the eager limit of MPI's messages. A longer message of MPI_Isend makes no progress until its sender
 * calls MPI again. `pith compensate` must take this into account. */
#ifndef PITHI_EAGER_LIMIT_H
#define PITHI_EAGER_LIMIT_H

#include <stddef.h>

/* Limits in bytes, for messages on the same host and between hosts. 0: no limit, or unknown. */
struct pithi_eager_limits {
    size_t same_host, network;
};
/* Sets *limits. Call it between MPI_Init and MPI_Finalize. */
void pithi_eager_find(struct pithi_eager_limits *limits);

#endif
