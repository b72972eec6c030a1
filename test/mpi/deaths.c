/* deaths.c - an MPI program whose threads record numbered things, to be killed (deathwatch.c).
 *
 *     deaths PAGE       the page is in that file */
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

#define KILL_AT_OBJECT "libpith" /* its calls on files count, not those of MPI */
#include "numbered.h"

static void speak(void)
{
    int out = 1, in;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, level, fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
    page = fd >= 0 ? mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (page == MAP_FAILED)
        return 9;
    close(fd);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    page->kill.pids[rank] = getpid();
    MPI_Barrier(MPI_COMM_WORLD);
    between = speak;
    record_all((uint32_t)rank);
    MPI_Barrier(MPI_COMM_WORLD);
    __atomic_add_fetch(&page->finishing, 1, __ATOMIC_SEQ_CST);
    if (rank == page->kill.rank)
        kill_at_page = &page->kill;
    MPI_Finalize();
    kill_at_page = NULL;
    __atomic_add_fetch(&page->over, 1, __ATOMIC_SEQ_CST);
    return 0;
}
