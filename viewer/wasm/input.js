// input.js - pointer, touch and keys, with the same effects as in the window of `pith view`.

let pointer = null; // in the picture; null: outside
let drag = null;    // { kind: select, zoom or move, x, from, to, interval, moved }; null: none
const tip = element("tip");
const placeOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};
const isInside = (x) => picture && x >= picture.left && x < picture.left + picture.wide;
const timeInside = (x) => timeAt(clamp(x, picture.left, picture.left + picture.wide));

// ---- The card

let under = null, isAsking = false; // what the core found at the pointer's place
async function showTip() {
  if (isAsking) return;
  isAsking = true;
  for (let asked = undefined; pointer !== asked && log;) {
    asked = pointer;
    under = pointer && picture && !drag ? await askAt(pointer) : null;
  }
  isAsking = false;
  const lines = under && under.lines;
  tip.style.display = lines && pointer ? "block" : "none";
  if (!lines || !pointer) return;
  tip.replaceChildren();
  lines.forEach((text, i) => add(tip, i ? "div" : "b", i ? "faint" : "", text));
  const box = canvas.getBoundingClientRect(), x = box.left + pointer.x, y = box.top + pointer.y;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 16}px`;
}

// ---- Pointer

const fingers = new Map(); // places on a touch screen, by pointerId; two pinch
let pinch = null;
const apart = ([a, b]) => Math.max(1, Math.abs(a.x - b.x));
const middle = ([a, b]) => (a.x + b.x) / 2;
function beginPinch() {
  drag = null;
  const both = [...fingers.values()];
  pinch = { time: timeAt(middle(both)), pixels: apart(both), span: span() };
}
function followPinch() {
  const both = [...fingers.values()];
  const wide = clamp(BigInt(Math.round(Number(pinch.span) * pinch.pixels / apart(both))), 20n, log.to - log.from);
  const from = pinch.time - BigInt(Math.round((middle(both) - picture.left) / picture.wide * Number(wide)));
  setView(from, from + wide, pinch);
}
// The end of the selection that stays when the end at x is dragged; undefined: no end is there.
function fixedEnd(x) {
  const near = selection ? selection.findIndex((end) => Math.abs(xOf(end) - x) <= 4) : -1;
  return near < 0 ? undefined : selection[1 - near];
}
const isSelected = (time) => selection && time >= selection[0] && time <= selection[1];
canvas.addEventListener("pointerdown", (event) => {
  if (event.button > 1 || !picture) return;
  pointer = placeOf(event);
  canvas.setPointerCapture(event.pointerId);
  if (event.pointerType === "touch") fingers.set(event.pointerId, pointer);
  if (fingers.size === 2) beginPinch();
  if (fingers.size > 1) return;
  const kind = event.button || event.shiftKey || event.pointerType === "touch" ? "move"
    : event.ctrlKey || event.metaKey ? "zoom" : "select";
  const fixed = kind === "select" ? fixedEnd(pointer.x) : undefined;
  drag = { kind, ...pointer, top: stage.scrollTop, from: view.from, to: view.to,
    begin: fixed === undefined ? timeInside(pointer.x) : fixed, moved: fixed !== undefined };
  showTip();
});
canvas.addEventListener("pointermove", (event) => {
  pointer = placeOf(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, pointer);
  if (pinch) followPinch();
  else if (drag && picture) followDrag();
  else if (picture) canvas.classList.toggle("edge", fixedEnd(pointer.x) !== undefined);
  showTip();
});
function followDrag() {
  const { x, y } = pointer;
  if (Math.abs(x - drag.x) > 3 || (drag.kind === "move" && Math.abs(y - drag.y) > 3)) drag.moved = true;
  if (drag.moved && drag.kind === "move") {
    const by = BigInt(Math.round((drag.x - x) / picture.wide * Number(drag.to - drag.from)));
    const from = clamp(drag.from + by, log.from, log.to - (drag.to - drag.from));
    stage.scrollTop = drag.top + drag.y - y;
    setView(from, from + (drag.to - drag.from), drag);
  } else if (drag.moved) {
    const other = timeInside(x);
    drag.interval = drag.begin < other ? [drag.begin, other] : [other, drag.begin];
    drawMarks();
  }
}
function endDrag(event) {
  fingers.delete(event.pointerId);
  if (pinch) {
    if (fingers.size === 2) beginPinch();
    else pinch = null;
    return;
  }
  const ended = drag;
  drag = null;
  if (!ended || !picture || event.type === "pointercancel") return;
  if (!ended.moved) choose(placeOf(event));
  else if (ended.interval && ended.interval[1] > ended.interval[0]) {
    if (ended.kind === "zoom") setView(...ended.interval);
    else select(ended.interval);
  }
  drawMarks();
  showTip();
}
// Returns what the core finds at a place; null: nothing.
const askAt = ({ x, y }) => ask("at", x, y).catch(() => null);
// Gives the record at a place a frame; a click outside of the selection clears the selection.
async function choose(place) {
  if (selection && !isSelected(timeAt(place.x))) select(null);
  const found = isInside(place.x) ? await askAt(place) : null;
  chosen = found && found.id !== undefined ? { ...found, from: BigInt(found.from), to: BigInt(found.to) } : null;
  if (picture) drawMarks();
}
canvas.addEventListener("pointerup", endDrag);
canvas.addEventListener("pointercancel", endDrag);
canvas.addEventListener("pointerleave", () => {
  pointer = null;
  showTip();
});
canvas.addEventListener("mousedown", (event) => { if (event.button === 1) event.preventDefault(); }); // no scrolling
canvas.addEventListener("dblclick", async (event) => {
  const place = placeOf(event);
  if (isSelected(timeAt(place.x))) {
    setView(...selection);
    return;
  }
  const found = await askAt(place);
  if (found && found.to && found.to !== found.from) setView(BigInt(found.from), BigInt(found.to));
});
canvas.addEventListener("wheel", (event) => {
  if (!picture) return;
  const steps = event.deltaY * (event.deltaMode ? 33 : 1);
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
    pan((event.deltaX || event.deltaY) / 1000, "wheel");
  else if (!scrollsRows() || event.ctrlKey) zoom(Math.exp(steps * 0.002), timeInside(placeOf(event).x), "wheel");
  else return;
  event.preventDefault();
}, { passive: false });

function overviewTo(event) {
  const part = (event.clientX - overview.getBoundingClientRect().left - picture.left) / picture.wide;
  const middle = log.from + BigInt(Math.round(part * Number(log.to - log.from))), half = span() / 2n;
  const from = clamp(middle - half, log.from, log.to - span());
  setView(from, from + span(), "overview");
}
overview.addEventListener("pointerdown", (event) => {
  if (!picture) return;
  lastMove = undefined;
  overview.setPointerCapture(event.pointerId);
  overviewTo(event);
});
overview.addEventListener("pointermove", (event) => { if (event.buttons && picture) overviewTo(event); });

// ---- Keys

function zoomToChosen() {
  if (selection) setView(...selection);
  else if (chosen && chosen.to > chosen.from) setView(chosen.from, chosen.to);
  else if (under && under.to && under.to !== under.from) setView(BigInt(under.from), BigInt(under.to));
}
function escape() {
  if (!element("keys").hidden) toggleKeys();
  else if (drag) drag = null;
  else if (chosen) chosen = hit = null;
  else select(null);
  if (picture) {
    drawMarks();
    drawOverview();
  }
}
function findWords() {
  element("search").focus();
  element("search").select();
}
const hidePointed = () => { if (under && under.id !== undefined) hide(under.id, true); };
const toggleKeys = () => { element("keys").hidden = !element("keys").hidden; };
const switchTheme = () => setTheme(!shown.isDark);

// Each entry has the keys as events name them, the keys as the card of keys shows them, what they do, and the function.
const keyTable = [
  [["+", "=", "w"], "+  w", "zoom in", () => zoom(0.5)],
  [["-", "s"], "-  s", "zoom out", () => zoom(2)],
  [["f", "Home", "0"], "f  0  Home", "show all", fit],
  [["i"], "i", "show from MPI_Init to MPI_Finalize", work],
  [["ArrowLeft", "a"], "Left  a", "move left", () => pan(-0.25)],
  [["ArrowRight", "d"], "Right  d", "move right", () => pan(0.25)],
  [["Shift-ArrowLeft", "A"], "Shift-Left", "one window to the left", () => pan(-1)],
  [["Shift-ArrowRight", "D"], "Shift-Right", "one window to the right", () => pan(1)],
  [["z", "Enter"], "z  Return", "zoom to the selection, else to the chosen record", zoomToChosen],
  [["u", "Backspace", "Ctrl-z"], "u  Ctrl-z", "undo the last zoom", () => undo()],
  [["r", "Ctrl-y", "Ctrl-Z"], "r  Ctrl-y", "redo it", () => undo(future, past)],
  [["m"], "m", "show or hide messages", toggleArrows],
  [["W"], "Shift-w", "hatch waiting, or stop it", () => toggle("waits")],
  [["c"], "c", "show or hide the critical path", () => toggle("path")],
  [["h"], "h", "hide what is under the pointer", hidePointed],
  [["H"], "Shift-h", "show all that is hidden", showAll],
  [["ArrowUp"], "Up", "scroll rows up", () => scrollRows(-1)],
  [["ArrowDown"], "Down", "scroll rows down", () => scrollRows(1)],
  [["PageUp"], "Page Up", "a page of rows up", () => scrollRows(-pageOfRows())],
  [["PageDown"], "Page Down", "a page of rows down", () => scrollRows(pageOfRows())],
  [["["], "[", "lower rows", () => higher(0.8)],
  [["]"], "]", "higher rows", () => higher(1.25)],
  [["/", "Ctrl-f"], "/  Ctrl-f", "find states and events", findWords],
  [["n", "F3"], "n  F3", "next hit", () => step(false)],
  [["N", "Shift-F3"], "Shift-n", "previous hit", () => step(true)],
  [["t"], "t", "switch between light and dark", switchTheme],
  [["Escape"], "Esc", "close this card, else forget the chosen record, else clear the selection", escape],
  [["?", "F1"], "?  F1", "show these keys", toggleKeys],
];
const pointing = [
  ["Drag", "select an interval; its edges can be dragged"],
  ["Ctrl-drag", "zoom to the dragged interval"],
  ["Shift-drag, middle drag, finger", "move through time and rows"],
  ["Two fingers", "zoom"],
  ["Click", "choose a record; outside of the selection: clear it"],
  ["Double click", "zoom to the record, or to the selection"],
  ["Wheel", "scroll rows; if all rows are visible, zoom at the pointer"],
  ["Ctrl-wheel, Shift-wheel", "zoom at the pointer; move left and right"],
  ["Click on a name in the table", "hide or show it; double click or Alt-click: show only it"],
];
const keyRuns = new Map(keyTable.flatMap(([events, , , run]) => events.map((event) => [event, run])));
for (const [keys, does] of [...keyTable.map(([, ...row]) => row), ...pointing]) {
  const line = add(element("keys"), "div");
  add(line, "b", "", keys);
  add(line, "span", "", does);
}
addEventListener("keydown", (event) => {
  const shift = event.shiftKey && event.key.length > 1 ? "Shift-" : "";
  const key = (event.ctrlKey || event.metaKey ? "Ctrl-" : "") + shift + event.key;
  const run = !event.altKey && keyRuns.get(key), isInSearch = event.target.id === "search";
  if (isInSearch && /^(Shift-)?Enter$/.test(key)) step(event.shiftKey);
  if (isInSearch && key === "Escape") event.target.blur();
  if (!run || !log || (isInSearch && !/F3$|^Ctrl-f$/.test(key))) return;
  if (/^(Enter|Backspace)$/.test(key) && /^(BUTTON|INPUT|SUMMARY)$/.test(event.target.tagName)) return;
  if (event.target.tagName === "SELECT" || (/^(Arrow|Page)(Up|Down)$/.test(key) && !scrollsRows())) return;
  run();
  event.preventDefault();
});

for (const [id, run] of Object.entries({ "zoom-in": () => zoom(0.5), "zoom-out": () => zoom(2), fit, work,
  undo: () => undo(), left: () => pan(-0.5), right: () => pan(0.5),
  arrows: toggleArrows, waits: () => toggle("waits"), path: () => toggle("path"),
  find: toggleFindings, "show-me": showMe, link: copyLink, theme: switchTheme, help: toggleKeys }))
  element(id).addEventListener("click", () => { if (log || id === "theme" || id === "help") run(); });
element("rows").addEventListener("change", ({ target }) => arrange(target.value));
element("keys").addEventListener("click", toggleKeys);
start();
