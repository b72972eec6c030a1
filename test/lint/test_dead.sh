#!/usr/bin/env bash
# Every function of the product has a caller in the product. One that only tests call is a second way to do something, which
# nobody uses; the tests then show nothing of the first way.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "dead functions" "not a git checkout"; finish; }
rooms=(formats liblog wrappers viewer)
sources=$scratch/sources scripts=$scratch/scripts
tree "${rooms[@]}" samples | grep -E '\.(c|h|w|cc|def)$|^viewer/wasm/.*\.js$' >"$sources"
tree 'viewer/*.tcl' 'viewer/*.c' 'man/*.tcl' >"$scripts"

# rare MOST FILES: of the names on standard input those that stand at most so often in the files, comments aside
rare() {
    sort -u >"$scratch/names"
    xargs sed -E '/^ *\/\*/d; /^ *\*( |\/|$)/d; s@/\*.*\*/@@g' <"$2" | grep -owFf "$scratch/names" | sort | uniq -c |
        awk -v most="$1" '$1 <= most { print $2 }' | sort
}

# Functions that several files see: no object needs them, and they stand in their header and where they are defined only.
find "${rooms[@]/#/$build/obj/}" "$build"/obj/{mpi,cxx}-* "$build/obj/serial" -name '*.o' 2>/dev/null | xargs nm -A -P 2>/dev/null |
    awk '$3 == "U" { needed[$2] = 1 } $3 ~ /^[TW]$/ && $2 ~ /^pithi_/ { made[$2] = 1 }
         END { for (name in made) print (name in needed ? "needed " : "own ") name }' >"$scratch/functions"
ok $(($(grep -c '^needed' "$scratch/functions") < 1000)) "the objects are there"
# In memory_calls.c the linker gives some functions the C library's names and versions. pithi_spill_scan reads bytes in memory: of a
# mapped file, the address sanitizer does not see a read behind the end.
is "$(sed -n 's/^own //p' "$scratch/functions" | rare 2 "$sources" | grep -vxE 'pithi_memory_(mmap|mmap64|mremap|munmap)|pithi_spill_scan')" "" \
    "each function pithi_* is called, not by tests only"
is "$(grep '\.h$' "$sources" | xargs sed -nE 's/^static inline [^(;]*[ *]([a-z_0-9]+)\(.*/\1/p' | rare 1 "$sources")" "" "each function of a header is called"
# A procedure whose name stands once is neither called nor handed on.
is "$(grep '\.tcl$' "$scripts" | xargs sed -nE 's/^ *proc +([A-Za-z_0-9:]*::)?([A-Za-z_0-9]+) .*/\2/p' | rare 1 "$scripts")" "" "each procedure of the window is called"
finish
