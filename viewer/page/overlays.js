// overlays.js - what is drawn over the bars: the critical path, notes, the selection, the chosen record.

// The critical path: a line with a rim; steps that are less than 3 pixels apart are fainter.
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
  pen.save();
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
  pen.restore();
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

// Makes everything outside of the selection, or of the dragged stretch, paler, and draws its edges and duration.
const stretchShown = () => drag && drag.stretch || selection;
function drawSelection(pen, [from, to]) {
  const edge = (time) => onPixel(Math.min(Math.max(xOf(time), labelWidth), canvas.wide));
  const left = edge(from), right = edge(to);
  pen.globalAlpha = data.pale;
  pen.fillStyle = theme.paper;
  pen.fillRect(labelWidth, 0, left - labelWidth, canvas.high);
  pen.fillRect(right, 0, canvas.wide - right, canvas.high);
  pen.globalAlpha = 1;
  pen.fillStyle = theme.accent;
  for (const [time, x] of [[from, left - 1], [to, right]])
    if (time >= view.from && time <= view.to) pen.fillRect(x, 0, 1, canvas.high);
  if (to < view.from || from > view.to) return;
  const text = duration(to - from), wide = pen.measureText(text).width + 8;
  const x = Math.min(Math.max((left + right - wide) / 2, labelWidth), canvas.wide - wide), y = canvas.high - 17;
  pen.fillRect(x, y, wide, 16);
  pen.fillStyle = theme.paper;
  pen.fillText(text, x + 4, y + 12);
}

// A frame around the chosen record.
function drawChosen(pen) {
  const { row, level, from, to } = chosen, [top, height] = barOf(level || 0), y = topOf(row) + top;
  const left = Math.max(xOf(from), labelWidth - 3), right = Math.min(xOf(to), canvas.wide + 3);
  if (to < view.from || from > view.to) return;
  for (const [colour, wide] of [[theme.paper, 4], [theme.accent, 2]]) {
    pen.strokeStyle = colour;
    pen.lineWidth = wide;
    if (to > from) pen.strokeRect(left - 1, y - 1, Math.max(right - left, 1) + 2, height + 2);
    else pen.strokeRect(left - 7, topOf(row), 14, 14);
  }
  pen.lineWidth = 1;
}
