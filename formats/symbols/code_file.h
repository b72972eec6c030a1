/* code_file.h - the functions and source lines of a program or shared library on this machine, by libdw (elfutils):
 * from the ELF symbols, and from debug information where there is any. code_file_none.c stands in where Pith is built
 * without libdw. */
#ifndef PITHI_CODE_FILE_H
#define PITHI_CODE_FILE_H

#include <stdint.h>

struct pithi_code_file;

/* Adds a folder in which files with symbols or debug information are looked for, before the standard places:
 * DIR/.build-id/xx/yyyy and .debug, as below /usr/lib/debug; or files by their names, in DIR itself or below it at
 * their whole path. `dir` must stay valid. Returns PITH_OK or an error. */
int pithi_code_file_search(const char *dir);

/* `build`: the build id in hex; "": unknown, any file will do. NULL: there is no such file here. */
struct pithi_code_file *pithi_code_file_open(const char *path, const char *build);
void pithi_code_file_close(struct pithi_code_file *file);

/* A function that contains an address. */
struct pithi_code_frame {
    const char *name;      /* C++ names are demangled, without their parameters, if libstdc++ is installed */
    const char *source;    /* the file that declares it; NULL: unknown */
    int line;              /* 1 is the first line; 0: unknown */
    const char *at_source; /* the file of the address, or of the call of the next inner frame; NULL: unknown */
    int at_line;
    /* The first address of the function that has the code, also for functions inlined into it; without a symbol, the
     * address that was looked up. */
    uint64_t begin;
};
enum { PITHI_CODE_FRAMES = 32 }; /* functions inlined at one address */

/* The functions at an address of the file, innermost first: those that the compiler inlined, and last the function
 * that has the address. Returns their number; 0: unknown. Names are valid until the next call, sources until the file
 * is closed. */
unsigned pithi_code_file_find(struct pithi_code_file *file, uint64_t address,
                              struct pithi_code_frame frames[PITHI_CODE_FRAMES]);

/* Calls visit for the first address of each function in the file's symbol tables. */
void pithi_code_file_each(struct pithi_code_file *file, void (*visit)(void *context, uint64_t address), void *context);

/* 0: Pith was built without libdw, so no file can be opened. */
int pithi_code_file_possible(void);

#endif
