/* mpe_callstack.h - MPE's calls that show the stack of the calling thread (mpe(3)).
 *
 *     MPE_CallStack_t stack;
 *     MPE_CallStack_init(&stack);
 *     MPE_CallStack_fancyprint(&stack, 2, "    ", 1, 10);
 *
 * A line is `FUNCTION+OFFSET (FILE)`; the innermost call comes first. Functions of the program have names only if it
 * was linked with -rdynamic. A stack belongs to the thread that made it. It has at most 128 frames.
 */
#ifndef MPE_CALLSTACK_H
#define MPE_CALLSTACK_H

#include "mpe_log.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Private to the functions below. */
typedef struct {
    void *frames[128]; /* return addresses, innermost first */
    int count, next;   /* frames; the next one to print */
    char line[512];    /* of the last call that returned a text */
} MPE_CallStack_t;

/* Takes the stack of the caller. */
MPE_API_ void MPE_CallStack_init(MPE_CallStack_t *stack);

/* Returns the lines one after another, starting with the first. A line is valid until the next call. NULL: no more. */
MPE_API_ void MPE_CallStack_iteratorInit(MPE_CallStack_t *stack);
MPE_API_ int MPE_CallStack_iteratorHasMore(MPE_CallStack_t *stack);
MPE_API_ const char *MPE_CallStack_iteratorFetchNext(MPE_CallStack_t *stack);

/* Writes all lines to the file descriptor. The second form writes at most `max_printed_frames`, each after the prefix
 * and, with `to_print_stack_index`, its number. */
MPE_API_ void MPE_CallStack_print(MPE_CallStack_t *stack, int fd);
MPE_API_ void MPE_CallStack_fancyprint(MPE_CallStack_t *stack, int fd, const char *line_prefix,
                                       int to_print_stack_index, int max_printed_frames);

#if defined(__cplusplus)
}
#endif
#endif
