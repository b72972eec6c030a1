/* mpe_graphics.h - MPE's calls that draw in an X window (mpe(3)).
 *
 *     MPE_XGraph window;
 *     if (MPE_Open_graphics(&window, MPI_COMM_WORLD, NULL, -1, -1, 400, 300, MPE_GRAPH_INDEPENDENT) == MPE_SUCCESS) {
 *         MPE_Fill_circle(window, 200, 150, 40, MPE_RED);
 *         MPE_Update(window);
 *         MPE_Close_graphics(&window);
 *     }
 *
 * The ranks of a communicator share one window. Coordinates are pixels; 0, 0 is the upper left corner. Drawing becomes
 * visible with MPE_Update at the latest. All calls return one of the codes below. If MPE_Open_graphics finds no
 * display, it prints a line on standard error and returns MPE_ERR_NOXCONNECT. The program continues; later calls return
 * the same code, and 0 as their results. Any thread may make these calls.
 *
 * The first MPE_Open_graphics loads libX11. If Pith was built without libX11's headers, no window can be opened.
 */
#ifndef MPE_GRAPHICS_H
#define MPE_GRAPHICS_H

#include "mpe_log.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define MPE_SUCCESS 0
#define MPE_ERR_NOXCONNECT 1
#define MPE_ERR_BAD_ARGS 2 /* an address is NULL, or a size or colour is out of range */
#define MPE_ERR_LOW_MEM 3  /* no memory, or the display has no colours left */

typedef struct MPE_XGraph_ *MPE_XGraph;

/* The colours that every window has. MPE_COLOR_MAX_ gives the type the size of an int. MPE_Make_color_array and
 * MPE_Add_RGB_color make more. */
typedef enum {
    MPE_WHITE,
    MPE_BLACK,
    MPE_RED,
    MPE_YELLOW,
    MPE_GREEN,
    MPE_CYAN,
    MPE_BLUE,
    MPE_MAGENTA,
    MPE_AQUAMARINE,
    MPE_FORESTGREEN,
    MPE_ORANGE,
    MPE_MAROON,
    MPE_BROWN,
    MPE_PINK,
    MPE_CORAL,
    MPE_GRAY,
    MPE_COLOR_MAX_ = 0x7fffffff
} MPE_Color;

typedef struct {
    int x, y;
    MPE_Color c; /* one of the window's colours */
} MPE_Point;

/* For `is_collective` of MPE_Open_graphics. */
#define MPE_GRAPH_INDEPENDENT 0 /* each rank draws for itself */
#define MPE_GRAPH_INDEPDENT MPE_GRAPH_INDEPENDENT
#define MPE_GRAPH_COLLECTIVE 1 /* all ranks make the same calls; rank 0 draws, and all get its results */

/* How a drawn pixel is combined with the old one (X's logical functions). The default is MPE_LOGIC_COPY. */
#define MPE_LOGIC_CLEAR 0
#define MPE_LOGIC_AND 1
#define MPE_LOGIC_ANDREVERSE 2
#define MPE_LOGIC_COPY 3
#define MPE_LOGIC_ANDINVERTED 4
#define MPE_LOGIC_NOOP 5
#define MPE_LOGIC_XOR 6
#define MPE_LOGIC_OR 7
#define MPE_LOGIC_NOR 8
#define MPE_LOGIC_EQUIV 9
#define MPE_LOGIC_INVERT 10
#define MPE_LOGIC_ORREVERSE 11
#define MPE_LOGIC_COPYINVERTED 12
#define MPE_LOGIC_ORINVERTED 13
#define MPE_LOGIC_NAND 14
#define MPE_LOGIC_SET 15

#define MPE_BUTTON1 1 /* left */
#define MPE_BUTTON2 2
#define MPE_BUTTON3 3
#define MPE_BUTTON4 4
#define MPE_BUTTON5 5

/* The same values as arrays, which some programs use. */
MPE_API_ extern int MPE_logicArray[16];
MPE_API_ extern int MPE_buttonArray[5];

/* The shape that is shown while the mouse is dragged from a first to a second point. */
#define MPE_DRAG_NONE 0
#define MPE_DRAG_RECT 1
#define MPE_DRAG_LINE 2
#define MPE_DRAG_CIRCLE_RADIUS 3   /* the first point is the centre */
#define MPE_DRAG_CIRCLE_DIAMETER 4 /* both points lie on the circle */
#define MPE_DRAG_CIRCLE_BBOX 5     /* the circle in the square of MPE_DRAG_SQUARE */
#define MPE_DRAG_OVAL_BBOX 6
#define MPE_DRAG_SQUARE 7 /* as wide as the longer side of the box */

/* Opens a window of w x h pixels at x, y of the screen; with -1, -1 the window manager places it. Collective over
 * `comm`, whose ranks share the window. Rank 0 opens it on `display`, or on its $DISPLAY if `display` is NULL or "".
 * The others connect to the same display, or to their own `display` argument. If a rank cannot connect, all ranks get
 * MPE_ERR_NOXCONNECT and a NULL *handle. */
MPE_API_ int MPE_Open_graphics(MPE_XGraph *handle, MPI_Comm comm, const char *display, int x, int y, int w, int h,
                               int is_collective);
/* Sets *handle to NULL. Each rank calls this; rank 0's call closes the window. */
MPE_API_ int MPE_Close_graphics(MPE_XGraph *handle);
/* Shows what was drawn. */
MPE_API_ int MPE_Update(MPE_XGraph handle);
/* From now on, every `frequency`-th MPE_Update also writes the window's picture to a file in xwd's format: NAME0,
 * NAME1, ... A frequency of 0 stops this. */
MPE_API_ int MPE_CaptureFile(MPE_XGraph handle, const char *name, int frequency);

MPE_API_ int MPE_Draw_point(MPE_XGraph handle, int x, int y, MPE_Color colour);
MPE_API_ int MPE_Draw_points(MPE_XGraph handle, MPE_Point *points, int count);
MPE_API_ int MPE_Draw_line(MPE_XGraph handle, int x1, int y1, int x2, int y2, MPE_Color colour);
MPE_API_ int MPE_Draw_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour);
MPE_API_ int MPE_Fill_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour);
MPE_API_ int MPE_Draw_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour);
MPE_API_ int MPE_Fill_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour);
/* `text` begins at x; its baseline is at y. */
MPE_API_ int MPE_Draw_string(MPE_XGraph handle, int x, int y, MPE_Color colour, const char *text);

/* The following calls change how this rank draws from then on. */
MPE_API_ int MPE_Draw_logic(MPE_XGraph handle, int logic);
/* Sets the width of lines in pixels. The default, 0, draws lines of 1 pixel in the display's fastest way. */
MPE_API_ int MPE_Line_thickness(MPE_XGraph handle, int width);
/* Sets the style of lines. 0, the default: solid; 1: dashes; 2: dashes with white between them. */
MPE_API_ int MPE_Draw_dashes(MPE_XGraph handle, int style);
/* Sets how many pixels of the first dash are left out. */
MPE_API_ int MPE_Dash_offset(MPE_XGraph handle, int offset);

/* Gets the number of colours: valid colours are 0 to *count - 1. */
MPE_API_ int MPE_Num_colors(MPE_XGraph handle, int *count);
/* Makes `count` colours, evenly spread over the rainbow. They replace the colours from MPE_RED on. */
MPE_API_ int MPE_Make_color_array(MPE_XGraph handle, int count, MPE_Color colours[]);
/* Adds a colour; red, green and blue are 0 to 65535. */
MPE_API_ int MPE_Add_RGB_color(MPE_XGraph handle, int red, int green, int blue, MPE_Color *colour);

/* Waits until a mouse button is pressed in the window, and gets the place and the button. X reports the presses to one
 * connection at a time, so if several ranks wait, each press goes to only one of them. */
MPE_API_ int MPE_Get_mouse_press(MPE_XGraph handle, int *x, int *y, int *button);
/* As MPE_Get_mouse_press, but does not wait. *was_pressed is 0 if no button was pressed since the previous call. */
MPE_API_ int MPE_Iget_mouse_press(MPE_XGraph handle, int *x, int *y, int *button, int *was_pressed);
/* Waits until the given button is pressed, dragged and released. Gets the upper left and lower right corners of a box;
 * for other shapes, the points where the button was pressed and released. */
MPE_API_ int MPE_Get_drag_region(MPE_XGraph handle, int button, int visual, int *x1, int *y1, int *x2, int *y2);
/* As MPE_Get_drag_region, for a box whose width is `ratio` times its height. */
MPE_API_ int MPE_Get_drag_region_fixratio(MPE_XGraph handle, int button, double ratio, int *x1, int *y1, int *x2,
                                          int *y2);

/* Prints the meaning of a code that the function returned. Returns the code. */
MPE_API_ int MPE_Xerror(int code, const char *function);

#if defined(__cplusplus)
}
#endif
#endif
