/* grab.c - `pithtk::grab WINDOW PHOTO`: what a window shows now, from the X server into a photo. */
#include <string.h>

#include <X11/Xutil.h>

#include "core/memory.h"
#include "tk/grab.h"

static int shift_of(unsigned long mask) { return mask ? __builtin_ctzl(mask) : 0; }

/* Only true colour visuals of 8 bits a channel: what every display has had for long. */
static void read_pixels(XImage *image, unsigned char *out)
{
    int red = shift_of(image->red_mask), green = shift_of(image->green_mask), blue = shift_of(image->blue_mask);

    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++, out += 3) {
            unsigned long pixel = XGetPixel(image, x, y);
            out[0] = (unsigned char)(pixel >> red);
            out[1] = (unsigned char)(pixel >> green);
            out[2] = (unsigned char)(pixel >> blue);
        }
}

static int put_image(Tcl_Interp *interp, Tk_PhotoHandle photo, XImage *image)
{
    unsigned char *pixels = pithi_alloc((size_t)image->width * (size_t)image->height, 3);
    Tk_PhotoImageBlock block = {.pixelPtr = pixels,
                                .width = image->width,
                                .height = image->height,
                                .pitch = image->width * 3,
                                .pixelSize = 3,
                                .offset = {0, 1, 2, 3}};
    int status;

    read_pixels(image, pixels);
    status = Tk_PhotoSetSize(interp, photo, image->width, image->height);
    if (status == TCL_OK)
        status = Tk_PhotoPutBlock(interp, photo, &block, 0, 0, image->width, image->height, TK_PHOTO_COMPOSITE_SET);
    free(pixels);
    return status;
}

int pithi_grab_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    Tk_Window window;
    Tk_PhotoHandle photo;
    Tk_ErrorHandler handler;
    XImage *image;
    int status;

    (void)data;
    if (objc != 3) {
        Tcl_WrongNumArgs(interp, 1, objv, "window photo");
        return TCL_ERROR;
    }
    window = Tk_NameToWindow(interp, Tcl_GetString(objv[1]), Tk_MainWindow(interp));
    photo = Tk_FindPhoto(interp, Tcl_GetString(objv[2]));
    if (!window || !photo || !Tk_IsMapped(window)) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("no such window on the screen, or no such photo", -1));
        return TCL_ERROR;
    }
    /* Partly outside of the screen, or just becoming smaller: an error, not the end. */
    handler = Tk_CreateErrorHandler(Tk_Display(window), BadMatch, -1, -1, NULL, NULL);
    image = XGetImage(Tk_Display(window), Tk_WindowId(window), 0, 0, (unsigned)Tk_Width(window),
                      (unsigned)Tk_Height(window), AllPlanes, ZPixmap);
    Tk_DeleteErrorHandler(handler);
    if (!image || !image->red_mask) {
        Tcl_SetObjResult(interp, Tcl_NewStringObj("the display does not give its picture", -1));
        return TCL_ERROR;
    }
    status = put_image(interp, photo, image);
    XDestroyImage(image);
    return status;
}
