// tables.js - the answer and the findings; the legend, with switches and sums; notes; the search.

let findings = null; // findings of the open log; null: not analyzed

// The recorder's own events, for other tools.
const isTool = ({ kind, name }) => kind === "event" && name.startsWith("pith:");
function beginTables() {
  findings = null;
  hit = null;
  hits = { text: "", all: [], isMore: false };
  element("answer").hidden = true;
  element("findings").replaceChildren();
  element("findings").hidden = !log.findings;
  element("find").setAttribute("aria-pressed", Boolean(log.findings));
  element("legend").replaceChildren();
  beginNotes();
  beginAnswer();
}

// ---- The legend

const seconds = (ns) => (Number(ns) / 1e9).toFixed(9);
const percent = (share) => share >= 0.0005 || !share ? `${(share * 100).toFixed(1)} %` : "<0.1 %"; // as in the window
const columns = [["name", "name"], ["count", "count"], ["total", "total_ns"], ["self", "self_ns"], ["share", "share"]];
let sorted = "self_ns", isBackward = false; // names are sorted from A on, numbers from the largest on
function inOrder(rows) {
  const value = (row) => Number(row[sorted] || 0);
  rows.sort((a, b) => (sorted === "name" ? a.name.localeCompare(b.name) : value(b) - value(a)) || b.count - a.count);
  return isBackward ? rows.reverse() : rows;
}
let legendsAsked = 0; // number of legends that were requested and have not arrived
// If the table were replaced during a click, or between the two clicks of a double click, it would miss the click.
const DOUBLE_CLICK = 500; // ms
let pressedAt = -DOUBLE_CLICK, isPressed = false;
element("legend").addEventListener("pointerdown", () => { isPressed = true; });
for (const kind of ["pointerup", "pointercancel"])
  addEventListener(kind, () => {
    if (isPressed) pressedAt = performance.now();
    isPressed = false;
  });
async function clicksAreOver() {
  for (let left; (left = isPressed ? DOUBLE_CLICK : pressedAt + DOUBLE_CLICK - performance.now()) > 0;)
    await new Promise((done) => setTimeout(done, left));
}
async function refreshLegend() {
  const of = openNumber, interval = selection, [from, to] = interval || [picture.of.from, picture.of.to];
  const asked = picture.of.flags & NEAR ? servedLegend(from, to) : ask("legend", from, to);
  legendsAsked++;
  const found = await asked.catch((error) => say(error.message, true));
  await clicksAreOver();
  legendsAsked--;
  if (!found || of !== openNumber || interval !== selection) return;
  const entries = found.entries.filter(({ id }) => !isTool(log.defs[id]))
    .map((entry) => ({ ...log.defs[entry.id], ...entry }));
  fillLegend(found, inOrder([...entries, { ...found.rest, count: "" }].filter((entry) => entry.id !== undefined
    || entry.self_ns > 0)), interval);
}
function lineOf(entry) {
  const { id, name, kind, hidden, group, rgb } = entry, line = document.createElement("tr"), cell = add(line, "td");
  if (id === undefined) {
    add(cell, "span", "colour rest");
    cell.append(name);
  } else {
    const label = add(cell, "label"), box = add(label, "input");
    box.type = "checkbox";
    box.checked = !hidden;
    box.addEventListener("change", () => {
      line.classList.toggle("hidden", !box.checked);
      hide(id, !box.checked);
    });
    add(label, "span", `colour ${kind}`).style.background = colour(rgb);
    add(label, "span", "", name);
    label.addEventListener("dblclick", () => showOnly(id));
    label.addEventListener("click", (event) => {
      if (!event.altKey) return;
      event.preventDefault();
      showOnly(id);
    });
    const hint = "click: hide or show; double click or Alt-click: show only this";
    cell.title = `${name}${group && group !== name ? ` (${group})` : ""}\n${hint}`;
    line.classList.toggle("hidden", hidden);
    line.dataset.id = id;
  }
  add(line, "td", "", entry.count === "" ? "" : number(entry.count));
  if (kind !== "event" && kind !== "counter") {
    add(line, "td", "", entry.total || "").title = entry.total ? seconds(entry.total_ns) : "";
    add(line, "td", "", entry.self).title = seconds(entry.self_ns);
    add(line, "td", "", percent(entry.share));
  }
  return line;
}
function fillLegend({ time }, entries, interval) {
  const focused = document.activeElement.closest("tr"); // kept, because a new table would lose the focus
  const table = document.createElement("table"), head = add(table.createTHead(), "tr");
  for (const [title, key] of columns) {
    const cell = add(head, "th", "", title);
    const isDown = (key === "name") === isBackward;
    cell.setAttribute("aria-sort", sorted !== key ? "none" : isDown ? "descending" : "ascending");
    cell.addEventListener("click", () => {
      isBackward = sorted === key && !isBackward;
      sorted = key;
      pressedAt = -DOUBLE_CLICK; // the order changes at once, not after the time of a double click
      refreshLegend();
    });
  }
  const body = table.createTBody();
  body.append(...entries.map(lineOf));
  if (log.messages && !interval) {
    const cell = add(add(body, "tr"), "td");
    add(cell, "span", "colour message");
    cell.append("messages");
    add(cell.parentNode, "td", "", number(log.messages));
  }
  const caption = table.createCaption();
  caption.textContent = interval ? `Selection: ${time} ` : time;
  caption.classList.toggle("selected", Boolean(interval));
  if (interval) {
    const button = add(caption, "button", "", "\u00d7");
    button.title = "clear the selection (Esc)";
    button.addEventListener("click", () => select(null));
  }
  element("legend").replaceChildren(table);
  if (focused && focused.dataset.id) table.querySelector(`[data-id="${focused.dataset.id}"] input`)?.focus();
}
function setHidden(id, isHidden) {
  log.defs[id].hidden = isHidden;
  look++;
  return ask("hide", id, isHidden);
}
function hide(id, isHidden) {
  setHidden(id, isHidden);
  redraw();
}
const ours = () => log.defs.map((def, id) => [id, def]).filter(([, def]) => !isTool(def));
function showAll() {
  for (const [id, def] of ours()) if (def.hidden) setHidden(id, false);
  redraw();
}
// Hides all other definitions, or shows them again if all are hidden already.
function showOnly(id) {
  const others = ours().filter(([other]) => other !== id), areHidden = others.every(([, def]) => def.hidden);
  for (const [other] of others) setHidden(other, !areHidden);
  hide(id, false);
}

// ---- The answer and the findings

const AT_ONCE = 2000000; // records: the analysis of more takes seconds, in which nothing can be drawn
function beginAnswer() {
  const of = openNumber, strip = element("answer");
  const begin = () => {
    strip.firstElementChild.textContent = "Looking for what costs most...";
    strip.lastElementChild.hidden = true;
    analyze({ isAsked: log.waits || log.path || log.findings, isDrawn: log.waits || log.path }).then(() => {
      if (of !== openNumber) return;
      for (const name of ["waits", "path"]) if (log[name] && findings) shown[name] = true;
      tellSwitches();
      if (shown.waits || shown.path) redraw();
    });
  };
  strip.hidden = false;
  if (log.records > AT_ONCE && !element("served") && !log.waits && !log.path && !log.findings) {
    strip.firstElementChild.textContent =
      `\u201cFindings\u201d looks for what costs most, which takes a while with ${number(log.records)} records.`;
    strip.lastElementChild.hidden = true;
    return;
  }
  begin();
}
function showAnswer() {
  const strip = element("answer"), { answer, place = {} } = findings, [text, button] = strip.children;
  strip.hidden = !answer || !answer.text;
  text.textContent = ((answer && answer.text) || "").replace(/`([^`]*)`/g, "\u201c$1\u201d"); // names, in quotes
  button.hidden = place.from === undefined;
}
function showMe() {
  const { from, to, row } = findings.place;
  setView(BigInt(from), BigInt(to));
  showRow(row);
}

// Analyzes the log, once. Returns true if the findings are there. An error is shown only if the user has asked for the
// analysis (isAsked). isDrawn: the picture needs it, so the core of this page must make it, not the server.
let analyzing = null; // a promise while it goes on
async function analyze({ isAsked = true, isDrawn = false } = {}) {
  if (findings && !(isDrawn && findings.isServed)) return true;
  const of = openNumber, isServed = log.large && element("served") && !isDrawn;
  doing = isAsked ? "analyzing" : ""; // otherwise the line above the picture shows the progress
  try {
    if (isDrawn && analyzing) await analyzing;
    analyzing ||= isServed ? servedFindings() : ask("analyze");
    const found = await analyzing;
    if (of !== openNumber) return false;
    findings = found;
    if (doing) say("");
  } catch (error) {
    if (of === openNumber && isAsked) say(error.message, true);
    element("answer").hidden = true;
    return false;
  } finally {
    analyzing = null;
    doing = "";
  }
  showAnswer();
  showFindings();
  return true;
}
async function toggleFindings() {
  if (!await analyze()) return;
  const place = element("findings");
  place.hidden = !place.hidden;
  element("find").setAttribute("aria-pressed", !place.hidden);
}
function showFindings() {
  const { efficiencies, findings: all } = findings, place = element("findings");
  place.replaceChildren();
  add(place, "h2", "", "Findings");
  const parts = ["parallel", "load_balance", "communication", "serialisation", "transfer"]
    .filter((name) => efficiencies[name] !== undefined)
    .map((name) => `${name.replace("_", " ")} ${efficiencies[name].toFixed(2)}`);
  if (parts.length) add(place, "p", "faint", `Efficiencies: ${parts.join(", ")}`);
  const depths = []; // a finding that is a part of another finding comes after it, indented
  for (const finding of all) {
    const block = add(place, "details"), head = add(block, "summary");
    depths.push(finding.part_of === undefined ? 0 : depths[finding.part_of] + 1);
    block.style.marginLeft = `${20 * depths.at(-1)}px`;
    add(head, "b", "", finding.name);
    add(head, "span", "faint", ` ${finding.percent.toFixed(1)} %`);
    add(block, "pre", "", finding.text.trim());
    if (finding.to_ns <= finding.from_ns) continue;
    const button = add(head, "button", "", "show");
    button.addEventListener("click", (event) => {
      event.preventDefault();
      const from = BigInt(finding.from_ns), to = BigInt(finding.to_ns), half = (to - from) / 2n + 1n;
      setView(from - half, to + half);
      select([from, to]);
    });
  }
}

// ---- Notes: a click brings one into the middle

function beginNotes() {
  const list = element("notes");
  list.replaceChildren();
  list.hidden = !log.notes.length;
  for (const { time, text } of log.notes) {
    const button = add(add(list, "li"), "button", "", text), half = () => span() / 2n;
    button.addEventListener("click", () => setView(BigInt(time) - half(), BigInt(time) + half()));
  }
}

// ---- The search

let hit = null; // the place of the last hit, for the core; null: none
// All hits of a text, if the log is not large: [time, lane, tie] in order, with times as BigInt.
let hits = { text: "", all: [], isMore: false };
const MOST_HITS = 20000;
const isField = /^(duration|bytes|tag|peer|comm|rank|thread|time|begin|end|kind|state|event|payload)$/;
// The text of the search for the core: MPI_Recv > 2ms is short for a query.
function soughtText() {
  const text = element("search").value.trim();
  const [, name, sign, limit] = /^([^\s<>=~"]+)\s*([<>])\s*([\d.:]+\s*(?:ns|us|ms|s)?)$/.exec(text) || [];
  if (!name || isField.test(name)) return text;
  return `state ~ "${/[*?[]/.test(name) ? name : `*${name}*`}" and duration ${sign} ${limit}`;
}
let isCounting = false;
async function countHits() {
  const text = soughtText(), of = openNumber;
  hits = { text, all: [], isMore: false };
  if (picture) drawOverview();
  if (!text || !log || !picture || log.large) {
    say("");
    return;
  }
  if (isCounting) return; // the newest text is counted after the current one; texts in between are skipped
  isCounting = true;
  const found = await ask("hits", text, MOST_HITS + 1).catch(() => null); // a query may be half typed
  isCounting = false;
  if (of !== openNumber || text !== soughtText()) {
    if (soughtText()) countHits();
    return;
  }
  if (!found) {
    say("no hits");
    return;
  }
  const all = found.slice(0, MOST_HITS).map(([time, ...rest]) => [BigInt(time), ...rest]);
  hits = { text, all, isMore: found.length > MOST_HITS };
  say(`${hits.isMore ? "more than " : ""}${all.length ? number(all.length) : "no"} hit${all.length === 1 ? "" : "s"}`);
  drawOverview();
}
element("search").addEventListener("input", () => countHits());
// "3 of 12: ", if all hits are known.
function nthText() {
  const { text, all, isMore } = hits;
  const at = text === soughtText() && !isMore
    ? all.findIndex(([time, lane, tie]) => time === hit.time && lane === hit.lane && tie === hit.tie) : -1;
  return at < 0 ? "" : `${number(at + 1)} of ${number(all.length)}: `;
}
// Finds the next hit from the last hit if that is visible, otherwise from an edge of the view. At an end of the log,
// the search goes on from the other end.
async function step(isBackwards) {
  const sought = soughtText(), of = openNumber, LAST = 0xffffffff;
  if (!sought || !log || !picture) return;
  const edge = (from, to) => isBackwards ? [to, 0, 0] : [from - 1n, LAST, LAST];
  const isSeen = hit && hit.time >= view.from && hit.time < view.to;
  let found, isAround = false;
  try {
    const start = isSeen ? [hit.time, hit.lane, hit.tie] : edge(view.from, view.to);
    found = await ask("find", sought, ...start, isBackwards);
    isAround = !found.lines;
    if (isAround) found = await ask("find", sought, ...edge(log.from, log.to + 1n), isBackwards);
  } catch (error) {
    if (of === openNumber) say(error.message, true);
    return;
  }
  if (of !== openNumber) return;
  if (!found.lines) {
    hit = null;
    say(`${sought}: nothing is found`);
    return;
  }
  hit = { ...found, time: BigInt(found.time) };
  chosen = { ...found, from: hit.time, to: BigInt(found.to), isHit: true };
  say(`${nthText()}${found.lines.join(", ")}${isAround ? ` (on from the ${isBackwards ? "end" : "start"})` : ""}`);
  goToChosen();
}
// Moves the view if a part of the record is outside of it, or if the record is too small in it.
function goToChosen() {
  const { from, to } = chosen, length = to - from, isSmall = length > 0n && length < span() / 100n;
  showRow(chosen.row);
  if (from < view.from || to > view.to || isSmall) {
    const half = (isSmall || length > span() ? length * 5n : span()) / 2n, middle = (from + to) / 2n;
    setView(middle - half, middle + half);
  }
  drawMarks();
  drawOverview();
}
