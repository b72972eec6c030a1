/* choice.h - which functions the user wants to see: PITH_ONLY and PITH_SKIP, for libraries that do not record. */
#ifndef PITHI_CHOICE_H
#define PITHI_CHOICE_H

/* Whether the lists let the function in, by its name or its group. Looked up once: `slot`, 0 at first, keeps the
 * answer. `classes`: as in roles.table. */
enum { PITHI_CHOICE_IN = 1, PITHI_CHOICE_OUT = 2 };
int pithi_choice_find(int *slot, const char *name, const char *classes);

static inline int pithi_chosen(int *slot, const char *name, const char *classes)
{
    int known = __atomic_load_n(slot, __ATOMIC_RELAXED);

    return (__builtin_expect(known != 0, 1) ? known : pithi_choice_find(slot, name, classes)) == PITHI_CHOICE_IN;
}

#endif
