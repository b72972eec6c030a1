#!/usr/bin/env bash
# pith check: good logs, cut logs, logs with a changed byte; and the other commands show what is left of them.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" empty empty.pith && "$make_log" big 200000 big.pith
ok $? "logs made"
is "$(pith check small.pith 2>&1; echo $?)" "small.pith: 24 records read, no damage found
0" "small.pith is good"
is "$(pith check empty.pith 2>&1; echo $?)" "empty.pith: 0 records read, no damage found
0" "empty.pith is good"
is "$(pith check big.pith 2>&1; echo $?)" "big.pith: 208334 records read, no damage found
0" "big.pith is good"

size=$(stat -c %s big.pith)
head -c $((size / 2)) big.pith >cut.pith
pith check cut.pith >out 2>err
is "$? $(cat err)" "1 " "a log cut in the middle is not good"
like "$(head -n 1 out)" '^cut\.pith: ' "each damage is a line with the file"
like "$(tail -n 1 out)" '^cut\.pith: [0-9]+ records read, [0-9]+ damages? found$' "the last line counts"
is "$(pith info cut.pith | grep complete)" "complete: no" "info says so"
kept=$(pith info cut.pith | sed -n 's/^records: //p')
[ "$kept" -gt 50000 ] && [ "$(pith print cut.pith | grep -vc '^#')" = "$kept" ]
ok $? "print shows the blocks before the cut"

# One changed byte anywhere is found.
missed=
for ((i = 0; i < 40; i++)); do
    at=$((size * i / 40))
    cp big.pith changed.pith
    old=$(od -An -tu1 -j $at -N1 big.pith)
    printf "\\x$(printf %x $((old ^ 0x55)))" | dd of=changed.pith bs=1 seek=$at conv=notrunc status=none
    pith check changed.pith >/dev/null 2>&1
    [ $? = 1 ] || missed+=" $at"
done
is "$missed" "" "a changed byte is found wherever it is"
mv changed.pith $'c\033[31m.pith'
like "$(pith check $'c\033[31m.pith' 2>&1 | tail -n 1)" '^c\?\[31m\.pith: ' "the name of the file cannot harm"

# Other formats are read through.
pith convert small.pith small.alog 2>/dev/null
is "$(pith check small.alog 2>&1 | sed 's/: [0-9]* records/: N records/')" "small.alog: N records read, no damage found" "a log of another format"
finish
