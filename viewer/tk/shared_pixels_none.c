/* shared_pixels_none.c - replaces shared_pixels.c if MIT-SHM is missing at compile time. Then all pixels are sent. */
#include "tk/paper_parts.h"

int pithi_shared_known(Tk_Window window)
{
    (void)window;
    return 0;
}

struct pithi_shared *pithi_shared_new(Tk_Window window, int width, int height)
{
    (void)window, (void)width, (void)height;
    return NULL;
}

void pithi_shared_free(struct pithi_shared *shared) { (void)shared; }

char *pithi_shared_data(struct pithi_shared *shared)
{
    (void)shared;
    return NULL;
}

void pithi_shared_put(struct pithi_shared *shared, Drawable to, GC gc, int from_x, int from_y, int x, int y,
                      unsigned width, unsigned height)
{
    (void)shared, (void)to, (void)gc, (void)from_x, (void)from_y, (void)x, (void)y, (void)width, (void)height;
}
