/* graphics_none.c - mpe_graphics.h for a Pith that was built without libX11's headers, so that no window can be opened.
 *
 * A program that draws still links and runs. Each call returns MPE_ERR_NOXCONNECT, as it does without a display, and
 * sets its results to 0. The first call prints a line. */
#include "base/say.h"
#include "mpe_graphics.h"

#include <stdio.h>

/* Programs may use these arrays, so they are defined here, too, with the values that they have in graphics.c. */
int MPE_logicArray[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
int MPE_buttonArray[5] = {MPE_BUTTON1, MPE_BUTTON2, MPE_BUTTON3, MPE_BUTTON4, MPE_BUTTON5};

static int refuse(void)
{
    static int said; /* the line is printed once, not for each point drawn */

    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        pithi_say("this Pith was built without MPE's graphics; the program runs without a window");
    return MPE_ERR_NOXCONNECT;
}

/* Sets the results at `places` to 0. Returns MPE_ERR_BAD_ARGS if one of `places` is NULL, as graphics_mouse.c does,
 * else MPE_ERR_NOXCONNECT. */
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
/* Calls clear() with an array that has the macro's arguments as places. */
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

/* Defines a function of mpe_graphics.h that has no results. */
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
NO_WINDOW(MPE_Draw_rectangle, (MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour),
          ((void)handle, (void)x, (void)y, (void)w, (void)h, (void)colour))
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
        colours[i] = MPE_WHITE; /* a colour that all windows have */
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

int MPE_Get_drag_region_fixratio(MPE_XGraph handle, int button, double ratio, int *x1, int *y1, int *x2, int *y2)
{
    (void)ratio;
    return MPE_Get_drag_region(handle, button, MPE_DRAG_RECT, x1, y1, x2, y2);
}

int MPE_Xerror(int code, const char *function)
{
    pithi_say("%s: %s", function ? function : "MPE graphics", code ? "no window" : "no error");
    return code;
}
