#!/usr/bin/env bash
# The unit tests of recording once more, with the clock that needs a call.
. "$(dirname "$0")/../lib.sh"
. "$top/test/other_clock.sh"
once_more "$build"/test/unit/test_record*
finish
