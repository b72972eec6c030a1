#!/usr/bin/env python3
"""hybrid_check.py LOG - compares the efficiencies of a program with MPI and OpenMP in `pith analyze --json`, and the
times of `pith stat --by lane` and `--by state`, with those by the definitions: at each moment a thread is in MPI if a
state MPI_* is open, else it waits if its innermost state is of the group "OpenMP waiting" or "pthread", else useful; a
thread that never calls MPI is useful only inside states. A state without an end lasts until the end."""
import json
import subprocess
import sys

import text_log


def pith(*arguments):
    return subprocess.run(['pith', *arguments], check=True, capture_output=True, text=True).stdout


def same(what, got, wanted, most=1e-6):
    if abs(got - wanted) > most * max(1, abs(wanted)):
        sys.exit(f'{what}: {got}, by definition {wanted}')


log = sys.argv[1]
waiting, lanes = set(), {}
printed = pith('print', log)
for line in printed.splitlines():
    fields = line.split('\t')
    if fields[0] == '# state' and {'group=OpenMP waiting', 'group=pthread'} & set(fields):
        waiting.add(fields[1].removeprefix('name='))
for r in text_log.records(printed.splitlines()):
    lanes.setdefault((r.rank, r.thread), []).append((r.ns, r.kind, r.name))



def doing(stack):
    return ('mpi' if any(state.startswith('MPI_') for state in stack)
            else 'wait' if stack and stack[-1] in waiting else 'state' if stack else 'outside')


analysis = json.loads(pith('analyze', log, '--json'))
begin, end = analysis['window']['from_ns'], analysis['window']['to_ns']
last = max(records[-1][0] for records in lanes.values())
windowed, whole = {}, {}
for lane, records in lanes.items():
    stack, since = [], records[0][0]
    windowed[lane], whole[lane] = dict.fromkeys(('mpi', 'wait', 'state', 'outside'), 0), {}
    for time, kind, name in records:
        whole[lane][doing(stack)] = whole[lane].get(doing(stack), 0) + time - since
        windowed[lane][doing(stack)] += max(0, min(time, end) - max(since, begin))
        since = time
        if kind == 'enter':
            stack.append(name)
        elif kind == 'leave':
            del stack[text_log.innermost(stack, name)]
    windowed[lane][doing(stack)] += max(0, end - max(since, begin))
    if stack:
        whole[lane][doing(stack)] = whole[lane].get(doing(stack), 0) + last - since
    windowed[lane]['outside'] += max(0, min(records[0][0], end) - begin)

calls = [lane for lane in lanes if any(name.startswith('MPI_') for _, _, name in lanes[lane])]
useful = [windowed[lane]['state'] + (windowed[lane]['outside'] if lane in calls else 0) for lane in sorted(lanes)]
outside = [end - begin - windowed[lane]['mpi'] for lane in calls]
length, parts = end - begin, analysis['hybrid']
mean, mpi = sum(useful) / len(useful), sum(outside) / len(outside)
same('all threads', analysis['all_threads'], mean / length)
same('MPI', parts['mpi'], mpi / length)
same('threads', parts['threads'], mean / mpi)
same('load balance', parts['threads_load_balance'], mean / max(useful) / (mpi / max(outside)))
same('communication', parts['threads_communication'], max(useful) / max(outside))
if parts['omp_wait_ns'] != [windowed[lane]['wait'] for lane in sorted(lanes)]:
    sys.exit(f'waiting: {parts["omp_wait_ns"]}, by definition {windowed}')

for row in json.loads(pith('stat', log, '--by', 'lane', '--json')):
    times = whole[row['rank'], row['thread']]
    for column, wanted in (('in_mpi_s', ('mpi',)), ('omp_wait_s', ('wait',)), ('computing_s', ('state', 'outside'))):
        same(f'{row["rank"]}.{row["thread"]} {column}', row[column], sum(times.get(key, 0) for key in wanted) / 1e9, 1e-9)
computing = sum(times.get(key, 0) for times in whole.values() for key in ('state', 'outside')) / 1e9
rows = [row for row in json.loads(pith('stat', log, '--by', 'state', '--json')) if row['kind'] == 'computing']
same('computing by state', rows[0]['total_s'], computing, 1e-9)
print(f'{analysis["all_threads"]:.4f} = {parts["mpi"]:.4f} x {parts["threads"]:.4f}')
