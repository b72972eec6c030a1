# bench.sh - what the benches in shell share, sourced after lib.sh: measures told as by bench.h, and a bench's progress.

tell() { [ -z "${BENCH_OUT:-}" ] || printf '%s\t' "$@" | sed 's/\t$/\n/' >>"$BENCH_OUT"; }
# row WHAT VALUE UNIT [FLOOR [GOAL [LOW HIGH]]]: a measure; LOW and HIGH: how far it spread.
row() {
    tell BENCH "$1" "$2" "$3" "${4:-0}" "${5:-}" "${6:-}" "${7:-}"
    awk -v w="$1" -v v="$2" -v u="$3" -v f="${4:-0}" -v g="${5:-}" -v low="${6:-}" -v high="${7:-}" 'BEGIN {
        floor = f > 0 ? sprintf(" floor %-8.4g", f) : ""; spread = low != "" ? " (" low " to " high ")" : ""
        printf("%-50s %11.4g %-12s%s%s%s\n", w, v, u, floor, spread, g != "" ? " goal " g : "") }'
}
# peer WHAT NAME VALUE: what NAME takes for what the measure WHAT of Pith is about, in the same unit. No VALUE: not installed.
peer() {
    tell PEER "$1" "$2" "${3:-}"
    if [ -n "${3:-}" ]; then printf '    %-46s %11.4g\n' "$2" "$3"; else echo "    $2: not installed"; fi
}
# have NAME...: all these programs are there.
have() { local c; for c; do command -v "$c" >/dev/null || return 1; done; }
# calc EXPRESSION: of awk; a number of 6 digits.
calc() { awk "BEGIN { printf \"%.6g\", $1 }"; }
# least COMMAND...: the shortest of 3 runs, in seconds; the output is thrown away.
least() {
    local best=0 begin took
    for _ in 1 2 3; do
        begin=$(date +%s%N)
        "$@" >/dev/null 2>&1
        took=$(($(date +%s%N) - begin))
        if [ $best = 0 ] || [ $took -lt $best ]; then best=$took; fi
    done
    calc "$best / 1e9"
}
# median, lowest, highest of the numbers in a file, one a line.
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
lowest() { sort -g "$1" | head -n 1; }
highest() { sort -g "$1" | tail -n 1; }
