#!/usr/bin/env bash
# `make install` into folders of ours: the list of files, and everything used from there.
. "$(dirname "$0")/../lib.sh"
make=(env "MAKEFLAGS=$(sed -E 's/-j[0-9]*//g; s/--jobserver-(auth|fds)=[^ ]*//g' <<<"${MAKEFLAGS:-}")" make --no-print-directory -C "$top" "O=${O:-build}")
dest="$scratch/a place"
python=$(/usr/bin/python3 -c 'import sys, sysconfig as s; print("%d.%d/" % sys.version_info[:2] + s.get_path("platlib").split("/")[-1])')
touch then
"${make[@]}" install DESTDIR="$dest" prefix=/opt/pith >out 2>&1
ok $? "make install" || cat out
is "$(grep -cE '(^| )-c ' out)" 0 "it compiles nothing"
is "$(find "$build" -name '*.o' -newer then | wc -l)" 0 "no object is made"

# ---- the list -----------------------------------------------------------------------------------------------------
wanted() {
    printf '%s\n' bin/pith bin/upshot bin/wrappergen include/pith.h include/pith_tool.h include/pithlog{,_findings}.h \
        lib/libpith{,log,-null}.{a,so,so.0} lib/pkgconfig/pith{,log}.pc lib/cmake/Pith/PithConfig{,Version}.cmake \
        lib/pkgconfig/pith-null.pc lib/pith/libpith-{run,io,openmp,pthread,memory}.so libexec/pith/pith-run share/pith/wrappergen/{roles.table,bindings.table,real.c} include/pith/real.h
    (cd "$top/samples" && printf 'share/pith/samples/%s\n' README.md ./*.{c,f,f90,py} own-library/* cxx/* slow/*) | sed 's|/\./|/|'
    printf 'share/pith/schemas/%s.schema.json\n' analyze diff print print-columns sql stat time top
    printf 'lib/pith/serial/%s\n' libpith-mpe.a libpith-mpe-null.a libmpe{,_null,_nompi,_nompi_null,_f2cmpi}.a
    printf '%s\n' bin/mpe{cc,fc} share/man/man1/mpe{cc,fc}.1; (cd "$top/wrappers/mpe" && printf 'include/%s\n' $(ls mpe.h mpe_{log,logf,nompi,misc,callstack,graphics,graphicsf}.h 2>/dev/null))
    printf 'share/%s\n' bash-completion/completions/{pith,upshot} zsh/site-functions/_pith fish/vendor_completions.d/{pith,upshot}.fish
    for mpi in $(mpis); do
        printf '%s\n' bin/mpe{cc,fc}."$mpi" "lib/pkgconfig/mpe-$mpi.pc" "lib/pith/$mpi/libpith-"{mpe.so,mpe.a,names.a} "lib/pith/$mpi/shared/lib"{mpe,lmpe,tmpe,ampe,mpe_collchk}.so \
            "lib/pith/$mpi/lib"{mpe,lmpe,tmpe,ampe,mpe_collchk,mpe_null,mpe_nompi,mpe_nompi_null,mpe_f2cmpi}.a
    done
    printf 'lib/pith/abi/libpith-%s.so\n' mpi trace time anim check
    for mpi in $(mpis); do printf '%s\n' "lib/pith/$mpi/libpith-mpi."{so,a} "lib/pith/$mpi/libpith-"{trace,time,anim,check}.so "lib/pkgconfig/pith-mpi-$mpi"{,-static}.pc; done
    for mpi in $(mpis); do
        [ ! -e "$build/lib/pith/$mpi/libpith-cxx.so" ] ||
            printf '%s\n' include/pith-cxx/mpi{,cxx}.h "lib/pith/$mpi/libpith-"{,p}cxx.{so,a} "lib/pkgconfig/pith-"{,p}"cxx-$mpi.pc"
    done | sort -u
    [ ! -e "$build/lib/pith/libpith-functions.so" ] || printf '%s\n' lib/pith/libpith-functions.so libexec/pith/pith-functions
    [ ! -e "$build/libexec/pith/pith-draw" ] || echo libexec/pith/pith-draw
    [ ! -e "$build/libexec/pith/pith-serve" ] || echo libexec/pith/pith-serve
    [ ! -e "$build/share/pith/page/viewer.html" ] || echo share/pith/page/viewer.html
    if [ -e "$build/libexec/pith/pith-view" ]; then
        echo libexec/pith/pith-view
        echo lib/pith/libpithtk.so
        printf 'share/%s\n' applications/pith.desktop icons/hicolor/scalable/apps/pith.svg mime/packages/pith.xml thumbnailers/pith.thumbnailer metainfo/pith.metainfo.xml
        (cd "$top/viewer/tcl" && printf 'share/pith/viewer/%s\n' *.tcl)
    fi
    if [ -e "$build/lib/pith/python/pith/_read.abi3.so" ]; then
        (cd "$build/lib/pith/python/pith" && printf "lib/python$python/pith/%s\n" *.py *.pyi py.typed *.so)
    fi
    (cd "$top/man" && for page in *.[1357]; do echo "share/man/man${page##*.}/$page"; done)
}
is "$(cd "$dest/opt/pith" && find . ! -type d | sed 's|^\./||' | sort)" "$(wanted | sort)" "the files installed"
is "$(cd "$dest" && find . -type f ! -path './opt/pith/*')" "" "nothing outside the prefix"
is "$(grep -rlF "$top" "$dest/opt/pith" --include='*.pc' --include='*.tcl' --include='*.h' --include='*.[1357]')" "" "no path of the source tree in a text"

# ---- used from there ------------------------------------------------------------------------------------------------
# (From a place without blanks: the dynamic linker knows no way to write one in LD_PRELOAD.)
mv "$dest/opt/pith" moved
PITH_PREFIX="$scratch/moved" "$top/test/lint/installed" >out 2>&1
status=$?
grep -E '^(ok|not ok|#)' out >lines
checks_of lines "installed: "
is "$status" 0 "the installation works"

mv moved "$dest/opt/pith"

# ---- other folders, and away again ----------------------------------------------------------------------------------
"${make[@]}" install DESTDIR="$scratch/two" prefix=/usr libdir=/usr/lib/here mandir=/usr/manuals >out 2>&1
ok $? "libdir and mandir of one's own"
[ -e two/usr/lib/here/libpith.so.0 ] && [ -e two/usr/lib/here/pkgconfig/pith.pc ] && ls two/usr/manuals/man1/pith.1 >/dev/null
ok $? "are used"
is "$(PKG_CONFIG_PATH=two/usr/lib/here/pkgconfig pkg-config --variable=libdir pith)" /usr/lib/here "and known to pkg-config"
"${make[@]}" uninstall DESTDIR="$dest" prefix=/opt/pith >out 2>&1
ok $? "make uninstall"
is "$(find "$dest" ! -type d)" "" "leaves no file"
is "$(find "$dest" -type d -name 'pith*' ! -path "$dest/opt/pith")" "" "and no folder of ours"
finish
