/* recorded.c - makes many short MPI calls, whose records cost more than they do, and then reads. */
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char bytes[1 << 20];
    int rank, fd = open("/dev/zero", O_RDONLY);

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 200000; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 8000; i++) /* enough for 20 samples */
        if (read(fd, bytes, sizeof bytes) < 0)
            return 1;
    MPI_Finalize();
    return 0;
}
