#!/usr/bin/env bash
# pith convert --causal: times that contradict cause and effect are mended, others are not touched.
. "$(dirname "$0")/../lib.sh"
here=$top/test/cli

# mend NAME: NAME.txt as a log, mended, and dumped again
mend() {
    pith convert "$1.txt" "$1.pith" && pith convert --causal "$1.pith" "$1.new.pith" 2>said && pith print "$1.pith" >"$1.old" && pith print "$1.new.pith" >"$1.new"
}

for case in "4 60" "1 20" "2 100" "64 10" "4 60 coarse" "3 50 coarse"; do
    # shellcheck disable=SC2086
    python3 "$here/causal_log.py" $case >good.txt
    mend good; ok $? "$case: a good log is read and written"
    is "$(cat said)" "pith: note: no time was moved" "nothing to be said"
    pith convert good.pith plain.pith; cmp -s plain.pith good.new.pith; ok $? "not a byte is changed"
    [ "$case" != "1 20" ] || continue
    for skew in "1=-3000,0" "1=5000,-300" "1=-1000000,20 0=300,5" "1=-40000,100 0=30000,-80"; do
        # shellcheck disable=SC2086
        python3 "$here/skew.py" $skew <good.txt >bad.txt
        mend bad; ok $? "$case, skew $skew"
        like "$(python3 "$here/causal_check.py" bad.old)" 'backwards [0-9]*[1-9]' "it is backwards before"
        python3 "$here/causal_check.py" bad.new bad.old >got
        like "$(head -n 1 got)" "^backwards 0 early 0 of [0-9]*[1-9]" "nothing is, after"
        is "$(sed -n 2p got)" "order kept" "each rank's records are as they were, in their order" || { diff <(cut -f 2- bad.old) <(cut -f 2- bad.new) | head -n 5; }
        awk '/^intervals/ { exit !($2 > 0.989) }' got; ok $? "no interval is cut short: $(sed -n 3p got)"
        like "$(cat said)" 'note: [0-9]+ messages and [0-9]+ collectives were backwards; times moved by up to [0-9]+ ns' "what was done is said"
        pith check bad.new.pith >out 2>&1; ok $? "pith check" || cat out
        pith convert --causal bad.new.pith again.pith 2>said; is "$(cat said)" "pith: note: no time was moved" "once is enough"
    done
done

like "$(pith info bad.new.pith)" '^causal: [0-9]+ messages' "pith info tells"
pith convert --causal bad.pith bad.csv 2>/dev/null && ok "$([ "$(wc -l <bad.csv)" -gt 500 ]; echo $?)" "into another format"
pith convert --causal bad.pith part.pith --from 10us --to 90us 2>/dev/null; ok $? "a window of it"
ok "$(pith print part.pith | awk -F '\t' '!/^#/ && ($1 < 0.00001 || $1 > 0.00009)' | wc -l)" "the window is one of mended times"

# A ring of matches that cannot be: each sends after it got what the other sends after that.
printf '%s\n' $'0.000001000\t0\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=1\tbytes=8\tposted=0' \
    $'0.000002000\t0\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=1\ttag=1\tbytes=8' \
    $'0.000001000\t1\t0\trecv\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=1\tbytes=8\tposted=0' \
    $'0.000002000\t1\t0\tsend\tMPI_COMM_WORLD\tcomm=0\tpeer=0\ttag=1\tbytes=8' | sort -s -k 1,1 >ring.txt
timeout 60 pith convert --causal ring.txt ring.pith 2>said; is $? 0 "matches in a ring: it ends"
like "$(cat said)" '1 not mended' "and says so"

: >empty.txt; pith print plain.pith | grep '^#' >empty.txt
pith convert --causal empty.txt empty.pith 2>said; is $? 0 "no records"
for size in 20 200; do
    mkdir -p full && if mount -t tmpfs -o size=${size}k tmpfs full 2>/dev/null; then
        TMPDIR=$PWD/full pith convert --causal bad.pith small.pith >/dev/null 2>said; status=$?
        like "$status $(cat said)" '^(0|1 pith: )' "a temporary folder of $size KiB: it works or says why"
        ok "$([ $status = 0 ] || ! [ -e small.pith ]; echo $?)" "and leaves no half of a log"; rm -f small.pith
        umount full
    else skip "a full disk" "no mount"; fi
done
# Persistent collectives, started in another order in each rank, and those of two groups; blocking barriers taken for others.
for program in persistent between; do
    python3 "$here/compensate_sim.py" make $program 0 7 | sed 's/\(name=\|\t\)MPI_Barrier\($\|\t\)/\1MPI_Neighbor\2/' >$program.txt
    pith convert --causal $program.txt same.pith 2>said
    is "$(cat said)" "pith: note: no time was moved" "$program: nothing is early"
    python3 "$here/skew.py" 1=-1000000000,0 <$program.txt >wrong.txt
    pith convert --causal wrong.txt mended.pith 2>said && pith print mended.pith >mended.txt
    like "$(cat said)" ' 0 messages and [1-9][0-9]* collectives were backwards' "$program: a rank is 1 s early: mended"
    pith convert --causal mended.txt same.pith 2>said
    is "$(cat said)" "pith: note: no time was moved" "$program: then nothing is"
done
finish
