#!/usr/bin/env bash
# Programs that open the MPI library themselves and look its functions up (ctypes, Julia): recorded like linked ones.
. "$(dirname "$0")/../lib.sh"
calls() { pith stat "$1" --csv | awk -F, '/^MPI_/ { print $1 "=" $4 }' | sort | tr '\n' ' '; }

# A library that hides a function of the C library and calls it, as tools do: dlsym must see that the call is its own.
cat >next.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
__attribute__((visibility("default"))) pid_t getppid(void)
{
    pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "getppid");
    return next == getppid ? -1 : next() != 0 ? 12345 : 0;
}
END
cat >parent.c <<'END'
#include <unistd.h>
int main(void) { return getppid() != 12345; }
END
cc -w -shared -fPIC -o libnext.so next.c -ldl && cc -o parent parent.c -L. -lnext -Wl,-rpath,"$PWD"; ok $? "compiles"
cat >opens_mpi.py <<'END'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], ctypes.RTLD_LOCAL if hasattr(ctypes, "RTLD_LOCAL") else 0)
mpi.MPI_Init(None, None)
mpi.MPI_Finalize()
END

for mpi in $(mpis); do
    run() { timeout -k 5 60 "mpiexec.$mpi" -n 2 "$@" >out 2>err; }
    "mpicc.$mpi" -w -o linked "$top/test/mpi/opens_mpi.c" || { ok 1 "$mpi: compiles"; continue; }
    file=$(ldd linked | sed -n 's/.*=> \(.*libmpi[^ ]*\) .*/\1/p' | head -n 1)
    cc -w -o opened -DOPENED="\"$file\"" $("mpicc.$mpi" -show | tr ' ' '\n' | grep '^-I') "$top/test/mpi/opens_mpi.c" -ldl; ok $? "$mpi: compiles" || continue
    is "$(ldd opened | grep -c libmpi)" 0 "it is not linked with MPI"
    run pith run ./linked; wanted=$(calls linked.pith)
    run pith run ./opened
    is "$? $(calls opened.pith)" "0 $wanted" "$mpi: opened: the calls of a linked program" || cat err
    is "$(pith info opened.pith | grep -E '^(ranks|messages):' | tr '\n' ' ')" "$(pith info linked.pith | grep -E '^(ranks|messages):' | tr '\n' ' ')" "and its messages"
    for lib in trace time check; do
        run pith run --lib $lib ./opened
        is "$?" 0 "$mpi: --lib $lib" || cat err
        [ $lib = check ] || like "$(cat err)" 'MPI_Sendrecv' "sees the calls"
    done
    PITH_QUIET=1 run pith run --mpi "$mpi" ./parent; is "$?" 0 "$mpi: dlsym(RTLD_NEXT) of another library is that library's" || cat err
    for other in $(mpis); do
        [ "$other" = "$mpi" ] || { PITH_QUIET=1 run pith run --mpi "$other" ./opened; is "$?" 0 "$mpi: opened beside the wrappers of $other: runs" || cat err; }
    done
    if python3 -c 'import ctypes' 2>/dev/null; then
        run pith run python3 opens_mpi.py "$file"
        is "$? $(calls opens_mpi.pith)" "0 MPI_Finalize=2 MPI_Init=2 " "$mpi: Python's ctypes" || cat err
    else
        skip "$mpi: ctypes" "no python3"
    fi
done
finish
