/* carried_windows.h - part of carried_all.c: windows. */
/* The ones put, the others wait until it is done; and what all say that is wrong. */
static void window_groups(void)
{
    MPI_Win window;
    MPI_Comm dup;
    MPI_Request request;
    MPI_Group all, before, behind;
    char *there;
    refill();
    MPI_Comm_idup(comm, &dup, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_group(dup, &all);
    MPI_Group_incl(all, 1, &prev, &before);
    MPI_Group_incl(all, 1, &next, &behind);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    tell("no size", MPI_Win_allocate(-1, 1, MPI_INFO_NULL, dup, &there, &window), NULL, MPI_INT);
    MPI_Win_allocate(sizeof in, 1, MPI_INFO_NULL, dup, &there, &window);
    MPI_Win_post(before, 0, window);
    MPI_Win_start(behind, 0, window);
    MPI_Put(out, 50, MPI_INT, next, 7, 50, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    memset(in, 0, 1000);
    memcpy(in, there + 7, 50 * sizeof(int));
    tell("wait", 0, NULL, MPI_INT);
    tell("fence", MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window), NULL, MPI_INT);
    MPI_Group_free(&all);
    MPI_Group_free(&before);
    MPI_Group_free(&behind);
    MPI_Comm_free(&dup);
    tell("free", MPI_Win_free(&window), NULL, MPI_INT);
}

static void windows(void)
{
    MPI_Win window;
    refill();
    char *there;
    MPI_Win_allocate(sizeof in, 1, MPI_INFO_NULL, comm, &there, &window);
    memset(there, 1, sizeof in);
    MPI_Barrier(comm);
    for (int i = 0; i < 3; i++) {
        MPI_Win_fence(0, window);
        MPI_Barrier(comm);
        MPI_Put(out, 100, MPI_INT, next, 500 * i, 100, MPI_INT, window);
        MPI_Win_fence(0, window);
        memcpy(in, there, sizeof in);
        tell("fence", 0, NULL, MPI_INT);
        MPI_Barrier(comm); /* Open MPI 4.1 lets others put before */
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Put(out, 3, MPI_INT, next, 9000, 3, MPI_INT, window);
    MPI_Win_unlock(next, window);
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    memcpy(in, there, sizeof in);
    MPI_Win_unlock(rank, window);
    tell("unlock", 0, NULL, MPI_INT);
    MPI_Win_free(&window);
}
