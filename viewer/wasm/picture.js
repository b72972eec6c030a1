// picture.js - the time and the rows that are shown, and their picture: the core makes pixels, the canvas shows them.

const canvas = element("picture"), marks = element("marks"), overview = element("overview");
const stage = element("stage"), tall = element("tall");
// flags of pithi_module_draw (module.h)
const WAITS = 1, PATH = 2, NO_ARROWS = 4, NO_NAMES = 8, QUICK = 16, ALL_ARROWS = 32, NEAR = 64, COARSE = 128;
const COARSE_TEXT = "a coarse picture; the exact one follows";
const FRAME = 84;           // the height of a picture without its rows: title, axis
let view = { from: 0n, to: 1n };
let past = [], future = []; // views for undo and redo
let picture = null;         // the picture on the screen, with its view and size
// the pixels of a picture that the canvas has taken over; the next picture uses their memory
let used = null;
let isDrawing = false, isDrawPending = false;
let askedWidth = 0;         // width of the newest picture that was requested
let exactTimer = 0;
const shown = { arrows: true, allArrows: false, names: true, waits: false, path: false, isDark: false };
let rowScale = 1;
let selection = null;       // [from, to] as BigInt
let chosen = null;          // the record with a frame: row, from, to, and the place of its bar; null: none

const clamp = (value, least, most) => value < least ? least : value > most ? most : value;
const span = () => view.to - view.from;
const timeAt = (x) => view.from + BigInt(Math.round((x - picture.left) / picture.wide * Number(span())));
const xOf = (time) => picture.left + Number(time - view.from) / Number(span()) * picture.wide;

// ---- Size and rows

const naturalHeight = () => log.row_height || (log.rows > 64 ? 10 : log.rows > 24 ? 16 : log.rows > 8 ? 26 : 44);
const rowHeight = () => clamp(Math.round(naturalHeight() * rowScale), 2, 200);
const sizeOf = () => {
  const width = Math.max(260, document.body.clientWidth - (innerWidth > 520 ? 32 : 16));
  const most = Math.max(FRAME + rowHeight(), 160, Math.floor(innerHeight * 0.66));
  return { width, height: clamp(log.rows * rowHeight() + FRAME, 160, most) };
};
const rowsThatFit = () => Math.max(1, Math.floor((sizeOf().height - FRAME) / rowHeight()));
const scrollsRows = () => log && log.rows > rowsThatFit();
const firstRow = () => clamp(Math.round(stage.scrollTop / rowHeight()), 0, Math.max(0, log.rows - rowsThatFit()));
function layOut() {
  const { height } = sizeOf();
  stage.style.height = `${height}px`;
  tall.style.height = `${height + Math.max(0, log.rows - rowsThatFit()) * rowHeight()}px`;
}
const scrollRows = (count) => { stage.scrollTop += count * rowHeight(); };
const pageOfRows = () => Math.max(1, rowsThatFit() - 1);
function showRow(row) {
  if (row === undefined || (row >= firstRow() && row < firstRow() + rowsThatFit())) return;
  stage.scrollTop = (row - Math.floor(rowsThatFit() / 2)) * rowHeight();
}
function higher(factor) {
  const middle = firstRow() + rowsThatFit() / 2;
  if (clamp(naturalHeight() * rowScale * factor, 2, 200) !== naturalHeight() * rowScale * factor) return;
  rowScale *= factor;
  layOut();
  stage.scrollTop = (middle - rowsThatFit() / 2) * rowHeight();
  redraw();
}
stage.addEventListener("scroll", () => { if (log && picture && firstRow() !== picture.of.first) redraw(); });

// ---- Drawing

function redraw() {
  isDrawPending = true;
  if (!isDrawing && log) drawNow();
}
// With `pith serve`, messages would take as long as the rest of the first picture, so it has none. The records of a
// large view would take too long, so it is drawn from the summary (NEAR).
function flagsOf(isExact) {
  const isFar = element("served"), isFirst = isFar && !picture && !isExact;
  const isNear = isFar && Number(span()) / Number(log.to - log.from) * log.records > 1.5e6;
  return (shown.arrows && !isFirst ? 0 : NO_ARROWS) | (shown.allArrows ? ALL_ARROWS : 0) | (shown.names ? 0 : NO_NAMES)
    | (shown.waits ? WAITS : 0) | (shown.path ? PATH : 0) | (isExact ? 0 : QUICK) | (isNear ? NEAR : 0)
    | (isFirst && log.sketched && view.from === log.work_from && view.to === log.work_to ? COARSE : 0);
}
// A large log gets a quick picture first and while the view moves, and an exact picture when it rests. A coarse picture
// is followed by a picture without messages, because messages may take longer than all the rest.
async function drawNow(isDue = !log.large) {
  const isExact = isDue && !(picture && picture.coarse && shown.arrows && log.messages);
  let isCoarse = false, isFailed = false;
  isDrawing = true;
  isDrawPending = false;
  clearTimeout(exactTimer);
  layOut();
  const what = { from: view.from, to: view.to, ...sizeOf(), scale: devicePixelRatio,
    flags: flagsOf(isDue) | (isDue && !isExact ? NO_ARROWS : 0), first: firstRow(), rowHeight: rowHeight() };
  askedWidth = what.width;
  const theme = shown.isDark ? "dark" : "light";
  const of = openNumber;
  try {
    const room = used;
    used = null;
    const made = await ask("draw", what, room);
    if (of === openNumber) show({ ...made, of: what, isExact, theme });
    isCoarse = made.coarse;
  } catch (error) {
    if (of === openNumber) say(error.message, true);
    isFailed = true;
  }
  isDrawing = false;
  const next = () => { if (!isDrawing && log) drawNow(true); };
  if (isDrawPending && log) drawNow();
  else if (!isExact && !(isDue && isFailed)) exactTimer = setTimeout(next, isCoarse || isDue ? 0 : 150);
}

// While a view moves, a legend would delay the next picture, so it follows after a moment of rest.
let restTimer = 0; // 0: the timer is not set
function restThen(work) {
  clearTimeout(restTimer);
  restTimer = work && setTimeout(() => {
    restTimer = 0;
    work();
  }, 100);
}
function show(made) {
  const isFirst = !picture;
  picture = made;
  const { width, height, pixels, of } = made, context = canvas.getContext("2d");
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  canvas.style.width = marks.style.width = `${of.width}px`;
  canvas.style.height = marks.style.height = `${of.height}px`;
  context.putImageData(new ImageData(pixels, width, height), 0, 0);
  used = pixels;
  delete made.pixels;
  drawMarks();
  nameMessages();
  if (made.damage) element("trouble").textContent = made.damage;
  // For tests and scripts that wait: which view is on the screen.
  canvas.dataset.shown = `${of.from} ${of.to} ${of.flags} ${made.isExact ? "exact" : made.coarse ? "coarse" : "quick"}`;
  canvas.dataset.theme = made.theme;
  keepLink();
  if (made.coarse) say(COARSE_TEXT);
  else if (element("said").textContent === COARSE_TEXT) say("");
  if (made.isExact) {
    if (isFirst) refreshLegend();
    else restThen(refreshLegend);
    refreshOverview();
  } else {
    restThen(0);
  }
  drawOverview();
}

const colour = (rgb) => `#${rgb.toString(16).padStart(6, "0")}`;
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
const inPlot = (time) => clamp(xOf(time), picture.left, picture.left + picture.wide);

// Draws the frame of the chosen record.
function drawChosen(pen) {
  if (!chosen || chosen.row === undefined || chosen.to < view.from || chosen.from >= view.to) return;
  const row = chosen.row - picture.first;
  if (row < 0 || row >= picture.rows) return;
  const top = picture.top + (row + (chosen.bar_top || 0)) * picture.row_height;
  const high = (chosen.bar_height || 1) * picture.row_height;
  const left = inPlot(chosen.from), right = Math.max(inPlot(chosen.to), left + 2);
  for (const [name, wide] of [["--paper", 4], ["--accent", 2]]) {
    pen.strokeStyle = styleOf(name);
    pen.lineWidth = wide;
    pen.strokeRect(left - 1, top - 1, right - left + 2, high + 2);
  }
}
function drawInterval(pen, interval) {
  const [left, right] = interval.map(inPlot), { top, bottom } = picture, end = picture.left + picture.wide;
  pen.globalAlpha = 0.6;
  pen.fillStyle = styleOf("--paper");
  pen.fillRect(picture.left, top, left - picture.left, bottom - top);
  pen.fillRect(right, top, end - right, bottom - top);
  pen.globalAlpha = 1;
  pen.fillStyle = styleOf("--accent");
  if (interval[0] >= view.from) pen.fillRect(left - 1, top, 1, bottom - top);
  if (interval[1] <= view.to) pen.fillRect(right, top, 1, bottom - top);
  if (interval[1] < view.from || interval[0] > view.to) return;
  const text = durationText(interval[1] - interval[0]);
  pen.font = '11px "DejaVu Sans", Verdana, sans-serif';
  const wide = pen.measureText(text).width + 8, x = clamp((left + right - wide) / 2, picture.left, end - wide);
  pen.fillRect(x, bottom - 17, wide, 16);
  pen.fillStyle = styleOf("--paper");
  pen.fillText(text, x + 4, bottom - 5);
}
// Below two minutes as pithi_duration_text; the table shows longer durations.
function durationText(ns) {
  const value = Number(ns), units = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [0, "ns"]];
  const [least, name] = units.find(([one]) => value >= one), size = least || 1;
  return `${value / size < 1000 ? +(value / size).toPrecision(4) : Math.round(value / size)} ${name}`;
}
// Draws the marks over the picture.
function drawMarks() {
  const { width, height } = picture.of, scale = devicePixelRatio, pen = marks.getContext("2d");
  [marks.width, marks.height] = [width * scale, height * scale];
  pen.scale(scale, scale);
  const interval = (drag && drag.interval) || selection;
  drawChosen(pen);
  if (interval) drawInterval(pen, interval);
}

// ---- The overview: the whole log, with the view in it

const STRIP = 30;
let strip = null, stripOf = "", isStripAsked = false;
let look = 0; // changes whenever the strip must be drawn anew although its size stays
async function refreshOverview() {
  const scale = devicePixelRatio, of = openNumber;
  const width = Math.round(picture.wide * scale), height = Math.round(STRIP * scale);
  const wanted = `${of} ${look} ${width} ${height} ${shown.isDark}`;
  if (wanted === stripOf || isStripAsked) return;
  isStripAsked = true;
  const made = await ask("overview", width, height).catch(() => null);
  isStripAsked = false;
  if (!made || of !== openNumber) return;
  strip = await createImageBitmap(new ImageData(made.pixels, width, height));
  stripOf = wanted;
  drawOverview();
}
function drawOverview() {
  const { wide, of } = picture, scale = devicePixelRatio, pen = overview.getContext("2d");
  [overview.width, overview.height] = [of.width * scale, STRIP * scale];
  [overview.style.width, overview.style.height] = [`${of.width}px`, `${STRIP}px`];
  pen.scale(scale, scale);
  if (strip) pen.drawImage(strip, picture.left, 0, wide, STRIP);
  const place = (time) => picture.left + Number(time - log.from) / Number(log.to - log.from) * wide;
  const left = place(view.from), right = Math.max(left + 2, place(view.to));
  pen.globalAlpha = 0.6;
  pen.fillStyle = styleOf("--paper");
  pen.fillRect(picture.left, 0, left - picture.left, STRIP);
  pen.fillRect(right, 0, picture.left + wide - right, STRIP);
  pen.globalAlpha = 1;
  pen.strokeStyle = styleOf("--accent");
  pen.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 1), STRIP - 1);
  // Marks the hits of the search, at most one a pixel.
  const found = hits.all.length || !chosen || !chosen.isHit ? hits.all : [[chosen.from]];
  pen.fillStyle = styleOf("--text");
  for (const x of new Set(found.map(([time]) => Math.round(place(time))))) {
    pen.fillRect(x, 0, 1, 6);
    pen.fillRect(x, STRIP - 6, 1, 6);
  }
}

// ---- The view

// Moves the view into the log. `kind`: successive moves of the same kind are one step for undo; undefined: the move is
// a step of its own.
let lastMove;
function setView(from, to, kind) {
  const whole = log.to - log.from, wide = clamp(to - from, 20n < whole ? 20n : whole, whole);
  const begin = clamp(to - from === wide ? from : from + (to - from - wide) / 2n, log.from, log.to - wide);
  if (begin === view.from && begin + wide === view.to) return;
  if (kind === undefined || kind !== lastMove) past.push(view);
  lastMove = kind;
  future = [];
  view = { from: begin, to: begin + wide };
  redraw();
}
function undo(from = past, to = future) {
  if (!from.length) return;
  to.push(view);
  view = from.pop();
  lastMove = undefined;
  redraw();
}
function zoom(factor, at = view.from + span() / 2n, kind) {
  const scaled = (time) => BigInt(Math.round(Number(time) * factor));
  setView(at - scaled(at - view.from), at + scaled(view.to - at), kind);
}
function pan(part, kind) {
  const by = BigInt(Math.round(Number(span()) * part)), from = clamp(view.from + by, log.from, log.to - span());
  setView(from, from + span(), kind);
}
const fit = () => setView(log.from, log.to);
const work = () => setView(log.work_from, log.work_to);
function select(interval) {
  const isNew = interval !== selection;
  selection = interval;
  if (!picture) return;
  drawMarks();
  if (!isNew) return;
  refreshLegend();
  keepLink();
}

// The first view: the time of the program's work, unless options or the link choose another view.
function beginPicture(isLinked) {
  const isAsked = log.view_from !== log.from || log.view_to !== log.to;
  view = isAsked ? { from: log.view_from, to: log.view_to } : { from: log.work_from, to: log.work_to };
  element("work").hidden = log.work_from === log.from && log.work_to === log.to;
  past = [];
  future = [];
  selection = log.select_from === undefined ? null : [log.select_from, log.select_to];
  chosen = null;
  picture = null;
  lastMove = undefined;
  strip = null;
  rowScale = 1;
  Object.assign(shown, { arrows: log.arrows, allArrows: log.all_arrows, names: log.names, waits: false, path: false });
  delete canvas.dataset.shown;
  layOut();
  stage.scrollTop = 0;
  log.opened = { ...view, selection };
  if (isLinked) readLink();
  past = []; // the view of the address is the first: nothing to undo
  tellSwitches();
  redraw();
}

// ---- The link: the address of the page with what is shown, times in seconds, as in
// app.html#1.2-1.4&select=1.25-1.3&hide=MPI_Recv&row=12

const SECOND = 1000000000n;
function secondsAt(time) {
  const size = time < 0n ? -time : time;
  const text = `${size / SECOND}.${String(size % SECOND).padStart(9, "0")}`.replace(/\.?0+$/, "");
  return time < 0n ? `-${text}` : text;
}
const intervalText = ([from, to]) => `${secondsAt(from)}-${secondsAt(to)}`;
const keyOf = ({ kind, name }) => encodeURIComponent(kind === "state" ? name : `${kind}:${name}`);
function linkText() {
  const hidden = log.defs.filter((def) => def.hidden && !isTool(def)).map(keyOf), { opened } = log;
  return [
    view.from !== opened.from || view.to !== opened.to ? intervalText([view.from, view.to]) : "",
    selection ? `select=${intervalText(selection)}` : opened.selection ? "select=none" : "",
    hidden.length ? `hide=${hidden.join(",")}` : "",
    firstRow() ? `row=${firstRow()}` : "",
  ].filter((part) => part).join("&");
}
// Browsers limit how often an address changes, so it changes after a moment of rest.
let linkTimer = 0;
function keepLink() {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(writeLink, 200);
}
function writeLink() {
  const hash = log ? linkText() : "";
  if (location.hash.slice(1) === hash) return;
  try {
    history.replaceState(null, "", hash ? `#${hash}` : location.href.replace(/#.*/, ""));
  } catch {
    location.hash = hash; // a page without an address of its own
  }
}
// Reads two times in the log as BigInt; null: the text has none.
function readInterval(text) {
  const [, ...times] = /^(-?\d+(?:\.\d*)?)-(-?\d+(?:\.\d*)?)$/.exec(text || "") || [];
  const [from, to] = times.map((time) => {
    const [whole, part = ""] = time.replace("-", "").split(".");
    const size = BigInt(whole) * SECOND + BigInt(part.padEnd(9, "0").slice(0, 9));
    return time.startsWith("-") ? -size : size;
  });
  return from !== undefined && from < to && from >= log.from && to <= log.to ? [from, to] : null;
}
function readLink(hash = location.hash) {
  const parts = new Map(hash.slice(1).split("&").map((part) => {
    const [name, value] = part.split("=");
    return value === undefined ? ["view", name] : [name, value];
  }));
  const [from, to] = readInterval(parts.get("view")) || [log.opened.from, log.opened.to];
  const hidden = (parts.get("hide") || "").split(",");
  for (const [id, def] of log.defs.entries())
    if (!isTool(def) && def.hidden !== hidden.includes(keyOf(def)) && parts.has("hide")) setHidden(id, !def.hidden);
  selection = readInterval(parts.get("select")) || (parts.has("select") ? null : log.opened.selection);
  if (parts.has("row")) stage.scrollTop = Number(parts.get("row")) * rowHeight();
  setView(from, to);
}
// The new address comes from the event, because writeLink may have replaced it meanwhile.
addEventListener("hashchange", (event) => {
  const hash = event.newURL.replace(/^[^#]*/, "");
  if (!log || hash.slice(1) === linkText()) return;
  readLink(hash);
  redraw();
});
// If the clipboard is not available, the text is selected for Ctrl-C.
async function copyLink() {
  writeLink();
  try {
    await navigator.clipboard.writeText(location.href);
    say("link copied");
  } catch {
    say(location.href);
    getSelection().selectAllChildren(element("said"));
  }
}

// ---- What is shown

function tellSwitches() {
  for (const name of ["waits", "path"]) element(name).setAttribute("aria-pressed", shown[name]);
  nameMessages();
}
// Messages that would cover much of the picture are left out until the user switches them on.
function nameMessages() {
  const cover = picture && picture.cover;
  element("arrows").textContent = cover ? `Messages (would cover ${Math.round(cover * 100)} %)` : "Messages";
  element("arrows").setAttribute("aria-pressed", shown.arrows && !cover);
}
function toggleArrows() {
  shown.allArrows = Boolean(picture && picture.cover);
  shown.arrows = shown.allArrows || !shown.arrows;
  redraw();
}
async function toggle(name) {
  if (!shown[name] && !await analyze({ isDrawn: name !== "findings" })) return;
  shown[name] = !shown[name];
  tellSwitches();
  redraw();
}
// Arranges the rows by words of `pith draw -e`.
async function arrange(words) {
  try {
    const facts = await ask("words", `zoom ${secondsAt(view.from)} ${secondsAt(view.to)}; ${words}`);
    log.rows = facts.rows;
    look++;
    chosen = null;
    stage.scrollTop = 0;
    redraw();
  } catch (error) {
    say(error.message, true);
  }
}
async function setTheme(isDark) {
  shown.isDark = isDark;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  element("theme").textContent = isDark ? "Light" : "Dark";
  await ask("theme", isDark ? "dark" : "light");
  if (log) redraw();
}
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
prefersDark.addEventListener("change", () => setTheme(prefersDark.matches));
addEventListener("resize", redraw);
// A scroll bar that appears because the table became long makes the page narrower, without an event of the window.
new ResizeObserver(() => { if (log && sizeOf().width !== askedWidth) redraw(); }).observe(document.body);
