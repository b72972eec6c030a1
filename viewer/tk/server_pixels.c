/* server_pixels.c - sends only those bands of a picture that have changed, by comparing it with a copy of the last
 * picture.
 *
 * A picture of 1000 x 600 pixels has 2.4 MB, which takes 0.2 s over 100 Mbit/s. If the pointer lights up a state of 20
 * x 12 pixels, one band of 16 lines differs in 20 columns: 1280 bytes. If the picture has moved to the left, the server
 * first moves its pixels, and the copy here is moved in the same way. After that only the new columns differ.
 *
 * The copy must always equal the server's pixels; otherwise a change would be missed. */
#include "tk/paper_parts.h"

#include <stdlib.h>
#include <string.h>

#include <X11/Xutil.h>

#include "core/cells/memory.h"

/* Number of scanlines that are sent together, as a band. Only the columns of a band that contain changes are sent. */
enum { BAND = 16 };

struct pithi_server_pixels {
    Display *display;
    Pixmap pixmap;
    XImage *image;
    int width, height;
    int fresh;       /* 1: the server has no picture yet */
    uint32_t *words; /* the copy of the picture that the server has */
};

struct pithi_server_pixels *pithi_server_pixels_new(Tk_Window window, int width, int height)
{
    static const union {
        uint32_t word;
        unsigned char first;
    } order = {1};
    struct pithi_server_pixels *pixels = pithi_alloc(1, sizeof *pixels);

    Tk_MakeWindowExist(window);
    pixels->display = Tk_Display(window);
    pixels->width = width;
    pixels->height = height;
    pixels->fresh = 1;
    pixels->words = pithi_alloc((size_t)width * (size_t)height, sizeof *pixels->words);
    pixels->pixmap = Tk_GetPixmap(pixels->display, Tk_WindowId(window), width, height, Tk_Depth(window));
    pixels->image = XCreateImage(pixels->display, Tk_Visual(window), (unsigned)Tk_Depth(window), ZPixmap, 0,
                                 (char *)(void *)pixels->words, (unsigned)width, (unsigned)height, 32, width * 4);
    pixels->image->byte_order = order.first ? LSBFirst : MSBFirst;
    return pixels;
}

void pithi_server_pixels_free(struct pithi_server_pixels *pixels)
{
    if (!pixels)
        return;
    pixels->image->data = NULL;
    XDestroyImage(pixels->image);
    Tk_FreePixmap(pixels->display, pixels->pixmap);
    free(pixels->words);
    free(pixels);
}

Pixmap pithi_server_pixels_pixmap(const struct pithi_server_pixels *pixels) { return pixels->pixmap; }

void pithi_server_pixels_update(struct pithi_server_pixels *pixels, const uint32_t *words, GC gc, int moved)
{
    int count = pixels->width - abs(moved), from = moved > 0 ? moved : 0, to = moved > 0 ? 0 : -moved;

    if (moved && !pixels->fresh && count > 0) {
        XCopyArea(pixels->display, pixels->pixmap, pixels->pixmap, gc, from, 0, (unsigned)count,
                  (unsigned)pixels->height, to, 0);
        for (int y = 0; y < pixels->height; y++) {
            uint32_t *line = pixels->words + (size_t)y * (size_t)pixels->width;
            memmove(line + to, line + from, (size_t)count * sizeof *line);
        }
    }
    for (int top = 0; top < pixels->height; top += BAND) {
        int height = pixels->height - top < BAND ? pixels->height - top : BAND, left = pixels->width, right = 0;
        size_t at = (size_t)top * (size_t)pixels->width;
        for (int y = 0; y < height && !pixels->fresh; y++) {
            /* Widens [left, right) until it contains all pixels that differ in this line. */
            size_t line = at + (size_t)y * (size_t)pixels->width;
            const uint32_t *old = pixels->words + line, *new = words + line;
            int first = 0, end = pixels->width;
            if (memcmp(old, new, (size_t)pixels->width * sizeof *old) == 0)
                continue;
            while (old[first] == new[first])
                first++;
            while (old[end - 1] == new[end - 1])
                end--;
            left = first < left ? first : left;
            right = end > right ? end : right;
        }
        if (pixels->fresh)
            left = 0, right = pixels->width;
        if (left >= right)
            continue;
        memcpy(pixels->words + at, words + at, (size_t)height * (size_t)pixels->width * sizeof *words);
        XPutImage(pixels->display, pixels->pixmap, gc, pixels->image, left, top, left, top, (unsigned)(right - left),
                  (unsigned)height);
    }
    pixels->fresh = 0;
}
