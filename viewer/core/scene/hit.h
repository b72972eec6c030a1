/* hit.h - the record that a pixel shows, and the records that belong to a record. */
#ifndef PITHI_HIT_H
#define PITHI_HIT_H

#include "core/scene/plot.h"

struct pithi_hit {
    uint32_t id;              /* definition */
    uint32_t depth;           /* states: number of enclosing states */
    uint32_t level;           /* states: the level at which it is drawn */
    int64_t start_ns, end_ns; /* states: of the whole state, including what follows after holes */
    int64_t covered_ns;       /* states: its time within the pixel, without holes */
    int ended;                /* 0: the state was still open at end_ns, where the search for its end stopped */
    uint64_t count;           /* events: number of events within reach */
    char payload[512];        /* events: as text, "" if none */
    /* Of rows (pithi_hit_row_...): */
    uint32_t lane;         /* the lane of the record */
    uint32_t alike, asked; /* `asked` lanes were read, and `alike` of them are in this state */
};

/* Finds the state that a pixel of `lane` spanning [from, to) shows at a nesting level: the state that fills most of it.
 * If no state is that deep, uses the deepest level that has a state. Returns 1 if found, 0 if there is none, -1 on an
 * error. */
int pithi_hit_state(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, uint32_t level,
                    const unsigned char *hidden, struct pithi_hit *hit);

/* Finds the event nearest to `time_ns` within `reach_ns`. Returns 1 if found, 0 if there is none, -1 on an error. */
int pithi_hit_event(struct pithlog *log, uint32_t lane, int64_t time_ns, int64_t reach_ns, const unsigned char *hidden,
                    struct pithi_hit *hit);

/* These are like pithi_hit_state and pithi_hit_event, but for a row. For a group, they find the state that fills most
 * of the pixel, summed over its lanes, in the first lane that has this state; or the event of the first lane that has
 * an event there. If the group has many lanes, only an even selection of them is read. */
int pithi_hit_row_state(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                        uint32_t level, const unsigned char *hidden, struct pithi_hit *hit);
int pithi_hit_row_event(struct pithlog *log, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns,
                        const unsigned char *hidden, struct pithi_hit *hit);

/* Returns the arrow of a drawn plot that passes nearest to (x, y), at most `reach` pixels away, or NULL if there is
 * none. */
const struct pithi_arrow *pithi_hit_arrow(const struct pithi_plot *plot, double x, double y, double reach);

/* Returns the bundle at this place; NULL if there is none, or if an arrow is nearer. Very faint bundles are skipped, so
 * that users can point at the states behind a crowd of them. */
const struct pithi_bundle *pithi_hit_bundle(const struct pithi_plot *plot, double x, double y, double reach);

/* Finds the interval around a time in which `lane` is outside all states: between the end of a state and the begin of
 * the next, or the ends of the lane. Returns 1 if found; 0 if the lane is in a state, or the time is before its first
 * or after its last record; -1 on an error. */
int pithi_hit_outside(struct pithlog *log, uint32_t lane, int64_t time_ns, int64_t *from_ns, int64_t *to_ns);

/* The states of a row in [from, to) over its lanes (over an even selection, if there are very many), by self time,
 * largest first; includes hidden states. */
struct pithi_mix {
    uint32_t asked; /* lanes looked at */
    uint32_t count; /* states */
    struct pithi_mix_state {
        uint32_t id;
        double share; /* of the lanes' time, 0 to 1 */
    } * states;       /* [count], to be freed */
};
int pithi_hit_row_mix(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                      struct pithi_mix *mix); /* Returns 0 or an enum pith_err */

/* ---- From record to record --------------------------------------------------------------------------------------- */

/* Finds the parent of the state `id` of `lane` that begins at `start_ns` inside `depth` states. Returns 1 if found
 * (hit->level is 0), 0 if the state has no parent, -1 on an error. */
int pithi_jump_parent(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, uint32_t depth,
                      struct pithi_hit *hit);

/* Finds the message of a SEND or RECV record by the record's lane, time, peer and tag. If several messages have the
 * same values, takes the one with index `nth`. Returns 1 if found, 0 if no such message is matched, -1 on an error. */
int pithi_jump_message(const struct pithlog *log, const struct pithlog_digest *digest,
                       const struct pithlog_record *record, uint32_t nth, struct pithlog_message *message);

/* The messages and the collective of a state of `lane`, without those of states inside it. */
enum { PITHI_CALL_RECORDS = 64 };
struct pithi_exchange {
    struct pithlog_record records[PITHI_CALL_RECORDS]; /* the first records of kinds SEND and RECV, by time */
    uint32_t count, total;      /* count: length of `records`; total: number of SEND and RECV records of the state */
    struct pithlog_record coll; /* the collective; kind 0: none */
};
/* Reads the records of the state `id` of [start, end]; if there are very many, only the first ones. Returns 0, or -1 on
 * an error. */
int pithi_hit_exchange(struct pithlog *log, uint32_t lane, uint32_t id, int64_t start_ns, int64_t end_ns,
                       struct pithi_exchange *call);

/* Finds the values of a counter in [from, to). Returns 1 if there are values, 0 if the counter has no value so far, -1
 * on an error. */
int pithi_jump_counter(const struct pithlog_digest *digest, uint32_t lane, uint32_t counter, int64_t from_ns,
                       int64_t to_ns, struct pithlog_column *value);

/* Returns the lane of a thread, or PITHI_NONE. */
uint32_t pithi_jump_lane(const struct pithlog *log, int32_t rank, uint32_t thread);

#endif
