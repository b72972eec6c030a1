/* function.c - what the wrapper functions of both dialects have in common: heads, calls, the guard against reentry. */
#include "wrappergen.h"

#include <string.h>

int function_is_void(const struct proto *proto) { return !strcmp(proto->result, "void"); }

static const char guard[] =
    "/* --guard: a call inside a wrapped call of the same thread goes straight to the MPI library. */\n"
    "__attribute__((weak, visibility(\"hidden\"))) __thread int wrappergen_inside;\n"
    "__attribute__((unused)) static inline void wrappergen_leave(int *outer)\n"
    "{\n"
    "  wrappergen_inside = *outer;\n"
    "}\n\n";

void function_prelude(struct emitter *emitter)
{
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

void function_head(struct text *out, const struct proto *proto, const char *name)
{
    text_printf(out, "%s %s(", proto->result, name);
    for (int i = 0; i < proto->arg_count; i++)
        text_printf(out, "%s%s%s%s", i ? ", " : "", proto->args[i].prefix, proto->args[i].name, proto->args[i].suffix);
    text_puts(out, proto->variable ? ", ...)" : proto->arg_count ? ")" : "void)");
}

void function_call(const struct emitter *emitter, struct text *out, const struct proto *proto)
{
    text_printf(out, emitter->flags & EMIT_PRELOAD ? "REAL(%s)(" : "P%s(", proto->name);
    for (int i = 0; i < proto->arg_count; i++)
        text_printf(out, "%s%s", i ? ", " : "", proto->args[i].name);
    text_puts(out, ")");
}

/* "return CALL;", in two statements where there is nothing to return. */
static void straight_call(struct emitter *emitter, const struct proto *proto, const char *indent)
{
    struct text *out = &emitter->out;

    text_printf(out, "%s%s", indent, function_is_void(proto) ? "" : "return ");
    function_call(emitter, out, proto);
    text_puts(out, ";\n");
    if (function_is_void(proto))
        text_printf(out, "%sreturn;\n", indent);
}

void function_begin(struct emitter *emitter, const struct proto *proto, const char *value)
{
    struct text *out = &emitter->out;

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
    struct text *out = &emitter->out;
    struct text twin = {0};

    text_puts(out, function_is_void(proto) ? "\n}\n" : "\n  return returnVal;\n}\n");
    if (!(emitter->flags & EMIT_PRELOAD))
        return;
    text_printf(&twin, "P%s", proto->name);
    function_head(out, proto, twin.at);
    text_printf(out, " __attribute__((alias(\"%s\"), visibility(\"default\")));\n", proto->name);
}

int source_has_word(const struct source *source, const char *prefix, const char *name)
{
    size_t prefix_size = strlen(prefix), size = strlen(name);

    for (const char *at = source->at; (at += strspn(at, " \t\r\n")), *at; at += strcspn(at, " \t\r\n"))
        if (strcspn(at, " \t\r\n") == prefix_size + size && !strncmp(at, prefix, prefix_size) &&
            !strncmp(at + prefix_size, name, size))
            return 1;
    return 0;
}

int emitter_step(struct emitter *emitter, const struct source *source, size_t at)
{
    enum { MOST_BYTES = 64 << 20 };
    const long most = emitter->most_steps ? emitter->most_steps : 3000000;

    if (emitter->steps > most)
        return -1;
    if (++emitter->steps > most || emitter->out.size + emitter->written > MOST_BYTES) {
        emitter->steps = most + 1;
        fault(source, at, "the template grows without end: more than %ld expansions or %d MB", most, MOST_BYTES >> 20);
        return -1;
    }
    return 0;
}
