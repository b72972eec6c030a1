#!/usr/bin/env bash
# What is kept of logs in the user's cache: large logs of other formats are read once.
. "$(dirname "$0")/../lib.sh"
kept() { find "$XDG_CACHE_HOME" -type f 2>/dev/null; }
"$build/test/bench/make_big_log" native.pith 4 4 90000 && pith convert native.pith big.clog2
ok $? "a CLOG-2 of $(stat -c %s big.clog2) bytes"
is "$(kept)" "" "of a native log nothing is kept"

pith print big.clog2 >first.txt
is "$(kept | wc -l)" 1 "a large log of another format is kept"
file=$(kept)
like "$file" "^$XDG_CACHE_HOME/pith/[0-9a-f]{32}\.plain$" "in the user's cache"
is "$(stat -c %a "$XDG_CACHE_HOME/pith"):$(stat -c %a "$file")" "700:600" "for nobody else"

# Programs that may draw get one with summaries of lanes; and then commands take that.
cat >look.c <<'E'
#include <stdio.h>
#include "pithlog.h"
int main(int argc, char **argv)
{
    struct pithlog *log;
    int err = argc > 1 ? pithlog_open(argv[1], &log) : 1;
    return err ? fprintf(stderr, "%s\n", pithlog_error()), 1 : (pithlog_close(log), 0);
}
E
# shellcheck disable=SC2046
cc $(sanitizers) -I"$build/include" -o look look.c -L"$build/lib" -lpithlog -Wl,-rpath,"$build/lib" && ./look big.clog2
is "$?:$(kept | sed 's/.*\.//' | sort | tr '\n' ' ')" "0:pith plain " "for programs that may draw another is kept"
[ "$(stat -c %s "${file%.plain}.pith")" -gt "$(stat -c %s "$file")" ]
ok $? "with summaries of the lanes"
rm "$file"
pith print big.clog2 | cmp - first.txt && [ "$(kept)" = "${file%.plain}.pith" ]
ok $? "which does for commands, too"
rm -rf "$XDG_CACHE_HOME" && pith info big.clog2 >/dev/null

# The log's middle is gone, behind its back: what is printed is what was kept.
cp -p big.clog2 whole.clog2
printf 'nothing here to be read' | dd of=big.clog2 bs=1 seek=1000003 conv=notrunc status=none
touch -r whole.clog2 big.clog2
pith print big.clog2 >second.txt && cmp first.txt second.txt
ok $? "the second time the log is not read"
touch big.clog2
pith print big.clog2 >third.txt 2>/dev/null
cmp -s first.txt third.txt
ok $((! $?)) "once it is changed, it is"

# Whatever happens to what is kept: it is made anew.
rm -rf "$XDG_CACHE_HOME"
pith print whole.clog2 >/dev/null
file=$(kept)
size=$(stat -c %s "$file")
bad=0
for at in 0 40 $((size / 3)) $((size / 2)) $((size - 20)) $((size - 4)); do
    printf 'XYZ' | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
    pith print whole.clog2 2>&1 | cmp -s - first.txt || bad=$((bad + 1))
    [ "$(tail -c "+$((at + 1))" "$file" | head -c 3 | tr -d '\0')" = XYZ ] && bad=$((bad + 1))
done
is "$bad" 0 "damaged anywhere: not taken, made anew"
truncate -s $((size / 2)) "$file"
pith print whole.clog2 2>&1 | cmp - first.txt
ok $? "cut short: the same"

# Without a folder.
touch file
XDG_CACHE_HOME=$PWD/file pith print whole.clog2 2>&1 | cmp - first.txt
ok $? "a folder that is none: read each time"
(unset XDG_CACHE_HOME; HOME=$PWD/home; export HOME; mkdir home; pith info whole.clog2 >/dev/null)
is "$(find home -type f | wc -l)" 1 "without XDG_CACHE_HOME: ~/.cache"

# The oldest go when there is too much.
rm -rf "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME/pith"
for i in 1 2 3; do
    truncate -s 400M "$XDG_CACHE_HOME/pith/old$i"
    touch -d "2020-01-0$i" "$XDG_CACHE_HOME/pith/old$i"
done
pith info whole.clog2 >/dev/null
is "$(ls "$XDG_CACHE_HOME/pith" | grep old | tr '\n' ' ')" "old2 old3 " "more than 1 GB: what was not used for longest goes"

# The analysis of a large log: all its bytes are meant, none is what memory held before.
for fill in 85 170; do
    rm -rf "$XDG_CACHE_HOME"
    MALLOC_PERTURB_=$fill setarch -R pith analyze native.pith >"analyzed.$fill" 2>&1
    cp "$XDG_CACHE_HOME"/pith/*.analysis "kept.$fill"
done
cmp kept.85 kept.170 >out 2>&1
ok $? "what is kept of an analysis does not depend on the memory's old contents" || cat out
is "$(pith analyze native.pith 2>&1 | diff - analyzed.85)" "" "and gives the same answer again"
finish
