/* known_colls.c - collectives that wait for a known time. */
#include "known.h"

#include <stddef.h>

static int bytes[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];

/* Of MPI_Alltoallw, whose places are in bytes. */
static MPI_Datatype *types_of_all(void)
{
    for (int r = 0; r < size; r++)
        types[r] = MPI_INT, bytes[r] = r * (int)sizeof(int);
    return types;
}

/* ---- Collectives ------------------------------------------------------------------------------------------------ */

#define COLLECTIVE(name, call)                                                                                         \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        delay();                                                                                                       \
        CALL(call);                                                                                                    \
    }
COLLECTIVE(barrier, MPI_Barrier(WORLD))
COLLECTIVE(allreduce, MPI_Allreduce(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(allgather, MPI_Allgather(here, 1, MPI_INT, there, 1, MPI_INT, WORLD))
COLLECTIVE(allgatherv, MPI_Allgatherv(here, 1, MPI_INT, there, counts, places, MPI_INT, WORLD))
COLLECTIVE(alltoall, MPI_Alltoall(here, 1, MPI_INT, there, 1, MPI_INT, WORLD))
COLLECTIVE(alltoallv, MPI_Alltoallv(here, counts, places, MPI_INT, there, counts, places, MPI_INT, WORLD))
COLLECTIVE(alltoallw, MPI_Alltoallw(here, counts, bytes, types_of_all(), there, counts, bytes, types, WORLD))
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter_block(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(half_reduce_scatter, MPI_Reduce_scatter(here, there, counts, MPI_INT, MPI_SUM, half))
COLLECTIVE(bcast, MPI_Bcast(there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(scatter, MPI_Scatter(here, 1, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(scatterv, MPI_Scatterv(here, counts, places, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(reduce, MPI_Reduce(here, there, 1, MPI_INT, MPI_SUM, 0, WORLD))
COLLECTIVE(gather, MPI_Gather(here, 1, MPI_INT, there, 1, MPI_INT, 0, WORLD))
COLLECTIVE(gatherv, MPI_Gatherv(here, 1, MPI_INT, there, counts, places, MPI_INT, 0, WORLD))
COLLECTIVE(scan, MPI_Scan(here, there, 1, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(exscan, MPI_Exscan(here, there, 1, MPI_INT, MPI_SUM, WORLD))

/* Communicators */
COLLECTIVE(dup, MPI_Comm_dup(WORLD, &fresh))
COLLECTIVE(split, MPI_Comm_split(WORLD, rank % 2, rank, &fresh))
COLLECTIVE(create, MPI_Comm_create(WORLD, half_group, &fresh))
COLLECTIVE(create_group, MPI_Comm_create_group(WORLD, half_group, 1, &fresh))
COLLECTIVE(cart, MPI_Cart_create(WORLD, 1, &size, places, 0, &fresh))
COLLECTIVE(inter, MPI_Intercomm_create(half, 0, WORLD, !(rank % 2), 1, &fresh))
COLLECTIVE(merge, MPI_Intercomm_merge(between, rank % 2, &fresh))
COLLECTIVE(comm_free, MPI_Comm_free(&spare[repeat]))

/* Files */
COLLECTIVE(open_file, MPI_File_open(WORLD, "opened", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fresh_file))
COLLECTIVE(write_all, MPI_File_write_at_all(file, 8 * rank, here, 8, MPI_CHAR, NO_STATUS))
COLLECTIVE(read_all, MPI_File_read_at_all(file, 8 * rank, there, 8, MPI_CHAR, NO_STATUS))
COLLECTIVE(set_size, MPI_File_set_size(file, 1024))
COLLECTIVE(close_file, MPI_File_close(&spare_files[repeat]))

/* In time: all start it, and complete it later. */
#define NONBLOCKING(name, call)                                                                                        \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        delay();                                                                                                       \
        START(call);                                                                                                   \
        sleep_ms(late ? 0 : DELAY_MS);                                                                                 \
        WAIT(MPI_Wait(&request, NO_STATUS));                                                                           \
    }
NONBLOCKING(ibarrier, MPI_Ibarrier(WORLD, &request))
NONBLOCKING(iallreduce, MPI_Iallreduce(here, there, 1, MPI_INT, MPI_SUM, WORLD, &request))
NONBLOCKING(ibcast, MPI_Ibcast(there, 1, MPI_INT, 0, WORLD, &request))
NONBLOCKING(ireduce, MPI_Ireduce(here, there, 1, MPI_INT, MPI_SUM, 0, WORLD, &request))
NONBLOCKING(idup, MPI_Comm_idup(WORLD, &fresh, &request))
NONBLOCKING(ialltoallw,
            MPI_Ialltoallw(here, counts, bytes, types_of_all(), there, counts, bytes, types, WORLD, &request))
NONBLOCKING(iscan, MPI_Iscan(here, there, 1, MPI_INT, MPI_SUM, WORLD, &request))

/* Persistent, since MPI 4: Open MPI 4.1 has them only as extensions (MPIX_), which are not recorded. */
#if MPI_VERSION >= 4
#define PERSISTENT(name, call)                                                                                         \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        MPI_Request request;                                                                                           \
        call;                                                                                                          \
        delay();                                                                                                       \
        START(MPI_Start(&request));                                                                                    \
        sleep_ms(late ? 0 : DELAY_MS);                                                                                 \
        WAIT(MPI_Wait(&request, NO_STATUS));                                                                           \
        MPI_Request_free(&request);                                                                                    \
    }
PERSISTENT(barrier_init, MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request))
PERSISTENT(allreduce_init, MPI_Allreduce_init(here, there, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request))
PERSISTENT(bcast_init, MPI_Bcast_init(there, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request))
PERSISTENT(reduce_init, MPI_Reduce_init(here, there, 1, MPI_INT, MPI_SUM, 0, WORLD, MPI_INFO_NULL, &request))
#endif

const struct known_case collective_cases[] = {
    {"wait at barrier", "MPI_Barrier", ALL, barrier, barrier, NULL},
    {"wait at barrier", "MPI_Wait", ALL, ibarrier, ibarrier, NULL},
    {"wait at N x N", "MPI_Allreduce", ALL, allreduce, allreduce, NULL},
    {"wait at N x N", "MPI_Allgather", ALL, allgather, allgather, NULL},
    {"wait at N x N", "MPI_Allgatherv", ALL, allgatherv, allgatherv, NULL},
    {"wait at N x N", "MPI_Alltoall", ALL, alltoall, alltoall, NULL},
    {"wait at N x N", "MPI_Alltoallv", ALL, alltoallv, alltoallv, NULL},
    {"wait at N x N", "MPI_Alltoallw", ALL, alltoallw, alltoallw, NULL},
    {"wait at N x N", "MPI_Reduce_scatter_block", ALL, reduce_scatter, reduce_scatter, NULL},
    {"wait at N x N", "MPI_Reduce_scatter", HALF, half_reduce_scatter, half_reduce_scatter, NULL},
    {"wait at N x N", "MPI_Wait", ALL, iallreduce, iallreduce, NULL},
    {"wait at N x N", "MPI_Wait", ALL, ialltoallw, ialltoallw, NULL},
    {"wait at N x N", "MPI_Comm_dup", ALL, dup, dup, NULL},
    {"wait at N x N", "MPI_Comm_split", ALL, split, split, NULL},
    {"wait at N x N", "MPI_Comm_create", ALL, create, create, NULL},
    {"wait at N x N", "MPI_Comm_create_group", HALF, create_group, create_group, NULL},
    {"wait at N x N", "MPI_Cart_create", ALL, cart, cart, NULL},
    {"wait at N x N", "MPI_Intercomm_create", ALL, inter, inter, NULL},
    {"wait at N x N", "MPI_Intercomm_merge", ALL, merge, merge, NULL},
    {"wait at N x N", "MPI_Comm_free", ALL, comm_free, comm_free, NULL},
    {"wait at N x N", "MPI_File_open", ALL, open_file, open_file, NULL},
    {"wait at N x N", "MPI_File_write_at_all", ALL, write_all, write_all, NULL},
    {"wait at N x N", "MPI_File_read_at_all", ALL, read_all, read_all, NULL},
    {"wait at N x N", "MPI_File_set_size", ALL, set_size, set_size, NULL},
    {"wait at N x N", "MPI_File_close", ALL, close_file, close_file, NULL},
    {"wait at N x N", "MPI_Wait", ALL, idup, idup, NULL},
    {"late broadcast", "MPI_Bcast", FROM_ROOT, bcast, bcast, NULL},
    {"late broadcast", "MPI_Scatter", FROM_ROOT, scatter, scatter, NULL},
    {"late broadcast", "MPI_Scatterv", FROM_ROOT, scatterv, scatterv, NULL},
    {"late broadcast", "MPI_Wait", FROM_ROOT, ibcast, ibcast, NULL},
    {"early reduce", "MPI_Reduce", TO_ROOT, reduce, reduce, NULL},
    {"early reduce", "MPI_Gather", TO_ROOT, gather, gather, NULL},
    {"early reduce", "MPI_Gatherv", TO_ROOT, gatherv, gatherv, NULL},
    {"early reduce", "MPI_Wait", TO_ROOT, ireduce, ireduce, NULL},
    {"early scan", "MPI_Scan", BEFORE, scan, scan, NULL},
    {"early scan", "MPI_Exscan", BEFORE, exscan, exscan, NULL},
    {"early scan", "MPI_Wait", BEFORE, iscan, iscan, NULL},
#if MPI_VERSION >= 4
    {"wait at barrier", "MPI_Wait", ALL, barrier_init, barrier_init, NULL},
    {"wait at N x N", "MPI_Wait", ALL, allreduce_init, allreduce_init, NULL},
    {"late broadcast", "MPI_Wait", FROM_ROOT, bcast_init, bcast_init, NULL},
    {"early reduce", "MPI_Wait", TO_ROOT, reduce_init, reduce_init, NULL},
#endif
    {NULL, NULL, PAIR, NULL, NULL, NULL}};
