/* call_stack.h - finds the functions on the stack of a sample that tables and flame graphs show. */
#ifndef PITHI_CALL_STACK_H
#define PITHI_CALL_STACK_H

#include "symbols/sample_names.h"

struct pithi_stack_call {
    uint32_t function;               /* number of the function in struct pithi_sample_names */
    const struct pithi_place *place; /* the line in the function; NULL: unknown */
};

/* The calls on a stack. All zero at first; the caller frees `calls`. */
struct pithi_call_stack {
    struct pithi_stack_call *calls; /* outermost first */
    uint32_t count, room;
};

/* Sets *stack to the stack of a sample and its record. Unless `all` is 1, functions around main and functions inside a
 * call of MPI are left out:
 *
 *     _start;__libc_start_main;main;solve;MPI_Recv;MPIDI_progress;poll   becomes   main;solve;MPI_Recv
 *
 * A function of the program that MPI calls, such as the operation given to MPI_Op_create, is kept. A thread other than
 * the first one has no main; its stack begins at the first function outside the C library. */
int pithi_call_stack_read(struct pithi_sample_names *names, const struct pithlog_record *record,
                          struct pithi_sample *sample, int all, struct pithi_call_stack *stack);

#endif
