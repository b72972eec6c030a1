/* cxx.c - wrappers of the C++ bindings: member functions of the classes in namespace MPI, from the table of bindings.
 *
 * A member of MPI calls the C function with the wrapper's text around the call; its PMPI twin calls the C function
 * without the text. The text is the same as for C, so each argument of C is a variable with C's name and type. The
 * variable's value is made from the object and the member's parameters, which are called cxx_NAME. After the call,
 * changed values are copied back, and an error becomes the exception that the object's error handler throws. Functions
 * with callbacks (`hand` in the table) call their PMPI twin instead; the variables then are the object's handle,
 * parameters with the names of C's arguments, and zeros for the others.
 *
 * wrappers/cxx/bindings.awk reads the same table and writes the bindings themselves: the classes, and their members in
 * MPI and PMPI. The members that it writes pass arguments on without a variable for each, and arrays of PMPI objects
 * without a copy. bindings.awk is separate from wrappergen because its output is the same for all MPIs, while wrappers
 * need the types in the MPI's header. A new kind of argument in the table needs code in both: from_param() and encode()
 * here, c_argument() there.
 */
#include "wrappergen.h"

#include <string.h>

/* Returns a type without const, &, * and blanks: "Datatype". */
static const char *core_type(const char *type)
{
    while (!strncmp(type, "const ", 6))
        type += 6;
    return text_copy(type, strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"));
}

/* is_const_arg returns 1 if the function does not change the parameter; is_reference, if it may change the parameter
 * through a reference; is_out, if it may change the parameter through a reference or an array. */
static int is_const_arg(const struct arg *param) { return strstr(param->prefix, "const ") != NULL; }
static int is_reference(const struct arg *param) { return strchr(param->prefix, '&') && !is_const_arg(param); }
static int is_out(const struct arg *param) { return is_reference(param) || (!is_const_arg(param) && *param->suffix); }

/* Returns a type as it is written outside of namespace MPI. */
static const char *qualified(const char *type)
{
    static const char *const plain[] = {"void", "int", "bool", "double", "const", NULL};
    int i = 0;

    while (plain[i] && strcmp(core_type(type), plain[i]) != 0)
        i++;
    return text_format("%s%s", plain[i] ? "" : "MPI::", type);
}

/* Returns 1 if an argument of C is made from the parameter. The standard has a few parameters that no argument
 * needs. */
static int is_used(const struct member *member, const struct arg *param)
{
    for (int i = 0; i < member->source_count; i++)
        for (const char *at = member->sources[i]; (at = strstr(at, param->name)); at++)
            if ((at == member->sources[i] || !is_name((unsigned char)at[-1])) &&
                !is_name((unsigned char)at[strlen(param->name)]))
                return 1;
    return member->is_hand;
}

/* ---- Arguments of C ---------------------------------------------------------------------------------------------- */

/* Returns a copy of the text without those characters at its end that are in `characters`. */
static const char *without_end(const char *text, const char *characters)
{
    size_t size = strlen(text);

    while (size && strchr(characters, text[size - 1]))
        size--;
    return text_copy(text, size);
}

/* Returns the declaration of the variable for an argument of C, in which an array is a pointer: "MPI_Status *status",
 * "int (*ranges)[3]". */
static const char *variable(const struct arg *arg)
{
    const char *close = strchr(arg->suffix, ']');

    if (*arg->suffix != '[')
        return text_format("%s%s%s", arg->prefix, arg->name, arg->suffix);
    if (close && close[1])
        return text_format("%s(*%s)%s", arg->prefix, arg->name, close + 1);
    return text_format("%s*%s", arg->prefix, arg->name);
}

/* Returns the type of the variable that variable() declares, for a cast. */
static const char *cast(const struct arg *arg)
{
    struct arg nameless = {arg->prefix, (char *)"", arg->suffix, NULL};
    const char *type = variable(&nameless);

    return without_end(type, " ");
}

/* Returns the type that a pointer argument points to, without const: "MPI_Request" for "MPI_Request *". "void *" stays
 * as it is, because it is the address of a pointer in MPI_Alloc_mem and MPI_Buffer_detach. */
static const char *pointed(const struct arg *arg)
{
    const char *type = arg->prefix;

    while (!strncmp(type, "const ", 6))
        type += 6;
    return strncmp(type, "void", 4) ? without_end(type, " *") : "void *";
}

/* Declares a variable `c_NAME` of the pointed-to type, and the argument as its address. */
static void declare_pointed(struct gen_text *out, const struct arg *arg, const char *value)
{
    text_printf(out, "  %s c_%s = %s;\n  %s = &c_%s;\n", pointed(arg), arg->name, value, variable(arg), arg->name);
}

/* Returns the null handle of a class. */
static const char *null_of(const struct cxx_class *class) { return class ? class->null : "{}"; }

/* Returns the parameter that a source in the table names; NULL if it names none. */
static const struct arg *param_of(const struct member *member, const char *source, size_t size)
{
    return protos_argument(&member->declaration, source, size);
}

/* Returns an expression for the number of elements of an array, from the table's "[COUNT]". */
static const char *count_text(const struct member *member, const char *bracket)
{
    const struct arg *count = param_of(member, bracket + 1, strcspn(bracket + 1, "]"));

    if (count)
        return text_format("cxx_%s", count->name);
    return text_format("pith_cxx::%.*s(*this)", (int)strcspn(bracket + 1, "("),
                       bracket + 1); /* "[peers(this)]", "[dims(this)]" */
}

/* Makes a copy of an array of handles, statuses or bools. Handles that MPI only writes are copied, too, because they
 * must be valid: Open MPI's MPI_Type_get_contents also reads handles that it does not write. */
static void array(struct gen_text *out, const struct member *member, const struct arg *arg, const struct arg *param,
                  const char *bracket, int is_copied)
{
    const char *count = count_text(member, bracket), *name = arg->name, *type = pointed(arg);

    if (is_copied)
        text_printf(out, "  std::vector<%s> c_%s(cxx_%s, cxx_%s + wrappergen_count(%s, cxx_%s));\n", type, name,
                    param->name, param->name, count, param->name);
    else
        text_printf(out, "  std::vector<%s> c_%s(wrappergen_count(%s, cxx_%s));\n", type, name, count, param->name);
    text_printf(out, "  %s = c_%s.data();\n", variable(arg), name);
}

/* Makes an argument of C from the parameter that `source` names. If `source` names no parameter, it is an expression
 * for the argument. */
static void from_param(struct gen_text *out, const struct bindings *bindings, const struct member *member,
                       const struct arg *arg, const char *source)
{
    const char *bracket = strchr(source, '[');
    const struct arg *param = param_of(member, source, strcspn(source, "["));
    const struct cxx_class *class = param ? bindings_class(bindings, core_type(param->prefix)) : NULL;

    if (!param) {
        text_printf(out, "  %s = %s;\n", variable(arg), source);
        return;
    }
    const char *value = text_format("cxx_%s", param->name);
    if (bracket)
        array(out, member, arg, param, bracket, class || is_const_arg(param));
    else if (is_reference(param) && (class || !strcmp(core_type(param->prefix), "bool")))
        declare_pointed(out, arg, value);
    else if (is_reference(param))
        text_printf(out, "  %s = &%s;\n", variable(arg), value);
    else if (class || (!strchr(arg->prefix, '*') && !*arg->suffix))
        text_printf(out, "  %s = %s;\n", variable(arg), value);
    else
        text_printf(out, "  %s = (%s)%s;\n", variable(arg), cast(arg), value);
}

/* Makes an argument of C before the call, as the table says. */
static void decode(struct gen_text *out, const struct bindings *bindings, const struct member *member, int index)
{
    const struct arg *arg = &member->proto->args[index];
    const char *source = member->sources[index];

    if (!strcmp(source, "this"))
        text_printf(out, "  %s = *this;\n", variable(arg));
    else if (!strcmp(source, "&this"))
        declare_pointed(out, arg, "*this");
    else if (!strcmp(source, "return"))
        declare_pointed(out, arg, null_of(bindings_class(bindings, core_type(member->declaration.result))));
    else
        from_param(out, bindings, member, arg, *source == '!' ? source + 1 : source);
}

/* After the call: copies back an argument that the call may have changed. */
static void encode(struct gen_text *out, const struct bindings *bindings, const struct member *member, int index)
{
    const char *name = member->proto->args[index].name, *source = member->sources[index];
    const char *bracket = strchr(source, '[');
    const struct arg *param = param_of(member, source, strcspn(source, "["));

    if (!strcmp(source, "&this") && !member->is_const)
        text_printf(out, "  *this = c_%s;\n", name);
    else if (!param || !is_out(param))
        return;
    else if (bracket)
        text_printf(out, "  std::copy(c_%s.begin(), c_%s.end(), cxx_%s);\n", name, name, param->name);
    else if (!strcmp(core_type(param->prefix), "bool"))
        text_printf(out, "  cxx_%s = c_%s != 0;\n", param->name, name);
    else if (is_reference(param) && bindings_class(bindings, core_type(param->prefix)))
        text_printf(out, "  cxx_%s = c_%s;\n", param->name, name);
}

/* ---- Functions that call their PMPI twin ------------------------------------------------------------------------- */

/* Returns the text of a call of the PMPI twin. This text also catches an exception that the twin throws. */
static const char *call_twin(const struct bindings *bindings, const struct member *member)
{
    const struct proto *declaration = &member->declaration;
    struct gen_text out = {0};

    text_puts(&out, "try {\n    ");
    if (bindings_class(bindings, core_type(declaration->result)))
        text_printf(&out, "cxx_result = MPI::%s(", declaration->result);
    else if (!function_is_void(declaration))
        text_puts(&out, "cxx_result = (");
    if (member->is_static || !member->of)
        text_printf(&out, "P%s(", member_name(member));
    else
        text_printf(&out, "this->pmpi().%s(", declaration->name);
    for (int i = 0; i < declaration->arg_count; i++)
        text_printf(&out, "%scxx_%s%s", i ? ", " : "", declaration->args[i].name,
                    bindings_class(bindings, core_type(declaration->args[i].prefix)) ? ".pmpi()" : "");
    text_printf(&out, ")%s;\n  } catch (...) {\n    returnVal = wrappergen_caught(cxx_failure);\n  }",
                function_is_void(declaration) ? "" : ")");
    return out.at;
}

/* ---- Whole functions --------------------------------------------------------------------------------------------- */

static const char prelude[] =
    "#include <mpicxx.h>\n"
    "#include <algorithm>\n"
    "#include <exception>\n"
    "#include <vector>\n"
    "/* The number of elements in an array. */\n"
    "__attribute__((unused)) static inline int wrappergen_count(int count, const void *array)\n"
    "{\n"
    "  return array && count > 0 ? count : 0;\n"
    "}\n"
    "__attribute__((unused)) static int wrappergen_caught(std::exception_ptr &failure)\n"
    "{\n"
    "  failure = std::current_exception();\n"
    "  try {\n"
    "    throw;\n"
    "  } catch (const MPI::Exception &exception) {\n"
    "    return exception.Get_error_code();\n"
    "  } catch (...) {\n"
    "    return MPI_ERR_OTHER;\n"
    "  }\n"
    "}\n\n";

void cxx_prelude(struct gen_text *out) { text_puts(out, prelude); }

/* Writes what follows the call and the wrapper's text: arguments are copied back, errors are thrown, and the function
 * returns. Errors of files go to the error handler of the file, or of MPI_FILE_NULL. */
static void finish(struct emitter *emitter, const struct member *member)
{
    struct gen_text *out = &emitter->out;
    int is_file = member->of && !strcmp(member->of->type, "MPI_File");

    text_puts(out, "\n");
    for (int i = 0; i < member->proto->arg_count && !member->is_hand; i++)
        encode(out, emitter->bindings, member, i);
    if (member->is_hand)
        text_puts(out, "  if (cxx_failure)\n    std::rethrow_exception(cxx_failure);\n");
    else if (!strcmp(member->proto->result, "int"))
        text_printf(out, "  pith_cxx::end_call(returnVal%s);\n",
                    !is_file            ? ""
                    : member->is_static ? ", MPI_FILE_NULL"
                                        : ", *this");
    text_puts(out, "  ");
    /* Writes the return statement. */
    const char *result = member->declaration.result;
    int at = 0;

    while (at < member->source_count && strcmp(member->sources[at], "return") != 0)
        at++;
    if (function_is_void(&member->declaration))
        text_puts(out, "return;\n");
    else if (member->is_hand)
        text_puts(out, "return cxx_result;\n");
    else if (at == member->source_count)
        text_puts(out, "return returnVal;\n");
    else if (!strcmp(result, "bool"))
        text_printf(out, "return c_%s != 0;\n", member->proto->args[at].name);
    else if (member->is_clone)
        text_printf(out, "return *new MPI::%s(c_%s);\n", core_type(result), member->proto->args[at].name);
    else
        text_printf(out, "return c_%s;\n", member->proto->args[at].name);
}

void cxx_begin(struct emitter *emitter, const struct member *member, const char *value)
{
    struct gen_text *out = &emitter->out;
    const char *result = qualified(member->declaration.result);

    text_puts(out, emitter->flags & EMIT_WEAK ? "\n__attribute__((weak)) " : "\n");
    const struct proto *declaration = &member->declaration;

    text_printf(out, "%s %s(", qualified(declaration->result), member_name(member));
    for (int i = 0; i < declaration->arg_count; i++) {
        const struct arg *param = &declaration->args[i];
        int used = is_used(member, param);
        text_printf(out, "%s%s%s%s%s", i ? ", " : "", param->prefix, used ? "cxx_" : "", used ? param->name : "",
                    param->suffix);
    }
    text_printf(out, "%s)%s", declaration->variable ? ", ..." : "", member->is_const ? " const" : "");
    text_puts(out, "\n{\n");
    if (!member->is_anytime)
        text_puts(out, "  pith_cxx::begin_call();\n");
    if (member->is_hand) {
        text_puts(out, "  int returnVal = 0;\n  (void)returnVal;\n  std::exception_ptr cxx_failure;\n");
        if (!function_is_void(&member->declaration))
            text_printf(out, "  %s cxx_result = %s();\n", result, result);
        /* Declares C's arguments: the object's handle, parameters that have C's names, and zeros for the others. */
        int has_object = member->is_static || !member->of;

        for (int i = 0; i < member->proto->arg_count; i++) {
            const struct arg *arg = &member->proto->args[i], *param = param_of(member, arg->name, strlen(arg->name));
            int is_object = !has_object && !strcmp(without_end(arg->prefix, " "), member->of->type);
            has_object |= is_object;
            if (param && !strstr(param->prefix, "_function"))
                from_param(out, emitter->bindings, member, arg, arg->name);
            else
                text_printf(out, "  %s = %s;\n", variable(arg), is_object ? "*this" : "{}");
            text_printf(out, "  (void)%s;\n", arg->name);
        }
    } else {
        text_printf(out, "  %s returnVal%s%s;\n", member->proto->result, value ? " = " : "", value ? value : "");
        for (int i = 0; i < member->proto->arg_count; i++)
            decode(out, emitter->bindings, member, i);
    }
    if (!(emitter->flags & EMIT_GUARD))
        return;
    text_printf(out, "  if (wrappergen_inside) {\n  %s", cxx_call(emitter, member));
    finish(emitter, member);
    text_puts(
        out, "  }\n  __attribute__((unused, cleanup(wrappergen_leave))) int wrappergen_outer = wrappergen_inside++;\n");
}

const char *cxx_call(const struct emitter *emitter, const struct member *member)
{
    struct gen_text out = {0};

    if (member->is_hand)
        return call_twin(emitter->bindings, member);
    text_printf(&out, "returnVal = %s(", member->proto->name);
    for (int i = 0; i < member->proto->arg_count; i++)
        text_printf(&out, "%s%s", i ? ", " : "", member->proto->args[i].name);
    text_puts(&out, ");");
    return out.at;
}

void cxx_end(struct emitter *emitter, const struct member *member)
{
    finish(emitter, member);
    text_puts(&emitter->out, "}\n");
}

/* Returns 1 if the text ends inside a string constant of C, which cannot extend over lines. */
static int is_in_string(const struct gen_text *out)
{
    int inside = 0;
    size_t at = out->size;

    while (at && out->at[at - 1] != '\n')
        at--;
    for (; at < out->size; at++) {
        if (out->at[at] == '\\')
            at++;
        else if (out->at[at] == '"')
            inside = !inside;
    }
    return inside;
}

const char *cxx_shown(const struct emitter *emitter, const struct gen_text *out, const char *text)
{
    const struct member *member = emitter->member;

    return member && !strcmp(text, member->proto->name) && is_in_string(out) ? member_name(member) : text;
}
