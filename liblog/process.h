/* process.h - descriptors and signals of the program's process, used without disturbing the program. */
#ifndef PITHI_PROCESS_H
#define PITHI_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- Descriptors ------------------------------------------------------------------------------------------------- */

/* open(2), but never returns 0, 1 or 2: if the program has closed these, another thread may write to them at any
 * moment. */
int pithi_descriptor_open(const char *path, int flags, mode_t mode);

/* Like pithi_descriptor_open, for a nameless file in `folder`, for reading and writing. */
int pithi_descriptor_temporary(const char *folder);

/* Like pithi_descriptor_open, for a file in memory. It takes the output of a command, because the disk may be full. */
int pithi_descriptor_memory(void);

/* Returns a copy of the descriptor with a number far from the numbers that programs and scripts use; -1 (errno) on an
 * error. */
int pithi_descriptor_far(int fd);

#endif
