/* slog2_tree.h - the tree of a SLOG-2 file being written.
 *
 * Drawables arrive in the order of their end times. One node of each depth is open, and each open node lies inside the
 * open node of the next depth. A drawable goes into the deepest open node that began no later than the drawable. When a
 * leaf is full, it ends at the end time of the last drawable, and with it each node around it that has its two
 * children. The next leaf begins at this time:
 *
 *     time                0         4         8        12
 *     leaves, depth 0     |  (0,0)  |  (0,1)  |  (0,2)           a state from 5 to 7 goes into (0,1), one from 3 to 7
 *     depth 1             |       (1,0)       |  (1,1)           into (1,0), one from 3 to 9 into (2,0)
 *     depth 2             |                (2,0)
 *
 * A node is written when it ends, with the previews of its children. Then the previews of its whole subtree are kept in
 * a temporary file until its parent is written. This file is used as a stack. So memory holds only the open nodes: a
 * leaf, and the drawables that cross the borders of leaves. */
#ifndef PITHI_SLOG2_TREE_H
#define PITHI_SLOG2_TREE_H

#include <stdio.h>

#include "foreign/slog2/slog2_shadow.h"

struct pithi_slog2_level; /* the open node of a depth */
struct pithi_slog2_entry; /* an entry of the directory */

struct pithi_slog2_tree {
    FILE *out;
    uint32_t leaf_bytes;
    uint64_t at; /* offset of the next node in the file */
    int64_t first_ns, last_ns;
    struct pithi_slog2_level *levels;
    uint32_t count, room; /* count: number of levels; the last level is the root */
    struct pithi_slog2_entry *entries;
    uint32_t entry_count, entry_room;
    uint32_t largest; /* size of the largest part of the file */
    int previews;     /* fd of the temporary file */
    struct pithi_buffer node, kept;
};

/* `out` is positioned after the header. Nothing begins before `first_ns`. `lines` is the approximate number of lines:
 * many lines need larger leaves, because if a leaf has few drawables for each line, its previews are larger than its
 * drawables. */
int pithi_slog2_tree_open(struct pithi_slog2_tree *tree, FILE *out, int64_t first_ns, uint32_t lines);
void pithi_slog2_tree_free(struct pithi_slog2_tree *tree);
/* Drawables must come in the order of their end times. The info is copied. */
int pithi_slog2_tree_add(struct pithi_slog2_tree *tree, const struct pithi_slog2_drawable *drawable);
/* Writes the nodes that are still open. Call after the last drawable. *root becomes the place of the root, *depth its
 * depth. */
int pithi_slog2_tree_end(struct pithi_slog2_tree *tree, struct pithi_slog2_place *root, uint32_t *depth);
/* Appends the directory in the file's format. */
int pithi_slog2_tree_directory(struct pithi_slog2_tree *tree, struct pithi_buffer *bytes);

#endif
