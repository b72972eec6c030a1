#!/usr/bin/env bash
# The corners of a run: callbacks, Pcontrol, calls outside of MPI_Init and MPI_Finalize, ends of all kinds, threads.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched

for mpi in $(mpis); do
    compile corners "$mpi"

    for mode in callbacks jumps; do
        record corners "$mpi" 1 $mode
        is "$status $(cat out)" "0 1 2" "$mpi: $mode work" || cat err
        is "$(calls corners.pith MPI_Type_size) $(calls corners.pith MPI_Initialized) $(calls corners.pith MPI_Finalized) $(calls corners.pith MPI_Error_class)" "1 1 2 1" \
            "$mpi: $mode: what an operation, copy and delete functions, an error handler call is recorded"
        is "$(lines corners.pith '(enter|leave)' | cut -f 3,4 | grep -A 3 'enter.MPI_Reduce_local' | tr '\t\n' '  ')" \
            "enter MPI_Reduce_local enter MPI_Type_size leave MPI_Type_size leave MPI_Reduce_local " "$mpi: $mode: nested in the call that they are called from"
    done
    plain_calls=$(lines corners.pith enter | wc -l)
    PITH_NESTED=1 record corners "$mpi" 1 callbacks
    ok $(($(lines corners.pith enter | wc -l) < plain_calls)) "$mpi: PITH_NESTED=1 records no less"

    record corners "$mpi" 2 pcontrol
    is "$status" 0 "$mpi: Pcontrol"
    is "$(calls corners.pith MPI_Barrier) $(calls corners.pith MPI_Irecv) $(calls corners.pith MPI_Wait)" "2 0 2" "$mpi: what lies between Pcontrol(0) and (1) is not recorded"
    is "$(lines corners.pith '(pause|resume)' | cut -f 1,3 | sort -k 1,1 -s | tr '\t\n' '  ')" "0 pause 0 resume 1 pause 1 resume " "$mpi: both moments are" ||
        lines corners.pith '(pause|resume)'
    is "$(calls corners.pith MPI_Pcontrol) $(lines corners.pith leave | grep -c MPI_Pcontrol)" "8 8" "$mpi: Pcontrol itself is"
    is "$(lines corners.pith '(leave|pause|resume|enter)' | grep -P '^0\t' | cut -f 3,4 | grep -B1 -A2 '^pause' | tr '\t\n' '  ')" \
        "leave MPI_Pcontrol pause  resume  enter MPI_Pcontrol " "$mpi: outside of the pause"
    like "$(./matched corners.pith)" "messages 4 wrong 0 unsized 0 unmatched 0 0" "$mpi: a receive posted and a communicator made in a pause are known after it"

    record corners "$mpi" 2 outside
    is "$status" 0 "$mpi: calls before MPI_Init and after MPI_Finalize"
    is "$(calls corners.pith MPI_Initialized) $(calls corners.pith MPI_Get_version) $(calls corners.pith MPI_Finalize)" "2 2 2" "$mpi: those before are recorded"

    record corners "$mpi" 2 status; plain corners "$mpi" 2 status
    is "$status" "$plain_status" "$mpi: the exit status is the program's"
    for try in 1 2 3; do # Where processes are gone at once, MPICH's mpiexec may die of SIGPIPE, and Open MPI's may drop a line.
        record corners "$mpi" 2 nothing; plain corners "$mpi" 2 nothing
        [ "$status" = 141 ] || [ "$plain_status" = 141 ] || ! grep -q '^pith: nothing was recorded' err || break
    done
    is "$status $(grep -c '^pith: nothing was recorded' err)" "$plain_status 1" "$mpi: a program that calls no MPI function: said once"

    for mode in unfinished abort; do
        record corners "$mpi" 2 $mode
        [ "$status" != 124 ] && ! grep -q 'TIMED OUT' out err; ok $? "$mpi: $mode: no hang"
        ok "$([ -d corners.pith.spill ]; echo $?)" "$mpi: $mode: the records stay"
        pith recover corners.pith.spill -o corners.pith >/dev/null 2>&1
        is "$(calls corners.pith MPI_Comm_size) $(calls corners.pith MPI_Init)" "2 2" "$mpi: $mode: and are recovered"
    done
    # MPICH's mpiexec loses what was written just before MPI_Abort once in a while, its own lines too.
    if [ -s err ] || [ "$mpi" != mpich ]; then
        is "$(grep -c '^pith: .*pith recover' err)" 1 "$mpi: MPI_Abort: one line says how" || cat err
    else
        ok 0 "$mpi: MPI_Abort: mpiexec lost the standard error"
    fi

    record corners "$mpi" 2 threads
    is "$status" 0 "$mpi: threads" || cat err
    if grep -q 'no threads' out; then echo "# $mpi: MPI_THREAD_MULTIPLE is not there"; else
        like "$(./matched corners.pith)" "messages 1680 wrong 0 unsized 0 unmatched 0 0 nobody 0" "$mpi: threads: all messages matched"
        is "$(calls corners.pith MPI_Barrier)" 1600 "$mpi: threads: every call recorded"
        is "$(lines corners.pith comm | grep -c op=free)" 16 "$mpi: threads: their communicators"
        is "$(pith info corners.pith | sed -n 's/^lanes: //p')" 18 "$mpi: threads: a lane each, and for those that come and go one that is free"
    fi

    record corners "$mpi" 2 sessions
    if [ "$status" = 77 ]; then echo "# $mpi: has no sessions, as it is older than MPI 4"; else
        is "$status $(tr '\n' ' ' <out)" "0 2 2 " "$mpi: sessions in place of MPI_Init" || cat err
        like "$(./matched corners.pith)" "messages 2 wrong 0 unsized 0 unmatched 0 0" "$mpi: sessions: messages matched"
        is "$(calls corners.pith MPI_Session_finalize) $(colls corners.pith | wc -l) $(pith info corners.pith | sed -n 's/^ranks: //p')" "2 2 2" "$mpi: sessions: one log"
        for ranks in 1 2; do
            timeout -k 5 90 "mpiexec.$mpi" -n $ranks pith run --lib check "./corners-$mpi" sessions >out 2>err
            is "$? $(tr '\n' ' ' <out)" "0 $(yes $ranks | head -n $ranks | tr '\n' ' ')" "$mpi: sessions: nothing is checked, with $ranks" || cat err
        done
    fi
done
finish
