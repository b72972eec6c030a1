/* transport.h - MPI as liblog's transport: over a communicator of the recorder's own, through PMPI. */
#ifndef PITHI_TRANSPORT_H
#define PITHI_TRANSPORT_H

#include "pith_tool.h"

#include <mpi.h>

/* Makes the communicator (collective over MPI_COMM_WORLD). Returns NULL when that failed. */
const struct pith_transport *pithi_transport_open(void);
/* The same of some of it, and collective over these; MPI_GROUP_NULL: all. */
const struct pith_transport *pithi_transport_open_members(MPI_Group members);
/* The same from the group of all processes, without MPI_COMM_WORLD (MPI 4). */
const struct pith_transport *pithi_transport_open_group(MPI_Group all);
/* On a communicator of the caller's, which stays the caller's: for messages only, and `sharing` is not known. Nothing
 * is sent for it. */
const struct pith_transport *pithi_transport_on(MPI_Comm ours);
void pithi_transport_close(void);

#endif
