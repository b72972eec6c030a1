/* format.h - the table of formats (foreign/format.c): one row and one folder each.
 *
 * Reading: a foreign log is converted once, in order, to a native log in an unnamed temporary file, which then takes
 * its place. So every format has lanes, seeking, statistics and pictures in constant memory. Writing: from an open log
 * through pithlog.h, in as many passes as the format needs.
 */
#ifndef PITHI_FORMAT_H
#define PITHI_FORMAT_H

#include <stdio.h>

#include "base/input.h"
#include "native/segment.h"

enum { PITHI_BESIDE = 2 }; /* files beside the main one */
/* Names the functions of samples and call sites: the text of a record, valid until the next call; NULL: it is another
 * record. A sample has its functions, outermost first, separated by ';'; a call site, its function and line. */
struct pithi_naming {
    const char *(*functions)(void *context, const struct pithlog_record *record); /* NULL: the log has none */
    void *context;                                                                /* for `functions` */
};

struct pithi_convert {
    int64_t from_ns, to_ns;         /* window; INT64_MIN, INT64_MAX: all */
    void (*note)(const char *text); /* gets a line with a count for each loss of the format; may be NULL */
    FILE *beside[PITHI_BESIDE];     /* for write: open files of the format's `beside`, in the same order */
    uint64_t loses;                 /* for write: `loses` of the format's row */
    const char *path;               /* for write: the name of the file while it is written */
    struct pithi_naming naming;     /* for formats that name functions; all zero: no names */
};

struct pithi_format {
    const char *name;     /* for --format=NAME and PITH_FORMAT */
    const char *suffixes; /* separated by blanks, the first is used for writing: "alog log" */
    const char *summary;  /* for `pith help formats`: what is kept, what is lost */
    /* 1: the file is of this format, judged by its first bytes (for a folder: by its contents). */
    int (*probe)(const struct pithi_input *input);
    int (*read)(const struct pithi_input *input, struct pithi_writer *writer); /* NULL: cannot be read */
    /* The size of all its files; NULL: the size of the file, or of all files in the folder. */
    uint64_t (*bytes)(const struct pithi_input *input);
    /* One of these writes a log; both NULL: cannot be written. A log of several files is either a folder, which exists
     * and is empty when write_folder is called, or a file with others beside it. */
    int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how);
    int (*write_folder)(struct pithlog *log, const char *folder, const struct pithi_convert *how);
    /* 1: the folder holds only a log of this format, so a new one may replace it; NULL: ask `probe`. */
    int (*replaceable)(const char *folder);
    const char *beside;  /* suffixes of at most PITHI_BESIDE further files of `write`: "pcf row"; or NULL */
    int passes;          /* about how often `write` reads all records, for progress display; 0: once */
    uint64_t loses;      /* parts of a log that the format cannot hold, a mask of foreign/walk.h */
    int names_functions; /* 1: `write` uses `naming` */
    int flows;           /* 1: text that is written in order, so it may go to a pipe */
};

extern const struct pithi_format pithi_formats[]; /* ends with a row whose name is NULL */

/* Find a format by its name or suffix ("native", "pith"), or by the suffix of a file name; NULL: none. */
const struct pithi_format *pithi_format_by_name(const char *name);
const struct pithi_format *pithi_format_by_suffix(const char *path);

/* Writes `log` as `format`, whose `flows` is 1, to a stream. */
int pithi_format_print(struct pithlog *log, const struct pithi_format *format, FILE *out,
                       const struct pithi_convert *how);

/* Writes `log` as `format` to PATH.part, then renames it to `path`. A failure leaves no file behind. An existing folder
 * is replaced if it is a log of this format. */
int pithi_format_write(struct pithlog *log, const struct pithi_format *format, const char *path,
                       const struct pithi_convert *how);
/* Removes the unfinished files of pithi_format_write; for another thread that ends the process. */
void pithi_format_discard(const struct pithi_format *format, const char *path);

#endif
