/* picl_read.c - PICL to native records, in two passes. The first finds the nodes and checks the order of times; the
 * second adds the records.
 *
 *     16 0 0 0 block 2 is MPI_Send       a trace_message: the name of a block, in files that Pith wrote
 *     20 0 50 0 2 0 0                    node 0 at 50 us: block 2 begins
 *     4 0 50 0 1 7 1000                  the node sends to node 1, type 7, 1000 bytes
 *     11 0 50 0 0 0                      compstats: the send is over, without any time
 *     21 0 53 0 2 0 0                    block 2 ends
 *
 * Times are two numbers, seconds and microseconds. A send lasts from its record to the second compstats after it, so
 * the meaning of a line is only known some lines later (picl.h). */
#include "foreign/picl/picl.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text_fields.h"
#include "foreign/names.h"
#include "foreign/reading.h"

/* A node, with its pending send, receive or sync, which lasts until the second compstats after it. */
struct node {
    int32_t number;                 /* number of the node in the file */
    uint32_t lane, state;           /* state: the state of the pending record, valid if `entered` */
    struct pithi_picl_line pending; /* the pending record */
    unsigned stats;                 /* number of compstats until the pending record ends; 0: nothing is pending */
    int entered;                    /* 1: the state of the pending record was entered in the log */
    uint32_t blocking;              /* number of open recv_blocking states */
    int32_t blocks;                 /* number of open blocks */
    int tells_end, closed, exited;  /* tells_end: 1: the node has an open or level record, so it must have a close or
                                       exit record at its end; closed: 1: a close record has come; exited:
                                       1: an exit record has come */
    uint64_t received;              /* number of receives so far */
};

struct picl_reader {
    const struct pithi_input *input;
    struct pithi_writer *writer;
    struct pithi_lines lines; /* the lines of the file, without a last line that was cut */
    struct pithi_map places;  /* number of a node -> index + 1 in `nodes` */
    /* (kind of definition, number) -> id + 1 of the definition that a trace_message names */
    struct pithi_map explained;
    /* 1: a record has come with which no node begins (begins()). After it, trace_messages are texts of the program and
     * give no names. */
    int begun;
    struct node *nodes; /* [count] */
    uint32_t count, room;
    int host, closes; /* host: 1: one of the nodes is the host; closes: 1: a node has a close record */
    uint64_t others;  /* number of records with which no node begins (begins()) */
    int64_t first_ns; /* the earliest time of the file, which is time 0 of the log */
    struct pithi_reorder reorder;
    uint64_t unended, ends_alone; /* counts that the log's properties report: sends, receives and syncs without an end;
                                     ends of a recv_blocking without its begin */
};

/* Gets the next record. Returns 1 if there is one; 0 at the end of the file; -1 after reporting a malformed line. */
static int next_line(struct picl_reader *r, struct pithi_picl_line *line)
{
    const char *text, *wrong;
    size_t size;
    int status = 0;
    while (status == 0 && pithi_lines_next(&r->lines, &text, &size))
        status = pithi_picl_line(text, size, line, &wrong);
    if (status < 0)
        pithi_lines_wrong(&r->lines, wrong);
    return status;
}

static struct node *find_node(struct picl_reader *r, int32_t number)
{
    struct node *node = pithi_item_at(&r->places, (uint32_t)number, &r->nodes, &r->count, &r->room, sizeof *node, NULL);
    if (node)
        node->number = number;
    return node;
}

/* Returns the rank of a node. If the file has a host (the computer that starts the nodes), the host becomes rank 0 and
 * the ranks of the nodes are their numbers + 1. */
static int32_t rank_of(const struct picl_reader *r, int32_t node)
{
    return node == PITHI_PICL_HOST ? 0 : node + r->host;
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int define(struct picl_reader *r, enum pithlog_def_kind kind, const char *name, const char *format, uint32_t *id)
{
    struct pithlog_def def = {kind, name, "", kind == PITHLOG_STATE ? pithi_name_group(name) : "user", format};
    return pithi_defs_add(pithi_writer_defs(r->writer), &def, id);
}

/* Reads a trace_message such as "block 3 is MPI_Send", in which Pith gives a name to a number. Returns 1 if the text
 * has this form, otherwise 0. */
static int explain(struct picl_reader *r, const struct pithi_picl_line *line, int *err)
{
    static const struct {
        const char *word;
        enum pithlog_def_kind kind;
    } kinds[] = {{"block", PITHLOG_STATE}, {"mark", PITHLOG_EVENT_TYPE}};
    char *text = strndup(line->text, line->text_size), word[8];
    int number, at = 0, found = 0;
    if (!text)
        *err = pithi_no_memory();
    if (text && sscanf(text, "%7s %d is%n", word, &number, &at) == 2 && at > 0 && text[at] == ' ')
        for (int i = 0; i < 2 && !found; i++) {
            if (strcmp(word, kinds[i].word) != 0)
                continue;
            uint64_t *id = pithi_map_at(&r->explained, pithi_map_pair(kinds[i].kind, (uint32_t)number));
            uint32_t made = 0;
            char *name = text + at + 1;
            pithi_unescape(name);
            /* Only trace_mark and trace_message have payloads; Pith's writer leaves out all other payloads. */
            const char *format = kinds[i].kind == PITHLOG_STATE       ? ""
                                 : strcmp(name, "trace_mark") == 0    ? "%d"
                                 : strcmp(name, "trace_message") == 0 ? "%s"
                                                                      : "";
            *err = id ? define(r, kinds[i].kind, name, format, &made) : pithi_no_memory();
            if (id)
                *id = made + (uint64_t)1;
            found = 1;
        }
    free(text);
    return found;
}

/* Finds the definition to which a trace_message gave the number `number`. Returns 1 if there is such a definition. */
static int find_explained(const struct picl_reader *r, enum pithlog_def_kind kind, int32_t number, uint32_t *id)
{
    const uint64_t *made = pithi_map_find(&r->explained, pithi_map_pair(kind, (uint32_t)number));
    if (made)
        *id = (uint32_t)*made - 1;
    return made != NULL;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int add(struct picl_reader *r, struct pithlog_record *record)
{
    record->time_ns -= r->first_ns;
    return pithi_reorder_add(&r->reorder, record);
}

static int add_state(struct picl_reader *r, const struct node *node, uint32_t kind, uint32_t id, int64_t time_ns)
{
    return add(r, &(struct pithlog_record){.time_ns = time_ns, .lane = node->lane, .kind = kind, .id = id, .peer = -1});
}

static int add_message(struct picl_reader *r, struct node *node, const struct pithi_picl_line *line, int64_t time_ns)
{
    int sent = line->type == PITHI_PICL_SEND;
    struct pithlog_record record = {.time_ns = time_ns,
                                    .lane = node->lane,
                                    .kind = sent ? PITHLOG_SEND : PITHLOG_RECV,
                                    .peer = rank_of(r, line->value[0]),
                                    .tag = line->value[1],
                                    .bytes = line->value[2] > 0 ? (uint64_t)line->value[2] : 0,
                                    .posted = sent ? 0 : node->received++};
    /* Leaves out a message to all nodes, whose peer is -1, because a message of a log has one receiver. */
    return record.peer < 0 ? PITH_OK : add(r, &record);
}

/* Enters the state of the pending record, unless it is already entered. The caller has found that the record is a sync
 * or takes time. A send or receive that takes no time gets no state, because Pith writes a message without a state in
 * this form. */
static int enter_pending(struct picl_reader *r, struct node *node)
{
    enum pithi_picl_type type = node->pending.type;
    const char *name = type == PITHI_PICL_SEND ? "send" : type == PITHI_PICL_RECV ? "recv" : "sync";
    if (node->entered)
        return PITH_OK;
    node->entered = 1;
    CHECK(define(r, PITHLOG_STATE, name, "", &node->state));
    return add_state(r, node, PITHLOG_ENTER, node->state, node->pending.time_ns);
}

static int end_pending(struct picl_reader *r, struct node *node, int64_t time_ns)
{
    node->stats = 0;
    if (node->pending.type == PITHI_PICL_SYNC || time_ns != node->pending.time_ns)
        CHECK(enter_pending(r, node));
    if (node->pending.type != PITHI_PICL_SYNC)
        CHECK(add_message(r, node, &node->pending, time_ns));
    if (node->entered)
        CHECK(add_state(r, node, PITHLOG_LEAVE, node->state, time_ns));
    return PITH_OK;
}

/* Returns 1 for the types of the first records of a node. */
static int begins(int type)
{
    return type == PITHI_PICL_START || type == PITHI_PICL_COMPSTATS || type == PITHI_PICL_OPEN;
}

/* Turns a line into records. A pending send, receive or sync lasts until the second compstats after it. If another line
 * adds a record before that compstats, the record lies inside the state of the pending record, so that state is entered
 * first. */
static int add_line(struct picl_reader *r, const struct pithi_picl_line *line)
{
    struct node *node = line->node == PITHI_PICL_ALL ? NULL : find_node(r, line->node);
    uint32_t id;
    int err = PITH_OK;
    r->others += !begins(line->type);
    if (!node)
        return line->node == PITHI_PICL_ALL ? PITH_OK : pithi_no_memory();
    if (!r->begun && line->type == PITHI_PICL_TEXT && explain(r, line, &err))
        return err;
    CHECK(err);
    r->begun |= !begins(line->type);
    /* Enters the state of the pending record if the line adds a record to the log. */
    if (node->stats && (line->type == PITHI_PICL_RECV_BLOCKING || line->type == PITHI_PICL_RECV_WAKING ||
                        line->type == PITHI_PICL_MARK || line->type == PITHI_PICL_TEXT ||
                        line->type == PITHI_PICL_BLOCK_BEGIN || line->type == PITHI_PICL_BLOCK_END))
        CHECK(enter_pending(r, node));
    switch (line->type) {
    case PITHI_PICL_SEND:
    case PITHI_PICL_RECV:
    case PITHI_PICL_SYNC:
        if (node->stats) { /* the pending record never ended */
            r->unended++;
            CHECK(end_pending(r, node, line->time_ns));
        }
        node->pending = *line;
        node->stats = 2;
        node->entered = 0;
        return PITH_OK;
    case PITHI_PICL_COMPSTATS:
        return node->stats > 0 && --node->stats == 0 ? end_pending(r, node, line->time_ns) : PITH_OK;
    case PITHI_PICL_RECV_BLOCKING:
        CHECK(define(r, PITHLOG_STATE, "recv_blocking", "", &id));
        node->blocking++;
        return add_state(r, node, PITHLOG_ENTER, id, line->time_ns);
    case PITHI_PICL_RECV_WAKING:
        CHECK(add_message(r, node, line, line->time_ns));
        CHECK(define(r, PITHLOG_STATE, "recv_blocking", "", &id));
        if (node->blocking == 0) {
            r->ends_alone++;
            return PITH_OK;
        }
        node->blocking--;
        return add_state(r, node, PITHLOG_LEAVE, id, line->time_ns);
    case PITHI_PICL_MARK:
    case PITHI_PICL_TEXT: {
        unsigned char payload[2 + 4096];
        struct pithlog_record record = {
            .time_ns = line->time_ns, .lane = node->lane, .kind = PITHLOG_EVENT, .peer = -1};
        size_t size = line->text_size < 4096 ? line->text_size : 4096;
        int mark = line->type == PITHI_PICL_MARK;
        if (mark && find_explained(r, PITHLOG_EVENT_TYPE, line->value[0], &record.id))
            return add(r, &record);
        CHECK(define(r, PITHLOG_EVENT_TYPE, mark ? "trace_mark" : "trace_message", mark ? "%d" : "%s", &record.id));
        if (mark)
            pithi_put_be(payload, (uint32_t)line->value[0], 4);
        else
            memcpy(pithi_put_be(payload, size, 2), line->text, size);
        record.payload = payload;
        record.payload_bytes = mark ? 4 : (uint32_t)size + 2;
        return add(r, &record);
    }
    case PITHI_PICL_OPEN:
    case PITHI_PICL_LEVEL:
        node->tells_end = 1;
        break;
    case PITHI_PICL_CLOSE:
        node->closed = r->closes = 1;
        break;
    case PITHI_PICL_EXIT:
        node->exited = 1;
        break;
    case PITHI_PICL_BLOCK_BEGIN:
    case PITHI_PICL_BLOCK_END:
        node->blocks += line->type == PITHI_PICL_BLOCK_BEGIN ? 1 : -1;
        if (!find_explained(r, PITHLOG_STATE, line->value[0], &id)) {
            char name[32];
            pithi_picl_block_name(line->value[0], name);
            CHECK(define(r, PITHLOG_STATE, name, "", &id));
        }
        return add_state(r, node, line->type == PITHI_PICL_BLOCK_BEGIN ? PITHLOG_ENTER : PITHLOG_LEAVE, id,
                         line->time_ns);
    default:
        break;
    }
    return PITH_OK;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int make_lanes(struct picl_reader *r)
{
    int32_t *numbers = malloc((r->count + (size_t)1) * sizeof *numbers);
    uint32_t lane;
    int err = PITH_OK;
    if (!numbers)
        return pithi_no_memory();
    for (uint32_t i = 0; i < r->count; i++)
        numbers[i] = r->nodes[i].number;
    qsort(numbers, r->count, sizeof *numbers, by_number);
    for (uint32_t i = 0; i < r->count; i++) {
        TRY(pithi_writer_lane(r->writer, rank_of(r, numbers[i]), 0, numbers[i] == PITHI_PICL_HOST ? "host" : NULL,
                              &lane));
        find_node(r, numbers[i])->lane = lane;
    }
out:
    free(numbers);
    return err;
}

int pithi_picl_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    struct picl_reader r = {.input = input,
                            .writer = writer,
                            .lines = {.input = input, .size = pithi_whole_lines(input)},
                            .reorder = {.writer = writer}};
    struct pithi_picl_line line;
    int64_t last_ns = INT64_MIN;
    int err, status;
    /* The first pass finds the nodes and checks the order of times. */
    r.first_ns = INT64_MAX;
    while ((status = next_line(&r, &line)) > 0) {
        if (line.node != PITHI_PICL_ALL && !find_node(&r, line.node))
            TRY(pithi_no_memory());
        if (line.node < 0 && line.node != PITHI_PICL_ALL && line.node != PITHI_PICL_HOST)
            TRY(pithi_lines_wrong(&r.lines, "no node has this number"));
        r.host |= line.node == PITHI_PICL_HOST;
        r.reorder.is_needed |= line.time_ns < last_ns;
        last_ns = line.time_ns;
        r.first_ns = line.time_ns < r.first_ns ? line.time_ns : r.first_ns;
    }
    pithi_lines_rewind(&r.lines);
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(make_lanes(&r));
    /* The second pass adds the records. */
    while ((status = next_line(&r, &line)) > 0)
        TRY(add_line(&r, &line));
    if (status < 0)
        TRY(PITH_ERR_DAMAGED);
    TRY(pithi_reorder_end(&r.reorder));
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < r.count; i++) {
        /* Counts the nodes whose records were cut. PICL's library begins the records of a node with an open or level
         * record and ends them with an exit and a close record. In files of other writers, a cut is noticed only if the
         * node's records end inside a state or message. */
        const struct node *node = &r.nodes[i];
        if (node->tells_end)
            nodes += !(r.closes ? node->closed : node->exited);
        else
            nodes += node->stats > 0 || node->blocking > 0 || node->blocks > 0;
    }
    if (r.lines.size < r.input->size)
        TRY(pithi_ends_here(r.writer, r.input, "inside a line"));
    else if (nodes)
        TRY(pithi_incomplete(pithi_writer_defs(r.writer),
                             "byte %zu: the file ends here, before the end of %u of %u nodes", r.input->size, nodes,
                             r.count));
    else if (r.others == 0)
        TRY(pithi_ends_here(r.writer, r.input, "before the first record"));
    TRY(pithi_say_count(writer, "picl_states_without_end", r.unended));
    TRY(pithi_say_count(writer, "picl_ends_without_state", r.ends_alone));
    TRY(pithi_say_count(writer, "picl_late_records", r.reorder.late));
out:
    free(r.nodes);
    pithi_map_free(&r.places);
    pithi_map_free(&r.explained);
    pithi_reorder_free(&r.reorder);
    return err;
}

/* Recognises PICL by its first line, which must be a start, open or load record. The first line of an ALOG file may
 * look the same, so the table of formats has ALOG before PICL. */
int pithi_picl_probe(const struct pithi_input *input)
{
    struct pithi_picl_line line;
    const char *wrong;
    const char *newline = input->data ? memchr(input->data, '\n', input->size < 4096 ? input->size : 4096) : NULL;
    if (!newline)
        return 0;
    return pithi_picl_line((const char *)input->data, (size_t)(newline - (const char *)input->data), &line, &wrong) ==
               1 &&
           line.type <= PITHI_PICL_LOAD;
}
