/* transport.h - makes liblog's transport on MPI, which calls PMPI functions on a communicator of its own. */
#ifndef PITHI_TRANSPORT_H
#define PITHI_TRANSPORT_H

#include "pith_tool.h"

#include <mpi.h>

/* Makes the communicator, collectively over MPI_COMM_WORLD, and the transport on it. Returns NULL on a failure. */
const struct pith_transport *pithi_transport_open(void);
/* Like pithi_transport_open, but only for the processes of a group, and collective over these; MPI_GROUP_NULL: all
 * processes. */
const struct pith_transport *pithi_transport_open_members(MPI_Group members);
/* Like pithi_transport_open, but makes the communicator from the group of all processes, without MPI_COMM_WORLD (MPI
 * 4). */
const struct pith_transport *pithi_transport_open_group(MPI_Group all);
/* Makes a transport on the caller's communicator, which the caller still frees. It is for messages only, and its
 * `sharing` is unknown. The call itself sends nothing. */
const struct pith_transport *pithi_transport_on(MPI_Comm ours);
void pithi_transport_close(void);

#endif
