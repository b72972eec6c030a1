# clocks.sh - for tests with false clocks: run, near, build. Sourced after lib.sh; false_clock.c says what is played.
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal

export PITH_CLOCK=monotonic # which false_clock.c gives
"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || { ok 1 "false_clock.c compiles"; finish; }

# run MPI RANKS ARGS...: records synced.c into log.pith
run() {
    local mpi=$1 ranks=$2; shift 2
    rm -rf log.pith*
    timeout 100 "mpiexec.$mpi" -n "$ranks" "$top/test/mpi/preload" "$PWD/false_clock.so" pith run -o log.pith "./synced.$mpi" "$@" >out 2>err
}

# near LOG WHAT [TIMES]: each time is as true as the log's round trips promise (clock_truth.py)
near() {
    pith print "$1" | python3 "$top/test/mpi/clock_truth.py" log "${3:-1}" >got
    ok $? "$2: every time is near the truth ($(cat got))"
}

# build MPI: synced.c for it
build() {
    "mpicc.$1" -O1 -I"$build/include" -o "synced.$1" "$top/test/mpi/synced.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" ||
        { ok 1 "$1: compiles"; return 1; }
}
