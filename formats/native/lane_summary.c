/* lane_summary.c - sheets and their list, see lane_summary.h. */
#include "native/lane_summary.h"

#include "native/chunk.h"

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "no memory for the summary of a lane"); }

/* ---- Sheets ------------------------------------------------------------------------------------------------------ */

struct target {
    struct pithi_lane_summary *summary;
    int32_t rank;
    const struct pithi_sink *sink;
};

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
    s->count += err == PITH_OK;
    return err;
}

static int begin(struct pithi_lane_summary *s, uint32_t thread, uint32_t sheet_records)
{
    s->paths = calloc(1, sizeof *s->paths);
    if (s->paths && pithi_paths_begin(s->paths))
        s->builder = pithi_summary_new(thread, s->paths);
    if (!s->builder)
        return no_memory();
    pithi_summary_limit(s->builder, sheet_records);
    return PITH_OK;
}

/* The symbols of a block's records, by their codes; of the escape, the next that its column holds. 0: no memory. */
static int symbols_of(struct pithi_summary *builder, const struct pithi_encoder *e, uint16_t *symbols)
{
    const struct pithi_buffer *escape = &e->column[PITHI_COL_ESCAPE];
    const unsigned char *codes = e->column[PITHI_COL_WHAT].data, *p = escape->data, *end = p ? p + escape->size : NULL;
    uint16_t of_code[256] = {0};
    uint32_t bad = 0, count = e->head.count, symbol;
    for (uint32_t i = 0; i < e->dict_count; i++) {
        symbol = pithi_summary_symbol(builder, pithi_change_of(e->dict[i].kind, e->dict[i].what));
        of_code[i] = (uint16_t)symbol;
        bad |= symbol == UINT32_MAX;
    }
    for (uint32_t i = 0; i < count; i++)
        symbols[i] = of_code[codes[i]];
    for (uint32_t i = 0; escape->size > 0 && i < count; i++) {
        uint64_t kind, what;
        if (codes[i] == PITHI_CODE_ESCAPE && (p = pithi_get_varint(p, end, &kind)) &&
            (p = pithi_get_varint(p, end, &what))) {
            symbol = pithi_summary_symbol(builder, pithi_change_of((uint32_t)kind, (uint32_t)what));
            bad |= symbol == UINT32_MAX;
            symbols[i] = (uint16_t)symbol;
        }
    }
    return !bad;
}

static void end(struct pithi_lane_summary *s)
{
    pithi_summary_free(s->builder);
    s->builder = NULL;
    if (s->paths)
        pithi_paths_free(s->paths);
    free(s->paths);
    s->paths = NULL;
}

/* Sheets that were written stay, and nothing names them. */
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
    uint16_t *symbols;
    int err;
    if (!s->builder && (err = begin(s, e->head.thread, sheet_records)) != PITH_OK)
        return err;
    if (!(symbols = malloc(e->head.count * sizeof *symbols)))
        return no_memory();
    err = symbols_of(s->builder, e, symbols)
              ? pithi_summary_add(s->builder, symbols, e->steps, e->head.count, put_sheet, target)
              : no_memory();
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

static void put_place(unsigned char *p, const struct pithi_sheet_place *place, uint64_t base)
{
    pithi_put64(p, base + place->offset);
    pithi_put64(p + 8, (uint64_t)place->start_ns);
    pithi_put64(p + 16, (uint64_t)place->end_ns);
    pithi_put32(p + 24, place->size);
    pithi_put32(p + 28, place->records);
    pithi_put32(p + 32, 0);
    pithi_put32(p + 36, pithi_crc(p, 36));
}

int pithi_lane_summary_put(const struct pithi_lane_summary *s, uint64_t base, struct pithi_buffer *out)
{
    static const unsigned char zeros[8];
    out->size = 0;
    if (!pithi_buffer_reserve(out, (size_t)pithi_lane_summary_size(s)))
        return no_memory();
    for (uint32_t i = 0; i < s->count; i++, out->size += PITHI_INDEX_SHEET)
        put_place(out->data + out->size, &s->places[i], base);
    pithi_buffer_add(out, s->list.data, s->list.size);
    pithi_buffer_add(out, zeros, (size_t)(pithi_pad8(s->list.size) - s->list.size));
    return PITH_OK;
}

int pithi_sheet_place_get(const unsigned char *p, struct pithi_sheet_place *place)
{
    *place = (struct pithi_sheet_place){pithi_get64(p), (int64_t)pithi_get64(p + 8), (int64_t)pithi_get64(p + 16),
                                        pithi_get32(p + 24), pithi_get32(p + 28)};
    return pithi_get32(p + 36) == pithi_crc(p, 36) && place->offset % 8 == 0 && place->start_ns <= place->end_ns &&
           place->records > 0 && place->records <= PITHI_SHEET_RECORDS &&
           place->size >=
               pithi_sheet_level(place->records, 0) + pithi_sheet_pieces(place->records, 0) * PITHI_PIECE_BYTES;
}
