#!/usr/bin/env bash
# libpith-check: what a program leaves at MPI_Finalize is listed, each kind and call site in a line with its ranks; nothing else is.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
export PITH_CHECK_SECONDS=60 UCX_LOG_LEVEL=fatal OMPI_MCA_btl_tcp_if_include=lo
checked() { local mpi=$1 n=$2; shift 2; timeout -k 5 90 "mpiexec.$mpi" -n "$n" pith run --lib check "$@" >out 2>err; status=$?; }
left() { sed -n 's/^pith check: \(.*never [a-z]*\)/\1/p' err | sort; }
# at MARK: the line of leftover.c with the comment
at() { echo "leftover.c:$(grep -n "/\* left: $1 \*/" "$top/test/mpi/leftover.c" | cut -d: -f 1)"; }
all_of() { # all_of RANKS: what leftover.c leaves on so many ranks
    local n=$1 all="ranks 0-$(($1 - 1))" others="ranks 1-$(($1 - 1))"
    [ "$n" != 2 ] || { all='ranks 0,1'; others='rank 1'; }
    while IFS='|' read -r each who what mark end; do
        case $who in all) who=$all; count=$((each * n)) ;; others) who=$others; count=$((each * (n - 1))) ;; esac
        s=s; [ "$count" != 1 ] || s=
        echo "$who: $count ${what%% of *}$s of ${what##* of } at $(at "$mark") never $end"
    done <<'LINES' | sort
3|all|request of MPI_Irecv|Irecv|completed
1|all|request of MPI_Isend|Isend|completed
1|all|persistent request of MPI_Send_init|Send_init|freed
1|all|communicator of MPI_Comm_dup|Comm_dup|freed
1|others|datatype of MPI_Type_contiguous|Type_contiguous|freed
1|all|datatype of MPI_Type_get_contents|Type_get_contents|freed
1|all|file of MPI_File_open|File|closed
1|all|group of MPI_Comm_group|Comm_group|freed
1|all|group of MPI_Group_incl|Group_incl|freed
1|all|operation of MPI_Op_create|Op|freed
1|all|info object of MPI_Info_create|Info|freed
1|all|info object of MPI_Info_dup|Info_dup|freed
LINES
}

cat >left_f.f90 <<'END'
program left_f
    use mpi
    integer :: rank, ierr, x, request(3), comm, type, i
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    x = 0
    do i = 1, 3
        call MPI_Irecv(x, 1, MPI_INTEGER, 0, 5, MPI_COMM_SELF, request(i), ierr)
    end do
    do i = 1, 2
        call MPI_Cancel(request(i), ierr)
        call MPI_Wait(request(i), MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_free(comm, ierr)
    call MPI_Type_contiguous(2, MPI_INTEGER, type, ierr)
    call MPI_Finalize(ierr)
end
END

for mpi in $(mpis); do
    compile leftover "$mpi"
    is "$(nm "$build/obj/mpi-$mpi/check/left.o" | grep -cE ' U (malloc|calloc|realloc|free|backtrace)$')" 0 "$mpi: nothing is taken from malloc"
    for ranks in 2 4; do
        timeout -k 5 60 "mpiexec.$mpi" -n $ranks ./leftover-$mpi leave >plain 2>&1
        plain_status=$?
        checked "$mpi" $ranks ./leftover-$mpi leave
        is "$status $(cat out)" "$plain_status " "$mpi $ranks: status and output are the program's own"
        is "$(left)" "$(all_of $ranks)" "$mpi $ranks: each kind that is left, with its call site and ranks" || cat err
        is "$(grep -c 'a guess' err) $(sed -n 's/: [0-9]* coll/: N coll/p' err)" "0 pith check: N collective calls of $ranks ranks: no errors" "$mpi $ranks: nothing is guessed, and the last line is as ever"
    done
    checked "$mpi" 3 ./leftover-$mpi more # the status may be that of an abort in MPI_Finalize
    is "$(left)" "rank 0: 1 matched message of MPI_Mprobe at $(at Mprobe) never received
rank 0: at least 1 message of MPI_Isend at $(at 'to itself') never received
rank 1: at least 1 message of MPI_Send at $(at 'one of two') never received (which call: a guess, because several send to this rank with this tag)
ranks 0-2: 3 communicators of MPI_Comm_dup at $(at 'with a message') never freed
ranks 0-2: 3 requests of MPI_Isend at $(at long) never completed
ranks 0-2: 3 windows of MPI_Win_allocate at $(at Win) never freed
ranks 0-2: at least 3 messages of MPI_Isend at $(at long) never received
ranks 0-2: at least 3 messages of MPI_Send at $(at Send) never received" "$mpi: messages that nobody receives, and windows" || cat err
    for ranks in 1 2 4; do
        checked "$mpi" $ranks ./leftover-$mpi clean
        is "$status $(left) $(grep -c 'no errors' err)" "0  1" "$mpi $ranks: nothing is left" || cat err
    done
    checked "$mpi" 2 ./leftover-$mpi threads
    is "$status $(left)" "0 ranks 0,1: 8 datatypes of MPI_Type_contiguous at $(at 'of a thread') never freed" "$mpi: several threads" || cat err
    for seed in 1 2 3; do
        checked "$mpi" 1 ./leftover-$mpi random $seed
        wanted=$(while IFS='|' read -r count what mark; do
            case ${what%% of *} in request) end=completed ;; *) end=freed ;; esac
            echo "rank 0: $count ${what%% of *}s of ${what##* of } at $(at "$mark") never $end"
        done <out | sort)
        is "$status $(left)" "0 $wanted" "$mpi: objects in random order, seed $seed: as many as the program counts" || cat err
    done
    PITH_QUIET=1 checked "$mpi" 1 ./leftover-$mpi many 1000 1200000
    rss=$(sed -n 's/VmRSS:[^0-9]*\([0-9]*\).*/\1/p' out)
    is "$status $(joined "$(grep '^pith check' err)")" "0 pith check: rank 0: 1000 requests of MPI_Irecv at $(at many) never completed|pith check: rank 0: 1047575 info objects of MPI_Info_create at $(at infos) never freed|pith check: 152425 more objects were not followed: see pith-collcheck(7)" "$mpi: more than a million: the rest is counted"
    timeout -k 5 60 "mpiexec.$mpi" -n 1 ./leftover-$mpi many 1000 1200000 >out 2>err
    plain_rss=$(sed -n 's/VmRSS:[^0-9]*\([0-9]*\).*/\1/p' out)
    ok $((rss - plain_rss > 40000)) "$mpi: ... in at most 40 MB" || echo "# $rss kB, $plain_rss kB without"
    if command -v "mpif90.$mpi" >/dev/null; then
        "mpif90.$mpi" -w -g -o left-f left_f.f90
        checked "$mpi" 2 ./left-f
        is "$status $(left)" "0 ranks 0,1: 2 communicators of MPI_Comm_dup at left_f.f90:14 never freed
ranks 0,1: 2 datatypes of MPI_Type_contiguous at left_f.f90:17 never freed
ranks 0,1: 2 requests of MPI_Irecv at left_f.f90:8 never completed" "$mpi: Fortran" || cat err
    else skip "$mpi: Fortran" "no compiler"; fi
done
finish
