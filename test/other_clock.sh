# other_clock.sh - once_more TEST ...: runs tests of recording again on a machine without the inline clock, which
# other_clock.c plays. Sourced after lib.sh.
once_more() {
    local clock test status
    if [ -n "$(sanitizers)" ]; then
        skip "recording with the other clock" "the sanitizer's runtime must be loaded first"
        return
    fi
    "${CC:-cc}" -O1 -shared -fPIC -o "$scratch/other_clock.so" "$top/test/other_clock.c" -ldl
    ok $? "other_clock.c compiles" || return
    LD_PRELOAD="$scratch/other_clock.so" pith run -o clock.pith "$build/samples/threads" >out 2>err
    clock=$(pith info clock.pith | sed -n 's/^clock: *//p')
    if [[ $clock = cntvct* ]]; then
        skip "recording with the other clock" "this processor has only one"
        return
    fi
    like "$clock" '^clock_gettime' "a machine without the inline clock"
    for test in "$@"; do
        (cd / && LD_PRELOAD="$scratch/other_clock.so" O="$build" "$test") >"$scratch/checks" 2>&1
        status=$?
        checks_of "$scratch/checks" "${test##*/}: "
        ok $((status > 1)) "${test##*/} runs to its end"
    done
}
