/* lane_summary.c - makes the sheets of a lane and their list in the index.
 *
 * The encoder of a block has a code for each record; the summary has a symbol for each change of the open states
 * (paths.h). Codes and symbols are numbered in order of occurrence, but a code lives for one block and a symbol for the
 * whole lane. So each block has a table from its codes to the lane's symbols, of at most 255 entries, and its records
 * need not be read:
 *
 *     block 1     0: enter A, 1: enter B, 2: leave innermost       codes 0 1 2 -> symbols 0 1 2
 *     block 2     0: leave innermost, 1: enter A                   codes 0 1   -> symbols 2 0
 *
 * The places of all sheets and the paths are in the index of the rank, so that a reader finds the sheet of a time
 * without reading any sheets. */
#include "native/lane_summary.h"

#include "base/error.h"
#include "base/zip.h"
#include "native/chunk.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "no memory for the summary of a lane"); }

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

struct target {
    struct pithi_lane_summary *summary; /* gets the places */
    int32_t rank;                       /* for the chunk's head */
    const struct pithi_sink *sink;      /* gets the sheets */
};

/* Writes one sheet as a chunk and keeps its place for the index. */
static int put_sheet(void *context, const void *payload, size_t size)
{
    struct target *target = context;
    struct pithi_lane_summary *s = target->summary;
    struct pithi_sheet sheet;
    size_t total;
    if (!pithi_grow(&s->places, s->count, &s->room, sizeof *s->places))
        return no_memory();
    unsigned char *chunk = pithi_chunk_make(PITHI_C_SHEET, target->rank, payload, size, &total);
    if (!chunk)
        return no_memory();
    pithi_sheet_get(payload, size, size, &sheet);
    struct pithi_sheet_place *place = &s->places[s->count];
    *place = (struct pithi_sheet_place){0, sheet.start_ns, sheet.end_ns, (uint32_t)size, sheet.records};
    int err = target->sink->append(target->sink->context, chunk, total, &place->offset);
    free(chunk);
    /* after an error the place does not count */
    s->count += err == PITH_OK;
    return err;
}

/* Returns the symbol of each record of a block in which the code of a record does not always determine its symbol. For
 * an escape, kind and definition are in the next entry of the escape column. If states ended in holes, the codes do not
 * help either: they refer to OPEN, in which such states stay, so "LEAVE of the innermost state" may mean one that has
 * ended. The symbols then come from the records themselves. Returns NULL if there is no memory, or if there are too
 * many symbols. */
static uint16_t *symbols_of_records(struct pithi_summary *builder, const struct pithi_encoder *e,
                                    const uint16_t of_code[256])
{
    const struct pithi_buffer *escape = &e->column[PITHI_COL_ESCAPE];
    const unsigned char *codes = e->column[PITHI_COL_WHAT].data, *p = escape->data, *end = p + escape->size;
    uint16_t *symbols = malloc(e->head.count * sizeof *symbols);
    uint32_t bad = 0;
    for (uint32_t i = 0; symbols && i < e->head.count; i++) {
        uint64_t kind, what;
        /* The code of most records determines their symbol; the kind and definition of an escape are in the escape
         * column. */
        symbols[i] = of_code[codes[i]];
        if (e->has_gone) {
            kind = e->said[i] >> 2 & 15;
            what = e->said[i] >> PITHI_SAID_BITS;
        } else if (codes[i] != PITHI_CODE_ESCAPE || !(p = pithi_get_varint(p, end, &kind)) ||
                   !(p = pithi_get_varint(p, end, &what))) {
            continue;
        }
        uint32_t symbol = pithi_summary_symbol(builder, pithi_change_of((uint32_t)kind, (uint32_t)what));
        bad |= symbol == UINT32_MAX;
        symbols[i] = (uint16_t)symbol;
    }
    if (bad) {
        free(symbols);
        return NULL;
    }
    return symbols;
}

/* Frees what building needs. The places of sheets and the list stay, because the index is written later. */
static void end(struct pithi_lane_summary *s)
{
    pithi_summary_free(s->builder);
    s->builder = NULL;
    if (s->paths)
        pithi_paths_free(s->paths);
    free(s->paths);
    s->paths = NULL;
}

/* Gives up the lane's summary. Sheets already written stay in the file, but nothing refers to them. */
static int give_up_without_memory(struct pithi_lane_summary *s, int err)
{
    if (err != PITH_ERR_MEMORY)
        return err;
    end(s);
    s->count = 0;
    s->list.size = 0;
    s->given_up = 1;
    return PITH_OK;
}

static int add_block(struct pithi_lane_summary *s, const struct pithi_encoder *e, struct target *target,
                     uint32_t sheet_records)
{
    int is_framed = e->nested && !e->has_gone; /* frames are made from OPEN, which keeps states that ended in holes */
    struct pithi_changes changes = {.count = e->head.count,
                                    .steps_ns = e->steps,
                                    .codes = e->column[PITHI_COL_WHAT].data,
                                    .frames = is_framed ? e->frames : NULL,
                                    .innermost = e->innermost,
                                    .frames_before = e->frames_before,
                                    .holes = e->holes,
                                    .hole_count = e->hole_count};
    uint16_t of_code[256] = {0}, *symbols = NULL;
    int err;
    if (!s->builder) {
        s->paths = calloc(1, sizeof *s->paths);
        if (s->paths && pithi_paths_begin(s->paths))
            s->builder = pithi_summary_new(e->head.thread, s->paths);
        if (!s->builder)
            return no_memory();
        pithi_summary_limit(s->builder, sheet_records);
    }
    /* The dictionary of the encoder has each code's kind and definition, which is all that a symbol depends on. */
    uint32_t bad = 0;
    for (uint32_t i = 0; i < e->dict_count; i++) {
        uint32_t symbol = pithi_summary_symbol(s->builder, pithi_change_of(e->dict[i].kind, e->dict[i].what));
        of_code[i] = (uint16_t)symbol;
        bad |= symbol == UINT32_MAX;
    }
    if (bad)
        return no_memory();
    if (((e->has_gone || e->column[PITHI_COL_ESCAPE].size > 0) &&
         !(symbols = symbols_of_records(s->builder, e, of_code))))
        return no_memory();
    changes.of_code = of_code;
    changes.symbols = symbols;
    err = pithi_summary_add(s->builder, &changes, put_sheet, target);
    free(symbols);
    s->records += e->head.count;
    return err;
}

int pithi_lane_summary_block(struct pithi_lane_summary *s, const struct pithi_encoder *e, int32_t rank,
                             uint32_t sheet_records, const struct pithi_sink *sink)
{
    struct target target = {s, rank, sink};
    return s->given_up ? PITH_OK : give_up_without_memory(s, add_block(s, e, &target, sheet_records));
}

/* Ends the lane's list with the paths and a CRC over them. */
static int add_end(struct pithi_lane_summary *s, struct target *target)
{
    unsigned char crc[4];
    int err = pithi_summary_end(s->builder, put_sheet, target);
    if (err != PITH_OK)
        return err;
    if (!pithi_paths_put(s->paths, &s->list))
        return no_memory();
    pithi_put32(crc, pithi_crc(s->list.data, s->list.size));
    return pithi_buffer_add(&s->list, crc, sizeof crc) ? PITH_OK : no_memory();
}

/* Short lanes get no summary, because reading their records is as fast (PITHI_SUMMARY_LEAST). */
int pithi_lane_summary_end(struct pithi_lane_summary *s, int32_t rank, const struct pithi_sink *sink)
{
    struct target target = {s, rank, sink};
    int err = PITH_OK;
    if (s->builder && s->records >= PITHI_SUMMARY_LEAST)
        err = give_up_without_memory(s, add_end(s, &target));
    end(s);
    return err;
}

void pithi_lane_summary_free(struct pithi_lane_summary *s)
{
    end(s);
    free(s->places);
    free(s->list.data);
}

/* ---- In the index ------------------------------------------------------------------------------------------------ */

uint64_t pithi_lane_summary_size(const struct pithi_lane_summary *s)
{
    return (uint64_t)s->count * PITHI_INDEX_SHEET + pithi_pad8(s->list.size);
}

int pithi_lane_summary_put(const struct pithi_lane_summary *s, uint64_t base, struct pithi_buffer *out)
{
    static const unsigned char zeros[8];
    out->size = 0;
    if (!pithi_buffer_reserve(out, (size_t)pithi_lane_summary_size(s)))
        return no_memory();
    for (uint32_t i = 0; i < s->count; i++, out->size += PITHI_INDEX_SHEET) {
        /* 40 bytes for each sheet. `base`, where this rank's segment begins in the file, is added to the offsets. */
        unsigned char *p = out->data + out->size;
        pithi_put64(p, base + s->places[i].offset);
        pithi_put64(p + 8, (uint64_t)s->places[i].start_ns);
        pithi_put64(p + 16, (uint64_t)s->places[i].end_ns);
        pithi_put32(p + 24, s->places[i].size);
        pithi_put32(p + 28, s->places[i].records);
        pithi_put32(p + 32, 0);
        pithi_put32(p + 36, pithi_crc(p, 36));
    }
    pithi_buffer_add(out, s->list.data, s->list.size);
    /* pads to a multiple of 8, where the next lane's list begins */
    pithi_buffer_add(out, zeros, (size_t)(pithi_pad8(s->list.size) - s->list.size));
    return PITH_OK;
}

/* Reads the place of a sheet from the index. Returns 1, or 0 if it is damaged. */
static int get_place(const unsigned char *p, struct pithi_sheet_place *place)
{
    *place = (struct pithi_sheet_place){pithi_get64(p), (int64_t)pithi_get64(p + 8), (int64_t)pithi_get64(p + 16),
                                        pithi_get32(p + 24), pithi_get32(p + 28)};
    return pithi_get32(p + 36) == pithi_crc(p, 36) && place->offset % 8 == 0 && place->start_ns <= place->end_ns &&
           place->records > 0 && place->records <= PITHI_SHEET_RECORDS &&
           /* a sheet has at least the pieces of all levels; exact sums follow them */
           place->size >=
               pithi_sheet_level(place->records, 0) + pithi_sheet_pieces(place->records, 0) * PITHI_PIECE_BYTES;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* This section reads and writes sheets (summary.h), and reads the list of a lane's sheets and paths from an index. All
 * data read is checked. */

/* ---- A sheet ----------------------------------------------------------------------------------------------------- */

void pithi_sheet_put(unsigned char *p, const struct pithi_sheet *sheet)
{
    memset(p, 0, PITHI_SHEET_HEAD);
    pithi_put32(p + 4, sheet->thread);
    pithi_put32(p + 8, sheet->records);
    pithi_put32(p + 12, sheet->exact_bytes);
    pithi_put64(p + 16, sheet->before);
    pithi_put64(p + 24, (uint64_t)sheet->start_ns);
    pithi_put64(p + 32, (uint64_t)sheet->end_ns);
    pithi_put64(p + 40, sheet->unit);
}

void pithi_piece_put(unsigned char *p, const struct pithi_piece *piece)
{
    pithi_put32(p, piece->start);
    for (int i = 0; i < PITHI_PIECE_TOP; i++)
        pithi_put16(p + 4 + 2 * i, piece->path[i]);
    memcpy(p + 10, piece->share, PITHI_PIECE_TOP);
    p[13] = piece->events;
    pithi_put16(p + 14, piece->event);
}

int pithi_sheet_get(const unsigned char *p, uint64_t here, uint64_t size, struct pithi_sheet *sheet)
{
    if (here < PITHI_SHEET_HEAD)
        return 0;
    sheet->thread = pithi_get32(p + 4);
    sheet->records = pithi_get32(p + 8);
    sheet->exact_bytes = pithi_get32(p + 12);
    sheet->before = pithi_get64(p + 16);
    sheet->start_ns = (int64_t)pithi_get64(p + 24);
    sheet->end_ns = (int64_t)pithi_get64(p + 32);
    sheet->unit = pithi_get64(p + 40);
    if (sheet->records == 0 || sheet->records > PITHI_SHEET_RECORDS || sheet->end_ns < sheet->start_ns ||
        sheet->unit == 0)
        return 0;
    /* The CRC covers only the coarse levels, which come first, so that a reader that needs only these need not read the
     * rest. */
    uint32_t coarse = pithi_sheet_coarse(sheet->records);
    uint64_t all = pithi_sheet_level(sheet->records, 0) +
                   (uint64_t)pithi_sheet_pieces(sheet->records, 0) * PITHI_PIECE_BYTES + sheet->exact_bytes;
    return here >= coarse && all == size && pithi_get32(p) == pithi_crc(p + 4, coarse - 4);
}

/* Reads the exact sums of a piece, one for each definition in it, and calls `tell` for each. Returns the byte after
 * them, or NULL if they are damaged. */
const unsigned char *pithi_exact_get(const unsigned char *p, const unsigned char *end, uint32_t def_count,
                                     struct pithi_exact_head *head,
                                     void (*tell)(void *context, const struct pithi_exact *exact), void *context)
{
    uint64_t count, id;
    if (!(p = pithi_get_varint(p, end, &head->length_ns)) || !(p = pithi_get_varint(p, end, &head->ties)) ||
        !(p = pithi_get_varint(p, end, &count)))
        return NULL;
    /* the lowest bit is set if the sums are inexact; the other bits are the number of definitions */
    head->inexact = count & 1;
    for (uint64_t i = 0; i < count >> 1; i++) {
        struct pithi_exact exact;
        if (!(p = pithi_get_varint(p, end, &id)) || id >= def_count || !(p = pithi_get_varint(p, end, &exact.count)) ||
            !(p = pithi_get_varint(p, end, &exact.own_ns)) || !(p = pithi_get_varint(p, end, &exact.all_ns)))
            return NULL;
        exact.id = (uint32_t)id;
        if (tell)
            tell(context, &exact);
    }
    return p;
}

/* ---- The list of a lane's sheets --------------------------------------------------------------------------------- */

static int damaged(const struct pithlog *log, const struct pithi_log_lane *lane)
{
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: the list of a lane's sheets is damaged", log->path,
                      (unsigned long long)pithi_place(lane->sheets));
}

/* Reads the places of sheets. Returns 0 if there is a break between two of them, or if records of the lane are in none
 * of them. */
static int take_places(const struct pithi_log_lane *lane, const unsigned char *p, struct pithi_sheet_place *places)
{
    uint64_t records = 0;
    for (uint32_t i = 0; i < lane->sheet_count; i++, p += PITHI_INDEX_SHEET) {
        if (!get_place(p, &places[i]) || (i > 0 && places[i].start_ns != places[i - 1].end_ns))
            return 0;
        records += places[i].records;
    }
    /* A summary with fewer records than the lane would hide the rest of the lane. */
    return records == lane->seen.records && places[0].start_ns == lane->seen.first_ns &&
           places[lane->sheet_count - 1].end_ns == lane->seen.last_ns;
}

int pithi_log_sheets(struct pithlog *log, const struct pithi_log_lane *lane, struct pithi_lane_sheets *sheets)
{
    size_t list = (size_t)lane->sheet_count * PITHI_INDEX_SHEET;
    struct pithi_buffer bytes = {0};
    int err = PITH_OK;
    *sheets = (struct pithi_lane_sheets){.count = lane->sheet_count};
    if (lane->sheet_count == 0 || lane->path_bytes < 5)
        return damaged(log, lane);
    if (!pithi_buffer_reserve(&bytes, list + lane->path_bytes) ||
        !(sheets->places = malloc(lane->sheet_count * sizeof *sheets->places)))
        err = pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", log->path);
    if (err == PITH_OK)
        err = pithi_files_read(&log->files, lane->sheets, bytes.data, list + lane->path_bytes);
    const unsigned char *p = bytes.data + list;
    uint32_t size = lane->path_bytes - 4;
    if (err == PITH_OK &&
        (!take_places(lane, bytes.data, sheets->places) || pithi_get32(p + size) != pithi_crc(p, size) ||
         !pithi_paths_get(&sheets->paths, p, size, log->info.defs)))
        err = damaged(log, lane);
    free(bytes.data);
    if (err != PITH_OK)
        pithi_lane_sheets_free(sheets);
    return err;
}

void pithi_lane_sheets_free(struct pithi_lane_sheets *sheets)
{
    free(sheets->places);
    pithi_paths_free(&sheets->paths);
    *sheets = (struct pithi_lane_sheets){0};
}

/* Loads the summary of a lane. Returns NULL if the lane has none or a damaged one; in both cases the reader reads the
 * lane's records instead. */
static struct pithi_lane_sheets *load(struct pithlog *log, uint32_t number)
{
    const struct pithi_log_lane *lane;
    struct pithi_lane_sheets *sheets = NULL;
    if (pithi_log_lane(log, number, &lane) != PITH_OK || lane->sheet_count == 0 || !(sheets = malloc(sizeof *sheets)))
        return NULL;
    if (pithi_log_sheets(log, lane, sheets) == PITH_OK)
        return sheets;
    free(sheets);
    return NULL;
}

static void drop(struct pithi_lane_sheets *sheets)
{
    if (sheets)
        pithi_lane_sheets_free(sheets);
    free(sheets);
}

const struct pithi_lane_sheets *pithi_log_kept_sheets(struct pithlog *log, uint32_t lane)
{
    /* The pointer is set once and never changed, so readers need no lock (part.c). */
    struct pithi_lane_sheets **at = &log->sheets[lane], *sheets = __atomic_load_n(at, __ATOMIC_ACQUIRE), *none = NULL;
    if (sheets || !(sheets = load(log, lane)))
        return sheets;
    if (__atomic_compare_exchange_n(at, &none, sheets, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return sheets;
    drop(sheets); /* another thread has loaded them first */
    return none;
}

void pithi_log_drop_sheets(struct pithlog *log)
{
    for (uint32_t i = 0; log->sheets && i < log->info.lanes; i++)
        drop(log->sheets[i]);
    free(log->sheets);
    log->sheets = NULL;
}
