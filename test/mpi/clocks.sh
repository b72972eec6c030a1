# clocks.sh - for tests with false clocks: run, slack, near, build. Sourced after lib.sh; false_clock.c says what is played.
export PITH_QUIET=1 UCX_LOG_LEVEL=fatal

"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || { ok 1 "false_clock.c compiles"; finish; }

# run MPI RANKS ARGS...: records synced.c into log.pith
run() {
    local mpi=$1 ranks=$2; shift 2
    rm -rf log.pith*
    timeout 100 "mpiexec.$mpi" -n "$ranks" env LD_PRELOAD="$PWD/false_clock.so" pith run -o log.pith "./synced.$mpi" "$@" >out 2>err
}

# What may be wrong: twice the round trip that the log tells, or 5 us.
slack() { pith info "$1" | awk '/^clock_error_ns/ { e = 4 * ($2 - 100); print (e > 5000 ? e : 5000) }'; }

# near LOG WHAT: each time is true
near() {
    local may; may=$(slack "$1")
    pith print "$1" | python3 "$top/test/mpi/clock_truth.py" "${may:-0}" >got
    ok $? "$2: every time within ${may:-0} ns of the truth ($(cat got))"
}

# build MPI: synced.c for it
build() {
    "mpicc.$1" -O1 -I"$build/include" -o "synced.$1" "$top/test/mpi/synced.c" -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" ||
        { ok 1 "$1: compiles"; return 1; }
}
