/* clip.c - makes records of the steps of a walk (clip.h). Most steps give one record. Where a hole begins, each open
 * state gets a LEAVE, innermost first, although the walk has ENDS steps only for the states that ended in the hole.
 *
 * Example: A, B and C are open, records are lost from 30 to 60, and A is left at 60.
 *
 *     steps     30 HOLE_BEGINS    30 ENDS C    30 ENDS B                     60 GOES_ON A    60 ENDS A
 *     records                     30 leave C   30 leave B    30 leave A      60 enter A      60 leave A
 *
 * The LEAVE of A at 30 has no step of its own. So HOLE_BEGINS puts all open states into `left`. The ENDS steps that
 * follow only mark those that ended in the hole. The LEAVEs of all states in `left` are delivered when the next step of
 * another kind is found. So a program that pairs these records, and knows nothing of holes, does not count the time
 * from 30 to 60. */
#include "reader/read/clip.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"

/* An open state that gets a LEAVE where a hole begins. */
struct left {
    uint32_t id, has_ended;      /* has_ended 0: the state goes on after the hole */
    int64_t start_ns, nested_ns; /* begin of the state, and time of the states directly inside it, for the LEAVE */
};

struct pithi_clipped {
    struct pithlog_walk *walk; /* delivers the steps */
    uint32_t kinds;            /* mask of the kinds that the caller wants */
    enum pithi_iter_part part; /* where the records delivered last come from */
    struct pithlog_step step;  /* the step whose records are being delivered */
    int has_step;              /* 1: the record of `step` is not delivered yet; it comes after the LEAVEs of `left` */
    struct left *left;
    uint32_t left_count, left_room;
    uint32_t lane;   /* lane of the states in `left` */
    int64_t hole_ns; /* when the hole begins */
};

int pithi_clipped_new(struct pithlog *log, const struct pithlog_query *query, struct pithi_clipped **clipped)
{
    struct pithlog_query walked = *query;
    struct pithi_clipped *c = *clipped = calloc(1, sizeof *c);
    if (!c)
        return pithi_no_memory();
    c->kinds = query->kinds ? query->kinds : UINT32_MAX;
    c->part = PITHI_PART_WITHIN;
    walked.kinds = c->kinds;
    walked.flags = 0;
    return pithlog_walk_open(log, &walked, &c->walk);
}

void pithi_clipped_free(struct pithi_clipped *c)
{
    if (!c)
        return;
    pithlog_walk_close(c->walk);
    free(c->left);
    free(c);
}

void pithi_clipped_tell_holes(struct pithi_clipped *c, struct pithi_holes holes)
{
    pithi_walk_tell_holes(c->walk, holes);
}

enum pithi_iter_part pithi_clipped_part(const struct pithi_clipped *c) { return c->part; }

static enum pithi_iter_part part_of(const struct pithlog_step *step)
{
    int begins = step->change == PITHLOG_BEGINS;
    if (step->change == PITHLOG_GOES_ON)
        return PITHI_PART_HOLE;
    if (step->why & PITHLOG_AT_EDGE)
        return begins ? PITHI_PART_BEFORE : PITHI_PART_AFTER;
    if (step->why & PITHLOG_AT_HOLE)
        return begins ? PITHI_PART_BEGUN : PITHI_PART_ENDED;
    return PITHI_PART_WITHIN;
}

/* Finds the next step with a wanted record, and the states (`left`) whose LEAVEs must be delivered before this record.
 * Returns 1 if there is something to deliver; 0 at the end; -1 on an error. */
static int find_step(struct pithi_clipped *c)
{
    const struct pithlog_step *step = &c->step;
    int status;
    while ((status = pithlog_walk_next(c->walk, &c->step)) > 0) {
        if (step->change == PITHLOG_HOLE_BEGINS) {
            /* a hole begins: all open states get a LEAVE */
            c->lane = step->lane;
            c->hole_ns = step->to_ns;
            for (c->left_count = 0; c->left_count < step->depth; c->left_count++) {
                const struct pithlog_open *open = &step->open[c->left_count];
                if (!pithi_grow(&c->left, c->left_count, &c->left_room, sizeof *c->left))
                    return pithi_no_memory(), -1;
                c->left[c->left_count] = (struct left){open->id, 0, open->start_ns, 0};
            }

        } else if (step->change == PITHLOG_ENDS && step->why & PITHLOG_AT_HOLE) { /* innermost first */
            c->left[step->at].has_ended = 1;
            c->left[step->at].nested_ns = step->record->nested_ns;
        } else if (c->left_count > 0 || (step->record && c->kinds >> step->record->kind & 1)) {
            break;
        }
    }
    c->has_step = status > 0;
    return c->left_count > 0 ? 1 : status;
}

int pithi_clipped_next(struct pithi_clipped *c, struct pithlog_record *records, uint32_t count)
{
    uint32_t n = 0;
    while (n < count) {
        if (!c->has_step && c->left_count == 0) {
            /* Stops where the next step needs reading, because reading may fail and makes the payloads of records
             * delivered in this call invalid. */
            int status = n == 0 || pithi_walk_is_ready(c->walk) ? find_step(c) : 0;
            if (status < 0 && n == 0)
                return -1;
            if (status <= 0)
                break;
        }
        if (c->left_count > 0) {
            if (n > 0)
                break;
            /* delivers the LEAVE of the innermost state in `left` */
            const struct left *state = &c->left[--c->left_count];
            *records = (struct pithlog_record){.time_ns = c->hole_ns,
                                               .lane = c->lane,
                                               .kind = PITHLOG_LEAVE,
                                               .id = state->id,
                                               .peer = -1,
                                               .depth = c->left_count,
                                               .start_ns = state->start_ns,
                                               .nested_ns = state->nested_ns};
            c->part = state->has_ended ? PITHI_PART_ENDED : PITHI_PART_HOLE;
            if (c->kinds >> PITHLOG_LEAVE & 1)
                return 1;
            continue;
        }
        if (n > 0 && part_of(&c->step) != c->part)
            break;
        c->part = part_of(&c->step);
        c->has_step = 0;
        if (c->step.record && c->kinds >> c->step.record->kind & 1)
            records[n++] = *c->step.record;
    }
    return (int)n;
}
