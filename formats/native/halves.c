/* halves.c - see halves.h. */
#include "native/halves.h"

#include "error.h"
#include "native/bytes.h"
#include "native/log.h"

static int no_memory(const struct pithlog *log)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for the messages that are cut", log->path);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Records that agree in all of this may stand for each other. */
static uint64_t end_key(uint32_t kind, uint32_t lane, int64_t time_ns, uint32_t comm, int32_t peer, int32_t tag)
{
    uint64_t hash = mix(mix(0, (uint64_t)kind << 32 | lane), (uint64_t)time_ns);
    return mix(mix(hash, (uint64_t)comm << 32 | (uint32_t)tag), (uint32_t)peer);
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

struct finding {
    struct pithi_halves *halves;
    struct pithlog *log;
    const struct pithlog_query *query;
    const unsigned char *kept;
};

static int inside(const struct finding *f, uint32_t lane, int64_t time_ns)
{
    return f->kept[lane] && time_ns >= f->query->from_ns && time_ns <= f->query->to_ns;
}

/* Something of the lane's rank is in the part. */
static int rank_inside(const struct finding *f, uint32_t lane)
{
    const struct pithi_log_rank *rank = pithi_log_rank(f->log, pithi_log_rank_of(f->log, lane));
    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (f->kept[rank->first_lane + i])
            return 1;
    return 0;
}

static int32_t rank_of(const struct finding *f, uint32_t lane)
{
    return pithi_log_rank(f->log, pithi_log_rank_of(f->log, lane))->rank;
}

static int note(struct finding *f, uint64_t key)
{
    uint32_t count = 0;
    pithi_map_get(&f->halves->ends, key, &count);
    return pithi_map_put(&f->halves->ends, key, count + 1) ? PITH_OK : no_memory(f->log);
}

static int look_at(struct finding *f, const struct pithlog_message *m)
{
    int send = inside(f, m->send_lane, m->send_ns), recv = inside(f, m->recv_lane, m->recv_ns);
    if (send == recv || !rank_inside(f, send ? m->recv_lane : m->send_lane))
        return PITH_OK;
    return note(f, send ? end_key(PITHLOG_SEND, m->send_lane, m->send_ns, m->comm, rank_of(f, m->recv_lane), m->tag)
                        : end_key(PITHLOG_RECV, m->recv_lane, m->recv_ns, m->comm, rank_of(f, m->send_lane), m->tag));
}

static int find_ends(struct finding *f)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    int status = 0, err = pithlog_matcher_open(f->log, &matcher);
    if (err != PITH_OK)
        return err;
    while (err == PITH_OK && (status = pithlog_matcher_next(matcher, &message)) == 1)
        err = look_at(f, &message);
    pithlog_matcher_close(matcher);
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

/* ---- Numbers of posting ------------------------------------------------------------------------------------------ */

/* The first run that ends at or behind `posted`. */
static uint32_t find_run(const struct pithi_postings *p, uint64_t posted)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->runs[middle].last < posted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 0: no memory. */
static int add_posting(struct pithi_postings *p, uint64_t posted)
{
    uint32_t i = find_run(p, posted);
    if (i < p->count && p->runs[i].first <= posted)
        return 1; /* seen before */
    int follows = i > 0 && p->runs[i - 1].last + 1 == posted, leads = i < p->count && p->runs[i].first - 1 == posted;
    if (follows && leads) {
        p->runs[i - 1].last = p->runs[i].last;
        memmove(p->runs + i, p->runs + i + 1, (--p->count - i) * sizeof *p->runs);
    } else if (follows) {
        p->runs[i - 1].last = posted;
    } else if (leads) {
        p->runs[i].first = posted;
    } else {
        if (!pithi_grow(&p->runs, p->count, &p->room, sizeof *p->runs))
            return 0;
        memmove(p->runs + i + 1, p->runs + i, (p->count++ - i) * sizeof *p->runs);
        p->runs[i] = (struct pithi_posting_run){posted, posted, 0};
    }
    return 1;
}

static void count_postings(struct pithi_postings *p)
{
    for (uint32_t i = 1; i < p->count; i++)
        p->runs[i].before = p->runs[i - 1].before + (p->runs[i - 1].last - p->runs[i - 1].first) + 1;
}

static int find_postings(struct finding *f)
{
    struct pithlog_query query = *f->query;
    struct pithlog_record r;
    struct pithlog_iter *iter;
    int status = 0, err;
    query.kinds = 1u << PITHLOG_RECV;
    query.flags = 0;
    if ((err = pithlog_iter_open(f->log, &query, &iter)) != PITH_OK)
        return err;
    while (err == PITH_OK && (status = pithlog_iter_next(iter, &r)) == 1)
        if (!add_posting(&f->halves->ranks[pithi_log_rank_of(f->log, r.lane)], r.posted))
            err = no_memory(f->log);
    pithlog_iter_close(iter);
    for (uint32_t i = 0; i < f->halves->rank_count; i++)
        count_postings(&f->halves->ranks[i]);
    return status < 0 ? PITH_ERR_DAMAGED : err;
}

static uint64_t dense(const struct pithi_postings *p, uint64_t posted)
{
    uint32_t i = find_run(p, posted);
    return i < p->count ? p->runs[i].before + (posted - p->runs[i].first) : posted;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

int pithi_halves_find(struct pithi_halves *halves, struct pithlog *log, const struct pithlog_query *query,
                      const unsigned char *kept)
{
    struct finding f = {halves, log, query, kept};
    halves->rank_count = pithi_log_ranks(log);
    if (!(halves->ranks = calloc(halves->rank_count + (size_t)1, sizeof *halves->ranks)))
        return no_memory(log);
    if (pithlog_get_info(log)->messages == 0)
        return PITH_OK;
    int err = find_ends(&f);
    return err == PITH_OK ? find_postings(&f) : err;
}

void pithi_halves_mend(struct pithi_halves *halves, uint32_t rank, struct pithlog_record *r)
{
    uint64_t key = end_key(r->kind, r->lane, r->time_ns, r->comm, r->peer, r->tag);
    uint32_t count = 0;
    if (pithi_map_get(&halves->ends, key, &count) && count > 0) {
        pithi_map_put(&halves->ends, key, count - 1);
        r->peer = -1;
    }
    if (r->kind == PITHLOG_RECV)
        r->posted = dense(&halves->ranks[rank], r->posted);
}

void pithi_halves_free(struct pithi_halves *halves)
{
    for (uint32_t i = 0; halves->ranks && i < halves->rank_count; i++)
        free(halves->ranks[i].runs);
    free(halves->ranks);
    pithi_map_free(&halves->ends);
}
