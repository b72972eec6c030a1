#!/usr/bin/env bash
# A log with LOST records by a writer that did not say how many states ended in their holes (lost.native, made in November 2026):
# its sums stay what they were (lost.native.stat), and a copy, which says it, has the same.
. "$(dirname "$0")/../lib.sh"
golden=$top/test/golden/lost.native

sums() { pith stat "$1" && pith stat "$1" --from 9ms --to 17ms; }

is "$(sums "$golden" 2>err)" "$(cat "$golden.stat")" "the sums of a log without numbers"
is "$(sort -u err)" "pith: note: $golden: 9 records were lost while it was recorded" "and it says how many were lost"
is "$(pith check "$golden")" "$golden: 36811 records read, no damage found
$golden: 9 records were lost while it was recorded" "and it is whole"
pith convert "$golden" copy.pith && pith convert "$golden" part.pith --from 9ms --to 17ms
is "$(sums copy.pith 2>err)" "$(cat "$golden.stat")" "a copy has the same sums"
is "$(pith check copy.pith && pith check part.pith)" "copy.pith: 36811 records read, no damage found
copy.pith: 9 records were lost while it was recorded
part.pith: 15990 records read, no damage found
part.pith: 3 records were lost while it was recorded" "and it is whole, as is a part"
is "$(pith print copy.pith | diff - <(pith print "$golden"))$(pith diff "$golden" copy.pith --records 2>&1; echo $?)" 0 "and the same records"
cp "$golden" lost.pith && pith draw lost.pith --text >old && cp copy.pith lost.pith && pith draw lost.pith --text >new
is "$(diff old new)$(grep -c "records are missing\|^9 records were lost" new)" 2 "and the same picture, which says it"
finish
