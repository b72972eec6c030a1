/* far.c - the system reads ahead by itself. */
#include "base/far.h"

int pithi_far(void) { return 0; }

void pithi_far_soon(int fd, uint64_t offset, uint64_t size) { (void)fd, (void)offset, (void)size; }
