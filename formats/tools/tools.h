/* tools.h - the commands of `pith`, and the functions that they share. */
#ifndef PITHI_TOOLS_H
#define PITHI_TOOLS_H

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>

#include "foreign/text/printer.h"

/* A command. If `run` is NULL, the command is not a function of `pith`, but the program libexec/pith/pith-NAME. */
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
/* Writes what is still in the buffer of `out`, which is standard output. Returns PITH_OK, or PITH_ERR_IO if any of the
 * output could not be written. */
int pithi_tool_flush(FILE *out);
int pithi_tool_failed(void); /* prints "pith: " and the text of pithlog_error(); returns 1, the exit status */
/* Prints "pith: COMMAND: what is wrong; see `pith help COMMAND`". If the text ends with "did you mean ...?", leaves out
 * the "see". Returns 2, the exit status. */
int pithi_tool_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the path of the program libexec/pith/pith-NAME, malloc'ed, without checking that the program exists. Returns
 * NULL after an error. */
char *pithi_tool_program(const char *name);
uint64_t pithi_tool_bytes(const char *path); /* returns the size of a file, or 0 if it is unknown */
/* Returns 1 if the file is a native log, even if it is cut or damaged, or if one of its files is missing. */
int pithi_tool_is_native(const char *path);
/* Opens a log. Shows the progress on a terminal, because a log of another format is read completely, which may take
 * long. If the log is incomplete, prints a note on stderr. */
int pithi_tool_open(const char *command, const char *path, struct pithlog **log);

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

/* An option of a command. A table of options ends with a row without a name. */
enum pithi_option_kind {
    PITHI_FLAG, /* sets an int to 1 */
    PITHI_TEXT, /* sets a const char * to the value */
    PITHI_WORD, /* the value is one of `words`; sets an int to its number among them, from 1 */
    PITHI_READ, /* calls `read` with the value */
    PITHI_BARE  /* calls `read`; there is no value */
};
struct pithi_option {
    const char *name; /* "" in the last row: its `read` is called for each argument, in the order of the command line */
    char letter;      /* 0: none */
    enum pithi_option_kind kind;
    void *to;
    const char *words;                                                                 /* separated by blanks */
    int (*read)(const char *command, const char *option, const char *value, void *to); /* returns 0 or an exit status */
};
enum { PITHI_OPTIONS_MOST = 16 }; /* the most options that a command has */

/* Reads the options. Afterwards optind is the index of the first argument. Returns 0, or the exit status if an option
 * is wrong; then it has printed a message. */
int pithi_tool_options(int argc, char **argv, const struct pithi_option *options);

/* Checks that as many arguments as `names` has follow the options. `names` has their names for messages and ends with
 * NULL. Returns 0, or 2 after it has printed a message. */
int pithi_tool_arguments(int argc, char **argv, const char *const *names);

/* A set of lanes: ranks or ranges of ranks, with one thread or all threads, as in "3", "0.1" or "0-3,7.0". Each call of
 * pithi_parse_lanes adds to the set. */
struct pithi_lane_set {
    struct {
        int32_t first_rank, last_rank;
        int64_t thread; /* -1: all */
    } * ranges;
    uint32_t count;
};
int pithi_parse_lanes(struct pithi_lane_set *set, const char *text); /* returns 0; -1 if `text` has a wrong form */
int pithi_lanes_has(const struct pithi_lane_set *set, const struct pithlog_lane *lane);
/* Finds the lanes of `log` that are in the set: their indexes, ascending, malloc'ed. Returns PITH_OK, or an error if
 * the log has none of these lanes. */
int pithi_lanes_find(const struct pithi_lane_set *set, const struct pithlog *log, uint32_t **lanes, uint32_t *count);

/* Returns a hint with the state of the log whose name is nearest to `name`, such as "; did you mean MPI_Send?", or ""
 * if no name is near. */
struct pithi_nearest;
const char *pithi_tool_nearest_state(struct pithi_nearest *nearest, const struct pithlog *log, const char *name);

/* Options that several commands have, as rows of a table. */
#define PITHI_WINDOW_OPTIONS(to)                                                                                       \
    {"from", 0, PITHI_READ, to, NULL, pithi_tool_window}, { "to", 0, PITHI_READ, to, NULL, pithi_tool_window }
#define PITHI_LANE_OPTIONS(to)                                                                                         \
    {"lane", 0, PITHI_READ, to, NULL, pithi_tool_lane}, { "lanes", 0, PITHI_READ, to, NULL, pithi_tool_lane }
/* For --where QUERY. pithi_tool_where parses the query; on an error it prints the query with a mark at the mistake. The
 * caller frees the filter. */
struct pithi_asked_query {
    struct pithlog_filter *filter; /* NULL: not given */
    const char *text;
};
#define PITHI_WHERE_OPTION(to)                                                                                         \
    {                                                                                                                  \
        "where", 0, PITHI_READ, to, NULL, pithi_tool_where                                                             \
    }
int pithi_tool_where(const char *command, const char *option, const char *value, void *where);
/* Replaces *log by a log of only the records that the filter matches, as `pith cut --where` writes it. Does nothing if
 * `filter` is NULL. Returns an error if the query asks for names that the log does not have. */
int pithi_tool_filter(struct pithlog **log, const struct pithlog_filter *filter);
/* If *log has lanes that an earlier analysis added (convert --with analysis), replaces it by a copy without them. */
int pithi_tool_leave_added(struct pithlog **log);
#define PITHI_STYLE_OPTIONS(to)                                                                                        \
    {"csv", 0, PITHI_BARE, to, NULL, pithi_tool_style}, {"spreadsheet", 0, PITHI_BARE, to, NULL, pithi_tool_style},    \
    {                                                                                                                  \
        "json", 0, PITHI_BARE, to, NULL, pithi_tool_style                                                              \
    }
void pithi_tool_note_none(const char *path); /* prints that no record matches */
/* Prints how many records of the log were lost while it was recorded. Prints nothing if no record was lost. */
void pithi_tool_say_lost(const struct pithlog *log, FILE *out, const char *before);
/* The values of --from and --to, which are words of pithlog_time_find. pithi_tool_window checks their form and order.
 * pithi_window_find finds their times when the log is open; if an option was not given, it leaves the time unchanged.
 * It prints a note if no part of the log is in the window, and returns PITH_OK or an error. */
struct pithi_window_words {
    const char *from, *to; /* NULL: not given */
};
int pithi_tool_window(const char *command, const char *option, const char *value, void *words);
int pithi_window_find(struct pithlog *log, const struct pithi_window_words *words, int64_t *from_ns, int64_t *to_ns);
int pithi_tool_lane(const char *command, const char *option, const char *value, void *set); /* struct pithi_lane_set */
int pithi_tool_style(const char *command, const char *option, const char *value,
                     void *style); /* enum pithi_text_style */

#endif
