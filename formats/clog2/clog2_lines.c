/* clog2_lines.c - see clog2_lines.h. */
#include "clog2/clog2_lines.h"

#include <stdlib.h>

#include "error.h"
#include "foreign/names.h"

struct pithi_clog2_entry {
    unsigned char uuid[PITHI_CLOG2_UUID];
    int32_t kind;
};

enum { THREADS_MAX = 4096 }; /* thread numbers from here on are counted anew, from 0 in each rank */

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* ---- The world's lines ----------------------------------------------------------------------------------------- */

/* The preamble's number of ranks bounds those of every communicator. */
static void see_rank(struct pithi_clog2_lines *lines, int32_t rank)
{
    if (rank >= lines->ranks && rank < INT32_MAX)
        lines->ranks = rank + 1;
}

static int add_entry(struct pithi_clog2_lines *lines, uint64_t key, const char *mark, const char *name, int32_t kind)
{
    struct pithi_clog2_entry *entry;
    char text[PITHI_CLOG2_UUID - PITHI_CLOG2_UUID_NAME];
    size_t length = strlen(mark);

    if (lines->entry_count == lines->entry_size) {
        uint32_t size = lines->entry_size ? 2 * lines->entry_size : 16;
        entry = realloc(lines->entries, size * sizeof *entry);
        if (!entry)
            return no_memory();
        lines->entries = entry;
        lines->entry_size = size;
    }
    entry = &lines->entries[lines->entry_count++];
    *entry = (struct pithi_clog2_entry){.kind = kind};
    pithi_clog2_put32(entry->uuid, (int32_t)(uint32_t)key);
    pithi_clog2_put64f(entry->uuid + 4, (double)(key >> 32));
    memcpy(entry->uuid + PITHI_CLOG2_UUID_NAME, mark, length);
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
        return no_memory();
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        order = lane->rank == rank ? order + 1 : 0;
        rank = lane->rank;
        int32_t thread = lane->thread < THREADS_MAX ? (int32_t)lane->thread : order;
        lines->lanes[i] = (struct pithi_clog2_line){0, rank < 0 ? 0 : rank, thread}; /* -1: of no job */
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
    pithi_lookup_free(&lines->number_of);
    pithi_lookup_free(&lines->rank_of);
    pithi_lookup_free(&lines->announced);
    pithi_lookup_free(&lines->began_on);
}

/* ---- COMMEVT --------------------------------------------------------------------------------------------------- */

/* A record about communicator `comm`, in which the world's line `world` has rank `rank`. */
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

static int make_event(struct pithi_clog2_lines *lines, int64_t time_ns, const struct pithi_clog2_line *line,
                      int32_t number)
{
    return pithi_clog2_make_event(&lines->made, lines->stream, time_ns, line, number);
}

/* The world, and MPI_COMM_SELF for the name of the host in it. */
static int begin_process(struct pithi_clog2_lines *lines, int64_t time_ns, uint32_t lane)
{
    const struct pithi_clog2_line world = {0, lines->lanes[lane].rank, 0};
    const char *host = pithlog_get_lane(lines->log, lane)->host;
    int err;

    TRY(pithi_clog2_make_shift(&lines->made, lines->stream, time_ns, world.rank));
    TRY(write_event(lines, time_ns, &world, PITHI_CLOG2_WORLD, 0, world.rank));
    if (host && host[0]) {
        TRY(add_entry(lines, (uint32_t)world.rank, PITHI_CLOG2_MARK_HOST, host, PITHI_CLOG2_KIND_INTRA));
        TRY(write_event(lines, time_ns, &world, PITHI_CLOG2_SELF, (int32_t)lines->entry_count - 1, 0));
    }
    TRY(make_event(lines, time_ns, &world, PITHI_CLOG2_COMM_INIT));
out:
    return err;
}

static int end_process(struct pithi_clog2_lines *lines, int64_t time_ns, uint32_t lane)
{
    const struct pithi_clog2_line world = {0, lines->lanes[lane].rank, 0};

    return make_event(lines, time_ns, &world, PITHI_CLOG2_COMM_FINALIZE);
}

/* The first lane of each rank. */
static int each_process(struct pithi_clog2_lines *lines, int64_t time_ns,
                        int (*each)(struct pithi_clog2_lines *, int64_t, uint32_t))
{
    int32_t rank = -1;
    int err = PITH_OK;

    for (uint32_t i = 0; i < lines->lane_count; i++) {
        if (lines->lanes[i].rank != rank)
            TRY(each(lines, time_ns, i));
        rank = lines->lanes[i].rank;
    }
out:
    return err;
}

int pithi_clog2_begin_world(struct pithi_clog2_lines *lines, int64_t time_ns)
{
    return each_process(lines, time_ns, begin_process);
}

int pithi_clog2_end_world(struct pithi_clog2_lines *lines, int64_t time_ns)
{
    return each_process(lines, time_ns, end_process);
}

/* ---- Communicators --------------------------------------------------------------------------------------------- */

/* Rank of a process in a communicator: 0 .. size-1, of the remote group from size on; -1: no member. Found ones are
 * kept. */
static int find_rank(struct pithi_clog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, int32_t world,
                     int32_t *rank)
{
    uint64_t *known = pithi_lookup_at(&lines->rank_of, pithi_lookup_pair(comm, (uint32_t)world));
    int32_t members = def->size + def->remote_size;

    if (!known)
        return no_memory();
    if (!*known) {
        /* Most communicators hold their ranks at a steady distance: try there first. */
        int32_t r = 0;
        if (world >= 0 && world < members && def->world_ranks[world] == world)
            r = world;
        else
            while (r < members && def->world_ranks[r] != world)
                r++;
        *known = r < members ? (uint64_t)r + 1 : UINT64_MAX;
    }
    *rank = *known == UINT64_MAX ? -1 : (int32_t)*known - 1;
    return PITH_OK;
}

static int is_self(const struct pithlog_comm *def)
{
    return def->size == 1 && def->remote_size == 0 && def->name && strcmp(def->name, "MPI_COMM_SELF") == 0;
}

/* Number in the file, given out at first use. */
static int find_number(struct pithi_clog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, int32_t *number)
{
    uint64_t *known = pithi_lookup_at(&lines->number_of, comm);
    const char *name = def->name ? def->name : "";
    int err = PITH_OK;

    if (!known)
        return no_memory();
    if (!*known) {
        *known = lines->entry_count;
        if (def->remote_size == 0) {
            TRY(add_entry(lines, def->key, PITHI_CLOG2_MARK_KEY, name, PITHI_CLOG2_KIND_INTRA));
        } else {
            TRY(add_entry(lines, def->key, PITHI_CLOG2_MARK_KEY, name, PITHI_CLOG2_KIND_INTER));
            TRY(add_entry(lines, def->key, "group 0", "", PITHI_CLOG2_KIND_LOCAL));
            TRY(add_entry(lines, def->key, "group 1", "", PITHI_CLOG2_KIND_REMOTE));
        }
    }
    *number = (int32_t)*known;
out:
    return err;
}

/* The line of a process in a communicator; `rank` as find_rank gave it. */
static struct pithi_clog2_line line_in(const struct pithlog_comm *def, int32_t number, int32_t rank, int32_t thread)
{
    struct pithi_clog2_line line = {number, rank, thread};

    if (def->remote_size) {
        line.comm += rank < def->size ? 1 : 2;
        line.rank -= rank < def->size ? 0 : def->size;
    }
    return line;
}

/* The COMMEVT of a line, once. An intercommunicator is announced with the group of the process. */
static int announce(struct pithi_clog2_lines *lines, const struct pithlog_comm *def, int32_t number,
                    const struct pithi_clog2_line *world, const struct pithi_clog2_line *line, int64_t time_ns)
{
    uint64_t *done = pithi_lookup_at(&lines->announced, pithi_lookup_pair((uint32_t)line->comm, (uint32_t)line->rank));
    int err = PITH_OK;

    if (!done)
        return no_memory();
    if (*done)
        return PITH_OK;
    *done = 1;
    see_rank(lines, line->rank);
    if (def->remote_size) {
        TRY(write_event(lines, time_ns, world, PITHI_CLOG2_INTER, number, line->rank));
        TRY(write_event(lines, time_ns, world, PITHI_CLOG2_LOCAL, line->comm, line->rank));
    } else {
        TRY(write_event(lines, time_ns, world, is_self(def) ? PITHI_CLOG2_SELF : PITHI_CLOG2_INTRA, number,
                        line->rank));
    }
out:
    return err;
}

/* What `record`'s communicator is in the file, and its process's rank in it. *def NULL: the world, or members
 * unknown. */
static int find_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                     const struct pithlog_comm **def, int32_t *number, int32_t *rank)
{
    const struct pithlog_comm *found = record->comm ? pithlog_get_comm(lines->log, record->comm) : NULL;
    int err = PITH_OK;

    *def = NULL;
    *number = *rank = 0;
    if (!record->comm)
        return PITH_OK;
    *rank = -1;
    if (found && found->size > 0)
        TRY(find_rank(lines, record->comm, found, lines->lanes[record->lane].rank, rank));
    if (*rank < 0)
        return PITH_OK;
    TRY(find_number(lines, record->comm, found, number));
    *def = found;
out:
    return err;
}

int pithi_clog2_message_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record,
                             struct pithi_clog2_line *line, struct pithi_clog2_line *partner, int *known)
{
    const struct pithi_clog2_line *world = &lines->lanes[record->lane];
    const struct pithlog_comm *def;
    int32_t number, rank, other = -1;
    int err = PITH_OK;

    *known = record->peer >= 0;
    if (!*known)
        return PITH_OK;
    TRY(find_comm(lines, record, &def, &number, &rank));
    if (def)
        TRY(find_rank(lines, record->comm, def, record->peer, &other));
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
    TRY(announce(lines, def, number, world, line, record->time_ns));
out:
    return err;
}

/* The communicator that a record of a state or event is on, or its state was begun on. */
static int comm_of(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end, uint32_t *comm)
{
    uint64_t key = pithi_lookup_pair(record->lane, (uint32_t)end), *began;

    *comm = record->comm;
    if (record->kind == PITHLOG_EVENT || (record->kind == PITHLOG_ENTER && !record->comm && !lines->began_on.used))
        return PITH_OK;
    if (record->kind == PITHLOG_LEAVE) {
        began = pithi_lookup_get(&lines->began_on, key);
        *comm = began ? (uint32_t)*began : 0;
        return PITH_OK;
    }
    began = pithi_lookup_at(&lines->began_on, key);
    if (began)
        *began = record->comm;
    return began ? PITH_OK : no_memory();
}

int pithi_clog2_event_line(struct pithi_clog2_lines *lines, const struct pithlog_record *record, int32_t end,
                           struct pithi_clog2_line *line)
{
    struct pithlog_record on = *record;
    const struct pithlog_comm *def;
    int32_t number, rank;
    int err;

    *line = lines->lanes[record->lane];
    TRY(comm_of(lines, record, end, &on.comm));
    if (!on.comm)
        return PITH_OK;
    TRY(find_comm(lines, &on, &def, &number, &rank));
    lines->unknown_members += def == NULL;
    if (def) {
        *line = line_in(def, number, rank, line->thread);
        TRY(announce(lines, def, number, &lines->lanes[record->lane], line, record->time_ns));
    }
out:
    return err;
}

static int write_free(struct pithi_clog2_lines *lines, int64_t time_ns, const struct pithi_clog2_line *line)
{
    unsigned char *body =
        pithi_clog2_put(lines->stream, PITHI_CLOG2_COMMEVT, time_ns, line->comm, line->rank, line->thread);

    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, PITHI_CLOG2_FREE);
    pithi_clog2_put32(body + 4, -999999999);
    pithi_clog2_put32(body + 8, -1);
    pithi_clog2_put32(body + 12, -1);
    return PITH_OK;
}

/* The world's own creation, when the log has it: as the record that every line has, but without its mark. */
static int write_world(struct pithi_clog2_lines *lines, const struct pithlog_record *record)
{
    const struct pithi_clog2_line *world = &lines->lanes[record->lane];
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

int pithi_clog2_write_comm(struct pithi_clog2_lines *lines, const struct pithlog_record *record)
{
    const struct pithi_clog2_line *world = &lines->lanes[record->lane];
    const struct pithlog_comm *def;
    struct pithi_clog2_line line;
    int32_t number, rank;
    int err = PITH_OK;

    if (record->comm == 0)
        return write_world(lines, record);
    TRY(find_comm(lines, record, &def, &number, &rank));
    if (!def) {
        lines->unknown_members++;
        return PITH_OK;
    }
    line = line_in(def, number, rank, world->thread);
    TRY(announce(lines, def, number, world, &line, record->time_ns));
    TRY(make_event(lines, record->time_ns, &line,
                   record->kind == PITHLOG_COMM_FREE ? PITHI_CLOG2_COMM_FINALIZE : PITHI_CLOG2_COMM_INIT));
    if (record->kind == PITHLOG_COMM_FREE)
        TRY(write_free(lines, record->time_ns, &line));
out:
    return err;
}

/* A member is in the file when a line of it is. */
static uint64_t missing_members(const struct pithi_clog2_lines *lines, const struct pithlog_comm *def, int32_t number)
{
    uint64_t missing = 0;

    for (int32_t i = 0; i < def->size + def->remote_size; i++) {
        struct pithi_clog2_line line = line_in(def, number, i, 0);
        missing += !pithi_lookup_get(&lines->announced, pithi_lookup_pair((uint32_t)line.comm, (uint32_t)line.rank));
    }
    return missing;
}

void pithi_clog2_lines_lost(const struct pithi_clog2_lines *lines, uint64_t *comms, uint64_t *members)
{
    const struct pithlog_comm *def;

    *comms = *members = 0;
    for (uint32_t i = 1; (def = pithlog_get_comm(lines->log, i)) != NULL; i++) {
        const uint64_t *number = pithi_lookup_get(&lines->number_of, i);
        *comms += !number;
        *members += number ? missing_members(lines, def, (int32_t)*number) : 0;
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
