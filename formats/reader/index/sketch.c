/* sketch.c - makes and reads sketches (sketch.h).
 *
 * For each column, the sketch keeps the path to the state where most of the time is spent: it begins with the outermost
 * state that has most time, goes on with the state inside it that has most time, and so on. It stops at states with
 * less than half a fifteenth of the known time, because such a share would round to 0 in 4 bits. For example, in a
 * column of 10 ms, 9.5 ms are known: 9 ms in main (8 of these in solve, 3 of these 8 in MPI_Send), and 0.5 ms outside
 * all states.
 *
 *     inner path    main solve MPI_Send     3 ms of 9.5 ms are about 5 fifteenths
 *     outer path    main solve              the other 6 ms in states, of 9.5 ms, are about 9 fifteenths
 *
 * The outer path is kept, too, because otherwise the bar for 9 ms in states would be drawn with the height of 3 ms. A
 * run of equal neighbouring columns is stored once with its length, so an idle lane takes a few bytes. */
#include "reader/index/sketch.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_at.h"
#include "native/log.h"
#include "reader/read/cache.h"

static const char magic[8] = {'P', 'i', 't', 'h', 'S', 'k', 'e', 't'};

enum { HEAD = 36, SHARES = 15 };
#define BYTES_MOST (UINT64_C(64) << 20)

/* ---- Making one -------------------------------------------------------------------------------------------------- */

/* The content of a column: a path of open states (inner), the outer states of this path (outer), and the shares of the
 * two. A share is a fraction of the column's known time. */
struct column {
    uint32_t inner, outer;             /* path numbers in the sketch; `inner` PITHI_PATH_NONE: nothing is known of the
                                          column */
    uint32_t inner_share, outer_share; /* in units of 1 / SHARES; outer_share comes on top of inner_share */
};

struct making {
    int64_t from_ns, to_ns, length_ns;
    struct pithi_paths *paths; /* of the sketch */
    struct pithi_buffer *out;
    int failed; /* 1: no memory */

    /* Fields of the current lane: */
    const struct pithlog_path *lane_paths;
    uint32_t path_count;
    double *time_ns;   /* [path_count] total time of each path in the current column */
    double outside_ns; /* time outside all states in the current column */
    uint16_t *touched; /* [touched_count] the paths that have time in the current column */
    uint32_t touched_count;
    uint32_t column;   /* the current column */
    struct column run; /* the content of the last `run_count` columns, which are equal and not written yet */
    uint32_t run_count;
};

static void end_run(struct making *m)
{
    if (!m->run_count)
        return;
    if (!pithi_buffer_reserve(m->out, 4 * PITHI_VARINT_MAX)) {
        m->failed = 1;
        return;
    }
    unsigned char *p = m->out->data + m->out->size;
    p = pithi_put_varint(p, m->run.inner);
    p = pithi_put_varint(p, m->run.outer);
    p = pithi_put_varint(p, m->run.inner_share << 4 | m->run.outer_share);
    p = pithi_put_varint(p, m->run_count);
    m->out->size = (size_t)(p - m->out->data);
    m->run_count = 0;
}

/* Returns the number that a lane's path has in the sketch; PITHI_PATH_NONE if the sketch's table of paths is full. */
static uint32_t path_of(struct making *m, uint32_t path)
{
    uint32_t parent = path ? path_of(m, m->lane_paths[path].parent) : 0;

    if (!path || parent == PITHI_PATH_NONE)
        return parent;
    return pithi_paths_enter(m->paths, parent, m->lane_paths[path].state);
}

static double all_ns(const struct making *m, uint32_t path) { return path ? m->time_ns[path] : 0; }

/* Makes the content of the current column from its times. */
static struct column judge(struct making *m)
{
    double in_states = 0;
    uint32_t inner = 0, outer;

    for (uint32_t i = 0; i < m->touched_count; i++)
        in_states += m->lane_paths[m->touched[i]].parent == 0 ? m->time_ns[m->touched[i]] : 0;
    double known = in_states + m->outside_ns, least = known / (2 * SHARES);
    if (known <= 0)
        return (struct column){.inner = PITHI_PATH_NONE};
    for (uint32_t found = 1; found;) {
        found = 0;
        for (uint32_t i = 0; i < m->touched_count; i++)
            if (m->lane_paths[m->touched[i]].parent == inner && m->time_ns[m->touched[i]] >= least &&
                m->time_ns[m->touched[i]] > all_ns(m, found))
                found = m->touched[i];
        inner = found ? found : inner;
    }
    for (outer = inner; outer && all_ns(m, outer) - all_ns(m, inner) < least;)
        outer = m->lane_paths[outer].parent;
    /* Without an outer path, the time in other states is added to the inner share, because a bar is as high as the time
     * in all states. */
    double part = inner && !outer ? in_states : all_ns(m, inner);
    return (struct column){.inner = path_of(m, inner),
                           .outer = path_of(m, outer),
                           .inner_share = (uint32_t)(part / known * SHARES + 0.5),
                           .outer_share = outer ? (uint32_t)((in_states - part) / known * SHARES + 0.5) : 0};
}

/* Ends the current column, and all further columns before `column`, of which nothing is known. */
static void end_columns(struct making *m, uint32_t column)
{
    for (; m->column < column; m->column++) {
        struct column now = judge(m);
        for (uint32_t i = 0; i < m->touched_count; i++)
            m->time_ns[m->touched[i]] = 0;
        m->touched_count = 0;
        m->outside_ns = 0;
        if (now.inner != m->run.inner || now.outer != m->run.outer || now.inner_share != m->run.inner_share ||
            now.outer_share != m->run.outer_share)
            end_run(m);
        m->run = now;
        m->run_count++;
    }
}

static void add_piece(void *context, const struct pithlog_piece *piece)
{
    struct making *m = context;
    int64_t from = piece->start_ns > m->from_ns ? piece->start_ns : m->from_ns;
    int64_t to = piece->end_ns < m->to_ns ? piece->end_ns : m->to_ns;

    while (from < to) {
        uint32_t column = (uint32_t)((from - m->from_ns) / m->length_ns);
        int64_t end = m->from_ns + (int64_t)(column + 1) * m->length_ns, until = end < to ? end : to;
        end_columns(m, column);
        for (int i = 0; i < PITHLOG_PIECE_PATHS && piece->share[i]; i++)
            if (piece->path[i] < m->path_count) {
                uint32_t path = piece->path[i];
                double ns = (double)(until - from) * piece->share[i];
                m->outside_ns += path ? 0 : ns;
                for (; path; path = m->lane_paths[path].parent) {
                    if (m->time_ns[path] == 0)
                        m->touched[m->touched_count++] = (uint16_t)path;
                    m->time_ns[path] += ns;
                }
            }
        from = until;
    }
}

int pithi_sketch_make(struct pithlog *log, int64_t from_ns, int64_t to_ns, uint32_t columns, uint32_t lanes,
                      struct pithi_buffer *out)
{
    struct pithlog_summary *summary = NULL;
    struct pithi_paths paths = {0};
    struct pithi_buffer runs = {0};
    size_t begin = out->size;
    int err = pithlog_summary_open(log, &summary);

    if (err == PITH_OK && !pithi_paths_begin(&paths))
        err = pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a sketch", log->path);
    struct making m = {.from_ns = from_ns, .to_ns = to_ns, .paths = &paths, .out = &runs};
    m.length_ns = (to_ns - from_ns + columns - 1) / columns;
    columns = (uint32_t)((to_ns - from_ns + m.length_ns - 1) / m.length_ns);
    for (uint32_t lane = 0; lane < lanes && err == PITH_OK; lane++) {
        err = PITH_ERR_MEMORY;

        m.column = m.run_count = m.touched_count = 0;
        m.outside_ns = 0;
        m.lane_paths = pithlog_summary_paths(summary, lane, &m.path_count);
        if (m.lane_paths) {
            m.time_ns = calloc(m.path_count, sizeof *m.time_ns);
            m.touched = calloc(m.path_count, sizeof *m.touched);
            if (m.time_ns && m.touched) {
                err = pithlog_summary_pieces(summary, lane, m.from_ns, m.to_ns, m.length_ns, add_piece, &m);
                end_columns(&m, columns);
                end_run(&m);
            }
            free(m.time_ns);
            free(m.touched);
        }
        err = m.failed ? PITH_ERR_MEMORY : err;
    }
    int has_room = err == PITH_OK && pithi_buffer_reserve(out, HEAD);
    out->size += has_room ? HEAD : 0;
    has_room = has_room && pithi_paths_put(&paths, out) && pithi_buffer_reserve(out, runs.size);
    if (err == PITH_OK && !has_room)
        err = pithi_fail(PITH_ERR_MEMORY, "%s: no memory for a sketch", log->path);
    if (err == PITH_OK) {
        unsigned char *head = out->data + begin;
        memcpy(head, magic, sizeof magic);
        pithi_put64(head + 8, (uint64_t)from_ns);
        pithi_put64(head + 16, (uint64_t)m.length_ns);
        pithi_put32(head + 24, columns);
        pithi_put32(head + 28, lanes);
        pithi_put32(head + 32, (uint32_t)(out->size - begin - HEAD));
        memcpy(out->data + out->size, runs.data, runs.size);
        out->size += runs.size;
    }
    free(runs.data);
    pithi_paths_free(&paths);
    pithlog_summary_close(summary);
    return err;
}

/* ---- Reading one ------------------------------------------------------------------------------------------------- */

/* Reads the next run of equal columns. Returns NULL if the bytes are not a run. */
static const unsigned char *get_run(const struct pithi_sketch *s, const unsigned char *p, struct column *column,
                                    uint64_t *count)
{
    const unsigned char *end = s->bytes.data + s->bytes.size;
    uint64_t inner, outer, shares;

    if (!(p = pithi_get_varint(p, end, &inner)) || !(p = pithi_get_varint(p, end, &outer)) ||
        !(p = pithi_get_varint(p, end, &shares)) || !(p = pithi_get_varint(p, end, count)) || !*count ||
        (inner >= s->paths.count && inner != PITHI_PATH_NONE) || (outer >= s->paths.count && outer != PITHI_PATH_NONE))
        return NULL;
    *column = (struct column){(uint32_t)inner, (uint32_t)outer, (uint32_t)(shares >> 4), (uint32_t)(shares & 15)};
    return shares >> 8 == 0 && column->inner_share + column->outer_share <= SHARES + 1 ? p : NULL;
}

/* Finds where the runs of each lane begin. Returns 0 if they are damaged, or if a lane has more columns than the
 * sketch. */
static int find_lanes(struct pithi_sketch *s, const unsigned char *p)
{
    struct column column;
    uint64_t count;

    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        s->lane_at[lane] = (size_t)(p - s->bytes.data);
        for (uint64_t columns = 0; columns < s->columns; columns += count)
            if (!(p = get_run(s, p, &column, &count)) || count > s->columns - columns)
                return 0;
    }
    return 1;
}

static int take(struct pithi_sketch *s, const struct pithlog *log)
{
    const unsigned char *p = s->bytes.data;

    if (s->bytes.size < HEAD || memcmp(p, magic, sizeof magic) != 0)
        return 0;
    s->from_ns = (int64_t)pithi_get64(p + 8);
    s->length_ns = (int64_t)pithi_get64(p + 16);
    s->columns = pithi_get32(p + 24);
    s->lanes = pithi_get32(p + 28);
    uint32_t path_bytes = pithi_get32(p + 32);
    return s->length_ns > 0 && s->columns > 0 && s->lanes <= log->info.lanes && path_bytes <= s->bytes.size - HEAD &&
           (INT64_MAX - (s->from_ns > 0 ? s->from_ns : 0)) / s->columns >= s->length_ns &&
           pithi_paths_get(&s->paths, p + HEAD, path_bytes, log->info.defs) &&
           (s->lane_at = calloc(s->lanes + (size_t)1, sizeof *s->lane_at)) && find_lanes(s, p + HEAD + path_bytes);
}

struct pithi_sketch *pithi_sketch_open(struct pithlog *log)
{
    struct pithi_sketch *s = calloc(1, sizeof *s);
    struct pithi_cache_key key;
    struct stat st;
    int fd = s && pithi_cache_key(log, &key) ? pithi_cache_find(&key, "sketch") : -1;
    int is_good = fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size <= BYTES_MOST &&
                  pithi_buffer_reserve(&s->bytes, (size_t)st.st_size) &&
                  (s->bytes.size = pithi_read_at(fd, s->bytes.data, (size_t)st.st_size, 0)) == (size_t)st.st_size &&
                  take(s, log);

    if (fd >= 0)
        close(fd);
    if (is_good)
        return s;
    pithi_sketch_close(s);
    return NULL;
}

void pithi_sketch_close(struct pithi_sketch *s)
{
    if (!s)
        return;
    pithi_paths_free(&s->paths);
    free(s->bytes.data);
    free(s->lane_at);
    free(s);
}

/* Adds a path with its share to the paths of a piece, which stay sorted, the largest share first. */
static void add_path(struct pithlog_piece *piece, uint32_t path, uint32_t share)
{
    int i = PITHLOG_PIECE_PATHS - 1;

    if (!share || path == PITHI_PATH_NONE)
        return;
    for (; i > 0 && piece->share[i - 1] < share; i--) {
        piece->path[i] = piece->path[i - 1];
        piece->share[i] = piece->share[i - 1];
    }
    piece->path[i] = (uint16_t)path;
    piece->share[i] = (uint8_t)share;
}

void pithi_sketch_pieces(const struct pithi_sketch *s, uint32_t lane, int64_t from_ns, int64_t to_ns,
                         void (*tell)(void *context, const struct pithlog_piece *piece), void *context)
{
    const unsigned char *p = s->bytes.data + s->lane_at[lane];
    struct column column;
    uint64_t count = 0;

    for (uint64_t at = 0; at < s->columns && (p = get_run(s, p, &column, &count)); at += count) {
        struct pithlog_piece piece = {.start_ns = s->from_ns + (int64_t)at * s->length_ns,
                                      .end_ns = s->from_ns + (int64_t)(at + count) * s->length_ns};
        uint32_t inner = column.inner_share * 255 / SHARES, outer = column.outer_share * 255 / SHARES;
        inner = inner < 255 ? inner : 255;
        outer = outer < 255 - inner ? outer : 255 - inner;
        if (column.inner != PITHI_PATH_NONE) {
            add_path(&piece, column.inner, inner);
            add_path(&piece, column.outer, outer);
            add_path(&piece, 0, 255 - inner - outer);
        }
        if (piece.end_ns > from_ns && piece.start_ns < to_ns)
            tell(context, &piece);
    }
}
