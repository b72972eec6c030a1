/* picture_none.c - replaces picture.c if Pith is built without cairo. Then only text and web pages can be made. */
#include "draw/draw.h"

int pithi_draw_picture(const struct pithi_draw *draw)
{
    return pithi_draw_failed("%s: this Pith was built without cairo, so it draws text (--text) and pages (html) only; "
                             "install cairo with its headers, then run make again",
                             draw->out_path);
}
