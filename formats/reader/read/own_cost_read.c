/* own_cost_read.c - finds the cost of recording in the properties of an open log. */
#include "reader/read/own_cost_read.h"

#include <string.h>

#include "native/log.h"

int pithi_own_cost_find(const struct pithlog *log, uint32_t lane, struct pithi_own_cost *cost)
{
    const struct pithlog_lane *seen = pithlog_get_lane(log, lane);
    const char *key, *value, *found = NULL;
    memset(cost, 0, sizeof *cost);
    for (uint32_t i = 0; seen && (key = pithlog_get_property(log, i, &value)) != NULL; i++) {
        if (strncmp(key, PITHI_OWN_COST_KEY, strlen(PITHI_OWN_COST_KEY)) != 0)
            continue;
        key += strlen(PITHI_OWN_COST_KEY);
        if (*key == ' ' && strcmp(key + 1, seen->host) == 0) {
            found = value;
            break;
        }
        if (*key == '\0')
            found = value;
    }
    if (found)
        pithi_own_cost_read(found, cost);
    return found != NULL;
}

double pithlog_own_cost_ns(const struct pithlog *log, uint32_t lane, uint32_t kind)
{
    struct pithi_own_cost cost;
    return kind < PITHLOG_OWN_COSTS && pithi_own_cost_find(log, lane, &cost) ? cost.ns[kind] : 0;
}

int pithi_own_cost_counts(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_COUNTER_TYPE && strcmp(def->name, PITHI_OWN_COUNTER) == 0;
}

int pithi_own_cost_lasts(const struct pithlog_def *def)
{
    return def->kind == PITHLOG_STATE && strcmp(def->name, PITHI_OWN_STATE) == 0;
}

int pithi_own_cost_known(const struct pithlog *log)
{
    for (uint32_t i = 0; i < log->info.defs; i++)
        if (pithi_own_cost_counts(pithlog_get_def(log, i)))
            return 1;
    for (uint32_t i = 0; i < log->info.lanes; i++)
        for (uint32_t kind = 0; kind < PITHLOG_OWN_COSTS; kind++)
            if (pithlog_own_cost_ns(log, i, kind) > 0)
                return 1;
    return 0;
}
