#!/usr/bin/env bash
# `pith draw --unfold`: a row for each nesting level and each depth of functions, compared with the records one by one on
# random logs 20 levels deep with samples (unfold_oracle.py), and with the window; and what is said.
. "$(dirname "$0")/../lib.sh"
[ -x "$build/libexec/pith/pith-draw" ] || { skip "pith draw" "not built here: no cairo"; finish; }

# deep SEED SLOPE: a random log of states, slower by 80, and on the same ranks samples.
deep() {
    { python3 "$top/test/cli/flame_log.py" make "$1" cpu | grep -v '^# end'
        python3 "$top/test/viewer/random_log.py" "$1" "$2" | awk -F '\t' 'BEGIN { OFS = FS } { $1 = sprintf("%.9f", $1 * 80); print }'
    } >deep.txt
    { grep '^#' deep.txt; grep -v '^#' deep.txt | sort -s -g -k 1,1; } >sorted.txt
    pith convert sorted.txt "deep$1.pith" && pith print "deep$1.pith" >printed &&
        python3 "$top/test/cli/flame_log.py" bars printed cpu 1000000 >bars &&
        pith stat "deep$1.pith" --flame flames.pith && pith print flames.pith >flames
}
for seed in 1 2; do
    deep $seed 0.00$seed
    ok $? "log $seed: a log is made"
    depth=$(awk -F '\t' '$2 == 0 && $4 == "enter" { if (++open > most) most = open } $2 == 0 && $4 == "leave" { open-- } END { print most }' printed)
    ok $((depth < 20)) "log $seed: rank 0 is $depth levels deep"
    for window in "all 0 160000000" "0,2 20000000 90000000" "1 40000000 42000000" "2 50000000 50100000"; do
        # shellcheck disable=SC2086
        PYTHONPATH=$top/test/viewer python3 "$top/test/viewer/unfold_oracle.py" "deep$seed.pith" $window bars flames >checks.out 2>&1
        is "$?:$(grep -c . checks.out)" 0:3 "log $seed, $window: the checks come to their end" || sed 's/^/# /' checks.out
        checks_of checks.out "log $seed: "
    done
done
pith draw deep1.pith -o natural.svg --unfold 1 -e 'arrows off'
ok $(($(grep -c '>level \|>depth ' natural.svg) < 70 || $(grep -c '>state-[a-z]<' natural.svg) < 40)) "many rows are high enough for names"

# 45 lanes of 50 levels.
awk 'BEGIN {
    for (r = 0; r < 45; r++) printf "# lane\trank=%d\tthread=0\n", r
    for (l = 0; l < 100; l++) for (r = 0; r < 45; r++) printf "%.6f\t%d\t0\t%s\ta\n", l / 1000, r, l < 50 ? "enter" : "leave"
}' >many.txt
pith convert many.txt many.pith
pith draw many.pith -o low.svg --unfold all --lanes 0-9
is "$(grep -c '>rank [0-9]<' low.svg)" 10 "each lane has its label, also where rows are low"
is "$(grep -o '>level [0-9]*<' low.svg | sort | uniq -c | grep -o '[0-9]*' | paste -sd ': ')" \
    "10:10 10:15 10:20 10:25 10:30 10:35 10:40 10:45 1:50" "with the same round levels below each"
pith draw many.pith -o high.svg --unfold all --lanes 0-7
is "$(grep -o '>level [0-9]*<' high.svg | sort -u | wc -l):$(grep -o '<svg [^>]*' high.svg | grep -c 'height="6[45]')" 49:1 "400 rows are high enough for names"

# Levels that occur only outside of the time have no row: three before 1 s, one from then on, four from 2 s on.
printf '%s\t0\t0\t%s\n' 0 'enter	a' 0.1 'enter	b' 0.2 'enter	c' 0.3 'leave	c' 1 'leave	b' 1.5 'event	e' 2 'enter	b' 2 'enter	c' 2 'enter	d' \
    2 'leave	d' 2.1 'leave	c' 2.2 'leave	b' 3 'leave	a' >times.txt
levels() { pith draw times.txt -o times.svg --unfold all "$@" && grep -o '>level [0-9]*<' times.svg | grep -o '[0-9]*' | tr '\n' ' '; }
is "$(levels):$(levels --to 1s):$(levels --from 0.3s --to 1s):$(levels --from 1s --to 2s):$(levels --from 1s --to 2001ms)" \
    "2 3 4 :2 3 :2 ::2 3 4 " "levels of a time"
is "$(levels -e 'zoom 0.3 0.9'):$(levels -e 'unfold_rows 0; zoom 1 2'):$(levels -e 'zoom 2.1 2.15; fit')" "2 ::2 3 4 " "of that which the words choose"

# What finds the functions fails, dies, or takes long: `pith stat`, beside the program that draws.
mkdir -p tree/libexec/pith tree/bin && cp "$build/libexec/pith/pith-draw" tree/libexec/pith/
stands_in() { printf '#!/bin/sh\n%s\n' "$1" >tree/bin/pith && chmod +x tree/bin/pith; }
draws() { tree/libexec/pith/pith-draw deep1.pith -o out.png --unfold 0 2>&1; echo $?; }
stands_in 'echo "pith: no room" >&2; exit 1'
is "$(draws)" $'pith: no room\n1' "it fails: its line is the error"
stands_in 'kill -KILL $$'
is "$(draws)" $'pith: draw: signal 9 ended `pith stat`\n1' "it is killed"
rm tree/bin/pith
like "$(draws | head -n 1)" '^pith: .*/bin/pith: cannot start: No such file or directory$' "it is not there"
stands_in 'trap "echo ended >ended; exit 1" TERM; echo >begun; for i in $(seq 400); do sleep 0.05; done'
tree/libexec/pith/pith-draw deep1.pith -o out.png --unfold 0 & drawing=$!
for _ in {1..400}; do [ -e begun ] && break; sleep 0.05; done
kill -TERM $drawing
wait $drawing
is "$?:$(cat ended)" 143:ended "drawing is stopped: so is it"
is "$(ls out.png* 2>/dev/null):$(ls "$TMPDIR")" :scratch "no picture, and no file of functions is left"

# The window draws the same.
. "$top/test/viewer/window.sh"
start_display
cat >lines.tcl <<'END'
source $::env(TOP)/test/viewer/window_tap.tcl
group none
unfold_rows 1
names off
arrows off
hide pith:*
height 24
zoom 0.02 0.09
sync
set file [::open lines w]
for {set y 0} {$y < min([winfo height $plot], 24 * [llength [row_list]])} {incr y} {
    for {set x 0} {$x < [winfo width $plot]} {incr x} {
        puts -nonewline $file [format %02x%02x%02x {*}[$photo get $x $y]]
    }
    puts $file {}
}
::close $file
save saved.svg
save saved.html
quit
END
TOP=$top timeout 100 pith view deep2.pith -e 'source lines.tcl'
is "$?" 0 "the window says which pixels it has"
python3 "$top/test/viewer/unfold_oracle.py" deep2.pith 1 20000000 90000000 lines >checks.out 2>&1
is "$?" 0 "they are compared" || sed 's/^/# /' checks.out
checks_of checks.out
is "$(grep -c '>level 20<\|>depth 1<' saved.svg):$(grep -c 'unfolded' saved.html)" 2:1 "what the window saves is unfolded, too"
finish
