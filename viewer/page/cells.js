// cells.js - reads the data of the page, which page_text.h describes. A small log has its states with exact times. Else
// there are two levels of detail: columns of the whole window and of tiles of it.

const span = data.to - data.from;
const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=?@[]";
const signOf = new Map([...signs].map((sign, number) => [sign, number]));

// What runs are, as bits. AFTER: no instance begins there. MANY: there may be several instances.
const LOW = 1, AFTER = 2, MANY = 4;
// Returns [from, to, sign, bits, ...] with columns as times in nanoseconds.
function readRuns(line, source) {
  const runs = [];
  let column = 0;
  for (const [, marks, sign, far, length] of line.matchAll(/([~^']*)(?:&(..)|([^\d&'~^]))(\d*)/g)) {
    const to = column + (length ? +length : 1);
    const number = sign ? signOf.get(sign[0]) * signs.length + signOf.get(sign[1]) : signOf.get(far);
    if (number !== undefined)
      runs.push(source.from + column * source.step, source.from + to * source.step, number,
        (marks.includes("'") ? LOW : 0) | (marks.includes("^") ? AFTER : 0) | (marks.includes("~") ? MANY : 0));
    column = to;
  }
  return runs;
}

// Returns [time, sign, ...].
function readSpots(line, source) {
  const spots = [];
  let column = 0;
  for (const [, by, pair, single] of line.matchAll(/(\d+)(?:&(..)|([^\d&]))/g)) {
    column += +by;
    spots.push(source.from + (column + 0.5) * source.step,
      pair ? signOf.get(pair[0]) * signs.length + signOf.get(pair[1]) : signOf.get(single));
  }
  return spots;
}

// The cells of a stretch of time. Lines are read when they are first needed.
function makeSource(text, from, to) {
  const [levels, ...lines] = text.split("\n"), read = new Map();
  const source = { from, to, step: (to - from) / data.columns, levels: +levels };
  source.line = (row, part) => {
    const key = row * (source.levels + 4) + part;
    const spots = part === source.levels || part === source.levels + 1;
    if (!read.has(key)) read.set(key, (spots ? readSpots : readRuns)(lines[key] || "", source));
    return read.get(key);
  };
  return source;
}

// The states and events of a small log, by row: instances [from, to, sign, bits, ...] of each level; in the same form,
// the parts of calls that wait; events [time, sign, ...].
function readExact(text) {
  const rows = [], lines = text.split("\n"), item = /(\^?)(?:&(..)|(.))(-?[0-9a-z]+) (?:(-?[0-9a-z]+) )?/g;
  const numberOf = (pair, single) =>
    pair ? signOf.get(pair[0]) * signs.length + signOf.get(pair[1]) : signOf.get(single);
  const readInstances = (line) => {
    const instances = [];
    let time = data.from;
    for (const [, after, pair, single, by, length] of line.matchAll(item)) {
      time += parseInt(by, 36);
      instances.push(time, time + parseInt(length, 36), numberOf(pair, single), after ? AFTER : 0);
    }
    return instances;
  };
  for (let at = 0; at < lines.length - 1; at++) {
    const row = { events: [], levels: [] };
    let time = data.from;
    for (const [, , pair, single, by] of lines[at].matchAll(/()(?:&(..)|(.))(-?[0-9a-z]+) /g))
      row.events.push(time += parseInt(by, 36), numberOf(pair, single));
    row.waits = readInstances(lines[++at]);
    for (at++; lines[at]; at++) row.levels.push(readInstances(lines[at]));
    rows.push(row);
  }
  return rows;
}

// Returns [time, number of its site, ...].
function readCalls(line) {
  const numbers = line.split(" ").map((word) => parseInt(word, 36)), calls = [];
  for (let i = 0, time = data.from; i + 1 < numbers.length; i += 2)
    calls.push(time += numbers[i], numbers[i + 1]);
  return calls;
}

function readArrows(text) {
  const numbers = text.split(" ").map((word) => parseInt(word, 36));
  const arrows = [];
  let sent = data.from;
  for (let i = 0; i + 5 < numbers.length; i += 6) {
    sent += numbers[i];
    const [took, fromRow, toRow, bytes, tag] = numbers.slice(i + 1, i + 6);
    arrows.push({ sent, took, received: sent + took, fromRow, toRow, bytes, tag });
  }
  return arrows.sort((a, b) => Math.abs(b.took) - Math.abs(a.took));
}

// Returns {from, to, row} of the parts of the critical path; row -1: it is on no row. pathStep: the length of a column,
// or 0: it is exact.
const pathStep = data.pathColumns ? span / data.pathColumns : 0;
function readPath(text) {
  const numbers = text.split(" ").map((word) => parseInt(word, 36)), parts = [], step = pathStep || 1;
  for (let i = 0, at = 0; i + 1 < numbers.length; at += numbers[i], i += 2)
    parts.push({ from: data.from + step * at, to: data.from + step * (at + numbers[i]), row: numbers[i + 1] });
  return parts;
}

const whole = makeSource(data.whole, data.from, data.to);
const tiles = data.tiles.map((text, i) =>
  makeSource(text, data.from + Math.floor(span * i / data.tiles.length),
    data.from + Math.floor(span * (i + 1) / data.tiles.length)));
const exact = data.exact ? readExact(data.exact) : null;
// The rows of an unfolded lane share its waiting and the `stack` of its levels; `depth` is the place of the row's first
// level in it. Only the last row of a very deep lane has several levels.
exact?.forEach((row, i) => {
  const { band } = data.rows[i];
  row.depth = band ? band - 1 : 0;
  if (row.depth) row.waits = exact[i - 1].waits;
  row.calls = row.depth ? exact[i - 1].calls : readCalls((data.calls || "").split("\n")[i] || "");
  row.stack = row.depth ? exact[i - 1].stack : [...row.levels];
  if (band) row.stack.splice(row.depth, Infinity, ...row.levels.length ? row.levels : [[]]);
});
const arrows = readArrows(data.arrows), path = readPath(data.path || "");
