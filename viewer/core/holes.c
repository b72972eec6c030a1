/* holes.c - where records of a lane are missing (holes.h). */
#include "core/holes.h"

#include "core/query.h"

int pithi_hole_ends(struct pithlog *log, struct pithi_hole *hole, const struct pithlog_record *record, int64_t *from_ns)
{
    /* States end where it begins: these LEAVEs are not its end. */
    int is_edge = record->kind == PITHLOG_LEAVE && record->time_ns == hole->from_ns;
    int ends = hole->is_open && !is_edge;

    *from_ns = hole->from_ns;
    hole->from_ns = record->time_ns;
    hole->is_open = (hole->is_open && !ends) || (record->kind == PITHLOG_LOST && record->bytes &&
                                                 record->time_ns > pithlog_get_lane(log, record->lane)->first_ns);
    return ends;
}

struct walking {
    struct pithlog *log;
    uint32_t lane;
    void (*tell)(void *context, int64_t from_ns, int64_t to_ns);
    void *context;
};

/* Tells of the holes in [from_ns, to_ns), up to the first one that ends after enough_ns. */
static int walk(const struct walking *walking, int64_t from_ns, int64_t to_ns, int64_t enough_ns)
{
    enum { AT_ONCE = 128 };
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &walking->lane, .lane_count = 1, .flags = PITHLOG_OPENED};
    struct pithlog_record some[AT_ONCE];
    struct pithlog_iter *iter;
    struct pithi_hole hole = {0, from_ns};
    int64_t begin_ns, last_ns = pithlog_get_lane(walking->log, walking->lane)->last_ns;
    int count, damages = 0, is_enough = 0, err = pithlog_iter_open(walking->log, &query, &iter);

    if (err)
        return err;
    while (!is_enough && (count = pithlog_iter_next_many(iter, some, AT_ONCE)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += count < 0; /* reading continues after the damage */
        hole.is_open |= count < 0;
        for (int i = 0; i < count && !is_enough; i++) {
            if (pithi_hole_ends(walking->log, &hole, &some[i], &begin_ns))
                walking->tell(walking->context, begin_ns, some[i].time_ns);
            is_enough = some[i].time_ns > enough_ns;
        }
    }
    if (hole.is_open && !is_enough)
        walking->tell(walking->context, hole.from_ns, to_ns < last_ns ? to_ns : last_ns);
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}

int pithi_holes_each(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context)
{
    return walk(&(struct walking){log, lane, tell, context}, from_ns, to_ns, INT64_MAX);
}

int pithi_holes_lost(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context)
{
    struct walking walking = {log, lane, tell, context};
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .kinds = 1u << PITHLOG_LOST};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int more, damages = 0, err = walk(&walking, from_ns, to_ns, from_ns); /* a hole may have begun before */

    if ((err && err != PITH_ERR_DAMAGED) || (err = pithlog_iter_open(log, &query, &iter)) != PITH_OK)
        return err;
    while ((more = pithlog_iter_next(iter, &record)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += more < 0;
        if (more > 0 && record.bytes)
            walk(&walking, record.time_ns, to_ns, record.time_ns); /* lanes are read despite damage */
    }
    pithlog_iter_close(iter);
    return PITH_OK;
}
