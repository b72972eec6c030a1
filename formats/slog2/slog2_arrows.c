/* slog2_arrows.c - see slog2_arrows.h. */
#include "slog2/slog2_arrows.h"

#include <string.h>

#include "error.h"

enum { MEMORY = 8 << 20, PATHS_MOST = 1 << 18 };

/* The receiver whose arrows come by receipt. */
struct receiver {
    int32_t rank;
    uint64_t count;
    struct pithi_lookup last; /* of a path, by its hash: the last arrow's order of sending */
};

static int no_memory(void) { return pithi_fail(PITH_ERR_MEMORY, "out of memory"); }

int pithi_slog2_arrows_open(struct pithi_slog2_arrows *arrows)
{
    int err;
    *arrows = (struct pithi_slog2_arrows){0};
    TRY(pithi_sorter_new(&arrows->by_send, MEMORY));
    TRY(pithi_sorter_new(&arrows->by_receipt, MEMORY));
out:
    return err;
}

void pithi_slog2_arrows_free(struct pithi_slog2_arrows *arrows)
{
    pithi_sorter_free(arrows->by_send);
    pithi_sorter_free(arrows->by_receipt);
    pithi_lookup_free(&arrows->crossed);
}

/* Sends of the same time stand in the log by lane, so they are numbered by lane. */
int pithi_slog2_arrows_add(struct pithi_slog2_arrows *arrows, const struct pithi_slog2_arrow *arrow)
{
    struct pithi_sort_key key = {{pithi_sort_time(arrow->send_ns), arrow->send_lane}};
    return pithi_sorter_add(arrows->by_send, &key, arrow, sizeof *arrow);
}

/* ---- By sending -------------------------------------------------------------------------------------------------- */

static int number_by_send(struct pithi_slog2_arrows *arrows)
{
    struct pithi_lookup counts = {0};
    struct pithi_sorted item;
    uint64_t sent = 0;
    int status, err;
    TRY(pithi_sorter_end(arrows->by_send));
    while ((status = pithi_sorter_next(arrows->by_send, &item)) == 1) {
        struct pithi_slog2_arrow arrow;
        memcpy(&arrow, item.data, sizeof arrow);
        struct pithi_sort_key key = {{(uint32_t)arrow.recv_rank, pithi_sort_time(arrow.recv_ns), arrow.recv_lane}};
        uint64_t *count = pithi_lookup_at(&counts, (uint32_t)arrow.recv_rank);
        if (!count) {
            err = no_memory();
            goto out;
        }
        arrow.sent = sent++;
        arrow.by_send = (*count)++;
        TRY(pithi_sorter_add(arrows->by_receipt, &key, &arrow, sizeof arrow));
    }
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    pithi_sorter_free(arrows->by_send);
    arrows->by_send = NULL;
    pithi_lookup_free(&counts);
    return err;
}

/* ---- By receipt -------------------------------------------------------------------------------------------------- */

/* Two paths with one hash may look crossed, which does no harm. */
static uint64_t path_of(const struct pithi_slog2_arrow *arrow)
{
    uint64_t hash = (uint64_t)arrow->comm << 32 | (uint32_t)arrow->tag;
    hash = (hash ^ (uint32_t)arrow->send_rank) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 29) * UINT64_C(0xd6e8feb86659fd93) >> 1;
}

/* Whether an arrow of the same path was sent later and received earlier; -1: no memory. Beyond so many paths that
 * question is too dear, and numbers by sending are always right. */
static int is_crossed(struct receiver *receiver, const struct pithi_slog2_arrow *arrow)
{
    uint64_t *last = receiver->last.used < PATHS_MOST ? pithi_lookup_at(&receiver->last, path_of(arrow)) : NULL;
    if (!last)
        return receiver->last.used < PATHS_MOST ? -1 : 1;
    int crossed = *last > arrow->sent + 1;
    *last = arrow->sent + 1;
    return crossed;
}

static int number_by_receipt(struct pithi_slog2_arrows *arrows, struct receiver *receiver,
                             struct pithi_slog2_arrow *arrow)
{
    if (receiver->rank != arrow->recv_rank) {
        pithi_lookup_free(&receiver->last);
        *receiver = (struct receiver){.rank = arrow->recv_rank};
    }
    arrow->by_receipt = receiver->count++;
    int crossed = is_crossed(receiver, arrow);
    if (crossed < 0 || (crossed && !pithi_lookup_at(&arrows->crossed, (uint32_t)arrow->recv_rank)))
        return no_memory();
    return PITH_OK;
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
        TRY(number_by_receipt(arrows, &receiver, &arrow));
        TRY(take(context, &arrow));
    }
    err = status < 0 ? PITH_ERR_IO : PITH_OK;
out:
    pithi_sorter_free(arrows->by_receipt);
    arrows->by_receipt = NULL;
    pithi_lookup_free(&receiver.last);
    return err;
}

uint64_t pithi_slog2_arrow_posted(const struct pithi_slog2_arrows *arrows, int32_t rank, uint64_t by_send,
                                  uint64_t by_receipt)
{
    return pithi_lookup_get(&arrows->crossed, (uint32_t)rank) ? by_send : by_receipt;
}
