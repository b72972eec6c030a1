#!/usr/bin/env bash
# The command line of the window, times as people say them (also times_checks.tcl), bookmarks (command_checks.tcl); the list of all commands.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith command_checks.tcl
inside plain.pith palette_checks.tcl
printf '%s\t0\t0\t%s\t%s\n' 0 enter MPI_Init 100 leave MPI_Init 1000 enter 'a b' 2000 leave 'a b' 7000 enter MPI_Finalize \
    7300 leave MPI_Finalize | sed '1i # property\tkey=start_unix_s\tvalue=1795957385.250000000' >times.txt
TZ=UTC-1 inside times.txt times_checks.tcl
for pair in 'hide gren|no state or event is called gren; did you mean green?' 'zoon 1 2|no such command: zoon; did you mean zoom?' \
    'xyzzy|no such command: xyzzy; -e help lists the commands'; do
    pith view plain.pith -e "${pair%%|*}; quit" 2>err
    is "$? $(cat err)" "1 pith: view: -e: ${pair#*|}" "pith view -e '${pair%%|*}'"
done
finish
