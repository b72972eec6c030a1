# root.sh - roots of releases of Debian, for `make systems`, `make machines` and `make check-deb`. Sourced with `roots`, their folder,
# set; ends the script with 0 and a line where there can be none. Gives: mirror, make_root, copy_tree, inside, suite_ended.
skip() { echo "${0##*/}: skipped: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "only root can make a root"
command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null 2>&1 || skip "no debootstrap"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep '/debian/*$' | head -n 1 | sed 's:/*$::')
[ "$mirror" ] || skip "apt here has no mirror of Debian"

# make_root NAME [RELEASE]: $roots/NAME, unless it was made before
make_root() {
    local name=$1 release=${2:-$1} root=$roots/$1 log=$roots/$1.log
    [ ! -e "$root.made" ] || return 0
    echo "${0##*/}: $name: makes its root"
    rm -rf "$root"
    debootstrap --variant=minbase "$release" "$root" "$mirror" >"$log" 2>&1 || { tail -n 5 "$log"; return 1; }
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" # how the mirror is reached
    touch "$root.made"
}
# copy_tree FOLDER: the tree as it is now. The build stays; what is gone from the tree goes.
copy_tree() {
    mkdir -p "$1"
    (cd "$1" && ls -A | grep -v '^build' | xargs -r rm -rf)
    (cd "$top" && git ls-files -co --exclude-standard -z | xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' - | tar -c --null -T -) |
        tar -x -C "$1"
}
# inside ROOT COMMAND...: as a process tree of its own, which ends with it, on a root that can be mounted over, and with the
# devices that MPI needs. Without /sys, with interfaces that its netlink cannot weigh, and with windows over UCX (6.0.0), Open MPI
# writes lines of its own into output that tests compare.
inside() {
    local root=$1
    shift
    unshare --mount --pid --fork bash -c '
        mount --bind "$1" "$1" && mount --make-private "$1" && mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" || exit 1
        root=$1; shift
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_osc=^ucx TEST_SLOWNESS="${TEST_SLOWNESS:-1}" DEBIAN_FRONTEND=noninteractive "$@"' - "$root" "$@"
}
# suite_ended NAME OUTPUT: prints what was skipped and what failed in test/run's output, after the NAME of the system. $result is its
# sum for the table. 0: it came to its end, and nothing failed.
suite_ended() {
    local sum skipped
    sed -n '/^ok .*# *SKIP/p; /^# ---- failed/,$p' "$2" | sed "s/^/$1: /"
    sum=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$2" | tail -n 1)
    skipped=$(sed -n 's/^# \([0-9]* skipped\)$/, \1/p' "$2" | tail -n 1)
    result="${sum:-came to no end}$skipped"
    [[ $sum == *" 0 failed" ]]
}
