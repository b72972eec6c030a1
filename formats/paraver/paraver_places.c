/* paraver_places.c - the tree of a log: hosts become nodes, lanes threads and processors of their node. */
#include <stdlib.h>
#include <string.h>

#include "native/map.h"
#include "paraver/paraver_write.h"

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash >> 1;
}

static int add_node(struct pithi_prv_places *p, const char *host, struct pithi_lookup *known, uint32_t *room,
                    uint32_t *node)
{
    uint64_t *place = pithi_lookup_at(known, hash_of(host));
    if (!place)
        return 0;
    if (*place == 0) {
        if (!pithi_grow(&p->hosts, p->node_count, room, sizeof *p->hosts))
            return 0;
        p->hosts[p->node_count++] = host;
        *place = p->node_count;
    }
    *node = (uint32_t)*place;
    return 1;
}

/* Tasks, threads and nodes; processors are counted. */
static int add_lanes(struct pithi_prv_places *p, const struct pithlog *log)
{
    const struct pithlog_lane *lane, *before = NULL;
    struct pithi_lookup known = {0};
    uint32_t room = 0;
    int ok = 1;
    for (uint32_t i = 0; ok && (lane = pithlog_get_lane(log, i)); before = lane, i++) {
        if (!before || before->rank != lane->rank) {
            uint64_t *task = pithi_lookup_at(&p->tasks, (uint32_t)lane->rank);
            p->first_lane[p->task_count] = i;
            ok = task && add_node(p, lane->host, &known, &room, &p->nodes[p->task_count]);
            p->task_count++;
            if (task)
                *task = p->task_count;
        }
        p->lanes[i].task = p->task_count;
        p->lanes[i].thread = i - p->first_lane[p->task_count - 1] + 1;
    }
    p->first_lane[p->task_count] = p->lane_count;
    pithi_lookup_free(&known);
    return ok;
}

/* Processors are numbered node by node. */
static int add_cpus(struct pithi_prv_places *p)
{
    uint32_t *next = calloc(p->node_count + (size_t)1, sizeof *next), sum = 1;
    if (!(p->cpus = calloc(p->node_count + (size_t)1, sizeof *p->cpus)) || !next) {
        free(next);
        return 0;
    }
    for (uint32_t i = 0; i < p->lane_count; i++)
        p->cpus[p->nodes[p->lanes[i].task - 1] - 1]++;
    for (uint32_t i = 0; i < p->node_count; i++) {
        next[i] = sum;
        sum += p->cpus[i];
    }
    for (uint32_t i = 0; i < p->lane_count; i++)
        p->lanes[i].cpu = next[p->nodes[p->lanes[i].task - 1] - 1]++;
    free(next);
    return 1;
}

int pithi_prv_places_open(struct pithi_prv_places *places, const struct pithlog *log)
{
    size_t lanes = pithlog_get_info(log)->lanes + (size_t)1;
    *places = (struct pithi_prv_places){.lane_count = (uint32_t)(lanes - 1)};
    places->lanes = calloc(lanes, sizeof *places->lanes);
    places->first_lane = calloc(lanes, sizeof *places->first_lane);
    places->nodes = calloc(lanes, sizeof *places->nodes);
    return places->lanes && places->first_lane && places->nodes && add_lanes(places, log) && add_cpus(places);
}

void pithi_prv_places_close(struct pithi_prv_places *places)
{
    free(places->lanes);
    free(places->first_lane);
    free(places->nodes);
    free(places->cpus);
    free(places->hosts);
    pithi_lookup_free(&places->tasks);
}
