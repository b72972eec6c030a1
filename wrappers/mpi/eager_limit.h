/* eager_limit.h - the eager limit: longer messages from MPI_Isend stay until their sender waits, which `pith
 * compensate` must know. */
#ifndef PITHI_EAGER_LIMIT_H
#define PITHI_EAGER_LIMIT_H

#include <stddef.h>

/* In bytes, to a process on the same host, and on others; 0: no limit, or unknown. */
struct pithi_eager_limits {
    size_t same_host, network;
};
/* Between MPI_Init and MPI_Finalize. */
void pithi_eager_find(struct pithi_eager_limits *limits);

#endif
