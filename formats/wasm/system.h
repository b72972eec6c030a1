/* system.h - functions of the WebAssembly module by which the web page gives files and unpacked data to it. */
#ifndef PITHI_WASM_SYSTEM_H
#define PITHI_WASM_SYSTEM_H

#include <stdint.h>

/* Adds a file of the web page with its name. Returns the number by which the module requests the bytes of this file
 * from the web page, or -1 if there is no memory. */
int pithi_system_add(const char *name, double size_bytes);
/* Removes all files that were added. */
void pithi_system_clear(void);

/* The web page calls this function after it has unpacked a piece of `size` bytes. Returns 1 if the web page shall
 * unpack more. */
int pithi_system_unpacked(uint32_t size);

#endif
