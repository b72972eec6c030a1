/* groups.h - rows too low to be seen one by one, several as one. */
#ifndef PITHI_GROUPS_H
#define PITHI_GROUPS_H

#include <pithlog.h>

#include "core/row.h"

struct pithi_groups {
    struct pithi_row *rows;
    uint32_t count;
    uint32_t *lanes; /* of all of them */
};

/* How many rows of this height make one that is a pixel high or more. */
uint32_t pithi_groups_per(double row_height);
/* Every `per` rows in succession become one, with the lanes of all of them; counters are left out, unless all are: then
 * the first stands for them. To be freed; `rows` need not be kept. */
void pithi_groups_make(const struct pithi_row *rows, uint32_t count, uint32_t per, struct pithi_groups *groups);
void pithi_groups_free(struct pithi_groups *groups);

/* From the first to the last record of all lanes of a row; INT64_MAX and INT64_MIN: they have none. */
void pithi_row_life(const struct pithlog *log, const struct pithi_row *row, int64_t *first_ns, int64_t *last_ns);

#endif
