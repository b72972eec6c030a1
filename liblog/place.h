/* place.h - finds the name of the log and the folder for spill files, and renames a finished log without overwriting
 * the log of another job. It knows nothing about the contents of the files. */
#ifndef PITHI_PLACE_H
#define PITHI_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "settings.h"

enum { PITHI_PATH_MAX = 1024, PITHI_VOLUME_PATH_MAX = PITHI_PATH_MAX + 80 }; /* bytes, with the NUL */

/* Writes the program's name without folder: the name of the executable, or of the script that an interpreter runs. */
void pithi_place_program(char *program, size_t size);

/* Writes the absolute path of this process's log to `log`: PITH_LOG, else PROGRAM.pith in the current folder; in TMPDIR
 * or /tmp if the log is not kept. A `pid` other than 0 is inserted before the suffix, because a forked child has a log
 * of its own. Returns NULL, or a text that says why the name cannot be used. */
const char *pithi_place_log(char *log, size_t size, const struct pithi_settings *settings, const char *program,
                            unsigned pid);

/* Returns 1 if the path is a device, a pipe or a socket, or a system link to an open file, such as /dev/stdout. */
int pithi_place_is_device(const char *path);

/* Writes the name of an unfinished file beside `log` to `part`: LOG.NUMBER and `ending`. A long LOG is shortened, so
 * that callers can append to the name. Returns 0, or -1 if the name is too long. */
int pithi_place_part(char *part, size_t size, const char *log, uint64_t number, const char *ending);

/* Finds the folder for the spill files of `log`, and makes it if needed. Returns NULL, or the error as text. */
const char *pithi_place_folder(char *folder, size_t size, const struct pithi_settings *settings, const char *log);
/* Makes the folder in TMPDIR or /tmp, which pithi_place_folder tries last. Returns 1, or 0 if it cannot be made. */
int pithi_place_temporary(char *folder, size_t size, const char *log);

/* Renames the volumes PART.1 to PART.`volumes` to LOG.1 ..., then the finished file `part` to `log`. A log of that name
 * that is older than `start_real_ns` is replaced, with its volumes. A younger one belongs to another job: then the next
 * free name of NAME-2, NAME-3 ... is taken. `name` gets the name taken. Returns 0; or -1 (errno), and nothing has
 * changed. */
int pithi_place_publish(const char *part, unsigned volumes, const char *log, int64_t start_real_ns, char *name,
                        size_t size);

/* Renames `part` to the next free name: LOG with `insert` and a number from 1 on before the suffix. Returns as
 * pithi_place_publish. */
int pithi_place_number(const char *part, const char *log, const char *insert, char *name, size_t size);

#endif
