/* heat2d.c - heat spreads over a square plate: the classic halo exchange, in a program that knows nothing of Pith.
 *
 *     mpicc -O2 -o heat2d heat2d.c -lm
 *     mpirun -n 4 pith run ./heat2d          records it
 *     pith view heat2d.pith                  shows it
 *
 * The plate is a grid of N x N cells, divided into one block for each rank. In each step, a rank sends the edges of its
 * block to its four neighbours, receives their edges (the "halo"), and sets each cell to the mean of the four cells
 * around it. In every tenth step, all ranks add up the changes to decide whether to stop.
 *
 * What to look for in the timeline: a step is a short burst of MPI_Isend and MPI_Irecv, then MPI_Waitall, then a gap
 * while the rank computes outside MPI. MPI_Waitall lasts until the slowest neighbour has sent its edge. Ranks at the
 * border of the plate have fewer neighbours to wait for.
 *
 * Usage: heat2d [N [STEPS]]      default: 384 cells a side, 200 steps
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The block of this rank: rows x columns cells, and a frame one cell wide for the halo. */
struct plate {
    int rows, columns;
    double *now, *next;
    MPI_Comm comm;                /* the ranks arranged as a grid */
    MPI_Datatype column;          /* one column of the block: cells at intervals of `columns + 2` */
    int north, south, west, east; /* neighbours; at the border MPI_PROC_NULL, to which sending does nothing */
};

#define CELL(grid, plate, row, column) (grid)[(size_t)(row) * (size_t)((plate)->columns + 2) + (size_t)(column)]

/* The number of cells in part `index` when `cells` are divided evenly into `parts`. */
static int share(int cells, int parts, int index) { return cells / parts + (index < cells % parts); }

static void plate_make(struct plate *plate, int cells)
{
    int size, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2];

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &plate->comm);
    MPI_Comm_set_name(plate->comm, "plate");
    MPI_Cart_get(plate->comm, 2, dims, periods, coords);
    MPI_Cart_shift(plate->comm, 0, 1, &plate->north, &plate->south);
    MPI_Cart_shift(plate->comm, 1, 1, &plate->west, &plate->east);

    plate->rows = share(cells, dims[0], coords[0]);
    plate->columns = share(cells, dims[1], coords[1]);
    size_t with_halo = (size_t)(plate->rows + 2) * (size_t)(plate->columns + 2);
    plate->now = calloc(with_halo, sizeof(double));
    plate->next = calloc(with_halo, sizeof(double));
    if (!plate->now || !plate->next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_vector(plate->rows, 1, plate->columns + 2, MPI_DOUBLE, &plate->column);
    MPI_Type_commit(&plate->column);

    /* The upper border of the plate stays at 100 degrees, the others at 0. */
    if (plate->north == MPI_PROC_NULL)
        for (int column = 0; column < plate->columns + 2; column++)
            CELL(plate->now, plate, 0, column) = CELL(plate->next, plate, 0, column) = 100.0;
}

static void plate_free(struct plate *plate)
{
    MPI_Type_free(&plate->column);
    MPI_Comm_free(&plate->comm);
    free(plate->now);
    free(plate->next);
}

/* Receives are posted first, so that MPI can store each message in its place at once. */
static void exchange_halo(struct plate *plate)
{
    double *grid = plate->now;
    int rows = plate->rows, columns = plate->columns;
    enum { TO_SOUTH, TO_NORTH, TO_EAST, TO_WEST };
    MPI_Request requests[8];
    MPI_Status statuses[8]; /* for MPI_STATUSES_IGNORE gcc warns, with MPICH's mpi.h */

    MPI_Irecv(&CELL(grid, plate, 0, 1), columns, MPI_DOUBLE, plate->north, TO_SOUTH, plate->comm, &requests[0]);
    MPI_Irecv(&CELL(grid, plate, rows + 1, 1), columns, MPI_DOUBLE, plate->south, TO_NORTH, plate->comm, &requests[1]);
    MPI_Irecv(&CELL(grid, plate, 1, 0), 1, plate->column, plate->west, TO_EAST, plate->comm, &requests[2]);
    MPI_Irecv(&CELL(grid, plate, 1, columns + 1), 1, plate->column, plate->east, TO_WEST, plate->comm, &requests[3]);

    MPI_Isend(&CELL(grid, plate, rows, 1), columns, MPI_DOUBLE, plate->south, TO_SOUTH, plate->comm, &requests[4]);
    MPI_Isend(&CELL(grid, plate, 1, 1), columns, MPI_DOUBLE, plate->north, TO_NORTH, plate->comm, &requests[5]);
    MPI_Isend(&CELL(grid, plate, 1, columns), 1, plate->column, plate->east, TO_EAST, plate->comm, &requests[6]);
    MPI_Isend(&CELL(grid, plate, 1, 1), 1, plate->column, plate->west, TO_WEST, plate->comm, &requests[7]);
    MPI_Waitall(8, requests, statuses);
}

/* Computes one step; returns the sum of the squared changes in this block. */
static double relax(struct plate *plate)
{
    double change = 0;

    for (int row = 1; row <= plate->rows; row++)
        for (int column = 1; column <= plate->columns; column++) {
            double mean = 0.25 * (CELL(plate->now, plate, row - 1, column) + CELL(plate->now, plate, row + 1, column) +
                                  CELL(plate->now, plate, row, column - 1) + CELL(plate->now, plate, row, column + 1));
            double difference = mean - CELL(plate->now, plate, row, column);
            CELL(plate->next, plate, row, column) = mean;
            change += difference * difference;
        }
    double *swap = plate->now;
    plate->now = plate->next;
    plate->next = swap;
    return change;
}

int main(int argc, char **argv)
{
    int rank, step = 0;
    int cells = argc > 1 ? atoi(argv[1]) : 384;
    int steps = argc > 2 ? atoi(argv[2]) : 200;
    double change = 0, total = 0;
    struct plate plate;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    plate_make(&plate, cells);

    while (step < steps) {
        exchange_halo(&plate);
        change = relax(&plate);
        step++;
        if (step % 10 == 0) {
            MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, plate.comm);
            if (sqrt(total) < 1e-3)
                break;
        }
    }
    if (rank == 0)
        printf("heat2d: %d x %d cells, %d steps, last change %.6f\n", cells, cells, step, sqrt(total));
    plate_free(&plate);
    MPI_Finalize();
    return 0;
}
