/* printer.c - formats records and definitions as lines in each style, and prints whole logs.
 *
 * The pieces of a line that depend only on definitions, lanes and communicators are made and quoted once, in advance.
 * Writing a line is then little more than a few calls of memcpy. The same code prints a kind of record in all three
 * styles, because put_field writes what comes before a value in the current style:
 *
 *     tabs   0.002006000  0  0  send  MPI_COMM_WORLD  comm=0  peer=1  tag=0  bytes=10
 *     CSV    0.002006000,0,0,send,MPI_COMM_WORLD,0,1,0,10,,,,,,,
 *     JSON   {"time_s":0.002006000,"rank":0,"thread":0,"kind":"send","name":"MPI_COMM_WORLD","comm":0,"peer":1,...}
 *
 * In CSV a value must be in its column, so put_field writes a comma for each column without a value before it. */
#include "foreign/text/printer.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "foreign/walk.h"
#include "native/defs.h"

/* The values of a record besides time, lane, kind and name. In CSV each value is a column; the columns have this
 * order. */
enum field {
    F_COMM,
    F_PEER,
    F_TAG,
    F_BYTES,
    F_GOT_BYTES,
    F_POSTED,
    F_ROOT,
    F_OP,
    F_COUNT,
    F_VALUE,
    F_PAYLOAD,
    F_FUNCTIONS,
    FIELDS
};
static const char *const field_names[FIELDS] = {"comm", "peer", "tag",   "bytes", "got_bytes", "posted",
                                                "root", "op",   "count", "value", "payload",   "functions"};
static const char *const field_tabs[FIELDS] = {
    "\tcomm=", "\tpeer=", "\ttag=",   "\tbytes=", "\tgot_bytes=", "\tposted=",
    "\troot=", "\top=",   "\tcount=", "\tvalue=", "\tpayload=",   "\tfunctions="};

static const char *const kind_names[] = {
    [PITHLOG_ENTER] = "enter",     [PITHLOG_LEAVE] = "leave",      [PITHLOG_EVENT] = "event",
    [PITHLOG_COUNTER] = "counter", [PITHLOG_SEND] = "send",        [PITHLOG_RECV] = "recv",
    [PITHLOG_COLL] = "coll",       [PITHLOG_COMM_CREATE] = "comm", [PITHLOG_COMM_FREE] = "comm",
    [PITHLOG_PAUSE] = "pause",     [PITHLOG_RESUME] = "resume",    [PITHLOG_LOST] = "lost",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char *pithi_print_kind(uint32_t kind) { return kind < KINDS && kind_names[kind] ? kind_names[kind] : "unknown"; }

/* Prints the first line, which gives the version of the output's form, so that programs can check it. */
void pithi_print_version(struct pithi_out *out, enum pithi_text_style style, const char *what)
{
    char text[64];

    snprintf(text, sizeof text, style == PITHI_TEXT_JSON ? "{\"pith_%s\":1}\n" : "# pith %s 1\n", what);
    pithi_out_text(out, text);
}

enum pithi_quote pithi_print_quote(enum pithi_text_style style)
{
    static const enum pithi_quote quotes[] = {
        [PITHI_TEXT_TABS] = PITHI_QUOTE_TABS, [PITHI_TEXT_CSV] = PITHI_QUOTE_CSV, [PITHI_TEXT_JSON] = PITHI_QUOTE_JSON};

    return quotes[style];
}

/* Writes a payload as text. pithi_payload_line has already escaped the text, so its backslashes are not doubled. In
 * JSON, the text is quoted like any other text. */
void pithi_print_payload(struct pithi_out *out, enum pithi_text_style style, struct pithi_payload_line *line,
                         const char *format, const struct pithlog_record *record)
{
    static const enum pithi_quote quotes[] = {[PITHI_TEXT_TABS] = PITHI_QUOTE_TEXT,
                                              [PITHI_TEXT_CSV] = PITHI_QUOTE_CSV_TEXT,
                                              [PITHI_TEXT_JSON] = PITHI_QUOTE_JSON};
    const char *text = pithi_payload_line(line, format, record);

    if (text)
        pithi_out_quoted(out, quotes[style], text);
    else
        out->failed = ENOMEM;
}

void pithi_print_double(struct pithi_out *out, enum pithi_text_style style, double value)
{
    /* value - value is 0 only for a finite value, because infinity - infinity is NaN. */
    if (style == PITHI_TEXT_JSON && !(value - value == 0))
        pithi_out_text(out, "null"); /* JSON has no infinity and no NaN */
    else
        pithi_out_double(out, value);
}

/* ---- Parts of lines made in advance ------------------------------------------------------------------------------ */

/* Sets pieces[index] to `text`, which is malloc'ed; takes ownership of it. If index == *count, appends a piece. If
 * `text` is NULL, the caller ran out of memory, which is returned as an error. */
static int set_piece(struct pithi_text_piece **pieces, uint32_t *count, uint32_t index, char *text)
{
    if (!text || (index == *count && !pithi_grow_one(pieces, *count, sizeof **pieces))) {
        free(text);
        return pithi_no_memory();
    }
    if (index == *count)
        (*count)++;
    else
        free((*pieces)[index].text);
    (*pieces)[index] = (struct pithi_text_piece){text, strlen(text)};
    return PITH_OK;
}

static void free_pieces(struct pithi_text_piece *pieces, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(pieces[i].text);
    free(pieces);
}

int pithi_printer_open(struct pithi_printer *p, FILE *file, enum pithi_text_style style, const char *glob)
{
    /* `fields` leaves out the last column, functions. pithi_text_print adds it if functions have names. */
    *p = (struct pithi_printer){.style = style, .quote = pithi_print_quote(style), .glob = glob, .fields = F_FUNCTIONS};
    return pithi_out_open(&p->out, file);
}

int pithi_printer_close(struct pithi_printer *p, int err)
{
    err = pithi_out_close(&p->out, err);
    /* `formats` has as many entries as `names`, because pithi_printer_def adds to both. */
    for (uint32_t i = 0; i < p->name_count; i++)
        free(p->formats[i]);
    free_pieces(p->names, p->name_count);
    free_pieces(p->comm_names, p->comm_count);
    free_pieces(p->lanes, p->lane_count);
    free(p->formats);
    free(p->wanted);
    free(p->payload.text);
    return err;
}

/* ---- Records --------------------------------------------------------------------------------------------------- */

/* Writes the piece pieces[i] of a line. If the lane, definition or communicator i was not given to the printer, the
 * piece is an empty text. */
static void put_piece(struct pithi_printer *p, const struct pithi_text_piece *pieces, uint32_t count, uint32_t i)
{
    if (i < count && pieces[i].size)
        pithi_out_bytes(&p->out, pieces[i].text, pieces[i].size);
    else if (p->style == PITHI_TEXT_JSON)
        pithi_out_text(&p->out, "\"\"");
}

/* Writes what comes before the value of `field`: separators, and the key unless the style is CSV. */
static void put_field(struct pithi_printer *p, int field)
{
    static const char commas[FIELDS + 1] = ",,,,,,,,,,,,";

    switch (p->style) {
    case PITHI_TEXT_TABS:
        pithi_out_text(&p->out, field_tabs[field]);
        break;
    case PITHI_TEXT_CSV:
        /* Writes the commas from the last column that was written (p->field) to this column. */
        pithi_out_bytes(&p->out, commas, (size_t)(field + 1 - p->field));
        p->field = field + 1;
        break;
    case PITHI_TEXT_JSON:
        pithi_out_text(&p->out, ",\"");
        pithi_out_text(&p->out, field_names[field]);
        pithi_out_text(&p->out, "\":");
        break;
    }
}

static void put_u64(struct pithi_printer *p, int field, uint64_t value)
{
    put_field(p, field);
    pithi_out_u64(&p->out, value);
}

static void put_i64(struct pithi_printer *p, int field, int64_t value)
{
    put_field(p, field);
    pithi_out_i64(&p->out, value);
}

static void put_word(struct pithi_printer *p, int field, const char *word)
{
    put_field(p, field);
    pithi_out_quoted(&p->out, p->quote, word);
}

/* Returns 1 if records of this kind are printed with the name of their communicator, because they have no definition
 * with a name. */
static int has_comm(uint32_t kind) { return kind >= PITHLOG_SEND && kind <= PITHLOG_COMM_FREE; }

void pithi_printer_record(struct pithi_printer *p, const struct pithlog_record *r)
{
    struct pithi_out *out = &p->out;
    int json = p->style == PITHI_TEXT_JSON;

    /* If there is a pattern for names (--state), prints only records whose definition has a matching name. Records
     * without a definition, such as messages and collectives, are not printed. */
    if (p->wanted && !(r->kind <= PITHLOG_COUNTER && r->id < p->name_count && p->wanted[r->id]))
        return;
    if (json)
        pithi_out_text(out, "{\"time_s\":");
    pithi_out_seconds(out, r->time_ns);
    put_piece(p, p->lanes, p->lane_count, r->lane);
    pithi_out_text(out, pithi_print_kind(r->kind));
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
    /* No value column of this line is written yet. */
    p->field = 0;
    const char *functions;
    /* Most states and events have communicator 0, so it is left out. Messages and collectives always have their
     * communicator. */
    if (r->kind <= PITHLOG_EVENT && r->comm)
        put_u64(p, F_COMM, r->comm);
    switch (r->kind) {
    case PITHLOG_EVENT:
        if (r->payload_bytes) {
            put_field(p, F_PAYLOAD);
            pithi_print_payload(&p->out, p->style, &p->payload, r->id < p->name_count ? p->formats[r->id] : "", r);
        }
        if (p->how && p->how->naming.functions &&
            (functions = p->how->naming.functions(p->how->naming.context, r)) != NULL)
            put_word(p, F_FUNCTIONS, functions);
        break;
    case PITHLOG_COUNTER:
        put_field(p, F_VALUE);
        pithi_print_double(&p->out, p->style, r->value);
        break;
    case PITHLOG_SEND:
    case PITHLOG_RECV:
        put_u64(p, F_COMM, r->comm);
        put_i64(p, F_PEER, r->peer);
        put_i64(p, F_TAG, r->tag);
        put_u64(p, F_BYTES, r->bytes);
        if (r->kind == PITHLOG_RECV)
            put_u64(p, F_POSTED, r->posted);
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
    if (json)
        pithi_out_char(out, '}');
    /* Writes the commas of the columns after the last value. */
    else if (p->style == PITHI_TEXT_CSV && p->field < p->fields)
        put_field(p, p->fields - 1);
    pithi_out_char(out, '\n');
}

/* ---- Definitions ----------------------------------------------------------------------------------------------- */

static void begin_define(struct pithi_printer *p, const char *kind)
{
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "{\"define\":\"" : "# ");
    pithi_out_text(&p->out, kind);
    if (p->style == PITHI_TEXT_JSON)
        pithi_out_char(&p->out, '"');
}

static void define_key(struct pithi_printer *p, const char *key)
{
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? ",\"" : "\t");
    pithi_out_text(&p->out, key);
    pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "\":" : "=");
}

static void define_text(struct pithi_printer *p, const char *key, const char *text)
{
    define_key(p, key);
    pithi_out_quoted(&p->out, p->quote, text);
}

static void define_int(struct pithi_printer *p, const char *key, int64_t value)
{
    define_key(p, key);
    pithi_out_i64(&p->out, value);
}

static void end_define(struct pithi_printer *p) { pithi_out_text(&p->out, p->style == PITHI_TEXT_JSON ? "}\n" : "\n"); }

void pithi_printer_property(struct pithi_printer *p, const char *key, const char *value)
{
    /* A CSV file has only records, because all lines of a table have the same columns. */
    if (p->style == PITHI_TEXT_CSV)
        return;
    begin_define(p, "property");
    define_text(p, "key", key);
    define_text(p, "value", value);
    end_define(p);
}

int pithi_printer_lane(struct pithi_printer *p, uint32_t index, const struct pithlog_lane *lane)
{
    if (p->style != PITHI_TEXT_CSV) {
        begin_define(p, "lane");
        define_int(p, "rank", lane->rank);
        define_int(p, "thread", lane->thread);
        define_text(p, "name", lane->name);
        define_text(p, "host", lane->host);
        end_define(p);
    }
    /* Makes the text between time and kind, which is the same for all records of a lane. If a lane is defined again,
     * for example with another rank, the new text replaces the old one. */
    static const char *const forms[] = {[PITHI_TEXT_TABS] = "\t%d\t%u\t",
                                        [PITHI_TEXT_CSV] = ",%d,%u,",
                                        [PITHI_TEXT_JSON] = ",\"rank\":%d,\"thread\":%u,\"kind\":\""};
    char text[80];
    snprintf(text, sizeof text, forms[p->style], (int)lane->rank, (unsigned)lane->thread);
    return set_piece(&p->lanes, &p->lane_count, index, strdup(text));
}

int pithi_printer_def(struct pithi_printer *p, const struct pithlog_def *def)
{
    static const char *const kinds[] = {
        [PITHLOG_STATE] = "state", [PITHLOG_EVENT_TYPE] = "event", [PITHLOG_COUNTER_TYPE] = "counter"};

    if (p->style != PITHI_TEXT_CSV) {
        begin_define(p, kinds[def->kind]);
        define_text(p, "name", def->name);
        define_text(p, "colour", def->colour);
        define_text(p, "group", def->group);
        if (def->kind != PITHLOG_STATE)
            define_text(p, def->kind == PITHLOG_EVENT_TYPE ? "format" : "unit", def->format);
        end_define(p);
    }
    /* Stores the name and the format of the definition, and whether its name matches the pattern. */
    uint32_t i = p->name_count;
    if (!pithi_grow_one(&p->formats, i, sizeof *p->formats) || (p->glob && !pithi_grow_one(&p->wanted, i, 1)))
        return pithi_no_memory();
    p->formats[i] = strdup(def->format);
    if (p->wanted)
        p->wanted[i] = fnmatch(p->glob, def->name, 0) == 0;
    if (!p->formats[i])
        return pithi_no_memory();
    /* On an error, frees the new entry of `formats`, because pithi_printer_close frees only as many formats as there
     * are `names`. */
    int err = set_piece(&p->names, &p->name_count, i, pithi_quoted(p->quote, def->name));
    if (err)
        free(p->formats[i]);
    return err;
}

static void define_members(struct pithi_printer *p, const char *key, const int32_t *ranks, int32_t count)
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

int pithi_printer_comm(struct pithi_printer *p, uint32_t index, const struct pithlog_comm *comm)
{
    const char *name = comm->name ? comm->name : "";

    if (p->style != PITHI_TEXT_CSV) {
        begin_define(p, "comm");
        define_int(p, "comm", index);
        define_text(p, "name", name);
        /* The size is 0 if no rank described the communicator. */
        if (comm->size)
            define_int(p, "size", comm->size);
        /* In world_ranks, the members of the local group come before those of the remote group. */
        if (comm->size && comm->world_ranks)
            define_members(p, "ranks", comm->world_ranks, comm->size);
        if (comm->remote_size && comm->world_ranks)
            define_members(p, "remote_ranks", comm->world_ranks + comm->size, comm->remote_size);
        end_define(p);
    }
    return set_piece(&p->comm_names, &p->comm_count, index, pithi_quoted(p->quote, name));
}

void pithi_printer_promise(struct pithi_printer *p)
{
    if (p->style == PITHI_TEXT_TABS)
        pithi_out_text(&p->out, PITHI_TEXT_PROMISE "\n");
}

void pithi_printer_end(struct pithi_printer *p)
{
    if (p->style == PITHI_TEXT_TABS)
        pithi_out_text(&p->out, PITHI_TEXT_END "\n");
}

void pithi_printer_head(struct pithi_printer *p)
{
    if (p->style == PITHI_TEXT_TABS)
        pithi_out_text(&p->out, "# time_s\trank\tthread\tkind\tname\tkey=value...\n");
    if (p->style != PITHI_TEXT_CSV)
        return;
    pithi_out_text(&p->out, "time_s,rank,thread,kind,name");
    for (int i = 0; i < p->fields; i++) {
        pithi_out_char(&p->out, ',');
        pithi_out_text(&p->out, field_names[i]);
    }
    pithi_out_char(&p->out, '\n');
}

/* ---- A whole log ------------------------------------------------------------------------------------------------- */

int pithi_text_print(struct pithlog *log, FILE *out, const struct pithi_text_print *how)
{
    struct pithi_printer printer;
    int err;

    if (how->columns.count)
        return pithi_print_columns(log, out, how);
    TRY(pithi_printer_open(&printer, out, how->style, how->name_glob));
    if (how->has_version)
        pithi_print_version(&printer.out, how->style, "print");
    printer.how = how;
    printer.fields = how->naming.functions ? FIELDS : F_FUNCTIONS;
    const struct pithlog_info *info = pithlog_get_info(log);
    const char *key, *value;
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        /* Leaves out properties that give names to addresses if the printer itself prints the names of functions. */
        if (!printer.how->naming.functions || !pithi_is_code_name(key))
            pithi_printer_property(&printer, key, value);
    for (uint32_t i = 0; i < info->lanes; i++)
        TRY(pithi_printer_lane(&printer, i, pithlog_get_lane(log, i)));
    for (uint32_t i = 0; i < info->defs; i++)
        TRY(pithi_printer_def(&printer, pithlog_get_def(log, i)));
    for (uint32_t i = 0; i < info->comms; i++)
        TRY(pithi_printer_comm(&printer, i, pithlog_get_comm(log, i)));
    /* Prints a line that announces the last line, so that a reader can check whether the file is complete. */
    if (how->has_end)
        pithi_printer_promise(&printer);
    pithi_printer_head(&printer);
    struct pithlog_iter *iter;
    struct pithlog_record record;
    uint64_t records = 0;
    int more = 0;
    TRY(pithlog_iter_open(log, &how->query, &iter));
    /* The loop also ends if writing fails, for example because the disk is full. */
    for (; !printer.out.failed && (more = pithlog_iter_next(iter, &record)) == 1; records++)
        pithi_printer_record(&printer, &record);
    if (how->printed)
        *how->printed = records;
    pithlog_iter_close(iter);
    /* pithlog_iter_next has set the text of the error. */
    if (more < 0)
        TRY(PITH_ERR_DAMAGED);
    if (how->has_end)
        pithi_printer_end(&printer);
out:
    return pithi_printer_close(&printer, err);
}

static int write_all(struct pithlog *log, FILE *out, const struct pithi_convert *how, enum pithi_text_style style)
{
    struct pithi_text_print text = {
        .style = style, .has_end = 1, .query = {.from_ns = how->from_ns, .to_ns = how->to_ns}, .naming = how->naming};

    return pithi_text_print(log, out, &text);
}

int pithi_text_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_TABS);
}

int pithi_csv_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct pithi_losses losses;
    int err;

    TRY(pithi_losses_open(&losses, log));
    TRY(write_all(log, out, how, PITHI_TEXT_CSV));
    pithi_losses_tell(&losses, how);
out:
    pithi_losses_close(&losses);
    return err;
}

int pithi_json_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    return write_all(log, out, how, PITHI_TEXT_JSON);
}
