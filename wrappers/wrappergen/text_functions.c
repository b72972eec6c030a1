/* text_functions.c - {{sub}}, {{zip}}, {{list}} and {{filter}}: functions of texts and lists.
 *
 *     {{sub MPI_Send '^MPI_(.*)' 'my_\1'}}        my_Send
 *     {{filter '^MPI_' {{types}}}}                MPI_Datatype, MPI_Comm  (for MPI_Send)
 *
 * {{sub}} and {{filter}} behave like Python's re, because the templates of the wrap dialect were written for a program
 * in Python.
 */
#include "expand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 10000 }; /* bytes */

void value_add(struct value *value, const char *from, size_t size)
{
    value->items = grow(value->items, (size_t)value->count, sizeof *value->items);
    value->items[value->count++] = text_copy(from, size);
}

void value_puts(struct value *value, const char *text) { value_add(value, text, strlen(text)); }

/* The place of a regular expression, for messages. */
struct regex_place {
    const struct gen_source *source;
    size_t at;
    const char *regex;
};

static void regex_fault(const struct regex_place *place, const char *why)
{
    fault_once(place->source, place->at, "'%.40s': %s", place->regex, why);
}

/* Reads the name of a group after a backslash in a replacement: 1, 12, g<1> or g<name>. Moves *with behind the name.
 * Returns the group's number; -1 if there is no such group. */
static int group_named(const struct regex *regex, const char **with)
{
    size_t size = strspn(*with, "0123456789");

    if (size) {
        const char *digits = text_copy(*with, size < 2 ? size : 2);
        *with += strlen(digits);
        return atoi(digits);
    }
    if (**with != 'g' || (*with)[1] != '<' || !strchr(*with, '>'))
        return -1;
    size = strcspn(*with += 2, ">");
    const char *name = text_copy(*with, size);
    *with += size + 1;
    return strspn(name, "0123456789") == size && size && size < 3 ? atoi(name) : regex_number(regex, name);
}

/* Adds the replacement `with` for a match in `from`, as Python's re.sub does: groups by number or name, and escapes
 * such as \n. A backslash before any other character is copied. "\0" is the whole match. */
static void replace(const struct regex_place *place, const struct regex *regex, struct gen_text *out, const char *from,
                    const char *with)
{
    static const char escapes[] = "n\nt\tr\rf\fv\va\ab\b\\\\";
    size_t begin, end;

    while (*with) {
        if (*with != '\\' || !with[1]) {
            text_add(out, with++, 1);
            continue;
        }
        const char *escape = escapes;
        while (*escape && *escape != with[1])
            escape += 2;
        if (*escape) {
            text_add(out, escape + 1, 1);
            with += 2;
        } else if (isdigit((unsigned char)with[1]) || with[1] == 'g') {
            with++;
            if (regex_group(regex, group_named(regex, &with), &begin, &end)) {
                regex_fault(place, "the replacement names a group that the regular expression does not have");
                return;
            }
            text_add(out, from + begin, end - begin);
        } else {
            text_add(out, with++, 1);
        }
    }
}

/* Replaces all matches. An empty match right after another match does not count, so '.*' replaces a whole text once. */
static void sub(const struct regex_place *place, struct regex *regex, const char *from, const char *with,
                struct value *result)
{
    size_t size = strlen(from), at = 0, copied = 0, begin, end;
    struct gen_text out = {0};
    int found = 0;

    text_puts(&out, "");
    while (at <= size && out.size < LONGEST_TEXT && (found = regex_find(regex, from, at)) > 0) {
        regex_group(regex, 0, &begin, &end);
        if (begin == end && begin == copied && at) {
            at = end + 1;
            continue;
        }
        text_add(&out, from + copied, begin - copied);
        replace(place, regex, &out, from, with);
        copied = end;
        at = begin == end ? end + 1 : end;
    }
    if (found < 0)
        regex_fault(place, "the regular expression takes too long");
    text_puts(&out, from + copied);
    value_add(result, out.at, out.size);
}

/* Runs {{sub}} on each text, or {{filter}} if `with` is NULL. */
static void apply_regex(const struct regex_place *place, const struct value *texts, const char *with,
                        struct value *result)
{
    char why[200] = "";
    struct regex *regex = regex_open(place->regex, why, sizeof why - 1);

    if (!regex) {
        regex_fault(place, why);
        return;
    }
    for (int i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        if (strlen(text) > LONGEST_TEXT) {
            regex_fault(place, "the text is longer than 10000 characters");
        } else if (with) {
            sub(place, regex, text, with, result);
        } else {
            int found = regex_find(regex, text, 0);
            if (found < 0)
                regex_fault(place, "the regular expression takes too long");
            if (found > 0)
                value_add(result, text, strlen(text));
        }
    }
    regex_close(regex);
}

static const char *first(const struct value *value) { return value->count ? value->items[0] : ""; }

int apply_function(const struct gen_source *source, size_t at, const struct gen_word *name, const struct value *args,
                   int count, struct value *result)
{
    struct regex_place place = {source, at, count ? first(&args[0]) : ""};

    if (word_is(name, "sub") && count == 3) {
        place.regex = first(&args[1]);
        apply_regex(&place, &args[0], first(&args[2]), result);
    } else if (word_is(name, "filter") && count >= 1) {
        for (int i = 1; i < count; i++)
            apply_regex(&place, &args[i], NULL, result);
    } else if (word_is(name, "list")) {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < args[i].count; j++)
                value_add(result, args[i].items[j], strlen(args[i].items[j]));
    } else if (word_is(name, "zip") && count == 2) {
        for (int i = 0; i < args[0].count && i < args[1].count; i++) {
            value_puts(result, text_format("%s %s", args[0].items[i], args[1].items[i]));
        }
    } else if (word_is(name, "sub") || word_is(name, "filter") || word_is(name, "zip")) {
        fault_once(source, at, "write {{sub TEXT REGEX REPLACEMENT}}, {{filter REGEX LIST}} or {{zip LIST LIST}}");
    } else {
        return 0;
    }
    return 1;
}
