/* filter_iter.c - delivers the records of a query that match its filter. An iterator without a filter reads all records
 * that can match; the judge (filter.h) decides on each of them. */
#include <stdlib.h>

#include "base/error.h"
#include "reader/query/filter.h"
#include "reader/read/iter.h"

struct pithi_filtered {
    struct pithi_scope scope;
    struct pithi_judge *judge; /* decides about single records */
    struct pithlog_iter *iter; /* an iterator without a filter; NULL: nothing can match */
    uint32_t kinds;            /* mask of the kinds that the caller wants */
    int wants_clip;            /* 1: the caller wants PITHLOG_CLIP */
    int is_over;               /* 1: no more record will match */
};

int pithi_filtered_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_filtered **filtered)
{
    const uint32_t states = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    struct pithi_filtered *f = *filtered = calloc(1, sizeof *f);
    int err;

    if (!f)
        return pithi_no_memory();
    f->wants_clip = (query->flags & PITHLOG_CLIP) != 0;
    TRY(pithi_scope_find(&f->scope, log, query->filter, query));
    f->kinds = f->scope.query.kinds;
    if (f->kinds & states) { /* to decide on a LEAVE, the judge needs its ENTER */
        f->scope.query.kinds |= states;
        f->scope.query.flags |= PITHLOG_NEST | PITHLOG_CLIP;
    }
    f->scope.begins_only = !(f->kinds >> PITHLOG_LEAVE & 1) && !f->wants_clip;
    f->is_over = f->scope.is_empty;
    TRY(pithi_judge_open(&f->judge, log, query->filter, &f->scope));
    if (!f->is_over)
        TRY(pithlog_iter_open(log, &f->scope.query, &f->iter));
out:
    if (err) {
        pithi_filtered_free(f);
        *filtered = NULL;
    }
    return err;
}

void pithi_filtered_free(struct pithi_filtered *f)
{
    if (!f)
        return;
    pithlog_iter_close(f->iter);
    pithi_judge_free(f->judge);
    pithi_scope_free(&f->scope);
    free(f);
}

struct pithlog_iter *pithi_filtered_iter(const struct pithi_filtered *f) { return f->iter; }

int pithi_filtered_next(struct pithi_filtered *f, struct pithlog_record *records, int count)
{
    int kept = 0, got;

    while (!kept && !f->is_over) {
        if ((got = pithlog_iter_next_many(f->iter, records, count)) <= 0)
            return got;
        enum pithi_iter_part part = pithi_iter_part(f->iter);
        int is_added = part != PITHI_PART_WITHIN && !f->wants_clip;
        for (int i = 0; i < got && !f->is_over; i++) {
            const struct pithlog_record r = pithi_judge_begun(&records[i], part);
            int matches =
                part == PITHI_PART_HOLE ? pithi_judge_goes_on(f->judge, &r) : pithi_judge_record(f->judge, &r);
            if (matches < 0) {
                f->is_over = 1;
                pithi_no_memory();
                return -1;
            }
            if (matches && !is_added && f->kinds >> records[i].kind & 1)
                records[kept++] = records[i];
            /* ENTERs of states that began before the window come lane by lane and not in time order, so their times do
             * not show that the iteration is over. */
            f->is_over = records[i].time_ns > f->scope.last_ns && records[i].time_ns >= f->scope.query.from_ns &&
                         !pithi_judge_open_states(f->judge);
        }
    }
    return kept;
}
