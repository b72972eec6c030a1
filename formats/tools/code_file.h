/* code_file.h - the functions and source lines of a program or shared library on this machine, by libdw (elfutils):
 * from the ELF symbols, and from debug information where there is any. code_file_none.c stands in where Pith is built
 * without libdw. */
#ifndef PITHI_CODE_FILE_H
#define PITHI_CODE_FILE_H

#include <stdint.h>

struct pithi_code_file;

/* `build`: the build id in hex; "": unknown, any file will do. NULL: there is no such file here. */
struct pithi_code_file *pithi_code_file_open(const char *path, const char *build);
void pithi_code_file_close(struct pithi_code_file *file);

/* The function at an address of the file: 1; 0: unknown. C++ names are demangled, without their parameters, where
 * libstdc++ is. The name stays valid until the next call, the others until the file is closed. */
struct pithi_code_place {
    const char *name;
    uint64_t begin;     /* address of the function's first instruction */
    const char *source; /* of its first line; NULL: unknown */
    int line;
    const char *at_source; /* of the address */
    int at_line;
};
int pithi_code_file_find(struct pithi_code_file *file, uint64_t address, struct pithi_code_place *place);

/* 0: Pith was built without libdw, so no file can be opened. */
int pithi_code_file_possible(void);

#endif
