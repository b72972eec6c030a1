/* emit.c - writes the classic dialect. Text and loops are written where they stand. Wrappers are stored with their
 * functions, and emit_wrappers() writes each function once: before1 before2 CALL after2 after1. */
#include "wrappergen.h"

#include <string.h>

/* The loops and wrappers around an escape, innermost first along `outer`. */
struct loop_scope {
    const struct loop_scope *outer;
    struct gen_word name;          /* of a loop or wrapper */
    const struct proto *proto;     /* the current function */
    const struct wrapper *wrapper; /* set in a wrapper, NULL in a loop */
    char *const *variables;        /* unique names, in the order of the wrapper's variables */
};
struct tree_place {
    struct emitter *emitter;
    const struct gen_source *source;
    int file;
};

static const struct loop_scope *scope_wrapper(const struct loop_scope *scope)
{
    while (scope && !scope->wrapper)
        scope = scope->outer;
    return scope;
}

/* The function of the loop or wrapper with this name; of equal names, the outermost. */
static const struct proto *scope_find(const struct loop_scope *scope, const struct gen_word *word)
{
    const struct proto *found = NULL;

    for (; scope; scope = scope->outer)
        if (scope->name.size == word->size && !memcmp(scope->name.at, word->at, word->size))
            found = scope->proto;
    return found;
}

/* The value of an escape of one word; NULL: unknown. Order: variable, role, argument, loop name, returnVal. */
static const char *look_up(const struct loop_scope *scope, const struct gen_word *word)
{
    const struct loop_scope *around = scope_wrapper(scope);
    const char *found = NULL;

    if (around) {
        const struct gen_node *node = around->wrapper->node;
        for (int i = 0; i < node->variable_count; i++)
            if (word_is(word, node->variables[i].name))
                return around->variables[i];
        const struct arg *arg = protos_argument(around->proto, word->at, word->size);
        if ((found = role_find(around->proto, word->at, word->size)) || (found = arg ? arg->name : NULL))
            return found;
    }
    const struct proto *proto = scope_find(scope, word);
    if (proto)
        return proto->name;
    if (around && word_is(word, "returnVal") && !function_is_void(around->proto))
        return "returnVal";
    return scope && !around ? role_find(scope->proto, word->at, word->size) : NULL;
}

/* ---- Unknown words ----------------------------------------------------------------------------------------------- */

static void unknown(struct tree_place *place, const struct loop_scope *scope, const struct gen_node *node)
{
    const struct loop_scope *around = scope_wrapper(scope);
    const struct gen_word *word = &node->words[0];
    struct near near;

    if (place->emitter->flags & EMIT_KEEP_UNKNOWN) {
        const char *end = strstr(place->source->at + node->at, "}}") + 2;
        const char *from = place->source->at + node->at;
        text_add(&place->emitter->out, from, (size_t)(end - from));
        warn(place->source, node->at, "unknown escape {{%.*s}} copied", (int)word->size, word->at);
        return;
    }
    if (!fault_is_new(place->source, node->at)) /* reported for another function */
        return;
    for (int i = 0; wrap_keywords[i]; i++)
        if (word_is(word, wrap_keywords[i])) {
            fault(place->source, node->at, "{{%.*s}} belongs to the other dialect; use --dialect=wrap", (int)word->size,
                  word->at);
            return;
        }
    near_begin(&near, word);
    for (int i = 0; around && i < around->proto->arg_count; i++)
        near_try(&near, around->proto->args[i].name);
    near_try_all(&near, template_keywords);
    for (int i = 0; around && i < around->wrapper->node->variable_count; i++)
        near_try(&near, around->wrapper->node->variables[i].name);
    if (around && word_is(word, "returnVal"))
        fault(place->source, node->at, "%s returns nothing; leave it out of this wrapper", around->proto->name);
    else if (around && strspn(word->at, "0123456789") >= word->size)
        fault(place->source, node->at, "%s has no argument %.*s", around->proto->name, (int)word->size, word->at);
    else if (near.distance == 0)
        fault(place->source, node->at, "{{%.*s}} has no value here%s%s", (int)word->size, word->at,
              around ? ", in the wrapper of " : "", around ? around->proto->name : "");
    else
        fault(place->source, node->at, "unknown escape {{%.*s}}%s%s%s", (int)word->size, word->at,
              around ? " in the wrapper of " : "", around ? around->proto->name : "", near_hint(&near));
}

/* ---- Lists of functions ------------------------------------------------------------------------------------------ */

/* For each function considered: 1 if the node lists it or its class. Reports functions that do not exist. */
static char *listed(struct tree_place *place, const struct gen_node *node)
{
    struct protos *protos = place->emitter->protos;
    const char *block = text_copy(node->words[0].at, node->words[0].size);
    char *is_listed = make((size_t)protos->count + 1);

    for (int w = 2; w < node->word_count; w++)
        function_mark(place->emitter, place->source, (size_t)(node->words[w].at - place->source->at), block,
                      &node->words[w], is_listed);
    return is_listed;
}

static int lacks_name(const struct tree_place *place, const struct gen_node *node)
{
    return node->word_count > 1 &&
           function_lacks_name(place->emitter, place->source, node->at,
                               text_copy(node->words[0].at, node->words[0].size), &node->words[1]);
}

/* ---- Writing the tree -------------------------------------------------------------------------------------------- */

static void emit_nodes(struct tree_place *place, const struct loop_scope *scope, const struct gen_node *node,
                       const struct gen_node *end);

static void emit_loop(struct tree_place *place, const struct loop_scope *outer, const struct gen_node *node)
{
    struct protos *protos = place->emitter->protos;
    struct loop_scope scope = {.outer = outer,
                               .name = node->word_count > 1 ? node->words[1] : (struct gen_word){"", 0}};

    if (lacks_name(place, node))
        return;
    const char *is_listed = listed(place, node);
    if (node->kind == NODE_FORALL) {
        for (int i = 0; i < protos->count; i++) {
            scope.proto = &protos->at[i];
            if (emitter_step(place->emitter, place->source, node->at))
                return;
            if (!is_listed[i])
                emit_nodes(place, &scope, node->inside, NULL);
        }
        return;
    }
    for (int w = 2; w < node->word_count; w++) {
        const struct gen_word *word = &node->words[w];
        if (emitter_step(place->emitter, place->source, node->at))
            return;
        for (int i = 0; i < protos->count && word->at[0] == '@'; i++)
            if (row_has_class((scope.proto = &protos->at[i])->row, word->at + 1, word->size - 1))
                emit_nodes(place, &scope, node->inside, NULL);
        if (word->at[0] != '@' && (scope.proto = protos_find(protos, word->at, word->size)))
            emit_nodes(place, &scope, node->inside, NULL);
    }
}

/* 1: the word is a role or an argument of some function. Where it has no value, {{WORD|TEXT}} stands for TEXT. */
static int is_known(const struct protos *protos, const struct gen_word *word)
{
    int known = roles_know_role(word);

    for (int i = 0; i < protos->count && !known; i++)
        known = protos_argument(&protos->at[i], word->at, word->size) != NULL;
    return known;
}

static void emit_word(struct tree_place *place, const struct loop_scope *scope, const struct gen_node *node)
{
    struct gen_text *out = &place->emitter->out;
    const struct gen_word *word = &node->words[0];
    const char *found, *bar = memchr(word->at, '|', word->size);

    if (bar && node->word_count == 1) {
        const struct gen_word name = {word->at, (size_t)(bar - word->at)};
        found = look_up(scope, &name);
        if (!found && is_known(place->emitter->protos, &name))
            found = text_copy(bar + 1, word->size - name.size - 1);
    } else if (node->word_count == 2) { /* {{KEY NAME}}: a word of the table for a loop's function */
        const struct proto *proto = scope_find(scope, &node->words[1]);
        found = proto ? role_find(proto, word->at, word->size) : NULL;
    } else {
        found = node->word_count == 1 ? look_up(scope, word) : NULL;
    }
    if (found)
        text_puts(out, cxx_shown(place->emitter, out, found));
    else if (word_is(word, "fileno"))
        text_printf(out, "%d", place->file);
    else if (word_is(word, "fn_num"))
        text_printf(out, "%d", place->emitter->number++);
    else
        unknown(place, scope, node);
}

static void note_wrapper(struct tree_place *place, const struct gen_node *node)
{
    struct protos *protos = place->emitter->protos;

    if (lacks_name(place, node))
        return;
    const char *is_listed = listed(place, node);
    if (!node->has_call)
        warn(place->source, node->at, "{{%.*s}} without {{callfn}}: all of it stands before the call",
             (int)node->words[0].size, node->words[0].at);
    for (int i = 0; i < protos->count; i++) {
        struct proto *proto = &protos->at[i];
        if (is_listed[i] != (node->kind == NODE_FN))
            continue;
        proto->wrappers = grow(proto->wrappers, (size_t)proto->wrapper_count, sizeof *proto->wrappers);
        proto->wrappers[proto->wrapper_count++] = (struct wrapper){node, place->source, place->file};
    }
}

static void emit_nodes(struct tree_place *place, const struct loop_scope *scope, const struct gen_node *node,
                       const struct gen_node *end)
{
    for (; node && node != end; node = node->next)
        switch (node->kind) {
        case NODE_TEXT:
            text_add(&place->emitter->out, node->text.at, node->text.size);
            break;
        case NODE_WORD:
            emit_word(place, scope, node);
            break;
        case NODE_FORALL:
        case NODE_FOREACH:
            emit_loop(place, scope, node);
            break;
        case NODE_FNALL:
        case NODE_FN:
            if (!scope) /* elsewhere it is an error that was reported already */
                note_wrapper(place, node);
            break;
        case NODE_CALL:
        case NODE_VARS:
            break;
        }
}

void emit_template(struct emitter *emitter, const struct gen_source *source, const struct gen_node *nodes, int file)
{
    struct tree_place place = {emitter, source, file};

    emit_nodes(&place, NULL, nodes, NULL);
}

/* ---- The wrapper functions --------------------------------------------------------------------------------------- */

/* The name, with the first number that makes it unique if necessary. */
static char *unique_name(struct name_set *names, const char *wanted)
{
    char *name = text_copy(wanted, strlen(wanted));
    int is_new = name_set_add(names, name), number = *name_set_number(names, wanted);

    while (!is_new) {
        name = text_format("%s%d", wanted, ++number);
        is_new = name_set_add(names, name);
    }
    *name_set_number(names, wanted) = number; /* numbers up to this one are taken */
    return name;
}

/* Gives every variable of every wrapper a unique name in this function: i, i1, i2 ... */
static char ***name_variables(const struct proto *proto)
{
    char ***variables = make(((size_t)proto->wrapper_count + 1) * sizeof *variables);
    struct name_set names = {0};

    name_set_add(&names, "returnVal");
    for (int i = 0; i < proto->arg_count; i++)
        name_set_add(&names, proto->args[i].name);
    for (int w = 0; w < proto->wrapper_count; w++) {
        const struct gen_node *node = proto->wrappers[w].node;
        variables[w] = make(((size_t)node->variable_count + 1) * sizeof **variables);
        for (int v = 0; v < node->variable_count; v++)
            variables[w][v] = unique_name(&names, node->variables[v].name);
    }
    return variables;
}

static void emit_variables(struct gen_text *out, const struct proto *proto, char ***variables)
{
    const char *type = NULL; /* of the current line; variables of equal types share a line */

    for (int w = 0; w < proto->wrapper_count; w++) {
        const struct gen_node *node = proto->wrappers[w].node;
        for (int v = 0; v < node->variable_count; v++) {
            const struct variable *variable = &node->variables[v];
            if (type && !strcmp(type, variable->type))
                text_puts(out, ", ");
            else
                text_printf(out, "%s  %s ", type ? ";\n" : "", variable->type);
            type = variable->type;
            text_printf(out, "%s%s%s", variable->before, variables[w][v], variable->after);
        }
    }
    if (type)
        text_puts(out, ";\n");
}

/* Writes the part of a wrapper's body before or after the call. */
static void emit_part(struct emitter *emitter, const struct proto *proto, int w, char *const *variables, int after)
{
    const struct wrapper *wrapper = &proto->wrappers[w];
    const struct gen_node *call = wrapper->node->inside;
    struct tree_place place = {emitter, wrapper->source, wrapper->file};
    struct loop_scope scope = {NULL, wrapper->node->word_count > 1 ? wrapper->node->words[1] : (struct gen_word){"", 0},
                               proto, wrapper, variables};

    while (call && call->kind != NODE_CALL)
        call = call->next;
    if (!after)
        emit_nodes(&place, &scope, wrapper->node->inside, call);
    else if (call)
        emit_nodes(&place, &scope, call->next, NULL);
}

/* Writes the parts of all wrappers before or after the call. */
static void emit_parts(struct emitter *emitter, const struct proto *proto, char ***variables, int after)
{
    for (int w = 0; w < proto->wrapper_count; w++) {
        int which = after ? proto->wrapper_count - 1 - w : w;
        emit_part(emitter, proto, which, variables[which], after);
    }
}

static void emit_c(struct emitter *emitter, const struct proto *proto, char ***variables)
{
    struct gen_text *out = &emitter->out;

    function_begin(emitter, proto, NULL);
    emit_variables(out, proto, variables);
    emit_parts(emitter, proto, variables, 0);
    text_puts(out, function_is_void(proto) ? "\n  " : "\n  returnVal = ");
    function_call(emitter, out, proto);
    text_puts(out, ";\n");
    emit_parts(emitter, proto, variables, 1);
    function_end(emitter, proto);
}

/* Makes the parts as for C, and writes the Fortran entry point around them. */
static void emit_fortran(struct emitter *emitter, const struct proto *proto, char ***variables)
{
    struct gen_text out = emitter->out, declarations = {0}, parts[2] = {{0}, {0}};

    text_puts(&declarations, "");
    emit_variables(&declarations, proto, variables);
    for (int after = 0; after < 2; after++) {
        emitter->out = (struct gen_text){0};
        text_puts(&emitter->out, "");
        emit_parts(emitter, proto, variables, after);
        parts[after] = emitter->out;
    }
    emitter->out = out;
    struct gen_text body = {0};
    text_printf(&body, "%s%s%s\n%s", declarations.at, parts[0].at, fortran_call(proto, parts[1].at), parts[1].at);
    fortran_function(emitter, proto, body.at, parts[0].at, parts[1].at);
}

/* Writes a function for each member that calls the C function. */
static void emit_cxx(struct emitter *emitter, const struct proto *proto, char ***variables)
{
    const struct bindings *bindings = emitter->bindings;
    int number = emitter->number;

    for (int i = 0; i < bindings->count; i++) {
        const struct member *member = &bindings->at[i];
        if (member->proto != proto)
            continue;
        emitter->number = number; /* {{fn_num}} is that of the C function */
        emitter->member = member;
        cxx_begin(emitter, member, NULL);
        emit_variables(&emitter->out, proto, variables);
        emit_parts(emitter, proto, variables, 0);
        text_printf(&emitter->out, "\n  %s\n", cxx_call(emitter, member));
        emit_parts(emitter, proto, variables, 1);
        cxx_end(emitter, member);
        emitter->member = NULL;
    }
}

void emit_wrappers(struct emitter *emitter)
{
    for (int i = 0; i < emitter->protos->count; i++) {
        const struct proto *proto = &emitter->protos->at[i];
        if (!proto->wrapper_count)
            continue;
        char ***variables = name_variables(proto);
        int number = emitter->number;
        if (emitter->bindings) {
            emit_cxx(emitter, proto, variables);
            continue;
        }
        if (!(emitter->flags & EMIT_FORTRAN_ONLY))
            emit_c(emitter, proto, variables);
        if (!(emitter->flags & EMIT_FORTRAN) || emitter->flags & EMIT_C_ONLY || !fortran_has(emitter, proto))
            continue;
        if (!(emitter->flags & EMIT_FORTRAN_ONLY))
            emitter->number = number; /* {{fn_num}} is the same in both */
        emit_fortran(emitter, proto, variables);
    }
}
