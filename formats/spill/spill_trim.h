/* spill_trim.h - a lane that begins in the middle, made whole: the states open at its first kept moment are entered
 * there, and what lies outside a time window is left out.
 *
 * A lane's history is cut where a ring used chunks again, and at the ends of the window (PITH_FROM, PITH_TO). Both are
 * the same: at the cut it is known which states are open, so they are entered, outermost first, at the first moment
 * that is in the log, and left, innermost first, at the last one if the window ends it.
 *
 *     recorded:  enter main, enter solve | (cut) leave solve, enter write ... | (PITH_TO) leave write, leave main
 *     given:                               enter main, enter solve, leave solve, enter write, leave write, leave main
 *
 * So each LEAVE has its ENTER. One that has none all the same (the program's own, or of states nested too deep to be
 * kept) is left out and counted.
 */
#ifndef PITHI_SPILL_TRIM_H
#define PITHI_SPILL_TRIM_H

#include "native/stack.h"
#include "spill/spill_walk.h"

struct pithi_spill_trim {
    struct pithi_spill_walk *walk;
    int64_t from_ns, to_ns; /* log time */
    int alive_at_end;       /* the process was seen after the window's end */
    uint64_t first_posted;  /* receives are numbered from this one on */
    int (*add)(void *context, const struct pithlog_record *record);
    void *context;
    struct pithi_stack before; /* from pithi_spill_before; the caller's to free */
    /* what came of it */
    uint64_t added, told, dropped; /* records given; losses they tell of or that lie outside; LEAVEs left out */
    int64_t last_ns;
    /* private */
    struct pithi_stack open;
    uint64_t above; /* open inside these, not known which */
    int entered, over;
    uint32_t cuts; /* so far */
};

/* The window as people say it, in seconds: "0.5 to 2", "0.5 to end", "0 to 2"; "": there is none. */
void pithi_spill_window_text(const struct pithi_spill_page *page, char *text, size_t size);

/* Must a lane of this file be trimmed? */
int pithi_spill_is_cut(const struct pithi_spill *spill, const struct pithi_spill_lane *lane);

/* The lowest order number of a receive of the lane that lies in the window; UINT64_MAX: none. */
uint64_t pithi_spill_first_posted(struct pithi_spill_walk *walk, int64_t from_ns, int64_t to_ns);

/* The states that were begun by numbers (spill_numbers.h) before the lane's first record that is kept, the innermost
 * first. The process that gave up the records did not know them for states; the ends that they have here tell. */
int pithi_spill_before(struct pithi_spill_walk *walk, struct pithi_stack *before);

/* Walks the lane to its end; add() gets its records. Gives PITH_OK or what add() gave. */
int pithi_spill_trim(struct pithi_spill_trim *trim);

#endif
