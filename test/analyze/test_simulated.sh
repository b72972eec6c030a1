#!/usr/bin/env bash
# pith analyze against simulated programs with planted causes (test/gym/simulate.py). PLANTS="NAME ...": these.
. "$(dirname "$0")/../lib.sh"
PYTHONPATH="$top/test/gym:$PYTHONPATH" exec python3 "$top/test/analyze/simulated_check.py"
