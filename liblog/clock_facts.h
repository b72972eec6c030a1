/* clock_facts.h - what a log is told of the clocks that host_clocks.h compares. */
#ifndef PITHI_CLOCK_FACTS_H
#define PITHI_CLOCK_FACTS_H

#include "native/segment.h"
#include "pith_tool.h"

/* Compares them (collective, not under the guard), and keeps the own point in the spill file of a process that has one
 * (`keep`). 0; -1: the transport failed. */
int pithi_clock_facts_sync(const struct pith_transport *transport, int keep);

/* In rank 0: the properties that tell of the clocks (SPEC.md). `shift_ns`: from the reference's clock to log time. */
int pithi_clock_facts_tell(struct pithi_defs *defs, int64_t shift_ns);

#endif
