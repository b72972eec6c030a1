#!/usr/bin/env bash
# pith help, --version, and the tables behind them.
. "$(dirname "$0")/../lib.sh"
version=$(awk '/define PITH_VERSION_/ { v = v s $3; s = "." } END { print v }' "$top/liblog/pith.h")
is "$(pith --version)" "pith $version" "pith --version"
is "$(pith help)" "$(pith --help)" "pith --help is pith help"
is "$(pith)" "$(pith help)" "pith alone is pith help"
is "$(pith help | grep '^  print')" "  print      print every record as a line, in time order" "a line a command"
for command in $(pith help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    like "$(pith help "$command" | head -n 1)" "^usage: pith $command " "pith help $command"
done
is "$(pith print --help)" "$(pith help print)" "pith print --help is pith help print"
for command in $(pith help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = run ] || is "$(pith "$command" absent.pith x --help; pith "$command" absent.pith -h x)" "$(pith help "$command" && pith help "$command")" "pith $command LOG --help, -h"
done
is "$(pith run -o x.pith --help; pith run --answer -h echo)" "$(pith help run && pith help run)" "pith run OPTION --help, -h"
# (A sanitizer's runtime in preloaded libraries wants to be the first library.)
is "$(ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 pith run echo --help -h 2>/dev/null)" "$(command echo --help -h)" "what follows the program is the program's"
is "$(pith info -- --help 2>&1)" "pith: --help: cannot be opened: No such file or directory" "after -- it is a name"
is "$(pith help | awk 'length > 120')" "" "no line is too long"

# The formats.
for format in native text csv json; do
    like "$(pith help formats)" "^$format " "pith help formats: $format"
done

# Environment variables: the table, the help and the manual agree, and the sources read no others.
table=$(sed -n 's/^ENV("\([A-Z_]*\)".*/\1/p' "$top/formats/tools/env.def" | sort)
like "$table" PITH_LOG "formats/tools/env.def has rows"
is "$(pith help env | sed -n 's/^\([A-Z_]*\) (.*/\1/p' | sort)" "$table" "pith help env says all of formats/tools/env.def"
is "$(sed -n 's/^\.BR \(PITH_[A-Z_]*\) .*/\1/p' "$top/man/pith.7" | sort)" "$table" "man/pith.7 says all of it"
manual=$(man -E UTF-8 -l "$top/man/pith.7" 2>/dev/null | tr -s ' \n' ' ')
while IFS= read -r line; do
    case $manual in *"${line//\`/}"*) ok 0 "man/pith.7: ${line%% *} as in the table" ;; *) ok 1 "man/pith.7: $line" ;; esac
done < <(pith help env | grep '^PITH_')
used=$(grep -rhoE '"PITH_[A-Z_]+"' "$top"/formats "$top"/liblog "$top"/wrappers "$top"/viewer --include='*.c' --include='*.h' --include='*.w' | tr -d '"' | sort -u)
used+=$'\n'$(grep -rhoE 'env\(PITH_[A-Z_]+\)' "$top"/viewer --include='*.tcl' | sed 's/env(\(.*\))/\1/' | sort -u)
is "$(comm -13 <(echo "$table") <(sort -u <<<"$used") | grep . | tr '\n' ' ')" "" "no source names a variable that the table lacks"

# Commands that live in programs of their own.
mkdir -p alone/bin && cp "$build/bin/pith" alone/bin/ && ln -s pith alone/bin/upshot
for command in run draw serve view; do
    alone/bin/pith $command x 2>err; status=$?
    like "$status $(wc -l <err) $(cat err)" "^1 1 pith: $command: this part was not built: $scratch/alone/bin/../libexec/pith/pith-$command does not exist; " "pith $command without that part"
done
alone/bin/upshot x 2>err
like "$? $(cat err)" "^1 pith: view: this part was not built" "upshot is pith view"
mkdir -p alone/libexec/pith
printf '#!/bin/sh\necho "$0 $@"\nexit 7\n' >alone/libexec/pith/pith-view
chmod +x alone/libexec/pith/pith-view
is "$(alone/bin/pith view 'a b' -x)" "$scratch/alone/bin/../libexec/pith/pith-view a b -x" "pith view starts it with its arguments"
alone/bin/upshot log >out
is "$? $(cat out)" "7 $scratch/alone/bin/../libexec/pith/pith-view log" "upshot too; the exit status is the program's"
finish
