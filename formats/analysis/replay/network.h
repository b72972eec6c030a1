/* network.h - the network of a run as a model: a latency and a time for each byte, fitted to the messages. */
#ifndef PITHI_NETWORK_H
#define PITHI_NETWORK_H

#include "pithlog.h"

struct pithi_need;

enum { PITHI_SAME_HOST, PITHI_OTHER_HOST, PITHI_HOST_CLASSES };
struct pithi_network {
    struct pithi_network_line {
        double latency_ns, byte_ns; /* latency_ns: time of 0 bytes; byte_ns: further time for each byte */
        uint64_t messages;          /* number of transfers that the line was fitted to; if 0, all fields are 0 */
    } classes[PITHI_HOST_CLASSES];  /* all messages */
    struct pithi_network_line
        *functions; /* [definitions x PITHI_HOST_CLASSES]: messages and collectives in a function */
    uint64_t eager_bytes[PITHI_HOST_CLASSES]; /* larger messages are transferred in the call that receives them */
};
/* Returns the number of a lane's host. Lanes of one host have the same number. */
uint32_t pithi_host_of(const struct pithlog *log, uint32_t lane);

/* Fits the network at the first call. Returns NULL if there is no memory. The result is valid as long as the
 * analysis. */
const struct pithi_network *pithi_network_of(struct pithlog_analysis *analysis);

void pithi_network_free(struct pithi_network *network);

/* Returns 1 if the transfer of the need is part of the call that begins at begin_ns (network.c). */
int pithi_network_is_in_call(const struct pithlog_analysis *analysis, uint32_t lane, const struct pithi_need *need,
                             int64_t begin_ns);
/* Returns the time from the release of a need of a call of `lane` to the end of its transfer. A message takes the
 * latency and the time of its bytes. A collective takes a latency for each doubling of its members, and the time of its
 * bytes. `latency` and `bytes` are factors for the two. */
double pithi_network_ns(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state,
                        const struct pithi_need *need, double latency, double bytes);

#endif
