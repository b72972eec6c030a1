/* slog2_lines.h - lines and line maps of a SLOG-2 file being written.
 *
 * Each lane has a line, of the world, for its states and events; messages of another communicator have lines of that,
 * one a lane, which all its members get when it is first used. The maps tell of a line which rank and thread it is, and
 * which communicator's; an intercommunicator's groups are a communicator each. */
#ifndef PITHI_SLOG2_LINES_H
#define PITHI_SLOG2_LINES_H

#include "foreign/lookup.h"
#include "native/bytes.h"
#include "pithlog.h"
#include "slog2/slog2_layout.h"

struct pithi_slog2_row; /* of the maps */

struct pithi_slog2_lines {
    struct pithlog *log;
    struct pithi_slog2_row *rows; /* by line */
    uint32_t count, room;
    int threads;                 /* whether a lane is one of several of its rank */
    struct pithi_lookup lane_of; /* rank -> its first lane + 1 */
    struct pithi_lookup used;    /* communicator of the log -> its number in the file; 0: its members are not known */
    struct pithi_lookup rank_of; /* (communicator of the log, world rank) -> rank in it + 1, behind the others those of
                                     the remote group */
    struct pithi_lookup line_of; /* (communicator of the log, lane) -> line + 1 */
    int32_t last_number;         /* of a communicator in the file */
    uint64_t unknown_members;    /* messages of which the communicator's members are not known */
};

int pithi_slog2_lines_open(struct pithi_slog2_lines *lines, struct pithlog *log);
void pithi_slog2_lines_free(struct pithi_slog2_lines *lines);
/* The lines of a message's ends. */
int pithi_slog2_lines_message(struct pithi_slog2_lines *lines, const struct pithlog_message *message, int32_t line[2]);
/* The list of maps as it stands in the file. */
int pithi_slog2_lines_write(const struct pithi_slog2_lines *lines, struct pithi_buffer *bytes);

#endif
