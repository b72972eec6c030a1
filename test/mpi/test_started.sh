#!/usr/bin/env bash
# Commands that mpiexec starts several times: rank 0 does them once, on as many cores as ranks were started. Commands in a script
# that mpiexec starts may read a log each.
. "$(dirname "$0")/../lib.sh"

cat >cores.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
__attribute__((destructor)) static void count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        fprintf(stderr, "cores: %d\n", CPU_COUNT(&set));
}
END
${CC:-cc} -shared -fPIC -o cores.so cores.c
ok $? "a library that says how many cores a process may use"
for i in 1 2 3; do printf '%s\n' "# state	name=s$i	colour=	group=user" "0	0	0	enter	s$i" "$i	0	0	leave	s$i" '# end' >"a$i.txt"; done

printf '#!/bin/sh\ncd "rank${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" && exec "$@"\n' >beside && chmod +x beside
mkdir rank0 rank1 && cp a1.txt rank0 && cp a1.txt rank1
for mpi in $(mpis); do
    start() {
        local status
        for _ in 1 2 3 4; do # MPICH's mpiexec may die of SIGPIPE itself when its processes are gone at once
            timeout -k 5 60 "mpiexec.$mpi" "$@" >out 2>err
            status=$?
            [ $status = 141 ] || break
        done
        return $status
    }
    pith analyze a1.txt >wanted
    for n in 1 2 3; do
        start -n "$n" pith analyze a1.txt
        is "$? $(cksum <out) $(grep -c ^pith: err)" "0 $(cksum <wanted) $((n > 1))" "$mpi, $n ranks: one page, and a line if it was started more than once" || cat err
    done
    like "$(cat err)" "pith: analyze was started 3 times; rank 0 does it, the others end" "$mpi: the line"
    PITH_QUIET=1 start -n 2 pith convert a1.txt b.pith
    is "$? $(cat err)$(pith info b.pith | grep -c '^states: 1')" "0 1" "$mpi: one file is written, once; PITH_QUIET" || cat err
    rm -f b.pith
    start -n 2 pith analyze gone.pith
    is "$(($? != 0)) $(grep -c 'gone.pith' err)" "1 1" "$mpi: an error is said once, and the launcher has the status" || cat err
    for shell in sh bash; do
        for last in '; :' ''; do # (without it, a shell becomes its last command)
            start -n 3 $shell -c "pith info a\$((\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK} + 1)).txt$last"
            is "$? $(grep -c '^definitions: 1' out) $(cat err)" "0 3 " "$mpi: in $shell, each rank reads its own" || cat err
        done
    done
    start -n 1 pith info a1.txt : -n 1 pith info a2.txt
    is "$? $(grep -c '^definitions: 1' out) $(cat err)" "0 2 " "$mpi: two commands are both done" || cat err
    start -n 2 "$PWD/beside" pith info a1.txt
    is "$? $(grep -c '^definitions: 1' out) $(cat err)" "0 2 " "$mpi: each rank in a folder of its own" || cat err
    if [ "$mpi" = openmpi ] && [ "$(nproc)" -ge 2 ]; then
        start -n 2 --bind-to core -x LD_PRELOAD="$PWD/cores.so" pith info a1.txt
        is "$(sort err | tail -n 1)" "pith: info was started 2 times; rank 0 does it, the others end" "$mpi: bound to cores"
        is "$(grep '^cores' err | sort | tr '\n' ' ')" "cores: 1 cores: 2 " "$mpi: rank 0 may use the cores of both"
    fi
done
finish
