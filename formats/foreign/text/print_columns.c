/* print_columns.c - `pith print --columns`: records as rows of chosen columns. man/pith-print.1 promises that the names
 * and contents of columns stay the same.
 *
 *     --columns time_ns,kind,name,duration_ns       0      enter  solve
 *                                                   53000  leave  solve  53000
 *
 * Each record is a row of all chosen columns; columns that its kind of record does not have are empty. The table
 * `columns` lists for each column the kinds of records that have it. The parser of the option --columns and the output
 * use this table. A new column needs a line in the table and a case in put_cell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "foreign/text/printer.h"

#define BIT(kind) (1u << (kind))
#define ALL UINT32_MAX
#define LEAVE BIT(PITHLOG_LEAVE)
#define STATES (BIT(PITHLOG_ENTER) | LEAVE) /* STATES and the masks around it have a bit for each kind of record */
#define DEFINED (STATES | BIT(PITHLOG_EVENT) | BIT(PITHLOG_COUNTER))
#define MESSAGES (BIT(PITHLOG_SEND) | BIT(PITHLOG_RECV))
#define COLL BIT(PITHLOG_COLL)
#define COMM_CHANGES (BIT(PITHLOG_COMM_CREATE) | BIT(PITHLOG_COMM_FREE))
#define COMMS (STATES | BIT(PITHLOG_EVENT) | MESSAGES | COLL | COMM_CHANGES)

enum column {
    C_TIME_S,
    C_TIME_NS,
    C_RANK,
    C_THREAD,
    C_LANE,
    C_HOST,
    C_KIND,
    C_NAME,
    C_GROUP,
    C_DEPTH,
    C_START_NS,
    C_DURATION_NS,
    C_SELF_NS,
    C_COMM,
    C_COMM_NAME,
    C_PEER,
    C_TAG,
    C_BYTES,
    C_GOT_BYTES,
    C_POSTED,
    C_ROOT,
    C_OP,
    C_COUNT,
    C_VALUE,
    C_PAYLOAD
};
static const struct {
    const char *name;
    uint32_t kinds; /* bits of the kinds of records that have the column */
} columns[PITHI_PRINT_COLUMNS] = {
    [C_TIME_S] = {"time_s", ALL},
    [C_TIME_NS] = {"time_ns", ALL},
    [C_RANK] = {"rank", ALL},
    [C_THREAD] = {"thread", ALL},
    [C_LANE] = {"lane", ALL},
    [C_HOST] = {"host", ALL},
    [C_KIND] = {"kind", ALL},
    [C_NAME] = {"name", DEFINED | MESSAGES | COLL | COMM_CHANGES},
    [C_GROUP] = {"group", DEFINED},
    [C_DEPTH] = {"depth", STATES},
    [C_START_NS] = {"start_ns", LEAVE},
    [C_DURATION_NS] = {"duration_ns", LEAVE},
    [C_SELF_NS] = {"self_ns", LEAVE},
    [C_COMM] = {"comm", COMMS},
    [C_COMM_NAME] = {"comm_name", COMMS},
    [C_PEER] = {"peer", MESSAGES},
    [C_TAG] = {"tag", MESSAGES},
    [C_BYTES] = {"bytes", MESSAGES | COLL},
    [C_GOT_BYTES] = {"got_bytes", COLL},
    [C_POSTED] = {"posted", BIT(PITHLOG_RECV)},
    [C_ROOT] = {"root", COLL},
    [C_OP] = {"op", COMM_CHANGES},
    [C_COUNT] = {"count", BIT(PITHLOG_LOST)},
    [C_VALUE] = {"value", BIT(PITHLOG_COUNTER)},
    [C_PAYLOAD] = {"payload", BIT(PITHLOG_EVENT)},
};
_Static_assert(C_PAYLOAD + 1 == PITHI_PRINT_COLUMNS, "one row for each column");

int pithi_print_columns_parse(const char *text, struct pithi_print_columns *chosen)
{
    for (const char *word = text;; word++) {
        size_t size = strcspn(word, ",");
        int i = 0;

        /* Compares sizes and bytes instead of strings, because a comma and not a NUL ends the word. */
        while (i < PITHI_PRINT_COLUMNS && (strlen(columns[i].name) != size || memcmp(columns[i].name, word, size) != 0))
            i++;
        if (i == PITHI_PRINT_COLUMNS) {
            /* The text of the error offers the column whose name is nearest to the word. */
            struct pithi_nearest nearest;
            pithi_nearest_begin(&nearest, word, size);
            for (i = 0; i < PITHI_PRINT_COLUMNS; i++)
                pithi_nearest_try(&nearest, columns[i].name);
            return pithi_fail(PITH_ERR_USAGE, "there is no column '%.*s'%s", (int)size, word,
                              pithi_nearest_ask(&nearest));
        }
        /* Checks the length of the list, because a user may name the same column many times. */
        if (chosen->count == PITHI_PRINT_COLUMNS)
            return pithi_fail(PITH_ERR_USAGE, "at most %d columns", (int)PITHI_PRINT_COLUMNS);
        chosen->columns[chosen->count++] = (unsigned char)i;
        word += size;
        if (*word == '\0')
            return PITH_OK;
    }
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

struct rows {
    struct pithlog *log; /* the log that is printed */
    struct pithi_out out;
    const struct pithi_text_print *how;
    enum pithi_quote quote; /* how texts are quoted in the style of the output */
    struct pithi_payload_line payload;
};

/* Returns 1 if this record has a value for the column. The table `columns` decides by the kind of the record. But some
 * records have fewer values than their kind: a LEAVE without its ENTER has no duration, a state or event with comm 0
 * names no communicator, and an event may have no payload. */
static int has_column(enum column column, const struct pithlog_record *r)
{
    if (!(columns[column].kinds >> r->kind & 1))
        return 0;
    if (column == C_DEPTH || column == C_START_NS || column == C_DURATION_NS || column == C_SELF_NS)
        return r->depth != UINT32_MAX; /* a LEAVE without ENTER */
    if (column == C_COMM || column == C_COMM_NAME)
        return r->kind > PITHLOG_EVENT || r->comm;
    return column != C_PAYLOAD || r->payload_bytes;
}

static void put_text(struct rows *rows, const char *text)
{
    pithi_out_quoted(&rows->out, rows->quote, text ? text : "");
}

static void put_cell(struct rows *rows, enum column column, const struct pithlog_record *r)
{
    const struct pithlog_lane *lane = pithlog_get_lane(rows->log, r->lane);
    struct pithi_out *out = &rows->out;

    switch (column) {
    case C_TIME_S:
        pithi_out_seconds(out, r->time_ns);
        break;
    case C_TIME_NS:
        pithi_out_i64(out, r->time_ns);
        break;
    case C_RANK:
        pithi_out_i64(out, lane->rank);
        break;
    case C_THREAD:
        pithi_out_u64(out, lane->thread);
        break;
    case C_LANE:
        pithi_out_u64(out, r->lane);
        break;
    case C_HOST:
        put_text(rows, lane->host);
        break;
    case C_KIND:
        put_text(rows, pithi_print_kind(r->kind));
        break;
    case C_NAME:
        put_text(rows, r->kind <= PITHLOG_COUNTER ? pithlog_get_def(rows->log, r->id)->name
                                                  : pithlog_get_comm(rows->log, r->comm)->name);
        break;
    case C_GROUP:
        put_text(rows, pithlog_get_def(rows->log, r->id)->group);
        break;
    case C_DEPTH:
        pithi_out_u64(out, r->depth);
        break;
    case C_START_NS:
        pithi_out_i64(out, r->start_ns);
        break;
    case C_DURATION_NS:
        /* Subtracts unsigned numbers, because a damaged log may have any two times, and a signed difference could
         * overflow, which is undefined. */
        pithi_out_i64(out, (int64_t)((uint64_t)r->time_ns - (uint64_t)r->start_ns));
        break;
    case C_SELF_NS:
        pithi_out_i64(out, (int64_t)((uint64_t)r->time_ns - (uint64_t)r->start_ns - (uint64_t)r->nested_ns));
        break;
    case C_COMM:
        pithi_out_u64(out, r->comm);
        break;
    case C_COMM_NAME:
        put_text(rows, pithlog_get_comm(rows->log, r->comm)->name);
        break;
    /* Columns that share a case, such as peer and root, show the same member of the record. No record has both. */
    case C_PEER:
    case C_ROOT:
        pithi_out_i64(out, r->peer);
        break;
    case C_TAG:
        pithi_out_i64(out, r->tag);
        break;
    case C_BYTES:
    case C_COUNT:
        pithi_out_u64(out, r->bytes);
        break;
    case C_GOT_BYTES:
        pithi_out_u64(out, r->got_bytes);
        break;
    case C_POSTED:
        pithi_out_u64(out, r->posted);
        break;
    case C_OP:
        put_text(rows, r->kind == PITHLOG_COMM_CREATE ? "create" : "free");
        break;
    case C_VALUE:
        pithi_print_double(out, rows->how->style, r->value);
        break;
    case C_PAYLOAD:
        pithi_print_payload(out, rows->how->style, &rows->payload, pithlog_get_def(rows->log, r->id)->format, r);
        break;
    }
}

static int put_rows(struct rows *rows)
{
    const struct pithi_print_columns *chosen = &rows->how->columns;
    int is_json = rows->how->style == PITHI_TEXT_JSON;
    struct pithlog_query query = rows->how->query;
    struct pithlog_record record;
    struct pithlog_iter *iter;
    uint64_t records = 0;
    int more = 0;

    /* Only with this flag does the reader set depth, start_ns and nested_ns of a record. */
    query.flags |= PITHLOG_NEST;
    CHECK(pithlog_iter_open(rows->log, &query, &iter));
    for (; !rows->out.failed && (more = pithlog_iter_next(iter, &record)) == 1; records++) {
        int is_first = 1;
        /* In CSV and in the style with tabs, an empty cell keeps its separator, because otherwise later values would be
         * in a wrong column. In JSON, the key of an empty cell is left out, so a record may be {}. */
        for (uint32_t i = 0; i < chosen->count; i++) {
            enum column column = (enum column)chosen->columns[i];
            int has = has_column(column, &record);
            if (is_json && !has) /* the key is left out */
                continue;
            if (is_json) {
                pithi_out_text(&rows->out, is_first ? "{\"" : ",\"");
                pithi_out_text(&rows->out, columns[column].name);
                pithi_out_text(&rows->out, "\":");
            } else if (!is_first) {
                pithi_out_char(&rows->out, rows->how->style == PITHI_TEXT_CSV ? ',' : '\t');
            }
            is_first = 0;
            if (has)
                put_cell(rows, column, &record);
        }
        pithi_out_text(&rows->out, !is_json ? "\n" : is_first ? "{}\n" : "}\n");
    }
    if (rows->how->printed)
        *rows->how->printed = records;
    pithlog_iter_close(iter);
    return more < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_print_columns(struct pithlog *log, FILE *out, const struct pithi_text_print *how)
{
    struct rows rows = {.log = log, .how = how, .quote = pithi_print_quote(how->style)};
    int err = pithi_out_open(&rows.out, out);

    if (err)
        return err;
    pithi_print_version(&rows.out, how->style, "columns");
    if (how->style != PITHI_TEXT_JSON) { /* in JSON each row has the names of the columns */
        if (how->style == PITHI_TEXT_TABS)
            pithi_out_text(&rows.out, "# ");
        for (uint32_t i = 0; i < how->columns.count; i++) {
            if (i)
                pithi_out_char(&rows.out, how->style == PITHI_TEXT_CSV ? ',' : '\t');
            pithi_out_text(&rows.out, columns[how->columns.columns[i]].name);
        }
        pithi_out_char(&rows.out, '\n');
    }
    err = pithi_out_close(&rows.out, put_rows(&rows));
    free(rows.payload.text);
    return err;
}
