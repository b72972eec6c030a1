#!/usr/bin/env bash
# The rooms (CONTRIBUTING.md): who may include whom; and the habits a machine can watch.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "rooms" "not a git checkout"; finish; }

# includes PATTERN PATH...: files that include what matches PATTERN.
includes() { local pattern=$1; shift; tree "$@" | grep -E '\.(c|h|w)$' | xargs -r grep -nE "^ *# *include *[<\"]$pattern" 2>/dev/null; }

is "$(includes 'mpi\.h' formats liblog viewer)" "" "mpi.h is included in wrappers only"
is "$(includes '(tcl|tk)(Decls)?\.h' formats liblog wrappers samples)" "" "tcl.h and tk.h in viewer only"
is "$(includes 'cairo[^>\"]*\.h' formats liblog wrappers samples)" "" "cairo in viewer only"
is "$(includes 'X11/[^>\"]*\.h' formats liblog wrappers samples | grep -v '^wrappers/mpe/')" "" "X11 in viewer and in MPE's graphics only"
is "$(includes 'microhttpd\.h' . | cut -d: -f1)" "viewer/serve/serve_http.c" "the HTTP library in one file"
is "$(includes 'Python\.h' . | grep -v '^wrappers/python/')" "" "Python.h in the Python package only"
is "$(includes 'zlib\.h' . | cut -d: -f1)" "formats/base/zip.c" "zlib.h in one file"
is "$(includes 'pcre2\.h' . | cut -d: -f1)" "wrappers/wrappergen/regex.c" "pcre2.h in one file"
is "$(includes 'pthread\.h' formats | grep -vE '^formats/(tools/|base/(error\.c|worker\.[ch]|scratch\.c):|analysis/waits/read_ahead\.c:)')" "" \
    "no threads in formats, but in the commands, as workers, and to read ahead; error.c keeps a text for each, scratch.c counts what all have in memory"
is "$(includes '(\.\./|liblog/|wrappers/|viewer/)' formats)" "" "formats knows nobody"
# Layers of formats/, lowest first: each includes only itself and those before it, and calls no function of a later one.
layers=(base native spill reader symbols analysis foreign tools)
later=
for ((i = ${#layers[@]} - 1; i > 0; i--)); do
    later+="${later:+|}${layers[i]}"
    is "$(includes "($later)/" "formats/${layers[i - 1]}")" "" "formats/${layers[i - 1]} includes no later layer"
done
is "$(includes 'symbols/' formats/analysis formats/foreign)" "" "libpithlog does not need symbols, and so libdw"
is "$(includes 'reader/(index|query)/' formats/reader/read | grep -v '"reader/query/filter\.h"')" "" "formats/reader/read includes no later room, but for filters"
is "$(includes 'reader/query/' formats/reader/index)$(includes 'reader/index/' formats/reader/query)" "" "nor do the other two know each other"
# Rooms of formats/analysis, lowest first: each includes only itself and those before it. Other layers see its headers outside of them.
rooms=(waits graph correct replay causes findings)
later=
for ((i = ${#rooms[@]} - 1; i > 0; i--)); do
    later+="${later:+|}${rooms[i]}"
    is "$(includes "analysis/($later)/" "formats/analysis/${rooms[i - 1]}")" "" "formats/analysis/${rooms[i - 1]} includes no later room"
done
is "$(includes "analysis/[a-z_]+/" formats/foreign formats/tools)" "" "no room of formats/analysis is included from outside"
upwards=$(for layer in "${layers[@]}"; do
    tree "formats/$layer/*.c" | sed "s|^|$build/obj/|; s|c\$|o|" | xargs nm -A 2>/dev/null | awk -v layer="$layer" '$(NF - 1) ~ /^[TDBRVWU]$/ { print layer, $(NF - 1), $NF }'
done | awk -v order="${layers[*]}" 'BEGIN { n = split(order, name, " "); for (i = 1; i <= n; i++) rank[name[i]] = i }
    $2 != "U" { home[$3] = $1 } $2 == "U" { uses[$1 " " $3] = 1 }
    END { for (u in uses) { split(u, part, " "); if (part[2] in home && rank[home[part[2]]] > rank[part[1]]) print part[1] " uses " part[2] " of " home[part[2]] } }')
is "$upwards" "reader uses pithi_formats of foreign" "no layer calls a later one; the reader has the table of formats"
is "$(includes '(\.\./|reader/|analysis/|foreign/|tools/|wrappers/|viewer/)' liblog)" "" "liblog knows the lower layers of formats only"
is "$(includes '(\.\./|formats/|liblog/|viewer/)' wrappers)" "" "wrappers knows public headers only"
is "$(includes '(base|native|spill|reader|symbols|analysis|foreign|tools)/' wrappers viewer | grep -vE '"base/(nearest|cause|launcher|say|watch_file|hash|open_file|shell_word|wide)\.h"|^wrappers/compensate/.*<analysis/delay_rule\.h>|^wrappers/also/functions/.*"symbols/code_file\.h"|^viewer/wasm/module\.c:.*"base/(put_json|far)\.h"|^viewer/serve/.*"base/(put_json|file_at|format_names|temporary|zip)\.h"')" \
    "" "of formats, wrappers and viewer know what helps with messages, files, launchers, hashes and 128 bits; compensate its rule; functions their names; the module JSON and far files; the server files and zip"
is "$(includes '(\.\./|formats/|liblog/|wrappers/|pithi)' viewer)" "" "viewer knows the reader only"
folders=$(git -C "$top" ls-files formats liblog wrappers viewer | sed -E 's|/[^/]*$||; s|^(formats/foreign\|formats/wasm)/.*|\1|; s|^(wrappers/[a-z_]*)/.*|\1|; s|^(viewer/[a-z]*)/core.*|\1|' |
    grep -vxE 'formats|formats/reader|formats/analysis|wrappers|viewer|viewer/core' | sort -u)
listed=$(sed -n '/^## The folders/,/^###/p' "$top/CONTRIBUTING.md" | grep -oE '`(formats|liblog|wrappers|viewer)[a-z_/]*`' | tr -d '`' | sort -u)
is "$listed" "$folders" "CONTRIBUTING.md lists all folders"
is "$(tree 'viewer/core/*.[ch]' | cut -d/ -f3 | sort -u | xargs)" "cells measure raster rows scene" "the drawing core has five rooms"
is "$(includes 'core/(scene|measure)/' viewer/core/raster viewer/core/measure | grep -v '"core/measure/')" "" "the core's raster and measure know no scene"
is "$(for room in viewer/core/*/; do grep -qF "| \`${room#viewer/}\` |" viewer/README.md || echo "$room"; done)" "" "each says which question it answers"
is "$(includes '(pithi|spill|segment|pith_tool)' samples)" "" "samples know public headers only"

sources=$(tree '*.c' '*.h' '*.w' '*.tcl' '*.js' '*.sh' '*.mk' Makefile | grep -v '^test/golden/')
is "$(tree '*.c' | sed 's|.*/||' | sort | uniq -d)" "" "a source file's name is unique in the tree"
is "$(grep -nE '(^|[^A-Z])(TODO|FIXME|XXX|HACK)([^A-Z]|$)' $sources /dev/null | grep -v '^test/lint/test_rooms.sh:')" "" "no marker of unfinished work"
is "$(grep -nE '[[:space:]]+$' $sources /dev/null | cut -d: -f1,2 | head)" "" "no blanks at line ends"
is "$(tree '*.c' '*.h' '*.tcl' | xargs grep -nP '\t' /dev/null | cut -d: -f1,2 | head)" "" "no tabs in C and Tcl"
is "$(tree '*.c' '*.h' | xargs awk 'length($0) > 120 { print FILENAME ":" FNR }' | grep -v '^formats/colours\?.*\.h\|_table' | head)" "" "no C line over 120 columns"
is "$(tree '*.js' '*.css' | xargs awk 'length($0) > 120 { print FILENAME ":" FNR }')" "" "no line of a page's script over 120 columns"
is "$(tree '*.mk' Makefile | xargs awk 'length($0) > 120 { print FILENAME ":" FNR }')" "" "no make line over 120 columns"
is "$(git ls-files '*.o' '*.so' '*.a' '*.pith' '*.spill')" "" "nothing built is committed"
is "$(tree 'test/*.sh' .ci/run | xargs grep -nE '[^|]\| *(LC_ALL=C )?grep -[a-zA-Z]*q' | grep -v '^test/lib.sh:[0-9]*:#')" "" "behind a pipe, grep reads to the end: with pipefail, what writes to it must not find it gone"
for script in $(tree '*.sh' .ci/run test/run install-deps samples/demo); do
    bash -n "$script" || ok 1 "$script: bash syntax"
done
is "$(for f in $(tree 'test/*/test_*.sh' .ci/run test/run install-deps samples/demo); do [ -x "$f" ] || echo "$f"; done)" "" "scripts are executable"
# A set-user-ID program that is linked with Pith must not be told by its user's environment where to write.
is "$(tree liblog wrappers formats/base formats/native formats/spill ':!wrappers/wrappergen' ':!wrappers/run/run.c' ':!wrappers/run/program.c' | xargs grep -nE '[^_a-z]getenv\(')" "" "what runs inside programs asks secure_getenv"
# Several ranks write at a time; fprintf gives stderr a line in pieces (formats/base/say.h). (Users compile real.c alone.)
is "$(tree 'liblog/*.[ch]' 'wrappers/*.[chw]' ':!wrappers/wrappergen/*' ':!wrappers/run/*.[ch]' ':!wrappers/mpi/real.c' | xargs grep -nE 'f(printf|puts)\(.*stderr|dprintf\(standard_error|perror\(')" \
    "" "in the program's processes messages are written by say.h"
finish
