#!/usr/bin/env bash
# pith run --also openmp: regions, barriers, tasks, waiting and idle threads, under GNU's runtime (gcc) and LLVM's (clang).
. "$(dirname "$0")/../lib.sh"
export OMP_DYNAMIC=false OMP_WAIT_POLICY=passive # threads that wait leave their cores to others
unset OMP_CANCELLATION

# counts LOG: "NAME COUNT" of the states of OpenMP.
counts() { pith print "$1" | awk -F'\t' '$4 == "enter" && $5 ~ /^omp:/ { n[$5]++ } END { for (s in n) print s, n[s] }' | sort; }
# all RANKS RUNTIME: what also_openmp.c does. gcc's code tells nobody where a single ends.
all() {
    while read -r name count; do
        [ "$2 $name" = "gcc omp:single" ] || echo "$name $((count * $1))"
    done <<'EOF2'
omp:barrier 60
omp:critical 10
omp:critical_wait 10
omp:idle 21
omp:implicit_task 42
omp:lock_wait 60
omp:loop 8
omp:ordered 4
omp:ordered_wait 4
omp:parallel 21
omp:sections 2
omp:single 1
omp:task 20
omp:taskwait 11
EOF2
}
# longest LOG LANE STATE: in ms.
longest() { pith stat "$1" --by state,lane --csv | awk -F, -v l="$2" -v s="$3" '$1 == s && $2 == l { print int($7 / 1e6) }'; }

for mpi in $(mpis); do
    for compiler in gcc clang; do
        what="$mpi, $compiler"
        if ! command -v $compiler >/dev/null; then
            skip "$what" "no $compiler"
            continue
        fi
        mkdir -p "$scratch/$mpi/$compiler" && cd "$scratch/$mpi/$compiler" || exit 1
        MPICH_CC=$compiler OMPI_CC=$compiler "mpicc.$mpi" -g -O2 -fopenmp -o omp "$top/test/mpi/also_openmp.c"
        ok $? "$what: also_openmp compiles" || continue
        for n in 1 2; do
            mpiexec_of "$mpi" $n ./omp | sort >plain
            PITH_CALLSITES=1 mpiexec_of "$mpi" $n pith run --also openmp -o $n.pith ./omp >out 2>err
            is "$? $(sort out)" "0 $(cat plain)" "$what, $n ranks: status and output are the program's"
            is "$(counts $n.pith)" "$(all $n $compiler)" "$what, $n ranks: each region, barrier, task, wait"
            pith check $n.pith >check.out 2>&1
            ok $? "$what, $n ranks: the log is good" || cat check.out
        done
    done
done
finish
