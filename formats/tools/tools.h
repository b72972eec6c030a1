/* tools.h - the commands of `pith`, and the functions that they share. */
#ifndef PITHI_TOOLS_H
#define PITHI_TOOLS_H

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

#include "foreign/text/printer.h"

/* A command: a function here, or, when `run` is NULL, the program libexec/pith/pith-NAME of another folder. */
struct pithi_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] = the command's name; returns the exit status */
    const char *arguments;             /* "LOG [--csv]" */
    const char *summary;               /* one line */
    const char *details;               /* for `pith help NAME`: lines, or NULL */
};
extern const struct pithi_command pithi_commands[]; /* commands.c; ends with a row whose name is NULL */
const struct pithi_command *pithi_command_find(const char *name);

int pithi_tool_info(int argc, char **argv);
int pithi_tool_print(int argc, char **argv);
int pithi_tool_top(int argc, char **argv);
int pithi_tool_stat(int argc, char **argv);
int pithi_tool_analyze(int argc, char **argv);
int pithi_tool_cut(int argc, char **argv);
int pithi_tool_compensate(int argc, char **argv);
int pithi_tool_merge(int argc, char **argv);

int pithi_tool_diff(int argc, char **argv);
int pithi_tool_sql(int argc, char **argv);
int pithi_tool_symbols(int argc, char **argv);
int pithi_tool_convert(int argc, char **argv);
int pithi_tool_check(int argc, char **argv);
int pithi_tool_recover(int argc, char **argv);
int pithi_tool_help(int argc, char **argv);
int pithi_tool_complete(int count, char **words); /* `pith --complete WORD...`, for the shells */
int pithi_tool_prepare(int argc, char **argv);    /* `pith --prepare LOG`, for `pith serve` */

/* ---- Errors: one line on stderr -------------------------------------------------------------------------------- */

/* Prints a line on `out`. Replaces control characters, as names from a log may have them. */
void pithi_tool_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes what is left of `out`, which is standard output. PITH_ERR_IO if not all of it could be written. */
int pithi_tool_flush(FILE *out);
int pithi_tool_failed(void); /* "pith: " and the text of pithlog_error(); returns 1 */
/* Prints "pith: COMMAND: what is wrong; see `pith help COMMAND`"; a text that ends with "did you mean ...?" has no "see
 * ...". Returns 2. */
int pithi_tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The path of the program libexec/pith/pith-NAME, malloc'ed; it may not exist. NULL after an error. */
char *pithi_tool_program(const char *name);
uint64_t pithi_tool_bytes(const char *path); /* the size of a file; 0: unknown */
/* 1: a native log, even if it is cut or damaged, or if one of its files is missing. */
int pithi_tool_is_native(const char *path);
/* Opens a log, with progress on a terminal, because foreign formats are read completely. If the log is incomplete,
 * prints a note on stderr. */
int pithi_tool_open(const char *command, const char *path, struct pithlog **log);

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

/* An option of a command. A table of options ends with a row without a name. */
enum pithi_option_kind {
    PITHI_FLAG, /* sets an int to 1 */
    PITHI_TEXT, /* sets a const char * to the value */
    PITHI_WORD, /* the value is one of `words`; sets an int to its place, from 1 */
    PITHI_READ, /* calls `read` with the value */
    PITHI_BARE  /* calls `read`; there is no value */
};
struct pithi_option {
    const char *name; /* "": the row, which must be the last, gets the arguments, in their order among the options */
    char letter;      /* 0: none */
    enum pithi_option_kind kind;
    void *to;
    const char *words;                                                                 /* separated by blanks */
    int (*read)(const char *command, const char *option, const char *value, void *to); /* 0; else the exit status */
};
enum { PITHI_OPTIONS_MOST = 16 }; /* of a command */

/* Reads the options. Afterwards optind is the first argument. 0; else the exit status, after a message. */
int pithi_tool_options(int argc, char **argv, const struct pithi_option *options);

/* Checks that exactly the arguments `names` (ends with NULL) follow the options: 0, or 2 after a message. */
int pithi_tool_arguments(int argc, char **argv, const char *const *names);

/* A set of lanes: ranks or ranges of ranks, with one thread or all: "3", "0.1", "0-3,7.0". Each call of
 * pithi_parse_lanes adds to the set. */
struct pithi_lane_set {
    struct {
        int32_t first_rank, last_rank;
        int64_t thread; /* -1: all */
    } * ranges;
    uint32_t count;
};
int pithi_parse_lanes(struct pithi_lane_set *set, const char *text); /* 0 or -1 */
int pithi_lanes_has(const struct pithi_lane_set *set, const struct pithlog_lane *lane);
/* The lanes of `log` in the set, ascending, malloc'ed; an error when there is none. */
int pithi_lanes_find(const struct pithi_lane_set *set, const struct pithlog *log, uint32_t **lanes, uint32_t *count);

/* "; did you mean MPI_Send?": the nearest state of the log, or "". */
struct pithi_nearest;
const char *pithi_tool_nearest_state(struct pithi_nearest *nearest, const struct pithlog *log, const char *name);

/* Options that several commands have, as rows of a table. */
#define PITHI_WINDOW_OPTIONS(to)                                                                                       \
    {"from", 0, PITHI_READ, to, NULL, pithi_tool_window}, { "to", 0, PITHI_READ, to, NULL, pithi_tool_window }
#define PITHI_LANE_OPTIONS(to)                                                                                         \
    {"lane", 0, PITHI_READ, to, NULL, pithi_tool_lane}, { "lanes", 0, PITHI_READ, to, NULL, pithi_tool_lane }
/* --where QUERY: parses the query; on an error, marks the place of the mistake. The caller frees the filter. */
struct pithi_asked_query {
    struct pithlog_filter *filter; /* NULL: not given */
    const char *text;
};
#define PITHI_WHERE_OPTION(to)                                                                                         \
    {                                                                                                                  \
        "where", 0, PITHI_READ, to, NULL, pithi_tool_where                                                             \
    }
int pithi_tool_where(const char *command, const char *option, const char *value, void *where);
/* Replaces *log by the records that match, as `pith cut --where` writes them. filter NULL: does nothing. An error if
 * the query asks for names that the log does not have. */
int pithi_tool_filter(struct pithlog **log, const struct pithlog_filter *filter);
/* If *log has lanes that an earlier analysis added (convert --with analysis), replaces it by a copy without them. */
int pithi_tool_leave_added(struct pithlog **log);
#define PITHI_STYLE_OPTIONS(to)                                                                                        \
    {"csv", 0, PITHI_BARE, to, NULL, pithi_tool_style}, {"spreadsheet", 0, PITHI_BARE, to, NULL, pithi_tool_style},    \
    {                                                                                                                  \
        "json", 0, PITHI_BARE, to, NULL, pithi_tool_style                                                              \
    }
void pithi_tool_note_none(const char *path); /* prints that no record matches */
/* Prints how many records of the log were lost while it was recorded; nothing if none. */
void pithi_tool_say_lost(const struct pithlog *log, FILE *out, const char *before);
/* --from and --to are words of pithlog_time_find. pithi_tool_window checks their form and order. pithi_window_find
 * finds their times when the log is open, and prints a note if no part of the log is in the window. If an option was
 * not given, its time is left unchanged. PITH_OK or an error. */
struct pithi_window_words {
    const char *from, *to; /* NULL: not given */
};
int pithi_tool_window(const char *command, const char *option, const char *value, void *words);
int pithi_window_find(struct pithlog *log, const struct pithi_window_words *words, int64_t *from_ns, int64_t *to_ns);
int pithi_tool_lane(const char *command, const char *option, const char *value, void *set); /* struct pithi_lane_set */
int pithi_tool_style(const char *command, const char *option, const char *value,
                     void *style); /* enum pithi_text_style */

#endif
