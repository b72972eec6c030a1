/* functions.h - libpith-functions: records the functions of a program that was compiled with -finstrument-functions.
 *
 * hooks.c has the two functions that such a program calls; function_table.c finds the name of each function, and
 * function_filter.c decides whether the user wants it. */
#ifndef PITHI_FUNCTIONS_H
#define PITHI_FUNCTIONS_H

#include <stdint.h>

#include "also/also.h"

struct pithi_traced {
    uintptr_t address; /* where the function begins in this process */
    const char *name;  /* NULL: the function is not recorded */
    uint32_t id;       /* the id of the function's state; 0: not yet defined; accessed atomically */
};

/* Reads the names of the functions of the program and of its libraries, except the system's libraries. Call it when
 * this library is loaded. */
void pithi_traced_read(void);
/* Returns the function that begins at `address`, never NULL. Preserves errno. Never calls malloc; safe in signal
 * handlers. */
struct pithi_traced *pithi_traced_find(uintptr_t address);

/* Reads the file that PITH_FUNCTIONS_FILTER names. Prints a message if the file cannot be read, and a message for each
 * wrong line. */
void pithi_traced_filter_read(void);
/* Returns 1 if the user wants the function `name`, which is defined in the file `source` (NULL: unknown). */
int pithi_traced_filter(const char *name, const char *source);

#endif
