/* sqlite_write.c - a log as an SQLite database: its tables, and the rows of each (README.md lists them). One pass over
 * the records fills the tables intervals, events, counters, collectives and samples. A second pass matches the
 * messages. The analysis gives the wait states and the critical path. Intervals come almost in the order of their
 * start, by which their index is sorted, so it is faster to let this index grow with each row than to make it at the
 * end. Messages do not come in the order of their index, so it is made at the end. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/mpi_calls.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/out.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/sqlite/sqlite_rows.h"
#include "foreign/walk.h"
#include "reader/read/payload.h"

/* The statements that make the tables. Foreign keys (REFERENCES) are declared for programs that draw tables or join
 * them by these keys. SQLite does not check the keys, because `foreign_keys` is off. The database is written once, by
 * one process, and is removed if writing fails, so it needs no journal and no lock. Large pages are faster, because
 * there are fewer of them. user_version is the version of these tables. */
static const char tables[] =
    "PRAGMA page_size = 65536; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -16384; PRAGMA application_id = 1349088360; PRAGMA user_version = "
    "2;"
    "BEGIN;"
    "CREATE TABLE log(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE lanes(lane INTEGER PRIMARY KEY, rank INTEGER, thread INTEGER, name TEXT, host TEXT, first_ns INTEGER,"
    " last_ns INTEGER, records INTEGER);"
    "CREATE VIEW ranks AS SELECT rank, min(host) AS host, count(*) AS lanes, sum(records) AS records FROM lanes GROUP "
    "BY rank;"
    "CREATE TABLE definitions(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, colour TEXT, grp TEXT, format TEXT);"
    "CREATE VIEW states AS SELECT id AS state, name, colour, grp FROM definitions WHERE kind = 'state';"
    "CREATE TABLE communicators(comm INTEGER PRIMARY KEY, name TEXT, size INTEGER, remote_size INTEGER);"
    "CREATE TABLE members(comm INTEGER REFERENCES communicators, position INTEGER, rank INTEGER, is_remote INTEGER,"
    " PRIMARY KEY(comm, is_remote, position)) WITHOUT ROWID;"
    "CREATE TABLE call_paths(path INTEGER PRIMARY KEY, parent INTEGER REFERENCES call_paths, state INTEGER REFERENCES"
    " definitions, depth INTEGER, name TEXT);"
    "CREATE TABLE intervals(id INTEGER PRIMARY KEY, lane INTEGER REFERENCES lanes, state INTEGER REFERENCES "
    "definitions,"
    " start_ns INTEGER, end_ns INTEGER, self_ns INTEGER, depth INTEGER, parent INTEGER REFERENCES intervals,"
    " path INTEGER REFERENCES call_paths);"
    "CREATE INDEX intervals_by_time ON intervals(start_ns);"
    "CREATE TABLE events(lane INTEGER REFERENCES lanes, event INTEGER REFERENCES definitions, time_ns INTEGER,"
    " payload TEXT);"
    "CREATE TABLE counters(lane INTEGER REFERENCES lanes, counter INTEGER REFERENCES definitions, time_ns INTEGER,"
    " value REAL);"
    "CREATE TABLE collectives(lane INTEGER REFERENCES lanes, time_ns INTEGER, comm INTEGER REFERENCES communicators,"
    " root INTEGER, sent_bytes INTEGER, received_bytes INTEGER, interval INTEGER REFERENCES intervals);"
    "CREATE TABLE messages(send_lane INTEGER REFERENCES lanes, recv_lane INTEGER REFERENCES lanes, send_ns INTEGER,"
    " recv_ns INTEGER, tag INTEGER, comm INTEGER REFERENCES communicators, bytes INTEGER);"
    "CREATE TABLE stacks(stack INTEGER PRIMARY KEY, functions TEXT);"
    "CREATE TABLE samples(lane INTEGER REFERENCES lanes, time_ns INTEGER, stack INTEGER REFERENCES stacks);"
    "CREATE TABLE waits(lane INTEGER REFERENCES lanes, state INTEGER REFERENCES definitions, kind TEXT, from_ns "
    "INTEGER,"
    " to_ns INTEGER, cause_lane INTEGER REFERENCES lanes, caused_ns INTEGER);"
    "CREATE TABLE critical_path(lane INTEGER REFERENCES lanes, from_ns INTEGER, to_ns INTEGER);"
    "CREATE TABLE critical_states(lane INTEGER REFERENCES lanes, state INTEGER REFERENCES definitions, ns INTEGER);"
    "CREATE TABLE efficiency(name TEXT PRIMARY KEY, value REAL) WITHOUT ROWID;"
    /* Views for queries that users often need. */
    "CREATE VIEW calls AS SELECT i.id, l.rank, l.thread, d.name AS state, d.grp, i.start_ns, i.end_ns,"
    " i.end_ns - i.start_ns AS ns, i.self_ns, i.depth, i.parent"
    " FROM intervals i JOIN lanes l USING(lane) JOIN definitions d ON d.id = i.state;"
    "CREATE VIEW state_times AS SELECT d.name AS state, l.rank, count(*) AS count, sum(i.end_ns - i.start_ns) AS "
    "total_ns,"
    " sum(i.self_ns) AS self_ns, max(i.end_ns - i.start_ns) AS max_ns FROM intervals i JOIN lanes l USING(lane)"
    " JOIN definitions d ON d.id = i.state GROUP BY d.id, l.rank;"
    "CREATE VIEW path_times AS SELECT p.name AS path, l.rank, count(*) AS count, sum(i.end_ns - i.start_ns) AS "
    "total_ns,"
    " sum(i.self_ns) AS self_ns FROM intervals i JOIN lanes l USING(lane) JOIN call_paths p USING(path)"
    " GROUP BY p.path, l.rank;"
    "CREATE VIEW counter_spans AS SELECT l.rank, l.thread, d.name AS counter, c.time_ns AS from_ns, "
    "ifnull(lead(c.time_ns)"
    " OVER (PARTITION BY c.lane, c.counter ORDER BY c.time_ns, c.rowid), (SELECT value + 1 FROM log WHERE key = "
    "'end_ns'))"
    " AS to_ns, c.value FROM counters c JOIN lanes l USING(lane) JOIN definitions d ON d.id = c.counter;"
    "CREATE VIEW traffic AS SELECT s.rank AS sender, r.rank AS receiver, count(*) AS messages, sum(m.bytes) AS bytes,"
    " avg(m.recv_ns - m.send_ns) AS mean_latency_ns FROM messages m JOIN lanes s ON s.lane = m.send_lane"
    " JOIN lanes r ON r.lane = m.recv_lane GROUP BY 1, 2;"
    "CREATE VIEW wait_times AS SELECT w.kind, d.name AS state, l.rank, c.rank AS cause_rank, count(*) AS count,"
    " sum(w.to_ns - w.from_ns) AS ns FROM waits w JOIN lanes l USING(lane) JOIN lanes c ON c.lane = w.cause_lane"
    " JOIN definitions d ON d.id = w.state GROUP BY 1, 2, 3, 4;"
    "CREATE VIEW critical_times AS SELECT l.rank, l.thread, ifnull(d.name, 'computing') AS state, c.ns"
    " FROM critical_states c JOIN lanes l USING(lane) LEFT JOIN definitions d ON d.id = c.state;";
/* Makes the indexes in whose order the rows did not come. Such an index is made faster from all rows at the end than
 * with each row. */
static const char indexes[] = "CREATE INDEX messages_by_time ON messages(send_ns);"
                              "CREATE INDEX intervals_by_parent ON intervals(parent);"
                              "CREATE INDEX collectives_by_interval ON collectives(interval);"
                              "CREATE INDEX collectives_by_comm ON collectives(comm, time_ns);"
                              "COMMIT;";

/* The tables that have a row for each record of some kind. */
enum { INTERVALS, EVENTS, COUNTERS, COLLECTIVES, MESSAGES, SAMPLES, RECORD_TABLES };

struct writer {
    const struct pithi_sqlite *sqlite;
    struct sqlite3 *db;
    struct pithlog *log;
    const char *path; /* of the database */
    int failed;       /* enum pith_err of the first failure */
    struct pithi_sqlite_source source;
    struct pithi_sqlite_rows *rows[RECORD_TABLES];
    const struct pithi_convert *how;
    int64_t intervals;             /* number of intervals so far */
    struct pithi_map path_numbers; /* (index of the parent path + 1, state) -> index of the path + 1 */
    struct call_path {
        uint32_t parent, state, depth; /* parent: index + 1 of the path of the state around this one; 0: none */
    } * paths;                         /* [path_count]: the paths, that is, lists of nested states from the outermost */
    uint32_t path_count, path_room, sample_id;
    struct pithi_map stack_numbers;   /* hash of a list of functions -> number of the stack, its row in `stacks` */
    struct pithi_sqlite_rows *stacks; /* rows of the table `stacks`, which has the lists of functions */
    struct numbered_lane {
        struct numbered {
            int64_t interval; /* number of the interval */
            uint32_t path;    /* index of the path, + 1 */
        } * open;             /* [depth]: the open states of the lane, outermost first */
        uint32_t room;
    } * lanes;
    struct pithi_payload_line payload;
};

/* Reports SQLite's last error, keeps it in w->failed and returns it. */
static int failed(struct writer *w)
{
    return w->failed = pithi_fail(PITH_ERR_IO, "%s: SQLite: %s", w->path, w->sqlite->errmsg(w->db));
}

static int run(struct writer *w, const char *sql)
{
    return w->sqlite->exec(w->db, sql, NULL, NULL, NULL) ? failed(w) : PITH_OK;
}

/* Sets w->failed if a function of sqlite_rows.h has failed. Returns w->failed. */
static int check(struct writer *w, int status)
{
    /* A negative status means that memory ran out in Pith, so SQLite has no text for it. */
    if (status && !w->failed)
        w->failed = status < 0 ? pithi_no_memory() : failed(w);
    return w->failed;
}

static int begin_rows(struct writer *w, const char *insert, int columns, struct pithi_sqlite_rows **rows)
{
    return check(w, pithi_sqlite_rows_open(rows, &w->source, insert, columns, 0));
}

/* Inserts the rows of a table that are collected and not yet inserted. */
static int end_rows(struct writer *w, struct pithi_sqlite_rows *rows)
{
    return w->failed ? w->failed : check(w, pithi_sqlite_rows_flush(rows));
}

/* Adds a row, whose values follow `types`, to a table (pithi_sqlite_rows_put). */
static void put(struct writer *w, struct pithi_sqlite_rows *rows, const char *types, ...)
{
    va_list values;

    va_start(values, types);
    check(w, pithi_sqlite_rows_put(rows, types, values));
    va_end(values);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int put_facts(struct writer *w)
{
    const struct pithlog_info *info = pithlog_get_info(w->log);
    struct pithi_sqlite_rows *s = NULL;
    const char *key, *value;
    int err;

    TRY(begin_rows(w, "INSERT OR REPLACE INTO log", 2, &s));
    for (uint32_t i = 0; (key = pithlog_get_property(w->log, i, &value)) != NULL; i++)
        put(w, s, "tt", key, value);
    /* If a property has the key of one of the facts below, the fact replaces it (INSERT OR REPLACE). */
    put(w, s, "ss", "format", info->format);
    put(w, s, "ss", "complete", info->complete ? "yes" : "no");
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"ranks", info->ranks},        {"lanes", info->lanes},       {"records", (int64_t)info->records},
                   {"lost", (int64_t)info->lost}, {"start_ns", info->start_ns}, {"end_ns", info->end_ns}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(w, s, "si", numbers[i].key, numbers[i].value);
    err = end_rows(w, s);
out:
    pithi_sqlite_rows_close(s);
    return err;
}

static int put_lanes(struct writer *w)
{
    struct pithi_sqlite_rows *s = NULL;
    const struct pithlog_lane *l;
    int err;

    TRY(begin_rows(w, "INSERT INTO lanes", 8, &s));
    for (uint32_t i = 0; (l = pithlog_get_lane(w->log, i)) != NULL; i++)
        put(w, s, "iiittiii", (int64_t)i, (int64_t)l->rank, (int64_t)l->thread, l->name, l->host, l->first_ns,
            l->last_ns, (int64_t)l->records);
    err = end_rows(w, s);
out:
    pithi_sqlite_rows_close(s);
    return err;
}

static int put_definitions(struct writer *w)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    struct pithi_sqlite_rows *s = NULL;
    const struct pithlog_def *d;
    char colour[8];
    int err;

    TRY(begin_rows(w, "INSERT INTO definitions", 6, &s));
    for (uint32_t i = 0; (d = pithlog_get_def(w->log, i)) != NULL; i++) {
        snprintf(colour, sizeof colour, "#%06" PRIx32, pithlog_def_rgb(w->log, i));
        put(w, s, "istsst", (int64_t)i, kinds[d->kind], d->name, colour, d->group, d->format);
    }
    err = end_rows(w, s);
out:
    pithi_sqlite_rows_close(s);
    return err;
}

static int put_communicators(struct writer *w)
{
    struct pithi_sqlite_rows *s = NULL, *member = NULL;
    const struct pithlog_comm *c;
    int err;

    TRY(begin_rows(w, "INSERT INTO communicators", 4, &s));
    TRY(begin_rows(w, "INSERT INTO members", 4, &member));
    for (uint32_t i = 0; (c = pithlog_get_comm(w->log, i)) != NULL; i++) {
        put(w, s, "itii", (int64_t)i, c->name, (int64_t)c->size, (int64_t)c->remote_size);
        /* In world_ranks, members of the remote group come after those of the local group. In the table, each group is
         * numbered from 0. */
        for (int32_t m = 0; c->world_ranks && m < c->size + c->remote_size; m++)
            put(w, member, "iiii", (int64_t)i, (int64_t)(m < c->size ? m : m - c->size), (int64_t)c->world_ranks[m],
                (int64_t)(m >= c->size));
    }
    TRY(end_rows(w, s));
    err = end_rows(w, member);
out:
    pithi_sqlite_rows_close(s);
    pithi_sqlite_rows_close(member);
    return err;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin(void *context, int64_t from_ns) { (void)context, (void)from_ns; }

/* Returns the payload of an event as text, or NULL if the event has no payload or if memory runs out (w->failed). */
static const char *payload_of(struct writer *w, const struct pithlog_record *r)
{
    const char *text;

    if (!r->payload_bytes)
        return NULL;
    text = pithi_payload_line(&w->payload, pithlog_get_def(w->log, r->id)->format, r);
    if (!text)
        w->failed = pithi_no_memory();
    return text;
}

/* Adds a row for each path of nested states. The name of a path is the names of its states, such as "main;solve". */
static int put_paths(struct writer *w)
{
    struct pithi_sqlite_rows *s = NULL;
    struct pithi_buffer name = {0};
    int err;

    TRY(begin_rows(w, "INSERT INTO call_paths", 5, &s));
    /* A path has a higher number than its parent path, so the parent of each row is already in the table. */
    for (uint32_t i = 0; i < w->path_count; i++) {
        enum { NAMES = 64 }; /* the most names in the name of a path; a deeper path has only the innermost ones */
        const char *names[NAMES];
        uint32_t count = 0, at = i + 1;
        for (; at && count < NAMES; at = w->paths[at - 1].parent)
            names[count++] = pithlog_get_def(w->log, w->paths[at - 1].state)->name;
        int ok = !at || pithi_buffer_add(&name, "...;", 4);
        while (ok && count-- > 0)
            ok = pithi_buffer_add(&name, names[count], strlen(names[count])) && pithi_buffer_add(&name, ";", count > 0);
        if (!ok || !pithi_buffer_add(&name, "", 1))
            TRY(pithi_no_memory());
        const struct call_path *path = &w->paths[i];
        if (path->parent)
            put(w, s, "iiiit", (int64_t)i, (int64_t)path->parent - 1, (int64_t)path->state, (int64_t)path->depth,
                (const char *)name.data);
        else /* An outermost path has no parent, so 'n' makes the parent NULL. */
            put(w, s, "iniit", (int64_t)i, (int64_t)path->state, (int64_t)0, (const char *)name.data);
        name.size = 0;
    }
    err = end_rows(w, s);
out:
    free(name.data);
    pithi_sqlite_rows_close(s);
    return err;
}

/* Adds a row to the table `samples` if the event is a sample whose functions have names. Samples with the same list of
 * functions refer to the same row of the table `stacks`, because most samples have a list that an earlier sample had.
 * Lists are compared by their hash. */
static void put_sample(struct writer *w, const struct pithlog_record *r)
{
    const char *functions =
        w->how->naming.functions && r->id == w->sample_id ? w->how->naming.functions(w->how->naming.context, r) : NULL;
    uint64_t *stack;

    if (!functions)
        return;
    if (!(stack = pithi_map_at(&w->stack_numbers, pithi_hash_text(PITHI_HASH, functions)))) {
        w->failed = pithi_no_memory();
        return;
    }
    if (!*stack) {
        /* The count of the map already includes the new list, so the first list gets the number 1. */
        *stack = w->stack_numbers.count;
        put(w, w->stacks, "it", (int64_t)*stack, functions);
    }
    put(w, w->rows[SAMPLES], "iii", (int64_t)r->lane, r->time_ns, (int64_t)*stack);
}

static int put_record(void *context, const struct pithlog_step *step)
{
    struct writer *w = context;
    const struct pithlog_record *r = step->record;

    switch (r->kind) {
    case PITHLOG_ENTER: {
        /* A state gets its number and its path when it begins, because states inside it refer to it before it ends. */
        struct numbered_lane *lane = &w->lanes[step->lane];
        uint32_t depth = step->depth;
        if (!pithi_grow(&lane->open, depth, &lane->room, sizeof *lane->open))
            return 0;
        /* Finds the path by the path of the state around and the new state, because a state may end several paths, such
         * as "main;solve" and "main;read;solve". */
        uint32_t around = depth ? lane->open[depth - 1].path : 0;
        uint64_t *path = pithi_map_at(&w->path_numbers, pithi_map_pair(around, r->id));
        if (!path || (!*path && !pithi_grow(&w->paths, w->path_count, &w->path_room, sizeof *w->paths)))
            return 0;
        if (!*path) {
            /* If `around` is 0, no state is around the new one, so the path has the depth 0. */
            w->paths[w->path_count] = (struct call_path){around, r->id, around ? w->paths[around - 1].depth + 1 : 0};
            *path = ++w->path_count;
        }
        lane->open[depth] = (struct numbered){++w->intervals, (uint32_t)*path};
        return 1;
    }
    case PITHLOG_LEAVE: {
        struct numbered *open = w->lanes[step->lane].open, ended = open[step->at];
        const struct pithlog_open *state = &step->open[step->at];
        if (step->at)
            put(w, w->rows[INTERVALS], "iiiiiiiii", ended.interval, (int64_t)step->lane, (int64_t)state->id,
                state->from_ns, step->to_ns, step->self_ns, (int64_t)step->at, open[step->at - 1].interval,
                (int64_t)ended.path - 1);
        else
            put(w, w->rows[INTERVALS], "iiiiiiini", ended.interval, (int64_t)step->lane, (int64_t)state->id,
                state->from_ns, step->to_ns, step->self_ns, (int64_t)0, (int64_t)ended.path - 1);
        /* Takes the state out of the list. If states inside it go on, because the states do not nest, they move down
         * one place. */
        memmove(&open[step->at], &open[step->at + 1], (step->depth - step->at - 1) * sizeof *open);
        break;
    }
    case PITHLOG_EVENT:
        put_sample(w, r);
        put(w, w->rows[EVENTS], "iiis", (int64_t)r->lane, (int64_t)r->id, r->time_ns, payload_of(w, r));
        break;
    case PITHLOG_COUNTER: /* SQLite stores a value that is NaN as NULL. */
        put(w, w->rows[COUNTERS], "iiid", (int64_t)r->lane, (int64_t)r->id, r->time_ns, r->value);
        break;
    case PITHLOG_COLL:
        /* The innermost open state is the MPI call of the collective, so the row refers to its interval. */
        put(w, w->rows[COLLECTIVES], step->depth ? "iiiiiii" : "iiiiiin", (int64_t)r->lane, r->time_ns,
            (int64_t)r->comm, (int64_t)r->peer, (int64_t)r->bytes, (int64_t)r->got_bytes,
            step->depth ? w->lanes[step->lane].open[step->depth - 1].interval : 0);
        break;
    default:
        break;
    }
    return 1;
}

static void put_message(void *context, const struct pithlog_message *m, uint64_t number)
{
    struct writer *w = context;

    (void)number;
    put(w, w->rows[MESSAGES], "iiiiiii", (int64_t)m->send_lane, (int64_t)m->recv_lane, m->send_ns, m->recv_ns,
        (int64_t)m->tag, (int64_t)m->comm, (int64_t)m->bytes);
}

static int put_records(struct writer *w, const struct pithi_convert *how)
{
    static const struct {
        const char *insert;
        int columns;
    } tables_of[RECORD_TABLES] = {
        [INTERVALS] = {"INSERT INTO intervals", 9}, [EVENTS] = {"INSERT INTO events", 4},
        [COUNTERS] = {"INSERT INTO counters", 4},   [COLLECTIVES] = {"INSERT INTO collectives", 7},
        [MESSAGES] = {"INSERT INTO messages", 7},   [SAMPLES] = {"INSERT INTO samples", 3}};
    struct pithi_losses losses;
    struct pithi_each each = {.context = w,
                              .begin = begin,
                              .put = put_record,
                              .message = put_message,
                              .failed = &w->failed,
                              .losses = &losses};
    int err;

    CHECK(pithi_losses_open(&losses, w->log));
    w->lanes = calloc(pithlog_get_info(w->log)->lanes + (size_t)1, sizeof *w->lanes);
    if (!w->lanes)
        TRY(pithi_no_memory());
    for (int i = 0; i < RECORD_TABLES; i++)
        TRY(check(w, pithi_sqlite_rows_open(&w->rows[i], &w->source, tables_of[i].insert, tables_of[i].columns,
                                            i == INTERVALS)));
    TRY(begin_rows(w, "INSERT INTO stacks", 2, &w->stacks));
    TRY(pithi_each_record(w->log, how, &each));
    TRY(w->failed);
    /* A second pass finds messages, because a message is known only when its two ends were seen. */
    TRY(pithi_each_message(w->log, how, &each));
    TRY(w->failed);
    for (int i = 0; i < RECORD_TABLES; i++)
        TRY(end_rows(w, w->rows[i]));
    TRY(end_rows(w, w->stacks));
    TRY(put_paths(w));
    pithi_losses_tell(&losses, how);
out:
    pithi_losses_close(&losses);
    return err;
}

/* ---- Analysis ---------------------------------------------------------------------------------------------------- */

static int put_analysis(struct writer *w, const struct pithi_convert *how)
{
    struct pithlog_analyze_query query = {.from_ns = how->from_ns, .to_ns = how->to_ns};
    struct pithlog_analysis *analysis = NULL;
    struct pithi_sqlite_rows *wait = NULL, *efficiency = NULL, *path = NULL, *states = NULL;
    const struct pithlog_path_part *parts;
    const struct pithlog_path_share *shares;
    const struct pithlog_analysis_info *info;
    int err;

    if (!pithi_has_mpi_calls(w->log)) /* without MPI calls there are no wait states */
        return PITH_OK;
    err = pithlog_analyze(w->log, &query, &analysis);
    /* For a damaged log, `analysis` covers the parts that can be read. */
    if (!analysis) /* Memory or disk space ran out, or the log's times cannot be analysed. */
        return err == PITH_ERR_UNSUPPORTED ? PITH_OK : err;
    info = pithlog_analysis_get_info(analysis);
    TRY(begin_rows(w, "INSERT INTO waits", 7, &wait));
    for (uint32_t lane = 0; lane < pithlog_get_info(w->log)->lanes; lane++) {
        const struct pithlog_wait_state *waits;
        size_t count = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++)
            put(w, wait, "iisiiii", (int64_t)lane, (int64_t)waits[i].state, pithlog_wait_kind_name(waits[i].kind),
                waits[i].from_ns, waits[i].to_ns, (int64_t)waits[i].cause_lane, (int64_t)waits[i].handed_ns);
    }
    TRY(begin_rows(w, "INSERT INTO efficiency", 2, &efficiency));
    const struct {
        const char *name;
        double value;
    } rows[] = {{"parallel", info->parallel},
                {"load balance", info->load_balance},
                {"communication", info->communication},
                {"serialisation", info->serialisation},
                {"transfer", info->transfer}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put(w, efficiency, "sd", rows[i].name, rows[i].value);
    TRY(begin_rows(w, "INSERT INTO critical_path", 3, &path));
    for (size_t i = 0, count = pithlog_analysis_path(analysis, &parts); i < count; i++)
        put(w, path, "iii", (int64_t)parts[i].lane, parts[i].from_ns, parts[i].to_ns);
    TRY(begin_rows(w, "INSERT INTO critical_states", 3, &states));
    for (size_t i = 0, count = pithlog_analysis_path_shares(analysis, &shares); i < count; i++)
        if (shares[i].state == PITHLOG_COMPUTING) /* time outside all states, for which the column `state` is NULL */
            put(w, states, "ini", (int64_t)shares[i].lane, shares[i].ns);
        else
            put(w, states, "iii", (int64_t)shares[i].lane, (int64_t)shares[i].state, shares[i].ns);
    TRY(end_rows(w, wait));
    TRY(end_rows(w, path));
    TRY(end_rows(w, states));
    err = end_rows(w, efficiency);
out:
    pithi_sqlite_rows_close(path);
    pithi_sqlite_rows_close(states);
    pithi_sqlite_rows_close(wait);
    pithi_sqlite_rows_close(efficiency);
    pithlog_analysis_free(analysis);
    return err;
}

/* Writes the database. SQLite opens the file by its name, so `out` is used only to check what kind of file it is. */
int pithi_sqlite_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct stat status;
    struct writer w = {.log = log, .path = how->path, .how = how, .sample_id = UINT32_MAX};
    const struct pithlog_def *d;
    int err;

    /* Refuses a pipe, because SQLite writes the pages of a database in any order. */
    if (fstat(fileno(out), &status) != 0 || !S_ISREG(status.st_mode))
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: a database needs a file; give a name", how->path);
    CHECK(pithi_sqlite_begin(how->path, &w.sqlite));
    if (w.sqlite->open_v2(how->path, &w.db, PITHI_SQLITE_READWRITE | PITHI_SQLITE_NOMUTEX, NULL))
        TRY(failed(&w));
    if (pithi_sqlite_source_open(&w.source, w.sqlite, w.db))
        TRY(failed(&w));
    for (uint32_t i = 0; (d = pithlog_get_def(log, i)) != NULL; i++)
        if (d->kind == PITHLOG_EVENT_TYPE && strcmp(d->name, "pith:sample") == 0)
            w.sample_id = i;
    TRY(run(&w, tables));
    TRY(put_facts(&w));
    TRY(put_lanes(&w));
    TRY(put_definitions(&w));
    TRY(put_communicators(&w));
    TRY(put_records(&w, how));
    TRY(put_analysis(&w, how));
    TRY(run(&w, indexes));
out:
    /* Frees everything. If an error came early, some of the pointers are still NULL, which does no harm. */
    for (uint32_t i = 0; w.lanes && i < pithlog_get_info(log)->lanes; i++)
        free(w.lanes[i].open);
    free(w.lanes);
    free(w.paths);
    pithi_map_free(&w.path_numbers);
    pithi_map_free(&w.stack_numbers);
    free(w.payload.text);
    pithi_sqlite_rows_close(w.stacks);
    for (size_t i = 0; i < sizeof w.rows / sizeof *w.rows; i++)
        pithi_sqlite_rows_close(w.rows[i]);
    /* Closing writes the rest of the database, so it may fail. */
    if (w.sqlite->close(w.db) && !err)
        err = pithi_fail(PITH_ERR_IO, "%s: SQLite cannot close it", how->path);
    return err;
}
