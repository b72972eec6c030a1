/* probes.h - calls that have found a message without receiving it: MPI_Probe, MPI_Iprobe, MPI_Mprobe.
 *
 * An event in the call tells the sender and the tag. The message is the next one with these that the rank receives, if
 * the receive was posted after the probe began. */
#ifndef PITHI_PROBES_H
#define PITHI_PROBES_H

#include "pithlog.h"

/* The event: world rank of the sender, and tag; 32 bits, big-endian. */
#define PITHI_PROBED "pith:probed"

/* Probes whose message has not been received so far. All zero: empty. */
struct pithi_probes {
    struct pithi_probe {
        int64_t begin_ns;
        uint32_t rank, call;
        int32_t source, tag;
    } * all;
    uint32_t count, room;
};

/* The definition of the event; UINT32_MAX: not in the log. */
uint32_t pithi_probed_event(const struct pithlog *log);
/* Takes an event, in a call of the rank that began at begin_ns. `call`: the caller's own. 0: no memory. */
int pithi_probes_add(struct pithi_probes *probes, uint32_t rank, const struct pithlog_record *event, int64_t begin_ns,
                     uint32_t call);
/* A receive, posted at posted_ns, receives its message: removes one of the probes that found it, and returns its call;
 * UINT32_MAX: none (left). */
uint32_t pithi_probes_take(struct pithi_probes *probes, uint32_t rank, const struct pithlog_record *recv,
                           int64_t posted_ns);
void pithi_probes_free(struct pithi_probes *probes);

#endif
