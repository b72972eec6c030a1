/* choice.c - see choice.h. */
#include "choice.h"

#include "group.h"
#include "pith_tool.h"

int pithi_choice_find(int *slot, const char *name, const char *classes)
{
    int chosen = pith_selected(name, pithi_group_of(name, classes)) ? PITHI_CHOICE_IN : PITHI_CHOICE_OUT;

    __atomic_store_n(slot, chosen, __ATOMIC_RELAXED);
    return chosen;
}
