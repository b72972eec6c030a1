/* rows.h - all rows that a log can have, as a tree that users arrange, and the list of visible rows.
 *
 *     host -> rank -> threads       pithi_rows_group(rows, PITHI_BY_HOST); with one host the ranks are the top
 *     communicator -> rank -> ...   PITHI_BY_COMM; a rank may be in several; members are looked up when needed
 *     ranks alike -> rank -> ...    PITHI_BY_LIKENESS; groups of ranks that spend their time alike (alike.h)
 *     lane, lane ...                PITHI_BY_NOTHING
 *
 * The row of a rank shows its first thread; the rows of its other threads are below it. The counters of a lane are
 * below the lane. A closed node is one row for all its visible lanes; the row of an open group is a heading. An
 * unfolded lane has a row, a band, for each nesting level; all of them belong to its node. Nodes have numbers, 1 to
 * node_count - 1, which stay the same until the grouping changes.
 *
 *     struct pithi_rows *rows = pithi_rows_open(log);
 *     pithi_rows_filter(rows, "0-3,node1*");
 *     pithi_rows_seen(rows);       draw rows->seen[0 ... seen_count - 1]; the pinned rows come first
 *     pithi_rows_close(rows);
 *
 * Changes take effect at the next pithi_rows_seen. Costs: opening visits each lane; pithi_rows_seen, filters and
 * sorting visit the nodes that exist: some 10 ms for 100,000 lanes. */
#ifndef PITHI_ROWS_H
#define PITHI_ROWS_H

#include <stddef.h>

#include <pithlog.h>

#include "core/scene/flames.h"
#include "core/cells/query.h"
#include "core/rows/alike.h"

enum pithi_grouping { PITHI_BY_NOTHING, PITHI_BY_HOST, PITHI_BY_COMM, PITHI_BY_LIKENESS };
enum pithi_node_kind {
    PITHI_NODE_ROOT,
    PITHI_NODE_HOST,
    PITHI_NODE_COMM,
    PITHI_NODE_ALIKE,
    PITHI_NODE_RANK,
    PITHI_NODE_THREAD,
    PITHI_NODE_COUNTER
};

enum {
    PITHI_NODE_OPEN = 1,      /* 1: the rows of its children are visible */
    PITHI_NODE_BORN_OPEN = 2, /* open by default */
    PITHI_NODE_HIDDEN = 4,
    PITHI_NODE_PINNED = 8,
    PITHI_NODE_KEPT = 16,     /* its row passes the filter */
    PITHI_NODE_ARRANGED = 32, /* its children were reordered */
    PITHI_NODE_BUILT = 64     /* its children have been made */
};

struct pithi_node {
    uint32_t parent; /* 0: the root */
    uint32_t lane;   /* the lane of a thread or counter; the first lane of a group; PITHI_NONE for communicators */
    uint32_t id;     /* definition of a counter; index of a communicator or of a group of ranks alike */
    uint32_t child_count, child_capacity; /* length of `children`; its room */
    uint32_t *children;                   /* counters first */
    uint8_t kind;                         /* enum pithi_node_kind */
    uint8_t flags;                        /* bits: PITHI_NODE_OPEN ... */
    uint8_t bands;  /* rows of an unfolded lane, one for each nesting level; 1: one row is enough; 0: folded */
    uint8_t flames; /* rows below the bands, one for each depth of the lane's functions (flames.h) */
};

/* The largest number of nodes; a communicator that would exceed it stays closed. */
enum { PITHI_MOST_NODES = 1 << 22 };

struct pithi_rows {
    const struct pithlog *log;    /* not owned */
    enum pithi_grouping grouping; /* as the nodes are built now */
    uint32_t generation;          /* changes when the nodes change */
    uint32_t *rank_lane;          /* [rank_count] the first lane of each rank */
    uint32_t rank_count;
    uint32_t host_count;        /* number of different host names; 1: the tree has no level for hosts */
    struct pithi_row *counters; /* [counter_count] by lane */
    uint32_t counter_count;     /* number of counters of all lanes */
    struct pithi_node *nodes;   /* [0] the root */
    uint32_t node_count, node_capacity;
    uint32_t *pins; /* [pin_count] the pinned nodes, in the order of their rows */
    uint32_t pin_count, pin_capacity;
    char *pattern;            /* the filter; "": all rows pass */
    uint32_t *lane_node;      /* [lanes] for pithi_rows_node: the node of each lane below `lane_parent` */
    uint32_t lane_parent;     /* a communicator's node; 0: the root; PITHI_NONE: lane_node is not made */
    struct pithi_alike alike; /* groups for PITHI_BY_LIKENESS; ranks 0: none set */

    /* Made by pithi_rows_seen: */
    struct pithi_row *seen; /* [seen_count] as they are drawn, from top to bottom; pinned ones first */
    struct pithi_row_place {
        uint32_t node;                                  /* the node of the row */
        uint16_t depth;                                 /* depth of the node in the tree, for indenting */
    } * places;                                         /* [seen_count] */
    uint32_t seen_count, seen_capacity, place_capacity; /* length of `seen`; rooms of `seen` and `places` */
    uint32_t pinned_count;                              /* the first rows of `seen` are pinned */
    uint32_t *lanes;                                    /* the lanes of the rows in `seen` that have several */
    uint32_t lane_count, lane_capacity;
};

/* Returns the rows of a log, grouped by host. The log must stay open. */
struct pithi_rows *pithi_rows_open(const struct pithlog *log);
void pithi_rows_close(struct pithi_rows *rows);
/* Adds the rows of counters, which are known later than lanes: `made` is from pithi_rows_make. Call it once. */
void pithi_rows_add_counters(struct pithi_rows *rows, const struct pithi_row *made, uint32_t count);
/* Builds another tree, in which nothing is hidden, pinned or moved. The filter stays. */
void pithi_rows_group(struct pithi_rows *rows, enum pithi_grouping grouping);
/* Groups ranks by likeness. Takes over the memory of `alike`. A group of a single rank is the row of this rank; larger
 * groups are closed at first. (If pithi_rows_group gets PITHI_BY_LIKENESS and no groups are set, each rank is a row of
 * its own.) */
void pithi_rows_group_alike(struct pithi_rows *rows, struct pithi_alike *alike);
/* Returns the groups as a word, to be freed. "7:2.1:0,2-511/1:0:1" has for each group its typical rank, its spread in
 * per cent, and its ranks. */
char *pithi_rows_alike_word(const struct pithi_rows *rows);
/* Sets the groups of such a word for the next pithi_rows_group. A rank that the word does not name becomes a group of
 * its own. */
void pithi_rows_set_alike(struct pithi_rows *rows, const char *word);

/* Updates `seen`, `places` and `pinned_count`. */
void pithi_rows_seen(struct pithi_rows *rows);
/* Returns the lanes of the visible rows, each once, in rising order. The array [*count] is to be freed. */
uint32_t *pithi_rows_lanes(const struct pithi_rows *rows, uint32_t *count);

/* Writes the label of a node, made printable (pithi_clean): "node17", "ranks 0, 2-511", "rank 3", "3.1 worker" or "load
 * [1]". Returns `text`. */
char *pithi_rows_label(const struct pithi_rows *rows, uint32_t node, char *text, size_t size);
/* Writes the faint text behind the label: "16 ranks", "3 of 16 ranks"; for a closed rank "4 threads"; for a rank in a
 * list of several hosts its host; else "". */
char *pithi_rows_note(struct pithi_rows *rows, uint32_t node, char *text, size_t size);
/* Write the label and the note of a visible row; `row` is an index into `seen`. The labels of the bands of an unfolded
 * lane are "level 2", "depth 1". */
char *pithi_rows_seen_label(const struct pithi_rows *rows, uint32_t row, char *text, size_t size);
char *pithi_rows_seen_note(struct pithi_rows *rows, uint32_t row, char *text, size_t size);
/* Writes, for the row of a group of ranks alike, a text in full sentences that explains the group; for other rows
 * "". */
char *pithi_rows_tip(const struct pithi_rows *rows, uint32_t node, char *text, size_t size);
int pithi_rows_has_children(struct pithi_rows *rows, uint32_t node); /* 1: some children pass the filter */

/* ---- Arranging --------------------------------------------------------------------------------------------------- */

void pithi_rows_set_open(struct pithi_rows *rows, uint32_t node, int on);
/* Opens all nodes down to `level` and closes deeper nodes. With level 0, closes all nodes. */
void pithi_rows_open_level(struct pithi_rows *rows, uint32_t level);
/* The log and the interval [from_ns, to_ns) from which pithi_rows_unfold reads the depth of lanes; INT64_MIN,
 * INT64_MAX: all. */
struct pithi_unfolding {
    struct pithlog *log;               /* not owned */
    struct pithlog_summary *summary;   /* NULL: the records of each lane are read */
    const struct pithi_flames *flames; /* NULL: the functions of the log are not known */
    int64_t from_ns, to_ns;
};
/* Unfolds a row (if `on` is 1) into a band for each nesting level, and below the bands a row for each depth of its
 * functions; or folds it (0). For a rank, this unfolds its first thread; for a group, all its ranks. If `unfolding` is
 * NULL, the depth is not read, and the lane keeps one row until it is unfolded again. */
void pithi_rows_unfold(struct pithi_rows *rows, uint32_t node, int on, const struct pithi_unfolding *unfolding);
void pithi_rows_set_hidden(struct pithi_rows *rows, uint32_t node, int on);
void pithi_rows_show_all(struct pithi_rows *rows);
/* Hides all but these nodes, their children and their parents. */
void pithi_rows_show_only(struct pithi_rows *rows, const uint32_t *nodes, uint32_t count);
/* Pins a node, or unpins it if `on` is 0. A pinned node and its open children stay above all other rows and ignore the
 * filter. A rank is pinned once, even if it has several nodes. */
void pithi_rows_set_pinned(struct pithi_rows *rows, uint32_t node, int on);
/* Moves a node before or behind `target`, which is a sibling of the node or lies below a sibling. Pinned nodes move
 * among pinned nodes. Returns 0; or -1 if the node cannot go there. */
int pithi_rows_move(struct pithi_rows *rows, uint32_t node, uint32_t target, int behind);
/* Orders the children of a node. Children that `order` does not name come last; nodes in `order` that are no children
 * of the node are ignored. */
void pithi_rows_arrange(struct pithi_rows *rows, uint32_t parent, const uint32_t *order, uint32_t count);
enum pithi_rows_order { PITHI_ORDER_NAME, PITHI_ORDER_RANK, PITHI_ORDER_VALUE, PITHI_ORDER_MEAN };
/* Sorts the children of every node: by natural order of names (node2 before node10), by rank, or by the sum or
 * mean of value[lane] over their lanes. The sort is stable; counters come first. */
void pithi_rows_sort(struct pithi_rows *rows, enum pithi_rows_order order, const double *value, int falling);

/* ---- Patterns ---------------------------------------------------------------------------------------------------- */

/* A pattern is a list, separated by commas, of ranks (3, 0-3), threads (7.1) and names. A name with * or ? must match
 * the whole label, host or thread name; other names must occur in it. Case is ignored. */

/* Shows only rows that match, and their parents; "": all rows. Returns 0; or -1 if no row matches, and then nothing
 * changes. */
int pithi_rows_filter(struct pithi_rows *rows, const char *pattern);
/* Returns the outermost nodes that match. The array [*count] is to be freed. */
uint32_t *pithi_rows_find(struct pithi_rows *rows, const char *pattern, uint32_t *count);

/* ---- Keys of nodes, for storing an arrangement ------------------------------------------------------------------- */

/* Writes the key of a node: "host:node17", "comm:3", "alike:0" (a group by its lowest rank), "7" (a rank), "7.1",
 * "7.1/load" (a counter) or "comm:3/7". Returns `text`. */
char *pithi_rows_key(const struct pithi_rows *rows, uint32_t node, char *text, size_t size);
/* Returns the node of a key, or PITHI_NONE if the tree has no such node. */
uint32_t pithi_rows_node(struct pithi_rows *rows, const char *key);

/* ---- For pictures without a window ------------------------------------------------------------------------------- */

/* Parses "none", "host", "comm" or "alike". Returns 0, or -1 for any other text. */
int pithi_grouping_parse(const char *text, enum pithi_grouping *grouping);
/* Makes `seen` the rows that match the pattern ("": all); each group is one row. Returns 0; or -1 if no row matches. */
int pithi_rows_picture(struct pithi_rows *rows, enum pithi_grouping grouping, const char *pattern);

/* ---- Shared by the files rows*.c --------------------------------------------------------------------------------- */

void pithi_rows_build(struct pithi_rows *rows, uint32_t node); /* makes the children of a communicator */
int64_t pithi_rows_member_count(const struct pithi_rows *rows, uint32_t comm);
/* Returns the first lane of a rank, or PITHI_NONE if there is none. */
uint32_t pithi_rows_rank_lane(const struct pithi_rows *rows, int64_t rank);

/* ---- Numbers to sort by ------------------------------------------------------------------------------------------ */

enum pithi_stat {
    PITHI_STAT_TOTAL,    /* total time of the chosen states, ns */
    PITHI_STAT_SELF,     /* self time of the chosen states, ns */
    PITHI_STAT_COUNT,    /* number of chosen states or events */
    PITHI_STAT_MESSAGES, /* number of messages sent and received */
    PITHI_STAT_BYTES     /* bytes of messages sent and received */
};

struct pithi_lane_question {
    int64_t t0_ns, t1_ns;            /* t0 < t1 */
    enum pithi_stat stat;            /* the number to compute for each lane */
    const unsigned char *chosen;     /* [defs] non-zero: the definition counts; used by the first three statistics */
    struct pithlog_summary *summary; /* only one thread at a time may use it; NULL: all records are read */
};

/* Computes the number for a lane. Returns 0 or an enum pith_err. In a damaged lane, the readable part counts. */
int pithi_lane_stat(struct pithlog *log, const struct pithi_lane_question *question, uint32_t lane, double *value);

/* Returns the number of nesting levels of a lane in [from_ns, to_ns), at most PITHI_LEVELS; 0 if it has no states
 * there. Reads no records if the interval contains the whole lane and `summary` is not NULL. */
uint32_t pithi_lane_levels(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns,
                           int64_t to_ns);

/* ---- Rows of a log ----------------------------------------------------------------------------------------------- */

/* Returns all rows of a log in order: each lane followed by its counters. The array [*count] is to be freed. `digest`
 * NULL: no counters. */
struct pithi_row *pithi_rows_make(const struct pithlog *log, const struct pithlog_digest *digest, uint32_t *count);
/* Returns copies of rows, for use after the tree has changed. *lanes has the lanes of all copies. The caller frees
 * both. */
struct pithi_row *pithi_rows_copy(const struct pithi_row *rows, uint32_t count, uint32_t **lanes);

#endif
