/* helper.h - a thread that shares the work of its caller, and sleeps in between.
 *
 *     helper = pithi_helper_new();
 *     pithi_helper_begin(helper, work, data);     runs work(data) in the thread
 *     work(data);                                 runs it here, too: both divide the work between them
 *     pithi_helper_wait(helper);                  waits until work(data) has returned in the thread
 *     pithi_helper_free(helper);
 *
 * One thread calls begin and wait alternately. A NULL helper does nothing.
 */
#ifndef PITHI_HELPER_H
#define PITHI_HELPER_H

struct pithi_helper;

/* Returns NULL if there is only one processor, or if no thread can be started. */
struct pithi_helper *pithi_helper_new(void);
void pithi_helper_begin(struct pithi_helper *helper, void (*work)(void *data), void *data);
void pithi_helper_wait(struct pithi_helper *helper);
void pithi_helper_free(struct pithi_helper *helper);

/* Lowers the priority of the calling thread, so that painting threads go first if there are more threads than
 * processors. Call it in a thread whose work no picture waits for. */
void pithi_helper_stand_back(void);

#endif
