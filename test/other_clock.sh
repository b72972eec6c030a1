# other_clock.sh - once_more TEST ...: runs tests of recording again with the clock that is read by a call. Sourced after
# lib.sh.
once_more() {
    local test status
    export PITH_CLOCK=monotonic
    pith run -o clock.pith "$build/samples/threads" >out 2>err
    is "$(pith info clock.pith | sed -n 's/^clock: *//p')" clock_gettime "a clock that is read by a call"
    for test in "$@"; do
        (cd / && O="$build" "$test") >"$scratch/checks" 2>&1
        status=$?
        checks_of "$scratch/checks" "${test##*/}: "
        ok $((status > 1)) "${test##*/} runs to its end"
    done
}
