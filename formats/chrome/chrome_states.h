/* chrome_states.h - the states of lanes as enters and leaves in order of time, from begins, ends ("B", "E": an end is
 * that of what was begun last) and whole ones ("X"), which come by their start, the longer first. */
#ifndef PITHI_CHROME_STATES_H
#define PITHI_CHROME_STATES_H

#include "native/segment.h"

struct pithi_chrome_states {
    struct pithi_chrome_lane *lanes; /* by number */
    uint32_t count, room;
    struct pithi_writer *writer;
    int64_t zero_ns; /* subtracted from all times */
    uint64_t ends_alone;
};

void pithi_chrome_states_free(struct pithi_chrome_states *states);
/* Records of a lane; time_ns as in the file, not falling. Whole states that end before come out first. */
int pithi_chrome_states_begin(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, uint32_t id);
int pithi_chrome_states_end(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns);
int pithi_chrome_states_whole(struct pithi_chrome_states *states, uint32_t lane, int64_t time_ns, int64_t length_ns,
                              uint32_t id);
int pithi_chrome_states_other(struct pithi_chrome_states *states, struct pithlog_record *record);
/* The ends that are still to come. */
int pithi_chrome_states_finish(struct pithi_chrome_states *states);

#endif
