/* digest.c - the rows of a log; see digest.h. */
#include "core/digest.h"

#include "core/memory.h"

struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t *count)
{
    uint32_t lanes = pithlog_get_info(log)->lanes, next = 0;
    uint32_t counters = digest ? pithlog_digest_get_info(digest)->series : 0;
    struct pithi_row *rows = pithi_alloc((size_t)lanes + counters, sizeof *rows);

    *count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        rows[*count].lane = lane;
        rows[(*count)++].counter = PITHI_NONE;
        for (; next < counters && pithlog_digest_series(digest, next)->lane == lane; next++) {
            rows[*count].lane = lane;
            rows[(*count)++].counter = pithlog_digest_series(digest, next)->counter;
        }
    }
    return rows;
}
