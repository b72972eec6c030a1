#!/usr/bin/env bash
# The gym (test/gym): what counts as right and as false, and three of its programs.
. "$(dirname "$0")/../lib.sh"
undisturbed
export PYTHONPATH="$top/test/gym:$PYTHONPATH"

python3 "$top/test/gym/judge_check.py" >judge.out 2>&1
is "$?" 0 "the judge judges answers made by hand"
checks_of judge.out

count=$(mpis | wc -l)
[ "$count" -gt 0 ] || { skip "programs" "no MPI"; finish; }
# Where the schema has no answer yet, none is right.
right=0
grep -q '"answer"' "$top/formats/schemas/analyze.schema.json" && right=$count
# good PLANT SHARE WAITS: the answers are right, nothing is false but that ranks had no core for a tenth of the time at most, as
# other tests run, and the wait states in the logs are as long as the plant.
good() {
    GYM_DIR=$PWD/gym "$top/test/gym/gym" "$1" >"$1.out" 2>&1 || return 1
    [ "$(grep -cE " $2 +$3 % " "$1.out")" = "$count" ] && [[ $(tail -n 1 "$1.out") == "$right of $count first answers right, "* ]] &&
        [ "$(grep -oE "^$1 .* (yes|no) +(yes|no) +(yes|no) +(yes|no)  .*" "$1.out" | sed -E 's/.* (yes|no)  //; s/(no core|descheduled ranks) [0-9] %(, )?//g')" = "" ]
}
# A busy machine stops ranks: 2 of 4 runs must be good.
while read -r plant share waits; do
    quota 2 4 good "$plant" "$share" "$waits" </dev/null
    ok $? "$plant: $right of $count answers right, waits as planted, no false findings ($quota runs)" || sed 's/^/# /' "$plant.out"
done <<'PLANTS'
late_sender 33.% 3[0-6]
barrier 50.% (4[5-9]|5[0-5])
balanced_meeting - [0-2]
PLANTS
finish
