#!/usr/bin/env bash
# pith run --also under other allocators: nothing that runs inside a wrapped call may enter the allocator again, which
# may hold its locks. strict_malloc.c ends a program in which that happens; jemalloc and tcmalloc hang.
. "$(dirname "$0")/../lib.sh"
export UCX_MEM_EVENTS=no # UCX's own functions inside mmap call malloc
all=memory,io,pthread

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -O2 -fno-builtin -Wall -Wextra -o allocates "$top/test/mpi/allocates.c" -lpthread &&
        cc -O2 -fno-builtin -Wall -Wextra -DALONE -o alone "$top/test/mpi/allocates.c" -lpthread &&
        cc -O2 -fno-builtin -Wall -Wextra -shared -fPIC -o strict.so "$top/test/mpi/strict_malloc.c" -lpthread
    ok $? "$mpi: allocates and strict_malloc compile" || continue
    is "$(mpiexec_of "$mpi" 2 "$top/test/mpi/preload" "$PWD/strict.so" ./allocates 2>&1 | sort | tr '\n' ' ')" \
        "allocates: rank 0, well allocates: rank 1, well " "$mpi: without Pith"

    # preloaded ALLOCATOR NAME RANKS
    preloaded() {
        for also in memory io pthread "$all"; do
            LD_PRELOAD=$1 timeout 60 pith run --also "$also" -o alone.pith ./alone >out 2>err
            is "$? $(cat out)" "0 allocates: rank 0, well" "$mpi, $2, --also $also: a program without MPI" || cat err
        done
        for n in $3; do
            timeout 120 "mpiexec.$mpi" -n $n "$top/test/mpi/preload" "$1" pith run --also "$all" -o all.pith ./allocates >out 2>err
            is "$? $(sort out)" "0 $(for ((r = 0; r < n; r++)); do echo "allocates: rank $r, well"; done)" "$mpi, $2: $n ranks" || cat err
        done
        pith check all.pith >check.out 2>&1
        ok $? "$mpi, $2: the log is good" || cat check.out
        # 5 threads in each of 4 ranks call realloc for blocks of 1 MiB and more 100 - 20 times.
        is "$(pith print all.pith | grep -c 'memory:alloc	payload=call=realloc ')" $((4 * 5 * 80)) "$mpi, $2: the program's calls are recorded"
        LD_PRELOAD=$1 timeout 60 pith run --also "$all" --sample=1 -o singleton.pith ./allocates >out 2>err
        is "$? $(cat out)" "0 allocates: rank 0, well" "$mpi, $2: without mpiexec, with samples" || cat err
        PITH_COUNTERS=task-clock,run-delay PITH_CALLSITES=1 LD_PRELOAD=$1 timeout 60 pith run --also "$all" -o singleton.pith ./allocates >out 2>err
        is "$? $(cat out)" "0 allocates: rank 0, well" "$mpi, $2: with counters and call sites" || cat err
    }
    preloaded "$PWD/strict.so" "an allocator that must not be entered again" "1 2 4"
    for library in jemalloc.so.2 tcmalloc_minimal.so.4; do
        if LD_PRELOAD=lib$library ./alone 2>&1 | grep 'cannot be preloaded' >/dev/null; then skip "$mpi, $library" "it is not here"; continue; fi
        preloaded lib$library "${library%.so*}" 4
        link=-l${library%.so*}
        if "mpicc.$mpi" -O2 -fno-builtin -o linked "$top/test/mpi/allocates.c" -Wl,--no-as-needed "$link" -lpthread 2>/dev/null; then
            timeout 120 "mpiexec.$mpi" -n 2 pith run --also "$all" -o linked.pith ./linked >out 2>err
            is "$? $(sort out | tr '\n' ' ')" "0 allocates: rank 0, well allocates: rank 1, well " "$mpi, $link: linked" || cat err
        else
            skip "$mpi, $link: linked" "no such library to link with"
        fi
    done
    cd "$scratch" || exit 1
done

# The first call of a library that was loaded later, inside the allocator: its functions are looked up then.
cd "$scratch" || exit 1
cat >late.c <<'EOF2'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./later.so", RTLD_NOW);
    void (*later)(void) = library ? (void (*)(void))dlsym(library, "loaded_later") : NULL;
    void (*strict)(void (*)(void)) = (void (*)(void (*)(void)))dlsym(RTLD_DEFAULT, "strict_call");
    if (later && strict)
        strict(later);
    puts("late: well");
    return 0;
}
EOF2
printf '%s\n' 'static void inner(void) {}' 'void loaded_later(void);' 'void loaded_later(void) { inner(); }' >later.c
if [ -e "$build/lib/pith/libpith-functions.so" ]; then
    cc -g -O0 -finstrument-functions -o late late.c -ldl && cc -g -O0 -finstrument-functions -shared -fPIC -o later.so later.c &&
        cc -O2 -fno-builtin -shared -fPIC -o strict.so "$top/test/mpi/strict_malloc.c" -lpthread
    ok $? "a program that loads a library compiles"
    LD_PRELOAD=$PWD/strict.so timeout 60 pith run --also functions -o late.pith ./late >out 2>err
    is "$? $(cat out)" "0 late: well" "functions of a library that is loaded later, called inside an allocation" || cat err
    is "$(pith stat late.pith --csv | awk -F, '$2 == "state" { print $1, $4 }' | grep -v '^pith:' | sort | tr '\n' ' ')" "inner 1 loaded_later 1 main 1 " "they have their names"
else
    skip "functions of a library that is loaded later" "built without libdw"
fi
finish
