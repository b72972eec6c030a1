/* linked.c - reports if a program was linked with libpith-mpi in vain, and chooses which copy records if a process has
 * two copies of the wrappers.
 *
 * The linker takes MPI_Init from the first library on its command line that defines it. If that library is MPI itself,
 * or another library of wrappers, no call reaches this library. A destructor then reports this if MPI_Initialized shows
 * that the program used MPI. */
#include "base/say.h"
#include "job.h"
#include "base/launcher.h"
#include "real.h"

#ifdef PITHI_STATIC
#include "pith.h"
#include <link.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pithi_job_seen, pithi_job_aside; /* defined here, so that a use of them links this object from the archive */

/* Returns 1 if the program used an MPI that these wrappers can record. */
static int mpi_was_used(void)
{
    int flag = 0;
#ifdef PITHI_STATIC
    PMPI_Initialized(&flag);
#else
    int (*initialized)(int *);
    void *symbol = pithi_real_other_kind() ? NULL : pithi_real_symbol("PMPI_Initialized");
    memcpy(&initialized, &symbol, sizeof initialized);
    if (initialized)
        initialized(&flag);
#endif
    return flag;
}

/* Reports at the end of the process that no call came to these wrappers. */
__attribute__((destructor)) static void tell(void)
{
    if (pithi_job_seen || pithi_launcher_rank(0) != 0 || pithi_is_quiet() || !mpi_was_used())
        return;
    pithi_say("nothing was recorded: the program's MPI calls do not come to libpith-mpi; on the link line it "
              "must stand before the MPI library");
}

#ifdef PITHI_STATIC
/* Called for each loaded library. Returns 1 if it is the shared libpith-mpi, which pith run has preloaded into this
 * program, although the program contains the archive. The archive then does not record, because it calls PMPI_X, which
 * the shared library records. */
static int is_shared_one(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    return info->dlpi_name && strstr(info->dlpi_name, "/libpith-mpi.so") != NULL;
}

__attribute__((constructor)) static void stand_aside(void)
{
    if (!dl_iterate_phdr(is_shared_one, NULL))
        return;
    pithi_job_aside = pithi_job_seen = 1;
    pith_pause();
}
#endif
