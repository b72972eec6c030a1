/* wrap.h - what the two sources of the wrap dialect share. wrap.c finds escapes and blocks in a template and writes the
 * blocks; wrap_words.c evaluates escapes. */
#ifndef WRAPPERGEN_WRAP_H
#define WRAPPERGEN_WRAP_H

#include "wrappergen.h"

/* A list of texts; written with ", " between them. */
struct value {
    char **items;
    int count;
};

struct gen_range {
    size_t begin, end;
};

enum { CUT_DEEPEST = 40 };
extern const char *const cut_blocks[]; /* names of blocks, NULL-terminated; {{endNAME}} ends one */

/* Finds the next escape in the range, and the range of its inside (inside->end 0: it does not end). 0: there is none.
 * Comments and character constants are skipped. *in_string: a string is open at the beginning, and at the end. */
int cut_next(const struct gen_source *source, struct gen_range range, int *in_string, struct gen_range *inside);
/* 1: that escape is four braces. */
int cut_is_four(const struct gen_source *source, const struct gen_range *inside);
/* The offset of the "}}" of the escape that begins at `at`; 0: it does not end. Escapes may contain escapes. */
size_t cut_escape_end(const struct gen_source *source, size_t at, size_t end);
/* 1: the character stands there twice. */
int cut_is_two(const struct gen_source *source, size_t at, size_t end, char c);
int cut_is_quote(int c);
/* Splits an escape's inside into words at white space outside quotes and inner escapes. */
struct gen_range *cut_words(const struct gen_source *source, struct gen_range inside, int *count);
struct gen_word cut_word(const struct gen_source *source, struct gen_range range);
/* The first word of an escape. */
struct gen_word cut_keyword(const struct gen_source *source, struct gen_range inside);
/* The index in cut_blocks of the block with this name, or that {{endNAME}} ends; -1: none. */
int cut_block(const struct gen_word *word);
int cut_end(const struct gen_word *word);
/* The index of the block that the escape begins; -1: none. {{def NAME VALUE}} begins no block. */
int cut_opens(const struct gen_source *source, struct gen_range inside);
/* Finds the end of the block that was begun before range.begin; *after is the offset after its {{endNAME}}. 0: it has
 * no end. */
int cut_block_end(const struct gen_source *source, struct gen_range range, int block, size_t *end, size_t *after);

/* The loops and wrappers around an escape, innermost first along `outer`. */
struct scope {
    const struct scope *outer;
    struct gen_word name; /* of the loop or wrapper */
    const struct proto *proto;
    const struct arg *arg;      /* {{arg}}, while a {{def}} is applied to an argument */
    struct gen_text *declared;  /* in a wrapper: the declarations of {{vardecl}} */
    struct gen_node *variables; /* in a wrapper: the names of these variables */
    const char *call;           /* in a wrapper: the value of {{callfn}} */
    int macros;                 /* the number of {{def}}s before */
};
struct gen_place {
    struct emitter *emitter;
    const struct gen_source *source;
    int file;
};
struct macro {
    const struct gen_source *source;
    struct gen_word name;
    struct gen_range body; /* evaluated where it is used */
    int file;
    struct value value; /* of {{def NAME VALUE}}, evaluated at the definition */
    int is_value;
};

/* wrap.c: writes the range with its escapes replaced. */
void wrap_run(struct gen_place *place, const struct scope *scope, struct gen_range range, struct gen_text *out);
/* Reports an error and returns 1 if blocks and escapes are nested too deep. */
int wrap_is_too_deep(struct gen_place *place, size_t at);

/* wrap_words.c: evaluates an escape, which is not a block, from its inside. */
void wrap_evaluate(struct gen_place *place, const struct scope *scope, struct gen_range inside, struct value *result);
/* A word's value: the escape's value if the word is a single escape, else its text. */
struct value wrap_word(struct gen_place *place, const struct scope *scope, struct gen_range word);
void value_add(struct value *value, const char *from, size_t size);
void value_puts(struct value *value, const char *text);
/* 1: the argument has this type, apart from blanks. */
int arg_has_type(const struct arg *arg, const char *type);
/* Makes a definition: {{def NAME VALUE ...}}, or {{def NAME}} body {{enddef}}. The words are those of the first escape.
 */
void wrap_define(struct gen_place *place, const struct scope *scope, const struct gen_range *words, int count,
                 struct gen_range body);

#endif
