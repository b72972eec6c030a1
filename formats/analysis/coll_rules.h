/* coll_rules.h - for each MPI collective, which members must wait for which others (MPI 4.1, chapter 6).
 *
 * The rules follow from the data: a member that receives data cannot leave before the members that contribute it have
 * entered. A collective that moves no data makes no member wait, except a barrier. An implementation may make a member
 * wait for more members than the rules say. */
#ifndef PITHI_COLL_RULES_H
#define PITHI_COLL_RULES_H

#include <stddef.h>

enum pithi_coll_shape {
    PITHI_COLL_NONE,      /* no collective, or an unknown one */
    PITHI_COLL_ALL,       /* all wait for all: barriers, MPI_Allreduce, MPI_Alltoall ... */
    PITHI_COLL_FROM,      /* all wait for the root: MPI_Bcast, MPI_Scatter */
    PITHI_COLL_TO,        /* the root waits for all: MPI_Reduce, MPI_Gather */
    PITHI_COLL_LOWER,     /* each waits for all lower ranks: MPI_Scan, MPI_Exscan */
    PITHI_COLL_NEIGHBOURS /* each waits for the neighbours that send to it: MPI_Neighbor_alltoall */
};

enum {
    PITHI_COLL_BARE = 1,   /* members wait even if no bytes move */
    PITHI_COLL_LOOSE = 2,  /* members without data may not wait, and byte counts do not show whether they do */
    PITHI_COLL_STARTS = 4, /* the call only starts the collective; the call that completes its request waits */
    PITHI_COLL_KEEPS = 8,  /* the call only makes a persistent request: MPI_Bcast_init */
    PITHI_COLL_AFTER = 16, /* recorded after the call, on the new communicator; all members of both groups wait */
    PITHI_COLL_MAY_WAIT = PITHI_COLL_BARE | PITHI_COLL_LOOSE /* all wait as in a barrier, or none waits */
};

/* Events with further facts about collectives. Payloads are 32-bit numbers, big-endian.
 *
 * STARTED   after the record of a nonblocking collective, in its state: the number of its request until completion.
 *           In another call (MPI_Start), before the record: the number of a persistent request.
 * COMPLETE  in the call that completes the request: its number.
 * KEPT      in the state of MPI_Bcast_init and the like: the number of the request until it is freed, and the number of
 *           persistent collectives made before on the communicator. All members make these in the same order, but may
 *           start them in any order.
 * OF_ALL    before the record of MPI_Alltoallv and the like: this process gets data from every other one. Before
 *           MPI_Win_fence: the fence ends an epoch, so all must wait for all (MPI 4.1, 12.5.1).
 * NEIGHBOURS_ARE  before a process's first record of a neighbourhood collective on a communicator: the ranks in it
 *           that send to the process, 32 bits each. Further events of this kind continue the list. */
#define PITHI_COLL_STARTED "pith:coll_started"
#define PITHI_COLL_COMPLETE "pith:coll_complete"
#define PITHI_COLL_KEPT "pith:coll_kept"
#define PITHI_COLL_OF_ALL "pith:coll_of_all"
#define PITHI_COLL_NEIGHBOURS_ARE "pith:neighbours"

struct pithi_coll_rule {
    enum pithi_coll_shape shape; /* which members wait for which */
    unsigned flags;              /* PITHI_COLL_ ... bits */
};

/* Returns the rule for the state with this name, such as MPI_Bcast, MPI_Bcast_c, MPI_Ibcast, MPI_Bcast_init,
 * MPI::Comm::Bcast. */
struct pithi_coll_rule pithi_coll_rule(const char *name);
/* Returns the name of an MPI call without its prefix, such as "Bcast" for MPI_Bcast and MPI::Comm::Bcast. Sets *length
 * to its length without the "_c" of large counts. Returns NULL and sets *length to 0 if the name is not an MPI
 * call's. */
const char *pithi_mpi_call(const char *name, size_t *length);

#endif
