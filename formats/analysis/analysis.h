/* analysis.h - the results of pithlog_analyze, and helpers that its steps share: sums by lane and state, progress in
 * stages, loops through the pieces of a lane. Private to this folder. */
#ifndef PITHI_ANALYSIS_H
#define PITHI_ANALYSIS_H

#include "analysis/findings.h"
#include "analysis/graph/graph.h"
#include "base/error.h"
#include "base/map.h"
#include "base/parts.h"
#include "native/log.h"
#include "pithlog_findings.h"

/* Two sums for each pair of a lane and a state, in ns. A struct of zeros is an empty list. */
struct pithi_lane_sums {
    struct pithi_map map; /* from (lane, state) to 1 + the index in `cells` */
    struct pithi_lane_sum {
        uint32_t lane, state; /* no other cell has this pair */
        double direct, indirect;
    } * cells;
    uint32_t count, room;
};
/* Returns the cell of a lane and state, which is zero at first, or NULL if there is no memory. */
static inline struct pithi_lane_sum *pithi_lane_sums_get(struct pithi_lane_sums *c, uint32_t lane, uint32_t state)
{
    struct pithi_lane_sum *sum =
        pithi_item_at(&c->map, pithi_map_pair(lane, state), &c->cells, &c->count, &c->room, sizeof *c->cells, NULL);
    if (sum) {
        sum->lane = lane;
        sum->state = state;
    }
    return sum;
}

/* A stage of pithlog_analyze, for its reports of progress. Each stage takes a known share of the time. */
struct pithi_stage {
    int (*progress)(void *context, double part); /* NULL: none */
    void *context;
    double begin, share; /* begin and length of the stage, as fractions of all stages, 0 to 1 */
    int is_stopped;      /* 1: the progress callback wants to stop, so the stage may end early */
};
/* Reports that the fraction `part` of the stage is done. Returns 1 if the work shall stop. The context is a void
 * pointer, so this function can be the `progress` callback of a step within the stage. */
static inline int pithi_stage_part(void *context, double part)
{
    struct pithi_stage *stage = context;

    if (!stage->is_stopped && stage->progress)
        stage->is_stopped = stage->progress(stage->context, stage->begin + stage->share * part) != 0;
    return stage->is_stopped;
}

struct pithlog_analysis {
    struct pithi_graph graph;          /* the pieces of all lanes and what each needed */
    struct pithi_stage stage;          /* stage of the work under way; unused afterwards */
    unsigned threads;                  /* the most threads that the work uses; 0 or 1: only the caller's */
    struct pithlog_analysis_info info; /* what pithlog_analysis_info returns */
    struct pithi_analysis_lane {
        struct pithlog_wait_state *waits; /* by time */
        size_t wait_count;
        uint32_t first, last; /* pieces that reach into the query's window: first to last - 1 */
        int64_t useful_ns;    /* time outside MPI, in the window */
    } * lanes;
    struct pithlog_delay *delays; /* largest first */
    size_t delay_count;
    struct pithlog_path_part *path; /* in the order of time */
    size_t path_count;
    uint32_t path_room;
    struct pithlog_path_share *shares; /* largest first */
    size_t share_count;
    struct pithi_lane_sums states; /* time of each lane in each state, in `direct` */
    struct pithlog_iterations iterations;
    struct pithi_step step;           /* the iteration from which on iterations last longer or shorter */
    struct pithi_network *network;    /* set by network.c; NULL: not fitted yet */
    struct pithi_finding_list *found; /* set by findings.c; NULL: not found yet */
    struct pithi_answer *answer;      /* set by answer.c; NULL: not found yet */
    struct pithlog_call_sum *calls;   /* set by state_sums.c; NULL: not found yet */
};

/* Like pithlog_analyze, but uses at most `threads` threads. The results do not depend on their number. */
int pithi_analyze_by_threads(struct pithlog *log, const struct pithlog_analyze_query *query, unsigned threads,
                             struct pithlog_analysis **analysis);

/* Returns a copy of an analysis for another thread. The copy points to the data of the original. Several threads may
 * loop through pieces at once. A search by time stores its result in the lane (pithi_graph_find), so each lane may be
 * searched by one thread only. The copy reports no progress. */
struct pithlog_analysis pithi_analysis_beside(const struct pithlog_analysis *analysis);
void pithi_analysis_end_beside(struct pithlog_analysis *beside);

/* Sets *from_ns and *to_ns to the part of a piece's interval that lies inside the query's window. `next`: the piece
 * after this piece. */
static inline void pithi_analysis_part(const struct pithlog_analysis *a, const struct pithi_lane_piece *piece,
                                       const struct pithi_lane_piece *next, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = piece->begin_ns > a->graph.from_ns ? piece->begin_ns : a->graph.from_ns;
    *to_ns = next->begin_ns < a->graph.to_ns ? next->begin_ns : a->graph.to_ns;
}

/* A loop through the pieces of a lane that reach into the query's window:
 *
 *     struct pithi_pieces p;
 *     for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) */
struct pithi_pieces {
    struct pithi_graph *graph;                   /* not owned */
    const struct pithi_lane_piece *piece, *next; /* next: the piece after it */
    uint32_t lane, index, end;                   /* index of `piece`; 1 + index of the last piece in the window */
};
/* Begins the loop at the piece `index`. */
static inline void pithi_pieces_from(struct pithi_pieces *p, struct pithlog_analysis *a, uint32_t lane, uint32_t index)
{
    const struct pithi_lane_piece *piece = pithi_graph_piece(&a->graph, lane, index);
    *p = (struct pithi_pieces){.graph = &a->graph, .piece = piece, .lane = lane, .index = index};
    p->end = a->lanes[lane].last;
    p->next = pithi_graph_next(&a->graph, lane, piece, index);
}
static inline void pithi_pieces_begin(struct pithi_pieces *p, struct pithlog_analysis *a, uint32_t lane)
{
    pithi_pieces_from(p, a, lane, a->lanes[lane].first);
}
/* Goes to the next piece. It lies next in memory, except at multiples of PITHI_CHUNK_FIRST, where a new chunk
 * begins. */
static inline void pithi_pieces_next(struct pithi_pieces *p)
{
    p->piece = p->next;
    p->index++;
    if ((p->index + 1) % PITHI_CHUNK_FIRST) {
        p->next++;
    } else if (p->index < p->end) {
        pithi_scratch_passed(&p->graph->scratch, PITHI_CHUNK_FIRST * sizeof *p->piece);
        p->next = pithi_graph_piece(p->graph, p->lane, p->index + 1);
    }
}
static inline void pithi_pieces_part(const struct pithlog_analysis *a, const struct pithi_pieces *p, int64_t *from_ns,
                                     int64_t *to_ns)
{
    pithi_analysis_part(a, p->piece, p->next, from_ns, to_ns);
}

/* Finds the root causes of all wait states: sets `delays`, and `handed_ns` of each wait state. */
int pithi_analysis_delays(struct pithlog_analysis *analysis);

/* Returns the analysis of the log from the cache, or NULL if the cache has none. */
struct pithlog_analysis *pithi_analysis_find(struct pithlog *log, const struct pithlog_analyze_query *query);
/* Keeps an analysis in the cache, in two steps. The first step starts a thread that writes the graph, while the caller
 * computes the results. The graph must be complete; the caller may still search it and loop through it. Returns NULL if
 * this analysis is not kept. */
struct pithi_keeping;
struct pithi_keeping *pithi_analysis_keep_graph(const struct pithlog_analysis *analysis,
                                                const struct pithlog_analyze_query *query);
/* The second step: waits for the thread and writes the results. `is_good` is 1 if the results are complete; if it is 0,
 * the analysis is not kept. */
void pithi_analysis_keep_results(struct pithi_keeping *keeping, struct pithlog_analysis *analysis, int is_good);

struct pithi_replay_state;
/* Like pithlog_analysis_what_if, but also adds each call's times to states[definitions], unless `states` is NULL. */
int pithi_analysis_replay(struct pithlog_analysis *analysis, const struct pithlog_what_if *what, double *run_ns,
                          struct pithi_replay_state *states);

static inline int pithi_analysis_no_memory(const struct pithlog_analysis *a)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory for its analysis", a->graph.log->path);
}

#endif
