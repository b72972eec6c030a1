/* own_cost.c - the property own_cost_ns as text. There is one for each host, not one for each rank: the processes of a
 * machine record with the same code on the same processor, and properties must not grow with the ranks. */
#include "native/own_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[PITHLOG_OWN_COSTS] = {
    [PITHLOG_OWN_CALL] = "call",   [PITHLOG_ENTER] = "enter", [PITHLOG_LEAVE] = "leave", [PITHLOG_EVENT] = "event",
    [PITHLOG_COUNTER] = "counter", [PITHLOG_SEND] = "send",   [PITHLOG_RECV] = "recv",   [PITHLOG_COLL] = "coll",
};

int pithi_own_cost_tell(struct pithi_defs *defs, const char *host, const struct pithi_own_cost *cost)
{
    char key[300], value[PITHLOG_OWN_COSTS * 40];
    size_t at = 0;
    snprintf(key, sizeof key, "%s%s%.255s", PITHI_OWN_COST_KEY, host && *host ? " " : "", host ? host : "");
    for (int i = 0; i < PITHLOG_OWN_COSTS; i++)
        at += (size_t)snprintf(value + at, sizeof value - at, "%s%s=%.1f", i ? " " : "", names[i], cost->ns[i]);
    return pithi_defs_property(defs, key, value);
}

/* A merged log may have several values, "a=1 b=2, a=3 b=4": this reads the first. */
void pithi_own_cost_read(const char *value, struct pithi_own_cost *cost)
{
    const char *end = value + strcspn(value, ",");
    while (value < end) {
        size_t size = strcspn(value, " ,");
        /* Reads a word such as "enter=8.7". Skips kinds that only a later version knows, and values that cannot have
         * been measured. */
        for (int i = 0; i < PITHLOG_OWN_COSTS; i++) {
            size_t length = strlen(names[i]);
            if (length >= size || memcmp(value, names[i], length) != 0 || value[length] != '=')
                continue;
            double ns = strtod(value + length + 1, NULL);
            if (ns >= 0 && ns <= 1e9)
                cost->ns[i] = ns;
        }
        value += size + (value + size < end);
    }
}
