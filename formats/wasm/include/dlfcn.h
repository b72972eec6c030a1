/* dlfcn.h - replaces the header of the C library. A WebAssembly module cannot load libraries, so dlopen() always
 * fails. */
#ifndef PITHI_WASM_DLFCN_H
#define PITHI_WASM_DLFCN_H

#include <stddef.h>

enum { RTLD_NOW = 2, RTLD_LOCAL = 0 };

static inline void *dlopen(const char *name, int how) { return (void)name, (void)how, NULL; }
static inline void *dlsym(void *library, const char *name) { return (void)library, (void)name, NULL; }
static inline char *dlerror(void) { return (char *)"a page loads no libraries"; }

#endif
