/* more_posix.h - declares functions of Linux that wasi-libc, the C library for WebAssembly, does not have. system.c
 * defines them. The compiler includes this header before every source file. */
#ifndef PITHI_WASM_MORE_POSIX_H
#define PITHI_WASM_MORE_POSIX_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef O_TMPFILE
#define O_TMPFILE 0
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

int mkostemp(char *name, int flags);
void qsort_r(void *items, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context);
int kill(int process, int number);
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags);

#endif
