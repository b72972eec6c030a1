/* format.h - the table of formats (formats/format.c): one row and one folder each.
 *
 * Reading: a foreign log is read once, in order, into a native one in a nameless temporary file, and from then on is
 * that log; so every format has lanes, seeking, statistics and pictures, in constant memory. Writing: from an open
 * log through pithlog.h, in as many passes as the format needs.
 */
#ifndef PITHI_FORMAT_H
#define PITHI_FORMAT_H

#include <stdio.h>

#include "native/segment.h"
#include "watched.h"

/* A foreign file, mapped. */
struct pithi_input {
    const char *path;
    const unsigned char *data; /* NULL for a folder */
    size_t size;
    int mapped;                    /* 1: foreign/passed.h may give its memory back */
    struct pithi_watched *watched; /* NULL: nobody watches */
    /* A reader tells each part of the log that is not there or damaged, one line; NULL: nobody listens. The log is then
     * not complete. */
    void (*damage)(void *context, const char *text);
    void *damage_context;
};

/* A reader says that it has come to byte `at`. 0: it is to end, as if the file ended here; what it made is dropped. */
static inline int pithi_input_at(const struct pithi_input *input, size_t at)
{
    return pithi_watched_at(input->watched, at, input->size);
}

enum { PITHI_BESIDE = 2 };
struct pithi_convert {
    int64_t from_ns, to_ns;         /* window; INT64_MIN, INT64_MAX: all */
    void (*note)(const char *text); /* told what the format could not hold, one line each with its count; may be NULL */
    FILE *beside[PITHI_BESIDE];     /* for write: open files of the format's `beside`, in their order */
};

struct pithi_format {
    const char *name;     /* as in --format=NAME and PITH_FORMAT */
    const char *suffixes; /* blank-separated, first = the one to write: "alog log" */
    const char *summary;  /* for `pith help formats`: what is kept, what is lost */
    /* 1: the file is of this format, by its first bytes (or, for a folder, its contents). */
    int (*probe)(const struct pithi_input *input);
    int (*read)(const struct pithi_input *input, struct pithi_writer *writer); /* NULL: cannot be read */
    /* The size of all its files; NULL: that of the file, or of all that is in the folder. */
    uint64_t (*bytes)(const struct pithi_input *input);
    /* How it is written, one of these; both NULL: cannot be written. A log of several files is either a folder, there
     * and empty when write_folder is called, or a file with others beside it. */
    int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how);
    int (*write_folder)(struct pithlog *log, const char *folder, const struct pithi_convert *how);
    /* 1: nothing is in a folder but a log of this format, so a new one may take its place; NULL: as probe says. */
    int (*replaceable)(const char *folder);
    const char *beside; /* suffixes of the files beside that of `write`, at most PITHI_BESIDE, "pcf row"; or NULL */
    int passes;         /* about how often all records are read for `write`, for who shows how far it is; 0: once */
    int flows;          /* 1: text, written from the first line to the last: it may go into a pipe */
};

extern const struct pithi_format pithi_formats[]; /* ends with a row whose name is NULL */

/* By name or suffix ("native", "pith"), or by the suffix of a file name; NULL: none. */
const struct pithi_format *pithi_format_by_name(const char *name);
const struct pithi_format *pithi_format_by_suffix(const char *path);

/* Writes `log` as `format` to `path`: to PATH.part first, then renamed, nothing left behind on failure. A folder there
 * is replaced when it is a log of this format. */
int pithi_format_write(struct pithlog *log, const struct pithi_format *format, const char *path,
                       const struct pithi_convert *how);
/* Removes what pithi_format_write has not finished; for another thread, when the process is to end. */
void pithi_format_discard(const struct pithi_format *format, const char *path);

#endif
