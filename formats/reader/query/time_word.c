/* time_word.c - reads times as users write them: numbers with units, h:mm:ss, dates and times of day, `init`,
 * `finalize`, `end`, instances of states, and times counted from any of these.
 *
 *     2:05.3        125,300,000,000 ns
 *     init+100ms    100 ms after the last rank has left MPI_Init
 *     solve[3]-1us  1 us before the third instance of the state `solve` begins (or ends, as the caller asks)
 *     1e-3          one number, although it contains a sign
 *
 * Names of states may contain signs, too. So a word is first tried as a whole. If it is no time, it is split at the
 * first sign with a time on its left and a number on its right. Words are checked without a log (pithlog_time_check),
 * so that a command can refuse a wrong option before it reads a large file. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/nearest.h"
#include "native/log.h"
#include "reader/read/iter.h"

#define NONE INT64_MIN
#define FARTHEST (INT64_MAX / 2) /* ns, 146 years: a time farther from the start counts as this time */

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

enum { DAMAGES_MOST = 10000 }; /* a search ends after skipping this many damaged places */

/* ---- Numbers --------------------------------------------------------------------------------------------------- */

static int64_t to_ns(long double ns)
{
    return ns > FARTHEST ? FARTHEST : ns < -FARTHEST ? -FARTHEST : (int64_t)(ns < 0 ? ns - 0.5L : ns + 0.5L);
}

/* Reads ":05" at *text: two digits below 60. */
static int read_sixty(const char **text, long double *value)
{
    const char *at = *text;

    if (at[0] != ':' || at[1] < '0' || at[1] > '5' || !isdigit((unsigned char)at[2]))
        return 0;
    *value = *value * 60 + (at[1] - '0') * 10 + (at[2] - '0');
    *text = at + 3;
    return 1;
}

/* Reads "2:05.3" or "1:02:33". The first number may have any size. Returns 1 if the word has this form. */
static int read_sixties(const char *word, int64_t *time_ns)
{
    const char *at = word + (*word == '-');
    char *end = (char *)at;
    long double value = isdigit((unsigned char)*at) ? (long double)strtoull(at, &end, 10) : 0, fraction = 0;

    at = end;
    if (!read_sixty(&at, &value))
        return 0;
    read_sixty(&at, &value);
    if (*at == '.') {
        long double part = 0.1L;
        for (at++; isdigit((unsigned char)*at); at++, part /= 10)
            fraction += (*at - '0') * part;
    }
    if (*at)
        return 0;
    value = value * 1e9L + fraction * 1e9L;
    *time_ns = to_ns(*word == '-' ? -value : value);
    return 1;
}

/* Reads a number with or without a unit, or h:mm:ss. Returns 1 after setting *time_ns; 0 if the word is no such number.
 * A blank may stand before the unit, as in texts that Pith prints. The value is a long double, which holds every
 * int64. */
static int read_number(const char *word, int64_t *time_ns)
{
    static const struct {
        const char *unit;
        long double ns;
    } units[] = {{"", 1e9L}, {"s", 1e9L}, {"ms", 1e6L}, {"us", 1e3L}, {"ns", 1}};
    char *end;
    long double value = strtold(word, &end);

    if (end == word || !(value - value == 0)) /* no number, infinite or NaN */
        return 0;
    if (*end == ':')
        return read_sixties(word, time_ns);
    end += *end == ' ' && end[1];
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *time_ns = to_ns(value * units[i].ns);
            return 1;
        }
    return 0;
}

int pithlog_time_parse(const char *word, int64_t *time_ns)
{
    return read_number(word, time_ns)
               ? PITH_OK
               : pithi_fail(PITH_ERR_USAGE, "'%s' is not a time such as 1.5, 3ms, 20us or 7ns", word);
}

/* ---- Dates and times of day ------------------------------------------------------------------------------------- */

/* Returns local time minus UTC at `unix_ns`. The offset at the log's start is used for the whole log, so that the time
 * axis has no jump when summer time begins or ends. */
static int64_t zone_ns(int64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / SECOND);
    struct tm local;

    return localtime_r(&seconds, &local) ? local.tm_gmtoff * SECOND : 0;
}

int pithlog_wall_clock(const struct pithlog *log, int64_t *unix_ns, int64_t *local_ns)
{
    const char *text = pithi_property(log, "start_unix_s");
    char *end = NULL;
    long long seconds = text ? strtoll(text, &end, 10) : 0;
    int64_t ns = 0, unit = SECOND / 10;

    if (!text || end == text || seconds < 0 || seconds > INT64_MAX / SECOND / 2)
        return 0;
    if (*end == '.')
        for (end++; isdigit((unsigned char)*end); end++, unit /= 10)
            ns += (*end - '0') * unit;
    if (*end)
        return 0;
    *unix_ns = seconds * SECOND + ns;
    *local_ns = *unix_ns + zone_ns(*unix_ns);
    return 1;
}

/* A date or time of day as users write it. */
struct date {
    int64_t day; /* days since 1970; NONE: the user gave only a time of day */
    int64_t ns;  /* ns since midnight */
    int is_utc;
};

static int read_digits(const char **text, int count, int *value)
{
    for (*value = 0; count; count--, ++*text) {
        if (!isdigit((unsigned char)**text))
            return 0;
        *value = *value * 10 + (**text - '0');
    }
    return 1;
}

/* Reads "2026-11-29". Returns 1 after setting *day to the days since 1970; else 0. */
static int read_day(const char **text, int64_t *day)
{
    static const int most[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y, m, d;

    if (!read_digits(text, 4, &y) || *(*text)++ != '-' || !read_digits(text, 2, &m) || *(*text)++ != '-' ||
        !read_digits(text, 2, &d) || m < 1 || m > 12 || d < 1 || d > most[m - 1] || y < 1970 || y > 2200)
        return 0;
    *day = timegm(&(struct tm){.tm_year = y - 1900, .tm_mon = m - 1, .tm_mday = d}) / 86400;
    return 1;
}

/* Reads a date or time of day: "2026-11-29", "2026-11-29T14:03:05.5", "2026-11-29 14:03:05Z" or "T14:03:05". Returns 1
 * if the word has such a form. */
static int read_date(const char *word, struct date *date)
{
    const char *at = word;
    size_t length = strlen(word);
    char time[32];

    *date = (struct date){.day = NONE};
    if (*at != 'T' && !read_day(&at, &date->day))
        return 0;
    if (*at == '\0')
        return 1;
    if ((*at != 'T' && *at != ' ') || length < 9)
        return 0;
    at++;
    date->is_utc = word[length - 1] == 'Z';
    length -= (size_t)(at - word) + (date->is_utc != 0);
    if (length < 8 || length >= sizeof time || at[2] != ':' || at[5] != ':')
        return 0;
    memcpy(time, at, length);
    time[length] = '\0';
    return isdigit((unsigned char)*time) && read_sixties(time, &date->ns) && date->ns < DAY;
}

/* Finds the time of a date in the log. A time of day without a date means its first occurrence in the log, or else the
 * nearest one to the log. */
static int find_date(struct pithlog *log, const char *word, const struct date *date, int64_t *time_ns)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    int64_t unix_ns, zero_ns;

    if (!pithlog_wall_clock(log, &unix_ns, &zero_ns))
        return pithi_fail(PITH_ERR_USAGE, "%s: %s: this log does not know when it was recorded", log->path, word);
    if (date->is_utc)
        zero_ns = unix_ns;
    if (date->day != NONE) {
        *time_ns = date->day * DAY + date->ns - zero_ns;
        return PITH_OK;
    }
    int64_t after = (date->ns - zero_ns % DAY - info->start_ns) % DAY;
    *time_ns = info->start_ns + after + (after < 0 ? DAY : 0);
    if (*time_ns > info->end_ns && info->start_ns - (*time_ns - DAY) < *time_ns - info->end_ns)
        *time_ns -= DAY;
    return PITH_OK;
}

/* ---- MPI_Init and MPI_Finalize --------------------------------------------------------------------------------- */

static int has_name(const struct pithlog_def *def, const char *const *names)
{
    for (; def && def->kind == PITHLOG_STATE && *names; names++)
        if (strcmp(def->name, *names) == 0)
            return 1;
    return 0;
}

int pithlog_is_init(const struct pithlog_def *def)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", NULL};
    return has_name(def, names);
}

int pithlog_is_finalize(const struct pithlog_def *def)
{
    static const char *const names[] = {"MPI_Finalize", "MPI_Session_finalize", NULL};
    return has_name(def, names);
}

/* Like pithlog_iter_next, but skips damaged records. Returns 1, or 0 at the end. */
static int next_intact(struct pithlog_iter *iter, struct pithlog_record *record)
{
    for (int i = 0; i < DAMAGES_MOST; i++) {
        int more = pithlog_iter_next(iter, record);
        if (more >= 0)
            return more;
    }
    return 0;
}

/* Returns the time of the lane's first record from `from_ns` on that is of kind `kind` and whose definition satisfies
 * is(); NONE if there is no such record. */
static int64_t find_call(struct pithlog *log, uint32_t lane, uint32_t kind, int64_t from_ns,
                         int (*is)(const struct pithlog_def *def), uint32_t flags)
{
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1, .kinds = 1u << kind, .flags = flags};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int64_t found = NONE;

    if (pithlog_iter_open(log, &query, &iter))
        return found;
    while (found == NONE && next_intact(iter, &record))
        if (is(pithlog_get_def(log, record.id)))
            found = pithi_iter_part(iter) == PITHI_PART_HOLE ? record.start_ns : record.time_ns;
    pithlog_iter_close(iter);
    return found;
}

static int64_t find_init(struct pithlog *log, uint32_t lane)
{
    return find_call(log, lane, PITHLOG_LEAVE, INT64_MIN, pithlog_is_init, 0);
}

/* Returns the begin of MPI_Finalize on a lane. Searches from the end of the lane, in longer and longer steps backwards,
 * because MPI_Finalize is near the end. */
static int64_t find_finalize(struct pithlog *log, uint32_t index)
{
    const struct pithlog_lane *lane = pithlog_get_lane(log, index);
    int64_t back = 1000000, found = NONE;

    for (; found == NONE; back = back > INT64_MAX / 16 ? INT64_MAX : back * 8) {
        int64_t from = lane->last_ns - lane->first_ns > back ? lane->last_ns - back : lane->first_ns;
        found = find_call(log, index, PITHLOG_ENTER, from, pithlog_is_finalize, PITHLOG_CLIP);
        if (from == lane->first_ns)
            break;
    }
    return found;
}

/* Returns the latest of the times at which the ranks make a call; NONE if no rank makes it. The analysis uses the same
 * time. A rank makes the call on one lane only, usually its first. So after finding the call on a lane, the search goes
 * on with the next rank. */
static int64_t find_over_ranks(struct pithlog *log, int (*is)(const struct pithlog_def *def),
                               int64_t (*find)(struct pithlog *log, uint32_t lane))
{
    const struct pithlog_lane *lane;
    const struct pithlog_def *def;
    int64_t best = NONE, found_rank = NONE;
    uint32_t id = 0;

    while ((def = pithlog_get_def(log, id)) && !is(def))
        id++;
    for (uint32_t i = 0; def && (lane = pithlog_get_lane(log, i)); i++) {
        int64_t time_ns = lane->rank == found_rank || lane->first_ns > lane->last_ns ? NONE : find(log, i);
        if (time_ns == NONE)
            continue;
        found_rank = lane->rank;
        if (best == NONE || time_ns > best)
            best = time_ns;
    }
    return best;
}

/* ---- Instances of states --------------------------------------------------------------------------------------- */

/* Splits "solve[3]": sets *length to the length of the name, and *number to 3. Returns 1; 0 if the word does not have
 * this form. */
static int split(const char *word, size_t *length, uint64_t *number)
{
    const char *bracket = strrchr(word, '[');
    char *end;

    if (!bracket || bracket == word || !isdigit((unsigned char)bracket[1]))
        return 0;
    *length = (size_t)(bracket - word);
    *number = strtoull(bracket + 1, &end, 10);
    return *number > 0 && strcmp(end, "]") == 0;
}

/* Finds the begin or end of instance `number`. An instance ends when its lane has left the state as often as the lane
 * has entered it since the instance began (the same state can be nested), as in native/stack.h. */
static int walk_to(struct pithlog *log, struct pithlog_iter *iter, const unsigned char *is_named, uint64_t number,
                   enum pithlog_edge edge, int64_t *time_ns, uint64_t *seen)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_record r, begin = {.time_ns = 0};
    uint64_t open = 0;

    for (*seen = 0; next_intact(iter, &r);) {
        if (r.id >= info->defs || !is_named[r.id])
            continue;
        if (open == 0) {
            if (r.kind != PITHLOG_ENTER || ++*seen < number)
                continue;
            begin = r;
            open = 1;
        } else if (r.lane == begin.lane && r.id == begin.id) {
            open = r.kind == PITHLOG_ENTER ? open + 1 : open - 1;
        }
        *time_ns = r.time_ns;
        if (open == 0 || edge == PITHLOG_EDGE_BEGIN)
            return 1;
    }
    *time_ns = info->end_ns; /* the instance is still open at the end of the log */
    return open > 0;
}

static int find_instance(struct pithlog *log, const char *word, size_t length, uint64_t number, enum pithlog_edge edge,
                         int64_t *time_ns)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
    unsigned char *is_named = calloc(pithlog_get_info(log)->defs + (size_t)1, 1);
    const struct pithlog_def *def;
    struct pithi_nearest nearest;
    struct pithlog_iter *iter;
    uint64_t seen = 0;
    int any = 0, found, err = PITH_OK;

    if (!is_named)
        return pithi_no_memory();
    for (uint32_t id = 0; (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_STATE && strlen(def->name) == length && memcmp(def->name, word, length) == 0)
            any = is_named[id] = 1;
    if (any) {
        TRY(pithlog_iter_open(log, &query, &iter));
        found = walk_to(log, iter, is_named, number, edge, time_ns, &seen);
        pithlog_iter_close(iter);
        if (found)
            goto out;
    }
    pithi_nearest_begin(&nearest, word, length);
    for (uint32_t id = 0; !any && (def = pithlog_get_def(log, id)); id++)
        if (def->kind == PITHLOG_STATE)
            pithi_nearest_try(&nearest, def->name);
    err = pithi_fail(PITH_ERR_USAGE, "%s: %s: the log has %llu instance%s of this state%s", log->path, word,
                     (unsigned long long)seen, seen == 1 ? "" : "s", pithi_nearest_ask(&nearest));
out:
    free(is_named);
    return err;
}

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* Returns 1 if the word is a time without a part such as "+100ms". */
static int is_place(const char *word)
{
    int64_t time_ns;
    size_t length;
    uint64_t number;
    struct date date;

    return strcmp(word, "init") == 0 || strcmp(word, "finalize") == 0 || strcmp(word, "end") == 0 ||
           read_number(word, &time_ns) || split(word, &length, &number) || read_date(word, &date);
}

/* Splits "init+100ms" into a place, copied to *place, and an offset. Returns 1; 0 if the word does not have this form;
 * -1 if there is no memory. Splits at the first sign with a time on its left and a number on its right, because names
 * of states and numbers such as 1e-3 may contain signs, too. */
static int split_offset(const char *word, char **place, int64_t *by_ns)
{
    char *copy = malloc(strlen(word) + 1);

    if (!copy)
        return -1;
    for (const char *sign = word; (sign = strpbrk(sign, "+-")) != NULL; sign++) {
        const char *offset = sign + 1 + strspn(sign + 1, " ");
        size_t length = (size_t)(sign - word);
        if ((!isdigit((unsigned char)*offset) && *offset != '.') || !read_number(offset, by_ns))
            continue;
        memcpy(copy, word, length);
        while (length && copy[length - 1] == ' ')
            length--;
        copy[length] = '\0';
        if (!is_place(copy))
            continue;
        if (*sign == '-')
            *by_ns = -*by_ns;
        *place = copy;
        return 1;
    }
    free(copy);
    return 0;
}

int pithlog_time_check(const char *word)
{
    char *place = NULL;
    int64_t by_ns;
    int is_good = is_place(word) ? 1 : split_offset(word, &place, &by_ns);

    free(place);
    if (is_good > 0)
        return PITH_OK;
    return is_good < 0
               ? pithi_no_memory()
               : pithi_fail(PITH_ERR_USAGE,
                            "'%s' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]", word);
}

static int find_place(struct pithlog *log, const char *word, enum pithlog_edge edge, int64_t *time_ns)
{
    size_t length;
    uint64_t number;
    struct date date;

    if (strcmp(word, "init") == 0) {
        if ((*time_ns = find_over_ranks(log, pithlog_is_init, find_init)) == NONE)
            return pithi_fail(PITH_ERR_USAGE, "%s: init: there is no MPI_Init in this log", log->path);
    } else if (strcmp(word, "finalize") == 0) {
        if ((*time_ns = find_over_ranks(log, pithlog_is_finalize, find_finalize)) == NONE)
            return pithi_fail(PITH_ERR_USAGE, "%s: finalize: there is no MPI_Finalize in this log", log->path);
    } else if (strcmp(word, "end") == 0) {
        *time_ns = pithlog_get_info(log)->end_ns;
    } else if (split(word, &length, &number)) {
        return find_instance(log, word, length, number, edge, time_ns);
    } else if (read_date(word, &date)) {
        return find_date(log, word, &date, time_ns);
    } else {
        read_number(word, time_ns);
    }
    return PITH_OK;
}

int pithlog_time_find(struct pithlog *log, const char *word, enum pithlog_edge edge, int64_t *time_ns)
{
    int64_t found = 0, by_ns = 0;
    char *place = NULL;
    int err = pithlog_time_check(word);

    if (!err && !is_place(word) && split_offset(word, &place, &by_ns) < 0)
        err = pithi_no_memory();
    if (!err)
        err = find_place(log, place ? place : word, edge, &found);
    free(place);
    if (!err)
        *time_ns = by_ns > 0 && found > INT64_MAX - by_ns   ? INT64_MAX
                   : by_ns < 0 && found < INT64_MIN - by_ns ? INT64_MIN
                                                            : found + by_ns;
    return err;
}
