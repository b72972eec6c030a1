# window.sh - tests of the window source this after lib.sh. It defines
#     $make_log                  the program of make_log.c
#     start_display              starts Xvfb (screen_size, default 1300x900); there is no display before
#     inside LOG CHECKS.tcl      runs checks in a window of a log; see window_tap.tcl
if [ ! -e "$build/lib/pith/libpithtk.so" ]; then
    skip "pith view" "not built here: no Tcl/Tk"
    finish
fi
# With sanitizers (SAN), preload their library, because Tcl was built without them. Memory that Tk does not free at its
# end is not our leak.
if [ -n "${SAN:-}" ]; then
    mkdir "$TMPDIR/bin"
    for tclsh in tclsh8.6 tclsh; do
        path=$(command -v $tclsh) || continue
        printf '#!/bin/sh\nLD_PRELOAD=%s ASAN_OPTIONS=detect_leaks=0 exec %s "$@"\n' \
            "$(${CC:-cc} -print-file-name=libasan.so)" "$path" >"$TMPDIR/bin/$tclsh"
        chmod +x "$TMPDIR/bin/$tclsh"
    done
    PATH=$TMPDIR/bin:$PATH
fi
make_log=$build/test/viewer/make_log

# Tests neither use nor change the preferences of the user.
export XDG_CONFIG_HOME="$TMPDIR/config" XDG_STATE_HOME="$TMPDIR/state"

start_display() {
    if ! command -v Xvfb >/dev/null; then
        skip "the window" "no Xvfb"
        finish
    fi
    exec 9<> <(:)
    # Without -noreset, the server resets whenever its last client leaves, and refuses connections meanwhile.
    Xvfb -noreset -displayfd 9 -screen 0 "${screen_size:-1300x900}x24" >/dev/null 2>xvfb.log &
    xvfb=$!
    trap 'kill $xvfb 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
    read -r -t 60 -u 9 display
    ok $? "Xvfb runs"
    export DISPLAY=":$display"
}
inside() {
    timeout 800 pith view "$1" -e "source $top/test/viewer/$2" >checks.out 2>&1
    is "$?" 0 "$2: the checks inside the window end"
    tail -n 1 checks.out | grep ' checks, ' >/dev/null || { sed 's/^/# /' checks.out; ok 1 "$2: they came to their end"; }
    checks_of checks.out
}
