#!/usr/bin/env bash
# No name in a log reaches a terminal as a command: whatever stands in states, events, counters, communicators, lanes, hosts,
# properties and payloads, all text that commands print, and the text formats, are free of control characters; from a
# native log and from each format that can be read back. File names and errors, too.
. "$(dirname "$0")/../lib.sh"
make_golden=$build/test/golden/make_golden
# harmless WHAT FILE...
harmless() {
    local what=$1 found; shift
    found=$(python3 "$top/test/golden/harmless.py" "$@" 2>&1)
    is "$?:$found" "0:" "$what"
}
# every LOG NAME: all that commands print of it.
every() {
    local log=$1 options n=0
    rm -f said.*
    for options in print "print --csv" "print --json" "print --from 0.001" info "info --json" stat "stat --by lane" "stat --by comm" \
        "stat --by size" "stat --csv" "stat --json" "stat --by lane --json" "check" "diff"; do
        n=$((n + 1))
        # shellcheck disable=SC2086
        timeout 60 pith $options "$log" $([ "$options" != diff ] || echo "$log") >said.$n.out 2>said.$n.err
    done
    [ -s said.1.out ] && [ "$(grep -c 'ENTER\|enter' said.1.out)" -gt 0 ]
    ok $? "$2: is printed" || head -n 3 said.1.err
    harmless "$2: nothing that a terminal obeys in what commands say" said.*
}
"$make_golden" names evil.pith
like "$(pith print evil.pith)" $'state\tname=state \\\\x1b\\]0;title\\\\x07.*\\\\xc2?\\\\x9b' "names are told with escapes"
every evil.pith native
while read -r name can suffix _; do
    case $can in *writ*) ;; *) continue ;; esac
    case $name in native) continue ;; esac
    file=evil.${suffix%/}
    pith convert evil.pith "$file" --format "$name" >said.convert 2>&1
    ok $? "$name: is written" || { cat said.convert; continue; }
    harmless "$name: nothing in what convert says" said.convert
    case $can in read*) every "$file" "$name" ;; esac
    [ -d "$file" ] || ! python3 -c 'import sys; sys.exit(b"\0" in open(sys.argv[1], "rb").read())' "$file" || {
        [ "$name" = perfetto ] || harmless "$name: nothing in the file" "$file"; }
done < <(pith help formats | grep -E '^[a-z0-9]+ +(read|writ)')

# Files of others, and their errors.
evil=$'\x1b]0;title\x07\x1b[31m\x7f\xc2\x9b5m\x9b6m'
printf -- '-1 0 0 0 0 0 %s\n-3 0 0 1 0 0\n-9 0 0 1 0 0 %s\n-13 0 5 6 0 0 red:%s %s\n-15 0 0 0 0 0 %s\n1 0 0 1 0 1 %s\n5 0 0 0 0 2\n6 0 0 0 0 3\n' \
    "$evil" "$evil" "$evil" "$evil" "$evil" "$evil" >made.alog
every made.alog "ALOG of others"
python3 - "$evil" "$top/test/golden" <<'P'
import os, subprocess, sys
evil = os.fsencode(sys.argv[1])
def patch(name, old, new):
    data = open(name, "rb").read()
    at = data.index(old)
    open(name, "wb").write(data[:at] + new + data[at + len(new):])
subprocess.check_call(["python3", sys.argv[2] + "/clog1_make.py", "1024", "big", "made.clog"])
patch("made.clog", b"MPI_ANY_SOURCE", evil[:14])
patch("made.clog", b"compute\0\0\0", evil[9:18])
patch("made.clog", b"fifteen letters", evil[-14:])
subprocess.check_call(["python3", sys.argv[2] + "/clog2_make.py", "merged", "made.clog2"])
patch("made.clog2", b"MPI_ANY_SOURCE", evil)
patch("made.clog2", b"compute\0", evil)
patch("made.clog2", b"node1", evil[:15])
patch("made.clog2", b"hello", evil[-5:])
P
every made.clog "CLOG-1 of others"
every made.clog2 "CLOG-2 of others"
printf '# property\tkey=clock_error_ns\tvalue=\\x1b[2J\n# time_s\trank\tthread\tkind\tname\tkey=value...\n0.1\t0\t0\tenter\tMPI_Send\n0.2\t0\t0\tsend\tw\tcomm=0\tpeer=1\ttag=1\tbytes=1\n0.3\t0\t0\tleave\tMPI_Send\n0.1\t1\t0\tenter\tMPI_Recv\n0.4\t1\t0\trecv\tw\tcomm=0\tpeer=0\ttag=1\tbytes=1\tposted=0\n0.5\t1\t0\tleave\tMPI_Recv\n' >error.txt
pith analyze error.txt >said.error 2>&1
is "$(grep -ac 'Clock error: .x1b.2J' said.error)" 1 "analyze: a property of the log as the clock's error" || cat said.error
i=0
for line in "23 0 5 0 $evil" "$evil clock 0 5 node 0" "-3 0 0 $evil" $'1.0\t0\t0\t'"$evil"$'\tx' "$evil" "{\"$evil\": 1}" "CLOG-02.$evil"; do
    i=$((i + 1))
    { [ $i -gt 2 ] || printf '1 0 5 0 0 0 0\n'; [ $i != 3 ] || printf -- '-1 0 0 0 0 0 x\n'
      [ $i != 4 ] || printf '# time_s\trank\tthread\tkind\tname\tkey=value...\n'; printf '%s\n' "$line"; } >"bad$evil.$i"
    for command in print info check; do pith $command "bad$evil.$i" >"said.bad.$i.$command" 2>&1; done
done
pith convert "bad$evil.1" "out$evil.pith" >said.bad.8 2>&1
pith print "no such $evil" >said.bad.9 2>&1
pith "$evil" >said.bad.10 2>&1
pith print --state "$evil" --lane "$evil" evil.pith >said.bad.11 2>&1
is "$(cat said.bad.[0-9]* | grep -ac '^pith: ')" "$(cat said.bad.[0-9]* | wc -l)" "errors: a line each"
harmless "errors, with names of files" said.bad.*
finish
