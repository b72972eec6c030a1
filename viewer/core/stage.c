/* stage.c - reading a running program or a log for its animation; see stage.h. */
#include "core/stage.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"
#include "core/work.h"

enum {
    MOST_CHANGES = 6000000, /* held: 96 MB */
    MOST_FLIGHTS = 1000000, /* 48 MB */
    RECORDS_A_LOOK = 150000
};

/* ---- What is known of lanes and definitions ---------------------------------------------------------------------- */

const struct pithlog_def *pithi_stage_def(const struct pithi_stage *stage, uint32_t id)
{
    return stage->follow ? pithlog_follow_get_def(stage->follow, id) : pithlog_get_def(stage->log, id);
}

static const struct pithlog_lane *get_lane(const struct pithi_stage *stage, uint32_t lane)
{
    return stage->follow ? pithlog_follow_get_lane(stage->follow, lane) : pithlog_get_lane(stage->log, lane);
}

static void update_defs(struct pithi_stage *stage, uint32_t defs)
{
    unsigned char *used;

    if (defs == stage->defs && stage->rgb)
        return;
    used = pithi_alloc(defs ? defs : 1, 1);
    if (stage->defs)
        memcpy(used, stage->used, stage->defs);
    free(stage->used);
    stage->used = used;
    free(stage->rgb);
    stage->rgb = stage->follow ? pithi_palette_make_live(stage->follow) : pithi_palette_make(stage->log);
    stage->defs = defs;
}

static void update_lanes(struct pithi_stage *stage, uint32_t lanes, uint32_t ranks)
{
    stage->actors = pithi_grow(stage->actors, &stage->actor_capacity, lanes, sizeof *stage->actors);
    for (; stage->actor_count < lanes; stage->actor_count++)
        memset(&stage->actors[stage->actor_count], 0, sizeof *stage->actors);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = get_lane(stage, i);
        stage->actors[i].rank = lane->rank;
        stage->actors[i].thread = lane->thread;
        if (lane->rank >= 0 && (uint32_t)lane->rank >= ranks && lane->rank < 1 << 20)
            ranks = (uint32_t)lane->rank + 1;
    }
    stage->actor_of_rank = pithi_grow(stage->actor_of_rank, &stage->rank_capacity, ranks, sizeof(uint32_t));
    stage->ranks = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        stage->actor_of_rank[rank] = PITHI_NONE;
    for (uint32_t i = lanes; i-- > 0;) { /* of several, the first one: the main thread */
        int32_t rank = stage->actors[i].rank;
        if (rank >= 0 && (uint32_t)rank < ranks &&
            (stage->actor_of_rank[rank] == PITHI_NONE ||
             stage->actors[i].thread <= stage->actors[stage->actor_of_rank[rank]].thread))
            stage->actor_of_rank[rank] = i;
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void add_change(struct pithi_stage *stage, struct pithi_actor *actor, int64_t time_ns)
{
    uint32_t state = actor->depth ? actor->stack[actor->depth - 1] : PITHI_NONE;
    struct pithi_change *last = actor->count ? &actor->changes[actor->count - 1] : NULL;

    if (state != PITHI_NONE && state < stage->defs)
        stage->used[state] = 1;
    if (last && last->time_ns == time_ns) {
        last->state = state;
        return;
    }
    actor->changes = pithi_grow(actor->changes, &actor->capacity, actor->count + 1, sizeof *actor->changes);
    actor->changes[actor->count].time_ns = time_ns;
    actor->changes[actor->count++].state = state;
    stage->changes++;
}

/* Leaves the innermost open state of that id; those inside it, left open, stay. */
static void pop(struct pithi_actor *actor, uint32_t id)
{
    for (uint32_t i = actor->depth; i-- > 0;)
        if (actor->stack[i] == id) {
            memmove(actor->stack + i, actor->stack + i + 1, (actor->depth - i - 1) * sizeof *actor->stack);
            actor->depth--;
            return;
        }
}

static void note_work(struct pithi_stage *stage, const struct pithlog_record *record)
{
    const struct pithlog_def *def = pithi_stage_def(stage, record->id);

    if (record->kind == PITHLOG_LEAVE && pithi_is_init(def) && record->time_ns > stage->work_ns) {
        stage->work_ns = record->time_ns;
        stage->inits++;
    }
    if (record->kind == PITHLOG_ENTER && pithi_is_finalize(def) && stage->rest_ns == INT64_MIN)
        stage->rest_ns = record->time_ns;
}

static void take_record(struct pithi_stage *stage, const struct pithlog_record *record)
{
    struct pithi_actor *actor;

    stage->records++;
    if (record->lane >= stage->actor_count || (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE))
        return;
    actor = &stage->actors[record->lane];
    if (record->kind == PITHLOG_ENTER) {
        actor->stack = pithi_grow(actor->stack, &actor->stack_capacity, actor->depth + 1, sizeof *actor->stack);
        actor->stack[actor->depth++] = record->id;
    } else {
        pop(actor, record->id);
    }
    note_work(stage, record);
    add_change(stage, actor, record->time_ns);
}

/* They come in the order of their ends: the place by the time of sending is near the end. */
static void take_message(struct pithi_stage *stage, const struct pithlog_message *message)
{
    struct pithi_flight flight = {message->send_ns, message->recv_ns,  message->send_lane,
                                  message->recv_lane, message->tag, message->bytes};
    uint32_t at = stage->flight_count;

    if (flight.recv_ns - flight.send_ns > stage->longest_ns)
        stage->longest_ns = flight.recv_ns - flight.send_ns;
    stage->flights = pithi_grow(stage->flights, &stage->flight_capacity, at + 1, sizeof flight);
    while (at > 0 && stage->flights[at - 1].send_ns > flight.send_ns)
        at--;
    memmove(stage->flights + at + 1, stage->flights + at, (stage->flight_count - at) * sizeof flight);
    stage->flights[at] = flight;
    stage->flight_count++;
}

/* ---- Forgetting -------------------------------------------------------------------------------------------------- */

/* The first change after `time_ns`. */
static uint32_t change_after(const struct pithi_actor *actor, int64_t time_ns)
{
    uint32_t from = 0, to = actor->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (actor->changes[middle].time_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint32_t flight_after(const struct pithi_stage *stage, int64_t time_ns)
{
    uint32_t from = 0, to = stage->flight_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (stage->flights[middle].send_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void forget(struct pithi_stage *stage, int64_t before_ns)
{
    uint32_t flights = flight_after(stage, before_ns);

    for (uint32_t i = 0; i < stage->actor_count; i++) {
        struct pithi_actor *actor = &stage->actors[i];
        uint32_t gone = change_after(actor, before_ns);
        gone -= gone > 0; /* the state at that moment stays */
        memmove(actor->changes, actor->changes + gone, (actor->count - gone) * sizeof *actor->changes);
        actor->count -= gone;
        stage->changes -= gone;
    }
    memmove(stage->flights, stage->flights + flights, (stage->flight_count - flights) * sizeof *stage->flights);
    stage->flight_count -= flights;
    stage->flights_dropped += flights;
    if (before_ns > stage->begin_ns)
        stage->begin_ns = before_ns;
}

static int is_full(const struct pithi_stage *stage)
{
    return stage->changes > MOST_CHANGES || stage->flight_count > MOST_FLIGHTS;
}

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

static int look_live(struct pithi_stage *stage)
{
    const struct pithlog_follow_info *info = pithlog_follow_get_info(stage->follow);
    struct pithlog_record record;
    struct pithlog_message message;
    int more = 1, err = pithlog_follow_look(stage->follow);

    if (err)
        return err;
    update_defs(stage, info->defs);
    update_lanes(stage, info->lanes, info->ranks);
    while (more && (more = pithlog_follow_next(stage->follow, &record)) == 1) {
        if (!stage->records || record.time_ns < stage->begin_ns)
            stage->begin_ns = record.time_ns;
        take_record(stage, &record);
        while (pithlog_follow_message(stage->follow, &message))
            take_message(stage, &message);
        if (is_full(stage))
            forget(stage, record.time_ns - (record.time_ns - stage->begin_ns) / 2);
    }
    stage->lost = info->lost;
    stage->ended = info->ended;
    stage->finished = info->finished;
    if (!stage->ended)
        stage->now_ns = info->now_ns;
    else if (stage->records) { /* the clock stops with the last record */
        stage->now_ns = stage->begin_ns;
        for (uint32_t i = 0; i < info->lanes; i++)
            if (get_lane(stage, i)->last_ns > stage->now_ns)
                stage->now_ns = get_lane(stage, i)->last_ns;
    }
    return more < 0 ? PITH_ERR_MEMORY : PITH_OK;
}

static int look_log(struct pithi_stage *stage, int64_t keep_ns)
{
    const struct pithlog_info *info = pithlog_get_info(stage->log);
    int status = 1;

    if (is_full(stage)) {
        if (keep_ns <= stage->begin_ns)
            return PITH_OK;
        forget(stage, keep_ns);
    }
    for (int i = 0; i < RECORDS_A_LOOK && !stage->ended && !is_full(stage) && status >= 0; i++) {
        struct pithlog_record record;
        status = pithlog_iter_next(stage->iter, &record);
        if (status == 0) {
            stage->ended = stage->finished = 1;
            stage->now_ns = info->end_ns;
            break;
        }
        if (status == 1) {
            take_record(stage, &record);
            stage->now_ns = record.time_ns;
        }
    }
    while (stage->has_message ||
           (stage->has_message = pithlog_matcher_next(stage->matcher, &stage->next_message) == 1)) {
        if (!stage->ended && stage->next_message.recv_ns > stage->now_ns)
            break;
        take_message(stage, &stage->next_message);
        stage->has_message = 0;
    }
    return status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_stage_look(struct pithi_stage *stage, int64_t keep_ns)
{
    return stage->follow ? look_live(stage) : look_log(stage, keep_ns);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

uint32_t pithi_stage_state(const struct pithi_stage *stage, uint32_t rank, int64_t time_ns)
{
    const struct pithi_actor *actor;
    uint32_t at;

    if (rank >= stage->ranks || stage->actor_of_rank[rank] == PITHI_NONE)
        return PITHI_ABSENT;
    actor = &stage->actors[stage->actor_of_rank[rank]];
    at = change_after(actor, time_ns);
    if (at == 0 || (at == actor->count && stage->ended && actor->changes[at - 1].state == PITHI_NONE))
        return PITHI_ABSENT;
    return actor->changes[at - 1].state;
}

uint64_t pithi_stage_sent(const struct pithi_stage *stage, int64_t time_ns)
{
    return stage->flights_dropped + flight_after(stage, time_ns);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static struct pithi_stage *make(void)
{
    struct pithi_stage *stage = pithi_alloc(1, sizeof *stage);

    stage->work_ns = stage->rest_ns = INT64_MIN;
    return stage;
}

int pithi_stage_follow(const char *path, struct pithi_stage **stage)
{
    struct pithlog_follow *follow;
    int err = pithlog_follow_open(path, &follow);

    *stage = NULL;
    if (err)
        return err;
    *stage = make();
    (*stage)->follow = follow;
    (*stage)->is_live = 1;
    return pithi_stage_look(*stage, INT64_MIN);
}

int pithi_stage_open(const char *path, struct pithi_stage **stage)
{
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE};
    struct pithi_stage *made = *stage = make();
    const struct pithlog_info *info;
    int err = pithlog_open(path, &made->log);

    if (!err)
        err = pithlog_iter_open(made->log, &query, &made->iter);
    if (!err)
        err = pithlog_matcher_open(made->log, &made->matcher);
    if (err) {
        pithi_stage_close(made);
        *stage = NULL;
        return err;
    }
    info = pithlog_get_info(made->log);
    update_defs(made, info->defs);
    update_lanes(made, info->lanes, info->ranks);
    made->lost = info->lost;
    made->begin_ns = made->now_ns = info->start_ns <= info->end_ns ? info->start_ns : 0;
    return pithi_stage_look(made, INT64_MIN) == PITH_ERR_MEMORY ? PITH_ERR_MEMORY : PITH_OK;
}

void pithi_stage_close(struct pithi_stage *stage)
{
    if (!stage)
        return;
    for (uint32_t i = 0; i < stage->actor_count; i++) {
        free(stage->actors[i].changes);
        free(stage->actors[i].stack);
    }
    pithlog_matcher_close(stage->matcher);
    if (stage->iter)
        pithlog_iter_close(stage->iter);
    pithlog_close(stage->log);
    pithlog_follow_close(stage->follow);
    free(stage->actors);
    free(stage->actor_of_rank);
    free(stage->flights);
    free(stage->rgb);
    free(stage->used);
    free(stage);
}
