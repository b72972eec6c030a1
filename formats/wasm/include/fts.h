/* fts.h - replaces the header of the C library. A WebAssembly module has no folders, so fts_open() always fails. */
#ifndef PITHI_WASM_FTS_H
#define PITHI_WASM_FTS_H

#include <stddef.h>
#include <sys/stat.h>

typedef int FTS;
typedef struct {
    int fts_info;
    struct stat *fts_statp;
} FTSENT;
enum { FTS_PHYSICAL = 1, FTS_NOCHDIR = 2, FTS_F = 1 };

static inline FTS *fts_open(char *const *paths, int how, void *compare)
{
    return (void)paths, (void)how, (void)compare, NULL;
}
static inline FTSENT *fts_read(FTS *tree) { return (void)tree, NULL; }
static inline int fts_close(FTS *tree) { return (void)tree, 0; }

#endif
