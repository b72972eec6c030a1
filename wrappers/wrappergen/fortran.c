/* fortran.c - the Fortran entry points of a wrapped function: mpi_send, mpi_send_, mpi_send__ and MPI_SEND.
 *
 * An entry point runs the wrapper's text around the library's Fortran function, pmpi_send_. This function gets the
 * arguments unchanged: buffers, sentinels, LOGICALs, lengths of strings and callbacks stay those of Fortran. Only
 * arguments that the text reads are decoded, before the call, into variables with C's names and types. Arguments that
 * the call may have changed are decoded again after the call.
 *
 * mpi_f08 has other functions (mpi_send_f08_, or mpi_send_f08ts_ with descriptors of buffers; _large for large counts),
 * each with a PMPI twin. There, handles are integers, too, statuses are C's, and the last argument, the error code, may
 * be missing. Entry points of mpi_f08 are written if the library has the twin (--exports).
 *
 * In some libraries the Fortran functions call MPI_Send, in others PMPI_Send. A call must be counted once with either
 * library. So the entry point stores in wrappergen_fortran which C function belongs to its call, and that function's C
 * wrapper passes the first call on to the library without counting it.
 *
 * With a wrapper that reads the clock before and after the call, MPI_Send gives (shortened):
 *
 *     void mpi_send_(void *f_buf, ..., void *f_comm, MPI_Fint *wrappergen_error)
 *     {
 *       double t;
 *       t = now();
 *       wrappergen_fortran = (void (*)(void))MPI_Send;
 *       pmpi_send_(f_buf, ..., f_comm, &wrappergen_result);
 *       wrappergen_fortran = 0;
 *       spent += now() - t;
 *     }
 *     void mpi_send(...) __attribute__((alias("mpi_send_")));
 *
 * The arguments are not translated for a call of the C wrapper, because a status, a buffer such as MPI_BOTTOM, or a
 * callback means something else in C, and translating them back is error-prone. Besides, a wrapper that reads no
 * argument costs nothing here. */
#include "wrappergen.h"

#include <ctype.h>
#include <string.h>

enum arg_kind {
    KIND_VALUE,        /* int, MPI_Aint ... (Fortran passes a pointer to it) */
    KIND_POINTER,      /* a pointer to such a value, or an array of them */
    KIND_BUFFER,       /* void * */
    KIND_TEXT,         /* char * */
    KIND_HANDLE,       /* MPI_Comm ... */
    KIND_HANDLES_OUT,  /* written by the function: MPI_Comm *newcomm */
    KIND_HANDLE_ARRAY, /* MPI_Datatype array_of_types[] */
    KIND_STATUS,
    KIND_STATUS_ARRAY,
    KIND_OTHER /* passed on, not decoded */
};
static const char *const handles[] = {"Comm",    "Datatype", "Errhandler", "File",    "Group", "Info",
                                      "Message", "Op",       "Request",    "Session", "Win",   NULL};

/* Returns the index in `handles` of a type such as "MPI_Comm"; -1 if it is no type of handles. */
static int handle_of(const char *type, size_t size)
{
    for (int i = 0; handles[i]; i++)
        if (size == strlen(handles[i]) + 4 && !strncmp(type, "MPI_", 4) && !strncmp(type + 4, handles[i], size - 4))
            return i;
    return -1;
}

/* Returns the argument's type without const and blanks: "MPI_Comm*". */
static const char *bare_type(const struct arg *arg)
{
    struct gen_text bare = {0};
    const char *type = arg_type(arg);

    text_puts(&bare, ""); /* so that `at` is not NULL */
    while (*type) {
        if (!strncmp(type, "const", 5) && !is_name((unsigned char)type[5]))
            type += 5;
        else if (*type != ' ')
            text_add(&bare, type++, 1);
        else
            type++;
    }
    return bare.at;
}

/* Returns an argument's kind, by its type in C. Sets *handle to the type's index in `handles`, or to -1. */
static enum arg_kind kind_of(const struct arg *arg, int *handle)
{
    const char *type = bare_type(arg);
    size_t word = strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    const char *rest = type + word;
    /* `rest` follows the name of the type: "", "*", "[]", "[][3]" ... */
    int is_array = *rest == '[' || !strncmp(arg->name, "array_of_", 9);

    *handle = handle_of(type, word);
    if (*handle >= 0 && (!*rest || is_array || !strcmp(rest, "*")))
        return !*rest ? KIND_HANDLE : is_array ? KIND_HANDLE_ARRAY : KIND_HANDLES_OUT;
    if (word == 10 && !strncmp(type, "MPI_Status", 10))
        return is_array ? KIND_STATUS_ARRAY : !strcmp(rest, "*") ? KIND_STATUS : KIND_OTHER;
    if (!strcmp(type, "void*"))
        return KIND_BUFFER;
    if (!strcmp(type, "char*") || !strcmp(type, "char[]"))
        return KIND_TEXT;
    static const char *const plain[] = {"int", "MPI_Aint", "MPI_Offset", "MPI_Count", "double", NULL};
    for (int i = 0; plain[i]; i++)
        if (word == strlen(plain[i]) && !strncmp(type, plain[i], word))
            return !*rest ? KIND_VALUE : !strcmp(rest, "*") || *rest == '[' ? KIND_POINTER : KIND_OTHER;
    return KIND_OTHER;
}

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* Returns 1 if the Fortran function has the error code as its last argument. */
static int has_error(const struct proto *proto) { return !strcmp(proto->result, "int") && !proto->variable; }

/* Returns 0 for an argument that Fortran does not have; only MPI_Init and MPI_Init_thread have such arguments. */
static int is_passed(const struct proto *proto, int index)
{
    return strncmp(proto->name, "MPI_Init", 8) != 0 ||
           (strcmp(proto->args[index].name, "argc") && strcmp(proto->args[index].name, "argv"));
}

/* Returns the name in lower or upper case: `change` is tolower or toupper. */
static char *in_case(const char *name, int (*change)(int))
{
    char *changed = text_copy(name, strlen(name));

    for (char *at = changed; *at; at++)
        *at = (char)change((unsigned char)*at);
    return changed;
}

/* A kind of entry point: the name of the function that is written, and the name of the library's function that it
 * calls. Both names have the form in which most Fortran compilers export a function: in lower case, with an underscore
 * at the end. */
struct entry_shape {
    const char *own, *real;      /* formats; %s stands for the name in lower case */
    int is_large, is_f08, is_ts; /* is_large: 1: large counts; is_f08: 1: mpi_f08; is_ts: 1: descriptors of buffers */
};
static const struct entry_shape shapes[] = {
    {"%s_", "p%s_", 0, 0, 0},
    {"%s_f08_", "p%s_f08_", 0, 1, 0},     /* Open MPI */
    {"%s_f08ts_", "p%s_f08ts_", 0, 1, 1}, /* Open MPI 6 and later, with descriptors */
    {"%s_c_f08_", "p%s_c_f08_", 1, 1, 0},
    {"%s_c_f08ts_", "p%s_c_f08ts_", 1, 1, 1},
    {"%s_f08_", "pmpir_%s_f08_", 0, 1, 0}, /* MPICH: %s without its "mpi_" */
    {"%s_f08ts_", "pmpir_%s_f08ts_", 0, 1, 1},
    {"%s_f08_large_", "pmpir_%s_f08_large_", 1, 1, 0},
    {"%s_f08ts_large_", "pmpir_%s_f08ts_large_", 1, 1, 1},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Returns 1 if the function's counts are MPI_Count and not int. */
static int is_large_count(const struct proto *proto) { return text_ends(proto->name, "_c"); }

/* Returns the name in lower case, without _c. */
static char *base_name(const struct proto *proto)
{
    char *base = in_case(proto->name, tolower);

    if (is_large_count(proto))
        base[strlen(base) - 2] = 0;
    return base;
}

/* Returns the name of the library's function: "pmpi_send_"; in MPICH's mpi_f08 "pmpir_send_f08_", without "mpi_". */
static char *real_name(const struct proto *proto, const struct entry_shape *shape)
{
    int before = (int)(strstr(shape->real, "%s") - shape->real);

    return text_format("%.*s%s%s", before, shape->real, base_name(proto) + (before > 1 ? 4 : 0),
                       shape->real + before + 2);
}

/* Returns 1 if the function has an entry point of this kind. If the library's names are unknown, only the names of
 * mpif.h are certain. */
static int has_shape(const struct emitter *emitter, const struct proto *proto, const struct entry_shape *shape)
{
    if (shape->is_large != is_large_count(proto))
        return 0;
    return emitter->exports ? name_set_has(emitter->exports, "", real_name(proto, shape)) : !shape->is_f08;
}

/* Writes all names that the library may have for the function; the caller finds out which of them exist. */
void fortran_names(const struct proto *proto, struct gen_text *out)
{
    for (int i = 0; i < SHAPES; i++)
        if (shapes[i].is_large == is_large_count(proto))
            text_printf(out, "%s\n", real_name(proto, &shapes[i]));
}

void fortran_usual_name(const struct proto *proto, struct gen_text *out)
{
    if (!is_large_count(proto))
        text_printf(out, "%s\n", real_name(proto, &shapes[0]));
}

/* Returns 1 if the function has a Fortran entry point. Conversions of handles exist only in C, and MPI_T has no Fortran
 * interface. */
int fortran_has(const struct emitter *emitter, const struct proto *proto)
{
    static const char *const not_in_fortran[] = {"_c2f", "_f2c", "2f08", "f082c", "f082f", NULL};

    if (strncmp(proto->name, "MPI_", 4) != 0 || !strncmp(proto->name, "MPI_T_", 6) || function_is_void(proto))
        return 0;
    for (int i = 0; not_in_fortran[i]; i++)
        if (text_ends(proto->name, not_in_fortran[i]))
            return 0;
    for (int i = 0; i < SHAPES; i++)
        if (has_shape(emitter, proto, &shapes[i]))
            return 1;
    return 0;
}

/* Writes the parameters of an entry point, "void *f_buf, ..., MPI_Fint *wrappergen_error, size_t f_size_0)", or the
 * arguments of a call, "f_buf, ...)". `error`: the text for the error code; NULL: without it. */
static void parameters(struct gen_text *out, const struct proto *proto, int is_call, const char *error)
{
    const char *comma = "";

    for (int i = 0; i < proto->arg_count; i++)
        if (is_passed(proto, i)) {
            text_printf(out, "%s%sf_%s", comma, is_call ? "" : "void *", proto->args[i].name);
            comma = ", ";
        }
    if (error) {
        text_printf(out, "%s%s", comma, error);
        comma = ", ";
    }
    /* Fortran passes the length of each string behind all other arguments, by value. A callback with a char * argument
     * is no string. */
    for (int i = 0; i < proto->arg_count; i++)
        if (strchr(proto->args[i].suffix, '(') == NULL && strstr(proto->args[i].prefix, "char ") != NULL &&
            is_passed(proto, i)) {
            text_printf(out, "%s%sf_size_%s", comma, is_call ? "" : "size_t ", proto->args[i].name);
            comma = ", ";
        }
    text_puts(out, *comma || is_call ? ")" : "void)");
}

/* Writes the head of an entry point. An entry point with an error code returns nothing. */
static void head(struct gen_text *out, const struct proto *proto, const char *name)
{
    text_printf(out, "WRAPPERGEN_C %s %s(", has_error(proto) || proto->variable ? "void" : proto->result, name);
    parameters(out, proto, 0, has_error(proto) ? "MPI_Fint *wrappergen_error" : NULL);
}

/* Returns 1 if the text contains the name as a whole word. */
static int reads(const char *text, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at += size)
        /* A letter after a backslash is part of an escape sequence in a string: "\n" is not an argument n. */
        if ((at == text || (at[-1] != '\\' && !is_name((unsigned char)at[-1]))) && !is_name((unsigned char)at[size]))
            return 1;
    return 0;
}

/* Returns the word that a type of handles has in the name of its conversion function: "Type" for MPI_Datatype, because
 * the function is PMPI_Type_f2c. */
static const char *f2c_name(int handle) { return !strcmp(handles[handle], "Datatype") ? "Type" : handles[handle]; }

/* Returns a C expression for the number of elements in an array of handles or statuses. The number is needed to decode
 * the array before the call, and depends on the function: it is the incount of MPI_Waitsome, the count of MPI_Waitall,
 * and for MPI_Alltoallw the size of the communicator. */
static const char *length_of(const struct proto *proto, const struct arg *arg)
{
    if (protos_argument(proto, "incount", 7))
        return "*(MPI_Fint *)f_incount";
    if (protos_argument(proto, "count", 5) && strstr(arg->name, "array_of_re") == arg->name)
        return "*(MPI_Fint *)f_count";
    if (protos_argument(proto, "count", 5) && !strcmp(arg->name, "array_of_statuses"))
        return "*(MPI_Fint *)f_count";
    if (!protos_argument(proto, "comm", 4))
        return "0";
    return text_format("wrappergen_peers(*(MPI_Fint *)f_comm, %d, %d)",
                       strstr(in_case(proto->name, tolower), "neighbor") != NULL, !strncmp(arg->name, "send", 4));
}

/* Returns 1 if the argument is an index or an array of indices, which count from 0 in C and from 1 in Fortran. */
static int is_index(const struct proto *proto, const struct arg *arg)
{
    return (!strcmp(arg->name, "index") &&
            (text_ends(proto->name, "_Waitany") || text_ends(proto->name, "_Testany"))) ||
           !strcmp(arg->name, "array_of_indices");
}

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

/* A variable with this attribute frees its memory when the entry point ends, even by a return in the wrapper. */
#define OWNED "__attribute__((cleanup(wrappergen_free))) "

/* Declares the variable that stands for an argument in the text, with C's name and type. `before`: 1: the text before
 * the call reads the variable, so it gets its value now. */
static void decode(struct gen_text *out, const struct proto *proto, const struct arg *arg, int before)
{
    int handle;
    enum arg_kind kind = kind_of(arg, &handle);
    const char *name = arg->name, *length = length_of(proto, arg);
    const char *type = handle >= 0 ? handles[handle] : "", *f2c = handle >= 0 ? f2c_name(handle) : "";
    const char *close = strchr(arg->suffix, ']'); /* after it, the further dimensions of "[][3]" */

    if (!is_passed(proto, (int)(arg - proto->args)) || kind == KIND_OTHER)
        text_printf(out, "  void *%s = 0;\n  (void)%s;\n", name, name);
    /* Fortran passes everything by reference. */
    else if (kind == KIND_VALUE)
        text_printf(out, "  %s%s = *(const %s *)f_%s;\n", arg->prefix, name, bare_type(arg), name);
    else if (is_index(proto, arg))
        text_printf(out, "  " OWNED "int *%s = wrappergen_indices(%s);\n", name,
                    strchr(bare_type(arg), '[') ? length : "1");
    else if (kind == KIND_POINTER)
        text_printf(out, *arg->suffix ? "  %s(*%s)%s = (__typeof__(%s))f_%s;\n" : "  %s%s%s = (__typeof__(%s))f_%s;\n",
                    arg->prefix, name, close ? close + 1 : "", name, name);
    else if (kind == KIND_BUFFER)
        text_printf(out, "  %s%s = wrappergen_buffer(f_%s);\n", arg->prefix, name, name);
    else if (kind == KIND_TEXT)
        text_printf(out, "  " OWNED "char *%s = wrappergen_text(f_%s, f_size_%s);\n", name, name, name);
    else if (kind == KIND_HANDLE)
        text_printf(out, "  MPI_%s %s = PMPI_%s_f2c(*(MPI_Fint *)f_%s);\n", type, name, f2c, name);
    /* The variable is called c_NAME; NAME, the argument, is a pointer to it. The handle that MPI_File_open will write
     * is no handle before, and MPICH would abort the job if it were decoded. */
    else if (kind == KIND_HANDLES_OUT && before &&
             (strcmp(handles[handle], "File") != 0 || text_ends(proto->name, "_close")))
        text_printf(out, "  MPI_%s c_%s = PMPI_%s_f2c(*(MPI_Fint *)f_%s), *%s = &c_%s;\n", type, name, f2c, name, name,
                    name);
    else if (kind == KIND_HANDLES_OUT)
        text_printf(out, "  MPI_%s c_%s, *%s = &c_%s;\n", type, name, name, name);
    else if (kind == KIND_HANDLE_ARRAY)
        text_printf(
            out,
            "  int n_%s = %s;\n  " OWNED "MPI_%s *%s = (MPI_%s *)wrappergen_room((size_t)n_%s * sizeof(MPI_%s));\n"
            "  for (int i_ = 0; %s && i_ < n_%s; i_++) {\n    %s[i_] = PMPI_%s_f2c(((MPI_Fint *)f_%s)[i_]);\n  }\n",
            name, length, type, name, type, name, type, name, name, name, f2c, name);
    else if (kind == KIND_STATUS)
        text_printf(out,
                    /* own_NAME is passed if Fortran ignores the status but the text asks for it (fortran_call) */
                    "  MPI_Status c_%s, *%s = f_%s == MPI_F_STATUS_IGNORE ? MPI_STATUS_IGNORE : &c_%s;\n"
                    "  MPI_Fint own_%s[sizeof(MPI_Status) / sizeof(MPI_Fint)];\n",
                    name, name, name, name, name);
    else if (kind == KIND_STATUS_ARRAY)
        text_printf(
            out,
            "  int n_%s = %s;\n  " OWNED "MPI_Fint *own_%s = 0;\n"
            "  __attribute__((cleanup(wrappergen_free_statuses))) MPI_Status *c_%s = f_%s == MPI_F_STATUSES_IGNORE "
            "? MPI_STATUSES_IGNORE\n    : (MPI_Status *)wrappergen_room((size_t)n_%s * sizeof(MPI_Status));\n"
            "  MPI_Status *%s = c_%s;\n",
            name, length, name, name, name, name, name, name);
}

/* Decodes an argument again after the call, if the call may have changed it. */
static void refresh(struct gen_text *out, const struct proto *proto, const struct arg *arg)
{
    int handle;
    enum arg_kind kind = kind_of(arg, &handle);
    const char *name = arg->name;

    if (!is_passed(proto, (int)(arg - proto->args)))
        return;
    if (is_index(proto, arg))
        text_printf(out, "  wrappergen_from_one(%s, f_%s, %s);\n", name, name,
                    /* in MPI_Waitsome, only `outcount` indices are valid */
                    strchr(bare_type(arg), '[') ? "*(MPI_Fint *)f_outcount" : "1");
    else if (kind == KIND_HANDLES_OUT)
        text_printf(out, "  *%s = PMPI_%s_f2c(*(MPI_Fint *)f_%s);\n", name, f2c_name(handle), name);
    else if (kind == KIND_STATUS)
        text_printf(out, "  if (%s != MPI_STATUS_IGNORE) {\n    PMPI_Status_f2c((MPI_Fint *)f_%s, %s);\n  }\n", name,
                    name, name);
    else if (kind == KIND_STATUS_ARRAY)
        text_printf(
            out,
            "  for (int i_ = 0; %s != MPI_STATUSES_IGNORE && f_%s != MPI_F_STATUSES_IGNORE && i_ < n_%s; i_++) {\n"
            "    PMPI_Status_f2c((MPI_Fint *)f_%s + i_ * (int)(sizeof(MPI_Status) / sizeof(MPI_Fint)), &%s[i_]);\n  "
            "}\n",
            name, name, name, name, name);
    else if (kind == KIND_TEXT && !strstr(arg->prefix, "const")) /* the call does not change a const text */
        text_printf(out, "  free(%s);\n  %s = wrappergen_text(f_%s, f_size_%s);\n", name, name, name, name);
}

/* ---- The text ---------------------------------------------------------------------------------------------------- */

/* Writes the call, and after it the code that decodes again the arguments that the template's text reads then. inside()
 * has declared the variables of these arguments. */
const char *fortran_call(const struct proto *proto, const char *after)
{
    struct gen_text out = {0};

    text_puts(&out, "\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(after, proto->args[i].name)) {
            /* If Fortran ignores a status for which the text asks, the call gets the entry point's own Fortran
             * status. */
            int handle;
            enum arg_kind kind = kind_of(&proto->args[i], &handle);
            const char *name = proto->args[i].name;

            if (kind == KIND_STATUS)
                text_printf(&out, "  if (f_%s == MPI_F_STATUS_IGNORE && %s != MPI_STATUS_IGNORE)\n    f_%s = own_%s;\n",
                            name, name, name, name);
            if (kind == KIND_STATUS_ARRAY)
                text_printf(&out,
                            "  if (f_%s == MPI_F_STATUSES_IGNORE && %s != MPI_STATUSES_IGNORE)\n"
                            "    f_%s = own_%s = (MPI_Fint *)wrappergen_room((size_t)n_%s * sizeof(MPI_Status));\n",
                            name, name, name, name, name);
        }
    text_printf(&out, "  wrappergen_fortran = (void (*)(void))%s;\n  ", proto->name);
    if (!has_error(proto) && !proto->variable)
        text_puts(&out, "returnVal = ");
    text_printf(&out, "p%s_(", base_name(proto));
    parameters(&out, proto, 1, has_error(proto) ? "&wrappergen_result" : NULL);
    text_puts(&out, ";\n  wrappergen_fortran = 0;\n");
    if (has_error(proto))
        text_puts(&out, "  returnVal = wrappergen_result;\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(after, proto->args[i].name))
            refresh(&out, proto, &proto->args[i]);
    return out.at;
}

/* Replaces a name everywhere in a text. */
static const char *swap(const char *text, const char *from, const char *to)
{
    struct gen_text out = {0};

    text_puts(&out, "");
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        text_add(&out, text, (size_t)(at - text));
        text_puts(&out, to);
    }
    text_puts(&out, text);
    return out.at;
}

/* Returns 1 if the wrapper needs a function of its own, because the entry point returns nothing, but the wrapper may
 * contain a return with a value. */
static int is_split(const struct proto *proto, const char *body)
{
    return (has_error(proto) || proto->variable) && reads(body, "return");
}

/* Returns the body of an entry point: the declarations of decoded arguments, the text, and the end. */
static const char *inside(const struct proto *proto, const char *body, const char *before, const char *after)
{
    struct gen_text out = {0};

    text_printf(&out, "\n{\n  %s returnVal = 0;\n", proto->result);
    if (has_error(proto))
        text_puts(&out, "  MPI_Fint wrappergen_result = 0;\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(before, proto->args[i].name) || reads(after, proto->args[i].name)) {
            /* An argument that only the text after the call reads gets its value after the call. */
            decode(&out, proto, &proto->args[i], reads(before, proto->args[i].name));
            text_printf(&out, "  (void)%s;\n", proto->args[i].name); /* the name may be in a string only */
        }
    text_printf(&out, "%s\n", body);
    if (is_split(proto, body))
        text_puts(&out, "  return returnVal;\n}\n");
    else if (has_error(proto)) /* in mpi_f08, the error code may be missing */
        text_puts(&out, "  if (wrappergen_error)\n    *wrappergen_error = returnVal;\n}\n");
    else
        text_puts(&out, proto->variable ? "  (void)returnVal;\n}\n" : "  return returnVal;\n}\n");
    return out.at;
}

/* Adapts a text that was written for mpif.h to another kind: the name of the library's function, and mpi_f08's
 * sentinels. */
static const char *for_shape(const char *text, const struct proto *proto, const struct entry_shape *shape)
{
    text = swap(text, text_format("p%s_(", base_name(proto)), text_format("%s(", real_name(proto, shape)));
    if (!shape->is_f08)
        return text;
    text = swap(text, "wrappergen_from_one(", "wrappergen_from_first(");
    text = swap(text, "MPI_F_STATUS", "WRAPPERGEN_F08_STATUS");
    return swap(text, "wrappergen_buffer(", shape->is_ts ? "wrappergen_buffer_ts(" : "wrappergen_buffer_f08(");
}

void fortran_function(struct emitter *emitter, const struct proto *proto, const char *body, const char *before,
                      const char *after)
{
    struct gen_text *out = &emitter->out;
    const char *all = inside(proto, body, before, after), *low = in_case(proto->name, tolower);

    for (int i = 0; i < SHAPES; i++) {
        /* "mpi_send_", "mpi_send_f08_" */
        const char *own = text_format("%s%s", base_name(proto), strstr(shapes[i].own, "%s") + 2);
        if (!has_shape(emitter, proto, &shapes[i]))
            continue;
        text_puts(out, "\n"); /* a declaration first, because of -Wmissing-prototypes */
        head(out, proto, real_name(proto, &shapes[i]));
        text_puts(out, ";\n");
        head(out, proto, own);
        text_puts(out, ";\n");
        if (is_split(proto, body)) {
            /* Writes the wrapper as a function, and the entry point, which calls this function. */
            text_printf(out, "static %s wrappergen_in_%s(", proto->result, own);
            parameters(out, proto, 0, NULL);
            text_puts(out, for_shape(all, proto, &shapes[i]));
            head(out, proto, own);
            text_printf(out, "\n{\n  %s returnVal = wrappergen_in_%s(", proto->result, own);
            parameters(out, proto, 1, NULL);
            text_puts(out, has_error(proto) ? ";\n  if (wrappergen_error)\n    *wrappergen_error = returnVal;\n}\n"
                                            : ";\n  (void)returnVal;\n}\n");
        } else {
            head(out, proto, own);
            text_puts(out, for_shape(all, proto, &shapes[i]));
        }
        /* Other compilers export the function as mpi_send, MPI_SEND or mpi_send__. */
        for (int a = 0; a < 3 && !shapes[i].is_f08; a++) {
            head(out, proto, text_format("%s%s", a == 1 ? in_case(low, toupper) : low, a == 2 ? "__" : ""));
            text_printf(out, " __attribute__((alias(\"%s\")));\n", own);
        }
    }
}

/* ---- The C text before all Fortran entries ----------------------------------------------------------------------- */

static const char helpers[] =
    "#include <mpi.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#ifdef __cplusplus\n#define WRAPPERGEN_C extern \"C\"\n#else\n#define WRAPPERGEN_C\n#endif\n"
    "/* Fortran's sentinels have other addresses than C's. */\n"
    "#ifdef OPEN_MPI\n"
    "extern int mpi_fortran_in_place_, mpi_fortran_bottom_, mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;\n"
    "#define WRAPPERGEN_F08_STATUS_IGNORE ((void *)&mpi_fortran_status_ignore_)\n"
    "#define WRAPPERGEN_F08_STATUSES_IGNORE ((void *)&mpi_fortran_statuses_ignore_)\n"
    "#define WRAPPERGEN_F08_IN_PLACE WRAPPERGEN_IN_PLACE\n"
    "#define WRAPPERGEN_F08_BOTTOM WRAPPERGEN_BOTTOM\n"
    "#define WRAPPERGEN_IN_PLACE ((void *)&mpi_fortran_in_place_)\n"
    "#define WRAPPERGEN_BOTTOM ((void *)&mpi_fortran_bottom_)\n"
    "#else\n"
    "extern void *MPIR_F_MPI_IN_PLACE, *MPIR_F_MPI_BOTTOM;\n"
    "extern int MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_BOTTOM;\n"
    "#define WRAPPERGEN_F08_STATUS_IGNORE ((void *)MPI_F08_STATUS_IGNORE)\n"
    "#define WRAPPERGEN_F08_STATUSES_IGNORE ((void *)MPI_F08_STATUSES_IGNORE)\n"
    "#define WRAPPERGEN_F08_IN_PLACE ((void *)&MPIR_F08_MPI_IN_PLACE)\n"
    "#define WRAPPERGEN_F08_BOTTOM ((void *)&MPIR_F08_MPI_BOTTOM)\n"
    "#define WRAPPERGEN_IN_PLACE MPIR_F_MPI_IN_PLACE\n"
    "#define WRAPPERGEN_BOTTOM MPIR_F_MPI_BOTTOM\n"
    "#endif\n"
    "__attribute__((unused)) static inline void *wrappergen_buffer(void *from)\n"
    "{\n"
    "  return from == WRAPPERGEN_IN_PLACE ? MPI_IN_PLACE : from == WRAPPERGEN_BOTTOM ? MPI_BOTTOM : from;\n"
    "}\n"
    "__attribute__((unused)) static inline void *wrappergen_buffer_f08(void *from)\n"
    "{\n"
    "  return from == WRAPPERGEN_F08_IN_PLACE ? MPI_IN_PLACE : from == WRAPPERGEN_F08_BOTTOM ? MPI_BOTTOM : from;\n"
    "}\n"
    "/* A descriptor begins with the address. */\n"
    "__attribute__((unused)) static inline void *wrappergen_buffer_ts(void *from)\n"
    "{\n"
    "  return from ? wrappergen_buffer_f08(*(void **)from) : from;\n"
    "}\n"
    "__attribute__((unused)) static inline void *wrappergen_room(size_t size)\n"
    "{\n"
    "  void *room = calloc(1, size ? size : 1);\n"
    "  if (!room)\n"
    "    abort();\n"
    "  return room;\n"
    "}\n"
    "/* For variables that own memory; a wrapper may return early. */\n"
    "__attribute__((unused)) static inline void wrappergen_free(void *variable)\n"
    "{\n"
    "  free(*(void **)variable);\n"
    "}\n"
    "__attribute__((unused)) static inline void wrappergen_free_statuses(MPI_Status **variable)\n"
    "{\n"
    "  if (*variable != MPI_STATUSES_IGNORE)\n"
    "    free(*variable);\n"
    "}\n"
    "__attribute__((unused)) static inline char *wrappergen_text(const void *given, size_t size)\n"
    "{\n"
    "  const char *from = (const char *)given;\n"
    "  while (size && from[size - 1] == ' ')\n"
    "    size--;\n"
    "  return (char *)memcpy(wrappergen_room(size + 1), from, size);\n"
    "}\n"
    "__attribute__((unused)) static inline int *wrappergen_indices(int count)\n"
    "{\n"
    "  return (int *)wrappergen_room((size_t)(count > 0 ? count : 0) * sizeof(int));\n"
    "}\n"
    "__attribute__((unused)) static inline void wrappergen_from_one(int *to, const void *given, int count)\n"
    "{\n"
    "  const MPI_Fint *from = (const MPI_Fint *)given;\n"
    "  for (int i = 0; i < count; i++)\n"
    "    to[i] = from[i] == MPI_UNDEFINED ? MPI_UNDEFINED : from[i] - 1;\n"
    "}\n"
    "/* The indices of mpi_f08; MPICH up to 4.0.2 counts from 0 there. */\n"
    "__attribute__((unused)) static inline void wrappergen_from_first(int *to, const void *given, int count)\n"
    "{\n"
    "#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION <= 40002300\n"
    "  for (int i = 0; i < count; i++)\n"
    "    to[i] = ((const MPI_Fint *)given)[i];\n"
    "#else\n"
    "  wrappergen_from_one(to, given, count);\n"
    "#endif\n"
    "}\n"
    "/* The number of datatypes in an alltoallw. */\n"
    "__attribute__((unused)) static inline int wrappergen_peers(MPI_Fint f_comm, int neighbours, int to)\n"
    "{\n"
    "  MPI_Comm comm = PMPI_Comm_f2c(f_comm);\n"
    "  int topology = MPI_UNDEFINED, inter = 0, count = 0, rank, other, weighted;\n"
    "  if (!neighbours) {\n"
    "    PMPI_Comm_test_inter(comm, &inter);\n"
    "    return inter ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count), count;\n"
    "  }\n"
    "  PMPI_Topo_test(comm, &topology);\n"
    "  if (topology == MPI_CART) {\n"
    "    PMPI_Cartdim_get(comm, &count);\n"
    "    count *= 2;\n"
    "  } else if (topology == MPI_GRAPH) {\n"
    "    PMPI_Comm_rank(comm, &rank);\n"
    "    PMPI_Graph_neighbors_count(comm, rank, &count);\n"
    "  } else if (topology == MPI_DIST_GRAPH) {\n"
    "    PMPI_Dist_graph_neighbors_count(comm, to ? &other : &count, to ? &count : &other, &weighted);\n"
    "  }\n"
    "  return count;\n"
    "}\n\n";

void fortran_prelude(struct gen_text *out) { text_puts(out, helpers); }
