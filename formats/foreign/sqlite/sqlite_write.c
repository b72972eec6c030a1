/* sqlite_write.c - a log as an SQLite database: its tables, and the rows of each (README.md lists them). One pass over
 * the records fills intervals, events, counters and collectives; one matches the messages; the analysis gives the wait
 * states. Indexes are made at the end, which is faster than with each row. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/map.h"
#include "base/out.h"
#include "foreign/formats.h"
#include "foreign/names.h"
#include "foreign/sqlite/sqlite_library.h"
#include "foreign/walk.h"

static const char tables[] =
    "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA cache_size = -16384; PRAGMA application_id = 1349088360; PRAGMA user_version = 1; BEGIN;"
    "CREATE TABLE log(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE lanes(lane INTEGER PRIMARY KEY, rank INTEGER, thread INTEGER, name TEXT, host TEXT, first_ns INTEGER,"
    " last_ns INTEGER, records INTEGER);"
    "CREATE VIEW ranks AS SELECT rank, min(host) AS host, count(*) AS lanes, sum(records) AS records FROM lanes GROUP "
    "BY rank;"
    "CREATE TABLE definitions(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, colour TEXT, grp TEXT, format TEXT);"
    "CREATE VIEW states AS SELECT id AS state, name, colour, grp FROM definitions WHERE kind = 'state';"
    "CREATE TABLE communicators(comm INTEGER PRIMARY KEY, name TEXT, size INTEGER, remote_size INTEGER);"
    "CREATE TABLE members(comm INTEGER, position INTEGER, rank INTEGER, is_remote INTEGER,"
    " PRIMARY KEY(comm, is_remote, position)) WITHOUT ROWID;"
    "CREATE TABLE intervals(id INTEGER PRIMARY KEY, lane INTEGER, state INTEGER, start_ns INTEGER, end_ns INTEGER,"
    " self_ns INTEGER, depth INTEGER, parent INTEGER);"
    "CREATE TABLE events(lane INTEGER, event INTEGER, time_ns INTEGER, payload TEXT);"
    "CREATE TABLE counters(lane INTEGER, counter INTEGER, time_ns INTEGER, value REAL);"
    "CREATE TABLE collectives(lane INTEGER, time_ns INTEGER, comm INTEGER, root INTEGER, sent_bytes INTEGER,"
    " received_bytes INTEGER, interval INTEGER);"
    "CREATE TABLE messages(send_lane INTEGER, recv_lane INTEGER, send_ns INTEGER, recv_ns INTEGER, tag INTEGER, comm "
    "INTEGER,"
    " bytes INTEGER);"
    "CREATE TABLE waits(lane INTEGER, state INTEGER, kind TEXT, from_ns INTEGER, to_ns INTEGER, cause_lane INTEGER,"
    " caused_ns INTEGER);"
    "CREATE TABLE efficiency(name TEXT PRIMARY KEY, value REAL) WITHOUT ROWID;"
    /* The usual questions. */
    "CREATE VIEW calls AS SELECT i.id, l.rank, l.thread, d.name AS state, d.grp, i.start_ns, i.end_ns,"
    " i.end_ns - i.start_ns AS ns, i.self_ns, i.depth, i.parent"
    " FROM intervals i JOIN lanes l USING(lane) JOIN definitions d ON d.id = i.state;"
    "CREATE VIEW state_times AS SELECT d.name AS state, l.rank, count(*) AS count, sum(i.end_ns - i.start_ns) AS "
    "total_ns,"
    " sum(i.self_ns) AS self_ns, max(i.end_ns - i.start_ns) AS max_ns FROM intervals i JOIN lanes l USING(lane)"
    " JOIN definitions d ON d.id = i.state GROUP BY d.id, l.rank;"
    "CREATE VIEW traffic AS SELECT s.rank AS sender, r.rank AS receiver, count(*) AS messages, sum(m.bytes) AS bytes,"
    " avg(m.recv_ns - m.send_ns) AS mean_latency_ns FROM messages m JOIN lanes s ON s.lane = m.send_lane"
    " JOIN lanes r ON r.lane = m.recv_lane GROUP BY 1, 2;"
    "CREATE VIEW wait_times AS SELECT w.kind, d.name AS state, l.rank, c.rank AS cause_rank, count(*) AS count,"
    " sum(w.to_ns - w.from_ns) AS ns FROM waits w JOIN lanes l USING(lane) JOIN lanes c ON c.lane = w.cause_lane"
    " JOIN definitions d ON d.id = w.state GROUP BY 1, 2, 3, 4;";
static const char indexes[] = "CREATE INDEX intervals_by_time ON intervals(start_ns);"
                              "CREATE INDEX messages_by_time ON messages(send_ns);"
                              "COMMIT;";

struct writer {
    const struct pithi_sqlite *sqlite;
    struct sqlite3 *db;
    struct pithlog *log;
    const char *path;
    int failed; /* enum pith_err of the first failure */
    struct sqlite3_stmt *interval, *event, *counter, *coll, *message;
    int64_t intervals;
    struct open_lane { /* ids of the open intervals of a lane, outermost first */
        int64_t *ids;
        uint32_t count, room;
    } * lanes;
    char *payload;
    size_t payload_room;
};

static int failed(struct writer *w)
{
    return w->failed = pithi_fail(PITH_ERR_IO, "%s: SQLite: %s", w->path, w->sqlite->errmsg(w->db));
}

static int run(struct writer *w, const char *sql)
{
    return w->sqlite->exec(w->db, sql, NULL, NULL, NULL) ? failed(w) : PITH_OK;
}

/* "INSERT INTO table VALUES(?, ?, ...)" */
static int prepare(struct writer *w, const char *table, int columns, struct sqlite3_stmt **statement)
{
    char sql[128];
    int at = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", table);

    for (int i = 1; i < columns; i++)
        at += snprintf(sql + at, sizeof sql - (size_t)at, ",?");
    snprintf(sql + at, sizeof sql - (size_t)at, ")");
    return w->sqlite->prepare_v2(w->db, sql, -1, statement, NULL) ? failed(w) : PITH_OK;
}

/* Inserts a row: `types` has a letter for each value: i int64_t, d double, s text (NULL: no value), t text of the
 * program that was recorded, whose control characters and invalid bytes are spelled as `pith print` does, n no
 * value. */
static void put(struct writer *w, struct sqlite3_stmt *statement, const char *types, ...)
{
    va_list values;
    int bad = 0;

    va_start(values, types);
    for (int i = 1; types[i - 1]; i++) {
        const char *text;
        char *plain = NULL;
        switch (types[i - 1]) {
        case 'i':
            bad |= w->sqlite->bind_int64(statement, i, va_arg(values, int64_t));
            break;
        case 'd':
            bad |= w->sqlite->bind_double(statement, i, va_arg(values, double));
            break;
        case 't':
        case 's':
            text = va_arg(values, const char *);
            if (types[i - 1] == 't' && !(text = plain = pithi_quoted(PITHI_QUOTE_TEXT, text)))
                w->failed = pithi_no_memory();
            bad |= w->sqlite->bind_text(statement, i, text, text ? (int)strlen(text) : 0, PITHI_SQLITE_COPY);
            free(plain);
            break;
        default:
            bad |= w->sqlite->bind_null(statement, i);
        }
    }
    va_end(values);
    bad |= w->sqlite->step(statement) != PITHI_SQLITE_DONE;
    bad |= w->sqlite->reset(statement);
    if (bad && !w->failed)
        failed(w);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static int put_facts(struct writer *w)
{
    const struct pithlog_info *info = pithlog_get_info(w->log);
    struct sqlite3_stmt *s = NULL;
    const char *key, *value;
    int err;

    TRY(prepare(w, "log", 2, &s));
    for (uint32_t i = 0; (key = pithlog_get_property(w->log, i, &value)) != NULL; i++)
        put(w, s, "tt", key, value);
    w->sqlite->finalize(s);
    s = NULL;
    /* Facts of the log itself come before properties of the same name. */
    if (w->sqlite->prepare_v2(w->db, "INSERT OR REPLACE INTO log VALUES(?,?)", -1, &s, NULL))
        TRY(failed(w));
    put(w, s, "ss", "format", info->format);
    put(w, s, "ss", "complete", info->complete ? "yes" : "no");
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"ranks", info->ranks},        {"lanes", info->lanes},       {"records", (int64_t)info->records},
                   {"lost", (int64_t)info->lost}, {"start_ns", info->start_ns}, {"end_ns", info->end_ns}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(w, s, "si", numbers[i].key, numbers[i].value);
    err = w->failed;
out:
    w->sqlite->finalize(s);
    return err;
}

static int put_lanes(struct writer *w)
{
    struct sqlite3_stmt *s = NULL;
    const struct pithlog_lane *l;
    int err;

    TRY(prepare(w, "lanes", 8, &s));
    for (uint32_t i = 0; (l = pithlog_get_lane(w->log, i)) != NULL; i++)
        put(w, s, "iiittiii", (int64_t)i, (int64_t)l->rank, (int64_t)l->thread, l->name, l->host, l->first_ns,
            l->last_ns, (int64_t)l->records);
    err = w->failed;
out:
    w->sqlite->finalize(s);
    return err;
}

static int put_definitions(struct writer *w)
{
    static const char *const kinds[] = {"state", "event", "counter"};
    struct sqlite3_stmt *s = NULL;
    const struct pithlog_def *d;
    char colour[8];
    int err;

    TRY(prepare(w, "definitions", 6, &s));
    for (uint32_t i = 0; (d = pithlog_get_def(w->log, i)) != NULL; i++) {
        snprintf(colour, sizeof colour, "#%06" PRIx32, pithlog_def_rgb(w->log, i));
        put(w, s, "istsst", (int64_t)i, kinds[d->kind], d->name, colour, d->group, d->format);
    }
    err = w->failed;
out:
    w->sqlite->finalize(s);
    return err;
}

static int put_communicators(struct writer *w)
{
    struct sqlite3_stmt *s = NULL, *member = NULL;
    const struct pithlog_comm *c;
    int err;

    TRY(prepare(w, "communicators", 4, &s));
    TRY(prepare(w, "members", 4, &member));
    for (uint32_t i = 0; (c = pithlog_get_comm(w->log, i)) != NULL; i++) {
        put(w, s, "itii", (int64_t)i, c->name, (int64_t)c->size, (int64_t)c->remote_size);
        for (int32_t m = 0; c->world_ranks && m < c->size + c->remote_size; m++)
            put(w, member, "iiii", (int64_t)i, (int64_t)(m < c->size ? m : m - c->size), (int64_t)c->world_ranks[m],
                (int64_t)(m >= c->size));
    }
    err = w->failed;
out:
    w->sqlite->finalize(s);
    w->sqlite->finalize(member);
    return err;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void begin(void *context, int64_t from_ns) { (void)context, (void)from_ns; }

/* The text of an event's payload, in w->payload; NULL: none. */
static const char *payload_of(struct writer *w, const struct pithlog_record *r)
{
    size_t size;

    if (!r->payload_bytes)
        return NULL;
    size = pithlog_payload_text(w->log, r, w->payload, w->payload_room) + 1;
    if (size > w->payload_room) {
        char *grown = realloc(w->payload, size);
        if (!grown) {
            w->failed = pithi_no_memory();
            return NULL;
        }
        w->payload = grown;
        w->payload_room = size;
        pithlog_payload_text(w->log, r, w->payload, w->payload_room);
    }
    return w->payload;
}

static int put_record(void *context, const struct pithlog_record *r)
{
    struct writer *w = context;
    struct open_lane *lane = &w->lanes[r->lane];
    int64_t id;

    switch (r->kind) {
    case PITHLOG_ENTER:
        if (!pithi_grow(&lane->ids, lane->count, &lane->room, sizeof *lane->ids))
            return 0;
        lane->ids[lane->count++] = ++w->intervals;
        break;
    case PITHLOG_LEAVE: /* its depth is its place among the open ones */
        if (r->depth >= lane->count)
            break;
        id = lane->ids[r->depth];
        memmove(lane->ids + r->depth, lane->ids + r->depth + 1, (lane->count - r->depth - 1) * sizeof *lane->ids);
        lane->count--;
        put(w, w->interval, r->depth ? "iiiiiiii" : "iiiiiiin", id, (int64_t)r->lane, (int64_t)r->id, r->start_ns,
            r->time_ns, r->time_ns - r->start_ns - r->nested_ns, (int64_t)r->depth,
            r->depth ? lane->ids[r->depth - 1] : 0);
        break;
    case PITHLOG_EVENT:
        put(w, w->event, "iiis", (int64_t)r->lane, (int64_t)r->id, r->time_ns, payload_of(w, r));
        break;
    case PITHLOG_COUNTER:
        put(w, w->counter, "iiid", (int64_t)r->lane, (int64_t)r->id, r->time_ns, r->value);
        break;
    case PITHLOG_COLL:
        put(w, w->coll, lane->count ? "iiiiiii" : "iiiiiin", (int64_t)r->lane, r->time_ns, (int64_t)r->comm,
            (int64_t)r->peer, (int64_t)r->bytes, (int64_t)r->got_bytes, lane->count ? lane->ids[lane->count - 1] : 0);
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
    put(w, w->message, "iiiiiii", (int64_t)m->send_lane, (int64_t)m->recv_lane, m->send_ns, m->recv_ns, (int64_t)m->tag,
        (int64_t)m->comm, (int64_t)m->bytes);
}

static int put_records(struct writer *w, const struct pithi_convert *how)
{
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
    TRY(prepare(w, "intervals", 8, &w->interval));
    TRY(prepare(w, "events", 4, &w->event));
    TRY(prepare(w, "counters", 4, &w->counter));
    TRY(prepare(w, "collectives", 7, &w->coll));
    TRY(prepare(w, "messages", 7, &w->message));
    TRY(pithi_each_record(w->log, how, &each));
    TRY(w->failed);
    TRY(pithi_each_message(w->log, how, &each));
    TRY(w->failed);
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
    struct sqlite3_stmt *wait = NULL, *efficiency = NULL;
    const struct pithlog_analysis_info *info;
    int err = pithlog_analyze(w->log, &query, &analysis);

    if (!analysis && err != PITH_ERR_UNSUPPORTED) /* no memory, no place for the graph */
        return err;
    if (!analysis || !(info = pithlog_analysis_get_info(analysis))->has_mpi) { /* nothing that waits */
        pithlog_analysis_free(analysis);
        return PITH_OK;
    }
    TRY(prepare(w, "waits", 7, &wait));
    for (uint32_t lane = 0; lane < pithlog_get_info(w->log)->lanes; lane++) {
        const struct pithlog_wait_state *waits;
        size_t count = pithlog_analysis_waits(analysis, lane, &waits);
        for (size_t i = 0; i < count; i++)
            put(w, wait, "iisiiii", (int64_t)lane, (int64_t)waits[i].state, pithlog_wait_kind_name(waits[i].kind),
                waits[i].from_ns, waits[i].to_ns, (int64_t)waits[i].cause_lane, (int64_t)waits[i].handed_ns);
    }
    TRY(prepare(w, "efficiency", 2, &efficiency));
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
    err = w->failed;
out:
    w->sqlite->finalize(wait);
    w->sqlite->finalize(efficiency);
    pithlog_analysis_free(analysis);
    return err;
}

/* SQLite opens the file by its name. */
int pithi_sqlite_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    struct stat status;
    struct writer w = {.log = log, .path = how->path};
    int err;

    if (fstat(fileno(out), &status) != 0 || !S_ISREG(status.st_mode))
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: a database needs a file; give a name", how->path);
    CHECK(pithi_sqlite_begin(how->path, &w.sqlite));
    if (w.sqlite->open_v2(how->path, &w.db, PITHI_SQLITE_READWRITE | PITHI_SQLITE_NOMUTEX, NULL))
        TRY(failed(&w));
    TRY(run(&w, tables));
    TRY(put_facts(&w));
    TRY(put_lanes(&w));
    TRY(put_definitions(&w));
    TRY(put_communicators(&w));
    TRY(put_records(&w, how));
    TRY(put_analysis(&w, how));
    TRY(run(&w, indexes));
out:
    for (uint32_t i = 0; w.lanes && i < pithlog_get_info(log)->lanes; i++)
        free(w.lanes[i].ids);
    free(w.lanes);
    free(w.payload);
    w.sqlite->finalize(w.interval);
    w.sqlite->finalize(w.event);
    w.sqlite->finalize(w.counter);
    w.sqlite->finalize(w.coll);
    w.sqlite->finalize(w.message);
    if (w.sqlite->close(w.db) && !err)
        err = pithi_fail(PITH_ERR_IO, "%s: SQLite cannot close it", how->path);
    return err;
}
