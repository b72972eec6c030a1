#!/usr/bin/env bash
# pith analyze of damaged and partial logs: no figure is wrong, and what is missing is said.
. "$(dirname "$0")/../lib.sh"
check="python3 $top/test/analyze/damaged_check.py"

$check make 5000 >whole.txt && pith convert whole.txt whole.pith
ok $? "a log of 180,000 records"
pith analyze whole.pith >page
$check compare whole.pith >lines 2>err
is "$? $(cat err)" "0 " "damaged in many places"
checks_of lines

# The page of a log with a damaged block; the kept analysis of the whole log is not that of a damaged copy.
python3 -c 'data = bytearray(open("whole.pith", "rb").read()); data[len(data) // 2] ^= 255; open("damaged.pith", "wb").write(data)'
pith analyze damaged.pith >damaged.page 2>err
like "$? $(cat err)" '^1 pith: damaged[.]pith: byte [0-9]+: a block of rank [0-9] is damaged' "a damaged copy: a message"
like "$(joined "$(cat damaged.page)")" '[|]  Records of rank [0-9] are missing from 0[.][0-9]{6} s to 0[.][0-9]{6} s[.][|]  The analysis covers the longest part of the run without missing records[.][|]' "and the page says of what part it is"
pith analyze damaged.pith --html damaged.html 2>/dev/null
like "$(cat damaged.html)" 'Records of rank [0-9] are missing from' "in a browser, too"
pith recover damaged.pith -o recovered.pith >out && pith analyze recovered.pith >out
is "$(sed 's/damaged[.]pith/recovered.pith/' damaged.page | diff - out | grep '^[<>]')" '>   At least 1 record was lost.' "the recovered log: the same, as it says where records are missing"
messages() { pith sql "$1" --csv 'SELECT * FROM messages' | sort; }
messages recovered.pith >some
is "$(($(wc -l <some) > 10000)) $(comm -23 some <(messages whole.pith) | wc -l)" "1 0" "and its messages are some of the whole log's"
sed '1i # property\tkey=own_cost_ns\tvalue=enter=400' whole.txt >cost.txt && pith convert cost.txt cost.pith
python3 -c 'data = bytearray(open("cost.pith", "rb").read()); data[len(data) // 2] ^= 255; open("cost.pith", "wb").write(data)'
recording() { pith analyze "$@" --explain recording 2>/dev/null | grep -o 'Here: [0-9.]* %'; }
is "$(recording cost.pith)" "$(recording cost.txt)" "recording costs as much of the time in a part"
is "$(recording cost.pith --to 50ms)" "$(recording cost.txt --to 50ms)" "and in a window without gaps"
cp -p whole.pith copy.pith
is "$(pith analyze copy.pith | sed 1d | diff - <(sed 's/whole[.]pith/copy.pith/' page | sed 1d))" "" "a copy of the log with its time"
pith analyze whole.pith damaged.pith >out 2>/dev/null
like "$(joined "$(cat out)")" 'Records of B are missing: .*the run times cannot be compared[.]$' "compared with the whole log: no run times"
is "$(grep -cE 'speedup|faster|slower' out)" 0 "and no speedup"
like "$(pith analyze whole.pith damaged.pith --to 50ms 2>/dev/null)" '^B takes as long as A' "but of a part without damage"

# The lists of members of communicators are damaged; they are read only when a collective needs them. All ranks of the log are
# those of MPI_COMM_WORLD.
sed '1i # comm\tcomm=1\tname=all\tsize=4\tranks=0,1,2,3
    /\tcoll\t/s/comm=0/comm=1/' whole.txt >other.txt && pith convert other.txt other.pith
matched=''
for log in whole other; do
    what='1 communicator' its=its && [ $log = other ] && what='2 communicators' its=their
    $check members $log.pith $log.members.pith
    pith analyze $log.members.pith >$log.page 2>err
    is "$? $(cat err)" "1 pith: $log.members.pith: the lists of members of $what are damaged" "damaged members: a message"
    is "$(grep -A 1 'The lists of members' $log.page)" "  The lists of members of $what are damaged:
  waiting in $its collectives may count as transfer." "and the page says it"
    matched+="$(pith analyze $log.members.pith --json 2>/dev/null |
        python3 -c 'import json, sys; a = json.load(sys.stdin); t = a["trust"]; print(a["lost_comms"], a["gaps"], t["messages_matched"], t["collective_calls_matched"])'); "
done
is "$matched" "1 0 20000 20000; 2 0 20000 0; " "JSON, too; messages and collectives of the world are matched"
like "$(pith analyze whole.pith --json)" '"lost_comms":0' "none in the whole log"
# Other commands say it, too, where they use the members: nothing is written, as of a log with other damage.
sentence="pith: other.members.pith: the lists of members of 2 communicators are damaged"
says() { # STATUS COMMAND...
    "${@:2}" >out 2>err
    is "$? $(tail -1 err) $(ls -d new.* 2>/dev/null)" "$1 $sentence " "damaged members: ${*:2:2} says it"
}
says 1 pith print other.members.pith
says 1 pith convert other.members.pith -
for suffix in pith txt otf2 prv json; do says 1 pith convert other.members.pith new.$suffix; done
says 1 pith cut other.members.pith -o new.pith --to 10ms
says 1 pith merge other.members.pith whole.pith -o new.pith
sentence="$sentence; all other records are in the tables" says 1 pith sql other.members.pith 'select count(*) from messages'
says 2 pith diff other.members.pith other.pith --records
# A picture shows the rest, and says it, too, if it needs the members.
for options in '--group comm' --waits; do
    # shellcheck disable=SC2086
    pith draw other.members.pith $options -o new.svg 2>err
    is "$? $(cat err)" "0 $sentence (the rest is drawn)" "damaged members: draw $options says it"
done
pith draw other.members.pith -o new.svg 2>err
is "$? $(cat err)" "0 " "draw without them does not"
rm new.svg
pith check other.members.pith >out
[ $? = 1 ] && grep -q 'the chunk here is damaged' out
ok $? "pith check finds it"
is "$(pith stat other.members.pith 2>&1 | grep -c damaged)" 0 "who needs no members reads the log without it"
like "$(pith recover other.members.pith -o rest.pith)" '; 2 damaged places left out$' "pith recover counts it"
pith print rest.pith >rest.txt
is "$? $(grep -cP '\tcoll\t' rest.txt)" "0 $(grep -cP '\tcoll\t' other.txt)" "and makes a log without the members"
pith analyze other.members.pith --html members.html 2>/dev/null
like "$(cat members.html)" 'The lists of members of 2 communicators are damaged' "in a browser"

# Ranks without records are counted once: zeros in a fifth of the log lie in two of four ranks at most. And a rank that has
# records of its second thread only is there.
"$build/test/bench/make_big_log" small.pith 4 4 2000
most=$(for at in {2..15}; do
    python3 -c 'import sys; d = bytearray(open("small.pith", "rb").read()); n = len(d) // 5; at = len(d) * int(sys.argv[1]) // 20
d[at:at + n] = bytes(n); open("zeros.pith", "wb").write(d)' $at
    pith analyze zeros.pith --json 2>/dev/null | grep -o '"ranks_absent":[0-9]*' | cut -d: -f2
done | sort -n | tail -n 1)
is "$most" 2 "two of four ranks are lost at most"
printf '# %s\n' 'comm	comm=0	name=MPI_COMM_WORLD	size=2	ranks=0,1' 'lane	rank=1	thread=0' 'lane	rank=1	thread=1' >second.txt
printf '%s\t%s\t%s\tMPI_Barrier\n' 0 '1	1' enter 0 '0	0' enter 1 '1	1' leave 1 '0	0' leave >>second.txt
like "$(pith analyze second.txt --json)" '"ranks_absent":0' "a rank without records of its first thread"

# Lost records, in the middle of rank 2.
awk -F'\t' -v OFS='\t' '{ print } !lost && $2 == 2 && $1 > 0.1 { print $1, 2, 0, "lost", "", "count=7"; lost = 1 }' whole.txt >lost.txt
like "$(joined "$(pith analyze lost.txt)")" '[|]  At least 7 records were lost[.][|]  Records of rank 2 are missing from 0[.]1000[0-9]* s to 0[.]1000[0-9]* s[.][|]  The analysis covers' "lost records: the page says so"
like "$(joined "$(pith stat lost.txt --waits 2>&1 >/dev/null)")" '^pith: note: records are missing; waiting is known only from 0[.]1000[0-9]* s to 0[.]36[0-9]* s[|]pith: note: lost[.]txt: 7 records were lost' "and so does pith stat --waits"
is "$(pith analyze lost.txt --json | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["gaps"], a["first_gap"]["rank"], a["ranks_absent"])')" "1 2 0" "JSON, too"

sed 's/count=7$/count=1/' lost.txt >one.txt
like "$(pith analyze one.txt)" '^  At least 1 record was lost[.]$' "a single one"
awk -F'\t' -v OFS='\t' '{ print } !lost && !/^#/ { print $1, $2, 0, "lost", "", "count=7"; lost = 1 }' whole.txt >ring.txt
like "$(joined "$(pith analyze ring.txt)")" '[|]  Records of rank 0 are missing before the start of the log[.][|]  The analysis covers' "a ring: lost before the log's start"
awk -F'\t' -v OFS='\t' '{ print } !none && $2 == 2 && $1 > 0.1 { print $1, 2, 0, "lost", "", "count=0"; none = 1 }' ring.txt >none.txt
is "$(diff <(sed 's/ring[.]txt/none.txt/' <(pith analyze ring.txt)) <(pith analyze none.txt))" "" "a count of 0: none are missing there"

# Only 2 of 363 ms are known of all ranks: a part too short for a judgement. Of 10 ms they are a fifth.
awk -F'\t' -v OFS='\t' '/^#/ { print; next }
    ($2 == 0 && $1 > 0.0015 && $1 < 0.18) || ($2 == 1 && $1 > 0.182) { if (!lost[$2]++) print $1, $2, 0, "lost", "", "count=7"; next }
    { print }' whole.txt >short.txt
short_page() { pith analyze short.txt "$@" | sed -n '/The analysis covers/,$p' | grep -E 'too short|lowest|Nothing is'; }
is "$(short_page)" "  It is 0.56 % of the time asked for: too short to judge the run." "a short part: no judgement, and it is said"
like "$(short_page --from 178ms --to 188ms)" "is lowest" "but of a short time"
pith analyze short.txt --html short.html
is "$(grep -c 'too short to judge the run' short.html):$(grep -c 'is lowest' short.html)" 2:0 "in a browser, too, and it is the answer"
short='too short to judge the run: 0[.]56 % of the time asked for'
like "$(pith analyze whole.pith short.txt)" "  The part of B is $short[.]" "beside another log"
pith analyze short.txt --csv >/dev/null 2>err
like "$(cat err)" "^pith: note: short[.]txt: the part without missing records is $short$" "a note beside CSV"
for term in 'load balance' 'late sender' 'critical path' 'load imbalance'; do
    like "$(pith analyze short.txt --explain "$term" | tail -2 | tr '\n' ' ')" "^The part without missing records is $short[.] $" "--explain $term says it"
done
is "$(pith analyze short.txt --explain 'critical path' | grep -c Here:)" 0 "and says nothing of the run in words"
like "$(pith analyze whole.pith --explain 'critical path')" 'Here:' "but of a whole log"
is "$(for log in short.txt whole.pith; do pith analyze $log --json | python3 -c 'import json, sys; print(round(json.load(sys.stdin)["window"]["part"], 2))'; done)" \
    $'0.01\n1.0' "JSON: the part that is analysed"

# A pause of 20 ms on rank 1, of 363 ms of four ranks; and one that does not end.
pause() { awk -F'\t' -v OFS='\t' -v to="$1" '{ print } !on && $2 == 1 && $1 > 0.1 { print $1, 1, 0, "pause", ""; on = 1 }
    !off && $2 == 1 && $1 > to { print $1, 1, 0, "resume", ""; off = 1 }' whole.txt; }
pause 0.12 >paused.txt
like "$(pith analyze paused.txt)" "^  Recording was paused for 1[.]4 % of all ranks' time, which counts as computing[.]$" "a pause: the page says what it counts as"
like "$(pith analyze paused.txt --from 110ms --to 210ms)" "paused for 2[.]5 % of" "within the window"
pause 9 >paused.txt
like "$(pith analyze paused.txt)" "paused for 18[.][0-9] % of" "a pause up to the end"
is "$(grep -c paused page)" 0 "no pause, no line"

# Parts of a log in which the ranks begin between the begins of a collective: their n-th collectives are not the same one.
worst=$(for at in 200000 200010 200020 200030 200040 200050 200060 200070; do
    pith analyze whole.pith --where "time >= ${at}us and time <= 300ms" --json >part.json
    pith analyze whole.pith --from ${at}us --to 300ms --json >same.json
    python3 -c 'import json
a, b = (sum(w["ns"] for w in json.load(open(f))["waits"]) for f in ("part.json", "same.json"))
print(int(1000 * abs(a - b) / b))'
done | sort -n | tail -n 1)
ok $((worst > 5)) "parts: waiting as in the whole log, within $worst/1000"

# A member that leaves before others enter does not make them count for a later instance, if it need not wait for them: they
# are in its own group of two, they contribute nothing, or it gets nothing. Rank 0 leaves before rank 3 enters.
early() { # CALL COMM, then bytes and got_bytes of each rank
    local call=$1 comm=$2 step rank
    shift 2
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3\n# comm\tcomm=1\tname=both\tsize=2\tremote_size=2\tranks=0,3\tremote_ranks=1,2\n'
    for step in 1 2 3; do
        for rank in 0 1 2 3; do
            printf "$step.%d\t$rank\t0\t%s\n" $((rank == 3 ? 5 : rank)) "enter	$call" $((rank == 3 ? 5 : rank)) \
                "coll		comm=$comm	bytes=${1%:*}	got_bytes=${1#*:}	root=-1" $((rank == 0 ? 4 : 7 + rank / 3)) "leave	$call"
            set -- "${@:2}" "$1"
        done
    done | sort -s -g -k 1,1
}
mark() { sed '1i # property\tkey=part\tvalue=of a longer log' whole/log.txt >part/log.txt; }
# The facts of whole/log.txt do not depend on its mark as a part of another log.
same_as_part() {
    mark
    cmp -s <(cd whole && pith analyze log.txt --json --waits) <(cd part && pith analyze log.txt --json --waits)
}
mkdir -p whole part
while read -r what; do
    # shellcheck disable=SC2086
    early $what >whole/log.txt
    like "$(joined "$(pith analyze whole/log.txt)")" 'Matched: 12 of 12 calls' "${what%% *}: all are matched"
    same_as_part
    ok $? "${what%% *}: in a part, too"
done <<'END'
MPI_Barrier 1 0:0 0:0 0:0 0:0
MPI_Allgatherv 0 8:24 8:24 8:24 0:24
MPI_Reduce_scatter 0 24:0 24:8 24:8 24:8
END
(mkdir random && cd random && python3 "$top/test/analyze/random_log.py" 1 60)
different=''
for seed in {1..60}; do
    cp "random/$seed.txt" whole/log.txt
    if [ $((seed % 10)) = 0 ]; then # clocks differ
        mark
        for what in whole part; do pith convert "$what/log.txt" "$what/out.txt" --causal 2>/dev/null; done
        cmp -s <(grep -v '^#' whole/out.txt) <(grep -v '^#' part/out.txt)
    else
        same_as_part
    fi || different="$different $seed"
done
is "$different" "" "random logs that are marked as parts, though they have all records"
finish
