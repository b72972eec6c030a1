#!/usr/bin/env bash
# What the writers of ALOG and CLOG-2 make of logs with everything in them, and what the readers, that of CLOG-1 too, make of files with
# everything in them. UPDATE=1 writes the goldens anew: look at the difference before you commit it.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
make_golden=$build/test/golden/make_golden

# golden FILE NAME WHAT: FILE is as the golden NAME.
golden() {
    [ -z "${UPDATE:-}" ] || cp "$1" "$here/$2"
    differ=$(diff "$here/$2" "$1" | head -n 8)
    is "$differ" "" "$3"
}
records() { pith print "$1" | grep -v '^#'; }

# ---- writing ----
for kind in edge plain; do
    "$make_golden" $kind $kind.pith
    for format in alog clog2; do
        pith convert $kind.pith $kind.$format 2>$kind.$format.notes
        ok $? "$kind: written as $format"
        pith print $kind.$format >$kind.$format.print
        golden $kind.$format.notes $kind.$format.notes "$kind: what $format cannot hold is said"
        golden $kind.$format.print $kind.$format.print "$kind: reads back from $format as before"
    done
    golden $kind.alog $kind.alog "$kind: the ALOG file as before"
    is "$(pith print "$here/$kind.zero.alog" | diff "$here/$kind.alog.print" - | head -n 8)" "" "$kind: an ALOG file of before, with 0 as its start, reads the same"
    what=$(python3 "$here/alog_check.py" $kind.alog)
    ok $? "$kind: the ALOG file keeps all rules of strict readers: $what"
    python3 "$here/clog2_dump.py" $kind.clog2 >$kind.clog2.dump
    ok $? "$kind: the CLOG-2 file keeps all rules of strict readers"
    golden $kind.clog2.dump $kind.clog2.dump "$kind: the CLOG-2 file as before"
done
for format in alog clog2; do
    is "$(records plain.$format | diff <(records plain.pith) - | head -n 5)" "" "plain: nothing is lost in $format"
done

# Each twice: what is lost is lost the first time.
for format in alog clog2; do
    pith convert edge.$format twice.$format 2>/dev/null
    is "$(records twice.$format | diff <(records edge.$format) - | head -n 5)" "" "edge: a second $format loses no more"
done

# ---- limits ----
"$make_golden" deep deep.pith
notes=$(pith convert deep.pith deep.clog2 2>&1)
like "$notes" "44 states nested in themselves too deep" "recursion of depth 300: 256 levels are kept apart, the rest is said"
is "$(records deep.clog2 | diff <(records deep.pith) - | head -n 3)" "" "recursion of depth 300: no record is lost"
"$make_golden" states states.pith && pith convert states.pith states.clog2 && python3 "$here/clog2_dump.py" states.clog2 >dump.txt
ok $? "2500 states: a strict CLOG-2 file"
like "$(head -n 1 dump.txt)" "user_solo_eventID_start=18200 .*user_stateID_count=2500" "2500 states: solo events have moved up"
"$make_golden" big 20000 big.pith && pith convert big.pith big.clog2 && python3 "$here/clog2_dump.py" big.clog2 >dump.txt
ok $? "many blocks: a strict CLOG-2 file"
is "$(records big.clog2 | diff <(records big.pith) - | head -n 5)" "" "many blocks: nothing is lost"
"$make_golden" sparse sparse.pith && pith convert sparse.pith sparse.clog2 &&
    pith convert sparse.pith sparse.alog 2>/dev/null
dump=$(python3 "$here/clog2_dump.py" sparse.clog2)
like "$?:$dump" "^0:.*max_comm_world_size=8 " "ranks that have no lane count: a strict CLOG-2 file"
what=$(python3 "$here/alog_check.py" sparse.alog)
is "$?:$what" "0:send=2" "ranks that have no lane count: a strict ALOG file"
for range in "--from 0.003 --to 0.004" "--from 1000" "--to -1"; do
    pith convert plain.pith window.clog2 $range && python3 "$here/clog2_dump.py" window.clog2 >dump.txt
    ok $? "a window, $range: a strict CLOG-2 file"
    pith convert plain.pith window.alog $range && python3 "$here/alog_check.py" window.alog >dump.txt
    ok $? "a window, $range: a strict ALOG file"
done
pith convert plain.pith --format clog2 /dev/stdout | cat >piped.clog2
cmp -s piped.clog2 plain.clog2
ok $? "a pipe gets the same file"

# ---- reading ----
for kind in merged piece; do
    python3 "$here/clog2_make.py" $kind $kind.clog2
    pith print $kind.clog2 >$kind.print
    golden $kind.print $kind.clog2.print "CLOG-2 $kind: every type of record"
    for form in "big 168" "little 168" "big 1000" "little 65536" "big 200000"; do
        python3 "$here/clog2_make.py" $kind other.clog2 ${form% *} ${form#* }
        is "$(pith print other.clog2 | sed 's/=byte [0-9]*: the file/=byte 2276: the file/' | diff - $kind.print | head -n 5)" "" "CLOG-2 $kind, $form: the same"
    done
done
for form in "1024 big" "1024 little" "65536 big"; do
    python3 "$here/clog1_make.py" ${form% *} "${form#* }" made.clog
    pith print made.clog | sed 's/\(clog1_block_bytes.*=\)'"${form% *}"'$/\1BLOCK/' >made.print
    golden made.print all.clog1.print "CLOG-1, blocks of $form: every type of record"
done
for block in 1024 65536; do
    python3 "$here/clog1_make.py" $block big made.clog 30000
    is "$(pith info made.clog | sed -n 's/^messages: //p; s/^clog1_bl.*: //p' | tr '\n' ' ')" "5001 $block " "CLOG-1: many blocks of $block"
    size=$(stat -c %s made.clog)
    head -c $((size / 2 + 100)) made.clog >cut.clog
    like "$(pith info cut.clog)" "^incomplete: byte $((size / 2 + 100)): the file ends here" "CLOG-1, blocks of $block: a cut is said"
    printf '\377%.0s' {1..64} | dd of=made.clog bs=1 seek=$((block + 512)) conv=notrunc status=none
    like "$(pith info made.clog)" "^incomplete: byte [0-9]*: damaged here: .*places: 1" "CLOG-1, blocks of $block: damage costs the rest of a block"
done
pith print "$here/odd.alog" >odd.print
golden odd.print odd.alog.print "ALOG: everything that old files have"
# Decimals of microseconds are rounded, and the state that is open at the end is closed there.
pith convert "$here/odd.alog" odd.alog
records "$here/odd.alog" | sed 's/^0.000000250/0.000000000/' >wanted.txt
printf '0.999950000\t2\t0\tleave\tcompute the answer\n' >>wanted.txt
is "$(records odd.alog | diff wanted.txt - | head -n 5)" "" "ALOG: read, written, read"
# As p4 left them: a clock of 32 bits that is not 0 at the start and rolls over, records of the merge, blanks at the ends.
cat >p4.log <<'E'
-1 0 0 0 0 2025436865 P4 May- 9-90
-2 0 0 5 0 0 
-3 0 0 2 0 0 
-4 0 0 1 0 0 
-5 0 0 2 0 0 
-6 0 0 0 0 4294967000 
-7 0 0 0 1 105 
-8 0 0 2 0 0 
-11 0 0 0 0 4294967295 
-13 0 1 2 0 0 red:gray work
-100 0 0 0 0 4294966990 
1 0 0 0 0 4294967000 
-100 1 0 0 0 4294967001 
1 1 0 7 0 4294967100 a remark
2 0 0 0 0 4294967290 
77 1 0 3 1 5 
2 1 0 0 1 105 
E
is "$(records p4.log)" "$(printf '%b\n' '0.000000000\t0\t0\tenter\twork' '0.000100000\t1\t0\tenter\twork' '0.000290000\t0\t0\tleave\twork' \
    '0.000300000\t1\t0\tevent\tevent 77\tpayload=data=3' '0.000400000\t1\t0\tleave\twork')" "ALOG: as p4 left it"
is "$(pith info p4.log | grep -E '^(ranks|alog_|creator)')" "ranks: 2
creator: P4 May- 9-90
alog_start_us: 4294967000" "ALOG: nothing of it is odd"
printf -- '-1 0 0 0 0 0 x\n-3 0 0 1 0 0\n1 0 0 0 0 5\n1 0 zero 0 0 6\n' >bad.alog
is "$(pith print bad.alog 2>&1 >/dev/null)" "pith: bad.alog: line 4: the task is missing or out of range; correct or remove the line" \
    "ALOG: a bad line is named"
finish
