#!/usr/bin/env bash
# install-deps: silent when all is there; installs what is not; says the command where it may not.
. "$(dirname "$0")/../lib.sh"

is "$("$top/install-deps" demo 2>&1; echo $?)" 0 "silent when nothing is missing for make demo"
is "$("$top/install-deps" viewer 2>&1; echo $?)" 0 "nor for pictures in files and the window"
like "$("$top/install-deps" nonsense 2>&1; echo "exit $?")" 'exit 2' "another word is a usage error"

# A machine of our own: every tool by link, but no wish and no hpcc; apt-get, id and sudo are scripts.
mkdir bin
for tool in pdftotext bash awk cat mktemp rm tail printf env cc gcc make pkg-config tclsh python3 g++ gfortran clang Xvfb Xorg xdpyinfo identify chromium protoc man groff \
    mpiexec.mpich mpicc.mpich mpiexec.openmpi mpicc.openmpi NPmpich2 NPopenmpi lmp babeltrace2 gs ip pj_dump vite otf2-print eztrace sed ln touch node wasm-ld; do
    path=$(command -v $tool) && ln -s "$path" bin/
done
deps() { env -u MPICC PATH="$scratch/bin" bash "$top/install-deps" "$@" 2>&1; }
script() { printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"; chmod +x "bin/$1"; }

like "$(deps viewer; echo "exit $?")" 'apt-get install .*tk.*' "without apt-get: the command is printed"
like "$(deps viewer; echo "exit $?")" 'exit 1' "and the exit status is 1"

script apt-get "echo \"\$*\" >>$scratch/apt.log; ln -sf /bin/true $scratch/bin/wish"
script id 'echo 1000'
script sudo 'exit 1'
is "$(deps demo; echo $?)" 0 "make demo does without the window"
like "$(deps check)" 'sudo apt-get install -y --no-install-recommends tk hpcc' "no rights: the command for the user to run"
is "$(deps check | grep -c lttng)" 0 "make check does without the peers of make bench"
like "$(deps bench)" 'tk hpcc .*lttng-tools .*uftrace' "make bench: what make check needs, and the peers"
is "$(cat apt.log 2>/dev/null)" "" "and nothing is run"
script sudo "shift; [ \"\$1\" = true ] || { echo sudo >>$scratch/apt.log; exec \"\$@\"; }"
deps viewer >out
is "$?" 0 "sudo without a password: installs"
is "$(grep -c sudo apt.log)" 1 "through sudo"
rm -f bin/wish apt.log
script id 'echo 0'
like "$(joined "$(deps viewer; echo $?)")" '^install-deps: installing: tk[|]install-deps: installed in [0-9]* s[|]0$' "as root: installs"
like "$(cat apt.log)" 'install -y --no-install-recommends tk$' "just what is missing"
is "$(grep -c update apt.log)" 0 "the package lists are left alone when they serve"
is "$(deps viewer; echo $?)" 0 "and then it is silent"
rm -f bin/wish apt.log
script apt-get "echo \"\$*\" >>$scratch/apt.log; case \"\$*\" in *update*) touch $scratch/updated ;; *) [ -e $scratch/updated ] ;; esac"
deps viewer >out
is "$?" 0 "package lists missing: fetched, then installed"
is "$(grep -c update apt.log)" 1 "once"
script apt-get 'echo "E: no network"; exit 100'
like "$(deps viewer; echo "exit $?")" 'E: no network.*|failed; the command was' "a failure shows what apt-get said"
finish
