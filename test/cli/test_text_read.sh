#!/usr/bin/env bash
# Text as a log: what `pith print` printed reads back as it was, and scripts can make logs of a few lines.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden

for kind in plain edge sparse deep; do
    "$make_golden" $kind $kind.pith
    pith print $kind.pith >$kind.txt
    is "$(pith print $kind.txt | grep -v 'key=text_' | diff - $kind.txt | head -n 5)" "" "$kind: printed, read, printed: the same"
done
pith convert edge.txt edge2.pith && pith print edge2.pith | grep -v 'key=text_' | cmp - edge.txt
ok $? "and as a native log"
like "$(joined "$(pith check edge.txt; pith check sparse.txt)")" \
    '^edge.txt: 1 leaves without enter \(.*\)\|edge.txt: .* no damage found\|sparse.txt: 2 messages with unknown ranks \(.*\)\|sparse.txt: .*no damage found$' \
    "what lacks its partner there is told"
is "$(pith info edge.txt | grep -c 'left_out')" 0 "no payload was left out"

# lines RECORD...: a log of these.
lines() { printf '%b\n' "$@" >mine.txt; }
lines '0.5\t0\t0\tenter\twork' '1.0\t1\t0\tenter\tMPI_Recv' '0.7\t0\t0\tsend\t\tpeer=1\ttag=3\tbytes=8' \
    '1.1\t1\t0\trecv\t\tpeer=0\ttag=3\tbytes=8' '2\t1\t0\tleave\tMPI_Recv' '' '# a comment' '3\t0\t0\tleave\twork\r' '4\t2\t5\tpause'
is "$(pith print mine.txt | grep -v '^#' | cut -f1-5)" "$(printf '%b\n' '0.500000000\t0\t0\tenter\twork' \
    '0.700000000\t0\t0\tsend\tMPI_COMM_WORLD' '1.000000000\t1\t0\tenter\tMPI_Recv' '1.100000000\t1\t0\trecv\tMPI_COMM_WORLD' \
    '2.000000000\t1\t0\tleave\tMPI_Recv' '3.000000000\t0\t0\tleave\twork' '4.000000000\t2\t5\tpause\t')" "a few lines, out of order: a log"
like "$(pith stat mine.txt --by comm 2>&1)" '8' "its messages match"
lines '1\t0\t0\tsend\t\tpeer=1' '1\t0\t0\tsend\t\tpeer=1' '2\t1\t0\trecv\t\tpeer=0' '3\t1\t0\trecv\t\tpeer=0'
is "$(pith print mine.txt | sed -n 's/.*posted=//p' | tr '\n' ' ')" "0 1 " "receives are posted in the order of their lines"
lines '# event\tname=e\tformat=n=%d t=%s.' '1\t0\t0\tevent\te\tpayload=n=-3 t=a\\tb\\x01c.' '2\t0\t0\tevent\te\tpayload=nonsense' \
    '3\t0\t0\tevent\traw\tpayload=00ff' '4\t0\t0\tevent\tq\\\\\\n'
is "$(pith print mine.txt | grep -v '^#' | cut -f4-)" "$(printf '%b\n' 'event\te\tpayload=n=-3 t=a\\tb\\x01c.' 'event\te' 'event\traw\tpayload=00ff' 'event\tq\\\\\\n')" \
    "payloads by their formats; escapes"
is "$(pith check mine.txt | head -n 1)" "mine.txt: 1 payloads left out (text_payloads_left_out in pith info)" "and check tells"
like "$(pith info mine.txt)" '^text_payloads_left_out: 1' "one that is not of its format is left out and counted"
# Events that no line defines: payloads that are no hex are text, all of the event.
lines '1\t0\t0\tevent\tnote\tpayload=00ff' '2\t0\t0\tevent\tnote\tpayload=hello' '3\t0\t0\tevent\ta\\tb\tpayload=x\\ty' '4\t0\t0\tevent\traw\tpayload=00ff' '5\t0\t0\tevent\tlate\tpayload=n=5' \
    '# event\tname=late\tformat=n=%d'
is "$(pith print mine.txt | grep -v '^#' | cut -f4-) $(pith print mine.txt | sed -n 's/.*name=\(note\|raw\|late\).*format=/\1:/p' | sort | tr '\n' ' ')" \
    "$(printf '%b\n' 'event\tnote\tpayload=00ff' 'event\tnote\tpayload=hello' 'event\ta\\tb\tpayload=x\\ty' 'event\traw\tpayload=00ff' 'event\tlate\tpayload=n=5') late:n=%d note:%s raw: " \
    "payloads of events without a definition"
is "$(pith info mine.txt | grep -c left_out)" 0 "none is left out"
lines '# event\tname=e\tformat=n=%d t=%s.' '2\t0\t0\tevent\te\tpayload=nonsense'
cp mine.txt nameless
like "$(pith info nameless)" '^format: text' "told by content, not by suffix"

# wrong LINE SAID: a line that cannot be read.
wrong() {
    lines '# state\tname=s' '1\t0\t0\tenter\ts' "$1"
    is "$(pith print mine.txt 2>&1 >/dev/null; pith check mine.txt >/dev/null 2>&1; echo $?)" "pith: mine.txt: line 3: $2
1" "wrong: $1"
}
wrong '2\t0\t0\tleap\ts' 'no such kind of record; `man pith-print` lists them'
wrong '2s\t0\t0\tleave\ts' 'a record has time, rank, thread, kind, name, with tabs between'
wrong '2\t-1\t0\tleave\ts' 'a record has time, rank, thread, kind, name, with tabs between'
wrong '2 0 0 leave s' 'a record has time, rank, thread, kind, name, with tabs between'
wrong '2\t0\t0\tsend\t\tpeer=x' 'a value is not a number, or too large'
wrong '2\t0\t0\tsend\t\tcomm=7' "no line '# comm' defines this communicator"
wrong '2\t0\t0\tcounter\tc' 'a counter needs value=NUMBER'
wrong '# lane\trank=1' 'a lane needs rank=N and thread=N'
wrong '# comm\tcomm=1\tranks=0,b' "a communicator's ranks are numbers with commas between"

# Leaves without an enter: `lost` stands for a doubt about a state that is never left.
lines '1\t0\t0\tenter\tmain' '2\t0\t0\tenter\ta' '3\t0\t0\tleave\tb' '4\t0\t0\tenter\tc' '5\t0\t0\tleave\tb' '6\t0\t0\tleave\tc' '9\t0\t0\tleave\tmain' \
    '1\t1\t0\tenter\tmain' '2\t1\t0\tenter\ta' '3\t1\t0\tleave\tb' '5\t1\t0\tleave\ta' '9\t1\t0\tleave\tmain' '9\t2\t0\tleave\tmain'
is "$(pith stat mine.txt --csv | grep -E '^(main|a|b|c),' | cut -d, -f1,4,5)" "main,2,16.000000000
a,2,4.000000000
c,1,2.000000000" "a state that is never left ends at the first leave without an enter inside it"
is "$(pith print mine.txt | grep -P '\tlost\t')" $'3.000000000\t0\t0\tlost\t\tcount=1' "only there records count as lost"
is "$(pith check mine.txt)" "mine.txt: 4 leaves without enter (text_leaves_without_enter in pith info)
mine.txt: 14 records read, no damage found" "check tells how many there are"
lines '1\t0\t0\tsend\t\tpeer=1' '2\t0\t0\tsend\t\tpeer=7' '3\t0\t0\trecv\t\tpeer=-1' '4\t0\t0\tsend\t\tpeer=-1' '5\t1\t0\trecv\t\tpeer=8'
is "$(pith check mine.txt | head -n 1)" "mine.txt: 3 messages with unknown ranks (text_messages_with_unknown_ranks in pith info)" "messages with ranks that are not there"

# Every record on a communicator, one in three with a payload: all payloads come back.
{
    printf '# event\tname=info\tcolour=\tgroup=user\tformat=%%d\n# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=1\tranks=0\n# comm\tcomm=1\tname=half\tsize=1\tranks=0\n'
    for i in $(seq 0 199); do
        printf '0.%09d\t0\t0\tenter\thalf\tcomm=1\n0.%09d\t0\t0\tevent\tinfo\tcomm=1\tpayload=%d\n0.%09d\t0\t0\tleave\thalf\tcomm=1\n' $((3 * i)) $((3 * i + 1)) "$i" $((3 * i + 2))
    done
} >on_comm.txt
is "$(pith print on_comm.txt | grep -v '^#')" "$(grep -v '^#' on_comm.txt)" "records on a communicator keep their payloads"
finish
