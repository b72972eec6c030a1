/* regex_none.c - replaces regex.c where PCRE2 is missing: it reports for every regular expression that PCRE2 is
 * missing. */
#include "wrappergen.h"

#include <stdio.h>

struct regex *regex_open(const char *python, char *why, size_t room)
{
    (void)python;
    snprintf(why, room, "this wrappergen was built without PCRE2, which {{sub}} and {{filter}} need");
    return NULL;
}

int regex_find(struct regex *regex, const char *text, size_t from) { return (void)regex, (void)text, (void)from, 0; }

int regex_group(const struct regex *regex, int number, size_t *begin, size_t *end)
{
    (void)regex, (void)number, (void)begin, (void)end;
    return -1;
}

int regex_number(const struct regex *regex, const char *name) { return (void)regex, (void)name, -1; }

void regex_close(struct regex *regex) { (void)regex; }
