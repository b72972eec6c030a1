/* carried_colls.h - part of carried_all.c: scans, nonblocking and persistent collectives, those between two groups and
 * of neighbours. */
static void started(MPI_Request requests[])
{
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Ibcast(rank == 0 ? out : in, 100, MPI_INT, 0, comm, &requests[1]);
    MPI_Iallreduce(out, in + 1000, 9, MPI_UNSIGNED, MPI_SUM, comm, &requests[2]);
    MPI_Ireduce(out, in + 2000, 9, MPI_UNSIGNED, MPI_MAX, size - 1, comm, &requests[3]);
    MPI_Iscan(out, in + 3000, 9, MPI_UNSIGNED, MPI_SUM, comm, &requests[4]);
    MPI_Iexscan(out, in + 4000, 9, MPI_UNSIGNED, MPI_SUM, comm, &requests[5]);
    MPI_Igather(out, 3, MPI_INT, in + 5000, 3, MPI_INT, 0, comm, &requests[6]);
    MPI_Ialltoall(out, 3, MPI_INT, in + 6000, 3, MPI_INT, comm, &requests[7]);
}

/* Messages and blocking collectives among them; completed in all ways, each rank in an order of its own. */
static void nonblocking(void)
{
    enum { COLLS = 8, ALL = COLLS + 2 };
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    for (int how = 0; how < 5; how++) {
        int index, flag = 0, result = 0, indices[ALL];
        refill();
        started(requests);
        MPI_Irecv(in + 7000, 20, MPI_INT, prev, 40, comm, &requests[COLLS]);
        MPI_Allreduce(out, in + 8000, 2, MPI_INT, MPI_BXOR, comm);
        MPI_Isend(out, 20, MPI_INT, next, 40, comm, &requests[COLLS + 1]);
        for (int i = 0; i < ALL && how == 0; i++)
            result |= MPI_Wait(&requests[(i * 3 + rank) % ALL], MPI_STATUS_IGNORE);
        if (how == 1)
            result = MPI_Waitall(ALL, requests, statuses);
        for (int i = 0; i < ALL && how == 2; i++)
            result |= MPI_Waitany(ALL, requests, &index, &statuses[0]);
        for (index = 0; how == 3 && index != MPI_UNDEFINED;)
            result |= MPI_Waitsome(ALL, requests, &index, indices, statuses);
        for (; how == 4 && !flag; sched_yield())
            result |= MPI_Testall(ALL, requests, &flag, MPI_STATUSES_IGNORE);
        tell("nonblocking", result, how == 1 ? &statuses[COLLS] : NULL, MPI_INT);
    }
#ifndef OPEN_MPI /* 4.1 crashes */
    MPI_Comm made;
    MPI_Comm_dup(comm, &made);
    MPI_Ibarrier(made, &requests[0]);
    MPI_Comm_free(&made);
    tell("of a communicator that is freed", MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
#endif
    refill();
    tell("of nothing", MPI_Iallreduce(out, in, 0, MPI_INT, MPI_SUM, comm, &requests[0]), NULL, MPI_INT);
    tell("of nothing", MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
    tell("of nobody else", MPI_Ibarrier(MPI_COMM_SELF, &requests[0]), NULL, MPI_INT);
    tell("of nobody else", MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    tell("of no such root", MPI_Ibcast(in, 1, MPI_INT, size, comm, &requests[0]), NULL, MPI_INT);
}

static void between_groups(void)
{
    MPI_Comm half, both;
    MPI_Request request;
    int root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 3, &both);
    for (int turn = 0; turn < 3; turn++) {
        refill();
        tell("Bcast between groups", MPI_Bcast(rank == 0 ? out : in, 10, MPI_INT, root, both), NULL, MPI_INT);
        tell("Allreduce", MPI_Allreduce(out, in, 10, MPI_UNSIGNED, MPI_SUM, both), NULL, MPI_INT);
        tell("Reduce", MPI_Reduce(out, in, 10, MPI_UNSIGNED, MPI_SUM, root, both), NULL, MPI_INT);
        tell("Barrier", MPI_Barrier(both), NULL, MPI_INT);
        MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, both, &request);
        tell("Iallgather", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
        MPI_Ibarrier(both, &request);
        tell("Ibarrier", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void persistent_barriers(void)
{
#if MPI_VERSION >= 4
    MPI_Request request;
    MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        tell("persistent", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    }
    MPI_Request_free(&request);
#endif
}

static void more_collectives(void)
{
    MPI_Comm ring;
    MPI_Request request;
    refill();
    tell("Exscan", MPI_Exscan(out, in, 9, MPI_UNSIGNED, MPI_SUM, comm), NULL, MPI_INT);
    persistent_barriers();
    nonblocking();
    persistent_barriers();
    if (size > 1)
        between_groups();
    refill();
    MPI_Cart_create(comm, 1, &size, &(int){1}, 0, &ring);
    tell("neighbours", MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, ring), NULL, MPI_INT);
    MPI_Ineighbor_allgather(out, 3, MPI_INT, in + 100, 3, MPI_INT, ring, &request);
    tell("neighbours", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Comm_free(&ring);
}
