/* slog2_tree.h - the tree of a SLOG-2 file being written.
 *
 * Drawables come by the time of their end. One node of each depth is open, one inside the other; a drawable goes into
 * the deepest one that had begun when it begins. When a leaf is full it ends, at the time of the last drawable's end,
 * and with it each node around it that has its two children; the next leaf begins there:
 *
 *     time                0         4         8        12
 *     leaves, depth 0     |  (0,0)  |  (0,1)  |  (0,2)           a state from 5 to 7 goes into (0,1), one from 3 to 7
 *     depth 1             |       (1,0)       |  (1,1)           into (1,0), one from 3 to 9 into (2,0)
 *     depth 2             |                (2,0)
 *
 * A node that ends is written, with the previews of its children, and what it leaves for its parent are the previews of
 * its whole subtree; these wait in a temporary file, last in first out. So what is in memory are the open nodes: a
 * leaf, and what reaches over the edges of leaves. */
#ifndef PITHI_SLOG2_TREE_H
#define PITHI_SLOG2_TREE_H

#include <stdio.h>

#include "slog2/slog2_shadow.h"

struct pithi_slog2_level; /* the open node of a depth */
struct pithi_slog2_entry; /* of the directory */

struct pithi_slog2_tree {
    FILE *out;
    uint32_t leaf_bytes;
    uint64_t at; /* where in the file the next node goes */
    int64_t first_ns, last_ns;
    struct pithi_slog2_level *levels;
    uint32_t count, room; /* of levels: the root is the last */
    struct pithi_slog2_entry *entries;
    uint32_t entry_count, entry_room;
    uint32_t largest; /* part of the file, in bytes */
    int previews;     /* fd of those that wait */
    struct pithi_buffer node, kept;
};

/* `out` stands behind the header. Nothing begins before `first_ns`. `lines`: about how many there are; of very many a
 * leaf has some drawables each only if it is larger, and previews of fewer would be larger than what they stand for. */
int pithi_slog2_tree_open(struct pithi_slog2_tree *tree, FILE *out, int64_t first_ns, uint32_t lines);
void pithi_slog2_tree_free(struct pithi_slog2_tree *tree);
/* In the order of their ends; the info is copied. */
int pithi_slog2_tree_add(struct pithi_slog2_tree *tree, const struct pithi_slog2_drawable *drawable);
/* No more come: writes what is open. */
int pithi_slog2_tree_end(struct pithi_slog2_tree *tree, struct pithi_slog2_place *root, uint32_t *depth);
/* The directory as it stands in the file. */
int pithi_slog2_tree_directory(struct pithi_slog2_tree *tree, struct pithi_buffer *bytes);

#endif
