// keys.js - the keys of the page, which are those of the window of `pith view`, and the card that lists them.

const fit = () => setView(data.from, data.to);
const scrollRows = (count) => { rows.scrollTop += count * rowHeight; };
const pageOfRows = () => Math.max(1, Math.floor(canvas.high / rowHeight) - 1);
function higher(factor) {
  const scale = rowScale * factor, middle = (rows.scrollTop + canvas.high / 2) / rowHeight;
  if (data.height * scale < 1 || data.height * scale > 200) return;
  rowScale = scale;
  layout();
  rows.scrollTop = middle * rowHeight - canvas.high / 2;
  redraw();
}
// To the selection, else to the chosen record, else to what is under the pointer.
function zoomToChosen() {
  const [from, to] = selection || (chosen && [chosen.from, chosen.to]) || stretchAt(pointer) || [0, 0];
  if (to > from) setView(from, to);
}
function escape() {
  if (!keyCard.hidden) toggleKeys();
  else if (drag) dropDrag();
  else if (chosen) chosen = null;
  else select(null);
  redraw();
}
function hidePointed() {
  const found = recordAt(pointer);
  if (found) hide(found.entry, true);
}

// Keys, as events call them; how the card names them; what they do; the function.
const keyTable = [
  [["+", "=", "w"], "+  w", "zoom in", () => zoom(0.5)],
  [["-", "s"], "-  s", "zoom out", () => zoom(2)],
  [["f", "Home", "0"], "f  0  Home", "show all", fit],
  [["ArrowLeft", "a"], "Left  a", "move left", () => pan(-0.25)],
  [["ArrowRight", "d"], "Right  d", "move right", () => pan(0.25)],
  [["Shift-ArrowLeft", "A"], "Shift-Left", "one window to the left", () => pan(-1)],
  [["Shift-ArrowRight", "D"], "Shift-Right", "one window to the right", () => pan(1)],
  [["z", "Enter"], "z  Return", "zoom to the selection, else to the chosen record", zoomToChosen],
  [["u", "Backspace", "Ctrl-z"], "u  Ctrl-z", "undo the last zoom", () => undo()],
  [["r", "Ctrl-y", "Ctrl-Z"], "r  Ctrl-y", "redo it", () => undo(future, past)],
  [["m"], "m", "show or hide messages", toggleArrows],
  [["W"], "Shift-w", "hatch waiting, or stop it", toggleWaits],
  [["c"], "c", "show or hide the critical path", togglePath],
  [["h"], "h", "hide what is under the pointer", hidePointed],
  [["H"], "Shift-h", "show all that is hidden", showAll],
  [["ArrowUp"], "Up", "scroll rows up", () => scrollRows(-1)],
  [["ArrowDown"], "Down", "scroll rows down", () => scrollRows(1)],
  [["PageUp"], "Page Up", "a page of rows up", () => scrollRows(-pageOfRows())],
  [["PageDown"], "Page Down", "a page of rows down", () => scrollRows(pageOfRows())],
  [["["], "[", "lower rows", () => higher(0.8)],
  [["]"], "]", "higher rows", () => higher(1.25)],
  [["/", "Ctrl-f"], "/  Ctrl-f", "find states and events", () => { searchBox.focus(); searchBox.select(); }],
  [["n", "F3"], "n  F3", "next hit", () => step(1)],
  [["N", "Shift-F3"], "Shift-n", "previous hit", () => step(-1)],
  [["t"], "t", "switch between light and dark", switchTheme],
  [["Escape"], "Esc", "close this card, else forget the chosen record, else clear the selection", escape],
  [["?", "F1"], "?  F1", "show these keys", toggleKeys],
].filter(([, , , run]) => (run !== toggleWaits || waits) && (run !== togglePath || critical));
const pointing = [
  ["Drag", "select a stretch of time; its edges can be dragged"],
  ["Ctrl-drag", "zoom to the dragged stretch of time"],
  ["Shift-drag, middle drag, finger", "move through time and rows"],
  ["Click", "choose a record; outside of the selection: clear it"],
  ["Double click", "zoom to the record, or to the selection"],
  ["Wheel", "scroll rows; if all rows are visible, zoom at the pointer"],
  ["Ctrl-wheel, Shift-wheel", "zoom at the pointer; move left and right"],
  ["Click on a name in the table", "hide or show it; double click or Alt-click: show only it"],
];
const keyRuns = new Map(keyTable.flatMap(([events, , , run]) => events.map((event) => [event, run])));

const keyCard = add(body, "div", "card");
keyCard.hidden = true;
keyCard.setAttribute("role", "dialog");
keyCard.setAttribute("aria-label", "keys");
for (const [shown, does] of [...keyTable.map(([, ...row]) => row), ...pointing]) {
  const line = add(keyCard, "div");
  add(line, "b", "", shown);
  add(line, "span", "", does);
}
keyCard.addEventListener("click", toggleKeys);
function toggleKeys() {
  keyCard.hidden = !keyCard.hidden;
}

addEventListener("keydown", (event) => {
  const ctrl = event.ctrlKey || event.metaKey ? "Ctrl-" : "";
  const shift = event.shiftKey && event.key.length > 1 ? "Shift-" : "";
  const key = ctrl + shift + event.key, run = !event.altKey && keyRuns.get(key);
  // What has the focus needs some keys itself; the page scrolls by others unless the rows do.
  if (!run || (event.target === searchBox && !/^(Ctrl-f|(Shift-)?F\d)$/.test(key))) return;
  if (/^(Enter|Backspace)$/.test(key) && /^(BUTTON|INPUT)$/.test(event.target.tagName)) return;
  if (/^(Arrow|Page)(Up|Down)$/.test(key) && tall.clientHeight <= rows.clientHeight + 1) return;
  run();
  event.preventDefault();
});
