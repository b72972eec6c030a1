/* code_names.h - names of functions that a log has in properties (formats/native/SPEC.md, "Names of functions"). `pith
 * symbols` stores them, so that the log has names on machines without the files of the program. */
#ifndef PITHI_CODE_NAMES_H
#define PITHI_CODE_NAMES_H

#include "native/segment.h"
#include "pithlog.h"
#include "symbols/code_file.h"

/* Stores the result of pithi_code_file_find for an address of a file. If `count` is 0, it stores that there is no
 * function, unless the log already has names for the address. (Those may come from a file with the same build id under
 * another path.) */
int pithi_code_names_put(struct pithi_defs *defs, const char *path, const char *build, uint64_t address,
                         const struct pithi_code_frame *frames, unsigned count);

/* The names of a log. */
struct pithi_code_names {
    struct pithi_code_name {
        const char *key, *value; /* owned: `value`; `key` belongs to the log */
    } * names;                   /* sorted by key */
    uint32_t count, room;
    char *text; /* the strings to which the frames of the last pithi_code_names_find point */
};
/* Reads the names of a log into *names, which is all zero at first. Free it with pithi_code_names_free. */
int pithi_code_names_read(struct pithi_code_names *names, const struct pithlog *log);
void pithi_code_names_free(struct pithi_code_names *names);

/* Like pithi_code_file_find, but finds the functions in the log. The strings in `frames` are valid until the next call.
 * Returns the number of functions; 0 if the log says that there is no function at the address; -1 if the log has
 * nothing about the address. */
int pithi_code_names_find(struct pithi_code_names *names, const char *path, const char *build, uint64_t address,
                          struct pithi_code_frame frames[PITHI_CODE_FRAMES]);

#endif
