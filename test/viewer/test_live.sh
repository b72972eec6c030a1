#!/usr/bin/env bash
# The time lines of a program that runs: they grow, follow the end of time or stay, and become those of its log; of a
# program that is killed what it had recorded stays in view.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
if [ -z "$(mpis)" ]; then
    skip "a program that runs" "no MPI"
    finish
fi
mpi=$(mpis | head -n 1)
"mpicc.$mpi" -O1 "$top/test/viewer/talk.c" -o talk || { ok 1 "talk.c compiles"; finish; }
start_display
# recording LOG RANKS: waits until there is something to see of LOG, and something of all ranks: its start stays then.
recording() {
    local i seen
    for i in $(seq 1200); do
        seen=$(pith info "$1.spill" 2>/dev/null | awk '/^lanes: / { lanes = $2 } /^messages: / { messages = $2 } END { print lanes + 0, (messages > 5) }')
        [ "$seen" = "$2 1" ] && return
        sleep 0.1
    done
    return 1
}

cat >tools.tcl <<'END'
proc check {good what} { puts "[expr {$good ? {ok} : {not ok}}] - $what" }
# Waits until CONDITION holds, for two minutes at most.
proc until {condition} {
    for {set i 0} {$i < 1200 && ![uplevel 1 [list expr $condition]]} {incr i} {
        after 100 {set ::ticked 1}
        vwait ::ticked
    }
    uplevel 1 [list expr $condition]
}
proc seconds {} { regexp {[0-9.]+} [live] time; return $time }
END

# ---- To its end
timeout 600 "mpiexec.$mpi" -n 3 pith run -o grow.pith ./talk 10 seen >out 2>err &
job=$!
recording grow.pith 3
ok $? "a program runs"
cat >grow.tcl <<'END'
source tools.tcl
check [regexp {^live, [0-9.]+ s$} [live]] "the status line says so: [live]"
set before [window]
check [until {[lindex [window] 1] > [lindex $before 1] + 0.5}] "the picture grows: [window]"
check [expr {[lindex [window] 0] == [lindex $before 0]}] "from the start on, as all was shown"
zoom [expr {[lindex [window] 1] - 0.3}] [expr {[lindex [window] 1] - 0.1}]
set looked [window]
set at [seconds]
check [until {[seconds] > $at + 1}] "time goes on"
check [expr {[window] eq $looked}] "who looks elsewhere is left there"
focus -force [canvas]
update
event generate [canvas] <T>
sync
set tail [window]
check [expr {[lindex $tail 1] > [lindex $looked 1]}] "T: to the end"
check [expr {abs([lindex $tail 1] - [lindex $tail 0] - 0.2) < 1e-6}] "with as much time as before"
check [until {[lindex [window] 1] > [lindex $tail 1]}] "and on with it"
check [expr {abs([lindex [window] 1] - [lindex [window] 0] - 0.2) < 1e-6}] "as much time as before"
tail
check [regexp {held$} [live]] "T at the end: the window is held: [live]"
tail
fit
ranges on
::close [::open seen w] ;# now it may end
check [until {[string match "ended*" [live]]}] "the end is seen: [live]"
check [until {[string match "*grow.pith - Pith" [wm title [winfo toplevel [canvas]]]]}] "the log takes its place"
check [string match "*now shows its log*" [status]] "and it is said: [status]"
check [expr {[lsearch -index 0 [legend] MPI_Finalize] >= 0}] "all of it"
sync
close
END
timeout 600 pith view grow.pith -e 'source grow.tcl' >checks.out 2>&1
is "$?" 0 "the window of a program that runs"
checks_of checks.out
wait "$job"
like "$?:$(cat out)" "^3:talk: [0-9]+\$" "the program did not notice"

# ---- A folder of another name, away from the log; the first look comes when the program is nearly over
mkdir away
PITH_SPILL=$PWD/away timeout 600 "mpiexec.$mpi" -n 2 pith run -o there.pith ./talk 10 looked >out 2>err &
job=$!
for _ in $(seq 1200); do [ -n "$(ls away)" ] && break; sleep 0.1; done
out=$(timeout 600 pith view away -e 'source tools.tcl; ::close [::open looked w]; until {[string match "*there.pith - *" [wm title [winfo toplevel [canvas]]]]}
    puts [lsearch -all -index 0 [legend] MPI_Finalize]; close' 2>&1)
like "$out" '^[0-9]+$' "of a folder elsewhere too: its log takes the place"
wait "$job"

# ---- On two machines, played on one, whose clocks drift apart
"${CC:-cc}" -O1 -shared -fPIC -o false_clock.so "$top/test/mpi/false_clock.c" -lm || { ok 1 "false_clock.c compiles"; finish; }
UCX_LOG_LEVEL=fatal FALSE_CLOCKS=2 timeout 600 "mpiexec.$mpi" -n 2 "$top/test/mpi/preload" "$PWD/false_clock.so" pith run -o two.pith ./talk 10 told >out 2>err &
job=$!
recording two.pith 2
cat >two.tcl <<'END'
source tools.tcl
check [until {[regexp {^live, [0-9.]+ s, clock drift not yet corrected$} [live]]}] "two machines: times are not final: [live]"
::close [::open told w]
check [until {[string match "*two.pith - Pith" [wm title [winfo toplevel [canvas]]]]}] "at the end the log takes its place"
check [expr {![string match "*drift*" [live]]}] "with all times corrected: [live]"
close
END
timeout 600 pith view two.pith -e 'source two.tcl' >checks.out 2>&1
is "$?" 0 "the window of a program on two machines"
checks_of checks.out
wait "$job"

# ---- Killed
mv talk "die-$$" # a name that nobody else's process has
timeout 600 "mpiexec.$mpi" -n 3 pith run -o kill.pith "./die-$$" 100000 >out 2>err &
job=$!
recording kill.pith 3
cat >kill.tcl <<'END'
source tools.tcl
check [until {[seconds] > 1}] "it runs: [live]"
catch {exec kill -9 {*}[exec pgrep -x die-$::env(victim)]} ;# the first one takes the others along
check [until {[string match "died at * s; *" [live]]}] "killed: [live]"
sync
check [expr {[llength [legend]] > 2}] "what it had recorded is there"
set said [live]
after 1500 {set ::ticked 1}
vwait ::ticked
check [expr {[live] eq $said}] "and stays"
close
END
victim=$$ timeout 600 pith view --live kill.pith -e 'source kill.tcl' >checks.out 2>&1
is "$?" 0 "--live: the window of a program that dies"
checks_of checks.out
wait "$job"
out=$(timeout 600 pith view kill.pith.spill -e 'puts [llength [legend]]; quit' 2>&1)
like "$out" '^[3-9]' "opened later by the folder's name"
finish
