/* help.c - `pith help`: all text comes from tables.
 *
 * `pith help run` prints a row of the table in commands.c, and `pith help env` prints the rows of env.def. `pith help
 * formats` prints the table from which the readers and writers are also selected. So a new row needs no second text,
 * and help cannot name a format that does not exist.
 *
 * The table of formats is for a terminal of 100 columns and wraps each column by itself, at blanks:
 *
 *     name     can be     suffixes        what is kept, and what is lost
 *     alog     read+write .alog           ...
 *
 * Only the texts of the last two columns can need several lines; a format's name and its access are one word each. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "reader/read/format.h"
#include "tools/tools.h"

static const struct {
    const char *name, *standard, *range, *help;
} variables[] = {
#define ENV(name, standard, range, help) {name, standard, range, help},
#include "tools/env.def"
#undef ENV
};

/* ---- The table of formats ---------------------------------------------------------------------------------------- */

enum {
    NAME_WIDTH = 9, /* this and the next three are the widths of the four columns */
    ACCESS_WIDTH = 11,
    SUFFIX_WIDTH = 16,
    SUMMARY_WIDTH = 65
}; /* a line has 100 characters at most, as each column ends with a blank */

/* Writes as many words of *text as fit into one line of a column, padded to the column's width, and moves *text past
 * them. Returns the size. */
static size_t put_column(char *line, const char **text, size_t width)
{
    size_t fits = 0, length, size; /* fits: bytes of *text that are taken; length: that of the word at `at` */

    /* Takes whole words, at least one, and leaves a blank before the next column. */
    for (size_t at = 0; (*text)[at]; at += length + strspn(*text + at + length, " ")) {
        length = strcspn(*text + at, " ");
        if (fits && at + length > width - 1) /* a first word that is too long stands alone, and makes its line longer */
            break;
        fits = at + length;
    }
    size = (size_t)sprintf(line, "%-*.*s", (int)width, (int)fits, *text);
    *text += fits + strspn(*text + fits, " ");
    return size;
}

static void put_row(const char *name, const char *access, const char *suffixes, const char *summary)
{
    char line[512];

    do {
        size_t used = put_column(line, &name, NAME_WIDTH);

        used += put_column(line + used, &access, ACCESS_WIDTH);
        used += put_column(line + used, &suffixes, SUFFIX_WIDTH);
        used += put_column(line + used, &summary, SUMMARY_WIDTH);
        while (used > 0 && line[used - 1] == ' ')
            used--;
        printf("%.*s\n", (int)used, line);
    } while (*summary || *suffixes); /* a column whose text has ended is printed as blanks while the other column goes
                                        on */
}

static int print_help(int argc, char **argv)
{
    struct pithi_nearest nearest;

    if (argc < 2) { /* `pith help` without a topic */
        puts("usage: pith COMMAND ...\n\nPith records and shows what every rank and thread of a parallel program"
             " did, and when.\n");
        for (const struct pithi_command *command = pithi_commands; command->name; command++)
            printf("  %-10s %s\n", command->name, command->summary);
        puts("\nMore: `pith help COMMAND`; `pith help env` for the environment variables; `pith help formats` for the "
             "formats.\n"
             "`pith --version` prints the version. Manual: man pith.");
        return 0;
    }
    if (argc > 2)
        return pithi_tool_usage("help", "give one topic at a time");
    if (strcmp(argv[1], "env") == 0) {
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
            printf("%s (%s; default: %s)\n    %s\n", variables[i].name, variables[i].range, variables[i].standard,
                   variables[i].help);
        return 0;
    }
    if (strcmp(argv[1], "formats") == 0) {
        put_row("name", "can be", "suffixes", "what is kept, and what is lost");
        for (const struct pithi_format *format = pithi_formats; format->name; format++) {
            char suffixes[128]; /* the format's suffixes, each with '/' at its end if the format is a folder */
            size_t used = 0;
            /* 3 bytes must be free: for this byte, a slash and the NUL. */
            for (const char *from = format->suffixes; *from && used + 3 < sizeof suffixes; from++) {
                suffixes[used++] = *from;
                if (format->write_folder && (from[1] == ' ' || from[1] == 0))
                    suffixes[used++] = '/';
            }
            suffixes[used] = 0;
            put_row(format->name,
                    !format->write && !format->write_folder ? "read"
                    : !format->read                         ? "written"
                                                            : "read+write",
                    suffixes, format->summary);
        }
        puts("\nA suffix with / belongs to a folder. See pith-formats(5).");
        return 0;
    }
    const struct pithi_command *command = pithi_command_find(argv[1]);
    if (command) {
        printf("usage: pith %s %s\n\n%s\n", command->name, command->arguments, command->summary);
        if (command->details)
            printf("\n%s", command->details);
        return 0;
    }
    const char *topic = argv[1] + strspn(argv[1], "-"); /* `pith help --env` means env */
    pithi_nearest_begin(&nearest, topic, strlen(topic));
    pithi_nearest_try(&nearest, "env");
    pithi_nearest_try(&nearest, "formats");
    for (command = pithi_commands; command->name; command++)
        pithi_nearest_try(&nearest, command->name);
    if (nearest.name)
        return pithi_tool_usage("help", "no such topic: %s; did you mean `pith help %s`?", argv[1], nearest.name);
    pithi_tool_say(stderr, "pith: help: no such topic: %s; `pith help` lists them", argv[1]);
    return 2;
}

int pithi_tool_help(int argc, char **argv)
{
    int status = print_help(argc, argv);

    return status ? status : pithi_tool_flush(stdout) ? pithi_tool_failed() : 0;
}
