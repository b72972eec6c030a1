/* anim.h - the window of the animation library, which opens while the program runs. */
#ifndef PITHI_ANIM_H
#define PITHI_ANIM_H

/* After MPI_Init: rank 0 starts `pith view --anim` for this job, once, detached. The program's wait() does not see the
 * window; the window holds none of the program's files, and neither delays nor ends the program. Without a display, it
 * prints one line on stderr.
 *
 * The libraries of this folder and of mpi/ have the same wrappers. This function is only in the first: in the other its
 * address is NULL. */
__attribute__((weak, visibility("hidden"))) void pithi_anim_begin(int result);

#endif
