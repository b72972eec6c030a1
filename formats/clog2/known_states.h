/* known_states.h - MPE's fixed numbers of MPI states: state n has the events 2n (start) and 2n + 1 (end). */
#ifndef PITHI_KNOWN_STATES_H
#define PITHI_KNOWN_STATES_H

#include <stdint.h>

enum {
    PITHI_CLOG2_KNOWN_STATES = 300,
    PITHI_CLOG2_IRECV_WAITED = 251,
    PITHI_CLOG2_COMM_INIT = -10, /* known solo events: a communicator was made, is about to go */
    PITHI_CLOG2_COMM_FINALIZE = -9
};

struct pithi_clog2_known {
    const char *name, *colour;
};

const struct pithi_clog2_known *pithi_clog2_known_state(int32_t number); /* NULL: no such */
int32_t pithi_clog2_known_number(const char *name);                      /* -1: no such */
const struct pithi_clog2_known *pithi_clog2_known_event(int32_t event);  /* solo; NULL: no such */

#endif
