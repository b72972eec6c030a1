/* wait_query.c - pithlog_waits: the wait states of messages in a log or a window of it. */
#include "analysis/records.h"
#include "analysis/waits.h"

static void missing(void *waits, uint32_t lane) { pithi_waits_missing(waits, lane); }

static int take(void *waits, const struct pithlog_step *step) { return pithi_waits_take(waits, step, 0); }

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
        struct pithi_reading reading = {take, missing, waits, query->progress, query->context};
        damaged = pithi_read_steps(log, &records, &reading);
        err = damaged && damaged != PITH_ERR_DAMAGED ? damaged : pithi_waits_end(waits);
        err = err ? err : damaged;
    }
    pithi_waits_close(waits);
    return err;
}
