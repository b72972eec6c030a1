/* graphics_draw.c - draws in the windows of mpe_graphics.h, and writes pictures of them to files.
 *
 * The files have xwd's format (X11/XWDFile.h), which xwud, ImageMagick and GIMP can read. Such a file has a header of
 * 32-bit words (most significant byte first), then the window's name, and then the pixels as X stores them.
 */
#include "x_window.h"

#include <X11/Xmd.h>

#include <X11/XWDFile.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/open_file.h"
#include "base/say.h"

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

/* Writes the header, the name and the pixels. Returns 1 if all was written. The header's field `ncolors` is 0, because
 * the file has no table of colours. */
static int write_xwd(FILE *file, XImage *image, const Visual *visual)
{
    static const char name[] = "MPE";
    size_t size = (size_t)image->bytes_per_line * (size_t)image->height;
    XWDFileHeader header = {
        .header_size = sizeof header + sizeof name, /* the name counts as a part of the header */
        .file_version = XWD_FILE_VERSION,
        .pixmap_format = ZPixmap,
        .pixmap_depth = (CARD32)image->depth,
        .pixmap_width = (CARD32)image->width,
        .pixmap_height = (CARD32)image->height,
        .byte_order = (CARD32)image->byte_order,
        .bitmap_unit = (CARD32)image->bitmap_unit,
        .bitmap_bit_order = (CARD32)image->bitmap_bit_order,
        .bitmap_pad = (CARD32)image->bitmap_pad,
        .bits_per_pixel = (CARD32)image->bits_per_pixel,
        .bytes_per_line = (CARD32)image->bytes_per_line,
        .visual_class = (CARD32)visual->class,
        .red_mask = (CARD32)visual->red_mask,
        .green_mask = (CARD32)visual->green_mask,
        .blue_mask = (CARD32)visual->blue_mask,
        .bits_per_rgb = (CARD32)visual->bits_per_rgb,
        .colormap_entries = (CARD32)visual->map_entries,
        .window_width = (CARD32)image->width,
        .window_height = (CARD32)image->height,
    };
    CARD32 words[sizeof header / sizeof(CARD32)];

    memcpy(words, &header, sizeof header);
    /* The header is written with the most significant byte first. The pixels are written as they are, and the header's
     * field `byte_order` says in which byte order. */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = htonl(words[i]);
    return fwrite(words, sizeof words, 1, file) == 1 && fwrite(name, sizeof name, 1, file) == 1 &&
           fwrite(image->data, 1, size, file) == size;
}

/* Writes the window's picture to the next file of NAME0, NAME1 ... Prints errors on standard error. */
static void capture(struct MPE_XGraph_ *window)
{
    XWindowAttributes attributes;
    XImage *image = NULL;
    char path[4096];
    FILE *file;

    pithi_x_errors_begin(window); /* GetImage fails for a window that is partly off the screen */
    if (window->x->GetWindowAttributes(window->display, window->window, &attributes))
        image = window->x->GetImage(window->display, window->window, 0, 0, (unsigned)attributes.width,
                                    (unsigned)attributes.height, AllPlanes, ZPixmap);
    if (pithi_x_errors_caught(window) || !image) {
        /* A missing picture has a number, too, so that a picture's number always says which update it shows. */
        pithi_say("MPE_CaptureFile: no picture %s%d: the window is not wholly on the screen", window->capture_name,
                  window->captures++);
        return;
    }
    int length = snprintf(path, sizeof path, "%s%d", window->capture_name, window->captures++);
    int is_written = 0;
    /* This error is printed if the name does not fit into `path`. If opening the file fails, that sets errno. */
    errno = ENAMETOOLONG;
    if (length < (int)sizeof path && (file = pithi_make_stream(path, "w"))) {
        is_written = write_xwd(file, image, attributes.visual);
        is_written = fclose(file) == 0 && is_written;
    }
    if (!is_written) {
        /* No more pictures are written, because an error such as a full disk would occur again at every update. */
        pithi_say("MPE_CaptureFile: %s: %s; no more pictures are written", path, strerror(errno));
        window->capture_every = 0;
    }
    XDestroyImage(image);
}

int MPE_CaptureFile(MPE_XGraph handle, const char *name, int frequency)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);
    char *copy;

    if (!window)
        return MPE_ERR_NOXCONNECT;
    if (!name || frequency < 0)
        return pithi_window_end(window, MPE_ERR_BAD_ARGS);
    if (!(copy = strdup(name)))
        return pithi_window_end(window, MPE_ERR_LOW_MEM);
    free(window->capture_name);
    window->capture_name = copy;
    window->capture_every = frequency;
    window->updates = window->captures = 0;
    return pithi_window_end(window, MPE_SUCCESS);
}

int MPE_Update(MPE_XGraph handle)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (!window)
        return MPE_ERR_NOXCONNECT;
    if (window->display)
        /* libX11 keeps drawing calls in a buffer. They are sent now, so that the screen does not lag behind. */
        window->x->Flush(window->display);
    if (window->capture_every > 0 && ++window->updates % window->capture_every == 0 && window->display)
        capture(window);
    return pithi_window_end(window, MPE_SUCCESS);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* Begins a call that draws in this colour. Returns NULL if nothing is to be drawn; the call must then return
 * *result. */
static struct MPE_XGraph_ *begin_drawing(MPE_XGraph handle, MPE_Color colour, int *result)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    *result = MPE_ERR_NOXCONNECT;
    if (!window)
        return NULL;
    *result = (unsigned)colour < (unsigned)window->colours ? MPE_SUCCESS : MPE_ERR_BAD_ARGS;
    if (*result != MPE_SUCCESS || !window->display) {
        pithi_window_end(window, *result);
        return NULL;
    }
    window->x->SetForeground(window->display, window->gc, window->pixels[colour]);
    return window;
}

/* Limits a coordinate to -16384 to 16383. X's coordinates have 16 bits, and the server adds the window's position to
 * them. Without the limit, the sum for a point far outside the window could overflow, and X would draw the point in the
 * window. */
static short clamp(int coordinate)
{
    return (short)(coordinate < -16384 ? -16384 : coordinate > 16383 ? 16383 : coordinate);
}

static unsigned clamp_size(int size) { return size < 0 ? 0 : size > 65535 ? 65535 : (unsigned)size; }

int MPE_Draw_points(MPE_XGraph handle, MPE_Point *points, int count)
{
    /* Often many successive points have the same colour, because programs compute one region after another. One request
     * to the server draws all these points. */
    enum { MANY = 1024 }; /* the most points of one colour in a request */
    XPoint same[MANY];
    int result = pithi_window_begin(handle) ? MPE_SUCCESS : MPE_ERR_NOXCONNECT, used = 0;

    if (result != MPE_SUCCESS)
        return count > 0 && !points ? MPE_ERR_BAD_ARGS : result;
    if (count < 0 || (count > 0 && !points))
        return pithi_window_end(handle, MPE_ERR_BAD_ARGS);
    for (int i = 0; handle->display && i < count; i++) {
        /* A point of an unknown colour is left out. */
        if ((unsigned)points[i].c >= (unsigned)handle->colours) {
            result = MPE_ERR_BAD_ARGS;
            continue;
        }
        same[used++] = (XPoint){clamp(points[i].x), clamp(points[i].y)};
        if (used == MANY || i + 1 == count || points[i + 1].c != points[i].c) {
            handle->x->SetForeground(handle->display, handle->gc, handle->pixels[points[i].c]);
            handle->x->DrawPoints(handle->display, handle->window, handle->gc, same, used, CoordModeOrigin);
            used = 0;
        }
    }
    return pithi_window_end(handle, result);
}

int MPE_Draw_point(MPE_XGraph handle, int x, int y, MPE_Color colour)
{
    return MPE_Draw_points(handle, &(MPE_Point){x, y, colour}, 1);
}

enum draw_shape { LINE, RECTANGLE, FULL_RECTANGLE, ARC, FULL_ARC };

/* Draws a line from the point x, y to the point w, h, or any other shape with a size of w x h pixels at x, y. */
static int draw(MPE_XGraph handle, enum draw_shape shape, int x, int y, int w, int h, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);
    const int circle = 360 * 64; /* X counts in 64ths of a degree */

    if (!window)
        return result;
    const struct pithi_x *X = window->x;
    Display *display = window->display;
    short left = clamp(x), top = clamp(y);
    unsigned width = clamp_size(w), height = clamp_size(h);
    switch (shape) {
    case LINE:
        X->DrawLine(display, window->window, window->gc, left, top, clamp(w), clamp(h));
        break;
    case RECTANGLE:
        X->DrawRectangle(display, window->window, window->gc, left, top, width, height);
        break;
    case FULL_RECTANGLE:
        X->FillRectangle(display, window->window, window->gc, left, top, width, height);
        break;
    case ARC:
        X->DrawArc(display, window->window, window->gc, left, top, width, height, 0, circle);
        break;
    case FULL_ARC:
        X->FillArc(display, window->window, window->gc, left, top, width, height, 0, circle);
        break;
    }
    return pithi_window_end(window, result);
}

int MPE_Draw_line(MPE_XGraph handle, int x1, int y1, int x2, int y2, MPE_Color colour)
{
    return draw(handle, LINE, x1, y1, x2, y2, colour);
}

/* X draws a circle into a square, so this function passes the square's upper left corner and its size. */
int MPE_Draw_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour)
{
    return draw(handle, ARC, x - radius, y - radius, 2 * radius, 2 * radius, colour);
}

int MPE_Fill_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour)
{
    return draw(handle, FULL_ARC, x - radius, y - radius, 2 * radius, 2 * radius, colour);
}

int MPE_Draw_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour)
{
    return draw(handle, RECTANGLE, x, y, w, h, colour);
}

int MPE_Fill_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour)
{
    return draw(handle, FULL_RECTANGLE, x, y, w, h, colour);
}

int MPE_Draw_string(MPE_XGraph handle, int x, int y, MPE_Color colour, const char *text)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    if (text)
        window->x->DrawString(window->display, window->window, window->gc, clamp(x), clamp(y), text,
                              (int)strnlen(text, 4096));
    return pithi_window_end(window, text ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

/* Sets one of the values that say how this rank draws, if the new value is valid. `mask`: which value. */
static int change(MPE_XGraph handle, int is_valid, unsigned long mask, XGCValues values)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (!window)
        return MPE_ERR_NOXCONNECT;
    if (is_valid && window->display)
        window->x->ChangeGC(window->display, window->gc, mask, &values);
    return pithi_window_end(window, is_valid ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

int MPE_Draw_logic(MPE_XGraph handle, int logic)
{
    /* X's logical functions, GXclear to GXset, have the same values as MPE_LOGIC_... */
    return change(handle, logic >= 0 && logic < 16, GCFunction, (XGCValues){.function = logic});
}

int MPE_Line_thickness(MPE_XGraph handle, int width)
{
    return change(handle, width >= 0 && width < 32768, GCLineWidth, (XGCValues){.line_width = width});
}

int MPE_Draw_dashes(MPE_XGraph handle, int style)
{
    /* 0, 1 and 2 are X's LineSolid, LineOnOffDash and LineDoubleDash. */
    return change(handle, style >= 0 && style < 3, GCLineStyle, (XGCValues){.line_style = style});
}

int MPE_Dash_offset(MPE_XGraph handle, int offset)
{
    return change(handle, offset >= 0 && offset < 32768, GCDashOffset, (XGCValues){.dash_offset = offset});
}

int MPE_Xerror(int code, const char *function)
{
    static const char *const meanings[] = {"no error", "no open window", "an argument is wrong",
                                           "no memory or no colour left"};

    pithi_say("%s: %s", function ? function : "MPE graphics", code >= 0 && code < 4 ? meanings[code] : "unknown error");
    return code;
}
