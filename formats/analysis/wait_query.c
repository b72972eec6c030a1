/* wait_query.c - pithlog_waits: the wait states of messages in a log or a window of it. */
#include "analysis/records.h"
#include "analysis/waits.h"
#include "reader/match.h"

struct asked {
    struct pithlog *log;
    struct pithi_waits *waits;
};

static void hole(void *context, uint32_t lane) { pithi_waits_missing(((const struct asked *)context)->waits, lane); }

static int take(void *context, const struct pithlog_record *r)
{
    const struct asked *asked = context;

    if (pithi_match_is_hole(asked->log, r))
        hole(context, r->lane);
    return r->kind == PITHLOG_LOST ? PITH_OK : pithi_waits_take(asked->waits, r, 0);
}

int pithlog_waits(struct pithlog *log, const struct pithlog_waits_query *query,
                  void (*tell)(void *context, const struct pithlog_wait *wait), void *context)
{
    uint64_t matched = 0;
    struct pithi_waits_client client = {.tell = tell, .matched = &matched, .context = context};
    struct pithi_waits *waits;
    struct pithlog_query records;
    int err = pithi_waits_open(log, query, &client, &records, &waits), damaged;

    if (err)
        return err;
    if (records.from_ns <= records.to_ns) {
        struct asked asked = {log, waits};
        records.kinds |= 1u << PITHLOG_LOST;
        damaged = pithi_read_records(log, &records, take, hole, &asked, query->progress, query->context);
        err = damaged && damaged != PITH_ERR_DAMAGED ? damaged : pithi_waits_end(waits);
        err = err ? err : damaged;
    }
    pithi_waits_close(waits);
    return err;
}
