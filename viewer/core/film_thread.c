/* film_thread.c - answering stretches beside the window; see film_thread.h. */
#include "core/film_thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/helper.h"
#include "core/memory.h"

/* While the window moves there is no use in reading records for what is gone with the next picture. */
enum { REST_MS = 40 };

struct pithi_film_thread {
    struct pithlog *log;
    int large, ending;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct pithi_film_work *next, *current; /* to be taken; under way */
    struct pithi_film_result *first, **last;
};

void pithi_film_work_free(struct pithi_film_work *work)
{
    if (!work)
        return;
    free(work->stretches);
    free(work->lanes);
    free(work->hidden);
    free(work);
}

void pithi_film_result_free(struct pithi_film_result *result)
{
    pithi_cells_free(&result->cells);
    free(result->trouble);
    free(result);
}

int pithi_stretch_query(struct pithlog *log, struct pithlog_summary *summary, const struct pithi_film_work *work,
                        const struct pithi_stretch *stretch, struct pithi_cells *cells)
{
    struct pithi_query query = {.t0_ns = stretch->t0_ns,
                                .t1_ns = stretch->t1_ns,
                                .width = stretch->to - stretch->from,
                                .levels = PITHI_LEVELS,
                                .lanes = work->lanes + stretch->first_lane,
                                .lane_count = stretch->lane_count,
                                .hidden = work->hidden,
                                .summary = summary,
                                .care = stretch->care,
                                .group_end = &stretch->lane_count,
                                .group_count = 1,
                                .stop = &work->stop,
                                .no_sums = 1};
    return pithi_query_run(log, &query, cells);
}

/* ---- In the thread ----------------------------------------------------------------------------------------------- */

/* A rest before records are read, cut short when there is something else to do. Locked. */
static void rest(struct pithi_film_thread *thread)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REST_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (!thread->next && !thread->ending)
        if (pthread_cond_timedwait(&thread->wake, &thread->lock, &until))
            return;
}

static void answer(struct pithi_film_thread *thread, struct pithlog_summary *summary,
                   const struct pithi_stretch *stretch)
{
    const struct pithi_film_work *work = thread->current;
    struct pithi_film_result *result = pithi_alloc(1, sizeof *result);

    result->stretch = *stretch;
    result->generation = work->generation;
    if (pithi_stretch_query(thread->log, summary, work, stretch, &result->cells))
        result->trouble = strdup(pithlog_error());
    pthread_mutex_lock(&thread->lock);
    if (atomic_load(&work->stop)) {
        pithi_film_result_free(result);
    } else {
        *thread->last = result;
        thread->last = &result->next;
    }
    pthread_mutex_unlock(&thread->lock);
}

static void do_work(struct pithi_film_thread *thread, struct pithlog_summary *summary)
{
    const struct pithi_film_work *work = thread->current;
    int rested = 0;

    for (uint32_t i = 0; i < work->count && !atomic_load(&work->stop); i++) {
        if (summary && work->stretches[i].care == PITHI_EXACT && !rested++) {
            pthread_mutex_lock(&thread->lock);
            rest(thread);
            pthread_mutex_unlock(&thread->lock);
        }
        if (!atomic_load(&work->stop))
            answer(thread, summary, &work->stretches[i]);
    }
}

static void *thread_main(void *data)
{
    struct pithi_film_thread *thread = data;
    struct pithlog_summary *summary = NULL;

    pithi_helper_stand_back();
    if (thread->large)
        pithlog_summary_open(thread->log, &summary);
    pthread_mutex_lock(&thread->lock);
    while (!thread->ending) {
        if (!thread->next) {
            pthread_cond_wait(&thread->wake, &thread->lock);
            continue;
        }
        thread->current = thread->next;
        thread->next = NULL;
        pthread_mutex_unlock(&thread->lock);
        do_work(thread, summary);
        pthread_mutex_lock(&thread->lock);
        pithi_film_work_free(thread->current);
        thread->current = NULL;
    }
    pthread_mutex_unlock(&thread->lock);
    pithlog_summary_close(summary);
    return NULL;
}

/* ---- From outside ------------------------------------------------------------------------------------------------ */

struct pithi_film_thread *pithi_film_thread_start(struct pithlog *log, int large)
{
    struct pithi_film_thread *thread = pithi_alloc(1, sizeof *thread);

    thread->log = log;
    thread->large = large;
    thread->last = &thread->first;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->wake, NULL);
    if (pthread_create(&thread->thread, NULL, thread_main, thread) == 0)
        return thread;
    free(thread);
    return NULL;
}

void pithi_film_thread_give(struct pithi_film_thread *thread, struct pithi_film_work *work)
{
    pthread_mutex_lock(&thread->lock);
    if (thread->current)
        atomic_store(&thread->current->stop, 1);
    pithi_film_work_free(thread->next);
    thread->next = work;
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
}

struct pithi_film_result *pithi_film_thread_take(struct pithi_film_thread *thread)
{
    struct pithi_film_result *results;

    pthread_mutex_lock(&thread->lock);
    results = thread->first;
    thread->first = NULL;
    thread->last = &thread->first;
    pthread_mutex_unlock(&thread->lock);
    return results;
}

void pithi_film_thread_end(struct pithi_film_thread *thread)
{
    if (!thread)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->ending = 1;
    pthread_mutex_unlock(&thread->lock);
    pithi_film_thread_give(thread, NULL);
    pthread_join(thread->thread, NULL);
    for (struct pithi_film_result *result = thread->first, *next; result; result = next) {
        next = result->next;
        pithi_film_result_free(result);
    }
    pthread_mutex_destroy(&thread->lock);
    pthread_cond_destroy(&thread->wake);
    free(thread);
}
