/* call_stack.c - finds the functions of a sample's stack that are worth showing (call_stack.h). */
#include "symbols/call_stack.h"

#include <string.h>

#include "base/error.h"
#include "base/map.h"

static const struct pithi_function *function_of(const struct pithi_sample_names *names,
                                                const struct pithi_stack_call *call)
{
    return pithi_function_get(names, call->function);
}

/* Returns the index of the first call to show, which is main. In a stripped program, main has no name, so the call
 * after libc's __libc_start_call_main is taken. If the stack has neither function, the first call outside _start and
 * libc is taken. */
static uint32_t first_inside(const struct pithi_sample_names *names, const struct pithi_call_stack *stack)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < stack->count; i++) {
        const char *name = function_of(names, &stack->calls[i])->name;
        if (!strcmp(name, "main"))
            return i;
        if (!strcmp(name, "__libc_start_call_main") && i + 1 < stack->count)
            first = i + 1;
    }
    while (first < stack->count && (!strcmp(function_of(names, &stack->calls[first])->name, "_start") ||
                                    pithi_function_is_libc(function_of(names, &stack->calls[first]))))
        first++;
    return first < stack->count ? first : 0;
}

static int is_mpi(const struct pithi_function *function)
{
    const char *name = function->name + (function->name[0] == 'P' || function->name[0] == 'p');
    return !strncmp(name, "MPI_", 4) || !strncmp(name, "mpi_", 4) || !strncmp(name, "MPI::", 5);
}

int pithi_call_stack_read(struct pithi_sample_names *names, const struct pithlog_record *record,
                          struct pithi_sample *sample, int all, struct pithi_call_stack *stack)
{
    struct pithi_inlined in;

    stack->count = 0;
    for (uint32_t i = sample->count; i > 0; i--) {
        CHECK(pithi_sample_functions(names, record, sample, i - 1, &in));
        for (uint32_t k = 0; k < in.count; k++) {
            if (!pithi_grow(&stack->calls, stack->count, &stack->room, sizeof *stack->calls))
                return pithi_no_memory();
            stack->calls[stack->count++] = (struct pithi_stack_call){in.functions[k], in.places[k]};
        }
    }
    if (all)
        return PITH_OK;
    /* Inside a call of MPI, `caller` is the program or library file that called MPI; outside of such a call it is NULL.
     * Calls inside MPI are left out up to a function of the caller's file, which MPI has called back. */
    const char *caller = NULL;
    uint32_t kept = 0;
    for (uint32_t i = first_inside(names, stack); i < stack->count; i++) {
        const struct pithi_function *function = function_of(names, &stack->calls[i]);
        int is_callback = caller && *caller && !strcmp(function->module, caller);
        if (caller && !is_callback && strcmp(function->name, PITHI_RECORDING) != 0)
            continue;
        if (caller && is_mpi(function)) /* leaves out the PMPI_ function below an MPI_ function */
            continue;
        caller = NULL;
        if (is_mpi(function))
            caller = kept > 0 ? function_of(names, &stack->calls[kept - 1])->module : "";
        stack->calls[kept++] = stack->calls[i];
    }
    stack->count = kept;
    return PITH_OK;
}
