/* function_filter.c - which functions the user wants, according to a file such as this one:
 *
 *     # only the solver, without its helpers
 *     exclude *
 *     include solve*
 *     exclude-file *_helper.c
 *
 * The last line that matches a function decides; a function that no line matches is wanted. */
#include "functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/launcher.h"
#include "base/open_file.h"
#include "base/say.h"

static struct rule {
    /* is_wanted: 1 for "include", 0 for "exclude"; is_source: 1 if the glob matches source files, 0 if functions */
    int is_wanted, is_source;
    char *glob;
    struct rule *before; /* the rule of the line above; a search begins with the last line's rule */
} * last;

static void complain(const char *file, int line, const char *what)
{
    if (pithi_launcher_rank(0) != 0)
        return;
    if (line)
        pithi_say("PITH_FUNCTIONS_FILTER: %s: line %d: %s; the line is ignored", file, line, what);
    else
        pithi_say("PITH_FUNCTIONS_FILTER: %s: %s; all functions are recorded", file, what);
}

/* Adds the rule in `line`, and changes the text of `line`. Returns 0 if the line is not a rule. */
static int add_rule(char *line)
{
    static const struct {
        const char *word;
        int is_wanted, is_source;
    } kinds[] = {{"include", 1, 0}, {"exclude", 0, 0}, {"include-file", 1, 1}, {"exclude-file", 0, 1}};
    char *glob = line + strcspn(line, " \t"), *end;
    struct rule *rule;

    if (*glob)
        *glob++ = 0;
    glob += strspn(glob, " \t"); /* the rest of the line is the glob, because names of C++ may contain blanks */
    for (end = glob + strlen(glob); end > glob && strchr(" \t\r\n", end[-1]); end--)
        ;
    *end = 0;
    for (size_t i = 0; *glob && i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(line, kinds[i].word) && (rule = malloc(sizeof *rule)) != NULL) {
            *rule = (struct rule){kinds[i].is_wanted, kinds[i].is_source, strdup(glob), last};
            last = rule;
            return 1;
        }
    return 0;
}

void pithi_traced_filter_read(void)
{
    const char *name = secure_getenv("PITH_FUNCTIONS_FILTER");
    FILE *file = name && *name ? pithi_open_whole(name) : NULL;
    char line[4096];

    if (!name || !*name)
        return;
    if (!file) {
        complain(name, 0, pithi_open_why());
        return;
    }
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *begin = line + strspn(line, " \t\r\n");
        if (*begin && *begin != '#' && !add_rule(begin))
            complain(name, number, "expected include, exclude, include-file or exclude-file, and a pattern");
    }
    fclose(file);
}

int pithi_traced_filter(const char *name, const char *source)
{
    const struct rule *rule = last;

    while (rule &&
           (rule->is_source ? !source || fnmatch(rule->glob, source, 0) != 0 : fnmatch(rule->glob, name, 0) != 0))
        rule = rule->before;
    return !rule || rule->is_wanted;
}
