#!/usr/bin/env bash
# Files of every format that is read, cut: at the edges of lines and blocks, at random bytes. Whatever is cut, it is said, and
# what stands before the cut is read; or no record is missing.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
make_golden=$build/test/golden/make_golden
edges=$(quick_or_full 20 50) others=$(quick_or_full 12 30) said_least=$(quick_or_full 8 20)
[ -z "$(sanitizers)" ] || [ "${FULL:-}" ] || edges=8 others=5 said_least=3 # each takes five times as long
"$make_golden" plain plain.pith
"$make_golden" edge edge.pith

# Where FILE is cut: some edges of lines, or of blocks of the size $2, and some random bytes; the last ones.
cuts() {
    python3 - "$1" "$2" $edges $others <<'T'
import random, sys
data, kind, most, others = open(sys.argv[1], "rb").read(), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(len(data))
lines = [i + 1 for i, c in enumerate(data[:-1]) if c == 10]
edges = lines if kind == "lines" else list(range(int(kind), len(data), int(kind)))
edges = random.sample(edges, most) if len(edges) > most else edges
cuts = set(edges + random.sample(range(1, len(data)), others) + [len(data) - 2, len(data) - 1])
print(*sorted(cuts))
T
}
records() { pith print "$1" 2>/dev/null | grep -v '^#'; }

# One cut file: "refused", "said", "whole", or what is wrong. Only "said" opens a log that is incomplete.
judge() {
    pith check "$1" >check 2>&1
    case $? in
    0) if [ "$(records "$1" | md5sum)" = "$whole" ]; then echo whole; else echo "records are missing, and nobody says so"; fi ;;
    1)
        if ! pith info "$1" >info 2>notes; then
            if [ "$(wc -l <notes)" = 1 ]; then echo refused; else echo "refused with $(cat notes)"; fi
        elif ! grep -q '^complete: no' info || ! grep -q '^incomplete: .' info; then
            echo "info says complete: yes"
        elif [ "$(grep -c '^pith: note: .*: incomplete: ' notes)" != 1 ]; then
            echo "not said once: $(cat notes)"
        else
            echo said
        fi ;;
    *) echo "check ends with $?: $(head -n 1 check)" ;;
    esac
}

# sweep FILE WHAT WHERE: from the first half of the file on nothing is refused.
sweep() {
    local file=$1 what=$2 size refused=0 said=0 complete=0 wrong='' verdict cut
    whole=$(records "$file" | md5sum)
    pith check "$file" >check 2>&1
    ok $? "$what: whole, and nothing is found" || sed 's/^/# /' check
    mkdir -p cuts
    size=$(stat -c %s "$file")
    for beside in "${file%.*}".pcf "${file%.*}".row; do [ ! -f "$beside" ] || cp "$beside" "cuts/"; done
    cut=cuts/$file
    for at in $(cuts "$file" "$3"); do
        head -c "$at" "$file" >"$cut"
        verdict=$(judge "$cut")
        case $verdict in
        said) said=$((said + 1)) ;;
        whole) complete=$((complete + 1)) ;;
        refused) [ $((2 * at)) -lt "$size" ] || wrong="$wrong
byte $at of $size: refused whole: $(head -n 1 check)" ;;
        *) wrong="$wrong
byte $at of $size: $verdict" ;;
        esac
    done
    is "$(head -n 5 <<<"$wrong")" "" "$what: of all cuts $said are said, $complete lose nothing"
    [ "$said" -gt $said_least ]
    ok $? "$what: most cut files are read up to the cut"
}

for suffix in pith clog2 slog2 alog trf prv paje trace.json txt; do
    where=lines
    case $suffix in clog2 | slog2 | pith) where=64 ;; esac
    [ -f edge.$suffix ] || pith convert edge.pith edge.$suffix 2>/dev/null
    sweep edge.$suffix "$suffix" $where
done

# What others write. CLOG-2 and CLOG-1 in small blocks, on their edges:
python3 "$here/clog2_make.py" merged made.clog2 big 168
grep -q 'records of no known rank' <(pith info made.clog2 2>/dev/null)
ok $? "CLOG-2: a record of no known rank is missed"
python3 "$here/clog1_make.py" 1024 big made.clog 200
sweep made.clog "CLOG-1" 1024
pith convert plain.pith plain.clog2 2>/dev/null

# Chrome's JSON as an array; the bracket at its end may be missing, as it is when the program dies.
{ echo '['; for i in $(seq 1 40); do echo "{\"ph\":\"X\",\"ts\":$i,\"dur\":1,\"pid\":1,\"tid\":1,\"name\":\"work\"},"; done; echo '{}]'; } >array.json
sweep array.json "JSON as an array" lines

# ALOG that counts no events, but tells when they end.
pith convert plain.pith uncounted.alog 2>/dev/null
sed -i '/^-2 /d' uncounted.alog
head -n -3 uncounted.alog >cuts/uncounted.alog
like "$(pith info cuts/uncounted.alog 2>/dev/null)" '^incomplete: the last event is [0-9.]* s before the end that the header states' \
    "ALOG without a count of events"

# PICL's own library tells of the end of each node.
tr '|' '\n' >nodes.trf <<'T'
1 0 0 0 0 0 0|1 0 0 1 0 0 0|11 0 91 0 0 0|14 0 91 0 4 4 0|11 0 92 1 0 0|14 0 92 1 4 4 0|4 0 95 0 1 5 8|11 0 95 0 0 0|11 0 99 0 0 0|6 0 100 1 0 5 8|11 0 100 1 0 0|11 0 110 1 0 0|19 0 200 0 840|13 0 210 0|19 0 220 1 840|13 0 230 1
T
sweep_lines() {
    local wrong=''
    whole=$(records "$1" | md5sum)
    pith check "$1" >check 2>&1
    ok $? "$2: whole, and nothing is found" || sed 's/^/# /' check
    for n in $(seq 1 $(($(wc -l <"$1") - 1))); do
        head -n "$n" "$1" >"cuts/$1"
        verdict=$(judge "cuts/$1")
        [ "$verdict" = said ] || [ "$verdict" = whole ] || wrong="$wrong; $n lines: $verdict"
    done
    is "$wrong" "" "$2: each line that is missing is said"
}
sweep_lines nodes.trf "PICL's own"

# Paraver of others: the header has the time of the last record.
tr '|' '\n' >extrae.prv <<'T'
#Paraver (20/11/2026 at 12:00):9000_ns:1(2):1:2(1:1,1:1),0|1:1:1:1:1:0:4000:1|1:2:1:2:1:0:5000:1|2:1:1:1:1:4000:50000001:2|2:1:1:1:1:6000:50000001:0|1:1:1:1:1:4000:8000:7|1:2:1:2:1:5000:9000:1|2:2:1:2:1:9000:40000012:0
T
for n in 1 2 3 4 5 6; do
    head -n $n extrae.prv >cuts/extrae.prv
    is "$(pith info cuts/extrae.prv 2>/dev/null | grep -c '^incomplete: ')" 1 "Paraver of others, $n lines"
done

# Text that a script wrote has no last line of its own: a line that was cut is said, and what can be read of it is taken.
printf '0.1\t0\t0\tenter\twork\n0.2\t0\t0\tleave\twork' >script.txt
is "$(records script.txt | wc -l) $(pith info script.txt 2>/dev/null | grep ^incomplete)" "2 incomplete: byte $(stat -c %s script.txt): the file ends here, inside a line" "a script's last line without a newline is read"
printf '0.1\t0\t0\tenter\twork\n0.2\t0\t0\tlea' >script.txt
is "$(records script.txt | wc -l) $(pith info script.txt 2>/dev/null | grep ^incomplete)" "1 incomplete: byte $(stat -c %s script.txt): the file ends here, inside a line" "half a line is left out"
printf '0.1\t0\t0\tenter\twork\n0.2\t0\t0\tleave\twork\n' >script.txt
is "$(pith check script.txt)" "script.txt: 2 records read, no damage found" "whole lines are a whole log"

# ---- Each command says it once, and a new log keeps it ---------------------------------------------------------------
head -c 2000 plain.clog2 >cut.clog2
reason=$(pith info cut.clog2 2>/dev/null | sed -n 's/^incomplete: //p')
note="pith: note: cut.clog2: incomplete: $reason"
for command in "print cut.clog2" "stat cut.clog2" "info cut.clog2" "convert cut.clog2 new.pith" "cut cut.clog2 -o part.pith" \
    "diff cut.clog2 plain.pith" "draw cut.clog2 --text" "draw cut.clog2 -o new.svg"; do
    pith $command >/dev/null 2>err
    is "$(grep -c -Fx "$note" err)" 1 "pith $command says it"
done
pith merge cut.clog2 plain.pith -o merged.pith 2>err >/dev/null
is "$(grep -Fxc "$note" err)" 1 "pith merge says of which log"
for new in new.pith part.pith merged.pith new.txt new.trace.json new.otf2; do
    [ -e "$new" ] || pith convert new.pith "$new" 2>/dev/null || { skip "$new" "no libotf2"; continue; }
    is "$(pith info "$new" 2>/dev/null | grep -E '^(complete|incomplete):')" "complete: no
incomplete: $reason" "$new still says so"
    pith check "$new" >/dev/null
    is $? 1 "and pith check $new"
done

# A large file is kept in the cache, with this.
"$build/test/bench/make_big_log" big.pith 4 4 90000 && pith convert big.pith big.clog2
head -c 9000000 big.clog2 >cut.clog2
[ "$(stat -c %s cut.clog2)" = 9000000 ]
ok $? "a CLOG-2 that is large enough to be kept"
for time in first second; do
    is "$(pith info cut.clog2 2>/dev/null | grep ^complete)" "complete: no" "a kept log, read for the $time time"
done
is "$(find "$XDG_CACHE_HOME/pith" -type f | wc -l)" 1 "it was kept"
finish
