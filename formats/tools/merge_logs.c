/* merge_logs.c - `pith merge -o OUT LOG LOG...`: several logs as one. It decides the ranks and the time shift of each.
 *
 * Logs of the processes of one run keep their ranks and share communicators and definitions. Logs of several programs,
 * which all begin with rank 0, get consecutive ranks, lanes named after the program, and communicators of their own.
 * Records are copied log by log: readers sort them by time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"
#include "foreign/names.h"
#include "native/log.h"
#include "reader/copy.h"
#include "tools/merge_facts.h"
#include "tools/outfile.h"
#include "tools/tools.h"

enum ranks { RANKS_UNSAID, RANKS_KEEP, RANKS_FOLLOW };
enum align { ALIGN_UNSAID, ALIGN_CLOCK, ALIGN_START, ALIGN_NONE };

struct merge {
    const char *out, *format;
    int ranks, align; /* enum ranks, enum align */
    int64_t shift_ns; /* of the next log */
    struct pithi_merge_source *sources;
    uint32_t count, room;
    uint64_t differing, values_left_out, hosts_left_out; /* facts that a single log cannot hold */
};

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static int read_shift(const char *command, const char *option, const char *value, void *shift_ns)
{
    if (pithlog_time_parse(value, shift_ns))
        return pithi_tool_usage(command, "--%s needs seconds, or a time such as -3ms, not '%s'", option, value);
    return 0;
}

/* --shift applies to the next log. */
static int add_source(const char *command, const char *option, const char *path, void *merge)
{
    struct merge *m = merge;

    (void)command, (void)option;
    if (!pithi_grow(&m->sources, m->count, &m->room, sizeof *m->sources)) {
        pithi_no_memory();
        return pithi_tool_failed();
    }
    m->sources[m->count] = (struct pithi_merge_source){.path = path, .place = m->count, .shift_ns = m->shift_ns};
    m->count++;
    m->shift_ns = 0;
    return 0;
}

/* A log that is given twice has everything twice, which --ranks must confirm. */
static int check_different(const char *command, const struct merge *m)
{
    struct stat a, b;

    for (uint32_t i = 0; i < m->count && m->ranks == RANKS_UNSAID; i++)
        for (uint32_t k = 0; k < i && stat(m->sources[i].path, &a) == 0; k++)
            if (stat(m->sources[k].path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
                return pithi_tool_usage(command,
                                        "%s is given twice; give each log once, or --ranks follow for its ranks twice",
                                        m->sources[i].path);
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
    return check_different(argv[0], m);
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* Some rank is in two logs. */
static int ranks_collide(const struct merge *m, int *collide)
{
    struct pithi_map seen = {0};
    uint32_t before;
    int err = PITH_OK;

    *collide = 0;
    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++)
        for (uint32_t k = 0; err == PITH_OK && k < pithi_log_ranks(m->sources[i].log); k++) {
            uint32_t rank = (uint32_t)pithi_log_rank(m->sources[i].log, k)->rank;
            *collide |= pithi_map_get(&seen, rank, &before);
            if (!pithi_map_put(&seen, rank, i))
                err = pithi_no_memory();
        }
    pithi_map_free(&seen);
    return err;
}

/* Numbers the ranks of each log after those of the logs before it. */
static int follow_ranks(struct merge *m)
{
    int64_t next = 0;

    for (uint32_t i = 0; i < m->count; i++) {
        struct pithi_merge_source *s = &m->sources[i];
        uint32_t ranks = pithi_log_ranks(s->log);
        s->rank_offset = (int32_t)next;
        next += ranks ? pithi_log_rank(s->log, ranks - 1)->rank + INT64_C(1) : 0;
        if (next > INT32_MAX)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: its ranks would exceed the largest rank number", s->path);
    }
    return pithi_sources_name(m->sources, m->count);
}

static int by_start(const void *a, const void *b)
{
    const struct pithi_merge_source *x = a, *y = b;
    int64_t left = pithi_time_moved(pithlog_get_info(x->log)->start_ns, x->shift_ns);
    int64_t right = pithi_time_moved(pithlog_get_info(y->log)->start_ns, y->shift_ns);

    return left != right ? (left < right ? -1 : 1) : (x->place > y->place) - (x->place < y->place);
}

/* For lanes in several logs: the end of their records so far, by index into `ends`. For ranks: the next free thread. */
struct lanes_taken {
    struct pithi_map lanes, threads;
    int64_t *ends;
    uint32_t count, room;
};

static int take_lane(struct lanes_taken *t, struct pithi_merge_source *s, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(s->log, number);
    uint64_t key = (uint64_t)(uint32_t)lane->rank << 32 | lane->thread;
    uint32_t at, thread = lane->thread, next = 0;

    pithi_map_get(&t->threads, (uint32_t)lane->rank, &next);
    if (pithi_map_get(&t->lanes, key, &at) && lane->records &&
        pithi_time_moved(lane->first_ns, s->shift_ns) < t->ends[at]) {
        thread = next; /* they overlap, so it is another thread */
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

/* A lane of two logs continues if one begins after the other ends; otherwise it becomes a new thread of the rank. */
static int join_lanes(struct merge *m)
{
    struct lanes_taken taken = {.count = 0};
    int err = PITH_OK;

    qsort(m->sources, m->count, sizeof *m->sources, by_start);
    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++) {
        struct pithi_merge_source *s = &m->sources[i];
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

/* A rank has one host: the last log decides. */
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
    int collide, err = ranks_collide(m, &collide);

    if (err)
        return err;
    if (m->ranks == RANKS_UNSAID)
        m->ranks = collide ? RANKS_FOLLOW : RANKS_KEEP;
    if (m->ranks == RANKS_FOLLOW)
        return follow_ranks(m);
    if (collide && (err = join_lanes(m)) == PITH_OK)
        err = count_hosts(m);
    return err;
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

/* Aligns by the clock if all logs have it, else by their first records. */
static int choose_align(struct merge *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct pithi_merge_source *s = &m->sources[i];
        if (s->knows_clock || (m->align != ALIGN_UNSAID && m->align != ALIGN_CLOCK))
            continue;
        if (m->align == ALIGN_CLOCK)
            return pithi_fail(PITH_ERR_UNSUPPORTED,
                              "%s: does not state when it began (start_unix_s); use --align start or none", s->path);
        pithi_tool_say(stderr,
                       "pith: note: %s does not state when it began: all logs start at the "
                       "same time",
                       s->path);
        m->align = ALIGN_START;
    }
    if (m->align == ALIGN_UNSAID)
        m->align = ALIGN_CLOCK;
    return PITH_OK;
}

static int64_t difference(int64_t a, int64_t b)
{
    int64_t result;
    return __builtin_sub_overflow(a, b, &result) ? (a < b ? INT64_MIN : INT64_MAX) : result;
}

static int align_times(struct merge *m)
{
    int64_t first_ns = m->sources[0].zero_unix_ns;
    int err = choose_align(m);

    for (uint32_t i = 0; i < m->count; i++)
        first_ns = m->sources[i].zero_unix_ns < first_ns ? m->sources[i].zero_unix_ns : first_ns;
    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++) {
        struct pithi_merge_source *s = &m->sources[i];
        int64_t by = 0;
        if (m->align == ALIGN_CLOCK)
            by = s->zero_unix_ns - first_ns;
        if (m->align == ALIGN_START && pithlog_get_info(s->log)->records)
            by = difference(pithlog_get_info(m->sources[0].log)->start_ns, pithlog_get_info(s->log)->start_ns);
        s->shift_ns = pithi_time_moved(s->shift_ns, by);
    }
    return err;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static int fill(void *context, struct pithi_writer *writer)
{
    struct merge *m = context;
    int err = pithi_sources_facts(m->sources, m->count, m->align == ALIGN_CLOCK, pithi_writer_defs(writer),
                                  &m->values_left_out);

    for (uint32_t i = 0; err == PITH_OK && i < m->count; i++) {
        struct pithi_merge_source *s = &m->sources[i];
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
        if (err == PITH_OK && !s->threads) /* no other log has its ranks */
            err = pithi_writer_rest(writer);
    }
    return err;
}

static void tell_losses(const struct merge *m)
{
    const struct pithi_convert how = {.note = pithi_outfile_note};

    pithi_note(&how, m->differing,
               "definitions differ in colour or group between logs: those of the first log are kept");
    pithi_note(&how, m->hosts_left_out, "ranks differ in host between logs: those of the last log are kept");
    pithi_note(&how, m->values_left_out, "values of properties left out: the property would be too long");
}

/* Each log keeps its file open. */
static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int merge_logs(const char *command, struct merge *m)
{
    const struct pithi_format *format;
    uint64_t records = 0;
    int err, status = pithi_outfile_format(command, m->format, m->out, "native", &format);

    if (status)
        return status;
    allow_many_files();
    for (uint32_t i = 0; i < m->count; i++) {
        TRY(pithi_source_open(&m->sources[i]));
        pithi_outfile_count(m->sources[i].log);
        records += pithlog_get_info(m->sources[i].log)->records;
    }
    TRY(align_times(m));
    TRY(number_ranks(m));
    TRY(pithi_outfile_make(command, format, m->out, fill, m, records));
    tell_losses(m);
out:
    return err ? pithi_tool_failed() : 0;
}

int pithi_tool_merge(int argc, char **argv)
{
    struct merge m = {.count = 0};
    int status = read_options(argc, argv, &m);

    if (status == 0)
        status = merge_logs(argv[0], &m);
    for (uint32_t i = 0; i < m.count; i++)
        pithi_source_close(&m.sources[i]);
    free(m.sources);
    return status;
}
