/* anim.h - the window that the animation library opens beside the program. */
#ifndef PITHI_ANIM_H
#define PITHI_ANIM_H

/* After MPI_Init: rank 0 starts `pith view --anim` for this job, once, detached: it is no child that the program's
 * wait() sees, holds none of its files, and neither delays nor ends it. Without a display, one line on stderr. */
void pithi_anim_begin(int result);

#endif
