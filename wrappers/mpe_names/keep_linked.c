/* keep_linked.c - in programs linked with -ltmpe, -lampe or -lmpe_collchk: refers to their library and to MPI's own.
 *
 * For linkers that drop a shared library of which the program seems to need nothing (--as-needed): a program in Fortran
 * names functions of MPI's Fortran library only, one in C finds all that it names in ours. */
#include <mpi.h>

struct kept {
    int (*init)(int *argc, char ***argv);
    MPI_Fint **ignore;
};
extern const struct kept pith_keep_linked;
const struct kept pith_keep_linked = {MPI_Init, &MPI_F_STATUS_IGNORE};
