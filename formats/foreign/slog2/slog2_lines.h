/* slog2_lines.h - lines and line maps of a SLOG-2 file being written, and arrows of one being read.
 *
 * A line is a row of the picture that a viewer draws. Each lane has a line of the world (MPI_COMM_WORLD) for its states
 * and events. Messages of another communicator are on lines of that communicator, which has one line for each lane. All
 * members of the communicator get these lines when a message first uses it. The line maps give the rank, thread and
 * communicator of a line; each group of an intercommunicator counts as a communicator.
 *
 * A native log has no arrows: for each communicator, sender, receiver and tag, the n-th send in time order matches the
 * n-th receive in the order of posting (match.c). So the reader must choose posting numbers such that each send matches
 * the receive of its arrow:
 *
 *     arrows        sent at 1, received at 9 (A)        sent at 2, received at 5 (B)
 *     by receipt    B is 0, A is 1: the send at 1 would match the receive at 5, so both arrows would be wrong
 *     by sending    A is 0, B is 1: the arrows stay as they are
 *
 * A program that waits for its messages one by one posts its receives in the order of receipt. So numbers by receipt
 * are probably the true ones, and a receiver gets them if they keep all its arrows as they are. Otherwise it gets
 * numbers by sending. The choice is known only after all arrows of the receiver. So the arrows are sorted twice, by
 * sending and then by receiver and receipt, and each arrow gets a number of both kinds. */
#ifndef PITHI_SLOG2_LINES_H
#define PITHI_SLOG2_LINES_H

#include "base/bytes.h"
#include "base/map.h"
#include "base/sorter.h"
#include "foreign/slog2/slog2_layout.h"
#include "pithlog.h"

struct pithi_slog2_row; /* one row of the line maps */

struct pithi_slog2_lines {
    struct pithlog *log;
    struct pithi_slog2_row *rows; /* by line */
    uint32_t count, room;
    int threads;              /* 1: some lane has a thread number above 0 */
    struct pithi_map lane_of; /* rank -> index of its first lane, + 1 */
    struct pithi_map used;    /* communicator of the log -> its number in the file; 0: members unknown */
    struct pithi_map rank_of; /* (communicator of the log, world rank) -> rank in the communicator + 1; ranks of the
                                 remote group come after those of the local group */
    struct pithi_map line_of; /* (communicator of the log, lane) -> line + 1 */
    int32_t last_number;      /* the highest number of a communicator in the file so far */
    uint64_t unknown_members; /* messages whose communicator has unknown members */
};

int pithi_slog2_lines_open(struct pithi_slog2_lines *lines, struct pithlog *log);
void pithi_slog2_lines_free(struct pithi_slog2_lines *lines);
/* Finds the lines of a message's two ends. */
int pithi_slog2_lines_message(struct pithi_slog2_lines *lines, const struct pithlog_message *message, int32_t line[2]);
/* Appends the list of line maps in the file's format. */
int pithi_slog2_lines_write(const struct pithi_slog2_lines *lines, struct pithi_buffer *bytes);

struct pithi_slog2_arrow {
    int64_t send_ns, recv_ns;
    uint64_t bytes;
    uint32_t send_lane, recv_lane, comm;
    int32_t send_rank, recv_rank, tag;
    uint64_t sent;                /* place of the arrow among all arrows, sorted by the time of sending */
    uint64_t by_send, by_receipt; /* the two possible numbers of the receive among those of its receiver; the function
                                     pithi_slog2_arrow_posted chooses */
};

struct pithi_slog2_arrows {
    struct pithi_sorter *by_send, *by_receipt;
    struct pithi_map crossed; /* ranks of receivers that need numbers by sending */
};

int pithi_slog2_arrows_open(struct pithi_slog2_arrows *arrows);
void pithi_slog2_arrows_free(struct pithi_slog2_arrows *arrows);
int pithi_slog2_arrows_add(struct pithi_slog2_arrows *arrows, const struct pithi_slog2_arrow *arrow);
/* Numbers the arrows and passes each to `take`. Call this function after the last arrow is added. */
int pithi_slog2_arrows_end(struct pithi_slog2_arrows *arrows,
                           int (*take)(void *context, const struct pithi_slog2_arrow *arrow), void *context);
/* Chooses one of the two numbers of an arrow as the number of its receive. `rank` is the receiver. Call this function
 * after pithi_slog2_arrows_end. */
uint64_t pithi_slog2_arrow_posted(const struct pithi_slog2_arrows *arrows, int32_t rank, uint64_t by_send,
                                  uint64_t by_receipt);

#endif
