#!/usr/bin/env bash
# The pages of logs in Firefox, from file:// and from `pith serve`: pointer, keys, cards, search, findings, files that are
# chosen or dropped, a large log, two pixels per pixel (firefox_checks.py). The checks are those of Chromium.
. "$(dirname "$0")/../lib.sh"

if [ ! -e "$build/share/pith/page/viewer.html" ]; then
    skip "pages in Firefox" "no clang for wasm32 (wasi-libc, libclang-rt-dev-wasm32, lld) or no pako"
    finish
fi
if ! command -v firefox-esr >/dev/null && ! command -v firefox >/dev/null; then
    skip "pages in Firefox" "no firefox-esr, no firefox"
    finish
fi
. "$top/test/viewer/page_logs.sh"
page_logs
pith draw "$bad.pith" --viewer -o hostile.html
"$build/test/bench/make_big_log" large.pith 8 8 150000
make_log=$build/test/viewer/make_log
"$make_log" hosts many.pith && pith draw many.pith -o many.html -e 'height 120' && "$make_log" plain plain.pith &&
    pith draw plain.pith -o bare.html --title plain.pith -e 'names off; height 30; arrows off' &&
    pith draw --viewer -o page.html && pith draw run.pith --viewer -o run.html
ok $? "the pages are made"
mkdir folder link && cp run.pith "$bad.pith" folder/ && mkfifo link/pipe
pith serve folder >link/pipe 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
read -r link <link/pipe
timeout 800 python3 "$top/test/viewer/firefox_checks.py" "$scratch/firefox" "$link" >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || tail -n 12 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "firefox: "
finish
