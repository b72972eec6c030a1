/* function.c - parts of wrapper functions: heads, calls, the guard against nested calls. For example, with --guard
 * MPI_Send becomes
 *
 *     int MPI_Send(const void *buf, int count, ...)
 *     {
 *       int returnVal;
 *       if (wrappergen_inside) {                        the MPI library itself or the template makes this call, not
 *         return PMPI_Send(buf, count, ...);            the program: it goes straight to the library
 *       }
 *       int wrappergen_outer = wrappergen_inside++;     undone by the attribute `cleanup`, even by a return
 *       (the text of the template, with the call)
 *       return returnVal;
 *     }
 */
#include "wrappergen.h"

#include <string.h>

#include "base/nearest.h"

int function_is_void(const struct proto *proto) { return !strcmp(proto->result, "void"); }

int function_is_usual(const struct proto *proto)
{
    static const char *const conversions[] = {"c2f", "f2c", "2f08", "f082c", "f082f", NULL};

    for (int i = 0; conversions[i]; i++)
        if (text_ends(proto->name, conversions[i]))
            return 0;
    return strncmp(proto->name, "MPIX_", 5) != 0 && strncmp(proto->name, "MPI_T_", 6) != 0;
}

static void report_unknown(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                           const struct gen_word *name)
{
    const struct protos *declared = emitter->declared ? emitter->declared : emitter->protos;
    const char *instead = names_removed(name);
    struct pithi_nearest near;

    if (protos_find(declared, name->at, name->size)) {
        warn(source, at, "%.*s is left out; skipped", (int)name->size, name->at);
        return;
    }
    if (instead) {
        warn(source, at, "%.*s was removed from MPI in 3.0, for %s; skipped", (int)name->size, name->at, instead);
        return;
    }
    if (names_in_standard(name)) {
        warn(source, at, "this MPI has no %.*s; skipped", (int)name->size, name->at);
        return;
    }
    pithi_nearest_begin(&near, name->at, name->size);
    for (int i = 0; i < declared->count; i++)
        pithi_nearest_try(&near, declared->at[i].name);
    if (!strcmp(block, "fn") && !(emitter->flags & EMIT_KEEP_UNKNOWN))
        fault(source, at, "no function %.*s%s", (int)name->size, name->at, pithi_nearest_ask(&near));
    else
        warn(source, at, "no function %.*s; skipped%s", (int)name->size, name->at, pithi_nearest_ask(&near));
}

void function_mark(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                   const struct gen_word *name, char *is_listed)
{
    const struct protos *protos = emitter->protos;

    if (name->at[0] != '@') {
        const struct proto *found = protos_find(protos, name->at, name->size);
        if (found)
            is_listed[found - protos->at] = 1;
        else if (fault_is_new(source, at))
            report_unknown(emitter, source, at, block, name);
        return;
    }
    if (!roles_know_class(name->at + 1, name->size - 1))
        fault_once(source, at, "no class %.*s in the table of roles; see -r", (int)name->size, name->at);
    for (int i = 0; i < protos->count; i++)
        if (row_has_class(protos->at[i].row, name->at + 1, name->size - 1))
            is_listed[i] = 1;
}

int function_lacks_name(const struct emitter *emitter, const struct gen_source *source, size_t at, const char *block,
                        const struct gen_word *name)
{
    const struct proto *found = protos_find(emitter->protos, name->at, name->size);

    if (!found || !word_is(name, found->name))
        return 0;
    fault_once(source, at, "{{%s}} needs a name for the function before its list; write {{%s f %s ...}}", block, block,
               found->name);
    return 1;
}

static const char guard[] =
    "/* --guard: a call inside a wrapped call of the same thread goes straight to the MPI library. */\n"
    "__attribute__((weak, visibility(\"hidden\"))) __thread int wrappergen_inside;\n"
    "__attribute__((unused)) static inline void wrappergen_leave(int *outer)\n"
    "{\n"
    "  wrappergen_inside = *outer;\n"
    "}\n\n";

/* Lines that templates of the wrap dialect expect before their text. */
static const char wrap_prelude[] =
    "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#ifndef _EXTERN_C_\n#ifdef __cplusplus\n#define _EXTERN_C_ extern \"C\"\n#else\n#define "
    "_EXTERN_C_\n#endif\n#endif\n"
    "/* Around calls of deprecated functions. */\n"
    "#ifndef WRAP_MPI_CALL_PREFIX\n#ifdef __GNUC__\n"
    "#define WRAP_MPI_CALL_PREFIX \\\n"
    "  _Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Wdeprecated-declarations\\\"\")\n"
    "#define WRAP_MPI_CALL_POSTFIX _Pragma(\"GCC diagnostic pop\")\n"
    "#else\n#define WRAP_MPI_CALL_PREFIX\n#define WRAP_MPI_CALL_POSTFIX\n#endif\n#endif\n";

/* mpi.h defines some functions also as macros. Undefines such a macro, since it would be expanded in the definition of
 * the wrapper. */
static void undefine(struct gen_text *out, const struct proto *proto, int flags)
{
    if (proto->is_macro)
        text_printf(out, "#undef %s\n", proto->name);
    if (proto->is_twin_macro && flags & EMIT_PRELOAD)
        text_printf(out, "#undef P%s\n", proto->name);
}

void function_prelude(struct emitter *emitter)
{
    if (emitter->flags & EMIT_WRAP && !(emitter->flags & EMIT_NO_PRELUDE)) {
        text_puts(&emitter->out, wrap_prelude);
        if (emitter->flags & EMIT_PRELOAD)
            text_puts(&emitter->out, "#include \"real.h\"\n");
        if (emitter->flags & EMIT_QUIET)
            text_puts(&emitter->out, "#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n");
        for (int i = 0; i < emitter->protos->count; i++)
            if (emitter->flags & EMIT_ALL || function_is_usual(&emitter->protos->at[i]))
                undefine(&emitter->out, &emitter->protos->at[i], emitter->flags);
        text_puts(&emitter->out, "\n");
    }
    if (emitter->bindings)
        cxx_prelude(&emitter->out);
    if (emitter->flags & EMIT_GUARD)
        text_puts(&emitter->out, guard);
    if (!(emitter->flags & EMIT_FORTRAN))
        return;
    text_puts(&emitter->out,
              "/* The function whose Fortran entry is calling: some libraries call the C function from there. */\n");
    if (emitter->flags & EMIT_FORTRAN_ONLY)
        text_puts(&emitter->out, "extern __thread void (*wrappergen_fortran)(void);\n");
    else if (emitter->flags & EMIT_C_ONLY)
        text_puts(&emitter->out,
                  "__attribute__((visibility(\"hidden\"))) __thread void (*wrappergen_fortran)(void);\n");
    else
        text_puts(&emitter->out, "static __thread void (*wrappergen_fortran)(void);\n");
    if (!(emitter->flags & EMIT_C_ONLY))
        fortran_prelude(&emitter->out);
}

void function_head(struct gen_text *out, const struct proto *proto, const char *name)
{
    text_printf(out, "%s %s(", proto->result, name);
    for (int i = 0; i < proto->arg_count; i++)
        text_printf(out, "%s%s%s%s", i ? ", " : "", proto->args[i].prefix, proto->args[i].name, proto->args[i].suffix);
    text_puts(out, proto->variable ? ", ...)" : proto->arg_count ? ")" : "void)");
}

void function_call(const struct emitter *emitter, struct gen_text *out, const struct proto *proto)
{
    text_printf(out, emitter->flags & EMIT_PRELOAD ? "NEXT(%s)(" : "P%s(", proto->name);
    for (int i = 0; i < proto->arg_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", proto->args[i].name);
    text_puts(out, ")");
}

/* Writes "return CALL;", or "CALL; return;" for a void function. */
static void straight_call(struct emitter *emitter, const struct proto *proto, const char *indent)
{
    struct gen_text *out = &emitter->out;

    text_printf(out, "%s%s", indent, function_is_void(proto) ? "" : "return ");
    function_call(emitter, out, proto);
    text_puts(out, ";\n");
    if (function_is_void(proto))
        text_printf(out, "%sreturn;\n", indent);
}

void function_begin(struct emitter *emitter, const struct proto *proto, const char *value)
{
    struct gen_text *out = &emitter->out;

    undefine(out, proto, emitter->flags);
    text_puts(out, emitter->flags & EMIT_PRELOAD ? "\n__attribute__((visibility(\"default\")))\n" : "\n");
    function_head(out, proto, proto->name);
    text_puts(out, "\n{\n");
    if (!function_is_void(proto))
        text_printf(out, "  %s returnVal%s%s;\n", proto->result, value ? " = " : "", value ? value : "");
    if (emitter->flags & EMIT_GUARD) {
        text_puts(out, "  if (wrappergen_inside) {\n");
        straight_call(emitter, proto, "    ");
        text_puts(
            out,
            "  }\n  __attribute__((unused, cleanup(wrappergen_leave))) int wrappergen_outer = wrappergen_inside++;\n");
    }
    if (emitter->flags & EMIT_FORTRAN && fortran_has(emitter, proto)) {
        text_printf(out, "  if (wrappergen_fortran == (void (*)(void))%s) {\n    wrappergen_fortran = 0;\n",
                    proto->name);
        straight_call(emitter, proto, "    ");
        text_puts(out, "  }\n");
    }
}

void function_end(struct emitter *emitter, const struct proto *proto)
{
    struct gen_text *out = &emitter->out;

    text_puts(out, function_is_void(proto) ? "\n}\n" : "\n  return returnVal;\n}\n");
    if (!(emitter->flags & EMIT_PRELOAD))
        return;
    /* With --preload, PMPI_X does the same as MPI_X, after it has noted that no other tool is to be called. It calls
     * own_MPI_X, since the name MPI_X may be bound to another library. */
    text_puts(out, "static ");
    function_head(out, proto, text_format("own_%s", proto->name));
    text_printf(out, " __attribute__((alias(\"%s\")));\n", proto->name);
    text_puts(out, "PITHI_PMPI ");
    function_head(out, proto, text_format("P%s", proto->name));
    text_printf(out, "\n{\n  pithi_real_pmpi = \"P%s\";\n  %s own_%s(", proto->name,
                function_is_void(proto) ? ""
                : proto->variable       ? "return"
                                        : "PITHI_JUMP",
                proto->name);
    for (int i = 0; i < proto->arg_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", proto->args[i].name);
    text_puts(out, ");\n}\n");
}

int emitter_step(struct emitter *emitter, const struct gen_source *source, size_t at)
{
    enum { MOST_BYTES = 64 << 20 }; /* the most that templates may write */
    const long most = emitter->most_steps ? emitter->most_steps : 3000000;

    if (emitter->steps > most)
        return -1;
    if (++emitter->steps > most || emitter->written > MOST_BYTES) {
        emitter->steps = most + 1;
        fault(source, at, "the template expands endlessly: more than %ld expansions or %d MB", most, MOST_BYTES >> 20);
        return -1;
    }
    return 0;
}
