/* nested.c - finds out whether the program or the MPI library made a nested call, by the return address of the call
 * (real.h). This file uses nothing of the recorder. */
#include "nested.h"

#include "real.h"

#include <stdlib.h>
#include <string.h>

__thread struct pithi_self pithi_self;

int pithi_nested_wanted(void)
{
    static int all = -1; /* -1: not read yet; threads that race read the same value */
    int want = __atomic_load_n(&all, __ATOMIC_RELAXED);

    if (want < 0) {
        const char *value = secure_getenv("PITH_NESTED");
        want = value && *value && strcmp(value, "0") != 0;
        __atomic_store_n(&all, want, __ATOMIC_RELAXED);
    }
    return want;
}

int pithi_nested_counts(const void *caller)
{
    return pithi_nested_wanted() || pithi_real_is_user(caller) || pithi_real_is_callback(caller);
}
