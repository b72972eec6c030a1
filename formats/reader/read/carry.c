/* carry.c - finds the events of code that lie outside a part of a log (carry.h). */
#include "reader/read/carry.h"

#include <stdlib.h>

#include "base/error.h"
#include "native/log.h"

struct pithi_carry {
    struct pithlog *log;
    struct pithlog_iter *iter;
    const unsigned char *kept;
    int64_t from_ns, to_ns;
    unsigned char wanted[]; /* [definitions] enum pithi_code_event; PITHI_NO_CODE: not wanted */
};

int pithi_carry_open(struct pithlog *log, const struct pithlog_query *part, const unsigned char *kept,
                     struct pithi_carry **carry)
{
    struct pithlog_query query = {.from_ns = INT64_MIN,
                                  .to_ns = INT64_MAX,
                                  .lanes = kept ? NULL : part->lanes,
                                  .lane_count = part->lane_count,
                                  .kinds = 1u << PITHLOG_EVENT,
                                  .filter = part->filter};
    uint32_t defs = log->info.defs;
    struct pithi_carry *c = calloc(1, sizeof *c + defs + 1);
    int found = 0, err;

    *carry = NULL;
    if (!c)
        return pithi_no_memory();
    for (uint32_t i = 0; i < defs; i++) {
        enum pithi_code_event is = pithi_code_event(pithlog_get_def(log, i));
        c->wanted[i] = (unsigned char)(is == PITHI_CODE_MODULE || is == PITHI_CODE_NAME ? is : PITHI_NO_CODE);
        found |= c->wanted[i];
    }
    err = found ? pithlog_iter_open(log, &query, &c->iter) : PITH_OK;
    if (!found || err) {
        free(c);
        return err;
    }
    c->log = log;
    c->kept = kept;
    c->from_ns = part->from_ns > log->info.start_ns ? part->from_ns : log->info.start_ns;
    c->to_ns = part->to_ns;
    *carry = c;
    return PITH_OK;
}

/* Returns the first lane of this lane's rank that is in the part; UINT32_MAX if there is none. */
static uint32_t first_kept(const struct pithi_carry *c, uint32_t lane)
{
    const struct pithi_log_rank *rank = pithi_log_rank(c->log, pithi_log_rank_of(c->log, lane));

    for (uint32_t i = 0; i < rank->lane_count; i++)
        if (c->kept[rank->first_lane + i])
            return rank->first_lane + i;
    return UINT32_MAX;
}

int pithi_carry_next(struct pithi_carry *c, struct pithlog_record *r)
{
    int status;

    while (c && (status = pithlog_iter_next(c->iter, r)) != 0) {
        if (status < 0)
            return status;
        int is_kept = !c->kept || c->kept[r->lane];
        /* skips files of code that were loaded after the part: no address in the part lies in them */
        if (c->wanted[r->id] == PITHI_NO_CODE || (is_kept && r->time_ns >= c->from_ns && r->time_ns <= c->to_ns) ||
            (c->wanted[r->id] == PITHI_CODE_MODULE && r->time_ns > c->to_ns))
            continue;
        if (!is_kept && (r->lane = first_kept(c, r->lane)) == UINT32_MAX)
            continue;
        r->time_ns = c->from_ns;
        return 1;
    }
    return 0;
}

void pithi_carry_close(struct pithi_carry *c)
{
    if (!c)
        return;
    pithlog_iter_close(c->iter);
    free(c);
}
