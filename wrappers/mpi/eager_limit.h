/* eager_limit.h - how long a message may be that goes at once; longer ones that MPI_Isend has posted stay until their
 * sender waits, which `pith compensate` must know. */
#ifndef PITHI_EAGER_LIMIT_H
#define PITHI_EAGER_LIMIT_H

/* Between MPI_Init and MPI_Finalize: tells the log what is known, as its property eager_bytes (native/SPEC.md). */
void pithi_eager_tell(void);

#endif
