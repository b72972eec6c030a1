/* helper.h - a thread that takes a part of what its caller does, and sleeps between.
 *
 *     helper = pithi_helper_new();
 *     pithi_helper_begin(helper, work, data);     work(data) runs in the thread
 *     work(data);                                 and here: the two share it out among themselves
 *     pithi_helper_wait(helper);                  the thread has come back from it
 *     pithi_helper_free(helper);
 *
 * Begin and wait in turns, by one thread. A NULL helper does nothing, at once.
 */
#ifndef PITHI_HELPER_H
#define PITHI_HELPER_H

struct pithi_helper;

/* NULL: there is but one processor, or no thread can be had. */
struct pithi_helper *pithi_helper_new(void);
void pithi_helper_begin(struct pithi_helper *helper, void (*work)(void *data), void *data);
void pithi_helper_wait(struct pithi_helper *helper);
void pithi_helper_free(struct pithi_helper *helper);

/* From now on the calling thread gives way to those that paint, where there are fewer processors than threads: for work
 * that no picture waits for. */
void pithi_helper_stand_back(void);

#endif
