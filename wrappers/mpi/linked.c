/* linked.c - says when a program was linked with libpith-mpi in vain.
 *
 * The linker takes MPI_Init from the first library on its line that has it. When that is MPI itself, or another library of
 * wrappers, nothing comes here. Nobody can say so while the program runs, for no code of ours does; at its end the MPI
 * library knows that it was used. */
#include "job.h"
#include "launcher.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mpi_was_used(void)
{
    int flag = 0;
#ifdef PITHI_STATIC
    PMPI_Initialized(&flag);
#else
    int (*initialized)(int *);
    void *symbol = pithi_real_symbol("PMPI_Initialized");
    memcpy(&initialized, &symbol, sizeof initialized);
    if (initialized)
        initialized(&flag);
#endif
    return flag;
}

__attribute__((destructor)) static void tell(void)
{
    const char *quiet = getenv("PITH_QUIET");

    if (pithi_job_seen || pithi_launcher_rank(0) != 0 || (quiet && *quiet && strcmp(quiet, "0") != 0) ||
        !mpi_was_used())
        return;
    fprintf(stderr,
            "pith: nothing was recorded: the program's MPI calls do not come to libpith-mpi; on the link line it "
            "must stand before the MPI library\n");
}
