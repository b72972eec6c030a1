/* members.h - which processes of the job are recorded: those in which these wrappers are, too. All must know before the
 * first thing that they do together, for a collective call of some would wait for the others for ever, or be taken for
 * one of the program's.
 *
 * On one machine they are told by marks: before MPI_Init each process binds an abstract socket whose name says the job
 * and its rank. In MPI_Init the MPI library exchanges addresses, so nobody is back before all are in it; then every
 * process sees the same marks. They vanish with their process and leave nothing behind.
 *
 *     mpirun -n 2 pith run A : -n 1 B      marks of ranks 0 and 1, of 3 processes: these two make up the log
 *
 * Where the launcher does not say that all are on one machine, or no mark can be made, all are taken to be recorded,
 * and whoever waits too long for the others hears of it. */
#ifndef PITHI_MEMBERS_H
#define PITHI_MEMBERS_H

#include <mpi.h>

/* Right before MPI_Init. `library`: only those that have the same one do something together. */
void pithi_members_mark(const char *library);
/* After it: MPI_GROUP_NULL: all are recorded; else those that are, this one among them, to be freed. Then the first of
 * them says so on a line, which ends with `follows`; NULL: with the ranks that they have in the log. A line, too, where
 * the launcher was another MPI's, so that each process is alone. */
MPI_Group pithi_members_find(const char *follows);
/* Their ranks in MPI_COMM_WORLD, as "0-2,5"; "": all. */
const char *pithi_members_ranks(void);
/* They have done something together, so all have looked; or MPI_Init failed. */
void pithi_members_end(void);

#endif
