#!/usr/bin/env bash
# pith convert: by suffix and by name, windows, standard output, and nothing left behind when it fails.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" big 200000 big.pith
ok $? "logs made"

pith convert small.pith a.txt && cmp -s <(grep -vx '# the last line is "# end"\|# end' a.txt) <(pith print small.pith)
ok $? "to .txt: what print prints"
is "$(tail -n 1 a.txt)" "# end" "and a last line, which the head promises"
pith convert small.pith a.csv 2>err && cmp -s a.csv <(pith print --csv small.pith)
ok $? "to .csv: what print --csv prints"
is "$(cat err)" "pith: note: 1 groups of states, events and counters are left out
pith: note: 3 colours are left out
pith: note: 1 formats of payloads are left out
pith: note: 1 units of counters are left out
pith: note: 2 names of lanes are left out
pith: note: 3 lanes: their hosts are left out
pith: note: 1 communicators: their names and members are left out
pith: note: 2 properties of the run are left out" "what csv cannot hold is said"
pith convert small.pith a.json && cmp -s a.json <(pith print --json small.pith)
ok $? "to .json: what print --json prints"
pith convert small.pith noname --format json && cmp -s a.json noname
ok $? "--format for a name without suffix"
pith convert small.pith - | cmp -s - a.txt
ok $? "- is standard output, as text"
pith convert --format JSON small.pith - | cmp -s - a.json
ok $? "- with a format, whose name may be in capitals"
is "$(pith convert small.pith - --format csv --from 8ms --to 9ms 2>/dev/null | cut -d, -f1,4)" "time_s,kind
0.008000000,leave
0.008500000,lost
0.009000000,leave
0.009000000,enter" "a window"
pith convert small.pith copy.pith
is "$? $(pith print copy.pith | md5sum)" "0 $(pith print small.pith | md5sum)" "native to native: the same records"
pith convert big.pith part.pith --from 10ms --to 20ms
is "$? $(pith print part.pith | grep -v '^#' | awk '$1 != "0.010000000" && $1 != "0.020000000"' | md5sum)" \
    "0 $(pith print big.pith --from 10ms --to 20ms | grep -v '^#' | md5sum)" "a window of a native log: the records in it"
is "$(pith stat --csv part.pith | cut -d, -f2 | sort | uniq -c | tr -s ' \n' ' ')" " 1 computing 1 kind 20 state " "and the states that its edges cut, closed"
pith convert copy.pith copy.pith
is "$? $(pith print copy.pith | md5sum)" "0 $(pith print small.pith | md5sum)" "onto itself"

# ---- A call ends when its message is received. The receive comes before the end, or it would be another call's.
printf '%b\n' '1\t0\t0\tenter\tMPI_Sendrecv' '1\t0\t0\tsend\t\tpeer=1\ttag=3\tbytes=8' '1\t1\t0\tenter\tMPI_Recv' \
    '2\t0\t0\tleave\tMPI_Sendrecv' '2\t1\t0\trecv\t\tpeer=0\ttag=3\tbytes=8' '2\t1\t0\tleave\tMPI_Recv' \
    '2\t1\t0\tenter\tMPI_Send' '2\t1\t0\tsend\t\tpeer=0\ttag=4\tbytes=8' '3\t1\t0\tleave\tMPI_Send' \
    '3\t0\t0\tenter\tMPI_Recv' '4\t0\t0\trecv\t\tpeer=1\ttag=4\tbytes=8' '4\t0\t0\tleave\tMPI_Recv' >order.txt
order() { pith print "$1" 2>/dev/null | awk -F'\t' '!/^#/ && $2 == 1 { print $4 }' | tr '\n' ' '; }
for suffix in alog clog2 slog2 prv trace.json paje trf; do
    pith convert order.txt order.$suffix 2>/dev/null
    is "$(order order.$suffix)" "enter recv leave enter send leave " "$suffix: a receive ends its call"
done

# ---- failures leave nothing
fails() { # STATUS MESSAGE WHAT COMMAND...
    local status=$1 message=$2 what=$3; shift 3
    "$@" 2>err >/dev/null
    is "$? $(grep -v ' note: ' err)" "$status $message" "$what"
}
mkdir folder
fails 1 "pith: folder: is a directory; give the name of a file" "onto a directory" pith convert small.pith folder --format text
fails 1 "pith: none/a.txt: cannot write: the folder none does not exist; make it first" "into a folder that is not there" pith convert small.pith none/a.txt
fails 2 "pith: convert: a.xyz: no format has this suffix; give --format NAME; see \`pith help convert\`" "an unknown suffix" pith convert small.pith a.xyz
fails 2 "pith: convert: no such format: xyz; \`pith help formats\` lists them; see \`pith help convert\`" "an unknown format" pith convert small.pith a --format xyz
fails 1 "pith: standard output: cannot hold the format native; give a file name" "a binary format to standard output" pith convert small.pith - --format native
fails 1 "pith: /dev/full: cannot write: No space left on device" "onto a full device" pith convert small.pith /dev/full --format text
[ -c /dev/full ]
ok $? "the device is still there"
pith convert small.pith /dev/null --format text && [ -c /dev/null ]
ok $? "/dev/null is written, not replaced"
echo old >keep.txt
chmod 500 folder
as_user=()
if [ "$(id -u)" = 0 ]; then # root may write everywhere: somebody else, with a copy of pith, for the build tree may be closed
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups env "PATH=$PWD/copy:$PATH")
    mkdir copy && cp "$build/bin/pith" copy && chmod 755 .. . copy
fi
fails 1 "pith: folder/a.txt: cannot write: Permission denied; no file can be made in the folder folder; choose another place" "a folder without permission" "${as_user[@]}" pith convert small.pith folder/a.txt
mkdir small_disk
if mount -t tmpfs -o size=64k none small_disk 2>/dev/null; then
    echo old >small_disk/big.txt
    for out in big.txt big.csv big.pith; do
        fails 1 "pith: small_disk/$out: cannot write: No space left on device" "a full disk: $out" pith convert big.pith small_disk/$out
    done
    is "$(ls small_disk) $(cat small_disk/big.txt)" "big.txt old" "nothing is left behind, and the old file is as it was"
    umount small_disk
else
    skip "a full disk" "cannot mount a small file system here"
fi

# A signal takes the unfinished file away.
"$make_log" big 3000000 huge.pith
pith convert huge.pith slow.txt & pid=$!
for ((i = 0; i < 6000; i++)); do [ -s slow.txt.part ] && break; sleep 0.01; done
[ -s slow.txt.part ]
ok $? "while it is written the file has another name"
kill -TERM $pid; wait $pid 2>/dev/null
is "$? $(ls slow.txt* 2>&1)" "143 ls: cannot access 'slow.txt*': No such file or directory" "a killed run leaves no file"

# CLOG-2 as MPE writes it: a receive that a call like MPI_Wait completes lies in MPE_Irecv_waited, one of MPI_Recv does not.
# Our reader leaves that state out.
record() { printf '%s\t%s\t0\t%s\n' "$1" "$2" "$3"; }
{
    record 0.1 0 $'enter\tMPI_Wait'; record 0.2 0 $'recv\tmessage\tpeer=1\ttag=1\tbytes=8'; record 0.3 0 $'leave\tMPI_Wait'
    record 0.4 0 $'enter\tMPI_Recv'; record 0.5 0 $'recv\tmessage\tpeer=1\ttag=2\tbytes=8'; record 0.6 0 $'leave\tMPI_Recv'
    record 0.1 1 $'send\tmessage\tpeer=0\ttag=1\tbytes=8'; record 0.2 1 $'send\tmessage\tpeer=0\ttag=2\tbytes=8'
} >waited.txt
pith convert waited.txt waited.clog2 2>/dev/null
python3 "$top/test/golden/clog2_dump.py" waited.clog2 >waited.dump
is "$(grep -c 'sdef state=251 .*MPE_Irecv_waited' waited.dump) $(grep -A 2 'bare et=502' waited.dump | sed 's/.* \(bare\|msg\) //; s/ icomm.*tag/ tag/' | tr '\n' ' ')" "1 et=502 et=recv tag=1 sz=8 et=503 " "CLOG-2: MPE_Irecv_waited around the receive that MPI_Wait completes"
is "$(pith print waited.clog2 | grep -v '^#')" "$(pith print waited.txt | grep -v '^#')" "CLOG-2: reading leaves it out again"

# A damaged block: each format gives its message, and no file. No losses are counted of what was not written.
cp big.pith hurt.pith
printf 'damage damage damage' | dd of=hurt.pith bs=1 seek=$(($(stat -c %s hurt.pith) / 2)) conv=notrunc status=none
for suffix in pith clog2 slog2 alog trf prv pftrace trace.json paje txt csv json; do
    pith convert hurt.pith "hurt.$suffix.$suffix" 2>err
    like "$?:$(joined "$(cat err)"):$(ls "hurt.$suffix.$suffix" 2>/dev/null)" \
        '^1:pith: hurt.pith: byte [0-9]+: a block of rank [0-9]+ is damaged: [^|]*:$' "of a damaged log to .$suffix"
done
finish
