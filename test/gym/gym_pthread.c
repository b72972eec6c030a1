/* gym_pthread.c - the thread that calls MPI waits for another thread of its rank. An expert names the threads' call,
 * and the state in which the other thread is. MPI shows nothing of it: all ranks are equally late. */
#include "gym.h"

#include <pthread.h>

static double one = 1, sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *filter(void *unused)
{
    work("filter", sick ? LONG_MS : SHORT_MS);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

/* "Each rank's main thread waits 40 of 60 ms in pthread_join for a thread that filters." */
static void join(int i)
{
    pthread_t thread;

    (void)i;
    pthread_create(&thread, NULL, filter, NULL);
    work("solve", SHORT_MS);
    pthread_join(thread, NULL);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The same in pthread_cond_wait. */
static void condition(int i)
{
    pthread_t thread;

    (void)i;
    is_ready = 0;
    pthread_create(&thread, NULL, filter, NULL);
    work("solve", SHORT_MS);
    pthread_mutex_lock(&mutex);
    while (!is_ready)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct mode modes[] = {{"join", join, STEPS, 0}, {"condition", condition, STEPS, 0}};

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int status = run_mode(argc, argv, modes, COUNT(modes));
    MPI_Finalize();
    return status;
}
