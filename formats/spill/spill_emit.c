/* spill_emit.c - translates the records of one process from its own ids to the log's ids.
 *
 * A process numbers its definitions in the order in which it makes them; the log has one id for each name. Each process
 * has a table from its own ids to the log's ids:
 *
 *     process      1 compute, 2 MPI_Send, 3 MPI_Recv           log    0 MPI_Recv, 1 compute, 2 MPI_Send
 *     table        [1] = 1, [2] = 2, [3] = 0; UINT32_MAX for an id without a definition: its records are dropped
 *
 * A lane that has all records from its first one on needs no check for each record, and its enters and leaves go
 * directly into the arrays of the encoder. emit_cut handles all other lanes: those of a recording with PITH_FROM or
 * PITH_TO, of a ring, or with a lost chunk. It follows the open states of such a lane (spill_trim.h). Only lanes with
 * lost records are read twice (struct numbering). */
#include "spill/spill_emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "native/block.h"
#include "native/lost_states.h"
#include "spill/spill_numbers.h"
#include "spill/spill_trim.h"

/* Begins a walk through a lane, with the tables of ids and the shift of this process's clock. */
static void begin_walk(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                       const struct pithi_spill_ids *ids, struct pithi_spill_walk *walk, uint32_t lane)
{
    pithi_spill_walk(walk, spill, lane);
    walk->ids = ids->defs;
    walk->states = ids->states;
    walk->numbers = ids->numbers;
    walk->id_count = spill->def_count;
    walk->comms = ids->comms;
    walk->comm_count = spill->comm_count;
    walk->shift_ns = target->shift_ns;
}

/* Converts a time of the process's clock to log time. INT64_MIN and INT64_MAX, which mean no limit, stay unchanged. */
static int64_t log_time(const struct pithi_spill *spill, const struct pithi_spill_target *target, int64_t mono_ns)
{
    if (mono_ns == INT64_MIN || mono_ns == INT64_MAX)
        return mono_ns;
    return pithi_ns_sum(pithi_sync_ns(spill->syncs, spill->sync_count, mono_ns), target->shift_ns);
}

int pithi_spill_ids_make(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                         struct pithi_spill_ids *ids)
{
    uint32_t i;
    memset(ids, 0, sizeof *ids);
    CHECK(pithi_spill_numbers_map(spill, target->defs, &ids->defs, &ids->numbers));
    /* Makes the table from the process's communicators to the log's; UINT32_MAX: not defined. */
    ids->comms = malloc(((size_t)spill->comm_count + 1) * sizeof *ids->comms);
    if (ids->comms == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for communicators", spill->path);
    for (i = 0; i < spill->comm_count; i++) {
        ids->comms[i] = UINT32_MAX;
        if (i == 0)
            ids->comms[i] = 0; /* number 0 is MPI_COMM_WORLD in every process and in every log */
        else if (spill->comms[i].defined)
            CHECK(target->comm(target->context, &spill->comms[i].comm, &ids->comms[i]));
    }
    /* Makes the table from definitions to the encoder's numbers of states (pithi_said); UINT32_MAX: not a state, or its
     * number is too large. This is the only table that pithi_spill_next_states uses. */
    ids->states = malloc(((size_t)spill->def_count + 1) * sizeof *ids->states);
    if (ids->states == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for definitions", spill->path);
    for (i = 0; i < spill->def_count; i++)
        ids->states[i] = spill->defs[i].kind == PITHLOG_STATE && ids->defs[i] <= PITHI_SAID_MAX
                             ? pithi_said(0, ids->defs[i])
                             : UINT32_MAX;
    /* Finds the interval that is kept in the log, and the lowest order number of a receive in this interval. That
     * number is subtracted from the order numbers of all receives, because the order numbers of a log must begin with
     * 0. */
    const struct pithi_spill_page *page = &spill->page;
    struct pithi_spill_walk walk;
    int cut = page->zero_ns != 0;
    /* zero_ns is 0 without PITH_FROM and PITH_TO */
    ids->from_ns = cut ? log_time(spill, target, page->from_ns) : INT64_MIN;
    ids->to_ns = cut ? log_time(spill, target, page->to_ns) : INT64_MAX;
    ids->alive_at_end = cut && page->last.mono_ns >= page->to_ns;
    /* If the `seq` of a lane's first chunk is not 0, the ring has reused the chunks before it. */
    for (i = 0; i < spill->lane_count; i++)
        cut |= spill->chunks[spill->lanes[i].first].seq != 0;
    /* first_posted is the smallest over all lanes, because the receives of a process share one series of order numbers.
     */
    ids->first_posted = cut ? UINT64_MAX : 0;
    for (i = 0; cut && i < spill->lane_count; i++) {
        uint64_t first;
        begin_walk(spill, target, ids, &walk, i);
        first = pithi_spill_first_posted(&walk, ids->from_ns, ids->to_ns);
        if (first < ids->first_posted)
            ids->first_posted = first;
    }
    return PITH_OK;
}

void pithi_spill_ids_free(struct pithi_spill_ids *ids)
{
    free(ids->defs);
    free(ids->numbers);
    free(ids->comms);
    free(ids->states);
}

static void fill_states(void *walk, struct pithi_states *states) { pithi_spill_next_states(walk, states); }

/* Passes on a lane that has cuts, that is, places where records are left out or missing (spill_trim.h). */
static int emit_cut(const struct pithi_spill_target *target, const struct pithi_spill_ids *ids,
                    struct pithi_spill_walk *walk, struct pithi_spill_walk *ahead, struct pithi_spill_counts *counts,
                    int64_t *last_ns)
{
    struct pithi_spill_trim trim = {.walk = walk,
                                    .from_ns = ids->from_ns,
                                    .to_ns = ids->to_ns,
                                    .alive_at_end = ids->alive_at_end,
                                    .first_posted = ids->first_posted,
                                    .add = target->add,
                                    .context = target->context};
    int err = ids->numbers ? pithi_spill_before(ahead, &trim.before) : PITH_OK;
    if (err == PITH_OK)
        err = pithi_spill_trim(&trim);
    free(trim.before.states);
    counts->records += trim.added;
    counts->told += trim.told;
    counts->dropped += trim.dropped;
    if (last_ns != NULL && (trim.added > 0 || ids->from_ns != INT64_MIN))
        *last_ns = trim.added > 0 ? trim.last_ns : ids->from_ns;
    return err;
}

/* Passes on a lane in one reading. emit_cut may have to read the lane before that, to look for states that were begun
 * by an event number (spill_numbers.h) before the first kept record; for this it gets `ahead`, a copy of the walk at
 * its begin. */
static int emit_lane(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                     const struct pithi_spill_ids *ids, uint32_t spill_lane, uint32_t lane,
                     struct pithi_spill_counts *counts, int64_t *last_ns)
{
    struct pithi_spill_walk walk, ahead;
    int err;
    begin_walk(spill, target, ids, &walk, spill_lane);
    ahead = walk;
    walk.lane_id = lane;
    if (pithi_spill_is_cut(spill, &spill->lanes[spill_lane])) {
        err = emit_cut(target, ids, &walk, &ahead, counts, last_ns);
    } else {
        /* Passes on a lane that is complete from its beginning, as most lanes are, so no record needs a check. After an
         * ENTER or LEAVE, further ones are likely to follow, so `fill` takes them all at once. */
        struct pithlog_record record = {.peer = -1};
        uint64_t records = 0;
        err = PITH_OK;
        while (err == PITH_OK && pithi_spill_next(&walk, &record)) {
            err = target->add(target->context, &record);
            records++;
            if (record.kind == PITHLOG_LOST)
                counts->told += record.bytes;
            if (record.kind <= PITHLOG_LEAVE && target->fill != NULL)
                target->fill(target->context, walk.lane_id, fill_states, &walk);
        }
        counts->records += records + walk.state_records;
        if (records > 0 && last_ns != NULL)
            *last_ns = walk.last_ns;
    }
    counts->dropped += walk.dropped;
    counts->damaged += walk.damaged;
    return err;
}

/* ---- Lanes with lost records ------------------------------------------------------------------------------------- */

/* For a lane with lost records, which is read twice. The first reading finds how many states ended in each hole, and
 * the second reading stores these numbers in the LOST records. The first reading takes 13 ns a record, which doubles
 * the time. */
struct numbering {
    const struct pithi_spill_target *target; /* gets the records of the second reading */
    struct pithi_lost_pass pass;
    int has_begun; /* 1: the first reading has seen a record */
    uint32_t next; /* index of the next hole in the second reading */
};

static int take_first(void *context, const struct pithlog_record *record)
{
    struct numbering *n = context;
    if (!n->has_begun)
        n->pass.begin_ns = record->time_ns;
    n->has_begun = 1;
    return pithi_lost_record(&n->pass, record, 0) ? PITH_OK : pithi_no_memory();
}

static int add_numbered(void *context, const struct pithlog_record *record)
{
    struct numbering *n = context;
    struct pithlog_record numbered = *record;
    if (pithi_lost_is_hole(record, n->pass.begin_ns) && n->next < n->pass.hole_count)
        numbered.got_bytes = n->pass.holes[n->next++].gone + UINT64_C(1);
    return n->target->add(n->target->context, &numbered);
}

static void fill_numbered(void *context, uint32_t lane, pithi_states_filler *filler, void *filler_context)
{
    const struct numbering *n = context;
    n->target->fill(n->target->context, lane, filler, filler_context);
}

/* Returns 1 if the lane may have LOST records and can be read twice. Most losses are counted in the lane's chunks. The
 * loss of a single record is only counted in the page of the process; if the page's count is larger than the sum over
 * all chunks, any lane may have LOST records. A lane of a process that still runs often cannot be read twice, because
 * its chunks may be reused between the two readings. */
static int is_numbered(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                       const struct pithi_spill_lane *lane)
{
    int is_ring = spill->chunks[lane->first].open_bytes != 0;
    uint64_t in_chunks = 0;
    if (target->is_live && (is_ring || !spill->settled))
        return 0;
    if (lane->lost > 0 || lane->overwritten > 0 || spill->page.lost == 0)
        return lane->lost > 0 || lane->overwritten > 0;
    for (uint32_t i = 0; i < spill->lane_count; i++)
        in_chunks += spill->lanes[i].lost + spill->lanes[i].overwritten;
    return spill->page.lost > in_chunks;
}

int pithi_spill_emit_lane(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_ids *ids, uint32_t spill_lane, uint32_t lane,
                          struct pithi_spill_counts *counts, int64_t *last_ns)
{
    struct numbering numbering = {.target = target};
    struct pithi_spill_target first = *target, second = *target;
    struct pithi_spill_counts ignored = {0};
    int err;
    if (!is_numbered(spill, target, &spill->lanes[spill_lane]))
        return emit_lane(spill, target, ids, spill_lane, lane, counts, last_ns);
    first.context = second.context = &numbering;
    first.add = take_first;
    first.fill = NULL;
    second.add = add_numbered;
    second.fill = target->fill ? fill_numbered : NULL;
    TRY(emit_lane(spill, &first, ids, spill_lane, lane, &ignored, NULL));
    pithi_lost_end(&numbering.pass);
    TRY(emit_lane(spill, &second, ids, spill_lane, lane, counts, last_ns));
out:
    pithi_lost_free(&numbering.pass);
    return err;
}

int pithi_spill_emit_lost(const struct pithi_spill *spill, const struct pithi_spill_target *target,
                          const struct pithi_spill_counts *counts, uint32_t lane, int64_t time_ns)
{
    /* The number of records that the recorder could not store, plus the records that were dropped here. The losses in
     * `told`, which the LOST records of the lanes already report, are subtracted from it. */
    uint64_t lost = spill->page.lost + counts->dropped;
    struct pithlog_record record = {.kind = PITHLOG_LOST, .peer = -1, .lane = lane, .time_ns = time_ns};
    if (lost <= counts->told || spill->page.lost > UINT64_MAX / 2) /* a count of more than 2^63 is damage */
        return PITH_OK;
    record.bytes = lost - counts->told;
    return target->add(target->context, &record);
}

int pithi_spill_emit(const struct pithi_spill *spill, const struct pithi_spill_target *target, uint64_t *records,
                     uint64_t *damaged)
{
    struct pithi_spill_counts counts = {0, 0, 0, 0};
    struct pithi_spill_ids ids;
    uint32_t i, lane = 0;
    int64_t first_lane_ns = 0;
    int err;

    TRY(pithi_spill_ids_make(spill, target, &ids));
    for (i = 0; i < spill->lane_count; i++) {
        const struct pithi_spill_lane *each = &spill->lanes[i];
        TRY(target->lane(target->context, target->thread_base + each->lane, *each->name != '\0' ? each->name : NULL,
                         &lane));
        TRY(pithi_spill_emit_lane(spill, target, &ids, i, lane, &counts, i == 0 ? &first_lane_ns : NULL));
    }
    /* Losses whose lane is unknown become a LOST record in the process's first lane. */
    if (spill->page.lost + counts.dropped > counts.told) {
        TRY(target->lane(target->context, target->thread_base, NULL, &lane));
        TRY(pithi_spill_emit_lost(spill, target, &counts, lane, first_lane_ns));
    }
    if (records != NULL)
        *records += counts.records;
    if (damaged != NULL)
        *damaged += counts.damaged;
out:
    pithi_spill_ids_free(&ids);
    return err;
}
