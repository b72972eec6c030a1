#!/usr/bin/env bash
# pith run --also openmp: regions, barriers, tasks, waiting and idle threads, under GNU's runtime (gcc) and LLVM's (clang).
. "$(dirname "$0")/../lib.sh"
undisturbed
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
# longest LOG THREAD STATE: in ms, in rank 0.
longest() { pith stat "$1" --by state,lane --csv | awk -F, -v t="$2" -v s="$3" '$1 == s && $5 == t { print int(1000 * $10) }'; }
# at_least GOT LEAST WHAT: a busy machine may make it longer.
at_least() { ok $((${1:-0} < $2)) "$3" || echo "# $1, expected $2 or more"; }

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
        # Of the 5 waits in criticals at least one is not shortened by a busy machine; the same for the naps in idle and last.
        for part in criticals idle last; do
            mpiexec_of "$mpi" 1 pith run --also openmp -o $part.pith ./omp $part >out 2>err
        done
        at_least "$(longest criticals.pith 1 omp:critical_wait)" 40 "$what: waiting for a critical section of 60 ms"
        at_least "$(longest idle.pith 1 omp:barrier)" 100 "$what: waiting 200 ms at a barrier"
        at_least "$(longest idle.pith 1 omp:idle)" 100 "$what: idle for 200 ms between two regions"
        at_least "$(longest last.pith 1 omp:idle)" 150 "$what: idle for 300 ms until the end"
        is "$(longest last.pith 0 omp:idle)" "" "$what: the first thread is never idle"
        at_least "$(pith stat last.pith --by lane --csv | awk -F, '$2 == 1 { print int(1000 * $9) }')" 150 "$what: it is waiting of the lane"
        at_least "$(pith stat criticals.pith --by lane --csv | awk -F, '$2 == 1 { print int(1000 * $9) }')" 40 "$what: and so is the other"
        pith analyze 2.pith >analyze.out 2>&1
        ok $? "$what: pith analyze reads it" || cat analyze.out
        # Lines of the program; the call may be a jump at the end of a function, which has no line then.
        line=$(grep -n 'omp critical' "$top/test/mpi/also_openmp.c" | cut -d: -f1)
        like "$(pith stat 2.pith --by callsite)" "omp:critical_wait +20 .*also_openmp\.c:($line|$((line + 1)))" "$what: the line of a critical section"
        line=$(grep -n 'omp parallel.*inside' "$top/test/mpi/also_openmp.c" | cut -d: -f1)
        like "$(pith stat 2.pith --by callsite)" "omp:implicit_task +20 .*also_openmp\.c:$line " "$what: the line of a region"
        PITH_SKIP='omp:*wait,omp:barrier' mpiexec_of "$mpi" 1 pith run --also openmp -o skip.pith ./omp >out 2>err
        is "$(counts skip.pith)" "$(all 1 $compiler | grep -v 'wait \|barrier\|taskwait')" "$what: PITH_SKIP"
        mpiexec_of "$mpi" 1 pith run -o off.pith ./omp barriers >out 2>err
        is "$(counts off.pith)" "" "$what: off by default"
        mpiexec_of "$mpi" 2 pith run --also openmp,io -o compensated.pith ./omp barriers >out 2>err &&
            pith compensate compensated.pith -o after.pith >compensate.out 2>&1
        is "$? $(counts after.pith | grep -c .)" "0 4" "$what: pith compensate" || cat compensate.out
    done
    # ---- the sample ------------------------------------------------------------------------------------------------
    cd "$scratch/$mpi" || exit 1
    export OMP_NUM_THREADS=2
    mpiexec_of "$mpi" 2 "$build/samples/$mpi/hybrid" >plain
    mpiexec_of "$mpi" 2 pith run --also openmp -o hybrid.pith "$build/samples/$mpi/hybrid" >out 2>err
    is "$? $(cat out)" "0 $(cat plain)" "$mpi: hybrid: status and output are the program's"
    like "$(cat out)" '^heat after 50 steps: [0-9.]+$' "$mpi: hybrid: a result"
    if "mpicc.$mpi" -fopenmp -x c -E /dev/null >/dev/null 2>&1; then
        is "$(counts hybrid.pith | grep 'parallel\|implicit\|idle')" "omp:idle 102
omp:implicit_task 204
omp:parallel 102" "$mpi: hybrid: 51 regions in each rank"
        like "$(python3 "$top/test/analyze/hybrid_check.py" hybrid.pith 2>&1)" '^0[.][0-9]+ = 0[.][0-9]+ x ' "$mpi: hybrid: efficiencies by their definitions"
    fi
    unset OMP_NUM_THREADS
done

# ---- without MPI ---------------------------------------------------------------------------------------------------
mkdir "$scratch/serial" && cd "$scratch/serial" || exit 1
export OMP_NUM_THREADS=2

# compiled NAME COMMAND...: runs ./NAME with and without recording.
compiled() {
    local name=$1
    shift
    "$@" && ./"$name" >plain && pith run --also openmp -o "$name.pith" "./$name" >out 2>err
    is "$? $(cat out)" "0 $(cat plain)" "$name: status and output are the program's" || cat err
}

cat >old.c <<'EOF2'
#include <stdio.h>
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
_Bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);
void GOMP_parallel_end(void);
static void add(void *sum) { __atomic_add_fetch((int *)sum, 1, __ATOMIC_RELAXED); }
static void loop(void *sum)
{
    for (long from, to; GOMP_loop_dynamic_next(&from, &to);)
        __atomic_add_fetch((int *)sum, (int)(to - from), __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
}
int main(void)
{
    int sum = 0;
    GOMP_parallel_start(add, &sum, 2), add(&sum), GOMP_parallel_end();
    GOMP_parallel_loop_dynamic_start(loop, &sum, 2, 0, 100, 1, 10), loop(&sum), GOMP_parallel_end();
    return printf("%d\n", sum) < 0;
}
EOF2
compiled old gcc -o old old.c -lgomp
is "$(counts old.pith)" "omp:barrier 4
omp:idle 2
omp:implicit_task 4
omp:loop 2
omp:parallel 2" "old: code of gcc before 4.9"

cat >module.c <<'EOF2'
int work(void);
int work(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        sum += 3;
#pragma omp critical
        sum++;
    }
#pragma omp parallel
    {
#pragma omp barrier
    }
    return sum;
}
EOF2
cat >loader.c <<'EOF2'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    int (*work)(void) = module ? (int (*)(void))dlsym(module, "work") : NULL;
    return !work || printf("%d\n", work()) < 0;
}
EOF2
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -O2 -fopenmp -shared -fPIC -o module.so module.c
    compiled loader gcc -o loader loader.c -ldl
    like "$(counts loader.pith | tr '\n' ' ')" 'omp:critical 2 .*omp:idle 2 omp:implicit_task 4 omp:parallel 2' "$compiler: in a module that is loaded later"
done

if command -v g++ >/dev/null; then
    cat >tasks.cc <<'EOF2'
#include <cstdio>
#include <numeric>
#include <vector>
struct alignas(64) Wide { long v; };
int main()
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
        std::vector<long> list(50, i);
        Wide wide = {i};
#pragma omp task firstprivate(list, wide) shared(sum) if (i % 3)
        {
            long own = std::accumulate(list.begin(), list.end(), wide.v) + (reinterpret_cast<unsigned long>(&wide) % 64 ? 1000000 : 0);
#pragma omp atomic
            sum += own;
        }
    }
    std::printf("%ld\n", sum);
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 20; i++)
#pragma omp critical
        sum += i;
    return std::printf("%ld\n", sum) < 0;
}
EOF2
    compiled tasks g++ -O2 -fopenmp -o tasks tasks.cc
    is "$(counts tasks.pith | grep 'task \|critical ')" "omp:critical 20
omp:implicit_task 4
omp:task 20" "C++: objects that tasks copy"
fi
if command -v gfortran >/dev/null; then
    cat >sum.f90 <<'EOF2'
program sum
    use omp_lib
    integer(omp_lock_kind) :: lock
    integer :: i, total = 0
    call omp_init_lock(lock)
    !$omp parallel do schedule(dynamic)
    do i = 1, 30
        call omp_set_lock(lock)
        total = total + i
        call omp_unset_lock(lock)
    end do
    print *, total
end program
EOF2
    compiled sum gfortran -fopenmp -o sum sum.f90
    is "$(counts sum.pith | grep 'lock\|parallel')" "omp:lock_wait 30
omp:parallel 1" "Fortran"
fi
cat >cancel.c <<'EOF2'
#include <stdio.h>
int main(void)
{
    int found = 0;
    for (int i = 0; i < 50; i++)
#pragma omp parallel
    {
#pragma omp for
        for (int k = 0; k < 1000; k++)
            if (k % 7 == 3) {
#pragma omp atomic write
                found = 1;
#pragma omp cancel for
            }
#pragma omp cancel parallel
    }
    return printf("%d\n", found) < 0;
}
EOF2
export OMP_CANCELLATION=true
compiled cancel gcc -O2 -fopenmp -o cancel cancel.c
is "$(counts cancel.pith | grep parallel)" "omp:parallel 50" "cancelled regions"
finish
