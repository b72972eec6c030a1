/* parts.c - each thread takes the next part that no thread has taken. The thread keeps the part's result until the
 * results of all earlier parts are added, and only then takes another part. So there is at most one result for each
 * thread, and memory does not grow with the number of parts. */
#include "base/parts.h"

#include "base/worker.h"

struct sharing {
    const struct pithi_parts *parts;
    pthread_mutex_t lock;
    pthread_cond_t is_finished;
    uint32_t taken, finished; /* counts of parts; protected by the lock */
    unsigned joined;          /* threads that have begun */
    int has_failed;
};

unsigned pithi_threads(void)
{
    unsigned cores = pithi_cores();
    return cores < PITHI_THREADS_MOST ? cores : PITHI_THREADS_MOST;
}

static void fail(struct sharing *s)
{
    s->has_failed = 1;
    pthread_cond_broadcast(&s->is_finished);
}

/* Does parts until none is left. The caller holds the lock; it is released during `work`. */
static void take_parts(struct sharing *s, unsigned thread)
{
    const struct pithi_parts *p = s->parts;

    while (!s->has_failed && s->taken < p->count) {
        uint32_t part = s->taken++;
        pthread_mutex_unlock(&s->lock);
        int good = p->work(p->context, thread, part);
        pthread_mutex_lock(&s->lock);
        if (!good) {
            fail(s);
            return;
        }
        while (s->finished < part && !s->has_failed)
            pthread_cond_wait(&s->is_finished, &s->lock);
        if (s->has_failed)
            return;
        if (p->finish && !p->finish(p->context, thread, part)) {
            fail(s);
            return;
        }
        s->finished++;
        pthread_cond_broadcast(&s->is_finished);
    }
}

static void *join_in(void *context)
{
    struct sharing *s = context;

    pthread_mutex_lock(&s->lock);
    take_parts(s, ++s->joined);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int pithi_parts_do(const struct pithi_parts *p)
{
    struct sharing s = {.parts = p};
    struct pithi_worker workers[PITHI_THREADS_MOST];
    unsigned most = p->threads < PITHI_THREADS_MOST ? p->threads : PITHI_THREADS_MOST, started = 0;

    most = most < p->count ? most : (unsigned)p->count;
    if (most <= 1) {
        for (uint32_t part = 0; part < p->count; part++)
            if (!p->work(p->context, 0, part) || (p->finish && !p->finish(p->context, 0, part)))
                return 0;
        return 1;
    }
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.is_finished, NULL);
    pthread_mutex_lock(&s.lock);
    while (started + 1 < most && pithi_worker_start(&workers[started], join_in, &s))
        started++;
    take_parts(&s, 0);
    pthread_mutex_unlock(&s.lock);
    while (started > 0)
        pithi_worker_join(&workers[--started], NULL, NULL);
    pthread_cond_destroy(&s.is_finished);
    pthread_mutex_destroy(&s.lock);
    return !s.has_failed;
}
