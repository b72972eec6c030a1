#!/usr/bin/env bash
# Notes at times and rows: in the window (notes_checks.tcl), their file, and `pith draw --notes`.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
wait_log >log.txt && pith convert log.txt log.pith
ok $? "a log is made"
start_display
inside log.pith notes_checks.tcl

printf '# by hand\n\n0.5\trank 1\tlate: why?\r\n0.25\trank 0\ta < b & c\n0.7\trank 9\tnot in the log\n' >log.pith.notes
is "$(timeout 60 pith view log.pith -e 'puts [notes]; edit_note 2 why; quit')" \
    '{0.250000000 {rank 0} {a < b & c}} {0.500000000 {rank 1} {late: why?}} {0.700000000 {rank 9} {not in the log}}' "a file by hand"
is "$(sed 1d log.pith.notes | tr '\t' '|')" $'0.250000000|rank 0|a < b & c\n0.500000000|rank 1|why\n0.700000000|rank 9|not in the log' \
    "notes of rows that the log does not have are kept"
# Others change the file while a window shows its notes: their changes are kept, and what they removed stays removed.
cp log.pith shared.pith
printf '0.1\trank 0\tone\n0.2\trank 1\ttwo\n' >shared.pith.notes
is "$(timeout 60 pith view shared.pith -e '
    proc other {args} { exec pith view shared.pith -e "[join $args]; quit" }
    other delete_note 1 {;} note 0.4 0 theirs
    note 0.3 0 mine
    puts [lmap note [notes] {lindex $note 2}]
    other edit_note 1 2nd {;} note 0.05 0 zero
    edit_note 2 "mine again"
    puts [lmap note [notes] {lindex $note 2}]
    other delete_note 1
    undo
    puts [lmap note [notes] {lindex $note 2}]
    exec sh -c "printf nonsense >>shared.pith.notes"
    note 0.6 0 later
    puts [status]
    quit' | sed 's/; the notes.*//')" $'two mine theirs\nzero 2nd {mine again} theirs\n2nd mine theirs
shared.pith.notes: line 5: not a time in seconds, a tab, `rank R`, a tab and a text' "others change the file meanwhile"
is "$(grep -v '^#' shared.pith.notes | cut -f 3 | tr '\n' ' ')" "2nd mine theirs nonsense " \
    "and the file is as they and the window left it"
# Undo does not bring back what others removed.
cp log.pith undone.pith
printf '0.1\trank 0\ttheirs\n' >undone.pith.notes
is "$(timeout 60 pith view undone.pith -e 'note 0.2 0 one; exec pith view undone.pith -e {delete_note 1; quit}
    proc texts {} { lmap note [notes] {lindex $note 2} }
    note 0.3 0 two; puts [texts]; undo; puts [texts]; undo; puts [texts]; redo; puts [texts]
    quit')" $'one two\none\n\none' \
    "undo and redo of own notes only"
# A time long after 0 stays as it is in the file.
printf '%s\t0\t0\t%s\twork\n' 1700000000.1 enter 1700000000.2 leave >epoch.txt
pith convert epoch.txt epoch.pith
printf '1700000000.123456789\trank 0\texact\n' >epoch.pith.notes
timeout 60 pith view epoch.pith -e 'note 1700000000.15 0 other; quit'
is "$(sed 1d epoch.pith.notes | head -n 1)" $'1700000000.123456789\trank 0\texact' "a time long after 0"
cp log.pith bad.pith
printf '0.1\trank 0\tgood\n0.5 rank 1 spaces\n' >bad.pith.notes
cp bad.pith.notes before
is "$(timeout 60 pith view bad.pith -e 'puts [notes]; note 0.2 0 new; puts [notes]; puts [status]; quit')" \
    $'\n{0.200000000 {rank 0} new}\nnotes are kept for this window only, because the file could not be read' "a damaged file"
is "$(cmp before bad.pith.notes 2>&1)" "" "is not overwritten"
wrong='bad.pith.notes: line 2: not a time in seconds, a tab, `rank R`, a tab and a text'
is "$(pith draw bad.pith --notes -o bad.png 2>&1)" "pith: $wrong" "pith draw says what is wrong"

pith draw log.pith -o with.svg --notes && pith draw log.pith -o words.svg -e 'notes on' && pith draw log.pith -o without.svg
ok $? "pictures are drawn"
is "$(grep -c 'a &lt; b &amp; c' with.svg) $(grep -c 'not in the log' with.svg) $(grep -c 'a &lt; b' without.svg)" "1 0 0" "--notes: with number and text"
cmp with.svg words.svg
ok $? "-e 'notes on': the same picture"
pith draw log.pith -o part.svg --notes --from 0.3 && is "$(grep -c 'a &lt; b' part.svg)" 0 "not those of other times"
pith draw log.pith -o with.png --notes && pith draw log.pith -o without.png && ! cmp -s with.png without.png
ok $? "in a PNG, too"
is "$(pith draw log.pith --text --notes | tail -n 3)" $'1 0.25 s rank 0: a < b & c\n2 0.5 s rank 1: why\n3 0.7 s rank 9: not in the log' "as text: a list"
if [ -e "$build/share/pith/page/viewer.html" ]; then
    pith draw log.pith -o log.html --notes # page_checks.py looks at them
    is "$(sed -n 's/.*data-name="log.pith.notes">\([^<]*\)<.*/\1/p' log.html | base64 -d)" "$(cat log.pith.notes)" "the page has them"
    pith draw log.pith -o log.html
    is "$(grep -c 'pith.notes' log.html)" 0 "only if they are asked for"
fi
finish
