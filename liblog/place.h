/* place.h - where things lie: the log's name, the folder for spill files, and how a finished log gets its name without
 * ever overwriting that of another job. Knows nothing of what is in the files. */
#ifndef PITHI_PLACE_H
#define PITHI_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "settings.h"

enum { PITHI_PATH_MAX = 1024, PITHI_VOLUME_PATH_MAX = PITHI_PATH_MAX + 80 };

/* The program as people call it: the executable's name, or of an interpreter the script's. Without its folder. */
void pithi_place_program(char *program, size_t size);

/* The log that this process would write: an absolute path made from PITH_LOG, or PROGRAM.pith in the current folder.
 * `pid` other than 0 is put before the suffix (a forked child has its own log). Gives NULL, or what is wrong with the
 * name. */
const char *pithi_place_log(char *log, size_t size, const struct pithi_settings *settings, const char *program,
                            unsigned pid);

/* Is there a device, a pipe or a socket of that name, or a link of the system to what is open (/dev/stdout)? */
int pithi_place_is_device(const char *path);

/* The name for an unfinished file, beside `log`: LOG.NUMBER and `ending`. It has only the beginning of a long name, so
 * that callers can put an ending behind. 0, or -1 when it gets too long. */
int pithi_place_part(char *part, size_t size, const char *log, uint64_t number, const char *ending);

/* The folder for spill files of `log`, made if it is not there. Gives NULL, or what is wrong. */
const char *pithi_place_folder(char *folder, size_t size, const struct pithi_settings *settings, const char *log);
/* The one under TMPDIR or /tmp, which the above takes when it must; 0: it cannot be made. */
int pithi_place_temporary(char *folder, size_t size, const char *log);

/* Did an earlier program of this process, one that called exec, leave records in a spill folder? 1: `folder` is it.
 * `program` is what it was called; `own` the spill file of the program that runs now, "" if it has none. */
int pithi_place_left(char *folder, size_t size, const struct pithi_settings *settings, const char *program,
                     const char *own);

/* `path` with `insert` put before its suffix: run.pith, "-2" -> run-2.pith. 0, or -1 when it gets too long. */
int pithi_place_insert(char *out, size_t size, const char *path, const char *insert);

/* Gives the finished file `part` the name `log`, after its volumes PART.1 to PART.`volumes`, which become LOG.1 ... A
 * log of that name that is older than `start_real_ns` is replaced, its volumes go; a younger one belongs to another
 * job, and the next free of NAME-2, NAME-3 ... is taken. `name` gets the name. 0 or -1 (errno); then all are as they
 * were. */
int pithi_place_publish(const char *part, unsigned volumes, const char *log, int64_t start_real_ns, char *name,
                        size_t size);

/* Gives `part` the next free name of LOG with `insert` and a number from 1 on before its suffix. As above. */
int pithi_place_number(const char *part, const char *log, const char *insert, char *name, size_t size);

#endif
