/* rows_label.c - the labels of the rows of the tree, and the keys under which an arrangement is stored. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/words.h"
#include "core/legend.h"
#include "core/memory.h"
#include "core/rows.h"

/* ---- Labels ------------------------------------------------------------------------------------------------------ */

static void lane_label(const struct pithlog_lane *lane, char *text, size_t size)
{
    char place[48];

    if (lane->thread)
        snprintf(place, sizeof place, "%" PRId32 ".%" PRIu32, lane->rank, lane->thread);
    else
        snprintf(place, sizeof place, "rank %" PRId32, lane->rank);
    snprintf(text, size, "%s%s%s", place, lane->name[0] ? " " : "", lane->name);
}

static void comm_label(const struct pithi_rows *rows, uint32_t comm, char *text, size_t size)
{
    const char *name = pithlog_get_comm(rows->log, comm)->name;

    if (name && *name)
        snprintf(text, size, "%s", name);
    else if (!comm)
        snprintf(text, size, "MPI_COMM_WORLD");
    else
        snprintf(text, size, "communicator %" PRIu32, comm);
}

char *pithi_rows_label(const struct pithi_rows *rows, uint32_t number, char *text, size_t size)
{
    const struct pithi_node *node = &rows->nodes[number];
    char raw[256];

    switch (node->kind) {
    case PITHI_NODE_COUNTER:
        pithi_row_label(rows->log, (struct pithi_row){.lane = node->lane, .counter = node->id}, text, size);
        return text;
    case PITHI_NODE_HOST:
        snprintf(raw, sizeof raw, "%s", pithlog_get_lane(rows->log, node->lane)->host);
        if (!*raw)
            snprintf(raw, sizeof raw, "(no host)");
        break;
    case PITHI_NODE_COMM:
        comm_label(rows, node->id, raw, sizeof raw);
        break;
    default:
        lane_label(pithlog_get_lane(rows->log, node->lane), raw, sizeof raw);
    }
    return pithi_clean(text, size, raw, 0);
}

static int is_kept(const struct pithi_rows *rows, uint32_t number)
{
    const struct pithi_node *node = &rows->nodes[number];

    if (node->flags & PITHI_NODE_HIDDEN)
        return 0;
    if (node->flags & PITHI_NODE_KEPT)
        return 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (is_kept(rows, node->children[i]))
            return 1;
    return 0;
}

int pithi_rows_has_children(struct pithi_rows *rows, uint32_t number)
{
    const struct pithi_node *node = &rows->nodes[number];

    if (node->kind == PITHI_NODE_COMM && !(node->flags & PITHI_NODE_BUILT))
        return 1;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (is_kept(rows, node->children[i]))
            return 1;
    return 0;
}

static void ranks_note(char *text, size_t size, uint32_t shown, uint32_t all)
{
    const char *word = all == 1 ? "rank" : "ranks";

    if (shown < all)
        snprintf(text, size, "%" PRIu32 " of %" PRIu32 " %s", shown, all, word);
    else
        snprintf(text, size, "%" PRIu32 " %s", all, word);
}

char *pithi_rows_note(struct pithi_rows *rows, uint32_t number, char *text, size_t size)
{
    const struct pithi_node *node = &rows->nodes[number];
    uint32_t shown = 0, threads = 0;

    *text = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        shown += (uint32_t)is_kept(rows, node->children[i]);
        threads += rows->nodes[node->children[i]].kind == PITHI_NODE_THREAD;
    }
    if (node->kind == PITHI_NODE_COMM && !(node->flags & PITHI_NODE_BUILT))
        ranks_note(text, size, (uint32_t)pithi_rows_member_count(rows, node->id),
                   (uint32_t)pithi_rows_member_count(rows, node->id));
    else if (node->kind == PITHI_NODE_HOST || node->kind == PITHI_NODE_COMM)
        ranks_note(text, size, shown, node->child_count);
    else if (node->kind == PITHI_NODE_RANK && threads && !(node->flags & PITHI_NODE_OPEN))
        snprintf(text, size, "%" PRIu32 " threads", threads + 1);
    else if (node->kind != PITHI_NODE_COUNTER && rows->host_count > 1 && rows->grouping != PITHI_BY_HOST)
        pithi_clean(text, size, pithlog_get_lane(rows->log, node->lane)->host, 0);
    return text;
}

/* ---- Visible rows ------------------------------------------------------------------------------------------------ */

char *pithi_rows_seen_label(const struct pithi_rows *rows, uint32_t row, char *text, size_t size)
{
    const struct pithi_row *of = &rows->seen[row];

    if (!pithi_row_is_below(of))
        return pithi_rows_label(rows, rows->places[row].node, text, size);
    snprintf(text, size, "%s %" PRIu32, of->flame ? "depth" : "level", of->band);
    return text;
}

char *pithi_rows_seen_note(struct pithi_rows *rows, uint32_t row, char *text, size_t size)
{
    *text = 0;
    return pithi_row_is_below(&rows->seen[row]) ? text : pithi_rows_note(rows, rows->places[row].node, text, size);
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static uint32_t comm_around(const struct pithi_rows *rows, uint32_t node)
{
    while (node && rows->nodes[node].kind != PITHI_NODE_COMM)
        node = rows->nodes[node].parent;
    return node;
}

char *pithi_rows_key(const struct pithi_rows *rows, uint32_t number, char *text, size_t size)
{
    const struct pithi_node *node = &rows->nodes[number];
    const struct pithlog_lane *lane = node->lane == PITHI_NONE ? NULL : pithlog_get_lane(rows->log, node->lane);
    uint32_t comm = comm_around(rows, number);
    char place[32] = "", thread[24] = "";

    if (node->kind == PITHI_NODE_ROOT)
        return memcpy(text, "", 1);
    if (comm)
        snprintf(place, sizeof place, "comm:%" PRIu32, rows->nodes[comm].id);
    if (node->kind == PITHI_NODE_COMM) {
        snprintf(text, size, "%s", place);
    } else if (node->kind == PITHI_NODE_HOST) {
        snprintf(text, size, "host:%s", lane->host);
    } else {
        if (lane->thread)
            snprintf(thread, sizeof thread, ".%" PRIu32, lane->thread);
        snprintf(text, size, "%s%s%" PRId32 "%s%s%s", place, comm ? "/" : "", lane->rank, thread,
                 node->kind == PITHI_NODE_COUNTER ? "/" : "",
                 node->kind == PITHI_NODE_COUNTER ? pithlog_get_def(rows->log, node->id)->name : "");
    }
    return text;
}

static uint32_t child_of_kind(const struct pithi_rows *rows, uint32_t parent, enum pithi_node_kind kind, uint32_t id,
                              const char *name)
{
    for (uint32_t i = 0; i < rows->nodes[parent].child_count; i++) {
        const struct pithi_node *node = &rows->nodes[rows->nodes[parent].children[i]];
        if (node->kind != kind)
            continue;
        if (kind == PITHI_NODE_COMM   ? node->id == id
            : kind == PITHI_NODE_HOST ? strcmp(pithlog_get_lane(rows->log, node->lane)->host, name) == 0
                                      : strcmp(pithlog_get_def(rows->log, node->id)->name, name) == 0)
            return rows->nodes[parent].children[i];
    }
    return PITHI_NONE;
}

/* "7", "7.1", "7.1/load" */
static uint32_t lane_node(struct pithi_rows *rows, uint32_t comm, const char *key)
{
    char *end;
    long rank = strtol(key, &end, 10);
    unsigned long thread = 0;
    uint32_t lane, node;
    const struct pithlog_lane *found;

    if (end == key)
        return PITHI_NONE;
    if (*end == '.')
        thread = strtoul(end + 1, &end, 10);
    lane = pithi_rows_rank_lane(rows, rank);
    if (lane == PITHI_NONE || (*end && *end != '/'))
        return PITHI_NONE;
    while ((found = pithlog_get_lane(rows->log, lane)) && found->rank == rank && found->thread < thread)
        lane++;
    if (!found || found->rank != rank || found->thread != thread)
        return PITHI_NONE;
    /* Finds the node of a lane below `parent`, with a table that is rebuilt when the parent changes. */
    if (rows->lane_parent != comm) {
        uint32_t lanes = pithlog_get_info(rows->log)->lanes;
        free(rows->lane_node);
        rows->lane_node = pithi_alloc(lanes, sizeof *rows->lane_node);
        memset(rows->lane_node, 0xff, lanes * sizeof *rows->lane_node);
        rows->lane_parent = comm;
        for (uint32_t i = 1; i < rows->node_count; i++)
            if ((rows->nodes[i].kind == PITHI_NODE_RANK || rows->nodes[i].kind == PITHI_NODE_THREAD) &&
                comm_around(rows, i) == comm)
                rows->lane_node[rows->nodes[i].lane] = i;
    }
    node = rows->lane_node[lane];
    return *end && node != PITHI_NONE ? child_of_kind(rows, node, PITHI_NODE_COUNTER, 0, end + 1) : node;
}

uint32_t pithi_rows_node(struct pithi_rows *rows, const char *key)
{
    uint32_t comm = 0;
    char *end;

    if (!*key)
        return 0;
    if (strncmp(key, "host:", 5) == 0)
        return child_of_kind(rows, 0, PITHI_NODE_HOST, 0, key + 5);
    if (strncmp(key, "comm:", 5) == 0) {
        comm = child_of_kind(rows, 0, PITHI_NODE_COMM, (uint32_t)strtoul(key + 5, &end, 10), NULL);
        if (comm == PITHI_NONE || !*end)
            return comm;
        pithi_rows_build(rows, comm);
        key = end + 1;
    }
    return lane_node(rows, comm, key);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

int pithi_grouping_parse(const char *text, enum pithi_grouping *grouping)
{
    static const char *const names[] = {"none", "host", "comm"};

    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *grouping = (enum pithi_grouping)i;
            return 0;
        }
    return -1;
}

int pithi_rows_picture(struct pithi_rows *rows, enum pithi_grouping grouping, const char *pattern)
{
    pithi_rows_group(rows, grouping);
    if (pithi_rows_filter(rows, pattern))
        return -1;
    if (grouping != PITHI_BY_NOTHING)
        for (uint32_t i = 0; i < rows->nodes[0].child_count; i++)
            pithi_rows_set_open(rows, rows->nodes[0].children[i], 0);
    pithi_rows_seen(rows);
    return 0;
}
