#!/usr/bin/env bash
# The tarball of a release, and the recipes that are filled from it. (make distcheck builds what is in it, make deb packages it.)
. "$(dirname "$0")/../lib.sh"
git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 || { skip "the tarball" "not a git checkout"; finish; }
# In a clone, for the tarball lies at the top; with the make files as they are now.
command git -c 'safe.directory=*' clone -q --no-local "$top" clone 2>/dev/null && cp "$top/Makefile" clone/ && cp -r "$top/samples/packages" clone/samples/
makes() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C clone "$@"; }
version=$(pith --version | cut -d ' ' -f 2) tarball=clone/pith-$(pith --version | cut -d ' ' -f 2).tar.gz
makes dist >out 2>&1
ok $? "make dist" || cat out
first=$(sha256sum <"$tarball")
(umask 077 && touch clone/README.md && TZ=Asia/Tokyo makes dist) >out 2>&1
is "$(sha256sum <"$tarball")" "$first" "the same bytes at another time, in another zone, with another umask"
is "$(tar -t -f "$tarball" | cut -d/ -f1 | sort -u)" "pith-$version" "one folder with the version"
is "$(tar -t -f "$tarball" | grep -v '/$' | cut -d/ -f2- | sort)" "$(git -C clone ls-files | sort)" "all that is committed, nothing else"
is "$(tar -t -v --full-time -f "$tarball" | awk '{ print $2, $4, $5 }' | sort -u | wc -l)" 1 "one owner and one time"

makes recipes prefix=/opt/pith >out 2>&1
ok $? "make recipes" || cat out
recipes=$PWD/clone/build/recipes
is "$(grep -rlE '@[a-z0-9]+@' "$recipes")" "" "all is filled in"
is "$(grep -rLF "$version" "$recipes")" "" "with the version"
is "$(grep -rlF "$(cut -c 1-64 <<<"$first")" "$recipes" | sed "s|$recipes/||" | sort | xargs)" "conda/meta.yaml spack/package.py" "and the sum of the tarball"
python3 "$top/test/packages/recipes.py" "$recipes" /opt/pith >out 2>&1
ok $? "the recipes for Spack and conda are read" || sed 's/^/# /' out
checks_of out
if ! command -v rpmspec >/dev/null; then echo "# no rpmspec (package rpm): the spec file is not read"; else
    is "$(rpmspec -q --srpm --qf '%{name}-%{version}' "$recipes/pith.spec" 2>out)" "pith-$version" "RPM: rpmspec reads it" || cat out
fi
# The module file is Tcl; these are the commands of modules that it calls.
cat >modules.tcl <<'T'
proc module-whatis text {}
proc conflict name {}
proc prepend-path {name path} { puts "$name=$path" }
proc append-path {name path} {}
source [lindex $argv 0]
T
is "$(head -n 1 "$recipes/modulefile") $(tclsh modules.tcl "$recipes/modulefile" | grep -cE '^[A-Z_]+=/opt/pith(/|$)')" '#%Module1.0 6' "the module leads to the installation"
modules=/usr/share/modules/init/bash
if [ ! -e $modules ]; then echo "# no Environment Modules (package environment-modules): the module is not loaded"; else
    mkdir -p modules/pith && cp "$recipes/modulefile" "modules/pith/$version"
    is "$(env -u MANPATH MODULEPATH="$PWD/modules" bash -c '. '$modules'; module load pith; echo "${PATH%%:*} $(man -w ls 2>&1)"; module unload pith; echo "${PATH%%:*} ${MANPATH-}"' | grep -c '^/opt/pith/bin /')" 1 \
        "loaded by Environment Modules, with the pages of the system"
fi
finish
