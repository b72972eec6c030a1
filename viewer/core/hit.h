/* hit.h - what is under the pointer: the very record that a pixel shows. */
#ifndef PITHI_HIT_H
#define PITHI_HIT_H

#include "core/plot.h"

struct pithi_hit {
    uint32_t id;    /* definition */
    uint32_t depth; /* states: open around it */
    uint32_t level; /* states: where it is drawn */
    int64_t start_ns, end_ns;
    int ended;         /* 0: it was still open where the search for its end stopped (end_ns) */
    uint64_t count;    /* events: how many are this near */
    char payload[512]; /* events: as text, "" if none */
    /* Of rows (pithi_hit_row_...): */
    uint32_t lane;         /* whose it is */
    uint32_t alike, asked; /* so many of the lanes asked are in this state too, itself among them */
};

/* The state that a pixel of `lane` spanning [from, to) shows at nesting level `level`: of those there the one that
 * fills most of it; if none is that deep, of the deepest level that has one. 1: found, 0: none, -1: error. */
int pithi_hit_state(struct pithlog *log, uint32_t lane, int64_t from_ns, int64_t to_ns, uint32_t level,
                    const unsigned char *hidden, struct pithi_hit *hit);

/* The event nearest to `time_ns` within `reach_ns`. 1, 0, -1. */
int pithi_hit_event(struct pithlog *log, uint32_t lane, int64_t time_ns, int64_t reach_ns, const unsigned char *hidden,
                    struct pithi_hit *hit);

/* The same on a row. Of a group: the state that fills most of the pixel over all its lanes (an even choice of many), on
 * the first lane that has it; an event on the first lane that has one there. */
int pithi_hit_row_state(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                        uint32_t level, const unsigned char *hidden, struct pithi_hit *hit);
int pithi_hit_row_event(struct pithlog *log, const struct pithi_row *row, int64_t time_ns, int64_t reach_ns,
                        const unsigned char *hidden, struct pithi_hit *hit);

/* The arrow of a drawn plot that passes nearest to (x, y), at most `reach` pixels away; NULL: none. */
const struct pithi_arrow *pithi_hit_arrow(const struct pithi_plot *plot, double x, double y, double reach);

/* The bundle there, unless an arrow is nearer; bundles too faint to be told apart are passed over, so that in a crowd
 * states can be pointed at. NULL: none. */
const struct pithi_bundle *pithi_hit_bundle(const struct pithi_plot *plot, double x, double y, double reach);

/* What is in a stretch of time [from, to) on a row that stands for many lanes (an even choice of very many): states by
 * the time in which they are innermost, falling, hidden ones too. */
struct pithi_mix {
    uint32_t asked; /* lanes looked at */
    uint32_t count; /* states */
    struct pithi_mix_state {
        uint32_t id;
        double share; /* of the lanes' time, 0 to 1 */
    } * states;       /* [count], to be freed */
};
int pithi_hit_row_mix(struct pithlog *log, const struct pithi_row *row, int64_t from_ns, int64_t to_ns,
                      struct pithi_mix *mix); /* 0 or an enum pith_err */

#endif
