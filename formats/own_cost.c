/* own_cost.c - see own_cost.h. Costs are told by host: the processes of a machine record with the same code on the same
 * processor, and what is told of all ranks must not grow with them. */
#include "own_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "native/log.h"

#define KEY "own_cost_ns"

static const char *const names[PITHLOG_OWN_COSTS] = {
    [PITHLOG_OWN_CALL] = "call",   [PITHLOG_ENTER] = "enter", [PITHLOG_LEAVE] = "leave", [PITHLOG_EVENT] = "event",
    [PITHLOG_COUNTER] = "counter", [PITHLOG_SEND] = "send",   [PITHLOG_RECV] = "recv",   [PITHLOG_COLL] = "coll",
};

int pithi_own_cost_tell(struct pithi_defs *defs, const char *host, const struct pithi_own_cost *cost)
{
    char key[300], value[PITHLOG_OWN_COSTS * 40];
    size_t at = 0;
    snprintf(key, sizeof key, "%s%s%.255s", KEY, host && *host ? " " : "", host ? host : "");
    for (int i = 0; i < PITHLOG_OWN_COSTS; i++)
        at += (size_t)snprintf(value + at, sizeof value - at, "%s%s=%.1f", i ? " " : "", names[i], cost->ns[i]);
    return pithi_defs_property(defs, key, value);
}

/* A word "enter=8.7". What a later version tells besides is passed over, and so is what nobody can have measured. */
static void read_word(const char *word, size_t size, struct pithi_own_cost *cost)
{
    for (int i = 0; i < PITHLOG_OWN_COSTS; i++) {
        size_t length = strlen(names[i]);
        if (length >= size || memcmp(word, names[i], length) != 0 || word[length] != '=')
            continue;
        double ns = strtod(word + length + 1, NULL);
        if (ns >= 0 && ns <= 1e9)
            cost->ns[i] = ns;
    }
}

/* Of a merged log that has several values, "a=1 b=2, a=3 b=4", the first. */
static void read_value(const char *value, struct pithi_own_cost *cost)
{
    const char *end = value + strcspn(value, ",");
    while (value < end) {
        size_t size = strcspn(value, " ,");
        read_word(value, size, cost);
        value += size + (value + size < end);
    }
}

int pithi_own_cost_find(const struct pithlog *log, uint32_t lane, struct pithi_own_cost *cost)
{
    const struct pithlog_lane *seen = pithlog_get_lane(log, lane);
    const char *key, *value, *found = NULL;
    memset(cost, 0, sizeof *cost);
    for (uint32_t i = 0; seen && (key = pithlog_get_property(log, i, &value)) != NULL; i++) {
        if (strncmp(key, KEY, strlen(KEY)) != 0)
            continue;
        key += strlen(KEY);
        if (*key == ' ' && strcmp(key + 1, seen->host) == 0) {
            found = value;
            break;
        }
        if (*key == '\0')
            found = value;
    }
    if (found)
        read_value(found, cost);
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
