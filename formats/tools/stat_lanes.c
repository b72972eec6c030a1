/* stat_lanes.c - counts the records of each lane, and its time in states, in MPI, waiting in OpenMP and computing. */
#include <stdlib.h>

#include "base/error.h"
#include "tools/stat_pass.h"

struct lane {
    uint64_t records, states, events, sends, sent_bytes, recvs, got_bytes, colls, lost;
    int64_t first_ns, last_ns;
};

static const struct pithi_table_column lane_columns[] = {
    {"rank", PITHI_CELL_COUNT, 0},       {"thread", PITHI_CELL_COUNT, 0},  {"name", PITHI_CELL_TEXT, 0},
    {"host", PITHI_CELL_TEXT, 1},        {"records", PITHI_CELL_COUNT, 0}, {"states", PITHI_CELL_COUNT, 0},
    {"in_states", PITHI_CELL_TIME, 0},   {"in_mpi", PITHI_CELL_TIME, 0},   {"omp_wait", PITHI_CELL_TIME, 0},
    {"computing", PITHI_CELL_TIME, 0},   {"events", PITHI_CELL_COUNT, 0},  {"sends", PITHI_CELL_COUNT, 0},
    {"sent_bytes", PITHI_CELL_BYTES, 0}, {"recvs", PITHI_CELL_COUNT, 0},   {"recv_bytes", PITHI_CELL_BYTES, 0},
    {"colls", PITHI_CELL_COUNT, 0},      {"lost", PITHI_CELL_COUNT, 0},    {"first", PITHI_CELL_TIME, 1},
    {"last", PITHI_CELL_TIME, 1},
};

struct lanes {
    struct lane *lanes;
    uint32_t count;
};

static int count_in_lane(void *context, const struct pithlog_record *r)
{
    struct lanes *all = context;
    struct lane *lane = r->lane < all->count ? &all->lanes[r->lane] : NULL;

    if (!lane)
        return PITH_OK;
    switch (r->kind) {
    case PITHLOG_LEAVE:
        lane->states += r->depth != UINT32_MAX;
        break;
    case PITHLOG_EVENT:
        lane->events++;
        break;
    case PITHLOG_SEND:
        lane->sends++;
        lane->sent_bytes += r->bytes;
        break;
    case PITHLOG_RECV:
        lane->recvs += r->peer >= 0; /* -1: cancelled */
        lane->got_bytes += r->bytes;
        break;
    case PITHLOG_COLL:
        lane->colls++;
        break;
    case PITHLOG_LOST:
        lane->lost += r->bytes;
        break;
    }
    return PITH_OK;
}

/* Counts the records of the log alone, without the LEAVEs that PITHLOG_CLIP adds at the window's edges. */
static int count_own(void *context, const struct pithlog_record *r)
{
    const struct lanes *all = context;
    struct lane *lane = &all->lanes[r->lane];

    if (lane->records++ == 0)
        lane->first_ns = r->time_ns;
    lane->last_ns = r->time_ns;
    return PITH_OK;
}

static int count_records(struct pithlog *log, const struct pithi_stat_query *query, struct lanes *all)
{
    const struct pithlog_query own = {
        .from_ns = query->from_ns, .to_ns = query->to_ns, .lanes = query->lanes, .lane_count = query->lane_count};

    if (query->cut)
        return pithi_stat_each_record(log, &own, count_own, NULL, all);
    for (uint32_t i = 0; i < all->count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        all->lanes[i].records = lane->records;
        all->lanes[i].first_ns = lane->first_ns;
        all->lanes[i].last_ns = lane->last_ns;
    }
    return PITH_OK;
}

static void lane_row(struct pithi_report *table, const struct pithlog_lane *lane, const struct lane *counts,
                     const struct pithi_lane_time *time)
{
    pithi_table_row(table);
    pithi_table_number(table, lane->rank);
    pithi_table_number(table, lane->thread);
    pithi_table_text(table, lane->name);
    pithi_table_text(table, lane->host);
    pithi_table_number(table, (int64_t)counts->records);
    pithi_table_number(table, (int64_t)counts->states);
    pithi_table_number(table, time->states_ns);
    pithi_table_number(table, time->mpi_ns);
    pithi_table_number(table, time->omp_wait_ns);
    pithi_table_number(table, time->computing_ns);
    pithi_table_number(table, (int64_t)counts->events);
    pithi_table_number(table, (int64_t)counts->sends);
    pithi_table_number(table, (int64_t)counts->sent_bytes);
    pithi_table_number(table, (int64_t)counts->recvs);
    pithi_table_number(table, (int64_t)counts->got_bytes);
    pithi_table_number(table, (int64_t)counts->colls);
    pithi_table_number(table, (int64_t)counts->lost);
    if (counts->records) {
        pithi_table_number(table, counts->first_ns);
        pithi_table_number(table, counts->last_ns);
    }
}

int pithi_stat_lanes(struct pithlog *log, const struct pithi_stat_query *query, struct pithi_report **table)
{
    struct lanes all = {.count = pithlog_get_info(log)->lanes};
    struct pithi_stat_pass pass = {
        .log = log, .query = query, .record = count_in_lane, .context = &all, .kinds = UINT32_MAX};
    int err;

    all.lanes = calloc(all.count + 1u, sizeof *all.lanes);
    pass.times = calloc(all.count + 1u, sizeof *pass.times);
    if (!all.lanes || !pass.times) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(pithi_table_new(table, lane_columns, sizeof lane_columns / sizeof *lane_columns));
    TRY(count_records(log, query, &all));
    TRY(pithi_stat_run(&pass));
    for (uint32_t i = 0; i < all.count; i++)
        if (!query->wanted || query->wanted[i])
            lane_row(*table, pithlog_get_lane(log, i), &all.lanes[i], &pass.times[i]);
out:
    free(all.lanes);
    free(pass.times);
    return err;
}
