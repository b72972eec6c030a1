#!/usr/bin/env bash
# Messages of a large log: read beside the window, kept, there at once the next time; crowds in pictures.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" crowd crowd.pith && "$make_log" plain plain.pith
ok $? "logs are made"

# ---- pith draw
if [ -x "$build/libexec/pith/pith-draw" ]; then
    pith draw crowd.pith -o first.png && pith draw crowd.pith -o second.png && cmp first.png second.png
    ok $? "the same picture by records and by what is kept of them"
    is "$(find "$XDG_CACHE_HOME/pith" -name '*.digest' | wc -l)" 1 "its messages are kept"
    head -c 3000 /dev/zero | dd of="$(find "$XDG_CACHE_HOME/pith" -name '*.digest')" conv=notrunc status=none
    pith draw crowd.pith -o third.png && cmp first.png third.png
    ok $? "and when that is damaged"
    XDG_CACHE_HOME=/dev/null pith draw crowd.pith -o fourth.png && cmp first.png fourth.png
    ok $? "and where nothing can be kept"
    rm -rf "$XDG_CACHE_HOME"
fi

# ---- The window
start_display
inside plain.pith arrows_checks.tcl
. "$top/test/viewer/wait_log.sh"
wait_log >work.txt && pith convert work.txt work.pith
ok $? "a log with one message is made"
inside work.pith strength_checks.tcl
is "$(find "$XDG_CACHE_HOME/pith" -name '*.digest' | wc -l)" 1 "what was read is kept, of the small log nothing"
finish
