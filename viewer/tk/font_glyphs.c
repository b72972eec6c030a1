/* font_glyphs.c - makes the letters for core/raster/raster.h from a font of Tk: Tk draws them white on black, and their
 * pixels are read back.
 *
 * Names in bars are painted by core/raster/raster.c, because Tk and X cannot paint in several threads and into memory.
 * But the names should look like other texts of the window. So Tk draws each letter of the names once, up to 128
 * letters side by side in a pixmap, which is read back in one request. The whiteness of a pixel is the fraction of the
 * pixel that the letter covers.
 *
 *     | gap | M | gap | P | gap | I | ...     gaps have room for parts of letters, as of j, that exceed their width */
#include <stdlib.h>
#include <string.h>

#include <X11/Xutil.h>
#include <tcl.h>
#include <tk.h>

#include "core/raster/raster.h"
#include "core/cells/memory.h"
#include "tk/commands.h"
#include "tk/log_object.h"

/* MOST_CODES: number of different letters that are made; further letters stay blank. AT_ONCE: letters in one pixmap. */
enum { MOST_CODES = 4096, AT_ONCE = 128 };

struct letters {
    uint32_t codes[AT_ONCE];
    int widths[AT_ONCE];
    char texts[AT_ONCE][5];
    int count, width; /* count: letters; width: pixels of the pixmap */
    int gap;          /* pixels before each letter, because some letters, such as j, reach beyond their width */
};

static void take_masks(const struct letters *letters, XImage *image)
{
    struct pithi_glyphs *glyphs = pithi_glyphs();
    int green = image->green_mask ? __builtin_ctzl(image->green_mask) : 0, left = letters->gap;

    for (int i = 0; i < letters->count; left += letters->widths[i++] + letters->gap) {
        int width = letters->widths[i];
        unsigned char *mask = pithi_alloc((size_t)width * (size_t)glyphs->height, 1);
        for (int y = 0; y < glyphs->height; y++)
            for (int x = 0; x < width; x++)
                mask[y * width + x] = (unsigned char)(XGetPixel(image, left + x, y) >> green);
        pithi_glyphs_add(glyphs, letters->codes[i], width, mask);
        free(mask);
    }
}

/* Draws the letters side by side into a pixmap, and takes their masks from it. There are gaps between the letters, so
 * that no letter reaches into the place of the next one. */
static void draw_letters(struct letters *letters, Tk_Window window, Tk_Font font)
{
    struct pithi_glyphs *glyphs = pithi_glyphs();
    Display *display = Tk_Display(window);
    Pixmap pixmap;
    XGCValues values = {.foreground = WhitePixelOfScreen(Tk_Screen(window)), .font = Tk_FontId(font)};
    XImage *image;
    GC white, black;
    int left = letters->gap, width = letters->width + (letters->count + 1) * letters->gap;

    if (letters->width < 1) { /* no letter has a width: all are combining marks, for example */
        letters->count = 0;
        return;
    }
    pixmap = Tk_GetPixmap(display, Tk_WindowId(window), width, glyphs->height, Tk_Depth(window));
    white = Tk_GetGC(window, GCForeground | GCFont, &values);
    values.foreground = BlackPixelOfScreen(Tk_Screen(window));
    black = Tk_GetGC(window, GCForeground, &values);
    XFillRectangle(display, pixmap, black, 0, 0, (unsigned)width, (unsigned)glyphs->height);
    for (int i = 0; i < letters->count; left += letters->widths[i++] + letters->gap)
        Tk_DrawChars(display, pixmap, white, font, letters->texts[i], (int)strlen(letters->texts[i]), left,
                     glyphs->ascent);
    image = XGetImage(display, pixmap, 0, 0, (unsigned)width, (unsigned)glyphs->height, AllPlanes, ZPixmap);
    if (image) {
        take_masks(letters, image);
        XDestroyImage(image);
    }
    Tk_FreeGC(display, white);
    Tk_FreeGC(display, black);
    Tk_FreePixmap(display, pixmap);
    letters->count = letters->width = 0;
}

static int is_wanted(const struct letters *letters, uint32_t code)
{
    for (int i = 0; i < letters->count; i++)
        if (letters->codes[i] == code)
            return 0;
    return pithi_glyphs()->count < MOST_CODES && !pithi_glyphs_find(pithi_glyphs(), code);
}

int pithi_font_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window = Tk_MainWindow(interp);
    struct letters *letters;
    Tk_Font font;
    Tk_FontMetrics metrics;

    (void)objc;
    Tk_MakeWindowExist(window);
    font = Tk_GetFont(interp, window, Tcl_GetString(objv[1]));
    if (!font)
        return TCL_ERROR;
    Tk_GetFontMetrics(font, &metrics);
    letters = pithi_alloc(1, sizeof *letters);
    letters->gap = metrics.linespace / 4;
    if (strcmp(Tcl_GetString(objv[2]), "new") == 0)
        pithi_glyphs_reset(pithi_glyphs(), metrics.ascent, metrics.linespace);
    for (const char *text = Tcl_GetString(objv[3]); *text && pithi_glyphs()->height > 0;) {
        const char *from = text;
        uint32_t code = pithi_glyphs_next(&text);
        int bytes = (int)(text - from), at = letters->count;
        if (bytes <= 4 && is_wanted(letters, code)) {
            memcpy(letters->texts[at], from, (size_t)bytes);
            letters->texts[at][bytes] = 0;
            letters->codes[at] = code;
            letters->widths[at] = Tk_TextWidth(font, letters->texts[at], bytes);
            letters->width += letters->widths[at];
            if (++letters->count == AT_ONCE)
                draw_letters(letters, window, font);
        }
    }
    draw_letters(letters, window, font);
    free(letters);
    Tk_FreeFont(font);
    return TCL_OK;
}
