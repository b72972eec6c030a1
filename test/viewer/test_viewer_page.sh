#!/usr/bin/env bash
# `pith draw --viewer`: the page that opens logs. Its file and its errors; in Chromium, from file://: logs of all formats
# that are dropped on it, pointer and keys, cards, legend, findings, damaged logs (viewer_page_checks.py).
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here"
    finish
fi
if [ ! -e "$build/share/pith/page/viewer.html" ]; then
    pith draw --viewer -o page.html >said 2>&1
    is "$?:$(ls page.html* 2>/dev/null)" "1:" "without the page: an error and no file"
    like "$(cat said)" '^pith: draw: this pith was built without pages; install clang, lld' "which says what is missing"
    skip "the page that opens logs" "no clang for wasm32 (wasi-libc, libclang-rt-dev-wasm32, lld)"
    finish
fi
. "$top/test/viewer/page_logs.sh"
page_logs
pith draw --viewer -o page.html && pith draw run.pith --viewer -o run.html
is "$?:$(ls ./*.part 2>/dev/null)" "0:" "a page without a log, and one with it"
ok $(($(stat -c %s page.html) > 700000)) "below 700 kB ($(stat -c %s page.html) bytes)"
pith draw --viewer -o again.html && cmp page.html again.html
ok $? "the same bytes each time"
is "$(grep -av '^/\*! pako' page.html | grep -ciE 'https?:|src=|href=|@import|[^t]url\(|fetch\(|XMLHttpRequest')" 0 "nothing is loaded from elsewhere"
like "$(cat page.html)" "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style" "no eval but of WebAssembly, no connection"
said() { "$@" 2>&1 >/dev/null; echo "$?"; }
like "$(said pith draw --viewer | xargs)" 'draw: --viewer: give -o OUT.html; .* 2$' "where to?"
like "$(said pith draw --viewer -o x.png | xargs)" 'give -o OUT.html; .* 2$' "a page only"
like "$(said pith draw run.pith --viewer -o x.html --waits | xargs)" 'goes with -o and no other option; .* 2$' "no other options"
echo no >no.txt
is "$(said pith draw no.txt --viewer -o x.html | head -n 1)" "$(pith info no.txt 2>&1)" "no log: the reader's error"
like "$(said pith draw absent.pith --viewer -o x.html | xargs)" '^pith: absent.pith: .* 1$' "no file"
is "$(ls x.* 2>/dev/null)" "" "and no file is left"
pith draw "$bad.pith" --viewer -o hostile.html
if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
mkdir logs && cp card.txt long.txt run.pith logs/
for suffix in alog clog2 slog2 trf prv trace.json paje; do pith convert run.pith logs/run.$suffix >/dev/null 2>&1; done
gzip -k logs/long.txt
"$build/test/bench/make_big_log" large.pith 8 8 150000
timeout 600 python3 "$top/test/viewer/viewer_page_checks.py" "$scratch/chromium" >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || tail -n 5 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "page: "
finish
