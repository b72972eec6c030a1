// columns.js - finds items by time, and turns instances with exact times into columns of pixels.

// What each of `count` columns of [from, to) shows: the state that covers most of it, as the picture does. Returns runs
// like readRuns, with the times and signs of states that lose a column in `lost`.
function runsOf(instances, from, to, count) {
  const step = (to - from) / count, runs = [];
  runs.lost = [];
  let column = -1, shares = new Map(), begun = new Set();
  const push = (first, end, sign, bits) => {
    const k = runs.length - 4, joins = k >= 0 && runs[k + 2] === sign && runs[k + 1] === first;
    if (joins && bits & AFTER && (runs[k + 3] & LOW) === (bits & LOW)) runs[k + 1] = end;
    else if (joins && bits === (AFTER | LOW)) return; // the ragged end of a bar
    else if (joins && bits === AFTER && end - first > 1 && runs[k + 1] - runs[k] === 1) // a ragged begin
      runs.splice(k, 4, first, end, sign, runs[k + 3] & AFTER);
    else runs.push(first, end, sign, bits);
  };
  const flush = () => {
    let sign = -1, most = -1, sum = 0;
    for (const [key, share] of shares) {
      sum += share;
      if (share > most || (share === most && key < sign)) [sign, most] = [key, share];
    }
    if (sum > 0) push(column, column + 1, sign, (sum < 0.5 ? LOW : 0) | (begun.delete(sign) ? 0 : AFTER));
    for (const key of shares.keys()) if (key !== sign || !sum) runs.lost.push(from + (column + 0.5) * step, key);
    if (shares.size) shares = new Map();
  };
  const give = (at, sign, share) => {
    if (at !== column) {
      flush();
      column = at;
    }
    shares.set(sign, (shares.get(sign) || 0) + share);
  };
  for (let i = firstAt(instances, from, 4, 1); i < instances.length && instances[i] < to; i += 4) {
    const sign = instances[i + 2];
    if (data.names[sign].hidden) continue;
    const a = Math.max(0, (instances[i] - from) / step), b = Math.min(count, (instances[i + 1] - from) / step);
    const first = Math.floor(a), end = Math.floor(b);
    if (first !== column && shares.size) flush(); // an earlier instance, before this one begins
    if (!(instances[i + 3] & AFTER) && instances[i] >= from) begun.add(sign);
    if (first === end) {
      give(Math.min(first, count - 1), sign, b - a);
      continue;
    }
    if (a > first) give(first, sign, first + 1 - a);
    if (column < Math.ceil(a)) flush();
    const whole = Math.ceil(a);
    if (end > whole) {
      column = end - 1;
      push(whole, end, sign, begun.delete(sign) ? 0 : AFTER);
    }
    if (b > end) give(end, sign, b - end);
  }
  flush();
  for (let i = 0; i < runs.length; i += 4) {
    runs[i] = from + runs[i] * step;
    runs[i + 1] = from + runs[i + 1] * step;
  }
  return runs;
}

// The index of the first item whose value at `place` is later than `time`.
function firstAt(items, time, size, place) {
  let low = 0, high = items.length / size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle * size + place] <= time) low = middle + 1;
    else high = middle;
  }
  return low * size;
}
