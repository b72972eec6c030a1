#!/usr/bin/env bash
# Collective calls that need not wait: under libpith-check ranks may free communicators in different orders, and what does not
# agree is found nevertheless. Where the check makes a process wait, it says so.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_CHECK_SECONDS=60
checked() { local mpi=$1 n=$2; shift 2; timeout -k 5 90 "mpiexec.$mpi" -n "$n" pith run --lib check "./collfree-$mpi" "$@" >out 2>err; status=$?; }
told() { echo "$status$(grep -v UCX out)"; sed -n '/^pith check/{/check:   .*at /d; / never [a-z]*$/d; s/check: [0-9]* coll/check: N coll/; s/waited for [0-9]* s/waited for N s/; p}' err | sort -u; }

for mpi in $(mpis); do
    compile collfree "$mpi"
    for ranks in 2 3; do
        checked "$mpi" $ranks right
        is "$(told)" "0
pith check: $ranks more not checked; see pith-collcheck(7)
pith check: N collective calls of $ranks ranks: no errors" "$mpi $ranks: communicators freed in different orders, and before a message" || cat err
    done
    of='(communicator of MPI_Comm_dup, 1st collective call)'
    for ranks in 2 4; do
        checked "$mpi" $ranks wrong
        is "$(told)" "0
pith check: N collective calls of $ranks ranks: 3 errors
pith check: rank 1: MPI_Barrier, but MPI_Comm_free on rank 0 $of
pith check: rank 1: MPI_Barrier, but MPI_Comm_set_info on rank 0 $of
pith check: rank 1: MPI_Bcast, but MPI_Comm_free on rank 0 $of" "$mpi $ranks: another call on the rank that does not free it: errors, as ever, and the error handler of what was freed" || cat err
    done
    ends_job() {
        checked "$mpi" 2 fatal
        [ "$((status != 0)) $(told | grep -c "rank 1: MPI_Barrier, but MPI_Comm_free on rank 0 $of")" = "1 1" ]
    }
    quota 1 3 ends_job # the launcher of Open MPI 5 now and then drops what a rank printed just before it ended the job
    ok $? "$mpi: the default error handler ends the job ($quota)" || cat err
    checked "$mpi" 2 left
    is "$(told)" "0
pith check: N collective calls of 2 ranks: 1 error
pith check: rank 0: MPI_Comm_free was not called by all processes $of" "$mpi: freed by rank 0 alone"
    lates() { PITH_CHECK_SECONDS=1 checked "$mpi" 2 late; [ "$(told)" = "0
pith check: N collective calls of 2 ranks: no errors
pith check: rank 0: has waited for N s in MPI_Barrier (communicator MPI_COMM_WORLD, 2nd collective call) for rank 1, which is not in MPI
pith check: rank 0: has waited for N s in MPI_Bcast (communicator MPI_COMM_WORLD, 1st collective call) for rank 1, which is not in MPI (the wait is that of the check: MPI need not wait here)
pith check: rank 0: has waited for N s in MPI_Bcast (communicator of MPI_Comm_idup, 1st collective call) for its other processes (the wait is that of the check: MPI need not wait here)" ]; }
    quota 1 3 lates # a rank without a core for two of three seconds does not wait long
    ok $? "$mpi: whose wait it is ($quota)" || cat err
done
finish
