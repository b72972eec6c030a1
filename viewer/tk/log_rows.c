/* log_rows.c - the method `LOG rows WORD`, which reads and changes the tree of rows. The nodes of the tree have
 * numbers. The methods `LOG sort` and `LOG alike` are described below.
 *
 * A node keeps its number as long as the log is open. The index of its visible row, if it has one, changes whenever
 * rows are folded or filtered. So scripts store the numbers of nodes, and ask for their rows when they draw.
 *
 * Pinned rows stay at the top: of 10 rows with 2 pinned, a picture scrolled by 3 has the rows 0, 1, 5, 6, 7, 8, 9. */
#include "tk/log_object.h"

#include <stdlib.h>
#include <string.h>

#include "core/cells/memory.h"
#include "core/rows/rows.h"
#include "tk/background.h"

static const char *const groupings[] = {"none", "host", "comm", "alike", NULL};

static int usage(Tcl_Interp *interp, const char *text)
{
    Tcl_SetObjResult(interp, Tcl_NewStringObj(text, -1));
    Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
    return TCL_ERROR;
}

/* Updates the list of visible rows. Must be called after each change of the tree. */
void pithi_log_rows_changed(struct pithi_log_object *object)
{
    pithi_rows_seen(object->tree);
    object->rows = object->tree->seen;
    object->row_count = object->tree->seen_count;
    /* Drops the plot of the old rows, so that `stateat` does not find bars of rows that are gone. */
    pithi_plot_free(&object->plot);
    memset(&object->plot, 0, sizeof object->plot);
}

void pithi_log_add_counters(struct pithi_log_object *object)
{
    uint32_t count;
    struct pithi_row *made = pithi_rows_make(object->log, object->digest, &count);

    pithi_rows_add_counters(object->tree, made, count);
    pithi_log_rows_changed(object);
    free(made);
}

/* Returns the rows of a picture that is scrolled by `first` rows. Without pinned rows, this is the rest of object->rows
 * from `first` on. With pinned rows, it is a copy that begins with them. The copy is valid until the next call. */
const struct pithi_row *pithi_log_rows_from(struct pithi_log_object *object, uint32_t first, uint32_t *count)
{
    uint32_t pinned = object->tree->pinned_count, rest;

    if (!pinned || !first) {
        *count = object->row_count - first;
        return object->rows + first;
    }
    /* Counts the rows after the pinned rows: in the example at the top of this file, 10 rows with 2 pinned rows,
     * scrolled by 3, leave 10 - 2 - 3 = 5 rows. */
    rest = pinned + first < object->row_count ? object->row_count - pinned - first : 0;
    *count = pinned + rest;
    free(object->scrolled);
    object->scrolled = pithi_alloc(*count, sizeof *object->scrolled);
    memcpy(object->scrolled, object->rows, pinned * sizeof *object->rows);
    memcpy(object->scrolled + pinned, object->rows + pinned + first, rest * sizeof *object->rows);
    return object->scrolled;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

/* Reads the number of a node. Numbers begin with 1, because node 0 is the root, which has no row. */
static int get_node(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *node)
{
    int value;

    if (Tcl_GetIntFromObj(interp, word, &value) != TCL_OK)
        return TCL_ERROR;
    if (value < 1 || (uint32_t)value >= object->tree->node_count)
        return usage(interp, "no such row");
    *node = (uint32_t)value;
    return TCL_OK;
}

/* Converts a list of numbers of nodes to an array of *count numbers, which the caller frees. */
static uint32_t *get_nodes(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *count)
{
    Tcl_Obj **items;
    Tcl_Size length;
    uint32_t *nodes;

    if (Tcl_ListObjGetElements(interp, word, &length, &items) != TCL_OK)
        return NULL;
    nodes = pithi_alloc((size_t)length, sizeof *nodes);
    for (Tcl_Size i = 0; i < length; i++)
        if (get_node(object, interp, items[i], &nodes[i]) != TCL_OK) {
            free(nodes);
            return NULL;
        }
    *count = (uint32_t)length;
    return nodes;
}

/* ---- Queries ----------------------------------------------------------------------------------------------------- */

static Tcl_Obj *row_dict(struct pithi_log_object *object, uint32_t row)
{
    static const char *const kinds[] = {
        [PITHI_NODE_ROOT] = "group",      [PITHI_NODE_HOST] = "group",  [PITHI_NODE_COMM] = "group",
        [PITHI_NODE_ALIKE] = "group",     [PITHI_NODE_RANK] = "states", [PITHI_NODE_THREAD] = "states",
        [PITHI_NODE_COUNTER] = "counter",
    };
    struct pithi_rows *tree = object->tree;
    uint32_t number = tree->places[row].node, lanes;
    const struct pithi_node *node = &tree->nodes[number];
    /* `lane` is the first lane if the row is a group. (The key `lanes` of the dict has the number of lanes.) */
    const struct pithlog_lane *lane = pithlog_get_lane(object->log, object->rows[row].lane);
    Tcl_Obj *dict = Tcl_NewDictObj();
    char text[256], tip[512];

    pithi_row_lanes(&object->rows[row], &lanes);
    pithi_put_text(dict, "label", pithi_rows_seen_label(tree, row, text, sizeof text));
    pithi_put_text(dict, "note", pithi_rows_seen_note(tree, row, text, sizeof text));
    if (node->kind == PITHI_NODE_ALIKE)
        pithi_put_text(dict, "tip", pithi_rows_tip(tree, number, tip, sizeof tip));
    pithi_put_wide(dict, "below", pithi_row_is_below(&object->rows[row]));
    pithi_put_wide(dict, "flame", object->rows[row].kind == PITHI_ROW_FUNCTIONS);
    pithi_put_wide(dict, "unfolded", node->bands > 0);
    pithi_put_text(dict, "kind", kinds[node->kind]);
    pithi_put_wide(dict, "node", number);
    pithi_put_wide(dict, "parent", node->parent);
    pithi_put_wide(dict, "depth", tree->places[row].depth);
    pithi_put_wide(dict, "children", pithi_rows_has_children(tree, number));
    pithi_put_wide(dict, "open", (node->flags & PITHI_NODE_OPEN) != 0);
    pithi_put_wide(dict, "pinned", (node->flags & PITHI_NODE_PINNED) != 0);
    pithi_put_wide(dict, "blank", object->rows[row].kind == PITHI_ROW_HEADING);
    pithi_put_wide(dict, "lane", object->rows[row].lane);
    pithi_put_wide(dict, "lanes", lanes);
    pithi_put_wide(dict, "rank", lane->rank);
    pithi_put_wide(dict, "thread", lane->thread);
    pithi_put_name(dict, "name", lane->name);
    pithi_put_name(dict, "host", lane->host);
    return dict;
}

/* `list FIRST LAST` returns the dicts of the visible rows FIRST to LAST, both included. */
static int rows_list(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    Tcl_Obj *list;
    int first, last;

    if (Tcl_GetIntFromObj(interp, args[0], &first) != TCL_OK || Tcl_GetIntFromObj(interp, args[1], &last) != TCL_OK)
        return TCL_ERROR;
    list = Tcl_NewListObj(0, NULL);
    /* Ignores indices after the last row, so that scripts may ask for as many rows as fit into the window. */
    for (int row = first < 0 ? 0 : first; row <= last && (uint32_t)row < object->row_count; row++)
        Tcl_ListObjAppendElement(NULL, list, row_dict(object, (uint32_t)row));
    Tcl_SetObjResult(interp, list);
    return TCL_OK;
}

static int rows_find(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    uint32_t count, *nodes = pithi_rows_find(object->tree, Tcl_GetString(args[0]), &count);

    /* the message says which patterns are valid, because a dialog shows it to the user */
    if (!count) {
        free(nodes);
        Tcl_SetObjResult(interp, Tcl_ObjPrintf("no row fits \"%s\": give ranks (0-3,7.1) or a part of a label, "
                                               "host or thread",
                                               Tcl_GetString(args[0])));
        Tcl_SetErrorCode(interp, "PITH", "USAGE", (char *)NULL);
        return TCL_ERROR;
    }
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);
    for (uint32_t i = 0; i < count; i++)
        Tcl_ListObjAppendElement(NULL, list, Tcl_NewWideIntObj(nodes[i]));
    Tcl_SetObjResult(interp, list);
    free(nodes);
    return TCL_OK;
}

/* `lanes` returns the lanes of the visible rows in the form that the option --lane of the commands of pith takes, such
 * as 0-3,7.1; {} if all lanes are visible. */
static int rows_lanes(struct pithi_log_object *object, Tcl_Interp *interp)
{
    uint32_t count, *lanes = pithi_rows_lanes(object->tree, &count), all = pithlog_get_info(object->log)->lanes;
    const struct pithlog_lane *first, *last;
    Tcl_Obj *text = Tcl_NewObj();

    for (uint32_t i = 0; count < all && i < count; i++) {
        uint32_t end = i;
        first = last = pithlog_get_lane(object->log, lanes[i]);
        if (Tcl_GetCharLength(text))
            Tcl_AppendToObj(text, ",", 1);
        /* Finds successive lanes that are thread 0 of successive ranks, because these can be written as a range. */
        while (end + 1 < count && lanes[end + 1] == lanes[end] + 1 &&
               pithlog_get_lane(object->log, lanes[end + 1])->rank == last->rank + 1 && !first->thread &&
               !pithlog_get_lane(object->log, lanes[end + 1])->thread)
            last = pithlog_get_lane(object->log, lanes[++end]);
        if (end > i)
            /* adds ".0", because "0-3" alone means all threads of the ranks */
            Tcl_AppendPrintfToObj(text, "%d-%d.0", first->rank, last->rank);
        else
            Tcl_AppendPrintfToObj(text, "%d.%u", first->rank, first->thread);
        i = end;
    }
    free(lanes);
    Tcl_SetObjResult(interp, text);
    return TCL_OK;
}

/* `row NODE` returns the index of the visible row of a node, or -1 if the node has no visible row. */
static int rows_row(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    uint32_t node, row = 0;

    if (get_node(object, interp, args[0], &node) != TCL_OK)
        return TCL_ERROR;
    /* Searches all rows, because a node does not store the index of its row, which changes whenever rows are folded. */
    while (row < object->row_count && object->tree->places[row].node != node)
        row++;
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(row < object->row_count ? (Tcl_WideInt)row : -1));
    return TCL_OK;
}

/* `shows RANK THREAD` returns the index of the row that shows this thread, perhaps together with other threads, or -1
 * if no row shows it. */
static int rows_shows(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    const struct pithlog_lane *lane;
    int rank, thread;
    uint32_t row;

    if (Tcl_GetIntFromObj(interp, args[0], &rank) != TCL_OK || Tcl_GetIntFromObj(interp, args[1], &thread) != TCL_OK)
        return TCL_ERROR;
    for (row = 0; row < object->row_count; row++) {
        uint32_t count, i = 0;
        const uint32_t *lanes = pithi_row_lanes(&object->rows[row], &count);
        /* skips rows of counters: such a row has a lane, too, but does not show the states of the lane */
        if (!pithi_row_has_cells(&object->rows[row]))
            continue;
        while (i < count && (lane = pithlog_get_lane(object->log, lanes[i])) &&
               (lane->rank != rank || (int)lane->thread != thread))
            i++;
        if (i < count)
            break;
    }
    Tcl_SetObjResult(interp, Tcl_NewWideIntObj(row < object->row_count ? (Tcl_WideInt)row : -1));
    return TCL_OK;
}

/* ---- Arranging --------------------------------------------------------------------------------------------------- */

/* Calls `set` for each node of a list. */
static int set_each(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[],
                    void (*set)(struct pithi_rows *rows, uint32_t node, int on))
{
    uint32_t count, *nodes = get_nodes(object, interp, args[0], &count);
    int on, status;

    if (!nodes)
        return TCL_ERROR;
    status = Tcl_GetBooleanFromObj(interp, args[1], &on);
    for (uint32_t i = 0; status == TCL_OK && i < count; i++)
        set(object->tree, nodes[i], on);
    free(nodes);
    /* (After a wrong argument nothing has changed; then this call is not needed, but harmless.) */
    pithi_log_rows_changed(object);
    return status;
}

void pithi_log_unfold(struct pithi_log_object *object, uint32_t node, int on)
{
    /* Finds the nesting levels in the whole log, so that the number of rows does not depend on the view. */
    struct pithi_unfolding unfolding = {object->log, object->summary, object->flames, INT64_MIN, INT64_MAX};

    pithi_rows_unfold(object->tree, node, on, &unfolding);
}

/* `unfold NODES ON` gives the lanes of the nodes a row for each nesting level if ON is 1, or one row for all levels if
 * ON is 0. */
static int rows_unfold(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    uint32_t count, *nodes;
    int on;

    if (Tcl_GetBooleanFromObj(interp, args[1], &on) != TCL_OK || !(nodes = get_nodes(object, interp, args[0], &count)))
        return TCL_ERROR;
    for (uint32_t i = 0; i < count; i++)
        pithi_log_unfold(object, nodes[i], on);
    free(nodes);
    pithi_log_rows_changed(object);
    return TCL_OK;
}

/* `move NODES TARGET BEHIND` moves nodes to a place before TARGET, or after it if BEHIND is 1. It returns how many
 * nodes could be moved. */
static int rows_move(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    uint32_t target, count, *nodes;
    int behind, moved = 0;

    if (get_node(object, interp, args[1], &target) != TCL_OK ||
        Tcl_GetBooleanFromObj(interp, args[2], &behind) != TCL_OK ||
        !(nodes = get_nodes(object, interp, args[0], &count)))
        return TCL_ERROR;
    /* Keeps the order of the moved nodes. Each node is placed directly next to the target. So if they are moved behind
     * the target, the last node is moved first; if they are moved before it, the first node is moved first. */
    for (uint32_t i = 0; i < count; i++)
        if (pithi_rows_move(object->tree, nodes[behind ? count - 1 - i : i], target, behind) == 0)
            moved++;
    free(nodes);
    pithi_log_rows_changed(object);
    Tcl_SetObjResult(interp, Tcl_NewIntObj(moved));
    return TCL_OK;
}

/* ---- An arrangement as words ------------------------------------------------------------------------------------- */

/* Appends the key of a node to a list. A key is a name that stays the same, such as the rank and thread of a lane. The
 * number of the node may change when the log is opened again. */
static void put_key(const struct pithi_rows *tree, uint32_t node, Tcl_Obj *list)
{
    char key[512];

    Tcl_ListObjAppendElement(NULL, list, Tcl_NewStringObj(pithi_rows_key(tree, node, key, sizeof key), -1));
}

/* Returns the keys of all nodes for which (flags & mask) is `wanted`. */
static Tcl_Obj *keys_with(const struct pithi_rows *tree, unsigned mask, unsigned wanted)
{
    Tcl_Obj *list = Tcl_NewListObj(0, NULL);

    for (uint32_t i = 1; i < tree->node_count; i++)
        if ((tree->nodes[i].flags & mask) == wanted)
            put_key(tree, i, list);
    return list;
}

/* `state` returns the arrangement of the rows as a dict for `set_state`, without default values. */
static int rows_state(struct pithi_log_object *object, Tcl_Interp *interp)
{
    const struct pithi_rows *tree = object->tree;
    /* Saves only what differs from a new tree. So if the arrangement is later applied to another log, this log keeps
     * its own defaults for everything else. */
    const unsigned opens = PITHI_NODE_OPEN | PITHI_NODE_BORN_OPEN;
    Tcl_Obj *dict = Tcl_NewDictObj(), *pins = Tcl_NewListObj(0, NULL), *unfolded = Tcl_NewListObj(0, NULL);
    Tcl_Obj *order = Tcl_NewListObj(0, NULL);

    for (uint32_t i = 0; i < tree->pin_count; i++)
        put_key(tree, tree->pins[i], pins);
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (tree->nodes[i].bands)
            put_key(tree, i, unfolded);
    /* Saves the order of children only for parents whose children were moved or sorted. */
    for (uint32_t i = 0; i < tree->node_count; i++) {
        if (!(tree->nodes[i].flags & PITHI_NODE_ARRANGED))
            continue;
        Tcl_Obj *children = Tcl_NewListObj(0, NULL);
        for (uint32_t c = 0; c < tree->nodes[i].child_count; c++)
            put_key(tree, tree->nodes[i].children[c], children);
        put_key(tree, i, order);
        Tcl_ListObjAppendElement(NULL, order, children);
    }
    pithi_put_text(dict, "group", groupings[tree->grouping]);
    if (tree->grouping == PITHI_BY_LIKENESS) {
        char *word = pithi_rows_alike_word(tree);
        pithi_put_text(dict, "alike", word);
        free(word);
    }
    pithi_put_text(dict, "filter", tree->pattern); /* "": all rows */
    pithi_put(dict, "opened", keys_with(tree, opens, PITHI_NODE_OPEN));
    pithi_put(dict, "closed", keys_with(tree, opens, PITHI_NODE_BORN_OPEN));
    pithi_put(dict, "hidden", keys_with(tree, PITHI_NODE_HIDDEN, PITHI_NODE_HIDDEN));
    pithi_put(dict, "pinned", pins);
    pithi_put(dict, "unfolded", unfolded);
    pithi_put(dict, "order", order);
    Tcl_SetObjResult(interp, dict);
    return TCL_OK;
}

/* Converts the keys in `list` to an array of the numbers of *count nodes, which the caller frees. Skips keys of rows
 * that this log does not have. */
static uint32_t *nodes_of_keys(struct pithi_rows *tree, Tcl_Obj *list, uint32_t *count)
{
    Tcl_Obj **items;
    Tcl_Size length;
    uint32_t *nodes;

    *count = 0;
    if (!list || Tcl_ListObjGetElements(NULL, list, &length, &items) != TCL_OK)
        length = 0;
    nodes = pithi_alloc((size_t)length, sizeof *nodes);
    for (Tcl_Size i = 0; i < length; i++) {
        /* Skips a key without a node, because the arrangement may come from a log with more ranks. */
        uint32_t node = pithi_rows_node(tree, Tcl_GetString(items[i]));
        if (node && node != PITHI_NONE)
            nodes[(*count)++] = node;
    }
    return nodes;
}

/* Returns the value of a key; NULL if `dict` does not have the key, or is no dict. */
static Tcl_Obj *of_dict(Tcl_Obj *dict, const char *key)
{
    Tcl_Obj *name = Tcl_NewStringObj(key, -1), *value = NULL;

    Tcl_IncrRefCount(name);
    Tcl_DictObjGet(NULL, dict, name, &value);
    Tcl_DecrRefCount(name);
    return value;
}

static void set_keys(struct pithi_rows *tree, Tcl_Obj *state, const char *key, int on,
                     void (*set)(struct pithi_rows *rows, uint32_t node, int on))
{
    uint32_t count, *nodes = nodes_of_keys(tree, of_dict(state, key), &count);

    for (uint32_t i = 0; i < count; i++)
        set(tree, nodes[i], on);
    free(nodes);
}

/* `set_state` applies an arrangement that `state` has returned. It skips keys of rows that this log does not have,
 * because the arrangement may come from an earlier recording. */
static int rows_set_state(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const args[])
{
    struct pithi_rows *tree = object->tree;
    Tcl_Obj *group = of_dict(args[0], "group"), *filter = of_dict(args[0], "filter");
    Tcl_Obj *alike = of_dict(args[0], "alike"), *order = of_dict(args[0], "order"), **items;
    Tcl_Size size, length;
    int grouping = (int)PITHI_BY_HOST;
    uint32_t count, *unfolded;

    if (Tcl_DictObjSize(interp, args[0], &size) != TCL_OK ||
        (group && Tcl_GetIndexFromObj(interp, group, groupings, "grouping", 0, &grouping) != TCL_OK))
        return TCL_ERROR;
    /* Removes the filter first, so that it does not limit the new arrangement. */
    pithi_rows_filter(tree, "");
    if (alike)
        pithi_rows_set_alike(tree, Tcl_GetString(alike));
    pithi_rows_group(tree, (enum pithi_grouping)grouping);
    /* `order` is a list in which a parent and the list of its children alternate. A parent that this log does not have
     * is skipped together with its children. */
    if (!order || Tcl_ListObjGetElements(NULL, order, &length, &items) != TCL_OK)
        length = 0;
    for (Tcl_Size i = 0; i + 1 < length; i += 2) {
        uint32_t parent = pithi_rows_node(tree, Tcl_GetString(items[i]));
        uint32_t *children = nodes_of_keys(tree, items[i + 1], &count);
        if (parent != PITHI_NONE)
            pithi_rows_arrange(tree, parent, children, count);
        free(children);
    }
    set_keys(tree, args[0], "opened", 1, pithi_rows_set_open);
    set_keys(tree, args[0], "closed", 0, pithi_rows_set_open);
    set_keys(tree, args[0], "hidden", 1, pithi_rows_set_hidden);
    set_keys(tree, args[0], "pinned", 1, pithi_rows_set_pinned);
    unfolded = nodes_of_keys(tree, of_dict(args[0], "unfolded"), &count);
    for (uint32_t i = 0; i < count; i++)
        pithi_log_unfold(object, unfolded[i], 1);
    free(unfolded);
    if (filter)
        pithi_rows_filter(tree, Tcl_GetString(filter));
    pithi_log_rows_changed(object);
    return TCL_OK;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

enum rows_word {
    ROWS_COUNT,
    ROWS_FILTER,
    ROWS_FIND,
    ROWS_GENERATION,
    ROWS_GROUP,
    ROWS_GROUPING,
    ROWS_HIDDEN,
    ROWS_HIDE,
    ROWS_LANE,
    ROWS_LANES,
    ROWS_LEVEL,
    ROWS_LIST,
    ROWS_MOVE,
    ROWS_ONLY,
    ROWS_OPEN,
    ROWS_PARENT,
    ROWS_PATTERN,
    ROWS_PIN,
    ROWS_PINNED,
    ROWS_ROW,
    ROWS_SET_STATE,
    ROWS_SHOW,
    ROWS_SHOWS,
    ROWS_STATE,
    ROWS_TREE,
    ROWS_TROUBLE,
    ROWS_UNFOLD
};

static const struct pithi_method words[] = {
    [ROWS_COUNT] = {"count", 0, NULL},
    [ROWS_FILTER] = {"filter", 1, "pattern"},
    [ROWS_FIND] = {"find", 1, "pattern"},
    [ROWS_GENERATION] = {"generation", 0, NULL},
    [ROWS_GROUP] = {"group", 1, "none|host|comm|alike"},
    [ROWS_GROUPING] = {"grouping", 0, NULL},
    [ROWS_HIDDEN] = {"hidden", 0, NULL},
    [ROWS_HIDE] = {"hide", 2, "nodes on"},
    [ROWS_LANE] = {"lane", 1, "lane"},
    [ROWS_LANES] = {"lanes", 0, NULL},
    [ROWS_LEVEL] = {"level", 1, "level"},
    [ROWS_LIST] = {"list", 2, "first last"},
    [ROWS_MOVE] = {"move", 3, "nodes target behind"},
    [ROWS_ONLY] = {"only", 1, "nodes"},
    [ROWS_OPEN] = {"open", 2, "nodes on"},
    [ROWS_PARENT] = {"parent", 1, "node"},
    [ROWS_PATTERN] = {"pattern", 0, NULL},
    [ROWS_PIN] = {"pin", 2, "nodes on"},
    [ROWS_PINNED] = {"pinned", 0, NULL},
    [ROWS_ROW] = {"row", 1, "node"},
    [ROWS_SET_STATE] = {"set_state", 1, "state"},
    [ROWS_SHOW] = {"show", 0, NULL},
    [ROWS_SHOWS] = {"shows", 2, "rank thread"},
    [ROWS_STATE] = {"state", 0, NULL},
    [ROWS_TREE] = {"tree", 0, NULL},
    [ROWS_TROUBLE] = {"trouble", 0, NULL},
    [ROWS_UNFOLD] = {"unfold", 2, "nodes on"},
    {NULL, 0, NULL},
};

int pithi_log_rows(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    struct pithi_rows *tree = object->tree;
    Tcl_Obj *const *args = objv + 3;
    const struct pithlog_lane *lane;
    int which, number;
    uint32_t node, count = 0, *nodes;

    if (pithi_find_method(interp, objc, objv, 2, words, sizeof *words, &which) != TCL_OK)
        return TCL_ERROR;
    switch ((enum rows_word)which) {
    case ROWS_COUNT:
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(object->row_count));
        return TCL_OK;
    case ROWS_GENERATION:
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(tree->generation));
        return TCL_OK;
    case ROWS_GROUPING:
        Tcl_SetObjResult(interp, Tcl_NewStringObj(groupings[tree->grouping], -1));
        return TCL_OK;
    case ROWS_HIDDEN:
        for (uint32_t i = 1; i < tree->node_count; i++)
            count += (tree->nodes[i].flags & PITHI_NODE_HIDDEN) != 0;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(count));
        return TCL_OK;
    case ROWS_LANE: /* `lane NUMBER` returns {RANK THREAD} of a lane, or {} if the log has no such lane */
        if (Tcl_GetIntFromObj(interp, args[0], &number) != TCL_OK)
            return TCL_ERROR;
        lane = number < 0 ? NULL : pithlog_get_lane(object->log, (uint32_t)number);
        if (lane)
            Tcl_SetObjResult(interp, Tcl_ObjPrintf("%d %u", (int)lane->rank, (unsigned)lane->thread));
        return TCL_OK;
    case ROWS_LANES:
        return rows_lanes(object, interp);
    case ROWS_LIST:
        return rows_list(object, interp, args);
    case ROWS_FIND:
        return rows_find(object, interp, args);
    case ROWS_PARENT: /* returns the number of the node's parent; 0 for an outermost node */
        if (get_node(object, interp, args[0], &node) != TCL_OK)
            return TCL_ERROR;
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(tree->nodes[node].parent));
        return TCL_OK;
    case ROWS_PATTERN:
        Tcl_SetObjResult(interp, Tcl_NewStringObj(tree->pattern, -1));
        return TCL_OK;
    case ROWS_PINNED:
        Tcl_SetObjResult(interp, Tcl_NewWideIntObj(tree->pinned_count));
        return TCL_OK;
    case ROWS_ROW:
        return rows_row(object, interp, args);
    case ROWS_SHOWS:
        return rows_shows(object, interp, args);
    case ROWS_STATE:
        return rows_state(object, interp);
    case ROWS_TREE: /* returns 1 if some rows are nested. Rows grouped by communicator count as nested in any case,
                     * because a communicator has children only while it is open */
        Tcl_SetObjResult(interp, Tcl_NewBooleanObj(tree->grouping == PITHI_BY_COMM ||
                                                   tree->node_count > tree->nodes[0].child_count + 1));
        return TCL_OK;
    case ROWS_TROUBLE: /* returns a message if lists of members are damaged, so that their communicators have no rows;
                        * otherwise {} */
        if (pithlog_check_comms(object->log))
            Tcl_SetObjResult(interp, Tcl_NewStringObj(pithlog_error(), -1));
        return TCL_OK;
    /* The words from here on change the tree. */
    case ROWS_FILTER: /* the old filter stays if no row matches the new one */
        if (pithi_rows_filter(tree, Tcl_GetString(args[0])))
            return usage(interp, "no such rows: give ranks (0-3,7.1) or a part of a label, host or thread");
        break;
    case ROWS_GROUP:
        if (Tcl_GetIndexFromObj(interp, args[0], groupings, "grouping", 0, &number) != TCL_OK)
            return TCL_ERROR;
        pithi_rows_group(tree, (enum pithi_grouping)number);
        break;
    case ROWS_HIDE:
        return set_each(object, interp, args, pithi_rows_set_hidden);
    case ROWS_LEVEL:
        if (Tcl_GetIntFromObj(interp, args[0], &number) != TCL_OK)
            return TCL_ERROR;
        pithi_rows_open_level(tree, number < 0 ? 0 : (uint32_t)number);
        break;
    case ROWS_MOVE:
        return rows_move(object, interp, args);
    case ROWS_ONLY:
        if (!(nodes = get_nodes(object, interp, args[0], &count)))
            return TCL_ERROR;
        pithi_rows_show_only(tree, nodes, count);
        free(nodes);
        break;
    case ROWS_OPEN:
        return set_each(object, interp, args, pithi_rows_set_open);
    case ROWS_PIN:
        return set_each(object, interp, args, pithi_rows_set_pinned);
    case ROWS_SET_STATE:
        return rows_set_state(object, interp, args);
    case ROWS_SHOW:
        pithi_rows_show_all(tree);
        break;
    case ROWS_UNFOLD:
        return rows_unfold(object, interp, args);
    }
    pithi_log_rows_changed(object);
    return TCL_OK;
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* LOG sort BY FALLING T0 T1 IDS CALLBACK starts a job that sorts the rows by what they do in [T0, T1). If FALLING is 1,
 * the largest comes first. BY is
 *     name, rank
 *     total, self, share, count    of the definitions IDS. share is the fraction of the row's time, so that a group of
 *                                  few lanes may precede a group of many lanes
 *     messages, bytes
 *     waiting                      the waiting of the row in [T0, T1); needs an analysis, and ignores IDS
 *     caused                       the waiting that the row causes in the whole run; likewise */
static const struct sort_word {
    const char *name;
    enum pithi_rows_order order;
    enum pithi_stat stat;
} sort_words[] = {
    {"bytes", PITHI_ORDER_VALUE, PITHI_STAT_BYTES},
    {"caused", PITHI_ORDER_VALUE, 0},
    {"count", PITHI_ORDER_VALUE, PITHI_STAT_COUNT},
    {"messages", PITHI_ORDER_VALUE, PITHI_STAT_MESSAGES},
    {"name", PITHI_ORDER_NAME, 0},
    {"rank", PITHI_ORDER_RANK, 0},
    {"self", PITHI_ORDER_VALUE, PITHI_STAT_SELF},
    {"share", PITHI_ORDER_MEAN, PITHI_STAT_SELF},
    {"total", PITHI_ORDER_VALUE, PITHI_STAT_TOTAL},
    {"waiting", PITHI_ORDER_VALUE, 0},
    {NULL, 0, 0},
};

struct sort_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_lane_question question;
    unsigned char *chosen; /* malloc'ed */
    enum pithi_rows_order order;
    int falling;
    int known;     /* 1: `value` is filled in before the job runs */
    double *value; /* [lanes] malloc'ed */
    uint32_t lanes;
};

/* Runs in the job's thread. Skips damaged parts of the log; the picture of the log reports the damage. */
static int run(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;
    int err = PITH_OK;

    /* To sort by names, ranks or known values, the log need not be read. */
    if (sort->known || (sort->order != PITHI_ORDER_VALUE && sort->order != PITHI_ORDER_MEAN))
        return PITH_OK;
    if (pithlog_get_info(sort->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(sort->log, &sort->question.summary); /* each thread needs its own summary */
    for (uint32_t lane = 0; lane < sort->lanes && !err && !pithi_job_stopped(job); lane++) {
        err = pithi_lane_stat(sort->log, &sort->question, lane, &sort->value[lane]);
        if (err == PITH_ERR_DAMAGED)
            err = PITH_OK;
        pithi_job_progress(job, (double)(lane + 1) / sort->lanes);
    }
    pithlog_summary_close(sort->question.summary);
    return err;
}

static Tcl_Obj *result(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;

    /* Sorts the tree here, in Tcl's thread, and not in the job's thread, because the window draws from the tree. */
    pithi_rows_sort(job->object->tree, sort->order, sort->value, sort->falling);
    pithi_log_rows_changed(job->object);
    return Tcl_NewObj();
}

static void release(struct pithi_job *job)
{
    struct sort_job *sort = (struct sort_job *)job;

    free(sort->chosen);
    free(sort->value);
    free(sort);
}

int pithi_log_sort(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run, result, release};
    const struct pithlog_info *info = pithlog_get_info(object->log);
    struct sort_job *sort = pithi_alloc(1, sizeof *sort);
    int which;

    (void)objc;
    sort->log = object->log;
    sort->lanes = info->lanes;
    sort->value = pithi_alloc(sort->lanes, sizeof *sort->value);
    sort->question.chosen = sort->chosen = pithi_alloc(info->defs, 1);
    if (Tcl_GetIndexFromObjStruct(interp, objv[2], sort_words, sizeof *sort_words, "order", 0, &which) != TCL_OK ||
        Tcl_GetBooleanFromObj(interp, objv[3], &sort->falling) != TCL_OK ||
        pithi_get_window(interp, objv + 4, &sort->question.t0_ns, &sort->question.t1_ns) != TCL_OK ||
        pithi_get_ids(interp, objv[6], sort->chosen, info->defs) != TCL_OK) {
        release(&sort->job);
        return TCL_ERROR;
    }
    sort->order = sort_words[which].order;
    sort->question.stat = sort_words[which].stat;
    int waiting = strcmp(sort_words[which].name, "waiting") == 0;
    int caused = strcmp(sort_words[which].name, "caused") == 0;
    sort->known = waiting || caused;
    /* If there is no analysis, all values stay 0, and the order does not change. */
    if (waiting && object->analysis) {
        /* Only Tcl's thread may use the analysis, so these sums are made here and not in the job. */
        const struct pithlog_wait_state *waits;
        for (uint32_t lane = 0; lane < sort->lanes; lane++) {
            size_t count = pithlog_analysis_waits(object->analysis, lane, &waits);
            for (size_t i = 0; i < count; i++) {
                int64_t from = waits[i].from_ns, to = waits[i].to_ns;
                from = from > sort->question.t0_ns ? from : sort->question.t0_ns;
                to = to < sort->question.t1_ns ? to : sort->question.t1_ns;
                sort->value[lane] += to > from ? (double)(to - from) : 0;
            }
        }
    }
    if (caused && object->analysis) {
        const struct pithlog_delay *delays;
        size_t count = pithlog_analysis_delays(object->analysis, &delays);
        for (size_t i = 0; i < count; i++)
            sort->value[delays[i].lane] += delays[i].direct_ns + delays[i].indirect_ns;
    }
    return pithi_job_start(interp, object, &sort->job, &kind, objv[7]);
}

/* ---- Ranks alike ------------------------------------------------------------------------------------------------- */

/* LOG alike PERCENT T0 T1 CALLBACK starts a job that groups ranks. The ranks of a group spend nearly the same fractions
 * of [T0, T1) in each state (core/rows/alike.h). */
struct alike_job {
    struct pithi_job job;
    struct pithlog *log;
    struct pithi_alike_question question;
    struct pithi_alike alike;
};

static int run_alike(struct pithi_job *job)
{
    struct alike_job *find = (struct alike_job *)job;
    int err;

    if (pithlog_get_info(find->log)->records >= PITHI_SUMMARY_RECORDS)
        pithlog_summary_open(find->log, &find->question.summary); /* each thread needs its own summary */
    err = pithi_alike_of_log(find->log, &find->question, &find->alike);
    pithlog_summary_close(find->question.summary);
    return err;
}

static Tcl_Obj *alike_result(struct pithi_job *job)
{
    struct alike_job *find = (struct alike_job *)job;

    /* `ranks` is NULL if the job was stopped. */
    if (find->alike.ranks) {
        pithi_rows_group_alike(job->object->tree, &find->alike);
        pithi_log_rows_changed(job->object);
    }
    return Tcl_NewObj();
}

static void release_alike(struct pithi_job *job)
{
    struct alike_job *find = (struct alike_job *)job;

    pithi_alike_free(&find->alike);
    free(find);
}

int pithi_log_alike(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[])
{
    static const struct pithi_job_kind kind = {run_alike, alike_result, release_alike};
    struct alike_job *find = pithi_alloc(1, sizeof *find);
    double percent;

    (void)objc;
    if (Tcl_GetDoubleFromObj(interp, objv[2], &percent) != TCL_OK ||
        pithi_get_window(interp, objv + 3, &find->question.t0_ns, &find->question.t1_ns) != TCL_OK) {
        free(find);
        return TCL_ERROR;
    }
    find->log = object->log;
    find->question.rank_lane = object->tree->rank_lane;
    find->question.ranks = object->tree->rank_count;
    find->question.limit = percent / 100;
    find->question.watch = pithi_job_watch(&find->job);
    return pithi_job_start(interp, object, &find->job, &kind, objv[5]);
}
