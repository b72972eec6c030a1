/* merge_facts.c - reads names and properties of the logs to merge, and joins them. */
#include "tools/merge_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "native/log.h"
#include "tools/tools.h"

static const char *const start_key = "start_unix_s", *const error_key = "clock_error_ns";
enum { MOST_BYTES = 2000 }; /* limit of all values of a property */

/* Reads "1700000000.123456789" as ns; 0: not such a number. */
static int parse_clock(const char *text, int64_t *time_ns)
{
    char *end;
    long long seconds = strtoll(text, &end, 10);
    int64_t ns = 0, unit = 100000000;

    if (end == text || seconds < 0 || seconds > INT64_MAX / 1000000000 - 1)
        return 0;
    if (*end == '.')
        for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
            ns += (*end - '0') * unit;
    *time_ns = seconds * 1000000000 + ns;
    return *end == '\0';
}

int pithi_source_open(struct pithi_merge_source *source)
{
    int err = pithi_tool_open("merge", source->path, &source->log);
    const char *text = err ? NULL : pithi_property(source->log, start_key);

    source->knows_clock = text && parse_clock(text, &source->zero_unix_ns);
    return err;
}

void pithi_source_close(struct pithi_merge_source *source)
{
    pithlog_close(source->log);
    free(source->program);
    free(source->threads);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

/* "heat" from the program "/home/u/heat", else from the file name "run/heat.pith". */
static char *own_name(const struct pithi_merge_source *source)
{
    const char *name = pithi_property(source->log, "program"), *slash;
    int of_file = !name || !*name;

    if (of_file)
        name = source->path;
    slash = strrchr(name, '/');
    if (slash && slash[1])
        name = slash + 1;
    return of_file ? strndup(name, strcspn(name, ".")) : strdup(name);
}

static int name_taken(const struct pithi_merge_source *sources, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(sources[i].program, name) == 0)
            return 1;
    return 0;
}

/* The second run of "heat" is "heat:2". */
int pithi_sources_name(struct pithi_merge_source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char *own = own_name(&sources[i]), *name = own ? strdup(own) : NULL;
        for (unsigned n = 2; name && name_taken(sources, i, name); n++) {
            free(name);
            if (asprintf(&name, "%s:%u", own, n) < 0)
                name = NULL;
        }
        free(own);
        if (!(sources[i].program = name))
            return pithi_no_memory();
    }
    return PITH_OK;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

/* 1: `value` is in the list "a, b, c". */
static int value_among(const char *values, const char *value)
{
    size_t size = strlen(value);

    while (*values) {
        const char *end = strstr(values, ", ");
        size_t length = end ? (size_t)(end - values) : strlen(values);
        if (length == size && memcmp(values, value, size) == 0)
            return 1;
        values += length + (end ? 2 : 0);
    }
    return size == 0;
}

/* The values of a property in all logs, each once, malloc'ed. */
static char *all_values(const struct pithi_merge_source *sources, uint32_t count, const char *key, uint64_t *left_out)
{
    char *all = strdup("");

    for (uint32_t i = 0; all && i < count; i++) {
        const char *value = pithi_property(sources[i].log, key);
        char *more;
        if (!value || strcmp(all, value) == 0 || value_among(all, value))
            continue;
        if (strlen(all) > MOST_BYTES) {
            ++*left_out;
            continue;
        }
        if (asprintf(&more, "%s%s%s", all, *all ? ", " : "", value) < 0)
            more = NULL;
        free(all);
        all = more;
    }
    return all;
}

/* 1: an earlier log has the property, so its values are already joined. */
static int joined_before(const struct pithi_merge_source *sources, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < index; i++)
        if (pithi_property(sources[i].log, key))
            return 1;
    return 0;
}

static int put_values(const struct pithi_merge_source *sources, uint32_t count, const char *key,
                      struct pithi_defs *defs, uint64_t *left_out)
{
    char *values = all_values(sources, count, key, left_out);
    int err = values ? pithi_defs_property(defs, key, values) : pithi_no_memory();

    free(values);
    return err;
}

/* Time 0 is known if the clock aligns all logs, or if there is only one. */
static int put_start(const struct pithi_merge_source *sources, uint32_t count, struct pithi_defs *defs)
{
    const struct pithi_merge_source *first = &sources[0];

    for (uint32_t i = 1; i < count; i++)
        if (sources[i].zero_unix_ns < first->zero_unix_ns)
            first = &sources[i];
    return pithi_defs_property(defs, start_key, pithi_property(first->log, start_key));
}

/* 1: the logs are pieces of one log: they began at the same nanosecond, and none was moved. */
static int one_time_axis(const struct pithi_merge_source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sources[i].knows_clock || sources[i].zero_unix_ns != sources[0].zero_unix_ns || sources[i].shift_ns != 0)
            return count == 1;
    return 1;
}

/* Sets clock_error_ns of the merged log. For pieces of one log it is the largest error of all pieces. For several runs,
 * or logs whose times were moved, the error is unknown. */
static int put_error(const struct pithi_merge_source *sources, uint32_t count, struct pithi_defs *defs)
{
    int known = one_time_axis(sources, count), told = 0;
    long long worst = 0;
    char text[32] = "unknown", *end;

    for (uint32_t i = 0; i < count; i++) {
        const char *value = pithi_property(sources[i].log, error_key);
        long long error = value ? strtoll(value, &end, 10) : 0;
        known &= value && *value && *end == '\0';
        told |= value != NULL;
        worst = error > worst ? error : worst;
    }
    if (known)
        snprintf(text, sizeof text, "%lld", worst);
    return told ? pithi_defs_property(defs, error_key, text) : PITH_OK;
}

int pithi_sources_facts(const struct pithi_merge_source *sources, uint32_t count, int clock, struct pithi_defs *defs,
                        uint64_t *left_out)
{
    const char *key, *value;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; (key = pithlog_get_property(sources[i].log, k, &value)) != NULL; k++)
            if (strcmp(key, start_key) != 0 && strcmp(key, error_key) != 0 && !joined_before(sources, i, key))
                CHECK(put_values(sources, count, key, defs, left_out));
    if (clock)
        CHECK(put_start(sources, count, defs));
    return put_error(sources, count, defs);
}
