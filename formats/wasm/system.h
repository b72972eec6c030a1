/* system.h - files of the web page, and unpacking by the web page. */
#ifndef PITHI_WASM_SYSTEM_H
#define PITHI_WASM_SYSTEM_H

#include <stdint.h>

/* Adds a file of the web page with its name. Returns its number, by which its bytes are requested from the web page;
 * -1: no memory. */
int pithi_system_add(const char *name, double size_bytes);
/* Removes all these files. */
void pithi_system_clear(void);

/* Called by the web page with each piece that it has unpacked. Returns 1 to go on. */
int pithi_system_unpacked(uint32_t size);

#endif
