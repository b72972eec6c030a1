/* members.h - finds out which processes of the job are recorded, that is, which have these wrappers. Each recorded
 * process must know all the others before the recorder's first collective call. Otherwise that call would wait forever
 * for the other processes, or match a call of the program.
 *
 * On one machine the processes use marks: before MPI_Init each process binds an abstract socket with the job and its
 * rank in its name. MPI_Init exchanges addresses, so it returns in no process before all processes have called it.
 * After MPI_Init, therefore, every process sees the same marks. A mark disappears with its process.
 *
 *     mpirun -n 2 pith run A : -n 1 B      ranks 0 and 1 of 3 processes have marks: the log has these two
 *
 * The name of a mark also has the version of the recorder's protocol (PITH_PROTOCOL), so only processes with the same
 * version are recorded together.
 *
 * If the job is on several machines, or marks are not possible, all processes count as recorded, and they compare their
 * versions by MPI. A process that waits too long for the others prints a line. Variables that the launcher sets show
 * whether all processes are on one machine. Without such variables, the processes that the launcher started on this
 * machine are counted. */
#ifndef PITHI_MEMBERS_H
#define PITHI_MEMBERS_H

#include <mpi.h>

/* Call it right before MPI_Init. `library`: a name; only processes that pass the same name are recorded together. */
void pithi_members_mark(const char *library);
/* Call it after MPI_Init. Returns MPI_GROUP_NULL if all processes are recorded, else the group of the recorded ones, of
 * which this process is one; the caller frees it. The first recorded process prints a line that ends with `follows`, or
 * with the ranks in the log if `follows` is NULL. Also prints a line if the launcher of another MPI started the
 * processes, so that each of them is a job of its own. */
MPI_Group pithi_members_find(const char *follows);
/* The ranks of the recorded processes in MPI_COMM_WORLD, as "0-2,5"; "": all. */
const char *pithi_members_ranks(void);
/* Removes the mark. Call it after a collective call, when all have read the marks; or if MPI_Init failed. */
void pithi_members_end(void);

#endif
