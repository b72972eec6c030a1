/* wrap.c - the wrap dialect: finds the parts of a template, and writes its blocks.
 *
 * A template is a range of the source. It is read and written in one pass: escapes are evaluated where they stand, and
 * a block's body is evaluated once for each function.
 */
#include "wrap.h"

#include <ctype.h>
#include <string.h>

/* ---- Escapes, words and blocks in the source --------------------------------------------------------------------- */

enum { MOST_WORDS = 1000 };

const char *const cut_blocks[] = {"fn", "fnall", "fnalltype", "fnallntype", "forallfn", "foreachfn", "def", NULL};

int cut_is_two(const struct gen_source *source, size_t at, size_t end, char c)
{
    return at + 1 < end && source->at[at] == c && source->at[at + 1] == c;
}

size_t cut_escape_end(const struct gen_source *source, size_t at, size_t end)
{
    int depth = 1;

    for (at += 2; at + 1 < end; at++) {
        if (cut_is_two(source, at, end, '{'))
            depth++, at++;
        else if (cut_is_two(source, at, end, '}')) {
            if (--depth == 0)
                return at;
            at++;
        }
    }
    return 0;
}

/* Skips a comment, a character constant or a character of text at `at`; returns the offset after it. */
static size_t skip_text(const struct gen_source *source, size_t at, size_t end, int *in_string)
{
    const char *text = source->at;

    if (*in_string) {
        *in_string = text[at] != '"' && text[at] != '\n';
        return text[at] == '\\' && at + 1 < end && text[at + 1] != '{' ? at + 2 : at + 1;
    }
    if (text[at] == '\'' && at + 2 < end && text[at + 1] != '\\' && text[at + 2] == '\'')
        return at + 3;
    if (text[at] == '\'' && at + 3 < end && text[at + 1] == '\\' && text[at + 3] == '\'')
        return at + 4;
    *in_string = text[at] == '"';
    if (text[at] != '/' || at + 1 >= end || (text[at + 1] != '*' && text[at + 1] != '/'))
        return at + 1;
    const char *close = text[at + 1] == '*' ? "*/" : "\n";
    for (size_t i = at + 2; i < end; i++)
        if (!strncmp(text + i, close, strlen(close)))
            return i + strlen(close) < end ? i + strlen(close) : end;
    return end;
}

int cut_next(const struct gen_source *source, struct gen_range range, int *in_string, struct gen_range *inside)
{
    size_t at = range.begin;

    while (at < range.end) {
        if (!cut_is_two(source, at, range.end, '{')) {
            at = skip_text(source, at, range.end, in_string);
        } else if (at + 3 < range.end && cut_is_two(source, at + 2, range.end, '{')) {
            inside->begin = inside->end = at + 2; /* four braces */
            return 1;
        } else {
            inside->begin = at + 2;
            inside->end = cut_escape_end(source, at, range.end);
            return 1;
        }
    }
    return 0;
}

int cut_is_four(const struct gen_source *source, const struct gen_range *inside)
{
    return inside->begin == inside->end && cut_is_two(source, inside->begin, source->size, '{');
}

int cut_is_quote(int c) { return c == '\'' || c == '"'; }

struct gen_range *cut_words(const struct gen_source *source, struct gen_range inside, int *count)
{
    struct gen_range *words = NULL;
    size_t at = inside.begin;

    for (*count = 0;;) {
        while (at < inside.end && isspace((unsigned char)source->at[at]))
            at++;
        if (at >= inside.end || *count == MOST_WORDS)
            return words;
        size_t begin = at;
        if (cut_is_quote(source->at[at])) {
            const char *close = memchr(source->at + at + 1, source->at[at], inside.end - at - 1);
            at = close ? (size_t)(close - source->at) + 1 : inside.end;
        }
        while (at < inside.end && !isspace((unsigned char)source->at[at])) {
            size_t end = cut_is_two(source, at, inside.end, '{') ? cut_escape_end(source, at, inside.end) : 0;
            at = end ? end + 2 : at + 1;
        }
        words = grow(words, (size_t)*count, sizeof *words);
        words[(*count)++] = (struct gen_range){begin, at};
    }
}

struct gen_word cut_word(const struct gen_source *source, struct gen_range range)
{
    return (struct gen_word){source->at + range.begin, range.end - range.begin};
}

struct gen_word cut_keyword(const struct gen_source *source, struct gen_range inside)
{
    while (inside.begin < inside.end && isspace((unsigned char)source->at[inside.begin]))
        inside.begin++;
    size_t end = inside.begin;
    while (end < inside.end && !isspace((unsigned char)source->at[end]))
        end++;
    return cut_word(source, (struct gen_range){inside.begin, end});
}

int cut_block(const struct gen_word *word)
{
    for (int i = 0; cut_blocks[i]; i++)
        if (word_is(word, cut_blocks[i]))
            return i;
    return -1;
}

int cut_opens(const struct gen_source *source, struct gen_range inside)
{
    struct gen_word word = cut_keyword(source, inside);
    int count = 0;

    if (word_is(&word, "def"))
        cut_words(source, inside, &count);
    return count > 2 ? -1 : cut_block(&word);
}

int cut_end(const struct gen_word *word)
{
    struct gen_word rest = {word->at + 3, word->size - 3};

    return word->size > 3 && !memcmp(word->at, "end", 3) ? cut_block(&rest) : -1;
}

int cut_block_end(const struct gen_source *source, struct gen_range range, int block, size_t *end, size_t *after)
{
    int open[CUT_DEEPEST + 1] = {block}, depth = 1, in_string = 0;
    struct gen_range inside;

    while (cut_next(source, range, &in_string, &inside) && inside.end) {
        struct gen_word word = cut_keyword(source, inside);
        int opened = cut_is_four(source, &inside) ? -1 : cut_opens(source, inside), ended = cut_end(&word), d = depth;
        range.begin = inside.end + 2;
        if (opened >= 0 && depth < CUT_DEEPEST)
            open[depth++] = opened;
        while (ended >= 0 && d && open[d - 1] != ended)
            d--;
        if (ended >= 0 && d) /* unclosed inner blocks are reported when they are run */
            depth = d - 1;
        if (depth == 0) {
            *end = inside.begin - 2;
            *after = inside.end + 2;
            return 1;
        }
    }
    return 0;
}

/* ---- Lists of functions ------------------------------------------------------------------------------------------ */

/* The list of a block: functions, and in fnalltype and fnallntype also types. */
struct function_list {
    struct value functions, types; /* functions: names and @classes */
    char *listed;                  /* for each function considered: 1 if its name or class is listed */
};

/* 1: the function has an argument of this type. */
static int has_type(const struct proto *proto, const char *type)
{
    for (int a = 0; a < proto->arg_count; a++)
        if (arg_has_type(&proto->args[a], type))
            return 1;
    return 0;
}

/* Reads the list; nested lists are flattened. fnalltype and fnallntype begin with a type. Of their other words, those
 * that are not the type of an argument are functions to leave out. */
static struct function_list choose_all(struct gen_place *place, const struct scope *scope, const char *block,
                                       const struct gen_range *words, int count)
{
    struct protos *protos = place->emitter->protos;
    struct function_list chosen = {.listed = make((size_t)protos->count + 1)};
    int has_types = strstr(block, "type") != NULL;

    for (int i = 2; i < count; i++) {
        struct value value = wrap_word(place, scope, words[i]);
        for (int j = 0; j < value.count; j++) {
            const char *name = value.items[j];
            int is_first = has_types && !chosen.types.count, is_known = 0;
            for (int f = 0; has_types && f < protos->count; f++)
                is_known |= has_type(&protos->at[f], name);
            if (is_first && !is_known && fault_is_new(place->source, words[i].begin))
                warn(place->source, words[i].begin, "no function has an argument of the type %s", name);
            if (is_first || is_known) {
                value_puts(&chosen.types, name);
                continue;
            }
            value_puts(&chosen.functions, name);
            function_mark(place->emitter, place->source, words[i].begin, block, &(struct gen_word){name, strlen(name)},
                          chosen.listed);
        }
    }
    return chosen;
}

static int is_chosen(struct gen_place *place, const char *block, const struct function_list *chosen,
                     const struct proto *proto)
{
    int is_listed = chosen->listed[proto - place->emitter->protos->at], has_listed = 0;

    for (int i = 0; i < chosen->types.count; i++)
        has_listed |= has_type(proto, chosen->types.items[i]);
    if (!strcmp(block, "fn"))
        return is_listed;
    if (is_listed || (!(place->emitter->flags & EMIT_ALL) && !function_is_usual(proto)))
        return 0;
    return !strstr(block, "type") || has_listed == !strcmp(block, "fnalltype");
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static const char *body_text(struct gen_place *place, struct scope *scope, struct gen_range body)
{
    struct gen_text declared = {0}, text = {0};
    struct gen_node variables = {0};

    text_puts(&declared, "");
    text_puts(&text, "");
    scope->declared = &declared;
    scope->variables = &variables;
    wrap_run(place, scope, body, &text);
    text_puts(&declared, text.at);
    return declared.at;
}

/* --cxx: a function for each member that calls the C function. */
static void write_members(struct gen_place *place, struct scope *scope, struct gen_range body)
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

static void write_wrapper(struct gen_place *place, struct scope *scope, struct gen_range body, size_t at,
                          struct gen_text *out)
{
    struct emitter *emitter = place->emitter;
    struct proto *proto = (struct proto *)scope->proto;
    struct gen_text saved = emitter->out;
    int number = emitter->number;

    if (proto->defined_in) {
        int line = 1;
        for (size_t i = 0; i < proto->defined_at; i++)
            line += proto->defined_in->at[i] == '\n';
        fault(place->source, at,
              "%s already has a wrapper, at %s:%d; this dialect allows one (they nest with --dialect=classic)",
              proto->name, proto->defined_in->name, line);
        return;
    }
    proto->defined_in = place->source;
    proto->defined_at = at;
    emitter->out = (struct gen_text){0};
    text_puts(&emitter->out, "");
    if (emitter->bindings) {
        write_members(place, scope, body);
    } else if (!(emitter->flags & EMIT_FORTRAN_ONLY)) {
        struct gen_text call = {0};
        text_puts(&call, function_is_void(proto) ? "" : "returnVal = ");
        function_call(emitter, &call, proto);
        text_puts(&call, ";");
        scope->call = call.at;
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

/* Runs a block for one function. Definitions made in it end with it. */
static void run_turn(struct gen_place *place, const struct scope *outer, const struct gen_range *words,
                     struct gen_range body, size_t at, const struct proto *proto, int is_loop, struct gen_text *out)
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

/* Runs {{foreachfn}}, in the order of its list. */
static void run_each(struct gen_place *place, const struct scope *outer, const struct gen_range *words,
                     const struct function_list *chosen, struct gen_range body, size_t at, int is_open,
                     struct gen_text *out)
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

static void run_block(struct gen_place *place, const struct scope *outer, struct gen_range inside,
                      struct gen_range body, int block, int is_open, struct gen_text *out)
{
    struct emitter *emitter = place->emitter;
    struct protos *protos = emitter->protos;
    const char *keyword = cut_blocks[block];
    size_t at = inside.begin - 2;
    int count, is_loop = strstr(keyword, "each") || strstr(keyword, "forall");
    struct gen_range *words = cut_words(place->source, inside, &count);

    if (count < 2) {
        fault_once(place->source, at, "{{%s}} needs a name; write {{%s NAME ...}}", keyword, keyword);
        return;
    }
    if (!strcmp(keyword, "def")) {
        wrap_define(place, outer, words, count, body);
        return;
    }
    if (!is_loop && outer) {
        fault_once(place->source, at, "{{%s}} inside another block; wrappers belong on the outermost level", keyword);
        return;
    }
    struct gen_word name = cut_word(place->source, words[1]);
    if (function_lacks_name(emitter, place->source, at, keyword, &name))
        return;
    struct function_list chosen = choose_all(place, outer, keyword, words, count);
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

int wrap_is_too_deep(struct gen_place *place, size_t at)
{
    enum { MOST = 100 };

    if (place->emitter->nesting < MOST)
        return 0;
    fault_once(place->source, at, "blocks and escapes are nested deeper than %d", MOST);
    return 1;
}

void wrap_run(struct gen_place *place, const struct scope *scope, struct gen_range range, struct gen_text *out)
{
    const struct gen_source *source = place->source;
    struct gen_range inside;
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
            fault_once(source, at, "{{ without }}; write {{{{ for two braces");
            return;
        }
        range.begin = inside.end + 2;
        struct gen_word word = cut_keyword(source, inside);
        int block = cut_opens(source, inside);
        if (word_is(&word, "def") && block < 0) {
            run_block(place, scope, inside, (struct gen_range){range.begin, range.begin}, cut_block(&word), 0, out);
        } else if (block >= 0) {
            struct gen_range body = {range.begin, range.end};
            if (wrap_is_too_deep(place, at))
                return;
            int is_open = 0; /* a block without an end: its body is checked for one function */
            if (!cut_block_end(source, range, block, &body.end, &range.begin)) {
                fault_once(source, at, "{{%s}} without {{end%s}}; add it", cut_blocks[block], cut_blocks[block]);
                range.begin = range.end;
                is_open = 1;
            }
            place->emitter->nesting++;
            run_block(place, scope, inside, body, block, is_open, out);
            place->emitter->nesting--;
        } else if (cut_end(&word) >= 0) {
            fault_once(source, at, "{{%.*s}} without {{%.*s}} before it", (int)word.size, word.at, (int)word.size - 3,
                       word.at + 3);
        } else if (!word.size) {
            fault_once(source, at, "an empty escape; write {{{{ for two braces");
        } else {
            struct value value = {0};
            wrap_evaluate(place, scope, inside, &value);
            if (!value.count && word_is(&word, "formals")) /* only by itself, not in a list */
                value_puts(&value, "void");
            /* {{callfn}} is a statement; the template may add a semicolon or not */
            struct gen_text text = {0};
            text_puts(&text, "");
            for (int i = 0; i < value.count; i++)
                text_printf(&text, "%s%s", i ? ", " : "", value.items[i]);
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

void wrap_template(struct emitter *emitter, const struct gen_source *source, int file)
{
    struct gen_place place = {emitter, source, file};
    struct gen_text out = {0};

    text_puts(&out, "");
    wrap_run(&place, NULL, (struct gen_range){0, source->size}, &out);
    text_add(&emitter->out, out.at, out.size);
}
