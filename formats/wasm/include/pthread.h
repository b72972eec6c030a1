/* pthread.h - replaces the header of the C library in a WebAssembly module, which has no threads. pthread_create always
 * fails, and locks do nothing. A caller whose pthread_create fails does the work of the thread itself. */
#ifndef PITHI_WASM_PTHREAD_H
#define PITHI_WASM_PTHREAD_H

#include <errno.h>
#include <sys/types.h> /* pthread_t and the other types */
#include <time.h>

#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_INITIALIZER                                                                                      \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define PTHREAD_COND_INITIALIZER                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *context)
{
    (void)thread, (void)how, (void)run, (void)context;
    return EAGAIN;
}
static inline int pthread_join(pthread_t thread, void **result) { return (void)thread, (void)result, ESRCH; }
static inline int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    return (void)thread, (void)result, (void)until, ESRCH;
}
static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once)
        run();
    *once = 1;
    return 0;
}
/* `drop` is never called: it is for the end of a thread, and the module's only thread never ends. */
static inline int pthread_key_create(pthread_key_t *key, void (*drop)(void *)) { return (void)drop, *key = 0, 0; }
static inline int pthread_setspecific(pthread_key_t key, const void *value) { return (void)key, (void)value, 0; }

#define PITHI_NO_LOCK(name, type)                                                                                      \
    static inline int name(type *it) { return (void)it, 0; }
PITHI_NO_LOCK(pthread_mutex_lock, pthread_mutex_t)
PITHI_NO_LOCK(pthread_mutex_unlock, pthread_mutex_t)
PITHI_NO_LOCK(pthread_mutex_destroy, pthread_mutex_t)
PITHI_NO_LOCK(pthread_cond_signal, pthread_cond_t)
PITHI_NO_LOCK(pthread_cond_broadcast, pthread_cond_t)
PITHI_NO_LOCK(pthread_cond_destroy, pthread_cond_t)
#undef PITHI_NO_LOCK
static inline int pthread_mutex_init(pthread_mutex_t *lock, const void *how)
{
    return (void)how, *lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER, 0;
}
static inline int pthread_cond_init(pthread_cond_t *cond, const void *how)
{
    return (void)how, *cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER, 0;
}
static inline int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock) { return (void)cond, (void)lock, 0; }
static inline int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *lock, const struct timespec *until)
{
    return (void)cond, (void)lock, (void)until, ETIMEDOUT;
}

#endif
