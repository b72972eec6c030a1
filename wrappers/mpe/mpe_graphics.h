/* mpe_graphics.h - MPE's calls that draw in an X window, kept by Pith so that programs link and run (mpe(3)): there is
 * no window. All return MPE_ERR_NOXCONNECT, as MPE did where there was no display, or MPE_ERR_BAD_ARGS for an address
 * that is NULL, and put 0 where there are results. The first call of a process says so in a line on standard error.
 */
#ifndef MPE_GRAPHICS_H
#define MPE_GRAPHICS_H

#include "mpe_log.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define MPE_SUCCESS 0
#define MPE_ERR_NOXCONNECT 1
#define MPE_ERR_BAD_ARGS 2
#define MPE_ERR_LOW_MEM 3

typedef struct MPE_XGraph_ *MPE_XGraph;
typedef unsigned long MPE_Color;
typedef struct {
    int x, y;
    MPE_Color c;
} MPE_Point;

#define MPE_WHITE ((MPE_Color)0)
#define MPE_BLACK ((MPE_Color)1)
#define MPE_RED ((MPE_Color)2)
#define MPE_YELLOW ((MPE_Color)3)
#define MPE_GREEN ((MPE_Color)4)
#define MPE_CYAN ((MPE_Color)5)
#define MPE_BLUE ((MPE_Color)6)
#define MPE_MAGENTA ((MPE_Color)7)
#define MPE_AQUAMARINE ((MPE_Color)8)
#define MPE_FORESTGREEN ((MPE_Color)9)
#define MPE_ORANGE ((MPE_Color)10)
#define MPE_MAROON ((MPE_Color)11)
#define MPE_BROWN ((MPE_Color)12)
#define MPE_PINK ((MPE_Color)13)
#define MPE_CORAL ((MPE_Color)14)
#define MPE_GRAY ((MPE_Color)15)

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

#define MPE_DRAG_NONE 0
#define MPE_DRAG_RECT 1
#define MPE_DRAG_LINE 2
#define MPE_DRAG_CIRCLE_RADIUS 3
#define MPE_DRAG_CIRCLE_DIAMETER 4
#define MPE_DRAG_CIRCLE_BBOX 5
#define MPE_DRAG_OVAL_BBOX 6
#define MPE_DRAG_SQUARE 7

MPE_API_ int MPE_Open_graphics(MPE_XGraph *handle, MPI_Comm comm, const char *display, int x, int y, int w, int h,
                               int is_collective);
MPE_API_ int MPE_Close_graphics(MPE_XGraph *handle);
MPE_API_ int MPE_Update(MPE_XGraph handle);
MPE_API_ int MPE_CaptureFile(MPE_XGraph handle, const char *name, int frequency);

MPE_API_ int MPE_Draw_point(MPE_XGraph handle, int x, int y, MPE_Color colour);
MPE_API_ int MPE_Draw_points(MPE_XGraph handle, MPE_Point *points, int count);
MPE_API_ int MPE_Draw_line(MPE_XGraph handle, int x1, int y1, int x2, int y2, MPE_Color colour);
MPE_API_ int MPE_Draw_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour);
MPE_API_ int MPE_Fill_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour);
MPE_API_ int MPE_Fill_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour);
MPE_API_ int MPE_Draw_string(MPE_XGraph handle, int x, int y, MPE_Color colour, const char *text);
MPE_API_ int MPE_Draw_logic(MPE_XGraph handle, int logic);
MPE_API_ int MPE_Line_thickness(MPE_XGraph handle, int width);
MPE_API_ int MPE_Draw_dashes(MPE_XGraph handle, int style);
MPE_API_ int MPE_Dash_offset(MPE_XGraph handle, int offset);

MPE_API_ int MPE_Num_colors(MPE_XGraph handle, int *count);
MPE_API_ int MPE_Make_color_array(MPE_XGraph handle, int count, MPE_Color colours[]);
MPE_API_ int MPE_Add_RGB_color(MPE_XGraph handle, int red, int green, int blue, MPE_Color *colour);

MPE_API_ int MPE_Get_mouse_press(MPE_XGraph handle, int *x, int *y, int *button);
MPE_API_ int MPE_Iget_mouse_press(MPE_XGraph handle, int *x, int *y, int *button, int *was_pressed);
MPE_API_ int MPE_Get_drag_region(MPE_XGraph handle, int button, int visual, int *x1, int *y1, int *x2, int *y2);
MPE_API_ int MPE_Get_drag_region_fixratio(MPE_XGraph handle, int button, int visual, double ratio, int *x1, int *y1,
                                          int *x2, int *y2);

#if defined(__cplusplus)
}
#endif
#endif
