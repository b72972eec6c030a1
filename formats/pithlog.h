/* pithlog.h - read logs: Pith's own and, through it, every format that Pith can read.
 *
 *     struct pithlog *log;
 *     if (pithlog_open("run.pith", &log)) { fprintf(stderr, "%s\n", pithlog_error()); return 1; }
 *     struct pithlog_iter *iter;
 *     struct pithlog_record r;
 *     pithlog_iter_open(log, NULL, &iter);
 *     while (pithlog_iter_next(iter, &r) == 1) ...
 *     pithlog_iter_close(iter);
 *     pithlog_close(log);
 *
 * Functions that can fail return 0 (PITH_OK) or an enum pith_err; pithlog_error() then has the text, one line
 * "FILE: byte N: what is wrong; what to do". Nothing prints, exits or aborts, whatever the file holds.
 * A struct pithlog may be used by several threads at once, each with iterators of its own.
 * Memory: opening reads the front of a log, about 60 bytes a rank; a lane's description is read when it is first asked
 * for (200 bytes); an iterator holds one unpacked block a lane, less of each the more lanes there are. A file that is
 * cut or replaced while it is open gives errors, no more.
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
    PITH_ERR_STOPPED /* by the caller's own wish */
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

/* A time line: one thread of one rank. Lanes are sorted by rank, then thread. */
struct pithlog_lane {
    int32_t rank;
    uint32_t thread;  /* 0 = the thread that recorded first, normally main */
    const char *name; /* given by the program, else "" */
    const char *host;
    int64_t first_ns, last_ns; /* of its records; first > last if it has none */
    uint64_t records;
};

/* A communicator. ids are indices 0 .. count-1; 0 is MPI_COMM_WORLD in every log. */
struct pithlog_comm {
    uint64_t key;
    const char *name;
    int32_t size, remote_size;  /* 0, 0: members unknown */
    const int32_t *world_ranks; /* [size], then the remote group's [remote_size] */
};

struct pithlog_info {
    const char *format; /* "native", "alog", "clog2" ... */
    uint32_t version;   /* of the native format; 0 for others */
    int complete;       /* 0: something is missing: the file was cut or damaged, or made from such a file */
    uint32_t ranks, lanes, defs, comms;
    uint64_t records;                  /* all */
    uint64_t states, events, messages; /* completed states, solo events, receives */
    uint64_t lost;                     /* records that the program could not store */
    int64_t start_ns, end_ns;          /* first and last record */
    uint64_t bytes;                    /* size of the file, or of all files of the log */
    const char *incomplete;            /* why it is not complete: "byte 9130: the file ends here"; else NULL */
};

PITHLOG_API int pithlog_open(const char *path, struct pithlog **log);
/* The same for who waits for it: logs of other formats are read as a whole, and so is one without its index. `progress`
 * is then called about 20 times a second, in this thread, with the part done from 0 to 1; what is not 0 stops it:
 * PITH_ERR_STOPPED, soon. Of a log that is open at once it is not called. NULL: nobody is told. */
PITHLOG_API int pithlog_open_watched(const char *path, int (*progress)(void *context, double part), void *context,
                                     struct pithlog **log);
PITHLOG_API void pithlog_close(struct pithlog *log);
PITHLOG_API const struct pithlog_info *pithlog_get_info(const struct pithlog *log);
PITHLOG_API const struct pithlog_def *pithlog_get_def(const struct pithlog *log, uint32_t id);     /* NULL: no such */
PITHLOG_API const struct pithlog_lane *pithlog_get_lane(const struct pithlog *log, uint32_t lane); /* NULL: no such */
PITHLOG_API const struct pithlog_comm *pithlog_get_comm(const struct pithlog *log, uint32_t comm); /* NULL: no such */
/* Facts by key ("program", "mpi", "clock", "start_unix_s" ...); index from 0; NULL past the last. */
PITHLOG_API const char *pithlog_get_property(const struct pithlog *log, uint32_t index, const char **value);
/* The colour of a definition as 0xRRGGBB: its own, or one from the palette by its id. */
PITHLOG_API uint32_t pithlog_def_rgb(const struct pithlog *log, uint32_t id);

/* ---- Records ----------------------------------------------------------------------------------------------------- */

enum pithlog_kind {
    PITHLOG_ENTER = 1,
    PITHLOG_LEAVE,
    PITHLOG_EVENT,
    PITHLOG_COUNTER,
    PITHLOG_SEND,
    PITHLOG_RECV,
    PITHLOG_COLL,
    PITHLOG_COMM_CREATE,
    PITHLOG_COMM_FREE,
    PITHLOG_PAUSE,
    PITHLOG_RESUME,
    PITHLOG_LOST
};

/* One record. Fields that a kind does not use are 0, but peer: -1. */
struct pithlog_record {
    int64_t time_ns; /* from the log's start */
    uint32_t lane;
    uint32_t kind;  /* enum pithlog_kind */
    uint32_t id;    /* ENTER LEAVE EVENT COUNTER: definition */
    uint32_t comm;  /* SEND RECV COLL COMM_*: communicator; ENTER LEAVE EVENT: that which it was said to be on */
    int32_t peer;   /* SEND RECV: world rank of the partner; COLL: of the root, -1 none. RECV with -1: a receive that
                        was posted but got no message; kept so that the order numbers have no gap */
    int32_t tag;    /* SEND RECV */
    uint64_t bytes; /* SEND RECV: size; COLL: bytes given; LOST: how many records */
    uint64_t got_bytes;  /* COLL: bytes received */
    uint64_t posted;     /* RECV: order of posting among the receives of its rank, from 0, dense */
    double value;        /* COUNTER */
    const void *payload; /* EVENT; valid until the next call on the iterator */
    uint32_t payload_bytes;
    /* Made by the iterator when asked for (PITHLOG_NEST): */
    uint32_t depth;    /* ENTER LEAVE: states open around this one on its lane */
    int64_t start_ns;  /* LEAVE: when its state began */
    int64_t nested_ns; /* LEAVE: of that, spent in states directly inside */
};

/* ---- Iterating --------------------------------------------------------------------------------------------------- */

enum {
    /* Pair every LEAVE with its ENTER: the innermost open state of that id on the lane. States between that are left
     * open (not nested properly) stay open. A LEAVE without ENTER is delivered with start_ns = time_ns and
     * depth = UINT32_MAX. */
    PITHLOG_NEST = 1,
    /* With NEST: states open at `from_ns` come first as ENTER records with their true times, outermost first; states
     * open at `to_ns` come last as LEAVE records with time_ns = to_ns (the log's end, if that is earlier), so that
     * every state in the window is seen as a LEAVE with start_ns. Lane by lane, before and after all others. Implies
     * NEST. */
    PITHLOG_CLIP = 2
};

struct pithlog_query {
    int64_t from_ns, to_ns; /* inclusive; INT64_MIN, INT64_MAX: all */
    const uint32_t *lanes;  /* NULL: all */
    uint32_t lane_count;
    uint32_t kinds; /* mask of 1 << kind; 0: all */
    uint32_t flags; /* PITHLOG_NEST ... */
};

struct pithlog_iter;

/* Records in time order over all lanes asked for; ties in the order of lanes; on one lane as recorded.
 * `query` NULL: everything, no flags. Seeking costs a block per lane. */
PITHLOG_API int pithlog_iter_open(struct pithlog *log, const struct pithlog_query *query, struct pithlog_iter **iter);
PITHLOG_API int pithlog_iter_next(struct pithlog_iter *iter, struct pithlog_record *record); /* 1, 0 at end, -1 error */
/* The same for up to `count` (> 0) records at once, which costs less: how many, 0 at the end, -1 error. It may be fewer
 * than asked for at any place; no more than one block of a lane is read for it. Payloads of all of them are valid until
 * the next call on the iterator. */
PITHLOG_API int pithlog_iter_next_many(struct pithlog_iter *iter, struct pithlog_record *records, int count);
/* After -1, a damaged part of one lane, it may be called again: it goes on behind that part. */
PITHLOG_API void pithlog_iter_close(struct pithlog_iter *iter);

/* ---- Summaries --------------------------------------------------------------------------------------------------- */

/* A stack of open states: path 0 is the empty one, path p is `state` inside path `parent` < p. Numbers are a lane's
 * own. */
struct pithlog_path {
    uint32_t parent;
    uint32_t state; /* definition; UINT32_MAX for path 0 */
};

/* What filled most of a stretch of a lane's time: up to three paths, and the share of each in 255ths, falling; a share
 * of 0 ends the list, what is missing to 255 is other paths'. And the solo events in it: how many (255: or more), and
 * the first one's definition (65535: that, or a higher one). */
enum { PITHLOG_PIECE_PATHS = 3 };
struct pithlog_piece {
    int64_t start_ns, end_ns;
    uint16_t path[PITHLOG_PIECE_PATHS];
    uint8_t share[PITHLOG_PIECE_PATHS];
    uint8_t events;
    uint16_t event;
};

/* Lanes at a coarser grain than records, so that a picture of any log costs what its pixels do. A log that has no
 * summary of a lane gets one the first time it is asked for, by reading that lane (into a temporary file). A lane of
 * more than 32768 different states and events cannot have one (PITH_ERR_MEMORY; sums are told all the same). For one
 * thread at a time. */
struct pithlog_summary;
PITHLOG_API int pithlog_summary_open(struct pithlog *log, struct pithlog_summary **summary);
PITHLOG_API void pithlog_summary_close(struct pithlog_summary *summary);

/* The paths of a lane; valid until another lane is asked for. NULL: it cannot be read. */
PITHLOG_API const struct pithlog_path *pithlog_summary_paths(struct pithlog_summary *summary, uint32_t lane,
                                                             uint32_t *count);
/* Tells the pieces of `lane` that reach into [from_ns, to_ns), in order of time and without gaps, as large ones as are
 * not longer than `length_ns`; where even the smallest (512 records) are longer, those. */
PITHLOG_API int pithlog_summary_pieces(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                       int64_t length_ns,
                                       void (*tell)(void *context, const struct pithlog_piece *piece), void *context);

/* What is in [from_ns, to_ns) of a lane, exactly: adds to sums[defs]. Reads the records of the ends that are not whole
 * pieces of 32768 records. */
struct pithlog_sum {
    uint64_t count; /* instances of the state that reach into the window, or events */
    int64_t own_ns; /* a state's time as the innermost one */
    int64_t all_ns; /* its time open, once where it is open inside itself */
};
PITHLOG_API int pithlog_summary_sums(struct pithlog_summary *summary, uint32_t lane, int64_t from_ns, int64_t to_ns,
                                     struct pithlog_sum *sums);

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

struct pithlog_message {
    uint32_t send_lane, recv_lane;
    int64_t send_ns, recv_ns;
    int32_t tag;
    uint32_t comm;
    uint64_t bytes;
};

/* Matched messages of the whole log: per communicator, sender, receiver and tag the sends in order of time against the
 * receives in order of posting. They come in the order in which their match is known. Memory grows with the messages
 * under way at once. */
struct pithlog_matcher;
PITHLOG_API int pithlog_matcher_open(struct pithlog *log, struct pithlog_matcher **matcher);
PITHLOG_API int pithlog_matcher_next(struct pithlog_matcher *matcher, struct pithlog_message *message); /* 1, 0, -1 */
/* After the end: sends and receives left without a partner. */
PITHLOG_API void pithlog_matcher_unmatched(const struct pithlog_matcher *matcher, uint64_t *sends, uint64_t *recvs);
PITHLOG_API void pithlog_matcher_close(struct pithlog_matcher *matcher);

/* How far the times of two lanes may be wrong against each other, in ns: 0 on one machine; between two the errors of
 * their clocks as they were compared when it was recorded (half a round trip each); -1: not known. What a clock did
 * between two comparisons is not in it. */
PITHLOG_API int64_t pithlog_clock_error(const struct pithlog *log, uint32_t lane, uint32_t other);

/* What recording cost the program itself, in ns a record, as it was measured at the end of the run on the machine of
 * that lane; 0: not known. `kind`: enum pithlog_kind up to PITHLOG_COLL; or PITHLOG_OWN_CALL: what a wrapper of an MPI
 * call spends beside its records. `pith compensate` takes it out. */
enum { PITHLOG_OWN_CALL = 0, PITHLOG_OWN_COSTS = PITHLOG_COLL + 1 };
PITHLOG_API double pithlog_own_cost_ns(const struct pithlog *log, uint32_t lane, uint32_t kind);

/* ---- Digests ----------------------------------------------------------------------------------------------------- */

/* Messages and counters by windows of time, without reading records: what pictures ask for again and again. The first
 * time that a log is asked for its digest it is read, all its messages and values of counters: some seconds for 1e8
 * records; what comes of it is kept in ${XDG_CACHE_HOME:-~/.cache}/pith for later (if the log is large and the folder
 * can be written), and found there by the log's content. That folder has 1 GB at most, and may be emptied at any time.
 *
 *     struct pithlog_digest *digest;
 *     pithlog_digest_open(log, NULL, NULL, &digest);
 *     pithlog_digest_messages(digest, &window, messages, 2000, &count, &total);
 *     pithlog_digest_close(digest);
 *
 * Memory: 80 bytes a thousand messages, 56 bytes 512 values of counters, some megabytes while it is made. Any number of
 * threads may ask one at once. */
struct pithlog_digest;

struct pithlog_digest_info {
    uint64_t messages, sends_left, recvs_left; /* matched; without a partner */
    uint32_t series;                           /* (lane, counter) with values */
    uint64_t values;
};

/* `progress` (may be NULL) is called some times a second, with the part done from 0 to 1; what is not 0 stops the work:
 * PITH_ERR_STOPPED. PITH_ERR_DAMAGED: some records could not be read, *digest has the others; after all other errors it
 * is NULL. */
PITHLOG_API int pithlog_digest_open(struct pithlog *log, int (*progress)(void *context, double part), void *context,
                                    struct pithlog_digest **digest);
PITHLOG_API void pithlog_digest_close(struct pithlog_digest *digest);
PITHLOG_API const struct pithlog_digest_info *pithlog_digest_get_info(const struct pithlog_digest *digest);

/* The messages that reach into [from_ns, to_ns), from one lane to another of those given. */
struct pithlog_digest_window {
    int64_t from_ns, to_ns;
    const unsigned char *lanes; /* [lanes of the log], not 0: both ends are on such; NULL: all */
};

/* Those that take longest: *count of them, `most` at most, into messages[most], by the earlier of their times; *total:
 * how many there are, exactly. Cost: some milliseconds, whatever the log, where all lanes are asked for.
 * PITH_ERR_DAMAGED, also below: the kept digest is damaged, and was removed; opened again it is made anew. */
PITHLOG_API int pithlog_digest_messages(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                        struct pithlog_message *messages, uint32_t most, uint32_t *count,
                                        uint64_t *total);

/* Tells messages that stand for all: each of them, or when more than `most` would have to be read, an even choice: one
 * of *weight, a power of 8. */
PITHLOG_API int pithlog_digest_sample(const struct pithlog_digest *digest, const struct pithlog_digest_window *window,
                                      uint64_t most, void (*tell)(void *context, const struct pithlog_message *message),
                                      void *context, double *weight);

/* A counter on a lane; index from 0, by lane, then counter. NULL past the last. Values that are no finite numbers are
 * left out. */
struct pithlog_series {
    uint32_t lane, counter; /* counter: definition */
    uint64_t count;
    double low, high; /* of all its values */
};
PITHLOG_API const struct pithlog_series *pithlog_digest_series(const struct pithlog_digest *digest, uint32_t index);

/* What a series was in each of `count` columns of [from_ns, to_ns), column c from from_ns + span * c / count on: the
 * least and the greatest of the value at its start and those given inside, and the one at its end. */
struct pithlog_column {
    double low, high, last;
    int known; /* 0: no value was given yet */
};
PITHLOG_API int pithlog_digest_columns(const struct pithlog_digest *digest, uint32_t series, int64_t from_ns,
                                       int64_t to_ns, struct pithlog_column *columns, uint32_t count);

/* ---- Following a running program -------------------------------------------------------------------------------- */

/* What a program records can be read while it does: from its spill files, in the folder LOG.spill beside the log to be
 * (see PITH_SPILL in pith(7)). pithlog_open of that folder reads a snapshot, all of it; this reads on from where the
 * last look ended, so a look costs what is new:
 *
 *     pithlog_follow_open("run.pith.spill", &follow);
 *     do {
 *         pithlog_follow_look(follow);
 *         while (pithlog_follow_next(follow, &r) == 1) ...
 *         nanosleep ...
 *     } while (!pithlog_follow_get_info(follow)->ended);
 *     pithlog_follow_close(follow);
 *
 * The program does not notice. Of a job on several machines those processes are seen whose files this machine sees.
 * Files stay readable here when they are removed at the end of the run, as long as the follower is open.
 */
struct pithlog_follow;

struct pithlog_follow_info {
    uint32_t ranks;              /* of the job; until it has joined (MPI_Init), and without MPI: 1 */
    uint32_t processes, running; /* seen; of them not yet at their end */
    uint32_t lanes, defs, comms;
    int ended;            /* 1: every process seen is at its end, and all that they recorded was delivered */
    int finished;         /* 1: and its log was written */
    int64_t now_ns;       /* the moment of the last look: what was recorded up to then is delivered */
    int64_t zero_unix_ns; /* time 0: when the first process seen began; others may have begun before */
    uint64_t records, lost;
    const char *program; /* "" if unknown */
    const char *log;     /* the name of the log to be */
};

/* `path`: a folder of spill files (its newest job, one that runs if there is any), or one of the files (its job). */
PITHLOG_API int pithlog_follow_open(const char *path, struct pithlog_follow **follow);
/* Looks for new processes, definitions and records. */
PITHLOG_API int pithlog_follow_look(struct pithlog_follow *follow);
/* The next record: in order of time over all lanes as far as one machine goes, on one lane as recorded. 1; 0: no more
 * until the next look; -1: no memory. `payload` is valid until the next call. The made fields are 0. */
PITHLOG_API int pithlog_follow_next(struct pithlog_follow *follow, struct pithlog_record *record);
/* The next message that is complete with what pithlog_follow_next has given: 1 or 0. Those not asked for before the
 * next look are forgotten. */
PITHLOG_API int pithlog_follow_message(struct pithlog_follow *follow, struct pithlog_message *message);
/* Ids and lanes are given out as things are found, and stay. Pointers are valid until the next look. A lane's rank is
 * 0 until its process has joined the job. */
PITHLOG_API const struct pithlog_follow_info *pithlog_follow_get_info(const struct pithlog_follow *follow);
PITHLOG_API const struct pithlog_def *pithlog_follow_get_def(const struct pithlog_follow *follow, uint32_t id);
PITHLOG_API const struct pithlog_lane *pithlog_follow_get_lane(const struct pithlog_follow *follow, uint32_t lane);
PITHLOG_API const struct pithlog_comm *pithlog_follow_get_comm(const struct pithlog_follow *follow, uint32_t comm);
PITHLOG_API uint32_t pithlog_follow_def_rgb(const struct pithlog_follow *follow, uint32_t id); /* see above */
PITHLOG_API void pithlog_follow_close(struct pithlog_follow *follow);

/* The payload of an event as text by its definition's format ("iter=3 val=0.5"); without a format as text in quotes, if
 * that is what it is, else as hex. Control characters are escaped. Writes at most `size` bytes with the final NUL and
 * returns the length needed. */
PITHLOG_API size_t pithlog_payload_text(const struct pithlog *log, const struct pithlog_record *record, char *text,
                                        size_t size);

#ifdef __cplusplus
}
#endif
#endif /* PITHLOG_H */
