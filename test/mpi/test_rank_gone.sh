#!/usr/bin/env bash
# A job of which all records of one rank are gone: recover and info say so, by status and reason. Ranks that PITH_RANKS leaves out are
# not missing. The commands in messages are words for the shell, whatever the log is called.
. "$(dirname "$0")/../lib.sh"
cat >dies.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        for (MPI_Abort(MPI_COMM_WORLD, 3);;) /* (that of MPICH 4.2 may return) */
            pause();
    return MPI_Finalize();
}
END
# Delays the line about the records, as if the process that prints it had no core just then.
cat >late.c <<'END'
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int fd, const void *text, size_t size)
{
    if (fd == 2 && memmem(text, size, "records are kept", 16))
        usleep(200000);
    return syscall(SYS_write, fd, text, size);
}
END
${CC:-cc} -shared -fPIC -O1 -o late.so late.c
ok $? "a library that delays a line"
says_late() {
    rm -rf late.pith*
    mpiexec_of "$mpi" 4 "$top/test/mpi/preload" "$PWD/late.so" pith run -o late.pith "./dies-$mpi" now >out 2>err
    grep 'records are kept: pith recover' err >/dev/null
}
# died COMMAND...: runs ./dies-MPI by it; the launcher of MPICH may end before the last rank that it kills.
died() {
    "$@" "./dies-$mpi" now >out 2>err
    for _ in {1..100}; do
        pgrep -x -u "$(id -u)" "dies-$mpi" >/dev/null || break
        sleep 0.05
    done
}
# remove_rank_1 FOLDER: removes its spill file
remove_rank_1() {
    local file
    for file in "$1"/*.spill; do
        [ "$(od -An -t d4 -j 12 -N 4 "$file" | tr -d ' ')" = 1 ] && rm "$file" # (struct pithi_spill_page)
    done
}
# The command in the line of a job that died makes a log of its two ranks, whatever the log's name is.
recovers_odd() {
    rm -rf "$odd"*
    died mpiexec_of "$mpi" 2 pith run -o "$odd"
    eval "$(sed -n 's/.*records are kept: //p' err)" >said 2>&1
    [ "$? $(pith info "$odd" 2>/dev/null | grep '^ranks:')" = "0 ranks: 2" ]
}

for mpi in $(mpis); do
    "mpicc.$mpi" -o "dies-$mpi" dies.c
    ok $? "$mpi: the program compiles"
    rm -rf ./*.spill ./*.pith
    died mpiexec_of "$mpi" 4 pith run -o all.pith
    is "$(pith recover all.pith.spill >said; echo $?) $(pith info all.pith | grep -c '^complete: yes')" "0 1" "$mpi: all ranks are there" || cat said err
    rm all.pith
    remove_rank_1 all.pith.spill
    pith recover all.pith.spill >said
    is $? 1 "$mpi: rank 1 is gone: exit status 1"
    is "$(sed 's/, [0-9]* records$//' said)" "all.pith: 3 of 4 ranks
  no records of rank 1" "$mpi: rank 1 is gone: recover says which"
    is "$(pith info all.pith 2>/dev/null | grep -E '^(complete|incomplete)')" "complete: no
incomplete: no records of rank 1" "$mpi: rank 1 is gone: so does the log"

    PITH_RANKS=0-2 died mpiexec_of "$mpi" 4 pith run -o some.pith
    is "$(pith recover some.pith.spill >said; echo $?) $(pith info some.pith | grep -c '^complete: yes')" "0 1" "$mpi: rank 3 is left out by PITH_RANKS" || cat said
    rm some.pith
    remove_rank_1 some.pith.spill
    is "$(pith recover some.pith.spill >said; echo $?) $(pith info some.pith 2>/dev/null | grep '^incomplete')" \
        "1 incomplete: no records of 1 of the 3 ranks in PITH_RANKS" "$mpi: another one is gone"

    odd="it's \$1.pith"
    mpiexec_of "$mpi" 2 pith run -o "$odd" "./dies-$mpi" >out 2>err
    is "$(eval "printf '%s|' $(sed -n 's/.*open it with: pith view //p' err)")" "$odd|" "$mpi: the command that opens an odd name" || cat err
    rm -f "$odd"
    quota 2 3 recovers_odd # a launcher may end the job before the line is out
    ok $? "$mpi: the command that recovers it ($quota)" || cat err said
    rm -rf "$odd"*
    quota 4 5 says_late
    ok $? "$mpi: a process that ends the job waits for the line of another one ($quota)" || cat err
done
finish
