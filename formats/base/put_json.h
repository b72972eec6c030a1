/* put_json.h - writes JSON objects and arrays, on one line, with the commas where they belong. */
#ifndef PITHI_PUT_JSON_H
#define PITHI_PUT_JSON_H

#include "base/out.h"

/* The caller sets is_first to 1 and opens `out` before the first call. */
struct pithi_json_out {
    struct pithi_out out;
    int is_first; /* no member of the object or array so far */
};

static inline void pithi_json_put_comma(struct pithi_json_out *j)
{
    if (!j->is_first)
        pithi_out_char(&j->out, ',');
    j->is_first = 0;
}

static inline void pithi_json_put_key(struct pithi_json_out *j, const char *name)
{
    pithi_json_put_comma(j);
    pithi_out_quoted(&j->out, PITHI_QUOTE_JSON, name);
    pithi_out_char(&j->out, ':');
}

static inline void pithi_json_put_text(struct pithi_json_out *j, const char *name, const char *text)
{
    pithi_json_put_key(j, name);
    pithi_out_quoted(&j->out, PITHI_QUOTE_JSON, text);
}

static inline void pithi_json_put_integer(struct pithi_json_out *j, const char *name, int64_t value)
{
    pithi_json_put_key(j, name);
    pithi_out_i64(&j->out, value);
}

static inline void pithi_json_put_number(struct pithi_json_out *j, const char *name, double value)
{
    pithi_json_put_key(j, name);
    pithi_out_double(&j->out, value);
}

static inline void pithi_json_put_null(struct pithi_json_out *j, const char *name)
{
    pithi_json_put_key(j, name);
    pithi_out_text(&j->out, "null");
}

static inline void pithi_json_put_flag(struct pithi_json_out *j, const char *name, int value)
{
    pithi_json_put_key(j, name);
    pithi_out_text(&j->out, value ? "true" : "false");
}

/* Writes a number as an item of an array. */
static inline void pithi_json_put_item(struct pithi_json_out *j, int64_t value)
{
    pithi_json_put_comma(j);
    pithi_out_i64(&j->out, value);
}

/* Begins an object or array; `bracket`: '{' or '['. `name`: the name of the member, or NULL for an item of an array. */
static inline void pithi_json_put_begin(struct pithi_json_out *j, const char *name, char bracket)
{
    if (name)
        pithi_json_put_key(j, name);
    else
        pithi_json_put_comma(j);
    pithi_out_char(&j->out, bracket);
    j->is_first = 1;
}

static inline void pithi_json_put_end(struct pithi_json_out *j, char bracket)
{
    pithi_out_char(&j->out, bracket);
    j->is_first = 0;
}

#endif
