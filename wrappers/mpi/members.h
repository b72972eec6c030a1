/* members.h - the processes of the job that are recorded: those with these wrappers. All must know them before our
 * first collective call, which would otherwise wait forever for the other processes, or match a call of the program.
 *
 * On one machine the processes use marks: before MPI_Init each process binds an abstract socket with the job and its
 * rank in its name. MPI_Init exchanges addresses, so no process returns before all have entered it; then every process
 * sees the same marks. A mark disappears with its process.
 *
 *     mpirun -n 2 pith run A : -n 1 B      marks of ranks 0 and 1, of 3 processes: these two make up the log
 *
 * A mark is also named after the number of our protocol (PITH_PROTOCOL), so processes with different versions of Pith
 * work apart.
 *
 * If the job is on several machines, or marks are not possible, all processes count as recorded. They compare their
 * versions by MPI. A process that waits too long for the others reports it. Whether all processes are on one machine
 * is known from the launcher, else from the processes that it started. */
#ifndef PITHI_MEMBERS_H
#define PITHI_MEMBERS_H

#include <mpi.h>

/* Right before MPI_Init. `library`: only processes with the same library work together. */
void pithi_members_mark(const char *library);
/* After MPI_Init. MPI_GROUP_NULL: all are recorded; else the group of those that are, including this process; the
 * caller frees it. The first of them prints a line that ends with `follows`; NULL: with their ranks in the log. Also
 * prints a line if another MPI's launcher started the processes, so that each is alone. */
MPI_Group pithi_members_find(const char *follows);
/* The ranks of the recorded processes in MPI_COMM_WORLD, as "0-2,5"; "": all. */
const char *pithi_members_ranks(void);
/* Removes the mark: a collective call has ended, so all have read the marks; or MPI_Init failed. */
void pithi_members_end(void);

#endif
