/* cell_cache_thread.c - the thread that answers requests of the cell cache while the window stays responsive. */
#include "core/cell_cache_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/helper.h"
#include "core/memory.h"

/* While the window moves, exact answers would come too late for their picture, so the thread waits before it computes
 * them. */
enum { REST_MS = 40 };

struct pithi_cell_thread {
    struct pithlog *log;
    int large, ending;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct pithi_cell_work *next, *current;
    struct pithi_cell_result *first, **last;
};

void pithi_cell_work_free(struct pithi_cell_work *work)
{
    if (!work)
        return;
    free(work->requests);
    free(work->lanes);
    free(work->hidden);
    free(work);
}

void pithi_cell_result_free(struct pithi_cell_result *result)
{
    pithi_cells_free(&result->cells);
    free(result->trouble);
    free(result);
}

int pithi_cell_request_run(struct pithlog *log, struct pithlog_summary *summary, const struct pithi_cell_work *work,
                           const struct pithi_cell_request *request, struct pithi_cells *cells)
{
    struct pithi_query query = {.t0_ns = request->t0_ns,
                                .t1_ns = request->t1_ns,
                                .width = request->to - request->from,
                                .levels = PITHI_LEVELS,
                                .lanes = work->lanes + request->first_lane,
                                .lane_count = request->lane_count,
                                .hidden = request->flame ? work->flames->hidden : work->hidden,
                                .summary = request->flame ? NULL : summary,
                                .care = request->care,
                                .group_end = &request->lane_count,
                                .group_count = 1,
                                .stop = &work->stop,
                                .no_sums = 1};
    return pithi_query_run(request->flame ? work->flames->log : log, &query, cells);
}

/* ---- In the thread ----------------------------------------------------------------------------------------------- */

/* Waits for REST_MS; returns early if there is other work. The lock is held. */
static void rest(struct pithi_cell_thread *thread)
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

static void answer(struct pithi_cell_thread *thread, struct pithlog_summary *summary,
                   const struct pithi_cell_request *request)
{
    const struct pithi_cell_work *work = thread->current;
    struct pithi_cell_result *result = pithi_alloc(1, sizeof *result);

    result->request = *request;
    result->generation = work->generation;
    if (pithi_cell_request_run(thread->log, summary, work, request, &result->cells))
        result->trouble = strdup(pithlog_error());
    pthread_mutex_lock(&thread->lock);
    if (atomic_load(&work->stop)) {
        pithi_cell_result_free(result);
    } else {
        *thread->last = result;
        thread->last = &result->next;
    }
    pthread_mutex_unlock(&thread->lock);
}

static void do_work(struct pithi_cell_thread *thread, struct pithlog_summary *summary)
{
    const struct pithi_cell_work *work = thread->current;
    int rested = 0;

    for (uint32_t i = 0; i < work->count && !atomic_load(&work->stop); i++) {
        if (summary && work->requests[i].care == PITHI_EXACT && !rested++) {
            pthread_mutex_lock(&thread->lock);
            rest(thread);
            pthread_mutex_unlock(&thread->lock);
        }
        if (!atomic_load(&work->stop))
            answer(thread, summary, &work->requests[i]);
    }
}

static void *thread_main(void *data)
{
    struct pithi_cell_thread *thread = data;
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
        pithi_cell_work_free(thread->current);
        thread->current = NULL;
    }
    pthread_mutex_unlock(&thread->lock);
    pithlog_summary_close(summary);
    return NULL;
}

/* ---- For the cache ----------------------------------------------------------------------------------------------- */

struct pithi_cell_thread *pithi_cell_thread_start(struct pithlog *log, int large)
{
    struct pithi_cell_thread *thread = pithi_alloc(1, sizeof *thread);

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

void pithi_cell_thread_give(struct pithi_cell_thread *thread, struct pithi_cell_work *work)
{
    pthread_mutex_lock(&thread->lock);
    if (thread->current)
        atomic_store(&thread->current->stop, 1);
    pithi_cell_work_free(thread->next);
    thread->next = work;
    pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&thread->lock);
}

struct pithi_cell_result *pithi_cell_thread_take(struct pithi_cell_thread *thread)
{
    struct pithi_cell_result *results;

    pthread_mutex_lock(&thread->lock);
    results = thread->first;
    thread->first = NULL;
    thread->last = &thread->first;
    pthread_mutex_unlock(&thread->lock);
    return results;
}

void pithi_cell_thread_end(struct pithi_cell_thread *thread)
{
    if (!thread)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->ending = 1;
    pthread_mutex_unlock(&thread->lock);
    pithi_cell_thread_give(thread, NULL);
    pthread_join(thread->thread, NULL);
    for (struct pithi_cell_result *result = thread->first, *next; result; result = next) {
        next = result->next;
        pithi_cell_result_free(result);
    }
    pthread_mutex_destroy(&thread->lock);
    pthread_cond_destroy(&thread->wake);
    free(thread);
}
