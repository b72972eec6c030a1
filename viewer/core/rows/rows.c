/* rows.c - the tree of rows: builds it, lists the visible rows, labels, filters and arranges them.
 *
 * The nodes are in one array, and everything else refers to a node by its number, the index in the array. So a number
 * stays valid when the array moves. A node that is hidden, closed or filtered out stays in the tree; only flags change,
 * and pithi_rows_seen walks the tree again. That costs 10 ms for a hundred thousand lanes, and nothing can be left over
 * from an earlier arrangement.
 *
 *     node 0           the root, which is no row
 *     node 1  host a   children 3 and 6; node 2 is host b, with child 7
 *     node 3  rank 0   children 4 (a counter) and 5 (thread 0.1)
 *     node 6  rank 1, node 7  rank 2
 *
 * Parents are made before their children. A communicator is the exception: its ranks become nodes when it is first
 * shown open (PITHI_NODE_BUILT), as a thousand communicators of a thousand ranks each would be a million nodes that
 * nobody looks at. */
#include "core/rows/rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/legend.h"
#include "core/cells/memory.h"
#include "core/rows/words.h"

/* If a tree has more rows than this, its ranks are closed at first. If there are still more rows, its groups are
 * closed, too. */
enum { MOST_OPEN = 512 };

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static uint32_t new_node(struct pithi_rows *rows, uint32_t parent, enum pithi_node_kind kind, uint32_t lane,
                         uint32_t id)
{
    uint32_t node = rows->node_count++;
    struct pithi_node *above;

    rows->nodes = pithi_view_grow(rows->nodes, &rows->node_capacity, rows->node_count, sizeof *rows->nodes);
    rows->nodes[node] = (struct pithi_node){.parent = parent,
                                            .lane = lane,
                                            .id = id,
                                            .kind = (uint8_t)kind,
                                            .flags = PITHI_NODE_OPEN | PITHI_NODE_BORN_OPEN | PITHI_NODE_KEPT |
                                                     (kind == PITHI_NODE_COMM ? 0 : PITHI_NODE_BUILT)};
    /* The root is its own parent, but not its own child. */
    if (node == parent)
        return node;
    above = &rows->nodes[parent];
    above->children =
        pithi_view_grow(above->children, &above->child_capacity, above->child_count + 1, sizeof *above->children);
    above->children[above->child_count++] = node;
    return node;
}

static void forget_nodes(struct pithi_rows *rows)
{
    for (uint32_t i = 0; i < rows->node_count; i++)
        free(rows->nodes[i].children);
    rows->node_count = rows->pin_count = 0;
    rows->lane_parent = PITHI_NONE;
    rows->generation++;
    new_node(rows, 0, PITHI_NODE_ROOT, PITHI_NONE, 0);
}

/* ---- Ranks and their threads ------------------------------------------------------------------------------------- */

uint32_t pithi_rows_rank_lane(const struct pithi_rows *rows, int64_t rank)
{
    uint32_t low = 0, high = rows->rank_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pithlog_get_lane(rows->log, rows->rank_lane[middle])->rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == rows->rank_count || pithlog_get_lane(rows->log, rows->rank_lane[low])->rank != rank)
        return PITHI_NONE;
    return rows->rank_lane[low];
}

/* Adds the counters of a node's lane to its children. Counters come before the threads. If the node has threads
 * already, the new counters are at the end of the list and change places with the threads: with threads t u and
 * counters c d, the list t u c d becomes c d t u. */
static void add_counters(struct pithi_rows *rows, uint32_t node)
{
    uint32_t lane = rows->nodes[node].lane, low = 0, high = rows->counter_count, at = 0, old, *children;

    /* Finds the first counter of this lane or a later lane. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->counters[middle].lane < lane)
            low = middle + 1;
        else
            high = middle;
    }
    old = rows->nodes[node].child_count;
    for (uint32_t i = low; i < rows->counter_count && rows->counters[i].lane == lane; i++, at++)
        new_node(rows, node, PITHI_NODE_COUNTER, lane, rows->counters[i].counter);
    if (!at || !old)
        return;
    children = pithi_alloc(old + at, sizeof *children);
    memcpy(children, rows->nodes[node].children + old, at * sizeof *children);
    memcpy(children + at, rows->nodes[node].children, old * sizeof *children);
    memcpy(rows->nodes[node].children, children, (old + at) * sizeof *children);
    free(children);
}

/* Adds the nodes of a rank and of its threads. Lanes are sorted by rank, then by thread, so the other threads of the
 * rank follow its first lane. */
static void add_rank(struct pithi_rows *rows, uint32_t parent, uint32_t first_lane)
{
    uint32_t rank = new_node(rows, parent, PITHI_NODE_RANK, first_lane, 0), thread;
    const struct pithlog_lane *first = pithlog_get_lane(rows->log, first_lane), *lane;

    add_counters(rows, rank);
    for (uint32_t i = first_lane + 1; (lane = pithlog_get_lane(rows->log, i)) && lane->rank == first->rank; i++) {
        thread = new_node(rows, rank, PITHI_NODE_THREAD, i, 0);
        add_counters(rows, thread);
    }
}

/* ---- By host ----------------------------------------------------------------------------------------------------- */

struct host_table {
    uint32_t *nodes; /* 0: free */
    uint32_t size;   /* a power of two */
};

/* Returns the node of the lane's host; makes the node at the first rank of the host. Only the name identifies a host,
 * and a log may have ten thousand hosts. So a hash table (open addressing) finds the node of a name. */
static uint32_t host_node(struct pithi_rows *rows, struct host_table *table, uint32_t lane)
{
    const char *host = pithlog_get_lane(rows->log, lane)->host;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (const char *byte = host; *byte; byte++)
        hash = (hash ^ (unsigned char)*byte) * 1099511628211u;
    uint32_t place = (uint32_t)hash & (table->size - 1);
    for (; table->nodes[place]; place = (place + 1) & (table->size - 1))
        if (strcmp(pithlog_get_lane(rows->log, rows->nodes[table->nodes[place]].lane)->host, host) == 0)
            return table->nodes[place];
    rows->host_count++;
    return table->nodes[place] = new_node(rows, 0, PITHI_NODE_HOST, lane, 0);
}

/* Builds the tree by host. If there is only one host, the tree has no level for hosts. */
static void build_by_host(struct pithi_rows *rows)
{
    struct host_table table = {NULL, 16};

    while (table.size < rows->rank_count * 2)
        table.size *= 2;
    table.nodes = pithi_alloc(table.size, sizeof *table.nodes);
    rows->host_count = 0;
    for (uint32_t i = 0; i < rows->rank_count; i++)
        host_node(rows, &table, rows->rank_lane[i]);
    /* The number of hosts is known only now. The node of a single host is dropped, and the ranks go to the root. */
    if (rows->host_count <= 1)
        forget_nodes(rows);
    for (uint32_t i = 0; i < rows->rank_count; i++)
        add_rank(rows, rows->host_count > 1 ? host_node(rows, &table, rows->rank_lane[i]) : 0, rows->rank_lane[i]);
    free(table.nodes);
}

/* ---- By communicator, or not grouped ----------------------------------------------------------------------------- */

/* Returns the number of members of a communicator. A log need not list the members of the world communicator, which has
 * all ranks. */
int64_t pithi_rows_member_count(const struct pithi_rows *rows, uint32_t comm)
{
    const struct pithlog_comm *all = pithlog_get_comm(rows->log, comm);
    int64_t count = (int64_t)all->size + all->remote_size;

    return count || comm ? count : rows->rank_count;
}

static uint32_t member_lane(const struct pithi_rows *rows, uint32_t comm, int64_t member)
{
    const struct pithlog_comm *all = pithlog_get_comm(rows->log, comm);

    if (!all->size && !all->remote_size)
        return rows->rank_lane[member];
    return pithi_rows_rank_lane(rows, all->world_ranks[member]);
}

void pithi_rows_build(struct pithi_rows *rows, uint32_t node)
{
    uint32_t comm = rows->nodes[node].id;

    if (rows->nodes[node].flags & PITHI_NODE_BUILT ||
        /* with more members than the array has room for, the communicator stays one closed row */
        pithi_rows_member_count(rows, comm) > PITHI_MOST_NODES - rows->node_count)
        return;
    rows->nodes[node].flags |= PITHI_NODE_BUILT;
    rows->lane_parent = PITHI_NONE;
    for (int64_t i = 0; i < pithi_rows_member_count(rows, comm); i++) {
        uint32_t lane = member_lane(rows, comm, i);
        if (lane != PITHI_NONE)
            add_rank(rows, node, lane);
    }
}

/* ---- By likeness ------------------------------------------------------------------------------------------------- */

void pithi_rows_group_alike(struct pithi_rows *rows, struct pithi_alike *alike)
{
    pithi_alike_free(&rows->alike);
    rows->alike = *alike;
    memset(alike, 0, sizeof *alike);
    pithi_rows_group(rows, PITHI_BY_LIKENESS);
}

static int32_t rank_at(const struct pithi_rows *rows, uint32_t place)
{
    return pithlog_get_lane(rows->log, rows->rank_lane[place])->rank;
}

/* Returns a share in per cent, rounded up to a tenth, so that the text "none differs ... in more than" is true. */
static double percent(double share) { return share > 0 ? ceil(1000 * share - 1e-4) / 10 : 0; }

/* Writes the ranks of a group as a list of ranges, "0,2-511". If there are more than `most` ranges, it writes most - 1
 * of them and "...". Returns the number of bytes. */
static size_t put_ranks(const struct pithi_rows *rows, uint32_t group, uint32_t most, const char *comma, char *text,
                        size_t size)
{
    const struct pithi_alike *alike = &rows->alike;
    size_t at = 0, before_last = 0;
    uint32_t ranges = 0;

    /* Consecutive ranks of the group become "FIRST-LAST". If one more range than `most` is found, the last range
     * written is replaced by "...". */
    for (uint32_t i = 0; i < alike->ranks && at < size; i++) {
        uint32_t last = i;
        if (alike->group[i] != group)
            continue;
        if (ranges++ == most) {
            at = before_last + (size_t)snprintf(text + before_last, size - before_last, "%s...", comma);
            break;
        }
        before_last = at;
        while (last + 1 < alike->ranks && alike->group[last + 1] == group &&
               rank_at(rows, last + 1) == rank_at(rows, last) + 1)
            last++;
        at += (size_t)snprintf(text + at, size - at, last > i ? "%s%" PRId32 "-%" PRId32 : "%s%" PRId32,
                               ranges > 1 ? comma : "", rank_at(rows, i), rank_at(rows, last));
        i = last;
    }
    return at < size ? at : size;
}

/* Returns the groups as a word for scripts and saved views. Each group is TYPICAL RANK:SPREAD:RANKS, so
 * "0:2.0:0-1/2:0.0:2" has the groups 0-1 and 2. pithi_rows_set_alike reads such a word, perhaps for a log with other
 * ranks. */
char *pithi_rows_alike_word(const struct pithi_rows *rows)
{
    const struct pithi_alike *alike = &rows->alike;
    size_t size = 48 * (size_t)alike->count + 24 * (size_t)alike->ranks + 1, at = 0;
    char *word = pithi_alloc(size, 1);

    for (uint32_t i = 0; i < alike->count; i++) {
        at += (size_t)snprintf(word + at, size - at, "%s%" PRId32 ":%.1f:", i ? "/" : "",
                               rank_at(rows, alike->typical[i]), percent(alike->spread[i]));
        at += put_ranks(rows, i, UINT32_MAX, ",", word + at, size - at);
    }
    return word;
}

/* Returns the index of a rank among the ranks of the log, or rank_count if the log does not have it. */
static uint32_t place_of_rank(const struct pithi_rows *rows, int64_t rank)
{
    uint32_t lane = pithi_rows_rank_lane(rows, rank), low = 0, high = rows->rank_count;

    while (lane != PITHI_NONE && low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->rank_lane[middle] < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return lane == PITHI_NONE ? rows->rank_count : low;
}

void pithi_rows_set_alike(struct pithi_rows *rows, const char *word)
{
    /* Ranks that no group names keep the group PITHI_NONE at first; each gets a group of its own below. A group whose
     * ranks are all missing in this log is dropped. A typical rank that is missing is replaced by another rank of the
     * group. */
    struct pithi_alike alike = {.ranks = rows->rank_count};
    uint32_t capacity = 0, spreads = 0;

    alike.group = pithi_alloc(rows->rank_count, sizeof *alike.group);
    memset(alike.group, 0xff, rows->rank_count * sizeof *alike.group);
    while (*word) {
        const char *end = word + strcspn(word, "/");
        char *at;
        long typical = strtol(word, &at, 10);
        double spread = *at == ':' ? strtod(at + 1, &at) / 100 : 0;
        uint32_t some = PITHI_NONE;
        while ((*at == ':' || *at == ',') && isdigit((unsigned char)at[1])) {
            long first = strtol(at + 1, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
            uint32_t i = 0;
            while (i < rows->rank_count && rank_at(rows, i) < first)
                i++;
            for (; i < rows->rank_count && rank_at(rows, i) <= last; i++) {
                alike.group[i] = alike.count;
                some = i;
            }
        }
        if (some != PITHI_NONE) {
            uint32_t place = place_of_rank(rows, typical);
            alike.typical = pithi_view_grow(alike.typical, &capacity, alike.count + 1, sizeof *alike.typical);
            alike.spread = pithi_view_grow(alike.spread, &spreads, alike.count + 1, sizeof *alike.spread);
            alike.typical[alike.count] = place < rows->rank_count ? place : some;
            alike.spread[alike.count++] = spread >= 0 && spread <= 1 ? spread : 1;
        }
        word = *end ? end + 1 : end;
    }
    for (uint32_t i = 0; i < alike.ranks; i++)
        if (alike.group[i] == PITHI_NONE) {
            alike.typical = pithi_view_grow(alike.typical, &capacity, alike.count + 1, sizeof *alike.typical);
            alike.spread = pithi_view_grow(alike.spread, &spreads, alike.count + 1, sizeof *alike.spread);
            alike.typical[alike.count] = i;
            alike.spread[alike.count] = 0;
            alike.group[i] = alike.count++;
        }
    pithi_alike_free(&rows->alike);
    rows->alike = alike;
}

/* ---- The tree ---------------------------------------------------------------------------------------------------- */

static void close_kind(struct pithi_rows *rows, uint32_t kinds)
{
    for (uint32_t i = 1; i < rows->node_count; i++)
        if (kinds >> rows->nodes[i].kind & 1)
            rows->nodes[i].flags &= (uint8_t) ~(PITHI_NODE_OPEN | PITHI_NODE_BORN_OPEN);
}

void pithi_rows_group(struct pithi_rows *rows, enum pithi_grouping grouping)
{
    forget_nodes(rows);
    rows->grouping = grouping;
    if (grouping == PITHI_BY_HOST) {
        build_by_host(rows);
    } else if (grouping == PITHI_BY_COMM) {
        for (uint32_t comm = 0; comm < pithlog_get_info(rows->log)->comms; comm++)
            if (pithi_rows_member_count(rows, comm) > 0)
                new_node(rows, 0, PITHI_NODE_COMM, PITHI_NONE, comm);
        if (!rows->nodes[0].child_count) /* no members are known */
            build_by_host(rows);
    } else if (grouping == PITHI_BY_LIKENESS) {
        /* A group of one rank needs no level, so its rank is a row at the top. If no groups are set, all ranks are rows
         * at the top. */
        const struct pithi_alike *alike = &rows->alike;
        uint32_t *nodes = pithi_alloc(alike->count, sizeof *nodes), *sizes = pithi_alloc(alike->count, sizeof *sizes);

        for (uint32_t i = 0; i < alike->ranks; i++)
            sizes[alike->group[i]]++;
        for (uint32_t i = 0; i < rows->rank_count; i++) {
            uint32_t group = alike->ranks ? alike->group[i] : 0;
            if (!alike->ranks || sizes[group] == 1) {
                add_rank(rows, 0, rows->rank_lane[i]);
                continue;
            }
            if (!nodes[group])
                nodes[group] = new_node(rows, 0, PITHI_NODE_ALIKE, rows->rank_lane[i], group);
            add_rank(rows, nodes[group], rows->rank_lane[i]);
        }
        free(nodes);
        free(sizes);
    } else
        for (uint32_t lane = 0; lane < pithlog_get_info(rows->log)->lanes; lane++)
            add_counters(rows, new_node(rows, 0, PITHI_NODE_THREAD, lane, 0));
    /* Opens all nodes if there are few rows, else only the outer levels.
     * The limits count rows, not nodes: a closed communicator has no nodes yet, so its members are counted instead. */
    uint64_t members = 0;
    if (rows->grouping == PITHI_BY_COMM)
        for (uint32_t i = 0; i < pithlog_get_info(rows->log)->comms && members <= MOST_OPEN; i++)
            members += (uint64_t)pithi_rows_member_count(rows, i);
    if (rows->node_count > MOST_OPEN)
        close_kind(rows, 1u << PITHI_NODE_RANK | 1u << PITHI_NODE_THREAD);
    if (rows->rank_count + rows->host_count > MOST_OPEN || members > MOST_OPEN)
        close_kind(rows, 1u << PITHI_NODE_HOST | 1u << PITHI_NODE_COMM);
    /* Groups of similar ranks are closed at first, because their purpose is to show many ranks as one row. */
    close_kind(rows, 1u << PITHI_NODE_ALIKE);
    /* The nodes are new, so the filter is applied again. A filter that matches no row now is dropped, for example a
     * host's name in a tree without hosts. */
    if (*rows->pattern && pithi_rows_filter(rows, rows->pattern))
        pithi_rows_filter(rows, "");
}

struct pithi_rows *pithi_rows_open(const struct pithlog *log)
{
    struct pithi_rows *rows = pithi_alloc(1, sizeof *rows);

    rows->log = log;
    rows->pattern = pithi_alloc(1, 1);
    const struct pithlog_lane *lane;
    int32_t last = 0;
    rows->rank_lane = pithi_alloc(pithlog_get_info(rows->log)->lanes, sizeof *rows->rank_lane);
    for (uint32_t i = 0; (lane = pithlog_get_lane(rows->log, i)); i++)
        if (!rows->rank_count || lane->rank != last) {
            rows->rank_lane[rows->rank_count++] = i;
            last = lane->rank;
        }
    pithi_rows_group(rows, PITHI_BY_HOST);
    return rows;
}

void pithi_rows_close(struct pithi_rows *rows)
{
    if (!rows)
        return;
    forget_nodes(rows);
    free(rows->nodes);
    free(rows->rank_lane);
    free(rows->counters);
    free(rows->pins);
    free(rows->pattern);
    free(rows->lane_node);
    pithi_alike_free(&rows->alike);
    free(rows->seen);
    free(rows->places);
    free(rows->lanes);
    free(rows);
}

void pithi_rows_add_counters(struct pithi_rows *rows, const struct pithi_row *made, uint32_t count)
{
    /* The digest is read in the background, so the counters may come after the tree was shown. Nodes that exist keep
     * their numbers, as new ones are added at the end. */
    uint32_t nodes = rows->node_count;

    if (rows->counter_count)
        return;
    rows->counters = pithi_alloc(count, sizeof *rows->counters);
    for (uint32_t i = 0; i < count; i++)
        if (made[i].kind == PITHI_ROW_COUNTER)
            rows->counters[rows->counter_count++] = made[i];
    for (uint32_t i = 1; rows->counter_count && i < nodes; i++)
        if (rows->nodes[i].kind == PITHI_NODE_RANK || rows->nodes[i].kind == PITHI_NODE_THREAD)
            add_counters(rows, i);
    if (*rows->pattern)
        pithi_rows_filter(rows, rows->pattern);
}

/* ---- Visible rows ------------------------------------------------------------------------------------------------ */

static int is_on_a_lane(const struct pithi_node *node)
{
    return node->kind == PITHI_NODE_RANK || node->kind == PITHI_NODE_THREAD;
}

static void add_lane(struct pithi_rows *rows, uint32_t lane)
{
    rows->lanes = pithi_view_grow(rows->lanes, &rows->lane_capacity, rows->lane_count + 1, sizeof *rows->lanes);
    rows->lanes[rows->lane_count++] = lane;
}

/* Appends the visible lanes below a node to rows->lanes. */
static void gather(struct pithi_rows *rows, uint32_t number)
{
    const struct pithi_node *node = &rows->nodes[number];

    if (node->flags & PITHI_NODE_HIDDEN || node->kind == PITHI_NODE_COUNTER)
        return;
    if (!(node->flags & PITHI_NODE_BUILT)) {
        /* A communicator that was not opened yet has no nodes for its members, so none of them is hidden. Takes the
         * lanes of all members. */
        uint32_t comm = node->id;
        for (int64_t i = 0; i < pithi_rows_member_count(rows, comm); i++) {
            uint32_t first = member_lane(rows, comm, i);
            const struct pithlog_lane *lane = first == PITHI_NONE ? NULL : pithlog_get_lane(rows->log, first);
            int32_t rank = lane ? lane->rank : 0;
            for (; lane && lane->rank == rank; lane = pithlog_get_lane(rows->log, ++first))
                add_lane(rows, first);
        }
        return;
    }
    if (is_on_a_lane(node) && node->flags & PITHI_NODE_KEPT)
        add_lane(rows, node->lane);
    for (uint32_t i = 0; i < node->child_count; i++)
        gather(rows, node->children[i]);
}

static struct pithi_row *see(struct pithi_rows *rows, uint32_t node, uint32_t depth, struct pithi_row row)
{
    uint32_t at = rows->seen_count++;

    rows->seen = pithi_view_grow(rows->seen, &rows->seen_capacity, rows->seen_count, sizeof *rows->seen);
    rows->places = pithi_view_grow(rows->places, &rows->place_capacity, rows->seen_count, sizeof *rows->places);
    rows->places[at].node = node;
    rows->places[at].depth = (uint16_t)depth;
    rows->seen[at] = row;
    return &rows->seen[at];
}

/* Adds the row of a lane, or, if the lane is unfolded, its bands, that is, a row for each nesting level. Then adds
 * the rows of its functions. */
static void see_lane(struct pithi_rows *rows, uint32_t node, uint32_t depth, uint32_t lane)
{
    uint32_t bands = rows->nodes[node].bands, flames = rows->nodes[node].flames;

    /* An unfolded lane has bands 1 to `bands`; any other lane has one row, with band 0. */
    for (uint32_t band = bands > 1; band <= (bands > 1 ? bands : 0); band++)
        see(rows, node, depth, (struct pithi_row){.lane = lane, .band = band});
    for (uint32_t band = 1; band <= flames; band++)
        see(rows, node, depth, (struct pithi_row){.lane = lane, .band = band, .kind = PITHI_ROW_FUNCTIONS});
}

static void see_node(struct pithi_rows *rows, uint32_t number, uint32_t depth);

static void see_children(struct pithi_rows *rows, uint32_t number, uint32_t depth)
{
    /* A communicator is open from the start, but its children are made only when they are first shown. */
    if (rows->nodes[number].kind == PITHI_NODE_COMM)
        pithi_rows_build(rows, number);
    for (uint32_t i = 0; i < rows->nodes[number].child_count; i++) {
        uint32_t child = rows->nodes[number].children[i];
        if (!(rows->nodes[child].flags & PITHI_NODE_PINNED))
            see_node(rows, child, depth);
    }
}

/* Adds the rows of an open group. Its own row is a heading without bars, and takes the lane of the first row below it,
 * as a communicator has no lane of its own. */
static void see_group(struct pithi_rows *rows, uint32_t number, uint32_t depth)
{
    uint32_t head = rows->seen_count;

    see(rows, number, depth, (struct pithi_row){.lane = rows->nodes[number].lane, .kind = PITHI_ROW_HEADING});
    see_children(rows, number, depth + 1);
    if (rows->seen_count == head + 1) { /* the group has no visible rows */
        rows->seen_count = head;
        return;
    }
    if (rows->seen[head].lane == PITHI_NONE)
        rows->seen[head].lane = rows->seen[head + 1].lane;
}

static void see_node(struct pithi_rows *rows, uint32_t number, uint32_t depth)
{
    const struct pithi_node *node = &rows->nodes[number];

    if (node->flags & PITHI_NODE_HIDDEN)
        return;
    if (node->kind == PITHI_NODE_COUNTER) {
        if (node->flags & PITHI_NODE_KEPT)
            see(rows, number, depth,
                (struct pithi_row){.kind = PITHI_ROW_COUNTER, .lane = node->lane, .counter = node->id});
    } else if (!(node->flags & PITHI_NODE_OPEN)) {
        /* Adds one row for all lanes below a node; a single lane gets its own row. */
        uint32_t first = rows->lane_count, count;
        struct pithi_row *row;

        /* `gather` appends the list of this row's lanes to rows->lanes. For a single lane the list is removed again. */
        gather(rows, number);
        count = rows->lane_count - first;
        if (count == 1) {
            rows->lane_count = first;
            see_lane(rows, number, depth, rows->lanes[first]);
        }
        if (count >= 2) {
            row = see(rows, number, depth, (struct pithi_row){.lane = rows->lanes[first]});
            row->lane_count = count;
        }
    } else if (!is_on_a_lane(node)) {
        see_group(rows, number, depth);
    } else {
        int kept = (node->flags & PITHI_NODE_KEPT) != 0;
        if (kept)
            see_lane(rows, number, depth, node->lane);
        see_children(rows, number, depth + (uint32_t)kept);
    }
}

void pithi_rows_seen(struct pithi_rows *rows)
{
    uint32_t lanes = 0;

    rows->seen_count = rows->lane_count = 0;
    /* Pinned rows come first, and not a second time at their place in the tree (see_children). */
    for (uint32_t i = 0; i < rows->pin_count; i++)
        see_node(rows, rows->pins[i], 0);
    rows->pinned_count = rows->seen_count;
    see_children(rows, 0, 0);
    /* rows->lanes moves while it grows, so pointers into it are set here. */
    for (uint32_t i = 0; i < rows->seen_count; i++)
        if (rows->seen[i].lane_count) {
            rows->seen[i].lanes = rows->lanes + lanes;
            lanes += rows->seen[i].lane_count;
        }
}

/* Returns the lanes of all visible rows, in order. A lane of several rows (its rank may be in several communicators, or
 * pinned) comes only once. */
uint32_t *pithi_rows_lanes(const struct pithi_rows *rows, uint32_t *count)
{
    uint32_t all = pithlog_get_info(rows->log)->lanes, *lanes = pithi_alloc(all, sizeof *lanes);
    unsigned char *there = pithi_alloc(all, 1);

    for (uint32_t row = 0; row < rows->seen_count; row++) {
        uint32_t in_row;
        const uint32_t *some = pithi_row_lanes(&rows->seen[row], &in_row);
        for (uint32_t i = 0; pithi_row_has_cells(&rows->seen[row]) && i < in_row; i++)
            there[some[i]] = 1;
    }
    *count = 0;
    for (uint32_t lane = 0; lane < all; lane++)
        if (there[lane])
            lanes[(*count)++] = lane;
    free(there);
    return lanes;
}

/* ---- Rows of a log ----------------------------------------------------------------------------------------------- */

/* Makes the rows of a picture without a tree: all lanes in order, each followed by its counters. */
struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t *count)
{
    uint32_t lanes = pithlog_get_info(log)->lanes, next = 0;
    uint32_t counters = digest ? pithlog_digest_get_info(digest)->series : 0;
    struct pithi_row *rows = pithi_alloc((size_t)lanes + counters, sizeof *rows);

    *count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        rows[(*count)++] = (struct pithi_row){.lane = lane};
        for (; next < counters && pithlog_digest_series(digest, next)->lane == lane; next++)
            rows[(*count)++] = (struct pithi_row){
                .kind = PITHI_ROW_COUNTER, .lane = lane, .counter = pithlog_digest_series(digest, next)->counter};
    }
    return rows;
}

struct pithi_row *pithi_rows_copy(const struct pithi_row *rows, uint32_t count, uint32_t **lanes)
{
    struct pithi_row *copies = pithi_alloc(count, sizeof *copies);
    uint32_t all = 0, next = 0, of_row;

    for (uint32_t row = 0; row < count; row++) {
        pithi_row_lanes(&rows[row], &of_row);
        all += of_row;
    }
    *lanes = pithi_alloc(all, sizeof **lanes);
    /* One block has the lanes of all copies, so that the caller frees two blocks, however many rows there are. */
    for (uint32_t row = 0; row < count; row++, next += of_row) {
        const uint32_t *from = pithi_row_lanes(&rows[row], &of_row);
        memcpy(*lanes + next, from, of_row * sizeof *from);
        copies[row] = rows[row];
        copies[row].lanes = *lanes + next;
        copies[row].lane_count = of_row;
    }
    return copies;
}

/* ---- Labels ------------------------------------------------------------------------------------------------------ */

/* Writes the label of a node. Texts from the log may have any bytes, so pithi_clean makes the finished label
 * harmless. */
char *pithi_rows_label(const struct pithi_rows *rows, uint32_t number, char *text, size_t size)
{
    const struct pithi_node *node = &rows->nodes[number];
    const char *name;
    char raw[256];

    switch (node->kind) {
    case PITHI_NODE_ALIKE:
        snprintf(raw, sizeof raw, "ranks ");
        put_ranks(rows, node->id, 3, ", ", raw + strlen(raw), sizeof raw - strlen(raw));
        break;
    case PITHI_NODE_COUNTER:
        pithi_row_label(rows->log,
                        (struct pithi_row){.kind = PITHI_ROW_COUNTER, .lane = node->lane, .counter = node->id}, text,
                        size);
        return text;
    case PITHI_NODE_HOST:
        snprintf(raw, sizeof raw, "%s", pithlog_get_lane(rows->log, node->lane)->host);
        if (!*raw)
            snprintf(raw, sizeof raw, "(no host)");
        break;
    case PITHI_NODE_COMM:
        name = pithlog_get_comm(rows->log, node->id)->name;
        if (name && *name)
            snprintf(raw, sizeof raw, "%s", name);
        else if (!node->id)
            snprintf(raw, sizeof raw, "MPI_COMM_WORLD");
        else
            snprintf(raw, sizeof raw, "communicator %" PRIu32, node->id);
        break;
    default:
        pithi_lane_label(pithlog_get_lane(rows->log, node->lane), raw, sizeof raw);
    }
    return pithi_clean(text, size, raw, 0);
}

/* Returns 1 if the node or a node below it is shown. (A filter may keep a thread, but not its rank.) */
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
    /* The note is "3 of 8 ranks" for a group, "4 threads" for a closed rank, else the host if the tree has no level for
     * hosts.
     */
    uint32_t shown = 0, threads = 0;

    *text = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        shown += (uint32_t)is_kept(rows, node->children[i]);
        threads += rows->nodes[node->children[i]].kind == PITHI_NODE_THREAD;
    }
    if (node->kind == PITHI_NODE_COMM && !(node->flags & PITHI_NODE_BUILT))
        ranks_note(text, size, (uint32_t)pithi_rows_member_count(rows, node->id),
                   (uint32_t)pithi_rows_member_count(rows, node->id));
    else if (node->kind < PITHI_NODE_RANK)
        ranks_note(text, size, shown, node->child_count);
    else if (node->kind == PITHI_NODE_RANK && threads && !(node->flags & PITHI_NODE_OPEN))
        snprintf(text, size, "%" PRIu32 " threads", threads + 1);
    else if (node->kind != PITHI_NODE_COUNTER && rows->host_count > 1 && rows->grouping != PITHI_BY_HOST)
        pithi_clean(text, size, pithlog_get_lane(rows->log, node->lane)->host, 0);
    return text;
}

char *pithi_rows_tip(const struct pithi_rows *rows, uint32_t number, char *text, size_t size)
{
    const struct pithi_node *node = &rows->nodes[number];
    const struct pithi_alike *alike = &rows->alike;
    char ranks[128];

    *text = 0;
    if (node->kind != PITHI_NODE_ALIKE || !alike->ranks)
        return text;
    put_ranks(rows, node->id, 12, ", ", ranks, sizeof ranks);
    snprintf(text, size,
             "Ranks %s spend their time alike: none differs from rank %" PRId32 ", the nearest to their mean, in more "
             "than %.1f %% of its time. The row shows what most of them do; a click on the triangle shows each of "
             "them.",
             ranks, rank_at(rows, alike->typical[node->id]), percent(alike->spread[node->id]));
    return text;
}

/* ---- Visible rows ------------------------------------------------------------------------------------------------ */

char *pithi_rows_seen_label(const struct pithi_rows *rows, uint32_t row, char *text, size_t size)
{
    const struct pithi_row *of = &rows->seen[row];

    if (!pithi_row_is_below(of))
        return pithi_rows_label(rows, rows->places[row].node, text, size);
    snprintf(text, size, "%s %" PRIu32, of->kind == PITHI_ROW_FUNCTIONS ? "depth" : "level", of->band);
    return text;
}

char *pithi_rows_seen_note(struct pithi_rows *rows, uint32_t row, char *text, size_t size)
{
    *text = 0;
    return pithi_row_is_below(&rows->seen[row]) ? text : pithi_rows_note(rows, rows->places[row].node, text, size);
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

/* Returns the communicator that contains a node; 0 (the root) if there is none. */
static uint32_t comm_around(const struct pithi_rows *rows, uint32_t node)
{
    while (node && rows->nodes[node].kind != PITHI_NODE_COMM)
        node = rows->nodes[node].parent;
    return node;
}

/* Keys name nodes in saved views and scripts. Numbers would not do, because in another log nodes have other numbers.
 *
 *     host:node7           a host
 *     comm:3               a communicator; comm:3/7 is rank 7 in it
 *     7   7.1              a rank, a thread
 *     7.1/load             the counter `load` of that thread
 *     alike:4              the group of ranks with rank 4 as its first */
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
    } else if (node->kind == PITHI_NODE_ALIKE) {
        snprintf(text, size, "alike:%" PRId32, lane->rank);
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
        if (kind == PITHI_NODE_COMM    ? node->id == id
            : kind == PITHI_NODE_ALIKE ? node->lane == id
            : kind == PITHI_NODE_HOST  ? strcmp(pithlog_get_lane(rows->log, node->lane)->host, name) == 0
                                       : strcmp(pithlog_get_def(rows->log, node->id)->name, name) == 0)
            return rows->nodes[parent].children[i];
    }
    return PITHI_NONE;
}

/* Returns the node of a key such as "7", "7.1" or "7.1/load" below a communicator's node (0: the root), or
 * PITHI_NONE. */
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
    /* Finds the node of the lane below `comm` in a table, which is rebuilt when `comm` changes. A saved view may name
     * thousands of rows; a search through all nodes for each of these rows would take quadratic time. */
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
    if (strncmp(key, "alike:", 6) == 0)
        return child_of_kind(rows, 0, PITHI_NODE_ALIKE, pithi_rows_rank_lane(rows, strtol(key + 6, &end, 10)), NULL);
    if (strncmp(key, "comm:", 5) == 0) {
        comm = child_of_kind(rows, 0, PITHI_NODE_COMM, (uint32_t)strtoul(key + 5, &end, 10), NULL);
        if (comm == PITHI_NONE || !*end)
            return comm;
        /* The communicator may never have been opened, so its rows are made now. */
        pithi_rows_build(rows, comm);
        key = end + 1;
    }
    return lane_node(rows, comm, key);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

int pithi_grouping_parse(const char *text, enum pithi_grouping *grouping)
{
    static const char *const names[] = {"none", "host", "comm", "alike"};

    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *grouping = (enum pithi_grouping)i;
            return 0;
        }
    return -1;
}

/* A picture has no triangles to click on, so the top level is closed: one row for each of its nodes. */
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

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Returns 1 if `glob` matches the whole text. * stands for any characters, ? for a single character. After a mismatch
 * only the last star is tried again, with one character more. Other lengths for earlier stars need not be tried,
 * because the last star can make up for them. So the time is at most the product of the lengths, not 2 to the number of
 * stars. */
static int fits_glob(const char *glob, const char *text)
{
    const char *star = NULL, *retry = NULL;

    while (*text) {
        if (*glob == '*') {
            star = ++glob;
            retry = text;
        } else if (*glob == '?' || (*glob && same(*glob, *text))) {
            glob++, text++;
        } else if (star) {
            glob = star;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

static int occurs(const char *part, const char *text)
{
    size_t length = strlen(part);

    for (; strlen(text) >= length; text++) {
        size_t i = 0;
        while (i < length && same(part[i], text[i]))
            i++;
        if (i == length)
            return 1;
    }
    return 0;
}

/* ---- Patterns ---------------------------------------------------------------------------------------------------- */

/* One item of a pattern: ranks, or a text. */
struct item {
    struct pithi_lane_range range; /* ranks, or a rank and its thread */
    int is_range, is_glob;         /* what the item is; both 0: a plain text, such as a host's name */
    char text[128];                /* cut if longer */
};

struct pattern {
    struct item *items;
    uint32_t count, capacity;
};

/* Divides a text into the items of a pattern: "0-3,node1*" has two items, 0-3 and node1*. Empty items are left out, so
 * "," means no filter. */
static struct pattern pattern_make(const char *text)
{
    struct pattern pattern = {NULL, 0, 0};

    for (; *text; text += strcspn(text, ","), text += *text == ',') {
        size_t length = strcspn(text, ",");
        /* Blanks around an item do not count: "0-3, node1*". */
        while (length && isspace((unsigned char)*text))
            text++, length--;
        while (length && isspace((unsigned char)text[length - 1]))
            length--;
        if (!length)
            continue;
        pattern.items = pithi_view_grow(pattern.items, &pattern.capacity, pattern.count + 1, sizeof *pattern.items);
        struct item *item = &pattern.items[pattern.count++];
        snprintf(item->text, sizeof item->text, "%.*s", (int)(length < 127 ? length : 127), text);
        item->is_glob = strpbrk(item->text, "*?") != NULL;
        const char *rest = item->text;
        item->is_range = pithi_lane_range_next(&rest, &item->range) == 1 && !*rest;
    }
    return pattern;
}

static int item_fits(const struct item *item, const char *text)
{
    if (item->is_range || !*text)
        return 0;
    return item->is_glob ? fits_glob(item->text, text) : occurs(item->text, text);
}

static int node_fits(const struct pattern *pattern, const struct pithi_rows *rows, uint32_t number)
{
    const struct pithlog_lane *lane = NULL;
    char label[256], rank[32];

    pithi_rows_label(rows, number, label, sizeof label);
    /* A lane matches by rank, label or host. An item that names a rank matches all its threads. */
    if (rows->nodes[number].kind == PITHI_NODE_RANK || rows->nodes[number].kind == PITHI_NODE_THREAD) {
        lane = pithlog_get_lane(rows->log, rows->nodes[number].lane);
        snprintf(rank, sizeof rank, "rank %d", (int)lane->rank);
    }
    for (uint32_t i = 0; i < pattern->count; i++) {
        const struct item *item = &pattern->items[i];
        if (item_fits(item, label) || (lane && item->is_range && pithi_lane_range_has(&item->range, lane)) ||
            (lane && (item_fits(item, rank) || item_fits(item, lane->host))))
            return 1;
    }
    return 0;
}

/* ---- The filter -------------------------------------------------------------------------------------------------- */

/* Marks the nodes that pass the filter (PITHI_NODE_KEPT), in the subtree of a node. `all` is 1 if the node passes
 * because its parent matches the pattern. Returns 1 if any node of the subtree passes. */
static int mark(struct pithi_rows *rows, const struct pattern *pattern, uint32_t number, int all)
{
    /* A host or communicator that matches keeps all nodes below it. A rank that matches does not keep its threads,
     * because threads have labels of their own: the pattern "rank 3" matches all threads of the rank anyway
     * (node_fits), and "main" matches only one of them. */
    int kind = rows->nodes[number].kind, own = all || (number && node_fits(pattern, rows, number)), below = 0;

    for (uint32_t i = 0; i < rows->nodes[number].child_count; i++) {
        uint32_t child = rows->nodes[number].children[i];
        int with_parent = kind == PITHI_NODE_RANK && rows->nodes[child].kind == PITHI_NODE_THREAD ? all : own;
        int kept = mark(rows, pattern, child, with_parent);
        below |= kept;
        if (rows->nodes[child].kind == PITHI_NODE_COUNTER)
            own |= kept; /* a counter is shown with its lane */
    }
    /* A group is also kept if a node below it is. A rank is not kept for a thread below it, because the row of the rank
     * shows another thread, the first one. */
    if (own || (below && kind && kind < PITHI_NODE_RANK))
        rows->nodes[number].flags |= PITHI_NODE_KEPT;
    else
        rows->nodes[number].flags &= (uint8_t)~PITHI_NODE_KEPT;
    return own || below;
}

static void build_all(struct pithi_rows *rows)
{
    uint32_t count = rows->nodes[0].child_count;

    for (uint32_t i = 0; i < count; i++)
        if (rows->nodes[rows->nodes[0].children[i]].kind == PITHI_NODE_COMM)
            pithi_rows_build(rows, rows->nodes[0].children[i]);
}

static int mark_all(struct pithi_rows *rows, const char *text)
{
    struct pattern pattern = pattern_make(text);
    int some;

    if (pattern.count)
        build_all(rows);
    some = mark(rows, &pattern, 0, !pattern.count);
    /* Pinned nodes stay visible whether they match or not. */
    for (uint32_t i = 0; i < rows->pin_count; i++)
        mark(rows, &pattern, rows->pins[i], 1);
    free(pattern.items);
    return some;
}

int pithi_rows_filter(struct pithi_rows *rows, const char *pattern)
{
    char *copy = pithi_alloc(strlen(pattern) + 1, 1);

    memcpy(copy, pattern, strlen(pattern));
    /* A filter that matches nothing would leave no rows, so the old filter stays. */
    if (!mark_all(rows, copy) && *copy) {
        mark_all(rows, rows->pattern);
        free(copy);
        return -1;
    }
    free(rows->pattern);
    rows->pattern = copy;
    return 0;
}

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

struct found {
    uint32_t *nodes, count, capacity; /* nodes that match, in the order of the tree */
};

static void find(struct pithi_rows *rows, const struct pattern *pattern, uint32_t number, struct found *found)
{
    if (number && node_fits(pattern, rows, number)) {
        /* Nodes below a match are not searched, because a host that matches stands for its thousand ranks. */
        found->nodes = pithi_view_grow(found->nodes, &found->capacity, found->count + 1, sizeof *found->nodes);
        found->nodes[found->count++] = number;
        return;
    }
    for (uint32_t i = 0; i < rows->nodes[number].child_count; i++)
        find(rows, pattern, rows->nodes[number].children[i], found);
}

uint32_t *pithi_rows_find(struct pithi_rows *rows, const char *text, uint32_t *count)
{
    struct pattern pattern = pattern_make(text);
    struct found found = {pithi_alloc(1, sizeof *found.nodes), 0, 1};

    build_all(rows);
    find(rows, &pattern, 0, &found);
    free(pattern.items);
    *count = found.count;
    return found.nodes;
}

/* ---- Arranging --------------------------------------------------------------------------------------------------- */

/* Sets or clears a flag of a node. */
static void set_flag(struct pithi_rows *rows, uint32_t node, uint8_t flag, int on)
{
    if (on)
        rows->nodes[node].flags |= flag;
    else
        rows->nodes[node].flags &= (uint8_t)~flag;
}

void pithi_rows_set_open(struct pithi_rows *rows, uint32_t node, int on)
{
    if (on && rows->nodes[node].kind == PITHI_NODE_COMM)
        pithi_rows_build(rows, node);
    /* A communicator with too many members cannot be opened, and stays closed. */
    set_flag(rows, node, PITHI_NODE_OPEN, on && rows->nodes[node].flags & PITHI_NODE_BUILT);
}

static void open_below(struct pithi_rows *rows, uint32_t node, uint32_t depth, uint32_t level)
{
    if (node)
        pithi_rows_set_open(rows, node, depth < level);
    for (uint32_t i = 0; i < rows->nodes[node].child_count; i++)
        open_below(rows, rows->nodes[node].children[i], node ? depth + 1 : 0, level);
}

void pithi_rows_open_level(struct pithi_rows *rows, uint32_t level) { open_below(rows, 0, 0, level); }

void pithi_rows_set_hidden(struct pithi_rows *rows, uint32_t node, int on)
{
    set_flag(rows, node, PITHI_NODE_HIDDEN, on);
}

void pithi_rows_unfold(struct pithi_rows *rows, uint32_t number, int on, const struct pithi_unfolding *unfolding)
{
    struct pithi_node *node = &rows->nodes[number];

    if (node->kind == PITHI_NODE_RANK || node->kind == PITHI_NODE_THREAD) {
        node->bands = on != 0;
        /* Without `unfolding` the depth is not known, and the lane keeps one row. */
        node->flames = 0;
        if (on && unfolding) {
            int64_t from_ns = unfolding->from_ns, to_ns = unfolding->to_ns;
            uint32_t levels = pithi_lane_levels(unfolding->log, unfolding->summary, node->lane, from_ns, to_ns);
            node->bands = levels ? (uint8_t)levels : 1;
            if (unfolding->flames)
                node->flames = (uint8_t)pithi_lane_levels(unfolding->flames->log, NULL, node->lane, from_ns, to_ns);
        }
    }
    for (uint32_t i = 0; node->kind < PITHI_NODE_RANK && i < node->child_count; i++)
        pithi_rows_unfold(rows, node->children[i], on, unfolding);
}

void pithi_rows_show_all(struct pithi_rows *rows)
{
    for (uint32_t i = 1; i < rows->node_count; i++)
        set_flag(rows, i, PITHI_NODE_HIDDEN, 0);
}

/* Returns 1 if the node or a node below it is wanted. */
static int show_wanted(struct pithi_rows *rows, const unsigned char *wanted, uint32_t node)
{
    int some = wanted[node];

    /* Nodes below a wanted node stay as they are. */
    for (uint32_t i = 0; i < rows->nodes[node].child_count && !wanted[node]; i++)
        some |= show_wanted(rows, wanted, rows->nodes[node].children[i]);
    set_flag(rows, node, PITHI_NODE_HIDDEN, node && !some);
    return some;
}

void pithi_rows_show_only(struct pithi_rows *rows, const uint32_t *nodes, uint32_t count)
{
    unsigned char *wanted = pithi_alloc(rows->node_count, 1);

    for (uint32_t i = 0; i < count; i++)
        wanted[nodes[i]] = 1;
    show_wanted(rows, wanted, 0);
    free(wanted);
}

/* Returns 1 if another node of the same row is pinned. A rank in several communicators has several nodes, but one
 * pinned row is enough. */
static int is_pinned_elsewhere(const struct pithi_rows *rows, uint32_t node)
{
    for (uint32_t i = 0; i < rows->pin_count; i++) {
        const struct pithi_node *pin = &rows->nodes[rows->pins[i]];
        if (pin->lane != PITHI_NONE && pin->kind == rows->nodes[node].kind && pin->lane == rows->nodes[node].lane &&
            pin->id == rows->nodes[node].id)
            return 1;
    }
    return 0;
}

void pithi_rows_set_pinned(struct pithi_rows *rows, uint32_t node, int on)
{
    uint32_t at = 0;

    /* Nothing to do if the node is as wanted; `!` makes 0 or 1 of the flag's bit. */
    if (!(rows->nodes[node].flags & PITHI_NODE_PINNED) == !on || (on && is_pinned_elsewhere(rows, node)))
        return;
    set_flag(rows, node, PITHI_NODE_PINNED, on);
    if (on) {
        rows->pins = pithi_view_grow(rows->pins, &rows->pin_capacity, rows->pin_count + 1, sizeof *rows->pins);
        rows->pins[rows->pin_count++] = node;
    } else {
        while (rows->pins[at] != node)
            at++;
        memmove(rows->pins + at, rows->pins + at + 1, (--rows->pin_count - at) * sizeof *rows->pins);
    }
    if (*rows->pattern)
        pithi_rows_filter(rows, rows->pattern);
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

static uint32_t place_of(const uint32_t *list, uint32_t count, uint32_t node)
{
    uint32_t at = 0;

    while (at < count && list[at] != node)
        at++;
    return at;
}

static int move_in(uint32_t *list, uint32_t count, uint32_t node, uint32_t target, int behind)
{
    uint32_t from = place_of(list, count, node), to = place_of(list, count, target);

    if (from == count || to == count)
        return -1;
    memmove(list + from, list + from + 1, (count - from - 1) * sizeof *list);
    /* The list is shorter by one now, so a target behind the old place of the node has moved up. */
    to = to > from ? to - 1 : to;
    to += node != target && behind;
    memmove(list + to + 1, list + to, (count - to - 1) * sizeof *list);
    list[to] = node;
    return 0;
}

/* Returns the pinned node that is `node` or contains `node`; 0 if there is none. */
static uint32_t pinned_around(const struct pithi_rows *rows, uint32_t node)
{
    while (node && !(rows->nodes[node].flags & PITHI_NODE_PINNED))
        node = rows->nodes[node].parent;
    return node;
}

int pithi_rows_move(struct pithi_rows *rows, uint32_t node, uint32_t target, int behind)
{
    struct pithi_node *parent = &rows->nodes[rows->nodes[node].parent];

    if (rows->nodes[node].flags & PITHI_NODE_PINNED)
        return move_in(rows->pins, rows->pin_count, node, pinned_around(rows, target), behind);
    /* If the target is a deeper row, uses the ancestor of the target that is a sibling of `node`. Without such an
     * ancestor, the target is in another group, and the move is an error. */
    while (target && rows->nodes[target].parent != rows->nodes[node].parent)
        target = rows->nodes[target].parent;
    /* Counters stay above threads. */
    if (!target || (rows->nodes[node].kind == PITHI_NODE_COUNTER) != (rows->nodes[target].kind == PITHI_NODE_COUNTER))
        return -1;
    parent->flags |= PITHI_NODE_ARRANGED;
    return move_in(parent->children, parent->child_count, node, target, behind);
}

void pithi_rows_arrange(struct pithi_rows *rows, uint32_t parent, const uint32_t *order, uint32_t count)
{
    struct pithi_node *node = &rows->nodes[parent];
    unsigned char *placed = pithi_alloc(rows->node_count, 1);
    uint32_t *children = pithi_alloc(node->child_count, sizeof *children), next = 0;

    /* First the nodes that `order` names, then the others in their present order. A saved view may name a node twice,
     * or nodes of other parents. */
    for (uint32_t i = 0; i < count; i++)
        if (order[i] && rows->nodes[order[i]].parent == parent && !placed[order[i]]) {
            placed[order[i]] = 1;
            children[next++] = order[i];
        }
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!placed[node->children[i]])
            children[next++] = node->children[i];
    if (next)
        memcpy(node->children, children, next * sizeof *children);
    node->flags |= PITHI_NODE_ARRANGED;
    free(children);
    free(placed);
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

struct sort_key {
    uint32_t node, place; /* original place, so that the sort is stable */
    int counter;          /* 1: a row of a counter, which stays before the lanes */
    double value;         /* the key, if `name` is NULL */
    char *name;           /* the key, if by name; else NULL */
};

struct sorting {
    struct pithi_rows *rows; /* whose nodes are sorted */
    enum pithi_rows_order order;
    const double *value; /* [lanes] by lane */
    int falling;         /* 1: largest first */
};

/* Compares names like strcmp, but the numbers in them as numbers: node2 comes before node10. */
static int natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            size_t x, y;
            int order;
            /* Without leading zeros the longer number is the larger one, and equal lengths compare as texts: numbers of
             * any size need no conversion. */
            a += strspn(a, "0"), b += strspn(b, "0");
            x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
            if (x != y)
                return x < y ? -1 : 1;
            if ((order = strncmp(a, b, x)) != 0)
                return order;
            a += x, b += y;
        } else if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
            return tolower((unsigned char)*a) < tolower((unsigned char)*b) ? -1 : 1;
        } else {
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int by_key(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    int order = y->counter - x->counter; /* counters come first */

    if (!order && x->name)
        order = natural(x->name, y->name);
    else if (!order)
        order = (x->value > y->value) - (x->value < y->value);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_key_falling(const void *a, const void *b)
{
    const struct sort_key *x = a, *y = b;
    struct sort_key p = *x, q = *y;

    /* Reverses only the order of values; counters and nodes with equal values keep their order. */
    p.counter = y->counter, q.counter = x->counter;
    p.place = y->place, q.place = x->place;
    return by_key(&q, &p);
}

static double value_below(const struct sorting *sorting, uint32_t number, uint32_t *lanes)
{
    const struct pithi_node *node = &sorting->rows->nodes[number];
    int has_lane = node->kind == PITHI_NODE_RANK || node->kind == PITHI_NODE_THREAD;
    /* `value` is the sum over all lanes below the node; `lanes` counts these lanes for the mean. */
    double value = has_lane ? sorting->value[node->lane] : 0;

    *lanes += (uint32_t)has_lane;
    for (uint32_t i = 0; i < node->child_count; i++)
        value += value_below(sorting, node->children[i], lanes);
    return value;
}

static void sort_children(const struct sorting *sorting, uint32_t number)
{
    struct pithi_node *node = &sorting->rows->nodes[number];
    struct sort_key *keys = pithi_alloc(node->child_count, sizeof *keys);

    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct pithi_node *child = &sorting->rows->nodes[node->children[i]];
        struct sort_key key = {.node = node->children[i], .place = i, .counter = child->kind == PITHI_NODE_COUNTER};
        uint32_t lanes = 0;
        char label[256];
        if (sorting->order == PITHI_ORDER_NAME)
            key.name = strdup(pithi_rows_label(sorting->rows, node->children[i], label, sizeof label));
        else if (key.counter)
            key.value = child->id;
        else if (sorting->order == PITHI_ORDER_RANK) /* lane numbers rise with rank and thread */
            key.value = child->kind == PITHI_NODE_COMM ? child->id : child->lane;
        else
            key.value = value_below(sorting, node->children[i], &lanes);
        if (sorting->order == PITHI_ORDER_MEAN && lanes)
            key.value /= lanes;
        keys[i] = key;
    }
    qsort(keys, node->child_count, sizeof *keys, sorting->falling ? by_key_falling : by_key);
    /* Marks the node as arranged only if the order changes, because saved views store the order of arranged nodes. */
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (node->children[i] != keys[i].node)
            node->flags |= PITHI_NODE_ARRANGED;
        node->children[i] = keys[i].node;
        free(keys[i].name);
    }
    free(keys);
    for (uint32_t i = 0; i < node->child_count; i++)
        if (sorting->rows->nodes[node->children[i]].child_count)
            sort_children(sorting, node->children[i]);
}

void pithi_rows_sort(struct pithi_rows *rows, enum pithi_rows_order order, const double *value, int falling)
{
    struct sorting sorting = {rows, order, value, falling};

    for (uint32_t i = 0; i < rows->nodes[0].child_count; i++)
        if (rows->nodes[rows->nodes[0].children[i]].kind == PITHI_NODE_COMM)
            pithi_rows_build(rows, rows->nodes[0].children[i]);
    sort_children(&sorting, 0);
}

/* ---- Numbers to sort by ------------------------------------------------------------------------------------------ */

uint32_t pithi_lane_levels(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns,
                           int64_t to_ns)
{
    struct pithlog_query query = {.from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1};
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    uint32_t most = 0, all = PITHI_LEVELS, count = 0, damages = 0;
    const struct pithlog_path *paths = summary ? pithlog_summary_paths(summary, lane, &count) : NULL;
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status, has_begun = 0;

    if (paths && count <= UINT16_MAX - 2) { /* in a full table of paths, deeper stacks may have no path */
        uint8_t *depths = pithi_alloc(count, 1);
        all = 0;
        for (uint32_t path = 1; path < count && all < PITHI_LEVELS; path++) { /* parents come first */
            depths[path] = (uint8_t)(depths[paths[path].parent] + 1);
            all = depths[path] > all ? depths[path] : all;
        }
        free(depths);
        /* The paths are of the whole lane. For a part of the lane they only give the depth at which the walk can
         * stop. */
        if (from_ns <= of->first_ns && to_ns > of->last_ns)
            return all;
    }
    if (pithlog_walk_open(log, &query, &walk))
        return 0;
    while (most < all && (status = pithlog_walk_next(walk, &step)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += status < 0;
        if (status < 0 || step.is == PITHLOG_IS_HOLE || step.from_ns >= to_ns)
            continue;
        /* Looks for the greatest depth. A step of the walk without length counts only if a state has just begun,
         * because that state may end at the same time. */
        if ((step.from_ns < step.to_ns || has_begun) && step.depth > most)
            most = step.depth;
        has_begun = step.change == PITHLOG_BEGINS && step.why == 0;
    }
    pithlog_walk_close(walk);
    return most < all ? most : all;
}

int pithi_lane_stat(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value)
{
    *value = 0;
    if (question->stat == PITHI_STAT_MESSAGES || question->stat == PITHI_STAT_BYTES) {
        struct pithlog_query records = {.from_ns = question->t0_ns,
                                        .to_ns = question->t1_ns - 1,
                                        .lanes = &lane,
                                        .lane_count = 1,
                                        .kinds = 1u << PITHLOG_SEND | 1u << PITHLOG_RECV};
        struct pithlog_iter *iter;
        struct pithlog_record record;
        int more, damages = 0, err = pithlog_iter_open(log, &records, &iter);
        if (err)
            return err;
        while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
            damages += more < 0;
            if (more == 1 && record.peer >= 0) /* a receive without a message has no peer */
                *value += question->stat == PITHI_STAT_BYTES ? (double)record.bytes : 1;
        }
        pithlog_iter_close(iter);
        return damages ? PITH_ERR_DAMAGED : PITH_OK;
    }
    /* A query without columns computes only sums. */
    struct pithi_query query = {.t0_ns = question->t0_ns,
                                .t1_ns = question->t1_ns,
                                .levels = 1,
                                .lanes = &lane,
                                .lane_count = 1,
                                .summary = question->summary};
    struct pithi_cells cells = {0};
    int err = pithi_query_run(log, &query, &cells);
    for (uint32_t id = 0; id < cells.defs; id++) {
        const struct pithi_sum *sum = &cells.sums[id];
        if (question->chosen[id])
            *value += question->stat == PITHI_STAT_COUNT   ? (double)sum->count
                      : question->stat == PITHI_STAT_TOTAL ? (double)sum->total_ns
                                                           : (double)sum->self_ns;
    }
    pithi_cells_free(&cells);
    return err;
}
