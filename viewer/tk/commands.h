/* commands.h - the commands of the extension; the table in package.c describes each of them. */
#ifndef PITHI_COMMANDS_H
#define PITHI_COMMANDS_H

#include "tk/tcl_kinds.h"

/* objv[0] is the command. The number of arguments was checked by the table in package.c. */
typedef int pithi_command(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

pithi_command pithi_anim_command;                         /* animation_object.c */
pithi_command pithi_open_command, pithi_snapshot_command; /* log_open.c */
pithi_command pithi_query_command;                        /* log_search.c */
pithi_command pithi_font_command;                         /* font_glyphs.c */
pithi_command pithi_theme_command, pithi_scale_command, pithi_text_on_command, pithi_safe_command; /* log_colours.c */
pithi_command pithi_paper_command;                                                                 /* paper.c */
/* pinch.c: for each pinch it calls the callback with `begin`, `update` or `end`, the x of the pinch in the window, and
 * its scale relative to the begin. The command's result is 1, or 0 if this X server or this build does not support
 * pinches. */
pithi_command pithi_pinch_command;

#endif
