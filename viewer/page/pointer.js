// pointer.js - what the pointer does in the rows, at the axis and in the overview, as in the window of `pith view`.

let pointer = { x: -1, y: -1 }; // in the rows; outside: x < 0
// The current drag: kind (select, zoom, move), where it began (x, y, and the view and scroll place of then), moved, the
// fixed end and the dragged stretch of time; null: none.
let drag = null;
const followPointer = (event) => {
  const box = rows.getBoundingClientRect();
  pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
};
// The end of the selection that stays when the end at x is dragged; undefined: no end is there.
function fixedEnd(x) {
  const near = selection ? selection.findIndex((end) => Math.abs(xOf(end) - x) <= 4) : -1;
  return near < 0 ? undefined : selection[1 - near];
}
const isSelected = (time) => selection && time >= selection[0] && time <= selection[1];
const timeInside = (x) => Math.round(timeAt(Math.min(Math.max(x, labelWidth), canvas.wide)));

function dropDrag() {
  drag = null;
  rows.classList.remove("moving");
  redraw();
}

// The places of fingers on a touch screen, by pointerId. Two of them pinch: the time between them stays there.
const fingers = new Map();
let pinch = null; // how they began: the time and the pixels between them, and the span of the view; null: they do not
const pixelsBetween = ([a, b]) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
function beginPinch() {
  const [a, b] = fingers.values();
  dropDrag();
  tip.style.display = "none";
  pinch = { time: timeAt((a.x + b.x) / 2), pixels: pixelsBetween([a, b]), span: view.to - view.from };
}
function followPinch() {
  const [a, b] = fingers.values();
  const wide = Math.min(Math.max(pinch.span * pinch.pixels / pixelsBetween([a, b]), leastSpan), span);
  const from = pinch.time - ((a.x + b.x) / 2 - labelWidth) / (canvas.wide - labelWidth) * wide;
  setView(from, from + wide, pinch);
}
// Returns true if a finger of a pinch is lifted. The last one does nothing more.
function liftFinger(event) {
  fingers.delete(event.pointerId);
  if (!pinch) return false;
  if (fingers.size < 2) pinch = null;
  else beginPinch();
  return true;
}

function press(event) {
  if (event.button > 1) return;
  followPointer(event);
  if (event.pointerType === "touch") fingers.set(event.pointerId, pointer);
  if (fingers.size === 2) beginPinch();
  if (fingers.size > 1) return;
  const { x, y } = pointer, fixed = fixedEnd(x);
  const kind = event.button || event.shiftKey || event.pointerType === "touch" ? "move"
    : event.ctrlKey || event.metaKey ? "zoom" : "select";
  const isEdge = kind === "select" && fixed !== undefined;
  drag = { kind, x, y, from: view.from, to: view.to, top: rows.scrollTop, moved: isEdge,
    fixed: isEdge ? fixed : timeInside(x) };
  event.target.setPointerCapture(event.pointerId);
  rows.classList.toggle("moving", kind === "move");
  showTip();
}
function move(event) {
  followPointer(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, pointer);
  if (pinch) {
    followPinch();
    return;
  }
  showTip();
  const { x, y } = pointer;
  if (!drag) {
    rows.classList.toggle("edge", fixedEnd(x) !== undefined);
    return;
  }
  if (Math.abs(x - drag.x) > 3 || Math.abs(y - drag.y) > 3 && drag.kind === "move") drag.moved = true;
  if (!drag.moved) return;
  if (drag.kind === "move") {
    const by = (drag.x - x) * (drag.to - drag.from) / (canvas.wide - labelWidth);
    rows.scrollTop = drag.top + drag.y - y;
    setView(drag.from + by, drag.to + by, drag);
  } else {
    drag.stretch = [drag.fixed, timeInside(x)].sort((a, b) => a - b);
    redraw();
  }
}
function release(event) {
  if (liftFinger(event) || !drag) return;
  const { kind, moved, stretch } = drag;
  followPointer(event);
  dropDrag();
  if (!moved) click();
  else if (stretch && stretch[1] > stretch[0]) {
    if (kind === "zoom") setView(...stretch);
    else select(stretch);
  }
  showTip();
}
function click() {
  if (selection && !isSelected(timeAt(pointer.x))) select(null);
  const found = recordAt(pointer);
  chosen = found && !found.unknown ? found : null;
  redraw();
}
for (const element of [rows, axis]) {
  element.addEventListener("pointerdown", press);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", (event) => {
    liftFinger(event);
    dropDrag();
  });
  element.addEventListener("pointerleave", () => {
    pointer = { x: -1, y: -1 };
    tip.style.display = "none";
  });
}
rows.addEventListener("mousedown", (event) => { if (event.button === 1) event.preventDefault(); }); // no scrolling
rows.addEventListener("dblclick", () => {
  const stretch = isSelected(timeAt(pointer.x)) ? selection : stretchAt(pointer);
  if (stretch) setView(...stretch);
});
rows.addEventListener("wheel", (event) => {
  const allSeen = tall.clientHeight <= rows.clientHeight + 1, steps = event.deltaY * (event.deltaMode ? 33 : 1);
  followPointer(event);
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
    pan((event.deltaX || event.deltaY) / 1000, "wheel");
  else if (allSeen || event.ctrlKey) zoom(Math.exp(steps * 0.002), timeAt(pointer.x), "wheel");
  else return;
  event.preventDefault();
}, { passive: false });
rows.addEventListener("scroll", redraw);

function overviewTo(event) {
  const x = event.clientX - overview.getBoundingClientRect().left, half = (view.to - view.from) / 2;
  const time = data.from + (x - labelWidth) / (canvas.wide - labelWidth) * span;
  setView(time - half, time + half, "overview");
}
overview.addEventListener("pointerdown", (event) => {
  lastMove = undefined;
  overview.setPointerCapture(event.pointerId);
  overviewTo(event);
});
overview.addEventListener("pointermove", (event) => { if (event.buttons) overviewTo(event); });
