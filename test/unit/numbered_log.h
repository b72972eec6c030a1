/* numbered_log.h - does a log hold all that numbered.h announced? */
#ifndef PITH_NUMBERED_LOG_H
#define PITH_NUMBERED_LOG_H

#include "common/random.h"
#include "reader/read/check.h"
#include "numbered.h"
#include "record_help.h"

/* Of each lane: the kinds turn as they were recorded, and the numbers of a thread follow one another. A thread that
 * began when another had ended may go on in its lane. */
struct lane_seen {
    uint32_t phase;
    struct number next;
    int begun;
    int64_t time_ns;
};

static uint64_t found[RANKS][THREADS]; /* as `stored` */

/* The next number of this lane, or the first one of a new thread. */
static int follows(struct lane_seen *seen, const struct number *number, int newest_only)
{
    if (memcmp(number, &seen->next, sizeof *number) == 0 && seen->begun)
        return 1;
    if (seen->begun &&
        (newest_only || found[seen->next.rank][seen->next.thread] < page->stored[seen->next.rank][seen->next.thread]))
        return 0;
    if (!newest_only && number->number != 0)
        return 0;
    seen->begun = 1;
    seen->next = *number;
    return 1;
}

static int fits(const struct help_log *log, const struct pithlog_record *record, struct lane_seen *seen,
                int newest_only)
{
    static const uint32_t kinds[] = {PITHLOG_ENTER, PITHLOG_EVENT, PITHLOG_COUNTER, PITHLOG_LEAVE};
    struct number number;
    if (newest_only && !seen->begun && record->kind != PITHLOG_EVENT)
        return 1; /* what is left of the number before */
    if (newest_only && !seen->begun)
        seen->phase = 1;
    if (record->kind != kinds[seen->phase] || record->time_ns < seen->time_ns)
        return 0;
    seen->time_ns = record->time_ns;
    seen->phase = (seen->phase + 1) % 4;
    if (record->kind == PITHLOG_COUNTER)
        return record->value == seen->next.number - 1.0;
    if (record->kind == PITHLOG_LEAVE)
        found[seen->next.rank][seen->next.thread] = seen->next.number; /* a number counts when its state is left */
    if (record->kind != PITHLOG_EVENT)
        return 1;
    if (record->payload_bytes < sizeof number)
        return 0;
    memcpy(&number, record->payload, sizeof number);
    if (record->payload_bytes != sizeof number + number.number % 97 || number.thread >= THREADS ||
        (int)number.rank != pithlog_get_lane(log->log, record->lane)->rank || !follows(seen, &number, newest_only))
        return 0;
    seen->next.number++;
    return 1;
}

static int is_ours(const struct help_log *log, const struct pithlog_record *record)
{
    const char *name = help_name(log, record);
    return strcmp(name, "s") == 0 || strcmp(name, "number") == 0 || strcmp(name, "count") == 0;
}

/* Goes through all lanes of a log; notes in `found` what is there. */
static int in_order(const struct help_log *log, int newest_only)
{
    struct lane_seen seen[RANKS * THREADS + RANKS];
    size_t at;
    memset(seen, 0, sizeof seen);
    if (log->info->lanes > sizeof seen / sizeof seen[0])
        return 0;
    for (at = 0; at < log->count; at++) {
        const struct pithlog_record *record = &log->records[at];
        if (!is_ours(log, record))
            continue;
        if (!fits(log, record, &seen[record->lane], newest_only)) {
            printf("# lane %u: record %zu of %zu does not fit\n", record->lane, at, log->count);
            return 0;
        }
    }
    return 1;
}

static inline int all_found(void)
{
    uint32_t rank, thread;
    for (rank = 0; rank < RANKS; rank++)
        for (thread = 0; thread < THREADS; thread++)
            if (found[rank][thread] < page->stored[rank][thread]) {
                printf("# rank %u thread %u: %llu announced, %llu found\n", rank, thread,
                       (unsigned long long)page->stored[rank][thread], (unsigned long long)found[rank][thread]);
                return 0;
            }
    return 1;
}

static inline uint64_t announced(void)
{
    uint64_t sum = 0;
    int rank, thread;
    for (rank = 0; rank < RANKS; rank++)
        for (thread = 0; thread < THREADS; thread++)
            sum += __atomic_load_n(&page->stored[rank][thread], __ATOMIC_ACQUIRE);
    return sum;
}

static void say_damage(void *context, const char *text)
{
    (void)context;
    printf("# %s\n", text);
}

/* A log whose lanes are in order. Ranks may be missing. */
static inline int good_part(const char *name, int newest_only)
{
    struct help_log log;
    int good = help_read(&log, name) && in_order(&log, newest_only);
    if (good)
        help_close(&log);
    return good;
}

/* The same without damage, and with all ranks. */
static inline int good_log(const char *name, int newest_only)
{
    return pithi_check(name, say_damage, NULL, NULL) == 0 && good_part(name, newest_only);
}

#endif
