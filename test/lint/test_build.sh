#!/usr/bin/env bash
# A second `make` builds nothing; one changed header builds what includes it.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
# The build tree under the name that the outer make knows it by, and that make's variables, but not its job server, nor its -s.
make=(env "MAKEFLAGS=$(sed -E 's/^([a-zA-Z]*)s/\1/; s/-j[0-9]*//g; s/--jobserver-(auth|fds)=[^ ]*//g' <<<"${MAKEFLAGS:-}")" make --no-print-directory "O=${O:-build}")
"${make[@]}" all >/dev/null 2>&1
touch "$scratch/then"
is "$("${make[@]}" all 2>&1)" "" "a second make says nothing"
# The demo, `make install`, `make abi-now`, `make wheel` and Python, which other tests may run at this moment, write demo/, pc/,
# abi/, wheel/ and pycache/; `make all` has no business there.
is "$(find "$build" \( -path "$build/demo" -o -path "$build/pc" -o -path "$build/abi" -o -path "$build/wheel" -o -path "$build/test/pycache" \) -prune -o -type f -newer "$scratch/then" -print | head)" "" "and writes nothing"
like "$("${make[@]}" -n -W formats/reader/pithlog.h all 2>&1)" '-o [^ ]*obj/formats/[a-z/]*\.o' "a changed header is noticed"
# In a build tree of its own, for changed flags mean that all is made again.
other=("${make[@]}" "O=$scratch/other" "$scratch/other/obj/liblog/null.o")
like "$("${other[@]}" CFLAGS=-O0 2>&1)" '-O0 .*-c -o' "an object is made"
is "$("${other[@]}" -s CFLAGS=-O0 2>&1)" "" "the same flags make nothing"
like "$("${other[@]}" CFLAGS=-O1 2>&1)" '-O1 .*-c -o' "changed flags are noticed"
like "$("${make[@]}" -n CFLAGS=-O3 "O=$scratch/third" "$scratch/third/obj/liblog/null.o" 2>&1)" '-fPIC .*-Iliblog.*-O3' "the user's flags come last, ours survive"
like "$("${make[@]}" help)" 'make check' "make help"
# What a library that is there lacks is said (Debian's tcl9.0-dev comes without libtommath-dev). TCL, too, is one of the flags.
mkdir "$scratch/pc" && printf 'Name: T\nDescription: T\nVersion: 9.9\n' | tee "$scratch/pc/tk9.9.pc" >"$scratch/pc/tcl9.9.pc" && echo 'Requires.private: libnone' >>"$scratch/pc/tcl9.9.pc"
like "$(joined "$(PKG_CONFIG_PATH="$scratch/pc" "${make[@]}" -s "O=$scratch/fourth" missing TCL=tcl9.9 2>&1)")" "window left out\|  Package 'libnone', required by 'tcl9.9', not found" "why there is no window"
is "$("${make[@]}" all 2>&1)" "" "after all of this the build is still the same"
# The build keeps objects whose source has gone, so a test links those that the sources name.
is "$(grep -rnE 'build/obj[^ ]*\*\.o' test --include=*.sh --include=*.mk | grep -v test_build.sh)" "" "no test links all objects that it finds"
finish
