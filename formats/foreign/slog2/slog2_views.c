/* slog2_views.c - the line maps of a SLOG-2 file, which give the rank, thread and communicator of each line.
 *
 * Jumpshot's converter gives a separate line to each thread of each rank in each communicator. It writes two maps with
 * these columns, "Process View" (world_rank, thread) and "Communicator View" (commID, comm_rank, thread), and then the
 * "Identity Map". In files of other converters, the first two columns of the first map are taken as rank and thread. */
#include <stdlib.h>
#include <strings.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "foreign/slog2/slog2_scan.h"

/* A line map. */
struct map {
    struct pithi_slog2_bytes rows;
    uint32_t row_count, columns;         /* columns: number of columns */
    int64_t rank, thread, comm, in_comm; /* index of the column with this value; -1: the map has no such column */
    int worth; /* how well the map gives ranks and threads; the map with the highest value is used */
};

static int is(const char *label, size_t size, const char *word)
{
    return size == strlen(word) && strncasecmp(label, word, size) == 0;
}

static int read_map(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes, struct map *map)
{
    size_t size, row;
    *map = (struct map){.rank = -1, .thread = -1, .comm = -1, .in_comm = -1, .worth = 2};
    pithi_slog2_string(bytes, &size); /* the title of the map */
    map->columns = pithi_slog2_u32(bytes);
    for (uint32_t i = 0; i < map->columns && !bytes->failed; i++) {
        const char *label = pithi_slog2_string(bytes, &size);
        if (is(label, size, "world_rank")) {
            map->rank = i;
            map->worth = 3;
        } else if (is(label, size, "thread")) {
            map->thread = i;
        } else if (is(label, size, "commID")) {
            map->comm = i;
        } else if (is(label, size, "comm_rank")) {
            map->in_comm = i;
        } else if (is(label, size, "LineID")) {
            map->worth = 1;
        }
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

/* Reads the next row. Returns its line number and sets *value and *other to its values in the columns `first` and
 * `second`. */
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

static int is_placed(const struct pithi_slog2_line *line)
{
    return line->rank >= -1 && line->rank < INT32_MAX && line->thread >= 0;
}

/* Sorts lines by rank and thread, so that the log has its lanes in this order. */
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
    CHECK(pithi_writer_lane(scan->writer, line->rank, (uint32_t)line->thread, NULL, &line->lane));
    line->has_lane = 1;
    return PITH_OK;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* Gets the world ranks of the members of a communicator, in the order of their ranks in the communicator. Returns their
 * number, or 0 if some are unknown. */
static int32_t members_of(struct pithi_slog2_line *const *lines, uint32_t count, int32_t *ranks)
{
    int32_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i]->in_comm == size && is_placed(lines[i]))
            ranks[size++] = lines[i]->rank;
        else if (lines[i]->in_comm != size - 1) /* skips a line of another thread of the rank before */
            return 0;
    }
    return size;
}

/* Adds numbers to the hash `key`. The key of a communicator is a hash of its number in the file and its members, so
 * that two files of the same run have the same keys. */
static uint64_t key_of(const int32_t *numbers, int32_t count, uint64_t key)
{
    for (int32_t i = 0; i < count; i++)
        key = pithi_hash_byte(key, (uint32_t)numbers[i]);
    return key ? key : 1;
}

/* Defines a communicator, or an intercommunicator of two groups if `remote_size` is not 0. `numbers` are the numbers of
 * the groups in the file. */
static int define_comm(struct pithi_slog2_scan *scan, const int32_t numbers[2], int32_t *ranks, int32_t size,
                       int32_t remote_size, uint32_t *index)
{
    struct pithlog_comm comm = {.name = "", .size = size, .remote_size = remote_size, .world_ranks = ranks};
    comm.key = key_of(numbers, 2, PITHI_HASH);
    comm.key = key_of(ranks, size + remote_size, comm.key);
    return pithi_writer_comm(scan->writer, &comm, index);
}

/* Defines the communicators of all lines; number 0 is the world. */
static int make_comms(struct pithi_slog2_scan *scan, struct pithi_slog2_line **lines)
{
    int32_t *ranks = malloc((scan->line_count + (size_t)1) * sizeof *ranks);
    int err = PITH_OK;
    if (!ranks)
        return pithi_no_memory();
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

/* Finds the members of one group of an intercommunicator. It searches all lines, which is fast enough because
 * intercommunicators are few. If the search takes more than INTER_WORK steps, as in a file that was made to be slow,
 * the members stay unknown. */
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
        err = pithi_no_memory();
        goto out;
    }
    if ((uint64_t)scan->inter_comm.count * scan->line_count < INTER_WORK)
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
    *comm = from->comm_index;
    if (numbers[0] == numbers[1])
        return PITH_OK;
    *comm = 0;
    if (from->comm == 0 || to->comm == 0)
        return PITH_OK;
    known = pithi_map_at(&scan->inter_comm, pithi_map_pair((uint32_t)numbers[0], (uint32_t)numbers[1]));
    if (!known)
        return pithi_no_memory();
    if (!*known) {
        CHECK(define_inter(scan, numbers, comm));
        *known = *comm + (uint64_t)1;
    }
    *comm = (uint32_t)(*known - 1);
    return PITH_OK;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

/* Lines without drawables get lanes, too. But a lane takes some KB of memory. So if a small file has very many lines, a
 * lane is made only when its line is first used. */
enum { LANES_AT_ONCE = 4096, LANE_BYTES = 256 };

int pithi_slog2_scan_views(struct pithi_slog2_scan *scan, struct pithi_slog2_bytes *bytes)
{
    uint32_t count = pithi_slog2_u32(bytes);
    struct map map, ranks = {.worth = 0}, comms = {.comm = -1};
    for (uint32_t i = 0; i < count; i++) {
        CHECK(read_map(scan, bytes, &map));
        ranks = map.worth > ranks.worth ? map : ranks;
        comms = map.comm >= 0 && map.in_comm >= 0 ? map : comms;
    }
    if (count == 0 || bytes->failed)
        return pithi_slog2_wrong(scan, bytes, "there is no line map");
    /* Makes the lines from the map that has ranks and threads. A map that has communicators adds the communicator of
     * each line. */
    for (uint32_t row = 0; row < ranks.row_count; row++) {
        struct pithi_slog2_line line = {.in_comm = -1};
        int32_t number = read_row(&ranks, ranks.rank, ranks.thread, &line.rank, &line.thread);
        int fresh;
        struct pithi_slog2_line *at = pithi_item_at(&scan->line_of, (uint32_t)number, &scan->lines, &scan->line_count,
                                                    &scan->line_room, sizeof *at, &fresh);
        if (!at)
            return pithi_no_memory();
        if (fresh)
            *at = line;
    }
    for (uint32_t row = 0; comms.comm >= 0 && row < comms.row_count; row++) {
        int32_t comm = 0, in_comm = -1, number = read_row(&comms, comms.comm, comms.in_comm, &comm, &in_comm);
        uint64_t *place = pithi_map_find(&scan->line_of, (uint32_t)number);
        if (place && *place) {
            scan->lines[*place - 1].comm = comm;
            scan->lines[*place - 1].in_comm = in_comm;
        }
    }

    struct pithi_slog2_line **lines = malloc((scan->line_count + (size_t)1) * sizeof *lines);
    int err;
    if (!lines)
        return pithi_no_memory();
    for (uint32_t i = 0; i < scan->line_count; i++)
        lines[i] = &scan->lines[i];
    if (scan->line_count <= LANES_AT_ONCE + scan->input->size / LANE_BYTES) {
        qsort(lines, scan->line_count, sizeof *lines, by_lane);
        for (uint32_t i = 0; i < scan->line_count; i++)
            if (is_placed(lines[i]))
                TRY(make_lane(scan, lines[i]));
    }
    TRY(make_comms(scan, lines));
out:
    free(lines);
    return err;
}

/* If a cut removed the line maps, pithi_slog2_line adds only lines with lower numbers than this, because a damaged file
 * may have any number. */
enum { UNTOLD_MAX = 1 << 17 };
int pithi_slog2_line(struct pithi_slog2_scan *scan, int32_t number, const struct pithi_slog2_line **line)
{
    uint64_t *place = pithi_map_find(&scan->line_of, (uint32_t)number);
    if (!place && scan->cut && number >= 0 && number < UNTOLD_MAX) {
        /* A cut removed the line maps, so line N becomes rank N. */
        struct pithi_slog2_line *untold = pithi_item_at(&scan->line_of, (uint32_t)number, &scan->lines,
                                                        &scan->line_count, &scan->line_room, sizeof *untold, NULL);
        if (!untold)
            return pithi_no_memory();
        *untold = (struct pithi_slog2_line){.rank = number, .in_comm = -1};
        place = pithi_map_find(&scan->line_of, (uint32_t)number);
    }
    struct pithi_slog2_line *found = place && *place ? &scan->lines[*place - 1] : NULL;
    *line = found && is_placed(found) ? found : NULL;
    return *line && !found->has_lane ? make_lane(scan, found) : PITH_OK;
}
