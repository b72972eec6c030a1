/* derived.c - reads the formula of derived rows, and computes their values. Times of states are counted by
 * core/measure/ranges.h, separately for each row and term.
 *
 * A formula becomes steps for a stack, in postfix order:
 *
 *     (1 - time(A)) * 100       1, time(A), -, 100, *           the stack has at most 2 values
 *
 * First each term is measured for all rows and columns; then the steps run once for each cell. For a line of several
 * rows the terms are added up, not the results: for two lanes with time(A) 0.4 and 1, time(A) of the line is 1.4. So a
 * ratio of terms (bytes per message) is right for several rows, too; a sum of ratios would mean nothing. */
#include "core/measure/derived.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/matrix.h"
#include "core/cells/memory.h"
#include "core/measure/messages.h"
#include "core/measure/ranges.h"

/* ---- The formula, by recursive descent --------------------------------------------------------------------------- */

struct reader {
    const struct pithlog *log;     /* for the names of states and counters */
    struct pithi_formula *formula; /* being made */
    const char *text, *at;         /* the whole formula; its next character */
    char *error;                   /* [PITHI_FORMULA_ERROR] the caller's */
    uint32_t depth;                /* values on the stack after the steps so far */
    int nesting;                   /* of parentheses and minus signs; limited, because the parser is recursive */
};

enum { NESTING_MOST = 100, NAME_MOST = 255 }; /* parentheses; bytes of a name */

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

/* Writes the error, and always returns -1, so that callers can return it. Characters count from 1, as in an editor. */
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

/* Adds a step and follows the depth of the stack: a constant or term adds a value, an operator replaces two values by
 * one, a negation changes one value. */
static void add_step(struct reader *r, struct pithi_formula_step step)
{
    struct pithi_formula *f = r->formula;

    f->steps = pithi_view_grow(f->steps, &f->step_capacity, f->step_count + 1, sizeof *f->steps);
    f->steps[f->step_count++] = step;
    r->depth += step.what == 'c' || step.what == 't';
    r->depth -= strchr("+-*/", step.what) != NULL;
    f->depth = r->depth > f->depth ? r->depth : f->depth;
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
    /* the step may be added before the name is read, because a wrong name makes the whole formula useless */
    add_step(r, (struct pithi_formula_step){.what = 't', .term = f->term_count - 1});
    r->at += size;
    if (term->kind != PITHI_TERM_TIME && term->kind != PITHI_TERM_VALUE)
        return 0;
    if (next(r) != '(')
        return fail(r, r->at, "expected a name in parentheses");
    term->chosen = pithi_alloc(pithlog_get_info(r->log)->defs + (size_t)1, 1);
    /* Finds the definitions that the name in parentheses means. Names may contain parentheses, such as "f(int)", so
     * parentheses are counted. */
    const struct pithlog_def *def;
    const char *first = r->at + 1, *end;
    char name[NAME_MOST + 1];
    int any = 0, depth = 1, is_time = term->kind == PITHI_TERM_TIME;
    for (end = first; *end && depth > 0; end++)
        depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    if (depth > 0)
        return fail(r, r->at, "the parenthesis is not closed");
    r->at = end--;
    while (first < end && isspace((unsigned char)*first))
        first++;
    while (first < end && isspace((unsigned char)end[-1]))
        end--;
    if (end - first > NAME_MOST)
        return fail(r, first, "the name is too long");
    snprintf(name, sizeof name, "%.*s", (int)(end - first), first);
    for (uint32_t id = 0; (def = pithlog_get_def(r->log, id)) != NULL; id++)
        if (def->kind == (is_time ? PITHLOG_STATE : PITHLOG_COUNTER_TYPE) &&
            /* the name itself, or a pattern: time(MPI_*) is the time in all MPI calls */
            (strcmp(def->name, name) == 0 || fnmatch(name, def->name, 0) == 0))
            any = term->chosen[id] = 1;
    return any ? 0 : fail(r, first, is_time ? "no state has this name" : "no counter has this name");
}

static int read_sum(struct reader *r);

static int read_factor(struct reader *r)
{
    char *end, c = next(r);
    int status;

    /* minus signs nest, too: ---1 */
    if (++r->nesting > NESTING_MOST)
        return fail(r, r->at, "too many parentheses");
    if (c == '-' || c == '(') {
        r->at++;
        status = c == '-' ? read_factor(r) : read_sum(r);
        /* the minus binds more closely than * and / */
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

/* Reads factors with * and / between them. Operators of the same precedence are taken from left to right: 8 / 4 / 2 is
 * 1. */
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

struct deriving {
    struct pithlog *log; /* not owned */
    const struct pithi_derived_query *query;
    struct pithi_derived *derived; /* the result; the caller's */
    double *sums;                  /* [term][line][column] */
    double *known;                 /* [term][line][column] number of rows that have a value() */
    uint32_t *line_of;             /* [lanes] PITHI_NONE: not shown */
    double part;                   /* fraction of the work that is done */
};

/* Returns the columns of a term and a line. The line with index derived->lines, behind the others, is the sum of all
 * rows. */
static double *sums_of(const struct deriving *d, double *from, uint32_t term, uint32_t line)
{
    return from + ((size_t)term * (d->derived->lines + 1) + line) * d->derived->width;
}

/* Adds `value` to a column of a line, and to the line of all rows. */
static void add(const struct deriving *d, double *to, uint32_t term, uint32_t line, uint32_t column, double value)
{
    sums_of(d, to, term, line)[column] += value;
    sums_of(d, to, term, d->derived->lines)[column] += value;
}

static double column_of(const struct deriving *d, int64_t time_ns)
{
    const struct pithi_derived_query *query = d->query;
    return (double)(time_ns - query->t0_ns) * query->width / (double)(query->t1_ns - query->t0_ns);
}

/* Adds `value` to each column between two times, and a fraction of `value` to a column that is only partly between
 * them. From 2.5 to 4 columns it adds half of `value` to column 2 and `value` to column 3. */
static void add_span(const struct deriving *d, uint32_t term, uint32_t line, int64_t from_ns, int64_t to_ns,
                     double value)
{
    const struct pithi_derived_query *query = d->query;
    from_ns = from_ns > query->t0_ns ? from_ns : query->t0_ns;
    to_ns = to_ns < query->t1_ns ? to_ns : query->t1_ns;
    double from = column_of(d, from_ns), to = column_of(d, to_ns);

    for (uint32_t c = (uint32_t)from; from < to && c < query->width; c++) {
        double next = c + 1 < to ? c + 1 : to;
        add(d, d->sums, term, line, c, value * (next - from));
        from = next;
    }
}

/* ---- States and counters ----------------------------------------------------------------------------------------- */

/* Adds for each column the mean number of the row's lanes that are in the chosen states. A lane that is in such a
 * state for only a part of the column counts as this fraction. */
static int add_states(struct deriving *d, const struct pithi_row *row, uint32_t term, uint32_t line,
                      const unsigned char *chosen)
{
    const struct pithi_derived_query *query = d->query;
    /* PITHI_OUTERMOST: a state inside itself counts once. */
    struct pithi_ranges_query asked = {
        .t0_ns = query->t0_ns, .t1_ns = query->t1_ns, .width = query->width, .depth = PITHI_OUTERMOST};
    uint32_t defs = pithlog_get_info(d->log)->defs;
    unsigned char *hidden = pithi_alloc(defs + (size_t)1, 1);
    const uint32_t *states;

    for (uint32_t id = 0; id < defs; id++)
        hidden[id] = !chosen[id];
    asked.hidden = hidden;
    /* states that were not chosen are hidden, so only chosen states are counted */
    asked.lanes = pithi_row_lanes(row, &asked.lane_count);
    struct pithi_ranges *ranges = pithi_ranges_new(d->log, &asked);
    int err = ranges ? pithi_ranges_load(ranges, NULL) : PITH_ERR_USAGE;
    uint32_t count = ranges ? pithi_ranges_states(ranges, &states) : 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < query->width; c++)
            add(d, d->sums, term, line, c, pithi_ranges_value(ranges, states[i], c));
    if (ranges)
        pithi_ranges_free(ranges);
    free(hidden);
    return err;
}

/* Adds for each column the mean number of the row's lanes that are outside all states. Time in holes does not count. */
static int add_computing(struct deriving *d, const struct pithi_row *row, uint32_t term, uint32_t line)
{
    struct pithlog_query query = {.from_ns = d->query->t0_ns, .to_ns = d->query->t1_ns};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, damages = 0;

    query.lanes = pithi_row_lanes(row, &query.lane_count);
    int err = pithlog_walk_open(d->log, &query, &walk);
    /* A lane may be damaged in very many places, so the walk ends after PITHI_MOST_DAMAGES of them. */
    while (!err && (status = pithlog_walk_next(walk, &step)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += status < 0;
        if (status > 0 && step.depth == 0 && step.is != PITHLOG_IS_HOLE)
            add_span(d, term, line, step.from_ns, step.to_ns, 1);
    }
    if (!err)
        pithlog_walk_close(walk);
    return err ? err : damages ? PITH_ERR_DAMAGED : PITH_OK;
}

static int add_counters(struct deriving *d, uint32_t term)
{
    const struct pithi_derived_query *query = d->query;
    const unsigned char *chosen = query->formula->terms[term].chosen;
    struct pithlog_column *columns = pithi_alloc(query->width, sizeof *columns);
    const struct pithlog_series *series;
    int err = PITH_OK;

    for (uint32_t i = 0; query->digest && (series = pithlog_digest_series(query->digest, i)); i++) {
        if (!chosen[series->counter] || d->line_of[series->lane] == PITHI_NONE)
            continue;
        int now = pithlog_digest_columns(query->digest, i, query->t0_ns, query->t1_ns, columns, query->width);
        err = err ? err : now;
        for (uint32_t c = 0; !now && c < query->width; c++)
            /* Takes the last value in the column. `known` counts rows with a value, so that a line of several rows
             * shows their mean. */
            if (columns[c].known) {
                add(d, d->sums, term, d->line_of[series->lane], c, columns[c].last);
                add(d, d->known, term, d->line_of[series->lane], c, 1);
            }
    }
    free(columns);
    return err;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static void take_message(void *context, const struct pithlog_message *message)
{
    const struct deriving *d = context;
    const struct pithi_derived_query *query = d->query;
    /* `rate` is the number of columns a second, so one message in a column means `rate` messages a second */
    double rate = query->width / ((double)(query->t1_ns - query->t0_ns) * 1e-9);
    uint32_t from = d->line_of[message->send_lane], to = d->line_of[message->recv_lane];
    int is_sent = from != PITHI_NONE && message->send_ns >= query->t0_ns && message->send_ns < query->t1_ns;
    int is_received = to != PITHI_NONE && message->recv_ns >= query->t0_ns && message->recv_ns < query->t1_ns;

    for (uint32_t i = 0; i < query->formula->term_count; i++) {
        enum pithi_term_kind kind = query->formula->terms[i].kind;
        double value = kind == PITHI_TERM_SENT || kind == PITHI_TERM_RECEIVED ? rate : rate * (double)message->bytes;
        if (is_sent && (kind == PITHI_TERM_SENT || kind == PITHI_TERM_SENT_BYTES))
            add(d, d->sums, i, from, (uint32_t)column_of(d, message->send_ns), value);
        if (is_received && (kind == PITHI_TERM_RECEIVED || kind == PITHI_TERM_RECEIVED_BYTES))
            add(d, d->sums, i, to, (uint32_t)column_of(d, message->recv_ns), value);
        /* Adds to the sender's row the mean number of bytes that are in transit during each column. */
        if (kind == PITHI_TERM_IN_FLIGHT && from != PITHI_NONE)
            add_span(d, i, from, message->send_ns, message->recv_ns, (double)message->bytes);
    }
}

static int go_on(void *context, double part)
{
    const struct deriving *d = context;
    return pithi_go_on(&d->query->watch, d->part + part / 2);
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

/* Runs the steps of the formula for a cell. Returns NAN if the cell has no value. */
static double evaluate(const struct deriving *d, uint32_t line, uint32_t column, double *stack)
{
    const struct pithi_formula *formula = d->query->formula;
    uint32_t top = 0;

    for (uint32_t i = 0; i < formula->step_count; i++) {
        const struct pithi_formula_step *step = &formula->steps[i];
        if (step->what == 'c') {
            stack[top++] = step->constant;
        } else if (step->what == 't') {
            double sum = sums_of(d, d->sums, step->term, line)[column];
            if (formula->terms[step->term].kind == PITHI_TERM_VALUE)
                sum /= sums_of(d, d->known, step->term, line)[column]; /* 0 / 0 is NAN: no row has a value */
            stack[top++] = sum;
        } else if (step->what == 'n') {
            stack[top - 1] = -stack[top - 1];
        } else {
            double right = stack[--top], *left = &stack[top - 1];
            *left = step->what == '+'   ? *left + right
                    : step->what == '-' ? *left - right
                    : step->what == '*' ? *left * right
                                        : *left / right;
        }
    }
    /* a division by 0 gives no value, so the cell stays empty */
    return isfinite(stack[0]) ? stack[0] : NAN;
}

int pithi_derived_run(struct pithlog *log, const struct pithi_derived_query *query, struct pithi_derived *derived)
{
    struct deriving d = {.log = log, .query = query, .derived = derived};
    const struct pithi_formula *formula = query->formula;
    struct pithi_watch watch = {go_on, &d};
    int err = PITH_OK, has_messages = 0, now, stopped = 0;

    memset(derived, 0, sizeof *derived);
    derived->width = query->width;
    /* Numbers the rows, and finds the line of each lane. */
    uint32_t lanes = pithlog_get_info(d.log)->lanes, count;

    derived->row_of = pithi_alloc(query->row_count + (size_t)1, sizeof *derived->row_of);
    /* rows of levels, functions and counters are not used */
    for (uint32_t row = 0; row < query->row_count; row++)
        if (pithi_row_is_whole(&query->rows[row]))
            derived->row_of[derived->rows++] = row;
    derived->lines = derived->rows < query->most_lines ? derived->rows : query->most_lines;
    d.line_of = pithi_alloc(lanes + (size_t)1, sizeof *d.line_of);
    memset(d.line_of, 0xff, lanes * sizeof *d.line_of);
    for (uint32_t i = 0; i < derived->rows; i++) {
        const uint32_t *of = pithi_row_lanes(&query->rows[derived->row_of[i]], &count);
        for (uint32_t k = 0; k < count; k++)
            /* if there are more rows than lines, several rows share a line, evenly */
            d.line_of[of[k]] = pithi_tile_at(i, derived->lines, derived->rows);
    }
    size_t cells = (derived->lines + (size_t)1) * derived->width;
    derived->values = pithi_alloc(cells, sizeof *derived->values);
    /* one block of memory for all terms; each term has the line of all rows, too */
    d.sums = pithi_alloc(cells * (formula->term_count + (size_t)1), sizeof *d.sums);
    d.known = pithi_alloc(cells * (formula->term_count + (size_t)1), sizeof *d.known);
    for (uint32_t i = 0; i < derived->rows && !stopped; i++) {
        const struct pithi_row *row = &query->rows[derived->row_of[i]];
        uint32_t line = pithi_tile_at(i, derived->lines, derived->rows);
        /* the rows take the first half of the progress shown, messages the second */
        stopped = !pithi_go_on(&query->watch, d.part = (double)i / derived->rows / 2);
        for (uint32_t t = 0; t < formula->term_count && !stopped; t++) {
            enum pithi_term_kind kind = formula->terms[t].kind;
            now = kind == PITHI_TERM_TIME        ? add_states(&d, row, t, line, formula->terms[t].chosen)
                  : kind == PITHI_TERM_COMPUTING ? add_computing(&d, row, t, line)
                                                 : PITH_OK;
            err = err ? err : now;
        }
    }
    d.part = 0.5;
    /* counters and messages are read for all rows at once */
    for (uint32_t t = 0; t < formula->term_count && !stopped; t++) {
        has_messages |= formula->terms[t].kind >= PITHI_TERM_SENT;
        now = formula->terms[t].kind == PITHI_TERM_VALUE ? add_counters(&d, t) : PITH_OK;
        err = err ? err : now;
    }
    if (has_messages && !stopped) {
        now = pithi_messages_each(log, query->digest, query->t0_ns, query->t1_ns, &watch, take_message, &d);
        err = err ? err : now;
    }
    double *stack = pithi_alloc(formula->depth + (size_t)1, sizeof *stack);
    int any = 0;
    for (uint32_t line = 0; line <= derived->lines; line++)
        for (uint32_t c = 0; c < derived->width; c++) {
            double value = evaluate(&d, line, c, stack);
            derived->values[(size_t)line * derived->width + c] = value;
            /* the line of all rows has larger values, and must not set the scale of colours */
            if (line == derived->lines || isnan(value))
                continue;
            derived->low = !any || value < derived->low ? value : derived->low;
            derived->high = !any || value > derived->high ? value : derived->high;
            any = 1;
        }
    free(stack);
    free(d.sums);
    free(d.known);
    free(d.line_of);
    return err;
}

void pithi_derived_free(struct pithi_derived *derived)
{
    free(derived->row_of);
    free(derived->values);
    memset(derived, 0, sizeof *derived);
}

void pithi_derived_draw(const struct pithi_derived *derived, uint32_t height, const struct pithi_painter *painter)
{
    /* The scale begins at 0, unless there are negative values. */
    double low = derived->low > 0 ? 0 : derived->low, span = derived->high - low;

    for (uint32_t line = 0; line < derived->lines; line++) {
        uint32_t y = pithi_tile_begin(line, derived->lines, height);
        uint32_t high = pithi_tile_begin(line + 1, derived->lines, height) - y;
        high -= high >= 6; /* a gap between lines that are high enough */
        for (uint32_t c = 0; c < derived->width; c++) {
            double value = pithi_derived_at(derived, line, c);
            if (!isnan(value) && value != 0)
                painter->rect(painter->context, c, y, 1, high, pithi_heat_colour(span > 0 ? (value - low) / span : 1),
                              1);
        }
    }
}
