#!/usr/bin/env bash
# Time whose records are missing (a damaged block, lost records): the legend, the selection and pages count it neither as
# computing nor as a state's, as pith stat does (missing_check.py).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
check="python3 $top/test/viewer/missing_check.py"
$check make 1 lost >lost.txt && pith convert lost.txt lost.pith && $check make 2 >whole.txt && pith convert whole.txt whole.pith
ok $? "logs are made"
for part in 30 60; do
    cp whole.pith damaged$part.pith
    printf 'damage' | dd of=damaged$part.pith bs=1 seek=$(($(stat -c %s whole.pith) * part / 100)) conv=notrunc status=none
    pith check damaged$part.pith >/dev/null 2>&1
    is "$?" 1 "a block is damaged at $part %"
done
start_display
for log in whole lost damaged30 damaged60; do
    $check ranges $log.pith 20 3 >ranges
    timeout 300 pith view $log.pith -e "source $top/test/viewer/missing_checks.tcl" >view.out 2>&1
    is "$?" 0 "$log: the window says what it counts" || sed 's/^/# /' view.out
    $check compare $log.pith ranges said >checks.out && $check page $log.pith ranges >>checks.out
    ok $? "$log: all is compared"
    [ ! -e $log.txt ] || $check truth $log.txt $log.pith ranges >>checks.out || ok 1 "$log: by definition"
    checks_of checks.out
done
finish
