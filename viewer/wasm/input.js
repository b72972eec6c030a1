// input.js - pointer, touch and keys, as in the page of `pith draw` and in the window of `pith view`.

let pointer = null; // in the picture; null: outside
let drag = null;    // { kind: select, zoom or move, x, from, to, stretch, moved }; null: none
const tip = element("tip");
const placeOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};
const isInside = (x) => picture && x >= picture.left && x < picture.left + picture.wide;
const timeInside = (x) => timeAt(clamp(x, picture.left, picture.left + picture.wide));

// ---- The card

let under = null, isAsking = false; // what the core says of the pointer's place
async function showTip() {
  if (isAsking) return;
  isAsking = true;
  for (let asked = undefined; pointer !== asked && log;) {
    asked = pointer;
    under = pointer && picture && !drag ? await ask("at", pointer.x, pointer.y).catch(() => null) : null;
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
canvas.addEventListener("pointerdown", (event) => {
  if (event.button > 1 || !picture) return;
  pointer = placeOf(event);
  canvas.setPointerCapture(event.pointerId);
  if (event.pointerType === "touch") fingers.set(event.pointerId, pointer);
  if (fingers.size === 2) beginPinch();
  if (fingers.size > 1) return;
  const kind = event.button || event.shiftKey || event.pointerType === "touch" ? "move"
    : event.ctrlKey || event.metaKey ? "zoom" : "select";
  drag = { kind, x: pointer.x, from: view.from, to: view.to, begin: timeInside(pointer.x), moved: false };
});
canvas.addEventListener("pointermove", (event) => {
  pointer = placeOf(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, pointer);
  if (pinch) followPinch();
  else if (drag && picture) {
    if (Math.abs(pointer.x - drag.x) > 3) drag.moved = true;
    if (drag.moved && drag.kind === "move") {
      const by = BigInt(Math.round((drag.x - pointer.x) / picture.wide * Number(drag.to - drag.from)));
      const from = clamp(drag.from + by, log.from, log.to - (drag.to - drag.from));
      setView(from, from + (drag.to - drag.from), drag);
    } else if (drag.moved) {
      const other = timeInside(pointer.x);
      drag.stretch = drag.begin < other ? [drag.begin, other] : [other, drag.begin];
      drawMarks();
    }
  }
  showTip();
});
function endDrag(event) {
  fingers.delete(event.pointerId);
  if (pinch) {
    pinch = fingers.size === 2 ? pinch : null;
    return;
  }
  const ended = drag;
  drag = null;
  if (!ended || !picture) return;
  if (!ended.moved) select(null);
  else if (ended.stretch && ended.stretch[1] > ended.stretch[0]) {
    if (ended.kind === "zoom") setView(...ended.stretch);
    else select(ended.stretch);
  }
  drawMarks();
  showTip();
}
canvas.addEventListener("pointerup", endDrag);
canvas.addEventListener("pointercancel", endDrag);
canvas.addEventListener("pointerleave", () => {
  pointer = null;
  showTip();
});
canvas.addEventListener("dblclick", async (event) => {
  const { x, y } = placeOf(event), found = await ask("at", x, y).catch(() => null);
  if (found && found.to && found.to !== found.from) setView(BigInt(found.from), BigInt(found.to));
});
canvas.addEventListener("wheel", (event) => {
  if (!picture) return;
  const steps = event.deltaY * (event.deltaMode ? 33 : 1);
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
    pan((event.deltaX || event.deltaY) / 1000, "wheel");
  else zoom(Math.exp(steps * 0.002), timeInside(placeOf(event).x), "wheel");
  event.preventDefault();
}, { passive: false });

// ---- Keys

function zoomToChosen() {
  if (selection) setView(...selection);
  else if (under && under.to && under.to !== under.from) setView(BigInt(under.from), BigInt(under.to));
}
function escape() {
  if (!element("keys").hidden) toggleKeys();
  else if (drag) drag = null;
  else if (hit) hit = null;
  else select(null);
  if (picture) drawMarks();
}
function findWords() {
  element("search").focus();
  element("search").select();
}
const hidePointed = () => { if (under && under.id !== undefined) hide(under.id, true); };
const toggleKeys = () => { element("keys").hidden = !element("keys").hidden; };
const switchTheme = () => setTheme(!shown.isDark);

// Keys, as events call them; how the card names them; what they do; the function.
const keyTable = [
  [["+", "=", "w"], "+  w", "zoom in", () => zoom(0.5)],
  [["-", "s"], "-  s", "zoom out", () => zoom(2)],
  [["f", "Home", "0"], "f  0  Home", "show all", fit],
  [["ArrowLeft", "a"], "Left  a", "move left", () => pan(-0.25)],
  [["ArrowRight", "d"], "Right  d", "move right", () => pan(0.25)],
  [["z", "Enter"], "z  Return", "zoom to the selection, else to what is under the pointer", zoomToChosen],
  [["u", "Backspace", "Ctrl-z"], "u  Ctrl-z", "undo the last zoom", () => undo()],
  [["r", "Ctrl-y", "Ctrl-Z"], "r  Ctrl-y", "redo it", () => undo(future, past)],
  [["m"], "m", "show or hide messages", () => toggle("arrows")],
  [["W"], "Shift-w", "hatch waiting, or stop it", () => toggle("waits")],
  [["c"], "c", "show or hide the critical path", () => toggle("path")],
  [["h"], "h", "hide what is under the pointer", hidePointed],
  [["H"], "Shift-h", "show all that is hidden", showAll],
  [["/", "Ctrl-f"], "/  Ctrl-f", "find states and events", findWords],
  [["n", "F3"], "n  F3", "next hit", () => step(false)],
  [["N", "Shift-F3"], "Shift-n", "previous hit", () => step(true)],
  [["t"], "t", "switch between light and dark", switchTheme],
  [["Escape"], "Esc", "close this card, else forget the hit, else clear the selection", escape],
  [["?", "F1"], "?  F1", "show these keys", toggleKeys],
];
const pointing = [
  ["Drag", "select a stretch of time"],
  ["Ctrl-drag", "zoom to the dragged stretch of time"],
  ["Shift-drag, middle drag, finger", "move through time"],
  ["Two fingers", "zoom"],
  ["Double click", "zoom to the record"],
  ["Wheel, Shift-wheel", "zoom at the pointer; move left and right"],
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
  run();
  event.preventDefault();
});

for (const [id, run] of Object.entries({ "zoom-in": () => zoom(0.5), "zoom-out": () => zoom(2), fit,
  undo: () => undo(), arrows: () => toggle("arrows"), waits: () => toggle("waits"), path: () => toggle("path"),
  find: analyze, theme: switchTheme, help: toggleKeys }))
  element(id).addEventListener("click", () => { if (log || id === "theme" || id === "help") run(); });
start();
