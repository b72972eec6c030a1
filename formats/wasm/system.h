/* system.h - what the page does for the module in place of a system: files that it has, and unpacking. */
#ifndef PITHI_WASM_SYSTEM_H
#define PITHI_WASM_SYSTEM_H

#include <stdint.h>

/* Makes a file of the page known by its name. Its number, with which the page is asked for bytes; -1: no memory. */
int pithi_system_add(const char *name, double size_bytes);
/* Forgets them all. */
void pithi_system_clear(void);

/* Takes the next piece of what the page unpacks. It goes on if 1 is returned. */
int pithi_system_unpacked(uint32_t size);

#endif
