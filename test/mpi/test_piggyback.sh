#!/usr/bin/env bash
# PITH_COMPENSATE leaves results, statuses, data and errors as they are without, byte by byte, whatever goes along how.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/functions.sh"
waiting_sleeps # the program asks for its messages in loops; that took two thirds of the processor time
told() { cat told.* >"$1"; rm -f told.*; }
# compensated MODE MPI RANKS ARGS: recorded with it; what it has told as ./told.
compensated() {
    local mode=$1 mpi=$2 ranks=$3
    shift 3
    rm -rf log.pith*
    PITH_COMPENSATE=$mode TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" pith run -o log.pith "./carried_all-$mpi" "$@" >out 2>err
}

# late HOW LEAST MOST: of 60 starts in two ranks, so many were late ($often); a busy machine makes others late, too
late() {
    LD_PRELOAD='' timeout -k 5 60 "mpiexec.$mpi" -n 2 pith run -o log.pith ./refused "$1" >out 2>err || return
    often=$(pith info log.pith | sed -n 's/^compensate: .*(\(.* \|\)late \([0-9]*\).*/\2/p')
    [ "${often:=0}" -ge "$2" ] && [ "$often" -le "$3" ]
}

for mpi in $(mpis); do
    compile carried_all "$mpi"
    [[ $mpi != openmpi || $(mpiexec.openmpi --version) != *' 6.'* ]] ||
        skip "$mpi: a persistent collective outlives its communicator" "Open MPI 6.0.0 crashes, without Pith, too"
    for ranks in 1 2 4; do
        timeout -k 5 90 "mpiexec.$mpi" -n $ranks "./carried_all-$mpi" >out 2>err
        is "$?" 0 "$mpi $ranks: without Pith" || head -n 5 err
        told plain
        [ $ranks = 2 ] && cp plain two
        for mode in message datatype auto; do
            [ "$mode $ranks" = "datatype 1" ] && continue # what it does, auto does for the larger ones
            name="$mpi $ranks $mode"
            compensated $mode "$mpi" $ranks
            is "$?" 0 "$name: runs" || head -n 5 err
            told got
            is "$(cat got)" "$(cat plain)" "$name: all as without Pith"
            like "$(pith info log.pith)" "^compensate: $mode, own costs only for [1-9][0-9]* calls \(collectives [0-9]+, communicators " "$name: what was not carried is counted"
            is "$(pith info log.pith | grep -c '^delay_ns [0-9]*: [0-9]*$')" $ranks "$name: the delay of each rank"
        done
    done
    # Without memory for what requests carry there are some places; beyond these the library refuses, and nothing is lost.
    for how in "no_memory -g" "no_memory.so -fPIC -shared"; do
        "mpicc.$mpi" -std=gnu11 -O1 -fno-builtin ${how#* } -I"$build/include" -I"$build/layers/analysis" -I"$top/wrappers/"{mpi,handles,compensate} -o "${how%% *}" "$top/test/mpi/no_memory.c" -ldl
    done
    export PITH_COMPENSATE=auto
    is "$(timeout -k 5 90 "mpiexec.$mpi" -n 1 pith run -o log.pith ./no_memory 2>err) $(grep -c 'MPI refuses them' err)" "many taken, others refused, 0 wrong 1" "$mpi: no memory: some are refused, and it says so"
    timeout -k 5 90 "mpiexec.$mpi" -n 2 "$top/test/mpi/preload" "$PWD/no_memory.so" pith run -o log.pith "./carried_all-$mpi" >out 2>err
    is "$? $(told got; cat got)" "0 $(cat two)" "$mpi: no memory: all as without Pith" || head -n 5 err
    if grep -qx PMPI_Allreduce_init "$build/gen/$mpi/exported" && "mpicc.$mpi" -std=gnu11 -O1 -fPIC -shared -DLIBRARY -o librefused.so "$top/test/mpi/refused.c" -ldl &&
        "mpicc.$mpi" -std=gnu11 -O1 -o refused "$top/test/mpi/refused.c" -L. -lrefused -Wl,-rpath,"$PWD"; then
        quota 2 3 late start 0 15
        ok $? "$mpi: ours are started again with the program's ($often of 60 were late; $quota)" || sed 's/^/# /' err
        is "$(grep ^rank out | sort)" "rank 0: 0 failed, 0 wrong
rank 1: 15 failed, 0 wrong" "$mpi: persistent collectives that the library refuses to start are started again"
        quota 2 3 late hold 3 15
        ok $? "$mpi: ours catch up ($often of 60 were late; $quota)" || sed 's/^/# /' err
        is "$(grep ^rank out | sort)" "rank 0: 0 failed, 0 wrong
rank 1: 0 failed, 0 wrong" "$mpi: ours are held up: the program's are not"
    fi
    unset PITH_COMPENSATE
    for mode in message auto; do
        compensated $mode "$mpi" 2 threads
        is "$? $(sort out)" "0 rank 0 failed 0
rank 1 failed 0" "$mpi $mode: threads" || head -n 5 err
    done
    compensated local "$mpi" 2 threads
    like "$? $(pith info log.pith)" '^compensate: local$' "$mpi: own costs only"
    compensated nonsense "$mpi" 2 threads
    is "$? $(grep -c 'is none of local, message, datatype, auto' err)" "0 1" "$mpi: an unknown way is told, once"
    is "$(pith info log.pith | grep -cE '^(compensate|delay_ns)')" 0 "$mpi: and not taken"
    for words in "auto -" "- message" "local datatype" "auto nonsense"; do # of two processes each its own
        read -r one two <<<"$words"
        one=${one#-} two=${two#-}
        for lib in log time; do
            rm -rf log.pith*
            timeout -k 5 60 "mpiexec.$mpi" -n 1 env ${one:+PITH_COMPENSATE=$one} pith run --lib $lib -o log.pith "./carried_all-$mpi" threads : \
                -n 1 env ${two:+PITH_COMPENSATE=$two} pith run --lib $lib -o log.pith "./carried_all-$mpi" threads >out 2>err
            is "$? $(grep -c 'failed 0' out) $(grep -c 'PITH_COMPENSATE is not the same in all processes (.* in some, .* in others); nothing is compensated' err)" \
                "0 2 1" "$mpi $lib: $words: none compensates, and one line says why" || head -n 5 err
        done
    done
done
finish
