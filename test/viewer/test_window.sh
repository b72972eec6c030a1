#!/usr/bin/env bash
# The window, on an Xvfb of its own: events and what they do (window_checks.tcl), several windows, errors.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith
ok $? "logs are made"

# one STATUS PATTERN WHAT ARGS...: pith view must end with STATUS and one line on stderr.
one() {
    local status=$1 pattern=$2 what=$3 out
    shift 3
    out=$(timeout 60 pith view "$@" 2>&1)
    is "$?:$(wc -l <<<"$out")" "$status:1" "$what: exit status, one line"
    like "$out" "^pith: $pattern" "$what: what it says"
}

unset DISPLAY WAYLAND_DISPLAY
one 1 'view: no display .*pith draw LOG -o OUT\.png' "no display" plain.pith
one 2 'view: a log is missing' "no log given"
one 2 'view: no such option: --foo' "an unknown option" --foo plain.pith
one 1 'none\.pith: no such file' "no such log" none.pith
like "$(pith view --help)" '^usage: pith view LOG' "--help needs no display"

start_display
inside plain.pith window_checks.tcl

like "$(pith view plain.pith rich.pith -e 'puts [window]; quit')" '^0\.0000[0-9]+ 0\.0191[0-9]+$' \
    "two logs, two windows: a script speaks to the one before it"
is "$(pith view -e 'puts [lindex [window] 0]; quit' plain.pith)" 0.000000000 "a script before the log"
is "$(pith view plain.pith -e 'view rich.pith; close; quit')" "" "a window opened from a script; one closed"
pith view rich.pith -e 'zoom 4ms 6ms; shot a.png; shot b.png; quit'
is "$?" 0 "pictures of the window"
is "$(pith view rich.pith --from 4ms --to 6ms -e 'puts [window]; quit')" "$(pith view rich.pith -e 'zoom 4ms 6ms; puts [window]; quit')" "--from, --to"
is "$(pith view --to 6ms rich.pith -e 'puts [window]; quit')" "$(pith view rich.pith -e 'zoom 17562ns 6ms; puts [window]; quit')" "--to, before the log"
read -r state rank begin end <<<"$(pith print rich.pith --csv | awk -F, '$4 == "enter" { print $5, $2, $1; exit }')" # the first state
is "$(pith view rich.pith --from "$state[1]" -e 'puts [lindex [window] 0]; quit')" "$begin" "--from STATE[n]"
is "$(pith view rich.pith --at 5ms -e 'puts [window]; quit')" "$(pith view rich.pith -e 'in 20; goto 5ms; puts [window]; quit')" "--at"
ok "$(pith view rich.pith --at "compute[2]" -e 'puts [window]; quit' |
    awk -v at="$(pith print rich.pith --csv --state compute | awk -F, '$4 == "enter" && ++n == 2 { print $1 }')" '{ print !($1 < at && at < $2) }')" "--at STATE[n]"
is "$(pith view rich.pith --rows 0 -e 'puts [row_list]; quit')" "$(pith view rich.pith -e 'rows 0; puts [row_list]; quit')" "--rows"
one 1 "view: --from: 'soon' is not a time such as 1.5, .*STATE.n.$" "a wrong time" rich.pith --from soon
one 1 "view: --at: .*rich.pith: compute.999999.: the log has [0-9]+ instances of this state" "an instance that is not there" rich.pith --at 'compute[999999]'
one 2 'view: --at needs a value' "no time" rich.pith --at
cmp a.png b.png
ok $? "alike, twice"
over='toplevel .over; wm overrideredirect .over 1; wm geometry .over 1300x900+0+0; update'
pith view rich.pith -e "zoom 4ms 6ms; sync; $over; after 300; update; shot c.png; quit"
cmp a.png c.png
ok $? "and of a window that another one covers"
one 1 'view: .*shot d\.png: another window covers this one; move it away' "a window that stays covered: no picture" rich.pith \
    -e "$over; bind .over <Visibility> {raise .over}; shot d.png; quit"
[ ! -e d.png ]
ok $? "and no file"
echo victim >victim.txt
ln -s victim.txt e.png.part
pith view rich.pith -e 'zoom 4ms 6ms; shot e.png; quit'
cmp a.png e.png
ok $? "a link that lies in the way"
is "$(cat victim.txt)" victim "is not followed"
for kind in nasty empty point; do
    "$make_log" $kind $kind.pith
    out=$(pith view $kind.pith -e "in; out; pan 0.5; fit; legend; shot $kind.png; quit" 2>&1)
    is "$?:$out" "0:" "an odd log opens: $kind"
done
colours=$(convert a.png -format %k info:)
ok $((colours < 30)) "with all that a rich log has ($colours colours)"
echo "no log" >text.pith
one 1 'text\.pith: ' "no log" text.pith
one 1 'view: -e: .*nonsense' "a script's error" plain.pith -e 'nonsense'
# A damaged block: the other lanes are drawn, the status line says what is wrong.
"$make_log" big big.pith
size=$(stat -c %s big.pith)
printf 'damage damage damage' | dd of=big.pith bs=1 seek=$((size / 2)) conv=notrunc status=none
out=$(pith view big.pith -e 'event generate [canvas] <Motion> -x 200 -y 60; sync; puts [status]; set counted [llength [legend]]
    puts "legend of $counted"; shot damaged.png
    set top [winfo toplevel [canvas]]; wm geometry $top 800x600; sync; update; set shown [$top.status.alarm cget -text]
    for {set i 0} {$i < 20 && ![winfo exists $top.tip]} {incr i} { # other events hide it
        event generate $top.status.alarm <Motion> -x 5 -y 5; after 600 {set over 1}; vwait over
    }
    puts "alarm: $shown"; puts "tip: [$top.tip cget -text]"
    findings on; sync; set pane $top.panes.findings; puts "findings: [set [$pane.notice cget -textvariable]]"; quit' 2>&1)
like "$out" '^big\.pith: byte [0-9]+: .*damaged' "a damaged block: said in the status line, whatever is pointed at"
like "$out" 'legend of [89]' "what is whole is in the legend"
like "$out" 'alarm: big\.pith: byte .*…$' "a cut message has an ellipsis"
like "$out" 'findings: Records of rank [0-9]+ are missing .*The analysis covers the longest part' "findings say that records are missing"
like "$out" 'tip: big\.pith: byte [0-9]+: .*takes the rest' "and a tip with all of it"
like "$(convert damaged.png -format %k info:)" '^[1-9][0-9]' "the other lanes are drawn"
# Why there is nothing: a pause, lost records, a damaged block.
printf '%s\t0\t0\t%s\n' 0 $'enter\twork' 0.2 $'leave\twork' 0.2 pause 0.5 resume 0.7 $'lost\t\tcount=12' 0.8 $'enter\twork' \
    1 $'leave\twork' >gaps.txt
pith convert gaps.txt gaps.pith
out=$(pith view gaps.pith -e 'foreach part {0.35 0.7 0.75 0.6} {
    event generate [canvas] <Motion> -x [expr {int($part * [winfo width [canvas]])}] -y 40; sync; puts [status] }; quit' 2>&1)
like "$out" '^recording paused +on rank 0 +from 200 ms +to 500 ms +for 300 ms$' "the pointer on a pause"
like "$out" '^12 records lost +on rank 0 +at 700 ms$' "on lost records"
is "$(grep -c '^12 records lost' <<<"$out")" 2 "and on the time whose records are missing"
like "$out" '^1 rank, 7 records' "on nothing else"
# A state that goes on after lost records is one state.
printf '%s\t0\t0\t%s\n' 0 $'enter\tmain' 0.5 $'lost\t\tcount=3' 0.6 $'event\tmark' 1 $'leave\tmain' >spans.txt
out=$(pith view spans.txt -e 'foreach part {0.3 0.8} {
    event generate [canvas] <Motion> -x [expr {int($part * [winfo width [canvas]])}] -y 40; sync; puts [status] }; quit' 2>&1)
is "$(grep -c '^main *on rank 0 *from 0 s *to 1 s ' <<<"$out")" 2 "a state has the same begin and end before lost records and after"
# A long name is cut in the status line, which still says when; the card has all of it, on several lines.
long=$(printf 'x%.0s' {1..200})
printf '%s\t0\t0\t%s\n' 0 $'enter\t'"$long" 0.2 $'enter\tinner' 0.5 $'leave\tinner' 1 $'leave\t'"$long" >long.txt
pith convert long.txt long.pith
out=$(pith view long.pith -e 'set top [winfo toplevel [canvas]]; proc go {x type} {
        event generate [canvas] $type -x $x -y [expr {[height] / 2}]
    }
    go 20 <Motion>; sync; puts "status: [$top.status.text cget -text]"; puts "whole: [status]"
    set x [expr {[winfo width [canvas]] * 3 / 10}]; go $x <Motion>; go $x <Button-1>; go $x <ButtonRelease-1>
    after 600 {set over 1}; vwait over; sync
    puts "card: [winfo exists [winfo toplevel [canvas]].card] [expr {[winfo reqwidth [winfo toplevel [canvas]].card] < [winfo width [canvas]]}]"
    quit' 2>&1)
like "$out" 'status: xxx+…   on rank 0   from 0 s   to 1 s   for 1 s' "a long name leaves room for the rest"
like "$out" "whole: $long   on rank 0" "scripts get all of it"
like "$out" 'card: 1 1' "the card is not wider than the time lines"
# Names in bars have no pixels of other letters: j reaches to the left, where I or i may lie when the letters are made.
printf '%s\n' $'0\t0\t0\tenter\tIIIiii' $'0\t1\t0\tenter\tHHHHHH' \
    $'1\t0\t0\tleave\tIIIiii' $'1\t1\t0\tleave\tHHHHHH' >letters.txt
pith convert letters.txt letters.pith
out=$(pith view letters.pith -e 'proc last_line_of_ink {row} {
        set photo [[canvas] itemcget picture -image]
        set top [expr {$row * [height]}]
        set paper [$photo get 300 [expr {int($top + [height] * 0.5)}]]
        for {set y [expr {int($top + [height] * 0.8)}]} {$y > $top} {incr y -1} {
            for {set x 4} {$x < 30} {incr x} {
                if {[$photo get $x $y] ne $paper} { return [expr {$y - $top}] }
            }
        }
        return none
    }
    foreach scale {1 2} { prefer scale $scale; height 80; sync; puts "ends [last_line_of_ink 0] [last_line_of_ink 1]" }
    prefer scale 0; quit' 2>&1)
is "$(grep -cE '^ends ([0-9]+) \1$' <<<"$out")" 2 "letters of a bar's name end on the same line: $(xargs <<<"$out")"
rank=$(pith draw big.pith -o out.png 2>&1 | grep -oE 'rank [0-9]+' | tr -dc 0-9)
out=$(pith view big.pith -e "rows $((rank - 1))-$((rank + 1)); arrows off; sync;"' foreach row {0.5 1.2 1.5 2.5} {
    event generate [canvas] <Motion> -x 100 -y [expr {int([height] * $row)}]; sync; puts "$row [status]" }; quit' 2>&1)
like "$out" "^1\.5 .* records are missing: the file is damaged +on rank $rank\$" "on the damaged lane"
like "$out" "^1\.2 .* records are missing: the file is damaged +on rank $rank\$" "also where events would be"
is "$(grep -c 'are missing' <<<"$out")" 2 "but not on others"
mkdir broken && cp -r "$build/libexec" "$build/share" "$build/bin" broken/
out=$(broken/bin/pith view plain.pith 2>&1)
like "$?:$out" '^1:pith: view: .*libpithtk\.so is missing; run make again' "without the extension: said"
finish
