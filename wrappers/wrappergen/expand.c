/* expand.c - writes the text of templates. Text and loops are written where they are in the template.
 *
 * A wrapper is noted with its function. In the wrap dialect, a function has only one wrapper and is written at once,
 * where this wrapper is in the template. In the classic dialect, functions are written at the end, each once for all of
 * its wrappers: before1 before2 CALL after2 after1.
 *
 * For example, in the classic dialect, two wrappers of MPI_Send, of which the first measures time and the second
 * reports, give:
 *
 *     double t;                        the declarations of both come first; another variable t would be called t1
 *     t = now();                       before 1
 *     enter("MPI_Send");               before 2
 *     returnVal = PMPI_Send(...);      the call, once
 *     leave();                         after 2
 *     spent += now() - t;              after 1
 *
 * So the wrappers nest as if the first one called the second one. The declarations come first because C89 wants
 * that. */
#include "expand.h"

#include <string.h>

int is_wrap(const struct gen_place *place) { return (place->emitter->flags & EMIT_WRAP) != 0; }

const struct scope *wrapper_around(const struct scope *scope)
{
    while (scope && !scope->body)
        scope = scope->outer;
    return scope;
}

/* ---- The inside of a function ------------------------------------------------------------------------------------ */

/* Gives each variable a name that is unique in the function. */
void body_declare(struct body *body, int wrapper, const struct gen_source *source, const struct gen_node *node)
{
    struct variables *own = &body->variables[wrapper];

    for (int v = 0; v < node->variable_count; v++) {
        const struct variable *variable = &node->variables[v];
        int i = 0;
        while (i < own->count && strcmp(own->at[i]->name, variable->name) != 0)
            i++;
        /* The text of a loop is expanded once for each iteration, so its variables may be declared already. */
        if (i < own->count && own->at[i] == variable)
            continue;
        if (i < own->count)
            fault_once(source, variable->node->at, "%s is already declared in this wrapper", variable->name);
        own->at = grow(own->at, (size_t)own->count, sizeof *own->at);
        own->names = grow(own->names, (size_t)own->count, sizeof *own->names);
        own->at[own->count] = variable;
        /* If the variable's name is not unique, appends the first number that makes it unique. */
        char *name = text_copy(variable->name, strlen(variable->name));
        int is_new = name_set_add(&body->names, name), next = *name_set_number(&body->names, variable->name);

        while (!is_new) {
            name = text_format("%s%d", variable->name, ++next);
            is_new = name_set_add(&body->names, name);
        }
        *name_set_number(&body->names, variable->name) = next; /* numbers up to this one are taken */
        own->names[own->count++] = name;
    }
}

/* Returns the declarations of all variables: each in a line of its own, or variables of equal types in one line. */
static const char *declarations(const struct body *body, int is_line_each)
{
    struct gen_text out = {0};
    const char *type = NULL; /* of the current line */

    text_puts(&out, "");
    for (int w = 0; w < body->proto->wrapper_count; w++)
        for (int i = 0; i < body->variables[w].count; i++) {
            const struct variable *variable = body->variables[w].at[i];
            if (type && !is_line_each && !strcmp(type, variable->type))
                text_puts(&out, ", "); /* C: `double a, b;` */
            else
                text_printf(&out, "%s  %s ", type ? ";\n" : "", variable->type);
            type = variable->type;
            text_printf(&out, "%s%s%s", variable->before, body->variables[w].names[i], variable->after);
        }
    text_puts(&out, type ? ";\n" : "");
    return out.at;
}

/* Writes the text of a wrapper; in the classic dialect, the part before {{callfn}} or the part after it. Without
 * {{callfn}}, the whole text is the part before. */
static void expand_wrapper(struct emitter *emitter, struct body *body, int index, int is_after)
{
    const struct wrapper *wrapper = &body->proto->wrappers[index];
    const struct gen_node *node = wrapper->node, *call = node->inside;
    struct gen_place place = {emitter, wrapper->source, wrapper->file};
    /* the name that stands for the function in the text */
    struct scope scope = {.name = node->word_count > 1 ? node->words[1] : (struct gen_word){"", 0},
                          .proto = body->proto,
                          .body = body,
                          .wrapper = index,
                          .macros = emitter->macro_count};

    /* the node of {{callfn}}, where the text is cut in two */
    while (call && (call->kind != NODE_CALL || is_wrap(&place)))
        call = call->next;
    if (!is_after)
        expand(&place, &scope, node->inside, call, &body->text);
    else if (call)
        expand(&place, &scope, call->next, NULL, &body->text);
    emitter->macro_count = scope.macros;
}

/* Makes the text of a function from its wrappers, without the declarations of their variables. */
static struct body make_body(struct emitter *emitter, const struct proto *proto, const char *call)
{
    struct body body = {
        .proto = proto, .call = call, .variables = make((size_t)proto->wrapper_count * sizeof *body.variables)};

    name_set_add(&body.names, "returnVal"); /* names that variables must not have */
    for (int i = 0; i < proto->arg_count; i++)
        name_set_add(&body.names, proto->args[i].name);
    for (int w = 0; w < proto->wrapper_count; w++) /* before the first text, which may use any variable */
        body_declare(&body, w, proto->wrappers[w].source, proto->wrappers[w].node);
    text_puts(&body.text, "");
    for (int w = 0; w < proto->wrapper_count; w++)
        expand_wrapper(emitter, &body, w, 0);
    if (emitter->flags & EMIT_WRAP) /* the texts contain the calls */
        return body;
    body.call_at = body.text.size;
    text_puts(&body.text, call);
    for (int w = proto->wrapper_count; w-- > 0;) /* the last wrapper ends first */
        expand_wrapper(emitter, &body, w, 1);
    return body;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* Returns the text of a call. In the classic dialect the call gets a line of its own. In the wrap dialect it is part of
 * a statement of the template. */
static const char *call_text(const struct emitter *emitter, const char *statement)
{
    return emitter->flags & EMIT_WRAP ? statement : text_format("\n  %s\n", statement);
}

/* Writes the Fortran entry points. The text is expanded twice: the first expansion shows which arguments the text reads
 * before and after the call. */
static void write_fortran(struct emitter *emitter, const struct proto *proto)
{
    /* {{fn_num}} counts expansions; the second one must give the same numbers. */
    const int number = emitter->number, has_many_calls = emitter->flags & EMIT_WRAP;
    struct body body = make_body(emitter, proto, "");
    const char *declared = declarations(&body, emitter->flags & EMIT_WRAP), *before, *after;

    before = text_format("%s%.*s", declared, (int)(has_many_calls ? body.text.size : body.call_at), body.text.at);
    after = has_many_calls ? before : body.text.at + body.call_at;
    emitter->number = number;
    const char *call = fortran_call(proto, after);
    body = make_body(emitter, proto, has_many_calls ? call : text_format("%s\n", call));
    fortran_function(emitter, proto, text_format("%s%s", declared, body.text.at), before, after);
}

static void write_function(struct emitter *emitter, const struct proto *proto)
{
    const int number = emitter->number;

    if (emitter->bindings) { /* --cxx: writes the members that call the C function, not the C function */
        for (int i = 0; i < emitter->bindings->count; i++) {
            const struct member *member = &emitter->bindings->at[i];
            if (member->proto != proto)
                continue;
            emitter->number = number; /* {{fn_num}} is that of the C function */
            emitter->member = member;
            const struct body body = make_body(emitter, proto, call_text(emitter, cxx_call(emitter, member)));
            cxx_begin(emitter, member, emitter->flags & EMIT_WRAP ? "0" : NULL);
            text_puts(&emitter->out, declarations(&body, emitter->flags & EMIT_WRAP));
            text_puts(&emitter->out, body.text.at);
            cxx_end(emitter, member);
            emitter->member = NULL;
        }
        return;
    }
    if (!(emitter->flags & EMIT_FORTRAN_ONLY)) {
        /* Writes the C function. */
        struct gen_text call = {0};

        text_puts(&call, function_is_void(proto) ? "" : "returnVal = ");
        function_call(emitter, &call, proto);
        text_puts(&call, ";");
        const struct body body = make_body(emitter, proto, call_text(emitter, call.at));
        function_begin(emitter, proto, emitter->flags & EMIT_WRAP ? "0" : NULL);
        text_puts(&emitter->out, declarations(&body, emitter->flags & EMIT_WRAP));
        text_puts(&emitter->out, body.text.at);
        function_end(emitter, proto);
    }
    if (!(emitter->flags & EMIT_FORTRAN) || emitter->flags & EMIT_C_ONLY || !fortran_has(emitter, proto))
        return;
    emitter->number = number; /* {{fn_num}} is the same for C and for Fortran */
    write_fortran(emitter, proto);
}

/* Writes the functions of the classic dialect, in which all wrappers of a function are known only now. */
void template_end(struct emitter *emitter)
{
    for (int i = 0; i < emitter->protos->count && !(emitter->flags & EMIT_WRAP); i++)
        if (emitter->protos->at[i].wrapper_count)
            write_function(emitter, &emitter->protos->at[i]);
}

/* Adds a wrapper to those of the MPI function `proto`. In the wrap dialect a function has only one wrapper, so the C
 * function is written at once. */
static void add_wrapper(struct gen_place *place, struct proto *proto, const struct gen_node *node, struct gen_text *out)
{
    struct emitter *emitter = place->emitter;

    if (is_wrap(place) && proto->wrapper_count) {
        const struct wrapper *other = &proto->wrappers[0];
        int line = 1;
        for (size_t i = 0; i < other->node->at; i++)
            line += other->source->at[i] == '\n';
        fault(place->source, node->at,
              "%s already has a wrapper, at %s:%d; this dialect allows one (they nest with --dialect=classic)",
              proto->name, other->source->name, line);
        return;
    }
    proto->wrappers = grow(proto->wrappers, (size_t)proto->wrapper_count, sizeof *proto->wrappers);
    proto->wrappers[proto->wrapper_count++] = (struct wrapper){node, place->source, place->file};
    if (!is_wrap(place))
        return;
    /* The function goes where the wrapper is in the template, and not to the end of the output. */
    struct gen_text outer = emitter->out;
    emitter->out = (struct gen_text){0};
    write_function(emitter, proto);
    struct gen_text written = emitter->out;
    emitter->out = outer;
    text_add(out, written.at, written.size);
}

/* ---- Lists of functions ------------------------------------------------------------------------------------------ */

/* The list in a block: functions; in fnalltype and fnallntype also types. */
struct function_list {
    struct value functions, types; /* functions: names and @classes */
    char *listed;                  /* [function] 1: its name or its class is in the list */
};

/* Returns 1 if the function has an argument of this type. */
static int has_type(const struct proto *proto, const char *type)
{
    for (int a = 0; a < proto->arg_count; a++)
        if (arg_has_type(&proto->args[a], type))
            return 1;
    return 0;
}

/* Reads the list of a block; elements of nested lists count as elements of the list. The list of fnalltype and
 * fnallntype begins with a type. Each further word is also a type if some argument has this type; otherwise the word is
 * a function to leave out. */
static struct function_list choose(struct gen_place *place, const struct scope *scope, const struct gen_node *node,
                                   const char *keyword)
{
    struct protos *protos = place->emitter->protos;
    struct function_list chosen = {.listed = make((size_t)protos->count + 1)};
    int has_types = node->kind == NODE_FNALLTYPE || node->kind == NODE_FNALLNTYPE;

    for (int i = 2; i < node->word_count; i++) {
        struct value value = word_value(place, scope, node, i);
        const size_t at = (size_t)(node->words[i].at - place->source->at);
        for (int j = 0; j < value.count; j++) {
            const char *name = value.items[j];
            int is_first = has_types && !chosen.types.count, is_known = 0;
            /* The first word is a type even if no argument has it. */
            for (int f = 0; has_types && f < protos->count; f++)
                is_known |= has_type(&protos->at[f], name);
            if (is_first && !is_known && fault_is_new(place->source, at))
                warn(place->source, at, "no function has an argument of the type %s", name);
            if (is_first || is_known) {
                value_puts(&chosen.types, name);
                continue;
            }
            value_puts(&chosen.functions, name);
            function_mark(place->emitter, place->source, at, keyword, &(struct gen_word){name, strlen(name)},
                          chosen.listed);
        }
    }
    return chosen;
}

/* Returns 1 if the block applies to this function. */
static int is_chosen(struct gen_place *place, const struct gen_node *node, const struct function_list *chosen,
                     const struct proto *proto)
{
    int is_listed = chosen->listed[proto - place->emitter->protos->at], has_listed = 0;

    for (int i = 0; i < chosen->types.count; i++)
        has_listed |= has_type(proto, chosen->types.items[i]);
    if (node->kind == NODE_FN)
        return is_listed;
    /* In the wrap dialect, the block applies to MPIX_ and MPI_T_ functions only with --all. */
    if (is_listed || (is_wrap(place) && !(place->emitter->flags & EMIT_ALL) && !function_is_usual(proto)))
        return 0;
    return node->kind == NODE_FNALLTYPE ? has_listed : node->kind == NODE_FNALLNTYPE ? !has_listed : 1;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* Applies a block to one function. Returns 1 if the caller shall not apply the block to further functions. This is so
 * after too many steps, and if the block's end is missing: one function then suffices to check the block's text for
 * errors. */
static int run_block(struct gen_place *place, const struct scope *outer, const struct gen_node *node,
                     struct proto *proto, struct gen_text *out)
{
    struct emitter *emitter = place->emitter;
    struct scope scope = {.outer = outer,
                          .name = node->word_count > 1 ? node->words[1] : (struct gen_word){"", 0},
                          .proto = proto,
                          .macros = emitter->macro_count};

    if (emitter_step(emitter, place->source, node->at))
        return 1;
    if (node->kind >= NODE_FNALL)
        add_wrapper(place, proto, node, out); /* its text is expanded when the function is written */
    else
        expand(place, &scope, node->inside, NULL, out);
    emitter->macro_count = scope.macros; /* definitions made in a loop's iteration end with it */
    return node->is_open;
}

/* Runs {{foreachfn}} for its functions, in the order of its list. */
static void run_each(struct gen_place *place, const struct scope *outer, const struct gen_node *node,
                     const struct function_list *chosen, struct gen_text *out)
{
    struct protos *protos = place->emitter->protos;

    for (int n = 0; n < chosen->functions.count; n++) {
        const char *name = chosen->functions.items[n];
        /* "@send": all functions of the class, in the order of the header */
        const struct proto *found = *name == '@' ? NULL : protos_find(protos, name, strlen(name));
        for (int i = 0; i < protos->count; i++) {
            if (*name == '@' ? !row_has_class(protos->at[i].row, name + 1, strlen(name) - 1) : &protos->at[i] != found)
                continue;
            if (run_block(place, outer, node, &protos->at[i], out))
                return;
        }
    }
}

/* Expands a loop, or notes a wrapper. */
static void expand_block(struct gen_place *place, const struct scope *outer, const struct gen_node *node,
                         struct gen_text *out)
{
    struct protos *protos = place->emitter->protos;
    const char *keyword = text_copy(node->words[0].at, node->words[0].size);
    int is_wrapper = node->kind >= NODE_FNALL;

    if (is_wrapper && outer) {
        fault_once(place->source, node->at, "{{%s}} inside another block; wrappers belong on the outermost level",
                   keyword);
        return;
    }
    if (node->word_count > 1 && function_lacks_name(place->emitter, place->source, node->at, keyword, &node->words[1]))
        return;
    struct function_list chosen = choose(place, outer, node, keyword);
    if (is_wrapper && !node->has_call && !is_wrap(place))
        warn(place->source, node->at, "{{%s}} without {{callfn}}: all of it stands before the call", keyword);
    if (node->kind == NODE_FOREACH) {
        run_each(place, outer, node, &chosen, out);
        return;
    }
    for (int i = 0; i < protos->count; i++)
        if (is_chosen(place, node, &chosen, &protos->at[i]) && run_block(place, outer, node, &protos->at[i], out))
            return;
}

void expand(struct gen_place *place, const struct scope *scope, const struct gen_node *node, const struct gen_node *end,
            struct gen_text *out)
{
    const struct scope *wrapper = wrapper_around(scope);

    for (; node && node != end; node = node->next) {
        if (node->kind == NODE_TEXT) {
            text_add(out, node->text.at, node->text.size);
            place->emitter->written += node->text.size;
        } else if (node->kind == NODE_DEF) {
            define(place, scope, node);
        } else if (node->kind == NODE_CALL && wrapper) {
            const char *call = wrapper->body->call; /* the template may have a semicolon after it */
            int has_semicolon = node->text.at[node->text.size] == ';' && text_ends(call, ";");
            text_add(out, call, strlen(call) - (size_t)has_semicolon);
        } else if (node->kind < NODE_FORALL) { /* all kinds from NODE_FORALL on are blocks */
            /* Writes the value of an escape, with commas between the items of a list. */
            struct value value = {0};
            struct gen_text text = {0};

            evaluate(place, scope, node, &value);
            /* An empty {{formals}} is written as C writes it, "void". If another escape uses the list, it is empty. */
            if (!value.count && word_is(&node->words[0], "formals"))
                value_puts(&value, "void");
            text_puts(&text, "");
            for (int i = 0; i < value.count; i++)
                text_printf(&text, "%s%s", i ? ", " : "", value.items[i]);
            text_puts(out, cxx_shown(place->emitter, out, text.at));
            place->emitter->written += text.size;
        } else if (place->emitter->nesting == DEEPEST) { /* a {{def}} may contain itself */
            fault_too_deep(place->source, node->at);
            return;
        } else {
            place->emitter->nesting++;
            expand_block(place, scope, node, out);
            place->emitter->nesting--;
        }
    }
}

/* Writes the text of a template. `file`: the value of {{fileno}}. */
void template_expand(struct emitter *emitter, const struct gen_source *source, int file)
{
    struct gen_place place = {emitter, source, file};

    expand(&place, NULL, template_parse(source, is_wrap(&place)), NULL, &emitter->out);
}
