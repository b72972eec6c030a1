// sums.js - figures of a stretch of time over all rows: of each name its count, inclusive and exclusive time. Both ends
// belong to the stretch, as in `pith stat --from A --to B`.

const lanes = data.rows.reduce((sum, row) => sum + (row.lanes || 0), 0);
const noSums = () => data.names.map(() => ({ count: 0, inclusive: 0, exclusive: 0 }));

// Whether an instance is inside another one of the same name.
const isInItself = (levels, level, i) => {
  const [begin, , sign] = levels[level].slice(i, i + 3);
  return levels.slice(0, level).some((outer) => {
    const k = firstAt(outer, begin, 4, 1);
    return outer[k + 2] === sign && outer[k] <= begin;
  });
};
// Adds the instances of a level. What is inside them, `inner`, is not exclusive time of theirs. An instance inside
// itself does not add to the inclusive time again.
function addLevel(sums, levels, level, from, to) {
  const items = levels[level], inner = levels[level + 1] || [];
  const length = (list, k) => Math.max(0, Math.min(list[k + 1], to) - Math.max(list[k], from));
  let i = firstAt(items, from - 0.5, 4, 1), k = firstAt(inner, from - 0.5, 4, 1);
  for (; i < items.length && items[i] <= to; i += 4) {
    const sum = sums[items[i + 2]], all = length(items, i);
    const begins = !(items[i + 3] & AFTER) || items[i] < from || items[i] === data.from;
    if (begins) sum.count++;
    if (!isInItself(levels, level, i)) sum.inclusive += all;
    sum.exclusive += all;
    for (; k < inner.length && inner[k + 1] <= items[i + 1]; k += 4) sum.exclusive -= length(inner, k);
  }
}
function exactSums(from, to) {
  const sums = noSums();
  for (const { levels, events, stack, depth } of exact) {
    levels.forEach((_, level) => addLevel(sums, stack, depth + level, from, to));
    for (let i = firstAt(events, from - 0.5, 2, 0); i < events.length && events[i] <= to; i += 2)
      sums[events[i + 1]].count++;
  }
  // A lane lasts to its last record, or to the end of the states that are open then.
  const lastOf = (row, i) => Math.max(row.to, exact[i].stack[0]?.at(-3) ?? row.to);
  const lived = data.rows.reduce((sum, row, i) =>
    sum + (row.lanes ? Math.max(0, Math.min(lastOf(row, i), to) - Math.max(row.from, from)) : 0), 0);
  const computing = sums.reduce((rest, sum) => rest - sum.exclusive, lived);
  return { from, to, sums, computing, counts: true, exclusives: !data.leftOut };
}

// Without exact times there are figures of parts of the page: those that the stretch touches are added up. Counts of
// states are not known, as a state may go on in several parts.
function partSums(from, to) {
  const parts = data.sums.length, sums = noSums(), length = span / parts;
  let computing = 0;
  const first = Math.max(0, Math.min(parts - 1, Math.floor((from - data.from) / length)));
  const last = Math.max(first + 1, Math.min(parts, Math.ceil((to - data.from) / length)));
  for (const line of data.sums.slice(first, last)) {
    const numbers = line.split(" ").map((word) => parseInt(word, 36));
    computing += numbers[0];
    for (let i = 1; i + 3 < numbers.length; i += 4) {
      const sum = sums[numbers[i]];
      sum.count += numbers[i + 1];
      sum.inclusive += numbers[i + 2];
      sum.exclusive += numbers[i + 3];
    }
  }
  const edge = (part) => data.from + Math.floor(span * part / parts);
  return { from: edge(first), to: edge(last), sums, computing, counts: false, exclusives: true };
}
// { from, to, sums, computing, counts, exclusives }: of this stretch; computing: time outside all states; counts: those
// of states are known; exclusives: exclusive times and computing are known, which they are not if the page lacks states
// inside others.
const sumsOf = (from, to) => exact ? exactSums(from, to) : partSums(from, to);
