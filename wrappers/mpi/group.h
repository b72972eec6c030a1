/* group.h - the group of an MPI function in the legend, and the group's colour. */
#ifndef PITHI_GROUP_H
#define PITHI_GROUP_H

/* Return the group of a function, and the group's colour. `classes`: as in roles.table, may be "". */
const char *pithi_group_of(const char *name, const char *classes);
const char *pithi_group_colour(const char *name, const char *classes);

/* For libraries that do not record. Returns PITHI_CHOICE_IN if PITH_ONLY and PITH_SKIP select the function, by its name
 * or its group. *slot caches the answer; it is 0 at first. `classes`: as in roles.table. */
enum { PITHI_CHOICE_IN = 1, PITHI_CHOICE_OUT = 2 };
int pithi_choice_find(int *slot, const char *name, const char *classes);

/* Returns 1 if the function is selected. The arguments are those of pithi_choice_find. */
static inline int pithi_chosen(int *slot, const char *name, const char *classes)
{
    int known = __atomic_load_n(slot, __ATOMIC_RELAXED);

    return (__builtin_expect(known != 0, 1) ? known : pithi_choice_find(slot, name, classes)) == PITHI_CHOICE_IN;
}

#endif
