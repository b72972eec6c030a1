/* affinity.h - sets of cores. */
#ifndef PITHI_AFFINITY_H
#define PITHI_AFFINITY_H

#include <stddef.h>

enum { PITHI_CORES_MAX = 8192 };

/* Adds the cores in a text of struct pith_transport's `affinity` to a set: core i is bit i % 8 of byte i / 8. Returns
 * how many bytes of it a system call needs; 0: the text names none. */
size_t pithi_affinity_read(const char *text, unsigned char set[PITHI_CORES_MAX / 8]);

#endif
