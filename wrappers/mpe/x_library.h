/* x_library.h - libX11, loaded when a window is first opened: programs that only log need not have it, and no link line
 * has to name it. */
#ifndef PITHI_X_LIBRARY_H
#define PITHI_X_LIBRARY_H

#include <X11/Xlib.h>
#include <X11/Xutil.h>

/* The functions in use, without their X. */
#define PITHI_X_FUNCTIONS(ROW)                                                                                         \
    ROW(AllocColor)                                                                                                    \
    ROW(AllocNamedColor)                                                                                               \
    ROW(ChangeGC)                                                                                                      \
    ROW(CheckWindowEvent)                                                                                              \
    ROW(CloseDisplay)                                                                                                  \
    ROW(CreateGC)                                                                                                      \
    ROW(CreateWindow)                                                                                                  \
    ROW(DrawArc)                                                                                                       \
    ROW(DrawLine)                                                                                                      \
    ROW(DrawPoints)                                                                                                    \
    ROW(DrawRectangle)                                                                                                 \
    ROW(DrawString)                                                                                                    \
    ROW(FillArc)                                                                                                       \
    ROW(FillRectangle)                                                                                                 \
    ROW(Flush)                                                                                                         \
    ROW(FreeGC)                                                                                                        \
    ROW(GetImage)                                                                                                      \
    ROW(GetWindowAttributes)                                                                                           \
    ROW(InternAtom)                                                                                                    \
    ROW(MapRaised)                                                                                                     \
    ROW(OpenDisplay)                                                                                                   \
    ROW(SelectInput)                                                                                                   \
    ROW(SetErrorHandler)                                                                                               \
    ROW(SetForeground)                                                                                                 \
    ROW(SetFunction)                                                                                                   \
    ROW(SetWMNormalHints)                                                                                              \
    ROW(SetWMProtocols)                                                                                                \
    ROW(StoreName)                                                                                                     \
    ROW(Sync)

struct pithi_x {
#define ROW(name) __typeof__(&X##name) name;
    PITHI_X_FUNCTIONS(ROW)
#undef ROW
    void (*SetIOErrorExitHandler)(Display *, void (*)(Display *, void *), void *); /* NULL before libX11 1.7 */
};

/* The functions of libX11, or NULL: it is not here, and *why says so. */
const struct pithi_x *pithi_x_load(const char **why);

#endif
