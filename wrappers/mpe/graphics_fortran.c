/* graphics_fortran.c - mpe_graphics.h for Fortran: subroutines whose last argument gets the return code of the C
 * function.
 *
 * In Fortran, a window is an INTEGER, its index in a table plus 1; 0 is no window. It cannot be the handle of C,
 * because an INTEGER has 32 bits and a pointer has 64. For a CHARACTER argument, Fortran also passes its length, by
 * value, after all other arguments:
 *
 *     call MPE_DRAW_STRING(window, 10, 20, MPE_RED, 'time', ierr)
 *     mpe_draw_string_(&window, &10, &20, &red, "time", &ierr, 4)       as C sees it; "time" has no NUL */
#include "mpe_graphics.h"
#include "mpe_internal.h"

#include <pthread.h>
#include <stdlib.h>

typedef const int *in; /* an INTEGER argument that the subroutine only reads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the table */
static MPE_XGraph *table;                                /* [used]; NULL: the place is free */
static int used;

/* Stores a handle in the table and returns its number; 0 if there is no memory. Takes the first free place, so the
 * table has as many places as the most windows that were open at the same time. */
static int number_of(MPE_XGraph handle)
{
    int number = 0;

    pthread_mutex_lock(&lock);
    while (number < used && table[number])
        number++;
    if (number == used) {
        MPE_XGraph *longer = realloc(table, ((size_t)used + 1) * sizeof *table);
        if (longer)
            table = longer, used++;
        else
            number = -1;
    }
    if (number >= 0)
        table[number] = handle;
    pthread_mutex_unlock(&lock);
    return number + 1;
}

/* Returns the handle with this number; NULL if there is none. `is_closed` 1: the handle's place in the table becomes
 * free. */
static MPE_XGraph handle_of(in number, int is_closed)
{
    MPE_XGraph handle = NULL;

    pthread_mutex_lock(&lock);
    if (*number > 0 && *number <= used) {
        handle = table[*number - 1];
        if (is_closed)
            table[*number - 1] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

FORTRAN(void, mpe_open_graphics, MPE_OPEN_GRAPHICS,
        (int *handle, in comm, const char *display, in x, in y, in w, in h, in is_collective, int *ierr,
         size_t display_length))
{
    char *name = pithi_fortran_string(display, display_length);
    MPE_XGraph window;

    *ierr = MPE_Open_graphics(&window, pithi_fortran_comm(*comm), name, *x, *y, *w, *h, *is_collective);
    *handle = window ? number_of(window) : 0; /* if `window` is NULL, *ierr says why */
    if (window && !*handle) {
        MPE_Close_graphics(&window);
        *ierr = MPE_ERR_LOW_MEM;
    }
    free(name);
}

FORTRAN(void, mpe_close_graphics, MPE_CLOSE_GRAPHICS, (int *handle, int *ierr))
{
    MPE_XGraph window = handle_of(handle, 1);

    *ierr = MPE_Close_graphics(&window); /* `window` may be NULL */
    *handle = 0;
}

FORTRAN(void, mpe_capturefile, MPE_CAPTUREFILE,
        (in handle, const char *name, in frequency, int *ierr, size_t name_length))
{
    char *copy = pithi_fortran_string(name, name_length);

    *ierr = MPE_CaptureFile(handle_of(handle, 0), copy, *frequency);
    free(copy);
}

FORTRAN(void, mpe_draw_string, MPE_DRAW_STRING,
        (in handle, in x, in y, in colour, const char *text, int *ierr, size_t text_length))
{
    char *copy = pithi_fortran_string(text, text_length);

    *ierr = MPE_Draw_string(handle_of(handle, 0), *x, *y, (MPE_Color)*colour, copy ? copy : "");
    free(copy);
}

/* In Fortran, INTEGER points(3, count) has x, y and colour of each point, in the same order as MPE_Point in C. */
_Static_assert(sizeof(MPE_Point) == 3 * sizeof(int), "a point is three integers");
FORTRAN(void, mpe_draw_points, MPE_DRAW_POINTS, (in handle, int *points, in count, int *ierr))
{
    *ierr = MPE_Draw_points(handle_of(handle, 0), (MPE_Point *)points, *count);
}

FORTRAN(void, mpe_make_color_array, MPE_MAKE_COLOR_ARRAY, (in handle, in count, int *colours, int *ierr))
{
    *ierr = MPE_Make_color_array(handle_of(handle, 0), *count, (MPE_Color *)colours);
}

FORTRAN(void, mpe_add_rgb_color, MPE_ADD_RGB_COLOR, (in handle, in red, in green, in blue, int *colour, int *ierr))
{
    MPE_Color added;

    *ierr = MPE_Add_RGB_color(handle_of(handle, 0), *red, *green, *blue, &added);
    *colour = (int)added;
}

/* Defines a subroutine that replaces the window's number by its handle and calls a C function. */
#define CALL(lower, UPPER, arguments, call)                                                                            \
    FORTRAN(void, lower, UPPER, arguments)                                                                             \
    {                                                                                                                  \
        MPE_XGraph window = handle_of(handle, 0);                                                                      \
        *ierr = call;                                                                                                  \
    }
CALL(mpe_update, MPE_UPDATE, (in handle, int *ierr), MPE_Update(window))
CALL(mpe_draw_point, MPE_DRAW_POINT, (in handle, in x, in y, in colour, int *ierr),
     MPE_Draw_point(window, *x, *y, (MPE_Color)*colour))
CALL(mpe_draw_line, MPE_DRAW_LINE, (in handle, in x1, in y1, in x2, in y2, in colour, int *ierr),
     MPE_Draw_line(window, *x1, *y1, *x2, *y2, (MPE_Color)*colour))
CALL(mpe_draw_circle, MPE_DRAW_CIRCLE, (in handle, in x, in y, in radius, in colour, int *ierr),
     MPE_Draw_circle(window, *x, *y, *radius, (MPE_Color)*colour))
CALL(mpe_fill_circle, MPE_FILL_CIRCLE, (in handle, in x, in y, in radius, in colour, int *ierr),
     MPE_Fill_circle(window, *x, *y, *radius, (MPE_Color)*colour))
CALL(mpe_draw_rectangle, MPE_DRAW_RECTANGLE, (in handle, in x, in y, in w, in h, in colour, int *ierr),
     MPE_Draw_rectangle(window, *x, *y, *w, *h, (MPE_Color)*colour))
CALL(mpe_fill_rectangle, MPE_FILL_RECTANGLE, (in handle, in x, in y, in w, in h, in colour, int *ierr),
     MPE_Fill_rectangle(window, *x, *y, *w, *h, (MPE_Color)*colour))
CALL(mpe_draw_logic, MPE_DRAW_LOGIC, (in handle, in logic, int *ierr), MPE_Draw_logic(window, *logic))
CALL(mpe_line_thickness, MPE_LINE_THICKNESS, (in handle, in width, int *ierr), MPE_Line_thickness(window, *width))
CALL(mpe_draw_dashes, MPE_DRAW_DASHES, (in handle, in style, int *ierr), MPE_Draw_dashes(window, *style))
CALL(mpe_dash_offset, MPE_DASH_OFFSET, (in handle, in offset, int *ierr), MPE_Dash_offset(window, *offset))
CALL(mpe_num_colors, MPE_NUM_COLORS, (in handle, int *count, int *ierr), MPE_Num_colors(window, count))
CALL(mpe_get_mouse_press, MPE_GET_MOUSE_PRESS, (in handle, int *x, int *y, int *button, int *ierr),
     MPE_Get_mouse_press(window, x, y, button))
CALL(mpe_iget_mouse_press, MPE_IGET_MOUSE_PRESS, (in handle, int *x, int *y, int *button, int *was_pressed, int *ierr),
     MPE_Iget_mouse_press(window, x, y, button, was_pressed))
CALL(mpe_get_drag_region, MPE_GET_DRAG_REGION,
     (in handle, in button, in visual, int *x1, int *y1, int *x2, int *y2, int *ierr),
     MPE_Get_drag_region(window, *button, *visual, x1, y1, x2, y2))
CALL(mpe_get_drag_region_fixratio, MPE_GET_DRAG_REGION_FIXRATIO,
     (in handle, in button, const double *ratio, int *x1, int *y1, int *x2, int *y2, int *ierr),
     MPE_Get_drag_region_fixratio(window, *button, *ratio, x1, y1, x2, y2))
