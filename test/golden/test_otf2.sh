#!/usr/bin/env bash
# OTF2: what is written, read by otf2-print and by Pith again; an archive of eztrace; damaged ones.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
make_golden=$build/test/golden/make_golden
make_log=$build/test/cli/make_cli_log
if ! pith help formats | grep otf2 >/dev/null || ! printf '# lane\trank=0\tthread=0\tname=\n' >none.txt || ! pith convert none.txt none.otf2 2>err; then
    like "$(cat err)" 'OTF2' "without libotf2 one line says so"
    skip "OTF2" "$(cat err)"
    finish
fi

# ---- there and back
records() { pith print "$1" | grep -v '^#'; }
"$make_log" small small.pith && "$make_log" names names.pith && "$make_log" empty empty.pith
for kind in plain sparse deep edge states; do "$make_golden" $kind $kind.pith; done
for log in plain deep states names empty; do
    pith convert $log.pith $log.otf2 2>notes
    is "$? $(cat notes)" "0 " "$log: written"
    is "$(pith print $log.otf2)" "$(pith print $log.pith)" "$log: all comes back"
done
pith convert small.pith small.otf2
is "$(records small.otf2 | grep -v '^1.999999999.*leave')" "$(records small.pith)" "small: records come back; what is open at the end, closed"
is "$(pith print small.otf2 | grep '^#')" "$(pith print small.pith | grep '^#')" "with colours, groups, payload formats, hosts, communicators, properties"
is "$(pith info small.otf2 | sed -n 's/^bytes: //p')" "$(find small.otf2 -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" \
    "small: as large as its files"
pith convert edge.pith edge.otf2 2>notes
is "$(cat notes)" "pith: note: 1 ends of states that were not nested: the states inside are cut in two
pith: note: 1 states still open at the end are closed there
pith: note: 1 ends of states without a start are left out
pith: note: 6 states and events on a communicator: that is left out
pith: note: 1 communicators of unknown members have those of MPI_COMM_WORLD" "edge: what is lost is said"
not_states() { records "$1" | grep -vP '^\S+\t\d+\t\d+\t(enter|leave)'; }
is "$(not_states edge.otf2)" "$(not_states edge.pith | off_comms)" "edge: events, messages in their order of posting, collectives, counters, pauses come back"
is "$(pith print edge.otf2 | grep '^#' | grep -v comm=3)" "$(pith print edge.pith | grep '^#' | grep -v comm=3)" "edge: so do definitions, in their order"
pith convert sparse.pith sparse.otf2 2>notes
is "$(cat notes) $(records sparse.otf2)" "pith: note: 2 ends of messages with ranks that are not in the log are left out
pith: note: 5 members of communicators that are not in the log are left out $(records sparse.pith | grep comm$'\t')" "sparse: one rank of ten keeps its number"

# A log by hand: receives of two threads out of order, one that got nothing, a collective, times before 0.
cat >hand.txt <<'EOF'
# state	name=MPI_Allreduce	colour=	group=MPI collective
# state	name=MPI_Irecv	colour=	group=MPI point-to-point
# event	name=count	colour=	group=user	format=%x
# time_s	rank	thread	kind	name	key=value...
-0.500000000	0	0	enter	MPI_Irecv
-0.400000000	0	0	leave	MPI_Irecv
0.000000000	1	0	send	MPI_COMM_WORLD	comm=0	peer=0	tag=1	bytes=8
0.000000001	1	0	send	MPI_COMM_WORLD	comm=0	peer=0	tag=1	bytes=9
0.000000002	1	0	send	MPI_COMM_WORLD	comm=0	peer=0	tag=1	bytes=10
0.100000000	0	0	recv	MPI_COMM_WORLD	comm=0	peer=1	tag=1	bytes=10	posted=3
0.200000000	0	1	recv	MPI_COMM_WORLD	comm=0	peer=1	tag=1	bytes=8	posted=1
0.300000000	0	1	recv	MPI_COMM_WORLD	comm=0	peer=1	tag=1	bytes=9	posted=2
0.400000000	0	0	recv	MPI_COMM_WORLD	comm=0	peer=-1	tag=0	bytes=0	posted=0
0.500000000	0	0	enter	MPI_Allreduce
0.600000000	0	0	coll	MPI_COMM_WORLD	comm=0	bytes=8	got_bytes=16	root=-1
0.700000000	0	0	leave	MPI_Allreduce
0.800000000	0	1	event	count	payload=ffffffff
0.900000000	0	1	event	count
EOF
pith convert hand.txt hand.otf2
is "$?:$(records hand.otf2)" "0:$(grep -v '^#' hand.txt)" "threads, requests, a cancelled receive, times before 0"
pith convert hand.txt part.otf2 --from 0.15 --to 0.55
is "$(records part.otf2 | cut -f1,4-)" "0.200000000	recv	MPI_COMM_WORLD	comm=0	peer=1	tag=1	bytes=8	posted=1
0.300000000	recv	MPI_COMM_WORLD	comm=0	peer=1	tag=1	bytes=9	posted=2
0.400000000	recv	MPI_COMM_WORLD	comm=0	peer=-1	tag=0	bytes=0	posted=0
0.500000000	enter	MPI_Allreduce
0.550000000	leave	MPI_Allreduce" "a window"

# ---- as others see it
if command -v otf2-print >/dev/null; then
    # as otf2_dump.py has it
    expected() {
        pith print "$1" | awk -F'\t' -v OFS='\t' '/^#/ { next }
            $4 == "event" { print $1, $2, $3, $4, $5 }
            $4 == "enter" || $4 == "leave" { print $1, $2, $3, $4, $5 }
            $4 == "counter" { sub("value=", "", $6); print $1, $2, $3, $4, $5, "value=" sprintf("%g", $6) }
            ($4 == "send" || $4 == "recv") && $7 !~ /-1$/ { print $1, $2, $3, $4, $7, $8, $9 }
            $4 == "coll" { print $1, $2, $3, $4, $5, $7, $8 }
            $4 == "comm" { print $1, $2, $3, $4, $5 }
            $4 == "lost" { print $1, $2, $3, $4, $5, $6 }
            $4 == "pause" || $4 == "resume" { print $1, $2, $3, $4 }'
    }
    for log in plain deep small; do
        otf2-print $log.otf2/traces.otf2 2>err | python3 "$here/otf2_dump.py" >$log.dump
        is "${PIPESTATUS[*]} $(cat err)" "0 0 " "$log: otf2-print reads it and has nothing to say"
        # it has locations in another order when times are alike
        is "$(sort $log.dump | grep -v 'coll')" "$(expected $log.otf2 | sed 's/tag=-1\b/tag=4294967295/' | sort | grep -v coll)" "$log: and sees the same"
    done
    for log in plain small edge hand names empty sparse; do
        is "$(otf2-print -G $log.otf2/traces.otf2 2>&1 >/dev/null; otf2-print $log.otf2/traces.otf2 2>&1 >/dev/null)" "" "$log: its definitions are in order"
    done
    like "$(otf2-print -G edge.otf2/traces.otf2)" 'INTER_COMM +2 .*"inter".*Group A' "an intercommunicator"
    is "$(otf2-print -G edge.otf2/traces.otf2 | grep -c -E 'INVALID|UNDEFINED <')" 0 "nothing refers to what is not there"
    is "$(otf2-print hand.otf2/traces.otf2 | awk '/MPI_|ENTER|LEAVE/ { print $1, $2, $3 }' | tail -n 4)" "ENTER 0 1000000000
MPI_COLLECTIVE_BEGIN 0 1000000000
MPI_COLLECTIVE_END 0 1100000000
LEAVE 0 1200000000" "a collective begins with its state"
    like "$(otf2-print hand.otf2/traces.otf2)" 'Operation: ALLREDUCE' "and is the one of its name"
    like "$(otf2-print -G small.otf2/traces.otf2)" 'Date: 2001-09-09' "the date is known"
else
    skip "what otf2-print sees" "no otf2-print"
fi

# ---- samples: calling contexts, below the states that are open
cat >samples.txt <<'EOF'
# event	name=pith:sample	colour=	group=pith	format=cpu=%l
# event	name=pith:code	colour=	group=pith	format=begin=%X end=%X name=%s
# state	name=solve	colour=	group=user
# state	name=MPI_Barrier	colour=	group=MPI collective
# property	key=sample_ns	value=2000000
# property	key=sample_clock	value=wall
# time_s	rank	thread	kind	name	key=value...
0.001000000	0	0	event	pith:sample	payload=cpu=1 00000000000001100000000000000210
0.002000000	0	0	enter	solve
0.002000000	0	1	event	pith:sample	payload=cpu=1 0000000000000310
0.003000000	0	0	event	pith:sample	payload=cpu=2 000000000000011000000000000003100000000000000210
0.004000000	0	0	event	pith:sample	payload=cpu=3 000000000000011800000000000003100000000000000210
0.005000000	0	0	event	pith:sample	payload=cpu=4 00000000000009100000000000000210
0.006000000	0	0	enter	MPI_Barrier
0.006000000	0	0	coll	MPI_COMM_WORLD	comm=0	bytes=0	got_bytes=0	root=-1
0.007000000	0	0	leave	MPI_Barrier
0.008000000	0	0	event	pith:sample	payload=cpu=5 0000000000000210
0.009000000	0	0	leave	solve
0.010000000	0	0	enter	solve
0.011000000	0	0	leave	solve
0.012000000	0	0	event	pith:code	payload=begin=100 end=200 name=exp
0.012000000	0	0	event	pith:code	payload=begin=200 end=300 name=main
0.012000000	0	0	event	pith:code	payload=begin=300 end=400 name=step
EOF
pith convert samples.txt samples.otf2 2>notes
is "$? $(cat notes)" "0 " "samples: nothing is lost"
is "$(pith print samples.otf2)" "$(pith print samples.txt)" "all come back, with addresses and names"
{ printf '# event\tname=pith:site\tcolour=gray50\tgroup=pith\tformat=address=%%X\n'
    sed "s/^0.007.*leave.*/0.006500000\t0\t0\tevent\tpith:site\tpayload=address=310\n&/" samples.txt; } >sites.txt
pith convert sites.txt sites.otf2 2>notes
is "$? $(cat notes)" "0 pith: note: 1 call sites are events with addresses, without the names of functions" "call sites have no contexts: it is said"
is "$(pith print sites.otf2)" "$(pith print sites.txt)" "they come back, too"
# Code at one address: the newest of its rank counts, and other ranks have others.
awk -v OFS='\t' '{ print } /name=main$/ {
    print $1, 0, 0, "event", "pith:code", "payload=begin=208 end=218 name=newer"
    print $1, 1, 0, "event", "pith:sample", "payload=cpu=1 00000000000002100000000000000310"
    print $1, 1, 0, "event", "pith:code", "payload=begin=200 end=300 name=other" }' samples.txt >ranks.txt
is "$(pith stat ranks.txt --folded | sed 's/ [0-9]*$//' | sort)" "[unknown];other
newer
newer;[unknown]
newer;exp
newer;step;exp
step" "names of code by rank, the newest first"
if command -v otf2-print >/dev/null; then
    is "$(python3 "$here/otf2_contexts.py" samples.otf2/traces.otf2 2>&1)" "0.001000000	0	0	sample	main;exp
0.002000000	0	0	enter	solve
0.002000000	0	1	sample	step
0.003000000	0	0	sample	solve;main;step;exp
0.004000000	0	0	sample	solve;main;step;exp
0.005000000	0	0	sample	solve;main;[unknown]
0.006000000	0	0	enter	solve;MPI_Barrier
0.007000000	0	0	leave	solve;MPI_Barrier
0.008000000	0	0	sample	solve;main
0.009000000	0	0	leave	solve
0.010000000	0	0	enter	solve
0.011000000	0	0	leave	solve" "otf2-print sees their functions"
    like "$(otf2-print -G samples.otf2/traces.otf2)" 'INTERRUPT_GENERATOR +0  Name: "wall-clock time" <[0-9]+>, Mode: TIME, Base: DECIMAL, Exponent: -9, Period: 2000000' \
        "and their clock"
    is "$(otf2-print -G samples.otf2/traces.otf2 2>&1 >/dev/null; otf2-print samples.otf2/traces.otf2 2>&1 >/dev/null)" "" "and has nothing to say"
    is "$(otf2-print samples.otf2/traces.otf2 | grep -A 2 MPI_Barrier | cut -d' ' -f1 | head -n 3)" "CALLING_CONTEXT_ENTER
MPI_COLLECTIVE_BEGIN
MPI_COLLECTIVE_END" "a collective begins with its state there, too"
    pith convert samples.txt part.otf2 --from 0.0035 --to 0.0085 2>/dev/null
    is "$(python3 "$here/otf2_contexts.py" part.otf2/traces.otf2 2>&1 | grep -c 'sample	solve;main')" 3 "a window: below the states open at its start"
fi

# ---- many lanes
awk 'BEGIN { print "# time_s\trank\tthread\tkind\tname\tkey=value..."
    for (k = 0; k < 20; k++) for (r = 0; r < 300; r++) printf "%.9f\t%d\t0\t%s\tf\n", k / 1e3 + r / 1e6, r, k % 2 ? "leave" : "enter" }' >wide.txt
awk -F'\t' -v OFS='\t' '/^#/ { print; next } { $3 = $2; $2 = 0; print }' wide.txt >threads.txt
for log in wide threads; do
    pith convert $log.txt $log.otf2
    is "$? $(records $log.otf2 | md5sum)" "0 $(records $log.txt | md5sum)" "$log: 300 lanes"
done

# A location does not cost fresh memory: libotf2 fills 256 KiB for its events and 4 MB for its definitions.
faults=$(python3 -c 'import resource, subprocess
subprocess.run(["pith", "convert", "wide.txt", "again.otf2"], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt)')
[ "$faults" -lt 20000 ] || [ -n "$(sanitizers)" ]
ok $? "300 lanes take less than 20000 page faults" || echo "# $faults"

# ---- the folder
is "$(ls small.otf2) $(pith print small.otf2/traces.otf2 | md5sum)" "traces
traces.def
traces.otf2 $(pith print small.otf2 | md5sum)" "the anchor file opens as the folder does"
pith convert plain.pith small.otf2 && is "$(records small.otf2)" "$(records plain.pith)" "an archive there is replaced"
mkdir mine && echo mine >mine/file
pith convert plain.pith mine --format otf2 2>err
is "$? $(cat err) $(ls mine)" "1 pith: mine: is a directory, and no log in the format otf2; remove it, or give another name file" "another folder is not"
pith convert plain.pith beside.otf2 && touch beside.otf2/scorep.cfg
pith convert plain.pith beside.otf2 2>err
like "$? $(cat err) $(ls beside.otf2)" '^1 pith: beside.otf2: is a directory, and no log in the format otf2; ' "nor an archive with other files beside it"
ok $([ -e beside.otf2/scorep.cfg ]; echo $?) "which stay"
mkdir small_disk
if mount -t tmpfs -o size=256k none small_disk 2>/dev/null; then
    "$make_log" big 200000 big.pith
    pith convert big.pith small_disk/run.otf2 2>err
    like "$? $(cat err):$(ls small_disk)" '^1 pith: small_disk/run.otf2: cannot be written; libotf2: No space left on device.*:$' "a full disk: nothing is left"
    umount small_disk
else
    skip "a full disk" "cannot mount a small file system here"
fi
cc -shared -fPIC -o no_dlopen.so -x c - <<<'void *dlopen(const char *name, int flags) { (void)name, (void)flags; return 0; }' 2>/dev/null
for way in "convert plain.pith other.otf2" "info plain.otf2"; do
    [ -z "$(sanitizers)" ] || break # nothing may be loaded before the sanitizer
    # shellcheck disable=SC2086
    like "$(LD_PRELOAD=$PWD/no_dlopen.so pith $way 2>&1; echo "exit $?"; ls -d other* 2>/dev/null)" \
        '^pith: (other.otf2|plain.otf2/traces.otf2): OTF2 needs the library lib.*, which is not here; install libotf2$' "without the library one line says so: ${way%% *}"
done

# ---- damaged ones: one line each, or what is whole
like "$(cp small.otf2/traces.otf2 x; pith info x 2>&1; rm x)" '^pith: x: libotf2 reads an archive only if its name ends with .otf2; ' "an anchor of another name"
is "$(pith info hand.otf2/traces.otf2 | grep ^bytes:)" "bytes: $(find hand.otf2 -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')" \
    "the size is that of all files, also by the name of the anchor"
rm -rf cut.otf2 && cp -r hand.otf2 cut.otf2 && truncate -s $(($(stat -c %s hand.otf2/traces/1.evt) / 2)) cut.otf2/traces/1.evt
like "$(pith info cut.otf2 2>/dev/null)" '^incomplete: events: [0-9]+ of [0-9]+ that the definitions count; ' "a cut file of events is said"
pith check cut.otf2 >out
is "$? $(grep -c 'cut.otf2: incomplete: ' out)" "1 1" "pith check finds it"
bad=0 said=0
for file in traces.otf2 traces.def traces/0.evt traces/1.evt traces/0.def; do
    size=$(stat -c %s hand.otf2/$file)
    for cut in 0 1 8 $((size / 4)) $((size / 2)) $((size - 1)); do
        rm -rf cut.otf2 && cp -r hand.otf2 cut.otf2 && truncate -s $cut cut.otf2/$file
        timeout 60 pith print cut.otf2/traces.otf2 >/dev/null 2>err
        status=$?
        [ $status -le 1 ] && [ "$(wc -l <err)" -le 1 ] && ! grep -qv '^pith: ' err || { bad=$((bad + 1)); echo "# $file cut to $cut: $status $(head -n 2 err)"; }
        [ $status = 0 ] || said=$((said + 1))
    done
done
is "$bad" 0 "cut files: one line each"
[ $said -gt 10 ]
ok $? "most of them cannot be read"

# ---- what others write and Pith does not: see make_otf2.c
if cc -std=c11 -o make_otf2 "$here/make_otf2.c" -lotf2 2>/dev/null && ./make_otf2 foreign; then
    is "$(pith print foreign)" "$(cat "$here/foreign.otf2.print")" "a clock of its own, corrections, mappings, requests, threads, metrics, windows"
    pith convert foreign again.otf2 && is "$(records again.otf2)" "$(records foreign)" "written again"
    is "$(pith stat foreign --folded 2>&1)" "solve(int);flux 1
solve(int);flux;flux 1" "samples of others have their functions"
    # Leaves without an enter, and a send to nobody.
    ./make_otf2 alone alone
    is "$(pith check alone)" "alone: 2 leaves without enter (otf2_leaves_without_enter in pith info)
alone: 1 messages with unknown ranks (otf2_messages_with_unknown_ranks in pith info)
alone: $(records alone | wc -l) records read, no damage found" "what lacks its partner is told"
    is "$(pith stat alone --by lane --csv | cut -d, -f1,2,7 | grep '^0,[01],')" "0,0,0.000011000
0,1,0.000019000" "a state that is never left ends at a leave without an enter, at the latest"
    is "$(records alone | grep -c $'\tlost\t')" 1 "one that is left goes on"
else
    skip "what others write" "no libotf2 to link with"
fi

# ---- a run of eztrace: what samples/ring.c does is known
if command -v eztrace >/dev/null && command -v mpicc.openmpi >/dev/null && mpicc.openmpi -o ring "$top/samples/ring.c" 2>/dev/null &&
    timeout 60 mpiexec.openmpi -n 3 eztrace -t openmpi ./ring >out 2>&1 && [ -e ring_trace/eztrace_log.otf2 ]; then
    pith info ring_trace >info
    is "$(grep -E '^(format|ranks|lanes)' info)" "format: otf2
ranks: 3
lanes: 3" "eztrace: ranks"
    is "$(pith print ring_trace | grep -c $'\tenter\tMPI_Isend$') $(pith print ring_trace | grep -c $'\tsend\t')" "3 9" "eztrace: calls, and sends by Send, Isend and Start"
    is "$(records ring_trace | awk -F'\t' '$4 == "send" { sub("peer=", "", $7); if (($2 + 1) % 3 != $7) print }')" "" "eztrace: each to the next rank"
    otf2-print ring_trace/eztrace_log.otf2 2>/dev/null | awk '$1 == "ENTER" || $1 == "LEAVE" { n[$1]++ } END { print n["ENTER"], n["LEAVE"] }' >there
    is "$(records ring_trace | awk -F'\t' '{ n[$4]++ } END { print n["enter"], n["leave"] }')" "$(cat there)" "eztrace: as many states as otf2-print sees"
    messages() { records "$1" | grep -P '\t(send|recv)\t'; }
    pith convert ring_trace ring.otf2 2>/dev/null && is "$(messages ring.otf2)" "$(messages ring_trace)" "eztrace: written again"
else
    skip "an archive of eztrace" "no eztrace for Open MPI here"
fi
finish
