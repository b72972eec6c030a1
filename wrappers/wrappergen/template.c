/* template.c - parses a template into a tree of text, escapes, loops and wrappers, in both dialects.
 *
 * The dialects differ in what a template may contain. In the wrap dialect, comments and character constants are text
 * even if they contain {{, escapes may contain escapes, there are more kinds of blocks, and {{callfn}} may be anywhere
 * in a wrapper.
 *
 *     text{{fn f MPI_Send}}a {{callfn}} b{{endfn}}
 *
 *     NODE_TEXT "text"
 *     NODE_FN   inside: NODE_TEXT "a ", NODE_CALL, NODE_TEXT " b"
 *
 * A tree is needed because parts of a template are written several times: the inside of a loop for each function, the
 * inside of a wrapper for C and for Fortran. Nodes point into the template's text, which is not copied. */
#include "wrappergen.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *word; /* {{endWORD}} ends the block */
    enum node_kind kind;
    int is_wrap; /* only in the wrap dialect */
} blocks[] = {
    {"forallfn", NODE_FORALL, 0},     {"foreachfn", NODE_FOREACH, 0},     {"fnall", NODE_FNALL, 0}, {"fn", NODE_FN, 0},
    {"fnalltype", NODE_FNALLTYPE, 1}, {"fnallntype", NODE_FNALLNTYPE, 1}, {"def", NODE_DEF, 1},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

/* A text that is being parsed: a whole template, or a word of an escape that contains escapes. */
struct parser {
    const struct gen_source *source;     /* of the template */
    size_t end;                          /* the offset where this text ends; 0: an error ends the parsing */
    int is_wrap, outside;                /* outside: how many blocks and escapes are around this text */
    struct gen_node *around;             /* the wrapper or {{def}} around this text; NULL: none */
    int is_in_string[DEEPEST + 1];       /* [depth] 1: the text of this block is inside a string of C */
    struct gen_node *open[DEEPEST];      /* the blocks around the current place */
    struct gen_node **tail[DEEPEST + 1]; /* [depth] where the next node of this block is linked */
    int depth;                           /* number of open blocks */
};

/* ---- Escapes and their words ------------------------------------------------------------------------------------- */

/* Returns 1 if the character `c` stands twice at `at`. */
static int is_two(const struct gen_source *source, size_t at, size_t end, char c)
{
    return at + 1 < end && source->at[at] == c && source->at[at + 1] == c;
}

/* Returns the offset of the "}}" that ends the escape at `at`; 0 if there is none. */
static size_t escape_end(const struct gen_source *source, size_t at, size_t end)
{
    int depth = 1;

    for (at += 2; at + 1 < end; at++) {
        if (is_two(source, at, end, '{')) {
            depth++, at++;
        } else if (is_two(source, at, end, '}')) {
            if (--depth == 0)
                return at;
            at++;
        }
    }
    return 0;
}

/* Skips a comment, a character constant, or one character of other text. Returns the offset behind it. */
static size_t skip_text(const struct gen_source *source, size_t at, size_t end, int *is_in_string)
{
    const char *text = source->at;

    if (*is_in_string) {
        *is_in_string = text[at] != '"' && text[at] != '\n';
        /* \" does not end a string. A brace after a backslash is not skipped, because it may begin an escape. */
        return text[at] == '\\' && at + 1 < end && text[at + 1] != '{' ? at + 2 : at + 1;
    }
    if (text[at] == '\'' && at + 2 < end && text[at + 1] != '\\' && text[at + 2] == '\'') /* '"' opens no string */
        return at + 3;
    if (text[at] == '\'' && at + 3 < end && text[at + 1] == '\\' && text[at + 3] == '\'')
        return at + 4;
    *is_in_string = text[at] == '"';
    if (text[at] != '/' || at + 1 >= end || (text[at + 1] != '*' && text[at + 1] != '/'))
        return at + 1;
    const char *close = text[at + 1] == '*' ? "*/" : "\n";
    for (size_t i = at + 2; i < end; i++)
        if (!strncmp(text + i, close, strlen(close)))
            return i + strlen(close) < end ? i + strlen(close) : end;
    return end;
}

/* Splits the inside of an escape into words, at white space outside of quotes and inner escapes. The words point into
 * the source. */
static struct gen_word *split(const struct gen_source *source, size_t at, size_t end, int *count)
{
    struct gen_word *words = NULL;

    for (*count = 0;;) {
        while (at < end && isspace((unsigned char)source->at[at]))
            at++;
        if (at >= end)
            return words;
        size_t begin = at;
        /* A quoted word may contain blanks. Its quotes are removed later. */
        if (source->at[at] == '\'' || source->at[at] == '"') {
            const char *close = memchr(source->at + at + 1, source->at[at], end - at - 1);
            at = close ? (size_t)(close - source->at) + 1 : end;
        }
        while (at < end && !isspace((unsigned char)source->at[at])) {
            size_t inner_end = is_two(source, at, end, '{') ? escape_end(source, at, end) : 0;
            at = inner_end ? inner_end + 2 : at + 1;
        }
        words = grow(words, (size_t)*count, sizeof *words);
        words[(*count)++] = (struct gen_word){source->at + begin, at - begin};
    }
}

struct gen_word word_unquoted(struct gen_word word)
{
    if (word.size >= 2 && (*word.at == '\'' || *word.at == '"') && word.at[word.size - 1] == *word.at)
        return (struct gen_word){word.at + 1, word.size - 2};
    return word;
}

/* ---- {{vardecl}} ------------------------------------------------------------------------------------------------- */

/* Returns the offset of the first declarator in "TYPE *name[3]": of the first '*' or '(', or of the last word before
 * '[' or '='. */
static size_t declarator_begin(const char *from, size_t size)
{
    size_t i = 0, last = 0;

    for (; i < size && !strchr("*([=", from[i]); i++)
        if (is_name(from[i]) && (i == 0 || !is_name(from[i - 1])))
            last = i;
    return i < size && (from[i] == '*' || from[i] == '(') ? i : last;
}

/* Adds the variable of a declarator such as "*name[3]". Returns 0 if the declarator has no name. */
static int variable_add(struct gen_node *owner, const struct gen_node *node, const char *type, const char *from,
                        size_t size)
{
    static const char *const qualifiers[] = {"const", "volatile", "restrict", "__restrict", "_Atomic", NULL};
    size_t begin = 0, end = 0;

    /* Skips qualifiers: "* const p" declares p. */
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
    if (begin == end || isdigit((unsigned char)from[begin])) /* no word, or a number */
        return 0;
    owner->variables = grow(owner->variables, (size_t)owner->variable_count, sizeof *owner->variables);
    owner->variables[owner->variable_count++] =
        (struct variable){text_copy(type, strlen(type)), text_copy(from, begin), text_copy(from + begin, end - begin),
                          text_copy(from + end, size - end), node};
    return 1;
}

/* Adds the variables of "TYPE a, *b, c[3]" to the variables of the wrapper or {{def}} `owner`; reports a faulty
 * declaration. */
static void variables_parse(const struct gen_source *source, const struct gen_node *node, struct gen_word from,
                            struct gen_node *owner)
{
    struct gen_text text = {0};
    int depth = 0, good = 1;

    for (size_t i = 0; i < from.size; i++) /* one blank for each run of blanks */
        if (!isspace((unsigned char)from.at[i]))
            text_add(&text, from.at + i, 1);
        else if (text.size && text.at[text.size - 1] != ' ')
            text_puts(&text, " ");
    while (text.size && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == ';'))
        text.at[--text.size] = 0;
    size_t begin = text.size ? declarator_begin(text.at, strcspn(text.at, ",")) : 0, type_end = begin;
    while (type_end && text.at[type_end - 1] == ' ')
        type_end--;
    char *type = text_copy(type_end ? text.at : "", type_end);
    good = type_end > 0;
    for (size_t i = begin; good && i <= text.size; i++) {
        if (i < text.size && strchr("([{", text.at[i]))
            depth++;
        else if (i < text.size && strchr(")]}", text.at[i]))
            depth--;
        /* A comma inside brackets does not separate variables. */
        else if (i == text.size || (text.at[i] == ',' && depth == 0)) {
            while (text.at[begin] == ' ')
                begin++;
            good = i >= begin && variable_add(owner, node, type, text.at + begin, i - begin);
            begin = i + 1;
        }
    }
    if (!good)
        fault(source, node->at, "{{vardecl}} needs a type and names; write {{vardecl int a, *b, c[3]}}");
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static struct gen_node *parse(const struct parser *outer, struct gen_word text);

void fault_too_deep(const struct gen_source *source, size_t at)
{
    fault_once(source, at, "blocks and escapes are nested deeper than %d", DEEPEST);
}

void fault_outside(const struct gen_source *source, size_t at, const char *word)
{
    fault_once(source, at, "{{%s}} outside {{fn}} and {{fnall}}", word);
}

/* Appends a node to the innermost open block. */
static struct gen_node *node_add(struct parser *parser, enum node_kind kind, size_t begin, size_t end)
{
    struct gen_node *node = make(sizeof *node);

    node->kind = kind;
    node->at = begin;
    node->text = (struct gen_word){parser->source->at + begin, end - begin};
    *parser->tail[parser->depth] = node;
    parser->tail[parser->depth] = &node->next;
    return node;
}

static void add_text(struct parser *parser, size_t begin, size_t end)
{
    if (begin < end)
        node_add(parser, NODE_TEXT, begin, end);
}

/* Returns the innermost wrapper or {{def}} around the current place. */
static struct gen_node *block_around(const struct parser *parser)
{
    for (int i = parser->depth; i-- > 0;)
        if (parser->open[i]->kind != NODE_FORALL && parser->open[i]->kind != NODE_FOREACH)
            return parser->open[i];
    return parser->around;
}

/* Opens a block: later nodes are linked into it. */
static void open_block(struct parser *parser, struct gen_node *node)
{
    const struct gen_word *word = &node->words[0];
    const struct gen_node *outer = parser->depth ? parser->open[parser->depth - 1] : NULL;

    if (node->word_count < 2)
        fault_once(parser->source, node->at, "{{%.*s}} needs a name; write {{%.*s NAME ...}}", (int)word->size,
                   word->at, (int)word->size, word->at);
    if (node->kind >= NODE_FNALL && outer && outer->kind != NODE_DEF)
        fault_once(parser->source, node->at, "{{%.*s}} inside {{%.*s}}; wrappers belong on the outermost level",
                   (int)word->size, word->at, (int)outer->words[0].size, outer->words[0].at);
    if (parser->outside + parser->depth == DEEPEST) {
        fault_too_deep(parser->source, node->at);
        parser->end = 0; /* ends the parsing of this text */
        return;
    }
    parser->open[parser->depth++] = node;
    parser->tail[parser->depth] = &node->inside;
    parser->is_in_string[parser->depth] = 0;
}

/* Reports, at the begin of a block, that its end is missing. The block stays in the tree, so that errors inside the
 * block are found, too. */
static void missing_end(const struct parser *parser, struct gen_node *node)
{
    const struct gen_word *word = &node->words[0];

    node->is_open = 1;
    fault(parser->source, node->at, "{{%.*s}} without {{end%.*s}}; add it", (int)word->size, word->at, (int)word->size,
          word->at);
}

/* Closes the innermost open block of this kind. Blocks inside it that are still open lack their ends. */
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

/* Adds the escape at `at`, which ends at `end`. */
static void add_escape(struct parser *parser, size_t at, size_t end)
{
    const struct gen_source *source = parser->source;
    int count;
    struct gen_word *words = split(source, at + 2, end - 2, &count);

    /* In the classic dialect, braces in an escape are an error. */
    for (size_t i = at + 2; i < end && !parser->is_wrap; i++)
        if (is_two(source, i, end, '{')) {
            fault(source, at, "an escape inside an escape belongs to the other dialect; use --dialect=wrap");
            return;
        }
    if (!count) {
        fault(source, at, "an empty escape; write {{{{ for two braces");
        return;
    }
    /* {{endfn}} closes the block that {{fn}} opened. */
    const struct gen_word rest = {words[0].at + 3, words[0].size - 3};
    int is_end = words[0].size > 3 && !memcmp(words[0].at, "end", 3);
    for (int i = 0; i < BLOCKS && is_end; i++)
        if (word_is(&rest, blocks[i].word) && blocks[i].is_wrap <= parser->is_wrap) {
            close_block(parser, blocks[i].kind, &words[0], at);
            return;
        }
    struct gen_node *node = node_add(parser, NODE_WORD, at, end);
    node->words = words;
    node->word_count = count;
    node->parts = make((size_t)count * sizeof *node->parts);
    for (int i = 0; i < BLOCKS; i++)
        if (word_is(&words[0], blocks[i].word) && blocks[i].is_wrap <= parser->is_wrap)
            node->kind = blocks[i].kind;
    /* In the wrap dialect, words may contain escapes, so they are parsed as templates of their own. The value in
     * {{def NAME WORD WORD ...}} is the text from the first to the last of these words. */
    int is_long_value = node->kind == NODE_DEF && count > 3;
    for (int i = 1; i < count && !is_long_value; i++) /* evaluated when the node is expanded */
        if (memmem(words[i].at, words[i].size, "{{", 2))
            node->parts[i] = parse(parser, word_unquoted(words[i]));
    if (is_long_value) {
        const char *last = words[count - 1].at + words[count - 1].size;
        node->inside = parse(parser, (struct gen_word){words[2].at, (size_t)(last - words[2].at)});
    } else if (node->kind == NODE_DEF && count > 2) /* {{def NAME WORD}}: the word is the value */
        return;
    else if (node->kind >= NODE_FORALL)
        open_block(parser, node);
    else if (word_is(&words[0], "callfn")) {
        struct gen_node *wrapper = block_around(parser);

        node->kind = NODE_CALL;
        if (!parser->is_wrap) {
            if (!wrapper)
                fault_outside(parser->source, node->at, "callfn");
            else if (wrapper->has_call++)
                fault(parser->source, node->at,
                      "a second {{callfn}} in one wrapper; the call is made once (any number: --dialect=wrap)");
            else if (parser->open[parser->depth - 1] != wrapper)
                fault(parser->source, node->at,
                      "{{callfn}} inside a loop; the call is made once (any number: --dialect=wrap)");
        }
    } else if (word_is(&words[0], "vardecl")) {
        /* {{vardecl}}, wherever it stands in a wrapper or {{def}}, declares its variables at the begin of that
         * block. */
        struct gen_node *owner = block_around(parser);
        const char *from = node->words[0].at + node->words[0].size;

        node->kind = NODE_VARS;
        if (owner)
            variables_parse(parser->source, node,
                            (struct gen_word){from, (size_t)(node->text.at + node->text.size - from) - 2}, owner);
        else
            fault_outside(parser->source, node->at, "vardecl");
    }
}

/* Parses a text: the template, or a word of an escape in `outer`. */
static struct gen_node *parse(const struct parser *outer, struct gen_word text)
{
    const struct gen_source *source = outer->source;
    struct gen_node *first = NULL;
    size_t at = (size_t)(text.at - source->at), begin = at;
    struct parser parser = {.source = source,
                            .end = at + text.size,
                            .is_wrap = outer->is_wrap,
                            .outside = outer->outside + outer->depth + 1,
                            .around = block_around(outer),
                            .tail = {&first}};

    /* Escapes may be nested in words of escapes. The depth is limited, so that the recursion does not use up the C
     * stack. */
    if (parser.outside >= DEEPEST) {
        fault_too_deep(source, at);
        return NULL;
    }
    while (at < parser.end) {
        if (!is_two(source, at, parser.end, '{')) {
            at = parser.is_wrap ? skip_text(source, at, parser.end, &parser.is_in_string[parser.depth]) : at + 1;
            continue;
        }
        if (is_two(source, at + 2, parser.end, '{')) { /* "{{{{" is the text "{{" */
            add_text(&parser, begin, at + 2);
            begin = at += 4;
            continue;
        }
        size_t end = escape_end(source, at, parser.end);
        add_text(&parser, begin, at);
        if (!end) {
            fault_once(source, at, "{{ without }}; write {{{{ for two braces");
            parser.end = 0;
            break;
        }
        add_escape(&parser, at, end + 2);
        begin = at = end + 2;
    }
    add_text(&parser, begin, parser.end);
    while (parser.depth)
        missing_end(&parser, parser.open[--parser.depth]);
    return first;
}

struct gen_node *template_parse(const struct gen_source *source, int is_wrap)
{
    const struct parser outermost = {.source = source, .is_wrap = is_wrap, .outside = -1};

    return parse(&outermost, (struct gen_word){source->at, source->size});
}
