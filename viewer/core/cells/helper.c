/* helper.c - a thread that shares the work of its caller. */
#include "core/cells/helper.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/cells/memory.h"

struct pithi_helper {
    pthread_t thread;           /* runs `work`, waits in between */
    pthread_mutex_t lock;       /* for all fields below */
    pthread_cond_t wake, ready; /* wake: there is work, or the thread shall end; ready: the work is done */
    void (*work)(void *data);   /* the work that waits or runs; NULL: none */
    void *data;                 /* the argument of `work`; the caller's */
    int ending;                 /* 1: the thread shall end */
};

static void *helper_main(void *context)
{
    struct pithi_helper *helper = context;

    pthread_mutex_lock(&helper->lock);
    while (!helper->ending) {
        if (!helper->work) {
            pthread_cond_wait(&helper->wake, &helper->lock);
            continue;
        }
        pthread_mutex_unlock(&helper->lock);
        helper->work(helper->data);
        pthread_mutex_lock(&helper->lock);
        helper->work = NULL;
        pthread_cond_signal(&helper->ready);
    }
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

void pithi_helper_stand_back(void)
{
#ifdef __linux__ /* elsewhere nice() affects all threads of the program */
    (void)!nice(10);
#endif
}

struct pithi_helper *pithi_helper_new(void)
{
    struct pithi_helper *helper;

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return NULL;
    helper = pithi_alloc(1, sizeof *helper);
    pthread_mutex_init(&helper->lock, NULL);
    pthread_cond_init(&helper->wake, NULL);
    pthread_cond_init(&helper->ready, NULL);
    if (pthread_create(&helper->thread, NULL, helper_main, helper) == 0)
        return helper;
    free(helper);
    return NULL;
}

void pithi_helper_begin(struct pithi_helper *helper, void (*work)(void *data), void *data)
{
    if (!helper)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->work = work;
    helper->data = data;
    pthread_cond_signal(&helper->wake);
    pthread_mutex_unlock(&helper->lock);
}

void pithi_helper_wait(struct pithi_helper *helper)
{
    if (!helper)
        return;
    pthread_mutex_lock(&helper->lock);
    while (helper->work)
        pthread_cond_wait(&helper->ready, &helper->lock);
    pthread_mutex_unlock(&helper->lock);
}

void pithi_helper_free(struct pithi_helper *helper)
{
    if (!helper)
        return;
    pthread_mutex_lock(&helper->lock);
    helper->ending = 1;
    pthread_cond_signal(&helper->wake);
    pthread_mutex_unlock(&helper->lock);
    pthread_join(helper->thread, NULL);
    pthread_cond_destroy(&helper->ready);
    pthread_cond_destroy(&helper->wake);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}
