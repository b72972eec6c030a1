/* hole_numbers.h - whether a log says of each hole of a lane how many states ended in it, by definition. */
#ifndef TEST_HOLE_NUMBERS_H
#define TEST_HOLE_NUMBERS_H

#include <stdio.h>
#include <stdlib.h>

#include "common/open_oracle.h"

struct hole_count {
    long holes, ended, wrong;
};

static inline void hole_numbers(struct pithlog *log, uint32_t lane, struct hole_count *count)
{
    size_t room = pithlog_get_lane(log, lane)->records + 1;
    struct entry *entries = calloc(room, sizeof *entries);
    uint32_t *open = calloc(room, sizeof *open), *number = calloc(room, sizeof *number), n = 0;
    uint64_t *got = calloc(room, sizeof *got);
    struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    if (pithlog_iter_open(log, &query, &iter) != 0)
        count->wrong++;
    for (; iter && n < room && pithlog_iter_next(iter, &r) == 1; n++) {
        entries[n] = (struct entry){r.time_ns, r.kind, r.id, .lost = r.kind == PITHLOG_LOST ? r.bytes : 0};
        got[n] = r.got_bytes;
    }
    pithlog_iter_close(iter);
    oracle_open_states(entries, n, 0, open);
    for (uint32_t i = 0; i < n; i++)
        if (entries[i].ended != NEVER)
            number[entries[i].ended]++;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t want = entries[i].is_hole ? number[i] + UINT64_C(1) : 0;
        if (entries[i].is_hole && i + 1 == n) /* all states end there, so nobody needs the number */
            want = got[i] == 0 || got[i] >= want ? got[i] : want;
        count->holes += entries[i].is_hole;
        count->ended += number[i];
        if (entries[i].kind == PITHLOG_LOST && got[i] != want && count->wrong++ < 5)
            printf("# lane %u record %u of %u: %llu, not %llu\n", lane, i, n, (unsigned long long)got[i],
                   (unsigned long long)want);
    }
    free(entries);
    free(open);
    free(number);
    free(got);
}

#endif
