/* pithlog.h - reads logs in Pith's own format and in every other format that Pith knows. Link with -lpithlog (flags:
 * `pkg-config --cflags --libs pithlog`).
 *
 *     struct pithlog *log; struct pithlog_iter *iter; struct pithlog_record r;
 *     if (pithlog_open("run.pith", &log)) { fprintf(stderr, "%s\n", pithlog_error()); return 1; }
 *     pithlog_iter_open(log, NULL, &iter);
 *     while (pithlog_iter_next(iter, &r) == 1) ...
 *     pithlog_iter_close(iter);
 *     pithlog_close(log);
 *
 * Functions that can fail return 0 (PITH_OK) or an enum pith_err; pithlog_error() then has the text, one line "FILE:
 * byte N: what is wrong; what to do". No function prints, exits or aborts, whatever the file holds. Several threads may
 * use a struct pithlog at once, each with its own iterators. Memory: opening reads the front of a log, about 60 bytes a
 * rank. The description of a lane (200 bytes) is read when it is first needed. An iterator holds one unpacked block a
 * lane, or a smaller part of each block if there are many lanes. If a log's file is cut or replaced while the log is
 * open, functions return errors; they do not crash.
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
    PITH_ERR_DAMAGED,     /* a log whose bytes contradict its format */
    PITH_ERR_UNSUPPORTED, /* a newer version, or something the format cannot hold */
    PITH_ERR_MEMORY,
    PITH_ERR_USAGE,  /* arguments out of range */
    PITH_ERR_STOPPED /* a callback of the caller stopped the work */
};

/* Returns the text of this thread's last error; valid until the thread's next error. */
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
    int64_t first_ns, last_ns; /* times of the first and last record; first > last if the lane has none */
    uint64_t records;
};

/* A communicator. Ids are indices 0 .. count-1; 0 is MPI_COMM_WORLD in every log. */
struct pithlog_comm {
    uint64_t key;               /* identifies the communicator in all logs of a run; merging logs joins equal keys */
    const char *name;           /* "" if the program gave none */
    int32_t size, remote_size;  /* 0, 0: members unknown */
    const int32_t *world_ranks; /* [size] of the local group, then [remote_size] of the remote group */
};

struct pithlog_info {
    const char *format; /* "native", "alog", "clog2" ... */
    uint32_t version;   /* of the native format; 0 for others */
    int complete;       /* 0: records are missing, because the file was cut or damaged, or made from such a file */
    uint32_t ranks, lanes, defs, comms;
    uint64_t records;                  /* all records */
    uint64_t states, events, messages; /* completed states, EVENT records, received messages */
    uint64_t lost;                     /* records that the program could not store */
    int64_t start_ns, end_ns;          /* times of the first and last record */
    uint64_t bytes;                    /* size of the file, or of all files of the log */
    const char *incomplete;            /* why `complete` is 0, such as "byte 9130: the file ends here"; else NULL */
};

PITHLOG_API int pithlog_open(const char *path, struct pithlog **log);
/* Like pithlog_open, with progress reports. Opening reads the whole file if the log has another format or no index.
 * While it reads, it calls `progress` (may be NULL) about 20 times a second, in this thread, with the fraction that is
 * done, from 0 to 1. If `progress` returns a value other than 0, opening stops with PITH_ERR_STOPPED. `progress` is not
 * called if the file need not be read. */
PITHLOG_API int pithlog_open_watched(const char *path, int (*progress)(void *context, double part), void *context,
                                     struct pithlog **log);
/* Returns 1 if the first bytes of the file or folder are those of a log format that Pith can read; the log may still be
 * damaged. Else returns 0, and sets no error. Takes some 13 us, because it opens the file. */
PITHLOG_API int pithlog_is_log(const char *path);
PITHLOG_API void pithlog_close(struct pithlog *log);
PITHLOG_API const struct pithlog_info *pithlog_get_info(const struct pithlog *log);
PITHLOG_API const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id);     /* NULL: none */
PITHLOG_API const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane); /* NULL: none */
PITHLOG_API const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm); /* NULL: none */
/* Returns PITH_ERR_DAMAGED if pithlog_get_comm has returned a communicator whose list of members is damaged; else
 * PITH_OK. */
PITHLOG_API int pithlog_check_comms(const struct pithlog *log);
/* Returns the key of a property ("program", "mpi", "clock", "start_unix_s" ...), and sets *value. Indices begin at 0.
 * Returns NULL past the last property. */
PITHLOG_API const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value);
/* Returns the colour of a definition as 0xRRGGBB: the one that the program gave, or else one of the palette. */
PITHLOG_API uint32_t pithlog_def_rgb(const struct pithlog *log, uint32_t id);

/* ---- Records ----------------------------------------------------------------------------------------------------- */

enum pithlog_kind {
    PITHLOG_ENTER = 1,   /* a state begins */
    PITHLOG_LEAVE,       /* a state ends */
    PITHLOG_EVENT,       /* something happened, with data of the program */
    PITHLOG_COUNTER,     /* a counter has a value */
    PITHLOG_SEND,        /* a message leaves */
    PITHLOG_RECV,        /* a message has arrived */
    PITHLOG_COLL,        /* this rank took part in a collective */
    PITHLOG_COMM_CREATE, /* a communicator is made */
    PITHLOG_COMM_FREE,   /* a communicator is freed */
    PITHLOG_PAUSE,       /* recording stops */
    PITHLOG_RESUME,      /* recording goes on */
    PITHLOG_LOST         /* the recorder had no room; from here on records are missing */
};

/* One record. Fields that a kind does not use are 0, except `peer`, which is -1 then. */
struct pithlog_record {
    int64_t time_ns; /* from the log's start */
    uint32_t lane;   /* from 0; pithlog_get_lane */
    uint32_t kind;   /* enum pithlog_kind */
    uint32_t id;     /* ENTER LEAVE EVENT COUNTER: definition */
    /* SEND RECV COLL COMM_*: communicator; ENTER LEAVE EVENT: the communicator that the program gave with the
     * record. */
    uint32_t comm;
    int32_t peer;        /* SEND RECV: world rank of the partner; COLL: world rank of the root, -1: no root. A RECV with
                          * -1 received no message; it is kept so that `posted` counts every receive */
    int32_t tag;         /* SEND RECV */
    uint64_t bytes;      /* SEND RECV: size; COLL: bytes sent; LOST: number of lost records */
    uint64_t got_bytes;  /* COLL: bytes received; LOST: 1 + the number of states that ended while records were lost (the
                          * innermost open ones), or 0 if the log does not have this number */
    uint64_t posted;     /* RECV: how many receives its rank posted before this one */
    double value;        /* COUNTER */
    const void *payload; /* EVENT; valid until the next call on the iterator */
    uint32_t payload_bytes;
    /* Set by the iterator with PITHLOG_NEST: */
    uint32_t depth;    /* ENTER LEAVE: number of open states around this state */
    int64_t start_ns;  /* ENTER LEAVE: begin of the state, also in the ENTER that the state gets at the end of a hole */
    int64_t nested_ns; /* LEAVE: time of the states directly inside this one; 0 in the LEAVE that the state gets where a
                          hole begins */
};

/* ---- Iterating --------------------------------------------------------------------------------------------------- */

enum {
    /* Pairs every LEAVE with an ENTER: that of the innermost open state of its id on the lane. If states are not
     * properly nested, states inside this state stay open. A LEAVE without an ENTER gets start_ns = time_ns and depth =
     * UINT32_MAX. States that ended while records were lost end at the LOST record, if that has their number. */
    PITHLOG_NEST = 1,
    /* Implies PITHLOG_NEST. States open at `from_ns` come first as ENTERs with their true times, outermost first.
     * States open at `to_ns` come last as LEAVEs at to_ns (or at the log's end, if that is earlier). So every state has
     * a LEAVE with start_ns. At a hole of a lane, its open states get a LEAVE at the last record before the hole, and
     * an ENTER at the first record after it. */
    PITHLOG_CLIP = 2,
    /* For one lane without holes: the states open at from_ns come first as ENTERs, as with PITHLOG_CLIP. But ENTERs and
     * LEAVEs are not paired, and no LEAVE is added at to_ns, so this is faster than a walk. LOST records are delivered
     * like others. If records may be missing, the iterator returns -1 and ends; a walk over the same interval shows the
     * holes. Cannot be combined with a filter or other flags. */
    PITHLOG_OPENED = 4
};

struct pithlog_query {
    int64_t from_ns, to_ns; /* both inclusive; INT64_MIN and INT64_MAX: all */
    const uint32_t *lanes;  /* NULL: all */
    uint32_t lane_count;
    uint32_t kinds;                      /* mask of 1 << kind; 0: all */
    uint32_t flags;                      /* PITHLOG_NEST ... */
    const struct pithlog_filter *filter; /* NULL: no filter; must live as long as the iterator */
};

struct pithlog_iter;

/* Delivers the records of all selected lanes in time order. Records of equal times come in the order of lanes, those of
 * one lane in recorded order. If `query` is NULL, delivers all records, without flags. To find from_ns, opening reads
 * one block of each lane. */
PITHLOG_API int pithlog_iter_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_iter **iter);
PITHLOG_API int pithlog_iter_next(struct pithlog_iter *iter, struct pithlog_record *record); /* 1; 0: end; -1: error */
/* Delivers up to `count` (> 0) records at once, which is faster. Returns their number, which may be smaller than
 * `count` at any time; 0 at the end; -1 on an error: records of one lane are damaged, and the next call continues after
 * them. A call reads at most one block of a lane. All payloads are valid until the next call on the iterator. */
PITHLOG_API int pithlog_iter_next_many(struct pithlog_iter *iter, struct pithlog_record *records, int count);
/* Records as columns: an array for each wanted field of struct pithlog_record, and NULL for the other fields. Fills the
 * arrays from index 0 and returns the number of records; fewer than `room` only at the end. If it meets damaged
 * records, it returns -1 minus the number of records filled in before them; the next call continues after the
 * damage. */
struct pithlog_columns {
    int64_t *time_ns, *start_ns, *nested_ns; /* [room] each, or NULL */
    uint32_t *lane, *kind, *id, *comm, *depth;
    int32_t *peer, *tag;
    uint64_t *bytes, *got_bytes;
    double *value;
    const unsigned char *ids; /* [definitions] 0: leaves out records of this definition; NULL: leaves out none */
};
PITHLOG_API int64_t pithlog_iter_next_columns(struct pithlog_iter *iter, const struct pithlog_columns *columns,
                                              size_t room);
PITHLOG_API void pithlog_iter_close(struct pithlog_iter *iter);
/* Parses a query of pith-query(7). On an error, sets *column (may be NULL) to the place of the error in the text, in
 * characters from 1. */
PITHLOG_API int pithlog_filter_parse(const char *text, struct pithlog_filter **filter, unsigned *column);
PITHLOG_API void pithlog_filter_free(struct pithlog_filter *filter);
/* Writes the records that match the filter to a log in a temporary file (TMPDIR), as `pith cut --where` does, and opens
 * this log as *part. */
PITHLOG_API int pithlog_open_part(struct pithlog *log, const struct pithlog_filter *filter, struct pithlog **part);

/* ---- Walking: what is open, and what is missing ------------------------------------------------------------------ */

/* A walk divides the time of each lane into consecutive intervals. During one interval, the same states are open, and
 * the lane either records, or is paused, or has a hole: records are lost or damaged there. So a caller that needs times
 * of states adds up intervals. It needs no stack of open states, and no rules for holes.
 *
 *     rank 0     enter A at 10, enter B at 20, leave B at 50; records are lost after 60; leave A at 90
 *
 *     from  to   is        open  change at its end
 *       10  10   recorded        BEGINS A
 *       10  20   recorded  A     BEGINS B
 *       20  50   recorded  A B   ENDS B: total 30, self 30
 *       50  60   recorded  A     HOLE_BEGINS
 *       60  90   hole      A     GOES_ON A
 *       90  90   recorded  A     ENDS A: total 50, self 20 (the time in the hole does not count)
 *       90  90   recorded        EDGE
 *
 * The walk of a lane begins with its first record or with the window, whichever is later. It ends with the window or
 * with the lane's last record, whichever is earlier. If states are still open at the last record, it goes on to the end
 * of the log. */
enum pithlog_interval_is { PITHLOG_IS_RECORDED, PITHLOG_IS_PAUSED, PITHLOG_IS_HOLE };

enum pithlog_change {
    PITHLOG_BEGINS = 1,  /* `record` is the ENTER of a state */
    PITHLOG_ENDS,        /* `record` is the LEAVE of open[at] */
    PITHLOG_GOES_ON,     /* a hole ends; `record` is the ENTER of a state that is open before and after the hole */
    PITHLOG_HAPPENS,     /* `record` is any other record of the query's kinds, or one that ends a hole or a pause */
    PITHLOG_HOLE_BEGINS, /* a hole begins; no record */
    PITHLOG_EDGE         /* the lane ends; no record */
};

/* Flags: why a state begins or ends at this time. 0: its begin or end was recorded. */
enum {
    PITHLOG_AT_EDGE = 1, /* the state is open at an edge of the window, or at the end of the log */
    /* The state begins or ends inside a hole, at an unknown time. The walk lets it begin or end at the edge of the
     * hole. */
    PITHLOG_AT_HOLE = 2,
    PITHLOG_DISCARDED = 4 /* ENDS: too many states were open (4096 on a lane); this one is not followed further */
};

struct pithlog_open {
    uint32_t id;
    int64_t start_ns; /* begin of the state, also if it is before the window or in a hole */
    int64_t from_ns;  /* the state's time counts from here: from its begin, the window's begin, or the end of a hole */
    int64_t self_ns;  /* its time as the innermost state, outside holes, before the current interval */
};

struct pithlog_step {
    uint32_t lane;
    uint32_t is;                     /* enum pithlog_interval_is */
    int64_t from_ns, to_ns;          /* edges of the interval; may be equal */
    const struct pithlog_open *open; /* [depth] outermost first; in a hole: the states that are open before and after
                                      * it, if both ends of the hole are in the window */
    uint32_t depth;
    uint32_t kept;   /* how many of the outermost states were open in the lane's previous interval, too */
    uint32_t change; /* enum pithlog_change: what ends the interval, at to_ns */
    uint32_t why;    /* PITHLOG_AT_EDGE ... */
    uint32_t at;     /* ENDS: the index of the state in `open` */
    /* ENDS: time of the state in the window, outside holes, in all (total) and as the innermost state (self). */
    int64_t total_ns, self_ns;
    const struct pithlog_record *record; /* with its recorded times; NULL: the change has no record */
};

struct pithlog_walk;
/* Walks the lanes and the window of the query, which must have no filter and no flags. `kinds` of the query selects the
 * records that are delivered in addition to ENTER and LEAVE; 0: none. The steps of all lanes come in the order of
 * to_ns, except that all EDGE steps come last. Memory: that of an iterator, 88 bytes for each lane, and 40 bytes for
 * each open state. */
PITHLOG_API int pithlog_walk_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_walk **walk);
/* Returns 1 after setting *step; 0 at the end; -1 on an error: records of one lane are damaged, and the next call
 * continues after them. The pointers in *step are valid until the next call. */
PITHLOG_API int pithlog_walk_next(struct pithlog_walk *walk, struct pithlog_step *step);
PITHLOG_API void pithlog_walk_close(struct pithlog_walk *walk);
/* For an ENDS step: returns 0 if the state that ends is inside another instance of the same state, else 1. */
PITHLOG_API int pithlog_step_is_outermost(const struct pithlog_step *step);

/* ---- Times as users write them ----------------------------------------------------------------------------------- */

/* The words that --from, --to and --at of the commands accept:
 *
 *     1.5  2s  3ms  20us  7ns    time from the log's start; more than 146 years (INT64_MAX / 2 ns) count as 146 years
 *     2:05.3  1:02:33            a time in minutes and seconds, or hours, minutes and seconds
 *     init                       the last end of MPI_Init or MPI_Init_thread over all ranks
 *     finalize                   the last begin of MPI_Finalize over all ranks
 *     solve[3]                   the begin of the third instance of a state, counted in the order of begins over all
 *                                lanes; for the end of a window (--to) its end, or else the end of the log
 *     end                        the end of the log
 *     2026-11-29T14:03:05.5      a local time, or with a Z at its end UTC, if the log has the wall clock; a blank may
 *     T14:03:05  2026-11-29      stand for the T; a time of day alone is the first such time in the log, or the one
 *                                nearest to the log; a date alone is midnight
 *     init+100ms  end-1s         one of the words above, plus or minus a time
 *
 * A blank may stand before a unit, so all times that Pith prints are accepted. Errors are PITH_ERR_USAGE; the text
 * names the word and what is accepted. */

/* Reads a number with or without a unit, or a time such as 1:02:33. Any other word is an error, because its time
 * depends on a log (pithlog_time_find). */
PITHLOG_API int pithlog_time_parse(const char *word, int64_t *time_ns);
/* Returns PITH_OK if the word has one of the forms above. So a caller can refuse a wrong word before it opens a log. */
PITHLOG_API int pithlog_time_check(const char *word);
/* Sets *time_ns to the time that a word of the forms above has in a log. Returns an error if the log has no such call
 * or instance. For init and finalize, reads the begin or end of each rank; for STATE[n], all enters and leaves up to
 * the instance. Skips damaged records. */
enum pithlog_edge { PITHLOG_EDGE_BEGIN, PITHLOG_EDGE_END }; /* for STATE[n] */
PITHLOG_API int pithlog_time_find(struct pithlog *log, const char *word, enum pithlog_edge edge, int64_t *time_ns);

/* Sets *unix_ns to the wall clock at time 0 of the log, in ns since 1970 (UTC), and *local_ns to the same moment as
 * local time of this computer (or of TZ), with the offset from UTC at the log's start. Returns 1; 0 if the log does not
 * have the wall clock. */
PITHLOG_API int pithlog_wall_clock(const struct pithlog *log, int64_t *unix_ns, int64_t *local_ns);

/* Return 1 if the definition is the state of a call that the word `init` or `finalize` stands for, including
 * MPI_Session_init and MPI_Session_finalize. */
PITHLOG_API int pithlog_is_init(const struct pithlog_def *def);
PITHLOG_API int pithlog_is_finalize(const struct pithlog_def *def);

/* ---- Summaries --------------------------------------------------------------------------------------------------- */

/* A stack of open states: path 0 is the empty stack, path p is `state` inside path `parent` < p. Paths are numbered
 * separately for each lane. */
struct pithlog_path {
    uint32_t parent;
    uint32_t state; /* definition; UINT32_MAX for path 0 */
};

/* An interval of a lane: up to three paths that take most of its time, and their shares in 255ths, largest first. A
 * share of 0 ends the list. All other paths together have the rest up to 255. `events` is the number of EVENT records
 * in the interval (255: 255 or more), `event` the definition of the first one (65535: 65535 or higher). */
enum { PITHLOG_PIECE_PATHS = 3 };
struct pithlog_piece {
    int64_t start_ns, end_ns;
    uint16_t path[PITHLOG_PIECE_PATHS];
    uint8_t share[PITHLOG_PIECE_PATHS], events;
    uint16_t event;
};

/* A summary has lanes in less detail than records, so that the time to draw a log depends on the pixels and not on the
 * log's size. If a log has no summary of a lane, the first request reads the lane's records and makes a summary in a
 * temporary file. A lane with more than 32768 different states and events has no summary (PITH_ERR_MEMORY), but has
 * sums. Only one thread at a time may use a struct pithlog_summary. */
struct pithlog_summary;
PITHLOG_API int pithlog_summary_open(struct pithlog *log, struct pithlog_summary **summary);
PITHLOG_API void pithlog_summary_close(struct pithlog_summary *summary);
/* Returns the paths of a lane, valid until a call for another lane; NULL if the lane cannot be read. */
PITHLOG_API const struct pithlog_path *pithlog_summary_paths(struct pithlog_summary *summary, uint32_t lane,
                                                             uint32_t *count);
/* Calls `tell` for the pieces of `lane` that reach into [from_ns, to_ns), in time order, each beginning where the one
 * before ends. A piece is as long as possible up to `length_ns`; if even the smallest pieces (512 records) are longer,
 * these are used. */
PITHLOG_API int pithlog_summary_pieces(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                       int64_t length_ns,
                                       void (*tell)(void *context, const struct pithlog_piece *piece), void *context);

/* Adds the exact counts and times of a lane in [from_ns, to_ns) to sums[definitions]. Reads up to 32768 records at each
 * edge; or all records, if some are lost. */
struct pithlog_sum {
    uint64_t count; /* instances of the state that reach into the window, or events */
    int64_t own_ns; /* a state's time as the innermost state (self) */
    int64_t all_ns; /* a state's time from enter to leave (total); not that of instances inside other instances of it */
};
PITHLOG_API int pithlog_summary_sums(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                     struct pithlog_sum *sums);
/* Like pithlog_summary_sums, and also sets *rest. Without a summary (NULL), it reads all records; if some are damaged,
 * it sums the others and returns PITH_ERR_DAMAGED. A lane ends with its last record, or with the log if states are
 * still open at its last record. */
struct pithlog_rest {
    int64_t end_ns, outside_ns, missing_ns; /* end (at most to_ns); time outside all states; time in holes */
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

/* Matches the messages of the whole log. For each combination of communicator, sender, receiver and tag, it pairs sends
 * in time order with receives in posting order. pithlog_matcher_next delivers a message as soon as it is matched; it
 * returns 1, 0 at the end, -1 on an error. Memory grows with the number of messages in flight. */
struct pithlog_matcher;
PITHLOG_API int pithlog_matcher_open(struct pithlog *log, struct pithlog_matcher **matcher);
PITHLOG_API int pithlog_matcher_next(struct pithlog_matcher *matcher, struct pithlog_message *message); /* 1, 0, -1 */
/* Call it after pithlog_matcher_next has returned 0: sets *sends and *recvs to the numbers of unmatched sends and
 * receives. */
PITHLOG_API void pithlog_matcher_unmatched(const struct pithlog_matcher *matcher, uint64_t *sends, uint64_t *recvs);
PITHLOG_API void pithlog_matcher_close(struct pithlog_matcher *matcher);
PITHLOG_API int pithlog_filter_message(const struct pithlog_filter *filter, const struct pithlog *log,
                                       const struct pithlog_message *message); /* 1: an end of the message matches */

/* Returns the possible error between the times of two lanes, in ns: 0 if both lanes have the same clock; else the sum
 * of the errors of both ranks' clock comparisons at recording (half a round trip each); -1 if unknown. The drift
 * between two comparisons is not included. */
PITHLOG_API int64_t pithlog_clock_error(const struct pithlog *log, uint32_t lane, uint32_t other);

/* Returns the cost of recording one record, in ns, as measured at the end of the run on the lane's host; 0 if unknown.
 * `kind` is that of the record: a value of enum pithlog_kind up to PITHLOG_COLL. With PITHLOG_OWN_CALL, returns the
 * cost of an MPI wrapper without its records. `pith compensate` removes these costs from a log. */
enum { PITHLOG_OWN_CALL = 0, PITHLOG_OWN_COSTS = PITHLOG_COLL + 1 };
PITHLOG_API double pithlog_own_cost_ns(const struct pithlog *log, uint32_t lane, uint32_t kind);

/* ---- Digests ----------------------------------------------------------------------------------------------------- */

/* A digest has the messages and counters of a log, so that those of a window can be drawn without reading records. To
 * make a digest, all messages and counter values of the log are read, which takes some seconds for 1e8 records. The
 * digest of a large log is kept in ${XDG_CACHE_HOME:-~/.cache}/pith if that folder is writable; the user may empty the
 * folder at any time. Memory: 80 bytes per thousand messages, 56 bytes per 512 counter values, and some megabytes while
 * the digest is made. Any number of threads may query a digest at once. */
struct pithlog_digest;
struct pithlog_digest_info {
    uint64_t messages, sends_left, recvs_left; /* matched messages; unmatched sends and receives */
    uint32_t series;                           /* pairs of lane and counter with values */
    uint64_t values;                           /* number of values of all counters */
};

/* Opens the log's digest; makes it first if there is none. Calls `progress` (may be NULL) several times a second with
 * the fraction that is done, from 0 to 1. If `progress` returns a value other than 0, the work stops with
 * PITH_ERR_STOPPED. Returns PITH_ERR_DAMAGED if some records could not be read; *digest then has the others. After any
 * other error, *digest is NULL. */
PITHLOG_API int pithlog_digest_open(struct pithlog *log, int (*progress)(void *context, double part), void *context,
                                    struct pithlog_digest **digest);
/* Makes a digest of the messages of `from` for which `wanted` returns 1. The new digest has no counters and is never
 * kept in the cache. `progress` and errors are as in pithlog_digest_open. `from` may be closed earlier than the new
 * digest. */
PITHLOG_API int pithlog_digest_select(const struct pithlog_digest *from,
                                      int (*wanted)(void *context, const struct pithlog_message *message),
                                      int (*progress)(void *context, double part), void *context,
                                      struct pithlog_digest **digest);
PITHLOG_API void pithlog_digest_close(struct pithlog_digest *digest);
PITHLOG_API const struct pithlog_digest_info *pithlog_digest_get_info(const struct pithlog_digest *digest);
/* Selects the messages that reach into [from_ns, to_ns) and have both ends on the given lanes. */
struct pithlog_digest_window {
    int64_t from_ns, to_ns;
    const unsigned char *lanes; /* [lanes of the log] 0: the lane is left out; NULL: all lanes are included */
};
/* Writes the longest messages to messages[most], sorted by the earlier of their two times. Sets *count to their number,
 * and *total to the number of all messages in the window. (A web page reads less: there, a total of more than `most`
 * may be too large.) Takes some milliseconds for any log if all lanes are included. This function and those below
 * return PITH_ERR_DAMAGED if the kept digest is damaged: it was then removed, and the next pithlog_digest_open makes a
 * new one. */
PITHLOG_API int pithlog_digest_messages(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                        struct pithlog_message *messages, uint32_t most, uint32_t *count,
                                        uint64_t *total);

/* Calls `tell` for a sample of the messages in the window: for all of them, or, if more than `most` would have to be
 * read, for a random one in *weight, which is a power of 8. */
PITHLOG_API int pithlog_digest_sample(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                      uint64_t most, void (*tell)(void *context, const struct pithlog_message *message),
                                      void *context, double *weight);

/* A series has the values of one counter on one lane, without infinities and NaNs. The series of a digest are sorted by
 * lane, then by counter; their indices begin at 0. pithlog_digest_series returns NULL past the last one. */
struct pithlog_series {
    uint32_t lane, counter; /* counter: id of its definition */
    uint64_t count;
    double low, high; /* range of its values */
};
PITHLOG_API const struct pithlog_series *pithlog_digest_series(const struct pithlog_digest *digest, uint32_t index);

/* Fills `count` columns of [from_ns, to_ns); column c starts at from_ns + (to_ns - from_ns) * c / count. Each column
 * gets the lowest and highest value within it (the value at its start is one of them), and the value at its end. */
struct pithlog_column {
    double low, high, last;
    int known; /* 0: the series has no value up to this column */
};
PITHLOG_API int pithlog_digest_columns(const struct pithlog_digest *digest, uint32_t series, int64_t from_ns,
                                       int64_t to_ns, struct pithlog_column *columns, uint32_t count);

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

/* A wait is the time that a call spent waiting for another rank. It was ended by a message.
 *
 *     late sender     a call that completes a receive waits from its begin until the sending call begins
 *     late receiver   a call that completes a send waits from its begin until the receive is posted (the begin of
 *                     MPI_Irecv, not of its MPI_Wait), if the message could not be buffered
 *
 * A wait never lasts beyond the end of its call. A call that completes several messages waits for the latest of them
 * (MPI_Waitany and MPI_Waitsome: for the earliest), and its whole wait gets that message's kind. So no time is counted
 * twice. Here, a call is the innermost open state of an MPI function; in a log without MPI functions, the innermost
 * open state. */
enum pithlog_wait_kind {
    PITHLOG_LATE_SENDER = 1,   /* the message was sent late */
    PITHLOG_LATE_RECEIVER,     /* the receive of the message was posted late */
    PITHLOG_WAIT_AT_BARRIER,   /* a wait for the last rank at a barrier; only pithlog_analyze finds this kind and those
                                  below */
    PITHLOG_WAIT_AT_NXN,       /* a wait for the last rank of a collective in which all wait for all */
    PITHLOG_LATE_BROADCAST,    /* a wait for the root of a broadcast or scatter, which entered the call late */
    PITHLOG_EARLY_REDUCE,      /* the root of a reduce or gather waits for a member */
    PITHLOG_EARLY_SCAN,        /* a rank in a scan waits for a lower one */
    PITHLOG_WAIT_AT_FINALIZE,  /* a wait for the last rank in MPI_Finalize */
    PITHLOG_LATE_POST,         /* one-sided: a wait for the target to post its window */
    PITHLOG_EARLY_WAIT,        /* one-sided: the target waits for the end of accesses */
    PITHLOG_LOCK_CONTENTION,   /* a wait for another rank's lock of a window */
    PITHLOG_WAIT_FOR_PROGRESS, /* a wait for another rank, which computes and does not call MPI */
    PITHLOG_WAIT_AT_INIT,      /* a wait for the last rank in MPI_Init; only if the window begins before its end */
    PITHLOG_LATE_INNER_RANK,   /* a wait for an inner rank of a tree; concluded from times
                                  (formats/analysis/graph/infer.c) */
    PITHLOG_POLLING,           /* a loop of tests waits for a message */
    PITHLOG_LATE_NOTICE,       /* from when the message is there to the end of the polling loop; the lane itself is the
                                  cause */
    PITHLOG_WAIT_KINDS
};
struct pithlog_wait {
    uint32_t kind;                  /* enum pithlog_wait_kind */
    uint32_t lane, state;           /* lane: that which waits; state: that of the call */
    int64_t from_ns, to_ns;         /* begin of the call; end of the wait */
    struct pithlog_message message; /* the message that ended the wait */
};

struct pithlog_waits_query {
    /* Only waits for messages that are in flight at any time in [from_ns, to_ns); INT64_MIN, INT64_MAX: all. */
    int64_t from_ns, to_ns;
    const struct pithlog_digest *digest; /* the log's, to read only records around these messages; NULL: reads all */
    /* Called several times a second with the fraction that is done, from 0 to 1. A result other than 0 stops the work.
     * May be NULL. */
    int (*progress)(void *context, double part);
    void *context; /* for progress */
};

/* Calls `tell` for each wait as soon as it is known. Reads the records once. Memory grows with the number of lanes and
 * of messages in flight. Returns PITH_ERR_DAMAGED if some records could not be read (the others were used),
 * PITH_ERR_STOPPED if `progress` stopped the work. */
PITHLOG_API int pithlog_waits(struct pithlog *log, const struct pithlog_waits_query *query,
                              void (*tell)(void *context, const struct pithlog_wait *wait), void *context);

/* ---- Analysis ---------------------------------------------------------------------------------------------------- */

/* Wait states of messages and collectives, their causes, the critical path and the efficiencies of a run.
 * formats/analysis/README.md has the definitions; pith-analyze(1) names the papers that they come from. */
struct pithlog_analysis;

struct pithlog_analyze_query {
    /* The window. from_ns INT64_MIN: from the last end of MPI_Init, or from the log's start if there is none. to_ns
     * INT64_MAX: to the last begin of MPI_Finalize, or to the log's end if there is none. */
    int64_t from_ns, to_ns;
    int (*progress)(void *context, double part); /* as in struct pithlog_waits_query */
    void *context;                               /* for `progress` */
};

#define PITHLOG_COMPUTING UINT32_MAX /* the state of a lane outside all states */

/* A call of `lane` that could not go on before `cause_lane` had done something. */
struct pithlog_wait_state {
    int64_t from_ns, to_ns;
    /* When the call that was waited for began. to_ns is the same moment, or the end of the waiting call if that is
     * earlier. */
    int64_t release_ns;
    double handed_ns;     /* waiting time of other lanes that this wait state caused */
    uint32_t kind;        /* enum pithlog_wait_kind */
    uint32_t lane, state; /* state: the MPI function */
    uint32_t cause_lane;
    uint32_t order; /* enum pithlog_wait_order */
};

/* The order of a late sender is wrong if, before the wait state ended, another message to the lane was sent that only a
 * later call receives, and if the lane computes for at least 100 us between the waiting call and that later call. If
 * the lane received that other message first, it could compute instead of waiting. */
enum pithlog_wait_order { PITHLOG_IN_ORDER, PITHLOG_WRONG_ORDER_SAME_SOURCE, PITHLOG_WRONG_ORDER_OTHER_SOURCE };

/* Waiting time that `lane` caused because it spent more time in `state` than the lanes that waited for it. The sum of
 * all delays is the sum of all wait states. */
struct pithlog_delay {
    uint32_t lane, state; /* PITHLOG_COMPUTING: outside all states */
    uint32_t kind;        /* kind of the wait states that it caused: enum pithlog_wait_kind */
    /* direct: waiting of lanes that waited for `lane` itself; indirect: waiting of lanes that waited for those
     * lanes. */
    double direct_ns, indirect_ns;
};

/* A part of the critical path, which is on exactly one lane at each moment. */
struct pithlog_path_part {
    uint32_t lane; /* the lane on which the run depended in this interval */
    int64_t from_ns, to_ns;
};

/* Time of the critical path by lane and state. */
struct pithlog_path_share {
    uint32_t lane, state; /* state: PITHLOG_COMPUTING outside all states */
    int64_t ns;
};

struct pithlog_analysis_info {
    /* from_ns, to_ns: the analyzed window, which has no hole. gap_from_ns, gap_to_ns: the earliest hole. */
    int64_t from_ns, to_ns, gap_from_ns, gap_to_ns;
    int has_init, has_finalize, has_mpi, is_too_short; /* is_too_short: because of holes, part < 0.01 */
    uint32_t lanes, gaps, gap_lane;                    /* lanes with MPI calls; holes; lane of the earliest hole */
    uint32_t unread, lost_comms;                /* ranks without readable records; communicators without members */
    int64_t useful_ns, most_useful_ns, wait_ns; /* pithlog_analysis_useful_ns: sum, largest; sum of all wait states */
    double ideal_ns, part; /* run time if transfers took no time; analyzed fraction of the window asked for */
    /* Efficiencies from 0 to 1: parallel = load_balance * communication, communication = serialisation * transfer. */
    double parallel, load_balance, communication, serialisation, transfer;
    uint64_t sends, recvs, collectives, given_up; /* given_up: dependencies that contradict the times */
};

/* Reads the log once. Returns PITH_ERR_DAMAGED if the analysis is only of the longest interval without damage, or if
 * members of communicators are unknown (lost_comms). After other errors, there is no analysis. Only one thread at a
 * time may use an analysis. The log must stay open as long as the analysis. */
PITHLOG_API int pithlog_analyze(struct pithlog *log, const struct pithlog_analyze_query *query,
                                struct pithlog_analysis **analysis);
PITHLOG_API void pithlog_analysis_free(struct pithlog_analysis *analysis);
PITHLOG_API const struct pithlog_analysis_info *pithlog_analysis_get_info(const struct pithlog_analysis *analysis);
/* The next four functions set a pointer to an array, which is valid until pithlog_analysis_free, and return its number
 * of items. */
PITHLOG_API size_t pithlog_analysis_waits(const struct pithlog_analysis *analysis, uint32_t lane,
                                          const struct pithlog_wait_state **waits); /* by time */
PITHLOG_API size_t pithlog_analysis_delays(const struct pithlog_analysis *analysis,
                                           const struct pithlog_delay **delays); /* largest first */
PITHLOG_API size_t pithlog_analysis_path(const struct pithlog_analysis *analysis,
                                         const struct pithlog_path_part **parts); /* by time, each begins where the one
                                                                                     before ends */
PITHLOG_API size_t pithlog_analysis_path_shares(const struct pithlog_analysis *analysis,
                                                const struct pithlog_path_share **shares); /* largest first */
/* Returns the time of a lane in a state within the window, without wait states. Each moment counts for one state:
 * inside MPI for the outermost MPI call, else for the innermost state. */
PITHLOG_API int64_t pithlog_analysis_state_ns(const struct pithlog_analysis *analysis, uint32_t lane, uint32_t state);
/* pithlog_analysis_is_call returns 1 if the state is an MPI function; pithlog_analysis_calls_mpi, if the lane has MPI
 * calls; else both return 0. */
PITHLOG_API int pithlog_analysis_is_call(const struct pithlog_analysis *analysis, uint32_t state);
PITHLOG_API int pithlog_analysis_calls_mpi(const struct pithlog_analysis *analysis, uint32_t lane);
/* Finds the collective of the call of `lane` that begins at begin_ns: the collective that the call takes part in, or
 * else one that the call completes. Sets begins_ns[lanes of the log] to the times at which the members entered the
 * collective; INT64_MIN for a lane that is no member, or whose time is unknown. Returns 1; 0 if there is no such
 * collective. */
PITHLOG_API int pithlog_analysis_members(struct pithlog_analysis *analysis, uint32_t lane, int64_t begin_ns,
                                         int64_t *begins_ns);
/* Returns the time of a lane outside MPI and outside states named io:*, within the window. */
PITHLOG_API int64_t pithlog_analysis_useful_ns(const struct pithlog_analysis *analysis, uint32_t lane);
/* The calls of one MPI function within the window, summed over all lanes. `sums` below has one for each definition. */
struct pithlog_call_sum {
    uint64_t calls;               /* number of calls */
    int64_t wait_ns, transfer_ns; /* time of the calls in wait states; the rest of their time */
    /* long_calls: the number of calls with an unusually long transfer: more than 1 ms, and more than 20 times the 10th
     * percentile of calls of this function with about the same size. A call is not counted if it may have waited, that
     * is, if the rank that it needs began a call just when it ended. long_ns: the time of these transfers beyond the
     * usual one. */
    uint64_t long_calls;
    int64_t long_ns;
    /* The call with the longest transfer: the length of the transfer, begin and end of the call, its lane. */
    int64_t longest_ns, longest_from_ns, longest_to_ns;
    uint32_t longest_lane;
};
PITHLOG_API int pithlog_analysis_calls(struct pithlog_analysis *analysis, struct pithlog_call_sum *sums);
/* Returns the number of messages that could have been sent together with the message before them. Such a message has at
 * most 1 KiB, goes to the same receiver, and is sent within 100 us of the message before; the sending thread receives
 * nothing in between. Sets *ns to the time of the calls that sent such messages; calls of 1 ms or more are left out. */
PITHLOG_API uint64_t pithlog_analysis_small_messages(const struct pithlog_analysis *analysis, int64_t *ns);
/* Returns the name of an enum pithlog_wait_kind, such as "late sender". */
PITHLOG_API const char *pithlog_wait_kind_name(uint32_t kind);

struct pithlog_iteration {
    int64_t from_ns, to_ns; /* [from, to) */
    uint32_t lane;          /* the lane whose records give these times */
};
/* A slow iteration is all[index]. For the PITHLOG_SLOW_MOST worst ones, the other fields show where it differs most
 * from the median iteration: on `lane` in `state`, without wait states; or, if `kind` is not 0, in wait states of this
 * kind. */
struct pithlog_slow_iteration {
    uint32_t index, lane, state, kind;
    int64_t excess_ns, difference_ns; /* excess: length of the iteration beyond the median */
};
#define PITHLOG_SLOW_MOST 5
struct pithlog_iterations {
    size_t count, slow_count;                  /* iterations; slow ones among them */
    const struct pithlog_iteration *all;       /* users count from 1 */
    const struct pithlog_slow_iteration *slow; /* worst first */
    /* If the caller gave no state: a long call of each iteration, and its lane. If the caller gave a state: this state,
     * and the lane with most instances of it. */
    uint32_t state, lane;
    int64_t median_ns, min_ns, max_ns; /* lengths of iterations */
    double mean_ns, drift_ns;          /* drift: growth per iteration; 0: not significant */
    double drift_first_ns;             /* length of the first iteration on the fitted straight line */
};
/* Finds the iterations of the run. With `state` UINT32_MAX, an iteration is a period of the MPI calls of the lane with
 * most calls. With another `state`, the log is read again, and iteration n is instance n of this state on the lane
 * where this instance takes longest. *iterations is valid until the next call. */
PITHLOG_API int pithlog_analysis_iterations(struct pithlog_analysis *analysis, uint32_t state,
                                            const struct pithlog_iterations **iterations);

/* ---- Following a running program -------------------------------------------------------------------------------- */

/* Reads the records of a program while it runs, from the folder LOG.spill beside the future log (PITH_SPILL in
 * pith(7)). Each look continues where the last one ended, so it reads only new records:
 *
 *     pithlog_follow_open("run.pith.spill", &follow);
 *     do {
 *         pithlog_follow_look(follow);
 *         while (pithlog_follow_next(follow, &r) == 1) ...
 *     } while (!pithlog_follow_get_info(follow)->ended && !nanosleep(&pause, NULL));
 *
 * The program is not affected. Only those processes of the job are followed whose files can be seen on this host. Files
 * that are removed at the end of the run stay readable to the follower until it is closed. */
struct pithlog_follow;

struct pithlog_follow_info {
    uint32_t ranks;              /* of the job; 1 before MPI_Init and without MPI */
    uint32_t processes, running; /* processes seen; those that still run */
    uint32_t lanes, defs, comms;
    int ended;              /* 1: all processes seen have ended, and all their records were delivered */
    int finished;           /* 1: the processes have ended, and the program wrote the log */
    int64_t now_ns;         /* time of the last look, up to which records are delivered */
    int64_t zero_unix_ns;   /* time 0: begin of the first process seen; others may have begun earlier */
    uint64_t records, lost; /* records delivered so far; records that the program lost */
    const char *program;    /* "" if unknown */
    const char *log;        /* name of the future log */
};

/* `path` is a spill file or a folder of spill files. Follows the job of the file, or the newest running job in the
 * folder; if no job is running there, the newest job. */
PITHLOG_API int pithlog_follow_open(const char *path, struct pithlog_follow **follow);
/* Looks for new processes, definitions and records. */
PITHLOG_API int pithlog_follow_look(struct pithlog_follow *follow);
/* Delivers the next record. The records of all lanes of one host come in time order, those of one lane in recorded
 * order. Returns 1; 0 if there are no more until the next look; -1 if there is no memory. `payload` is valid until the
 * next call. The fields of PITHLOG_NEST are 0. */
PITHLOG_API int pithlog_follow_next(struct pithlog_follow *follow, struct pithlog_record *record);
/* Delivers the next message of which pithlog_follow_next has delivered the send and the receive. Returns 1; 0 if there
 * is none. Fetch all messages before the next look, because the look drops those not fetched. */
PITHLOG_API int pithlog_follow_message(struct pithlog_follow *follow, struct pithlog_message *message);
/* Definitions, lanes and communicators are numbered in the order in which they are found, and keep their numbers. The
 * pointers that these functions return are valid until the next look. The rank of a lane is 0 until its process has
 * joined the job. */
PITHLOG_API const struct pithlog_follow_info *pithlog_follow_get_info(const struct pithlog_follow *follow);
PITHLOG_API const struct pithlog_def *pithlog_follow_get_def(const struct pithlog_follow *follow, uint32_t id);
PITHLOG_API const struct pithlog_lane *pithlog_follow_get_lane(const struct pithlog_follow *follow, uint32_t lane);
PITHLOG_API const struct pithlog_comm *pithlog_follow_get_comm(const struct pithlog_follow *follow, uint32_t comm);
/* Returns 1 if the process of the lane still runs, as far as this host can tell; 0 if it has ended or there is no such
 * lane. */
PITHLOG_API int pithlog_follow_is_running(const struct pithlog_follow *follow, uint32_t lane);
PITHLOG_API uint32_t pithlog_follow_def_rgb(const struct pithlog_follow *follow, uint32_t id); /* as pithlog_def_rgb */
PITHLOG_API void pithlog_follow_close(struct pithlog_follow *follow);

/* Formats the payload of an event by its definition's format ("iter=3 val=0.5"). Without a format, text is written in
 * quotes and other bytes as hex. Control characters are escaped. Writes at most `size` bytes, including the final NUL,
 * and returns the length that the whole text needs. */
PITHLOG_API size_t pithlog_payload_text(const struct pithlog *log, const struct pithlog_record *record, char *text,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_H */
