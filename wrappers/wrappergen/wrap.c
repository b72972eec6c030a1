/* wrap.c - the wrap dialect: read and written in one go. A template is a range of the source; escapes in it are
 * evaluated where they stand, blocks by evaluating their inside once a function. */
#include "cut.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A function that words stand for; innermost first along `outer`. */
struct scope {
    const struct scope *outer;
    struct word name; /* of the loop or wrapper */
    const struct proto *proto;
    const struct arg *arg;  /* while a {{def}} is applied to an argument: {{arg}} */
    struct text *declared;  /* in a wrapper: what {{vardecl}} adds */
    struct node *variables; /* and their names */
    const char *call;       /* in a wrapper: what {{callfn}} gives */
    int number;             /* {{fn_num}} */
};
struct place {
    struct emitter *emitter;
    const struct source *source;
    int file;
};
struct macro {
    const struct source *source;
    struct word name;
    struct range body;
    int file;
};

const char *const wrap_keywords[] = {"ret_type",   "ret_val",       "formals", "args",   "nargs",     "types",
                                     "get_arg",    "fn_name",       "fn_id",   "sub",    "zip",       "list",
                                     "filter",     "apply_to_type", "def",     "enddef", "fnalltype", "endfnalltype",
                                     "fnallntype", "endfnallntype", NULL};

static void run(struct place *place, const struct scope *scope, struct range range, struct text *out);
static void evaluate(struct place *place, const struct scope *scope, struct range inside, struct value *result);

/* ---- values ------------------------------------------------------------------------------------------------------ */

void value_add(struct value *value, const char *from, size_t size)
{
    value->items = grow(value->items, (size_t)value->count, sizeof *value->items);
    value->items[value->count++] = text_copy(from, size);
}

static void value_puts(struct value *value, const char *text) { value_add(value, text, strlen(text)); }

static void value_write(struct text *out, const struct value *value)
{
    for (int i = 0; i < value->count; i++)
        text_printf(out, "%s%s", i ? ", " : "", value->items[i]);
}

/* A word's value: that of the one escape it is, else its text. */
static struct value word_value(struct place *place, const struct scope *scope, struct range word)
{
    const struct source *source = place->source;
    struct value value = {0};
    struct text text = {0};

    if (word.end - word.begin >= 2 && cut_is_quote(source->at[word.begin]) &&
        source->at[word.end - 1] == source->at[word.begin])
        word.begin++, word.end--;
    if (cut_is_two(source, word.begin, word.end, '{') && cut_escape_end(source, word.begin, word.end) + 2 == word.end) {
        evaluate(place, scope, (struct range){word.begin + 2, word.end - 2}, &value);
        return value;
    }
    text_puts(&text, "");
    run(place, scope, word, &text);
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
    const struct proto *proto = wrapper ? wrapper->proto : scope->proto;
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
    return word_is(word, "ret_type") ? scope->proto->result : NULL;
}

/* The words that give numbers and lists of the innermost function. */
static int built_in(struct place *place, const struct scope *scope, const struct word *word, struct value *result)
{
    struct text text = {0};
    const struct proto *proto = scope ? scope->proto : NULL;
    int is_formals = word_is(word, "formals"), is_types = word_is(word, "types"), is_args = word_is(word, "args");

    if (word_is(word, "fileno")) {
        text_printf(&text, "%d", place->file);
    } else if (!proto) {
        return 0;
    } else if (word_is(word, "nargs")) {
        text_printf(&text, "%d", proto->arg_count);
    } else if (word_is(word, "fn_num")) {
        text_printf(&text, "%d", scope->number);
    } else if (word_is(word, "fn_id")) {
        text_printf(&text, "%d", proto->id);
    } else if (is_formals || is_types || is_args) {
        for (int i = 0; i < proto->arg_count; i++) {
            const struct arg *arg = &proto->args[i];
            struct text formal = {0};
            text_printf(&formal, "%s%s%s", arg->prefix, arg->name, arg->suffix);
            value_puts(result, is_formals ? formal.at : is_types ? arg_type(arg) : arg->name);
        }
        if (is_formals && !proto->arg_count)
            value_puts(result, "void");
        if (is_formals && proto->variable)
            value_puts(result, "...");
        return 1;
    } else {
        return 0;
    }
    value_add(result, text.at, text.size);
    return 1;
}

static const struct macro *macro_find(const struct emitter *emitter, const struct word *word)
{
    for (int i = emitter->macro_count; i-- > 0;)
        if (emitter->macros[i].name.size == word->size && !memcmp(emitter->macros[i].name.at, word->at, word->size))
            return &emitter->macros[i];
    return NULL;
}

static char *macro_run(struct place *place, const struct scope *scope, const struct macro *macro, size_t at)
{
    struct place there = {place->emitter, macro->source, macro->file};
    struct text text = {0};

    text_puts(&text, "");
    if (place->emitter->depth >= CUT_DEEPEST) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%.*s}} uses itself without end", (int)macro->name.size, macro->name.at);
        return text.at;
    }
    place->emitter->depth++;
    run(&there, scope, macro->body, &text);
    place->emitter->depth--;
    return text.at;
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
            .outer = scope, .proto = scope->proto, .arg = &scope->proto->args[i], .number = scope->number};
        if (!macro_type_is(inner.arg, type))
            continue;
        text_puts(&text, text.size ? " " : "");
        if (macro)
            text_puts(&text, macro_run(place, &inner, macro, at));
        else
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

static void unknown(struct place *place, const struct scope *scope, const struct word *word, struct range inside,
                    struct value *result)
{
    static const char *const own[] = {"callfn",    "vardecl",      "fileno",    "fn_num",   "fn",
                                      "endfn",     "fnall",        "endfnall",  "forallfn", "endforallfn",
                                      "foreachfn", "endforeachfn", "returnVal", NULL};
    size_t at = inside.begin - 2;
    struct near near;

    value_add(result, place->source->at + at, inside.end - at + 2);
    if (!fault_is_new(place->source, at))
        return;
    if (place->emitter->flags & EMIT_KEEP_UNKNOWN) {
        warn(place->source, at, "unknown escape {{%.*s}} copied", (int)word->size, word->at);
        return;
    }
    near_begin(&near, word);
    for (int i = 0; scope && i < scope->proto->arg_count; i++)
        near_try(&near, scope->proto->args[i].name);
    near_try_all(&near, own);
    near_try_all(&near, wrap_keywords);
    for (int i = 0; i < place->emitter->macro_count; i++)
        near_try(&near, text_copy(place->emitter->macros[i].name.at, place->emitter->macros[i].name.size));
    if (!scope && (word_is(word, near.best)))
        fault(place->source, at, "{{%.*s}} outside a wrapper or a loop", (int)word->size, word->at);
    else
        fault(place->source, at, "unknown escape {{%.*s}}%s%s; nearest known: %s", (int)word->size, word->at,
              scope ? " for " : "", scope ? scope->proto->name : "", near.best);
}

/* The value of the escape whose inside is given, which is no block. */
static void evaluate_inside(struct place *place, const struct scope *scope, struct range inside, struct value *result)
{
    struct word word = cut_keyword(place->source, inside);
    size_t at = inside.begin - 2;
    const struct macro *macro;
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
            value_puts(result, wrapper->call);
        else if (fault_is_new(place->source, at))
            fault(place->source, at, "{{callfn}} outside {{fn}} and {{fnall}}");
        return;
    }
    if (count == 1 && ((found = look_up(scope, &word)) != NULL)) {
        value_puts(result, found);
        return;
    }
    if (count == 1 && built_in(place, scope, &word, result))
        return;
    for (int i = 1; i < count; i++)
        args[i - 1] = word_value(place, scope, words[i]);
    if (word_is(&word, "get_arg") && scope && count == 2 && args[0].count == 1) {
        const struct arg *arg = protos_argument(scope->proto, args[0].items[0], strlen(args[0].items[0]));
        if (arg)
            value_puts(result, arg->name);
        else if (fault_is_new(place->source, at))
            fault(place->source, at, "%s has no argument %s", scope->proto->name, args[0].items[0]);
    } else if (word_is(&word, "apply_to_type") && scope && count == 3) {
        apply_to_type(place, scope, args, at, result);
    } else if (count == 1 && (macro = macro_find(place->emitter, &word))) {
        value_puts(result, macro_run(place, scope, macro, at));
    } else if (!macro_apply(place->source, at, &word, args, count - 1, result)) {
        unknown(place, scope, &word, inside, result);
    }
}

static int is_too_deep(struct place *place, size_t at)
{
    enum { MOST = 100 };

    if (place->emitter->nesting < MOST)
        return 0;
    if (fault_is_new(place->source, at))
        fault(place->source, at, "blocks and escapes are nested deeper than %d", MOST);
    return 1;
}

static void evaluate(struct place *place, const struct scope *scope, struct range inside, struct value *result)
{
    if (is_too_deep(place, inside.begin - 2))
        return;
    place->emitter->nesting++;
    evaluate_inside(place, scope, inside, result);
    place->emitter->nesting--;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The names behind V in a block's words: lists are flattened; "MPI_X, MPI_Y" too. */
static struct value names_of(struct place *place, const struct scope *scope, const struct range *words, int count)
{
    struct value names = {0};

    for (int i = 2; i < count; i++) {
        struct value value = word_value(place, scope, words[i]);
        for (int j = 0; j < value.count; j++)
            value_puts(&names, value.items[j]);
    }
    return names;
}

static int is_listed(struct protos *protos, const struct value *names, const struct proto *proto)
{
    for (int i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (*name == '@' ? row_has_class(proto->row, name + 1, strlen(name) - 1)
                         : protos_find(protos, name, strlen(name)) == proto)
            return 1;
    }
    return 0;
}

static int has_type(const struct proto *proto, const struct value *types)
{
    for (int i = 0; i < types->count; i++)
        for (int a = 0; a < proto->arg_count; a++)
            if (macro_type_is(&proto->args[a], types->items[i]))
                return 1;
    return 0;
}

static int is_chosen(struct protos *protos, const char *block, const struct value *names, const struct proto *proto)
{
    if (!strcmp(block, "fnalltype") || !strcmp(block, "fnallntype"))
        return has_type(proto, names) == !strcmp(block, "fnalltype");
    return is_listed(protos, names, proto) == (!strcmp(block, "fn") || !strcmp(block, "foreachfn"));
}

static void warn_unlisted(struct place *place, size_t at, const struct value *names)
{
    for (int i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (*name == '@') {
            if (!roles_know_class(name + 1, strlen(name) - 1) && fault_is_new(place->source, at))
                fault(place->source, at, "no class %s in the table of roles; see -r", name);
        } else if (!protos_find(place->emitter->protos, name, strlen(name))) {
            warn(place->source, at, "no function %s; skipped", name);
        }
    }
}

/* What stands for {{callfn}}: the call as a statement. */
static const char *call_statement(const struct emitter *emitter, const struct proto *proto)
{
    struct text call = {0};

    text_puts(&call, function_is_void(proto) ? "" : "returnVal = ");
    function_call(emitter, &call, proto);
    text_puts(&call, ";");
    return call.at;
}

static const char *body_text(struct place *place, struct scope *scope, struct range body)
{
    struct text declared = {0}, text = {0};
    struct node variables = {0};

    text_puts(&declared, "");
    text_puts(&text, "");
    scope->declared = &declared;
    scope->variables = &variables;
    run(place, scope, body, &text);
    text_puts(&declared, text.at);
    return declared.at;
}

/* --cxx: a function for each member that calls the C function. */
static void write_members(struct place *place, struct scope *scope, struct range body)
{
    struct emitter *emitter = place->emitter;

    for (int i = 0; i < emitter->bindings->count; i++) {
        const struct member *member = &emitter->bindings->at[i];
        if (member->proto != scope->proto)
            continue;
        emitter->member = member;
        scope->call = cxx_call(emitter, member);
        const char *text = body_text(place, scope, body);
        cxx_begin(emitter, member, "0");
        text_puts(&emitter->out, text);
        cxx_end(emitter, member);
        emitter->member = NULL;
    }
}

static void write_wrapper(struct place *place, struct scope *scope, struct range body, size_t at, struct text *out)
{
    struct emitter *emitter = place->emitter;
    struct proto *proto = (struct proto *)scope->proto;
    struct text saved = emitter->out;

    if (proto->defined_in) {
        int line = 1;
        for (size_t i = 0; i < proto->defined_at; i++)
            line += proto->defined_in->at[i] == '\n';
        fault(place->source, at,
              "%s has a wrapper already, at %s:%d; in this dialect it has one (they nest with "
              "--dialect=classic)",
              proto->name, proto->defined_in->name, line);
        return;
    }
    proto->defined_in = place->source;
    proto->defined_at = at;
    emitter->out = (struct text){0};
    text_puts(&emitter->out, "");
    if (emitter->bindings) {
        write_members(place, scope, body);
    } else if (!(emitter->flags & EMIT_FORTRAN_ONLY)) {
        scope->call = call_statement(emitter, proto);
        const char *text = body_text(place, scope, body);
        function_begin(emitter, proto, "0");
        text_puts(&emitter->out, text);
        function_end(emitter, proto);
    }
    if (emitter->flags & EMIT_FORTRAN && !(emitter->flags & EMIT_C_ONLY) && fortran_has(emitter, proto)) {
        scope->call = "";
        const char *used = body_text(place, scope, body);
        scope->call = fortran_call(proto, used);
        fortran_function(emitter, proto, body_text(place, scope, body), used, used);
    }
    text_add(out, emitter->out.at, emitter->out.size);
    emitter->out = saved;
}

static void run_block(struct place *place, const struct scope *outer, struct range inside, struct range body, int block,
                      int is_open, struct text *out)
{
    struct emitter *emitter = place->emitter;
    struct protos *protos = emitter->protos;
    size_t at = inside.begin - 2;
    int count, turn = 0, is_loop = strstr(cut_blocks[block], "each") || strstr(cut_blocks[block], "forall");
    struct range *words = cut_words(place->source, inside, &count);

    if (count < 2) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%s}} needs a name; write {{%s NAME ...}}", cut_blocks[block],
                  cut_blocks[block]);
        return;
    }
    struct word name = cut_word(place->source, words[1]);
    if (!strcmp(cut_blocks[block], "def")) {
        emitter->macros = grow(emitter->macros, (size_t)emitter->macro_count, sizeof *emitter->macros);
        emitter->macros[emitter->macro_count++] = (struct macro){place->source, name, body, place->file};
        return;
    }
    if (!is_loop && outer) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%s}} inside another block; a wrapper stands on the outermost level",
                  cut_blocks[block]);
        return;
    }
    struct value names = names_of(place, outer, words, count);
    if (!strstr(cut_blocks[block], "type"))
        warn_unlisted(place, at, &names);
    /* foreachfn goes by its list, the others by the prototypes. */
    int is_each = !strcmp(cut_blocks[block], "foreachfn");
    for (int n = 0; n < (is_each ? names.count : 1); n++) {
        struct value one = {is_each ? &names.items[n] : NULL, 1}, *list = is_each ? &one : &names;
        for (int i = 0; i < protos->count; i++) {
            struct scope scope = {.outer = outer, .name = name, .proto = &protos->at[i]};
            if (!is_chosen(protos, cut_blocks[block], list, scope.proto))
                continue;
            if (emitter_step(emitter, place->source, at))
                return;
            scope.number = is_loop ? turn++ : emitter->number++;
            if (is_loop)
                run(place, &scope, body, out);
            else
                write_wrapper(place, &scope, body, at, out);
            if (is_open)
                return;
        }
    }
}

/* Writes the range with its escapes replaced. */
static void run(struct place *place, const struct scope *scope, struct range range, struct text *out)
{
    const struct source *source = place->source;
    struct range inside;
    int in_string = 0;

    for (; cut_next(source, range, &in_string, &inside);) {
        size_t at = inside.begin - 2;
        text_add(out, source->at + range.begin, at - range.begin);
        if (cut_is_four(source, &inside)) {
            text_puts(out, "{{");
            range.begin = inside.end + 2;
            continue;
        }
        if (!inside.end) {
            if (fault_is_new(source, at))
                fault(source, at, "{{ without }}; write {{{{ for two braces");
            return;
        }
        range.begin = inside.end + 2;
        struct word word = cut_keyword(source, inside);
        int block = cut_block(&word);
        if (block >= 0) {
            struct range body = {range.begin, range.end};
            if (is_too_deep(place, at))
                return;
            int is_open = 0; /* then the rest is checked, for one function */
            if (!cut_block_end(source, range, block, &body.end, &range.begin)) {
                if (fault_is_new(source, at))
                    fault(source, at, "{{%s}} without {{end%s}}; add it", cut_blocks[block], cut_blocks[block]);
                range.begin = range.end;
                is_open = 1;
            }
            place->emitter->nesting++;
            run_block(place, scope, inside, body, block, is_open, out);
            place->emitter->nesting--;
        } else if (cut_end(&word) >= 0) {
            if (fault_is_new(source, at))
                fault(source, at, "{{%.*s}} without {{%.*s}} before it", (int)word.size, word.at, (int)word.size - 3,
                      word.at + 3);
        } else if (!word.size) {
            if (fault_is_new(source, at))
                fault(source, at, "an escape without a word; write {{{{ for two braces");
        } else {
            struct value value = {0};
            evaluate(place, scope, inside, &value);
            /* {{callfn}} is a statement, with or without a semicolon of the template's */
            struct text text = {0};
            text_puts(&text, "");
            value_write(&text, &value);
            if (word_is(&word, "callfn") && source->at[range.begin] == ';' && text.size &&
                text.at[text.size - 1] == ';')
                text.at[--text.size] = 0;
            text_puts(out, cxx_shown(place->emitter, out, text.at));
            place->emitter->written += text.size;
        }
    }
    place->emitter->written += range.end - range.begin;
    text_add(out, source->at + range.begin, range.end - range.begin);
}

void wrap_template(struct emitter *emitter, const struct source *source, int file)
{
    struct place place = {emitter, source, file};
    struct text out = {0};

    text_puts(&out, "");
    run(&place, NULL, (struct range){0, source->size}, &out);
    text_add(&emitter->out, out.at, out.size);
}
