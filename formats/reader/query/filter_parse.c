/* filter_parse.c - reads a query (man/pith-query.7) into the tree of filter.h. It needs no log.
 *
 * The parser works by recursive descent, with a function for each level of precedence: read_or, read_and, read_not,
 * read_comparison.
 *
 *     rank in 0-3 and not (state == A or duration > 1ms)
 *
 *     nodes, in the order in which they are completed:
 *       0  rank IN values 0 to 0 (the range 0 to 3)
 *       1  state EQ value 1 ("A")
 *       2  duration GT value 2 (1,000,000 ns)
 *       3  OR 1, 2
 *       4  NOT 3
 *       5  AND 0, 4                                         the root
 *
 * Nodes and values are in two arrays. They refer to each other by index, which stays valid when an array moves. Numbers
 * are converted to the unit of their field (ns, bytes) here, so that evaluation only compares numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_fields.h"
#include "base/map.h"
#include "base/nearest.h"
#include "reader/query/filter.h"

#define BIT(kind) (1u << (kind))
#define STATES BIT(PITHLOG_ENTER)
#define DEFINED (STATES | BIT(PITHLOG_EVENT) | BIT(PITHLOG_COUNTER)) /* records that have a definition */
#define MESSAGES (BIT(PITHLOG_SEND) | BIT(PITHLOG_RECV))
#define COMMS (MESSAGES | BIT(PITHLOG_COLL) | BIT(PITHLOG_COMM_CREATE) | BIT(PITHLOG_COMM_FREE))

const struct pithi_filter_field pithi_filter_fields[PITHI_FIELDS] = {
    [PITHI_F_KIND] = {"kind", PITHI_FIELD_KIND, UINT32_MAX, PITHI_KNOW_KIND},
    [PITHI_F_NAME] = {"name", PITHI_FIELD_TEXT, DEFINED, PITHI_KNOW_DEF},
    [PITHI_F_STATE] = {"state", PITHI_FIELD_TEXT, STATES, PITHI_KNOW_DEF},
    [PITHI_F_EVENT] = {"event", PITHI_FIELD_TEXT, BIT(PITHLOG_EVENT), PITHI_KNOW_DEF},
    [PITHI_F_COUNTER] = {"counter", PITHI_FIELD_TEXT, BIT(PITHLOG_COUNTER), PITHI_KNOW_DEF},
    [PITHI_F_GROUP] = {"group", PITHI_FIELD_TEXT, DEFINED, PITHI_KNOW_DEF},
    [PITHI_F_RANK] = {"rank", PITHI_FIELD_NUMBER, UINT32_MAX, PITHI_KNOW_LANE},
    [PITHI_F_THREAD] = {"thread", PITHI_FIELD_NUMBER, UINT32_MAX, PITHI_KNOW_LANE},
    [PITHI_F_LANE] = {"lane", PITHI_FIELD_NUMBER, UINT32_MAX, PITHI_KNOW_LANE},
    [PITHI_F_HOST] = {"host", PITHI_FIELD_TEXT, UINT32_MAX, PITHI_KNOW_LANE},
    [PITHI_F_TIME] = {"time", PITHI_FIELD_TIME, UINT32_MAX, PITHI_KNOW_RECORD},
    [PITHI_F_END] = {"end", PITHI_FIELD_TIME, STATES, PITHI_KNOW_END},
    [PITHI_F_DURATION] = {"duration", PITHI_FIELD_TIME, STATES, PITHI_KNOW_END},
    [PITHI_F_SELF] = {"self", PITHI_FIELD_TIME, STATES, PITHI_KNOW_END},
    [PITHI_F_DEPTH] = {"depth", PITHI_FIELD_NUMBER, STATES, PITHI_KNOW_RECORD},
    [PITHI_F_COMM] = {"comm", PITHI_FIELD_COMM, COMMS | STATES | BIT(PITHLOG_EVENT), PITHI_KNOW_RECORD},
    [PITHI_F_PEER] = {"peer", PITHI_FIELD_NUMBER, MESSAGES, PITHI_KNOW_RECORD},
    [PITHI_F_TAG] = {"tag", PITHI_FIELD_NUMBER, MESSAGES, PITHI_KNOW_RECORD},
    [PITHI_F_SIZE] = {"size", PITHI_FIELD_SIZE, MESSAGES | BIT(PITHLOG_COLL), PITHI_KNOW_RECORD},
    [PITHI_F_GOT] = {"got", PITHI_FIELD_SIZE, BIT(PITHLOG_COLL), PITHI_KNOW_RECORD},
    [PITHI_F_ROOT] = {"root", PITHI_FIELD_NUMBER, BIT(PITHLOG_COLL), PITHI_KNOW_RECORD},
    [PITHI_F_VALUE] = {"value", PITHI_FIELD_NUMBER, BIT(PITHLOG_COUNTER), PITHI_KNOW_RECORD},
    [PITHI_F_PAYLOAD] = {"payload", PITHI_FIELD_TEXT, BIT(PITHLOG_EVENT), PITHI_KNOW_RECORD},
};

const char *const pithi_filter_kinds[PITHLOG_LOST + 1] = {
    [PITHLOG_ENTER] = "state",     [PITHLOG_LEAVE] = "state",      [PITHLOG_EVENT] = "event",
    [PITHLOG_COUNTER] = "counter", [PITHLOG_SEND] = "send",        [PITHLOG_RECV] = "recv",
    [PITHLOG_COLL] = "coll",       [PITHLOG_COMM_CREATE] = "comm", [PITHLOG_COMM_FREE] = "comm",
    [PITHLOG_PAUSE] = "pause",     [PITHLOG_RESUME] = "resume",    [PITHLOG_LOST] = "lost",
};

/* ---- Words ------------------------------------------------------------------------------------------------------- */

enum token { T_END, T_WORD, T_TEXT, T_NUMBER, T_COMPARE, T_OPEN, T_CLOSE, T_COMMA, T_MINUS };

/* Deeper or longer queries are refused, so that no query can exhaust the stack. The length counts, too, because the
 * tree of `a or b or c` is as deep as the query is long. */
enum { DEEPEST = 200, MOST_NODES = 1000 };

struct parser {
    const char *text, *at;         /* the query; the place after the current token */
    const char *begin;             /* begin of the current token */
    size_t size;                   /* bytes of the token */
    enum token token;              /* kind of the token */
    enum pithi_filter_op op;       /* operator of a T_COMPARE token */
    struct pithlog_filter *filter; /* the filter being made */
    char *string;                  /* free place in filter->strings */
    unsigned depth;                /* current depth of parentheses and `not`; limited by DEEPEST */
    unsigned *column;              /* set to the column of an error; owned by the caller */
};

/* Returns the column of a place in the query, in characters from 1. */
static unsigned column_of(const struct parser *p, const char *place)
{
    unsigned column = 1;

    for (const char *c = p->text; c < place; c++)
        column += (*c & 0xc0) != 0x80;
    return column;
}

#define WRONG(p, place, format, ...)                                                                                   \
    pithi_fail(PITH_ERR_USAGE, "query: column %u: " format, *(p)->column = column_of(p, place), __VA_ARGS__)

/* Returns the error that `what` is needed in place of the current token. */
static int wanted(struct parser *p, const char *what)
{
    if (p->token == T_END)
        return WRONG(p, p->begin, "%s is missing", what);
    return WRONG(p, p->begin, "%s is wanted, not '%.*s'", what, (int)(p->size < 60 ? p->size : 60), p->begin);
}

static int is_letter(char c) { return isalpha((unsigned char)c) || c == '_' || (c & 0x80); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int next_compare(struct parser *p)
{
    static const struct {
        const char *word;
        enum pithi_filter_op op;
    } ops[] = {{"==", PITHI_OP_EQ}, {"!=", PITHI_OP_NE}, {"<=", PITHI_OP_LE}, {">=", PITHI_OP_GE},
               {"<", PITHI_OP_LT},  {">", PITHI_OP_GT},  {"~", PITHI_OP_LIKE}};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t size = strlen(ops[i].word);
        if (strncmp(p->begin, ops[i].word, size) == 0) {
            p->token = T_COMPARE;
            p->op = ops[i].op;
            p->at = p->begin + size;
            return PITH_OK;
        }
    }
    if (*p->begin == '=')
        return WRONG(p, p->begin, "%s", "'=' is no comparison; use ==");
    if (*p->begin == '&' || *p->begin == '|' || *p->begin == '!')
        return WRONG(p, p->begin, "'%c' is no operator; use and, or, not", *p->begin);
    return WRONG(p, p->begin, "'%c' has no meaning here", *p->begin);
}

/* Makes the next token the current one. */
static int next_token(struct parser *p)
{
    int err = PITH_OK;

    p->begin = p->at + strspn(p->at, " \t\r\n");
    p->at = p->begin + 1;
    if (*p->begin == '\0') {
        p->token = T_END;
        p->at = p->begin;
    } else if (is_letter(*p->begin)) {
        p->token = T_WORD;
        while (is_letter(*p->at) || is_digit(*p->at))
            p->at++;
    } else if (is_digit(*p->begin) || (*p->begin == '.' && is_digit(p->begin[1]))) {
        char *end;
        p->token = T_NUMBER;
        strtold(p->begin, &end);
        for (p->at = end; is_letter(*p->at) || is_digit(*p->at) || *p->at == ':' || (*end == ':' && *p->at == '.');
             p->at++)
            ;
    } else if (*p->begin == '"' || *p->begin == '\'') {
        p->token = T_TEXT;
        while (*p->at && *p->at != *p->begin)
            p->at += 1 + (*p->at == '\\' && p->at[1]);
        if (!*p->at)
            return WRONG(p, p->begin, "the text has no closing %c", *p->begin);
        p->at++;
    } else if (strchr("(),-", *p->begin)) {
        static const enum token tokens[] = {T_OPEN, T_CLOSE, T_COMMA, T_MINUS};
        p->token = tokens[strchr("(),-", *p->begin) - "(),-"];
    } else {
        err = next_compare(p);
    }
    p->size = (size_t)(p->at - p->begin);
    return err;
}

static int is_word(const struct parser *p, const char *word)
{
    return p->token == T_WORD && strlen(word) == p->size && memcmp(p->begin, word, p->size) == 0;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static int read_unit(struct parser *p, enum pithi_field_type type, const char *unit, long double *number)
{
    static const struct {
        const char *name;
        long double bytes;
    } sizes[] = {{"B", 1},      {"kB", 1e3L},  {"KB", 1e3L},     {"MB", 1e6L},         {"GB", 1e9L},
                 {"TB", 1e12L}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824L}, {"TiB", 1099511627776L}};
    size_t size = (size_t)(p->at - unit);

    for (size_t i = 0; type == PITHI_FIELD_SIZE && i < sizeof sizes / sizeof *sizes; i++)
        if (strlen(sizes[i].name) == size && memcmp(sizes[i].name, unit, size) == 0) {
            *number = roundl(*number * sizes[i].bytes);
            return PITH_OK;
        }
    if (type == PITHI_FIELD_SIZE)
        return WRONG(p, unit, "'%.*s' is no unit of a size; use B, kB, MB, GB, KiB, MiB or GiB", (int)size, unit);
    return WRONG(p, unit, "a number without unit is wanted, not '%.*s'", (int)(p->at - p->begin), p->begin);
}

/* Reads a number with an optional minus. */
static int read_signed(struct parser *p, enum pithi_field_type type, long double *number)
{
    int is_negative = p->token == T_MINUS;

    if (is_negative)
        CHECK(next_token(p));
    /* Reads the current token, a number, for a field of this type. */
    char *unit, word[64];
    int64_t time_ns;

    if (p->token != T_NUMBER)
        return wanted(p, "a number");
    *number = strtold(p->begin, &unit);
    if (type == PITHI_FIELD_TIME) {
        if (p->size >= sizeof word)
            return WRONG(p, p->begin, "%s", "this number is too long");
        memcpy(word, p->begin, p->size);
        word[p->size] = '\0';
        if (pithlog_time_parse(word, &time_ns))
            return WRONG(p, p->begin, "'%s' is not a time such as 1.5, 3ms, 20us or 7ns", word);
        *number = time_ns;
    } else if (unit < p->at) {
        CHECK(read_unit(p, type, unit, number));
    }
    if (is_negative)
        *number = -*number;
    return next_token(p);
}

static int check_kind(struct parser *p, const char *word)
{
    for (uint32_t i = 0; i <= PITHLOG_LOST; i++)
        if (pithi_filter_kinds[i] && strcmp(pithi_filter_kinds[i], word) == 0)
            return PITH_OK;
    return WRONG(p, p->begin,
                 "there is no kind '%s'; kinds are state, event, counter, send, recv, coll, comm, pause, "
                 "resume and lost",
                 word);
}

/* Reads a value that a field is compared with; for IN, a value or a range. */
static int read_value(struct parser *p, const struct pithi_filter_node *node)
{
    enum pithi_field_type type = pithi_filter_fields[node->field].type;
    struct pithlog_filter *f = p->filter;
    int is_text = type == PITHI_FIELD_TEXT || type == PITHI_FIELD_KIND;

    if (!pithi_grow(&f->values, f->value_count, &f->value_room, sizeof *f->values))
        return pithi_no_memory();
    struct pithi_filter_value *value = &f->values[f->value_count++];
    *value = (struct pithi_filter_value){.text = NULL};
    if (type == PITHI_FIELD_COMM)
        is_text = p->token == T_TEXT || p->token == T_WORD;
    if (is_text && node->op >= PITHI_OP_LT)
        return WRONG(p, p->begin, "names have no order: compare '%s' by ==, !=, ~ or in",
                     pithi_filter_fields[node->field].name);
    if (is_text) {
        if (p->token != T_TEXT && p->token != T_WORD)
            return wanted(p, "a name or a text in quotes");
        /* Stores the text of the current token. Inside quotes, \" stands for ", and the other escapes are those that
         * `pith print` writes. */
        const char *from = p->begin, *end = p->at;
        char *text = p->string, *to = text;

        if (p->token == T_TEXT)
            from++, end--;
        while (from < end) {
            if (p->token == T_TEXT && *from == '\\' && from[1] == *p->begin)
                from++;
            else if (p->token == T_TEXT && *from == '\\' && from + 1 < end)
                *to++ = *from++;
            *to++ = *from++;
        }
        *to = '\0';
        if (p->token == T_TEXT)
            to = text + pithi_unescape(text);
        p->string = to + 1;
        value->text = text;
        if (type == PITHI_FIELD_KIND && node->op != PITHI_OP_LIKE)
            CHECK(check_kind(p, value->text));
        return next_token(p);
    }
    if (node->op == PITHI_OP_LIKE)
        return WRONG(p, p->begin, "~ needs a pattern in quotes%s",
                     type == PITHI_FIELD_COMM ? "" : "; a field with numbers has no pattern");
    CHECK(read_signed(p, type, &value->number));
    value->last = value->number;
    if (node->op != PITHI_OP_IN || p->token != T_MINUS)
        return PITH_OK;
    const char *range = p->begin;
    CHECK(next_token(p));
    CHECK(read_signed(p, type, &value->last));
    return value->last < value->number ? WRONG(p, range, "%s", "the range ends before it begins") : PITH_OK;
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

static int add_node(struct parser *p, struct pithi_filter_node node, uint32_t *place)
{
    struct pithlog_filter *f = p->filter;

    if (f->node_count == MOST_NODES)
        return WRONG(p, p->begin, "the query has more than %d parts", MOST_NODES);
    if (!pithi_grow(&f->nodes, f->node_count, &f->node_room, sizeof *f->nodes))
        return pithi_no_memory();
    *place = f->node_count;
    f->nodes[f->node_count++] = node;
    return PITH_OK;
}

static int read_field(struct parser *p, enum pithi_field *field)
{
    struct pithi_nearest nearest;

    if (p->token != T_WORD)
        return wanted(p, "the name of a field");
    for (int i = 0; i < PITHI_FIELDS; i++)
        if (is_word(p, pithi_filter_fields[i].name)) {
            *field = (enum pithi_field)i;
            return next_token(p);
        }
    pithi_nearest_begin(&nearest, p->begin, p->size);
    for (int i = 0; i < PITHI_FIELDS; i++)
        pithi_nearest_try(&nearest, pithi_filter_fields[i].name);
    return WRONG(p, p->begin, "there is no field '%.*s'%s", (int)(p->size < 60 ? p->size : 60), p->begin,
                 nearest.name ? pithi_nearest_ask(&nearest) : "; see pith-query(7)");
}

static int read_list(struct parser *p, struct pithi_filter_node *node)
{
    int has_parentheses = p->token == T_OPEN;

    if (has_parentheses)
        CHECK(next_token(p));
    for (;;) {
        CHECK(read_value(p, node));
        if (p->token != T_COMMA)
            break;
        CHECK(next_token(p));
    }
    if (!has_parentheses)
        return PITH_OK;
    return p->token == T_CLOSE ? next_token(p) : wanted(p, "')' or ','");
}

static int read_comparison(struct parser *p, uint32_t *place)
{
    struct pithi_filter_node node = {.first = p->filter->value_count};

    CHECK(read_field(p, &node.field));
    p->filter->fields |= 1u << node.field;
    if (is_word(p, "in"))
        node.op = PITHI_OP_IN;
    else if (p->token == T_COMPARE)
        node.op = p->op;
    else
        return wanted(p, "a comparison (==, !=, <, <=, >, >=, ~ or in)");
    CHECK(next_token(p));
    CHECK(node.op == PITHI_OP_IN ? read_list(p, &node) : read_value(p, &node));
    node.count = p->filter->value_count - node.first;
    return add_node(p, node, place);
}

static int read_or(struct parser *p, uint32_t *place);

static int read_not(struct parser *p, uint32_t *place)
{
    int err;

    if (++p->depth > DEEPEST)
        return WRONG(p, p->begin, "more than %d parts inside each other", DEEPEST);
    if (is_word(p, "not")) {
        uint32_t inner;
        CHECK(next_token(p));
        CHECK(read_not(p, &inner));
        err = add_node(p, (struct pithi_filter_node){.op = PITHI_OP_NOT, .left = inner}, place);
    } else if (p->token == T_OPEN) {
        CHECK(next_token(p));
        CHECK(read_or(p, place));
        err = p->token == T_CLOSE ? next_token(p) : wanted(p, "and, or, or ')'");
    } else {
        err = read_comparison(p, place);
    }
    p->depth--;
    return err;
}

/* Reads parts joined by `and` or by `or` (`word`). */
static int read_joined(struct parser *p, const char *word, enum pithi_filter_op op,
                       int (*read_part)(struct parser *p, uint32_t *place), uint32_t *place)
{
    CHECK(read_part(p, place));
    while (is_word(p, word)) {
        struct pithi_filter_node node = {.op = op, .left = *place};
        CHECK(next_token(p));
        CHECK(read_part(p, &node.right));
        CHECK(add_node(p, node, place));
    }
    return PITH_OK;
}

static int read_and(struct parser *p, uint32_t *place) { return read_joined(p, "and", PITHI_OP_AND, read_not, place); }

static int read_or(struct parser *p, uint32_t *place) { return read_joined(p, "or", PITHI_OP_OR, read_and, place); }

int pithlog_filter_parse(const char *text, struct pithlog_filter **filter, unsigned *column)
{
    unsigned unused;
    struct parser p = {.text = text, .at = text, .column = column ? column : &unused};
    int err;

    *p.column = 0;
    *filter = p.filter = calloc(1, sizeof *p.filter);
    if (!p.filter || !(p.filter->strings = p.string = malloc(strlen(text) + 2))) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(next_token(&p));
    TRY(read_or(&p, &p.filter->root));
    if (p.token != T_END)
        err = wanted(&p, "and, or, or the end");
out:
    if (err) {
        pithlog_filter_free(p.filter);
        *filter = NULL;
    }
    return err;
}

void pithlog_filter_free(struct pithlog_filter *filter)
{
    if (!filter)
        return;
    free(filter->nodes);
    free(filter->values);
    free(filter->strings);
    free(filter);
}
