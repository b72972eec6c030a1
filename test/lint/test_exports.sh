#!/usr/bin/env bash
# What the libraries export is what the public headers declare: nothing missing, nothing slipped out.
. "$(dirname "$0")/../lib.sh"

# declared HEADER...: the names behind PITH_API and PITHLOG_API.
declared() {
    (cd "$top" && cat "$@") | sed -E 's@/\*.*\*/@@g' | tr '\n' ' ' | grep -oE '(PITH|PITHLOG)_API [^;{]*' |
        sed -nE 's/^[^(]*[ *](pith[a-z_]*_?)\(.*/\1/p; s/^.* __thread .* (pith_buffer_) .*/\1/p' | sort -u
}
exported() { nm -D --defined-only "$1" | awk '$3 !~ /^_/ && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; }

# libpith also wraps two calls of the C library, for samples (liblog/sample_signal.c).
wrapped='sigaction|sigaltstack'
is "$(exported "$build/lib/libpith.so.0" | grep -vxE "$wrapped")" "$(declared liblog/pith.h liblog/pith_tool.h)" "libpith.so"
is "$(exported "$build/lib/libpithlog.so.0")" "$(declared formats/reader/pithlog{,_findings}.h)" "libpithlog.so"
is "$(exported "$build/lib/libpith-null.so.0")" "$(declared liblog/pith.h liblog/pith_tool.h)" "libpith-null.so"

# Each has the version of its library, so that packages can ask for it; those of the C library must have none.
for lib in libpith:PITH_0 libpithlog:PITHLOG_0 libpith-null:PITH_0; do
    is "$(nm -D --defined-only "$build/lib/${lib%:*}.so.0" | awk '$3 !~ /^_/ && $2 != "A" { print $3 }' | grep -vE "^pith[a-z_0-9]*@@${lib#*:}\$" | xargs)" \
        "$([ ${lib%:*} != libpith ] || echo "${wrapped/|/ }")" "${lib%:*}.so: symbol versions"
done

# libpith is loaded into every recorded program: only what recording needs is in it (liblog/README.md, "What is in libpith").
if nm -D "$build/lib/libpith.so.0" | grep -E '__[at]san' >/dev/null; then skip "size of libpith" "a sanitizer build"; else
    text=$(size "$build/lib/libpith.so.0" | awk 'NR == 2 { print $1 }')
    ok $((text > 360000)) "libpith.so: $text bytes of code and constants, 360,000 at most"
fi
if ! git -C "$top" rev-parse --git-dir >/dev/null 2>&1; then skip "layers that are not in libpith" "not a git checkout"; else
    for layer in reader analysis foreign; do
        is "$(nm "$build/lib/libpith.so.0" | awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u | comm -12 - <(cd "$top" && tree "formats/$layer/*.c" | sed "s|^|$build/obj/|; s|c\$|o|" | xargs nm --defined-only | awk '$2 ~ /[TDBR]/ { print $3 }' | sort -u))" "" "libpith.so: nothing of formats/$layer"
    done
fi

# What each thread has lies in the room that the loader keeps for libraries opened late (MPE's, by a program that runs):
# some 1650 bytes with glibc, of which others need a part.
tls() { echo $(($(readelf -lW "$1" | awk '$1 == "TLS" { print $6 }') + 0)); }
if nm -D "$build/lib/libpith.so.0" | grep -E '__[at]san' >/dev/null; then skip "variables of threads" "a sanitizer build"; else
    for lib in "$build"/lib/pith/*/libpith-mpi.so; do
        ok $(($(tls "$build/lib/libpith.so.0") + $(tls "$lib") > 1400)) "${lib#"$build/"} and libpith.so: variables of threads are 1400 bytes at most"
    done
fi

# Our MPI libraries export MPI's own names, dlsym (opened.c), what libpith-pcxx calls (binding.h), and what libpith-mpe asks (comm.h).
for mpi in $(mpis); do
    is "$(exported "$build/lib/pith/$mpi/libpith-mpi.so" | grep -viE '^p?mpix?_' | tr '\n' ' ')" "dlsym pithi_binding_enter pithi_binding_hide pithi_binding_leave pithi_comm_known " "libpith-mpi.so of $mpi: MPI's names, and those for our other libraries"
done

# libpith-cxx exports the names of its namespaces alone.
for mpi in $(mpis); do
    [ ! -e "$build/lib/pith/$mpi/libpith-cxx.so" ] ||
        is "$(nm -DC --defined-only "$build/lib/pith/$mpi/libpith-cxx.so" | awk '$2 ~ /^[TDBVWR]$/' | grep -vE '(P?MPI::pith|pith_cxx)::| std::|operator delete|__clang_call_terminate' | cut -c 20- | tr '\n' ' ')" "" "libpith-cxx.so of $mpi: names of C++ only"
done

# Static libraries: what another program's names could collide with begins with pith.
for lib in libpith.a libpithlog.a libpith-null.a; do
    is "$(nm -g --defined-only "$build/lib/$lib" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vxE "$wrapped" | grep -vE '^(pith_|pithi_|pithlog_|__odr_asan|DW\.ref|__asan|__ubsan|__tsan)' | tr '\n' ' ')" "" "$lib: names begin with pith"
done
is "$(objdump -p "$build/lib/libpith.so.0" | awk '$1 == "SONAME" { print $2 }')" libpith.so.0 "SONAME of libpith"
is "$(objdump -p "$build/lib/libpithlog.so.0" | awk '$1 == "SONAME" { print $2 }')" libpithlog.so.0 "SONAME of libpithlog"
is "$(objdump -p "$build/bin/pith" "$build/lib/libpith.so.0" "$build/lib/libpithlog.so.0" | grep -cE 'RPATH|RUNPATH')" 0 "no run path is built in"
finish
