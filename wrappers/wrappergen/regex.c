/* regex.c - regular expressions like Python's, by PCRE2. This is the only file that includes pcre2.h. Where PCRE2 is
 * missing, regex_none.c replaces it. */
#include "wrappergen.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

/* Some expressions take very long or all memory. These limits end a search within a second. */
enum { LONGEST_REGEX = 2000, MOST_STEPS = 1000000, MOST_KIB = 20000 };

struct regex {
    pcre2_code *code;
    pcre2_match_data *found;
    pcre2_match_context *limits;
};

/* Translates an expression of Python for PCRE2: Python's \Z, the very end of the text, is \z there. */
static char *translate(const char *python)
{
    char *copy = text_copy(python, strlen(python));

    for (char *at = copy; *at; at++)
        if (*at == '\\' && at[1] && *++at == 'Z')
            *at = 'z';
    return copy;
}

struct regex *regex_open(const char *python, char *why, size_t room)
{
    struct regex *regex = make(sizeof *regex);
    PCRE2_SIZE at = 0;
    int error = 0;

    if (strlen(python) > LONGEST_REGEX) {
        strncpy(why, "the regular expression is longer than 2000 characters", room);
        return NULL;
    }
    regex->code = pcre2_compile((PCRE2_SPTR)translate(python), PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
    if (!regex->code) {
        pcre2_get_error_message(error, (PCRE2_UCHAR *)why, room);
        return NULL;
    }
    regex->found = pcre2_match_data_create_from_pattern(regex->code, NULL);
    regex->limits = pcre2_match_context_create(NULL);
    if (!regex->found || !regex->limits) {
        strncpy(why, "out of memory", room);
        regex_close(regex);
        return NULL;
    }
    pcre2_set_match_limit(regex->limits, MOST_STEPS);
    pcre2_set_heap_limit(regex->limits, MOST_KIB);
    return regex;
}

int regex_find(struct regex *regex, const char *text, size_t from)
{
    int count = pcre2_match(regex->code, (PCRE2_SPTR)text, strlen(text), from, 0, regex->found, regex->limits);

    return count > 0 ? 1 : count == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

int regex_group(const struct regex *regex, int number, size_t *begin, size_t *end)
{
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(regex->found);

    if (number < 0 || (uint32_t)number >= pcre2_get_ovector_count(regex->found))
        return -1;
    *begin = places[2 * number];
    *end = places[2 * number + 1];
    if (*begin == PCRE2_UNSET || *begin > *end) /* unused, or reversed by \K in a lookahead */
        *begin = *end = 0;
    return 0;
}

int regex_number(const struct regex *regex, const char *name)
{
    return pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)name);
}

void regex_close(struct regex *regex)
{
    pcre2_match_context_free(regex->limits);
    pcre2_match_data_free(regex->found);
    pcre2_code_free(regex->code);
}
