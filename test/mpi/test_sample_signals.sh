#!/usr/bin/env bash
# Samples of programs that reset, block, wait for and handle all signals: the program neither sees the signal of the
# timers nor takes it away. And systems that refuse what samples need: one line says so, and the log.
. "$(dirname "$0")/../lib.sh"

samples() { pith print "$1" 2>/dev/null | grep -c '	pith:sample	'; }
property() { pith info "$1" 2>/dev/null | sed -n "s/^$2: //p"; }
# numbers NAME...: of system calls, with commas
numbers() { printf '#include <sys/syscall.h>\n%s\n' "$(printf 'SYS_%s ' "$@")" | cc -E -P -x c - | tail -n 1 | sed 's/ *$//; s/ /,/g'; }

cc -O2 -Wall -Wextra -o refused_call "$top/test/mpi/refused_call.c"
ok $? "refused_call compiles"
tick_ms=$(python3 -c 'import time; print(time.clock_getres(6) * 1000)') # CLOCK_MONOTONIC_COARSE
events=
./refused_call 1 99999 true && perf_is_allowed=$(python3 - "$(numbers perf_event_open)" <<'EOF'
import ctypes, struct, sys
attr = struct.pack("IIQQQQQ", 1, 128, 0, 1000000, 0, 0, 1 | 1 << 5 | 1 << 6) + bytes(80)
print("yes" if ctypes.CDLL(None).syscall(int(sys.argv[1]), attr, 0, -1, -1, 0) >= 0 else "")
EOF
) && [ -n "$perf_is_allowed" ] && [ "${tick_ms%.*}" -gt 1 ] && events=yes

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -g -O2 -Wall -Wextra -o signals "$top/test/mpi/sampled_signals.c" -lpthread
    ok $? "$mpi: sampled_signals compiles" || continue
    for how in reset ignore blocked wait fd realtime small tiny setuid cancel exec; do
        case $how in reset) periods="1 10 5,wall" ;; tiny | setuid | cancel | exec) periods="1 5,wall" ;; *) periods=1 ;; esac
        for period in $periods; do
            [ $period = 10 ] && seconds=0.1 || seconds=0.06 # of a sample in 4 or 5 ms at worst
            mpiexec_of "$mpi" 2 pith run --sample=$period -o $how.pith ./signals $how $seconds >out 2>err
            is "$? $(cat out)" "0 well" "$mpi, $how, $period: status and output as without" || cat err
            # two ranks, two threads
            n=$(samples $how.pith)
            ok $((n < 15)) "$mpi, $how, $period: the threads have samples" || echo "#   got $n"
        done
    done
    for n in 1 4; do
        mpiexec_of "$mpi" $n pith run --sample=1 -o reset.pith ./signals reset >out 2>err
        is "$? $(cat out)" "0 well" "$mpi, reset: $n ranks" || cat err
    done
    pith check small.pith >check.out 2>&1
    ok $? "$mpi, small: the log is good" || cat check.out
    is "$(property small.pith sample_stacks)" "handlers on alternate stacks have no samples" "$mpi, small: the log says it"
    is "$(property reset.pith sample_stacks)" "" "$mpi, reset: nothing to say"

    # A sample each ms of CPU time, where the system allows events.
    mpiexec_of "$mpi" 1 pith run --sample=1 -o fast.pith ./signals none >out 2>err
    if [ -n "$events" ]; then
        us=$(pith print fast.pith | sed -n 's/^[0-9.]*\t0\t0\t.*pith:sample\t.*cpu=\([0-9]*\).*/\1/p' |
            awk 'NR > 1 { print int(($1 - last) / 1000) } { last = $1 }' | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] + 0 }')
        ok $((us < 900 || us > 1300)) "$mpi: a sample each ms of CPU time" || echo "#   the median is $us us"
        is "$(property fast.pith sample_timer)" perf "$mpi: the log says which timer"
    else
        skip "$mpi: a sample each ms" "no perf events, or ticks of a ms"
    fi
    mpiexec_of "$mpi" 1 "$scratch/refused_call" 1 "$(numbers perf_event_open)" pith run --sample=1 -o slow.pith ./signals none >out 2>err
    is "$? $(cat out) $(cat err | grep -v '^pith: slow.pith: ')" "0 well " "$mpi: without events, nothing to say"
    is "$(property slow.pith sample_timer) $((($(property slow.pith sample_tick_ns) + 0) / 1000))" "timer $(python3 -c "print(round($tick_ms * 1000))")" \
        "$mpi: without events, the log has the ticks"
    n=$(samples slow.pith)
    ok $((n < 15)) "$mpi: without events, samples" || echo "#   got $n"

    # refused WHAT ERRNO CALLS MESSAGE: no samples; the program goes on, one line on stderr, and the same in the log.
    refused() {
        mpiexec_of "$mpi" 2 "$scratch/refused_call" "$2" "$3" pith run --sample=10 -o refused.pith ./signals none >out 2>err
        is "$? $(cat out) $(samples refused.pith)" "0 well 0" "$mpi, $1: the program goes on without samples"
        is "$(grep -cE "^pith: PITH_SAMPLE: $4" err)" 1 "$mpi, $1: it is said, once" || cat err
        like "$(property refused.pith sample_refused)" "^$4" "$mpi, $1: the log says it"
    }
    refused "no timers, EPERM" 1 "$(numbers timer_create perf_event_open)" 'no samples: the system refuses timers \(timer_create: Operation not permitted\)$'
    refused "no timers, ENOSYS" 38 "$(numbers timer_create perf_event_open)" 'no samples: the system refuses timers \(timer_create: Function not implemented\)$'
    mpiexec_of "$mpi" 1 "$scratch/refused_call" 1 "$(numbers timer_create)" pith run --sample=10 -o refused.pith ./signals none >out 2>err
    if [ -n "$events" ]; then
        n=$(samples refused.pith)
        ok $((n < 8)) "$mpi: events where timers are refused" || echo "#   got $n"
    fi
    cd "$scratch" || exit 1
done

# Without MPI: no thread, no /proc.
cat >alone.c <<'EOF'
#include <pith.h>
#include <time.h>
int main(void)
{
    uint32_t state = pith_state_define("work", "");
    pith_begin(state);
    while (clock() < CLOCKS_PER_SEC / 5)
        ;
    pith_end(state);
    return 0;
}
EOF
cc -O2 -I"$top/liblog" -o alone alone.c -L"$build/lib" -lpith -Wl,-rpath,"$build/lib"
ok $? "a program without MPI compiles"
said() {
    is "$(grep -c "^pith: PITH_SAMPLE: $2" err)" 1 "$1: it is said" || cat err
    like "$(property alone.pith sample_refused)" "^$2" "$1: the log says it"
    is "$(samples alone.pith)" 0 "$1: no samples"
}
PITH_SAMPLE=10 PITH_LOG=alone.pith ./refused_call 11 "$(numbers clone clone3)" ./alone >out 2>err
said "no thread" "no samples: the system refuses a thread"
if unshare -m true 2>/dev/null; then
    PITH_SAMPLE=10 PITH_LOG=alone.pith unshare -m sh -c "mount -t tmpfs none /proc && exec ./alone" >out 2>err
    said "no /proc" "no samples: /proc/self/task"
else
    skip "no /proc" "this user may not hide it"
fi
finish
