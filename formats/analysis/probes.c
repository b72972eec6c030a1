/* probes.c - a list in the order of the events. Most programs receive a message right after they have found it. */
#include "analysis/probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"

enum { MOST = 4096 }; /* a program may never receive what it finds; then the oldest half is forgotten */

uint32_t pithi_probed_event(const struct pithlog *log)
{
    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, PITHI_PROBED) == 0)
            return i;
    }
    return UINT32_MAX;
}

int pithi_probes_add(struct pithi_probes *probes, uint32_t rank, const struct pithlog_record *event, int64_t begin_ns,
                     uint32_t call)
{
    if (probes->count == MOST)
        memmove(probes->all, probes->all + MOST / 2, (probes->count = MOST / 2) * sizeof *probes->all);
    if (!pithi_grow(&probes->all, probes->count, &probes->room, sizeof *probes->all))
        return 0;
    probes->all[probes->count++] = (struct pithi_probe){.begin_ns = begin_ns,
                                                        .rank = rank,
                                                        .call = call,
                                                        .source = (int32_t)pithi_get_be32(event->payload),
                                                        .tag = (int32_t)pithi_get_be32(event->payload + 4)};
    return 1;
}

uint32_t pithi_probes_take(struct pithi_probes *probes, uint32_t rank, const struct pithlog_record *recv,
                           int64_t posted_ns)
{
    for (uint32_t i = 0; i < probes->count; i++) {
        struct pithi_probe found = probes->all[i];
        if (found.rank != rank || found.source != recv->peer || found.tag != recv->tag || found.begin_ns > posted_ns)
            continue;
        memmove(probes->all + i, probes->all + i + 1, (--probes->count - i) * sizeof *probes->all);
        return found.call;
    }
    return UINT32_MAX;
}

void pithi_probes_free(struct pithi_probes *probes) { free(probes->all); }
