/* system.h - functions by which the web page gives files to the module, and unpacked data. */
#ifndef PITHI_WASM_SYSTEM_H
#define PITHI_WASM_SYSTEM_H

#include <stdint.h>

/* Adds a file of the web page with its name. Returns its number, by which its bytes are requested from the web page;
 * -1: no memory. */
int pithi_system_add(const char *name, double size_bytes);
/* Removes all files that were added. */
void pithi_system_clear(void);

/* The web page calls this after it has unpacked a piece of `size` bytes. Returns 1 if it shall unpack more. */
int pithi_system_unpacked(uint32_t size);

#endif
