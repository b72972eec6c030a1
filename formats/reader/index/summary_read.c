/* summary_read.c - reports the pieces of a lane, and sums its times. It takes them from the sheets of the log
 * (native/summary.h). For a lane without usable sheets, it makes sheets from the records, in a temporary file.
 *
 * Pieces. For a picture, the caller gives the length of a pixel column. Beginning at the top of each sheet, a piece
 * that is not longer than a column is reported as it is; a longer one is replaced by the four pieces inside it. So the
 * number of pieces follows the width of the picture, not the number of records: 500,000 records, spread evenly over 500
 * columns, are reported as 977 pieces of 512 records, since pieces of the next level, 2,048 records, are longer than a
 * column.
 *
 * Sums must be exact, so they use whole pieces of level 3 inside the window, and read records at both ends:
 *
 *     window             |------------------------------------|
 *     level 3     a..........b..........c..........d..........e
 *                        |   |   sums   |   sums   |          |
 *                        records                    records
 *
 * Records whose time is exactly that of a border between pieces may belong to the piece before or after it. The `ties`
 * of the piece before count its enters and leaves of that time, so that no record is summed twice (struct summing).
 *
 * Holes. If the log says which states end in the holes of a lane (native/lost_states.h), the lane's sheets count the
 * time in holes for no state. The stored sums of other lanes with holes are wrong, so these lanes are summed from their
 * records. */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/far.h"
#include "base/file_at.h"
#include "base/temporary.h"
#include "native/log.h"
#include "native/stack.h"
#include "native/lane_summary.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "reader/read/match.h"
#include "reader/index/sketch.h"
#include "reader/index/summary_read.h"

/* The sheets made from a lane's records, and their places in the temporary file. */
struct made {
    struct pithi_lane_sheets sheets;
    uint32_t room; /* allocated items of sheets.places */
    /* is_at_hole is 1 if records are missing before the next record; has_holes is 1 if records are missing somewhere in
     * the lane. */
    int is_at_hole, has_holes;
};

/* The sheets of one lane. */
struct known {
    const struct pithi_lane_sheets *sheets; /* the log's sheets or made->sheets; NULL: not requested so far */
    struct made *made;                      /* NULL: the sheets are those of the log */
};

struct pithlog_summary {
    struct pithlog *log;
    struct pithi_sketch *sketch; /* used in place of sheets while a coarse picture is enough; NULL: none */
    int fd;                      /* the temporary file; -1: none yet */
    uint64_t fd_size;            /* bytes written to `fd` */
    struct known *lanes;         /* [lanes] */
    /* the current sheet: */
    uint32_t lane;
    uint64_t at; /* offset of the sheet; UINT64_MAX: none is current */
    /* The sheets of all lanes below `expected` are announced for reading (base/far.h), for this window and column
     * length. */
    uint32_t expected;
    int64_t expected_from_ns, expected_to_ns, expected_length_ns;
    /* asked: the last lane whose pieces were requested. asked_end: 1 + the last lane requested for the previous
     * picture. */
    uint32_t asked, asked_end;
    struct pithi_sheet sheet;
    struct pithi_buffer bytes; /* payload of the sheet, all or only its coarse levels */
    int whole;                 /* 1: `bytes` has level 0, too */
};

int pithlog_summary_open(struct pithlog *log, struct pithlog_summary **summary)
{
    struct pithlog_summary *s = *summary = calloc(1, sizeof *s);
    if (s) {
        s->log = log;
        s->fd = -1;
        s->at = UINT64_MAX;
        s->lanes = calloc(log->info.lanes + (size_t)1, sizeof *s->lanes);
        if (pithi_far_is_coarse() && !(s->sketch = pithi_sketch_open(log)))
            pithi_far_coarse(0);
    }
    if (s && s->lanes)
        return PITH_OK;
    pithlog_summary_close(s);
    *summary = NULL;
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", log->path);
}

static void forget(struct known *known)
{
    if (known->made)
        pithi_lane_sheets_free(&known->made->sheets);
    free(known->made);
    *known = (struct known){0};
}

void pithlog_summary_close(struct pithlog_summary *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->lanes && i < s->log->info.lanes; i++)
        forget(&s->lanes[i]);
    if (s->fd >= 0)
        close(s->fd);
    pithi_sketch_close(s->sketch);
    free(s->lanes);
    free(s->bytes.data);
    free(s);
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

struct making {
    struct pithlog_summary *summary;
    struct made *made; /* sheets of the lane that is read */
};

static int keep_sheet(void *context, const void *payload, size_t size)
{
    struct making *making = context;
    struct pithlog_summary *s = making->summary;
    struct pithi_lane_sheets *sheets = &making->made->sheets;
    struct pithi_sheet sheet;
    if (!pithi_sheet_get(payload, size, size, &sheet) ||
        !pithi_grow(&sheets->places, sheets->count, &making->made->room, sizeof *sheets->places))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", s->log->path);
    if (s->fd < 0 && (s->fd = pithi_temporary_file()) < 0)
        return pithi_fail(PITH_ERR_IO, "%s: no place for a temporary file: %s; set TMPDIR", s->log->path,
                          strerror(errno));
    if (pithi_write_at(s->fd, payload, size, s->fd_size) != size)
        return pithi_fail(PITH_ERR_IO, "%s: the temporary file for its summary cannot be written: %s; set TMPDIR",
                          s->log->path, strerror(errno));
    sheets->places[sheets->count++] =
        (struct pithi_sheet_place){s->fd_size, sheet.start_ns, sheet.end_ns, (uint32_t)size, sheet.records};
    s->fd_size += size;
    return PITH_OK;
}

/* A batch of records: for each the change that it makes, and the time since the record before. */
struct helping {
    uint16_t symbol[4096];  /* [count] the change, by its number in the sheet */
    uint64_t step_ns[4096]; /* [count] from the record before */
    size_t count;
    int64_t last_ns; /* time of the last record */
};

static int add_helping(struct pithi_summary *builder, const struct helping *h, struct making *making)
{
    struct pithi_changes changes = {.count = (uint32_t)h->count, .steps_ns = h->step_ns, .symbols = h->symbol};
    return pithi_summary_add(builder, &changes, keep_sheet, making);
}

static void meet_hole(void *context, uint32_t lane)
{
    struct made *made = context;
    (void)lane;
    made->is_at_hole = 1;
}

static int make_of_records(struct pithlog_iter *iter, struct pithi_summary *builder, struct making *making)
{
    struct helping *h = calloc(1, sizeof *h);
    struct pithlog_record r;
    int status, err = h ? PITH_OK : pithi_fail(PITH_ERR_MEMORY, "no memory for a summary");
    while (err == PITH_OK && (status = pithlog_iter_next(iter, &r)) != 0) {
        if (status < 0) /* leaves out damaged records */
            continue;
        making->made->has_holes |= making->made->is_at_hole || pithi_iter_part(iter) >= PITHI_PART_HOLE;
        if (pithi_iter_part(iter) == PITHI_PART_AFTER)
            break;
        uint32_t symbol = pithi_summary_symbol(builder, pithi_change_of(r.kind, r.id));
        if (symbol == UINT32_MAX)
            err = pithi_fail(PITH_ERR_MEMORY, "no memory for a summary");
        h->symbol[h->count] = (uint16_t)symbol;
        h->step_ns[h->count++] = (uint64_t)r.time_ns - (uint64_t)h->last_ns;
        h->last_ns = r.time_ns;
        if (err == PITH_OK && h->count == sizeof h->symbol / sizeof h->symbol[0]) {
            err = add_helping(builder, h, making);
            h->count = 0;
        }
    }
    if (err == PITH_OK)
        err = add_helping(builder, h, making);
    free(h);
    return err == PITH_OK ? pithi_summary_end(builder, keep_sheet, making) : err;
}

/* Returns the holes of the lane's LOST records; NULL if there are none before the lane's last record. */
static const struct pithi_lost_states *lost_of(struct pithlog *log, uint32_t lane)
{
    const struct pithi_lost_states *lost;
    int has_lost = pithi_lost_states_get(log, lane, &lost) == PITH_OK && lost &&
                   lost->holes[0].from_ns < pithlog_get_lane(log, lane)->last_ns;
    return has_lost ? lost : NULL;
}

/* Returns 1 if the lane's sheets in the log cannot be used: when they were made, it was not known which states ended in
 * the holes, or a block in a hole became unreadable later, so that the hole is longer now. */
static int is_in_doubt(struct pithlog *log, uint32_t lane)
{
    const struct pithi_lost_states *lost = lost_of(log, lane);
    return lost && (!lost->is_numbered || lost->is_wider);
}

static int make(struct pithlog_summary *s, uint32_t lane)
{
    struct known *known = &s->lanes[lane];
    struct making making = {s, known->made = calloc(1, sizeof *known->made)};
    struct pithi_paths *paths = making.made ? &making.made->sheets.paths : NULL;
    struct pithlog_query query = {
        .from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1, .flags = PITHLOG_CLIP};
    struct pithlog_iter *iter = NULL;
    struct pithi_summary *builder = NULL;
    int err = PITH_OK;
    if (!paths || !pithi_paths_begin(paths) || !(builder = pithi_summary_new(lane, paths)))
        err = pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", s->log->path);
    if (err == PITH_OK && (err = pithlog_iter_open(s->log, &query, &iter)) == PITH_OK) {
        making.made->has_holes = lost_of(s->log, lane) != NULL;
        pithi_iter_tell_holes(iter, (struct pithi_holes){meet_hole, making.made});
        err = make_of_records(iter, builder, &making);
    }
    pithlog_iter_close(iter);
    pithi_summary_free(builder);
    if (err == PITH_OK)
        known->sheets = &making.made->sheets;
    return err;
}

static int must_exist(const struct pithlog *log, uint32_t lane)
{
    return lane < log->info.lanes ? PITH_OK : pithi_fail(PITH_ERR_USAGE, "%s: there is no lane %u", log->path, lane);
}

/* Makes sure that a lane has sheets: those of the log if they are intact, else new ones. */
static int have(struct pithlog_summary *s, uint32_t lane)
{
    int err = must_exist(s->log, lane);
    if (err != PITH_OK)
        return err;
    struct known *known = &s->lanes[lane];
    if (!known->sheets && !is_in_doubt(s->log, lane))
        known->sheets = pithi_log_kept_sheets(s->log, lane);
    if (!known->sheets && (err = make(s, lane)) != PITH_OK)
        forget(known);
    return err;
}

/* ---- Reading sheets ---------------------------------------------------------------------------------------------- */

static int damaged(const struct pithlog_summary *s, const struct pithi_sheet_place *place)
{
    s->log->damages++;
    return pithi_fail(PITH_ERR_DAMAGED, "%s: byte %llu: the summary is damaged", s->log->path,
                      (unsigned long long)place->offset);
}

static int read_sheet(struct pithlog_summary *s, uint32_t lane, const struct pithi_sheet_place *place, uint32_t want)
{
    if (s->lanes[lane].made)
        return pithi_read_at(s->fd, s->bytes.data, want, place->offset) == want;
    return pithi_files_read(&s->log->files, place->offset + PITHI_CHUNK_HEAD, s->bytes.data, want) == PITH_OK;
}

/* Makes a sheet the current one: reads all of it if `whole` is 1, else its coarse levels. */
static int take(struct pithlog_summary *s, uint32_t lane, const struct pithi_sheet_place *place, int whole)
{
    uint32_t want = whole ? place->size : pithi_sheet_coarse(place->records);
    if (s->lane == lane && s->at == place->offset && (s->whole || !whole))
        return PITH_OK;
    s->at = UINT64_MAX;
    s->bytes.size = 0;
    if (!pithi_buffer_reserve(&s->bytes, want))
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a summary", s->log->path);
    if (!read_sheet(s, lane, place, want) || !pithi_sheet_get(s->bytes.data, want, place->size, &s->sheet) ||
        s->sheet.records != place->records)
        return damaged(s, place);
    s->lane = lane;
    s->at = place->offset;
    s->whole = whole;
    return PITH_OK;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

struct asking {
    struct pithlog_summary *summary;
    uint32_t lane;
    const struct pithi_sheet_place *place; /* the sheet in which pieces are searched */
    int64_t from_ns, to_ns, length_ns;     /* from_ns, to_ns: the window; length_ns: length of a column */
    uint32_t path_count;                   /* number of paths in the sheet's table */
    void (*tell)(void *context, const struct pithlog_piece *piece);
    void *context;
};

static int64_t start_of(const struct asking *asking, unsigned level, uint32_t index)
{
    const struct pithlog_summary *s = asking->summary;
    const unsigned char *p = s->bytes.data + pithi_sheet_level(s->sheet.records, level) + index * PITHI_PIECE_BYTES;
    uint64_t span = (uint64_t)s->sheet.end_ns - (uint64_t)s->sheet.start_ns, step = pithi_get32(p) * s->sheet.unit;
    return (int64_t)((uint64_t)s->sheet.start_ns + (step < span ? step : span));
}

static int64_t end_of(const struct asking *asking, unsigned level, uint32_t index)
{
    const struct pithi_sheet *sheet = &asking->summary->sheet;
    return index + 1 < pithi_sheet_pieces(sheet->records, level) ? start_of(asking, level, index + 1) : sheet->end_ns;
}

/* Reports a piece; or, if it is longer than a column, the pieces inside it. Level 0, which has three quarters of a
 * sheet's pieces, is read only if a piece of level 1 is too long. */
static int tell_within(const struct asking *asking, unsigned level, uint32_t index)
{
    int64_t start_ns = start_of(asking, level, index), end_ns = end_of(asking, level, index);
    int err = PITH_OK;
    if (end_ns <= asking->from_ns || start_ns >= asking->to_ns)
        return PITH_OK;
    if (level == 0 || (uint64_t)end_ns - (uint64_t)start_ns <= (uint64_t)asking->length_ns) {
        const struct pithlog_summary *s = asking->summary;
        struct pithi_piece stored;
        pithi_piece_get(s->bytes.data + pithi_sheet_level(s->sheet.records, level) + index * PITHI_PIECE_BYTES,
                        &stored);
        struct pithlog_piece piece = {start_ns, end_ns, {0}, {0}, stored.events, stored.event};
        for (int i = 0; i < PITHI_PIECE_TOP && stored.path[i] < asking->path_count; i++) {
            piece.path[i] = stored.path[i];
            piece.share[i] = stored.share[i];
        }
        asking->tell(asking->context, &piece);
        return PITH_OK;
    }
    if (level == PITHI_PIECE_COARSE && (err = take(asking->summary, asking->lane, asking->place, 1)) != PITH_OK)
        return err;
    uint32_t first = index * PITHI_PIECE_FAN, last = first + PITHI_PIECE_FAN;
    uint32_t count = pithi_sheet_pieces(asking->place->records, level - 1);
    for (uint32_t i = first; i < last && i < count; i++)
        CHECK(tell_within(asking, level - 1, i));
    return PITH_OK;
}

static int is_sketched(const struct pithlog_summary *s, uint32_t lane)
{
    return s->sketch && pithi_far_is_coarse() && lane < s->sketch->lanes;
}

const struct pithlog_path *pithlog_summary_paths(struct pithlog_summary *s, uint32_t lane, uint32_t *count)
{
    if (!is_sketched(s, lane) && have(s, lane) != PITH_OK)
        return NULL;
    const struct pithi_paths *paths = is_sketched(s, lane) ? &s->sketch->paths : &s->lanes[lane].sheets->paths;
    *count = paths->count;
    return paths->items;
}

/* blocks_most: the largest number of blocks of a lane that are announced. blocks_about: an estimate of how many blocks
 * the lane has in a window; it assumes that all blocks are equally long. */
static uint32_t blocks_most(const struct pithlog *log) { return 2 + 100 / log->info.lanes; }

static double blocks_about(const struct pithi_log_lane *lane, int64_t from_ns, int64_t to_ns)
{
    double span = (double)lane->seen.last_ns - (double)lane->seen.first_ns + 1;
    return ((double)to_ns - (double)from_ns) / span * lane->block_count;
}

/* Announces the blocks of a lane that an exact picture will read after the pieces. Announces none if the window has too
 * many blocks. Returns the bytes of the announced blocks. */
static uint64_t expect_blocks(struct pithlog *log, const struct pithi_log_lane *lane, int64_t from_ns, int64_t to_ns)
{
    struct pithi_log_window window = {0};
    struct pithi_log_block blocks[16];
    uint32_t most = blocks_most(log), count = 0;
    uint64_t bytes = 0;
    if (blocks_about(lane, from_ns, to_ns) > most)
        return 0;
    for (uint32_t i = pithi_log_block_at(log, lane, from_ns, &window); i < lane->block_count; i++) {
        if (pithi_log_block(log, lane, i, &window, &blocks[count]) != PITH_OK || blocks[count].first_ns >= to_ns)
            break;
        if (++count > most || count == sizeof blocks / sizeof *blocks)
            return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        pithi_files_soon(&log->files, blocks[i].offset, blocks[i].size);
        bytes += blocks[i].size;
    }
    return bytes;
}

/* Announces data of the lanes from `lane` on that will probably be requested next: a picture requests one lane after
 * the other, mostly the same lanes as the previous picture. First announces the lists of blocks and sheets of these
 * lanes, then the sheets (or parts of them) that the window needs. */
static void expect_lanes(struct pithlog_summary *s, uint32_t lane, int64_t from_ns, int64_t to_ns, int64_t length_ns)
{
    /* A picture with more than FINE columns is exact. */
    enum { LANES = 16, LANES_MOST = 256, BYTES = 8 << 20, FINE = 4096 };
    uint64_t bytes = 0;
    if (lane < s->asked)
        s->asked_end = s->asked + 1;
    s->asked = lane;
    /* The more lanes the caller has requested, the more lanes are announced. */
    uint32_t more = lane < LANES ? LANES : lane < LANES_MOST ? lane : LANES_MOST;
    uint32_t end = lane < s->asked_end ? s->asked_end : lane + more;
    end = end < s->log->info.lanes ? end : s->log->info.lanes;
    int is_exact = length_ns < (to_ns - from_ns) / FINE;
    if (s->expected > lane && from_ns == s->expected_from_ns && to_ns == s->expected_to_ns &&
        length_ns == s->expected_length_ns)
        return;
    s->expected_from_ns = from_ns;
    s->expected_to_ns = to_ns;
    s->expected_length_ns = length_ns;
    for (uint32_t i = lane; i < end && bytes < BYTES; i++) {
        const struct pithi_log_lane *found;
        if (pithi_log_lane(s->log, i, &found) != PITH_OK || found->sheet_count == 0)
            continue;
        if (is_exact && !found->blocks && blocks_about(found, from_ns, to_ns) <= blocks_most(s->log)) {
            pithi_files_soon(&s->log->files, found->list, (uint64_t)found->block_count * PITHI_INDEX_BLOCK);
            bytes += (uint64_t)found->block_count * PITHI_INDEX_BLOCK;
        }
        uint64_t list = (uint64_t)found->sheet_count * PITHI_INDEX_SHEET + found->path_bytes;
        pithi_files_soon(&s->log->files, found->sheets, list);
        bytes += list;
    }
    bytes = 0;
    for (s->expected = lane; s->expected < end && bytes < BYTES; s->expected++) {
        const struct pithi_log_lane *found;
        if (s->lanes[s->expected].made || pithi_log_lane(s->log, s->expected, &found) != PITH_OK ||
            found->sheet_count == 0)
            continue;
        const struct pithi_lane_sheets *sheets = pithi_log_kept_sheets(s->log, s->expected);
        if (is_exact)
            bytes += expect_blocks(s->log, found, from_ns, to_ns);
        for (uint32_t i = 0; sheets && i < sheets->count; i++) {
            const struct pithi_sheet_place *place = &sheets->places[i];
            if (place->end_ns <= from_ns || place->start_ns >= to_ns)
                continue;
            uint32_t pieces = pithi_sheet_pieces(place->records, PITHI_PIECE_COARSE);
            int whole = ((uint64_t)place->end_ns - (uint64_t)place->start_ns) / pieces > (uint64_t)length_ns;
            uint32_t size = whole ? place->size : pithi_sheet_coarse(place->records);
            pithi_files_soon(&s->log->files, place->offset + PITHI_CHUNK_HEAD, size);
            bytes += size;
        }
    }
}

int pithlog_summary_pieces(struct pithlog_summary *s, uint32_t lane, int64_t from_ns, int64_t to_ns, int64_t length_ns,
                           void (*tell)(void *context, const struct pithlog_piece *piece), void *context)
{
    struct asking asking = {s, lane, NULL, from_ns, to_ns, length_ns > 0 ? length_ns : 0, 0, tell, context};
    if (is_sketched(s, lane)) {
        s->asked_end = lane < s->asked ? s->asked + 1 : s->asked_end;
        s->asked = lane;
        pithi_sketch_pieces(s->sketch, lane, from_ns, to_ns, tell, context);
        return PITH_OK;
    }
    int err = have(s, lane);
    if (err != PITH_OK)
        return err;
    if (pithi_far())
        expect_lanes(s, lane, from_ns, to_ns, asking.length_ns);
    const struct pithi_lane_sheets *sheets = s->lanes[lane].sheets;
    asking.path_count = sheets->paths.count;
    for (uint32_t i = 0; i < sheets->count && err == PITH_OK; i++) {
        asking.place = &sheets->places[i];
        if (asking.place->end_ns <= from_ns || asking.place->start_ns >= to_ns)
            continue;
        if ((err = take(s, lane, asking.place, 0)) == PITH_OK)
            err = tell_within(&asking, PITHI_PIECE_LEVELS - 1, 0);
    }
    return err;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

/* The sums of a lane in a window. The time in holes counts for no state. (Stored sums include records of blocks that
 * were damaged after writing. They do not include the lengths of the holes of LOST records.) Records of the same time
 * may lie on both sides of a border between pieces; `ties` counts those before the border. */
struct summing {
    struct pithlog *log;
    uint32_t lane;
    int64_t from_ns;                      /* begin of the window */
    int64_t run_ns;                       /* the time up to which all is summed */
    uint64_t ties;                        /* number of changes at run_ns that are already summed */
    struct pithlog_sum *sums;             /* [defs] the result, to which times and counts are added */
    int64_t end_ns;                       /* end of the lane's records in the window */
    int64_t own_ns;                       /* time in all states */
    int64_t missing_ns;                   /* total time of the holes in the window */
    int is_damaged;                       /* 1: some block could not be read */
    const struct pithi_lost_states *lost; /* NULL: no holes of LOST records */
    uint32_t next_lost;                   /* index of the next of these holes */
};

/* A run: the records from summing->run_ns up to to_ns. */
struct run {
    int64_t to_ns;             /* end of the run */
    uint64_t ties;             /* number of changes at to_ns that belong to the run */
    uint64_t at_start, at_end; /* changes found so far at run_ns; at to_ns */
};

/* Returns 1 if an ENTER or EVENT counts in this run. The ENTER of a state that is open at the window's start counts. A
 * record that was already counted with a piece does not count. */
static int counts(const struct summing *summing, struct run *run, const struct pithlog_record *r)
{
    if (r->time_ns < summing->run_ns)
        return summing->run_ns == summing->from_ns;
    if (r->time_ns == summing->run_ns && run->at_start++ < summing->ties)
        return 0;
    return r->time_ns < run->to_ns || (r->time_ns == run->to_ns && run->at_end++ < run->ties);
}

static void sum_step(struct summing *summing, struct run *run, const struct pithlog_step *step)
{
    const struct pithlog_record *r = step->record;
    int64_t length_ns = step->to_ns - step->from_ns;
    if (step->is == PITHLOG_IS_HOLE) {
        summing->missing_ns += length_ns;
    } else if (step->depth > 0) {
        summing->sums[step->open[step->depth - 1].id].own_ns += length_ns;
        summing->own_ns += length_ns;
    }
    if (step->change == PITHLOG_EDGE)
        summing->end_ns = step->to_ns > summing->end_ns ? step->to_ns : summing->end_ns;
    if (step->change == PITHLOG_ENDS && pithlog_step_is_outermost(step))
        summing->sums[step->open[step->at].id].all_ns += step->total_ns;
    if (step->change == PITHLOG_BEGINS && step->why == PITHLOG_AT_HOLE)
        summing->sums[r->id].count +=
            r->time_ns < run->to_ns && (r->start_ns >= summing->run_ns || summing->run_ns == summing->from_ns);
    else if (step->change == PITHLOG_BEGINS || (step->change == PITHLOG_HAPPENS && r->kind == PITHLOG_EVENT))
        summing->sums[r->id].count += (uint64_t)counts(summing, run, r);
    else if (r && r->kind == PITHLOG_LEAVE && step->why != PITHLOG_AT_HOLE)
        counts(summing, run, r); /* only counts the record as a tie if it is one */
}

static int sum_run(struct summing *summing, int64_t to_ns, uint64_t ties)
{
    struct pithlog_query query = {.from_ns = summing->run_ns,
                                  .to_ns = to_ns,
                                  .lanes = &summing->lane,
                                  .lane_count = 1,
                                  .kinds = 1u << PITHLOG_EVENT | 1u << PITHLOG_LEAVE};
    struct run run = {to_ns, ties, 0, 0};
    struct pithlog_walk *walk;
    struct pithlog_step step;
    int status;
    if (summing->run_ns == to_ns && summing->run_ns != summing->from_ns) /* no records lie between adjacent pieces */
        return PITH_OK;
    CHECK(pithlog_walk_open(summing->log, &query, &walk));
    while ((status = pithlog_walk_next(walk, &step)) != 0)
        if (status > 0)
            sum_step(summing, &run, &step);
        else
            summing->is_damaged = 1;
    pithlog_walk_close(walk);
    return PITH_OK;
}

static void add_exact(void *context, const struct pithi_exact *exact)
{
    struct summing *summing = context;
    struct pithlog_sum *sum = &summing->sums[exact->id];
    sum->count += exact->count;
    sum->own_ns += (int64_t)exact->own_ns;
    sum->all_ns += (int64_t)exact->all_ns;
    summing->own_ns += (int64_t)exact->own_ns;
}

/* Adds the pieces of the current sheet that lie in the window, and the runs of records between these pieces. */
static int sum_sheet(struct pithlog_summary *s, struct summing *summing, const struct pithi_sheet_place *place,
                     int64_t to_ns, uint64_t *ties)
{
    uint32_t count = pithi_sheet_pieces(s->sheet.records, PITHI_PIECE_EXACT);
    const unsigned char *end = s->bytes.data + place->size, *p = end - s->sheet.exact_bytes, *next;
    int64_t start_ns = s->sheet.start_ns, end_ns;
    struct pithi_exact_head head;
    for (uint32_t i = 0; i < count; i++, p = next, start_ns = end_ns, *ties = head.ties) {
        if (!(next = pithi_exact_get(p, end, s->log->info.defs, &head, NULL, NULL)))
            return damaged(s, place);
        end_ns = (int64_t)((uint64_t)start_ns + head.length_ns);
        /* takes only pieces strictly inside the window. If a piece's border is at the window's end, records of exactly
         * this time may lie on either side of it */
        if (start_ns <= summing->from_ns || start_ns < summing->run_ns || end_ns >= to_ns || head.inexact)
            continue;
        CHECK(sum_run(summing, start_ns, *ties));
        pithi_exact_get(p, end, s->log->info.defs, &head, add_exact, summing);
        /* Adds the lengths of the holes of LOST records in this piece. A hole is never in two pieces, because no record
         * lies in it. */
        const struct pithi_lost_states *lost = summing->lost;
        for (; lost && summing->next_lost < lost->hole_count; summing->next_lost++) {
            const struct pithi_lost_hole *hole = &lost->holes[summing->next_lost];
            if (hole->from_ns >= end_ns)
                break;
            if (hole->from_ns >= start_ns && hole->to_ns <= end_ns)
                summing->missing_ns += (int64_t)((uint64_t)hole->to_ns - (uint64_t)hole->from_ns);
        }
        summing->run_ns = end_ns;
        summing->ties = head.ties;
    }
    return PITH_OK;
}

int pithi_sums(struct pithlog *log, struct pithlog_summary *s, uint32_t lane, int64_t from_ns, int64_t to_ns,
               struct pithlog_sum *sums, struct pithlog_rest *rest, int *is_damaged)
{
    struct summing summing = {.log = log, .lane = lane, .from_ns = from_ns, .run_ns = from_ns, .sums = sums};
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    int64_t begin_ns = of && of->first_ns > from_ns ? of->first_ns : from_ns;
    int err = s ? have(s, lane) : must_exist(log, lane);
    int is_of_records =
        err == PITH_ERR_MEMORY || (err == PITH_OK && (!s || (s->lanes[lane].made && s->lanes[lane].made->has_holes)));
    summing.end_ns = of && of->last_ns < to_ns ? of->last_ns : to_ns;
    summing.lost = err == PITH_OK && !is_of_records ? lost_of(log, lane) : NULL;
    if (is_of_records) {
        err = sum_run(&summing, to_ns, 0);
    } else if (err == PITH_OK) {
        /* Adds the sums of a lane that has sheets. */
        const struct pithi_lane_sheets *sheets = s->lanes[summing.lane].sheets;
        uint64_t ties = 0;
        err = PITH_OK;
        for (uint32_t i = 0; err == PITH_OK && i < sheets->count; i++) {
            const struct pithi_sheet_place *place = &sheets->places[i];
            if (place->end_ns < summing.from_ns || place->start_ns >= to_ns)
                continue;
            if ((err = take(s, summing.lane, place, 1)) == PITH_OK)
                err = sum_sheet(s, &summing, place, to_ns, &ties);
        }
        err = err == PITH_OK ? sum_run(&summing, to_ns, 0) : err;
    }
    *is_damaged = summing.is_damaged;
    *rest = (struct pithlog_rest){summing.end_ns, 0, summing.missing_ns};
    if (err == PITH_OK && summing.end_ns > begin_ns && summing.end_ns - begin_ns > summing.own_ns + summing.missing_ns)
        rest->outside_ns = summing.end_ns - begin_ns - summing.own_ns - summing.missing_ns;
    return !s && err == PITH_OK && summing.is_damaged ? PITH_ERR_DAMAGED : err;
}

int pithlog_sums(struct pithlog *log, struct pithlog_summary *s, uint32_t lane, int64_t from_ns, int64_t to_ns,
                 struct pithlog_sum *sums, struct pithlog_rest *rest)
{
    int is_damaged;
    return pithi_sums(log, s, lane, from_ns, to_ns, sums, rest, &is_damaged);
}

int pithlog_summary_sums(struct pithlog_summary *s, uint32_t lane, int64_t from_ns, int64_t to_ns,
                         struct pithlog_sum *sums)
{
    struct pithlog_rest rest;
    return pithlog_sums(s->log, s, lane, from_ns, to_ns, sums, &rest);
}
