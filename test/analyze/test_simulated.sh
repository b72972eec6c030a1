#!/usr/bin/env bash
# pith analyze against simulated programs with planted causes (test/gym/simulate.py). PLANTS=all: also what it cannot do yet.
. "$(dirname "$0")/../lib.sh"
PYTHONPATH="$top/test/gym:$PYTHONPATH" exec python3 "$top/test/analyze/simulated_check.py"
