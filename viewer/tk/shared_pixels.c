/* shared_pixels.c - a picture in memory shared with the X server, by MIT-SHM. The server copies pixels from this memory
 * to the window by itself, so for a picture of 2.4 MB only a short request is sent. This works only if viewer and
 * server are on the same machine.
 *
 * The shared memory is a segment of System V. It is marked for removal as soon as viewer and server have attached it.
 * So the system removes the segment when both have ended, even if the viewer is killed. Without the mark, the segment
 * of a killed viewer would stay until the next boot, and the number of segments is limited. */
#include "tk/paper_parts.h"

#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>

#include "core/cells/memory.h"

struct pithi_shared {
    Display *display;
    XShmSegmentInfo segment;
    XImage *image;
};

static int note_error(ClientData data, XErrorEvent *event)
{
    (void)event;
    *(int *)data = 1;
    return 0;
}

/* Makes the server attach the segment. Returns 0 if this fails, as it does on a remote display. A remote display may
 * have the extension, too, so only an attempt shows whether sharing works. */
static int attach(struct pithi_shared *shared)
{
    int failed = 0;
    Tk_ErrorHandler handler = Tk_CreateErrorHandler(shared->display, -1, -1, -1, note_error, &failed);

    XShmAttach(shared->display, &shared->segment);
    XSync(shared->display, False);
    Tk_DeleteErrorHandler(handler);
    return !failed;
}

struct pithi_shared *pithi_shared_new(Tk_Window window, int width, int height)
{
    struct pithi_shared *shared = pithi_alloc(1, sizeof *shared);
    XImage *image;

    shared->display = Tk_Display(window);
    image = shared->image = XShmCreateImage(shared->display, Tk_Visual(window), (unsigned)Tk_Depth(window), ZPixmap,
                                            NULL, &shared->segment, (unsigned)width, (unsigned)height);
    shared->segment.shmid = -1;
    if (image && image->bits_per_pixel == 32 && image->bytes_per_line == width * 4)
        shared->segment.shmid = shmget(IPC_PRIVATE, (size_t)width * (size_t)height * 4, IPC_CREAT | 0600);
    if (shared->segment.shmid >= 0) {
        shared->segment.shmaddr = image->data = shmat(shared->segment.shmid, NULL, 0);
        if (image->data != (char *)-1 && attach(shared)) {
            shmctl(shared->segment.shmid, IPC_RMID, NULL); /* the segment is freed when the last process detaches */
            return shared;
        }
        if (image->data != (char *)-1)
            shmdt(image->data);
        shmctl(shared->segment.shmid, IPC_RMID, NULL);
    }
    if (image) {
        image->data = NULL;
        XDestroyImage(image);
    }
    free(shared);
    return NULL;
}

void pithi_shared_free(struct pithi_shared *shared)
{
    if (!shared)
        return;
    XShmDetach(shared->display, &shared->segment);
    XSync(shared->display, False);
    shmdt(shared->segment.shmaddr);
    shared->image->data = NULL;
    XDestroyImage(shared->image);
    free(shared);
}

int pithi_shared_known(Tk_Window window)
{
    struct pithi_shared *shared;

    if (!XShmQueryExtension(Tk_Display(window)))
        return 0;
    shared = pithi_shared_new(window, 1, 1);
    pithi_shared_free(shared);
    return shared != NULL;
}

char *pithi_shared_data(struct pithi_shared *shared) { return shared->image->data; }

void pithi_shared_put(struct pithi_shared *shared, Drawable to, GC gc, int from_x, int from_y, int x, int y,
                      unsigned width, unsigned height)
{
    XShmPutImage(shared->display, to, gc, shared->image, from_x, from_y, x, y, width, height, False);
}
