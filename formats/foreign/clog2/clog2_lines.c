/* clog2_lines.c - chooses the line (communicator, rank, thread) of each record of a CLOG-2 file that is written. It
 * also delays the begin of a state until its payload is known.
 *
 * Rank 5 of the world, thread 0, has the line (0, 5, 0): communicator 0 is the world. If rank 5 is rank 1 of another
 * communicator, which has the number 1 in the file, its messages in that communicator are on the line (1, 1, 0). A
 * COMMEVT announces this line before:
 *
 *     COMMEVT on (0, 5, 0)         communicator 1, its rank there 1, its rank in the world 5
 *     MSGEVT  on (1, 1, 0)         to rank 0 of communicator 1
 *
 * All delayed records have the same time. As soon as the time advances, or the lane of a delayed record has another
 * record, all delayed records are written in the order in which they came.
 */
#include "foreign/clog2/clog2_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "foreign/names.h"

struct pithi_clog2_entry {
    unsigned char uuid[PITHI_CLOG2_UUID];
    int32_t kind; /* kind in the table at the end of the file (clog2_layout.h) */
};

enum { THREADS_MAX = 4096 }; /* a thread whose number is not below this gets its index within the rank instead */

/* ---- The world's lines ----------------------------------------------------------------------------------------- */

/* Raises the number of ranks in the preamble, which must be an upper bound for every communicator. */
static void see_rank(struct pithi_clog2_lines *lines, int32_t rank)
{
    if (rank >= lines->ranks && rank < INT32_MAX)
        lines->ranks = rank + 1;
}

/* Adds a communicator to the table at the end of the file. The index of its entry is the communicator's number in the
 * file. */
static int add_entry(struct pithi_clog2_lines *lines, uint64_t key, const char *mark, const char *name, int32_t kind)
{
    struct pithi_clog2_entry *entry;
    char text[PITHI_CLOG2_UUID - PITHI_CLOG2_UUID_NAME];
    size_t length = strlen(mark);

    if (!pithi_grow(&lines->entries, lines->entry_count, &lines->entry_size, sizeof *entry))
        return pithi_no_memory();
    entry = &lines->entries[lines->entry_count++];
    *entry = (struct pithi_clog2_entry){.kind = kind};
    /* the uuid has the key in two halves: 32 bits as a number, and 32 as a double */
    pithi_clog2_put32(entry->uuid, (int32_t)(uint32_t)key);
    pithi_clog2_put64f(entry->uuid + 4, (double)(key >> 32));
    memcpy(entry->uuid + PITHI_CLOG2_UUID_NAME, mark, length);
    /* then the mark and as much of the name as fits */
    lines->cut_names += pithi_name_cut(text, sizeof text - length, name, strlen(name)) != 0;
    memcpy(entry->uuid + PITHI_CLOG2_UUID_NAME + length, text, strlen(text));
    return PITH_OK;
}

int pithi_clog2_lines_open(struct pithi_clog2_lines *lines, struct pithlog *log, struct pithi_clog2_stream *stream)
{
    uint32_t lanes = pithlog_get_info(log)->lanes;
    int32_t rank = -1, order = 0;

    *lines = (struct pithi_clog2_lines){.log = log, .stream = stream, .ranks = 1, .threads = 1, .lane_count = lanes};
    lines->lanes = calloc(lanes + 1, sizeof *lines->lanes);
    if (!lines->lanes)
        return pithi_no_memory();
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        /* lanes are sorted by rank; `order` counts the threads of a rank */
        order = lane->rank == rank ? order + 1 : 0;
        rank = lane->rank;
        int32_t thread = lane->thread < THREADS_MAX ? (int32_t)lane->thread : order;
        /* Rank -1 is a process that is not in a job; it becomes rank 0. */
        lines->lanes[i] = (struct pithi_clog2_line){0, rank < 0 ? 0 : rank, thread};
        see_rank(lines, lines->lanes[i].rank);
        lines->threads = thread >= lines->threads ? thread + 1 : lines->threads;
    }
    lines->made = pithi_clog2_to_make(log);
    return add_entry(lines, lines->made.what, PITHI_CLOG2_MARK_WORLD, "", PITHI_CLOG2_KIND_INTRA);
}

void pithi_clog2_lines_free(struct pithi_clog2_lines *lines)
{
    free(lines->lanes);
    free(lines->entries);
    pithi_map_free(&lines->number_of);
    pithi_map_free(&lines->rank_of);
    pithi_map_free(&lines->announced);
    pithi_map_free(&lines->began_on);
}

/* ---- COMMEVT --------------------------------------------------------------------------------------------------- */

/* Writes a COMMEVT, which announces a line: it says that rank `rank` of communicator `comm` is the process whose line
 * in the world is `world`. */
static int write_event(struct pithi_clog2_lines *lines, int64_t time_ns, const struct pithi_clog2_line *world,
                       enum pithi_clog2_comm_event type, int32_t comm, int32_t rank)
{
    unsigned char *body = pithi_clog2_put(lines->stream, PITHI_CLOG2_COMMEVT, time_ns, 0, world->rank, world->thread);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, type);
    pithi_clog2_put32(body + 4, comm);
    pithi_clog2_put32(body + 8, rank);
    pithi_clog2_put32(body + 12, world->rank);
    memcpy(body + 16, lines->entries[comm].uuid, PITHI_CLOG2_UUID);
    return PITH_OK;
}

/* Returns 1 if the lane is the first of its rank. */
static int is_first(const struct pithi_clog2_lines *lines, uint32_t lane)
{
    return lane == 0 || lines->lanes[lane].rank != lines->lanes[lane - 1].rank;
}

int pithi_clog2_begin_world(struct pithi_clog2_lines *lines, int64_t time_ns)
{
    for (uint32_t i = 0; i < lines->lane_count; i++)
        if (is_first(lines, i)) {
            /* Announces two lines of the process: in the world, and in an MPI_COMM_SELF whose uuid has the name of the
             * host. */
            const struct pithi_clog2_line world = {0, lines->lanes[i].rank, 0};
            const char *host = pithlog_get_lane(lines->log, i)->host;
            CHECK(pithi_clog2_make_shift(&lines->made, lines->stream, time_ns, world.rank));
            CHECK(write_event(lines, time_ns, &world, PITHI_CLOG2_WORLD, 0, world.rank));
            if (host && host[0]) {
                CHECK(add_entry(lines, (uint32_t)world.rank, PITHI_CLOG2_MARK_HOST, host,
                                world.rank == 0 ? PITHI_CLOG2_KIND_INTRA : PITHI_CLOG2_KIND_UNKNOWN));
                CHECK(write_event(lines, time_ns, &world, PITHI_CLOG2_SELF, (int32_t)lines->entry_count - 1, 0));
            }
        }
    return PITH_OK;
}

int pithi_clog2_mark_world(struct pithi_clog2_lines *lines, int64_t time_ns, int32_t number)
{
    for (uint32_t i = 0; i < lines->lane_count; i++)
        if (is_first(lines, i))
            CHECK(pithi_clog2_make_event(&lines->made, lines->stream, time_ns,
                                         &(struct pithi_clog2_line){0, lines->lanes[i].rank, 0}, number));
    return PITH_OK;
}

/* ---- Communicators --------------------------------------------------------------------------------------------- */

/* Finds the rank of a process in a communicator. The rank is 0 to size - 1, or from `size` on if the process is in the
 * remote group, or -1 if it is not a member. Results are cached. */
static int find_rank(struct pithi_clog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, int32_t world,
                     int32_t *rank)
{
    uint64_t *known = pithi_map_at(&lines->rank_of, pithi_map_pair(comm, (uint32_t)world));
    int32_t members = def->size + def->remote_size;

    if (!known)
        return pithi_no_memory();
    if (!*known) {
        /* In many communicators rank r is world rank r, so this is tried first. */
        int32_t r = 0;
        if (world >= 0 && world < members && def->world_ranks[world] == world)
            r = world;
        else
            while (r < members && def->world_ranks[r] != world)
                r++;
        /* + 1, as 0 means "not looked up yet" */
        *known = r < members ? (uint64_t)r + 1 : UINT64_MAX;
    }
    *rank = *known == UINT64_MAX ? -1 : (int32_t)*known - 1;
    return PITH_OK;
}

/* Returns the line of a process in a communicator. `rank` is the result of find_rank. */
static struct pithi_clog2_line line_in(const struct pithlog_comm *def, int32_t number, int32_t rank, int32_t thread)
{
    struct pithi_clog2_line line = {number, rank, thread};

    if (def->remote_size) {
        /* the line belongs to the communicator of the group, where ranks begin at 0 */
        line.comm += rank < def->size ? 1 : 2;
        line.rank -= rank < def->size ? 0 : def->size;
    }
    return line;
}

/* Writes the COMMEVT of a line, unless it has been written before. For an intercommunicator three COMMEVTs are written:
 * for the intercommunicator itself, for the group of the process, and for the other group. The process has no rank in
 * the other group, so the third COMMEVT has PITHI_CLOG2_NO_RANK; any other number would assign a line of that group to
 * this process. */
static int announce(struct pithi_clog2_lines *lines, const struct pithlog_comm *def, int32_t number,
                    const struct pithi_clog2_line *world, const struct pithi_clog2_line *line, int64_t time_ns)
{
    uint64_t *done = pithi_map_at(&lines->announced, pithi_map_pair((uint32_t)line->comm, (uint32_t)line->rank));

    if (!done)
        return pithi_no_memory();
    if (*done)
        return PITH_OK;
    *done = 1;
    see_rank(lines, line->rank);
    if (def->remote_size) {
        CHECK(write_event(lines, time_ns, world, PITHI_CLOG2_INTER, number, line->rank));
        CHECK(write_event(lines, time_ns, world, PITHI_CLOG2_LOCAL, line->comm, line->rank));
        CHECK(write_event(lines, time_ns, world, PITHI_CLOG2_REMOTE, 2 * number + 3 - line->comm, PITHI_CLOG2_NO_RANK));
    } else {
        CHECK(write_event(
            lines, time_ns, world,
            (def->size == 1 && def->remote_size == 0 && def->name && strcmp(def->name, "MPI_COMM_SELF") == 0)
                ? PITHI_CLOG2_SELF
                : PITHI_CLOG2_INTRA,
            number, line->rank));
    }
    return PITH_OK;
}

/* Finds the number of the record's communicator in the file and the rank of its process there. *def is NULL for the
 * world and for a communicator with unknown members. */
static int find_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                     const struct pithlog_comm **def, int32_t *number, int32_t *rank)
{
    const struct pithlog_comm *found = record->comm ? pithlog_get_comm(lines->log, record->comm) : NULL;

    *def = NULL;
    *number = *rank = 0;
    if (!record->comm)
        return PITH_OK;
    *rank = -1;
    /* a process that is no member has no line in the communicator */
    if (found && found->size > 0)
        CHECK(find_rank(lines, record->comm, found, lines->lanes[record->lane].rank, rank));
    if (*rank < 0)
        return PITH_OK;
    /* The number in the file, allocated at first use. */
    uint64_t *known = pithi_map_at(&lines->number_of, record->comm);
    const char *name = found->name ? found->name : "";
    int32_t own;
    if (!known)
        return pithi_no_memory();
    /* communicators are numbered in the order of first use */
    if (!*known) {
        *known = lines->entry_count;
        CHECK(find_rank(lines, record->comm, found, 0, &own));
        CHECK(add_entry(lines, found->key, PITHI_CLOG2_MARK_KEY, name,
                        found->remote_size ? PITHI_CLOG2_KIND_INTER : PITHI_CLOG2_KIND_INTRA));
        /* An intercommunicator has three entries: itself and its two groups. The group that contains rank 0 is local,
         * the other is remote. */
        if (found->remote_size) {
            CHECK(add_entry(lines, found->key, "group 0", "",
                            own < found->size ? PITHI_CLOG2_KIND_LOCAL : PITHI_CLOG2_KIND_REMOTE));
            CHECK(add_entry(lines, found->key, "group 1", "",
                            own < found->size ? PITHI_CLOG2_KIND_REMOTE : PITHI_CLOG2_KIND_LOCAL));
        }
        /* If rank 0 is not a member, neither group is local, so the kinds of all entries are unknown. */
        for (uint32_t i = (uint32_t)*known; own < 0 && i < lines->entry_count; i++)
            lines->entries[i].kind = PITHI_CLOG2_KIND_UNKNOWN;
    }
    *number = (int32_t)*known;
    *def = found;
    return PITH_OK;
}

int pithi_clog2_message_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                             struct pithi_clog2_line *line, struct pithi_clog2_line *partner, int *known)
{
    const struct pithi_clog2_line *world = &lines->lanes[record->lane];
    const struct pithlog_comm *def;
    int32_t number, rank, other = -1;

    *known = record->peer >= 0;
    if (!*known)
        return PITH_OK;
    CHECK(find_comm(lines, record, &def, &number, &rank));
    if (def)
        CHECK(find_rank(lines, record->comm, def, record->peer, &other));
    /* If the communicator or the partner is not known, the message goes on the lines of the world, where ranks are
     * known.
     */
    if (!def || other < 0) {
        lines->unknown_members += record->comm != 0;
        *line = *world;
        *partner = (struct pithi_clog2_line){0, record->peer, 0};
        see_rank(lines, record->peer);
        return PITH_OK;
    }
    *line = line_in(def, number, rank, world->thread);
    *partner = line_in(def, number, other, 0);
    see_rank(lines, partner->rank);
    return announce(lines, def, number, world, line, record->time_ns);
}

/* Finds the communicator of a state or event record. The end of a state belongs to the communicator on which the state
 * began. */
static int comm_of(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end, uint32_t *comm)
{
    uint64_t key = pithi_map_pair(record->lane, (uint32_t)end), *began;

    *comm = record->comm;
    /* Most states have no communicator. Then the map stays empty, and is not searched. */
    if (record->kind == PITHLOG_EVENT || (record->kind == PITHLOG_ENTER && !record->comm && !lines->began_on.count))
        return PITH_OK;
    if (record->kind == PITHLOG_LEAVE) {
        began = pithi_map_find(&lines->began_on, key);
        *comm = began ? (uint32_t)*began : 0;
        return PITH_OK;
    }
    began = pithi_map_at(&lines->began_on, key);
    if (began)
        *began = record->comm;
    return began ? PITH_OK : pithi_no_memory();
}

int pithi_clog2_event_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end,
                           struct pithi_clog2_line *line)
{
    struct pithlog_record on = *record;
    const struct pithlog_comm *def;
    int32_t number, rank;

    *line = lines->lanes[record->lane];
    CHECK(comm_of(lines, record, end, &on.comm));
    if (!on.comm)
        return PITH_OK;
    CHECK(find_comm(lines, &on, &def, &number, &rank));
    lines->unknown_members += def == NULL;
    if (def) {
        *line = line_in(def, number, rank, line->thread);
        CHECK(announce(lines, def, number, &lines->lanes[record->lane], line, record->time_ns));
    }
    return PITH_OK;
}

int pithi_clog2_write_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record)
{
    const struct pithi_clog2_line *world = &lines->lanes[record->lane];
    const struct pithlog_comm *def;
    struct pithi_clog2_line line;
    int32_t number, rank;

    if (record->comm == 0) {
        /* Communicator 0 is the world. If the log has a record that the world was created, a COMMEVT is written. It is
         * like the COMMEVT that announces a rank of the world, but has no mark, so that the reader keeps it. */
        unsigned char *body;
        if (record->kind != PITHLOG_COMM_CREATE)
            return PITH_OK;
        body = pithi_clog2_put(lines->stream, PITHI_CLOG2_COMMEVT, record->time_ns, 0, world->rank, world->thread);
        if (!body)
            return PITH_ERR_IO;
        pithi_clog2_put32(body + 8, world->rank);
        pithi_clog2_put32(body + 12, world->rank);
        memcpy(body + 16 + PITHI_CLOG2_UUID_NAME, "MPI_COMM_WORLD", 14);
        return PITH_OK;
    }
    CHECK(find_comm(lines, record, &def, &number, &rank));
    if (!def) {
        lines->unknown_members++;
        return PITH_OK;
    }
    line = line_in(def, number, rank, world->thread);
    CHECK(announce(lines, def, number, world, &line, record->time_ns));
    CHECK(
        pithi_clog2_make_event(&lines->made, lines->stream, record->time_ns, &line,
                               record->kind == PITHLOG_COMM_FREE ? PITHI_CLOG2_COMM_FINALIZE : PITHI_CLOG2_COMM_INIT));
    if (record->kind == PITHLOG_COMM_FREE) {
        unsigned char *body =
            pithi_clog2_put(lines->stream, PITHI_CLOG2_COMMEVT, record->time_ns, line.comm, line.rank, line.thread);
        if (!body)
            return PITH_ERR_IO;
        pithi_clog2_put32(body, PITHI_CLOG2_FREE);
        pithi_clog2_put32(body + 4, -999999999);
        pithi_clog2_put32(body + 8, PITHI_CLOG2_NO_RANK);
        pithi_clog2_put32(body + 12, PITHI_CLOG2_NO_RANK);
    }
    return PITH_OK;
}

void pithi_clog2_lines_lost(const struct pithi_clog2_lines *lines, uint64_t *comms, uint64_t *members)
{
    const struct pithlog_comm *def;

    *comms = *members = 0;
    for (uint32_t i = 1; (def = pithlog_get_comm(lines->log, i)) != NULL; i++) {
        const uint64_t *number = pithi_map_find(&lines->number_of, i);
        *comms += !number;
        /* A member is in the file if it has a line in the communicator. */
        for (int32_t m = 0; number && m < def->size + def->remote_size; m++) {
            struct pithi_clog2_line line = line_in(def, (int32_t)*number, m, 0);
            *members += !pithi_map_find(&lines->announced, pithi_map_pair((uint32_t)line.comm, (uint32_t)line.rank));
        }
    }
}

int pithi_clog2_write_table(const struct pithi_clog2_lines *lines, FILE *out)
{
    unsigned char bytes[PITHI_CLOG2_TABLE_ENTRY];

    pithi_clog2_put32(bytes, (int32_t)lines->entry_count);
    fwrite(bytes, 1, 4, out);
    for (uint32_t i = 0; i < lines->entry_count; i++) {
        memcpy(bytes, lines->entries[i].uuid, PITHI_CLOG2_UUID);
        pithi_clog2_put32(bytes + 32, (int32_t)i);
        pithi_clog2_put32(bytes + 36, lines->entries[i].kind);
        fwrite(bytes, 1, sizeof bytes, out);
    }
    return ferror(out) ? pithi_fail(PITH_ERR_IO, "the CLOG-2 file cannot be written") : PITH_OK;
}

/* Writes one record now: on its line, with its event number, and with its payload if it has one. */
static int write_now(struct pithi_clog2_cargo *c, const struct pithi_clog2_kept *kept)
{
    const struct pithlog_record *record = &kept->record;
    enum pithi_clog2_type type = kept->has_cargo ? PITHI_CLOG2_CARGOEVT : PITHI_CLOG2_BAREEVT;
    const struct pithi_clog2_shape *shape;
    struct pithi_number_pair pair = {0, 0};
    struct pithi_clog2_line line;
    unsigned char *body;
    int32_t event;

    if (record->kind == PITHLOG_EVENT)
        CHECK(pithi_clog2_solo_number(c->numbers, record, &event, &shape));
    else
        CHECK(pithi_clog2_state_number(c->numbers, record, &pair));
    if (record->kind != PITHLOG_EVENT)
        event = record->kind == PITHLOG_ENTER ? pair.begin : pair.end;
    CHECK(pithi_clog2_event_line(c->lines, record, pair.end, &line));
    body = pithi_clog2_put(c->numbers->stream, type, record->time_ns, line.comm, line.rank, line.thread);
    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, event);
    if (kept->has_cargo)
        memcpy(body + 8, kept->cargo, PITHI_CLOG2_CARGO);
    return PITH_OK;
}

static int keep(struct pithi_clog2_cargo *c, const struct pithi_clog2_kept *kept)
{
    if (!pithi_grow(&c->kept, c->count, &c->room, sizeof *c->kept))
        return pithi_no_memory();
    c->kept[c->count++] = *kept;
    return PITH_OK;
}

/* Writes all delayed records if one of them belongs to `lane` or has a time other than time_ns. */
int pithi_clog2_cargo_flush(struct pithi_clog2_cargo *c, int64_t time_ns, uint32_t lane)
{
    uint32_t i = 0;

    if (!c->count)
        return PITH_OK;
    while (i < c->count && c->kept[i].record.time_ns == time_ns && c->kept[i].record.lane != lane)
        i++;
    if (i == c->count)
        return PITH_OK;
    for (i = 0; i < c->count; i++)
        CHECK(write_now(c, &c->kept[i]));
    c->count = 0;
    return PITH_OK;
}

/* Finds the delayed record of a lane. There is at most one. */
static struct pithi_clog2_kept *of_lane(struct pithi_clog2_cargo *c, const struct pithlog_record *record)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->kept[i].record.lane == record->lane && c->kept[i].record.time_ns == record->time_ns)
            return &c->kept[i];
    return NULL;
}

static void drop(struct pithi_clog2_cargo *c, struct pithi_clog2_kept *kept)
{
    size_t behind = (size_t)(c->kept + c->count - kept - 1);

    memmove(kept, kept + 1, behind * sizeof *kept);
    c->count--;
}

int pithi_clog2_cargo_add(struct pithi_clog2_cargo *c, const struct pithlog_record *record)
{
    struct pithi_clog2_kept now = {.record = *record};
    const struct pithi_clog2_shape *shape;

    /* The payload is not kept, because it is valid only during this call. It is packed below. */
    now.record.payload = NULL;
    now.record.payload_bytes = 0;
    if (record->kind != PITHLOG_EVENT) {
        /* The record is the begin or end of a state. If a payload of this state is delayed, it belongs to this end. */
        struct pithi_clog2_kept *before = of_lane(c, &now.record);
        uint32_t info;
        if (now.record.kind == PITHLOG_LEAVE && before && before->record.kind == PITHLOG_EVENT &&
            before->state == now.record.id) {
            memcpy(now.cargo, before->cargo, sizeof now.cargo);
            now.has_cargo = 1;
            drop(c, before);
        }
        CHECK(pithi_clog2_cargo_flush(c, now.record.time_ns, now.record.lane));
        /* If a payload may follow this begin, the begin is delayed. */
        if (now.record.kind == PITHLOG_ENTER && pithi_clog2_state_info(c->numbers, now.record.id, &info))
            return keep(c, &now);
        return write_now(c, &now);
    }
    if (record->payload_bytes) {
        CHECK(pithi_clog2_shape_of(c->numbers, record->id, &shape));
        c->cut += (uint64_t)pithi_clog2_pack(shape, record->payload, record->payload_bytes, now.cargo);
        now.has_cargo = 1;
        if (pithi_clog2_info_state(c->numbers, record->id, &now.state)) {
            /* A payload of a state goes into the begin of the state if that is delayed. Otherwise the payload is
             * delayed until the end. */
            struct pithi_clog2_kept *before = of_lane(c, &now.record);
            if (before && before->record.kind == PITHLOG_ENTER && before->record.id == now.state && now.has_cargo) {
                struct pithi_clog2_kept begin = *before;
                memcpy(begin.cargo, now.cargo, sizeof begin.cargo);
                begin.has_cargo = 1;
                drop(c, before);
                return write_now(c, &begin);
            }
            CHECK(pithi_clog2_cargo_flush(c, now.record.time_ns, now.record.lane));
            return keep(c, &now);
        }
    }
    CHECK(pithi_clog2_cargo_flush(c, record->time_ns, record->lane));
    return write_now(c, &now);
}

void pithi_clog2_cargo_free(struct pithi_clog2_cargo *c) { free(c->kept); }
