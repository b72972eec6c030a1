/* slog2_views.c - the line maps of a SLOG-2 file: to which rank and thread a line belongs, and to which communicator.
 *
 * Jumpshot's converter gives each (communicator, rank in it, thread) a line of its own, and two maps that tell of them:
 * "Process View" (world_rank, thread) and "Communicator View" (commID, comm_rank, thread); behind them stands the
 * "Identity Map". Maps of other converters are taken by their place: the first one's columns are rank and thread. */
#include <stdlib.h>
#include <strings.h>

#include "error.h"
#include "native/map.h"
#include "slog2/slog2_scan.h"

/* Where something stands in the rows of a map; -1: it does not. */
struct map {
    struct pithi_slog2_bytes rows;
    uint32_t row_count, columns;
    int64_t rank, thread, comm, in_comm;
    int worth; /* as a map of ranks: the more the better */
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

static int is(const char *label, size_t size, const char *word)
{
    return size == strlen(word) && strncasecmp(label, word, size) == 0;
}

static void read_label(struct map *map, const char *label, size_t size, uint32_t column)
{
    if (is(label, size, "world_rank")) {
        map->rank = column;
        map->worth = 3;
    } else if (is(label, size, "thread")) {
        map->thread = column;
    } else if (is(label, size, "commID")) {
        map->comm = column;
    } else if (is(label, size, "comm_rank")) {
        map->in_comm = column;
    } else if (is(label, size, "LineID")) {
        map->worth = 1;
    }
}

static int read_map(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes, struct map *map)
{
    size_t size, row;
    *map = (struct map){.rank = -1, .thread = -1, .comm = -1, .in_comm = -1, .worth = 2};
    pithi_slog2_string(bytes, &size); /* its title */
    map->columns = pithi_slog2_u32(bytes);
    for (uint32_t i = 0; i < map->columns && !bytes->failed; i++) {
        const char *label = pithi_slog2_string(bytes, &size);
        read_label(map, label, size, i);
    }
    map->row_count = pithi_slog2_u32(bytes);
    map->rows = *bytes;
    row = 4 + 4 * (size_t)map->columns;
    if (bytes->failed || map->columns == 0 || map->row_count > (bytes->end - bytes->at) / row)
        return pithi_slog2_wrong(scan, bytes, "a line map has no columns, or more rows than it has room for");
    pithi_slog2_take(bytes, row * map->row_count);
    pithi_slog2_take(bytes, 4 * (size_t)pithi_slog2_u16(bytes)); /* methods */
    if (map->rank < 0) {
        map->rank = 0;
        map->thread = map->thread < 0 && map->columns > 1 ? 1 : map->thread;
    }
    return bytes->failed ? pithi_slog2_wrong(scan, bytes, NULL) : PITH_OK;
}

/* Of the next row the number of its line, and the columns that are asked for. */
static int32_t read_row(struct map *map, int64_t first, int64_t second, int32_t *value, int32_t *other)
{
    int32_t line = pithi_slog2_i32(&map->rows);
    for (uint32_t i = 0; i < map->columns; i++) {
        int32_t v = pithi_slog2_i32(&map->rows);
        *value = i == first ? v : *value;
        *other = i == second ? v : *other;
    }
    return line;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static int take_ranks(struct pithi_slog2_scan *scan, struct map *map)
{
    for (uint32_t i = 0; i < map->row_count; i++) {
        struct pithi_slog2_line line = {.in_comm = -1};
        int32_t number = read_row(map, map->rank, map->thread, &line.rank, &line.thread);
        uint64_t *place = pithi_lookup_at(&scan->line_of, (uint32_t)number);
        if (!place || !pithi_grow(&scan->lines, scan->line_count, &scan->line_room, sizeof *scan->lines))
            return no_memory();
        if (*place)
            continue;
        scan->lines[scan->line_count++] = line;
        *place = scan->line_count;
    }
    return PITH_OK;
}

static void take_comms(struct pithi_slog2_scan *scan, struct map *map)
{
    for (uint32_t i = 0; i < map->row_count; i++) {
        int32_t comm = 0, in_comm = -1, number = read_row(map, map->comm, map->in_comm, &comm, &in_comm);
        uint64_t *place = pithi_lookup_get(&scan->line_of, (uint32_t)number);
        if (place && *place) {
            scan->lines[*place - 1].comm = comm;
            scan->lines[*place - 1].in_comm = in_comm;
        }
    }
}

static int is_placed(const struct pithi_slog2_line *line)
{
    return line->rank >= -1 && line->rank < INT32_MAX && line->thread >= 0;
}

/* Lanes in their order, so that the log has them in it. */
static int by_lane(const void *a, const void *b)
{
    const struct pithi_slog2_line *x = *(struct pithi_slog2_line *const *)a, *y = *(struct pithi_slog2_line *const *)b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_comm(const void *a, const void *b)
{
    const struct pithi_slog2_line *x = *(struct pithi_slog2_line *const *)a, *y = *(struct pithi_slog2_line *const *)b;
    return x->comm != y->comm ? (x->comm > y->comm) - (x->comm < y->comm)
                              : (x->in_comm > y->in_comm) - (x->in_comm < y->in_comm);
}

static int make_lane(struct pithi_slog2_scan *scan, struct pithi_slog2_line *line)
{
    int err;
    TRY(pithi_writer_lane(scan->writer, line->rank, (uint32_t)line->thread, NULL, &line->lane));
    line->has_lane = 1;
out:
    return err;
}

/* Also those on which nothing lies; but a lane takes some KB of memory, so of a file that has little for very many of
 * them only those that are used, when they are. */
enum { LANES_AT_ONCE = 4096, LANE_BYTES = 256 };
static int make_lanes(struct pithi_slog2_scan *scan, struct pithi_slog2_line **lines)
{
    int err = PITH_OK;
    if (scan->line_count > LANES_AT_ONCE + scan->input->size / LANE_BYTES)
        return PITH_OK;
    qsort(lines, scan->line_count, sizeof *lines, by_lane);
    for (uint32_t i = 0; i < scan->line_count; i++)
        if (is_placed(lines[i]))
            TRY(make_lane(scan, lines[i]));
out:
    return err;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* World ranks in the order of a communicator's own: how many; 0: they are not known, or not all. */
static int32_t members_of(struct pithi_slog2_line *const *lines, uint32_t count, int32_t *ranks)
{
    int32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i]->in_comm == size && is_placed(lines[i]))
            ranks[size++] = lines[i]->rank;
        else if (lines[i]->in_comm != size - 1) /* that of another thread */
            return 0;
    }
    return size;
}

/* FNV-1a of its number and members: files of one run have the same keys. */
static uint64_t key_of(const int32_t *numbers, int32_t count, uint64_t key)
{
    for (int32_t i = 0; i < count; i++)
        key = (key ^ (uint32_t)numbers[i]) * UINT64_C(0x100000001b3);
    return key ? key : 1;
}

/* The lines of one communicator, or of two: an intercommunicator's groups. */
static int define_comm(struct pithi_slog2_scan *scan, const int32_t numbers[2], int32_t *ranks, int32_t size,
                       int32_t remote_size, uint32_t *index)
{
    struct pithlog_comm comm = {.name = "", .size = size, .remote_size = remote_size, .world_ranks = ranks};
    comm.key = key_of(numbers, 2, UINT64_C(0xcbf29ce484222325));
    comm.key = key_of(ranks, size + remote_size, comm.key);
    return pithi_writer_comm(scan->writer, &comm, index);
}

/* Number 0 is the world. */
static int make_comms(struct pithi_slog2_scan *scan, struct pithi_slog2_line **lines)
{
    int32_t *ranks = malloc((scan->line_count + (size_t)1) * sizeof *ranks);
    int err = PITH_OK;
    if (!ranks)
        return no_memory();
    qsort(lines, scan->line_count, sizeof *lines, by_comm);
    for (uint32_t i = 0, next; i < scan->line_count; i = next) {
        uint32_t index = 0;
        for (next = i + 1; next < scan->line_count && lines[next]->comm == lines[i]->comm;)
            next++;
        if (lines[i]->comm != 0)
            TRY(define_comm(scan, (int32_t[]){lines[i]->comm, 0}, ranks, members_of(lines + i, next - i, ranks), 0,
                            &index));
        for (uint32_t k = i; k < next; k++)
            lines[k]->comm_index = index;
    }
out:
    free(ranks);
    return err;
}

/* Members of one of the two groups, found anew: there are few intercommunicators. Where there are many, nobody wrote
 * that file, and their members are not asked for. */
enum { INTER_WORK = 1 << 24 };
static int32_t group_of(const struct pithi_slog2_scan *scan, int32_t comm, struct pithi_slog2_line **lines,
                        int32_t *ranks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->line_count; i++)
        if (scan->lines[i].comm == comm)
            lines[count++] = &scan->lines[i];
    qsort(lines, count, sizeof *lines, by_comm);
    return members_of(lines, count, ranks);
}

static int define_inter(struct pithi_slog2_scan *scan, const int32_t numbers[2], uint32_t *index)
{
    struct pithi_slog2_line **lines = malloc((scan->line_count + (size_t)1) * sizeof *lines);
    int32_t *ranks = malloc((2 * scan->line_count + (size_t)1) * sizeof *ranks), local = 0, remote = 0;
    int err = PITH_OK;
    if (!lines || !ranks) {
        err = no_memory();
        goto out;
    }
    if ((uint64_t)scan->inter_comm.used * scan->line_count < INTER_WORK)
        local = group_of(scan, numbers[0], lines, ranks);
    if (local)
        remote = group_of(scan, numbers[1], lines, ranks + local);
    TRY(define_comm(scan, numbers, ranks, remote ? local : 0, remote, index));
out:
    free(lines);
    free(ranks);
    return err;
}

int pithi_slog2_message_comm(struct pithi_slog2_scan *scan, const struct pithi_slog2_line *from,
                             const struct pithi_slog2_line *to, uint32_t *comm)
{
    int32_t numbers[2] = {from->comm < to->comm ? from->comm : to->comm, from->comm < to->comm ? to->comm : from->comm};
    uint64_t *known;
    int err = PITH_OK;
    *comm = from->comm_index;
    if (numbers[0] == numbers[1])
        return PITH_OK;
    *comm = 0;
    if (from->comm == 0 || to->comm == 0)
        return PITH_OK;
    known = pithi_lookup_at(&scan->inter_comm, pithi_lookup_pair((uint32_t)numbers[0], (uint32_t)numbers[1]));
    if (!known)
        return no_memory();
    if (!*known) {
        TRY(define_inter(scan, numbers, comm));
        *known = *comm + (uint64_t)1;
    }
    *comm = (uint32_t)(*known - 1);
out:
    return err;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static int make_places(struct pithi_slog2_scan *scan)
{
    struct pithi_slog2_line **lines = malloc((scan->line_count + (size_t)1) * sizeof *lines);
    int err;
    if (!lines)
        return no_memory();
    for (uint32_t i = 0; i < scan->line_count; i++)
        lines[i] = &scan->lines[i];
    TRY(make_lanes(scan, lines));
    TRY(make_comms(scan, lines));
out:
    free(lines);
    return err;
}

int pithi_slog2_scan_views(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes)
{
    uint32_t count = pithi_slog2_u32(bytes);
    struct map map, ranks = {.worth = 0}, comms = {.comm = -1};
    int err = PITH_OK;
    for (uint32_t i = 0; i < count; i++) {
        TRY(read_map(scan, bytes, &map));
        ranks = map.worth > ranks.worth ? map : ranks;
        comms = map.comm >= 0 && map.in_comm >= 0 ? map : comms;
    }
    if (count == 0 || bytes->failed)
        return pithi_slog2_wrong(scan, bytes, "there is no line map");
    TRY(take_ranks(scan, &ranks));
    if (comms.comm >= 0)
        take_comms(scan, &comms);
    TRY(make_places(scan));
out:
    return err;
}

/* A line that no map tells of, since the maps were cut off. */
enum { UNTOLD_MAX = 1 << 17 };
static int add_untold(struct pithi_slog2_scan *scan, int32_t number)
{
    uint64_t *place = pithi_lookup_at(&scan->line_of, (uint32_t)number);
    if (!place || !pithi_grow(&scan->lines, scan->line_count, &scan->line_room, sizeof *scan->lines))
        return no_memory();
    scan->lines[scan->line_count++] = (struct pithi_slog2_line){.rank = number, .in_comm = -1};
    *place = scan->line_count;
    return PITH_OK;
}

int pithi_slog2_line(struct pithi_slog2_scan *scan, int32_t number, const struct pithi_slog2_line **line)
{
    uint64_t *place = pithi_lookup_get(&scan->line_of, (uint32_t)number);
    if (!place && scan->cut && number >= 0 && number < UNTOLD_MAX) {
        int err = add_untold(scan, number);
        if (err != PITH_OK)
            return err;
        place = pithi_lookup_get(&scan->line_of, (uint32_t)number);
    }
    struct pithi_slog2_line *found = place && *place ? &scan->lines[*place - 1] : NULL;
    *line = found && is_placed(found) ? found : NULL;
    return *line && !found->has_lane ? make_lane(scan, found) : PITH_OK;
}
