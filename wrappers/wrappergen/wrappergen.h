/* wrappergen.h - writes profiling wrappers for the functions of a header from templates.
 *
 *     asks the MPI compiler       -> its header, its libraries' functions     (compiler.c)
 *     reads prototypes            -> a struct proto for each function         (proto.c)
 *     renames arguments           -> the MPI standard's names                 (standard_names.c)
 *     reads the tables            -> roles of arguments; C++ bindings         (tables.c)
 *     parses a template           -> a tree of struct gen_node                (template.c)
 *     writes its text             -> loops, wrappers                          (expand.c)
 *       for each escape           -> its value                                (escapes.c, text_functions.c)
 *       for each wrapper          -> head, call, guard                        (function.c; fortran.c: Fortran entry
 *                                                                             points; cxx.c: members of namespace MPI)
 * Both dialects of templates take this path. Where they differ, the code asks for EMIT_WRAP.
 *
 * Errors are printed when they are found, and counted (fault_count). The program continues to find more errors, then
 * ends without output.
 */
#ifndef WRAPPERGEN_H
#define WRAPPERGEN_H

#include <stddef.h>

/* ---- text.c: memory, growing text, files, faults -----------------------------------------------------------------
 * Memory is kept until the program ends, or until forget() frees all of it (for the fuzzers). */
void *make(size_t size); /* zeroed */
void forget(void);

struct gen_text {
    char *at; /* NUL-terminated; NULL while empty */
    size_t size, room;
};
void text_add(struct gen_text *text, const char *from, size_t size);
void text_puts(struct gen_text *text, const char *from);
void text_printf(struct gen_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_copy(const char *from, size_t size);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
int text_ends(const char *text, const char *end);   /* 1: the text is longer than `end` and ends in it */
void *grow(void *array, size_t count, size_t size); /* room for one more; doubles at powers of two */

struct gen_source {
    const char *name;
    char *at; /* NUL-terminated */
    size_t size;
};
/* 0, or -1 when the file cannot be read (errno). "-" is the standard input. */
int source_read(const char *name, struct gen_source *source);

extern int fault_count;  /* errors so far */
extern void *fault_file; /* a FILE; NULL: the standard error */
/* Prints "NAME:LINE:COLUMN: message"; `at` is an offset in the source. */
void fault(const struct gen_source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, but only the first time for a place: a template's text is expanded once for each function. */
void fault_once(const struct gen_source *source, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fault_is_new(const struct gen_source *source, size_t at); /* 1: the first call for this place */
void warn(const struct gen_source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

struct gen_word {
    const char *at;
    size_t size;
};
int word_is(const struct gen_word *word, const char *text);

/* ---- known_names.c: names -------------------------------------------------------------------------------------------
 * A set of names, each with a number that is 0 at first. */
struct name_set {
    struct {
        const char *name; /* NULL: free */
        int number;
    } * at;
    size_t room, count;
};
int name_set_add(struct name_set *set, const char *name);           /* 1: it is new; the set keeps the pointer */
int *name_set_number(const struct name_set *set, const char *name); /* NULL: not in the set */
int name_set_has(const struct name_set *set, const char *prefix, const char *name);
void name_set_read(struct name_set *set, const char *text); /* adds all words of the text */

/* The replacement of a function that was removed from MPI; NULL: it is none of those. */
const char *names_removed(const struct gen_word *name);

/* ---- standard_names.c: the arguments' names in the MPI standard -------------------------------------------------- */
struct protos;
/* Gives arguments the standard's names by their positions, in the generated code too. A function that the header
 * declares with another number of arguments keeps its names, and cannot be wrapped (proto.standard_count). */
void names_apply(struct protos *protos);
int names_in_standard(const struct gen_word *name); /* 1: the standard has this function */

/* ---- proto.c: prototypes ----------------------------------------------------------------------------------------- */
struct arg {
    char *prefix, *name, *suffix; /* "const int ", "ranges", "[][3]" */
    const char *header_name;      /* the header's name if it differs from the standard's; both work in a template */
};
struct wrapper {
    const struct gen_node *node;
    const struct gen_source *source;
    int file;
};
struct proto {
    char *result; /* "int", "double", "void" ... */
    char *name;
    struct arg *args;
    int arg_count, variable;
    int standard_count;        /* of arguments in the MPI standard; 0: unknown */
    const struct gen_row *row; /* NULL: none */
    struct wrapper *wrappers;  /* in order of appearance */
    int wrapper_count;
    int is_macro, is_twin_macro; /* the header has a macro with its name, with its PMPI name */
    int id;                      /* its index among the functions considered */
    size_t defined_at;           /* its offset in a prototype file */
};
struct protos {
    struct proto *at;
    int count;
};
/* Reads the declarations of functions whose names begin with "MPI". If the header declares PMPI functions, a function
 * without such a twin is left out. */
void protos_parse(const struct gen_source *header, struct protos *protos);
/* Reads RESULT NAME(ARGUMENTS) with single blanks. 0: it is something else. */
int proto_parse(const char *from, struct proto *proto);
/* Finds an argument by the standard's or the header's name, or by its number; NULL: there is none. */
const struct arg *protos_argument(const struct proto *proto, const char *name, size_t size);
/* "const int", "MPI_Status *", "int [][3]" */
char *arg_type(const struct arg *arg);
/* Finds the exact name, else ignores case; NULL: there is none. */
struct proto *protos_find(const struct protos *protos, const char *name, size_t size);

/* Reads the classic tool's file of prototypes. Its first line is the number of functions. Each function has a line each
 * for the type of its result, its name and the number of arguments. Each argument has three lines: "const int ",
 * "name", and what follows the name: "[3]", "arr" for "[]", or "int" or an empty line for nothing. */
void protofile_parse(const struct gen_source *file, struct protos *protos);

/* ---- tables.c: the table of roles -------------------------------------------------------------------------------- */
struct role {
    char *name, *value; /* value: argument names "a|b", or text */
    int is_text;
};
struct gen_row {
    char *name, *classes; /* classes: "a,b"; "-" none */
    struct role *roles;
    int role_count;
    size_t at;
};
struct roles {
    struct gen_source source;
    struct gen_row *at;
    int count;
};
void roles_parse(struct roles *roles);
/* Sets proto.row; reports arguments that do not exist. */
void roles_apply(const struct roles *roles, struct protos *protos);
int roles_know_class(const char *name, size_t size); /* 1: a row of the applied table has this class */
int roles_know_role(const struct gen_word *name);    /* the same for a role */
int row_has_class(const struct gen_row *row, const char *name, size_t size);
/* The value of {{name}} in the row of `proto`: an argument's name or a text; NULL: none. */
const char *role_find(const struct proto *proto, const char *name, size_t size);

/* ---- tables.c: the table of the C++ bindings (wrappers/cxx/bindings.table) --------------------------------------- */
struct cxx_class {
    const char *name, *type, *null; /* "Comm", "MPI_Comm", "MPI_COMM_NULL"; null "-": there is none */
};
struct member {
    const struct cxx_class *of; /* NULL: a function of the namespace */
    struct proto declaration;   /* as in C++, without static and const */
    const struct proto *proto;  /* of the C function; NULL: there is none, or the library lacks it */
    const char *function;       /* its name; "-": none */
    char **sources;             /* how to make C's arguments: see the table */
    int source_count, is_static, is_const, is_hand, is_clone, is_anytime;
    size_t at;
};
struct bindings {
    struct gen_source source;
    struct cxx_class **classes;
    struct member *at;
    int class_count, count;
};
void bindings_parse(struct bindings *bindings);
/* Sets member.proto; reports wrong numbers of arguments. */
void bindings_apply(struct bindings *bindings, const struct protos *protos);
const struct cxx_class *bindings_class(const struct bindings *bindings, const char *name); /* NULL: there is none */
const char *member_name(const struct member *member);                                      /* "MPI::Comm::Send" */

/* ---- template.c: templates --------------------------------------------------------------------------------------- */
enum { DEEPEST = 100 }; /* the most blocks and escapes inside each other */
enum node_kind {
    NODE_TEXT,
    NODE_WORD,
    NODE_CALL,
    NODE_VARS,
    NODE_FORALL, /* from here on: blocks */
    NODE_FOREACH,
    NODE_DEF,
    NODE_FNALL, /* from here on: wrappers */
    NODE_FNALLTYPE,
    NODE_FNALLNTYPE,
    NODE_FN
};
struct gen_node {
    enum node_kind kind;
    size_t at;               /* offset of its beginning in the source */
    struct gen_word text;    /* as it is in the source; an escape with its braces */
    struct gen_word *words;  /* of the escape, [0] the keyword */
    struct gen_node **parts; /* for each word: the text inside its quotes, if it contains escapes, else NULL */
    int word_count;
    struct gen_node *inside, *next; /* inside: of a block; of {{def NAME VALUE ...}} with several words: the value */
    struct variable *variables;     /* of a wrapper or {{def}}: all declared in it */
    int variable_count, has_call, is_open; /* is_open: its end is missing */
};
struct variable {
    char *type, *before, *name, *after; /* "int", "*", "p", "[3] = {0}" */
    const struct gen_node *node;
};
struct gen_node *template_parse(const struct gen_source *source, int is_wrap);
struct gen_word word_unquoted(struct gen_word word);
/* Errors that are found while a template is parsed, or later in the text of a {{def}}. */
void fault_too_deep(const struct gen_source *source, size_t at);
void fault_outside(const struct gen_source *source, size_t at, const char *word);

/* ---- function.c: parts of wrapper functions ---------------------------------------------------------------------- */
enum {
    EMIT_PRELOAD = 1,
    EMIT_KEEP_UNKNOWN = 2,
    EMIT_GUARD = 4,         /* --guard: a call inside a wrapped call goes straight to the library */
    EMIT_FORTRAN = 8,       /* --fortran: the Fortran entry points too */
    EMIT_FORTRAN_ONLY = 16, /* --fortran=only: only these, for a separate object file */
    EMIT_C_ONLY = 32,       /* --fortran=no: the C functions that go with them */
    EMIT_CXX = 64,          /* --cxx: members of the C++ bindings in place of functions */
    EMIT_WEAK = 128,        /* --cxx=weak */
    EMIT_ALL = 256,         /* --all: {{fnall}} of the wrap dialect means all functions */
    EMIT_NO_PRELUDE = 512,  /* --no-prelude */
    EMIT_WRAP = 2048,       /* --dialect=wrap */
    EMIT_QUIET = 1024       /* -w: in the wrap dialect, no warnings of deprecated functions */
};
struct emitter {
    struct gen_text out;
    struct protos *protos;
    const struct protos *declared;  /* all functions, also those left out; NULL: none are left out */
    int flags, number;              /* number: {{fn_num}} */
    long steps, most_steps;         /* loop turns and expansions so far, and their limit (0: 3 million) */
    size_t written;                 /* bytes so far, also those of inner texts */
    const struct name_set *exports; /* the MPI library's functions; NULL: unknown */
    struct macro *macros;           /* {{def}} */
    int macro_count, depth, nesting;
    const struct bindings *bindings; /* for --cxx, else NULL */
    const struct member *member;     /* the one being written */
};
int function_is_void(const struct proto *proto);
/* 0: MPIX_, MPI_T_, or a conversion of handles or statuses. In the wrap dialect "all functions" leaves these out. */
int function_is_usual(const struct proto *proto);
/* Marks the function, or the functions of the @class, that the list of `block` names. Reports one that does not exist:
 * an error in fn, else a warning. */
void function_mark(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                   const struct gen_word *name, char *is_listed);
/* Returns 1 and reports an error if a block's first word is a function's name: then the block's own name is missing. */
int function_lacks_name(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                        const struct gen_word *name);
/* Writes what comes before the first wrapper, such as the variables of --guard and --fortran. */
void function_prelude(struct emitter *emitter);
/* "int MPI_Send(const void *buf, ...)" */
void function_head(struct gen_text *out, const struct proto *proto, const char *name);
/* "PMPI_Send(buf, ...)" or "REAL(MPI_Send)(buf, ...)" */
void function_call(const struct emitter *emitter, struct gen_text *out, const struct proto *proto);
/* Write the beginning of a function, to the declaration of returnVal (with the value `value`, if not NULL), and its
 * end. */
void function_begin(struct emitter *emitter, const struct proto *proto, const char *value);
void function_end(struct emitter *emitter, const struct proto *proto);
/* Counts a step of the expansion. Too many steps or too much output: reports an error once and returns -1. */
int emitter_step(struct emitter *emitter, const struct gen_source *source, size_t at);

/* ---- compiler.c: asking the MPI compiler ------------------------------------------------------------------------- */
/* Preprocesses the header, or <mpi.h> for NULL, by `$MPICC -E`, and keeps its macros. Ends the program on failure. */
void compiler_preprocess(const char *header, struct gen_source *source);
/* Finds the names PMPI_X and, with `has_fortran`, pmpi_x_ and those of mpi_f08 in the compiler's libraries. -1: that
 * failed, and a message was printed. */
int compiler_exports(const struct protos *protos, int has_fortran, struct name_set *exports);

/* ---- fortran.c --------------------------------------------------------------------------------------------------- */
int fortran_has(const struct emitter *emitter, const struct proto *proto);
/* The library's functions that an entry point may call, a line each; the second names only that of mpif.h. */
void fortran_names(const struct proto *proto, struct gen_text *out);
void fortran_usual_name(const struct proto *proto, struct gen_text *out);
void fortran_prelude(struct gen_text *out);
/* The statements of the call. Arguments that the text `after` reads are decoded again. */
const char *fortran_call(const struct proto *proto, const char *after);
/* Writes a function's entry points. `body` contains the call; arguments that `before` and `after` read are decoded. */
void fortran_function(struct emitter *emitter, const struct proto *proto, const char *body, const char *before,
                      const char *after);

/* ---- cxx.c ------------------------------------------------------------------------------------------------------- */
void cxx_prelude(struct gen_text *out);
/* Write the beginning of a function, to the arguments of C, and its end. */
void cxx_begin(struct emitter *emitter, const struct member *member, const char *value);
void cxx_end(struct emitter *emitter, const struct member *member);
/* The call, as a statement. */
const char *cxx_call(const struct emitter *emitter, const struct member *member);
/* The text to write for a word with the value `text`. In a string, where people read it, the C function's name becomes
 * the member's (MPI::Comm::Send); elsewhere it may be part of a name. */
const char *cxx_shown(const struct emitter *emitter, const struct gen_text *out, const char *text);

/* ---- expand.c: writes the text of a template --------------------------------------------------------------------- */
void template_expand(struct emitter *emitter, const struct gen_source *source, int file);
/* Writes the wrappers of the classic dialect, after all templates. */
void template_end(struct emitter *emitter);

/* ---- regex.c: regular expressions like Python's; regex_none.c: none ---------------------------------------------- */
struct regex;
/* NULL: it is not valid, and `why`, of `room` bytes, says why. */
struct regex *regex_open(const char *python, char *why, size_t room);
/* Finds the first match at or after `from`. 1: found; 0: there is none; -1: it would take too long. */
int regex_find(struct regex *regex, const char *text, size_t from);
/* The range of a group of that match; group 0 is the whole match; an unused group is empty. -1: no such group. */
int regex_group(const struct regex *regex, int number, size_t *begin, size_t *end);
int regex_number(const struct regex *regex, const char *name); /* of a named group; negative: no such group */
void regex_close(struct regex *regex);

int is_name(int c); /* a letter, a digit or _ */

#endif
