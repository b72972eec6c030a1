/* coll_rules.h - who has to wait for whom in MPI's collective operations (MPI 4.1, chapter 6): one row for each.
 *
 * What has to be follows from the data: who gets something that others gave cannot go before they have come. Where
 * nothing is given or got nobody has to wait, but in a barrier. An implementation may let more wait than has to. */
#ifndef PITHI_COLL_RULES_H
#define PITHI_COLL_RULES_H

#include <stddef.h>

enum pithi_coll_shape {
    PITHI_COLL_NONE, /* nobody, or it is not known: of neighbourhoods a log does not tell who is whose neighbour */
    PITHI_COLL_ALL,  /* all for all: barriers, MPI_Allreduce, MPI_Alltoall ... */
    PITHI_COLL_FROM, /* all for the root: MPI_Bcast, MPI_Scatter */
    PITHI_COLL_TO,   /* the root for all: MPI_Reduce, MPI_Gather */
    PITHI_COLL_LOWER /* each for those of lower rank: MPI_Scan, MPI_Exscan */
};

enum {
    PITHI_COLL_BARE = 1,   /* also where no bytes are given or got */
    PITHI_COLL_LOOSE = 2,  /* as a rule; some may not have to, which bytes do not tell: parts may be empty */
    PITHI_COLL_STARTS = 4, /* the call only starts it; what completes its request waits */
    PITHI_COLL_KEEPS = 8   /* the call only makes a request of it, to be started again and again: MPI_Bcast_init */
};

/* Events by which a recorder tells more of collectives; payloads are 32-bit numbers, big-endian.
 *
 * STARTED   in the state of a nonblocking one, behind its record: the number of its request until it is complete.
 *           Elsewhere (MPI_Start), before the record: it is that of a persistent request.
 * COMPLETE  in whatever call completes it: that number.
 * KEPT      in the state of MPI_Bcast_init and its kind: the number of the request until it is freed; and how many of
 *           its communicator were made before. All members make them in one order, but start them in any.
 * OF_ALL    before the record of MPI_Alltoallv and such: this process gets some of each other's; of MPI_Win_fence: it
 *           ends an epoch, so that all must wait for all (MPI 4.1, 12.5.1). */
#define PITHI_COLL_STARTED "pith:coll_started"
#define PITHI_COLL_COMPLETE "pith:coll_complete"
#define PITHI_COLL_KEPT "pith:coll_kept"
#define PITHI_COLL_OF_ALL "pith:coll_of_all"

struct pithi_coll_rule {
    enum pithi_coll_shape shape;
    unsigned flags;
};

/* Of the state of that name: MPI_Bcast, MPI_Bcast_c, MPI_Ibcast, MPI_Bcast_init, MPI::Comm::Bcast. */
struct pithi_coll_rule pithi_coll_rule(const char *name);
/* "Bcast" of MPI_Bcast and of MPI::Comm::Bcast, and its length without the "_c" of large counts; NULL and 0: the name
 * of something else. */
const char *pithi_mpi_call(const char *name, size_t *length);

#endif
