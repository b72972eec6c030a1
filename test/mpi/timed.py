# timed.py - reads the files that libpith-time wrote, for test_time.sh: timed.py what FILE...
import csv
import json
import sys


def blocks(name):
    """A list of processes as in the JSON file, from either file."""
    if name.endswith('.json'):
        with open(name, encoding='utf-8') as file:
            log = json.load(file)
        assert log['ranks'] == len(log['processes'])
        return log['processes']
    processes = {}
    with open(name, newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            assert None not in row, row
            one = processes.setdefault(int(row['rank']), {'rank': int(row['rank']), 'functions': [], 'partners': []})
            whole = {key: int(row[key]) for key in ('calls', 'messages', 'bytes') if row[key]}
            if row['kind'] == 'run':
                one.update(whole, run_s=float(row['run_s']), mpi_s=float(row['total_s']))
            elif row['kind'] == 'calls':
                times = {key: float(row[key]) for key in ('total_s', 'mean_s', 'min_s', 'max_s')}
                one['functions'].append({**whole, **times, 'function': row['function'], 'communicator': row['communicator']})
            else:
                assert row['kind'] == 'messages'
                one['partners'].append({**whole, 'rank': int(row['peer'])})
    return [processes[rank] for rank in sorted(processes)]


def sound(process):
    """What must be so in every file."""
    functions = process['functions']
    for f in functions:
        assert f['calls'] > 0 and 0 <= f['min_s'] <= f['mean_s'] + 1e-8 and f['mean_s'] <= f['max_s'] + 1e-8, f
        assert abs(f['mean_s'] * f['calls'] - f['total_s']) <= 1e-9 * f['calls'] + 1e-9, f
    for key in ('calls', 'messages', 'bytes'):
        assert process[key] == sum(f[key] for f in functions), (key, process)
    assert abs(process['mpi_s'] - sum(f['total_s'] for f in functions)) < 1e-6
    if process['partners']:
        assert process['messages'] == sum(p['messages'] for p in process['partners'])


what, names = sys.argv[1], sys.argv[2:]
for name in names:
    for process in blocks(name):
        sound(process)
        if what == 'calls':
            sums = {}
            for f in process['functions']:
                sums[f['function']] = sums.get(f['function'], 0) + f['calls']
            for function, calls in sums.items():
                print(process['rank'], function, calls)
        elif what == 'sent':
            for f in process['functions']:
                if f['messages'] or f['bytes']:
                    print(process['rank'], f['function'], f['messages'], f['bytes'])
        elif what == 'partners':
            for p in process['partners']:
                print(process['rank'], p['rank'], p['messages'], p['bytes'])
        elif what == 'comms':
            for f in process['functions']:
                if f['communicator'] not in ('', 'MPI_COMM_WORLD'):
                    print(process['rank'], f['function'], f['calls'], f['communicator'])
        elif what == 'share':
            assert 0 < process['mpi_s'] <= process['run_s'], process
        elif what == 'nested':  # the time of MPI_Recv is not that of the MPI_Comm_dup around it
            if process['rank'] == 1:
                own = {f['function']: f['total_s'] for f in process['functions']}
                print(own['MPI_Recv'] > 0.04, own['MPI_Comm_dup'] < own['MPI_Recv'] / 2)
        elif what == 'barrier':  # rank 0 comes 150 ms late
            if process['rank'] > 0:
                print(process['rank'], max(f['max_s'] for f in process['functions'] if f['function'] == 'MPI_Barrier') > 0.02)
