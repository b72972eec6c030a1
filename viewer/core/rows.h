/* rows.h - all rows that a log can have, as a tree that people arrange, and the flat list of those that are seen.
 *
 *     host -> rank -> threads       pithi_rows_group(rows, PITHI_BY_HOST); with one host the ranks are the top
 *     communicator -> rank -> ...   PITHI_BY_COMM; a rank may be in several; members are looked up when they are needed
 *     lane, lane ...                PITHI_BY_NOTHING
 *
 * A rank's row is that of its first thread: its other threads lie below it, as the counters of a lane lie below the
 * lane. A closed node is one row for all lanes in it that are shown; the row of an open host or communicator is blank
 * (PITHI_BLANK). Nodes are told by number, 1 to node_count - 1; numbers stay until the grouping changes.
 *
 *     struct pithi_rows *rows = pithi_rows_open(log);
 *     pithi_rows_filter(rows, "0-3,node1*");
 *     pithi_rows_seen(rows);       rows->seen[0 ... seen_count - 1] is what is drawn, pinned ones first
 *     pithi_rows_close(rows);
 *
 * All that is changed shows in `seen` after the next pithi_rows_seen. Costs: opening looks at each lane; seen, filters
 * and sorting go through the nodes made so far: some 10 ms for 100,000 lanes.
 */
#ifndef PITHI_ROWS_H
#define PITHI_ROWS_H

#include <stddef.h>

#include <pithlog.h>

#include "core/row.h"

enum pithi_grouping { PITHI_BY_NOTHING, PITHI_BY_HOST, PITHI_BY_COMM };
enum pithi_node_kind {
    PITHI_NODE_ROOT,
    PITHI_NODE_HOST,
    PITHI_NODE_COMM,
    PITHI_NODE_RANK,
    PITHI_NODE_THREAD,
    PITHI_NODE_COUNTER
};

enum {
    PITHI_NODE_OPEN = 1,
    PITHI_NODE_BORN_OPEN = 2, /* was open before anybody touched it */
    PITHI_NODE_HIDDEN = 4,
    PITHI_NODE_PINNED = 8,
    PITHI_NODE_KEPT = 16,     /* the filter lets its row through */
    PITHI_NODE_ARRANGED = 32, /* its children are not in their first order any more */
    PITHI_NODE_BUILT = 64     /* its children have been made */
};

struct pithi_node {
    uint32_t parent; /* 0: the root */
    uint32_t lane;   /* ranks, threads, counters; hosts: their first; communicators: PITHI_NONE */
    uint32_t id;     /* counters: definition; communicators: index */
    uint32_t child_count, child_capacity;
    uint32_t *children; /* counters first */
    uint8_t kind;       /* enum pithi_node_kind */
    uint8_t flags;
};

/* More nodes are not made: communicators stay closed then. */
enum { PITHI_MOST_NODES = 1 << 22 };

struct pithi_rows {
    const struct pithlog *log;
    enum pithi_grouping grouping;
    uint32_t generation; /* another number: other nodes */
    uint32_t *rank_lane; /* [rank_count] the first lane of each rank */
    uint32_t rank_count;
    uint32_t host_count;
    struct pithi_row *counters; /* [counter_count] by lane */
    uint32_t counter_count;
    struct pithi_node *nodes; /* [0] the root */
    uint32_t node_count, node_capacity;
    uint32_t *pins; /* nodes pinned, in order */
    uint32_t pin_count, pin_capacity;
    char *pattern;       /* "" all */
    uint32_t *lane_node; /* [lanes] for keys: of the children of `lane_parent` */
    uint32_t lane_parent;

    /* Made by pithi_rows_seen: */
    struct pithi_row *seen;
    struct pithi_row_place {
        uint32_t node;
        uint16_t depth;
    } * places; /* [seen_count] */
    uint32_t seen_count, seen_capacity, place_capacity;
    uint32_t pinned_count; /* of `seen`, its first ones */
    uint32_t *lanes;       /* what groups of `seen` point to */
    uint32_t lane_count, lane_capacity;
};

/* The rows of an open log, which must stay open; grouped by host. */
struct pithi_rows *pithi_rows_open(const struct pithlog *log);
void pithi_rows_close(struct pithi_rows *rows);
/* Counters are known later than lanes: `made` as from pithi_rows_make (digest.h). Once. */
void pithi_rows_add_counters(struct pithi_rows *rows, const struct pithi_row *made, uint32_t count);
/* Another tree: nothing is hidden, pinned or moved in it; the filter stays. */
void pithi_rows_group(struct pithi_rows *rows, enum pithi_grouping grouping);

/* Makes `seen`, `places` and `pinned_count` of the state that all is in. */
void pithi_rows_seen(struct pithi_rows *rows);
/* The lanes that the rows seen stand for, each once, rising; [*count], to be freed. */
uint32_t *pithi_rows_lanes(const struct pithi_rows *rows, uint32_t *count);

/* "node17", "rank 3", "3.1 worker", "load [1]"; clean. Returns `text`. */
char *pithi_rows_label(const struct pithi_rows *rows, uint32_t node, char *text, size_t size);
/* What stands behind it, fainter: "16 ranks", "3 of 16 ranks", of a closed rank "4 threads", of a rank in a list of
 * several hosts its host; or "". */
char *pithi_rows_note(struct pithi_rows *rows, uint32_t node, char *text, size_t size);
int pithi_rows_has_children(struct pithi_rows *rows, uint32_t node); /* that the filter lets through */

/* ---- Arranging --------------------------------------------------------------------------------------------------- */

void pithi_rows_set_open(struct pithi_rows *rows, uint32_t node, int on);
/* Everything down to `level` is open, what is deeper closed; 0: all is closed. */
void pithi_rows_open_level(struct pithi_rows *rows, uint32_t level);
void pithi_rows_set_hidden(struct pithi_rows *rows, uint32_t node, int on);
void pithi_rows_show_all(struct pithi_rows *rows);
/* Hides all but these nodes, what is in them, and what they are in. */
void pithi_rows_show_only(struct pithi_rows *rows, const uint32_t *nodes, uint32_t count);
/* A pinned node and what is open in it stand above all others, whatever the filter says. A rank is pinned once. */
void pithi_rows_set_pinned(struct pithi_rows *rows, uint32_t node, int on);
/* Puts a node before `target` (or the one around it that has the same parent), or behind it; pinned ones move among the
 * pinned. 0; -1: there is no place for it there. */
int pithi_rows_move(struct pithi_rows *rows, uint32_t node, uint32_t target, int behind);
/* The children of a node in this order, which may lack some (they come last) and name others (they do not count). */
void pithi_rows_arrange(struct pithi_rows *rows, uint32_t parent, const uint32_t *order, uint32_t count);
enum pithi_rows_order { PITHI_ORDER_NAME, PITHI_ORDER_RANK, PITHI_ORDER_VALUE, PITHI_ORDER_MEAN };
/* Sorts the children of every node: by natural order of names (node2 before node10), by rank, or by the sum or
 * mean of value[lane] over their lanes. Equal ones stay as they are, counters first. */
void pithi_rows_sort(struct pithi_rows *rows, enum pithi_rows_order order, const double *value, int falling);

/* ---- Patterns ---------------------------------------------------------------------------------------------------- */

/* A pattern is a list, separated by commas: ranks (3, 0-3), threads (7.1), and names with * and ? that must fit, or
 * without that must occur in, the label, the host or the thread's name; case does not count. */

/* Only rows that fit and what is around them; "" all. 0; -1: none fits, all stays as it is. */
int pithi_rows_filter(struct pithi_rows *rows, const char *pattern);
/* The outermost nodes that fit, [*count], to be freed. */
uint32_t *pithi_rows_find(struct pithi_rows *rows, const char *pattern, uint32_t *count);

/* ---- Names of nodes, to keep an arrangement ---------------------------------------------------------------------- */

/* "host:node17", "comm:3", "7" (rank), "7.1", "7.1/load" (counter), "comm:3/7". Returns `text`. */
char *pithi_rows_key(const struct pithi_rows *rows, uint32_t node, char *text, size_t size);
/* Its node; PITHI_NONE: no such node in this tree. */
uint32_t pithi_rows_node(struct pithi_rows *rows, const char *key);

/* ---- For pictures without a window ------------------------------------------------------------------------------- */

/* "none", "host", "comm": 0 or -1. */
int pithi_grouping_parse(const char *text, enum pithi_grouping *grouping);
/* Makes `seen` those that fit the pattern ("": all), grouped: each host or communicator is one row. 0; -1: none
 * fits. */
int pithi_rows_picture(struct pithi_rows *rows, enum pithi_grouping grouping, const char *pattern);

/* ---- Between the files rows*.c ----------------------------------------------------------------------------------- */

void pithi_rows_build(struct pithi_rows *rows, uint32_t node); /* makes the children of a communicator */
uint32_t pithi_rows_new_node(struct pithi_rows *rows, uint32_t parent, enum pithi_node_kind kind, uint32_t lane,
                             uint32_t id);
int64_t pithi_rows_member_count(const struct pithi_rows *rows, uint32_t comm);
/* The first lane of a rank, PITHI_NONE: none. */
uint32_t pithi_rows_rank_lane(const struct pithi_rows *rows, int64_t rank);

#endif
