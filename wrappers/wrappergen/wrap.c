/* wrap.c - the wrap dialect: read and written in one go. A template is a range of the source; escapes in it are
 * evaluated where they stand, blocks by evaluating their inside once a function. */
#include "wrap.h"

#include <string.h>

/* ---- lists of functions ------------------------------------------------------------------------------------------ */

/* What a block says behind V: functions, and in fnalltype and fnallntype also types. */
struct chosen {
    struct value functions, types; /* functions: names and @classes */
    char *listed;                  /* for each function considered: 1 when it is named, or in a class */
};

static int is_type_of_some(const struct protos *protos, const char *type)
{
    for (int i = 0; i < protos->count; i++)
        for (int a = 0; a < protos->at[i].arg_count; a++)
            if (macro_type_is(&protos->at[i].args[a], type))
                return 1;
    return 0;
}

/* One name of a list. `at` is the place of its word, for what is to be said of it. */
static void choose(struct place *place, const char *block, const char *name, size_t at, struct chosen *chosen)
{
    struct protos *protos = place->emitter->protos;

    wrap_puts(&chosen->functions, name);
    if (*name != '@') {
        const struct proto *found = protos_find(protos, name, strlen(name));
        if (found)
            chosen->listed[found - protos->at] = 1;
        else if (fault_is_new(place->source, at))
            function_unknown(place->emitter, place->source, at, block, &(struct word){name, strlen(name)});
        return;
    }
    if (!roles_know_class(name + 1, strlen(name) - 1) && fault_is_new(place->source, at))
        fault(place->source, at, "no class %s in the table of roles; see -r", name);
    for (int i = 0; i < protos->count; i++)
        if (row_has_class(protos->at[i].row, name + 1, strlen(name) - 1))
            chosen->listed[i] = 1;
}

/* The words behind V: lists are flattened. fnalltype and fnallntype begin with a type; of what follows, words that are
 * no argument's type name functions to be left out. */
static struct chosen choose_all(struct place *place, const struct scope *scope, const char *block,
                                const struct range *words, int count)
{
    struct protos *protos = place->emitter->protos;
    struct chosen chosen = {.listed = make((size_t)protos->count + 1)};
    int has_types = strstr(block, "type") != NULL;

    for (int i = 2; i < count; i++) {
        struct value value = wrap_word(place, scope, words[i]);
        for (int j = 0; j < value.count; j++) {
            const char *name = value.items[j];
            int is_first = has_types && !chosen.types.count, is_known = has_types && is_type_of_some(protos, name);
            if (is_first && !is_known && fault_is_new(place->source, words[i].begin))
                warn(place->source, words[i].begin, "no function has an argument of the type %s", name);
            if (is_first || is_known)
                wrap_puts(&chosen.types, name);
            else
                choose(place, block, name, words[i].begin, &chosen);
        }
    }
    return chosen;
}

static int has_type(const struct proto *proto, const struct value *types)
{
    for (int i = 0; i < types->count; i++)
        for (int a = 0; a < proto->arg_count; a++)
            if (macro_type_is(&proto->args[a], types->items[i]))
                return 1;
    return 0;
}

static int is_chosen(struct place *place, const char *block, const struct chosen *chosen, const struct proto *proto)
{
    int is_listed = chosen->listed[proto - place->emitter->protos->at];

    if (!strcmp(block, "fn"))
        return is_listed;
    if (is_listed || (!(place->emitter->flags & EMIT_ALL) && !function_is_usual(proto)))
        return 0;
    return !strstr(block, "type") || has_type(proto, &chosen->types) == !strcmp(block, "fnalltype");
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

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
    wrap_run(place, scope, body, &text);
    text_puts(&declared, text.at);
    return declared.at;
}

/* --cxx: a function for each member that calls the C function. */
static void write_members(struct place *place, struct scope *scope, struct range body)
{
    struct emitter *emitter = place->emitter;
    int number = emitter->number;

    for (int i = 0; i < emitter->bindings->count; i++) {
        const struct member *member = &emitter->bindings->at[i];
        if (member->proto != scope->proto)
            continue;
        emitter->number = number; /* {{fn_num}} is that of the C function */
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
    int number = emitter->number;

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
        emitter->number = number; /* {{fn_num}} is the same in both */
        const char *used = body_text(place, scope, body);
        emitter->number = number;
        scope->call = fortran_call(proto, used);
        fortran_function(emitter, proto, body_text(place, scope, body), used, used);
    }
    text_add(out, emitter->out.at, emitter->out.size);
    emitter->out = saved;
}

/* One function's turn of a block. Definitions made in it end with it. */
static void run_turn(struct place *place, const struct scope *outer, const struct range *words, struct range body,
                     size_t at, const struct proto *proto, int is_loop, struct text *out)
{
    struct emitter *emitter = place->emitter;
    struct scope scope = {
        .outer = outer, .name = cut_word(place->source, words[1]), .proto = proto, .macros = emitter->macro_count};

    if (is_loop)
        wrap_run(place, &scope, body, out);
    else
        write_wrapper(place, &scope, body, at, out);
    emitter->macro_count = scope.macros;
}

/* {{foreachfn}} goes by its list. */
static void run_each(struct place *place, const struct scope *outer, const struct range *words,
                     const struct chosen *chosen, struct range body, size_t at, int is_open, struct text *out)
{
    struct protos *protos = place->emitter->protos;

    for (int n = 0; n < chosen->functions.count; n++) {
        const char *name = chosen->functions.items[n];
        const struct proto *found = *name == '@' ? NULL : protos_find(protos, name, strlen(name));
        for (int i = 0; i < protos->count; i++) {
            if (*name == '@' ? !row_has_class(protos->at[i].row, name + 1, strlen(name) - 1) : &protos->at[i] != found)
                continue;
            if (emitter_step(place->emitter, place->source, at))
                return;
            run_turn(place, outer, words, body, at, &protos->at[i], 1, out);
            if (is_open)
                return;
        }
    }
}

static void run_block(struct place *place, const struct scope *outer, struct range inside, struct range body, int block,
                      int is_open, struct text *out)
{
    struct emitter *emitter = place->emitter;
    struct protos *protos = emitter->protos;
    const char *keyword = cut_blocks[block];
    size_t at = inside.begin - 2;
    int count, is_loop = strstr(keyword, "each") || strstr(keyword, "forall");
    struct range *words = cut_words(place->source, inside, &count);

    if (count < 2) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%s}} needs a name; write {{%s NAME ...}}", keyword, keyword);
        return;
    }
    if (!strcmp(keyword, "def")) {
        wrap_define(place, outer, words, count, body);
        return;
    }
    if (!is_loop && outer) {
        if (fault_is_new(place->source, at))
            fault(place->source, at, "{{%s}} inside another block; a wrapper stands on the outermost level", keyword);
        return;
    }
    struct word name = cut_word(place->source, words[1]);
    if (function_lacks_name(emitter, place->source, at, keyword, &name))
        return;
    struct chosen chosen = choose_all(place, outer, keyword, words, count);
    if (!strcmp(keyword, "foreachfn")) {
        run_each(place, outer, words, &chosen, body, at, is_open, out);
        return;
    }
    for (int i = 0; i < protos->count; i++) {
        if (!is_chosen(place, keyword, &chosen, &protos->at[i]))
            continue;
        if (emitter_step(emitter, place->source, at))
            return;
        run_turn(place, outer, words, body, at, &protos->at[i], is_loop, out);
        if (is_open)
            return;
    }
}

static void value_write(struct text *out, const struct value *value)
{
    for (int i = 0; i < value->count; i++)
        text_printf(out, "%s%s", i ? ", " : "", value->items[i]);
}

int wrap_is_too_deep(struct place *place, size_t at)
{
    enum { MOST = 100 };

    if (place->emitter->nesting < MOST)
        return 0;
    if (fault_is_new(place->source, at))
        fault(place->source, at, "blocks and escapes are nested deeper than %d", MOST);
    return 1;
}

/* Writes the range with its escapes replaced. */
void wrap_run(struct place *place, const struct scope *scope, struct range range, struct text *out)
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
        int block = cut_opens(source, inside);
        if (word_is(&word, "def") && block < 0) {
            run_block(place, scope, inside, (struct range){range.begin, range.begin}, cut_block(&word), 0, out);
        } else if (block >= 0) {
            struct range body = {range.begin, range.end};
            if (wrap_is_too_deep(place, at))
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
            wrap_evaluate(place, scope, inside, &value);
            if (!value.count && word_is(&word, "formals")) /* alone; in a list it adds nothing */
                wrap_puts(&value, "void");
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
    wrap_run(&place, NULL, (struct range){0, source->size}, &out);
    text_add(&emitter->out, out.at, out.size);
}
