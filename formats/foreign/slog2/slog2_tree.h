/* slog2_tree.h - the tree of a SLOG-2 file being written.
 *
 * Drawables arrive in the order of their end times. Leaves have depth 0, the root has the highest depth. One node of
 * each depth is open, and each open node lies inside the open node of the next higher depth. A drawable goes into the
 * open node of the lowest depth that began no later than the drawable. When a leaf is full, it ends at the end time of
 * the last drawable. If it was the second child of its parent, the parent ends, too, and so on. The next leaf begins at
 * this time. In the example, (D,N) is node N of depth D:
 *
 *     time                0         4         8        12
 *     leaves, depth 0     |  (0,0)  |  (0,1)  |  (0,2)           a state from 5 to 7 goes into (0,1), one from 3 to 7
 *     depth 1             |       (1,0)       |  (1,1)           into (1,0), one from 3 to 9 into (2,0)
 *     depth 2             |                (2,0)
 *
 * A node is written when it ends, with the previews of its children. Then the previews of its whole subtree are kept in
 * a temporary file until its parent is written. So memory holds only the open nodes, that is, the drawables of one leaf
 * and those that cross the borders of leaves. */
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

/* Begins a tree. `out` is positioned after the header of the file. No drawable begins before `first_ns`. `lines` is the
 * approximate number of lines. If there are many lines, leaves are larger, because a leaf with few drawables for each
 * line would have larger previews than drawables. */
int pithi_slog2_tree_open(struct pithi_slog2_tree *tree, FILE *out, int64_t first_ns, uint32_t lines);
void pithi_slog2_tree_free(struct pithi_slog2_tree *tree);
/* Adds a drawable and copies its info. Drawables must come in the order of their end times. */
int pithi_slog2_tree_add(struct pithi_slog2_tree *tree, const struct pithi_slog2_drawable *drawable);
/* Writes the nodes that are still open. Call this function after the last drawable. *root becomes the place of the root
 * in the file, *depth the depth of the root. */
int pithi_slog2_tree_end(struct pithi_slog2_tree *tree, struct pithi_slog2_place *root, uint32_t *depth);
/* Appends the directory in the file's format. */
int pithi_slog2_tree_directory(struct pithi_slog2_tree *tree, struct pithi_buffer *bytes);

#endif
