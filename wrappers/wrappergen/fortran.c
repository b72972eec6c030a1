/* fortran.c - the Fortran entry points of a wrapped function: mpi_send, mpi_send_, mpi_send__ and MPI_SEND.
 *
 * They run the wrapper's text around the library's own Fortran function, pmpi_send_, which gets the arguments as they
 * came: buffers, sentinels, LOGICALs, lengths of texts and callbacks stay Fortran's. What the text reads is decoded for
 * it into variables of C's names and types, before the call, and after it what the call may have changed.
 *
 * The functions of mpi_f08 are others (mpi_send_f08_, or mpi_send_f08ts_, which gets descriptors of buffers; _large for
 * the large-count ones), with a twin of theirs that is the library's own. Handles are integers there too, statuses C's,
 * and the last argument may be missing. They are written where --exports has the twin.
 *
 * Some libraries' Fortran functions call MPI_Send, others PMPI_Send. So that a call counts once in both, the entry says
 * in wrappergen_fortran whose call it makes, and the C wrapper passes on the first such one. */
#include "wrappergen.h"

#include <ctype.h>
#include <string.h>

enum kind {
    KIND_VALUE,   /* int, MPI_Aint ...: read through the pointer */
    KIND_POINTER, /* to such, or an array */
    KIND_BUFFER,  /* void * */
    KIND_TEXT,    /* char * */
    KIND_HANDLE,  /* MPI_Comm ... */
    KIND_HANDLES_OUT,
    KIND_HANDLE_ARRAY,
    KIND_STATUS,
    KIND_STATUS_ARRAY,
    KIND_OTHER /* passed on, not decoded */
};
static const char *const handles[] = {"Comm",    "Datatype", "Errhandler", "File",    "Group", "Info",
                                      "Message", "Op",       "Request",    "Session", "Win",   NULL};

static int handle_of(const char *type, size_t size)
{
    for (int i = 0; handles[i]; i++)
        if (size == strlen(handles[i]) + 4 && !strncmp(type, "MPI_", 4) && !strncmp(type + 4, handles[i], size - 4))
            return i;
    return -1;
}

/* The type without const and blanks: "MPI_Comm*". */
static const char *bare_type(const struct arg *arg)
{
    struct text bare = {0};
    const char *type = arg_type(arg);

    text_puts(&bare, "");
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

static enum kind kind_of(const struct arg *arg, int *handle)
{
    const char *type = bare_type(arg);
    size_t word = strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    const char *rest = type + word;
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

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static int has_error(const struct proto *proto) { return !strcmp(proto->result, "int") && !proto->variable; }

/* MPI_Init's two arguments are none in Fortran. */
static int is_passed(const struct proto *proto, int index)
{
    return strncmp(proto->name, "MPI_Init", 8) != 0 ||
           (strcmp(proto->args[index].name, "argc") && strcmp(proto->args[index].name, "argv"));
}

static int is_text(const struct arg *arg)
{
    return strchr(arg->suffix, '(') == NULL && strstr(arg->prefix, "char ") != NULL;
}

static char *lower(const char *name)
{
    char *low = text_copy(name, strlen(name));

    for (char *at = low; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return low;
}

static const char *upper(const char *name)
{
    char *high = text_copy(name, strlen(name));

    for (char *at = high; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return high;
}

static int ends(const char *name, const char *with)
{
    return strlen(name) > strlen(with) && !strcmp(name + strlen(name) - strlen(with), with);
}

/* One entry point: the name that is defined, and that of the library's own function. */
struct shape {
    const char *own, *real; /* printf formats of the name in small letters */
    int is_large, is_f08, is_ts;
};
static const struct shape shapes[] = {
    {"%s_", "p%s_", 0, 0, 0},
    {"%s_f08_", "p%s_f08_", 0, 1, 0},      /* Open MPI */
    {"%s_f08_", "pmpir_%s_f08_", 0, 1, 0}, /* MPICH: without mpi_ */
    {"%s_f08ts_", "pmpir_%s_f08ts_", 0, 1, 1},
    {"%s_f08_large_", "pmpir_%s_f08_large_", 1, 1, 0},
    {"%s_f08ts_large_", "pmpir_%s_f08ts_large_", 1, 1, 1},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static int ends_large(const struct proto *proto) { return ends(proto->name, "_c"); }

/* The name in small letters, without _c. */
static char *base_name(const struct proto *proto)
{
    char *base = lower(proto->name);

    if (ends_large(proto))
        base[strlen(base) - 2] = 0;
    return base;
}

static char *own_name(const struct proto *proto, const struct shape *shape)
{
    struct text name = {0};
    const char *gap = strstr(shape->own, "%s") + 2;

    text_printf(&name, "%s%s", base_name(proto), gap);
    return name.at;
}

static char *real_name(const struct proto *proto, const struct shape *shape)
{
    struct text name = {0};
    size_t before = (size_t)(strstr(shape->real, "%s") - shape->real);

    text_add(&name, shape->real, before);
    text_printf(&name, "%s%s", base_name(proto) + (before > 1 ? 4 : 0), shape->real + before + 2);
    return name.at;
}

static int has_shape(const struct emitter *emitter, const struct proto *proto, const struct shape *shape)
{
    if (shape->is_large != ends_large(proto))
        return 0;
    return emitter->exports ? name_set_has(emitter->exports, "", real_name(proto, shape)) : !shape->is_f08;
}

void fortran_names(const struct proto *proto, struct text *out)
{
    for (int i = 0; i < SHAPES; i++)
        if (shapes[i].is_large == ends_large(proto))
            text_printf(out, "%s\n", real_name(proto, &shapes[i]));
}

void fortran_usual_name(const struct proto *proto, struct text *out)
{
    if (!ends_large(proto))
        text_printf(out, "%s\n", real_name(proto, &shapes[0]));
}

int fortran_has(const struct emitter *emitter, const struct proto *proto)
{
    static const char *const not_in_fortran[] = {"_c2f", "_f2c", "2f08", "f082c", "f082f", NULL};

    if (strncmp(proto->name, "MPI_", 4) != 0 || !strncmp(proto->name, "MPI_T_", 6) || function_is_void(proto))
        return 0;
    for (int i = 0; not_in_fortran[i]; i++)
        if (ends(proto->name, not_in_fortran[i]))
            return 0;
    for (int i = 0; i < SHAPES; i++)
        if (has_shape(emitter, proto, &shapes[i]))
            return 1;
    return 0;
}

/* "void *f_buf, ..., MPI_Fint *wrappergen_error, size_t f_size_0", in a call "f_buf, ..."; NULL: without the error. */
static void parameters(struct text *out, const struct proto *proto, int is_call, const char *error)
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
    for (int i = 0; i < proto->arg_count; i++)
        if (is_text(&proto->args[i]) && is_passed(proto, i)) {
            text_printf(out, "%s%sf_size_%s", comma, is_call ? "" : "size_t ", proto->args[i].name);
            comma = ", ";
        }
    text_puts(out, *comma || is_call ? ")" : "void)");
}

static void head(struct text *out, const struct proto *proto, const char *name)
{
    text_printf(out, "WRAPPERGEN_C %s %s(", has_error(proto) || proto->variable ? "void" : proto->result, name);
    parameters(out, proto, 0, has_error(proto) ? "MPI_Fint *wrappergen_error" : NULL);
}

/* 1 when the text has the name as a word of its own. */
static int reads(const char *text, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at += size)
        if ((at == text || (at[-1] != '\\' && !is_name((unsigned char)at[-1]))) && !is_name((unsigned char)at[size]))
            return 1;
    return 0;
}

static const char *f2c_name(int handle) { return !strcmp(handles[handle], "Datatype") ? "Type" : handles[handle]; }

/* How many elements an array of handles or statuses has. */
static const char *length_of(const struct proto *proto, const struct arg *arg)
{
    struct text length = {0};

    if (protos_argument(proto, "incount", 7))
        return "*(MPI_Fint *)f_incount";
    if (protos_argument(proto, "count", 5) && strstr(arg->name, "array_of_re") == arg->name)
        return "*(MPI_Fint *)f_count";
    if (protos_argument(proto, "count", 5) && !strcmp(arg->name, "array_of_statuses"))
        return "*(MPI_Fint *)f_count";
    if (!protos_argument(proto, "comm", 4))
        return "0";
    text_printf(&length, "wrappergen_peers(*(MPI_Fint *)f_comm, %d, %d)",
                strstr(lower(proto->name), "neighbor") != NULL, !strncmp(arg->name, "send", 4));
    return length.at;
}

static int is_index(const struct proto *proto, const struct arg *arg)
{
    return (!strcmp(arg->name, "index") && (ends(proto->name, "_Waitany") || ends(proto->name, "_Testany"))) ||
           !strcmp(arg->name, "array_of_indices");
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* Whether the value that came in may be looked at: a file to be opened has none, and MPICH ends the job for it. */
static int has_value(const struct proto *proto, int handle)
{
    return strcmp(handles[handle], "File") != 0 || ends(proto->name, "_close");
}

/* "[3]" of "[][3]" */
static const char *behind_bracket(const char *suffix)
{
    const char *close = strchr(suffix, ']');

    return close ? close + 1 : "";
}

/* Freed when the entry ends, also by a return of the wrapper's. */
#define OWNED "__attribute__((cleanup(wrappergen_free))) "

static void decode(struct text *out, const struct proto *proto, const struct arg *arg, int before)
{
    int handle;
    enum kind kind = kind_of(arg, &handle);
    const char *name = arg->name, *length = length_of(proto, arg);
    const char *type = handle >= 0 ? handles[handle] : "", *f2c = handle >= 0 ? f2c_name(handle) : "";

    if (!is_passed(proto, (int)(arg - proto->args)) || kind == KIND_OTHER)
        text_printf(out, "  void *%s = 0;\n  (void)%s;\n", name, name);
    else if (kind == KIND_VALUE)
        text_printf(out, "  %s%s = *(const %s *)f_%s;\n", arg->prefix, name, bare_type(arg), name);
    else if (is_index(proto, arg))
        text_printf(out, "  " OWNED "int *%s = wrappergen_indices(%s);\n", name,
                    strchr(bare_type(arg), '[') ? length : "1");
    else if (kind == KIND_POINTER)
        text_printf(out, *arg->suffix ? "  %s(*%s)%s = (__typeof__(%s))f_%s;\n" : "  %s%s%s = (__typeof__(%s))f_%s;\n",
                    arg->prefix, name, behind_bracket(arg->suffix), name, name);
    else if (kind == KIND_BUFFER)
        text_printf(out, "  %s%s = wrappergen_buffer(f_%s);\n", arg->prefix, name, name);
    else if (kind == KIND_TEXT)
        text_printf(out, "  " OWNED "char *%s = wrappergen_text(f_%s, f_size_%s);\n", name, name, name);
    else if (kind == KIND_HANDLE)
        text_printf(out, "  MPI_%s %s = PMPI_%s_f2c(*(MPI_Fint *)f_%s);\n", type, name, f2c, name);
    else if (kind == KIND_HANDLES_OUT && before && has_value(proto, handle))
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

/* A status that the text asked for although Fortran ignores it is a Fortran status of our own. */
static void substitute(struct text *out, const struct arg *arg)
{
    int handle;
    enum kind kind = kind_of(arg, &handle);
    const char *name = arg->name;

    if (kind == KIND_STATUS)
        text_printf(out, "  if (f_%s == MPI_F_STATUS_IGNORE && %s != MPI_STATUS_IGNORE)\n    f_%s = own_%s;\n", name,
                    name, name, name);
    if (kind == KIND_STATUS_ARRAY)
        text_printf(out,
                    "  if (f_%s == MPI_F_STATUSES_IGNORE && %s != MPI_STATUSES_IGNORE)\n"
                    "    f_%s = own_%s = (MPI_Fint *)wrappergen_room((size_t)n_%s * sizeof(MPI_Status));\n",
                    name, name, name, name, name);
}

static void refresh(struct text *out, const struct proto *proto, const struct arg *arg)
{
    int handle;
    enum kind kind = kind_of(arg, &handle);
    const char *name = arg->name;

    if (!is_passed(proto, (int)(arg - proto->args)))
        return;
    if (is_index(proto, arg))
        text_printf(out, "  wrappergen_from_one(%s, f_%s, %s);\n", name, name,
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
    else if (kind == KIND_TEXT && !strstr(arg->prefix, "const"))
        text_printf(out, "  free(%s);\n  %s = wrappergen_text(f_%s, f_size_%s);\n", name, name, name, name);
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

/* "pmpi_send_(f_buf, ..., &wrappergen_result, f_size_name)" */
static void call(struct text *out, const struct proto *proto)
{
    text_printf(out, "p%s_(", base_name(proto));
    parameters(out, proto, 1, has_error(proto) ? "&wrappergen_result" : NULL);
}

const char *fortran_call(const struct proto *proto, const char *after)
{
    struct text out = {0};

    text_puts(&out, "\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(after, proto->args[i].name))
            substitute(&out, &proto->args[i]);
    text_printf(&out, "  wrappergen_fortran = (void (*)(void))%s;\n  ", proto->name);
    if (!has_error(proto) && !proto->variable)
        text_puts(&out, "returnVal = ");
    call(&out, proto);
    text_puts(&out, ";\n  wrappergen_fortran = 0;\n");
    if (has_error(proto))
        text_puts(&out, "  returnVal = wrappergen_result;\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(after, proto->args[i].name))
            refresh(&out, proto, &proto->args[i]);
    return out.at;
}

/* A text with one name in place of another. */
static const char *swap(const char *text, const char *from, const char *to)
{
    struct text out = {0};

    text_puts(&out, "");
    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        text_add(&out, text, (size_t)(at - text));
        text_puts(&out, to);
    }
    text_puts(&out, text);
    return out.at;
}

/* 1 when an entry returns nothing where its wrapper may return a value: then that has a function of its own. */
static int is_split(const struct proto *proto, const char *body)
{
    return (has_error(proto) || proto->variable) && reads(body, "return");
}

/* All of an entry but its names: declarations of what is decoded, the text, and the end. */
static const char *inside(const struct proto *proto, const char *body, const char *before, const char *after)
{
    struct text out = {0};

    text_printf(&out, "\n{\n  %s returnVal = 0;\n", proto->result);
    if (has_error(proto))
        text_puts(&out, "  MPI_Fint wrappergen_result = 0;\n");
    for (int i = 0; i < proto->arg_count; i++)
        if (reads(before, proto->args[i].name) || reads(after, proto->args[i].name)) {
            decode(&out, proto, &proto->args[i], reads(before, proto->args[i].name));
            text_printf(&out, "  (void)%s;\n", proto->args[i].name); /* the name may stand in a text only */
        }
    text_printf(&out, "%s\n", body);
    if (is_split(proto, body))
        text_puts(&out, "  return returnVal;\n}\n");
    else if (has_error(proto))
        text_puts(&out, "  if (wrappergen_error)\n    *wrappergen_error = returnVal;\n}\n");
    else
        text_puts(&out, proto->variable ? "  (void)returnVal;\n}\n" : "  return returnVal;\n}\n");
    return out.at;
}

/* The entry calls the function that holds all. */
static void split(struct text *out, const struct proto *proto, const char *name, const char *all)
{
    text_printf(out, "static %s wrappergen_in_%s(", proto->result, name);
    parameters(out, proto, 0, NULL);
    text_puts(out, all);
    head(out, proto, name);
    text_printf(out, "\n{\n  %s returnVal = wrappergen_in_%s(", proto->result, name);
    parameters(out, proto, 1, NULL);
    text_puts(out, has_error(proto) ? ";\n  if (wrappergen_error)\n    *wrappergen_error = returnVal;\n}\n"
                                    : ";\n  (void)returnVal;\n}\n");
}

/* The body was written for mpif.h. */
static const char *for_shape(const char *text, const struct proto *proto, const struct shape *shape)
{
    struct text call = {0}, real = {0};

    text_printf(&call, "p%s_(", base_name(proto));
    text_printf(&real, "%s(", real_name(proto, shape));
    text = swap(text, call.at, real.at);
    if (!shape->is_f08)
        return text;
    text = swap(text, "wrappergen_from_one(", "wrappergen_from_first(");
    text = swap(text, "MPI_F_STATUS", "WRAPPERGEN_F08_STATUS");
    return swap(text, "wrappergen_buffer(", shape->is_ts ? "wrappergen_buffer_ts(" : "wrappergen_buffer_f08(");
}

void fortran_function(struct emitter *emitter, const struct proto *proto, const char *body, const char *before,
                      const char *after)
{
    struct text *out = &emitter->out;
    const char *all = inside(proto, body, before, after), *low = lower(proto->name);

    for (int i = 0; i < SHAPES; i++) {
        const char *own = own_name(proto, &shapes[i]);
        if (!has_shape(emitter, proto, &shapes[i]))
            continue;
        text_puts(out, "\n");
        head(out, proto, real_name(proto, &shapes[i]));
        text_puts(out, ";\n");
        head(out, proto, own);
        text_puts(out, ";\n");
        if (is_split(proto, body)) {
            split(out, proto, own, for_shape(all, proto, &shapes[i]));
        } else {
            head(out, proto, own);
            text_puts(out, for_shape(all, proto, &shapes[i]));
        }
        for (int a = 0; a < 3 && !shapes[i].is_f08; a++) {
            struct text alias = {0};
            text_printf(&alias, "%s%s", a == 1 ? upper(low) : low, a == 2 ? "__" : "");
            head(out, proto, alias.at);
            text_printf(out, " __attribute__((alias(\"%s\")));\n", own);
        }
    }
}
