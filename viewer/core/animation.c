/* animation.c - reads a running program or a log for its animation. */
#include "core/animation.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/palette.h"

enum {
    MOST_CHANGES = 6000000,  /* held: 96 MB */
    MOST_MESSAGES = 1000000, /* 48 MB */
    STEPS_A_LOOK = 150000,
    DAMAGES_A_LOOK = 10000
};

/* ---- Lanes and definitions --------------------------------------------------------------------------------------- */

const struct pithlog_def *pithi_anim_def(const struct pithi_anim *anim, uint32_t id)
{
    return anim->follow ? pithlog_follow_get_def(anim->follow, id) : pithlog_get_def(anim->log, id);
}

static const struct pithlog_lane *get_lane(const struct pithi_anim *anim, uint32_t lane)
{
    return anim->follow ? pithlog_follow_get_lane(anim->follow, lane) : pithlog_get_lane(anim->log, lane);
}

static void update_defs(struct pithi_anim *anim, uint32_t defs)
{
    unsigned char *used;

    if (defs == anim->defs && anim->rgb)
        return;
    used = pithi_alloc(defs ? defs : 1, 1);
    if (anim->defs)
        memcpy(used, anim->used, anim->defs);
    free(anim->used);
    anim->used = used;
    free(anim->rgb);
    anim->rgb = anim->follow ? pithi_palette_make_live(anim->follow) : pithi_palette_make(anim->log);
    anim->defs = defs;
}

static void update_lanes(struct pithi_anim *anim, uint32_t lanes, uint32_t ranks)
{
    anim->lanes = pithi_view_grow(anim->lanes, &anim->lane_capacity, lanes, sizeof *anim->lanes);
    for (; anim->lane_count < lanes; anim->lane_count++)
        memset(&anim->lanes[anim->lane_count], 0, sizeof *anim->lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = get_lane(anim, i);
        anim->lanes[i].rank = lane->rank;
        anim->lanes[i].thread = lane->thread;
        if (lane->rank >= 0 && (uint32_t)lane->rank >= ranks && lane->rank < 1 << 20)
            ranks = (uint32_t)lane->rank + 1;
    }
    anim->lane_of_rank = pithi_view_grow(anim->lane_of_rank, &anim->rank_capacity, ranks, sizeof(uint32_t));
    anim->ranks = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++)
        anim->lane_of_rank[rank] = PITHI_NONE;
    for (uint32_t i = lanes; i-- > 0;) { /* the main thread is the one with the lowest number */
        int32_t rank = anim->lanes[i].rank;
        if (rank >= 0 && (uint32_t)rank < ranks &&
            (anim->lane_of_rank[rank] == PITHI_NONE ||
             anim->lanes[i].thread <= anim->lanes[anim->lane_of_rank[rank]].thread))
            anim->lane_of_rank[rank] = i;
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

/* From `time_ns` on, the lane's innermost state is `state`. */
static void change(struct pithi_anim *anim, struct pithi_anim_lane *lane, int64_t time_ns, uint32_t state)
{
    struct pithi_anim_change *last = lane->count ? &lane->changes[lane->count - 1] : NULL;

    if (state < anim->defs)
        anim->used[state] = 1;
    if (last && last->time_ns == time_ns) {
        last->state = state;
        return;
    }
    lane->changes = pithi_view_grow(lane->changes, &lane->capacity, lane->count + 1, sizeof *lane->changes);
    lane->changes[lane->count].time_ns = time_ns;
    lane->changes[lane->count++].state = state;
    anim->changes++;
}

/* Notes the ends of MPI_Init and the first begin of MPI_Finalize. */
static void note_call(struct pithi_anim *anim, enum pithlog_kind kind, uint32_t id, int64_t time_ns)
{
    const struct pithlog_def *def = pithi_anim_def(anim, id);

    if (kind == PITHLOG_LEAVE && pithlog_is_init(def) && time_ns > anim->work_ns) {
        anim->work_ns = time_ns;
        anim->inits++;
    }
    if (kind == PITHLOG_ENTER && pithlog_is_finalize(def) && anim->rest_ns == INT64_MIN)
        anim->rest_ns = time_ns;
}

/* Of a log: which state the lane is in after the step. In a hole it is unknown. */
static void take_step(struct pithi_anim *anim, const struct pithlog_step *step)
{
    struct pithi_anim_lane *lane = &anim->lanes[step->lane];
    uint32_t depth = step->depth, state;
    int is_hole = step->is == PITHLOG_IS_HOLE;

    if (step->why == PITHLOG_AT_EDGE || step->change == PITHLOG_EDGE || (step->change == PITHLOG_HAPPENS && !is_hole))
        return;
    if (step->change == PITHLOG_BEGINS || step->change == PITHLOG_ENDS) {
        anim->records++;
        if (!step->why)
            note_call(anim, step->record->kind, step->record->id, step->to_ns);
    }
    if (step->change == PITHLOG_ENDS && step->at + 1 == depth)
        depth--;
    state = depth ? step->open[depth - 1].id : PITHI_NONE;
    if (step->change == PITHLOG_BEGINS)
        state = step->record->id;
    if (step->change == PITHLOG_HOLE_BEGINS || (is_hole && step->change == PITHLOG_ENDS && step->why))
        state = PITHI_ABSENT;
    change(anim, lane, step->to_ns, state);
}

/* Of a running program, which cannot be walked: its lanes are followed as they record. */
static void take_record(struct pithi_anim *anim, const struct pithlog_record *record)
{
    struct pithi_anim_lane *lane;

    anim->records++;
    if (record->lane >= anim->lane_count)
        return;
    lane = &anim->lanes[record->lane];
    if (record->kind == PITHLOG_LOST && record->bytes) /* until the next record, its state is unknown */
        change(anim, lane, record->time_ns, PITHI_ABSENT);
    if (record->kind != PITHLOG_ENTER && record->kind != PITHLOG_LEAVE)
        return;
    if (record->kind == PITHLOG_ENTER) {
        lane->stack = pithi_view_grow(lane->stack, &lane->stack_capacity, lane->depth + 1, sizeof *lane->stack);
        lane->stack[lane->depth++] = record->id;
    }
    for (uint32_t i = lane->depth; record->kind == PITHLOG_LEAVE && i-- > 0;)
        if (lane->stack[i] == record->id) { /* states inside it stay open */
            memmove(lane->stack + i, lane->stack + i + 1, (lane->depth - i - 1) * sizeof *lane->stack);
            lane->depth--;
            break;
        }
    note_call(anim, record->kind, record->id, record->time_ns);
    change(anim, lane, record->time_ns, lane->depth ? lane->stack[lane->depth - 1] : PITHI_NONE);
}

/* Inserts a message by send time. Messages arrive in the order of their receives, so the position is near the end. */
static void take_message(struct pithi_anim *anim, const struct pithlog_message *message)
{
    struct pithi_anim_message added = {message->send_ns,   message->recv_ns, message->send_lane,
                                       message->recv_lane, message->tag,     message->bytes};
    uint32_t at = anim->message_count;

    if (added.recv_ns - added.send_ns > anim->longest_ns)
        anim->longest_ns = added.recv_ns - added.send_ns;
    anim->messages = pithi_view_grow(anim->messages, &anim->message_capacity, at + 1, sizeof added);
    while (at > 0 && anim->messages[at - 1].send_ns > added.send_ns)
        at--;
    memmove(anim->messages + at + 1, anim->messages + at, (anim->message_count - at) * sizeof added);
    anim->messages[at] = added;
    anim->message_count++;
}

/* ---- Dropping ---------------------------------------------------------------------------------------------------- */

/* The first change after `time_ns`. */
static uint32_t change_after(const struct pithi_anim_lane *lane, int64_t time_ns)
{
    uint32_t from = 0, to = lane->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (lane->changes[middle].time_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void drop_before(struct pithi_anim *anim, int64_t before_ns)
{
    uint32_t messages = pithi_anim_message_after(anim, before_ns);

    for (uint32_t i = 0; i < anim->lane_count; i++) {
        struct pithi_anim_lane *lane = &anim->lanes[i];
        uint32_t gone = change_after(lane, before_ns);
        gone -= gone > 0; /* keep the state at that moment */
        memmove(lane->changes, lane->changes + gone, (lane->count - gone) * sizeof *lane->changes);
        lane->count -= gone;
        anim->changes -= gone;
    }
    memmove(anim->messages, anim->messages + messages, (anim->message_count - messages) * sizeof *anim->messages);
    anim->message_count -= messages;
    anim->messages_dropped += messages;
    if (before_ns > anim->begin_ns)
        anim->begin_ns = before_ns;
}

static int is_full(const struct pithi_anim *anim)
{
    return anim->changes > MOST_CHANGES || anim->message_count > MOST_MESSAGES;
}

/* ---- Reading on -------------------------------------------------------------------------------------------------- */

static int look_live(struct pithi_anim *anim)
{
    const struct pithlog_follow_info *info = pithlog_follow_get_info(anim->follow);
    struct pithlog_record record;
    struct pithlog_message message;
    int more = 1, err = pithlog_follow_look(anim->follow);

    if (err)
        return err;
    update_defs(anim, info->defs);
    update_lanes(anim, info->lanes, info->ranks);
    while (more && (more = pithlog_follow_next(anim->follow, &record)) == 1) {
        if (!anim->records || record.time_ns < anim->begin_ns)
            anim->begin_ns = record.time_ns;
        take_record(anim, &record);
        while (pithlog_follow_message(anim->follow, &message))
            take_message(anim, &message);
        if (is_full(anim))
            drop_before(anim, record.time_ns - (record.time_ns - anim->begin_ns) / 2);
    }
    anim->lost = info->lost;
    anim->ended = info->ended;
    anim->finished = info->finished;
    if (!anim->ended)
        anim->now_ns = info->now_ns;
    else if (anim->records) { /* stop the clock at the last record */
        anim->now_ns = anim->begin_ns;
        for (uint32_t i = 0; i < info->lanes; i++)
            if (get_lane(anim, i)->last_ns > anim->now_ns)
                anim->now_ns = get_lane(anim, i)->last_ns;
    }
    return more < 0 ? PITH_ERR_MEMORY : PITH_OK;
}

static int look_log(struct pithi_anim *anim, int64_t keep_ns)
{
    const struct pithlog_info *info = pithlog_get_info(anim->log);

    if (is_full(anim)) {
        if (keep_ns <= anim->begin_ns)
            return PITH_OK;
        drop_before(anim, keep_ns);
    }
    for (int i = 0; i < STEPS_A_LOOK && !anim->ended && !is_full(anim); i++) {
        struct pithlog_step step;
        int status = pithlog_walk_next(anim->walk, &step);
        if (status < 0 && !anim->trouble)
            anim->trouble = strdup(pithlog_error());
        if (status == 0) {
            anim->ended = anim->finished = 1;
            anim->now_ns = info->end_ns;
            break;
        }
        if (status == 1) {
            take_step(anim, &step);
            anim->now_ns = step.to_ns > anim->now_ns ? step.to_ns : anim->now_ns;
        }
    }
    for (int damages = 0; damages < DAMAGES_A_LOOK;) { /* without memory, the matcher fails each time */
        if (!anim->has_message) {
            int status = pithlog_matcher_next(anim->matcher, &anim->next_message);
            if (status == 0)
                break;
            if (status < 0) { /* messages follow */
                damages++;
                continue;
            }
        }
        anim->has_message = !anim->ended && anim->next_message.recv_ns > anim->now_ns;
        if (anim->has_message)
            break;
        take_message(anim, &anim->next_message);
    }
    return PITH_OK;
}

int pithi_anim_look(struct pithi_anim *anim, int64_t keep_ns)
{
    return anim->follow ? look_live(anim) : look_log(anim, keep_ns);
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

uint32_t pithi_anim_state(const struct pithi_anim *anim, uint32_t rank, int64_t time_ns)
{
    const struct pithi_anim_lane *lane;
    uint32_t at;

    if (rank >= anim->ranks || anim->lane_of_rank[rank] == PITHI_NONE)
        return PITHI_ABSENT;
    lane = &anim->lanes[anim->lane_of_rank[rank]];
    at = change_after(lane, time_ns);
    if (at == 0 || (at == lane->count && anim->ended && lane->changes[at - 1].state == PITHI_NONE))
        return PITHI_ABSENT;
    return lane->changes[at - 1].state;
}

uint32_t pithi_anim_message_after(const struct pithi_anim *anim, int64_t time_ns)
{
    uint32_t from = 0, to = anim->message_count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (anim->messages[middle].send_ns <= time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

uint64_t pithi_anim_sent(const struct pithi_anim *anim, int64_t time_ns)
{
    return anim->messages_dropped + pithi_anim_message_after(anim, time_ns);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static struct pithi_anim *new_animation(void)
{
    struct pithi_anim *anim = pithi_alloc(1, sizeof *anim);

    anim->work_ns = anim->rest_ns = INT64_MIN;
    return anim;
}

int pithi_anim_follow(const char *path, struct pithi_anim **anim)
{
    struct pithlog_follow *follow;
    int err = pithlog_follow_open(path, &follow);

    *anim = NULL;
    if (err)
        return err;
    *anim = new_animation();
    (*anim)->follow = follow;
    (*anim)->is_live = 1;
    return pithi_anim_look(*anim, INT64_MIN);
}

int pithi_anim_open(const char *path, struct pithi_anim **anim)
{
    struct pithi_anim *made = *anim = new_animation();
    const struct pithlog_info *info;
    int err = pithlog_open(path, &made->log);

    if (!err)
        err = pithlog_walk_open(made->log, NULL, &made->walk);
    if (!err)
        err = pithlog_matcher_open(made->log, &made->matcher);
    if (err) {
        pithi_anim_close(made);
        *anim = NULL;
        return err;
    }
    info = pithlog_get_info(made->log);
    update_defs(made, info->defs);
    update_lanes(made, info->lanes, info->ranks);
    made->lost = info->lost;
    made->begin_ns = made->now_ns = info->start_ns <= info->end_ns ? info->start_ns : 0;
    return pithi_anim_look(made, INT64_MIN);
}

void pithi_anim_close(struct pithi_anim *anim)
{
    if (!anim)
        return;
    for (uint32_t i = 0; i < anim->lane_count; i++) {
        free(anim->lanes[i].changes);
        free(anim->lanes[i].stack);
    }
    pithlog_matcher_close(anim->matcher);
    pithlog_walk_close(anim->walk);
    pithlog_close(anim->log);
    pithlog_follow_close(anim->follow);
    free(anim->lanes);
    free(anim->lane_of_rank);
    free(anim->messages);
    free(anim->rgb);
    free(anim->used);
    free(anim->trouble);
    free(anim);
}
