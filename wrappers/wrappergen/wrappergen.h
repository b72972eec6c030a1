/* wrappergen.h - writes profiling wrappers for the functions of a header from templates.
 *
 *     ask the MPI compiler       -> its header, its libraries' functions (compiler.c)
 *     read the header            -> struct proto per function            (proto.c; protofile.c: classic files)
 *     name arguments             -> as the MPI standard does             (standard_names.c)
 *     read the roles table       -> what its arguments mean              (roles.c)
 *     classic dialect: templates -> trees of struct node                 (template.c)
 *                      walk them -> loops at once, wrappers at the end   (emit.c)
 *     wrap dialect               -> read and written in one go           (wrap.c, wrap_words.c, cut.c, macro.c)
 *     what both write            -> heads, calls, guards                 (function.c; fortran.c: Fortran entries;
 *                                                                         cxx.c, bindings.c: members of namespace MPI)
 *
 * Faults are printed when found and counted (fault_count); the program goes on to find more, then ends without output.
 */
#ifndef WRAPPERGEN_H
#define WRAPPERGEN_H

#include <stddef.h>

/* ---- text.c: memory, growing text, files, faults -----------------------------------------------------------------
 * Memory is kept until the program ends, or until forget() gives back all of it (for a program that fuzzes). */
void *make(size_t size); /* zeroed */
void forget(void);

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
extern void *fault_file; /* a FILE; NULL: the standard error */
/* NAME:LINE:COLUMN: what; `at` is an offset in the source. */
void fault(const struct source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
int fault_is_new(const struct source *source, size_t at); /* 1 the first time that it is asked for a place */
void warn(const struct source *source, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

struct word {
    const char *at;
    size_t size;
};
int word_is(const struct word *word, const char *text);

/* ---- name_set.c: a set of names, each with a number, 0 at first -------------------------------------------------- */
struct name_set {
    struct {
        const char *name; /* NULL: free */
        int number;
    } * at;
    size_t room, count;
};
int name_set_add(struct name_set *set, const char *name);           /* 1: it is new; the set keeps the pointer */
int *name_set_number(const struct name_set *set, const char *name); /* NULL: it is not there */
int name_set_has(const struct name_set *set, const char *prefix, const char *name);
void name_set_read(struct name_set *set, const char *text); /* all words of the text */

/* ---- proto.c: prototypes ----------------------------------------------------------------------------------------- */
struct arg {
    char *prefix, *name, *suffix; /* "const int ", "ranges", "[][3]" */
    const char *header_name;      /* where it is not the standard's, else NULL; both work in a template */
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
    int is_macro, is_twin_macro;     /* the header has a macro of its name, of its PMPI name */
    int id;                          /* its place among the functions considered, from 0 */
    const struct source *defined_in; /* wrap dialect: where its wrapper stands; NULL: none yet */
    size_t defined_at;
};
struct protos {
    struct proto *at;
    int count;
};
/* Reads the declarations of functions whose names begin with "MPI" (and have a PMPI twin, where the header has twins).
 */
void protos_parse(const struct source *header, struct protos *protos);
/* RESULT NAME(ARGUMENTS), with single blanks. 0: it is something else. */
int proto_parse(const char *from, struct proto *proto);
/* The argument of that name, by the standard's or the header's, or of that number; NULL: none. */
const struct arg *protos_argument(const struct proto *proto, const char *name, size_t size);
/* "const int", "MPI_Status *", "int [][3]" */
char *arg_type(const struct arg *arg);
/* By exact name, else without regard to case; NULL: none. */
struct proto *protos_find(const struct protos *protos, const char *name, size_t size);

/* ---- protofile.c: the classic tool's file of prototypes ----------------------------------------------------------
 * A line with the count; then for each function a line each for the type of its result, its name and how many arguments
 * it has, and for each argument three: "const int ", "name", and what follows the name: "[3]", or "arr" for "[]", or
 * "int" (the classic files' word for nothing) or an empty line. Faults for what is not so. */
void protofile_parse(const struct source *file, struct protos *protos);

/* ---- standard_names.c: the names of arguments in the MPI standard --------------------------------------------- */
/* Headers differ in some 40 functions: their arguments get the standard's name, in the generated code too. */
void names_apply(struct protos *protos);
/* What stands for a function that MPI no longer has; NULL: it is none of those. */
const char *names_removed(const struct word *name);

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

/* ---- bindings.c: the table of the C++ bindings (wrappers/cxx/bindings.table)
 * --------------------------------------- */
struct cxx_class {
    const char *name, *type, *null; /* "Comm", "MPI_Comm", "MPI_COMM_NULL"; null "-": has none */
};
struct member {
    const struct cxx_class *of; /* NULL: a function of the namespace */
    struct proto declaration;   /* as in C++, without static and const */
    const struct proto *proto;  /* of the C function; NULL: it has none, or the library has not */
    const char *function;       /* its name; "-": none */
    char **sources;             /* where the arguments of C come from, see the table */
    int source_count, is_static, is_const, is_hand, is_clone, is_anytime;
    size_t at;
};
struct bindings {
    struct source source;
    struct cxx_class **classes;
    struct member *at;
    int class_count, count;
};
void bindings_parse(struct bindings *bindings);
void bindings_apply(struct bindings *bindings, const struct protos *protos); /* sets member.proto; faults */
const struct cxx_class *bindings_class(const struct bindings *bindings, const char *name); /* NULL: none */
const char *member_name(const struct member *member);                                      /* "MPI::Comm::Send" */

/* ---- template.c: templates --------------------------------------------------------------------------------------- */
enum node_kind { NODE_TEXT, NODE_WORD, NODE_CALL, NODE_VARS, NODE_FORALL, NODE_FOREACH, NODE_FNALL, NODE_FN };
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

/* ---- function.c: what the functions of both dialects have in common ---------------------------------------------- */
enum {
    EMIT_PRELOAD = 1,
    EMIT_KEEP_UNKNOWN = 2,
    EMIT_GUARD = 4,         /* --guard: a call inside a wrapped call goes straight to the library */
    EMIT_FORTRAN = 8,       /* --fortran: the Fortran entry points too */
    EMIT_FORTRAN_ONLY = 16, /* --fortran=only: nothing but them, for an object file of their own */
    EMIT_C_ONLY = 32,       /* --fortran=no: the other half */
    EMIT_CXX = 64,          /* --cxx: members of the C++ bindings in place of functions */
    EMIT_WEAK = 128,        /* --cxx=weak */
    EMIT_ALL = 256,         /* --all: {{fnall}} of the wrap dialect means all functions */
    EMIT_NO_PRELUDE = 512,  /* --no-prelude */
    EMIT_WRAP = 2048,       /* --dialect=wrap */
    EMIT_QUIET = 1024       /* -w: in the wrap dialect, no warnings of deprecated functions */
};
struct emitter {
    struct text out;
    struct protos *protos;
    const struct protos *declared; /* with those left out; NULL: there are none */
    int flags, number;             /* number: {{fn_num}} */
    long steps, most_steps;        /* loop turns and expansions so far, and at most (0: some millions): templates end */
    size_t written;                /* bytes so far, in the wrap dialect also those of inner texts */
    const struct name_set *exports; /* what the MPI library has; NULL: not known */
    struct macro *macros;           /* wrap dialect: {{def}} */
    int macro_count, depth, nesting;
    const struct bindings *bindings; /* for --cxx, else NULL */
    const struct member *member;     /* the one being written */
};
int function_is_void(const struct proto *proto);
/* 0: of MPIX_, MPI_T_ or a conversion of handles or statuses: in the wrap dialect not of "all functions". */
int function_is_usual(const struct proto *proto);
/* Says that a list of `block` names a function that there is not: an error in fn, else a warning. */
void function_unknown(const struct emitter *emitter, const struct source *source, size_t at, const char *block,
                      const struct word *name);
/* 1 with a fault when the name that a block gives its function is a function's: its list begins too early. */
int function_lacks_name(const struct emitter *emitter, const struct source *source, size_t at, const char *block,
                        const struct word *name);
/* What stands before the first wrapper: the variables that --guard and --fortran need. */
void function_prelude(struct emitter *emitter);
/* "int MPI_Send(const void *buf, ...)" */
void function_head(struct text *out, const struct proto *proto, const char *name);
/* "PMPI_Send(buf, ...)" or "REAL(MPI_Send)(buf, ...)" */
void function_call(const struct emitter *emitter, struct text *out, const struct proto *proto);
/* From the head to the declaration of returnVal (with `value` when not NULL), and what ends it. */
void function_begin(struct emitter *emitter, const struct proto *proto, const char *value);
void function_end(struct emitter *emitter, const struct proto *proto);
/* Counts one step of an expansion; faults once, then gives -1, when there are too many of them or too much output. */
int emitter_step(struct emitter *emitter, const struct source *source, size_t at);

/* ---- compiler.c: what the MPI compiler knows --------------------------------------------------------------------- */
/* The header, or <mpi.h> for NULL, with its macros, as `$MPICC -E` gives it. Ends the program when that fails. */
void compiler_preprocess(const char *header, struct source *source);
/* The names PMPI_X and, when asked for, pmpi_x_ and those of mpi_f08 that the compiler's libraries have. -1: the
 * compiler does not tell; this is said on the standard error. */
int compiler_exports(const struct protos *protos, int has_fortran, struct name_set *exports);

/* ---- fortran.c --------------------------------------------------------------------------------------------------- */
int fortran_has(const struct emitter *emitter, const struct proto *proto);
/* The library's own functions that an entry may run, a line each; and that of mpif.h only. */
void fortran_names(const struct proto *proto, struct text *out);
void fortran_usual_name(const struct proto *proto, struct text *out);
void fortran_prelude(struct text *out);
/* The statements of the call, which `after` follows: what it reads is made C's again. */
const char *fortran_call(const struct proto *proto, const char *after);
/* The entry points of a function: `body` holds the call; arguments that `before` and `after` read are decoded. */
void fortran_function(struct emitter *emitter, const struct proto *proto, const char *body, const char *before,
                      const char *after);

/* ---- cxx.c ------------------------------------------------------------------------------------------------------- */
void cxx_prelude(struct text *out);
/* From the head to the arguments of C, what the wrapper's variables and text follow; and what ends the function. */
void cxx_begin(struct emitter *emitter, const struct member *member, const char *value);
void cxx_end(struct emitter *emitter, const struct member *member);
/* The call, a statement. */
const char *cxx_call(const struct emitter *emitter, const struct member *member);
/* What is written for a word whose value is `text`: the C function's name becomes the member's (MPI::Comm::Send)
 * where it is to be read, in a string; elsewhere it may be a part of a name. */
const char *cxx_shown(const struct emitter *emitter, const struct text *out, const char *text);

/* ---- emit.c: the classic dialect --------------------------------------------------------------------------------- */
void emit_template(struct emitter *emitter, const struct source *source, const struct node *nodes, int file);
void emit_wrappers(struct emitter *emitter);
extern const char *const template_keywords[]; /* NULL-terminated, for "did you mean" */

/* ---- wrap.c: the wrap dialect ------------------------------------------------------------------------------------ */
extern const char *const wrap_keywords[]; /* those that the classic dialect has not */
void wrap_template(struct emitter *emitter, const struct source *source, int file);

/* A list of texts; written with ", " between them. */
struct value {
    char **items;
    int count;
};
void value_add(struct value *value, const char *from, size_t size);

/* ---- macro.c: the wrap dialect's functions of texts and lists ---------------------------------------------------- */
/* sub, zip, list, filter: 0 when `name` is none of them. `args[0]` is the first behind the name. */
int macro_apply(const struct source *source, size_t at, const struct word *name, const struct value *args, int count,
                struct value *result);
/* 1 when the argument has the type, blanks apart. */
int macro_type_is(const struct arg *arg, const char *type);

/* ---- regex.c: regular expressions as Python has them; regex_none.c: none ---------------------------------------- */
struct regex;
/* NULL: it is none, and `why` says what is wrong, in fewer than `room` characters. */
struct regex *regex_open(const char *python, char *why, size_t room);
/* The first match at or behind `from`: 1; 0: there is none; -1: it would take too long. */
int regex_find(struct regex *regex, const char *text, size_t from);
/* Where a group of that match is, 0 the whole; an unused one is empty. -1: the expression has no such group. */
int regex_group(const struct regex *regex, int number, size_t *begin, size_t *end);
int regex_number(const struct regex *regex, const char *name); /* of a named group; negative: none */
void regex_close(struct regex *regex);

/* ---- near.c: the nearest known word ------------------------------------------------------------------------------ */
struct near {
    struct word word;
    const char *best;
    int distance;
};
void near_begin(struct near *near, const struct word *word);
void near_try(struct near *near, const char *known);
void near_try_all(struct near *near, const char *const *known);
/* "; nearest known: dest", or "" when no known word is like it. */
const char *near_hint(const struct near *near);

int is_name(int c); /* a letter, a digit or _ */

#endif
