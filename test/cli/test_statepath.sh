#!/usr/bin/env bash
# pith stat --by statepath: the tree of states inside each other, against the lines of random logs; its sums are those of
# --by state.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || { skip "random logs" "no python3"; finish; }

# The columns that the oracle has, times in ns.
columns='NR > 1 { printf "%s,%.0f,%.0f,%d,%.3f\n", $1, 1e9 * $2, 1e9 * $4, $6, $5 }'
for seed in 1 2 3; do
    python3 "$top/test/viewer/random_log.py" $seed 0.04 >random.txt
    pith convert random.txt random.pith
    for part in "0 99999999 0 1 2" "300000 900000 0 1 2" "400123 400999 0 2"; do
        read -r from to ranks <<<"$part"
        pith stat random.pith --by statepath --csv --from "${from}ns" --to "${to}ns" --lane "${ranks// /,}" |
            awk -F, "$columns" | LC_ALL=C sort >got
        # shellcheck disable=SC2086
        python3 "$top/test/cli/statepath_oracle.py" random.txt $from $to $ranks | LC_ALL=C sort >wanted
        is "$(diff got wanted | head -4)" "" "seed $seed: ranks $ranks from $from to $to ns, $(wc -l <wanted) paths"
    done
done
pith stat random.pith --csv | awk -F, 'NR > 1 { print $1, $4, $6 }' | sed 's/^computing [0-9]*/computing 0/' | sort >states
pith stat random.pith --by statepath --csv | awk -F, 'NR > 1 { sub(/.*;/, "", $1); self[$1] += 1e9 * $2; count[$1] += $6 }
    END { for (name in self) printf "%s %d %.9f\n", name, count[name], self[name] / 1e9 }' |
    sort >paths
is "$(diff states paths)" "" "counts and self times of a state, over all its paths, are those of --by state"
pith stat random.pith --by statepath >tree
like "$(sed -n 1p tree)" '^ *total +total_share +self +self_share +count +state$' "for people: a tree"
is "$(grep -cE '[0-9]  [^ ]+( all states\])?$' tree)" "$(pith stat random.pith --by statepath --csv | sed 1d | grep -vc ';')" \
    "the outermost states are not indented"
is "$(grep -c . tree)" "$(($(pith stat random.pith --by statepath --csv | wc -l)))" "with as many rows"
is "$(pith stat random.pith --by statepath --json | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin)[0]))')" \
    "['count', 'path', 'self_s', 'self_share', 'total_s', 'total_share']" "JSON"
like "$(pith stat random.pith --by statepath --waits 2>&1)" '^pith: --waits needs|^pith: stat: --waits needs' "no waits"
finish
