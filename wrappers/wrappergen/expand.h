/* expand.h - what the sources share that write the text of a template. */
#ifndef WRAPPERGEN_EXPAND_H
#define WRAPPERGEN_EXPAND_H

#include "wrappergen.h"

/* A list of texts; written with ", " between them. */
struct value {
    char **items;
    int count;
};

/* The inside of a function, made from its wrappers. */
struct body {
    const struct proto *proto;
    const char *call; /* the call of the real function */
    struct gen_text text;
    size_t call_at; /* the offset of the call in `text`; in the wrap dialect, there may be several or none */
    struct name_set names;
    struct variables *variables; /* for each wrapper */
};
/* The variables of a wrapper, with their names, which are unique in the function. */
struct variables {
    const struct variable **at;
    char **names;
    int count;
};

/* The loops and wrappers around an escape, innermost first along `outer`. */
struct scope {
    const struct scope *outer;
    struct gen_word name; /* of the loop or wrapper */
    const struct proto *proto;
    struct body *body;     /* in a wrapper; NULL in a loop */
    int wrapper;           /* its index in proto->wrappers */
    const struct arg *arg; /* {{arg}}, while a {{def}} is applied to an argument */
    int macros;            /* the number of {{def}}s before */
};
struct gen_place {
    struct emitter *emitter;
    const struct gen_source *source;
    int file;
};
/* A {{def}}. */
struct macro {
    const struct gen_source *source;
    struct gen_word name;
    const struct gen_node *node; /* its text is expanded where it is used */
    int file;
    struct value value; /* of {{def NAME VALUE}}, evaluated at the definition */
    int is_value;
};

/* ---- expand.c ---------------------------------------------------------------------------------------------------- */
/* Writes the nodes before `end` (NULL: all) with their escapes replaced. */
void expand(struct gen_place *place, const struct scope *scope, const struct gen_node *node, const struct gen_node *end,
            struct gen_text *out);
/* The innermost wrapper among the scopes; NULL: there is none. */
const struct scope *wrapper_around(const struct scope *scope);
/* Declares the variables of a wrapper or {{def}} in the body; those that are declared already stay. */
void body_declare(struct body *body, int wrapper, const struct gen_source *source, const struct gen_node *node);
int is_wrap(const struct gen_place *place);

/* ---- escapes.c --------------------------------------------------------------------------------------------------- */
/* Evaluates an escape that is not a block. */
void evaluate(struct gen_place *place, const struct scope *scope, const struct gen_node *node, struct value *result);
/* A word's value: the escape's value if the word is a single escape, else its text. */
struct value word_value(struct gen_place *place, const struct scope *scope, const struct gen_node *node, int word);
/* Makes a definition: {{def NAME VALUE ...}}, or {{def NAME}} body {{enddef}}. */
void define(struct gen_place *place, const struct scope *scope, const struct gen_node *node);
/* 1: the argument has this type, apart from blanks. */
int arg_has_type(const struct arg *arg, const char *type);

/* ---- text_functions.c -------------------------------------------------------------------------------------------- */
void value_add(struct value *value, const char *from, size_t size);
void value_puts(struct value *value, const char *text);
/* Applies sub, zip, list or filter to the values of its words; 0: `name` is none of these. */
int apply_function(const struct gen_source *source, size_t at, const struct gen_word *name, const struct value *args,
                   int count, struct value *result);

#endif
