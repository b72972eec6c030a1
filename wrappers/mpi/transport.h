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
void pithi_transport_close(void);

#endif
