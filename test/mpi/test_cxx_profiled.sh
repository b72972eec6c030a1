#!/usr/bin/env bash
# libpith-pcxx: an unchanged object file that uses Pith's C++ bindings, linked plain, with the profiling library, and with its own
# member functions, with shared and static libraries; and profiling libraries made with wrappergen --cxx.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

relaxed="relax: 240 cells, 100 steps, heat 7.498718, last change 0.039795"
# named LOG: prints "NAME COUNT" for all MPI calls.
named() { lines "$1" enter | cut -f 4 | grep '^MPI' | sort | uniq -c | awk '{ print $2, $1 }'; }
# wanted RANKS: prints the calls that the sample makes.
wanted() {
    sed "s/\$/ $1/; s/ 100 / 100 * /" <<<'MPI::Cartcomm::Shift 100
MPI::Comm::Allreduce 100
MPI::Comm::Free
MPI::Comm::Get_rank
MPI::Comm::Get_size
MPI::Comm::Irecv 100
MPI::Comm::Reduce
MPI::Comm::Send 100
MPI::Comm::Sendrecv 100
MPI::Finalize
MPI::Init
MPI::Intracomm::Create_cart
MPI::Request::Wait 100' | awk '{ print $1, (NF > 2 ? $2 * $NF : $2) }'
}
# run_linked MPI RANKS NAME: runs ./NAME; its log is NAME.pith, its output is in out
run_linked() {
    rm -rf "$3.pith" "$3.pith.spill"
    PITH_LOG=$3.pith timeout -k 5 90 "mpiexec.$1" -n "$2" "./$3" >out 2>err
}

cat >count.w <<'E1'
#include <mpi.h>
#include <stdio.h>
{{foreachfn f MPI_Send}}static long calls_{{f}};
{{endforeachfn}}static const char *last;
{{fn f MPI_Send}}{{callfn}} calls_{{f}}++; last = "{{f}}";{{endfn}}
{{fn f MPI_Finalize}}{{foreachfn g MPI_Send}}fprintf(stderr, "{{f}}: {{g}} %ld, the last %s\n", calls_{{g}}, last);{{endforeachfn}} {{callfn}}{{endfn}}
E1
for mpi in $(mpis); do
    MPICC=mpicc.$mpi wrappergen --guard count.w -o count.c && MPICC=mpicc.$mpi wrappergen --cxx --guard count.w -o count.cc
    ok $? "$mpi: wrappergen, for C and C++"
    lib=$build/lib/pith/$mpi samples=$build/samples/$mpi
    [ -e "$lib/libpith-pcxx.so" ] || { skip "$mpi: libpith-pcxx" "no C++ compiler"; continue; }
    for ranks in 1 2 4; do
        is "$(mpiexec_of "$mpi" $ranks "$samples/relax" 2>&1)" "$relaxed" "$mpi $ranks: plain"
        ln -sf "$samples/relax-recorded" recorded
        run_linked "$mpi" $ranks recorded
        is "$? $(<out)" "0 $relaxed" "$mpi $ranks: recorded: the same output" || cat err
        is "$(named recorded.pith)" "$(wanted $ranks)" "$mpi $ranks: recorded: each call once, by its C++ name"
        is "$(pith info recorded.pith | grep -E '^(messages|unmatched|complete|lost)' | tr -s ' \n' ' ')" "complete: yes messages: $((200 * (ranks - 1))) lost: 0 " "$mpi $ranks: recorded: its messages, all matched"
        is "$(lines recorded.pith comm | cut -f 4- | grep -c op=create)" $ranks "$mpi $ranks: recorded: its communicator"
        is "$(mpiexec_of "$mpi" $ranks "$samples/relax-own" 2>&1 | sort)" "own: $((100 * (ranks - 1))) messages of $((800 * (ranks - 1))) bytes by MPI::Comm::Send
$relaxed" "$mpi $ranks: with member functions of its own"
    done

    # On request the log shows the C calls inside; the messages are unchanged.
    pith stat recorded.pith --by comm --csv >comms
    export PITH_NESTED=1; run_linked "$mpi" 4 recorded; unset PITH_NESTED
    is "$(named recorded.pith | grep -E 'Send |Finalize')" "MPI::Comm::Send 400
MPI::Finalize 4
MPI_Send 400" "$mpi: PITH_NESTED=1: the call of C inside"
    is "$(pith print recorded.pith --lane 1 | grep -A 4 -P '\tenter\tMPI::Comm::Send$' | head -n 5 | cut -f 4-5,7 | tr '\t\n' ' ,')" "enter MPI::Comm::Send,enter MPI_Send,send  peer=0,leave MPI_Send,leave MPI::Comm::Send," "$mpi: in this order"
    is "$(pith info recorded.pith | grep ^messages)" "messages: 600" "$mpi: PITH_NESTED=1: each message once"
    is "$(pith stat recorded.pith --by comm --csv | cut -d, -f 1-3)" "$(cut -d, -f 1-3 comms)" "$mpi: communicators as before"

    # pith run, without relinking; other libraries and PITH_ONLY.
    PITH_QUIET=1 mpiexec_of "$mpi" 4 pith run -o run.pith "$samples/relax" >out 2>err
    is "$? $(<out) $(named run.pith)" "0 $relaxed $(wanted 4)" "$mpi: pith run: the same names" || cat err
    PITH_QUIET=1 mpiexec_of "$mpi" 2 pith run --lib trace "$samples/relax" >out 2>err
    is "$? $(grep -cE '^\[[01]\] Ending MPI_Send( |$)' err)" "0 200" "$mpi: --lib trace: C's names"
    PITH_QUIET=1 PITH_SKIP='MPI::Comm::*,MPI wait' mpiexec_of "$mpi" 2 pith run -o skip.pith "$samples/relax" >out 2>err
    is "$(named skip.pith | tr '\n' ' ')" "MPI::Cartcomm::Shift 200 MPI::Finalize 2 MPI::Init 2 MPI::Intracomm::Create_cart 2 " "$mpi: PITH_SKIP: by name and by group"
    is "$(pith info skip.pith | grep ^messages)" "messages: 200" "$mpi: and the messages stay"

    # Static libraries, in one pass; the program's own members before them.
    archives=("$lib/libpith-pcxx.a" "$lib/libpith-cxx.a" "$lib/libpith-mpi.a" "$build/lib/libpith.a" -lz -lpthread -lm)
    "mpicxx.$mpi" -o archived "$samples/relax.o" "${archives[@]}" 2>err; ok $? "$mpi: archives: links" || cat err
    run_linked "$mpi" 2 archived
    is "$? $(<out) $(named archived.pith)" "0 $relaxed $(wanted 2)" "$mpi: archives: the same" || cat err
    "mpicxx.$mpi" -o mine "$samples/relax.o" "$samples/own.o" "${archives[@]}" 2>err; ok $? "$mpi: archives, with own members: links" || cat err
    run_linked "$mpi" 2 mine
    is "$? $(sort out | head -n 1)" "0 own: 100 messages of 800 bytes by MPI::Comm::Send" "$mpi: own members count" || cat err
    is "$(named mine.pith | grep -E 'Send|Finalize|Wait' | tr '\n' ' ')" "MPI::Comm::Sendrecv 200 MPI::Request::Wait 200 MPI_Finalize 2 MPI_Send 200 " "$mpi: the others are recorded as before, theirs in C"

    # A user's library made from one template, for C and C++: each call counts once.
    "mpicc.$mpi" -Wall -c -o count_c.o count.c 2>err && "mpicxx.$mpi" -std=c++11 -Wall -I"$build/include/pith-cxx" -c -o count_cxx.o count.cc 2>>err &&
        "mpicxx.$mpi" -o counted "$samples/relax.o" count_cxx.o count_c.o "$lib/libpith-cxx.a" 2>>err
    is "$? $(cat err)" "0 " "$mpi: wrappers for C and C++ of one template compile and link"
    is "$(mpiexec_of "$mpi" 2 ./counted 2>&1 | sort | uniq -c | sed 's/^ *//')" "2 MPI::Finalize: MPI_Send 100, the last MPI::Comm::Send
1 $relaxed" "$mpi: each call counts once"
    is "$(nm -C "$lib/libpith-pcxx.a" 2>/dev/null | grep -c ' T MPI::')" 0 "$mpi: every member of the archive may be replaced"
done
finish
