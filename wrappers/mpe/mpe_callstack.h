/* mpe_callstack.h - MPE's calls that show the stack of the calling thread (mpe(3)).
 *
 *     MPE_CallStack_t stack;
 *     MPE_CallStack_init(&stack);
 *     MPE_CallStack_fancyprint(&stack, 2, "    ", 1, 10);
 *
 * A line is `FUNCTION+OFFSET (FILE)`; the innermost call comes first. Functions of the program itself have names only
 * if it was linked with -rdynamic. A stack belongs to the thread that made it. It has at most 128 frames.
 */
#ifndef MPE_CALLSTACK_H
#define MPE_CALLSTACK_H

#include "mpe_log.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Only for the functions below; its fields may change. */
typedef struct {
    void *frames[128]; /* return addresses, innermost first */
    int count, next;   /* count: number of frames; next: the index of the next frame to return */
    char line[512];    /* the text that MPE_CallStack_iteratorFetchNext returned last */
} MPE_CallStack_t;

/* Takes the stack of the caller. */
MPE_API_ void MPE_CallStack_init(MPE_CallStack_t *stack);

/* iteratorInit goes to the first line. iteratorFetchNext returns the next line, which is valid until its next call for
 * this stack; NULL after the last line. */
MPE_API_ void MPE_CallStack_iteratorInit(MPE_CallStack_t *stack);
MPE_API_ int MPE_CallStack_iteratorHasMore(MPE_CallStack_t *stack);
MPE_API_ const char *MPE_CallStack_iteratorFetchNext(MPE_CallStack_t *stack);

/* Write all lines to a file descriptor. fancyprint writes at most `max_printed_frames` lines, each with a prefix
 * and, with `to_print_stack_index`, its number. */
MPE_API_ void MPE_CallStack_print(MPE_CallStack_t *stack, int fd);
MPE_API_ void MPE_CallStack_fancyprint(MPE_CallStack_t *stack, int fd, const char *line_prefix,
                                       int to_print_stack_index, int max_printed_frames);

#if defined(__cplusplus)
}
#endif
#endif
