/* descriptor.h - opening a file that nobody takes for his standard output. */
#ifndef PITHI_DESCRIPTOR_H
#define PITHI_DESCRIPTOR_H

#include <sys/types.h>

/* open(2), but never gives 0, 1 or 2: of a program that closed those, another thread may write there at any moment. */
int pithi_descriptor_open(const char *path, int flags, mode_t mode);

#endif
