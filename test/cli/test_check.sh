#!/usr/bin/env bash
# pith check: good logs, cut logs, logs with a changed byte; and the other commands show what is left of them.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" empty empty.pith && "$make_log" big 200000 big.pith
ok $? "logs made"
is "$(pith check small.pith 2>&1; echo $?)" "small.pith: 24 records read, no damage found
small.pith: 3 records were lost while it was recorded
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
is "$(pith info cut.pith | grep complete)" "complete: no
incomplete: byte $((size / 2)): the log ends here, without an intact footer" "info says so, and why"
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
# What a killed process left, cut: how many records of which rank and time are missing at most.
left() { rm -rf k.pith.spill; printf 'record 500\nkill now\n' | PITH_LOG=k.pith "$build/test/cli/puppet"; } 2>/dev/null
left
is "$(pith check k.pith.spill; echo $?)" "k.pith.spill: 3000 records read, no damage found
0" "a spill folder that is whole"
pith recover k.pith.spill -o r.pith >out
is "$? $(cat out)" "0 r.pith: 1 of 1 rank, 3000 records" "recover is content"
mkfifo pipe
is "$(timeout 60 pith recover pipe -o pipe.pith 2>&1)" "pith: pipe: cannot be opened: is not a regular file" "it does not wait for a pipe"
truncate -s 8192 k.pith.spill/*.spill
pith check k.pith.spill >out
is "$?" 1 "cut to 8192 bytes it is damaged"
like "$(cat out)" '^k\.pith\.spill/.*\.spill: rank 0: 1 chunk is missing, at most [0-9]+ records after 0\.[0-9]{9} s$' \
    "and what is missing is told"
like "$(pith recover k.pith.spill -o r.pith; echo $?)" '^r\.pith: 1 of 1 rank, 0 records, at most [0-9]+ missing$' \
    "recover says it, too"
pith recover k.pith.spill -o r.pith >/dev/null
is "$?" 1 "with its exit status"
left
mkdir two && mv k.pith.spill/*.spill two/a.spill
left
mv k.pith.spill/*.spill two/b.spill && truncate -s 0 two/b.spill
is "$(pith check two; echo $?)" \
    "two/b.spill: byte 0: no spill file is left here: all that its process recorded is missing
two: 3000 records read, 1 damage found
1" "a file cut to nothing"
pith recover two -o r.pith >out
is "$? $(cat out)" "1 two/b.spill: byte 0: no spill file is left here: all that its process recorded is missing
r.pith: 1 of 1 rank, 3000 records" "recover makes a log of the other one"

finish
