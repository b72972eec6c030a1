/* paper.c - the image type pithpaper. The pixels of a picture go to the X server by one of two transports (paper.h),
 * which depends on the display.
 *
 * The painter paints words 0xRRGGBB into memory. This file brings the words to the X server:
 *
 *     shared   the words are in memory that the X server also sees (MIT-SHM): a picture of 2000 x 1000 pixels, 8 MB, is
 *              copied once, by the server; the next picture must not be painted before the server has read the words
 *              (XSync)
 *     sent     the words are in memory of this process, and the server has a copy, which is updated after painting
 *
 * While a shared picture is still being painted, finished scanlines already go to the window, in up to eight parts.
 * Items of the canvas that lie over the picture must not flicker. So their area is left out, and the canvas draws it at
 * the end. Only thin items (lines and frames) are drawn by overlay.c after each part (paper_parts.h). */
#include "tk/paper.h"

#include <stdlib.h>
#include <string.h>

#include <X11/Xutil.h>

#include "core/cells/memory.h"
#include "tk/commands.h"
#include "tk/paper_parts.h"

enum way { SHARED, SENT };
static const char *const way_names[] = {"shared", "sent", NULL};

struct pithi_paper {
    Tk_ImageMaster master;
    Tcl_Interp *interp;
    Tcl_Command command;
    Tk_Window window; /* the application's main window, whose display all windows share */
    enum way way;
    int width, height;
    int sized;                          /* 1: Tk knows this size */
    int under_way;                      /* 1: the server may still be reading the words */
    uint32_t *words;                    /* the pixels, each a word 0xRRGGBB; NULL: none */
    struct pithi_shared *shared;        /* the memory of the words */
    struct pithi_server_pixels *server; /* the X server's copy of the words, if the transport is `sent` */
    GC gc;
    /* the name of the canvas that shows the picture, and a tag expression for all its items but the picture; NULL: the
     * picture is not drawn directly to a window */
    Tcl_Obj *canvas, *others;
    Tk_Window straight;           /* the window that gets pixels directly while the picture is painted; NULL: none */
    struct pithi_overlay overlay; /* the items over the picture; only used if `straight` is set */
    int sent;                     /* number of scanlines sent to `straight` */
};

/* A picture goes to the screen in at most this many parts while it is painted. There are not more, because each part
 * wakes the X server. */
enum { PARTS = 8 };

/* ---- Drawing a picture ------------------------------------------------------------------------------------------- */

/* Frees the pixels (`words`), and the X server's copy of them. If the pixels are in shared memory, pithi_shared_free
 * frees them. */
static void drop_pixels(struct pithi_paper *paper)
{
    if (paper->shared)
        pithi_shared_free(paper->shared);
    else
        free(paper->words);
    pithi_server_pixels_free(paper->server);
    paper->shared = NULL;
    paper->server = NULL;
    paper->words = NULL;
}

static void put(struct pithi_paper *paper, Drawable to, const struct pithi_area *from, int x, int y)
{
    unsigned width = (unsigned)(from->right - from->left), height = (unsigned)(from->bottom - from->top);

    if (from->right <= from->left || from->bottom <= from->top)
        return;
    if (paper->shared) {
        pithi_shared_put(paper->shared, to, paper->gc, from->left, from->top, x, y, width, height);
        paper->under_way = 1;
    } else {
        XCopyArea(Tk_Display(paper->window), pithi_server_pixels_pixmap(paper->server), to, paper->gc, from->left,
                  from->top, width, height, x, y);
    }
}

/* Returns the canvas's window if it is on the screen and as large as the picture; otherwise NULL. */
static Tk_Window straight_window(const struct pithi_paper *paper)
{
    Tk_Window window = NULL;

    if (paper->canvas)
        window = Tk_NameToWindow(paper->interp, Tcl_GetString(paper->canvas), paper->window);
    if (!window || !Tk_IsMapped(window) || Tk_Width(window) != paper->width || Tk_Height(window) != paper->height)
        return NULL;
    return window;
}

static int clamped(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

/* Copies scanlines [from, to) to the window, except for the area that the canvas draws, because items there would
 * flicker. Then draws the thin items. */
static void put_lines(struct pithi_paper *paper, int from, int to)
{
    /* The box that the canvas draws is cut to these scanlines. The picture is copied to the four areas around it:
     * above, left, right, below. */
    const struct pithi_area *rest = &paper->overlay.rest, lines = {0, from, paper->width, to};
    struct pithi_area over = {clamped(rest->left, 0, paper->width), clamped(rest->top, from, to),
                              clamped(rest->right, 0, paper->width), clamped(rest->bottom, from, to)};
    const struct pithi_area around[] = {{0, from, paper->width, over.top},
                                        {0, over.top, over.left, over.bottom},
                                        {over.right, over.top, paper->width, over.bottom},
                                        {0, over.bottom, paper->width, to}};

    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        put(paper, Tk_WindowId(paper->straight), &around[i], around[i].left, around[i].top);
    pithi_overlay_draw(paper->interp, &paper->overlay, paper->straight, &lines);
}

uint32_t *pithi_paper_begin(struct pithi_paper *paper, int width, int height)
{
    if (!paper->words || width != paper->width || height != paper->height) {
        drop_pixels(paper);
        paper->width = width;
        paper->height = height;
        paper->sized = 0;
        /* If the server refuses shared memory, `shared` stays NULL, and the picture is sent. */
        if (paper->way == SHARED)
            paper->shared = pithi_shared_new(paper->window, width, height);
        if (paper->shared)
            paper->words = (uint32_t *)(void *)pithi_shared_data(paper->shared);
        else
            paper->words = pithi_alloc((size_t)width * (size_t)height, sizeof *paper->words);
        if (!paper->shared)
            paper->server = pithi_server_pixels_new(paper->window, width, height);
    } else if (paper->under_way) {
        /* Waits until the server has read the last picture, because the caller now paints over its words. */
        XSync(Tk_Display(paper->window), False);
    }
    paper->under_way = 0;
    paper->sent = 0;
    /* Nothing is drawn directly until Tk knows the size of the picture, because the canvas still shows an old picture
     * of another size. */
    paper->straight = paper->sized ? straight_window(paper) : NULL;
    if (paper->straight && !pithi_overlay_find(paper->interp, paper->canvas, paper->others, &paper->overlay))
        paper->straight = NULL;
    return paper->words;
}

void pithi_paper_ready(struct pithi_paper *paper, int end)
{
    if (!paper->straight || !paper->shared || end - paper->sent < paper->height / PARTS)
        return;
    /* Waits until the X server has copied the previous part. Otherwise, on a machine with few cores, the painting
     * threads would use all of them, and the X server would begin to copy only after the painting, while Tk waits for
     * the server. */
    if (paper->under_way)
        XSync(Tk_Display(paper->window), False);
    put_lines(paper, paper->sent, end);
    XFlush(Tk_Display(paper->window));
    paper->sent = end;
}

void pithi_paper_end(struct pithi_paper *paper, int moved)
{
    /* Sends the picture. The server shifts its copy of the last picture by `moved` columns, and gets only the new
     * pixels.
     */
    if (paper->server)
        pithi_server_pixels_update(paper->server, paper->words, paper->gc, moved);
    if (paper->straight) {
        put_lines(paper, paper->sent, paper->height);
        const struct pithi_area *over = &paper->overlay.rest;
        if (over->right > over->left)
            Tk_ImageChanged(paper->master, over->left, over->top, over->right - over->left, over->bottom - over->top,
                            paper->width, paper->height);
        pithi_overlay_free(&paper->overlay);
        /* If nothing was drawn directly, Tk draws the picture when it is idle, by display_paper. */
    } else {
        Tk_ImageChanged(paper->master, 0, 0, paper->width, paper->height, paper->width, paper->height);
    }
    paper->sized = 1;
}

/* ---- For Tk ------------------------------------------------------------------------------------------------------ */

static ClientData get_instance(Tk_Window window, ClientData data)
{
    (void)window;
    return data;
}

static void free_instance(ClientData data, Display *display) { (void)data, (void)display; }

static void display_paper(ClientData data, Display *display, Drawable drawable, int from_x, int from_y, int width,
                          int height, int x, int y)
{
    struct pithi_paper *paper = data;

    (void)display;
    if (paper->words)
        put(paper, drawable, &(struct pithi_area){from_x, from_y, from_x + width, from_y + height}, x, y);
}

static void forget_canvas(struct pithi_paper *paper)
{
    if (paper->canvas) {
        Tcl_DecrRefCount(paper->canvas);
        Tcl_DecrRefCount(paper->others);
    }
}

static void delete_paper(ClientData data)
{
    struct pithi_paper *paper = data;

    /* Deleting the image deletes its command, and deleting the command deletes the image. `command` is set to NULL
     * before the command is deleted, so that the two do not call each other again. */
    if (paper->command) {
        Tcl_Command command = paper->command;
        paper->command = NULL;
        Tcl_DeleteCommandFromToken(paper->interp, command);
    }
    drop_pixels(paper);
    forget_canvas(paper);
    Tk_FreeGC(Tk_Display(paper->window), paper->gc);
    free(paper);
}

/* Tcl calls this after the command was deleted. Deletes the image, unless it is being deleted already. */
static void command_gone(ClientData data)
{
    struct pithi_paper *paper = data;

    if (paper->command) {
        paper->command = NULL;
        Tk_DeleteImage(paper->interp, Tk_NameOfImage(paper->master));
    }
}

/* ---- The image's command ----------------------------------------------------------------------------------------- */

static int image_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_paper *paper = data;

    if (objc == 4 && strcmp(Tcl_GetString(objv[1]), "get") == 0) {
        Tcl_Obj *list = Tcl_NewListObj(0, NULL);
        int x, y;
        if (Tcl_GetIntFromObj(interp, objv[2], &x) != TCL_OK || Tcl_GetIntFromObj(interp, objv[3], &y) != TCL_OK)
            return TCL_ERROR;
        if (!paper->words || x < 0 || y < 0 || x >= paper->width || y >= paper->height) {
            Tcl_SetObjResult(interp, Tcl_NewStringObj("no such place in the picture", -1));
            return TCL_ERROR;
        }
        /* Appends red, green and blue, the bytes of the word 0x00RRGGBB from the left. */
        for (int shift = 16; shift >= 0; shift -= 8)
            Tcl_ListObjAppendElement(
                NULL, list,
                Tcl_NewIntObj((int)(paper->words[(size_t)y * (size_t)paper->width + (size_t)x] >> shift & 255)));
        Tcl_SetObjResult(interp, list);
        return TCL_OK;
    }
    if (objc == 3 && strcmp(Tcl_GetString(objv[1]), "copy") == 0) {
        Tk_PhotoHandle photo = Tk_FindPhoto(interp, Tcl_GetString(objv[2]));
        size_t count = (size_t)paper->width * (size_t)paper->height;
        unsigned char *bytes = pithi_alloc(count, 3);
        Tk_PhotoImageBlock block = {.pixelPtr = bytes,
                                    .width = paper->width,
                                    .height = paper->height,
                                    .pitch = paper->width * 3,
                                    .pixelSize = 3,
                                    .offset = {0, 1, 2, 3}};
        int status = TCL_ERROR;
        for (size_t i = 0; i < count; i++)
            for (size_t part = 0; part < 3; part++)
                bytes[3 * i + part] = (unsigned char)(paper->words[i] >> (16 - 8 * part));
        if (!photo)
            Tcl_SetObjResult(interp, Tcl_ObjPrintf("no such photo: %s", Tcl_GetString(objv[2])));
        else if (Tk_PhotoSetSize(interp, photo, paper->width, paper->height) == TCL_OK)
            status = Tk_PhotoPutBlock(interp, photo, &block, 0, 0, paper->width, paper->height, TK_PHOTO_COMPOSITE_SET);
        free(bytes);
        return status;
    }
    if (objc == 4 && strcmp(Tcl_GetString(objv[1]), "straight") == 0) {
        if (!Tk_NameToWindow(interp, Tcl_GetString(objv[2]), paper->window))
            return TCL_ERROR;
        forget_canvas(paper);
        paper->canvas = objv[2];
        /* A tag expression for all items of the canvas that do not have the tag of the picture. */
        paper->others = Tcl_ObjPrintf("!%s", Tcl_GetString(objv[3]));
        Tcl_IncrRefCount(paper->canvas);
        Tcl_IncrRefCount(paper->others);
        return TCL_OK;
    }
    Tcl_WrongNumArgs(interp, 1, objv, "get x y | copy photo | straight canvas tag");
    return TCL_ERROR;
}

static int create_paper(Tcl_Interp *interp, const char *name, Tcl_Size objc, Tcl_Obj *const objv[],
                        const Tk_ImageType *type, Tk_ImageMaster master, ClientData *data)
{
    /* Switches off GraphicsExpose events for copies, because nothing reads them. */
    XGCValues values = {.graphics_exposures = False};
    struct pithi_paper *paper;
    int way = SENT;

    (void)type;
    if (objc && (objc != 2 || strcmp(Tcl_GetString(objv[0]), "-way") != 0)) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("options: -way shared or sent", -1));
        return TCL_ERROR;
    }
    if (objc && Tcl_GetIndexFromObj(interp, objv[1], way_names, "way", 0, &way) != TCL_OK)
        return TCL_ERROR;
    paper = pithi_alloc(1, sizeof *paper);
    paper->master = master;
    paper->interp = interp;
    paper->window = Tk_MainWindow(interp);
    paper->way = (enum way)way;
    Tk_MakeWindowExist(paper->window);
    paper->gc = Tk_GetGC(paper->window, GCGraphicsExposures, &values);
    paper->command = Tcl_CreateObjCommand(interp, name, image_command, paper, command_gone);
    *data = paper;
    return TCL_OK;
}

struct pithi_paper *pithi_paper_find(Tcl_Interp *interp, const char *name)
{
    Tcl_CmdInfo info;
    return Tcl_GetCommandInfo(interp, name, &info) && info.objProc == image_command ? info.objClientData : NULL;
}

void pithi_paper_init(void)
{
    static Tk_ImageType type = {.name = "pithpaper",
                                .createProc = create_paper,
                                .getProc = get_instance,
                                .displayProc = display_paper,
                                .freeProc = free_instance,
                                .deleteProc = delete_paper};
    Tk_CreateImageType(&type);
}

/* ---- Available transports ---------------------------------------------------------------------------------------- */

/* Returns 1 if pixels of the display are 32-bit words 0xRRGGBB, as the painter makes them. Other displays (16 bits,
 * other orders of bytes) need a photo. */
static int is_plain(Tk_Window window)
{
    const Visual *visual = Tk_Visual(window);
    XImage *image;
    int plain = 0;

    if (Tk_Depth(window) < 24 || visual->red_mask != 0xff0000 || visual->green_mask != 0xff00 ||
        visual->blue_mask != 0xff)
        return 0;
    image =
        XCreateImage(Tk_Display(window), Tk_Visual(window), (unsigned)Tk_Depth(window), ZPixmap, 0, NULL, 8, 8, 32, 0);
    /* Makes an XImage only to learn how many bits a pixel takes: with a depth of 24 bits, 3 or 4 bytes. */
    if (image) {
        plain = image->bits_per_pixel == 32;
        XDestroyImage(image);
    }
    return plain;
}

int pithi_paper_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window;
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    (void)objc;
    window = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));
    if (!window)
        return TCL_ERROR;
    Tk_MakeWindowExist(window);
    if (is_plain(window) && pithi_shared_known(window))
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj("shared", -1));
    if (is_plain(window))
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj("sent", -1));
    Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj("photo", -1));
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}
