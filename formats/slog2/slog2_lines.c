/* slog2_lines.c - see slog2_lines.h. */
#include "slog2/slog2_lines.h"

#include <stdlib.h>

#include "error.h"
#include "native/map.h"

struct pithi_slog2_row {
    int32_t rank, thread, comm, in_comm;
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static int add_row(struct pithi_slog2_lines *lines, uint32_t lane, int32_t comm, int32_t in_comm)
{
    const struct pithlog_lane *of = pithlog_get_lane(lines->log, lane);
    if (!of || !pithi_grow(&lines->rows, lines->count, &lines->room, sizeof *lines->rows))
        return no_memory();
    lines->rows[lines->count++] = (struct pithi_slog2_row){of->rank, (int32_t)(of->thread & INT32_MAX), comm, in_comm};
    return PITH_OK;
}

/* The world's lines have the numbers of their lanes. */
int pithi_slog2_lines_open(struct pithi_slog2_lines *lines, struct pithlog *log)
{
    uint32_t lanes = pithlog_get_info(log)->lanes;
    int err = PITH_OK;
    *lines = (struct pithi_slog2_lines){.log = log};
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        uint64_t *first = lane ? pithi_lookup_at(&lines->lane_of, (uint32_t)lane->rank) : NULL;
        if (!first)
            return no_memory();
        *first = *first ? *first : i + (uint64_t)1;
        lines->threads |= lane->thread != 0;
        TRY(add_row(lines, i, 0, lane->rank));
    }
out:
    return err;
}

void pithi_slog2_lines_free(struct pithi_slog2_lines *lines)
{
    free(lines->rows);
    pithi_lookup_free(&lines->lane_of);
    pithi_lookup_free(&lines->used);
    pithi_lookup_free(&lines->rank_of);
    pithi_lookup_free(&lines->line_of);
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* The line of a lane that is rank `in_comm` there, from def->size on of the remote group. */
static int add_line(struct pithi_slog2_lines *lines, const struct pithlog_comm *def, int32_t number, int32_t in_comm,
                    uint32_t lane, uint64_t *line)
{
    int remote = in_comm >= def->size;
    *line = lines->count + (uint64_t)1;
    return add_row(lines, lane, number + remote, in_comm - (remote ? def->size : 0));
}

/* Numbers and lines of all members, so that the maps show all of it. */
static int use_comm(struct pithi_slog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, uint64_t *number)
{
    int err = PITH_OK;
    *number = (uint64_t)++lines->last_number;
    lines->last_number += def->remote_size > 0;
    int32_t own = (int32_t)*number;
    for (int32_t i = 0; i < def->size + def->remote_size; i++) {
        uint32_t world = (uint32_t)def->world_ranks[i];
        uint64_t *rank = pithi_lookup_at(&lines->rank_of, pithi_lookup_pair(comm, world)), *line;
        const uint64_t *lane = pithi_lookup_get(&lines->lane_of, world);
        if (!rank)
            return no_memory();
        *rank = (uint64_t)i + 1;
        if (!lane)
            continue;
        line = pithi_lookup_at(&lines->line_of, pithi_lookup_pair(comm, (uint32_t)*lane - 1));
        if (!line)
            return no_memory();
        TRY(add_line(lines, def, own, i, (uint32_t)*lane - 1, line));
    }
out:
    return err;
}

static int line_of(struct pithi_slog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, uint32_t lane,
                   int32_t *line)
{
    const struct pithlog_lane *of = pithlog_get_lane(lines->log, lane);
    const uint64_t *rank = of ? pithi_lookup_get(&lines->rank_of, pithi_lookup_pair(comm, (uint32_t)of->rank)) : NULL;
    uint64_t *known = pithi_lookup_at(&lines->line_of, pithi_lookup_pair(comm, lane));
    uint64_t *number = pithi_lookup_at(&lines->used, comm);
    int err = PITH_OK;
    *line = -1;
    if (!known || !number)
        return no_memory();
    if (!*known && rank)
        TRY(add_line(lines, def, (int32_t)*number, (int32_t)*rank - 1, lane, known));
    *line = (int32_t)*known - 1;
out:
    return err;
}

/* The communicator if all that is needed of it is known, else NULL. */
static int find_comm(struct pithi_slog2_lines *lines, uint32_t comm, const struct pithlog_comm **def)
{
    uint64_t *number = pithi_lookup_at(&lines->used, comm);
    int err = PITH_OK;
    *def = pithlog_get_comm(lines->log, comm);
    if (!number)
        return no_memory();
    if (!*def || (*def)->size <= 0 || !(*def)->world_ranks) {
        *def = NULL;
        return PITH_OK;
    }
    if (!*number)
        TRY(use_comm(lines, comm, *def, number));
out:
    return err;
}

int pithi_slog2_lines_message(struct pithi_slog2_lines *lines, const struct pithlog_message *message, int32_t line[2])
{
    const struct pithlog_comm *def = NULL;
    int err = PITH_OK;
    line[0] = line[1] = -1;
    if (message->comm) {
        TRY(find_comm(lines, message->comm, &def));
        if (def) {
            TRY(line_of(lines, message->comm, def, message->send_lane, &line[0]));
            TRY(line_of(lines, message->comm, def, message->recv_lane, &line[1]));
        }
        lines->unknown_members += line[0] < 0 || line[1] < 0;
    }
    if (line[0] < 0 || line[1] < 0) {
        line[0] = (int32_t)message->send_lane;
        line[1] = (int32_t)message->recv_lane;
    }
out:
    return err;
}

/* ---- In the file ------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 3 };

static int put_string(struct pithi_buffer *bytes, const char *text)
{
    size_t size = strlen(text);
    if (!pithi_buffer_reserve(bytes, 2 + size))
        return 0;
    unsigned char *p = pithi_slog2_put16(bytes->data + bytes->size, (uint32_t)size);
    memcpy(p, text, size);
    bytes->size += 2 + size;
    return 1;
}

static int put_number(struct pithi_buffer *bytes, int32_t value)
{
    unsigned char number[4];
    pithi_slog2_put32(number, (uint32_t)value);
    return pithi_buffer_add(bytes, number, sizeof number);
}

/* A map of which the rows have these columns: places of numbers in a row, -1: the number of the line. */
static int put_map(const struct pithi_slog2_lines *lines, struct pithi_buffer *bytes, const char *title,
                   const char *const labels[COLUMNS], const int columns[COLUMNS], int count)
{
    int ok = put_string(bytes, title) && put_number(bytes, count);
    for (int i = 0; ok && i < count; i++)
        ok = put_string(bytes, labels[i]);
    ok = ok && put_number(bytes, (int32_t)lines->count);
    for (uint32_t line = 0; ok && line < lines->count; line++) {
        const struct pithi_slog2_row *row = &lines->rows[line];
        const int32_t values[] = {row->rank, row->thread, row->comm, row->in_comm};
        ok = put_number(bytes, (int32_t)line);
        for (int i = 0; ok && i < count; i++)
            ok = put_number(bytes, columns[i] < 0 ? (int32_t)line : values[columns[i]]);
    }
    return ok && pithi_buffer_add(bytes, "\0", 2); /* no methods */
}

int pithi_slog2_lines_write(const struct pithi_slog2_lines *lines, struct pithi_buffer *bytes)
{
    static const char *const process[COLUMNS] = {"world_rank", "thread"};
    static const char *const comm[COLUMNS] = {"commID", "comm_rank", "thread"};
    static const char *const identity[COLUMNS] = {"LineID"};
    int threads = lines->threads;
    int ok = put_number(bytes, 3) &&
             put_map(lines, bytes, threads ? "Process-Thread View" : "Process View", process,
                     (const int[COLUMNS]){0, 1}, 1 + threads) &&
             put_map(lines, bytes, threads ? "Communicator-Thread View" : "Communicator View", comm,
                     (const int[COLUMNS]){2, 3, 1}, 2 + threads) &&
             put_map(lines, bytes, "Identity Map", identity, (const int[COLUMNS]){-1}, 1);
    return ok ? PITH_OK : no_memory();
}
