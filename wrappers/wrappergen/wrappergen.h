/* wrappergen.h - writes profiling wrappers for the functions of a header from templates.
 *
 *     read the header            -> struct proto per function            (proto.c)
 *     read the roles table       -> what its arguments mean              (roles.c)
 *     read the templates         -> trees of struct node                 (template.c)
 *     walk the trees, write text -> loops at once, wrappers at the end   (emit.c)
 *
 * Faults are printed when found and counted (fault_count); the program goes on to find more, then ends without output.
 */
#ifndef WRAPPERGEN_H
#define WRAPPERGEN_H

#include <stddef.h>

/* ---- text.c: growing text, files, faults ------------------------------------------------------------------------- */
struct text {
    char *at; /* NUL-terminated; NULL while empty */
    size_t size, room;
};
void text_add(struct text *text, const char *from, size_t size);
void text_puts(struct text *text, const char *from);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_copy(const char *from, size_t size);
void *grow(void *array, size_t count, size_t size); /* room for one more; doubles at powers of two */

struct source {
    const char *name;
    char *at; /* NUL-terminated */
    size_t size;
};
/* 0, or -1 when the file cannot be read (errno). "-" is the standard input. */
int source_read(const char *name, struct source *source);

extern int fault_count;
/* NAME:LINE:COLUMN: what; `at` is an offset in the source. */
void fault(const struct source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void warn(const struct source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- proto.c: prototypes ----------------------------------------------------------------------------------------- */
struct arg {
    char *prefix, *name, *suffix; /* "const int ", "ranges", "[][3]" */
};
struct wrapper {
    const struct node *node;
    const struct source *source;
    int file;
};
struct proto {
    char *result; /* "int", "double", "void" ... */
    char *name;
    struct arg *args;
    int arg_count, variable;
    const struct row *row;    /* NULL: none */
    struct wrapper *wrappers; /* in order of appearance */
    int wrapper_count;
};
struct protos {
    struct proto *at;
    int count;
};
/* Reads the declarations of functions whose names begin with "MPI" (and have a PMPI twin, where the header has twins).
 */
void protos_parse(const struct source *header, struct protos *protos);
/* By exact name, else without regard to case; NULL: none. */
struct proto *protos_find(const struct protos *protos, const char *name, size_t size);

/* ---- roles.c: the table ------------------------------------------------------------------------------------------ */
struct role {
    char *name, *value; /* value: argument names "a|b", or text */
    int is_text;
};
struct row {
    char *name, *classes; /* classes: "a,b"; "-" none */
    struct role *roles;
    int role_count;
    size_t at;
};
struct roles {
    struct source source;
    struct row *at;
    int count;
};
void roles_parse(struct roles *roles);
void roles_apply(const struct roles *roles,
                 struct protos *protos);             /* sets proto.row; faults for arguments that are not there */
int roles_know_class(const char *name, size_t size); /* some row of the table applied has it */
int row_has_class(const struct row *row, const char *name, size_t size);
/* What {{word}} stands for by the row of `proto`: an argument's name or a text; NULL: nothing. */
const char *role_find(const struct proto *proto, const char *word, size_t size);

/* ---- template.c: templates --------------------------------------------------------------------------------------- */
enum node_kind { NODE_TEXT, NODE_WORD, NODE_CALL, NODE_VARS, NODE_FORALL, NODE_FOREACH, NODE_FNALL, NODE_FN };
struct word {
    const char *at;
    size_t size;
};
struct node {
    enum node_kind kind;
    size_t at;          /* offset of its beginning in the source */
    struct word text;   /* NODE_TEXT: itself; NODE_VARS: the declaration */
    struct word *words; /* of the escape, [0] the keyword */
    int word_count;
    struct node *inside, *next;
    struct variable *variables; /* fn, fnall: all declared in it */
    int variable_count, has_call;
};
struct variable {
    char *type, *before, *name, *after; /* "int", "*", "p", "[3] = {0}" */
    const struct node *node;
};
struct node *template_parse(const struct source *source);
/* Splits "TYPE a, *b, c[3]" into variables appended to the wrapper's; faults when it is no declaration. */
void variables_parse(const struct source *source, const struct node *node, struct node *wrapper);

/* ---- emit.c ------------------------------------------------------------------------------------------------------ */
enum { EMIT_PRELOAD = 1, EMIT_KEEP_UNKNOWN = 2 };
struct emitter {
    struct text out;
    struct protos *protos;
    int flags, number;
};
void emit_template(struct emitter *emitter, const struct source *source, const struct node *nodes, int file);
void emit_wrappers(struct emitter *emitter);
extern const char *const template_keywords[]; /* NULL-terminated, for "did you mean" */

#endif
