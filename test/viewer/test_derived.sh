#!/usr/bin/env bash
# Derived rows: values against the records of random logs (derived_oracle.py), the pane, and formulas that are wrong.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
start_display

for seed in 1 2 3; do
    python3 - $seed >random.txt <<'END'
import random, sys
chance, lines, messages = random.Random(int(sys.argv[1])), [], []
for rank in range(3):
    time, stack = chance.random() / 50, []
    while time < 1 or stack:
        if rank == 1 and time > 0.6 and stack: # it ends in states that are never left
            break
        time += chance.choice([0.0001, 0.002, 0.02])
        if chance.random() < 0.5 and len(stack) < 3 and time < 1:
            stack.append(chance.choice(["MPI_Send", "MPI_Recv", "solve"]))
            lines.append((time, rank, "enter\t" + stack[-1]))
        elif stack:
            lines.append((time, rank, "leave\t" + stack.pop()))
for number in range(300):
    source, sent = chance.randrange(3), chance.random()
    target, received = (source + chance.randint(1, 2)) % 3, sent + chance.choice([0.0005, 0.01])
    if received < 0.6 or 1 not in (source, target):
        messages.append((source, target, sent, received))
for source in range(3):
    for target in range(3): # messages of a pair arrive in their order
        of = [m for m in messages if m[:2] == (source, target)]
        for sent, received, size in zip(sorted(m[2] for m in of), sorted(m[3] for m in of), range(100, 10000, 7)):
            lines.append((sent, source, f"send\t\tcomm=0\tpeer={target}\ttag=0\tbytes={size}"))
            lines.append((max(sent, received), target, f"recv\t\tcomm=0\tpeer={source}\ttag=0\tbytes={size}"))
# A message without its send or without its receive does not count.
lines += [(0.5, 0, "send\t\tcomm=0\tpeer=2\ttag=1\tbytes=5000"), (0.6, 0, "recv\t\tcomm=0\tpeer=2\ttag=2\tbytes=5000")]
print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2")
for time, rank, what in sorted(lines, key=lambda line: line[0]):
    print(f"{time:.9f}\t{rank}\t0\t{what}")
END
    while IFS='|' read -r formula python; do
        pith view random.txt -e "zoom 0.1 0.9; derive {$formula}; derive save values.csv; quit" >out 2>&1
        is "$?:$(cat out)$(python3 "$top/test/viewer/derived_oracle.py" random.txt values.csv "${python:-$formula}")" "0:right" "random log $seed: $formula"
    done <<'END'
time(MPI_*)|time("MPI_*")
time(solve) - 2 * computing|time("solve") - 2 * computing
(sent + received) / 2|
sent_bytes / sent|
-received_bytes * 1e-3|
in_flight|
END
done

# ---- The pane
cat >values.txt <<'END'
# counter	name=load (1)	colour=red	unit=
0.000000000	0	0	enter	work
0.000000000	0	0	counter	load (1)	value=2
0.250000000	0	0	counter	load (1)	value=6
0.500000000	0	0	leave	work
0.000000000	1	0	counter	load (1)	value=4
1.000000000	1	0	counter	load (1)	value=4
END
pith convert values.txt values.pith >out 2>&1
ok $? "a log of counters" || cat out
out=$(pith view values.pith -e '
    set path [[[lindex [info class instances ::pith::Window] 0] timeline] path]
    puts [derive {value(load (1))}]
    sync; derive save one.csv
    puts [winfo ismapped $path.derivedplot]
    zoom 0 1; derive save two.csv
    foreach times {1 0.05 20000} {
        derive "value(load*) * $times"; derive save any.csv
        puts [set [$path.derived.body.readout cget -textvariable]]
    }
    derive {value(load*) / 0}; derive save none.csv
    derive off
    puts [winfo exists $path.derivedplot]
    quit' 2>&1)
is "$out" "value(load (1))
1
2 to 6
0.1 to 0.3
40 000 to 120 000
0" "a counter whose name has parentheses; the pane opens, says the least and greatest value, and closes"
is "$(python3 -c 'import csv
for name, *values in list(csv.reader(open("two.csv")))[1:]: print(name, values[len(values) // 8], values[len(values) // 8 * 3])')" "rank 0 2.0 6.0
rank 1 4.0 4.0
all rows 3.0 5.0" "its values, and the mean of both ranks"
is "$(tail -n 1 none.csv | tr -d , )" "all rows" "without a value where it is divided by nothing"
# In a low window the pane is lower, and the strip with the whole log stays.
is "$(pith view values.pith -e '
    set path [[[lindex [info class instances ::pith::Window] 0] timeline] path]
    wm geometry [winfo toplevel $path] 800x500
    update; sync
    derive {value(load*)}
    sync; update; sync
    puts [lmap widget [grid slaves $path] {
        if {[winfo y $widget] + [winfo height $widget] <= [winfo height $path]} continue
        set widget
    }]
    puts [expr {[winfo height $path.derivedplot] >= 40}]
    quit' 2>&1)" $'\n1' "a low window: nothing is cut off"
while IFS='|' read -r formula error; do
    out=$(pith view values.pith -e "derive {$formula}; quit" 2>&1)
    is "$out" "pith: view: -e: formula: $error" "wrong: $formula"
done <<'END'
1 +|character 4: expected a number, time(NAME), value(NAME), computing, sent, received, sent_bytes, received_bytes or in_flight
time(nothing)|character 6: no state has this name
value(work)|character 7: no counter has this name
time(work|character 5: the parenthesis is not closed
time|character 5: expected a name in parentheses
2 * (1 + 3|character 11: expected )
sent sent|character 6: expected + - * / or the end of the formula
END
finish
