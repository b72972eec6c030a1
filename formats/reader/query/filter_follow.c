/* filter_follow.c - selects the records of a running program (filter.h). If the query cannot be answered when a state
 * begins, its ENTER waits here until the state ends.
 *
 *     query: duration > 25ns     0 enter A    10 enter B    30 leave B     50 leave A
 *     selected                   -            -             (20 ns: no)    0 enter A, 50 leave A
 *
 * In a log, such queries are answered by reading the log twice (filter_judge.c). The records of a running program can
 * be read only once. So an ENTER that was held back is delivered late, after records with later times. */
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "native/stack.h"
#include "reader/query/filter.h"

/* An open state. */
struct state {
    struct pithlog_record enter;
    enum pithi_answer answer; /* the answer at the ENTER; PITHI_MAYBE: the end of the state decides */
    uint32_t comm;            /* 1 + the communicator; 0: none so far */
};

struct lane {
    struct pithi_stack open;   /* open states with their times */
    struct pithi_stack places; /* the same states; enter_ns is here an index in `states` */
    struct state *states;      /* [state_count] a state keeps its index while it is open */
    uint32_t *unused;          /* free indices in `states` */
    uint32_t state_count, state_room, unused_count, unused_room;
};

struct pithi_follow_filter {
    const struct pithlog_filter *query; /* owned by the caller */
    struct pithi_names names;
    struct lane *lanes;                    /* [lane_count] by lane of the follower */
    uint32_t lane_count, lane_room, ended; /* `ended`: lanes that pithi_follow_filter_end has finished */
    int64_t last_ns;                       /* time of the newest record, at which open states end */
};

int pithi_follow_filter_new(struct pithi_follow_filter **filter, const struct pithlog_filter *query,
                            const struct pithlog_follow *follow)
{
    struct pithi_follow_filter *f = *filter = calloc(1, sizeof *f);

    if (!f)
        return pithi_no_memory();
    f->query = query;
    f->names.follow = follow;
    f->last_ns = INT64_MIN;
    return PITH_OK;
}

void pithi_follow_filter_free(struct pithi_follow_filter *f)
{
    for (uint32_t i = 0; f && i < f->lane_count; i++) {
        free(f->lanes[i].open.states);
        free(f->lanes[i].places.states);
        free(f->lanes[i].states);
        free(f->lanes[i].unused);
    }
    free(f ? f->lanes : NULL);
    free(f);
}

static struct lane *lane_at(struct pithi_follow_filter *f, uint32_t lane)
{
    while (f->lane_count <= lane) {
        if (!pithi_grow(&f->lanes, f->lane_count, &f->lane_room, sizeof *f->lanes))
            return NULL;
        f->lanes[f->lane_count++] = (struct lane){.state_count = 0};
    }
    return &f->lanes[lane];
}

/* Sets *place to a free index in lane->states. Returns 0 if there is no memory. */
static int take_place(struct lane *lane, uint32_t *place)
{
    if (lane->unused_count) {
        *place = lane->unused[--lane->unused_count];
        return 1;
    }
    if (!pithi_grow(&lane->states, lane->state_count, &lane->state_room, sizeof *lane->states))
        return 0;
    *place = lane->state_count++;
    return 1;
}

static int enter(struct pithi_follow_filter *f, struct lane *lane, const struct pithlog_record *r,
                 struct pithlog_record *selected)
{
    uint32_t place, comm = r->comm ? r->comm + 1 : 0;
    struct pithlog_record begun = *r;
    enum pithi_answer answer;

    /* If the stacks are full, the next ENTER discards states (stack.h). The indices of these states are freed now. */
    const struct pithi_open_state *discarded = lane->places.states + PITHI_OPEN_OUTER;

    for (uint32_t i = 0; lane->places.count == PITHI_OPEN_MAX && i < PITHI_OPEN_FORGOTTEN; i++) {
        if (!pithi_grow(&lane->unused, lane->unused_count, &lane->unused_room, sizeof *lane->unused))
            return -1;
        lane->unused[lane->unused_count++] = (uint32_t)discarded[i].enter_ns;
    }

    if (!take_place(lane, &place) || !pithi_stack_enter(&lane->open, r->id, r->time_ns) ||
        !pithi_stack_enter(&lane->places, r->id, place))
        return -1;
    begun.depth = lane->open.count - 1;
    answer = pithi_filter_state(f->query, &f->names, &begun, 0, comm);
    lane->states[place] = (struct state){begun, answer, comm};
    *selected = begun;
    return answer == PITHI_YES;
}

static int leave(struct pithi_follow_filter *f, struct lane *lane, const struct pithlog_record *r,
                 struct pithlog_record selected[2])
{
    struct pithlog_record end = *r;
    struct pithi_open_state ended, place = {.id = r->id};
    uint32_t depth;

    if (!pithi_stack_leave(&lane->open, r->id, r->time_ns, &ended, &depth)) {
        end.start_ns = r->time_ns;
        end.depth = UINT32_MAX;
        selected[0] = *r;
        return pithi_filter_state(f->query, &f->names, &end, PITHI_KNOW_END, 0) == PITHI_YES;
    }
    pithi_stack_leave(&lane->places, r->id, 0, &place, &depth);
    if (!pithi_grow(&lane->unused, lane->unused_count, &lane->unused_room, sizeof *lane->unused))
        return -1;
    lane->unused[lane->unused_count++] = (uint32_t)place.enter_ns;
    const struct state *state = &lane->states[place.enter_ns];
    end.start_ns = ended.enter_ns;
    end.nested_ns = ended.nested_ns;
    end.depth = depth;
    if (state->answer == PITHI_MAYBE &&
        pithi_filter_state(f->query, &f->names, &end, PITHI_KNOW_END, state->comm) == PITHI_YES) {
        selected[0] = state->enter;
        selected[1] = *r;
        return 2;
    }
    selected[0] = *r;
    return state->answer == PITHI_YES;
}

int pithi_follow_filter_take(struct pithi_follow_filter *f, const struct pithlog_record *r,
                             struct pithlog_record selected[2])
{
    struct lane *lane = lane_at(f, r->lane);
    int status = -1;

    f->last_ns = r->time_ns > f->last_ns ? r->time_ns : f->last_ns;
    if (lane && r->kind == PITHLOG_ENTER)
        status = enter(f, lane, r, selected);
    else if (lane && r->kind == PITHLOG_LEAVE)
        status = leave(f, lane, r, selected);
    else if (lane) {
        if (lane->places.count && (r->kind == PITHLOG_SEND || r->kind == PITHLOG_RECV || r->kind == PITHLOG_COLL)) {
            struct state *around = &lane->states[lane->places.states[lane->places.count - 1].enter_ns];
            around->comm = around->comm ? around->comm : r->comm + 1;
        }
        selected[0] = *r;
        status = pithi_filter_other(f->query, &f->names, r);
    }
    if (status < 0)
        pithi_no_memory();
    return status;
}

int pithi_follow_filter_end(struct pithi_follow_filter *f, struct pithlog_record *selected)
{
    struct pithi_open_state ended = {.id = 0}, place = {.id = 0};
    uint32_t depth;

    for (; f->ended < f->lane_count; f->ended++) {
        struct lane *lane = &f->lanes[f->ended];
        /* Ends the innermost state first, so that its time does not count as self time of the state around it. */
        while (lane->open.count) {
            uint32_t id = lane->open.states[lane->open.count - 1].id;
            pithi_stack_leave(&lane->open, id, f->last_ns, &ended, &depth);
            pithi_stack_leave(&lane->places, id, 0, &place, &depth);
            const struct state *state = &lane->states[place.enter_ns];
            struct pithlog_record end = state->enter;
            end.kind = PITHLOG_LEAVE;
            end.start_ns = ended.enter_ns;
            end.nested_ns = ended.nested_ns;
            end.time_ns = f->last_ns;
            *selected = state->enter;
            if (state->answer == PITHI_MAYBE &&
                pithi_filter_state(f->query, &f->names, &end, PITHI_KNOW_END, state->comm) == PITHI_YES)
                return 1;
        }
    }
    return 0;
}
