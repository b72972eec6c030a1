/* code_file.h - finds the functions and source lines of a program or shared library on this machine, by libdw
 * (elfutils), from the ELF symbols and from debug information if there is any. If Pith is built without libdw,
 * code_file_none.c replaces code_file.c. */
#ifndef PITHI_CODE_FILE_H
#define PITHI_CODE_FILE_H

#include <stdint.h>

struct pithi_code_file;

/* Adds a folder in which files with symbols or debug information are searched before the standard places. In the
 * folder, a file may be at .build-id/xx/yyyy or .build-id/xx/yyyy.debug, as in /usr/lib/debug, or under its own name,
 * or at its whole path. `dir` must stay valid. Returns PITH_OK or an error. */
int pithi_code_file_search(const char *dir);

/* Opens a file. `build` is the build id in hex; if it is "", any file at `path` is taken. Returns NULL if there is no
 * such file on this machine. */
struct pithi_code_file *pithi_code_file_open(const char *path, const char *build);
void pithi_code_file_close(struct pithi_code_file *file);

/* A function that contains an address. */
struct pithi_code_frame {
    const char *name;      /* C++ names are demangled, without their parameters, if libstdc++ is installed */
    const char *source;    /* source file that declares the function; NULL: unknown */
    int line;              /* line of the declaration, from 1; 0: unknown */
    const char *at_source; /* source file of the address, or of the call to the next inner frame; NULL: unknown */
    int at_line;           /* the line in at_source */
    /* First address of the function that has code of its own: all functions that are inlined into it have the same
     * `begin`. Without a symbol, it is the address that was looked up. */
    uint64_t begin;
};
enum { PITHI_CODE_FRAMES = 32 }; /* the most functions that are found at one address */

/* Finds the functions at an address of the file, innermost first: the functions that the compiler inlined there, and
 * last the function into whose code it inlined them. Returns the number of functions, which is 0 if they are unknown.
 * The names are valid until the next call, the source files until the file is closed. */
unsigned pithi_code_file_find(struct pithi_code_file *file, uint64_t address,
                              struct pithi_code_frame frames[PITHI_CODE_FRAMES]);

/* Calls `visit` for the first address of each function in the file's symbol tables. */
void pithi_code_file_each(struct pithi_code_file *file, void (*visit)(void *context, uint64_t address), void *context);

/* Returns 1 if Pith was built with libdw. Without libdw, no file can be opened. */
int pithi_code_file_possible(void);

#endif
