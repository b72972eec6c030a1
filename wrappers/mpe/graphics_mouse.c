/* graphics_mouse.c - mouse presses and dragged regions.
 *
 * X reports the mouse presses in a window to only one connection, that of the first rank that asks for them. A rank in
 * MPE_Get_mouse_press stops asking when this function returns. A rank that polls (MPE_Iget_mouse_press) does not stop
 * asking, so that it loses no press.
 */
#include "x_window.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

#define MOUSE_EVENTS (ButtonPressMask | ButtonReleaseMask | ButtonMotionMask)

/* Asks X to report the window's presses. Returns 1 if X reports them to this connection; 0 if it reports them to
 * another one. */
static int start_listening(struct MPE_XGraph_ *window)
{
    if (!window->is_listening) {
        pithi_x_errors_begin(window);
        window->x->SelectInput(window->display, window->window, MOUSE_EVENTS);
        window->is_listening = !pithi_x_errors_caught(window);
    }
    return window->is_listening;
}

static void stop_listening(struct MPE_XGraph_ *window)
{
    window->x->SelectInput(window->display, window->window, NoEventMask);
    window->x->Flush(window->display);
    window->is_listening = 0;
}

/* Waits for an event in `mask`, without holding the lock while it waits. Then locks and returns the window. Returns
 * NULL if the window was closed. */
static struct MPE_XGraph_ *wait_event(MPE_XGraph handle, long mask, XEvent *event)
{
    struct MPE_XGraph_ *window;

    while ((window = pithi_window_begin(handle))) {
        if (start_listening(window) && window->x->CheckWindowEvent(window->display, window->window, mask, event))
            break;
        struct pollfd connection = {.fd = ConnectionNumber(window->display), .events = POLLIN};
        pithi_window_end(window, 0);
        poll(&connection, 1, 20);
    }
    return window;
}

/* Stores the results in the variables at `places`, and returns the return code for the program. In a collective window,
 * all ranks get rank 0's results and return code. */
static int share_results(MPE_XGraph handle, int result, int count, const int values[], int *const places[])
{
    int all[5] = {result};

    for (int i = 0; i < count; i++)
        all[i + 1] = result == MPE_SUCCESS ? values[i] : 0;
    pithi_window_share(handle, count + 1, all);
    for (int i = 0; i < count; i++)
        *places[i] = all[i + 1];
    return all[0];
}

/* Returns 1 if rank 0 reads the mouse for this rank, that is, if the window is collective and this rank is not rank
 * 0. */
static int is_reader_elsewhere(MPE_XGraph handle)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);
    int is_elsewhere = window && !window->display;

    if (window)
        pithi_window_end(window, 0);
    return is_elsewhere;
}

int MPE_Get_mouse_press(MPE_XGraph handle, int *x, int *y, int *button)
{
    struct MPE_XGraph_ *window = NULL;
    XEvent event = {0};

    if (!x || !y || !button)
        return MPE_ERR_BAD_ARGS;
    if (!is_reader_elsewhere(handle) && (window = wait_event(handle, ButtonPressMask, &event))) {
        stop_listening(window);
        pithi_window_end(window, 0);
    }
    return share_results(handle, window ? MPE_SUCCESS : MPE_ERR_NOXCONNECT, 3,
                         (int[]){event.xbutton.x, event.xbutton.y, (int)event.xbutton.button}, (int *[]){x, y, button});
}

int MPE_Iget_mouse_press(MPE_XGraph handle, int *x, int *y, int *button, int *was_pressed)
{
    struct MPE_XGraph_ *window;
    XEvent event = {0};
    int is_open, pressed = 0;

    if (!x || !y || !button || !was_pressed)
        return MPE_ERR_BAD_ARGS;
    is_open = (window = pithi_window_begin(handle)) != NULL;
    if (window) {
        if (window->display && start_listening(window))
            pressed = window->x->CheckWindowEvent(window->display, window->window, ButtonPressMask, &event);
        pithi_window_end(window, 0);
    }
    return share_results(handle, is_open ? MPE_SUCCESS : MPE_ERR_NOXCONNECT, 4,
                         (int[]){event.xbutton.x, event.xbutton.y, (int)event.xbutton.button, pressed != 0},
                         (int *[]){x, y, button, was_pressed});
}

/* ---- Regions ----------------------------------------------------------------------------------------------------- */

struct drag {
    int visual;         /* how the region is shown while the user drags */
    double ratio;       /* width / height; 0: any ratio */
    int x1, y1, x2, y2; /* x1, y1: where the button was pressed; x2, y2: where the mouse is now */
};

/* Exchanges *low and *high if *low is the larger one. */
static void order(int *low, int *high)
{
    int value = *low;

    if (*low > *high)
        *low = *high, *high = value;
}

/* Draws the shape by inverting its pixels, so that a second call removes the shape from the window. */
static void invert_shape(const struct MPE_XGraph_ *window, const struct drag *drag)
{
    int x1 = drag->x1, y1 = drag->y1, x2 = drag->x2, y2 = drag->y2, radius;

    if (drag->visual == MPE_DRAG_NONE)
        return;
    if (drag->visual == MPE_DRAG_LINE) {
        window->x->DrawLine(window->display, window->window, window->drag_gc, x1, y1, x2, y2);
        return;
    }
    if (drag->visual == MPE_DRAG_CIRCLE_RADIUS || drag->visual == MPE_DRAG_CIRCLE_DIAMETER) {
        radius = (int)hypot(x2 - x1, y2 - y1);
        if (drag->visual == MPE_DRAG_CIRCLE_DIAMETER)
            x1 = (x1 + x2) / 2, y1 = (y1 + y2) / 2, radius /= 2;
        x2 = x1 + radius, y2 = y1 + radius, x1 -= radius, y1 -= radius;
    }
    order(&x1, &x2);
    order(&y1, &y2);
    if (drag->visual == MPE_DRAG_RECT || drag->visual == MPE_DRAG_SQUARE)
        window->x->DrawRectangle(window->display, window->window, window->drag_gc, x1, y1, (unsigned)(x2 - x1),
                                 (unsigned)(y2 - y1));
    else
        window->x->DrawArc(window->display, window->window, window->drag_gc, x1, y1, (unsigned)(x2 - x1),
                           (unsigned)(y2 - y1), 0, 360 * 64);
}

/* Follows the mouse from the press of the button to its release. Returns 0 if the window was closed meanwhile. Motion
 * events and button events have x and y at the same offsets, so this function reads `xbutton` for motion events,
 * too. */
static int follow(MPE_XGraph handle, unsigned button, struct drag *drag)
{
    struct MPE_XGraph_ *window;
    XEvent event;

    do {
        if (!(window = wait_event(handle, ButtonPressMask, &event)))
            return 0;
        pithi_window_end(window, 0);
    } while (event.xbutton.button != button);
    drag->x1 = drag->x2 = event.xbutton.x;
    drag->y1 = drag->y2 = event.xbutton.y;
    for (int is_shown = 0;; is_shown = 1) {
        if (!(window = wait_event(handle, ButtonReleaseMask | ButtonMotionMask, &event)))
            return 0;
        int is_end = event.type == ButtonRelease && event.xbutton.button == button;
        if (is_shown)
            invert_shape(window, drag);
        /* Moves the second point to the mouse pointer. If the shape is a square, a circle or a box of a given ratio, it
         * is made just large enough to contain the pointer. */
        double ratio = drag->ratio;
        int width = abs(event.xbutton.x - drag->x1), height = abs(event.xbutton.y - drag->y1);

        if (drag->visual == MPE_DRAG_SQUARE || drag->visual == MPE_DRAG_CIRCLE_BBOX)
            ratio = 1;
        if (ratio > 0 && width < height * ratio)
            width = (int)(height * ratio + 0.5);
        else if (ratio > 0)
            height = (int)(width / ratio + 0.5);
        drag->x2 = drag->x1 + (event.xbutton.x < drag->x1 ? -width : width);
        drag->y2 = drag->y1 + (event.xbutton.y < drag->y1 ? -height : height);
        if (is_end)
            break;
        invert_shape(window, drag);
        window->x->Flush(window->display);
        pithi_window_end(window, 0);
    }
    stop_listening(window);
    pithi_window_end(window, 0);
    if (drag->visual == MPE_DRAG_RECT || drag->visual == MPE_DRAG_SQUARE || drag->visual == MPE_DRAG_OVAL_BBOX ||
        drag->visual == MPE_DRAG_CIRCLE_BBOX) {
        order(&drag->x1, &drag->x2);
        order(&drag->y1, &drag->y2);
    }
    return 1;
}

static int get_region(MPE_XGraph handle, int button, struct drag drag, int *const places[4])
{
    int is_open = 0;

    for (int i = 0; i < 4; i++)
        if (!places[i])
            return MPE_ERR_BAD_ARGS;
    if (button < 1 || button > 5 || drag.visual < MPE_DRAG_NONE || drag.visual > MPE_DRAG_SQUARE || !(drag.ratio >= 0))
        return MPE_ERR_BAD_ARGS;
    if (!is_reader_elsewhere(handle))
        is_open = follow(handle, (unsigned)button, &drag);
    return share_results(handle, is_open ? MPE_SUCCESS : MPE_ERR_NOXCONNECT, 4,
                         (int[]){drag.x1, drag.y1, drag.x2, drag.y2}, places);
}

int MPE_Get_drag_region(MPE_XGraph handle, int button, int visual, int *x1, int *y1, int *x2, int *y2)
{
    return get_region(handle, button, (struct drag){.visual = visual}, (int *[]){x1, y1, x2, y2});
}

int MPE_Get_drag_region_fixratio(MPE_XGraph handle, int button, double ratio, int *x1, int *y1, int *x2, int *y2)
{
    return get_region(handle, button, (struct drag){.visual = MPE_DRAG_RECT, .ratio = ratio},
                      (int *[]){x1, y1, x2, y2});
}
