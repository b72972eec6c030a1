/* mpemisc.c - MPE calls that have nothing to do with logs: each one, with its results. Prints what is not as it should.
 *     mpemisc [FOLDER] */
#include "mpe.h"
#include "mpe_callstack.h"
#include "mpe_graphics.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void ok(int good, const char *what)
{
    if (!good)
        printf("rank %d of %d: %s\n", rank, size, what);
}

static void decompose(void)
{
    int first, last, next = 1;

    for (int n = 0; n < 20; n++)
        for (int parts = 1; parts < 8; parts++, next = 1)
            for (int i = 0; i < parts; i++, next = last + 1) {
                ok(!MPE_Decomp1d(n, parts, i, &first, &last), "MPE_Decomp1d");
                ok(first == next && last - first + 1 == n / parts + (i < n % parts), "MPE_Decomp1d: its part");
                ok(i < parts - 1 || last == n, "MPE_Decomp1d: the last part");
            }
    ok(MPE_Decomp1d(3, 0, 0, &first, &last) && last < first, "MPE_Decomp1d of none");
}

/* Turns are counted in memory of rank 0's: those before must have ended, at most `at_once` are inside. */
static void order(MPI_Comm comm, int at_once)
{
    MPI_Win window;
    int *turns, one = 1, less = -1, inside, ended, own, many, step = at_once < 1 ? 1 : at_once;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &many);
    MPI_Win_allocate(own ? 0 : 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &turns, &window);
    if (!own)
        turns[0] = turns[1] = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, window);
    for (int round = 0; round < 3; round++) {
        ok(!MPE_Seq_begin(comm, at_once), "MPE_Seq_begin");
        MPI_Fetch_and_op(&one, &inside, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Fetch_and_op(&one, &ended, MPI_INT, 0, 1, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
        ok(inside < step, "more at a time than asked for");
        ok(ended >= round * many + own / step * step, "somebody before has not ended");
        ok(ended <= round * many + own / step * step + step, "somebody is too early");
        MPI_Fetch_and_op(&less, &inside, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Fetch_and_op(&one, &ended, MPI_INT, 0, 1, MPI_SUM, window);
        MPI_Win_flush(0, window);
        ok(!MPE_Seq_end(comm, at_once), "MPE_Seq_end");
        if (!own) {
            MPI_Fetch_and_op(&one, &ended, MPI_INT, 0, 1, MPI_NO_OP, window);
            MPI_Win_flush(0, window);
            ok(ended == (round + 1) * many, "rank 0 is not the last that leaves");
        }
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void ranks(MPI_Comm half)
{
    int global = -5, own;

    MPI_Comm_rank(half, &own);
    ok(!MPE_Comm_global_rank(half, own, &global) && global == rank, "MPE_Comm_global_rank");
    ok(MPE_Comm_global_rank(half, 77, &global) && global == MPI_UNDEFINED, "MPE_Comm_global_rank of nobody");
    ok(MPE_Comm_global_rank(MPI_COMM_NULL, 0, &global), "MPE_Comm_global_rank of nothing");
}

static void tags(void)
{
    MPI_Comm one = MPI_COMM_NULL, same = MPI_COMM_NULL, other = MPI_COMM_NULL;
    int first = -1, second = -1, third = -1, *limit, flag, got = 0, to = (rank + 1) % size;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
    ok(!MPE_GetTags(MPI_COMM_WORLD, 10, &one, &first) && one != MPI_COMM_NULL, "MPE_GetTags");
    ok(first >= 0 && first + 9 <= *limit, "MPE_GetTags: no such tags");
    ok(!MPE_GetTags(one, 5, &same, &second) && same == one && second + 5 <= first, "MPE_GetTags: more of them");
    MPI_Sendrecv(&rank, 1, MPI_INT, to, first + 9, &got, 1, MPI_INT, MPI_ANY_SOURCE, first + 9, one, MPI_STATUS_IGNORE);
    ok(got == (rank + size - 1) % size, "a message with such a tag");
    ok(!MPE_ReturnTags(one, second, 5), "MPE_ReturnTags");
    ok(!MPE_GetTags(one, 5, &same, &third) && third == second, "MPE_GetTags: given back");
    ok(!MPE_GetTags(one, *limit, &other, &third) && other != one, "MPE_GetTags: no more there");
    ok(MPE_ReturnTags(MPI_COMM_WORLD, 1, 1) == MPI_ERR_COMM, "MPE_ReturnTags to others");
    ok(MPE_GetTags(MPI_COMM_WORLD, -1, &same, &third) == MPI_ERR_ARG, "MPE_GetTags of less than none");
    MPI_Comm_free(&other);
    ok(!MPE_TagsEnd(), "MPE_TagsEnd");
    MPI_Comm_free(&one);
}

static void debuggers(void)
{
    ok(MPE_Start_debugger() == 1 && MPE_Errors_call_debugger("a", "gdb", NULL) == 1 &&
           MPE_Errors_call_xdbx("a", "") == 1 && MPE_Errors_call_dbx_in_xterm("a", "") == 1 &&
           MPE_Errors_call_gdb_in_xterm("a", "") == 1 && MPE_Signals_call_debugger() == 1 &&
           MPE_Print_datatype_pack_action(stdout, 1, MPI_INT, 4, 4) == 1 &&
           MPE_Print_datatype_unpack_action(stdout, 1, MPI_INT, 4, 4) == 1,
       "a debugger");
}

/* An error of MPI comes here; the stack that is printed names main. */
static void handlers(void)
{
    MPE_CallStack_t stack;
    MPI_Errhandler handler;
    int lines = 0, is_main = 0, to;

    MPE_CallStack_init(&stack);
    for (MPE_CallStack_iteratorInit(&stack); MPE_CallStack_iteratorHasMore(&stack); lines++)
        is_main += !strncmp(MPE_CallStack_iteratorFetchNext(&stack), "main+", 5);
    ok(lines > 1 && is_main == 1, "MPE_CallStack");
    ok(!MPE_CallStack_iteratorFetchNext(&stack), "the end of a stack");
    FILE *file = tmpfile();
    MPE_CallStack_print(&stack, fileno(file));
    rewind(file);
    for (to = 0; fgetc(file) != EOF;)
        to++;
    ok(to > 20, "MPE_CallStack_print");
    fclose(file);
    MPI_Comm_create_errhandler(MPE_Errors_to_dbx, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    int result = MPI_Send(NULL, 0, MPI_INT, 7, 1, MPI_COMM_SELF);
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 50000000
    result = MPI_ERR_OTHER; /* 5.0.2 gives MPI_SUCCESS after any handler */
#endif
    ok(result != MPI_SUCCESS, "the program goes on after MPE_Errors_to_dbx");
    MPI_Errhandler_free(&handler);
}

static void graphics(void)
{
    MPE_XGraph graph = (MPE_XGraph)&graph;
    MPE_Color colours[3] = {7, 7, 7}, colour = 7;
    MPE_Point point = {1, 2, MPE_RED};
    int x = 7, y = 7, x2 = 7, y2 = 7, button = 7, pressed = 7, count = 7;

    ok(MPE_Open_graphics(&graph, MPI_COMM_WORLD, NULL, -1, -1, 100, 100, 0) == MPE_ERR_NOXCONNECT && !graph,
       "MPE_Open_graphics");
    ok(MPE_Draw_point(graph, 1, 1, MPE_BLACK) == 1 && MPE_Draw_points(graph, &point, 1) == 1 &&
           MPE_Draw_line(graph, 1, 1, 2, 2, MPE_BLUE) == 1 && MPE_Draw_circle(graph, 1, 1, 5, MPE_GRAY) == 1 &&
           MPE_Fill_circle(graph, 1, 1, 5, MPE_PINK) == 1 && MPE_Fill_rectangle(graph, 1, 1, 5, 5, MPE_CORAL) == 1 &&
           MPE_Draw_string(graph, 1, 1, MPE_WHITE, "text") == 1 && MPE_Draw_logic(graph, MPE_LOGIC_INVERT) == 1 &&
           MPE_Line_thickness(graph, 2) == 1 && MPE_Draw_dashes(graph, 1) == 1 && MPE_Dash_offset(graph, 1) == 1 &&
           MPE_Update(graph) == 1 && MPE_CaptureFile(graph, "picture", 1) == 1,
       "drawing");
    ok(MPE_Num_colors(graph, &count) == 1 && count == 0, "MPE_Num_colors");
    ok(MPE_Make_color_array(graph, 3, colours) == 1 && !colours[0] && !colours[2], "MPE_Make_color_array");
    ok(MPE_Add_RGB_color(graph, 1, 2, 3, &colour) == 1 && !colour, "MPE_Add_RGB_color");
    ok(MPE_Get_mouse_press(graph, &x, &y, &button) == 1 && !x && !y && !button, "MPE_Get_mouse_press");
    ok(MPE_Iget_mouse_press(graph, &x, &y, &button, &pressed) == 1 && !pressed, "MPE_Iget_mouse_press");
    ok(MPE_Get_drag_region(graph, 1, MPE_DRAG_RECT, &x, &y, &x2, &y2) == 1 && !x2 && !y2, "MPE_Get_drag_region");
    x2 = 7;
    ok(MPE_Get_drag_region_fixratio(graph, 1, 1.5, &x, &y, &x2, &y2) == 1 && !x2, "MPE_Get_drag_region_fixratio");
    ok(MPE_Draw_rectangle(graph, 1, 1, 5, 5, MPE_CORAL) == 1, "MPE_Draw_rectangle");
    ok(MPE_Num_colors(graph, NULL) == MPE_ERR_BAD_ARGS &&
           MPE_Open_graphics(NULL, MPI_COMM_WORLD, "", 0, 0, 1, 1, 1) == MPE_ERR_BAD_ARGS,
       "addresses that are NULL");
    ok(MPE_Close_graphics(&graph) == MPE_ERR_NOXCONNECT && !graph, "MPE_Close_graphics");
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    char name[256] = "", real[256] = "", few[3] = "xx", file[4096];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    decompose();
    for (int at_once = 0; at_once < 6; at_once++)
        order(MPI_COMM_WORLD, at_once);
    order(half, 1);
    ok(MPE_Seq_begin(MPI_COMM_NULL, 1) == MPI_ERR_COMM && MPE_Seq_end(MPI_COMM_NULL, 1) == MPI_ERR_COMM,
       "MPE_Seq of nobody");
    ranks(half);
    MPI_Comm_free(&half);
    tags();
    gethostname(real, sizeof real - 1);
    ok(!MPE_GetHostName(name, sizeof name) && !strcmp(name, real), "MPE_GetHostName");
    ok(!MPE_GetHostName(few, 2) && few[0] == real[0] && !few[1], "MPE_GetHostName in little room");
    debuggers();
    handlers();
    graphics();
    ok(MPE_IO_Stdout_to_file("/nonexistent/%d", 0600) == 1, "MPE_IO_Stdout_to_file where none can be");
    fflush(stdout);
    snprintf(file, sizeof file, "%s/out.%%d.txt", argc > 1 ? argv[1] : ".");
    ok(!MPE_IO_Stdout_to_file(file, 0640), "MPE_IO_Stdout_to_file");
    printf("of rank %d\n", rank);
    MPI_Finalize();
    return 0;
}
