// search.js - finds states and events by name and duration.

// The search: its text, its hits [{ from, to, row, level, entry }] in the order of their begins, the index of the last
// one that was visited (-1: none).
const search = { text: "", hits: [], at: -1 };

// "NAME", "NAME > 2ms" or "NAME < 2:05". A name with * or ? is a pattern for whole names, else a part of names; case is
// ignored.
function readSearch(text) {
  const [, name, sign, value, unit] = /^(.*?)\s*(?:([<>])\s*([\d.:]+)\s*(ns|us|ms|s)?)?$/.exec(text.trim());
  const parts = name.toLowerCase().split(/([*?])/).map((part) => part === "*" ? ".*" : part === "?" ? "."
    : part.replace(/[\\^$.|+()[\]{}]/g, "\\$&"));
  const pattern = new RegExp(parts.length > 1 ? `^${parts.join("")}$` : parts[0], "s");
  const size = (units.find(([, symbol]) => symbol === unit) || units[0])[0];
  const limit = sign && value.split(":").reduce((sum, part) => sum * 60 + +part, 0) * size;
  return {
    signs: new Set(data.names.flatMap((entry, sign) => pattern.test(entry.name.toLowerCase()) ? [sign] : [])),
    hasLimit: !!sign,
    fits: (length) => !sign || (sign === ">" ? length > limit : length < limit),
  };
}

// The end of an instance: if an outer state ends first, the rest of it is one level further out.
function endOf(levels, level, i) {
  let to = levels[level][i + 1];
  const sign = levels[level][i + 2];
  while (level--) {
    const outer = levels[level];
    let k = firstAt(outer, to - 0.5, 4, 0);
    while (k < outer.length && outer[k] === to && !(outer[k + 2] === sign && outer[k + 3] & AFTER)) k += 4;
    if (k >= outer.length || outer[k] !== to) break;
    to = outer[k + 1];
  }
  return to;
}
function exactHits({ signs: wanted, hasLimit, fits }) {
  const hits = [];
  exact.forEach(({ levels, events, stack, depth }, row) => {
    levels.forEach((items, level) => {
      for (let i = 0; i < items.length; i += 4) {
        if (!wanted.has(items[i + 2]) || (items[i + 3] & AFTER && items[i] > data.from)) continue;
        const to = endOf(stack, depth + level, i);
        if (fits(to - items[i])) hits.push({ from: items[i], to, row, level, entry: data.names[items[i + 2]] });
      }
    });
    for (let i = 0; i < events.length && !hasLimit; i += 2)
      if (wanted.has(events[i + 1]))
        hits.push({ from: events[i], to: events[i], row, entry: data.names[events[i + 1]] });
  });
  return hits;
}
// Without exact times: the columns that show a name, as a bar, a tick or an event.
function columnHits({ signs: wanted }) {
  const hits = [];
  for (const source of tiles.length ? tiles : [whole])
    for (let row = 0; row < data.rows.length; row++) {
      if (data.rows[row].colour) continue;
      for (let level = 0; level < source.levels; level++) {
        const runs = source.line(row, level);
        for (let i = 0; i < runs.length; i += 4)
          if (wanted.has(runs[i + 2]))
            hits.push({ from: runs[i], to: runs[i + 1], row, level, entry: data.names[runs[i + 2]] });
      }
      for (const part of [source.levels, source.levels + 1]) {
        const spots = source.line(row, part);
        for (let i = 0; i < spots.length; i += 2)
          if (wanted.has(spots[i + 1]))
            hits.push({ from: spots[i], to: spots[i], row, entry: data.names[spots[i + 1]] });
      }
    }
  return hits;
}

function find(text) {
  if (text === search.text) return;
  const asked = readSearch(text);
  const hits = !text.trim() ? [] : exact ? exactHits(asked) : columnHits(asked);
  hits.sort((a, b) => a.from - b.from || a.row - b.row || (a.level || 0) - (b.level || 0));
  Object.assign(search, { text, hits, at: -1 });
  sayHits(!exact && asked.hasLimit ? "; their durations are not in this page" : "");
  redraw();
}
function sayHits(more = "") {
  const count = search.hits.length, what = exact ? "hit" : "place";
  say(search.text.trim() ? `${count ? number(count) : "no"} ${what}${count === 1 ? "" : "s"}${more}` : "");
}

// To the next or previous hit: of the last one if it is seen, else of the edge of the view.
function step(way) {
  const { hits } = search, last = hits[search.at];
  if (!hits.length) return;
  const isSeen = last && last.from >= view.from && last.from <= view.to;
  const ahead = hits.findIndex((hit) => hit.from >= view.from);
  let next = way > 0 ? (ahead < 0 ? hits.length : ahead) : hits.findLastIndex((hit) => hit.from < view.to);
  if (isSeen) next = search.at + way;
  search.at = (next + hits.length) % hits.length;
  visit(hits[search.at]);
  const { from, to, row, entry } = chosen, time = timeText(from, exact ? 1 : whole.step);
  say(`${number(search.at + 1)} of ${number(hits.length)}: ${entry.name}, ${data.rows[row].label}, at ${time}`
    + (exact && to > from ? `, ${duration(to - from)}` : ""));
}

// Chooses a record, and moves the view if not all of it is seen, or too little. Columns do not get wider than they are.
function visit(hit) {
  const wide = view.to - view.from, length = hit.to - hit.from, isSmall = exact && length > 0 && length < wide / 100;
  chosen = hit;
  if (hit.from < view.from || hit.to > view.to || isSmall) {
    const half = (isSmall || length > wide ? length * 5 : wide) / 2;
    setView((hit.from + hit.to) / 2 - half, (hit.from + hit.to) / 2 + half);
  }
  if (hit.row * rowHeight < rows.scrollTop || (hit.row + 1) * rowHeight > rows.scrollTop + canvas.high)
    rows.scrollTop = hit.row * rowHeight - canvas.high / 2;
  redraw();
}
