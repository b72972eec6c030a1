/* otf2_requests.h - the pending receives of a process: request -> its number in the order of posting. Memory grows with
 * the largest number of requests pending at the same time. */
#ifndef PITHI_OTF2_REQUESTS_H
#define PITHI_OTF2_REQUESTS_H

#include <stdint.h>

/* All zero is an empty set. */
struct otf2_requests {
    struct otf2_request {
        uint64_t id, posted; /* id: request in the file; posted: its number in the order of posting */
        uint32_t lane;       /* lane that posted it + 1; 0: a free slot */
    } * slots;
    uint32_t used, size; /* used: slots in use; size: all slots, a power of two */
};

/* Adds a request, which must not be in the set. Returns 0 if memory runs out. */
int pithi_otf2_requests_add(struct otf2_requests *requests, uint64_t id, uint64_t posted, uint32_t lane);
/* Removes a request. Returns 1 and its entry, or 0 if it is not in the set. */
int pithi_otf2_requests_take(struct otf2_requests *requests, uint64_t id, struct otf2_request *request);
void pithi_otf2_requests_free(struct otf2_requests *requests);

#endif
