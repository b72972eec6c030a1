#!/usr/bin/env bash
# `pith serve`: what it answers and refuses (serve_checks.py, by sockets); where it listens; how it ends; and its page in
# Chromium, which shows what the page with the log inside shows (serve_page_checks.py).
. "$(dirname "$0")/../lib.sh"

mkdir -p alone/bin && cp "$build/bin/pith" alone/bin/
is "$(alone/bin/pith serve x 2>&1 | sed 's/.*exist; //')" "install libmicrohttpd with its headers, then run make again" "without its part: what is missing"
if [ ! -x "$build/libexec/pith/pith-serve" ]; then
    skip "pith serve" "no libmicrohttpd"
    finish
fi
if [ ! -e "$build/share/pith/page/viewer.html" ]; then
    is "$(pith serve . 2>&1)" "pith: serve: this pith was built without the page; install clang, lld, wasi-libc, libclang-rt-dev-wasm32 and node-pako, and build it again" "without the page: what is missing"
    finish
fi

# serve ARGUMENT...: starts it in the background; $server is its process, $link its link.
serve() {
    mkfifo link.$((++served)) && rm -f said
    pith serve "$@" >link.$served 2>said &
    server=$!
    read -r link <link.$served
    until [ -s said ]; do sleep 0.01; done
}
served=0
ends() { # SIGNAL WHAT
    kill -"$1" "$server"
    wait "$server"
    is "$?" 0 "$2"
}
listens() { # the local addresses that the process listens on
    local socket
    for socket in /proc/"$1"/fd/*; do readlink "$socket"; done 2>/dev/null | sed -n 's/^socket:\[\(.*\)\]/\1/p' >sockets
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" { print $10, $2 }' | grep -wFf sockets | cut -d' ' -f2 | xargs
}
trap 'kill "$server" $(cat "$scratch/job") 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT

# ---- the command line ------------------------------------------------------------------------------------------------
said() { "$@" 2>&1 >/dev/null; echo "$?"; }
is "$(said pith serve | xargs)" 'pith: serve: LOG or FOLDER is missing; see `pith help serve` 2' "no log"
is "$(said pith serve a b | xargs)" 'pith: serve: one LOG or FOLDER only; see `pith help serve` 2' "two"
is "$(said pith serve --port 0 . | xargs)" 'pith: serve: --port: not a number from 1 to 65535: 0; see `pith help serve` 2' "no port"
is "$(said pith serve --write . | xargs)" 'pith: serve: no such option: --write; see `pith help serve` 2' "no such option"
is "$(said pith serve absent.pith | xargs)" "pith: serve: absent.pith: cannot be opened: No such file or directory 1" "no file"
like "$(said pith serve --listen example . | xargs)" '^pith: serve: --listen: not the number of an address: example: .* 1$' "a name to listen on"
like "$(said pith serve --listen 192.0.2.1 . | xargs)" '^pith: serve: 192.0.2.1, port 0: .* 1$' "an address of another machine"

# ---- the server ------------------------------------------------------------------------------------------------------
mkdir folder folder/inner.pith.d
python3 "$top/test/analyze/random_log.py" 3 3
awk -F '\t' 'BEGIN { OFS = FS } /^[0-9]/ { $1 = sprintf("%.9f", $1 * 100000) } { print }' 3.txt >folder/words.txt
pith convert folder/words.txt folder/run.pith
cp folder/run.pith secret.pith && cp folder/run.pith "folder/a & b.pith" && cp folder/run.pith folder/.hidden.pith
"$build/test/bench/make_big_log" next.pith 2 4 20000
ln -s ../secret.pith folder/link.pith
ln -s run.pith folder/inner.pith
echo "notes" >folder/notes.md && echo "no log" >folder/README.txt
# What they are decides, not what they are called.
for format in alog clog2 slog2 picl paje chrome; do pith convert folder/run.pith folder/as-$format --format=$format 2>/dev/null; done
cp folder/words.txt folder/words && gzip folder/words && mv folder/words.gz folder/packed
pith convert folder/run.pith folder/par.prv 2>/dev/null
serve folder
like "$link" '^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' "a link"
port=${link#http://*:} port=${port%%/*}
is "$(cat said)" "pith: serve: open the link on this machine; or on another one, after: ssh -L $port:127.0.0.1:$port $(hostname)" "and how to come to it"
is "$(listens "$server")" "0100007F:$(printf %04X "$port")" "it listens on this machine only, once"
first=$link
like "$(said pith serve --port "$port" . | xargs)" "^pith: serve: 127.0.0.1, port $port: Address already in use 1$" "a port that is taken"
timeout 600 python3 "$top/test/viewer/serve_checks.py" "$link" >checks.out 2>checks.err
is "$?" 0 "the checks come to their end" || tail -n 5 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out
ends INT "Ctrl-C ends it"
is "$(wc -l <said)" 1 "without a word"
is "$(ls folder | xargs)" "README.txt a & b.pith as-alog as-chrome as-clog2 as-paje as-picl as-slog2 broken.pith inner.pith inner.pith.d link.pith notes.md packed par.pcf par.prv par.row words.txt" "nothing was written into the folder"

# Ends while a log is prepared: the process that does it ends, too.
mkdir -p slow/bin slow/libexec/pith && ln -s "$build/share" slow/share && cp "$build/libexec/pith/pith-serve" slow/libexec/pith/ &&
    printf '#!/bin/sh\necho $$ >%s/job\nexec sleep 1000\n' "$scratch" >slow/bin/pith && chmod +x slow/bin/pith
mkfifo slow.link
slow/libexec/pith/pith-serve secret.pith >slow.link 2>said &
server=$!
read -r link <slow.link
ok $([ "$link" != "$first" ]; echo $?) "each time another token"
# fetch URL: what the server answers, by bash alone: a hundred logs are asked for, and a start of Python costs 0.1 s.
fetch() {
    local host=${1#http://} path
    path=/${host#*/} host=${host%%/*}
    { printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$path" "$host" >&9 && sed '1,/^\r$/d' <&9; } 9<>"/dev/tcp/${host%:*}/${host##*:}"
}
like "$(fetch "${link}facts?log=secret.pith")" '"state":"working"' "a log that takes its time"
until [ -s job ]; do sleep 0.02; done
ends TERM "SIGTERM ends it meanwhile"
ok $(! kill -0 "$(cat job)" 2>/dev/null; echo $?) "and the process that reads the log"

# What has failed is tried again when its page is loaded.
printf '#!/bin/sh\n[ -e %s/good ] || exit 1\nexec %s "$@"\n' "$scratch" "$build/bin/pith" >slow/bin/pith
slow/libexec/pith/pith-serve secret.pith >slow.link 2>said &
server=$!
read -r link <slow.link
state() {
    until fetch "${link}facts?log=$1" >now && ! grep -q '"working"' now; do sleep 0.02; done
    grep -o '"state":"[a-z]*"' now
}
is "$(state secret.pith)" '"state":"failed"' "a log that cannot be prepared"
touch good
is "$(state secret.pith)" '"state":"failed"' "it stays so"
fetch "$link" >page
is "$(state secret.pith)" '"state":"ready"' "until its page is loaded again"
ends TERM "and the server ends"

# Many logs, few descriptors, and a parent that ignores SIGCHLD, which processes inherit.
mkdir many
for ((i = 0; i < 100; i++)); do cp secret.pith many/$i.pith; done
echo "no log" >many/broken.pith
(trap '' CHLD; ulimit -n 250; exec pith serve many >slow.link 2>said) &
server=$!
read -r link <slow.link
is "$(for ((i = 0; i < 100; i++)); do state $i.pith; done | sort | uniq -c | xargs)" '100 state:ready' "a folder with more logs than descriptors"
is "$(state broken.pith)" '"state":"failed"' "SIGCHLD ignored: what fails is seen"
is "$(python3 - "$link" <<'END'
import sys, time, urllib.request
statuses = set()
for end in range(3000):
    answer = urllib.request.urlopen(sys.argv[1] + "bytes?log=0.pith&bytes=0-7")
    statuses.add(answer.status)
    if answer.status == 200:
        break
    time.sleep(0.01)
print(sorted(statuses), answer.read() == b"\x89Pith\r\n\x1a")
END
)" "[200, 202] True" "a log that was forgotten meanwhile is read again for its page"
ends TERM "and the server ends"

# More clients than it takes at a time, which say nothing.
serve secret.pith
is "$(timeout 60 python3 - "$link" <<'END'
import socket, sys, time, urllib.request
from urllib.parse import urlsplit
clients = []
for i in range(300):
    clients.append(socket.create_connection(("127.0.0.1", urlsplit(sys.argv[1]).port)))
    try:
        clients[-1].sendall(b"GET /")
    except OSError: # the server has ended it
        pass
begin = time.monotonic()
statuses = [urllib.request.urlopen(sys.argv[1] + "facts?log=secret.pith", timeout=50).status for _ in range(3)]
is_soon = time.monotonic() - begin < 20 # nobody waits until a silent one is given up
for client in clients:
    client.close()
print(*statuses, urllib.request.urlopen(sys.argv[1] + "facts?log=secret.pith", timeout=50).status, is_soon)
END
)" "200 200 200 200 True" "many silent clients do not keep others out"
ends TERM "and the server ends"

# The network, if it is asked for.
serve --listen 127.0.0.2 secret.pith
like "$link" '^http://127\.0\.0\.2:' "--listen: another address"
like "$(cat said)" 'whoever has the link can read what is served; it is sent without encryption$' "with a warning"
like "$(fetch "${link}facts?log=secret.pith")" '"name":"secret.pith"' "which answers"
ends HUP "the end of its terminal ends it"

serve --listen 0.0.0.0 secret.pith
like "$link" "^http://$(hostname):" "--listen on all addresses: the link has the name of the machine"
port=${link##*:} port=${port%%/*}
is "$(listens "$server")" "00000000:$(printf %04X "$port")" "where it listens"
like "$(fetch "${link/$(hostname)/127.0.0.1}facts?log=secret.pith")" '"name":"secret.pith"' "and answers"
ends INT "until Ctrl-C"

# ---- far files -------------------------------------------------------------------------------------------------------
if ! command -v node >/dev/null; then skip "far files" "no node"; else
    node "$top/test/viewer/far_worker_check.js" "$top/viewer/serve/far_worker.js" >checks.out 2>checks.err
    is "$? $(tail -n 1 checks.out)" "0 1..23" "the checks of far files come to their end" || tail -n 5 checks.err | sed 's/^/# /'
    checks_of checks.out
    # What `pith --prepare` has chosen is all that a page reads until its first picture.
    "$build/test/bench/make_big_log" mpi.pith 16 16 80000 mpi && "$build/test/bench/make_big_log" many.pith 300 300 5000
    "$build/test/bench/make_big_log" small.pith 4 4 5000 mpi
    for log in mpi many small; do
        pith --prepare $log.pith 3>copy 4>digest 5>first
        is "$? $(stat -c %s copy)" "0 0" "$log.pith is prepared"
        node "$top/test/viewer/serve_first_check.js" "$build" $log.pith digest first >checks.out 2>checks.err
        is "$? $(tail -n 1 checks.out)" "0 1..6" "the checks of its first picture come to their end" || tail -n 5 checks.err | sed 's/^/# /'
        checks_of checks.out "$log.pith: "
    done
    # On a full disk it is cut after a part: the page would wait for ever for what lacks of half a part.
    mkdir small
    if mount -t tmpfs -o size=64k none small 2>/dev/null; then
        pith --prepare mpi.pith 3>copy 4>digest 5>small/first
        is "$(python3 - small/first <<'END'
import struct, sys
data, at = open(sys.argv[1], "rb").read(), 0
while at < len(data):
    at += 12 + struct.unpack("<I", data[at + 8:at + 12])[0]
print(len(data) > 1024, at - len(data))
END
)" "True 0" "a full disk: what the first picture reads has whole parts"
        umount small
    else
        skip "a full disk" "may not mount a small file system"
    fi
fi

# ---- the page --------------------------------------------------------------------------------------------------------
if ! command -v chromium >/dev/null; then
    skip "the page in a browser" "no chromium"
    finish
fi
rm -rf folder && mkdir folder
bad=$'"><script>document.title="caught"<' # a name cannot have a slash
cp secret.pith "folder/$bad.pith"
cp secret.pith folder/run.pith && cp 3.txt folder/words.txt
"$build/test/bench/make_big_log" folder/large.pith 8 8 150000 && "$build/test/bench/make_big_log" vast.pith 8 8 250000 &&
    cp vast.pith folder/ && pith draw vast.pith --viewer -o vast.html && "$build/test/bench/make_big_log" last.pith 2 4 20000
pith draw folder/run.pith --viewer -o run.html && cp folder/large.pith large.pith && pith draw large.pith --viewer -o large.html
serve folder
timeout 600 python3 "$top/test/viewer/serve_page_checks.py" "$scratch/chromium" "$link" "$server" >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || { tail -n 5 checks.err | sed 's/^/# /'; kill "$server"; }
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "page: "
wait "$server"
is "$?" 0 "the server ended while a page was open"
finish
