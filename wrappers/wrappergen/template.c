/* template.c - parses a template of the classic dialect into a tree of text, escapes, loops and wrappers. */
#include "wrappergen.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word, *end;
    enum node_kind kind;
} blocks[] = {
    {"forallfn", "endforallfn", NODE_FORALL},
    {"foreachfn", "endforeachfn", NODE_FOREACH},
    {"fnall", "endfnall", NODE_FNALL},
    {"fn", "endfn", NODE_FN},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

const char *const template_keywords[] = {"forallfn",  "endforallfn", "foreachfn", "endforeachfn", "fnall",  "endfnall",
                                         "fn",        "endfn",       "callfn",    "vardecl",      "fileno", "fn_num",
                                         "returnVal", NULL};

struct parser {
    const struct gen_source *source;
    struct gen_node *open[64]; /* the blocks around the current place */
    struct gen_node **tail[65];
    int depth;
};

static struct gen_node *node_add(struct parser *parser, enum node_kind kind, size_t at)
{
    struct gen_node *node = make(sizeof *node);

    node->kind = kind;
    node->at = at;
    *parser->tail[parser->depth] = node;
    parser->tail[parser->depth] = &node->next;
    return node;
}

static struct gen_node *wrapper_around(const struct parser *parser)
{
    for (int i = 0; i < parser->depth; i++)
        if (parser->open[i]->kind == NODE_FN || parser->open[i]->kind == NODE_FNALL)
            return parser->open[i];
    return NULL;
}

static void open_block(struct parser *parser, struct gen_node *node)
{
    const struct gen_source *source = parser->source;

    if (node->word_count < 2)
        fault(source, node->at, "{{%.*s}} needs a name for the function; write {{%.*s NAME ...}}",
              (int)node->words[0].size, node->words[0].at, (int)node->words[0].size, node->words[0].at);
    if ((node->kind == NODE_FN || node->kind == NODE_FNALL) && parser->depth)
        fault(source, node->at, "{{%.*s}} inside {{%.*s}}; wrappers belong on the outermost level",
              (int)node->words[0].size, node->words[0].at, (int)parser->open[parser->depth - 1]->words[0].size,
              parser->open[parser->depth - 1]->words[0].at);
    if (parser->depth == 64) {
        fault(source, node->at, "blocks are nested deeper than 64");
        return;
    }
    parser->open[parser->depth++] = node;
    parser->tail[parser->depth] = &node->inside;
}

static void missing_end(const struct parser *parser, const struct gen_node *node)
{
    const struct gen_word *word = &node->words[0];

    fault(parser->source, node->at, "{{%.*s}} without {{end%.*s}}; add it", (int)word->size, word->at, (int)word->size,
          word->at);
}

static void close_block(struct parser *parser, enum node_kind kind, const struct gen_word *word, size_t at)
{
    int i = parser->depth;

    while (i && parser->open[i - 1]->kind != kind)
        i--;
    if (!i) {
        fault(parser->source, at, "{{%.*s}} without {{%.*s}} before it", (int)word->size, word->at, (int)word->size - 3,
              word->at + 3);
        return;
    }
    while (parser->depth > i)
        missing_end(parser, parser->open[--parser->depth]);
    parser->depth = i - 1;
}

/* Splits an escape's inside into words, which point into the source. */
static struct gen_word *split(const char *from, size_t size, int *count)
{
    struct gen_word *words = NULL;

    *count = 0;
    for (size_t i = 0; i < size;) {
        size_t begin = i;
        while (i < size && !isspace((unsigned char)from[i]))
            i++;
        if (i > begin) {
            words = grow(words, (size_t)*count, sizeof *words);
            words[(*count)++] = (struct gen_word){from + begin, i - begin};
        }
        while (i < size && isspace((unsigned char)from[i]))
            i++;
    }
    return words;
}

static void add_call(struct parser *parser, struct gen_node *node)
{
    struct gen_node *wrapper = wrapper_around(parser);

    node->kind = NODE_CALL;
    if (!wrapper)
        fault(parser->source, node->at, "{{callfn}} outside {{fn}} and {{fnall}}");
    else if (wrapper->has_call++)
        fault(parser->source, node->at,
              "a second {{callfn}} in one wrapper; the call is made once (any number: --dialect=wrap)");
    else if (parser->open[parser->depth - 1] != wrapper)
        fault(parser->source, node->at, "{{callfn}} inside a loop; the call is made once (any number: --dialect=wrap)");
}

static void escape(struct parser *parser, size_t at, const char *from, size_t size)
{
    int count;
    struct gen_word *words = split(from, size, &count);

    for (size_t i = 0; i + 1 < size; i++)
        if (from[i] == '{' && from[i + 1] == '{') {
            fault(parser->source, at, "an escape inside an escape belongs to the other dialect; use --dialect=wrap");
            return;
        }

    if (!count) {
        fault(parser->source, at, "an empty escape; write {{{{ for two braces");
        return;
    }
    for (int i = 0; i < BLOCKS; i++)
        if (word_is(&words[0], blocks[i].end)) {
            close_block(parser, blocks[i].kind, &words[0], at);
            return;
        }
    struct gen_node *node = node_add(parser, NODE_WORD, at);
    node->words = words;
    node->word_count = count;
    for (int i = 0; i < BLOCKS; i++)
        if (word_is(&words[0], blocks[i].word)) {
            node->kind = blocks[i].kind;
            open_block(parser, node);
            return;
        }
    if (word_is(&words[0], "callfn")) {
        add_call(parser, node);
    } else if (word_is(&words[0], "vardecl")) {
        node->kind = NODE_VARS;
        node->text = (struct gen_word){words[0].at + 7, size - (size_t)(words[0].at + 7 - from)};
        struct gen_node *wrapper = wrapper_around(parser);
        if (wrapper)
            variables_parse(parser->source, node, wrapper);
        else
            fault(parser->source, at, "{{vardecl}} outside {{fn}} and {{fnall}}");
    }
}

static void add_text(struct parser *parser, size_t begin, size_t end)
{
    if (begin < end)
        node_add(parser, NODE_TEXT, begin)->text = (struct gen_word){parser->source->at + begin, end - begin};
}

struct gen_node *template_parse(const struct gen_source *source)
{
    struct gen_node *first = NULL;
    struct parser parser = {.source = source, .tail = {&first}};
    const char *text = source->at;
    size_t begin = 0, i = 0;

    while (i + 1 < source->size) {
        if (text[i] != '{' || text[i + 1] != '{') {
            i++;
        } else if (i + 3 < source->size && text[i + 2] == '{' && text[i + 3] == '{') {
            add_text(&parser, begin, i + 2);
            begin = i += 4;
        } else {
            const char *end = strstr(text + i + 2, "}}");
            add_text(&parser, begin, i);
            if (!end) {
                fault(source, i, "{{ without }}; write {{{{ for two braces");
                begin = source->size;
                break;
            }
            escape(&parser, i, text + i + 2, (size_t)(end - text) - i - 2);
            begin = i = (size_t)(end - text) + 2;
        }
    }
    add_text(&parser, begin, source->size);
    while (parser.depth)
        missing_end(&parser, parser.open[--parser.depth]);
    return first;
}

/* ---- {{vardecl}} ------------------------------------------------------------------------------------------------- */

/* The offset of the declarator in "TYPE *name[3]": the first '*' or '(', or the last word before '[' or '='. */
static size_t declarator_begin(const char *from, size_t size)
{
    size_t i = 0, last = 0;

    for (; i < size && !strchr("*([=", from[i]); i++)
        if (is_name(from[i]) && (i == 0 || !is_name(from[i - 1])))
            last = i;
    return i < size && (from[i] == '*' || from[i] == '(') ? i : last;
}

static int variable_add(struct gen_node *wrapper, const struct gen_node *node, const char *type, const char *from,
                        size_t size)
{
    static const char *const qualifiers[] = {"const", "volatile", "restrict", "__restrict", "_Atomic", NULL};
    size_t begin = 0, end = 0;

    for (int is_name_of_its_own = 0; !is_name_of_its_own && end < size;) {
        for (begin = end; begin < size && !is_name(from[begin]);)
            begin++;
        for (end = begin; end < size && is_name(from[end]);)
            end++;
        const struct gen_word word = {from + begin, end - begin};
        is_name_of_its_own = 1;
        for (int i = 0; qualifiers[i]; i++)
            is_name_of_its_own &= !word_is(&word, qualifiers[i]);
    }
    if (begin == end || isdigit((unsigned char)from[begin]))
        return 0;
    wrapper->variables = grow(wrapper->variables, (size_t)wrapper->variable_count, sizeof *wrapper->variables);
    wrapper->variables[wrapper->variable_count++] =
        (struct variable){text_copy(type, strlen(type)), text_copy(from, begin), text_copy(from + begin, end - begin),
                          text_copy(from + end, size - end), node};
    return 1;
}

void variables_parse(const struct gen_source *source, const struct gen_node *node, struct gen_node *wrapper)
{
    struct gen_text text = {0};
    int depth = 0, good = 1;

    for (size_t i = 0; i < node->text.size; i++) /* one blank for each run of blanks */
        if (!isspace((unsigned char)node->text.at[i]))
            text_add(&text, node->text.at + i, 1);
        else if (text.size && text.at[text.size - 1] != ' ')
            text_puts(&text, " ");
    while (text.size && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == ';'))
        text.at[--text.size] = 0;
    size_t begin = text.size ? declarator_begin(text.at, strcspn(text.at, ",")) : 0, type_end = begin;
    while (type_end && text.at[type_end - 1] == ' ')
        type_end--;
    char *type = text_copy(type_end ? text.at : "", type_end);
    good = type_end > 0;
    int before = wrapper->variable_count;
    for (size_t i = begin; good && i <= text.size; i++) {
        if (i < text.size && strchr("([{", text.at[i]))
            depth++;
        else if (i < text.size && strchr(")]}", text.at[i]))
            depth--;
        else if (i == text.size || (text.at[i] == ',' && depth == 0)) {
            while (text.at[begin] == ' ')
                begin++;
            good = i >= begin && variable_add(wrapper, node, type, text.at + begin, i - begin);
            begin = i + 1;
        }
    }
    if (!good)
        fault(source, node->at, "{{vardecl}} needs a type and names; write {{vardecl int a, *b, c[3]}}");
    for (int i = before; i < wrapper->variable_count; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(wrapper->variables[i].name, wrapper->variables[j].name))
                fault(source, node->at, "%s is already declared in this wrapper", wrapper->variables[i].name);
}
