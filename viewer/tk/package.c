/* package.c - the Tcl extension: package pithtk, its commands in the namespace ::pithtk.
 *
 * pithtk::open FILE ?CALLBACK?    an open log, a command (log_object.h)
 * pithtk::snapshot FOLDER CALLBACK   a job that reads what a running program has recorded (running.h)
 * pithtk::stage follow|log FILE   the animation of a program that runs, or of a log (stage_object.h)
 * pithtk::duration NS             "1.5 ms"
 * pithtk::time NS RESOLUTION      "12.345 s"
 * pithtk::parse WORD              "20ms" as nanoseconds
 * pithtk::number N                digits in groups
 * pithtk::theme ?NAME?            the colours of the theme chosen, or of this one, which is chosen now (log_colours.c)
 * pithtk::scale FACTOR            how much larger things are than on a screen with 96 dots per inch
 * pithtk::texton COLOUR           black or white, to be read on it
 * pithtk::safe COUNT              the first colours of the palette safe
 * pithtk::grab WINDOW PHOTO       a picture of a window
 * pithtk::paper WINDOW            the ways to its screen (paper.h)
 */
#include <signal.h>
#include <tcl.h>
#include <tk.h>

#include "core/axis.h"
#include "core/legend.h"
#include "core/words.h"
#include "tk/grab.h"
#include "tk/log_object.h"
#include "tk/paper.h"
#include "tk/running.h"
#include "tk/stage_object.h"

#pragma GCC visibility push(default)
int Pithtk_Init(Tcl_Interp *interp);
#pragma GCC visibility pop

static int duration_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t time;

    (void)data;
    if (objc != 2) {
        Tcl_WrongNumArgs(interp, 1, objv, "ns");
        return TCL_ERROR;
    }
    if (pithi_get_time(interp, objv[1], &time) != TCL_OK)
        return TCL_ERROR;
    pithi_duration_text(time, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

static int time_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t time, resolution;

    (void)data;
    if (objc != 3) {
        Tcl_WrongNumArgs(interp, 1, objv, "ns resolution");
        return TCL_ERROR;
    }
    if (pithi_get_time(interp, objv[1], &time) != TCL_OK || pithi_get_time(interp, objv[2], &resolution) != TCL_OK)
        return TCL_ERROR;
    pithi_time_text(time, resolution, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

static int parse_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    int64_t time;

    (void)data;
    if (objc != 2) {
        Tcl_WrongNumArgs(interp, 1, objv, "time");
        return TCL_ERROR;
    }
    if (pithi_time_parse(Tcl_GetString(objv[1]), &time)) {
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("no time such as 1.5 or 20ms: %s", Tcl_GetString(objv[1])));
        Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
        return TCL_ERROR;
    }
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(time));
    return TCL_OK;
}

static int number_command(ClientData data, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    char text[64];
    int64_t number;

    (void)data;
    if (objc != 2) {
        Tcl_WrongNumArgs(interp, 1, objv, "number");
        return TCL_ERROR;
    }
    if (pithi_get_time(interp, objv[1], &number) != TCL_OK)
        return TCL_ERROR;
    pithi_number_text(number < 0 ? 0 : (uint64_t)number, text, sizeof text);
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    return TCL_OK;
}

int Pithtk_Init(Tcl_Interp *interp)
{
    static const struct {
        const char *name;
        Tcl_ObjCmdProc *run;
    } commands[] = {{"::pithtk::open", pithi_log_open_command}, {"::pithtk::duration", duration_command},
                    {"::pithtk::time", time_command},           {"::pithtk::parse", parse_command},
                    {"::pithtk::number", number_command},       {"::pithtk::grab", pithi_grab_command},
                    {"::pithtk::stage", pithi_stage_command},   {"::pithtk::snapshot", pithi_snapshot_command},
                    {"::pithtk::paper", pithi_paper_command},
                    {"::pithtk::theme", pithi_theme_command},   {"::pithtk::texton", pithi_text_on_command},
                    {"::pithtk::safe", pithi_safe_command},
                    {"::pithtk::scale", pithi_scale_command}};

    if (!Tcl_InitStubs(interp, "8.6", 0) || !Tk_InitStubs(interp, "8.6", 0))
        return TCL_ERROR;
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of writing: nothing half-written stays */
    if (!Tcl_FindNamespace(interp, "::pithtk", NULL, 0))
        Tcl_CreateNamespace(interp, "::pithtk", NULL, NULL);
    pithi_paper_init();
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        Tcl_CreateObjCommand(interp, commands[i].name, commands[i].run, NULL, NULL);
    return Tcl_PkgProvide(interp, "pithtk", "1.0");
}
