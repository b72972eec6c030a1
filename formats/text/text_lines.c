/* text_lines.c - records as lines. Owns: what a line looks like in each style. Must not know: how the log is stored.
 *
 * What a line needs of definitions, lanes and communicators is quoted once, ahead; so a line is little more than a few
 * memcpy. The three styles share one function a record: put_field writes the key of a value as the style wants it.
 */
#include "text/text_lines.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "error.h"
#include "text/out.h"

/* The values of a record besides time, lane, kind and name; in CSV a column each, in this order. */
enum field { F_COMM, F_PEER, F_TAG, F_BYTES, F_GOT_BYTES, F_POSTED, F_ROOT, F_OP, F_COUNT, F_VALUE, F_PAYLOAD, FIELDS };
static const char *const field_names[FIELDS] = {"comm", "peer", "tag",   "bytes", "got_bytes", "posted",
                                                "root", "op",   "count", "value", "payload"};
static const char *const field_tabs[FIELDS] = {
    "\tcomm=", "\tpeer=", "\ttag=",   "\tbytes=", "\tgot_bytes=", "\tposted=",
    "\troot=", "\top=",   "\tcount=", "\tvalue=", "\tpayload="};

static const char *const kind_names[] = {
    [PITHLOG_ENTER] = "enter",     [PITHLOG_LEAVE] = "leave",      [PITHLOG_EVENT] = "event",
    [PITHLOG_COUNTER] = "counter", [PITHLOG_SEND] = "send",        [PITHLOG_RECV] = "recv",
    [PITHLOG_COLL] = "coll",       [PITHLOG_COMM_CREATE] = "comm", [PITHLOG_COMM_FREE] = "comm",
    [PITHLOG_PAUSE] = "pause",     [PITHLOG_RESUME] = "resume",    [PITHLOG_LOST] = "lost",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

/* A piece of a line made ahead. */
struct piece {
    char *text;
    size_t size;
};

struct printer {
    struct pithlog *log;
    struct pithi_out out;
    enum pithi_text_style style;
    enum pithi_quote quote;
    struct piece *names;   /* of definitions, quoted */
    unsigned char *wanted; /* by definition: its name matches the glob; NULL: all */
    struct piece *comm_names;
    struct piece *lanes; /* between the time and the kind */
    uint32_t name_count, comm_count, lane_count;
    int field; /* CSV: the next column to fill */
    char *payload;
    size_t payload_size;
};

const char *pithi_kind_name(uint32_t kind) { return kind < KINDS ? kind_names[kind] : NULL; }

/* ---- Pieces made ahead ----------------------------------------------------------------------------------------- */

static int piece_quoted(struct piece *piece, enum pithi_quote quote, const char *text)
{
    piece->text = pithi_quoted(quote, text);
    if (!piece->text)
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    piece->size = strlen(piece->text);
    return PITH_OK;
}

static int piece_lane(struct printer *p, struct piece *piece, const struct pithlog_lane *lane)
{
    static const char *const forms[] = {[PITHI_TEXT_TABS] = "\t%d\t%u\t",
                                        [PITHI_TEXT_CSV] = ",%d,%u,",
                                        [PITHI_TEXT_JSON] = ",\"rank\":%d,\"thread\":%u,\"kind\":\""};
    char text[80];

    piece->size = (size_t)snprintf(text, sizeof text, forms[p->style], (int)lane->rank, (unsigned)lane->thread);
    piece->text = strdup(text);
    return piece->text ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "out of memory");
}

static int prepare(struct printer *p, const char *glob)
{
    const struct pithlog_info *info = pithlog_get_info(p->log);
    int err = PITH_OK;

    p->names = calloc(info->defs + 1u, sizeof *p->names);
    p->comm_names = calloc(info->comms + 1u, sizeof *p->comm_names);
    p->lanes = calloc(info->lanes + 1u, sizeof *p->lanes);
    p->wanted = glob ? calloc(info->defs + 1u, 1) : NULL;
    if (!p->names || !p->comm_names || !p->lanes || (glob && !p->wanted))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    for (; p->name_count < info->defs; p->name_count++) {
        const char *name = pithlog_get_def(p->log, p->name_count)->name;
        if (p->wanted)
            p->wanted[p->name_count] = fnmatch(glob, name, 0) == 0;
        TRY(piece_quoted(&p->names[p->name_count], p->quote, name));
    }
    for (; p->comm_count < info->comms; p->comm_count++)
        TRY(piece_quoted(&p->comm_names[p->comm_count], p->quote, pithlog_get_comm(p->log, p->comm_count)->name));
    for (; p->lane_count < info->lanes; p->lane_count++)
        TRY(piece_lane(p, &p->lanes[p->lane_count], pithlog_get_lane(p->log, p->lane_count)));
out:
    return err;
}

static void free_pieces(struct piece *pieces, uint32_t count)
{
    for (uint32_t i = 0; pieces && i < count; i++)
        free(pieces[i].text);
    free(pieces);
}

/* ---- Records --------------------------------------------------------------------------------------------------- */

static void put_piece(struct printer *p, const struct piece *pieces, uint32_t count, uint32_t i)
{
    if (i < count && pieces[i].size)
        pithi_out_bytes(&p->out, pieces[i].text, pieces[i].size);
    else if (p->style == PITHI_TEXT_JSON)
        pithi_out_text(&p->out, "\"\"");
}

/* What stands before the value of `field`. */
static void put_field(struct printer *p, int field)
{
    switch (p->style) {
    case PITHI_TEXT_TABS:
        pithi_out_text(&p->out, field_tabs[field]);
        break;
    case PITHI_TEXT_CSV:
        for (; p->field <= field; p->field++)
            pithi_out_char(&p->out, ',');
        break;
    case PITHI_TEXT_JSON:
        pithi_out_text(&p->out, ",\"");
        pithi_out_text(&p->out, field_names[field]);
        pithi_out_text(&p->out, "\":");
        break;
    }
}

static void put_u64(struct printer *p, int field, uint64_t value)
{
    put_field(p, field);
    pithi_out_u64(&p->out, value);
}

static void put_i64(struct printer *p, int field, int64_t value)
{
    put_field(p, field);
    pithi_out_i64(&p->out, value);
}

static void put_word(struct printer *p, int field, const char *word)
{
    put_field(p, field);
    pithi_out_quoted(&p->out, p->quote, word);
}

static void put_double(struct printer *p, int field, double value)
{
    put_field(p, field);
    if (p->style == PITHI_TEXT_JSON && !(value - value == 0))
        pithi_out_text(&p->out, "null"); /* JSON has no infinity */
    else
        pithi_out_double(&p->out, value);
}

/* The payload's text is escaped already, so its backslashes stay single; in JSON they are text like any other. */
static void put_payload(struct printer *p, const struct pithlog_record *r)
{
    size_t need = pithlog_payload_text(p->log, r, p->payload, p->payload_size);

    if (need > p->payload_size) {
        char *grown = realloc(p->payload, need);
        if (!grown)
            return;
        p->payload = grown;
        p->payload_size = need;
        pithlog_payload_text(p->log, r, p->payload, p->payload_size);
    }
    put_field(p, F_PAYLOAD);
    pithi_out_quoted(&p->out,
                     p->style == PITHI_TEXT_TABS  ? PITHI_QUOTE_TEXT
                     : p->style == PITHI_TEXT_CSV ? PITHI_QUOTE_CSV_TEXT
                                                  : PITHI_QUOTE_JSON,
                     p->payload);
}

static void put_message(struct printer *p, const struct pithlog_record *r)
{
    put_u64(p, F_COMM, r->comm);
    put_i64(p, F_PEER, r->peer);
    put_i64(p, F_TAG, r->tag);
    put_u64(p, F_BYTES, r->bytes);
    if (r->kind == PITHLOG_RECV)
        put_u64(p, F_POSTED, r->posted);
}

static void put_values(struct printer *p, const struct pithlog_record *r)
{
    switch (r->kind) {
    case PITHLOG_EVENT:
        if (r->payload_bytes)
            put_payload(p, r);
        break;
    case PITHLOG_COUNTER:
        put_double(p, F_VALUE, r->value);
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        put_message(p, r);
        break;
    case PITHLOG_COLL:
        put_u64(p, F_COMM, r->comm);
        put_u64(p, F_BYTES, r->bytes);
        put_u64(p, F_GOT_BYTES, r->got_bytes);
        put_i64(p, F_ROOT, r->peer);
        break;
    case PITHLOG_COMM_CREATE:
    case PITHLOG_COMM_FREE:
        put_u64(p, F_COMM, r->comm);
        put_word(p, F_OP, r->kind == PITHLOG_COMM_CREATE ? "create" : "free");
        break;
    case PITHLOG_LOST:
        put_u64(p, F_COUNT, r->bytes);
        break;
    }
}

static int has_comm(uint32_t kind) { return kind >= PITHLOG_SEND && kind <= PITHLOG_COMM_FREE; }

static void put_record(struct printer *p, const struct pithlog_record *r)
{
    struct pithi_out *out = &p->out;
    int json = p->style == PITHI_TEXT_JSON;

    if (json)
        pithi_out_text(out, "{\"time_s\":");
    pithi_out_seconds(out, r->time_ns);
    put_piece(p, p->lanes, p->lane_count, r->lane);
    pithi_out_text(out, r->kind < KINDS && kind_names[r->kind] ? kind_names[r->kind] : "unknown");
    if (json)
        pithi_out_text(out, "\",\"name\":");
    else
        pithi_out_char(out, p->style == PITHI_TEXT_CSV ? ',' : '\t');
    if (has_comm(r->kind))
        put_piece(p, p->comm_names, p->comm_count, r->comm);
    else if (r->kind <= PITHLOG_COUNTER)
        put_piece(p, p->names, p->name_count, r->id);
    else if (json)
        pithi_out_text(out, "\"\"");
    p->field = 0;
    put_values(p, r);
    if (json)
        pithi_out_char(out, '}');
    else if (p->style == PITHI_TEXT_CSV && p->field < FIELDS)
        put_field(p, FIELDS - 1);
    pithi_out_char(out, '\n');
}

static int wanted(const struct printer *p, const struct pithlog_record *r)
{
    return !p->wanted || (r->kind <= PITHLOG_COUNTER && r->id < p->name_count && p->wanted[r->id]);
}

static int put_records(struct printer *p, const struct pithlog_query *query)
{
    struct pithlog_iter *iter;
    struct pithlog_record record;
    int err = pithlog_iter_open(p->log, query, &iter), more = 0;

    if (err)
        return err;
    while (!p->out.failed && (more = pithlog_iter_next(iter, &record)) == 1)
        if (wanted(p, &record))
            put_record(p, &record);
    pithlog_iter_close(iter);
    return more < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Definitions ----------------------------------------------------------------------------------------------- */

static void begin_define(struct printer *p, const char *kind)
{
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "{\"define\":\"" : "# ");
    pithi_out_text(&p->out, kind);
    if (p->style == PITHI_TEXT_JSON)
        pithi_out_char(&p->out, '"');
}

static void define_key(struct printer *p, const char *key)
{
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? ",\"" : "\t");
    pithi_out_text(&p->out, key);
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "\":" : "=");
}

static void define_text(struct printer *p, const char *key, const char *text)
{
    define_key(p, key);
    pithi_out_quoted(&p->out, p->quote, text);
}

static void define_int(struct printer *p, const char *key, int64_t value)
{
    define_key(p, key);
    pithi_out_i64(&p->out, value);
}

static void end_define(struct printer *p) { pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "}\n" : "\n"); }

static void define_properties(struct printer *p)
{
    const char *key, *value;

    for (uint32_t i = 0; (key = pithlog_get_property(p->log, i, &value)) != NULL; i++) {
        begin_define(p, "property");
        define_text(p, "key", key);
        define_text(p, "value", value);
        end_define(p);
    }
}

static void define_lanes(struct printer *p)
{
    for (uint32_t i = 0; i < p->lane_count; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(p->log, i);
        begin_define(p, "lane");
        define_int(p, "rank", lane->rank);
        define_int(p, "thread", lane->thread);
        define_text(p, "name", lane->name);
        define_text(p, "host", lane->host);
        end_define(p);
    }
}

static void define_definitions(struct printer *p)
{
    static const char *const kinds[] = {
        [PITHLOG_STATE] = "state", [PITHLOG_EVENT_TYPE] = "event", [PITHLOG_COUNTER_TYPE] = "counter"};

    for (uint32_t i = 0; i < p->name_count; i++) {
        const struct pithlog_def *def = pithlog_get_def(p->log, i);
        begin_define(p, kinds[def->kind]);
        define_text(p, "name", def->name);
        define_text(p, "colour", def->colour);
        define_text(p, "group", def->group);
        if (def->kind != PITHLOG_STATE)
            define_text(p, def->kind == PITHLOG_EVENT_TYPE ? "format" : "unit", def->format);
        end_define(p);
    }
}

static void define_members(struct printer *p, const char *key, const int32_t *ranks, int32_t count)
{
    define_key(p, key);
    if (p->style == PITHI_TEXT_JSON)
        pithi_out_char(&p->out, '[');
    for (int32_t i = 0; i < count; i++) {
        if (i)
            pithi_out_char(&p->out, ',');
        pithi_out_i64(&p->out, ranks[i]);
    }
    if (p->style == PITHI_TEXT_JSON)
        pithi_out_char(&p->out, ']');
}

static void define_comms(struct printer *p)
{
    for (uint32_t i = 0; i < p->comm_count; i++) {
        const struct pithlog_comm *comm = pithlog_get_comm(p->log, i);
        begin_define(p, "comm");
        define_int(p, "comm", i);
        define_text(p, "name", comm->name);
        if (comm->size)
            define_int(p, "size", comm->size);
        if (comm->size && comm->world_ranks)
            define_members(p, "ranks", comm->world_ranks, comm->size);
        if (comm->remote_size && comm->world_ranks)
            define_members(p, "remote_ranks", comm->world_ranks + comm->size, comm->remote_size);
        end_define(p);
    }
}

static void put_head(struct printer *p)
{
    if (p->style == PITHI_TEXT_CSV) {
        pithi_out_text(&p->out, "time_s,rank,thread,kind,name");
        for (int i = 0; i < FIELDS; i++) {
            pithi_out_char(&p->out, ',');
            pithi_out_text(&p->out, field_names[i]);
        }
        pithi_out_char(&p->out, '\n');
        return;
    }
    define_properties(p);
    define_lanes(p);
    define_definitions(p);
    define_comms(p);
    if (p->style == PITHI_TEXT_TABS)
        pithi_out_text(&p->out, "# time_s\trank\tthread\tkind\tname\tkey=value...\n");
}

/* ---- The whole ------------------------------------------------------------------------------------------------- */

int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text *how)
{
    static const enum pithi_quote quotes[] = {
        [PITHI_TEXT_TABS] = PITHI_QUOTE_TABS, [PITHI_TEXT_CSV] = PITHI_QUOTE_CSV, [PITHI_TEXT_JSON] = PITHI_QUOTE_JSON};
    struct printer p = {.log = log, .style = how->style, .quote = quotes[how->style]};
    int err;

    TRY(pithi_out_open(&p.out, out));
    TRY(prepare(&p, how->name_glob));
    put_head(&p);
    TRY(put_records(&p, &how->query));
out:
    err = pithi_out_close(&p.out, err);
    free_pieces(p.names, p.name_count);
    free_pieces(p.comm_names, p.comm_count);
    free_pieces(p.lanes, p.lane_count);
    free(p.wanted);
    free(p.payload);
    return err;
}

static int write_all(struct pithlog *log, FILE *out, const struct pithi_convert *how, enum pithi_text_style style)
{
    struct pithi_text text = {.style = style, .query = {.from_ns = how->from_ns, .to_ns = how->to_ns}};

    return pithi_text_print(log, out, &text);
}

int pithi_text_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_TABS);
}

int pithi_csv_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    if (how->note)
        how->note("csv: colours, groups, hosts and members of communicators are not kept");
    return write_all(log, out, how, PITHI_TEXT_CSV);
}

int pithi_json_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_JSON);
}
