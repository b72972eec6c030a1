/* cut.h - cuts a template of the wrap dialect: where escapes, their words and blocks begin and end. Knows nothing of
 * what they mean. */
#ifndef WRAPPERGEN_CUT_H
#define WRAPPERGEN_CUT_H

#include "wrappergen.h"

struct range {
    size_t begin, end;
};

enum { CUT_DEEPEST = 40 };
extern const char *const cut_blocks[]; /* names of blocks, NULL-terminated; {{endNAME}} ends one */

/* The next escape in the range, and where its inside is (inside->end 0: it does not end); 0: there is none. Comments
 * and characters are passed over; *in_string says whether the text before left a string open. */
int cut_next(const struct source *source, struct range range, int *in_string, struct range *inside);
/* 1 when that escape is four braces. */
int cut_is_four(const struct source *source, const struct range *inside);
/* Where the escape that begins at `at` ends: the offset of its "}}", or 0. Escapes stand inside escapes. */
size_t cut_escape_end(const struct source *source, size_t at, size_t end);
/* 1 when the character stands there twice. */
int cut_is_two(const struct source *source, size_t at, size_t end, char c);
int cut_is_quote(int c);
/* Cuts an escape's inside into words at white space outside quotes and inner escapes. */
struct range *cut_words(const struct source *source, struct range inside, int *count);
struct word cut_word(const struct source *source, struct range range);
/* The first word of an escape; the number of the block that it begins, or ends; -1: of none. */
struct word cut_keyword(const struct source *source, struct range inside);
int cut_block(const struct word *word);
int cut_end(const struct word *word);
/* The number of the block that the escape opens; -1: of none, as {{def NAME VALUE}} does not. */
int cut_opens(const struct source *source, struct range inside);
/* The end of the block that was opened before range.begin; *after is behind its {{endNAME}}. 0: it has none. */
int cut_block_end(const struct source *source, struct range range, int block, size_t *end, size_t *after);

#endif
