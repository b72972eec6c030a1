#!/usr/bin/env bash
# A limit on the size of files (ulimit -f) ends no command halfway: an error, exit status 1, and no file that is not whole.
. "$(dirname "$0")/../lib.sh"
formats=$(pith help formats | awk '$2 ~ /writ/ { print $1 "=" $3 }' | tr -d /)
"$build/test/bench/make_big_log" log.pith 4 4 2000
ok $? "a log"
cp log.pith other.pith
# limited WHAT FILE COMMAND...: what it writes does not fit, where FILE was before that stays
limited() {
    local what=$1 file=$2 out; shift 2
    rm -rf made && mkdir made
    echo before >"made/$file"
    (ulimit -f 2; cd made && exec timeout 60 "$@" >/dev/null 2>../err)
    is "$?" 1 "$what: exit status 1"
    out=$(cat err)
    like "$out" "^[a-z]+: (.*$file|\.\./log.pith: the file for its messages).*[Ff]ile too large" "$what: says why"
    is "$(grep -vc '^pith: note: ' err)" 1 "$what: in one line"
    is "$(ls -A made)$(cat "made/$file" 2>/dev/null)" "${file}before" "$what: leaves what was there"
}
for format in $formats; do
    name=${format%=*} suffix=${format#*=}
    case $name in
    otf2 | ctf) # folders
        rm -rf made && mkdir made
        (ulimit -f 2; cd made && exec timeout 60 pith convert ../log.pith "x.$suffix" >/dev/null 2>../err)
        is "$?" 1 "convert to $name: exit status 1"
        like "$(cat err)" '[Ff]ile (is )?too large' "convert to $name: says why"
        is "$(ls -A made)" "" "convert to $name: leaves nothing" ;;
    *) limited "convert to $name" "x.$suffix" pith convert ../log.pith "x.$suffix" --format "$name" ;;
    esac
done
limited "cut" c.pith pith cut ../log.pith -o c.pith --lane 0-2
limited "recover" r.pith pith recover ../log.pith -o r.pith
limited "merge" m.pith pith merge ../log.pith ../other.pith -o m.pith
limited "draw as SVG" x.svg pith draw ../log.pith -o x.svg
limited "draw as PNG" x.png pith draw ../log.pith -o x.png --size 3000x2000
[ ! -e "$build/share/pith/page/viewer.html" ] || limited "draw as a page" x.html pith draw ../log.pith -o x.html
printf '{{fnall f}}{{callfn}}{{endfnall}}' >all.w
{ for i in {1..200}; do echo "int MPI_Call_$i(int with, int some, int arguments);"; done; } >calls.h
limited "wrappergen" all.c wrappergen -H ../calls.h -o all.c ../all.w
# ---- what is no file is not replaced
rm -rf made && mkdir made && cd made || exit 1
mkfifo pipe
cat pipe >read & pith convert ../log.pith pipe --format text
ok $? "convert to a pipe"
wait; grep -v '^# end$\|^# the last line is' read | cmp -s - <(pith print ../log.pith)
ok $? "the pipe gets the text"
# These formats are not written in order, so a pipe gets them from a temporary file.
for format in native clog2 slog2; do
    pith convert ../log.pith whole --format "$format" 2>err
    cat pipe >copied & pith convert ../log.pith pipe --format "$format" 2>err
    ok $? "convert to a pipe: $format" || cat err
    wait; cmp copied whole
    ok $? "the pipe gets the bytes of a file: $format"
    cat pipe >copied & (ulimit -f 2; exec pith convert ../log.pith pipe --format "$format" 2>err)
    is "$?" 1 "no room for the temporary file: $format: exit status 1"
    like "$(grep -v '^pith: note: ' err)" '^pith: .*temporary.*(too large|TMPDIR).*(too large|TMPDIR)' "which the error names: $format"
    wait; is "$(wc -c <copied)" 0 "the pipe gets nothing: $format"
done
rm whole
mkfifo pipe.svg; ln -s /dev/null null.png
grep -c '</svg>' pipe.svg >read.svg & pith draw ../log.pith -o pipe.svg
ok $? "draw to a pipe"
wait; is "$(cat read.svg)" 1 "the pipe gets the picture"
pith draw ../log.pith -o null.png && [ -L null.png ]
ok $? "draw to a link to a device, which stays"
before=$(stat -c '%F %i' /dev/null /dev/stdout)
for command in "convert ../log.pith /dev/null --format text" "convert ../log.pith /dev/stdout --format text"; do
    pith $command >out
    ok $? "$command"
done
cmp -s out read
ok $? "standard output gets the text, where it is a file"
is "$(stat -c '%F %i' /dev/null /dev/stdout)" "$before" "the devices are what they were"
finish
