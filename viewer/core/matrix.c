/* matrix.c - see matrix.h. */
#include "core/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/messages.h"

struct gathering {
    struct pithi_matrix *matrix;
    const struct pithi_matrix_query *query;
};

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* Lanes are sorted by rank. */
static void number_ranks(struct pithlog *log, struct pithi_matrix *matrix)
{
    uint32_t lanes = pithlog_get_info(log)->lanes;

    matrix->place = pithi_alloc(lanes, sizeof *matrix->place);
    matrix->ranks = pithi_alloc(lanes, sizeof *matrix->ranks);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        int32_t rank = pithlog_get_lane(log, lane)->rank;
        if (!matrix->rank_count || matrix->ranks[matrix->rank_count - 1] != rank)
            matrix->ranks[matrix->rank_count++] = rank;
        matrix->place[lane] = matrix->rank_count - 1;
    }
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

/* The slot of a pair, or the free one where it would be. */
static uint32_t *slot_of(const struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> 32) & (matrix->slot_count - 1);

    while (matrix->slots[i] &&
           (matrix->pairs[matrix->slots[i] - 1].from != from || matrix->pairs[matrix->slots[i] - 1].to != to))
        i = (i + 1) & (matrix->slot_count - 1);
    return &matrix->slots[i];
}

static void grow_slots(struct pithi_matrix *matrix)
{
    free(matrix->slots);
    matrix->slot_count = matrix->slot_count ? matrix->slot_count * 2 : 256;
    matrix->slots = pithi_alloc(matrix->slot_count, sizeof *matrix->slots);
    for (uint32_t i = 0; i < matrix->pair_count; i++)
        *slot_of(matrix, matrix->pairs[i].from, matrix->pairs[i].to) = i + 1;
}

static struct pithi_pair *have_pair(struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    uint32_t *slot;

    if (matrix->pair_count >= matrix->slot_count / 2)
        grow_slots(matrix);
    slot = slot_of(matrix, from, to);
    if (!*slot) {
        matrix->pairs =
            pithi_grow(matrix->pairs, &matrix->pair_capacity, matrix->pair_count + 1, sizeof *matrix->pairs);
        matrix->pairs[matrix->pair_count] = (struct pithi_pair){.from = from, .to = to};
        *slot = ++matrix->pair_count;
    }
    return &matrix->pairs[*slot - 1];
}

const struct pithi_pair *pithi_matrix_pair(const struct pithi_matrix *matrix, uint32_t from, uint32_t to)
{
    uint32_t slot = matrix->slot_count ? *slot_of(matrix, from, to) : 0;

    return slot ? &matrix->pairs[slot - 1] : NULL;
}

static int64_t lasted(const struct pithlog_message *message) { return message->recv_ns - message->send_ns; }

static struct pithi_pair *add_message(const struct gathering *gathering, const struct pithlog_message *message)
{
    struct pithi_matrix *matrix = gathering->matrix;
    struct pithi_pair *pair;

    if (gathering->query->comm != UINT32_MAX && gathering->query->comm != message->comm)
        return NULL;
    pair = have_pair(matrix, matrix->place[message->send_lane], matrix->place[message->recv_lane]);
    if (!pair->count || lasted(message) > lasted(&pair->longest))
        pair->longest = *message;
    pair->count++;
    pair->bytes += message->bytes;
    pair->time_ns += lasted(message);
    return pair;
}

static void take_message(void *context, const struct pithlog_message *message) { add_message(context, message); }

static void take_waiting(void *context, const struct pithi_waiting *waiting)
{
    const struct gathering *gathering = context;
    struct pithi_pair *pair = add_message(gathering, &waiting->message);
    struct pithi_late_state *state;

    if (!pair || waiting->state >= gathering->matrix->defs)
        return;
    pair->late_sender_ns += waiting->late_sender_ns;
    pair->late_receiver_ns += waiting->late_receiver_ns;
    state = &gathering->matrix->states[waiting->state];
    state->sender_count += waiting->late_sender_ns > 0;
    state->receiver_count += waiting->late_receiver_ns > 0;
    state->sender_ns += waiting->late_sender_ns;
    state->receiver_ns += waiting->late_receiver_ns;
}

int pithi_matrix_run(struct pithlog *log, const struct pithi_matrix_query *query, struct pithi_matrix *matrix)
{
    struct gathering gathering = {matrix, query};

    memset(matrix, 0, sizeof *matrix);
    matrix->defs = pithlog_get_info(log)->defs;
    matrix->states = pithi_alloc(matrix->defs, sizeof *matrix->states);
    number_ranks(log, matrix);
    if (query->late)
        return pithi_late_each(log, query->digest, query->t0_ns, query->t1_ns, &query->watch, take_waiting, &gathering);
    return pithi_messages_each(log, query->digest, query->t0_ns, query->t1_ns, &query->watch, take_message, &gathering);
}

void pithi_matrix_free(struct pithi_matrix *matrix)
{
    free(matrix->ranks);
    free(matrix->place);
    free(matrix->pairs);
    free(matrix->slots);
    free(matrix->states);
    memset(matrix, 0, sizeof *matrix);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

double pithi_pair_value(const struct pithi_pair *pair, enum pithi_matrix_value value)
{
    switch (value) {
    case PITHI_MATRIX_COUNT:
        return (double)pair->count;
    case PITHI_MATRIX_BYTES:
        return (double)pair->bytes;
    case PITHI_MATRIX_TIME:
        return (double)pair->time_ns;
    case PITHI_MATRIX_BANDWIDTH:
        return pair->time_ns > 0 ? (double)pair->bytes * 1e9 / (double)pair->time_ns : 0;
    case PITHI_MATRIX_LATE_SENDER:
        return (double)pair->late_sender_ns;
    case PITHI_MATRIX_LATE_RECEIVER:
        return (double)pair->late_receiver_ns;
    }
    return 0;
}

void pithi_pair_add(struct pithi_pair *sum, const struct pithi_pair *pair)
{
    if (!sum->count || pair->longest.recv_ns - pair->longest.send_ns > sum->longest.recv_ns - sum->longest.send_ns)
        sum->longest = pair->longest;
    sum->count += pair->count;
    sum->bytes += pair->bytes;
    sum->time_ns += pair->time_ns;
    sum->late_sender_ns += pair->late_sender_ns;
    sum->late_receiver_ns += pair->late_receiver_ns;
}
