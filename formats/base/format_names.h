/* format_names.h - the names and suffixes of formats, without the code that reads and writes them. */
#ifndef PITHI_FORMAT_NAMES_H
#define PITHI_FORMAT_NAMES_H

enum pithi_recorded { PITHI_NATIVE, PITHI_CONVERTED, PITHI_NOT_RECORDED };

/* The first columns of formats.def, which describes them. */
struct pithi_format_name {
    const char *name, *suffixes;  /* suffixes: blanks between them */
    enum pithi_recorded recorded; /* whether a program can record into it */
};
extern const struct pithi_format_name pithi_format_names[]; /* ends with a row whose name is NULL */

/* Return the index of a format in pithi_format_names, or -1 if no format fits. pithi_format_name_find looks for a name
 * or a suffix ("native", "pith"), pithi_format_name_of_path for the suffix of a file name. */
int pithi_format_name_find(const char *name);
int pithi_format_name_of_path(const char *path);

#endif
