#!/usr/bin/env bash
# `pith draw --theme`, `--palette`: what is in the files.
. "$(dirname "$0")/../lib.sh"
if [ ! -e "$build/libexec/pith/pith-draw" ]; then
    skip "pith draw" "not built here: no cairo"
    finish
fi
make_log=$build/test/viewer/make_log
"$make_log" plain plain.pith && "$make_log" rich rich.pith
ok $? "logs are made"
# colours FILE.svg: those in it.
colours() { grep -oE '#[0-9a-f]{6}|rgb\([^)]*\)' "$1" | sort -u; }

pith draw plain.pith -o light.svg -e 'names off' && pith draw plain.pith -o same.svg --theme light --palette log -e 'names off'
cmp light.svg same.svg
ok $? "light and log are what is drawn when nothing is said"
pith draw plain.pith -o dark.svg --theme dark -e 'names off'
ok $? "dark"
is "$(colours dark.svg | grep -c '#15191e')$(colours light.svg | grep -c '#15191e')" 10 "the paper is dark"
is "$(colours dark.svg | grep -c '#ffffff')" 0 "nothing is left of the light one"
is "$(colours dark.svg | grep -c '#cc0000')" 1 "colours that can be seen are the log's"
pith draw plain.pith -o safe.svg --palette safe
is "$(colours safe.svg | grep -cE '#(449999|cc7700|0044bb)')" 3 "the first safe colours"
is "$(colours safe.svg | grep -c '#cc0000')" 0 "and none of the log's"
pith draw rich.pith -o classic.svg --palette classic
is "$(colours classic.svg | grep -cE '#(a020f0|87ceeb|98fb98|ff4500)')" 4 "MPE's purple, SkyBlue, PaleGreen and OrangeRed"
for bad in 'theme pink' 'palette pink'; do
    out=$(pith draw plain.pith -o bad.svg --${bad/ / } 2>&1)
    like "$?:$out" "^2:pith: draw: --$bad: must be " "--$bad: refused"
done
[ ! -e bad.svg ]
ok $? "without a file"
finish
