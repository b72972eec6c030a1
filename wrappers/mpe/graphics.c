/* graphics.c - the windows of mpe_graphics.h: loading libX11, handling its errors, opening and closing windows,
 * colours.
 *
 * Every rank has a connection of its own to the display. X lets any client that knows a window's id draw in that
 * window. So all ranks draw in rank 0's window, and no pixels are sent by MPI. The X server keeps the contents of
 * hidden parts of the window (backing store).
 *
 * libX11 ends the process when an error occurs, unless a handler prevents that. There is only one handler for the whole
 * process, so libmpe's handler passes errors of other connections on to the previous handler. When a connection is
 * lost, only its window is closed.
 */
#include "base/say.h"
#include "mpe_internal.h"
#include "real.h"
#include "x_window.h"

#include <dlfcn.h>
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

/* X's names of the colours, in the order of MPE_Color. */
static const char *const colour_names[] = {"white", "black",   "red",         "yellow",       "green",  "cyan",
                                           "blue",  "magenta", "aquamarine2", "forest green", "orange", "maroon",
                                           "brown", "pink",    "coral",       "gray"};
#define NAMED_COLOURS ((int)(sizeof colour_names / sizeof *colour_names))

/* Held during all calls of libX11 and accesses to windows, because only one thread at a time may use a connection. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct MPE_XGraph_ *windows;  /* the list of all open windows; protected by the lock */
static XErrorHandler handler_before; /* the program's error handler, which gets the errors of other connections */
static int caught;                   /* the code of the last error; 0: no error since pithi_x_errors_begin */

/* ---- libX11 ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    size_t offset; /* where struct pithi_x has the function's address */
} x_functions[] = {
#define ROW(name) {"X" #name, offsetof(struct pithi_x, name)},
    PITHI_X_FUNCTIONS(ROW)
#undef ROW
};

static struct pithi_x x_library; /* filled by load_x */
static const char *missing;      /* the library or function that was not found */

static void find_x_function(void *handle, const char *name, size_t offset)
{
    void *function = dlsym(handle, name);

    memcpy((char *)&x_library + offset, &function, sizeof function);
    if (!function)
        missing = name;
}

static void load_x(void)
{
    void *handle = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        missing = "libX11.so.6";
        return;
    }
    find_x_function(handle, "XSetIOErrorExitHandler", offsetof(struct pithi_x, SetIOErrorExitHandler));
    missing = NULL; /* older versions of libX11 do not have this function, which is no error */
    for (size_t i = 0; i < sizeof x_functions / sizeof *x_functions; i++)
        find_x_function(handle, x_functions[i].name, x_functions[i].offset);
}

/* ---- Errors of X ------------------------------------------------------------------------------------------------- */

/* The error handler, which libX11 calls from within its functions. Notes an error of one of libmpe's connections; this
 * thread then holds the lock. Passes any other error on to the previous handler. */
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

/* Returns the open window of a handle; NULL if there is none. The program may pass any pointer as `handle`, so this
 * function compares the pointer with the open windows, but does not dereference it. */
static struct MPE_XGraph_ *find_window(MPE_XGraph handle)
{
    struct MPE_XGraph_ *window = windows;

    while (window && window != handle)
        window = window->next;
    return window;
}

struct MPE_XGraph_ *pithi_window_begin(MPE_XGraph handle)
{
    pthread_mutex_lock(&lock);
    struct MPE_XGraph_ *window = find_window(handle);
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
    const struct MPE_XGraph_ *window = find_window(handle);
    if (window)
        comm = window->comm; /* even if the connection is lost, because the other ranks wait in MPI_Bcast */
    pthread_mutex_unlock(&lock);
    if (comm != MPI_COMM_NULL)
        REAL(MPI_Bcast)(values, count, MPI_INT, 0, comm);
}

/* Closes the window's connection, which frees all X resources of the connection, and frees the window. A connection
 * that is lost must not be used, and so is not closed. The caller holds the lock. */
static void free_window(struct MPE_XGraph_ *window)
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

/* Allocates a colour and gives it the number `at`. Returns the number; -1 if there is no memory or the display has no
 * colours left. */
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

int MPE_Num_colors(MPE_XGraph handle, int *count)
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);

    if (count)
        *count = window ? window->colours : 0;
    if (!window)
        return count ? MPE_ERR_NOXCONNECT : MPE_ERR_BAD_ARGS;
    return pithi_window_end(window, count ? MPE_SUCCESS : MPE_ERR_BAD_ARGS);
}

int MPE_Make_color_array(MPE_XGraph handle, int count, MPE_Color colours[])
{
    struct MPE_XGraph_ *window = pithi_window_begin(handle);
    int result = !colours || count < 0 ? MPE_ERR_BAD_ARGS : window ? MPE_SUCCESS : MPE_ERR_NOXCONNECT;

    for (int i = 0; colours && i < count; i++) {
        XColor colour = {0};
        int at = -1;
        /* The saturated colour of the hue i / count. The hue 0 is red, 1/3 is green, 2/3 is blue, and 1 is red
         * again. */
        double place = ((double)i / count) * 6, rest = place - (int)place;
        unsigned short up = (unsigned short)(65535 * rest), down = (unsigned short)(65535 - up), full = 65535;
        const unsigned short parts[6][3] = {{full, up, 0},   {down, full, 0}, {0, full, up},
                                            {0, down, full}, {up, 0, full},   {full, 0, down}};
        const unsigned short *part = parts[(int)place % 6];

        colour.red = part[0], colour.green = part[1], colour.blue = part[2];
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

/* What rank 0 sends to the other ranks, which then draw in its window, too. */
struct window_offer {
    uint64_t window;              /* the window's id on the X server */
    int32_t is_open;              /* 1: rank 0 has opened the window */
    char host[256], display[256]; /* the name of rank 0's host; the name of rank 0's display, as in DISPLAY */
};

/* Loads libX11 and connects to the display. If that fails, prints the reason and returns 0. */
static int connect_to(struct MPE_XGraph_ *window, const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char why[700] = "";

    pthread_once(&once, load_x);
    if (missing)
        snprintf(why, sizeof why, "%s was not found", missing);
    else if (!*name)
        snprintf(why, sizeof why, "DISPLAY is not set");
    else if (!(window->display = x_library.OpenDisplay(name)))
        snprintf(why, sizeof why, "cannot connect to display %s", name);
    if (*why) {
        pithi_say("MPE_Open_graphics: %s; the program runs without a window", why);
        return 0;
    }
    window->x = &x_library;
    if (window->x->SetIOErrorExitHandler)
        window->x->SetIOErrorExitHandler(window->display, on_broken, window);
    XErrorHandler before = window->x->SetErrorHandler(on_error);
    if (before != on_error)
        handler_before = before;
    return 1;
}

/* Opens rank 0's window. */
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
    /* The close button of a window manager would end the connection, unless the window has the protocol
     * WM_DELETE_WINDOW. With this protocol, the button has no effect, so only the program closes the window. */
    Atom protocol = X->InternAtom(display, "WM_DELETE_WINDOW", False);
    X->SetWMProtocols(display, window->window, &protocol, 1);
    X->MapRaised(display, window->window);
    /* Waits until the window is mapped, so that all ranks can draw in it. Waits for 2 s at most, because a window
     * manager may never map the window. */
    struct pollfd connection = {.fd = ConnectionNumber(window->display), .events = POLLIN};
    XEvent event;

    for (int tries = 0; tries < 100; tries++) {
        if (window->x->CheckWindowEvent(window->display, window->window, ExposureMask, &event))
            break;
        poll(&connection, 1, 20);
    }
    window->x->SelectInput(window->display, window->window, NoEventMask);
}

/* Makes the colours and graphics contexts of this connection. Returns 0 if the window cannot be used. */
static int make_contexts(struct MPE_XGraph_ *window)
{
    XGCValues drag = {.function = GXinvert, .subwindow_mode = IncludeInferiors};
    XWindowAttributes attributes;

    for (int i = 0; i < NAMED_COLOURS; i++) {
        XColor colour = {0}, exact;
        if (window->display)
            window->x->AllocNamedColor(window->display,
                                       DefaultColormap(window->display, DefaultScreen(window->display)),
                                       colour_names[i], &colour, &exact);
        if (add_colour(window, i, &colour) < 0)
            return 0;
    }
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

/* Called on rank 0. Opens the window and fills *offer for the other ranks. Returns 1 if the window is open. */
static int open_first(struct MPE_XGraph_ *window, const char *display, const int place[4], struct window_offer *offer)
{
    const char *name = display && *display ? display : secure_getenv("DISPLAY");

    snprintf(offer->display, sizeof offer->display, "%s", name ? name : "");
    gethostname(offer->host, sizeof offer->host - 1);
    pthread_mutex_lock(&lock);
    if (window && connect_to(window, offer->display)) {
        make_window(window, place[0], place[1], place[2], place[3]);
        offer->window = window->window;
        offer->is_open = make_contexts(window);
    }
    pthread_mutex_unlock(&lock);
    return offer->is_open;
}

/* Called on the other ranks. Connects to the display on which rank 0 has opened its window. Returns 1 if this rank can
 * use the window. */
static int open_offered(struct MPE_XGraph_ *window, const char *display, int is_collective,
                        const struct window_offer *offer)
{
    char name[600];
    int is_open;

    if (!window || !offer->is_open)
        return 0;
    if (display && *display) {
        snprintf(name, sizeof name, "%s", display);
    } else {
        /* On other machines than rank 0's, the name of the display must include the name of rank 0's host. */
        size_t size = sizeof name;
        const char *shown = offer->display;
        char host[sizeof offer->host] = "";

        gethostname(host, sizeof host - 1);
        if (!strncmp(shown, "unix:", 5))
            shown += 4;
        if (*shown == ':' && strcmp(host, offer->host) != 0)
            snprintf(name, size, "%s%s", offer->host, shown);
        else
            snprintf(name, size, "%s", shown);
    }
    pthread_mutex_lock(&lock);
    window->window = (Window)offer->window;
    is_open = (is_collective || connect_to(window, name)) && make_contexts(window);
    pthread_mutex_unlock(&lock);
    return is_open;
}

int MPE_Open_graphics(MPE_XGraph *handle, MPI_Comm comm, const char *display, int x, int y, int w, int h,
                      int is_collective)
{
    struct MPE_XGraph_ *window;
    struct window_offer offer = {0};
    int rank = 0, has_job = pithi_mpe_rank(comm, &rank), is_open = 0, are_open;

    if (handle)
        *handle = NULL;
    if (!handle || w < 1 || h < 1 || w > 32767 || h > 32767)
        return MPE_ERR_BAD_ARGS;
    if ((window = calloc(1, sizeof *window))) {
        window->comm = MPI_COMM_NULL;
        pthread_mutex_lock(&lock);
        window->next = windows;
        windows = window;
        pthread_mutex_unlock(&lock);
    }
    if (rank == 0)
        is_open = open_first(window, display, (int[]){x, y, w, h}, &offer);
    if (has_job)
        REAL(MPI_Bcast)(&offer, sizeof offer, MPI_BYTE, 0, comm);
    if (rank > 0)
        is_open = open_offered(window, display, is_collective, &offer);
    are_open = is_open;
    if (has_job)
        REAL(MPI_Allreduce)(&is_open, &are_open, 1, MPI_INT, MPI_MIN, comm);
    if (are_open && has_job && is_collective)
        REAL(MPI_Comm_dup)(comm, &window->comm);
    if (are_open) {
        *handle = window;
    } else if (window) {
        pthread_mutex_lock(&lock);
        free_window(window);
        pthread_mutex_unlock(&lock);
    }
    return are_open ? MPE_SUCCESS : MPE_ERR_NOXCONNECT;
}

int MPE_Close_graphics(MPE_XGraph *handle)
{
    int result = MPE_ERR_NOXCONNECT;

    if (!handle)
        return MPE_ERR_BAD_ARGS;
    pthread_mutex_lock(&lock);
    struct MPE_XGraph_ *window = find_window(*handle);
    if (window) {
        MPI_Comm comm = window->comm;
        result = window->is_broken ? MPE_ERR_NOXCONNECT : MPE_SUCCESS;
        free_window(window);
        if (comm != MPI_COMM_NULL)
            REAL(MPI_Comm_free)(&comm);
    }
    pthread_mutex_unlock(&lock);
    *handle = NULL;
    return result;
}
