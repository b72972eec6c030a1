/* alog_scan.c - splits ALOG lines into fields and makes the first pass over the file. It parses by hand because sscanf
 * would take most of the reading time.
 *
 *     -101 0 0 1 0 2006 0 10     type (send), process, task, data (receiver), cycle, time in us; comment: tag, bytes
 *     time of a line: its time + cycle * the roll-over point, which a line of type -11 gives
 *
 * The first pass finds what may be anywhere in the file: the roll-over point, on which all times depend; which numbers
 * are states, events with a name, or neither; and what payloads the events of a number have. */
#include "foreign/alog/alog_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/colour.h"
#include "base/error.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "native/event_numbers.h"

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* Reads the usual form of a number: up to 9 digits between two blanks, within the line. Returns 0 for any other
 * form. */
static inline int short_integer(const char **at, const char *end, int64_t *value)
{
    const char *p = *at, *first;
    uint32_t n = 0, digit;
    int minus;

    /* The code below does not compare each byte with `end`, because 9 digits, a sign and a blank on each side fit in 12
     * bytes. */
    if (end - p < 12)
        return 0;
    p += *p == ' ';
    minus = *p == '-';
    first = p += minus;
    while (p - first < 9 && (digit = (uint32_t)(unsigned char)*p - '0') < 10)
        n = n * 10 + digit, p++;
    if (p == first || *p != ' ')
        return 0;
    *value = minus ? -(int64_t)n : (int64_t)n;
    *at = p;
    return 1;
}

int pithi_alog_integer(const char **at, const char *end, int64_t *value)
{
    const char *p = skip_blanks(*at, end);
    int minus = p < end && *p == '-';
    uint64_t n = 0;
    int digits = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && is_digit(*p); p++, digits++)
        /* Digits after the 19th are counted but not used, so that `n` cannot overflow. A number of more than 18 digits
         * is refused below. */
        if (digits < 19)
            n = n * 10 + (uint64_t)(*p - '0');
    if (digits == 0 || digits > 18 || (p < end && !is_blank(*p)))
        return 0;
    *value = minus ? -(int64_t)n : (int64_t)n;
    *at = p;
    return 1;
}

/* Reads a time in microseconds, with or without decimals, and sets *time_ns. A plain time with up to 15 digits before
 * the point is read exactly to the nanosecond; other forms go through a double. Returns 0 if there is no valid time. */
static int time_at(const char **at, const char *end, int64_t *time_ns)
{
    const char *p = skip_blanks(*at, end), *begin = p;
    int64_t us = 0, ns = 0, unit = 100;
    int digits = 0;

    for (; p < end && is_digit(*p) && digits <= 15; p++, digits++)
        us = us * 10 + (*p - '0');
    if (digits && p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, unit /= 10)
            ns += (*p - '0') * unit;
    if (digits && digits <= 15 && (p == end || is_blank(*p))) {
        *at = p;
        *time_ns = us * 1000 + ns;
        return 1;
    }
    /* Any other form of a number ends at the next blank. */
    for (p = begin; p < end && !is_blank(*p);)
        p++;
    *at = p;
    /* strtod reads times with an exponent and all other forms that %lf of scanf accepts. */
    size_t size = (size_t)(p - begin);
    char text[64], *behind;
    if (size == 0 || size >= sizeof text)
        return 0;
    memcpy(text, begin, size);
    text[size] = 0;
    double odd_us = strtod(text, &behind);
    if (*behind || !(odd_us > -9e15 && odd_us < 9e15)) /* this test also rejects NaN */
        return 0;
    *time_ns = (int64_t)(odd_us * 1e3 + (odd_us < 0 ? -0.5 : 0.5));
    return 1;
}

enum pithi_alog_status pithi_alog_line_read(const char *text, size_t size, struct pithi_alog_line *line,
                                            const char **wrong)
{
    const char *at = skip_blanks(text, text + size), *end = text + size;
    int64_t *const numbers[] = {&line->type, &line->proc, &line->task, &line->data, &line->cycle};
    static const char *const names[] = {"event type", "process", "task", "data", "cycle"};

    if (at == end || *at == '#')
        return PITHI_ALOG_BLANK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!short_integer(&at, end, numbers[i]) && !pithi_alog_integer(&at, end, numbers[i])) {
            *wrong = names[i];
            return PITHI_ALOG_BAD;
        }
    if (!time_at(&at, end, &line->time_ns)) {
        *wrong = "time";
        return PITHI_ALOG_BAD;
    }
    /* The comment is the rest of the line, without the blanks around it. */
    at = skip_blanks(at, end);
    while (end > at && is_blank(end[-1]))
        end--;
    line->comment = at;
    line->comment_size = (size_t)(end - at);
    return PITHI_ALOG_GOOD;
}

/* ---- Tables by number ------------------------------------------------------------------------------------------ */

struct pithi_alog_event *pithi_alog_event(struct pithi_alog_scan *scan, int64_t type)
{
    int fresh;
    /* Adds 2^62 to the type, because a type may be negative and a key of the map may not. */
    struct pithi_alog_event *event = pithi_item_at(&scan->event_of, (uint64_t)type + (UINT64_C(1) << 62), &scan->events,
                                                   &scan->event_count, &scan->event_size, sizeof *event, &fresh);

    if (event && fresh)
        event->type = type;
    return event;
}

struct pithi_alog_process *pithi_alog_process(struct pithi_alog_scan *scan, int64_t number)
{
    int fresh;
    struct pithi_alog_process *process =
        pithi_item_at(&scan->process_of, (uint64_t)number, &scan->process, &scan->process_count, &scan->process_size,
                      sizeof *process, &fresh);

    if (process && fresh) {
        process->rank = (int32_t)number;
        /* The times of the lines of a process may decrease (disorder); this is the largest so far. */
        process->last_ns = INT64_MIN;
    }
    return process;
}

void pithi_alog_scan_free(struct pithi_alog_scan *scan)
{
    for (uint32_t i = 0; i < scan->process_count; i++)
        free(scan->process[i].name);
    free(scan->process);
    free(scan->events);
    pithi_map_free(&scan->event_of);
    pithi_map_free(&scan->process_of);
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

static int is_process(int64_t number) { return number >= 0 && number < PITHI_ALOG_PROCESSES_MAX; }

static int bad_line(const struct pithi_alog_scan *scan, const char *wrong)
{
    char text[96];

    snprintf(text, sizeof text, "the %s is missing or out of range; correct or remove the line", wrong);
    return pithi_lines_wrong(&scan->lines, text);
}

int pithi_alog_next(struct pithi_alog_scan *scan, struct pithi_alog_line *line)
{
    const char *text, *wrong = "";
    size_t size;

    while (pithi_lines_next(&scan->lines, &text, &size))
        switch (pithi_alog_line_read(text, size, line, &wrong)) {
        case PITHI_ALOG_GOOD:
            return 1;
        case PITHI_ALOG_BAD:
            bad_line(scan, wrong);
            return -1;
        case PITHI_ALOG_BLANK:
            break;
        }
    return 0;
}

int pithi_alog_time(const struct pithi_alog_scan *scan, const struct pithi_alog_line *line, int64_t *time_ns)
{
    int64_t cycles_ns;

    /* Accepts only times within a quarter of the range of int64_t, so that differences and sums of two times cannot
     * overflow. */
    return !__builtin_mul_overflow(line->cycle, scan->rollover_ns, &cycles_ns) &&
           !__builtin_add_overflow(line->time_ns, cycles_ns, time_ns) && *time_ns > -INT64_MAX / 4 &&
           *time_ns < INT64_MAX / 4;
}

/* ---- Header lines ---------------------------------------------------------------------------------------------- */

static int take_header(struct pithi_alog_scan *scan, const struct pithi_alog_line *line, struct pithi_defs *defs)
{
    struct pithi_alog_event *event;
    struct pithi_alog_process *process;
    char creator[128];
    int32_t rank;
    uint32_t thread;
    int used = 0;

    switch (line->type) {
    case PITHI_ALOG_CREATOR:
        scan->own = line->comment_size == 4 && memcmp(line->comment, "Pith", 4) == 0;
        pithi_name_cut(creator, sizeof creator, line->comment, line->comment_size);
        return creator[0] ? pithi_defs_property(defs, "creator", creator) : PITH_OK;
    case PITHI_ALOG_PROCESSES:
        scan->processes = is_process(line->data) ? line->data : 0;
        return PITH_OK;
    case PITHI_ALOG_EVENTS:
        scan->counted = 1;
        scan->told = line->data > 0 ? (uint64_t)line->data : 0;
        return PITH_OK;
    case PITHI_ALOG_END:
        scan->end_ns = line->time_ns;
        return PITH_OK;
    case PITHI_ALOG_SYNC:
        /* Sync lines are counted in `seen`, because some writers include them in the number of event lines in the
         * header. If a writer does not include them, `seen` becomes larger than `told`, which is harmless. */
        scan->seen++;
        return PITH_OK;
    case PITHI_ALOG_START:
        scan->start_ns = line->time_ns;
        scan->has_start = 1;
        return PITH_OK;
    case PITHI_ALOG_ROLLOVER:
        scan->rollover_ns = line->time_ns;
        return PITH_OK;
    case PITHI_ALOG_STATE: {
        /* If a number has several definitions, the first one is used, as in nupshot. Definitions with the same name
         * become one state, even if their numbers differ. */
        char colour[32], name[512];
        struct pithlog_def def = {.kind = PITHLOG_STATE, .name = name, .colour = colour};
        uint32_t id;

        event = pithi_alog_event(scan, line->task);
        if (!event || !pithi_alog_event(scan, line->data))
            return pithi_no_memory();
        event = pithi_alog_event(scan, line->task); /* the second call may have moved the array */
        /* Ignores the definition if its first number already begins a state, if both numbers are equal, or if its
         * second number already ends a state. */
        if (event->starts || line->task == line->data || pithi_alog_event(scan, line->data)->ends) {
            scan->ignored_states++;
            return PITH_OK;
        }
        /* Splits "COLOR:BITMAP NAME", "COLOR NAME" or "NAME". `colour` gets the colour, or "" if the comment has no
         * known colour. `name` gets the rest. */
        const char *text = line->comment, *end = text + line->comment_size, *word = text;
        uint32_t rgb;
        while (word < end && *word != ' ' && *word != '\t')
            word++;
        const char *colon = memchr(text, ':', (size_t)(word - text));
        pithi_name_cut(colour, 32, text, (size_t)((colon ? colon : word) - text));
        /* In "red:boxes Send" the bitmap is "boxes". It is for printers without colours, so it is dropped. A single
         * word is a name, even if it is the name of a colour. */
        if (!colon && word == end)
            word = text; /* there is only a name */
        pithi_name_cut(name, 512, word, (size_t)(end - word));
        if (word == text || !pithi_colour_parse(colour, &rgb))
            colour[0] = 0;
        if (!name[0])
            snprintf(name, sizeof name, "state %" PRId64, line->task);
        def.group = pithi_name_group(name);
        CHECK(pithi_defs_add(defs, &def, &id));
        CHECK(pithi_event_numbers_tell(defs, &scan->numbers_told, id, line->task, &line->data));
        event->starts = id + 1;
        pithi_alog_event(scan, line->data)->ends = id + 1;
        return PITH_OK;
    }
    case PITHI_ALOG_EVENT_NAME:
    case PITHI_ALOG_EVENT_FORMAT:
        event = pithi_alog_event(scan, line->data);
        if (!event)
            return pithi_no_memory();
        if (line->type == PITHI_ALOG_EVENT_NAME) {
            event->name = line->comment;
            event->name_size = line->comment_size;
        } else {
            event->format = line->comment;
            event->format_size = line->comment_size;
        }
        return PITH_OK;
    case PITHI_ALOG_PROCESS_NAME:
        if (!is_process(line->proc))
            return PITH_OK;
        process = pithi_alog_process(scan, line->proc);
        if (!process)
            return pithi_no_memory();
        free(process->name);
        process->name = malloc(line->comment_size + 1);
        if (!process->name)
            return pithi_no_memory();
        pithi_name_cut(process->name, line->comment_size + 1, line->comment, line->comment_size);
        /* "rank R thread T" or "rank R thread T: NAME", as alog_write.c names the line of a thread, give that rank and
         * thread. %n is set only if all before it matches. */
        if (sscanf(process->name, "rank %" SCNd32 " thread %" SCNu32 "%n", &rank, &thread, &used) == 2 &&
            is_process(rank) && thread < PITHI_ALOG_PROCESSES_MAX &&
            (!process->name[used] || strncmp(process->name + used, ": ", 2) == 0)) {
            process->rank = rank;
            process->thread = thread;
            used += process->name[used] ? 2 : 0;
            memmove(process->name, process->name + used, strlen(process->name + used) + 1);
        }
        return PITH_OK;
    default:
        /* Ignores all other header lines. Some of them contain counts, but counting the event lines is more reliable.
         * The others contain nothing that the log needs. */
        return PITH_OK;
    }
}

/* ---- Event lines ----------------------------------------------------------------------------------------------- */

static int take_event(struct pithi_alog_scan *scan, const struct pithi_alog_line *line, const char **wrong)
{
    struct pithi_alog_process *process;
    struct pithi_alog_event *event;
    int64_t time_ns;

    *wrong = NULL;
    scan->seen++;
    /* A line with an impossible process number is reported to the caller and left out. Reading goes on with the next
     * line. */
    if (!is_process(line->proc)) {
        *wrong = "process";
        return PITH_OK;
    }
    process = pithi_alog_process(scan, line->proc);
    if (!process)
        return pithi_no_memory();
    process->seen = 1;
    if (!pithi_alog_time(scan, line, &time_ns)) {
        *wrong = "time";
        return PITH_OK;
    }
    /* If a line is earlier than an earlier line of the same process, the second pass must sort the records. */
    scan->disorder |= time_ns < process->last_ns;
    process->last_ns = time_ns > process->last_ns ? time_ns : process->last_ns;
    scan->first_ns = time_ns < scan->first_ns ? time_ns : scan->first_ns;
    scan->last_ns = time_ns > scan->last_ns ? time_ns : scan->last_ns;
    /* Sends and receives have the fixed types -101 and -102, so they need no definition. */
    if (line->type == PITHI_ALOG_SEND || line->type == PITHI_ALOG_RECV)
        return PITH_OK;
    event = pithi_alog_event(scan, line->type);
    if (!event)
        return pithi_no_memory();
    event->used = 1;
    event->has_data |= line->data != 0;
    event->has_comment |= line->comment_size != 0;
    return PITH_OK;
}

/* Returns 1 if the line must be left out because the file was cut inside it. Such a line is the last line and has no
 * newline. Also, it is invalid, or its time is before the last time of its process, because the cut removed digits of
 * the time. */
static int is_cut(const struct pithi_alog_scan *scan, size_t begin, enum pithi_alog_status status,
                  const struct pithi_alog_line *line)
{
    int64_t time_ns;
    uint64_t *index;

    /* A line with a newline is not cut, and the first line is never left out. */
    if (scan->lines.at <= scan->lines.size || begin == 0)
        return 0;
    if (status == PITHI_ALOG_BAD)
        return 1;
    if (status == PITHI_ALOG_BLANK || !pithi_alog_is_event(line->type))
        return 0;
    index = pithi_map_find(&scan->process_of, (uint64_t)line->proc);
    return index && pithi_alog_time(scan, line, &time_ns) && time_ns < scan->process[*index - 1].last_ns;
}

/* ---- The pass -------------------------------------------------------------------------------------------------- */

/* Finds the next text "-11", with which a line about the roll-over point begins. Returns NULL if there is none. */
static const char *find_piecewise(struct pithi_alog_scan *scan, const char *at, const char *end)
{
    const char *found = NULL;

    /* Searches in pieces, so that progress is shown. A piece includes two bytes of the next piece, as "-11" may be
     * across the border. */
    for (size_t size; !found && at < end; at += size) {
        size = (size_t)(end - at) < PITHI_PASSED_STEP ? (size_t)(end - at) : PITHI_PASSED_STEP;
        found = memmem(at, (size_t)(end - at) < size + 2 ? size : size + 2, "-11", 3);
        pithi_passed(scan->input, &scan->lines.passed, (size_t)(at - (const char *)scan->input->data));
    }
    return found;
}

int pithi_alog_scan(struct pithi_alog_scan *scan, const struct pithi_input *input, struct pithi_defs *defs)
{
    *scan = (struct pithi_alog_scan){.input = input,
                                     .lines = {.input = input, .size = input->size},
                                     .first_ns = INT64_MAX,
                                     .last_ns = INT64_MIN,
                                     .end_ns = INT64_MIN};
    scan->cut = pithi_ends_in_line(input);
    /* Finds the roll-over point first, because all times depend on it, and its line may be anywhere in the file. */
    const char *begin = (const char *)scan->input->data, *end = begin + input->size, *at = begin;
    struct pithi_alog_line line;
    const char *wrong;
    for (; (at = find_piecewise(scan, at, end)); at += 3) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *first = at;
        /* "-11" counts only as the first word of a line. */
        while (first > begin && (first[-1] == ' ' || first[-1] == '\t'))
            first--;
        if ((first == begin || first[-1] == '\n') &&
            pithi_alog_line_read(at, (size_t)((newline ? newline : end) - at), &line, &wrong) == PITHI_ALOG_GOOD &&
            line.type == PITHI_ALOG_ROLLOVER)
            scan->rollover_ns = line.time_ns;
    }

    const char *text;
    size_t size;
    int err = PITH_OK;

    while (!err && pithi_lines_next(&scan->lines, &text, &size)) {
        size_t line_begin = (size_t)(text - begin);
        enum pithi_alog_status status = pithi_alog_line_read(text, size, &line, &wrong);
        /* Removes the cut line from scan->lines, so that the second pass does not read it either. */
        if (is_cut(scan, line_begin, status, &line)) {
            scan->lines.size = line_begin;
            break;
        }
        if (status == PITHI_ALOG_BLANK)
            continue;
        if (status == PITHI_ALOG_GOOD) {
            wrong = NULL;
            err = pithi_alog_is_event(line.type) ? take_event(scan, &line, &wrong) : take_header(scan, &line, defs);
        }
        if (wrong && !err)
            err = bad_line(scan, wrong);
    }
    pithi_lines_rewind(&scan->lines);
    CHECK(err);

    /* Defines the solo events, that is, the event numbers that neither begin nor end a state. This is done after all
     * lines have been read. Two numbers with the same name remain two definitions. */
    for (uint32_t i = 0; i < scan->event_count; i++) {
        struct pithi_alog_event *event = &scan->events[i];
        char name[512], format[64];
        struct pithlog_def def = {.kind = PITHLOG_EVENT_TYPE, .name = name, .format = format};
        uint32_t before = pithi_defs_count(defs), id;
        if (event->starts || event->ends || !(event->used || event->name))
            continue;
        pithi_name_cut(name, 400, event->name ? event->name : "", event->name ? event->name_size : 0);
        if (!name[0])
            snprintf(name, sizeof name, "event %" PRId64, event->type);
        def.group = pithi_name_group(name);
        /* Chooses the format by the rule in alog_scan.h. Example: "5 0 0 7 0 90 step" without a -10 line for 5 gives
         * data=7 comment="step". */
        pithi_name_cut(format, 64, event->format ? event->format : "", event->format ? event->format_size : 0);
        char token = pithi_token_single(format);
        if (token == 'd' || token == 's') {
            event->payload = token == 'd' ? PITHI_ALOG_DATA : PITHI_ALOG_TEXT;
        } else {
            event->payload = event->has_comment ? PITHI_ALOG_BOTH
                             : event->has_data  ? PITHI_ALOG_DATA
                                                : PITHI_ALOG_NOTHING;
            strcpy(format, event->has_comment ? PITHI_ALOG_TEXT_FORMAT : event->has_data ? PITHI_ALOG_DATA_FORMAT : "");
        }
        CHECK(pithi_defs_add(defs, &def, &id));
        /* If another event number already has the same definition, appends the number of `event` to the name, so that
         * `event` gets a definition of its own. */
        if (id < before) {
            snprintf(name + strlen(name), 32, " (%" PRId64 ")", event->type);
            CHECK(pithi_defs_add(defs, &def, &id));
        }
        event->solo = id + 1;
        CHECK(pithi_event_numbers_tell(defs, &scan->numbers_told, id, event->type, NULL));
    }

    /* If there is no -6 line, or its time is after the first event, the log starts at the first event. */
    if (scan->first_ns != INT64_MAX && (!scan->has_start || scan->first_ns < scan->start_ns))
        scan->start_ns = scan->first_ns;
    /* A file that Pith wrote begins at 0, even if its first record is later. */
    if (scan->own && scan->start_ns > 0)
        scan->start_ns = 0;
    return PITH_OK;
}
