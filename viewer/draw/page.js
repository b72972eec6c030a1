"use strict";
// page.js - draws the data that `pith draw -o OUT.html` puts into the page as pith({...}); page_text.h describes them.
// A small log has its states with exact times. Else there are two levels of detail, columns of the whole window and of
// tiles of it. Tiles are used as soon as a column of the whole is wider than a pixel. Where a column of a tile is wider
// than a pixel, only what is known is drawn: the inside of bars; the rest is hatched.
function pith(data) {
  const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=?@[]";
  const signOf = new Map([...signs].map((sign, number) => [sign, number]));
  const leastSpan = 20, nested = 0.66; // the height of a bar as a part of the bar around it
  const span = data.to - data.from;
  const view = { from: data.from, to: data.to };
  const theme = {}, shownRuns = new Map();
  let arrowsOn = data.arrowsOn, arrowsAll = data.arrowsAll, cover = 0, waitsOn = !!data.waits, pathOn = !!data.path, namesOn = data.names_on;
  let rowHeight, labelWidth, drawWaits = false, hit = null, isHatched = false;

  // ---- The code of cells

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
      const key = row * (source.levels + 3) + part;
      const spots = part === source.levels || part === source.levels + 1;
      if (!read.has(key)) read.set(key, (spots ? readSpots : readRuns)(lines[key] || "", source));
      return read.get(key);
    };
    return source;
  }

  // The states and events of a small log, by row: instances [from, to, sign, bits, ...] of each level, events [time,
  // sign, ...].
  function readExact(text) {
    const rows = [], lines = text.split("\n"), item = /(\^?)(?:&(..)|(.))(-?[0-9a-z]+) (?:(-?[0-9a-z]+) )?/g;
    const numberOf = (pair, single) =>
      pair ? signOf.get(pair[0]) * signs.length + signOf.get(pair[1]) : signOf.get(single);
    for (let at = 0; at < lines.length - 1; at++) {
      const row = { events: [], levels: [] };
      let time = data.from;
      for (const [, , pair, single, by] of lines[at].matchAll(/()(?:&(..)|(.))(-?[0-9a-z]+) /g))
        row.events.push(time += parseInt(by, 36), numberOf(pair, single));
      for (at++; lines[at]; at++) {
        const level = [];
        time = data.from;
        for (const [, after, pair, single, by, length] of lines[at].matchAll(item)) {
          time += parseInt(by, 36);
          level.push(time, time + parseInt(length, 36), numberOf(pair, single), after ? AFTER : 0);
        }
        row.levels.push(level);
      }
      rows.push(row);
    }
    return rows;
  }

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

  // Returns {from, to, row} of the parts of the critical path; row -1: it is on no row.
  function readPath(text) {
    const numbers = text.split(" ").map((word) => parseInt(word, 36)), parts = [];
    for (let i = 0, column = 0; i + 1 < numbers.length; column += numbers[i], i += 2)
      parts.push({ from: data.from + span * column / data.pathColumns,
        to: data.from + span * (column + numbers[i]) / data.pathColumns, row: numbers[i + 1] });
    return parts;
  }

  const whole = makeSource(data.whole, data.from, data.to);
  const tiles = data.tiles.map((text, i) =>
    makeSource(text, data.from + Math.floor(span * i / data.tiles.length),
      data.from + Math.floor(span * (i + 1) / data.tiles.length)));
  const exact = data.exact ? readExact(data.exact) : null;
  const arrows = readArrows(data.arrows), path = readPath(data.path || "");

  // ---- Texts

  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  const unitOf = (ns) => units.find(([size]) => Math.abs(ns) >= size) || units[3];
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u2009");
  function duration(ns) {
    const [size, name] = unitOf(ns);
    return `${+(ns / size).toPrecision(4)} ${name}`;
  }
  // A time with enough decimals to distinguish times that differ by `fine` nanoseconds.
  function timeText(ns, fine, unit = unitOf(ns || 1e9)) {
    const decimals = Math.max(0, Math.ceil(Math.log10(unit[0] / Math.max(fine, 1)) - 1e-9));
    return `${(ns / unit[0]).toFixed(Math.min(decimals, 9))} ${unit[1]}`;
  }
  const percent = (share) => share >= 0.0995 ? `${Math.round(share * 100)} %`
    : share >= 0.00095 ? `${(share * 100).toFixed(1)} %` : "<0.1 %";

  // ---- The page

  function add(parent, tag, name, text) {
    const element = parent.appendChild(document.createElement(tag));
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  const body = document.body;
  add(body, "h1", "", data.title);
  add(body, "div", "faint", data.subtitle);
  const bar = add(body, "div", "bar");
  const rows = add(body, "div", "rows");
  rows.tabIndex = 0;
  rows.setAttribute("aria-label", "time lines: arrow keys move, + and - zoom");
  const tall = add(rows, "div");
  const canvas = add(tall, "canvas");
  const axis = add(body, "canvas");
  const overview = add(body, "canvas", "overview");
  const finer = add(body, "div", "finer");
  // Where the run waits most: a click zooms to the longest wait state.
  const findings = add(body, "ol");
  for (const { name, text, from, to } of data.findings || []) {
    const link = add(add(findings, "li"), "button", "", name);
    link.title = "zoom to the longest";
    link.addEventListener("click", () => setView(from - 4 * (to - from), to + 4 * (to - from)));
    link.parentNode.append(` ${text}`);
  }
  findings.hidden = !data.findings;
  // The notes: a click brings one into the middle.
  const notes = data.notes || [], noteList = add(body, "ol");
  noteList.className = "notes";
  for (const { at, text } of notes) {
    const link = add(add(noteList, "li"), "button", "", text);
    link.addEventListener("click", () => setView(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2));
  }
  noteList.hidden = !notes.length;
  const table = add(body, "table");
  add(body, "p", "faint", "Wheel or + \u2212: zoom. Drag or arrow keys: move. f: all. m: messages. "
    + (data.waits ? "W: waiting. " : "") + (data.path ? "c: critical path. " : "") + "What is ticked off in the table is hidden.");
  const tip = add(body, "div", "tip");

  function button(text, title, run) {
    const element = add(bar, "button", "", text);
    element.title = title;
    element.addEventListener("click", run);
    return element;
  }
  button("Fit", "all (f)", () => setView(data.from, data.to));
  button("+", "zoom in (+)", () => zoom(0.5));
  button("\u2212", "zoom out (-)", () => zoom(2));
  button("\u25c0", "to the left", () => pan(-0.5));
  button("\u25b6", "to the right", () => pan(0.5));
  const messages = button("Messages", "on and off (m)", toggleArrows);
  const waits = data.waits && button("Waiting", "hatched, on and off (W)", toggleWaits);
  const critical = data.path && button("Critical path", "on and off (c)", togglePath);
  const windowText = add(bar, "span", "window");

  // Hides messages that are seen, and shows them if they are not.
  function toggleArrows() {
    arrowsAll = areLeftOut();
    arrowsOn = arrowsAll || !arrowsOn;
    redraw();
  }
  function areLeftOut() {
    return arrowsOn && !arrowsAll && cover > mostCover;
  }
  function nameMessages() {
    messages.textContent = areLeftOut() ? `Messages (would cover ${Math.round(Math.min(1, cover) * 100)} %)` : "Messages";
    messages.setAttribute("aria-pressed", arrowsOn && !areLeftOut());
  }

  function toggleWaits() {
    if (!waits) return;
    waitsOn = !waitsOn;
    waits.setAttribute("aria-pressed", waitsOn);
    redraw();
  }
  function togglePath() {
    if (!critical) return;
    pathOn = !pathOn;
    critical.setAttribute("aria-pressed", pathOn);
    redraw();
  }

  // ---- The table

  const columnsOfTable = [["name", "state"], ["count", "count"], ["inclusive", "inclusive"], ["exclusive", "exclusive"],
    ["share", "share"]];
  const head = add(add(table, "thead"), "tr"), lines = add(table, "tbody");
  let sorted = "";
  for (const [key, title] of columnsOfTable)
    add(head, "th", "", title).addEventListener("click", () => sortTable(key));

  function sortTable(key) {
    const back = sorted === key;
    const order = [...data.names].sort((a, b) => key === "name" ? a.name.localeCompare(b.name) : b[key] - a[key]);
    sorted = back ? "" : key;
    for (const entry of back ? order.reverse() : order) lines.append(entry.line);
    if (lines.messages) lines.append(lines.messages);
  }
  for (const entry of data.names) {
    const line = entry.line = add(lines, "tr"), cell = add(line, "td"), label = add(cell, "label");
    const box = add(label, "input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => {
      entry.hidden = !box.checked;
      line.classList.toggle("hidden", entry.hidden);
      redraw();
    });
    add(label, "span", `colour ${entry.kind}`).style.background = entry.colour;
    label.append(entry.name);
    cell.title = entry.name;
    const state = entry.kind === "state";
    for (const text of [number(entry.count), state ? duration(entry.inclusive) : "",
      state ? duration(entry.exclusive) : "", state ? percent(entry.share) : ""])
      add(line, "td", "", text);
  }
  if (data.messages) {
    lines.messages = add(lines, "tr");
    const cell = add(lines.messages, "td");
    add(cell, "span", "colour message");
    cell.append("messages");
    add(lines.messages, "td", "", number(data.messages));
  }

  // ---- The view

  function setView(from, to) {
    const wide = Math.min(Math.max(to - from, leastSpan), Math.max(span, leastSpan));
    view.from = Math.max(data.from, Math.min(from, data.to - wide));
    view.to = view.from + wide;
    redraw();
  }
  function zoom(factor, about = (view.from + view.to) / 2) {
    setView(about - (about - view.from) * factor, about + (view.to - about) * factor);
  }
  function pan(part) {
    const by = (view.to - view.from) * part;
    setView(view.from + by, view.to + by);
  }
  function redraw() {
    if (!drawWaits) requestAnimationFrame(draw);
    drawWaits = true;
  }

  // ---- Geometry

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
  const deepest = () => exact ? Math.max(0, ...exact.map((row) => row.levels.length))
    : Math.max(...sources().map((source) => source.levels));
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
      if (waitsOn)
        for (const source of sources()) hatchRun(pen, source, row, level, runs, i, y + low + inset, height - low - 2 * inset);
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
      const key = row * deepest() + level;
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
    if (level + 1 < deepest()) {
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
    const wide = pen.measureText(entry.name).width;
    let text = entry.name;
    if (wide > room) text = `${text.slice(0, Math.ceil(1.5 * text.length * room / wide) + 4)}\u2026`; // a first guess
    while (pen.measureText(text).width > room && text.length > 4) text = `${text.slice(0, -2)}\u2026`;
    if (pen.measureText(text).width > room) return;
    if (exact) {
      const all = exact[row].levels[level], k = firstAt(all, timeAt((left + right) / 2), 4, 1);
      const long = `${text}  ${duration(all[k + 1] - all[k])}`;
      if (text === entry.name && pen.measureText(long).width <= room) text = long;
    }
    pen.fillStyle = entry.ink;
    pen.textBaseline = "middle";
    pen.fillText(text, from + 4, y + height / 2 + 0.5);
    pen.textBaseline = "alphabetic";
  }

  // Hatches the waiting part of a run.
  function hatchRun(pen, source, row, level, runs, i, y, height) {
    const waiting = source.line(row, source.levels + 2), entry = data.names[runs[i + 2]];
    for (let k = firstAt(waiting, runs[i], 4, 1); k < waiting.length && waiting[k] < runs[i + 1]; k += 4) {
      const left = onPixel(Math.max(labelWidth, xOf(Math.max(waiting[k], runs[i]))));
      const right = onPixel(Math.min(canvas.wide, xOf(Math.min(waiting[k + 1], runs[i + 1]))));
      if (waiting[k + 2] !== level || right <= left) continue;
      hatch(pen, left, right, y, height, theme.idle, entry.colour, 0.65);
    }
  }

  // A line with a rim; steps that are less than 3 pixels apart are fainter.
  function drawPath(pen) {
    const [top, height] = barOf(0), yOf = (row) => topOf(row) + top + Math.floor(height / 2);
    for (const [colour, wide] of [[theme.paper, 5], [theme.path, 3]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = Math.min(wide, Math.max(1, rowHeight / 5));
      for (let i = 0; i < path.length; i++) {
        const { from, to, row } = path[i], before = i ? path[i - 1].row : -1;
        if (to < view.from || from > view.to || row < 0) continue;
        const x = Math.max(xOf(from), labelWidth - 9), y = yOf(row), end = Math.min(xOf(to), canvas.wide + 9);
        if (end - x < 3 && wide > 3) continue;
        pen.globalAlpha = end - x < 3 ? 0.2 : 1;
        pen.beginPath();
        if (before >= 0 && before !== row) pen.moveTo(x, yOf(before));
        else pen.moveTo(x, y);
        pen.lineTo(x, y);
        pen.lineTo(end, y);
        pen.stroke();
      }
    }
    pen.globalAlpha = pen.lineWidth = 1;
  }

  // The box of a note's flag, {x, y, width, height}; null: it is outside of the view.
  function flagOf(index) {
    const { at, row } = notes[index];
    if (row < 0 || at < view.from || at >= view.to) return null;
    return { x: Math.floor(xOf(at)), y: topOf(row), width: 6 + 7 * String(index + 1).length, height: 13 };
  }

  function drawNotes(pen) {
    pen.font = "10px sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    notes.forEach((note, index) => {
      const flag = flagOf(index);
      if (!flag) return;
      pen.fillStyle = theme.accent;
      pen.fillRect(flag.x, flag.y, 2, rowHeight);
      pen.fillRect(flag.x, flag.y, flag.width, flag.height);
      pen.fillStyle = theme.paper;
      pen.fillText(String(index + 1), flag.x + 3, flag.y + flag.height / 2);
    });
  }

  // The number and text of the note whose flag is at a point; null: there is none.
  function noteAt(x, y) {
    for (let i = notes.length - 1; i >= 0; i--) {
      const flag = flagOf(i);
      if (flag && x >= flag.x && x < flag.x + flag.width && y >= flag.y && y < flag.y + flag.height)
        return [`note ${i + 1}`, notes[i].text];
    }
    return null;
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
    const y = topOf(row), size = Math.min(5, rowHeight * 0.2);
    for (let i = firstAt(marks, view.from - step, 2, 0); i < marks.length && marks[i] < view.to + step; i += 2) {
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
        for (let place = placeOf(runs[i]) - 1; place <= placeOf(runs[i + 1]) + 1; place++) shown.add(`${place} ${runs[i + 2]}`);
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
    for (let level = 0; level < deepest(); level++)
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

  // The arrows in the view, longest first. With more arrows, lines are fainter.
  const mostArrows = 1200;
  function arrowsInView() {
    const seen = [], above = rowAt(0), below = rowAt(canvas.high);
    for (const arrow of arrows) {
      if (Math.max(arrow.sent, arrow.received) < view.from || Math.min(arrow.sent, arrow.received) > view.to) continue;
      if (Math.max(arrow.fromRow, arrow.toRow) < above || Math.min(arrow.fromRow, arrow.toRow) > below) continue;
      if (seen.push(arrow) === mostArrows) break;
    }
    return seen;
  }
  function endsOf(arrow) {
    const [top, height] = barOf(0), middle = top + Math.floor(height / 2) + 0.5;
    return [xOf(arrow.sent), topOf(arrow.fromRow) + middle, xOf(arrow.received), topOf(arrow.toRow) + middle];
  }
  // The part of the rows that lines cover. If it is more than mostCover, they are left out, unless they are asked for.
  const mostCover = 0.1;
  function coverOf(seen) {
    const area = (canvas.wide - labelWidth) * Math.min(canvas.high, data.rows.length * rowHeight);
    let pixels = 0;
    for (const arrow of seen) {
      const [x0, y0, x1, y1] = endsOf(arrow), wide = Math.abs(x1 - x0), down = Math.abs(y1 - y0);
      const inside = Math.min(Math.max(x0, x1), canvas.wide) - Math.max(Math.min(x0, x1), labelWidth);
      pixels += Math.max(inside, wide > 0 ? down * inside / wide : down) + 1;
    }
    return pixels / area;
  }
  function arrowsDrawn() {
    const seen = arrowsOn ? arrowsInView() : [];
    cover = coverOf(seen);
    return areLeftOut() ? [] : seen;
  }
  function drawArrows(pen, seen) {
    pen.globalAlpha = Math.max(0.08, Math.min(0.85, 90 / seen.length));
    pen.strokeStyle = pen.fillStyle = theme.arrow;
    for (const arrow of seen) {
      const [x0, y0, x1, y1] = endsOf(arrow), length = Math.hypot(x1 - x0, y1 - y0), size = Math.min(6, rowHeight / 4);
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
      if (length < 2 * size || size < 2 || seen.length > 300) continue;
      const dx = (x1 - x0) * size / length, dy = (y1 - y0) * size / length;
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x1 - dx - dy * 0.4, y1 - dy + dx * 0.4);
      pen.lineTo(x1 - dx + dy * 0.4, y1 - dy - dx * 0.4);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  // Makes everything outside of the selection paler.
  function drawPale(pen, [from, to]) {
    const edge = (time) => Math.round(Math.min(Math.max(xOf(time), labelWidth), canvas.wide));
    pen.globalAlpha = data.pale;
    pen.fillStyle = theme.paper;
    pen.fillRect(labelWidth, 0, edge(from) - labelWidth, canvas.high);
    pen.fillRect(edge(to), 0, canvas.wide - edge(to), canvas.high);
    pen.globalAlpha = 1;
  }

  function drawLabels(pen, first, last) {
    pen.fillStyle = theme.paper;
    pen.fillRect(0, 0, labelWidth, canvas.high);
    const every = Math.ceil(12 / rowHeight);
    for (let row = Math.ceil(first / every) * every; row < last; row += every) {
      const [top, height] = barOf(0);
      pen.fillStyle = data.rows[row].colour ? theme.faint : theme.text;
      pen.fillText(data.rows[row].label, 0, Math.max(9, Math.floor(topOf(row) + top + height / 2 + 4)), labelWidth - 8);
    }
  }

  function axisTicks(width) {
    const least = (view.to - view.from) * 90 / Math.max(width, 90), ten = 10 ** Math.floor(Math.log10(least));
    const step = Math.max(1, [1, 2, 5, 10].map((by) => by * ten).find((by) => by >= least * 0.999));
    const unit = unitOf(Math.max(Math.abs(view.from), Math.abs(view.to))), ticks = [];
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step)
      ticks.push([time, timeText(time, step, unit)]);
    return ticks;
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
      if (!data.rows[row].colour) drawStates(pen, row);
      else for (const source of sources()) drawGraph(pen, source, row);
    }
    drawArrows(pen, arrowsDrawn());
    if (pathOn) drawPath(pen);
    if (data.selected) drawPale(pen, data.selected);
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
        const runs = exact ? runsOf(exact[row].levels[level], data.from, data.to, Math.ceil(width)) : whole.line(row, level);
        for (let i = 0; i < runs.length; i += 4) {
          const entry = data.names[runs[i + 2]];
          if (!entry || entry.hidden || runs[i + 3] & LOW) continue;
          pen.fillStyle = entry.colour;
          const left = place(runs[i]), right = Math.max(left + 0.5, place(runs[i + 1]));
          pen.fillRect(left, row * height, right - left, height * every);
        }
      }
    const left = place(view.from), right = Math.max(left + 2, place(view.to));
    pen.globalAlpha = 0.6;
    pen.fillStyle = theme.paper;
    pen.fillRect(labelWidth, 0, left - labelWidth, overview.high);
    pen.fillRect(right, 0, canvas.wide - right, overview.high);
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.accent;
    pen.strokeRect(left + 0.5, 0.5, right - left - 1, overview.high - 1);
  }

  function layout() {
    const wide = body.clientWidth - 32, count = data.rows.length;
    const natural = count <= 12 ? 30 : count <= 24 ? 24 : count <= 64 ? 16 : count <= 128 ? 10 : 5;
    rowHeight = data.height || natural;
    const pen = canvas.getContext("2d");
    pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
    labelWidth = Math.min(Math.ceil(Math.max(...data.rows.map((row) => pen.measureText(row.label).width))) + 10,
      Math.floor(wide / 3));
    tall.style.height = `${count * rowHeight}px`;
    return [wide, Math.min(count * rowHeight, Math.floor(innerHeight * 0.76))];
  }

  function draw() {
    drawWaits = false;
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "text", "faint", "grid", "idle", "arrow", "accent", "path"])
      theme[name] = style.getPropertyValue(`--${name}`).trim();
    shownRuns.clear();
    const [wide, high] = layout(), pen = prepare(canvas, wide, high), ticks = axisTicks(wide - labelWidth);
    drawRows(pen, ticks);
    nameMessages();
    drawAxis(ticks);
    drawOverview();
    tellFiner();
    const fine = (view.to - view.from) / 1000, unit = unitOf(Math.max(Math.abs(view.from), Math.abs(view.to)));
    const shown = `${timeText(view.from, fine, unit)} \u2013 ${timeText(view.to, fine, unit)}`;
    windowText.textContent = `${shown}, ${duration(view.to - view.from)}`;
  }

  // Tells how to see more than the page has.
  function tellFiner() {
    const seconds = (time) => (time / 1e9).toFixed(9);
    const quoted = /^[\w./+-]+$/.test(data.log) ? data.log : `'${data.log.replace(/'/g, "'\\''")}'`;
    finer.textContent = isHatched ? `Hatched: finer than this page. To see it: pith draw ${quoted} -o part.html `
      + `--from ${seconds(view.from)} --to ${seconds(view.to)}` : "\u00a0";
  }

  // ---- The item under the pointer

  function arrowAt(x, y) {
    if (!arrowsOn || areLeftOut()) return null;
    const near = arrowsInView().slice(0, 400).map((arrow) => {
      const [x0, y0, x1, y1] = endsOf(arrow), length = Math.hypot(x1 - x0, y1 - y0) || 1;
      const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length;
      const off = along < 0 || along > length ? 99 : Math.abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length;
      return { arrow, off };
    }).sort((a, b) => a.off - b.off)[0];
    return near && near.off < 3.5 ? near.arrow : null;
  }
  // Events: exact, or by columns.
  function marksIn(row) {
    return exact ? [[exact[row].events, 0]] : sources().map((source) => [source.line(row, source.levels + 1), source.step]);
  }
  function spotAt(row, x, y) {
    if (y - topOf(row) > rowHeight * 0.4) return null;
    for (const [marks, step] of marksIn(row))
      for (let i = 0; i < marks.length; i += 2)
        if (Math.abs(xOf(marks[i]) - x) < 5 && !data.names[marks[i + 1]].hidden)
          return { entry: data.names[marks[i + 1]], from: marks[i], to: marks[i], step };
    return null;
  }
  // The exact instance, or the run of columns, at a level; null: nothing. `unknown`: in what is hatched.
  function runOf(row, level, time) {
    const lists = exact ? [[exact[row].levels[level] || [], 0, false]] : sources().filter((source) => level < source.levels)
      .map((source) => [source.line(row, level), source.step, isCoarse(source)]);
    for (const [runs, step, coarse] of lists) {
      const i = firstAt(runs, time, 4, 1);
      if (i >= runs.length || runs[i] > time || data.names[runs[i + 2]].hidden) continue;
      const unknown = coarse && (runs[i + 3] & (LOW | MANY) || runs[i + 1] - runs[i] < 2.5 * step
        || time < runs[i] + step || time >= runs[i + 1] - step);
      return { entry: data.names[runs[i + 2]], from: runs[i], to: runs[i + 1], step, level, unknown };
    }
    return null;
  }
  function runAt(row, time, y) {
    for (let level = deepest() - 1; level >= 0; level--) {
      const [top, height] = barOf(level);
      if (level && (y < topOf(row) + top || y >= topOf(row) + top + height)) continue;
      const found = runOf(row, level, time);
      if (found) return found;
    }
    return null;
  }
  function waitsAt(row, time, level) {
    return sources().some((source) => {
      const runs = source.line(row, source.levels + 2), i = firstAt(runs, time, 4, 1);
      return i < runs.length && runs[i] <= time && runs[i + 2] === level;
    });
  }
  function valueAt(row, time) {
    const { low, high } = data.rows[row];
    for (const source of sources()) {
      const runs = source.line(row, 0), i = firstAt(runs, time, 4, 1);
      if (i < runs.length && runs[i] <= time) return low + (high - low) * runs[i + 2] / (signs.length - 1);
    }
    return undefined;
  }
  function linesAt(x, y) {
    const row = rowAt(y), time = timeAt(x), fine = (view.to - view.from) / 1000;
    if (x < labelWidth || row < 0 || row >= data.rows.length) return null;
    const place = [data.rows[row].label, `at ${timeText(time, fine)}`];
    if (data.rows[row].colour) {
      const value = valueAt(row, time);
      return value === undefined ? place : [`about ${+value.toPrecision(3)}`, ...place];
    }
    const arrow = arrowAt(x, y);
    if (arrow)
      return ["message", `${data.rows[arrow.fromRow].label} to ${data.rows[arrow.toRow].label}`,
        `${number(arrow.bytes)} bytes, tag ${arrow.tag}`, `sent ${timeText(arrow.sent, fine)}`,
        `took ${duration(arrow.took)}`];
    const found = spotAt(row, x, y) || runAt(row, time, y);
    if (!found) return place;
    if (found.unknown) return ["finer than this page", ...place];
    const waiting = found.level !== undefined && waitsOn && waitsAt(row, time, found.level) ? "waiting" : "";
    const length = found.to - found.from, known = 3 * found.step;
    const took = !length ? "" : exact ? duration(length) : length > known ? `about ${duration(length)}` : `below ${duration(known)}`;
    return [found.entry.name, ...place, took, waiting].filter((text) => text);
  }
  function showTip(event) {
    const box = rows.getBoundingClientRect();
    const texts = hit ? null : noteAt(event.clientX - box.left, event.clientY - box.top)
      || linesAt(event.clientX - box.left, event.clientY - box.top);
    tip.style.display = texts ? "block" : "none";
    if (!texts) return;
    tip.replaceChildren();
    texts.forEach((text, i) => add(tip, i ? "div" : "b", i ? "faint" : "", text));
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10
      : event.clientY + 16}px`;
  }

  // ---- Pointer and keys

  rows.addEventListener("wheel", (event) => {
    const allSeen = tall.clientHeight <= rows.clientHeight + 1, steps = event.deltaY * (event.deltaMode ? 33 : 1);
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      pan((event.deltaX || event.deltaY) / 1000);
    else if (allSeen || event.ctrlKey)
      zoom(Math.exp(steps * 0.002), timeAt(event.clientX - rows.getBoundingClientRect().left));
    else return;
    event.preventDefault();
  }, { passive: false });
  rows.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    hit = { x: event.clientX, y: event.clientY, from: view.from, to: view.to, top: rows.scrollTop };
    rows.setPointerCapture(event.pointerId);
    rows.classList.add("moving");
    showTip(event);
  });
  rows.addEventListener("pointermove", (event) => {
    showTip(event);
    if (!hit) return;
    const by = (hit.x - event.clientX) * (hit.to - hit.from) / (canvas.wide - labelWidth);
    rows.scrollTop = hit.top + hit.y - event.clientY;
    setView(hit.from + by, hit.to + by);
  });
  for (const end of ["pointerup", "pointercancel"])
    rows.addEventListener(end, () => { hit = null; rows.classList.remove("moving"); });
  rows.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  rows.addEventListener("dblclick", (event) => zoom(0.25, timeAt(event.clientX - rows.getBoundingClientRect().left)));
  rows.addEventListener("scroll", redraw);
  function overviewTo(event) {
    const x = event.clientX - overview.getBoundingClientRect().left, half = (view.to - view.from) / 2;
    const time = data.from + (x - labelWidth) / (canvas.wide - labelWidth) * span;
    setView(time - half, time + half);
  }
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    overviewTo(event);
  });
  overview.addEventListener("pointermove", (event) => { if (event.buttons) overviewTo(event); });

  const keys = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), w: () => zoom(0.5), "-": () => zoom(2), s: () => zoom(2),
    ArrowLeft: () => pan(-0.25), a: () => pan(-0.25), ArrowRight: () => pan(0.25), d: () => pan(0.25),
    ArrowUp: () => { rows.scrollTop -= rowHeight; }, ArrowDown: () => { rows.scrollTop += rowHeight; },
    f: () => setView(data.from, data.to), Home: () => setView(data.from, data.to), m: toggleArrows,
    W: toggleWaits, c: togglePath,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    if (/^Arrow(Up|Down)$/.test(event.key) && tall.clientHeight <= rows.clientHeight + 1) return;
    keys[event.key]();
    event.preventDefault();
  });
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // Reads a window from the address: page.html#1.2-1.4, in seconds.
  const wanted = /^#([\d.]+)-([\d.]+)$/.exec(location.hash);
  if (wanted) setView(wanted[1] * 1e9, wanted[2] * 1e9);
  if (waits) waits.setAttribute("aria-pressed", waitsOn);
  if (critical) critical.setAttribute("aria-pressed", pathOn);
  draw();
}
