/* choice.h - which functions the user wants to see: PITH_FUNCTIONS, patterns with commas between. */
#ifndef PITHI_CHOICE_H
#define PITHI_CHOICE_H

/* Whether PITH_FUNCTIONS takes the function in. Looked up once: `slot`, 0 at first, keeps the answer. The last pattern
 * that fits decides; one that begins with '-' takes out, and when the first does, the rest is in. No pattern: all are
 * in. Case does not matter: "MPI_*send*,-mpi_send_init". */
enum { PITHI_CHOICE_IN = 1, PITHI_CHOICE_OUT = 2 };
int pithi_choice_find(int *slot, const char *name);

static inline int pithi_chosen(int *slot, const char *name)
{
    int known = __atomic_load_n(slot, __ATOMIC_RELAXED);

    return (__builtin_expect(known != 0, 1) ? known : pithi_choice_find(slot, name)) == PITHI_CHOICE_IN;
}

#endif
