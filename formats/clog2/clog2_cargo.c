/* clog2_cargo.c - see clog2_cargo.h. */
#include "clog2/clog2_cargo.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "native/map.h"

static int write_now(struct pithi_clog2_cargo *c, const struct pithi_clog2_kept *kept)
{
    const struct pithlog_record *record = &kept->record;
    enum pithi_clog2_type type = kept->has_cargo ? PITHI_CLOG2_CARGOEVT : PITHI_CLOG2_BAREEVT;
    const struct pithi_clog2_shape *shape;
    struct pithi_number_pair pair = {0, 0};
    struct pithi_clog2_line line;
    unsigned char *body;
    int32_t event;
    int err;

    if (record->kind == PITHLOG_EVENT)
        TRY(pithi_clog2_solo_number(c->numbers, record, &event, &shape));
    else
        TRY(pithi_clog2_state_number(c->numbers, record, &pair));
    if (record->kind != PITHLOG_EVENT)
        event = record->kind == PITHLOG_ENTER ? pair.begin : pair.end;
    TRY(pithi_clog2_event_line(c->lines, record, pair.end, &line));
    body = pithi_clog2_put(c->numbers->stream, type, record->time_ns, line.comm, line.rank, line.thread);
    if (!body)
        return PITH_ERR_IO;
    pithi_clog2_put32(body, event);
    if (kept->has_cargo)
        memcpy(body + 8, kept->cargo, PITHI_CLOG2_CARGO);
out:
    return err;
}

static int keep(struct pithi_clog2_cargo *c, const struct pithi_clog2_kept *kept)
{
    if (!pithi_grow(&c->kept, c->count, &c->room, sizeof *c->kept))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    c->kept[c->count++] = *kept;
    return PITH_OK;
}

int pithi_clog2_cargo_flush(struct pithi_clog2_cargo *c, int64_t time_ns, uint32_t lane)
{
    uint32_t i = 0;
    int err = PITH_OK;

    if (!c->count)
        return PITH_OK;
    while (i < c->count && c->kept[i].record.time_ns == time_ns && c->kept[i].record.lane != lane)
        i++;
    if (i == c->count)
        return PITH_OK;
    for (i = 0; i < c->count; i++)
        TRY(write_now(c, &c->kept[i]));
    c->count = 0;
out:
    return err;
}

/* The one kept back for a lane: there is no more than one. */
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

/* A state's begin or end: the end may be that of a payload kept back. */
static int add_state(struct pithi_clog2_cargo *c, struct pithi_clog2_kept *now)
{
    struct pithi_clog2_kept *before = of_lane(c, &now->record);
    uint32_t info;
    int err;

    if (now->record.kind == PITHLOG_LEAVE && before && before->record.kind == PITHLOG_EVENT &&
        before->state == now->record.id) {
        memcpy(now->cargo, before->cargo, sizeof now->cargo);
        now->has_cargo = 1;
        drop(c, before);
    }
    TRY(pithi_clog2_cargo_flush(c, now->record.time_ns, now->record.lane));
    if (now->record.kind == PITHLOG_ENTER && pithi_clog2_state_info(c->numbers, now->record.id, &info))
        return keep(c, now);
    TRY(write_now(c, now));
out:
    return err;
}

/* A payload of a state: of the begin that was kept back, or it is kept back for the end. */
static int add_info(struct pithi_clog2_cargo *c, struct pithi_clog2_kept *now)
{
    struct pithi_clog2_kept *before = of_lane(c, &now->record);
    int err;

    if (before && before->record.kind == PITHLOG_ENTER && before->record.id == now->state && now->has_cargo) {
        struct pithi_clog2_kept begin = *before;
        memcpy(begin.cargo, now->cargo, sizeof begin.cargo);
        begin.has_cargo = 1;
        drop(c, before);
        return write_now(c, &begin);
    }
    TRY(pithi_clog2_cargo_flush(c, now->record.time_ns, now->record.lane));
    TRY(keep(c, now));
out:
    return err;
}

int pithi_clog2_cargo_add(struct pithi_clog2_cargo *c, const struct pithlog_record *record)
{
    struct pithi_clog2_kept now = {.record = *record};
    const struct pithi_clog2_shape *shape;
    int err;

    now.record.payload = NULL;
    now.record.payload_bytes = 0;
    if (record->kind != PITHLOG_EVENT)
        return add_state(c, &now);
    if (record->payload_bytes) {
        TRY(pithi_clog2_shape_of(c->numbers, record->id, &shape));
        c->cut += (uint64_t)pithi_clog2_pack(shape, record->payload, record->payload_bytes, now.cargo);
        now.has_cargo = 1;
        if (pithi_clog2_info_state(c->numbers, record->id, &now.state))
            return add_info(c, &now);
    }
    TRY(pithi_clog2_cargo_flush(c, record->time_ns, record->lane));
    TRY(write_now(c, &now));
out:
    return err;
}

void pithi_clog2_cargo_free(struct pithi_clog2_cargo *c) { free(c->kept); }
