#!/usr/bin/env bash
# pith compensate: simulated programs whose run without recording is known, messages computed by hand, and what is kept.
. "$(dirname "$0")/../lib.sh"
sim="python3 $top/test/cli/compensate_sim.py"

# ---- the plain run comes back: compensate_sim.py's programs, at two costs of a record (by make check-full three)
differs() { # FILE: the largest difference of a record's time from the plain run, in thousandths of that run
    pith print "$1" >other.txt
    $sim differs plain.txt other.txt
}
for program in ring master wavefront sort rooted everybody heavy scans nonblocking between persistent; do
    $sim make $program 0 7 >p.txt && pith convert p.txt p.pith && pith print p.pith >plain.txt
    worst=0 dilated=0 wrong=1000000
    for cost in $(quick_or_full '50 6000' '50 800 6000'); do
        $sim make $program $cost 7 >slow.txt && pith convert slow.txt slow.pith && pith compensate slow.pith -o out.pith 2>said.txt &&
            pith compensate --local slow.pith -o local.pith 2>/dev/null || worst=-1
        got=$(differs out.pith) slow=$(differs slow.pith)
        [ "$got" -gt $worst ] && worst=$got
        [ "$slow" -gt $dilated ] && dilated=$slow
    done
    local=$(differs local.pith)
    [ "$worst" -ge 0 ] && [ "$worst" -le 10 ]
    ok $? "$program: dilated by up to $((dilated / 10)) %, compensated right to $worst thousandths of the run" || cat said.txt
    [ "$local" -gt 50 ]
    ok $? "$program: own costs alone would be wrong by $((local / 10)) %"
done

# ---- what nothing is known of is named
$sim make between 50 7 | sed 's/MPI_Allgather/MPI_Neighbor_allgather/' >odd.txt && pith convert odd.txt odd.pith && pith compensate odd.pith -o out.pith 2>said.txt
like "$(cat said.txt)" '\(own costs only of 28 MPI_Neighbor_allgather\)$' "collectives of neighbours are counted"

# ---- after lost records of rank 1, from 200 to 400 us, collectives are left as they are; what came before is as in the whole log
begin() { # LOG.pith: of each rank as many records as it has in slow.txt before 200 us
    pith print "$1" | awk -F'\t' '/^#/ { next } NR == FNR { n[$2] += $1 < 0.0002; next } n[$2]-- > 0' slow.txt - | LC_ALL=C sort
}
for program in sort rooted scans nonblocking between persistent; do
    $sim make $program 800 7 >slow.txt && pith convert slow.txt slow.pith && pith compensate slow.pith -o out.pith 2>/dev/null
    awk -F'\t' -v OFS='\t' '/^#/ || $2 != 1 || $1 < 0.0002 || $1 > 0.0004 { print; next }
        !lost++ { print $1, 1, 0, "lost", "", "count=9" }' slow.txt >lost.txt
    pith convert lost.txt lost.pith && pith compensate lost.pith -o part.pith 2>said.txt
    is "$? $(grep -c 'ended before the event' said.txt) $(begin out.pith | wc -l)" "0 0 $(awk -F'\t' '!/^#/ && $1 < 0.0002' slow.txt | wc -l)" \
        "$program: lost records: no call ended before what it waited for"
    like "$(cat said.txt)" '[(]own costs only of [0-9]+ MPI_' "and the line names those of which it is not known"
    is "$(begin part.pith)" "$(begin out.pith)" "and what came before is moved as in the whole log"
done

# ---- one message by hand; ns as the nine decimals
log() { # COST_A COST_B LINES: rank 0 on host a sends to rank 1 on host b; costs are those of an event
    printf '# property\tkey=own_cost_ns a\tvalue=event=%d\n# property\tkey=own_cost_ns b\tvalue=event=%d\n' "$1" "$2"
    printf '# lane\trank=0\tthread=0\tname=\thost=a\n# lane\trank=1\tthread=0\tname=\thost=b\n'
    printf '# state\tname=MPI_Send\tcolour=red\tgroup=MPI\n# state\tname=MPI_Recv\tcolour=red\tgroup=MPI\n# event\tname=mark\tcolour=red\tgroup=user\tformat=\n'
    printf '# time_s\trank\tthread\tkind\tname\tkey=value...\n'
    sed 's/^ *//; s/  */\t/g; s/^[0-9]*/0.&/' <<<"$3" | sort -s -n
}
times() { pith print out.pith | awk -F'\t' '!/^#/ { printf "%s%s:%s:%d", n++ ? " " : "", $2, $4, $1 * 1e9 + 0.5 }'; }
mpi_send='comm=0 peer=1 tag=1 bytes=8' mpi_recv='comm=0 peer=0 tag=1 bytes=8 posted=0'
log 30 5 "000000000 0 0 event mark
    000000130 0 0 enter MPI_Send
    000000130 0 0 send MPI_COMM_WORLD $mpi_send
    000000131 0 0 leave MPI_Send
    000000000 1 0 event mark
    000000060 1 0 enter MPI_Recv
    000000140 1 0 recv MPI_COMM_WORLD $mpi_recv
    000000140 1 0 leave MPI_Recv" >one.txt
pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>said.txt
is "$(times)" "0:event:0 1:event:0 1:enter:55 0:enter:100 0:send:100 0:leave:101 1:recv:110 1:leave:110" "the receiver waited: x2' = min(30, 5 + w) = 30"
like "$(cat said.txt)" '^pith: out.pith: 0.000000035 s of own costs .* 0.000000140 s before, 0.000000110 s now$' "one line says what was done"
is "$(pith info out.pith | grep ^compensated)" "compensated: messages" "the log says so"
pith compensate --local one.pith -o out.pith 2>/dev/null
is "$(times)" "0:event:0 1:event:0 1:enter:55 0:enter:100 0:send:100 0:leave:101 1:recv:135 1:leave:135" "--local: each by itself"
is "$(pith info out.pith | grep ^compensated)" "compensated: own costs only" "and that too"
is "$(pith compensate out.pith -o twice.pith 2>&1; echo $?; ls twice.pith 2>&1 | grep -c cannot)" "pith: out.pith: is already compensated
1
1" "not twice"
log 0 50 "000000000 0 0 event mark
    000000010 0 0 enter MPI_Send
    000000010 0 0 send MPI_COMM_WORLD $mpi_send
    000000011 0 0 leave MPI_Send
    000000000 1 0 event mark
    000000200 1 0 enter MPI_Recv
    000000202 1 0 recv MPI_COMM_WORLD $mpi_recv
    000000202 1 0 leave MPI_Recv" >one.txt
pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>/dev/null
is "$(times | cut -d' ' -f6-)" "1:enter:150 1:recv:152 1:leave:152" "a message that lay there holds nobody up"
# Out of order: A and B are posted, B ends first. The second message is the one that is waited for first.
log 40 0 "000000000 0 0 event mark
    000000100 0 0 send MPI_COMM_WORLD $mpi_send
    000000200 0 0 send MPI_COMM_WORLD ${mpi_send/tag=1/tag=2}
    000000050 1 0 enter MPI_Recv
    000000210 1 0 recv MPI_COMM_WORLD ${mpi_recv/tag=1 bytes=8 posted=0/tag=2 bytes=8 posted=1}
    000000210 1 0 leave MPI_Recv
    000000300 1 0 enter MPI_Recv
    000000301 1 0 recv MPI_COMM_WORLD $mpi_recv
    000000301 1 0 leave MPI_Recv" >one.txt
pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>/dev/null
is "$(times)" "0:event:0 1:enter:50 0:send:60 0:send:160 1:recv:170 1:leave:170 1:enter:260 1:recv:261 1:leave:261" "receives that end in another order than they were posted"
# A long message that was posted stays until its sender waits: what was spent until then is not its way.
log 100 0 "000000010 0 0 enter MPI_Isend
    000000010 0 0 send MPI_COMM_WORLD $mpi_send
    000000011 0 0 leave MPI_Isend
    000000020 0 0 event mark
    000000130 0 0 enter MPI_Waitall
    000000150 0 0 leave MPI_Waitall
    000000015 1 0 enter MPI_Waitall
    000000140 1 0 recv MPI_COMM_WORLD $mpi_recv
    000000140 1 0 leave MPI_Waitall" | sed 's/=MPI_Send/=MPI_Isend/; s/=MPI_Recv/=MPI_Waitall/' >posted.txt
stays() { # EAGER_BYTES [SED]: the receiver's end
    sed "1i # property\tkey=eager_bytes\tvalue=$1
        ${2:-}" posted.txt >one.txt && pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>/dev/null && times | grep -o '1:leave:.*[0-9]' | cut -d' ' -f1
}
is "$(stays network=7; times)" "1:leave:40
0:enter:10 0:send:10 0:leave:11 1:enter:15 0:event:20 0:enter:30 1:recv:40 1:leave:40 0:leave:50" "a posted message that its sender held up"
is "$(stays 'same_host=1 network=8') $(stays same_host=7) $(stays same_host=8 's/host=b/host=a/') $(stays network=7 's/Isend/Send/') $(stays nonsense) $(stays network=-)" \
    "1:leave:140 1:leave:140 1:leave:140 1:leave:140 1:leave:140 1:leave:140" "short ones, those on another path, and MPI_Send's go at once"
is "$(stays same_host=7 's/host=b/host=a/') $(stays 'a=1 network=7, network=9')" "1:leave:40 1:leave:40" "on one host; the first of two values"
is "$(stays network=7 's/Waitall/Get_count/')" 1:leave:140 "a call that does not wait moves nothing"
# Two receives of one call: near one another they end together, far from one another each for itself.
for apart in 20 5000; do
    log 30 0 "000000100 0 0 event mark
        000000200 0 0 send MPI_COMM_WORLD $mpi_send
        000000200 0 0 send MPI_COMM_WORLD $mpi_send
        000000050 1 0 enter MPI_Recv
        000000300 1 0 recv MPI_COMM_WORLD $mpi_recv
        $(printf %09d $((300 + apart))) 1 0 recv MPI_COMM_WORLD ${mpi_recv/posted=0/posted=1}
        000009000 1 0 leave MPI_Recv" >one.txt
    pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>/dev/null
    times | tr ' ' '\n' | grep 1:recv | paste -sd' '
done >both.txt
is "$(cat both.txt)" "1:recv:270 1:recv:270
1:recv:270 1:recv:5270" "receives of one call"
# pith:own: 80 between two records, of which 20 are in front of the record before; more than has passed it cannot be.
log 1 1 "000000010 0 0 event mark
    000000090 0 0 counter pith:own value=0
    000000150 0 0 event mark
    000000210 0 0 counter pith:own value=80
    000000310 0 0 event mark
    000000320 0 0 counter pith:own value=9999
    000000500 0 0 event mark" | sed 's/event=1$/event=0/' >one.txt
pith convert one.txt one.pith && pith compensate one.pith -o out.pith 2>/dev/null
is "$(times)" "0:event:10 0:counter:10 0:event:150 0:counter:150 0:event:230 0:counter:230 0:event:310" "pith:own"
pith cut one.pith -o cut.pith --from 200ns && pith compensate cut.pith -o out.pith 2>/dev/null
is "$(times)" "0:counter:210 0:event:310 0:counter:310 0:event:390" "of which the beginning was cut off"

# ---- what is kept, other formats, bad logs
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && pith print small.pith | sed '1i # property\tkey=own_cost_ns\tvalue=enter=3 leave=3 recv=5 call=2 other=7' >small.txt && pith convert small.txt costly.pith
pith compensate costly.pith -o out.pith 2>said.txt && pith check out.pith >/dev/null
ok $? "a log with all kinds of records" || cat said.txt
records() { pith print "$1" | grep -v '^#' | cut -f2- | LC_ALL=C sort; }
is "$(records out.pith)" "$(records costly.pith)" "all records are kept, with all that they say but their times"
is "$(pith print out.pith | grep '^#' | grep -v compensated)" "$(pith print costly.pith | grep '^#')" "definitions, hosts, communicators, properties too"
pith print out.pith >other.txt && is "$($sim order other.txt)" good "in order on every lane"
like "$(pith info costly.pith)" '^own_cost_ns: enter=3' "pith info shows the costs"
pith compensate costly.pith -o out.txt 2>/dev/null && head -1 out.txt | grep '^#' >/dev/null
ok $? "the suffix says the format"
pith compensate costly.pith -o out.x --format clog2 2>/dev/null && pith info out.x | grep 'format: clog2' >/dev/null
ok $? "so does --format"
is "$(pith compensate small.pith -o no.pith 2>&1; echo $?; ls no.pith 2>/dev/null)" "pith: small.pith: does not state what recording cost
1" "a log without costs"
"$make_log" empty empty.pith
is "$(pith compensate empty.pith -o no.pith 2>&1; echo $?)" "pith: empty.pith: does not state what recording cost
1" "a log of nothing"
is "$(pith compensate one.pith 2>&1; echo $?)" "pith: compensate: -o OUT is missing; see \`pith help compensate\`
2" "usage"
pith compensate one.pith -o out.pith --what 2>/dev/null
is $? 2 "an option that is none"
pith compensate costly.pith -o /dev/full 2>/dev/null
is "$? $(ls *.part 2>/dev/null)" "1 " "a full disk"
for value in "event=1e999 send=-5" "event=nan" "=" "event" ",,," "event=999999999"; do
    sed "s/^# property\tkey=own_cost_ns a.*/# property\tkey=own_cost_ns a\tvalue=$value event=1/" one.txt >odd.txt
    pith convert odd.txt odd.pith && pith compensate odd.pith -o out.pith 2>/dev/null && pith print out.pith >other.txt && [ "$($sim order other.txt)" = good ] || echo "# $value"
done >odd.out
is "$(cat odd.out)" "" "values that nobody can have measured"
# Many lanes, a thread that begins later, messages that nobody receives.
python3 - >many.txt <<'P'
print("# property\tkey=own_cost_ns\tvalue=enter=100 leave=100 send=100 recv=100")
for rank in range(300):
    print("# lane\trank=%d\tthread=0\tname=\thost=h" % rank)
print("# lane\trank=0\tthread=1\tname=\thost=h")
print("# state\tname=MPI_Barrier\tcolour=red\tgroup=MPI")
print("# time_s\trank\tthread\tkind\tname\tkey=value...")
for time in range(10):
    for rank in range(300):
        now = "0.%09d" % (time * 100000 + rank)
        print("%s\t%d\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=%d\ttag=%d\tbytes=1" % (now, rank, (rank + 1) % 300, time))
        print("%s\t%d\t0\tenter\tMPI_Barrier" % (now, rank))
        print("%s\t%d\t0\tcoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\tbytes=0\tgot_bytes=0" % (now, rank))
    for rank in range(300):
        print("0.%09d\t%d\t0\tleave\tMPI_Barrier" % (time * 100000 + 5000 + rank, rank))
print("0.001000000\t0\t1\tenter\tMPI_Barrier")
P
pith convert many.txt many.pith && pith compensate many.pith -o out.pith 2>said.txt && pith check out.pith >/dev/null && pith print out.pith >other.txt
ok $? "300 ranks, sends without receives" || cat said.txt
is "$($sim order other.txt) $(tail -1 other.txt | cut -f1-3)" "good 0.000997100	0	1" "a thread begins where its process is"
finish
