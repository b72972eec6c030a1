/* groups.h - rows too low to be seen one by one, several as one. */
#ifndef PITHI_GROUPS_H
#define PITHI_GROUPS_H

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

#endif
