/* kept_pixels.c - sending what has changed; see kept_pixels.h. Knows what the server has by a copy. */
#include "tk/kept_pixels.h"

#include <stdlib.h>
#include <string.h>

#include <X11/Xutil.h>

#include "core/memory.h"

/* Lines that go in one piece: as wide as the widest change among them. */
enum { BAND = 16 };

struct pithi_kept {
    Display *display;
    Pixmap pixmap;
    XImage *image;
    int width, height;
    int fresh; /* the server has nothing yet */
    uint32_t *words;
};

struct pithi_kept *pithi_kept_new(Tk_Window window, int width, int height)
{
    static const union {
        uint32_t word;
        unsigned char first;
    } order = {1};
    struct pithi_kept *kept = pithi_alloc(1, sizeof *kept);

    Tk_MakeWindowExist(window);
    kept->display = Tk_Display(window);
    kept->width = width;
    kept->height = height;
    kept->fresh = 1;
    kept->words = pithi_alloc((size_t)width * (size_t)height, sizeof *kept->words);
    kept->pixmap = Tk_GetPixmap(kept->display, Tk_WindowId(window), width, height, Tk_Depth(window));
    kept->image = XCreateImage(kept->display, Tk_Visual(window), (unsigned)Tk_Depth(window), ZPixmap, 0,
                               (char *)(void *)kept->words, (unsigned)width, (unsigned)height, 32, width * 4);
    kept->image->byte_order = order.first ? LSBFirst : MSBFirst;
    return kept;
}

void pithi_kept_free(struct pithi_kept *kept)
{
    if (!kept)
        return;
    kept->image->data = NULL;
    XDestroyImage(kept->image);
    Tk_FreePixmap(kept->display, kept->pixmap);
    free(kept->words);
    free(kept);
}

Pixmap pithi_kept_pixmap(const struct pithi_kept *kept) { return kept->pixmap; }

static void move(struct pithi_kept *kept, GC gc, int by)
{
    int count = kept->width - abs(by), from = by > 0 ? by : 0, to = by > 0 ? 0 : -by;

    if (count <= 0)
        return;
    XCopyArea(kept->display, kept->pixmap, kept->pixmap, gc, from, 0, (unsigned)count, (unsigned)kept->height, to, 0);
    for (int y = 0; y < kept->height; y++) {
        uint32_t *line = kept->words + (size_t)y * (size_t)kept->width;
        memmove(line + to, line + from, (size_t)count * sizeof *line);
    }
}

/* Narrows [*left, *right) to what differs in a line, together with what differed before. */
static void find_change(const uint32_t *old, const uint32_t *new, int width, int *left, int *right)
{
    int from = 0, to = width;

    if (memcmp(old, new, (size_t)width * sizeof *old) == 0)
        return;
    while (old[from] == new[from])
        from++;
    while (old[to - 1] == new[to - 1])
        to--;
    *left = from < *left ? from : *left;
    *right = to > *right ? to : *right;
}

static void send_band(struct pithi_kept *kept, const uint32_t *words, GC gc, int top, int height)
{
    int left = kept->width, right = 0;
    size_t at = (size_t)top * (size_t)kept->width;

    for (int y = 0; y < height && !kept->fresh; y++)
        find_change(kept->words + at + (size_t)y * (size_t)kept->width, words + at + (size_t)y * (size_t)kept->width,
                    kept->width, &left, &right);
    if (kept->fresh)
        left = 0, right = kept->width;
    if (left >= right)
        return;
    memcpy(kept->words + at, words + at, (size_t)height * (size_t)kept->width * sizeof *words);
    XPutImage(kept->display, kept->pixmap, gc, kept->image, left, top, left, top, (unsigned)(right - left),
              (unsigned)height);
}

void pithi_kept_update(struct pithi_kept *kept, const uint32_t *words, GC gc, int moved)
{
    if (moved && !kept->fresh)
        move(kept, gc, moved);
    for (int top = 0; top < kept->height; top += BAND)
        send_band(kept, words, gc, top, kept->height - top < BAND ? kept->height - top : BAND);
    kept->fresh = 0;
}
