#!/usr/bin/env bash
# What another user may have put beside a log: links where a file is made, named pipes and devices where one is read. Pipes that the
# user names are written and read.
. "$(dirname "$0")/../lib.sh"
cp "$top/test/golden/plain.alog" plain.alog
pith convert plain.alog in.pith
ok $? "a log"

# follows FILE COMMAND...: the command makes FILE, in the way of whose part a link lies.
follows() {
    local file=$1; shift
    echo precious >victim
    rm -rf "$file"*
    ln -s "$scratch/victim" "$file.part"
    "$@" >/dev/null 2>error
    ok $? "$file is made: $*" || sed 's/^/# /' error
    is "$(cat victim)" precious "$file: a link is not followed"
    [ -s "$file" ] && [ ! -L "$file" ] && [ ! -e "$file.part" ] && [ ! -L "$file.part" ]
    ok $? "$file: is no link, and no part is left"
}
for suffix in pith clog2 slog2 alog trf trace.json pftrace paje txt csv json; do
    follows "out.$suffix" pith convert in.pith "out.$suffix"
done
follows out.prv pith convert in.pith out.prv
follows cut.pith pith cut in.pith -o cut.pith --from 0
follows merged.pith pith merge --ranks follow -o merged.pith in.pith in.pith
head -c -200 in.pith >damaged.pith
follows rest.pith pith recover damaged.pith -o rest.pith
follows page.html pith analyze in.pith --html page.html
if [ -x "$build/libexec/pith/pith-draw" ]; then
    for suffix in svg png pdf; do follows "out.$suffix" pith draw in.pith -o "out.$suffix"; done
    [ ! -e "$build/share/pith/page/viewer.html" ] || follows out.html pith draw in.pith -o out.html
fi

# A part that cannot be removed: one clear line, and nothing is written into it.
mkdir -p stays.clog2.part/file
pith convert in.pith stays.clog2 >/dev/null 2>error
is $? 1 "something that stays in the way: exit status 1"
like "$(cat error)" '^pith: stays\.clog2: .*: File exists' "something that stays in the way: what it says"

# waits STATUS WHAT COMMAND...: ends by itself, with the status
waits() {
    local status=$1 what=$2; shift 2
    timeout -s KILL 30 "$@" >out.txt 2>error
    is $? "$status" "$what: ends" || sed 's/^/# /' error
}
mkfifo pipe.pith
for command in info print stat check; do waits 1 "$command of a named pipe" pith $command pipe.pith; done
like "$(cat error)" '^pith: pipe\.pith: is no regular file; write it to a file first' "a named pipe: what it says"
waits 1 "a device" pith info /dev/zero
if [ -x "$build/libexec/pith/pith-draw" ]; then
    mkfifo plain.alog.notes
    waits 1 "notes that are a named pipe" pith draw --notes plain.alog -o notes.svg
    is "$(cat error)" "pith: plain.alog.notes: is not a regular file" "notes that are a named pipe: what it says"
    rm plain.alog.notes && ln -s /dev/zero plain.alog.notes
    waits 1 "notes that are a device" pith draw --notes plain.alog -o notes.svg
    rm plain.alog.notes && truncate -s 1G plain.alog.notes
    waits 1 "notes of 1 GiB" pith draw --notes plain.alog -o notes.svg
    is "$(cat error)" "pith: plain.alog.notes: is larger than 64 MiB" "notes of 1 GiB: what it says"
    rm plain.alog.notes
fi
pith convert in.pith out.prv
rm out.pcf out.row && mkfifo out.pcf out.row
waits 0 "the files beside a Paraver trace are named pipes" pith info out.prv
mkdir trace.ctf && mkfifo trace.ctf/metadata
waits 1 "the metadata of a CTF trace" pith info trace.ctf
mkdir run.pith.spill && mkfifo run.pith.spill/a.spill
waits 1 "a spill file" pith recover run.pith.spill -o recovered.pith

# Pipes that the user names
is "$(pith convert in.pith /dev/stdout --format alog | wc -l)" "$(pith convert in.pith again.alog && wc -l <again.alog)" "/dev/stdout"
mkfifo way.txt
pith print in.pith >wanted.txt
cat way.txt >got.txt &
pith convert in.pith way.txt
wait
cmp <(grep -v '^#' wanted.txt) <(grep -v '^#' got.txt)
ok $? "a named pipe for output"
if [ -x "$build/bin/wrappergen" ]; then
    printf '{{fn name MPI_Send}}\n// {{name}}\n{{endfn}}\n' >one.w
    wrappergen -o wanted.c one.w && wrappergen -o got.c <(cat one.w)
    is "$(grep -v '#line' got.c | md5sum)" "$(grep -v '#line' wanted.c | md5sum)" "process substitution for wrappergen"
fi
finish
