/* graph.h - the dependency graph of a log: what each lane did when, and what its calls needed from other lanes.
 *
 * Each lane's time is divided into consecutive *pieces*. A piece is an MPI call, or computing in the innermost user
 * state. (An MPI state inside another one belongs to the outer call.) A call has *needs*: a message, or the other
 * members of a collective instance. A need is satisfied at its *release*; the call cannot end before this time
 * (README.md).
 *
 * Memory: 16 bytes for a piece, 40 for a need, 40 for each part of a collective, mostly in a temporary file. */
#ifndef PITHI_GRAPH_H
#define PITHI_GRAPH_H

#include "base/scratch.h"
#include "pithlog.h"

#define PITHI_NO_LANE UINT32_MAX

struct pithi_lane_piece {
    int64_t begin_ns; /* the piece ends where the next piece begins */
    uint32_t state;   /* definition, or PITHLOG_COMPUTING */
    uint32_t needs;   /* 1 + index of its first need; 0: none */
};

enum pithi_need_of { PITHI_NEED_LANE, PITHI_NEED_ALL, PITHI_NEED_ROOT, PITHI_NEED_LOWER };
enum {
    PITHI_NEED_CONCLUDED = 1, /* the need was concluded from times (infer.h) */
    PITHI_NEED_RECEIVED = 2   /* need of a polling loop: a message that the loop's last test received or found */
};
struct pithi_need {
    /* INT64_MIN: no lane releases it; for the kind PITHLOG_WAIT_FOR_PROGRESS: not found yet (infer.h). */
    int64_t release_ns;
    uint32_t next; /* next need of the same call: 1 + its index; 0: none */
    uint32_t lane; /* the lane that releases it; PITHI_NO_LANE: none */
    /* Number of the collective instance; for PITHI_NEED_LANE: PITHI_NEED_CONCLUDED, PITHI_NEED_RECEIVED or 0. */
    uint32_t instance;
    uint32_t position; /* PITHI_NEED_LANE: the piece of `lane` with the release; PITHI_NEED_LOWER: scan position */
    uint16_t kind;     /* enum pithlog_wait_kind; 0: a place without a need */
    uint16_t of;       /* enum pithi_need_of: what releases it */
    uint32_t bytes; /* size of the message, or of what the member of a collective receives; UINT32_MAX: this or more */
    int64_t posted_ns; /* for a message: begin of the call that posted its receive, if an earlier call of this lane did;
                          else begin of the call that has this need */
};

/* A collective instance; a collective between two groups has an instance for each group. */
struct pithi_graph_coll {
    int64_t last_ns, root_ns;      /* begin of the last member; begin of the root */
    uint32_t last_lane, root_lane; /* PITHI_NO_LANE: none */
    uint32_t members, comm;        /* members: how many members of the communicator `comm` have begun the instance */
    uint32_t positions;            /* scan: 1 + index of its first position; 0: none */
    uint16_t kind;                 /* enum pithlog_wait_kind; 0: no member waits */
    uint16_t traits;               /* PITHI_COLL_IS_* */
    /* PITHI_COLL_MAY_WAIT: the earliest leave. If it is before the last begin, the collective did not synchronise. */
    int64_t first_end_ns;
};

enum {
    PITHI_COLL_IS_STARTED = 1, /* nonblocking: its members wait in later calls */
    PITHI_COLL_IS_OF_NEIGHBOURS = 2,
    PITHI_COLL_IS_LOOSE = 4 /* a neighbourhood collective whose parts may be empty */
};

/* A scan position: the latest begin up to it. */
struct pithi_graph_position {
    int64_t begin_ns;
    uint32_t lane;
};

/* A lane's part of a collective instance. */
struct pithi_graph_member {
    uint32_t instance, piece;
    uint32_t position; /* scan, neighbours: its place in the communicator; else PITHI_NO_LANE */
    int is_root;       /* 1: it is the root */
};

/* The bytes of a lane's part of a collective. They are kept even if the instance is unknown. */
struct pithi_graph_moved {
    /* `state`: the state of the call; for a persistent collective, of the call that made its request. */
    uint32_t piece, state;
    uint64_t bytes, got_bytes;
};

struct pithi_graph_lane {
    struct pithi_chunks pieces; /* struct pithi_lane_piece; the last one begins at the end of the lane and is empty */
    int64_t first_ns, last_ns;  /* first and last record */
    uint32_t calls;             /* MPI calls */
    uint32_t found;             /* the piece that pithi_graph_find found last */
    uint32_t largest;           /* bytes of the largest message among its needs */
    uint64_t sends, small; /* sends: messages sent in the window; small: those that the message before could contain */
    int64_t small_ns;      /* time of the calls that sent the small ones */
    struct pithi_chunks members; /* struct pithi_graph_member, in the order of pieces */
    struct pithi_chunks moved;   /* struct pithi_graph_moved, in the order of pieces */
};

enum { PITHI_CALL_FIRST = 2 }; /* a value of `is_call` */
struct pithi_graph {
    struct pithlog *log;
    int64_t from_ns, to_ns; /* the analysed interval */
    int has_init,
        has_finalize; /* 1: the window begins with the end of MPI_Init; 1: ends with the begin of MPI_Finalize */
    /* The lane that begins MPI_Init last; PITHI_NO_LANE: fewer than two lanes call it. */
    uint32_t last_init_lane;
    int64_t late_init_ns;           /* time from the second last begin of MPI_Init to the last */
    int has_mpi;                    /* the log has states of MPI functions */
    unsigned char *is_call;         /* [definitions]: 1: an MPI call; PITHI_CALL_FIRST: it waits for the first need */
    struct pithi_graph_lane *lanes; /* [lanes] */
    struct pithi_chunks needs, colls, positions;
    struct pithi_scratch scratch, rest_scratch; /* memory of pieces; of all other data, so that pieces are adjacent */
    uint64_t sends, recvs, coll_calls;          /* messages and collectives seen */
    uint64_t matched;                           /* messages with both ends */
};

/* Reads the whole log, or only [from_ns, to_ns] if `is_part`. The window is [from_ns, to_ns]. With INT64_MIN and
 * INT64_MAX, it is from the last end of MPI_Init to the last begin of MPI_Finalize. Returns PITH_ERR_DAMAGED if damaged
 * parts of the log were left out; then the graph must not be used (known_part.h). Call pithi_graph_free also after an
 * error. */
int pithi_graph_build(struct pithi_graph *graph, struct pithlog *log, int64_t from_ns, int64_t to_ns, int is_part,
                      unsigned threads, int (*progress)(void *context, double part), void *context);
void pithi_graph_free(struct pithi_graph *graph);

static inline struct pithi_lane_piece *pithi_graph_piece(const struct pithi_graph *graph, uint32_t lane, uint32_t index)
{
    return pithi_chunks_at(&graph->lanes[lane].pieces, index, sizeof(struct pithi_lane_piece));
}
/* pithi_graph_next returns the piece after `piece`, pithi_graph_before the piece before it. `index`: the index of
 * `piece`. */
static inline struct pithi_lane_piece *pithi_graph_next(const struct pithi_graph *graph, uint32_t lane,
                                                        const struct pithi_lane_piece *piece, uint32_t index)
{
    return pithi_chunks_next(&graph->lanes[lane].pieces, piece, index, sizeof *piece);
}
static inline struct pithi_lane_piece *pithi_graph_before(const struct pithi_graph *graph, uint32_t lane,
                                                          const struct pithi_lane_piece *piece, uint32_t index)
{
    return pithi_chunks_before(&graph->lanes[lane].pieces, piece, index, sizeof *piece);
}
/* Returns the need with the index `number` - 1. `number` is a value of the fields `needs` or `next`. Returns NULL if it
 * is 0, the end of the list. */
static inline struct pithi_need *pithi_graph_need(const struct pithi_graph *graph, uint32_t number)
{
    return number ? pithi_chunks_at(&graph->needs, number - 1, sizeof(struct pithi_need)) : NULL;
}
static inline struct pithi_graph_coll *pithi_graph_coll(const struct pithi_graph *graph, uint32_t index)
{
    return pithi_chunks_at(&graph->colls, index, sizeof(struct pithi_graph_coll));
}
static inline int pithi_graph_is_call(const struct pithi_graph *graph, uint32_t state)
{
    return state != PITHLOG_COMPUTING && graph->is_call[state];
}
static inline struct pithi_graph_position *pithi_graph_position(const struct pithi_graph *graph,
                                                                const struct pithi_graph_coll *coll, uint32_t position)
{
    return pithi_chunks_at(&graph->positions, coll->positions - 1 + position, sizeof(struct pithi_graph_position));
}
/* Returns the need that decides when a call can end. This is the need with the latest release; in MPI_Waitany and
 * MPI_Waitsome, with the earliest. Among equal releases, the lowest kind decides, then the lowest lane. Returns NULL if
 * the call has no needs with a release. */
const struct pithi_need *pithi_graph_decisive(const struct pithi_graph *graph, const struct pithi_lane_piece *call);
/* Returns the index of the piece of a lane that contains the moment time_ns, that is, of the last piece that begins at
 * or before it. Returns 0 if the lane begins later. */
uint32_t pithi_graph_find(const struct pithi_graph *graph, uint32_t lane, int64_t time_ns);
struct pithi_epoch_call;
/* Finds the first piece of a rank that begins after since_ns and is in a wanted state. `states` has an element for each
 * definition, which is 1 if this state is wanted. Returns 1 and sets *call to the piece; returns 0 if there is none, or
 * if a lane of the rank is in a wanted state at since_ns. */
int pithi_graph_first_call(const struct pithi_graph *graph, const unsigned char *states, int32_t rank, int64_t since_ns,
                           struct pithi_epoch_call *call);

#endif
