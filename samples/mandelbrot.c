/* mandelbrot.c - the Mandelbrot set, computed by master and workers and drawn at the same time with MPE's graphics.
 *
 *     mpecc -graphics -O2 -o mandelbrot mandelbrot.c
 *     mpirun -n 4 ./mandelbrot -i                       drag a square to zoom in, click to quit
 *     mpirun -n 4 pith run ./mandelbrot -c picture      records it, and saves picture0 (xwd)
 *
 * Rank 0 gives a row to each worker that asks. The workers draw their rows themselves, because all ranks share the
 * window. Without a display, the rows are only computed.
 *
 * What to look for in the timeline: the time between two messages of a worker is the time for a row. It varies by a
 * factor of a hundred, so rows are finished out of order, and the rows in the middle of the picture come last.
 *
 * Usage: mandelbrot [-w WIDTH] [-h HEIGHT] [-c NAME] [-i]
 */
#define MPE_GRAPHICS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpe.h"

enum { COLOURS = 48, DEPTH = 1000 };
enum { TAG_ASK, TAG_ROW, TAG_STOP };

struct view {
    double left, top, step; /* in the complex plane; step: the distance of two pixels */
};

static int width = 600, height = 450, is_open;
static MPE_XGraph window;
static MPE_Color colours[COLOURS];

static int iterations_of(double cx, double cy)
{
    double x = 0, y = 0;
    int n = 0;

    for (; x * x + y * y < 4 && n < DEPTH; n++) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    return n;
}

static void compute(int row, const struct view *view, MPE_Point *points)
{
    for (int x = 0; x < width; x++) {
        int n = iterations_of(view->left + x * view->step, view->top + row * view->step);
        points[x] = (MPE_Point){x, row, n == DEPTH ? MPE_BLACK : colours[n % COLOURS]};
    }
    if (is_open) {
        MPE_Draw_points(window, points, width);
        MPE_Update(window);
    }
}

/* Gives out the rows, then stops each worker. */
static void master(int workers)
{
    MPI_Status status;

    for (int row = 0; row < height + workers; row++) {
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &status);
        MPI_Send(&row, 1, MPI_INT, status.MPI_SOURCE, row < height ? TAG_ROW : TAG_STOP, MPI_COMM_WORLD);
    }
}

static void worker(const struct view *view, MPE_Point *points)
{
    MPI_Status status;
    int row;

    for (;;) {
        MPI_Send(NULL, 0, MPI_INT, 0, TAG_ASK, MPI_COMM_WORLD);
        MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        compute(row, view, points);
    }
}

/* The user drags a square, which becomes the new view. Returns 0 for a click. */
static int zoom(struct view *view)
{
    int x1, y1, x2, y2;

    if (MPE_Get_drag_region(window, MPE_BUTTON1, MPE_DRAG_SQUARE, &x1, &y1, &x2, &y2) != MPE_SUCCESS || x2 - x1 < 5)
        return 0;
    view->left += x1 * view->step;
    view->top += y1 * view->step;
    view->step *= (double)(x2 - x1) / width;
    return 1;
}

int main(int argc, char **argv)
{
    const char *capture = NULL;
    int rank, size, is_interactive = 0, is_running = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int option; (option = getopt(argc, argv, "w:h:c:i")) != -1;)
        switch (option) {
        case 'w':
            width = atoi(optarg);
            break;
        case 'h':
            height = atoi(optarg);
            break;
        case 'c':
            capture = optarg;
            break;
        case 'i':
            is_interactive = 1;
            break;
        default:
            MPI_Abort(MPI_COMM_WORLD, 2);
        }

    MPE_Point *points = malloc((size_t)width * sizeof *points);
    struct view view = {-2.2, -1.2 * height / 450 * 600 / width, 3.2 / width};
    is_open =
        MPE_Open_graphics(&window, MPI_COMM_WORLD, NULL, -1, -1, width, height, MPE_GRAPH_INDEPENDENT) == MPE_SUCCESS;
    if (is_open)
        MPE_Make_color_array(window, COLOURS, colours);
    while (is_running) {
        if (size == 1)
            for (int row = 0; row < height; row++)
                compute(row, &view, points);
        else if (rank == 0)
            master(size - 1);
        else
            worker(&view, points);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            is_running = is_open && is_interactive && zoom(&view);
        MPI_Bcast(&is_running, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(&view, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && is_open && capture) {
        MPE_CaptureFile(window, capture, 1);
        MPE_Update(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_open)
        MPE_Close_graphics(&window);
    free(points);
    MPI_Finalize();
    return 0;
}
