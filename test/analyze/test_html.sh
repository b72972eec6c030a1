#!/usr/bin/env bash
# pith analyze --html: one well-formed file with the figures of the other outputs, whatever the names in the log are.
. "$(dirname "$0")/../lib.sh"

name='<b>&"x</td></script>'
# Rank 0 computes 5 ms and sends to 1; rank 1 computes 3 ms, receives and sends to 2 at once; rank 2 computes 1 ms.
chain() {
    local time rank rest
    while read -r time rank rest; do printf '0.%s\t%s\t0\t%s\n' "$time" "$rank" "${rest//;/$'\t'}"; done <<END
000000000 0 enter;$name
001000000 2 enter;MPI_Recv
003000000 1 enter;MPI_Recv
005000000 0 leave;$name
005000000 0 enter;MPI_Send
005000000 0 send;MPI_COMM_WORLD;comm=0;peer=1;tag=0;bytes=5
005000000 0 leave;MPI_Send
005000000 1 recv;MPI_COMM_WORLD;comm=0;peer=0;tag=0;bytes=5;posted=0
005000000 1 leave;MPI_Recv
005000000 1 enter;MPI_Send
005000000 1 send;MPI_COMM_WORLD;comm=0;peer=2;tag=0;bytes=5
005000000 1 leave;MPI_Send
005000000 2 recv;MPI_COMM_WORLD;comm=0;peer=1;tag=0;bytes=5;posted=0
005000000 2 leave;MPI_Recv
END
}
chain >log.txt
pith convert log.txt log.pith

# page.py FILE: what the page shows, read as XML; times in s.
cat >page.py <<'END'
import sys, xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1]).getroot()
units = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
text = lambda e: " ".join("".join(e.itertext()).split())
def rows(which):
    for row in page.iterfind(".//table[@class='%s']/tbody/tr" % which):
        cells = [text(cell) for cell in row]
        bar = row.find(".//span/span").get("style")[len("width: "):-1]
        yield cells, bar
print("title", page.find("head/title").text)
for cells, bar in rows("efficiencies"): print("efficiency", cells[0], cells[2], bar)
for cells, bar in rows("findings"):
    value, unit = cells[3].split()
    print("finding", cells[0], cells[2].split()[0], bar, "%.9f" % (float(value) * units[unit]), cells[4])
for cells, bar in rows("path"): print("path", cells[0], cells[2], cells[3], "imbalance", cells[4], cells[5])
print("elements", *sorted({e.tag for e in page.iter() if not e.tag.startswith("{")}))
for svg in page.iter("{http://www.w3.org/2000/svg}svg"):
    print("picture", *[e.text for e in svg.iter() if e.tag.endswith("}title") or (e.text or "").startswith("rank")])
END
page() { python3 page.py "$1" 2>&1; }

# ---- What it shows
pith analyze log.pith --html log.html --what-if network=ideal --what-if "$name=2" >out 2>err
is "$?:$(cat out err)" "0:" "a page, and nothing else printed"
got=$(page log.html)
is "$(grep '^title' <<<"$got")" "title log.pith: analysis" "well-formed, with a title"
is "$(grep '^elements' <<<"$got")" \
    "elements body code div figure h1 h2 head html meta p pre span style table tbody td th thead title tr" "a name adds no element"
like "$got" "^path ${name//\//.} 100 % 5[.]000 ms imbalance 3[.]333 ms on rank 0$" "the name itself is there, with its imbalance"
is "$(grep '^finding' <<<"$got" | grep -oE '^finding [a-z ]+ [0-9.]+ [0-9.]+ [0-9.]+')" \
    "$(pith analyze log.pith --csv | awk -F, 'NR > 1 { printf "finding %s %.1f %.1f %.9f\n", $1, 100 * $3, 100 * $3, $2 }')" \
    "findings, shares, bars and costs are those of --csv"
is "$(grep '^efficiency' <<<"$got")" "$(pith analyze log.pith --json | python3 -c '
import json, sys
for name, value in json.load(sys.stdin)["efficiencies"].items():
    if name != "ideal_ns": print("efficiency", name.replace("_", " "), "%.2f %.1f" % (value, 100 * value))')" \
    "efficiencies are those of --json"
command=$(pith analyze log.pith | grep -o 'pith view .*' | head -n 1)
is "$(grep -c "<code>$command</code>" log.html)" 1 "the command that shows the worst instance"
is "$(grep -c 'replayed unchanged' log.html)" 2 "the predictions"
is "$(grep -oiE '<script|<link|src=|@import|url\([^#]|https?://[^"]*' log.html | sort -u)" "http://www.w3.org/2000/svg" \
    "the page needs no other file"
pith analyze log.pith --html - --what-if network=ideal --what-if "$name=2" | cmp - log.html
ok $? "standard output: the same bytes"

# ---- Communication: the section of the page in text, with overlap and collectives
python3 -m timed_log >talks.txt <<'E'
0 work 0-80 MPI_Send 80-90 >1:1000000 MPI_Irecv 90-91 work 91-111 MPI_Wait 111-131 <1:1000000 MPI_Alltoall 131-140 c:5000:7000
1 MPI_Irecv 0-2 work 2-62 MPI_Wait 62-100 <0:1000000 work 100-110 MPI_Send 110-120 >0:1000000 work 120-131 MPI_Alltoall 131-140 c:4000000:9
E
pith analyze talks.txt --html talks.html
shown=$(python3 - talks.html <<'E'
import sys, xml.etree.ElementTree as tree
body = list(tree.parse(sys.argv[1]).find("body"))
at = next(i for i, e in enumerate(body) if e.tag == "h2" and e.text == "Communication")
print(body[at + 1].tag, body[at + 1].text.strip(), sep="\n")
E
)
is "$shown" "pre
$(pith analyze talks.txt | sed -n '/^Communication/,$p')" "communication as in the text"
like "$shown" '^  overlap: 57 % of the time in which receives were under way was computing,$' "with the overlap of receives"
like "$shown" '^    MPI_Alltoall: 2 calls, 4 MB, ' "and the bytes of collectives"
is "$(grep -c '>Communication<' log.html)" 0 "no section for a few bytes"

# ---- The picture
if [ -x "$build/libexec/pith/pith-draw" ]; then
    is "$(grep '^picture' <<<"$got")" "picture Worst: late sender rank 0 rank 1 rank 2" "a picture of the worst wait"
    { chain; for rank in {3..20}; do printf '0.000000000\t%d\t0\tenter\tidle\n0.005000000\t%d\t0\tleave\tidle\n' "$rank" "$rank"; done; } |
        sort -s -g -k 1,1 >wide.txt
    pith analyze wide.txt --html wide.html
    is "$(page wide.html | grep '^picture')" "picture Worst: late sender rank 1 rank 2" "of many ranks, the two of the worst wait"
else
    skip "the picture" "pith draw is not built"
fi
mkdir -p alone/bin && cp "$build/bin/pith" alone/bin
alone/bin/pith analyze log.pith --html alone.html
is "$?:$(page alone.html | grep -cE '^finding')" "0:2" "without pith draw, a page"
is "$(page alone.html | grep -c '^picture')" 0 "without a picture"
is "$(find "$TMPDIR" -name 'pith-analyze.*')" "" "no temporary file remains"

# ---- Odd logs
printf '0.000000000\t0\t0\tenter\twork\n0.001000000\t0\t0\tleave\twork\n' >one.txt
pith analyze one.txt --html one.html
like "$?:$(page one.html)" "^0:title one.txt" "a log without MPI"
like "$(cat one.html)" 'no MPI calls' "says so"
head -c $(($(stat -c %s log.pith) * 2 / 3)) log.pith >cut.pith
pith analyze cut.pith --html cut.html 2>err
like "$?:$(page cut.html)" "^[01]:title cut.pith" "a cut log"
like "$(cat cut.html)" 'The log is not complete: ' "says so"

{ chain | sed "s/<b>[^\t]*/"$'\\xef\\xbf\\xbf\\x7f\\xc2\\x85\\xff'"/"; } >bytes.txt
pith analyze bytes.txt --html bytes.html
like "$?:$(page bytes.html)" '^path .xef.xbf.xbf.x7f.xc2.x85.xff 100 %' "bytes that are no characters of XML"

# ---- Lines stay lines, and all that is said of a run is there
python3 "$top/test/viewer/core_waits_log.py" make 3 >delay.txt
pith analyze delay.txt --html delay.html
paragraphs=$(python3 - delay.html <<'END'
import sys, xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1]).getroot()
if "p { margin: 4px 0; white-space: pre-line; }" in "".join(page.find("head/style").itertext()):
    print("\n".join("".join(p.itertext()) for p in page.iter("p")))
END
)
like "$paragraphs" '^delay.txt: 2 ranks, 1 host$' "the first line"
like "$paragraphs" '^[0-9.]+ ms analysed, from' "is not run together with the second"
said=$(pith analyze delay.txt | grep 'had no core for')
like "$paragraphs" "^${said#  }" "that ranks had no core:$said"

# ---- Errors
fails() {
    local wanted=$1 status=$2
    shift 2
    pith analyze "$@" >out 2>err
    is "$?:$(cat out)" "$status:" "${*: -2}: status $status"
    is "$(cat err)" "pith: $wanted" "and one line"
}
fails "/dev/full: cannot write: No space left on device" 1 log.pith --html /dev/full
fails "nowhere/x.html: cannot write: the folder nowhere does not exist; make it first" 1 log.pith --html nowhere/x.html
fails "analyze: --html cannot be used with --csv, --json or --explain; see \`pith help analyze\`" 2 log.pith --html x.html --csv
fails "analyze: --answer, --waits, --explain, --iterations, --what-if, --html and --json-file need a single log; see \`pith help analyze\`" 2 log.pith log.pith --html x.html
fails "analyze: --what-if nothing=2: the log has no state 'nothing'; see \`pith help analyze\`" 2 log.pith --html x.html --what-if nothing=2
cp log.html old.html
(ulimit -f 4; pith analyze log.pith --html old.html >out 2>err)
is "$?:$(cat err)" "1:pith: old.html: cannot write: File too large" "a full disk"
cmp old.html log.html
ok $? "keeps the old page"
is "$(ls -- *.part x.html 2>/dev/null)" "" "no partial page"
finish
