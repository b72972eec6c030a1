/* misc_callstack.c - MPE's call stacks, by glibc's backtrace. */
#include "mpe_callstack.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>

void MPE_CallStack_init(MPE_CallStack_t *stack)
{
    enum { MOST = sizeof stack->frames / sizeof *stack->frames };

    stack->next = 0;
    stack->count = backtrace(stack->frames, MOST) - 1; /* without this function */
    memmove(stack->frames, stack->frames + 1, (size_t)stack->count * sizeof *stack->frames);
}

void MPE_CallStack_iteratorInit(MPE_CallStack_t *stack) { stack->next = 0; }

int MPE_CallStack_iteratorHasMore(MPE_CallStack_t *stack) { return stack->next < stack->count; }

const char *MPE_CallStack_iteratorFetchNext(MPE_CallStack_t *stack)
{
    Dl_info is;

    if (stack->next >= stack->count)
        return NULL;
    char *address = stack->frames[stack->next++];
    if (!dladdr(address, &is) || !is.dli_fname)
        snprintf(stack->line, sizeof stack->line, "%p", (void *)address);
    else if (is.dli_sname)
        snprintf(stack->line, sizeof stack->line, "%s+0x%tx (%s)", is.dli_sname, address - (char *)is.dli_saddr,
                 is.dli_fname);
    else
        snprintf(stack->line, sizeof stack->line, "+0x%tx (%s)", address - (char *)is.dli_fbase, is.dli_fname);
    return stack->line;
}

void MPE_CallStack_fancyprint(MPE_CallStack_t *stack, int fd, const char *line_prefix, int to_print_stack_index,
                              int max_printed_frames)
{
    const char *prefix = line_prefix ? line_prefix : "";

    MPE_CallStack_iteratorInit(stack);
    for (int i = 0; i < max_printed_frames && MPE_CallStack_iteratorHasMore(stack); i++) {
        const char *line = MPE_CallStack_iteratorFetchNext(stack);
        if (to_print_stack_index)
            dprintf(fd, "%s[%d] %s\n", prefix, i, line);
        else
            dprintf(fd, "%s%s\n", prefix, line);
    }
}

void MPE_CallStack_print(MPE_CallStack_t *stack, int fd) { MPE_CallStack_fancyprint(stack, fd, "", 0, stack->count); }
