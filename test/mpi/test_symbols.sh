#!/usr/bin/env bash
# Names of functions: pith symbols finds them in files with symbols elsewhere and stores them in the log; functions that
# the compiler inlined; compared with addr2line.
. "$(dirname "$0")/../lib.sh"

if ! ldd "$build/bin/pith" | grep libdw >/dev/null; then
    skip "names of functions" "built without libdw"
    finish
fi

# records LOG: all that is not a name. names LOG: those of the functions on the paths of samples.
records() { pith convert "$1" - --format text | grep -v '^# property	key=code '; }
names() { pith stat "$1" --folded 2>/dev/null | sed 's/ [0-9]*$//' | tr ';' '\n' | sort -u; }
size() { stat -c %s "$1"; }

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    mkdir run debug ids
    "mpicxx.$mpi" -g -O2 -o run/symbols "$top/test/mpi/symbols.cc"
    ok $? "$mpi: symbols.cc compiles" || continue
    cp run/symbols whole
    objcopy --only-keep-debug run/symbols debug/symbols.debug
    id=$(readelf -n run/symbols | sed -n 's/.*Build ID: //p')
    mkdir -p "ids/.build-id/${id:0:2}" && cp debug/symbols.debug "ids/.build-id/${id:0:2}/${id:2}.debug"
    strip run/symbols

    for n in 1 2 4; do
        PITH_FILES=$((n / 2)) mpiexec_of "$mpi" $n pith run --sample=1 -o $n.pith run/symbols 0.1 >out 2>err
        is "$? $(cat out)" "0 well" "$mpi, $n ranks: runs" || cat err
        records $n.pith >before
        unlike=$(names $n.pith | grep -c mesh)
        is "$unlike $(names $n.pith | grep -cF '[symbols]')" "0 1" "$mpi, $n ranks: stripped, so no names"
        pith symbols $n.pith --search debug >symbols.out 2>&1
        like "$? $(cat symbols.out)" "^0 $n\.pith: [0-9]+ places in the code, [0-9]+ with the name of their function, [0-9]+ with a source line$" "$mpi, $n ranks: pith symbols"
        is "$(records $n.pith | cmp - before 2>&1)" "" "$mpi, $n ranks: the log holds the same besides"
        pith check $n.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
        size=$(size $n.pith)
        pith symbols $n.pith --search ids >symbols.out 2>&1
        is "$? $(size $n.pith)" "0 $size" "$mpi, $n ranks: once more, by build id: the same"
        is "$(pith print $n.pith 2>&1 >/dev/null; pith info $n.pith | grep -c '^code ')" 0 "$mpi, $n ranks: pith info does not list names"
    done

    pith symbols 2.pith --search debug >kept 2>/dev/null
    # Elsewhere: without the program, or with another one of its name.
    mv run/symbols run/moved
    like "$(pith stat 2.pith --folded 2>&1)" '(^|;)main;mesh::step;mesh::sweep<mesh::Refine>;mesh::Refine::split [0-9]+$' "$mpi: the path, with inlined functions"
    like "$(pith print 2.pith --state pith:sample)" 'functions=.*main;mesh::step;mesh::sweep<mesh::Refine>;mesh::Refine::split$' "$mpi: pith print has names"
    like "$(pith print 2.pith --state pith:site)" "functions=main \\(symbols\\.cc:$(grep -n MPI_Barrier "$top/test/mpi/symbols.cc" | cut -d: -f1)\\)\$" "$mpi: pith print has call sites"
    line=$(grep -n ' split(double' "$top/test/mpi/symbols.cc" | cut -d: -f1)
    is "$(pith stat 2.pith --by function --csv 2>&1 | awk -F, '$1 == "mesh::Refine::split" { print $9 }')" "symbols.cc:$line" "$mpi: where it is declared"
    cp "$(type -P true)" run/symbols
    pith symbols 2.pith >out 2>/dev/null
    is "$(sed 's/.*code, //' out)" "$(sed 's/.*code, //' kept)" "$mpi: pith symbols keeps names that it does not find again"
    is "$(names 2.pith | grep -c mesh)" 3 "$mpi: they are still there"
    # They stay in other native logs and in text.
    pith convert 2.pith copy.pith && pith convert 2.pith copy.txt && pith convert copy.txt again.pith
    is "$(names copy.pith)" "$(names 2.pith)" "$mpi: a copy has the names"
    is "$(names again.pith)" "$(names 2.pith)" "$mpi: and so has a copy through text"

    # Perfetto: slices, as long as the samples stand for.
    pith convert 2.pith 2.pftrace >notes 2>&1
    samples=$(pith print 2.pith | grep -c '	pith:sample	')
    like "$(cat notes)" "^pith: note: $samples samples became slices of their functions$" "$mpi: Perfetto: samples are slices"
    "$top/test/golden/perfetto_dump.py" 2.pftrace >dump
    ok $? "$mpi: Perfetto: the slices nest"
    pith stat 2.pith --by function --csv 2>/dev/null >2.csv
    python3 - <<'PY'
import csv
begun, sums = {}, {}
for line in open("dump"):
    time, rank, thread, kind, name = line.split("\t")[:5]
    stack = begun.setdefault((rank, thread), [])
    if kind == "call":
        stack.append((name, float(time)))
    elif kind == "return":
        name, begin = stack.pop()
        if all(name != n for n, _ in stack):
            sums[name] = sums.get(name, 0) + float(time) - begin
for row in csv.DictReader(open("2.csv")):
    if row["place"].startswith("symbols.cc"):
        got, want = sums[row["function"] + "\n"], float(row["total_s"])
        assert abs(got - want) < 0.01 + 0.05 * want, (row["function"], got, want)
PY
    ok $? "$mpi: Perfetto: the times are those of pith stat"
    # Formats without call stacks say so.
    sites=$(pith print 2.pith | grep -c '	pith:site	')
    for format in alog clog2 slog2 chrome paje; do
        pith convert 2.pith "out.$format" --format $format >notes 2>&1
        like "$(cat notes)" "^pith: note: $((samples + sites)) samples and call sites are events with addresses, without the names of functions$" "$mpi: $format says that it has no call stacks"
    done
    like "$(pith convert 2.pith - --format csv 2>/dev/null)" ',main;mesh::step;.*mesh::Refine::split$|;main;mesh::step;.*mesh::Refine::split$' "$mpi: CSV has the functions"

    # With -flto an inlined function is described in another unit than its code, with -gsplit-dwarf in another file.
    line=$(grep -n ' split(double' "$top/test/mpi/symbols.cc" | cut -d: -f1)
    for variant in g++,-flto g++,-gsplit-dwarf clang++,-flto clang++,-gsplit-dwarf,-gdwarf-4; do
        compiler=${variant%%,*} flags=${variant#*,}
        command -v "$compiler" >/dev/null || { skip "$mpi, $variant: inlined functions" "no $compiler"; continue; }
        MPICH_CXX=$compiler OMPI_CXX=$compiler "mpicxx.$mpi" -g -O2 ${flags//,/ } -o parted "$top/test/mpi/symbols.cc" >compile.out 2>&1 ||
            { skip "$mpi, $variant: inlined functions" "$compiler cannot link so"; continue; }
        pith run --sample=1 -o parted.pith ./parted 0.1 >out 2>err
        like "$(pith stat parted.pith --folded 2>&1)" '(^|;)main;mesh::step;mesh::sweep<mesh::Refine>;mesh::Refine::split [0-9]+$' "$mpi, $variant: the path, with inlined functions"
        is "$(pith stat parted.pith --by function --csv 2>&1 | awk -F, '$1 == "mesh::Refine::split" { print $9 }')" "symbols.cc:$line" "$mpi, $variant: where it is declared"
    done

    # addr2line on the unstripped program: the same functions and lines, also the inlined ones.
    pith convert 2.pith - --format text | sed -n "s/^# property	key=code \([0-9a-f]*\) $id	value=/\1 /p" >stored
    while read -r address value; do
        addr2line -Cife whole "$address" | paste - - | sed -E 's/\([^\t]*\t/\t/; s/^double //; s/ \(discriminator.*//; s|\t.*/|\t|; s/^_start\t.*/_start\t??/; s/\?\?:.*/??/' >&3
        printf '%b\n' "$value" | awk -F'\t' 'NF >= 6 { n = split($6, part, "/"); print $1 "\t" ($6 == "" ? "??" : part[n] ":" $5) }' >&4
    done <stored 3>wanted 4>got
    ok $((!($(wc -l <stored) >= 3 && $(grep -c Refine::split wanted) > 0))) "$mpi: the program's addresses are in the log" || head stored
    is "$(cat got)" "$(cat wanted)" "$mpi: as addr2line says"
    cd "$scratch" || exit 1
done

# ---- wrong use --------------------------------------------------------------------------------------------------------
mpi=$(mpis | head -n 1)
[ -n "$mpi" ] || finish
cp "$mpi/1.pith" whole.pith
pith symbols whole.pith --search nowhere >out 2>err
is "$? $(cat out err)" "2 pith: symbols: --search nowhere: there is no such folder; see \`pith help symbols\`" "--search nowhere"
pith convert whole.pith whole.txt && pith symbols whole.txt >out 2>err
is "$? $(cat out err)" "1 pith: whole.txt: only an intact log in Pith's own format can keep names" "a text log"
head -c $(($(size whole.pith) - 100)) whole.pith >cut.pith
cp cut.pith kept.pith
pith symbols cut.pith >out 2>err
is "$? $(grep -v '^pith: note' err)" "1 pith: cut.pith: only an intact log in Pith's own format can keep names" "a cut log"
cmp cut.pith kept.pith
ok $? "a cut log stays as it was"
if [ -w /dev/full ]; then
    (ulimit -f 1 && pith symbols whole.pith >out 2>err)
    ok $((!($? != 0))) "no room: an error"
    cmp whole.pith "$mpi/1.pith"
    ok $? "no room: the log stays as it was"
    is "$(ls whole.pith*)" whole.pith "no room: nothing is left behind"
fi
ln -s whole.pith link.pith
pith symbols link.pith >out 2>&1
is "$? $(readlink link.pith)" "0 whole.pith" "a link stays a link"
chmod 640 whole.pith && pith symbols whole.pith >out 2>&1
is "$(stat -c %a whole.pith)" 640 "the mode stays"
finish
