// view.js - what is shown: the stretch of time, the selection, the chosen record, hidden names. A change draws the page
// again and goes into its address (link.js).

const leastSpan = 20;
const view = { from: data.from, to: data.to };
let selection = data.selected || null; // [from, to]
let chosen = null; // the record with an outline: { row, level (undefined: an event), from, to }
let arrowsOn = data.arrowsOn, arrowsAll = data.arrowsAll, waitsOn = !!data.waits, pathOn = !!data.path;
let rowScale = 1, namesOn = data.names_on;
let isDrawPending = false;

// Draws when the browser is ready to.
function redraw() {
  if (!isDrawPending) requestAnimationFrame(draw);
  isDrawPending = true;
}

// ---- Time

const past = [], future = []; // views for undo and redo
let lastMove; // what moved the view last

// Changes by the same `move`, such as the steps of a drag, are undone as one.
function setView(from, to, move) {
  const before = [view.from, view.to];
  const wide = Math.min(Math.max(to - from, leastSpan), Math.max(span, leastSpan));
  view.from = Math.max(data.from, Math.min(from, data.to - wide));
  view.to = view.from + wide;
  redraw();
  if (view.from === before[0] && view.to === before[1]) return;
  if (!move || move !== lastMove) past.push(before);
  future.length = 0;
  lastMove = move;
}
function undo(back = past, forth = future) {
  if (!back.length) return;
  forth.push([view.from, view.to]);
  [view.from, view.to] = back.pop();
  lastMove = undefined;
  redraw();
}
function zoom(factor, about = (view.from + view.to) / 2, move = undefined) {
  const from = about - (about - view.from) * factor;
  setView(from, from + (view.to - view.from) * factor, move);
}
function pan(part, move = undefined) {
  const by = (view.to - view.from) * part;
  setView(view.from + by, view.to + by, move);
}

// ---- Selection and hidden names

function select(stretch) {
  selection = stretch;
  fillTable();
  redraw();
}
function hide(entry, hidden) {
  entry.hidden = hidden;
  showHidden();
  redraw();
}
// Hides all others; all are shown again if they are hidden already.
function showOnly(entry) {
  const others = data.names.filter((other) => other !== entry), areHidden = others.every((other) => other.hidden);
  for (const other of others) other.hidden = !areHidden;
  hide(entry, false);
}
function showAll() {
  for (const entry of data.names) entry.hidden = false;
  showHidden();
  redraw();
}

// ---- Colours of the page

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
// The reader's preference, until the reader switches.
function setTheme(name = prefersDark.matches ? "dark" : "light") {
  document.documentElement.dataset.theme = name;
  themeButton.textContent = name === "dark" ? "Light" : "Dark";
  redraw();
}
function switchTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}
