#!/usr/bin/env bash
# What is remembered of a log's view; opening what takes long; trouble in dialogs (opening_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith && "$make_log" big big.pith && pith convert big.pith big.alog
ok $? "logs are made"
start_display

pith view plain.pith -e 'zoom 0.2 0.4; quit'
[ ! -e "$XDG_STATE_HOME" ]
ok $? "a script leaves nothing behind"
pith view plain.pith --restore -e 'zoom 0.2 0.4; hide green; pin 1; bookmark here "a note"; select 0.25 0.3; arrows off; pane overview off; sync; quit'
views=("$XDG_STATE_HOME"/pith/plain.pith-*.view)
[ -s "${views[0]}" ]
ok $? "the view is saved at the end"
like "$(joined "$(cat "${views[0]}")")" 'time \{200000000 400000000\}[|].*hidden green([|]|$)' "as lines that can be read"
whole='0.000000000 1.000000001'
show='sync; puts [window]; puts [bookmarks]; puts [selected]; puts [lindex [row_list] 0]; puts [at 0.25 1]; puts overview:[string length [winfo manager [winfo parent [canvas]].overview]]; quit'
is "$(pith view plain.pith -e 'puts [window]; quit')" "$whole" "with -e nothing is restored"
out=$(pith view plain.pith --restore -e "$show" 2>&1)
like "$(joined "$out")" '^0\.200000000 0\.400000000[|]\{here 0\.200000000 0\.400000000 \{a note\}\}[|]0\.250000000 0\.300000000[|]' \
    "--restore: time, bookmark, selection"
like "$(joined "$out")" '[|][^|]*rank 1[^|]*[|]' "the rows as they were arranged"
like "$out" 'overview:0' "which panes there are"
like "$out" 'name red' "what was hidden is"
is "$(pith view plain.pith --fresh -e 'puts [window]; quit')" "$whole" "--fresh: nothing"
is "$(pith view rich.pith --restore -e 'puts [bookmarks]; quit')" "" "another log has its own"
printf 'time {1 2\n' >"${views[0]}"
out=$(pith view plain.pith --restore -e 'puts [window]; quit' 2>&1)
like "$(joined "$out")" '^pith: .*\.view: not lines of a key and a value; it is not used[|]0\.0000' "a damaged file: a line, and not used"
sed -i 's/^/junk /' "${views[0]}"
printf 'version 1\nidentity {11 0 1000000000}\ntime {x y}\ntop -4\nrows {1 2 3}\npart.Bookmarks {{name}}\n' >"${views[0]}"
out=$(pith view plain.pith --restore -e 'puts [window]; quit' 2>&1)
like "$out" "$whole\$" "values that make no sense are left out"
"$make_log" rich plain.pith
is "$(pith view plain.pith --restore -e 'puts [bookmarks]; quit' 2>&1)" "" "another run under that name: not restored"
"$make_log" plain plain.pith
mkdir -p "$XDG_CONFIG_HOME/pith" && echo 'remember off' >"$XDG_CONFIG_HOME/pith/view.conf"
pith view plain.pith --restore -e 'zoom 0.2 0.4; quit'
is "$(pith view plain.pith --restore -e 'puts [window]; quit' 2>&1)" "$whole" "the preference remember off"
rm "$XDG_CONFIG_HOME/pith/view.conf"
for i in 1 2 3 4 5 6; do cp plain.pith "log$i.pith"; done
for i in 1 2 3 4 5 6; do
    pith view "log$i.pith" --restore -e 'set ::pith::state::most 3; quit'
done
is "$(ls "$XDG_STATE_HOME/pith" | grep -c view)" 3 "no more files than allowed"
like "$(cat "$XDG_STATE_HOME/pith/recent")" 'log6.pith .*log5.pith' "the logs opened last"

# The second trouble of the same kind is not said again; a stack is never shown.
inside big.alog opening_checks.tcl
is "$(grep -c 'invoked from\|while executing' checks.out)" 0 "no stack trace"
finish
