/* log_model.h - random logs kept in memory beside the file written from them, for tests of what reads
 * and writes logs. */
#ifndef TEST_LOG_MODEL_H
#define TEST_LOG_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/test_files.h"
#include "native/segment.h"
#include "pithlog.h"

enum { MODEL_STATES = 12, MODEL_EVENTS = 3, MODEL_COUNTERS = 2, MODEL_COMMS = 4 };

/* Records of all lanes in the order in which they were added; payloads are malloc'ed. */
struct model {
    struct pithlog_record *records;
    size_t count, room;
    uint32_t lanes;
};

static inline void model_add(struct model *m, const struct pithlog_record *r)
{
    if (m->count == m->room) {
        m->room = m->room ? m->room * 2 : 1024;
        m->records = realloc(m->records, m->room * sizeof *m->records);
    }
    struct pithlog_record *copy = &m->records[m->count++];
    *copy = *r;
    copy->payload = r->payload_bytes ? memcpy(malloc(r->payload_bytes), r->payload, r->payload_bytes) : NULL;
    if (r->lane >= m->lanes)
        m->lanes = r->lane + 1;
}

static inline void model_free(struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        free((void *)(uintptr_t)m->records[i].payload);
    free(m->records);
    *m = (struct model){0};
}

/* A random record of the usual kinds; ENTER and LEAVE most of the time, as often unbalanced as not. */
static inline struct pithlog_record model_record(uint32_t lane, int64_t time_ns)
{
    static unsigned char payload[300];
    struct pithlog_record r = {.time_ns = time_ns, .lane = lane, .peer = -1};
    uint32_t dice = random_below(20);
    r.kind = dice < 7 ? PITHLOG_ENTER : dice < 14 ? PITHLOG_LEAVE : PITHLOG_EVENT + random_below(10);
    if (r.kind <= PITHLOG_LEAVE)
        r.id = random_below(MODEL_STATES);
    else if (r.kind == PITHLOG_EVENT)
        r.id = MODEL_STATES + random_below(MODEL_EVENTS);
    else if (r.kind == PITHLOG_COUNTER)
        r.id = MODEL_STATES + MODEL_EVENTS + random_below(MODEL_COUNTERS);
    else if (r.kind <= PITHLOG_COMM_FREE)
        r.comm = random_below(MODEL_COMMS);
    if (r.kind <= PITHLOG_EVENT && random_below(8) == 0)
        r.comm = random_below(MODEL_COMMS);
    if (r.kind == PITHLOG_SEND || r.kind == PITHLOG_RECV || r.kind == PITHLOG_COLL) {
        r.peer = (int32_t)random_below(5) - 1;
        r.bytes = random_u64() >> random_below(64);
    }
    if (r.kind == PITHLOG_SEND || r.kind == PITHLOG_RECV)
        r.tag = (int32_t)(random_u64() >> random_below(64));
    if (r.kind == PITHLOG_RECV)
        r.posted = random_u64() >> random_below(64);
    if (r.kind == PITHLOG_COLL)
        r.got_bytes = random_u64() >> random_below(64);
    if (r.kind == PITHLOG_LOST)
        r.bytes = random_below(1000);
    if (r.kind == PITHLOG_COUNTER)
        r.value = (double)(int64_t)random_u64() / 3;
    if (r.kind == PITHLOG_EVENT && (r.payload_bytes = random_below(2) ? random_below(sizeof payload) : 0) > 0) {
        for (uint32_t i = 0; i < r.payload_bytes; i++)
            payload[i] = (unsigned char)random_u64();
        r.payload = payload;
    }
    return r;
}

/* `count` random records over `lanes` lanes; each lane's times never fall. */
static inline void model_random(struct model *m, size_t count, uint32_t lanes)
{
    int64_t *times = calloc(lanes, sizeof *times);
    m->lanes = lanes;
    for (size_t i = 0; i < count; i++) {
        uint32_t lane = random_below(lanes);
        times[lane] += random_below(4) ? random_below(1000) : 0;
        struct pithlog_record r = model_record(lane, times[lane]);
        model_add(m, &r);
    }
    free(times);
}

/* Makes LOST records say that none were lost. */
static inline void model_without_holes(struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->records[i].kind == PITHLOG_LOST)
            m->records[i].bytes = 0;
}

/* What every log of a model has: definitions as model_record names them, and communicators 1 .. MODEL_COMMS - 1. */
static inline int model_define(struct pithi_writer *w)
{
    uint32_t id, comm;
    int err = PITH_OK, members[] = {0, 1, 3};
    for (uint32_t i = 0; !err && i < MODEL_STATES + MODEL_EVENTS + MODEL_COUNTERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "thing %u", i);
        struct pithlog_def def = {i < MODEL_STATES                  ? PITHLOG_STATE
                                  : i < MODEL_STATES + MODEL_EVENTS ? PITHLOG_EVENT_TYPE
                                                                    : PITHLOG_COUNTER_TYPE,
                                  name, i % 2 ? "red" : "", "group", ""};
        err = pithi_defs_add(pithi_writer_defs(w), &def, &id);
    }
    for (uint32_t i = 1; !err && i < MODEL_COMMS; i++) {
        struct pithlog_comm c = {.key = 1000 + i, .name = "some", .size = 3, .world_ranks = members};
        err = pithi_writer_comm(w, &c, &comm);
    }
    return err;
}

/* Lane number n is thread n % 3 of rank n / 3, so that numbers are those of the log. Adds single records and helpings
 * of up to 50, in turn. */
static inline int model_write(const struct model *m, const char *path)
{
    struct pithi_writer *w;
    uint32_t lane;
    int err = pithi_writer_open(&w, path, -1);
    if (err)
        return err;
    err = model_define(w);
    for (uint32_t i = 0; !err && i < m->lanes; i++)
        err = pithi_writer_lane(w, (int32_t)(i / 3), i % 3, i % 2 ? "named" : NULL, &lane);
    for (size_t i = 0, n; !err && i < m->count; i += n) {
        n = 1 + i % 50 < m->count - i ? 1 + i % 50 : m->count - i;
        err = n == 1 ? pithi_writer_add(w, &m->records[i]) : pithi_writer_add_many(w, &m->records[i], (uint32_t)n);
    }
    if (!err)
        err = pithi_writer_finish(w);
    pithi_writer_close(w);
    return err;
}

/* A record as read, with the communicator numbered as the model does: the reader numbers them as they turn up. */
static inline void model_number_comm(const struct pithlog *log, struct pithlog_record *r)
{
    uint64_t key = pithlog_get_comm(log, r->comm)->key;
    r->comm = key ? (uint32_t)(key - 1000) : 0;
}

static inline int same_record(const struct pithlog_record *a, const struct pithlog_record *b)
{
    return a->time_ns == b->time_ns && a->lane == b->lane && a->kind == b->kind && a->id == b->id &&
           a->comm == b->comm && a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes &&
           a->got_bytes == b->got_bytes && a->posted == b->posted &&
           memcmp(&a->value, &b->value, sizeof a->value) == 0 && a->payload_bytes == b->payload_bytes &&
           (a->payload_bytes == 0 || memcmp(a->payload, b->payload, a->payload_bytes) == 0);
}

#endif
