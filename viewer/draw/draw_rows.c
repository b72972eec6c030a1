/* draw_rows.c - chooses the rows of a picture: all rows, a list, or a tree that the words of `-e` arranged.
 *
 *     --lanes 0-3,7.1               a list: the rows in the order of the log; no tree is made
 *     --lanes node1*  --group host  a tree, because names of hosts are known only in the tree
 *     -e 'group host; collapse'     a tree as in the viewer's window (core/rows), arranged by the same words
 *
 * A list is made quickly, and is enough in most cases. A tree takes memory for each of perhaps 100,000 lanes, so it is
 * made only when an option or a word needs it. Then the tree is kept, because later words may change it. */
#include "draw/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/rows/rows.h"
#include "core/rows/words.h"

static int is_text(const struct pithi_draw *draw) { return draw->kind == PITHI_DRAW_TEXT; }

/* Makes all rows of the log. For text, no digest is passed: the digest is for rows of counters, which text lacks. */
static struct pithi_row *make_rows(const struct pithi_draw *draw, uint32_t *count)
{
    return pithi_rows_make(draw->log, is_text(draw) ? NULL : draw->digest, count);
}

/* Makes the rows of a list of ranks and threads, without a tree. */
static int plain_rows(struct pithi_draw *draw, const char *list)
{
    free(draw->rows);
    draw->rows = make_rows(draw, &draw->row_count);
    if (!draw->row_count)
        return pithi_draw_failed("%s: nothing to draw: the log holds no records", draw->log_path);
    if (list && pithi_rows_choose(draw->log, list, draw->rows, &draw->row_count)) {
        pithi_draw_failed("draw: --lanes %s: no list of ranks such as 0-3,7.1; see `pith help draw`", list);
        return 2;
    }
    if (!draw->row_count)
        return pithi_draw_failed("%s: no lanes %s; `pith info` tells which there are", draw->log_path, list);
    free(draw->list);
    draw->list = list ? strdup(list) : NULL;
    return 0;
}

/* ---- Rows from a tree -------------------------------------------------------------------------------------------- */

static struct pithi_rows *tree_of(struct pithi_draw *draw)
{
    uint32_t count;
    struct pithi_row *made;

    if (draw->tree)
        return draw->tree;
    draw->tree = pithi_rows_open(draw->log);
    made = make_rows(draw, &count);
    pithi_rows_add_counters(draw->tree, made, count);
    free(made);
    return draw->tree;
}

/* Sets the rows of the picture to the visible rows of the tree. The head of an open group is a row, too, except in
 * text. A communicator whose list of members is damaged has no row. */
static int take_seen(struct pithi_draw *draw)
{
    struct pithi_rows *tree = tree_of(draw);
    uint32_t label_capacity = 0;

    if (pithlog_check_comms(draw->log))
        pithi_draw_damaged();
    pithi_rows_seen(tree);
    pithi_draw_labels_free(draw);
    free(draw->rows);
    draw->rows = pithi_alloc(tree->seen_count, sizeof *draw->rows);
    draw->labels = pithi_view_grow(NULL, &label_capacity, tree->seen_count, sizeof *draw->labels);
    draw->row_count = 0;
    for (uint32_t i = 0; i < tree->seen_count; i++) {
        if (is_text(draw) && !pithi_row_has_cells(&tree->seen[i]))
            continue;
        draw->rows[draw->row_count] = tree->seen[i];
        /* Makes the label of the row, indented by the row's depth in the tree. */
        const struct pithi_row_place *place = &tree->places[i];
        char label[256], note[64];
        size_t size;
        char *text;
        pithi_rows_seen_label(tree, i, label, sizeof label);
        pithi_rows_seen_note(tree, i, note, sizeof note);
        size = 3 * (size_t)place->depth + strlen(label) + strlen(note) + 4;
        text = pithi_alloc(size, 1);
        snprintf(text, size, "%*s%s%s%s", 3 * (place->depth > 0 ? place->depth - 1 : 0), "", label, *note ? "  " : "",
                 note);
        draw->labels[draw->row_count] = text;
        draw->rows[draw->row_count].label = draw->labels[draw->row_count];
        draw->label_count = ++draw->row_count;
    }
    return draw->row_count ? 0 : pithi_draw_failed("%s: no rows are left", draw->log_path);
}

void pithi_draw_labels_free(struct pithi_draw *draw)
{
    for (uint32_t i = 0; i < draw->label_count; i++)
        free(draw->labels[i]);
    free(draw->labels);
    draw->labels = NULL;
    draw->label_count = 0;
}

static int is_list(const char *pattern) { return pattern[strspn(pattern, "0123456789,.-")] == 0; }

/* Groups ranks that spend similar fractions of the drawn interval in the same states. Returns 0, or an exit status
 * after it has printed a message. */
static int find_alike(struct pithi_draw *draw, double percent)
{
    struct pithi_rows *tree = tree_of(draw);
    struct pithi_alike_question question = {.t0_ns = draw->t0_ns,
                                            .t1_ns = draw->t1_ns,
                                            .rank_lane = tree->rank_lane,
                                            .ranks = tree->rank_count,
                                            .limit = percent / 100,
                                            .summary = draw->summary};
    struct pithi_alike alike;

    if (pithi_alike_of_log(draw->log, &question, &alike))
        return pithi_draw_failed("%s", pithlog_error());
    pithi_rows_group_alike(tree, &alike);
    return 0;
}

int pithi_draw_rows(struct pithi_draw *draw, const char *pattern)
{
    int status = draw->group == PITHI_BY_LIKENESS ? find_alike(draw, PITHI_ALIKE_PERCENT) : 0;

    if (status)
        return status;
    if (draw->group == PITHI_BY_NOTHING && (!pattern || is_list(pattern)))
        return plain_rows(draw, pattern);
    if (pithi_rows_picture(tree_of(draw), draw->group, pattern ? pattern : ""))
        return pithi_draw_failed("%s: no lanes %s; `pith info` tells which there are", draw->log_path, pattern);
    return take_seen(draw);
}

/* Unfolds a row (`on`) or folds it. How many levels the row has depends on the drawn interval, which later words may
 * change, so pithi_draw_find_depths finds the levels after all words. */
static void set_unfolded(struct pithi_rows *tree, uint32_t node, int on) { pithi_rows_unfold(tree, node, on, NULL); }

/* Unfolds (`on`) or folds the rows that match the pattern. Returns 0; -1 if no row matches; or an exit status after it
 * has printed a message. */
static int unfold(struct pithi_draw *draw, const char *pattern, int on)
{
    uint32_t count, *nodes;

    if (!draw->tree)
        pithi_rows_picture(tree_of(draw), PITHI_BY_NOTHING, draw->list ? draw->list : "");
    nodes = pithi_rows_find(draw->tree, pattern, &count);
    for (uint32_t i = 0; i < count; i++)
        set_unfolded(draw->tree, nodes[i], on);
    free(nodes);
    return count ? take_seen(draw) : -1;
}

int pithi_draw_find_depths(struct pithi_draw *draw)
{
    struct pithi_unfolding unfolding = {draw->log, draw->summary, NULL, draw->t0_ns, draw->t1_ns};
    int status = 0, some = 0;

    for (uint32_t i = 0; draw->tree && i < draw->tree->node_count && !status; i++) {
        if (!draw->tree->nodes[i].bands)
            continue;
        if (!some++)
            status = pithi_draw_flames(draw);
        unfolding.flames = draw->flames;
        pithi_rows_unfold(draw->tree, i, 1, &unfolding);
    }
    return some && !status ? take_seen(draw) : status;
}

int pithi_draw_unfold(struct pithi_draw *draw)
{
    int status = unfold(draw, strcmp(draw->unfold, "all") == 0 ? "*" : draw->unfold, 1);

    if (status >= 0)
        return status;
    pithi_draw_failed("draw: --unfold %s: no row matches; see `pith help draw`", draw->unfold);
    return 2;
}

void pithi_draw_fewer_rows(struct pithi_draw *draw, uint32_t most)
{
    struct pithi_groups groups;

    if (draw->row_count <= most)
        return;
    draw->per = (draw->row_count + most - 1) / most;
    pithi_groups_make(draw->rows, draw->row_count, draw->per, &groups);
    free(draw->rows);
    draw->rows = groups.rows;
    draw->row_count = groups.count;
    draw->grouped = groups.lanes;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

int pithi_draw_do_rows(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    const char *pattern = word->count > 1 ? word->item[1] : "";

    if (!draw->tree && is_list(pattern))
        return plain_rows(draw, *pattern ? pattern : NULL);
    if (!draw->tree)
        pithi_rows_group(tree_of(draw), PITHI_BY_NOTHING);
    if (pithi_rows_filter(draw->tree, pattern))
        return pithi_draw_word_wrong("rows", "none fits ", pattern);
    return take_seen(draw);
}

int pithi_draw_do_group(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    enum pithi_grouping grouping;
    double percent = PITHI_ALIKE_PERCENT;
    char *end = "";
    int status = 0;

    if (pithi_grouping_parse(word->item[1], &grouping))
        return pithi_draw_word_wrong("group", "must be host, comm, alike or none, not ", word->item[1]);
    if (word->count > 2)
        percent = strtod(word->item[2], &end);
    if (word->count > 2 && (grouping != PITHI_BY_LIKENESS || *end || !(percent >= 0 && percent <= 100)))
        return pithi_draw_word_wrong("group", "only alike takes a number, of per cent, not ", word->item[2]);
    if (grouping == PITHI_BY_LIKENESS)
        status = find_alike(draw, percent);
    else
        pithi_rows_group(tree_of(draw), grouping);
    if (status)
        return status;
    return take_seen(draw);
}

/* Calls `set` for each row that matches the pattern after the word. */
static int on_rows(struct pithi_draw *draw, const struct pithi_draw_word *word, int on,
                   void (*set)(struct pithi_rows *rows, uint32_t node, int on))
{
    struct pithi_rows *tree = tree_of(draw);
    uint32_t count, *nodes = pithi_rows_find(tree, word->item[1], &count);

    for (uint32_t i = 0; i < count; i++)
        set(tree, nodes[i], on);
    free(nodes);
    return count ? take_seen(draw) : pithi_draw_word_wrong(word->item[0], "none fits ", word->item[1]);
}

int pithi_draw_do_expand(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    if (word->count > 1)
        return on_rows(draw, word, 1, pithi_rows_set_open);
    pithi_rows_open_level(tree_of(draw), 100);
    return take_seen(draw);
}

int pithi_draw_do_collapse(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    if (word->count > 1)
        return on_rows(draw, word, 0, pithi_rows_set_open);
    pithi_rows_open_level(tree_of(draw), 0);
    return take_seen(draw);
}

int pithi_draw_do_hide_rows(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    return on_rows(draw, word, 1, pithi_rows_set_hidden);
}

int pithi_draw_do_pin(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    return on_rows(draw, word, 1, pithi_rows_set_pinned);
}

static int unfold_word(struct pithi_draw *draw, const struct pithi_draw_word *word, int on)
{
    const char *pattern = word->count > 1 ? word->item[1] : "*";
    int status;

    if (is_text(draw))
        return pithi_draw_word_wrong(word->item[0], "in pictures and pages only, not in text", "");
    status = unfold(draw, pattern, on);
    return status < 0 ? pithi_draw_word_wrong(word->item[0], "none fits ", pattern) : status;
}

int pithi_draw_do_unfold_rows(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    return unfold_word(draw, word, 1);
}

int pithi_draw_do_fold_rows(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    return unfold_word(draw, word, 0);
}

/* ---- An arrangement ---------------------------------------------------------------------------------------------- */

/* An arrangement says how the rows of a tree are grouped, ordered, hidden and unfolded. The viewer's window stores it
 * as a dict of Tcl, with the entries `group`, `filter`, `order`, and lists of rows. A row is named by its key. */

/* Returns the nodes of the rows in a list of keys, an array of *count entries that the caller frees. Keys of rows that
 * this log does not have are skipped. */
static uint32_t *nodes_of(struct pithi_rows *tree, const char *list, uint32_t *count)
{
    uint32_t *nodes = pithi_alloc(strlen(list) / 2 + 1, sizeof *nodes);
    char *letters = pithi_alloc(strlen(list) + 1, 1), *key;

    *count = 0;
    while ((key = pithi_draw_next_item(&list, letters))) {
        uint32_t node = pithi_rows_node(tree, key);
        if (node && node != PITHI_NONE)
            nodes[(*count)++] = node;
    }
    free(letters);
    return nodes;
}

static void set_nodes(struct pithi_rows *tree, const char *list, int on,
                      void (*set)(struct pithi_rows *rows, uint32_t node, int on))
{
    uint32_t count, *nodes = nodes_of(tree, list, &count);

    for (uint32_t i = 0; i < count; i++)
        set(tree, nodes[i], on);
    free(nodes);
}

/* Applies an entry of the dict. Entries are applied in the order of the dict, except for the filter, which must be
 * applied last. So the value of the filter is stored in *filter, and the caller applies it. */
static void set_entry(struct pithi_draw *draw, const char *key, const char *value, char **filter)
{
    struct pithi_rows *tree = draw->tree;
    enum pithi_grouping grouping;

    if (strcmp(key, "group") == 0 && pithi_grouping_parse(value, &grouping) == 0)
        pithi_rows_group(tree, grouping);
    else if (strcmp(key, "alike") == 0) {
        /* In the dict `alike` comes after `group`, so the tree was grouped before `alike` was known; it is grouped
         * again. */
        pithi_rows_set_alike(tree, value);
        pithi_rows_group(tree, tree->grouping);
    } else if (strcmp(key, "order") == 0) {
        const char *list = value;
        char *parent_letters = pithi_alloc(strlen(list) + 1, 1), *letters = pithi_alloc(strlen(list) + 1, 1);
        char *parent, *children;

        while ((parent = pithi_draw_next_item(&list, parent_letters)) &&
               (children = pithi_draw_next_item(&list, letters))) {
            uint32_t count, *nodes = nodes_of(tree, children, &count), node = pithi_rows_node(tree, parent);
            if (node != PITHI_NONE)
                pithi_rows_arrange(tree, node, nodes, count);
            free(nodes);
        }
        free(parent_letters);
        free(letters);
    } else if (strcmp(key, "opened") == 0)
        set_nodes(tree, value, 1, pithi_rows_set_open);
    else if (strcmp(key, "closed") == 0)
        set_nodes(tree, value, 0, pithi_rows_set_open);
    else if (strcmp(key, "hidden") == 0)
        set_nodes(tree, value, 1, pithi_rows_set_hidden);
    else if (strcmp(key, "pinned") == 0)
        set_nodes(tree, value, 1, pithi_rows_set_pinned);
    else if (strcmp(key, "unfolded") == 0 && !is_text(draw))
        set_nodes(tree, value, 1, set_unfolded);
    else if (strcmp(key, "filter") == 0 && !*filter)
        *filter = strdup(value);
}

int pithi_draw_do_set_rowstate(struct pithi_draw *draw, const struct pithi_draw_word *word)
{
    struct pithi_rows *tree = tree_of(draw);
    const char *dict = word->item[1];
    char *key_letters = pithi_alloc(strlen(dict) + 1, 1), *letters = pithi_alloc(strlen(dict) + 1, 1), *key, *value;
    char *filter = NULL;

    pithi_rows_filter(tree, "");
    while ((key = pithi_draw_next_item(&dict, key_letters)) && (value = pithi_draw_next_item(&dict, letters)))
        set_entry(draw, key, value, &filter);
    if (filter)
        pithi_rows_filter(tree, filter);
    free(filter);
    free(key_letters);
    free(letters);
    return take_seen(draw);
}
