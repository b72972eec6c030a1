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

int pithi_holes_each(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns,
                     void (*tell)(void *context, int64_t from_ns, int64_t to_ns), void *context)
{
    enum { AT_ONCE = 128 };
    struct pithlog_query query = {
        .from_ns = from_ns, .to_ns = to_ns, .lanes = &lane, .lane_count = 1, .flags = PITHLOG_OPENED};
    struct pithlog_record some[AT_ONCE];
    struct pithlog_iter *iter;
    struct pithi_hole hole = {0, from_ns};
    int64_t begin_ns, last_ns = pithlog_get_lane(log, lane)->last_ns;
    int count, damages = 0, err = pithlog_iter_open(log, &query, &iter);

    if (err)
        return err;
    while ((count = pithlog_iter_next_many(iter, some, AT_ONCE)) != 0 && damages < PITHI_MOST_DAMAGES) {
        damages += count < 0; /* reading continues after the damage */
        hole.is_open |= count < 0;
        for (int i = 0; i < count; i++)
            if (pithi_hole_ends(log, &hole, &some[i], &begin_ns))
                tell(context, begin_ns, some[i].time_ns);
    }
    if (hole.is_open)
        tell(context, hole.from_ns, to_ns < last_ns ? to_ns : last_ns);
    pithlog_iter_close(iter);
    return damages ? PITH_ERR_DAMAGED : PITH_OK;
}
