#!/usr/bin/env bash
# Jobs in which only some processes run with libpith-check: these are checked among themselves, right programs run as ever, and
# nobody waits for the others.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_CHECK_SECONDS=60
# mixed ARGS...; told: what was said, without numbers of calls and places
mixed() { timeout -k 5 60 "mpiexec.$mpi" "$@" >out 2>err; }
told() { grep '^pith' err | grep -v '  at ' | sed -E 's/check: [0-9]+ (coll|of)/check: N \1/'; }
errors() { told | grep -E 'rank [0-9]:|error' | sort; } # of ranks whose lines may come in any order
of() { echo "pith: of $1 processes $2 were started with pith run ($3); what they do together is checked among them"; }

for mpi in $(mpis); do
    compile partly "$mpi"
    plain="./partly-$mpi" checked="pith run --lib check ./partly-$mpi"
    sums="pith check: N of them with processes that are not checked: checked among the others"

    mixed -n 4 $checked; is "$? $(grep -o done out | wc -l) $(told)" "0 4 pith check: N collective calls of 4 ranks: no errors" "$mpi: all of 4" || cat err
    mixed -n 1 $plain : -n 2 $checked : -n 1 $plain
    is "$? $(grep -o done out | wc -l) $(told)" "0 4 $(of 4 2 1-2)
pith check: N collective calls of 2 ranks: no errors
$sums" "$mpi: 2 of 4: right calls are not disturbed" || cat err
    mixed -n 1 $checked : -n 1 $plain : -n 1 $checked
    is "$? $(grep -o done out | wc -l) $(told)" "0 3 $(of 3 2 0,2)
pith check: N collective calls of 2 ranks: no errors
$sums" "$mpi: 2 of 3, with one between them" || cat err
    mixed -n 1 $plain : -n 1 sh -c "$checked; exit \$?"
    is "$? $(grep -o done out | wc -l) $(told)" "0 2 $(of 2 1 1)
pith check: N collective calls of 1 rank: no errors
$sums" "$mpi: 1 of 2, behind a shell" || cat err
    mixed -n 1 $plain : -n 2 $checked : -n 1 pith run --lib time -o times $plain
    is "$? $(grep -o done out | wc -l) $(told | grep 'pith check') $(grep -m 1 -c '^MPI_Barrier ' times)" "0 4 pith check: N collective calls of 2 ranks: no errors
$sums 1" "$mpi: one with another library" || cat err
    PITH_QUIET=1 mixed -n 1 $plain : -n 1 $checked; is "$? $(told)" "0 " "$mpi: PITH_QUIET: nothing is said"

    # An error is found among those checked, by their ranks in MPI_COMM_WORLD.
    comm="communicator MPI_COMM_WORLD, 1st"
    mixed -n 1 $plain root : -n 2 $checked root : -n 1 $plain root
    is "$? $(grep -o done out | wc -l) $(errors)" "0 4 pith check: N collective calls of 2 ranks: 1 error
pith check: rank 2: MPI_Bcast: root is 1, but 0 on rank 1 ($comm collective call)" "$mpi: a wrong root on a communicator of all" || cat err
    mixed -n 1 $plain group : -n 2 $checked group : -n 1 $plain group
    is "$? $(grep -o done out | wc -l) $(errors)" "0 4 pith check: N collective calls of 2 ranks: 1 error
pith check: rank 1: MPI_Allreduce: op is MPI_MAX, but MPI_SUM on rank 2 (communicator of MPI_Comm_split, 1st collective call)" "$mpi: and an operation on one of some" || cat err

    # Who does not come; ended when that is said.
    PITH_CHECK_SECONDS=1 "mpiexec.$mpi" -n 1 $plain late : -n 2 $checked late : -n 1 $plain late >out 2>err &
    job=$!
    until grep -q 'has waited' err || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
    kill $job 2>/dev/null; wait $job 2>/dev/null
    like "$(cat err)" "^pith check: rank 1: has waited for [0-9]+ s in MPI_Barrier \($comm collective call\) for rank 2, which is in MPI_Recv from 0, tag 5$" "$mpi: who is waited for"
done
finish
