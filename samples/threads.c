/* threads.c - recording by calls of pith.h: states, events, counters and named threads, without MPI.
 *
 *     cc -O2 -o threads threads.c $(pkg-config --cflags --libs pith) -lpthread -lm
 *     ./threads
 *     pith view threads.pith
 *
 * A producer puts jobs into a small queue, and three consumers take them out. The program records what it is doing:
 *
 *     states    produce, wait, compute, and sum nested inside compute
 *     event     "job done", with the job's number and result as its payload
 *     counter   the length of the queue, as a graph over time
 *
 * Compiled with -DPITH_NULL or linked with -lpith-null, Pith's calls do nothing.
 *
 * Usage: threads [JOBS]      default: 60 jobs
 */
#include <arpa/inet.h>
#include <math.h>
#include <pith.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUEUE = 8, CONSUMERS = 3 };

static uint32_t produce_state, wait_state, compute_state, sum_state, done_event, length_counter;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int jobs[QUEUE], length, over;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static double results; /* protected by queue.lock */

/* The same name always gives the same id, so each definition could also be placed at its first use. */
static void define_records(void)
{
    produce_state = pith_state_define("produce", "SteelBlue");
    wait_state = pith_state_define("wait", "IndianRed");
    compute_state = pith_state_define("compute", "SeaGreen");
    sum_state = pith_state_define("sum", "gold");
    done_event = pith_event_define("job done", "white", "job=%d microunits=%d");
    length_counter = pith_counter_define("queue length", "jobs");
}

static void queue_put(int job)
{
    pith_begin(wait_state);
    pthread_mutex_lock(&queue.lock);
    while (queue.length == QUEUE)
        pthread_cond_wait(&queue.changed, &queue.lock);
    pith_end(wait_state);
    queue.jobs[queue.length++] = job;
    pith_count(length_counter, queue.length);
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* Takes a job. Returns 0 when there are no more. */
static int queue_take(int *job)
{
    pith_begin(wait_state);
    pthread_mutex_lock(&queue.lock);
    while (queue.length == 0 && !queue.over)
        pthread_cond_wait(&queue.changed, &queue.lock);
    pith_end(wait_state);
    int taken = queue.length > 0;
    if (taken) {
        *job = queue.jobs[--queue.length];
        pith_count(length_counter, queue.length);
        pthread_cond_broadcast(&queue.changed);
    }
    pthread_mutex_unlock(&queue.lock);
    return taken;
}

static void produce(int jobs)
{
    for (int job = 0; job < jobs; job++) {
        pith_begin(produce_state);
        double work = 0;
        for (int i = 0; i < 40000; i++)
            work += sin(i);
        pith_end(produce_state);
        queue_put(work < 2 ? job : 0); /* always true, but the compiler does not know that and keeps the loop */
    }
    pthread_mutex_lock(&queue.lock);
    queue.over = 1;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static double compute(int job)
{
    double value = 0;

    pith_begin(compute_state);
    for (int i = 0; i < 60000 + 2000 * job; i++)
        value += cos(i * 0.001 * job);
    pith_begin(sum_state);
    pthread_mutex_lock(&queue.lock);
    results += fabs(value) > 1 ? 1 : 0;
    pthread_mutex_unlock(&queue.lock);
    pith_end(sum_state);
    pith_end(compute_state);
    return value;
}

static void *consumer(void *argument)
{
    char name[32];
    int job;

    snprintf(name, sizeof name, "consumer %d", *(int *)argument);
    pith_thread_name(name);
    while (queue_take(&job)) {
        double value = compute(job);
        /* The values of a payload follow each other in big-endian order, which htonl makes. */
        uint32_t payload[2] = {htonl((uint32_t)job), htonl((uint32_t)(int32_t)(value * 1e6 / (60000 + 2000 * job)))};
        pith_event_data(done_event, payload, sizeof payload);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int jobs = argc > 1 ? atoi(argv[1]) : 60, numbers[CONSUMERS];
    pthread_t threads[CONSUMERS];

    define_records();
    pith_thread_name("producer");
    for (int i = 0; i < CONSUMERS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, consumer, &numbers[i]) != 0) {
            perror("threads: pthread_create");
            return 1;
        }
    }
    produce(jobs);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    printf("threads: %d jobs, %.0f results over 1\n", jobs, results);
    return 0;
}
