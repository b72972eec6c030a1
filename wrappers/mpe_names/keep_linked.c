/* keep_linked.c - keeps -ltmpe, -lampe or -lmpe_collchk and the MPI library linked to a program.
 *
 * Some linkers drop a shared library if the program uses none of its symbols (--as-needed). A Fortran program uses only
 * functions of MPI's Fortran library, so Pith's library would be dropped. A C program finds all its functions in Pith's
 * library, so the MPI library would be dropped. This object refers to both libraries, which keeps them. */
#include <mpi.h>

struct kept_symbols {
    int (*init)(int *argc, char ***argv); /* never called; both members only make the linker keep the libraries */
    MPI_Fint **ignore;
};
extern const struct kept_symbols pith_keep_linked;
const struct kept_symbols pith_keep_linked = {MPI_Init, &MPI_F_STATUS_IGNORE};
