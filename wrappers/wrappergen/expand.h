/* expand.h - what expand.c, escapes.c and text_functions.c share, the files that write the text of a template. */
#ifndef WRAPPERGEN_EXPAND_H
#define WRAPPERGEN_EXPAND_H

#include "wrappergen.h"

/* The value of an escape: a list of texts, which is written with ", " between them. */
struct value {
    char **items;
    int count;
};

/* The text of a function between its declarations and its end, made from its wrappers. */
struct body {
    const struct proto *proto;
    const char *call; /* the call of the real function */
    struct gen_text text;
    size_t call_at; /* the call's offset in `text`; unused in the wrap dialect, which may have any number of calls */
    struct name_set names;       /* names of the function's arguments and variables */
    struct variables *variables; /* [wrapper], the index in proto->wrappers */
};
/* The variables of a wrapper. Each has a name that is unique in the function. */
struct variables {
    const struct variable **at;
    char **names;
    int count;
};

/* A loop or wrapper around an escape, and by `outer` the loops and wrappers around this one. */
struct scope {
    const struct scope *outer;
    struct gen_word name; /* the name that the loop or wrapper gives to its function */
    const struct proto *proto;
    struct body *body;     /* in a wrapper; NULL in a loop */
    int wrapper;           /* its index in proto->wrappers */
    const struct arg *arg; /* {{arg}}, while {{apply_to_type}} runs; else NULL */
    int macros;            /* emitter.macro_count at its begin */
};
/* The template that is being expanded, with its {{fileno}}. */
struct gen_place {
    struct emitter *emitter;
    const struct gen_source *source;
    int file;
};
/* A {{def}}. */
struct macro {
    const struct gen_source *source;
    struct gen_word name;
    const struct gen_node *node; /* the text of {{def}} is expanded where it is used */
    int file;
    struct value value; /* of {{def NAME VALUE}}, evaluated at the definition */
    int is_value;
};

/* ---- expand.c ---------------------------------------------------------------------------------------------------- */
/* Writes the nodes before `end` (NULL: all) with their escapes replaced. */
void expand(struct gen_place *place, const struct scope *scope, const struct gen_node *node, const struct gen_node *end,
            struct gen_text *out);
/* Returns the innermost wrapper among the scopes; NULL if there is none. */
const struct scope *wrapper_around(const struct scope *scope);
/* Declares the variables of a wrapper or {{def}} in the body, unless they are declared already. */
void body_declare(struct body *body, int wrapper, const struct gen_source *source, const struct gen_node *node);
int is_wrap(const struct gen_place *place);

/* ---- escapes.c --------------------------------------------------------------------------------------------------- */
/* Finds the value of an escape that is not a block. */
void evaluate(struct gen_place *place, const struct scope *scope, const struct gen_node *node, struct value *result);
/* Returns the value of a word of an escape: the word's text, or, if the word contains escapes, their value. */
struct value word_value(struct gen_place *place, const struct scope *scope, const struct gen_node *node, int word);
/* Adds a definition: {{def NAME VALUE ...}}, or {{def NAME}} TEXT {{enddef}}. */
void define(struct gen_place *place, const struct scope *scope, const struct gen_node *node);
/* Returns 1 if the argument has this type, compared without blanks. */
int arg_has_type(const struct arg *arg, const char *type);

/* ---- text_functions.c -------------------------------------------------------------------------------------------- */
void value_add(struct value *value, const char *from, size_t size);
void value_puts(struct value *value, const char *text);
/* Runs the function `name` (sub, zip, list or filter) with the values of its words. Returns 0 if `name` is none of
 * these. */
int apply_function(const struct gen_source *source, size_t at, const struct gen_word *name, const struct value *args,
                   int count, struct value *result);

#endif
