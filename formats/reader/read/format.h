/* format.h - the table of formats (foreign/format.c). Each format has one row in it, and one folder.
 *
 * To read a foreign log, it is converted once, in order, to a native log in an unnamed temporary file, and this log is
 * opened. So lanes, seeking, statistics and pictures work with every format, in constant memory. To write a format, an
 * open log is read through pithlog.h, in as many passes as the format needs.
 */
#ifndef PITHI_FORMAT_H
#define PITHI_FORMAT_H

#include <stdio.h>

#include "base/input.h"
#include "native/segment.h"

enum { PITHI_BESIDE = 2 }; /* most files beside the main file */
/* Names the functions of samples and call sites. `functions` returns a text: for a sample its functions, outermost
 * first, separated by ';'; for a call site its function and line; NULL for any other record. The text is valid until
 * the next call. */
struct pithi_naming {
    const char *(*functions)(void *context, const struct pithlog_record *record); /* NULL: no names are available */
    void *context;                                                                /* for `functions` */
};

struct pithi_convert {
    int64_t from_ns, to_ns;         /* window; INT64_MIN, INT64_MAX: all */
    void (*note)(const char *text); /* called with a line for each kind of loss, with its count; may be NULL */
    FILE *beside[PITHI_BESIDE];     /* for `write`: the open files for the format's `beside`, in the same order */
    uint64_t loses;                 /* for `write`: `loses` of the format's row */
    const char *path;               /* for `write`: the name of the file while it is written */
    struct pithi_naming naming;     /* for formats that name functions; all zero: no names */
};

struct pithi_format {
    const char *name;     /* for --format=NAME and PITH_FORMAT */
    const char *suffixes; /* separated by blanks, the first is used for writing: "alog log" */
    const char *summary;  /* for `pith help formats`: what is kept, what is lost */
    /* Returns 1 if the file is of this format, judged by its first bytes (a folder: by its files). */
    int (*probe)(const struct pithi_input *input);
    int (*read)(const struct pithi_input *input, struct pithi_writer *writer); /* NULL: cannot be read */
    /* Returns the size of all files of the log. NULL: the size is that of the file, or of all files in the folder. */
    uint64_t (*bytes)(const struct pithi_input *input);
    /* One of the next two functions writes a log; if both are NULL, the format cannot be written. A log of several
     * files is either a folder, or a file with others beside it. The folder exists and is empty when write_folder is
     * called. */
    int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how);
    int (*write_folder)(struct pithlog *log, const char *folder, const struct pithi_convert *how);
    /* Returns 1 if the folder has only a log of this format, so that a new log may replace it. NULL: `probe`
     * decides. */
    int (*replaceable)(const char *folder);
    const char *beside;  /* suffixes of at most PITHI_BESIDE further files of `write`: "pcf row"; or NULL */
    int passes;          /* for progress display: about how many times `write` reads all records; 0: once */
    uint64_t loses;      /* parts of a log that the format cannot hold, a mask of foreign/walk.h */
    int names_functions; /* 1: `write` uses `naming` */
    int flows;           /* 1: the format is text and is written in order, so the output may be a pipe */
};

extern const struct pithi_format pithi_formats[]; /* ends with a row whose name is NULL */

/* Find a format by its name or one of its suffixes ("native", "pith"), or by the suffix of a file's name. Return NULL
 * if there is none. */
const struct pithi_format *pithi_format_by_name(const char *name);
const struct pithi_format *pithi_format_by_suffix(const char *path);

/* Writes `log` to a stream in `format`, which must be one with `flows` 1. */
int pithi_format_print(struct pithlog *log, const struct pithi_format *format, FILE *out,
                       const struct pithi_convert *how);

/* Writes `log` as `format` to PATH.part, then renames it to `path`. A failure leaves no file behind. An existing folder
 * is replaced if it is a log of this format. */
int pithi_format_write(struct pithlog *log, const struct pithi_format *format, const char *path,
                       const struct pithi_convert *how);
/* Removes the unfinished files of pithi_format_write. Called by another thread when it ends the process. */
void pithi_format_discard(const struct pithi_format *format, const char *path);

#endif
