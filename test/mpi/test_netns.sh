#!/usr/bin/env bash
# Two hosts of our own on this machine: network namespaces joined by a pair of virtual cables, the second with another boot
# id, host name and CLOCK_MONOTONIC. The truth is CLOCK_BOOTTIME, which both share. And with one way slower than the other. Then delays are
# carried from one to the other (PITH_COMPENSATE).
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/heavy.sh"
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal UCX_TLS=tcp,self OMPI_MCA_btl=tcp,self OMPI_MCA_pml=ob1
here=pith$$a there=pith$$b net=10.213.$(($$ % 250))

if ! ip netns add "$here" 2>err || ! ip netns add "$there" || ! unshare -T --monotonic 1000 true; then
    ip netns del "$here" 2>/dev/null
    skip "two hosts" "no name spaces can be made: $(head -n 1 err)"; finish
fi
trap 'ip netns del "$here"; ip netns del "$there"; cd /; rm -rf "$TMPDIR"' EXIT
ip link add "v$$a" netns "$here" type veth peer name "v$$b" netns "$there" || { skip "two hosts" "no virtual network"; finish; }
for side in "$here $$a 1" "$there $$b 2"; do
    read -r space link number <<<"$side"
    ip -n "$space" addr add "$net.$number/24" dev "v$link" && ip -n "$space" link set "v$link" up && ip -n "$space" link set lo up
done
ip netns exec "$here" ping -c 1 -W 2 "$net.2" >/dev/null 2>&1 || sleep 1

# agent [-x] HOST COMMAND...: what ssh would be asked; the second host.
echo 00000000-of-another-machine >boot_id
cat >agent <<END
#!/bin/sh
[ "\$1" = -x ] && shift
shift
exec ip netns exec $there unshare -m -u -T --monotonic 1000 sh -c "mount --bind $PWD/boot_id /proc/sys/kernel/random/boot_id; hostname otherhost; cd $PWD; export UCX_TLS=\$UCX_TLS; \$*"
END
chmod +x agent
ssh_is "$PWD/agent"

# launch RESULT MPI RANKS COMMAND...: half of the ranks on each. MPICH 4.0 over UCX's TCP hangs in its own MPI_Finalize now and then,
# on a loaded machine with one way slowed in 12 of 109 runs of the same program without Pith: one rank waits for its connections to be
# closed. RESULT is written before that: a program that has it goes on for 10 s at most. Status 124: it was ended then, or after 60 s.
launch() {
    local result=$1 mpi=$2 ranks=$3 half=$(($3 / 2)) command pid has_it=0 status=; shift 3
    case $mpi in
    mpich) command=(mpiexec.mpich -launcher ssh -launcher-exec "$PWD/agent" -iface "v$$a" -hosts "$net.1:$half,$net.2:$half") ;;
    openmpi) command=(mpiexec.openmpi -mca oob_tcp_if_include "$net.0/24" -mca btl_tcp_if_include "$net.0/24"
        -host "$net.1:$half,$net.2:$half" --map-by "ppr:$half:node:oversubscribe" ${PITH_COMPENSATE:+-x PITH_COMPENSATE}) ;;
    esac
    timeout 60 ip netns exec "$here" "${command[@]}" -n "$ranks" "$@" >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        [ ! -e "$result" ] || has_it=$((has_it + 1))
        [ $has_it -lt 100 ] || { kill $pid; status=124; break; }
        sleep 0.1
    done
    wait $pid || return ${status:-$?}
}

# run MPI RANKS ARGS...: recorded into log.pith; if that is there, Pith has done its part.
run() {
    local mpi=$1 ranks=$2 status; shift 2
    rm -rf log.pith*
    launch log.pith "$mpi" "$ranks" pith run -o "$PWD/log.pith" "$@"
    status=$?
    [ "$mpi $status" != "mpich 124" ] || ! [ -e log.pith ] || { echo "# MPICH hangs in its MPI_Finalize"; status=0; }
    return $status
}

# slow LINK: one way is later by 3 ms; where the kernel cannot do that, what comes close behind another packet waits.
slow() {
    ip netns exec "$here" tc qdisc add dev "$1" root netem delay 3ms 2>/dev/null ||
        ip netns exec "$here" tc qdisc add dev "$1" root tbf rate 512kbit burst 1600 latency 2s 2>/dev/null
}

check() {
    is "$(pith info log.pith | grep -cE '^clock_of_rank_[0-9]+: host otherhost, offset_s [0-9.-]+, drift_ppm .* [0-9]+ points')" 1 "$1: another clock is told"
    pith print log.pith | python3 "$top/test/mpi/clock_truth.py" halves >got
    ok $? "$1: no time is further from the truth than the log says ($(cat got))"
}

# same MODE PROGRAM: what PITH_COMPENSATE finds over the network, pith compensate finds in the log
same() {
    quota 2 3 is_same "$@" # a process that is kept waiting between two looks at the clock spoils one
    ok $? "$mpi, delays over two hosts, $1: $2: as afterwards ($quota)" || sed 's/^/# /' err - <<<"$got"
    like "$(pith info h.pith | grep ^compensate)" "^compensate: $1$" "and all were carried"
}

is_same() {
    got=none
    PITH_COMPENSATE=$1 run "$mpi" 2 "./heavy_calls-$mpi" "$2" && mv log.pith h.pith && got=$(compare) && [ "$got" = 2 ]
}

# timed MPI MODE PROGRAM RIGHT BURN...: the time library compares the clocks, too, so its delays are RIGHT (heavy.sh says what)
timed() {
    local mpi=$1 mode=$2 program=$3 right=$4; shift 4
    quota 2 3 is_timed "$@"
    ok $? "$mpi, the time library over two hosts, $mode: $program: $got ms ($quota)" || sed 's/^/# /' err
}
is_timed() {
    rm -f t.csv
    PITH_COMPENSATE=$mode launch t.csv "$mpi" 2 env BURN="$*" HEAVY_NS=300000 PITH_TIME_FILE="$PWD/t.csv" PITH_QUIET=1 \
        LIBRARIES="$PWD/heavytime-$mpi.so" ./by_rank "./heavy_calls-$mpi" "$program" || return
    got=$(ms_late t.csv 2>&1)
    $right "$got"
}

make_by_rank
for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -I"$build/include" -o "synced.$mpi" "$top/test/mpi/synced.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" ||
        { ok 1 "$mpi: compiles"; continue; }
    # With two ranks a host MPICH 4.0 over UCX's TCP hangs in its MPI_Finalize, without Pith, too.
    for ranks in 2 $([ "$mpi" = openmpi ] && echo 4); do
        run "$mpi" $ranks "./synced.$mpi" 100 2000; status=$?
        is $status 0 "$mpi, $ranks ranks on two hosts: ends well" || { sed 's/^/# /' err | head -n 10; continue; }
        check "$mpi, $ranks ranks"
    done
    "mpicc.$mpi" -std=gnu11 -O1 -Wno-stringop-overflow -o "heavy_calls-$mpi" "$top/test/mpi/heavy_calls.c" -ldl || ok 1 "$mpi: compiles"
    for how in "auto early" "message colls" "datatype ring"; do
        same $how
    done
    make_heavytime "$mpi" && timed "$mpi" auto early stays 0 && timed "$mpi" message ring goes_round 0
    slow "v$$a" || { skip "$mpi: a slow network" "the kernel cannot slow one down"; continue; }
    run "$mpi" 2 "./synced.$mpi" 50 2000; is $? 0 "$mpi, one way is slow: ends well"
    check "$mpi, one way is slow"
    timed "$mpi" auto ring goes_round 0
    ip netns exec "$here" tc qdisc del dev "v$$a" root
done
finish
