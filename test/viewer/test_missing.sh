#!/usr/bin/env bash
# Time whose records are missing (a damaged block, lost records): the legend and the selection count it neither as
# computing nor as a state's, as pith stat does (missing_check.py). They also agree with it in lanes that end with open
# states before the end of the log.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
check="python3 $top/test/viewer/missing_check.py"
$check make 1 lost >lost.txt && pith convert lost.txt lost.pith && $check make 3 open >open.txt && pith convert open.txt open.pith &&
    $check make 2 >whole.txt && pith convert whole.txt whole.pith
ok $? "logs are made"
for part in 30 60; do
    cp whole.pith damaged$part.pith
    printf 'damage' | dd of=damaged$part.pith bs=1 seek=$(($(stat -c %s whole.pith) * part / 100)) conv=notrunc status=none
    pith check damaged$part.pith >/dev/null 2>&1
    is "$?" 1 "a block is damaged at $part %"
done
# pith diff, of the sums in a log, and of those that are made anew.
head -c -8 lost.pith >lost_made.pith
head -c -8 open.pith >open_made.pith
head -c -8 damaged30.pith >damaged_made.pith
for log in lost lost_made open open_made damaged_made; do
    is "$(pith diff $log.pith $log.pith --csv 2>/dev/null | awk -F, '$1 == "state" { print $2, $4, $6, $8 } $1 == "computing" { print $2, $8 }' | sort)" \
        "$(pith stat $log.pith --csv 2>/dev/null | awk -F, '$2 == "state" { print $1, $4, $5, $6 } $2 == "computing" { print $1, $6 }' | sort)" \
        "$log: pith diff agrees with pith stat"
done
start_display
for log in whole open lost damaged30 damaged60; do
    $check ranges $log.pith 20 3 >ranges
    timeout 300 pith view $log.pith -e "source $top/test/viewer/missing_checks.tcl" >view.out 2>&1
    is "$?" 0 "$log: the window says what it counts" || sed 's/^/# /' view.out
    $check compare $log.pith ranges said >checks.out
    ok $? "$log: all is compared"
    [ ! -e $log.txt ] || $check truth $log.txt $log.pith ranges >>checks.out || ok 1 "$log: by definition"
    checks_of checks.out
done
for name in work solve MPI_Send computing; do
    formula=$([ $name = computing ] && echo computing || echo "time($name)")
    pith view lost.pith -e "zoom 0.0002 0.0008; derive {$formula}; derive save values.csv; quit" >out 2>&1
    is "$?:$(cat out)" 0: "the rows of a formula: $formula"
    $check formula lost.txt values.csv $name 200000 800000 >checks.out || ok 1 "$formula is compared"
    checks_of checks.out
done
finish
