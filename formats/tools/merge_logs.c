/* merge_logs.c - `pith merge -o OUT LOG LOG...`: makes one log of several logs. This file decides which ranks each log
 * gets in OUT and by how much its times are shifted.
 *
 * If no rank occurs in two logs, the logs are of the processes of one run: they keep their ranks and share
 * communicators and definitions. Otherwise they are of several programs, which all begin with rank 0: they get
 * consecutive ranks, lanes named after the program, and communicators of their own. --ranks can force either way.
 *
 *     heat.pith: ranks 0-3    render.pith: ranks 0-1    OUT: ranks 0-3 "heat", 4-5 "render"
 *
 * If the logs state the time of day at which they begin, their times are shifted to one time axis. Records are copied
 * log by log, not in the order of time, because readers sort records by time. A property that differs between logs gets
 * the values of all logs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/names.h"
#include "native/log.h"
#include "native/segment.h"
#include "reader/read/copy.h"
#include "reader/read/match.h"
#include "tools/outfile.h"
#include "tools/tools.h"

/* ---- The logs to merge ------------------------------------------------------------------------------------------- */

struct source {
    const char *path;
    uint32_t place;       /* position among the arguments */
    int64_t shift_ns;     /* added to the log's times: the value of --shift; later also the shift of the alignment */
    struct pithlog *log;  /* opened by merge_logs, closed by pithi_tool_merge */
    int knows_clock;      /* 1: the log states when its time 0 was */
    int64_t zero_unix_ns; /* wall-clock time of the log's time 0, ns since 1970; only if knows_clock */
    int32_t rank_offset;  /* added to the log's ranks */
    char *program;        /* prefix of the names of the log's lanes if several programs are merged; else NULL */
    uint32_t *threads;    /* [lane]: its thread number in OUT, if logs with the same ranks are joined; else NULL */
};

/* keys of the properties that are not copied from the logs, but computed for OUT */
static const char *const start_key = "start_unix_s", *const error_key = "clock_error_ns";
enum { MOST_BYTES = 2000 }; /* once the joined values of a property are longer, no further value is added */

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static int name_taken(const struct source *sources, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(sources[i].program, name) == 0)
            return 1;
    return 0;
}

/* ---- Properties -------------------------------------------------------------------------------------------------- */

/* Returns 1 if `value` is in the list `values`, "a, b, c". An empty value counts as being in each list, so that it is
 * not added. */
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

/* Returns the values that a property has in the logs, each once, separated by ", "; malloc'ed. *left_out counts values
 * for which there is no room. */
static char *all_values(const struct source *sources, uint32_t count, const char *key, uint64_t *left_out)
{
    char *all = strdup("");

    for (uint32_t i = 0; all && i < count; i++) {
        const char *value = pithi_property(sources[i].log, key);
        char *more;
        if (!value || strcmp(all, value) == 0 || value_among(all, value))
            continue;
        if (strlen(all) > MOST_BYTES) { /* a longer list helps nobody, and may not fit into a property */
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

/* Returns 1 if a log before `index` has the property. Then all values of this property have been joined already. */
static int joined_before(const struct source *sources, uint32_t index, const char *key)
{
    for (uint32_t i = 0; i < index; i++)
        if (pithi_property(sources[i].log, key))
            return 1;
    return 0;
}

/* Returns 1 if the logs are pieces of one log: their times 0 are the same nanosecond, and the times of none are
 * shifted. */
static int one_time_axis(const struct source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sources[i].knows_clock || sources[i].zero_unix_ns != sources[0].zero_unix_ns || sources[i].shift_ns != 0)
            return count == 1;
    return 1;
}

/* ---- The merge --------------------------------------------------------------------------------------------------- */

enum ranks { RANKS_UNSAID, RANKS_KEEP, RANKS_FOLLOW };
enum align { ALIGN_UNSAID, ALIGN_CLOCK, ALIGN_START, ALIGN_NONE };

struct merge {
    const char *out, *format; /* as the user gave them */
    int ranks, align;         /* enum ranks, enum align */
    int64_t shift_ns;         /* the value of the last --shift, for the log that follows it */
    struct source *sources;
    uint32_t count, room;
    uint64_t differing, values_left_out, hosts_left_out; /* counts of facts for which OUT has no room */
};

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int read_shift(const char *command, const char *option, const char *value, void *shift_ns)
{
    if (pithlog_time_parse(value, shift_ns))
        return pithi_tool_usage(command, "--%s needs seconds, or a time such as -3ms, not '%s'", option, value);
    return 0;
}

/* Adds a log of the command line. The --shift before it applies to this log only. */
static int add_source(const char *command, const char *option, const char *path, void *merge)
{
    struct merge *m = merge;

    (void)command, (void)option;
    if (!pithi_grow(&m->sources, m->count, &m->room, sizeof *m->sources)) {
        pithi_no_memory();
        return pithi_tool_failed();
    }
    m->sources[m->count] = (struct source){.path = path, .place = m->count, .shift_ns = m->shift_ns};
    m->count++;
    m->shift_ns = 0;
    return 0;
}

static int read_options(int argc, char **argv, struct merge *m)
{
    const struct pithi_option options[] = {
        {"output", 'o', PITHI_TEXT, &m->out, NULL, NULL},
        {"format", 0, PITHI_TEXT, &m->format, NULL, NULL},
        {"ranks", 0, PITHI_WORD, &m->ranks, "keep follow", NULL},
        {"align", 0, PITHI_WORD, &m->align, "clock start none", NULL},
        {"shift", 0, PITHI_READ, &m->shift_ns, NULL, read_shift},
        {"", 0, PITHI_READ, m, NULL, add_source},
        {.name = NULL},
    };
    int status = pithi_tool_options(argc, argv, options);

    if (status)
        return status;
    if (!m->out)
        return pithi_tool_usage(argv[0], "-o OUT is missing");
    if (m->count == 0)
        return pithi_tool_usage(argv[0], "LOG is missing");
    if (m->shift_ns)
        return pithi_tool_usage(argv[0], "--shift has no log after it");
    /* If a log is given twice, OUT would have each record twice. This is an error unless --ranks is given. */
    struct stat a, b;
    /* There are few logs, so each pair is compared. */
    for (uint32_t i = 0; i < m->count && m->ranks == RANKS_UNSAID; i++)
        for (uint32_t k = 0; k < i && stat(m->sources[i].path, &a) == 0; k++)
            if (stat(m->sources[k].path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
                return pithi_tool_usage(argv[0],
                                        "%s is given twice; give each log once, or --ranks follow for its ranks twice",
                                        m->sources[i].path);
    return 0;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    int64_t left = pithi_time_moved(pithlog_get_info(x->log)->start_ns, x->shift_ns);
    int64_t right = pithi_time_moved(pithlog_get_info(y->log)->start_ns, y->shift_ns);

    return left != right ? (left < right ? -1 : 1) : (x->place > y->place) - (x->place < y->place);
}

/* The lanes of OUT while logs are added. `lanes` maps (rank, thread) to an index into `ends`; ends[i] is the time of
 * the last record that the lane has so far. `threads` maps a rank to its next free thread number. */
struct lanes_taken {
    struct pithi_map lanes, threads;
    int64_t *ends;
    uint32_t count, room;
};

static int take_lane(struct lanes_taken *t, struct source *s, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(s->log, number);
    uint64_t key = (uint64_t)(uint32_t)lane->rank << 32 | lane->thread;
    uint32_t at, thread = lane->thread, next = 0;

    pithi_map_get(&t->threads, (uint32_t)lane->rank, &next);
    if (pithi_map_get(&t->lanes, key, &at) && lane->records &&
        pithi_time_moved(lane->first_ns, s->shift_ns) < t->ends[at]) {
        thread = next; /* the records overlap in time, so they become another thread */
        key = (uint64_t)(uint32_t)lane->rank << 32 | thread;
    }
    if (!pithi_map_get(&t->lanes, key, &at)) {
        at = t->count;
        if (!pithi_grow(&t->ends, t->count, &t->room, sizeof *t->ends) || !pithi_map_put(&t->lanes, key, at))
            return 0;
        t->ends[t->count++] = INT64_MIN;
    }
    if (lane->records)
        t->ends[at] = pithi_time_moved(lane->last_ns, s->shift_ns);
    s->threads[number] = thread;
    return pithi_map_put(&t->threads, (uint32_t)lane->rank, thread >= next ? thread + 1 : next);
}

/* Decides the thread number of each lane in OUT. If a lane occurs in two logs, and its records in one log begin after
 * its last record in the other, both become one lane. Otherwise its records in the later log become a new thread of the
 * rank. */
static int join_lanes(struct merge *m)
{
    struct lanes_taken taken = {.count = 0};
    int err = PITH_OK;

    qsort(m->sources, m->count, sizeof *m->sources, by_start);
    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++) {
        struct source *s = &m->sources[i];
        uint32_t lanes = pithlog_get_info(s->log)->lanes;
        if (!(s->threads = malloc((lanes + (size_t)1) * sizeof *s->threads)))
            err = pithi_no_memory();
        for (uint32_t k = 0; err == PITH_OK && k < lanes; k++)
            if (!take_lane(&taken, s, k))
                err = pithi_no_memory();
    }
    pithi_map_free(&taken.lanes);
    pithi_map_free(&taken.threads);
    free(taken.ends);
    return err;
}

/* OUT has one host for a rank. If the logs have different hosts for it, it is the host in the last of them; this
 * function counts such ranks. */
static int count_hosts(struct merge *m)
{
    struct pithi_map seen = {0};
    const char **hosts = NULL;
    uint32_t count = 0, room = 0, at;
    int ok = 1;

    for (uint32_t i = 0; ok && i < m->count; i++)
        for (uint32_t k = 0; ok && k < pithi_log_ranks(m->sources[i].log); k++) {
            const struct pithi_log_rank *rank = pithi_log_rank(m->sources[i].log, k);
            const char *host = pithi_log_host(m->sources[i].log, rank);
            if (pithi_map_get(&seen, (uint32_t)rank->rank, &at)) {
                m->hosts_left_out += strcmp(hosts[at], host) != 0;
                hosts[at] = host;
            } else if ((ok = pithi_grow(&hosts, count, &room, sizeof *hosts) &&
                             pithi_map_put(&seen, (uint32_t)rank->rank, count))) {
                hosts[count++] = host;
            }
        }
    pithi_map_free(&seen);
    free(hosts);
    return ok ? PITH_OK : pithi_no_memory();
}

static int number_ranks(struct merge *m)
{
    struct pithi_map seen = {0};
    uint32_t before;
    int64_t next = 0;
    int collide = 0; /* 1: a rank occurs in two logs */
    int err = PITH_OK;

    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++)
        for (uint32_t k = 0; err == PITH_OK && k < pithi_log_ranks(m->sources[i].log); k++) {
            uint32_t rank = (uint32_t)pithi_log_rank(m->sources[i].log, k)->rank;
            /* `before`, the index of an earlier log with this rank, is not used; only whether there is one matters. */
            collide |= pithi_map_get(&seen, rank, &before);
            if (!pithi_map_put(&seen, rank, i))
                err = pithi_no_memory();
        }
    pithi_map_free(&seen);
    CHECK(err);
    if (m->ranks == RANKS_UNSAID)
        m->ranks = collide ? RANKS_FOLLOW : RANKS_KEEP;
    /* Gives the logs consecutive ranks: to the ranks of a log, adds the number of ranks of all logs before it. */
    for (uint32_t i = 0; m->ranks == RANKS_FOLLOW && i < m->count; i++) {
        struct source *s = &m->sources[i];
        uint32_t ranks = pithi_log_ranks(s->log);
        s->rank_offset = (int32_t)next;
        next += ranks ? pithi_log_rank(s->log, ranks - 1)->rank + INT64_C(1) : 0;
        if (next > INT32_MAX)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its ranks would exceed the largest rank number", s->path);
    }
    if (m->ranks == RANKS_FOLLOW) {
        /* Gives each log the name of its program, made unique: the second run of "heat" is "heat:2". */
        for (uint32_t i = 0; i < m->count; i++) {
            /* The name is "heat" from the property `program`, "/home/u/heat", or else from the file "run/heat.pith". */
            const char *full = pithi_property(m->sources[i].log, "program"), *slash;
            int of_file = !full || !*full;
            if (of_file)
                full = m->sources[i].path;
            slash = strrchr(full, '/');
            if (slash && slash[1])
                full = slash + 1;
            /* A suffix is cut from the name of a file only, as the name of a program may contain dots. */
            char *own = of_file ? strndup(full, strcspn(full, ".")) : strdup(full), *name = own ? strdup(own) : NULL;
            for (unsigned n = 2; name && name_taken(m->sources, i, name); n++) {
                free(name);
                if (asprintf(&name, "%s:%u", own, n) < 0)
                    name = NULL;
            }
            free(own);
            if (!(m->sources[i].program = name))
                return pithi_no_memory();
        }
        return PITH_OK;
    }
    if (collide && (err = join_lanes(m)) == PITH_OK)
        err = count_hosts(m);
    return err;
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_sub_overflow(a, b, &result) ? (a < b ? INT64_MIN : INT64_MAX) : result;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static int fill(void *context, struct pithi_writer *writer)
{
    struct merge *m = context;
    int err = PITH_OK;

    /* A property that differs between logs gets all their values, separated by ", ". If the logs are aligned by the
     * clock, start_unix_s is the start of the first log. clock_error_ns is `unknown` unless the logs are pieces of one
     * log. */
    struct pithi_defs *defs = pithi_writer_defs(writer);
    const char *key, *value;
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = 0; (key = pithlog_get_property(m->sources[i].log, k, &value)) != NULL; k++) {
            /* start_unix_s and clock_error_ns are not joined, because their values depend on the alignment; they are
             * set below. PITHI_PART_NS_KEY is not joined either, because its value is times of a single log before they
             * are shifted. */
            if (strcmp(key, start_key) == 0 || strcmp(key, error_key) == 0 || joined_before(m->sources, i, key) ||
                strcmp(key, PITHI_PART_NS_KEY) == 0)
                continue;
            char *values = all_values(m->sources, m->count, key, &m->values_left_out);
            err = values ? pithi_defs_property(defs, key, values) : pithi_no_memory();
            free(values);
            CHECK(err);
        }
    if (m->align == ALIGN_CLOCK) {
        /* Logs aligned by the clock all state when their time 0 was. OUT takes the earliest of these times. */
        const struct source *first = &m->sources[0];
        for (uint32_t i = 1; i < m->count; i++)
            if (m->sources[i].zero_unix_ns < first->zero_unix_ns)
                first = &m->sources[i];
        CHECK(pithi_defs_property(defs, start_key, pithi_property(first->log, start_key)));
    }
    /* Sets clock_error_ns. If the logs are pieces of one log, it is the largest error of all pieces. For logs of
     * several runs, or logs whose times were shifted, the error is unknown. */
    int known = one_time_axis(m->sources, m->count), told = 0;
    long long worst = 0;
    char text[32] = "unknown", *end;
    for (uint32_t i = 0; i < m->count; i++) {
        value = pithi_property(m->sources[i].log, error_key);
        /* `error` is the error of this log's clocks relative to its own rank 0. It does not limit the error between the
         * clocks of two runs. */
        long long error = value ? strtoll(value, &end, 10) : 0;
        known &= value && *value && *end == '\0';
        /* `known` becomes 0 if a log does not have the property as a number; `told` becomes 1 if a log has it. */
        told |= value != NULL;
        worst = error > worst ? error : worst;
    }
    if (known)
        snprintf(text, sizeof text, "%lld", worst);
    CHECK(told ? pithi_defs_property(defs, error_key, text) : PITH_OK);

    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++) {
        struct source *s = &m->sources[i];
        struct pithi_copy what = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .differing = &m->differing,
                                  .shift_ns = s->shift_ns,
                                  .rank_offset = s->rank_offset,
                                  .threads = s->threads,
                                  .program = s->program,
                                  .salt = i + UINT64_C(1),
                                  .one_of_many = 1};
        err = pithi_log_copy(s->log, writer, &what);
        /* If no other log has the ranks of this log, they get no more records, and the memory of their lanes is
         * freed. */
        if (err == PITH_OK && !s->threads)
            err = pithi_writer_rest(writer);
    }
    return err;
}

static int merge_logs(const char *command, struct merge *m)
{
    const struct pithi_format *format;
    uint64_t records = 0;
    int err, status = pithi_outfile_format(command, m->format, m->out, "native", &format);

    if (status)
        return status;
    /* Raises the limit of open files, because each log keeps its file open. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        struct source *source = &m->sources[i];
        int64_t local_ns;
        TRY(pithi_tool_open("merge", source->path, &source->log));
        source->knows_clock = pithlog_wall_clock(source->log, &source->zero_unix_ns, &local_ns);
        pithi_outfile_count(source->log);
        records += pithlog_get_info(source->log)->records;
    }

    int64_t first_ns = m->sources[0].zero_unix_ns;
    /* Aligns by the clock if all logs have it, else by their first records. */
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->sources[i].knows_clock || (m->align != ALIGN_UNSAID && m->align != ALIGN_CLOCK))
            continue;
        if (m->align == ALIGN_CLOCK)
            TRY(pithi_fail(PITH_ERR_UNSUPPORTED,
                           "%s: does not state when it began (start_unix_s); use --align start or none",
                           m->sources[i].path));
        pithi_tool_say(stderr,
                       "pith: note: %s does not state when it began: all logs start at the "
                       "same time",
                       m->sources[i].path);
        m->align = ALIGN_START;
    }
    if (m->align == ALIGN_UNSAID)
        m->align = ALIGN_CLOCK;
    for (uint32_t i = 0; i < m->count; i++)
        first_ns = m->sources[i].zero_unix_ns < first_ns ? m->sources[i].zero_unix_ns : first_ns;
    for (uint32_t i = 0; i < m->count; i++) {
        struct source *s = &m->sources[i];
        int64_t by = 0;
        if (m->align == ALIGN_CLOCK)
            by = s->zero_unix_ns - first_ns;
        if (m->align == ALIGN_START && pithlog_get_info(s->log)->records)
            by = difference(pithlog_get_info(m->sources[0].log)->start_ns, pithlog_get_info(s->log)->start_ns);
        s->shift_ns = pithi_time_moved(s->shift_ns, by);
    }

    TRY(number_ranks(m));
    TRY(pithi_outfile_make(command, format, m->out, fill, m, records));
    const struct pithi_convert how = {.note = pithi_outfile_note};
    pithi_note(&how, m->differing,
               "definitions differ in colour or group between logs: those of the first log are kept");
    pithi_note(&how, m->hosts_left_out, "ranks differ in host between logs: those of the last log are kept");
    pithi_note(&how, m->values_left_out, "values of properties left out: the property would be too long");
out:
    return err ? pithi_tool_failed() : 0;
}

int pithi_tool_merge(int argc, char **argv)
{
    struct merge m = {.count = 0};
    int status = read_options(argc, argv, &m);

    if (status == 0)
        status = merge_logs(argv[0], &m);
    for (uint32_t i = 0; i < m.count; i++) {
        pithlog_close(m.sources[i].log);
        free(m.sources[i].program);
        free(m.sources[i].threads);
    }
    free(m.sources);
    return status;
}
