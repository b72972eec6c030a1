/* graph_find.c - finds a piece of a lane by time, a call of a rank, and the need that decides when a call can end. */
#include "analysis/graph.h"

#include "analysis/epochs.h"
#include "native/log.h"

uint32_t pithi_graph_find(const struct pithi_graph *g, uint32_t lane, int64_t time_ns)
{
    struct pithi_graph_lane *of = &g->lanes[lane];
    uint32_t low = 0, high = of->pieces.count;

    /* Most searches are near the last one: begin there and double the steps. */
    if (pithi_graph_piece(g, lane, of->found)->begin_ns <= time_ns) {
        low = of->found;
        for (uint32_t step = 1; step < high - low; step *= 2) {
            if (pithi_graph_piece(g, lane, low + step)->begin_ns > time_ns) {
                high = low + step;
                break;
            }
            low += step;
        }
    } else {
        high = of->found;
        for (uint32_t step = 1; step < high; step *= 2) {
            if (pithi_graph_piece(g, lane, high - step)->begin_ns <= time_ns) {
                low = high - step;
                break;
            }
            high -= step;
        }
    }
    while (high - low > 1) { /* piece `low` begins at or before time_ns, or is the first */
        uint32_t middle = low + (high - low) / 2;
        if (pithi_graph_piece(g, lane, middle)->begin_ns <= time_ns)
            low = middle;
        else
            high = middle;
    }
    of->found = low;
    return low;
}

static int is_of(const struct pithi_graph *g, const unsigned char *states, uint32_t lane, uint32_t piece)
{
    uint32_t state = pithi_graph_piece(g, lane, piece)->state;
    return state != PITHI_OUTSIDE && states[state];
}

int pithi_graph_first_call(const struct pithi_graph *g, const unsigned char *states, int32_t number, int64_t since_ns,
                           struct pithi_epoch_call *call)
{
    const struct pithi_log_rank *rank = pithi_log_find_rank(g->log, number);

    *call = (struct pithi_epoch_call){.begin_ns = INT64_MAX};
    for (uint32_t i = 0; rank && i < rank->lane_count; i++) {
        uint32_t lane = rank->first_lane + i, at = pithi_graph_find(g, lane, since_ns);
        if (is_of(g, states, lane, at))
            return 0;
        do
            at++;
        while (at < g->lanes[lane].pieces.count && !is_of(g, states, lane, at));
        if (at < g->lanes[lane].pieces.count && pithi_graph_piece(g, lane, at)->begin_ns < call->begin_ns)
            *call = (struct pithi_epoch_call){pithi_graph_piece(g, lane, at)->begin_ns, lane, at};
    }
    return call->begin_ns < INT64_MAX;
}

const struct pithi_need *pithi_graph_decisive(const struct pithi_graph *g, const struct pithi_lane_piece *call)
{
    const struct pithi_need *best = NULL, *need = pithi_graph_need(g, call->needs);
    int is_first = pithi_graph_is_call(g, call->state) && g->is_call[call->state] == PITHI_CALL_FIRST;

    for (; need; need = pithi_graph_need(g, need->next)) {
        if (need->release_ns == INT64_MIN)
            continue;
        if (!best || (need->release_ns != best->release_ns ? (need->release_ns > best->release_ns) != is_first
                      : need->kind != best->kind           ? need->kind < best->kind
                                                           : need->lane < best->lane))
            best = need;
    }
    return best;
}
