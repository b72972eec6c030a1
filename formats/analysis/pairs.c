/* pairs.c - the number of an end takes the place of its lane in the matcher. */
#include "analysis/pairs.h"

#include <stdlib.h>

#include "base/map.h"
#include "native/log.h"
#include "reader/iter.h"
#include "reader/match.h"

#define NONE UINT32_MAX

enum { WINDOW_MOST = 1 << 20 };

/* A message of the window, found by the lane, time and kind of either end. */
struct wanted {
    struct pithlog_message message;
    uint32_t number[2]; /* numbers of its send and receive; NONE until their records are seen */
    uint32_t next[2];   /* next with the same hash */
};

struct pithi_pairs {
    struct pithlog *log;
    struct pithi_match *match; /* NULL: a window */
    uint32_t rank;             /* of the last record; at the end, the rank to finish */
    int is_recv, is_rest;
    struct wanted *wanted;
    uint32_t count, room, found;
    struct pithi_map map;
    int64_t from_ns, to_ns;
    int is_full;
};

struct pithi_pairs *pithi_pairs_open(struct pithlog *log)
{
    struct pithi_pairs *p = calloc(1, sizeof *p);

    if (!p || !(p->match = pithi_match_new())) {
        free(p);
        return NULL;
    }
    p->log = log;
    if (pithi_match_incomplete(log))
        pithi_match_cut(p->match);
    return p;
}

void pithi_pairs_close(struct pithi_pairs *p)
{
    if (!p)
        return;
    pithi_match_free(p->match);
    pithi_map_free(&p->map);
    free(p->wanted);
    free(p);
}

void pithi_pairs_missing(struct pithi_pairs *p, uint32_t lane)
{
    uint32_t rank = pithi_log_rank_of(p->log, lane);

    if (p->match)
        pithi_match_missing(p->match, rank, pithi_log_rank(p->log, rank)->rank);
}

static void missing(void *pairs, uint32_t lane) { pithi_pairs_missing(pairs, lane); }

void pithi_pairs_follow(struct pithi_pairs *p, struct pithlog_iter *iter)
{
    pithi_iter_tell_holes(iter, (struct pithi_holes){missing, p});
}

void pithi_pairs_lost(struct pithi_pairs *p, const struct pithlog_record *r)
{
    if (pithi_match_is_hole(p->log, r))
        pithi_pairs_missing(p, r->lane);
}

/* ---- A window ---------------------------------------------------------------------------------------------------- */

int pithi_message_reaches(const struct pithlog_message *m, int64_t from_ns, int64_t to_ns)
{
    int is_turned = m->recv_ns < m->send_ns;
    int64_t first_ns = is_turned ? m->recv_ns : m->send_ns, last_ns = is_turned ? m->send_ns : m->recv_ns;

    return first_ns < to_ns && (last_ns > from_ns || first_ns >= from_ns);
}

static uint64_t key_of(uint32_t lane, int64_t time_ns, int is_recv)
{
    return ((uint64_t)lane << 1 | (unsigned)is_recv) * UINT64_C(0xd6e8feb86659fd93) ^
           (uint64_t)time_ns * UINT64_C(0x9e3779b97f4a7c15);
}

static void keep(void *context, const struct pithlog_message *m)
{
    struct pithi_pairs *p = context;

    if (p->is_full || !pithi_message_reaches(m, p->from_ns, p->to_ns))
        return;
    p->is_full = p->count == WINDOW_MOST || !pithi_grow(&p->wanted, p->count, &p->room, sizeof *p->wanted);
    if (p->is_full)
        return;
    struct wanted *wanted = &p->wanted[p->count];
    *wanted = (struct wanted){.message = *m, .number = {NONE, NONE}, .next = {NONE, NONE}};
    for (int is_recv = 0; is_recv < 2; is_recv++) {
        uint64_t key = is_recv ? key_of(m->recv_lane, m->recv_ns, 1) : key_of(m->send_lane, m->send_ns, 0);
        pithi_map_get(&p->map, key, &wanted->next[is_recv]);
        p->is_full |= !pithi_map_put(&p->map, key, p->count);
    }
    p->count++;
}

int pithi_pairs_open_window(struct pithlog *log, const struct pithlog_digest *digest, int64_t from_ns, int64_t to_ns,
                            int64_t *first_ns, int64_t *last_ns, struct pithi_pairs **pairs)
{
    struct pithlog_digest_window window = {.from_ns = from_ns, .to_ns = to_ns};
    struct pithi_pairs *p = *pairs = calloc(1, sizeof *p);
    double weight;
    int err;

    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    if (!p)
        return PITH_OK;
    *p = (struct pithi_pairs){.log = log, .from_ns = from_ns, .to_ns = to_ns};
    err = pithlog_digest_sample(digest, &window, UINT64_MAX, keep, p, &weight);
    for (uint32_t i = 0; i < p->count; i++)
        for (int is_recv = 0; is_recv < 2; is_recv++) {
            const struct pithlog_message *m = &p->wanted[i].message;
            int64_t time_ns = is_recv ? m->recv_ns : m->send_ns;
            *first_ns = time_ns < *first_ns ? time_ns : *first_ns;
            *last_ns = time_ns > *last_ns ? time_ns : *last_ns;
        }
    if (err || p->is_full) {
        pithi_pairs_close(p);
        *pairs = NULL;
    }
    return err;
}

int pithi_pairs_are_of_window(const struct pithi_pairs *p) { return !p->match; }

/* ---- Both -------------------------------------------------------------------------------------------------------- */

/* In a window: finds the message that has this record as its end, if no earlier record was taken for it. */
int pithi_pairs_want(struct pithi_pairs *p, const struct pithlog_record *r)
{
    int is_recv = r->kind == PITHLOG_RECV;

    if (p->match)
        return 1;
    if (r->peer < 0 || !pithi_map_get(&p->map, key_of(r->lane, r->time_ns, is_recv), &p->found))
        return 0;
    for (; p->found != NONE; p->found = p->wanted[p->found].next[is_recv]) {
        const struct wanted *wanted = &p->wanted[p->found];
        const struct pithlog_message *m = &wanted->message;
        uint32_t lane = is_recv ? m->recv_lane : m->send_lane, other = is_recv ? m->send_lane : m->recv_lane;
        if (wanted->number[is_recv] == NONE && lane == r->lane && (is_recv ? m->recv_ns : m->send_ns) == r->time_ns &&
            m->tag == r->tag && m->comm == r->comm &&
            pithi_log_rank(p->log, pithi_log_rank_of(p->log, other))->rank == r->peer)
            return 1;
    }
    return 0;
}

int pithi_pairs_take(struct pithi_pairs *p, const struct pithlog_record *r, uint32_t number,
                     struct pithlog_message *message)
{
    p->is_recv = r->kind == PITHLOG_RECV;
    if (p->match) {
        p->rank = pithi_log_rank_of(p->log, r->lane);
        return pithi_match_take(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, r, number, message);
    }
    struct wanted *wanted = &p->wanted[p->found];
    wanted->number[p->is_recv] = number;
    *message = wanted->message;
    message->send_lane = wanted->number[0];
    message->recv_lane = wanted->number[1];
    return message->send_lane != NONE && message->recv_lane != NONE;
}

int pithi_pairs_more(struct pithi_pairs *p, struct pithlog_message *message)
{
    if (!p->match || !p->is_recv)
        return 0;
    return pithi_match_ready(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, 0, message);
}

int pithi_pairs_rest(struct pithi_pairs *p, struct pithlog_message *message)
{
    int status = 0;

    if (!p->match)
        return 0;
    if (!p->is_rest)
        p->rank = 0;
    p->is_rest = 1;
    for (; p->rank < pithi_log_ranks(p->log); p->rank++)
        if ((status = pithi_match_ready(p->match, p->rank, pithi_log_rank(p->log, p->rank)->rank, 1, message)) != 0)
            return status;
    return 0;
}
