/* cut.c - cuts a template of the wrap dialect. */
#include "cut.h"

#include <ctype.h>
#include <string.h>

enum { MOST_WORDS = 1000 };

const char *const cut_blocks[] = {"fn", "fnall", "fnalltype", "fnallntype", "forallfn", "foreachfn", "def", NULL};

int cut_is_two(const struct source *source, size_t at, size_t end, char c)
{
    return at + 1 < end && source->at[at] == c && source->at[at + 1] == c;
}

/* Where the escape that begins at `at` ends: the offset of its "}}", or 0. Escapes stand inside escapes. */
size_t cut_escape_end(const struct source *source, size_t at, size_t end)
{
    int depth = 1;

    for (at += 2; at + 1 < end; at++) {
        if (cut_is_two(source, at, end, '{'))
            depth++, at++;
        else if (cut_is_two(source, at, end, '}')) {
            if (--depth == 0)
                return at;
            at++;
        }
    }
    return 0;
}

/* Behind a comment, a character or the text between two escapes that begins at `at`: at least one further. */
static size_t skip_text(const struct source *source, size_t at, size_t end, int *in_string)
{
    const char *text = source->at;

    if (*in_string) {
        *in_string = text[at] != '"' && text[at] != '\n';
        return text[at] == '\\' && at + 1 < end && text[at + 1] != '{' ? at + 2 : at + 1;
    }
    if (text[at] == '\'' && at + 2 < end && text[at + 1] != '\\' && text[at + 2] == '\'')
        return at + 3;
    if (text[at] == '\'' && at + 3 < end && text[at + 1] == '\\' && text[at + 3] == '\'')
        return at + 4;
    *in_string = text[at] == '"';
    if (text[at] != '/' || at + 1 >= end || (text[at + 1] != '*' && text[at + 1] != '/'))
        return at + 1;
    const char *close = text[at + 1] == '*' ? "*/" : "\n";
    for (size_t i = at + 2; i < end; i++)
        if (!strncmp(text + i, close, strlen(close)))
            return i + strlen(close) < end ? i + strlen(close) : end;
    return end;
}

/* The next escape in the range, and where its inside is; 0: none. `*in_string` as the text before leaves it. */
int cut_next(const struct source *source, struct range range, int *in_string, struct range *inside)
{
    size_t at = range.begin;

    while (at < range.end) {
        if (!cut_is_two(source, at, range.end, '{')) {
            at = skip_text(source, at, range.end, in_string);
        } else if (at + 3 < range.end && cut_is_two(source, at + 2, range.end, '{')) {
            inside->begin = inside->end = at + 2; /* four braces */
            return 1;
        } else {
            inside->begin = at + 2;
            inside->end = cut_escape_end(source, at, range.end);
            return 1;
        }
    }
    return 0;
}

int cut_is_four(const struct source *source, const struct range *inside)
{
    return inside->begin == inside->end && cut_is_two(source, inside->begin, source->size, '{');
}

int cut_is_quote(int c) { return c == '\'' || c == '"'; }

/* Cuts an escape's inside into words at white space outside quotes and inner escapes. */
struct range *cut_words(const struct source *source, struct range inside, int *count)
{
    struct range *words = NULL;
    size_t at = inside.begin;

    for (*count = 0;;) {
        while (at < inside.end && isspace((unsigned char)source->at[at]))
            at++;
        if (at >= inside.end || *count == MOST_WORDS)
            return words;
        size_t begin = at;
        if (cut_is_quote(source->at[at])) {
            const char *close = memchr(source->at + at + 1, source->at[at], inside.end - at - 1);
            at = close ? (size_t)(close - source->at) + 1 : inside.end;
        }
        while (at < inside.end && !isspace((unsigned char)source->at[at])) {
            size_t end = cut_is_two(source, at, inside.end, '{') ? cut_escape_end(source, at, inside.end) : 0;
            at = end ? end + 2 : at + 1;
        }
        words = grow(words, (size_t)*count, sizeof *words);
        words[(*count)++] = (struct range){begin, at};
    }
}

struct word cut_word(const struct source *source, struct range range)
{
    return (struct word){source->at + range.begin, range.end - range.begin};
}

struct word cut_keyword(const struct source *source, struct range inside)
{
    while (inside.begin < inside.end && isspace((unsigned char)source->at[inside.begin]))
        inside.begin++;
    size_t end = inside.begin;
    while (end < inside.end && !isspace((unsigned char)source->at[end]))
        end++;
    return cut_word(source, (struct range){inside.begin, end});
}

int cut_block(const struct word *word)
{
    for (int i = 0; cut_blocks[i]; i++)
        if (word_is(word, cut_blocks[i]))
            return i;
    return -1;
}

int cut_opens(const struct source *source, struct range inside)
{
    struct word word = cut_keyword(source, inside);
    int count = 0;

    if (word_is(&word, "def"))
        cut_words(source, inside, &count);
    return count > 2 ? -1 : cut_block(&word);
}

int cut_end(const struct word *word)
{
    struct word rest = {word->at + 3, word->size - 3};

    return word->size > 3 && !memcmp(word->at, "end", 3) ? cut_block(&rest) : -1;
}

/* The end of the block that was opened before range.begin: *after is behind its {{endX}}. 0: it has none. */
int cut_block_end(const struct source *source, struct range range, int block, size_t *end, size_t *after)
{
    int open[CUT_DEEPEST + 1] = {block}, depth = 1, in_string = 0;
    struct range inside;

    while (cut_next(source, range, &in_string, &inside) && inside.end) {
        struct word word = cut_keyword(source, inside);
        int opened = cut_is_four(source, &inside) ? -1 : cut_opens(source, inside), ended = cut_end(&word), d = depth;
        range.begin = inside.end + 2;
        if (opened >= 0 && depth < CUT_DEEPEST)
            open[depth++] = opened;
        while (ended >= 0 && d && open[d - 1] != ended)
            d--;
        if (ended >= 0 && d) /* those inside that are not closed are told when they are run */
            depth = d - 1;
        if (depth == 0) {
            *end = inside.begin - 2;
            *after = inside.end + 2;
            return 1;
        }
    }
    return 0;
}
