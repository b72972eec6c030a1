/* wrap_words.c - what the escapes of the wrap dialect stand for: functions' words, lists, {{def}}s, {{vardecl}}. */
#include "wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const wrap_keywords[] = {"ret_type", "ret_val",   "formals",      "args",          "nargs",
                                     "types",    "get_arg",   "fn_name",      "fn_id",         "sub",
                                     "zip",      "list",      "filter",       "apply_to_type", "def",
                                     "enddef",   "fnalltype", "endfnalltype", "fnallntype",    "endfnallntype",
                                     "retType",  "argList",   "argTypeList",  "applyToType",   NULL};

/* ---- values ------------------------------------------------------------------------------------------------------ */

void value_add(struct value *value, const char *from, size_t size)
{
    value->items = grow(value->items, (size_t)value->count, sizeof *value->items);
    value->items[value->count++] = text_copy(from, size);
}

void wrap_puts(struct value *value, const char *text) { value_add(value, text, strlen(text)); }

/* A word's value: that of the one escape it is, else its text. */
struct value wrap_word(struct place *place, const struct scope *scope, struct range word)
{
    const struct source *source = place->source;
    struct value value = {0};
    struct text text = {0};

    if (word.end - word.begin >= 2 && cut_is_quote(source->at[word.begin]) &&
        source->at[word.end - 1] == source->at[word.begin])
        word.begin++, word.end--;
    if (cut_is_two(source, word.begin, word.end, '{') && cut_escape_end(source, word.begin, word.end) + 2 == word.end) {
        wrap_evaluate(place, scope, (struct range){word.begin + 2, word.end - 2}, &value);
        return value;
    }
    text_puts(&text, "");
    wrap_run(place, scope, word, &text);
    value_add(&value, text.at, text.size);
    return value;
}

/* ---- what words stand for ---------------------------------------------------------------------------------------- */

static const struct scope *wrapper_around(const struct scope *scope)
{
    while (scope && !scope->declared)
        scope = scope->outer;
    return scope;
}

static const char *variable(const struct scope *wrapper, const struct word *word)
{
    for (int i = 0; wrapper && i < wrapper->variables->variable_count; i++)
        if (word_is(word, wrapper->variables->variables[i].name))
            return wrapper->variables->variables[i].type; /* its unique name: see declare() */
    return NULL;
}

/* The function whose arguments and types words stand for. */
static const struct proto *proto_of(const struct scope *scope)
{
    const struct scope *wrapper = wrapper_around(scope);

    return wrapper ? wrapper->proto : scope ? scope->proto : NULL;
}

static const char *look_up(const struct scope *scope, const struct word *word)
{
    const struct scope *wrapper = wrapper_around(scope);
    const char *found = variable(wrapper, word);
    const struct arg *arg;

    if (found || !scope)
        return found;
    if (word_is(word, "arg"))
        for (const struct scope *s = scope; s; s = s->outer)
            if (s->arg)
                return s->arg->name;
    const struct proto *proto = proto_of(scope);
    if ((found = role_find(proto, word->at, word->size)))
        return found;
    if ((arg = protos_argument(proto, word->at, word->size)))
        return arg->name;
    for (const struct scope *s = scope; s; s = s->outer)
        if (s->name.size == word->size && !memcmp(s->name.at, word->at, word->size))
            found = s->proto->name;
    if (found)
        return found;
    if (wrapper && (word_is(word, "ret_val") || word_is(word, "returnVal")) && !function_is_void(proto))
        return "returnVal";
    if (word_is(word, "fn_name"))
        return scope->proto->name;
    return word_is(word, "ret_type") || word_is(word, "retType") ? scope->proto->result : NULL;
}

/* formals, types and args: 1 when the word is one of these lists. */
static int list_of(const struct proto *proto, const struct word *word, struct value *result)
{
    int is_formals = word_is(word, "formals"), is_types = word_is(word, "types");

    if (!is_formals && !is_types && !word_is(word, "args"))
        return 0;
    for (int i = 0; i < proto->arg_count; i++) {
        const struct arg *arg = &proto->args[i];
        struct text formal = {0};
        text_printf(&formal, "%s%s%s", arg->prefix, arg->name, arg->suffix);
        wrap_puts(result, is_formals ? formal.at : is_types ? arg_type(arg) : arg->name);
    }
    if (is_formals && proto->variable)
        wrap_puts(result, "...");
    return 1;
}

/* The words that give numbers and lists of the innermost function. */
static int built_in(struct place *place, const struct scope *scope, const struct word *word, struct value *result)
{
    static const struct word lists[] = {{"args", 4}, {"formals", 7}};
    struct text text = {0};
    const struct proto *proto = scope ? scope->proto : NULL;
    int is_arguments = word_is(word, "argList");

    if (word_is(word, "fileno")) {
        text_printf(&text, "%d", place->file);
    } else if (!proto) {
        return 0;
    } else if (word_is(word, "nargs")) {
        text_printf(&text, "%d", proto->arg_count);
    } else if (word_is(word, "fn_num")) {
        text_printf(&text, "%d", place->emitter->number++);
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

/* {{args N}}, {{types N}}, {{formals N}} and {{get_arg N}}: the Nth from 0, or from the end, -1 the last. 0: the
 * word is none of them. */
static int element_of(struct place *place, const struct proto *proto, const struct word *word, const char *which,
                      size_t at, struct value *result)
{
    static const struct word args = {"args", 4};
    struct value list = {0};
    int is_argument = word_is(word, "get_arg");
    const struct arg *arg = is_argument ? protos_argument(proto, which, strlen(which)) : NULL;
    char *end;
    long index = strtol(which, &end, 10);

    if (!list_of(proto, is_argument ? &args : word, &list))
        return 0;
    index += index < 0 ? list.count : 0;
    if (arg)
        wrap_puts(result, arg->name);
    else if (end != which && !*end && index >= 0 && index < list.count)
        wrap_puts(result, list.items[index]);
    else if (fault_is_new(place->source, at))
        fault(place->source, at, "%s has no argument %s", proto->name, which);
    return 1;
}

static const struct macro *macro_find(const struct emitter *emitter, const struct word *word)
{
    for (int i = emitter->macro_count; i-- > 0;)
        if (emitter->macros[i].name.size == word->size && !memcmp(emitter->macros[i].name.at, word->at, word->size))
            return &emitter->macros[i];
    return NULL;
}

/* 1 when the definition stands in the block that is being run: it goes before arguments of its name. */
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

void wrap_define(struct place *place, const struct scope *scope, const struct range *words, int count,
                 struct range body)
{
    struct macro macro = {place->source, cut_word(place->source, words[1]), body, place->file, {0}, count > 2};
    struct text text = {0};

    if (count == 3) {
        macro.value = wrap_word(place, scope, words[2]);
    } else if (count > 3) {
        wrap_run(place, scope, (struct range){words[2].begin, words[count - 1].end}, &text);
        value_add(&macro.value, text.at, text.size);
    }
    macro_add(place->emitter, &macro);
}

static void macro_run(struct place *place, const struct scope *scope, const struct macro *macro, size_t at,
                      struct value *result)
{
    struct place there = {place->emitter, macro->source, macro->file};
    struct text text = {0};

    if (macro->is_value) {
        for (int i = 0; i < macro->value.count; i++)
            wrap_puts(result, macro->value.items[i]);
        return;
    }
    text_puts(&text, "");
    if (place->emitter->depth >= CUT_DEEPEST) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%.*s}} uses itself without end", (int)macro->name.size, macro->name.at);
        return;
    }
    struct range body = macro->body;
    place->emitter->depth++;
    wrap_run(&there, scope, body, &text);
    place->emitter->depth--;
    value_add(result, text.at, text.size);
}

/* {{sub NEW OLD REGEX REPLACEMENT}}, of early templates: a {{def}} of NEW; OLD is a name or a text. */
static void define_by_sub(struct place *place, const struct scope *scope, const struct range *words, size_t at,
                          const struct value *args)
{
    static const struct word name = {"sub", 3};
    struct macro macro = {place->source, cut_word(place->source, words[1]), {0, 0}, place->file, {0}, 1};
    struct word old = cut_word(place->source, words[2]);
    struct value from[3] = {args[1], args[2], args[3]};
    const char *found = look_up(scope, &old);

    if (found) {
        from[0] = (struct value){0};
        wrap_puts(&from[0], found);
    }
    macro_apply(place->source, at, &name, from, 3, &macro.value);
    macro_add(place->emitter, &macro);
}

/* {{apply_to_type TYPE MACRO}}: "MACRO(arg);" for each argument of the type; a {{def}} is run with {{arg}}. */
static void apply_to_type(struct place *place, const struct scope *scope, const struct value *args, size_t at,
                          struct value *result)
{
    const char *type = args[0].count ? args[0].items[0] : "", *name = args[1].count ? args[1].items[0] : "";
    struct word word = {name, strlen(name)};
    const struct macro *macro = macro_find(place->emitter, &word);
    struct text text = {0};

    text_puts(&text, "");
    for (int i = 0; i < scope->proto->arg_count; i++) {
        struct scope inner = {
            .outer = scope, .proto = scope->proto, .arg = &scope->proto->args[i], .macros = scope->macros};
        if (!macro_type_is(inner.arg, type))
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

/* {{vardecl TYPE a, *b}}: the declarations go to the top; a name that an argument or returnVal has gets a number. */
static void declare(struct place *place, const struct scope *scope, struct range inside)
{
    const struct scope *wrapper = wrapper_around(scope);
    const struct word word = cut_keyword(place->source, inside);
    struct node node = {.at = inside.begin - 2};

    if (!wrapper) {
        if (fault_is_new(place->source, node.at))
            fault(place->source, node.at, "{{vardecl}} outside {{fn}} and {{fnall}}");
        return;
    }
    node.text = (struct word){word.at + word.size, (size_t)(place->source->at + inside.end - word.at) - word.size};
    int begin = wrapper->variables->variable_count, faults = fault_count;
    if (fault_count && !fault_is_new(place->source, node.at))
        return;
    variables_parse(place->source, &node, wrapper->variables);
    if (fault_count > faults)
        fault_is_new(place->source, node.at);
    for (int i = begin; i < wrapper->variables->variable_count; i++) {
        struct variable *made = &wrapper->variables->variables[i];
        struct text name = {0};
        text_puts(&name, made->name);
        for (int n = 1; !strcmp(name.at, "returnVal") || protos_argument(wrapper->proto, name.at, name.size); n++) {
            name.size = 0;
            text_printf(&name, "%s%d", made->name, n);
        }
        text_printf(wrapper->declared, "  %s %s%s%s;\n", made->type, made->before, name.at, made->after);
        made->type = name.at;
    }
}

/* How a known word is written, for a template that writes it otherwise. */
static const char *usage_of(const struct word *word)
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

static void unknown(struct place *place, const struct scope *scope, const struct word *word, struct range inside,
                    struct value *result)
{
    const struct emitter *emitter = place->emitter;
    size_t at = inside.begin - 2;
    struct near near;

    value_add(result, place->source->at + at, inside.end - at + 2);
    if (!fault_is_new(place->source, at))
        return;
    if (emitter->flags & EMIT_KEEP_UNKNOWN) {
        warn(place->source, at, "unknown escape {{%.*s}} copied", (int)word->size, word->at);
        return;
    }
    near_begin(&near, word);
    for (int i = 0; scope && i < scope->proto->arg_count; i++)
        near_try(&near, scope->proto->args[i].name);
    near_try_all(&near, template_keywords);
    near_try_all(&near, wrap_keywords);
    for (int i = 0; i < emitter->macro_count; i++)
        near_try(&near, text_copy(emitter->macros[i].name.at, emitter->macros[i].name.size));
    const char *own = usage_of(word), *name = scope ? scope->proto->name : "";
    if (!scope && near.distance == 0)
        fault(place->source, at, "{{%.*s}} outside a wrapper or a loop", (int)word->size, word->at);
    else if (word->size && strspn(word->at, "0123456789") >= word->size && scope)
        fault(place->source, at, "%s has no argument %.*s", name, (int)word->size, word->at);
    else if (own)
        fault(place->source, at, "{{%.*s}} is written %s", (int)word->size, word->at, own);
    else if (near.distance == 0)
        fault(place->source, at, "{{%.*s}} has no value here%s%s", (int)word->size, word->at, scope ? ", for " : "",
              name);
    else
        fault(place->source, at, "unknown escape {{%.*s}}%s%s%s", (int)word->size, word->at, scope ? " for " : "", name,
              near_hint(&near));
}

/* The value of the escape whose inside is given, which is no block. */
static void evaluate_inside(struct place *place, const struct scope *scope, struct range inside, struct value *result)
{
    struct word word = cut_keyword(place->source, inside);
    size_t at = inside.begin - 2;
    const struct macro *macro = macro_find(place->emitter, &word);
    const char *found;
    int count;

    if (emitter_step(place->emitter, place->source, at))
        return;
    if (word_is(&word, "vardecl")) {
        declare(place, scope, inside);
        return;
    }
    struct range *words = cut_words(place->source, inside, &count);
    struct value *args = make(((size_t)count + 2) * sizeof *args);
    if (word_is(&word, "callfn")) {
        const struct scope *wrapper = wrapper_around(scope);
        if (wrapper)
            wrap_puts(result, wrapper->call);
        else if (fault_is_new(place->source, at))
            fault(place->source, at, "{{callfn}} outside {{fn}} and {{fnall}}");
        return;
    }
    if (count == 1 && macro_is_inner(place->emitter, scope, macro)) {
        macro_run(place, scope, macro, at, result);
        return;
    }
    if (count == 1 && ((found = look_up(scope, &word)) != NULL)) {
        wrap_puts(result, found);
        return;
    }
    if (count == 1 && built_in(place, scope, &word, result))
        return;
    for (int i = 1; i < count; i++)
        args[i - 1] = wrap_word(place, scope, words[i]);
    if (scope && count == 2 && args[0].count == 1 &&
        element_of(place, proto_of(scope), &word, args[0].items[0], at, result))
        return;
    if ((word_is(&word, "apply_to_type") || word_is(&word, "applyToType")) && scope && count == 3) {
        apply_to_type(place, scope, args, at, result);
    } else if (word_is(&word, "sub") && count == 5) {
        define_by_sub(place, scope, words, at, args);
    } else if (count == 1 && macro) {
        macro_run(place, scope, macro, at, result);
    } else if (!macro_apply(place->source, at, &word, args, count - 1, result)) {
        unknown(place, scope, &word, inside, result);
    }
}

void wrap_evaluate(struct place *place, const struct scope *scope, struct range inside, struct value *result)
{
    if (wrap_is_too_deep(place, inside.begin - 2))
        return;
    place->emitter->nesting++;
    evaluate_inside(place, scope, inside, result);
    place->emitter->nesting--;
}
