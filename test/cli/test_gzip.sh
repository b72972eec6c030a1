#!/usr/bin/env bash
# Logs of other formats that gzip packed: opened as they are; cut, damaged, joined ones; and what is not opened.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
records() { pith print "$1" 2>/dev/null | grep -v '^#'; }
"$make_log" small small.pith
for suffix in txt alog trf prv trace.json clog2 slog2; do
    pith convert small.pith small.$suffix 2>/dev/null
    records small.$suffix >wanted
    gzip -k small.$suffix
    is "$(records small.$suffix.gz | cmp - wanted 2>&1)" "" "$suffix.gz"
    is "$(pith info small.$suffix.gz 2>/dev/null | sed -n 's/^bytes: //p')" "$(stat -c %s small.$suffix.gz)" "$suffix.gz: its size is that of the packed file"
done
cp small.txt.gz nameless
is "$(pith info nameless | head -n 1)" "format: text" "told by content, not by suffix"
cat <(head -n 12 small.txt | gzip) <(tail -n +13 small.txt | gzip) >joined.gz
is "$(records joined.gz | md5sum)" "$(records small.txt | md5sum)" "two packed files joined"
{ cat small.txt.gz; head -c 1000 /dev/zero; } >padded.gz
is "$(pith check padded.gz | tail -n 1 | cut -d' ' -f2-)" "$(pith check small.txt | cut -d' ' -f2-)" "padding behind it"
pith convert small.txt.gz again.pith
is "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 ! -name scratch ! -name cache)" "" "no unpacked copy stays"

head -c -9 small.txt.gz >cut.gz
like "$(joined "$(pith check cut.gz; echo "exit $?")")" '^cut.gz: incomplete: its gzip data ends early\|cut.gz: .* 1 damage found\|exit 1$' "without its end it is incomplete"
head -c 300 small.txt.gz >cut.gz
like "$(pith info cut.gz 2>/dev/null | grep ^incomplete)" '^incomplete: byte [0-9]+: the file ends here, inside a line; its gzip data ends early$' "cut in the middle: what is before the cut"
{ head -c 400 small.txt.gz; printf '\377\377\377\377'; tail -c +405 small.txt.gz; } >bad.gz
like "$(pith check bad.gz 2>&1; echo "exit $?")" 'its gzip data is damaged' "damaged"
size=$(stat -c %s small.txt.gz) bad=0
for ((at = 0; at < size; at += 7)); do
    { head -c $at small.txt.gz; printf '\125'; tail -c +$((at + 2)) small.txt.gz; } >bad.gz
    timeout 60 pith check bad.gz >out 2>err
    status=$?
    [ $status -le 1 ] && [ "$(wc -l <err)" -le 1 ] || { bad=$((bad + 1)); echo "# byte $at: $status"; }
done
is "$bad" 0 "a changed byte anywhere: no more than an error"
: | gzip >empty.gz
is "$(pith info empty.gz 2>&1)" "pith: empty.gz: byte 0: the packed file is empty" "an empty one"
echo junk | gzip >junk.gz
is "$(pith info junk.gz 2>&1)" "pith: junk.gz: byte 0: not a log of any known format; \`pith help formats\` lists them" "one that is no log"
gzip -k small.pith
is "$(pith info small.pith.gz 2>&1)" "pith: small.pith.gz: cannot be read: it looks like a log of Pith that gzip packed; unpack it with gunzip (it is compressed in itself)" "a log of Pith"
finish
