/* graphics.c - opening, closing and drawing for mpe_graphics.h.
 *
 * Every rank has a connection to the display of its own, and draws in rank 0's window by its number: X lets any client
 * draw in any window. So no pixel travels through MPI. The server keeps what is hidden (backing store).
 *
 * On an error libX11 ends the process unless a handler prevents it. Handlers are global to the process, so ours pass on
 * errors of other connections to the previous handler. A broken connection only closes the window.
 */
#include "mpe_comm.h"
#include "real.h"
#include "x_window.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int MPE_logicArray[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
int MPE_buttonArray[5] = {MPE_BUTTON1, MPE_BUTTON2, MPE_BUTTON3, MPE_BUTTON4, MPE_BUTTON5};

/* In the order of MPE_Color. */
static const char *const colour_names[] = {"white", "black",   "red",         "yellow",       "green",  "cyan",
                                           "blue",  "magenta", "aquamarine2", "forest green", "orange", "maroon",
                                           "brown", "pink",    "coral",       "gray"};
#define NAMED ((int)(sizeof colour_names / sizeof *colour_names))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct MPE_XGraph_ *windows;
static XErrorHandler handler_before;
static int caught;

/* ---- Errors of X ------------------------------------------------------------------------------------------------- */

/* Called within functions of libX11, with the lock held by this thread where the connection is ours. */
static int on_error(Display *display, XErrorEvent *event)
{
    for (struct MPE_XGraph_ *window = windows; window; window = window->next)
        if (window->display == display)
            return caught = event->error_code, 0;
    return handler_before ? handler_before(display, event) : 0;
}

static void on_broken(Display *display, void *window)
{
    (void)display;
    ((struct MPE_XGraph_ *)window)->is_broken = 1;
}

void pithi_x_errors_begin(struct MPE_XGraph_ *window)
{
    window->x->Sync(window->display, False);
    caught = 0;
}

int pithi_x_errors_caught(struct MPE_XGraph_ *window)
{
    window->x->Sync(window->display, False);
    return caught;
}

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

struct MPE_XGraph_ *pithi_window_begin(MPE_XGraph handle)
{
    struct MPE_XGraph_ *window;

    pthread_mutex_lock(&lock);
    for (window = windows; window && window != handle; window = window->next)
        ;
    if (window && !window->is_broken)
        return window;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int pithi_window_end(struct MPE_XGraph_ *window, int result)
{
    if (window->is_broken)
        result = MPE_ERR_NOXCONNECT;
    pthread_mutex_unlock(&lock);
    return result;
}

void pithi_window_share(MPE_XGraph handle, int count, int values[])
{
    MPI_Comm comm = MPI_COMM_NULL;

    pthread_mutex_lock(&lock);
    for (struct MPE_XGraph_ *window = windows; window; window = window->next)
        if (window == handle)
            comm = window->comm; /* also of a broken one: the other ranks wait */
    pthread_mutex_unlock(&lock);
    if (comm != MPI_COMM_NULL)
        REAL(MPI_Bcast)(values, count, MPI_INT, 0, comm);
}

/* With the lock held. What X keeps for the connection goes with it; a broken one must not be used again. */
static void let_go(struct MPE_XGraph_ *window)
{
    struct MPE_XGraph_ **link = &windows;

    while (*link && *link != window)
        link = &(*link)->next;
    if (*link)
        *link = window->next;
    if (window->display && !window->is_broken)
        window->x->CloseDisplay(window->display);
    free(window->capture_name);
    free(window->pixels);
    free(window);
}

/* ---- Colours ----------------------------------------------------------------------------------------------------- */

/* The colour's number, or -1: no memory, or the display has no such colour left. */
static int add_colour(struct MPE_XGraph_ *window, int at, XColor *colour)
{
    unsigned long *pixels = window->pixels;

    if (window->display &&
        !window->x->AllocColor(window->display, DefaultColormap(window->display, DefaultScreen(window->display)),
                               colour))
        return -1;
    if (at >= window->colours) {
        if (!(pixels = realloc(pixels, ((size_t)at + 1) * sizeof *pixels)))
            return -1;
        window->pixels = pixels;
        window->colours = at + 1;
    }
    pixels[at] = colour->pixel;
    return at;
}

static int add_named(struct MPE_XGraph_ *window, int at)
{
    XColor colour = {0}, exact;

    if (window->display)
        window->x->AllocNamedColor(window->display, DefaultColormap(window->display, DefaultScreen(window->display)),
                                   colour_names[at], &colour, &exact);
    return add_colour(window, at, &colour);
}

int MPE_Num_colors(MPE_XGraph handle, int *count)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (count)
        *count = window ? window->colours : 0;
    if (!window)
        return count ? MPE_ERR_NOXCONNECT : MPE_ERR_BAD_ARGS;
    return pithi_window_end(window, count ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

/* A full, bright colour; the hue goes from 0, red, through green and blue to 1, red again. */
static void rainbow(double hue, XColor *colour)
{
    double place = hue * 6, rest = place - (int)place;
    unsigned short up = (unsigned short)(65535 * rest), down = (unsigned short)(65535 - up), full = 65535;
    const unsigned short parts[6][3] = {{full, up, 0},   {down, full, 0}, {0, full, up},
                                        {0, down, full}, {up, 0, full},   {full, 0, down}};
    const unsigned short *part = parts[(int)place % 6];

    colour->red = part[0], colour->green = part[1], colour->blue = part[2];
}

int MPE_Make_color_array(MPE_XGraph handle, int count, MPE_Color colours[])
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);
    int result = !colours || count < 0 ? MPE_ERR_BAD_ARGS : window ? MPE_SUCCESS : MPE_ERR_NOXCONNECT;

    for (int i = 0; colours && i < count; i++) {
        XColor colour = {0};
        int at = -1;
        rainbow((double)i / count, &colour);
        if (result == MPE_SUCCESS && (at = add_colour(window, MPE_RED + i, &colour)) < 0)
            result = MPE_ERR_LOW_MEM;
        colours[i] = at < 0 ? MPE_WHITE : (MPE_Color)at;
    }
    return window ? pithi_window_end(window, result) : result;
}

int MPE_Add_RGB_color(MPE_XGraph handle, int red, int green, int blue, MPE_Color *colour)
{
    XColor wanted = {.red = (unsigned short)red, .green = (unsigned short)green, .blue = (unsigned short)blue};
    struct MPE_XGraph_ *window;
    int at = -1;

    if (!colour)
        return MPE_ERR_BAD_ARGS;
    *colour = MPE_WHITE;
    if ((red | green | blue) & ~0xffff)
        return MPE_ERR_BAD_ARGS;
    if (!(window = pithi_window_begin(handle)))
        return MPE_ERR_NOXCONNECT;
    if ((at = add_colour(window, window->colours, &wanted)) >= 0)
        *colour = (MPE_Color)at;
    return pithi_window_end(window, at < 0 ? MPE_ERR_LOW_MEM : MPE_SUCCESS);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

/* What rank 0 tells the other ranks. */
struct invitation {
    uint64_t window;
    int32_t is_open;
    char host[256], display[256];
};

/* A display of rank 0's machine is another name elsewhere. */
static void display_of(const struct invitation *invitation, char *name, size_t size)
{
    const char *display = invitation->display;
    char host[sizeof invitation->host] = "";

    gethostname(host, sizeof host - 1);
    if (!strncmp(display, "unix:", 5))
        display += 4;
    if (*display == ':' && strcmp(host, invitation->host) != 0)
        snprintf(name, size, "%s%s", invitation->host, display);
    else
        snprintf(name, size, "%s", display);
}

/* Connects, with what each rank needs for itself to draw in the window. 0: no connection, and a line says why. */
static int connect_to(struct MPE_XGraph_ *window, const char *name)
{
    const char *why;

    if (!(window->x = pithi_x_load(&why)))
        return fprintf(stderr, "pith: MPE_Open_graphics: %s is not here; the program runs without a window\n", why), 0;
    if (!*name)
        return fprintf(stderr, "pith: MPE_Open_graphics: DISPLAY is not set; the program runs without a window\n"), 0;
    if (!(window->display = window->x->OpenDisplay(name)))
        return fprintf(stderr,
                       "pith: MPE_Open_graphics: cannot connect to display %s; the program runs without a window\n",
                       name),
               0;
    if (window->x->SetIOErrorExitHandler)
        window->x->SetIOErrorExitHandler(window->display, on_broken, window);
    XErrorHandler before = window->x->SetErrorHandler(on_error);
    if (before != on_error)
        handler_before = before;
    return 1;
}

/* Waits until the window is there for all to draw in; a window manager may take its time, or never map it. */
static void await_map(struct MPE_XGraph_ *window)
{
    struct pollfd connection = {.fd = ConnectionNumber(window->display), .events = POLLIN};
    XEvent event;

    for (int tries = 0; tries < 100; tries++) {
        if (window->x->CheckWindowEvent(window->display, window->window, ExposureMask, &event))
            break;
        poll(&connection, 1, 20);
    }
    window->x->SelectInput(window->display, window->window, NoEventMask);
}

static void make_window(struct MPE_XGraph_ *window, int x, int y, int w, int h)
{
    const struct pithi_x *X = window->x;
    Display *display = window->display;
    int is_placed = x >= 0 && y >= 0;
    XSetWindowAttributes wanted = {.background_pixel = WhitePixel(display, DefaultScreen(display)),
                                   .backing_store = Always,
                                   .event_mask = ExposureMask};
    XSizeHints hints = {.flags = PSize | (is_placed ? USPosition : 0), .x = x, .y = y, .width = w, .height = h};

    window->window = X->CreateWindow(display, DefaultRootWindow(display), is_placed ? x : 0, is_placed ? y : 0,
                                     (unsigned)w, (unsigned)h, 0, CopyFromParent, InputOutput, CopyFromParent,
                                     CWBackPixel | CWBackingStore | CWEventMask, &wanted);
    X->SetWMNormalHints(display, window->window, &hints);
    X->StoreName(display, window->window, program_invocation_short_name);
    /* Else a window manager's close button would break the connection. The program says when the window goes. */
    Atom protocol = X->InternAtom(display, "WM_DELETE_WINDOW", False);
    X->SetWMProtocols(display, window->window, &protocol, 1);
    X->MapRaised(display, window->window);
    await_map(window);
}

/* What each connection draws with. 0: the window is not there for us. */
static int equip(struct MPE_XGraph_ *window)
{
    XGCValues drag = {.function = GXinvert, .subwindow_mode = IncludeInferiors};
    XWindowAttributes attributes;

    for (int i = 0; i < NAMED; i++)
        if (add_named(window, i) < 0)
            return 0;
    if (!window->display)
        return 1;
    pithi_x_errors_begin(window);
    if (!window->x->GetWindowAttributes(window->display, window->window, &attributes))
        return 0;
    XGCValues white = {.background = WhitePixel(window->display, DefaultScreen(window->display)),
                       .graphics_exposures = 0};
    window->gc = window->x->CreateGC(window->display, window->window, GCBackground | GCGraphicsExposures, &white);
    window->drag_gc = window->x->CreateGC(window->display, window->window, GCFunction | GCSubwindowMode, &drag);
    return !pithi_x_errors_caught(window) && !window->is_broken;
}

/* A window in the list, not yet connected. NULL: no memory. */
static struct MPE_XGraph_ *new_window(void)
{
    struct MPE_XGraph_ *window = calloc(1, sizeof *window);

    if (!window)
        return NULL;
    window->comm = MPI_COMM_NULL;
    pthread_mutex_lock(&lock);
    window->next = windows;
    windows = window;
    pthread_mutex_unlock(&lock);
    return window;
}

/* Rank 0's part. What stands in *invitation goes to the other ranks. */
static int invite(struct MPE_XGraph_ *window, const char *display, const int place[4], struct invitation *invitation)
{
    const char *name = display && *display ? display : getenv("DISPLAY");

    snprintf(invitation->display, sizeof invitation->display, "%s", name ? name : "");
    gethostname(invitation->host, sizeof invitation->host - 1);
    pthread_mutex_lock(&lock);
    if (window && connect_to(window, invitation->display)) {
        make_window(window, place[0], place[1], place[2], place[3]);
        invitation->window = window->window;
        invitation->is_open = equip(window);
    }
    pthread_mutex_unlock(&lock);
    return invitation->is_open;
}

/* The part of the others. */
static int join(struct MPE_XGraph_ *window, const char *display, int is_collective, const struct invitation *invitation)
{
    char name[600];
    int is_open;

    if (!window || !invitation->is_open)
        return 0;
    if (display && *display)
        snprintf(name, sizeof name, "%s", display);
    else
        display_of(invitation, name, sizeof name);
    pthread_mutex_lock(&lock);
    window->window = (Window)invitation->window;
    is_open = (is_collective || connect_to(window, name)) && equip(window);
    pthread_mutex_unlock(&lock);
    return is_open;
}

int MPE_Open_graphics(MPE_XGraph *handle, MPI_Comm comm, const char *display, int x, int y, int w, int h,
                      int is_collective)
{
    struct MPE_XGraph_ *window;
    struct invitation invitation = {0};
    int rank = 0, has_job = pithi_mpe_rank(comm, &rank), is_open = 0, are_open;

    if (handle)
        *handle = NULL;
    if (!handle || w < 1 || h < 1 || w > 32767 || h > 32767)
        return MPE_ERR_BAD_ARGS;
    window = new_window();
    if (rank == 0)
        is_open = invite(window, display, (int[]){x, y, w, h}, &invitation);
    if (has_job)
        REAL(MPI_Bcast)(&invitation, sizeof invitation, MPI_BYTE, 0, comm);
    if (rank > 0)
        is_open = join(window, display, is_collective, &invitation);
    are_open = is_open;
    if (has_job)
        REAL(MPI_Allreduce)(&is_open, &are_open, 1, MPI_INT, MPI_MIN, comm);
    if (are_open && has_job && is_collective)
        REAL(MPI_Comm_dup)(comm, &window->comm);
    if (are_open) {
        *handle = window;
    } else if (window) {
        pthread_mutex_lock(&lock);
        let_go(window);
        pthread_mutex_unlock(&lock);
    }
    return are_open ? MPE_SUCCESS : MPE_ERR_NOXCONNECT;
}

int MPE_Close_graphics(MPE_XGraph *handle)
{
    struct MPE_XGraph_ *window;
    int result = MPE_ERR_NOXCONNECT;

    if (!handle)
        return MPE_ERR_BAD_ARGS;
    pthread_mutex_lock(&lock);
    for (window = windows; window && window != *handle; window = window->next)
        ;
    if (window) {
        MPI_Comm comm = window->comm;
        result = window->is_broken ? MPE_ERR_NOXCONNECT : MPE_SUCCESS;
        let_go(window);
        if (comm != MPI_COMM_NULL)
            REAL(MPI_Comm_free)(&comm);
    }
    pthread_mutex_unlock(&lock);
    *handle = NULL;
    return result;
}

int MPE_Update(MPE_XGraph handle)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (!window)
        return MPE_ERR_NOXCONNECT;
    if (window->display)
        window->x->Flush(window->display);
    if (window->capture_every > 0 && ++window->updates % window->capture_every == 0 && window->display)
        pithi_window_capture(window);
    return pithi_window_end(window, MPE_SUCCESS);
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

/* The window of a drawing call, ready for the colour; NULL: *result is what the call returns. */
static struct MPE_XGraph_ *begin_drawing(MPE_XGraph handle, MPE_Color colour, int *result)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    *result = MPE_ERR_NOXCONNECT;
    if (!window)
        return NULL;
    *result = (unsigned)colour < (unsigned)window->colours ? MPE_SUCCESS : MPE_ERR_BAD_ARGS;
    if (*result != MPE_SUCCESS || !window->display) {
        pithi_window_end(window, *result);
        return NULL;
    }
    window->x->SetForeground(window->display, window->gc, window->pixels[colour]);
    return window;
}

/* X's coordinates have 16 bits, and the server adds the window's place: what lies beyond must not come back in at the
 * other side. */
static short at(int coordinate)
{
    return (short)(coordinate < -16384 ? -16384 : coordinate > 16383 ? 16383 : coordinate);
}

static unsigned wide(int size) { return size < 0 ? 0 : size > 65535 ? 65535 : (unsigned)size; }

int MPE_Draw_points(MPE_XGraph handle, MPE_Point *points, int count)
{
    enum { MANY = 1024 };
    XPoint same[MANY];
    int result = pithi_window_begin(handle) ? MPE_SUCCESS : MPE_ERR_NOXCONNECT, used = 0;

    if (result != MPE_SUCCESS)
        return count > 0 && !points ? MPE_ERR_BAD_ARGS : result;
    if (count < 0 || (count > 0 && !points))
        return pithi_window_end(handle, MPE_ERR_BAD_ARGS);
    for (int i = 0; handle->display && i < count; i++) {
        if ((unsigned)points[i].c >= (unsigned)handle->colours) {
            result = MPE_ERR_BAD_ARGS;
            continue;
        }
        same[used++] = (XPoint){at(points[i].x), at(points[i].y)};
        if (used == MANY || i + 1 == count || points[i + 1].c != points[i].c) {
            handle->x->SetForeground(handle->display, handle->gc, handle->pixels[points[i].c]);
            handle->x->DrawPoints(handle->display, handle->window, handle->gc, same, used, CoordModeOrigin);
            used = 0;
        }
    }
    return pithi_window_end(handle, result);
}

int MPE_Draw_point(MPE_XGraph handle, int x, int y, MPE_Color colour)
{
    return MPE_Draw_points(handle, &(MPE_Point){x, y, colour}, 1);
}

int MPE_Draw_line(MPE_XGraph handle, int x1, int y1, int x2, int y2, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    window->x->DrawLine(window->display, window->window, window->gc, at(x1), at(y1), at(x2), at(y2));
    return pithi_window_end(window, result);
}

int MPE_Draw_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    window->x->DrawArc(window->display, window->window, window->gc, at(x - radius), at(y - radius), wide(2 * radius),
                       wide(2 * radius), 0, 360 * 64);
    return pithi_window_end(window, result);
}

int MPE_Fill_circle(MPE_XGraph handle, int x, int y, int radius, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    window->x->FillArc(window->display, window->window, window->gc, at(x - radius), at(y - radius), wide(2 * radius),
                       wide(2 * radius), 0, 360 * 64);
    return pithi_window_end(window, result);
}

int MPE_Draw_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    window->x->DrawRectangle(window->display, window->window, window->gc, at(x), at(y), wide(w), wide(h));
    return pithi_window_end(window, result);
}

int MPE_Fill_rectangle(MPE_XGraph handle, int x, int y, int w, int h, MPE_Color colour)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    window->x->FillRectangle(window->display, window->window, window->gc, at(x), at(y), wide(w), wide(h));
    return pithi_window_end(window, result);
}

int MPE_Draw_string(MPE_XGraph handle, int x, int y, MPE_Color colour, const char *text)
{
    int result;
    struct MPE_XGraph_ *window = begin_drawing(handle, colour, &result);

    if (!window)
        return result;
    if (text)
        window->x->DrawString(window->display, window->window, window->gc, at(x), at(y), text,
                              (int)strnlen(text, 4096));
    return pithi_window_end(window, text ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

/* A change of how this rank draws: `good` when the value is one that X knows. */
static int change(MPE_XGraph handle, int good, unsigned long mask, XGCValues values)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (!window)
        return MPE_ERR_NOXCONNECT;
    if (good && window->display)
        window->x->ChangeGC(window->display, window->gc, mask, &values);
    return pithi_window_end(window, good ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

int MPE_Draw_logic(MPE_XGraph handle, int logic)
{
    return change(handle, logic >= 0 && logic < 16, GCFunction, (XGCValues){.function = logic});
}

int MPE_Line_thickness(MPE_XGraph handle, int width)
{
    return change(handle, width >= 0 && width < 32768, GCLineWidth, (XGCValues){.line_width = width});
}

int MPE_Draw_dashes(MPE_XGraph handle, int style)
{
    return change(handle, style >= 0 && style < 3, GCLineStyle, (XGCValues){.line_style = style});
}

int MPE_Dash_offset(MPE_XGraph handle, int offset)
{
    return change(handle, offset >= 0 && offset < 32768, GCDashOffset, (XGCValues){.dash_offset = offset});
}

int MPE_Xerror(int code, const char *function)
{
    static const char *const meanings[] = {"no error", "no open window", "an argument is wrong",
                                           "no memory or no colour left"};

    fprintf(stderr, "pith: %s: %s\n", function ? function : "MPE graphics",
            code >= 0 && code < 4 ? meanings[code] : "unknown error");
    return code;
}
