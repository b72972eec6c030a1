/* communication.c - who sends how much to whom. For example, rank 0 sends 10 MB to rank 1 and 2 MB to rank 2:
 *
 *     Communication: 12 messages, 12 MB, 1.0 MB each
 *       most between two ranks: 0 to 1, 10 MB (83 %); most from one rank: 0, 12 MB (100 %)
 *
 * Messages are those of the dependency graph: both ends are known, and the receive is in the window. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"

enum { LEAST_BYTES = 1000000 }; /* less is not worth a line */

struct sum {
    int32_t from, to;
    double bytes;
};

struct sums {
    struct pithi_map map;
    struct sum *all;
    uint32_t count, room;
};

static int add(struct sums *s, int32_t from, int32_t to, double bytes)
{
    struct sum *sum = pithi_item_at(&s->map, pithi_map_pair((uint32_t)from, (uint32_t)to), &s->all, &s->count,
                                    &s->room, sizeof *sum, NULL);
    if (!sum)
        return 0;
    sum->from = from;
    sum->to = to;
    sum->bytes += bytes;
    return 1;
}

static const struct sum *largest(const struct sums *s)
{
    const struct sum *most = s->all;
    for (uint32_t i = 1; i < s->count; i++)
        if (s->all[i].bytes > most->bytes)
            most = &s->all[i];
    return most;
}

static const char *bytes_text(char text[24], double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;

    for (; bytes >= 999.5 && unit < 4; bytes /= 1000)
        unit++;
    snprintf(text, 24, "%.3g %s", bytes, units[unit]);
    return text;
}

int pithi_communication_put(struct pithlog_analysis *a, FILE *out)
{
    const struct pithi_graph *g = &a->graph;
    struct sums pairs = {0}, ranks = {0};
    double all = 0, count = 0;
    char text[24], each[24];
    int good = 1;

    for (uint32_t lane = 0; lane < pithlog_get_info(g->log)->lanes; lane++) {
        struct pithi_pieces p;
        for (pithi_pieces_begin(&p, a, lane); good && p.index < p.end; pithi_pieces_next(&p))
            for (const struct pithi_need *need = pithi_graph_need(g, p.piece->needs); need && good;
                 need = pithi_graph_need(g, need->next)) {
                if (need->kind != PITHLOG_LATE_SENDER || need->lane == PITHI_NO_LANE)
                    continue;
                int32_t from = pithlog_get_lane(g->log, need->lane)->rank, to = pithlog_get_lane(g->log, lane)->rank;
                good = add(&pairs, from, to, need->bytes) && add(&ranks, from, 0, need->bytes);
                all += need->bytes;
                count++;
            }
    }
    if (good && all >= LEAST_BYTES) {
        const struct sum *pair = largest(&pairs), *rank = largest(&ranks);
        fprintf(out, "\nCommunication: %.0f messages, %s", count, bytes_text(text, all));
        fprintf(out, ", %s each\n", bytes_text(each, all / count));
        fprintf(out, "  most between two ranks: %d to %d, %s (%.0f %%)\n", (int)pair->from, (int)pair->to,
                bytes_text(text, pair->bytes), 100 * pair->bytes / all);
        fprintf(out, "  most from one rank: %d, %s (%.0f %%)\n", (int)rank->from, bytes_text(text, rank->bytes),
                100 * rank->bytes / all);
    }
    pithi_map_free(&pairs.map);
    pithi_map_free(&ranks.map);
    free(pairs.all);
    free(ranks.all);
    return good ? PITH_OK : pithi_analysis_no_memory(a);
}
