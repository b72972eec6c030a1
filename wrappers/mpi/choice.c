/* choice.c - see choice.h. */
#include "choice.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

int pithi_choice_find(int *slot, const char *name)
{
    const char *at = getenv("PITH_FUNCTIONS");
    char pattern[128];

    if (!at)
        at = "";
    at += strspn(at, ", ");
    int chosen = *at == 0 || *at == '-';
    while (*at) {
        size_t size = strcspn(at, ", ");
        int out = *at == '-';
        if (size - (size_t)out < sizeof pattern) {
            memcpy(pattern, at + out, size - (size_t)out);
            pattern[size - (size_t)out] = 0;
            if (fnmatch(pattern, name, FNM_CASEFOLD) == 0)
                chosen = !out;
        }
        at += size;
        at += strspn(at, ", ");
    }
    chosen = chosen ? PITHI_CHOICE_IN : PITHI_CHOICE_OUT;
    __atomic_store_n(slot, chosen, __ATOMIC_RELAXED);
    return chosen;
}
