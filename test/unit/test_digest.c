/* test_digest.c - a digest against all messages and values of its log, in windows at random; that it is kept, found
 * again without reading records, made anew when it is damaged or another log's, and does without a folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest_file.h"
#include "error.h"
#include "native/segment.h"
#include "pithlog.h"
#include "tap.h"

enum { COUNTERS = 2, MOST_LANES = 200 };

static char folder[256], path[300];
static uint64_t seed = 12345;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) * n >> 32);
}

static void must(int err)
{
    if (err != PITH_OK) {
        printf("Bail out! %s\n", pithlog_error());
        exit(1);
    }
}

/* ---- A log ------------------------------------------------------------------------------------------------------- */

/* Messages as they were written, by the time of their sending. Lengths: most are short, few very long, in some
 * stretches all are alike; some are received before they are sent. */
static struct pithlog_message *messages;
static uint32_t message_count;

struct one {
    struct pithlog_record record;
    uint32_t order;
};

static int by_time(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->record.time_ns != y->record.time_ns)
        return x->record.time_ns < y->record.time_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int64_t make_length(uint32_t i)
{
    if (i / 5000 % 4 == 3)
        return 100;
    return below(1000) == 0 ? below(20000000) : below(50) == 0 ? below(100000) : below(300);
}

/* Each message has a tag of its own on its path, so that it is matched with itself. */
static struct one *make_records(uint32_t lanes, uint32_t count)
{
    struct one *all = calloc((size_t)count * 2, sizeof *all);
    int64_t now = 1000000;
    messages = realloc(messages, count * sizeof *messages);
    message_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct pithlog_message *m = &messages[i];
        now += below(200);
        *m = (struct pithlog_message){.send_lane = below(lanes), .tag = (int32_t)i, .bytes = below(1 << 20)};
        m->recv_lane = (m->send_lane + (below(8) ? 1 : below(lanes))) % lanes;
        m->send_ns = now;
        m->recv_ns = below(100) ? now + make_length(i) : now - below(500);
        all[2 * i] = (struct one){{.time_ns = m->send_ns,
                                   .lane = m->send_lane,
                                   .kind = PITHLOG_SEND,
                                   .peer = (int32_t)m->recv_lane,
                                   .tag = m->tag,
                                   .bytes = m->bytes},
                                  2 * i};
        all[2 * i + 1] = (struct one){{.time_ns = m->recv_ns,
                                       .lane = m->recv_lane,
                                       .kind = PITHLOG_RECV,
                                       .peer = (int32_t)m->send_lane,
                                       .tag = m->tag,
                                       .bytes = m->bytes},
                                      2 * i + 1};
    }
    qsort(all, (size_t)count * 2, sizeof *all, by_time);
    return all;
}

static void write_log(uint32_t lanes, uint32_t count, const char *note)
{
    struct one *all = make_records(lanes, count);
    static uint64_t posted[MOST_LANES];
    struct pithi_writer *w;
    uint32_t id, number;
    memset(posted, 0, sizeof posted);
    must(pithi_writer_open(&w, path, -1));
    for (uint32_t i = 0; i < COUNTERS; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%u", i);
        must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_COUNTER_TYPE, name, "", "user", ""},
                            &id));
    }
    must(pithi_defs_add(pithi_writer_defs(w), &(struct pithlog_def){PITHLOG_STATE, note, "", "user", ""}, &id));
    for (uint32_t lane = 0; lane < lanes; lane++)
        must(pithi_writer_lane(w, (int32_t)lane, 0, "", &number));
    for (uint32_t i = 0; i < 2 * count; i++) {
        struct pithlog_record *r = &all[i].record;
        if (r->kind == PITHLOG_RECV)
            r->posted = posted[r->lane]++;
        must(pithi_writer_add(w, r));
        if (r->lane % 3 == 0 && below(2))
            must(pithi_writer_add(w, &(struct pithlog_record){.time_ns = r->time_ns,
                                                              .lane = r->lane,
                                                              .peer = -1,
                                                              .kind = PITHLOG_COUNTER,
                                                              .id = below(COUNTERS),
                                                              .value = below(9) ? below(1000) - 300.0 : 0.0 / 1}));
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
    free(all);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Which of the messages it is, by its tag; -1: none. */
static int64_t known(const struct pithlog_message *m)
{
    const struct pithlog_message *own = m->tag >= 0 && (uint32_t)m->tag < message_count ? &messages[m->tag] : NULL;
    return own && own->send_lane == m->send_lane && own->recv_lane == m->recv_lane && own->send_ns == m->send_ns &&
                   own->recv_ns == m->recv_ns && own->bytes == m->bytes && m->comm == 0
               ? m->tag
               : -1;
}

static int is_in(const struct pithlog_message *m, const struct pithlog_digest_window *w)
{
    return pithi_message_first(m) < w->to_ns && pithi_message_last(m) >= w->from_ns &&
           (!w->lanes || (w->lanes[m->send_lane] && w->lanes[m->recv_lane]));
}

/* The lengths of what is found are the greatest there are, each is in the window, in order, and none is there twice. */
static int window_is_right(const struct pithlog_digest *digest, const struct pithlog_digest_window *w, uint32_t most)
{
    static unsigned char *seen;
    uint64_t *lengths = malloc(message_count * sizeof *lengths), total;
    struct pithlog_message *found = malloc((most + (size_t)1) * sizeof *found);
    uint32_t count, wanted = 0;
    int right = pithlog_digest_messages(digest, w, found, most, &count, &total) == PITH_OK;
    seen = calloc(message_count, 1);
    for (uint32_t i = 0; i < message_count; i++)
        if (is_in(&messages[i], w))
            lengths[wanted++] = pithi_message_length(&messages[i]);
    qsort(lengths, wanted, sizeof *lengths, by_length);
    right &= total == wanted && count == (wanted < most ? wanted : most);
    for (uint32_t i = 0; right && i < count; i++) {
        int64_t which = known(&found[i]);
        right = which >= 0 && !seen[which]++ && is_in(&found[i], w) &&
                (i == 0 || pithi_message_first(&found[i]) >= pithi_message_first(&found[i - 1])) &&
                pithi_message_length(&found[i]) >= lengths[count - 1];
    }
    free(seen);
    free(found);
    free(lengths);
    return right;
}

static void choose_window(struct pithlog_digest_window *w, const struct pithlog_info *info, unsigned char *lanes)
{
    int64_t span = info->end_ns - info->start_ns;
    uint32_t part = 1 + below(1u << below(20));
    w->from_ns = info->start_ns + (int64_t)((double)span * below(1000000) / 1e6) - 5;
    w->to_ns = w->from_ns + 1 + span / part;
    w->lanes = below(2) ? lanes : NULL;
    if (below(20) == 0) {
        w->from_ns = INT64_MIN;
        w->to_ns = INT64_MAX;
    }
    uint32_t first = below(info->lanes), shown = 1 + below(below(2) ? info->lanes : 5);
    for (uint32_t i = 0; i < info->lanes; i++)
        lanes[i] = i - first < shown;
}

static int windows_are_right(const struct pithlog_digest *digest, const struct pithlog_info *info, int rounds)
{
    unsigned char lanes[MOST_LANES];
    int right = 1;
    for (int i = 0; i < rounds && right; i++) {
        struct pithlog_digest_window w;
        choose_window(&w, info, lanes);
        right = window_is_right(digest, &w, below(3) ? below(4000) : below(3));
    }
    return right;
}

/* ---- An even choice ---------------------------------------------------------------------------------------------- */

static struct pithlog_digest_window sampled;
static uint64_t told;
static int told_right;

static void tell(void *context, const struct pithlog_message *m)
{
    (void)context;
    told++;
    told_right &= known(m) >= 0 && is_in(m, &sampled);
}

static void test_sample(const struct pithlog_digest *digest, const struct pithlog_info *info)
{
    struct pithlog_message none;
    uint32_t count;
    uint64_t total;
    double weight;
    sampled = (struct pithlog_digest_window){info->start_ns, info->end_ns + 1, NULL};
    told = 0;
    told_right = 1;
    must(pithlog_digest_sample(digest, &sampled, UINT64_MAX, tell, NULL, &weight));
    OK(told == message_count && weight == 1 && told_right, "a sample with room for all tells all");
    told = 0;
    must(pithlog_digest_sample(digest, &sampled, message_count / 10, tell, NULL, &weight));
    OK(told_right && weight == 64 && (double)told * weight > 0.9 * message_count &&
           (double)told * weight < 1.1 * message_count,
       "one of a tenth at most: %llu of %u, each for %.0f", (unsigned long long)told, message_count, weight);
    told = 0;
    sampled.to_ns = sampled.from_ns + (sampled.to_ns - sampled.from_ns) / 10;
    must(pithlog_digest_messages(digest, &sampled, &none, 0, &count, &total));
    must(pithlog_digest_sample(digest, &sampled, message_count / 30, tell, NULL, &weight));
    OK(told_right && weight == 8 && (double)told * weight > 0.95 * (double)total &&
           (double)told * weight < 1.05 * (double)total,
       "of a tenth of the time: %llu, each for %.0f, of %llu", (unsigned long long)told, weight,
       (unsigned long long)total);
}

/* ---- Counters ---------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 300 };

/* From the records, one by one. */
static void columns_by_records(struct pithlog *log, const struct pithlog_series *s, int64_t from_ns, int64_t to_ns,
                               struct pithlog_column *columns)
{
    struct pithlog_query query = {INT64_MIN, to_ns - 1, &s->lane, 1, 1u << PITHLOG_COUNTER, 0};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct pithlog_column now = {0, 0, 0, 0};
    uint32_t at = 0;
    must(pithlog_iter_open(log, &query, &iter));
    int more = pithlog_iter_next(iter, &r);
    for (; at < COLUMNS; at++) {
        int64_t end = from_ns + (int64_t)((double)(to_ns - from_ns) * (at + 1) / COLUMNS);
        now.low = now.high = now.last;
        for (; more == 1 && r.time_ns < (at + 1 == COLUMNS ? to_ns : end); more = pithlog_iter_next(iter, &r)) {
            if (r.id != s->counter)
                continue;
            now.low = !now.known || r.time_ns <= from_ns || r.value < now.low ? r.value : now.low;
            now.high = !now.known || r.time_ns <= from_ns || r.value > now.high ? r.value : now.high;
            now.last = r.value;
            now.known = 1;
        }
        columns[at] = now;
    }
    pithlog_iter_close(iter);
}

static int series_is_right(struct pithlog *log, const struct pithlog_digest *digest, uint32_t index)
{
    static struct pithlog_column got[COLUMNS], wanted[COLUMNS];
    const struct pithlog_info *info = pithlog_get_info(log);
    const struct pithlog_series *s = pithlog_digest_series(digest, index);
    int64_t span = info->end_ns - info->start_ns, from = info->start_ns + (int64_t)below(1000) * (span / 1000);
    int64_t to = from + 1 + span / (1 + below(1u << below(18)));
    memset(got, 0, sizeof got);
    must(pithlog_digest_columns(digest, index, from, to, got, COLUMNS));
    columns_by_records(log, s, from, to, wanted);
    for (uint32_t i = 0; i < COLUMNS; i++)
        if (got[i].known != wanted[i].known ||
            (got[i].known &&
             (got[i].low != wanted[i].low || got[i].high != wanted[i].high || got[i].last != wanted[i].last))) {
            printf("# series %u column %u: %g %g %g, wanted %g %g %g\n", index, i, got[i].low, got[i].high, got[i].last,
                   wanted[i].low, wanted[i].high, wanted[i].last);
            return 0;
        }
    return 1;
}

static void test_counters(struct pithlog *log, const struct pithlog_digest *digest)
{
    uint32_t count = pithlog_digest_get_info(digest)->series;
    uint64_t values = 0;
    int right = 1, order = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct pithlog_series *s = pithlog_digest_series(digest, i);
        values += s->count;
        order &= i == 0 || pithi_series_compare(pithlog_digest_series(digest, i - 1), s) < 0;
    }
    for (int round = 0; round < 40 && right; round++)
        right = series_is_right(log, digest, below(count));
    OK(count > 0 && order && !pithlog_digest_series(digest, count), "%u counters, in order", count);
    OK(values == pithlog_digest_get_info(digest)->values, "they have all values");
    OK(right, "columns of counters are those of the records");
}

/* ---- Kept, found, damaged ---------------------------------------------------------------------------------------- */

static char kept[800];

/* How many files the cache has; `kept` is the name of one. */
static int count_kept(void)
{
    char name[400];
    struct dirent *found;
    int count = 0;
    snprintf(name, sizeof name, "%s/pith", folder);
    DIR *dir = opendir(name);
    while (dir && (found = readdir(dir)))
        if (found->d_name[0] != '.' && ++count)
            snprintf(kept, sizeof kept, "%s/%s", name, found->d_name);
    if (dir)
        closedir(dir);
    return count;
}

static void empty_cache(void)
{
    while (count_kept())
        unlink(kept);
}

static int calls;
static int count_calls(void *context, double part)
{
    calls++;
    return context != NULL || part < 0 || part > 1;
}

/* How often the work told of its progress: 0, nothing was read. */
static int open_digest(struct pithlog **log, struct pithlog_digest **digest)
{
    must(pithlog_open(path, log));
    calls = 0;
    must(pithlog_digest_open(*log, count_calls, NULL, digest));
    return calls;
}

static void close_digest(struct pithlog *log, struct pithlog_digest *digest)
{
    pithlog_digest_close(digest);
    pithlog_close(log);
}

static void test_kept(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    empty_cache();
    write_log(8, 60000, "one");
    OK(open_digest(&log, &digest) > 0 && count_kept() == 1, "a large log is read, and its digest kept");
    close_digest(log, digest);
    OK(open_digest(&log, &digest) == 0, "the second time nothing is read");
    OK(windows_are_right(digest, pithlog_get_info(log), 40), "and it tells the same");
    close_digest(log, digest);
    must(pithlog_open(path, &log));
    OK(pithlog_digest_open(log, count_calls, log, &digest) == PITH_OK, "nothing to stop where it is kept");
    close_digest(log, digest);
    unlink(kept);
    must(pithlog_open(path, &log));
    int err = pithlog_digest_open(log, count_calls, log, &digest);
    OK(err == PITH_ERR_STOPPED && !digest && count_kept() == 0, "stopped: %s; nothing is left behind", pithlog_error());
    pithlog_close(log);
}

static void test_stale(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    char other[800], wrong[800];
    empty_cache();
    open_digest(&log, &digest);
    close_digest(log, digest);
    count_kept();
    snprintf(other, sizeof other, "%s", kept);
    write_log(8, 60000, "two");
    OK(open_digest(&log, &digest) > 0 && count_kept() == 2, "another log of that name is read");
    OK(windows_are_right(digest, pithlog_get_info(log), 20), "and has its own digest");
    snprintf(wrong, sizeof wrong, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)digest->key.hash[0],
             (unsigned long long)digest->key.hash[1]);
    close_digest(log, digest);
    OK(strcmp(wrong, other) != 0 && rename(other, wrong) == 0 && open_digest(&log, &digest) > 0,
       "a digest under the name of another log is not taken");
    OK(windows_are_right(digest, pithlog_get_info(log), 20), "but made anew");
    close_digest(log, digest);
}

static void change_byte(const char *name, long at)
{
    FILE *file = fopen(name, "r+b");
    int byte;
    fseek(file, at, SEEK_SET);
    byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (int)(1 + below(255)), file);
    fclose(file);
}

/* With the damage wherever it is: the right answers, or an error and after that the right answers. */
static int survives(struct pithlog *log)
{
    struct pithlog_digest *digest;
    struct pithlog_digest_window w = {INT64_MIN, INT64_MAX, NULL};
    static struct pithlog_message found[70000];
    struct pithlog_column columns[10];
    uint32_t count;
    uint64_t total;
    int err, again = 0;
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    err = pithlog_digest_messages(digest, &w, found, 70000, &count, &total);
    for (uint32_t i = 0; !err && i < pithlog_digest_get_info(digest)->series; i++)
        err = pithlog_digest_columns(digest, i, INT64_MIN, INT64_MAX, columns, 10);
    if (err == PITH_ERR_DAMAGED) {
        pithlog_digest_close(digest);
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        again = 1;
    }
    int right = (!err || again) && windows_are_right(digest, pithlog_get_info(log), 1);
    pithlog_digest_close(digest);
    return right;
}

static void test_damage(void)
{
    struct pithlog *log;
    struct stat st;
    int right = 1;
    write_log(8, 60000, "three");
    must(pithlog_open(path, &log));
    struct pithlog_digest *digest;
    must(pithlog_digest_open(log, NULL, NULL, &digest));
    snprintf(kept, sizeof kept, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)digest->key.hash[0],
             (unsigned long long)digest->key.hash[1]);
    pithlog_digest_close(digest);
    if (stat(kept, &st) != 0)
        st.st_size = 0;
    long size = (long)st.st_size, entries = size > 8000 ? size - 8000 : 0;
    OK(size > 100000, "a digest of %ld bytes", size);
    for (int i = 0; i < 45 && right && size; i++) {
        change_byte(kept, i < 15   ? (long)below(128)
                          : i < 30 ? entries + (long)below(8000)
                                   : (long)below((uint32_t)size));
        right = survives(log);
    }
    OK(right, "one byte changed, anywhere: the right answer, at the second try at the latest");
    for (int i = 0; i < 12 && right && size; i++)
        right = truncate(kept, i < 4 ? i * 40 : size - 1 - (long)below((uint32_t)size / 2)) == 0 && survives(log);
    OK(right, "cut short");
    pithlog_close(log);
}

/* Head and entries whose CRCs are right, and what they say is not: someone made them so. No crash, no endless work. */
static void test_malice(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest, forged;
    struct pithlog_digest_window w = {INT64_MIN, INT64_MAX, NULL};
    static struct pithlog_message found[100];
    uint32_t count;
    uint64_t total;
    int good = 1;
    must(pithlog_open(path, &log));
    for (int round = 0; round < 80; round++) {
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        forged = *digest;
        unsigned char *entry = (unsigned char *)&digest->nodes[below(digest->node_count)];
        if (below(3) == 0 && digest->value_node_count)
            entry = (unsigned char *)&digest->values[below(digest->value_node_count)];
        else if (below(3) == 0)
            entry = (unsigned char *)&digest->series[below(digest->info.series)];
        entry[below(40)] ^= (unsigned char)(1u << below(8));
        char name[800];
        snprintf(name, sizeof name, "%s/pith/%016llx%016llx.digest", folder, (unsigned long long)forged.key.hash[0],
                 (unsigned long long)forged.key.hash[1]);
        FILE *file = fopen(name, "r+b");
        struct stat st;
        if (file && fstat(fileno(file), &st) == 0) {
            uint64_t size = (uint64_t)forged.node_count * 80 + forged.info.series * 40u + forged.value_node_count * 56u;
            int fd = digest->fd;
            digest->fd = fileno(file);
            must(pithi_digest_write(digest, (uint64_t)st.st_size - size));
            digest->fd = fd;
            fclose(file);
        }
        pithlog_digest_close(digest);
        must(pithlog_digest_open(log, NULL, NULL, &digest));
        int err = pithlog_digest_messages(digest, &w, found, 100, &count, &total);
        good &= err == PITH_OK || err == PITH_ERR_DAMAGED;
        for (uint32_t i = 0; i < count; i++)
            good &= found[i].send_lane < 8 && found[i].recv_lane < 8;
        for (uint32_t i = 0; i < pithlog_digest_get_info(digest)->series; i++) {
            struct pithlog_column columns[7];
            err = pithlog_digest_columns(digest, i, -5, 100000000, columns, 7);
            good &= err == PITH_OK || err == PITH_ERR_DAMAGED;
        }
        pithlog_digest_close(digest);
        unlink(name);
    }
    OK(good, "entries made to mislead: lanes stay in range");
    pithlog_close(log);
}

static void test_without_folder(void)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    char nowhere[400];
    snprintf(nowhere, sizeof nowhere, "%s/file", folder);
    fclose(fopen(nowhere, "w"));
    setenv("XDG_CACHE_HOME", nowhere, 1);
    OK(open_digest(&log, &digest) > 0 && windows_are_right(digest, pithlog_get_info(log), 10),
       "no folder for it: it is made each time");
    close_digest(log, digest);
    OK(open_digest(&log, &digest) > 0, "and again");
    close_digest(log, digest);
    setenv("XDG_CACHE_HOME", folder, 1);
    write_log(3, 500, "small");
    int before = count_kept();
    OK(open_digest(&log, &digest) > 0 && count_kept() == before, "of a small log nothing is kept");
    OK(windows_are_right(digest, pithlog_get_info(log), 100), "what it tells is right");
    close_digest(log, digest);
}

static void test_windows(uint32_t lanes, uint32_t count)
{
    struct pithlog *log;
    struct pithlog_digest *digest;
    write_log(lanes, count, "windows");
    open_digest(&log, &digest);
    OK(pithlog_digest_get_info(digest)->messages == count, "%u lanes: all %u messages", lanes, count);
    OK(windows_are_right(digest, pithlog_get_info(log), 60), "windows at random: the longest, and how many there are");
    if (lanes == 5) {
        test_sample(digest, pithlog_get_info(log));
        test_counters(log, digest);
    }
    close_digest(log, digest);
}

int main(void)
{
    char command[300];
    snprintf(folder, sizeof folder, "%s/test_digest.%ld", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    mkdir(folder, 0700);
    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/a.pith", folder);
    test_windows(5, 300000);
    test_windows(200, 150000);
    test_kept();
    test_stale();
    test_damage();
    test_malice();
    test_without_folder();
    free(messages);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) ? 1 : tap_done();
}
