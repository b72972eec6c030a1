/* slog2_read.c - SLOG-2 to native records: splits the drawables of all nodes into their two ends and sorts these by
 * time on disk.
 *
 *     a node         state compute 0 to 50 us, state MPI_Send 50 to 53, arrow 50 to 55       (ordered by their ends)
 *     its ends       0 enter compute   50 leave compute   50 enter MPI_Send   50 send   53 leave MPI_Send   55 recv
 *
 * A long state is in a node near the root, and the states inside it are in leaves far below. So there is no order of
 * nodes in which all records come in order of time. Sorting the records is the simplest way, and does not need the
 * tree. */
#include "foreign/formats.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/sorter.h"
#include "foreign/names.h"
#include "foreign/reading.h"
#include "foreign/slog2/slog2_lines.h"
#include "foreign/slog2/slog2_scan.h"
#include "native/defs.h"
#include "native/event_numbers.h"

/* MEMORY: bytes of the sorter; VERTICES: the first and the last point of a drawable */
enum { MEMORY = 16 << 20, VERTICES = 2 };

/* The order of records of a lane that have the same time. A receive comes first, because it lies inside the state that
 * waited for the message. Then states end, the innermost first. Then states begin, the outermost first. Other records
 * come next, inside the states that have just begun. A state that takes no time ends last. */
enum phase { RECEIVED, LEFT, ENTERED, HAPPENED, LEFT_AT_ONCE };

/* A record in the sorter. The payload of an event comes after the item. */
struct item {
    uint32_t lane, kind, id, comm;
    int32_t rank, peer, tag; /* rank: rank of the lane */
    uint32_t payload;        /* bytes of the payload */
    uint64_t bytes, by_send, by_receipt;
};
enum { ITEM_SHORT = 12 }; /* bytes of the item of an enter or a leave, which has only the members up to `id` */

/* A drawable that is no composite. */
struct primitive {
    int32_t category;
    const unsigned char *info;
    size_t info_size;
    uint32_t vertices;
    double time[VERTICES]; /* times of the first and the last vertex */
    int32_t line[VERTICES];
};

struct slog2_reader {
    struct pithi_slog2_scan scan;
    struct pithi_sorter *records;
    struct pithi_slog2_arrows arrows;
    uint64_t no_line, no_time, lost_nodes, first_lost, composites;
    uint64_t item_count; /* number of items in `records` */
    size_t passed;       /* end of the memory of the input that was released so far (pithi_passed) */
};

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int to_ns(double seconds, int64_t *ns)
{
    if (!(seconds > -9e9 && seconds < 9e9))
        return 0;
    *ns = (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
    return 1;
}

/* Adds an item of `size` bytes to the sorter. Items are sorted by time, then by `phase`, then by `rest`. */
static int add_item(struct slog2_reader *r, int64_t time_ns, enum phase phase, uint64_t rest, const struct item *item,
                    uint32_t size)
{
    struct pithi_sort_key key = {{pithi_sort_time(time_ns), (uint64_t)phase, rest}};
    r->item_count++;
    return pithi_sorter_add(r->records, &key, item, size);
}

static int add_event(struct slog2_reader *r, uint32_t lane, uint32_t id, int64_t time_ns, const unsigned char *info,
                     size_t size)
{
    struct {
        struct item item;
        unsigned char payload[UINT16_MAX];
    } whole; /* room for the largest item */
    whole.item = (struct item){.lane = lane, .kind = PITHLOG_EVENT, .id = id, .payload = (uint32_t)size};
    memcpy(whole.payload, info, size);
    return add_item(r, time_ns, HAPPENED, 0, &whole.item, (uint32_t)(sizeof whole.item + size));
}

/* ---- Drawables --------------------------------------------------------------------------------------------------- */

/* Returns a number from the info (the payload) of a drawable. `token` is the index of the number's token in the format
 * of the category. Returns 0 if the info does not have this token. */
static int64_t value_of(const struct pithi_slog2_category *category, int token, const struct primitive *p)
{
    struct pithi_slog2_bytes bytes = {.data = p->info, .end = p->info_size};
    size_t length;
    for (int i = 0; i <= token && !bytes.failed; i++) {
        char type = category->tokens[i];
        size_t size = type == 's' ? 0 : pithi_token_size(type);
        if (type == 's')
            pithi_slog2_string(&bytes, &length);
        uint64_t value = pithi_slog2_number(&bytes, size);
        if (i == token && !bytes.failed)
            return type == 'h' ? (int16_t)value : type == 'd' || type == 'x' ? (int32_t)value : (int64_t)value;
    }
    return 0;
}

static int add_primitive(struct slog2_reader *r, const struct primitive *p)
{
    const struct pithi_slog2_line *from, *to;
    struct pithi_slog2_category *category;
    int64_t ns[VERTICES];
    if (p->category < 0) /* the category of a preview */
        return PITH_OK;
    if (p->vertices == 0 || !to_ns(p->time[0], &ns[0]) || !to_ns(p->time[1], &ns[1])) {
        r->no_time++;
        return PITH_OK;
    }
    CHECK(pithi_slog2_line(&r->scan, p->line[0], &from));
    CHECK(pithi_slog2_line(&r->scan, p->line[1], &to));
    /* If a cut removed the line maps, pithi_slog2_line adds each line at its first use, which may move all lines in
     * memory. So `from` is looked up again after `to`. */
    if (r->scan.cut)
        CHECK(pithi_slog2_line(&r->scan, p->line[0], &from));
    if (!from || !to) {
        r->no_line++;
        return PITH_OK;
    }
    /* If the file does not define the category, the shape of the drawable decides its kind. */
    enum pithi_slog2_topology kind = p->vertices == 1           ? PITHI_SLOG2_EVENT
                                     : p->line[0] == p->line[1] ? PITHI_SLOG2_STATE
                                                                : PITHI_SLOG2_ARROW;
    category = pithi_slog2_category(&r->scan, p->category, kind);
    if (!category)
        return pithi_no_memory();
    if (category->topology == PITHI_SLOG2_ARROW) {
        int64_t size = value_of(category, category->bytes, p);
        struct pithi_slog2_arrow arrow = {.send_ns = ns[0],
                                          .recv_ns = ns[1],
                                          .bytes = size > 0 ? (uint64_t)size : 0,
                                          .send_lane = from->lane,
                                          .recv_lane = to->lane,
                                          .send_rank = from->rank,
                                          .recv_rank = to->rank,
                                          .tag = (int32_t)value_of(category, category->tag, p)};
        CHECK(pithi_slog2_message_comm(&r->scan, from, to, &arrow.comm));
        return pithi_slog2_arrows_add(&r->arrows, &arrow);
    }
    int64_t begin_ns = ns[0] < ns[1] ? ns[0] : ns[1], end_ns = ns[0] < ns[1] ? ns[1] : ns[0];
    uint32_t id;
    CHECK(pithi_slog2_define(&r->scan, category, &id));
    if (category->topology == PITHI_SLOG2_EVENT)
        return add_event(r, from->lane, id, begin_ns, p->info, p->info_size);
    struct item item = {.lane = from->lane, .kind = PITHLOG_ENTER, .id = id};
    uint64_t took_ns = (uint64_t)end_ns - (uint64_t)begin_ns;
    CHECK(add_item(r, begin_ns, ENTERED, ~took_ns, &item, ITEM_SHORT));
    item.kind = PITHLOG_LEAVE;
    CHECK(add_item(r, end_ns, took_ns ? LEFT : LEFT_AT_ONCE, took_ns, &item, ITEM_SHORT));
    if (p->info_size) {
        CHECK(pithi_slog2_define_info(&r->scan, category, &id));
        CHECK(add_event(r, from->lane, id, begin_ns, p->info, p->info_size));
    }
    return PITH_OK;
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static void read_primitive(struct pithi_slog2_bytes *bytes, struct primitive *p)
{
    *p = (struct primitive){.category = pithi_slog2_i32(bytes)};
    p->info = (const unsigned char *)pithi_slog2_string(bytes, &p->info_size);
    p->vertices = pithi_slog2_u16(bytes);
    for (uint32_t i = 0; i < p->vertices && !bytes->failed; i++) {
        p->time[i > 0] = pithi_slog2_f64(bytes);
        p->line[i > 0] = pithi_slog2_i32(bytes);
    }
    if (p->vertices == 1) {
        p->time[1] = p->time[0];
        p->line[1] = p->line[0];
    }
}

/* Adds the primitives of a composite. If all of them are on one line, also adds a state that contains them. */
static int read_composite(struct slog2_reader *r, struct pithi_slog2_bytes *bytes)
{
    struct primitive whole = {.category = pithi_slog2_i32(bytes)}, part;
    int on_one_line = 1;
    whole.info = (const unsigned char *)pithi_slog2_string(bytes, &whole.info_size);
    uint32_t count = pithi_slog2_u16(bytes);
    for (uint32_t i = 0; i < count && !bytes->failed; i++) {
        read_primitive(bytes, &part);
        if (bytes->failed)
            break;
        if (i == 0) {
            memcpy(whole.time, part.time, sizeof whole.time);
            memcpy(whole.line, part.line, sizeof whole.line);
        }
        on_one_line &= part.line[0] == whole.line[0] && part.line[1] == whole.line[0];
        for (int end = 0; end < 2; end++) {
            whole.time[0] = part.time[end] < whole.time[0] ? part.time[end] : whole.time[0];
            whole.time[1] = part.time[end] > whole.time[1] ? part.time[end] : whole.time[1];
        }
        CHECK(add_primitive(r, &part));
    }
    whole.vertices = VERTICES;
    if (count && on_one_line && !bytes->failed)
        CHECK(add_primitive(r, &whole));
    else
        r->composites++;
    return PITH_OK;
}

static int read_drawables(struct slog2_reader *r, struct pithi_slog2_bytes *bytes)
{
    uint32_t count = pithi_slog2_u32(bytes);
    struct primitive primitive;
    for (uint32_t i = 0; i < count && !bytes->failed; i++) {
        if (pithi_slog2_u8(bytes)) {
            CHECK(read_composite(r, bytes));
            continue;
        }
        read_primitive(bytes, &primitive);
        if (!bytes->failed)
            CHECK(add_primitive(r, &primitive));
    }
    return PITH_OK;
}

/* ---- Into the log ------------------------------------------------------------------------------------------------ */

static int take_arrow(void *context, const struct pithi_slog2_arrow *arrow)
{
    struct slog2_reader *r = context;
    struct item item = {.lane = arrow->send_lane,
                        .kind = PITHLOG_SEND,
                        .comm = arrow->comm,
                        .rank = arrow->send_rank,
                        .peer = arrow->recv_rank,
                        .tag = arrow->tag,
                        .bytes = arrow->bytes};
    CHECK(add_item(r, arrow->send_ns, HAPPENED, arrow->sent, &item, sizeof item));
    item.lane = arrow->recv_lane;
    item.kind = PITHLOG_RECV;
    item.rank = arrow->recv_rank;
    item.peer = arrow->send_rank;
    item.by_send = arrow->by_send;
    item.by_receipt = arrow->by_receipt;
    return add_item(r, arrow->recv_ns, RECEIVED, arrow->by_receipt, &item, sizeof item);
}

/* Reports the progress of a pass. Returns 0 if the pass must stop. */
static int is_at(const struct pithi_input *input, uint64_t done, uint64_t all)
{
    return pithi_input_at(input, (size_t)((double)input->size * ((double)done / (double)all)));
}

int pithi_slog2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct slog2_reader r = {0};
    int err;
    TRY(pithi_slog2_scan(&r.scan, input, writer));
    TRY(pithi_sorter_new(&r.records, MEMORY));
    TRY(pithi_slog2_arrows_open(&r.arrows));
    for (uint32_t i = 0; i < r.scan.node_count && is_at(input, i, r.scan.node_count); i++) {
        /* In a damaged node, keeps the drawables before the damage. */
        struct pithi_slog2_bytes bytes = {.data = r.scan.input->data, .at = (size_t)r.scan.nodes[i].place.at};
        bytes.end = bytes.at + r.scan.nodes[i].place.size;
        pithi_passed(r.scan.input, &r.passed, bytes.at);
        pithi_slog2_take(&bytes, 16); /* the node's times */
        uint32_t depth = pithi_slog2_u16(&bytes), number = pithi_slog2_u32(&bytes);
        struct pithi_slog2_place self = pithi_slog2_place(&bytes);
        bytes.failed |=
            depth != r.scan.nodes[i].depth || number != r.scan.nodes[i].number || self.at != r.scan.nodes[i].place.at;
        TRY(read_drawables(&r, &bytes)); /* events and arrows */
        TRY(read_drawables(&r, &bytes)); /* states and composites */
        if (bytes.failed && r.lost_nodes++ == 0)
            r.first_lost = bytes.at;
    }
    TRY(pithi_slog2_arrows_end(&r.arrows, take_arrow, &r));

    /* Adds the records to the log. The sorter has all drawables, split into their two ends, and gives these ends in
     * order of time. */
    uint64_t done = 0;
    struct pithi_sorted sorted;
    int status;
    TRY(pithi_sorter_end(r.records));
    while ((status = pithi_sorter_next(r.records, &sorted)) == 1 && is_at(input, done++, r.item_count)) {
        struct item item = {0};
        memcpy(&item, sorted.data, sorted.size < sizeof item ? sorted.size : sizeof item);
        struct pithlog_record record = {.time_ns = pithi_sorted_time(&sorted),
                                        .lane = item.lane,
                                        .kind = item.kind,
                                        .id = item.id,
                                        .comm = item.comm,
                                        .peer = -1,
                                        .tag = item.tag,
                                        .bytes = item.bytes};
        if (item.kind == PITHLOG_SEND || item.kind == PITHLOG_RECV)
            record.peer = item.peer;
        if (item.kind == PITHLOG_RECV)
            record.posted = pithi_slog2_arrow_posted(&r.arrows, item.rank, item.by_send, item.by_receipt);
        if (item.payload) {
            record.payload = (const unsigned char *)sorted.data + sizeof item;
            record.payload_bytes = item.payload;
        }
        TRY(pithi_writer_add(r.scan.writer, &record));
    }
    if (status < 0)
        TRY(PITH_ERR_IO);

    if (r.lost_nodes)
        TRY(pithi_incomplete(pithi_writer_defs(writer),
                             "byte %" PRIu64 ": damaged here: records are missing (nodes: %" PRIu64 ")", r.first_lost,
                             r.lost_nodes));
    if (r.no_line + r.no_time)
        TRY(pithi_incomplete(pithi_writer_defs(writer), "drawables of no known line or time: %" PRIu64,
                             r.no_line + r.no_time));
    TRY(pithi_say_count(writer, "slog2_composites_as_their_parts_only", r.composites));
out:
    pithi_slog2_scan_free(&r.scan);
    pithi_sorter_free(r.records);
    pithi_slog2_arrows_free(&r.arrows);
    return err;
}

int pithi_slog2_probe(const struct pithi_input *input)
{
    return input->data && input->size >= 9 && memcmp(input->data, "\0\012SLOG 2.", 9) == 0;
}
