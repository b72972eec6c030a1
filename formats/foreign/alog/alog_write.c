/* alog_write.c - native records to ALOG, in the strict form that upshot and nupshot require.
 *
 * The header comes first and contains counts, so there are two passes: the first counts records and finds the
 * definitions in use; the second writes. Both passes use plan_record, so the counts match the lines.
 *
 *     rank 0 computes until 50 us, then MPI_Send until 53; rank 1 in MPI_Recv until 55       (the message: 1000 bytes)
 *
 *     -2 0 0 8 0 0         8 events           -5 0 0 6 0 0       6 event types          -7 0 0 0 0 55    ends at 55
 *     1 0 0 0 0 0          enter compute      -101 0 0 1 0 50 7 1000     send to rank 1, tag 7
 *     2 0 0 0 0 50         leave compute      -102 1 0 0 0 55 7 1000     receive from rank 0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/colour.h"
#include "base/error.h"
#include "base/out.h"
#include "foreign/alog/alog_scan.h"
#include "foreign/formats.h"
#include "foreign/given_numbers.h"
#include "foreign/names.h"
#include "foreign/walk.h"

enum {
    NAME_BYTES = 64,    /* the longest name: with colour and bitmap it must fit into the 100 bytes of a comment that
                           nupshot keeps */
    COMMENT_BYTES = 100 /* including the final NUL */
};

/* How a definition is written. A state has two event numbers, `start` and `end`; an event has only `start`. */
struct number {
    int32_t start, end; /* 0 if not used */
    char single;        /* 'd' or 's': the payload is a single token of this type */
    int both;           /* the payload has the DATA and comment of an ALOG line */
    int text;           /* 1: a payload was written as text in the comment */
};

struct alog_writer {
    struct pithlog *log;
    FILE *out;
    const struct pithi_convert *how; /* the window to write, and where notes go */
    int threads;                     /* 1: each lane has its own PROC number, because some rank has several lanes */
    int named;                       /* 1: a -15 line is needed */
    int32_t *line;                   /* by lane: its PROC number, for which viewers draw a row */
    int32_t *main_line;              /* by lane: the PROC number of the first lane of its rank, where messages are
                                        drawn */
    struct pithi_map line_of;        /* rank -> PROC number of its first lane, + 1 */
    int32_t lines;                   /* highest PROC number in use + 1 */
    uint32_t lanes, defs;
    struct number *numbers;     /* [defs] the numbers of each definition */
    int32_t next_number, kinds; /* next_number: the next free event number; kinds: numbers in use */
    struct pithi_given given;   /* event numbers that the recorded program itself used */
    struct pithi_losses losses;
    /* Counts for the header and the notes. no_line: ends of messages that were left out because a partner has no PROC
     * number */
    uint64_t lines_written, no_line, changed_names, changed_formats, changed_payloads;
    int64_t base_ns;          /* log time of the file's time 0 */
    int64_t start_us, end_us; /* of the header */
};

/* The ALOG line of one record. */
struct planned {
    int64_t type, data; /* columns TYPE and DATA */
    int32_t line;       /* the PROC column */
    int64_t time_us;
    char comment[COMMENT_BYTES];
};

/* ---- From a record to a line ----------------------------------------------------------------------------------- */

/* Returns the event numbers of a definition, and allocates them at first use. */
static struct number *number_of(struct alog_writer *w, uint32_t id)
{
    const struct pithlog_def *def = pithlog_get_def(w->log, id);
    struct number *number;

    if (!def || id >= w->defs)
        return NULL;
    number = &w->numbers[id];
    if (!number->start) {
        int state = def->kind == PITHLOG_STATE;
        const struct pithi_number_pair *given = pithi_given_get(&w->given, id, 0);
        number->start = given ? given->begin : pithi_given_next(&w->given, &w->next_number, 1);
        if (state) {
            number->end = given ? given->end : pithi_given_next(&w->given, &w->next_number, 1);
        } else {
            char single = pithi_token_single(def->format);
            number->single = single == 'd' || single == 's' ? single : 0;
            number->both = strcmp(def->format, PITHI_ALOG_TEXT_FORMAT) == 0;
        }
        w->kinds += 1 + state;
    }
    return number->start > 0 && number->end >= 0 ? number : NULL;
}

static void set_comment(struct alog_writer *w, struct planned *plan, const char *text, size_t size)
{
    w->changed_payloads += pithi_name_cut(plan->comment, sizeof plan->comment, text, size) != 0;
}

/* Makes the comment from the value of a %s token, which begins at `payload`. If the payload ends inside the string, the
 * comment has only the bytes that are there. */
static void string_comment(struct alog_writer *w, struct planned *plan, const unsigned char *payload, uint32_t size)
{
    uint32_t length = size < 2 ? 0 : (uint32_t)payload[0] << 8 | payload[1];

    set_comment(w, plan, size < 2 ? "" : (const char *)payload + 2,
                size < 2            ? 0
                : length > size - 2 ? size - 2
                                    : length);
}

/* Returns 1 and sets `plan` to the line of the record, or returns 0 if ALOG cannot hold the record. */
static int plan_record(struct alog_writer *w, const struct pithlog_record *record, struct planned *plan)
{
    const unsigned char *payload = record->payload;
    struct number *number;
    char text[1024];

    if (record->lane >= w->lanes)
        return 0;
    plan->line = w->line[record->lane];
    plan->time_us = (record->time_ns - w->base_ns + 500) / 1000;
    plan->data = 0;
    plan->comment[0] = 0;
    switch (record->kind) {
    case PITHLOG_ENTER:
    case PITHLOG_LEAVE:
    case PITHLOG_EVENT:
        number = number_of(w, record->id);
        if (!number)
            return 0;
        plan->type = record->kind == PITHLOG_LEAVE ? number->end : number->start;
        if (record->kind != PITHLOG_EVENT || !record->payload_bytes)
            return 1;
        if (number->single == 's') {
            string_comment(w, plan, payload, record->payload_bytes);
        } else if ((number->single == 'd' || number->both) && record->payload_bytes >= 4) {
            plan->data = (int32_t)pithi_get_be32(payload);
            if (number->both)
                string_comment(w, plan, payload + 4, record->payload_bytes - 4);
        } else {
            number->text = 1;
            pithlog_payload_text(w->log, record, text, sizeof text);
            set_comment(w, plan, text, strlen(text));
        }
        return 1;
    case PITHLOG_SEND:
    case PITHLOG_RECV: {
        /* A message gets the PROC number of the first lane of its rank, because the thread of the partner is
         * unknown. */
        uint64_t *line = record->peer < 0 ? NULL : pithi_map_find(&w->line_of, (uint64_t)record->peer);
        int32_t partner = line                                                     ? (int32_t)*line - 1
                          : w->threads || record->peer >= PITHI_ALOG_PROCESSES_MAX ? -1
                                                                                   : record->peer;
        if (partner < 0) {
            w->no_line += record->peer >= 0;
            return 0;
        }
        w->lines = partner >= w->lines ? partner + 1 : w->lines;
        plan->type = record->kind == PITHLOG_SEND ? PITHI_ALOG_SEND : PITHI_ALOG_RECV;
        plan->line = w->main_line[record->lane];
        plan->data = partner;
        snprintf(plan->comment, sizeof plan->comment, "%" PRId32 " %" PRIu64, record->tag, record->bytes);
        return 1;
    }
    default:
        return 0;
    }
}

/* ---- Definitions ----------------------------------------------------------------------------------------------- */

/* Returns the colour of a definition: a name without blanks, or #rrggbb. A state without a colour gets the colour in
 * which Pith draws it. */
static const char *colour_word(const struct alog_writer *w, uint32_t id, char word[16])
{
    const struct pithlog_def *def = pithlog_get_def(w->log, id);
    const char *name = pithi_colour_canonical(def->colour);
    uint32_t rgb;

    if (name)
        return name;
    if (def->colour[0] != '#' || !pithi_colour_parse(def->colour, &rgb))
        return pithi_colour_nearest(pithlog_def_rgb(w->log, id));
    snprintf(word, 16, "#%06" PRIx32, rgb);
    return word;
}

static int write_names(struct alog_writer *w, enum pithlog_def_kind kind)
{
    static const char *const bitmaps[] = {"gray3",   "light_gray", "vlines3", "dllines4", "drlines4", "hlines3",
                                          "dimple3", "boxes",      "2x2",     "gray2",    "gray",     "vlines2"};
    struct pithi_map used = {0};
    char name[NAME_BYTES], word[16];
    int err = PITH_OK, changed;

    for (uint32_t id = 0; id < w->defs && !err; id++) {
        const struct pithlog_def *def = pithlog_get_def(w->log, id);
        const struct number *number = &w->numbers[id];
        if (!number->start || def->kind != kind)
            continue;
        changed = pithi_name_unique(&used, name, sizeof name, def->name[0] ? def->name : "?");
        if (changed < 0)
            err = pithi_no_memory();
        w->changed_names += changed > 0 || !def->name[0];
        const char *colour = kind == PITHLOG_STATE ? colour_word(w, id, word) : "";
        pithi_losses_colour(&w->losses, id, colour);
        if (kind == PITHLOG_STATE)
            fprintf(w->out, "-13 0 %d %d 0 0 %s:%s %s\n", number->start, number->end, colour,
                    bitmaps[id % (sizeof bitmaps / sizeof bitmaps[0])], name);
        else
            fprintf(w->out, "-9 0 0 %d 0 0 %s\n", number->start, name);
    }
    pithi_map_free(&used);
    return err;
}

/* ---- Lines of events ------------------------------------------------------------------------------------------- */

/* Makes one pass. If `out` is NULL, it only counts. */
static int pass(struct alog_writer *w, struct pithi_out *out)
{
    struct pithi_walk walk;
    struct pithlog_step step;
    struct planned plan;
    int status = 0;

    CHECK(pithi_walk_open(&walk, w->log, w->how));
    w->base_ns = walk.from_ns < 0 ? walk.from_ns : 0; /* times in ALOG are never below 0 */
    w->start_us = (walk.from_ns - w->base_ns + 500) / 1000;
    walk.losses = out ? NULL : &w->losses;
    if (!out)
        pithi_losses_zero(&w->losses, w->base_ns);
    while (!(out && out->failed) && (status = pithi_walk_next(&walk, &step)) == 1) {
        if (!plan_record(w, step.record, &plan))
            continue;
        w->lines_written++;
        w->end_us = plan.time_us > w->end_us ? plan.time_us : w->end_us;
        if (out) {
            pithi_out_i64(out, plan.type);
            pithi_out_char(out, ' ');
            pithi_out_i64(out, plan.line);
            pithi_out_bytes(out, " 0 ", 3);
            pithi_out_i64(out, plan.data);
            pithi_out_bytes(out, " 0 ", 3);
            pithi_out_i64(out, plan.time_us);
            if (*plan.comment) {
                pithi_out_char(out, ' ');
                pithi_out_text(out, plan.comment);
            }
            pithi_out_char(out, '\n');
        }
    }
    pithi_walk_close(&walk);
    return status < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_alog_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct alog_writer w = {.log = log, .out = out, .how = how, .defs = pithlog_get_info(log)->defs, .next_number = 1};
    struct pithi_out lines;
    int err;

    TRY(pithi_losses_open(&w.losses, log));
    TRY(pithi_given_open(&w.given, log));
    TRY(pithi_given_read(&w.given, log, 1));

    /* The PROC number of a lane is its rank. But if a rank has several threads, or some rank is too large, the lanes
     * are numbered instead. */
    const struct pithlog_lane *lane;
    w.lanes = pithlog_get_info(w.log)->lanes;
    w.line = calloc(w.lanes + 1, sizeof *w.line);
    w.main_line = calloc(w.lanes + 1, sizeof *w.main_line);
    if (!w.line || !w.main_line)
        TRY(pithi_no_memory());

    int32_t before = -1;
    for (uint32_t i = 0; (lane = pithlog_get_lane(w.log, i)); i++) {
        w.threads |= lane->rank == before || lane->rank < 0 || lane->rank >= PITHI_ALOG_PROCESSES_MAX;
        w.named |= lane->name && lane->name[0];
        before = lane->rank;
    }
    w.named |= w.threads;
    for (uint32_t i = 0; i < w.lanes && (lane = pithlog_get_lane(w.log, i)); i++) {
        uint64_t *first = pithi_map_at(&w.line_of, (uint32_t)lane->rank);
        if (!first)
            TRY(pithi_no_memory());
        w.line[i] = w.threads ? (int32_t)i : lane->rank;
        if (!*first)
            *first = (uint64_t)w.line[i] + 1;
        w.main_line[i] = (int32_t)*first - 1;
        w.lines = w.line[i] >= w.lines ? w.line[i] + 1 : w.lines;
    }

    w.numbers = calloc(w.defs + 1, sizeof *w.numbers);
    if (!w.numbers)
        TRY(pithi_no_memory());
    TRY(pass(&w, NULL));

    /* Writes all header lines before the first event, because nupshot reads no later ones. upshot requires the lines
     * -3, -6 and -7. */
    fprintf(w.out, "-1 0 0 0 0 0 Pith\n-2 0 0 %" PRIu64 " 0 0\n-3 0 0 %d 0 0\n-4 0 0 1 0 0\n-5 0 0 %d 0 0\n",
            w.lines_written, w.lines > 0 ? w.lines : 1, w.kinds);
    fprintf(w.out, "-6 0 0 0 0 %" PRId64 "\n-7 0 0 0 0 %" PRId64 "\n-8 0 0 1 0 0\n-11 0 0 0 0 0\n", w.start_us,
            w.end_us > w.start_us ? w.end_us : w.start_us + 1);
    TRY(write_names(&w, PITHLOG_EVENT_TYPE));
    /* Writes a -10 line, the format, for each event that has a payload. The format of the definition is kept if it is a
     * single token. If payloads are written as text, the format is %s. */
    char format[64];
    for (uint32_t id = 0; id < w.defs; id++) {
        const struct pithlog_def *def = pithlog_get_def(w.log, id);
        const struct number *number = &w.numbers[id];
        if (!number->start || def->kind != PITHLOG_EVENT_TYPE || number->both)
            continue;
        if (!(number->single || number->text)) {
            w.changed_formats += *def->format != 0;
            continue;
        }
        if (!number->single || pithi_name_cut(format, sizeof format, def->format, strlen(def->format)))
            strcpy(format, number->single == 'd' ? "%d" : "%s");
        w.changed_formats += strcmp(format, def->format) != 0;
        fprintf(w.out, "-10 0 0 %d 0 0 %s\n", number->start, format);
    }
    TRY(write_names(&w, PITHLOG_STATE));
    if (w.named) {
        char name[NAME_BYTES];
        for (uint32_t i = 0; i < w.lanes && (lane = pithlog_get_lane(w.log, i)); i++) {
            w.changed_names += pithi_name_cut(name, sizeof name, lane->name ? lane->name : "",
                                              lane->name ? strlen(lane->name) : 0) != 0;
            if (w.threads)
                fprintf(w.out, "-15 %d 0 0 0 0 rank %d thread %" PRIu32 "%s%s\n", w.line[i], lane->rank, lane->thread,
                        name[0] ? ": " : "", name);
            else if (name[0])
                fprintf(w.out, "-15 %d 0 0 0 0 %s\n", w.line[i], name);
        }
    }

    w.no_line = w.changed_payloads = 0; /* the second pass counts them again */
    TRY(pithi_out_open(&lines, out));
    err = pithi_out_close(&lines, pass(&w, &lines));
    if (fflush(out) != 0 || ferror(out))
        err = pithi_fail(PITH_ERR_IO, "the ALOG file cannot be written");
    if (!err) {
        pithi_losses_tell(&w.losses, w.how);
        pithi_note(w.how, w.no_line, "ends of messages with processes without a line are left out");
        pithi_note(w.how, w.changed_names, "names of definitions and lanes cut to 63 bytes or changed");
        pithi_note(w.how, w.changed_formats, "formats of payloads became %d or %s, or are left out");
        pithi_note(w.how, w.changed_payloads, "payloads cut to 99 bytes or changed");
    }
out:
    pithi_losses_close(&w.losses);
    free(w.line);
    free(w.main_line);
    free(w.numbers);
    pithi_map_free(&w.line_of);
    pithi_given_free(&w.given);
    return err;
}
