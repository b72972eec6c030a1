/* host_facts.h - the facts of a machine: cores, processor, memory, affinity; as properties of the log, one set for each
 * host (formats/native/SPEC.md, "Hosts"). */
#ifndef PITHI_HOST_FACTS_H
#define PITHI_HOST_FACTS_H

#include "native/segment.h"

/* Adds the facts of this machine. `affinity` is as in struct pith_transport, or NULL for a single process. The facts
 * are read at the end of the run, so the program does not wait for them. */
int pithi_host_facts_tell(struct pithi_defs *defs, const char *host, const char *affinity);

#endif
