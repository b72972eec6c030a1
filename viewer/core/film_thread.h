/* film_thread.h - the thread of a film (film.h): it is given a list of stretches of rows, answers them one by one, and
 * drops all at once when it is given another. Internal to the film. */
#ifndef PITHI_FILM_THREAD_H
#define PITHI_FILM_THREAD_H

#include "core/query.h"

/* Columns [from, to) of a row. */
struct pithi_stretch {
    uint32_t row, from, to;
    int64_t t0_ns, t1_ns;
    enum pithi_care care;
    uint32_t first_lane, lane_count; /* of the work's lanes */
};

struct pithi_film_work {
    struct pithi_stretch *stretches;
    uint32_t count, capacity;
    uint32_t *lanes, lane_count, lane_capacity;
    unsigned char *hidden; /* NULL: none */
    unsigned generation;
    atomic_int stop;
};

struct pithi_film_result {
    struct pithi_film_result *next;
    struct pithi_stretch stretch;
    struct pithi_cells cells; /* of this stretch, one row */
    unsigned generation;
    char *trouble; /* NULL: none */
};

struct pithi_film_thread;

/* `large`: the thread uses a summary of the log. NULL: no thread can be had. */
struct pithi_film_thread *pithi_film_thread_start(struct pithlog *log, int large);
void pithi_film_thread_end(struct pithi_film_thread *thread);
/* Instead of what it has to do; the work is the thread's from now on. NULL: nothing. */
void pithi_film_thread_give(struct pithi_film_thread *thread, struct pithi_film_work *work);
/* The results so far, oldest first; to be freed one by one. */
struct pithi_film_result *pithi_film_thread_take(struct pithi_film_thread *thread);
void pithi_film_result_free(struct pithi_film_result *result);
void pithi_film_work_free(struct pithi_film_work *work);

/* One stretch, in the caller's thread. */
int pithi_stretch_query(struct pithlog *log, struct pithlog_summary *summary, const struct pithi_film_work *work,
                        const struct pithi_stretch *stretch, struct pithi_cells *cells);

#endif
