/* code_names.h - names of functions that are in the log, as properties (formats/native/SPEC.md, "Names of functions"):
 * `pith symbols` stores them, so that the log has names where the files of the program are not. */
#ifndef PITHI_CODE_NAMES_H
#define PITHI_CODE_NAMES_H

#include "native/segment.h"
#include "pithlog.h"
#include "symbols/code_file.h"

/* Stores the result of pithi_code_file_find for an address of a file. With `count` 0 it stores that no function was
 * found, unless the log already has names for the address: a file with the same build id may have been found under
 * another path. */
int pithi_code_names_put(struct pithi_defs *defs, const char *path, const char *build, uint64_t address,
                         const struct pithi_code_frame *frames, unsigned count);

/* The names of a log. */
struct pithi_code_names {
    struct pithi_code_name {
        const char *key, *value; /* in `text` */
    } * names;                   /* sorted by key */
    uint32_t count, room;
    char *text; /* has the texts of the frames found last */
};
/* All zero is an empty set. Ends with pithi_code_names_free. */
int pithi_code_names_read(struct pithi_code_names *names, const struct pithlog *log);
void pithi_code_names_free(struct pithi_code_names *names);

/* As pithi_code_file_find, from the log; texts are valid until the next call. -1: the log does not have the address. */
int pithi_code_names_find(struct pithi_code_names *names, const char *path, const char *build, uint64_t address,
                          struct pithi_code_frame frames[PITHI_CODE_FRAMES]);

#endif
