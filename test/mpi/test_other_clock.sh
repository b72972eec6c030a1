#!/usr/bin/env bash
# Tests of recorded programs once more, with the clock that needs a call: those that shift the times of records.
. "$(dirname "$0")/../lib.sh"
. "$top/test/other_clock.sh"
once_more "$top"/test/mpi/test_{p2p,counters,also_openmp,also_pthread,also_functions}.sh
finish
