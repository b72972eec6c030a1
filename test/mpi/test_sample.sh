#!/usr/bin/env bash
# Samples: the functions of a program with a known split of its CPU time, and programs that make sampling hard.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/real.sh"

# share CSV FUNCTION: its self time in percent of that of half_work, third_work and fifth_work.
share() {
    awk -F, -v f="$2" '{ sub("_$", "", $1) } $1 ~ /^(half|third|fifth)_work$/ { sum += $2 } $1 == f { own += $2 }
        END { printf "%d\n", (sum > 0 ? 100 * own / sum + 0.5 : -1) }' "$1"
}
# about GOT WANTED WHAT: in percent; may be wrong by 4 times the spread that pith stat gives for half_work.
about() {
    local most
    most=$(awk -F, '$1 == "half_work" { print int(400 * $4 + 1) }' 4.csv)
    ok $((!($1 >= $2 - most && $1 <= $2 + most && most < 25))) "$3" || echo "#   got $1 %, wanted $2 % +- $most"
}

# A build without libdw has no names.
names=yes

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    flags="-g -O2 -fomit-frame-pointer"
    # shellcheck disable=SC2086
    "mpicc.$mpi" $flags -o sampled "$top/test/mpi/sampled.c" -lpthread
    ok $? "$mpi: sampled compiles" || continue

    for n in 1 2 4; do
        mpiexec_of "$mpi" $n pith run --sample=1 -o $n.pith ./sampled 0.3 >out 2>err
        is "$? $(cat out)" "0 sampled: $n ranks, well" "$mpi, $n ranks: status and output are the program's"
        pith check $n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
        is "$(pith print $n.pith | awk -F'\t' '$5 == "pith:sample" { print $2 "." $3 }' | sort -u | cut -d. -f1 | uniq -c | awk '$1 >= 2' | wc -l)" \
            $n "$mpi, $n ranks: every rank has samples of two threads"
    done
    pith stat 4.pith --by function --csv >4.csv 2>names.err
    if grep -q 'without libdw' names.err; then
        names=
        skip "$mpi: names of functions" "built without libdw"
    else
        about "$(share 4.csv half_work)" 50 "$mpi: half_work has half of the time"
        about "$(share 4.csv third_work)" 30 "$mpi: third_work has 3 tenths"
        about "$(share 4.csv fifth_work)" 20 "$mpi: fifth_work has a fifth"
        like "$(grep ^half_work, 4.csv)" ',sampled\.c:[0-9]+,/.*/sampled$' "$mpi: where it begins"
        pith stat 4.pith --folded >folded
        like "$(cat folded)" '^main;compute;.*half_work [0-9]+$' "$mpi: the path from main"
        like "$(cat folded)" '^second;compute;.*half_work [0-9]+$' "$mpi: the path of the thread"
        is "$(grep -cE 'pithi_|(\[[^;]*\]);\1|;P?(MPI_[^;]*);P?\2[; ]' folded)" 0 "$mpi: no frame of the recorder, none twice" || grep -m 3 pithi_ folded
        like "$(cat folded)" '^main;MPI_(Init_thread|Finalize) [0-9]+$' "$mpi: but MPI calls, without what is inside them"
        like "$(pith stat 4.pith --folded --all-frames)" ';main;MPI_(Init_thread|Finalize);' "$mpi: --all-frames"
        # The tree: numbers first; each function two columns right of its caller.
        like "$(joined "$(pith stat 4.pith --by callpath | sed -E '1d; s/^.* [0-9]+  ( *[^ ]+)$/\1/')")" \
            '(^|[|])main[|]  compute[|]    step[|]      half_work[|]' "$mpi: --by callpath"
        is "$(pith stat 4.pith --by callpath --csv | awk -F, '$1 ~ /^main;compute;step;half_work$/' | wc -l)" 1 "$mpi: --by callpath --csv: the whole path"
        is "$(pith stat 4.pith --by function | awk 'NR > 1 { print $NF }' | sort)" "$(sed 1d 4.csv | cut -d, -f1 | sort)" "$mpi: --by function: names are last"
        # Lines: those of the three functions have their time; the line that calls has it in its total.
        pith stat 4.pith --by line --json >lines
        python3 - "$top/test/mpi/sampled.c" <<'EOF'
import csv, json, sys
source = open(sys.argv[1]).read().split("\n")
want = {r["function"]: float(r["self_s"]) for r in csv.DictReader(open("4.csv"))}
lines = json.load(open("lines"))
for name in "half_work", "third_work", "fifth_work":
    got = sum(l["self_s"] for l in lines if l["function"] == name)
    assert abs(got - want[name]) < 1e-6, (name, got, want[name])
for l in lines:
    if l["place"].startswith("sampled.c:"):
        assert l["source"] == source[int(l["place"].split(":")[1]) - 1].strip(), l
call, = [l for l in lines if l["source"] == "x = half_work(x);"]
assert call["function"] == "step" and call["total_s"] >= want["half_work"], (call, want)
assert not any(l["function"].startswith("MPI_") for l in lines), lines
EOF
        ok $? "$mpi: --by line"
        like "$(pith stat 4.pith --by line)" '^ *[0-9.]+ m?s +[0-9.]+ .* sampled\.c:[0-9]+ +WORK\(half_work, 50000\) +half_work$' "$mpi: --by line: with its text"
    fi
    if [ -n "$names" ] && command -v otf2-print >/dev/null && pith convert 4.pith 4.otf2 2>/dev/null; then
        python3 "$top/test/golden/otf2_contexts.py" 4.otf2/traces.otf2 >contexts 2>&1
        is "$? $(awk -F'\t' '$4 == "sample" { n = split($5, f, ";"); print $1, $2, $3, f[n] }' contexts | sort | md5sum)" \
            "0 $(pith print 4.pith | awk -F'\t' '$5 == "pith:sample" { n = split($NF, f, ";"); sub("functions=", "", f[n]); print $1, $2, $3, f[n] }' | sort | md5sum)" \
            "$mpi: OTF2 has each sample with its function" || tail -n 2 contexts
        like "$(cat contexts)" 'sample.*main;compute;.*half_work$' "$mpi: and with its callers"
    else
        skip "$mpi: samples in OTF2" "no names, libotf2 or otf2-print"
    fi
    if [ -n "$names" ]; then
        pith convert 4.pith 4.prv 2>prv.err
        is "$? $(python3 "$top/test/golden/paraver_dump.py" 4.prv | awk -F'\t' '$4 == "stack" { n = split($5, f, ";"); print $1, $2, $3, f[n] }' | sort | md5sum)" \
            "0 $(pith print 4.pith | awk -F'\t' '$5 == "pith:sample" { n = split($NF, f, ";"); sub("functions=", "", f[n]); print $1, $2, $3, f[n] }' | sort | md5sum)" \
            "$mpi: Paraver has each sample with its function" || cat prv.err
        for kind in svg folded speedscope.json pith; do
            pith stat 4.pith --flame flame.$kind >flame.out 2>&1
            ok $? "$mpi: --flame flame.$kind" || cat flame.out
        done
        is "$(pith print flame.pith | awk -F'\t' '$4 == "event" { print $5 ~ /^in / }' | sort | uniq -c | xargs)" \
            "$(pith print 4.pith | awk -F'\t' '$5 ~ /^pith:(sample|site)$/ { print $5 == "pith:site" }' | sort | uniq -c | xargs)" \
            "$mpi: each sample and each call site is in flame.pith"
        for function in half_work third_work fifth_work; do # as many samples as by function
            is "$(pith print flame.pith | awk -F'\t' -v f=$function '$4 == "event" && $5 == f' | wc -l)" \
                "$(awk -F, -v f=$function '$1 == f { print $8 }' 4.csv)" "$mpi: flame.pith: samples in $function"
        done
        is "$(cat flame.folded)" "$(cat folded)" "$mpi: the same paths in a file"
        # The weights of the paths that end in half_work are its self time; so is the sum of the titles of its boxes.
        python3 - "$(awk -F, '$1 == "half_work" { print $2 }' 4.csv)" <<'EOF'
import json, re, sys, xml.etree.ElementTree as tree
want = float(sys.argv[1])
d = json.load(open("flame.speedscope.json"))
profile, = d["profiles"]
frames = [f["name"] for f in d["shared"]["frames"]]
assert profile["endValue"] == sum(profile["weights"]) and len(profile["samples"]) == len(profile["weights"])
got = sum(w for s, w in zip(profile["samples"], profile["weights"]) if frames[s[-1]] == "half_work") / 1e9
assert abs(got - want) < 1e-6, (got, want)
boxes = [g.find("{*}title").text for g in tree.parse("flame.svg").getroot().findall("{*}g")]
got = sum(float(re.search(r"itself (\S+) s", b).group(1)) for b in boxes if b.startswith("half_work "))
assert abs(got - want) < 0.01, (got, want)
EOF
        ok $? "$mpi: the times in the flame graphs"
    fi
    # The CPU time of the samples is that of the threads: 8 threads of 0.3 s, and MPI's own.
    sum=$(awk -F, 'NR > 1 { sum += $2 } END { print int(10 * sum) }' 4.csv)
    ok $((!(sum >= 22))) "$mpi: the samples stand for all CPU time" || echo "#   got $sum tenths of a second"

    # ---- what else programs do -------------------------------------------------------------------------------------
    for how in fork mask signals itimer; do
        mpiexec_of "$mpi" 2 pith run --sample=1 -o $how.pith ./sampled 0.1 $how >out 2>err
        is "$? $(cat out)" "0 sampled: 2 ranks, $(mpiexec_of "$mpi" 2 ./sampled 0.1 $how | sed 's/.*, //')" \
            "$mpi, $how: status and output as without"
        pith check $how.pith >check.out 2>&1
        ok $? "$mpi, $how: the log is good" || cat check.out
    done
    # The time of the recorder is its own, also in libc: here it reads a counter for each record. What it records is not.
    "mpicc.$mpi" -g -O2 -o recorded "$top/test/mpi/recorded.c"
    PITH_COUNTERS=task-clock mpiexec_of "$mpi" 2 pith run --also io --sample=1 -o recorded.pith ./recorded >out 2>err
    is "$? $(cat out)" "0 " "$mpi, recording: runs"
    if [ -n "$names" ]; then
        pith stat recorded.pith --folded >recorded.folded 2>/dev/null
        like "$(cat recorded.folded)" '^main;MPI_Comm_rank;\[recording\] [0-9]{2,}$' "$mpi, recording: is a function of its own"
        is "$(grep -E ';MPI_Comm_rank;|pith' recorded.folded | grep -v ';MPI_Comm_rank;\[recording\] [0-9]*$')" "" "$mpi, recording: has all of libc that it calls"
        like "$(cat recorded.folded)" '^main;read;([^;]*read.*|\[libc.*) [0-9]+$' "$mpi, recording: a read is the program's"
    fi
    # Without a core no function runs: not the outermost one either.
    is_off() {
        rm -f off*.pith
        mpiexec_of "$mpi" 1 pith run --sample=1 -o off.pith ./sampled 0.1 wait >out 2>err
        pith stat off.pith --flame off-flame.pith && pith stat off-flame.pith --csv >off.csv
        awk -F, '$1 == "[no core]" { off = $5 } $1 == "main" { own = $6 } END { exit !(off > 0.4 && own < 0.1) }' off.csv
    }
    if [ -n "$names" ]; then
        quota 1 3 is_off # on a busy machine samples come late
        ok $? "$mpi: the time without a core is no function's ($quota)" || grep -E '^main|no core' off.csv
    fi
    # The wall clock: waiting in the system shows, and is no CPU time. The program says how long it waited.
    mpiexec_of "$mpi" 2 pith run --sample=5ms,wall -o wall.pith ./sampled 0.1 wait >out 2>err
    is "$? $(cat out)" "0 sampled: 2 ranks, well" "$mpi, wall: status and output as without"
    pith check wall.pith >check.out 2>&1
    ok $? "$mpi, wall: the log is good" || cat check.out
    if [ -n "$names" ]; then
        pith stat wall.pith --by function --csv >wall.csv
        ok "$(awk -F, '$1 == "wait_for_pipe" { bad = !($6 > 0.9 && $6 < 3 && $5 < 0.2 * $6) } END { print bad + 0 }' wall.csv)" \
            "$mpi, wall: 2 ranks wait for 0.5 s each, without CPU time" || grep wait_for_pipe wall.csv
    fi
    # The analysis names the function in which a rank computes longer.
    mpiexec_of "$mpi" 2 pith run --sample=1 -o longer.pith ./sampled 0.2 longer >out 2>err
    pith analyze longer.pith >page 2>&1
    ok $? "$mpi: pith analyze" || cat page
    if [ -n "$names" ]; then
        line=$(pith stat longer.pith --by function --csv | awk -F, '$1 == "third_work" { print $9 }')
        like "$(cat page)" "^ +in third_work \\(${line/./\\.}\\), called from refine$" "$mpi: analyze names the function"
        function="third_work ($line), called from refine"
        is "$(pith analyze longer.pith --json | python3 -c 'import json, sys
print([f.get("function") for f in json.load(sys.stdin)["findings"] if f["name"] == "load imbalance"][0])')" "$function" "$mpi: in --json"
        like "$(pith analyze longer.pith --csv)" "^load imbalance,.*,\"${function//[().]/.}\"," "$mpi: in --csv"
        pith analyze longer.pith --html longer.html
        like "$(cat longer.html)" "in ${function//[().]/.}" "$mpi: in the page for a browser"
    fi
    # 10,000 calls deep: the stack is cut, and says so. Handlers on a stack of 64 KiB: the samples in them have all callers.
    mpiexec_of "$mpi" 1 pith run --sample=1 -o deep.pith ./sampled 0.1 deep >out 2>err
    is "$? $(cat out)" "0 sampled: 1 ranks, well" "$mpi, deep: status and output as without"
    mpiexec_of "$mpi" 1 pith run --sample=1 -o handler.pith ./sampled 0.1 handler >out 2>err
    is "$? $(cat out)" "0 sampled: 1 ranks, well" "$mpi, handler: status and output as without"
    if [ -n "$names" ]; then
        like "$(pith stat deep.pith --folded)" '^\[cut\];descend;.*descend;half_work [0-9]+' "$mpi, deep: cut"
        like "$(pith stat handler.pith --folded)" '^main;raise_deeply;.*;work_in_handler;half_work [0-9]+' "$mpi, handler: its callers"
    fi

    # No timers: no samples, and the user is told.
    (ulimit -i 0 && mpiexec_of "$mpi" 1 pith run --sample=1 -o timers.pith ./sampled 0.1 >out 2>err)
    is "$? $(cat out)" "0 sampled: 1 ranks, well" "$mpi, no timers: status and output as without"
    is "$(grep -c '^pith: PITH_SAMPLE: there are no more timers' err)" 1 "$mpi, no timers: it is said, once"

    # Killed: the samples before that are in the recovered log, with names.
    mpiexec_of "$mpi" 1 pith run --sample=1 -o killed.pith ./sampled 0.2 kill >out 2>err
    pith recover killed.pith.spill -o back.pith >recover.out 2>&1
    ok $? "$mpi, kill: pith recover" || cat recover.out
    [ -z "$names" ] || like "$(pith stat back.pith --by function)" ' half_work$' "$mpi, kill: names"

    # Call sites: the lines of the source that have the calls, once for each.
    PITH_CALLSITES=1 mpiexec_of "$mpi" 2 pith run -o sites.pith ./sampled 0.01 >out 2>err
    is "$? $(cat out)" "0 sampled: 2 ranks, well" "$mpi, call sites: status and output as without"
    pith check sites.pith >check.out 2>&1
    ok $? "$mpi, call sites: the log is good" || cat check.out
    if [ -n "$names" ]; then
        is "$(pith stat sites.pith --by callsite --csv | sed 1d | cut -d, -f1,2,6,7 | sort)" \
            "$(for call in MPI_Allreduce MPI_Comm_rank MPI_Finalize MPI_Init_thread; do
                echo "$call,2,sampled.c:$(grep -n "^ *$call(" "$top/test/mpi/sampled.c" | cut -d: -f1),main"; done)" "$mpi: --by callsite"
        is "$(pith stat sites.pith --by callsite --state '*rank' --csv | sed 1d | cut -d, -f1,2)" "MPI_Comm_rank,2" "$mpi: with --state"
    fi

    # Other formats keep the stacks, as payloads.
    pith convert 1.pith 1.csv.txt >convert.out 2>&1
    ok $? "$mpi: converted to text" || cat convert.out
    is "$(pith print 1.csv.txt | grep -c pith:sample)" "$(pith print 1.pith | grep -c pith:sample)" "$mpi: with all samples"

    if [ -n "$(command -v "mpif90.$mpi")" ]; then
        # shellcheck disable=SC2086
        "mpif90.$mpi" $flags -o fortran "$top/test/mpi/sampled.f90"
        mpiexec_of "$mpi" 2 pith run --sample=1 -o fortran.pith ./fortran >out 2>err
        is "$? $(tr -d ' ' <out)" "0 well" "$mpi, Fortran: runs"
        line=$(grep -n "call MPI_Allreduce" "$top/test/mpi/sampled.f90" | cut -d: -f1)
        [ -z "$names" ] || like "$(pith stat fortran.pith --by callsite)" "^MPI_Allreduce +2 .* sampled\\.f90:$line +MAIN__" "$mpi, Fortran: the call site"
        [ -z "$names" ] || like "$(pith stat fortran.pith --by function)" ' sampled\.f90:2 +solve_in_fortran$' "$mpi, Fortran: the function, as its source has it, even if it was inlined"
    fi
    cd "$scratch" || exit 1
    for work in first_work other_work; do "mpicc.$mpi" -g -O1 -shared -fPIC -DWORK=$work -o $work.so "$top/test/mpi/replaced.c"; done
    "mpicc.$mpi" -g -Wall -Wextra -o replaced "$top/test/mpi/replaced.c" -ldl
    mpiexec_of "$mpi" 1 pith run --sample=5 -o replaced.pith ./replaced ./first_work.so ./other_work.so >out 2>err
    if [ "$(cat out)" != "same place" ] || [ -z "$names" ]; then skip "$mpi: a library in the place of another" "$(cat out err)"; else
        is "$(pith stat replaced.pith --by function --csv | cut -d, -f 1 | grep -E '^(first|other)_work$' | sort | tr '\n' ' ')" "first_work other_work " \
            "$mpi: a library in the place of another one has its own name" || cat err
    fi
done

# ---- wrong use --------------------------------------------------------------------------------------------------------
pith stat none.pith --flame picture.png >out 2>err
like "$? $(cat err)" "^2 pith: stat: --flame needs a file .svg, .folded, .speedscope.json or .pith, not 'picture.png'" "--flame picture.png"
pith run --sample=0 true >out 2>err
like "$? $(cat err)" '^2 pith run: --sample needs a period in milliseconds or wall, .*, not 0;' "--sample=0"
mpi=$(mpis | head -n 1)
if [ -n "$mpi" ]; then
    mpiexec_of "$mpi" 1 pith run -o plain.pith "$scratch/$mpi/sampled" 0.01 >/dev/null 2>&1
    pith stat plain.pith --by function >out 2>err
    is "$? $(cat out err)" "1 pith: plain.pith: the log has no samples; record with pith run --sample" "a log without samples"
    pith stat plain.pith --by callsite >out 2>err
    is "$? $(cat out err)" "1 pith: plain.pith: the log has no call sites; record with PITH_CALLSITES=1" "a log without call sites"
    # A system that cannot say which file an address lies in.
    echo 'int _dl_find_object(void *address, void *found) { return address == found ? -1 : -2; }' >nothing.c
    "mpicc.$mpi" -shared -fPIC -o nothing.so nothing.c
    for setting in PITH_CALLSITES=1 PITH_SAMPLE=5; do
        env "$setting" LD_PRELOAD="$PWD/nothing.so" mpiexec."$mpi" -n 2 pith run -o plain.pith "$scratch/$mpi/sampled" 0.01 >out 2>err
        is "$(grep -c "^pith: ${setting%=*}: not possible on this system" err)" 1 "${setting%=*} where it is not possible: one line" || cat err
    done
    PITH_SAMPLE=often mpiexec_of "$mpi" 1 pith run -o plain.pith "$scratch/$mpi/sampled" 0.01 >out 2>err
    like "$(cat err)" 'PITH_SAMPLE=often: not a period such as 10, .*; ignored' "PITH_SAMPLE=often"
fi
finish
