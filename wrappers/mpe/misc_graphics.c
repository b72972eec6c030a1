/* misc_graphics.c - see mpe_graphics.h; and the same for Fortran: subroutines with the result as their last argument,
 * in which a handle is an integer, and so is a colour. */
#include "fortran_names.h"
#include "mpe_graphics.h"

#include <stdio.h>

static int refuse(void)
{
    static int said;

    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "pith: the program uses MPE graphics, which Pith has none of; it runs without a window\n");
    return MPE_ERR_NOXCONNECT;
}

static int clear(int count, int *const places[])
{
    int missing = 0;

    for (int i = 0; i < count; i++)
        if (places[i])
            *places[i] = 0;
        else
            missing = 1;
    refuse();
    return missing ? MPE_ERR_BAD_ARGS : MPE_ERR_NOXCONNECT;
}
#define CLEAR(...) clear(sizeof((int *[]){__VA_ARGS__}) / sizeof(int *), (int *[]){__VA_ARGS__})

int MPE_Open_graphics(MPE_XGraph *handle, MPI_Comm comm, const char *display, int x, int y, int w, int h,
                      int is_collective)
{
    (void)comm, (void)display, (void)x, (void)y, (void)w, (void)h, (void)is_collective;
    if (!handle)
        return MPE_ERR_BAD_ARGS;
    *handle = NULL;
    return refuse();
}

int MPE_Close_graphics(MPE_XGraph *handle)
{
    if (!handle)
        return MPE_ERR_BAD_ARGS;
    *handle = NULL;
    return refuse();
}

/* Calls without results: their arguments do not matter. */
#define NO_WINDOW(name, arguments, unused)                                                                             \
    int name arguments                                                                                                 \
    {                                                                                                                  \
        unused;                                                                                                        \
        return refuse();                                                                                               \
    }
NO_WINDOW(MPE_Update, (MPE_XGraph handle), (void)handle)
NO_WINDOW(MPE_CaptureFile, (MPE_XGraph handle, const char *name, int frequency),
          ((void)handle, (void)name, (void)frequency))
NO_WINDOW(MPE_Draw_point, (MPE_XGraph handle, int x, int y, MPE_Color colour),
          ((void)handle, (void)x, (void)y, (void)colour))
NO_WINDOW(MPE_Draw_points, (MPE_XGraph handle, MPE_Point *points, int count), ((void)handle, (void)points, (void)count))
NO_WINDOW(MPE_Draw_line, (MPE_XGraph handle, int x1, int y1, int x2, int y2, MPE_Color colour),
          ((void)handle, (void)x1, (void)y1, (void)x2, (void)y2, (void)colour))
NO_WINDOW(MPE_Draw_circle, (MPE_XGraph handle, int x, int y, int radius, MPE_Color colour),
          ((void)handle, (void)x, (void)y, (void)radius, (void)colour))
NO_WINDOW(MPE_Fill_circle, (MPE_XGraph handle, int x, int y, int radius, MPE_Color colour),
          ((void)handle, (void)x, (void)y, (void)radius, (void)colour))
NO_WINDOW(MPE_Fill_rectangle, (MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour),
          ((void)handle, (void)x, (void)y, (void)w, (void)h, (void)colour))
NO_WINDOW(MPE_Draw_string, (MPE_XGraph handle, int x, int y, MPE_Color colour, const char *text),
          ((void)handle, (void)x, (void)y, (void)colour, (void)text))
NO_WINDOW(MPE_Draw_logic, (MPE_XGraph handle, int logic), ((void)handle, (void)logic))
NO_WINDOW(MPE_Line_thickness, (MPE_XGraph handle, int width), ((void)handle, (void)width))
NO_WINDOW(MPE_Draw_dashes, (MPE_XGraph handle, int style), ((void)handle, (void)style))
NO_WINDOW(MPE_Dash_offset, (MPE_XGraph handle, int offset), ((void)handle, (void)offset))

int MPE_Num_colors(MPE_XGraph handle, int *count)
{
    (void)handle;
    return CLEAR(count);
}

int MPE_Make_color_array(MPE_XGraph handle, int count, MPE_Color colours[])
{
    (void)handle;
    for (int i = 0; colours && i < count; i++)
        colours[i] = MPE_WHITE;
    refuse();
    return colours ? MPE_ERR_NOXCONNECT : MPE_ERR_BAD_ARGS;
}

int MPE_Add_RGB_color(MPE_XGraph handle, int red, int green, int blue, MPE_Color *colour)
{
    (void)red, (void)green, (void)blue;
    return MPE_Make_color_array(handle, 1, colour);
}

int MPE_Get_mouse_press(MPE_XGraph handle, int *x, int *y, int *button)
{
    (void)handle;
    return CLEAR(x, y, button);
}

int MPE_Iget_mouse_press(MPE_XGraph handle, int *x, int *y, int *button, int *was_pressed)
{
    (void)handle;
    return CLEAR(x, y, button, was_pressed);
}

int MPE_Get_drag_region(MPE_XGraph handle, int button, int visual, int *x1, int *y1, int *x2, int *y2)
{
    (void)handle, (void)button, (void)visual;
    return CLEAR(x1, y1, x2, y2);
}

int MPE_Get_drag_region_fixratio(MPE_XGraph handle, int button, int visual, double ratio, int *x1, int *y1, int *x2,
                                 int *y2)
{
    (void)ratio;
    return MPE_Get_drag_region(handle, button, visual, x1, y1, x2, y2);
}

/* ---- Fortran ----------------------------------------------------------------------------------------------------- */

#define NO_WINDOW_F(lower, UPPER, arguments, unused)                                                                   \
    FORTRAN(void, lower, UPPER, arguments)                                                                             \
    {                                                                                                                  \
        unused;                                                                                                        \
        *ierr = refuse();                                                                                              \
    }
typedef const int *in; /* an INTEGER that is read */

FORTRAN(void, mpe_open_graphics, MPE_OPEN_GRAPHICS,
        (int *handle, in comm, const char *display, in x, in y, in w, in h, in is_collective, int *ierr))
{
    (void)comm, (void)display, (void)x, (void)y, (void)w, (void)h, (void)is_collective;
    *ierr = CLEAR(handle);
}
FORTRAN(void, mpe_close_graphics, MPE_CLOSE_GRAPHICS, (int *handle, int *ierr)) { *ierr = CLEAR(handle); }
NO_WINDOW_F(mpe_update, MPE_UPDATE, (in handle, int *ierr), (void)handle)
NO_WINDOW_F(mpe_capturefile, MPE_CAPTUREFILE, (in handle, const char *name, in frequency, int *ierr),
            ((void)handle, (void)name, (void)frequency))
NO_WINDOW_F(mpe_draw_point, MPE_DRAW_POINT, (in handle, in x, in y, in colour, int *ierr),
            ((void)handle, (void)x, (void)y, (void)colour))
NO_WINDOW_F(mpe_draw_points, MPE_DRAW_POINTS, (in handle, in points, in count, int *ierr),
            ((void)handle, (void)points, (void)count))
NO_WINDOW_F(mpe_draw_line, MPE_DRAW_LINE, (in handle, in x1, in y1, in x2, in y2, in colour, int *ierr),
            ((void)handle, (void)x1, (void)y1, (void)x2, (void)y2, (void)colour))
NO_WINDOW_F(mpe_draw_circle, MPE_DRAW_CIRCLE, (in handle, in x, in y, in radius, in colour, int *ierr),
            ((void)handle, (void)x, (void)y, (void)radius, (void)colour))
NO_WINDOW_F(mpe_fill_circle, MPE_FILL_CIRCLE, (in handle, in x, in y, in radius, in colour, int *ierr),
            ((void)handle, (void)x, (void)y, (void)radius, (void)colour))
NO_WINDOW_F(mpe_fill_rectangle, MPE_FILL_RECTANGLE, (in handle, in x, in y, in w, in h, in colour, int *ierr),
            ((void)handle, (void)x, (void)y, (void)w, (void)h, (void)colour))
NO_WINDOW_F(mpe_draw_string, MPE_DRAW_STRING, (in handle, in x, in y, in colour, const char *text, int *ierr),
            ((void)handle, (void)x, (void)y, (void)colour, (void)text))
NO_WINDOW_F(mpe_draw_logic, MPE_DRAW_LOGIC, (in handle, in logic, int *ierr), ((void)handle, (void)logic))
NO_WINDOW_F(mpe_line_thickness, MPE_LINE_THICKNESS, (in handle, in width, int *ierr), ((void)handle, (void)width))
NO_WINDOW_F(mpe_draw_dashes, MPE_DRAW_DASHES, (in handle, in style, int *ierr), ((void)handle, (void)style))
NO_WINDOW_F(mpe_dash_offset, MPE_DASH_OFFSET, (in handle, in offset, int *ierr), ((void)handle, (void)offset))

FORTRAN(void, mpe_num_colors, MPE_NUM_COLORS, (in handle, int *count, int *ierr))
{
    (void)handle;
    *ierr = CLEAR(count);
}
FORTRAN(void, mpe_make_color_array, MPE_MAKE_COLOR_ARRAY, (in handle, in count, int *colours, int *ierr))
{
    (void)handle;
    for (int i = 0; i < *count; i++)
        colours[i] = 0;
    *ierr = refuse();
}
FORTRAN(void, mpe_add_rgb_color, MPE_ADD_RGB_COLOR, (in handle, in red, in green, in blue, int *colour, int *ierr))
{
    (void)handle, (void)red, (void)green, (void)blue;
    *ierr = CLEAR(colour);
}
FORTRAN(void, mpe_get_mouse_press, MPE_GET_MOUSE_PRESS, (in handle, int *x, int *y, int *button, int *ierr))
{
    (void)handle;
    *ierr = CLEAR(x, y, button);
}
FORTRAN(void, mpe_iget_mouse_press, MPE_IGET_MOUSE_PRESS,
        (in handle, int *x, int *y, int *button, int *was_pressed, int *ierr))
{
    (void)handle;
    *ierr = CLEAR(x, y, button, was_pressed);
}
