#!/usr/bin/env bash
# Files with holes and false numbers: a log or one line of error, never a crash, no memory beyond reason, no long wait.
. "$(dirname "$0")/../lib.sh"
here=$top/test/golden
"$build/test/golden/make_golden" edge edge.pith
pith convert edge.pith edge.clog2 2>/dev/null
python3 "$here/clog2_make.py" merged merged.clog2
python3 "$here/clog2_make.py" piece piece.clog2
python3 "$here/clog1_make.py" 1024 big small.clog
cp "$here/odd.alog" .
mkdir bad
python3 - <<'EOF'
import random
random.seed(1)
def keep(name, data):
    with open("bad/" + name, "wb") as f:
        f.write(data)
for name in ("edge.clog2", "merged.clog2", "piece.clog2", "odd.alog", "small.clog"):
    data = open(name, "rb").read()
    step = 1024 if len(data) > 8192 else 61
    for cut in range(0, len(data), step):
        keep("%05d-cut-%s" % (cut, name), data[:cut])
    for at in range(0, min(len(data), 8192), 64):
        for k, fill in enumerate((b"\0" * 64, b"\xff" * 64, bytes(random.randrange(256) for _ in range(64)))):
            if k == 0 or at // 64 % 2 == k - 1:
                keep("%05d-%d-%s" % (at, k, name), data[:at] + fill[:len(data) - at] + data[at + 64:])
    # Extremes at every aligned number of the first records.
    if "clog" in name:
        first = 1024 if name.endswith("clog2") else 0
        for at in range(first, first + 480, 4):
            value = random.choice((b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x0a", b"\x7f\xf0\0\0"))
            keep("%05d-x-%s" % (at, name), data[:at] + value + data[at + 4:])
big = "9" * 18
for i, line in enumerate(("-3 0 0 %s 0 0" % big, "-11 0 0 0 0 9000000000000000\n1 0 0 0 %s 1" % big, "1 %s 0 0 0 1" % big,
                          "1 1048575 0 0 0 1", "-101 0 0 %s 0 1 1 1" % big, "-101 0 0 1 0 1 %s %s" % (big, big),
                          "-13 0 %s -%s 0 0 a:b c" % (big, big), "-13 0 1 1 0 0 x", "-15 5 0 0 0 0 rank 99999999 thread -1",
                          "-7 0 0 0 0 1e308", "1 0 0 0 0 nan", "1 0 0 0 0 " + "9" * 400, "1 0 0 0 0 1 " + "x" * 100000)):
    keep("line%02d.alog" % i, ("-1 0 0 0 0 0 x\n" + line + "\n1 0 0 0 0 2\n").encode())
# Little of each of very many processes: a lane costs what it holds.
keep("many.alog", ("-3 0 0 60000 0 0\n" + "".join("1 %d 0 0 0 %d\n" % (i, i) for i in range(60000))).encode())
EOF
count=0 wrong=0 read=0
ulimit -t 20 # of processor time
# Each fifth of the damaged files, for a process takes long to begin: test_foreign_damage.c does many in one. Of those with
# false numbers all.
step=$(quick_or_full 5 1)
[ -n "$(sanitizers)" ] || ulimit -v 1000000
files=(bad/*)
for i in "${!files[@]}"; do
    file=${files[i]}
    [ $((i % step)) = 0 ] || [[ $file != bad/[0-9]* ]] || continue
    count=$((count + 1))
    pith print "$file" >out 2>err
    status=$?
    mapfile -t said <err
    if [ $status = 0 ]; then read=$((read + 1)); fi
    if [ $status -gt 1 ] || { [ $status = 1 ] && [[ ${#said[@]} != 1 || ${said[0]} != 'pith: bad/'* ]]; }; then
        wrong=$((wrong + 1))
        echo "# $file: exit $status: $(head -c 300 err)"
    fi
done
is "$wrong" 0 "of $count damaged files each is read ($read) or refused with one line"
[ "$read" -gt $((count / 2)) ]
ok $? "most damage costs a part of the log, not the log"
finish
