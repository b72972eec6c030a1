// messages.js - draws messages as arrows, and crowds of them as bundles. `pith draw` has found the bundles: of the
// whole page, of its halves, quarters and so on (page_text.c). page_checks.py compares them with a picture's.

function readBundles(text, index) {
  const level = Math.floor(Math.log2(index + 1)), count = 2 ** level, place = index + 1 - count;
  const from = data.from + Math.floor(span * place / count);
  const to = Math.max(from + 1, data.from + Math.floor(span * (place + 1) / count));
  if (!text) return { level, from, to, cover: 0, bundles: [] };
  const [longest, cover, sampled, ...numbers] = text.trim().split(" ").map((word) => parseInt(word, 36));
  const bundles = [], timeOf = (part) => from + (to - from) * part / data.bundlePlaces;
  for (let i = 0; i + 6 < numbers.length; i += 7) {
    const [x0, x1, fromRow, toRow, of, wide, dark] = numbers.slice(i, i + 7);
    bundles.push({ sent: timeOf(x0), received: timeOf(x1), fromRow, toRow, count: of, wide, dark: dark / 100,
      sampled });
  }
  return { level, from, to, longest, cover: cover / 1000, bundles };
}
let areCoarse = false; // the view is much shorter than the last windows
const messageWindows = data.bundles.map(readBundles), lastLevel = messageWindows[messageWindows.length - 1].level;

// The windows in the view of the level that is nearest to it.
function windowsInView() {
  const level = Math.max(0, Math.min(lastLevel, Math.round(Math.log2(span / (view.to - view.from)))));
  return messageWindows.filter((part) => part.level === level && part.to > view.from && part.from < view.to);
}
// The arrows in a stretch of time and the rows in view, longest first.
function arrowsIn(from, to, most = arrows.length) {
  const seen = [], above = rowAt(0), below = rowAt(canvas.high);
  for (const arrow of arrows) {
    if (Math.max(arrow.sent, arrow.received) < from || Math.min(arrow.sent, arrow.received) >= to) continue;
    if (!most--) break;
    if (Math.max(arrow.fromRow, arrow.toRow) < above || Math.min(arrow.fromRow, arrow.toRow) > below) continue;
    seen.push(arrow);
  }
  return seen;
}
// Where a message or a bundle begins and ends.
function endsOf({ sent, received, fromRow, toRow }) {
  const [top, height] = barOf(0), middle = top + Math.floor(height / 2) + 0.5;
  return [xOf(sent), topOf(fromRow) + middle, xOf(received), topOf(toRow) + middle];
}
// The part of a line with x in [low, high]; null: there is none.
function shorten([x0, y0, x1, y1], low, high) {
  if (Math.max(x0, x1) < low || Math.min(x0, x1) > high) return null;
  const at = (x) => Math.min(Math.max(x, low), high), slope = x1 === x0 ? 0 : (y1 - y0) / (x1 - x0);
  return [at(x0), y0 + slope * (at(x0) - x0), at(x1), y1 + slope * (at(x1) - x1)];
}
function coverOf(seen) {
  const area = (canvas.wide - labelWidth) * Math.min(canvas.high, data.rows.length * rowHeight);
  return seen.reduce((sum, arrow) => {
    const [x0, y0, x1, y1] = shorten(endsOf(arrow), labelWidth, canvas.wide) || [0, 0, 0, 0];
    return sum + (Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) + 1) / area;
  }, 0);
}
// The messages of a window that are arrows: all, or the longest.
const singlesOf = ({ from, to, longest }) => longest === undefined
  ? arrowsIn(Math.max(from, view.from), Math.min(to, view.to)) : arrowsIn(from, to, longest);
// What the view has, in parts: { from, to, singles, bundles, cover, isCoarse }. A view that is shorter than the last
// windows has single arrows if the page has all of them, and they do not cover too much.
function findMessages() {
  const isFine = (view.to - view.from) * 2 ** lastLevel < span * 0.7;
  const singles = isFine && data.messagesAll ? arrowsIn(view.from, view.to) : null;
  if (singles && coverOf(singles) <= mostCover) return [{ ...view, singles, bundles: [], cover: 0, isCoarse: false }];
  return windowsInView()
    .map((part) => ({ ...part, singles: singlesOf(part), isCoarse: isFine && part.bundles.length > 0 }));
}
// If bundles cover more than mostCover of the rows, they are left out, unless they are asked for.
const mostCover = 0.1;
let messageParts = []; // those of the view, found when it is drawn
const coverInView = () => Math.max(0, ...messageParts.map((part) => part.cover));
const areLeftOut = () => arrowsOn && !arrowsAll && coverInView() > mostCover;
const messagesShown = () => arrowsOn && !areLeftOut() ? messageParts : [];

// No head where there is no room for it.
function drawHead(pen, [x0, y0, x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0), size = Math.min(6, rowHeight / 4);
  if (length < 2 * size || size < 2) return;
  const dx = (x1 - x0) * size / length, dy = (y1 - y0) * size / length;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - dx - dy * 0.4, y1 - dy + dx * 0.4);
  pen.lineTo(x1 - dx + dy * 0.4, y1 - dy - dx * 0.4);
  pen.fill();
}
// With more arrows, lines are fainter. A bundle of several pixels has lines side by side.
function drawLine(pen, [x0, y0, x1, y1], wide = 1) {
  const isSteep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
  for (let off = -(wide - 1) / 2; off <= (wide - 1) / 2; off++) {
    pen.beginPath();
    pen.moveTo(x0 + (isSteep ? off : 0), y0 + (isSteep ? 0 : off));
    pen.lineTo(x1 + (isSteep ? off : 0), y1 + (isSteep ? 0 : off));
    pen.stroke();
  }
}
function drawMessages(pen) {
  messageParts = findMessages();
  const parts = messagesShown();
  areCoarse = parts.some((part) => part.isCoarse);
  pen.strokeStyle = pen.fillStyle = theme.arrow;
  for (const { from, to, singles, bundles } of parts) {
    const low = Math.max(onPixel(xOf(from)), labelWidth), high = Math.min(onPixel(xOf(to)), canvas.wide);
    pen.save();
    pen.beginPath();
    pen.rect(low, 0, high - low, canvas.high);
    pen.clip();
    for (const bundle of [...bundles].reverse()) { // the largest are on top
      const ends = shorten(endsOf(bundle), low, high);
      if (!ends) continue;
      pen.globalAlpha = bundle.dark;
      drawLine(pen, ends, bundle.wide);
    }
    pen.globalAlpha = Math.max(0.08, Math.min(0.3, 90 / singles.length));
    for (const arrow of singles) {
      const ends = endsOf(arrow);
      drawLine(pen, ends);
      if (singles.length + bundles.length <= 300) drawHead(pen, ends);
    }
    pen.restore();
  }
  drawCounts(pen, parts);
}

// The number of messages as a picture writes it.
const countText = (of) => of < 9999.5 ? String(of)
  : of < 9999500 ? `${Math.round(of / 1e3)}k` : `${Math.round(of / 1e6)}M`;
// Writes the number in the middle of each bundle, the largest first, unless another number is there.
const mostCounts = 80, countHeight = 15;
function drawCounts(pen, parts) {
  const boxes = [];
  if (rowHeight < countHeight) return;
  pen.save();
  pen.font = "10px sans-serif";
  pen.textAlign = "center";
  for (const { from, to, bundles } of parts) {
    const low = Math.max(xOf(from), labelWidth), high = Math.min(xOf(to), canvas.wide);
    for (const bundle of bundles) {
      const ends = bundle.count > 1 && boxes.length < mostCounts && shorten(endsOf(bundle), low, high);
      if (!ends) continue;
      const x = (ends[0] + ends[2]) / 2, y = (ends[1] + ends[3]) / 2, text = countText(bundle.count);
      const half = pen.measureText(text).width / 2 + 2, box = [x - half, y - 6, x + half, y + 6];
      if (box[0] < low || box[2] > high) continue;
      if (boxes.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]))
        continue;
      boxes.push(box);
      pen.globalAlpha = 0.8;
      pen.fillStyle = theme.paper;
      pen.fillRect(box[0], box[1], 2 * half, 12);
      pen.globalAlpha = 1;
      pen.fillStyle = theme.arrow;
      pen.fillText(text, x, y + 3.6);
    }
  }
  pen.restore();
}

// ---- Under the pointer

// The nearest of some lines that is closer than `least`; null: none is.
function nearestTo(x, y, items, least) {
  let found = null;
  for (const item of items) {
    const [x0, y0, x1, y1] = endsOf(item), length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length;
    const off = Math.abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / length;
    if (along < 0 || along > length || off >= least) continue;
    [found, least] = [item, off];
  }
  return found;
}
// The message or the bundle at a point. A message with an arrow also counts in a bundle.
function messageAt(x, y) {
  const part = messagesShown().find(({ from, to }) => timeAt(x) >= from && timeAt(x) < to);
  return part && (nearestTo(x, y, part.bundles.filter((bundle) => bundle.count > 1), 2)
    || nearestTo(x, y, part.singles, 3.5) || nearestTo(x, y, part.bundles, 3.5));
}
function messageLines(found, fine) {
  const rowsText = `${data.rows[found.fromRow].label} to ${data.rows[found.toRow].label}`;
  if (found.count)
    return [`${found.sampled ? "about " : ""}${number(found.count)} message${found.count > 1 ? "s" : ""}`, rowsText,
      `sent about ${timeText(Math.max(found.sent, data.from), fine)}`];
  return ["message", rowsText, `${number(found.bytes)} bytes, tag ${found.tag}`, `sent ${timeText(found.sent, fine)}`,
    `took ${duration(found.took)}`];
}
