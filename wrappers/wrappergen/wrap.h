/* wrap.h - what the two parts of the wrap dialect share: wrap.c walks a template and writes its blocks, wrap_words.c
 * knows what escapes stand for. A template is a range of the source; escapes in it are evaluated where they stand. */
#ifndef WRAPPERGEN_WRAP_H
#define WRAPPERGEN_WRAP_H

#include "cut.h"

/* A function that words stand for; innermost first along `outer`. */
struct scope {
    const struct scope *outer;
    struct word name; /* of the loop or wrapper */
    const struct proto *proto;
    const struct arg *arg;  /* while a {{def}} is applied to an argument: {{arg}} */
    struct text *declared;  /* in a wrapper: what {{vardecl}} adds */
    struct node *variables; /* and their names */
    const char *call;       /* in a wrapper: what {{callfn}} gives */
    int macros;             /* how many {{def}}s there were before */
};
struct place {
    struct emitter *emitter;
    const struct source *source;
    int file;
};
struct macro {
    const struct source *source;
    struct word name;
    struct range body; /* evaluated where it is used */
    int file;
    struct value value; /* of {{def NAME VALUE}}, evaluated where it stands */
    int is_value;
};

/* wrap.c: writes the range with its escapes replaced. */
void wrap_run(struct place *place, const struct scope *scope, struct range range, struct text *out);
/* 1 with a fault when blocks and escapes are nested too deep. */
int wrap_is_too_deep(struct place *place, size_t at);

/* wrap_words.c: the value of the escape whose inside is given, which is no block. */
void wrap_evaluate(struct place *place, const struct scope *scope, struct range inside, struct value *result);
/* A word's value: that of the one escape it is, else its text. */
struct value wrap_word(struct place *place, const struct scope *scope, struct range word);
void wrap_puts(struct value *value, const char *text);
/* {{def NAME VALUE ...}} and {{def NAME}} body {{enddef}}; count and words are those of the first escape. */
void wrap_define(struct place *place, const struct scope *scope, const struct range *words, int count,
                 struct range body);

#endif
