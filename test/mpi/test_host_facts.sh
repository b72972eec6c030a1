#!/usr/bin/env bash
# pith info: the facts of the host, and the cores of each rank.
. "$(dirname "$0")/../lib.sh"

# field KEY FILE: the value of the property of this host.
field() { pith info "$2" | sed -n "s/^$1 $(hostname): //p"; }

# Some cores that this test may use, as one list, and the first and the last.
cores=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
first=${cores%%[,-]*} last=${cores##*[,-]}

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    free=
    [ "$mpi" = openmpi ] && free="--bind-to none"
    ring=$build/samples/$mpi/ring
    for n in 1 2 4; do
        # shellcheck disable=SC2086
        mpiexec_of "$mpi" $n $free pith run -o $n.pith "$ring" >out 2>err
        ok $? "$mpi, $n ranks: ring runs" || cat err
        is "$(field ranks $n.pith)" $n "$mpi, $n ranks: ranks of the host"
        is "$(field affinity $n.pith)" "$cores" "$mpi, $n ranks: all may use the same cores"
    done
    # shellcheck disable=SC2086
    "mpiexec.$mpi" $free -n 1 taskset -c "$first" pith run -o bound.pith "$ring" : \
        -n 2 taskset -c "$last" pith run -o bound.pith "$ring" >out 2>err
    ok $? "$mpi: bound ranks run" || cat err
    if [ "$first" = "$last" ]; then
        is "$(field affinity bound.pith)" "$first" "$mpi: the only core"
    else
        is "$(field affinity bound.pith)" "rank 0 on $first, rank 1 on $last, rank 2 on $last" "$mpi: the core of each rank"
    fi
    is "$(field cores 1.pith)" "$(getconf _NPROCESSORS_ONLN)" "$mpi: the number of cores"
    is "$(field memory_bytes 1.pith)" "$(($(getconf _PHYS_PAGES) * $(getconf PAGESIZE)))" "$mpi: memory"
    is "$(field cpu 1.pith)" "$(sed -n 's/^model name\t*: //p' /proc/cpuinfo | head -n 1)" "$mpi: the processor"
    if grep -q '^cpu MHz' /proc/cpuinfo; then
        like "$(field cpu_mhz 1.pith)" '^[1-9][0-9]+$' "$mpi: its frequency"
    fi
done

cd "$scratch" || exit 1
taskset -c "$last" pith run -o alone.pith "$build/samples/threads" >out 2>&1
is "$(field affinity alone.pith)" "$last" "a program without MPI: its cores"
finish
