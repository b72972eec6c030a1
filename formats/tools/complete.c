/* complete.c - `pith --complete WORD...`: prints how the last word can be completed. The scripts in
 * formats/tools/completion run this command in bash, zsh and fish.
 *
 * It prints a line for each word that begins with the last WORD: the word, a tab, what the word means. The line
 * ":files" means that names of files also fit. Commands and options are taken from the texts of the help (commands.c),
 * so new ones are completed without a change here.
 *
 *     pith --complete stat app.pith --by st      state, state,lane, statepath
 *     pith --complete info                       info<TAB>print what a log holds, as `key: value` lines
 *
 * The shell runs `pith --complete` for each press of the tab key. So it must be fast and silent: it starts no other
 * program, opens a log only if a state's name is wanted, and prints no error. An unknown word has no completions, or
 * only names of files. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "native/log.h"
#include "reader/read/format.h"
#include "tools/analyze.h"
#include "tools/tools.h"

/* The values of options that take a word from a fixed list. */
static const struct {
    const char *option, *values;
} known[] = {
    {"--lib", "log trace time anim check"},
    {"--also", "io functions openmp pthread memory"},
    {"--mpi", "mpich openmpi abi"},
    {"--what-if", "balanced network=ideal network=latency network="},
    {"--from", "init finalize"},
    {"--to", "init finalize"},
    {"--group", "host comm alike none"},
    {"--legend", "bottom right none"},
    {"--palette", "log classic safe"},
    {"--theme", "light dark"},
    {"--colour", "always never auto"},
};
static const char *const with_file[] = {"-o", "--html", "--json-file", "--flame", "--search"};

static void offer(const char *begun, const char *word, size_t length, const char *meaning)
{
    size_t shown = meaning ? strcspn(meaning, "\n") : 0;

    /* Leaves out names with control characters: they would break the line, or act as keys of the terminal. */
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)word[i]))
            return;
    if (length >= strlen(begun) && strncmp(word, begun, strlen(begun)) == 0)
        printf("%.*s\t%.*s\n", (int)length, word, (int)shown, meaning ? meaning : "");
}

static void offer_words(const char *begun, const char *words, const char *separators)
{
    for (; *words; words += strspn(words, separators)) {
        size_t length = strcspn(words, separators);
        offer(begun, words, length, NULL);
        words += length;
    }
}

/* Returns the start of the next option in a text, such as "-o" or "--lane", or NULL if there is none. */
static const char *next_option(const char *text)
{
    for (const char *at = text; *at; at++)
        /* "-" inside a word, as in "0-3", begins no option */
        if (*at == '-' && (at == text || strchr(" [|(\n", at[-1])) && (isalpha((unsigned char)at[1]) || at[1] == '-'))
            return at;
    return NULL;
}
static size_t option_length(const char *option)
{
    size_t length = option[1] == '-' ? 2 : 1;

    while (isalnum((unsigned char)option[length]) ||
           (option[length] == '-' && isalnum((unsigned char)option[length + 1])))
        length++;
    return length;
}

/* Returns the meaning of an option. It stands in the line of the command's details that begins with this option, as in
 * "  -o OUT  the file" or "  --csv, --json  text". */
static const char *meaning_of(const struct pithi_command *command, const char *option, size_t length)
{
    const char *text = command->details ? command->details : "";

    for (const char *at = text; (at = next_option(at)); at += option_length(at))
        if (at - text >= 2 && at[-1] == ' ' && (at[-2] == ' ' || at[-2] == ',') && option_length(at) == length &&
            strncmp(at, option, length) == 0) {
            /* "  --from TIME    start of": the meaning begins after two blanks */
            const char *end = at + strcspn(at, "\n"), *gap = strstr(at, "  ");
            /* If no two blanks follow, as the name of the option's value is long, the meaning begins after this
             * name. */
            if (!gap || gap > end)
                gap = at + length + strspn(at + length, " ") + strcspn(at + length + strspn(at + length, " "), " \n");
            return gap + strspn(gap, " ");
        }
    return NULL;
}

/* Offers each option once, at its first place in the texts. */
static void offer_options(const struct pithi_command *command, const char *begun)
{
    const char *texts[] = {command->arguments, command->details ? command->details : ""};

    for (int i = 0; i < 2; i++)
        for (const char *at = texts[i]; (at = next_option(at)); at += option_length(at)) {
            size_t length = option_length(at);
            const char *meaning = meaning_of(command, at, length), *before = NULL;
            for (int j = 0; j <= i && !before; j++)
                for (before = next_option(texts[j]); before; before = next_option(before + option_length(before)))
                    if (option_length(before) == length && strncmp(before, at, length) == 0)
                        break;
            /* A bare "--" is no option. An option that occurs only in the details is offered only if a line begins with
             * this option and states its meaning. */
            if (before == at && (i == 0 || meaning) && (length > 2 || at[1] != '-'))
                offer(begun, at, length, meaning);
        }
}

/* Offers the values "a|b|c", in small letters, that the help of a command shows after an option. */
static int offer_listed(const struct pithi_command *command, const char *option, const char *begun)
{
    const char *at = command->arguments;

    while ((at = strstr(at, option))) {
        at += strlen(option);
        if (*at == ' ' && islower((unsigned char)at[1])) {
            char list[200];
            size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz|,");
            snprintf(list, sizeof list, "%.*s", (int)length, at + 1);
            offer_words(begun, list, "|");
            return 1;
        }
    }
    return 0;
}

/* Offers the names of the states of a log, which is found among the earlier words. The log must be a regular file or a
 * folder, because opening a pipe could wait. A log of another format is slow to open only the first time; after that
 * the cache has it. */
static void offer_states(const char *begun, char **words, int count)
{
    for (int i = 0; i < count; i++) {
        struct stat is;
        struct pithlog *log;
        if (words[i][0] == '-' || stat(words[i], &is) != 0 || !(S_ISREG(is.st_mode) || S_ISDIR(is.st_mode)) ||
            pithlog_open(words[i], &log) != 0)
            continue;
        for (uint32_t id = 0; id < pithlog_get_info(log)->defs; id++) {
            const struct pithlog_def *def = pithlog_get_def(log, id);
            if (def && def->kind == PITHLOG_STATE)
                offer(begun, def->name, strlen(def->name), def->group);
        }
        pithlog_close(log);
        return;
    }
}

static void offer_value(const struct pithi_command *command, const char *option, const char *begun, char **words,
                        int count)
{
    for (size_t i = 0; i < sizeof with_file / sizeof *with_file; i++)
        if (strcmp(option, with_file[i]) == 0)
            puts(":files");
    if (offer_listed(command, option, begun))
        return;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(option, known[i].option) == 0)
            offer_words(begun, known[i].values, " ");
    if (strcmp(option, "--format") == 0)
        for (const struct pithi_format *format = pithi_formats; format->name; format++)
            if (format->write || format->write_folder)
                offer(begun, format->name, strlen(format->name), NULL);
    if (strcmp(option, "--state") == 0 || strcmp(option, "--iterations") == 0)
        offer_states(begun, words, count);
    if (strcmp(option, "--explain") == 0)
        for (size_t i = 0; pithi_findings_term(i); i++) {
            char term[80];
            snprintf(term, sizeof term, "%s", pithi_findings_term(i));
            for (char *blank = term; (blank = strchr(blank, ' '));)
                /* Writes a term of two words as one word for the shell, as "late-sender". --explain takes both
                 * forms. */
                *blank = '-';
            offer(begun, term, strlen(term), NULL);
        }
}

/* Returns 1 if the help shows a value after the option, as in "--from TIME" or "--by state|lane". */
static int takes_value(const struct pithi_command *command, const char *option)
{
    const char *texts[] = {command->details ? command->details : "", command->arguments};

    for (int i = 0; i < 2; i++)
        for (const char *at = texts[i]; (at = next_option(at)); at += option_length(at)) {
            size_t length = option_length(at);
            if (length == strlen(option) && strncmp(at, option, length) == 0 && at[length] == ' ' &&
                (isupper((unsigned char)at[length + 1]) || (i == 1 && islower((unsigned char)at[length + 1]))))
                return 1;
        }
    return 0;
}

int pithi_tool_complete(int count, char **words)
{
    const char *begun = count > 0 ? words[count - 1] : "";
    const struct pithi_command *command = count > 1 ? pithi_command_find(words[0]) : NULL;

    if (count <= 1) {
        for (command = pithi_commands; command->name; command++)
            offer(begun, command->name, strlen(command->name), command->summary);
        offer_words(begun, "--help --version", " ");
    } else if (!command)
        puts(":files");
    else if (strcmp(command->name, "help") == 0) {
        for (command = pithi_commands; command->name; command++)
            offer(begun, command->name, strlen(command->name), command->summary);
        offer_words(begun, "env formats", " ");
    } else if (count > 2 && words[count - 2][0] == '-' && takes_value(command, words[count - 2]))
        offer_value(command, words[count - 2], begun, words + 1, count - 3);
    else if (begun[0] == '-')
        offer_options(command, begun);
    else
        puts(":files");
    return 0;
}
