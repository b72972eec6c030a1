/* flame_log.h - makes a log from samples, in which the functions of the program are states. `pith stat --flame
 * FILE.pith` writes such a log, and the viewer shows it below the states of a lane.
 *
 * A function is a state. An instance lasts as long as consecutive samples have the function at the same depth, inside
 * the same functions. It ends at the last of these samples. It begins at the sample before the first of them, because a
 * sample stands for the time since the sample before. But a sample of the CPU clock stands for CPU time only. If the
 * thread used a core for less than half of the time before the first sample, the instance begins later: it has only the
 * CPU time of this sample before the sample. Example:
 *
 *     samples at 10 (CPU time 10) main;a  20 (20) main;a;b  50 (30) main;c  60 (40) main;c
 *     main 0..60    a 0..20    b 10..20    c 40..60
 *
 * From 20 to 40, the state [no core] is inside main, because main did not run.
 *
 * Each sample is also an event with the name of its innermost function, because the lengths of states do not show the
 * number of samples if a thread did not run all the time.
 *
 * Each call site is an event with the function and the line of the call as its name, "in main (mesh.cc:212)", at the
 * time of the pith:site in the log. The group of these events is "call sites".
 */
#ifndef PITHI_FLAME_LOG_H
#define PITHI_FLAME_LOG_H

#include "native/segment.h"
#include "pithlog.h"

struct pithi_flame_log;

/* Begins to make a log from `log`, whose samples and call sites it uses. */
int pithi_flame_log_open(struct pithlog *log, struct pithi_flame_log **flame);
void pithi_flame_log_close(struct pithi_flame_log *flame);
/* Begins to fill a new log, which gets all lanes of `log`, in the same order. The group of a state is the name of the
 * file of code that has the function. The property "place NAME" says where the function NAME is declared, as in
 * "mesh.cc:212", if this is known. */
int pithi_flame_log_begin(struct pithi_flame_log *flame, struct pithi_writer *writer);
/* Call it for each EVENT of `log` in time order; it uses only samples and call sites. `flame` is a struct
 * pithi_flame_log. */
int pithi_flame_log_take(void *flame, const struct pithlog_record *record);
int pithi_flame_log_end(struct pithi_flame_log *flame);

#endif
