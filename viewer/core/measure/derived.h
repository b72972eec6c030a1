/* derived.h - derived rows: a value for each row and pixel column, computed by a formula, and drawn as a heat map.
 *
 *     formula   numbers, + - * / and parentheses over these terms:
 *     time(NAME)        number of the row's lanes that are in a state of that name (with * ? [ ] as in a shell)
 *     computing         number of its lanes that are outside all states, between their first and last record
 *     value(NAME)       the counter's value at the end of the column
 *     sent, received    messages a second that the row sends, or receives
 *     sent_bytes, received_bytes    bytes a second of these messages
 *     in_flight         bytes that the row has sent and that are not received yet, on average over the column
 *
 * Worked example: two lanes, a column of 10 ns. One lane is in A for 4 ns, the other all the time. time(A) is 0.4 for
 * the first lane, 1 for the second, and 1.4 for both together. (1 - time(A)) * 100 is 60, 0, and -40 for both.
 *
 * A message counts if the log has its send and its receive. For several rows together, a term is the sum over the rows;
 * only value() is their mean. So `computing` of all rows is the number of lanes that compute. */
#ifndef PITHI_DERIVED_H
#define PITHI_DERIVED_H

#include <pithlog.h>

#include "core/raster/painter.h"
#include "core/cells/query.h"

/* A formula, as steps that work on a stack of values. */
struct pithi_formula {
    struct pithi_formula_step {
        char what; /* + - * / n (negation) c (constant) t (term) */
        double constant;
        uint32_t term;
    } * steps;
    uint32_t step_count, step_capacity, depth; /* length of `steps`; its room; the most values on the stack */
    struct pithi_term {
        enum pithi_term_kind {
            PITHI_TERM_TIME,
            PITHI_TERM_COMPUTING,
            PITHI_TERM_VALUE,
            PITHI_TERM_SENT,
            PITHI_TERM_RECEIVED,
            PITHI_TERM_SENT_BYTES,
            PITHI_TERM_RECEIVED_BYTES,
            PITHI_TERM_IN_FLIGHT
        } kind;
        unsigned char *chosen; /* [defs] TIME, VALUE: the states or counters */
    } * terms;
    uint32_t term_count, term_capacity;
};

enum { PITHI_FORMULA_ERROR = 160 }; /* bytes */
/* Returns 0 if `text` is a formula. Else returns -1, and writes to `error` what is wrong at which character. Free the
 * formula in either case. */
int pithi_formula_parse(const struct pithlog *log, const char *text, struct pithi_formula *formula,
                        char error[PITHI_FORMULA_ERROR]);
void pithi_formula_free(struct pithi_formula *formula);

struct pithi_derived_query {
    int64_t t0_ns, t1_ns;         /* t0 < t1 */
    uint32_t width;               /* columns, 1 to PITHI_MAX_WIDTH */
    const struct pithi_row *rows; /* only rows of lanes and groups are used, not levels, functions and counters */
    uint32_t row_count;
    uint32_t most_lines;                 /* if there are more rows, several share a line, evenly */
    const struct pithi_formula *formula; /* parsed for this log */
    const struct pithlog_digest *digest; /* NULL: counters have no values, and messages are matched again */
    struct pithi_watch watch;
};

struct pithi_derived {
    uint32_t width, lines, rows; /* rows: number of rows that are used */
    uint32_t *row_of;            /* [rows] index of each into the query's rows */
    double *values;              /* [(lines + 1) * width] the last line: all rows together; NAN: no value */
    /* least and largest value of all lines but the last; 0 and 0: there is no value */
    double low, high;
};

/* Reads the records of the window. Returns 0 or an enum pith_err. After PITH_ERR_DAMAGED, the result has the readable
 * part. Free `derived` in any case. Any thread may call this. */
int pithi_derived_run(struct pithlog *log, const struct pithi_derived_query *query, struct pithi_derived *derived);
void pithi_derived_free(struct pithi_derived *derived);

/* Returns the value of a line at a column; NAN: no value. */
static inline double pithi_derived_at(const struct pithi_derived *derived, uint32_t line, uint32_t column)
{
    return derived->values[(size_t)line * derived->width + column];
}

/* Draws the lines one below the other, on `height` pixels. The scale of colours begins at 0, or at the least value if
 * that is negative. Cells with 0 and without a value stay empty. */
void pithi_derived_draw(const struct pithi_derived *derived, uint32_t height, const struct pithi_painter *painter);

#endif
