/* formula.c - reads the formula of derived rows (derived.h) by recursive descent. */
#include "core/derived.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

struct reader {
    const struct pithlog *log;
    struct pithi_formula *formula;
    const char *text, *at;
    char *error;
    uint32_t depth; /* of the stack so far */
    int nesting;
};

enum { NESTING_MOST = 100, NAME_MOST = 255 };

static const struct {
    const char *word;
    enum pithi_term_kind kind;
} words[] = {{"time", PITHI_TERM_TIME},
             {"computing", PITHI_TERM_COMPUTING},
             {"value", PITHI_TERM_VALUE},
             {"sent", PITHI_TERM_SENT},
             {"received", PITHI_TERM_RECEIVED},
             {"sent_bytes", PITHI_TERM_SENT_BYTES},
             {"received_bytes", PITHI_TERM_RECEIVED_BYTES},
             {"in_flight", PITHI_TERM_IN_FLIGHT}};

static int fail(struct reader *r, const char *at, const char *what)
{
    snprintf(r->error, PITHI_FORMULA_ERROR, "character %d: %s", (int)(at - r->text) + 1, what);
    return -1;
}

static char next(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
    return *r->at;
}

static void add_step(struct reader *r, struct pithi_formula_step step)
{
    struct pithi_formula *f = r->formula;

    f->steps = pithi_view_grow(f->steps, &f->step_capacity, f->step_count + 1, sizeof *f->steps);
    f->steps[f->step_count++] = step;
    r->depth += step.what == 'c' || step.what == 't';
    r->depth -= strchr("+-*/", step.what) != NULL;
    f->depth = r->depth > f->depth ? r->depth : f->depth;
}

/* The definitions that a name in parentheses means. */
static int read_name(struct reader *r, enum pithi_term_kind kind, unsigned char *chosen)
{
    const struct pithlog_def *def;
    const char *begin = r->at + 1, *end;
    char name[NAME_MOST + 1];
    int found = 0, depth = 1;

    for (end = begin; *end && depth > 0; end++)
        depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    if (depth > 0)
        return fail(r, r->at, "the parenthesis is not closed");
    r->at = end--;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (begin < end && isspace((unsigned char)end[-1]))
        end--;
    if (end - begin > NAME_MOST)
        return fail(r, begin, "the name is too long");
    snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
    for (uint32_t id = 0; (def = pithlog_get_def(r->log, id)) != NULL; id++)
        if (def->kind == (kind == PITHI_TERM_TIME ? PITHLOG_STATE : PITHLOG_COUNTER_TYPE) &&
            (strcmp(def->name, name) == 0 || fnmatch(name, def->name, 0) == 0))
            found = chosen[id] = 1;
    return found ? 0 : fail(r, begin, kind == PITHI_TERM_TIME ? "no state has this name" : "no counter has this name");
}

static int read_word(struct reader *r)
{
    struct pithi_formula *f = r->formula;
    const char *begin = r->at;
    size_t size = 0, i = 0;

    while (isalnum((unsigned char)r->at[size]) || r->at[size] == '_')
        size++;
    while (i < sizeof words / sizeof *words &&
           (strlen(words[i].word) != size || strncmp(words[i].word, r->at, size) != 0))
        i++;
    if (!size || i == sizeof words / sizeof *words)
        return fail(r, begin,
                    "expected a number, time(NAME), value(NAME), computing, sent, received, sent_bytes, "
                    "received_bytes or in_flight");
    f->terms = pithi_view_grow(f->terms, &f->term_capacity, f->term_count + 1, sizeof *f->terms);
    struct pithi_term *term = &f->terms[f->term_count++];
    *term = (struct pithi_term){.kind = words[i].kind};
    add_step(r, (struct pithi_formula_step){.what = 't', .term = f->term_count - 1});
    r->at += size;
    if (term->kind != PITHI_TERM_TIME && term->kind != PITHI_TERM_VALUE)
        return 0;
    if (next(r) != '(')
        return fail(r, r->at, "expected a name in parentheses");
    term->chosen = pithi_alloc(pithlog_get_info(r->log)->defs + (size_t)1, 1);
    return read_name(r, term->kind, term->chosen);
}

static int read_sum(struct reader *r);

static int read_factor(struct reader *r)
{
    char *end, c = next(r);
    int status;

    if (++r->nesting > NESTING_MOST)
        return fail(r, r->at, "too many parentheses");
    if (c == '-' || c == '(') {
        r->at++;
        status = c == '-' ? read_factor(r) : read_sum(r);
        if (!status && c == '-')
            add_step(r, (struct pithi_formula_step){.what = 'n'});
        if (!status && c == '(' && next(r) != ')')
            status = fail(r, r->at, "expected )");
        r->at += !status && c == '(';
    } else if (isdigit((unsigned char)c) || c == '.') {
        double constant = strtod(r->at, &end);
        status = end == r->at ? fail(r, r->at, "this is no number") : 0;
        r->at = end;
        add_step(r, (struct pithi_formula_step){.what = 'c', .constant = constant});
    } else {
        status = read_word(r);
    }
    r->nesting--;
    return status;
}

static int read_product(struct reader *r)
{
    int status = read_factor(r);

    for (char c; !status && ((c = next(r)) == '*' || c == '/');) {
        r->at++;
        if (!(status = read_factor(r)))
            add_step(r, (struct pithi_formula_step){.what = c});
    }
    return status;
}

static int read_sum(struct reader *r)
{
    int status = read_product(r);

    for (char c; !status && ((c = next(r)) == '+' || c == '-');) {
        r->at++;
        if (!(status = read_product(r)))
            add_step(r, (struct pithi_formula_step){.what = c});
    }
    return status;
}

int pithi_formula_parse(const struct pithlog *log, const char *text, struct pithi_formula *formula,
                        char error[PITHI_FORMULA_ERROR])
{
    struct reader r = {.log = log, .formula = formula, .text = text, .at = text, .error = error};

    memset(formula, 0, sizeof *formula);
    if (read_sum(&r))
        return -1;
    return next(&r) ? fail(&r, r.at, "expected + - * / or the end of the formula") : 0;
}

void pithi_formula_free(struct pithi_formula *formula)
{
    for (uint32_t i = 0; i < formula->term_count; i++)
        free(formula->terms[i].chosen);
    free(formula->terms);
    free(formula->steps);
    memset(formula, 0, sizeof *formula);
}
