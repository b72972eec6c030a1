#!/usr/bin/env bash
# Names in six scripts in a picture: each has a font, and is what pdftotext reads.
. "$(dirname "$0")/../lib.sh"

pkg-config --exists 'pangocairo >= 1.44' || { skip "scripts in pictures" "no Pango 1.44"; finish; }
names='compute υπολογισμός вычисление 计算 حساب חישוב'
at=0
for name in $names; do
    printf '%d.000000000\t0\t0\tenter\t%s\n%d.900000000\t0\t0\tleave\t%s\n' $at "$name" $at "$name"
    at=$((at + 1))
done >scripts.txt
pith convert scripts.txt scripts.pith
ok $? "a log with names in six scripts"
pith draw scripts.pith -o scripts.pdf && pdftotext -enc UTF-8 scripts.pdf read.txt
ok $? "its picture is read"
is "$(pdffonts scripts.pdf | tail -n +3 | grep -vc DejaVu)" 1 "with one font more, for what DejaVu Sans lacks"
for name in $names; do
    grep -qF "$name" read.txt
    ok $? "$name is in the picture"
done
finish
