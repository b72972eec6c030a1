/* interruptions.h - what pictures show where a lane did not record: pauses of the recording, moments at which records
 * were lost, and the holes that begin there. The walker (pithlog_walk) determines the holes. */
#ifndef PITHI_INTERRUPTIONS_H
#define PITHI_INTERRUPTIONS_H

#include <stdint.h>

#include <pithlog.h>

/* A pause, or a loss of records. */
struct pithi_interruption {
    uint32_t lane;
    int64_t from_ns, to_ns; /* a pause ends where recording resumes, or with the lane; a loss has from_ns == to_ns */
    uint64_t lost;          /* number of lost records; 0: it is a pause */
};

struct pithi_interruptions {
    struct pithi_interruption *items; /* by lane, then time */
    uint32_t count, capacity;
};

/* Finds the pauses and losses of a log. Reads only the blocks with records of these kinds. Returns 0 or an enum
 * pith_err. `interruptions` must be zeroed; free it afterwards. */
int pithi_interruptions_read(struct pithlog *log, struct pithi_interruptions *interruptions);
void pithi_interruptions_free(struct pithi_interruptions *interruptions);
/* Returns the index of a lane's first item; the lane's other items follow. If the lane has no items, returns where they
 * would be. */
uint32_t pithi_interruptions_of(const struct pithi_interruptions *interruptions, uint32_t lane);

/* Calls `tell` for the hole in which from_ns lies, and for each hole that begins at a LOST record in [from_ns, to_ns).
 * Some holes come more than once. Reads only the blocks with LOST records, the block where the window begins, and the
 * blocks where holes end. Damage is no error. */
int pithi_holes_lost(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context);

#endif
