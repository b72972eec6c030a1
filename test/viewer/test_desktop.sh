#!/usr/bin/env bash
# What a desktop sees of Pith: the entry of the window, the types of files by name and by bytes, thumbnails.
. "$(dirname "$0")/../lib.sh"
files=$top/viewer/desktop
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top" "O=${O:-build}" pc >/dev/null 2>&1
checked() { # checked PROGRAM PACKAGE ARGUMENT...: it has nothing against a file
    local program=$1 package=$2
    shift 2
    command -v "$program" >/dev/null || { skip "$program" "not installed ($package)"; return; }
    "$program" "$@" >out 2>&1
    ok $? "$program ${!#}" || cat out
}
checked desktop-file-validate desktop-file-utils "$files/pith.desktop"
# (Pith has no home page yet, which appstreamcli minds from 1.0 on.)
if ! command -v appstreamcli >/dev/null; then skip "appstreamcli" "not installed (appstream)"; else
    appstreamcli validate --no-net "$build/pc/pith.metainfo.xml" >out 2>&1
    is "$(grep -E '^[EW]:|Validation' out | grep -v url-homepage-missing | sed 's/.*Validation.*/validated/')" validated "appstreamcli pith.metainfo.xml"
fi

# ---- types ----------------------------------------------------------------------------------------------------------
types=$(sed -n 's/.*<mime-type type="\(.*\)">/\1/p' "$files/pith.xml" | sort)
is "$(sed -n 's/^MimeType=//p' "$files/pith.desktop" | tr ';' '\n' | grep . | sort)" "$types" "the window opens all types"
# Suffixes of the formats that are read; three are left out, as other people use them for more.
known=$(sed -n 's/.*glob pattern="\*\.\([^"]*\)".*/\1/p' "$files/pith.xml")
read=$(cd "$top" && awk '/^FORMAT\(/ { split($0, part, "\""); suffix = part[2]; on = 1 } on && /\.read = / { print suffix; on = 0 }' formats/base/formats.def | tr ' ' '\n')
is "$(comm -3 <(sort -u <<<"$known") <(grep -vxE 'log|txt|text|trace|chrome|paraver' <<<"$read" | sort -u) | xargs)" "" "suffixes are those of the formats that are read"

if ! command -v update-mime-database >/dev/null || ! command -v mimetype >/dev/null; then
    skip "types of files" "no update-mime-database, mimetype (shared-mime-info, libfile-mimeinfo-perl)"
else
    mkdir -p share/mime/packages
    cp "$files/pith.xml" share/mime/packages/
    XDG_DATA_HOME=$PWD/share update-mime-database share/mime >out 2>&1
    is "$? $(cat out)" "0 " "update-mime-database"
    type_of() { XDG_DATA_HOME=$PWD/share mimetype --brief "$@"; }
    printf '# pith print 1\n0.0\t0\t0\tenter\tsolve\n0.1\t0\t0\tleave\tsolve\n' >log.txt
    is "$(type_of -M log.txt)" text/x-pith-records "text, by its bytes"
    while read -r suffix type by_bytes; do
        pith convert log.txt "log.$suffix" 2>/dev/null
        is "$(type_of "log.$suffix")" "$type" "$suffix, by its name"
        [ "$by_bytes" = no ] || is "$(cp "log.$suffix" unnamed && type_of --magic-only unnamed)" "$type" "$suffix, by its bytes"
    done <<'T'
pith application/x-pith-log
clog2 application/x-clog2
slog2 application/x-slog2
alog text/x-alog
trf text/x-picl no
prv text/x-paraver
trace.json application/x-chrome-trace+json
paje text/x-paje
T
    cp "$build/share/pith/wrappergen/real.c" other.json
    is "$(type_of other.json)" application/json "another JSON keeps its type"
    if pith convert log.pith log.otf2 2>/dev/null; then
        is "$(type_of -M "$(echo log.otf2/*.otf2)")" application/x-otf2 "otf2, by its bytes"
    fi
fi

# ---- thumbnails -----------------------------------------------------------------------------------------------------
# As the desktop runs it: %i the file, %o where the picture is to be, %s its size.
if [ ! -x "$build/libexec/pith/pith-draw" ] || ! pith draw log.pith -o try.png >/dev/null 2>&1; then skip "thumbnails" "no cairo"; else
    cp log.pith 'a log; with $(odd) name.pith'
    command=$(sed -n 's/^Exec=//p' "$files/pith.thumbnailer")
    command=${command//%i/\"\$1\"} command=${command//%o/\"\$2\"}
    for size in 128:240 512:512; do
        bash -c "${command//%s/${size%:*}}" - 'a log; with $(odd) name.pith' thumb >out 2>&1
        is "$? $(identify -format '%m %w %h' thumb)" "0 PNG ${size#*:} ${size#*:}" "a thumbnail for ${size%:*} pixels" || cat out
    done
    is "$(sed -n 's/^MimeType=//p' "$files/pith.thumbnailer" | tr ';' '\n' | grep . | sort | comm -23 - <(echo "$types"))" "" "of types of ours"
fi
finish
