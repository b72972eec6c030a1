/* read_ahead.c - a ring of batches between the thread that reads and the caller, which takes them. A thread that has
 * nothing to do sleeps. The reader is mostly faster than the caller. So it is woken only when half of the ring is free,
 * because each sleep costs as much as some hundred records. */
#include "analysis/waits/read_ahead.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/worker.h"

enum {
    MANY = 512,       /* records of a batch */
    AT_ONCE = 32,     /* records read at once */
    LINE = 64,        /* bytes of a cache line, at least */
    BATCHES = 8,      /* batches of the ring */
    ERROR_BYTES = 512 /* longest error message */
};

struct batch {
    int count; /* 0: end of the log; -1: an error */
    struct pithlog_record records[MANY];
    struct pithi_buffer payloads;
    char error[ERROR_BYTES]; /* "": none */
};

struct pithi_read_ahead {
    struct pithlog_iter *iter;
    struct pithi_worker worker;
    pthread_mutex_t lock;
    pthread_cond_t is_read, is_taken; /* signals: `filled` has grown; `filled` has shrunk */
    uint32_t filled;                  /* batches that were read and not given back by the taker */
    int reader_sleeps, taker_sleeps;  /* 1: the thread waits and wants a signal */
    uint32_t at;                      /* the taker's batch */
    int has_batch;                    /* 1: the taker still uses batch `at` */
    struct batch batches[BATCHES];
};

/* ---- The reader -------------------------------------------------------------------------------------------------- */

/* Copies the payloads of records `first` to `end` - 1, because they are valid only until the next call on the iterator.
 * The copies may move while the batch is filled, so until set_payloads, `payload` holds 1 + the offset of the copy.
 * Returns 0 if there is no memory. */
static int keep_payloads(struct batch *b, int first, int end)
{
    for (int i = first; i < end; i++) {
        struct pithlog_record *r = &b->records[i];
        size_t place = b->payloads.size;
        if (!r->payload)
            continue;
        if (!pithi_buffer_add(&b->payloads, r->payload, r->payload_bytes))
            return pithi_no_memory(), 0;
        r->payload = (const void *)(uintptr_t)(place + 1);
    }
    return 1;
}

static void set_payloads(struct batch *b)
{
    for (int i = 0; b->payloads.size && i < b->count; i++)
        if (b->records[i].payload)
            b->records[i].payload = b->payloads.data + (uintptr_t)b->records[i].payload - 1;
}

/* Fills a batch up to the end of the log or an error. Sets *failed to 1 if the error came after some records; the next
 * batch then has the error.
 *
 * The cache lines of the batch are still in the taker's core. So the lines of the next records are fetched while other
 * records are read. If this thread waited for each line, it would be slower than the taker. */
#ifdef __x86_64__
__attribute__((target("prfchw"))) /* without this, gcc fetches lines for reading only, which gains nothing */
#endif
static void
fill(struct pithi_read_ahead *a, struct batch *b, int *failed)
{
    int count = 0;

    b->count = 0;
    b->payloads.size = 0;
    while (!*failed && b->count < MANY) {
        const char *next = (const char *)(b->records + b->count + AT_ONCE);
        for (size_t i = 0; b->count + 2 * AT_ONCE <= MANY && i < AT_ONCE * sizeof *b->records; i += LINE)
            __builtin_prefetch(next + i, 1);
        int most = b->count + AT_ONCE < MANY ? AT_ONCE : MANY - b->count;
        if ((count = pithlog_iter_next_many(a->iter, b->records + b->count, (uint32_t)most)) == 0)
            break;
        *failed = count < 0 || !keep_payloads(b, b->count, b->count + count);
        b->count += *failed ? 0 : count;
    }
    set_payloads(b);
    if (!*failed || b->count > 0)
        return;
    b->count = -1;
    *failed = 0;
    snprintf(b->error, sizeof b->error, "%s", pithlog_error());
}

static void *read_all(void *context)
{
    struct pithi_read_ahead *a = context;
    int failed = 0;

    for (uint32_t at = 0;; at = (at + 1) % BATCHES) {
        pthread_mutex_lock(&a->lock);
        while (a->filled == BATCHES && !pithi_worker_is_stopped(&a->worker)) {
            a->reader_sleeps = 1;
            pthread_cond_wait(&a->is_taken, &a->lock);
        }
        pthread_mutex_unlock(&a->lock);
        if (pithi_worker_is_stopped(&a->worker))
            return NULL;
        fill(a, &a->batches[at], &failed);
        pthread_mutex_lock(&a->lock);
        a->filled++;
        if (a->taker_sleeps)
            pthread_cond_signal(&a->is_read);
        a->taker_sleeps = 0;
        pthread_mutex_unlock(&a->lock);
        if (a->batches[at].count == 0)
            return NULL;
    }
}

/* ---- The taker --------------------------------------------------------------------------------------------------- */

struct pithi_read_ahead *pithi_read_ahead_open(struct pithlog_iter *iter, int may_use_thread)
{
    struct pithi_read_ahead *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->iter = iter;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->is_read, NULL);
    pthread_cond_init(&a->is_taken, NULL);
    if (may_use_thread)
        pithi_worker_start(&a->worker, read_all, a);
    return a;
}

void pithi_read_ahead_close(struct pithi_read_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    pithi_worker_stop(&a->worker);
    pthread_cond_signal(&a->is_taken);
    pthread_mutex_unlock(&a->lock);
    pithi_worker_join(&a->worker, NULL, NULL);
    pthread_cond_destroy(&a->is_read);
    pthread_cond_destroy(&a->is_taken);
    pthread_mutex_destroy(&a->lock);
    for (uint32_t i = 0; i < BATCHES; i++)
        free(a->batches[i].payloads.data);
    pithlog_iter_close(a->iter);
    free(a);
}

/* Gives back the last batch, and waits for the next one. */
static struct batch *next_batch(struct pithi_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->has_batch) {
        a->filled--;
        a->at = (a->at + 1) % BATCHES;
        if (a->reader_sleeps && a->filled <= BATCHES / 2) {
            a->reader_sleeps = 0;
            pthread_cond_signal(&a->is_taken);
        }
    }
    while (a->filled == 0) {
        a->taker_sleeps = 1;
        pthread_cond_wait(&a->is_read, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    a->has_batch = 1;
    return &a->batches[a->at];
}

int pithi_read_ahead_next(struct pithi_read_ahead *a, const struct pithlog_record **records)
{
    struct batch *b = &a->batches[0];

    *records = b->records;
    if (!a->worker.is_running)
        return pithlog_iter_next_many(a->iter, b->records, MANY);
    if (a->has_batch && a->batches[a->at].count == 0)
        return 0; /* the reader has ended */
    b = next_batch(a);
    *records = b->records;
    if (b->count < 0)
        pithi_fail(PITH_ERR_DAMAGED, "%s", b->error);
    return b->count;
}
