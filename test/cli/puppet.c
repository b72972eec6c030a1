/* puppet.c - a program that records what it is told on its standard input, a command a line: for tests that look at a
 * running program. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pith.h"

static uint32_t work, step, heap;

static void record(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        unsigned char number[] = {0, 0, (unsigned char)(i >> 8), (unsigned char)i};
        pith_begin(work);
        pith_event_data(step, number, sizeof number);
        pith_count(heap, i / 2.0);
        pith_send(0, i, 8);
        pith_recv(0, i, 8);
        pith_end(work);
    }
}

static void *record_named(void *name)
{
    pith_thread_name(name);
    record(3);
    return NULL;
}

static void obey(const char *command, char *argument)
{
    pthread_t thread;

    if (strcmp(command, "record") == 0) {
        record(atoi(argument));
    } else if (strcmp(command, "define") == 0) {
        uint32_t late = pith_state_define(argument, "green");
        pith_begin(late);
        pith_end(late);
    } else if (strcmp(command, "open") == 0) {
        pith_begin(pith_state_define(argument, "blue"));
    } else if (strcmp(command, "name") == 0) {
        pith_thread_name(argument);
    } else if (strcmp(command, "thread") == 0) {
        pthread_create(&thread, NULL, record_named, argument);
        pthread_join(thread, NULL);
    } else {
        raise(SIGKILL);
    }
}

int main(void)
{
    char command[16], argument[64];

    work = pith_state_define("work", "red");
    step = pith_event_define("step", NULL, "i=%d");
    heap = pith_counter_define("heap", "bytes");
    while (scanf("%15s %63s", command, argument) == 2)
        obey(command, argument);
    return 0;
}
