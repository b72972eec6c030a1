/* clock_facts.c - see clock_facts.h. */
#include "clock_facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "definitions.h"
#include "host_clocks.h"
#include "session.h"
#include "spill/clock_sync.h"

int pithi_clock_facts_sync(const struct pith_transport *transport, int keep)
{
    struct pithi_guard guard;
    const struct pithi_sync *point;
    if (pithi_host_clocks_sync(transport) != 0)
        return -1;
    point = pithi_host_clocks_point();
    if (!keep || point == NULL || !pithi_guard_enter(&guard))
        return 0;
    pithi_defs_sync(pithi_host_clocks_own(), point);
    pithi_guard_leave(&guard);
    return 0;
}

static int tell_clock(struct pithi_defs *defs, uint32_t number, int64_t shift_ns)
{
    struct pithi_clock_history past = pithi_host_clocks_history(number);
    char key[32], *text = pithi_sync_text(past.leader, past.points, past.rounds, past.step, shift_ns);
    int err;
    if (text == NULL)
        return PITH_ERR_MEMORY;
    snprintf(key, sizeof key, "clock_sync_%u", number);
    err = pithi_defs_property(defs, key, text);
    free(text);
    return err;
}

int pithi_clock_facts_tell(struct pithi_defs *defs, int64_t shift_ns)
{
    int64_t worst = 0;
    char text[32] = "unknown";
    int err = PITH_OK;
    for (uint32_t i = 1; i < pithi_host_clocks_count() && worst >= 0; i++) {
        int64_t round = pithi_host_clocks_history(i).worst_ns;
        worst = round < 0 || round > worst ? round : worst;
    }
    if (worst >= 0) /* each reading of a clock is good to 100 ns besides */
        snprintf(text, sizeof text, "%lld", (long long)((worst + 1) / 2 + 100));
    for (uint32_t i = 1; i < pithi_host_clocks_count() && err == PITH_OK; i++)
        err = tell_clock(defs, i, shift_ns);
    return err != PITH_OK ? err : pithi_defs_property(defs, "clock_error_ns", text);
}
