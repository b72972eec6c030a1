/* records.c - reads many records at once, which is faster, and goes on after damaged parts. */
#include "analysis/records.h"

#include "base/error.h"
#include "native/log.h"
#include "reader/iter.h"

enum { MANY = 512, DAMAGES_MOST = 10000 };

int pithi_read_records(struct pithlog *log, const struct pithlog_query *query,
                       int (*take)(void *context, const struct pithlog_record *record),
                       void (*hole)(void *context, uint32_t lane), void *context,
                       int (*progress)(void *context, double part), void *progress_context)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    double start = (double)(query->from_ns > info->start_ns ? query->from_ns : info->start_ns);
    double span = (double)(query->to_ns < info->end_ns ? query->to_ns : info->end_ns) - start;
    struct pithlog_record records[MANY];
    struct pithlog_iter *iter;
    int count, damages = 0, err = pithlog_iter_open(log, query, &iter);

    if (err)
        return err;
    pithi_iter_tell_holes(iter, (struct pithi_holes){hole, context});
    for (uint32_t chunk = 0; !err && (count = pithlog_iter_next_many(iter, records, MANY)) != 0; chunk++) {
        if (count < 0 && damages++ == DAMAGES_MOST)
            break;
        for (int i = 0; i < count && !err; i++)
            err = take(context, &records[i]);
        if (!err && count > 0 && chunk % 64 == 0 && progress &&
            progress(progress_context, span > 0 ? ((double)records[0].time_ns - start) / span : 0))
            err = pithi_fail(PITH_ERR_STOPPED, "%s: stopped", log->path);
    }
    pithlog_iter_close(iter);
    return !err && damages ? PITH_ERR_DAMAGED : err;
}
