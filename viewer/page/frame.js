// frame.js - draws the page: rows, labels, axis, overview, and the line about what is finer than the page.

const theme = {}; // the colours of page.css
let rowHeight, labelWidth, isHatched = false;

function drawLabels(pen, first, last) {
  pen.fillStyle = theme.paper;
  pen.fillRect(0, 0, labelWidth, canvas.high);
  const every = Math.ceil(12 / rowHeight);
  for (let row = Math.ceil(first / every) * every; row < last; row += every) {
    const [top, height] = barOf(0);
    pen.fillStyle = data.rows[row].colour || data.rows[row].band > 1 ? theme.faint : theme.text;
    pen.fillText(data.rows[row].label, 0, Math.max(9, Math.floor(topOf(row) + top + height / 2 + 4)), labelWidth - 8);
  }
}

// The step between marks of the axis: 1, 2 or 5 times a power of ten; in h:mm:ss from 15 s on a part or multiple of 1
// min, 1 h, 1 day.
function stepFor(least, unit) {
  const ten = 10 ** Math.floor(Math.log10(least)), day = 86400e9;
  if (!sixties.includes(unit) || least <= 10e9)
    return Math.max(1, [1, 2, 5, 10].map((by) => by * ten).find((by) => by >= least * 0.999));
  return [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200].map((by) => by * 1e9)
    .find((by) => by >= least * 0.999) || day * Math.max(1, stepFor(least / day, units[3]));
}

// A time of day; midnight is its date.
function clockLabel(time, step) {
  const [day, text] = clockTexts(time, decimalsOf(step, 1e9));
  return /^[0:.]*$/.test(text) ? day : text;
}

// Marks of the axis and their texts, at least `room` pixels apart, and more if the texts are wider.
function axisTicks(pen, width, room = 90) {
  const least = (view.to - view.from) * room / Math.max(width, room);
  const unit = data.clock ? sixties[0] : unitAt(view.from, view.to), step = stepFor(least, unit), ticks = [];
  const before = data.clock ? (data.clock[0] % Math.max(1, step / 1e9) * 1e9 + data.clock[1]) % step : data.base % step;
  for (let time = Math.ceil((view.from + before) / step) * step - before; time <= view.to; time += step)
    ticks.push([time, data.clock ? clockLabel(time, step) : timeText(time, step, unit)]);
  const widest = Math.ceil(Math.max(0, ...ticks.map(([, text]) => pen.measureText(text).width))) + 12;
  return widest > room ? axisTicks(pen, width, widest) : ticks;
}

function drawRows(pen, ticks) {
  const first = Math.max(0, rowAt(0)), last = Math.min(data.rows.length, rowAt(canvas.high) + 1);
  pen.fillStyle = theme.grid;
  for (const [time] of ticks) pen.fillRect(Math.floor(xOf(time)), 0, 1, canvas.high);
  for (let row = first; row < last; row++) {
    const { from, to, rank, colour } = data.rows[row], [top, height] = barOf(0);
    const left = Math.max(labelWidth, xOf(from)), right = Math.min(canvas.wide, xOf(to));
    pen.fillStyle = theme.grid;
    if (row && rowHeight >= 8 && data.rows[row - 1].rank !== rank)
      pen.fillRect(labelWidth, topOf(row), canvas.wide - labelWidth, 1);
    pen.fillStyle = theme.idle;
    if (!colour && right > left) pen.fillRect(left, topOf(row) + top, right - left, height);
  }
  isHatched = false;
  for (let row = first; row < last; row++) {
    if (!data.rows[row].colour) {
      drawMissing(pen, row);
      drawStates(pen, row);
      drawGaps(pen, row);
    }
    else for (const source of sources()) drawGraph(pen, source, row);
  }
  drawMessages(pen);
  if (pathOn) drawPath(pen);
  if (stretchShown()) drawSelection(pen, stretchShown());
  if (chosen) drawChosen(pen);
  drawNotes(pen);
  drawLabels(pen, first, last);
}

function drawAxis(ticks) {
  const pen = prepare(axis, canvas.wide, 26);
  pen.fillStyle = theme.faint;
  pen.fillRect(labelWidth, 0, canvas.wide - labelWidth, 1);
  pen.textAlign = "center";
  for (const [time, text] of ticks) {
    const x = xOf(time), half = pen.measureText(text).width / 2;
    pen.fillRect(Math.floor(x), 0, 1, 5);
    if (x - half >= 0 && x + half <= canvas.wide) pen.fillText(text, x, 18);
  }
  if (!stretchShown()) return;
  const [left, right] = stretchShown().map((time) => Math.min(Math.max(xOf(time), labelWidth), canvas.wide));
  pen.fillStyle = theme.accent;
  pen.fillRect(left, 0, right - left, 3);
}

// Draws the whole log, with only some of the rows if there are more rows than pixels, and marks the current view.
function drawOverview() {
  const pen = prepare(overview, canvas.wide, 30), width = canvas.wide - labelWidth;
  const place = (time) => labelWidth + (time - data.from) / span * width;
  const height = overview.high / data.rows.length;
  pen.fillStyle = theme.idle;
  pen.fillRect(labelWidth, 0, width, overview.high);
  const every = Math.ceil(data.rows.length / overview.high);
  for (let row = 0; row < data.rows.length; row += every)
    for (let level = 0; level < (exact ? exact[row].levels.length : whole.levels) && !data.rows[row].colour; level++) {
      const runs = exact ? runsOf(exact[row].levels[level], data.from, data.to, Math.ceil(width))
        : whole.line(row, level);
      for (let i = 0; i < runs.length; i += 4) {
        const entry = data.names[runs[i + 2]];
        if (!entry || entry.hidden || runs[i + 3] & LOW) continue;
        pen.fillStyle = entry.colour;
        const left = place(runs[i]), right = Math.max(left + 0.5, place(runs[i + 1]));
        pen.fillRect(left, row * height, right - left, height * every);
      }
    }
  drawHits(pen, place);
  const left = place(view.from), right = Math.max(left + 2, place(view.to));
  pen.globalAlpha = 0.6;
  pen.fillStyle = theme.paper;
  pen.fillRect(labelWidth, 0, left - labelWidth, overview.high);
  pen.fillRect(right, 0, canvas.wide - right, overview.high);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.accent;
  pen.strokeRect(left + 0.5, 0.5, right - left - 1, overview.high - 1);
}

// Marks the hits of the search, at most one a pixel.
function drawHits(pen, place) {
  pen.fillStyle = theme.text;
  for (const x of new Set(search.hits.map((hit) => Math.round(place(Math.max(hit.from, data.from)))))) {
    pen.fillRect(x, 0, 1, 6);
    pen.fillRect(x, overview.high - 6, 1, 6);
  }
}

function layout() {
  const wide = body.clientWidth - 32, count = data.rows.length;
  rowHeight = Math.max(1, Math.round(data.height * rowScale));
  const pen = canvas.getContext("2d");
  pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
  labelWidth = Math.min(Math.ceil(Math.max(...data.rows.map((row) => pen.measureText(row.label).width))) + 10,
    Math.floor(wide / 3));
  tall.style.height = `${count * rowHeight}px`;
  return [wide, Math.min(count * rowHeight, Math.floor(innerHeight * 0.66))];
}

function draw() {
  isDrawPending = false;
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "text", "faint", "grid", "idle", "arrow", "accent", "path", "alarm"])
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  shownRuns.clear();
  const [wide, high] = layout(), pen = prepare(canvas, wide, high), ticks = axisTicks(pen, wide - labelWidth);
  drawRows(pen, ticks);
  nameMessages();
  drawAxis(ticks);
  drawOverview();
  tellFiner();
  const fine = (view.to - view.from) / 1000, unit = unitAt(view.from, view.to);
  const shown = `${timeText(view.from, fine, unit)} \u2013 ${timeText(view.to, fine, unit)}`;
  windowText.textContent = `${shown}, ${duration(view.to - view.from)}`;
  keepLink();
}

// Tells how to see more than the page has.
function tellFiner() {
  const isPathCoarse = pathOn && pathStep * (canvas.wide - labelWidth) / (view.to - view.from) > 1.5;
  const what = [isHatched && "hatched", areCoarse && "bundles of messages", isPathCoarse && "critical path"]
    .filter((text) => text).join(", ");
  finer.textContent = what ? `${what[0].toUpperCase()}${what.slice(1)}: finer than this page. To see it: `
    + `pith draw ${quoted(data.log)} -o part.html --from ${secondsAt(view.from)} --to ${secondsAt(view.to)}` : "\u00a0";
}

addEventListener("resize", redraw);
