/* graphics_capture.c - pictures of a window in xwd's format (X11/XWDFile.h), which xwud, ImageMagick and GIMP read: a
 * header of 32-bit words, highest byte first, the window's name, the pixels as X has them. */
#include "x_window.h"

#include <X11/Xmd.h>

#include <X11/XWDFile.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_xwd(FILE *file, XImage *image, const Visual *visual)
{
    static const char name[] = "MPE";
    size_t size = (size_t)image->bytes_per_line * (size_t)image->height;
    XWDFileHeader header = {
        .header_size = sizeof header + sizeof name,
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
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = htonl(words[i]);
    return fwrite(words, sizeof words, 1, file) == 1 && fwrite(name, sizeof name, 1, file) == 1 &&
           fwrite(image->data, 1, size, file) == size;
}

void pithi_window_capture(struct MPE_XGraph_ *window)
{
    XWindowAttributes is;
    XImage *image = NULL;
    char path[4096];
    FILE *file;

    pithi_x_errors_begin(window); /* a window that is off the screen in part has no picture */
    if (window->x->GetWindowAttributes(window->display, window->window, &is))
        image = window->x->GetImage(window->display, window->window, 0, 0, (unsigned)is.width, (unsigned)is.height,
                                    AllPlanes, ZPixmap);
    if (pithi_x_errors_caught(window) || !image) {
        fprintf(stderr, "pith: MPE_CaptureFile: no picture %s%d: the window is not wholly on the screen\n",
                window->capture_name, window->captures++);
        return;
    }
    int length = snprintf(path, sizeof path, "%s%d", window->capture_name, window->captures++);
    int is_written = 0;
    errno = ENAMETOOLONG;
    if (length < (int)sizeof path && (file = fopen(path, "wb"))) {
        is_written = write_xwd(file, image, is.visual);
        is_written = fclose(file) == 0 && is_written;
    }
    if (!is_written) {
        fprintf(stderr, "pith: MPE_CaptureFile: %s: %s; no more pictures are written\n", path, strerror(errno));
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
