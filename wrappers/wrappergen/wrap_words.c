/* wrap_words.c - the values of escapes in the wrap dialect: words of functions, lists, regular expressions, {{def}} and
 * {{vardecl}}.
 */
#include "wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 10000 };

/* ---- Functions of texts and lists: sub, zip, list, filter -------------------------------------------------------- */

/* The place of a regular expression, for messages. */
struct regex_place {
    const struct gen_source *source;
    size_t at;
    const char *regex;
};

static void regex_fault(const struct regex_place *place, const char *why)
{
    fault_once(place->source, place->at, "'%.40s': %s", place->regex, why);
}

/* Reads a group in a replacement after the backslash: 1, 12, g<1> or g<name>. -1: it is none of these. */
static int group_named(const struct regex *regex, const char **with)
{
    size_t size = strspn(*with, "0123456789");

    if (size) {
        const char *digits = text_copy(*with, size < 2 ? size : 2);
        *with += strlen(digits);
        return atoi(digits);
    }
    if (**with != 'g' || (*with)[1] != '<' || !strchr(*with, '>'))
        return -1;
    size = strcspn(*with += 2, ">");
    const char *name = text_copy(*with, size);
    *with += size + 1;
    return strspn(name, "0123456789") == size && size && size < 3 ? atoi(name) : regex_number(regex, name);
}

/* Inserts a replacement like Python's re.sub: groups by number or name, and escapes such as \n; another character after
 * a backslash is copied. "\0" is the whole match. */
static void replace(const struct regex_place *place, const struct regex *regex, struct gen_text *out, const char *from,
                    const char *with)
{
    static const char escapes[] = "n\nt\tr\rf\fv\va\ab\b\\\\";
    size_t begin, end;

    while (*with) {
        if (*with != '\\' || !with[1]) {
            text_add(out, with++, 1);
            continue;
        }
        const char *escape = escapes;
        while (*escape && *escape != with[1])
            escape += 2;
        if (*escape) {
            text_add(out, escape + 1, 1);
            with += 2;
        } else if (isdigit((unsigned char)with[1]) || with[1] == 'g') {
            with++;
            if (regex_group(regex, group_named(regex, &with), &begin, &end)) {
                regex_fault(place, "the replacement names a group that the regular expression does not have");
                return;
            }
            text_add(out, from + begin, end - begin);
        } else {
            text_add(out, with++, 1);
        }
    }
}

/* An empty match directly after another match does not count: '.*' replaces a whole text once. */
static void sub(const struct regex_place *place, struct regex *regex, const char *from, const char *with,
                struct value *result)
{
    size_t size = strlen(from), at = 0, copied = 0, begin, end;
    struct gen_text out = {0};
    int found = 0;

    text_puts(&out, "");
    while (at <= size && out.size < LONGEST_TEXT && (found = regex_find(regex, from, at)) > 0) {
        regex_group(regex, 0, &begin, &end);
        if (begin == end && begin == copied && at) {
            at = end + 1;
            continue;
        }
        text_add(&out, from + copied, begin - copied);
        replace(place, regex, &out, from, with);
        copied = end;
        at = begin == end ? end + 1 : end;
    }
    if (found < 0)
        regex_fault(place, "the regular expression takes too long");
    text_puts(&out, from + copied);
    value_add(result, out.at, out.size);
}

static void apply_regex(const struct regex_place *place, const struct value *texts, const char *with,
                        struct value *result)
{
    char why[200] = "";
    struct regex *regex = regex_open(place->regex, why, sizeof why - 1);

    if (!regex) {
        regex_fault(place, why);
        return;
    }
    for (int i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        if (strlen(text) > LONGEST_TEXT) {
            regex_fault(place, "the text is longer than 10000 characters");
        } else if (with) {
            sub(place, regex, text, with, result);
        } else {
            int found = regex_find(regex, text, 0);
            if (found < 0)
                regex_fault(place, "the regular expression takes too long");
            if (found > 0)
                value_add(result, text, strlen(text));
        }
    }
    regex_close(regex);
}

static const char *first(const struct value *value) { return value->count ? value->items[0] : ""; }

/* Applies sub, zip, list or filter; 0: `name` is none of these. `args` are the words after the name. */
static int apply_function(const struct gen_source *source, size_t at, const struct gen_word *name,
                          const struct value *args, int count, struct value *result)
{
    struct regex_place place = {source, at, count ? first(&args[0]) : ""};

    if (word_is(name, "sub") && count == 3) {
        place.regex = first(&args[1]);
        apply_regex(&place, &args[0], first(&args[2]), result);
    } else if (word_is(name, "filter") && count >= 1) {
        for (int i = 1; i < count; i++)
            apply_regex(&place, &args[i], NULL, result);
    } else if (word_is(name, "list")) {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < args[i].count; j++)
                value_add(result, args[i].items[j], strlen(args[i].items[j]));
    } else if (word_is(name, "zip") && count == 2) {
        for (int i = 0; i < args[0].count && i < args[1].count; i++) {
            value_puts(result, text_format("%s %s", args[0].items[i], args[1].items[i]));
        }
    } else if (word_is(name, "sub") || word_is(name, "filter") || word_is(name, "zip")) {
        fault_once(source, at, "write {{sub TEXT REGEX REPLACEMENT}}, {{filter REGEX LIST}} or {{zip LIST LIST}}");
    } else {
        return 0;
    }
    return 1;
}

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

const char *const wrap_keywords[] = {"ret_type", "ret_val",   "formals",      "args",          "nargs",
                                     "types",    "get_arg",   "fn_name",      "fn_id",         "sub",
                                     "zip",      "list",      "filter",       "apply_to_type", "def",
                                     "enddef",   "fnalltype", "endfnalltype", "fnallntype",    "endfnallntype",
                                     "retType",  "argList",   "argTypeList",  "applyToType",   NULL};

/* ---- Values ------------------------------------------------------------------------------------------------------ */

void value_add(struct value *value, const char *from, size_t size)
{
    value->items = grow(value->items, (size_t)value->count, sizeof *value->items);
    value->items[value->count++] = text_copy(from, size);
}

void value_puts(struct value *value, const char *text) { value_add(value, text, strlen(text)); }

struct value wrap_word(struct gen_place *place, const struct scope *scope, struct gen_range word)
{
    const struct gen_source *source = place->source;
    struct value value = {0};
    struct gen_text text = {0};

    if (word.end - word.begin >= 2 && cut_is_quote(source->at[word.begin]) &&
        source->at[word.end - 1] == source->at[word.begin])
        word.begin++, word.end--;
    if (cut_is_two(source, word.begin, word.end, '{') && cut_escape_end(source, word.begin, word.end) + 2 == word.end) {
        wrap_evaluate(place, scope, (struct gen_range){word.begin + 2, word.end - 2}, &value);
        return value;
    }
    text_puts(&text, "");
    wrap_run(place, scope, word, &text);
    value_add(&value, text.at, text.size);
    return value;
}

/* ---- Words of functions ------------------------------------------------------------------------------------------ */

static const struct scope *wrapper_around(const struct scope *scope)
{
    while (scope && !scope->declared)
        scope = scope->outer;
    return scope;
}

static const char *variable(const struct scope *wrapper, const struct gen_word *word)
{
    for (int i = 0; wrapper && i < wrapper->variables->variable_count; i++)
        if (word_is(word, wrapper->variables->variables[i].name))
            return wrapper->variables->variables[i].type; /* contains its unique name: see declare() */
    return NULL;
}

/* The function whose arguments and types the words refer to. */
static const struct proto *proto_of(const struct scope *scope)
{
    const struct scope *wrapper = wrapper_around(scope);

    return wrapper ? wrapper->proto : scope ? scope->proto : NULL;
}

static const char *look_up(const struct scope *scope, const struct gen_word *word)
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

/* Evaluates {{formals}}, {{types}} and {{args}}; 0: the word is none of these. */
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

/* Evaluates words for numbers and lists of the innermost function; 0: the word is none of these. */
static int built_in(struct gen_place *place, const struct scope *scope, const struct gen_word *word,
                    struct value *result)
{
    static const struct gen_word lists[] = {{"args", 4}, {"formals", 7}};
    struct gen_text text = {0};
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

/* Evaluates {{args N}}, {{types N}}, {{formals N}} and {{get_arg N}}; N counts from 0, or from -1 backwards. 0: the
 * word is none of these. */
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

static const struct macro *macro_find(const struct emitter *emitter, const struct gen_word *word)
{
    for (int i = emitter->macro_count; i-- > 0;)
        if (emitter->macros[i].name.size == word->size && !memcmp(emitter->macros[i].name.at, word->at, word->size))
            return &emitter->macros[i];
    return NULL;
}

/* 1: the definition is in the current block. It then takes precedence over an argument of the same name. */
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

void wrap_define(struct gen_place *place, const struct scope *scope, const struct gen_range *words, int count,
                 struct gen_range body)
{
    struct macro macro = {place->source, cut_word(place->source, words[1]), body, place->file, {0}, count > 2};
    struct gen_text text = {0};

    if (count == 3) {
        macro.value = wrap_word(place, scope, words[2]);
    } else if (count > 3) {
        wrap_run(place, scope, (struct gen_range){words[2].begin, words[count - 1].end}, &text);
        value_add(&macro.value, text.at, text.size);
    }
    macro_add(place->emitter, &macro);
}

static void macro_run(struct gen_place *place, const struct scope *scope, const struct macro *macro, size_t at,
                      struct value *result)
{
    struct gen_place there = {place->emitter, macro->source, macro->file};
    struct gen_text text = {0};

    if (macro->is_value) {
        for (int i = 0; i < macro->value.count; i++)
            value_puts(result, macro->value.items[i]);
        return;
    }
    text_puts(&text, "");
    if (place->emitter->depth >= CUT_DEEPEST) {
        fault_once(place->source, at, "{{%.*s}} uses itself endlessly", (int)macro->name.size, macro->name.at);
        return;
    }
    struct gen_range body = macro->body;
    place->emitter->depth++;
    wrap_run(&there, scope, body, &text);
    place->emitter->depth--;
    value_add(result, text.at, text.size);
}

/* Runs {{sub NEW OLD REGEX REPLACEMENT}} of early templates, which defines NEW; OLD is a name or a text. */
static void define_by_sub(struct gen_place *place, const struct scope *scope, const struct gen_range *words, size_t at,
                          const struct value *args)
{
    static const struct gen_word name = {"sub", 3};
    struct macro macro = {place->source, cut_word(place->source, words[1]), {0, 0}, place->file, {0}, 1};
    struct gen_word old = cut_word(place->source, words[2]);
    struct value from[3] = {args[1], args[2], args[3]};
    const char *found = look_up(scope, &old);

    if (found) {
        from[0] = (struct value){0};
        value_puts(&from[0], found);
    }
    apply_function(place->source, at, &name, from, 3, &macro.value);
    macro_add(place->emitter, &macro);
}

/* Runs {{apply_to_type TYPE MACRO}}: "MACRO(arg);" for each argument of the type; a {{def}} is run with {{arg}}. */
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

/* Runs {{vardecl TYPE a, *b}}: puts the declarations at the top of the function. A variable with the name of an
 * argument or of returnVal gets a number. */
static void declare(struct gen_place *place, const struct scope *scope, struct gen_range inside)
{
    const struct scope *wrapper = wrapper_around(scope);
    const struct gen_word word = cut_keyword(place->source, inside);
    struct gen_node node = {.at = inside.begin - 2};

    if (!wrapper) {
        fault_once(place->source, node.at, "{{vardecl}} outside {{fn}} and {{fnall}}");
        return;
    }
    node.text = (struct gen_word){word.at + word.size, (size_t)(place->source->at + inside.end - word.at) - word.size};
    int begin = wrapper->variables->variable_count, faults = fault_count;
    if (fault_count && !fault_is_new(place->source, node.at))
        return;
    variables_parse(place->source, &node, wrapper->variables);
    if (fault_count > faults)
        fault_is_new(place->source, node.at);
    for (int i = begin; i < wrapper->variables->variable_count; i++) {
        struct variable *made = &wrapper->variables->variables[i];
        char *name = made->name;
        for (int n = 1; !strcmp(name, "returnVal") || protos_argument(wrapper->proto, name, strlen(name)); n++)
            name = text_format("%s%d", made->name, n);
        text_printf(wrapper->declared, "  %s %s%s%s;\n", made->type, made->before, name, made->after);
        made->type = name;
    }
}

/* How to write a known word, for error messages; NULL: there is nothing to say. */
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

static void unknown(struct gen_place *place, const struct scope *scope, const struct gen_word *word,
                    struct gen_range inside, struct value *result)
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
        fault(place->source, at, "write %s for {{%.*s}}", own, (int)word->size, word->at);
    else if (near.distance == 0)
        fault(place->source, at, "{{%.*s}} has no value here%s%s", (int)word->size, word->at, scope ? ", for " : "",
              name);
    else
        fault(place->source, at, "unknown escape {{%.*s}}%s%s%s", (int)word->size, word->at, scope ? " for " : "", name,
              near_hint(&near));
}

/* The order matters: a definition in the current block, then words of functions, then outer definitions. */
static void evaluate_inside(struct gen_place *place, const struct scope *scope, struct gen_range inside,
                            struct value *result)
{
    struct gen_word word = cut_keyword(place->source, inside);
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
    struct gen_range *words = cut_words(place->source, inside, &count);
    struct value *args = make(((size_t)count + 2) * sizeof *args);
    if (word_is(&word, "callfn")) {
        const struct scope *wrapper = wrapper_around(scope);
        if (wrapper)
            value_puts(result, wrapper->call);
        else
            fault_once(place->source, at, "{{callfn}} outside {{fn}} and {{fnall}}");
        return;
    }
    if (count == 1 && macro_is_inner(place->emitter, scope, macro)) {
        macro_run(place, scope, macro, at, result);
        return;
    }
    if (count == 1 && ((found = look_up(scope, &word)) != NULL)) {
        value_puts(result, found);
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
    } else if (!apply_function(place->source, at, &word, args, count - 1, result)) {
        unknown(place, scope, &word, inside, result);
    }
}

void wrap_evaluate(struct gen_place *place, const struct scope *scope, struct gen_range inside, struct value *result)
{
    if (wrap_is_too_deep(place, inside.begin - 2))
        return;
    place->emitter->nesting++;
    evaluate_inside(place, scope, inside, result);
    place->emitter->nesting--;
}
