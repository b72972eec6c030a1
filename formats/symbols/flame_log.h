/* flame_log.h - makes a log from samples, in which the functions of the program are states. `pith stat --flame
 * FILE.pith` writes such a log, and the viewer shows it below the states of a lane.
 *
 * A function is a state. It is open from the sample that has it first to the last sample in a row that has it at the
 * same depth, inside the same functions. It begins with the sample before, because a sample stands for the time since
 * then. But samples of the CPU clock stand for CPU time; if the thread used a core for less than half of the time, the
 * function begins that CPU time before the sample:
 *
 *     samples at 10 (CPU time 10) main;a  20 (20) main;a;b  50 (30) main;c  60 (40) main;c
 *     main 0..60    a 0..20    b 10..20    c 40..60
 *
 * From 20 to 40 main has the state [no core] inside it: main did not run.
 *
 * Each sample is also an event with the name of its innermost function, because the length of the states does not show
 * the number of samples if a thread did not run all the time.
 *
 * Each call site is an event, too, with the function and the line of the call, "in main (mesh.cc:212)", at the time of
 * the log's pith:site. The group of these events is "call sites".
 */
#ifndef PITHI_FLAME_LOG_H
#define PITHI_FLAME_LOG_H

#include "native/segment.h"
#include "pithlog.h"

struct pithi_flame_log;

/* Finds the names that the samples and call sites of `log` need. */
int pithi_flame_log_open(struct pithlog *log, struct pithi_flame_log **flame);
void pithi_flame_log_close(struct pithi_flame_log *flame);
/* Begins to fill a log. It has all lanes of `log`, in the same order. The group of a state is the name of the file
 * that has the function; property "place NAME" is where the function is declared, "mesh.cc:212", if that is known. */
int pithi_flame_log_begin(struct pithi_flame_log *flame, struct pithi_writer *writer);
/* Call it for each EVENT of `log` in order of time; it uses only samples and call sites. `flame`: struct
 * pithi_flame_log. */
int pithi_flame_log_take(void *flame, const struct pithlog_record *record);
int pithi_flame_log_end(struct pithi_flame_log *flame);

#endif
