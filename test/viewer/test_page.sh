#!/usr/bin/env bash
# `pith draw LOG -o OUT.html`: its size, that it needs nothing else, which part of the log it holds, and in Chromium what
# it shows and does (page_checks.py).
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
make_log=$build/test/viewer/make_log
"$make_log" plain plain.pith
if [ ! -e "$build/share/pith/page/viewer.html" ]; then
    pith draw plain.pith -o plain.html >said 2>&1
    is "$?:$(ls plain.html* 2>/dev/null)" "1:" "without the page: an error and no file"
    like "$(cat said)" '^pith: draw: this pith was built without pages; install clang, lld' "which says what is missing"
    skip "pages" "no clang for wasm32 (wasi-libc, libclang-rt-dev-wasm32, lld) or no pako"
    finish
fi
for kind in plain rich big nasty point fine deep; do
    "$make_log" $kind $kind.pith && pith draw $kind.pith -o $kind.html
    is "$?:$(ls ./*.part 2>/dev/null)" "0:" "a page of the $kind log"
done
ok $(($(stat -c %s plain.html) > 720000)) "a small log: a small page ($(stat -c %s plain.html) bytes)"
pith draw rich.pith -o again.html
cmp rich.html again.html
ok $? "the same log gives the same bytes"
is "$(cat ./*.html | grep -av '^/\*! pako' | grep -aciE 'https?:|src=|href=|@import|[^t]url\(|fetch\(')" 0 "nothing is loaded from elsewhere"
is "$(LC_ALL=C grep -c $'[\001-\011\013-\037]' nasty.html)" 0 "names of control characters do no harm"

# What a page holds: no more than it shows. log_of PAGE: its log, as `pith print` has it.
log_of() {
    sed -n 's/.*class="log" data-name="[^"]*">\([^<]*\)<.*/\1/p;' "$1" | head -n 1 | base64 -d >held.pith
    pith print held.pith
}
is "$(log_of rich.html)" "$(pith print rich.pith)" "the whole log, if all of it is shown"
pith draw rich.pith -o words.html -e 'zoom 4ms 6ms; rows 0-1; hide MPI_*; arrows off' --title '</script>"\'
is "$(grep -c '</script>"' words.html)" 0 "a title ends no script"
log_of words.html >held.txt
is "$(awk '!/^#/ && ($1 < 0.004 || $1 > 0.006)' held.txt)" "" "a part: no record outside of its time"
is "$(awk -F '\t' '!/^#/ { print $2 }' held.txt | sort -u | xargs)" "0 1" "and of its rows only"
is "$(awk -F '\t' '$4 == "enter" && $5 ~ /^MPI_/' held.txt)" "" "without hidden states"
pith cut rich.pith -o cut.pith --from 4ms --to 6ms --lane 0-1 --where 'not state ~ "MPI_*"'
is "$(cat held.txt)" "$(pith print cut.pith)" "it is what pith cut makes of it"
python3 - <<'P'
import random
chance = random.Random(1)
with open("huge.txt", "w") as out:
    for i in range(560000):
        out.write(f"{i / 1e5:.9f}\t0\t0\tevent\tmark\tpayload={chance.randbytes(64).hex()}\n")
P
pith convert huge.txt huge.pith
ok $(($(stat -c %s huge.pith) < 34000000)) "a log that is larger than a page may be ($(stat -c %s huge.pith) bytes)"
pith draw huge.pith -o huge.html 2>said
like "$?:$(cat said)" '^0:pith: note: huge.pith: the page has 0 s to [0-9.]+ s of 5.6 s: a page holds 32 MiB; --from and --to choose a part, pith serve shows all$' "the first part of it, which is said"
grep -aq "the page has 0 s to" huge.html
ok $? "also in the page"
ok $(($(stat -c %s huge.html) > 46000000)) "with not more than 32 MiB of the log"
rm -f huge.*

# In a browser: page_checks.py uses the pages as a reader does.
if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
# Without names, which would cover the pixels that are looked at.
pith draw plain.pith -o bare.html --title plain.pith -e 'names off; height 30; arrows off'
printf '%b\n' '0\t0\t0\tenter\tstep' '0\t1\t0\tenter\tstep' '0.1\t0\t0\tenter\tMPI_Recv' '0.61\t1\t0\tenter\tMPI_Send' \
    '0.61\t1\t0\tsend\t\tcomm=0\tpeer=0\ttag=0\tbytes=8' '0.7\t0\t0\trecv\t\tcomm=0\tpeer=1\ttag=0\tbytes=8' \
    '0.7\t0\t0\tleave\tMPI_Recv' '0.7\t1\t0\tleave\tMPI_Send' '0.8\t0\t0\tleave\tstep' '0.8\t1\t0\tleave\tstep' >late.txt
printf '%b\n' '0\t0\t0\tenter\twork' '1\t0\t0\tleave\twork' >alone.txt && pith draw alone.txt -o alone.html
pith draw late.txt -o late.html --waits -e 'names off; arrows off; height 30'
python3 "$top/test/analyze/random_log.py" 3 3 && pith draw 3.txt -o run.html
printf '0.4\trank 0\there it begins\n' >late.txt.notes
pith draw late.txt -o notes.html --notes -e 'fit; arrows off' --from 0 --to 0.8
. "$top/test/viewer/card_log.sh"
card_log >card.txt && pith draw card.txt -o card.html -e 'height 30; arrows off'
python3 "$top/test/viewer/random_log.py" 1 >random.txt
# A colour for each name, none of which is another one darker.
colours=$(i=0; for letter in {a..z}; do printf 'colour state-%s #%02xff%02x; ' $letter $((i % 5 * 50)) $((i * 8)); i=$((i + 1)); done)
pith convert random.txt random.pith && pith draw random.pith -o random.html &&
    pith draw random.pith -o random-bare.html -e "names off; height 120; $colours" &&
    pith draw random.pith -o random-unfolded.html --unfold all &&
    pith draw random.pith -o random-unfolded-bare.html --unfold all -e "names off; height 20; $colours"
# Two lanes end early, in states that are never left.
awk -F'\t' '!($2 == 0 && $1 > 0.0012 || $2 == 1 && $1 > 0.0014)' random.txt >ended.txt &&
    pith convert ended.txt ended.pith && pith draw ended.pith -o ended.html
# Times that are no exact numbers in a script.
sed 's/^0/1700000000/' random.txt >epoch.txt && pith convert epoch.txt epoch.pith && pith draw epoch.pith -o epoch.html
# More levels than are drawn.
awk 'BEGIN { for (i = 0; i < 160; i++) { level = i < 80 ? i : 159 - i
    printf "%.9f\t0\t0\t%s\tf%d\n", i / 1e6, i < 80 ? "enter" : "leave", level % 7 } }' >recursive.txt
pith convert recursive.txt recursive.pith && pith draw recursive.pith -o recursive.html
"$make_log" hosts many.pith && pith draw many.pith -o many.html -e 'height 120'
printf '%s\t0\t0\t%s\n' 0 $'enter\twork' 0.2 $'leave\twork' 0.2 pause 0.5 resume 0.7 $'lost\t\tcount=12' 0.8 $'enter\twork' \
    1 $'leave\twork' >gaps.txt
printf '%s\t1\t0\t%s\n' 0 $'enter\twork' 1 $'leave\twork' >>gaps.txt
sort -s -g -k 1,1 gaps.txt >sorted.txt && pith convert sorted.txt gaps.pith && pith draw gaps.pith -o gaps.html -e 'names off; height 30'
# Lost records, and the next record at the same time.
awk 'BEGIN { printf "0\t0\t0\tenter\tmain\n"; for (i = 0; i < 20; i++) {
    printf "%.9f\t0\t0\tenter\tinner\n", i + 0.1
    printf "%.9f\t0\t0\t%s\n%.9f\t0\t0\t%s\n", i + 0.4, "lost\t\tcount=3", i + 0.4, i % 2 ? "event\tmark" : "leave\tinner"
    if (i % 2) printf "%.9f\t0\t0\tleave\tinner\n", i + 0.8 } printf "20\t0\t0\tleave\tmain\n" }' >moments.txt
pith convert moments.txt moments.pith && pith draw moments.pith -o moments.html
cp big.pith damaged.pith
printf 'damage damage damage' | dd of=damaged.pith bs=1 seek=$(($(stat -c %s big.pith) / 2)) conv=notrunc status=none
rank=$(pith draw damaged.pith -o damaged.html 2>&1 | grep -oE 'rank [0-9]+' | head -n 1 | tr -dc 0-9)
pith draw damaged.pith -o damaged.html -e "rows $((rank - 1))-$((rank + 1)); arrows off; names off" 2>/dev/null
awk 'BEGIN { for (i = 0; i < 6000; i++) { from = i % 24; to = (from + 7 + i % 11) % 24
    printf "%.6f\t%d\t0\tsend\t\tcomm=0\tpeer=%d\ttag=0\tbytes=8\n", i / 10000, from, to
    printf "%.6f\t%d\t0\trecv\t\tcomm=0\tpeer=%d\ttag=0\tbytes=8\n", i / 10000 + 0.1 + i % 97 / 200, to, from } }' | sort -s -g -k 1,1 >dense.txt
pith convert dense.txt dense.pith && pith draw dense.pith -o dense.html && pith draw dense.pith -o asked.html -e 'arrows on'
pith draw plain.pith -o selected.html -e 'names off; arrows off; select 500ms 1s'
printf '%s\t0\t0\t%s\twork\n' 0 enter 87823.4 leave >long.txt
sed '1i # property\tkey=start_unix_s\tvalue=1795957385.250000000' long.txt >clock.txt
TZ=UTC-1 pith draw clock.txt -o clock.html --time-of-day
if [ -f "$build/lib/pith/python/pith/_read.abi3.so" ]; then
    PYTHONPATH=$build/lib/pith/python /usr/bin/python3 - <<'END'
import sys, types
import pith
kernel = types.SimpleNamespace(kernel=1)
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: kernel)
page = pith.open("3.txt").view("--title", "cell 3", height=400)
open("notebook.html", "w").write("<!doctype html><title>cell</title>" + page._repr_html_())
END
    ok $? "in a notebook, view() is a page"
fi
TZ=UTC-1 timeout 800 python3 "$top/test/viewer/page_checks.py" "$scratch/chromium" rich big nasty point fine deep words >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || tail -n 5 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "page: "
# An SVG, which is our own, is drawn as the PNG, which is cairo's: every pixel of the bars.
for kind in png svg; do
    pith draw rich.pith -o bars.$kind --size 1000x400 --legend none -e 'arrows off; names off; hide checkpoint'
done
python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from browser import Browser
with Browser("chromium") as browser:
    browser.open("bars.svg", size=(1000, 400)).shot("browser.png")' "$top/test/viewer"
bars=800x250+120+46
convert bars.png -crop $bars +repage a.ppm && convert browser.png -crop $bars +repage b.ppm
is "$(compare -fuzz 1% -metric AE a.ppm b.ppm null: 2>&1)" 0 "an SVG in the browser: the same bars as in a PNG"
finish
