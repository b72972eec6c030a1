#!/usr/bin/env bash
# pith analyze against oracle.py: small logs with facts computed by hand, then random logs: 250, by make check-full 1000; a build
# for a sanitizer, seven times as slow, has 150 of them, but for FULL=1. SEEDS=FIRST-LAST: others.
# ORACLE_RULES=all: pith, too, must find the wait states beyond the textbook (oracle_beyond.py); without, only the oracle.
. "$(dirname "$0")/../lib.sh"
here=$top/test/analyze

# Makes log.txt. Each line is a lane: RANK[.THREAD], then states NAME FROM-TO, each followed by what is recorded in it:
# >PEER[:BYTES] a send; <PEER a receive; cCOMM[@ROOT] a collective; sN, fN request N is started, complete; p:PEER a message
# is found; e:WHAT:RANKS an epoch of a window; t:RANK an access to it; n:RANKS neighbours, before the record of the collective.
tiny() {
    {
        printf '# %s\tname=pith:coll_%s\tformat=request=%%d\n' event started event complete
        printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s\n' "$1" "$(seq -s, 0 $(($1 - 1)))"
        printf '# event\tname=pith:epoch\tformat=what=%%s ranks=%%s\n# event\tname=MPI target\tformat=window=%%d target=%%d\n# event\tname=MPI one-sided\tformat=window=%%d target=%%d\n'
        printf '# event\tname=pith:probed\tformat=source=%%d tag=%%d\n'
        printf '%b' "${2:-}"
        awk '
        function put(time, text) { printf "%.9f\t%s\t%s\n", time / 1e9, lane, text }
        {
            lane = $1 ~ /[.]/ ? $1 : $1 ".0"; sub(/[.]/, "\t", lane)
            for (i = 2; i <= NF; i = k) {
                split($(i + 1), t, "-"); put(t[1], "enter\t" $i)
                for (k = i + 2; $k ~ /^([<>][0-9]|[csf][0-9]|[eptn]:)/; k++) {
                    what = substr($k, 1, 1); n = split(substr($k, 2), v, /[:@]/)
                    if (what == ">") put(t[1], "send\t\tcomm=0\tpeer=" v[1] "\ttag=0\tbytes=" (n > 1 ? v[2] : 8))
                    if (what == "<") put(t[2], "recv\t\tcomm=0\tpeer=" v[1] "\ttag=0\tbytes=8")
                    if (what == "c") put(t[1], "coll\t\tcomm=" v[1] "\tbytes=8\tgot_bytes=8\troot=" (n > 1 ? v[2] : -1))
                    if (what == "s") put(t[2], "event\tpith:coll_started\tpayload=request=" v[1])
                    if (what == "e") put(t[1], "event\tpith:epoch\tpayload=what=" v[2] " ranks=" v[3])
                    if (what == "t") put(t[1], "event\t" ($i ~ /Win_/ ? "MPI target" : "MPI one-sided") "\tpayload=window=1 target=" v[2])
                    if (what == "p") put(t[2], "event\tpith:probed\tpayload=source=" v[2] " tag=0")
                    if (what == "n") {
                        count = split(v[2], sources, ","); payload = ""
                        for (j = 1; j <= count; j++) payload = payload sprintf("%08x", sources[j])
                        put(t[1], "event\tpith:neighbours\tpayload=" payload)
                    }
                    if (what == "f") put(t[2], "event\tpith:coll_complete\tpayload=request=" v[1])
                }
                put(t[2], "leave\t" $i)
            }
        }' | sort -s -g -k 1,1
    } >log.txt
}

# The facts of log.txt, from stdin, are those of the oracle and of pith.
facts_are() {
    local wanted
    wanted=$(cat)
    is "$(python3 "$here/oracle.py" log.txt | python3 "$here/oracle.py" facts)" "$wanted" "$1: the oracle"
    pith analyze log.txt --json --waits >got.json
    is "$(python3 "$here/oracle.py" facts <got.json)" "$wanted" "$1: pith"
}
# The same of the wait states alone. They are compared by all_waits_are, so that the oracle is started once for all logs.
rows=0
waits_are() { # NAME WANTED
    rows=$((rows + 1)) names[rows]=$1 wanted[rows]=$2
    mv log.txt "row$rows.txt"
    pith analyze "row$rows.txt" --json --waits >"row$rows.json"
}
all_waits_are() { # [txt: of the oracle only]
    python3 "$here/oracle.py" waits row*.txt $([ "${1:-}" ] || echo row*.json) >waits
    for ((row = 1; row <= rows; row++)); do
        for by in ${1:-txt json}; do
            is "$(awk -v of="log row$row.$by" '/^log/ { on = $0 == of; next } on' waits)" "${wanted[row]}" \
                "${names[row]}: $([ $by = txt ] && echo the oracle || echo pith)"
        done
    done
}
large='# property\tkey=eager_bytes\tvalue=same_host=100 network=100\n'

tiny 3 <<'END'
0 work 0-50 MPI_Send 50-51 >1
1 work 0-30 MPI_Recv 30-50 <0 MPI_Send 50-51 >2
2 work 0-10 MPI_Recv 10-51 <1
END
facts_are "late senders, one behind the other" <<'END'
window 0-51 useful 50 30 10
efficiencies communication=0.9804 ideal_ns=50 load_balance=0.6 parallel=0.5882 serialisation=1 transfer=0.9804
lane 2 10-50: late sender in MPI_Recv, cause 1
lane 1 30-50: late sender in MPI_Recv, cause 0
delay: lane 0 work 20 + 20: late sender
delay: lane 1 work 20 + 0: late sender
path: lane 0 MPI_Send 1
path: lane 0 work 50
END

tiny 3 <<'END'
0 work 0-10 MPI_Barrier 10-31 c0
1 work 0-30 MPI_Barrier 30-31 c0
2 solve 0-30 MPI_Barrier 30-31 c0
END
facts_are "a barrier with two last members" <<'END'
window 0-31 useful 10 30 30
efficiencies communication=0.9677 ideal_ns=30 load_balance=0.7778 parallel=0.7527 serialisation=1 transfer=0.9677
lane 0 10-30: wait at barrier in MPI_Barrier, cause 1
delay: lane 1 work 20 + 0: wait at barrier
path: lane 0 MPI_Barrier 1
path: lane 1 work 30
END

tiny 2 <<'END'
0 MPI_Ssend 0-25 >1
1 work 0-20 MPI_Recv 20-25 <0
END
facts_are "a late receiver" <<'END'
window 0-25 useful 0 20
efficiencies communication=0.8 ideal_ns=20 load_balance=0.5 parallel=0.4 serialisation=1 transfer=0.8
lane 0 0-20: late receiver in MPI_Ssend, cause 1
delay: lane 1 work 20 + 0: late receiver
path: lane 0 MPI_Ssend 5
path: lane 1 work 20
END

tiny 2 "$large" <<'END'
0 MPI_Isend 0-1 >1:5000 work 1-5 MPI_Waitall 5-40
1 work 0-10 MPI_Irecv 10-11 work 11-30 MPI_Wait 30-41 <0
END
facts_are "a large message of MPI_Isend waits for MPI_Irecv" <<'END'
window 0-41 useful 5 29
efficiencies communication=0.7073 ideal_ns=29 load_balance=0.5862 parallel=0.4146 serialisation=1 transfer=0.7073
lane 0 5-10: late receiver in MPI_Waitall, cause 1
delay: lane 1 work 5 + 0: late receiver
path: lane 1 MPI_Irecv 1
path: lane 1 MPI_Wait 11
path: lane 1 work 29
END

tiny 2 <<'END'
0 work 0-20 MPI_Ibcast 20-22 c0@0 s0 work 22-30 MPI_Wait 30-31 f0
1 MPI_Ibcast 0-2 c0@0 s0 work 2-6 MPI_Wait 6-25 f0 work 25-31
END
facts_are "a nonblocking broadcast" <<'END'
window 0-31 useful 28 10
efficiencies communication=0.9032 ideal_ns=28 load_balance=0.6786 parallel=0.6129 serialisation=1 transfer=0.9032
lane 1 6-20: late broadcast in MPI_Wait, cause 0
delay: lane 0 work 14 + 0: late broadcast
path: lane 0 MPI_Ibcast 2
path: lane 0 MPI_Wait 1
path: lane 0 work 28
END

tiny 3 <<'END'
0 work 0-4 MPI_Reduce 4-5 c0@1
1 MPI_Reduce 0-12 c0@1
2 work 0-10 MPI_Reduce 10-12 c0@1
END
facts_are "an early reduce; a lane that ends early" <<'END'
window 0-12 useful 11 0 10
efficiencies communication=0.9167 ideal_ns=11 load_balance=0.6364 parallel=0.5833 serialisation=1 transfer=0.9167
lane 1 0-10: early reduce in MPI_Reduce, cause 2
delay: lane 2 work 10 + 0: early reduce
path: lane 1 MPI_Reduce 2
path: lane 2 work 10
END

tiny 3 <<'END'
0 work 0-6 MPI_Scan 6-7 c0
1 MPI_Scan 0-8 c0
2 work 0-20 MPI_Scan 20-21 c0
END
facts_are "an early scan" <<'END'
window 0-21 useful 20 13 20
efficiencies communication=0.9524 ideal_ns=20 load_balance=0.8833 parallel=0.8413 serialisation=1 transfer=0.9524
lane 1 0-6: early scan in MPI_Scan, cause 0
delay: lane 0 work 6 + 0: early scan
path: lane 2 MPI_Scan 1
path: lane 2 work 20
END

tiny 2 <<'END'
0 work 0-10 MPI_Barrier 10-11 c0 work 11-21 MPI_Recv 21-36 <1
1 work 0-2 MPI_Barrier 2-11 c0 solve 11-35 MPI_Send 35-36 >0
END
facts_are "a delay counts from the barrier before" <<'END'
window 0-36 useful 20 26
efficiencies communication=0.7222 ideal_ns=34 load_balance=0.8846 parallel=0.6389 serialisation=0.7647 transfer=0.9444
lane 1 2-10: wait at barrier in MPI_Barrier, cause 0
lane 0 21-35: late sender in MPI_Recv, cause 1
delay: lane 0 work 8 + 0: wait at barrier
delay: lane 1 solve 14 + 0: late sender
path: lane 0 MPI_Recv 1
path: lane 0 work 10
path: lane 1 MPI_Barrier 1
path: lane 1 solve 24
END

tiny 3 <<'END'
0 MPI_Recv 0-31 <1
1 MPI_Send 0-20 >2 work 20-30 MPI_Send 30-31 >0
2 MPI_Recv 0-20 <1 work 20-31
END
facts_are "transfer that delays another rank" <<'END'
window 0-31 useful 0 10 11
efficiencies communication=0.3548 ideal_ns=11 load_balance=0.6364 parallel=0.2258 serialisation=1 transfer=0.3548
lane 0 0-30: late sender in MPI_Recv, cause 1
delay: lane 1 MPI_Send 20 + 0: late sender
delay: lane 1 work 10 + 0: late sender
path: lane 0 MPI_Recv 1
path: lane 1 MPI_Send 20
path: lane 1 work 10
END

tiny 2 <<'END'
0 MPI_Init 0-10 work 10-15 MPI_Recv 15-45 <1 work 45-50 MPI_Finalize 50-60
1 MPI_Init 0-20 work 20-44 MPI_Send 44-45 >0 MPI_Finalize 45-60
END
facts_are "between MPI_Init and MPI_Finalize" <<'END'
window 20-50 useful 5 24
efficiencies communication=0.8 ideal_ns=29 load_balance=0.6042 parallel=0.4833 serialisation=0.8276 transfer=0.9667
lane 0 20-44: late sender in MPI_Recv, cause 1
lane 1 45-50: wait at finalize in MPI_Finalize, cause 0
delay: lane 0 MPI_Recv 1 + 0: wait at finalize
delay: lane 0 work 4 + 0: wait at finalize
delay: lane 1 work 24 + 0: late sender
path: lane 0 MPI_Recv 1
path: lane 0 work 5
path: lane 1 work 24
END

tiny 3 <<'END'
0 MPI_Irecv 0-0 MPI_Irecv 0-0 MPI_Waitany 0-11 <1 MPI_Waitany 11-21 <2
1 work 0-10 MPI_Send 10-11 >0
2 work 0-20 MPI_Send 20-21 >0
END
facts_are "MPI_Waitany" <<'END'
window 0-21 useful 0 20 20
efficiencies communication=0.9524 ideal_ns=20 load_balance=0.6667 parallel=0.6349 serialisation=1 transfer=0.9524
lane 0 0-10: late sender in MPI_Waitany, cause 1
lane 0 11-20: late sender in MPI_Waitany, cause 2
delay: lane 1 work 10 + 0: late sender
delay: lane 2 work 9 + 0: late sender
path: lane 0 MPI_Waitany 1
path: lane 2 work 20
END

tiny 2 "$large" <<'END'
0 MPI_Irecv 0-2 MPI_Isend 4-6 >1:5000 MPI_Waitall 10-100 <1
1 work 0-80 MPI_Irecv 80-80 MPI_Isend 80-81 >0:5000 MPI_Waitall 95-100 <0
END
facts_are "a late sender and a late receiver at the same moment" <<'END'
window 0-100 useful 6 94
efficiencies communication=0.94 ideal_ns=94 load_balance=0.5319 parallel=0.5 serialisation=1 transfer=0.94
lane 0 10-80: late sender in MPI_Waitall, cause 1
delay: lane 1 work 70 + 0: late sender
path: lane 0 MPI_Waitall 20
path: lane 1 work 80
END

tiny 3 <<'END'
0 MPI_Irecv 0-0 MPI_Irecv 0-0 MPI_Waitall 0-31 <1 <2 work 31-40
1 MPI_Send 0-25 >2 work 25-30 MPI_Send 30-31 >0
2 MPI_Irecv 0-0 work 0-20 MPI_Send 20-21 >0 MPI_Wait 21-40 <1
END
facts_are "the replay chooses the latest release anew" <<'END'
window 0-40 useful 9 14 20
efficiencies communication=0.5 ideal_ns=29 load_balance=0.7167 parallel=0.3583 serialisation=0.6897 transfer=0.725
lane 0 0-30: late sender in MPI_Waitall, cause 1
delay: lane 1 MPI_Send 25 + 0: late sender
delay: lane 1 work 5 + 0: late sender
path: lane 0 MPI_Waitall 1
path: lane 0 work 9
path: lane 1 MPI_Send 25
path: lane 1 work 5
END

tiny 2 <<'END'
0 work 0-5 MPI_Send 5-6 >1
0.1 solve 0-10
1 MPI_Recv 0-8 <0 work 8-20
END
facts_are "a thread without MPI calls" <<'END'
window 0-20 useful 19 20 12
efficiencies communication=0.95 ideal_ns=19 load_balance=0.8158 parallel=0.775 serialisation=1 transfer=0.95
lane 2 0-5: late sender in MPI_Recv, cause 0
delay: lane 0 work 5 + 0: late sender
path: lane 0 work 5
path: lane 2 MPI_Recv 3
path: lane 2 work 12
END

# ---- The calls of each row of the table, with the waiting and without ------------------------------------------------
for call in Recv Sendrecv Sendrecv_replace Wait Waitall Waitsome Test Testall Testany Testsome; do
    late="lane 0 5-20: late sender in MPI_$call, cause 1"
    for sent in 20 3; do
        tiny 2 <<END
0 MPI_Irecv 0-1 work 1-5 MPI_$call 5-25 <1 work 25-30
1 work 0-$sent MPI_Send $sent-$((sent + 1)) >0 work $((sent + 1))-30
END
        waits_are "MPI_$call, sent at $sent" "$([ $sent = 3 ] || echo "$late")"
    done
done
for call in Probe Mprobe; do
    tiny 2 <<END
0 work 0-5 MPI_$call 5-25 p:1 MPI_Recv 25-30 <1
1 work 0-20 MPI_Send 20-21 >0 work 21-30
END
    waits_are "MPI_$call" "lane 0 5-20: late sender in MPI_$call, cause 1"
done
for post in 20 3; do
    tiny 2 "$large" <<END
0 work 0-5 MPI_Sendrecv 5-25 >1:5000 <1
1 MPI_Send 0-1 >0:8 work 1-$post MPI_Irecv $post-$((post + 1)) work $((post + 1))-25 MPI_Wait 25-26 <0
END
    waits_are "MPI_Sendrecv of a large message, posted at $post" \
        "$([ $post = 3 ] || echo "lane 0 5-20: late receiver in MPI_Sendrecv, cause 1")"
done

# Lane 1 comes last, or all come at the same time.
for call in Barrier Allreduce Allgather Allgatherv Alltoall Alltoallw Reduce_scatter Comm_dup Comm_free Win_create \
    Win_free File_open File_write_all File_read_at_all File_close; do
    kind="wait at $([ $call = Barrier ] && echo barrier || echo N x N) in MPI_$call"
    tiny 3 <<END
0 work 0-10 MPI_$call 10-32 c0
1 work 0-30 MPI_$call 30-33 c0
2 work 0-20 MPI_$call 20-31 c0
END
    waits_are "MPI_$call" "lane 0 10-30: $kind, cause 1
lane 2 20-30: $kind, cause 1"
    for lane in 0 1 2; do echo "$lane work 0-30 MPI_$call 30-$((31 + lane)) c0"; done | tiny 3
    waits_are "MPI_$call, in time" ""
done
tiny 2 <<'END'
0 work 0-10 MPI_File_close 10-20 c0 work 20-40
1 work 0-30 MPI_File_close 30-31 c0 work 31-40
END
waits_are "files that are closed one by one" ""
for call in Bcast Scatter Scatterv Reduce Gather Gatherv Exscan; do
    tiny 3 <<END
0 work 0-10 MPI_$call 10-32 c0@1
1 work 0-20 MPI_$call 20-32 c0@1
2 work 0-15 MPI_$call 15-31 c0@1
END
    case $call in
    Bcast | Scatter*) waits_are "MPI_$call" "lane 0 10-20: late broadcast in MPI_$call, cause 1
lane 2 15-20: late broadcast in MPI_$call, cause 1" ;;
    Exscan) waits_are "MPI_$call" "lane 2 15-20: early scan in MPI_$call, cause 1" ;;
    *) waits_are "MPI_$call, the root comes last" "" ;;
    esac
done

# ---- Windows ---------------------------------------------------------------------------------------------------------
tiny 2 <<'END'
0 work 0-1 MPI_Win_start 1-12 e:start:1 MPI_Win_complete 12-13 e:complete: work 13-15
1 work 0-10 MPI_Win_post 10-11 e:post:0 MPI_Win_wait 11-15 e:wait:
END
waits_are "a late post, and an early wait" "lane 0 1-10: late post in MPI_Win_start, cause 1
lane 1 11-12: early wait in MPI_Win_wait, cause 0"
tiny 2 <<'END'
0 work 0-12 MPI_Win_start 12-13 e:start:1 MPI_Win_complete 13-14 e:complete: work 14-17
1 work 0-10 MPI_Win_post 10-11 e:post:0 work 11-15 MPI_Win_wait 15-17 e:wait:
END
waits_are "a post and a completion in time" ""

while read -r what lock unlock; do
    for begin in 2 8; do
        tiny 2 <<END
0 work 0-$begin MPI_$lock $begin-9 e:$what MPI_$unlock 9-10 e:${unlock#Win_}:1
1 MPI_Win_lock 0-1 e:exclusive:1 work 1-8 MPI_Win_unlock 8-9 e:unlock:1
END
        waits_are "$what, asked for at $begin" "$([ $begin = 8 ] || echo "lane 0 2-8: lock contention in MPI_$lock, cause 1")"
    done
done <<'END'
exclusive:1 Win_lock Win_unlock
shared:1 Win_lock Win_unlock
lock_all: Win_lock_all Win_unlock_all
END
tiny 2 <<'END'
0 MPI_Win_lock 0-1 e:exclusive:1 work 1-2 MPI_Win_flush 2-9 t:1 MPI_Win_unlock 9-10 e:unlock:1
1 MPI_Win_lock_all 0-1 e:lock_all: work 1-8 MPI_Win_unlock_all 8-9 e:unlock_all:
END
waits_are "a flush waits for the end of a lock of all" "lane 0 2-8: lock contention in MPI_Win_flush, cause 1"
tiny 2 <<'END'
0 MPI_Win_lock 0-1 e:shared:1 work 1-2 MPI_Win_flush 2-9 t:1 MPI_Win_unlock 9-10 e:unlock:1
1 MPI_Win_lock_all 0-1 e:lock_all: work 1-8 MPI_Win_unlock_all 8-9 e:unlock_all:
END
waits_are "two shared locks" "lane 0 2-8: wait for progress in MPI_Win_flush, cause 1"
like "$(pith analyze "row$rows.txt" --json)" '"text":"Rank 1 computes `work` 7.0 times as long as the others: [0-9]+ % of the run is lost.","kind":"imbalance"' \
    "whose answer is that it has more to do"
like "$(pith analyze "row$rows.txt")" '^ +rank 1 computes meanwhile, without calling MPI$' "and the finding names the rank"
like "$(pith analyze "row$rows.txt")" '^ +try: call MPI_Test now and then while it computes' "and what to do"
tiny 3 <<'END'
0 MPI_Win_lock 0-1 e:exclusive:0 work 1-5 MPI_Win_unlock 5-6 e:unlock:0
1 MPI_Win_lock 0-6 e:shared:0 MPI_Win_unlock 7-8 e:unlock:0
2 MPI_Win_lock 0-6 e:shared:0 work 6-8 MPI_Win_unlock 8-9 e:unlock:0
END
waits_are "two shared locks behind an exclusive one" "lane 1 0-5: lock contention in MPI_Win_lock, cause 0
lane 2 0-5: lock contention in MPI_Win_lock, cause 0"
tiny 2 <<'END'
0 work 0-2 MPI_Win_lock 2-6 e:exclusive:1 work 6-7 MPI_Win_unlock 7-8 e:unlock:1 work 8-20
1 MPI_Win_lock 0-1 e:exclusive:1 work 1-5 MPI_Win_unlock 5-20 e:unlock:1
END
waits_are "a rank loses its processor while it unlocks" "lane 0 2-5: lock contention in MPI_Win_lock, cause 1"
tiny 2 <<'END'
0 work 0-9 MPI_Win_lock 9-10 e:exclusive:1 MPI_Win_unlock 10-11 e:unlock:1 work 11-20
1 MPI_Win_lock_all 0-1 e:lock_all: work 1-5 MPI_Win_unlock_all 5-20 e:unlock_all:
END
waits_are "an unlock that began before the other asked" ""
tiny 2 <<'END'
0 work 0-9 MPI_Win_lock 9-10 e:exclusive:1 MPI_Win_unlock 10-21 e:unlock:1
1 MPI_Win_lock_all 0-1 e:lock_all: work 1-5 MPI_Win_unlock_all 5-20 e:unlock_all:
END
waits_are "and ended before the other's" ""
tiny 2 <<'END'
0 MPI_Win_lock 0-1 e:exclusive:1 work 1-4 MPI_Recv 4-6 <1 MPI_Win_unlock 7-8 e:unlock:1
1 MPI_Win_lock 0-1 e:exclusive:1 MPI_Send 2-3 >0 work 3-5 MPI_Win_unlock 5-6 e:unlock:1
END
waits_are "a receive does not wait for a lock" ""
for call in Win_lock Win_flush Fetch_and_op; do
    for served in 7-9 1-3; do
        tiny 2 <<END
0 work 0-2 MPI_$call 2-8 t:1 work 8-12
1 work 0-1 MPI_Iprobe $served MPI_Iprobe 10-12
END
        waits_are "MPI_$call, target in MPI $served" \
            "$([ $served = 1-3 ] || echo "lane 0 2-7: wait for progress in MPI_$call, cause 1")"
    done
done
tiny 2 <<'END'
0 work 0-2 MPI_Win_flush 2-9 t:1 work 9-12
1 work 0-1 MPI_Comm_rank 1-3 work 3-4 MPI_Comm_rank 4-5 work 5-7 MPI_Iprobe 7-8 work 8-12
END
waits_are "calls that serve nobody" "lane 0 2-7: wait for progress in MPI_Win_flush, cause 1"
tiny 3 <<'END'
0 MPI_Win_lock_all 0-9 e:lock_all: MPI_Put 9-10 t:2 MPI_Win_flush_all 10-20 e:flush_all: MPI_Win_unlock_all 20-21 e:unlock_all:
1 work 0-5 MPI_Iprobe 5-6 work 6-18 MPI_Iprobe 18-19 work 19-21
2 work 0-7 MPI_Iprobe 7-8 work 8-15 MPI_Iprobe 15-16 work 16-21
END
waits_are "a lock of all waits for all, a flush of all for the accessed rank" "lane 0 0-7: wait for progress in MPI_Win_lock_all, cause 2
lane 0 10-15: wait for progress in MPI_Win_flush_all, cause 2"
tiny 3 <<'END'
0 MPI_Put 0-1 t:1 MPI_Win_unlock 1-2 e:unlock:1 MPI_Win_lock_all 2-3 e:lock_all: MPI_Put 3-4 t:2 MPI_Win_unlock_all 4-12 e:unlock_all:
1 work 0-11 MPI_Iprobe 11-12
2 work 0-8 MPI_Iprobe 8-9 work 9-12
END
waits_are "an end of a lock of all, after an access that was unlocked" "lane 0 4-8: wait for progress in MPI_Win_unlock_all, cause 2"

all_waits_are

# ---- Beyond the textbook ---------------------------------------------------------------------------------------------
# Wait states of the logs from here on are compared with the oracle that has all rules.
rows=0
rm -f row*
for end in 62 80; do
    tiny 4 <<END
0 work 0-5 MPI_Bcast 5-6 c0@0 work 6-80
1 work 0-10 MPI_Bcast 10-11 c0@0 work 11-80
2 work 0-60 MPI_Bcast 60-61 c0@0 work 61-80
3 work 0-10 MPI_Bcast 10-$end c0@0 work $end-90
END
    waits_are "a broadcast handed on by rank 2, which ends at $end" \
        "$([ $end = 80 ] || echo "lane 3 10-60: late inner rank in MPI_Bcast, cause 2")"
done
tiny 4 <<'END'
0 work 0-5 MPI_Bcast 5-6 c0@0 MPI_Bcast 80-81 c0@0
1 work 0-10 MPI_Bcast 10-11 c0@0 MPI_Bcast 80-81 c0@0
2 work 0-60 MPI_Bcast 60-61 c0@0 MPI_Bcast 90-91 c0@0
3 work 0-10 MPI_Bcast 10-62 c0@0 MPI_Bcast 80-81 c0@0
END
waits_are "another time, rank 3 did not wait for rank 2" ""
tiny 4 <<'END'
0 work 0-5 MPI_Bcast 5-6 c0@0 MPI_Bcast 105-106 c0@0
1 work 0-60 MPI_Bcast 60-61 c0@0 MPI_Bcast 160-161 c0@0
2 work 0-10 MPI_Bcast 10-62 c0@0 MPI_Bcast 110-162 c0@0
3 work 0-10 MPI_Bcast 10-11 c0@0 MPI_Bcast 110-111 c0@0
END
waits_are "a tree that two broadcasts show" "lane 2 10-60: late inner rank in MPI_Bcast, cause 1
lane 2 110-160: late inner rank in MPI_Bcast, cause 1"
tiny 4 <<'END'
0 work 0-20 MPI_Bcast 20-21 c0@0 work 21-62
1 work 0-10 MPI_Bcast 10-21 c0@0 work 21-62
2 work 0-60 MPI_Bcast 60-61 c0@0 work 61-62
3 work 0-10 MPI_Bcast 10-62 c0@0
END
waits_are "a late root, then a late inner rank" "lane 1 10-20: late broadcast in MPI_Bcast, cause 0
lane 3 10-20: late broadcast in MPI_Bcast, cause 0
lane 3 20-60: late inner rank in MPI_Bcast, cause 2"
tiny 4 <<'END'
0 work 0-5 MPI_Reduce 5-63 c0@0
1 work 0-10 MPI_Reduce 10-11 c0@0 work 11-63
2 work 0-10 MPI_Reduce 10-62 c0@0 work 62-63
3 work 0-60 MPI_Reduce 60-61 c0@0 work 61-63
END
waits_are "a reduction through rank 2" "lane 0 5-60: early reduce in MPI_Reduce, cause 3
lane 2 10-60: late inner rank in MPI_Reduce, cause 3"
for end in 42 15 60; do
    tiny 2 "$large" <<END
0 work 0-10 MPI_Send 10-$end >1:5000 work $end-60
1 MPI_Irecv 0-1 work 1-40 MPI_Wait 40-43 <0 work 43-60
END
    waits_are "a posted receiver that computes to 40, a send that ends at $end" \
        "$([ $end != 42 ] || echo "lane 0 10-40: wait for progress in MPI_Send, cause 1")"
done
tiny 2 "$large" <<'END'
0 work 0-20 MPI_Isend 20-21 >1:5000 work 21-50 MPI_Wait 50-52
1 work 0-10 MPI_Recv 10-53 <0
END
waits_are "a sender that computes after MPI_Isend" "lane 1 10-20: late sender in MPI_Recv, cause 0
lane 1 20-50: wait for progress in MPI_Recv, cause 0"
tiny 4 <<'END'
0 MPI_Ibcast 0-1 c0@0 s0 work 1-10 MPI_Wait 10-11 f0 work 11-42
1 MPI_Ibcast 0-1 c0@0 s0 work 1-10 MPI_Wait 10-11 f0 work 11-42
2 MPI_Ibcast 0-1 c0@0 s0 work 1-40 MPI_Wait 40-41 f0 work 41-42
3 MPI_Ibcast 0-1 c0@0 s0 work 1-10 MPI_Wait 10-42 f0
END
waits_are "a nonblocking broadcast, and a rank that computes" "lane 3 10-40: wait for progress in MPI_Wait, cause 2"
for between in usleep work; do
    while read -r call post found rest; do
        tiny 2 <<END
0 $post 0-1 work 1-11 MPI_$call 11-12 $between 12-22 MPI_$call 22-23 $between 23-33 MPI_$call 33-34 $found work 34-50 $rest
1 work 0-30 MPI_Send 30-31 >0 work 31-51
END
        waits_are "MPI_$call with $between between" "$([ $between = work ] || echo "lane 0 11-30: polling in MPI_$call, cause 1
lane 0 30-34: late notice in MPI_$call, cause 0")"
    done <<'END'
Test MPI_Irecv <1
Iprobe work p:1 MPI_Recv 50-51 <1
END
done
tiny 2 <<'END'
0 MPI_Irecv 0-1 work 1-21 MPI_Test 21-22 work 22-23 MPI_Test 23-24 work 24-25 MPI_Test 25-26 <1 work 26-46
1 work 0-24 MPI_Send 24-25 >0 work 25-46
END
waits_are "MPI_Test with little work between" "lane 0 21-24: polling in MPI_Test, cause 1
lane 0 24-26: late notice in MPI_Test, cause 0"
tiny 4 <<'END'
0 MPI_Cart_create 0-1 c0 work 1-30 MPI_Neighbor_alltoall 30-31 n:1 c0 work 31-32
1 MPI_Cart_create 0-1 c0 work 1-10 MPI_Neighbor_alltoall 10-32 n:0,2 c0
2 MPI_Cart_create 0-1 c0 work 1-10 MPI_Neighbor_alltoall 10-11 n:1 n:3 c0 work 11-32
3 MPI_Cart_create 0-1 c0 work 1-10 MPI_Neighbor_alltoall 10-11 n:2 c0 work 11-32
END
waits_are "a collective among neighbours" "lane 1 10-30: wait at N x N in MPI_Neighbor_alltoall, cause 0"
if [ "${ORACLE_RULES:-}" ]; then all_waits_are; else ORACLE_RULES=all all_waits_are txt; fi

# Random programs: every wait state, useful time, path and delay, and the sums.
seeds=1-$(quick_or_full 250 1000)
[ -z "$(sanitizers)" ] || [ "${FULL:-}" ] || seeds=1-150
seeds=${SEEDS:-$seeds}
first=${seeds%-*} last=${seeds#*-}
python3 "$here/random_log.py" "$first" "$last"
for ((seed = first; seed <= last; seed++)); do pith analyze "$seed.txt" --json --waits >"$seed.json"; done
for ((seed = first; seed <= last; seed += 5)); do
    pith analyze "$seed.txt" --json --what-if balanced >"$seed.balanced" 2>said || rm "$seed.balanced"
done
for ((seed = first; seed <= last; seed += 2)); do
    awk -F'\t' -v OFS='\t' '!/^#/ { $1 = sprintf("%.9f", $1 * 2000) } 1' "$seed.txt" >"$seed.slow.txt"
    pith analyze "$seed.slow.txt" --json --waits >"$seed.slow.json" 2>said
done
python3 "$here/oracle.py" orders "$first" "$last" >orders
ok $? "the order of late senders in random logs $seeds" || sed 's/^/#   /' orders
python3 "$here/oracle.py" compare "$first" "$last" >differences
ok $? "random logs $seeds" || sed 's/^/#   /' differences
finish
