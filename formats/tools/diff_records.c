/* diff_records.c - compares two logs record by record, each lane by itself: a difference in one lane does not affect
 * the others, and small time differences do not change which records are compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "foreign/text/printer.h"
#include "native/segment.h"
#include "tools/diff.h"
#include "tools/tools.h"

enum { MOST = 10, BATCH = 128 }; /* differences shown; records fetched at once */

/* Reads a lane of a log. */
struct reading {
    struct pithlog_iter *iter;
    struct pithlog_record records[BATCH];
    int next, count;
};

struct comparing {
    struct pithi_diff_pair *pair;
    int64_t within_ns;
    uint32_t *comms; /* by communicator of a: that of b, + 1; 0: unknown */
    uint64_t differences;
    int printing; /* the printers are open */
    struct pithi_printer printer[2];
    FILE *file[2];
    char *text[2];
    size_t size[2];
};

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int same_comm(struct comparing *c, uint32_t a, uint32_t b)
{
    const struct pithlog_comm *x = pithlog_get_comm(c->pair->log[0], a), *y = pithlog_get_comm(c->pair->log[1], b);

    if (c->comms[a])
        return c->comms[a] == b + 1;
    if (strcmp(x->name, y->name) != 0 || x->size != y->size || x->remote_size != y->remote_size)
        return 0;
    size_t members = (size_t)x->size + (size_t)x->remote_size;
    if (members && memcmp(x->world_ranks, y->world_ranks, members * sizeof *x->world_ranks) != 0)
        return 0;
    c->comms[a] = b + 1;
    return 1;
}

static int same_time(const struct comparing *c, int64_t a, int64_t b)
{
    return (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b) <= (uint64_t)c->within_ns;
}

static int same(struct comparing *c, const struct pithlog_record *a, const struct pithlog_record *b)
{
    if (a->kind != b->kind || !same_time(c, a->time_ns, b->time_ns))
        return 0;
    if (a->kind <= PITHLOG_COUNTER)
        return c->pair->ids[0][a->id] == c->pair->ids[1][b->id] && a->payload_bytes == b->payload_bytes &&
               (!a->payload_bytes || memcmp(a->payload, b->payload, a->payload_bytes) == 0) &&
               memcmp(&a->value, &b->value, sizeof a->value) == 0;
    return a->peer == b->peer && a->tag == b->tag && a->bytes == b->bytes && a->got_bytes == b->got_bytes &&
           a->posted == b->posted && (a->kind > PITHLOG_COMM_FREE || same_comm(c, a->comm, b->comm));
}

static int start(struct reading *reading, struct pithlog *log, uint32_t lane)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .lanes = &lane, .lane_count = 1};

    reading->next = reading->count = 0;
    return pithlog_iter_open(log, &query, &reading->iter);
}

/* Gives the next record; *record NULL: end of the lane. */
static int next(struct reading *reading, const struct pithlog_record **record)
{
    *record = NULL;
    if (reading->next == reading->count) {
        reading->next = 0;
        reading->count = pithlog_iter_next_many(reading->iter, reading->records, BATCH);
    }
    if (reading->count > 0)
        *record = &reading->records[reading->next++];
    return reading->count < 0 ? PITH_ERR_DAMAGED : PITH_OK;
}

/* ---- Showing ----------------------------------------------------------------------------------------------------- */

/* Opens a printer that knows the log's names. Its output so far, the definitions, is discarded. */
static int open_printer(struct comparing *c, int side)
{
    struct pithlog *log = c->pair->log[side];
    struct pithi_printer *p = &c->printer[side];
    int err = PITH_OK;

    if (!(c->file[side] = open_memstream(&c->text[side], &c->size[side])))
        return pithi_no_memory();
    CHECK(pithi_printer_open(p, c->file[side], PITHI_TEXT_TABS, NULL));
    c->printing |= 1 << side;
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->lanes; i++)
        err = pithi_printer_lane(p, i, pithlog_get_lane(log, i));
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->defs; i++)
        err = pithi_printer_def(p, pithlog_get_def(log, i));
    for (uint32_t i = 0; !err && i < pithlog_get_info(log)->comms; i++)
        err = pithi_printer_comm(p, i, pithlog_get_comm(log, i));
    return err;
}

static int open_printers(struct comparing *c)
{
    int err = c->printing ? PITH_OK : open_printer(c, 0);

    return err || c->printing == 3 ? err : open_printer(c, 1);
}

static void close_printers(struct comparing *c)
{
    for (int side = 0; side < 2; side++) {
        if (c->printing >> side & 1)
            pithi_printer_close(&c->printer[side], PITH_OK);
        if (c->file[side])
            fclose(c->file[side]);
        free(c->text[side]);
    }
}

/* Prints "< " or "> " and the record in the format of `pith print`. */
static void show_record(struct comparing *c, int side, const struct pithlog_record *record)
{
    struct pithi_printer *p = &c->printer[side];

    if (!record) {
        printf("%c (end of the thread)\n", "<>"[side]);
        return;
    }
    pithi_out_flush(&p->out);
    rewind(c->file[side]);
    pithi_printer_record(p, record);
    pithi_out_flush(&p->out);
    fflush(c->file[side]);
    printf("%c %.*s", "<>"[side], (int)c -> size[side], c -> text[side]);
}

static int show(struct comparing *c, const struct pithlog_lane *lane, uint64_t number, const struct pithlog_record *a,
                const struct pithlog_record *b)
{
    int err = PITH_OK;

    if (c->differences++ >= MOST || (err = open_printers(c)) != PITH_OK)
        return err;
    printf("rank %d thread %u record %llu:\n", (int)lane->rank, (unsigned)lane->thread, (unsigned long long)number);
    show_record(c, 0, a);
    show_record(c, 1, b);
    return PITH_OK;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static int compare_lanes(struct comparing *c, uint32_t i, uint32_t k)
{
    struct reading *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    const struct pithlog_record *x, *y;
    uint64_t number = 0;
    int err;

    if (!a || !b) {
        err = pithi_no_memory();
        goto out;
    }
    TRY(start(a, c->pair->log[0], i));
    TRY(start(b, c->pair->log[1], k));
    do {
        TRY(next(a, &x));
        TRY(next(b, &y));
        number++;
    } while (x && y && same(c, x, y));
    if (x || y)
        TRY(show(c, pithlog_get_lane(c->pair->log[0], i), number, x, y));
out:
    if (a)
        pithlog_iter_close(a->iter);
    if (b)
        pithlog_iter_close(b->iter);
    free(a);
    free(b);
    return err;
}

static void show_unpaired(struct comparing *c, int side, uint32_t number)
{
    const struct pithlog_lane *lane = pithlog_get_lane(c->pair->log[side], number);

    if (c->differences++ < MOST)
        printf("rank %d thread %u: only in %s, %llu records\n", (int)lane->rank, (unsigned)lane->thread,
               side ? "the second" : "the first", (unsigned long long)lane->records);
}

static int compare_all(struct comparing *c)
{
    uint32_t i = 0, k = 0;
    int err = PITH_OK;

    while (err == PITH_OK &&
           (i < pithlog_get_info(c->pair->log[0])->lanes || k < pithlog_get_info(c->pair->log[1])->lanes)) {
        int order = pithi_pair_order(c->pair, i, k, 1);
        if (order == 0)
            err = compare_lanes(c, i, k);
        else
            show_unpaired(c, order > 0, order < 0 ? i : k);
        i += order <= 0;
        k += order >= 0;
    }
    return err;
}

int pithi_diff_records(struct pithi_diff_pair *pair, int64_t within_ns, int *different)
{
    struct comparing c = {.pair = pair, .within_ns = within_ns};
    int err;

    c.comms = calloc(pithlog_get_info(pair->log[0])->comms + (size_t)1, sizeof *c.comms);
    err = c.comms ? compare_all(&c) : pithi_no_memory();
    if (c.differences > MOST)
        printf("and %llu more threads\n", (unsigned long long)(c.differences - MOST));
    if (!err && (fflush(stdout) != 0 || ferror(stdout)))
        err = pithi_fail(PITH_ERR_IO, "standard output: cannot write");
    *different = c.differences > 0;
    close_printers(&c);
    free(c.comms);
    return err;
}
