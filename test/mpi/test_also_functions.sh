#!/usr/bin/env bash
# pith run --also functions: each call of a program compiled with -finstrument-functions, by its name; the filter and the
# minimum duration.
. "$(dirname "$0")/../lib.sh"
if [ ! -e "$build/lib/pith/libpith-functions.so" ]; then
    skip "functions" "built without libdw"
    finish
fi
cflags="-g -O2 -finstrument-functions"

# counts LOG: "NAME COUNT" of the states that are not MPI's or Pith's own.
counts() { pith stat "$1" --csv | awk -F, '$2 == "state" && $1 !~ /^(MPI_|pith:|computing$)/ { print $1, $4 }' | sort; }
# all RANKS: what also_functions calls.
all() {
    local name count
    while read -r name count; do echo "$name $((count * $1))"; done <<'EOF2'
catches 3
deep 2000
handler 1
jumps 3
main 1
quick_leaf 111
quick_parent 110
recursive 300
slow_leaf 9
thread_main 1
with_call 7
EOF2
}

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    # shellcheck disable=SC2086
    "mpicc.$mpi" $cflags -o called "$top/test/mpi/also_functions.c" -lpthread -ldl
    ok $? "$mpi: also_functions compiles" || continue
    for n in 1 2 4; do
        mpiexec_of "$mpi" $n pith run --also functions -o $n.pith ./called >out 2>err
        is "$? $(sort out)" "0 $(for ((r = 0; r < n; r++)); do echo "also_functions: rank $r, 2409"; done)" \
            "$mpi, $n ranks: status and output are the program's"
        is "$(counts $n.pith)" "$(all $n)" "$mpi, $n ranks: every call of every function"
        pith check $n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
    done
    is "$(pith print 1.pith --lane 0.1 | awk -F'\t' '$5 ~ /^(thread_main|quick_parent)$/' | wc -l)" 22 "$mpi: those of a thread are in its lane"
    is "$(pith print 1.pith --lane 0.0 | awk -F'\t' '$4 == "enter" && ($5 == "MPI_Init" || $5 == "main") { print $5 }' | head -2 | tr '\n' ' ')" \
        "main MPI_Init " "$mpi: main begins before MPI_Init"
    is "$(pith print 1.pith --lane 0.0 | awk -F'\t' '$5 == "MPI_Finalize" { exit } $4 == "leave" { print $5 }' | grep -c '^jumps$\|^catches$')" 6 \
        "$mpi: functions end that longjmp left"
    pith analyze 4.pith >analyze.out 2>&1
    ok $? "$mpi: pith analyze reads it" || cat analyze.out

    # Functions of more than 512 levels, and those that another record is in, stay.
    PITH_FUNCTIONS_MIN_US=2000 mpiexec_of "$mpi" 2 pith run --also functions -o least.pith ./called >out 2>err
    is "$(counts least.pith | grep -v 'quick\|handler\|recursive')" "$(all 2 | grep -v 'quick\|handler\|recursive')" \
        "$mpi: functions that are long, or have records in them"
    # If the system takes the core away, the functions that are open last longer than that, and stay.
    is "$(pith print least.pith --where 'duration < 1ms' | awk -F'\t' '$4 == "enter" && $5 ~ /quick|handler|recursive/ { count[$5]++ }
        END { for (name in count) if (count[name] > 20) print name, count[name] }')" "" "$mpi: short functions are taken back"
    pith check least.pith >check.out 2>&1
    ok $? "$mpi: the log is good without them" || cat check.out

    printf '%s\n' '# the leaves only' 'exclude *' '' '  include *_leaf  ' 'exclude slow*' >filter
    PITH_FUNCTIONS_FILTER=filter mpiexec_of "$mpi" 2 pith run --also functions -o filter.pith ./called >out 2>err
    is "$(counts filter.pith)" "quick_leaf 222" "$mpi: a filter by names"
    printf '%s\n' 'exclude-file */also_functions.c' 'include main' >filter
    PITH_FUNCTIONS_FILTER=filter mpiexec_of "$mpi" 1 pith run --also functions -o filter.pith ./called >out 2>err
    is "$(counts filter.pith)" "main 1" "$mpi: a filter by source files"
    printf '%s\n' 'include' 'only x' 'exclude *leaf' >filter
    PITH_FUNCTIONS_FILTER=filter mpiexec_of "$mpi" 2 pith run --also functions -o filter.pith ./called >out 2>err
    is "$(grep 'FILTER' err | cut -d: -f1-4)" "pith: PITH_FUNCTIONS_FILTER: filter: line 1
pith: PITH_FUNCTIONS_FILTER: filter: line 2" "$mpi: wrong lines are reported once"
    is "$(counts filter.pith | grep leaf)" "" "$mpi: the right lines count"
    PITH_FUNCTIONS_FILTER=nowhere mpiexec_of "$mpi" 2 pith run --also functions -o filter.pith ./called >out 2>err
    is "$(grep FILTER err)" "pith: PITH_FUNCTIONS_FILTER: nowhere: No such file or directory; all functions are recorded" \
        "$mpi: a filter that does not exist"
    [ -p pipe ] || mkfifo pipe
    for filter in pipe /dev/zero; do
        PITH_FUNCTIONS_FILTER=$filter mpiexec_of "$mpi" 1 timeout -s KILL 60 pith run --also functions -o filter.pith ./called >out 2>err
        is "$? $(grep FILTER err)" "0 pith: PITH_FUNCTIONS_FILTER: $filter: is not a regular file; all functions are recorded" \
            "$mpi: a filter that would never end: $filter"
    done
    PITH_FUNCTIONS_FILTER=/dev/stdin pith run --also functions -o filter.pith ./called >out 2>err <<<'exclude *leaf'
    is "$? $(counts filter.pith | grep -c leaf)" "0 0" "$mpi: a filter from a pipe"
    PITH_SKIP='quick*' mpiexec_of "$mpi" 1 pith run --also functions -o skip.pith ./called >out 2>err
    is "$(counts skip.pith)" "$(all 1 | grep -v quick)" "$mpi: PITH_SKIP"

    mpiexec_of "$mpi" 1 pith run --also functions -o fork.pith ./called fork >out 2>err
    is "$(counts fork.pith)" "$(all 1)" "$mpi: forked children are not recorded"
    printf 'void loaded_later(void);\nvoid loaded_later(void) {}\n' >later.c
    # shellcheck disable=SC2086
    cc $cflags -shared -fPIC -o later.so later.c
    mpiexec_of "$mpi" 1 pith run --also functions -o later.pith ./called library ./later.so >out 2>err
    is "$(counts later.pith | grep later)" "loaded_later 1" "$mpi: a library that is loaded later"
    is "$(cat out)" "also_functions: rank 0, 2409" "$mpi: finding its names does not change errno"
    # Without symbols a function has the address in its file; main is known to the C library only by address, too.
    strip -o stripped called
    mpiexec_of "$mpi" 1 pith run --also functions -o stripped.pith ./stripped >out 2>err
    is "$(counts stripped.pith | awk '$2 ~ /^(9|111|2000)$/ { print $2 }' | sort -n | tr '\n' ' ')" "9 111 2000 " "$mpi: a stripped program"
    like "$(counts stripped.pith)" '^program\+0x[0-9a-f]+ 111$' "$mpi: its functions have addresses"

    # Linked, and started without pith run.
    # shellcheck disable=SC2086
    "mpicc.$mpi" $cflags -o linked "$top/test/mpi/also_functions.c" -Wl,--no-as-needed -L"$build/lib/pith" -lpith-functions \
        -L"$build/lib/pith/$mpi" -lpith-mpi -Wl,-rpath,"$build/lib/pith:$build/lib/pith/$mpi:$build/lib" -lpthread -ldl
    PITH_LOG=linked.pith mpiexec_of "$mpi" 2 ./linked >out 2>err
    is "$(counts linked.pith)" "$(all 2)" "$mpi: linked" || cat err
    mpiexec_of "$mpi" 1 pith run -o off.pith ./called >out 2>err
    is "$(counts off.pith)" "" "$mpi: off by default"
    mpiexec_of "$mpi" 2 pith run --also functions -o ring.pith "$build/samples/$mpi/ring" >out 2>err
    is "$(grep -c 'the program called no function that was compiled with -finstrument-functions$' err)" 1 "$mpi: a program without hooks" || cat err
    is "$(PITH_FUNCTIONS_FILTER=filter mpiexec_of "$mpi" 2 pith run --also functions -o filter.pith ./called 2>&1 | grep -c 'no function')" 0 "$mpi: one whose functions are left out is no such program"

    if command -v "mpif90.$mpi" >/dev/null; then
        cat >solve.f90 <<'EOF2'
module solver
contains
    subroutine step(i)
        integer, intent(in) :: i
        if (i < 0) print *, i
    end subroutine
end module
program solve
    use solver
    use mpi
    integer :: i, error
    call MPI_Init(error)
    do i = 1, 12
        call step(i)
    end do
    call MPI_Finalize(error)
end program
EOF2
        # shellcheck disable=SC2086
        "mpif90.$mpi" $cflags -fno-inline -o solve solve.f90 2>f90.err && mpiexec_of "$mpi" 2 pith run --also functions -o f90.pith ./solve >out 2>err
        is "$(counts f90.pith | grep step)" "solver::step 24" "$mpi: Fortran" || cat err f90.err
    fi
done

cd "$scratch" || exit 1
cat >names.cc <<'EOF2'
namespace mesh { struct Cell { int split(int depth); }; int Cell::split(int depth) { return depth ? split(depth - 1) : 0; } }
int main() { return mesh::Cell().split(4); }
EOF2
if command -v g++ >/dev/null; then
    g++ -g -O0 -finstrument-functions -o names names.cc
    pith run --also functions -o names.pith ./names >out 2>err
    is "$(counts names.pith)" "main 1
mesh::Cell::split 5" "C++, without MPI"
else
    skip "C++" "no g++"
fi
finish
