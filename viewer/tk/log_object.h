/* log_object.h - an open log as a Tcl command. `pithtk::open FILE` creates the command and returns its name. The table
 * in log_object.c has all methods and their arguments; most of them are described below.
 *
 * Times are nanoseconds (wide integers), rows are indexes into the list of visible rows, lengths in a picture are
 * pixels. A state, event or message is a dict; a method that finds nothing returns {}. */
#ifndef PITHI_LOG_OBJECT_H
#define PITHI_LOG_OBJECT_H

#include "tk/tcl_kinds.h"
#include <tk.h>

#include "core/cells/cell_cache.h"
#include "core/scene/waiting.h"
#include "core/cells/helper.h"
#include "core/scene/hit.h"
#include "core/scene/plot.h"
#include "core/raster/raster.h"
#include "core/rows/rows.h"

struct pithi_log_object {
    struct pithlog *log;
    struct pithlog_digest *digest;         /* NULL until the digest job is done */
    struct pithlog_digest *picked;         /* the messages that are drawn; NULL: all messages of `digest` */
    struct pithlog_summary *summary;       /* NULL if the log is small */
    struct pithlog_summary *spare_summary; /* a second summary for jobs: a job that ends leaves it for the next job;
                                            * NULL: none yet */
    char *path;
    uint32_t *rgb;                /* [defs] the colour of each definition */
    unsigned char *hidden;        /* [defs] 1: the definition is not drawn */
    struct pithi_rows *tree;      /* all rows (core/rows/rows.h) */
    const struct pithi_row *rows; /* [row_count] the visible rows, owned by the tree */
    uint32_t row_count;
    struct pithi_row *scrolled;                  /* the array that pithi_log_rows_from made last */
    struct pithi_cell_cache *cell_cache;         /* the cells of `plot`; NULL until the first picture */
    struct pithi_helper *helper;                 /* the second painting thread; NULL: none */
    struct pithlog_analysis *analysis;           /* NULL until the job of `analyze` is done */
    const struct pithlog_iterations *iterations; /* iterations of the analysis; NULL: none yet */
    struct pithi_log_findings *findings;         /* owned by log_waiting.c; NULL: not used yet */
    int64_t clock_ns;            /* local time of day at time 0; 0: the axis shows times from the start of the log */
    int hides_names;             /* 1: no names in bars */
    int shows_waits, shows_path; /* 1: wait states, or the critical path, are drawn once the log is analyzed */
    struct pithi_notes notes;    /* drawn into the picture */
    struct pithi_interruptions interruptions; /* read with the first picture */
    struct pithi_flames *flames;              /* the functions of samples; NULL until `flames FILE` is called */
    struct pithi_core_waits *core_waits;      /* NULL until the job of `corewaits` is done */
    int shows_core_waits;                     /* 1: the time without a core is drawn once core_waits is set */
    struct pithi_groups groups;               /* the rows of `plot`, if they are too low to be drawn singly */
    struct pithi_plot plot;                   /* the last picture, with copies of its input */
    uint32_t *words;                          /* pixels of a picture that becomes a photo */
    uint32_t word_capacity;
    struct pithi_log_ranges *ranges; /* owned by log_ranges.c; NULL: not used yet */
    Tcl_Command command;
};

/* Creates the command of an open log and returns its name. The command owns the log and the digest (NULL: not read
 * yet). */
Tcl_Obj *pithi_log_command(Tcl_Interp *interp, struct pithlog *log, struct pithlog_digest *digest, const char *path);

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

/* objv[0] and objv[1] are the log and the method. The number of arguments was checked by the table of methods. A method
 * with the argument CALLBACK starts a job (background.h); "result" below is then the result of the job. */
typedef int pithi_log_method(struct pithi_log_object *object, Tcl_Interp *interp, int objc, Tcl_Obj *const objv[]);

/* log_open.c
 * digest CALLBACK              reads the digest and stores it in the log object */
pithi_log_method pithi_log_digest;

/* log_search.c
 * pick WORDS CALLBACK          draws only the messages that the filter WORDS selects (core/measure/messages.h); the
 *                              result is the number of these messages. If WORDS is {}, all messages are drawn, without
 *                              a job. If CALLBACK is {}, WORDS is only checked */
pithi_log_method pithi_log_pick;

/* log_colours.c
 * colour ID #rrggbb            sets the colour of a definition
 * palette NAME                 sets all colours, and returns them by id */
pithi_log_method pithi_log_colour, pithi_log_palette;

/* log_draw.c: pictures, and the record behind a pixel. `refine` draws the last picture again if it can be more exact.
 */
pithi_log_method pithi_log_draw, pithi_log_refine, pithi_log_overview;
pithi_log_method pithi_log_state_at, pithi_log_event_at, pithi_log_arrow_at;

/* log_hit.c
 * bundleat X Y                 the bundle of messages at a pixel of the last picture: from and to (the rows, as text),
 *                              count, bytes, mean (ns), about (1: count, bytes and mean are estimates), longest (a
 *                              message as arrowat gives it), line {x0 y0 x1 y1}, start, end
 * groupat ROW Y FROM TO        the lanes of a row that shows several lanes: place, lanes, auto (1: grouped because the
 *                              rows are low), asked (number of lanes that were read), mix {NAME SHARE ...}
 * parent RANK THREAD ID START DEPTH    the enclosing state, as stateat gives it
 * stateof RANK THREAD TIME     the innermost state of a lane at a time, even if the lane is not visible
 * messageof RANK THREAD TIME PEER TAG  the message that was sent at a time, as arrowat gives it but without its line;
 *                              {} if there is none, or the digest is not read yet
 * callof RANK THREAD ID START END  the messages and the collective of a state, a dict. messages: a list of at most 64
 *                              messages, as arrowat gives them but without their lines, and with the key sent (1: the
 *                              call sent the message, 0: it received it). total: the number of all messages. For a
 *                              collective also comm, size, root, bytes, got. If the log is analyzed, also members (the
 *                              number of members), first and last (the members that began first and last; each a dict
 *                              of rank, thread, start)
 * counterat ROW FROM TO        the values of a counter: name, unit, low, high, last ...
 * interruptionat ROW TIME REACH  why a row has no records at a time: what (pause, lost, missing), lost, start, end ...
 */
pithi_log_method pithi_log_bundle_at, pithi_log_group_at;
pithi_log_method pithi_log_parent, pithi_log_state_of, pithi_log_message_of, pithi_log_call_of, pithi_log_counter_at;
pithi_log_method pithi_log_interruption_at;

/* log_waiting.c
 * analyze STATE CALLBACK       finds wait states, the critical path and iterations, and stores them in the log object.
 *                              Iterations are the instances of the state with the id STATE; if STATE is -1, they are
 *                              found by the MPI calls. The result is the damage of the log as text, or ""
 * showwaiting WAITS PATH       WAITS 1: `draw` shows wait states; PATH 1: it shows the critical path
 * waitof RANK THREAD ID FROM TO  the longest wait state in the calls of the state ID between FROM and TO: kind (as
 *                              text), start, end, rank and thread of the cause, release, handed (ns of later waiting
 *                              that it causes); {} if the calls did not wait, or the log is not analyzed */
pithi_log_method pithi_log_analyze, pithi_log_show_waiting, pithi_log_wait_of;
/* findings                     what makes the run slow (pithlog_findings.h): a list with a dict for each finding: name,
 *                              text, ns, share, waits (1: the finding is about wait states), part_of (index of the
 *                              finding whose time includes the time of this one; -1: none), and, if known, the state,
 *                              rank and thread with most of the cost
 * finding NUMBER NTH           a place of the finding with the index NUMBER: rank, thread and, if known, start. If the
 *                              finding is about wait states, it is the place of the NTH longest one (from 0). For other
 *                              findings NTH is 0, and it is the place of the longest instance on the lane with most of
 *                              the cost. {}: there is no such place */
/* efficiencies                 for an analyzed log with MPI calls, the tree of pithlog_findings.h: a list with a dict
 *                              for each efficiency: name, meaning, depth, value, place. A place is a dict of rank,
 *                              thread and start, as for a finding; for `parallel`, of start and end of the analyzed
 *                              time. {}: the log has no MPI calls, or is not analyzed
 * answer                       what costs most, a dict: text; if the cost has a place in time, start and end of a view
 *                              around this place; if the place is on one lane, rank and thread. {}: the log is not
 *                              analyzed
 * missing                      lines that say which records are missing (pithlog_findings.h); {}: none is missing, or
 *                              the log is not analyzed */
pithi_log_method pithi_log_findings, pithi_log_finding, pithi_log_efficiencies, pithi_log_missing, pithi_log_answer;
void pithi_log_findings_free(struct pithi_log_object *object);

/* log_flames.c: functions in which the samples of a log were taken (core/scene/flames.h)
 * flames                       returns 2 if `flames FILE` has given the log its functions; 1 if the log has samples or
 *                              call sites, so that `flames FILE` is possible; 0 if the log has neither
 * flames FILE                  takes the functions of the samples from FILE, which `pith stat --flame` has made, and
 *                              gives unfolded lanes a row for each depth of the functions
 * flamerow RANK THREAD DEPTH   the row of the functions at a depth, from 1; -1: not visible
 * siteof RANK THREAD ID START END  the line of the program that made the call of the state ID from START to END: "in
 *                              main (mesh.cc:212)"; {}: unknown
 * coreat ROW TIME              for a time outside all states of the row's lane, a dict about the interval between the
 *                              states: rank, thread, start, end; name and place of the function with most samples in
 *                              this interval; samples (number of samples in this function), all (number of all samples
 *                              in the interval); {}: the lane is in a state, or there are no samples
 * functionsums T0 T1 CALLBACK  result: a dict with the samples in the lanes of the visible rows: number of a function
 *                              -> a dict of name, colour, own (number of samples in the function itself) and total
 *                              (number of samples with the function on the stack) */
pithi_log_method pithi_log_flames, pithi_log_flame_row, pithi_log_site_of, pithi_log_core_at, pithi_log_function_sums;

/* log_waiting.c: time in which threads had no core (core/scene/waiting.h)
 * corewaits                    returns 1 if the log has a counter of the times in which threads had no core, else 0
 * corewaits CALLBACK           reads these times and stores them in the log object. Result: the damage of the log as
 *                              text, or ""
 * showcorewaits ON             ON 1: `draw` hatches these times; 0: it does not
 * corewaitof RANK THREAD FROM TO  the ns between FROM and TO in which a thread had no core; {}: the times are not read
 */
pithi_log_method pithi_log_core_waits, pithi_log_show_core_waits, pithi_log_core_wait_of;
const struct pithi_core_waits *pithi_log_core_waits_shown(const struct pithi_log_object *object); /* NULL: hidden */

/* log_notes.c: notes (core/scene/notes.h), each a dict of time, rank, thread and text
 * notes                        the notes that are stored in the log's file of notes
 * setnotes LIST                replaces the notes that are drawn; returns them, sorted by time
 * savenotes                    writes the notes to the file
 * noteat X Y                   the index of the note whose flag is at a pixel of the last picture; -1: none */
pithi_log_method pithi_log_notes, pithi_log_set_notes, pithi_log_save_notes, pithi_log_note_at;

/* log_iterations.c
 * iterations                   a dict: count (0 if the log is not analyzed); if count is not 0, also state (name),
 *                              median and longest (ns), all (indices, by time), slow (indices, slowest first)
 * iteration INDEX              start, end, label ("12  4.1 ms"), reason (why it is slow), slow (1: it is)
 * iterationmarks T0 T1 WIDTH   {FIRST LAST X0 X1 SLOW} for each mark of a time axis: the iterations FIRST to LAST lie
 *                              between X0 and X1; SLOW 1: one of them is slow
 * iterationsdraw PHOTO INDICES WIDTH HEIGHT GAP  draws the visible rows of each iteration as a band of this height */
pithi_log_method pithi_log_iterations, pithi_log_iteration, pithi_log_iteration_marks, pithi_log_iterations_draw;

/* log_rows.c
 * rows WORD ?arg ...?          reads or changes the tree of rows; the words are in the table of log_rows.c
 * sort ...                     sorts the rows by sums over an interval: see log_rows.c
 * alike ...                    groups ranks that behave alike: see log_rows.c */
pithi_log_method pithi_log_rows, pithi_log_sort, pithi_log_alike;

/* log_ranges.c: mountain ranges (core/measure/ranges.h)
 * rangesload T0 T1 WIDTH DEPTH counts for each column how many lanes of the visible rows are in which state; DEPTH:
 *                              the innermost or the outermost state counts. A dict: lanes, rough (1: the counts are not
 *                              exact), more (1: call `rangesmore` until it returns 0)
 * rangesexact CALLBACK         makes exact counts from all records. The result is 1 if the counts are now used, 0 if
 *                              other ranges were loaded meanwhile
 * rangesdraw PHOTO HEIGHT SMOOTH ORDER CHOSEN   ORDER: states from the bottom up; CHOSEN: states to draw, {}: all;
 *                              returns the lanes between two marks of the scale
 * rangesat X Y                 a dict: state (-1: none) at a pixel; lanes; values: the id of each state in this column
 *                              and its number of lanes
 * rangestimes                  the id of each state and its total time in [T0, T1) */
pithi_log_method pithi_log_ranges_load, pithi_log_ranges_more, pithi_log_ranges_exact;
pithi_log_method pithi_log_ranges_draw, pithi_log_ranges_at, pithi_log_ranges_times;
void pithi_log_ranges_free(struct pithi_log_object *object);

/* log_search.c. WHAT is a dict that says which records are searched. Each key is optional: kinds {state event message},
 * ids {0 4}, ranks 0-3,7.1, min and max (duration of a state), payload TEXT, bytes N (least size of a message), tag N;
 * or query QUERY, which can only be combined with kinds, ids and ranks.
 *
 * find next|previous WHAT {TIME LANE TIE} CALLBACK   searches from this position, which log_search.c explains. Result:
 *                              kind, at (the position for the next call), name, id, rank, thread, start, end, ended ...
 * count WHAT COLUMNS CALLBACK  result: the number of hits, then for each column of the log 1 if it has hits */
pithi_log_method pithi_log_find, pithi_log_count;

/* log_sums.c
 * sums T0 T1, sumsjob T0 T1 CALLBACK   two elements: a list of dicts, one for each state (id count inclusive exclusive
 *                              share); a dict of the time outside all states (exclusive share), empty if there is none
 * messages T0 T1               number of drawn messages that are in transit in [T0, T1)
 * waitingjob T0 T1 CALLBACK    for an analyzed log, a dict: id of a state -> a dict of waiting and caused, the ns that
 *                              the state waited, and made others wait, in the visible rows, as in an analysis of this
 *                              interval alone. The key `computing` has the sums of computing
 * counters T0 T1               for each counter its id and a dict: count (number of values in the whole log); low and
 *                              high in [T0, T1), if known */
pithi_log_method pithi_log_sums, pithi_log_sums_job, pithi_log_waiting_job, pithi_log_messages, pithi_log_counters;

/* log_lengths.c
 * lengths STATE T0 T1 ROWS OVER CALLBACK      collects the durations of the instances of a state in [T0, T1). STATE
 * is an id, `messages` (transfer times) or `sizes` (of messages). ROWS is `shown` or `all`. OVER is `time` or `ranks`
 * if the result is to draw a map over time or ranks (log_lengths.c), else `none`. The result is a command, which the
 * caller deletes with `rename NAME {}`:
 *     NAME spread LOW HIGH          dict of count total min max mean median p95 deviation, for LOW <= duration <= HIGH
 *     NAME bins LOW HIGH HOW COUNT  for each bin: from to count total; HOW is linear or log
 *     NAME nth LOW HIGH NUMBER      the NUMBER-th longest instance (from 0): rank thread start end, or a message
 *     NAME range                    shortest and longest duration, and 1 if every instance is stored (lengths.h) */
pithi_log_method pithi_log_lengths;

/* log_interval.c
 * interval T0 T1 CALLBACK      the states and events of the visible rows in an interval. The result is a command, which
 * the caller deletes like that of `lengths`:
 *     NAME lanes        number of lanes of all rows
 *     NAME all          list of {id count inclusive exclusive}
 *     NAME row NUMBER   number of lanes of a row, then {id count inclusive exclusive} of each definition in the row
 *     NAME rows ID      list of {row lanes count inclusive exclusive} of each row that has sums
 * traffic T0 T1 CALLBACK       messages of the visible rows: sent sent_bytes received received_bytes */
pithi_log_method pithi_log_interval, pithi_log_traffic;

/* log_ranges.c: derived rows (core/measure/derived.h)
 * derivecheck FORMULA          an error names the character of the formula that is wrong
 * derive FORMULA T0 T1 WIDTH LINES CALLBACK     computes the formula for the visible rows, in at most LINES lines (a
 * line may have several rows). The result is a command, which the caller deletes like that of `lengths`:
 *     NAME info         dict: lines, rows, low, high
 *     NAME draw PHOTO HEIGHT
 *     NAME at LINE X    the value at a column, {}: none; LINE -1: all rows together
 *     NAME row LINE     the first and last row of a line, as numbers of visible rows
 *     NAME line LINE    list of the values of all columns */
pithi_log_method pithi_log_derive, pithi_log_derive_check;

/* log_matrix.c
 * comms                        names of the communicators, by number
 * matrix T0 T1 COMM LATE CALLBACK      sums of the messages of each pair of ranks. COMM is the number of a communicator
 * or `all`. If LATE is 1, includes wait states (pithlog_waits). The result is a command, which the caller deletes like
 * that of `lengths`:
 *     NAME draw PHOTO VALUE linear|log FROM0 FROM1 TO0 TO1 WIDTH HEIGHT     draws senders FROM0 to FROM1 - 1 and
 *                       receivers, by index in `ranks`; VALUE: count bytes time bandwidth late_sender
 *                       late_receiver waiting (of an analyzed log, if COMM is `all`). Returns a dict: columns and
 *                       lines (numbers of tiles), low and high (of the values)
 *     NAME scale PHOTO WIDTH HEIGHT      draws the colours from low to high
 *     NAME at X Y       the tile at a pixel: line column (-1: a total), from from_last to to_last (ranks), all values,
 *                       and `longest`, a message (pithi_put_message)
 *     NAME sides        two lists: the totals of the lines, the totals of the columns
 *     NAME pairs        list of dicts: from to, values, longest
 *     NAME totals       dict of all values, for all messages
 *     NAME ranks        list of the ranks in the order of the matrix
 *     NAME states       list of {id senderCount senderNs receiverCount receiverNs} for states whose calls waited */
pithi_log_method pithi_log_matrix, pithi_log_comms;

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Unfolds (`on`) or folds a node and the rows of its group, as `rows unfold` does. */
void pithi_log_unfold(struct pithi_log_object *object, uint32_t node, int on);
/* Call this after a change of the tree. It updates object->rows and row_count, and drops the last plot. */
void pithi_log_rows_changed(struct pithi_log_object *object);
/* Adds the rows of the digest's counters. */
void pithi_log_add_counters(struct pithi_log_object *object);
/* Returns the rows of a picture that is scrolled by `first` rows: the pinned rows, then the other rows without the
 * first `first` of them. The array is valid until the next call or the next change of rows. */
const struct pithi_row *pithi_log_rows_from(struct pithi_log_object *object, uint32_t first, uint32_t *count);

/* ---- Arguments and results --------------------------------------------------------------------------------------- */

/* Each row of a table of methods begins with this struct. The last row has a NULL name. */
struct pithi_method {
    const char *name;
    int words; /* number of arguments; PITHI_ANY: the method checks the number itself */
    const char *usage;
};
enum { PITHI_ANY = -1 };
/* Finds the table's row for the method objv[at], and checks the number of arguments after it. Returns a Tcl status. */
int pithi_find_method(Tcl_Interp *interp, int objc, Tcl_Obj *const objv[], int at, const void *table, size_t row_size,
                      int *which);

/* Each of these returns a Tcl status. */
int pithi_get_row(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *word, uint32_t *row);
int pithi_get_time(Tcl_Interp *interp, Tcl_Obj *word, int64_t *time_ns);
int pithi_get_times(Tcl_Interp *interp, Tcl_Obj *const words[2], int64_t *first_ns, int64_t *second_ns);
/* Like pithi_get_times, but it is an error if the first time is not less than the second. */
int pithi_get_window(Tcl_Interp *interp, Tcl_Obj *const words[2], int64_t *t0_ns, int64_t *t1_ns);
/* Finds the lane of RANK THREAD. */
int pithi_get_lane(struct pithi_log_object *object, Tcl_Interp *interp, Tcl_Obj *const words[2], uint32_t *lane);
/* Sets flags[id] for each id of a list; ids of no definition are skipped. */
int pithi_get_ids(Tcl_Interp *interp, Tcl_Obj *ids, unsigned char *flags, uint32_t defs);
/* Copies a raster of three bytes per pixel into a photo. */
int pithi_put_photo(Tcl_Interp *interp, const char *name, const struct pithi_raster *raster);
/* Returns TCL_ERROR with an error message and -errorcode {PITH USAGE}. */
int pithi_usage_error(Tcl_Interp *interp, const char *text);
/* Returns TCL_ERROR with the text of pithlog_error() and -errorcode {PITH LOG}. */
int pithi_log_error(Tcl_Interp *interp);

/* Append a key and its value to a dict. pithi_put_name makes a name of a log printable (core/rows/words.h). */
void pithi_put(Tcl_Obj *dict, const char *key, Tcl_Obj *value);
void pithi_put_text(Tcl_Obj *dict, const char *key, const char *value);
void pithi_put_name(Tcl_Obj *dict, const char *key, const char *name);
void pithi_put_wide(Tcl_Obj *dict, const char *key, int64_t value);
/* Returns a list of wide integers. */
Tcl_Obj *pithi_wide_list(const int64_t *values, int count);
/* Appends the keys of a message and their values: from and from_thread (the sender's rank and thread), to and to_thread
 * (the receiver's), start, end, tag, bytes. */
void pithi_put_message(Tcl_Obj *dict, const struct pithlog *log, const struct pithlog_message *message);
/* Returns the dict of a state or event at a pixel, with the keys id, name, rank, thread, start, end. */
Tcl_Obj *pithi_hit_dict(const struct pithlog *log, const struct pithi_hit *hit);
/* Returns the dict of a function at a pixel of a row that shows the functions at `depth`. The keys are name, place,
 * rank, thread, start, end and flame (the depth). There is no key id, because functions are not definitions of the log.
 */
Tcl_Obj *pithi_function_dict(const struct pithi_flames *flames, const struct pithi_hit *hit, uint32_t depth);
/* Returns the dict of a message, with the keys of the dict that the method `arrowat` returns, but without `line`. */
Tcl_Obj *pithi_message_dict(const struct pithlog *log, const struct pithlog_message *message);

#endif
