#!/usr/bin/env bash
# The words for times: every command with --from and --to finds the same window by `init`, `finalize`, `end`, STATE[n] and places near them as by
# numbers.
. "$(dirname "$0")/../lib.sh"

# state NAME RANK BEGIN END, in microseconds
state() {
    printf '%.6f\t%s\t0\tenter\t%s\n' "$(awk "BEGIN { print $3 / 1e6 }")" "$2" "$1"
    printf '%.6f\t%s\t0\tleave\t%s\n' "$(awk "BEGIN { print $4 / 1e6 }")" "$2" "$1"
}
{
    state MPI_Init_thread 0 0 100; state MPI_Init_thread 1 0 140; state MPI_Init_thread 2 0 120
    state 'solve it' 0 150 300; state 'solve it' 1 160 200; state 'solve it' 1 250 500; state tail 2 400 700
    state MPI_Finalize 0 900 1000; state MPI_Finalize 1 850 1000; state MPI_Finalize 2 800 1000
} | sort -s -g -k 1,1 >log.txt
pith convert log.txt log.pith
ok $? "a log"

have_draw=$([ -x "$build/libexec/pith/pith-draw" ] && echo yes)
# The same output of every command: with two words, and with two numbers.
same() { # FROM TO FROM TO WHAT
    local c
    for c in print "stat --csv" "stat --by lane --csv" "convert log.pith -" ${have_draw:+"draw --ascii"}; do
        case $c in convert*) run=(pith convert log.pith - --format csv) ;; *) read -ra run <<<"pith $c log.pith" ;; esac
        "${run[@]}" --from "$1" --to "$2" >words.out 2>&1
        "${run[@]}" --from "$3" --to "$4" >numbers.out 2>&1
        is "$(cat words.out)" "$(cat numbers.out)" "${run[1]}: $5"
    done
    pith cut log.pith -o words.pith --from "$1" --to "$2" && pith cut log.pith -o numbers.pith --from "$3" --to "$4"
    is "$(pith print words.pith)" "$(pith print numbers.pith)" "cut: $5"
}
same init finalize 140us 900us "the work"
same 'solve it[2]' 'solve it[2]' 160us 200us "the second instance: that of rank 1"
same 'solve it[1]' 'solve it[3]' 150us 500us "from one to another"
same init 'tail[1]' 140us 0.0007 "mixed"
same init+60us end-0.2ms 200us 800us "counted from a place"
same 'solve it[2]-10us' 'finalize + 100 us' 150us 1000us "from an instance; blanks"
same 0:00.00015 0:00:00.0005 150us 500us "minutes and seconds; hours, minutes and seconds"
is "$(pith print log.pith --from 'tail[1]' --to finalize | grep -v '^#' | cut -f1-5)" "$(printf '%s\t%s\t0\t%s\t%s\n' \
    0.000400000 2 enter tail 0.000500000 1 leave 'solve it' 0.000700000 2 leave tail 0.000800000 2 enter MPI_Finalize 0.000850000 1 enter MPI_Finalize 0.000900000 0 enter MPI_Finalize)" "print: by hand"
pith convert --causal log.pith c.pith --from init --to finalize 2>/dev/null && is "$(pith print c.pith)" "$(pith convert log.pith d.pith --from 140us --to 900us && pith print d.pith)" "convert --causal"

fails() { # STATUS TEXT COMMAND...: exit status and one line
    local status=$1 text=$2; shift 2
    "$@" >out 2>err
    is "$? $(cat err)" "$status pith: $text" "$*"
}
for c in print stat cut convert ${have_draw:+draw}; do
    o=(); case $c in cut | draw) o=(-o out.svg) ;; convert) o=(out.pith) ;; esac
    fails 2 "$c: --from: 'soon' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; see \`pith help $c\`" pith $c log.pith "${o[@]}" --from soon
    fails 2 "$c: --to: 'tail[0]' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; see \`pith help $c\`" pith $c log.pith "${o[@]}" --to 'tail[0]'
    fails 1 "log.pith: tail[2]: the log has 1 instance of this state" pith $c log.pith "${o[@]}" --to 'tail[2]'
    [ ! -e out.svg ] && [ ! -e out.pith ]; ok $? "no file is left"
done
grep -v MPI_ log.txt >without.txt
fails 1 "without.txt: init: there is no MPI_Init in this log" pith stat without.txt --from init
fails 1 "without.txt: finalize: there is no MPI_Finalize in this log" pith stat without.txt --to finalize
if [ "$have_draw" ]; then
    is "$(pith draw log.pith --ascii -e 'zoom {solve it[2]} finalize')" "$(pith draw log.pith --ascii -e 'zoom 160us 900us')" "draw -e zoom"
fi
# Times of centuries: no sums that overflow, and no file that its own reader refuses.
log_of() { printf '# lane\trank=0\tthread=0\tname=\thost=\n# lane\trank=1\tthread=0\tname=\thost=\n'
    printf '%s\t%s\t0\t%s\twork\n' "$1" 0 enter 0.000001000 1 enter 0.000003000 1 leave "$2" 0 leave; }
log_of -9223372036.854775807 9223372036.854775807 >far.txt
for command in "stat" "stat --by lane" "stat --by state,lane" "stat --longest 3" "analyze" "diff far.txt"; do
    is "$(pith $command far.txt 2>&1)" "pith: far.txt: its times are too far apart to be added over all threads" "$command"
done
is "$(pith stat far.txt --from 0 --to 1 --csv | awk -F, '$1 == "work" { print $4, $5 }')" "2 1.000002000" "stat of a part"
log_of 0.000000000 2305843009.212693952 >most.txt
log_of -1100000000.000000000 1100000000.000000000 >both.txt
for format in clog2 slog2 alog picl chrome paje paraver otf2; do
    pith convert far.txt far.$format --format $format >out 2>&1
    like "$? $(cat out)" "^1 pith: (far.txt: its times are too far apart for this format|.*libotf2.*)$" "$format refuses them"
    [ ! -e far.$format ]
    ok $? "$format: leaves nothing"
    for log in most both; do
        pith convert $log.txt $log.$format --format $format 2>notes || { skip "$format" "$(head -n 1 notes)"; continue; }
        is "$(pith print $log.$format 2>&1 | grep -c '	enter	\|	leave	')" 4 "$format: $log"
    done
done
finish
