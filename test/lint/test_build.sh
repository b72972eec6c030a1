#!/usr/bin/env bash
# A second `make` builds nothing; one changed header builds what includes it.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
# The build tree under the name that the outer make knows it by, and that make's variables, but not its job server.
make=(env "MAKEFLAGS=$(sed -E 's/-j[0-9]*//g; s/--jobserver-(auth|fds)=[^ ]*//g' <<<"${MAKEFLAGS:-}")" make --no-print-directory "O=${O:-build}")
"${make[@]}" all >/dev/null 2>&1
touch "$scratch/then"
is "$("${make[@]}" all 2>&1)" "" "a second make says nothing"
is "$(find "$build" -type f -newer "$scratch/then" | head)" "" "and writes nothing"
like "$("${make[@]}" -n -W formats/pithlog.h all 2>&1)" '-o [^ ]*obj/formats/[a-z/]*\.o' "a changed header is noticed"
like "$("${make[@]}" -n CFLAGS=-O0 lib 2>&1)" '-O0 .*-c -o' "changed flags are noticed"
"${make[@]}" all >/dev/null 2>&1 # with the flags as they were
like "$("${make[@]}" help)" 'make check' "make help"
finish
