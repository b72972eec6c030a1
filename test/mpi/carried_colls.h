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

/* Persistent ones: made in the same order in all ranks, started in any. */
#if MPI_VERSION >= 4
enum { KEPT = 9 };

static void make_kept(MPI_Request requests[])
{
    MPI_Info none = MPI_INFO_NULL;
    int last = size - 1;
    MPI_Barrier_init(comm, none, &requests[0]);
    MPI_Bcast_init(rank == 0 ? out : in, 100, MPI_INT, 0, comm, none, &requests[1]);
    MPI_Allreduce_init(out, in + 1000, 9, MPI_UNSIGNED, MPI_SUM, comm, none, &requests[2]);
    MPI_Reduce_init(out, in + 2000, 9, MPI_UNSIGNED, MPI_MAX, last, comm, none, &requests[3]);
    MPI_Scan_init(out, in + 3000, 9, MPI_UNSIGNED, MPI_SUM, comm, none, &requests[4]);
    MPI_Exscan_init(out, in + 4000, 9, MPI_UNSIGNED, MPI_SUM, comm, none, &requests[5]);
    MPI_Gather_init(out, 3, MPI_INT, in + 5000, 3, MPI_INT, 0, comm, none, &requests[6]);
    MPI_Alltoall_init(out, 3, MPI_INT, in + 6000, 3, MPI_INT, comm, none, &requests[7]);
    MPI_Reduce_scatter_block_init(out, in + 7000, 3, MPI_UNSIGNED, MPI_SUM, comm, none, &requests[8]);
}

/* Each rank starts and completes them in an order of its own, with messages and other collectives among them. (MPICH
 * 4.0 waits for ever for one that was never started; MPI_Waitany, MPI_Waitsome and their kind say again of those that
 * are over that they are complete; MPI_Testall fails, and MPI_Waitall of a persistent MPI_Scatter.) */
static void start_kept(int turn, MPI_Request requests[])
{
    int step = turn % 2 ? 2 : 4, flag = 0, index, result = 0;
    MPI_Request others[3];
    MPI_Status statuses[KEPT];
    MPI_Irecv(in + 8000, 20, MPI_INT, prev, 41, comm, &others[0]);
    for (int i = 0; i < KEPT && turn != 1; i++) {
        result |= MPI_Start(&requests[(i * step + rank) % KEPT]);
        if (i == 3)
            MPI_Allreduce(out, in + 8100, 2, MPI_INT, MPI_BXOR, comm);
        if (i == 5)
            MPI_Iallreduce(out, in + 8200, 2, MPI_INT, MPI_BXOR, comm, &others[1]);
    }
    if (turn == 1) {
        result = MPI_Startall(KEPT, requests);
        MPI_Iallreduce(out, in + 8200, 2, MPI_INT, MPI_BXOR, comm, &others[1]);
    }
    MPI_Isend(out, 20, MPI_INT, next, 41, comm, &others[2]);
    for (int i = 0; i < KEPT && turn == 0; i++)
        result |= MPI_Wait(&requests[(i * 5 + rank) % KEPT], MPI_STATUS_IGNORE);
    if (turn == 1)
        result |= MPI_Waitall(KEPT, requests, statuses);
    for (int i = 0; i < KEPT && turn == 2; i++) {
        index = (i * 7 + rank) % KEPT;
        result |= MPI_Waitany(1, &requests[index], &flag, &statuses[0]);
    }
    for (int i = KEPT - 1; i >= 0 && turn == 3; i -= 3)
        result |= MPI_Waitall(3, &requests[i - 2], MPI_STATUSES_IGNORE);
    for (int i = 0; i < KEPT && turn == 4; i++)
        for (flag = 0; !flag; usleep(100))
            result |= MPI_Test(&requests[(i * 4 + rank) % KEPT], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(3, others, MPI_STATUSES_IGNORE);
    tell("persistent", result, NULL, MPI_INT);
    tell("persistent, not started", MPI_Wait(&requests[0], &statuses[0]), &statuses[0], MPI_INT);
}

/* The root of the one, and who only gives to the other, are ahead. */
static void ahead(void)
{
    MPI_Request requests[2];
    MPI_Bcast_init(rank == 0 ? out : in, 10, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Reduce_init(out, in + 2000, 9, MPI_UNSIGNED, MPI_MAX, size - 1, comm, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < 12; turn++) {
        refill();
        MPI_Startall(2, requests);
        tell("ahead", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), NULL, MPI_INT);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* What the library refuses to make; MPI_COMM_SELF; freed before and behind their communicator. */
static void odd_kept(void)
{
    MPI_Request requests[2];
    MPI_Comm made;
    MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
    tell("of nobody else", MPI_Start(&requests[0]) || MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Request_free(&requests[0]);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    tell("of no such root", MPI_Bcast_init(in, 1, MPI_INT, size, comm, MPI_INFO_NULL, &requests[0]), NULL, MPI_INT);
    MPI_Allreduce_init(out, in + 1000, 9, MPI_UNSIGNED, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
    for (int turn = 0; turn < 4; turn++) {
        refill();
        int result = MPI_Start(&requests[0]);
        tell("all the same", result | MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
    }
    MPI_Request_free(&requests[0]);
    for (int i = 1; i < 3; i++) {
        MPI_Comm_dup(comm, &made);
        MPI_Barrier_init(made, MPI_INFO_NULL, &requests[0]);
        MPI_Allreduce_init(out, in + 1000, 9, MPI_UNSIGNED, MPI_SUM, made, MPI_INFO_NULL, &requests[1]);
        refill();
        MPI_Startall(i, requests);
        if (i == 2)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#if !defined OMPI_MAJOR_VERSION || OMPI_MAJOR_VERSION < 6 /* which crashes then, without Pith, too (6.0.0) */
        MPI_Comm_free(&made);
#endif
        tell("outlived", MPI_Wait(&requests[0], MPI_STATUS_IGNORE), NULL, MPI_INT);
        MPI_Startall(2, requests);
        tell("outlived", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), NULL, MPI_INT);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        tell(requests[0] == MPI_REQUEST_NULL ? "and freed" : "not freed", 0, NULL, MPI_INT);
    }
}

static void persistent_ones(void)
{
    MPI_Request requests[KEPT];
    make_kept(requests);
    for (int turn = 0; turn < 5; turn++) {
        refill();
        start_kept(turn, requests);
    }
    for (int i = 0; i < KEPT; i++)
        MPI_Request_free(&requests[(i + rank) % KEPT]);
    ahead();
    odd_kept();
}

static void kept_between(MPI_Comm both, int root)
{
    MPI_Request requests[2];
    MPI_Allreduce_init(out, in, 4, MPI_UNSIGNED, MPI_SUM, both, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(rank == 0 ? out : in + 100, 10, MPI_INT, root, both, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < 2; turn++) {
        refill();
        MPI_Start(&requests[rank % 2]);
        MPI_Start(&requests[1 - rank % 2]);
        tell("persistent", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), NULL, MPI_INT);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void kept_neighbours(MPI_Comm ring)
{
    MPI_Request request;
    MPI_Neighbor_allgather_init(out, 3, MPI_INT, in + 200, 3, MPI_INT, ring, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    tell("neighbours", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    MPI_Request_free(&request);
}
#else
static void persistent_ones(void) {}
static void kept_between(MPI_Comm both, int root) { (void)both, (void)root; }
static void kept_neighbours(MPI_Comm ring) { (void)ring; }
#endif

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
    kept_between(both, root);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void more_collectives(void)
{
    MPI_Comm ring;
    MPI_Request request;
    refill();
    tell("Exscan", MPI_Exscan(out, in, 9, MPI_UNSIGNED, MPI_SUM, comm), NULL, MPI_INT);
    persistent_ones();
    nonblocking();
    persistent_ones();
    if (size > 1)
        between_groups();
    refill();
    MPI_Cart_create(comm, 1, &size, &(int){1}, 0, &ring);
    tell("neighbours", MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, ring), NULL, MPI_INT);
    MPI_Ineighbor_allgather(out, 3, MPI_INT, in + 100, 3, MPI_INT, ring, &request);
    tell("neighbours", MPI_Wait(&request, MPI_STATUS_IGNORE), NULL, MPI_INT);
    kept_neighbours(ring);
    MPI_Comm_free(&ring);
}
