/* interval.c - adds up the states and messages of an interval, by row.
 *
 * States need no code of their own: a query for one cell that covers the interval has all sums (core/cells). Where the
 * interval covers whole parts of a summary, their sums are added; only the two ends of the interval are read record by
 * record. So the sums of an hour cost little more than the sums of a second, and are still exact.
 *
 * Messages are counted at each end: a message that is sent in the interval and received after it counts as 1 sent, 0
 * received. The digest has only messages with both ends, so it is used only if the log has no unmatched sends or
 * receives. */
#include "core/measure/interval.h"

#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/measure/messages.h"

enum { CHUNK = 256 }; /* records read at once */

/* ---- States and events ------------------------------------------------------------------------------------------- */

int pithi_interval_run(struct pithlog *log, const struct pithi_interval_query *query, struct pithi_interval *interval)
{
    struct pithi_query asked = {
        .t0_ns = query->t0_ns, .t1_ns = query->t1_ns, .levels = 1, .summary = query->summary, .care = PITHI_EXACT};
    struct pithi_cells cells = {0};
    int err = PITH_OK;

    memset(interval, 0, sizeof *interval);
    interval->defs = pithlog_get_info(log)->defs;
    interval->sums = pithi_alloc(interval->defs, sizeof *interval->sums);
    for (uint32_t row = 0; row < query->row_count; row++) {
        if (!pithi_row_is_whole(&query->rows[row]))
            continue;
        if (!pithi_go_on(&query->watch, (double)row / query->row_count))
            break;
        asked.lanes = pithi_row_lanes(&query->rows[row], &asked.lane_count);
        int row_err = pithi_query_run(log, &asked, &cells);
        err = err ? err : row_err;
        for (uint32_t id = 0; id < cells.defs; id++) {
            const struct pithi_sum *sum = &cells.sums[id];
            if (!sum->count)
                continue;
            interval->entries =
                pithi_view_grow(interval->entries, &interval->capacity, interval->count + 1, sizeof *interval->entries);
            interval->entries[interval->count++] = (struct pithi_interval_entry){row, id, *sum};
            pithi_sum_add(&interval->sums[id], sum);
        }
        interval->lanes += asked.lane_count;
        interval->computing_ns += cells.computing_ns;
    }
    pithi_cells_free(&cells);
    return err;
}

void pithi_interval_free(struct pithi_interval *interval)
{
    free(interval->entries);
    free(interval->sums);
    memset(interval, 0, sizeof *interval);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static int traffic_of_row(struct pithlog *log, const struct pithi_interval_query *query, const struct pithi_row *row,
                          double part, struct pithi_traffic *traffic)
{
    struct pithlog_query asked = {
        .from_ns = query->t0_ns, .to_ns = query->t1_ns, .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
    struct pithlog_record records[CHUNK];
    struct pithlog_iter *iter;
    int more, damages = 0, err;

    asked.lanes = pithi_row_lanes(row, &asked.lane_count);
    if ((err = pithlog_iter_open(log, &asked, &iter)) != PITH_OK)
        return err;
    while ((more = pithlog_iter_next_many(iter, records, CHUNK)) != 0 && damages < PITHI_MOST_DAMAGES &&
           pithi_go_on(&query->watch, part)) {
        damages += more < 0;
        for (int i = 0; i < more; i++) {
            const struct pithlog_record *r = &records[i];
            if (r->peer < 0 || r->time_ns >= query->t1_ns)
                continue;
            if (r->kind == PITHLOG_SEND) {
                traffic->sent++;
                traffic->sent_bytes += r->bytes;
            } else {
                traffic->received++;
                traffic->received_bytes += r->bytes;
            }
        }
    }
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

struct counting {
    const struct pithi_interval_query *query; /* the caller's */
    unsigned char *chosen;                    /* [lanes] */
    struct pithi_traffic *traffic;            /* the result */
};

static void count_message(void *context, const struct pithlog_message *message)
{
    const struct counting *counting = context;
    const struct pithi_interval_query *query = counting->query;

    if (counting->chosen[message->send_lane] && message->send_ns >= query->t0_ns && message->send_ns < query->t1_ns) {
        counting->traffic->sent++;
        counting->traffic->sent_bytes += message->bytes;
    }
    if (counting->chosen[message->recv_lane] && message->recv_ns >= query->t0_ns && message->recv_ns < query->t1_ns) {
        counting->traffic->received++;
        counting->traffic->received_bytes += message->bytes;
    }
}

int pithi_traffic_run(struct pithlog *log, const struct pithi_interval_query *query, struct pithi_traffic *traffic)
{
    const struct pithlog_digest_info *info = query->digest ? pithlog_digest_get_info(query->digest) : NULL;

    memset(traffic, 0, sizeof *traffic);
    if (info && !info->sends_left && !info->recvs_left) {
        struct counting counting = {query, pithi_alloc(pithlog_get_info(log)->lanes, 1), traffic};
        uint32_t count;
        for (uint32_t row = 0; row < query->row_count; row++) {
            const uint32_t *lanes = pithi_row_lanes(&query->rows[row], &count);
            for (uint32_t i = 0; i < count && pithi_row_is_whole(&query->rows[row]); i++)
                counting.chosen[lanes[i]] = 1;
        }
        int err = pithi_messages_each(log, query->digest, query->t0_ns, query->t1_ns, &query->watch, count_message,
                                      &counting);
        free(counting.chosen);
        return err;
    }
    int err = PITH_OK;
    for (uint32_t row = 0; row < query->row_count; row++) {
        if (!pithi_row_is_whole(&query->rows[row]) || !pithi_go_on(&query->watch, (double)row / query->row_count))
            continue;
        int row_err = traffic_of_row(log, query, &query->rows[row], (double)row / query->row_count, traffic);
        err = err ? err : row_err;
    }
    return err;
}
