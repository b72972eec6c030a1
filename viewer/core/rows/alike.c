/* alike.c - profiles of ranks, and groups of ranks whose profiles are alike. */
#include "core/rows/alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/* Returns the difference of two profiles, 0 to 1. A rank that spends less time in one state spends more in another, so
 * the sum of the differences of the shares has each difference twice. Returns half of the sum. */
static double difference(const float *a, const float *b, uint32_t columns)
{
    double sum = 0;

    for (uint32_t i = 0; i < columns; i++)
        sum += fabs((double)a[i] - (double)b[i]);
    return sum / 2;
}

/* Sets `mean` to the mean profile of the ranks of a group or, if `group` is NULL, of all ranks. */
static void mean_of(const float *profiles, uint32_t ranks, uint32_t columns, const uint32_t *group, uint32_t which,
                    double *sums, float *mean)
{
    uint32_t count = 0;

    memset(sums, 0, columns * sizeof *sums);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (group && group[rank] != which)
            continue;
        count++;
        for (uint32_t i = 0; i < columns; i++)
            sums[i] += (double)profiles[(size_t)rank * columns + i];
    }
    for (uint32_t i = 0; i < columns; i++)
        mean[i] = (float)(sums[i] / count);
}

/* Returns the rank of a group (if `group` is NULL, of all ranks) that differs least from a profile. */
static uint32_t nearest(const float *profiles, uint32_t ranks, uint32_t columns, const uint32_t *group, uint32_t which,
                        const float *profile)
{
    uint32_t best = 0;
    double least = INFINITY;

    for (uint32_t rank = 0; rank < ranks; rank++) {
        double by =
            group && group[rank] != which ? INFINITY : difference(profiles + (size_t)rank * columns, profile, columns);
        if (by < least) {
            least = by;
            best = rank;
        }
    }
    return best;
}

void pithi_alike_find(const float *profiles, uint32_t ranks, uint32_t columns, double limit, uint32_t most,
                      struct pithi_alike *alike)
{
    /* Farthest-first (alike.h). Four ranks with the shares computing and waiting, limit 0.05:
     *
     *     rank 0: 0.90 0.10   rank 1: 0.88 0.12   rank 2: 0.50 0.50   rank 3: 0.89 0.11
     *     the mean is 0.79 0.21; rank 1 is nearest to it: the first centre
     *     apart from it: rank 0 by 0.02, rank 2 by 0.38, rank 3 by 0.01; 0.38 > 0.05, so rank 2 is the next centre
     *     now the farthest is rank 0 with 0.02: done; groups 0 (ranks 0, 1, 3) and 1 (rank 2) */
    double *apart = pithi_alloc(ranks, sizeof *apart), *sums = pithi_alloc(columns, sizeof *sums);
    float *mean = pithi_alloc(columns, sizeof *mean);
    uint32_t centre;

    *alike = (struct pithi_alike){.ranks = ranks};
    alike->group = pithi_alloc(ranks, sizeof *alike->group);
    most = most > PITHI_ALIKE_MOST ? PITHI_ALIKE_MOST : most < 1 ? 1 : most;
    mean_of(profiles, ranks, columns, NULL, 0, sums, mean);
    centre = nearest(profiles, ranks, columns, NULL, 0, mean);
    for (uint32_t rank = 0; rank < ranks; rank++)
        apart[rank] = INFINITY;
    for (uint32_t made = 0; ranks && made < most; made++) {
        uint32_t farthest = 0;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            /* `apart` has the distance to the nearest centre so far, so a new centre costs one comparison for each
             * rank. */
            double by = difference(profiles + (size_t)rank * columns, profiles + (size_t)centre * columns, columns);
            if (by < apart[rank]) {
                apart[rank] = by;
                alike->group[rank] = made;
            }
            farthest = apart[rank] > apart[farthest] ? rank : farthest;
        }
        if (apart[farthest] <= limit)
            break;
        centre = farthest;
    }
    /* Groups are numbered by their lowest ranks. */
    uint32_t number[PITHI_ALIKE_MOST], next = 0;
    memset(number, 0xff, sizeof number);
    for (uint32_t rank = 0; rank < alike->ranks; rank++) {
        uint32_t *of = &number[alike->group[rank]];
        if (*of == UINT32_MAX)
            *of = next++;
        alike->group[rank] = *of;
    }
    alike->count = next;
    alike->typical = pithi_alloc(alike->count, sizeof *alike->typical);
    alike->spread = pithi_alloc(alike->count, sizeof *alike->spread);
    /* Centres were chosen because they are far from others, so they do not represent their groups. The rank nearest to
     * the group's mean does. */
    for (uint32_t i = 0; i < alike->count; i++) {
        mean_of(profiles, ranks, columns, alike->group, i, sums, mean);
        alike->typical[i] = nearest(profiles, ranks, columns, alike->group, i, mean);
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t group = alike->group[rank];
        double by =
            difference(profiles + (size_t)rank * columns, profiles + (size_t)alike->typical[group] * columns, columns);
        alike->spread[group] = by > alike->spread[group] ? by : alike->spread[group];
    }
    free(apart);
    free(sums);
    free(mean);
}

void pithi_alike_free(struct pithi_alike *alike)
{
    free(alike->group);
    free(alike->typical);
    free(alike->spread);
    memset(alike, 0, sizeof *alike);
}

/* ---- Profiles ---------------------------------------------------------------------------------------------------- */

/* Columns of a profile: time outside all states, time of missing records, time after the end of the lane, states. */
enum { OUTSIDE, MISSING, ABSENT, FIRST_STATE };

/* The shares above 0 of all ranks, sorted by rank. They are few, because most ranks use few of a log's states. */
struct shares {
    struct share {
        uint32_t rank, column;
        double share;
    } * all;
    uint32_t count, capacity;
    uint32_t *column; /* [defs] the column of a state; 0: none yet */
    uint32_t columns; /* number of columns that are in use */
};

static void add_share(struct shares *shares, uint32_t rank, uint32_t column, double share)
{
    shares->all = pithi_view_grow(shares->all, &shares->capacity, shares->count + 1, sizeof *shares->all);
    shares->all[shares->count++] = (struct share){rank, column, share};
}

/* Adds the shares of a rank, whose threads are the lanes [first, end). */
static int add_rank(struct pithlog *log, const struct pithi_alike_question *question, uint32_t rank, uint32_t first,
                    uint32_t end, struct pithlog_sum *sums, struct shares *shares)
{
    /* Shares relate to the time of all threads: a rank with two threads in a second has 2 s. */
    double all_ns = ((double)question->t1_ns - (double)question->t0_ns) * (end - first), outside = 0, missing = 0, rest;
    uint32_t defs = pithlog_get_info(log)->defs;

    memset(sums, 0, defs * sizeof *sums);
    for (uint32_t lane = first; lane < end; lane++) {
        struct pithlog_rest here = {0};
        int err = pithlog_sums(log, question->summary, lane, question->t0_ns, question->t1_ns, sums, &here);
        if (err && err != PITH_ERR_DAMAGED)
            return err;
        outside += (double)here.outside_ns;
        missing += (double)here.missing_ns;
    }
    /* The rest of the time, which belongs neither to states, nor to holes, nor to the time outside states, lies after
     * the end of a lane. */
    rest = all_ns - outside - missing;
    for (uint32_t id = 0; id < defs; id++) {
        if (pithlog_get_def(log, id)->kind != PITHLOG_STATE || sums[id].own_ns <= 0)
            continue;
        if (!shares->column[id])
            shares->column[id] = shares->columns++;
        add_share(shares, rank, shares->column[id], (double)sums[id].own_ns / all_ns);
        rest -= (double)sums[id].own_ns;
    }
    add_share(shares, rank, OUTSIDE, outside / all_ns);
    add_share(shares, rank, MISSING, missing / all_ns);
    add_share(shares, rank, ABSENT, rest > 0 ? rest / all_ns : 0);
    return PITH_OK;
}

int pithi_alike_of_log(struct pithlog *log, const struct pithi_alike_question *question, struct pithi_alike *alike)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithlog_sum *sums = pithi_alloc(info->defs, sizeof *sums);
    struct shares shares = {.columns = FIRST_STATE};
    uint32_t rank;
    int err = PITH_OK;

    *alike = (struct pithi_alike){0};
    shares.column = pithi_alloc(info->defs, sizeof *shares.column);
    for (rank = 0; rank < question->ranks && !err; rank++) {
        uint32_t first = question->rank_lane[rank];
        uint32_t end = rank + 1 < question->ranks ? question->rank_lane[rank + 1] : info->lanes;
        if (!pithi_go_on(&question->watch, (double)rank / question->ranks))
            break;
        err = add_rank(log, question, rank, first, end, sums, &shares);
    }
    /* The number of columns is known only after the last rank, so the profiles are filled in from the list now. */
    if (!err && rank == question->ranks) {
        float *profiles = pithi_alloc((size_t)rank * shares.columns, sizeof *profiles);
        for (uint32_t i = 0; i < shares.count; i++)
            profiles[(size_t)shares.all[i].rank * shares.columns + shares.all[i].column] = (float)shares.all[i].share;
        pithi_alike_find(profiles, rank, shares.columns, question->limit, PITHI_ALIKE_MOST, alike);
        free(profiles);
    }
    free(shares.all);
    free(shares.column);
    free(sums);
    return err;
}
