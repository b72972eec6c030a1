/* help.c - `pith help`: everything it says comes from tables. */
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "tools/tools.h"

static const struct {
    const char *name, *standard, *range, *help;
} variables[] = {
#define ENV(name, standard, range, help) {name, standard, range, help},
#include "env.def"
#undef ENV
};

static int help_all(void)
{
    puts("usage: pith COMMAND ...\n\nPith records and shows what every rank and thread of a parallel program"
         " did, and when.\n");
    for (const struct pithi_command *command = pithi_commands; command->name; command++)
        printf("  %-8s %s\n", command->name, command->summary);
    puts("\n`pith help COMMAND` tells more; `pith help env` lists the environment variables, "
         "`pith help formats` the formats;\n"
         "`pith --version` tells the version. The manual: man pith.");
    return 0;
}

static int help_env(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        printf("%s (%s; default: %s)\n    %s\n", variables[i].name, variables[i].range, variables[i].standard,
               variables[i].help);
    return 0;
}

static int help_formats(void)
{
    printf("%-8s %-10s %-11s %s\n", "name", "suffixes", "can be", "what it keeps");
    for (const struct pithi_format *format = pithi_formats; format->name; format++)
        printf("%-8s %-10s %-11s %s\n", format->name, format->suffixes,
               !format->write && !format->write_folder ? "read"
               : !format->read                         ? "written"
                                                       : "read+write",
               format->summary);
    return 0;
}

static int help_command(const struct pithi_command *command)
{
    printf("usage: pith %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->details)
        printf("\n%s", command->details);
    return 0;
}

int pithi_tool_help(int argc, char **argv)
{
    if (argc < 2)
        return help_all();
    if (argc > 2)
        return pithi_tool_usage("help", "one topic at a time");
    if (strcmp(argv[1], "env") == 0)
        return help_env();
    if (strcmp(argv[1], "formats") == 0)
        return help_formats();
    const struct pithi_command *command = pithi_command_find(argv[1]);
    if (command)
        return help_command(command);
    return pithi_tool_usage("help", "no such topic: %s", argv[1]);
}
