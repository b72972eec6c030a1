/* slog2_arrows.h - arrows of a SLOG-2 file on their way to be sends and receives that pair up as the arrows do.
 *
 * A log has no arrows: of one communicator, sender, receiver and tag the n-th send in order of time goes with the n-th
 * receive in order of posting (match.c). So the numbers of posting must tell what belongs together:
 *
 *     arrows        sent at 1, received at 9 (A)        sent at 2, received at 5 (B)
 *     by receipt    B is 0, A is 1: the send at 1 would go with the receive at 5, two arrows that nobody wrote
 *     by sending    A is 0, B is 1: they stay what they are
 *
 * Numbers by receipt are what a program has that waits for one message after the other, so a receiver gets these if all
 * its arrows stay as they are, else numbers by sending. That is known when all arrows of the receiver were seen: they
 * are sorted by sending, then by receiver and receipt, and come out with both numbers. */
#ifndef PITHI_SLOG2_ARROWS_H
#define PITHI_SLOG2_ARROWS_H

#include "foreign/lookup.h"
#include "foreign/sorter.h"

struct pithi_slog2_arrow {
    int64_t send_ns, recv_ns;
    uint64_t bytes;
    uint32_t send_lane, recv_lane, comm;
    int32_t send_rank, recv_rank, tag;
    uint64_t sent;                /* order of sending in the file */
    uint64_t by_send, by_receipt; /* among those of the receiver: see pithi_slog2_arrow_posted */
};

struct pithi_slog2_arrows {
    struct pithi_sorter *by_send, *by_receipt;
    struct pithi_lookup crossed; /* receivers of which arrows overtake others */
};

int pithi_slog2_arrows_open(struct pithi_slog2_arrows *arrows);
void pithi_slog2_arrows_free(struct pithi_slog2_arrows *arrows);
int pithi_slog2_arrows_add(struct pithi_slog2_arrows *arrows, const struct pithi_slog2_arrow *arrow);
/* All are added; `take` gets each. */
int pithi_slog2_arrows_end(struct pithi_slog2_arrows *arrows,
                           int (*take)(void *context, const struct pithi_slog2_arrow *arrow), void *context);
/* The number of posting of an arrow's receive, when all were taken. */
uint64_t pithi_slog2_arrow_posted(const struct pithi_slog2_arrows *arrows, int32_t rank, uint64_t by_send,
                                  uint64_t by_receipt);

#endif
