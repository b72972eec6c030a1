// plot.js - draws the bars of rows, with names, hatches, graphs, ticks and events.

// ---- Geometry

const nested = 0.66; // the height of a bar as a part of the bar around it
const shownRuns = new Map(); // see runsIn
const xOf = (time) => labelWidth + (time - view.from) * (canvas.wide - labelWidth) / (view.to - view.from);
const timeAt = (x) => view.from + (x - labelWidth) * (view.to - view.from) / (canvas.wide - labelWidth);
const topOf = (row) => row * rowHeight - rows.scrollTop;
const rowAt = (y) => Math.floor((y + rows.scrollTop) / rowHeight);
// The top and height of the bar of a nesting level in its row.
function barOf(level) {
  const gap = Math.min(8, Math.floor(rowHeight * 0.22)), full = rowHeight - gap;
  const height = Math.max(1, level ? Math.floor(full * nested ** level + 0.5) : full);
  return [Math.floor(gap / 2) + Math.floor((full - height) / 2), height];
}
const onPixel = (x) => Math.round(x * devicePixelRatio) / devicePixelRatio;

function sources() {
  const finer = tiles.length && (view.to - view.from) / (canvas.wide - labelWidth) < whole.step * 0.75;
  return finer ? tiles.filter((tile) => tile.to > view.from && tile.from < view.to) : [whole];
}
const pixels = () => (canvas.wide - labelWidth) * devicePixelRatio;
// 1: a column of the source is so wide that its inside would have to be seen.
const isCoarse = (source) => source.step * (canvas.wide - labelWidth) / (view.to - view.from) > 1.5;
const levelsOf = (row) => exact ? exact[row].levels.length : Math.max(...sources().map((source) => source.levels));

// ---- Drawing

function prepare(target, wide, high) {
  const ratio = devicePixelRatio;
  if (target.width !== Math.round(wide * ratio) || target.height !== Math.round(high * ratio)) {
    target.width = Math.round(wide * ratio);
    target.height = Math.round(high * ratio);
    target.style.width = `${wide}px`;
    target.style.height = `${high}px`;
  }
  target.wide = wide;
  target.high = high;
  const pen = target.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, wide, high);
  pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
  return pen;
}
function darker(colour) {
  const channel = (at) => Math.floor(parseInt(colour.slice(at, at + 2), 16) * 0.65);
  return `rgb(${channel(1)},${channel(3)},${channel(5)})`;
}
// Black or white, whichever has more contrast (WCAG 2.1).
function inkOn(colour) {
  const light = [0.2126, 0.7152, 0.0722].reduce((sum, part, i) =>
    sum + part * (parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255) ** 2.2, 0);
  return light > 0.179 ? "#000000" : "#ffffff";
}
for (const entry of data.names) {
  entry.edge = darker(entry.colour);
  entry.ink = inkOn(entry.colour);
}

// Draws the runs of a level; `step` is the width of a coarse column, else 0.
function drawRuns(pen, row, level, runs, step) {
  const [top, height] = barOf(level), y = topOf(row) + top;
  for (let i = firstAt(runs, view.from, 4, 1); i < runs.length && runs[i] < view.to; i += 4) {
    const entry = data.names[runs[i + 2]], bits = runs[i + 3];
    if (!entry || entry.hidden) continue;
    if (step && (bits & (LOW | MANY) || runs[i + 1] - runs[i] < 2.5 * step)) {
      hatchUnknown(pen, runs[i], runs[i + 1], y, height);
      continue;
    }
    const left = onPixel(Math.max(labelWidth, xOf(runs[i] + step)));
    const width = Math.max(onPixel(xOf(runs[i + 1] - step)) - left, 1 / devicePixelRatio);
    if (step) {
      hatchUnknown(pen, runs[i], runs[i] + step, y, height);
      hatchUnknown(pen, runs[i + 1] - step, runs[i + 1], y, height);
    }
    if (left >= canvas.wide || left + width <= labelWidth) continue;
    const low = bits & LOW && height >= 4 ? Math.floor(height / 2) : 0, outlined = level && height - low >= 8;
    if (outlined) {
      pen.fillStyle = entry.edge;
      pen.fillRect(left, y + low, width, height - low);
    }
    pen.fillStyle = entry.colour;
    const inset = outlined ? 1 : 0;
    pen.fillRect(left, y + low + inset, width, height - low - 2 * inset);
    if (waitsOn) hatchRun(pen, row, level, runs, i, y + low + inset, height - low - 2 * inset);
    if (width >= 4 && !step && !(bits & AFTER)) {
      pen.fillStyle = entry.edge;
      pen.fillRect(left, y + low, 1, height - low);
    }
    if (namesOn && !low) nameRun(pen, row, level, entry, left, width, y, height);
  }
}

// The runs of a level in the view, from the exact times or from columns: [runs, step]. Those of exact times are kept
// while the view is drawn, as each bar asks for the level inside it.
function runsIn(row, level) {
  if (exact) {
    const key = `${row} ${level}`;
    const columns = Math.max(1, Math.round(pixels()));
    if (!shownRuns.has(key))
      shownRuns.set(key, runsOf(exact[row].levels[level] || [], view.from, view.to, columns));
    return [[shownRuns.get(key), 0]];
  }
  return sources().filter((source) => level < source.levels)
    .map((source) => [source.line(row, level), isCoarse(source) ? source.step : 0]);
}

function hatchUnknown(pen, from, to, y, height) {
  const left = onPixel(Math.max(labelWidth, xOf(from))), right = onPixel(Math.min(canvas.wide, xOf(to)));
  if (right <= left) return;
  isHatched = true;
  hatch(pen, left, right, y, height, theme.idle, theme.faint, 1);
}

// Red lines where records are missing.
function drawMissing(pen, row) {
  const [top, height] = barOf(0);
  for (const source of sources()) {
    const runs = source.line(row, source.levels + 3);
    for (let i = firstAt(runs, view.from, 4, 1); i < runs.length && runs[i] < view.to; i += 4) {
      const left = onPixel(Math.max(labelWidth, xOf(runs[i])));
      const right = onPixel(Math.min(canvas.wide, xOf(runs[i + 1])));
      if (right > left) hatch(pen, left, right, topOf(row) + top, height, theme.paper, theme.alarm, 1);
    }
  }
}

// Pauses of the recording, hatched, and moments at which records were lost.
function drawGaps(pen, row) {
  const [top, height] = barOf(0), { gaps } = data.rows[row], y = topOf(row) + top;
  for (let i = 0; gaps && i < gaps.length; i += 3) {
    if (gaps[i + 1] < view.from || gaps[i] >= view.to) continue;
    const left = onPixel(Math.max(labelWidth, xOf(gaps[i]))), right = onPixel(Math.min(canvas.wide, xOf(gaps[i + 1])));
    pen.fillStyle = theme.alarm;
    if (gaps[i + 2]) pen.fillRect(left, y, 2, height);
    else if (right - left >= 2) hatch(pen, left, right, y, height, theme.idle, theme.faint, 1);
  }
}

function hatch(pen, left, right, y, height, ground, colour, alpha) {
  pen.save();
  pen.beginPath();
  pen.rect(left, y, right - left, height);
  pen.clip();
  pen.fillStyle = ground;
  pen.globalAlpha = alpha;
  pen.fillRect(left, y, right - left, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.beginPath();
  for (let sum = Math.floor((left + y) / 5) * 5; sum < right + y + height && height >= 5; sum += 5) {
    pen.moveTo(sum - y, y);
    pen.lineTo(sum - y - height, y + height);
  }
  pen.stroke();
  pen.restore();
}

// Draws a name, and the duration if the exact times tell it, where no inner bar is.
function nameRun(pen, row, level, entry, left, width, y, height) {
  const right = Math.min(left + width, canvas.wide);
  if (right - left < 20 || height < 12) return;
  let from = left, to = right, best = 0;
  if (level + 1 < levelsOf(row)) {
    const inner = runsIn(row, level + 1).flatMap(([runs]) => {
      const found = [];
      for (let k = firstAt(runs, timeAt(left), 4, 1); k < runs.length && xOf(runs[k]) < right; k += 4)
        if (!data.names[runs[k + 2]].hidden) found.push([xOf(runs[k]), xOf(runs[k + 1])]);
      return found;
    });
    let at = left;
    for (const [begin, end] of [...inner, [right, right]]) {
      if (begin - at > best) [from, to, best] = [at, begin, begin - at];
      at = Math.max(at, end);
    }
    const [innerTop] = barOf(level + 1), [top] = barOf(level);
    if (innerTop - top >= 12) [from, to, height] = [left, right, innerTop - top];
  }
  const room = to - from - 8;
  if (room < 16) return;
  let text = entry.name;
  if (pen.measureText(text).width > room) text = text.replace(/^MPI_(?=.)/, ""); // it says least
  const wide = pen.measureText(text).width;
  if (wide > room) text = `${text.slice(0, Math.ceil(1.5 * text.length * room / wide) + 4)}\u2026`; // a first guess
  while (pen.measureText(text).width > room && text.length > 4) text = `${text.slice(0, -2)}\u2026`;
  if (pen.measureText(text).width > room) return;
  if (exact) {
    const all = exact[row].levels[level], k = firstAt(all, timeAt((left + right) / 2), 4, 1);
    const long = `${text}  ${duration(all[k + 1] - all[k])}`;
    if (entry.name.endsWith(text) && pen.measureText(long).width <= room) text = long;
  }
  pen.fillStyle = entry.ink;
  pen.textBaseline = "middle";
  if (waitsOn) { // a rim in the colour of the bar, for names on hatched ground
    pen.strokeStyle = entry.colour;
    pen.lineWidth = 3;
    pen.strokeText(text, from + 4, y + height / 2 + 0.5);
    pen.lineWidth = 1;
  }
  pen.fillText(text, from + 4, y + height / 2 + 0.5);
  pen.textBaseline = "alphabetic";
}

// Where a row waits: pairs [runs, number]; only the runs with this number are for the level and state. If columns would
// be too wide, the runs have exact times, and their numbers are those of states; otherwise those of levels.
function waitsIn(row, level, sign) {
  const all = sources();
  return exact && all.some(isCoarse) ? [[exact[row].waits, sign]]
    : all.map((source) => [source.line(row, source.levels + 2), level]);
}
// Hatches the waiting part of a run.
function hatchRun(pen, row, level, runs, i, y, height) {
  const entry = data.names[runs[i + 2]];
  for (const [waiting, number] of waitsIn(row, level, runs[i + 2]))
    for (let k = firstAt(waiting, runs[i], 4, 1); k < waiting.length && waiting[k] < runs[i + 1]; k += 4) {
      const left = onPixel(Math.max(labelWidth, xOf(Math.max(waiting[k], runs[i]))));
      const right = onPixel(Math.min(canvas.wide, xOf(Math.min(waiting[k + 1], runs[i + 1]))));
      if (waiting[k + 2] !== number || right <= left) continue;
      hatch(pen, left, right, y, height, theme.idle, entry.colour, 0.65);
    }
}

function drawGraph(pen, source, row) {
  const { colour } = data.rows[row], [top, height] = barOf(0), foot = topOf(row) + top + height;
  const yOf = (value) => foot - (value + 1) / signs.length * height;
  const fill = (runs, draw) => {
    for (let i = firstAt(runs, view.from, 4, 1); i < runs.length && runs[i] < view.to; i += 4) {
      const left = Math.max(labelWidth, xOf(runs[i]));
      draw(onPixel(left), onPixel(xOf(runs[i + 1])) - onPixel(left), runs[i + 2]);
    }
  };
  pen.fillStyle = colour;
  fill(source.line(row, 0), (x, width, value) => {
    pen.globalAlpha = 0.3;
    pen.fillRect(x, yOf(value), width, foot - yOf(value));
    pen.globalAlpha = 1;
    pen.fillRect(x, yOf(value), width, 1);
  });
  const low = source.line(row, 1);
  fill(source.line(row, 0), (x, width, value) => {
    const i = firstAt(low, timeAt(x + width / 2), 4, 1);
    if (i < low.length && low[i + 2] < value) pen.fillRect(x, yOf(value), width, yOf(low[i + 2]) - yOf(value));
  });
}

// Ticks of states that win no column, and triangles of events. An event that is known only to a coarse column is a line
// over the column.
function drawTicks(pen, row, ticks) {
  const [top, height] = barOf(0), y = topOf(row), length = Math.floor(height / 3 + 1);
  for (let i = firstAt(ticks, view.from, 2, 0); i < ticks.length && ticks[i] < view.to; i += 2) {
    const entry = data.names[ticks[i + 1]];
    if (entry.hidden) continue;
    pen.fillStyle = entry.colour;
    pen.fillRect(xOf(ticks[i]), y + top + height - length, 1, length);
  }
}
function drawMarks(pen, row, marks, step) {
  const y = topOf(row), size = Math.min(5, rowHeight * 0.2), first = firstAt(marks, view.from - (step || 0.5), 2, 0);
  for (let i = first; i < marks.length && marks[i] < view.to + step; i += 2) {
    const entry = data.names[marks[i + 1]], x = xOf(marks[i]);
    if (entry.hidden) continue;
    pen.fillStyle = entry.colour;
    if (step) {
      const left = Math.max(labelWidth, xOf(marks[i] - step / 2));
      pen.fillRect(left, y + 1, xOf(marks[i] + step / 2) - left, 2);
      isHatched = true;
      continue;
    }
    pen.beginPath();
    pen.moveTo(x - size, y + 1);
    pen.lineTo(x + size, y + 1);
    pen.lineTo(x, y + 1 + 2 * size);
    pen.closePath();
    pen.fill();
    pen.strokeStyle = entry.edge;
    pen.stroke();
  }
}
// Draws a tick for each state that loses a column and is not to be seen within some 24 pixels, at any level.
function drawLost(pen, row, levels) {
  const shown = new Set(), placeOf = (time) => Math.floor((xOf(time) - labelWidth) / 24), ticks = [];
  for (const runs of levels)
    for (let i = 0; i < runs.length; i += 4)
      for (let place = placeOf(runs[i]) - 1; place <= placeOf(runs[i + 1]) + 1; place++)
        shown.add(`${place} ${runs[i + 2]}`);
  for (const { lost } of levels)
    for (let i = 0; i < lost.length; i += 2) {
      const key = `${placeOf(lost[i])} ${lost[i + 1]}`;
      if (shown.has(key)) continue;
      shown.add(key);
      ticks.push([lost[i], lost[i + 1]]);
    }
  drawTicks(pen, row, ticks.sort((a, b) => a[0] - b[0]).flat());
}
function drawStates(pen, row) {
  const levels = [];
  for (let level = 0; level < levelsOf(row); level++)
    for (const [runs, step] of runsIn(row, level)) {
      drawRuns(pen, row, level, runs, step);
      levels.push(runs);
    }
  if (exact) {
    drawLost(pen, row, levels);
    drawMarks(pen, row, exact[row].events, 0);
    return;
  }
  for (const source of sources()) {
    if (!isCoarse(source)) drawTicks(pen, row, source.line(row, source.levels));
    drawMarks(pen, row, source.line(row, source.levels + 1), isCoarse(source) ? source.step : 0);
  }
}
