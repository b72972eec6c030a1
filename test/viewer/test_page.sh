#!/usr/bin/env bash
# `pith draw -o OUT.html`: its size, that it needs nothing else, and in Chromium what it shows and does.
. "$(dirname "$0")/../lib.sh"

if [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
${CC:-cc} -O1 -I"$top/formats" -I"$top/formats/reader" "$top/test/viewer/make_log.c" "$build/lib/libpithlog.a" -lz -lm -lpthread -o make_log
ok $? "the log maker compiles"
for kind in plain rich big nasty point fine deep; do
    ./make_log $kind $kind.pith && pith draw $kind.pith -o $kind.html
    is "$?:$(ls ./*.part 2>/dev/null)" "0:" "a page of the $kind log"
done
ok $(($(stat -c %s big.html) > 1000000)) "64 ranks: below 1 MB ($(stat -c %s big.html) bytes)"
ok $(($(stat -c %s plain.html) > 60000)) "a small log: a small page ($(stat -c %s plain.html) bytes)"
pith draw rich.pith -o again.html --title rich.pith
cmp rich.html again.html
ok $? "the same log gives the same bytes"
is "$(cat ./*.html | grep -aciE 'https?:|src=|href=|@import|url\(|fetch\(')" 0 "nothing is loaded from elsewhere"
is "$(LC_ALL=C grep -c $'[\001-\011\013-\037]' nasty.html)" 0 "names of control characters do no harm"
ok $(($(grep -c '^`,`[0-9]*$' rich.html) < 7)) "tiles"
pith draw rich.pith -o words.html -e 'zoom 4ms 6ms; rows 0-1; hide MPI_*; arrows off' --title '</script>"\'
like "$(cat words.html)" '^from: 4000000, to: 6000000, .*arrowsOn: false, arrowsAll: false,$' "words: window, arrows"
is "$(grep -c 'label: "rank' words.html):$(grep -c 'name: "MPI' words.html)" "2:0" "words: rows, hidden states"
is "$(grep -c '</script>' words.html)" 1 "a title ends no script"

# In a browser. chrome HTML ARGS...
chrome() {
    local page=$1
    shift
    timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$scratch/chromium" \
        --disable-dev-shm-usage --force-device-scale-factor=1 --window-size=1200,800 --virtual-time-budget=10000 "$@" \
        "file://$scratch/$page" 2>>chromium.log
}
if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
# Virtual time passes without frames. Names would cover the pixels that are looked at.
pith draw plain.pith -o bare.html --title plain.pith -e 'names off'
{ echo "<script>requestAnimationFrame = (run) => setTimeout(run, 0);</script>"; cat bare.html
  echo "<script>"; cat "$top/test/viewer/page_checks.js"; echo "</script>"; } >checked.html
chrome checked.html --dump-dom >dom.out
sed -n '/<pre id="checks">/,/<\/pre>/p' dom.out | sed 's/<[^>]*>//g' >checks.out
like "$(tail -n 2 checks.out)" '^1\.\.[0-9]+$' "the checks in the page come to their end" || tail -n 5 chromium.log | sed 's/^/# /'
checks_of checks.out "page: "
# Odd logs and words raise no error; a large one is drawn.
for page in rich big nasty point fine deep words; do
    { echo '<script>onerror = (text) => { document.title = text; };</script>'; cat $page.html; } >odd.html
    like "$(chrome odd.html --dump-dom | grep -o '<title>.*</title>' | tail -n 1)" "<title>$page.pith|&lt;/script" "no error in $page.html"
done
# Below the columns of the page. looked PAGE HASH CHECKS: what the script CHECKS says of the page at this window of time.
looked() {
    { echo "<script>requestAnimationFrame = (run) => setTimeout(run, 0); location.hash = '$2';</script>"; cat "$1"; cat <<END
<script>
const canvas = document.querySelector(".rows canvas"), pen = canvas.getContext("2d");
const hex = (x, y) => [...pen.getImageData(x, y, 1, 1).data.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("");
let left = 0;
const runs = (y, from = left) => {
  const found = [];
  for (let x = from; x < canvas.width; x++) {
    const colour = hex(x, y);
    if (found.length && found[found.length - 1][0] === colour) found[found.length - 1][1]++;
    else found.push([colour, 1]);
  }
  return found;
};
setTimeout(() => {
  while (left < 300 && hex(left, 2 + 30) !== "808080" && hex(left, 45) !== "808080") left++;
  document.title = (() => { $3 })();
}, 300);
</script>
END
    } >looked.html
    chrome looked.html --dump-dom | grep -o '<title>.*</title>' | tail -n 1 | sed 's/<[^>]*>//g'
}
pith draw fine.pith -o fine.html -e 'names off'
is "$(looked fine.html '#0.499999990-0.500000072' 'return runs(20).filter((run) => /^(?!000000)(ff|00)(ff|00)(ff|00)$/.test(run[0])).map((run) => run[0]).join(" ");')" \
    "ff0000 00ff00 0000ff ffff00 ff00ff" "62 ns: all five states, in their order"
is "$(looked fine.html '#0.499999990-0.500000072' 'const wide = runs(20).filter((run) => run[0] === "00ff00")[0][1] / (canvas.width - left) * 82; return Math.abs(wide - 20) < 0.5;')" \
    true "and a state of 20 ns is 20 ns wide"
is "$(looked fine.html '#0.499999990-0.500000072' 'return runs(45).map((run) => run[0]).join(" ");')" 808080 "the other rank has no line there"
is "$(looked fine.html '#0.499999990-0.500000072' 'return document.querySelector(".finer").textContent.trim();')" "" "nothing is hatched: the times are exact"
# Too large for exact times.
like "$(looked big.html '#0.400000000-0.400002000' 'return document.querySelector(".finer").textContent;')" \
    '^Hatched: .*pith draw big.pith -o part.html --from 0.400000000 --to 0.400002000$' "a large log: hatched, with the command"
pith draw big.pith -o part.html --from 0.400000000 --to 0.400002000
is "$(grep -c '^exact: ``' part.html):$(grep -c '^exact: ``' big.html)" 0:1 "whose page is exact"
is "$(looked deep.html '#0.25-0.75' 'return new Set(runs(14).map((run) => run[0])).size > 0 && document.querySelectorAll("tbody tr").length;')" 20 "20 levels"
# Messages that would cover too much are hidden, and the time outside of a selection is pale.
awk 'BEGIN { for (i = 0; i < 400; i++) {
    printf "%.6f\t0\t0\tsend\t\tcomm=0\tpeer=1\ttag=0\tbytes=8\n", i / 1000
    printf "%.6f\t1\t0\trecv\t\tcomm=0\tpeer=0\ttag=0\tbytes=8\n", i / 1000 + 0.4 } }' | sort -s -g -k 1,1 >dense.txt
button='const found = [...document.querySelectorAll("button")].find((button) => /^Messages/.test(button.textContent));
    return found.textContent + ": " + found.getAttribute("aria-pressed");'
pith convert dense.txt dense.pith && pith draw dense.pith -o dense.html && pith draw dense.pith -o asked.html -e 'arrows on'
like "$(looked dense.html '' "$button")" '^Messages \(would cover [0-9]+ %\): false$' "a crowd of messages is hidden, which is said"
is "$(looked asked.html '' "$button")" "Messages: true" "unless it is asked for"
pith draw plain.pith -o selected.html -e 'names off; arrows off; select 500ms 1s'
pale=$(looked selected.html '' 'return runs(15).map((run) => run[0]).join(" ");')
like "$pale" 'eb9999 .*0000cc' "red before the selection is pale, blue in it is not"
chrome big.html --screenshot=big.png >/dev/null
like "$(convert big.png -crop 800x300+200+150 -format %k info:)" '^[1-9][0-9]' "64 ranks in colour"
# An SVG, which is our own, is drawn as the PNG, which is cairo's: every pixel of the bars.
for kind in png svg; do
    pith draw rich.pith -o bars.$kind --size 1000x400 --legend none -e 'arrows off; names off; hide checkpoint'
done
chrome bars.svg --screenshot=browser.png --window-size=1000,400 >/dev/null
bars=800x250+120+46
convert bars.png -crop $bars +repage a.ppm && convert browser.png -crop $bars +repage b.ppm
is "$(compare -fuzz 1% -metric AE a.ppm b.ppm null: 2>&1)" 0 "an SVG in the browser: the same bars as in a PNG"
chrome plain.html --screenshot=dark.png --blink-settings=preferredColorScheme=0 >/dev/null
is "$(convert 'dark.png[1x1+4+4]' -depth 8 rgb:- | od -An -tx1 | tr -d ' ')" 171b20 "dark where the user likes it dark"
finish
