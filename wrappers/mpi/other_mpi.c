/* other_mpi.c - keeps the wrappers away from programs of another MPI.
 *
 * pith run looks at the program that it starts. But if that is a script, the programs that it starts inherit
 * LD_PRELOAD, and may be linked with another MPI than its launcher's. Their calls would come to wrappers that misread
 * them. When this library is loaded, nothing of the program has run yet, so the program is executed again without the
 * wrappers. A program that loads its MPI later (Python) ends with a message in its first call (real.c). */
#include "base/launcher.h"
#include "base/say.h"
#include "real.h"

#ifndef PITHI_STATIC
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Removes the libraries of this library's folder from LD_PRELOAD, in place: the program's allocator may not be ready.
 * Returns their number. */
static int leave_preload(void)
{
    char *list = secure_getenv("LD_PRELOAD");
    Dl_info own;
    int count = 0;

    if (!list || !dladdr((void *)leave_preload, &own) || !own.dli_fname || !strrchr(own.dli_fname, '/'))
        return 0;
    size_t folder = (size_t)(strrchr(own.dli_fname, '/') - own.dli_fname) + 1;
    char *to = list;
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ": "), after = size + (at[size] != 0);
        int is_ours = size > folder && !strncmp(at, own.dli_fname, folder);
        if (!is_ours) {
            memmove(to, at, after);
            to += after;
        }
        count += is_ours;
        at += after;
    }
    *to = 0;
    return count;
}

__attribute__((constructor)) static void stay_away(int argc, char **argv)
{
    const char *other = pithi_real_other_kind();
    char path[PATH_MAX];
    ssize_t size = other ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;

    (void)argc;
    if (size <= 0)
        return;
    path[size] = 0;
    /* A loader that was named on the command line would need that line. */
    if (!strncmp(strrchr(path, '/') + 1, "ld", 2) || !leave_preload())
        return;
    if (pithi_launcher_rank(0) == 0)
        pithi_say("%s: uses %s, which these wrappers cannot record; it runs unrecorded", argv[0], other);
    /* Tells libpith-run that the reason was said (run/preload/note.c). */
    char *note = secure_getenv("_PITH_RUN"), *rank = note ? strchr(note, ' ') : NULL,
         *mpi = rank ? strchr(rank + 1, ' ') : NULL;

    if (mpi)
        mpi[1] = '!';
    execv(path, argv);
}
#endif
