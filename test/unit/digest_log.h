/* digest_log.h - for the tests of digests: a log of messages and counters, known as it is written, a folder for it
 * with a cache of its own, and windows compared with all messages. */
#ifndef DIGEST_LOG_H
#define DIGEST_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/random.h"
#include "common/test_files.h"
#include "native/segment.h"
#include "reader/index/digest_file.h"
#include "pithlog.h"

enum { COUNTERS = 2, MOST_LANES = 600 };

static char folder[256], path[300];

/* ---- A log ------------------------------------------------------------------------------------------------------- */

/* Messages as they were written, by the time of their sending. Lengths: most are short, few very long, in some
 * intervals all are alike; some are received before they are sent. */
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
    return random_below(1000) == 0 ? random_below(20000000)
           : random_below(50) == 0 ? random_below(100000)
                                   : random_below(300);
}

/* Each message has a tag of its own on its path, so that it is matched with itself. */
static int32_t tags = INT32_MAX;
static struct one *make_records(uint32_t lanes, uint32_t count)
{
    struct one *all = calloc((size_t)count * 2, sizeof *all);
    int64_t now = 1000000;
    messages = realloc(messages, count * sizeof *messages);
    message_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct pithlog_message *m = &messages[i];
        now += random_below(200);
        *m = (struct pithlog_message){
            .send_lane = random_below(lanes), .tag = (int32_t)i % tags, .bytes = random_below(1 << 20)};
        m->recv_lane = (m->send_lane + (random_below(8) ? 1 : random_below(lanes))) % lanes;
        m->send_ns = now;
        m->recv_ns = random_below(100) ? now + make_length(i) : now - random_below(500);
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
        if (r->lane % 3 == 0 && random_below(2))
            must(pithi_writer_add(
                w, &(struct pithlog_record){.time_ns = r->time_ns,
                                            .lane = r->lane,
                                            .peer = -1,
                                            .kind = PITHLOG_COUNTER,
                                            .id = random_below(COUNTERS),
                                            .value = random_below(9) ? random_below(1000) - 300.0 : 0.0 / 1}));
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
    uint32_t part = 1 + random_below(1u << random_below(20));
    w->from_ns = info->start_ns + (int64_t)((double)span * random_below(1000000) / 1e6) - 5;
    w->to_ns = w->from_ns + 1 + span / part;
    w->lanes = random_below(2) ? lanes : NULL;
    if (random_below(20) == 0) {
        w->from_ns = INT64_MIN;
        w->to_ns = INT64_MAX;
    }
    uint32_t first = random_below(info->lanes), shown = 1 + random_below(random_below(2) ? info->lanes : 5);
    for (uint32_t i = 0; i < info->lanes; i++)
        lanes[i] = i - first < shown;
}

static inline int windows_are_right(const struct pithlog_digest *digest, const struct pithlog_info *info, int rounds)
{
    unsigned char lanes[MOST_LANES];
    int right = 1;
    for (int i = 0; i < rounds && right; i++) {
        struct pithlog_digest_window w;
        choose_window(&w, info, lanes);
        right = window_is_right(digest, &w, random_below(3) ? random_below(4000) : random_below(3));
    }
    return right;
}

/* ---- The folder -------------------------------------------------------------------------------------------------- */

static void begin_folder(void)
{
    snprintf(folder, sizeof folder, "%s/test_digest.%ld", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    mkdir(folder, 0700);
    setenv("XDG_CACHE_HOME", folder, 1);
    snprintf(path, sizeof path, "%s/a.pith", folder);
}

static void end_folder(void)
{
    char command[300];
    free(messages);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        printf("# %s is left behind\n", folder);
}

#endif
