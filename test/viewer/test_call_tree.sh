#!/usr/bin/env bash
# The call tree of the window, against pith stat (call_tree_checks.tcl), and with the functions of samples
# (call_tree_functions_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
command -v python3 >/dev/null || { skip "random logs" "no python3"; finish; }
python3 "$top/test/viewer/random_log.py" 4 0.06 nested >random.txt
pith convert random.txt random.pith
start_display
inside random.pith call_tree_checks.tcl

# A damaged log: the tree of the rest, and what is damaged.
python3 - <<'END'
data = bytearray(open("random.pith", "rb").read())
for i in range(len(data) // 2, len(data) // 2 + 40):
    data[i] ^= 0x5a
open("damaged.pith", "wb").write(data)
END
# shellcheck disable=SC2016
out=$(pith view damaged.pith -e 'calltree; set page [winfo toplevel [canvas]].calltree.body
    puts "[expr {[llength [$page.table.tree children {}]] > 5}] [set [$page.progress.said cget -textvariable]]"; quit' 2>&1)
like "$out" '^1 .*damaged.* all other records are counted$' "a damaged log: the tree of the rest, and it is said"

awk -f "$top/viewer/tour/samples.awk" >samples.lines
{ grep '^#' samples.lines; grep -v '^#' samples.lines | sort -s -g -k 1,1; } >samples.txt
pith convert samples.txt samples.pith
pith view samples.pith -e 'fit; calltree functions; calltree save functions.csv; quit'
pith stat samples.pith --by callpath --csv >callpath
is "$(cut -d, -f 1,2,4 functions.csv | sed 1d | sort)" \
    "$(awk -F, 'NR > 1 { print $1, $4, $6 }' OFS=, callpath | sort)" "functions: those of pith stat --by callpath"
pith stat samples.pith --flame flames.pith
inside samples.pith call_tree_functions_checks.tcl
finish
