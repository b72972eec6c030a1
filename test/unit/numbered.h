/* numbered.h - threads that record numbered things and announce in a page, which outlives them, how many they have
 * stored; and whether a log holds all of them in order. For tests that kill. */
#ifndef PITH_NUMBERED_H
#define PITH_NUMBERED_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kill_at.h"
#include "pith.h"

enum { RANKS = 4, THREADS = 3 };

/* In a file, beside the spill folder. */
struct page {
    struct kill_at kill;
    uint64_t stored[RANKS][THREADS]; /* what is announced: numbers 0 .. stored - 1 are recorded */
    uint64_t target;                 /* a thread ends after so many */
    uint32_t threads;                /* of a rank; at most THREADS */
    uint32_t stop;                   /* all end now */
    uint32_t finishing, over;        /* ranks that are in, and behind, the end of the job */
};
static struct page *page;

/* ---- What every thread does -------------------------------------------------------------------------------------- */

struct number {
    uint32_t rank, thread, number;
};

static uint32_t state, event, counter;

/* Of each number: a state around an event with a payload whose size varies, and a counter. */
static void record_number(const struct number *number)
{
    unsigned char payload[200] = {0};
    memcpy(payload, number, sizeof *number);
    pith_begin(state);
    pith_event_data(event, payload, sizeof *number + number->number % 97);
    pith_count(counter, number->number);
    pith_end(state);
}

static void (*between)(void); /* what the first thread does now and then; NULL: nothing */

static void record_numbers(uint32_t rank, uint32_t thread)
{
    struct number number = {rank, thread, 0};
    while (number.number < page->target && !__atomic_load_n(&page->stop, __ATOMIC_RELAXED)) {
        record_number(&number);
        number.number++;
        __atomic_store_n(&page->stored[rank][thread], number.number, __ATOMIC_RELEASE);
        if (between != NULL && thread == 0 && number.number % 64 == 0)
            between();
    }
}

static void *thread_body(void *argument)
{
    uint32_t both = (uint32_t)(uintptr_t)argument;
    record_numbers(both / THREADS, both % THREADS);
    return NULL;
}

/* In `page->threads` threads, this one the first. */
static inline void record_all(uint32_t rank)
{
    pthread_t others[THREADS];
    uint32_t i;
    state = pith_state_define("s", NULL);
    event = pith_event_define("number", NULL, NULL);
    counter = pith_counter_define("count", NULL);
    for (i = 1; i < page->threads; i++)
        pthread_create(&others[i], NULL, thread_body, (void *)(uintptr_t)(rank * THREADS + i));
    record_numbers(rank, 0);
    for (i = 1; i < page->threads; i++)
        pthread_join(others[i], NULL);
}

#endif
