#!/usr/bin/env bash
# libpith-check is not in the way of right programs that make calls in odd ways; what it tells of calls that only a group
# makes, and of calls with processes of another job.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_CHECK_SECONDS=60
program=collodd
checked() { local mpi=$1 n=$2; shift 2; timeout -k 5 60 "mpiexec.$mpi" -n "$n" pith run --lib check "./$program-$mpi" "$@" >out 2>err; status=$?; }
# All that was said but what Open MPI says at the end of processes that were spawned.
told() { echo "$status"; grep -hv UCX out; grep '^pith' err | grep -v '  at \| never [a-z]*$' | sort -u; }

for mpi in $(mpis); do
    compile collodd "$mpi"
    for ranks in 1 2 4; do
        checked "$mpi" $ranks right
        is "$(told | sed 's/check: [0-9]* coll/check: N coll/')" "0
pith check: $ranks more not checked; see pith-collcheck(7)
pith check: N collective calls of $ranks rank$([ $ranks = 1 ] || echo s): no errors" "$mpi $ranks: right programs are not disturbed" || cat err
    done
    compile signatures "$mpi"
    program=signatures checked "$mpi" 2
    is "$(told | sed 's/check: [0-9]* coll/check: N coll/')" "0
pith check: N collective calls of 2 ranks: no errors" "$mpi: datatypes with bounds, padding, empty parts: what holds no data does not count" || cat err
    world="on rank 0 (communicator MPI_COMM_WORLD"
    program=signatures checked "$mpi" 2 wrong
    is "$(told)" "0
pith check: 12 collective calls of 2 ranks: 5 errors
pith check: rank 1: MPI_Bcast: the data is 1 MPI_CHAR, but nothing $world, 5th collective call)
pith check: rank 1: MPI_Bcast: the data is 3 MPI_DOUBLE, but 2 MPI_DOUBLE $world, 1st collective call)
pith check: rank 1: MPI_Bcast: the data is 3 elements of several types, but 3 elements of several types $world, 4th collective call)
pith check: rank 1: MPI_Bcast: the data is 6 MPI_LONG, but 6 MPI_DOUBLE $world, 2nd collective call)
pith check: rank 1: MPI_Bcast: the data is 6 elements of several types, but 3 elements of several types $world, 3rd collective call)" "$mpi: and what does not match is found"
    checked "$mpi" 2 many
    is "$(told | sed 's/ [0-9]* coll/ N coll/; s/ [0-9]* more/ N more/')" "0
pith check: N more not checked; see pith-collcheck(7)
pith check: N collective calls of 2 ranks: 1 error
pith check: rank 1: MPI_Bcast: the data is 2 MPI_INT, but 1 MPI_INT on rank 0 (communicator of MPI_Comm_dup, 1st collective call)" "$mpi: more communicators than it follows, and then fewer"
    for ranks in 2 4; do
        members=0,1 count=2
        [ $ranks = 2 ] || members=0,1,2 count=3
        comm="(communicator MPI_COMM_WORLD"
        {
            echo "pith check: rank 1: MPI_Comm_create_group: tag is 6, but 5 on rank 0 $comm, tag 5, group of $count: $members)"
            echo "pith check: rank 1: MPI_Comm_create_group: group[0] is $((count - 1)), but 0 on rank 0 $comm, tag 5, group of $count: $members)"
            [ $ranks = 2 ] || echo "pith check: rank 1: MPI_Comm_create_group: the size of group is 3, but 4 on rank 0 $comm, tag 5, group of 4: 0,1,2,3)"
            if grep -q MPI_Comm_create_from_group "$build/gen/$mpi/check.c"; then
                echo "pith check: rank 1: MPI_Comm_create_from_group: stringtag is two, but one on rank 0 $comm, stringtag one, group of $count: $members)"
                echo "pith check: rank 0: MPI_Intercomm_create_from_groups: tag is three, but four at the other leader, rank 1 $comm, group of 1: 0)"
                echo "pith check: rank 1: MPI_Intercomm_create_from_groups: tag is four, but three at the other leader, rank 0 $comm, group of 1: 1)"
            fi
        } | sort >wanted
        checked "$mpi" $ranks groups
        is "$(told | grep -v ' calls of ')" "0
$(cat wanted)" "$mpi $ranks: calls that only a group makes"
    done
    checked "$mpi" 2 spawn
    if grep -q 'no spawn' out; then echo "# $mpi: MPI_Comm_spawn does not work here, also without Pith"; continue; fi
    here="pith check: 32 of them with processes of another job: checked among those of this one
pith check: 40 collective calls of 2 ranks: 1 error
pith check: rank 1: MPI_Bcast: root is 0, but MPI_ROOT or MPI_PROC_NULL on rank 0 (communicator of MPI_Comm_spawn, 5th collective call)"
    is "$(told)" "0
$here" "$mpi: an error before processes that were spawned, which are not checked"
    checked "$mpi" 2 spawn checked
    is "$(told)" "0
$(sort <<<"$here
pith check: 38 collective calls of 2 ranks: 1 error
pith check: spawned rank 1: MPI_Allreduce: op is MPI_MAX, but MPI_SUM on spawned rank 0 (communicator MPI_COMM_PARENT, 5th collective call)")" "$mpi: and one among those, where they are"
done
finish
