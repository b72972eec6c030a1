/* print.h - the two halves of `pith print`: a log that is there, and a program that runs. */
#ifndef PITHI_PRINT_H
#define PITHI_PRINT_H

#include "text/text_lines.h"
#include "tools/tools.h"

/* The log `path`; of the lanes in `set`, or of all if it is empty. Exit status. */
int pithi_print_log(const char *path, const struct pithi_text *how, const struct pithi_lane_set *set);

/* The records of a program as it stores them, until it ends, or somebody interrupts. `path`: the log to be, its folder
 * LOG.spill, or a file in that; what is not there yet is waited for. Exit status. */
int pithi_print_follow(const char *path, const struct pithi_text *how, const struct pithi_lane_set *set);

#endif
