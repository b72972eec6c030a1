#!/usr/bin/env bash
# test_native.sh - damaged native logs under the commands: the exact error, the exit code, nothing left behind.
. "$(dirname "$0")/../lib.sh"

pith convert "$top/test/golden/plain.alog" good.pith
ok $? "a native log made of a golden ALOG one"
records=$(pith info good.pith | sed -n 's/^records: //p')
size=$(stat -c %s good.pith)
is "$(pith check good.pith)" "good.pith: $records records read, no damage found" "a good log: check"

# overwrite FILE OFFSET TEXT
overwrite() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
# fails COMMAND...: exit code 1 and one line on stderr, which becomes $error
fails() {
    error=$("$@" 2>&1 >out.txt)
    local status=$?
    is "$status" 1 "exit code 1: $*"
    is "$(wc -l <<<"$error")" 1 "one line: $error"
}

: >empty.pith
fails pith info empty.pith
is "$error" "pith: empty.pith: byte 0: the file is empty; nothing was recorded in it" "an empty file"
echo 'Dear diary' >diary.pith
fails pith info diary.pith
is "$error" "pith: diary.pith: byte 0: not a log of any known format; \`pith help formats\` lists them" "no log"
mkdir folder.pith
fails pith info folder.pith
is "$error" "pith: folder.pith: is a folder without a log; give the name of one" "a folder"
fails pith info nothing.pith
is "$error" "pith: nothing.pith: cannot be opened: No such file or directory" "no such file"

cp good.pith version.pith
python3 - <<'END'
import struct, zlib
b = bytearray(open("version.pith", "rb").read())
b[8] = 9
b[60:64] = struct.pack("<I", zlib.crc32(b[:60]))
open("version.pith", "wb").write(b)
END
fails pith info version.pith
is "$error" "pith: version.pith: byte 8: a log of version 9; this program knows up to 1" "a later version"

head -c $((size - 1)) good.pith >cut.pith
like "$(pith info cut.pith)" "^complete: no" "the last byte gone: opens, and says so"
is "$(pith info cut.pith | grep ^records)" "records: $records" "the last byte gone: every record is there"
is "$(pith print cut.pith 2>/dev/null | grep -v key=incomplete | md5sum)" "$(pith print good.pith | md5sum)" "the last byte gone: prints the same"
pith check cut.pith >check.txt 2>&1
is $? 1 "the last byte gone: check exits with 1"
like "$(head -1 check.txt)" "cut.pith: byte $((size - 1)): the log ends here, without an intact footer" "and says where"

head -c 64 good.pith >header.pith
fails pith print header.pith
is "$error" "pith: header.pith: byte 64: no whole part of the log is left" "only the header"

# The first block begins with its head, 32 bytes behind the first chunk of type 3.
block=$(python3 -c '
import struct
b = open("good.pith", "rb").read()
at = 64
while b[at + 4] != 3:
    at += 32 + (struct.unpack_from("<Q", b, at + 8)[0] + 7) // 8 * 8
print(at)')
cp good.pith block.pith
overwrite block.pith $((block + 40)) 'XXXXXXXX'
fails pith print block.pith
like "$error" "^pith: block.pith: byte $block: a block of rank [0-9]+ is damaged: its CRC differs; \`pith recover\` takes the rest$" \
    "a damaged block: where, and what"
fails pith convert block.pith new.pith
is "$(ls new.pith* 2>/dev/null)" "" "a damaged block: no new log, and no part of one"
pith check block.pith >check.txt 2>&1
is $? 1 "a damaged block: check exits with 1"
like "$(cat check.txt)" "block.pith: byte $block: the block here is damaged: its CRC differs" "and says where"
out=$(pith recover block.pith 2>&1)
is $? 2 "a damaged log is not recovered into itself"
like "$out" "-o LOG" "and what to say is said"
like "$(pith recover block.pith -o rest.pith)" "^rest.pith: the intact parts of block.pith; 1 damaged place left out$" "recover a damaged log"
pith check rest.pith >/dev/null
ok $? "what was recovered is a good log"
left=$(pith print rest.pith | grep -vc '^#')
[ "$left" -gt 0 ] && [ "$left" -lt "$records" ]
ok $? "with the records of the other blocks: $left of $records"
is "$(pith print rest.pith | grep -v '^#' | cut -f 1-4 | sort | comm -23 - <(pith print good.pith | grep -v '^#' | cut -f 1-4 | sort) | cut -f 4)" lost \
    "and no others, but a mark where records are missing"

# Records are decoded 64 at a time. Of these 70, all check values fit, and the first one of the second 64 has an unknown code. The
# state that is open there ends with the last good record.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/test/bad python3 - <<'END'
from bombs import *
what = bytes([0] + [0, 1] * 31 + [0] + [2] * 6)
log = Log(defs())
columns = [column(WHAT, what), column(TIME, b"\1" * len(what)), column(DICT, bytes([1, 0, 13, 0]))]
log.rank(0, [(0, b"", block(0, len(what), columns, 1 << 1 | 1 << 2, 0, 0, 100), len(what))])
log.write("second.pith")
END
pith stat --csv second.pith >stat.csv 2>error
is $? 1 "damage at the 65th record: exit status 1"
like "$(cat error)" "^pith: second.pith: byte 136: a block of rank 0 is damaged: a record is cut short or makes no sense; " "and what it is"
is "$(sed -n 's/^s,//p' stat.csv | cut -d, -f 3,4,7,11)" "33,0.000000063,0.000000000,0.000000063" \
    "and the open states end with the 64th record"
cmp second.pith "$top/test/fuzz/corpus/native/found-second-64"
ok $? "and the fuzzer's corpus has this log"
finish
