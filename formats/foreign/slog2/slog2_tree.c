/* slog2_tree.c - the open nodes, the directory, and a temporary file of previews. Previews are on disk so that memory
 * does not grow with the log.
 *
 * slog2_tree.h explains the tree by an example. (D,N) is node N of depth D. While drawables are added to leaf (0,3) of
 * that tree, the tree is stored as follows:
 *
 *     memory       levels: the open nodes (0,3), (1,1) and (2,0), with their drawables, which are not written yet
 *     memory       children: (1,1) has (0,2), (2,0) has (1,0), with the offsets of their previews
 *     file         (0,0) (0,1) (1,0) (0,2): a node is written after its children, so the root comes last
 *     temporary    the previews of (1,0), then of (0,2): a stack
 *
 * A parent is written after its two children, with the previews of these children. Then the previews of the children
 * are not needed any more, and the previews of the parent take their place on the stack. So the stack never becomes
 * higher than the tree, however long the log is. */
#include "foreign/slog2/slog2_tree.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"
#include "base/map.h"
#include "base/temporary.h"
#include "native/log.h"

/* An entry of the directory, which describes a node. The node's parent has a copy of it before the node's previews. */
struct pithi_slog2_entry {
    int64_t first_ns, last_ns; /* times of the drawables in the node and below it */
    uint32_t depth, number;    /* depth: 0 for a leaf; number: among the nodes of its depth */
    struct pithi_slog2_place place;
};

/* A child that was written. Its previews are in the temporary file. */
struct child {
    uint32_t entry; /* index in the directory */
    uint64_t at;    /* where its previews are in the temporary file */
    size_t size;
};

/* A drawable of an open node. Drawables are kept in the order of arrival. */
struct held {
    struct pithi_slog2_drawable drawable; /* its info is in the level's `infos`, at offset `info` */
    size_t info;
};

struct pithi_slog2_level {
    int64_t first_ns; /* begin of the node, which is the end of the node before it */
    uint32_t number;  /* number of the node among the nodes of its depth */
    struct held *held;
    uint32_t count, room;
    struct pithi_buffer infos; /* bytes of all infos; `held` has offsets, as this buffer may move when it grows */
    size_t size;               /* bytes of the drawables in the file's format */
    struct child children[PITHI_SLOG2_CHILDREN];
    uint32_t child_count;
};

/* LISTS: bytes of the three counts of a node, which precede its two lists of drawables and its children's previews;
 * VERTEX: bytes of a vertex; DRAWABLE: bytes of a drawable without its vertices and info */
enum { LISTS = 12, VERTEX = 12, DRAWABLE = 9 };
/* LINE_BYTES: a leaf has at least so many bytes for each line; LEAF_MOST: the most bytes of a leaf */
enum { LINE_BYTES = 512, LEAF_MOST = 4 << 20 };

static uint32_t vertices_of(const struct pithi_slog2_drawable *d) { return d->topology == PITHI_SLOG2_EVENT ? 1 : 2; }

static size_t size_of(const struct pithi_slog2_drawable *d)
{
    return DRAWABLE + d->info_size + VERTEX * (size_t)vertices_of(d);
}

/* ---- Levels ------------------------------------------------------------------------------------------------------ */

static int add_root(struct pithi_slog2_tree *tree)
{
    if (!pithi_grow(&tree->levels, tree->count, &tree->room, sizeof *tree->levels))
        return pithi_no_memory();
    tree->levels[tree->count++] = (struct pithi_slog2_level){.first_ns = tree->first_ns};
    return PITH_OK;
}

int pithi_slog2_tree_open(struct pithi_slog2_tree *tree, FILE *out, int64_t first_ns, uint32_t lines)
{
    *tree = (struct pithi_slog2_tree){.out = out,
                                      .leaf_bytes = PITHI_SLOG2_LEAF,
                                      .at = PITHI_SLOG2_HEADER,
                                      .first_ns = first_ns,
                                      .last_ns = first_ns,
                                      .previews = -1};
    /* Each leaf has a preview of each line, so a file with many lines needs larger leaves. */
    while (tree->leaf_bytes < LEAF_MOST && tree->leaf_bytes / LINE_BYTES < lines)
        tree->leaf_bytes *= 2;
    return add_root(tree);
}

void pithi_slog2_tree_free(struct pithi_slog2_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        free(tree->levels[i].held);
        free(tree->levels[i].infos.data);
    }
    if (tree->levels && tree->previews >= 0) /* tree->previews is valid once a level exists */
        close(tree->previews);
    free(tree->levels);
    free(tree->entries);
    free(tree->node.data);
    free(tree->kept.data);
}

/* ---- A node's bytes ---------------------------------------------------------------------------------------------- */

/* Writes an entry as the head of a node, or as the head of a child's previews inside its parent. */
static unsigned char *put_entry(unsigned char *p, const struct pithi_slog2_entry *entry)
{
    p = pithi_slog2_put_time(p, entry->first_ns);
    p = pithi_slog2_put_time(p, entry->last_ns);
    p = pithi_slog2_put32(pithi_slog2_put16(p, entry->depth), entry->number);
    return pithi_slog2_put_place(p, entry->place);
}

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* Sorts drawables by begin. Among drawables that begin at the same time, the longest comes first. */
static int by_begin(const void *a, const void *b)
{
    const struct pithi_slog2_drawable *x = &((const struct held *)a)->drawable,
                                      *y = &((const struct held *)b)->drawable;
    int order = compare(pithi_slog2_first_ns(x), pithi_slog2_first_ns(y));
    order = order ? order : compare(pithi_slog2_last_ns(y), pithi_slog2_last_ns(x));
    /* Drawables with the same begin and end are sorted by category and lines, so that each run writes the same
     * bytes. */
    order = order ? order : compare(x->category, y->category);
    order = order ? order : compare(x->line[0], y->line[0]);
    return order ? order : compare(x->line[1], y->line[1]);
}

/* Adds the list of the node's states (if `states` is 1) or of its events and arrows (if 0) to the bytes of the node. */
static void put_list(struct pithi_buffer *node, const struct pithi_slog2_level *level, int states)
{
    unsigned char *head = node->data + node->size, *p = head + 4;
    uint32_t count = 0;
    for (uint32_t i = 0; i < level->count; i++)
        if ((level->held[i].drawable.topology == PITHI_SLOG2_STATE) == states) {
            const struct pithi_slog2_drawable *d = &level->held[i].drawable;
            *p++ = 0; /* kind: a primitive */
            p = pithi_slog2_put32(p, (uint32_t)d->category);
            p = pithi_slog2_put16(p, d->info_size);
            if (d->info_size)
                memcpy(p, level->infos.data + level->held[i].info, d->info_size);
            p = pithi_slog2_put16(p + d->info_size, vertices_of(d));
            for (uint32_t k = 0; k < vertices_of(d); k++)
                p = pithi_slog2_put32(pithi_slog2_put_time(p, d->time_ns[k]), (uint32_t)d->line[k]);
            count++;
        }
    pithi_slog2_put32(head, count);
    node->size = (size_t)(p - node->data);
}

/* ---- The end of a node ------------------------------------------------------------------------------------------- */

/* Stores the previews of a node in the temporary file, in the place of the previews of its children. The previews are
 * written into the parent of the node when the parent ends. */
static int hand_up(struct pithi_slog2_tree *tree, uint32_t depth, struct pithi_slog2_shadows *set)
{
    struct pithi_slog2_level *level = &tree->levels[depth], *parent = level + 1;
    uint64_t at = 0;
    if (!pithi_slog2_shadows_keep(set, &tree->kept))
        return pithi_no_memory();
    /* `at` is the offset of the previews in the temporary file, which is used as a stack. It is the offset of the first
     * child's previews, because these are not needed any more. A leaf has no children, so its previews go on top of the
     * stack, after those of the last child of the lowest level that has children. */
    if (level->child_count)
        at = level->children[0].at;
    else
        for (uint32_t i = depth + 1; i < tree->count && at == 0; i++)
            if (tree->levels[i].child_count) {
                const struct child *last = &tree->levels[i].children[tree->levels[i].child_count - 1];
                at = last->at + last->size;
            }
    parent->children[parent->child_count++] =
        (struct child){.entry = tree->entry_count - 1, .at = at, .size = tree->kept.size};
    if (tree->previews < 0 && (tree->previews = pithi_temporary_file()) < 0)
        return pithi_temporary_failed("made");
    if (pithi_write_at(tree->previews, tree->kept.data, tree->kept.size, at) != tree->kept.size)
        return pithi_temporary_failed("written");
    return PITH_OK;
}

static int end_node(struct pithi_slog2_tree *tree, uint32_t depth)
{
    struct pithi_slog2_shadows set = {0};
    struct pithi_slog2_level *level = &tree->levels[depth];
    int err = PITH_OK;

    /* Makes the bytes of the node without its header, that is, its drawables and then the previews of its children. */
    if (level->count)
        qsort(level->held, level->count, sizeof *level->held, by_begin);
    tree->node.size = 0;
    if (!pithi_buffer_reserve(&tree->node, PITHI_SLOG2_NODE + LISTS + level->size))
        TRY(pithi_no_memory());
    tree->node.size = PITHI_SLOG2_NODE;
    put_list(&tree->node, level, 0);
    put_list(&tree->node, level, 1);
    for (uint32_t i = 0; i < level->count; i++)
        /* `set` becomes the previews of the node, made from the drawables of the node and from its children's previews.
         * Here it gets the drawables. */
        if (!pithi_slog2_shadows_add(&set, &level->held[i].drawable))
            TRY(pithi_no_memory());
    /* Adds the children's previews to the bytes of the node and to `set`. Their size is not known in advance, so
     * pithi_slog2_shadows_write reserves memory. */
    tree->node.size =
        (size_t)(pithi_slog2_put32(tree->node.data + tree->node.size, level->child_count) - tree->node.data);
    for (uint32_t i = 0; i < level->child_count; i++) {
        const struct child *child = &level->children[i];
        tree->kept.size = 0;
        if (!pithi_buffer_reserve(&tree->kept, child->size))
            TRY(pithi_no_memory());
        if (pithi_read_at(tree->previews, tree->kept.data, child->size, child->at) != child->size)
            TRY(pithi_temporary_failed("read"));
        if (!pithi_buffer_reserve(&tree->node, PITHI_SLOG2_NODE))
            TRY(pithi_no_memory());
        put_entry(tree->node.data + tree->node.size, &tree->entries[level->children[i].entry]);
        tree->node.size += PITHI_SLOG2_NODE;
        if (!pithi_slog2_shadows_write(tree->kept.data, &tree->node) ||
            !pithi_slog2_shadows_merge(&set, tree->kept.data))
            TRY(pithi_no_memory());
    }

    /* Adds the header, and the entry in the directory. */
    if (tree->node.size > INT32_MAX) /* a size has 4 bytes in the file, and Java's integers are signed */
        TRY(pithi_fail(PITH_ERR_UNSUPPORTED, "a node of SLOG-2 would be larger than 2 GB: too much is open at once"));
    if (!pithi_grow(&tree->entries, tree->entry_count, &tree->entry_room, sizeof *tree->entries))
        TRY(pithi_no_memory());
    struct pithi_slog2_entry *entry = &tree->entries[tree->entry_count++];
    *entry = (struct pithi_slog2_entry){.first_ns = level->first_ns,
                                        /* a node ends at the end of the last drawable so far */
                                        .last_ns = tree->last_ns,
                                        .depth = depth,
                                        .number = level->number,
                                        .place = {tree->at, (uint32_t)tree->node.size}};
    put_entry(tree->node.data, entry);
    if (fwrite(tree->node.data, 1, tree->node.size, tree->out) != tree->node.size)
        TRY(pithi_fail(PITH_ERR_IO, "the SLOG-2 file cannot be written"));
    tree->at += tree->node.size;
    tree->largest = entry->place.size > tree->largest ? entry->place.size : tree->largest;

    if (depth + 1 < tree->count) /* the root has no parent that needs its previews */
        TRY(hand_up(tree, depth, &set));
    level->count = level->child_count = 0;
    level->size = level->infos.size = 0;
out:
    pithi_slog2_shadows_free(&set);
    return err;
}

/* Ends the open leaf, and each open node whose two children have now ended. If the root ends, makes its parent, which
 * becomes the root. Then begins the next leaf, and nodes that contain the leaf, in place of the nodes that ended. */
static int next_leaf(struct pithi_slog2_tree *tree)
{
    uint32_t number = tree->levels[0].number + 1, depth = 0;
    /* The node of a depth ends if it does not contain the next leaf, whose index is `number`. The next leaf is in the
     * node number >> depth of this depth. For example, if the next leaf is (0,2), it is in (1,1), because 2 >> 1 = 1,
     * so the open node (1,0) ends. If the next leaf is (0,3), it is in (1,1), too, because 3 >> 1 = 1, so (1,1) goes
     * on. */
    for (; depth == 0 || tree->levels[depth].number != number >> depth; depth++) {
        if (depth + 1 == tree->count) /* a full root becomes a child, because the tree grows at its top */
            CHECK(add_root(tree));
        CHECK(end_node(tree, depth));
    }
    while (depth-- > 0) {
        tree->levels[depth].number = number >> depth;
        tree->levels[depth].first_ns = tree->last_ns;
    }
    return PITH_OK;
}

/* ---- Adding drawables, closing the tree -------------------------------------------------------------------------- */

int pithi_slog2_tree_add(struct pithi_slog2_tree *tree, const struct pithi_slog2_drawable *drawable)
{
    const struct pithi_slog2_level *leaf = &tree->levels[0];
    uint32_t depth = 0;
    /* A drawable that is larger than a leaf gets a leaf of its own. */
    if (leaf->count && PITHI_SLOG2_NODE + LISTS + leaf->size + size_of(drawable) > tree->leaf_bytes)
        CHECK(next_leaf(tree));
    /* Finds the deepest node that contains the begin of the drawable. All open nodes contain its end. */
    while (depth + 1 < tree->count && pithi_slog2_first_ns(drawable) < tree->levels[depth].first_ns)
        depth++;
    tree->last_ns = pithi_slog2_last_ns(drawable) > tree->last_ns ? pithi_slog2_last_ns(drawable) : tree->last_ns;
    struct pithi_slog2_level *level = &tree->levels[depth];
    if (!pithi_grow(&level->held, level->count, &level->room, sizeof *level->held))
        return pithi_no_memory();
    level->held[level->count++] = (struct held){*drawable, level->infos.size};
    level->size += size_of(drawable);
    return pithi_buffer_add(&level->infos, drawable->info, drawable->info_size) ? PITH_OK : pithi_no_memory();
}

int pithi_slog2_tree_end(struct pithi_slog2_tree *tree, struct pithi_slog2_place *root, uint32_t *depth)
{
    /* Ends all open nodes, from the leaf to the root, whether they are full or not. */
    for (uint32_t i = 0; i < tree->count; i++)
        CHECK(end_node(tree, i));
    *root = tree->entries[tree->entry_count - 1].place;
    *depth = tree->count - 1;
    return PITH_OK;
}

/* Sorts the entries of the directory by the begin of their nodes. Of nodes with the same begin, the outermost comes
 * first, so the root comes first of all. */
static int by_time(const void *a, const void *b)
{
    const struct pithi_slog2_entry *x = a, *y = b;
    int order = compare(x->first_ns, y->first_ns);
    order = order ? order : compare(y->depth, x->depth);
    return order ? order : compare(x->number, y->number);
}

int pithi_slog2_tree_directory(struct pithi_slog2_tree *tree, struct pithi_buffer *bytes)
{
    qsort(tree->entries, tree->entry_count, sizeof *tree->entries, by_time);
    if (!pithi_buffer_reserve(bytes, 4 + PITHI_SLOG2_ENTRY * (size_t)tree->entry_count))
        return pithi_no_memory();
    unsigned char *p = pithi_slog2_put32(bytes->data + bytes->size, tree->entry_count);
    for (uint32_t i = 0; i < tree->entry_count; i++) {
        const struct pithi_slog2_entry *entry = &tree->entries[i];
        p = pithi_slog2_put32(pithi_slog2_put16(p, entry->depth), entry->number);
        p = pithi_slog2_put_time(pithi_slog2_put_time(p, entry->first_ns), entry->last_ns);
        p = pithi_slog2_put_place(p, entry->place);
    }
    bytes->size = (size_t)(p - bytes->data);
    return PITH_OK;
}
