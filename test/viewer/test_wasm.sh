#!/usr/bin/env bash
# The drawing core as a WebAssembly module, in node: what it imports, and on random logs and windows the same pixels,
# texts, cards, legends and analyses as the same C compiled natively. Damaged logs give the reader's error.
. "$(dirname "$0")/../lib.sh"

module=$build/share/pith/page/pith.wasm
for need in node clang; do
    command -v $need >/dev/null || { skip "the module" "no $need"; finish; }
done
[ -e "$module" ] || { skip "the module" "no clang for wasm32 (wasi-libc, libclang-rt-dev-wasm32, lld)"; finish; }
draw_module=$build/test/viewer/draw_module
run=(node "$top/test/viewer/wasm_run.js" "$module" "$build/gen/page/core.js")
imports=$(node -e 'console.log(WebAssembly.Module.imports(new WebAssembly.Module(require("fs").readFileSync(process.argv[1])))
    .map(({ module, name }) => `${module}.${name}`).sort().join(" "))' "$module")
is "$imports" "pith.expect pith.inflate pith.now pith.print pith.progress pith.read pith.text_mask pith.text_width" "imports: these and no others"
ok $(($(gzip -9c "$module" | base64 -w0 | wc -c) > 700000)) "packed as in a page: below 700 kB"

# same WHAT: both obey the file `script`.
same() {
    "$draw_module" script >native.out && "${run[@]}" script >wasm.out && cmp native.out wasm.out
    ok $? "$1"
}

# Random programs with messages and collectives, and deep states without; each with windows, places, switches.
python3 "$top/test/analyze/random_log.py" 1 40
for ((i = 41; i <= 50; i++)); do python3 "$top/test/viewer/random_log.py" $i >$i.txt; done
cat >scripts.py <<'P'
import random
for seed in range(1, 51):
    chance = random.Random(seed)
    lines = [f"open {seed}.txt", "theme " + chance.choice(["light", "dark"])]
    lines += ["analyze"] if chance.random() < 0.7 else []
    for _ in range(3):
        a = chance.choice([0, chance.randrange(990)])
        b = 1000 if a == 0 and chance.random() < 0.5 else a + chance.randrange(1, 1001 - a)
        width, height = chance.randrange(250, 800), chance.randrange(200, 500)
        if chance.random() < 0.3:
            lines.append("words " + chance.choice(["group host", "unfold_rows", "group none; fold_rows", "colour * #112233",
                                                   "group comm; collapse", "palette safe", "hide nonesuch", "rows 0-1"]))
        lines.append(f"draw {a} {b} {width} {height} {chance.choice([1, 1, 1.25, 2])} {chance.randrange(128)} "
                     + chance.choice(["0 0", f"{chance.randrange(9)} {chance.randrange(2, 60)}"]))
        lines.append(f"overview {width} {chance.randrange(2, 40)}")
        lines += [f"at {chance.uniform(60, width):.2f} {chance.uniform(40, height):.2f}" for _ in range(12)]
        lines += [f"legend {a} {b}", f"legend {a + (b - a) // 3} {b}",
                  f"find {chance.choice(['MPI_', 'work', 'state-[ae]', 'duration>3ns', 'none'])} {chance.randrange(1001)}",
                  f"hide {chance.randrange(6)} {chance.randrange(2)}"]
    with open(f"{seed}.script", "w") as out:
        out.write("\n".join(lines) + "\n")
P
python3 scripts.py
for ((i = 1; i <= 50; i++)); do
    cp $i.script script
    "$draw_module" script >native.out && "${run[@]}" script >wasm.out && cmp native.out wasm.out || echo "log $i"
done >differ 2>&1
is "$(cat differ)" "" "50 random logs, 150 windows: pixels, texts, cards, legends, analyses of both builds are equal"
ok $(($(wc -c <native.out) < 300000)) "pictures were compared"

# A picture that reads no records has no sums: its legend is counted apart.
"$build/test/bench/make_big_log" big.pith 4 4 300000
for flags in 0 64; do
    printf '%s\n' "open big.pith" "draw 0 1000 400 300 1 $flags 0 0" "legend 0 1000" >script
    "$draw_module" script | tail -n 1 >legend.$flags
done
is "$(cat legend.64)" "$(cat legend.0)" "the legend of a picture without sums"
like "$(cat legend.0)" '"total_ns":"?[1-9]' "which has times"

# The analysis is that of the command, for each kind of file, packed or not.
awk -F '\t' 'BEGIN { OFS = FS } /^[0-9]/ { $1 = sprintf("%.9f", $1 * 100000) } { print }' 1.txt >long.txt # in us
pith convert long.txt run.pith
for suffix in alog clog2 slog2 trf prv trace.json paje; do pith convert run.pith run.$suffix >/dev/null 2>&1; done
gzip -k long.txt
for log in run.pith long.txt long.txt.gz run.alog run.clog2 run.slog2 run.trf run.prv run.trace.json run.paje; do
    printf '%s\n' "open $log" analyze >script
    "${run[@]}" script | tail -n +2 >wasm.out
    pith analyze --json $log >native.out 2>/dev/null
    cmp native.out <(grep -v '^$' wasm.out)
    ok $? "$log: analyzed as by \`pith analyze --json\`"
done

# Bad files: one line, that of the command; and the next log opens.
head -c 3000 run.pith >cut.pith
printf 'not a log at all\n' >words.txt
: >empty.pith
{ printf 'PITHLOG'; head -c 4000 /dev/urandom; } >noise.pith
cp run.pith struck.pith && printf '\377\377\377\377' | dd of=struck.pith bs=1 seek=200 conv=notrunc status=none
cp long.txt.gz sum.txt.gz && printf '\377\377' | dd of=sum.txt.gz bs=1 seek=$(($(wc -c <sum.txt.gz) - 8)) conv=notrunc status=none
for log in words.txt empty.pith noise.pith; do
    printf '%s\n' "open $log" "open run.pith" >script
    "${run[@]}" script >wasm.out
    is "pith: $(head -n 1 wasm.out)" "$(pith info $log 2>&1)" "$log: the error of the command"
    like "$(tail -n 1 wasm.out)" '^\{"format":"native"' "$log: the next log opens"
done
for log in cut.pith struck.pith sum.txt.gz; do
    printf '%s\n' "open $log" "draw 0 1000 400 300 1 0 0 0" analyze >script
    same "$log: damaged, and the same as in the native build"
done
cat >sweep.py <<'P'
# Damages of each kind, one file each; the script opens, draws and analyzes all in one process.
import random
chance = random.Random(7)
good = open("run.pith", "rb").read()
with open("script", "w") as script:
    for number in range(150):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(bad))
            bad[at:at + chance.randrange(1, 64)] = bytes(chance.choice([0, 255, chance.randrange(256)])
                                                         for _ in range(chance.randrange(1, 64)))
        if chance.random() < 0.3:
            del bad[chance.randrange(len(bad)):]
        open(f"bad{number}.pith", "wb").write(bad)
        script.write(f"open bad{number}.pith\ndraw 0 1000 300 200 1 0 0 0\nanalyze\n")
P
# The files that the fuzzers of the readers have collected.
find "$top/test/fuzz/corpus" -type f | grep -E '/(native|alog|chrome|clog1|clog2|paje|paraver|picl|slog2|text)/' | sort |
    while read -r file; do
        cp "$file" "corpus.${file##*/}" # a short name: the room of a script's line
        printf '%s\n' "open corpus.${file##*/}" "draw 0 1000 300 200 1 0 0 0" analyze
    done >script
ok $(($(grep -c open script) < 300)) "a corpus ($(grep -c open script) files)"
same "the fuzzers' files: both builds answer the same, and neither ends"
python3 sweep.py
same "150 damaged logs: both builds answer the same, and neither ends"
finish
