/* clean.h - names out of logs before they are shown: a file may hold anything, and a terminal obeys what it is sent,
 * cairo draws nothing after a byte that is not UTF-8. */
#ifndef PITHI_CLEAN_H
#define PITHI_CLEAN_H

#include <stddef.h>

/* Copies at most size - 1 bytes of `text`: control characters and what is not UTF-8 become '?', and with `ascii` all
 * but plain ASCII; directional marks become "\u202e" and so on, for they change the order of the letters around them.
 * Nothing is cut inside of a character. Returns `out`. */
char *pithi_clean(char *out, size_t size, const char *text, int ascii);

/* Characters in a clean text. */
int pithi_columns(const char *text);

#endif
