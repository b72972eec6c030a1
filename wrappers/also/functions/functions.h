/* functions.h - libpith-functions: records the functions of a program that was compiled with -finstrument-functions.
 *
 * hooks.c has the two functions that such a program calls; function_table.c knows the name of each function, and
 * whether it is wanted (function_filter.c). */
#ifndef PITHI_FUNCTIONS_H
#define PITHI_FUNCTIONS_H

#include <stdint.h>

#include "also/also.h"

struct pithi_traced {
    uintptr_t address; /* its begin in this process */
    const char *name;  /* NULL: not to be recorded */
    uint32_t id;       /* of its state; 0: not yet defined; atomic */
};

/* Call it when the library is loaded. Reads the functions of the program and of its libraries, but not of libraries of
 * the system. */
void pithi_traced_read(void);
/* The function that begins at `address`; never NULL. Preserves errno. Never calls malloc; safe in signal handlers. */
struct pithi_traced *pithi_traced_find(uintptr_t address);

/* Reads the file of PITH_FUNCTIONS_FILTER. Prints a line if that fails, and one for each wrong line. */
void pithi_traced_filter_read(void);
/* 1: the function `name`, declared in the file `source` (NULL: unknown), is wanted. */
int pithi_traced_filter(const char *name, const char *source);

#endif
