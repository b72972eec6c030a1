/* macro.c - the wrap dialect's functions of texts and lists: sub, zip, list, filter; and the comparison of types. */
#include "wrappergen.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_REGEX = 200, LONGEST_TEXT = 10000 };

/* Regular expressions of some forms take ages or all memory: repeats of repeats, and references in the expression. */
static int is_harmless(const char *regex)
{
    int stars = 0;

    for (const char *at = regex; *at; at++) {
        stars += *at == '*' || *at == '+' || *at == '{';
        if (*at == '\\' && isdigit((unsigned char)at[1]))
            return 0;
        if (*at == '{' && (at != strchr(regex, '{') || strtol(at + 1, NULL, 10) > 100))
            return 0;
        if (*at == ')' && at[1] && strchr("*+{", at[1]) && stars)
            return 0;
    }
    return strlen(regex) <= LONGEST_REGEX && stars <= 10;
}

static int compile(const struct source *source, size_t at, const char *regex, regex_t *compiled)
{
    char why[200];

    if (!is_harmless(regex)) {
        if (fault_is_new(source, at))
            fault(source, at,
                  "the regular expression '%.40s' is too costly: one of %d characters at most, without "
                  "repeats of repeats and references",
                  regex, LONGEST_REGEX);
        return -1;
    }
    int error = regcomp(compiled, regex, REG_EXTENDED);
    if (!error)
        return 0;
    regerror(error, compiled, why, sizeof why);
    if (fault_is_new(source, at))
        fault(source, at, "'%.40s': %s", regex, why);
    return -1;
}

/* "\1" in the replacement is the first group, "\0" all that matched. */
static void replace(struct text *out, const char *from, const regmatch_t *groups, const char *with)
{
    for (; *with; with++) {
        if (*with == '\\' && isdigit((unsigned char)with[1])) {
            const regmatch_t *group = &groups[*++with - '0'];
            if (group->rm_so >= 0)
                text_add(out, from + group->rm_so, (size_t)(group->rm_eo - group->rm_so));
        } else {
            text_add(out, with, 1);
        }
    }
}

static void sub(const regex_t *regex, const char *from, const char *with, struct value *result)
{
    regmatch_t groups[10];
    struct text out = {0};
    int flags = 0;

    text_puts(&out, "");
    while (out.size < LONGEST_TEXT && !regexec(regex, from, 10, groups, flags)) {
        text_add(&out, from, (size_t)groups[0].rm_so);
        replace(&out, from, groups, with);
        size_t end = (size_t)groups[0].rm_eo;
        if (groups[0].rm_eo == groups[0].rm_so) { /* nothing matched: go on behind the next character */
            if (!from[end])
                break;
            text_add(&out, from + end++, 1);
        }
        from += end;
        flags = REG_NOTBOL;
        if (!*from)
            break;
    }
    text_puts(&out, from);
    value_add(result, out.at, out.size);
}

static void apply_regex(const struct source *source, size_t at, const struct value *texts, const char *regex,
                        const char *with, struct value *result)
{
    regex_t compiled;

    if (compile(source, at, regex, &compiled))
        return;
    for (int i = 0; i < texts->count; i++) {
        if (strlen(texts->items[i]) > LONGEST_TEXT)
            continue;
        if (with)
            sub(&compiled, texts->items[i], with, result);
        else if (!regexec(&compiled, texts->items[i], 0, NULL, 0))
            value_add(result, texts->items[i], strlen(texts->items[i]));
    }
    regfree(&compiled);
}

static const char *first(const struct value *value) { return value->count ? value->items[0] : ""; }

int macro_apply(const struct source *source, size_t at, const struct word *name, const struct value *args, int count,
                struct value *result)
{
    if (word_is(name, "sub") && count == 3) {
        apply_regex(source, at, &args[0], first(&args[1]), first(&args[2]), result);
    } else if (word_is(name, "filter") && count >= 1) {
        for (int i = 1; i < count; i++)
            apply_regex(source, at, &args[i], first(&args[0]), NULL, result);
    } else if (word_is(name, "list")) {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < args[i].count; j++)
                value_add(result, args[i].items[j], strlen(args[i].items[j]));
    } else if (word_is(name, "zip") && count == 2) {
        for (int i = 0; i < args[0].count && i < args[1].count; i++) {
            struct text pair = {0};
            text_printf(&pair, "%s %s", args[0].items[i], args[1].items[i]);
            value_add(result, pair.at, pair.size);
        }
    } else if (word_is(name, "sub") || word_is(name, "filter") || word_is(name, "zip")) {
        if (fault_is_new(source, at))
            fault(source, at, "write {{sub TEXT REGEX REPLACEMENT}}, {{filter REGEX LIST}} or {{zip LIST LIST}}");
    } else {
        return 0;
    }
    return 1;
}

int macro_type_is(const struct arg *arg, const char *type)
{
    const char *own = arg_type(arg);

    for (;; own++, type++) {
        while (isspace((unsigned char)*own))
            own++;
        while (isspace((unsigned char)*type))
            type++;
        if (*own != *type || !*own)
            return *own == *type;
    }
}
