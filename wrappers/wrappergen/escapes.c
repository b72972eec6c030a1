/* escapes.c - finds the text that replaces each escape ({{...}}) of a template. Also defines and runs the template's
 * own macros ({{def}}), and writes the error messages for words that are unknown or misspelt.
 *
 * In a wrapper of MPI_Send(buf, count, datatype, dest, tag, comm), with the row "MPI_Send send peer=dest" in the table
 * of roles,
 *
 *     {{peer}}          dest             a role
 *     {{count}}         count            an argument, by the standard's name
 *     {{args 0}}        buf              an element of a list; {{args -1}} is comm
 *     {{root|0}}        0                the text after the bar, because only other functions have {{root}}
 *     {{rot}}           an error, because no function has this word
 *
 * If a role and an argument have the same name, the word means the role.
 */
#include "expand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

/* For error messages: the words that both dialects have, and the words that only the wrap dialect has. */
static const char *const common_words[] = {
    "forallfn", "endforallfn", "foreachfn", "endforeachfn", "fnall",  "endfnall",  "fn",
    "endfn",    "callfn",      "vardecl",   "fileno",       "fn_num", "returnVal", NULL};
static const char *const wrap_words[] = {"ret_type", "ret_val",   "formals",      "args",          "nargs",
                                         "types",    "get_arg",   "fn_name",      "fn_id",         "sub",
                                         "zip",      "list",      "filter",       "apply_to_type", "def",
                                         "enddef",   "fnalltype", "endfnalltype", "fnallntype",    "endfnallntype",
                                         "retType",  "argList",   "argTypeList",  "applyToType",   NULL};

int arg_has_type(const struct arg *arg, const char *type)
{
    const char *own = arg_type(arg);

    for (;; own++, type++) {
        while (isspace((unsigned char)*own))
            own++;
        while (isspace((unsigned char)*type))
            type++;
        if (*own != *type || !*own)
            return *own == *type;
    }
}

struct value word_value(struct gen_place *place, const struct scope *scope, const struct gen_node *node, int word)
{
    const struct gen_word text = word_unquoted(node->words[word]);
    const struct gen_node *part = node->parts[word];
    struct value value = {0};

    if (!part) {
        value_add(&value, text.at, text.size);
    } else if (part->text.size == text.size && part->kind > NODE_TEXT && part->kind < NODE_FORALL) {
        evaluate(place, scope, part, &value);
    } else {
        struct gen_text out = {0};
        text_puts(&out, "");
        expand(place, scope, part, NULL, &out);
        value_add(&value, out.at, out.size);
    }
    return value;
}

/* ---- Words of functions ------------------------------------------------------------------------------------------ */

/* Returns the function of the loop or wrapper that has this name. If several have it, the outermost one counts. */
static const struct proto *scope_find(const struct scope *scope, const struct gen_word *word)
{
    const struct proto *found = NULL;

    for (; scope; scope = scope->outer)
        if (scope->name.size == word->size && !memcmp(scope->name.at, word->at, word->size))
            found = scope->proto;
    return found;
}

/* Returns the function to whose arguments words refer. In the classic dialect, only words in a wrapper refer to
 * arguments. */
static const struct proto *proto_of(const struct gen_place *place, const struct scope *scope)
{
    const struct scope *wrapper = wrapper_around(scope);

    return wrapper ? wrapper->proto : scope && is_wrap(place) ? scope->proto : NULL;
}

/* Returns the variables of the wrapper. */
static struct variables variables_of(const struct scope *wrapper)
{
    return wrapper ? wrapper->body->variables[wrapper->wrapper] : (struct variables){0};
}

/* Returns the value of one word; NULL if it is unknown. The word is looked for in this order: variables, roles,
 * arguments, names of loops, words of the function. */
static const char *look_up(const struct gen_place *place, const struct scope *scope, const struct gen_word *word)
{
    const struct scope *wrapper = wrapper_around(scope);
    const struct variables variables = variables_of(wrapper);
    const struct proto *proto = proto_of(place, scope), *named = scope_find(scope, word);
    const char *found = NULL;

    for (int i = 0; i < variables.count; i++)
        if (word_is(word, variables.at[i]->name))
            return variables.names[i];
    for (const struct scope *s = scope; s && word_is(word, "arg"); s = s->outer)
        if (s->arg)
            return s->arg->name;
    const struct arg *arg = proto ? protos_argument(proto, word->at, word->size) : NULL;
    if ((proto && (found = role_find(proto, word->at, word->size))) || (found = arg ? arg->name : NULL))
        return found;
    if (named)
        return named->name;
    if (wrapper && !function_is_void(wrapper->proto) &&
        (word_is(word, "returnVal") || (word_is(word, "ret_val") && is_wrap(place))))
        return "returnVal";
    if (!scope || !is_wrap(place))
        return scope && !proto ? role_find(scope->proto, word->at, word->size) : NULL;
    if (word_is(word, "fn_name"))
        return scope->proto->name;
    return word_is(word, "ret_type") || word_is(word, "retType") ? scope->proto->result : NULL;
}

/* Returns 1 if the word is a role or an argument of some function. */
static int is_known(const struct protos *protos, const struct gen_word *word)
{
    int known = roles_know_role(word);

    for (int i = 0; i < protos->count && !known; i++)
        known = protos_argument(&protos->at[i], word->at, word->size) != NULL;
    return known;
}

/* Evaluates {{WORD}}, {{WORD|TEXT}} or {{KEY NAME}}. {{WORD|TEXT}} has the value TEXT if the word has no value here,
 * but has one for some function. {{KEY NAME}} is the text of KEY in the table of roles, for the function of the loop
 * NAME. Returns NULL if the escape is none of these. */
static const char *look_up_words(const struct gen_place *place, const struct scope *scope, const struct gen_node *node)
{
    const struct gen_word *word = &node->words[0];
    const char *bar = memchr(word->at, '|', word->size), *found;

    if (node->word_count == 2) {
        const struct proto *proto = scope_find(scope, &node->words[1]);
        return proto ? role_find(proto, word->at, word->size) : NULL;
    }
    if (node->word_count > 2 || !bar)
        return node->word_count > 2 ? NULL : look_up(place, scope, word);
    const struct gen_word name = {word->at, (size_t)(bar - word->at)};
    if ((found = look_up(place, scope, &name)) || !is_known(place->emitter->protos, &name))
        return found;
    return text_copy(bar + 1, word->size - name.size - 1);
}

/* Evaluates {{formals}}, {{types}} and {{args}}. Returns 0 if the word is none of these. */
static int list_of(const struct proto *proto, const struct gen_word *word, struct value *result)
{
    int is_formals = word_is(word, "formals"), is_types = word_is(word, "types");

    if (!is_formals && !is_types && !word_is(word, "args"))
        return 0;
    for (int i = 0; i < proto->arg_count; i++) {
        const struct arg *arg = &proto->args[i];
        const char *formal = text_format("%s%s%s", arg->prefix, arg->name, arg->suffix);
        value_puts(result, is_formals ? formal : is_types ? arg_type(arg) : arg->name);
    }
    if (is_formals && proto->variable)
        value_puts(result, "...");
    return 1;
}

/* Evaluates words for numbers and lists of the innermost function. Returns 0 if the word is none of these. */
static int built_in(struct gen_place *place, const struct scope *scope, const struct gen_word *word,
                    struct value *result)
{
    static const struct gen_word lists[] = {{"args", 4}, {"formals", 7}};
    struct gen_text text = {0};
    const struct proto *proto = scope ? scope->proto : NULL;
    int is_arguments = word_is(word, "argList");

    if (word_is(word, "fileno")) {
        text_printf(&text, "%d", place->file);
    } else if (word_is(word, "fn_num") && (proto || !is_wrap(place))) {
        text_printf(&text, "%d", place->emitter->number++);
    } else if (!proto || !is_wrap(place)) {
        return 0;
    } else if (word_is(word, "nargs")) {
        text_printf(&text, "%d", proto->arg_count);
    } else if (word_is(word, "fn_id")) {
        text_printf(&text, "%d", proto->id);
    } else if (is_arguments || word_is(word, "argTypeList")) {
        struct value list = {0};
        list_of(proto, &lists[!is_arguments], &list);
        text_puts(&text, list.count || is_arguments ? "(" : "(void");
        for (int i = 0; i < list.count; i++)
            text_printf(&text, "%s%s", i ? ", " : "", list.items[i]);
        text_puts(&text, ")");
    } else {
        return list_of(proto, word, result);
    }
    value_add(result, text.at, text.size);
    return 1;
}

/* Evaluates {{args N}}, {{types N}}, {{formals N}} and {{get_arg N}}; N counts from 0, or from -1 backwards. Returns
 * 0 if the word is none of these. */
static int element_of(struct gen_place *place, const struct proto *proto, const struct gen_word *word,
                      const char *which, size_t at, struct value *result)
{
    static const struct gen_word args = {"args", 4};
    struct value list = {0};
    int is_argument = word_is(word, "get_arg");
    const struct arg *arg = is_argument ? protos_argument(proto, which, strlen(which)) : NULL;
    char *end;
    long index = strtol(which, &end, 10);

    if (!list_of(proto, is_argument ? &args : word, &list))
        return 0;
    index += index < 0 ? list.count : 0;
    if (arg)
        value_puts(result, arg->name);
    else if (end != which && !*end && index >= 0 && index < list.count)
        value_puts(result, list.items[index]);
    else
        fault_once(place->source, at, "%s has no argument %s", proto->name, which);
    return 1;
}

/* ---- {{def}} ----------------------------------------------------------------------------------------------------- */

/* Returns the last definition with this name; NULL if there is none. */
static const struct macro *macro_find(const struct emitter *emitter, const struct gen_word *word)
{
    for (int i = emitter->macro_count; i-- > 0;)
        if (emitter->macros[i].name.size == word->size && !memcmp(emitter->macros[i].name.at, word->at, word->size))
            return &emitter->macros[i];
    return NULL;
}

/* Returns 1 if the definition was made inside the outermost block. Such a definition counts before an argument of the
 * same name. */
static int macro_is_inner(const struct emitter *emitter, const struct scope *scope, const struct macro *macro)
{
    while (scope && scope->outer)
        scope = scope->outer;
    return macro && scope && macro - emitter->macros >= scope->macros;
}

static void macro_add(struct emitter *emitter, const struct macro *macro)
{
    emitter->macros = grow(emitter->macros, (size_t)emitter->macro_count, sizeof *emitter->macros);
    emitter->macros[emitter->macro_count++] = *macro;
}

void define(struct gen_place *place, const struct scope *scope, const struct gen_node *node)
{
    if (node->word_count < 2) /* an error that was reported already */
        return;
    struct macro macro = {place->source, node->words[1], node, place->file, {0}, node->word_count > 2};
    struct gen_text text = {0};

    if (node->word_count == 3) {
        macro.value = word_value(place, scope, node, 2);
    } else if (node->word_count > 3) {
        text_puts(&text, "");
        expand(place, scope, node->inside, NULL, &text);
        value_add(&macro.value, text.at, text.size);
    }
    macro_add(place->emitter, &macro);
}

/* Adds the value of a definition, or the definition's text, which is expanded here. */
static void macro_run(struct gen_place *place, const struct scope *scope, const struct macro *macro, size_t at,
                      struct value *result)
{
    enum { MOST = 40 };               /* nested definitions; more are taken for an endless recursion */
    const struct macro used = *macro; /* a copy, as the array may move */
    const struct scope *wrapper = wrapper_around(scope);
    struct gen_place there = {place->emitter, used.source, used.file};
    struct gen_text text = {0};

    if (used.is_value) {
        for (int i = 0; i < used.value.count; i++)
            value_puts(result, used.value.items[i]);
        return;
    }
    if (place->emitter->depth >= MOST) {
        fault_once(place->source, at, "{{%.*s}} uses itself endlessly", (int)used.name.size, used.name.at);
        return;
    }
    text_puts(&text, "");
    if (wrapper)
        body_declare(wrapper->body, wrapper->wrapper, used.source, used.node);
    place->emitter->depth++;
    expand(&there, scope, used.node->inside, NULL, &text);
    place->emitter->depth--;
    value_add(result, text.at, text.size);
}

/* Runs {{apply_to_type TYPE MACRO}}: writes "MACRO(argument);" for each argument of the type. If MACRO is a {{def}},
 * writes the text of the {{def}} instead, in which {{arg}} is the argument. */
static void apply_to_type(struct gen_place *place, const struct scope *scope, const struct value *args, size_t at,
                          struct value *result)
{
    const char *type = args[0].count ? args[0].items[0] : "", *name = args[1].count ? args[1].items[0] : "";
    struct gen_word word = {name, strlen(name)};
    const struct macro *macro = macro_find(place->emitter, &word);
    struct gen_text text = {0};

    text_puts(&text, "");
    for (int i = 0; i < scope->proto->arg_count; i++) {
        struct scope inner = {
            .outer = scope, .proto = scope->proto, .arg = &scope->proto->args[i], .macros = scope->macros};
        if (!arg_has_type(inner.arg, type))
            continue;
        text_puts(&text, text.size ? " " : "");
        struct value run = {0};
        if (macro)
            macro_run(place, &inner, macro, at, &run);
        for (int r = 0; r < run.count; r++)
            text_puts(&text, run.items[r]);
        if (!macro)
            text_printf(&text, "%s(%s);", name, inner.arg->name);
    }
    value_add(result, text.at, text.size);
}

/* ---- Unknown words ----------------------------------------------------------------------------------------------- */

/* Returns how this known word must be written, for an error message; NULL if the word has no special form. */
static const char *usage_of(const struct gen_word *word)
{
    static const struct {
        const char *word, *usage;
    } usages[] = {{"get_arg", "{{get_arg N}}"},
                  {"args", "{{args}} or {{args N}}"},
                  {"types", "{{types}} or {{types N}}"},
                  {"formals", "{{formals}} or {{formals N}}"},
                  {"apply_to_type", "{{apply_to_type TYPE MACRO}}"},
                  {"applyToType", "{{apply_to_type TYPE MACRO}}"}};

    for (size_t i = 0; i < sizeof usages / sizeof usages[0]; i++)
        if (word_is(word, usages[i].word))
            return usages[i].usage;
    return NULL;
}

/* Compares the word that `near` looks for with all names of the list `known`, which ends with NULL. */
static void try_all(struct pithi_nearest *near, const char *const *known)
{
    for (; *known; known++)
        pithi_nearest_try(near, *known);
}

/* Finds the known word that is nearest to this one. */
static void find_near(const struct gen_place *place, const struct scope *scope, const struct gen_word *word,
                      struct pithi_nearest *near)
{
    const struct emitter *emitter = place->emitter;
    const struct variables variables = variables_of(wrapper_around(scope));
    const struct proto *proto = proto_of(place, scope);

    pithi_nearest_begin(near, word->at, word->size);
    for (int i = 0; proto && i < proto->arg_count; i++)
        pithi_nearest_try(near, proto->args[i].name);
    try_all(near, common_words);
    if (is_wrap(place))
        try_all(near, wrap_words);
    for (int i = 0; i < variables.count; i++)
        pithi_nearest_try(near, variables.at[i]->name);
    for (int i = 0; i < emitter->macro_count; i++)
        pithi_nearest_try(near, text_copy(emitter->macros[i].name.at, emitter->macros[i].name.size));
}

/* Reports an unknown escape. Its value is its own text. */
static void unknown(struct gen_place *place, const struct scope *scope, const struct gen_node *node,
                    struct value *result)
{
    const struct gen_source *source = place->source;
    const struct gen_word *word = &node->words[0];
    const struct scope *wrapper = wrapper_around(scope);
    const struct proto *proto = proto_of(place, scope);
    const char *own = is_wrap(place) ? usage_of(word) : NULL, *name = proto ? proto->name : "";
    const char *where = wrapper ? " in the wrapper of " : proto ? " for " : "";
    int size = (int)word->size;
    struct pithi_nearest near;

    value_add(result, node->text.at, node->text.size);
    if (!fault_is_new(source, node->at)) /* the error was reported for another function */
        return;
    if (place->emitter->flags & EMIT_KEEP_UNKNOWN) {
        warn(source, node->at, "unknown escape {{%.*s}} copied", size, word->at);
        return;
    }
    for (int i = 0; wrap_words[i] && !is_wrap(place); i++)
        if (word_is(word, wrap_words[i])) {
            fault(source, node->at, "{{%.*s}} belongs to the other dialect; use --dialect=wrap", size, word->at);
            return;
        }
    find_near(place, scope, word, &near);
    if (wrapper && function_is_void(proto) && (word_is(word, "returnVal") || word_is(word, "ret_val")))
        fault(source, node->at, "%s returns nothing; leave it out of this wrapper", name);
    else if (!scope && near.edits == 0)
        fault(source, node->at, "{{%.*s}} outside a wrapper or a loop", size, word->at);
    else if (proto && strspn(word->at, "0123456789") >= word->size)
        fault(source, node->at, "%s has no argument %.*s", name, size, word->at);
    else if (own)
        fault(source, node->at, "write %s for {{%.*s}}", own, size, word->at);
    else if (near.edits == 0)
        fault(source, node->at, "{{%.*s}} has no value here%s%s%s", size, word->at, *where ? "," : "", where, name);
    else
        fault(source, node->at, "unknown escape {{%.*s}}%s%s%s", size, word->at, where, name, pithi_nearest_ask(&near));
}

/* ---- Evaluation -------------------------------------------------------------------------------------------------- */

/* Runs a function of the wrap dialect. Returns 0 if the word is not the name of such a function. */
static int run_function(struct gen_place *place, const struct scope *scope, const struct gen_node *node,
                        struct value *result)
{
    const struct gen_word *word = &node->words[0];
    const int count = node->word_count;
    struct value *args = make(((size_t)count + 2) * sizeof *args);

    for (int i = 1; i < count; i++)
        args[i - 1] = word_value(place, scope, node, i);
    if (scope && count == 2 && args[0].count == 1 &&
        element_of(place, proto_of(place, scope), word, args[0].items[0], node->at, result))
        return 1;
    if ((word_is(word, "apply_to_type") || word_is(word, "applyToType")) && scope && count == 3) {
        apply_to_type(place, scope, args, node->at, result);
    } else if (word_is(word, "sub") && count == 5) {
        /* {{sub NEW OLD REGEX REPLACEMENT}} of early templates: it defines NEW; OLD is a word or a text. */
        struct macro macro = {place->source, node->words[1], node, place->file, {0}, 1};
        struct value from[3] = {args[1], args[2], args[3]};
        const char *found = look_up(place, scope, &node->words[2]);

        if (found) {
            from[0] = (struct value){0};
            value_puts(&from[0], found);
        }
        apply_function(place->source, node->at, &node->words[0], from, 3, &macro.value);
        macro_add(place->emitter, &macro);
    } else {
        return apply_function(place->source, node->at, word, args, count - 1, result);
    }
    return 1;
}

/* Evaluates an escape. Looks first for a definition in the outermost block, then for words of functions, then for other
 * definitions, and last for a function of the wrap dialect. */
static void evaluate_word(struct gen_place *place, const struct scope *scope, const struct gen_node *node,
                          struct value *result)
{
    const struct macro *macro = node->word_count == 1 ? macro_find(place->emitter, &node->words[0]) : NULL;
    const char *found;

    if (macro_is_inner(place->emitter, scope, macro))
        macro_run(place, scope, macro, node->at, result);
    else if ((found = look_up_words(place, scope, node)))
        value_puts(result, found);
    else if (node->word_count == 1 && built_in(place, scope, &node->words[0], result))
        return;
    else if (macro)
        macro_run(place, scope, macro, node->at, result);
    else if (!is_wrap(place) || !run_function(place, scope, node, result))
        unknown(place, scope, node, result);
}

void evaluate(struct gen_place *place, const struct scope *scope, const struct gen_node *node, struct value *result)
{
    const struct scope *wrapper = wrapper_around(scope);

    if (emitter_step(place->emitter, place->source, node->at))
        return;
    if (place->emitter->nesting == DEEPEST) {
        fault_too_deep(place->source, node->at);
        return;
    }
    place->emitter->nesting++;
    if (node->kind == NODE_WORD)
        evaluate_word(place, scope, node, result);
    else if (!wrapper)
        fault_outside(place->source, node->at, node->kind == NODE_CALL ? "callfn" : "vardecl");
    else if (node->kind == NODE_CALL)
        value_puts(result, wrapper->body->call);
    place->emitter->nesting--;
}
