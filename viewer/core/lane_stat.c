/* lane_stat.c - numbers of lanes; see lane_stat.h. */
#include "core/lane_stat.h"

/* A query without columns gives sums alone. */
static int stat_of_states(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value)
{
    struct pithi_query query = {.t0_ns = question->t0_ns,
                                .t1_ns = question->t1_ns,
                                .levels = 1,
                                .lanes = &lane,
                                .lane_count = 1,
                                .summary = question->summary};
    struct pithi_cells cells = {0};
    int err = pithi_query_run(log, &query, &cells);

    for (uint32_t id = 0; id < cells.defs; id++) {
        const struct pithi_sum *sum = &cells.sums[id];
        if (question->chosen[id])
            *value += question->stat == PITHI_STAT_COUNT       ? (double)sum->count
                      : question->stat == PITHI_STAT_INCLUSIVE ? (double)sum->inclusive_ns
                                                               : (double)sum->exclusive_ns;
    }
    pithi_cells_free(&cells);
    return err;
}

static int stat_of_messages(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane,
                            double *value)
{
    struct pithlog_query records = {.from_ns = question->t0_ns,
                                    .to_ns = question->t1_ns - 1,
                                    .lanes = &lane,
                                    .lane_count = 1,
                                    .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int more, damages = 0, err = pithlog_iter_open(log, &records, &iter);

    if (err)
        return err;
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0;
        if (more == 1 && record.peer >= 0) /* a receive without a message has none */
            *value += question->stat == PITHI_STAT_BYTES ? (double)record.bytes : 1;
    }
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_lane_stat(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value)
{
    *value = 0;
    if (question->stat == PITHI_STAT_MESSAGES || question->stat == PITHI_STAT_BYTES)
        return stat_of_messages(log, question, lane, value);
    return stat_of_states(log, question, lane, value);
}
