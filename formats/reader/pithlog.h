/* pithlog.h - reads logs in Pith's own format and in every other format that Pith knows.
 * Link with -lpithlog (flags: `pkg-config --cflags --libs pithlog`).
 *
 *     struct pithlog *log; struct pithlog_iter *iter; struct pithlog_record r;
 *     if (pithlog_open("run.pith", &log)) { fprintf(stderr, "%s\n", pithlog_error()); return 1; }
 *     pithlog_iter_open(log, NULL, &iter);
 *     while (pithlog_iter_next(iter, &r) == 1) ...
 *     pithlog_iter_close(iter);
 *     pithlog_close(log);
 *
 * Functions that can fail return 0 (PITH_OK) or an enum pith_err; pithlog_error() then has the text, one line
 * "FILE: byte N: what is wrong; what to do". No function prints, exits or aborts, whatever the file holds.
 * Several threads may use a struct pithlog at once, each with its own iterators.
 * Memory: opening reads the front of a log, about 60 bytes a rank. A lane's description (200 bytes) is read when it is
 * first needed. An iterator holds one unpacked block a lane, or smaller parts if there are many lanes. If the file is
 * cut or replaced while it is open, functions only return errors.
 */
#ifndef PITHLOG_H
#define PITHLOG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PITHLOG_API __attribute__((visibility("default")))
#else
#define PITHLOG_API
#endif

enum pith_err {
    PITH_OK = 0,
    PITH_ERR_OPEN,        /* no such file, no permission, a directory */
    PITH_ERR_IO,          /* reading or writing failed: disk full ... */
    PITH_ERR_FORMAT,      /* not a log of any known format */
    PITH_ERR_DAMAGED,     /* a log, but its bytes contradict its format */
    PITH_ERR_UNSUPPORTED, /* a newer version, or something the format cannot hold */
    PITH_ERR_MEMORY,
    PITH_ERR_USAGE,  /* arguments out of range */
    PITH_ERR_STOPPED /* the caller stopped it */
};

/* The text of this thread's last error; valid until the next one. */
PITHLOG_API const char *pithlog_error(void);

/* ---- What a log holds -------------------------------------------------------------------------------------------- */

struct pithlog;

/* A state, event type or counter. Ids are indices 0 .. count-1. */
enum pithlog_def_kind { PITHLOG_STATE, PITHLOG_EVENT_TYPE, PITHLOG_COUNTER_TYPE };
struct pithlog_def {
    enum pithlog_def_kind kind;
    const char *name;
    const char *colour; /* X11 name or "#rrggbb" as the program gave it, "" if none */
    const char *group;  /* "user", "MPI collective" ... */
    const char *format; /* events: payload format (see pith_event_define); counters: unit; else "" */
};

/* A timeline: one thread of one rank. Lanes are sorted by rank, then thread. */
struct pithlog_lane {
    int32_t rank;
    uint32_t thread;           /* 0 = the thread that recorded first, normally main */
    const char *name, *host;   /* name: given by the program, else "" */
    int64_t first_ns, last_ns; /* first and last record; first > last if it has none */
    uint64_t records;
};

/* A communicator. Ids are indices 0 .. count-1; 0 is MPI_COMM_WORLD in every log. */
struct pithlog_comm {
    uint64_t key;               /* the same in all logs of a run for one communicator; merges join equal keys */
    const char *name;           /* "" if the program gave none */
    int32_t size, remote_size;  /* 0, 0: members unknown */
    const int32_t *world_ranks; /* [size], then the remote group's [remote_size] */
};

struct pithlog_info {
    const char *format; /* "native", "alog", "clog2" ... */
    uint32_t version;   /* of the native format; 0 for others */
    int complete;       /* 0: parts are missing: the file was cut or damaged, or made from such a file */
    uint32_t ranks, lanes, defs, comms;
    uint64_t records;                  /* all records */
    uint64_t states, events, messages; /* completed states, solo events, receives */
    uint64_t lost;                     /* records that the program could not store */
    int64_t start_ns, end_ns;          /* first and last record */
    uint64_t bytes;                    /* size of the file, or of all files of the log */
    const char *incomplete;            /* why it is not complete: "byte 9130: the file ends here"; else NULL */
};

PITHLOG_API int pithlog_open(const char *path, struct pithlog **log);
/* Like pithlog_open, with progress reports. Opening reads the whole file if the log has another format or no index.
 * Then it calls `progress` (may be NULL) about 20 times a second, in this thread, with the part done from 0 to 1. If it
 * returns anything but 0, opening stops with PITH_ERR_STOPPED. If the log opens at once, `progress` is not called. */
PITHLOG_API int pithlog_open_watched(const char *path, int (*progress)(void *context, double part), void *context,
                                     struct pithlog **log);
/* 1: the file or folder is a log of a format that can be read, by its first bytes. It may still be damaged. Opens the
 * file, which takes some 13 us, and reports no error. */
PITHLOG_API int pithlog_is_log(const char *path);
PITHLOG_API void pithlog_close(struct pithlog *log);
PITHLOG_API const struct pithlog_info *pithlog_get_info(const struct pithlog *log);
PITHLOG_API const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id);     /* NULL: none */
PITHLOG_API const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane); /* NULL: none */
PITHLOG_API const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm); /* NULL: none */
/* PITH_ERR_DAMAGED: lists of members of communicators that pithlog_get_comm has returned are damaged; else PITH_OK. */
PITHLOG_API int pithlog_check_comms(const struct pithlog *log);
/* Properties by key ("program", "mpi", "clock", "start_unix_s" ...); index from 0; NULL past the last. */
PITHLOG_API const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value);
PITHLOG_API uint32_t pithlog_def_rgb(const struct pithlog *log, uint32_t id); /* 0xRRGGBB: its own or the palette's */

/* ---- Records ----------------------------------------------------------------------------------------------------- */

enum pithlog_kind {
    PITHLOG_ENTER = 1,   /* a state begins */
    PITHLOG_LEAVE,       /* it ends */
    PITHLOG_EVENT,       /* something happened, with data of the program */
    PITHLOG_COUNTER,     /* a counter has a value */
    PITHLOG_SEND,        /* a message leaves */
    PITHLOG_RECV,        /* a message has arrived */
    PITHLOG_COLL,        /* this rank's part of a collective */
    PITHLOG_COMM_CREATE, /* a communicator is made */
    PITHLOG_COMM_FREE,   /* it is freed */
    PITHLOG_PAUSE,       /* recording stops */
    PITHLOG_RESUME,      /* it goes on */
    PITHLOG_LOST         /* records that could not be stored */
};

/* One record. Fields that a kind does not use are 0, except peer, which is -1. */
struct pithlog_record {
    int64_t time_ns; /* from the log's start */
    uint32_t lane;   /* from 0; pithlog_get_lane */
    uint32_t kind;   /* enum pithlog_kind */
    uint32_t id;     /* ENTER LEAVE EVENT COUNTER: definition */
    /* SEND RECV COLL COMM_*: communicator; ENTER LEAVE EVENT: the communicator given when recorded. */
    uint32_t comm;
    int32_t peer;        /* SEND RECV: world rank of the partner; COLL: of the root, -1 none. RECV with -1: a receive
                            without a message; kept so that the numbers in `posted` have no gap */
    int32_t tag;         /* SEND RECV */
    uint64_t bytes;      /* SEND RECV: size; COLL: bytes sent; LOST: number of lost records */
    uint64_t got_bytes;  /* COLL: bytes received; LOST: 1 + the number of open states, the innermost ones, that ended
                            while records were lost, or 0: the log does not say it */
    uint64_t posted;     /* RECV: number in posting order among the receives of its rank, from 0, no gaps */
    double value;        /* COUNTER */
    const void *payload; /* EVENT; valid until the next call on the iterator */
    uint32_t payload_bytes;
    /* Set by the iterator with PITHLOG_NEST: */
    uint32_t depth;    /* ENTER LEAVE: states open around this one on its lane */
    int64_t start_ns;  /* ENTER LEAVE: when its state began, also if it goes on after a hole */
    int64_t nested_ns; /* LEAVE: time of the state in states directly inside it; 0 if it goes on after a hole */
};

/* ---- Iterating --------------------------------------------------------------------------------------------------- */

enum {
    /* Pairs every LEAVE with its ENTER: the innermost open state of that id on the lane. If states are not properly
     * nested, states in between stay open. A LEAVE without ENTER has start_ns = time_ns and depth = UINT32_MAX. States
     * that ended while records were lost are open until their LOST record, if that says how many they are. */
    PITHLOG_NEST = 1,
    /* Implies NEST. States open at `from_ns` come first as ENTERs with their true times, outermost first; those open at
     * `to_ns` come last as LEAVEs at to_ns (or the log's end, if earlier). So every state has a LEAVE with start_ns.
     * Where records of a lane are missing, states end with the last record before, and go on with the next one. */
    PITHLOG_CLIP = 2,
    /* For one lane without holes: the states open at from_ns come first as ENTERs, as with CLIP. But nothing is paired,
     * and no LEAVE is added at to_ns, so it is faster than a walk. LOST records are delivered like others. If records
     * may be missing, the iterator returns -1 and ends; a walk over the same times shows where they are missing. No
     * filter, no other flags. */
    PITHLOG_OPENED = 4
};

struct pithlog_query {
    int64_t from_ns, to_ns; /* inclusive; INT64_MIN, INT64_MAX: all */
    const uint32_t *lanes;  /* NULL: all */
    uint32_t lane_count;
    uint32_t kinds;                      /* mask of 1 << kind; 0: all */
    uint32_t flags;                      /* PITHLOG_NEST ... */
    const struct pithlog_filter *filter; /* NULL: no filter; must live as long as the iterator */
};

struct pithlog_iter;

/* Delivers records in time order over all selected lanes; at equal times in the order of lanes; on one lane in recorded
 * order. `query` NULL: everything, no flags. Seeking reads one block per lane. */
PITHLOG_API int pithlog_iter_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_iter **iter);
PITHLOG_API int pithlog_iter_next(struct pithlog_iter *iter, struct pithlog_record *record); /* 1, 0 at end, -1 error */
/* Delivers up to `count` (> 0) records at once, which is faster. Returns their number, which may be below `count` at
 * any time; 0: end. -1: a damaged part of one lane; call again to continue after it. A call reads at most one block of
 * a lane. All payloads are valid until the next call on the iterator. */
PITHLOG_API int pithlog_iter_next_many(struct pithlog_iter *iter, struct pithlog_record *records, int count);
/* Records as columns: an array for each field of struct pithlog_record that is wanted, else NULL. Fills them from index
 * 0 and returns the number of records, below `room` only at the end. After a damaged part of a lane it returns -1 minus
 * the number of records before it; call again to continue. */
struct pithlog_columns {
    int64_t *time_ns, *start_ns, *nested_ns; /* [room] each, or NULL */
    uint32_t *lane, *kind, *id, *comm, *depth;
    int32_t *peer, *tag;
    uint64_t *bytes, *got_bytes;
    double *value;
    const unsigned char *ids; /* [definitions] 0: records of this definition are left out; NULL: all are wanted */
};
PITHLOG_API int64_t pithlog_iter_next_columns(struct pithlog_iter *iter, const struct pithlog_columns *columns,
                                              size_t room);
PITHLOG_API void pithlog_iter_close(struct pithlog_iter *iter);
/* Parses a query of pith-query(7). `column` (may be NULL): the place of an error in the text, in characters from 1. */
PITHLOG_API int pithlog_filter_parse(const char *text, struct pithlog_filter **filter, unsigned *column);
PITHLOG_API void pithlog_filter_free(struct pithlog_filter *filter);
/* Opens the selected records as a separate log, as `pith cut --where` writes it, in a temporary file (TMPDIR). */
PITHLOG_API int pithlog_open_part(struct pithlog *log, const struct pithlog_filter *filter, struct pithlog **part);

/* ---- Walking: what is open, and what is missing ------------------------------------------------------------------ */

/* A walk divides the time of each lane into consecutive intervals. During one interval, the same states are open, and
 * the lane either records, or is paused, or has a hole: records are lost or damaged there. Whatever needs open states
 * is a sum over these intervals; no caller keeps a stack or follows the rules of holes.
 *
 *     rank 0     enter A at 10, enter B at 20, leave B at 50; records are lost after 60; leave A at 90
 *
 *     from  to   is        open  change at its end
 *       10  10   recorded        BEGINS A
 *       10  20   recorded  A     BEGINS B
 *       20  50   recorded  A B   ENDS B: total 30, self 30
 *       50  60   recorded  A     HOLE_BEGINS
 *       60  90   hole      A     GOES_ON
 *       90  90   recorded  A     ENDS A: total 50, self 20 (the time of holes is no time of any state)
 *       90  90   recorded        EDGE
 *
 * A lane begins with its first record or with the window, whichever is later. It ends with the window or with its last
 * record, whichever is earlier; if states are open then, it ends with the log. */
enum pithlog_interval_is { PITHLOG_IS_RECORDED, PITHLOG_IS_PAUSED, PITHLOG_IS_HOLE };

enum pithlog_change {
    PITHLOG_BEGINS = 1,  /* `record` is the ENTER of a state */
    PITHLOG_ENDS,        /* `record` is the LEAVE of open[at] */
    PITHLOG_GOES_ON,     /* a hole ends; `record` is the ENTER of a state that is open before and after it */
    PITHLOG_HAPPENS,     /* any other record of the kinds of the query, or one that ends a hole or a pause */
    PITHLOG_HOLE_BEGINS, /* no record */
    PITHLOG_EDGE         /* the lane ends; no record */
};

/* Why a state begins or ends at this time. 0: it was recorded. */
enum {
    PITHLOG_AT_EDGE = 1, /* it is open where the window begins or ends, or at the end of the log */
    /* It begins or ends inside a hole, at an unknown time, and counts as if at the edge of the hole. */
    PITHLOG_AT_HOLE = 2,
    PITHLOG_DISCARDED = 4 /* ENDS: too many states were open (4096 on a lane); this one is not followed further */
};

struct pithlog_open {
    uint32_t id;
    int64_t start_ns; /* its begin, also if that is before the window or in a hole */
    int64_t from_ns;  /* its time counts from here: its begin, the begin of the window, or the end of the hole */
    int64_t self_ns;  /* as the innermost state, outside holes, before this interval */
};

struct pithlog_step {
    uint32_t lane;
    uint32_t is;                     /* enum pithlog_interval_is */
    int64_t from_ns, to_ns;          /* of the interval; may be equal */
    const struct pithlog_open *open; /* [depth] outermost first; in a hole: the states that are open before and after
                                        it, if it has both ends in the window */
    uint32_t depth;
    uint32_t kept;   /* number of the outermost states that were open in the lane's interval before as well */
    uint32_t change; /* enum pithlog_change: what ends the interval, at to_ns */
    uint32_t why;    /* PITHLOG_AT_EDGE ... */
    uint32_t at;     /* ENDS: the index of the state in `open` */
    /* ENDS: time of the state in the window, outside holes; part of it as the innermost state. */
    int64_t total_ns, self_ns;
    const struct pithlog_record *record; /* NULL: none; its times are as recorded */
};

struct pithlog_walk;
/* Walks the lanes and the window of the query, which has no filter and no flags. Its kinds are those of the records
 * that are delivered in addition to ENTER and LEAVE; 0: none. Steps come in the order of their to_ns over all lanes,
 * except that all EDGE steps come last. Memory: as an iterator, 88 bytes a lane, and 40 bytes for each open state. */
PITHLOG_API int pithlog_walk_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_walk **walk);
/* Returns 1; 0: at the end; -1: a damaged part of a lane, call again to continue after it. The pointers in *step are
 * valid until the next call. */
PITHLOG_API int pithlog_walk_next(struct pithlog_walk *walk, struct pithlog_step *step);
PITHLOG_API void pithlog_walk_close(struct pithlog_walk *walk);
/* For an ENDS step: 0 if the state is inside another instance of itself, else 1. */
PITHLOG_API int pithlog_step_is_outermost(const struct pithlog_step *step);

/* ---- Times as users write them ----------------------------------------------------------------------------------- */

/* The words that --from, --to and --at of the commands accept:
 *
 *     1.5  2s  3ms  20us  7ns    time from the log's start; more than 146 years (INT64_MAX / 2 ns) count as 146 years
 *     2:05.3  1:02:33            a time in minutes and seconds, or hours, minutes and seconds
 *     init                       the last end of MPI_Init or MPI_Init_thread over all ranks
 *     finalize                   the last begin of MPI_Finalize over all ranks
 *     solve[3]                   the third instance of a state in time order of the begins over all lanes: its begin,
 *                                or for the end of a window its end (the end of the log if it has none)
 *     end                        the end of the log
 *     2026-11-29T14:03:05.5      local time of a log that has its wall clock, or with a Z at its end UTC; a blank may
 *     T14:03:05  2026-11-29      stand for the T; the first such time of day in the log, or the nearest to it; midnight
 *     init+100ms  end-1s         one of these, and a time after or before it
 *
 * A blank may precede a unit: all times that Pith shows are such words. Errors are PITH_ERR_USAGE; the text names the
 * word and what is accepted. */

/* Reads a number with or without a unit, or 1:02:33. Any other word is an error: it needs a log. */
PITHLOG_API int pithlog_time_parse(const char *word, int64_t *time_ns);
/* PITH_OK if the word has one of these forms, so that a wrong one can be refused before a log is opened. */
PITHLOG_API int pithlog_time_check(const char *word);
/* Finds the time of any such word in a log; an error if the log has no such call or instance. Reads the begin or end of
 * each rank for init and finalize; for STATE[n] all enters and leaves up to it. Skips damaged parts. */
enum pithlog_edge { PITHLOG_EDGE_BEGIN, PITHLOG_EDGE_END }; /* of STATE[n] */
PITHLOG_API int pithlog_time_find(struct pithlog *log, const char *word, enum pithlog_edge edge, int64_t *time_ns);

/* Sets the wall clock at time 0 of the log, in ns since 1970: in UTC, and as local time in the time zone of the log's
 * start (TZ selects another). Returns 1; 0: the log does not have it. */
PITHLOG_API int pithlog_wall_clock(const struct pithlog *log, int64_t *unix_ns, int64_t *local_ns);

/* 1: a state of a call that counts for `init` or `finalize`; MPI_Session_init and MPI_Session_finalize do, too. */
PITHLOG_API int pithlog_is_init(const struct pithlog_def *def);
PITHLOG_API int pithlog_is_finalize(const struct pithlog_def *def);

/* ---- Summaries --------------------------------------------------------------------------------------------------- */

/* A stack of open states: path 0 is the empty stack, path p is `state` inside path `parent` < p. Each lane has its own
 * numbers of paths. */
struct pithlog_path {
    uint32_t parent;
    uint32_t state; /* definition; UINT32_MAX for path 0 */
};

/* An interval of a lane: the up to three paths that fill most of it, and their shares in 255ths, largest first. A share
 * of 0 ends the list; other paths have the rest up to 255. Also the solo events in it: their number (255: or more) and
 * the definition of the first (65535: or higher). */
enum { PITHLOG_PIECE_PATHS = 3 };
struct pithlog_piece {
    int64_t start_ns, end_ns;
    uint16_t path[PITHLOG_PIECE_PATHS];
    uint8_t share[PITHLOG_PIECE_PATHS], events;
    uint16_t event;
};

/* Lanes in less detail than records, so that the cost of drawing a log depends on the pixels, not on its size. If a log
 * has no summary of a lane, the first request reads the lane and makes one in a temporary file. A lane with more than
 * 32768 different states and events has no summary (PITH_ERR_MEMORY), but has sums. For one thread at a time. */
struct pithlog_summary;
PITHLOG_API int pithlog_summary_open(struct pithlog *log, struct pithlog_summary **summary);
PITHLOG_API void pithlog_summary_close(struct pithlog_summary *summary);
/* The paths of a lane; valid until the next call for another lane. NULL: the lane cannot be read. */
PITHLOG_API const struct pithlog_path *pithlog_summary_paths(struct pithlog_summary *summary, uint32_t lane,
                                                             uint32_t *count);
/* Calls `tell` for the pieces of `lane` that reach into [from_ns, to_ns), in time order, each beginning where the one
 * before ends. Pieces are as long as possible up to `length_ns`; where even the smallest (512 records) are longer,
 * those are used. */
PITHLOG_API int pithlog_summary_pieces(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                       int64_t length_ns,
                                       void (*tell)(void *context, const struct pithlog_piece *piece), void *context);

/* Adds to sums[definitions] the exact numbers and times of a lane in [from_ns, to_ns). Reads 32768 records at each end,
 * or all if some are lost. */
struct pithlog_sum {
    uint64_t count; /* instances of the state that reach into the window, or events */
    int64_t own_ns; /* a state's time as the innermost state (self) */
    int64_t all_ns; /* a state's time open (total); counted once where it is open inside itself */
};
PITHLOG_API int pithlog_summary_sums(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                     struct pithlog_sum *sums);
/* Like pithlog_summary_sums, and sets *rest. Without a summary (NULL) it reads all records: PITH_ERR_DAMAGED if some
 * are damaged; the others count. A lane ends with its last record, or with the log if states are open then. */
struct pithlog_rest {
    int64_t end_ns, outside_ns, missing_ns; /* end (at most to_ns); time outside all states; time of missing records */
};
PITHLOG_API int pithlog_sums(struct pithlog *log, struct pithlog_summary *summary, uint32_t lane, int64_t from_ns,
                             int64_t to_ns, struct pithlog_sum *sums, struct pithlog_rest *rest);

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

struct pithlog_message {
    uint32_t send_lane, recv_lane;
    int64_t send_ns, recv_ns; /* send_ns > recv_ns where clocks disagree */
    int32_t tag;
    uint32_t comm;
    uint64_t bytes;
};

/* Matches the messages of the whole log: for each communicator, sender, receiver and tag, sends in time order with
 * receives in posting order. Each is returned as soon as it is matched. Memory grows with the messages under way. */
struct pithlog_matcher;
PITHLOG_API int pithlog_matcher_open(struct pithlog *log, struct pithlog_matcher **matcher);
PITHLOG_API int pithlog_matcher_next(struct pithlog_matcher *matcher, struct pithlog_message *message); /* 1, 0, -1 */
/* After the end: numbers of unmatched sends and receives. */
PITHLOG_API void pithlog_matcher_unmatched(const struct pithlog_matcher *matcher, uint64_t *sends, uint64_t *recvs);
PITHLOG_API void pithlog_matcher_close(struct pithlog_matcher *matcher);
PITHLOG_API int pithlog_filter_message(const struct pithlog_filter *filter, const struct pithlog *log,
                                       const struct pithlog_message *message); /* 1: one of its ends matches */

/* The possible error between the times of two lanes, in ns. 0 if they share a clock; otherwise the sum of their clock
 * comparison errors at recording (half a round trip each); -1: unknown. It does not include drift between two
 * comparisons. */
PITHLOG_API int64_t pithlog_clock_error(const struct pithlog *log, uint32_t lane, uint32_t other);

/* The cost of recording in ns a record, measured at the end of the run on the host of that lane; 0: unknown. `kind`:
 * enum pithlog_kind up to PITHLOG_COLL, or PITHLOG_OWN_CALL: the cost of an MPI wrapper beside its records. `pith
 * compensate` removes this cost. */
enum { PITHLOG_OWN_CALL = 0, PITHLOG_OWN_COSTS = PITHLOG_COLL + 1 };
PITHLOG_API double pithlog_own_cost_ns(const struct pithlog *log, uint32_t lane, uint32_t kind);

/* ---- Digests ----------------------------------------------------------------------------------------------------- */

/* Messages and counters of a time window without reading records, for drawing. The first request reads all messages and
 * counter values of the log: some seconds for 1e8 records. The digest of a large log is kept in
 * ${XDG_CACHE_HOME:-~/.cache}/pith if that folder is writable; it may be emptied at any time. Memory: 80 bytes per
 * thousand messages, 56 per 512 counter values, some megabytes while it is made. Any number of threads may query it. */
struct pithlog_digest;
struct pithlog_digest_info {
    uint64_t messages, sends_left, recvs_left; /* matched messages; unmatched sends and receives */
    uint32_t series;                           /* pairs of lane and counter with values */
    uint64_t values;                           /* of all counters */
};

/* Calls `progress` (may be NULL) several times a second with the part done from 0 to 1; if the result is not 0, the
 * work stops with PITH_ERR_STOPPED. PITH_ERR_DAMAGED: some records could not be read, and *digest has the others. After
 * any other error *digest is NULL. */
PITHLOG_API int pithlog_digest_open(struct pithlog *log, int (*progress)(void *context, double part), void *context,
                                    struct pithlog_digest **digest);
/* Makes a digest of the messages of `from` for which `wanted` returns 1. It has no counters and is never kept.
 * `progress` and errors as above. `from` may be closed before it. */
PITHLOG_API int pithlog_digest_select(const struct pithlog_digest *from,
                                      int (*wanted)(void *context, const struct pithlog_message *message),
                                      int (*progress)(void *context, double part), void *context,
                                      struct pithlog_digest **digest);
PITHLOG_API void pithlog_digest_close(struct pithlog_digest *digest);
PITHLOG_API const struct pithlog_digest_info *pithlog_digest_get_info(const struct pithlog_digest *digest);
/* The messages that reach into [from_ns, to_ns) and have both ends on the given lanes. */
struct pithlog_digest_window {
    int64_t from_ns, to_ns;
    const unsigned char *lanes; /* [lanes of the log], not 0: included; NULL: all */
};
/* Writes the longest messages to messages[most], sorted by the earlier of their two times. *count: their number, up to
 * `most`; *total: exact number in the window (in a page, it may be too large if it is more than `most`). Cost: some
 * milliseconds for any log if all lanes are included. PITH_ERR_DAMAGED, also below: the kept digest is damaged and was
 * removed; pithlog_digest_open makes it anew. */
PITHLOG_API int pithlog_digest_messages(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                        struct pithlog_message *messages, uint32_t most, uint32_t *count,
                                        uint64_t *total);

/* Calls `tell` for a sample of the messages: all of them, or if that means reading more than `most`, an even choice of
 * one in *weight, a power of 8. */
PITHLOG_API int pithlog_digest_sample(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                      uint64_t most, void (*tell)(void *context, const struct pithlog_message *message),
                                      void *context, double *weight);

/* A counter on a lane; index from 0, by lane, then counter. NULL past the last. Infinities and NaNs are left out. */
struct pithlog_series {
    uint32_t lane, counter; /* counter: definition */
    uint64_t count;
    double low, high; /* of all its values */
};
PITHLOG_API const struct pithlog_series *pithlog_digest_series(const struct pithlog_digest *digest, uint32_t index);

/* Fills `count` columns of [from_ns, to_ns); column c starts at from_ns + span * c / count. Each gets the lowest and
 * highest value, including the value at its start, and the value at its end. */
struct pithlog_column {
    double low, high, last;
    int known; /* 0: no value so far */
};
PITHLOG_API int pithlog_digest_columns(const struct pithlog_digest *digest, uint32_t series, int64_t from_ns,
                                       int64_t to_ns, struct pithlog_column *columns, uint32_t count);

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

/* Time that a call spent waiting for another rank, and the message that ended the wait.
 *
 *     late sender     a call that completes a receive waits from its begin until the sending call begins
 *     late receiver   a call that completes a send waits from its begin until the receive is posted (the begin of
 *                     MPI_Irecv, not of its MPI_Wait), if the message could not be buffered
 *
 * A wait never lasts beyond the end of its call. A call that completes several messages waits for the latest of them
 * (MPI_Waitany and MPI_Waitsome: for the earliest), and its whole wait has that message's kind. So no time is counted
 * twice. A call is the innermost open state of an MPI function; in a log without MPI functions, of any state. */
enum pithlog_wait_kind {
    PITHLOG_LATE_SENDER = 1,   /* the message was sent late */
    PITHLOG_LATE_RECEIVER,     /* its receive was posted late */
    PITHLOG_WAIT_AT_BARRIER,   /* for the last rank at a barrier; from here on, only pithlog_analyze finds them */
    PITHLOG_WAIT_AT_NXN,       /* for the last rank of a collective in which all wait for all */
    PITHLOG_LATE_BROADCAST,    /* for the root of a broadcast or scatter, which entered it late */
    PITHLOG_EARLY_REDUCE,      /* the root of a reduce or gather waits for a member */
    PITHLOG_EARLY_SCAN,        /* a rank in a scan waits for a lower one */
    PITHLOG_WAIT_AT_FINALIZE,  /* for the last rank at the end */
    PITHLOG_LATE_POST,         /* one-sided: for the target to post its window */
    PITHLOG_EARLY_WAIT,        /* one-sided: the target waits for the end of accesses */
    PITHLOG_LOCK_CONTENTION,   /* for another rank's lock of a window */
    PITHLOG_WAIT_FOR_PROGRESS, /* for another rank, which computes and does not call MPI */
    PITHLOG_WAIT_AT_INIT,      /* for the last rank; only if the window begins before the end of MPI_Init */
    PITHLOG_LATE_INNER_RANK,   /* concluded from times: formats/analysis/graph/infer.c */
    PITHLOG_POLLING,           /* a loop of tests waits for a message */
    PITHLOG_LATE_NOTICE,       /* from the end of such a wait to the end of its loop; the lane itself is the cause */
    PITHLOG_WAIT_KINDS
};
struct pithlog_wait {
    uint32_t kind;                  /* enum pithlog_wait_kind */
    uint32_t lane, state;           /* the waiting lane; the state of the call */
    int64_t from_ns, to_ns;         /* begin of the call; end of the wait */
    struct pithlog_message message; /* the message that ended the wait */
};

struct pithlog_waits_query {
    int64_t from_ns, to_ns; /* messages in flight at any time in [from_ns, to_ns); INT64_MIN, INT64_MAX: all */
    const struct pithlog_digest *digest; /* the log's digest: read only records around those messages; NULL: all */
    /* Called several times a second with the part done, from 0 to 1; non-zero stops the work. May be NULL. */
    int (*progress)(void *context, double part);
    void *context; /* for progress */
};

/* Calls `tell` for each wait as soon as it is known. Reads the records once. Memory grows with lanes and with messages
 * under way. PITH_ERR_DAMAGED: some records could not be read, and the others were used. PITH_ERR_STOPPED. */
PITHLOG_API int pithlog_waits(struct pithlog *log, const struct pithlog_waits_query *query,
                              void (*tell)(void *context, const struct pithlog_wait *wait), void *context);

/* ---- Analysis ---------------------------------------------------------------------------------------------------- */

/* Wait states of messages and collectives, their causes, the critical path and the efficiencies of a run.
 * formats/analysis/README.md has the definitions, pith-analyze(1) the sources. */
struct pithlog_analysis;

struct pithlog_analyze_query {
    /* The window. INT64_MIN: from the last end of MPI_Init, INT64_MAX: to the last begin of MPI_Finalize; without such
     * a call, the start or end of the log. */
    int64_t from_ns, to_ns;
    int (*progress)(void *context, double part); /* as in struct pithlog_waits_query */
    void *context;                               /* for `progress` */
};

#define PITHLOG_COMPUTING UINT32_MAX /* the state of a lane outside all states */

/* A call of `lane` that could not go on before `cause_lane` had done something. */
struct pithlog_wait_state {
    int64_t from_ns, to_ns;
    int64_t release_ns;   /* begin of the call that released it; can be after to_ns, which is in the waiting call */
    double handed_ns;     /* waiting of other lanes that this wait state caused */
    uint32_t kind;        /* enum pithlog_wait_kind */
    uint32_t lane, state; /* state: the MPI function */
    uint32_t cause_lane;
    uint32_t order; /* enum pithlog_wait_order */
};

/* A late sender is in the wrong order if another message to the lane, which a later call receives, was sent before the
 * wait state ended, and the lane computes for at least 100 us between the two calls. If it received that message first,
 * it could compute while it waits. */
enum pithlog_wait_order { PITHLOG_IN_ORDER, PITHLOG_WRONG_ORDER_SAME_SOURCE, PITHLOG_WRONG_ORDER_OTHER_SOURCE };

/* Waiting that `lane` caused because it spent more time in `state` than the lanes that waited for it. The sum of all
 * delays is the sum of all wait states. */
struct pithlog_delay {
    uint32_t lane, state;          /* PITHLOG_COMPUTING: outside all states */
    uint32_t kind;                 /* of the waiting that it caused: enum pithlog_wait_kind */
    double direct_ns, indirect_ns; /* of lanes that waited for `lane` itself; passed on by those lanes */
};

/* The critical path is on one lane at each moment. */
struct pithlog_path_part {
    uint32_t lane; /* on which the run depended in this time */
    int64_t from_ns, to_ns;
};

/* Time of the critical path by lane and state. */
struct pithlog_path_share {
    uint32_t lane, state; /* state: PITHLOG_COMPUTING outside all states */
    int64_t ns;
};

struct pithlog_analysis_info {
    /* The window, which has no hole; and the earliest hole. */
    int64_t from_ns, to_ns, gap_from_ns, gap_to_ns;
    int has_init, has_finalize, has_mpi, is_too_short; /* too short to judge the run: holes, and part < 0.01 */
    uint32_t lanes, gaps, gap_lane;                    /* lanes: with MPI calls */
    uint32_t unread, lost_comms;                /* ranks without readable records; communicators without members */
    int64_t useful_ns, most_useful_ns, wait_ns; /* pithlog_analysis_useful_ns: sum, largest; all wait states */
    double ideal_ns, part; /* run time if transfers took no time; window / time that was asked for, 0 to 1 */
    /* parallel = load_balance * communication; communication = serialisation * transfer; 0 to 1 */
    double parallel, load_balance, communication, serialisation, transfer;
    uint64_t sends, recvs, collectives, given_up; /* given_up: dependencies left out, as they contradict the times */
};

/* Reads the log once. PITH_ERR_DAMAGED: the analysis is of the longest undamaged part, or has lost_comms. After other
 * errors: no analysis. Only one thread at a time may use it; the log must stay open. */
PITHLOG_API int pithlog_analyze(struct pithlog *log, const struct pithlog_analyze_query *query,
                                struct pithlog_analysis **analysis);
PITHLOG_API void pithlog_analysis_free(struct pithlog_analysis *analysis);
PITHLOG_API const struct pithlog_analysis_info *pithlog_analysis_get_info(const struct pithlog_analysis *analysis);
/* These set an array, which is valid until pithlog_analysis_free, and return its number of items. */
PITHLOG_API size_t pithlog_analysis_waits(const struct pithlog_analysis *analysis, uint32_t lane,
                                          const struct pithlog_wait_state **waits); /* by time */
PITHLOG_API size_t pithlog_analysis_delays(const struct pithlog_analysis *analysis,
                                           const struct pithlog_delay **delays); /* largest first */
PITHLOG_API size_t pithlog_analysis_path(const struct pithlog_analysis *analysis,
                                         const struct pithlog_path_part **parts); /* by time, without gaps */
PITHLOG_API size_t pithlog_analysis_path_shares(const struct pithlog_analysis *analysis,
                                                const struct pithlog_path_share **shares); /* largest first */
/* Time of a lane in a state (in MPI the outermost call, else innermost state) within the window, without waiting. */
PITHLOG_API int64_t pithlog_analysis_state_ns(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state);
/* 1: the state is an MPI function. 1: the lane has MPI calls. */
PITHLOG_API int pithlog_analysis_is_call(const struct pithlog_analysis *analysis, uint32_t state);
PITHLOG_API int pithlog_analysis_calls_mpi(const struct pithlog_analysis *analysis, uint32_t lane);
/* Finds the collective of the call of `lane` that begins at begin_ns: the collective that the call takes part in or, if
 * there is none, completes. begins_ns[lanes of the log]: when each member began its part; INT64_MIN: no member, or not
 * known. Returns 1; 0: there is no such collective. */
PITHLOG_API int pithlog_analysis_members(struct pithlog_analysis *analysis, uint32_t lane, int64_t begin_ns,
                                         int64_t *begins_ns);
/* Time of a lane outside MPI and outside states named io:*, within the window. */
PITHLOG_API int64_t pithlog_analysis_useful_ns(const struct pithlog_analysis *analysis, uint32_t lane);
/* The calls of one MPI function within the window, summed over all lanes. `sums` below has one for each definition. */
struct pithlog_call_sum {
    uint64_t calls;               /* of all lanes */
    int64_t wait_ns, transfer_ns; /* wait states; the rest */
    /* Calls with a transfer of more than 1 ms and 20 times the 10th percentile of calls of this function and about this
     * size, while no call of the rank that they need began where they ended; their transfer beyond the usual one. */
    uint64_t long_calls;
    int64_t long_ns;
    /* The call with the longest transfer: this transfer, the call, its lane. */
    int64_t longest_ns, longest_from_ns, longest_to_ns;
    uint32_t longest_lane;
};
PITHLOG_API int pithlog_analysis_calls(struct pithlog_analysis *analysis, struct pithlog_call_sum *sums);
/* The number of messages that could be part of the message before them: at most 1 KiB, to the same receiver, and the
 * sending thread received nothing in between and sent again within 100 us. *ns: time of the calls that sent them, below
 * 1 ms each. */
PITHLOG_API uint64_t pithlog_analysis_small_messages(const struct pithlog_analysis *analysis, int64_t *ns);
/* "late sender" ... */
PITHLOG_API const char *pithlog_wait_kind_name(uint32_t kind);

struct pithlog_iteration {
    int64_t from_ns, to_ns; /* [from, to) */
    uint32_t lane;          /* the lane that these times are from */
};
/* all[index] is slow. For the worst PITHLOG_SLOW_MOST, the other fields have the largest difference to the median
 * iteration: in a state without its wait states, or in a kind of wait state if `kind` is not 0. */
struct pithlog_slow_iteration {
    uint32_t index, lane, state, kind;
    int64_t excess_ns, difference_ns; /* excess: beyond the median */
};
#define PITHLOG_SLOW_MOST 5
struct pithlog_iterations {
    size_t count, slow_count;                  /* 0: none */
    const struct pithlog_iteration *all;       /* users count from 1 */
    const struct pithlog_slow_iteration *slow; /* worst first */
    uint32_t state, lane; /* found: a long call of each iteration; given: the state, the lane with most instances */
    int64_t median_ns, min_ns, max_ns; /* of the lengths of all */
    double mean_ns, drift_ns;          /* drift: growth per iteration; 0: not significant */
    double drift_first_ns;             /* the first iteration on the straight line of the drift */
};
/* `state` UINT32_MAX: finds the period of the MPI calls of the lane with most calls. Else iteration n is instance n of
 * the state on the lane where that takes longest; reads the log again. *iterations is valid until the next call. */
PITHLOG_API int pithlog_analysis_iterations(struct pithlog_analysis *analysis, uint32_t state,
                                            const struct pithlog_iterations **iterations);

/* ---- Following a running program -------------------------------------------------------------------------------- */

/* Reads the records of a program while it runs, from the folder LOG.spill beside the future log (PITH_SPILL in
 * pith(7)). Each look continues where the last one ended, so it costs only the new records:
 *
 *     pithlog_follow_open("run.pith.spill", &follow);
 *     do {
 *         pithlog_follow_look(follow);
 *         while (pithlog_follow_next(follow, &r) == 1) ...
 *     } while (!pithlog_follow_get_info(follow)->ended && !nanosleep(&pause, NULL));
 *
 * The program is not affected. Only processes of the job whose files this host sees are followed. Files that are
 * removed at the end of the run stay readable here until the follower is closed. */
struct pithlog_follow;

struct pithlog_follow_info {
    uint32_t ranks;              /* of the job; 1 before MPI_Init and without MPI */
    uint32_t processes, running; /* processes seen; those that still run */
    uint32_t lanes, defs, comms;
    int ended;              /* 1: every process seen has ended, and all their records were delivered */
    int finished;           /* 1: and the log was written by the program */
    int64_t now_ns;         /* time of the last look: records up to then are delivered */
    int64_t zero_unix_ns;   /* time 0: begin of the first process seen; others may have begun earlier */
    uint64_t records, lost; /* so far; of these lost */
    const char *program;    /* "" if unknown */
    const char *log;        /* name of the future log */
};

/* `path`: a folder of spill files (follows its newest running job, else its newest), or one file (follows its job). */
PITHLOG_API int pithlog_follow_open(const char *path, struct pithlog_follow **follow);
/* Looks for new processes, definitions and records. */
PITHLOG_API int pithlog_follow_look(struct pithlog_follow *follow);
/* The next record: in time order over all lanes of one host, on one lane in recorded order. 1; 0: no more until the
 * next look; -1: no memory. `payload` is valid until the next call. The fields of PITHLOG_NEST are 0. */
PITHLOG_API int pithlog_follow_next(struct pithlog_follow *follow, struct pithlog_record *record);
/* The next message whose both ends pithlog_follow_next has delivered: 1 or 0. Fetch them before the next look, which
 * drops the rest. */
PITHLOG_API int pithlog_follow_message(struct pithlog_follow *follow, struct pithlog_message *message);
/* Ids and lanes are numbered as they are found, and keep their numbers. Pointers are valid until the next look. The
 * rank of a lane is 0 until its process has joined the job. */
PITHLOG_API const struct pithlog_follow_info *pithlog_follow_get_info(const struct pithlog_follow *follow);
PITHLOG_API const struct pithlog_def *pithlog_follow_get_def(const struct pithlog_follow *follow, uint32_t id);
PITHLOG_API const struct pithlog_lane *pithlog_follow_get_lane(const struct pithlog_follow *follow, uint32_t lane);
PITHLOG_API const struct pithlog_comm *pithlog_follow_get_comm(const struct pithlog_follow *follow, uint32_t comm);
/* 1: the process of the lane still runs, as far as this host can tell; 0: it has ended, or there is no such lane. */
PITHLOG_API int pithlog_follow_is_running(const struct pithlog_follow *follow, uint32_t lane);
PITHLOG_API uint32_t pithlog_follow_def_rgb(const struct pithlog_follow *follow, uint32_t id); /* as pithlog_def_rgb */
PITHLOG_API void pithlog_follow_close(struct pithlog_follow *follow);

/* Formats the payload of an event by its definition's format ("iter=3 val=0.5"). Without a format, text is written in
 * quotes and other bytes as hex. Control characters are escaped. Writes at most `size` bytes with the final NUL and
 * returns the length needed. */
PITHLOG_API size_t pithlog_payload_text(const struct pithlog *log, const struct pithlog_record *record, char *text,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_H */
