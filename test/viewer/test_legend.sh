#!/usr/bin/env bash
# The legend: switches, sorting, groups, search box, menu, colours (legend_checks.tcl); 2000 states; the colours file.
. "$(dirname "$0")/../lib.sh"
screen_size=1500x900
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith && "$make_log" many many.pith
ok $? "logs are made"
start_display
inside rich.pith legend_checks.tcl

is "$(pith view plain.pith -e 'sync; puts [lsearch -inline -index 0 [legend_rows] computing]; quit')" \
    "computing {} {} {} {} {0.150 s} {7.5 %}" "time outside of states, without MPI, too"

# ---- Colours last
colours="$XDG_CONFIG_HOME/pith/colours"
is "$(pith view plain.pith -e 'colour red #123456; colour blue navy rule; colour green pink now; quit'; cat "$colours")" \
    "log $PWD/plain.pith red #123456"$'\n'"rule blue #000080" "the colours file: of a log, a rule; what is for now is not in it"
is "$(pith view plain.pith -e 'puts [colour red]; puts [colour blue]; puts [colour green]; quit')" \
    $'#123456\n#000080\n#00aa00' "they are there in the next window"
cp plain.pith other.pith
pith view other.pith -e 'colour red #111111 rule; quit'
is "$(pith view other.pith -e 'puts [colour red]; quit'; pith view plain.pith -e 'puts [colour red]; quit')" \
    $'#111111\n#123456' "a colour of a log is stronger than a rule"
pith view other.pith -e 'colour red default; quit'
is "$(pith view other.pith -e 'puts [colour red]; puts [colour blue]; quit')" $'#cc0000\n#000080' "of another log: the rule"
printf '%s\n' '# mine' 'rule blue' 'log x {red' 'rule gr* #00ff00' >>"$colours"
out=$(pith view other.pith -e 'puts [colour green]; colour blue default; puts [colour blue]; quit' 2>&1)
is "$(grep -c 'colours: line [45]: must be rule' <<<"$out")" 2 "damaged lines are said"
like "$out" '^#00ff00$' "the others count"
like "$out" '^#0000cc$' "default: the log's own"
is "$(grep -c '^# mine\|^rule blue$\|^log x' "$colours")" 3 "and what is not understood stays"
grep -q 'rule blue #' "$colours"
is "$?" 1 "the rule has gone"

# A name with signs of patterns, chosen in the dialog.
printf '0\t0\t0\tenter\t%s\n0.001\t0\t0\tleave\t%s\n' 'a[*]' 'a[*]' 'a*' 'a*' 'a**' 'a**' >odd.txt
rm "$colours"
cat >choose.tcl <<'END'
set top [[lindex [info class instances ::pith::Window] 0] top]
edit_colour {a\*}
sync
event generate $top.colour.swatches.s5 <Button-1>
event generate $top.colour <Key-Return>
sync
quit
END
pith view odd.txt -e 'source choose.tcl' >odd.out 2>&1
odd_colours() { pith view odd.txt -e 'puts [join [lmap name {{a\*} {a\*\*} {a\[\*]}} {colour $name}]]; quit'; }
read -r of_name _ <<<"$(odd_colours)"
is "$of_name $(cat odd.out)" "#bbddff " "a name with a star, chosen in the dialog"
unlike "$(odd_colours)" 'bbddff.*bbddff' "only this name has the colour"
sed -i 's/^event.*/$top.colour.buttons.default invoke/' choose.tcl
pith view odd.txt -e 'source choose.tcl' >odd.out 2>&1
unlike "$(odd_colours)$(cat odd.out)" 'bbddff|rror' "Default gives it back"

# ---- Long times: columns have room for the values, in bold too
printf '# state\tname=%s\tcolour=red\tgroup=%s\n' MPI_Wait MPI work user >long.txt
for rank in 0 1 2; do
    printf '%s\t%d\t0\t%s\t%s\n' 0 $rank enter MPI_Wait 2987654321 $rank leave MPI_Wait 2987654321 $rank enter work 2987800000 $rank leave work
done >>long.txt
for scale in 1 2; do
    is "$(pith view long.txt -e '
        wm geometry [winfo toplevel [canvas]] 1500x800
        prefer scale '$scale'
        legend_columns on
        sync
        set tree [winfo toplevel [canvas]].panes.legend.tree
        proc missing {tree item} {
            set font [expr {"group" in [$tree item $item -tags] ? "PithBold" : "TkDefaultFont"}]
            foreach column [$tree cget -displaycolumns] {
                set room [expr {[$tree column $column -width] - [font measure $font [$tree set $item $column]]}]
                if {$room < 8} { puts "$item $column [$tree set $item $column]: $room" }
            }
            foreach child [$tree children $item] { missing $tree $child }
        }
        foreach item [$tree children {}] { missing $tree $item }
        puts [lmap item [$tree children {}] {$tree set $item exclusive}]
        $tree column exclusive -width 50
        zoom 0 2987700000; sync; puts [$tree column exclusive -width]
        quit' 2>stderr.txt)" $'{8962962963 s} 121:23:57\n50' "scale $scale: no digit of a long time is cut; a column that is made narrow stays so"
done

# ---- Long names have the room that a wide panel has
name=$(printf 'solver<double>::iterate_%.0s' 1 2 3 4)
printf '%s\t0\t0\t%s\t%s\n' 0 enter "$name" 1 leave "$name" 1 enter short 2 leave short >names.txt
is "$(pith view names.txt -e '
    wm geometry [winfo toplevel [canvas]] 1500x800
    prefer scale 1
    legend_columns off
    panel below
    sync; update
    set tree [winfo toplevel [canvas]].panes.legend.tree
    puts [lsort [lmap item [$tree children {}] {string trim [$tree item $item -text]}]]
    quit' 2>/dev/null)" "short $name" "below, a long name is whole"

# ---- What depends on the paper; messages
out=$(pith view plain.pith -e 'puts [colour blue]; theme dark; puts [colour blue]; palette safe; palette log; theme light
    puts [colour blue]; quit' 2>/dev/null | tr '\n' ' ')
like "$out" '^#0000cc #[1-9a-f].* #0000cc $' "a dark colour is lighter on dark paper"
is "$(pith view plain.pith -e 'foreach {from to} {0 1 0.45 0.5 0.7 0.9} {zoom $from $to; puts [lindex [legend_rows] end 3]}
    rows 0; fit; puts [lindex [legend_rows] end 3]; quit' 2>/dev/null)" $'1\n1\n0\n0' "messages that reach into the window"

# ---- Events for those who replay logs
printf '%b\n' '0\t0\t0\tenter\tMPI_Wait' '0.5\t0\t0\tevent\tpith:coll_complete' '0.6\t0\t0\tevent\tmine' '1\t0\t0\tleave\tMPI_Wait' >aside.txt
printf '%b\n' '0\t0\t0\tenter\tMPI_Wait' '0.5\t0\t0\tevent\tpith:site' '1\t0\t0\tleave\tMPI_Wait' >site.txt
is "$(pith view site.txt -e 'sync; foreach row [legend_rows] {puts [lrange $row 0 1]}; quit' | grep pith:)" $'pith:site \u2610' "call sites are hidden at first"
is "$(pith view aside.txt -e 'sync; foreach row [legend_rows] {puts [lrange $row 0 1]}; quit' | grep -E 'coll_complete|mine')" \
    $'pith:coll_complete \u2610\nmine \u2611' "are hidden at first"

# ---- 2000 states
out=$(pith view many.pith -e '
    sync
    puts [llength [legend_rows]]
    set begun [clock microseconds]; fit; sync; set all [expr {[clock microseconds] - $begun}]
    puts [lindex [legend_rows] 0 0]
    set begun [clock microseconds]; filter 199; sync; set filtered [expr {[clock microseconds] - $begun}]
    puts [lmap row [legend_rows] {lindex $row 0}]
    puts [expr {$filtered < 20000000}]
    puts "# $filtered us to filter"
    quit' 2>stderr.txt)
is "$(grep -v '^#' <<<"$out")" "2000
state 1999
{state 1999} {state 1998} {state 1997} {state 1996} {state 1995} {state 1994} {state 1993} {state 1992} {state 1991} {state 1990} {state 1199} {state 199}
1" "2000 states in the legend"
grep '^#' <<<"$out"
# A counter whose values are 0 with a minus sign, or have many digits, which its columns must have room for.
printf '# counter\tname=shift\tcolour=red\tunit=s\n0.1\t0\t0\tcounter\tshift\tvalue=-0.01812\n0.2\t0\t0\tcounter\tshift\tvalue=-0\n' >shift.txt
pith convert shift.txt shift.pith
out=$(pith view shift.pith -e 'legend_columns on; sync; puts [lsearch -all -inline -exact -index 0 [legend_rows] shift]
    set tree [winfo toplevel [canvas]].panes.legend.tree
    puts [expr {[$tree column exclusive -width] >= [font measure TkDefaultFont "-0.01812 to 0"] + 4}]; quit' 2>/dev/null)
is "$out" $'{shift \u2611 \u2611 2 {} {-0.01812 to 0} {}}\n1' "a counter from a negative value to 0"
finish
