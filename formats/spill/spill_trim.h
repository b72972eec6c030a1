/* spill_trim.h - completes a lane whose beginning is missing: enters the states open at its first kept moment, and
 * leaves out records outside of a time window.
 *
 * A lane's history is cut where a ring reused chunks, and at the ends of the window (PITH_FROM, PITH_TO). All cuts are
 * handled alike: the states open at the cut are known, so they are entered, outermost first, at the first moment in the
 * log, and left, innermost first, at the last moment if the window ends there.
 *
 *     recorded:  enter main, enter solve | (cut) leave solve, enter write ... | (PITH_TO) leave write, leave main
 *     given:                               enter main, enter solve, leave solve, enter write, leave write, leave main
 *
 * So each LEAVE has its ENTER. A LEAVE that still has none (an error of the program, or states nested too deep to be
 * kept) is left out and counted.
 */
#ifndef PITHI_SPILL_TRIM_H
#define PITHI_SPILL_TRIM_H

#include "native/stack.h"
#include "spill/spill_walk.h"

struct pithi_spill_trim {
    struct pithi_spill_walk *walk;
    int64_t from_ns, to_ns; /* log time */
    int alive_at_end;       /* 1: the process was seen after the window's end */
    uint64_t first_posted;  /* receives are numbered from this one on */
    int (*add)(void *context, const struct pithlog_record *record);
    void *context;             /* for `add` */
    struct pithi_stack before; /* from pithi_spill_before; the caller frees it */
    /* Results. added: records passed on; `told`: sum of the lane's LOST records, including those outside the window;
     * dropped: LEAVEs left out. */
    uint64_t added, told, dropped;
    int64_t last_ns; /* of the last record that was added */
    /* private */
    struct pithi_stack open;
    uint64_t above;    /* number of states that are open inside those in `open` and whose ids are unknown */
    int entered, over; /* 1: open states were entered; 1: the window is over */
    uint32_t cuts;     /* number of cuts so far */
};

/* The window as text, in seconds: "0.5 to 2", "0.5 to end", "0 to 2"; "": there is none. */
void pithi_spill_window_text(const struct pithi_spill_page *page, char *text, size_t size);

/* 1: the lane must be trimmed. */
int pithi_spill_is_cut(const struct pithi_spill *spill, const struct pithi_spill_lane *lane);

/* The lowest order number of the lane's receives in the window; UINT64_MAX: none. */
uint64_t pithi_spill_first_posted(struct pithi_spill_walk *walk, int64_t from_ns, int64_t to_ns);

/* The states begun by numbers (spill_numbers.h) before the lane's first kept record, innermost first. The process that
 * discarded the records did not know that these numbers are states; their ends among the kept records show it. */
int pithi_spill_before(struct pithi_spill_walk *walk, struct pithi_stack *before);

/* Walks the lane to its end and passes its records to add(). Returns PITH_OK or the error of add(). */
int pithi_spill_trim(struct pithi_spill_trim *trim);

#endif
