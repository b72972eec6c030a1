/* spill_trim.h - completes a lane whose beginning is missing: enters the states that are open where its kept records
 * begin, and leaves out records outside of a window, which is the interval from PITH_FROM to PITH_TO.
 *
 * A cut is a place in a lane where records are missing or left out: where a ring reused chunks, and at both ends of the
 * window. The states that are open at a cut are known. They are entered, outermost first, where the kept records begin.
 * At the end of the window the open states are left, innermost first.
 *
 *     recorded:  enter main, enter solve | (cut) leave solve, enter write ... | (PITH_TO) leave write, leave main
 *     log:                                 enter main, enter solve, leave solve, enter write, leave write, leave main
 *
 * So each LEAVE has its ENTER. A LEAVE that has no ENTER all the same (because of an error of the program, or because
 * its state was nested too deep to be kept) is left out and counted.
 */
#ifndef PITHI_SPILL_TRIM_H
#define PITHI_SPILL_TRIM_H

#include "native/stack.h"
#include "spill/spill_walk.h"

struct pithi_spill_trim {
    struct pithi_spill_walk *walk;
    int64_t from_ns, to_ns; /* log time */
    int alive_at_end;       /* 1: the process still ran at to_ns */
    uint64_t first_posted;  /* this order number of a receive becomes 0, the next one 1, and so on */
    int (*add)(void *context, const struct pithlog_record *record);
    void *context;             /* for `add` */
    struct pithi_stack before; /* from pithi_spill_before; the caller frees it */
    /* Results. added: number of records passed to add(); `told`: number of lost records that the lane's LOST records
     * report, including those outside the window; dropped: number of LEAVEs left out. */
    uint64_t added, told, dropped;
    int64_t last_ns; /* of the last record that was added */
    /* private */
    struct pithi_stack open;
    uint64_t above;    /* number of states that are open inside those in `open` and whose ids are unknown */
    int entered, over; /* entered: 1 once the kept records have begun; over: 1 once the window has ended */
    uint32_t cuts;     /* number of cuts so far */
};

/* Writes the window to `text`, in seconds: "0.5 to 2", "0.5 to end", "0 to 2"; "" if there is no window. */
void pithi_spill_window_text(const struct pithi_spill_page *page, char *text, size_t size);

/* Returns 1 if the lane has cuts, so that pithi_spill_trim must complete it. */
int pithi_spill_is_cut(const struct pithi_spill *spill, const struct pithi_spill_lane *lane);

/* Returns the lowest order number of the lane's receives in the window, or UINT64_MAX if there is no receive. */
uint64_t pithi_spill_first_posted(struct pithi_spill_walk *walk, int64_t from_ns, int64_t to_ns);

/* Finds the states that event numbers (spill_numbers.h) began before the lane's first kept record, innermost first. The
 * chunk does not list them as open, because the process did not know that these numbers begin states. They are found by
 * their ends among the kept records. */
int pithi_spill_before(struct pithi_spill_walk *walk, struct pithi_stack *before);

/* Walks the lane to its end and passes its records to add(). Returns PITH_OK or the error of add(). */
int pithi_spill_trim(struct pithi_spill_trim *trim);

#endif
