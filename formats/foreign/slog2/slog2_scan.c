/* slog2_scan.c - reads a file's header, categories and directory, and finds the nodes of a cut file.
 *
 * A category has a name and a payload format, which is stored as keys and types. The keys "msg_tag=" and ", msg_size="
 * with the types "dd" mean the format "msg_tag=%d, msg_size=%d". The tag and the size of an arrow's message are in the
 * arrow's payload. The reader finds them by their keys, which contain "tag", and "size" or "bytes".
 *
 * Each size in the file is checked against the size of the file before memory is allocated. Nodes must not share bytes,
 * because otherwise a directory could list the same large node many times.
 */
#include "foreign/slog2/slog2_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "foreign/names.h"
#include "native/defs.h"

int pithi_slog2_wrong(const struct pithi_slog2_scan *scan, const struct pithi_slog2_bytes *bytes, const char *what)
{
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: %s", scan->input->path, bytes->at,
                      what ? what : "a part of the file ends too early");
}

/* Sets *bytes to the bytes of a part of the file. If the file was cut inside the part, the bytes end with the file. */
static void open_part(const struct pithi_slog2_scan *scan, struct pithi_slog2_place place,
                      struct pithi_slog2_bytes *bytes)
{
    size_t size = scan->input->size, at = place.at < size ? (size_t)place.at : size;
    *bytes = (struct pithi_slog2_bytes){
        .data = scan->input->data, .at = at, .end = place.size < size - at ? at + place.size : size};
}

/* ---- Categories -------------------------------------------------------------------------------------------------- */

struct pithi_slog2_category *pithi_slog2_category(struct pithi_slog2_scan *scan, int32_t number,
                                                  enum pithi_slog2_topology topology)
{
    int fresh;
    struct pithi_slog2_category *category =
        pithi_item_at(&scan->category_of, (uint32_t)number, &scan->categories, &scan->category_count,
                      &scan->category_room, sizeof *category, &fresh);
    char name[40];
    if (!category || !fresh)
        return category;
    snprintf(name, sizeof name, "UnknownType-%" PRId32, number);
    *category = (struct pithi_slog2_category){.number = number,
                                              .topology = topology,
                                              .name = strdup(name),
                                              .format = strdup(""),
                                              .tokens = strdup(""),
                                              .rgb = UINT32_MAX,
                                              .tag = -1,
                                              .bytes = -1};
    return category->name && category->format && category->tokens ? category : NULL;
}

/* Returns a malloc'ed copy of a string that ends with a NUL. Replaces NULs inside the string by '?'. */
static char *copy_text(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    copy[size] = 0;
    for (size_t i = 0; i < size; i++)
        if (!copy[i])
            copy[i] = '?';
    return copy;
}

/* Returns 1 if the key of a payload format contains `word`. For example, ", msg_size=" contains "size". */
static int says(const char *key, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(key + i, word, length) == 0)
            return 1;
    return 0;
}

/* Makes the payload format of a category from its keys and types. */
static int read_format(struct pithi_slog2_bytes *bytes, struct pithi_slog2_category *category)
{
    struct pithi_slog2_bytes keys = *bytes;
    uint32_t key_count = pithi_slog2_u16(&keys), type_count;
    char *at;
    size_t size;
    pithi_slog2_u16(bytes);
    for (uint32_t i = 0; i < key_count && !bytes->failed; i++)
        pithi_slog2_string(bytes, &size);
    type_count = pithi_slog2_u16(bytes);
    const unsigned char *types = pithi_slog2_take(bytes, type_count);
    if (bytes->failed)
        return 1;
    free(category->format);
    free(category->tokens);
    category->tokens = copy_text((const char *)types, type_count);
    /* Computes the most bytes that the format may have. The format is made of the keys, in which each percent sign is
     * doubled, and a token after each key. */
    struct pithi_slog2_bytes measured = keys;
    size_t room = 1 + 2 * (size_t)type_count;
    for (uint32_t i = 0; i < key_count && !measured.failed; i++) {
        pithi_slog2_string(&measured, &size);
        room += 2 * size + 2;
    }
    category->format = at = malloc(room);
    if (!at || !category->tokens)
        return 0;
    for (uint32_t i = 0; i < key_count || i < type_count; i++) {
        const char *key = i < key_count ? pithi_slog2_string(&keys, &size) : (size = 0, "");
        for (size_t k = 0; k < size; k++) {
            *at++ = key[k] ? key[k] : '?';
            if (key[k] == '%')
                *at++ = '%';
        }
        if (i < type_count) {
            *at++ = '%';
            *at++ = category->tokens[i];
            category->tag = category->tag < 0 && says(key, size, "tag") ? (int)i : category->tag;
            category->bytes =
                category->bytes < 0 && (says(key, size, "size") || says(key, size, "bytes")) ? (int)i : category->bytes;
        }
    }
    *at = 0;
    return 1;
}

static int read_categories(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes)
{
    uint32_t count = pithi_slog2_u32(bytes);
    for (uint32_t i = 0; i < count; i++) {
        int32_t number = pithi_slog2_i32(bytes);
        size_t size, start = bytes->at;
        const char *name = pithi_slog2_string(bytes, &size);
        uint32_t topology = pithi_slog2_u32(bytes), colour = pithi_slog2_u32(bytes);
        struct pithi_slog2_category *category;
        pithi_slog2_u16(bytes); /* a flag (the user may change the colour), and the width of lines */
        if (bytes->failed)
            return pithi_slog2_wrong(scan, bytes, NULL);
        if (topology >= PITHI_SLOG2_TOPOLOGIES || pithi_map_find(&scan->category_of, (uint32_t)number)) {
            bytes->at = start;
            return pithi_slog2_wrong(scan, bytes, "a category is no state, event or arrow, or is there twice");
        }
        category = pithi_slog2_category(scan, number, (enum pithi_slog2_topology)topology);
        if (!category)
            return pithi_no_memory();
        category->rgb = colour & 0xffffff;
        if (size) {
            free(category->name);
            category->name = copy_text(name, size);
        }
        if (!category->name || !read_format(bytes, category))
            return pithi_no_memory();
        pithi_slog2_take(bytes, 4 * (size_t)pithi_slog2_u16(bytes)); /* methods */
        pithi_slog2_take(bytes, 16);                                 /* ratios and count for the whole file */
        if (bytes->failed)
            return pithi_slog2_wrong(scan, bytes, NULL);
    }
    if (bytes->failed)
        return pithi_slog2_wrong(scan, bytes, NULL);
    return PITH_OK;
}

/* ---- Definitions of categories ----------------------------------------------------------------------------------- */

static const char *colour_of(uint32_t rgb, char text[8])
{
    return rgb == UINT32_MAX ? "" : pithi_colour_text(rgb & 0xffffff, text);
}

int pithi_slog2_define(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id)
{
    int state = category->topology == PITHI_SLOG2_STATE, err = PITH_OK;
    if (!category->def) { /* a category becomes a definition with its first drawable */
        char colour[8];
        struct pithlog_def def = {state ? PITHLOG_STATE : PITHLOG_EVENT_TYPE, category->name,
                                  colour_of(category->rgb, colour), pithi_name_group(category->name),
                                  state ? "" : category->format};
        err = pithi_defs_add(pithi_writer_defs(scan->writer), &def, &category->def);
        category->def += err == PITH_OK;
    }
    *id = category->def - 1;
    return err;
}

int pithi_slog2_define_info(struct pithi_slog2_scan *scan, struct pithi_slog2_category *category, uint32_t *id)
{
    struct pithlog_def def = {PITHLOG_EVENT_TYPE, NULL, "", "user", category->format};
    size_t size = strlen(category->name) + sizeof " info";
    char *name = NULL, colour[8];
    int err = PITH_OK;
    if (!category->info) {
        name = malloc(size);
        if (!name)
            return pithi_no_memory();
        snprintf(name, size, "%s info", category->name);
        def.name = name;
        def.colour = colour_of(category->rgb, colour);
        TRY(pithi_defs_add(pithi_writer_defs(scan->writer), &def, &category->info));
        category->info++;
    }
    *id = category->info - 1;
out:
    free(name);
    return err;
}

/* ---- The directory ----------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct pithi_slog2_node *x = a, *y = b;
    return (x->place.at > y->place.at) - (x->place.at < y->place.at);
}

/* ---- Cut files --------------------------------------------------------------------------------------------------- */

/* Returns PITH_OK instead of PITH_ERR_DAMAGED if the file was cut, so that the reader keeps everything before the
 * cut. */
static int settle_cut(const struct pithi_slog2_scan *scan, int err)
{
    return err == PITH_ERR_DAMAGED && scan->cut ? PITH_OK : err;
}

/* ---- The header -------------------------------------------------------------------------------------------------- */

enum { CATEGORIES, METHODS, LINE_MAPS, ROOT, DIRECTORY, ANNOTATIONS, POSTAMBLE, PARTS };

static int read_header(struct pithi_slog2_scan *scan, struct pithi_slog2_place parts[PARTS])
{
    struct pithi_slog2_bytes bytes = {.data = scan->input->data, .end = scan->input->size};
    size_t size;
    const char *version = pithi_slog2_string(&bytes, &size);
    if (size != strlen(PITHI_SLOG2_VERSION) || memcmp(version, PITHI_SLOG2_VERSION, size) != 0)
        return pithi_fail(PITH_ERR_UNSUPPORTED,
                          "%s: byte 2: its version is \"%.*s\", and only " PITHI_SLOG2_VERSION
                          " is known; Jumpshot's slog2updater may know it",
                          scan->input->path, size < 32 ? (int)size : 32, version);
    pithi_slog2_take(&bytes, 12); /* children per node, size of a leaf, depth, largest part */
    for (int i = 0; i < PARTS; i++)
        parts[i] = pithi_slog2_place(&bytes);
    if (bytes.failed)
        return pithi_slog2_wrong(scan, &bytes, NULL);
    /* A writer fills in the places of the parts at the end of its work, so an empty place means an unfinished file. */
    static const char *const names[] = {"categories", "methods", "line maps", "root", "tree's directory"};
    struct pithi_defs *defs = pithi_writer_defs(scan->writer);
    scan->cut = 1;
    if (parts[DIRECTORY].at == 0)
        return pithi_incomplete(defs, "byte 72: no tree: the file was never finished");
    for (int i = 0; i <= DIRECTORY; i++)
        if (parts[i].at > scan->input->size || parts[i].size > scan->input->size - parts[i].at)
            return pithi_incomplete(defs, "byte %zu: the file is cut: its %s should be at %" PRIu64, scan->input->size,
                                    names[i], parts[i].at);
    scan->cut = 0;
    return PITH_OK;
}

int pithi_slog2_scan(struct pithi_slog2_scan *scan, const struct pithi_input *input, struct pithi_writer *writer)
{
    struct pithi_slog2_place parts[PARTS];
    struct pithi_slog2_bytes bytes;
    *scan = (struct pithi_slog2_scan){.input = input, .writer = writer};
    CHECK(read_header(scan, parts));
    open_part(scan, parts[CATEGORIES], &bytes);
    CHECK(settle_cut(scan, read_categories(scan, &bytes)));
    open_part(scan, parts[LINE_MAPS], &bytes);
    CHECK(settle_cut(scan, pithi_slog2_scan_views(scan, &bytes)));
    if (scan->cut) {
        /* The directory is at the end of the file, so a cut removes it first. But all known writers store the nodes one
         * after another, directly after the header, and each node contains its own place. So the nodes are found
         * without the directory. The last node may be cut. */
        size_t size = scan->input->size;
        uint32_t room = 0;
        for (size_t at = PITHI_SLOG2_HEADER; at < size;) {
            struct pithi_slog2_bytes head = {.data = scan->input->data, .at = at, .end = size};
            struct pithi_slog2_node node;
            pithi_slog2_take(&head, 8); /* the node's times */
            pithi_slog2_take(&head, 8);
            node.depth = pithi_slog2_u16(&head);
            node.number = pithi_slog2_u32(&head);
            node.place = pithi_slog2_place(&head);
            if (head.failed || node.place.at != at || node.place.size < PITHI_SLOG2_NODE)
                break;
            if (node.place.size > size - at)
                node.place.size = (uint32_t)(size - at);
            if (!pithi_grow(&scan->nodes, scan->node_count, &room, sizeof *scan->nodes))
                return pithi_no_memory();
            scan->nodes[scan->node_count++] = node;
            at += node.place.size;
        }
        return PITH_OK;
    }
    open_part(scan, parts[POSTAMBLE], &bytes);
    CHECK(pithi_sampling_read(writer, (const char *)bytes.data + bytes.at, bytes.end - bytes.at));
    open_part(scan, parts[DIRECTORY], &bytes);

    uint32_t count = pithi_slog2_u32(&bytes);
    if (bytes.failed || count > (bytes.end - bytes.at) / PITHI_SLOG2_ENTRY)
        return pithi_slog2_wrong(scan, &bytes, "the tree's directory has more nodes than it has room for");
    scan->nodes = calloc(count + (size_t)1, sizeof *scan->nodes);
    if (!scan->nodes)
        return pithi_no_memory();
    for (uint32_t i = 0; i < count; i++) {
        struct pithi_slog2_node *n = &scan->nodes[i];
        n->depth = pithi_slog2_u16(&bytes);
        n->number = pithi_slog2_u32(&bytes);
        pithi_slog2_take(&bytes, 16); /* the node's times */
        n->place = pithi_slog2_place(&bytes);
        if (n->place.at > scan->input->size || n->place.size > scan->input->size - n->place.at)
            return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %zu: the file is cut: a node should be at %" PRIu64,
                              scan->input->path, scan->input->size, n->place.at);
    }
    scan->node_count = count;
    qsort(scan->nodes, count, sizeof *scan->nodes, by_place);
    /* Refuses nodes that share bytes, because the reader would read these bytes more than once. */
    for (uint32_t i = 1; i < scan->node_count; i++) {
        const struct pithi_slog2_place *before = &scan->nodes[i - 1].place, *place = &scan->nodes[i].place;
        if (before->at + before->size > place->at)
            return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %" PRIu64 ": two nodes of the tree overlap",
                              scan->input->path, place->at);
    }
    return PITH_OK;
}

void pithi_slog2_scan_free(struct pithi_slog2_scan *scan)
{
    for (uint32_t i = 0; i < scan->category_count; i++) {
        free(scan->categories[i].name);
        free(scan->categories[i].format);
        free(scan->categories[i].tokens);
    }
    free(scan->categories);
    free(scan->nodes);
    free(scan->lines);
    pithi_map_free(&scan->category_of);
    pithi_map_free(&scan->line_of);
    pithi_map_free(&scan->inter_comm);
}
