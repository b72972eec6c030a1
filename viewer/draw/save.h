/* save.h - a file that is whole or not there: written as PATH.part, then renamed. Interrupted, its part goes. A device
 * or pipe gets the bytes when all are made. */
#ifndef PITHI_SAVE_H
#define PITHI_SAVE_H

#include <stdio.h>

/* `write` puts everything into `file` and returns NULL, or what went wrong ("": errno tells). Exit status, after a
 * message when it is not 0. */
int pithi_save(const char *path, const char *(*write)(void *context, FILE *file), void *context);

#endif
