/* slog2_write.c - native records to SLOG-2. The tree needs drawables in the order of their ends. States and events come
 * in this order, because a state is complete when it is left. Arrows do not come in this order, so they are sorted on
 * disk first.
 *
 * There are two passes over the log, because an arrow is complete only when its send and its receive are known:
 *
 *     pass 1     matches the messages, and sorts them by the later of their two times
 *     pass 2     writes states when they end and events when they come; before each, the arrows that end earlier
 *
 * The file is written from front to back: an empty header, the nodes, then the categories, line maps and directory,
 * which are known last. Then the full header, which has the places of these parts, is written over the empty one. So
 * the output must be seekable. */
#include "foreign/formats.h"

#include "base/bytes.h"
#include "base/colour.h"
#include "base/error.h"
#include "base/map.h"
#include "base/sorter.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "foreign/slog2/slog2_lines.h"
#include "foreign/slog2/slog2_shadow.h"
#include "foreign/slog2/slog2_tree.h"
#include "foreign/walk.h"
#include "native/event_numbers.h"

/* ARROWS_MEMORY: bytes of arrows in memory; ARROW_INFO: most bytes of the info of an arrow, which is a tag of 4 bytes
 * and a size of 4 or 8 */
enum { ARROWS_MEMORY = 8 << 20, ARROW_INFO = 12 };

struct slog2_writer {
    FILE *out;
    struct pithi_slog2_tree tree;
    struct pithi_slog2_lines lines;
    struct pithi_slog2_categories categories;
    struct pithi_sorter *arrows; /* messages by the time at which their arrow ends */
    int failed;                  /* the first error; its text is set */
    struct pithi_losses losses;
    uint64_t cut_payloads; /* payloads of events that were longer than a string of the file */
};

/* ---- Arrows ------------------------------------------------------------------------------------------------------ */

/* Returns the later of a message's two times, because if clocks differ, it may be received before it was sent. */
static int64_t end_of(const struct pithlog_message *m) { return m->send_ns > m->recv_ns ? m->send_ns : m->recv_ns; }

static void keep_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct slog2_writer *w = context;
    /* The key has the time, then the number, so that arrows of the same time stay in the order of the log. */
    struct pithi_sort_key key = {{pithi_sort_time(end_of(m)), number}};
    w->failed = pithi_sorter_add(w->arrows, &key, m, sizeof *m);
}

/* ---- Drawables --------------------------------------------------------------------------------------------------- */

static int draw(struct slog2_writer *w, const struct pithi_slog2_drawable *drawable)
{
    pithi_slog2_categories_add(&w->categories, drawable);
    return pithi_slog2_tree_add(&w->tree, drawable);
}

/* Adds the arrows that end before `until_ns` to the tree. */
static int draw_arrows(struct slog2_writer *w, int64_t until_ns)
{
    struct pithlog_message arrow;
    struct pithi_sorted item;
    int status;
    while ((status = pithi_sorter_before(w->arrows, pithi_sort_time(until_ns), 0, &item)) == 1) {
        memcpy(&arrow, item.data, sizeof arrow);
        unsigned char info[ARROW_INFO], *p = pithi_slog2_put32(info, (uint32_t)arrow.tag);
        struct pithi_slog2_drawable d = {.topology = PITHI_SLOG2_ARROW,
                                         .category = pithi_slog2_message_category(&w->categories, arrow.bytes),
                                         .time_ns = {arrow.send_ns, arrow.recv_ns},
                                         .info = info};
        /* the size has 32 bits in category 0, and 64 bits in the category of large messages */
        p = d.category ? pithi_slog2_put64(p, arrow.bytes) : pithi_slog2_put32(p, (uint32_t)arrow.bytes);
        d.info_size = (uint32_t)(p - info);
        CHECK(pithi_slog2_lines_message(&w->lines, &arrow, d.line));
        CHECK(draw(w, &d));
    }
    return status < 0 ? PITH_ERR_IO : PITH_OK;
}

/* Copies a payload that is longer than a string of the file may be, to cut[PITHI_SLOG2_STRING_MAX], and cuts it. A
 * string of the payload that crosses the end is cut between two characters, and its length is corrected, so that a
 * reader does not read beyond the end of the payload. Returns the bytes of the cut payload. */
static uint32_t cut_payload(const char *format, const unsigned char *payload, unsigned char *cut)
{
    uint32_t at = 0, taken;
    memcpy(cut, payload, PITHI_SLOG2_STRING_MAX);
    for (const char *percent = strchr(format, '%'); percent; percent = strchr(percent + 2, '%')) {
        size_t token = pithi_token_size(percent[1]);
        if (!token || at + token > PITHI_SLOG2_STRING_MAX)
            break;
        at += (uint32_t)token;
        if (percent[1] != 's')
            continue;
        uint64_t length = pithi_get_be(payload + at - token, token);
        if (length > PITHI_SLOG2_STRING_MAX - at) {
            for (taken = PITHI_SLOG2_STRING_MAX - at; taken && (payload[at + taken] & 0xc0) == 0x80;)
                taken--;
            pithi_put_be(cut + at - token, taken, token);
            return at + taken;
        }
        at += (uint32_t)length;
    }
    return PITHI_SLOG2_STRING_MAX;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

struct part {
    struct pithi_slog2_place categories, lines, root, directory, postamble; /* offset and size of each in the file */
    uint32_t depth;                                                         /* depth of the root; leaves have depth 0 */
};

/* Appends a part, such as the categories, to the file. Sets *place to its place and empties `bytes`. */
static int write_part(struct slog2_writer *w, struct pithi_buffer *bytes, struct pithi_slog2_place *place)
{
    *place = (struct pithi_slog2_place){w->tree.at, (uint32_t)bytes->size};
    if (bytes->size > INT32_MAX)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a part of SLOG-2 would be larger than 2 GB");
    if (fwrite(bytes->data, 1, bytes->size, w->out) != bytes->size)
        return pithi_fail(PITH_ERR_IO, "the SLOG-2 file cannot be written");
    w->tree.at += bytes->size;
    /* The header gives the size of the largest part, so that a viewer can allocate a buffer for it. */
    w->tree.largest = place->size > w->tree.largest ? place->size : w->tree.largest;
    bytes->size = 0;
    return PITH_OK;
}

static int write_file(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct slog2_writer w = {.out = out};
    struct pithi_each each = {.context = &w, .message = keep_message, .failed = &w.failed, .losses = &w.losses};
    static const struct pithi_slog2_place none;
    unsigned char header[PITHI_SLOG2_HEADER] = {0};
    struct pithi_walk walk = {0};
    struct pithlog_step step;
    struct pithi_buffer bytes = {0};
    struct part part = {.postamble = {0, 0}};
    int status = 0, err;

    /* Reserves room for the header, which is written last. */
    if (fwrite(header, 1, sizeof header, out) != sizeof header)
        TRY(pithi_fail(PITH_ERR_IO, "the SLOG-2 file cannot be written"));
    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_slog2_lines_open(&w.lines, log));
    TRY(pithi_slog2_categories_open(&w.categories, log));
    TRY(pithi_sorter_new(&w.arrows, ARROWS_MEMORY));
    /* Pass 1: sorts the messages. */
    TRY(pithi_each_message(log, how, &each));
    TRY(w.failed);
    TRY(pithi_sorter_end(w.arrows));

    /* Pass 2: writes the tree. */
    TRY(pithi_walk_open(&walk, log, how));
    walk.losses = &w.losses;
    TRY(pithi_slog2_tree_open(&w.tree, out, walk.from_ns, pithlog_get_info(log)->lanes));
    while ((status = pithi_walk_next(&walk, &step)) == 1) {
        /* Arrows that end at the same time as a state or event come after it. */
        TRY(draw_arrows(&w, step.to_ns));
        /* Only states and events are written here. SLOG-2 cannot hold other records. */
        if (step.change == PITHLOG_ENDS) {
            const struct pithlog_open *state = &step.open[step.at];
            TRY(draw(&w, &(struct pithi_slog2_drawable){.topology = PITHI_SLOG2_STATE,
                                                        /* + 1, because 0 is the category of messages */
                                                        .category = (int32_t)state->id + 1,
                                                        .line = {(int32_t)step.lane, (int32_t)step.lane},
                                                        .time_ns = {state->from_ns, step.to_ns},
                                                        .own_ns = step.self_ns}));
        } else if (step.record->kind == PITHLOG_EVENT) {
            const struct pithlog_record *r = step.record;
            unsigned char cut[PITHI_SLOG2_STRING_MAX];
            int is_cut = r->payload_bytes > sizeof cut;
            const char *format = pithlog_get_def(log, r->id)->format;
            uint32_t size = is_cut ? cut_payload(format, r->payload, cut) : r->payload_bytes;
            w.cut_payloads += is_cut;
            TRY(draw(&w, &(struct pithi_slog2_drawable){.topology = PITHI_SLOG2_EVENT,
                                                        .category = (int32_t)r->id + 1,
                                                        .line = {(int32_t)r->lane, (int32_t)r->lane},
                                                        .time_ns = {r->time_ns, r->time_ns},
                                                        .info = is_cut ? cut : r->payload,
                                                        .info_size = size}));
        }
    }
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(draw_arrows(&w, INT64_MAX));

    /* Gives each colour as Pith's reader finds it in the file, so that a colour that is lost is reported. */
    char text[8];
    for (uint32_t id = 0; pithlog_get_def(log, id); id++)
        if (w.losses.used[id] && pithlog_get_def(log, id)->kind != PITHLOG_COUNTER_TYPE)
            pithi_losses_colour(&w.losses, id, pithi_colour_text(pithlog_def_rgb(log, id), text));

    TRY(pithi_slog2_tree_end(&w.tree, &part.root, &part.depth));
    TRY(pithi_slog2_categories_write(&w.categories, (uint64_t)w.tree.last_ns - (uint64_t)w.tree.first_ns, &bytes));
    TRY(write_part(&w, &bytes, &part.categories));
    TRY(pithi_slog2_lines_write(&w.lines, &bytes));
    TRY(write_part(&w, &bytes, &part.lines));
    TRY(pithi_slog2_tree_directory(&w.tree, &bytes));
    TRY(write_part(&w, &bytes, &part.directory));
    char sampling[PITHI_SAMPLING];
    pithi_sampling_text(log, sampling);
    if (*sampling) {
        if (!pithi_buffer_add(&bytes, sampling, strlen(sampling)))
            TRY(pithi_no_memory());
        TRY(write_part(&w, &bytes, &part.postamble));
    }

    /* Writes the header over the empty one, now that the places of all parts are known. */
    unsigned char *p = pithi_slog2_put16(header, strlen(PITHI_SLOG2_VERSION));
    memcpy(p, PITHI_SLOG2_VERSION, strlen(PITHI_SLOG2_VERSION));
    p = pithi_slog2_put16(p + strlen(PITHI_SLOG2_VERSION), PITHI_SLOG2_CHILDREN);
    p = pithi_slog2_put32(p, w.tree.leaf_bytes);
    p = pithi_slog2_put16(p, part.depth);
    p = pithi_slog2_put32(p, w.tree.largest);
    p = pithi_slog2_put_place(p, part.categories);
    p = pithi_slog2_put_place(p, none); /* methods */
    p = pithi_slog2_put_place(p, part.lines);
    p = pithi_slog2_put_place(p, part.root);
    p = pithi_slog2_put_place(p, part.directory);
    p = pithi_slog2_put_place(p, none); /* annotations */
    pithi_slog2_put_place(p, part.postamble);
    if (fseeko(out, 0, SEEK_SET) != 0 || fwrite(header, 1, sizeof header, out) != sizeof header || fflush(out) != 0)
        TRY(pithi_fail(PITH_ERR_IO, "the SLOG-2 file cannot be written"));

    const struct pithlog_comm *comm;
    uint64_t unused = 0, names = 0;
    /* Counts the communicators that have no lines in the file. Begins at 1, because 0 is the world, which always has
     * lines. */
    for (uint32_t i = 1; (comm = pithlog_get_comm(log, i)) != NULL; i++) {
        const uint64_t *used = pithi_map_find(&w.lines.used, i);
        unused += !used || !*used;
        names += used && *used && comm->name && *comm->name;
    }
    pithi_losses_keep_sampling(&w.losses);
    pithi_losses_tell(&w.losses, how);
    pithi_note(how, unused, "communicators without a message are left out");
    pithi_note(how, names, "names of communicators are left out");
    pithi_note(how, w.lines.unknown_members, "messages of communicators with unknown members written as of the world");
    pithi_note(how, w.cut_payloads, "payloads cut to 32767 bytes");
    pithi_note(how, w.categories.cut_names, "names cut to 4095 bytes or made different");
    pithi_note(how, w.categories.cut_formats, "payload formats that SLOG-2 cannot hold left out");
out:
    pithi_walk_close(&walk);
    free(bytes.data);
    pithi_sorter_free(w.arrows);
    pithi_slog2_tree_free(&w.tree);
    pithi_slog2_lines_free(&w.lines);
    pithi_slog2_categories_free(&w.categories);
    pithi_losses_close(&w.losses);
    return err;
}

int pithi_slog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return pithi_write_seekable(log, out, how, write_file);
}
