// picture.js - the time that is shown, and its picture: the core makes pixels and texts, the canvas shows them.

const canvas = element("picture"), marks = element("marks");
const NO_ARROWS = 4, QUICK = 16, shownWaits = 1, shownPath = 2;
let view = { from: 0n, to: 1n };
let past = [], future = []; // views for undo and redo
let picture = null;         // the one on the screen, with the view and the size it was made for
let isDrawing = false, isDrawPending = false;
let exactTimer = 0;
const shown = { arrows: true, waits: false, path: false, isDark: false };
let selection = null;       // [from, to] as BigInt

const clamp = (value, least, most) => value < least ? least : value > most ? most : value;
const sizeOf = () => {
  const wide = Math.max(260, document.body.clientWidth - 32);
  const most = Math.max(200, Math.floor(innerHeight * 0.66));
  return { width: wide, height: clamp(log.rows * (log.rows > 8 ? 26 : 44) + 90, 160, most) };
};
const span = () => view.to - view.from;
const timeAt = (x) => view.from + BigInt(Math.round((x - picture.left) / picture.wide * Number(span())));
const xOf = (time) => picture.left + Number(time - view.from) / Number(span()) * picture.wide;

// ---- Drawing

function redraw() {
  isDrawPending = true;
  if (!isDrawing && log) drawNow();
}
// Of a large log a quick picture comes first, while the view moves, and an exact one when it rests.
async function drawNow(isExact = !log.large) {
  isDrawing = true;
  isDrawPending = false;
  clearTimeout(exactTimer);
  const flags = (shown.arrows ? 0 : NO_ARROWS) | (shown.waits ? shownWaits : 0) | (shown.path ? shownPath : 0)
    | (isExact ? 0 : QUICK);
  const what = { from: view.from, to: view.to, ...sizeOf(), scale: devicePixelRatio, flags };
  const theme = shown.isDark ? "dark" : "light";
  const of = openNumber;
  try {
    const made = await ask("draw", what);
    if (of === openNumber) show({ ...made, of: what, isExact, theme });
  } catch (error) {
    if (of === openNumber) say(error.message, true);
  }
  isDrawing = false;
  if (isDrawPending && log) drawNow();
  else if (!isExact) exactTimer = setTimeout(() => { if (!isDrawing && log) drawNow(true); }, 150);
}

function show(made) {
  picture = made;
  const { width, height, pixels, of } = made, context = canvas.getContext("2d");
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  canvas.style.width = marks.style.width = `${of.width}px`;
  canvas.style.height = marks.style.height = `${of.height}px`;
  context.putImageData(new ImageData(pixels, width, height), 0, 0);
  drawTexts(context, made.texts, of.scale);
  delete made.pixels;
  drawMarks();
  if (made.damage) element("trouble").textContent = made.damage;
  // For tests and for those who wait: which view is on the screen.
  canvas.dataset.shown = `${of.from} ${of.to} ${of.flags} ${made.isExact ? "exact" : "quick"}`;
  canvas.dataset.theme = made.theme;
  keepLink();
  if (made.isExact) refreshLegend();
}

const colour = (rgb) => `#${rgb.toString(16).padStart(6, "0")}`;
function drawTexts(context, texts, scale) {
  context.save();
  context.scale(scale, scale);
  context.lineJoin = "round";
  for (const [x, y, anchor, size, isBold, rim, rgb, left, right, text] of texts) {
    context.font = `${isBold ? "bold " : ""}${size}px "DejaVu Sans", Verdana, sans-serif`;
    context.textAlign = ["left", "center", "right"][anchor];
    context.fillStyle = colour(rgb);
    if (left >= 0) {
      context.save();
      context.beginPath();
      context.rect(left, 0, right - left, canvas.height);
      context.clip();
    }
    if (rim >= 0) {
      context.strokeStyle = colour(rim);
      context.lineWidth = size * 0.24;
      context.strokeText(text, x, y);
    }
    context.fillText(text, x, y);
    if (left >= 0) context.restore();
  }
  context.restore();
}

// The frame of what was found.
function drawHit(pen) {
  if (!hit || hit.top === undefined || hit.end < view.from || hit.time >= view.to) return;
  const [left, right] = [hit.time, hit.end].map((time) => clamp(xOf(time), picture.left, picture.left + picture.wide));
  pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  pen.lineWidth = 2;
  pen.strokeRect(left - 1, hit.top + 1, Math.max(right - left, 2) + 2, hit.high - 2);
}

// What lies over the picture: the selection, or the stretch that is dragged.
function drawMarks() {
  const { width, height } = picture.of, scale = devicePixelRatio, pen = marks.getContext("2d");
  [marks.width, marks.height] = [width * scale, height * scale];
  pen.scale(scale, scale);
  const stretch = (drag && drag.stretch) || selection;
  drawHit(pen);
  if (!stretch) return;
  const [left, right] = stretch.map((time) => clamp(xOf(time), picture.left, picture.left + picture.wide));
  const style = getComputedStyle(document.documentElement);
  pen.globalAlpha = 0.6;
  pen.fillStyle = style.getPropertyValue("--paper");
  pen.fillRect(picture.left, picture.top, left - picture.left, picture.bottom - picture.top);
  pen.fillRect(right, picture.top, picture.left + picture.wide - right, picture.bottom - picture.top);
  pen.globalAlpha = 1;
  pen.fillStyle = style.getPropertyValue("--accent");
  pen.fillRect(left - 1, picture.top, 1, picture.bottom - picture.top);
  pen.fillRect(right, picture.top, 1, picture.bottom - picture.top);
}

// ---- The view

// Moves the view into the log. `kind`: moves of one kind in a row are one step for undo; undefined: a step of its own.
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
function select(stretch) {
  const isNew = stretch !== selection;
  selection = stretch;
  if (!picture) return;
  drawMarks();
  if (isNew) refreshLegend();
}

function beginPicture(isLinked) {
  view = (isLinked && linkedView()) || { from: log.from, to: log.to };
  past = [];
  future = [];
  selection = null;
  picture = null;
  lastMove = undefined;
  shown.waits = shown.path = false;
  delete canvas.dataset.shown;
  tellSwitches();
  redraw();
}

// ---- The link: the address of the page with the view, in seconds, as in app.html#1.2-1.4

const SECOND = 1000000000n;
const secondsAt = (time) => `${time / SECOND}.${String(time % SECOND).padStart(9, "0")}`.replace(/\.?0+$/, "");
function keepLink() {
  const isWhole = view.from === log.from && view.to === log.to;
  const hash = isWhole || view.from < 0n ? "" : `#${secondsAt(view.from)}-${secondsAt(view.to)}`;
  if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname);
}
// The view that the address names; null: none.
function linkedView() {
  const [, ...seconds] = location.hash.match(/^#(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)$/) || [];
  const [from, to] = seconds.map((text) => {
    const [whole, part = ""] = text.split(".");
    return BigInt(whole) * SECOND + BigInt(part.padEnd(9, "0").slice(0, 9));
  });
  return from !== undefined && from < to && from >= log.from && to <= log.to ? { from, to } : null;
}
addEventListener("hashchange", () => {
  const linked = log && linkedView();
  if (linked) setView(linked.from, linked.to);
});

// ---- What is shown

function tellSwitches() {
  for (const name of ["arrows", "waits", "path"]) element(name).setAttribute("aria-pressed", shown[name]);
}
async function toggle(name) {
  if ((name === "waits" || name === "path") && !await analyze()) return;
  shown[name] = !shown[name];
  tellSwitches();
  redraw();
}
async function setTheme(isDark) {
  shown.isDark = isDark;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  element("theme").textContent = isDark ? "Light" : "Dark";
  await ask("theme", isDark ? "dark" : "light");
  if (log) redraw();
}
addEventListener("resize", redraw);
