/* printer.h - a log as lines of text: the output of `pith print`, and the formats text, csv and json of `pith convert`.
 * Each record is one line, in time order. Memory use is constant. man/pith-print.1 describes the lines of each style.
 *
 * pithi_text_print prints a whole log. While a program is still running, `pith print` (tools/print.c) calls the
 * functions of a printer, which print the lines one by one:
 *
 *     pithi_printer_open(&printer, stdout, style, glob);
 *     pithi_printer_lane(&printer, 0, lane);       before the records that refer to it
 *     pithi_printer_def(&printer, def);
 *     pithi_printer_comm(&printer, 0, comm);
 *     pithi_printer_head(&printer);
 *     pithi_printer_record(&printer, &record);
 *     err = pithi_printer_close(&printer, err);
 */
#ifndef PITHI_PRINTER_H
#define PITHI_PRINTER_H

#include "base/out.h"
#include "foreign/formats.h"
#include "reader/read/payload.h"

enum pithi_text_style {
    PITHI_TEXT_TABS, /* time_s rank thread kind name key=value..., separated by tabs; definitions on lines with '#' */
    PITHI_TEXT_CSV,  /* a line of column names, then the same columns on every line; no definitions */
    PITHI_TEXT_JSON  /* an object on each line; definitions have the key "define" */
};

/* The columns of --columns, in their order. */
enum { PITHI_PRINT_COLUMNS = 25 };
struct pithi_print_columns {
    unsigned char columns[PITHI_PRINT_COLUMNS]; /* in the order of the line */
    uint32_t count;
};
int pithi_print_columns_parse(const char *text, struct pithi_print_columns *columns); /* names, separated by commas */

struct pithi_text_print {
    enum pithi_text_style style;
    struct pithlog_query query;         /* the records to print */
    int has_end;                        /* 1: print PITHI_TEXT_PROMISE and PITHI_TEXT_END, by which a reader detects a
                                           cut */
    int has_version;                    /* 1: the first line gives the version of the output's form */
    struct pithi_print_columns columns; /* if its count is not 0, print only these columns of each record, after a line
                                           with the version; otherwise print whole lines */
    const char *name_glob; /* not NULL: print only states, events and counters whose name matches (fnmatch) */
    uint64_t *printed;     /* not NULL: counts the records */
    /* If naming.functions is set, samples are printed with the names of their functions, and properties that give names
     * to addresses are left out. */
    struct pithi_naming naming;
};

/* Prints the parts of the log that `how` selects. Returns PITH_OK or an error. */
int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text_print *how);

/* Prints the columns of how->columns. Called by pithi_text_print (print_columns.c). */
int pithi_print_columns(struct pithlog *log, FILE *out, const struct pithi_text_print *how);
/* Prints the line with the version. `what` is "print" for whole lines, which can be read as a log, or "columns". */
void pithi_print_version(struct pithi_out *out, enum pithi_text_style style, const char *what);
const char *pithi_print_kind(uint32_t kind); /* "enter" ... */
/* pithi_print_quote returns how a style quotes names. The other two functions write a payload or a number in the
 * style. */
enum pithi_quote pithi_print_quote(enum pithi_text_style style);
void pithi_print_payload(struct pithi_out *out, enum pithi_text_style style, struct pithi_payload_line *line,
                         const char *format, const struct pithlog_record *record);
void pithi_print_double(struct pithi_out *out, enum pithi_text_style style, double value);

/* A piece of a line, made in advance. */
struct pithi_text_piece {
    char *text; /* malloc'ed */
    size_t size;
};

struct pithi_printer {
    struct pithi_out out; /* flush it to show lines at once; if `failed` is set, stop */
    enum pithi_text_style style;
    enum pithi_quote quote;              /* how the style quotes texts */
    const char *glob;                    /* the pattern of --state; NULL: print all */
    struct pithi_text_piece *names;      /* names of definitions, quoted */
    char **formats;                      /* payload formats of definitions */
    unsigned char *wanted;               /* by definition: 1: its name matches the glob; NULL: all match */
    struct pithi_text_piece *comm_names; /* [comm_count]: names of communicators, quoted */
    struct pithi_text_piece *lanes;      /* [lane_count]: the text between the time and the kind of a record */
    uint32_t name_count, comm_count, lane_count;
    int field, fields;                  /* of CSV. field: the next value column of the line; fields: number of value
                                           columns */
    const struct pithi_text_print *how; /* set for a whole log; NULL for a running program */
    struct pithi_payload_line payload;
};

/* Opens a printer. If `glob` is NULL, it prints all records; otherwise only those of states, events and counters with a
 * matching name. The caller keeps and closes the file. */
int pithi_printer_open(struct pithi_printer *printer, FILE *file, enum pithi_text_style style, const char *glob);
/* Frees the printer. Returns `err`, or the write error if `err` is 0. */
int pithi_printer_close(struct pithi_printer *printer, int err);

/* These functions print the lines of definitions, lanes, communicators and properties (in CSV there are none), and keep
 * what the lines of records need. Give definitions in the order of their ids. A lane or communicator is new if its
 * index is one more than the last index; otherwise it replaces an earlier one. The functions return PITH_OK, or an
 * error if memory runs out. */
int pithi_printer_def(struct pithi_printer *printer, const struct pithlog_def *def);
int pithi_printer_lane(struct pithi_printer *printer, uint32_t index, const struct pithlog_lane *lane);
int pithi_printer_comm(struct pithi_printer *printer, uint32_t index, const struct pithlog_comm *comm);
void pithi_printer_property(struct pithi_printer *printer, const char *key, const char *value);
/* Prints the line with the names of the columns. JSON has no such line. */
void pithi_printer_head(struct pithi_printer *printer);
/* Lines for a finished log, by which a reader can detect a cut. PROMISE is printed before the column names and
 * announces the last line, END. CSV and JSON have neither. */
#define PITHI_TEXT_PROMISE "# the last line is \"# end\""
#define PITHI_TEXT_END "# end"
void pithi_printer_promise(struct pithi_printer *printer);
void pithi_printer_end(struct pithi_printer *printer);

/* Prints a record, unless the filter excludes it. */
void pithi_printer_record(struct pithi_printer *printer, const struct pithlog_record *record);

#endif
