#!/usr/bin/env bash
# The animation: started by pith run --lib anim beside a real program, and by hand; with a display, and without.
. "$(dirname "$0")/../lib.sh"

if [ ! -e "$build/lib/pith/libpithtk.so" ] || [ -z "$(mpis)" ]; then
    skip "the animation" "not built here: no Tcl/Tk, or no MPI"
    finish
fi
for mpi in $(mpis); do
    "mpicc.$mpi" -O1 "$top/test/viewer/talk.c" -o "talk-$mpi" 2>cc.err || { ok 1 "talk.c compiles with $mpi"; finish; }
done

# ---- Without a display
unset DISPLAY WAYLAND_DISPLAY
for mpi in $(mpis); do
    out=$(timeout 600 mpiexec.$mpi -n 3 pith run --lib anim -o "none-$mpi.pith" "./talk-$mpi" 5 2>err)
    is "$?:$out" "3:talk: 5" "$mpi, no display: output and exit code are the program's"
    is "$(grep -c '^pith: no animation: DISPLAY is not set; the program runs on' err)" 1 "said in one line"
    like "$(pith info "none-$mpi.pith")" '^messages: 15$' "and it was recorded"
done
mpi=$(mpis | head -n 1)
out=$(DISPLAY=:9876 timeout 600 mpiexec.$mpi -n 3 pith run --lib anim -o dead.pith "./talk-$mpi" 5 2>err)
is "$?:$out:$(grep -c '^pith: no animation: nobody answers at DISPLAY' err)" "3:talk: 5:1" "a display where nobody answers"
out=$(pith view --anim none.pith 2>&1)
like "$?:$out" "^1:pith: none\.pith: no such file; this folder has .*none-$mpi\.pith" "by hand: no such log"
out=$(pith view --anim "none-$mpi.pith" 2>&1)
like "$?:$out" '^1:pith: view: no display' "by hand: no display"

if ! command -v Xvfb >/dev/null; then
    skip "the window" "no Xvfb"
    finish
fi
exec 9<> <(:)
Xvfb -noreset -displayfd 9 -screen 0 1200x900x24 >/dev/null 2>xvfb.log &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
read -r -t 60 -u 9 display
ok $? "Xvfb runs"
export DISPLAY=":$display"

# The process of the window that the library started for LOG.
window_of() {
    local process
    for process in /proc/[0-9]*; do
        tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -- "--anim --spill $scratch/.* $scratch/$1 \$" >/dev/null &&
            echo "${process#/proc/}" && return
    done
    return 1
}
# Waits until the command succeeds, at most that many tenths of a second.
until_ok() { local tries=$1; shift; while [ "$tries" -gt 0 ]; do "$@" >/dev/null 2>&1 && return; sleep 0.1; tries=$((tries - 1)); done; return 1; }
has_picture() { import -window root "$1" && [ "$(convert "$1" -format %k info:)" -gt 20 ]; }
differ() { [ "$(compare -metric AE "$1" "$2" null: 2>&1)" != 0 ]; }
# A message's arrow is dark, on white between the ranks.
changes() { import -window root one.png; sleep 0.15; import -window root two.png; differ one.png two.png; }

# ---- Beside the program
for mpi in $(mpis); do
    timeout 600 mpiexec.$mpi -n 3 pith run --lib anim -o "live-$mpi.pith" "./talk-$mpi" 10 "seen-$mpi" >out 2>err &
    job=$!
    until_ok 1200 window_of "live-$mpi.pith"; pid=$(window_of "live-$mpi.pith")
    ok $((pid == 0)) "$mpi: rank 0 starts the window"
    until_ok 1200 has_picture shown.png
    ok $? "it opens while the program runs"
    until_ok 600 changes
    ok $? "and moves"
    kill -0 "$job" 2>/dev/null
    ok $? "meanwhile the program is not over"
    is "$(readlink "/proc/$pid/fd/1")" /dev/null "the window holds nothing of the program's output"
    if [ "$mpi" = "$(mpis | head -n 1)" ]; then
        kill "${pid:-none}"
        until_ok 1200 bash -c "! kill -0 $pid"
        ok $? "the window is closed"
        touch "seen-$mpi"
        wait "$job"
        like "$?:$(cat out)" "^3:talk: [0-9]+\$" "which does not hurt the program: output and exit code"
    else
        touch "seen-$mpi"
        wait "$job"
        like "$?:$(cat out)" "^3:talk: [0-9]+\$" "output and exit code are the program's"
        kill -0 "$pid" 2>/dev/null
        ok $? "the window stays when it has ended"
        kill "$pid"
    fi
    is "$(grep -v -e '^pith: .*open it with' -e '^-' -e '^$' -e mpiexec -e 'Primary job' -e 'Process name' -e 'Exit code' -e 'non-zero' -e 'the job to be' -e '\[\[' -e '^=' -e 'BAD TERM' -e 'EXIT CODE' -e 'CLEANING' -e 'YOU CAN' -e 'PID' -e 'RUNNING' -e 'they had no core' err | head -n 3)" "" "$mpi: nothing else is said"
    like "$(pith info "live-$mpi.pith")" "^messages: $((3 * $(sed -n 's/talk: //p' out)))\$" "and the log is whole"
done

# ---- By hand, to a program that runs
mpi=$(mpis | tail -n 1)
timeout 600 mpiexec.$mpi -n 3 pith run -o hand.pith "./talk-$mpi" 100 seen >out 2>err &
job=$!
until_ok 1200 test -d hand.pith.spill
cat >live.tcl <<'END'
proc check {good what} { puts "[expr {$good ? {ok} : {not ok}}] - $what" }
proc value {key} { dict get [info] $key }
while {[value ranks] < 3 || [value messages] < 20} { wait 0.1 }
check [value live] "it is live"
set seen {}
set from [time]
for {set i 0} {$i < 30 || ([dict size $seen] < 3 && $i < 3000)} {incr i} { wait 0.03; dict set seen [states] 1 }
check [expr {[dict size $seen] >= 3}] "ranks change their states ([dict size $seen] different)"
check [expr {[time] > $from}] "the clock goes on with the program"
check [expr {![value ended]}] "which runs"
speed 1/50
wait 0.1
set from [time]
set begun [clock milliseconds]
wait 1
set went [expr {[time] - $from}]
check [expr {$went > 0 && $went < ([clock milliseconds] - $begun) / 1e4}] "slow motion: $went s in [expr {[clock milliseconds] - $begun}] ms"
pause
sync
set from [time]
set photo [[canvas] itemcget 1 -image]
set before [$photo data]
wait 0.3
check [expr {[time] == $from && [$photo data] eq $before}] "pause: nothing moves"
check [expr {[value now] / 1e9 > [time]}] "but the program does"
for {set i 0} {$i < 500 && [flying] == 0} {incr i} { step 1; sync }
seek [time]
sync
set before [$photo data]
for {set i 0} {$i < 500 && [$photo data] eq $before} {incr i} { step 1; sync } ;# three are a round of the token: the same picture
check [expr {[$photo data] ne $before && [time] > $from}] "steps move the arrows"
layout grid
sync
check [expr {[$photo data] ne $before}] "a grid"
layout ring
check [catch {speed 0}] "a speed of 0 is refused"
live
for {set i 0} {$i < 1200 && [value now] / 1e9 - [time] >= 1} {incr i} { wait 0.1 }
check [expr {$i < 1200}] "live again"
shot live.png
::close [::open seen w]
while {![value ended]} { wait 0.1 }
check [value finished] "the end of the program is seen"
wait 0.3
check [expr {[value messages] >= 300 && [value messages] % 3 == 0}] "with all messages: [value messages]"
check [expr {[time] < [value now] / 1e9 - 1 || [value now] > 1e10}] "a short run is shown again from its start, slower: [speed]"
speed 1
seek [expr {[value now] / 1e9 - 0.3}]
play
for {set i 0} {$i < 1200 && [llength [::info class instances ::pith::Window]] == 0} {incr i} { wait 0.1 }
check [expr {[llength [::info class instances ::pith::Window]] == 1}] "at its end the finished log is opened as time lines"
close
quit
END
timeout 600 pith view --anim hand.pith -e "source live.tcl" >checks.out 2>&1
is "$?" 0 "by hand: the checks inside the window end"
checks_of checks.out
wait "$job"
like "$?:$(cat out)" "^3:talk: [0-9]+\$" "the program did not notice"
messages=$((3 * $(sed -n 's/talk: //p' out)))
like "$(identify -format '%wx%h' live.png)" '^[0-9]+x[0-9]+$' "a picture of the window"

# ---- Without MPI_Init
pith draw hand.pith -o whole.svg && pith draw hand.pith -o work.svg --from init --to finalize && ! cmp -s whole.svg work.svg
ok $? "pith draw --from init --to finalize: another picture"
is "$(pith draw hand.pith --ascii --from init --to finalize | grep -cE 'MPI_(Init|Finalize)')" 0 "without the two"

# ---- Of a log
out=$(timeout 600 pith view --anim hand.pith -e 'puts [dict get [info] messages]; start; puts [time]; wait 0.5; puts [time]; puts [states]; quit' 2>&1)
is "$(sed -n 1p <<<"$out")" "$messages" "a finished log: its messages"
ok "$(awk 'NR == 2 { a = $1 } NR == 3 { b = $1 } END { print !(b > a && a > 0) }' <<<"$out")" "it plays, from the end of MPI_Init on"
like "$(sed -n 4p <<<"$out")" '^(Recv|Send|computing)( (Recv|Send|computing)){2}$' "three ranks have states: $(sed -n 4p <<<"$out")"
# A damaged log: the status line says it, and the other messages are there.
python3 "$top/test/analyze/damaged_check.py" make 400 >long.txt && pith convert long.txt long.pith
printf 'damage' | dd of=long.pith bs=1 seek=$(($(stat -c %s long.pith) / 2)) conv=notrunc status=none
others=$(pith stat long.pith --by comm --csv 2>/dev/null | awk -F, 'NR > 1 { sum += $3 } END { print sum }')
like "$others" '^[1-9][0-9]*$' "a damaged log has messages"
out=$(timeout 600 pith view --anim long.pith -e 'while {![dict get [info] ended]} { wait 0.05 }; live; sync; puts [status]; puts [dict get [info] messages]; quit' 2>&1)
like "$(sed -n 1p <<<"$out")" ' under way   long[.]pith: byte [0-9]+: .* is damaged' "the animation says it"
is "$(sed -n 2p <<<"$out")" "$others" "and it has all other messages"
is "$(pith view hand.pith -e 'anim; work; puts [expr {[lindex [window] 0] > 0}]; quit' 2>&1)" 1 "from the time lines: the animation, and the work"
finish
