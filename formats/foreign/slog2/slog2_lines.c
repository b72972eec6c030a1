/* slog2_lines.c - the lines of a file being written, and the numbering of arrows in a file being read.
 *
 * A line is a row of the picture that a viewer draws. "The world" is MPI_COMM_WORLD. If a log of two ranks has a
 * message in another communicator, the file has these lines:
 *
 *     line   rank  thread  comm  rank in comm
 *     0      0     0       0     0             lines of the world; line N is lane N
 *     1      1     0       0     1
 *     2      0     0       1     1             lines of the other communicator, which has the world ranks 1 and 0 and
 *     3      1     0       1     0             gets the number 1 at its first use
 *
 * An arrow in the file connects two lines, so the two lines show the communicator of the message. States and events are
 * on lines of the world. */
#include "foreign/slog2/slog2_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"

struct pithi_slog2_row {
    int32_t rank, thread, comm, in_comm; /* as in the line maps; in_comm: the rank in `comm` */
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static int add_row(struct pithi_slog2_lines *lines, uint32_t lane, int32_t comm, int32_t in_comm)
{
    const struct pithlog_lane *of = pithlog_get_lane(lines->log, lane);
    if (!of || !pithi_grow(&lines->rows, lines->count, &lines->room, sizeof *lines->rows))
        return pithi_no_memory();
    lines->rows[lines->count++] = (struct pithi_slog2_row){of->rank, (int32_t)(of->thread & INT32_MAX), comm, in_comm};
    return PITH_OK;
}

/* Makes the lines of the world, which come before all other lines. Line N is lane N. */
int pithi_slog2_lines_open(struct pithi_slog2_lines *lines, struct pithlog *log)
{
    uint32_t lanes = pithlog_get_info(log)->lanes;
    *lines = (struct pithi_slog2_lines){.log = log};
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(log, i);
        uint64_t *first = lane ? pithi_map_at(&lines->lane_of, (uint32_t)lane->rank) : NULL;
        if (!first)
            return pithi_no_memory();
        *first = *first ? *first : i + (uint64_t)1; /* index + 1 of the first lane of the rank */
        lines->threads |= lane->thread != 0;
        CHECK(add_row(lines, i, 0, lane->rank));
    }
    return PITH_OK;
}

void pithi_slog2_lines_free(struct pithi_slog2_lines *lines)
{
    free(lines->rows);
    pithi_map_free(&lines->lane_of);
    pithi_map_free(&lines->used);
    pithi_map_free(&lines->rank_of);
    pithi_map_free(&lines->line_of);
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

/* Adds a line for a lane in a communicator. `number` is the communicator's number in the file. `in_comm` is the lane's
 * rank in the communicator, where ranks of the remote group come after those of the local group. *line becomes the
 * line + 1. */
static int add_line(struct pithi_slog2_lines *lines, const struct pithlog_comm *def, int32_t number, int32_t in_comm,
                    uint32_t lane, uint64_t *line)
{
    int remote = in_comm >= def->size; /* in world_ranks, the remote group comes after the local group */
    *line = lines->count + (uint64_t)1;
    return add_row(lines, lane, number + remote, in_comm - (remote ? def->size : 0));
}

static int line_of(struct pithi_slog2_lines *lines, uint32_t comm, const struct pithlog_comm *def, uint32_t lane,
                   int32_t *line)
{
    const struct pithlog_lane *of = pithlog_get_lane(lines->log, lane);
    const uint64_t *rank = of ? pithi_map_find(&lines->rank_of, pithi_map_pair(comm, (uint32_t)of->rank)) : NULL;
    uint64_t *known = pithi_map_at(&lines->line_of, pithi_map_pair(comm, lane));
    uint64_t *number = pithi_map_at(&lines->used, comm);
    *line = -1;
    if (!known || !number)
        return pithi_no_memory();
    /* A lane that is not the first thread of its rank gets a line at its first message. */
    if (!*known && rank)
        CHECK(add_line(lines, def, (int32_t)*number, (int32_t)*rank - 1, lane, known));
    *line = (int32_t)*known - 1;
    return PITH_OK;
}

/* Sets *def to the definition of a communicator, or to NULL if its members are unknown. At the first use of the
 * communicator, gives it a number in the file and adds its lines. */
static int find_comm(struct pithi_slog2_lines *lines, uint32_t comm, const struct pithlog_comm **def)
{
    uint64_t *number = pithi_map_at(&lines->used, comm);
    *def = pithlog_get_comm(lines->log, comm);
    if (!number)
        return pithi_no_memory();
    if (!*def || (*def)->size <= 0 || !(*def)->world_ranks) {
        *def = NULL;
        return PITH_OK;
    }
    if (!*number) {
        /* Gives the communicator a number, and gives lines to all its members, so that the maps show all members. */
        *number = (uint64_t)++lines->last_number; /* 0 is the world */
        /* In the file, the remote group is a communicator of its own, with the next number. */
        lines->last_number += (*def)->remote_size > 0;
        int32_t own = (int32_t)*number;
        for (int32_t i = 0; i < (*def)->size + (*def)->remote_size; i++) {
            uint32_t world = (uint32_t)(*def)->world_ranks[i];
            uint64_t *rank = pithi_map_at(&lines->rank_of, pithi_map_pair(comm, world)), *line;
            const uint64_t *lane = pithi_map_find(&lines->lane_of, world);
            if (!rank)
                return pithi_no_memory();
            *rank = (uint64_t)i + 1;
            if (!lane) /* A rank without records has no lane, so it gets no line. */
                continue;
            line = pithi_map_at(&lines->line_of, pithi_map_pair(comm, (uint32_t)*lane - 1));
            if (!line)
                return pithi_no_memory();
            CHECK(add_line(lines, *def, own, i, (uint32_t)*lane - 1, line));
        }
    }
    return PITH_OK;
}

int pithi_slog2_lines_message(struct pithi_slog2_lines *lines, const struct pithlog_message *message, int32_t line[2])
{
    const struct pithlog_comm *def = NULL;
    line[0] = line[1] = -1;
    if (message->comm) {
        CHECK(find_comm(lines, message->comm, &def));
        if (def) {
            CHECK(line_of(lines, message->comm, def, message->send_lane, &line[0]));
            CHECK(line_of(lines, message->comm, def, message->recv_lane, &line[1]));
        }
        lines->unknown_members += line[0] < 0 || line[1] < 0;
    }
    /* If one end of the message has no line in its communicator, uses the lines of the world for both ends. This keeps
     * the arrow, but loses its communicator. */
    if (line[0] < 0 || line[1] < 0) {
        line[0] = (int32_t)message->send_lane;
        line[1] = (int32_t)message->recv_lane;
    }
    return PITH_OK;
}

/* ---- Line maps --------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 3 }; /* columns of the widest map: communicator, rank, thread */

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

/* Writes a line map of `count` columns. columns[i] says which value of a row column i shows: 0 rank, 1 thread, 2
 * communicator, 3 rank in the communicator, -1 the number of the line. */
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
    return ok && pithi_buffer_add(bytes, "\0", 2); /* there are no methods */
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
    return ok ? PITH_OK : pithi_no_memory();
}

/* MEMORY: bytes of memory of each sorter; PATHS_MOST: the most paths that are kept for a receiver. A path is a
 * communicator, a tag and a sender. */
enum { MEMORY = 8 << 20, PATHS_MOST = 1 << 18 };

/* The receiver whose arrows are being numbered by receipt. */
struct receiver {
    int32_t rank;
    uint64_t count;        /* number of its arrows so far */
    struct pithi_map last; /* hash of a path -> `sent` + 1 of the arrow that was received last on this path */
};

int pithi_slog2_arrows_open(struct pithi_slog2_arrows *arrows)
{
    *arrows = (struct pithi_slog2_arrows){0};
    CHECK(pithi_sorter_new(&arrows->by_send, MEMORY));
    return pithi_sorter_new(&arrows->by_receipt, MEMORY);
}

void pithi_slog2_arrows_free(struct pithi_slog2_arrows *arrows)
{
    pithi_sorter_free(arrows->by_send);
    pithi_sorter_free(arrows->by_receipt);
    pithi_map_free(&arrows->crossed);
}

int pithi_slog2_arrows_add(struct pithi_slog2_arrows *arrows, const struct pithi_slog2_arrow *arrow)
{
    /* Sorts the arrows as the log's reader matches their sends: by time, and sends of the same time by lane. */
    struct pithi_sort_key key = {{pithi_sort_time(arrow->send_ns), arrow->send_lane}};
    return pithi_sorter_add(arrows->by_send, &key, arrow, sizeof *arrow);
}

/* ---- By sending -------------------------------------------------------------------------------------------------- */

static int number_by_send(struct pithi_slog2_arrows *arrows)
{
    struct pithi_map counts = {0};
    struct pithi_sorted item;
    uint64_t sent = 0;
    int status, err;
    TRY(pithi_sorter_end(arrows->by_send));
    while ((status = pithi_sorter_next(arrows->by_send, &item)) == 1) {
        /* The second sort is by receiver, so that the arrows of each receiver come together. */
        struct pithi_slog2_arrow arrow;
        memcpy(&arrow, item.data, sizeof arrow);
        struct pithi_sort_key key = {{(uint32_t)arrow.recv_rank, pithi_sort_time(arrow.recv_ns), arrow.recv_lane}};
        uint64_t *count = pithi_map_at(&counts, (uint32_t)arrow.recv_rank);
        if (!count) {
            err = pithi_no_memory();
            goto out;
        }
        arrow.sent = sent++;        /* counts the arrows to all receivers */
        arrow.by_send = (*count)++; /* counts the arrows to this receiver */
        TRY(pithi_sorter_add(arrows->by_receipt, &key, &arrow, sizeof arrow));
    }
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    pithi_sorter_free(arrows->by_send);
    arrows->by_send = NULL;
    pithi_map_free(&counts);
    return err;
}

/* ---- By receipt -------------------------------------------------------------------------------------------------- */

/* Returns 1 if another arrow of the same path was sent later and received earlier, so that the receiver needs numbers
 * by sending; otherwise 0; -1 if memory runs out. With more than PATHS_MOST paths the test would need too much memory.
 * Then returns 1, too, because numbers by sending keep all arrows as they are. */
static int is_crossed(struct receiver *receiver, const struct pithi_slog2_arrow *arrow)
{
    /* If two paths have the same hash, the result may be 1 without need, which is harmless. */
    uint64_t path = pithi_hash_mix((uint64_t)arrow->comm << 32 | (uint32_t)arrow->tag, (uint32_t)arrow->send_rank) *
                    UINT64_C(0xd6e8feb86659fd93);
    uint64_t *last = receiver->last.count < PATHS_MOST ? pithi_map_at(&receiver->last, path) : NULL;
    if (!last)
        return receiver->last.count < PATHS_MOST ? -1 : 1;
    int crossed = *last > arrow->sent + 1; /* the last arrow of this path was received earlier, but sent later */
    *last = arrow->sent + 1;
    return crossed;
}

int pithi_slog2_arrows_end(struct pithi_slog2_arrows *arrows,
                           int (*take)(void *context, const struct pithi_slog2_arrow *arrow), void *context)
{
    struct receiver receiver = {.rank = INT32_MIN};
    struct pithi_slog2_arrow arrow;
    struct pithi_sorted item;
    int status, err;
    TRY(number_by_send(arrows));
    TRY(pithi_sorter_end(arrows->by_receipt));
    while ((status = pithi_sorter_next(arrows->by_receipt, &item)) == 1) {
        memcpy(&arrow, item.data, sizeof arrow);
        /* The arrows are sorted by receiver, so the first arrow of another receiver begins a new count. */
        if (receiver.rank != arrow.recv_rank) {
            pithi_map_free(&receiver.last);
            receiver = (struct receiver){.rank = arrow.recv_rank};
        }
        arrow.by_receipt = receiver.count++;
        int crossed = is_crossed(&receiver, &arrow);
        if (crossed < 0 || (crossed && !pithi_map_at(&arrows->crossed, (uint32_t)arrow.recv_rank)))
            TRY(pithi_no_memory());
        TRY(take(context, &arrow));
    }
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    pithi_sorter_free(arrows->by_receipt);
    arrows->by_receipt = NULL;
    pithi_map_free(&receiver.last);
    return err;
}

uint64_t pithi_slog2_arrow_posted(const struct pithi_slog2_arrows *arrows, int32_t rank, uint64_t by_send,
                                  uint64_t by_receipt)
{
    return pithi_map_find(&arrows->crossed, (uint32_t)rank) ? by_send : by_receipt;
}
