/* keep_linked.c - keeps -ltmpe, -lampe or -lmpe_collchk and the MPI library linked to a program.
 *
 * Some linkers drop a shared library none of whose symbols a program uses (--as-needed). A Fortran program uses only
 * functions of MPI's Fortran library, and all functions that a C program uses are in Pith's library. So this object
 * refers to both the MPI library and Pith's. */
#include <mpi.h>

struct kept_symbols {
    int (*init)(int *argc, char ***argv); /* never called: they only make the linker keep both libraries */
    MPI_Fint **ignore;
};
extern const struct kept_symbols pith_keep_linked;
const struct kept_symbols pith_keep_linked = {MPI_Init, &MPI_F_STATUS_IGNORE};
