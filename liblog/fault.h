/* fault.h - protects the program when the spill file is truncated: a store to mapped memory beyond its end would raise
 * SIGBUS and kill the program. A handler replaces such pages by anonymous memory: the program runs on, and what it
 * stores there is lost. A program that handles SIGBUS itself keeps its handler, and has no such protection; nor has a
 * thread that blocks SIGBUS. */
#ifndef PITHI_FAULT_H
#define PITHI_FAULT_H

#include <stdint.h>

/* Under the guard: `size_bytes` at `begin` are mapped from the spill file, and stay mapped. */
void pithi_fault_watch(void *begin, uint64_t size_bytes);

/* 1: pages were replaced since the last call of pithi_fault_forget. */
int pithi_fault_seen(void);
void pithi_fault_forget(void);

#endif
