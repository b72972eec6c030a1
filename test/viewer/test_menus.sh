#!/usr/bin/env bash
# Menus and buttons: how many entries there are, and what each says of itself (menus_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith menus_checks.tcl
is "$(grep -v '^ok\|^#' checks.out)" "" "nothing else is said"
is "$(python3 - "$top" <<'END'
import re, sys
formats = open(sys.argv[1] + "/formats/base/formats.def").read()
read = [suffix for row in re.findall(r"^FORMAT\((.*?)\)\n(?=FORMAT|\Z)", formats, re.M | re.S) if ".read =" in row
        for suffix in re.search(r'"([^"]*)"', row)[1].split()]
shown = re.search(r"{All logs} {([^}]*)}", open(sys.argv[1] + "/viewer/tcl/window.tcl").read())[1].split()
print(len(read), [suffix for suffix in read if "." + suffix.split(".")[-1] not in shown])
END
)" "19 []" "the dialog that opens logs shows those of all formats"
finish
