#!/usr/bin/env bash
# pith print --follow: a program that is told what to record is followed while it runs, to ends of all kinds.
. "$(dirname "$0")/../lib.sh"
export PITH_LOG=$scratch/run.pith PITH_QUIET=1
t=$'\t'

# A puppet: told through descriptor 3, which nobody else may have open; $puppet its process.
start() {
    rm -rf run.pith* strings && mkfifo strings
    "$build/test/cli/puppet" <strings &
    puppet=$!
    exec 3>strings
}
# follow OUT ERR ARGUMENTS: in the background; $follower its process.
follow() {
    local out=$1 err=$2
    shift 2
    pith print "$@" >"$out" 2>"$err" 3>&- &
    follower=$!
}
tell() { echo "$*" >&3; }
end() { exec 3>&-; wait $puppet 2>/dev/null; }
# until_lines COUNT PATTERN FILE: waits until so many lines are there.
until_lines() {
    for _ in $(seq 1200); do
        [ "$(grep -c -- "$2" "$3" 2>/dev/null)" -ge "$1" ] && return
        sleep 0.05
    done
    false
}
records() { grep -v '^#' "$@"; }
# The records of a file, without times, lane by lane: a log that is made at the end knows its clock better.
by_lane() { records "$1" | cut -f2- | sort -s -n -k1,1 -k2,2; }

# ---- from before the beginning to the end
follow out.early err.early --follow run.pith
early=$follower
until_lines 1 waiting err.early
is "$(cat err.early)" "pith: run.pith.spill: no records yet; waiting" "there is no program yet: said once"
start
tell record 2
until_lines 2 "leave${t}work" out.early
is "$? $(records out.early | cut -f2- | tail -n 6)" "0 0${t}0${t}enter${t}work
0${t}0${t}event${t}step${t}payload=i=1
0${t}0${t}counter${t}heap${t}value=0.5
0${t}0${t}send${t}MPI_COMM_WORLD${t}comm=0${t}peer=0${t}tag=1${t}bytes=8
0${t}0${t}recv${t}MPI_COMM_WORLD${t}comm=0${t}peer=0${t}tag=1${t}bytes=8${t}posted=1
0${t}0${t}leave${t}work" "what it records is printed while it runs"
tell define late && tell name chief && tell thread helper
until_lines 5 "leave${t}work" out.early
is "$(grep -c "^# lane${t}rank=0${t}thread=0${t}" out.early)" 2 "a lane that was named is told again"
like "$(sed -n "/leave${t}work/,\$p" out.early)" "^# state${t}name=late${t}colour=green${t}group=user\$" \
    "a definition comes when it is made"
like "$(cat out.early)" "^# lane${t}rank=0${t}thread=1${t}name=helper${t}host=" "so does a thread"

# ---- others that come later: filters and styles
follow out.csv err.csv -f --csv --lane 0.0 run.pith.spill
csv=$follower
follow out.json err.json -f --json --state 'w*' run.pith.spill/*.spill
json=$follower
pith print -f --to 1us run.pith >out.to
is "$? $(records out.to | wc -l)" "0 0" "--to: ends when that time is over"
pith print -f --from 1h run.pith 2>err
is "$? $(cut -d';' -f1 err)" "2 pith: print: --from: '1h' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]" "wrong arguments are said at once"
pith print -f --to finalize run.pith 2>err
is "$? $(cut -d";" -f1 err)" "2 pith: print: --to with --follow: 'finalize' is not a time such as 1.5, 3ms, 20us or 7ns" "no words that need a whole log"
is "$(pith info run.pith.spill | sed -n 's/^records: *//p')" 32 "pith info tells what a running program has recorded"
like "$(pith stat run.pith.spill)" '^work +5 ' "pith stat too"
tell record 20000
until_lines 20005 leave out.json
ok $? "many records"
end
wait $early
is "$? $(wc -l <err.early)" "0 1" "ends by itself when the program has ended"
wait $csv && wait $json
ok $? "so do the others"
pith print run.pith >out.log
is "$(by_lane out.early | diff <(by_lane out.log) - | head -n 5)" "" "it printed what the log holds, lane by lane"
like "$(head -n 2 out.early | tail -n 1)" "^# property${t}key=times${t}value=as recorded, not corrected$" "it says that times are not corrected"
is "$(records out.early | cut -f1 | sort -c -n 2>&1)" "" "in the order of time"
is "$(cut -d, -f2- out.csv | diff <(pith print --csv --lane 0.0 run.pith | cut -d, -f2-) - | head -n 5)" "" "--csv --lane as of the log"
is "$(grep -v '"define"' out.json | cut -d, -f2- | sort | diff <(pith print --json --state 'w*' run.pith | grep -v '"define"' | cut -d, -f2- | sort) - | head -n 5)" \
    "" "--json --state, of one file, as of the log"

# ---- too late
pith print --follow run.pith | diff out.log -
ok $? "a program that is over: its log"

# ---- queries: the lines that pith print selects of the log; a state whose end decides comes late, so not in order
queries=('duration >= 0ns' 'depth == 1 and duration < 3600s or kind == counter' 'self > 3600s or name != late and end < 3600s'
    'payload ~ "i=1*" or comm == 0 and kind in (state, send)' 'state == outer' 'not time > 0ns and thread == 0' 'size == 8 and tag in 2-3')
start
followers=()
for i in "${!queries[@]}"; do
    follow "out.$i" "err.$i" -f run.pith --where "${queries[i]}"
    followers+=("$follower")
done
tell open outer && tell record 20 && tell thread helper && tell define late
until_lines 20 "leave${t}work" out.0
ok $? "a state whose end decides is printed when it ends"
end
for i in "${!queries[@]}"; do
    wait "${followers[i]}"
    pith print run.pith --where "${queries[i]}" >chosen
    is "$? $(records "out.$i" | cut -f2- | sort | diff <(records chosen | cut -f2- | sort) - | head -n 5)" "0 " "--where '${queries[i]}'"
done
is "$(records out.4 | cut -f4,5) $(records out.6 | wc -l)" "enter${t}outer 6" "also a state that does not end"
pith print -f run.pith --where 'rank = 1' 2>err
is "$? $(head -n 1 err)" "2 pith: query: column 6: '=' is no comparison; use ==" "a wrong query is said at once"

# ---- other ends
start
tell record 10
follow out err -f run.pith.spill
until_lines 10 leave out
tell kill now
end
wait $follower
is "$? $(grep -v 'waiting$' err)" "1 pith: run.pith.spill: the program ended without writing $scratch/run.pith; \`pith recover run.pith.spill\` makes a log of its records" \
    "a program that was killed"
is "$(records out | wc -l)" 60 "with all that it recorded"
pith recover run.pith.spill >recovered && pith print run.pith >out.log
is "$(by_lane out | diff <(by_lane out.log) - | head -n 5)" "" "and that is what pith recover finds"

start
tell record 10
follow out err -f run.pith
until_lines 10 leave out
kill -INT $follower
wait $follower
is "$? $(records out | wc -l) $(grep -v 'waiting$' err)" "0 60 " "interrupted: ends with whole lines"
is "$(pith print -f run.pith 2>err | head -n 1 | cut -c1-8; cat err)" "# time_s" "| head: ends though no more is recorded, without a word"
kill -0 $puppet
ok $? "the program knows nothing of it"
tell record 1
end
is "$(pith print run.pith | grep -c "leave${t}work")" 11 "and goes on"
finish
