/* row.h - what a row of a picture stands for: the states of a lane, one counter of it, or a group of lanes as one. */
#ifndef PITHI_ROW_H
#define PITHI_ROW_H

#include <stdint.h>

#define PITHI_NONE UINT32_MAX
#define PITHI_BLANK (UINT32_MAX - 1)

struct pithi_row {
    uint32_t lane;         /* of a group: its first */
    uint32_t counter;      /* definition, or PITHI_NONE: states, or PITHI_BLANK: nothing, the head of an open group */
    const uint32_t *lanes; /* of a group, [lane_count], not owned; NULL: `lane` alone */
    uint32_t lane_count;   /* 0 without `lanes` */
    const char *label;     /* not owned; NULL: what pithi_row_label (legend.h) makes of the lane */
};

/* The lanes of a row, one or more. */
static inline const uint32_t *pithi_row_lanes(const struct pithi_row *row, uint32_t *count)
{
    *count = row->lanes ? row->lane_count : 1;
    return row->lanes ? row->lanes : &row->lane;
}

#endif
