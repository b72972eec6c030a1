/* otf2_requests.h - the receives of a process that are under way: request -> place in the order of posting. Memory
 * grows with those under way at once. */
#ifndef PITHI_OTF2_REQUESTS_H
#define PITHI_OTF2_REQUESTS_H

#include <stdint.h>

/* All zero is an empty one. */
struct otf2_requests {
    struct otf2_request {
        uint64_t id, posted;
        uint32_t lane; /* where it was posted, + 1; 0: a free slot */
    } * slots;
    uint32_t used, size;
};

/* 0: no memory. The id must not be there. */
int pithi_otf2_requests_add(struct otf2_requests *requests, uint64_t id, uint64_t posted, uint32_t lane);
/* 1 and what was known of it, and it is forgotten; or 0. */
int pithi_otf2_requests_take(struct otf2_requests *requests, uint64_t id, struct otf2_request *request);
void pithi_otf2_requests_free(struct otf2_requests *requests);

#endif
