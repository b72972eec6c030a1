/* master_worker.c - one rank gives out work, the others ask for it: dynamic load balancing.
 *
 *     mpicc -O2 -o master_worker master_worker.c
 *     mpirun -n 4 pith run ./master_worker
 *
 * The work is a picture of the Mandelbrot set, one row at a time. Rows in the middle cost a hundred times more than
 * rows at the edge, so dividing them evenly beforehand would not be fair. A worker sends a finished row (at first a
 * greeting) and gets the number of its next row. The master receives from any worker (MPI_ANY_SOURCE).
 *
 * What to look for in the timeline: the master is in MPI_Recv almost all the time, because it waits for rows, as it
 * should. A worker that is in MPI_Recv for long gets its work too slowly; sending several rows at once would help. At
 * the end, all workers stop within the time of one row: the load is balanced.
 *
 * Usage: master_worker [ROWS]      default: 240 rows
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 320, DEPTH = 2000 };
enum { TAG_HELLO, TAG_ROW, TAG_WORK, TAG_STOP };

/* A row as it is sent: its number, and the number of iterations for each of its points. */
struct row {
    int number;
    int points[WIDTH];
};

static void compute(struct row *row, int rows)
{
    for (int column = 0; column < WIDTH; column++) {
        double cx = -2.2 + 3.2 * column / WIDTH, cy = -1.2 + 2.4 * row->number / rows;
        double x = 0, y = 0;
        int iterations = 0;
        while (x * x + y * y < 4 && iterations < DEPTH) {
            double swap = x * x - y * y + cx;
            y = 2 * x * y + cy;
            x = swap;
            iterations++;
        }
        row->points[column] = iterations;
    }
}

static long sum(const struct row *row)
{
    long total = 0;

    for (int column = 0; column < WIDTH; column++)
        total += row->points[column];
    return total;
}

static long master(int rows, int workers)
{
    struct row row;
    MPI_Status status;
    int next = 0;
    long total = 0;

    while (workers > 0) {
        MPI_Recv(&row, WIDTH + 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_ROW)
            total += sum(&row);
        if (next < rows) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TAG_WORK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, TAG_STOP, MPI_COMM_WORLD);
            workers--;
        }
    }
    return total;
}

static void worker(int rows)
{
    struct row row;
    MPI_Status status;

    MPI_Send(NULL, 0, MPI_INT, 0, TAG_HELLO, MPI_COMM_WORLD);
    for (;;) {
        MPI_Recv(&row.number, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        compute(&row, rows);
        MPI_Send(&row, WIDTH + 1, MPI_INT, 0, TAG_ROW, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, rows = argc > 1 ? atoi(argv[1]) : 240;
    long total = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (rank > 0) {
        worker(rows);
    } else if (size > 1) {
        total = master(rows, size - 1);
    } else {
        struct row row;
        for (row.number = 0; row.number < rows; row.number++) {
            compute(&row, rows);
            total += sum(&row);
        }
    }
    if (rank == 0)
        printf("master_worker: %d rows of %d points, %ld iterations\n", rows, WIDTH, total);
    MPI_Finalize();
    return 0;
}
