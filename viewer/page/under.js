// under.js - what is under the pointer, and the text about it.

// Events: exact, or by columns.
function marksIn(row) {
  return exact ? [[exact[row].events, 0]]
    : sources().map((source) => [source.line(row, source.levels + 1), source.step]);
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
  const lists = exact ? [[exact[row].levels[level] || [], 0, false]]
    : sources().filter((source) => level < source.levels)
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
  for (let level = levelsOf(row) - 1; level >= 0; level--) {
    const [top, height] = barOf(level);
    if (level && (y < topOf(row) + top || y >= topOf(row) + top + height)) continue;
    const found = runOf(row, level, time);
    if (found) return found;
  }
  return null;
}
function waitsAt(row, time, { level, entry }) {
  return waitsIn(row, level, data.names.indexOf(entry)).some(([runs, number]) => {
    const i = firstAt(runs, time, 4, 1);
    return i < runs.length && runs[i] <= time && runs[i + 2] === number;
  });
}
// The place in the program that an exact instance was called from; "": unknown. A site is that of the state that is
// innermost before and after it; it may also be at the begin or the end of it.
function siteOf({ row, level, from, to }) {
  if (!exact || level === undefined) return "";
  const { calls, stack, depth } = exact[row], i = firstAt(calls, from - 1, 2, 0), at = calls[i];
  const hasInner = (time) => stack.slice(depth + level + 1).some((runs) => runs[firstAt(runs, time, 4, 1)] <= time);
  const isOurs = at <= to && !(at > from && hasInner(at - 1)) && !(at < to && hasInner(at));
  return isOurs ? `called ${data.sites[calls[i + 1]]}` : "";
}
// What is known of a time without a state: why there are no records.
function whyNothing(row, time) {
  const { gaps } = data.rows[row], pixel = (view.to - view.from) / (canvas.wide - labelWidth);
  for (let i = 0; gaps && i < gaps.length; i += 3) {
    if (gaps[i + 2] && Math.abs(gaps[i] - time) < 4 * pixel) return [`${number(gaps[i + 2])} records lost`];
    if (!gaps[i + 2] && gaps[i] <= time && time < gaps[i + 1])
      return ["recording paused", `for ${duration(gaps[i + 1] - gaps[i])}`];
  }
  return isMissingAt(row, time) ? [`records are missing${data.damage ? ": the file is damaged" : ""}`] : [];
}
function isMissingAt(row, time) {
  return sources().some((source) => {
    const runs = source.line(row, source.levels + 3), i = firstAt(runs, time, 4, 1);
    return i < runs.length && runs[i] <= time;
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
// The event or state at a point of the rows; null: neither.
function recordAt({ x, y }) {
  const row = rowAt(y);
  if (x < labelWidth || x >= canvas.wide || row < 0 || row >= data.rows.length || data.rows[row].colour) return null;
  const found = spotAt(row, x, y) || runAt(row, timeAt(x), y);
  return found && { ...found, row };
}
// Its time, if the page knows it; else null.
function stretchAt(point) {
  const found = recordAt(point);
  return found && !found.unknown && found.to > found.from ? [found.from, found.to] : null;
}
function linesAt(x, y) {
  const row = rowAt(y), time = timeAt(x), fine = (view.to - view.from) / 1000;
  if (x < labelWidth || row < 0 || row >= data.rows.length) return null;
  const place = [data.rows[row].label, `at ${timeText(time, fine)}`];
  if (data.rows[row].colour) {
    const value = valueAt(row, time);
    return value === undefined ? place : [`about ${+value.toPrecision(3)}`, ...place];
  }
  const message = messageAt(x, y);
  if (message) return messageLines(message, fine);
  const found = recordAt({ x, y });
  if (!found) return [...whyNothing(row, time), ...place];
  if (found.unknown) return ["finer than this page", ...place];
  const waiting = found.level !== undefined && waitsOn && waitsAt(row, time, found) ? "waiting" : "";
  const length = found.to - found.from, known = 3 * found.step;
  const took = !length ? "" : exact ? duration(length)
    : length > known ? `about ${duration(length)}` : `below ${duration(known)}`;
  return [found.entry.name, ...place, took, waiting, siteOf(found)].filter((text) => text);
}
// Shows the text at the pointer; none during a drag.
function showTip() {
  const texts = drag ? null : noteAt(pointer.x, pointer.y) || linesAt(pointer.x, pointer.y);
  tip.style.display = texts ? "block" : "none";
  if (!texts) return;
  tip.replaceChildren();
  texts.forEach((text, i) => add(tip, i ? "div" : "b", i ? "faint" : "", text));
  const box = rows.getBoundingClientRect(), x = box.left + pointer.x, y = box.top + pointer.y;
  tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${y + 16 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 16}px`;
}
