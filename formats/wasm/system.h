/* system.h - the files that a module may open: those that its page has, and nameless ones in memory. */
#ifndef PITHI_WASM_SYSTEM_H
#define PITHI_WASM_SYSTEM_H

/* Makes a file of the page known by its name. Its number, with which the page is asked for bytes; -1: no memory. */
int pithi_system_add(const char *name, double size_bytes);
/* Forgets them all. */
void pithi_system_clear(void);

#endif
