/* mpe_draw.c - MPE's graphics: draws in a window, and reads the pixels back from the screen over a connection of its
 * own. Prints what is not as it should be. The window lies at 40, 30 of the screen. */
#define MPE_GRAPHICS
#include "mpe.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEFT = 40, TOP = 30, WIDE = 400, HIGH = 300 };

static int rank, size;
static Display *eye;
static XImage *seen;

static void ok(int good, const char *what)
{
    if (!good)
        printf("rank %d of %d: %s\n", rank, size, what);
}

static void grab(void)
{
    if (seen)
        XDestroyImage(seen);
    seen = XGetImage(eye, DefaultRootWindow(eye), LEFT, TOP, WIDE, HIGH, AllPlanes, ZPixmap);
}

/* All have drawn and updated; rank 0 looks at the screen. */
static void look(MPE_XGraph window)
{
    MPI_Barrier(MPI_COMM_WORLD); /* rank 0 has seen what was there before */
    if (window)
        ok(MPE_Update(window) == MPE_SUCCESS, "MPE_Update");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        grab();
}

/* MPE_Update does not wait for the server, so a picture may need time. */
static void is(int x, int y, unsigned long wanted, const char *what)
{
    for (int tries = 0; rank == 0 && XGetPixel(seen, x, y) != wanted; tries++, grab())
        if (tries < 100) {
            usleep(50000);
        } else {
            printf("%s: %06lx at %d,%d, wanted %06lx\n", what, XGetPixel(seen, x, y), x, y, wanted);
            break;
        }
}

enum { WHITE = 0xffffff, BLACK = 0, RED = 0xff0000, YELLOW = 0xffff00, GREEN = 0x00ff00, BLUE = 0x0000ff };

static void shapes(MPE_XGraph window)
{
    /* Each rank draws its own column of each shape. */
    int x = 90 * rank;

    look(window);
    is(10, 10, WHITE, "an empty window");
    ok(!MPE_Draw_point(window, x + 1, 2, MPE_RED), "MPE_Draw_point");
    MPE_Point points[3] = {{x + 3, 2, MPE_BLUE}, {x + 5, 2, MPE_BLUE}, {x + 7, 2, MPE_BLACK}};
    ok(!MPE_Draw_points(window, points, 3), "MPE_Draw_points");
    ok(!MPE_Draw_line(window, x, 10, x + 20, 30, MPE_GREEN), "MPE_Draw_line");
    ok(!MPE_Draw_circle(window, x + 40, 50, 20, MPE_RED), "MPE_Draw_circle");
    ok(!MPE_Fill_circle(window, x + 40, 100, 20, MPE_BLUE), "MPE_Fill_circle");
    ok(!MPE_Draw_rectangle(window, x + 2, 130, 30, 20, MPE_BLACK), "MPE_Draw_rectangle");
    ok(!MPE_Fill_rectangle(window, x + 2, 160, 30, 20, MPE_YELLOW), "MPE_Fill_rectangle");
    ok(!MPE_Draw_string(window, x + 2, 210, MPE_RED, "Word"), "MPE_Draw_string");
    look(window);
    for (int r = 0; r < size; r++, x = 90 * r) {
        x = 90 * r;
        is(x + 1, 2, RED, "MPE_Draw_point"), is(x + 2, 2, WHITE, "beside a point");
        is(x + 3, 2, BLUE, "MPE_Draw_points"), is(x + 5, 2, BLUE, "MPE_Draw_points"), is(x + 7, 2, BLACK, "the third");
        is(x, 10, GREEN, "MPE_Draw_line"), is(x + 10, 20, GREEN, "MPE_Draw_line"), is(x + 20, 30, GREEN, "its end");
        is(x + 60, 50, RED, "MPE_Draw_circle"), is(x + 40, 30, RED, "its top"), is(x + 40, 50, WHITE, "inside it");
        is(x + 40, 100, BLUE, "MPE_Fill_circle"), is(x + 55, 100, BLUE, "inside it"), is(x + 61, 100, WHITE, "outside");
        is(x + 2, 130, BLACK, "MPE_Draw_rectangle"), is(x + 32, 150, BLACK, "its corner"),
            is(x + 10, 140, WHITE, "inside");
        is(x + 2, 160, YELLOW, "MPE_Fill_rectangle"), is(x + 31, 179, YELLOW, "its corner"),
            is(x + 32, 180, WHITE, "outside");
        int red = 0;
        for (int i = 0; rank == 0 && i < 40 * 14; i++)
            red += XGetPixel(seen, x + 2 + i % 40, 198 + i / 40) == RED;
        ok(rank || (red > 20 && red < 300), "MPE_Draw_string");
    }
}

static void styles(MPE_XGraph window)
{
    int x = 90 * rank;

    MPI_Barrier(MPI_COMM_WORLD);
    ok(!MPE_Line_thickness(window, 7), "MPE_Line_thickness");
    ok(!MPE_Draw_line(window, x, 240, x + 30, 240, MPE_BLACK), "a thick line");
    ok(!MPE_Line_thickness(window, 0), "MPE_Line_thickness back");
    ok(!MPE_Draw_dashes(window, 1) && !MPE_Dash_offset(window, 0), "MPE_Draw_dashes");
    ok(!MPE_Draw_line(window, x, 250, x + 30, 250, MPE_BLACK), "a line of dashes");
    ok(!MPE_Dash_offset(window, 4), "MPE_Dash_offset");
    ok(!MPE_Draw_line(window, x, 255, x + 30, 255, MPE_BLACK), "a line of dashes, moved");
    ok(!MPE_Draw_dashes(window, 0), "MPE_Draw_dashes back");
    ok(!MPE_Fill_rectangle(window, x, 260, 40, 30, MPE_YELLOW) && !MPE_Draw_logic(window, MPE_LOGIC_XOR) &&
           !MPE_Fill_rectangle(window, x + 10, 260, 30, 30, MPE_RED) && !MPE_Draw_logic(window, MPE_logicArray[10]) &&
           !MPE_Fill_rectangle(window, x + 20, 260, 20, 30, MPE_RED) && !MPE_Draw_logic(window, MPE_LOGIC_COPY),
       "MPE_Draw_logic");
    look(window);
    for (int r = 0; r < size; r++) {
        x = 90 * r;
        is(x + 5, 237, BLACK, "MPE_Line_thickness"), is(x + 5, 243, BLACK, "MPE_Line_thickness"),
            is(x + 5, 246, WHITE, "below");
        is(x + 1, 250, BLACK, "a dash"), is(x + 5, 250, WHITE, "a gap"), is(x + 9, 250, BLACK, "a dash");
        is(x + 1, 255, WHITE, "a gap, moved"), is(x + 5, 255, BLACK, "a dash, moved");
        is(x + 5, 270, YELLOW, "before XOR"), is(x + 15, 270, GREEN, "XOR"), is(x + 25, 270, 0xff00ff, "INVERT");
    }
}

static void colours(MPE_XGraph window)
{
    enum { RAINBOW = 20 };
    MPE_Color rainbow[RAINBOW], mixed = MPE_WHITE;
    int count = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    ok(!MPE_Num_colors(window, &count) && count == 16, "MPE_Num_colors");
    ok(!MPE_Make_color_array(window, RAINBOW, rainbow), "MPE_Make_color_array");
    ok(!MPE_Num_colors(window, &count) && count == RAINBOW + 2, "MPE_Num_colors of a rainbow");
    ok(!MPE_Add_RGB_color(window, 0x1200, 0x3400, 0x5600, &mixed) && (int)mixed == count, "MPE_Add_RGB_color");
    if (rank == size - 1) {
        for (int i = 0; i < RAINBOW; i++)
            MPE_Fill_rectangle(window, 10 * i, 0, 10, 10, rainbow[i]);
        MPE_Fill_rectangle(window, 300, 0, 10, 10, mixed);
        MPE_Fill_rectangle(window, 310, 0, 10, 10, MPE_BLACK);
    }
    look(window);
    is(5, 5, RED, "the rainbow begins with red"), is(105, 5, 0x00ffff, "its middle"),
        is(305, 5, 0x123456, "MPE_Add_RGB_color");
    is(315, 5, BLACK, "black stays");
    for (int i = 1; rank == 0 && i < RAINBOW; i++)
        ok(XGetPixel(seen, 10 * i + 5, 5) != XGetPixel(seen, 10 * i - 5, 5), "colours of a rainbow differ");
}

static void wrong(MPE_XGraph window)
{
    MPE_XGraph closed = NULL;
    MPE_Color colour;
    int x, y, button;

    ok(MPE_Draw_point(window, 1, 1, (MPE_Color)99) == MPE_ERR_BAD_ARGS, "no such colour");
    ok(MPE_Draw_logic(window, 16) == MPE_ERR_BAD_ARGS && MPE_Line_thickness(window, -1) == MPE_ERR_BAD_ARGS &&
           MPE_Draw_dashes(window, 3) == MPE_ERR_BAD_ARGS && MPE_Dash_offset(window, -1) == MPE_ERR_BAD_ARGS,
       "values that X does not know");
    ok(MPE_Add_RGB_color(window, 65536, 0, 0, &colour) == MPE_ERR_BAD_ARGS, "more than all red");
    ok(MPE_Draw_string(window, 1, 1, MPE_RED, NULL) == MPE_ERR_BAD_ARGS &&
           MPE_Num_colors(window, NULL) == MPE_ERR_BAD_ARGS && MPE_Draw_points(window, NULL, 1) == MPE_ERR_BAD_ARGS &&
           MPE_Make_color_array(window, 1, NULL) == MPE_ERR_BAD_ARGS &&
           MPE_Get_mouse_press(window, NULL, &y, &button) == MPE_ERR_BAD_ARGS,
       "addresses that are NULL");
    ok(MPE_Draw_line(closed, 1, 1, 2, 2, MPE_RED) == MPE_ERR_NOXCONNECT && MPE_Update(closed) == MPE_ERR_NOXCONNECT &&
           MPE_Get_mouse_press(closed, &x, &y, &button) == MPE_ERR_NOXCONNECT &&
           MPE_Close_graphics(&closed) == MPE_ERR_NOXCONNECT,
       "no window");
    ok(!MPE_Draw_line(window, -100000, 295, 100000, 295, MPE_RED) && !MPE_Fill_rectangle(window, 0, 0, -5, 5, MPE_RED),
       "far outside");
    ok(MPE_Open_graphics(NULL, MPI_COMM_WORLD, "", 0, 0, 1, 1, 1) == MPE_ERR_BAD_ARGS &&
           MPE_Open_graphics(&closed, MPI_COMM_WORLD, "", 0, 0, 0, 1, 1) == MPE_ERR_BAD_ARGS,
       "no size");
}

/* The window at LEFT, TOP in which somebody listens to presses. */
static Window listened_to(void)
{
    Window root, parent, *children, found = None;
    unsigned many;
    XWindowAttributes is;

    for (int tries = 0; !found && tries < 5000; tries++, usleep(2000)) {
        XQueryTree(eye, DefaultRootWindow(eye), &root, &parent, &children, &many);
        for (unsigned c = 0; c < many; c++)
            if (XGetWindowAttributes(eye, children[c], &is) && is.x == LEFT && is.y == TOP &&
                is.all_event_masks & ButtonPressMask)
                found = children[c];
        XFree(children);
    }
    return found;
}

/* Sends the pointer's events there as a user would: after each, the window has time to draw what it shows. */
static void act(const XButtonEvent *events, int count)
{
    if (fork() != 0)
        return;
    eye = XOpenDisplay(NULL);
    for (int i = 0; i < count; i++) {
        XEvent event = {.xbutton = events[i]};
        event.xbutton.window = listened_to();
        XSendEvent(eye, event.xbutton.window, False,
                   events[i].type == ButtonPress     ? ButtonPressMask
                   : events[i].type == ButtonRelease ? ButtonReleaseMask
                                                     : ButtonMotionMask,
                   &event);
        XFlush(eye);
        usleep(10000);
    }
    XCloseDisplay(eye);
    _exit(0);
}

static void mouse(MPE_XGraph window, int is_collective)
{
    static const XButtonEvent click[] = {{.type = ButtonPress, .x = 11, .y = 22, .button = 3}};
    static const XButtonEvent drag[] = {{.type = ButtonPress, .x = 1, .y = 1, .button = 2},
                                        {.type = ButtonRelease, .button = 2},
                                        {.type = ButtonPress, .x = 90, .y = 80, .button = 1},
                                        {.type = MotionNotify, .x = 60, .y = 70},
                                        {.type = MotionNotify, .x = 50, .y = 30},
                                        {.type = ButtonRelease, .x = 30, .y = 40, .button = 1}};
    int x = 7, y = 7, x2 = 7, y2 = 7, button = 7, pressed = 7, reader = size - 1,
        asks = is_collective || rank == reader;

    if (is_collective)
        reader = 0;
    if (asks) {
        ok(!MPE_Iget_mouse_press(window, &x, &y, &button, &pressed) && !pressed && !x && !button,
           "MPE_Iget_mouse_press of nothing");
        if (rank == reader)
            act(click, 1);
        for (pressed = 0; !pressed; usleep(10000))
            ok(!MPE_Iget_mouse_press(window, &x, &y, &button, &pressed), "MPE_Iget_mouse_press");
        ok(x == 11 && y == 22 && button == MPE_BUTTON3, "MPE_Iget_mouse_press: where and which");
        if (rank == reader)
            act(click, 1);
        x = y = button = 0;
        ok(!MPE_Get_mouse_press(window, &x, &y, &button) && x == 11 && y == 22 && button == MPE_buttonArray[2],
           "MPE_Get_mouse_press");
        for (int visual = MPE_DRAG_NONE; visual <= MPE_DRAG_SQUARE; visual++) {
            int box = visual == MPE_DRAG_RECT || visual == MPE_DRAG_OVAL_BBOX,
                square = visual == MPE_DRAG_SQUARE || visual == MPE_DRAG_CIRCLE_BBOX;
            if (rank == reader)
                act(drag, 6);
            ok(!MPE_Get_drag_region(window, MPE_BUTTON1, visual, &x, &y, &x2, &y2), "MPE_Get_drag_region");
            if (!(box      ? x == 30 && y == 40 && x2 == 90 && y2 == 80
                  : square ? x == 30 && y == 20 && x2 == 90 && y2 == 80
                           : x == 90 && y == 80 && x2 == 30 && y2 == 40))
                printf("rank %d: MPE_Get_drag_region %d: %d %d %d %d\n", rank, visual, x, y, x2, y2);
        }
        if (rank == reader)
            act(drag, 6);
        ok(!MPE_Get_drag_region_fixratio(window, MPE_BUTTON1, 1.0, &x, &y, &x2, &y2) && x == 30 && y == 20 &&
               x2 == 90 && y2 == 80,
           "MPE_Get_drag_region_fixratio");
        while (wait(NULL) > 0)
            ;
    }
}

/* What was shown while dragging is gone: the window is as before. */
static void untouched(XImage *before)
{
    int differs = 0;

    for (int tries = 0; rank == 0 && tries < 100; tries++, usleep(50000), grab()) {
        differs = 0;
        for (int i = 0; i < WIDE * HIGH; i++)
            if (XGetPixel(before, i % WIDE, i / WIDE) != XGetPixel(seen, i % WIDE, i / WIDE))
                differs = i;
        if (!differs)
            break;
    }
    if (differs)
        printf("something is left of what was shown: at %d,%d\n", differs % WIDE, differs / WIDE);
}

int main(int argc, char **argv)
{
    MPE_XGraph window = (MPE_XGraph)&window, second;
    XImage *before;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    eye = XOpenDisplay(NULL);
    ok(!MPE_Open_graphics(&window, MPI_COMM_WORLD, NULL, LEFT, TOP, WIDE, HIGH, MPE_GRAPH_INDEPENDENT),
       "MPE_Open_graphics");
    shapes(window);
    styles(window);
    if (rank == 0)
        ok(!MPE_CaptureFile(window, "picture", 2), "MPE_CaptureFile");
    for (int i = 0; i < 5; i++)
        MPE_Update(window);
    wrong(window);
    colours(window);
    look(window);
    is(200, 295, RED, "a line from far outside to far outside");
    before = seen, seen = NULL;
    mouse(window, 0);
    look(window);
    untouched(before);
    /* A second window, over the first: what it hides is there again when it is gone. */
    ok(!MPE_Open_graphics(&second, MPI_COMM_WORLD, NULL, LEFT, TOP, WIDE, HIGH, MPE_GRAPH_COLLECTIVE),
       "MPE_Open_graphics, collective");
    MPE_Draw_logic(second, MPE_LOGIC_INVERT);
    MPE_Fill_rectangle(second, 0, 0, 50, 50, MPE_WHITE); /* by all ranks, drawn once */
    look(second);
    is(10, 10, BLACK, "MPE_GRAPH_COLLECTIVE draws once"), is(60, 60, WHITE, "beside it");
    mouse(second, 1);
    ok(!MPE_Close_graphics(&second) && !second, "MPE_Close_graphics");
    look(NULL);
    untouched(before);
    ok(!MPE_Close_graphics(&window) && !window, "MPE_Close_graphics");
    look(NULL);
    is(10, 100, BLACK, "the screen behind");
    MPI_Finalize();
    return 0;
}
