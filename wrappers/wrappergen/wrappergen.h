/* wrappergen.h - writes profiling wrappers from templates, for the functions that a header declares. The steps:
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
 * Templates of both dialects take this path. Where the dialects differ, the code asks for EMIT_WRAP.
 *
 * An error is printed where it is found and counted (fault_count). The program then goes on, to find more errors, and
 * ends without output.
 */
#ifndef WRAPPERGEN_H
#define WRAPPERGEN_H

#include <stddef.h>

/* ---- text.c: memory, growing text, files, faults -----------------------------------------------------------------
 * Memory is kept until the program ends. The fuzzers, which run wrappergen many times in one process, free all memory
 * by forget(). */
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
void *grow(void *array, size_t count, size_t size); /* returns it with room for one item more than `count` */

struct gen_source {
    const char *name;
    char *at; /* NUL-terminated */
    size_t size;
};
/* Reads a whole file; "-" is the standard input. Returns 0, or -1 if it cannot be read (errno). */
int source_read(const char *name, struct gen_source *source);

extern int fault_count;  /* how many errors there were */
extern void *fault_file; /* a FILE; NULL: the standard error */
/* Prints "NAME:LINE:COLUMN: message"; `at` is an offset in the source. */
void fault(const struct gen_source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* As fault, but an error at this place is reported only once: a template's text is expanded once for each function. */
void fault_once(const struct gen_source *source, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fault_is_new(const struct gen_source *source, size_t at); /* 1: this is the first call for this place */
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
int name_set_add(struct name_set *set, const char *name);           /* 1: it is new, and the set keeps the pointer */
int *name_set_number(const struct name_set *set, const char *name); /* NULL: not in the set */
/* Returns 1 if the set has the name that consists of `prefix` and `name`. */
int name_set_has(const struct name_set *set, const char *prefix, const char *name);
void name_set_read(struct name_set *set, const char *text); /* adds all words of the text */

/* Returns the function that replaces `name`, which was removed from MPI; NULL if `name` was not removed. */
const char *names_removed(const struct gen_word *name);

/* ---- standard_names.c: the arguments' names in the MPI standard -------------------------------------------------- */
struct protos;
/* Gives arguments the names that they have in the standard, by their positions; generated code uses these names. A
 * function that the header declares with another number of arguments keeps the header's names and cannot be wrapped
 * (see proto.standard_count). */
void names_apply(struct protos *protos);
int names_in_standard(const struct gen_word *name); /* 1: the standard has this function */

/* ---- proto.c: prototypes ----------------------------------------------------------------------------------------- */
struct arg {
    char *prefix, *name, *suffix; /* such as "const int ", "ranges", "[][3]" */
    const char *header_name;      /* the header's name if it differs from the standard's; both work in a template */
};
/* A wrapper of a function: its node, the template that contains it, and the template's {{fileno}}, `file`. */
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
    int standard_count;        /* count of arguments in the MPI standard; 0: unknown */
    const struct gen_row *row; /* its row in the table of roles; NULL: none */
    struct wrapper *wrappers;  /* in the order of the templates */
    int wrapper_count;
    int is_macro, is_twin_macro; /* 1: the header has a macro with its name, or with its PMPI name */
    int id;                      /* its index among the functions considered */
    size_t defined_at;           /* its offset in the prototype file, if it is from one */
};
struct protos {
    struct proto *at;
    int count;
};
/* Reads the declarations of functions whose names begin with "MPI". If the header declares PMPI functions, a function
 * without such a twin is left out. */
void protos_parse(const struct gen_source *header, struct protos *protos);
/* Reads a declaration, RESULT NAME(ARGUMENTS), with single blanks. Returns 0 if the text is something else. */
int proto_parse(const char *from, struct proto *proto);
/* Finds an argument by the standard's or the header's name, or by its number. Returns NULL if there is none. */
const struct arg *protos_argument(const struct proto *proto, const char *name, size_t size);
/* Returns the type of an argument, without the argument's name: "const int", "MPI_Status *", "int [][3]". */
char *arg_type(const struct arg *arg);
/* Finds a function by its exact name, or else by its name in any case. Returns NULL if there is none. */
struct proto *protos_find(const struct protos *protos, const char *name, size_t size);

/* Reads the classic tool's file of prototypes. Its first line is the number of functions. Each function has three
 * lines: the type of its result, its name, and the number of arguments. Each argument has three lines: "const int ",
 * "name", and what follows the name: "[3]", "arr" for "[]", or "int" or an empty line for nothing. */
void protofile_parse(const struct gen_source *file, struct protos *protos);

/* ---- tables.c: the table of roles -------------------------------------------------------------------------------- */
struct role {
    char *name, *value; /* value: the name of an argument, or a text */
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
int roles_know_class(const char *name, size_t size); /* 1: a row of the table of roles_apply has this class */
int roles_know_role(const struct gen_word *name);    /* 1: a row of that table has this role */
int row_has_class(const struct gen_row *row, const char *name, size_t size);
/* Returns the value of {{name}} for this function, by its row: the name of an argument, or a text; NULL if there is no
 * value. */
const char *role_find(const struct proto *proto, const char *name, size_t size);

/* ---- tables.c: the table of the C++ bindings (wrappers/cxx/bindings.table) --------------------------------------- */
struct cxx_class {
    const char *name, *type, *null; /* "Comm", "MPI_Comm", "MPI_COMM_NULL"; null "-": there is none */
};
struct member {
    const struct cxx_class *of; /* NULL: a function of the namespace */
    struct proto declaration;   /* as in C++, without static and const */
    const struct proto *proto;  /* the C function; NULL: there is none, or this MPI lacks it */
    const char *function;       /* the C function's name; "-": none */
    char **sources;             /* for each argument of C, how to make it: see the table */
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
enum { DEEPEST = 100 }; /* how deep blocks and escapes may be nested */
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
    size_t at;               /* its offset in the source */
    struct gen_word text;    /* as it is in the source; an escape with its braces */
    struct gen_word *words;  /* of the escape, [0] the keyword */
    struct gen_node **parts; /* for each word: the nodes of its text, if it contains escapes; else NULL */
    int word_count;
    /* inside: a block's text; the value in {{def NAME VALUE ...}} if it has several words */
    struct gen_node *inside, *next;
    struct variable *variables; /* of a wrapper or {{def}}: all variables that {{vardecl}} declares in it */
    /* has_call: it contains {{callfn}} (classic dialect); is_open: its end is missing */
    int variable_count, has_call, is_open;
};
struct variable {
    char *type, *before, *name, *after; /* such as "int", "*", "p", "[3] = {0}" */
    const struct gen_node *node;
};
struct gen_node *template_parse(const struct gen_source *source, int is_wrap);
struct gen_word word_unquoted(struct gen_word word);
/* Report errors that are found when a template is parsed, or later in the text of a {{def}}. */
void fault_too_deep(const struct gen_source *source, size_t at);
void fault_outside(const struct gen_source *source, size_t at, const char *word);

/* ---- function.c: parts of wrapper functions ---------------------------------------------------------------------- */
enum {
    EMIT_PRELOAD = 1,
    EMIT_KEEP_UNKNOWN = 2,
    EMIT_GUARD = 4,         /* --guard: a call inside a wrapped call goes straight to the library */
    EMIT_FORTRAN = 8,       /* --fortran: the Fortran entry points too */
    EMIT_FORTRAN_ONLY = 16, /* --fortran=only: only the entry points, for a separate object file */
    EMIT_C_ONLY = 32,       /* --fortran=no: only the C functions that go with them */
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
    const struct protos *declared;   /* all functions, including functions that were left out; NULL: none were */
    int flags, number;               /* flags: EMIT_ bits; number: the next value of {{fn_num}} */
    long steps, most_steps;          /* iterations and expansions so far, and their limit (0: 3 million) */
    size_t written;                  /* bytes so far, including texts that are part of other texts */
    const struct name_set *exports;  /* the MPI library's functions; NULL: unknown */
    struct macro *macros;            /* {{def}} */
    int macro_count, depth, nesting; /* depth: of {{def}}s being run; nesting: of blocks and escapes being expanded */
    const struct bindings *bindings; /* for --cxx, else NULL */
    const struct member *member;     /* the member that is being written; NULL: none */
};
int function_is_void(const struct proto *proto);
/* Returns 1 if "all functions" of the wrap dialect includes the function. Returns 0 for MPIX_, MPI_T_, and conversions
 * of handles or statuses. */
int function_is_usual(const struct proto *proto);
/* Sets is_listed[] for the function `name`, or, if `name` is "@CLASS", for all functions of the class. `block`: the
 * keyword of the block in whose list the name is. Reports a function that does not exist: as an error in fn, else as a
 * warning. */
void function_mark(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                   const struct gen_word *name, char *is_listed);
/* Returns 1 and reports an error if a block's first word, which should be a name for the function, is a function of
 * MPI. */
int function_lacks_name(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                        const struct gen_word *name);
/* Writes what comes before the first wrapper, such as the variables of --guard and --fortran. */
void function_prelude(struct emitter *emitter);
/* Writes the head of a function: "int MPI_Send(const void *buf, ...)". */
void function_head(struct gen_text *out, const struct proto *proto, const char *name);
/* Writes the call of the real function: "PMPI_Send(buf, ...)" or "NEXT(MPI_Send)(buf, ...)". */
void function_call(const struct emitter *emitter, struct gen_text *out, const struct proto *proto);
/* Write the begin of a function, up to the declaration of returnVal (with the value `value`, if that is not NULL), and
 * its end. */
void function_begin(struct emitter *emitter, const struct proto *proto, const char *value);
void function_end(struct emitter *emitter, const struct proto *proto);
/* Counts a step of the expansion. If there were too many, or too much output: reports an error once and returns -1. */
int emitter_step(struct emitter *emitter, const struct gen_source *source, size_t at);

/* ---- compiler.c: asking the MPI compiler ------------------------------------------------------------------------- */
/* Preprocesses a header (NULL: <mpi.h>) by `$MPICC -E`; the result keeps its #defines. Ends the program on failure. */
void compiler_preprocess(const char *header, struct gen_source *source);
/* Fills `exports` with the names PMPI_X that the compiler's libraries have. With `has_fortran`, adds their Fortran
 * names, pmpi_x_ and those of mpi_f08. Returns -1 if that failed; a message was then printed. */
int compiler_exports(const struct protos *protos, int has_fortran, struct name_set *exports);

/* ---- fortran.c --------------------------------------------------------------------------------------------------- */
/* Returns 1 if the function has a Fortran entry point. */
int fortran_has(const struct emitter *emitter, const struct proto *proto);
/* Write the names of the library's functions that entry points may call, a line each; the second function writes only
 * the name of mpif.h. */
void fortran_names(const struct proto *proto, struct gen_text *out);
void fortran_usual_name(const struct proto *proto, struct gen_text *out);
void fortran_prelude(struct gen_text *out);
/* Returns the statements of the call. They decode again, after the call, the arguments that the text `after` the call
 * reads. */
const char *fortran_call(const struct proto *proto, const char *after);
/* Writes a function's entry points. `body` contains the call; arguments that the texts `before` and `after` the call
 * read are decoded. */
void fortran_function(struct emitter *emitter, const struct proto *proto, const char *body, const char *before,
                      const char *after);

/* ---- cxx.c ------------------------------------------------------------------------------------------------------- */
void cxx_prelude(struct gen_text *out);
/* Write the begin of a member, up to the declaration of C's arguments, and its end. */
void cxx_begin(struct emitter *emitter, const struct member *member, const char *value);
void cxx_end(struct emitter *emitter, const struct member *member);
/* Returns the call of the C function, as a statement. */
const char *cxx_call(const struct emitter *emitter, const struct member *member);
/* Returns the text to write into `out` for a word with the value `text`. In a string, which people read, the name of
 * the C function becomes that of the member (MPI::Comm::Send). Elsewhere the C function's name stays, because it may be
 * part of another name. */
const char *cxx_shown(const struct emitter *emitter, const struct gen_text *out, const char *text);

/* ---- expand.c: writes the text of a template --------------------------------------------------------------------- */
void template_expand(struct emitter *emitter, const struct gen_source *source, int file);
/* Writes the wrappers of the classic dialect, after all templates. */
void template_end(struct emitter *emitter);

/* ---- regex.c: regular expressions like Python's; regex_none.c: none ---------------------------------------------- */
struct regex;
/* Returns NULL if the expression is not valid; `why`, which has room for `room` bytes, then says why. */
struct regex *regex_open(const char *python, char *why, size_t room);
/* Finds the first match at or after `from`. Returns 1 if there is a match, 0 if there is none, -1 if the search would
 * take too long. */
int regex_find(struct regex *regex, const char *text, size_t from);
/* Gets the range of a group in the match that regex_find found. Group 0 is the whole match; the range of an unused
 * group is empty. Returns -1 if there is no such group. */
int regex_group(const struct regex *regex, int number, size_t *begin, size_t *end);
/* Returns the number of a named group; a negative number if there is no such group. */
int regex_number(const struct regex *regex, const char *name);
void regex_close(struct regex *regex);

int is_name(int c); /* a letter, a digit or _ */

#endif
